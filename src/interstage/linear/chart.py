"""Coordinates of small motions: error coordinates, velocities in world axes, independent coordinates under closures.

Error coordinates: there are as many as there are velocities. The error of a state about x0 is [δq; δv], both (nv,).
Joints with angles and travels, and modes, simply add. A quaternion (ball and free joints) turns by a rotation vector
δθ in the axes of the body, and a free position moves by δp in the axes of the joint's parent (or of the body):

    R = R0 exp([δθ]×),      p = p0 + δp     (or p0 + R0 δp)

The reference x0 may itself move with v0. To first order the error then moves with

    δθ̇ = δω - ω0×δθ,     δṗ = R0 (δv - v0×δθ)     (or δv - v0×δθ - ω0×δp in body axes),     δq̇ = δv otherwise

so that the kinematic half of a linear model is known without differencing.

Velocities in world axes: for models about a vehicle that accelerates. The velocity of a free body is a state in its
own axes, v. Turned by δθ the vehicle then also moves across its way, at R (v × δθ), and how much changes as it gains
speed; a model whose coefficients are frozen leaves that change out, and what it says about the path of a vehicle under
thrust is wrong by v̇ × δθ. In the axes of the parent (the world)

    u = R v,    δu = R (δv - v×δθ),      d/dt at fixed δθ, δv:   R [ω×(δv - v×δθ) - v̇×δθ]

With x' = T x a model in continuous time becomes A' = (T A + Ṫ) T⁻¹, B' = T B, C' = C T⁻¹; that from sample to sample
A' = T₁ A T₀⁻¹, B' = T₁ B, T₁ at the end of the frame.

Independent coordinates: coordinates of locked joints are left out. Closures J(q) v = 0 leave small motions with

    J G⁻¹ δq = 0,       J δv + (∂(J v)/∂q) δq = 0

where G turns velocities into rates of δq (`Chart.kinematics`: free positions are counted along the parent's axes).
Columns, scaled by the mobility of each coordinate, are taken in the order of a pivoted QR decomposition: the first
rank of them are dependent, q_d = -J_d⁺ J_i q_i. The model keeps the independent entries of [δq; δv] with their
names, and T maps them to all. Velocities follow the choice of the coordinates where that serves them as well.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Protocol

import numpy as np
from scipy.linalg import qr

from interstage.errors import InputError, SolverError, known_names
from interstage.multibody.dynamics_derivatives import rate_slopes
from interstage.multibody.state import BodySlices, State
from interstage.spatial.rotvec import exp_coefficients

if TYPE_CHECKING:
    from interstage.multibody.system import System


POSITION_AXES = ("parent", "body")
# quantities that small motions of each kind are, and their rates
POSITIONS = {"angle": "angle", "length": "position", "modal": "modal coordinate"}
RATES = {"angle": "rate", "length": "velocity", "modal": "modal rate"}


def skew(a: np.ndarray) -> np.ndarray:
    """Return [a]× (3, 3)."""
    return np.array([[0.0 * a[0], -a[2], a[1]], [a[2], 0.0 * a[0], -a[0]], [-a[1], a[0], 0.0 * a[0]]])


def rotation_of(quaternion: np.ndarray) -> np.ndarray:
    """Return R (3, 3) of a unit quaternion, scalar first."""
    w, r = quaternion[0], quaternion[1:]
    X = skew(r)
    return np.eye(3) + 2.0 * (w * X + X @ X)


def turned(quaternion: np.ndarray, theta: np.ndarray) -> np.ndarray:
    """Return quaternion ∘ exp(θ/2): turned by the rotation vector θ (3,) in its own axes; real or complex."""
    half = 0.5 * theta
    x = half[0] * half[0] + half[1] * half[1] + half[2] * half[2]
    sine, versine = exp_coefficients(x)
    c, s = 1.0 - x * versine, sine * half
    w, r = quaternion[0], quaternion[1:]
    return np.concatenate([[w * c - r @ s], w * s + c * r + skew(r) @ s])


def with_unit_quaternions(x: State) -> State:
    """Return a bare copy of a real state, its quaternions brought to unit length: the chart turns from there."""
    out = State(x.layout, x.q, x.v)
    for name, where in x.layout.turning():
        quaternion = out.q[where.quaternion]
        size = float(np.linalg.norm(quaternion))
        if not (np.isfinite(size) and size > 0.0):
            raise InputError(f"the quaternion of body '{name}' has no direction", got=f"{quaternion}")
        if abs(size - 1.0) > 1e-12:
            quaternion /= size
    return out


class Chart:
    """Map small motions (δq, δv) about a state to states and back to rates."""

    def __init__(self, system: System, x0: State, position_axes: str = "parent"):
        if position_axes not in POSITION_AXES:
            raise InputError(
                "unknown axes", where="position_axes", expected="parent or body", got=repr(position_axes)
            )
        self.system, self.x0, self.body_axes = system, x0, position_axes == "body"
        self.round = [where for _, where in system.layout.turning()]

    @cached_property
    def _plain(self) -> tuple[np.ndarray, np.ndarray]:
        """Entries of δq that are added to coordinates, and these."""
        v_q = self.system.tree.v_q
        own = np.flatnonzero(v_q >= 0)
        return own, v_q[own]

    def state(self, dq: np.ndarray | None, dv: np.ndarray | None) -> State:
        """Return the state at an error; complex errors give a complex state."""
        if dq is None and dv is None:
            return self.x0.copy()
        kind = np.result_type(*(a for a in (dq, dv, self.x0.q) if a is not None))
        x = self.x0.copy(kind)
        if dv is not None:
            x.v += dv
        if dq is None:
            return x
        plain, places = self._plain
        x.q[places] += dq[plain]
        for where in self.round:
            q0 = self.x0.q[where.quaternion]
            x.q[where.quaternion] = turned(q0, dq[where.spin])
            if where.position is not None:
                step = dq[where.drift]
                x.q[where.position] += rotation_of(q0) @ step if self.body_axes else step
        return x

    def tangent(self) -> np.ndarray:
        """Return ∂q/∂δq (nq, nv) at the reference."""
        system = self.system
        N = np.zeros((system.nq, system.nv))
        plain, places = self._plain
        N[places, plain] = 1.0
        for where in self.round:
            q0 = self.x0.q[where.quaternion].real
            N[where.quaternion, where.spin] = 0.5 * np.vstack([-q0[1:], q0[0] * np.eye(3) + skew(q0[1:])])
            if where.position is not None:
                N[where.position, where.drift] = rotation_of(q0) if self.body_axes else np.eye(3)
        return N

    def turned_drift(self, where: BodySlices) -> np.ndarray:
        """Return R (3, 3) with δṗ = R δv + ...: from the axes of a free body to those of its position."""
        return np.eye(3) if self.body_axes else rotation_of(self.x0.q[where.quaternion].real)

    def kinematics(self) -> tuple[np.ndarray, np.ndarray]:
        """Return K, G (nv, nv) of δq̇ = K δq + G δv about the moving reference."""
        nv = self.system.nv
        both = np.zeros((nv, 2 * nv))
        self.write_kinematics(both)
        return both[:, :nv], both[:, nv:]

    def write_kinematics(self, A: np.ndarray) -> None:
        """Write K and G to the upper half of A (nv or more, 2 nv), of zeros and in order."""
        nv = self.system.nv
        K, G = A[:nv, :nv], A[:nv, nv:]
        A.reshape(-1)[nv : 2 * nv * nv : 2 * nv + 1] = 1.0
        v0 = self.x0.v.real
        for where in self.round:
            w, p = where.spin, where.drift
            K[w, w] = -skew(v0[w])
            if p is None:
                continue
            R = self.turned_drift(where)
            K[p, w] = -R @ skew(v0[p])
            G[p, p] = R
            if self.body_axes:
                K[p, p] = -skew(v0[w])


def turns(system: System, x0: State, x: State) -> np.ndarray:
    """Return δq (nv,) of x about x0: attitudes (turns to first order, 2 sin φ/2) and free positions; zero elsewhere."""
    out = np.zeros(system.nv, np.result_type(x0.q, x.q))
    for _, where in system.layout.turning():
        (w, *r), (w1, *r1) = x0.q[where.quaternion], x.q[where.quaternion]
        r, r1 = np.array(r), np.array(r1)
        out[where.spin] = 2.0 * (w * r1 - w1 * r - skew(r) @ r1)
        if where.position is not None:
            out[where.drift] = x.q[where.position] - x0.q[where.position]
    return out


def position_names(system: System) -> list[str]:
    """Return names of the entries of δq, as in "bus.rx", "engine.angle", "panel.eta3"."""
    return [c.name for c in system.layout.small_motions()]


def rate_names(system: System) -> list[str]:
    """Return names of the entries of δv, as in "bus.wx", "engine.angle_rate", "panel.eta3_rate"."""
    pairs = zip(system.layout.small_motions(), system.layout.velocities())
    return [f"{v.name}_rate" if v.name == small.name else v.name for small, v in pairs]


VELOCITY_AXES = ("body", "world")
Matrices = tuple[np.ndarray, np.ndarray, np.ndarray]


def in_world(axes: str) -> bool:
    """Return whether velocities are wanted in the axes of the world."""
    if axes not in VELOCITY_AXES:
        raise InputError("unknown axes", where="velocity_axes", expected="body or world", got=repr(axes))
    return axes == "world"


def turned_velocities(
    system: System, x: State, at: np.ndarray, vdot: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Return T and Ṫ (n, n) for states at places `at` (n,) of [δq; δv] (2 nv), -1 for others; vdot (nv,) for Ṫ."""
    T, change = np.eye(len(at)), np.zeros((len(at), len(at)))
    nv = system.nv
    every = np.arange(nv)
    for name, where in system.layout.turning():
        if where.position is None:
            continue
        turn, move = (_rows(at, places, name) for places in (every[where.spin], nv + every[where.drift]))
        if turn is None or move is None:
            continue
        R = rotation_of(x.q[where.quaternion].real)
        w, v = x.v[where.spin].real, x.v[where.drift].real
        T[np.ix_(move, move)], T[np.ix_(move, turn)] = R, -R @ skew(v)
        if vdot is not None:
            change[np.ix_(move, move)] = R @ skew(w)
            change[np.ix_(move, turn)] = -R @ (skew(w) @ skew(v) + skew(vdot[where.drift].real))
    return T, change


def _rows(at: np.ndarray, places: np.ndarray, name: str) -> np.ndarray | None:
    """Return which states are at places; None where none of them is a state."""
    found = [np.flatnonzero(at == place) for place in places]
    if all(len(rows) == 0 for rows in found):
        return None
    if any(len(rows) == 0 for rows in found):
        raise InputError(
            f"a loop leaves only part of the motions of body '{name}' as states",
            where="velocity_axes",
            hint='leave velocity_axes="world" out, or keep its coordinates with independent=',
        )
    return np.concatenate(found)


def continuous_in_world(
    matrices: Matrices, system: System, x: State, at: np.ndarray, vdot: np.ndarray
) -> Matrices:
    """Return A, B, C of a model in continuous time with velocities in the axes of the world."""
    A, B, C = matrices
    T, change = turned_velocities(system, x, at, vdot)
    back = np.linalg.inv(T)
    return (T @ A + change) @ back, T @ B, C @ back


def sampled_in_world(matrices: Matrices, system: System, x: State, end: State, at: np.ndarray) -> Matrices:
    """Return A, B, C of a map from one frame to the next with velocities in the axes of the world."""
    A, B, C = matrices
    first, last = (turned_velocities(system, each, at)[0] for each in (x, end))
    back = np.linalg.inv(first)
    return last @ A @ back, last @ B, C @ back


RANK = 1e-9  # pivots below this part of the first one are redundant closures
WORSE = 100.0  # times worse conditioned than the best choice: velocities get a choice of their own
STEP = 1e-40


class Moving(Protocol):
    """A system at a point, with its small motions."""

    system: System
    x0: State
    chart: Chart


def independent_coordinates(
    plant: Moving, locked: np.ndarray, wanted: Sequence[str] | None = None
) -> tuple[np.ndarray, np.ndarray | None]:
    """Return the places (n,) of independent entries in [δq; δv], and T (2 nv, n) from them to all entries.

    Without closures T is None: the others are still.

    wanted : names of coordinates (or bodies) that shall be among the independent ones
    """
    system, nv = plant.system, plant.system.nv
    free, mask = np.flatnonzero(~locked), named_coordinates(system, wanted)
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


def named_coordinates(system: System, wanted: Sequence[str] | None) -> np.ndarray:
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
