"""Forward dynamics at a cost linear in bodies: modes of a body are eliminated first, then its hinge.

Going inwards every body learns the articulated inertia P and force z with which it answers its parent,
f = P α + z. A flexible body has modal mass D (diagonal), ports with what hangs on them (P⁺, z⁺ stacked) and
modal force β. With Π = [J_l λ; γ] of the ports, φ their rigid shift and c their velocity terms,

    W = Π D⁻¹ Πᵀ,  Ψ = φ - Π D⁻¹ M_ηr,  g = Π D⁻¹ β + c,  [X | x] = (I + P⁺W)⁻¹ [P⁺Ψ | P⁺g + z⁺]
    P = (M_rr - M_rη D⁻¹ M_ηr) + Ψᵀ X,      z = b_r + M_rη D⁻¹ β + Ψᵀ x
    f = X α + x,   η̈ = D⁻¹(β - M_ηr α - Πᵀ f),   a_o = Ψ α + g - W f        (outwards)

P is a sum of two semidefinite parts, so that heavy children do not cost digits; `ports` finds them without forming X,
by a symmetric factorization of the true rank of P⁺. Then the hinge with motion
subspace H: U = P H, D = HᵀU, P⁺ = P - U D⁻¹Uᵀ, z⁺ = z + P⁺c + U D⁻¹(τ - Hᵀz), as in Featherstone (2008, ch. 7)
and Jain (2011, ch. 7). `work.shift` is added to the diagonal of the mass matrix.

A joint that is not free (`joint_mode`) has its accelerations where tau would be: P⁺ = P, z⁺ = z + P(c + Hq̈).

Kernels return 0, or the number (from 1) of the body whose hinge or modes have no positive inertia. P⁺ is a difference:
its rounding is a few units in the last place of the P that it comes from, and stays where P⁺ goes. D has therefore to
exceed `EMPTY` of the size of all inertia outboard, about the axis of the hinge: turning s = tr J + Σ(s + p² m) and
moving m of the body and its children (`body_size`). Else a carrier without mass would pass for one by its rounding.
"""

from __future__ import annotations

import numpy as np

from interstage.multibody.address_table import stage
from interstage.multibody.kernels.algebra import (
    add,
    cross,
    dot,
    inertia_times,
    inlined,
    kernel,
    scale,
    shift_inertia,
    symmetric_times,
    turn,
    turn_back,
    turn_inertia,
)
from interstage.multibody.kernels.array_access import (
    add6,
    add_inertia,
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
    solve_ldlt,
)
from interstage.multibody.kernels.body_inertia import body_terms
from interstage.multibody.kernels.geometric_iteration import settle
from interstage.multibody.kernels.geometric_stiffness import known_loads, stiff_rows
from interstage.multibody.kernels.joints import REVOLUTE, hinge_forces, joint_force
from interstage.multibody.kernels.kinematics import external_wrenches, kinematics, poses
from interstage.multibody.kernels.modal_elimination import blocks_of, eliminate_modes, outward
from interstage.multibody.kernels.outboard_nodes import EMPTY

NOT_BEGUN = -1.0  # in place of the mass of a body that nothing is known of yet
AMPLE = 1e-7  # share of the inertia outboard above which pivots need no second look


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


@inlined
def _axis_size(H, a, turning, moving):
    """Return the size of inertia about axis a of a hinge: |h|² turning + |h'|² moving."""
    k, spin, slide = 6 * a, 0.0, 0.0
    for j in range(3):
        spin += H[k + j].real * H[k + j].real
        slide += H[k + 3 + j].real * H[k + 3 + j].real
    return spin * turning + slide * moving


@kernel
def _has_inertia(H, L, nv, size, y):
    """Return whether the pivots of a hinge are more than rounding of the inertia outboard, size (2,).

    Pivot a is y D yᵀ with the row y of L⁻¹, and its rounding EMPTY Σ y² size. Where all pivots are well above the sizes
    of their own axes, no y is large enough to matter. y (6,) is scratch.
    """
    turning, moving = size[0].real, size[1].real
    clear_of = True
    for a in range(nv):
        clear_of = clear_of and L[a, a].real > AMPLE * _axis_size(H, a, turning, moving)
    if clear_of:
        return True
    for a in range(nv):
        total = _axis_size(H, a, turning, moving)
        for b in range(a - 1, -1, -1):
            y[b] = -L[a, b]
            for k in range(b + 1, a):
                y[b] -= y[k] * L[k, b]
            total += y[b].real * y[b].real * _axis_size(H, b, turning, moving)
        if not L[a, a].real > EMPTY * total:
            return False
    return True


@stage("nxxx", "int64")
def wide_hinge(tree, work, i, q, v, tau):
    """Eliminate the hinge of body i, of several degrees of freedom: write U, factor L, u; leave P⁺ (6, 6) in Y.

    Returns 0, or 1 without positive inertia.
    """
    nv, iv, Y, z = tree.joint_nv[i], tree.joint_v[i], work.Y, work.z[i]
    H, U, L, u, force = work.H[i], work.U[i], work.L[i], work.u[i], work.body_f
    hinge_forces(tree, i, q, v, tau, force)
    dense6(get_inertia(work.P, i), Y)
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
        L[a, a] += work.shift[iv + a]
    if not factor_ldlt(L, nv) or not _has_inertia(H, L, nv, work.body_size[i], force):
        return 1
    solve_ldlt(L, nv, u)
    x = force  # used up: scratch from here on
    for j in range(6):
        for a in range(nv):
            x[a] = U[6 * a + j]
        solve_ldlt(L, nv, x)
        for k in range(j + 1):
            s = Y[k, j]
            for a in range(nv):
                s -= U[6 * a + k] * x[a]
            Y[k, j] = s
            Y[j, k] = s
    return 0


@kernel
def _known_hinge(tree, work, i, P, zw, zv, tau):
    """Take a hinge whose accelerations are known (in tau): return z + P H q̈.

    Nothing is eliminated: P⁺ = P. With U = 0, L = 1 and u = q̈ the outward pass finds q̈ again.
    """
    nv, iv, given = tree.joint_nv[i], tree.joint_v[i], work.joint_mode[i] == 1
    H, U, L, u = work.H, work.U, work.L, work.u
    for a in range(nv):
        u[i, a] = tau[iv + a] if given else 0.0
        for b in range(nv):
            L[i, a, b] = 0.0
        L[i, a, a] = 1.0
        for k in range(6 * a, 6 * a + 6):
            U[i, k] = 0.0
        k = 6 * a
        dw, dv = inertia_times(
            P, (H[i, k], H[i, k + 1], H[i, k + 2]), (H[i, k + 3], H[i, k + 4], H[i, k + 5])
        )
        zw, zv = add(zw, scale(u[i, a], dw)), add(zv, scale(u[i, a], dv))
    return zw, zv


@kernel
def _add_size(work, i, port):
    """Add the size of P of body i, its hinge not yet eliminated, to that of what hangs on a port."""
    P, p = work.P, get3(work.p, i)
    moving = P[i, 15] + P[i, 16] + P[i, 17]
    work.site_s[port, 0] += P[i, 0] + P[i, 1] + P[i, 2] + dot(p, p) * moving
    work.site_s[port, 1] += moving


@inlined
def _put_alone(work, i):
    """Write P, z and sizes of rigid body i with nothing on it. Late: what is added next is still in registers."""
    I = work.body_inertia
    put_inertia(work.P, i, rigid_inertia(I, i))
    for k in range(6):
        work.z[i, k] = work.b[i, k] - work.ext[i, k]
    work.body_size[i, 0] = I[i, 4] + I[i, 5] + I[i, 6]
    work.body_size[i, 1] = I[i, 0]


@stage("xxx", "int64")
def inward(tree, work, q, v, tau):
    """Write articulated inertias and forces from the tips to the roots."""
    size = work.body_size
    for i in range(tree.sizes[0]):
        if tree.body_modes[i] > 0:
            size[i, 0] = work.I[i, 4] + work.I[i, 5] + work.I[i, 6]
            size[i, 1] = work.I[i, 0]
        else:
            size[i, 1] = NOT_BEGUN
    if tree.sizes[1] > 0:
        clear(work.site_P[: tree.sizes[1]])
        clear(work.site_z[: tree.sizes[1]])
        clear(work.site_s)
    for i in range(tree.sizes[0] - 1, -1, -1):
        if tree.body_modes[i] > 0:
            if eliminate_modes(tree, work, i, q, v, tau) != 0:
                return i + 1
        elif size[i, 1].real < 0.0:
            _put_alone(work, i)
        parent, port, nv, iv = tree.body_parent[i], tree.body_port[i], tree.joint_nv[i], tree.joint_v[i]
        if port >= 0:
            _add_size(work, i, port)
        P = get_inertia(work.P, i)
        zw, zv = low(work.z, i), high(work.z, i)
        if work.joint_mode[i] != 0:
            zw, zv = _known_hinge(tree, work, i, P, zw, zv, tau)
        elif nv == 1:
            H = work.H
            hw, hv = (H[i, 0], H[i, 1], H[i, 2]), (H[i, 3], H[i, 4], H[i, 5])
            D, u = work.shift[iv], joint_force(tree, q, v, tau, iv)
            if tree.joint_kind[i] == REVOLUTE:
                uw, uv = symmetric_times(P[0], hw), turn_back(P[1], hw)
                D += dot(hw, uw)
                u -= dot(hw, zw)
                least = size[i, 0].real
            else:
                uw, uv = inertia_times(P, hw, hv)
                D += dot(hw, uw) + dot(hv, uv)
                u -= dot(hw, zw) + dot(hv, zv)
                least = dot(hw, hw).real * size[i, 0].real + dot(hv, hv).real * size[i, 1].real
            if not D.real > EMPTY * least:
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
            if wide_hinge(tree, work, i, q, v, tau) != 0:
                return i + 1
            if parent < 0:
                continue
            P = blocks_of(work.Y)
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
        if size[parent, 1].real < 0.0:
            _put_alone(work, parent)
        size[parent, 0] += size[i, 0] + dot(p, p) * size[i, 1]
        size[parent, 1] += size[i, 1]
        if port < 0:
            add_inertia(work.P, parent, P)
            add6(work.z, parent, zw, zv)
        else:
            add_inertia(work.site_P, port, P)
            add6(work.site_z, port, zw, zv)
    return 0


@kernel
def _passes(tree, work, q, v, tau, vdot):
    """Write v̇, inwards and outwards; with what geometric stiffness makes of the forces across joints."""
    stiff = len(work.mode_G) > 0
    if stiff:
        known_loads(tree, work, q, v, tau)
        stiff_rows(tree, work, q)
    status = inward(tree, work, q, v, tau)
    if status == 0:
        outward(tree, work, vdot)
    if stiff and status == 0:
        status = settle(tree, work, q, vdot)
    return status


@kernel
def forward(tree, work, q, v, tau, sites, wrenches, vdot):
    """Write v̇ (nv,) for forces tau (nv,) and wrenches (k, 6) at sites (k,); return the status.

    -1 means that a result is not finite, `NOT_SETTLED` that deformations are too large for geometric stiffness.
    """
    kinematics(tree, work, q, v)
    if len(sites) > 0:
        poses(tree, work)
    return forward_from_here(tree, work, q, v, tau, sites, wrenches, vdot)


@kernel
def forward_from_here(tree, work, q, v, tau, sites, wrenches, vdot):
    """Do `forward` where kinematics (and with sites, poses) of q and v stand in the scratch."""
    if len(sites) > 0:
        external_wrenches(tree, work, q, sites, wrenches)
    body_terms(tree, work, q, v)
    status = _passes(tree, work, q, v, tau, vdot)
    if status == 0:
        total = 0.0
        for k in range(len(vdot)):
            total += abs(vdot[k].real)
        if not np.isfinite(total):
            status = -1
    if len(sites) > 0:
        clear(work.ext[: tree.sizes[0]])
        clear_vector(work.mode_ext)
    return status
