"""Inertia and velocity terms of one body, rigid or flexible, at fidelity 0, 1 or 2.

With u = [ω; v; η̇] in body axes the kinetic energy of a body is ½ uᵀM(η)u,

    M = [[J, [mp]×, F], [·, m I, E], [·, ·, I]],   h = Jω + mp×v + Fη̇,   ℓ = mv + ω×mp + Eη̇,

    order 0   J = J0 + 2 sym[mp0]ᵀ×[δ]× + m [δ]ᵀ×[δ]×    mp = mp0 + Eη    F = F0 + δ×E,    δ = Eη/m
    order 1   J = J0 + Σ η_r J1_r                        mp = mp0 + Eη    F = F0 + Σ η_r F1_r
    order 2   ... + Σ η_r η_s J2_rs

(nodes that turn with their inertia add to J1, J2 and F1, whose part S that is symmetric in modes, `flex_turn`, makes
F = ... + Σ η_r S_r and Ḟη̇ = Σ η̇_r η̇_s S_rs; see `multibody.flexible_body`)

and Lagrange's equations in quasi-coordinates give, for any such M, velocity terms that conserve energy and
momentum (the derivatives are those of the same M). mp moves with the modes at every order: then m d(r_com)/dt is the
momentum, and a uniform velocity of the whole vehicle is not felt.

    b_ω = J̇ω + ṁp×v + ω×h + v×ℓ
    b_v = ω×ṁp + ω×ℓ
    b_η,r = 2 ω·Σ_s a_sr η̇_s - ½ ωᵀ(∂J/∂η_r)ω - ω·(∂mp/∂η_r × v),    a_sr = Σ m γ_s×γ_r  (= -a_rs, so Ḟη̇ = 0)

Order 0 needs no integrals: M is that of the undeformed body about an origin shifted by δ, M = SᵀM0S with
S: v → v + ω×δ. It is positive definite for every η, and b_η,r = E_r·(ω×(v + ω×mp/m + 2δ̇)).

Gravity is the potential -g·(m r + R mp) at every order. NESC report App. E; docs/theory/multibody.md.

Sums over pairs of modes of a body with few mass points, by the rows of `multibody.flexible_body`: B_rs = Σ_k W_k,r
W_k,sᵀ.

With p = Σ_r W_r η_r and ṗ = Σ_r W_r η̇_r (3,) of each row what `body_inertia.pairs` reads from tables is

    Σ_s J2_rs η_s = W_r·p 1 - sym(W_r pᵀ),    Σ_s a_sr η_s = p×W_r,    Σ_s ω·a_sr η̇_s = (ω×ṗ)·W_r      summed over rows
"""

from __future__ import annotations

import numpy as np

from interstage.multibody.address_table import stage
from interstage.multibody.kernels.algebra import add, cross, inlined, kernel, scale, sub, symmetric_times
from interstage.multibody.kernels.array_access import (
    add_row,
    add_rows,
    clear_vector,
    get3,
    high,
    low,
    put6,
    rows_times,
    weighted_dot,
)
from interstage.multibody.kernels.geometric_stiffness import add_product, spin_stiffness
from interstage.multibody.kernels.joints import constant_subspaces
from interstage.multibody.kernels.variable_mass import factor_mass, weigh, whiten

PLANES = 10  # rows of scratch a mode: J2 (6), F1 (3), ω·F1 of the rates (1)


@kernel
def _four_rows(B, at, x, i, y, j, length, a, b, c, d):
    """Add a B_0 + ... + d B_3 to y[j...] and return B_0·x[i...] ... B_3·x[i...]; the rows follow each other at `at`.

    Unsigned positions spare the check for negative ones, so that the loop runs on vectors.
    """
    s = 0.0 * a
    t, u, w = s, s, s
    second, third, fourth = at + length, at + length + length, at + length + length + length
    for k in range(length):
        e, f, g, h = B[at + k], B[second + k], B[third + k], B[fourth + k]
        z = x[i + k]
        s += e * z
        t += f * z
        u += g * z
        w += h * z
        y[j + k] += a * e + b * f + c * g + d * h
    return s, t, u, w


@kernel
def _four_rows_twice(B, at, x, i, v, m, y, j, o, length, a, b):
    """Do the same in one pass with x[i...], factors a (4,), y[j...] and with v[m...], factors b (4,), y[o...]."""
    s = 0.0 * a[0]
    t, u, w = s, s, s
    p, q, r, z = s, s, s, s
    second, third, fourth = at + length, at + length + length, at + length + length + length
    for k in range(length):
        e, f, g, h = B[at + k], B[second + k], B[third + k], B[fourth + k]
        place, speed = x[i + k], v[m + k]
        s += e * place
        t += f * place
        u += g * place
        w += h * place
        p += e * speed
        q += f * speed
        r += g * speed
        z += h * speed
        y[j + k] += a[0] * e + a[1] * f + a[2] * g + a[3] * h
        y[o + k] += b[0] * e + b[1] * f + b[2] * g + b[3] * h
    return (s, t, u, w), (p, q, r, z)


@kernel
def _first_four(x, i, m):
    """Return x[i] ... x[i + 3], zero from the m-th on."""
    o = 0.0 * x[i]
    b = x[i + 1] if m > 1 else o
    c = x[i + 2] if m > 2 else o
    d = x[i + 3] if m > 3 else o
    return x[i], b, c, d


@kernel
def _add_four(y, k, m, s, x):
    """Add s x to the first m of y[k] ... y[k + 3]."""
    y[k] += s * x[0]
    if m > 1:
        y[k + 1] += s * x[1]
    if m > 2:
        y[k + 2] += s * x[2]
    if m > 3:
        y[k + 3] += s * x[3]


@kernel
def pairs(B, start, q, eta, v, rate, n, w, y, base, second):
    """Write Σ_s J2_rs η_s (planes 0-5), Σ_s a_sr η_s (6-8) and Σ_s ω·a_sr η̇_s (9) into y (10, n) at `base`.

    Modal coordinates and rates start at q[eta], v[rate]. The order of storage is that of this loop: four rows at a
    time, for each plane the columns from the first of the four on. J2 is symmetric and a_sr = -a_rs: each number
    serves both of its modes in one pass through memory. Pairs among the four modes are met twice and stored by
    halves. Without `second` (order 1) J2 is passed over.
    """
    clear_vector(y[base : base + PLANES * n])
    at = start
    for r in range(0, n, 4):
        m, rest = min(4, n - r), n - r
        length = np.uint64(rest)
        x, u = _first_four(q, eta + r, m), _first_four(v, rate + r, m)
        i, j = np.uint64(eta + r), np.uint64(rate + r)
        k, e = base + r, base + 9 * n + r
        if second:
            for _ in range(6):
                s = _four_rows(B, np.uint64(at), q, i, y, np.uint64(k), length, x[0], x[1], x[2], x[3])
                _add_four(y, k, m, 1.0, s)
                at += 4 * rest
                k += n
        else:
            at += 24 * rest
            k += 6 * n
        for p in range(3):
            c = w[p]
            weighted = (c * u[0], c * u[1], c * u[2], c * u[3])
            s, t = _four_rows_twice(
                B, np.uint64(at), q, i, v, j, y, np.uint64(k), np.uint64(e), length, x, weighted
            )
            _add_four(y, k, m, -1.0, s)
            _add_four(y, e, m, -c, t)
            at += 4 * rest
            k += n


@kernel
def _slopes(J1, c, eta, rate):
    """Return Σ η_r (J1 + c)_r and Σ η̇_r (J1 + 2c)_r."""
    s = 0.0 * c[0]
    t = s
    for r in range(len(eta)):
        s += eta[r] * (J1[r] + c[r])
        t += rate[r] * (J1[r] + 2.0 * c[r])
    return s, t


@stage("nxx")
def changed_inertia(tree, work, i, q, v):
    """Write J, F and the modal velocity terms of a body at order 1 or 2, those of mp apart; J̇ω + Ḟη̇ to body_f."""
    n, w = tree.body_modes[i], low(work.V, i)
    eta = q[tree.body_eta[i] : tree.body_eta[i] + n]
    first = tree.joint_v[i] + tree.joint_nv[i]
    rate = v[first : first + n]
    mode, flex = tree.body_mode[i], tree.body_flex[i]
    y = work.mode_y[PLANES * mode : PLANES * (mode + n)]
    base, second = PLANES * mode, tree.body_order[i] == 2
    if tree.body_thin[i] >= 0:
        thin_pairs(tree, work, i, q, v)
    else:
        table, start = work.pool_pair, tree.body_pair[i]
        pairs(table, start, q, tree.body_eta[i], v, first, n, w, work.mode_y, base, second)
    J1 = work.pool_J1[6 * flex : 6 * (flex + n)]
    F, F0 = work.mode_F[3 * mode : 3 * (mode + n)], work.pool_F0[3 * flex : 3 * (flex + n)]
    for r in range(3 * n):
        F[r] = F0[r] + y[6 * n + r]
    # ½ωᵀJω by the six numbers of J
    wx, wy, wz = w
    half = (0.5 * wx * wx, 0.5 * wy * wy, 0.5 * wz * wz, wx * wy, wx * wz, wy * wz)
    b, e = work.mode_b[mode : mode + n], y[9 * n : 10 * n]
    for r in range(n):
        b[r] = 2.0 * e[r]
    o = work.V[-1, 0]
    Jdot = work.body_f
    for p in range(6):
        c, g = y[p * n : (p + 1) * n], J1[p * n : (p + 1) * n]
        s, t = _slopes(g, c, eta, rate)
        work.I[i, 4 + p] += s
        Jdot[p] = t
        add_row(b, -half[p], g)
        add_row(b, -2.0 * half[p], c)
    change = symmetric_times((Jdot[0] + o, Jdot[1], Jdot[2], Jdot[3], Jdot[4], Jdot[5]), w)
    if tree.body_turn[i] >= 0:
        turning_nodes(tree, work, i, q, v)
        change = add(change, (Jdot[0], Jdot[1], Jdot[2]))
    Jdot[0], Jdot[1], Jdot[2] = change


@stage("nxx")
def turning_nodes(tree, work, i, q, v):
    """Add Σ_r S_rs η_r of nodes that turn to F (3, n) of body i; write Σ_rs S_rs η̇_r η̇_s to body_f."""
    n, mode, at = tree.body_modes[i], tree.body_mode[i], tree.body_turn[i]
    first = tree.joint_v[i] + tree.joint_nv[i]
    eta, rate = q[tree.body_eta[i] : tree.body_eta[i] + n], v[first : first + n]
    x = work.mode_y[PLANES * mode + 9 * n : PLANES * (mode + n)]  # used up
    for p in range(3):
        K = at + p * n * n
        add_product(tree.flex_turn, K, eta, 1.0, work.mode_F, 3 * mode + p * n)
        clear_vector(x)
        add_product(tree.flex_turn, K, rate, 1.0, x, 0)
        work.body_f[p] = 0.0
        for r in range(n):
            work.body_f[p] += rate[r] * x[r]


@stage("nx")
def shifted_inertia(tree, work, i, v):
    """Write J, F and the modal velocity terms of a body at order 0, shifted by Eη/m; body_f has Eη, and then J̇ω."""
    n, mode, flex = tree.body_modes[i], tree.body_mode[i], tree.body_flex[i]
    first, w, f = tree.joint_v[i] + tree.joint_nv[i], low(work.V, i), work.body_f
    rate, d = v[first : first + n], scale(1.0 / work.I[i, 0], (f[0], f[1], f[2]))
    I, E, F0 = work.I, work.pool_E[3 * flex : 3 * (flex + n)], work.pool_F0[3 * flex : 3 * (flex + n)]
    F = work.mode_F[3 * mode : 3 * (mode + n)]
    m, x, y, z = I[i, 0], d[0], d[1], d[2]
    for r in range(n):
        a, b, c = E[r], E[n + r], E[2 * n + r]
        F[r] = F0[r] + y * c - z * b
        F[n + r] = F0[n + r] + z * a - x * c
        F[2 * n + r] = F0[2 * n + r] + x * b - y * a
    e = (2.0 * I[i, 1] + m * x, 2.0 * I[i, 2] + m * y, 2.0 * I[i, 3] + m * z)
    I[i, 4] += e[1] * y + e[2] * z
    I[i, 5] += e[0] * x + e[2] * z
    I[i, 6] += e[0] * x + e[1] * y
    I[i, 7] -= 0.5 * (e[0] * y + e[1] * x)
    I[i, 8] -= 0.5 * (e[0] * z + e[2] * x)
    I[i, 9] -= 0.5 * (e[1] * z + e[2] * y)
    mp = add((I[i, 1], I[i, 2], I[i, 3]), scale(m, d))
    ddot = scale(1.0 / m, rows_times(E, rate))
    b = work.mode_b[mode : mode + n]
    clear_vector(b)
    # ω×(ω×mp/m + 2δ̇); ω×v follows for every order
    add_rows(b, E, cross(w, add(scale(1.0 / m, cross(w, mp)), scale(2.0, ddot))))
    f[0], f[1], f[2] = add(cross(ddot, cross(w, mp)), cross(mp, cross(w, ddot)))


@stage("nxx")
def flexible_terms(tree, work, i, q, v):
    """Write mass properties and velocity terms of a flexible body; gravity included."""
    n, order = tree.body_modes[i], tree.body_order[i]
    first = tree.joint_v[i] + tree.joint_nv[i]
    rate = v[first : first + n]
    mode, flex = tree.body_mode[i], tree.body_flex[i]
    E = work.pool_E[3 * flex : 3 * (flex + n)]
    b = work.mode_b[mode : mode + n]
    w, u, g = low(work.V, i), high(work.V, i), get3(work.g, i)
    I, f = work.I, work.body_f
    m, lean = I[i, 0], rows_times(E, q[tree.body_eta[i] : tree.body_eta[i] + n])
    if order > 0:
        changed_inertia(tree, work, i, q, v)
    else:
        f[0], f[1], f[2] = lean
        shifted_inertia(tree, work, i, v)
    Jdot_w = (f[0], f[1], f[2])
    mp = add((I[i, 1], I[i, 2], I[i, 3]), lean)
    I[i, 1], I[i, 2], I[i, 3] = mp
    J = (I[i, 4], I[i, 5], I[i, 6], I[i, 7], I[i, 8], I[i, 9])
    push = rows_times(E, rate)
    h = add(symmetric_times(J, w), rows_times(work.mode_F[3 * mode : 3 * (mode + n)], rate))
    # what the velocity v does is ω×v alone: products of v with itself cancel, and must not be left to round-off
    a = sub(cross(w, u), g)
    b_w = add(add(Jdot_w, cross(w, h)), cross(mp, a))
    put6(work.b, i, b_w, add(scale(m, a), cross(w, add(cross(w, mp), scale(2.0, push)))))
    add_rows(b, E, a)
    if tree.body_spin[i] >= 0:
        spin_stiffness(tree, work, i, q)


@stage("nx")
def ground_drag(tree, work, i, v):
    """Add the forces of dampers to ground, C [V; η̇] with C (6 + n, 6 + n) less its modal block, to b and b_η."""
    n, mode, at = tree.body_modes[i], tree.body_mode[i], tree.body_drag[i]
    first = tree.joint_v[i] + tree.joint_nv[i]
    C, V, b = tree.drag_C, work.V, work.mode_b
    for k in range(6):
        row = at + k * (6 + n)
        s = 0.0 * V[i, 0]
        for j in range(6):
            s += C[row + j] * V[i, j]
        for r in range(n):
            s += C[row + 6 + r] * v[first + r]
            b[mode + r] += C[row + 6 + r] * V[i, k]
        work.b[i, k] += s


@kernel
def _rigid_terms(work, i):
    """Write velocity terms of a rigid body; gravity included."""
    I = work.I
    m, mp = I[i, 0], (I[i, 1], I[i, 2], I[i, 3])
    J = (I[i, 4], I[i, 5], I[i, 6], I[i, 7], I[i, 8], I[i, 9])
    w, u, g = low(work.V, i), high(work.V, i), get3(work.g, i)
    # ω×h + v×l with h = Jω + mp×v, l = mv + ω×mp: v×v is left out before it is rounded (7 km/s in orbit)
    a = sub(cross(w, u), g)
    b_w = add(cross(w, symmetric_times(J, w)), cross(mp, a))
    put6(work.b, i, b_w, add(scale(m, a), cross(w, cross(w, mp))))


@stage("xx")
def body_terms(tree, work, q, v):
    """Write I and b (and F, b_η of flexible bodies) of every body, after `kinematics`."""
    for i in range(tree.sizes[0]):
        for k in range(10):
            work.I[i, k] = work.body_inertia[i, k]
        if tree.body_modes[i] > 0:
            flexible_terms(tree, work, i, q, v)
        else:
            _rigid_terms(work, i)
        if tree.body_drag[i] >= 0:
            ground_drag(tree, work, i, v)


@kernel
def _six(a, b, d, out, i):
    """Write the six numbers of A D Bᵀ, symmetric, of flat (3, n) arrays to row i."""
    n = len(d)
    x, y, z = a[:n], a[n : 2 * n], a[2 * n : 3 * n]
    p, q, r = b[:n], b[n : 2 * n], b[2 * n : 3 * n]
    out[i, 0] = weighted_dot(x, p, d)
    out[i, 1] = weighted_dot(y, q, d)
    out[i, 2] = weighted_dot(z, r, d)
    out[i, 3] = weighted_dot(x, q, d)
    out[i, 4] = weighted_dot(x, r, d)
    out[i, 5] = weighted_dot(y, r, d)


@kernel
def _nine(a, b, d, out, i, start, stride):
    """Write A D Bᵀ of flat (3, n) arrays to row i of `out`, from `start`, rows `stride` apart."""
    n = len(d)
    for k in range(3):
        row = a[k * n : (k + 1) * n]
        x, y, z = b[:n], b[n : 2 * n], b[2 * n : 3 * n]
        s = 0.0 * d[0]
        t, u = s, s
        for r in range(n):
            f = row[r] * d[r]
            s += f * x[r]
            t += f * y[r]
            u += f * z[r]
        out[i, start + k * stride] = s
        out[i, start + k * stride + 1] = t
        out[i, start + k * stride + 2] = u


@kernel
def clamps(mode, nv):
    """Say whether a joint with nv velocities holds its frame: locked, or driven (a Free one is flown, not held)."""
    return mode == 2 or (mode == 1 and nv < 6)


@kernel
def modal_products(tree, work, i):
    """Write FDFᵀ, FDEᵀ of a body and [λ; γ]DFᵀ of its ports: what changes with F."""
    n, mode, e = tree.body_modes[i], tree.body_mode[i], 3 * tree.body_flex[i]
    if len(work.propellant) > 0:
        whiten_shapes(tree, work, i)
    F, d = work.row_F[3 * mode : 3 * (mode + n)], work.mode_d[mode : mode + n]
    _six(F, F, d, work.FDF, i)
    _nine(F, work.row_E[e : e + 3 * n], d, work.FDE, i, 0, 3)
    for s in range(tree.body_ports[i], tree.body_ports[i + 1]):
        at = 3 * tree.site_start[s]
        _nine(work.row_lam[at : at + 3 * n], F, d, work.site_DF, s, 0, 3)
        _nine(work.row_gam[at : at + 3 * n], F, d, work.site_DF, s, 9, 3)


@stage("")
def prepare(tree, work):
    """Write all scratch that depends on constants and on `work.shift` alone; call after every change of either."""
    constant_subspaces(tree, work.H)
    for k in range(3):
        work.g[-1, k] = tree.gravity[k]
        work.Rw[-1, 4 * k] = 1.0
    if tree.sizes[5] > 0:
        if len(work.propellant) > 0:
            weigh(tree, work)
        prepare_modes(tree, work)


@stage("")
def prepare_modes(tree, work):
    """Write the scratch of flexible bodies that depends on constants and on `work.shift`."""
    for i in range(tree.sizes[0]):
        n, mode, e = tree.body_modes[i], tree.body_mode[i], 3 * tree.body_flex[i]
        if n == 0:
            continue
        first = tree.joint_v[i] + tree.joint_nv[i]
        for r in range(n):
            work.mode_d[mode + r] = 1.0 / (1.0 + work.shift[first + r])
        for r in range(3 * n):
            work.mode_F[3 * mode + r] = work.pool_F0[e + r]
        if tree.body_square[i] >= 0:
            whiten_body(tree, work, i)
        E, d = work.row_E[e : e + 3 * n], work.mode_d[mode : mode + n]
        _six(E, E, d, work.EDE, i)
        _prepare_ports(tree, work, i, n, E, d)


@stage("n")
def whiten_shapes(tree, work, i):
    """Write F of a body, times L⁻ᵀ where it burns, to row_F."""
    n, mode = tree.body_modes[i], tree.body_mode[i]
    if tree.body_square[i] >= 0:
        whiten(tree, work, i, work.mode_F, work.row_F, 3 * mode, 3)
    else:
        for r in range(3 * mode, 3 * (mode + n)):
            work.row_F[r] = work.mode_F[r]


@stage("n")
def whiten_body(tree, work, i):
    """Write L of the modal mass of a body that burns, and its constant rows times L⁻ᵀ; the modes have unit mass then.

    A mass that is not positive is left to forward dynamics, which finds no finite answer.
    """
    n, mode = tree.body_modes[i], tree.body_mode[i]
    if not factor_mass(tree, work, i):
        work.indefinite[i] = 1.0
    for r in range(n):
        work.mode_d[mode + r] = 1.0
    whiten(tree, work, i, work.pool_E, work.row_E, 3 * tree.body_flex[i], 3)
    for s in range(tree.body_ports[i], tree.body_ports[i + 1]):
        whiten(tree, work, i, tree.site_lam, work.row_lam, 3 * tree.site_start[s], 3)
        whiten(tree, work, i, tree.site_gam, work.row_gam, 3 * tree.site_start[s], 3)


@kernel
def _prepare_ports(tree, work, i, n, E, d):
    """Write [λ; γ]DEᵀ of each port of a body and [λ; γ]D[λ; γ]ᵀ of each pair of its ports."""
    begin, end = tree.body_ports[i], tree.body_ports[i + 1]
    width, row = 6 * (end - begin), 36 * tree.body_block[i]
    W0 = work.W0.reshape(1, len(work.W0))
    for s in range(begin, end):
        a = 3 * tree.site_start[s]
        lam, gam = work.row_lam[a : a + 3 * n], work.row_gam[a : a + 3 * n]
        _nine(lam, E, d, work.site_DE, s, 0, 3)
        _nine(gam, E, d, work.site_DE, s, 9, 3)
        at = row
        for t in range(begin, end):
            b = 3 * tree.site_start[t]
            _nine(lam, work.row_lam[b : b + 3 * n], d, W0, 0, at, width)
            _nine(lam, work.row_gam[b : b + 3 * n], d, W0, 0, at + 3, width)
            _nine(gam, work.row_lam[b : b + 3 * n], d, W0, 0, at + 3 * width, width)
            _nine(gam, work.row_gam[b : b + 3 * n], d, W0, 0, at + 3 * width + 3, width)
            at += 6
        row += 6 * width


@kernel
def _four_sums(W, at, x, i, v, m, length):
    """Return the sums of four rows that follow each other at `at` times x[i...], and times v[m...]."""
    s = 0.0 * x[i]
    t, u, w = s, s, s
    p, q, r, z = s, s, s, s
    second, third, fourth = at + length, at + length + length, at + length + length + length
    for k in range(length):
        e, f, g, h = W[at + k], W[second + k], W[third + k], W[fourth + k]
        place, speed = x[i + k], v[m + k]
        s += e * place
        t += f * place
        u += g * place
        w += h * place
        p += e * speed
        q += f * speed
        r += g * speed
        z += h * speed
    return (s, t, u, w), (p, q, r, z)


@kernel
def _add_four_rows(W, at, y, j, o, length, a, b):
    """Add four rows times a (4,) to y[j...], and times b (4,) to y[o...]."""
    second, third, fourth = at + length, at + length + length, at + length + length + length
    for k in range(length):
        e, f, g, h = W[at + k], W[second + k], W[third + k], W[fourth + k]
        y[j + k] += a[0] * e + a[1] * f + a[2] * g + a[3] * h
        y[o + k] += b[0] * e + b[1] * f + b[2] * g + b[3] * h


@inlined
def _across(s, a, t, b):
    """Return s a - t b of four numbers each."""
    return (s * a[0] - t * b[0], s * a[1] - t * b[1], s * a[2] - t * b[2], s * a[3] - t * b[3])


@stage("nxx")
def thin_pairs(tree, work, i, q, v):
    """Do `body_inertia.pairs` for body i by its rows, four at a time: of each four first x, then y, then z."""
    n, W, y, w = tree.body_modes[i], tree.flex_thin, work.mode_y, low(work.V, i)
    base = 10 * tree.body_mode[i]
    clear_vector(y[base : base + 10 * n])
    length, first = np.uint64(n), np.uint64(base)
    place, speed = np.uint64(tree.body_eta[i]), np.uint64(tree.joint_v[i] + tree.joint_nv[i])
    four, at = length + length + length + length, np.uint64(tree.body_thin[i])
    y1 = first + length
    y2 = y1 + length
    y3, y4, y5, y6, y7, y8 = (
        y2 + length,
        first + four,
        y1 + four,
        y2 + four,
        y2 + four + length,
        first + four + four,
    )
    y9 = y8 + length
    for _ in range(tree.body_rank[i]):
        x, u = _four_sums(W, at, q, place, v, speed, length)
        ahead = at + four
        b, c = _four_sums(W, ahead, q, place, v, speed, length)
        last = ahead + four
        d, e = _four_sums(W, last, q, place, v, speed, length)
        # planes: W_x p_x, W_y p_y, W_z p_z, W_x p_y, W_x p_z, W_y p_x, W_y p_z, W_z p_x, W_z p_y, (ω×ṗ)·W
        _add_four_rows(W, at, y, first, y9, length, x, _across(w[1], e, w[2], c))
        _add_four_rows(W, at, y, y3, y4, length, b, d)
        _add_four_rows(W, ahead, y, y1, y9, length, b, _across(w[2], u, w[0], e))
        _add_four_rows(W, ahead, y, y5, y6, length, x, d)
        _add_four_rows(W, last, y, y2, y9, length, d, _across(w[0], c, w[1], u))
        _add_four_rows(W, last, y, y7, y8, length, x, b)
        at = last + four
    _planes_of_pairs(y, base, n, tree.body_order[i] == 2)


@kernel
def _planes_of_pairs(y, base, n, second):
    """Turn the nine products W_a p_b into J2 (6), zero without `second`, and p×W (3)."""
    half = 0.5 if second else 0.0
    for r in range(base, base + n):
        xx, yy, zz = half * y[r], half * y[r + n], half * y[r + 2 * n]
        xy, xz, yx = y[r + 3 * n], y[r + 4 * n], y[r + 5 * n]
        yz, zx, zy = y[r + 6 * n], y[r + 7 * n], y[r + 8 * n]
        y[r], y[r + n], y[r + 2 * n] = 2.0 * (yy + zz), 2.0 * (xx + zz), 2.0 * (xx + yy)
        y[r + 3 * n], y[r + 4 * n], y[r + 5 * n] = -half * (xy + yx), -half * (xz + zx), -half * (yz + zy)
        y[r + 6 * n], y[r + 7 * n], y[r + 8 * n] = zy - yz, xz - zx, yx - xy
