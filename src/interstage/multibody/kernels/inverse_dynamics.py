"""Inverse dynamics: forces that give known accelerations (recursive Newton-Euler with modes).

Outwards the accelerations of bodies and ports, inwards the forces across the joints:

    f = M_rr α + M_rη η̈ + b_r - f_ext + Σ φᵀ f_child,     τ = Hᵀ f + spring + damper
    τ_η = η̈ + M_ηr α + b_η + Kη + Cη̇ + Σ Πᵀ f_child - Π_extᵀ f_ext + geometric stiffness under f and f_child
"""

from __future__ import annotations

from interstage.multibody.address_table import stage
from interstage.multibody.kernels.algebra import add, cross, inertia_times, kernel, scale, turn, turn_back
from interstage.multibody.kernels.array_access import (
    add6,
    add_rows,
    clear,
    clear_vector,
    get3,
    get9,
    high,
    low,
    put6,
    rigid_inertia,
    row_times,
    rows_times,
)
from interstage.multibody.kernels.body_inertia import body_terms, clamps
from interstage.multibody.kernels.geometric_stiffness import add_carried, stiff_rows
from interstage.multibody.kernels.joints import attitude_spring
from interstage.multibody.kernels.kinematics import external_wrenches, kinematics, poses
from interstage.multibody.kernels.modal_elimination import carried_acceleration, to_parent
from interstage.multibody.kernels.variable_mass import mass_times, soft_times


@kernel
def site_acceleration(tree, work, s, vdot):
    """Write the acceleration of site s, with A of its body and the motion of the site known."""
    i = tree.site_body[s]
    n, at = tree.body_modes[i], 3 * tree.site_start[s]
    first, o = tree.joint_v[i] + tree.joint_nv[i], work.V[-1, 0]
    spin, slide = (o, o, o), (o, o, o)
    if n > 0:
        spin = turn(get9(work.site_J, s), rows_times(tree.site_lam[at : at + 3 * n], vdot[first : first + n]))
        slide = rows_times(tree.site_gam[at : at + 3 * n], vdot[first : first + n])
    w, u = low(work.A, i), high(work.A, i)
    lift = add(u, cross(w, get3(work.site_p, s)))
    put6(
        work.site_a,
        s,
        add(add(w, spin), low(work.site_c, s)),
        add(add(lift, slide), high(work.site_c, s)),
    )


@stage("x")
def accelerations(tree, work, vdot):
    """Write A of every body and the accelerations of the ports, after `kinematics`."""
    H = work.H
    for i in range(tree.sizes[0]):
        iv = tree.joint_v[i]
        aw, av = carried_acceleration(tree, work, i)
        for a in range(tree.joint_nv[i]):
            k, s = 6 * a, vdot[iv + a]
            aw = add(aw, scale(s, (H[i, k], H[i, k + 1], H[i, k + 2])))
            av = add(av, scale(s, (H[i, k + 3], H[i, k + 4], H[i, k + 5])))
        put6(work.A, i, aw, av)
        for s in range(tree.body_ports[i], tree.body_ports[i + 1]):
            site_acceleration(tree, work, s, vdot)


@stage("nxxxx")
def modal_balance(tree, work, i, q, v, vdot, tau):
    """Write the modal forces of a flexible body; add M_rη η̈ and what hangs on its ports to z."""
    n, mode, flex = tree.body_modes[i], tree.body_mode[i], tree.body_flex[i]
    first, eta = tree.joint_v[i] + tree.joint_nv[i], tree.body_eta[i]
    F, E = work.mode_F[3 * mode : 3 * (mode + n)], work.pool_E[3 * flex : 3 * (flex + n)]
    add6(work.z, i, rows_times(F, vdot[first : first + n]), rows_times(E, vdot[first : first + n]))
    for r in range(n):
        k = first + r
        own = (
            mass_times(tree, work, i, vdot, first, r)
            + tree.v_damping[k] * v[k]
            + tree.v_stiffness[k] * q[eta + r]
        )
        tau[k] = own + work.mode_b[mode + r] - work.mode_ext[mode + r]
    mixed, held, rate = tree.body_mixed[i], tree.body_held[i], v[first : first + n]
    if mixed >= 0:
        for r in range(n):
            tau[first + r] += row_times(work.pool_C, mixed + n * r, rate)
    if tree.body_soft[i] != 0:
        for r in range(n):
            tau[first + r] += soft_times(tree, work, i, q[eta : eta + n], r)
    if held >= 0 and clamps(work.joint_mode[i], tree.joint_nv[i]):
        for r in range(n):
            tau[first + r] += row_times(tree.held_C, held + n * r, rate)
    out = tau[first : first + n]
    add_rows(out, F, low(work.A, i))
    add_rows(out, E, high(work.A, i))
    for s in range(tree.body_ports[i], tree.body_ports[i + 1]):
        t, h = low(work.site_z, s), high(work.site_z, s)
        add6(work.z, i, add(t, cross(get3(work.site_p, s), h)), h)
        at = 3 * tree.site_start[s]
        add_rows(out, tree.site_lam[at : at + 3 * n], turn_back(get9(work.site_J, s), t))
        add_rows(out, tree.site_gam[at : at + 3 * n], h)
    if tree.body_stiff[i] > 0:
        add_carried(tree, work, i, q, out)


@kernel
def hinge_balance(tree, work, i, q, v, t, f, tau):
    """Write the generalized forces of the joint of body i, with the force [t; f] across it, springs and dampers."""
    H, iv = work.H, tree.joint_v[i]
    for a in range(tree.joint_nv[i]):
        k, j = 6 * a, iv + a
        s = H[i, k] * t[0] + H[i, k + 1] * t[1] + H[i, k + 2] * t[2]
        s += H[i, k + 3] * f[0] + H[i, k + 4] * f[1] + H[i, k + 5] * f[2]
        s += tree.v_damping[j] * v[j]
        if tree.v_q[j] >= 0:
            s += tree.v_stiffness[j] * (q[tree.v_q[j]] - tree.v_rest[j])
        elif tree.v_stiffness[j] != 0.0:
            s -= attitude_spring(tree, i, q, a)
        tau[j] = s


@stage("xxxx")
def balance(tree, work, q, v, vdot, tau):
    """Write generalized forces, and the force across every joint (body axes, at the body origin) in z."""
    for i in range(tree.sizes[0]):
        t, f = inertia_times(rigid_inertia(work.I, i), low(work.A, i), high(work.A, i))
        put6(work.z, i, t, f)
        for k in range(6):
            work.z[i, k] += work.b[i, k] - work.ext[i, k]
    clear(work.site_z[: tree.sizes[1]])
    for i in range(tree.sizes[0] - 1, -1, -1):
        if tree.body_modes[i] > 0:
            modal_balance(tree, work, i, q, v, vdot, tau)
        t, f = low(work.z, i), high(work.z, i)
        hinge_balance(tree, work, i, q, v, t, f, tau)
        to_parent(tree, work, i, t, f)


@kernel
def inverse(tree, work, q, v, vdot, sites, wrenches, tau):
    """Write tau (nv,) that gives v̇ (nv,) under wrenches (k, 6) at sites (k,)."""
    kinematics(tree, work, q, v)
    if len(sites) > 0:
        poses(tree, work)
        external_wrenches(tree, work, q, sites, wrenches)
    body_terms(tree, work, q, v)
    if len(work.mode_G) > 0:
        stiff_rows(tree, work, q)
    accelerations(tree, work, vdot)
    balance(tree, work, q, v, vdot, tau)
    if len(sites) > 0:
        clear(work.ext[: tree.sizes[0]])
        clear_vector(work.mode_ext)
