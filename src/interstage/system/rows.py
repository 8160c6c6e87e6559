"""Questions about many states of one system, each in one compiled loop."""

from __future__ import annotations

from typing import Any

import numpy as np

from interstage.jit import COMPILED
from interstage.multibody import System
from interstage.multibody.handle import tree_of, work_of
from interstage.multibody.inspection import of_composite
from interstage.multibody.kernels.entry import composite_from, sums
from interstage.multibody.kernels.flex import prepare
from interstage.multibody.kernels.kinematics import kinematics, poses
from interstage.multibody.kernels.slots import get3, get9
from interstage.multibody.kernels.small import add, kernel, turn
from interstage.multibody.places import local_pose, shape_of


@kernel
def _sums(tree, work, Q, V, bodies, inertia, tanks, about, out):
    """Write energies and momentum (m, 9) of every row, bodies with the inertia (m, b, 10) that they have there.

    tanks (m, T) : propellant
    """
    for k in range(len(Q)):
        for j in range(len(bodies)):
            for c in range(10):
                work.body_inertia[bodies[j], c] = inertia[k, j, c]
        if tanks.shape[1] > 0:
            for j in range(tanks.shape[1]):
                work.propellant[j] = tanks[k, j]
            prepare(tree, work)
        sums(tree, work, Q[k], V[k], about, out[k])


@kernel
def _enter_sums(handle, Q, V, bodies, inertia, tanks, about, out):
    """Call `_sums` on a handle."""
    tree, work = tree_of(handle), work_of(handle, Q)  # type: ignore[func-returns-value]
    _sums(tree, work, Q, V, bodies, inertia, tanks, about, out)


def sums_of_rows(
    system: System, Q: np.ndarray, V: np.ndarray, bodies: np.ndarray, inertia: np.ndarray, tanks: np.ndarray
) -> np.ndarray:
    """Return kinetic, strain, gravity energy and [h; p] about the world origin of states Q (m, nq), V (m, nv): (m, 9).

    bodies (b,), inertia (m, b, 10) : bodies whose mass is another in each row;  tanks (m, T) : propellant
    """
    out, about = np.empty((len(Q), 9)), np.zeros(3)
    Q, V = np.ascontiguousarray(Q), np.ascontiguousarray(V)
    with system.with_settings().engine.borrow(out.dtype) as scratch:
        if COMPILED:
            _enter_sums(scratch.ready(_enter_sums), Q, V, bodies, inertia, tanks, about, out)
        else:
            _sums(scratch.tree, scratch.work, Q, V, bodies, inertia, tanks, about, out)
    return out


@kernel
def _wholes(tree, work, Q, V, bodies, inertia, tanks, i, root, place, out):
    """Write the inertia (m, 21) of a tree about a place on body i at every row, as `_sums` takes masses."""
    for k in range(len(Q)):
        for j in range(len(bodies)):
            for c in range(10):
                work.body_inertia[bodies[j], c] = inertia[k, j, c]
        if tanks.shape[1] > 0:
            for j in range(tanks.shape[1]):
                work.propellant[j] = tanks[k, j]
            prepare(tree, work)
        composite_from(tree, work, Q[k], V[k], i, root, place, out[k])


@kernel
def _enter_wholes(handle, Q, V, bodies, inertia, tanks, i, root, place, out):
    """Call `_wholes` on a handle."""
    tree, work = tree_of(handle), work_of(handle, Q)  # type: ignore[func-returns-value]
    _wholes(tree, work, Q, V, bodies, inertia, tanks, i, root, place, out)


Wholes = tuple[np.ndarray, np.ndarray, np.ndarray]


def wholes_of_rows(system: System, Q: np.ndarray, V: np.ndarray, masses: Wholes, body: str) -> Wholes:
    """Return mass (m,), center of mass (m, 3) and inertia about it (m, 3, 3) of the tree that has a body.

    From the origin of the body, in its axes, at states Q (m, nq), V (m, nv).
    masses : bodies (b,), inertia (m, b, 10), tanks (m, T) as in `sums_of_rows`
    """
    root = body
    while (parent := system.model.spec(root).parent) is not None:
        root = parent
    R, l = local_pose(system, system.state(), body, None)
    place, out = np.concatenate([R.ravel(), l]), np.empty((len(Q), 21))
    Q, V = np.ascontiguousarray(Q), np.ascontiguousarray(V)
    where = system.body(body), system.body(root), place, out
    with system.with_settings().engine.borrow(out.dtype) as scratch:
        if COMPILED:
            _enter_wholes(scratch.ready(_enter_wholes), Q, V, *masses, *where)
        else:
            _wholes(scratch.tree, scratch.work, Q, V, *masses, *where)
    mass, com, about = of_composite(out)
    square = np.einsum("mi,mi->m", com, com)[:, None, None] * np.eye(3)
    return mass, com, about - mass[:, None, None] * (square - com[:, :, None] * com[:, None, :])


@kernel
def _positions(tree, work, Q, V, i, eta, l, gamma, out):
    """Write the world positions (m, 3) of a place l + γη of body i; eta: where its modal coordinates start."""
    for k in range(len(Q)):
        q = Q[k]
        kinematics(tree, work, q, V[k])
        poses(tree, work)
        for a in range(3):
            s = l[a]
            for r in range(gamma.shape[1]):
                s += gamma[a, r] * q[eta + r]
            out[k, a] = s
        place = add(get3(work.pw, i), turn(get9(work.Rw, i), get3(out, k)))
        for a in range(3):
            out[k, a] = place[a]


@kernel
def _enter_positions(handle, Q, V, i, eta, l, gamma, out):
    """Call `_positions` on a handle."""
    tree, work = tree_of(handle), work_of(handle, Q)  # type: ignore[func-returns-value]
    _positions(tree, work, Q, V, i, eta, l, gamma, out)


def positions_of_rows(system: System, Q: np.ndarray, V: np.ndarray, body: str, node: Any) -> np.ndarray:
    """Return the positions (m, 3) in the world of a place on a body at states Q (m, nq), V (m, nv)."""
    l, _, gamma = shape_of(system, body, node)
    out, eta = np.empty((len(Q), 3)), system.layout[body].eta.start
    arguments = np.ascontiguousarray(Q), np.ascontiguousarray(V), system.body(body), eta, l, gamma, out
    with system.engine.borrow(out.dtype) as scratch:
        if COMPILED:
            _enter_positions(scratch.ready(_enter_positions), *arguments)
        else:
            _positions(scratch.tree, scratch.work, *arguments)
    return out
