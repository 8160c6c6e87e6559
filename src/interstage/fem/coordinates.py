"""Coordinate systems: rectangular, cylindrical and spherical, nested in any order."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from interstage.errors import InputError, known_names

RECTANGULAR, CYLINDRICAL, SPHERICAL = "R", "C", "S"


@dataclass(frozen=True)
class CoordinateSystem:
    """One system: its origin and its (rectangular) axes in basic, `x_basic = origin + R @ x_local`."""

    kind: str
    origin: np.ndarray
    R: np.ndarray

    def to_basic(self, point: np.ndarray) -> np.ndarray:
        """Basic coordinates of points (n, 3) given as (x, y, z), (r, θ°, z) or (r, θ°, φ°)."""
        return self.origin + cartesian(self.kind, point) @ self.R.T

    def axes(self, xyz_basic: np.ndarray) -> np.ndarray:
        """Local unit vectors at points (n, 3), as columns of (n, 3, 3): `x_basic = R @ x_local`.

        On the polar axis, where the radial direction is undefined, θ = 0 is taken. There is no tolerance: a point
        off the axis by round-off has the radial direction of that round-off, as in the results of real runs.
        """
        n = len(xyz_basic)
        if self.kind == RECTANGULAR:
            return np.broadcast_to(self.R, (n, 3, 3))
        local = (xyz_basic - self.origin) @ self.R
        radius = np.hypot(local[:, 0], local[:, 1])
        size = np.maximum(np.linalg.norm(local, axis=1), np.finfo(float).tiny)
        off_axis = radius > 0.0
        safe = np.where(off_axis, radius, 1.0)
        c = np.where(off_axis, local[:, 0] / safe, 1.0)
        s = np.where(off_axis, local[:, 1] / safe, 0.0)
        axes = np.zeros((n, 3, 3))
        if self.kind == CYLINDRICAL:
            axes[:, 0, 0], axes[:, 1, 0] = c, s
            axes[:, 0, 1], axes[:, 1, 1] = -s, c
            axes[:, 2, 2] = 1.0
        else:
            sin_t, cos_t = radius / size, local[:, 2] / size
            axes[:, 0, 0], axes[:, 1, 0], axes[:, 2, 0] = sin_t * c, sin_t * s, cos_t
            axes[:, 0, 1], axes[:, 1, 1], axes[:, 2, 1] = cos_t * c, cos_t * s, -sin_t
            axes[:, 0, 2], axes[:, 1, 2] = -s, c
        return self.R @ axes


def cartesian(kind: str, point: np.ndarray) -> np.ndarray:
    """Cartesian components of points (n, 3) in a system of this kind; angles in degrees.

    Cylindrical: (r cos θ, r sin θ, z). Spherical: θ from the polar axis, φ about it.
    """
    point = np.asarray(point, dtype=float)
    if kind == RECTANGULAR:
        return point
    out = np.empty_like(point)
    if kind == CYLINDRICAL:
        theta = np.radians(point[:, 1])
        out[:, 0] = point[:, 0] * np.cos(theta)
        out[:, 1] = point[:, 0] * np.sin(theta)
        out[:, 2] = point[:, 2]
        return out
    theta, phi = np.radians(point[:, 1]), np.radians(point[:, 2])
    out[:, 0] = point[:, 0] * np.sin(theta) * np.cos(phi)
    out[:, 1] = point[:, 0] * np.sin(theta) * np.sin(phi)
    out[:, 2] = point[:, 0] * np.cos(theta)
    return out


def system_from_points(kind: str, a: np.ndarray, b: np.ndarray, c: np.ndarray) -> CoordinateSystem | None:
    """System with origin a, z axis through b, and c in its xz plane (basic coordinates); None if collinear."""
    z, x = b - a, c - a
    length = np.linalg.norm(z)
    if not length > 0.0:
        return None
    z = z / length
    y = np.cross(z, x)
    if not np.linalg.norm(y) > 1e-10 * np.linalg.norm(x):
        return None
    y = y / np.linalg.norm(y)
    return CoordinateSystem(kind, a, np.column_stack([np.cross(y, z), y, z]))


BASIC = CoordinateSystem(RECTANGULAR, np.zeros(3), np.eye(3))


class Coordinates:
    """All coordinate systems of a model, by id; 0 is basic."""

    def __init__(self):
        self.systems: dict[int, CoordinateSystem] = {0: BASIC}

    def __contains__(self, cid: int) -> bool:
        return int(cid) in self.systems

    def __getitem__(self, cid: int) -> CoordinateSystem:
        try:
            return self.systems[int(cid)]
        except KeyError:
            raise InputError(
                f"coordinate system {cid} is not defined", hint=known_names(sorted(self.systems))
            ) from None

    def move(self, R: np.ndarray, shift: np.ndarray) -> None:
        """Carry all systems, that of number 0 included, by x -> R x + shift."""
        self.systems = {
            cid: CoordinateSystem(one.kind, R @ one.origin + shift, R @ one.R)
            for cid, one in self.systems.items()
        }

    def to_basic(self, cid: np.ndarray, point: np.ndarray) -> np.ndarray:
        """Basic coordinates (n, 3) of points given in the systems `cid` (n,)."""
        cid = np.asarray(cid, dtype=np.int64)
        point = np.asarray(point, dtype=float)
        out = np.array(point)
        for one in np.unique(cid):
            if self[one] is not BASIC:
                here = cid == one
                out[here] = self[one].to_basic(point[here])
        return out

    def axes(self, cid: np.ndarray, xyz_basic: np.ndarray) -> np.ndarray:
        """Unit vectors (n, 3, 3) of the systems `cid` (n,) at points of basic coordinates (n, 3), as columns."""
        cid = np.asarray(cid, dtype=np.int64)
        out = np.zeros((len(cid), 3, 3))
        for one in np.unique(cid):
            here = cid == one
            out[here] = self[one].axes(np.asarray(xyz_basic)[here])
        return out
