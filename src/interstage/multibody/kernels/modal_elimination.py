"""Eliminate the modes of a flexible body, with what hangs on its ports, before its hinge.

The equations are in `articulated`: W, Ψ, g of the ports and P, z of the body; outwards f, η̈ and a_o. `ports` has
what hangs on the ports.

Accelerations from the roots to the tips, with the articulated inertias and forces of an inward pass.

Answers of the articulated tree to more forces, after one pass of `articulated.inward`: M⁻¹ of a vector.

Inertias stand; forces alone go inwards (`body_inward`), accelerations come outwards (`outward.spread`) without velocity
terms. (Featherstone 2008, ch. 7.)
"""

from __future__ import annotations

from interstage.multibody.address_table import stage
from interstage.multibody.kernels.algebra import (
    add,
    cross,
    inlined,
    kernel,
    lower_solve,
    scale,
    turn,
    turn_back,
    upper_solve,
)
from interstage.multibody.kernels.array_access import (
    add6,
    add_inertia,
    add_rows,
    clear,
    clear_vector,
    dense6,
    factor_ldlt,
    get3,
    get9,
    get_inertia,
    high,
    low,
    put6,
    put_inertia,
    rigid_inertia,
    row_times,
    rows_times,
    solve_ldlt,
)
from interstage.multibody.kernels.body_inertia import clamps, modal_products
from interstage.multibody.kernels.geometric_stiffness import add_product
from interstage.multibody.kernels.outboard_nodes import (
    eliminate_ports,
    factor_ports,
    forces_inward,
    modal_motion,
    no_port_forces,
    port_accelerations,
    port_forces,
    take_port_forces,
)

NEGLIGIBLE = 1e-9  # share of a body's inertia below which a negative residual is rounding


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


@stage("nx")
def mixed_damping(tree, work, i, v):
    """Take what damping that mixes modes, and a lock that changes it, make of modal rates from modal forces β."""
    n, mode, mixed, held = tree.body_modes[i], tree.body_mode[i], tree.body_mixed[i], tree.body_held[i]
    first, beta = tree.joint_v[i] + tree.joint_nv[i], work.mode_beta[mode : mode + n]
    rate = v[first : first + n]
    if mixed >= 0:
        add_product(work.pool_C, mixed, rate, -1.0, beta, 0)
    if held >= 0 and clamps(work.joint_mode[i], tree.joint_nv[i]):
        for r in range(n):
            beta[r] -= row_times(tree.held_C, held + n * r, rate)


@stage("nx")
def soft_forces(tree, work, i, q):
    """Take what tanks make of the stiffness of a body from modal forces β."""
    n, mode = tree.body_modes[i], tree.body_mode[i]
    place, beta = q[tree.body_eta[i] : tree.body_eta[i] + n], work.mode_beta[mode : mode + n]
    add_product(work.mass_K, tree.body_square[i], place, -1.0, beta, 0)


@stage("nx")
def to_unit_mass(tree, work, i, x):
    """Solve L y = x (n,) in place, L of the modal mass of a body that burns."""
    lower_solve(work.mass_L, tree.body_square[i], tree.body_modes[i], x, 0)


@stage("nx")
def from_unit_mass(tree, work, i, x):
    """Solve Lᵀ y = x (n,) in place."""
    upper_solve(work.mass_L, tree.body_square[i], tree.body_modes[i], x, 0)


@stage("n")
def watch_inertia(tree, work, i):
    """Mark a body whose inertia P, its modes eliminated, is indefinite."""
    dense6(get_inertia(work.P, i), work.Y)
    # a body may have no inertia about an axis from the start (a straight bar): what counts is a negative one
    turning, moving = NEGLIGIBLE * (work.I[i, 4] + work.I[i, 5] + work.I[i, 6]), NEGLIGIBLE * work.I[i, 0]
    for k in range(3):
        work.Y[k, k] += turning
        work.Y[k + 3, k + 3] += moving
    if not factor_ldlt(work.Y, 6):
        work.indefinite[i] = 1.0


@kernel
def _modal_forces(tree, work, i, q, v, tau):
    """Write D⁻¹β of a flexible body with the forces of hinges at its ports, what depends on it and on F, and z."""
    n, mode, flex = tree.body_modes[i], tree.body_mode[i], tree.body_flex[i]
    first, eta = tree.joint_v[i] + tree.joint_nv[i], tree.body_eta[i]
    given, rate, place = tau[first : first + n], v[first : first + n], q[eta : eta + n]
    C, K = tree.v_damping[first : first + n], tree.v_stiffness[first : first + n]
    b, ext, d = work.mode_b[mode : mode + n], work.mode_ext[mode : mode + n], work.mode_d[mode : mode + n]
    beta = work.mode_beta[mode : mode + n]
    for r in range(n):
        beta[r] = given[r] - C[r] * rate[r] - K[r] * place[r] + ext[r] - b[r]
    if tree.body_mixed[i] >= 0 or tree.body_held[i] >= 0:
        mixed_damping(tree, work, i, v)
    if tree.body_soft[i] != 0:
        soft_forces(tree, work, i, q)
    for r in range(n):
        beta[r] *= d[r]
    if tree.body_square[i] >= 0:
        to_unit_mass(tree, work, i, beta)
    modal_products(tree, work, i)
    for k in range(6):
        work.z[i, k] = work.b[i, k] - work.ext[i, k]
    factor_ports(tree, work, i)
    take_port_forces(tree, work, i, beta)
    add6(
        work.z,
        i,
        rows_times(work.row_F[3 * mode : 3 * (mode + n)], beta),
        rows_times(work.row_E[3 * flex : 3 * (flex + n)], beta),
    )


@kernel
def _port_rows(tree, work, i, s, beta):
    """Write Ψ and g of port s of body i, with D⁻¹β of the body."""
    J = get9(work.site_J, s)
    spin, slide = modal_motion(tree, work, s, beta)
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


@stage("nxxx", "int64")
def eliminate_modes(tree, work, i, q, v, tau):
    """Write P and z of a flexible body with its modes and what hangs on its ports; return 0, or 1 if singular."""
    _modal_forces(tree, work, i, q, v, tau)
    put_inertia(work.P, i, _residual_inertia(work, i))
    if tree.body_watch[i] != 0:
        watch_inertia(tree, work, i)
    begin, end = tree.body_ports[i], tree.body_ports[i + 1]
    if begin == end:
        return 0
    mode = tree.body_mode[i]
    beta = work.mode_beta[mode : mode + tree.body_modes[i]]
    for s in range(begin, end):
        _port_rows(tree, work, i, s, beta)
    if not eliminate_ports(tree, work, i):
        return 1
    add_inertia(work.P, i, blocks_of(work.Y))
    return 0


@inlined
def _mean(Y, i, j):
    return 0.5 * (Y[i, j] + Y[j, i])


@kernel
def blocks_of(Y):
    """Return the blocks (A, B, C) of a (6, 6) array, made symmetric."""
    A = (Y[0, 0], Y[1, 1], Y[2, 2], _mean(Y, 0, 1), _mean(Y, 0, 2), _mean(Y, 1, 2))
    x = (_mean(Y, 0, 3), _mean(Y, 0, 4), _mean(Y, 0, 5))
    y = (_mean(Y, 1, 3), _mean(Y, 1, 4), _mean(Y, 1, 5))
    z = (_mean(Y, 2, 3), _mean(Y, 2, 4), _mean(Y, 2, 5))
    C = (Y[3, 3], Y[4, 4], Y[5, 5], _mean(Y, 3, 4), _mean(Y, 3, 5), _mean(Y, 4, 5))
    return A, x + y + z, C


@stage("nx")
def modal_accelerations(tree, work, i, vdot):
    """Write η̈ of a flexible body and the accelerations of its ports, with A of the body known."""
    n, mode, flex = tree.body_modes[i], tree.body_mode[i], tree.body_flex[i]
    first = tree.joint_v[i] + tree.joint_nv[i]
    begin, end = tree.body_ports[i], tree.body_ports[i + 1]
    out, beta, d = vdot[first : first + n], work.mode_beta[mode : mode + n], work.mode_d[mode : mode + n]
    clear_vector(out)
    add_rows(out, work.row_F[3 * mode : 3 * (mode + n)], low(work.A, i))
    add_rows(out, work.row_E[3 * flex : 3 * (flex + n)], high(work.A, i))
    if begin < end:
        port_forces(tree, work, i, out)
        port_accelerations(tree, work, i)
    for r in range(n):
        out[r] = beta[r] - d[r] * out[r]
    if tree.body_square[i] >= 0:
        from_unit_mass(tree, work, i, out)


@inlined
def _parent_acceleration(tree, work, i):
    """Return the acceleration (angular, linear) of body i if its joint stood still in its parent, body axes."""
    port, R = tree.body_port[i], get9(work.R, i)
    if port < 0:
        w, u = low(work.A, tree.body_parent[i]), high(work.A, tree.body_parent[i])
    else:
        w, u = low(work.site_a, port), high(work.site_a, port)
    lift = add(u, cross(w, get3(work.p, i)))
    return turn_back(R, w), turn_back(R, lift)


@inlined
def carried_acceleration(tree, work, i):
    """Return the acceleration (angular, linear) of body i but for that of its joint coordinates, body axes."""
    w, u = _parent_acceleration(tree, work, i)
    return add(w, low(work.c, i)), add(u, high(work.c, i))


@inlined
def spread_body(tree, work, i, vdot, whole):
    """Write accelerations of body i, those of its parent known; without velocity terms of its joint unless `whole`."""
    nv, iv, H, U = tree.joint_nv[i], tree.joint_v[i], work.H, work.U
    aw, av = _parent_acceleration(tree, work, i)
    if whole:
        aw, av = add(aw, low(work.c, i)), add(av, high(work.c, i))
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
def spread(tree, work, vdot, whole):
    """Write accelerations from the roots to the tips; without velocity terms of joints unless `whole`."""
    for i in range(tree.sizes[0]):
        spread_body(tree, work, i, vdot, whole)


@stage("x")
def outward(tree, work, vdot):
    """Write accelerations from the roots to the tips."""
    spread(tree, work, vdot, True)


@kernel
def to_parent(tree, work, i, t, f):
    """Add the force across the joint of body i (t, f about its origin, body axes) to its parent, or to its port."""
    parent, port, R = tree.body_parent[i], tree.body_port[i], get9(work.R, i)
    if parent < 0:
        return
    t, f = turn(R, t), turn(R, f)
    t = add(t, cross(get3(work.p, i), f))
    if port < 0:
        add6(work.z, parent, t, f)
    else:
        add6(work.site_z, port, t, f)


@kernel
def _modes_inward(tree, work, i):
    """Take modal forces and the forces at the ports of a flexible body to its origin."""
    n, mode, flex = tree.body_modes[i], tree.body_mode[i], tree.body_flex[i]
    beta, d = work.mode_beta[mode : mode + n], work.mode_d[mode : mode + n]
    for r in range(n):
        beta[r] *= d[r]
    if tree.body_square[i] >= 0:
        to_unit_mass(tree, work, i, beta)
    take_port_forces(tree, work, i, beta)
    F, E = work.row_F[3 * mode : 3 * (mode + n)], work.row_E[3 * flex : 3 * (flex + n)]
    add6(work.z, i, rows_times(F, beta), rows_times(E, beta))
    if tree.body_ports[i] == tree.body_ports[i + 1]:
        return
    for s in range(tree.body_ports[i], tree.body_ports[i + 1]):
        spin, slide = modal_motion(tree, work, s, beta)
        put6(work.site_g, s, spin, slide)
    forces_inward(tree, work, i)


@kernel
def body_inward(tree, work, i):
    """Take the force of body i through its modes and its hinge to its parent."""
    if tree.body_modes[i] > 0:
        _modes_inward(tree, work, i)
    nv = tree.joint_nv[i]
    t, f = low(work.z, i), high(work.z, i)
    if work.joint_mode[i] == 0 and nv > 0:
        H, U, x = work.H, work.U, work.u[i]
        for a in range(nv):
            x[a] = 0.0
            for k in range(6):
                x[a] -= H[i, 6 * a + k] * work.z[i, k]
        if nv == 1:
            x[0] *= work.L[i, 0, 0]
        else:
            solve_ldlt(work.L[i], nv, x)
        for a in range(nv):
            k = 6 * a
            t = add(t, scale(x[a], (U[i, k], U[i, k + 1], U[i, k + 2])))
            f = add(f, scale(x[a], (U[i, k + 3], U[i, k + 4], U[i, k + 5])))
    to_parent(tree, work, i, t, f)


@kernel
def no_forces_on(tree, work, i):
    """Clear what an inward pass gathers on body i: no forces on it, its modes and its ports."""
    for k in range(6):
        work.z[i, k] = 0.0
        work.u[i, k] = 0.0
    for r in range(tree.body_mode[i], tree.body_mode[i] + tree.body_modes[i]):
        work.mode_beta[r] = 0.0
    begin, end = tree.body_ports[i], tree.body_ports[i + 1]
    if begin < end:
        clear(work.site_z[begin:end])
        clear(work.site_g[begin:end])
        no_port_forces(tree, work, i)


@kernel
def no_forces(tree, work):
    """Clear what an inward pass gathers."""
    for i in range(tree.sizes[0]):
        no_forces_on(tree, work, i)
