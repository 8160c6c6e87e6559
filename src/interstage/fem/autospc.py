"""AUTOSPC: find and constrain dofs of grid points that have no stiffness.

For the translations and for the rotations of each grid, the 3 by 3 diagonal block of K_nn (after rigid
elements and MPCs are eliminated) is compared with itself: a principal stiffness below EPZERO (1e-8)
times the largest makes the component nearest to its direction singular. A block of zeros is singular in
all its components. Mass does not matter.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from interstage.fem.grids import Grids


@dataclass(frozen=True)
class Singularities:
    """Grid-point singularities: g-set dofs and the stiffness ratio that shows each."""

    dof: np.ndarray
    ratio: np.ndarray

    def __len__(self) -> int:
        return len(self.dof)

    def lines(self, grids: Grids, limit: int = 20) -> list[str]:
        """Sentences for a report, one a dof."""
        out = [
            f"{grids.name_of(int(d))}: stiffness ratio {r:.1e}" for d, r in zip(self.dof[:limit], self.ratio)
        ]
        if len(self) > limit:
            out.append(f"and {len(self) - limit} more")
        return out


def find_singularities(
    K_nn, n: np.ndarray, free: np.ndarray, grids: Grids, epzero: float = 1e-8
) -> Singularities:
    """Find the singular dofs among `free`.

    Parameters
    ----------
    K_nn : (n, n) stiffness on the n-set, whose g-set dofs are `n` (sorted)
    free : g-set dofs that may be singular (not constrained already, not named in the user's sets)
    """
    place = np.full(grids.n_dof, -1, dtype=np.int64)
    place[n] = np.arange(len(n))
    allowed = np.zeros(grids.n_dof, dtype=bool)
    allowed[free] = True
    found = [_scalar_points(K_nn, place, allowed, grids)]
    for first in (0, 3):
        dofs = grids.dof[:, None] + np.arange(first, first + 3)
        found.append(_triples(K_nn, place[dofs], dofs, allowed[dofs], epzero))
    dof = np.concatenate([part[0] for part in found]).astype(np.int64)
    ratio = np.concatenate([part[1] for part in found])
    order = np.argsort(dof)
    return Singularities(dof[order], ratio[order])


def _scalar_points(K_nn, place, allowed, grids: Grids):
    dofs = grids.spoint_dof[allowed[grids.spoint_dof]]
    bad = dofs[K_nn.diagonal()[place[dofs]] == 0.0]
    return bad, np.zeros(len(bad))


def _triples(K_nn, place, dofs, allowed, epzero: float):
    """Singular components of 3 by 3 blocks; `place` (k, 3) is -1 for dofs outside the n-set."""
    blocks = _blocks(K_nn, place)
    size = np.abs(np.einsum("kii->ki", blocks)).max(axis=1, initial=0.0)
    # Components that cannot be singular are made as stiff as the stiffest and uncoupled.
    for i in range(3):
        shut = ~allowed[:, i]
        blocks[shut, i, :] = 0.0
        blocks[shut, :, i] = 0.0
        blocks[shut, i, i] = np.where(size[shut] > 0.0, size[shut], 1.0)
    value, V = np.linalg.eigh(blocks)
    weak = value <= epzero * size[:, None]
    taken = ~allowed
    dof, ratio = [], []
    for j in range(3):
        k = np.flatnonzero(weak[:, j])
        share = np.where(taken[k], -1.0, np.abs(V[k, :, j]))
        # near ties go to the higher component, as a weak pivot does
        c = 2 - np.argmax(np.round(share[:, ::-1], 6), axis=1)
        ok = share[np.arange(len(k)), c] >= 0.0
        k, c = k[ok], c[ok]
        taken[k, c] = True
        dof.append(dofs[k, c])
        ratio.append(np.abs(value[k, j]) / np.where(size[k] > 0.0, size[k], 1.0))
    return np.concatenate(dof), np.concatenate(ratio)


def _blocks(K_nn, place) -> np.ndarray:
    """Diagonal blocks (k, 3, 3) of K_nn at the given positions, zero where a position is -1."""
    K = sp.csr_array(K_nn)
    n = K.shape[0]
    # For each row of K_nn: which block it belongs to, and which row of it.
    block, local = np.full(n, -1), np.zeros(n, dtype=np.int64)
    k, i = np.nonzero(place >= 0)
    block[place[k, i]], local[place[k, i]] = k, i
    row = np.repeat(np.arange(n), np.diff(K.indptr))
    inside = (block[row] >= 0) & (block[row] == block[K.indices])
    row, column, data = row[inside], K.indices[inside], K.data[inside]
    out = np.zeros((len(place), 3, 3))
    np.add.at(out, (block[row], local[row], local[column]), data)
    return out
