"""Bodies and attachments that several tests of the mass tree share."""

from __future__ import annotations

import numpy as np

from interstage.mass import MassBody
from interstage.spatial import Rotation

PLATE = np.diag([1 / 3, 5 / 12, 1 / 12])  # uniform plate (1, 0, 2) m, 1 kg
BLOCK = np.diag([5 / 12, 5 / 12, 1 / 6])  # uniform block (1, 1, 2) m, 1 kg
ROOT3 = np.sqrt(3.0)


def plate(name: str) -> MassBody:
    return MassBody(name, mass=1.0, inertia=PLATE)


def block(name: str) -> MassBody:
    return MassBody(name, mass=1.0, inertia=BLOCK)


def edge(normal) -> np.ndarray:
    """Axes (columns) of a point on an edge of a plate: x along the outward normal, z along y of the plate."""
    x, z = np.array(normal, dtype=float), np.array([0.0, 1.0, 0.0])
    return np.column_stack([x, np.cross(z, x), z])


def join_edges(child, parent, place, parent_place, normal, parent_normal, move=False):
    """Attach plates at points on their edges, whose outward normals then face each other."""
    tag = f"p{len(child.points)}"
    child.add_point(tag, place, Rotation(edge(normal)))
    parent_tag = f"p{len(parent.points)}"
    parent.add_point(parent_tag, parent_place, Rotation(edge(parent_normal)))
    how = {"point": tag, "parent_point": parent_tag}
    if move:
        child.reattach(**how)
    else:
        child.attach_to(parent, **how)


def close(got, wanted, tolerance=1e-12):
    """Assert agreement of mass properties of order one to `tolerance`."""
    np.testing.assert_allclose(got, wanted, rtol=0, atol=tolerance)


def brute_force(body: MassBody):
    """Mass, centre of mass and inertia about it (structure axes of `body`) as a sum over all parts."""
    parts, stack = [], [(body, np.eye(3), np.zeros(3))]
    while stack:
        node, R, p = stack.pop()
        core = node.core
        I = R @ core.T_parent_this.T @ core.inertia @ core.T_parent_this @ R.T
        parts.append((core.mass, p + R @ core.position, I))
        for child in node.children:
            place = child.structure_point
            stack.append((child, R @ place.T_parent_this.T, p + R @ place.position))
    mass = sum(m for m, _, _ in parts)
    com = sum(m * c for m, c, _ in parts) / mass
    inertia = np.zeros((3, 3))
    for m, c, I in parts:
        d = c - com
        inertia += I + m * (d @ d * np.eye(3) - np.outer(d, d))
    return mass, com, inertia
