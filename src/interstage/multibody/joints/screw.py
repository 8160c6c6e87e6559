"""Screw: one angle, and a travel in proportion."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from interstage.calls import named_arguments
from interstage.errors import InputError
from interstage.multibody.joints.base import Axis, Numbers, twist, unwound
from interstage.multibody.joints.constraint_rows import ConstraintRow, screwed
from interstage.multibody.joints.cylindrical import Cylindrical
from interstage.multibody.joints.elementary_motions import Travel, Turn
from interstage.multibody.joints.families import OneAxis
from interstage.multibody.kernels.joints import SCREW


@named_arguments
@dataclass(frozen=True, init=False)
class Screw(OneAxis):
    """Turn about an axis and travel along it by `pitch` (length a turn)."""

    pitch: float = 0.0

    kind = SCREW
    words = "screw"
    motions = (Turn(), Travel(pitched=True))

    @named_arguments
    def __init__(
        self,
        axis: Axis = "z",
        pitch: float = 0.0,
        stiffness: Numbers = 0.0,
        damping: Numbers = 0.0,
        rest: Numbers = 0.0,
        prescribed: bool = False,
    ):
        super().__init__(axis, stiffness, damping, rest, prescribed)
        if not isinstance(pitch, int | float | np.integer | np.floating) or not np.isfinite(pitch):
            raise InputError("the pitch of a screw must be a finite length a turn", got=repr(pitch))
        object.__setattr__(self, "pitch", float(pitch))

    @property
    def pitch_per_radian(self) -> float:
        return self.pitch / (2.0 * np.pi)

    def fit(self, R: np.ndarray, p: np.ndarray, near: np.ndarray | None = None) -> np.ndarray:
        axis, pitch = self.axes()[0], self.pitch_per_radian
        angle = twist(R, axis)
        if not pitch:
            return unwound(np.array([angle]), self.angles(), near)
        turns = np.round((axis @ p / pitch - angle) / (2.0 * np.pi))
        return np.array([angle + 2.0 * np.pi * turns])

    def closure_rows(self) -> list[ConstraintRow]:
        return [*Cylindrical(self.axis).closure_rows(), screwed(self.axes()[0], self.pitch_per_radian)]
