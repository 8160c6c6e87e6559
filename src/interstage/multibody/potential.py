"""Potential of the loads that bodies carry in the shortening that bending makes: ½ηᵀ(Σ c K)η of geometric stiffness.

The loads c are products of the spin, forces across joints, and external wrenches (`kernels.stiffening`). The modal
forces of geometric stiffness are what inverse dynamics asks for more than without it, at the same accelerations:

    U = ½ Σ η·(τ - τ'),         d(T + V + U)/dt = ½ Σ ċ ηᵀKη + power of what acts

T + V being kinetic, strain and gravity energy. U is a potential where the loads do not change.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from interstage.multibody import closing
from interstage.multibody.arrays import Tree
from interstage.multibody.engine import Engine
from interstage.multibody.loads import Forces

if TYPE_CHECKING:
    from interstage.multibody.api.dynamics import Dynamics
    from interstage.multibody.state import State


class GeometricEnergy:
    """Geometric energy U at states of one system, with the settings that it has at the time."""

    def __init__(self, system: Dynamics):
        self._system = system
        self._of: Tree | None = None  # the tree that `_bare` is without stiffness
        self._bodies = [where for where in system.layout.values() if where.eta.stop > where.eta.start]

    def at(
        self, x: State, vdot: np.ndarray, forces: Forces | None = None, tau: ArrayLike | None = None
    ) -> float:
        """Return U at a state with its accelerations (nv,) and what acts."""
        needed, without = np.empty_like(vdot), np.empty_like(vdot)
        with closing.joint_forces(self._system, x, vdot, forces, tau) as (_, sites, wrenches):
            self._system.engine.inverse(x.q, x.v, vdot, sites, wrenches, needed)
            self._bare_engine().inverse(x.q, x.v, vdot, sites, wrenches, without)
        more = needed - without
        return 0.5 * sum(x.q[body.eta] @ more[body.etadot] for body in self._bodies)

    def _bare_engine(self) -> Engine:
        """Return the engine of the same vehicle without geometric stiffness; places may have been added."""
        tree = self._system.tree
        if self._of is not tree:
            none = np.full_like(tree.body_spin, -1)
            bare = tree._replace(
                body_spin=none,
                body_root=none,
                body_stiff=np.zeros_like(none),
                site_load=np.full_like(tree.site_load, -1),
            )
            self._of, self._bare = tree, Engine(bare, self._system.settings)
        return self._bare
