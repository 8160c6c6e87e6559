"""Whether a node of a component can carry a joint: it must turn with the structure around it.

A node of solid elements has no rotation of its own, and a shell has none about its normal. Modes then show
translations there without the rotations that go with them; a joint that takes moments would hold the node as
if it could not turn.
"""

from __future__ import annotations

import numpy as np

from interstage.component.component import Component
from interstage.errors import ModelError
from interstage.multibody.joints import Joint

FEWEST_MODES = 6  # fewer modes may all be symmetric about a node: no rotation there is then no fault
NONE = 1e-9


def missing_rotations(component: Component, node: int, reference: np.ndarray) -> str:
    """Return the body axes ("xyz", "z", "" for none) about which a node moves but never turns.

    A rotation about axis e by θ on an arm a (3,) from the reference point moves the node by θ e×a. Where modes
    have the translation along e×a but |λ·e| is nothing beside it, the rotation is not known.
    """
    row = component.node_row(node)
    gamma, lam = component.gamma[row], component.lam[row]
    arm = component.node_positions[row] - reference
    moves = np.abs(gamma).max(initial=0.0) > NONE * np.abs(component.gamma).max(initial=0.0)
    if not moves or component.n_modes == 0:
        return ""
    if not lam.any():
        return "xyz"
    size = np.linalg.norm(np.ptp(component.node_positions, axis=0))
    length = np.linalg.norm(arm)
    if component.n_modes < FEWEST_MODES or length <= 1e-6 * size:
        return ""
    missing = ""
    for name, axis in zip("xyz", np.eye(3)):
        across = np.cross(axis, arm) / length
        if np.linalg.norm(across) < 0.1:
            continue
        slide = np.abs(across @ gamma).max()
        if slide > 1e-6 * np.abs(gamma).max() and np.abs(axis @ lam).max() < NONE * slide / size:
            missing += name
    return missing


def released(component: Component, node: int, joint: Joint) -> np.ndarray:
    """Return the projector (3, 3) on the rotations that the deck leaves free at a node and the joint as well.

    A grid that a rigid element holds in its translations alone has no rotation: whatever hangs there by the same joint
    needs none.
    """
    turns = joint.freedoms()[:3]
    free = np.zeros((3, 0))
    for child in component.child_bodies:
        if child.node == node and not child.carrier and child.joint.split()[0] != "locked":
            axes = np.eye(3) if child.joint == "ball" else child.joint_axes
            free = np.zeros((3, 0)) if axes is None else np.asarray(axes).T
    both = turns @ np.linalg.pinv(turns) @ free @ np.linalg.pinv(free)
    return both if np.allclose(both, both.T, atol=1e-9) else np.zeros((3, 3))


def check_hinge(
    component: Component,
    node: int,
    reference: np.ndarray,
    body: str,
    joined: str,
    joint: Joint | None = None,
) -> None:
    """Refuse to join at a node whose rotation the component does not know; `joint` : what hangs there."""
    missing = missing_rotations(component, node, reference)
    if missing and joint is not None:
        loose = released(component, node, joint)
        known = ["xyz".index(axis) for axis in missing]
        missing = "".join(axis for axis, k in zip(missing, known) if loose[k, k] < 1.0 - 1e-9)
    if missing:
        about = "no rotation" if missing == "xyz" else f"no rotation about {', '.join(missing)}"
        raise ModelError(
            f"node {node} of body '{body}' is not rigid enough to hinge: it has {about} in any mode",
            where=joined,
            hint="connect it to the structure by a rigid element (RBE2, RBE3) that gives it rotations",
        )
