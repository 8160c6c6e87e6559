"""Joints that devices hold: `switch` says when, and sees then what the lock carries.

A device with a field of `Hinge.hold()` locks the joint where it writes 1, and lets it go where it writes 0. Rates of a
joint that is locked vanish by an impulse inside the vehicle. After that `switch` runs once more: what it feels is of
the locked joint, and where the lock carries too much it lets go at once.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from interstage.multibody import State
from interstage.multibody.impulse import set_rates
from interstage.system.assembly import Part
from interstage.system.law import Law
from interstage.system.ports import Hold

if TYPE_CHECKING:
    from interstage.system.flight import Flight
    from interstage.system.plan import Plan


def holds_of(part: Part) -> dict[str, str]:
    """Return the joints that a device holds, {full name of the field: body}."""
    if isinstance(part.what, Law):
        return {}
    found = {n: field for n, field in part.what.fields.items() if isinstance(field, Hold)}
    return {f"{part.path}.{n}": str(part.place_of(field.owner.name)) for n, field in found.items()}


def held_joints(plan: Plan) -> Mapping[str, bool]:
    """Return {body: whether its joint is held at the beginning} of all joints that devices may hold."""
    found: dict[str, bool] = {}
    for part in plan.parts:
        for name, body in holds_of(part).items():
            found[body] = found.get(body, False) or bool(plan.initial["n"][plan.slots[name].start])
    return found


def settle(flight: Flight) -> None:
    """Let devices that ask for it find out, at the beginning of a run, how they stand."""
    for part in flight.plan.parts:
        if not isinstance(part.what, Law) and part.what.settles:
            _lock(flight, part)
            flight.bring(flight.t, flight.whole())
            flight.loop.tapes.switch(part, flight.t)
            obey(flight, part, flight.t)


def obey(flight: Flight, part: Part, t: float) -> None:
    """Lock and free joints as a device says; ask it once more where it has locked one."""
    assert not isinstance(part.what, Law)
    if _lock(flight, part):
        flight.bring(t, flight.whole())
        flight.loop.tapes.switch(part, t)
        _lock(flight, part)


def _lock(flight: Flight, part: Part) -> bool:
    """Give joints the modes that a device says; return whether one was locked."""
    locked = False
    for name, body in holds_of(part).items():
        mode = "locked" if flight.loop.tapes.array(name) != 0 else "free"
        if flight.system.joint_mode(body) == mode:
            continue
        if mode == "locked":
            x = State(flight.system.layout, flight.q, flight.v)
            set_rates(flight.system, x, body, np.zeros(len(x[body].v)))
            flight.v[:], locked = x.v, True
        flight.system.set_joint_mode(body, mode)
    return locked
