"""A rotation as users write it: made from whatever they have, given back as whatever they need."""

from __future__ import annotations

from typing import TypeAlias, overload

import numpy as np
from numpy.typing import ArrayLike

from interstage.calls import named_arguments
from interstage.errors import InputError, shown
from interstage.spatial import functions
from interstage.spatial.checks import as_array

# A matrix typed with six digits is taken and made orthogonal; a worse one is taken for a mistake.
ORTHOGONAL_TOLERANCE = 1e-5


@named_arguments
class Rotation:
    """One rotation R_AB, x_A = R_AB x_B, from an orthogonal matrix. It never changes.

    >>> R = Rotation.from_axis_angle([0, 0, 1], 90, degrees=True)
    >>> R.apply([1, 0, 0]).round(12) + 0.0
    array([0., 1., 0.])
    >>> (R @ R.inverse).is_close(Rotation.identity())
    True
    """

    __slots__ = ("_matrix",)
    _matrix: np.ndarray
    # numpy leaves `array @ rotation` to __rmatmul__ below
    __array_ufunc__ = None

    def __init__(self, matrix: ArrayLike):
        object.__setattr__(self, "_matrix", Rotation.from_matrix(matrix)._matrix)

    @classmethod
    def exact(cls, matrix: np.ndarray) -> Rotation:
        """Return the rotation of a matrix that is known to be one."""
        rotation = object.__new__(cls)
        matrix = np.array(matrix, dtype=float)
        matrix.flags.writeable = False
        object.__setattr__(rotation, "_matrix", matrix)
        return rotation

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError("a Rotation cannot be changed; make a new one")

    def __reduce__(self) -> tuple[object, ...]:
        return Rotation.exact, (np.array(self._matrix),)

    @classmethod
    def identity(cls) -> Rotation:
        """Return the rotation that changes nothing."""
        return cls.exact(np.eye(3))

    @classmethod
    def of(cls, value: RotationLike | None, where: str = "rotation") -> Rotation:
        """Return a Rotation of a Rotation, a 3x3 matrix, or None (the identity)."""
        if value is None:
            return cls.identity()
        return value if isinstance(value, Rotation) else cls.from_matrix(value, where=where)

    @classmethod
    def from_matrix(cls, matrix: ArrayLike, where: str = "rotation matrix") -> Rotation:
        """Return the rotation of an orthogonal, right-handed 3x3 matrix.

        A matrix that is orthogonal to rounding is kept bit by bit; one that is so to 1e-5 (printed digits)
        is replaced by the nearest rotation; anything else is refused.
        """
        R = as_array(matrix, (3, 3), where)
        error = np.abs(R.T @ R - np.eye(3)).max()
        if error > ORTHOGONAL_TOLERANCE:
            raise InputError(
                "not a rotation: the columns are not orthogonal unit vectors",
                where=where,
                expected=f"RᵀR = I to {ORTHOGONAL_TOLERANCE:g}",
                got=f"an error of {error:.3g}",
                hint="normalize the axes, or give more digits",
            )
        if np.linalg.det(R) < 0:
            raise InputError(
                "not a rotation but a reflection",
                where=where,
                expected="determinant +1",
                got="-1",
                hint="the axes are left-handed: reverse one of them",
            )
        if error > 1e-14:
            U, _, Vt = np.linalg.svd(R)
            R = U @ Vt
        return cls.exact(R)

    @classmethod
    def from_quaternion(cls, q: ArrayLike) -> Rotation:
        """Return the rotation of a quaternion [w, x, y, z], scalar first, of any length but zero."""
        q = as_array(q, (4,), "quaternion")
        length = np.linalg.norm(q)
        if length == 0:
            raise InputError("a quaternion of length zero is no rotation", where="quaternion")
        return cls.exact(functions.matrix_from_quaternion(q / length))

    @classmethod
    def from_rotation_vector(cls, theta: ArrayLike, degrees: bool = False) -> Rotation:
        """Return exp([θ]×): a turn by |θ| about θ."""
        theta = as_array(theta, (3,), "rotation vector")
        return cls.exact(functions.matrix_from_rotvec(np.deg2rad(theta) if degrees else theta))

    @classmethod
    def from_axis_angle(cls, axis: ArrayLike, angle: float, degrees: bool = False) -> Rotation:
        """Return the turn by `angle` about `axis`, an axis of any length but zero."""
        axis = as_array(axis, (3,), "axis")
        angle = float(as_array(angle, (), "angle"))
        length = np.linalg.norm(axis)
        if length == 0:
            raise InputError("an axis of length zero has no direction", where="axis")
        return cls.exact(
            functions.matrix_from_axis_angle(axis / length, np.deg2rad(angle) if degrees else angle)
        )

    @classmethod
    def from_euler(cls, sequence: str, angles: ArrayLike, degrees: bool = False) -> Rotation:
        """Return R_i(a) R_j(b) R_k(c): intrinsic turns, each about an axis of the frame turned so far.

        Any of the twelve sequences, "xyz", "zxz", ...; upper and lower case mean the same.

        >>> R = Rotation.from_euler("zyx", [30, 20, 10], degrees=True)
        >>> R.euler("zyx", degrees=True).round(9)
        array([30., 20., 10.])
        """
        angles = as_array(angles, (3,), "Euler angles")
        return cls.exact(functions.matrix_from_euler(sequence, np.deg2rad(angles) if degrees else angles))

    @property
    def matrix(self) -> np.ndarray:
        """R_AB (3, 3), read-only."""
        return self._matrix

    @property
    def quaternion(self) -> np.ndarray:
        """Unit quaternion [w, x, y, z], w >= 0."""
        return functions.quaternion_from_matrix(self._matrix)

    @property
    def rotation_vector(self) -> np.ndarray:
        """θ (3,) in radians, at most π long."""
        return functions.rotvec_from_matrix(self._matrix)

    @property
    def angle(self) -> float:
        """Angle of the turn, 0 to π radians."""
        return float(np.linalg.norm(self.rotation_vector))

    @property
    def axis(self) -> np.ndarray:
        """Unit axis (3,) of the turn; the x axis for the identity."""
        theta = self.rotation_vector
        length = np.linalg.norm(theta)
        return theta / length if length > 0 else np.array([1.0, 0.0, 0.0])

    def euler(self, sequence: str, degrees: bool = False) -> np.ndarray:
        """Return intrinsic Euler angles (3,) of a sequence such as "zyx"."""
        angles = functions.euler_from_matrix(sequence, self._matrix)
        return np.rad2deg(angles) if degrees else angles

    @property
    def inverse(self) -> Rotation:
        """R_BA."""
        return Rotation.exact(self._matrix.T)

    def apply(self, x: ArrayLike) -> np.ndarray:
        """Return x_A (..., 3) of vectors x_B (..., 3), one per row."""
        x = np.asarray(x)
        if x.ndim == 0 or x.shape[-1] != 3:
            raise InputError("wrong shape", where="vectors", expected="(..., 3)", got=f"shape {x.shape}")
        return x @ self._matrix.T

    def is_close(self, other: Rotation, tolerance: float = 1e-12) -> bool:
        """Say whether the angle between two rotations is at most `tolerance` radians."""
        return (self.inverse @ other).angle <= tolerance

    @overload
    def __matmul__(self, other: Rotation) -> Rotation: ...

    @overload
    def __matmul__(self, other: np.ndarray | list[float]) -> np.ndarray: ...

    def __matmul__(self, other: Rotation | np.ndarray | list[float]) -> Rotation | np.ndarray:
        """Compose, R_AC = R_AB @ R_BC; with an array, multiply as its matrix would."""
        if isinstance(other, Rotation):
            return Rotation.exact(self._matrix @ other._matrix)
        try:
            return self._matrix @ np.asarray(other)
        except (TypeError, ValueError, RuntimeWarning):
            raise _not_to_turn(other) from None

    def __rmatmul__(self, other: np.ndarray | list[float]) -> np.ndarray:
        try:
            return np.asarray(other) @ self._matrix
        except (TypeError, ValueError, RuntimeWarning):
            raise _not_to_turn(other) from None

    def __array__(self, dtype: np.dtype | type | None = None, copy: bool | None = None) -> np.ndarray:
        return np.array(self._matrix, dtype=dtype)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Rotation):
            return NotImplemented
        return bool(np.array_equal(self._matrix, other._matrix))

    def __hash__(self) -> int:
        return hash(self._matrix.tobytes())

    def __repr__(self) -> str:
        w, x, y, z = self.quaternion + 0.0
        return f"Rotation.from_quaternion([{w:.9g}, {x:.9g}, {y:.9g}, {z:.9g}])"


RotationLike: TypeAlias = Rotation | ArrayLike
"""A rotation, or a matrix (3, 3) of one."""


def _not_to_turn(other: object) -> InputError:
    return InputError(
        "a rotation multiplies rotations and arrays of vectors",
        expected="a Rotation, 3 numbers or a matrix with 3 rows",
        got=shown(other),
    )
