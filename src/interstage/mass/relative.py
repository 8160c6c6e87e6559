"""Relative states between any two points of a mass tree.

Each body and point keeps its pose in the frame of the root's structure point until a tree changes its shape,
so that a query costs one product of poses and not a walk through the tree.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple, TypeGuard

import numpy as np

from interstage.calls import named_arguments
from interstage.errors import InputError
from interstage.mass.links import Linked, relative, relative_many
from interstage.mass.point import MassPoint, MassProperties, PointState

if TYPE_CHECKING:
    from interstage.mass.body import MassBody


class Pose(NamedTuple):
    """Axes R (3, 3) and origin p (3,) in the structure frame of `root`, valid for one `stamp`."""

    R: np.ndarray
    p: np.ndarray
    root: MassBody
    stamp: int


class _Shape:
    """Counts changes of shape of all trees: a pose with an older stamp is not used."""

    stamp = 0


def shape_changed() -> None:
    """Make all kept poses invalid."""
    _Shape.stamp += 1


def body_pose(body: MassBody) -> Pose:
    """Return the pose of a body's structure axes in the root."""
    stamp = _Shape.stamp
    pose = body.kept_pose
    if pose is not None and pose.stamp == stamp:
        return pose
    path = [body]
    while path[-1].above is not None:
        above = path[-1].above
        if above.kept_pose is not None and above.kept_pose.stamp == stamp:
            pose = above.kept_pose
            break
        path.append(above)
    else:
        root = path.pop()
        pose = root.kept_pose = Pose(np.eye(3), np.zeros(3), root, stamp)
    for node in reversed(path):
        pose = Pose(pose.R @ node.R_PC, pose.p + pose.R @ node.p_PC, pose.root, stamp)
        node.kept_pose = pose
    return pose


def _is_body(point: object) -> TypeGuard[MassBody]:
    """Return whether an object is a body; the class itself is above this module."""
    return isinstance(point, Linked)


def pose_of(point: object) -> Pose:
    """Return the pose in the root of a point, of core or composite properties, or of a body."""
    if isinstance(point, MassPoint):
        pose = point.kept_pose
        if pose is None or pose.stamp != _Shape.stamp:
            pose = point.kept_pose = _compose(body_pose(point.body), point)
        return pose
    if isinstance(point, MassProperties):
        return _compose(body_pose(point.body), point)
    if _is_body(point):
        return body_pose(point)
    raise InputError(
        "not a point of a mass tree",
        expected="a point, core or composite properties, or a body",
        got=repr(point),
    )


def _compose(body: Pose, point: MassPoint | MassProperties) -> Pose:
    R = np.ascontiguousarray(body.R @ point.T_parent_this.T)
    return Pose(R, body.p + body.R @ point.position, body.root, body.stamp)


@named_arguments
def relative_state(point: object, seen_from: object) -> PointState:
    """Return where `point` is and how it is turned, seen from another point of the same tree.

    position (3,) from `seen_from` to `point`, in the axes of `seen_from`; T_parent_this (3, 3) turns
    components in those axes into components in the axes of `point`. Points are named points, core or
    composite properties, or bodies, which stand for their structure points.
    """
    a, b = pose_of(point), pose_of(seen_from)
    if a.root is not b.root:
        raise _different_trees(a.root, b.root)
    T, position = np.empty((3, 3)), np.empty(3)
    relative(a.R, a.p, b.R, b.p, T, position)
    return PointState(position, T)


@named_arguments
def relative_states(points: Sequence[object], a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return positions (n, 3) and T (n, 3, 3) of points a[k] seen from points b[k], many at once.

    points : points of one tree;  a, b : row numbers (n,) into `points`
    """
    poses = [pose_of(point) for point in points]
    for pose in poses:
        if pose.root is not poses[0].root:
            raise _different_trees(pose.root, poses[0].root)
    a, b = np.asarray(a, dtype=np.int64), np.asarray(b, dtype=np.int64)
    if a.shape != b.shape or a.ndim != 1:
        raise InputError("pairs of points do not match", expected="two lists of row numbers, equally long")
    if len(a) and (min(a.min(), b.min()) < 0 or max(a.max(), b.max()) >= len(poses)):
        raise InputError("a row number is outside the list of points", expected=f"0 to {len(poses) - 1}")
    T, position = np.empty((len(a), 3, 3)), np.empty((len(a), 3))
    if len(a):
        R = np.array([pose.R for pose in poses])
        p = np.array([pose.p for pose in poses])
        relative_many(R, p, a, b, T, position)
    return position, T


def _different_trees(a: MassBody, b: MassBody) -> InputError:
    return InputError(
        "two points of different trees have no relative state",
        got=f"the trees of '{a.name}' and '{b.name}'",
        hint="attach one tree to the other first",
    )
