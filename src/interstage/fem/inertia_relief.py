"""Inertia relief (PARAM INREL): a free structure under loads accelerates as a rigid body; its inertia balances them.

    a = (Sᵀ M S)⁻¹ Sᵀ P,    P̄ = P - M S a,    S the rigid motions that the supports leave free

With INREL -1 the dofs of SUPORT stay where they are; with INREL -2 none is named, and the motion has no part in S in
the sense of mass, Sᵀ M u = 0.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg import qr

from interstage.errors import ModelError
from interstage.fem.case import Subcase
from interstage.fem.gpwg import rigid_body_matrix
from interstage.fem.model import FEModel
from interstage.fem.reduction import Constraints

NONE = 1e-9  # of the largest, below which a motion of held dofs is none


class InertiaRelief:
    """Rigid motions of a structure with its constraints, and the dofs that hold them.

    Attributes
    ----------
    S : (n_dof, k) rigid motions that the constraints leave free, of unit generalized mass
    held : (k,) dofs that are held in the solution, where no force remains
    automatic : they were chosen here (INREL -2)
    """

    def __init__(self, fe: FEModel, constraints: Constraints, named: np.ndarray, automatic: bool):
        centre = fe.mass_properties().cg
        S = rigid_body_matrix(fe.grids, centre).toarray()
        size = float(np.ptp(fe.grids.xyz, axis=0).max()) or 1.0
        S = S * np.array([1.0, 1.0, 1.0, 1.0 / size, 1.0 / size, 1.0 / size])
        spc = np.setdiff1d(constraints.spc, named)
        S = S @ _null_space(S[spc]) if len(spc) else S
        if not S.shape[1]:
            raise ModelError(
                "PARAM INREL: the constraints leave no rigid motion free",
                where=fe.source,
                hint="remove INREL",
            )
        m = S.T @ (fe.M_gg @ S)
        if not np.linalg.eigvalsh(m)[0] > NONE * np.trace(m):
            raise ModelError(
                "PARAM INREL: a rigid motion moves no mass", where=fe.source, hint="give densities or masses"
            )
        self.S = np.linalg.solve(np.linalg.cholesky(m), S.T).T
        self.M = fe.M_gg
        self.automatic = automatic
        self.held = self._choose(constraints) if automatic else np.unique(named)
        grip = self.S[self.held]
        if len(self.held) != S.shape[1] or np.linalg.cond(grip) > 1e10:
            raise ModelError(
                "the dofs of SUPORT do not hold the rigid motions of the structure once each",
                where=fe.source,
                expected=f"{S.shape[1]} dofs that together fix all rigid motions",
                got=f"{len(self.held)} dofs",
                hint="name other dofs, or set PARAM INREL -2 and remove SUPORT",
            )

    def _choose(self, constraints: Constraints) -> np.ndarray:
        """Dofs that fix the rigid motions best, none of them constrained or dependent."""
        free = np.ones(len(self.S), dtype=bool)
        free[constraints.spc] = False
        free[constraints.equations.dependent] = False
        where = np.flatnonzero(free)
        _, _, order = qr(self.S[where].T, mode="economic", pivoting=True)
        return np.sort(where[order[: self.S.shape[1]]])

    def balanced(self, P: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Loads (n_dof,) with inertia, and the share of each motion in P (k,)."""
        share = self.S.T @ P
        return P - self.M @ (self.S @ share), share

    def settled(self, u: np.ndarray) -> np.ndarray:
        """Displacements (n_dof,), freed of rigid motion where the held dofs were chosen here."""
        return u - self.S @ (self.S.T @ (self.M @ u)) if self.automatic else u


def inertia_relief(fe: FEModel, case: Subcase, constraints: Constraints) -> InertiaRelief | None:
    """Inertia relief if PARAM INREL asks for it; the dofs that it needs are held."""
    asked = fe.parameter("INREL", 0)
    if asked not in (-1, -2):
        return None
    named = fe.set_cards(case).r
    if asked == -1 and not len(named):
        raise ModelError(
            "PARAM INREL -1 needs SUPORT", where=fe.source, hint="add SUPORT or SUPORT1, or set INREL to -2"
        )
    relief = InertiaRelief(fe, constraints, named, asked == -2)
    constraints.hold(relief.held)
    return relief


def relieved(relief: InertiaRelief, loads: list[np.ndarray], k: int) -> list[str]:
    """Balance a load in place by inertia; a sentence about it."""
    loads[k], share = relief.balanced(loads[k])
    held = "" if relief.automatic else "; displacements are relative to the dofs of SUPORT"
    return [
        f"inertia relief: loads include the inertia of {len(share)} rigid motions that balance them{held}"
    ]


def _null_space(A: np.ndarray) -> np.ndarray:
    """Combinations (6, k) of columns that vanish on all rows."""
    _, size, V = np.linalg.svd(A, full_matrices=True)
    rank = int(np.sum(size > NONE * max(size.max(initial=0.0), NONE)))
    return V[rank:].T
