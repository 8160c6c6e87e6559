"""Points of a mass body: a place and a set of axes, seen from the body's structure point."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from interstage.calls import named_arguments
from interstage.errors import InputError
from interstage.spatial import RigidInertia, Rotation, functions

if TYPE_CHECKING:
    from interstage.mass.body import MassBody
    from interstage.mass.relative import Pose


class _Turned:
    """What follows from the transformation matrix from a parent's axes to one's own."""

    __slots__ = ()

    T_parent_this: np.ndarray

    @property
    def quaternion(self) -> np.ndarray:
        """Quaternion [w, x, y, z] of T_parent_this, w >= 0."""
        return functions.quaternion_from_matrix(self.T_parent_this)

    @property
    def rotation(self) -> Rotation:
        """R_parent_this, x_parent = R x_this."""
        return Rotation.exact(self.T_parent_this.T)


class PointState(_Turned):
    """Where a point is and how it is turned with respect to a parent point.

    position : (3,) from the parent point, in the parent's axes
    T_parent_this : (3, 3), x_this = T x_parent
    """

    __slots__ = ("T_parent_this", "position")

    def __init__(self, position: np.ndarray, T_parent_this: np.ndarray):
        self.position, self.T_parent_this = position, T_parent_this

    def __repr__(self) -> str:
        return f"PointState(position={self.position.tolist()}, T_parent_this={self.T_parent_this.tolist()})"


@named_arguments
class MassPoint(PointState):
    """A named point of a body. Position and axes are seen from the structure point and do not change."""

    __slots__ = ("body", "kept_pose", "name")

    def __init__(self, body: MassBody, name: str, position: np.ndarray, axes: np.ndarray):
        T = np.ascontiguousarray(axes.T)
        position.flags.writeable = T.flags.writeable = False
        super().__init__(position, T)
        self.body, self.name = body, name
        self.kept_pose: Pose | None = None

    def __setattr__(self, name: str, value: object) -> None:
        if name != "kept_pose" and hasattr(self, name):  # what hangs on it would not follow
            raise InputError(
                f"the {name} of a point cannot be changed",
                where=f"point '{self.name}' of mass body '{self.body.name}'",
                hint="add another point, and reattach what hangs on this one",
            )
        super().__setattr__(name, value)

    def relative_to(self, other: object) -> PointState:
        """Return where this point is, seen from another point of the same tree."""
        from interstage.mass.relative import relative_state

        return relative_state(self, other)

    def __repr__(self) -> str:
        return f"<point '{self.name}' of '{self.body.name}' at {self.position.tolist()}>"


@named_arguments
@dataclass(frozen=True, eq=False)
class MassProperties(_Turned):
    """Core or composite properties of a body as they were when asked for; also the point where they hold.

    mass : m
    position : centre of mass (3,) from the structure point, structure axes
    inertia : (3, 3) about the centre of mass, body axes; products carry the sign of the tensor
    T_parent_this : (3, 3) from structure axes to body axes
    """

    mass: float
    position: np.ndarray
    inertia: np.ndarray
    T_parent_this: np.ndarray
    body: MassBody = field(repr=False)

    @property
    def rigid(self) -> RigidInertia:
        """The same in the structure frame, its origin the structure point; inertia about the centre of mass."""
        return RigidInertia(self.mass, self.position, self.inertia_struct)

    @property
    def inertia_struct(self) -> np.ndarray:
        """Inertia (3, 3) about the centre of mass, structure axes."""
        return self.T_parent_this.T @ self.inertia @ self.T_parent_this

    @property
    def inverse_inertia(self) -> np.ndarray:
        """Inverse (3, 3) of the inertia, body axes; computed when asked for."""
        moments = np.linalg.eigvalsh(self.inertia)
        if not moments[0] > 1e-12 * moments[-1]:
            raise InputError(
                "the inertia has no inverse",
                where=f"mass body '{self.body.name}'",
                expected="principal moments > 0",
                got=", ".join(f"{x:.6g}" for x in moments),
                hint="give every part that may turn an inertia about three axes",
            )
        return np.linalg.inv(self.inertia)

    def relative_to(self, other: object) -> PointState:
        """Return where this centre of mass is, seen from another point of the same tree."""
        from interstage.mass.relative import relative_state

        return relative_state(self, other)
