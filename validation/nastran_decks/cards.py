"""Small helpers to write decks as text in the free-field format."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise

Point = Sequence[float]


def deck(sol: int, case: Iterable[str], *bulk: str | Iterable[str]) -> str:
    """A whole deck: solution number, case control and bulk data (cards or lists of cards)."""
    lines = [f"SOL {sol}", "CEND", *case, "BEGIN BULK"]
    for part in bulk:
        lines += [part] if isinstance(part, str) else list(part)
    return "\n".join([*lines, "ENDDATA", ""])


def grids(points: Mapping[int, Point], cp: int | str = "", cd: int | str = "") -> list[str]:
    """GRID cards of points {id: (x, y, z)}, positions in system cp, displacements in system cd."""
    return [f"GRID,{i},{cp},{_real(x)},{_real(y)},{_real(z)},{cd}" for i, (x, y, z) in points.items()]


def chain(name: str, first: int, pid: int, nodes: Sequence[int], v: str = "0.,1.,0.") -> list[str]:
    """Line elements from node to node, numbered from `first`, with the orientation `v`."""
    return [f"{name},{first + k},{pid},{a},{b},{v}" for k, (a, b) in enumerate(pairwise(nodes))]


def lattice(nx: int, ny: int, dx: float, dy: float) -> dict[int, Point]:
    """Points 1.. of a flat grid of (nx + 1)(ny + 1) points, x fastest."""
    return {
        1 + i + (nx + 1) * j: (_round(dx * i), _round(dy * j), 0.0)
        for j in range(ny + 1)
        for i in range(nx + 1)
    }


def quads(nx: int, ny: int, pid: int) -> list[str]:
    """CQUAD4 cards that cover a `lattice`, numbered from 1."""
    out = []
    for j in range(ny):
        for i in range(nx):
            a = 1 + i + (nx + 1) * j
            out.append(f"CQUAD4,{1 + i + nx * j},{pid},{a},{a + 1},{a + nx + 2},{a + nx + 1}")
    return out


def listed(head: str, items: Iterable[int]) -> list[str]:
    """A card whose head is followed by many integers, eight fields a line."""
    items = list(items)
    room = 9 - len(head.split(","))
    out = [",".join([head, *map(str, items[:room])])]
    for k in range(room, len(items), 8):
        out.append("," + ",".join(map(str, items[k : k + 8])))
    return out


def _real(value: float) -> str:
    return repr(float(value))


def _round(value: float) -> float:
    return round(value, 12)
