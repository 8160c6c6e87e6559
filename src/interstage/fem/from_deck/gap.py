"""CGAP and PGAP of a deck: the springs of gaps as they are before anything moves."""

from __future__ import annotations

import numpy as np

from interstage.fem.elements.block import ElementBlock
from interstage.fem.elements.bush import BushBlock
from interstage.fem.elements.line_common import frames
from interstage.fem.from_deck.bush import ends_apart, orientation_vectors, refuse_without_line
from interstage.fem.from_deck.context import Context
from interstage.fem.from_deck.lookup import used_properties

CID = 8  # data field
OPEN = 1e-14  # stiffness of an open gap beside that of a closed one where KB is blank


def read(ctx: Context) -> list[ElementBlock]:
    """All gaps of a deck as springs between the translations of two grids.

    Linear solutions keep a gap in its first state (Quick Reference Guide): closed where the opening U0 is not positive,
    with KA along x and KT across; open otherwise, with KB along x alone.
    """
    table = ctx.deck.cards("CGAP")
    if not len(table):
        return []
    cards, back = used_properties(table, ctx.deck.cards("PGAP"))
    opening, ka = cards.real(2, 0.0), cards.real(4)
    kb, friction = cards.real(5, 0.0), cards.real(7, 0.0)
    kb = np.where(cards.blank(5), OPEN * ka, kb)
    kt = np.where(cards.blank(6), friction * ka, cards.real(6, 0.0))
    closed = opening <= 0.0
    k = np.zeros((len(cards), 6))
    k[:, 0] = np.where(closed, ka, kb)
    k[:, 1] = k[:, 2] = np.where(closed, kt, 0.0)
    nodes = np.column_stack([ctx.rows(table, 3), ctx.rows(table, 4)])
    still = np.zeros((len(table), 3))
    nothing = np.zeros((len(table), 6))
    block = BushBlock(
        table.unique_ids(),
        nodes,
        _axes(ctx, table, nodes),
        still,
        still,
        k[back],
        nothing,
        nothing,
        np.zeros(len(table)),
    )
    block.name = "CGAP"
    states = np.bincount(closed[back].astype(int), minlength=2)
    ctx.notes.append(f"CGAP keep their first state: {states[1]} closed, {states[0]} open")
    return [block]


def _axes(ctx: Context, table, nodes: np.ndarray) -> np.ndarray:
    """Element axes (n, 3, 3): those of CID at GA, or x from GA to GB and y in the plane of the orientation vector."""
    out = np.broadcast_to(np.eye(3), (len(table), 3, 3)).copy()
    given = ~table.blank(CID)
    if given.any():
        out[given] = ctx.axes(table.select(given), CID, ctx.grids.xyz[nodes[given, 0]])
    free = np.flatnonzero(~given)
    if len(free):
        part = table.select(free)
        axis, distance = ends_apart(ctx, nodes[free])
        refuse_without_line(part, distance)
        out[free], parallel = frames(axis, orientation_vectors(ctx, part, nodes[free, 0]))
        if parallel.any():
            i = int(np.argmax(parallel))
            raise part.error(
                i, f"{part.label(i)} has no orientation, or one along its axis", hint="give X1, X2, X3 or G0"
            )
    return out
