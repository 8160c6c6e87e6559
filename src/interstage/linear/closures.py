"""Independent coordinates of small motions: without locked joints, and on the tangent space of closures.

Closures J(q) v = 0 leave small motions with

    J G⁻¹ δq = 0,       J δv + (∂(J v)/∂q) δq = 0

where G turns velocities into rates of δq (`Chart.kinematics`: free positions are counted along the parent's axes).
Columns, scaled by the mobility of each coordinate, are taken in the order of a pivoted QR decomposition: the first
rank of them are dependent, q_d = -J_d⁺ J_i q_i. The model keeps the independent entries of [δq; δv] with their
names, and T maps them to all. Velocities follow the choice of the coordinates where that serves them as well.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Protocol

import numpy as np
from scipy.linalg import qr

from interstage.errors import InputError, SolverError, known_names
from interstage.linear.chart import position_names
from interstage.multibody.closed_slopes import rate_slopes

if TYPE_CHECKING:
    from interstage.linear.chart import Chart
    from interstage.multibody.api import System
    from interstage.multibody.state import State

RANK = 1e-9  # pivots below this part of the first one are redundant closures
WORSE = 100.0  # times worse conditioned than the best choice: velocities get a choice of their own
STEP = 1e-40


class Moving(Protocol):
    """A system at a point, with its small motions."""

    system: System
    x0: State
    chart: Chart


def independent(
    plant: Moving, locked: np.ndarray, wanted: Sequence[str] | None = None
) -> tuple[np.ndarray, np.ndarray | None]:
    """Return the places (n,) of independent entries in [δq; δv], and T (2 nv, n) from them to all entries.

    Without closures T is None: the others are still.

    wanted : names of coordinates (or bodies) that shall be among the independent ones
    """
    system, nv = plant.system, plant.system.nv
    free, mask = np.flatnonzero(~locked), named(system, wanted)
    if getattr(system, "n_closure", 0) == 0:
        return np.concatenate([free, nv + free]), None
    J = np.asarray(system.closure_jacobian(plant.x0), dtype=float)
    _, G = plant.chart.kinematics()
    J_q = J @ G.T  # G is orthogonal
    Jdot = _rate_slope(plant, J)
    dependent = _dependent(plant, J_q, free, mask)
    dependent_v = dependent
    if not np.array_equal(J, J_q):
        own = _dependent(plant, J, free, mask)
        if np.linalg.cond(J[:, dependent]) > WORSE * np.linalg.cond(J[:, own]):
            dependent_v = own
    chosen, S, _ = _followers(J_q, free, dependent)
    chosen_v, S_v, back = _followers(J, free, dependent_v)
    S_rate = np.zeros_like(S)
    S_rate[dependent_v] = -back @ (Jdot @ S)
    T = np.block([[S, np.zeros_like(S_v)], [S_rate, S_v]])
    return np.concatenate([chosen, nv + chosen_v]), T


def _followers(
    J: np.ndarray, free: np.ndarray, dependent: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the independent places (n,), S (nv, n) from them to all with J S = 0, and J_d⁺."""
    chosen = np.setdiff1d(free, dependent)
    back = np.linalg.pinv(J[:, dependent], rcond=RANK)
    S = np.zeros((J.shape[1], len(chosen)))
    S[chosen] = np.eye(len(chosen))
    S[dependent] = -back @ J[:, chosen]
    return chosen, S, back


def _rate_slope(plant: Moving, J: np.ndarray) -> np.ndarray:
    """Return ∂(J v)/∂q (m, nv) along the error coordinates, v held."""
    system, nv = plant.system, plant.system.nv
    v = plant.x0.v
    if not v.any():
        return np.zeros((len(J), nv))
    Q = plant.x0.q + 1j * STEP * plant.chart.tangent().T
    return rate_slopes(system, Q, np.tile(v, (nv, 1)), STEP)


def named(system: System, wanted: Sequence[str] | None) -> np.ndarray:
    """Return a mask (nv,) of coordinates given by name or by body."""
    mask = np.zeros(system.nv, dtype=bool)
    if wanted is None:
        return mask
    if not isinstance(wanted, Iterable):
        raise InputError(
            "independent must be a list of names",
            where="independent",
            expected='coordinates or bodies, e.g. ["arm.angle"]',
            got=repr(wanted)[:60],
        )
    names = position_names(system)
    for name in [wanted] if isinstance(wanted, str) else wanted:
        if name in names:
            mask[names.index(name)] = True
        elif name in system.layout:
            mask[system.layout[name].v.start : system.layout[name].etadot.stop] = True
        else:
            raise InputError(
                f"there is no coordinate {name!r}",
                where="independent",
                hint=known_names([*system.bodies, *names]),
            )
    return mask


def _dependent(plant: Moving, J: np.ndarray, free: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """Choose the coordinates that closures determine: the most mobile ones, never prescribed or wanted ones."""
    system = plant.system
    movable = free[~system.held[free] & ~wanted[free]]
    mobility = 1.0 / np.sqrt(np.diag(system.mass_matrix(plant.x0)))
    _, R, order = qr(J[:, movable] * mobility[movable], mode="economic", pivoting=True)
    pivots = np.abs(np.diag(R))
    rank = int(np.sum(pivots > RANK * pivots.max(initial=0.0))) if pivots.size else 0
    everything = np.linalg.matrix_rank(
        J[:, free] * mobility[free], tol=RANK * max(pivots.max(initial=0.0), 1e-300)
    )
    if rank < everything:
        raise SolverError(
            "the closures determine coordinates that are prescribed or shall be independent",
            where="independent" if wanted.any() else None,
            hint="prescribe fewer joints of the loop, or name fewer independent coordinates",
        )
    return np.sort(movable[order[:rank]])
