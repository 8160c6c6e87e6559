"""Array operations on numpy or jax arrays, rotations, and the elementary motions of joints.

Array operations that numpy and jax arrays share; `xp` is the array module.

Nothing here writes into an array, branches on a value or asks for a type that one of the modules lacks, so that
jit, vmap and grad of jax pass through.

Rotations on numpy or jax arrays: about an axis, of a quaternion, of a rotation vector with its rate.

With x = θ·θ the functions a1 = sin θ/θ, a2 = (1 - cos θ)/θ², a3 = (θ - sin θ)/θ³ are entire in x, and so are the
slopes b2 = 2 a2'(x), b3 = 2 a3'(x). They are summed as power series up to x = 1 and in closed form beyond.

What elementary motions of joints do to a frame, to springs and to coordinates.

A joint says of itself which elementary motions it is put together from (`multibody.joints.elementary_motions`);
everything else is derived here. Each motion takes a frame in motion to the next one. With ω of the frame before, d
its axis in the world,

    turn       ω' = ω + d q̇,                 α' = α + ω×d q̇
    travel     ẋ' = ẋ + ω×d q + d q̇,         a' = a + α×d q + ω×(ω×d q) + 2 ω×d q̇
    attitude   ω' = ω + R v,                 α' = α + ω×R v               (R v has the rate R v̇ + R(v×v))
    pose       both, R v with the rate R v̇ + R(v_ω×v)
"""

from __future__ import annotations

from collections.abc import Sequence
from math import factorial
from types import ModuleType
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from interstage.errors import ModelError
from interstage.multibody.joints.elementary_motions import Attitude, FreePose, Travel, Turn
from interstage.multibody.joints.elementary_motions import ElementaryMotion as Step

Array: TypeAlias = np.ndarray
"""An array of numpy, or one of jax, which has the same operations."""

# LEVI @ a is the matrix of a×
LEVI = np.zeros((3, 3, 3))
for _i, _j, _k in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
    LEVI[_i, _k, _j], LEVI[_i, _j, _k] = 1.0, -1.0


def skew(xp: ModuleType, a: Array) -> Array:
    """Return [a]× (3, 3).

    >>> skew(np, np.array([1.0, 2.0, 3.0])) @ np.array([0.0, 0.0, 1.0])
    array([ 2., -1.,  0.])
    """
    return xp.asarray(LEVI) @ a


def cross(xp: ModuleType, a: Array, b: Array) -> Array:
    """Return a × b of vectors (3,), or of a vector with each column of b (3, k)."""
    return skew(xp, a) @ b


def cross_rows(xp: ModuleType, a: Array, b: Array) -> Array:
    """Return a × b along the last axis of stacks of vectors (..., 3)."""
    x, y, z = a[..., 0], a[..., 1], a[..., 2]
    r, s, t = b[..., 0], b[..., 1], b[..., 2]
    return xp.stack([y * t - z * s, z * r - x * t, x * s - y * r], axis=-1)


def skews(xp: ModuleType, a: Array) -> Array:
    """Return [a]× (k, 3, 3) of vectors (k, 3)."""
    return xp.tensordot(a, xp.asarray(LEVI), axes=([1], [2]))


def concat(xp: ModuleType, parts: list[Array], axis: int = 0) -> Array:
    """Join arrays along an axis, by the name that the module has for it."""
    join = getattr(xp, "concat", None) or xp.concatenate
    return join(parts, axis=axis)


def in_columns(xp: ModuleType, block: Array, first: int, width: int) -> Array:
    """Return a (rows, width) matrix of zeros with `block` from column `first` on."""
    rows, k = block.shape
    left = xp.zeros((rows, first), dtype=block.dtype)
    right = xp.zeros((rows, width - first - k), dtype=block.dtype)
    return concat(xp, [left, block, right], axis=1)


def solve_scaled(xp: ModuleType, M: Array, f: Array) -> Array:
    """Return M⁻¹ f of an M with positive diagonal, rows and columns scaled to make that one first.

    Joints, positions and stiff modes have units of very different size. A step of refinement would not help: what
    limits the answer is the rounding in M itself, times its condition.
    """
    d = 1.0 / xp.sqrt(xp.abs(xp.diagonal(M)))
    return d * xp.linalg.solve(M * d[:, None] * d[None, :], (f * d)[:, None])[:, 0]


_TERMS = 12  # the first one left out is below 1e-24 of the sum at x = 1


def _series() -> np.ndarray:
    """Return coefficients (terms, 5) of powers of -x in a1, a2, a3, b2, b3."""
    rows = []
    for k in range(_TERMS):
        a = [1.0 / factorial(2 * k + j) for j in (1, 2, 3)]
        b = [-2.0 * (k + 1) / factorial(2 * k + 2 + j) for j in (2, 3)]
        rows.append(a + b)
    return np.array(rows)


_COEFFICIENTS = _series()


def coefficients(xp: ModuleType, x: Array) -> Array:
    """Return a1, a2, a3, b2, b3 at x = θ·θ, (5,)."""
    near = x.real < 1.0
    # the branch that is not taken must stay finite, or its slope spoils the other one
    small, large = xp.where(near, x, 0.0), xp.where(near, 4.0, x)
    powers = xp.cumprod(xp.stack([-small] * (_TERMS - 1)))
    series = xp.asarray(_COEFFICIENTS[0]) + powers @ xp.asarray(_COEFFICIENTS[1:])
    angle = xp.sqrt(large)
    a1, a2 = xp.sin(angle) / angle, (1.0 - xp.cos(angle)) / large
    a3 = (1.0 - a1) / large
    closed = xp.stack([a1, a2, a3, (a1 - 2.0 * a2) / large, (a2 - 3.0 * a3) / large])
    return xp.where(near, series, closed)


def about_axis(xp: ModuleType, n: Array, angle: Array) -> Array:
    """Return the rotation (3, 3) by `angle` about the unit vector n (3,)."""
    N = skew(xp, n)
    return xp.asarray(np.eye(3)) + xp.sin(angle) * N + (1.0 - xp.cos(angle)) * (N @ N)


def of_quaternion(xp: ModuleType, q: Array) -> Array:
    """Return the rotation (3, 3) of a quaternion (4,), scalar first, of any length."""
    V = skew(xp, q[1:])
    return xp.asarray(np.eye(3)) + (2.0 / xp.sum(q * q)) * (q[0] * V + V @ V)


def of_vector(xp: ModuleType, theta: Array, rate: Array) -> tuple[Array, Array, Array]:
    """Return exp θ, the left Jacobian J_l (ω = J_l θ̇), and J̇_l θ̇, for θ and θ̇ (3,)."""
    eye = xp.asarray(np.eye(3))
    a1, a2, a3, b2, b3 = coefficients(xp, xp.sum(theta * theta))
    T, D = skew(xp, theta), skew(xp, rate)
    TT, along = T @ T, xp.sum(theta * rate)
    jacobian = eye + a2 * T + a3 * TT
    change = along * (b2 * T + b3 * TT) + a3 * (D @ T)
    return eye + a1 * T + a2 * TT, jacobian, change @ rate


class FrameMotion(NamedTuple):
    """Pose, velocity and remainder accelerations of a frame, world axes: R (3, 3), the others (3,)."""

    R: Array
    x: Array
    w: Array
    u: Array
    alpha: Array
    a: Array


class Numbers(NamedTuple):
    """Numbers of a joint: axes (3, 3) in rows, pitch a radian, coordinates q and velocities v."""

    axes: Array
    pitch: Array
    q: Array
    v: Array


Columns = tuple[Array, Array]  # turns and slides (3, k) of the velocities of a step
Twists = tuple[Array, Array, Array]  # ω_j, s_j, x_j as columns (3, k)


def shifted(xp: ModuleType, m: FrameMotion, r: Array) -> FrameMotion:
    """Return the motion of a frame at lever r (3,), world axes, fixed to the frame m."""
    W = skew(xp, m.w)
    swing = W @ r
    return m._replace(x=m.x + r, u=m.u + swing, a=m.a + skew(xp, m.alpha) @ r + W @ swing)


def _turning(xp: ModuleType, m: FrameMotion, R: Array, spin: Array) -> FrameMotion:
    return m._replace(R=R, w=m.w + spin, alpha=m.alpha + cross(xp, m.w, spin))


def _turn(xp: ModuleType, m: FrameMotion, step: Step, at: Numbers) -> tuple[FrameMotion, Columns]:
    axis = at.axes[step.axis]
    d = m.R @ axis
    on = _turning(xp, m, m.R @ about_axis(xp, axis, at.q[step.q]), d * at.v[step.v])
    return on, (d[:, None], xp.zeros((3, 1)))


def _travel(xp: ModuleType, m: FrameMotion, step: Travel, at: Numbers) -> tuple[FrameMotion, Columns]:
    d = m.R @ (at.pitch * at.axes[step.axis] if step.pitched else at.axes[step.axis])
    on, slide = shifted(xp, m, d * at.q[step.q]), d * at.v[step.v]
    on = on._replace(u=on.u + slide, a=on.a + 2.0 * cross(xp, m.w, slide))
    return on, (xp.zeros((3, 1)), d[:, None])


def _attitude(xp: ModuleType, m: FrameMotion, step: Step, at: Numbers) -> tuple[FrameMotion, Columns]:
    R = m.R @ of_quaternion(xp, at.q[step.q : step.q + 4])
    return _turning(xp, m, R, R @ at.v[step.v : step.v + 3]), (R, xp.zeros((3, 3)))


def _pose(xp: ModuleType, m: FrameMotion, step: Step, at: Numbers) -> tuple[FrameMotion, Columns]:
    on, (R, none) = _attitude(xp, m, step, at)
    spin, speed = at.v[step.v : step.v + 3], at.v[step.v + 3 : step.v + 6]
    there, slide = shifted(xp, m, m.R @ at.q[step.q + 4 : step.q + 7]), R @ speed
    change = 2.0 * cross(xp, m.w, slide) + R @ cross(xp, spin, speed)
    on = on._replace(x=there.x, u=there.u + slide, a=there.a + change)
    return on, (concat(xp, [R, none], axis=1), concat(xp, [none, R], axis=1))


_STEPS: dict[type, Any] = {Turn: _turn, Travel: _travel, Attitude: _attitude, FreePose: _pose}


def check_steps(steps: Sequence[Step], where: str) -> None:
    """Refuse a joint that is put together from motions which are not known here."""
    for step in steps:
        if type(step) not in _STEPS:
            raise ModelError(
                f"the joint of {where} is unknown here",
                expected=", ".join(known.__name__ for known in _STEPS),
                got=type(step).__name__,
            )


def moved(
    xp: ModuleType, m: FrameMotion, steps: Sequence[Step], at: Numbers
) -> tuple[FrameMotion, list[Twists]]:
    """Return the frame beyond a joint on the frame m, and the twists of its velocities at that frame's origin."""
    found = []
    for step in steps:
        m, columns = _STEPS[type(step)](xp, m, step, at)
        found.append((step, m.x, *columns))
    parts: dict[int, Columns] = {}
    for step, x, turns, slides in found:
        if x is not m.x:
            slides = slides + cross(
                xp, x - m.x, turns
            )  # what turned before it travelled moves the frame as well
        before = parts.get(step.v)
        parts[step.v] = (turns, slides) if before is None else (before[0] + turns, before[1] + slides)
    if not parts:
        return m, []
    turns, slides = (concat(xp, [parts[k][j] for k in sorted(parts)], axis=1) for j in range(2))
    return m, [(turns, slides, m.x[:, None] + 0.0 * slides)]


def _own(steps: Sequence[Step]) -> list[Step]:
    """Return the steps that have coordinates of their own, in the order of these."""
    return sorted({step.v: step for step in reversed(steps)}.values(), key=lambda step: step.v)


def _from_rest(xp: ModuleType, step: Step, rest: Array, q: Array) -> Array:
    """Return R (3, 3) of an attitude from the rest of its spring, `rest` the vector part of a quaternion."""
    e = rest[step.v : step.v + 3]
    w = xp.sqrt(xp.maximum(0.0, 1.0 - xp.sum(e**2)))
    turn = of_quaternion(xp, q[step.q : step.q + 4])
    return of_quaternion(xp, concat(xp, [w[None], e])).T @ turn


def spring_forces(xp: ModuleType, steps: Sequence[Step], spring: Array, rest: Array, q: Array) -> list[Array]:
    """Return parts of the generalized forces (nv,) of springs: -k (q - rest), or -k sin φ about the axis of turn φ."""
    out = []
    for step in _own(steps):
        own = step.velocities
        if isinstance(step, FreePose):
            out.append(xp.zeros(6))
        elif isinstance(step, Attitude):
            R = _from_rest(xp, step, rest, q)
            axial = xp.stack([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]])
            out.append(-0.5 * spring[own] * axial)
        else:
            out.append(-spring[own] * (q[step.coordinates] - rest[own]))
    return out


def spring_energy(xp: ModuleType, steps: Sequence[Step], spring: Array, rest: Array, q: Array) -> Array:
    """Return the energy of springs: ½ k (q - rest)², or k (1 - cos φ) of a turn φ from rest."""
    total = xp.asarray(0.0)
    for step in _own(steps):
        own = step.velocities
        if isinstance(step, Attitude) and not isinstance(step, FreePose):
            total = total + 0.5 * spring[step.v] * (3.0 - xp.trace(_from_rest(xp, step, rest, q)))
        elif not isinstance(step, FreePose):
            total = total + 0.5 * xp.sum(spring[own] * (q[step.coordinates] - rest[own]) ** 2)
    return total


def coordinate_rates(xp: ModuleType, steps: Sequence[Step], q: Array, v: Array) -> list[Array]:
    """Return parts of q̇ of a joint: v itself, quaternion rates ½ q∘[0; ω], and R v for free positions."""
    out = []
    for step in _own(steps):
        if not isinstance(step, Attitude):
            out.append(v[step.velocities])
            continue
        w, e, rate = q[step.q], q[step.q + 1 : step.q + 4], 0.5 * v[step.v : step.v + 3]
        out += [-xp.sum(e * rate)[None], w * rate + cross(xp, e, rate)]
        if isinstance(step, FreePose):
            R = of_quaternion(xp, q[step.q : step.q + 4])
            out.append(R @ v[step.v + 3 : step.v + 6])
    return out
