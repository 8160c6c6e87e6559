"""Joints: what a body may do with respect to its parent.

A joint frame F sits on the parent (at a point or node, turned by `rotation`); the child's frame C coincides
with F at zero coordinates. Axes are given in C, "x", "y", "z", "-z" or any vector. Coordinates q and
velocities v of each joint (angles in radians, lengths in the units of the model):

    Locked       none
    Revolute     angle about the axis
    Prismatic    travel along the axis
    Screw        angle about the axis; the child travels `pitch` along it each turn
    Cylindrical  angle about, then travel along the axis
    Universal    angles about two axes, the second carried by the first
    Gimbal       angles about three axes, each carried by the one before
    Ball         quaternion (scalar first); v is the angular velocity in C
    Planar       travel along two directions in the plane, angle about its normal
    Free         quaternion, position of C in F; v is [ω; v], both in C

`stiffness`, `damping` and `rest` make a spring and a damper along the coordinates: one number, or one for
each. A ball joint's spring is isotropic with torque k sin φ, φ the turn from its rest, a quaternion (4,) or Rotation; a
free joint has no spring.
`prescribed=True` makes the motion of a joint an input: its accelerations are given, the forces that they need
are a result.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from interstage.errors import InputError
from interstage.multibody.kernels import kinematics as kinds
from interstage.spatial import Rotation

Axis = str | Sequence[float]
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
    vector = np.asarray(axis, dtype=float)
    if vector.shape != (3,) or not np.isfinite(vector).all() or np.linalg.norm(vector) == 0.0:
        raise InputError(
            "an axis must be a direction", expected="three numbers, not all zero", got=repr(axis)
        )
    return vector / np.linalg.norm(vector)


@dataclass(frozen=True)
class Joint:
    """Base of all joints; `kind`, `nq`, `nv` and `linear` (q̇ = v) are fixed by the class."""

    stiffness: float | Sequence[float] = 0.0
    damping: float | Sequence[float] = 0.0
    rest: float | Sequence[float] = 0.0
    prescribed: bool = False

    kind = kinds.LOCKED
    nq = 0
    nv = 0
    linear = True
    pitch_per_radian = 0.0

    def __post_init__(self) -> None:
        """Refuse what a joint cannot use: nothing that is given is ignored."""

    def axes(self) -> np.ndarray:
        """Return up to three unit axes as rows of a (3, 3) array."""
        return np.zeros((3, 3))

    def freedoms(self) -> np.ndarray:
        """Return the motions [ω; v] (6, nv) of the child that unit velocities give at zero coordinates, child axes."""
        return np.zeros((6, 0))

    def _refuse(self, why: str, *names: str) -> None:
        """Refuse parameters that are not zero."""
        for name in names:
            if np.any(np.asarray(getattr(self, name)) != 0.0):
                raise InputError(
                    why,
                    where=f"{type(self).__name__}, {name}",
                    got=repr(getattr(self, name)),
                    expected="none",
                )

    def spread(self, name: str) -> np.ndarray:
        """Return `stiffness`, `damping` or `rest` as one number for each velocity."""
        value = np.asarray(getattr(self, name), dtype=float)
        if value.shape not in ((), (self.nv,)) or not np.isfinite(value).all():
            raise InputError(
                f"the {name} of a joint does not fit it",
                where=type(self).__name__,
                expected=f"one finite number or {self.nv}",
                got=repr(getattr(self, name)),
            )
        if (
            not self.linear
            and np.any(value != value.flat[0] if value.size else False)
            and name == "stiffness"
        ):
            raise InputError("the spring of a ball joint must be isotropic", got=repr(self.stiffness))
        return np.broadcast_to(value, (self.nv,)).copy()

    def nominal(self) -> np.ndarray:
        """Return the coordinates at which child and parent frames coincide."""
        q = np.zeros(self.nq)
        if not self.linear:
            q[0] = 1.0
        return q

    def coordinate_names(self) -> list[str]:
        """Return a short name for each velocity."""
        return [f"q{k + 1}" for k in range(self.nv)]


@dataclass(frozen=True)
class Locked(Joint):
    """No motion: the child is fixed to the node."""

    def __post_init__(self) -> None:
        self._refuse("a locked joint does not move", "stiffness", "damping", "rest", "prescribed")


def _set(joint: Joint, **values: object) -> None:
    """Write the fields of a joint under construction."""
    for name, value in values.items():
        object.__setattr__(joint, name, value)


@dataclass(frozen=True)
class _OneAxis(Joint):
    """A joint with one axis, first argument."""

    axis: Axis = "z"
    nq = nv = 1

    def __init__(self, axis: Axis = "z", stiffness=0.0, damping=0.0, rest=0.0, prescribed=False):
        _set(self, axis=axis, stiffness=stiffness, damping=damping, rest=rest, prescribed=bool(prescribed))
        unit_axis(axis)

    def axes(self) -> np.ndarray:
        rows = np.zeros((3, 3))
        rows[0] = unit_axis(self.axis)
        return rows


class Revolute(_OneAxis):
    """Turn about one axis."""

    kind = kinds.REVOLUTE

    def freedoms(self) -> np.ndarray:
        return _columns(turns=self.axes()[:1])

    def coordinate_names(self) -> list[str]:
        return ["angle"]


class Prismatic(_OneAxis):
    """Slide along one axis."""

    kind = kinds.PRISMATIC

    def freedoms(self) -> np.ndarray:
        return _columns(travels=self.axes()[:1])

    def coordinate_names(self) -> list[str]:
        return ["travel"]


class Cylindrical(_OneAxis):
    """Turn about and slide along one axis."""

    kind = kinds.CYLINDRICAL
    nq = nv = 2

    def freedoms(self) -> np.ndarray:
        return np.hstack([_columns(turns=self.axes()[:1]), _columns(travels=self.axes()[:1])])

    def coordinate_names(self) -> list[str]:
        return ["angle", "travel"]


class Screw(_OneAxis):
    """Turn about an axis and travel along it by `pitch` (length a turn)."""

    kind = kinds.SCREW

    def __init__(
        self, axis: Axis = "z", pitch: float = 0.0, stiffness=0.0, damping=0.0, rest=0.0, prescribed=False
    ):
        super().__init__(axis, stiffness, damping, rest, prescribed)
        if not isinstance(pitch, int | float | np.number) or not np.isfinite(pitch):
            raise InputError("the pitch of a screw must be a finite length a turn", got=repr(pitch))
        _set(self, pitch=float(pitch))

    @property
    def pitch_per_radian(self) -> float:
        return self.pitch / (2.0 * np.pi)

    def freedoms(self) -> np.ndarray:
        axis = self.axes()[:1]
        return _columns(turns=axis) + self.pitch_per_radian * _columns(travels=axis)

    def coordinate_names(self) -> list[str]:
        return ["angle"]


@dataclass(frozen=True)
class _ManyAxes(Joint):
    """A joint with several named axes."""

    sequence: Sequence[Axis] = ()

    def __init__(self, sequence: Sequence[Axis], stiffness=0.0, damping=0.0, rest=0.0, prescribed=False):
        if len(sequence) != self.nv:
            raise InputError(
                "a joint has a wrong number of axes",
                where=type(self).__name__,
                expected=f"{self.nv}",
                got=repr(sequence),
            )
        _set(self, sequence=tuple(sequence), stiffness=stiffness, damping=damping, rest=rest)
        _set(self, prescribed=bool(prescribed))
        rows = self.axes()[: self.nv]
        if any(np.linalg.norm(np.cross(a, b)) < 1e-6 for a, b in itertools.pairwise(rows)):
            raise InputError(
                "two neighbouring axes of a joint are parallel", where=type(self).__name__, got=repr(sequence)
            )

    def axes(self) -> np.ndarray:
        rows = np.zeros((3, 3))
        for k, axis in enumerate(self.sequence):
            rows[k] = unit_axis(axis)
        return rows

    def freedoms(self) -> np.ndarray:
        return _columns(turns=self.axes()[: self.nv])

    def coordinate_names(self) -> list[str]:
        return [f"angle{k + 1}" for k in range(self.nv)]


class Universal(_ManyAxes):
    """Turn about two axes, the second carried by the first (default x, then y)."""

    kind = kinds.UNIVERSAL
    nq = nv = 2

    def __init__(
        self, sequence: Sequence[Axis] = "xy", stiffness=0.0, damping=0.0, rest=0.0, prescribed=False
    ):
        super().__init__(sequence, stiffness, damping, rest, prescribed)


class Gimbal(_ManyAxes):
    """Turn about three axes, each carried by the one before (default x, y, z)."""

    kind = kinds.GIMBAL
    nq = nv = 3

    def __init__(
        self, sequence: Sequence[Axis] = "xyz", stiffness=0.0, damping=0.0, rest=0.0, prescribed=False
    ):
        super().__init__(sequence, stiffness, damping, rest, prescribed)


class Planar(_OneAxis):
    """Slide in a plane and turn about its normal; travel is along two directions fixed in the parent."""

    kind = kinds.PLANAR
    nq = nv = 3

    def axes(self) -> np.ndarray:
        normal = unit_axis(self.axis)
        # x, y for a normal along z; otherwise the pair that a right-handed frame gives, nearest to x, y, z in turn
        first = (
            np.roll(normal, 1)
            if np.count_nonzero(normal) == 1
            else np.cross(normal, np.eye(3)[_flat(normal)])
        )
        first = first / np.linalg.norm(first)
        return np.array([first, np.cross(normal, first), normal])

    def freedoms(self) -> np.ndarray:
        axes = self.axes()
        return np.hstack([_columns(travels=axes[:2]), _columns(turns=axes[2:])])

    def coordinate_names(self) -> list[str]:
        return ["travel1", "travel2", "angle"]


def _columns(turns: np.ndarray | None = None, travels: np.ndarray | None = None) -> np.ndarray:
    """Return motions (6, k) that turn about, or travel along, the rows of an array (k, 3)."""
    given = turns if turns is not None else travels
    none = np.zeros_like(given)
    return np.vstack([given.T, none.T] if turns is not None else [none.T, given.T])


def _flat(normal: np.ndarray) -> int:
    return int(np.argmin(np.abs(normal)))


@dataclass(frozen=True)
class Ball(Joint):
    """Turn freely about a point; coordinates are a quaternion, and so is the rest of its spring.

    The spring is isotropic: torque -k sin φ about the axis of the turn φ from rest, energy k (1 - cos φ).
    """

    kind = kinds.BALL
    nq = 4
    nv = 3
    linear = False

    def __post_init__(self) -> None:
        self.rest_quaternion()

    def rest_quaternion(self) -> np.ndarray:
        """Return the unit quaternion (4,), scalar part not negative, at which the spring is at rest."""
        if isinstance(self.rest, Rotation):
            q = np.asarray(self.rest.quaternion, dtype=float)
        else:
            q = np.asarray(self.rest, dtype=float)
            q = np.array([1.0, 0.0, 0.0, 0.0]) if q.shape == () and q == 0.0 else q
        if q.shape != (4,) or not np.isfinite(q).all() or not np.linalg.norm(q) > 0.0:
            raise InputError(
                "the rest of a ball joint's spring is an attitude",
                where="Ball, rest",
                expected="a quaternion (4,), scalar first, or a Rotation",
                got=repr(self.rest),
            )
        return q / np.linalg.norm(q) * (-1.0 if q[0] < 0.0 else 1.0)

    def spread(self, name: str) -> np.ndarray:
        """Return one number for each velocity; `rest` as the vector part (3,) of its quaternion."""
        return self.rest_quaternion()[1:] if name == "rest" else super().spread(name)

    def freedoms(self) -> np.ndarray:
        return _columns(turns=np.eye(3))

    def coordinate_names(self) -> list[str]:
        return ["wx", "wy", "wz"]


@dataclass(frozen=True)
class Free(Joint):
    """No constraint at all; coordinates are a quaternion and a position."""

    kind = kinds.FREE
    nq = 7
    nv = 6
    linear = False

    def __post_init__(self):
        self._refuse("a free joint has no spring", "stiffness", "rest")

    def freedoms(self) -> np.ndarray:
        return np.eye(6)

    def coordinate_names(self) -> list[str]:
        return ["wx", "wy", "wz", "vx", "vy", "vz"]


KNOWN = (Locked, Revolute, Prismatic, Screw, Cylindrical, Universal, Gimbal, Ball, Planar, Free)


def as_joint(joint: object, where: str) -> Joint:
    """Return a joint that the engine knows, or say what is wrong with it."""
    if not isinstance(joint, KNOWN) or [k.kind for k in KNOWN if isinstance(joint, k)] != [joint.kind]:
        raise InputError(
            "not a joint", where=where, expected=", ".join(k.__name__ for k in KNOWN), got=repr(joint)
        )
    for name in ("stiffness", "damping", "rest"):
        joint.spread(name)
    return joint
