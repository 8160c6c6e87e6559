"""Eliminate the modes of a flexible body, with what hangs on its ports, before its hinge.

The equations are in `articulated`: W, Ψ, g of the ports and P, z of the body; outwards f, η̈ and a_o. `ports` has
what hangs on the ports.
"""

from __future__ import annotations

from interstage.multibody.handle import stage
from interstage.multibody.kernels.flex import clamps, modal_products
from interstage.multibody.kernels.ports import (
    eliminate_ports,
    factor_ports,
    modal_motion,
    port_accelerations,
    port_forces,
    take_port_forces,
)
from interstage.multibody.kernels.rows import (
    add_rows,
    clear_vector,
    dense6,
    factor_ldlt,
    row_times,
    rows_times,
)
from interstage.multibody.kernels.slots import (
    add6,
    add_inertia,
    get3,
    get9,
    get_inertia,
    high,
    low,
    put6,
    put_inertia,
    rigid_inertia,
)
from interstage.multibody.kernels.small import add, inlined, kernel, turn
from interstage.multibody.kernels.stiffening import add_product
from interstage.multibody.kernels.triangles import lower_solve, upper_solve

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
