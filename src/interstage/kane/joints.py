"""What each joint does: rotation and travel of the child, joint partials, and how they change.

A joint frame F sits on the parent's node. In the axes of F, the child turns with Γ v and its origin moves with Σ v;
the accelerations are Γ v̇ + γ̇ and Σ v̇ + σ̇ with the remainders γ̇ = dΓ/dt v, σ̇ = dΣ/dt v.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from interstage.errors import InputError
from interstage.kane.ops import Array, concat, cross
from interstage.kane.rotation import about_axis, of_quaternion

KINDS = (
    "Locked",
    "Revolute",
    "Prismatic",
    "Cylindrical",
    "Universal",
    "Gimbal",
    "Ball",
    "Planar",
    "Free",
    "Screw",
)


# joints whose child may leave the joint's own point
MOVING = ("Prismatic", "Screw", "Cylindrical", "Planar", "Free")


class JointMotion(NamedTuple):
    """R (3, 3) from child to F axes, travel (3,), Γ and Σ (3, nv), remainders γ̇ and σ̇ (3,)."""

    R: Array
    travel: Array
    turn: Array
    slide: Array
    turn_bias: Array
    slide_bias: Array


def joint_motion(xp: Any, kind: str, axes: Array, pitch: Array, q: Array, v: Array) -> JointMotion:
    """Return the motion of a joint of the given kind; axes (3, 3) in rows, `pitch` travel a radian."""
    zero, eye, o3 = xp.zeros(3), xp.asarray(np.eye(3)), xp.zeros((3, 1))
    a, b, c = axes[0], axes[1], axes[2]
    if kind == "Locked":
        none = xp.zeros((3, 0))
        return JointMotion(eye, zero, none, none, zero, zero)
    if kind == "Revolute":
        return JointMotion(about_axis(xp, a, q[0]), zero, a[:, None], o3, zero, zero)
    if kind == "Prismatic":
        return JointMotion(eye, q[0] * a, o3, a[:, None], zero, zero)
    if kind == "Screw":
        return JointMotion(
            about_axis(xp, a, q[0]), pitch * q[0] * a, a[:, None], pitch * a[:, None], zero, zero
        )
    if kind == "Cylindrical":
        turn, slide = xp.stack([a, zero], axis=1), xp.stack([zero, a], axis=1)
        return JointMotion(about_axis(xp, a, q[0]), q[1] * a, turn, slide, zero, zero)
    if kind == "Planar":
        turn, slide = xp.stack([zero, zero, c], axis=1), xp.stack([a, b, zero], axis=1)
        return JointMotion(about_axis(xp, c, q[2]), q[0] * a + q[1] * b, turn, slide, zero, zero)
    if kind == "Ball":
        R = of_quaternion(xp, q)
        # the rate of R v is R (v × v) + R v̇
        return JointMotion(R, zero, R, xp.zeros((3, 3)), zero, zero)
    if kind == "Free":
        R, none = of_quaternion(xp, q[:4]), xp.zeros((3, 3))
        turn, slide = concat(xp, [R, none], axis=1), concat(xp, [none, R], axis=1)
        return JointMotion(R, q[4:], turn, slide, zero, R @ cross(xp, v[:3], v[3:]))
    if kind in ("Universal", "Gimbal"):
        return _carried_axes(xp, kind, (a, b, c), q, v)
    raise InputError("an unknown kind of joint", expected=", ".join(KINDS), got=kind)


def _carried_axes(xp: Any, kind: str, axes: tuple[Array, ...], q: Array, v: Array) -> JointMotion:
    """Return the motion of universal and gimbal joints: each axis is carried by the turns before it."""
    R, spin, bias = xp.asarray(np.eye(3)), xp.zeros(3), xp.zeros(3)
    columns = []
    for k in range(2 if kind == "Universal" else 3):
        axis = R @ axes[k]
        bias = bias + cross(xp, spin, axis) * v[k]
        spin = spin + axis * v[k]
        columns.append(axis)
        R = R @ about_axis(xp, axes[k], q[k])
    turn = xp.stack(columns, axis=1)
    return JointMotion(R, xp.zeros(3), turn, xp.zeros(turn.shape), bias, xp.zeros(3))


def coordinate_rates(xp: Any, kind: str, q: Array, v: Array) -> Array:
    """Return q̇ of a joint: v itself, quaternion rates ½ q∘[0; ω], and R v for free positions."""
    if kind not in ("Ball", "Free"):
        return v
    w, e, rate = q[0], q[1:4], 0.5 * v[:3]
    quaternion = concat(xp, [-xp.sum(e * rate)[None], w * rate + cross(xp, e, rate)])
    if kind == "Ball":
        return quaternion
    return concat(xp, [quaternion, of_quaternion(xp, q[:4]) @ v[3:]])
