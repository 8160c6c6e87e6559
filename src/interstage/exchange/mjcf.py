"""Read MJCF (MuJoCo) files: includes, default classes, bodies, joints, masses.

The words of MJCF: files that include others, classes of defaults, orientations, settings of the compiler.

Source: MuJoCo's XML reference (mujoco.readthedocs.io/en/stable/XMLreference.html).

Masses of bodies of MJCF: as written, or of the shapes that they are drawn by.

Read MJCF, the model files of MuJoCo: bodies, joints and masses; bodies by name as flexible ones.

A body with several joints moves by one after the other, each in the frame that those before it have moved: hinges that
meet in a point become one Universal or Gimbal joint, others a chain of bodies without mass.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from interstage.calls import named_arguments
from interstage.errors import InputError
from interstage.exchange.imported import LOCKED, NO_MASS, Builder, Flexible, Imported, ImportedJoint
from interstage.exchange.xml_file import Element, file_beside, read_xml
from interstage.multibody import Ball, Free, Gimbal, Joint, Multibody, Prismatic, Revolute, Universal
from interstage.spatial import Rotation
from interstage.spatial import functions as spatial

ORIENTATIONS = ("quat", "axisangle", "xyaxes", "zaxis", "euler")


def read_mjcf(path: str | os.PathLike[str]) -> Element:
    """Return the root of a file, with those that it includes in their places; they must lie beside it."""
    root = read_xml(path, "MJCF file")
    if root.tag != "mujoco":
        raise root.fault("this is no MJCF file", expected="<mujoco>", got=f"<{root.tag}>")
    _include(root, Path(path).parent, {Path(os.path.realpath(path))})
    return root


def _include(element: Element, folder: Path, seen: set[Path]) -> None:
    children: list[Element] = []
    for child in element.children:
        if child.tag != "include":
            _include(child, folder, seen)
            children.append(child)
            continue
        target = file_beside(child, child.text("file"), folder)
        if target in seen:
            raise child.fault("a file is included twice", got=child.text("file"))
        seen.add(target)
        inner = read_xml(target, "included MJCF file")
        _include(inner, folder, seen)
        children.extend(inner.children)
    element.children[:] = children


@dataclass
class Settings:
    """What `<compiler>` and `<option>` say, and the classes of defaults: {class: {tag: attributes}}."""

    degrees: bool = True
    sequence: str = "xyz"
    from_geoms: str = "auto"
    groups: tuple[float, float] = (0.0, 5.0)
    gravity: np.ndarray = field(default_factory=lambda: np.array([0.0, 0.0, -9.81]))
    classes: dict[str, dict[str, dict[str, str]]] = field(default_factory=lambda: {"main": {}})

    def filled(self, element: Element, childclass: str) -> Element:
        """Return an element with the attributes that its class gives it where it has none of its own."""
        name = element.attributes.get("class", childclass)
        if name not in self.classes:
            raise element.fault(f"there is no class '{name}' of defaults")
        given = self.classes[name].get(element.tag, {})
        if any(word in element.attributes for word in ORIENTATIONS):
            given = {k: v for k, v in given.items() if k not in ORIENTATIONS}
        return replace(element, attributes={**given, **element.attributes})

    def angle(self, value: float) -> float:
        """Return an angle of the file in radians."""
        return float(np.deg2rad(value)) if self.degrees else value

    def rotation(self, element: Element) -> np.ndarray:
        """Return R (3, 3) of an element's orientation, whichever way it is written; none is the identity."""
        given = [word for word in ORIENTATIONS if word in element.attributes]
        if len(given) > 1:
            raise element.fault(f"<{element.tag}> has more than one orientation", got=", ".join(given))
        try:
            return self._rotation(element, given[0]) if given else np.eye(3)
        except InputError as error:
            raise element.fault(str(error)) from None

    def _rotation(self, element: Element, word: str) -> np.ndarray:
        values = element.numbers(word, {"quat": 4, "axisangle": 4, "xyaxes": 6}.get(word, 3))
        if word == "quat":
            return Rotation.from_quaternion(values).matrix
        if word == "axisangle":
            return Rotation.from_axis_angle(values[:3], self.angle(values[3])).matrix
        if word == "zaxis":
            return turned_to(values, element)
        if word == "xyaxes":
            return _from_axes(values[:3], values[3:], element)
        angles = np.array([self.angle(v) for v in values])
        R = np.eye(3)
        for letter, angle in zip(self.sequence, angles):
            turn = spatial.matrix_from_axis_angle(np.eye(3)["xyz".index(letter.lower())], angle)
            # small letters turn with the frame, capitals about axes that stay
            R = R @ turn if letter.islower() else turn @ R
        return R


def turned_to(z: np.ndarray, element: Element) -> np.ndarray:
    """Return the shortest turn R (3, 3) that brings the z axis to a direction."""
    length = np.linalg.norm(z)
    if length == 0.0:
        raise element.fault("a direction of no length")
    z = z / length
    lever = np.array([-z[1], z[0], 0.0])
    sine = np.linalg.norm(lever)
    if sine < 1e-15:
        return np.eye(3) if z[2] > 0.0 else np.diag([1.0, -1.0, -1.0])
    return spatial.matrix_from_axis_angle(lever / sine, np.arctan2(sine, z[2]))


def _from_axes(x: np.ndarray, y: np.ndarray, element: Element) -> np.ndarray:
    if not np.any(x) or not np.linalg.norm(np.cross(x, y)) > 0.0:
        raise element.fault("xyaxes are no two directions")
    x = x / np.linalg.norm(x)
    y = y - (x @ y) * x
    y = y / np.linalg.norm(y)
    return np.column_stack([x, y, np.cross(x, y)])


def settings_of(root: Element) -> Settings:
    """Return the settings of a file; what would change masses in ways that are not modelled is an error."""
    found = Settings()
    for compiler in root.all("compiler"):
        _compiler(found, compiler)
    for option in root.all("option"):
        found.gravity = option.numbers("gravity", 3, found.gravity)
        for flag in option.all("flag"):
            if flag.attributes.get("gravity") == "disable":
                found.gravity = np.zeros(3)
    for section in root.all("default"):
        _classes(found, section, section.attributes.get("class", "main"), {})
    return found


def _compiler(found: Settings, compiler: Element) -> None:
    usual = "degree" if found.degrees else "radian"
    found.degrees = _one_of(compiler, "angle", usual, ("degree", "radian")) == "degree"
    found.sequence = compiler.text("eulerseq", found.sequence)
    if len(found.sequence) != 3 or set(found.sequence.lower()) - set("xyz"):
        raise compiler.fault("eulerseq is not three axes", expected="as in xyz or XYZ", got=found.sequence)
    found.from_geoms = _one_of(compiler, "inertiafromgeom", found.from_geoms, ("auto", "true", "false"))
    low, high = compiler.numbers("inertiagrouprange", 2, found.groups)
    found.groups = float(low), float(high)
    for word, value in (("coordinate", "local"), ("balanceinertia", "false")):
        if compiler.text(word, value) != value:
            raise compiler.fault(f"{word}='{compiler.text(word)}' is not read", expected=value)
    for word, least in (("settotalmass", -1.0), ("boundmass", 0.0), ("boundinertia", 0.0)):
        if compiler.number(word, least) > 0.0:
            raise compiler.fault(
                f"{word} changes the masses of the file, and is not read", hint="write them as they are"
            )


def _one_of(element: Element, name: str, default: str, words: tuple[str, ...]) -> str:
    found = element.text(name, default)
    if found not in words:
        raise element.fault(f"{name} is no word of MJCF", expected=" or ".join(words), got=found)
    return found


def _classes(found: Settings, section: Element, name: str, above: dict[str, dict[str, str]]) -> None:
    own = {tag: dict(attributes) for tag, attributes in {**above, **found.classes.get(name, {})}.items()}
    for child in section.children:
        if child.tag != "default":
            own[child.tag] = {**own.get(child.tag, {}), **child.attributes}
    found.classes[name] = own
    for child in section.all("default"):
        _classes(found, child, child.text("class"), own)


Mass = tuple[float, np.ndarray, np.ndarray]
SIZES = {"sphere": 1, "capsule": 2, "cylinder": 2, "ellipsoid": 3, "box": 3}
WATER = 1000.0  # density of a shape that says nothing
LARGEST = 1e30  # size of a shape, whose inertia goes with the fifth power


def written_mass(settings: Settings, inertial: Element) -> Mass:
    """Return mass, com (3,) and inertia (3, 3) about it, body axes, of `<inertial>`."""
    R = settings.rotation(inertial)
    if "fullinertia" in inertial.attributes:
        xx, yy, zz, xy, xz, yz = inertial.numbers("fullinertia", 6)
        J = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    else:
        J = np.diag(inertial.numbers("diaginertia", 3))
    return inertial.number("mass"), inertial.numbers("pos", 3), R @ J @ R.T


def mass_of_shapes(settings: Settings, geoms: list[tuple[Element, np.ndarray, np.ndarray]]) -> Mass:
    """Return the sum over shapes, each with the position and R of the frame that it is written in."""
    parts = []
    for geom, p, R in geoms:
        low, high = settings.groups
        if low <= geom.number("group", 0.0) <= high:
            part = _shape(settings, geom)
            if part is not None and part[0] > 0.0:
                parts.append((part[0], p + R @ part[1], R @ part[2] @ R.T))
    total = sum(part[0] for part in parts)
    if total == 0.0:
        return NO_MASS
    com = sum((m * at for m, at, _ in parts), np.zeros(3)) / total
    J = np.zeros((3, 3))
    for m, at, own in parts:
        lever = spatial.skew_matrix(at - com)
        J += own - m * lever @ lever
    return total, com, J


def _shape(settings: Settings, geom: Element) -> Mass | None:
    kind = geom.text("type", "sphere")
    if kind in ("plane", "hfield"):
        return None
    density = geom.number("density", WATER)
    given = geom.number("mass", density)
    if given == 0.0:
        return None
    if given < 0.0:
        raise geom.fault("the mass or density of a shape is negative", got=f"{given:g}")
    if kind not in SIZES:
        raise geom.fault(
            f"the mass of a {kind} is not computed",
            expected=", ".join(SIZES),
            hint="give the body an <inertial>, or the shape mass='0'",
        )
    if geom.text("shellinertia", "false") != "false":
        raise geom.fault("the inertia of a shell is not computed", hint="give the body an <inertial>")
    size, at, R = _placed(settings, geom, kind)
    if not np.all((size > 0.0) & (size < LARGEST)):
        raise geom.fault(f"the size of a {kind} must be positive, below {LARGEST:g}", got=str(size.tolist()))
    volume, unit = solid(kind, size)
    m = geom.number("mass", density * volume)
    return m, at, R @ np.diag(m * unit) @ R.T


def _placed(settings: Settings, geom: Element, kind: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return half sizes, position and R of a shape; `fromto` gives the ends of its z axis."""
    if "fromto" not in geom.attributes:
        words = len(geom.text("size").split())
        size = geom.numbers("size", max(words, SIZES[kind]))[: SIZES[kind]]
        return size, geom.numbers("pos", 3, np.zeros(3)), settings.rotation(geom)
    if kind == "sphere":
        raise geom.fault("a sphere has no fromto")
    ends = geom.numbers("fromto", 6).reshape(2, 3)
    radius = geom.numbers("size", max(len(geom.text("size").split()), 1))[0]
    half = 0.5 * float(np.linalg.norm(ends[1] - ends[0]))
    sizes = [radius, half] if SIZES[kind] == 2 else [radius, radius, half]
    return np.array(sizes), ends.mean(axis=0), turned_to(ends[0] - ends[1], geom)


def solid(kind: str, size: np.ndarray) -> tuple[float, np.ndarray]:
    """Return volume and principal moments (3,) for each unit of mass of a solid of half sizes `size`, axis z.

    >>> solid("box", np.array([0.5, 0.5, 0.5]))
    (1.0, array([0.16666667, 0.16666667, 0.16666667]))
    """
    if kind == "sphere":
        r = float(size[0])
        return 4.0 / 3.0 * np.pi * r**3, np.full(3, 0.4 * r * r)
    if kind == "ellipsoid":
        squares = size**2
        return float(4.0 / 3.0 * np.pi * np.prod(size)), 0.2 * (squares.sum() - squares)
    if kind == "box":
        squares = size**2
        return float(8.0 * np.prod(size)), (squares.sum() - squares) / 3.0
    r, h = float(size[0]), 2.0 * float(size[1])
    tube = np.pi * r * r * h
    across, along = (3.0 * r * r + h * h) / 12.0, 0.5 * r * r
    if kind == "cylinder":
        return tube, np.array([across, across, along])
    # a capsule: half balls at both ends
    ball = 4.0 / 3.0 * np.pi * r**3
    share = np.array([tube, ball]) / (tube + ball)
    across_balls = 0.4 * r * r + 0.375 * h * r + 0.25 * h * h
    side = float(share @ [across, across_balls])
    return tube + ball, np.array([side, side, float(share @ [along, 0.4 * r * r])])


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
