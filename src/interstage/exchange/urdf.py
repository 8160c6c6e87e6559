"""Read URDF, the robot files of ROS: links as rigid bodies, joints as joints, links by name as flexible bodies.

Source: the XML specification of URDF (wiki.ros.org/urdf/XML); ball, universal and screw joints as Drake writes them.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from interstage.calls import named_arguments
from interstage.exchange.imported import LOCKED, NO_MASS, Builder, Flexible, Imported, ImportedJoint
from interstage.exchange.xml_file import Element, read_xml
from interstage.multibody import (
    Ball,
    Free,
    Joint,
    Locked,
    Multibody,
    Planar,
    Prismatic,
    Revolute,
    Screw,
    Universal,
)
from interstage.spatial import Rotation

IGNORED = ("friction", "mimic", "gazebo")
AXIAL = {"revolute": Revolute, "continuous": Revolute, "prismatic": Prismatic, "planar": Planar}
ALONE = {"fixed": Locked, "floating": Free, "ball": Ball, "spherical": Ball, "universal": Universal}
_SPRINGS = ("springStiffness", "implicitSpringDamper", "turnGravityOff", "plugin")


@named_arguments
def from_urdf(
    path: str | os.PathLike[str],
    *,
    gravity: ArrayLike = (0.0, 0.0, 0.0),
    root: Joint | None = None,
    flexible: Flexible | None = None,
    ignore: Sequence[str] = (),
    name: str | None = None,
) -> Imported:
    """Read a URDF file, in SI units: a vehicle whose bodies are its links.

    A joint is known by the link that it moves, `made.joints` says which. What changes the motion and is not modelled is
    an error with file and line.

    Parameters
    ----------
    gravity : acceleration (3,), world axes; the file has none
    root : joint of the root link on the ground (default: Locked; Free() for what flies)
    flexible : links that bend, {"panel": "panel.h5"} or {"panel": {"component": "panel.h5", "node": 1}}; their joints
        must sit at nodes
    ignore : what to leave out instead of refusing it: "friction", "mimic", "gazebo"
    name : of the vehicle (default: that of the file)
    """
    robot = read_xml(path, "URDF file")
    if robot.tag != "robot":
        raise robot.fault("this is no URDF file", expected="<robot>", got=f"<{robot.tag}>")
    model = Multibody(name or robot.attributes.get("name") or Path(path).stem, gravity, units="SI")
    build = Builder(Imported(model), flexible, ignore, IGNORED)
    _check_words(build, robot)
    links = _named(robot, "link")
    joints = _named(robot, "joint", "drake:joint")
    build.check_flexible(list(links))
    order = _outward(robot, links, joints)
    for link, joint in order:
        mass = _mass(links[link])
        if joint is None:
            held = LOCKED if root is None else root
            build.body(links[link], link, None, (np.zeros(3), np.eye(3)), held, mass)
        else:
            parent = _child(joint, "parent").text("link")
            build.body(joint, link, parent, _origin(joint), _joint(build, joint, link), mass)
    return build.made


def _check_words(build: Builder, robot: Element) -> None:
    """Refuse macros, and what simulators add that changes the motion."""
    for element in robot.walk():
        if element.tag.startswith("xacro:"):
            raise element.fault("macros of xacro are not expanded", hint="run xacro, and read what it writes")
    for element in robot.all("gazebo"):
        for inner in element.walk():
            if inner.tag in _SPRINGS:
                build.unsupported(inner, "gazebo", f"<{inner.tag}> of Gazebo changes the motion")
    if any(link.all("collision") for link in robot.all("link")):
        build.made.note("shapes of collision are not used: bodies pass through each other")


def _named(robot: Element, *tags: str) -> dict[str, Element]:
    found: dict[str, Element] = {}
    for element in robot.all(*tags):
        name = element.text("name")
        if name in found:
            raise element.fault(f"there is already a {tags[0]} '{name}'")
        found[name] = element
    return found


def _child(element: Element, tag: str) -> Element:
    found = element.one(tag)
    if found is None:
        raise element.fault(f"<{element.tag}> has no <{tag}>")
    return found


def _outward(
    robot: Element, links: dict[str, Element], joints: dict[str, Element]
) -> list[tuple[str, Element | None]]:
    """Return the links, each after its parent, with the joint that moves it, None of the root."""
    inboard: dict[str, Element] = {}
    children: dict[str, list[str]] = {name: [] for name in links}
    for joint in joints.values():
        ends = [_child(joint, tag) for tag in ("parent", "child")]
        parent, child = (end.text("link") for end in ends)
        for end, link in zip(ends, (parent, child)):
            if link not in links:
                raise end.fault(f"there is no link '{link}'")
        if child in inboard:
            raise joint.fault(f"link '{child}' is the child of two joints, and URDF is a tree")
        inboard[child] = joint
        children[parent].append(child)
    if not links:
        raise robot.fault("the robot has no <link>")
    roots = [name for name in links if name not in inboard]
    if len(roots) != 1:
        raise robot.fault("the links are not one tree", expected="one root", got=", ".join(roots) or "a loop")
    order, waiting = [], list(roots)
    while waiting:
        name = waiting.pop()
        order.append((name, inboard.get(name)))
        waiting.extend(reversed(children[name]))
    if len(order) != len(links):
        lost = next(name for name in links if name not in dict(order))
        raise links[lost].fault(f"link '{lost}' is in a loop, and does not hang on the root")
    return order


def _origin(element: Element) -> tuple[np.ndarray, np.ndarray]:
    """Return position and R of `<origin xyz rpy>`: turns about fixed axes x, then y, then z."""
    origin = element.one("origin")
    if origin is None:
        return np.zeros(3), np.eye(3)
    roll, pitch, yaw = origin.numbers("rpy", 3, (0.0, 0.0, 0.0))
    R = Rotation.from_euler("zyx", [yaw, pitch, roll]).matrix
    return origin.numbers("xyz", 3, (0.0, 0.0, 0.0)), R


def _mass(link: Element) -> tuple[float, np.ndarray, np.ndarray]:
    """Return mass, com (3,) and inertia (3, 3) about it in the axes of the link."""
    inertial = link.one("inertial")
    if inertial is None:
        return NO_MASS
    com, R = _origin(inertial)
    told, J = _child(inertial, "inertia"), np.zeros((3, 3))
    for i, j in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)):
        J[i, j] = J[j, i] = told.number(f"i{'xyz'[i]}{'xyz'[j]}")
    return _child(inertial, "mass").number("value"), com, R @ J @ R.T


def _joint(build: Builder, joint: Element, link: str) -> Joint:
    """Return the joint, and keep what the file says of its limits."""
    kind, name = joint.text("type"), joint.text("name")
    if kind not in AXIAL and kind not in ALONE and kind != "screw":
        known = ", ".join([*AXIAL, *ALONE, "screw"])
        raise joint.fault(f"joint '{name}' has an unknown type", expected=known, got=kind)
    mimic = joint.one("mimic")
    if mimic is not None:
        build.unsupported(mimic, "mimic", f"joint '{name}' follows another")
    dynamics = joint.one("dynamics")
    damping = 0.0 if dynamics is None else dynamics.number("damping", 0.0)
    if dynamics is not None and dynamics.number("friction", 0.0) != 0.0:
        build.unsupported(dynamics, "friction", f"joint '{name}' has dry friction")
    _keep_limits(build, joint, link, kind)
    if kind == "fixed":
        return Locked()
    if kind in ALONE:
        return ALONE[kind](damping=damping)
    told = joint.one("axis")
    axis = np.array([1.0, 0.0, 0.0]) if told is None else told.numbers("xyz", 3)
    if not np.any(axis):
        raise (told or joint).fault(f"the axis of joint '{name}' has no direction")
    if kind == "screw":
        pitch = _child(joint, "drake:screw_thread_pitch").number("value")
        return Screw(tuple(axis), pitch=pitch, damping=damping)
    return AXIAL[kind](tuple(axis), damping=damping)


def _keep_limits(build: Builder, joint: Element, link: str, kind: str) -> None:
    limit = joint.one("limit")

    def told(name: str) -> float | None:
        return limit.number(name) if limit is not None and name in limit.attributes else None

    ranged = kind in ("revolute", "prismatic")
    # the specification: a limit that is left out is zero
    ends = [told(n) or (0.0 if limit is not None else None) if ranged else None for n in ("lower", "upper")]
    build.made.joints[joint.text("name")] = ImportedJoint(
        link, 0, kind, ends[0], ends[1], told("effort"), told("velocity")
    )
