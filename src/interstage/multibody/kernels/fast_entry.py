"""Doors for small vehicles (`compiled.doors`): they take vectors, make the array of the answer, call an algorithm.

Words of a door: the address of its handle, how many numbers a state has, nv twice (the lengths of the answer), and 1
where others may have the lock of the interpreter meanwhile; then those of `compiled.doors.WORDS`. A door answers 0
instead of an array to what it does not take, and where an algorithm fails: whoever called looks why.

Inverse dynamics and mass matrix of trees of rigid bodies, with nothing stored that is not needed.

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

from interstage.compiled import caller, matrix_at, vector_at, word
from interstage.compiled.doors import AXES, DATA, FLAGS, HALF, IN_ORDER, LENGTHS, NUMBERS, TYPE, WORDS
from interstage.multibody.address_table import IN_USE, claim, release, stage, tree_of, work_of
from interstage.multibody.kernels.algebra import (
    add,
    cross,
    dot,
    inlined,
    is_finite,
    kernel,
    product,
    scale,
    sub,
    symmetric_times,
    turn,
    turn_back,
    turn_symmetric,
)
from interstage.multibody.kernels.array_access import clear, get3, get9, high, low, put3, put6, put9
from interstage.multibody.kernels.constrained_forward import closed_forward as forward
from interstage.multibody.kernels.inverse_dynamics import hinge_balance, inverse
from interstage.multibody.kernels.joints import REVOLUTE, joint_motion, turned
from interstage.multibody.kernels.mass_matrix import mass_matrix
from interstage.multibody.kernels.modal_elimination import to_parent

HANDLE, STATE, LENGTH, SQUARE, SHARED = range(5)
_ARRAY_TYPE, _FLOAT64, _NEW_ARRAY, _NEW_INT, _DROP, _LET_GO, _TAKE_BACK = range(5, 5 + len(WORDS))
_DOUBLE = 12  # numpy's number of float64
_call_new_array = caller("nnnnnnnnn", "int64")
_call_with = caller("n", "int64")
_call = caller("", "int64")


@inlined
def _vector_among(door, arguments, k, length):
    """Return the address of the numbers of argument k if it is a real vector of a length, else 0."""
    o = word(arguments, k)
    if word(o, TYPE) != word(door, _ARRAY_TYPE) or word(o, NUMBERS) != word(door, _FLOAT64):
        return 0
    if word(o, AXES) & HALF != 1 or word(o, FLAGS) & IN_ORDER != IN_ORDER:
        return 0
    return word(o, DATA) if word(word(o, LENGTHS), 0) == length else 0


@inlined
def _new_array(door, axes):
    """Return a new array object of one or two axes, each of the length nv; 0 where Python has raised an error."""
    of = word(door, _ARRAY_TYPE)
    return _call_new_array(word(door, _NEW_ARRAY), of, axes, door + 8 * LENGTH, _DOUBLE, 0, 0, 0, 0, 0)


@inlined
def _nothing(door):
    return _call_with(word(door, _NEW_INT), 0)


@inlined
def _begin(door):
    """Return whether this call may use the handle, and what `_end` takes; callers that hold the lock are alone."""
    if word(door, SHARED) == 0:
        return True, 0
    thread = _call(word(door, _LET_GO))
    return claim(word(door, HANDLE), IN_USE), thread


@inlined
def _end(door, made, thread, mine, good):
    """Give the handle back; return the answer, dropping the array where it is not good."""
    if thread != 0:
        if mine:
            release(word(door, HANDLE), IN_USE)
        _call_with(word(door, _TAKE_BACK), thread)
    if good:
        return made
    _call_with(word(door, _DROP), made)
    return _nothing(door)


@inlined
def _two_vectors(door, arguments, count):
    """Return the addresses of a state and of nv numbers, 0 for what is neither."""
    if count != 2:
        return 0, 0
    state = _vector_among(door, arguments, 0, word(door, STATE))
    return state, _vector_among(door, arguments, 1, word(door, LENGTH))


@kernel
def enter_forward(me, arguments, count):
    """Return v̇ (nv,) of [q; v] and tau (nv,), without external wrenches."""
    door = word(me, DATA)
    state, force = _two_vectors(door, arguments, count)
    if state == 0 or force == 0:
        return _nothing(door)
    made = _new_array(door, 1)
    if made == 0:
        return 0
    mine, thread = _begin(door)
    good = False
    if mine:
        tree = tree_of(word(door, HANDLE))
        work, nq, nv = work_of(word(door, HANDLE), tree.gravity), tree.sizes[3], tree.sizes[4]
        y, tau = vector_at(state, nq + nv, tree.gravity), vector_at(force, nv, tree.gravity)
        vdot = vector_at(word(made, DATA), nv, tree.gravity)
        good = forward(tree, work, y[:nq], y[nq:], tau, tree.sizes[:0], work.ext, vdot) == 0
    return _end(door, made, thread, mine, good)


@kernel
def enter_inverse(me, arguments, count):
    """Return tau (nv,) of [q; v] and v̇ (nv,), without external wrenches."""
    door = word(me, DATA)
    state, rates = _two_vectors(door, arguments, count)
    if state == 0 or rates == 0:
        return _nothing(door)
    made = _new_array(door, 1)
    if made == 0:
        return 0
    mine, thread = _begin(door)
    good = False
    if mine:
        tree = tree_of(word(door, HANDLE))
        work, nq, nv = work_of(word(door, HANDLE), tree.gravity), tree.sizes[3], tree.sizes[4]
        y, vdot = vector_at(state, nq + nv, tree.gravity), vector_at(rates, nv, tree.gravity)
        tau = vector_at(word(made, DATA), nv, tree.gravity)
        if is_rigid(tree):
            rigid_inverse(tree, work, y[:nq], y[nq:], vdot, tau)
        else:
            inverse(tree, work, y[:nq], y[nq:], vdot, tree.sizes[:0], work.ext, tau)
        good = is_finite(tau)
    return _end(door, made, thread, mine, good)


@kernel
def enter_mass_matrix(me, arguments, count):
    """Return M (nv, nv) of [q; v]."""
    door = word(me, DATA)
    state = _vector_among(door, arguments, 0, word(door, STATE)) if count == 1 else 0
    if state == 0:
        return _nothing(door)
    made = _new_array(door, 2)
    if made == 0:
        return 0
    mine, thread = _begin(door)
    good = False
    if mine:
        tree = tree_of(word(door, HANDLE))
        work, nq, nv = work_of(word(door, HANDLE), tree.gravity), tree.sizes[3], tree.sizes[4]
        y = vector_at(state, nq + nv, tree.gravity)
        M = matrix_at(word(made, DATA), nv, nv, tree.gravity)
        if is_rigid(tree):
            rigid_mass_matrix(tree, work, y[:nq], y[nq:], M)
        else:
            mass_matrix(tree, work, y[:nq], y[nq:], M)
        good = is_finite(M.ravel())
    return _end(door, made, thread, mine, good)


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
