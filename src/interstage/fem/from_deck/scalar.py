"""Scalar springs, dampers and masses of a deck: CELAS1-4, CDAMP1-4, CMASS1-4."""

from __future__ import annotations

import numpy as np

from interstage.fem.from_deck.context import Context
from interstage.fem.from_deck.lookup import property_ids
from interstage.fem.scalars import Springs, SystemTerms, between
from interstage.nastran import CardTable
from interstage.nastran.cards import CARDS


def read(ctx: Context) -> SystemTerms:
    """All scalar elements of a deck as terms on g-set dofs.

    Types 1 and 3 take their value from a property, 2 and 4 from the card; 1 and 2 join components of grids
    (or scalar points, component 0 or blank), 3 and 4 scalar points.
    """
    out = SystemTerms([], [], [], [])
    for family, target in (("CELAS", out.K), ("CMASS", out.M), ("CDAMP", out.B)):
        values = _property_values(ctx, family)
        for kind in (1, 2, 3, 4):
            table = ctx.deck.cards(f"{family}{kind}")
            if not len(table):
                continue
            eid = table.unique_ids()
            a, b = _dofs(ctx, table, kind)
            if kind in (1, 3):
                value, ge, _ = _from_property(table, values).T
            else:
                value = table.real(2)
                ge = table.real(7, 0.0) if table.name == "CELAS2" else np.zeros(len(table))
            target.append(between(table.name, eid, a, b, value))
            if family == "CELAS" and ge.any():
                out.K4.append(between(table.name, eid, a, b, ge * value))
    return out


def read_springs(ctx: Context) -> list[Springs]:
    """The CELAS cards of a deck as elements, with the stress coefficients of their properties or cards."""
    out = []
    values = _property_values(ctx, "CELAS")
    for kind in (1, 2, 3, 4):
        table = ctx.deck.cards(f"CELAS{kind}")
        if not len(table):
            continue
        if kind in (1, 3):
            k, _, S = _from_property(table, values).T
        else:
            k = table.real(2)
            S = table.real(8, 0.0) if kind == 2 else np.zeros(len(table))
        out.append(Springs(table.name, table.unique_ids(), *_dofs(ctx, table, kind), k, S))
    return out


def _property_values(ctx: Context, family: str) -> dict[int, tuple[float, float, float]]:
    """Value, structural damping and stress coefficient of every PELAS (two a card), PMASS or PDAMP (four a card)."""
    card = CARDS[CARDS[f"{family}1"].properties[0]]
    table = ctx.deck.cards(card.name)
    step = card.ids[1] - card.ids[0]
    out: dict[int, tuple[float, float, float]] = {}
    for first in card.ids:
        pid, value = table.integer(first, 0), table.real(first + 1, 0.0)
        ge, S = (table.real(first + j, 0.0) if step == 4 else np.zeros(len(table)) for j in (2, 3))
        for i in np.flatnonzero(pid):
            if int(pid[i]) in out:
                raise table.error(int(i), f"property {pid[i]} is defined twice")
            out[int(pid[i])] = (float(value[i]), float(ge[i]), float(S[i]))
    return out


def _from_property(table: CardTable, values: dict[int, tuple[float, float, float]]) -> np.ndarray:
    pid = property_ids(table)
    for i, one in enumerate(pid):
        if int(one) not in values:
            name = CARDS[table.name].properties[0]
            raise table.error(
                i,
                f"{table.name} refers to property {one}, which is not in the deck",
                hint=f"add a {name} with this id or correct the id",
            )
    return np.array([values[int(one)] for one in pid])


def _dofs(ctx: Context, table: CardTable, kind: int) -> tuple[np.ndarray, np.ndarray]:
    """The g-set dofs (n,) at both terminals; -1 for ground."""
    if kind in (1, 2):
        a = _terminal(ctx, table, table.integer(3, 0), table.integer(4, 0))
        b = _terminal(ctx, table, table.integer(5, 0), table.integer(6, 0))
    else:
        nothing = np.zeros(len(table), dtype=np.int64)
        a = _terminal(ctx, table, table.integer(3, 0), nothing)
        b = _terminal(ctx, table, table.integer(4, 0), nothing)
    nowhere, itself = (a < 0) & (b < 0), (a == b) & (a >= 0)
    for bad, what in ((nowhere, "is grounded at both ends"), (itself, "joins a dof to itself")):
        if bad.any():
            i = int(np.argmax(bad))
            raise table.error(i, f"{table.name} {table.integer(1)[i]} {what}")
    return a, b


def _terminal(ctx: Context, table: CardTable, point: np.ndarray, component: np.ndarray) -> np.ndarray:
    """Dofs of points and components: grids with 1 to 6, scalar points with 0, blank or 1."""
    grids = ctx.grids
    row, scalar = grids.find(point), grids.find_spoint(point)
    ground = point == 0
    bad = ~ground & (row < 0) & (scalar < 0)
    if bad.any():
        i = int(np.argmax(bad))
        raise table.error(i, f"{table.name} refers to point {point[i]}, which is not in the deck")
    is_grid = row >= 0
    wrong = (is_grid & ~((component >= 1) & (component <= 6))) | (~is_grid & ~ground & (component > 1))
    wrong |= component < 0
    if wrong.any():
        i = int(np.argmax(wrong))
        wanted = "1 to 6 for a grid" if is_grid[i] else "0 or blank for a scalar point"
        raise table.error(i, f"a component of {table.name} is not possible", wanted, str(component[i]))
    out = np.full(len(point), -1, dtype=np.int64)
    out[is_grid] = grids.dof[row[is_grid]] + component[is_grid] - 1
    is_scalar = ~is_grid & ~ground
    out[is_scalar] = grids.spoint_dof[scalar[is_scalar]]
    return out
