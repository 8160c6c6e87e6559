"""Conditions on two frames that a joint makes where it closes a loop; their equations: `kernels.closure_rows`."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from interstage.multibody.kernels.closure_rows import ALONG, DOT, SCREW_ROW, TURN


@dataclass(frozen=True)
class ConstraintRow:
    """One scalar condition of a closure: kind, directions u (first frame) and w (second), constant, words.

    as_angle : it holds a turn or tilt at zero, so that a search from afar may use that angle for its error
    """

    kind: int
    u: np.ndarray
    w: np.ndarray
    c: float
    words: str
    as_angle: bool = False


def across(axis: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return two unit vectors across an axis, right-handed with it: coordinate axes where it is one."""
    k = int(np.argmax(np.abs(axis)))
    first = np.eye(3)[(k + 1) % 3]
    first = first - (first @ axis) * axis
    first = first / np.linalg.norm(first)
    return first, np.cross(axis, first)


def direction_words(direction: np.ndarray) -> str:
    """Name a direction: "x", "-y", or its numbers."""
    for name, axis in zip("xyz", np.eye(3)):
        if np.allclose(direction, axis, atol=1e-12):
            return name
        if np.allclose(direction, -axis, atol=1e-12):
            return f"-{name}"
    return "(" + ", ".join(f"{value:.3g}" for value in direction) + ")"


def no_travel(directions: Iterable[np.ndarray] | None = None) -> list[ConstraintRow]:
    """Return rows against travel along some directions, by default all three."""
    directions = np.eye(3) if directions is None else directions
    return [
        ConstraintRow(ALONG, u, np.zeros(3), 0.0, f"travel along {direction_words(u)}") for u in directions
    ]


def no_turn() -> list[ConstraintRow]:
    """Return three rows against any turn."""
    x, y, z = np.eye(3)
    return [
        ConstraintRow(TURN, u, w, 0.0, f"turn about {name}", as_angle=True)
        for name, u, w in (("x", z, y), ("y", x, z), ("z", y, x))
    ]


def aligned(axis: np.ndarray) -> list[ConstraintRow]:
    """Return two rows that keep an axis of both frames in one direction."""
    first, second = across(axis)
    return [
        ConstraintRow(DOT, second, -axis, 0.0, f"tilt about {direction_words(first)}", as_angle=True),
        ConstraintRow(DOT, first, axis, 0.0, f"tilt about {direction_words(second)}", as_angle=True),
    ]


def same_angle(a: np.ndarray, b: np.ndarray) -> ConstraintRow:
    """Return a row that keeps the angle between an axis of the first frame and one of the second."""
    words = f"angle between {direction_words(a)} and {direction_words(b)}"
    return ConstraintRow(DOT, a, b, float(a @ b), words)


def screwed(axis: np.ndarray, pitch_per_radian: float) -> ConstraintRow:
    """Return a row that binds travel along an axis to the turn about it."""
    first, second = across(axis)
    return ConstraintRow(SCREW_ROW, first, second, pitch_per_radian, f"screw along {direction_words(axis)}")
