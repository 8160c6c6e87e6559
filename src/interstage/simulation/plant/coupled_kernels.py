"""The closed loop in compiled code: what devices see, what they do, samples and rows of the log.

One right-hand side ẏ = f(t, y) of y = [q; v; z], z the states of devices:

    tape *ahead* → q and v of prescribed joints, masses → kinematics → looks → tape *before* → wrenches, forces
        → forward dynamics → accelerations → tape *after* → rates

`loop` is a `Loop` (see `coupled_arrays`), `tree` and `work` are the vehicle. A tape is a list of (address of a
function, row of addresses of its record). `enter`, `respond`, `slope` and `finish` are what the methods' steps call
(`integration_loop`).
"""

from __future__ import annotations

from functools import cache
from types import FunctionType

import numpy as np

from interstage.jit import COMPILED
from interstage.multibody.kernels.algebra import add, cross, kernel, product, sub, turn, turn_back
from interstage.multibody.kernels.array_access import get3, get9, high, low, put3, put6, put9
from interstage.multibody.kernels.body_inertia import prepare
from interstage.multibody.kernels.closure_forces import project
from interstage.multibody.kernels.constrained_forward import closed_forward_from_here
from interstage.multibody.kernels.inverse_dynamics import accelerations, site_acceleration
from interstage.multibody.kernels.joints import normalize, rates
from interstage.multibody.kernels.kinematics import kinematics, poses, site_motion, site_pose
from interstage.multibody.kernels.variable_mass import sums_at
from interstage.simulation.plant.coupled_arrays import WAITING, WELL, call
from interstage.simulation.plant.internal_loads import balanced, put_carried, put_modal_results
from interstage.spatial.quaternion import matrix_to_quaternion

# of places
SEEN = ("position", "attitude", "rate", "velocity", "acceleration", "angular_acceleration", "specific_force",
        "center_of_mass", "inertia")  # fmt: skip
POSITION, ATTITUDE, RATE, VELOCITY, ACCELERATION, ANGULAR_ACCELERATION, SPECIFIC_FORCE, CENTER, INERTIA = (
    range(len(SEEN))
)
WORLD, BODY, NODE = range(3)  # in the order of `ports.AXES`
RAISED = -(10**8)  # status: a function of a tape raised
WAITS = 10**6 + 4  # status: the sample of a law outside is due
# loop.now: where the run is: tick, tick at which the interval ends, steps on its grid that are behind and in all,
# samples done, rows; tick of its start
TICK, NEXT, STEP, STEPS, SAMPLED, ROWS, START = range(7)
# loop.option: samples need accelerations; ticks between rows of the log (0: every step, -1: none); stop before the
# samples of the end; something needs accelerations; stop after every step; something asks where the stage stands;
# integrals stay as they are weighed
FEELS, LOG_EVERY, HALT, FELT, SINGLE, SEES, WEIGHED = range(7)

# loop.watch: level that is crossed; sign, value, rate and size of what is above it, as `watch.Eye` has them; whether it
# changes at samples alone
LEVEL, SIGN, VALUE, PACE, SIZE, HELD = range(6)
HOLDS, GLIDES = 1.0, 2.0  # of HELD: changes at samples alone, never jumps between events
REACH = (
    4.0  # changes over a step and the last one: what is farther from zero does not get there within the step
)
# loop.pause: time from which no step is begun, time at which steps end (of an event), end of the run
BEFORE, HALT_AT, END = range(3)

# without addresses the loop itself is plain Python around the vehicle's kernels
loop_kernel = kernel if COMPILED else lambda function: function


@cache
def plain(function):
    """Return a kernel as Python, and what it calls too, for the arrays of a loop themselves: nothing is compiled."""
    text = getattr(function, "py_func", function)
    found = {name: text.__globals__.get(name) for name in text.__code__.co_names}
    names = {name: plain(one) for name, one in found.items() if hasattr(one, "py_func")}
    return FunctionType(text.__code__, {**text.__globals__, **names}, text.__name__)


@loop_kernel
def run(loop, address, row, t):
    """Call a function of a tape, and note it where it fails; return whether it came to its end."""
    if call(address, row, t) == WELL:
        return True
    loop.flag[0], loop.flag[1], loop.flag[2] = 1, address, row
    loop.failed_at[0] = t
    return False


@loop_kernel
def walk(loop, addresses, rows, t):
    """Call the functions of a tape in order, up to one that fails; nothing after it."""
    if loop.flag[0] == 0:
        for k in range(len(addresses)):
            if not run(loop, addresses[k], rows[k], t):
                break


@loop_kernel
def foresee(work, loop, t, y):
    """Write what is known of y at t ahead of the vehicle's motion, and masses."""
    if loop.option[SEES] != 0:
        for k in range(len(y)):
            loop.at[k] = y[k]
    walk(loop, loop.ahead, loop.ahead_row, t)
    for j in range(len(loop.known_to)):
        y[loop.known_to[j]] = loop.s[loop.known_from[j]]
    for j in range(len(loop.mass_to)):
        i, at = loop.mass_to[j], loop.mass_from[j]
        for c in range(10):
            work.body_inertia[i, c] = loop.s[at + c].real


@loop_kernel
def refuel(tree, work, loop):
    """Give tanks the propellant that states of devices say, and the vehicle its integrals where it has changed."""
    changed = False
    for j in range(len(loop.fuel_to)):
        k = loop.fuel_to[j]
        work.propellant[k] = loop.z[loop.fuel_from[j]].real
        changed = changed or work.propellant[k] != work.weighed[k]
    if changed:
        prepare(tree, work)


@loop_kernel
def hold_masses(loop, held):
    """Let integrals of bodies that burn stay as they are weighed (1), or follow the states of their tanks (0)."""
    loop.option[WEIGHED] = held


@loop_kernel
def weigh_midway(tree, work, loop, t, y, h):
    """Give tanks what they have in the middle of a step of h from y at t, for the whole step; after `enter` at t.

    m + ½hṁ, with the flows of devices there. Kinematics do not depend on masses.
    """
    if len(loop.fuel_to) == 0:
        return
    walk(loop, loop.rates, loop.rates_row, t)
    n, changed = len(y) - len(loop.z), False
    for j in range(len(loop.fuel_to)):
        k, at = loop.fuel_to[j], loop.fuel_from[j]
        work.propellant[k] = (y[n + at] + 0.5 * h * loop.zdot[at]).real
        changed = changed or work.propellant[k] != work.weighed[k]
    if changed:
        prepare(tree, work)


@loop_kernel
def look(tree, work, loop, q, v):
    """Find where the vehicle is, and write what devices see of places and joints into the signals."""
    s = loop.s
    kinematics(tree, work, q, v)
    if len(loop.place_site) > 0 or len(loop.sites) > 0:
        poses(tree, work)
    for k in range(len(loop.place_site)):
        n = loop.place_site[k]
        if n >= 0:
            site_motion(tree, work, n, site_pose(tree, work, n, q), v)
            put9(loop.place_R, k, get9(work.site_R, n))
            put3(loop.place_l, k, get3(work.site_p, n))
            put6(loop.place_V, k, low(work.site_V, n), high(work.site_V, n))
        else:
            w = low(work.V, -1 - n)
            put6(loop.place_V, k, w, add(high(work.V, -1 - n), cross(w, get3(loop.place_l, k))))
    for j in range(len(loop.look_kind)):
        k, kind, at = loop.look_place[j], loop.look_kind[j], loop.look_to[j]
        i = loop.place_body[k]
        R = get9(work.Rw, i)
        if kind == POSITION:
            _put(s, at, add(get3(work.pw, i), turn(R, get3(loop.place_l, k))))
        elif kind == ATTITUDE:
            put9(loop.turned, 0, product(R, get9(loop.place_R, k)))
            matrix_to_quaternion(loop.turned[0].reshape(3, 3), s[at : at + 4])
        elif kind >= CENTER:
            _put_weight(s, at, kind, _weight_now(tree, work, loop, i), get3(loop.place_l, k))
        else:
            x = low(loop.place_V, k) if kind == RATE else high(loop.place_V, k)
            _put_in_axes(s, at, loop.look_axes[j], R, loop, k, x)
    for j in range(len(loop.q_from)):
        s[loop.q_to[j]] = q[loop.q_from[j]]
    for j in range(len(loop.v_from)):
        s[loop.v_to[j]] = v[loop.v_from[j]]
    put_modal_results(tree, loop, q)


@loop_kernel
def _put(s, at, x):
    """Write three numbers."""
    s[at] = x[0]
    s[at + 1] = x[1]
    s[at + 2] = x[2]


@loop_kernel
def _weight_now(tree, work, loop, i):
    """Return m, m c and J (10,) of a body at this instant, though steps may go on with those of their middle."""
    if loop.option[WEIGHED] == 0 or tree.body_square[i] < 0:
        return work.body_inertia[i]
    for k in range(len(loop.fuel)):
        loop.fuel[k] = work.propellant[k]
    for j in range(len(loop.fuel_to)):
        loop.fuel[loop.fuel_to[j]] = loop.z[loop.fuel_from[j]].real
    sums_at(tree, i, loop.fuel, 0, loop.weight)
    return loop.weight


@loop_kernel
def _put_weight(s, at, kind, one, l):
    """Write the center of mass from a place l, or the inertia about it, of a body (10,): m, mc, J about its origin."""
    m = one[0]
    if m <= 0.0:
        m = 1.0
    x, y, z = one[1] / m, one[2] / m, one[3] / m
    if kind == CENTER:
        _put(s, at, sub((x, y, z), l))
        return
    xy, xz, yz = one[7] + one[0] * x * y, one[8] + one[0] * x * z, one[9] + one[0] * y * z
    s[at] = one[4] - one[0] * (y * y + z * z)
    s[at + 4] = one[5] - one[0] * (x * x + z * z)
    s[at + 8] = one[6] - one[0] * (x * x + y * y)
    s[at + 1], s[at + 2], s[at + 5] = xy, xz, yz
    s[at + 3], s[at + 6], s[at + 7] = xy, xz, yz


@loop_kernel
def _put_in_axes(s, at, axes, R, loop, k, x):
    """Write a vector in body axes as the axes that are asked for have it."""
    if axes == WORLD:
        _put(s, at, turn(R, x))
    elif axes == NODE:
        _put(s, at, turn_back(get9(loop.place_R, k), x))
    else:
        _put(s, at, x)


@loop_kernel
def feel(tree, work, loop, q, v, vdot):
    """Write what devices feel: accelerations of places and joints, after `look` and forward dynamics."""
    s = loop.s
    if len(loop.needed) > 0:
        kinematics(tree, work, q, v)
        poses(tree, work)
        pull(tree, work, loop)
        balanced(tree, work, loop, q, v, vdot)
        put_carried(tree, work, loop, q, vdot)
    elif len(loop.felt_kind) > 0:
        if len(tree.closure_site) > 0:  # their forces take the velocity terms of joints away
            kinematics(tree, work, q, v)
            pull(tree, work, loop)
        accelerations(tree, work, vdot)
    for j in range(len(loop.felt_kind)):
        k = loop.felt_place[j]
        n, i = loop.place_site[k], loop.place_body[k]
        w, u = low(loop.place_V, k), high(loop.place_V, k)
        if n >= 0:
            site_acceleration(tree, work, n, vdot)
            turned, moved = low(work.site_a, n), high(work.site_a, n)
        else:
            turned = low(work.A, i)
            moved = add(high(work.A, i), cross(turned, get3(loop.place_l, k)))
        # spatial accelerations follow the moving axes: the point's own has ω×v more
        x = turned if loop.felt_kind[j] == ANGULAR_ACCELERATION else add(moved, cross(w, u))
        if loop.felt_kind[j] == SPECIFIC_FORCE:
            x = sub(x, get3(work.g, i))
        _put_in_axes(s, loop.felt_to[j], loop.felt_axes[j], get9(work.Rw, i), loop, k, x)
    for j in range(len(loop.a_from)):
        s[loop.a_to[j]] = vdot[loop.a_from[j]]


@loop_kernel
def push(loop):
    """Gather what devices do to the vehicle: wrenches at places, forces and accelerations of joints."""
    s, wrenches, tau = loop.s, loop.wrenches, loop.tau
    for k in range(len(wrenches)):
        for c in range(6):
            wrenches[k, c] = loop.base_wrenches[k, c]
    for k in range(len(tau)):
        tau[k] = loop.base_tau[k]
    for j in range(len(loop.push_row)):
        row, column, at = loop.push_row[j], loop.push_column[j], loop.push_from[j]
        for c in range(3):
            wrenches[row, column + c] += s[at + c]
    for j in range(len(loop.tau_to)):
        tau[loop.tau_to[j]] += s[loop.tau_from[j]]
    for j in range(len(loop.motion_to)):
        tau[loop.motion_to[j]] = s[loop.motion_from[j]]


@loop_kernel
def pull(tree, work, loop):
    """Let bodies feel the gravity that devices say, and all that they carry with them; after `look`."""
    for i in range(len(loop.gravity_first) - 1):
        first, end, parent = loop.gravity_first[i], loop.gravity_first[i + 1], tree.body_parent[i]
        if end > first:
            at = loop.gravity_from[first]
            g = (loop.s[at], loop.s[at + 1], loop.s[at + 2])
            for k in range(first + 1, end):
                at = loop.gravity_from[k]
                g = add(g, (loop.s[at], loop.s[at + 1], loop.s[at + 2]))
            put3(work.g, i, turn_back(get9(work.Rw, i), g))
        elif parent >= 0:
            put3(work.g, i, turn_back(get9(work.R, i), get3(work.g, parent)))


@loop_kernel
def enter(tree, work, loop, t, y):
    """Bring devices to y at t, as far as they go before forward dynamics; return the forces (nv,)."""
    nq, n, z = tree.sizes[3], tree.sizes[3] + tree.sizes[4], loop.z
    for k in range(len(z)):
        z[k] = y[n + k]
    if len(loop.ahead) > 0:
        foresee(work, loop, t, y)
    if len(loop.fuel_to) > 0 and loop.option[WEIGHED] == 0:
        refuel(tree, work, loop)
    look(tree, work, loop, y[:nq], y[nq:n])
    walk(loop, loop.before, loop.before_row, t)
    push(loop)
    pull(tree, work, loop)
    return loop.tau


@loop_kernel
def respond(tree, work, loop, t, y, force, k):
    """Write v̇ and ż into k for forces (nv,), after `enter`: what devices feel, and what they say then."""
    nq, n = tree.sizes[3], tree.sizes[3] + tree.sizes[4]
    q, v, vdot = y[:nq], y[nq:n], k[nq:n]
    status = closed_forward_from_here(tree, work, q, v, force, loop.sites, loop.wrenches, vdot)
    if status != 0:
        return status
    feel(tree, work, loop, q, v, vdot)
    walk(loop, loop.after, loop.after_row, t)
    walk(loop, loop.rates, loop.rates_row, t)
    for j in range(len(loop.zdot)):
        k[n + j] = loop.zdot[j]
    return RAISED if loop.flag[0] != 0 else 0


@loop_kernel
def slope(tree, work, loop, t, y, k):
    """Write ẏ into k at t; all signals are those of this instant. Return the status."""
    nq, n = tree.sizes[3], tree.sizes[3] + tree.sizes[4]
    load = enter(tree, work, loop, t, y)
    rates(tree, y[:nq], y[nq:n], k[:nq])
    return respond(tree, work, loop, t, y, load, k)


@loop_kernel
def finish(tree, work, loop, t, y):
    """Bring the end of a step to where it belongs: what is known, unit quaternions, closures. Return the status."""
    nq, n = tree.sizes[3], tree.sizes[3] + tree.sizes[4]
    if len(loop.ahead) > 0:
        foresee(work, loop, t, y)
    normalize(tree, y[:nq])
    if len(tree.closure_site) > 0 and work.closure_option[0] != 0.0:
        return project(tree, work, y[:nq], y[nq:n])
    return 0


@loop_kernel
def write_row(loop, y, t):
    """Write time, q, v and the chosen signals, states, discrete states and integers to the next row of the log."""
    row, n = loop.log[loop.now[ROWS]], len(y) - len(loop.z)
    row[0] = t
    for k in range(n):
        row[1 + k] = y[k].real
    at = 1 + n
    for k in range(len(loop.log_s)):
        row[at + k] = loop.s[loop.log_s[k]].real
    at += len(loop.log_s)
    for k in range(len(loop.log_z)):
        row[at + k] = y[n + loop.log_z[k]].real
    at += len(loop.log_z)
    for k in range(len(loop.log_w)):
        row[at + k] = loop.w[loop.log_w[k]].real
    at += len(loop.log_w)
    for k in range(len(loop.log_n)):
        row[at + k] = loop.n[loop.log_n[k]]
    loop.now[ROWS] += 1


@loop_kernel
def might_cross(loop, y, h):
    """Return whether something that is watched might have crossed its level in a step of h; note it where not."""
    n, watch = len(y) - len(loop.z), loop.watch
    for k in range(len(watch)):
        at = loop.watch_at[k]
        g = (y[n + at] if loop.watch_state[k] != 0 else loop.s[at]).real - watch[k, LEVEL]
        sign, change = watch[k, SIGN], abs(g - watch[k, VALUE])
        same = g * sign > 0.0
        if watch[k, HELD] == HOLDS:
            sure = same
        else:
            least = min(abs(g), abs(watch[k, VALUE]))
            moves = change > 0.0 or watch[k, HELD] == GLIDES
            sure = same and moves and least > REACH * (change + h * watch[k, PACE])
        if not sure:
            return True
    for k in range(len(watch)):
        at = loop.watch_at[k]
        g = (y[n + at] if loop.watch_state[k] != 0 else loop.s[at]).real - watch[k, LEVEL]
        watch[k, PACE] = abs(g - watch[k, VALUE]) / h
        watch[k, VALUE] = g
        watch[k, SIZE] = max(watch[k, SIZE], abs(g))
    return False


@loop_kernel
def due(loop, tick):
    """Return whether something is sampled at a tick."""
    found = False
    for k in range(len(loop.sample_next)):
        found = found or loop.sample_next[k] == tick
    return found


@loop_kernel
def sample(loop, tick, t):
    """Run the samples that are due at a tick, in order; each sees what the continuous devices said before them.

    What is known ahead is asked anew (the time that is none): a sample may have changed what it reads.
    Where a law outside is waited for (`WAITS`) the next call goes on after it.
    """
    for k in range(loop.inside[0], len(loop.sample)):
        if loop.sample_next[k] == tick:
            loop.n[loop.sample_tick[k]] = (tick - loop.sample_first[k]) // loop.sample_every[k]
            answer = call(loop.sample[k], loop.sample_row[k], t)
            if answer == WAITING:
                loop.inside[0] = k + 1
                return WAITS
            if answer != WELL:
                loop.flag[0], loop.flag[1], loop.flag[2] = 1, loop.sample[k], loop.sample_row[k]
                loop.failed_at[0] = t
                return RAISED
    loop.inside[0] = 0
    for g in range(len(loop.group_every)):
        wanted = (tick - loop.group_first[g]) % loop.group_every[g] == 0 and tick >= loop.group_first[g]
        for k in range(len(loop.group_extra)):
            wanted = wanted or (loop.group_extra[k, 0] == g and loop.group_extra[k, 1] == tick)
        if wanted:
            _write_group(loop, g, t)
    for k in range(len(loop.sample)):
        if loop.sample_next[k] == tick:
            loop.sample_next[k] += loop.sample_every[k]
    walk(loop, loop.ahead, loop.ahead_row, np.nan)
    return RAISED if loop.flag[0] != 0 else 0


@loop_kernel
def _write_group(loop, g, t):
    """Write time and the signals of a group to its next row."""
    first, width = loop.group_column[g], loop.group_column[g + 1] - loop.group_column[g]
    at = loop.group_at[g] + loop.group_rows[g] * (width + 1)
    loop.samples[at] = t
    for k in range(width):
        loop.samples[at + 1 + k] = loop.s[loop.group_s[first + k]].real
    loop.group_rows[g] += 1


@loop_kernel
def groups_full(loop):
    """Return whether a buffer of sampled signals is full."""
    full = False
    for g in range(len(loop.group_every)):
        full = full or loop.group_rows[g] >= loop.group_most[g]
    return full
