"""Slopes of inverse dynamics in modal coordinates and rates: what one flexible body adds to `slopes`.

With the terms of `flex` (M_rη = [F; E], h, b), a force f at a port with Π_r = [J_l λ_r; γ_r], and K of geometric
stiffness, the rows of a body's wrench and of its modes change

    with its motion:    b and b_η with V,  loads in world axes with θ
    with η_s:           δJ, δmp, δF of M in M v̇ + b;  -ωᵀJ2_rs ω + a_sr·α among modes;  Σ f_k K_k
    at the ports:       ψ = J_l λ_s turns the frame, γ_s shifts it: δV_n, δa_n less ψ×, and λ_rᵀ δJ_lᵀ t

Those of ports are in `port_slopes`. Scratch `modes`, a row a mode: what the row of the mode
feels of V (6) and θ (3), the change of the body's wrench with η (6) and with η̇ (6).

How the frames of ports change with the modes that move them, their rates and accelerations.

With θ, θ̇, θ̈ = λη, λη̇, λη̈ of the node, n = θ×θ̇ and s = θ·θ̇ (`kinematics`)

    δJ_l x   along φ = b2 (θ·φ) θ×x + a2 φ×x + b3 (θ·φ) θ×(θ×x) + a3 (φ×(θ×x) + θ×(φ×x))
    J̇_l θ̇ = b2 s n + b3 s θ×n + a3 θ̇×n

and its slopes are written out; db2/dx and db3/dx come from one complex step. ψ = J_l λ_r turns the frame, γ_r shifts
it: what hangs on it sees δV_n - ψ×V_n, and so on.
"""

from __future__ import annotations

from interstage.multibody.address_table import stage
from interstage.multibody.kernels.algebra import (
    add,
    against,
    answered,
    at_origin,
    cross,
    dot,
    dot6,
    felt_by,
    gathered,
    inertia_times,
    inlined,
    kernel,
    plus,
    put_six,
    scale,
    six,
    sub,
    symmetric_times,
    times,
    turn,
    unit_motion,
)
from interstage.multibody.kernels.array_access import clear, get3, get9, get_inertia, high, low, rows_times
from interstage.multibody.kernels.body_inertia import clamps, pairs
from interstage.multibody.kernels.geometric_stiffness import add_product, add_stiffness, is_loose
from interstage.multibody.kernels.inverse_dynamics_derivatives import (
    add_drag,
    at_body,
    at_port,
    carry_force,
    carry_row,
    velocity_terms,
)
from interstage.spatial.rotvec import jacobian_coefficients

MODE = 21  # numbers of a row of `modes`


@inlined
def shift_change(a, b):
    """Return the six numbers of [a]ᵀ×[b]× + [b]ᵀ×[a]×: the change of J as mass at a moves along b."""
    s = 2.0 * dot(a, b)
    return (
        s - 2.0 * a[0] * b[0],
        s - 2.0 * a[1] * b[1],
        s - 2.0 * a[2] * b[2],
        -(a[0] * b[1] + a[1] * b[0]),
        -(a[0] * b[2] + a[2] * b[0]),
        -(a[1] * b[2] + a[2] * b[1]),
    )


@inlined
def _planes(y, base, n, r):
    """Return six planes of mode r."""
    return (
        y[base + r],
        y[base + n + r],
        y[base + 2 * n + r],
        y[base + 3 * n + r],
        y[base + 4 * n + r],
        y[base + 5 * n + r],
    )


@inlined
def _sum6(a, s, b):
    """Return a + s b of six numbers."""
    return (
        a[0] + s * b[0],
        a[1] + s * b[1],
        a[2] + s * b[2],
        a[3] + s * b[3],
        a[4] + s * b[4],
        a[5] + s * b[5],
    )


@kernel
def _pair_entries(B, start, n, second, w, a, J, first, rates):
    """Add -ωᵀJ2_rs ω + a_sr·α to the entries (r, s) of J from (first, first) on, 2 ω·a_sr from row `rates` on.

    B is stored in the order of `body_inertia.pairs`.
    """
    x, y, z = w
    c = (-x * x, -y * y, -z * z, -2.0 * x * y, -2.0 * x * z, -2.0 * y * z)
    at = start
    for r in range(0, n, 4):
        rest = n - r
        for m in range(min(4, rest)):
            i, row = r + m, at + m * rest
            for k in range(rest):
                j, t = r + k, row + k
                if second:
                    s = c[0] * B[t] + c[1] * B[t + 4 * rest] + c[2] * B[t + 8 * rest]
                    s += c[3] * B[t + 12 * rest] + c[4] * B[t + 16 * rest] + c[5] * B[t + 20 * rest]
                    J[first + i, first + j] += s
                    J[first + j, first + i] += s
                t += 24 * rest
                b = (B[t], B[t + 4 * rest], B[t + 8 * rest])
                s = dot(a, b)
                J[first + j, first + i] += s
                J[first + i, first + j] -= s
                s = 2.0 * dot(w, b)
                J[rates + j, first + i] += s
                J[rates + i, first + j] -= s
        at += 36 * rest


@kernel
def add_matrix(tree, work, block, c, J, first, n):
    """Add Σ_k c_k K_k, the six loads of a block, to the entries of J from (first, first) on."""
    for k in range(6):
        at = tree.stiff_block[block, k]
        if at >= 0 and c[k] != 0.0:
            for r in range(n):
                for s in range(n):
                    J[first + r, first + s] += c[k] * work.pool_stiff[at + n * r + s]


@kernel
def unit_stiffness(tree, work, block, eta, room, at):
    """Write K_k η of the six loads of a block to room[at...], n numbers a load."""
    n = len(eta)
    for k in range(6):
        out = room[at + n * k : at + n * (k + 1)]
        for r in range(n):
            out[r] = 0.0
        c = (
            1.0 if k == 0 else 0.0,
            1.0 if k == 1 else 0.0,
            1.0 if k == 2 else 0.0,
            1.0 if k == 3 else 0.0,
            1.0 if k == 4 else 0.0,
            1.0 if k == 5 else 0.0,
        )
        add_stiffness(tree, work, block, c, eta, out)


@kernel
def _shifted_modes(tree, work, i, v, vdot, modes, J):
    """Write what the modes of a body at order 0 feel and do; return J̇."""
    n, mode, e = tree.body_modes[i], tree.body_mode[i], 3 * tree.body_flex[i]
    first, nv = tree.joint_v[i] + tree.joint_nv[i], tree.sizes[4]
    E, I = work.pool_E, work.I
    m, mp = I[i, 0], (I[i, 1], I[i, 2], I[i, 3])
    w, alpha = low(work.V, i), low(work.A, i)
    push = rows_times(E[e : e + 3 * n], v[first : first + n])
    lift = rows_times(E[e : e + 3 * n], vdot[first : first + n])
    rate, arm = scale(1.0 / m, push), scale(1.0 / m, mp)
    turning = add(cross(w, arm), scale(2.0, rate))
    for r in range(n):
        k, own = mode + r, column(E, e, n, r)
        step = scale(1.0 / m, own)
        felt = add(cross(turning, own), cross(arm, cross(own, w)))
        put_six(modes, k, 0, (felt, (0.0, 0.0, 0.0)))
        grown = shift_change(mp, step)
        t = add(symmetric_times(grown, alpha), symmetric_times(shift_change(own, rate), w))
        t = add(t, cross(w, add(symmetric_times(grown, w), cross(step, push))))
        put_six(modes, k, 9, (add(t, cross(step, lift)), (0.0, 0.0, 0.0)))
        put_six(modes, k, 15, (symmetric_times(grown, w), (0.0, 0.0, 0.0)))
        # entries (s, r): E_s·(ω×(ω×E_r))/m + (E_r×E_s)·α/m, and 2 E_s·(ω×E_r)/m
        x = add(cross(w, cross(w, step)), cross(alpha, step))
        y = scale(2.0, cross(w, step))
        for s in range(n):
            other = column(E, e, n, s)
            J[first + s, first + r] += dot(other, x)
            J[nv + first + s, first + r] += dot(other, y)
    return shift_change(mp, rate)


@kernel
def _integral_modes(tree, work, i, v, vdot, modes, room, J):
    """Write what the modes of a body at order 1 or 2 feel and do; return J̇."""
    n, mode, flex = tree.body_modes[i], tree.body_mode[i], tree.body_flex[i]
    first, nv, second = tree.joint_v[i] + tree.joint_nv[i], tree.sizes[4], tree.body_order[i] == 2
    w, alpha = low(work.V, i), low(work.A, i)
    table, start = work.pool_pair, tree.body_pair[i]
    pairs(table, start, v, first, v, first, n, w, room, 0, second)
    pairs(table, start, vdot, first, v, first, n, w, room, 10 * n, False)
    y, base, J1 = work.mode_y, 10 * mode, work.pool_J1
    Jdot = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    for r in range(n):
        k = mode + r
        grown = _sum6(_planes(J1, 6 * flex, n, r), 2.0, _planes(y, base, n, r))
        Jdot = _sum6(Jdot, v[first + r], grown)
        around = column(room, 6 * n, n, r)  # Σ a_sr η̇_s
        side = symmetric_times(grown, w)
        put_six(modes, k, 0, (sub(scale(2.0, around), side), (0.0, 0.0, 0.0)))
        t = add(symmetric_times(grown, alpha), scale(2.0, symmetric_times(_planes(room, 0, n, r), w)))
        t = add(t, cross(w, sub(side, around)))
        put_six(modes, k, 9, (sub(t, column(room, 16 * n, n, r)), (0.0, 0.0, 0.0)))
        put_six(modes, k, 15, (side, (0.0, 0.0, 0.0)))
    if dot(w, w) + dot(alpha, alpha) > 0.0:
        _pair_entries(table, start, n, second, w, alpha, J, first, nv + first)
    if tree.body_turn[i] >= 0:
        _turned_modes(tree, work, i, v, vdot, modes, room, J)
    return Jdot


@kernel
def _turned_modes(tree, work, i, v, vdot, modes, room, J):
    """Add what F = Σ η_r S_r of nodes that turn makes the modes of a body feel and do."""
    n, mode, at = tree.body_modes[i], tree.body_mode[i], tree.body_turn[i]
    first, w, alpha = tree.joint_v[i] + tree.joint_nv[i], low(work.V, i), low(work.A, i)
    rate, speeding = v[first : first + n], vdot[first : first + n]
    for k in range(6 * n):
        room[k] = 0.0
    for p in range(3):
        start = at + p * n * n
        add_product(tree.flex_turn, start, rate, 1.0, room, p * n)
        add_product(tree.flex_turn, start, speeding, 1.0, room, (3 + p) * n)
        for r in range(n):
            for s in range(n):
                J[first + r, first + s] += alpha[p] * tree.flex_turn[start + n * r + s]
    for r in range(n):
        k, own = mode + r, column(room, 0, n, r)
        t = add(column(room, 3 * n, n, r), cross(w, own))
        put_six(modes, k, 9, plus(six(modes, k, 9), (t, (0.0, 0.0, 0.0))))
        put_six(modes, k, 15, plus(six(modes, k, 15), (scale(2.0, own), (0.0, 0.0, 0.0))))


@kernel
def _own_modes(tree, work, i, q, v, modes, room, J):
    """Add to what the modes of body i feel and do: mp = mp0 + Eη, springs, dampers, stiffness under spin."""
    n, mode, e = tree.body_modes[i], tree.body_mode[i], 3 * tree.body_flex[i]
    first, nv = tree.joint_v[i] + tree.joint_nv[i], tree.sizes[4]
    w, u, alpha = low(work.V, i), high(work.V, i), low(work.A, i)
    fall = add(high(work.A, i), sub(cross(w, u), get3(work.g, i)))
    F, E = work.mode_F, work.pool_E
    for r in range(n):
        k, own = mode + r, column(E, e, n, r)
        put_six(modes, k, 0, plus(six(modes, k, 0), (cross(u, own), cross(own, w))))
        push = add(cross(alpha, own), cross(w, cross(w, own)))
        put_six(modes, k, 9, plus(six(modes, k, 9), (cross(own, fall), push)))
        rate = cross(w, column(F, 3 * mode, n, r)), scale(2.0, cross(w, own))
        put_six(modes, k, 15, plus(six(modes, k, 15), rate))
        J[first + r, first + r] += tree.v_stiffness[first + r]
        J[nv + first + r, first + r] += tree.v_damping[first + r]
    mixed, held = tree.body_mixed[i], tree.body_held[i]
    holds = held >= 0 and clamps(work.joint_mode[i], tree.joint_nv[i])
    for r in range(n):
        for s in range(n):
            if mixed >= 0:
                J[nv + first + r, first + s] += work.pool_C[mixed + n * r + s]
            if holds:
                J[nv + first + r, first + s] += tree.held_C[held + n * r + s]
            if tree.body_soft[i] != 0:
                J[first + r, first + s] += work.mass_K[tree.body_square[i] + n * r + s]
    if tree.body_spin[i] >= 0:
        x, y, z = w
        add_matrix(tree, work, tree.body_spin[i], (x * x, y * y, z * z, x * y, x * z, y * z), J, first, n)
        eta = q[tree.body_eta[i] : tree.body_eta[i] + n]
        unit_stiffness(tree, work, tree.body_spin[i], eta, room, 0)
        for r in range(n):
            xx, yy, zz, xy, xz, yz = _planes(room, 0, n, r)
            modes[mode + r, 0] += 2.0 * x * xx + y * xy + z * xz
            modes[mode + r, 1] += 2.0 * y * yy + x * xy + z * yz
            modes[mode + r, 2] += 2.0 * z * zz + x * xz + y * yz


@kernel
def _drag_of_modes(tree, i, modes):
    """Add dampers to ground between the frame of body i and its modes."""
    n, mode, at = tree.body_modes[i], tree.body_mode[i], tree.body_drag[i]
    for k in range(6):
        for r in range(n):
            c = tree.drag_C[at + k * (6 + n) + 6 + r]
            modes[mode + r, k] += c
            modes[mode + r, 15 + k] += c


@stage("xxxMMMMxM")
def mode_answers(tree, work, q, v, vdot, bodies, sites, ports, modes, room, J):
    """Write B of single flexible bodies, changes of their ports, and what their modes feel and do by themselves.

    room : (20 n,) of the body with most modes
    """
    clear(modes)
    for i in range(tree.sizes[0]):
        n = tree.body_modes[i]
        if n == 0:
            continue
        if tree.body_order[i] > 0:
            Jdot = _integral_modes(tree, work, i, v, vdot, modes, room, J)
        else:
            Jdot = _shifted_modes(tree, work, i, v, vdot, modes, J)
        _own_modes(tree, work, i, q, v, modes, room, J)
        first, f, e = tree.joint_v[i] + tree.joint_nv[i], 3 * tree.body_mode[i], 3 * tree.body_flex[i]
        rate = v[first : first + n]
        spin, push = (
            rows_times(work.mode_F[f : f + 3 * n], rate),
            rows_times(work.pool_E[e : e + 3 * n], rate),
        )
        for k in range(6):
            put_six(bodies, i, 6 * k, velocity_terms(work, i, Jdot, push, spin, unit_motion(k)))
        if tree.body_drag[i] >= 0:
            add_drag(tree, i, bodies)
            _drag_of_modes(tree, i, modes)
        for s in range(tree.body_ports[i], tree.body_ports[i + 1]):
            port_changes(tree, work, s, q, v, vdot, sites, ports)
        if tree.body_stiff[i] > 0 and tree.body_root[i] >= 0 and is_loose(tree, work, i):
            eta = q[tree.body_eta[i] : tree.body_eta[i] + n]
            unit_stiffness(tree, work, tree.body_root[i], eta, work.mode_G, 6 * tree.body_mode[i])


@inlined
def _load_on_mode(G, at, n, r):
    """Return the six numbers K_k η of mode r."""
    return (
        (G[at + r], G[at + n + r], G[at + 2 * n + r]),
        (G[at + 3 * n + r], G[at + 4 * n + r], G[at + 5 * n + r]),
    )


@inlined
def _from_port(work, s, J, V, A):
    """Return what a row that feels (V, A) at port s feels at the origin of the body."""
    p = get3(work.site_p, s)
    return at_origin(p, plus(V, against(J, A))), at_origin(p, A)


@kernel
def _mode_rows(tree, work, i, bodies, sites, cols, ports, modes, J):
    """Carry the rows of the modes of body i inwards; apart what geometric stiffness adds to them."""
    n, mode, e, nv = tree.body_modes[i], tree.body_mode[i], 3 * tree.body_flex[i], tree.sizes[4]
    first, stiff = tree.joint_v[i] + tree.joint_nv[i], tree.body_stiff[i] > 0
    for r in range(n):
        A = column(work.mode_F, 3 * mode, n, r), column(work.pool_E, e, n, r)
        k = mode + r
        V, T = six(modes, k, 0), (modes[k, 6], modes[k, 7], modes[k, 8])
        o = times(0.0, V)
        V2, A2, T2 = o, o, o[0]
        for s in range(tree.body_ports[i], tree.body_ports[i + 1]):
            P, x, J_s = get_inertia(work.site_P, s), six(ports, tree.site_start[s] + r, 27), six(sites, s, 54)
            dV, dT = felt_by(sites, s, x)
            dV, dA = _from_port(work, s, J_s, dV, inertia_times(P, x[0], x[1]))
            V, A, T = plus(V, dV), plus(A, dA), add(T, dT)
            if stiff and tree.site_load[s] >= 0:
                x = times(-1.0, _load_on_mode(work.site_G, 6 * tree.site_start[s], n, r))
                dV, dT = felt_by(sites, s, x)
                dV, dA = _from_port(work, s, J_s, dV, inertia_times(P, x[0], x[1]))
                V2, A2, T2 = plus(V2, dV), plus(A2, dA), add(T2, dT)
        carry_row(tree, work, i, V, A, T, first + r, bodies, sites, cols, ports, J, 2 * nv)
        if stiff:
            if tree.body_root[i] >= 0:
                x = _load_on_mode(work.mode_G, 6 * mode, n, r)
                dV, dT = felt_by(bodies, i, x)
                P = get_inertia(work.P, i)
                V2, A2, T2 = plus(V2, dV), plus(A2, inertia_times(P, x[0], x[1])), add(T2, dT)
            carry_row(tree, work, i, V2, A2, T2, first + r, bodies, sites, cols, ports, J, 3 * nv)


@kernel
def _bent_torque(tree, work, s, q, r, J):
    """Add λᵀ δJ_lᵀ t of the torque at port s along mode r to the entries of column r."""
    i = tree.site_body[s]
    n, at, first = tree.body_modes[i], tree.site_start[s], tree.joint_v[i] + tree.joint_nv[i]
    lam, eta = tree.site_lam, tree.body_eta[i]
    theta = rows_times(lam[3 * at : 3 * (at + n)], q[eta : eta + n])
    x = bent_torque(theta, column(lam, 3 * at, n, r), low(work.site_z, s))
    for k in range(n):
        J[first + k, first + r] += dot(column(lam, 3 * at, n, k), x)


@kernel
def _port_column(tree, work, s, q, r, sites, ports, J):
    """Write what mode r makes of the force at port s in the rows of the body's modes; return it at the origin.

    Three forces: the changes with η, with η̇ and with η̈.
    """
    i, nv = tree.site_body[s], tree.sizes[4]
    n, at = tree.body_modes[i], tree.site_start[s]
    first, k = tree.joint_v[i] + tree.joint_nv[i], at + r
    P, p, force = get_inertia(work.site_P, s), get3(work.site_p, s), six(work.site_z, s, 0)
    psi, own = six(ports, k, 27)
    f = answered(P, sites, s, six(ports, k, 0), six(ports, k, 6))
    f = plus(f, gathered(sites, s, 36, psi))
    f = plus(f, (cross(psi, force[0]), cross(psi, force[1])))
    at_port(tree, work, s, f, first + r, J, 0, True, ports)
    _bent_torque(tree, work, s, q, r, J)
    f = at_origin(p, f)
    f = add(f[0], cross(own, force[1])), f[1]
    g = answered(P, sites, s, six(ports, k, 15), six(ports, k, 21))
    at_port(tree, work, s, g, first + r, J, nv, True, ports)
    h = inertia_times(P, psi, own)
    for j in range(n):
        J[2 * nv + first + j, first + r] += dot6(six(ports, at + j, 27), h)
    at_port(tree, work, s, h, first + r, J, 3 * nv, False, ports)
    return f, at_origin(p, g), at_origin(p, h)


@kernel
def _mode_columns(tree, work, i, q, sites, ports, modes, J):
    """Write the entries among the modes of body i, and carry the forces that they change inwards."""
    n, mode, e, nv = tree.body_modes[i], tree.body_mode[i], 3 * tree.body_flex[i], tree.sizes[4]
    first, stiff = tree.joint_v[i] + tree.joint_nv[i], len(work.mode_G) > 0
    for r in range(n):
        k = first + r
        J[2 * nv + k, k] += 1.0
        f, g = six(modes, mode + r, 9), six(modes, mode + r, 15)
        h = column(work.mode_F, 3 * mode, n, r), column(work.pool_E, e, n, r)
        for s in range(tree.body_ports[i], tree.body_ports[i + 1]):
            df, dg, dh = _port_column(tree, work, s, q, r, sites, ports, J)
            f, g, h = plus(f, df), plus(g, dg), plus(h, dh)
        at_body(tree, work, i, f, k, J, 0, True)
        carry_force(tree, work, i, f, k, ports, J, 0, True)
        at_body(tree, work, i, g, k, J, nv, True)
        carry_force(tree, work, i, g, k, ports, J, nv, True)
        if stiff:
            at_body(tree, work, i, h, k, J, 3 * nv, False)
            carry_force(tree, work, i, h, k, ports, J, 3 * nv, False)
    if tree.body_stiff[i] > 0:
        z, y = work.z, work.site_z
        if tree.body_root[i] >= 0:
            c = (z[i, 0], z[i, 1], z[i, 2], z[i, 3], z[i, 4], z[i, 5])
            add_matrix(tree, work, tree.body_root[i], c, J, first, n)
        for s in range(tree.body_ports[i], tree.body_ports[i + 1]):
            if tree.site_load[s] >= 0:
                c = (-y[s, 0], -y[s, 1], -y[s, 2], -y[s, 3], -y[s, 4], -y[s, 5])
                add_matrix(tree, work, tree.site_load[s], c, J, first, n)


@stage("xMMMMMM")
def mode_slopes(tree, work, q, bodies, sites, cols, ports, modes, J):
    """Write all entries of which row or column belongs to a mode, after `joint_slopes`."""
    for i in range(tree.sizes[0]):
        if tree.body_modes[i] > 0:
            _mode_rows(tree, work, i, bodies, sites, cols, ports, modes, J)
            _mode_columns(tree, work, i, q, sites, ports, modes, J)


_STEP = 1e-40


@inlined
def column(rows, at, n, r):
    """Return column r of a flat (3, n) array that begins at `at`."""
    return rows[at + r], rows[at + n + r], rows[at + 2 * n + r]


@inlined
def turned_jacobian(theta, phi, a2, a3, b2, b3, x):
    """Return δJ_l x along φ."""
    s, n = dot(theta, phi), cross(theta, x)
    found = add(scale(b2 * s, n), scale(a2, cross(phi, x)))
    found = add(found, scale(b3 * s, cross(theta, n)))
    return add(found, scale(a3, add(cross(phi, n), cross(theta, cross(phi, x)))))


@inlined
def bent_torque(theta, phi, t):
    """Return δJ_lᵀ t along φ: J_lᵀ is J_l of -θ."""
    a2, a3, b2, b3 = jacobian_coefficients(dot(theta, theta))
    return turned_jacobian(scale(-1.0, theta), scale(-1.0, phi), a2, a3, b2, b3, t)


@kernel
def port_changes(tree, work, s, q, v, vdot, sites, ports):
    """Write J of port s and the changes of its frame with each mode and its rate."""
    i = tree.site_body[s]
    n, at, first = tree.body_modes[i], tree.site_start[s], tree.joint_v[i] + tree.joint_nv[i]
    lam, gam = tree.site_lam, tree.site_gam
    rows = lam[3 * at : 3 * (at + n)]
    eta = tree.body_eta[i]
    theta, rate = rows_times(rows, q[eta : eta + n]), rows_times(rows, v[first : first + n])
    slide = rows_times(gam[3 * at : 3 * (at + n)], v[first : first + n])
    faster = rows_times(rows, vdot[first : first + n])
    x = dot(theta, theta)
    a2, a3, b2, b3 = jacobian_coefficients(x)
    _, _, c2, c3 = jacobian_coefficients(complex(x, _STEP))
    d2, d3 = c2.imag / _STEP, c3.imag / _STEP
    JL = get9(work.site_J, s)
    spin = turn(JL, rate)
    put_six(sites, s, 54, (spin, slide))
    w, alpha = low(work.V, i), low(work.A, i)
    w_n, v_n, a_w = low(work.site_V, s), high(work.site_V, s), low(work.site_a, s)
    a_v = sub(high(work.site_a, s), get3(work.g, i))
    side, along = cross(theta, rate), dot(theta, rate)
    high_side = cross(theta, side)
    for r in range(n):
        phi, own = column(lam, 3 * at, n, r), column(gam, 3 * at, n, r)
        psi = turn(JL, phi)
        faster_spin = turned_jacobian(theta, phi, a2, a3, b2, b3, rate)
        grow, bend, more = dot(theta, phi), cross(phi, rate), dot(phi, rate)
        bias = scale(2.0 * d2 * grow * along + b2 * more, side)
        bias = add(bias, scale(b2 * along, bend))
        bias = add(bias, scale(2.0 * d3 * grow * along + b3 * more, high_side))
        bias = add(bias, scale(b3 * along, add(cross(phi, side), cross(theta, bend))))
        bias = add(bias, add(scale(b3 * grow, cross(rate, side)), scale(a3, cross(rate, bend))))
        turned = add(turned_jacobian(theta, phi, a2, a3, b2, b3, faster), bias)
        shifted = cross(w, own)
        turned = sub(turned, add(cross(faster_spin, w_n), cross(spin, faster_spin)))
        moved = sub(cross(alpha, own), add(cross(faster_spin, v_n), cross(spin, shifted)))
        k = at + r
        put_six(ports, k, 0, (sub(faster_spin, cross(psi, w_n)), sub(shifted, cross(psi, v_n))))
        put_six(ports, k, 6, (sub(turned, cross(psi, a_w)), sub(moved, cross(psi, a_v))))
        ports[k, 12], ports[k, 13], ports[k, 14] = psi
        # with the rate: δs = θ·φ, δn = θ×φ
        bend = cross(theta, phi)
        bias = scale(b2, add(scale(grow, side), scale(along, bend)))
        bias = add(bias, scale(b3, add(scale(grow, high_side), scale(along, cross(theta, bend)))))
        bias = add(bias, scale(a3, add(cross(phi, side), cross(rate, bend))))
        put_six(ports, k, 15, (psi, own))
        turned = sub(bias, add(cross(psi, w_n), cross(spin, psi)))
        put_six(ports, k, 21, (turned, sub(shifted, add(cross(psi, v_n), cross(spin, own)))))
        put_six(ports, k, 27, (psi, own))
