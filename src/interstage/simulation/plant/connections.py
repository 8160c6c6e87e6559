"""Connections: which numbers of an output go to which of an input, and what reaches devices without a wire.

Wires as pieces: which numbers of an output go to which numbers of an input.

A pattern matches a path part by part: "pod*.gimbal" is "pod1.gimbal", and not "pod1.tvc.gimbal".

What surrounds all devices (altitude, air density, the sun) reaches those that ask for it without a wire.

An output that says `ambient="air density"` is wired to every input that says the same, unless the input is wired or was
given a value. Of several outputs of one kind an input takes that of its own group, or of the nearest group around it:
two spacecraft with an atmosphere each do not mix them. Two that are equally near are a question for a wire. What the
one `Earth` of several vehicles says is said at each of them (`connection_blocks`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING

from interstage.errors import InputError
from interstage.simulation.plant.declarations import ANY, In, Out
from interstage.simulation.plant.python_block import Law
from interstage.units import check_unit

if TYPE_CHECKING:
    from interstage.simulation.plant.assembly import Port


Slice = tuple[int, int] | None
_SLICE = re.compile(r"(.*?)\[\s*(\d+)\s*(?::\s*(\d+)\s*)?\]\s*")


@dataclass(frozen=True)
class ConnectionPiece:
    """`count` numbers of an output, from `first` on, to an input from `at` on (count None: all of both).

    factor : from the unit of the output to that of the input;  delay : seconds
    every : period at which it is sampled on the way, None where it is sampled or not at all
    ambient : nobody has drawn it: it brings what is around its target
    """

    source: str
    first: int
    target: str
    at: int
    count: int
    factor: float = 1.0
    delay: Fraction = Fraction(0)
    every: Fraction | None = None
    ambient: bool = False

    def overlaps(self, other: ConnectionPiece) -> bool:
        """Return whether two pieces write the same numbers of one input."""
        return self.at < other.at + other.count and other.at < self.at + self.count


def split_slice(text: str) -> tuple[str, Slice]:
    """Return a name and the part of it that is meant.

    >>> split_slice("imu.rate[2]"), split_slice("imu.rate[0:2]"), split_slice("imu.rate")
    (('imu.rate', (2, 3)), ('imu.rate', (0, 2)), ('imu.rate', None))
    """
    match = _SLICE.fullmatch(text)
    if match is None:
        return text.strip(), None
    first = int(match[2])
    return match[1].strip(), (first, first + 1 if match[3] is None else int(match[3]))


@lru_cache(maxsize=1024)
def _parts(pattern: str) -> tuple[str, ...]:
    return tuple(pattern.split("."))


def matches(pattern: str, name: str) -> bool:
    """Return whether a name fits a pattern, part by part; `**` at the end fits any rest.

    >>> matches("pod*.gimbal", "pod1.gimbal"), matches("pod*", "pod1.gimbal"), matches("pod*.**", "pod1.tvc.angle")
    (True, False, True)
    """
    wanted, found = _parts(pattern), tuple(name.split("."))
    if wanted[-1] == "**":
        wanted = wanted[:-1]
        found = found[: len(wanted)] if len(found) > len(wanted) else ()
    return len(wanted) == len(found) and all(fnmatchcase(f, w) for w, f in zip(wanted, found))


def matching(pattern: str, names: Iterable[str]) -> list[str]:
    """Return the names that fit a pattern, in their order; a plain name fits itself."""
    if not any(c in pattern for c in "*?["):
        return [pattern] if pattern in names else []
    return [name for name in names if matches(pattern, name)]


def _window(port: Port, part: Slice) -> tuple[int, int | None]:
    """Return where the meant part of a port begins and how long it is."""
    if part is None:
        return 0, port.size
    first, stop = part
    if first >= stop or (port.size is not None and stop > port.size):
        raise InputError(
            f"'{port.name}' has no [{first}:{stop}]",
            expected=f"within its {port.size} numbers" if port.size is not None else "a part of something",
        )
    return first, stop - first


def pieces_of(
    sources: Sequence[Port], targets: Sequence[Port], source_part: Slice, target_part: Slice
) -> list[ConnectionPiece]:
    """Return the pieces of a wire: one to one, one to many (split, or all to each), many to one (joined), pairs."""
    if len(sources) == len(targets) > 1 and all(b.size in (None, a.size) for a, b in zip(sources, targets)):
        return [p for a, b in zip(sources, targets) for p in pieces_of([a], [b], source_part, target_part)]
    run = []  # (port, first, count): the numbers of all sources in order
    for port in sources:
        first, count = _window(port, source_part)
        run.append((port, first, int(count or 1)))
    total = sum(count for _, _, count in run)
    windows = [_window(port, target_part) for port in targets]
    sizes = [total if count is None else count for _, count in windows]
    if all(size == total for size in sizes):
        cuts = [0] * len(targets)
    elif sum(sizes) == total:
        cuts = [sum(sizes[:k]) for k in range(len(sizes))]
    else:
        raise InputError(
            "the sizes do not fit",
            where=f"wire from {_named(sources)} to {_named(targets)}",
            expected=" + ".join(map(str, sizes)) + " numbers",
            got=str(total),
        )
    found = []
    for port, (at, _), size, cut in zip(targets, windows, sizes, cuts):
        found += _cut(run, cut, size, port, at)
    return found


def _cut(run: list, cut: int, size: int, target: Port, at: int) -> list[ConnectionPiece]:
    """Return the pieces that bring `size` numbers from `cut` on in a run of outputs to one input."""
    found, begin = [], 0
    for port, first, count in run:
        low, high = max(cut, begin), min(cut + size, begin + count)
        if low < high:
            factor = _factor(port, target)
            piece = ConnectionPiece(
                port.name, first + low - begin, target.name, at + low - cut, high - low, factor
            )
            found.append(piece)
        begin += count
    return found


def _factor(source: Port, target: Port) -> float:
    """Return the factor between the units of two ports, 1 where the input does not say any."""
    if target.shape is None or ANY in (source.field.unit, target.field.unit):
        return 1.0
    return check_unit(source.field.unit, target.field.unit, f"wire from '{source.name}' to '{target.name}'")


def _named(ports: Sequence[Port]) -> str:
    names = [f"'{port.name}'" for port in ports[:4]]
    return ", ".join(names) + (", …" if len(ports) > 4 else "")


def ambient_pieces(ports: Mapping[str, Port], wired: Sequence[ConnectionPiece]) -> list[ConnectionPiece]:
    """Return the wires that nobody has to draw; see the module."""
    givers: dict[str, list[Port]] = {}
    for port in ports.values():
        if isinstance(port.field, Out) and port.field.ambient is not None:
            givers.setdefault(port.field.ambient, []).append(port)
    taken = {piece.target for piece in wired}
    found = []
    for name, port in ports.items():
        if not isinstance(port.field, In) or port.field.ambient not in givers or name in taken:
            continue
        if isinstance(port.part.what, Law) or port.part.what.is_set(port.field.name):
            continue
        sources = _nearest(givers[port.field.ambient], name)
        if len(sources) > 1:
            raise InputError(
                f"'{name}' is {port.field.ambient}, and several devices say it",
                got=", ".join(source.name for source in sources),
                hint="wire one",
            )
        where = f"from '{sources[0].name}' to '{name}'"
        if sources[0].size != port.size:
            raise InputError(
                "the sizes do not fit", where=where, expected=str(port.size), got=str(sources[0].size)
            )
        factor = check_unit(sources[0].field.unit, port.field.unit, where)
        found.append(ConnectionPiece(sources[0].name, 0, name, 0, int(port.size or 1), factor, ambient=True))
    return found


def _nearest(sources: list[Port], name: str) -> list[Port]:
    """Return the outputs in the innermost of the groups that an input is in; all where none is in such a group."""
    groups = {source.name: source.part.path.rpartition(".")[0] for source in sources}
    around = [s for s in sources if not groups[s.name] or name.startswith(groups[s.name] + ".")]
    deepest = max((len(groups[s.name]) for s in around), default=0)
    return [s for s in around if len(groups[s.name]) == deepest] or sources
