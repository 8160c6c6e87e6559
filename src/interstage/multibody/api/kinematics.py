"""Where places on bodies are and how they move; mass, centre and inertia of the whole."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from interstage.calls import named_arguments
from interstage.multibody import inspection, places
from interstage.multibody.api.compiled import Compiled
from interstage.multibody.loads import as_flown, check_frame
from interstage.multibody.state import State
from interstage.multibody.types import Node
from interstage.spatial import RigidInertia
from interstage.spatial.checks import as_array


@named_arguments
class Kinematics(Compiled):
    """Questions about places: a place on a body is None (its frame origin), a node, or a point of a rigid one."""

    def site(self, body: str, place: Node = None) -> int:
        """Return the number of a node's site for the kernels; -1 - body for frame origins and rigid bodies."""
        return self.sites([(body, place)])[0]

    def sites(self, pairs: Sequence[tuple[str, Node]]) -> list[int]:
        """Return the numbers of many sites (body, place); places alone cost the vehicle nothing."""
        return places.located(self, pairs)[0].tolist()

    def jacobian(self, x: State, body: str, node: Node = None, frame: str = "world") -> np.ndarray:
        """Return J (6, nv) with [ω; v] = J v of a place on a body."""
        J = places.jacobian(self, x, body, node)
        if check_frame(frame) != "world":
            R = inspection.axes_of(self, x, body, node, frame)
            J = np.concatenate([R.T @ J[:3], R.T @ J[3:]])
        return J

    def position(self, x: State, body: str, node: Node = None) -> np.ndarray:
        """Return the position (3,) of a place on a body in the world."""
        return inspection.pose(self, x, body, node)[1]

    def positions(self, x: State, body: str, nodes: ArrayLike | None = None) -> np.ndarray:
        """Return world positions (k, 3) of many nodes of a flexible body (None: all), or points of a rigid one."""
        return places.positions(self, x, body, nodes)

    def jacobians(self, x: State, body: str, nodes: ArrayLike | None = None) -> np.ndarray:
        """Return J (k, 6, nv) with [ω; v] = J v of many nodes or points of a body, world axes."""
        return places.jacobians(self, x, body, nodes)

    def rotation(self, x: State, body: str, node: Node = None) -> np.ndarray:
        """Return R (3, 3) of a body or node, x_world = R x."""
        return inspection.pose(self, x, body, node)[0]

    def velocity(self, x: State, body: str, node: Node = None, frame: str = "world") -> np.ndarray:
        """Return [ω; v] (6,) of a place on a body."""
        return inspection.motion(self, x, body, node, frame, np.zeros_like(x.v))[0]

    def acceleration(
        self, x: State, vdot: ArrayLike, body: str, node: Node = None, frame: str = "world"
    ) -> np.ndarray:
        """Return [ω̇; a] (6,) of a place on a body: a is the second derivative of its world position."""
        vdot = as_array(vdot, (self.nv,), "vdot", allow_complex=True).astype(x.q.dtype)
        return inspection.motion(self, x, body, node, frame, vdot)[1]

    def rates(self, x: State) -> np.ndarray:
        """Return q̇ (nq,): like v, but quaternion rates and world velocities of free positions."""
        qdot = np.empty(self.nq, x.q.dtype)
        self.engine.rates(x.q, x.v, qdot)
        return qdot

    def mass_properties(self, x: State) -> RigidInertia:
        """Return mass, centre of mass and inertia (about it) of the whole, world frame, as if frozen."""
        return inspection.mass_properties(as_flown(self, x), x)

    def center_of_mass(self, x: State, inside: np.ndarray | None = None) -> np.ndarray:
        """Return the centre of mass (3,) in the world; modes move it at every fidelity.

        inside : mask (N,) of the bodies that count; default: all
        """
        return inspection.center_of_mass(as_flown(self, x), x, inside)
