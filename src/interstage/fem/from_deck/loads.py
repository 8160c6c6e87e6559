"""Static loads of a deck: forces, moments, pressures, gravity, rotation, combinations, enforced motion."""

from __future__ import annotations

from functools import partial

import numpy as np

from interstage.fem.elements.block import ElementBlock
from interstage.fem.followers import Follower
from interstage.fem.from_deck.axisymmetric import read_old_side_pressures, read_side_pressures
from interstage.fem.from_deck.context import Context
from interstage.fem.from_deck.dmig import read_loads as read_direct_loads
from interstage.fem.from_deck.pressure import read_pressures
from interstage.fem.from_deck.span_loads import read_span_loads
from interstage.fem.from_deck.temperature import read_temperatures
from interstage.fem.loads import Gravity, Loads, Rotation, to_cd
from interstage.nastran import CardTable
from interstage.reading import is_whole

# loads that LOAD can select and that are not supported: an error once they are selected
_REFUSED = (
    "PLOAD3",
    "ACCEL",
    "ACCEL1",
    "CLOAD",
    "FORCEAX",
    "PRESAX",
    "RFORCE1",
    "RFORCE2",
)


def read_loads(ctx: Context, blocks: list[ElementBlock]) -> Loads:
    """Return the load sets of a deck; `blocks` are its elements, on which pressures act."""
    loads = Loads(ctx.grids)
    _read_forces(ctx, loads)
    _read_scalar_loads(ctx, loads)
    read_pressures(ctx, blocks, loads)
    read_side_pressures(ctx, blocks, loads)
    read_old_side_pressures(ctx, blocks, loads)
    _read_gravity(ctx, loads)
    _read_rotation(ctx, loads)
    _read_enforced(ctx, loads)
    read_span_loads(ctx, blocks, loads)
    loads.temperatures = read_temperatures(ctx)
    _read_combinations(ctx, loads)
    loads.direct = read_direct_loads(ctx)
    for name in _REFUSED:
        table = ctx.deck.cards(name)
        for i, sid in enumerate(table.integer(1).tolist()):
            one = loads.set(sid)
            if one.refused is None:
                one.refused = table.error(i, f"load set {sid} holds a {name}, which is not supported")
    return loads


def _read_forces(ctx: Context, loads: Loads) -> None:
    """FORCE, MOMENT (vector in CID), FORCE1, MOMENT1 (along G1-G2), FORCE2, MOMENT2 (G1-G2 x G3-G4)."""
    xyz = ctx.grids.xyz
    for name in ("FORCE", "MOMENT"):
        first = 3 if name == "MOMENT" else 0
        table = ctx.deck.cards(name)
        if len(table):
            rows = ctx.rows(table, 2)
            n = np.column_stack([table.real(j, 0.0) for j in (5, 6, 7)]) * table.real(4)[:, None]
            axes = ctx.axes(table, 3, xyz[rows])
            _add(loads, table, rows, first, np.einsum("nij,nj->ni", axes, n))
        _read_lines(ctx, loads, ctx.deck.cards(name + "1"), first, "G1 and G2 coincide")
        _read_lines(ctx, loads, ctx.deck.cards(name + "2"), first, "G1-G2 and G3-G4 are parallel")


def _read_lines(ctx: Context, loads: Loads, table: CardTable, first: int, fault: str) -> None:
    """Loads along G1-G2, or normal to G1-G2 and G3-G4; they follow these grids."""
    if not len(table):
        return
    names = (4, 5, 6, 7) if table.name.endswith("2") else (4, 5)
    at = np.column_stack([ctx.rows(table, j) for j in names])
    size, sid, on = table.real(3), table.integer(1), ctx.rows(table, 2)
    none = np.linalg.norm(_line(ctx.grids.xyz[at]), axis=1) == 0.0
    if none.any():
        raise table.error(int(np.argmax(none)), f"{table.name} has no direction: {fault}")
    _add(loads, table, on, first, _along(size, ctx.grids.xyz[at])[:, 0])
    for one in np.unique(sid):
        which = sid == one
        follower = Follower(at[which], on[which, None], first, partial(_along, size[which]))
        loads.set(one).followers.append(follower)


def _line(x: np.ndarray) -> np.ndarray:
    """Return G1-G2 (n, 3) of two grids, its cross product with G3-G4 of four."""
    along = x[:, 1] - x[:, 0]
    return along if x.shape[1] == 2 else np.cross(along, x[:, 3] - x[:, 2])


def _along(size: np.ndarray, x: np.ndarray) -> np.ndarray:
    """Return vectors (n, 1, 3) of given sizes along the lines of grids at x (n, k, 3), real or complex."""
    line = _line(x)
    return (size / np.sqrt(np.sum(line**2, axis=1)))[:, None, None] * line[:, None]


def _add(loads: Loads, table: CardTable, rows: np.ndarray, first: int, vectors: np.ndarray) -> None:
    """Add vectors (n, 3) in basic axes at grid rows, as forces (first = 0) or moments (first = 3)."""
    dof = loads.grids.dof[rows][:, None] + first + np.arange(3)
    value = to_cd(loads.grids, rows, vectors)
    sid = table.integer(1)
    for one in np.unique(sid):
        target, which = loads.set(one), sid == one
        target.dof.append(dof[which].ravel())
        target.value.append(value[which].ravel())


def _read_scalar_loads(ctx: Context, loads: Loads) -> None:
    """SLOAD: SID, S1, F1, S2, F2, S3, F3; on a grid it acts along T1."""
    table = ctx.deck.cards("SLOAD")
    for i, sid in enumerate(table.integer(1).tolist()):
        row = table.row(i)
        if len(row) < 3 or len(row) % 2 == 0:
            raise table.error(i, "SLOAD needs pairs of a scalar point and a load")
        target = loads.set(sid)
        for point, value in zip(row[1::2], row[2::2]):
            if point is None and value is None:
                continue
            dof = ctx.grids.dof_of(point, 1) if isinstance(point, int) else -1
            if dof < 0:
                raise table.error(i, "SLOAD refers to a point that is not in the deck", got=str(point))
            if isinstance(value, str) or value is None:
                raise table.error(i, "SLOAD has no number where a load belongs", got=str(value))
            target.dof.append(np.array([dof]))
            target.value.append(np.array([float(value)]))


def _read_gravity(ctx: Context, loads: Loads) -> None:
    """GRAV: SID, CID, A, N1, N2, N3. Components are along the system's rectangular axes."""
    table = ctx.deck.cards("GRAV")
    if not len(table):
        return
    n = np.column_stack([table.real(j, 0.0) for j in (4, 5, 6)]) * table.real(3)[:, None]
    cid = table.integer(2, 0)
    ctx.check_systems(table, cid)
    for i, sid in enumerate(table.integer(1)):
        loads.set(sid).fields.append(Gravity(ctx.coordinates.systems[int(cid[i])].R @ n[i]))


def _read_rotation(ctx: Context, loads: Loads) -> None:
    """RFORCE: SID, G, CID, A, R1, R2, R3, METHOD, RACC, MB, IDRF; A and RACC in revolutions."""
    table = ctx.deck.cards("RFORCE")
    if not len(table):
        return
    rows = ctx.rows(table, 2, optional=True)
    cid, method = table.integer(3, 0), table.integer(8, 1)
    ctx.check_systems(table, cid)
    vector = np.column_stack([table.real(j, 0.0) for j in (5, 6, 7)])
    speed, growth = table.real(4, 0.0), table.real(9, 0.0)
    for i, sid in enumerate(table.integer(1)):
        if method[i] not in (1, 2):
            raise table.error(i, "METHOD of RFORCE must be 1 or 2", got=str(method[i]))
        if not vector[i].any() and (speed[i] or growth[i]):
            raise table.error(i, "RFORCE has no axis: R1, R2, R3 are all zero")
        if not table.blank(11)[i] and table.integer(11, 0)[i] != 0:
            raise table.error(i, "RFORCE for a part of the model (IDRF) is not supported")
        axis = 2.0 * np.pi * (ctx.coordinates.systems[int(cid[i])].R @ vector[i])
        point = ctx.grids.xyz[rows[i]] if rows[i] >= 0 else np.zeros(3)
        loads.set(sid).fields.append(Rotation(point, speed[i] * axis, growth[i] * axis))


def _read_enforced(ctx: Context, loads: Loads) -> None:
    """SPCD: SID, G1, C1, D1, G2, C2, D2."""
    table = ctx.deck.cards("SPCD")
    for i in range(len(table)):
        row = table.row(i) + [None] * 7
        target = loads.set(int(table.integer(1)[i]))
        for point, components, value in (row[1:4], row[4:7]):
            if point is None:
                continue
            if isinstance(value, str):
                raise table.error(i, "SPCD has a word where a displacement belongs", got=value)
            for digit in str(0 if components is None else components):
                known = isinstance(point, int) and is_whole(digit)
                dof = ctx.grids.dof_of(point, int(digit)) if known else -1
                if dof < 0:
                    raise table.error(
                        i,
                        "SPCD refers to a degree of freedom that is not there",
                        got=f"{point} component {digit}",
                    )
                if dof in target.enforced:
                    raise table.error(i, f"SPCD gives {ctx.grids.name_of(dof)} a displacement twice")
                target.enforced[dof] = 0.0 if value is None else float(value)


def _read_combinations(ctx: Context, loads: Loads) -> None:
    """LOAD: SID, S, S1, L1, S2, L2, ..."""
    table = ctx.deck.cards("LOAD")
    for i, sid in enumerate(table.unique_ids().tolist()):
        row = table.row(i)
        # SPCD are selected by the number itself, beside a LOAD card of that number
        if sid in loads.sets and not loads.sets[sid].only_enforced:
            raise table.error(i, f"load set {sid} is both a LOAD and a set of loads", hint="renumber one")
        pairs = row[2:] + [None] * (len(row) % 2)
        scale = row[1] if len(row) > 1 else None
        if not isinstance(scale, int | float):
            raise table.error(i, "LOAD needs an overall factor in field 3")
        parts = []
        for factor, other in zip(pairs[::2], pairs[1::2]):
            if factor is None and other is None:
                continue
            if not isinstance(factor, int | float) or not isinstance(other, int):
                raise table.error(i, "LOAD needs pairs of a factor and a load set", got=f"{factor}, {other}")
            parts.append((float(scale) * float(factor), other))
        if not parts:
            raise table.error(i, f"LOAD {sid} combines no load set")
        loads.combinations[sid] = parts
