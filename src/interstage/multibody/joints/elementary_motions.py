"""Elementary motions: what a joint is put together from.

A joint moves its child by one elementary motion after another, each in the frame that those before it have moved:

    Turn      an angle about an axis
    Travel    a length along an axis; pitched: `pitch_per_radian` times the angle of the motion before it
    Attitude  a quaternion (scalar first); velocities are the angular velocity in the turned frame
    Pose      quaternion and position; velocities are [ω; v], both in the moved frame

From this list follow numbers, names and kinds of coordinates and velocities, the pose and the motion subspace. A
quaternion comes first among the coordinates and velocities of its joint, whatever its place in the list.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from interstage.spatial import functions as spatial

ANGLE, LENGTH, QUATERNION, MODAL = "angle", "length", "quaternion", "modal"


class Coordinate(NamedTuple):
    """Name of a coordinate or velocity, and kind of it or of its integral: "angle", "length", "quaternion", "modal"."""

    name: str
    kind: str


@dataclass(frozen=True)
class ElementaryMotion:
    """One elementary motion; `q` and `v` are the places of its first coordinate and velocity in those of its joint.

    axis : row of the joint's axes
    """

    axis: int = 0
    q: int = -1
    v: int = -1

    nq = 1
    nv = 1
    word = ""

    @property
    def coordinates(self) -> slice:
        """Places of its coordinates in those of its joint."""
        return slice(self.q, self.q + self.nq)

    @property
    def velocities(self) -> slice:
        """Places of its velocities in those of its joint."""
        return slice(self.v, self.v + self.nv)

    def pose(self, axes: np.ndarray, pitch: float, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return R (3, 3) and p (3,) of the moved frame in the one before, q of the joint."""
        raise NotImplementedError

    def columns(self, axes: np.ndarray, pitch: float) -> np.ndarray:
        """Return [ω; v] (6, nv) of the moved frame, its axes, for unit velocities."""
        raise NotImplementedError

    def names(self, number: str) -> tuple[list[Coordinate], list[Coordinate], list[Coordinate]]:
        """Return coordinates (nq), velocities (nv) and small motions (nv) by name; `number` tells it from others."""
        own = [Coordinate(self.word + number, ANGLE if self.word == "angle" else LENGTH)]
        return own, own, own


@dataclass(frozen=True)
class Turn(ElementaryMotion):
    """Turn about an axis."""

    word = "angle"

    def pose(self, axes: np.ndarray, pitch: float, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        if q[self.q] == 0.0:  # where vehicles are described: no kernel is needed for it
            return np.eye(3), np.zeros(3)
        return spatial.matrix_from_axis_angle(axes[self.axis], q[self.q]), np.zeros(3)

    def columns(self, axes: np.ndarray, pitch: float) -> np.ndarray:
        return np.concatenate([axes[self.axis], np.zeros(3)])[:, None]


@dataclass(frozen=True)
class Travel(ElementaryMotion):
    """Travel along an axis; a pitched one has no coordinate of its own, but follows the motion before it."""

    pitched: bool = False
    word = "travel"

    def pose(self, axes: np.ndarray, pitch: float, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return np.eye(3), (pitch if self.pitched else 1.0) * q[self.q] * axes[self.axis]

    def columns(self, axes: np.ndarray, pitch: float) -> np.ndarray:
        along = (pitch if self.pitched else 1.0) * axes[self.axis]
        return np.concatenate([np.zeros(3), along])[:, None]


@dataclass(frozen=True)
class Attitude(ElementaryMotion):
    """Turn freely about a point."""

    nq = 4
    nv = 3

    def pose(self, axes: np.ndarray, pitch: float, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        quaternion = q[self.q : self.q + 4]
        return spatial.matrix_from_quaternion(quaternion / np.linalg.norm(quaternion)), np.zeros(3)

    def columns(self, axes: np.ndarray, pitch: float) -> np.ndarray:
        return np.eye(6)[:, :3]

    def names(self, number: str) -> tuple[list[Coordinate], list[Coordinate], list[Coordinate]]:
        return (
            [Coordinate(f"quaternion{k}", QUATERNION) for k in range(4)],
            [Coordinate(f"w{axis}", ANGLE) for axis in "xyz"],
            [Coordinate(f"r{axis}", ANGLE) for axis in "xyz"],
        )


@dataclass(frozen=True)
class FreePose(Attitude):
    """Turn and travel freely; the position is in the frame before, its velocity in the moved one."""

    nq = 7
    nv = 6

    def pose(self, axes: np.ndarray, pitch: float, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return super().pose(axes, pitch, q)[0], np.array(q[self.q + 4 : self.q + 7])

    def columns(self, axes: np.ndarray, pitch: float) -> np.ndarray:
        return np.eye(6)

    def names(self, number: str) -> tuple[list[Coordinate], list[Coordinate], list[Coordinate]]:
        q, v, small = super().names(number)
        return (
            q + [Coordinate(f"position{k}", LENGTH) for k in range(3)],
            v + [Coordinate(f"v{axis}", LENGTH) for axis in "xyz"],
            small + [Coordinate(axis, LENGTH) for axis in "xyz"],
        )


def own_coordinates(motion: ElementaryMotion) -> bool:
    """Tell whether a motion has coordinates of its own."""
    return not (isinstance(motion, Travel) and motion.pitched)


def placed(motions: Sequence[ElementaryMotion]) -> tuple[ElementaryMotion, ...]:
    """Return the motions in their order with the places of their coordinates: quaternions first."""
    order = sorted(range(len(motions)), key=lambda k: not isinstance(motions[k], Attitude))
    found, q, v = list(motions), 0, 0
    for k in order:
        if own_coordinates(motions[k]):
            found[k] = replace(motions[k], q=q, v=v)
            q, v = q + motions[k].nq, v + motions[k].nv
    for k, motion in enumerate(motions):
        if not own_coordinates(motion):
            found[k] = replace(motion, q=found[k - 1].q, v=found[k - 1].v)
    return tuple(found)


def named(
    motions: Sequence[ElementaryMotion],
) -> tuple[tuple[Coordinate, ...], tuple[Coordinate, ...], tuple[Coordinate, ...]]:
    """Return coordinates (nq), velocities (nv) and small motions (nv) of placed motions, by name and kind.

    Names are numbered where several motions are alike: "angle1", "angle2".
    """
    own = sorted((m for m in motions if own_coordinates(m)), key=lambda m: m.v)
    words = [m.word for m in own]
    parts: tuple[list[Coordinate], ...] = ([], [], [])
    for k, motion in enumerate(own):
        number = str(words[: k + 1].count(motion.word)) if words.count(motion.word) > 1 else ""
        for part, more in zip(parts, motion.names(number)):
            part += more
    q, v, small = (tuple(part) for part in parts)
    return q, v, small
