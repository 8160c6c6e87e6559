"""Answers of the articulated tree to more forces, after one pass of `articulated.inward`: M⁻¹ of a vector.

Inertias stand; forces alone go inwards (`body_inward`), accelerations come outwards (`outward.spread`) without velocity
terms. (Featherstone 2008, ch. 7.)
"""

from __future__ import annotations

from interstage.multibody.kernels.rows import clear, clear_vector, dense6, rows_times, solve_ldlt, solve_lu
from interstage.multibody.kernels.small import (
    add,
    add6,
    cross,
    get3,
    get9,
    get_inertia,
    high,
    kernel,
    low,
    put6,
    scale,
    turn,
)


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
def invert_ports(tree, work):
    """Invert I + P⁺W of every flexible body that carries others, in place, after `inward`."""
    for i in range(tree.sizes[0]):
        begin, end = tree.body_ports[i], tree.body_ports[i + 1]
        if begin == end:
            continue
        width, at = 6 * (end - begin), 36 * tree.body_block[i]
        G, K = work.port_G[at : at + width * width].reshape(width, width), work.K
        for k in range(width):
            for j in range(width):
                K[k, j] = G[k, j]
                G[k, j] = 0.0
            G[k, k] = 1.0
        solve_lu(K, G, width, width)


@kernel
def _modes_inward(tree, work, i):
    """Take modal forces and the forces at the ports of a flexible body to its origin."""
    n, mode, flex = tree.body_modes[i], tree.body_mode[i], tree.body_flex[i]
    beta, d = work.mode_beta[mode : mode + n], work.mode_d[mode : mode + n]
    for r in range(n):
        beta[r] *= d[r]
    F, E = work.mode_F[3 * mode : 3 * (mode + n)], tree.flex_E[3 * flex : 3 * (flex + n)]
    add6(work.z, i, rows_times(F, beta), rows_times(E, beta))
    begin, end = tree.body_ports[i], tree.body_ports[i + 1]
    if begin == end:
        return
    Y, y, Psi = work.Y, work.body_f, work.Psi
    for s in range(begin, end):
        at = 3 * tree.site_start[s]
        spin = turn(get9(work.site_J, s), rows_times(tree.site_lam[at : at + 3 * n], beta))
        put6(work.site_g, s, spin, rows_times(tree.site_gam[at : at + 3 * n], beta))
        dense6(get_inertia(work.site_P, s), Y)
        for k in range(6):
            total = work.site_z[s, k]
            for j in range(6):
                total += Y[k, j] * work.site_g[s, j]
            y[6 * (s - begin) + k] = total
    width, at = 6 * (end - begin), 36 * tree.body_block[i]
    for k in range(width):
        total = 0.0 * y[0]
        for j in range(width):
            total += work.port_G[at + width * k + j] * y[j]
        work.X[6 * begin + k, 6] = total
        for j in range(6):
            work.z[i, j] += Psi[6 * begin + k, j] * total


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
def no_forces(tree, work):
    """Clear what an inward pass gathers: no forces on bodies, modes and ports."""
    clear(work.z)
    clear(work.u)
    clear(work.site_z[: tree.sizes[1]])
    clear(work.site_g[: tree.sizes[1]])
    clear_vector(work.mode_beta)
    for j in range(len(work.X)):
        work.X[j, 6] = 0.0
