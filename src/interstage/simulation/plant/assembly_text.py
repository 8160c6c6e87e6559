"""An assembly as text, and as plain data for diagrams and files.

An assembly as text: members, periods, ports and what is wired to them.

An assembly as blocks and wires: plain words and lists, for pictures and files.

    {"name": ..., "members": [block, ...], "wires": [[from, to, words], ...], "exposed": {port: [ports inside]}}

A block has a name, words on what it is, the period of its samples ("" where it is continuous) and ports, or members of
its own. A port is [name, side, size, unit, words]: side "in", "out", "look" (the vehicle fills it) or "push" (the
vehicle obeys it); words say what of the vehicle. "forces" are the ports that push at places,
{port: [axes, [[body, node or point], ...]]}.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from interstage.multibody import System
from interstage.multibody.summary import table
from interstage.simulation.plant.assembly import Assembly, Member
from interstage.simulation.plant.declarations import (
    ContinuousState,
    DiscreteState,
    Field,
    In,
    IntegerState,
    Look,
    Out,
    Parameter,
    Push,
    Sites,
    Stored,
)
from interstage.simulation.plant.device import Device
from interstage.simulation.plant.python_block import Law

KINDS: dict[type, str] = {
    Parameter: "parameter",
    In: "input",
    Out: "output",
    ContinuousState: "state",
    Stored: "state",
    DiscreteState: "sampled state",
    IntegerState: "whole number",
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


def _described(part: Member) -> str:
    what = repr(part.what) if isinstance(part.what, Law) else type(part.what).__name__
    if part.every is None:
        return what
    first = f", first at {part.offset} s" if part.offset else ""
    late = f", seen {part.delay} s later" if part.delay else ""
    return f"{what}, every {part.every} s{first}{late}"


def _ports(part: Member, path: str, indent: str, sources: dict[str, list[str]]) -> list[str]:
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


def _from(part: Member, field: Field, name: str, sources: dict[str, list[str]]) -> str:
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


Block = dict[str, object]


def blocks_of(assembly: Assembly) -> Block:
    """Return the blocks and wires of an assembly; names in wires and exposed ports are full names."""
    wires: dict[tuple[str, str, str], None] = {}
    for piece in assembly.pieces():
        rate = f"every {time_text(piece.every)}" if piece.every else ""
        late = f"after {time_text(piece.delay)}" if piece.delay else ""
        wires[piece.source, piece.target, ", ".join(filter(None, (rate, late)))] = None
    return {
        "name": assembly.name,
        "members": [_block(name, member) for name, member in assembly.members().items()],
        "wires": [list(wire) for wire in wires],
        "exposed": assembly.exposed(),
        "vehicle": _vehicle_words(assembly),
        "forces": _forces(assembly),
    }


def time_text(time: Fraction) -> str:
    """Return a time in a unit that makes it short.

    >>> time_text(Fraction(1, 200)), time_text(Fraction(1, 3)), time_text(Fraction(60))
    ('5 ms', '1/3 s', '60 s')
    """
    for unit, size in (("s", 1), ("ms", 1000), ("µs", 10**6)):
        count = time * size
        if count.denominator == 1 or (count >= 1 and 100 % count.denominator == 0):
            return f"{float(count):g} {unit}"
    return f"{time} s"


def _vehicle_words(assembly: Assembly) -> str:
    own = assembly.vehicles().get("")
    return "" if own is None else f"{own.model.name}: {len(own.bodies)} bodies, {own.nv} velocities"


def _forces(assembly: Assembly) -> dict[str, list[object]]:
    """Return the ports that are forces on places of the vehicle, their axes and places."""
    found: dict[str, list[object]] = {}
    for part in assembly.parts():
        for name, field in part.what.fields.items():
            if isinstance(field, Push) and field.quantity == "force":
                given = part.place_of(field.owner.name)
                places = given if isinstance(field.owner, Sites) and isinstance(given, list) else [given]
                found[f"{part.path}.{name}"] = [field.axes, [_plain_place(place) for place in places]]
    return found


def _plain_place(place: object) -> list[object]:
    """Return a place as [body, node, point or None]."""
    if not isinstance(place, tuple | list):
        return [place, None]
    node = place[1] if len(place) > 1 else None
    return [place[0], node if node is None or isinstance(node, int) else np.asarray(node, float).tolist()]


def _block(name: str, member: Assembly | Member | System) -> Block:
    if isinstance(member, Assembly):
        inside = [_block(inner, what) for inner, what in member.members().items()]
        return {"name": name, "words": _vehicle_words(member), "every": "", "members": inside}
    if isinstance(member, System):
        words = f"vehicle, {len(member.bodies)} bodies, {member.nv} velocities"
        return {"name": name, "words": words, "every": "", "ports": []}
    law = isinstance(member.what, Law)
    words = repr(member.what).partition("(")[0].strip("<>") if law else type(member.what).__name__
    words += f", seen {time_text(member.delay)} later" if member.delay else ""
    every = "" if member.every is None else time_text(member.every)
    return {"name": name, "words": words, "every": every, "python": law, "ports": _port_rows(member)}


def _port_rows(part: Member) -> list[list[str]]:
    found = []
    for name, field in part.what.fields.items():
        if not isinstance(field, In | Out):
            continue
        shape, words = part.what.shape_of(name), ""
        side = "in" if isinstance(field, In) else "out"
        if isinstance(field, Look | Push):
            side = "look" if isinstance(field, Look) else "push"
            place = place_text(part.what.place_of(field.owner.name), isinstance(field.owner, Sites))
            place = f"{place}'s joint" if field.axes == "joint" else place
            words = f"{field.quantity.removeprefix('joint_').replace('_', ' ')} of {place}"
        size = "" if not shape else "[" + "×".join(map(str, shape)) + "]"
        found.append([name, side, size, "" if field.unit == "1" else field.unit, words])
    return found


def place_text(place: object, several: bool = False) -> str:
    """Return the words for a place, as in "boom 4"; for several those of the first, and how many more there are.

    >>> place_text(("boom", 4)), place_text(None), place_text([("core", 4), ("core", 9)], True)
    ('boom 4', 'the vehicle', 'core 4 and 1 more')
    """
    if several and isinstance(place, list | tuple):
        return place_text(place[0]) + (f" and {len(place) - 1} more" if len(place) > 1 else "")
    if isinstance(place, tuple | list):
        node = place[1] if len(place) > 1 else None
        return str(place[0]) + ("" if node is None else f" {node}" if isinstance(node, int) else " point")
    return "the vehicle" if place is None else str(place)
