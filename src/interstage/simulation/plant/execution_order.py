"""In which order devices run, and the loops that forbid one.

An output depends on the inputs that `outputs` reads for it, a force moves the vehicle, an acceleration depends on all
forces. A cycle of these is an algebraic loop; it is named port by port. A device that lies in a ring through outputs
that do not depend on each other runs more than once: each time all that is known by then is up to date. Samples at one
tick depend on each other in the same way, but run once; a declared delay cuts such a cycle.
"""

from __future__ import annotations

import graphlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise

from interstage.errors import InputError
from interstage.simulation.plant.assembly import Member
from interstage.simulation.plant.connection_blocks import Copy, Delay, HeldCopy, Links
from interstage.simulation.plant.declarations import Look, Push
from interstage.simulation.plant.device import feeds, read, written
from interstage.simulation.plant.python_block import Law

# known after forward dynamics alone
FELT = (
    "acceleration",
    "specific_force",
    "angular_acceleration",
    "joint_acceleration",
    "joint_reaction",
    "result",
)


@dataclass(frozen=True)
class CallNode:
    """Outputs of a part that are written together, and the inputs that they depend on."""

    part: int
    outs: frozenset[str] = frozenset()
    ins: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Entry:
    """A function of a part on a tape; sampled ones have a period and a first tick."""

    part: int
    function: str
    every: int = 0
    first: int = 0


VEHICLE = CallNode(-1)
Depends = dict[CallNode, set[CallNode]]


@dataclass(frozen=True)
class Flow:
    """Parts in the order of the passes, some more than once; `sample_feels`: a sample needs accelerations."""

    before: list[int]
    after: list[int]
    sampled: list[int]
    sample_feels: bool


def ordered(parts: list[Member], links: Links) -> Flow:
    """Return the order of all functions, or name the loop that has none."""
    continuous = [_whole(parts, k, "outputs") for k, part in enumerate(parts) if _has(part, "outputs")]
    sampled = [_whole(parts, k, "sample") for k, part in enumerate(parts) if _has(part, "sample")]
    depends, line = _instants(parts, links, continuous)
    after = _downstream(depends, VEHICLE)
    late = {(node.part, out) for node in after for out in node.outs}
    feels = any(
        _feels(parts[node.part], node.ins) or any(source in late for _, source in _sources(links, node))
        for node in sampled
    )
    samples = {node: _held(parts, links, node, sampled) for node in sampled}
    try:
        ticks = _line(samples, parts)
    except graphlib.CycleError as err:
        raise InputError(
            "there is a loop of samples at one tick",
            got=_named(err.args[1], parts, links),
            hint="declare a delay on one of the wires",
        ) from None
    return Flow(
        _calls(node for node in line if node not in after and node != VEHICLE),
        _calls(node for node in line if node in after),
        [node.part for node in ticks],
        feels,
    )


def _instants(parts: list[Member], links: Links, nodes: list[CallNode]) -> tuple[Depends, list[CallNode]]:
    """Return what depends on what at one instant, and an order; devices in a ring are taken apart where they can be."""
    while True:
        writer = {(node.part, out): node for node in nodes for out in node.outs}
        depends: Depends = {VEHICLE: {node for node in nodes if _pushes(parts[node.part], node.outs)}}
        for node in nodes:
            depends[node] = {writer[source] for _, source in _sources(links, node) if source in writer}
            if _feels(parts[node.part], node.ins):
                depends[node].add(VEHICLE)
        try:
            return depends, _line(depends, parts)
        except graphlib.CycleError as err:
            ring: list[CallNode] = err.args[1]
        apart = {node: _apart(parts, node) for node in ring if node != VEHICLE}
        if all(len(found) < 2 for found in apart.values()):
            raise InputError("there is an algebraic loop", got=_named(ring, parts, links), hint=_cut(ring))
        nodes = [one for node in nodes for one in apart.get(node, [node])]


def _has(part: Member, function: str) -> bool:
    if isinstance(part.what, Law):
        return (part.every is None) == (function == "outputs")
    return function in part.what.functions


def _whole(parts: list[Member], k: int, function: str) -> CallNode:
    """Return a function of a part with all that it reads and all outputs that it writes."""
    what = parts[k].what
    if isinstance(what, Law):
        return CallNode(k, frozenset(what.outs), frozenset(what.ins))
    return CallNode(k, written(type(what), function), read(type(what), function))


def _apart(parts: list[Member], node: CallNode) -> list[CallNode]:
    """Return the outputs of a node in groups that depend on the same inputs."""
    what = parts[node.part].what
    if isinstance(what, Law):
        return [node]
    groups: dict[frozenset[str], set[str]] = {}
    for out in sorted(node.outs):
        groups.setdefault(feeds(type(what), out), set()).add(out)
    return [CallNode(node.part, frozenset(outs), ins) for ins, outs in groups.items()]


def _sources(links: Links, node: CallNode) -> Iterator[tuple[str, tuple[int, str]]]:
    """Yield each input of a node with the part and output that it is linked to."""
    for name in sorted(node.ins):
        for link in links.get((node.part, name), ()):
            yield name, (link.part, link.out)


def _held(parts: list[Member], links: Links, node: CallNode, sampled: list[CallNode]) -> set[CallNode]:
    """Return what samples before a node; a delay comes before all and waits for none."""
    if isinstance(parts[node.part].what, Delay):
        return set()
    first = {k for _, (k, out) in _sources(links, node) if parts[k].samples(out)}
    return {other for other in sampled if other.part in first}


def _pushes(part: Member, outs: Iterable[str]) -> bool:
    return any(isinstance(part.what.fields[name], Push) for name in outs)


def _feels(part: Member, ins: Iterable[str]) -> bool:
    """Return whether some inputs are accelerations."""
    found = (part.what.fields[name] for name in ins)
    return any(isinstance(field, Look) and field.quantity in FELT for field in found)


def _downstream(depends: Depends, root: CallNode) -> set[CallNode]:
    """Return all that depends on one."""
    found: set[CallNode] = set()
    todo = [root]
    while todo:
        j = todo.pop()
        new = {k for k, on in depends.items() if j in on} - found - {VEHICLE}
        found |= new
        todo += new
    return found


def _rank(parts: list[Member], node: CallNode) -> tuple:
    """Return where a node stands among those that wait for nothing: delays, sensors, the rest as added."""
    if node == VEHICLE:
        return 3, 0, []
    what = parts[node.part].what
    sees = any(isinstance(field, Look) for field in what.fields.values())
    return (0 if isinstance(what, Delay) else 1 if sees else 2), node.part, sorted(node.outs)


def _line(depends: Depends, parts: list[Member]) -> list[CallNode]:
    """Return an order, lowest rank first among those that are ready."""
    sorter = graphlib.TopologicalSorter(depends)
    sorter.prepare()
    line: list[CallNode] = []
    ready: list[CallNode] = []
    while sorter.is_active():
        ready += sorter.get_ready()
        ready.sort(key=lambda node: _rank(parts, node))
        line.append(ready.pop(0))
        sorter.done(line[-1])
    return line


def _calls(line: Iterable[CallNode]) -> list[int]:
    """Return the parts of a line, those that follow themselves once."""
    found: list[int] = []
    for node in line:
        if not found or found[-1] != node.part:
            found.append(node.part)
    return found


# words --------------------------------------------------------------------------------------------------


def _cut(ring: list[CallNode]) -> str:
    cut = "put a state or a sampled device in between"
    return (
        f"it goes through the vehicle, an acceleration becomes a force at once: {cut}"
        if VEHICLE in ring
        else cut
    )


def _named(ring: list[CallNode], parts: list[Member], links: Links) -> str:
    """Return a ring port by port, as signals flow; what only copies between ports is not named."""
    # graphlib lists each node before the one that waits for it, the first once more at the end
    ends = [node for node in ring[:-1] if node == VEHICLE or not _copies(parts[node.part])]
    begin = ring.index(ends[0])
    turned = [*ring[begin:-1], *ring[: begin + 1]]
    words, source = [], ""
    for a, b in pairwise(turned):
        out, into = _wire(a, b, parts, links)
        source = source or out
        if b == VEHICLE or not _copies(parts[b.part]):
            words.append(f"{source} → {into}")
            source = ""
    return ", ".join(words)


def _copies(part: Member) -> bool:
    return isinstance(part.what, Copy | HeldCopy)


def _wire(a: CallNode, b: CallNode, parts: list[Member], links: Links) -> tuple[str, str]:
    """Return the names of an output of one node and of the input of another that it leads to."""
    if a == VEHICLE:
        felt = [name for name in sorted(b.ins) if _feels(parts[b.part], [name])]
        return "the vehicle", f"{parts[b.part].path}.{felt[0]}"
    path = parts[a.part].path
    if b == VEHICLE:
        pushes = [name for name in sorted(a.outs) if _pushes(parts[a.part], [name])]
        return f"{path}.{pushes[0]}", "the vehicle"
    for name, (k, out) in _sources(links, b):
        if k == a.part and out in a.outs:
            return f"{path}.{out}", f"{parts[b.part].path}.{name}"
    return path, parts[b.part].path
