"""Inertia and velocity terms of one body, rigid or flexible, at fidelity 0, 1 or 2.

With u = [ω; v; η̇] in body axes the kinetic energy of a body is ½ uᵀM(η)u,

    M = [[J, [mp]×, F], [·, m I, E], [·, ·, I]],   h = Jω + mp×v + Fη̇,   ℓ = mv + ω×mp + Eη̇,

    order 0   J = J0                          mp = mp0         F = F0
    order 1   + Σ η_r J1_r                    + Eη             + Σ η_r F1_r
    order 2   + Σ η_r η_s J2_rs

and Lagrange's equations in quasi-coordinates give, for any truncation of M, velocity terms that conserve
energy and momentum (the derivatives are those of the truncated M: at order 0 they vanish):

    b_ω = J̇ω + ṁp×v + ω×h + v×ℓ
    b_v = ω×ṁp + ω×ℓ
    b_η,r = 2 ω·Σ_s a_sr η̇_s - ½ ωᵀ(∂J/∂η_r)ω - ω·(∂mp/∂η_r × v),    a_sr = Σ m γ_s×γ_r  (= -a_rs, so Ḟη̇ = 0)

Gravity is the potential -g·(m r + R(mp0 + Eη)) at every order. NESC report App. E; docs/theory/multibody.md.
"""

from __future__ import annotations

from interstage.multibody.handle import stage
from interstage.multibody.kernels.kinematics import constant_subspaces
from interstage.multibody.kernels.small import (
    add,
    cross,
    dot,
    get3,
    high,
    kernel,
    low,
    put6,
    scale,
    sub,
    symmetric_times,
)

WIDTH = 12  # numbers stored for each pair of modes


@kernel
def _pairs(B, first, n, x, y, base):
    """Write y_r = Σ_s B_rs x_s for the twelve quantities of each pair; nine to eleven change sign with (r, s).

    Only r <= s is stored: each pair serves both of its modes in one pass through memory.
    """
    for k in range(WIDTH * n):
        y[base + k] = 0.0
    at = WIDTH * first
    for r in range(n):
        i = base + WIDTH * r
        x0, x9 = x[i], x[i + 9]
        # the diagonal pair: the antisymmetric part is zero
        s0, s1, s2 = B[at] * x0, B[at + 1] * x0, B[at + 2] * x0
        s3, s4, s5 = B[at + 3] * x0, B[at + 4] * x0, B[at + 5] * x0
        s6, s7, s8, s9, s10, s11 = 0.0 * x0, 0.0 * x0, 0.0 * x0, 0.0 * x0, 0.0 * x0, 0.0 * x0
        at += WIDTH
        for s in range(r + 1, n):
            j = base + WIDTH * s
            b0, b1, b2, b3 = B[at], B[at + 1], B[at + 2], B[at + 3]
            b4, b5, b6, b7 = B[at + 4], B[at + 5], B[at + 6], B[at + 7]
            b8, b9, b10, b11 = B[at + 8], B[at + 9], B[at + 10], B[at + 11]
            e, d = x[j], x[j + 9]
            s0 += b0 * e
            s1 += b1 * e
            s2 += b2 * e
            s3 += b3 * e
            s4 += b4 * e
            s5 += b5 * e
            s6 -= b6 * e
            s7 -= b7 * e
            s8 -= b8 * e
            s9 -= b9 * d
            s10 -= b10 * d
            s11 -= b11 * d
            y0, y1, y2, y3 = y[j], y[j + 1], y[j + 2], y[j + 3]
            y4, y5, y6, y7 = y[j + 4], y[j + 5], y[j + 6], y[j + 7]
            y8, y9, y10, y11 = y[j + 8], y[j + 9], y[j + 10], y[j + 11]
            y[j] = y0 + b0 * x0
            y[j + 1] = y1 + b1 * x0
            y[j + 2] = y2 + b2 * x0
            y[j + 3] = y3 + b3 * x0
            y[j + 4] = y4 + b4 * x0
            y[j + 5] = y5 + b5 * x0
            y[j + 6] = y6 + b6 * x0
            y[j + 7] = y7 + b7 * x0
            y[j + 8] = y8 + b8 * x0
            y[j + 9] = y9 + b9 * x9
            y[j + 10] = y10 + b10 * x9
            y[j + 11] = y11 + b11 * x9
            at += WIDTH
        y[i] += s0
        y[i + 1] += s1
        y[i + 2] += s2
        y[i + 3] += s3
        y[i + 4] += s4
        y[i + 5] += s5
        y[i + 6] += s6
        y[i + 7] += s7
        y[i + 8] += s8
        y[i + 9] += s9
        y[i + 10] += s10
        y[i + 11] += s11


@kernel
def _pairs_first_order(B, first, n, x, y, base):
    """Write the six antisymmetric quantities of `_pairs` alone (order 1 has no J2)."""
    for k in range(WIDTH * n):
        y[base + k] = 0.0
    at = WIDTH * first
    for r in range(n):
        i = base + WIDTH * r
        x0, x9 = x[i], x[i + 9]
        s6, s7, s8, s9, s10, s11 = 0.0 * x0, 0.0 * x0, 0.0 * x0, 0.0 * x0, 0.0 * x0, 0.0 * x0
        at += WIDTH
        for s in range(r + 1, n):
            j = base + WIDTH * s
            b6, b7, b8 = B[at + 6], B[at + 7], B[at + 8]
            e, d = x[j], x[j + 9]
            s6 += b6 * e
            s7 += b7 * e
            s8 += b8 * e
            s9 += b6 * d
            s10 += b7 * d
            s11 += b8 * d
            y[j + 6] += b6 * x0
            y[j + 7] += b7 * x0
            y[j + 8] += b8 * x0
            y[j + 9] += b6 * x9
            y[j + 10] += b7 * x9
            y[j + 11] += b8 * x9
            at += WIDTH
        y[i + 6] -= s6
        y[i + 7] -= s7
        y[i + 8] -= s8
        y[i + 9] -= s9
        y[i + 10] -= s10
        y[i + 11] -= s11


@kernel
def _three_sums(a, start, n, x, first, zero):
    """Return a (3, n) x (n)."""
    s, t, u = zero, zero, zero
    for r in range(n):
        s += a[start + r] * x[first + r]
        t += a[start + n + r] * x[first + r]
        u += a[start + 2 * n + r] * x[first + r]
    return (s, t, u)


@kernel
def _changed_inertia(tree, work, i, q, v, w, u):
    """Write J, mp, F and the modal velocity terms of a body at order 1 or 2; return J̇ω and E η̇."""
    n, second = tree.body_modes[i], tree.body_order[i] == 2
    eta, etadot = tree.body_eta[i], tree.joint_v[i] + tree.joint_nv[i]
    mode, flex = tree.body_mode[i], tree.body_flex[i]
    base = WIDTH * mode
    x, y = work.mode_x, work.mode_y
    for r in range(n):
        x[base + WIDTH * r] = q[eta + r]
        x[base + WIDTH * r + 9] = v[etadot + r]
    if second:
        _pairs(tree.flex_pair, tree.body_pair[i], n, x, y, base)
    else:
        _pairs_first_order(tree.flex_pair, tree.body_pair[i], n, x, y, base)
    J1, F, F0, E = tree.flex_J1, work.mode_F, tree.flex_F0, tree.flex_E
    # weights of the six numbers of a symmetric matrix in ωᵀJω, and E_r×v·ω = E_r·(v×ω)
    wx, wy, wz = w
    ww = (wx * wx, wy * wy, wz * wz, 2.0 * wx * wy, 2.0 * wx * wz, 2.0 * wy * wz)
    vw = cross(u, w)
    o = work.V[-1, 0]
    j0, j1, j2, j3, j4, j5 = o, o, o, o, o, o
    d0, d1, d2, d3, d4, d5 = o, o, o, o, o, o
    a, f = 6 * flex, 3 * flex
    to = 3 * mode
    for r in range(n):
        k = base + WIDTH * r
        e, d = q[eta + r], v[etadot + r]
        g0, g1, g2 = J1[a + r], J1[a + n + r], J1[a + 2 * n + r]
        g3, g4, g5 = J1[a + 3 * n + r], J1[a + 4 * n + r], J1[a + 5 * n + r]
        c0, c1, c2, c3, c4, c5 = y[k], y[k + 1], y[k + 2], y[k + 3], y[k + 4], y[k + 5]
        j0 += e * (g0 + c0)
        j1 += e * (g1 + c1)
        j2 += e * (g2 + c2)
        j3 += e * (g3 + c3)
        j4 += e * (g4 + c4)
        j5 += e * (g5 + c5)
        h0, h1, h2 = g0 + 2.0 * c0, g1 + 2.0 * c1, g2 + 2.0 * c2
        h3, h4, h5 = g3 + 2.0 * c3, g4 + 2.0 * c4, g5 + 2.0 * c5
        d0 += d * h0
        d1 += d * h1
        d2 += d * h2
        d3 += d * h3
        d4 += d * h4
        d5 += d * h5
        F[to + r] = F0[f + r] + y[k + 6]
        F[to + n + r] = F0[f + n + r] + y[k + 7]
        F[to + 2 * n + r] = F0[f + 2 * n + r] + y[k + 8]
        work.mode_b[mode + r] = (
            2.0 * (wx * y[k + 9] + wy * y[k + 10] + wz * y[k + 11])
            - 0.5 * (ww[0] * h0 + ww[1] * h1 + ww[2] * h2 + ww[3] * h3 + ww[4] * h4 + ww[5] * h5)
            - (vw[0] * E[f + r] + vw[1] * E[f + n + r] + vw[2] * E[f + 2 * n + r])
        )
    I = work.I
    I[i, 4] += j0
    I[i, 5] += j1
    I[i, 6] += j2
    I[i, 7] += j3
    I[i, 8] += j4
    I[i, 9] += j5
    lean = _three_sums(E, f, n, q, eta, o)
    I[i, 1] += lean[0]
    I[i, 2] += lean[1]
    I[i, 3] += lean[2]
    return symmetric_times((d0, d1, d2, d3, d4, d5), w), _three_sums(E, f, n, v, etadot, o)


@stage("nxx")
def flexible_terms(tree, work, i, q, v):
    """Write mass properties and velocity terms of a flexible body; gravity included."""
    n, order = tree.body_modes[i], tree.body_order[i]
    eta, etadot = tree.body_eta[i], tree.joint_v[i] + tree.joint_nv[i]
    mode, flex = tree.body_mode[i], tree.body_flex[i]
    w, u, g = low(work.V, i), high(work.V, i), get3(work.g, i)
    o = work.V[-1, 0]
    Jdot_w, mpdot = (o, o, o), (o, o, o)
    if order > 0:
        Jdot_w, mpdot = _changed_inertia(tree, work, i, q, v, w, u)
    else:
        for r in range(n):
            work.mode_b[mode + r] = o
    I = work.I
    m, mp = I[i, 0], (I[i, 1], I[i, 2], I[i, 3])
    J = (I[i, 4], I[i, 5], I[i, 6], I[i, 7], I[i, 8], I[i, 9])
    push = _three_sums(tree.flex_E, 3 * flex, n, v, etadot, o)
    h = add(add(symmetric_times(J, w), cross(mp, u)), _three_sums(work.mode_F, 3 * mode, n, v, etadot, o))
    l = add(add(scale(m, u), cross(w, mp)), push)
    b_w = add(add(Jdot_w, cross(mpdot, u)), add(cross(w, h), cross(u, l)))
    b_v = add(cross(w, mpdot), cross(w, l))
    if order == 0:
        mp = add(mp, _three_sums(tree.flex_E, 3 * flex, n, q, eta, o))
    put6(work.b, i, sub(b_w, cross(mp, g)), sub(b_v, scale(m, g)))
    E, f = tree.flex_E, 3 * flex
    for r in range(n):
        work.mode_b[mode + r] -= E[f + r] * g[0] + E[f + n + r] * g[1] + E[f + 2 * n + r] * g[2]


@stage("xx")
def body_terms(tree, work, q, v):
    """Write I and b (and F, b_η of flexible bodies) of every body, after `kinematics`."""
    for i in range(tree.sizes[0]):
        for k in range(10):
            work.I[i, k] = tree.body_inertia[i, k]
        if tree.body_modes[i] > 0:
            flexible_terms(tree, work, i, q, v)
            continue
        I = work.I
        m, mp = I[i, 0], (I[i, 1], I[i, 2], I[i, 3])
        J = (I[i, 4], I[i, 5], I[i, 6], I[i, 7], I[i, 8], I[i, 9])
        w, u, g = low(work.V, i), high(work.V, i), get3(work.g, i)
        h = add(symmetric_times(J, w), cross(mp, u))
        l = add(scale(m, u), cross(w, mp))
        put6(work.b, i, sub(add(cross(w, h), cross(u, l)), cross(mp, g)), sub(cross(w, l), scale(m, g)))


@kernel
def _weighted(a, ka, b, kb, d, kd, n, zero):
    """Return Σ_r a_r b_r d_r."""
    s = zero
    for r in range(n):
        s += a[ka + r] * b[kb + r] * d[kd + r]
    return s


@kernel
def modal_products(tree, work, i):
    """Write FDFᵀ, FDEᵀ of a body and [λ; γ]DFᵀ of its ports: what changes with F."""
    n, mode, flex = tree.body_modes[i], tree.body_mode[i], tree.body_flex[i]
    F, E, d, o = work.mode_F, tree.flex_E, work.mode_d, work.V[-1, 0]
    a, e = 3 * mode, 3 * flex
    for k in range(3):
        work.FDF[i, k] = _weighted(F, a + k * n, F, a + k * n, d, mode, n, o)
        for j in range(3):
            work.FDE[i, 3 * k + j] = _weighted(F, a + k * n, E, e + j * n, d, mode, n, o)
    work.FDF[i, 3] = _weighted(F, a, F, a + n, d, mode, n, o)
    work.FDF[i, 4] = _weighted(F, a, F, a + 2 * n, d, mode, n, o)
    work.FDF[i, 5] = _weighted(F, a + n, F, a + 2 * n, d, mode, n, o)
    for s in range(tree.body_ports[i], tree.body_ports[i + 1]):
        at = 3 * tree.site_start[s]
        for k in range(3):
            for j in range(3):
                work.site_DF[s, 3 * k + j] = _weighted(tree.site_lam, at + k * n, F, a + j * n, d, mode, n, o)
                work.site_DF[s, 9 + 3 * k + j] = _weighted(tree.site_gam, at + k * n, F, a + j * n, d, mode, n, o)


@stage("")
def prepare(tree, work):
    """Write all scratch that depends on constants and on `work.shift` alone; call after every change of either."""
    constant_subspaces(tree, work.H)
    for k in range(3):
        work.g[-1, k] = tree.gravity[k]
        work.Rw[-1, 4 * k] = 1.0
    o = work.V[-1, 0]
    for i in range(tree.sizes[0]):
        n, mode, e = tree.body_modes[i], tree.body_mode[i], 3 * tree.body_flex[i]
        if n == 0:
            continue
        first = tree.joint_v[i] + tree.joint_nv[i]
        E, d = tree.flex_E, work.mode_d
        for r in range(n):
            d[mode + r] = 1.0 / (1.0 + work.shift[first + r])
        for r in range(3 * n):
            work.mode_F[3 * mode + r] = tree.flex_F0[e + r]
        modal_products(tree, work, i)
        for k in range(3):
            work.EDE[i, k] = _weighted(E, e + k * n, E, e + k * n, d, mode, n, o)
        work.EDE[i, 3] = _weighted(E, e, E, e + n, d, mode, n, o)
        work.EDE[i, 4] = _weighted(E, e, E, e + 2 * n, d, mode, n, o)
        work.EDE[i, 5] = _weighted(E, e + n, E, e + 2 * n, d, mode, n, o)
        _prepare_ports(tree, work, i, n, mode, e)


@kernel
def _prepare_ports(tree, work, i, n, mode, e):
    """Write [λ; γ]DEᵀ of each port of a body and [λ; γ]D[λ; γ]ᵀ of each pair of its ports."""
    E, d, o = tree.flex_E, work.mode_d, work.V[-1, 0]
    begin, end = tree.body_ports[i], tree.body_ports[i + 1]
    lam, gam = tree.site_lam, tree.site_gam
    block = tree.body_block[i]
    for s in range(begin, end):
        a = 3 * tree.site_start[s]
        for k in range(3):
            for j in range(3):
                work.site_DE[s, 3 * k + j] = _weighted(lam, a + k * n, E, e + j * n, d, mode, n, o)
                work.site_DE[s, 9 + 3 * k + j] = _weighted(gam, a + k * n, E, e + j * n, d, mode, n, o)
        for t in range(begin, end):
            b = 3 * tree.site_start[t]
            for k in range(3):
                for j in range(3):
                    W = work.W0
                    W[block, 6 * k + j] = _weighted(lam, a + k * n, lam, b + j * n, d, mode, n, o)
                    W[block, 6 * k + j + 3] = _weighted(lam, a + k * n, gam, b + j * n, d, mode, n, o)
                    W[block, 6 * (k + 3) + j] = _weighted(gam, a + k * n, lam, b + j * n, d, mode, n, o)
                    W[block, 6 * (k + 3) + j + 3] = _weighted(gam, a + k * n, gam, b + j * n, d, mode, n, o)
            block += 1
