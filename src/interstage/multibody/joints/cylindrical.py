"""Cylindrical: an angle, then a travel, of one axis."""

from __future__ import annotations

import numpy as np

from interstage.calls import named_arguments
from interstage.multibody.joints.base import twist, unwound
from interstage.multibody.joints.constraint_rows import ConstraintRow, across, aligned, no_travel
from interstage.multibody.joints.elementary_motions import Travel, Turn
from interstage.multibody.joints.families import OneAxis
from interstage.multibody.kernels.joints import CYLINDRICAL


@named_arguments
class Cylindrical(OneAxis):
    """Turn about and slide along one axis."""

    kind = CYLINDRICAL
    words = "hinge and slide"
    motions = (Turn(), Travel())

    def fit(self, R: np.ndarray, p: np.ndarray, near: np.ndarray | None = None) -> np.ndarray:
        axis = self.axes()[0]
        return unwound(np.array([twist(R, axis), axis @ p]), self.angles(), near)

    def closure_rows(self) -> list[ConstraintRow]:
        axis = self.axes()[0]
        return no_travel(across(axis)) + aligned(axis)
