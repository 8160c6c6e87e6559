"""Dofs of constraint and set cards: component digits, single points and THRU lists."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from interstage.fem.from_deck.context import Context
from interstage.nastran import CardTable
from interstage.nastran.ids import expand_ids


def components(table: CardTable, i: int, value, name: str = "component") -> np.ndarray:
    """Components 0..5 from digits such as 123456; empty for blank or 0."""
    if value is None or value == 0:
        return np.zeros(0, dtype=np.int64)
    digits = str(value) if isinstance(value, int) else ""
    if not digits or any(d not in "123456" for d in digits) or len(set(digits)) != len(digits):
        raise table.error(
            i, f"the {name} of this {table.name} is wrong", "digits 1 to 6, each once", repr(value)
        )
    return np.array([int(d) - 1 for d in digits], dtype=np.int64)


def grid_row(ctx: Context, table: CardTable, i: int, value: object) -> int:
    """Grid-table row of a grid id in a card."""
    if not isinstance(value, int):
        raise table.error(i, f"a grid of this {table.name} is missing", "a grid id", repr(value))
    row = int(ctx.grids.find(value))
    if row < 0:
        raise table.error(
            i,
            f"{table.name} refers to grid {value}, which is not in the deck",
            hint="add the GRID card or correct the id",
        )
    return row


def point_dofs(ctx: Context, table: CardTable, i: int, point, value) -> np.ndarray:
    """g-set dofs of components (digits) of a grid, or of a scalar point (0, 1 or blank)."""
    if not isinstance(point, int):
        raise table.error(
            i, f"a point of this {table.name} is missing", "a grid or scalar point id", repr(point)
        )
    row = int(ctx.grids.find(point))
    if row >= 0:
        chosen = components(table, i, value)
        if not len(chosen):
            raise table.error(i, f"{table.name} gives no component for grid {point}", "digits 1 to 6")
        return ctx.grids.dof[row] + chosen
    at = int(ctx.grids.find_spoint(point))
    if at < 0:
        raise table.error(
            i,
            f"{table.name} refers to point {point}, which is not in the deck",
            hint="add the GRID or SPOINT card or correct the id",
        )
    if value not in (None, 0, 1):
        raise table.error(i, f"{table.name} gives component {value} of scalar point {point}", "0, 1 or blank")
    return ctx.grids.spoint_dof[at : at + 1]


def list_dofs(ctx: Context, table: CardTable, i: int, value, points: Sequence) -> np.ndarray:
    """g-set dofs of one set of components at a list of points; points of a THRU range need not exist."""
    grids = ctx.grids
    given = [p for p in points if p is not None]
    if len(given) == 3 and given[1] == "THRU" and isinstance(given[0], int) and isinstance(given[2], int):
        if given[2] < given[0]:
            raise table.error(i, "THRU runs backwards", got=f"{given[0]} THRU {given[2]}")
        both = np.concatenate([grids.id, grids.spoint])
        ids = np.sort(both[(both >= given[0]) & (both <= given[2])])
    else:
        ids = expand_ids(given, lambda *a, **k: table.error(i, *a, **k))
    rows, spoints = grids.find(ids), grids.find_spoint(ids)
    missing = (rows < 0) & (spoints < 0)
    if not len(ids) or (missing.any() and ("THRU" not in given or missing.all())):
        what = "names no point that is in the deck"
        if len(ids):
            what = f"refers to point {ids[np.argmax(missing)]}, which is not in the deck"
        raise table.error(i, f"{table.name} {what}", hint="add the GRID or correct the id")
    chosen = components(table, i, value)
    rows, spoints = rows[rows >= 0], spoints[spoints >= 0]
    if len(rows) and not len(chosen):
        raise table.error(i, f"{table.name} gives no component for a grid", "digits 1 to 6")
    return np.concatenate([(grids.dof[rows][:, None] + chosen).ravel(), grids.spoint_dof[spoints]])
