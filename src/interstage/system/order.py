"""In which order devices run, and the loops that forbid one.

An output depends on the inputs that `outputs` reads, a force moves the vehicle, an acceleration depends on all forces.
A cycle of these is an algebraic loop; it is named port by port. Samples at one tick depend on each other in the same
way; a declared delay cuts such a cycle.
"""

from __future__ import annotations

import graphlib
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise

from interstage.errors import InputError
from interstage.system.assembly import Part
from interstage.system.between_ports import Delay, Links
from interstage.system.device import read, written
from interstage.system.law import Law
from interstage.system.ports import Look, Push

VEHICLE = -1


@dataclass(frozen=True)
class Flow:
    """Parts in the order of the passes; `sample_feels`: a sample needs accelerations."""

    before: list[int]
    after: list[int]
    sampled: list[int]
    sample_feels: bool


def ordered(parts: list[Part], links: Links, feelers: dict[int, set[str]]) -> Flow:
    """Return the order of all functions, or name the loop that has none."""
    continuous = {k for k, part in enumerate(parts) if _has(part, "outputs")}
    sampled = {k for k, part in enumerate(parts) if _has(part, "sample")}
    depends = {k: {j for j, _ in _instant(parts, links, k)} for k in sorted(continuous)}
    for k in continuous:
        if "outputs" in feelers.get(k, ()):
            depends[k].add(VEHICLE)
    depends[VEHICLE] = {k for k in continuous if _pushes(parts[k])}
    line = _line(depends, parts, links, "an algebraic loop", continuous)
    after = _downstream(depends, VEHICLE)
    samples = {k: _held(parts, links, k) for k in sorted(sampled)}
    feels = any("sample" in feelers.get(k, ()) for k in sampled) or any(
        j in after for k in sampled for j, _ in _sources(parts, links, k, "sample")
    )
    return Flow(
        [k for k in line if k != VEHICLE and k not in after],
        [k for k in line if k in after],
        _line(samples, parts, links, "a loop of samples at one tick", sampled),
        feels,
    )


def _has(part: Part, function: str) -> bool:
    if isinstance(part.what, Law):
        return (part.every is None) == (function == "outputs")
    return function in part.what.functions


def _sources(parts: list[Part], links: Links, k: int, function: str) -> Iterable[tuple[int, str]]:
    """Yield (part, output) of all that a function reads."""
    what = parts[k].what
    names = what.ins if isinstance(what, Law) else read(type(what), function)
    for name in sorted(names):
        for link in links.get((k, name), ()):
            yield link.part, link.out


def _instant(parts: list[Part], links: Links, k: int) -> list[tuple[int, str]]:
    return [(j, out) for j, out in _sources(parts, links, k, "outputs") if not parts[j].samples(out)]


def _held(parts: list[Part], links: Links, k: int) -> set[int]:
    """Return the parts whose samples come before those of a part; a delay comes before all and waits for none."""
    if isinstance(parts[k].what, Delay):
        return set()
    return {j for j, out in _sources(parts, links, k, "sample") if parts[j].samples(out)}


def _pushes(part: Part) -> bool:
    if isinstance(part.what, Law):
        return False
    outs = written(type(part.what), "outputs")
    return any(isinstance(field, Push) and name in outs for name, field in part.what.fields.items())


def _downstream(depends: dict[int, set[int]], root: int) -> set[int]:
    """Return all that depends on one."""
    found: set[int] = set()
    todo = [root]
    while todo:
        j = todo.pop()
        new = {k for k, on in depends.items() if j in on} - found - {VEHICLE}
        found |= new
        todo += new
    return found


def _rank(parts: list[Part], k: int) -> tuple[int, int]:
    """Return where a part stands among those that wait for nothing: delays, sensors, the rest as added."""
    if k == VEHICLE:
        return 3, 0
    what = parts[k].what
    sees = any(isinstance(field, Look) for field in what.fields.values())
    return (0 if isinstance(what, Delay) else 1 if sees else 2), k


def _line(
    depends: dict[int, set[int]], parts: list[Part], links: Links, what: str, among: set[int]
) -> list[int]:
    """Return an order, lowest rank first among those that are ready."""
    sorter = graphlib.TopologicalSorter(depends)
    try:
        sorter.prepare()
    except graphlib.CycleError as err:
        cycle = list(err.args[1])
        raise InputError(
            f"there is {what}",
            got=_named(cycle, parts, links),
            hint="declare a delay on one of the wires" if "samples" in what else _cut(cycle),
        ) from None
    line, ready = [], []
    while sorter.is_active():
        ready += sorter.get_ready()
        ready.sort(key=lambda k: _rank(parts, k))
        first = ready.pop(0)
        line.append(first)
        sorter.done(first)
    return [k for k in line if k == VEHICLE or k in among]


def _cut(cycle: list[int]) -> str:
    cut = "put a state or a sampled device in between"
    return (
        f"it goes through the vehicle, an acceleration becomes a force at once: {cut}"
        if VEHICLE in cycle
        else cut
    )


def _named(cycle: list[int], parts: list[Part], links: Links) -> str:
    """Return a cycle port by port, as signals flow."""
    words = []
    # graphlib lists each node before the one that waits for it
    for a, b in pairwise(cycle):
        if a == VEHICLE:
            felt = [
                n
                for n, f in parts[b].what.fields.items()
                if isinstance(f, Look) and "acceleration" in f.quantity
            ]
            words.append(f"the vehicle → {parts[b].path}.{felt[0]}")
        elif b == VEHICLE:
            push = [n for n, f in parts[a].what.fields.items() if isinstance(f, Push)]
            words.append(f"{parts[a].path}.{push[0]} → the vehicle")
        else:
            words.append(_wire(a, b, parts, links))
    return ", ".join(words)


def _wire(a: int, b: int, parts: list[Part], links: Links) -> str:
    for (k, name), found in links.items():
        for link in found:
            if k == b and link.part == a:
                return f"{parts[a].path}.{link.out} → {parts[b].path}.{name}"
    return f"{parts[a].path} → {parts[b].path}"
