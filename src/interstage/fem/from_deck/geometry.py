"""Grid points, scalar points and coordinate systems of a deck."""

from __future__ import annotations

from functools import partial

import numpy as np

from interstage.fem.coordinates import Coordinates, system_from_points
from interstage.fem.grids import Grids
from interstage.nastran import Deck, expand_ids
from interstage.nastran.cards import columns, of_family

_CORD1 = ("CORD1R", "CORD1C", "CORD1S")
_CORD2 = ("CORD2R", "CORD2C", "CORD2S")
FARTHEST = 1e50  # coordinates; squares of volumes are numbers still


def read_geometry(deck: Deck) -> tuple[Coordinates, Grids]:
    """Return the coordinate systems and the grid table of a deck.

    Systems may refer to each other in any order (CORD2x through RID, CORD1x through grids that lie in
    other systems); each is resolved once what it refers to is known. What remains is a loop or a
    missing reference and is an error.
    """
    table, gid, cp, cd, point, ps = _grid_columns(deck)
    coordinates = Coordinates()
    _resolve(deck, coordinates, gid, cp, point)
    for name, column in (("CP", cp), ("CD", cd)):
        unknown = ~np.isin(column, list(coordinates.systems))
        if unknown.any():
            i = int(np.argmax(unknown))
            raise table.error(i, f"{name} refers to coordinate system {column[i]}, which is not in the deck")
    xyz = coordinates.to_basic(cp, point)
    far = ~(np.abs(xyz) < FARTHEST).all(axis=1)
    if far.any():
        raise table.error(
            int(np.argmax(far)), "the grid is so far away that distances to it cannot be squared"
        )
    grids = Grids(
        gid,
        xyz,
        R_basic_cd=coordinates.axes(cd, xyz),
        cd=cd,
        cp=cp,
        ps=ps,
        spoint=_scalar_points(deck, gid),
    )
    return coordinates, grids


def _grid_columns(deck: Deck):
    """The GRID cards, each id once, and their columns with GRDSET's defaults."""
    default_cp, default_cd, default_ps = 0, 0, 0
    grdset = deck.cards("GRDSET")
    if len(grdset):
        default_cp = int(grdset.integer(2, 0)[0])
        default_cd = int(grdset.integer(6, 0)[0])
        default_ps = int(grdset.integer(7, 0)[0])
    table = deck.cards("GRID")
    gid = table.integer(1)
    _, first = np.unique(gid, return_index=True)
    if len(first) < len(gid):
        table = table.select(np.sort(first))
        gid = table.integer(1)
    cp, cd = table.integer(2, default_cp), table.integer(6, default_cd)
    if (cd < 0).any():
        raise table.error(int(np.argmax(cd < 0)), "a fluid grid point (CD = -1) is not supported")
    point = np.column_stack([table.real(3, 0.0), table.real(4, 0.0), table.real(5, 0.0)])
    components = table.integer(7, default_ps)
    ps = np.zeros((len(gid), 6), dtype=bool)
    for one in np.unique(components):
        if one:
            digits = set(str(one))
            if not digits <= set("123456"):
                i = int(np.argmax(components == one))
                raise table.error(i, "PS is not a list of components", expected="digits 1 to 6", got=str(one))
            ps[components == one] = [str(c) in digits for c in range(1, 7)]
    return table, gid, cp, cd, point, ps


def _resolve(deck: Deck, coordinates: Coordinates, gid, cp, point) -> None:
    """Fill `coordinates` from the CORD cards of the deck."""
    pending = [*_cord2_definitions(deck), *_cord1_definitions(deck)]
    order = np.argsort(gid, kind="stable")
    gid, cp, point = gid[order], cp[order], point[order]
    seen: dict[int, tuple] = {}
    for definition in pending:
        cid, table, i = definition[:3]
        if cid in seen or cid <= 0:
            what = (
                f"coordinate system {cid} is defined twice"
                if cid > 0
                else "a coordinate system needs an id > 0"
            )
            raise table.error(i, what)
        seen[cid] = definition
    while pending:
        waiting = []
        for definition in pending:
            cid, table, i, kind, reference, points = definition
            abc = _reference_points(coordinates, table, i, reference, points, gid, cp, point)
            if abc is None:
                waiting.append(definition)
                continue
            system = system_from_points(kind, *abc)
            if system is None:
                raise table.error(i, f"the three points of coordinate system {cid} lie on a line")
            coordinates.systems[cid] = system
        if len(waiting) == len(pending):
            _explain_unresolved(coordinates, waiting, seen, gid, cp)
        pending = waiting


def _cord2_definitions(deck: Deck) -> list[tuple]:
    out = []
    for name in _CORD2:
        table = deck.cards(name)
        if len(table):
            points = np.column_stack([table.real(j, 0.0) for j in range(3, 12)]).reshape(-1, 3, 3)
            rid = table.integer(2, 0)
            for i, cid in enumerate(table.integer(1)):
                out.append((int(cid), table, i, name[-1], int(rid[i]), points[i]))
    return out


def _cord1_definitions(deck: Deck) -> list[tuple]:
    out = []
    for name in _CORD1:
        table = deck.cards(name)
        for i in range(len(table)):
            row = table.row(i) + [None] * 8
            for first in (0, 4):
                if row[first] is not None:
                    ids = row[first : first + 4]
                    if not all(isinstance(value, int) for value in ids):
                        raise table.error(i, "needs a system id and three grid ids")
                    out.append((ids[0], table, i, name[-1], None, ids[1:]))
    return out


def _reference_points(coordinates, table, i, reference, points, gid, cp, point):
    """Basic coordinates of the three defining points, or None while something is not yet known."""
    if reference is not None:
        return coordinates[reference].to_basic(points) if reference in coordinates else None
    rows = np.minimum(np.searchsorted(gid, points), max(len(gid) - 1, 0))
    if not len(gid) or (gid[rows] != points).any():
        raise table.error(i, "refers to a grid that is not in the deck", got=f"grids {points}")
    if not all(one in coordinates for one in cp[rows]):
        return None
    return coordinates.to_basic(cp[rows], point[rows])


def _explain_unresolved(coordinates, waiting, seen, gid, cp) -> None:
    for cid, table, i, _, reference, points in waiting:
        needs = [reference] if reference is not None else cp[np.searchsorted(gid, points)].tolist()
        missing = [one for one in needs if one not in coordinates and one not in seen]
        if missing:
            raise table.error(
                i, f"coordinate system {cid} refers to system {missing[0]}, which is not in the deck"
            )
    cid, table, i = waiting[0][:3]
    names = ", ".join(str(one[0]) for one in waiting)
    raise table.error(
        i, f"coordinate system {cid} refers to itself through others", hint=f"look at systems {names}"
    )


def _scalar_points(deck: Deck, gid: np.ndarray) -> np.ndarray:
    """Ids of scalar points: SPOINT cards, and points that only scalar elements mention."""
    found: list[int] = []
    table = deck.cards("SPOINT")
    for i in range(len(table)):
        ids = expand_ids(table.row(i), partial(table.error, i))
        both = np.intersect1d(ids, gid)
        if len(both):
            raise table.error(i, f"point {both[0]} is both a GRID and an SPOINT")
        found.extend(ids)
    for name, card in of_family("scalar").items():
        table = deck.cards(name)
        first, last = columns(card.grids, 8)
        for j in (first, last):
            point = table.integer(j, 0)
            if last - first == 2:  # a component follows each point: none of a scalar point
                point = point[table.integer(j + 1, 0) == 0]
            found.extend(point.tolist())
    ids = np.unique(np.asarray(found, dtype=np.int64))
    return ids[(ids > 0) & ~np.isin(ids, gid)]
