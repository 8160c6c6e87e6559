"""What readers of solids share: grids named twice, elements inside out, axes of materials."""

from __future__ import annotations

import numpy as np

from interstage.fem.elements.solid_common import Shape, SolidBlock, element_axes
from interstage.fem.from_deck.context import Context
from interstage.nastran import CardTable


def check_nodes(ctx: Context, table: CardTable, nodes: np.ndarray) -> None:
    """Refuse elements that name a grid twice."""
    ordered = np.sort(nodes, axis=1)
    twice = (ordered[:, 1:] == ordered[:, :-1]) & (ordered[:, 1:] >= 0)
    if twice.any():
        i = int(np.argmax(twice.any(axis=1)))
        grid = ctx.grids.id[ordered[i, 1:][twice[i]][0]]
        raise table.error(
            i,
            f"{table.name} {table.integer(1)[i]} names grid {grid} twice",
            hint="use CPENTA, CPYRAM or CTETRA for a collapsed brick",
        )


def material_axes(ctx: Context, shape: Shape, xyz: np.ndarray, cordm: int) -> np.ndarray:
    """Axes (n, 3, 3) of the material system of elements xyz (n, k, 3); -1 is the element's own."""
    if cordm == -1:
        return element_axes(shape, xyz)
    centroid = xyz[:, : shape.n_corner].mean(axis=1)
    return ctx.coordinates.axes(np.full(len(centroid), cordm), centroid)


def check_jacobians(table: CardTable, rows: np.ndarray, block: SolidBlock) -> None:
    """Refuse elements that are turned inside out, flat or folded."""
    det = block.jacobians()
    lowest, highest = det.min(axis=1), det.max(axis=1)
    # a length of the element, cubed, is the scale below which a determinant is a zero
    size = np.ptp(block.xyz, axis=1).max(axis=1) ** 3
    bad = lowest <= 1e-12 * size
    if not bad.any():
        return
    i = int(np.argmax(bad))
    if highest[i] < -1e-12 * size[i]:
        hint = "its nodes run the wrong way round: exchange the first face with the opposite one"
        if block.name in ("CTETRA", "CPYRAM"):
            hint = "its nodes run the wrong way round: reverse the order of the base nodes"
        what = "is inside out (negative Jacobian)"
    elif highest[i] <= 1e-12 * size[i]:
        what, hint = "has no volume", "look for coincident or coplanar grids"
    else:
        what, hint = (
            "is folded (a Jacobian changes sign)",
            "look for crossed edges or a misplaced mid-edge grid",
        )
    raise table.error(int(rows[i]), f"{block.name} {block.eid[i]} {what}", hint=hint)
