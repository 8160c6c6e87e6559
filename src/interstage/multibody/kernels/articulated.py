"""Forward dynamics at a cost linear in bodies: modes of a body are eliminated first, then its hinge.

Going inwards every body learns the articulated inertia P and force z with which it answers its parent,
f = P α + z. A flexible body has modal mass D (diagonal), ports with what hangs on them (P⁺, z⁺ stacked) and
modal force β. With Π = [J_l λ; γ] of the ports, φ their rigid shift and c their velocity terms,

    W = Π D⁻¹ Πᵀ,  Ψ = φ - Π D⁻¹ M_ηr,  g = Π D⁻¹ β + c,  [X | x] = (I + P⁺W)⁻¹ [P⁺Ψ | P⁺g + z⁺]
    P = (M_rr - M_rη D⁻¹ M_ηr) + Ψᵀ X,      z = b_r + M_rη D⁻¹ β + Ψᵀ x
    f = X α + x,   η̈ = D⁻¹(β - M_ηr α - Πᵀ f),   a_o = Ψ α + g - W f        (outwards)

P is a sum of two semidefinite parts, so that heavy children do not cost digits. Then the hinge with motion
subspace H: U = P H, D = HᵀU, P⁺ = P - U D⁻¹Uᵀ, z⁺ = z + P⁺c + U D⁻¹(τ - Hᵀz), as in Featherstone (2008, ch. 7)
and Jain (2011, ch. 7). `work.shift` is added to the diagonal of the mass matrix.

Kernels return 0, or the number (from 1) of the body whose hinge or modes have no positive inertia.
"""

from __future__ import annotations

import numpy as np

from interstage.multibody.handle import stage
from interstage.multibody.kernels.flex import body_terms, modal_products
from interstage.multibody.kernels.kinematics import BALL, REVOLUTE, external_wrenches, kinematics, poses
from interstage.multibody.kernels.small import (
    add,
    add6,
    add_inertia,
    add_rows,
    clear,
    clear_vector,
    cross,
    dense6,
    dot,
    factor_ldlt,
    get3,
    get9,
    get_inertia,
    high,
    inertia_times,
    inlined,
    kernel,
    low,
    put6,
    put_inertia,
    rigid_inertia,
    rows_times,
    scale,
    shift_inertia,
    solve_ldlt,
    solve_lu,
    symmetric_times,
    turn,
    turn_back,
    turn_inertia,
)


@inlined
def joint_force(tree, q, v, tau, k):
    """Return the generalized force on velocity k: what is applied, less spring and damper."""
    j = tree.v_q[k]
    force = tau[k] - tree.v_damping[k] * v[k]
    if j >= 0:
        force -= tree.v_stiffness[k] * (q[j] - tree.v_rest[k])
    return force


@kernel
def ball_spring(tree, i, q, k):
    """Return component k of the torque -s sin φ n of a ball joint's spring, body axes, φ n its rotation vector."""
    iq = tree.joint_q[i]
    w, x, y, z = q[iq], q[iq + 1], q[iq + 2], q[iq + 3]
    return -2.0 * tree.v_stiffness[tree.joint_v[i] + k] * w * q[iq + 1 + k] / (w * w + x * x + y * y + z * z)


@inlined
def _residual_inertia(work, i):
    """Return M_rr - M_rη D⁻¹ M_ηr of body i."""
    A, B, C = rigid_inertia(work.I, i)
    F, G, E = work.FDF, work.FDE, work.EDE
    return (
        (A[0] - F[i, 0], A[1] - F[i, 1], A[2] - F[i, 2], A[3] - F[i, 3], A[4] - F[i, 4], A[5] - F[i, 5]),
        (
            B[0] - G[i, 0],
            B[1] - G[i, 1],
            B[2] - G[i, 2],
            B[3] - G[i, 3],
            B[4] - G[i, 4],
            B[5] - G[i, 5],
            B[6] - G[i, 6],
            B[7] - G[i, 7],
            B[8] - G[i, 8],
        ),
        (C[0] - E[i, 0], C[1] - E[i, 1], C[2] - E[i, 2], C[3] - E[i, 3], C[4] - E[i, 4], C[5] - E[i, 5]),
    )


@kernel
def _modal_forces(tree, work, i, q, v, tau):
    """Write D⁻¹β of a flexible body, and what depends on it and on F; add the rigid parts to z."""
    n, mode, flex = tree.body_modes[i], tree.body_mode[i], tree.body_flex[i]
    first, eta = tree.joint_v[i] + tree.joint_nv[i], tree.body_eta[i]
    given, rate, place = tau[first : first + n], v[first : first + n], q[eta : eta + n]
    C, K = tree.v_damping[first : first + n], tree.v_stiffness[first : first + n]
    b, ext, d = work.mode_b[mode : mode + n], work.mode_ext[mode : mode + n], work.mode_d[mode : mode + n]
    beta = work.mode_beta[mode : mode + n]
    for r in range(n):
        beta[r] = (given[r] - C[r] * rate[r] - K[r] * place[r] + ext[r] - b[r]) * d[r]
    if tree.body_order[i] > 0:
        modal_products(tree, work, i)
    put6(
        work.z,
        i,
        rows_times(work.mode_F[3 * mode : 3 * (mode + n)], beta),
        rows_times(tree.flex_E[3 * flex : 3 * (flex + n)], beta),
    )
    for k in range(6):
        work.z[i, k] += work.b[i, k] - work.ext[i, k]


@kernel
def _port_rows(tree, work, i, s):
    """Write Ψ and g of port s of body i."""
    n, mode = tree.body_modes[i], tree.body_mode[i]
    at = 3 * tree.site_start[s]
    J = get9(work.site_J, s)
    beta = work.mode_beta[mode : mode + n]
    spin = turn(J, rows_times(tree.site_lam[at : at + 3 * n], beta))
    slide = rows_times(tree.site_gam[at : at + 3 * n], beta)
    put6(work.site_g, s, add(spin, low(work.site_c, s)), add(slide, high(work.site_c, s)))
    Psi, row = work.Psi, 6 * s
    x, y, z = get3(work.site_p, s)
    for j in range(3):
        F, E = work.site_DF, work.site_DE
        a = turn(J, (F[s, j], F[s, 3 + j], F[s, 6 + j]))
        b = turn(J, (E[s, j], E[s, 3 + j], E[s, 6 + j]))
        for k in range(3):
            Psi[row + k, j] = -a[k]
            Psi[row + k, j + 3] = -b[k]
            Psi[row + 3 + k, j] = -F[s, 9 + 3 * k + j]
            Psi[row + 3 + k, j + 3] = -E[s, 9 + 3 * k + j]
    for k in range(6):
        Psi[row + k, k] += 1.0
    Psi[row + 3, 1] += z
    Psi[row + 3, 2] -= y
    Psi[row + 4, 0] -= z
    Psi[row + 4, 2] += x
    Psi[row + 5, 0] += y
    Psi[row + 5, 1] -= x


@kernel
def _port_compliance(tree, work, i):
    """Write W of body i: the constant part with rows and columns of rotations multiplied by J_l."""
    begin, end = tree.body_ports[i], tree.body_ports[i + 1]
    block = tree.body_block[i]
    W, W0 = work.W, work.W0
    for s in range(begin, end):
        Js = get9(work.site_J, s)
        for t in range(begin, end):
            Jt = get9(work.site_J, t)
            row, col = 6 * (s - begin), 6 * (t - begin)
            for j in range(6):
                x = turn(Js, (W0[block, j], W0[block, 6 + j], W0[block, 12 + j]))
                for k in range(3):
                    W[row + k, col + j] = x[k]
                    W[row + 3 + k, col + j] = W0[block, 18 + 6 * k + j]
            for k in range(6):
                x = turn(Jt, (W[row + k, col], W[row + k, col + 1], W[row + k, col + 2]))
                W[row + k, col] = x[0]
                W[row + k, col + 1] = x[1]
                W[row + k, col + 2] = x[2]
            block += 1


@stage("nxxx", "int64")
def eliminate_modes(tree, work, i, q, v, tau):
    """Write P and z of a flexible body with its modes and what hangs on its ports; return 0, or 1 if singular."""
    _modal_forces(tree, work, i, q, v, tau)
    put_inertia(work.P, i, _residual_inertia(work, i))
    begin, end = tree.body_ports[i], tree.body_ports[i + 1]
    if begin == end:
        return 0
    width = 6 * (end - begin)
    W, K, X, Psi, Y = work.W, work.K, work.X[6 * begin : 6 * end], work.Psi, work.Y
    _port_compliance(tree, work, i)
    for s in range(begin, end):
        _port_rows(tree, work, i, s)
        dense6(get_inertia(work.site_P, s), Y)
        row, top = 6 * (s - begin), 6 * s
        for k in range(6):
            for j in range(width):
                K[row + k, j] = (
                    Y[k, 0] * W[row, j]
                    + Y[k, 1] * W[row + 1, j]
                    + Y[k, 2] * W[row + 2, j]
                    + Y[k, 3] * W[row + 3, j]
                    + Y[k, 4] * W[row + 4, j]
                    + Y[k, 5] * W[row + 5, j]
                )
            K[row + k, row + k] += 1.0
            last = work.site_z[s, k]
            for j in range(6):
                last += Y[k, j] * work.site_g[s, j]
                X[row + k, j] = (
                    Y[k, 0] * Psi[top, j]
                    + Y[k, 1] * Psi[top + 1, j]
                    + Y[k, 2] * Psi[top + 2, j]
                    + Y[k, 3] * Psi[top + 3, j]
                    + Y[k, 4] * Psi[top + 4, j]
                    + Y[k, 5] * Psi[top + 5, j]
                )
            X[row + k, 6] = last
    if not solve_lu(K, X, width, 7):
        return 1
    for k in range(6):
        for j in range(6):
            Y[k, j] = 0.0
        for m in range(width):
            for j in range(6):
                Y[k, j] += Psi[6 * begin + m, k] * X[m, j]
            work.z[i, k] += Psi[6 * begin + m, k] * X[m, 6]
    add_inertia(work.P, i, _blocks(Y))
    return 0


@kernel
def _blocks(Y):
    """Return the blocks (A, B, C) of a (6, 6) array, made symmetric."""
    return (
        (
            Y[0, 0],
            Y[1, 1],
            Y[2, 2],
            0.5 * (Y[0, 1] + Y[1, 0]),
            0.5 * (Y[0, 2] + Y[2, 0]),
            0.5 * (Y[1, 2] + Y[2, 1]),
        ),
        (
            0.5 * (Y[0, 3] + Y[3, 0]),
            0.5 * (Y[0, 4] + Y[4, 0]),
            0.5 * (Y[0, 5] + Y[5, 0]),
            0.5 * (Y[1, 3] + Y[3, 1]),
            0.5 * (Y[1, 4] + Y[4, 1]),
            0.5 * (Y[1, 5] + Y[5, 1]),
            0.5 * (Y[2, 3] + Y[3, 2]),
            0.5 * (Y[2, 4] + Y[4, 2]),
            0.5 * (Y[2, 5] + Y[5, 2]),
        ),
        (
            Y[3, 3],
            Y[4, 4],
            Y[5, 5],
            0.5 * (Y[3, 4] + Y[4, 3]),
            0.5 * (Y[3, 5] + Y[5, 3]),
            0.5 * (Y[4, 5] + Y[5, 4]),
        ),
    )


@inlined
def _less_outer(P, x, y, s):
    """Return P - s [x; y][x; y]ᵀ."""
    A, B, C = P
    a, b, c = s * x[0], s * x[1], s * x[2]
    d, e, f = s * y[0], s * y[1], s * y[2]
    return (
        (
            A[0] - a * x[0],
            A[1] - b * x[1],
            A[2] - c * x[2],
            A[3] - a * x[1],
            A[4] - a * x[2],
            A[5] - b * x[2],
        ),
        (
            B[0] - a * y[0],
            B[1] - a * y[1],
            B[2] - a * y[2],
            B[3] - b * y[0],
            B[4] - b * y[1],
            B[5] - b * y[2],
            B[6] - c * y[0],
            B[7] - c * y[1],
            B[8] - c * y[2],
        ),
        (
            C[0] - d * y[0],
            C[1] - e * y[1],
            C[2] - f * y[2],
            C[3] - d * y[1],
            C[4] - d * y[2],
            C[5] - e * y[2],
        ),
    )


@kernel
def _wide_hinge(H, U, L, u, Y, z, force, shift, nv):
    """Eliminate a hinge of several degrees of freedom: write U, factor L, u; leave P⁺ in Y.

    Y holds P on entry. H, U are (36,), L (6, 6), u and `force` (6,). Returns False without positive inertia.
    """
    for a in range(nv):
        u[a] = force[a]
        for k in range(6):
            s = 0.0 * u[a]
            for j in range(6):
                s += Y[k, j] * H[6 * a + j]
            U[6 * a + k] = s
            u[a] -= H[6 * a + k] * z[k]
    for a in range(nv):
        for b in range(a + 1):
            s = 0.0 * u[a]
            for k in range(6):
                s += H[6 * a + k] * U[6 * b + k]
            L[a, b] = s
        L[a, a] += shift[a]
    if not factor_ldlt(L, nv):
        return False
    solve_ldlt(L, nv, u)
    x = force  # used up: scratch from here on
    for j in range(6):
        for a in range(nv):
            x[a] = U[6 * a + j]
        solve_ldlt(L, nv, x)
        for k in range(6):
            for a in range(nv):
                Y[k, j] -= U[6 * a + k] * x[a]
    return True


@stage("xxx", "int64")
def inward(tree, work, q, v, tau):
    """Write articulated inertias and forces from the tips to the roots."""
    for i in range(tree.sizes[0]):
        if tree.body_modes[i] == 0:
            put_inertia(work.P, i, rigid_inertia(work.I, i))
            for k in range(6):
                work.z[i, k] = work.b[i, k] - work.ext[i, k]
    clear(work.site_P)
    clear(work.site_z)
    for i in range(tree.sizes[0] - 1, -1, -1):
        if tree.body_modes[i] > 0 and eliminate_modes(tree, work, i, q, v, tau) != 0:
            return i + 1
        parent, port, nv, iv = tree.body_parent[i], tree.body_port[i], tree.joint_nv[i], tree.joint_v[i]
        P = get_inertia(work.P, i)
        zw, zv = low(work.z, i), high(work.z, i)
        if nv == 1:
            H = work.H
            hw, hv = (H[i, 0], H[i, 1], H[i, 2]), (H[i, 3], H[i, 4], H[i, 5])
            D, u = work.shift[iv], joint_force(tree, q, v, tau, iv)
            if tree.joint_kind[i] == REVOLUTE:
                uw, uv = symmetric_times(P[0], hw), turn_back(P[1], hw)
                D += dot(hw, uw)
                u -= dot(hw, zw)
            else:
                uw, uv = inertia_times(P, hw, hv)
                D += dot(hw, uw) + dot(hv, uv)
                u -= dot(hw, zw) + dot(hv, zv)
            if not D.real > 0.0:
                return i + 1
            inverse = 1.0 / D
            u *= inverse
            put6(work.U, i, uw, uv)
            work.L[i, 0, 0] = inverse
            work.u[i, 0] = u
            if parent < 0:
                continue
            P = _less_outer(P, uw, uv, inverse)
            zw, zv = add(zw, scale(u, uw)), add(zv, scale(u, uv))
        elif nv > 1:
            force = work.body_f
            for k in range(nv):
                force[k] = joint_force(tree, q, v, tau, iv + k)
                if tree.joint_kind[i] == BALL:
                    force[k] += ball_spring(tree, i, q, k)
            dense6(P, work.Y)
            if not _wide_hinge(
                work.H[i],
                work.U[i],
                work.L[i],
                work.u[i],
                work.Y,
                work.z[i],
                force,
                work.shift[iv : iv + nv],
                nv,
            ):
                return i + 1
            if parent < 0:
                continue
            P = _blocks(work.Y)
            for a in range(nv):
                s, U = work.u[i, a], work.U
                zw = add(zw, scale(s, (U[i, 6 * a], U[i, 6 * a + 1], U[i, 6 * a + 2])))
                zv = add(zv, scale(s, (U[i, 6 * a + 3], U[i, 6 * a + 4], U[i, 6 * a + 5])))
        if parent < 0:
            continue
        dw, dv = inertia_times(P, low(work.c, i), high(work.c, i))
        R, p = get9(work.R, i), get3(work.p, i)
        zw, zv = turn(R, add(zw, dw)), turn(R, add(zv, dv))
        zw = add(zw, cross(p, zv))
        P = shift_inertia(turn_inertia(P, R), p)
        if port < 0:
            add_inertia(work.P, parent, P)
            add6(work.z, parent, zw, zv)
        else:
            add_inertia(work.site_P, port, P)
            add6(work.site_z, port, zw, zv)
    return 0


@stage("nx")
def modal_accelerations(tree, work, i, vdot):
    """Write η̈ of a flexible body and the accelerations of its ports, with A of the body known."""
    n, mode, flex = tree.body_modes[i], tree.body_mode[i], tree.body_flex[i]
    first = tree.joint_v[i] + tree.joint_nv[i]
    begin, end = tree.body_ports[i], tree.body_ports[i + 1]
    out, beta, d = vdot[first : first + n], work.mode_beta[mode : mode + n], work.mode_d[mode : mode + n]
    clear_vector(out)
    add_rows(out, work.mode_F[3 * mode : 3 * (mode + n)], low(work.A, i))
    add_rows(out, tree.flex_E[3 * flex : 3 * (flex + n)], high(work.A, i))
    if begin == end:
        for r in range(n):
            out[r] = beta[r] - d[r] * out[r]
        return
    width = 6 * (end - begin)
    force, X, Psi = work.body_f, work.X, work.Psi
    for k in range(width):
        x = 6 * begin + k
        s = X[x, 6]
        for j in range(6):
            s += X[x, j] * work.A[i, j]
        force[k] = s
    _port_compliance(tree, work, i)
    for s in range(begin, end):
        k = 6 * (s - begin)
        t = turn_back(get9(work.site_J, s), (force[k], force[k + 1], force[k + 2]))
        h = (force[k + 3], force[k + 4], force[k + 5])
        at = 3 * tree.site_start[s]
        add_rows(out, tree.site_lam[at : at + 3 * n], t)
        add_rows(out, tree.site_gam[at : at + 3 * n], h)
        for j in range(6):
            a = work.site_g[s, j]
            for m in range(6):
                a += Psi[6 * s + j, m] * work.A[i, m]
            for m in range(width):
                a -= work.W[k + j, m] * force[m]
            work.site_a[s, j] = a
    for r in range(n):
        out[r] = beta[r] - d[r] * out[r]


@stage("x")
def outward(tree, work, vdot):
    """Write accelerations from the roots to the tips."""
    for i in range(tree.sizes[0]):
        parent, port, nv, iv = tree.body_parent[i], tree.body_port[i], tree.joint_nv[i], tree.joint_v[i]
        R, p = get9(work.R, i), get3(work.p, i)
        if port < 0:
            w, u = low(work.A, parent), high(work.A, parent)
        else:
            w, u = low(work.site_a, port), high(work.site_a, port)
        aw = add(turn_back(R, w), low(work.c, i))
        av = add(turn_back(R, add(u, cross(w, p))), high(work.c, i))
        H, U = work.H, work.U
        if nv == 1:
            s = U[i, 0] * aw[0] + U[i, 1] * aw[1] + U[i, 2] * aw[2]
            s += U[i, 3] * av[0] + U[i, 4] * av[1] + U[i, 5] * av[2]
            s = work.u[i, 0] - s * work.L[i, 0, 0]
            vdot[iv] = s
            aw = add(aw, scale(s, (H[i, 0], H[i, 1], H[i, 2])))
            av = add(av, scale(s, (H[i, 3], H[i, 4], H[i, 5])))
        elif nv > 1:
            x = work.body_f
            for a in range(nv):
                k = 6 * a
                x[a] = U[i, k] * aw[0] + U[i, k + 1] * aw[1] + U[i, k + 2] * aw[2]
                x[a] += U[i, k + 3] * av[0] + U[i, k + 4] * av[1] + U[i, k + 5] * av[2]
            solve_ldlt(work.L[i], nv, x)
            for a in range(nv):
                k = 6 * a
                s = work.u[i, a] - x[a]
                vdot[iv + a] = s
                aw = add(aw, scale(s, (H[i, k], H[i, k + 1], H[i, k + 2])))
                av = add(av, scale(s, (H[i, k + 3], H[i, k + 4], H[i, k + 5])))
        put6(work.A, i, aw, av)
        if tree.body_modes[i] > 0:
            modal_accelerations(tree, work, i, vdot)


@kernel
def forward(tree, work, q, v, tau, sites, wrenches, vdot):
    """Write v̇ (nv,) for forces tau (nv,) and wrenches (k, 6) at sites (k,); return the status.

    -1 means that a result is not finite.
    """
    kinematics(tree, work, q, v)
    if len(sites) > 0:
        poses(tree, work)
        external_wrenches(tree, work, q, sites, wrenches)
    body_terms(tree, work, q, v)
    status = inward(tree, work, q, v, tau)
    if status == 0:
        outward(tree, work, vdot)
        total = 0.0
        for k in range(len(vdot)):
            total += abs(vdot[k].real)
        if not np.isfinite(total):
            status = -1
    if len(sites) > 0:
        clear(work.ext)
        clear_vector(work.mode_ext)
    return status
