"""What all joints share; each kind has a file of its own beside this one.

A joint frame F sits on the parent (at a point or node, turned by `rotation`); the child's frame C coincides with F at
zero coordinates. R (3, 3) turns C to F, p (3,) is the origin of C in F, and H (6, nv) in V_rel = H v, both in C, is the
motion subspace. A joint says of itself: its elementary motions, its axes, the coordinates that fit a pose, the joint
that it is seen from the other side, and the rows that it makes as a closure. The rest follows here.

Angles of rotations about given axes, for joints that are fitted to a pose.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from interstage.calls import named_arguments
from interstage.errors import InputError
from interstage.multibody.joints.constraint_rows import ConstraintRow
from interstage.multibody.joints.elementary_motions import (
    ANGLE,
    Attitude,
    Coordinate,
    ElementaryMotion,
    FreePose,
    named,
    placed,
)
from interstage.multibody.kernels import joints as kinds
from interstage.spatial import Rotation
from interstage.spatial import functions as spatial

Axis = str | Sequence[float]
Numbers = float | Sequence[float]
SPRING = ("stiffness", "damping", "rest")
_NAMED = {"x": (1.0, 0.0, 0.0), "y": (0.0, 1.0, 0.0), "z": (0.0, 0.0, 1.0)}


def unit_axis(axis: Axis) -> np.ndarray:
    """Return the unit vector (3,) of an axis given as "x", "-y" or three numbers.

    >>> unit_axis("-z")
    array([-0., -0., -1.])
    """
    if isinstance(axis, str):
        name, sign = (axis[1:], -1.0) if axis.startswith("-") else (axis, 1.0)
        if name not in _NAMED:
            raise InputError("an axis has an unknown name", expected="x, y, z, -x, -y, -z", got=repr(axis))
        return sign * np.array(_NAMED[name])
    vector = _real(axis)
    if vector.shape != (3,) or not np.isfinite(vector).all() or np.linalg.norm(vector) == 0.0:
        raise InputError(
            "an axis must be a direction", expected="three numbers, not all zero", got=repr(axis)
        )
    return vector / np.linalg.norm(vector)


def _real(value: object) -> np.ndarray:
    """Return an array of real numbers of any shape, NaN for what is none."""
    try:
        return np.array(value, dtype=float)
    except (TypeError, ValueError, RuntimeWarning):
        return np.array(np.nan)


@named_arguments
class Joint:
    """Base of all joints. Joints are frozen dataclasses; the class fixes kind and motions.

    kind : number by which kernels know it;  words : what a report calls it
    motions : elementary motions from F to C;  nq, nv : numbers of coordinates and velocities
    coordinates, velocities, small_motions : names and kinds of q (nq), v (nv) and of small changes of q (nv)
    linear : q̇ = v;  is_free : nothing is held;  lockable : at some coordinates motions fall together
    """

    stiffness: Numbers = 0.0
    damping: Numbers = 0.0
    rest: Numbers | Rotation = 0.0
    prescribed: bool = False

    kind: ClassVar[int] = kinds.LOCKED
    words: ClassVar[str] = ""
    motions: ClassVar[tuple[ElementaryMotion, ...]] = ()
    lockable: ClassVar[bool] = False
    nq: ClassVar[int] = 0
    nv: ClassVar[int] = 0
    linear: ClassVar[bool] = True
    is_free: ClassVar[bool] = False
    coordinates: ClassVar[tuple[Coordinate, ...]] = ()
    velocities: ClassVar[tuple[Coordinate, ...]] = ()
    small_motions: ClassVar[tuple[Coordinate, ...]] = ()

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        cls.motions = placed(cls.motions)
        cls.coordinates, cls.velocities, cls.small_motions = named(cls.motions)
        cls.nq, cls.nv = len(cls.coordinates), len(cls.velocities)
        cls.linear = not any(isinstance(motion, Attitude) for motion in cls.motions)
        cls.is_free = any(isinstance(motion, FreePose) for motion in cls.motions)

    @property
    def pitch_per_radian(self) -> float:
        """Travel of pitched motions for each radian."""
        return 0.0

    def axes(self) -> np.ndarray:
        """Return up to three unit axes as rows of a (3, 3) array."""
        return np.zeros((3, 3))

    # what each kind says of itself --------------------------------------------------------------------

    def fit(self, R: np.ndarray, p: np.ndarray, near: np.ndarray | None = None) -> np.ndarray:
        """Return the coordinates q (nq,) at which the joint comes nearest to a pose.

        near : coordinates to stay close to where several fit (gimbals; whole turns of all angles)
        """
        raise NotImplementedError

    def reversed(self, R_PC: np.ndarray, where: str) -> Joint:
        """Return the joint of the parent on the child: R' = R_PCᵀ, axes turned to the parent and against the child.

        R_C P = R_a(-q) R_PCᵀ = R_PCᵀ R_{-R_PC a}(q): coordinates of one axis stay, several change their order.
        """
        return self._reversed(Rotation.from_matrix(R_PC, where=where).matrix, where)

    def _reversed(self, R_PC: np.ndarray, where: str) -> Joint:
        raise NotImplementedError

    def closure_rows(self) -> list[ConstraintRow]:
        """Return the conditions on two frames that the joint makes where it closes a loop, none if it cannot."""
        raise NotImplementedError

    # springs ------------------------------------------------------------------------------------------

    def _refuse(self, why: str, *names: str) -> None:
        """Refuse parameters that are not zero: nothing that is given is ignored."""
        for name in names:
            if np.any(np.asarray(getattr(self, name)) != 0.0):
                raise InputError(
                    why,
                    where=f"{type(self).__name__}, {name}",
                    got=repr(getattr(self, name)),
                    expected="none",
                )

    def parameter(self, name: str) -> np.ndarray:
        """Return `stiffness`, `damping` or `rest` as an array of real numbers of any shape, NaN for what is none."""
        if name not in ("stiffness", "damping", "rest"):
            raise InputError(f"a joint has no parameter {name!r}", expected="stiffness, damping or rest")
        return _real(getattr(self, name))

    def spread(self, name: str) -> np.ndarray:
        """Return `stiffness`, `damping` or `rest` as one number for each velocity."""
        value = self.parameter(name)
        if value.shape not in ((), (self.nv,)) or not np.isfinite(value).all():
            raise InputError(
                f"the {name} of a joint does not fit it",
                where=type(self).__name__,
                expected=f"one finite number or {self.nv}",
                got=repr(getattr(self, name)),
            )
        return np.broadcast_to(value, (self.nv,)).copy()

    # what follows from the motions --------------------------------------------------------------------

    def nominal(self) -> np.ndarray:
        """Return the coordinates at which child and parent frames coincide."""
        q = np.zeros(self.nq)
        if not self.linear:
            q[0] = 1.0
        return q

    def angles(self) -> np.ndarray:
        """Return a mask (nv,) of the velocities that turn; the others are lengths a time."""
        return np.array([coordinate.kind == ANGLE for coordinate in self.velocities], dtype=bool)

    def coordinate_of_velocity(self) -> np.ndarray:
        """Return for each velocity (nv,) the place in q of the coordinate that it is the rate of, -1 for attitudes."""
        places = np.full(self.nv, -1)
        for motion in self.motions:
            if not isinstance(motion, Attitude):
                places[motion.v] = motion.q
        return places

    def pose(self, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return R (3, 3) and p (3,) at coordinates q."""
        axes, R, p = self.axes(), np.eye(3), np.zeros(3)
        for motion in self.motions:
            turn, travel = motion.pose(axes, self.pitch_per_radian, q)
            R, p = R @ turn, p + R @ travel
        return R, p

    def subspace(self, q: np.ndarray) -> np.ndarray:
        """Return H (6, nv) at coordinates q, child axes, angular first."""
        axes, H = self.axes(), np.zeros((6, self.nv))
        for motion in self.motions:
            R, p = motion.pose(axes, self.pitch_per_radian, q)
            H = np.vstack([R.T @ H[:3], R.T @ (H[3:] - spatial.skew_matrix(p) @ H[:3])])
            H[:, motion.velocities] += motion.columns(axes, self.pitch_per_radian)
        return H

    def freedoms(self) -> np.ndarray:
        """Return the motions [ω; v] (6, nv) of the child that unit velocities give at zero coordinates, child axes."""
        return self.subspace(self.nominal())

    def opening(self, q: np.ndarray) -> float:
        """Return how far a joint that can lock is from it at coordinates q, 0 where it is locked, 1 at best."""
        return 1.0

    def fit_velocities(self, q: np.ndarray, V: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return v (nv,) nearest to a relative velocity V (6,) and what remains of V, child axes."""
        if self.nv in (0, 6):
            return (V.copy(), np.zeros(6)) if self.nv else (np.zeros(0), V.copy())
        H = self.subspace(q)
        v = np.linalg.lstsq(H, V, rcond=None)[0]
        rest = V - H @ v
        rest[np.abs(rest) < 1e-14 * np.abs(V).max(initial=0.0)] = 0.0
        return v, rest

    def misfit(self, q: np.ndarray, R: np.ndarray, p: np.ndarray) -> tuple[float, float]:
        """Return angle and distance between a pose and what the joint makes of it at q."""
        R_fit, p_fit = self.pose(q)
        turn = np.linalg.norm(spatial.rotvec_from_matrix(R_fit.T @ R))
        return float(turn), float(np.linalg.norm(p - p_fit))


def twist(R: np.ndarray, axis: np.ndarray) -> float:
    """Return the angle about `axis` of the turn nearest to R."""
    w, *xyz = spatial.quaternion_from_matrix(R)
    angle = 2.0 * np.arctan2(np.dot(xyz, axis), w)
    return float((angle + np.pi) % (2.0 * np.pi) - np.pi) if abs(angle) > np.pi else float(angle)


def angle_between(axis: np.ndarray, start: np.ndarray, end: np.ndarray) -> float:
    """Return the turn about `axis` that brings `start` above `end`."""
    a, b = start - (axis @ start) * axis, end - (axis @ end) * axis
    return float(np.arctan2(axis @ np.cross(a, b), a @ b))


def about(axis: np.ndarray, angle: float) -> np.ndarray:
    """Return R (3, 3) of a turn about an axis."""
    return spatial.matrix_from_axis_angle(axis, angle)


def wrapped(angles: np.ndarray) -> np.ndarray:
    """Return angles less whole turns, between -π and π."""
    return (angles + np.pi) % (2.0 * np.pi) - np.pi


def unwound(q: np.ndarray, turns: np.ndarray, near: np.ndarray | None) -> np.ndarray:
    """Return q with whole turns added to the entries marked in `turns`, so that they come nearest to `near`."""
    if near is None:
        return q
    return np.where(turns, near + wrapped(q - near), q)
