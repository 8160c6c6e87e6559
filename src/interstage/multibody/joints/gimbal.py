"""Gimbal: three angles, each axis carried by those before it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from interstage.calls import named_arguments
from interstage.multibody.joints.base import Axis, about, angle_between, twist, wrapped
from interstage.multibody.joints.constraint_rows import ConstraintRow, no_travel
from interstage.multibody.joints.elementary_motions import Turn
from interstage.multibody.joints.families import AxisSequence
from interstage.multibody.kernels.joints import GIMBAL


@named_arguments
@dataclass(frozen=True)
class Gimbal(AxisSequence):
    """Turn about three axes, each carried by the one before (default x, y, z)."""

    sequence: Sequence[Axis] = "xyz"

    kind = GIMBAL
    words = "gimbal, three axes"
    motions = (Turn(0), Turn(1), Turn(2))
    lockable = True

    def fit(self, R: np.ndarray, p: np.ndarray, near: np.ndarray | None = None) -> np.ndarray:
        """Return the angles of R = R_a R_b R_c nearest to `near`: aᵀR c = aᵀR_b c gives the middle one, twice."""
        a, b, c = self.axes()
        guess = np.zeros(3) if near is None else np.asarray(near, dtype=float)
        even = (a @ b) * (b @ c)
        cos, sin = a @ c - even, a @ np.cross(b, c)
        size = np.hypot(cos, sin)
        middle, half = np.arctan2(sin, cos), np.arccos(np.clip((a @ R @ c - even) / size, -1.0, 1.0))
        found = []
        for second in (middle + half, middle - half):
            out = about(b, second) @ c
            # where the outer axes are in line only the sum of their angles is known
            in_line = np.linalg.norm(np.cross(a, out)) <= 1e-9
            first = float(guess[0]) if in_line else angle_between(a, out, R @ c)
            third = twist((about(a, first) @ about(b, second)).T @ R, c)
            found.append(guess + wrapped(np.array([first, second, third]) - guess))
        return min(found, key=lambda q: float(np.abs(q - guess).sum()))

    def opening(self, q: np.ndarray) -> float:
        """Return the volume of the axes at angles q beside its largest: the cosine of the middle angle for x, y, z."""
        a, b, c = self.axes()
        volume = np.linalg.det(self.subspace(np.asarray(q, dtype=float))[:3])
        return float(abs(volume) / (np.linalg.norm(np.cross(a, b)) * np.linalg.norm(np.cross(b, c))))

    def closure_rows(self) -> list[ConstraintRow]:
        return no_travel()
