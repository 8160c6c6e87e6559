"""One step of any W-method, by its coefficients: linearly implicit, without a true Jacobian.

    (1 - hγA) k_i = f(t + α_i h, Y_i) + hA Σ_j<i γ_ij k_j,    Y_i = y + h Σ_j<i α_ij k_j,      y' = y + h Σ b_i k_i

A stands for the Jacobian and need not be it: order conditions hold for any A (Hairer and Wanner II, IV.7). Here A has
the diagonal stiffness K and damping C of modes and joint springs alone,

    A = [0  N; -M⁻¹K  -M⁻¹C],

so that with g = γh and sums u = Σ γ_ij k_j each stage is forward dynamics with D = M + gC + g²K, by the same
recursion of linear cost (the additions to the diagonal of M go to `work.shift`):

    D k_v = f - K (h u_q + g (v + h u_v)) - C h u_v,      k_q = N (v + h u_v + g k_v)

Integrals of bodies that burn are taken once a step, in its middle, where the method is of second order: M at mid-step
gives no larger error than M at each stage, at half the cost.

Where closures join bodies, slopes and sums of free bodies have their velocities in the axes of the world, ṗ in place of
v. In axes of a body a velocity changes by -ω × v as the body turns, of which a step leaves an error that grows with
speed; it is another one for each of two bodies that a closure holds, which would have to undo it. With ṗ a common
velocity is in no slope: steps are those of a vehicle at rest, to rounding.

M and N are those of the stage: A is A(Y_i), not A(y). At order three that adds one tree to the order conditions of
W-methods, A'(f, f), and one condition, Σ b_i α_i γ_i = 0 with γ_i = Σ_j γ_ij.
"""

from __future__ import annotations

from collections import namedtuple

from interstage.multibody.kernels.flex import prepare
from interstage.multibody.kernels.joints import add_turning, rates, turn_velocities
from interstage.multibody.kernels.small import kernel
from interstage.system.kernels.slope import (
    add_slopes,
    enter,
    finish,
    hold_masses,
    respond,
    stage_time,
    weigh_midway,
)

# alpha (s + 1, s): rows of the stages, then b;  gamma (s, s) with γ on the diagonal;  error (s,): b - b̂, or (0,)
# c (s,): times of the stages
Coefficients = namedtuple("Coefficients", ["alpha", "gamma", "error", "c"])


@kernel
def shift_for(tree, work, g):
    """Add gC + g²K to the diagonal of the mass matrix from now on."""
    for k in range(len(tree.v_q)):
        work.shift[k] = 0.0
        if tree.v_q[k] >= 0:
            work.shift[k] = g * tree.v_damping[k] + g * g * tree.v_stiffness[k]
    prepare(tree, work)


@kernel
def keep_known(tree, work, load, force):
    """Put accelerations of joints that are not free back into a vector of forces."""
    for i in range(tree.sizes[0]):
        if work.joint_mode[i] != 0:
            for k in range(tree.joint_v[i], tree.joint_v[i] + tree.joint_nv[i]):
                force[k] = load[k]


@kernel
def w_step(tree, work, m, loop, t, y, h, s, known):
    """Write the end of a step of h from y at t into s.z, and the slopes into s.K. Return the status.

    known : not used, slopes belong to one step
    """
    K, z, u, force, stages = s.K, s.z, s.u, s.force, len(m.gamma)
    joined = len(tree.closure_site) > 0
    nq, n, g = tree.sizes[3], len(y), h * m.gamma[0, 0]
    if s.shifted[0] != h:
        shift_for(tree, work, g)
        s.shifted[0] = h
    hold_masses(loop, int(stages == 2))  # of second order: see above
    for i in range(stages):
        for k in range(n):
            z[k], u[k] = y[k], 0.0
        if joined:
            turn_velocities(tree, work, y[:nq], z[nq:], 1.0)
        add_slopes(K, m.alpha[i], i, h, z)
        add_slopes(K, m.gamma[i], i, h, u)
        if joined:
            turn_velocities(tree, work, z[:nq], z[nq:], -1.0)
            turn_velocities(tree, work, z[:nq], u[nq:], -1.0)
        when = stage_time(t, h, m.c[i])
        load = enter(tree, work, loop, when, z)
        if i == 0 and stages == 2:
            weigh_midway(tree, work, loop, when, y, h)
        v, uv = z[nq:], u[nq:]
        for k in range(len(force)):
            force[k] = load[k]
            at = tree.v_q[k]
            if at >= 0:
                force[k] -= tree.v_stiffness[k] * (u[at] + g * (v[k] + uv[k])) + tree.v_damping[k] * uv[k]
        keep_known(tree, work, load, force)
        status = respond(tree, work, loop, when, z, force, K[i])
        if status != 0:
            hold_masses(loop, 0)
            return status
        kv = K[i][nq:]
        if joined:
            add_turning(tree, work, v, kv)
        for k in range(len(force)):
            force[k] = v[k] + uv[k] + g * kv[k]
        rates(tree, z[:nq], force, K[i][:nq])
        if joined:
            turn_velocities(tree, work, z[:nq], kv, 1.0)
    for k in range(n):
        z[k] = y[k]
    if joined:
        turn_velocities(tree, work, y[:nq], z[nq:], 1.0)
    add_slopes(K, m.alpha[stages], stages, h, z)
    if joined:
        turn_velocities(tree, work, z[:nq], z[nq:], -1.0)
    hold_masses(loop, 0)
    return finish(tree, work, loop, stage_time(t, h, 1.0), z)
