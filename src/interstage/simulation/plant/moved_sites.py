"""Places of a vehicle that changes: a node of a stage that leaves is a node, or a point, of a body of its own."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from interstage.errors import SolverError
from interstage.multibody import System
from interstage.multibody.operating_point import Changes, Heirs


@dataclass(frozen=True)
class Carrier:
    """A place that is the body on nothing which carries another place, whichever that is now."""

    body: str
    node: int | None = None


def both(one: Changes, other: Changes) -> Changes:
    """Return the changes of a run and of the one that it goes on from."""
    return Changes(
        list(dict.fromkeys([*one.leaving, *other.leaving])),
        list(dict.fromkeys([*one.coming, *other.coming])),
        one.parting | other.parting,
        {**one.heirs, **other.heirs},
    )


def has_place(system: System, body: str, node: object) -> bool:
    """Return whether a vehicle has a place: its body, and the node or result where that is flexible."""
    if body not in system.bodies:
        return False
    if isinstance(node, str):
        component = system.model.spec(body).component
        rows = None if component is None else component.recovery
        return rows is not None and node in rows.names
    flex = system.flexible(body)
    return flex is None or not isinstance(node, int | np.integer) or node in flex.node_ids


def place_now(system: System, body: str, node: object, heirs: Heirs) -> tuple[str, object] | None:
    """Return a place as it is called now, None where it is gone."""
    for _ in range(1 + len(heirs)):
        if has_place(system, body, node):
            return body, node
        if not isinstance(node, int | str | np.integer):
            return None
        after = heirs.get((body, node if isinstance(node, str) else int(node)))
        if after is None:
            return None
        body, node = after
    return None


def root_of(system: System, body: str) -> str:
    """Return the body on nothing that carries a body."""
    while (parent := system.model.spec(body).parent) is not None:
        body = parent
    return body


def bearer(old: System, new: System, body: str) -> str:
    """Return the body that has a body's joint now: docking can make a parent hang on its child."""
    parent = old.model.spec(body).parent
    if parent is not None and parent in new.bodies and new.model.spec(parent).parent == body:
        return parent
    return body


def refuse_turned(body: str, what: str, t: float) -> None:
    """Refuse to go on with a joint of several axes that was turned round: they change their order."""
    raise SolverError(
        f"the joint of body '{body}' was turned round at t = {t:.9g}: its {what} has no meaning any more",
        hint=f"attach by the root of the tree, or switch the joint of '{body}' to free or locked before",
    )
