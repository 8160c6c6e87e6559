"""Concentrated masses of a deck: CONM1, CONM2."""

from __future__ import annotations

import numpy as np

from interstage.fem.elements.block import ElementBlock
from interstage.fem.elements.line_common import transform, turn
from interstage.fem.elements.point_mass import GeneralMassBlock, PointMassBlock
from interstage.fem.from_deck.context import Context
from interstage.nastran import CardTable


def read(ctx: Context) -> list[ElementBlock]:
    """All concentrated masses of a deck."""
    readers = (_conm2, _conm1)
    return [block for block in (one(ctx) for one in readers) if block is not None]


def _conm2(ctx: Context) -> PointMassBlock | None:
    """CONM2: offsets and inertia in the axes of CID at the grid; CID = -1: place in basic coordinates."""
    table = ctx.deck.cards("CONM2")
    if not len(table):
        return None
    rows = ctx.rows(table, 2)
    at = ctx.grids.xyz[rows]
    cid = table.integer(3, 0)
    absolute = cid == -1
    R = _axes(ctx, table, np.where(absolute, 0, cid), at)
    given = np.column_stack([table.real(j, 0.0) for j in (5, 6, 7)])
    offset = np.where(absolute[:, None], given - at, np.einsum("nij,nj->ni", R, given))
    i11, i21, i22, i31, i32, i33 = (table.real(j, 0.0) for j in range(9, 15))
    # the card holds the products of inertia; the tensor has their negatives
    tensor = np.stack([i11, -i21, -i31, -i21, i22, -i32, -i31, -i32, i33], axis=1).reshape(-1, 3, 3)
    inertia = R @ tensor @ R.transpose(0, 2, 1)
    return PointMassBlock(table.unique_ids(), rows, table.real(4, 0.0), offset, inertia)


def _conm1(ctx: Context) -> GeneralMassBlock | None:
    """CONM1: the lower triangle of a 6 by 6 matrix by rows, in the axes of CID at the grid."""
    table = ctx.deck.cards("CONM1")
    if not len(table):
        return None
    rows = ctx.rows(table, 2)
    R = _axes(ctx, table, table.integer(3, 0), ctx.grids.xyz[rows])
    matrix = np.zeros((len(table), 6, 6))
    for k, (p, q) in enumerate(zip(*np.tril_indices(6))):
        matrix[:, p, q] = matrix[:, q, p] = table.real(4 + k, 0.0)
    return GeneralMassBlock(table.unique_ids(), rows, transform(matrix, turn(R)))


def _axes(ctx: Context, table: CardTable, cid: np.ndarray, at: np.ndarray) -> np.ndarray:
    ctx.check_systems(table, cid)
    return ctx.coordinates.axes(cid, at)
