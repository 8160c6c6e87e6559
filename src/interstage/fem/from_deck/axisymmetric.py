"""CTRIAX6 of a deck and PLOADX1 on its sides."""

from __future__ import annotations

import numpy as np

from interstage.errors import DeckError
from interstage.fem.elements.axisymmetric import EDGES, AxisymmetricBlock
from interstage.fem.elements.block import ElementBlock
from interstage.fem.elements.solid_common import rotate_material
from interstage.fem.from_deck.context import Context
from interstage.fem.from_deck.materials import Solid
from interstage.fem.from_deck.solids import check_nodes
from interstage.fem.loads import LoadSet, StaticLoadSets, to_cd
from interstage.nastran import CardTable

OFF_PLANE = 1e-6  # of the size of the model by which a grid may be off the xz plane
_GAUSS = np.polynomial.legendre.leggauss(4)  # of a side: r p N and its length


def read(ctx: Context) -> list[ElementBlock]:
    """All CTRIAX6 of a deck, one block for each pattern of mid-side nodes."""
    table = ctx.deck.cards("CTRIAX6")
    if not len(table):
        return []
    table.unique_ids()
    nodes = np.column_stack(
        [ctx.rows(table, j) for j in (3, 5, 7)] + [ctx.rows(table, j, optional=True) for j in (4, 6, 8)]
    )
    check_nodes(ctx, table, nodes)
    _check_places(ctx, table, nodes)
    mid, theta = table.integer(2), table.real(9, 0.0)
    pattern = (nodes[:, 3:] >= 0) @ np.array([1, 2, 4])
    blocks: list[ElementBlock] = []
    for one in np.unique(pattern):
        rows = np.flatnonzero(pattern == one)
        present = tuple((nodes[rows[0]] >= 0).tolist())
        use = nodes[np.ix_(rows, np.flatnonzero(present))]
        material = [_material(ctx, table, int(i), int(mid[i])) for i in rows]
        block = AxisymmetricBlock(
            table.integer(1)[rows],
            use,
            ctx.grids.xyz[use][:, :, [0, 2]],
            _turned(np.array([m.C for m in material]), theta[rows]),
            np.array([m.rho for m in material]),
            np.array([m.ge for m in material]),
            present,
        )
        alpha = np.array([np.diag(m.alpha[:3]) for m in material])
        turned = (theta[rows] != 0.0) & (alpha[:, 0, 0] != alpha[:, 2, 2])
        if turned.any():
            i = int(rows[np.argmax(turned)])
            raise table.error(i, f"a turned material that expands unlike along its axes: {table.label(i)}")
        block.expansion = alpha
        block.reference_temperature = np.array([m.tref for m in material])
        _check_shape(table, rows, block)
        blocks.append(block)
    return blocks


def _material(ctx: Context, table: CardTable, i: int, mid: int) -> Solid:
    try:
        return ctx.materials.axisymmetric(mid)
    except DeckError as error:
        if ctx.materials.kind(mid) in ("MAT1", "MAT3"):
            raise
        raise table.error(i, f"{table.label(i)}: {error.what}", got=error.got) from None


def _turned(C: np.ndarray, theta: np.ndarray) -> np.ndarray:
    """Moduli (n, 6, 6) in basic axes of materials turned by θ degrees in the xz plane, from x towards z."""
    c, s = np.cos(np.deg2rad(theta)), np.sin(np.deg2rad(theta))
    R = np.zeros((len(theta), 3, 3))
    R[:, 0, 0] = R[:, 2, 2] = c
    R[:, 2, 0], R[:, 0, 2], R[:, 1, 1] = s, -s, 1.0
    return rotate_material(C, R)


def _check_places(ctx: Context, table: CardTable, nodes: np.ndarray) -> None:
    """Refuse grids off the xz plane or at negative radius."""
    xyz = ctx.grids.xyz[nodes]
    size = np.abs(xyz).max()
    there = nodes >= 0
    for bad, what in (
        (np.abs(xyz[:, :, 1]) > OFF_PLANE * size, "is off the xz plane of the basic system"),
        (xyz[:, :, 0] < -OFF_PLANE * size, "has a negative x, which is the radius"),
    ):
        bad &= there
        if bad.any():
            i = int(np.argmax(bad.any(axis=1)))
            grid = ctx.grids.id[nodes[i][np.argmax(bad[i])]]
            raise table.error(i, f"grid {grid} of {table.label(i)} {what}")


def _check_shape(table: CardTable, rows: np.ndarray, block: AxisymmetricBlock) -> None:
    det = block.jacobians()
    sign = np.sign(det.sum(axis=1))[:, None]
    bad = (det * sign).min(axis=1) <= 1e-12 * np.ptp(block.xz, axis=1).max(axis=1) ** 2
    if bad.any():
        i = int(rows[np.argmax(bad)])
        raise table.error(
            i,
            f"{table.label(i)} has no area or is folded",
            hint="corners are G1, G3 and G5, mid-sides between",
        )


def read_side_pressures(ctx: Context, blocks: list[ElementBlock], loads: StaticLoadSets) -> None:
    """Add PLOADX1 cards: SID, EID, PA, PB, GA, GB, THETA.

    The traction is linear between the corners GA and GB; it acts along the inward normal of the line from GA to GB,
    turned by THETA degrees from x towards z, on the whole ring: f_i = ∫ p N_i 2πr ds.
    """
    table = ctx.deck.cards("PLOADX1")
    if not len(table):
        return
    rings = [block for block in blocks if isinstance(block, AxisymmetricBlock)]
    a, b = ctx.rows(table, 5), ctx.rows(table, 6)
    eid, pa = table.integer(2), table.real(3)
    pb, theta = np.where(table.blank(4), pa, table.real(4, 0.0)), np.deg2rad(table.real(7, 0.0))
    for i in range(len(table)):
        found = [(block, int(k)) for block in rings for k in np.flatnonzero(block.eid == eid[i])]
        if not found:
            raise table.error(i, f"PLOADX1 refers to CTRIAX6 {eid[i]}, which is not in the deck")
        block, k = found[0]
        if not _has_side(block, k, a[i], b[i]):
            raise table.error(i, f"GA and GB of this PLOADX1 are not two corners of CTRIAX6 {eid[i]}")
        load = (float(pa[i]), float(pb[i]), float(theta[i]))
        _add_side(ctx, loads.set(int(table.integer(1)[i])), block, k, int(a[i]), int(b[i]), load)


def read_old_side_pressures(ctx: Context, blocks: list[ElementBlock], loads: StaticLoadSets) -> None:
    """Add PLOADX cards: SID, P1, P3, GA, GB, GC: inward pressure on the side of a CTRIAX6 from GA to GC, GB between."""
    table = ctx.deck.cards("PLOADX")
    if not len(table):
        return
    rings = [block for block in blocks if isinstance(block, AxisymmetricBlock)]
    p1, a, b = table.real(2), ctx.rows(table, 4), ctx.rows(table, 6)
    p3 = np.where(table.blank(3), p1, table.real(3, 0.0))
    for i in range(len(table)):
        found = [(block, k) for block in rings for k in range(len(block)) if _has_side(block, k, a[i], b[i])]
        if not found:
            raise table.error(i, "GA and GC of this PLOADX are not two corners of a CTRIAX6 of the deck")
        load = (float(p1[i]), float(p3[i]), 0.0)
        _add_side(ctx, loads.set(int(table.integer(1)[i])), *found[0], int(a[i]), int(b[i]), load)


def _has_side(block: AxisymmetricBlock, k: int, a: int, b: int) -> bool:
    corners = block.nodes[k, :3].tolist()
    return a != b and a in corners and b in corners


def _add_side(
    ctx: Context,
    target: LoadSet,
    block: AxisymmetricBlock,
    k: int,
    a: int,
    b: int,
    load: tuple[float, float, float],
) -> None:
    """Add the load (pa, pb, theta) of the side from grid row a to b of one element."""
    nodes = block.nodes[k]
    corners = nodes[:3].tolist()
    ends = [corners.index(a), corners.index(b)]
    edge = next(e for e, pair in enumerate(EDGES) if set(pair) == set(ends))
    side, places = [a, b], [block.xz[k, end] for end in ends]
    if block.present[3 + edge]:
        at = 3 + sum(block.present[3 : 3 + edge])
        side.append(int(nodes[at]))
        places.append(block.xz[k, at])
    forces = _side_forces(np.array(places), block.xz[k, :3].mean(axis=0), *load)
    rows = np.array(side)
    target.dof.append((ctx.grids.dof[rows][:, None] + np.arange(3)).ravel())
    target.value.append(to_cd(ctx.grids, rows, forces).ravel())


def _side_forces(xz: np.ndarray, inside: np.ndarray, pa: float, pb: float, theta: float) -> np.ndarray:
    """Forces (k, 3) on the circles of the ends, and of the middle if it is there, of one side at xz (k, 2)."""
    t, weights = 0.5 * (_GAUSS[0] + 1.0), 0.5 * _GAUSS[1]
    if len(xz) == 2:
        N, dN = np.stack([1.0 - t, t]), np.stack([-np.ones_like(t), np.ones_like(t)])
    else:
        N = np.stack([(1.0 - t) * (1.0 - 2.0 * t), t * (2.0 * t - 1.0), 4.0 * t * (1.0 - t)])
        dN = np.stack([4.0 * t - 3.0, 4.0 * t - 1.0, 4.0 - 8.0 * t])
    along = xz[1] - xz[0]
    normal = np.array([-along[1], along[0]]) / np.linalg.norm(along)
    normal = normal if normal @ (inside - xz[0]) > 0.0 else -normal
    c, s = np.cos(theta), np.sin(theta)
    direction = np.array([c * normal[0] - s * normal[1], 0.0, s * normal[0] + c * normal[1]])
    length = np.linalg.norm(dN.T @ xz, axis=1)
    amount = ((1.0 - t) * pa + t * pb) * 2.0 * np.pi * (N.T @ xz[:, 0]) * length * weights
    return (N @ amount)[:, None] * direction
