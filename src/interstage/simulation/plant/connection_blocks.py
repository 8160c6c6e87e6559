"""Small devices on connections: copies, conversions and delays, and what surrounds each vehicle.

Small devices between ports: copies that join and convert, and delays; and the links that remain.

What surrounds a device is what surrounds the vehicle that it is on.

A device that says what is around it (`Earth`, and the `Atmosphere` and the fields that follow from it) stands at one
vehicle. Where a device on another one asks for that, by ambient ports, the plan has copies of all that says it, with
their place there: the air of the second spacecraft, of a stage that has left. Copies share the parameters of what they
are copies of, what is wired to it and its noise; they act on nothing. A vehicle is all that hangs together, in a run
whatever hangs together then: the place of a copy is the body on nothing that carries who asks.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TypeAlias

import numpy as np

from interstage.errors import InputError
from interstage.multibody import System
from interstage.multibody.loads import split_place
from interstage.multibody.operating_point import NO_CHANGES, Changes
from interstage.simulation.plant.assembly import Assembly, Member
from interstage.simulation.plant.connections import ConnectionPiece
from interstage.simulation.plant.declarations import (
    DiscreteState,
    In,
    IntegerState,
    JointRef,
    Look,
    Out,
    Parameter,
    Site,
    Sites,
)
from interstage.simulation.plant.device import Device
from interstage.simulation.plant.moved_sites import Carrier
from interstage.simulation.plant.python_block import Law


class Copy(Device):
    """y = factor u, at every instant."""

    factor = Parameter("", 1.0)
    u = In("", "k")
    y = Out("", "k")

    def outputs(d, t):
        for i in range(len(d.y)):
            d.y[i] = d.factor * d.u[i]


class HeldCopy(Device):
    """y = factor u, when u is sampled."""

    factor, u, y = Parameter("", 1.0), In("", "k"), Out("", "k")
    sample = Copy.outputs


class Delay(Device):
    """y is what u was `depth` samples ago, beside the one that runs: it samples before all others."""

    depth = IntegerState()
    u = In("", "k")
    y = Out("", "k")
    line = DiscreteState("", ("m", "k"))

    def sample(d, t):
        for i in range(len(d.y)):
            new = d.u[i]
            for j in range(d.depth):
                last = d.line[d.depth - 1 - j, i]
                d.line[d.depth - 1 - j, i] = new
                new = last
            d.y[i] = new


@dataclass(frozen=True)
class Link:
    """`count` numbers of an output of a part, from `first` on, that go to an input from `at` on.

    whole : the input is nothing else, and shares the slot; otherwise the part is a copy that writes there
    """

    part: int
    out: str
    first: int
    at: int
    count: int
    whole: bool


Links = dict[tuple[int, str], list[Link]]


def between(
    assembly: Assembly, cut: Collection[str] = (), apart: Collection[str] = (), changes: Changes = NO_CHANGES
) -> tuple[list[Member], Links, list[tuple[int, str]]]:
    """Return the parts with those that wires need, what each input is linked to, and inputs without a wire.

    cut : inputs whose wires are left out;  apart : inputs that share no slot with what is wired to them
    changes : of the vehicle, by events
    """
    parts, all_pieces = with_local_ambient(assembly.parts(), assembly.pieces(), assembly.vehicle, changes)
    originals = {part.path: part.like for part in parts if part.like}
    number = {part.path: k for k, part in enumerate(parts)}
    links: Links = {}
    wired: dict[str, list[ConnectionPiece]] = {}
    for piece in all_pieces:
        path, _, name = piece.target.rpartition(".")
        if f"{originals.get(path, path)}.{name}" in cut:
            continue
        wired.setdefault(piece.target, []).append(piece)
    for target, pieces in wired.items():
        path, name = target.rsplit(".", 1)
        k = number[path]
        size = _checked(parts[k], name, target, pieces)
        found = []
        for piece in sorted(pieces, key=lambda p: p.at):
            source_path, out = piece.source.rsplit(".", 1)
            source = number[source_path]
            late = piece.delay + (parts[source].delay if parts[source].samples(out) else 0)
            piece = replace(piece, delay=late)
            whole = piece.factor == 1.0 and piece.at == 0 and piece.count == size and target not in apart
            for needed, add in ((piece.every, _sampled), (late, _delayed), (not whole, _copy)):
                if needed:
                    new = add(parts, source, out, piece)
                    links[new, "u"] = [Link(source, out, piece.first, 0, piece.count, True)]
                    source, out, piece = new, "y", replace(piece, first=0)
            found.append(Link(source, out, piece.first, piece.at, piece.count, whole))
        links[k, name] = found
    unwired = [
        (k, name)
        for k, part in enumerate(parts)
        for name, field in part.what.fields.items()
        if isinstance(field, In) and not isinstance(field, Look) and (k, name) not in links
    ]
    return parts, links, unwired


def said_by(parts: list[Member], links: Links, link: Link) -> Link:
    """Return the link behind copies and delays: from what says the numbers."""
    while isinstance(parts[link.part].what, Copy | HeldCopy | Delay):
        link = links[link.part, "u"][0]
    return link


def _checked(part: Member, name: str, target: str, pieces: list[ConnectionPiece]) -> int:
    """Return the size of an input, every number of which has one writer."""
    shape = part.what.shape_of(name)
    size = max(p.at + p.count for p in pieces) if shape is None else (shape[0] if shape else 1)
    writer: list[str | None] = [None] * size
    for piece in pieces:
        for i in range(piece.at, piece.at + piece.count):
            if writer[i] is not None:
                raise InputError(
                    f"'{target}' has two writers", got=f"{writer[i]} and {piece.source}", hint="wire one"
                )
            writer[i] = piece.source
    if None in writer:
        raise InputError(f"nothing is wired to '{target}[{writer.index(None)}]'", hint="wire all of it")
    return size


def _copy(parts: list[Member], source: int, out: str, piece: ConnectionPiece) -> int:
    """Add a part that writes a piece of an input; return its number."""
    origin, held = parts[source], parts[source].samples(out)
    kind = HeldCopy if held else Copy
    made = kind(k=piece.count, factor=piece.factor, y=piece.factor * _start(origin, out, piece))
    every, offset = (origin.every, origin.offset) if held else (None, Fraction(0))
    parts.append(Member(f"{piece.source}[{piece.first}] > {piece.target}[{piece.at}]", made, every, offset))
    return len(parts) - 1


def _sampled(parts: list[Member], source: int, out: str, piece: ConnectionPiece) -> int:
    """Add a part that samples a piece of a continuous output; return its number."""
    made = HeldCopy(k=piece.count, y=_start(parts[source], out, piece))
    name = f"{piece.source}[{piece.first}] > {piece.target}[{piece.at}] every {piece.every} s"
    parts.append(Member(name, made, piece.every, Fraction(0)))
    return len(parts) - 1


def _delayed(parts: list[Member], source: int, out: str, piece: ConnectionPiece) -> int:
    """Add a part that holds a piece of a sampled output back; return its number.

    It samples as its source does, before it, so that it sees the sample before; what is left of the delay beside whole
    periods is an offset.
    """
    origin = parts[source]
    assert origin.every is not None
    whole, rest = divmod(piece.delay, origin.every)
    depth = int(whole) if rest else int(whole) - 1
    start = _start(origin, out, piece)
    held = Delay(k=piece.count, m=max(depth, 1), depth=depth, y=start, line=[start] * max(depth, 1))
    name = f"{piece.source}[{piece.first}] > {piece.target}[{piece.at}] after {piece.delay} s"
    parts.append(Member(name, held, origin.every, origin.offset + rest))
    return len(parts) - 1


def _start(part: Member, out: str, piece: ConnectionPiece) -> np.ndarray:
    """Return what a piece of an output is before its first sample."""
    if isinstance(part.what, Law):
        return np.zeros(piece.count)
    return np.atleast_1d(part.what.value_of(out))[piece.first : piece.first + piece.count]


Tree: TypeAlias = tuple[str, tuple[str, ...]]
"""The body on nothing that carries a place at the start, and what it leaves that with."""


def with_local_ambient(
    parts: Sequence[Member], pieces: Sequence[ConnectionPiece], vehicle: System | None, changes: Changes
) -> tuple[list[Member], list[ConnectionPiece]]:
    """Return parts and wires with the copies that other vehicles need; see the module."""
    asked = [piece for piece in pieces if piece.ambient]
    several = vehicle is not None and sum(spec.parent is None for spec in vehicle.model.specs) > 1
    if not asked or vehicle is None or not (several or changes.parting or changes.heirs):
        return list(parts), list(pieces)
    return _Copies(parts, pieces, vehicle, changes).made()


class _Copies:
    """Copies of what surrounds vehicles, while they are made."""

    def __init__(
        self, parts: Sequence[Member], pieces: Sequence[ConnectionPiece], vehicle: System, changes: Changes
    ):
        self.vehicle, self.changes = vehicle, changes
        self.parts = {part.path: part for part in parts}
        self.pieces = list(pieces)
        self.into: dict[str, list[ConnectionPiece]] = {}
        for piece in pieces:
            self.into.setdefault(_path(piece.target), []).append(piece)
        self.known: dict[tuple[str, Tree], bool] = {}
        self.copies: dict[tuple[str, Tree], str] = {}

    def made(self) -> tuple[list[Member], list[ConnectionPiece]]:
        """Return parts and wires, each device that asks wired to what is around its own vehicle."""
        found = []
        for piece in list(self.pieces):
            carrier = self._carrier(self.parts[_path(piece.target)]) if piece.ambient else None
            source = _path(piece.source)
            if carrier is None or not self._elsewhere(source, self._tree(carrier)):
                found.append(piece)
                continue
            copied = self._copy(source, carrier)
            found.append(replace(piece, source=f"{copied}.{_port(piece.source)}"))
        return list(self.parts.values()), found + self.pieces[len(found) :]

    def _carrier(self, part: Member) -> Carrier | None:
        """Return the place of a part by the body that carries it; that of its group where it has none."""
        own = {name: one for name, one in part.what.places.items() if isinstance(one, Site | JointRef)}
        for name in sorted(own, key=lambda name: isinstance(own[name], Sites)):  # a place before several
            given = part.place_of(name)
            return _first(given[0] if isinstance(given, list) and isinstance(own[name], Sites) else given)
        return None if part.root is None else Carrier(part.root)

    def _tree(self, at: Carrier) -> Tree:
        """Return what carries a place: two places of one such tree are together all the time."""
        body, node, away = at.body, at.node, []
        while True:
            heir = None if node is None else self.changes.heirs.get((body, node))
            away += [] if heir is None else [heir[0]]
            away += [body] if body in self.changes.parting else []
            spec = self.vehicle.model.spec(body)
            if spec.parent is None:
                return body, tuple(away)
            body, node = spec.parent, int(spec.at) if isinstance(spec.at, int | np.integer) else None

    def _elsewhere(self, path: str, tree: Tree) -> bool:
        """Return whether what a part says is of another vehicle."""
        key = path, tree
        if key not in self.known:
            self.known[key] = False  # a ring of devices depends on no place by itself
            part = self.parts[path]
            if isinstance(part.what, Device) and not part.like:
                own = [place for place in part.what.places.values() if isinstance(place, Site | JointRef)]
                if all(isinstance(place, Site) and place.root for place in own):
                    carrier = self._carrier(part) if own else None
                    self.known[key] = (carrier is not None and self._tree(carrier) != tree) or any(
                        self._elsewhere(_path(piece.source), tree) for piece in self.into.get(path, ())
                    )
        return self.known[key]

    def _copy(self, path: str, carrier: Carrier) -> str:
        """Return the path of what says at a place what a part says at its own."""
        tree = self._tree(carrier)
        if (path, tree) not in self.copies:
            words = " and ".join([tree[0], *tree[1]])
            name = self.copies[path, tree] = f"{path} > around {words.replace('.', ':')}"
            part = self.parts[path]
            assert isinstance(part.what, Device)
            what = part.what.elsewhere(carrier)
            self.parts[name] = replace(part, path=name, what=what, scope="", like=path)
            for piece in self.into.get(path, ()):
                source = _path(piece.source)
                if self._elsewhere(source, tree):
                    piece = replace(piece, source=f"{self._copy(source, carrier)}.{_port(piece.source)}")
                self.pieces.append(replace(piece, target=f"{name}.{_port(piece.target)}"))
        return self.copies[path, tree]


def _path(port: str) -> str:
    return port.rpartition(".")[0]


def _port(port: str) -> str:
    return port.rpartition(".")[2]


def _first(place: object) -> Carrier | None:
    """Return who carries a place, None where there is none."""
    if place is None:
        return None
    body, node = split_place(tuple(place) if isinstance(place, list) else place)
    return Carrier(body, int(node) if isinstance(node, int | np.integer) else None)
