"""Take rigid parts out of a component that was made with them: they then hang on joints of their own.

A part of mass m, centre p and inertia I (about it) at a node moves with the modes by Π = [λ; γ + λ×o] there. Out of a
free component's integrals go what it put in: m, m p and the inertia from the rigid block, Sᵀ M Π from [F0; E], and
Πᵀ M Π from the modal mass, which is then no longer diagonal. Stiffness is not touched.
"""

from __future__ import annotations

import numpy as np


def _cross(a: np.ndarray) -> np.ndarray:
    return np.array([[0.0, -a[2], a[1]], [a[2], 0.0, -a[0]], [-a[1], a[0], 0.0]])


def without_rigid(
    component, node: int, mass: float, inertia: np.ndarray, offset=(0.0, 0.0, 0.0), modes: bool = True
):
    """Return the component without a rigid part at a node, from its integrals of order 0.

    offset (3,) : of the part's centre from the node;  modes : False leaves the part's share in the modes,
    as in a model with engines in the modes of which only the rigid-body properties were corrected
    """
    c, row = component, component.node_row(node)
    o = np.asarray(offset, dtype=float)
    p = c.node_positions[row] + o
    M = np.zeros((6, 6))
    M[:3, :3], M[3:, 3:] = inertia, mass * np.eye(3)
    S = np.zeros((6, 6))
    S[:3, :3], S[3:, 3:], S[3:, :3] = np.eye(3), np.eye(3), -_cross(p)
    rr = S.T @ M @ S
    left = c.mass - mass
    changes = {
        "mass": left,
        "com": (c.mass * np.asarray(c.com) - mass * p) / left,
        "inertia": c.inertia - rr[:3, :3],
        "J1": None,
        "J2": None,
        "F1": None,
        "rotary": None,
    }
    if modes:
        Pi = np.vstack([c.lam[row], c.gamma[row] - _cross(o) @ c.lam[row]])
        B, G = S.T @ M @ Pi, c.G0 - Pi.T @ M @ Pi
        changes |= {"F0": c.F0 - B[:3], "E": c.E - B[3:], "G0": G}
        # stiffness (2πf)² G0 stays what it was
        scale = np.sqrt(np.diag(c.G0) / np.diag(G))
        changes |= {"frequencies_hz": c.frequencies_hz * scale, "damping_ratio": c.damping_ratio * scale}
    return c.with_changes(**changes)
