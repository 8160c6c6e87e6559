"""Effective mass: how much of a structure each mode moves when its supports move as one.

    Γ = Φᵀ M S / m,   M_eff = m Γ²,   S (n_dof, 6) rigid motion about a point, m the generalized masses

Over all modes of a held structure M_eff adds up to the rigid mass diag(Sᵀ M S) less what stands on held dofs.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from interstage.fem.gpwg import rigid_body_matrix
from interstage.fem.model import FEModel


@dataclass(frozen=True)
class Participation:
    """Participation of modes in rigid motion T1 T2 T3 R1 R2 R3 about a point, basic axes.

    factors : (k, 6) Γ
    effective_mass : (k, 6) masses and moments of inertia, in consistent units (times WTMASS)
    total : (6,) of the whole structure
    """

    factors: np.ndarray
    effective_mass: np.ndarray
    total: np.ndarray

    @property
    def fraction(self) -> np.ndarray:
        """Effective mass over the total (k, 6); zero where there is no mass."""
        return self.effective_mass / np.where(self.total > 0.0, self.total, np.inf)

    @property
    def cumulative(self) -> np.ndarray:
        """Fractions summed from the first mode on (k, 6)."""
        return np.cumsum(self.fraction, axis=0)


def participation(
    fe: FEModel, shapes: np.ndarray, generalized_mass: np.ndarray, about: ArrayLike | None = None
) -> Participation:
    """Participation of modes `shapes` (n_dof, k) in rigid motion about a point (the basic origin by default)."""
    S = rigid_body_matrix(fe.grids, np.zeros(3) if about is None else about)
    MS = fe.M_gg @ S.toarray()
    # a mode of only rounding error in mass (a massless mechanism) moves nothing
    m = np.where(generalized_mass > 0.0, generalized_mass, np.inf)[:, None]
    L = shapes.T @ MS
    return Participation(L / m, L**2 / m, np.einsum("ij,ij->j", S.toarray(), MS))
