"""CWELD and CFAST of a deck with PWELD and PFAST: fasteners between patches of plates."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.spatial import cKDTree

from interstage.fem.elements.block import ElementBlock
from interstage.fem.elements.connector import (
    ConnectorBlock,
    corner_functions,
    mean_motion,
    nearest_place,
    relative_motion,
    surface_motion,
)
from interstage.fem.elements.shell_common import ShellBlock
from interstage.fem.from_deck.context import Context
from interstage.fem.from_deck.lookup import positive, property_ids, used_properties
from interstage.fem.from_deck.points import grid_row
from interstage.nastran import CardTable

OUTSIDE = 0.02  # of the size of a patch that a projection may miss it (PROJTOL)
SAME = 1e-9  # of the motion of a grid, or of the size of a patch, that counts as none
NEAR = 12  # plates whose distance from a point is measured, those with the nearest centres
LDMIN, LDMAX = 0.2, 5.0  # of length to diameter, between which a weld has its own length


@dataclass
class _Side:
    """One end: where it is, its motion (6, 6k) of grid rows, interpolation weights of the rows, normal, thickness."""

    place: np.ndarray
    rows: list[int]
    motion: np.ndarray
    weights: np.ndarray
    normal: np.ndarray
    thickness: float = 0.0


class _Plates:
    """Shells of a deck by id and by property, their corners and thicknesses."""

    def __init__(self, ctx: Context, blocks: list[ElementBlock]):
        self.xyz = ctx.grids.xyz
        self.corners: dict[int, list[int]] = {}
        self.thickness: dict[int, float] = {}
        self._of_property: dict[int, list[int]] = {}
        self._on_grid: dict[int, list[int]] = {}
        self._trees: dict[int, cKDTree] = {}
        for block in (one for one in blocks if isinstance(one, ShellBlock)):
            cards = ctx.deck.cards(block.name)
            pid = dict(zip(cards.integer(1).tolist(), property_ids(cards).tolist()))
            thick = block.sections.thickness[block.section]
            for i, eid in enumerate(block.eid.tolist()):
                self.corners[eid] = block.nodes[i, : block.corners].tolist()
                self.thickness[eid] = float(thick[i])
                self._of_property.setdefault(pid[eid], []).append(eid)
                for row in self.corners[eid]:
                    self._on_grid.setdefault(row, []).append(eid)

    def has_property(self, pid: int) -> bool:
        return pid in self._of_property

    def near(self, pid: int, point: np.ndarray) -> list[int]:
        """Plates of a property whose centres are nearest to a point."""
        ids = self._of_property[pid]
        if pid not in self._trees:
            self._trees[pid] = cKDTree([self.xyz[self.corners[eid]].mean(axis=0) for eid in ids])
        found = self._trees[pid].query(point, min(NEAR, len(ids)))[1]
        return [ids[int(k)] for k in np.atleast_1d(found)]

    def around(self, eid: int) -> list[int]:
        """A plate and those that share a grid with it."""
        return sorted({other for row in self.corners[eid] for other in self._on_grid[row]})

    def nearest(self, ids: list[int], point: np.ndarray) -> tuple[int, np.ndarray, float]:
        """Plate of a list that is nearest to a point, place in it, and how far outside it the foot is."""
        found = []
        for eid in ids:
            xyz = self.xyz[self.corners[eid]]
            place, outside = nearest_place(xyz, point)
            N, _ = corner_functions(place, len(xyz))
            found.append((float(np.linalg.norm(N @ xyz - point)), eid, place, outside))
        _, eid, place, outside = min(found, key=lambda one: one[:2])
        return eid, place, outside


def read(ctx: Context, blocks: list[ElementBlock]) -> list[ElementBlock]:
    """All CWELD and CFAST of a deck; `blocks` holds its shells.

    A CWELD is a round beam of material MID and diameter D between its points, a CFAST the springs of its PFAST.
    """
    out: list[ElementBlock] = []
    plates: _Plates | None = None
    for name, prop, make in (("CWELD", "PWELD", _weld), ("CFAST", "PFAST", _fastener)):
        table = ctx.deck.cards(name)
        if not len(table):
            continue
        plates = plates or _Plates(ctx, blocks)
        cards, back = used_properties(table, ctx.deck.cards(prop))
        values = make(ctx, cards)
        parts = [
            _connector(ctx, table, i, plates, cards.select([k]), {n: v[k] for n, v in values.items()})
            for i, k in enumerate(back.tolist())
        ]
        out.append(_block(name, table.unique_ids(), parts))
    return out


def _block(name: str, eid: np.ndarray, parts: list) -> ConnectorBlock:
    """Connectors of unlike numbers of grids in one block."""
    k = max(len(rows) for rows, *_ in parts)
    n = len(parts)
    nodes, shares = np.full((n, k), -1), np.zeros((n, k))
    relative, springs, ge, length = np.zeros((n, 6, 6 * k)), np.zeros((n, 6)), np.zeros(n), np.zeros(n)
    for i, (rows, T, spring, mass, damping, length[i]) in enumerate(parts):
        nodes[i, : len(rows)], shares[i, : len(rows)] = rows, mass
        relative[i, :, : 6 * len(rows)], springs[i], ge[i] = T, spring, damping
    return ConnectorBlock(
        name, eid, nodes, relative, springs, shares, ge, length if name == "CWELD" else None
    )


def _connector(ctx: Context, table: CardTable, i: int, plates: _Plates, card: CardTable, values: dict):
    """Grid rows, relative motion, springs, mass shares, damping and length of one connector."""
    row = table.row(i) + [None] * 24
    a, b = (_weld_sides if table.name == "CWELD" else _fastener_sides)(
        ctx, table, i, row, plates, float(values["D"])
    )
    arm = b.place - a.place
    length = float(np.linalg.norm(arm))
    size = float(np.abs(np.stack([a.place, b.place])).max())
    x = arm / length if length > 1e-9 * max(size, 1e-300) else a.normal
    if table.name == "CWELD":
        R, springs = _axes(x), _beam_springs(values, length, a.thickness, b.thickness, row[3])
        mass = values["rho"] * np.pi / 4.0 * values["D"] ** 2 * length
    else:
        R, springs, mass = _fastener_axes(ctx, card, x, a.place), values["K"], values["mass"]
    rows = list(dict.fromkeys([*a.rows, *b.rows]))
    first, second = (np.zeros((6, 6 * len(rows))) for _ in range(2))
    share = np.zeros(len(rows))
    for side, motion in ((a, first), (b, second)):
        for k, one in enumerate(side.rows):
            at = rows.index(one)
            motion[:, 6 * at : 6 * at + 6] += side.motion[:, 6 * k : 6 * k + 6]
            share[at] += 0.5 * mass * side.weights[k]
    relative = relative_motion(R, first, second, arm)
    if not np.abs(relative[:3]).max() > SAME:
        raise table.error(
            i, f"{table.label(i)} joins a plate or grid to itself", hint="name two plates, or two grids"
        )
    return rows, relative, springs, share, values["ge"], length


# springs --------------------------------------------------------------------------------------------------


def _weld(ctx: Context, cards: CardTable) -> dict[str, np.ndarray]:
    iso = ctx.materials.isotropic(cards.integer(2), cards)
    D = _diameters(cards, 3)
    kind = cards.word(8, "")
    return {
        "D": D,
        "E": iso.E,
        "G": iso.G,
        "rho": iso.rho,
        "ge": iso.ge,
        "spot": np.array([word == "SPOT" for word in kind]),
        "least": cards.real(9, LDMIN),
        "most": cards.real(10, LDMAX),
    }


def _fastener(ctx: Context, cards: CardTable) -> dict[str, np.ndarray]:
    """Stiffnesses KT1 to KT3 are given, the others may be blank; none is negative, nor is the mass."""
    names = {"KT1": 5, "KT2": 6, "KT3": 7, "KR1": 8, "KR2": 9, "KR3": 10, "MASS": 11, "GE": 12}
    values = {name: cards.real(j) if name[:2] == "KT" else cards.real(j, 0.0) for name, j in names.items()}
    for name, value in values.items():
        positive(cards, value, name, strict=False)
    K = np.column_stack([values[name] for name in names if name[0] == "K"])
    return {"D": _diameters(cards, 2), "K": K, "mass": values["MASS"], "ge": values["GE"]}


def _diameters(cards: CardTable, j: int) -> np.ndarray:
    D = cards.real(j)
    positive(cards, D, "D")
    return D


def _beam_springs(v: dict, length: float, t_a: float, t_b: float, kind: object) -> np.ndarray:
    """Springs (6,) at the middle of a round beam: EA/L, GA/L twice, GJ/L, EI/L twice (strains of the middle alone).

    L is half the thickness of both plates for a spot weld of plates, and between LDMIN D and LDMAX D otherwise.
    """
    D, E, G = v["D"], v["E"], v["G"]
    if v["spot"] and kind in ("PARTPAT", "ELPAT", "ELEMID") and t_a + t_b > 0.0:
        length = 0.5 * (t_a + t_b)
    L = float(np.clip(length, v["least"] * D, v["most"] * D))
    area, inertia = np.pi / 4.0 * D**2, np.pi / 64.0 * D**4
    return np.array([E * area, G * area, G * area, 2.0 * G * inertia, E * inertia, E * inertia]) / L


def _axes(x: np.ndarray) -> np.ndarray:
    """Axes (3, 3) along x whose y is as near as can be to the basic axis that is most across it (CFAST, MCID = -1)."""
    y = np.eye(3)[int(np.argmin(np.abs(x)))]
    y = y - (y @ x) * x
    y /= np.linalg.norm(y)
    return np.column_stack([x, y, np.cross(x, y)])


def _fastener_axes(ctx: Context, card: CardTable, x: np.ndarray, place: np.ndarray) -> np.ndarray:
    """Axes of the springs: MCID itself (MFLAG = 1), or x from A to B and y in the plane of the y axis of MCID."""
    mcid = int(card.integer(3, -1)[0])
    if mcid < 0:
        return _axes(x)
    R = ctx.axes(card, 3, place[None])[0]
    if int(card.integer(4, 0)[0]) == 1:
        return R
    z = np.cross(x, R[:, 1])
    size = np.linalg.norm(z)
    if size < 1e-6:
        raise card.error(0, "the y axis of MCID of this PFAST is along the fastener")
    z /= size
    return np.column_stack([x, np.cross(z, x), z])


# ends -----------------------------------------------------------------------------------------------------


def _weld_sides(ctx: Context, table: CardTable, i: int, row: list, plates: _Plates, D: float):
    kind, xyz = row[3], ctx.grids.xyz

    def at(k: int) -> np.ndarray | None:
        return None if row[k] is None else xyz[grid_row(ctx, table, i, row[k])]

    if kind == "ALIGN":
        return tuple(_grid_side(ctx, table, i, row[k]) for k in (4, 5))
    if kind in ("PARTPAT", "ELPAT"):
        given = [_number(table, i, v) for v in row[16:19]] if row[16] is not None else None
        start = at(2) if given is None else np.array(given)
        return _patch_sides(table, i, plates, kind == "PARTPAT", row[8:10], (start, at(4), at(5)), D)
    if kind not in ("GRIDID", "ELEMID"):
        raise table.error(
            i,
            f"the format of {table.label(i)} is not known",
            "GRIDID, ELEMID, ALIGN, PARTPAT, ELPAT",
            str(kind),
        )
    start = at(2)
    if kind == "ELEMID":
        corners = [None if v is None else _plate(table, i, plates, v) for v in row[8:10]]
        thick = [0.0 if v is None else plates.thickness[v] for v in row[8:10]]
    else:
        letters = (row[7] if isinstance(row[7], str) else "") + "  "
        corners = [
            _given_corners(ctx, table, i, row[k : k + 8], letter)
            for k, letter in ((8, letters[0]), (16, letters[1]))
        ]
        thick = [0.0, 0.0]
    sides = []
    for patch, own, t in zip(corners, (at(4), at(5)), thick):
        if patch is None:  # from a point to a patch
            sides.append(_grid_side(ctx, table, i, row[2]))
            continue
        point = own if own is not None else start
        if point is None:
            raise table.error(i, f"{table.label(i)} has no place", hint="give GS, or GA and GB")
        sides.append(_surface_side(table, i, xyz, patch, point, t))
    return tuple(sides)


def _fastener_sides(ctx: Context, table: CardTable, i: int, row: list, plates: _Plates, D: float):
    if row[2] not in ("PROP", "ELEM"):
        raise table.error(i, f"the type of {table.label(i)} is not known", "PROP or ELEM", str(row[2]))
    places = [None if v is None else ctx.grids.xyz[grid_row(ctx, table, i, v)] for v in row[5:8]]
    if places[0] is None and row[8] is not None:
        places[0] = np.array([_number(table, i, v) for v in row[8:11]])
    return _patch_sides(table, i, plates, row[2] == "PROP", row[3:5], tuple(places), D)


def _patch_sides(
    table: CardTable, i: int, plates: _Plates, by_property: bool, ids: list, places: tuple, D: float
):
    """Ends on patches of several plates, found from GS and, where they are given, from GA and GB."""
    start, *own = places
    sides = []
    for one, given in zip(ids, own):
        point = given if given is not None else start
        if point is None:
            raise table.error(i, f"{table.label(i)} has no place", hint="give GS, XS YS ZS, or GA and GB")
        if not isinstance(one, int) or (by_property and not plates.has_property(one)):
            raise table.error(
                i, f"{table.label(i)} refers to a property of plates that is not in the deck", got=str(one)
            )
        if not by_property:
            _plate(table, i, plates, one)
        sides.append(_patch_side(table, i, plates, by_property, one, point, D))
        start = sides[-1].place if start is None else start
    return tuple(sides)


def _patch_side(
    table, i: int, plates: _Plates, by_property: bool, one: int, point: np.ndarray, D: float
) -> _Side:
    """End whose point is the mean of four points around it, a square of the area of the fastener on the plates."""
    eid, place, outside = plates.nearest(plates.near(one, point) if by_property else [one], point)
    if outside > OUTSIDE:
        raise _missed(table, i)
    xyz = plates.xyz[plates.corners[eid]]
    N, dN = corner_functions(place, len(xyz))
    centre, normal = N @ xyz, np.cross(*(dN @ xyz))
    normal /= np.linalg.norm(normal)
    axes = _axes(normal)
    rows: list[int] = []
    functions, arms = [], []
    for y, z in ((1, 1), (-1, 1), (-1, -1), (1, -1)):
        corner = centre + 0.25 * np.sqrt(np.pi) * D * (y * axes[:, 1] + z * axes[:, 2])
        near = plates.near(one, corner) if by_property else plates.around(eid)
        other, at, _ = plates.nearest(near, corner)
        grids = plates.corners[other]
        weights, _ = corner_functions(at, len(grids))
        functions.append(dict(zip(grids, weights)))
        arms.append(weights @ plates.xyz[grids] - centre)
        rows += [row for row in grids if row not in rows]
    H = np.array([[one.get(row, 0.0) for row in rows] for one in functions])
    motion = mean_motion(np.array(arms)) @ np.kron(H, np.eye(3))
    return _Side(centre, rows, _with_turns(motion), H.mean(axis=0), normal, plates.thickness[eid])


def _surface_side(
    table, i: int, xyz: np.ndarray, rows: list[int], point: np.ndarray, thickness: float
) -> _Side:
    """End that moves with one patch."""
    area = np.linalg.norm(np.cross(xyz[rows[2]] - xyz[rows[0]], xyz[rows[-1]] - xyz[rows[1]]))
    if not area > SAME * np.ptp(xyz[rows], axis=0).max() ** 2:
        raise table.error(
            i, f"a patch of {table.label(i)} has no area", hint="its grids go around it in order"
        )
    place, outside = nearest_place(xyz[rows], point)
    if outside > OUTSIDE:
        raise _missed(table, i)
    N, dN = corner_functions(place, len(rows))
    normal = np.cross(*(dN @ xyz[rows]))
    motion = _with_turns(surface_motion(xyz[rows], place))
    return _Side(N @ xyz[rows], rows, motion, N, normal / np.linalg.norm(normal), thickness)


def _grid_side(ctx: Context, table: CardTable, i: int, grid: object) -> _Side:
    """End that is a grid itself."""
    row = grid_row(ctx, table, i, grid)
    return _Side(ctx.grids.xyz[row], [row], np.eye(6), np.ones(1), np.array([1.0, 0.0, 0.0]))


def _with_turns(motion: np.ndarray) -> np.ndarray:
    """(6, 6k) from motions (6, 3k) of translations alone."""
    out = np.zeros((6, motion.shape[1] // 3, 6))
    out[:, :, :3] = motion.reshape(6, -1, 3)
    return out.reshape(6, -1)


def _given_corners(ctx: Context, table: CardTable, i: int, values: list, letter: str) -> list[int] | None:
    """Corners of a patch of GRIDID: three or four, by its letter (T, Q) or their number; None without grids."""
    given = [v for v in values if v is not None]
    if not given:
        return None
    count = {"T": 3, "Q": 4}.get(letter, 3 if len(given) in (3, 6) else 4)
    if len(given) < count:
        raise table.error(i, f"a patch of {table.label(i)} needs three or four corners", got=str(len(given)))
    return [grid_row(ctx, table, i, v) for v in given[:count]]


def _plate(table: CardTable, i: int, plates: _Plates, eid: object) -> list[int]:
    if eid not in plates.corners:
        raise table.error(i, f"{table.label(i)} refers to plate {eid}, which is not in the deck")
    return plates.corners[eid]  # type: ignore[index]


def _number(table: CardTable, i: int, value: object) -> float:
    if not isinstance(value, int | float):
        raise table.error(i, f"{table.label(i)} needs three numbers XS, YS, ZS", got=str(value))
    return float(value)


def _missed(table: CardTable, i: int):
    return table.error(
        i,
        f"the place of {table.label(i)} does not project onto its plates",
        hint="move GS over the plates, or name the plates below it",
    )
