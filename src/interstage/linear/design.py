"""Controller design on linear models, and modes compared and followed along a sweep.

Linear-quadratic regulator: the gain K of u = -K x that makes the cost least,

    J = ∫ (xᵀQx + 2xᵀNu + uᵀRu) dt,    K = R⁻¹(BᵀP + Nᵀ),       AᵀP + PA - (PB + N)R⁻¹(BᵀP + Nᵀ) + Q = 0
    J = Σ (xᵀQx + 2xᵀNu + uᵀRu),       K = (R + BᵀPB)⁻¹(BᵀPA + Nᵀ),      its equation in discrete time

in continuous time and from sample to sample (Anderson and Moore, Optimal Control, 1990, ch. 2 and
3). A continuous cost under inputs that are held for T seconds is a discrete one (van Loan, IEEE TAC 23, 1978, 395):

    exp([-F̄ᵀ Q̄; 0 F̄] T) = [· V; 0 W],    Q̄_d = Wᵀ V,    F̄ = [A B; 0 0],  Q̄ = [Q N; Nᵀ R]

Modal assurance criterion:

    MAC(a, b) = |aᴴ W b|² / (aᴴ W a)(bᴴ W b)

with W the mass matrix where it is known. Along a sweep each mode is followed to the one most like it (assignment of
the greatest sum of MACs between neighbours), so that curves of frequency cross where modes cross.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol

import numpy as np
import scipy
from numpy.typing import ArrayLike
from scipy import linalg

from interstage.calls import named_arguments
from interstage.errors import InputError, SolverError
from interstage.linear.model import Chosen, LinearModel
from interstage.linear.poles import balance_matrix, seen_as
from interstage.multibody.operating_point import OperatingPoint, at_point
from interstage.simulation.plant.clock import period_of

if TYPE_CHECKING:
    from interstage.multibody.state import State
    from interstage.multibody.system import System


SLOW_HZ, GAP = 0.05, 3.0  # poles below this are rigid motion; a gap of this factor above them ends it
NOTHING = 1e-10  # part of what inputs could do that is round-off
SYMMETRIC = 1e-9  # part of the largest entry by which a weight may differ from its transpose


@named_arguments
def lqr(
    plant: LinearModel | ArrayLike,
    B: ArrayLike | None = None,
    *,
    Q: ArrayLike,
    R: ArrayLike,
    N: ArrayLike | None = None,
    every: float | str | None = None,
    sampled: bool = False,
) -> np.ndarray:
    """Return the gain K (nu, n) of u = -K x with the least cost; see the module.

    plant : a `LinearModel` (a sampled one has the cost of its samples), or A (n, n) beside B (n, nu)
    Q (n, n), R (nu, nu), N (n, nu) : weights of states, inputs, and their products
    every : period, as in "20 ms", for which inputs are held: the continuous cost, with the gain of the samples
    sampled : A and B, given as arrays, lead from sample to sample

    >>> lqr([[0, 1], [0, 0]], [[0], [1]], Q=[[1, 0], [0, 0]], R=[[1]]).round(6)
    array([[1.      , 1.414214]])
    """
    A, B, discrete = _plant(plant, B, sampled)
    n, nu = B.shape
    Q, R = _weight(Q, n, "Q"), _weight(R, nu, "R")
    cross = np.zeros((n, nu)) if N is None else _matrix(N, (n, nu), "N")
    _check_weights(Q, R, cross)
    if every is not None:
        if discrete:
            raise InputError("the plant is sampled already", where="every", hint="leave every= out")
        A, B, Q, R, cross = _held(A, B, Q, R, cross, _seconds(every))
        discrete = True
    try:
        solve = linalg.solve_discrete_are if discrete else linalg.solve_continuous_are
        P = solve(A, B, Q, R, s=cross)
    except (np.linalg.LinAlgError, ValueError):
        P = np.full((n, n), np.nan)
    top, bottom = (R + B.T @ P @ B, B.T @ P @ A) if discrete else (R, B.T @ P)
    K = np.linalg.solve(top, bottom + cross.T) if np.isfinite(P).all() else np.full((nu, n), np.nan)
    if not _stable(A - B @ K, discrete):
        why = "a pole that is not stable is reached by no input, or lies on the border and has no weight in Q"
        vehicle = isinstance(plant, LinearModel)
        raise SolverError(
            "no gain of least cost holds the plant",
            where="lqr",
            hint=f"{why}, as places of a vehicle that no torque holds: lin.rigid() has its attitude and rate alone"
            if vehicle
            else why,
        )
    return K


def _stable(A: np.ndarray, discrete: bool) -> bool:
    if not np.isfinite(A).all():
        return False
    poles = np.linalg.eigvals(A)
    return bool((np.abs(poles) < 1.0).all() if discrete else (poles.real < 0.0).all())


def _plant(
    plant: LinearModel | ArrayLike, B: ArrayLike | None, sampled: bool
) -> tuple[np.ndarray, np.ndarray, bool]:
    """Return A, B and whether they lead from sample to sample."""
    if isinstance(plant, LinearModel):
        if B is not None:
            raise InputError(
                "a linear model has its own B", where="lqr", hint="give weights by name: Q=…, R=…"
            )
        return plant.A, plant.B, plant.dt is not None
    if B is None:
        raise InputError("A needs B beside it", where="lqr", expected="lqr(A, B, Q=…, R=…)")
    n = len(np.atleast_2d(np.asarray(plant)))
    nu = np.atleast_2d(np.asarray(B)).shape[-1]
    return _matrix(plant, (n, n), "A"), _matrix(B, (n, nu), "B"), sampled


def _matrix(value: ArrayLike, shape: tuple[int, int], name: str) -> np.ndarray:
    try:
        array = np.atleast_2d(np.asarray(value, dtype=float))
    except (TypeError, ValueError, RuntimeWarning):
        array = np.full((0, 0), np.nan)
    if array.shape != shape or not np.isfinite(array).all():
        raise InputError(
            f"{name} does not fit the plant",
            where="lqr",
            expected=f"{shape[0]} x {shape[1]} finite numbers",
            got=" x ".join(map(str, array.shape)),
        )
    return array


def _weight(value: ArrayLike, n: int, name: str) -> np.ndarray:
    """Return a symmetric weight (n, n)."""
    array = _matrix(value, (n, n), name)
    if np.abs(array - array.T).max(initial=0.0) > SYMMETRIC * np.abs(array).max(initial=0.0):
        raise InputError(f"{name} is not symmetric", where="lqr")
    return 0.5 * (array + array.T)


def _check_weights(Q: np.ndarray, R: np.ndarray, N: np.ndarray) -> None:
    """Refuse weights without a least cost."""
    if len(R) and np.linalg.eigvalsh(R).min() <= 0.0:
        raise InputError("R is not positive definite: inputs must cost something", where="lqr")
    least = np.linalg.eigvalsh(Q - N @ np.linalg.solve(R, N.T)).min(initial=0.0)
    if least < -SYMMETRIC * np.abs(Q).max(initial=1.0):
        raise InputError(
            "the cost can be negative",
            where="lqr",
            expected="Q - N R⁻¹ Nᵀ without negative eigenvalues",
            got=f"{least:.3g}",
        )


def _seconds(every: float | str) -> float:
    return float(period_of(every, "lqr, every"))


def _held(
    A: np.ndarray, B: np.ndarray, Q: np.ndarray, R: np.ndarray, N: np.ndarray, T: float
) -> tuple[np.ndarray, ...]:
    """Return A, B, Q, R, N from sample to sample of a continuous plant and cost, inputs held for T."""
    n, m = len(A), len(A) + B.shape[1]
    F, W = np.zeros((m, m)), np.block([[Q, N], [N.T, R]])
    F[:n, :n], F[:n, n:] = A, B
    E = linalg.expm(np.block([[-F.T, W], [np.zeros((m, m)), F]]) * T)
    step = E[m:, m:]
    cost = step.T @ E[:m, m:]
    cost = 0.5 * (cost + cost.T)
    return step[:n, :n], step[:n, n:], cost[:n, :n], cost[n:, n:], cost[:n, n:]


# rigid motion ---------------------------------------------------------------------------------------


def slow_part(model: LinearModel, below_hz: float | None = None) -> LinearModel:
    """Return the part of a model whose poles are slow, decoupled from the rest, D left out.

    With the ordered Schur form A = U [A11 A12; 0 A22] Uᵀ and A11 X - X A22 = -A12 the states z = (U1ᵀ - X U2ᵀ) x obey
    ż = A11 z + (U1ᵀ - X U2ᵀ) B u, and give C U1 z of the outputs.

    Of a sampled model it is the slow part in continuous time whose samples, with inputs held, are those of the model:
    exp([A_c B_c; 0 0] dt) = [A_s B_s; 0 I].

    below_hz : what is slow; None: below 0.05 Hz, and on to a gap of a factor of 3 between poles
    """
    hz = _gap_hz(model) if below_hz is None else float(below_hz)
    balanced_A, scale = balance_matrix(model.A)
    dt = model.dt

    def slow(re: float, im: float) -> bool:
        return bool(seen_as(np.array([complex(re, im)]), dt).frequency_hz[0] < hz)

    T, U, n = linalg.schur(balanced_A, sort=slow)
    if n == 0:
        raise InputError(f"'{model.name}' has no pole below {hz:.3g} Hz", where="below_hz")
    X = linalg.solve_sylvester(T[:n, :n], -T[n:, n:], -T[:n, n:]) if n < len(T) else np.zeros((n, 0))
    A, B = T[:n, :n], (U[:, :n].T - X @ U[:, n:].T) @ (model.B / scale[:, None])
    if dt is not None:
        A, B = _between_samples(A, B, dt)
    return replace(
        model,
        A=A,
        B=B,
        C=(model.C * scale) @ U[:, :n],
        D=np.zeros_like(model.D),
        dt=None,
        states=[f"slow{k + 1}" for k in range(n)],
        state_units=[],
        state_index={},
        name=f"{model.name}, slow",
    )


def _between_samples(A: np.ndarray, B: np.ndarray, dt: float) -> tuple[np.ndarray, np.ndarray]:
    """Return A, B in continuous time that give those from sample to sample where inputs are held."""
    n, whole = len(A), np.eye(len(A) + B.shape[1])
    whole[:n, :n], whole[:n, n:] = A, B
    rate = np.real(linalg.logm(whole)) / dt
    return rate[:n, :n], rate[:n, n:]


def _gap_hz(model: LinearModel) -> float:
    """Return a frequency in the first gap between poles from 0.05 Hz on: the next is more than `GAP` times as fast."""
    hz = np.sort(model.poles().frequency_hz)
    last = SLOW_HZ
    for f in hz[hz >= SLOW_HZ]:
        if f > GAP * last:
            break
        last = float(f)
    return np.sqrt(GAP) * last


def effectiveness(
    model: LinearModel, outputs: Chosen, inputs: Chosen = None, below_hz: float | None = None
) -> np.ndarray:
    """Return how fast inputs make outputs change as rigid motion alone goes: C_s B_s (ny, nu) of the slow part.

    For a rate and gimbal angles it is the angular acceleration of the whole vehicle a radian; bending and the lags
    of actuators, being faster, have settled. Of a sampled model it is a rate in seconds too, not in samples.
    """
    part = slow_part(model.select(inputs, outputs), below_hz)
    return part.C @ part.B


def rigid(
    model: LinearModel,
    attitude: Chosen = None,
    rate: Chosen = None,
    inputs: Chosen = None,
    below_hz: float | None = None,
    position: Chosen = None,
    velocity: Chosen = None,
) -> LinearModel:
    """Return the rigid rotation of a vehicle: states attitude and rate, inputs the angular accelerations wanted.

    y = [θ; ω] of the slow part, ẏ = C_s A_s C_s⁺ y + [0; α] where u = E⁺ α, E = `effectiveness` of the rates: a gain
    for it commands α (3,), and pinv(E) allocates that to the inputs of the model. With `position` and `velocity`
    y = [θ; ω; r; v]: how the vehicle moves as it turns under thrust, C_v B_s E⁺ what inputs push it aside besides.

    The rigid motion of a sampled model is sampled as well, accelerations held.

    attitude, rate : outputs; default: those in rad (or a quaternion, as rotation vector in body axes) and in rad/s
    position, velocity : outputs that are states too, as many of one as of the other: those that turning moves
    """
    turning, angles = _angles(model, attitude)
    rates = _with_unit(model, "rad/s") if rate is None else model.output_places(rate)
    m = len(rates)
    if m == 0 or len(angles) != m:
        raise InputError(
            "a rigid model needs as many angles as rates among the outputs",
            where=f"'{model.name}'",
            got=f"{len(angles)} angles, {m} rates",
            hint="name them: rigid(attitude=…, rate=…)",
        )
    if (position is None) != (velocity is None):
        raise InputError("a position needs its velocity", where="rigid", hint="name both, or none")
    places, moves = (
        np.zeros(0, int) if each is None else model.output_places(each) for each in (position, velocity)
    )
    k = len(places)
    if len(moves) != k:
        raise InputError(
            "positions and velocities do not go together",
            where="rigid",
            expected="as many of one as of the other",
            got=f"{k} and {len(moves)}",
        )
    part = slow_part(model.select(inputs), below_hz)
    C = np.vstack([turning @ part.C, part.C[rates], part.C[places], part.C[moves]])
    E = C[m : 2 * m] @ part.B
    least = NOTHING * np.linalg.norm(model.C[rates]) * np.linalg.norm(model.select(inputs).B)
    rank = int(np.linalg.matrix_rank(E, least))
    if rank < m:
        raise InputError(
            "the inputs do not turn the vehicle about every axis",
            where="rigid",
            expected=f"rank {m}",
            got=f"{rank}",
            hint="choose outputs with attitude= and rate=, or poles with below_hz=",
        )
    n, back = 2 * m + 2 * k, np.linalg.pinv(C)
    A, B = C @ part.A @ back, C @ part.B @ np.linalg.pinv(E)
    A[:m], A[2 * m : 2 * m + k] = np.eye(m, n, m), np.eye(k, n, 2 * m + k)  # θ̇ = ω, ṙ = v
    B[:m], B[m : 2 * m], B[2 * m : 2 * m + k] = 0.0, np.eye(m), 0.0
    names = [*angles, *(model.outputs[i] for i in (*rates, *places, *moves))]
    wanted = [f"{model.outputs[i]} wanted rate" for i in rates]
    units = ["rad"] * m + ["rad/s"] * m + [model.output_units[i] for i in (*places, *moves)]
    found = LinearModel(
        A,
        B,
        np.eye(n),
        np.zeros((n, m)),
        names,
        wanted,
        list(names),
        state_units=units,
        input_units=["rad/s^2"] * m,
        output_units=list(units),
        name=f"{model.name}, rigid",
        notes=model.notes,
    )
    return found if model.dt is None else found.discretize(model.dt)


def _with_unit(model: LinearModel, unit: str) -> np.ndarray:
    return np.array([k for k, text in enumerate(model.output_units) if text == unit], dtype=int)


def _angles(model: LinearModel, attitude: Chosen) -> tuple[np.ndarray, list[str]]:
    """Return a matrix (m, ny) from outputs to small angles, and their names.

    Angles are outputs in rad; four outputs that are a quaternion q at the point give δθ = 2 vec(q* δq), body axes.
    """
    if attitude is not None:
        places = model.output_places(attitude)
    else:
        places = _with_unit(model, "rad")
        quaternions = [found for found in model.output_index.values() if _is_quaternion(model, found)]
        places = quaternions[0] if len(places) == 0 and quaternions else places
    rows = np.zeros((3 if _is_quaternion(model, places) else len(places), len(model.outputs)))
    if not _is_quaternion(model, places):
        rows[np.arange(len(places)), places] = 1.0
        return rows, [model.outputs[k] for k in places]
    w, x, y, z = model.operating_point["y"][places]
    rows[:, places] = 2.0 * np.array([[-x, w, z, -y], [-y, -z, w, x], [-z, y, -x, w]])
    return rows, [f"{model.outputs[places[0]].split('[')[0]} angle {axis}" for axis in "xyz"]


def _is_quaternion(model: LinearModel, places: np.ndarray) -> bool:
    """Return whether four outputs without unit have length 1 at the operating point."""
    plain = len(places) == 4 and all(model.output_units[k] in ("", "1") for k in places)
    if not plain or "y" not in model.operating_point:
        return False
    return bool(abs(np.linalg.norm(model.operating_point["y"][places]) - 1.0) < 1e-6)


class ModeSet(Protocol):
    """Modes of any kind: frequencies_hz (m,), shapes (n, m)."""

    @property
    def frequencies_hz(self) -> np.ndarray:
        """Frequencies (m,)."""
        ...

    @property
    def shapes(self) -> np.ndarray:
        """Shapes (n, m)."""
        ...


@named_arguments
def mac(a: ModeSet | ArrayLike, b: ModeSet | ArrayLike, weight: ArrayLike | None = None) -> np.ndarray:
    """Return MAC (m_a, m_b) of two mode sets: matrices with modes as columns, or objects with `.shapes`.

    >>> mac(np.eye(3)[:, :2], np.array([[2.0], [0.0], [0.0]]))
    array([[1.],
           [0.]])
    """
    A, B = (np.asarray(getattr(s, "shapes", s)) for s in (a, b))
    if A.ndim != 2 or B.ndim != 2 or len(A) != len(B):
        raise InputError(
            "mode sets do not fit each other", expected="as many rows", got=f"{A.shape} and {B.shape}"
        )
    W_A, W_B = (A, B) if weight is None else (np.asarray(weight) @ A, np.asarray(weight) @ B)
    own_a, own_b = np.sum(A.conj() * W_A, axis=0).real, np.sum(B.conj() * W_B, axis=0).real
    cross = np.abs(A.conj().T @ W_B) ** 2
    size = np.outer(own_a, own_b)
    return np.where(size > 0.0, cross / np.where(size > 0.0, size, 1.0), 0.0)


@dataclass(frozen=True)
class TrackedModes:
    """Modes followed through a sweep.

    values (s,) of the parameter, frequencies_hz (s, m), damping (s, m), shapes (s, n, m), likeness (s, m): the MAC
    with the step before (1 at the first)
    """

    values: np.ndarray
    frequencies_hz: np.ndarray
    damping: np.ndarray
    shapes: np.ndarray
    likeness: np.ndarray


@named_arguments
def track_modes(
    mode_sets: Sequence[ModeSet],
    values: ArrayLike | None = None,
    n_modes: int | None = None,
    weights: Sequence[ArrayLike] | None = None,
) -> TrackedModes:
    """Follow the modes of the first set (or its lowest n_modes) through the others.

    mode_sets : objects with `frequencies_hz`, `shapes` and perhaps `damping`: `system.modes(x)`, `lin.modes()`
    weights : a mass matrix for each set; shapes of `system.modes` bring their own
    """
    if not len(mode_sets):
        raise InputError("a sweep needs at least one set of modes")
    first = mode_sets[0]
    m = len(first.frequencies_hz) if n_modes is None else min(n_modes, len(first.frequencies_hz))
    shapes = np.array(first.shapes[:, :m])
    found = [(first.frequencies_hz[:m], _damping(first)[:m], shapes, np.ones(m))]
    for k, modes in enumerate(mode_sets[1:], start=1):
        if len(modes.frequencies_hz) < m:
            raise InputError(
                "a set of modes in the sweep has too few of them",
                where=f"set {k + 1}",
                expected=f"{m} or more",
                got=str(len(modes.frequencies_hz)),
                hint="follow fewer: n_modes",
            )
        weight = weights[k] if weights is not None else _own_weight(modes)
        likeness = mac(shapes, modes.shapes, weight)
        _, order = scipy.optimize.linear_sum_assignment(-likeness)
        old, shapes = shapes, np.array(modes.shapes[:, order])
        # one sign (or phase) along the sweep
        phase = np.sum(old.conj() * shapes, axis=0)
        size = np.abs(phase)
        shapes = shapes * np.where(size > 0.0, phase.conj() / np.where(size > 0.0, size, 1.0), 1.0)
        found.append(
            (modes.frequencies_hz[order], _damping(modes)[order], shapes, likeness[np.arange(m), order])
        )
    places = np.arange(len(found)) if values is None else np.asarray(values, dtype=float)
    if len(places) != len(found):
        raise InputError(
            "a sweep needs a value for each set of modes", expected=f"{len(found)}", got=f"{len(places)}"
        )
    return TrackedModes(places, *(np.array([row[j] for row in found]) for j in range(4)))


def _damping(modes: ModeSet) -> np.ndarray:
    return np.asarray(getattr(modes, "damping", np.zeros(len(modes.frequencies_hz))))


def _own_weight(modes: ModeSet) -> np.ndarray | None:
    system = getattr(modes, "system", None)
    return None if system is None else system.mass_matrix(modes.state)


@named_arguments
def sweep_modes(
    system: System,
    x: State,
    values: ArrayLike,
    change: Callable[[System, State, float], System | None],
    n_modes: int | None = None,
) -> TrackedModes:
    """Follow the undamped modes of a system while `change(system, state, value)` turns a joint or changes a mass.

    change : alters the state or the system (`set_mass`) that it gets, which are its own, or returns another system

    >>> def turn(system, x, angle):
    ...     x["panel"].q[:] = angle
    """
    values = np.asarray(values, dtype=float)
    sets, weights = [], []
    for value in values:
        state, own = x.copy(), at_point(system, x).with_settings()
        other = change(own, state, float(value)) or own
        if isinstance(state, OperatingPoint):
            state = state.with_settings(other.settings)  # as `change` left them
        sets.append(other.modes(state))
        weights.append(other.mass_matrix(state))
    return track_modes(sets, values, n_modes, weights)
