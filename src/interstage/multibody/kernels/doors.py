"""Doors for small vehicles (`compiled.doors`): they take vectors, make the array of the answer, call an algorithm.

Words of a door: the address of its handle, how many numbers a state has, nv twice (the lengths of the answer), and 1
where others may have the lock of the interpreter meanwhile; then those of `compiled.doors.WORDS`. A door answers 0
instead of an array to what it does not take, and where an algorithm fails: whoever called looks why.
"""

from __future__ import annotations

from interstage.compiled import caller, matrix_at, vector_at, word
from interstage.compiled.doors import AXES, DATA, FLAGS, HALF, IN_ORDER, LENGTHS, NUMBERS, TYPE, WORDS
from interstage.multibody.handle import IN_USE, claim, release, tree_of, work_of
from interstage.multibody.kernels.closed import closed_forward as forward
from interstage.multibody.kernels.inverse import inverse
from interstage.multibody.kernels.mass_matrix import mass_matrix
from interstage.multibody.kernels.rigid import is_rigid, rigid_inverse, rigid_mass_matrix
from interstage.multibody.kernels.small import inlined, is_finite, kernel

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
