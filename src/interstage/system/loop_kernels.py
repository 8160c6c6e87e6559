"""The closed loop in compiled code: what devices see, what they do, steps, samples and rows of the log.

One right-hand side:

    kinematics → looks → tape *before* → wrenches, forces → forward dynamics → accelerations → tape *after* → rates

`loop` is a `Loop` (see `loop_arrays`), `tree` and `work` are the vehicle. A tape is a list of (address of a function,
row of addresses of its record). Between two due ticks equal steps are taken, none longer than what was asked for.
"""

from __future__ import annotations

from interstage.jit import COMPILED
from interstage.multibody.handle import tree_of, work_of
from interstage.multibody.kernels.closure import closed_forward_from_here, project
from interstage.multibody.kernels.inverse import accelerations, site_acceleration
from interstage.multibody.kernels.joints import normalize, rates
from interstage.multibody.kernels.kinematics import kinematics, poses, site_motion, site_pose
from interstage.multibody.kernels.small import (
    add,
    cross,
    get3,
    get9,
    high,
    kernel,
    low,
    product,
    put3,
    put6,
    put9,
    sub,
    turn,
    turn_back,
)
from interstage.spatial.quaternion import matrix_to_quaternion
from interstage.system.loop_arrays import call, loop_of

# of places
SEEN = ("position", "attitude", "rate", "velocity", "acceleration", "angular_acceleration", "specific_force")
POSITION, ATTITUDE, RATE, VELOCITY, ACCELERATION, ANGULAR_ACCELERATION, SPECIFIC_FORCE = range(len(SEEN))
WORLD, BODY, NODE = range(3)  # in the order of `ports.AXES`
STRETCH, RIGHT_SIDE, SAMPLE, ROW = range(4)
DONE, FULL, PAUSED, RAISED = (
    0,
    10**6,
    10**6 + 1,
    -(10**8),
)  # how a stretch ends; other numbers are those of forward dynamics
# loop.now: where the run is: tick, tick at which the interval ends, steps done and to do in it, samples done, rows;
# ticks of its end and of its start
TICK, NEXT, STEP, STEPS, SAMPLED, ROWS, UNTIL, START = range(8)
# loop.option: samples need accelerations; ticks between rows of the log (0: every step, -1: none); stop before the
# samples of the last tick
FEELS, LOG_EVERY, HALT = range(3)

# without addresses the loop itself is plain Python around the vehicle's kernels
loop_kernel = kernel if COMPILED else lambda function: function


@loop_kernel
def walk(addresses, rows, t):
    """Call the functions of a tape in order."""
    for k in range(len(addresses)):
        call(addresses[k], rows[k], t)


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
        else:
            x = low(loop.place_V, k) if kind == RATE else high(loop.place_V, k)
            _put_in_axes(s, at, loop.look_axes[j], R, loop, k, x)
    for j in range(len(loop.q_from)):
        s[loop.q_to[j]] = q[loop.q_from[j]]
    for j in range(len(loop.v_from)):
        s[loop.v_to[j]] = v[loop.v_from[j]]


@loop_kernel
def _put(s, at, x):
    """Write three numbers."""
    s[at] = x[0]
    s[at + 1] = x[1]
    s[at + 2] = x[2]


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
    if len(loop.felt_kind) > 0:
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
def right_side(tree, work, loop, q, v, t, qdot, vdot):
    """Write q̇, v̇ and (in `loop.zdot`) ż at q, v, `loop.z`; all signals are those of this instant. Return the status."""
    look(tree, work, loop, q, v)
    walk(loop.before, loop.before_row, t)
    push(loop)
    pull(tree, work, loop)
    rates(tree, q, v, qdot)
    status = closed_forward_from_here(tree, work, q, v, loop.tau, loop.sites, loop.wrenches, vdot)
    if status != 0:
        return status
    feel(tree, work, loop, q, v, vdot)
    walk(loop.after, loop.after_row, t)
    walk(loop.rates, loop.rates_row, t)
    return RAISED if loop.flag[0] != 0 else 0


@loop_kernel
def step(tree, work, loop, q, v, t, h, logged):
    """Take one classical Runge-Kutta step of q, v and `loop.z` in place; write a row of the log first if asked to."""
    nq, nv, nz, z = len(q), len(v), len(loop.z), loop.z
    x, y, kq, kv = loop.scratch[0][:nq], loop.scratch[1][:nv], loop.scratch[2][:nq], loop.scratch[3][:nv]
    sum_q, sum_v, sum_z = loop.scratch[4][:nq], loop.scratch[5][:nv], loop.scratch[6][:nz]
    begin = loop.scratch[7][:nz]
    for k in range(nq):
        x[k] = q[k]
        sum_q[k] = 0.0
    for k in range(nv):
        y[k] = v[k]
        sum_v[k] = 0.0
    for k in range(nz):
        begin[k] = z[k]
        sum_z[k] = 0.0
    for stage in range(4):
        at = t if stage == 0 else (t + h if stage == 3 else t + 0.5 * h)
        status = right_side(tree, work, loop, x, y, at, kq, kv)
        if status != 0:
            return status
        if stage == 0 and logged:
            write_row(loop, q, v, t)
        weight = h / 6.0 if stage == 0 or stage == 3 else h / 3.0
        ahead = h if stage == 2 else 0.5 * h
        for k in range(nq):
            sum_q[k] += weight * kq[k]
            x[k] = q[k] + ahead * kq[k]
        for k in range(nv):
            sum_v[k] += weight * kv[k]
            y[k] = v[k] + ahead * kv[k]
        for k in range(nz):
            sum_z[k] += weight * loop.zdot[k]
            z[k] = begin[k] + ahead * loop.zdot[k]
    for k in range(nq):
        q[k] += sum_q[k]
    for k in range(nv):
        v[k] += sum_v[k]
    for k in range(nz):
        z[k] = begin[k] + sum_z[k]
    normalize(tree, q)
    if len(tree.closure_site) > 0 and work.closure_option[0] != 0.0:
        return project(tree, work, q, v)
    return 0


@loop_kernel
def write_row(loop, q, v, t):
    """Write time, q, v and the chosen signals and states to the next row of the log."""
    row, at = loop.log[loop.now[ROWS]], 1
    row[0] = t
    for k in range(len(q)):
        row[at + k] = q[k].real
    at += len(q)
    for k in range(len(v)):
        row[at + k] = v[k].real
    at += len(v)
    for k in range(len(loop.log_s)):
        row[at + k] = loop.s[loop.log_s[k]].real
    at += len(loop.log_s)
    for k in range(len(loop.log_z)):
        row[at + k] = loop.z[loop.log_z[k]].real
    loop.now[ROWS] += 1


@loop_kernel
def due(loop, tick):
    """Return whether something is sampled at a tick."""
    found = False
    for k in range(len(loop.sample_next)):
        found = found or loop.sample_next[k] == tick
    return found


@loop_kernel
def sample(tree, work, loop, q, v, tick, t):
    """Run the samples that are due at a tick, in order; each sees what the continuous devices said before them."""
    if loop.option[FEELS] != 0:
        kq, kv = loop.scratch[2][: len(q)], loop.scratch[3][: len(v)]
        status = right_side(tree, work, loop, q, v, t, kq, kv)
        if status != 0:
            return status
    else:
        look(tree, work, loop, q, v)
        walk(loop.before, loop.before_row, t)
    for k in range(len(loop.sample)):
        if loop.sample_next[k] == tick:
            loop.n[loop.sample_tick[k]] = (tick - loop.sample_first[k]) // loop.sample_every[k]
            call(loop.sample[k], loop.sample_row[k], t)
            if loop.flag[0] != 0:
                return RAISED
    for g in range(len(loop.group_every)):
        if (tick - loop.group_first[g]) % loop.group_every[g] == 0 and tick >= loop.group_first[g]:
            _write_group(loop, g, t)
    for k in range(len(loop.sample)):
        if loop.sample_next[k] == tick:
            loop.sample_next[k] += loop.sample_every[k]
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
def _groups_full(loop):
    full = False
    for g in range(len(loop.group_every)):
        full = full or loop.group_rows[g] >= loop.group_most[g]
    return full


@loop_kernel
def _plan_interval(loop):
    """Find the next tick at which something is due, and how many equal steps lead to it."""
    now = loop.now
    nearest = now[UNTIL]
    for k in range(len(loop.sample_next)):
        if loop.sample_next[k] < nearest:
            nearest = loop.sample_next[k]
    every = loop.option[LOG_EVERY]
    if every > 0:
        nearest = min(nearest, (now[TICK] // every + 1) * every)
    now[NEXT] = nearest
    now[STEP] = 0
    # ticks · num/den seconds over the longest step, a fraction too: whole numbers decide
    ticks = (nearest - now[TICK]) * loop.ratio[0]
    now[STEPS] = -(-ticks // loop.ratio[1])


@loop_kernel
def stretch(tree, work, loop, q, v):
    """Go on until the end (`DONE`), until a buffer of the log is full (`FULL`), or something fails."""
    now, every = loop.now, loop.option[LOG_EVERY]
    while True:
        tick = now[TICK]
        begin = tick * loop.clock[0] / loop.clock[1]
        if tick >= now[UNTIL] and loop.option[HALT] != 0:
            return DONE
        if now[STEP] == 0 and now[SAMPLED] == 0:
            if due(loop, tick):
                if _groups_full(loop):
                    return FULL
                status = sample(tree, work, loop, q, v, tick, begin)
                if status != 0:
                    return status
            now[SAMPLED] = 1
        if tick >= now[UNTIL]:
            return DONE
        if now[STEP] == 0:
            _plan_interval(loop)
        h = ((now[NEXT] - tick) * loop.clock[0] / loop.clock[1]) / now[STEPS]
        while now[STEP] < now[STEPS]:
            due_row = now[STEP] == 0 and every > 0 and (tick % every == 0 or tick == now[START])
            logged = every == 0 or due_row
            if logged and now[ROWS] >= len(loop.log):
                return FULL
            t = begin + now[STEP] * h
            if t >= loop.pause[0]:
                return PAUSED
            status = step(tree, work, loop, q, v, t, h, logged)
            if status != 0:
                return status
            now[STEP] += 1
        now[TICK] = now[NEXT]
        now[STEP] = 0
        now[SAMPLED] = 0


@loop_kernel
def perform(tree, work, loop, task, q, v, tick, t, qdot, vdot):
    """Go on, find the right-hand side at t (and log it), or sample at a tick, as asked; return the status."""
    if task == STRETCH:
        return stretch(tree, work, loop, q, v)
    if task == SAMPLE:
        return sample(tree, work, loop, q, v, tick, t)
    status = right_side(tree, work, loop, q, v, t, qdot, vdot)
    if task == ROW and status == 0:
        write_row(loop, q, v, t)
    return status


@loop_kernel
def enter(handle, rows, task, q, v, tick, t, qdot, vdot):
    """Call `perform` on a handle and the row of a loop: one door, so that the loop is compiled once."""
    return perform(tree_of(handle), work_of(handle, q), loop_of(rows, q), task, q, v, tick, t, qdot, vdot)
