"""Nodes whose loads the geometric stiffness of a body must know: those of joints and closures, and where forces act."""

from __future__ import annotations

from interstage.errors import ModelError
from interstage.multibody.model import BodySpec, Multibody


def check_loads(model: Multibody) -> None:
    """Refuse joints and closures at nodes whose loads the components do not know."""
    used = {(s.parent, s.at) for s in model.specs if isinstance(s.at, int)}
    used |= {(s.name, s.node) for s in model.specs if s.node is not None and not s.joint.is_free}
    used |= {(body, place) for c in model.closures for body, place in c.ends if isinstance(place, int)}
    for spec in model.specs:
        if not spec.stiffens:
            continue
        for node in sorted(node for name, node in used if name == spec.name):
            check_loaded(spec, node)


def check_loaded(spec: BodySpec, node: int) -> None:
    """Refuse a load at a node of a body with geometric stiffness whose component does not know it."""
    own = None if spec.component is None else spec.component.geometric_stiffness
    if spec.stiffens and own is not None and node not in own.nodes:
        raise ModelError(
            f"the geometric stiffness of body '{spec.name}' does not know loads at node {node}",
            expected=f"one of {own.nodes.tolist()}",
            hint=f"make the component with geometric_stiffness=[{node}, ...], or add the body with stiffening=False",
        )
