"""Shell normals at grids (PARAM SNORM): one normal for all the shells that meet smoothly at a grid."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np


def grid_normals(blocks: Iterable, n_grids: int, tolerance_deg: float) -> np.ndarray:
    """Average the corner normals of all shells at each grid.

        n = Σ (n_i·n) n_i, normalized

    that is, each unit normal n_i weighs with its component along the mean: n is the axis that maximizes
    Σ (n·n_i)², and it does not depend on the signs of the n_i. A grid where any corner normal is more than
    `tolerance_deg` from n has a fold: it gets no normal.

    Parameters
    ----------
    blocks : shell blocks (`nodes`, `corners`, `corner_normals()`)
    n_grids : rows of the grid table
    tolerance_deg : PARAM SNORM; zero or less turns the normals off

    Returns
    -------
    (n_grids, 3) unit normals in basic axes (either sign), zero rows where there is none
    """
    blocks = [block for block in blocks if len(block)]
    if not blocks or tolerance_deg <= 0.0:
        return np.zeros((n_grids, 3))
    grid = np.concatenate([block.nodes[:, : block.corners].ravel() for block in blocks])
    normal = np.concatenate([block.corner_normals().reshape(-1, 3) for block in blocks])

    moment = _sum_at(grid, (normal[:, :, None] * normal[:, None, :]).reshape(-1, 9), n_grids)
    used = np.unique(grid)
    axis = np.zeros((n_grids, 3))
    axis[used] = np.linalg.eigh(moment[used].reshape(-1, 3, 3))[1][:, :, 2]
    cosine = np.abs(np.einsum("ij,ij->i", normal, axis[grid]))
    axis[grid[cosine < np.cos(np.deg2rad(tolerance_deg))]] = 0.0
    return axis


def _sum_at(grid: np.ndarray, values: np.ndarray, n_grids: int) -> np.ndarray:
    """Sum rows of values (m, k) that belong to the same grid: (n_grids, k)."""
    columns = [np.bincount(grid, column, minlength=n_grids) for column in values.T]
    return np.stack(columns, axis=1)
