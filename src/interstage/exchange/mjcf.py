"""Read MJCF, the model files of MuJoCo: bodies, joints and masses; bodies by name as flexible ones.

A body with several joints moves by one after the other, each in the frame that those before it have moved: hinges that
meet in a point become one Universal or Gimbal joint, others a chain of bodies without mass.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from interstage.calls import named_arguments
from interstage.exchange.imported import LOCKED, NO_MASS, Builder, Flexible, Imported, ImportedJoint
from interstage.exchange.mjcf_mass import Mass, mass_of_shapes, written_mass
from interstage.exchange.mjcf_words import Settings, read_mjcf, settings_of
from interstage.exchange.xml_file import Element
from interstage.multibody import Ball, Free, Gimbal, Joint, Multibody, Prismatic, Revolute, Universal

IGNORED = ("friction", "armature", "equality", "tendon", "actuator", "fluid", "spring", "gravcomp", "flags")
_UNREAD = ("composite", "flexcomp", "plugin", "replicate", "attach")
_PLAIN = ("compiler", "option", "default", "worldbody", "asset", "visual", "statistic", "size", "custom",
          "sensor", "keyframe", "contact", "actuator", "tendon", "equality")  # fmt: skip


@dataclass
class _Frame:
    """Where an element is written: position and R in the frame of its body, and the class of its children."""

    p: np.ndarray
    R: np.ndarray
    childclass: str


@dataclass
class _Stage:
    """A joint of ours with those of the file that it is made of, and its point in the frame of the body."""

    joint: Joint
    anchor: np.ndarray
    of: list[Element]


@named_arguments
def from_mjcf(
    path: str | os.PathLike[str],
    *,
    flexible: Flexible | None = None,
    ignore: Sequence[str] = (),
    name: str | None = None,
) -> Imported:
    """Read an MJCF file, in SI units, with its gravity: a vehicle whose bodies are those of its world.

    A joint is known by the body that it moves, `made.joints` says which, and which of its coordinates. Files that are
    included must lie beside it. Contacts are not modelled; what else changes the motion and is not modelled is an error
    with file and line.

    Parameters
    ----------
    flexible : bodies that bend, {"panel": "panel.h5"} or {"panel": {"component": "panel.h5", "node": 1}}; their joints
        must sit at nodes
    ignore : what to leave out instead of refusing it: "friction", "armature", "equality", "tendon", "actuator",
        "fluid", "spring" (of ball joints), "gravcomp", "flags"
    name : of the vehicle (default: that of the file)
    """
    root = read_mjcf(path)
    settings = settings_of(root)
    title = name or root.attributes.get("model") or Path(path).stem
    build = Builder(Imported(Multibody(title, settings.gravity, units="SI")), flexible, ignore, IGNORED)
    _check_words(build, root)
    reader = _Reader(build, settings)
    for world in root.all("worldbody"):
        reader.inside(world, None, _Frame(np.zeros(3), np.eye(3), world.attributes.get("childclass", "main")))
    build.check_flexible(reader.bodies)
    return build.made


def _check_words(build: Builder, root: Element) -> None:
    for section in root.children:
        if section.tag not in _PLAIN:
            raise section.fault(f"<{section.tag}> is not read", expected=", ".join(_PLAIN))
    for kind, what in (("equality", "constraints of MuJoCo are soft"), ("tendon", "tendons pull")):
        for part in (part for section in root.all(kind) for part in section.children):
            if part.attributes.get("active") != "false":
                build.unsupported(part, kind, f"<{part.tag}> of <{kind}>: {what}")
    for section in root.all("actuator"):
        for part in section.children:
            if part.tag != "motor":
                build.unsupported(part, "actuator", f"<{part.tag}> pushes as the state says")
        build.made.note("actuators are not read: use devices or tau")
    for option in root.all("option"):
        for word in ("density", "viscosity"):
            if option.number(word, 0.0) != 0.0:
                build.unsupported(option, "fluid", f"{word} of a fluid")
        for flag in option.all("flag"):
            for word in ("passive", "spring", "damper"):
                if flag.attributes.get(word) == "disable":
                    build.unsupported(flag, "flags", f"{word} switched off")


class _Reader:
    """Goes through the bodies of a file, parents first."""

    def __init__(self, build: Builder, settings: Settings):
        self.build, self.settings, self.bodies = build, settings, list[str]()

    def inside(self, element: Element, parent: str | None, frame: _Frame) -> None:
        """Add all bodies that stand in a body, the world or a frame."""
        for child in element.children:
            if child.tag in _UNREAD:
                raise child.fault(
                    f"<{child.tag}> is not read", hint="write out what it makes: mj_saveLastXML does"
                )
            if child.tag == "frame":
                self.inside(child, parent, self._moved(child, frame))
            elif child.tag == "body":
                self._body(child, parent, self._moved(child, frame))

    def _moved(self, element: Element, frame: _Frame) -> _Frame:
        p = frame.p + frame.R @ element.numbers("pos", 3, np.zeros(3))
        R = frame.R @ self.settings.rotation(element)
        return _Frame(p, R, element.attributes.get("childclass", frame.childclass))

    def _body(self, body: Element, parent: str | None, frame: _Frame) -> None:
        self.bodies.append(body.attributes.get("name") or f"body{len(self.bodies) + 1}")
        name = self.bodies[-1]
        if body.attributes.get("mocap", "false") == "true":
            raise body.fault(f"body '{name}' is moved from outside (mocap), which is not read")
        if body.number("gravcomp", 0.0) != 0.0:
            self.build.unsupported(body, "gravcomp", f"body '{name}' is lifted against gravity")
        stages = self._stages(body, frame.childclass)
        mass = self._mass(body, frame.childclass)
        place, above = (frame.p, frame.R), parent
        for k, stage in enumerate(stages):
            last = k == len(stages) - 1
            title = name if last else f"{name}/{stage.of[0].attributes.get('name', k + 1)}"
            at = place[0] + place[1] @ stage.anchor
            self.build.body(
                body, title, above, (at, place[1]), stage.joint, mass if last else NO_MASS, stage.anchor
            )
            self._keep(stage, title)
            above, place = title, (np.zeros(3), np.eye(3))
        self.inside(body, name, _Frame(np.zeros(3), np.eye(3), frame.childclass))

    # mass -------------------------------------------------------------------------------------------------------

    def _mass(self, body: Element, childclass: str) -> Mass:
        written, how = body.one("inertial"), self.settings.from_geoms
        if written is not None and how != "true":
            return written_mass(self.settings, written)
        if how == "false":
            return NO_MASS
        return mass_of_shapes(
            self.settings, list(self._shapes(body, _Frame(np.zeros(3), np.eye(3), childclass)))
        )

    def _shapes(self, element: Element, frame: _Frame) -> list[tuple[Element, np.ndarray, np.ndarray]]:
        found = []
        for child in element.children:
            if child.tag == "geom":
                found.append((self.settings.filled(child, frame.childclass), frame.p, frame.R))
            elif child.tag == "frame":
                found += self._shapes(child, self._moved(child, frame))
        if found:
            self.build.made.note("contacts are not modelled: bodies pass through each other")
        return found

    # joints -----------------------------------------------------------------------------------------------------

    def _stages(self, body: Element, childclass: str) -> list[_Stage]:
        """Return our joints of a body, from its parent outward."""
        found: list[_Stage] = []
        for written in body.all("joint", "freejoint"):
            joint = self.settings.filled(written, childclass) if written.tag == "joint" else written
            stage = self._stage(joint)
            before = found[-1] if found else None
            joined = None if before is None else _together(before, stage)
            if joined is None:
                found.append(stage)
            else:
                found[-1] = joined
        for frame in body.all("frame"):
            for lost in (part for part in frame.children if part.tag in ("joint", "freejoint", "inertial")):
                raise lost.fault(f"a <{lost.tag}> inside a <frame> is not read")
        if len(found) > 1 and any(_kind(joint) == "free" for stage in found for joint in stage.of):
            raise body.fault("a body with a free joint has no other")
        return found or [_Stage(LOCKED, np.zeros(3), [])]

    def _stage(self, joint: Element) -> _Stage:
        kind = _kind(joint)
        title = f"joint '{joint.attributes.get('name', '')}'"
        for word, ignored, what in (
            ("armature", "armature", "has the inertia of a rotor"),
            ("frictionloss", "friction", "has dry friction"),
        ):
            if joint.number(word, 0.0) != 0.0:
                self.build.unsupported(joint, ignored, f"{title} {what}")
        if "springdamper" in joint.attributes and np.any(joint.numbers("springdamper", 2)):
            raise joint.fault(f"springdamper of {title} is not read", hint="write stiffness and damping")
        stiffness, damping = (joint.number(word, 0.0) for word in ("stiffness", "damping"))
        anchor = joint.numbers("pos", 3, np.zeros(3))
        if kind in ("hinge", "slide"):
            turn = self.settings.angle if kind == "hinge" else float
            rest = turn(joint.number("springref", 0.0)) - turn(joint.number("ref", 0.0))
            axis = joint.numbers("axis", 3, (0.0, 0.0, 1.0))
            if not np.any(axis):
                raise joint.fault(f"the axis of {title} has no direction")
            made = (Revolute if kind == "hinge" else Prismatic)(
                tuple(axis), stiffness=stiffness, damping=damping, rest=rest if stiffness else 0.0
            )
            return _Stage(made, anchor if kind == "hinge" else np.zeros(3), [joint])
        if kind not in ("ball", "free"):
            raise joint.fault(f"{title} has an unknown type", expected="hinge, slide, ball, free", got=kind)
        if stiffness:
            self.build.unsupported(joint, "spring", f"{title} has a spring that is linear in its angle")
        if kind == "ball":
            return _Stage(Ball(damping=damping), anchor, [joint])
        return _Stage(Free(damping=damping), np.zeros(3), [joint])

    def _keep(self, stage: _Stage, body: str) -> None:
        """Keep what the file says of the limits of joints."""
        for k, joint in enumerate(stage.of):
            kind = _kind(joint)
            ends: list[float | None] = [None, None]
            if "range" in joint.attributes and joint.attributes.get("limited", "auto") != "false":
                turn = self.settings.angle if kind in ("hinge", "ball") else float
                back = turn(joint.number("ref", 0.0)) if kind in ("hinge", "slide") else 0.0
                ends = [turn(float(v)) - back for v in joint.numbers("range", 2)]
            force = joint.numbers("actuatorfrcrange", 2, (0.0, 0.0))[1] or None
            told = joint.attributes.get("name") or (body if len(stage.of) == 1 else f"{body}/{k + 1}")
            if told in self.build.made.joints:
                raise joint.fault(f"there is already a joint '{told}'")
            self.build.made.joints[told] = ImportedJoint(body, k, kind, ends[0], ends[1], force)


def _kind(joint: Element) -> str:
    """Return the type of a joint."""
    return "free" if joint.tag == "freejoint" else joint.text("type", "hinge")


def _together(first: _Stage, second: _Stage) -> _Stage | None:
    """Return one joint of hinges that meet in a point and are not parallel, None where they cannot be one."""
    before, after = first.joint, second.joint
    if len(first.of) > 2 or any(_kind(joint) != "hinge" for joint in (*first.of, *second.of)):
        return None
    if not np.array_equal(first.anchor, second.anchor):
        return None
    axes = [*before.axes()[: before.nv], after.axes()[0]]
    if np.linalg.norm(np.cross(axes[-2], axes[-1])) < 1e-6:
        return None
    kind = Universal if len(axes) == 2 else Gimbal
    stiffness, damping, rest = (
        (*before.spread(n), *after.spread(n)) for n in ("stiffness", "damping", "rest")
    )
    made = kind([tuple(axis) for axis in axes], stiffness=stiffness, damping=damping, rest=rest)
    return _Stage(made, first.anchor, [*first.of, *second.of])
