"""Inverse dynamics and mass matrix of trees of rigid bodies, with nothing stored that is not needed.

Inverse dynamics in accelerations a of points, which need no velocities of points (Luh, Walker, Paul 1980): with ω, α of
a body, p from the parent's origin to its own, spin and rate of its joint, in its axes but for those of the parent (ₚ),

    a = Rᵀ(aₚ + αₚ×p + ωₚ×(ωₚ×p)) + (ωₚ + ω)×rate + H̊v + Hv̇,      a = -g on the ground
    t = Jα + ω×Jω + mc×a,      f = m a + α×mc + ω×(ω×mc)

The mass matrix by composite inertias (Featherstone 2008, ch. 6) in the axes of the world, each about the origin of its
own body, so that they are added without turning, and far from the origin of the world without loss: what is outboard of
a joint calls for [t; f] at its body under a unit acceleration, and M has h·(t + r×f) + h'·f for each joint inboard with
axes [h; h'], r from there. `entry` takes these doors; what they leave in the scratch is their own.
"""

from __future__ import annotations

from interstage.multibody.handle import stage
from interstage.multibody.kernels.inverse import hinge_balance
from interstage.multibody.kernels.joints import REVOLUTE, joint_motion, turned
from interstage.multibody.kernels.responses import to_parent
from interstage.multibody.kernels.rows import clear
from interstage.multibody.kernels.slots import get3, get9, high, low, put3, put6, put9
from interstage.multibody.kernels.small import (
    add,
    cross,
    dot,
    inlined,
    kernel,
    product,
    scale,
    sub,
    symmetric_times,
    turn,
    turn_back,
    turn_symmetric,
)


@kernel
def is_rigid(tree):
    """Return whether no body has modes, and no damper goes to ground."""
    return tree.sizes[5] == 0 and len(tree.drag_C) == 0


@inlined
def _mass_of(work, i):
    """Return m, m c and J about the origin of body i."""
    I = work.body_inertia
    return I[i, 0], (I[i, 1], I[i, 2], I[i, 3]), (I[i, 4], I[i, 5], I[i, 6], I[i, 7], I[i, 8], I[i, 9])


@inlined
def _motion(tree, work, i, q, v):
    """Return R to the parent, place of the origin in it, velocity halves of the joint and H̊ q̇ halves."""
    R, move, spin, rate, bias_w, bias_v = joint_motion(
        tree.joint_kind[i],
        get9(tree.joint_axes, i),
        tree.joint_pitch[i],
        work.H,
        i,
        q,
        v,
        tree.joint_q[i],
        tree.joint_v[i],
    )
    frame = get9(tree.joint_R, i)
    return product(frame, R), add(get3(tree.joint_p, i), turn(frame, move)), spin, rate, bias_w, bias_v


@kernel
def _outward(tree, work, q, v, vdot):
    """Write ω and α (V) and the force (z) of every body, with R and p; the acceleration of its point goes to c."""
    V, H, c = work.V, work.H, work.c
    for i in range(tree.sizes[0]):
        parent, iv = tree.body_parent[i], tree.joint_v[i]
        w, al, a = low(V, parent), high(V, parent), low(c, parent)
        if parent < 0:
            a = scale(-1.0, get3(work.g, parent))
        if tree.joint_kind[i] == REVOLUTE:
            axis, p = get3(tree.joint_axes, i), get3(tree.joint_p, i)
            R = turned(tree, i, q[tree.joint_q[i]])
            a = turn_back(R, add(a, add(cross(al, p), cross(w, cross(w, p)))))
            spin = scale(v[iv], axis)
            w = add(turn_back(R, w), spin)
            al = add(add(turn_back(R, al), scale(vdot[iv], axis)), cross(w, spin))
        else:
            R, p, spin, rate, bias_w, bias_v = _motion(tree, work, i, q, v)
            a = turn_back(R, add(a, add(cross(al, p), cross(w, cross(w, p)))))
            w = turn_back(R, w)
            inner = add(w, spin)
            a = add(add(a, bias_v), cross(add(w, inner), rate))
            w, al = inner, add(add(turn_back(R, al), bias_w), cross(inner, spin))
            for k in range(tree.joint_nv[i]):
                j, s = 6 * k, vdot[iv + k]
                al = add(al, scale(s, (H[i, j], H[i, j + 1], H[i, j + 2])))
                a = add(a, scale(s, (H[i, j + 3], H[i, j + 4], H[i, j + 5])))
        put9(work.R, i, R)
        put3(work.p, i, p)
        put6(V, i, w, al)
        put3(c, i, a)
        m, mc, J = _mass_of(work, i)
        t = add(add(symmetric_times(J, al), cross(w, symmetric_times(J, w))), cross(mc, a))
        put6(work.z, i, t, add(scale(m, a), add(cross(al, mc), cross(w, cross(w, mc)))))


@stage("xxxx")
def rigid_inverse(tree, work, q, v, vdot, tau):
    """Write tau (nv,) that gives v̇ (nv,) of a tree of rigid bodies without loads."""
    _outward(tree, work, q, v, vdot)
    for i in range(tree.sizes[0] - 1, -1, -1):
        t, f = low(work.z, i), high(work.z, i)
        hinge_balance(tree, work, i, q, v, t, f, tau)
        to_parent(tree, work, i, t, f)


@kernel
def _world(tree, work, q, v):
    """Write world rotation, place from the root, motion subspace (U) and mass properties (I) of bodies, world axes."""
    H, U, I = work.H, work.U, work.I
    for i in range(tree.sizes[0]):
        parent = tree.body_parent[i]
        if tree.joint_kind[i] == REVOLUTE:
            R = turned(tree, i, q[tree.joint_q[i]])
            p = get3(tree.joint_p, i)
        else:
            R, p, _, _, _, _ = _motion(tree, work, i, q, v)
        if parent >= 0:
            Rp = get9(work.Rw, parent)
            p, R = add(get3(work.pw, parent), turn(Rp, p)), product(Rp, R)
        else:
            p = scale(0.0, p)
        put9(work.Rw, i, R)
        put3(work.pw, i, p)
        for a in range(tree.joint_nv[i]):
            k = 6 * a
            h = turn(R, (H[i, k], H[i, k + 1], H[i, k + 2]))
            U[i, k], U[i, k + 1], U[i, k + 2] = h
            h = turn(R, (H[i, k + 3], H[i, k + 4], H[i, k + 5]))
            U[i, k + 3], U[i, k + 4], U[i, k + 5] = h
        m, mc, J = _mass_of(work, i)
        mc, J = turn(R, mc), turn_symmetric(R, J)
        I[i, 0] = m
        I[i, 1], I[i, 2], I[i, 3] = mc
        I[i, 4], I[i, 5], I[i, 6], I[i, 7], I[i, 8], I[i, 9] = J


@kernel
def _gather(tree, work):
    """Add the mass properties of everything outboard to those of each body, about its own origin."""
    I = work.I
    for i in range(tree.sizes[0] - 1, -1, -1):
        k = tree.body_parent[i]
        if k < 0:
            continue
        m, c = I[i, 0], (I[i, 1], I[i, 2], I[i, 3])
        r = sub(get3(work.pw, i), get3(work.pw, k))
        # J + (2 r·c + m r·r) 1 - (r cᵀ + c rᵀ + m r rᵀ), with d = c + m r
        d = add(c, scale(m, r))
        whole = dot(r, c) + dot(r, d)
        I[k, 0] += m
        I[k, 1] += d[0]
        I[k, 2] += d[1]
        I[k, 3] += d[2]
        I[k, 4] += I[i, 4] + whole - r[0] * (c[0] + d[0])
        I[k, 5] += I[i, 5] + whole - r[1] * (c[1] + d[1])
        I[k, 6] += I[i, 6] + whole - r[2] * (c[2] + d[2])
        I[k, 7] += I[i, 7] - (r[0] * c[1] + d[0] * r[1])
        I[k, 8] += I[i, 8] - (r[0] * c[2] + d[0] * r[2])
        I[k, 9] += I[i, 9] - (r[1] * c[2] + d[1] * r[2])


@kernel
def _row(tree, work, i, j, t, f, M):
    """Write row and column j of M: [t; f] at body i against the joints of the body and of all inboard."""
    U, at, k = work.U, get3(work.pw, i), i
    while k >= 0:
        moment = add(t, cross(sub(at, get3(work.pw, k)), f))
        iv = tree.joint_v[k]
        if tree.joint_kind[k] == REVOLUTE:
            s = U[k, 0] * moment[0] + U[k, 1] * moment[1] + U[k, 2] * moment[2]
            M[j, iv] = s
            M[iv, j] = s
        else:
            for a in range(tree.joint_nv[k]):
                x = 6 * a
                s = U[k, x] * moment[0] + U[k, x + 1] * moment[1] + U[k, x + 2] * moment[2]
                s += U[k, x + 3] * f[0] + U[k, x + 4] * f[1] + U[k, x + 5] * f[2]
                M[j, iv + a] = s
                M[iv + a, j] = s
        k = tree.body_parent[k]


@stage("xxM")
def rigid_mass_matrix(tree, work, q, v, M):
    """Write the mass matrix M (nv, nv) of a tree of rigid bodies."""
    _world(tree, work, q, v)
    _gather(tree, work)
    clear(M)
    I, U = work.I, work.U
    for i in range(tree.sizes[0]):
        m, c = I[i, 0], (I[i, 1], I[i, 2], I[i, 3])
        J = (I[i, 4], I[i, 5], I[i, 6], I[i, 7], I[i, 8], I[i, 9])
        for a in range(tree.joint_nv[i]):
            k = 6 * a
            h, g = (U[i, k], U[i, k + 1], U[i, k + 2]), (U[i, k + 3], U[i, k + 4], U[i, k + 5])
            t = add(symmetric_times(J, h), cross(c, g))
            _row(tree, work, i, tree.joint_v[i] + a, t, add(scale(m, g), cross(h, c)), M)
