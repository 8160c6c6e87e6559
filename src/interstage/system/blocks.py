"""An assembly as blocks and wires: plain words and lists, for pictures and files.

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
from interstage.system.assembly import Assembly, Part
from interstage.system.law import Law
from interstage.system.ports import In, Look, Out, Places, Push

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
        "vehicle": _vehicle(assembly),
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


def _vehicle(assembly: Assembly) -> str:
    own = assembly.vehicles().get("")
    return "" if own is None else f"{own.model.name}: {len(own.bodies)} bodies, {own.nv} velocities"


def _forces(assembly: Assembly) -> dict[str, list[object]]:
    """Return the ports that are forces on places of the vehicle, their axes and places."""
    found: dict[str, list[object]] = {}
    for part in assembly.parts():
        for name, field in part.what.fields.items():
            if isinstance(field, Push) and field.quantity == "force":
                given = part.place_of(field.owner.name)
                places = given if isinstance(field.owner, Places) and isinstance(given, list) else [given]
                found[f"{part.path}.{name}"] = [field.axes, [_plain_place(place) for place in places]]
    return found


def _plain_place(place: object) -> list[object]:
    """Return a place as [body, node, point or None]."""
    if not isinstance(place, tuple | list):
        return [place, None]
    node = place[1] if len(place) > 1 else None
    return [place[0], node if node is None or isinstance(node, int) else np.asarray(node, float).tolist()]


def _block(name: str, member: Assembly | Part | System) -> Block:
    if isinstance(member, Assembly):
        inside = [_block(inner, what) for inner, what in member.members().items()]
        return {"name": name, "words": _vehicle(member), "every": "", "members": inside}
    if isinstance(member, System):
        words = f"vehicle, {len(member.bodies)} bodies, {member.nv} velocities"
        return {"name": name, "words": words, "every": "", "ports": []}
    law = isinstance(member.what, Law)
    words = repr(member.what).partition("(")[0].strip("<>") if law else type(member.what).__name__
    words += f", seen {time_text(member.delay)} later" if member.delay else ""
    every = "" if member.every is None else time_text(member.every)
    return {"name": name, "words": words, "every": every, "python": law, "ports": _ports(member)}


def _ports(part: Part) -> list[list[str]]:
    found = []
    for name, field in part.what.fields.items():
        if not isinstance(field, In | Out):
            continue
        shape, words = part.what.shape_of(name), ""
        side = "in" if isinstance(field, In) else "out"
        if isinstance(field, Look | Push):
            side = "look" if isinstance(field, Look) else "push"
            place = place_text(part.what.place_of(field.owner.name), isinstance(field.owner, Places))
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
