"""Static solutions, with inertia relief.

Linear statics: displacements and constraint forces for many load cases at once.

K_ff u_f = P_f - K_fs u_s,   q_s = K_sf u_f + K_ss u_s - P_s

Inertia relief (PARAM INREL): a free structure under loads accelerates as a rigid body; its inertia balances them.

    a = (Sᵀ M S)⁻¹ Sᵀ P,    P̄ = P - M S a,    S the rigid motions that the supports leave free

With INREL -1 the dofs of SUPORT stay where they are; with INREL -2 none is named, and the motion has no part in S in
the sense of mass, Sᵀ M u = 0.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from scipy.linalg import qr

from interstage.errors import InputError, ModelError
from interstage.fem.case import SubcaseSelections
from interstage.fem.gpwg import rigid_body_matrix
from interstage.fem.model import FEModel
from interstage.fem.reduction import Constraints, ReducedModel
from interstage.linalg.factor import Factor, NotPositiveDefinite
from interstage.linalg.refine import mechanism_error

MAX_RATIO = 1e7
# Beyond this a pivot is rounding error, whatever PARAM MAXRATIO says.
MECHANISM_RATIO = 1e12


@dataclass
class StaticResult:
    """Displacements of load cases.

    Attributes
    ----------
    u : (n_dof, k) displacements on the g-set, in each grid's CD system
    spc_forces : (n_dof, k) forces of single-point constraints
    epsilon : (k,) residual work uᵀ(P - K u)/uᵀP of each case, NASTRAN's EPSILON
    max_ratio : largest ratio of a diagonal entry of K to its pivot
    seconds : factorization time
    notes : sentences for the user
    """

    u: np.ndarray
    spc_forces: np.ndarray
    epsilon: np.ndarray
    max_ratio: float
    seconds: float
    notes: list[str] = field(default_factory=list)


def solve_static(
    model: ReducedModel,
    F_g: np.ndarray,
    enforced: Sequence[Mapping[int, float] | None] | None = None,
    max_ratio: float | None = None,
) -> StaticResult:
    """Solve K u = F with the constraints of a reduced model.

    Parameters
    ----------
    model : constraints, AUTOSPC and enforced displacements applied (`reduce_model`)
    F_g : (n_dof,) or (n_dof, k) loads on the g-set in CD axes
    enforced : for each case the displacements (g-set dof: value) that override those of the SPC cards (SPCD)
    max_ratio : error where a diagonal entry exceeds its pivot by this (PARAM MAXRATIO). Without it ratios
        above 1e7 are noted and only a mechanism, a ratio that is rounding error, is an error.
    """
    F_g = np.asarray(F_g, dtype=float)
    F_g = F_g[:, None] if F_g.ndim == 1 else F_g
    if F_g.shape[0] != model.grids.n_dof:
        rows = f"{model.grids.n_dof} rows"
        raise InputError("the loads do not fit the model", expected=rows, got=f"shape {F_g.shape}")
    notes = list(model.notes)
    start = time.perf_counter()
    u_s = model.enforced_values(enforced or [None] * F_g.shape[1])
    P = model.load_f(F_g) + model.enforced_load_f(u_s)
    u_f, epsilon, ratio = np.zeros(P.shape), np.zeros(P.shape[1]), 1.0
    if len(model.sets.f):
        factor, ratio = _factor(model, max_ratio, notes)
        u_f = factor.solve(P)
        # one step of refinement costs two products and gives back the digits a stiff model loses
        u_f += factor.solve(P - model.K_ff @ u_f)
        work = np.einsum("ij,ij->j", u_f, P)
        rest = np.einsum("ij,ij->j", u_f, P - model.K_ff @ u_f)
        epsilon = rest / np.where(work == 0.0, 1.0, work)
    seconds = time.perf_counter() - start
    u_g = model.recover_f(u_f, u_s)
    return StaticResult(u_g, model.constraint_forces(u_g, F_g), epsilon, ratio, seconds, notes)


def _factor(model: ReducedModel, max_ratio: float | None, notes: list[str]) -> tuple[Factor, float]:
    """Cholesky factor of K_ff and its largest pivot ratio; a mechanism is a ModelError."""
    f = model.sets.f

    def describe(i: int) -> str:
        return model.grids.name_of(int(f[i]))

    point = np.searchsorted(
        np.sort(np.concatenate([model.grids.dof, model.grids.spoint_dof])), f, side="right"
    )
    try:
        factor = Factor(model.K_ff, definite=True)
    except NotPositiveDefinite:
        raise mechanism_error(model.K_ff, describe, point=point) from None
    pivots = factor.pivots()
    worst = int(np.argmin(pivots))
    ratio = float(1.0 / max(pivots[worst], 1e-300))
    if ratio > min(max_ratio or np.inf, MECHANISM_RATIO):
        raise mechanism_error(model.K_ff, describe, point=point)
    if ratio > MAX_RATIO:
        notes.append(f"ill-conditioned: {describe(worst)} has a pivot ratio of {ratio:.1e} (PARAM MAXRATIO)")
    return factor, ratio


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


def inertia_relief(fe: FEModel, case: SubcaseSelections, constraints: Constraints) -> InertiaRelief | None:
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
