"""Linear statics: displacements and constraint forces for many load cases at once.

K_ff u_f = P_f - K_fs u_s,   q_s = K_sf u_f + K_ss u_s - P_s
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from interstage.errors import InputError
from interstage.fem.reduction import ReducedModel
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
