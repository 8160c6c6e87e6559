"""What kernels know of each kind of joint: transform, motion subspace, velocity terms, rates, springs of attitudes.

A joint moves the child's frame C from the joint frame F by (R, move) with V_rel = H v in C; the velocity term of its
acceleration is H̊ v. Subspaces that do not depend on the coordinates are written once (`constant_subspaces`), the
others with each `joint_motion`. A new kind gets the next number, and a branch wherever kinds are told apart here:
nothing outside this file tells them apart, but for shortcuts of the most common one.
"""

from __future__ import annotations

import numpy as np

from interstage.multibody.kernels.algebra import (
    IDENTITY,
    ZERO3,
    about_axis,
    add,
    cross,
    dot,
    inlined,
    kernel,
    of_quaternion,
    product,
    scale,
    sine_cosine,
    turn,
    turn_back,
)
from interstage.multibody.kernels.array_access import get3

LOCKED, REVOLUTE, PRISMATIC, CYLINDRICAL, UNIVERSAL, GIMBAL, BALL, PLANAR, FREE, SCREW, SLOT = range(11)
VARYING = (UNIVERSAL, GIMBAL, PLANAR, SLOT)  # kinds whose subspace depends on their coordinates


@kernel
def _put_column(H, i, k, w, v):
    """Write column k of the motion subspace of body i."""
    H[i, 6 * k] = w[0]
    H[i, 6 * k + 1] = w[1]
    H[i, 6 * k + 2] = w[2]
    H[i, 6 * k + 3] = v[0]
    H[i, 6 * k + 4] = v[1]
    H[i, 6 * k + 5] = v[2]


@kernel
def constant_subspaces(tree, H):
    """Write the motion subspaces that do not depend on the coordinates."""
    unit = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
    for i in range(tree.sizes[0]):
        kind = tree.joint_kind[i]
        a = get3(tree.joint_axes, i)
        if kind == REVOLUTE:
            _put_column(H, i, 0, a, ZERO3)
        elif kind == PRISMATIC:
            _put_column(H, i, 0, ZERO3, a)
        elif kind == SCREW:
            _put_column(H, i, 0, a, scale(tree.joint_pitch[i], a))
        elif kind == CYLINDRICAL:
            _put_column(H, i, 0, a, ZERO3)
            _put_column(H, i, 1, ZERO3, a)
        elif kind in (BALL, SLOT):
            for k in range(3):
                _put_column(H, i, k, unit[k], ZERO3)
        elif kind == FREE:
            for k in range(3):
                _put_column(H, i, k, unit[k], ZERO3)
                _put_column(H, i, k + 3, ZERO3, unit[k])


def has_other_joints(tree):
    """Return whether a vehicle has joints other than revolute ones."""
    return bool((tree.joint_kind != REVOLUTE).any())


@inlined
def turned(tree, i, angle):
    """Return R_PC of the revolute joint of body i at an angle."""
    s, c = sine_cosine(angle)
    T = tree.joint_turn
    return (
        T[i, 0] + s * T[i, 9] + c * T[i, 18],
        T[i, 1] + s * T[i, 10] + c * T[i, 19],
        T[i, 2] + s * T[i, 11] + c * T[i, 20],
        T[i, 3] + s * T[i, 12] + c * T[i, 21],
        T[i, 4] + s * T[i, 13] + c * T[i, 22],
        T[i, 5] + s * T[i, 14] + c * T[i, 23],
        T[i, 6] + s * T[i, 15] + c * T[i, 24],
        T[i, 7] + s * T[i, 16] + c * T[i, 25],
        T[i, 8] + s * T[i, 17] + c * T[i, 26],
    )


@kernel
def _several_axes(kind, axes, H, i, q, v, iq, iv):
    """Return R, translation, velocity halves and H̊ q̇ halves of universal, gimbal and planar joints."""
    a, b, c = (axes[0], axes[1], axes[2]), (axes[3], axes[4], axes[5]), (axes[6], axes[7], axes[8])
    if kind == PLANAR:
        R = about_axis(c, q[iq + 2])
        move = add(scale(q[iq], a), scale(q[iq + 1], b))
        x, y = turn_back(R, a), turn_back(R, b)
        _put_column(H, i, 0, ZERO3, x)
        _put_column(H, i, 1, ZERO3, y)
        _put_column(H, i, 2, c, ZERO3)
        rate = add(scale(v[iv], x), scale(v[iv + 1], y))
        spin = scale(v[iv + 2], c)
        return R, move, spin, rate, scale(0.0, spin), cross(rate, spin)
    Rb = about_axis(b, q[iq + 1])
    R = product(about_axis(a, q[iq]), Rb)
    x, y = turn_back(Rb, a), b
    spin = add(scale(v[iv], x), scale(v[iv + 1], y))
    bias = scale(v[iv] * v[iv + 1], cross(x, y))
    if kind == GIMBAL:
        Rc = about_axis(c, q[iq + 2])
        R = product(R, Rc)
        x, y = turn_back(Rc, x), turn_back(Rc, y)
        spin, bias = turn_back(Rc, spin), turn_back(Rc, bias)
        last = scale(v[iv + 2], c)
        bias = add(bias, cross(spin, last))
        spin = add(spin, last)
        _put_column(H, i, 2, c, ZERO3)
    _put_column(H, i, 0, x, ZERO3)
    _put_column(H, i, 1, y, ZERO3)
    none = scale(0.0, spin)
    return R, none, spin, none, bias, none


@kernel
def joint_motion(kind, axes, pitch, H, i, q, v, iq, iv):
    """Return R, translation, velocity halves and H̊ q̇ halves of a joint; writes H where it varies."""
    a = (axes[0], axes[1], axes[2])
    R, move, spin, rate, bias_w, bias_v = IDENTITY, ZERO3, ZERO3, ZERO3, ZERO3, ZERO3
    if kind == REVOLUTE:
        R = about_axis(a, q[iq])
        spin = scale(v[iv], a)
    elif kind == PRISMATIC:
        move = scale(q[iq], a)
        rate = scale(v[iv], a)
    elif kind == SCREW:
        R = about_axis(a, q[iq])
        move = scale(pitch * q[iq], a)
        spin = scale(v[iv], a)
        rate = scale(pitch * v[iv], a)
    elif kind == CYLINDRICAL:
        R = about_axis(a, q[iq])
        move = scale(q[iq + 1], a)
        spin = scale(v[iv], a)
        rate = scale(v[iv + 1], a)
    elif kind == BALL:
        R = of_quaternion(q[iq], q[iq + 1], q[iq + 2], q[iq + 3])
        spin = (v[iv], v[iv + 1], v[iv + 2])
    elif kind == FREE:
        R = of_quaternion(q[iq], q[iq + 1], q[iq + 2], q[iq + 3])
        move = (q[iq + 4], q[iq + 5], q[iq + 6])
        spin = (v[iv], v[iv + 1], v[iv + 2])
        rate = (v[iv + 3], v[iv + 4], v[iv + 5])
    elif kind == SLOT:
        R = of_quaternion(q[iq], q[iq + 1], q[iq + 2], q[iq + 3])
        move = scale(q[iq + 4], a)
        spin = (v[iv], v[iv + 1], v[iv + 2])
        along = turn_back(R, a)
        _put_column(H, i, 3, ZERO3, along)
        rate = scale(v[iv + 3], along)
        bias_v = cross(rate, spin)
    elif kind != LOCKED:
        R, move, spin, rate, bias_w, bias_v = _several_axes(kind, axes, H, i, q, v, iq, iv)
    return R, move, spin, rate, bias_w, bias_v


@kernel
def rates(tree, q, v, qdot):
    """Write q̇ = N(q) v: quaternions turn with body rates, free positions with R v."""
    for i in range(tree.sizes[0]):
        kind, iq, iv = tree.joint_kind[i], tree.joint_q[i], tree.joint_v[i]
        if kind in (BALL, FREE, SLOT):
            w, x, y, z = q[iq], q[iq + 1], q[iq + 2], q[iq + 3]
            a, b, c = 0.5 * v[iv], 0.5 * v[iv + 1], 0.5 * v[iv + 2]
            qdot[iq] = -x * a - y * b - z * c
            qdot[iq + 1] = w * a + y * c - z * b
            qdot[iq + 2] = w * b + z * a - x * c
            qdot[iq + 3] = w * c + x * b - y * a
            if kind == FREE:
                u = turn(of_quaternion(w, x, y, z), (v[iv + 3], v[iv + 4], v[iv + 5]))
                qdot[iq + 4] = u[0]
                qdot[iq + 5] = u[1]
                qdot[iq + 6] = u[2]
            elif kind == SLOT:
                qdot[iq + 4] = v[iv + 3]
        else:
            for k in range(tree.joint_nv[i]):
                qdot[iq + k] = v[iv + k]
        first, eta = iv + tree.joint_nv[i], tree.body_eta[i]
        for r in range(tree.body_modes[i]):
            qdot[eta + r] = v[first + r]


@kernel
def turn_velocities(tree, work, q, v, way):
    """Turn velocities (3,) of free bodies in v from their axes to those of the world (way 1), or back (-1)."""
    for i in range(tree.sizes[0]):
        if tree.joint_kind[i] == FREE and work.joint_mode[i] == 0:
            iq, k = tree.joint_q[i], tree.joint_v[i] + 3
            R = of_quaternion(q[iq], q[iq + 1], q[iq + 2], q[iq + 3])
            a = (v[k], v[k + 1], v[k + 2])
            b = turn(R, a) if way > 0.0 else turn_back(R, a)
            v[k], v[k + 1], v[k + 2] = b[0], b[1], b[2]


@kernel
def add_turning(tree, work, v, vdot):
    """Add ω × v of free bodies to v̇: p̈ in their axes."""
    for i in range(tree.sizes[0]):
        if tree.joint_kind[i] == FREE and work.joint_mode[i] == 0:
            k = tree.joint_v[i]
            a = cross((v[k], v[k + 1], v[k + 2]), (v[k + 3], v[k + 4], v[k + 5]))
            for c in range(3):
                vdot[k + 3 + c] += a[c]


@kernel
def normalize(tree, q):
    """Bring all quaternions in q to unit length."""
    for i in range(tree.sizes[0]):
        if tree.joint_kind[i] in (BALL, FREE, SLOT):
            k = tree.joint_q[i]
            s = 1.0 / np.sqrt(q[k] * q[k] + q[k + 1] * q[k + 1] + q[k + 2] * q[k + 2] + q[k + 3] * q[k + 3])
            for j in range(k, k + 4):
                q[j] *= s


@kernel
def turn_from_rest(tree, i, q):
    """Return the quaternion w, (x, y, z) of an attitude from the rest of its spring: r* q, r with r_w >= 0."""
    iq = tree.joint_q[i]
    w, e = q[iq], (q[iq + 1], q[iq + 2], q[iq + 3])
    iv = tree.joint_v[i]
    a = (tree.v_rest[iv], tree.v_rest[iv + 1], tree.v_rest[iv + 2])
    r = np.sqrt(max(0.0, 1.0 - dot(a, a)))
    side = cross(a, e)
    return r * w + dot(a, e), (
        r * e[0] - w * a[0] - side[0],
        r * e[1] - w * a[1] - side[1],
        r * e[2] - w * a[2] - side[2],
    )


@kernel
def attitude_spring(tree, i, q, k):
    """Return component k of the torque -s sin φ n of an attitude's spring, body axes, φ n its turn from rest."""
    w, e = turn_from_rest(tree, i, q)
    return -2.0 * tree.v_stiffness[tree.joint_v[i] + k] * w * e[k] / (w * w + dot(e, e))


@inlined
def joint_force(tree, q, v, tau, k):
    """Return the generalized force on velocity k: what is applied, less spring and damper."""
    j = tree.v_q[k]
    force = tau[k] - tree.v_damping[k] * v[k]
    if j >= 0:
        force -= tree.v_stiffness[k] * (q[j] - tree.v_rest[k])
    return force


@kernel
def hinge_forces(tree, i, q, v, tau, out):
    """Write the generalized forces (nv,) on the joint of body i, springs of attitudes among them."""
    iv = tree.joint_v[i]
    for k in range(tree.joint_nv[i]):
        out[k] = joint_force(tree, q, v, tau, iv + k)
        if tree.v_q[iv + k] < 0 and tree.v_stiffness[iv + k] != 0.0:
            out[k] += attitude_spring(tree, i, q, k)
