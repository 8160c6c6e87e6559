"""CTETRA: the four-node tetrahedron of constant strain and the ten-node quadratic tetrahedron.

Four nodes reproduce Nastran's CTETRA to round-off. Ten nodes (any mid-edge node may be absent) are plain
isoparametric with four points, exact for straight edges. The element axes are the polar rotation of a
regular parent tetrahedron, as in Nastran.
"""

from __future__ import annotations

import numpy as np

from interstage.fem.elements.solid_common import SolidShape, shape_stiffness

EDGES = ((0, 1), (1, 2), (2, 0), (0, 3), (1, 3), (2, 3))
FACES = ((0, 2, 1), (0, 1, 3), (1, 2, 3), (2, 0, 3))
_REGULAR = np.array([[-1.0, -1.0, -1.0], [-1.0, 1.0, 1.0], [1.0, -1.0, 1.0], [1.0, 1.0, -1.0]])
CENTRE = _REGULAR.T / 4.0


def linear_functions(points: np.ndarray) -> np.ndarray:
    """Volume coordinates (p, 4) of points (r, s, t) in the corner tetrahedron."""
    return np.column_stack([1.0 - points.sum(axis=1), points])


def quadratic_functions(points: np.ndarray) -> np.ndarray:
    """Ten-node functions (p, 10)."""
    L = linear_functions(points)
    edge = np.stack([4.0 * L[:, a] * L[:, b] for a, b in EDGES], axis=1)
    return np.concatenate([L * (2.0 * L - 1.0), edge], axis=1)


def _fourteen_points():
    """Rule of degree 5 of Walkington (2000): exact for the mass of straight-edged elements."""
    points, weights = [], []
    for a, w in ((0.3108859192633006, 0.01878132095300264), (0.09273525031089123, 0.01224884051939366)):
        b = 1.0 - 3.0 * a
        points += [(a, a, a), (b, a, a), (a, b, a), (a, a, b)]
        weights += [w] * 4
    a = 0.04550370412564965
    b = 0.5 - a
    points += [(a, a, b), (a, b, a), (b, a, a), (b, b, a), (b, a, b), (a, b, b)]
    weights += [0.007091003462846911] * 6
    return np.array(points), np.array(weights) / (6.0 * np.sum(weights))


_A, _B = (5.0 - np.sqrt(5.0)) / 20.0, (5.0 + 3.0 * np.sqrt(5.0)) / 20.0
_POINTS_1 = (np.full((1, 3), 0.25), np.array([1.0 / 6.0]))
_POINTS_4 = (np.array([[_A, _A, _A], [_B, _A, _A], [_A, _B, _A], [_A, _A, _B]]), np.full(4, 1.0 / 24.0))

_PLACES = np.concatenate([np.full((1, 3), 0.25), np.zeros((1, 3)), np.eye(3)])
_OUTPUT = {"places": _PLACES, "corner_functions": linear_functions}
TETRA4 = SolidShape("CTETRA", 4, (), linear_functions, *_POINTS_1, *_POINTS_4, CENTRE, FACES, **_OUTPUT)
TETRA10 = SolidShape(
    "CTETRA", 4, EDGES, quadratic_functions, *_POINTS_4, *_fourteen_points(), CENTRE, FACES, **_OUTPUT
)


def tetra4_stiffness(xyz: np.ndarray, C: np.ndarray) -> np.ndarray:
    """Stiffness (n, 12, 12) of four-node tetrahedra xyz (n, 4, 3), moduli C (n, 6, 6), all in basic axes."""
    return shape_stiffness(TETRA4, (True,) * 4, xyz, C)
