"""Response of a structure to loads that change with frequency or time, direct and by modes (SOL 108, 109, 111, 112).

    (-ω² M + iω B + (1 + iG) K + i K4) u = P(ω),      M ü + B̄ u̇ + K u = P(t),   B̄ = B + (G/W3) K + K4/W4

By modes u = Φ q with Φᵀ M Φ = 1; the table that SDAMPING selects adds g ω_i to the damping of mode i. Residual vectors
stand beside the modes, and act as modes do.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property, partial

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike
from scipy.sparse.linalg import splu

from interstage.calls import named_arguments
from interstage.errors import InputError, ModelError, SolverError, known_names
from interstage.fem.dynamics import FrequencyLoad, TimeLoad
from interstage.fem.grids import Grids
from interstage.fem.model import FEModel
from interstage.fem.recovery import ElementTables, GridTable, grid_table
from interstage.fem.response_problem import Enforced, ResponseProblem
from interstage.fem.response_steps import exact_modes, newmark, shock_spectrum, step_times
from interstage.fem.response_tables import ComplexTables, moving_recovery, steady_tables
from interstage.output import check_finite

KEPT = 2_000_000_000  # bytes that a history may take


@dataclass
class _Response:
    """What both kinds of response have.

    notes : sentences about choices; subcase : whose loads act
    modes_hz, residual_vectors_hz : of the modes and residual vectors that carry a response; empty if it is direct
    """

    grids: Grids = field(repr=False)
    notes: list[str] = field(default_factory=list)
    subcase: int = 0
    modes_hz: np.ndarray = field(default_factory=lambda: np.zeros(0), repr=False)
    residual_vectors_hz: np.ndarray = field(default_factory=lambda: np.zeros(0), repr=False)
    fe: FEModel | None = field(default=None, repr=False)
    reactions: Callable[[], np.ndarray] | None = field(default=None, repr=False)

    @cached_property
    def spc_forces(self) -> np.ndarray:
        """Forces of single-point constraints (n_dof, k) on the g-set, with damping and inertia."""
        if self.reactions is None:
            raise InputError("this result was not made from a model, so that it has no constraint forces")
        return self.reactions()

    @property
    def spcforces(self) -> GridTable:
        """Forces of single-point constraints at every grid in its CD system, values (k, grids, 6)."""
        return grid_table(self.grids, self.spc_forces)

    def _model(self) -> FEModel:
        if self.fe is None:
            raise InputError("this result was not made from a model, so that it has no element results")
        return self.fe


@named_arguments
@dataclass(kw_only=True)
class FrequencyResponse(_Response):
    """Complex amplitudes of steady motion.

    `forces["CBAR"]` and `stresses["CQUAD4"]` are tables by element type with complex values (frequencies, rows,
    columns); columns that are no linear function of motion (principal and von Mises stresses, margins) are left out.

    Attributes
    ----------
    frequencies_hz : (k,)
    displacement : (n_dof, k) complex, on the g-set, each grid in its CD system; nan where there is no steady motion
    """

    frequencies_hz: np.ndarray
    displacement: np.ndarray

    @property
    def velocity(self) -> np.ndarray:
        """iω u (n_dof, k)."""
        return 2j * np.pi * self.frequencies_hz * self.displacement

    @property
    def acceleration(self) -> np.ndarray:
        """-ω² u (n_dof, k)."""
        return -((2.0 * np.pi * self.frequencies_hz) ** 2) * self.displacement

    @property
    def forces(self) -> ComplexTables:
        """Element forces by type; those of CBUSH hold its damping."""
        return steady_tables(self._model(), self.displacement, self.frequencies_hz, "forces")

    @property
    def stresses(self) -> ComplexTables:
        """Element stresses by type, laminates by ply."""
        return steady_tables(self._model(), self.displacement, self.frequencies_hz, "stresses")

    def at(self, grid: int) -> np.ndarray:
        """Displacements (6, k) of a grid, or (1, k) of a scalar point."""
        return self.displacement[point_rows(self.grids, grid)]


@named_arguments
@dataclass(kw_only=True)
class TransientResponse(_Response):
    """Motion in time.

    `forces["CBAR"]` and `stresses["CQUAD4"]` are tables by element type with values (times, rows, columns).

    Attributes
    ----------
    time : (k,)
    displacement, velocity, acceleration : (n_dof, k) on the g-set, each grid in its CD system
    """

    time: np.ndarray
    displacement: np.ndarray
    velocity: np.ndarray
    acceleration: np.ndarray

    @property
    def forces(self) -> ElementTables:
        """Element forces by type; those of CBUSH hold its dampers."""
        return moving_recovery(self._model(), self.displacement, self.velocity).forces

    @property
    def stresses(self) -> ElementTables:
        """Element stresses by type, laminates by ply."""
        return moving_recovery(self._model(), self.displacement, self.velocity).stresses

    def at(self, grid: int) -> np.ndarray:
        """Displacements (6, k) of a grid, or (1, k) of a scalar point."""
        return self.displacement[point_rows(self.grids, grid)]

    def shock_spectrum(
        self, point: int, component: int, frequencies_hz: ArrayLike, q: float = 10.0
    ) -> np.ndarray:
        """Shock response spectrum (k,) of the acceleration of component 1 to 6 of a point, see `shock_spectrum`."""
        rows = point_rows(self.grids, point)
        if not 1 <= component <= rows.stop - rows.start:
            raise InputError(
                f"point {point} has no component {component}", expected=f"1 to {rows.stop - rows.start}"
            )
        return shock_spectrum(self.time, self.acceleration[rows.start + component - 1], frequencies_hz, q=q)


@named_arguments
def frequency_response(
    fe: FEModel,
    frequencies_hz: ArrayLike | None = None,
    *,
    subcase: int | None = None,
    modal: bool | None = None,
    n_modes: int | None = None,
) -> FrequencyResponse:
    """Amplitudes of steady motion under the DLOAD of a subcase (SOL 108 and 111; rigid formats 8, 11, 26, 30).

    Parameters
    ----------
    frequencies_hz : in place of the deck's FREQi
    subcase : the first with a DLOAD by default
    modal : by modes instead of directly; SOL 111 decks by default
    n_modes : number of modes, in place of the deck's EIGRL or EIGR
    """
    problem = ResponseProblem(fe, subcase, modal, n_modes, FrequencyLoad)
    _refuse_direct_input(problem)
    if frequencies_hz is None:
        f = problem.frequencies()
    else:
        f = np.unique(np.atleast_1d(np.asarray(frequencies_hz, dtype=float)))
    P, motion = problem.frequency_loads(f)
    q = _amplitudes(problem, f, P, motion)
    lost = ~np.isfinite(q).all(axis=0)
    if lost.any():
        words = f"there is no steady motion at {f[lost][0]:.6g} Hz: it is a natural frequency without damping"
        if lost.all():
            raise SolverError(words, where=fe.source, hint="give damping, or other frequencies")
        more = f" (and at {np.count_nonzero(lost) - 1} others)" if np.count_nonzero(lost) > 1 else ""
        problem.notes.append(f"{words}{more}; its results are not numbers")
    if (f == 0.0).any() and isinstance(problem.elastic, np.ndarray):
        problem.notes.append("rigid modes have no part at 0 Hz")
    late = problem.late(f)
    u = problem.recover(q, motion.u, None if late is None else late / (1.0 + 1j * problem.G))
    u[:, lost] = np.nan
    reactions = partial(_steady_reactions, problem, f, u)
    return FrequencyResponse(frequencies_hz=f, displacement=u, reactions=reactions, **_common(problem))


def _steady_reactions(problem: ResponseProblem, f: np.ndarray, u: np.ndarray) -> np.ndarray:
    fe, w = problem.fe, 2j * np.pi * f
    elastic = (1.0 + 1j * problem.G) * (fe.K_gg @ u) + 1j * (fe.K4_gg @ u)
    if problem.varying is not None and len(problem.varying):
        D = problem.varying.D
        elastic += D.T @ (problem.varying.changes(f, problem.G) * (D @ u))
    balance = elastic + problem.B_gg @ (w * u) + fe.M_gg @ (w**2 * u) - problem.applied_g(f)
    return problem.spc_forces(balance)


def _common(problem: ResponseProblem) -> dict:
    return {
        "grids": problem.fe.grids,
        "notes": problem.notes,
        "subcase": problem.case.id,
        "modes_hz": problem.modes_hz if problem.modal else np.zeros(0),
        "residual_vectors_hz": problem.residual_hz,
        "fe": problem.fe,
    }


def _amplitudes(problem: ResponseProblem, f: np.ndarray, P: np.ndarray, motion: Enforced) -> np.ndarray:
    """Solve frequency by frequency: one factor each, or one division where modes stand alone; nan where singular."""
    w = 2.0 * np.pi * f
    q = np.zeros(P.shape, dtype=complex)
    K = (1.0 + 1j * problem.G) * problem.K + 1j * problem.K4
    D, changes, strokes = problem.changing(f)
    changing = D.shape[0] > 0
    alone = problem.modal and not changing and _diagonal(K) and _diagonal(problem.B)
    there = slice(None) if problem.dense else _with_terms(problem)
    if isinstance(there, np.ndarray):
        loose = np.setdiff1d(np.arange(len(P)), there)
        loaded = loose[np.abs(P[loose]).max(axis=1, initial=0.0) > 0.0]
        problem.notes.append(
            f"{len(loose)} dofs have neither stiffness, mass nor damping: they stand still"
            + (f", and so do loads on {len(loaded)} of them" if len(loaded) else "")
        )
    for k, omega in enumerate(w):
        Z = K - omega**2 * problem.M + 1j * omega * problem.B
        right = P[:, k]
        if changing:
            Z = Z + D.T @ (changes[:, k, None] * D if problem.dense else sp.diags_array(changes[:, k]) @ D)
            right = right - D.T @ (changes[:, k] * (strokes @ motion.u[:, k]))
        on = problem.elastic if omega == 0.0 else there
        q[on, k] = _solve(Z[on][:, on], right[on], problem.dense, alone)
    return q


def _with_terms(problem: ResponseProblem) -> slice | np.ndarray:
    """Positions of dofs with any term in a matrix; all of them as a slice."""
    size = sum(abs(A).sum(axis=0) + abs(A).sum(axis=1) for A in (problem.K, problem.M, problem.B, problem.K4))
    if problem.varying is not None and len(problem.varying):
        size = size + abs(problem.changing(np.ones(1))[0]).sum(axis=0)
    found = np.flatnonzero(np.asarray(size).ravel())
    return slice(None) if len(found) == problem.K.shape[0] else found


def _solve(Z, P: np.ndarray, dense: bool, alone: bool) -> np.ndarray:
    """Solve Z u = P; not finite where Z is singular."""
    if not len(P) or not P.any():
        return np.zeros(len(P), dtype=complex)
    try:
        if alone:
            with np.errstate(divide="ignore", invalid="ignore"):
                return P / np.diag(Z)
        return np.linalg.solve(Z, P) if dense else splu(sp.csc_matrix(Z)).solve(P)
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
    problem = ResponseProblem(fe, subcase, modal, n_modes, TimeLoad)
    _refuse_direct_input(problem)
    problem.make_viscous()
    steps = problem.steps()
    t, kept = step_times(steps)
    if 24 * fe.grids.n_dof * len(kept) > KEPT:
        raise ModelError(
            "the history is too long to be kept", where=fe.source, hint="keep fewer steps (NO of TSTEP)"
        )
    P, motion = problem.time_loads(t)
    alone = problem.modal and all(_diagonal(A) for A in (problem.K, problem.B, problem.M))
    alone = alone and not np.any(np.diag(problem.B)[np.diag(problem.M) == 0.0])
    run = exact_modes if alone else partial(newmark, exact_start=exact_start)
    if not alone:
        problem.notes.append(
            "the first step begins with the acceleration of the loads"
            if exact_start
            else "the first step begins without acceleration, as in Nastran (`exact_start`)"
        )
    try:
        found = run(problem, steps.step, steps.count, P, *problem.start(motion))
    except RuntimeError as error:
        raise SolverError(
            "the equations of a time step are singular",
            where=fe.source,
            hint="look for negative masses, springs and dampers",
        ) from error
    check_finite(found[0], "displacements")
    late = problem.late(t[kept])
    u, v, a = (
        problem.recover(x[:, kept], given[:, kept], late if k == 0 else None)
        for k, (x, given) in enumerate(zip(found, motion))
    )

    def reactions() -> np.ndarray:
        balance = fe.K_gg @ u + problem.B_gg @ v + fe.M_gg @ a - problem.applied_g(t[kept])
        return problem.spc_forces(balance)

    return TransientResponse(
        time=t[kept], displacement=u, velocity=v, acceleration=a, reactions=reactions, **_common(problem)
    )


def _refuse_direct_input(problem: ResponseProblem) -> None:
    """Refuse matrices of case control that complex modes alone use."""
    for name in ("TFL", "K2PP", "B2PP", "M2PP"):
        if problem.case.requests.get(name, "NONE").upper() not in ("NONE", "0"):
            raise ModelError(
                f"{name} in case control is not supported in responses",
                where=problem.fe.source,
                hint="complex modes (SOL 107, 110) use it; remove it if it does not matter",
            )


def point_rows(grids: Grids, point: int) -> slice:
    """Rows of the g-set of a grid or scalar point."""
    row, scalar = int(grids.find(point)), int(grids.find_spoint(point))
    if row < 0 and scalar < 0:
        raise InputError(f"point {point} is not in the model", hint=known_names(grids.id))
    first = int(grids.dof[row]) if row >= 0 else int(grids.spoint_dof[scalar])
    return slice(first, first + (6 if row >= 0 else 1))


def _diagonal(A) -> bool:
    return not sp.issparse(A) and not np.any(A - np.diag(np.diag(A)))
