"""Prismatic: one travel."""

from __future__ import annotations

import numpy as np

from interstage.calls import named_arguments
from interstage.multibody.joints.constraint_rows import ConstraintRow, across, no_travel, no_turn
from interstage.multibody.joints.elementary_motions import Travel
from interstage.multibody.joints.families import OneAxis
from interstage.multibody.kernels.joints import PRISMATIC


@named_arguments
class Prismatic(OneAxis):
    """Slide along one axis."""

    kind = PRISMATIC
    words = "slide"
    motions = (Travel(),)

    def fit(self, R: np.ndarray, p: np.ndarray, near: np.ndarray | None = None) -> np.ndarray:
        return np.array([self.axes()[0] @ p])

    def closure_rows(self) -> list[ConstraintRow]:
        return no_travel(across(self.axes()[0])) + no_turn()
