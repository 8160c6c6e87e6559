"""The words of MJCF: files that include others, classes of defaults, orientations, settings of the compiler.

Source: MuJoCo's XML reference (mujoco.readthedocs.io/en/stable/XMLreference.html).
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from interstage.errors import InputError
from interstage.exchange.xml_file import Element, file_beside, read_xml
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
