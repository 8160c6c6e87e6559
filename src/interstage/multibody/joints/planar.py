"""Planar: two travels in a plane, then the angle about its normal."""

from __future__ import annotations

import numpy as np

from interstage.calls import named_arguments
from interstage.errors import InputError
from interstage.multibody.joints.base import twist, unit_axis, unwound
from interstage.multibody.joints.constraint_rows import ConstraintRow, aligned, no_travel
from interstage.multibody.joints.elementary_motions import Travel, Turn
from interstage.multibody.joints.families import OneAxis
from interstage.multibody.kernels.joints import PLANAR


@named_arguments
class Planar(OneAxis):
    """Slide in a plane and turn about its normal; travel is along two directions fixed in the parent."""

    kind = PLANAR
    words = "planar"
    motions = (Travel(0), Travel(1), Turn(2))

    def axes(self) -> np.ndarray:
        normal = unit_axis(self.axis)
        # x, y for a normal along z; otherwise the pair that a right-handed frame gives, nearest to x, y, z in turn
        flat = int(np.argmin(np.abs(normal)))
        first = np.roll(normal, 1) if np.count_nonzero(normal) == 1 else np.cross(normal, np.eye(3)[flat])
        first = first / np.linalg.norm(first)
        return np.array([first, np.cross(normal, first), normal])

    def fit(self, R: np.ndarray, p: np.ndarray, near: np.ndarray | None = None) -> np.ndarray:
        a, b, normal = self.axes()
        return unwound(np.array([a @ p, b @ p, twist(R, normal)]), self.angles(), near)

    def _reversed(self, R_PC: np.ndarray, where: str) -> Planar:
        if np.any(self.stiffness) or np.any(self.damping):
            raise InputError(
                "a planar joint with springs or dampers cannot be turned round",
                where=where,
                hint="attach by the root of the tree, or by a closure",
            )
        return Planar(tuple(-R_PC @ unit_axis(self.axis)), prescribed=self.prescribed)

    def closure_rows(self) -> list[ConstraintRow]:
        normal = self.axes()[2]
        return no_travel([normal]) + aligned(normal)
