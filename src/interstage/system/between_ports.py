"""Small devices between ports: copies that join and convert, and delays; and the links that remain."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from interstage.errors import InputError
from interstage.system.assembly import Assembly, Part
from interstage.system.device import Device
from interstage.system.followed import NO_CHANGES, Changes
from interstage.system.law import Law
from interstage.system.local_ambient import with_local_ambient
from interstage.system.ports import Discrete, In, Integer, Look, Out, Parameter
from interstage.system.wires import Piece


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

    depth = Integer()
    u = In("", "k")
    y = Out("", "k")
    line = Discrete("", ("m", "k"))

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
) -> tuple[list[Part], Links, list[tuple[int, str]]]:
    """Return the parts with those that wires need, what each input is linked to, and inputs without a wire.

    cut : inputs whose wires are left out;  apart : inputs that share no slot with what is wired to them
    changes : of the vehicle, by events
    """
    parts, all_pieces = with_local_ambient(assembly.parts(), assembly.pieces(), assembly.vehicle, changes)
    originals = {part.path: part.like for part in parts if part.like}
    number = {part.path: k for k, part in enumerate(parts)}
    links: Links = {}
    wired: dict[str, list[Piece]] = {}
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


def said_by(parts: list[Part], links: Links, link: Link) -> Link:
    """Return the link behind copies and delays: from what says the numbers."""
    while isinstance(parts[link.part].what, Copy | HeldCopy | Delay):
        link = links[link.part, "u"][0]
    return link


def _checked(part: Part, name: str, target: str, pieces: list[Piece]) -> int:
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


def _copy(parts: list[Part], source: int, out: str, piece: Piece) -> int:
    """Add a part that writes a piece of an input; return its number."""
    origin, held = parts[source], parts[source].samples(out)
    kind = HeldCopy if held else Copy
    made = kind(k=piece.count, factor=piece.factor, y=piece.factor * _start(origin, out, piece))
    every, offset = (origin.every, origin.offset) if held else (None, Fraction(0))
    parts.append(Part(f"{piece.source}[{piece.first}] > {piece.target}[{piece.at}]", made, every, offset))
    return len(parts) - 1


def _sampled(parts: list[Part], source: int, out: str, piece: Piece) -> int:
    """Add a part that samples a piece of a continuous output; return its number."""
    made = HeldCopy(k=piece.count, y=_start(parts[source], out, piece))
    name = f"{piece.source}[{piece.first}] > {piece.target}[{piece.at}] every {piece.every} s"
    parts.append(Part(name, made, piece.every, Fraction(0)))
    return len(parts) - 1


def _delayed(parts: list[Part], source: int, out: str, piece: Piece) -> int:
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
    parts.append(Part(name, held, origin.every, origin.offset + rest))
    return len(parts) - 1


def _start(part: Part, out: str, piece: Piece) -> np.ndarray:
    """Return what a piece of an output is before its first sample."""
    if isinstance(part.what, Law):
        return np.zeros(piece.count)
    return np.atleast_1d(part.what.value_of(out))[piece.first : piece.first + piece.count]
