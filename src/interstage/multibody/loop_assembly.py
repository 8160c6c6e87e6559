"""Assemble closures from any start.

Newton's method on the closure errors with the least step in the metric of mass and stiffness,

    δ = -W⁻¹Jᵀ(J W⁻¹Jᵀ)⁺ e,     W = M + T² K

(stiff modes yield little), turns and tilts as angles, so that no start is mistaken for its mirror image. Deformation
that large steps brought along is taken back in the end.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from interstage.errors import InputError, ModelError, known_names
from interstage.multibody.closure_queries import all_rows, errors, name_of, worst
from interstage.multibody.closures import ROUNDING, in_use, least_answers, row_names
from interstage.multibody.joints.constraint_rows import ConstraintRow
from interstage.multibody.kernels import closure_rows as rows
from interstage.multibody.kernels.closure_forces import RANK
from interstage.multibody.state import State
from interstage.multibody.topology import check_state
from interstage.spatial import Rotation

if TYPE_CHECKING:
    from interstage.multibody.system import System


STIFFNESS_TIMES = (1e3, 30.0, 1.0)  # T of the metric, in periods of the slowest mode over 2 pi
STEPS, HALVINGS, NUDGES, RELAXATIONS = 60, 8, 3, 20
LARGE = 0.5  # deformation beside the size of a body that linear modes cannot mean
LONGEST = 0.7  # radians, or sizes of the vehicle, in one Newton step


class _Frames:
    """Poses and twist Jacobians of both ends of every closure at a state."""

    def __init__(self, system: System, x: State):
        self.system, self.q = system, x.q
        self.R = []
        with system.engine.borrow(x.q.dtype) as scratch:
            work = scratch.closure_rows(x.q, np.zeros_like(x.v))
            self.C = work.closure_C.copy()
            for c in range(len(system.model.closures)):
                pair = [self._rotation(work, int(s)) for s in system.tree.closure_site[c]]
                self.R.append((pair[0] @ system.tree.closure_R[c].reshape(3, 3), pair[1]))

    def _rotation(self, work: Any, s: int) -> np.ndarray:
        if s < 0:
            return np.eye(3)
        R = work.Rw[self.system.tree.site_body[s]].reshape(3, 3)
        return R @ work.site_R[s].reshape(3, 3)

    def turning(self, c: int) -> np.ndarray:
        """Return the Jacobian (3, nv) of ω_B - ω_A in the axes of the relation's frame."""
        total = np.zeros((3, self.system.nv))
        J = np.empty((6, self.system.nv))
        for sign, s in zip((-1.0, 1.0), self.system.tree.closure_site[c]):
            if s >= 0:
                body = int(self.system.tree.site_body[s])
                self.system.engine.jacobian(self.q, np.zeros(self.system.nv), body, np.array([s]), J)
                total += sign * J[:3]
        return self.R[c][0].T @ total


def _angle_errors(row: ConstraintRow, R: np.ndarray) -> tuple[float, np.ndarray]:
    """Return the angle that a turn or tilt row has to lose, and the axis it is about, for R = R_FB."""
    axis = np.cross(row.w, row.u)
    if row.kind == rows.TURN:
        return float(Rotation.of(R).rotation_vector @ axis), axis
    held = np.cross(row.u, axis)  # the axis that both frames share: ±w
    held = held if held @ row.w > 0.0 else -held
    seen = R @ held
    lever = np.cross(held, seen)
    length = np.linalg.norm(lever)
    angle = np.arctan2(length, held @ seen)
    if length < 1e-12:
        # opposite directions: any axis across will do
        return (0.0 if held @ seen > 0.0 else np.pi), axis
    return float(angle / length * (lever @ axis)), axis


def _newton_rows(system: System, x: State) -> tuple[np.ndarray, np.ndarray]:
    """Return errors (m,) and Jacobian (m, nv) of all rows, turns and tilts as angles."""
    frames = _Frames(system, x)
    J, e = all_rows(system, x), frames.C
    k = 0
    for c, spec in enumerate(system.model.closures):
        table = spec.joint.closure_rows()
        turning = frames.turning(c) if any(row.as_angle for row in table) else None
        for row in table:
            if row.as_angle:
                RF, RB = frames.R[c]
                e[k], axis = _angle_errors(row, RF.T @ RB)
                J[k] = axis @ turning
            k += 1
    use = in_use(system)
    return e * use, J * use[:, None]


def _metric(system: System, x: State, time: float) -> np.ndarray:
    """Return W (nv, nv) = M + T² K / min(K_i / M_ii): mass, and stiffness of modes and joints so that it rules.

    The same in all systems of units.
    """
    still = State(x.layout, x.q, np.zeros(system.nv))
    K = np.where(system.tree.v_q >= 0, system.tree.v_stiffness, 0.0)
    M = system.mass_matrix(still)
    slowest = (K / M.diagonal())[K > 0.0].min(initial=np.inf)
    return M + np.diag(K * (time**2 / slowest))


def _least_step(
    W: np.ndarray, J: np.ndarray, e: np.ndarray, free: np.ndarray, rest: np.ndarray
) -> np.ndarray:
    """Return the least δ in the metric W, zero outside `free`, with J δ = -e as well as it can be.

    Rows whose answer is not above `rest` (m,) cannot move: they are left as they are.
    """
    X = np.linalg.solve(W[np.ix_(free, free)], J[:, free].T)
    S = J[:, free] @ X
    moves = np.diag(S) > rest
    scale = np.where(moves, 1.0 / np.sqrt(np.where(moves, np.diag(S), 1.0)), 0.0)
    values, vectors = np.linalg.eigh(scale[:, None] * S * scale[None, :])
    good = values > RANK * len(values)
    right = vectors.T @ (scale * e)
    step = np.zeros(J.shape[1])
    step[free] = -X @ (scale * (vectors[:, good] @ (right[good] / values[good])))
    return step


def _moved(system: System, x: State, step: np.ndarray) -> State:
    q = x.q.copy()
    _move(system, q, step)
    return State(x.layout, q, x.v)


def _move(system: System, q: np.ndarray, step: np.ndarray) -> None:
    """Move q along `step`, quaternions kept at unit length."""
    qdot = np.empty(system.nq)
    system.engine.rates(q, np.ascontiguousarray(step), qdot)
    q += qdot
    system.layout.normalize(q)


def _free_velocities(system: System, fixed: Sequence[str]) -> np.ndarray:
    """Return the numbers of velocities that assembly may use."""
    mask = ~system.held
    for name in fixed:
        if name not in system.layout:
            raise InputError(f"there is no body '{name}'", where="fixed", hint=known_names(system.layout))
        where = system.layout[name]
        mask[where.v] = False
        mask[where.etadot] = False
    return np.flatnonzero(mask)


def assemble(system: System, x: State, fixed: Sequence[str] = ()) -> State:
    """Return a state near x whose closures hold, in position and velocity; bodies in `fixed` keep their coordinates."""
    check_state(system, x)
    y = x.copy(np.float64)
    if not system.model.closures:
        return y
    if not isinstance(fixed, str | Sequence | set | frozenset):
        raise InputError("not names of bodies", where="fixed", expected='as in ["crank"]', got=repr(fixed))
    fixed = [fixed] if isinstance(fixed, str) else list(fixed)
    free = _free_velocities(system, fixed)
    y = _assemble_positions(system, y, free)
    e = _assemble_velocities(system, y, free)
    unit = system.tree.row_tolerance / ROUNDING
    limit = 1e-9 * unit * (1.0 + np.abs(y.v).max(initial=0.0))
    if np.any(np.abs(e) > limit):
        k = int(np.argmax(np.abs(e) / limit))
        raise ModelError(
            f"velocities cannot fit closure {name_of(system, k)}",
            got=f"a rate of {e[k]:.3g}",
            hint="let more bodies move: fewer in fixed=, or rates of prescribed joints that fit",
        )
    return y


def _assemble_positions(system: System, start: State, free: np.ndarray) -> State:
    """Return a state near `start` whose closures hold, deformed no more than they ask for."""
    rng = np.random.default_rng(0)
    best, least, y = start, np.inf, start
    # where hardly a mode may yield, the search can go round in large turns: let them yield more before giving up
    for time in STIFFNESS_TIMES:
        y, closed, merit = _newton(system, start, free, time)
        if closed:
            return _checked(system, _relaxed(system, y, start, free), start)
        if merit < least:
            best, least = y, merit
    # a dead end of the search may be a singular start (a straight chain): try from beside it
    scale = _joint_scale(system)
    joints = free[scale[free] > 0.0]
    for nudge in range(NUDGES):
        push = np.zeros(system.nv)
        push[joints] = 0.1 * (nudge + 1) * rng.standard_normal(len(joints)) * scale[joints]
        y, closed, merit = _newton(system, _moved(system, y, push), free, STIFFNESS_TIMES[0])
        if closed:
            return _checked(system, _relaxed(system, y, start, free), start)
        if merit < least:
            best, least = y, merit
    raise ModelError(
        "the closures cannot be brought together",
        where=", ".join(sorted({row_names(system.model)[k][0] for k in _open(system, best)})),
        got=worst(system, best),
        hint="start nearer to the assembled shape, let more bodies move, or check lengths and rotations",
    )


def _checked(system: System, y: State, start: State) -> State:
    """Refuse what only deformations far beyond those of linear modes could bring together."""
    for name, flex in zip(system.bodies, system.flexes):
        if flex is None or not flex.n_modes:
            continue
        moved = y[name].eta - start[name].eta
        travel = np.linalg.norm(flex.gamma @ moved, axis=1).max()
        turn = np.linalg.norm(flex.lam @ moved, axis=1).max()
        size = np.linalg.norm(np.ptp(flex.l, axis=0))
        if travel > LARGE * size or turn > 2.0 * LARGE:
            raise ModelError(
                f"the closures can only be brought together by deforming body '{name}' beyond its linear modes",
                got=f"{travel:.3g} of travel and {turn:.3g} radians on a body of size {size:.3g}",
                hint="start nearer to the assembled shape, let more bodies move, or check lengths and rotations",
            )
    return y


def _newton(system: System, y: State, free: np.ndarray, time: float) -> tuple[State, bool, float]:
    """Return where Newton's method gets to, whether closures hold there, and the size of their errors."""
    unit = system.tree.row_tolerance / ROUNDING
    merit = np.inf
    for _ in range(STEPS):
        e, J = _newton_rows(system, y)
        merit = float(np.linalg.norm(e / unit))
        step = _least_step(_metric(system, y, time), J, e, free, least_answers(system, y))
        if np.all(np.abs(e) <= system.tree.row_tolerance):
            last = _moved(system, y, step)
            better = np.linalg.norm(_newton_rows(system, last)[0] / unit) < merit
            return last if better else y, True, merit
        step *= _shortened(system, step)
        for _ in range(HALVINGS):
            trial = _moved(system, y, step)
            if np.linalg.norm(_newton_rows(system, trial)[0] / unit) < merit:
                break
            step *= 0.5
        else:
            break
        y = trial
    return y, bool(np.all(np.abs(e) <= 1e3 * system.tree.row_tolerance)), merit


def _shortened(system: System, step: np.ndarray) -> float:
    """Return the factor that makes a step no longer than is wise."""
    scale = _joint_scale(system)
    longest = np.abs(step[scale > 0.0] / scale[scale > 0.0]).max(initial=0.0)
    return min(1.0, LONGEST / (longest + 1e-300))


def _joint_scale(system: System) -> np.ndarray:
    """Return what is large (nv,) for each velocity of a joint: a radian, or the size of the vehicle; zero for modes."""
    tree, scale = system.tree, np.zeros(system.nv)
    lengths = np.isin(tree.row_kind, (rows.ALONG, rows.SCREW_ROW))
    size = (tree.row_tolerance[lengths] / ROUNDING).max(initial=0.0) or 1.0
    for where in system.layout.values():
        scale[where.v] = np.where(where.joint.angles(), 1.0, size)
    return scale


def _relaxed(system: System, y: State, start: State, free: np.ndarray) -> State:
    """Return the closed state near y at which modes and springs have moved the least from the start.

    Large Newton steps bend bodies where a finite turn would do; steps along the closures take that back:
    minimize (δ + a)ᵀW(δ + a) with J δ = -e, a the displacement from the start of what has stiffness.
    """
    K = np.where(system.tree.v_q >= 0, system.tree.v_stiffness, 0.0)
    stiff = free[K[free] > 0.0]
    places = system.tree.v_q[stiff]

    def strain(state: State) -> float:
        return float(K[stiff] @ (state.q[places] - start.q[places]) ** 2)

    energy = strain(y)
    for _ in range(RELAXATIONS if len(stiff) else 0):
        a = np.zeros(system.nv)
        a[stiff] = y.q[places] - start.q[places]
        e, J = _newton_rows(system, y)
        W = _metric(system, y, STIFFNESS_TIMES[0])
        step = _least_step(W, J, e - J @ a, free, least_answers(system, y)) - a
        step *= _shortened(system, step)
        for _ in range(HALVINGS):
            trial, closed, _ = _newton(system, _moved(system, y, step), free, STIFFNESS_TIMES[0])
            if closed and strain(trial) < energy:
                break
            step *= 0.5
        else:
            return y
        before, energy, y = energy, strain(trial), trial
        if energy > (1.0 - 1e-6) * before:
            break
    return y


def _open(system: System, x: State) -> np.ndarray:
    wide = np.abs(errors(system, x, every=True)) > 1e3 * system.tree.row_tolerance
    return np.flatnonzero(wide & in_use(system))


def _assemble_velocities(system: System, y: State, free: np.ndarray) -> np.ndarray:
    """Change the velocities of y the least so that closures do not open; return what remains (m,)."""
    J, W = all_rows(system, y) * in_use(system)[:, None], _metric(system, y, STIFFNESS_TIMES[0])
    rest = least_answers(system, y)
    for _ in range(2):
        y.v += _least_step(W, J, J @ y.v, free, rest)
    return J @ y.v
