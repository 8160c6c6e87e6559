"""CBUSH1D and PBUSH1D of a deck."""

from __future__ import annotations

import numpy as np

from interstage.fem.elements.block import ElementBlock
from interstage.fem.elements.bush import AxialBushBlock
from interstage.fem.from_deck.bush import ends_apart, refuse_without_line
from interstage.fem.from_deck.context import Context
from interstage.fem.from_deck.lookup import used_properties
from interstage.nastran import CardTable

PARALLEL = 1e-6  # sine of the angle up to which the axis of CID lies along the line of the grids
CID = 5  # data field


def read(ctx: Context) -> list[ElementBlock]:
    """All CBUSH1D of a deck."""
    table = ctx.deck.cards("CBUSH1D")
    if not len(table):
        return []
    cards, back = used_properties(table, ctx.deck.cards("PBUSH1D"))
    k, c, mass, factors = (value[back] for value in _properties(cards))
    nodes = np.column_stack([ctx.rows(table, 3), ctx.rows(table, 4, optional=True)])
    axis, length = _axes(ctx, table, nodes)
    return [AxialBushBlock(table.unique_ids(), nodes, axis, length, k, c, mass, factors)]


def _properties(cards: CardTable) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """K, C, M (p,) and SA, SE (p, 2) of PBUSH1D cards; nonlinear springs and dampers are refused."""
    for i in range(len(cards)):
        more = [value for value in cards.row(i)[8:] if value is not None]
        if more:
            raise cards.error(
                i,
                f"{cards.label(i)} has a nonlinear spring or damper, and models here are linear",
                "K, C, M, SA and SE alone",
                str(more[0]),
                hint="take the continuation off if K and C are the values about which it moves",
            )
    neither = cards.blank(2) & cards.blank(3)
    if neither.any():
        i = int(np.argmax(neither))
        raise cards.error(i, f"{cards.label(i)} has neither stiffness nor damping", "K, C or both")
    k, c, mass, sa, se = (cards.real(j, 0.0) for j in (2, 3, 4, 6, 7))
    return k, c, mass, np.column_stack([sa, se])


def _axes(ctx: Context, table: CardTable, nodes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Unit axes (n, 3), from GA to GB or x of CID at GA, and distances (n,) of the grids."""
    axis, length = ends_apart(ctx, nodes)
    given = ~table.blank(CID)
    free = np.flatnonzero(~given)
    refuse_without_line(table.select(free), length[free])
    axis = axis / np.where(length > 0.0, length, 1.0)[:, None]
    if given.any():
        x = ctx.axes(table.select(given), CID, ctx.grids.xyz[nodes[given, 0]])[:, :, 0]
        aside = np.linalg.norm(np.cross(x, axis[given]), axis=1) * (length[given] > 0.0)
        if (aside > PARALLEL).any():
            i = int(np.flatnonzero(given)[np.argmax(aside > PARALLEL)])
            raise table.error(
                i,
                f"the x axis of the CID of {table.label(i)} is not along the line of its grids",
                hint="a force off that line would need a place to act at: use CBUSH, or leave CID blank",
            )
        axis[given] = x
    return axis, length
