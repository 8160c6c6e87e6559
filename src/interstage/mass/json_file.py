"""Write a mass tree as JSON and read it again; the file states its units.

    {"format": "interstage mass tree", "version": 1, "units": {"mass": "kg", "length": "m"},
     "bodies": [{"name", "kind", "parent": row or null, "position", "T_parent_this",  from the parent
                 "core": {"mass", "position", "inertia", "T_parent_this"},            about com, body axes
                 "points": [{"name", "position", "T_parent_this"}],
                 "tank": {"law", "parameters", "contents", "dry": {...}},
                 "gravity", "motion": {"position", "quaternion", "rate", "velocity"}}]}   of dynamic bodies

The motion is that of the root's structure frame, where it was set: position in the world, attitude (scalar first), and
angular and linear velocity in the frame's own axes. "unchecked" marks a core that no real body can have.
Bodies come parents first. Numbers are written with all digits, so that a tree read again is the same tree.
"""

from __future__ import annotations

import importlib
from dataclasses import asdict, is_dataclass
from pathlib import Path
from typing import Any

import numpy as np

from interstage.errors import FileError, InertiaError, InputError, InterstageError, known_names
from interstage.files import MASS_TREE, check_version, expect
from interstage.mass.body import MassBody
from interstage.mass.fill import LAWS
from interstage.mass.inertia_spec import check_core
from interstage.mass.orientation import Orientation
from interstage.mass.tank import Tank
from interstage.output import json_text, read_json, write_text
from interstage.spatial import RigidInertia

VERSION = 1
MASS_UNITS = {"kg": 1.0, "g": 1e-3, "t": 1000.0, "lbm": 0.45359237, "slug": 14.593902937206364}
LENGTH_UNITS = {"m": 1.0, "mm": 1e-3, "cm": 1e-2, "km": 1000.0, "in": 0.0254, "ft": 0.3048}
KINDS: dict[str, type[MassBody]] = {"mass": MassBody, "tank": Tank}
# rooms above this one that have kinds of their own, and register them when they are needed
HOMES = {"dynamic": "interstage.multibody.dynbody"}
# powers of mass and length in the parameters of the fill laws
_DIMENSIONS = {
    "density": (1, -3),
    "mass": (1, 0),
    "inertia": (1, 2),
    "axis": (0, 0),
    "burning": (0, 0),
}


def register_kind(kind: str, cls: type[MassBody]) -> None:
    """Tell the reader which class a kind of body is (done by rooms that extend `MassBody`)."""
    KINDS[kind] = cls


def to_dict(body: MassBody, mass_unit: str = "kg", length_unit: str = "m") -> dict[str, Any]:
    """Return a tree as plain data; the units say what the numbers are, nothing is converted."""
    _unit(MASS_UNITS, mass_unit, "mass")
    _unit(LENGTH_UNITS, length_unit, "length")
    bodies = body.walk()
    rows = {id(node): k for k, node in enumerate(bodies)}
    units = {"mass": mass_unit, "length": length_unit}
    out = [_body_dict(node, None if node is body else rows[id(node.parent)]) for node in bodies]
    return {"format": MASS_TREE.format, "version": VERSION, "units": units, "bodies": out}


def write_tree(body: MassBody, path: str | Path, mass_unit: str = "kg", length_unit: str = "m") -> None:
    """Write a body and all below it to a JSON file."""
    text = json_text(to_dict(body, mass_unit, length_unit), where="tree", indent=1)
    write_text(path, text + "\n", what="mass tree")


def from_dict(
    data: dict[str, Any], mass_unit: str = "kg", length_unit: str = "m", where: str = "tree"
) -> MassBody:
    """Return the root of a tree made of plain data, converted to the given units."""
    if not isinstance(data, dict) or data.get("format") != MASS_TREE.format:
        raise FileError("not a mass tree", where=where, expected=f'"format": "{MASS_TREE.format}"')
    version = data.get("version")
    check_version(version if isinstance(version, int | float) else 0, VERSION, MASS_TREE, where)
    bodies: list[MassBody] = []
    try:
        units = data["units"]
        mass = _unit(MASS_UNITS, units["mass"], "mass") / _unit(MASS_UNITS, mass_unit, "mass")
        length = _unit(LENGTH_UNITS, units["length"], "length") / _unit(LENGTH_UNITS, length_unit, "length")
        for entry in data["bodies"]:
            bodies.append(_body(entry, mass, length))
            parent = entry["parent"]
            if (parent is None) != (len(bodies) == 1) or not (
                parent is None or 0 <= parent < len(bodies) - 1
            ):
                raise FileError("bodies are not in order", expected="the root first, parents before children")
            if parent is not None:
                T = Orientation.matrix(entry["T_parent_this"])
                offset = length * np.array(entry["position"], dtype=float)
                bodies[-1].attach_to(bodies[parent], offset=offset, orientation=T)
        _restore(bodies, data["bodies"], length)
    except InterstageError as error:
        place = where if error.where is None else f"{where}, {error.where}"
        raise FileError(
            error.what, where=place, expected=error.expected, got=error.got, hint=error.hint
        ) from None
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise FileError(
            f"a damaged mass tree: body {len(bodies)} has a bad or missing entry", where=where, got=str(error)
        ) from None
    if not bodies:
        raise FileError("a mass tree without bodies", where=where)
    return bodies[0]


def _restore(bodies: list[MassBody], entries: list[dict[str, Any]], length: float) -> None:
    """Give bodies what their classes have beside mass, once the tree stands."""
    for body, entry in zip(bodies, entries):
        body.restore_extra(entry, length)


def read_tree(path: str | Path, mass_unit: str = "kg", length_unit: str = "m") -> MassBody:
    """Read a JSON file and return the root of its tree, in the given units."""
    expect(path, MASS_TREE)
    data = read_json(path, what="mass tree")
    return from_dict(data, mass_unit, length_unit, where=str(path))


def _body_dict(body: MassBody, parent: int | None) -> dict[str, Any]:
    kind = next((name for name, cls in KINDS.items() if cls is type(body)), None)
    if kind is None:
        raise InputError(
            f"a {type(body).__name__} cannot be written",
            where=f"mass body '{body.name}'",
            hint="register its kind",
        )
    core, place = body.core, body.structure_point
    out: dict[str, Any] = {
        "name": body.name,
        "kind": kind,
        "parent": parent,
        "position": place.position.tolist(),
        "T_parent_this": place.T_parent_this.tolist(),
        "core": {
            "mass": core.mass,
            "position": core.position.tolist(),
            "inertia": core.inertia.tolist(),
            "T_parent_this": core.T_parent_this.tolist(),
        },
        "points": [
            {"name": p.name, "position": p.position.tolist(), "T_parent_this": p.T_parent_this.tolist()}
            for p in body.points.values()
        ],
    }
    if parent is None:
        out["position"], out["T_parent_this"] = [0.0] * 3, np.eye(3).tolist()
    if isinstance(body, Tank):
        out["tank"] = _tank_dict(body)
    elif not _physical(body):
        out["unchecked"] = True
    return out | body.saved_extra(top=parent is None)


def _physical(body: MassBody) -> bool:
    """Return whether the core passes the check that a reader makes."""
    try:
        check_core(RigidInertia(body.core.mass, body.core.position, body.core.inertia), body.name)
    except InertiaError:
        return False
    return True


def _tank_dict(body: Tank) -> dict[str, Any]:
    law = type(body.law).__name__
    if law not in LAWS or not is_dataclass(body.law):
        raise InputError(
            f"the fill law {law} cannot be written", where=f"tank '{body.name}'", hint=known_names(LAWS)
        )
    dry = body.dry
    return {
        "law": law,
        "parameters": asdict(body.law),
        "contents": body.contents,
        "dry": {"mass": float(dry.mass), "position": dry.com.tolist(), "inertia": dry.inertia.tolist()},
    }


def _body(entry: dict[str, Any], mass: float, length: float) -> MassBody:
    kind, core = entry["kind"], entry["core"]
    if kind not in KINDS and kind in HOMES:
        importlib.import_module(HOMES[kind])
    if kind not in KINDS:
        raise FileError(
            f"unknown kind of body '{kind}'", where=f"body '{entry['name']}'", hint=known_names(KINDS)
        )
    axes = Orientation.matrix(core["T_parent_this"])
    if kind == "tank":
        tank = entry["tank"]
        dry = tank["dry"]
        body: MassBody = Tank(
            entry["name"],
            _law(tank, mass, length),
            contents=mass * tank["contents"],
            dry_mass=mass * dry["mass"],
            dry_position=length * np.array(dry["position"]),
            dry_inertia=mass * length**2 * np.array(dry["inertia"]),
            orientation=axes,
        )
    else:
        body = KINDS[kind](
            entry["name"],
            mass=mass * core["mass"],
            position=length * np.array(core["position"], dtype=float),
            inertia=mass * length**2 * np.array(core["inertia"], dtype=float),
            orientation=axes,
            check=not entry.get("unchecked", False),
        )
    for point in entry["points"]:
        position = length * np.array(point["position"], dtype=float)
        body.add_point(point["name"], position, Orientation.matrix(point["T_parent_this"]))
    return body


def _law(tank: dict[str, Any], mass: float, length: float) -> Any:
    if tank["law"] not in LAWS:
        raise FileError(f"unknown fill law '{tank['law']}'", hint=known_names(LAWS))
    parameters = {}
    for name, value in tank["parameters"].items():
        m, l = _DIMENSIONS.get(name, (0, 1))
        plain = isinstance(value, str) or (m, l) == (0, 0)
        parameters[name] = value if plain else (mass**m * length**l * np.array(value, dtype=float)).tolist()
    return LAWS[tank["law"]](**parameters)


def _unit(table: dict[str, float], name: str, what: str) -> float:
    if name not in table:
        raise InputError(f"unknown unit of {what} {name!r}", hint=known_names(table))
    return table[name]
