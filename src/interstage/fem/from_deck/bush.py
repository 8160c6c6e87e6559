"""CBUSH and PBUSH of a deck."""

from __future__ import annotations

import numpy as np

from interstage.fem.elements.block import ElementBlock
from interstage.fem.elements.bush import BushBlock
from interstage.fem.elements.line_common import any_frames, frames
from interstage.fem.from_deck.context import Context
from interstage.fem.from_deck.lookup import find_properties, property_ids
from interstage.nastran import CardTable

COINCIDENT = 1e-10  # of the size of the coordinates


def read(ctx: Context) -> list[ElementBlock]:
    """All bushes of a deck."""
    table = ctx.deck.cards("CBUSH")
    if not len(table):
        return []
    pbush = ctx.deck.cards("PBUSH")
    _, row = find_properties(table, property_ids(table), [pbush])
    used, back = np.unique(row, return_inverse=True)
    k, b, ge, mass, stress, heat = (value[back] for value in _properties(pbush, used))
    nodes = np.column_stack([ctx.rows(table, 3), ctx.rows(table, 4, optional=True)])
    R = _axes(ctx, table, nodes, k, b)
    w_a, w_b = _arms(ctx, table, nodes)
    block = BushBlock(table.unique_ids(), nodes, R, w_a, w_b, k, b, ge, mass, stress)
    if heat.any():
        apart = ends_apart(ctx, nodes)[1]
        block.expansion = heat[:, 0] * np.where(apart > 0.0, apart, heat[:, 2])
        block.reference_temperature = heat[:, 1]
    return [block]


def ends_apart(ctx: Context, nodes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Vectors (n, 3) from the first grid to the second, and their lengths (n,): zero at one place or to ground."""
    a, b = ctx.grids.xyz[nodes[:, 0]], ctx.grids.xyz[nodes[:, 1]]
    axis, size = b - a, np.maximum(np.abs(a).max(axis=1), np.abs(b).max(axis=1))
    distance = np.linalg.norm(axis, axis=1)
    return axis, np.where((nodes[:, 1] >= 0) & (distance > COINCIDENT * size), distance, 0.0)


def refuse_without_line(table: CardTable, distance: np.ndarray) -> None:
    """Raise a DeckError at the first of these elements, which have no CID, whose grids give no direction."""
    if (distance == 0.0).any():
        i = int(np.argmax(distance == 0.0))
        raise table.error(
            i,
            f"{table.label(i)} joins grids at one place, or one grid to ground, and has no CID",
            hint="give the coordinate system of its springs in field CID (0 for basic)",
        )


def _properties(pbush: CardTable, used: np.ndarray):
    """Stiffness, damping, structural damping (p, 6), mass (p,), SA, ST (p, 2), ALPHA, TREF, COINL (p, 3) of PBUSH.

    Every line is a keyword and its values. Where no PBUSH of the deck gives more than GE1, GE1 holds for
    all six components (Quick Reference Guide).
    """
    rows = [_lines(pbush, i) for i in range(len(pbush))]
    only_first = not any(any(lines["GE"][1:]) for lines in rows)
    if only_first:
        for lines in rows:
            lines["GE"] = [lines["GE"][0]] * 6
    picked = [rows[i] for i in used]
    k, b, ge = (np.array([lines[key] for lines in picked]).reshape(-1, 6) for key in ("K", "B", "GE"))
    stress = np.array([lines["RCV"][:2] for lines in picked]).reshape(-1, 2)
    heat = np.array([lines["T"][:3] for lines in picked]).reshape(-1, 3)
    return k, b, ge, np.array([lines["M"][0] for lines in picked]), stress, heat


def _lines(table: CardTable, i: int) -> dict[str, list[float]]:
    row = table.row(i)
    out = {key: [0.0] * 6 for key in ("K", "B", "GE", "M", "T")}
    out["RCV"] = [1.0] * 6
    for first in range(1, len(row), 8):
        key, values = row[first], row[first + 1 : first + 7]
        if key is None and not any(v is not None for v in values):
            continue
        if key not in out:
            known = "K, B, GE, M, T or RCV"
            raise table.error(i, "PBUSH has a line with an unknown keyword", known, str(key))
        for c, value in enumerate(values):
            if isinstance(value, str):
                raise table.error(i, f"{key}{c + 1} of PBUSH is not a number", got=value)
            if value is not None:
                out[key][c] = float(value)
    return out


def _axes(ctx: Context, table: CardTable, nodes: np.ndarray, k: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Element axes (n, 3, 3): those of CID at GA, or x from GA to GB with an orientation vector."""
    xyz = ctx.grids.xyz
    at = xyz[nodes[:, 0]]
    out = np.broadcast_to(np.eye(3), (len(table), 3, 3)).copy()
    by_cid = ~table.blank(8)
    if by_cid.any():
        part = table.select(by_cid)
        out[by_cid] = ctx.axes(part, 8, at[by_cid])
    free = np.flatnonzero(~by_cid)
    if not len(free):
        return out
    part = table.select(free)
    axis, distance = ends_apart(ctx, nodes[free])
    refuse_without_line(part, distance)
    given = ~(part.blank(5) & part.blank(6) & part.blank(7))
    R = any_frames(axis)
    if given.any():
        v = orientation_vectors(ctx, part.select(given), nodes[free[given], 0])
        R[given], parallel = frames(axis[given], v)
        if parallel.any():
            i = int(free[np.flatnonzero(given)[np.argmax(parallel)]])
            raise table.error(
                i, f"the orientation vector of CBUSH {table.integer(1)[i]} is parallel to its axis"
            )
    # without an orientation only values that are alike across the axis have a meaning
    for values in (k[free], b[free]):
        uneven = ~given & ((values[:, 1] != values[:, 2]) | (values[:, 4] != values[:, 5]))
        if uneven.any():
            i = int(free[np.argmax(uneven)])
            raise table.error(
                i,
                f"CBUSH {table.integer(1)[i]} has no orientation",
                hint="give X1, X2, X3, G0 or CID; without them only K1, K4, B1 and B4 have a direction",
            )
    out[free] = R
    return out


def orientation_vectors(ctx: Context, table: CardTable, a: np.ndarray, first: int = 5) -> np.ndarray:
    """Orientation vectors (n, 3) of three data fields from `first` on: from GA to G0, or in the CD system of GA."""
    by_grid = table.is_integer(first) & table.blank(first + 1) & table.blank(first + 2)
    v = np.zeros((len(table), 3))
    if by_grid.any():
        v[by_grid] = ctx.grids.xyz[ctx.rows(table.select(by_grid), first)] - ctx.grids.xyz[a[by_grid]]
    rest = ~by_grid
    if rest.any():
        part = table.select(rest)
        x = np.column_stack([part.real(first + k, 0.0) for k in range(3)])
        v[rest] = np.einsum("nij,nj->ni", ctx.grids.R_basic_cd[a[rest]], x)
    return v


def _arms(ctx: Context, table: CardTable, nodes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Vectors (n, 3) from GA and from GB to the springs.

    OCID blank or -1: at the fraction S (0.5 if blank) of the way from GA to GB. Otherwise S1, S2, S3 are the
    components of the vector from GA to the springs in the system OCID.
    """
    xyz = ctx.grids.xyz
    a = xyz[nodes[:, 0]]
    b = np.where(nodes[:, 1:] >= 0, xyz[nodes[:, 1]], a)
    s = table.real(9, 0.5)
    outside = ~((s >= 0.0) & (s <= 1.0))
    if outside.any():
        i = int(np.argmax(outside))
        raise table.error(i, "S of CBUSH is outside the element", "0 to 1", f"{s[i]:g}")
    w_a = s[:, None] * (b - a)
    ocid = table.integer(10, -1)
    by_system = ocid >= 0
    if by_system.any():
        part = table.select(by_system)
        offset = np.column_stack([part.real(j, 0.0) for j in (11, 12, 13)])
        w_a[by_system] = np.einsum("nij,nj->ni", ctx.axes(part, 10, a[by_system]), offset)
    return w_a, a + w_a - b
