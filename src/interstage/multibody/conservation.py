"""What a vehicle cannot change from within: centre of mass and momentum; nor raise for nothing: kinetic energy.

All of it is said about the centre of mass and beside its velocity, of the bodies concerned alone: what a vehicle does
to itself does not depend on where it is, how fast it flies, and what else there is. With u the rigid motion of the same
momentum as the motion v, which has the locked inertia, T(v) = T(u) + T(v - u).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from interstage.multibody.impulse import frames_of, linked_roots, trees_of
from interstage.multibody.state import State
from interstage.spatial import functions as spatial

if TYPE_CHECKING:
    from interstage.multibody.system import System


class Sums:
    """Mass, centre (3,), its velocity (3,), spin (3,) about it and kinetic energy beside it, of some bodies.

    within : velocities (nv,) beside that of the centre;  rigid : N (nv, 6), unit rigid motions about the centre
    """

    def __init__(self, system: System, x: State, names: set[str]):
        inside = np.array([name in names for name in system.bodies])
        self.mass = float(system.settings.body_inertia[inside, 0].sum())
        self.center = system.center_of_mass(x, inside)
        self.rigid = _rigid_motions(system, x, inside, self.center)
        own = _only(system, x, inside)
        self.velocity = system.momentum(State(x.layout, x.q, own), self.center)[3:] / self.mass
        self.within = own - self.rigid[:, 3:] @ self.velocity
        # what rounding left of the velocity of the centre
        rest = system.momentum(State(x.layout, x.q, self.within), self.center)
        self.spin = rest[:3]
        self.velocity = self.velocity + rest[3:] / self.mass
        self.within -= self.rigid[:, 3:] @ (rest[3:] / self.mass)
        self.kinetic = system.energies(State(x.layout, x.q, self.within)).kinetic

    def inertia(self, system: System, x: State) -> np.ndarray:
        """Return the locked inertia (3, 3) about the centre, world axes."""
        return np.stack(
            [system.momentum(State(x.layout, x.q, n), self.center)[:3] for n in self.rigid[:, :3].T], axis=1
        )


def _only(system: System, x: State, inside: np.ndarray) -> np.ndarray:
    """Return the velocities (nv,) of some bodies, zero for all others."""
    v = np.zeros_like(x.v)
    for name, here in zip(system.bodies, inside):
        if here:
            where = system.layout[name]
            v[where.v], v[where.etadot] = x.v[where.v], x.v[where.etadot]
    return v


def _rigid_motions(system: System, x: State, inside: np.ndarray, center: np.ndarray) -> np.ndarray:
    """Return N (nv, 6): velocities of unit rigid motions [ω; v of the centre] of all free trees of some bodies."""
    frames, N = frames_of(system, x), np.zeros((system.nv, 6))
    for root in np.unique(trees_of(system)[inside]):
        if not system.model.specs[root].joint.is_free:
            continue
        iv, R = int(system.tree.joint_v[root]), frames.R[root]
        N[iv : iv + 3, :3] = R.T
        N[iv + 3 : iv + 6, :3] = -R.T @ spatial.skew_matrix(frames.p[root] - center)
        N[iv + 3 : iv + 6, 3:] = R.T
    return N


def _concerned(system: System, root: int) -> set[str] | None:
    """Return the bodies of a free tree and of all that closures join to it, or None where these are held."""
    roots = linked_roots(system, root)
    if roots is None:
        return None
    return {name for name, tree in zip(system.bodies, trees_of(system)) if tree in roots}


def restore_center(system: System, x: State, root: int, old: System, before: State) -> None:
    """Move a free tree, and trees that closures join to it, so that their centre of mass is where it was."""
    names = _concerned(system, root)
    if names is None:
        return
    off = Sums(old, before, names).center - Sums(system, x, names).center
    for i in linked_roots(system, root) or []:
        x[system.bodies[i]].q[4:] += system.model.specs[i].rotation.T @ off


def restore_momentum(system: System, x: State, root: int, old: System, before: State) -> None:
    """Add the rigid motion of a free tree that gives its centre the velocity, and it the spin, that there were.

    Of all corrections this is the smallest in the metric of the kinetic energy. Trees that closures join to it move
    along; where they hold it on the ground momentum is not kept, and nothing is done.
    """
    names = _concerned(system, root)
    if names is None:
        return
    wanted = Sums(old, before, names)
    for _ in range(2):
        now = Sums(system, x, names)
        turn = np.linalg.solve(now.inertia(system, x), wanted.spin - now.spin)
        x.v += now.rigid @ np.concatenate([turn, wanted.velocity - now.velocity])


def limit_energy(system: System, x: State, root: int, old: System, before: State) -> float:
    """Shrink the motion of a free tree within itself until its kinetic energy is no more than it was; return the gain.

    Of all motions with its momentum and no more than that energy u + s (v - u) is the nearest. Where T(u) is too much,
    as for a spinning body that has become smaller, or drives hold joints, nothing is done, and the rise returned.
    """
    names = _concerned(system, root)
    if names is None:
        return 0.0
    allowed, now = Sums(old, before, names).kinetic, Sums(system, x, names)
    excess = now.kinetic - allowed
    if excess <= 1e-13 * allowed:
        return 0.0
    within = now.within - now.rigid[:, :3] @ np.linalg.solve(now.inertia(system, x), now.spin)
    inner = system.energies(State(x.layout, x.q, within)).kinetic
    if excess >= inner or np.any(now.within[system.held]):
        return excess if excess > 1e-9 * allowed else 0.0
    x.v -= (1.0 - np.sqrt(1.0 - excess / inner)) * within
    return 0.0
