"""How axes are turned, in any form and in either direction, kept as one matrix.

Of two sets of axes, *parent* (the structure axes) and *this* (body axes, a point, a child), the mass tree
keeps the transformation T_parent_this with x_this = T x_parent. The direction of an input says which way its
numbers go:

    struct_to_body (default)   matrix and quaternion are those of T_parent_this; an eigen-rotation or
                               Euler sequence turns the structure axes until they lie on the body axes
    body_to_struct             the other way round

struct_to_case, struct_to_point and struct_to_child are the same as struct_to_body, and so on (JEOD Mass
Body, 4.1.1). A `Rotation` is R_parent_this as everywhere in Interstage, x_parent = R x_this: the turn from
structure axes to these axes. `Orientation.eigen_rotation(axis, angle)` and `Rotation.from_axis_angle(axis,
angle)` are the same.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from interstage.calls import named_arguments
from interstage.errors import InputError
from interstage.spatial import Rotation

_THIS = ("body", "case", "point", "child")
FORWARD = tuple(f"struct_to_{name}" for name in _THIS)
BACKWARD = tuple(f"{name}_to_struct" for name in _THIS)


@named_arguments
@dataclass(frozen=True)
class Orientation:
    """The turn between two sets of axes, `rotation` = R_parent_this.

    >>> half = Orientation.eigen_rotation([0, 0, 1], 90, degrees=True)
    >>> half.T_parent_this.round(12) + 0.0
    array([[ 0.,  1.,  0.],
           [-1.,  0.,  0.],
           [ 0.,  0.,  1.]])
    """

    rotation: Rotation

    @property
    def T_parent_this(self) -> np.ndarray:
        """T (3, 3), x_this = T x_parent."""
        return self.rotation.matrix.T

    @classmethod
    def matrix(cls, T: ArrayLike, direction: str | int = "struct_to_body") -> Orientation:
        """Return the orientation of a transformation matrix (3, 3)."""
        return cls._transforming(Rotation.from_matrix(T, where="transformation matrix"), direction)

    @classmethod
    def quaternion(cls, q: ArrayLike, direction: str | int = "struct_to_body") -> Orientation:
        """Return the orientation of the quaternion [w, x, y, z] of a transformation matrix."""
        return cls._transforming(Rotation.from_quaternion(q), direction)

    @classmethod
    def eigen_rotation(
        cls, axis: ArrayLike, angle: float, degrees: bool = False, direction: str | int = "struct_to_body"
    ) -> Orientation:
        """Return the orientation of axes turned by `angle` about `axis` (3,)."""
        return cls._turning(Rotation.from_axis_angle(axis, angle, degrees=degrees), direction)

    @classmethod
    def euler(
        cls, sequence: str, angles: ArrayLike, degrees: bool = False, direction: str | int = "struct_to_body"
    ) -> Orientation:
        """Return the orientation of axes turned by three angles, each about an axis turned so far."""
        return cls._turning(Rotation.from_euler(sequence, angles, degrees=degrees), direction)

    @classmethod
    def _turning(cls, R: Rotation, direction: str | int) -> Orientation:
        """Return the orientation of axes turned by R."""
        return cls(R if _is_forward(direction) else R.inverse)

    @classmethod
    def _transforming(cls, R: Rotation, direction: str | int) -> Orientation:
        """Return the orientation whose transformation matrix is that of R: the axes turn the other way."""
        return cls._turning(R.inverse, direction)

    @classmethod
    def of(cls, value: OrientationLike | None, where: str = "orientation") -> Orientation:
        """Return the Orientation of an Orientation, a Rotation, or None (axes aligned).

        A bare matrix is refused unless it is its own transpose: nothing in it says whether it is R or T.
        """
        if value is None:
            return cls(Rotation.identity())
        if isinstance(value, Orientation):
            return value
        if isinstance(value, Rotation):
            return cls(value)
        try:
            same = np.shape(value) == (3, 3) and np.array_equal(value, np.transpose(value))
        except ValueError:  # of rows that are not equally long
            same = False
        if same:
            return cls(Rotation.from_matrix(value, where=where))
        raise InputError(
            "an orientation does not say which way it goes",
            where=where,
            expected="a Rotation (x_struct = R x_this) or an Orientation",
            got=type(value).__name__,
            hint="write Orientation.matrix(T) for x_this = T x_struct, Rotation(R) for x_struct = R x_this",
        )


def _is_forward(direction: str | int) -> bool:
    if direction in FORWARD or direction == 0:
        return True
    if direction in BACKWARD or direction == 1:
        return False
    raise InputError(
        "unknown direction of an orientation",
        expected=", ".join(FORWARD + BACKWARD),
        got=repr(direction),
    )


OrientationLike: TypeAlias = Orientation | Rotation | ArrayLike
"""An orientation, a rotation R_parent_this, or a matrix that is its own transpose."""
