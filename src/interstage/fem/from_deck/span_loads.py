"""Loads between the ends of bars, beams and curved beams of a deck: PLOAD1."""

from __future__ import annotations

import numpy as np

from interstage.fem.elements.bar import LineBlock
from interstage.fem.elements.block import ElementBlock
from interstage.fem.elements.curved_beam import CurvedBeamBlock, gauss_unit
from interstage.fem.elements.line_common import rigid_arm
from interstage.fem.elements.span import SpanLoads, end_loads
from interstage.fem.from_deck.context import Context
from interstage.fem.loads import Loads, to_cd
from interstage.nastran import CardTable

_SCALES = ("LE", "FR", "LEPR", "FRPR")


def read_span_loads(ctx: Context, blocks: list[ElementBlock], loads: Loads) -> None:
    """PLOAD1: SID, EID, TYPE, SCALE, X1, P1, X2, P2 on CBAR and CBEAM."""
    table = ctx.deck.cards("PLOAD1")
    if not len(table):
        return
    eid, found = table.integer(2), np.zeros(len(table), dtype=bool)
    for number, block in enumerate(blocks):
        if not isinstance(block, LineBlock):
            continue
        order = np.argsort(block.eid)
        at = order[np.minimum(np.searchsorted(block.eid[order], eid), len(order) - 1)]
        here = block.eid[at] == eid
        found |= here
        if here.any():
            _place(ctx, table.select(here), block, number, at[here], loads)
    found |= _read_curved(ctx, table, blocks, loads)
    if not found.all():
        i = int(np.argmin(found))
        raise table.error(
            i, f"PLOAD1 refers to element {eid[i]}, which is no CBAR, CBEAM or CBEND of the deck"
        )


def _read_curved(ctx: Context, table: CardTable, blocks: list[ElementBlock], loads: Loads) -> np.ndarray:
    """Loads in basic axes over the whole of CBEND; which cards (n,) they are.

    Motions of the curve for motions of its ends are those of loads at the ends, so that ∫ Nᵀ p ds are the forces that
    hold the ends (Betti).
    """
    eid, found = table.integer(2), np.zeros(len(table), dtype=bool)
    for block in (one for one in blocks if isinstance(one, CurvedBeamBlock) and len(one.spans) == 1):
        for row, number in enumerate(block.eid.tolist()):
            for i in np.flatnonzero(eid == number).tolist():
                found[i] = True
                _place_curved(ctx, table, i, block, row, loads)
        if found.any():
            ctx.notes.append(f"PLOAD1 on {block.name}: section forces leave out what acts between the ends")
    return found


def _place_curved(
    ctx: Context, table: CardTable, i: int, block: CurvedBeamBlock, row: int, loads: Loads
) -> None:
    span = block.spans[0][row : row + 1]
    length = float(span.ds.sum())
    word, scale = str(table.word(3)[i]), str(table.word(4, "LE")[i])
    whole = 1.0 if scale == "FR" else length
    first, last = float(table.real(5)[i]), float(table.real(7, np.nan)[i])
    if word not in ("FX", "FY", "FZ", "MX", "MY", "MZ") or scale not in ("LE", "FR") or first != 0.0:
        last = np.nan
    if not abs(last - whole) <= 1e-3 * whole:
        raise table.error(
            i,
            f"PLOAD1 on {block.name} {block.eid[row]} is not supported",
            expected="FX to MZ in basic axes over the whole length, SCALE LE or FR",
            got=f"{word}, {scale}, {first:g} to {last:g}",
        )
    p1, p2 = float(table.real(6)[i]), float(table.real(8, 0.0)[i])
    points, _ = gauss_unit(span.ds.shape[1])
    component = 3 * (word[0] == "M") + "XYZ".index(word[1])
    motion = span.motions()[0][0, :, component]  # (p, 12)
    ends = (span.ds[0] * (p1 + (p2 - p1) * points)) @ motion
    target = loads.set(int(table.integer(1)[i]))
    for node in (0, 1):
        f = rigid_arm(block.arms[row : row + 1, node])[0].T @ ends[6 * node : 6 * node + 6]
        grid = block.nodes[row : row + 1, node]
        for at in (0, 3):
            target.dof.append(ctx.grids.dof[grid] + at + np.arange(3))
            target.value.append(to_cd(ctx.grids, grid, f[None, at : at + 3])[0])


def _place(
    ctx: Context, table: CardTable, block: LineBlock, number: int, row: np.ndarray, loads: Loads
) -> None:
    """Add the loads of cards on the bars `row` of a block."""
    local = end_loads(block, _loads(table, block, row))
    geometry = block.geometry[row]
    nodal = np.einsum("nij,ni->nj", geometry.end_motion(), local)
    sid = table.integer(1)
    for one in np.unique(sid):
        which = np.flatnonzero(sid == one)
        target = loads.set(int(one))
        held = target.spans.setdefault(number, np.zeros((len(block), 12)))
        np.add.at(held, row[which], local[which])
        for first in (0, 3, 6, 9):
            grid = block.nodes[row[which], first // 6]
            target.dof.append((ctx.grids.dof[grid][:, None] + first % 6 + np.arange(3)).ravel())
            target.value.append(to_cd(ctx.grids, grid, nodal[which, first : first + 3]).ravel())


def _loads(table: CardTable, block: LineBlock, row: np.ndarray) -> SpanLoads:
    """Places and sizes in element axes; a blank X2 makes a load at a point."""
    geometry = block.geometry[row]
    scale, kind = table.word(4, "LE"), table.word(3)
    first, last = table.real(5), table.real(7, np.nan)
    p1, p2 = table.real(6), table.real(8, 0.0)
    point = np.isnan(last) | (last == first)
    vectors = np.zeros((len(table), 6))
    for i, word in enumerate(kind):
        if scale[i] not in _SCALES:
            raise table.error(i, "SCALE of this PLOAD1 is not known", "LE, FR, LEPR or FRPR", str(scale[i]))
        if (
            len(word) not in (2, 3)
            or word[0] not in "FM"
            or word[1] not in "XYZ"
            or word[2:] not in ("", "E")
        ):
            raise table.error(
                i, "TYPE of this PLOAD1 is not known", "FX, FY, FZ, MX, ..., FXE, ...", str(word)
            )
        along = np.eye(3)["XYZ".index(word[1])]
        along = along if word.endswith("E") else geometry.R[i].T @ along
        if scale[i].endswith("PR") and not point[i]:  # a force at a point has no length to project
            along = along * np.sqrt(max(1.0 - along[0] ** 2, 0.0))
        at = 0 if word[0] == "F" else 3
        vectors[i, at : at + 3] = along
    last = np.where(point, first, last)
    length = np.where(np.char.startswith(scale.astype(str), "FR"), geometry.length, 1.0)
    start, stop = first * length, last * length
    bad = (start < 0.0) | (stop < start) | (stop > geometry.length * (1.0 + 1e-6))
    if bad.any():
        i = int(np.argmax(bad))
        raise table.error(
            i,
            "the load of this PLOAD1 is not on the bar",
            "0 <= X1 <= X2 <= length",
            f"{first[i]:g} to {last[i]:g}",
        )
    stop = np.minimum(stop, geometry.length)
    return SpanLoads(row, start, stop, p1[:, None] * vectors, np.where(point, p1, p2)[:, None] * vectors)
