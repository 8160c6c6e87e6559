"""An assembly as text: members, periods, ports and what is wired to them."""

from __future__ import annotations

import numpy as np

from interstage.multibody import System
from interstage.multibody.summary import table
from interstage.system.assembly import Assembly, Part
from interstage.system.device import Device
from interstage.system.law import Law
from interstage.system.ports import Discrete, Field, In, Integer, Look, Out, Parameter, Push, State, Stored

KINDS: dict[type, str] = {
    Parameter: "parameter",
    In: "input",
    Out: "output",
    State: "state",
    Stored: "state",
    Discrete: "sampled state",
    Integer: "whole number",
}


def tree_text(assembly: Assembly) -> str:
    """Return the tree of an assembly: a line a member, then its ports; inputs say where they come from."""
    sources: dict[str, list[str]] = {}
    for piece in assembly.pieces():
        rate = f" every {piece.every} s" if piece.every else ""
        late = f" after {piece.delay} s" if piece.delay else ""
        sources.setdefault(piece.target, []).append(piece.source + rate + late)
    return "\n".join([assembly.name + _own_vehicle(assembly), *_members(assembly, "", "", sources)])


def _own_vehicle(assembly: Assembly) -> str:
    vehicle = assembly.vehicles().get("")
    return "" if vehicle is None else f"  ({_vehicle(vehicle)})"


def _vehicle(system: System) -> str:
    return f"vehicle '{system.model.name}', {len(system.bodies)} bodies, {system.nv} velocities"


def _members(assembly: Assembly, prefix: str, indent: str, sources: dict[str, list[str]]) -> list[str]:
    lines = []
    members = assembly.members()
    for k, (name, member) in enumerate(members.items()):
        last = k == len(members) - 1
        branch, inner = ("└─ ", "   ") if last else ("├─ ", "│  ")
        if isinstance(member, Assembly):
            lines.append(f"{indent}{branch}{name}/{_own_vehicle(member)}")
            lines += _members(member, f"{prefix}{name}.", indent + inner, sources)
        elif isinstance(member, System):
            lines.append(f"{indent}{branch}{name}: {_vehicle(member)}")
        else:
            lines.append(f"{indent}{branch}{name}: {_described(member)}")
            lines += _ports(member, prefix + name, indent + inner, sources)
    return lines


def _described(part: Part) -> str:
    what = repr(part.what) if isinstance(part.what, Law) else type(part.what).__name__
    if part.every is None:
        return what
    first = f", first at {part.offset} s" if part.offset else ""
    late = f", seen {part.delay} s later" if part.delay else ""
    return f"{what}, every {part.every} s{first}{late}"


def _ports(part: Part, path: str, indent: str, sources: dict[str, list[str]]) -> list[str]:
    lines = []
    for name, field in part.what.fields.items():
        if not isinstance(field, In | Out):
            continue
        shape = part.what.shape_of(name)
        size = "[?]" if shape is None else "".join(f"[{n}]" for n in shape)
        lines.append(
            f"{indent}   {name}{size} {field.unit or '1'} {_from(part, field, f'{path}.{name}', sources)}".rstrip()
        )
    return lines


def _from(part: Part, field: Field, name: str, sources: dict[str, list[str]]) -> str:
    """Say where an input comes from, or what an output does."""
    if isinstance(field, Look | Push):
        arrow = "←" if isinstance(field, Look) else "→"
        place = _place(part.what.place_of(field.owner.name))
        quantity = field.quantity.removeprefix("joint_").replace("_", " ")
        if field.axes == "joint":
            return f"{arrow} {quantity} of the joint of {place}"
        return f"{arrow} {quantity} of {place}, {field.axes} axes"
    if isinstance(field, In):
        given = (
            " (default)" if not isinstance(part.what, Law) and part.what.is_given(field.name) else " (open)"
        )
        return "← " + ", ".join(sources[name]) if name in sources else "←" + given
    return "→"


def _place(place: object) -> str:
    """Return a place in words: body, node of a body, point of a body, or several of them.

    >>> _place(("core", 4)), _place(("core", [0.5, 0, 0])), _place(["bus", ("core", 9)])
    ('node 4 of core', 'point [0.5, 0, 0] of core', 'bus; node 9 of core')
    """
    if place is None or place == [None]:
        return "the vehicle"
    if isinstance(place, tuple) and len(place) == 2 and (place[0] is None or isinstance(place[0], str)):
        body = "the vehicle" if place[0] is None else place[0]
        if isinstance(place[1], int | np.integer):
            return f"node {place[1]} of {body}"
        return body if place[1] is None else f"point {_row(place[1])} of {body}"
    if isinstance(place, list | tuple):
        return "; ".join(map(_place, place))
    return str(place)


def _row(values: object) -> str:
    """Return numbers as a row in brackets."""
    return "[" + ", ".join(f"{x:g}" for x in np.ravel(np.asarray(values))) + "]"


def device_text(device: Device) -> str:
    """Return a device as text: its places, its fields with units and what each is or begins with."""
    when = "" if device.every is None else f", every {device.every} s"
    rows = [[name, "place", "", _place(device.place_of(name))] for name in device.places]
    for name, field in device.fields.items():
        size = "".join(f"[{n}]" for n in device.shape_of(name))
        kind = KINDS.get(type(field)) or ("seen" if isinstance(field, Look) else "acts")
        value = _value_text(device, name, field)
        rows.append([name + size, kind, field.unit or "1", value])
    title = f"{type(device).__name__}{when}"
    return "\n".join([title, *(f"  {line}" for line in table(["", "", "unit", ""], rows)[1:])])


def _value_text(device: Device, name: str, field: Field) -> str:
    """Return a value, or what of the vehicle a port is."""
    if isinstance(field, Look | Push):
        words = field.quantity.removeprefix("joint_").replace("_", " ")
        return f"{words} of {_place(device.place_of(field.owner.name))}"
    if isinstance(field, Out) or not device.is_given(name):
        return ""
    return np.array2string(np.asarray(device.value_of(name)), precision=6, threshold=8, edgeitems=2).replace(
        "\n", ""
    )
