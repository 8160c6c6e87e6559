"""Mass matrix of the whole tree by composite inertias (Featherstone 2008, ch. 6, with modes).

C_i is the inertia of body i with everything outboard of it held still. A unit acceleration of one coordinate
calls for a wrench at its body; carried inwards, the wrench gives one entry for each coordinate it passes.
A mode r of body i calls for M_rη,r + Σ φᵀ C⁺ Π_r, with C⁺ what hangs on a port.
"""

from __future__ import annotations

from interstage.multibody.address_table import stage
from interstage.multibody.kernels.algebra import (
    add,
    cross,
    inertia_times,
    kernel,
    shift_inertia,
    turn,
    turn_back,
    turn_inertia,
)
from interstage.multibody.kernels.array_access import (
    add_inertia,
    clear,
    get3,
    get9,
    get_inertia,
    rigid_inertia,
)
from interstage.multibody.kernels.body_inertia import body_terms
from interstage.multibody.kernels.kinematics import kinematics


@stage("")
def composite(tree, work):
    """Write composite inertias of bodies (P) and ports (site_P), after `body_terms`."""
    clear(work.P)
    clear(work.site_P[: tree.sizes[1]])
    for i in range(tree.sizes[0] - 1, -1, -1):
        add_inertia(work.P, i, rigid_inertia(work.I, i))
        for s in range(tree.body_ports[i], tree.body_ports[i + 1]):
            add_inertia(work.P, i, shift_inertia(get_inertia(work.site_P, s), get3(work.site_p, s)))
        P = shift_inertia(turn_inertia(get_inertia(work.P, i), get9(work.R, i)), get3(work.p, i))
        port = tree.body_port[i]
        if port < 0:
            add_inertia(work.P, tree.body_parent[i], P)
        else:
            add_inertia(work.site_P, port, P)


@kernel
def _port_column(tree, s, r, n, J):
    """Return Π_r of port s: [J_l λ_r; γ_r]."""
    at, lam, gam = 3 * tree.site_start[s], tree.site_lam, tree.site_gam
    x, y, z = at + r, at + n + r, at + 2 * n + r
    return turn(J, (lam[x], lam[y], lam[z])), (gam[x], gam[y], gam[z])


@kernel
def _carry_inwards(tree, work, i, t, f, column, M):
    """Carry the wrench [t; f] at the origin of body i inwards, filling row and column `column` of M."""
    H = work.H
    while True:
        iv = tree.joint_v[i]
        for a in range(tree.joint_nv[i]):
            k = 6 * a
            s = H[i, k] * t[0] + H[i, k + 1] * t[1] + H[i, k + 2] * t[2]
            s += H[i, k + 3] * f[0] + H[i, k + 4] * f[1] + H[i, k + 5] * f[2]
            M[iv + a, column] = s
            M[column, iv + a] = s
        parent, port = tree.body_parent[i], tree.body_port[i]
        if parent < 0:
            return
        R = get9(work.R, i)
        t, f = turn(R, t), turn(R, f)
        t = add(t, cross(get3(work.p, i), f))
        if port >= 0:
            n, first = tree.body_modes[parent], tree.joint_v[parent] + tree.joint_nv[parent]
            at, lam, gam = 3 * tree.site_start[port], tree.site_lam, tree.site_gam
            m = turn_back(get9(work.site_J, port), t)
            for r in range(n):
                x, y, z = at + r, at + n + r, at + 2 * n + r
                s = (
                    m[0] * lam[x]
                    + m[1] * lam[y]
                    + m[2] * lam[z]
                    + f[0] * gam[x]
                    + f[1] * gam[y]
                    + f[2] * gam[z]
                )
                M[first + r, column] = s
                M[column, first + r] = s
            t = add(t, cross(get3(work.site_p, port), f))
        i = parent


@kernel
def _modal_block(tree, work, i, M):
    """Write the rows of the modes of body i: among themselves, and with every coordinate inboard."""
    n, mode, flex = tree.body_modes[i], tree.body_mode[i], tree.body_flex[i]
    first = tree.joint_v[i] + tree.joint_nv[i]
    F, E, a, e, square = work.mode_F, work.pool_E, 3 * mode, 3 * flex, tree.body_square[i]
    for r in range(n):
        t = (F[a + r], F[a + n + r], F[a + 2 * n + r])
        f = (E[e + r] + 0.0 * t[0], E[e + n + r] + 0.0 * t[0], E[e + 2 * n + r] + 0.0 * t[0])
        if square < 0:
            M[first + r, first + r] += 1.0
        else:
            for k in range(n):
                M[first + r, first + k] += work.mass_G[square + n * r + k]
        for s in range(tree.body_ports[i], tree.body_ports[i + 1]):
            J = get9(work.site_J, s)
            x, y = _port_column(tree, s, r, n, J)
            tp, fp = inertia_times(get_inertia(work.site_P, s), x, y)
            for k in range(r + 1):
                x, y = _port_column(tree, s, k, n, J)
                m = x[0] * tp[0] + x[1] * tp[1] + x[2] * tp[2] + y[0] * fp[0] + y[1] * fp[1] + y[2] * fp[2]
                M[first + r, first + k] += m
                if k < r:
                    M[first + k, first + r] += m
            t = add(t, add(tp, cross(get3(work.site_p, s), fp)))
            f = add(f, fp)
        _carry_inwards(tree, work, i, t, f, first + r, M)


@stage("M")
def mass_columns(tree, work, M):
    """Write the mass matrix from composite inertias."""
    clear(M)
    H = work.H
    for i in range(tree.sizes[0]):
        P, iv = get_inertia(work.P, i), tree.joint_v[i]
        for a in range(tree.joint_nv[i]):
            k = 6 * a
            t, f = inertia_times(
                P, (H[i, k], H[i, k + 1], H[i, k + 2]), (H[i, k + 3], H[i, k + 4], H[i, k + 5])
            )
            _carry_inwards(tree, work, i, t, f, iv + a, M)
        if tree.body_modes[i] > 0:
            _modal_block(tree, work, i, M)


@kernel
def mass_matrix(tree, work, q, v, M):
    """Write the mass matrix M (nv, nv), full and symmetric, which no velocity changes."""
    kinematics(tree, work, q, v)
    body_terms(tree, work, q, v)
    composite(tree, work)
    mass_columns(tree, work, M)
