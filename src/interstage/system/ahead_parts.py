"""Motions and masses of a run as parts beside those of its assembly, and the order: one writer for each."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction

from interstage.errors import InputError
from interstage.multibody import System
from interstage.spatial import RigidInertia
from interstage.system.ahead import LEVELS, MASS, Ahead, MassHistory
from interstage.system.assembly import Part
from interstage.system.events import Event, Switch
from interstage.system.histories import Motion
from interstage.system.ports import Push

MassFunction = Callable[..., RigidInertia | tuple[object, ...]]


def given_ahead(
    vehicle: System | None,
    motions: Mapping[str, Motion],
    mass: Mapping[str, MassFunction],
) -> list[Part]:
    """Return motions and masses of a run, by the full names of bodies, as parts beside those of its assembly."""
    if (motions or mass) and vehicle is None:
        raise InputError(
            "motions and masses belong to a vehicle, and there is none", hint="give vehicle= a System"
        )
    found = []
    for kind, by_body in (("motion", motions), ("mass", {b: MassHistory(f) for b, f in mass.items()})):
        for body, given in by_body.items():
            made = Ahead(given, body, f"the {kind} of body '{body}'", vehicle)
            found.append(Part(f"{body} > {kind}", made, None, Fraction(0)))
    return found


def switched_ahead(vehicle: System | None, events: Sequence[Event]) -> list[Part]:
    """Return the motions that events begin as parts which say nothing until then."""
    actions = [action for event in events for action in (*event.actions, *event.rests)]
    given = [one for one in actions if isinstance(one, Switch) and one.motion is not None]
    found: dict[tuple[str, int], Part] = {}
    for one in given:
        if vehicle is not None and one.motion is not None:
            made = Ahead(one.motion, one.body, f"the motion of body '{one.body}'", vehicle, later=True)
            part = Part(f"{one.body} > motion {len(found) + 1}", made, None, Fraction(0))
            found.setdefault((one.body, id(one.motion)), part)
    return list(found.values())


def ahead_of(parts: list[Part]) -> list[int]:
    """Return the numbers of the parts that run before kinematics; each joint and mass has one of them."""
    said: dict[tuple[object, str], str] = {}
    found = []
    for k, part in enumerate(parts):
        if isinstance(part.what, Ahead) and part.what.later:
            found.append(k)
            continue
        for name, field in part.what.fields.items():
            if isinstance(field, Push) and field.quantity in (*LEVELS, MASS):
                what = MASS if field.quantity == MASS else "motion"
                key, full = (part.place_of(field.owner.name), what), f"{part.path}.{name}"
                other = said.setdefault(key, full)
                if other.rpartition(".")[0] != part.path:
                    raise InputError(
                        f"the {what} of body '{key[0]}' has two writers", got=f"{other} and {full}"
                    )
        if isinstance(part.what, Ahead):
            found.append(k)
    return found
