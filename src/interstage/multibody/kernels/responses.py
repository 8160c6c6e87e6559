"""Answers of the articulated tree to more forces, after one pass of `articulated.inward`: M⁻¹ of a vector.

Inertias stand; forces alone go inwards (`body_inward`), accelerations come outwards (`outward.spread`) without velocity
terms. (Featherstone 2008, ch. 7.)
"""

from __future__ import annotations

from interstage.multibody.kernels.elimination import to_unit_mass
from interstage.multibody.kernels.ports import forces_inward, modal_motion, no_port_forces, take_port_forces
from interstage.multibody.kernels.rows import clear, rows_times, solve_ldlt
from interstage.multibody.kernels.slots import add6, get3, get9, high, low, put6
from interstage.multibody.kernels.small import add, cross, kernel, scale, turn


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
