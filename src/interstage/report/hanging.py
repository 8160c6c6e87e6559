"""Places on bodies that bend, and where bodies are drawn that hang on a structure whose bending is drawn larger.

A place l of a body with shapes Γ, Λ is drawn at l + g Γη, turned by g Λη. What hangs there keeps its pose beside the
place, X' = X'_place X_place⁻¹ X, on and on along the tree.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from interstage.errors import InputError
from interstage.multibody import State, System
from interstage.multibody.places import shape_of
from interstage.multibody.types import Node
from interstage.spatial import Rotation

Pose = tuple[np.ndarray, np.ndarray]


@dataclass(frozen=True)
class Spot:
    """A place (3,) in the axes of a body, and how modes move and turn it, (3, n) each; n is 0 where none does."""

    place: np.ndarray
    move: np.ndarray
    turn: np.ndarray

    def pose(self, eta: np.ndarray, gain: float = 1.0) -> Pose:
        """Return R (3, 3) and position (3,) in the frame of the body, with its bending times a gain."""
        if not self.move.shape[1]:
            return np.eye(3), self.place
        R = Rotation.from_rotation_vector(gain * (self.turn @ eta)).matrix
        return R, self.place + gain * (self.move @ eta)

    def kept(self, modes: np.ndarray) -> Spot:
        """Return the spot with some of the modes."""
        if not self.move.shape[1]:
            none = np.zeros((3, len(modes)))
            return Spot(self.place, none, none)
        return Spot(self.place, self.move[:, modes], self.turn[:, modes])


def spot_of(system: System, body: str, place: Node) -> Spot:
    """Return a node of a flexible body, a point of a rigid one, or the frame of a body."""
    l, turn, move = shape_of(system, body, place)
    return Spot(l - shape_of(system, body, None)[0], move, turn)


def hung_on(system: System, body: str) -> tuple[str, Spot] | None:
    """Return what carries a body, and where; None of one on the ground, or on a place that is no node."""
    spec = system.model.spec(body)
    if spec.parent is None:
        return None
    place = spec.at
    node = int(place) if isinstance(place, int | np.integer) else place
    try:
        return spec.parent, spot_of(system, spec.parent, node)
    except InputError:
        return None


def drawn_pose(pose: Pose, spot: Spot, eta: np.ndarray, parent: Pose, drawn: Pose, gain: float) -> Pose:
    """Return where a body is drawn: pose it has; spot it hangs on; parent's pose as it is, and as it is drawn."""
    R1, p1 = _after(parent, spot.pose(eta))
    R2, p2 = _after(drawn, spot.pose(eta, gain))
    return R2 @ R1.T @ pose[0], p2 + R2 @ (R1.T @ (pose[1] - p1))


def _after(frame: Pose, inside: Pose) -> Pose:
    return frame[0] @ inside[0], frame[1] + frame[0] @ inside[1]


def drawn_poses(system: System, x: State, gain: float) -> dict[str, Pose]:
    """Return R (3, 3) and position (3,) of every body with the bending of structures times a gain."""
    true: dict[str, Pose] = {}
    drawn: dict[str, Pose] = {}
    for body in system.bodies:
        pose = system.rotation(x, body), system.position(x, body)
        found = None if gain == 1.0 else hung_on(system, body)
        true[body] = drawn[body] = pose
        if found is not None:
            parent, spot = found
            drawn[body] = drawn_pose(pose, spot, x[parent].eta, true[parent], drawn[parent], gain)
    return drawn
