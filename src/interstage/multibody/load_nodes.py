"""Nodes whose loads the geometric stiffness of a body must know: those of joints and closures, and where forces act."""

from __future__ import annotations

from interstage.errors import ModelError
from interstage.multibody.model import BodySpec, Multibody


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
