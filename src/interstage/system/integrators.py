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
"""

from __future__ import annotations

import numpy as np

from interstage.multibody.handle import tree_of, work_of
from interstage.multibody.kernels.articulated import forward
from interstage.multibody.kernels.kinematics import BALL, FREE, rates
from interstage.multibody.kernels.small import kernel

GAMMA = 1.0 - np.sqrt(0.5)


@kernel
def normalize(tree, q):
    """Bring all quaternions in q to unit length."""
    for i in range(tree.sizes[0]):
        if tree.joint_kind[i] == BALL or tree.joint_kind[i] == FREE:
            k = tree.joint_q[i]
            s = 1.0 / np.sqrt(q[k] * q[k] + q[k + 1] * q[k + 1] + q[k + 2] * q[k + 2] + q[k + 3] * q[k + 3])
            for j in range(k, k + 4):
                q[j] *= s


@kernel
def rk4_step(tree, work, q, v, tau, sites, wrenches, h, s):
    """Advance q and v in place by one classical Runge-Kutta step; s is (8, max(nq, nv)) scratch. Return the status."""
    nq, nv = len(q), len(v)
    x, y, kq, kv, sum_q, sum_v = s[0][:nq], s[1][:nv], s[2][:nq], s[3][:nv], s[4][:nq], s[5][:nv]
    for k in range(nq):
        x[k] = q[k]
        sum_q[k] = 0.0
    for k in range(nv):
        y[k] = v[k]
        sum_v[k] = 0.0
    for stage in range(4):
        rates(tree, x, y, kq)
        status = forward(tree, work, x, y, tau, sites, wrenches, kv)
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
    normalize(tree, q)
    return 0


@kernel
def ros2_step(tree, work, q, v, tau, sites, wrenches, h, s):
    """Advance q and v in place by one ROS2 step; `work.shift` must hold γhC + γ²h²K. Return the status."""
    nq, nv = len(q), len(v)
    g = GAMMA * h
    x, y, kq, kv, jq, jv = s[0][:nq], s[1][:nv], s[2][:nq], s[3][:nv], s[4][:nq], s[5][:nv]
    force, mixed = s[6][:nv], s[7][:nv]
    K, C = tree.v_stiffness, tree.v_damping
    for k in range(nv):
        linear = 1.0 if tree.v_q[k] >= 0 else 0.0
        force[k] = tau[k] - linear * g * K[k] * v[k]
    status = forward(tree, work, q, v, force, sites, wrenches, kv)
    if status != 0:
        return status
    for k in range(nv):
        mixed[k] = v[k] + g * kv[k]
        y[k] = v[k] + h * kv[k]
    rates(tree, q, mixed, kq)
    for k in range(nq):
        x[k] = q[k] + h * kq[k]
    for k in range(nv):
        linear = 1.0 if tree.v_q[k] >= 0 else 0.0
        stiff = K[k] * (2.0 * g * mixed[k] + 2.0 * g * g * kv[k] - g * y[k])
        force[k] = tau[k] + linear * (stiff + 2.0 * g * C[k] * kv[k])
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
    normalize(tree, q)
    return 0


@kernel
def advance(tree, work, implicit, q, v, tau, sites, wrenches, h, steps, every, scratch, log_q, log_v):
    """Take `steps` steps from q, v (changed in place), writing every `every`-th state to the next row of the logs.

    Returns (status, steps taken).
    """
    row = 0
    for step in range(steps):
        if implicit:
            status = ros2_step(tree, work, q, v, tau, sites, wrenches, h, scratch)
        else:
            status = rk4_step(tree, work, q, v, tau, sites, wrenches, h, scratch)
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
def enter_advance(handle, implicit, q, v, tau, sites, wrenches, h, steps, every, scratch, log_q, log_v):
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
        h,
        steps,
        every,
        scratch,
        log_q,
        log_v,
    )
