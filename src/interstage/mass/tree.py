"""Links between mass bodies: attach, detach, reattach, and the update of what a change made stale.

A body keeps one row of properties for itself and one for each child (the child's composite in the parent's
structure axes). A change marks the bodies up to the root; asking for composite properties recomputes the
marked ones below, bottom up. A leaf's change costs one row and one sum for each level.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict

import numpy as np
from numpy.typing import ArrayLike

from interstage.errors import InputError, ModelError, known_names
from interstage.mass.links import Linked, combine, place
from interstage.mass.orientation import Orientation, OrientationLike
from interstage.mass.point import MassPoint
from interstage.mass.relative import body_pose, shape_changed
from interstage.spatial import Rotation
from interstage.spatial.checks import as_array

if TYPE_CHECKING:
    from interstage.mass.body import MassBody

# Points meet with z aligned, x and y opposed: two vehicles that approach each other along x.
_FACING = np.diag([-1.0, -1.0, 1.0])


def mark(body: MassBody) -> None:
    """Note that a body's composite properties are old, up to the root.

    A body in its parent's list has only marked ancestors, so that the walk ends there.
    """
    body.stale = True
    parent = body.above
    while parent is not None and not body.listed:
        body.listed = True
        parent.changed.append(body)
        parent.stale = True
        body, parent = parent, parent.above


def update(body: MassBody) -> None:
    """Recompute the composite rows that are old, at and below a body."""
    order, stack = [], [body]
    while stack:
        node = stack.pop()
        order.append(node)
        for child in node.changed:
            if child.stale:
                stack.append(child)
    for node in reversed(order):
        rows = node.rows
        for child in node.changed:
            place(child.total, child.R_PC, child.p_PC, rows[child.slot + 1])
            child.listed = False
        node.changed.clear()
        combine(rows, len(node.below) + 1, node.total)
        node.stale = False


def root_of(body: MassBody) -> MassBody:
    """Return the root of a body's tree."""
    while body.above is not None:
        body = body.above
    return body


def walk(body: MassBody) -> list[MassBody]:
    """Return a body and all below it, depth first, children in order."""
    out, stack = [], [body]
    while stack:
        node = stack.pop()
        out.append(node)
        stack.extend(reversed(node.below))
    return out


class Placement(TypedDict, total=False):
    """How a part is attached, as `MassBody.attach_to` says."""

    point: str | MassPoint | None
    parent_point: str | MassPoint | None
    offset: ArrayLike | None
    T_parent_child: ArrayLike | None
    orientation: OrientationLike | None


def turn(orientation: OrientationLike | None, T: ArrayLike | None, where: str) -> np.ndarray:
    """Return R_parent_this (3, 3) of an orientation or of a transformation matrix, not both."""
    if T is not None and orientation is not None:
        raise InputError(
            "an orientation is given twice", where=where, hint="give orientation or the matrix T"
        )
    if T is not None:
        return np.array(Rotation.of(T, where=where).matrix.T)
    return np.array(Orientation.of(orientation, where).rotation.matrix)


def placement(
    child: MassBody,
    parent: MassBody,
    point: str | MassPoint | None = None,
    parent_point: str | MassPoint | None = None,
    offset: ArrayLike | None = None,
    T_parent_child: ArrayLike | None = None,
    orientation: OrientationLike | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Return R_PC (3, 3) and the offset (3,) of an attachment by points or by offset and orientation."""
    where = f"attachment of '{child.name}'"
    if not isinstance(parent, Linked):
        raise InputError(
            "not a mass body", where=where, expected="the mass body to attach to", got=repr(parent)
        )
    where = f"{where} to '{parent.name}'"
    by_points = point is not None or parent_point is not None
    by_offset = offset is not None or T_parent_child is not None or orientation is not None
    if by_points == by_offset or (by_points and (point is None or parent_point is None)):
        raise InputError(
            "an attachment is not clear",
            where=where,
            expected="either point and parent_point, or offset and T_parent_child",
        )
    if point is not None and parent_point is not None:
        for body, name in ((child, point), (parent, parent_point)):
            if isinstance(name, str) and name not in body.points:
                raise InputError(
                    f"mass body '{body.name}' has no point '{name}'",
                    where=f"{where}, point={_named(point)} of '{child.name}', parent_point={_named(parent_point)} of "
                    f"'{parent.name}'",
                    hint=f"points of '{child.name}': {known_names(child.points)}; points of '{parent.name}': "
                    f"{known_names(parent.points)}",
                )
        a, b = parent.point(parent_point), child.point(point)
        R = a.T_parent_this.T @ _FACING @ b.T_parent_this
        return R, a.position - R @ b.position
    R = turn(orientation, T_parent_child, where)
    return R, as_array((0.0, 0.0, 0.0) if offset is None else offset, (3,), f"{where}, offset")


def _named(point: str | MassPoint) -> str:
    return repr(point) if isinstance(point, str) else f"'{point.name}'"


def attach(child: MassBody, parent: MassBody, R_PC: np.ndarray, offset: np.ndarray) -> MassBody:
    """Link the child's root to a parent, such that the child lies at (R_PC, offset); return that root."""
    pose = body_pose(child)
    root = pose.root
    check_attach(child, root, parent)
    R_PC, offset = _checked(R_PC, offset)
    R = R_PC @ pose.R.T
    _link(root, parent, R, offset - R @ pose.p)
    return root


def detach(body: MassBody) -> None:
    """Cut the link between a body and its parent."""
    parent, slot = check_has_parent(body, "detached"), body.slot
    n = len(parent.below)
    parent.rows[slot + 1 : n] = parent.rows[slot + 2 : n + 1]
    del parent.below[slot]
    for sibling in parent.below[slot:]:
        sibling.slot -= 1
    if body.listed:
        parent.changed.remove(body)
        body.listed = False
    mark(parent)
    body.above, body.slot = None, 0
    body.R_PC, body.p_PC = np.eye(3), np.zeros(3)
    shape_changed()


def reattach(body: MassBody, parent: MassBody, R_PC: np.ndarray, offset: np.ndarray) -> None:
    """Move a body that is attached to another place, on its parent or on another."""
    R_PC, offset = _checked(R_PC, offset)
    if parent is body.above:
        body.R_PC, body.p_PC = np.ascontiguousarray(R_PC), offset
        mark(body)
        shape_changed()
        return
    check_kinds(body, parent)
    node: MassBody | None = parent
    while node is not None:
        if node is body:
            raise _cycle(body, body, parent, "is attached to")
        node = node.above
    detach(body)
    _link(body, parent, R_PC, offset)


def _checked(R_PC: np.ndarray, offset: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return a place on a parent, or refuse what is no rotation and no vector, before a tree is changed."""
    Rotation.of(R_PC, where="R_PC")
    return np.asarray(R_PC, dtype=float), as_array(offset, (3,), "p_PC")


def _link(body: MassBody, parent: MassBody, R_PC: np.ndarray, offset: np.ndarray) -> None:
    slot = len(parent.below)
    if slot + 2 > len(parent.rows):
        parent.rows = np.concatenate([parent.rows, np.zeros_like(parent.rows)])
    parent.below.append(body)
    body.above, body.slot = parent, slot
    body.R_PC, body.p_PC = np.ascontiguousarray(R_PC), offset
    mark(body)
    shape_changed()


def check_attach(child: MassBody, root: MassBody, parent: MassBody) -> None:
    """Raise ModelError if the attachment would make a loop or put a dynamic body under a plain one."""
    if root_of(parent) is root:
        raise _cycle(child, root, parent, "is in the same tree as")
    check_kinds(root, parent)


def check_kinds(body: MassBody, parent: MassBody) -> None:
    """Refuse a body with a state of motion under one without."""
    if body.dynamic and not parent.dynamic:
        raise ModelError(
            "a dynamic body cannot be attached to a plain mass body, which has no state of motion",
            where=f"'{body.name}' under '{parent.name}'",
            hint=f"attach '{parent.name}' to '{body.name}', or make it a DynBody",
        )


def check_has_parent(body: MassBody, done: str) -> MassBody:
    """Return the parent of a body; refuse to detach or move a root."""
    if body.above is None:
        names = [child.name for child in body.below]
        below = f"; attached to it: {', '.join(names)}" if names else ""
        raise ModelError(
            f"'{body.name}' is the root of its tree and cannot be {done}{below}",
            hint="detach a child, or attach the root to something first" if names else "attach it first",
        )
    return body.above


def _cycle(child: MassBody, root: MassBody, parent: MassBody, why: str) -> ModelError:
    return ModelError(
        "this attachment would make a loop",
        where=f"'{child.name}' to '{parent.name}'",
        got=f"'{parent.name}' {why} '{child.name}'",
        hint="use reattach to move a part of a tree, or detach it first",
    )
