"""One sample of a batch: its numbers, its steps, its law, where it stops, and what is kept of it.

All that differs from sample to sample is one vector `own`: the state, the loads, the law, and those of the vehicle's
constants that are dispersed. It begins as `base`, in which the numbers of column k of the table are put, or by which
they are multiplied. The steps are those of `system.run.integrators.step_kernels`, on the same engine.
"""

from __future__ import annotations

from collections import namedtuple

import numpy as np

from interstage.multibody.address_table import tree_of, work_of
from interstage.multibody.kernels.algebra import inlined, is_finite, kernel
from interstage.multibody.kernels.body_inertia import prepare
from interstage.multibody.kernels.closure_forces import project
from interstage.multibody.kernels.constrained_forward import closed_forward as forward
from interstage.multibody.kernels.joints import normalize, rates
from interstage.simulation.run.integrators.step_control import bound, take_step

# base (n,): numbers of the nominal sample;  at, column (p,): entry of `own` and row of the table;  power (p,): 0 where
# the number is put there, else that of it which is a factor
Patches = namedtuple("Patches", ["base", "at", "column", "power"])

# x⁺ = A x + B e, u = C x + D e between low and high, e = reference - y[seen]; then load[push_at] is calm[push_at] plus
# the sum of push_weight u[push_from].  x, new (states,), u (outputs,): of the sample
Law = namedtuple(
    "Law",
    [
        "A",
        "B",
        "C",
        "D",
        "reference",
        "seen",
        "low",
        "high",
        "push_at",
        "push_from",
        "push_weight",
        "x",
        "new",
        "u",
    ],
)

# a sample stops where sign (y[at] - level) rises through zero
Stops = namedtuple("Stops", ["at", "level", "sign"])

# entries of [y; u]: at (h,) whose history is kept, reduced (r,) of which one number is, how (r,): see below
# before (r,): scratch, the last row
Keep = namedtuple("Keep", ["at", "reduced", "how", "before"])
FINAL, MAX, MIN, PEAK, MEAN, RMS = range(6)

# history (h, rows, samples), reduced (r, samples), end (samples,) time, status (samples,), stop (samples,) which, -1
Found = namedtuple("Found", ["history", "reduced", "end", "status", "stop"])

# what acts: load (nv + 10 k,) with the views tau (nv,) and wrenches (k, 10) at sites (k,)
# entries `to` (e,) of it change with time: still + scale (e,) times values (m, e), linear between times (m,)
Acts = namedtuple("Acts", ["load", "tau", "sites", "wrenches", "to", "still", "scale", "times", "values"])

STEPS, EVERY, HOLD = range(3)  # places in `counts`: steps in all, between rows, between samples of the law
NOT_FINITE = -1
HALVINGS = 60  # of the stretch in which a crossing lies
CLOSE = 1e-13  # of a step: crossings are found to this
WHOLE, LOOK, LAND = range(3)  # what a step is for: to go on, to find a crossing, to end just behind it


@kernel
def load_at(acts, t):
    """Write the loads that change with time as they are at t."""
    times, last = acts.times, len(acts.times) - 1
    if last >= 0:
        low, high = 0, last
        while high - low > 1:
            middle = (low + high) // 2
            if times[middle] <= t:
                low = middle
            else:
                high = middle
        part = 0.0
        if t >= times[high]:
            low = high
        elif t > times[low]:
            part = (t - times[low]) / (times[high] - times[low])
        for e in range(len(acts.to)):
            value = acts.values[low, e]
            value += part * (acts.values[high, e] - value)
            acts.load[acts.to[e]] = acts.still[e] + acts.scale[e] * value


@kernel
def enter(tree, work, acts, t, y):
    """Write what acts at t, and return the forces (nv,)."""
    load_at(acts, t)
    return acts.tau


@kernel
def note_still(acts):
    """Remember what of the loads stands still beneath what changes with time."""
    for e in range(len(acts.to)):
        acts.still[e] = acts.load[acts.to[e]]


@kernel
def restore_still(acts):
    """Take from the loads what changes with time."""
    for e in range(len(acts.to)):
        acts.load[acts.to[e]] = acts.still[e]


@kernel
def respond(tree, work, acts, t, y, force, k):
    """Write into k all of ẏ but q̇, for forces (nv,). Return the status."""
    nq = tree.sizes[3]
    return forward(tree, work, y[:nq], y[nq:], force, acts.sites, acts.wrenches, k[nq:])


@kernel
def slope(tree, work, acts, t, y, k):
    """Write ẏ into k. Return the status."""
    nq = tree.sizes[3]
    load_at(acts, t)
    rates(tree, y[:nq], y[nq:], k[:nq])
    return respond(tree, work, acts, t, y, acts.tau, k)


@kernel
def finish(tree, work, acts, t, y):
    """Bring the end of a step to where it belongs: unit quaternions, closures. Return the status."""
    nq = tree.sizes[3]
    normalize(tree, y[:nq])
    if len(tree.closure_site) > 0 and work.closure_option[0] != 0.0:
        return project(tree, work, y[:nq], y[nq:])
    return 0


@kernel
def begin(own, patches, table, k):
    """Write the numbers of sample k."""
    for j in range(len(own)):
        own[j] = patches.base[j]
    for p in range(len(patches.at)):
        value, power = table[patches.column[p], k], patches.power[p]
        if power == 1.0:
            value = value * own[patches.at[p]]
        elif power != 0.0:
            value = value**power * own[patches.at[p]]
        own[patches.at[p]] = value


@kernel
def command(law, y, calm, load):
    """Take one sample of the law and let it act."""
    n, m = len(law.x), len(law.seen)
    for i in range(len(law.u)):
        total = 0.0
        for j in range(n):
            total += law.C[i, j] * law.x[j]
        for j in range(m):
            total += law.D[i, j] * (law.reference[j] - y[law.seen[j]])
        law.u[i] = min(max(total, law.low[i]), law.high[i])
    for i in range(n):
        total = 0.0
        for j in range(n):
            total += law.A[i, j] * law.x[j]
        for j in range(m):
            total += law.B[i, j] * (law.reference[j] - y[law.seen[j]])
        law.new[i] = total
    for i in range(n):
        law.x[i] = law.new[i]
    for p in range(len(law.push_at)):
        load[law.push_at[p]] = calm[law.push_at[p]]
    for p in range(len(law.push_at)):
        load[law.push_at[p]] += law.push_weight[p] * law.u[law.push_from[p]]


@kernel
def entry(y, u, at):
    """Return an entry of [y; u]."""
    return y[at] if at < len(y) else u[at - len(y)]


@kernel
def note(keep, y, u, t, since, row, k, found):
    """Keep a row at time t, the last one at `since`; row -1 is one that histories do not have."""
    if row >= 0:
        for j in range(len(keep.at)):
            found.history[j, row, k] = entry(y, u, keep.at[j])
    for j in range(len(keep.reduced)):
        value, how = entry(y, u, keep.reduced[j]), keep.how[j]
        if how == PEAK:
            value = abs(value)
        elif how == RMS:
            value = value * value
        old = found.reduced[j, k]
        if row == 0:
            old = 0.0 if how >= MEAN else value
        elif how == FINAL or (how == MIN and value < old) or (how in (MAX, PEAK) and value > old):
            old = value
        elif how >= MEAN:
            old += 0.5 * (t - since) * (value + keep.before[j])
        keep.before[j] = value
        found.reduced[j, k] = old


@kernel
def close(keep, t, status, k, found):
    """Finish what is kept of a sample that ended at t; of one that failed nothing but its history is worth keeping."""
    for j in range(len(keep.reduced)):
        if status != 0:
            found.reduced[j, k] = np.nan
        elif keep.how[j] >= MEAN:
            mean = found.reduced[j, k] / t
            found.reduced[j, k] = np.sqrt(mean) if keep.how[j] == RMS else mean
    found.end[k] = t
    found.status[k] = status


@kernel
def height(stops, c, y):
    """Return how far condition c is risen at y: it holds from zero on."""
    return stops.sign[c] * (y[stops.at[c]] - stops.level[c])


@kernel
def next_risen(stops, c, y, z):
    """Return the first condition after c that is below zero at y and no longer at z, or how many there are."""
    c += 1
    while c < len(stops.at) and not (height(stops, c, y) < 0.0 and not height(stops, c, z) < 0.0):
        c += 1
    return c


@inlined
def narrowed(bracket, middle, value):
    """Return a bracket (left, right, low, high, side) with the value in it put in: regula falsi, form of Illinois."""
    left, right, low, high, side = bracket
    if value < 0.0:
        return middle, right, value, high * 0.5 if side < 0.0 else high, -1.0
    return left, middle, low * 0.5 if side > 0.0 else low, value, 1.0


@inlined
def next_middle(bracket):
    """Return where to look next in a bracket."""
    left, right, low, high, _ = bracket
    middle = right - high * (right - left) / (high - low)
    return middle if middle > left and middle < right else 0.5 * (left + right)


def fly(tree, work, m, acts, calm, load, law, stops, keep, counts, h, y, s, k, found):
    """Fly sample k, whose numbers stand in y, calm, the law and the vehicle.

    Where a condition rises in a step, partial steps from its begin (`LOOK`) close in on the time, and one more (`LAND`)
    goes just behind it. All steps are taken in one place: a compiler sees the engine once.
    """
    steps, every, hold = counts[STEPS], counts[EVERY], counts[HOLD]
    t, since, near, status, stop, done = 0.0, 0.0, h, 0, -1, 0
    phase, length, c, tries, bracket = WHOLE, h, -1, 0, (0.0, h, 0.0, 0.0, 0.0)
    s.shifted[0] = 0.0
    normalize(tree, y[: tree.sizes[3]])
    for i in range(len(load)):
        load[i] = calm[i]
    note_still(acts)
    for i in range(len(law.x)):
        law.x[i] = 0.0
    while phase != WHOLE or (done < steps and stop < 0):
        if phase == WHOLE:
            t, length, c = done * h, h, -1
            if hold > 0 and done % hold == 0:
                restore_still(acts)
                command(law, y, calm, load)
                note_still(acts)
            if done % every == 0:
                note(keep, y, law.u, t, since, done // every, k, found)
                since = t
        status = take_step(tree, work, m, acts, t, y, length, s, False)
        if phase == WHOLE:
            if status == 0 and not is_finite(s.z):
                status = NOT_FINITE
            if status != 0:
                break
        elif phase == LOOK:
            if status == 0:
                bracket = narrowed(bracket, length, height(stops, c, s.z))
            else:
                tries = HALVINGS
        elif stop < 0 or bracket[1] < near:
            near, stop = bracket[1], c
        if phase != LOOK:
            c = next_risen(stops, c, y, s.z)
            if c == len(stops.at):
                for i in range(len(y)):
                    y[i] = s.z[i]
                done += 1
                phase = WHOLE
                continue
            bracket, tries = (0.0, near, height(stops, c, y), height(stops, c, s.z), 0.0), 0
        if tries == HALVINGS or bracket[3] == 0.0 or bracket[1] - bracket[0] <= CLOSE * h:
            phase, length = LAND, bracket[1]
        else:
            phase, length = LOOK, next_middle(bracket)
            tries += 1
    if phase == WHOLE and status != 0:
        close(keep, t, status, k, found)
    else:
        t = (done - 1) * h + near if stop >= 0 else steps * h
        whole = near == h and done % every == 0
        note(keep, y, law.u, t, since, done // every if whole else -1, k, found)
        close(keep, t, 0, k, found)
    found.stop[k] = stop


def fly_range(
    tree, work, m, acts, calm, load, law, stops, keep, counts, h, y, s, found, own, patches, table, span
):
    """Fly samples span[0] to span[1], one after the other; span[0] tells on the way which is next."""
    while span[0] < span[1]:
        k = span[0]
        begin(own, patches, table, k)
        prepare(tree, work)
        fly(tree, work, m, acts, calm, load, law, stops, keep, counts, h, y, s, k, found)
        span[0] = k + 1


def enter_range(
    handle, m, acts, calm, load, law, stops, keep, counts, h, y, s, found, own, patches, table, span
):
    """Call `fly_range` on a handle."""
    tree, work = tree_of(handle), work_of(handle, y)
    fly_range(
        tree, work, m, acts, calm, load, law, stops, keep, counts, h, y, s, found, own, patches, table, span
    )


class Flyers:
    """What flies samples by the step kernel of one family of methods, compiled when used."""

    def __init__(self, step):
        name = step.__name__
        step = bound(step, "batch", enter=enter, respond=respond, slope=slope, finish=finish)
        self.one = bound(fly, name, take_step=step)
        self.plain = bound(fly_range, name, fly=self.one)
        self.entered = bound(enter_range, name, fly_range=self.plain)
