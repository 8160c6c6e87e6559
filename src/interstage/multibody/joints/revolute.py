"""Revolute: one angle."""

from __future__ import annotations

import numpy as np

from interstage.calls import named_arguments
from interstage.multibody.joints.base import twist, unwound
from interstage.multibody.joints.constraint_rows import ConstraintRow, aligned, no_travel
from interstage.multibody.joints.elementary_motions import Turn
from interstage.multibody.joints.families import OneAxis
from interstage.multibody.kernels.joints import REVOLUTE


@named_arguments
class Revolute(OneAxis):
    """Turn about one axis."""

    kind = REVOLUTE
    words = "hinge"
    motions = (Turn(),)

    def fit(self, R: np.ndarray, p: np.ndarray, near: np.ndarray | None = None) -> np.ndarray:
        return unwound(np.array([twist(R, self.axes()[0])]), self.angles(), near)

    def closure_rows(self) -> list[ConstraintRow]:
        return no_travel() + aligned(self.axes()[0])
