"""Move outwards through the tree: joint transforms, velocities, and velocity terms of accelerations.

A joint sits at a node of its parent. For a flexible parent the node is displaced by γη and turned by exp(λη);
its frame moves with (p the deformed position, θ = λη, J_l the left Jacobian of the rotation vector)

    V_n = [ω + J_l θ̇;  v + ω×p + γη̇]             parent axes
    a_n = [α + J_l θ̈;  a + α×p + γη̈] + c_n,      c_n = [J̇_l θ̇ - (J_l θ̇)×ω_n;  ω×γη̇ - (J_l θ̇)×v_n]

and the child with V = X V_n + H q̇,  A = X a_n + H q̈ + c,  c = H̊ q̇ + V × H q̇ (Featherstone 2008, ch. 4).
Accelerations are derivatives of body-axes components, that is, spatial accelerations.
Row -1 (the last one) of per-body scratch is the ground.
"""

from __future__ import annotations

import numpy as np

from interstage.multibody.handle import stage
from interstage.multibody.kernels.rows import add_rows, clear, clear_vector, rows_times
from interstage.multibody.kernels.small import (
    IDENTITY,
    ZERO3,
    about_axis,
    add,
    add6,
    cross,
    get3,
    get9,
    high,
    kernel,
    low,
    of_quaternion,
    polynomial_of_skew,
    product,
    put3,
    put6,
    put9,
    scale,
    sub,
    turn,
    turn_back,
)
from interstage.spatial.rotvec import exp_coefficients, jacobian_coefficients

LOCKED, REVOLUTE, PRISMATIC, CYLINDRICAL, UNIVERSAL, GIMBAL, BALL, PLANAR, FREE, SCREW = range(10)


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
        elif kind == BALL:
            for k in range(3):
                _put_column(H, i, k, unit[k], ZERO3)
        elif kind == FREE:
            for k in range(3):
                _put_column(H, i, k, unit[k], ZERO3)
                _put_column(H, i, k + 3, ZERO3, unit[k])


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
def _joint(kind, axes, pitch, H, i, q, v, iq, iv):
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
    elif kind != LOCKED:
        R, move, spin, rate, bias_w, bias_v = _several_axes(kind, axes, H, i, q, v, iq, iv)
    return R, move, spin, rate, bias_w, bias_v


@kernel
def site_pose(tree, work, s, q):
    """Write position, rotation and Jacobian of site s from the modal coordinates; return its rotation vector."""
    i = tree.site_body[s]
    n = tree.body_modes[i]
    o = work.V[-1, 0]
    theta, shift = (o, o, o), (o, o, o)
    if n > 0:
        start, eta = 3 * tree.site_start[s], q[tree.body_eta[i] : tree.body_eta[i] + n]
        theta = rows_times(tree.site_lam[start : start + 3 * n], eta)
        shift = rows_times(tree.site_gam[start : start + 3 * n], eta)
    put3(work.site_p, s, add(get3(tree.site_l, s), shift))
    x = theta[0] * theta[0] + theta[1] * theta[1] + theta[2] * theta[2]
    a1, a2 = exp_coefficients(x)
    put9(work.site_R, s, polynomial_of_skew(theta, a1, a2))
    _, a3, _, _ = jacobian_coefficients(x)
    put9(work.site_J, s, polynomial_of_skew(theta, a2, a3))
    return theta


@kernel
def site_motion(tree, work, s, theta, v):
    """Write velocity and acceleration bias of site s, with V of its body and the pose of the site known."""
    i = tree.site_body[s]
    n = tree.body_modes[i]
    o = work.V[-1, 0]
    rate, slide = (o, o, o), (o, o, o)
    if n > 0:
        start, first = 3 * tree.site_start[s], tree.joint_v[i] + tree.joint_nv[i]
        rate = rows_times(tree.site_lam[start : start + 3 * n], v[first : first + n])
        slide = rows_times(tree.site_gam[start : start + 3 * n], v[first : first + n])
    w, u = low(work.V, i), high(work.V, i)
    x = theta[0] * theta[0] + theta[1] * theta[1] + theta[2] * theta[2]
    _, a3, b2, b3 = jacobian_coefficients(x)
    spin = turn(get9(work.site_J, s), rate)
    w_n = add(w, spin)
    v_n = add(add(u, cross(w, get3(work.site_p, s))), slide)
    put6(work.site_V, s, w_n, v_n)
    side = cross(theta, rate)
    along = theta[0] * rate[0] + theta[1] * rate[1] + theta[2] * rate[2]
    c_w = add(
        add(scale(b2 * along, side), scale(b3 * along, cross(theta, side))), scale(a3, cross(rate, side))
    )
    put6(work.site_c, s, sub(c_w, cross(spin, w_n)), sub(cross(w, slide), cross(spin, v_n)))


@stage("xx")
def kinematics(tree, work, q, v):
    """Write R, p, V, c, g of every body and the motion of every port."""
    for i in range(tree.sizes[0]):
        parent, port = tree.body_parent[i], tree.body_port[i]
        iq, iv = tree.joint_q[i], tree.joint_v[i]
        if tree.joint_kind[i] == REVOLUTE and port < 0 and tree.body_modes[i] == 0:
            # the most common body by far, without the terms that are zero
            axis = get3(tree.joint_axes, i)
            R = product(get9(tree.joint_R, i), about_axis(axis, q[iq]))
            p = get3(tree.joint_p, i)
            w, u = low(work.V, parent), high(work.V, parent)
            spin = scale(v[iv], axis)
            w_c = add(turn_back(R, w), spin)
            v_c = turn_back(R, add(u, cross(w, p)))
            put9(work.R, i, R)
            put3(work.p, i, p)
            put6(work.V, i, w_c, v_c)
            put6(work.c, i, cross(w_c, spin), cross(v_c, spin))
            put3(work.g, i, turn_back(R, get3(work.g, parent)))
            continue
        RJ, move, spin, rate, bias_w, bias_v = _joint(
            tree.joint_kind[i], get9(tree.joint_axes, i), tree.joint_pitch[i], work.H, i, q, v, iq, iv
        )
        if port < 0:
            w, u = low(work.V, parent), high(work.V, parent)
            R = get9(tree.joint_R, i)
            p = add(get3(tree.joint_p, i), turn(R, move))
            R = product(R, RJ)
        else:
            w, u = low(work.site_V, port), high(work.site_V, port)
            R = product(get9(work.site_R, port), get9(tree.joint_R, i))
            p = turn(R, move)
            R = product(R, RJ)
        w_c = add(turn_back(R, w), spin)
        v_c = add(turn_back(R, add(u, cross(w, p))), rate)
        put9(work.R, i, R)
        put3(work.p, i, p)
        put6(work.V, i, w_c, v_c)
        put6(work.c, i, add(bias_w, cross(w_c, spin)), add(add(bias_v, cross(w_c, rate)), cross(v_c, spin)))
        put3(work.g, i, turn_back(R, get3(work.g, parent)))
        for s in range(tree.body_ports[i], tree.body_ports[i + 1]):
            site_motion(tree, work, s, site_pose(tree, work, s, q), v)


@stage("")
def poses(tree, work):
    """Write world rotation and position of every body, after `kinematics`."""
    for i in range(tree.sizes[0]):
        parent, port = tree.body_parent[i], tree.body_port[i]
        R = get9(work.Rw, parent)
        p = get3(work.p, i)
        if port >= 0:
            p = add(p, get3(work.site_p, port))
        put9(work.Rw, i, product(R, get9(work.R, i)))
        put3(work.pw, i, add(get3(work.pw, parent), turn(R, p)))


@kernel
def rates(tree, q, v, qdot):
    """Write q̇ = N(q) v: quaternions turn with body rates, free positions with R v."""
    for i in range(tree.sizes[0]):
        kind, iq, iv = tree.joint_kind[i], tree.joint_q[i], tree.joint_v[i]
        if kind in (BALL, FREE):
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
        else:
            for k in range(tree.joint_nv[i]):
                qdot[iq + k] = v[iv + k]
        first, eta = iv + tree.joint_nv[i], tree.body_eta[i]
        for r in range(tree.body_modes[i]):
            qdot[eta + r] = v[first + r]


@stage("xiM")
def external_wrenches(tree, work, q, sites, wrenches):
    """Gather wrenches [t; f] at sites, world axes, into rigid and modal forces; after `poses`.

    A site number below zero means the frame of body -1 - site. A seventh column tells the axes: 0 those of the
    world, 1 of the body, 2 of the node (loads that follow); three more the place in the frame of such a body.
    """
    clear(work.ext)
    clear_vector(work.mode_ext)
    for k in range(len(sites)):
        s = sites[k]
        i = tree.site_body[s] if s >= 0 else -1 - s
        axes = wrenches[k, 6].real if wrenches.shape[1] > 6 else 0.0
        t, f = low(wrenches, k), high(wrenches, k)
        if axes == 0.0:
            R = get9(work.Rw, i)
            t, f = turn_back(R, t), turn_back(R, f)
        if s < 0:
            if wrenches.shape[1] > 9:
                t = add(t, cross((wrenches[k, 7], wrenches[k, 8], wrenches[k, 9]), f))
            add6(work.ext, i, t, f)
            continue
        site_pose(tree, work, s, q)
        if axes == 2.0:
            R = get9(work.site_R, s)
            t, f = turn(R, t), turn(R, f)
        add6(work.ext, i, add(t, cross(get3(work.site_p, s), f)), f)
        t = turn_back(get9(work.site_J, s), t)
        n, start, first = tree.body_modes[i], 3 * tree.site_start[s], tree.body_mode[i]
        add_rows(work.mode_ext[first : first + n], tree.site_lam[start : start + 3 * n], t)
        add_rows(work.mode_ext[first : first + n], tree.site_gam[start : start + 3 * n], f)


@kernel
def normalize(tree, q):
    """Bring all quaternions in q to unit length."""
    for i in range(tree.sizes[0]):
        if tree.joint_kind[i] == BALL or tree.joint_kind[i] == FREE:
            k = tree.joint_q[i]
            s = 1.0 / np.sqrt(q[k] * q[k] + q[k + 1] * q[k + 1] + q[k + 2] * q[k + 2] + q[k + 3] * q[k + 3])
            for j in range(k, k + 4):
                q[j] *= s
