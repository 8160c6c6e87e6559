"""Angles of rotations about given axes, for joints that are fitted to a pose."""

from __future__ import annotations

import numpy as np

from interstage.spatial import functions as spatial


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
