"""Terms of system matrices that act on single degrees of freedom: scalar elements and direct matrix input."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np


@dataclass(frozen=True)
class ScalarTerms:
    """Sparse triplets on g-set dofs, in CD axes: `A[i, j] += value`.

    Attributes
    ----------
    name : the card, e.g. "CELAS2", or "DMIG" and the name of the matrix
    eid : (m,) element id of each term (0 for direct matrix input)
    i, j : (m,) g-set dofs; both triangles are present
    value : (m,) terms
    """

    name: str
    eid: np.ndarray
    i: np.ndarray
    j: np.ndarray
    value: np.ndarray

    def __len__(self) -> int:
        return len(self.value)


class SystemTerms(NamedTuple):
    """Terms of stiffness, mass, viscous damping and structural damping."""

    K: list[ScalarTerms]
    M: list[ScalarTerms]
    B: list[ScalarTerms]
    K4: list[ScalarTerms]


def between(name: str, eid: np.ndarray, a: np.ndarray, b: np.ndarray, value: np.ndarray) -> ScalarTerms:
    """Terms of springs (masses, dampers) `value` (n,) between dofs a and b (n,); -1 is ground.

    Each element contributes `value * [[1, -1], [-1, 1]]` on (a, b), less what stands on ground.
    """
    rows = np.concatenate([a, b, a, b])
    cols = np.concatenate([a, b, b, a])
    terms = np.concatenate([value, value, -value, -value])
    owner = np.concatenate([eid] * 4)
    keep = (rows >= 0) & (cols >= 0)
    return ScalarTerms(name, owner[keep], rows[keep], cols[keep], terms[keep])


@dataclass(frozen=True)
class Springs:
    """Scalar springs of one card, for their output: force k (u_a - u_b), stress S times the force.

    eid, a, b, k, S : (n,) ids, g-set dofs (-1 is ground), stiffness, stress of a unit force
    """

    name: str
    eid: np.ndarray
    a: np.ndarray
    b: np.ndarray
    k: np.ndarray
    S: np.ndarray

    def forces(self, u: np.ndarray) -> np.ndarray:
        """Forces (n, k) for motions u (n_dof, k)."""
        ends = (np.where((dof >= 0)[:, None], u[dof], 0.0) for dof in (self.a, self.b))
        return self.k[:, None] * np.subtract(*ends)
