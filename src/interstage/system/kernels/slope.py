"""The right-hand side of a vehicle without devices: ẏ = f(t, y) of y = [q; v].

    q̇ = N(q) v,      M(q) v̇ = forces(t, q, v)

`slope`, `enter`, `respond` and `finish` are where methods meet what they integrate. These are the lean ones; a vehicle
with devices has its own (`loop_kernels`), and `flights` puts either into the same steps. What changes with time (loads,
prescribed motions, masses) is written ahead (`foresee`). Coordinates and velocities of prescribed joints are written,
not integrated.
"""

from __future__ import annotations

from collections import namedtuple

from interstage.multibody.kernels.closed import closed_forward as forward
from interstage.multibody.kernels.joints import rates
from interstage.multibody.kernels.small import kernel
from interstage.system.loop_kernels import RAISED, finish, foresee, loop_kernel

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
