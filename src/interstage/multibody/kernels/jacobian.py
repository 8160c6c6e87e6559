"""Node kinematics and sums over the tree: Jacobians, energy, momentum, centre of mass.

All of them are in world axes. Call after `kinematics` and `poses` (and `body_terms` for the sums).
"""

from __future__ import annotations

from interstage.multibody.handle import stage
from interstage.multibody.kernels.joints import turn_from_rest
from interstage.multibody.kernels.rows import clear, clear_vector, rows_times
from interstage.multibody.kernels.slots import get3, get9, high, low
from interstage.multibody.kernels.small import add, cross, dot, kernel, scale, sub, symmetric_times, turn
from interstage.multibody.kernels.weighing import mass_times, soft_times


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
