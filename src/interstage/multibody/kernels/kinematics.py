"""Move outwards through the tree: joint transforms, velocities, and velocity terms of accelerations.

A joint sits at a node of its parent. For a flexible parent the node is displaced by γη and turned by exp(λη);
its frame moves with (p the deformed position, θ = λη, J_l the left Jacobian of the rotation vector)

    V_n = [ω + J_l θ̇;  v + ω×p + γη̇]             parent axes
    a_n = [α + J_l θ̈;  a + α×p + γη̈] + c_n,      c_n = [J̇_l θ̇ - (J_l θ̇)×ω_n;  ω×γη̇ - (J_l θ̇)×v_n]

and the child with V = X V_n + H q̇,  A = X a_n + H q̈ + c,  c = H̊ q̇ + V × H q̇ (Featherstone 2008, ch. 4).
Accelerations are derivatives of body-axes components, that is, spatial accelerations.
Row -1 (the last one) of per-body scratch is the ground.

Node kinematics and sums over the tree: Jacobians, energy, momentum, centre of mass.

All of them are in world axes. Call after `kinematics` and `poses` (and `body_terms` for the sums).
"""

from __future__ import annotations

from interstage.multibody.address_table import stage
from interstage.multibody.kernels.algebra import (
    ZERO3,
    add,
    cross,
    dot,
    inlined,
    kernel,
    polynomial_of_skew,
    product,
    scale,
    sub,
    symmetric_times,
    turn,
    turn_back,
)
from interstage.multibody.kernels.array_access import (
    add6,
    add_rows,
    clear,
    clear_vector,
    get3,
    get9,
    high,
    low,
    put3,
    put6,
    put9,
    rows_times,
)
from interstage.multibody.kernels.geometric_stiffness import node_stiffness
from interstage.multibody.kernels.joints import REVOLUTE, joint_motion, turn_from_rest, turned
from interstage.multibody.kernels.variable_mass import mass_times, soft_times
from interstage.spatial.rotvec import exp_coefficients, jacobian_coefficients


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


@stage("nxx")
def port_motions(tree, work, i, q, v):
    """Write pose and motion of the ports of flexible body i, with V of the body known."""
    for s in range(tree.body_ports[i], tree.body_ports[i + 1]):
        site_motion(tree, work, s, site_pose(tree, work, s, q), v)


@stage("nxx")
def joint_frame(tree, work, i, q, v):
    """Write R, p, V, c, g of body i, whose joint is any but a revolute one, with those of its parent known."""
    parent, port = tree.body_parent[i], tree.body_port[i]
    RJ, move, spin, rate, bias_w, bias_v = joint_motion(
        tree.joint_kind[i],
        get9(tree.joint_axes, i),
        tree.joint_pitch[i],
        work.H,
        i,
        q,
        v,
        tree.joint_q[i],
        tree.joint_v[i],
    )
    if port < 0:
        w, u = low(work.V, parent), high(work.V, parent)
        R = get9(tree.joint_R, i)
        p = add(get3(tree.joint_p, i), turn(R, move))
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


@inlined
def _put_turned(work, i, parent, R, p, w, u, spin):
    """Write R, p, V, c, g of body i, turned by a revolute joint at p whose place in the parent moves with [w; u]."""
    w_c, v_c = add(turn_back(R, w), spin), turn_back(R, u)
    put9(work.R, i, R)
    put3(work.p, i, p)
    put6(work.V, i, w_c, v_c)
    put6(work.c, i, cross(w_c, spin), cross(v_c, spin))
    put3(work.g, i, turn_back(R, get3(work.g, parent)))


@stage("xx")
def kinematics(tree, work, q, v):
    """Write R, p, V, c, g of every body and the motion of every port."""
    for i in range(tree.sizes[0]):
        if tree.joint_kind[i] == REVOLUTE:  # the most common one by far, without the terms that are zero
            parent, port = tree.body_parent[i], tree.body_port[i]
            spin, R = scale(v[tree.joint_v[i]], get3(tree.joint_axes, i)), turned(tree, i, q[tree.joint_q[i]])
            if port < 0:
                p, w = get3(tree.joint_p, i), low(work.V, parent)
                _put_turned(work, i, parent, R, p, w, add(high(work.V, parent), cross(w, p)), spin)
                if tree.body_modes[i] == 0:
                    continue
            else:
                R = product(get9(work.site_R, port), R)
                _put_turned(work, i, parent, R, ZERO3, low(work.site_V, port), high(work.site_V, port), spin)
        else:
            joint_frame(tree, work, i, q, v)
        if tree.body_ports[i] < tree.body_ports[i + 1]:
            port_motions(tree, work, i, q, v)


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


@stage("xiM")
def external_wrenches(tree, work, q, sites, wrenches):
    """Gather wrenches [t; f] at sites, world axes, into rigid and modal forces; after `poses`.

    A site number below zero means the frame of body -1 - site. A seventh column tells the axes: 0 those of the
    world, 1 of the body, 2 of the node (loads that follow); three more the place in the frame of such a body.
    """
    clear(work.ext[: tree.sizes[0]])
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
            if tree.body_root[i] >= 0:
                n, eta, first = tree.body_modes[i], tree.body_eta[i], tree.body_mode[i]
                out = work.mode_ext[first : first + n]
                node_stiffness(tree, work, tree.body_root[i], t, f, q[eta : eta + n], out)
            continue
        site_pose(tree, work, s, q)
        if axes == 2.0:
            R = get9(work.site_R, s)
            t, f = turn(R, t), turn(R, f)
        add6(work.ext, i, add(t, cross(get3(work.site_p, s), f)), f)
        n, start, first = tree.body_modes[i], 3 * tree.site_start[s], tree.body_mode[i]
        if tree.site_load[s] >= 0:
            eta, out = tree.body_eta[i], work.mode_ext[first : first + n]
            node_stiffness(tree, work, tree.site_load[s], t, f, q[eta : eta + n], out)
        t = turn_back(get9(work.site_J, s), t)
        add_rows(work.mode_ext[first : first + n], tree.site_lam[start : start + 3 * n], t)
        add_rows(work.mode_ext[first : first + n], tree.site_gam[start : start + 3 * n], f)


@kernel
def _put_column(J, k, w, v):
    J[0, k] = w[0]
    J[1, k] = w[1]
    J[2, k] = w[2]
    J[3, k] = v[0]
    J[4, k] = v[1]
    J[5, k] = v[2]


@kernel
def _site_columns(tree, work, s, R, arm, J):
    """Write the columns of the modes that move site s, for a point `arm` (world axes) away from it."""
    i = tree.site_body[s]
    n, first, at = tree.body_modes[i], tree.joint_v[i] + tree.joint_nv[i], 3 * tree.site_start[s]
    lam, gam, JL = tree.site_lam, tree.site_gam, get9(work.site_J, s)
    for r in range(n):
        x, y, z = at + r, at + n + r, at + 2 * n + r
        w = turn(R, turn(JL, (lam[x], lam[y], lam[z])))
        _put_column(J, first + r, w, add(turn(R, (gam[x], gam[y], gam[z])), cross(w, arm)))


@stage("nnM")
def jacobian(tree, work, i, s, J):
    """Write J (6, nv) with [ω; v] = J v of site s of body i (s < 0: the origin of body i), world axes."""
    clear(J)
    R = get9(work.Rw, i)
    point = get3(work.pw, i)
    if s >= 0:
        point = add(point, turn(R, get3(work.site_p, s)))
        _site_columns(tree, work, s, R, scale(0.0, point), J)
    H = work.H
    while i >= 0:
        R, iv = get9(work.Rw, i), tree.joint_v[i]
        arm = sub(point, get3(work.pw, i))
        for a in range(tree.joint_nv[i]):
            k = 6 * a
            w = turn(R, (H[i, k], H[i, k + 1], H[i, k + 2]))
            u = turn(R, (H[i, k + 3], H[i, k + 4], H[i, k + 5]))
            _put_column(J, iv + a, w, add(u, cross(w, arm)))
        port, parent = tree.body_port[i], tree.body_parent[i]
        if port >= 0:
            R = get9(work.Rw, parent)
            node = add(get3(work.pw, parent), turn(R, get3(work.site_p, port)))
            _site_columns(tree, work, port, R, sub(point, node), J)
        i = parent


@kernel
def _momenta(tree, work, i, v):
    """Return h, ℓ and E η̇ of body i, body axes, about its origin; F η̇ and E η̇ included."""
    I = work.I
    m, mp = I[i, 0], (I[i, 1], I[i, 2], I[i, 3])
    J = (I[i, 4], I[i, 5], I[i, 6], I[i, 7], I[i, 8], I[i, 9])
    w, u = low(work.V, i), high(work.V, i)
    h = add(symmetric_times(J, w), cross(mp, u))
    l = add(scale(m, u), cross(w, mp))
    n = tree.body_modes[i]
    if n > 0:
        first, f, e = tree.joint_v[i] + tree.joint_nv[i], 3 * tree.body_mode[i], 3 * tree.body_flex[i]
        h = add(h, rows_times(work.mode_F[f : f + 3 * n], v[first : first + n]))
        l = add(l, rows_times(work.pool_E[e : e + 3 * n], v[first : first + n]))
    return h, l


@stage("xxx")
def energies(tree, work, q, v, out):
    """Write kinetic, strain (springs included) and gravity energy (3,)."""
    o = work.V[-1, 0]
    kinetic, strain, weight = o, o, o
    gravity = get3(tree.gravity.reshape(1, 3), 0)
    for i in range(tree.sizes[0]):
        h, l = _momenta(tree, work, i, v)
        w, u = low(work.V, i), high(work.V, i)
        kinetic += 0.5 * (dot(w, h) + dot(u, l))
        I = work.I
        mp = (I[i, 1], I[i, 2], I[i, 3])
        n, first, eta = tree.body_modes[i], tree.joint_v[i] + tree.joint_nv[i], tree.body_eta[i]
        if n > 0:
            F, E, a, e = work.mode_F, work.pool_E, 3 * tree.body_mode[i], 3 * tree.body_flex[i]
            for r in range(n):
                x = v[first + r]
                mixed = w[0] * F[a + r] + w[1] * F[a + n + r] + w[2] * F[a + 2 * n + r]
                mixed += u[0] * E[e + r] + u[1] * E[e + n + r] + u[2] * E[e + 2 * n + r]
                kinetic += 0.5 * x * (mixed + mass_times(tree, work, i, v, first, r))
                strain += 0.5 * tree.v_stiffness[first + r] * q[eta + r] * q[eta + r]
                if tree.body_soft[i] != 0:
                    strain += 0.5 * q[eta + r] * soft_times(tree, work, i, q[eta : eta + n], r)
        weight -= dot(gravity, add(scale(I[i, 0], get3(work.pw, i)), turn(get9(work.Rw, i), mp)))
        iv = tree.joint_v[i]
        for k in range(iv, first):
            if tree.v_q[k] >= 0:
                x = q[tree.v_q[k]] - tree.v_rest[k]
                strain += 0.5 * tree.v_stiffness[k] * x * x
        if first > iv and tree.v_q[iv] < 0 and tree.v_stiffness[iv] != 0.0:
            cosine, sine = turn_from_rest(tree, i, q)
            square = dot(sine, sine)
            strain += 2.0 * tree.v_stiffness[iv] * square / (cosine * cosine + square)
    out[0] = kinetic
    out[1] = strain
    out[2] = weight


@stage("xfx")
def momentum(tree, work, v, about, out):
    """Write [h; p] (6,): angular momentum about a world point and linear momentum."""
    clear_vector(out)
    point = get3(about.reshape(1, 3), 0)
    for i in range(tree.sizes[0]):
        h, l = _momenta(tree, work, i, v)
        R = get9(work.Rw, i)
        h, l = turn(R, h), turn(R, l)
        h = add(h, cross(sub(get3(work.pw, i), point), l))
        out[0] += h[0]
        out[1] += h[1]
        out[2] += h[2]
        out[3] += l[0]
        out[4] += l[1]
        out[5] += l[2]
