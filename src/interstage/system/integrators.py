"""Fixed-step integrators as compiled loops over the kernels of `multibody`.

RK4 is the classical method; it needs h below 2.8/ω_max of the fastest mode.

ROS2 is a linearly implicit method of order 2 (Verwer et al., SIAM J. Sci. Comput. 20, 1999, 1456) used as a
W-method: the Jacobian is replaced by the diagonal stiffness K and damping C of modes and joint springs, which
keeps order 2 and makes stiff modes harmless. With γ = 1 - 1/√2 and D = M + γhC + γ²h²K each stage solves

    D k1v = f(q, v) - γh K v,                                     k1q = v + γh k1v
    D k2v = f(q₂, v₂) - γh K v₂ + 2γh(K k1q + C k1v) + 2γ²h² K k1v,   k2q = v₂ - 2γh k1v + γh k2v
    q₂ = q + h k1q, v₂ = v + h k1v,      q, v += ½h(k1 + k2)

by the same linear-cost recursion: the additions to the diagonal of M go to `work.shift`.
Quaternions follow q̇ = N(q) v and are brought back to unit length after each step.

Inputs that change with time (loads, prescribed motions, masses) come as tables of their values at the
beginning, middle and end of each step (`Feed`), so that every stage sees them at its own time and no Python
runs inside the loops. Coordinates and velocities of prescribed joints are written, not integrated.
"""

from __future__ import annotations

from collections import namedtuple

import numpy as np

from interstage.jit import COMPILED
from interstage.multibody.arrays import Tree
from interstage.multibody.engine import Scratch
from interstage.multibody.handle import tree_of, work_of
from interstage.multibody.kernels.closure import closed_forward as forward
from interstage.multibody.kernels.closure import project
from interstage.multibody.kernels.joints import normalize, rates
from interstage.multibody.kernels.small import about_axis, cross, dot, get9, kernel, turn_back

GAMMA = 1.0 - np.sqrt(0.5)
NEAR_LOCK = 0.2  # volume of the axes of a gimbal beside its largest

# tau (R, nv): forces, and accelerations at joints that are not free; q (R, len(q_slots)) and v (R, len(v_slots))
# of prescribed joints; inertia (R, len(bodies), 10) of bodies whose mass changes; wrenches (R, k, 10), or none where
# they do not change. R = 2 steps + 1, or 0: no tables.
Feed = namedtuple("Feed", ["tau", "q_slots", "q", "v_slots", "v", "bodies", "inertia", "wrenches"])


def no_feed(nv: int) -> Feed:
    """Return tables without rows: loads are constant, nothing is prescribed."""
    none = np.zeros(0, dtype=np.int64)
    empty = np.zeros((0, 0)), np.zeros((0, 0, 10))
    return Feed(np.zeros((0, nv)), none, empty[0], none, empty[0], none, empty[1], empty[1])


@kernel
def take(work, feed, row, x, y, wrenches):
    """Write row `row` of the tables into masses, coordinates x, velocities y and wrenches."""
    for k in range(len(feed.q_slots)):
        x[feed.q_slots[k]] = feed.q[row, k]
    for k in range(len(feed.v_slots)):
        y[feed.v_slots[k]] = feed.v[row, k]
    for k in range(len(feed.bodies)):
        for j in range(10):
            work.body_inertia[feed.bodies[k], j] = feed.inertia[row, k, j]
    if len(feed.wrenches) > 0:
        for k in range(len(wrenches)):
            for j in range(6):
                wrenches[k, j] = feed.wrenches[row, k, j]


@kernel
def rk4_step(tree, work, q, v, tau, sites, wrenches, h, s, feed, row):
    """Advance q and v in place by one classical Runge-Kutta step; s is (8, max(nq, nv)) scratch. Return the status.

    row : first of the step's three rows in the tables
    """
    fed = len(feed.tau) > 0
    nq, nv = len(q), len(v)
    x, y, kq, kv, sum_q, sum_v = s[0][:nq], s[1][:nv], s[2][:nq], s[3][:nv], s[4][:nq], s[5][:nv]
    for k in range(nq):
        x[k] = q[k]
        sum_q[k] = 0.0
    for k in range(nv):
        y[k] = v[k]
        sum_v[k] = 0.0
    for stage in range(4):
        load = tau
        if fed:
            k = row + (stage + 1) // 2
            take(work, feed, k, x, y, wrenches)
            load = feed.tau[k]
        rates(tree, x, y, kq)
        status = forward(tree, work, x, y, load, sites, wrenches, kv)
        if status != 0:
            return status
        weight = h / 6.0 if stage == 0 or stage == 3 else h / 3.0
        ahead = h if stage == 2 else 0.5 * h
        for k in range(nq):
            sum_q[k] += weight * kq[k]
            x[k] = q[k] + ahead * kq[k]
        for k in range(nv):
            sum_v[k] += weight * kv[k]
            y[k] = v[k] + ahead * kv[k]
    for k in range(nq):
        q[k] += sum_q[k]
    for k in range(nv):
        v[k] += sum_v[k]
    if fed:
        take(work, feed, row + 2, q, v, wrenches)
    normalize(tree, q)
    return 0


@kernel
def keep_known(tree, work, load, force):
    """Put accelerations of joints that are not free back into a vector of forces."""
    for i in range(tree.sizes[0]):
        if work.joint_mode[i] != 0:
            for k in range(tree.joint_v[i], tree.joint_v[i] + tree.joint_nv[i]):
                force[k] = load[k]


@kernel
def ros2_step(tree, work, q, v, tau, sites, wrenches, h, s, feed, row):
    """Advance q and v in place by one ROS2 step; `work.shift` must hold γhC + γ²h²K. Return the status."""
    fed = len(feed.tau) > 0
    load = tau
    if fed:
        take(work, feed, row, q, v, wrenches)
        load = feed.tau[row]
    nq, nv = len(q), len(v)
    g = GAMMA * h
    x, y, kq, kv, jq, jv = s[0][:nq], s[1][:nv], s[2][:nq], s[3][:nv], s[4][:nq], s[5][:nv]
    force, mixed = s[6][:nv], s[7][:nv]
    K, C = tree.v_stiffness, tree.v_damping
    for k in range(nv):
        linear = 1.0 if tree.v_q[k] >= 0 else 0.0
        force[k] = load[k] - linear * g * K[k] * v[k]
    keep_known(tree, work, load, force)
    status = forward(tree, work, q, v, force, sites, wrenches, kv)
    if status != 0:
        return status
    for k in range(nv):
        mixed[k] = v[k] + g * kv[k]
        y[k] = v[k] + h * kv[k]
    rates(tree, q, mixed, kq)
    for k in range(nq):
        x[k] = q[k] + h * kq[k]
    if fed:
        take(work, feed, row + 2, x, y, wrenches)
        load = feed.tau[row + 2]
    for k in range(nv):
        linear = 1.0 if tree.v_q[k] >= 0 else 0.0
        stiff = K[k] * (2.0 * g * mixed[k] + 2.0 * g * g * kv[k] - g * y[k])
        force[k] = load[k] + linear * (stiff + 2.0 * g * C[k] * kv[k])
    keep_known(tree, work, load, force)
    status = forward(tree, work, x, y, force, sites, wrenches, jv)
    if status != 0:
        return status
    for k in range(nv):
        mixed[k] = y[k] - 2.0 * g * kv[k] + g * jv[k]
    rates(tree, x, mixed, jq)
    for k in range(nq):
        q[k] += 0.5 * h * (kq[k] + jq[k])
    for k in range(nv):
        v[k] += 0.5 * h * (kv[k] + jv[k])
    if fed:
        take(work, feed, row + 2, q, v, wrenches)
    normalize(tree, q)
    return 0


@kernel
def gimbal_travel(tree, q, v, h, i):
    """Return how far the joint of body i, a gimbal near lock, goes in a step: the largest |q̇| h; else 0.

    The axes a, b, c span R_b'a · (b×c) of their largest volume |a×b| |b×c|: for x, y, z the cosine of the middle angle.
    """
    axes, iq, iv = get9(tree.joint_axes, i), tree.joint_q[i], tree.joint_v[i]
    a, b, c = (axes[0], axes[1], axes[2]), (axes[3], axes[4], axes[5]), (axes[6], axes[7], axes[8])
    first, last = cross(a, b), cross(b, c)
    volume = dot(turn_back(about_axis(b, q[iq + 1]), a), last)
    if volume * volume > NEAR_LOCK**2 * dot(first, first) * dot(last, last):
        return 0.0
    return h * max(abs(v[iv]), max(abs(v[iv + 1]), abs(v[iv + 2])))


@kernel
def advance(
    tree, work, implicit, q, v, tau, sites, wrenches, feed, h, steps, every, scratch, log_q, log_v, near
):
    """Take `steps` steps from q, v (changed in place), writing every `every`-th state to the next row of the logs.

    near : (2, gimbals) the farthest that each of the `tree.gimbals` went in a step near lock, and which step that was
    Returns (status, steps taken).
    """
    row = 0
    for step in range(steps):
        for k in range(len(tree.gimbals)):
            far = gimbal_travel(tree, q, v, h, tree.gimbals[k])
            if far > near[0, k]:
                near[0, k] = far
                near[1, k] = step
        if implicit:
            status = ros2_step(tree, work, q, v, tau, sites, wrenches, h, scratch, feed, 2 * step)
        else:
            status = rk4_step(tree, work, q, v, tau, sites, wrenches, h, scratch, feed, 2 * step)
        if status == 0 and len(tree.closure_site) > 0 and work.closure_option[0] != 0.0:
            status = project(tree, work, q, v)
        if status != 0:
            return status, step
        if (step + 1) % every == 0:
            for k in range(len(q)):
                log_q[row, k] = q[k]
            for k in range(len(v)):
                log_v[row, k] = v[k]
            row += 1
    return 0, steps


@kernel
def enter_advance(
    handle, implicit, q, v, tau, sites, wrenches, feed, h, steps, every, scratch, log_q, log_v, near
):
    """Call `advance` on a handle."""
    return advance(
        tree_of(handle),
        work_of(handle, q),
        implicit,
        q,
        v,
        tau,
        sites,
        wrenches,
        feed,
        h,
        steps,
        every,
        scratch,
        log_q,
        log_v,
        near,
    )


def implicit_shift(tree: Tree, step: float) -> np.ndarray:
    """Return γhC + γ²h²K (nv,) of ROS2."""
    g = GAMMA * step
    return np.where(tree.v_q >= 0, g * tree.v_damping + g * g * tree.v_stiffness, 0.0)


def take_steps(
    work: Scratch,
    implicit: bool,
    q: np.ndarray,
    v: np.ndarray,
    loads: tuple[np.ndarray, np.ndarray, np.ndarray],
    feed: Feed,
    h: float,
    steps: int,
    every: int,
    scratch: np.ndarray,
) -> tuple[int, int, np.ndarray, np.ndarray, np.ndarray]:
    """Take steps from q, v (changed in place); return status, steps taken, every `every`-th state, gimbals near lock.

    work : scratch of the integrator's own, with the shift of an implicit method; masses of tables go to its settings
    """
    log_q, log_v = np.empty((steps // every, len(q))), np.empty((steps // every, len(v)))
    near = np.zeros((2, len(work.tree.gimbals)))
    rest = (feed, h, steps, every, scratch, log_q, log_v, near)
    if COMPILED:
        status, taken = enter_advance(work.ready(enter_advance), implicit, q, v, *loads, *rest)
    else:
        status, taken = advance(work.tree, work.work, implicit, q, v, *loads, *rest)
    return status, taken, log_q, log_v, near
