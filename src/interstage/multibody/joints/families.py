"""What joints of one family share: their arguments, axes, and how they are turned round."""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from interstage.calls import named_arguments
from interstage.errors import InputError
from interstage.multibody.joints.base import Axis, Joint, Numbers, unit_axis
from interstage.spatial import Rotation

# annotations are evaluated here: subclasses in other modules inherit them


@named_arguments
@dataclass(frozen=True)
class Sprung(Joint):
    """A joint without axes of its own."""

    stiffness: Numbers = 0.0
    damping: Numbers = 0.0
    rest: Numbers | Rotation = 0.0
    prescribed: bool = False


@named_arguments
@dataclass(frozen=True)
class OneAxis(Joint):
    """A joint with one axis, first argument."""

    axis: Axis = "z"
    stiffness: Numbers = 0.0
    damping: Numbers = 0.0
    rest: Numbers = 0.0
    prescribed: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "prescribed", bool(self.prescribed))
        unit_axis(self.axis)

    def axes(self) -> np.ndarray:
        rows = np.zeros((3, 3))
        rows[0] = unit_axis(self.axis)
        return rows

    def _reversed(self, R_PC: np.ndarray, where: str) -> Joint:
        return replace(self, axis=tuple(-R_PC @ unit_axis(self.axis)))


@named_arguments
@dataclass(frozen=True)
class AxisSequence(Joint):
    """A joint that turns about several axes, each carried by those before it."""

    sequence: Sequence[Axis] = ()
    stiffness: Numbers = 0.0
    damping: Numbers = 0.0
    rest: Numbers = 0.0
    prescribed: bool = False

    def __post_init__(self) -> None:
        if len(self.sequence) != self.nv:
            raise InputError(
                "a joint has a wrong number of axes",
                where=type(self).__name__,
                expected=f"{self.nv}",
                got=repr(self.sequence),
            )
        object.__setattr__(self, "sequence", tuple(self.sequence))
        object.__setattr__(self, "prescribed", bool(self.prescribed))
        rows = self.axes()[: self.nv]
        if any(np.linalg.norm(np.cross(a, b)) < 1e-6 for a, b in itertools.pairwise(rows)):
            raise InputError(
                "two neighbouring axes of a joint are parallel",
                where=type(self).__name__,
                got=repr(self.sequence),
            )

    def axes(self) -> np.ndarray:
        rows = np.zeros((3, 3))
        for k, axis in enumerate(self.sequence):
            rows[k] = unit_axis(axis)
        return rows

    def _reversed(self, R_PC: np.ndarray, where: str) -> Joint:
        return replace(
            self,
            sequence=[tuple(-R_PC @ a) for a in self.axes()[: self.nv][::-1]],
            stiffness=tuple(self.spread("stiffness")[::-1]),
            damping=tuple(self.spread("damping")[::-1]),
            rest=tuple(self.spread("rest")[::-1]),
        )
