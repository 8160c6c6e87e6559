"""Stretches of a flight in compiled code, by the step of any family of methods: from one due tick to the next.

Between two due ticks fixed steps are equal, none longer than what was asked for; steps of a method's own end at the
tick exactly. Every step begins with the slope where it starts, so that the row of the log there has all signals.

The steps are those of vehicles alone (`step_kernels`): here they go by the right-hand side of the closed loop.
In a W-method the shift acts on modes and joint springs as ever; states and forces of devices have no part in A, which
its order does not mind. What devices feel in its stages are the slopes of these; where a row or a sample shows
accelerations, forward dynamics is asked without the shift.
"""

from __future__ import annotations

import numpy as np

from interstage.jit import COMPILED, compile_for
from interstage.multibody.address_table import HANDLE_DTYPE, tree_of, work_of
from interstage.simulation.plant.coupled_arrays import loop_of
from interstage.simulation.plant.coupled_kernels import (
    BEFORE,
    END,
    FEELS,
    FELT,
    HALT,
    HALT_AT,
    LOG_EVERY,
    NEXT,
    RAISED,
    ROWS,
    SAMPLED,
    SINGLE,
    START,
    STEP,
    STEPS,
    TICK,
    due,
    enter,
    finish,
    groups_full,
    hold_masses,
    loop_kernel,
    might_cross,
    respond,
    sample,
    slope,
    weigh_midway,
    write_row,
)
from interstage.simulation.run.integrators import step_kernels as lean
from interstage.simulation.run.integrators.step_control import (
    KNOWN,
    TIME,
    TRIED,
    Tolerance,
    bound,
    gimbal_travel,
    reach,
)
from interstage.simulation.run.integrators.step_kernels import (
    Coefficients,
    Scratch,
    Tableau,
    explicit_step,
    just_after,
    shift_for,
    w_step,
)

if COMPILED:
    from interstage.compiled import address, matrix_at, vector_at, word

STRETCH, RIGHT_SIDE, SAMPLE, ROW, ONE_STEP, ARRIVE, GO_ON = range(7)
# how a stretch ends; other numbers are those of forward dynamics
DONE, FULL, PAUSED, STEPPED, TIMED = 0, 10**6, 10**6 + 1, 10**6 + 2, 10**6 + 3
# loop.pace, after what `step_control` has there: time at which the interval began, length of its steps, time whose row
# is in the log already, time at which the last step began
BEGIN, LENGTH, LOGGED, BACK = TRIED + 1, TRIED + 2, TRIED + 3, TRIED + 4
PACE = BACK + 1
# loop.limits: longest step, rtol, power of the control of a method's own steps
LONGEST, RTOL, POWER = range(3)
MOST = FAR = 1 << 40
SLACK = 1e-12  # times nearer to each other than this, relative, are one
FIRST = True  # the slope at the beginning is the first of the step; stands for that of a family


def take_step(tree, work, m, loop, t, y, h, s, known):
    """Stand for the step kernel of a family, which `Flights` puts in its place."""
    raise NotImplementedError


def level(tree, work, loop):
    """Stand for what takes an implicit shift away."""
    raise NotImplementedError


def stand(tree, work, loop, t, y, whole):
    """Bring all signals to y at t, and (where `whole`) its slope to K[0]. Return the status."""
    if whole:
        level(tree, work, loop)
        return slope(tree, work, loop, t, y, loop.K[0])
    enter(tree, work, loop, t, y)
    return RAISED if loop.flag[0] != 0 else 0


def interval(tree, work, m, loop, y):
    """Stand for what goes on to the end of an interval; returns 0 there."""
    raise NotImplementedError


@loop_kernel
def no_shift(tree, work, loop):
    """Do nothing: explicit methods shift nothing."""


@loop_kernel
def without_shift(tree, work, loop):
    """Take the implicit shift away."""
    if loop.shifted[0] != 0.0:
        shift_for(tree, work, 0.0)
        loop.shifted[0] = 0.0


@loop_kernel
def row_due(loop):
    """Return whether the state at the present time goes to the log."""
    now, every = loop.now, loop.option[LOG_EVERY]
    begins = every > 0 and loop.pace[TIME] == now[TICK] * loop.clock[0] / loop.clock[1]
    if loop.pace[TIME] == loop.pace[LOGGED]:
        return False
    return every == 0 or (begins and (now[TICK] % every == 0 or now[TICK] == now[START]))


@loop_kernel
def interval_end(loop):
    """Return the time at which the interval ends."""
    return loop.now[NEXT] * loop.clock[0] / loop.clock[1]


@loop_kernel
def target(loop):
    """Return the time at which the steps of the interval end: its end, or where they shall end before."""
    end, stop = interval_end(loop), min(loop.pause[HALT_AT], loop.pause[END])
    return stop if stop < end - SLACK * (1.0 + abs(end)) else end


@loop_kernel
def come_to(loop, time):
    """Return whether the present time is another, or later."""
    t = loop.pace[TIME]
    return time <= t + SLACK * (1.0 + abs(t))


@loop_kernel
def crumb(loop, t):
    """Return how near to each other two times around t are one, on the grid of equal steps."""
    return 1e-9 * loop.pace[LENGTH] + 1e-15 * abs(t)


@loop_kernel
def find_step(loop):
    """Find between which points of the grid of the interval the present time is."""
    now, pace = loop.now, loop.pace
    t, end = pace[TIME], interval_end(loop)
    if end - t <= SLACK * (1.0 + abs(end)):
        now[STEP] = now[STEPS]
        pace[TIME] = end
    else:
        now[STEP] = max(0, int(np.floor((t + crumb(loop, t) - pace[BEGIN]) / pace[LENGTH])))


@loop_kernel
def head_for(loop, t):
    """Stand at a time inside the interval: equal steps go back to their grid from there."""
    loop.pace[KNOWN] = 0.0
    loop.pace[TIME] = t
    if loop.now[NEXT] > loop.now[TICK]:  # an interval is on its way
        find_step(loop)


@loop_kernel
def next_stop(loop, end):
    """Return the time at which the next equal step ends, its length, and whether it ends on the grid."""
    now, pace = loop.now, loop.pace
    t, k, h = pace[TIME], now[STEP], pace[LENGTH]
    ahead, near = interval_end(loop) if k + 1 == now[STEPS] else pace[BEGIN] + (k + 1) * h, crumb(loop, t)
    if end < ahead - near:
        return end, end - t, False
    return min(ahead, end), h if abs(t - pace[BEGIN] - k * h) <= near else ahead - t, True


def ready(tree, work, loop, y):
    """Stand where a step begins and log it; return 0, how a stretch ends there, or a status."""
    t, pace, logged = loop.pace[TIME], loop.pace, row_due(loop)
    if logged and loop.now[ROWS] >= len(loop.log):
        return FULL
    if t >= loop.pause[BEFORE]:
        return PAUSED
    if pace[KNOWN] == 0.0 and (FIRST or (logged and len(loop.log_s) > 0)):
        status = stand(tree, work, loop, just_after(t), y, FIRST or loop.option[FELT] != 0)
        if status != 0:
            return status
        pace[KNOWN] = 1.0
    if logged:
        write_row(loop, y, t)
    return 0


def remember(loop, y):
    """Keep where a step begins, if it may be looked into."""
    if loop.option[SINGLE] != 0 or len(loop.watch) > 0:
        loop.pace[BACK] = loop.pace[TIME]
        for k in range(len(y)):
            loop.back[k] = y[k]


def looked_into(tree, work, loop, y):
    """Return 0 after a step into which nobody looks, `STEPPED` where an event might be in it, or a status."""
    pace = loop.pace
    if loop.option[SINGLE] != 0:
        return STEPPED
    if len(loop.watch) == 0:
        return 0
    if pace[KNOWN] == 0.0 and not np.all(loop.watch_state != 0):
        status = stand(tree, work, loop, just_after(pace[TIME]), y, FIRST or loop.option[FELT] != 0)
        if status != 0:
            return status
        pace[KNOWN] = 1.0
    return STEPPED if might_cross(loop, y, pace[TIME] - pace[BACK]) else 0


def fixed_interval(tree, work, m, loop, y):
    """Take equal steps on the grid of the interval, shorter ones to where they shall end off it and back."""
    now, pace, end = loop.now, loop.pace, target(loop)
    s = Scratch(loop.K, loop.stage, loop.u, loop.force, loop.shifted)
    while now[STEP] < now[STEPS] and end - pace[TIME] > crumb(loop, end):
        status = ready(tree, work, loop, y)
        if status != 0:
            return status
        remember(loop, y)
        stop, h, whole = next_stop(loop, end)
        for k in range(len(tree.gimbals)):
            far = gimbal_travel(tree, y, h, tree.gimbals[k])
            if far > loop.near[0, k]:
                loop.near[0, k] = far
                loop.near[1, k] = pace[TIME]
        status = take_step(tree, work, m, loop, pace[TIME], y, h, s, FIRST)
        if status != 0:
            return status
        for k in range(len(y)):
            y[k] = s.z[k]
        pace[KNOWN] = 0.0
        if whole:
            now[STEP] += 1
        pace[TIME] = stop
        status = looked_into(tree, work, loop, y)
        if status != 0:
            return status
    pace[TIME] = end
    return TIMED if come_to(loop, loop.pause[HALT_AT]) else 0


@loop_kernel
def next_corner(corners, t, end):
    """Return the first of some rising times after t, or an end before it."""
    low, high = 0, len(corners)
    while low < high:
        middle = (low + high) // 2
        if corners[middle] > t + SLACK * (1.0 + abs(t)):
            high = middle
        else:
            low = middle + 1
    if low < len(corners) and corners[low] < end - SLACK * (1.0 + abs(end)):
        return corners[low]
    return end


@loop_kernel
def at_corner(corners, t):
    """Return whether a time is one of some rising times."""
    near = SLACK * (1.0 + abs(t))
    low, high = 0, len(corners)
    while low < high:
        middle = (low + high) // 2
        if corners[middle] < t - near:
            low = middle + 1
        else:
            high = middle
    return low < len(corners) and corners[low] <= t + near


def own_interval(tree, work, m, loop, y):
    """Take steps of the method's own to the end of the interval, as many at once as there is room for."""
    pace, limits = loop.pace, loop.limits
    s = Scratch(loop.K, loop.stage, loop.u, loop.force, loop.shifted)
    tolerance = Tolerance(loop.group, loop.floor, loop.size)
    end = target(loop)
    while pace[TIME] < end:
        status = ready(tree, work, loop, y)
        if status != 0:
            return status
        remember(loop, y)
        stop = next_corner(loop.corners, pace[TIME], end)
        status, taken = reach(
            tree, work, m, loop, y, pace, stop, limits[LONGEST], limits[RTOL], limits[POWER],
            tolerance, MOST, s, loop.times, loop.ends, loop.slopes,
        )  # fmt: skip
        loop.now[STEP] += taken
        if not FIRST or (pace[TIME] >= stop and at_corner(loop.corners, stop)):
            pace[KNOWN] = 0.0  # the slope of the last end is that before a jump
        if status != 0:
            return status
        status = looked_into(tree, work, loop, y)
        if status != 0:
            return status
    return TIMED if come_to(loop, loop.pause[HALT_AT]) else 0


@loop_kernel
def plan_interval(loop):
    """Find the next tick at which something is due, and the grid of equal steps from the last one to it.

    Neither the start nor the end of the run moves the grid: it is that of a run from zero. Where nothing is ever due
    a tick is a step.
    """
    now, pace = loop.now, loop.pace
    tick, last, nearest = now[TICK], 0, now[TICK] + FAR
    for k in range(len(loop.sample_next)):
        nearest = min(nearest, loop.sample_next[k])
        before = loop.sample_next[k] - loop.sample_every[k]
        if before >= loop.sample_first[k]:
            last = max(last, before)
    every = loop.option[LOG_EVERY]
    if every > 0:
        last = max(last, tick // every * every)
        nearest = min(nearest, (tick // every + 1) * every)
    now[NEXT] = nearest
    pace[BEGIN] = last * loop.clock[0] / loop.clock[1]
    if nearest == tick + FAR:
        now[STEPS], pace[LENGTH] = nearest - last, loop.clock[0] / loop.clock[1]
    else:
        # ticks · num/den seconds over the longest step, a fraction too: whole numbers decide
        ticks = (nearest - last) * loop.ratio[0]
        now[STEPS] = -(-ticks // loop.ratio[1])
        pace[LENGTH] = ((nearest - last) * loop.clock[0] / loop.clock[1]) / now[STEPS]
    find_step(loop)


def sampled(tree, work, loop, y, tick):
    """Run the samples of a tick. Return the status."""
    t = tick * loop.clock[0] / loop.clock[1]
    status = 0
    # where all signals are those of here, or the tick is on its way, nothing is asked anew
    if loop.inside[0] == 0 and (len(loop.watch) == 0 or loop.pace[KNOWN] == 0.0):
        status = stand(tree, work, loop, t, y, loop.option[FEELS] != 0)
    loop.pace[KNOWN] = 0.0
    return sample(loop, tick, t) if status == 0 else status


def stretch(tree, work, m, loop, y):
    """Go on until the end (`DONE`), until a buffer of the log is full (`FULL`), or something fails."""
    now, pace = loop.now, loop.pace
    while True:
        tick, over = now[TICK], come_to(loop, loop.pause[END])
        if over and loop.option[HALT] != 0:
            return DONE
        if now[NEXT] <= tick:  # no interval on its way
            if now[SAMPLED] == 0:
                if due(loop, tick):
                    if groups_full(loop):
                        return FULL
                    status = sampled(tree, work, loop, y, tick)
                    if status != 0:
                        return status
                now[SAMPLED] = 1
            if over:
                return DONE
            plan_interval(loop)
        status = interval(tree, work, m, loop, y)
        if status != 0:
            return status
        if not come_to(loop, interval_end(loop)):
            return DONE  # at an end between ticks
        now[TICK] = now[NEXT]
        now[SAMPLED] = 0
        pace[TIME] = interval_end(loop)


def perform(tree, work, m, loop, task, q, v, tick, t, qdot, vdot):
    """Go on, find the right-hand side at t (and log it), sample at a tick, take one step of length t, bring q and v
    to where they belong at t, or stand at t inside the present interval; as asked.

    States of devices are in `loop.z`, their derivatives in `loop.zdot`. Returns the status.
    """
    y, nq, n = loop.y, len(q), len(q) + len(v)
    if task == GO_ON:
        head_for(loop, t)
        return 0
    for k in range(nq):
        y[k] = q[k]
    for k in range(len(v)):
        y[nq + k] = v[k]
    for k in range(len(loop.z)):
        y[n + k] = loop.z[k]
    if task in (RIGHT_SIDE, ROW):
        loop.pace[KNOWN] = 0.0
        status = stand(tree, work, loop, t, y, True)
        for k in range(nq):
            qdot[k] = loop.K[0, k]
        for k in range(len(v)):
            vdot[k] = loop.K[0, nq + k]
        if task == ROW and status == 0:
            write_row(loop, y, t)
        return status
    if task == SAMPLE:
        return sampled(tree, work, loop, y, tick)
    if task == ARRIVE:
        status = finish(tree, work, loop, t, y)
    elif task == ONE_STEP:
        loop.pace[KNOWN] = 0.0
        s = Scratch(loop.K, loop.stage, loop.u, loop.force, loop.shifted)
        status = take_step(tree, work, m, loop, loop.pace[TIME], y, t, s, False)
        for k in range(len(y)):
            y[k] = s.z[k]
    else:
        status = stretch(tree, work, m, loop, y)
    for k in range(nq):
        q[k] = y[k]
    for k in range(len(v)):
        v[k] = y[nq + k]
    for k in range(len(loop.z)):
        loop.z[k] = y[n + k]
    return status


def enter_flight(handle, rows, m, task, q, v, tick, t, qdot, vdot):
    """Call `perform` on a handle and the row of a loop: one door, so that the loop is compiled once."""
    return perform(tree_of(handle), work_of(handle, q), m, loop_of(rows, q), task, q, v, tick, t, qdot, vdot)


def enter_tableau(handle, rows, data, task, q, v, tick, t, qdot, vdot):
    """Call `perform` of an explicit method with addresses and numbers alone: the door for other languages.

    handle, rows, data : of the first slots of vehicle, loop and method;  q, v, qdot, vdot : of their first numbers
    """
    tree = tree_of(handle)
    like, nq, nv = tree.gravity, tree.sizes[3], tree.sizes[4]
    m = Tableau(
        matrix_at(word(data, 0), word(data, 1), word(data, 2), like),
        vector_at(word(data, 4), word(data, 5), like),
        vector_at(word(data, 8), word(data, 9), like),
    )
    return perform(
        tree, work_of(handle, like), m, loop_of(rows, like), task, vector_at(q, nq, like), vector_at(v, nv, like),
        tick, t, vector_at(qdot, nq, like), vector_at(vdot, nv, like),
    )  # fmt: skip


def enter_coefficients(handle, rows, data, task, q, v, tick, t, qdot, vdot):
    """Call `perform` of a W-method as `enter_tableau` does that of an explicit one."""
    tree = tree_of(handle)
    like, nq, nv = tree.gravity, tree.sizes[3], tree.sizes[4]
    m = Coefficients(
        matrix_at(word(data, 0), word(data, 1), word(data, 2), like),
        matrix_at(word(data, 4), word(data, 5), word(data, 6), like),
        vector_at(word(data, 8), word(data, 9), like),
        vector_at(word(data, 12), word(data, 13), like),
    )
    return perform(
        tree, work_of(handle, like), m, loop_of(rows, like), task, vector_at(q, nq, like), vector_at(v, nv, like),
        tick, t, vector_at(qdot, nq, like), vector_at(vdot, nv, like),
    )  # fmt: skip


# what steps meet, by name: a vehicle with devices, and one without, which compiles in half the time
WITH_DEVICES = {"slope": slope, "enter": enter, "respond": respond, "finish": finish, "sample": sample}
WITH_DEVICES |= {"hold_masses": hold_masses, "weigh_midway": weigh_midway}
LEAN = {"slope": lean.slope, "enter": lean.enter, "respond": lean.respond, "finish": finish}
LEAN |= {"sample": lean.no_samples, "hold_masses": lean.hold_masses, "weigh_midway": lean.weigh_midway}


class Flights:
    """Stretches of flights by the step kernel of one family of methods, with fixed steps or with its own."""

    def __init__(self, step, level, first, enter):
        self._step, self._names, self._enter = step, {"level": level, "FIRST": first}, enter
        self._doors, self._entries = {}, {}

    def _made(self, without, own):
        """Return the door that takes addresses, and `perform` that takes tuples, for one kind of run."""
        name = f"{'run' if without else 'flight'}_{self._step.__name__}"
        names = {**self._names, **(LEAN if without else WITH_DEVICES)}
        names["take_step"] = bound(self._step, name, loop_kernel, **names)
        for function in (stand, remember, looked_into, ready, sampled):
            names[function.__name__] = bound(function, name, loop_kernel, **names)
        label = f"{name}_{'own' if own else 'fixed'}"
        if own:
            names["reach"] = bound(reach, name, loop_kernel, **names)
        names["interval"] = bound(own_interval if own else fixed_interval, label, loop_kernel, **names)
        for function in (stretch, perform):
            names[function.__name__] = bound(function, label, loop_kernel, **names)
        return bound(enter_flight, label, loop_kernel, **names), names["perform"]

    def _door(self, without, own):
        if (without, own) not in self._doors:
            self._doors[without, own] = self._made(without, own)
        return self._doors[without, own]

    def door(self, without=False, own=False):
        """Return the kernel that takes addresses: `without` devices, by steps of the method's `own`."""
        return self._door(without, own)[0]

    def entry(self, without=False, own=False):
        """Return the address of `perform` as other languages call it (`enter_tableau`), compiled or from disk."""
        if (without, own) not in self._entries:
            door, plain = self._door(without, own)
            label = door.py_func.__qualname__.removesuffix(f"_{enter_flight.__name__}")
            self._entries[without, own] = bound(self._enter, label, make=lambda made: made, perform=plain)
        return address(self._entries[without, own], "nnnnnnndnn", np.dtype(float), "int64")

    def compile(self, m, dtype, without=False, own=False):
        """Compile it for a number type, or load it from disk; m : numbers of the method."""
        x, rows = np.zeros(1, dtype), np.zeros(1, np.int64)
        compile_for(self.door(without, own), rows.view(HANDLE_DTYPE), rows, m, STRETCH, x, x, 0, 0.0, x, x)

    def perform(self, lent, loop, rows, without, own, *arguments):
        """Call `perform` on scratch that is lent, a loop and the row of its arrays.

        without : the vehicle has no devices;  own : by steps of the method's own
        """
        door, plain = self._door(without, own)
        m, *others = arguments
        if COMPILED:
            return door(lent.ready(door), rows, m, *others)
        return plain(lent.tree, lent.work, m, loop, *others)


EXPLICIT = Flights(explicit_step, no_shift, True, enter_tableau)
WMETHOD = Flights(w_step, without_shift, False, enter_coefficients)
