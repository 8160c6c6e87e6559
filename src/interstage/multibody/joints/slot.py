"""Slot: a ball in a straight slot."""

from __future__ import annotations

import numpy as np

from interstage.calls import named_arguments
from interstage.errors import InputError
from interstage.multibody.joints.constraint_rows import ConstraintRow, across, no_travel
from interstage.multibody.joints.elementary_motions import Attitude, Travel
from interstage.multibody.joints.families import OneAxis
from interstage.multibody.kernels.joints import SLOT
from interstage.spatial import functions as spatial


@named_arguments
class Slot(OneAxis):
    """Turn freely about a point that slides along an axis of the parent; as a closure, keep a point on a line.

    Coordinates are a quaternion, then the travel. Spring and damper act along the slot; turns are free.
    """

    kind = SLOT
    words = "ball in a slot"
    motions = (Travel(), Attitude())

    def spread(self, name: str) -> np.ndarray:
        value = self.parameter(name)
        if value.shape != () or not np.isfinite(value):
            raise InputError(
                f"the {name} of a Slot joint belongs to its travel",
                expected="one finite number",
                got=repr(getattr(self, name)),
            )
        return np.array([0.0, 0.0, 0.0, value])

    def fit(self, R: np.ndarray, p: np.ndarray, near: np.ndarray | None = None) -> np.ndarray:
        return np.append(spatial.quaternion_from_matrix(R), self.axes()[0] @ p)

    def _reversed(self, R_PC: np.ndarray, where: str) -> Slot:
        raise InputError(
            "a Slot joint cannot be turned round: its line stays with the parent",
            where=where,
            hint="attach by the root of the tree, or by a closure",
        )

    def closure_rows(self) -> list[ConstraintRow]:
        return no_travel(across(self.axes()[0]))
