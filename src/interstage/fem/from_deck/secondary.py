"""Secondary superelements of a deck (CSUPER): copies of a part at points of the residual structure.

NASTRAN gives the reduced matrices of the primary superelement to the points of the card, component by component. The
copy is therefore turned as the displacement axes of those points are against those of the primary's exterior points;
the points must lie as that turn says.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import NamedTuple

import numpy as np

from interstage.fem.from_deck.context import Context
from interstage.nastran import CardTable, Deck, expand_ids

ALIKE = 1e-3  # of the size of the boundary, that its points may lie aside; of axes, that they may differ


class Secondary(NamedTuple):
    """One CSUPER: a copy of part `primary` at `points` of the residual structure; row `i` of the table."""

    number: int
    primary: int
    points: list[int]
    table: CardTable
    i: int


def secondaries(deck: Deck) -> Iterator[Secondary]:
    """CSUPER: SSID, PSID, GP1, GP2, ..."""
    table, seen = deck.cards("CSUPER"), set(deck.parts)
    for i, row in enumerate(table.rows()):
        number, primary = [*row, None, None][:2]
        if not isinstance(number, int) or number < 1 or number in seen:
            raise table.error(i, "CSUPER does not name a new superelement", "a number that is not in use")
        seen.add(number)
        if not primary:
            raise table.error(
                i,
                "CSUPER of an external superelement is not supported",
                hint="give its matrices a section of their own (BEGIN SUPER) and SEBULK EXTERNAL",
            )
        if primary not in deck.parts:
            raise table.error(
                i,
                f"CSUPER copies superelement {primary}, which has no section (BEGIN SUPER = {primary})",
                hint="superelements that GRID cards name (SEID) are not cut out: give it a section of its own",
            )
        yield Secondary(number, primary, expand_ids(row[2:], partial(table.error, i)).tolist(), table, i)


def place(one: Secondary, main: Context, ctx: Context, exterior: list[int]) -> None:
    """Carry the copy to its points; `exterior`: those of the primary that others share, in ascending order."""
    table, i = one.table, one.i
    if len(exterior) != len(one.points):
        names = ", ".join(map(str, exterior)) or "none: nothing shares a point with it"
        raise table.error(
            i,
            f"CSUPER {one.number} does not name one point for each exterior point of superelement {one.primary}",
            expected=f"{len(exterior)} ({names})",
            got=str(len(one.points)),
        )
    mine, theirs = ctx.grids.find(np.array(exterior)), main.grids.find(np.array(one.points))
    scalar = main.grids.find_spoint(np.array(one.points)) >= 0
    wrong = np.flatnonzero(np.where(mine < 0, ~scalar, theirs < 0))
    if len(wrong):
        kind = "grid" if mine[wrong[0]] >= 0 else "scalar point"
        raise table.error(
            i, f"CSUPER refers to point {one.points[wrong[0]]}", f"a {kind} of the main bulk data"
        )
    mine, theirs = mine[mine >= 0], theirs[mine >= 0]
    if not len(mine):
        return
    here, there = ctx.grids.xyz[mine], main.grids.xyz[theirs]
    turns = main.grids.R_basic_cd[theirs] @ ctx.grids.R_basic_cd[mine].transpose(0, 2, 1)
    if np.abs(turns - turns[0]).max() > ALIKE:
        raise table.error(
            i,
            f"displacement axes (CD) at the points of CSUPER {one.number} are not turned alike",
            expected="one turn from those of the exterior points to those of the points",
            hint="give the points the same axes as those that they stand for, or repeat the part with SEBULK and SELOC",
        )
    shift = there[0] - turns[0] @ here[0]
    off = float(np.abs(here @ turns[0].T + shift - there).max())
    if off > ALIKE * float(np.ptp(here, axis=0).max()) + 1e-9:
        raise table.error(
            i,
            f"the points of CSUPER {one.number} do not lie as those of superelement {one.primary} do",
            expected="their places, turned as the displacement axes (CD) are",
            got=f"{off:.3g} apart",
            hint="list them in ascending order of the points that they stand for; for an image use SEBULK MIRROR",
        )
    ctx.move(turns[0], shift)
