"""Rigid elements of a deck: RBE1, RBE2, RBE3, RBAR, RROD, RJOINT, RTRPLT, RSSCON, CRIGD1, CRIGD2."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from interstage.errors import ModelError
from interstage.fem.constraints import Equations, join
from interstage.fem.from_deck.context import Context
from interstage.fem.from_deck.points import components, grid_row
from interstage.fem.from_deck.shell_solid import rsscon
from interstage.fem.rbe3 import rbe3
from interstage.fem.rigid_elements import RigidLink, rbe2, rigid_body, rrod
from interstage.nastran import CardTable
from interstage.nastran.ids import expand_ids

ALL = np.arange(6)
COINCIDENT = 1e-6  # of the size of the coordinates
Found = tuple[Equations, RigidLink | None]


def read_rigid(ctx: Context) -> tuple[Equations, list[RigidLink]]:
    """Return the constraint equations of all rigid elements, each with the name of its element, and what they link."""
    parts: list[Equations] = []
    links: list[RigidLink] = []
    joined: set[tuple[int, int, int]] = set()
    readers: dict[str, Callable[[Context, CardTable, int], Found]] = {
        "RBE2": _rbe2,
        "RBE3": _rbe3,
        "RBAR": _rbar,
        "RBE1": _rbe1,
        "RROD": _rrod,
        "RJOINT": _rjoint,
        "RTRPLT": _rtrplt,
        "CRIGD1": _crigd1,
        "CRIGD2": _crigd2,
        "RSSCON": lambda ctx, table, i: (rsscon(ctx, table, i, joined), None),
    }
    for name, reader in readers.items():
        table = ctx.deck.cards(name)
        if len(table):
            table.unique_ids()
        for i in range(len(table)):
            try:
                equations, link = reader(ctx, table, i)
            except ModelError as error:
                raise table.error(i, error.what, error.expected, error.got, error.hint) from None
            parts.append(equations)
            links += [link] if link else []
    return join(parts), links


def _digits(components: np.ndarray) -> str:
    return "".join(str(c + 1) for c in sorted(components))


def _rows_of(ctx: Context, table: CardTable, i: int, values) -> np.ndarray:
    ids = expand_ids(values, lambda *a, **k: table.error(i, *a, **k))
    rows = ctx.grids.find(ids)
    if not len(ids) or (rows < 0).any():
        missing = int(ids[np.argmax(rows < 0)]) if len(ids) else None
        return np.array([grid_row(ctx, table, i, missing)])
    return rows


def _drop_alpha(row: list) -> list:
    """Fields without the reals at the end: thermal expansion coefficient and reference temperature."""
    row = [value for value in row if value is not None]
    while row and (isinstance(row[-1], float) or row[-1] in ("ALPHA", "TREF")):
        row.pop()
    return row


def _rbe2(ctx: Context, table: CardTable, i: int) -> Found:
    row = table.row(i) + [None] * 3
    independent = grid_row(ctx, table, i, row[1])
    chosen = components(table, i, row[2])
    dependents = _rows_of(ctx, table, i, _drop_alpha(row[3:]))
    if not len(chosen):
        raise table.error(i, "RBE2 makes no component dependent", "digits 1 to 6")
    if independent in dependents:
        raise table.error(i, f"RBE2 has grid {row[1]} both independent and dependent")
    link = RigidLink("rbe2", row[1], ctx.grids.id[dependents], _digits(chosen))
    return rbe2(ctx.grids, row[0], independent, dependents, chosen), link


def _rbe3(ctx: Context, table: CardTable, i: int) -> Found:
    row = table.row(i) + [None] * 4
    reference = grid_row(ctx, table, i, row[2])
    refc = components(table, i, row[3], "REFC")
    if not len(refc):
        raise table.error(i, "RBE3 makes no component of its reference grid dependent", "digits 1 to 6")
    rest = [value for value in row[4:] if value is not None]
    stop = min((k for k, value in enumerate(rest) if value in ("UM", "ALPHA", "TREF")), default=len(rest))
    rows, comps, weights, carriers = _weighted(ctx, table, i, rest[:stop])
    dependents = None
    if "UM" in rest:
        pairs = _drop_alpha(rest[rest.index("UM") + 1 :])
        if "ALPHA" in pairs:
            pairs = pairs[: pairs.index("ALPHA")]
        dependents = _point_components(ctx, table, i, pairs)
    link = RigidLink("rbe3", row[2], ctx.grids.id[carriers[0]], _digits(refc), carriers[1])
    return rbe3(ctx.grids, row[0], reference, refc, rows, comps, weights, dependents), link


def _weighted(ctx: Context, table: CardTable, i: int, values: list):
    """Independent dofs of an RBE3 and its grids with their weights: groups of weight (a real), components, grids."""
    starts = [k for k, value in enumerate(values) if isinstance(value, float)]
    if not starts or starts[0] != 0:
        raise table.error(i, "RBE3 must start its lists with a real weight", got=repr(values[:1]))
    rows, comps, weights, grids, shares = [], [], [], [], []
    for first, last in zip(starts, [*starts[1:], len(values)]):
        group = values[first:last]
        chosen = components(table, i, group[1] if len(group) > 1 else None)
        members = _rows_of(ctx, table, i, group[2:])
        if not len(chosen):
            raise table.error(i, "a weight of this RBE3 has no components", "digits 1 to 6")
        rows.append(np.repeat(members, len(chosen)))
        comps.append(np.tile(chosen, len(members)))
        weights.append(np.full(len(members) * len(chosen), group[0]))
        grids.append(members)
        shares.append(np.full(len(members), group[0]))
    carriers = np.concatenate(grids), np.concatenate(shares)
    return np.concatenate(rows), np.concatenate(comps), np.concatenate(weights), carriers


def _point_components(ctx: Context, table: CardTable, i: int, values: list) -> list[tuple[int, int]]:
    """(grid row, component) of a list of pairs id, digits."""
    if len(values) % 2:
        raise table.error(i, f"the dofs of this {table.name} are not pairs of grid and components")
    out = []
    for point, digits in zip(values[::2], values[1::2]):
        row = grid_row(ctx, table, i, point)
        out += [(row, int(c)) for c in components(table, i, digits)]
    return out


def _rbar(ctx: Context, table: CardTable, i: int) -> Found:
    row = (table.row(i) + [None] * 7)[:7]
    a, b = grid_row(ctx, table, i, row[1]), grid_row(ctx, table, i, row[2])
    cna, cnb, cma, cmb = (components(table, i, value) for value in row[3:7])
    independent = [(a, int(c)) for c in cna] + [(b, int(c)) for c in cnb]
    held = next((one for one in (cmb, cma) if len(one)), ALL)
    link = RigidLink("rbar", row[1], np.array([row[2]]), _digits(held))
    if not len(cma) and not len(cmb):
        cma, cmb = np.setdiff1d(ALL, cna), np.setdiff1d(ALL, cnb)
    dependent = [(a, int(c)) for c in cma] + [(b, int(c)) for c in cmb]
    _check_apart(table, i, independent, dependent)
    return rigid_body(ctx.grids, f"RBAR {row[0]}", independent, dependent), link


def _rtrplt(ctx: Context, table: CardTable, i: int) -> Found:
    """RTRPLT: EID, GA, GB, GC, CNA, CNB, CNC, and on its continuation CMA, CMB, CMC (blank: all others)."""
    row = table.row(i) + [None] * 11
    rows = [grid_row(ctx, table, i, value) for value in row[1:4]]
    given = [components(table, i, value) for value in row[4:7]]
    taken = [components(table, i, value) for value in row[8:11]]
    if not any(map(len, taken)):
        taken = [np.setdiff1d(ALL, one) for one in given]
    independent, dependent = ([(g, int(c)) for g, cs in zip(rows, one) for c in cs] for one in (given, taken))
    _check_apart(table, i, independent, dependent)
    held = _digits(np.unique([c for _, c in dependent]))
    link = RigidLink("rbe1", row[1], np.array(row[2:4]), held)
    return rigid_body(ctx.grids, f"RTRPLT {row[0]}", independent, dependent), link


def _crigd1(ctx: Context, table: CardTable, i: int) -> Found:
    """CRIGD1 of NASTRAN-95: EID, IG, and grids all of whose components follow it."""
    row = table.row(i) + [None] * 2
    independent = grid_row(ctx, table, i, row[1])
    dependents = _rows_of(ctx, table, i, [value for value in row[2:] if value is not None])
    if independent in dependents:
        raise table.error(i, f"CRIGD1 has grid {row[1]} both independent and dependent")
    equations = rbe2(ctx.grids, row[0], independent, dependents, ALL)
    equations.names = [f"CRIGD1 {row[0]}"]
    return equations, RigidLink("rbe2", row[1], ctx.grids.id[dependents], _digits(ALL))


def _crigd2(ctx: Context, table: CardTable, i: int) -> Found:
    """CRIGD2 of NASTRAN-95: EID, IG, and pairs of a grid and its components that follow it."""
    row = table.row(i) + [None] * 2
    independent = grid_row(ctx, table, i, row[1])
    dependent = _point_components(ctx, table, i, [value for value in row[2:] if value is not None])
    of_ig = [(independent, int(c)) for c in ALL]
    _check_apart(table, i, of_ig, dependent)
    held = _digits(np.unique([c for _, c in dependent]))
    others = ctx.grids.id[list(dict.fromkeys(one for one, _ in dependent))]
    equations = rigid_body(ctx.grids, f"CRIGD2 {row[0]}", of_ig, dependent)
    return equations, RigidLink("rbe1", row[1], others, held)


def _rbe1(ctx: Context, table: CardTable, i: int) -> Found:
    row = table.row(i)
    values = _drop_alpha(row[1:])
    if "UM" not in values:
        raise table.error(i, "RBE1 has no dependent dofs", "UM before the dependent grids")
    split = values.index("UM")
    independent = _point_components(ctx, table, i, values[:split])
    dependent = _point_components(ctx, table, i, values[split + 1 :])
    _check_apart(table, i, independent, dependent)
    rows = list(dict.fromkeys(row for row, _ in (*independent, *dependent)))
    held = _digits(np.unique([c for _, c in dependent]))
    link = RigidLink("rbe1", int(ctx.grids.id[rows[0]]), ctx.grids.id[rows[1:]], held)
    return rigid_body(ctx.grids, f"RBE1 {row[0]}", independent, dependent), link


def _rrod(ctx: Context, table: CardTable, i: int) -> Found:
    row = (table.row(i) + [None] * 5)[:5]
    a, b = grid_row(ctx, table, i, row[1]), grid_row(ctx, table, i, row[2])
    cma, cmb = components(table, i, row[3]), components(table, i, row[4])
    if len(cma) + len(cmb) != 1 or max([*cma, *cmb]) > 2:
        raise table.error(i, "RROD needs exactly one dependent translation", "one digit 1 to 3 in CMA or CMB")
    return rrod(ctx.grids, row[0], a, b, a if len(cma) else b, int([*cma, *cmb][0])), None


def _rjoint(ctx: Context, table: CardTable, i: int) -> Found:
    """RJOINT: EID, GA, GB, CB: components CB of GB (all if blank) move with GA, at the same place."""
    row = (table.row(i) + [None] * 4)[:4]
    a, b = grid_row(ctx, table, i, row[1]), grid_row(ctx, table, i, row[2])
    chosen = components(table, i, row[3]) if row[3] is not None else ALL
    apart = np.linalg.norm(ctx.grids.xyz[b] - ctx.grids.xyz[a])
    if apart > COINCIDENT * np.abs(ctx.grids.xyz[[a, b]]).max():
        raise table.error(
            i, "the grids of this RJOINT are not at one place", got=f"{apart:g} apart", hint="use RBAR"
        )
    equations = rbe2(ctx.grids, row[0], a, [b], chosen)
    equations.names = [f"RJOINT {row[0]}"]
    return equations, RigidLink("rbar", row[1], np.array([row[2]]), _digits(chosen))


def _check_apart(table: CardTable, i: int, independent: list, dependent: list) -> None:
    if set(independent) & set(dependent):
        raise table.error(i, f"{table.name} has a dof both independent and dependent")
    if not dependent:
        raise table.error(i, f"{table.name} has no dependent dofs")
