"""Joints seen from outside: coordinates that give a pose, velocities that give a motion, joints turned round.

F is the joint frame on the parent, C the child's frame. R (3, 3) turns C to F, p (3,) is the origin of C in F,
and H (6, nv) in V_rel = H v, both in C, is the motion subspace of `kernels.kinematics`, here for one joint.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from interstage.errors import InputError
from interstage.multibody.joints import (
    Ball,
    Cylindrical,
    Free,
    Joint,
    Locked,
    Planar,
    Prismatic,
    Revolute,
    Screw,
    _ManyAxes,
    unit_axis,
)
from interstage.spatial import functions as spatial


def _twist(R: np.ndarray, axis: np.ndarray) -> float:
    """Return the angle about `axis` of the turn nearest to R."""
    w, *xyz = spatial.quaternion_from_matrix(R)
    angle = 2.0 * np.arctan2(np.dot(xyz, axis), w)
    return float((angle + np.pi) % (2.0 * np.pi) - np.pi) if abs(angle) > np.pi else float(angle)


def _angle_between(axis: np.ndarray, start: np.ndarray, end: np.ndarray) -> float:
    """Return the turn about `axis` that brings `start` above `end`."""
    a, b = start - (axis @ start) * axis, end - (axis @ end) * axis
    return float(np.arctan2(axis @ np.cross(a, b), a @ b))


def _about(axis: np.ndarray, angle: float) -> np.ndarray:
    return spatial.matrix_from_axis_angle(axis, angle)


def _universal(R: np.ndarray, a: np.ndarray, b: np.ndarray) -> list[float]:
    """Return the angles of R ≈ R_a R_b: R_a brings b to R b."""
    first = _angle_between(a, b, R @ b)
    return [first, _twist(_about(a, -first) @ R, b)]


def _gimbal(R: np.ndarray, a: np.ndarray, b: np.ndarray, c: np.ndarray, near: np.ndarray) -> list[float]:
    """Return the angles of R = R_a R_b R_c nearest to `near`: aᵀR c = aᵀR_b c gives the middle one, twice."""
    even = (a @ b) * (b @ c)
    cos, sin = a @ c - even, a @ np.cross(b, c)
    size = np.hypot(cos, sin)
    middle, half = np.arctan2(sin, cos), np.arccos(np.clip((a @ R @ c - even) / size, -1.0, 1.0))
    found = []
    for second in (middle + half, middle - half):
        out = _about(b, second) @ c
        # where the outer axes are in line only the sum of their angles is known
        first = _angle_between(a, out, R @ c) if np.linalg.norm(np.cross(a, out)) > 1e-9 else float(near[0])
        third = _twist((_about(a, first) @ _about(b, second)).T @ R, c)
        found.append(near + _wrapped(np.array([first, second, third]) - near))
    return min(found, key=lambda q: float(np.abs(q - near).sum())).tolist()


def _wrapped(angles: np.ndarray) -> np.ndarray:
    return (angles + np.pi) % (2.0 * np.pi) - np.pi


def fit_coordinates(joint: Joint, R: np.ndarray, p: np.ndarray, near: np.ndarray | None = None) -> np.ndarray:
    """Return the coordinates q (nq,) at which a joint comes nearest to a pose.

    near : coordinates to stay close to where several fit (gimbals; whole turns of all angles)
    """
    axes = joint.axes()
    guess = np.zeros(joint.nv) if near is None or len(near) != joint.nv else np.asarray(near, dtype=float)
    if isinstance(joint, Ball | Free):
        quaternion = spatial.quaternion_from_matrix(R)
        return quaternion if isinstance(joint, Ball) else np.concatenate([quaternion, p])
    if isinstance(joint, Revolute):
        q = [_twist(R, axes[0])]
    elif isinstance(joint, Prismatic):
        return np.array([axes[0] @ p])
    elif isinstance(joint, Screw):
        q, pitch = [_twist(R, axes[0])], joint.pitch_per_radian
        if pitch:
            turns = np.round((axes[0] @ p / pitch - q[0]) / (2.0 * np.pi))
            return np.array([q[0] + 2.0 * np.pi * turns])
    elif isinstance(joint, Cylindrical):
        q = [_twist(R, axes[0]), axes[0] @ p]
    elif isinstance(joint, Planar):
        q = [axes[0] @ p, axes[1] @ p, _twist(R, axes[2])]
    elif isinstance(joint, _ManyAxes):
        q = _universal(R, *axes[:2]) if joint.nv == 2 else _gimbal(R, *axes, guess)
    elif isinstance(joint, Locked):
        return np.zeros(0)
    else:
        raise InputError("a joint without a fit", got=repr(joint))
    q = np.array(q, dtype=float)
    for k in np.flatnonzero(~travels(joint)):
        q[k] = guess[k] + _wrapped(q[k] - guess[k]) if near is not None else q[k]
    return q


def travels(joint: Joint) -> np.ndarray:
    """Return a mask (nv,) of the velocities that are lengths a time; the others turn."""
    H = subspace(joint, joint.nominal())
    return ~H[:3].any(axis=0)


def joint_pose(joint: Joint, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return R (3, 3) and p (3,) of a joint at coordinates q."""
    axes, eye, zero = joint.axes(), np.eye(3), np.zeros(3)
    if isinstance(joint, Ball | Free):
        R = spatial.matrix_from_quaternion(q[:4] / np.linalg.norm(q[:4]))
        return R, q[4:].copy() if isinstance(joint, Free) else zero
    if isinstance(joint, Prismatic):
        return eye, q[0] * axes[0]
    if isinstance(joint, Planar):
        return _about(axes[2], q[2]), q[0] * axes[0] + q[1] * axes[1]
    if isinstance(joint, _ManyAxes):
        R = eye
        for k in range(joint.nv):
            R = R @ _about(axes[k], q[k])
        return R, zero
    if joint.nv == 0:
        return eye, zero
    travel = q[1] if isinstance(joint, Cylindrical) else joint.pitch_per_radian * q[0]
    return _about(axes[0], q[0]), travel * axes[0]


def subspace(joint: Joint, q: np.ndarray) -> np.ndarray:
    """Return H (6, nv) at coordinates q, child axes, angular first."""
    axes, H = joint.axes(), np.zeros((6, joint.nv))
    if isinstance(joint, Ball | Free):
        return np.eye(6)[:, : joint.nv]
    if isinstance(joint, Prismatic):
        H[3:, 0] = axes[0]
    elif isinstance(joint, Planar):
        R = _about(axes[2], q[2])
        H[3:, 0], H[3:, 1], H[:3, 2] = R.T @ axes[0], R.T @ axes[1], axes[2]
    elif isinstance(joint, _ManyAxes):
        R = np.eye(3)
        for k in range(joint.nv - 1, -1, -1):
            H[:3, k] = R.T @ axes[k]
            R = _about(axes[k], q[k]) @ R
    elif joint.nv:
        H[:3, 0] = axes[0]
        H[3:, 0] = joint.pitch_per_radian * axes[0]
        if isinstance(joint, Cylindrical):
            H[3:, 1] = axes[0]
    return H


def fit_velocities(joint: Joint, q: np.ndarray, V: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return v (nv,) nearest to a relative velocity V (6,) and what remains of V, child axes."""
    H = subspace(joint, q)
    if joint.nv in (0, 6):
        return (V.copy(), np.zeros(6)) if joint.nv else (np.zeros(0), V.copy())
    v = np.linalg.lstsq(H, V, rcond=None)[0]
    rest = V - H @ v
    rest[np.abs(rest) < 1e-14 * np.abs(V).max(initial=0.0)] = 0.0
    return v, rest


def misfit(joint: Joint, q: np.ndarray, R: np.ndarray, p: np.ndarray) -> tuple[float, float]:
    """Return angle and distance between a pose and what the joint makes of it."""
    R_fit, p_fit = joint_pose(joint, q)
    turn = np.linalg.norm(spatial.rotvec_from_matrix(R_fit.T @ R))
    return float(turn), float(np.linalg.norm(p - p_fit))


def reversed_joint(joint: Joint, R_PC: np.ndarray, where: str) -> Joint:
    """Return the joint of the parent on the child: R' = R_PCᵀ, axes turned to the parent and against the child.

    R_C P = R_a(-q) R_PCᵀ = R_PCᵀ R_{-R_PC a}(q): coordinates of one axis stay, several change their order.
    """
    if isinstance(joint, Planar):
        if np.any(joint.stiffness) or np.any(joint.damping):
            raise InputError(
                "a planar joint with springs or dampers cannot be turned round",
                where=where,
                hint="attach by the root of the tree, or by a closure",
            )
        return Planar(tuple(-R_PC @ unit_axis(joint.axis)), prescribed=joint.prescribed)
    if isinstance(joint, _ManyAxes):
        given = {key: tuple(joint.spread(key)[::-1]) for key in ("stiffness", "damping", "rest")}
        sequence = [tuple(-R_PC @ a) for a in joint.axes()[: joint.nv][::-1]]
        return type(joint)(sequence, prescribed=joint.prescribed, **given)
    if isinstance(joint, Ball):
        w, *xyz = joint.rest_quaternion()
        return replace(joint, rest=(w, *(-R_PC @ xyz))) if np.any(xyz) else replace(joint)
    if isinstance(joint, Free) or joint.nv == 0:
        return replace(joint)
    given = {key: getattr(joint, key) for key in ("stiffness", "damping", "rest", "prescribed")}
    if isinstance(joint, Screw):
        given["pitch"] = joint.pitch
    return type(joint)(tuple(-R_PC @ unit_axis(joint.axis)), **given)
