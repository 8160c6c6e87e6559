"""Ball: any turn about a point."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from interstage.calls import named_arguments
from interstage.errors import InputError
from interstage.multibody.joints.constraint_rows import ConstraintRow, no_travel
from interstage.multibody.joints.elementary_motions import Attitude
from interstage.multibody.joints.families import Sprung
from interstage.multibody.kernels.joints import BALL
from interstage.spatial import Rotation
from interstage.spatial import functions as spatial


@named_arguments
@dataclass(frozen=True)
class Ball(Sprung):
    """Turn freely about a point; coordinates are a quaternion, and so is the rest of its spring.

    The spring is isotropic: torque -k sin φ about the axis of the turn φ from rest, energy k (1 - cos φ).
    """

    kind = BALL
    words = "ball joint"
    motions = (Attitude(),)

    def __post_init__(self) -> None:
        self.rest_quaternion()

    def rest_quaternion(self) -> np.ndarray:
        """Return the unit quaternion (4,), scalar part not negative, at which the spring is at rest."""
        if isinstance(self.rest, Rotation):
            q = np.asarray(self.rest.quaternion, dtype=float)
        else:
            q = self.parameter("rest")
            q = np.array([1.0, 0.0, 0.0, 0.0]) if q.shape == () and q == 0.0 else q
        if q.shape != (4,) or not np.isfinite(q).all() or not np.linalg.norm(q) > 0.0:
            raise InputError(
                "the rest of a ball joint's spring is an attitude",
                where="Ball, rest",
                expected="a quaternion (4,), scalar first, or a Rotation",
                got=repr(self.rest),
            )
        return q / np.linalg.norm(q) * (-1.0 if q[0] < 0.0 else 1.0)

    def spread(self, name: str) -> np.ndarray:
        """Return one number for each velocity; `rest` as the vector part (3,) of its quaternion."""
        if name == "rest":
            return self.rest_quaternion()[1:]
        value = super().spread(name)
        if name == "stiffness" and np.any(value != value[0]):
            raise InputError("the spring of a ball joint must be isotropic", got=repr(self.stiffness))
        return value

    def fit(self, R: np.ndarray, p: np.ndarray, near: np.ndarray | None = None) -> np.ndarray:
        return spatial.quaternion_from_matrix(R)

    def _reversed(self, R_PC: np.ndarray, where: str) -> Ball:
        w, *xyz = self.rest_quaternion()
        return replace(self, rest=(w, *(-R_PC @ xyz))) if np.any(xyz) else replace(self)

    def closure_rows(self) -> list[ConstraintRow]:
        return no_travel()
