"""Parts of a model (superelements) from cards.

Secondary superelements of a deck (CSUPER): copies of a part at points of the residual structure.

NASTRAN gives the reduced matrices of the primary superelement to the points of the card, component by component. The
copy is therefore turned as the displacement axes of those points are against those of the primary's exterior points;
the points must lie as that turn says.

Part superelements of a deck (BEGIN SUPER): where each stands, and which points they share.

Grids of two parts, or of a part and the residual structure (part 0), at one place are one point of the structure
(SEBULK METHOD AUTO, within TOL), as far as SEBNDRY and SEEXCLD let them; SECONCT names pairs of points itself. SELOC
carries a part so that three of its points lie on three of the residual structure; SEMPLN gives the plane in which a
part of type MIRROR is the image of another; CSUPER puts a copy of a part at points of the residual structure. A part of
type EXTERNAL, EXTOP2 or EXTOP4 is given by its matrices, as EXTSEOUT writes them.
"""

from __future__ import annotations

from collections.abc import Iterator
from copy import copy
from dataclasses import dataclass, field
from functools import partial
from typing import NamedTuple

import numpy as np
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components
from scipy.spatial import cKDTree

from interstage.errors import DeckError, InputError, ModelError, known_names
from interstage.fem.from_deck.context import Context
from interstage.fem.from_deck.external import EXTERNAL, with_matrices
from interstage.fem.from_deck.mirrored import Mirror
from interstage.nastran import CardTable, Deck, expand_ids

ALIKE = 1e-3  # of the size of the boundary, that its points may lie aside; of axes, that they may differ


class Secondary(NamedTuple):
    """One CSUPER: a copy of part `primary` at `points` of the residual structure; row `i` of the table."""

    number: int
    primary: int
    points: list[int]
    table: CardTable
    i: int


def secondaries(deck: Deck) -> Iterator[Secondary]:
    """CSUPER: SSID, PSID, GP1, GP2, ..."""
    table, seen = deck.cards("CSUPER"), set(deck.parts)
    for i, row in enumerate(table.rows()):
        number, primary = [*row, None, None][:2]
        if not isinstance(number, int) or number < 1 or number in seen:
            raise table.error(i, "CSUPER does not name a new superelement", "a number that is not in use")
        seen.add(number)
        if not primary:
            raise table.error(
                i,
                "CSUPER of an external superelement is not supported",
                hint="give its matrices a section of their own (BEGIN SUPER) and SEBULK EXTERNAL",
            )
        if primary not in deck.parts:
            raise table.error(
                i,
                f"CSUPER copies superelement {primary}, which has no section (BEGIN SUPER = {primary})",
                hint="superelements that GRID cards name (SEID) are not cut out: give it a section of its own",
            )
        yield Secondary(number, primary, expand_ids(row[2:], partial(table.error, i)).tolist(), table, i)


def place(one: Secondary, main: Context, ctx: Context, exterior: list[int]) -> None:
    """Carry the copy to its points; `exterior`: those of the primary that others share, in ascending order."""
    table, i = one.table, one.i
    if len(exterior) != len(one.points):
        names = ", ".join(map(str, exterior)) or "none: nothing shares a point with it"
        raise table.error(
            i,
            f"CSUPER {one.number} does not name one point for each exterior point of superelement {one.primary}",
            expected=f"{len(exterior)} ({names})",
            got=str(len(one.points)),
        )
    mine, theirs = ctx.grids.find(np.array(exterior)), main.grids.find(np.array(one.points))
    scalar = main.grids.find_spoint(np.array(one.points)) >= 0
    wrong = np.flatnonzero(np.where(mine < 0, ~scalar, theirs < 0))
    if len(wrong):
        kind = "grid" if mine[wrong[0]] >= 0 else "scalar point"
        raise table.error(
            i, f"CSUPER refers to point {one.points[wrong[0]]}", f"a {kind} of the main bulk data"
        )
    mine, theirs = mine[mine >= 0], theirs[mine >= 0]
    if not len(mine):
        return
    here, there = ctx.grids.xyz[mine], main.grids.xyz[theirs]
    turns = main.grids.R_basic_cd[theirs] @ ctx.grids.R_basic_cd[mine].transpose(0, 2, 1)
    if np.abs(turns - turns[0]).max() > ALIKE:
        raise table.error(
            i,
            f"displacement axes (CD) at the points of CSUPER {one.number} are not turned alike",
            expected="one turn from those of the exterior points to those of the points",
            hint="give the points the same axes as those that they stand for, or repeat the part with SEBULK and SELOC",
        )
    shift = there[0] - turns[0] @ here[0]
    off = float(np.abs(here @ turns[0].T + shift - there).max())
    if off > ALIKE * float(np.ptp(here, axis=0).max()) + 1e-9:
        raise table.error(
            i,
            f"the points of CSUPER {one.number} do not lie as those of superelement {one.primary} do",
            expected="their places, turned as the displacement axes (CD) are",
            got=f"{off:.3g} apart",
            hint="list them in ascending order of the points that they stand for; for an image use SEBULK MIRROR",
        )
    ctx.move(turns[0], shift)


TOLERANCE = 1e-4  # of places, as runs of NX 2019 have it, where SEBULK and SECONCT give none
CONGRUENT = 1e-3  # of the size of the triangles that SELOC lays on each other

# PARAMs of the residual structure that hold for parts without their own
_SHARED = ("WTMASS", "COUPMASS", "K6ROT", "SNORM", "AUTOSPC")

Point = tuple[int, int]
"""Number of a part, and of one of its grids or scalar points."""


@dataclass(frozen=True)
class _Bulk:
    """One SEBULK, row `i` of its table: `automatic` search for shared points within `tolerance`; `kind` is its TYPE."""

    automatic: bool = True
    tolerance: float = TOLERANCE
    kind: str = "PRIMARY"
    i: int = 0


@dataclass
class Parts:
    """The residual structure (0) and the parts of a deck, each at its place, and what joins them.

    contexts : cards and geometry by number of the part
    shared : points of the structure that are points of several parts, the residual structure's first
    mirrors : planes of parts that are images; their contexts are those of the parts themselves
    external : parts that are given by matrices, whose QSET points are dofs of their own
    """

    contexts: dict[int, Context]
    shared: list[list[Point]] = field(default_factory=list)
    mirrors: dict[int, Mirror] = field(default_factory=dict)
    external: frozenset[int] = frozenset()

    def deck(self, number: int) -> Deck:
        """Deck of one part alone; 0 is the residual structure."""
        if number not in self.contexts:
            raise InputError(f"part {number} is not in the deck", hint=known_names(sorted(self.contexts)))
        if number in self.mirrors:
            raise InputError(
                f"part {number} is the image of another one",
                hint="make a component of the part that it repeats",
            )
        if number:
            return self.contexts[number].deck
        alone = copy(self.contexts[0].deck)
        alone.parts = {}
        return alone

    def boundary(self, number: int) -> dict[int, int]:
        """Grids of a part that others share, with all six components: the interface of its component."""
        grids = self.contexts[number].grids
        found = {point for group in self.shared for part, point in group if part == number}
        return {point: 123456 for point in sorted(found) if int(grids.find(point)) >= 0}


def read_parts(deck: Deck) -> Parts:
    """Place the parts of a deck and find the points that they share."""
    main = Context(deck)
    bulk = _read_bulk(deck)
    external = frozenset(number for number, one in bulk.items() if one.kind in EXTERNAL)
    decks = {0: deck, **deck.parts, **_repeated(deck)}
    decks |= {number: with_matrices(deck, number, bulk[number].i) for number in external}
    mirrors = _mirrors(main)
    contexts = {0: main}
    for number in sorted(decks.keys() - {0}):
        contexts[number] = ctx = Context(decks[number])
        _share_params(main, ctx, number)
        _locate(main, ctx, number)
    seen = dict(contexts)
    for number, mirror in mirrors.items():
        seen[number] = copy(contexts[number])
        seen[number].grids = mirror.grids(contexts[number].grids)
    pairs = [*_coincident(main.deck, seen, bulk), *_named(main.deck, seen)]
    for number, ctx, more in _copies(main, _groups(main, pairs), external):
        contexts[number] = ctx
        pairs += more
    _note_strays(main, contexts)
    if not pairs and len(contexts) > 1:
        main.notes.append("warning: no part shares a grid with another one: they are not joined")
    return Parts(contexts, _groups(main, pairs), mirrors, external)


def _copies(
    main: Context, shared: list[list[Point]], external: frozenset[int]
) -> Iterator[tuple[int, Context, list[tuple[Point, Point]]]]:
    """Secondary superelements (CSUPER): number, cards at their place, pairs of points that join them."""
    for one in secondaries(main.deck):
        if one.primary in external:
            raise one.table.error(
                one.i, "CSUPER copies an external superelement", hint="give the copy a section"
            )
        ctx = Context(main.deck.parts[one.primary])
        _share_params(main, ctx, one.number)
        exterior = sorted({point for group in shared for part, point in group if part == one.primary})
        place(one, main, ctx, exterior)
        yield one.number, ctx, [((one.number, a), (0, b)) for a, b in zip(exterior, one.points)]


def _note_strays(main: Context, contexts: dict[int, Context]) -> None:
    """Note cards about superelements that the deck does not have: they have no effect."""
    for name in ("SELOC", "SEBNDRY", "SEEXCLD", "SEMPLN"):
        table = main.deck.cards(name)
        for i, row in _rows(table):
            if row[0] not in contexts:
                main.notes.append(
                    f"warning: {name} ({table.where(i)}) names superelement {row[0]}, which is not in the deck"
                )


def _share_params(main: Context, ctx: Context, number: int) -> None:
    """A PARAM of the residual structure that a part does not give holds for it too, with a note."""
    for name in _SHARED:
        if name in main.params and name not in ctx.params:
            ctx.params[name] = main.params[name]
            main.notes.append(
                f"PARAM {name} of the main bulk data is taken for part {number} too; in NASTRAN it holds for all parts "
                "above the subcases of case control"
            )


def _rows(table: CardTable) -> Iterator[tuple[int, list]]:
    """Cards with the number of a superelement in front, and blanks behind."""
    for i, row in enumerate(table.rows()):
        if not row or not isinstance(row[0], int):
            raise table.error(i, f"{table.name} names no superelement", expected="a number in field 2")
        yield i, row + [None] * 8


def _read_bulk(deck: Deck) -> dict[int, _Bulk]:
    """SEBULK: SEID, TYPE, RSEID, METHOD, TOL, LOC, UNITNO."""
    table, out = deck.cards("SEBULK"), {}
    for i, row in _rows(table):
        number, kind, method = row[0], row[1] or "PRIMARY", row[3] or "AUTO"
        if kind not in ("PRIMARY", "REPEAT", "MIRROR", *EXTERNAL):
            raise table.error(
                i,
                f"SEBULK of type {kind} is not supported",
                f"PRIMARY, REPEAT, MIRROR, {', '.join(EXTERNAL[:-1])} or {EXTERNAL[-1]}",
                hint="write the part out, or give its matrices as DMIG or in an op4 file",
            )
        if kind not in ("REPEAT", "MIRROR") and number not in deck.parts:
            punched = "INCLUDE the punch file of its EXTSEOUT run (EXTBULK), which has that section"
            raise table.error(
                i,
                f"SEBULK names superelement {number}, which has no section (BEGIN SUPER = {number})",
                hint=punched if kind in EXTERNAL else known_names(sorted(deck.parts)),
            )
        if method not in ("AUTO", "MANUAL"):
            raise table.error(i, "METHOD of this SEBULK is not known", "AUTO or MANUAL", str(method))
        out[number] = _Bulk(method == "AUTO", _tolerance(table, i, row[4]), kind, i)
    return out


def _tolerance(table: CardTable, i: int, value: object) -> float:
    """TOL of a SEBULK or SECONCT."""
    if value is None:
        return TOLERANCE
    if not isinstance(value, int | float) or not value >= 0.0:
        raise table.error(i, f"TOL of this {table.name} is not possible", "a length", str(value))
    return float(value)


def _repeated(deck: Deck) -> dict[int, Deck]:
    """Decks of parts that repeat another one or are its image (SEBULK REPEAT, MIRROR), by number."""
    table, out = deck.cards("SEBULK"), {}
    for i, row in _rows(table):
        if row[1] in ("REPEAT", "MIRROR"):
            if row[2] not in deck.parts or row[0] in deck.parts:
                raise table.error(
                    i, f"SEBULK {row[0]} repeats part {row[2]}", "a new number, and one with a section"
                )
            out[row[0]] = deck.parts[row[2]]
    return out


def _mirrors(main: Context) -> dict[int, Mirror]:
    """Planes of parts of type MIRROR, by number: SEMPLN SEID, PLANE, P1, P2, P3."""
    bulk, planes = main.deck.cards("SEBULK"), main.deck.cards("SEMPLN")
    given = {row[0]: (i, row) for i, row in _rows(planes)}
    placed = {row[0] for _, row in _rows(main.deck.cards("SELOC"))}
    out = {}
    for i, row in _rows(bulk):
        if row[1] != "MIRROR":
            continue
        if row[0] not in given:
            raise bulk.error(
                i, f"part {row[0]} has no plane in which it is an image", hint="add a SEMPLN card"
            )
        if row[0] in placed:
            raise bulk.error(i, f"part {row[0]} is an image and has a SELOC, too", hint="give one of them")
        at, plane = given[row[0]]
        if plane[1] != "PLANE":
            raise planes.error(at, "this SEMPLN is not one of a plane", "PLANE in field 3", str(plane[1]))
        points = _places(planes, at, main, plane[2:5])
        out[row[0]] = Mirror(points[0], _triad(planes, at, points)[:, 2])
    return out


def _locate(main: Context, ctx: Context, number: int) -> None:
    """SELOC: SEID, PA1, PA2, PA3, PB1, PB2, PB3."""
    table = main.deck.cards("SELOC")
    for i, row in _rows(table):
        if row[0] != number:
            continue
        here, there = (_places(table, i, one, row[first : first + 3]) for one, first in ((ctx, 1), (main, 4)))
        frames = [_triad(table, i, points) for points in (here, there)]
        off = np.abs((here - here[0]) @ frames[0] - (there - there[0]) @ frames[1]).max()
        if off > CONGRUENT * np.ptp(there, axis=0).max():
            raise table.error(i, "the points of this SELOC do not lie alike", got=f"{off:.3g} apart")
        R = frames[1] @ frames[0].T
        ctx.move(R, there[0] - R @ here[0])


def _places(table: CardTable, i: int, ctx: Context, points: list) -> np.ndarray:
    rows = ctx.grids.find(np.array([p if isinstance(p, int) else -1 for p in points]))
    if (rows < 0).any():
        bad = points[int(np.argmax(rows < 0))]
        if not isinstance(bad, int):
            raise table.error(i, f"a grid of this {table.name} is missing", "three grids")
        raise table.error(i, f"{table.name} refers to grid {bad}, which is not in the deck")
    return ctx.grids.xyz[rows]


def _triad(table: CardTable, i: int, points: np.ndarray) -> np.ndarray:
    """Axes (3, 3) as columns of three points: x to the second, the third in the xy plane."""
    x, across = points[1] - points[0], points[2] - points[0]
    z = np.cross(x, across)
    if not np.linalg.norm(z) > 1e-9 * np.linalg.norm(x) * np.linalg.norm(across):
        raise table.error(i, f"three points of this {table.name} lie on a line")
    x, z = x / np.linalg.norm(x), z / np.linalg.norm(z)
    return np.column_stack([x, np.cross(z, x), z])


# shared points --------------------------------------------------------------------------------------------


def _groups(main: Context, pairs: list[tuple[Point, Point]]) -> list[list[Point]]:
    """Points of the structure that pairs of points make one."""
    if not pairs:
        return []
    points = sorted({point for pair in pairs for point in pair})
    at = {point: k for k, point in enumerate(points)}
    ends = np.array([(at[a], at[b]) for a, b in pairs])
    graph = coo_matrix((np.ones(len(ends)), (ends[:, 0], ends[:, 1])), shape=(len(points), len(points)))
    _, label = connected_components(graph, directed=False)
    groups: dict[int, list[Point]] = {}
    for point, one in zip(points, label.tolist()):
        groups.setdefault(one, []).append(point)
    for group in groups.values():
        parts = [part for part, _ in group]
        if len(set(parts)) < len(parts):
            part = next(p for p in parts if parts.count(p) > 1)
            twice = [str(point) for p, point in group if p == part]
            raise ModelError(
                f"points {', '.join(twice)} of part {part} would be one, through a point of another part",
                where=main.deck.name,
                hint="say with SECONCT, SEBNDRY or SEEXCLD which of them is joined",
            )
    return list(groups.values())


def _coincident(
    deck: Deck, contexts: dict[int, Context], bulk: dict[int, _Bulk]
) -> Iterator[tuple[Point, Point]]:
    """Pairs of grids of different parts at one place."""
    seek = {n: ctx for n, ctx in contexts.items() if bulk.get(n, _Bulk()).automatic and len(ctx.grids)}
    if len(seek) < 2:
        return
    owner = np.concatenate([np.full(len(ctx.grids), n) for n, ctx in seek.items()])
    ids = np.concatenate([ctx.grids.id for ctx in seek.values()])
    xyz = np.concatenate([ctx.grids.xyz for ctx in seek.values()])
    allowed = _allowance(deck)
    reach = {n: bulk.get(n, _Bulk()).tolerance for n in seek}
    pairs = cKDTree(xyz).query_pairs(max(reach.values()), output_type="ndarray")
    pairs = pairs[owner[pairs[:, 0]] != owner[pairs[:, 1]]]
    for i, j in pairs[np.lexsort((ids[pairs[:, 1]], ids[pairs[:, 0]]))].tolist():
        a, b = (int(owner[i]), int(ids[i])), (int(owner[j]), int(ids[j]))
        limit = max(reach[n] for n, _ in (a, b) if n) if (a[0] and b[0]) else reach[a[0] or b[0]]
        if np.linalg.norm(xyz[i] - xyz[j]) <= limit and allowed(a, b) and allowed(b, a):
            yield a, b


def _allowance(deck: Deck):
    """Says whether SEBNDRY and SEEXCLD let a point of one part be joined to another part."""
    lists: dict[str, dict[tuple[int, int | str], set[int]]] = {"SEBNDRY": {}, "SEEXCLD": {}}
    for name, found in lists.items():
        table = deck.cards(name)
        for i, row in _rows(table):
            if row[1] not in (None, "ALL") and not isinstance(row[1], int):
                raise table.error(
                    i, f"{name} names no second superelement", "a number or ALL in field 3", str(row[1])
                )
            ids = expand_ids(row[2:], partial(table.error, i))
            found.setdefault((row[0], "ALL" if row[1] is None else row[1]), set()).update(ids.tolist())

    def allowed(point: Point, other: Point) -> bool:
        keys = ((point[0], other[0]), (point[0], "ALL"))
        bounds = [lists["SEBNDRY"][key] for key in keys if key in lists["SEBNDRY"]]
        out = any(point[1] in lists["SEEXCLD"].get(key, ()) for key in keys)
        return not out and (not bounds or any(point[1] in one for one in bounds))

    return allowed


def _named(deck: Deck, contexts: dict[int, Context]) -> Iterator[tuple[Point, Point]]:
    """SECONCT: SEIDA, SEIDB, TOL, LOC, then pairs GIDA, GIDB, or GIDA THRU GIDA GIDB THRU GIDB."""
    table = deck.cards("SECONCT")
    for i, row in _rows(table):
        parts = [row[0], 0 if row[1] is None else row[1]]
        for one in parts:
            if one not in contexts:
                raise table.error(
                    i,
                    f"SECONCT names part {one}, which is not in the deck",
                    hint=known_names(sorted(contexts)),
                )
        tolerance = _tolerance(table, i, row[2])
        for a, b in _id_pairs(table, i, row[8:]):
            places = [_point_place(table, i, contexts[part], point) for part, point in zip(parts, (a, b))]
            if (places[0] is None) != (places[1] is None):
                raise table.error(i, f"SECONCT joins a grid and a scalar point, {a} and {b}")
            if row[3] != "NO" and places[0] is not None:
                far = float(np.linalg.norm(places[0] - places[1]))
                if far > tolerance:
                    raise table.error(
                        i,
                        f"SECONCT joins grids {a} and {b}, which are not at one place",
                        expected=f"at most {tolerance:g} apart",
                        got=f"{far:.6g}",
                        hint="raise TOL, or give NO in LOC",
                    )
            yield (parts[0], a), (parts[1], b)


def _id_pairs(table: CardTable, i: int, row: list) -> Iterator[tuple[int, int]]:
    items = [one for one in row if one is not None]
    k = 0
    while k < len(items):
        if "THRU" in items[k : k + 2]:
            a, b = (expand_ids(items[at : at + 3], partial(table.error, i)) for at in (k, k + 3))
            if len(a) != len(b):
                raise table.error(i, "two ranges of this SECONCT are not of one length")
            yield from zip(a.tolist(), b.tolist())
            k += 6
            continue
        pair = items[k : k + 2]
        if len(pair) < 2 or not all(isinstance(one, int) for one in pair):
            raise table.error(i, "SECONCT needs pairs of points", got=", ".join(str(one) for one in pair))
        yield pair[0], pair[1]
        k += 2


def _point_place(table: CardTable, i: int, ctx: Context, point: int) -> np.ndarray | None:
    """Place of a grid; None for a scalar point."""
    row = int(ctx.grids.find(point))
    if row >= 0:
        return ctx.grids.xyz[row]
    if int(ctx.grids.find_spoint(point)) < 0:
        raise table.error(i, f"SECONCT refers to point {point}, which {ctx.deck.name} does not have")
    return None


def lone_superelement(deck: Deck) -> DeckError | None:
    """The error about a SEBULK or CSUPER in a deck without parts."""
    for name in ("SEBULK", "CSUPER"):
        table = deck.cards(name)
        if len(table) and not deck.parts:
            return table.error(0, f"{name} names a superelement, and the deck has no section BEGIN SUPER")
    return None
