"""Steps of a compiled method's own to a time, and what all stretches of steps share.

The error of a step of a method's own is measured as

    max_k |h Σ e_i k_i|_k / (atol_k + rtol size_k)

with size_k the largest number, at both ends of the step, of the group that entry k of y = [q; v] belongs to: numbers
of one kind of one body (`step_schedule`). The next step is h · 0.9 ε^(-0.7/p) ε_before^(0.4/p), p one above the order
of the estimate (Gustafsson's PI control), between 0.2 h and 5 h, and h itself where that is no more than 1.2 h.
"""

from __future__ import annotations

from collections import namedtuple
from types import FunctionType

import numpy as np

from interstage.multibody.kernels.algebra import about_axis, cross, dot, kernel, turn_back
from interstage.multibody.kernels.array_access import get9

NEAR_LOCK = 0.2  # volume of the axes of a gimbal beside its largest
SHORTEST = 1e-13  # step beside the time to reach, below which a method does not get on
STUCK = 1  # status: the steps of a method have become too short

# group (n,) of each entry of y, -1: its size is one;  floor (n,) atol of each;  size (groups,) scratch
Tolerance = namedtuple("Tolerance", ["group", "floor", "size"])

# places in the vector `pace`: time, step to try next, error of the last step, whether its end slope is the first
# slope of the next one, steps tried
TIME, STEP, ERROR, KNOWN, TRIED = range(5)


def take_step(tree, work, m, loop, t, y, h, s, known):
    """Stand for the step kernel of a family (`explicit_step`, `w_step`), which `Flights` puts in its place."""
    raise NotImplementedError


@kernel
def gimbal_travel(tree, y, h, i):
    """Return how far the joint of body i, a gimbal near lock, goes in a step: the largest |q̇| h; else 0.

    The axes a, b, c span R_b'a · (b×c) of their largest volume |a×b| |b×c|: for x, y, z the cosine of the middle angle.
    """
    axes, iq, iv = get9(tree.joint_axes, i), tree.joint_q[i], tree.sizes[3] + tree.joint_v[i]
    a, b, c = (axes[0], axes[1], axes[2]), (axes[3], axes[4], axes[5]), (axes[6], axes[7], axes[8])
    first, last = cross(a, b), cross(b, c)
    volume = dot(turn_back(about_axis(b, y[iq + 1].real), a), last)
    if volume * volume > NEAR_LOCK**2 * dot(first, first) * dot(last, last):
        return 0.0
    return h * max(abs(y[iv]), max(abs(y[iv + 1]), abs(y[iv + 2])))


@kernel
def misfit(tolerance, rtol, m, y, h, s):
    """Return the error of a step from y to s.z, one where it is what is allowed."""
    group, floor, size = tolerance.group, tolerance.floor, tolerance.size
    for k in range(len(size)):
        size[k] = 0.0
    for k in range(len(y)):
        j = group[k]
        if j >= 0:
            size[j] = max(size[j], max(abs(y[k]), abs(s.z[k])))
    worst = 0.0
    for k in range(len(y)):
        error = 0.0
        for i in range(len(m.error)):
            error += m.error[i] * s.K[i, k]
        scale = size[group[k]] if group[k] >= 0 else 1.0
        error = abs(h * error) / (floor[k] + rtol * scale)
        if not error <= worst:  # NaN comes through
            worst = error
            if worst != worst:
                return worst
    return worst


@kernel
def next_step(t, h, stop):
    """Return the step to take from t: h, or what is left to `stop`; no crumb is left for another."""
    left = stop - t
    if left <= 1.01 * h:
        return left
    return min(h, 0.5 * left) if left < 2.0 * h else h


def reach(tree, work, m, loop, y, pace, stop, longest, rtol, power, tolerance, most, s, times, log, slopes):
    """Take steps of the method's own from y (changed in place) to the time `stop` exactly, at most `most` tries.

    pace : see above, carried from call to call;  power : 1/p of the control
    times (r,), log (r, n), slopes (r, stages, n) or (0, ...) : end and slopes of each step that was taken
    Returns (status, steps taken).
    """
    taken, tried, refused = 0, 0, False
    while taken < len(times) and tried < most and pace[TIME] < stop:
        t = pace[TIME]
        h = next_step(t, min(pace[STEP], longest), stop)
        last = t + h >= stop or h == stop - t
        status = take_step(tree, work, m, loop, t, y, h, s, pace[KNOWN] != 0.0)
        error = np.inf
        if status == 0:
            error = misfit(tolerance, rtol, m, y, h, s)
        tried += 1
        pace[TRIED] += 1.0
        if not error <= 1.0:
            pace[KNOWN] = 0.0
            pace[STEP] = h * (max(0.2, 0.9 * error ** (-power)) if error < 1e300 else 0.2)
            refused = True
            if pace[STEP] < SHORTEST * (1.0 + abs(stop)):
                return (status if status != 0 else STUCK), taken
            continue
        error = max(error, 1e-10)
        factor = 0.9 * error ** (-0.7 * power) * pace[ERROR] ** (0.4 * power)
        factor = min(1.0 if refused else 5.0, max(0.2, factor))
        if not (factor < 1.0 or factor > 1.2):
            factor = 1.0
        # a step cut short by the time to reach says little of the next one
        pace[STEP] = max(h * factor, pace[STEP]) if last and h < pace[STEP] else h * factor
        pace[ERROR], refused = error, False
        pace[TIME] = stop if last else t + h
        times[taken] = pace[TIME]
        for k in range(len(y)):
            y[k] = s.z[k]
            log[taken, k] = y[k]
        if len(slopes) > 0:
            for i in range(len(s.K)):
                for k in range(len(y)):
                    slopes[taken, i, k] = s.K[i, k]
        if len(m.c) + 1 == len(s.K):
            for k in range(len(y)):
                s.K[0, k] = s.K[-1, k]
            pace[KNOWN] = 1.0
        taken += 1
    return 0, taken


def bound(loop, owner, make=kernel, **names):
    """Return a loop (or a kernel) as a kernel of its own, in which names stand for other kernels."""
    plain = getattr(loop, "py_func", loop)
    own = FunctionType(plain.__code__, {**plain.__globals__, **names}, plain.__name__)
    own.__qualname__, own.__module__, own.__doc__ = (
        f"{owner}_{plain.__name__}",
        plain.__module__,
        plain.__doc__,
    )
    return make(own)
