"""The vehicle of a plan as a run has it: with settings of its own, joints as devices want them."""

from __future__ import annotations

import numpy as np

from interstage.errors import InputError
from interstage.multibody import Multibody, State, System
from interstage.multibody.joints import Locked
from interstage.multibody.loads import OperatingPoint
from interstage.multibody.prescribed import LOCKED
from interstage.system.ahead import Ahead, is_si
from interstage.system.holding import held_joints
from interstage.system.plan import Plan


def no_vehicle() -> System:
    """Return a vehicle that does not move, for assemblies without one."""
    mb = Multibody("no vehicle")
    mb.add_body("ground", mass=1.0, inertia=np.eye(3), joint=Locked())
    return mb.compile()


def view_of(plan: Plan, x: State | None = None) -> System:
    """Return the vehicle of a plan with settings of its own: joints whose motion devices say are prescribed.

    x : where it begins; an operating point knows which joints devices hold there, and what was in tanks that are states
    """
    vehicle = plan.assembly.vehicle
    if vehicle is None:
        return no_vehicle()
    devices = any(not isinstance(part.what, Ahead) for part in plan.parts)
    if devices and not is_si(vehicle):
        raise InputError(
            "devices speak SI, the vehicle does not",
            where=f"vehicle '{vehicle.model.name}'",
            got="-".join(vehicle.units.values()),
            hint="convert its components: Component.converted or units= when they are made",
        )
    view = vehicle.with_settings()
    for touch in plan.pushes:
        if touch.path in plan.later:
            continue
        if touch.quantity == "motion" and view.joint_mode(str(touch.place)) == "free":
            view.set_joint_mode(str(touch.place), "prescribed")
    for body, holding in held_joints(plan).items():
        known = x.settings.joint_mode[view.body(body)] == LOCKED if isinstance(x, OperatingPoint) else holding
        if known:
            view.set_joint_mode(body, "locked")
    if isinstance(x, OperatingPoint) and len(x.settings.propellant) == len(view.propellant):
        rows = [k for k, tank in enumerate(view.propellant) if tank in plan.tanks]
        view.settings.propellant[rows] = x.settings.propellant[rows]
    return view
