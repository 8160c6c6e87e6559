"""Loads that follow the structure, and what their turning adds to the stiffness under preload.

    K_f = -½ (∂p/∂u + (∂p/∂u)ᵀ)

p(x) are nodal forces or moments made of positions x of grids: along the line of two grids (FORCE1), normal to two lines
(FORCE2), normal to faces (PLOAD4). The derivative is exact (complex steps). Its skew part, which a closed surface
under even pressure has not, is left out: buckling and modes under preload are problems of symmetric matrices.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from interstage.fem.grids import Grids

STEP = 1e-30


@dataclass(frozen=True)
class Follower:
    """Loads of one kind.

    at : (n, k) grid rows whose positions make them;  on : (n, m) grid rows where they act
    first : 0 for forces, 3 for moments
    value : positions (n, k, 3), real or complex, to vectors (n, m, 3), basic axes
    """

    at: np.ndarray
    on: np.ndarray
    first: int
    value: Callable[[np.ndarray], np.ndarray]

    def slopes(self, grids: Grids) -> sp.csr_matrix:
        """∂p/∂u (n_dof, n_dof), each grid in its CD system."""
        x = grids.xyz[self.at].astype(complex)
        n, k, _ = x.shape
        D = np.empty((n, self.on.shape[1], 3, k, 3))
        for j in range(k):
            for a in range(3):
                x[:, j, a] += 1j * STEP
                D[:, :, :, j, a] = self.value(x).imag / STEP
                x[:, j, a] = x[:, j, a].real
        R, Q = grids.R_basic_cd[self.on], grids.R_basic_cd[self.at]
        D = np.einsum("emia,emikb,ekbc->emakc", R, D, Q, optimize=True)
        rows = grids.dof[self.on][:, :, None] + self.first + np.arange(3)
        columns = grids.dof[self.at][:, :, None] + np.arange(3)
        place = [np.broadcast_to(rows[:, :, :, None, None], D.shape).ravel()]
        place.append(np.broadcast_to(columns[:, None, None], D.shape).ravel())
        return sp.coo_matrix((D.ravel(), place), shape=(grids.n_dof, grids.n_dof)).tocsr()


def follower_stiffness(grids: Grids, parts: list[tuple[float, Follower]]) -> sp.csr_matrix:
    """Stiffness K_f (n_dof, n_dof) of loads with their factors."""
    total = sp.csr_matrix((grids.n_dof, grids.n_dof))
    for factor, one in parts:
        total = total - factor * one.slopes(grids)
    return (0.5 * (total + total.T)).tocsr()
