"""Step kernels of the families of methods, and the right-hand side of a vehicle without devices.

The right-hand side of a vehicle without devices: ẏ = f(t, y) of y = [q; v].

    q̇ = N(q) v,      M(q) v̇ = forces(t, q, v)

`slope`, `enter`, `respond` and `finish` are where methods meet what they integrate. These are the lean ones; a vehicle
with devices has its own (`coupled_kernels`), and `integration_loop` puts either into the same steps. What changes with
time (loads, prescribed motions, masses) is written ahead (`foresee`). Coordinates and velocities of prescribed joints
are written, not integrated.

One step of any explicit Runge-Kutta method, by its tableau.

    k_i = f(t + c_i h, y + h Σ_j<i a_ij k_j),      y' = y + h Σ b_i k_i

Where an error estimate or dense output is wanted, the slope at the end of the step is one stage more; it is taken where
closures and prescribed joints have put the end, and is the first stage of the next step.

Stages at the ends of a step look just inside of it (`stage_time`): of what jumps there they see the side of the step.

One step of any W-method, by its coefficients: linearly implicit, without a true Jacobian.

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

from interstage.multibody.kernels.algebra import kernel
from interstage.multibody.kernels.body_inertia import prepare
from interstage.multibody.kernels.constrained_forward import closed_forward as forward
from interstage.multibody.kernels.joints import add_turning, rates, turn_velocities
from interstage.simulation.plant.coupled_kernels import RAISED, finish, foresee, loop_kernel

NUDGE = 2.0**-50  # of a time: beyond the rounding of the ends of steps and of what is compared with them

# of a step: slopes K (stages, n), the state of a stage and at last of the end z (n,), a sum of slopes u (n,),
# forces (nv,), the step for which the implicit shift stands (1,)
Scratch = namedtuple("Scratch", ["K", "z", "u", "force", "shifted"])


@loop_kernel
def enter(tree, work, loop, t, y):
    """Write what is known of y at t, and return the forces (nv,) there."""
    if len(loop.ahead) > 0:
        foresee(work, loop, t, y)
        for k in range(len(loop.tau)):
            loop.tau[k] = loop.base_tau[k]
        for j in range(len(loop.motion_to)):
            loop.tau[loop.motion_to[j]] = loop.s[loop.motion_from[j]]
        return loop.tau
    return loop.base_tau


@loop_kernel
def slope(tree, work, loop, t, y, k):
    """Write ẏ into k at t, and what is known into y. Return the status."""
    nq = tree.sizes[3]
    load = enter(tree, work, loop, t, y)
    rates(tree, y[:nq], y[nq:], k[:nq])
    return respond(tree, work, loop, t, y, load, k)


@loop_kernel
def respond(tree, work, loop, t, y, force, k):
    """Write into k all of ẏ but q̇, for forces (nv,), after `enter`. Return the status."""
    nq = tree.sizes[3]
    if loop.flag[0] != 0:
        return RAISED
    return forward(tree, work, y[:nq], y[nq:], force, loop.sites, loop.base_wrenches, k[nq:])


@loop_kernel
def hold_masses(loop, held):
    """Do nothing: propellant of tanks is a state of devices."""


@loop_kernel
def weigh_midway(tree, work, loop, t, y, h):
    """Do nothing: propellant of tanks is a state of devices."""


@loop_kernel
def no_samples(loop, tick, t):
    """Do nothing: what is sampled are devices."""
    return 0


@kernel
def just_after(t):
    """Return the time at which a stage at the beginning of a step looks: what jumps there has jumped."""
    return t + NUDGE * abs(t)


@kernel
def just_before(t):
    """Return the time at which a stage at the end of a step looks: what jumps there has not jumped yet."""
    return t - NUDGE * abs(t)


@kernel
def stage_time(t, h, c):
    """Return the time t + ch at which a stage of a step looks, inside the step: jumps at its ends are not in it."""
    return min(max(t + c * h, just_after(t)), just_before(t + h))


@kernel
def add_slopes(K, weights, count, h, out):
    """Add h Σ weights_j K_j of the first `count` slopes to a vector."""
    for j in range(count):
        a = h * weights[j]
        if a != 0.0:
            for k in range(len(out)):
                out[k] += a * K[j, k]


__all__ = [
    "Scratch",
    "add_slopes",
    "enter",
    "finish",
    "hold_masses",
    "just_after",
    "just_before",
    "no_samples",
    "respond",
    "slope",
    "stage_time",
    "weigh_midway",
]


# A (s + 1, s): rows of the stages, then b;  c (s,): their times
# error (s + 1,): b - b̂, or (0,) where no estimate is wanted
Tableau = namedtuple("Tableau", ["A", "c", "error"])


@kernel
def explicit_step(tree, work, m, loop, t, y, h, s, known):
    """Write the end of a step of h from y at t into s.z, and the slopes into s.K. Return the status.

    known : K[0] is there already
    """
    K, z, n, stages = s.K, s.z, len(y), m.A.shape[1]
    for i in range(stages + 1):
        for k in range(n):
            z[k] = y[k]
        add_slopes(K, m.A[i], i, h, z)
        when = stage_time(t, h, 1.0)
        if i == stages:
            status = finish(tree, work, loop, when, z)
            if status != 0 or len(m.error) == 0:
                return status
        elif i == 0 and known:
            continue
        else:
            when = stage_time(t, h, m.c[i])
        status = slope(tree, work, loop, when, z, K[i])
        if status != 0:
            return status
    return 0


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
