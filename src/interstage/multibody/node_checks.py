"""Whether a node of a component can carry a joint: it must turn with the structure around it.

A node of solid elements has no rotation of its own, and a shell has none about its normal. Modes then show
translations there without the rotations that go with them; a joint that takes moments would hold the node as
if it could not turn.

Nodes whose loads the geometric stiffness of a body must know: those of joints and closures, and where forces act.
"""

from __future__ import annotations

import numpy as np

from interstage.component.component import Component
from interstage.errors import ModelError
from interstage.multibody.joints import Joint
from interstage.multibody.model import BodySpec, Multibody

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
    needs none. A joint that is driven, or has a spring or a damper, takes moments and releases nothing.
    """
    turns = joint.freedoms()[:3]
    if joint.prescribed or np.any(joint.spread("stiffness")) or np.any(joint.spread("damping")):
        return np.zeros((3, 3))
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


def check_held(model: Multibody, body: str) -> None:
    """Refuse moments in a joint at a node that does not turn: the deck holds it in its translations alone."""
    child = model.spec(body)
    parent = None if child.parent is None else model.spec(child.parent)
    if parent is None or parent.component is None or not isinstance(child.at, int):
        return
    if child.is_point and not any(one.parent == body for one in model.specs):
        return  # a point has nothing that could turn
    origin = origin_of(parent)
    check_hinge(parent.flexible, child.at, origin, parent.name, f"body '{body}', whose joint takes moments")


def origin_of(parent: BodySpec) -> np.ndarray:
    """Return the point (3,) of a flexible body about which its modes are known."""
    c = parent.flexible
    return np.asarray(c.com if parent.node is None else c.node_positions[c.node_row(parent.node)])


def check_loads(model: Multibody) -> None:
    """Refuse joints and closures at nodes whose loads the components do not know, of bodies that insist on it."""
    for spec in model.specs:
        used = {*ports(model, spec), *closed(model, spec)}
        if spec.node is not None and not spec.joint.is_free:
            used.add(spec.node)
        for node in sorted(used):
            check_loaded(spec, node)


def check_loaded(spec: BodySpec, node: int) -> None:
    """Refuse a load at a node of a body that insists on geometric stiffness and whose component does not know it."""
    own = None if spec.component is None else spec.component.geometric_stiffness
    if spec.stiffening is True and own is not None and node not in own.nodes:
        raise ModelError(
            f"the geometric stiffness of body '{spec.name}' does not know loads at node {node}",
            expected=f"one of {own.nodes.tolist()}",
            hint=f"make the component with load_grids=[{node}, ...], or add the body without stiffening=True",
        )


def is_known(spec: BodySpec, node: int) -> bool:
    """Return whether the stiffness of a body knows loads at a node."""
    own = None if spec.component is None else spec.component.geometric_stiffness
    return spec.stiffens and own is not None and node in own.nodes


def ports(model: Multibody, spec: BodySpec) -> dict[int, list[str]]:
    """Return the nodes of a body that carry others, and the names of those."""
    found: dict[int, list[str]] = {}
    for other in model.specs:
        if other.parent == spec.name and isinstance(other.at, int):
            found.setdefault(other.at, []).append(other.name)
    return found


def closed(model: Multibody, spec: BodySpec) -> set[int]:
    """Return the nodes of a body that closures hold."""
    ends = [end for closure in model.closures for end in closure.ends]
    return {place for body, place in ends if body == spec.name and isinstance(place, int)}
