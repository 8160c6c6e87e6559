"""Response of a structure to loads that change with frequency or time, direct and by modes (SOL 108, 109, 111, 112).

    (-ω² M + iω B + (1 + iG) K + i K4) u = P(ω),      M ü + B̄ u̇ + K u = P(t),   B̄ = B + (G/W3) K + K4/W4

By modes u = Φ q with Φᵀ M Φ = 1; the table that SDAMPING selects adds g ω_i to the damping of mode i.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike
from scipy.sparse.linalg import splu

from interstage.calls import named_arguments
from interstage.errors import InputError, ModelError, SolverError, known_names
from interstage.fem.grids import Grids
from interstage.fem.model import FEModel
from interstage.fem.response_problem import ResponseProblem
from interstage.fem.response_steps import exact_modes, newmark, step_times
from interstage.output import check_finite

KEPT = 2_000_000_000  # bytes that a history may take


@dataclass
class FrequencyResponse:
    """Complex amplitudes of steady motion.

    Attributes
    ----------
    frequencies_hz : (k,)
    displacement : (n_dof, k) complex, on the g-set, each grid in its CD system
    notes : sentences about choices
    """

    frequencies_hz: np.ndarray
    displacement: np.ndarray
    grids: Grids = field(repr=False)
    notes: list[str] = field(default_factory=list)

    @property
    def velocity(self) -> np.ndarray:
        """iω u (n_dof, k)."""
        return 2j * np.pi * self.frequencies_hz * self.displacement

    @property
    def acceleration(self) -> np.ndarray:
        """-ω² u (n_dof, k)."""
        return -((2.0 * np.pi * self.frequencies_hz) ** 2) * self.displacement

    def at(self, grid: int) -> np.ndarray:
        """Displacements (6, k) of a grid, or (1, k) of a scalar point."""
        return self.displacement[_rows(self.grids, grid)]


@dataclass
class TransientResponse:
    """Motion in time.

    Attributes
    ----------
    time : (k,)
    displacement, velocity, acceleration : (n_dof, k) on the g-set, each grid in its CD system
    notes : sentences about choices
    """

    time: np.ndarray
    displacement: np.ndarray
    velocity: np.ndarray
    acceleration: np.ndarray
    grids: Grids = field(repr=False)
    notes: list[str] = field(default_factory=list)

    def at(self, grid: int) -> np.ndarray:
        """Displacements (6, k) of a grid, or (1, k) of a scalar point."""
        return self.displacement[_rows(self.grids, grid)]


@named_arguments
def frequency_response(
    fe: FEModel,
    frequencies_hz: ArrayLike | None = None,
    *,
    subcase: int | None = None,
    modal: bool | None = None,
    n_modes: int | None = None,
) -> FrequencyResponse:
    """Amplitudes of steady motion under the DLOAD of a subcase (SOL 108 and 111).

    Parameters
    ----------
    frequencies_hz : in place of the deck's FREQi
    subcase : the first with a DLOAD by default
    modal : by modes instead of directly; SOL 111 decks by default
    n_modes : number of modes, in place of the deck's EIGRL or EIGR
    """
    if fe.dynamics.by_frequency is not None:
        raise fe.dynamics.by_frequency
    problem = ResponseProblem(fe, subcase, modal, n_modes)
    _refuse_direct_input(problem)
    if frequencies_hz is None:
        f = problem.frequencies()
    else:
        f = np.unique(np.atleast_1d(np.asarray(frequencies_hz, dtype=float)))
    P = problem.frequency_loads(f)
    w = 2.0 * np.pi * f
    q = np.empty(P.shape, dtype=complex)
    K = (1.0 + 1j * problem.G) * problem.K + 1j * problem.K4
    # frequency by frequency: one factor each, or one division where modes stand alone
    alone = problem.modal and _diagonal(K) and _diagonal(problem.B)
    for k, omega in enumerate(w):
        Z = K - omega**2 * problem.M + 1j * omega * problem.B
        moving = problem.elastic if omega == 0.0 else slice(None)
        q[:, k] = 0.0
        q[moving, k] = _amplitudes(Z[moving][:, moving], P[moving, k], problem.modal, alone)
        if not np.isfinite(q[:, k]).all():
            raise SolverError(
                f"there is no steady motion at {f[k]:.6g} Hz: it is a natural frequency without damping",
                where=fe.source,
                hint="give damping, or other frequencies",
            )
    if (f == 0.0).any() and isinstance(problem.elastic, np.ndarray):
        problem.notes.append("rigid modes have no part at 0 Hz")
    return FrequencyResponse(f, problem.recover(q), fe.grids, problem.notes)


def _amplitudes(Z, P: np.ndarray, modal: bool, alone: bool) -> np.ndarray:
    """Solve Z u = P; not finite where Z is singular."""
    try:
        if alone:
            with np.errstate(divide="ignore", invalid="ignore"):
                return P / np.diag(Z)
        return np.linalg.solve(Z, P) if modal else splu(sp.csc_matrix(Z)).solve(P)
    except (RuntimeError, np.linalg.LinAlgError):
        return np.full(len(P), np.nan)


@named_arguments
def transient_response(
    fe: FEModel,
    *,
    subcase: int | None = None,
    modal: bool | None = None,
    n_modes: int | None = None,
    exact_start: bool = False,
) -> TransientResponse:
    """Motion in time under the DLOAD of a subcase from rest or from its IC, by its TSTEP (SOL 109 and 112).

    Directly by Newmark's scheme as NASTRAN has it (β = 1/3, loads averaged over three steps); by modes that stand
    alone exactly, for loads that are straight between steps. Parameters as in `frequency_response`.

    exact_start : begin the direct scheme with the acceleration of the loads at t = 0. NASTRAN, and this by default,
        begins at the load that holds the initial motion, so that a load which is there at once acts half a step later
    """
    problem = ResponseProblem(fe, subcase, modal, n_modes)
    _refuse_direct_input(problem)
    problem.make_viscous()
    steps = problem.steps()
    t, kept = step_times(steps)
    if 24 * fe.grids.n_dof * len(kept) > KEPT:
        raise ModelError(
            "the history is too long to be kept", where=fe.source, hint="keep fewer steps (NO of TSTEP)"
        )
    P = problem.time_loads(t)
    alone = problem.modal and all(_diagonal(A) for A in (problem.K, problem.B, problem.M))
    run = exact_modes if alone else partial(newmark, exact_start=exact_start)
    if not alone:
        problem.notes.append(
            "the first step begins with the acceleration of the loads"
            if exact_start
            else "the first step begins without acceleration, as in Nastran (`exact_start`)"
        )
    try:
        found = run(problem, steps.step, steps.count, P, *problem.start())
    except RuntimeError as error:
        raise SolverError(
            "the equations of a time step are singular",
            where=fe.source,
            hint="look for negative masses, springs and dampers",
        ) from error
    check_finite(found[0], "displacements")
    u, v, a = (problem.recover(x[:, kept]) for x in found)
    return TransientResponse(t[kept], u, v, a, fe.grids, problem.notes)


def _refuse_direct_input(problem: ResponseProblem) -> None:
    """Refuse matrices of case control that complex modes alone use."""
    for name in ("TFL", "K2PP", "B2PP", "M2PP"):
        if problem.case.requests.get(name, "NONE").upper() not in ("NONE", "0"):
            raise ModelError(
                f"{name} in case control is not supported in responses",
                where=problem.fe.source,
                hint="complex modes (SOL 107, 110) use it; remove it if it does not matter",
            )


def _rows(grids: Grids, point: int) -> slice:
    row, scalar = int(grids.find(point)), int(grids.find_spoint(point))
    if row < 0 and scalar < 0:
        raise InputError(f"point {point} is not in the model", hint=known_names(grids.id))
    first = int(grids.dof[row]) if row >= 0 else int(grids.spoint_dof[scalar])
    return slice(first, first + (6 if row >= 0 else 1))


def _diagonal(A) -> bool:
    return not sp.issparse(A) and not np.any(A - np.diag(np.diag(A)))
