"""Accelerations from the roots to the tips, with the articulated inertias and forces of an inward pass."""

from __future__ import annotations

from interstage.multibody.handle import stage
from interstage.multibody.kernels.elimination import modal_accelerations
from interstage.multibody.kernels.rows import solve_ldlt
from interstage.multibody.kernels.slots import get3, get9, high, low, put6
from interstage.multibody.kernels.small import add, cross, inlined, kernel, scale, turn_back


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
