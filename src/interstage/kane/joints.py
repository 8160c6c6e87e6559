"""What elementary motions of joints do to a frame, to springs and to coordinates.

A joint says of itself which elementary motions it is put together from (`multibody.joints.motions`); everything else is
derived here. Each motion takes a frame in motion to the next one. With ω of the frame before, d its axis in the world,

    turn       ω' = ω + d q̇,                 α' = α + ω×d q̇
    travel     ẋ' = ẋ + ω×d q + d q̇,         a' = a + α×d q + ω×(ω×d q) + 2 ω×d q̇
    attitude   ω' = ω + R v,                 α' = α + ω×R v               (R v has the rate R v̇ + R(v×v))
    pose       both, R v with the rate R v̇ + R(v_ω×v)
"""

from __future__ import annotations

from collections.abc import Sequence
from types import ModuleType
from typing import Any, NamedTuple

from interstage.errors import ModelError
from interstage.kane.ops import Array, concat, cross, skew
from interstage.kane.rotation import about_axis, of_quaternion
from interstage.multibody.joints.motions import Attitude, Pose, Travel, Turn
from interstage.multibody.joints.motions import Motion as Step


class Motion(NamedTuple):
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


def shifted(xp: ModuleType, m: Motion, r: Array) -> Motion:
    """Return the motion of a frame at lever r (3,), world axes, fixed to the frame m."""
    W = skew(xp, m.w)
    swing = W @ r
    return m._replace(x=m.x + r, u=m.u + swing, a=m.a + skew(xp, m.alpha) @ r + W @ swing)


def _turning(xp: ModuleType, m: Motion, R: Array, spin: Array) -> Motion:
    return m._replace(R=R, w=m.w + spin, alpha=m.alpha + cross(xp, m.w, spin))


def _turn(xp: ModuleType, m: Motion, step: Step, at: Numbers) -> tuple[Motion, Columns]:
    axis = at.axes[step.axis]
    d = m.R @ axis
    on = _turning(xp, m, m.R @ about_axis(xp, axis, at.q[step.q]), d * at.v[step.v])
    return on, (d[:, None], xp.zeros((3, 1)))


def _travel(xp: ModuleType, m: Motion, step: Travel, at: Numbers) -> tuple[Motion, Columns]:
    d = m.R @ (at.pitch * at.axes[step.axis] if step.pitched else at.axes[step.axis])
    on, slide = shifted(xp, m, d * at.q[step.q]), d * at.v[step.v]
    on = on._replace(u=on.u + slide, a=on.a + 2.0 * cross(xp, m.w, slide))
    return on, (xp.zeros((3, 1)), d[:, None])


def _attitude(xp: ModuleType, m: Motion, step: Step, at: Numbers) -> tuple[Motion, Columns]:
    R = m.R @ of_quaternion(xp, at.q[step.q : step.q + 4])
    return _turning(xp, m, R, R @ at.v[step.v : step.v + 3]), (R, xp.zeros((3, 3)))


def _pose(xp: ModuleType, m: Motion, step: Step, at: Numbers) -> tuple[Motion, Columns]:
    on, (R, none) = _attitude(xp, m, step, at)
    spin, speed = at.v[step.v : step.v + 3], at.v[step.v + 3 : step.v + 6]
    there, slide = shifted(xp, m, m.R @ at.q[step.q + 4 : step.q + 7]), R @ speed
    change = 2.0 * cross(xp, m.w, slide) + R @ cross(xp, spin, speed)
    on = on._replace(x=there.x, u=there.u + slide, a=there.a + change)
    return on, (concat(xp, [R, none], axis=1), concat(xp, [none, R], axis=1))


_STEPS: dict[type, Any] = {Turn: _turn, Travel: _travel, Attitude: _attitude, Pose: _pose}


def check_steps(steps: Sequence[Step], where: str) -> None:
    """Refuse a joint that is put together from motions which are not known here."""
    for step in steps:
        if type(step) not in _STEPS:
            raise ModelError(
                f"the joint of {where} is unknown here",
                expected=", ".join(known.__name__ for known in _STEPS),
                got=type(step).__name__,
            )


def moved(xp: ModuleType, m: Motion, steps: Sequence[Step], at: Numbers) -> tuple[Motion, list[Twists]]:
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
        if isinstance(step, Pose):
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
        if isinstance(step, Attitude) and not isinstance(step, Pose):
            total = total + 0.5 * spring[step.v] * (3.0 - xp.trace(_from_rest(xp, step, rest, q)))
        elif not isinstance(step, Pose):
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
        if isinstance(step, Pose):
            R = of_quaternion(xp, q[step.q : step.q + 4])
            out.append(R @ v[step.v + 3 : step.v + 6])
    return out
