"""Universal: two angles, the second axis carried by the first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from interstage.calls import named_arguments
from interstage.multibody.joints.base import Axis, about, angle_between, twist, unwound
from interstage.multibody.joints.constraint_rows import ConstraintRow, no_travel, same_angle
from interstage.multibody.joints.elementary_motions import Turn
from interstage.multibody.joints.families import AxisSequence
from interstage.multibody.kernels.joints import UNIVERSAL


@named_arguments
@dataclass(frozen=True)
class Universal(AxisSequence):
    """Turn about two axes, the second carried by the first (default x, then y)."""

    sequence: Sequence[Axis] = "xy"

    kind = UNIVERSAL
    words = "gimbal, two axes"
    motions = (Turn(0), Turn(1))

    def fit(self, R: np.ndarray, p: np.ndarray, near: np.ndarray | None = None) -> np.ndarray:
        """Return the angles of R ≈ R_a R_b: R_a brings b to R b."""
        a, b, _ = self.axes()
        first = angle_between(a, b, R @ b)
        return unwound(np.array([first, twist(about(a, -first) @ R, b)]), self.angles(), near)

    def closure_rows(self) -> list[ConstraintRow]:
        a, b, _ = self.axes()
        return [*no_travel(), same_angle(a, b)]
