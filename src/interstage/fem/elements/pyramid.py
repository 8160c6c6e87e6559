"""CPYRAM: the pyramid with 5 nodes and with 13 nodes.

The functions are Bedrosian's (1992), written in the coordinates of a cube collapsed onto the apex,
ξ = r(1 − t), η = s(1 − t), ζ = t, where they are polynomials; so gradients are integrated exactly by products
of Gauss points and constant stress states are exact. Plain isoparametric stiffness. Nastran's own matrix is
not known to us.
"""

from __future__ import annotations

import numpy as np

from interstage.fem.elements.solid_common import SolidShape, gauss, product_rule

BASE = np.array([[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]])
EDGES = ((0, 1), (1, 2), (2, 3), (3, 0), (0, 4), (1, 4), (2, 4), (3, 4))
FACES = ((0, 3, 2, 1), (0, 1, 4), (1, 2, 4), (2, 3, 4), (3, 0, 4))
# gradients at the middle of the axis in the uncollapsed parent, base edge 2 and height 1
CENTRE = np.column_stack([np.concatenate([BASE.T / 4.0, np.full((1, 4), -0.25)]), [0.0, 0.0, 1.0]])


def linear_functions(points: np.ndarray) -> np.ndarray:
    """Five-node functions (p, 5) at collapsed points (r, s, t), t from 0 at the base to 1 at the apex."""
    t = points[:, 2:]
    base = np.prod(1.0 + points[:, None, :2] * BASE, axis=2) * (1.0 - t) / 4.0
    return np.concatenate([base, t], axis=1)


def quadratic_functions(points: np.ndarray) -> np.ndarray:
    """Thirteen-node functions (p, 13)."""
    r, s, t = points[:, :1], points[:, 1:2], points[:, 2:]
    u = 1.0 - t
    along = points[:, None, :2] * BASE
    corner = np.prod(1.0 + along, axis=2) * u
    base = corner * (u * along.sum(axis=2) - 1.0) / 4.0
    cross_r, cross_s = (1.0 - r**2) * u**2 / 2.0, (1.0 - s**2) * u**2 / 2.0
    middle = np.concatenate(
        [cross_r * (1.0 - s), cross_s * (1.0 + r), cross_r * (1.0 + s), cross_s * (1.0 - r)], axis=1
    )
    return np.concatenate([base, t * (2.0 * t - 1.0), middle, corner * t], axis=1)


def _rule(n: int):
    x, w = gauss(n)
    return product_rule((x, w), (x, w), ((x + 1.0) / 2.0, w / 2.0))


# gradients have no value at the apex itself, only a limit along the axis
_PLACES = np.concatenate([[[0.0, 0.0, 0.25]], np.column_stack([BASE, np.zeros(4)]), [[0.0, 0.0, 1.0 - 1e-6]]])
_OUTPUT = {"places": _PLACES, "corner_functions": linear_functions}
PYRAM5 = SolidShape("CPYRAM", 5, (), linear_functions, *_rule(2), *_rule(3), CENTRE, FACES, **_OUTPUT)
PYRAM13 = SolidShape("CPYRAM", 5, EDGES, quadratic_functions, *_rule(3), *_rule(4), CENTRE, FACES, **_OUTPUT)
