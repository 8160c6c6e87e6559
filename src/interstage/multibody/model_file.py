"""Multibody files: the description of a multibody system in HDF5, numbers to the last bit.

FORMAT, SCHEMA_VERSION, VERSION                what this is
NAME, GRAVITY (3,), UNITS                      of the vehicle; units as JSON, {} where they are not known
COMPONENTS/<k>/...                             flexible bodies as component files have them, each once, from 0
BODIES/<k>/                                    in the order of addition, from 0
    NAME, PARENT, ROTATION (3, 3), JOINT       no parent: the ground; JOINT is JSON, its kind and what was given
    AT                                         a point (3,), or a node
    MASS, COM (3,), INERTIA (3, 3), PORT (3,)  of a rigid body
    COMPONENT, NODE, DAMPING, ORDER, N_MODES, STIFFENING    of a flexible body
CLOSURES/<k>/                                  NAME, ROTATION, JOINT, FIRST, SECOND: groups with BODY and AT

What is not said is not there. A compiled system adds SETTINGS/..., what is switched, and SITES (m, 2), body and node of
the places that were asked for, in their order.
"""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from typing import Any

import h5py
import numpy as np
from numpy.typing import ArrayLike

from interstage import __version__
from interstage.component import Component
from interstage.component.file import component_in, put_component
from interstage.errors import FileError, InputError
from interstage.files import MULTIBODY, check_version, expect
from interstage.hdf5 import FileFault, Group, opened, put_array, put_text, put_texts, write_hdf5
from interstage.multibody.closures import ClosureSpec, End, check_ends, check_joint, end_of
from interstage.multibody.dispersed_parameters import with_factors
from interstage.multibody.joints import KNOWN, Joint, as_joint
from interstage.multibody.model import BodySpec, Mounting, Multibody, fill_flexible
from interstage.multibody.propellant_mass import TankLoads, Tanks
from interstage.multibody.sites import located
from interstage.multibody.system import System
from interstage.output import as_path, json_text, parse_json
from interstage.spatial import RigidInertia, Rotation

SCHEMA = 1
STIFFENING = (False, True, None)  # by the number in the file


def write_model(model: Multibody, path: str | Path) -> Path:
    """Write the description of a vehicle, whole or not at all."""

    def fill(f: h5py.File) -> None:
        put_text(f, "FORMAT", MULTIBODY.format)
        put_text(f, "VERSION", f"interstage {__version__}")
        put_array(f, "SCHEMA_VERSION", SCHEMA)
        put_model(f, model)

    return write_hdf5(path, fill, MULTIBODY.words)


def read_model(path: str | Path) -> Multibody:
    """Read the description of a vehicle; a damaged, foreign or newer file is one sentence."""
    path = as_path(path, "multibody file")
    expect(path, MULTIBODY)
    with opened(path, MULTIBODY.words) as f:
        if not f.has("FORMAT") or f.text("FORMAT") != MULTIBODY.format:
            raise FileError(f"this HDF5 file is not a {MULTIBODY.words}", where=str(path))
        check_version(f.number("SCHEMA_VERSION"), SCHEMA, MULTIBODY, path)
        return model_in(f, path)


_TANKS = ("first", "masses", "base", "levels", "start")  # arrays of `Tanks`

# writing --------------------------------------------------------------------------------------------------


def put_model(group: h5py.Group, model: Multibody) -> None:
    """Write the description of a vehicle into a group."""
    put_text(group, "NAME", model.name)
    put_text(group, "UNITS", json_text(model.units))
    put_array(group, "GRAVITY", np.asarray(model.gravity, dtype=float))
    components: dict[int, int] = {}
    for k, spec in enumerate(model.specs):
        component = spec.component
        if component is not None and id(component) not in components:
            number = components[id(component)] = len(components)
            put_component(group.create_group(f"COMPONENTS/{number}"), component)
        place = group.create_group(f"BODIES/{k}")
        _put_body(place, spec)
        if component is not None:
            put_array(place, "COMPONENT", components[id(component)])
    for k, closure in enumerate(model.closures):
        place = group.create_group(f"CLOSURES/{k}")
        put_text(place, "NAME", closure.name)
        put_text(place, "JOINT", _joint_text(closure.joint))
        put_array(place, "ROTATION", closure.rotation)
        for name, (body, at) in zip(("FIRST", "SECOND"), closure.ends):
            end = place.create_group(name)
            put_array(end, "AT", at)
            if body is not None:
                put_text(end, "BODY", body)


def _put_body(group: h5py.Group, spec: BodySpec) -> None:
    put_text(group, "NAME", spec.name)
    put_text(group, "JOINT", _joint_text(spec.joint))
    given: dict[str, ArrayLike] = {
        "ROTATION": spec.rotation,
        "AT": spec.at,
        "STIFFENING": STIFFENING.index(spec.stiffening),
        "ROTARY": int(spec.rotary),
    }
    if spec.parent is not None:
        put_text(group, "PARENT", spec.parent)
    if spec.inertia is not None:
        given |= {"MASS": spec.inertia.mass, "COM": spec.inertia.com, "INERTIA": spec.inertia.inertia}
    else:
        given["ORDER"] = spec.order
    for name in ("port", "node", "damping", "n_modes"):
        if getattr(spec, name) is not None:
            given[name.upper()] = getattr(spec, name)
    for name, value in given.items():
        put_array(group, name, value)
    if spec.tanks is not None:
        tanks = group.create_group("TANKS")
        put_texts(tanks, "NAMES", spec.tanks.names)
        for name in _TANKS:
            put_array(tanks, name.upper(), getattr(spec.tanks, name))
        if spec.tanks.ratio is not None:
            put_array(tanks, "RATIO", spec.tanks.ratio)
        if spec.tanks.loads is not None:
            loads = tanks.create_group("LOADS")
            for name in ("load", "arm", "K"):
                put_array(loads, name.upper(), getattr(spec.tanks.loads, name))


def _joint_text(joint: Joint) -> str:
    """Return a joint as JSON: its kind, and what was given."""
    given = {field.name: getattr(joint, field.name) for field in fields(joint)}  # type: ignore[arg-type]
    words = {
        name: {"rotation": value.matrix} if isinstance(value, Rotation) else _plain(value)
        for name, value in given.items()
    }
    return json_text({"joint": type(joint).__name__, **words}, where="joint")


def _plain(value: Any) -> Any:
    """Return lists of whatever sequences there are."""
    if isinstance(value, tuple | list | np.ndarray):
        return [_plain(item) for item in value]
    return value


# reading --------------------------------------------------------------------------------------------------


def model_in(group: Group, path: Path) -> Multibody:
    """Return the description that a group holds."""
    units = parse_json(group.text("UNITS"))
    if not isinstance(units, dict):
        raise FileFault(f"'{group.label}UNITS' does not name units")
    model = Multibody(group.text("NAME"), group.array("GRAVITY", (3,)), units=units or None)
    parts = _numbered(group, "COMPONENTS")
    components = [component_in(part, path) for part in parts]
    for place in _numbered(group, "BODIES"):
        spec = _body_in(place, model, components)
        if spec.name in model.bodies:
            raise FileFault(f"there are two bodies '{spec.name}'")
        model.specs.append(spec)
    for place in _numbered(group, "CLOSURES"):
        model.closures.append(_closure_in(place, model))
    return model


def _numbered(group: Group, name: str) -> list[Group]:
    """Return the groups 0, 1, ... of a group, none where it is not there."""
    if not group.has(name):
        return []
    inside = group.child(name)
    return [inside.child(str(k)) for k in range(len(inside.names()))]


def _body_in(group: Group, model: Multibody, components: list[Component]) -> BodySpec:
    name = group.text("NAME")
    where = f"body '{name}'"
    parent = group.text("PARENT") if group.has("PARENT") else None
    stiffening = group.integer("STIFFENING")
    if not 0 <= stiffening < len(STIFFENING):
        raise FileFault(f"'{group.label}STIFFENING' is {stiffening} where 0, 1 or 2 belongs")
    spec = BodySpec(
        name,
        parent,
        as_joint(_joint_in(group), where),
        model.place(parent, _place_in(group), where),
        _rotation_in(group),
        stiffening=STIFFENING[stiffening],
        rotary=group.has("ROTARY") and bool(group.integer("ROTARY")),
    )
    if group.has("COMPONENT"):
        number = group.integer("COMPONENT")
        if not 0 <= number < len(components):
            raise FileFault(f"'{group.label}COMPONENT' is {number}, and there are {len(components)}")
        node, n_modes = (group.integer(key) if group.has(key) else None for key in ("NODE", "N_MODES"))
        damping = group.array("DAMPING", _shape(group, "DAMPING")) if group.has("DAMPING") else None
        how = Mounting(node, damping, group.integer("ORDER"), n_modes)
        fill_flexible(spec, components[number], how, where)
        spec.tanks = _tanks_in(group.child("TANKS")) if group.has("TANKS") else None
        return spec
    spec.inertia = RigidInertia(
        group.number("MASS"), group.array("COM", (3,)), group.array("INERTIA", (3, 3))
    )
    spec.port = group.array("PORT", (3,)) if group.has("PORT") else None
    return spec


def _tanks_in(group: Group) -> Tanks:
    names = tuple(group.texts("NAMES"))
    first, masses = group.array("FIRST", (len(names) + 1,), "i"), group.array("MASSES", (None,))
    base = group.array("BASE", (None,))
    if first[0] != 0 or first[-1] != len(masses) or np.any(np.diff(first) < 1):
        raise FileFault(f"'{group.label}FIRST' does not part the levels")
    ratio = group.array("RATIO", (None, 2)) if group.has("RATIO") else None
    levels = group.array("LEVELS", (len(masses), len(base)))
    loads = None
    if group.has("LOADS"):
        own = group.child("LOADS")
        load = own.array("LOAD", (None, 2)).astype(np.int64)
        loads = TankLoads(load, own.array("ARM", (len(load), 6)), own.array("K", (len(load), None, None)))
    return Tanks(names, first, masses, base, levels, group.array("START", (len(names),)), ratio, loads)


def _closure_in(group: Group, model: Multibody) -> ClosureSpec:
    name = group.text("NAME")
    where = f"closure '{name}'"
    if name in [closure.name for closure in model.closures]:
        raise FileFault(f"there are two closures '{name}'")
    ends: list[End] = []
    for key in ("FIRST", "SECOND"):
        end = group.child(key)
        body = end.text("BODY") if end.has("BODY") else None
        ends.append(end_of(model, (body, _place_in(end)), where))
    both = ends[0], ends[1]
    check_ends(model, both, where)
    return ClosureSpec(name, both, check_joint(_joint_in(group), where), _rotation_in(group))


def _shape(group: Group, name: str) -> tuple[int | None, ...]:
    return (None,) * len(group.dataset(name).shape)


def _place_in(group: Group) -> np.ndarray | int:
    return group.array("AT", (3,)) if len(_shape(group, "AT")) else group.integer("AT")


def _rotation_in(group: Group) -> np.ndarray:
    """Return a rotation as it was written: checked, not made orthogonal anew."""
    R = group.array("ROTATION", (3, 3))
    Rotation.from_matrix(R, where=f"'{group.label}ROTATION'")
    return R


def _joint_in(group: Group) -> Joint:
    given = parse_json(group.text("JOINT"))
    kinds = {kind.__name__: kind for kind in KNOWN}
    kind = kinds.get(given.pop("joint", "")) if isinstance(given, dict) else None
    if kind is None or not set(given) <= {field.name for field in fields(kind)}:
        raise FileFault(f"'{group.label}JOINT' is no joint that is known")
    rest = given.get("rest")
    if isinstance(rest, dict):
        given["rest"] = Rotation(rest.get("rotation", ()))
    return kind(**given)


# compiled systems -----------------------------------------------------------------------------------------


def put_system(group: h5py.Group, system: System, model: bool = True) -> None:
    """Write a compiled vehicle into a group: its description, what is switched, and places that were asked for.

    model : False leaves the description out, of a vehicle whose description is elsewhere in the file
    """
    if model:
        put_model(group, system.model)
        if system.factors:
            put_text(group, "FACTORS", json_text(system.factors))
    settings = system.settings
    for name, array in settings.arrays().items():
        put_array(group, f"SETTINGS/{name}", array)
    put_text(group, "OPENED", json_text(sorted(settings.opened)))
    put_text(group, "DROPPED", json_text([[row, sorted(names)] for row, names in settings.dropped.items()]))
    asked = sorted(system.site_rows, key=system.site_rows.__getitem__)[len(system.closure_places) :]
    put_array(group, "SITES", np.array(asked, dtype=np.int64).reshape(-1, 2))


def _with_factors_in(group: Group, system: System) -> System:
    """Return a vehicle with the factors on its stiffness, damping and masses that a group holds."""
    given = parse_json(group.text("FACTORS"))
    fits = isinstance(given, dict) and all(
        isinstance(one, float | int) and 0.0 <= one < 1e9 for one in given.values()
    )
    if not fits:
        raise FileFault(f"'{group.label}FACTORS' must hold a number for each name")
    try:
        return with_factors(system, given)
    except InputError as error:
        raise FileFault(f"'{group.label}FACTORS' does not fit the vehicle: {error}") from error


def system_in(group: Group, path: Path, like: System | None = None) -> System:
    """Return the compiled vehicle that a group holds; `like` has its description where the group has none."""
    system = like if like is not None and not group.has("NAME") else System(model_in(group, path))
    if group.has("FACTORS") and not system.factors:
        system = _with_factors_in(group, system)
    settings, place = system.settings.copy(), group.child("SETTINGS")
    for name, array in settings.arrays().items():
        if array.size == 0 and not place.has(name):
            continue  # a file of old
        array[...] = place.array(name, array.shape, "i" if array.dtype.kind == "i" else "f")
    settings.opened = frozenset(parse_json(group.text("OPENED")))
    settings.dropped = {int(row): frozenset(names) for row, names in parse_json(group.text("DROPPED"))}
    settings.check_values()
    system = system.with_settings(settings)
    names, sites = system.bodies, group.array("SITES", (None, 2), "i")
    if len(sites) and not 0 <= sites[:, 0].min() <= sites[:, 0].max() < len(names):
        raise FileFault(f"'{group.label}SITES' has bodies that are not there")
    located(system, [(names[i], int(node)) for i, node in sites])
    return system
