"""Where a flight is, or begins: state of the vehicle, what acts beside devices, and values of devices by name."""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from typing import Any

import numpy as np

from interstage.errors import InputError
from interstage.multibody import State, System
from interstage.multibody.loads import (
    Forces,
    Generalized,
    Loads,
    OperatingPoint,
    acting_at,
    at_point,
    check_frame,
)
from interstage.multibody.settings import Settings
from interstage.multibody.state import check_belongs
from interstage.multibody.topology import check_state
from interstage.multibody.types import Rates
from interstage.system.device import Device
from interstage.system.law import Law
from interstage.system.plan import Plan
from interstage.system.ports import Parameter
from interstage.system.ports import State as Stored

Base = tuple[np.ndarray, np.ndarray, np.ndarray]


class FlightPoint(OperatingPoint):
    """Where a flight is: state of the vehicle, what acts beside devices, and values of devices by full name.

    values : states, discrete states, integers, sampled outputs and inputs that are held;  t : time
    memory : {path of a law: {attribute: value}} that it begins with, where a trim has found it
    """

    def __init__(
        self,
        x: State,
        loads: Loads,
        vdot: np.ndarray,
        settings: Settings,
        values: Mapping[str, np.ndarray],
        t: float = 0.0,
        memory: Mapping[str, Mapping[str, object]] | None = None,
    ):
        super().__init__(x, loads, vdot, settings)
        self.values, self.t = dict(values), t
        self.memory = {path: dict(held) for path, held in (memory or {}).items()}

    def _arguments(self) -> tuple:
        values = {name: np.array(value) for name, value in self.values.items()}
        return *super()._arguments(), values, self.t, deepcopy(self.memory)


def with_loads(
    system: System | None,
    x: State | None,
    forces: Forces | None,
    tau: Generalized | None,
    accelerations: Rates | None,
    frame: str,
) -> State | None:
    """Return a point with the loads given, of each kind, in the place of its own; x itself where none are given.

    system : the vehicle that they act on, None: there is none;  x : None is the vehicle as described
    """
    if forces is None and tau is None and accelerations is None:
        return x
    if system is None:
        raise InputError(
            "forces, tau and accelerations act on a vehicle, and the assembly has none",
            hint="give the assembly vehicle=",
        )
    x = system.state() if x is None else x
    check_belongs(system, x)
    view = at_point(system, x)
    loads = Loads.of(view, *acting_at(x, forces, tau, accelerations), frame)
    point = x, loads, np.zeros(view.nv), view.settings.copy()
    if isinstance(x, FlightPoint):
        return FlightPoint(*point, x.values, x.t, x.memory)
    return OperatingPoint(*point)


def check_frame_used(frame: str, forces: object) -> None:
    """Refuse axes of forces where no forces are given: those of an operating point have axes of their own."""
    if check_frame(frame) != "world" and forces is None:
        raise InputError(
            f'frame="{frame}" gives the axes of forces=, and no forces are given',
            where="frame",
            hint="leave frame= out: the forces of an operating point have axes of their own",
        )


def known_values(x: State | None, given: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return values of inputs and states by name or pattern: of a point of a flight, then what is given."""
    if given is not None and not isinstance(given, Mapping):
        raise InputError(
            "set cannot be read", where="set", expected="{port or state: value}", got=repr(given)[:60]
        )
    return {**(x.values if isinstance(x, FlightPoint) else {}), **(given or {})}


def start_values(
    plan: Plan, x: State | None, given: Mapping[str, Any] | None, still: bool = False
) -> dict[str, np.ndarray]:
    """Return values by full name that a run starts from: those of a point of a flight, then those that are given.

    still : of a trim or linear model, in which outputs of laws outside of the model are held and may be given
    """
    held: dict[str, np.ndarray] = {}
    if isinstance(x, FlightPoint):
        held |= {name: value for name, value in x.values.items() if name in plan.slots}
    new = plan.values(given or {}, still)
    return held | new | _following(plan, held, new)


def _following(
    plan: Plan, held: Mapping[str, np.ndarray], new: Mapping[str, np.ndarray]
) -> dict[str, np.ndarray]:
    """Return what follows in devices from parameters that are given."""
    found: dict[str, np.ndarray] = {}
    for part in plan.parts:
        if not isinstance(part.what, Device):
            continue
        own = {
            n: f"{part.path}.{n}" for n, f in part.what.fields.items() if isinstance(f, Parameter | Stored)
        }
        given = {n: new[full] for n, full in own.items() if full in new}
        if any(isinstance(part.what.fields[n], Parameter) for n in given):
            now = {n: held[full] for n, full in own.items() if full in held}
            follows = part.what.following(given, now)
            found |= {own[n]: np.asarray(value) for n, value in follows.items() if own.get(n) in plan.slots}
    return found


def recall(plan: Plan, x: State | None) -> None:
    """Let laws remember what a point says that they do."""
    for path, held in x.memory.items() if isinstance(x, FlightPoint) else ():
        for part in plan.parts:
            if part.path == path and isinstance(part.what, Law):
                for name, value in held.items():
                    setattr(part.what.owner, name, deepcopy(value))


def begun_at(system: System, x: State | None) -> State:
    """Return the state that a run starts from."""
    if x is None:
        return system.state()
    check_belongs(system, x)
    check_real(x)
    check_state(system, x)
    return x


def check_real(x: State) -> None:
    """Refuse a state of complex numbers."""
    if np.iscomplexobj(x.q):
        raise InputError("a run starts from a state of real numbers", where="x", got=f"{x.q.dtype}")


def check_locked(system: System, x: State) -> None:
    """Refuse a start at which locked joints move: they would go on for ever."""
    for body in system.bodies:
        if system.joint_mode(body) == "locked" and x[body].v.any():
            raise InputError(
                f"the joint of body '{body}' is locked, but it moves",
                got=f"rates {x[body].v}",
                hint=f"set x['{body}'].v to zero; to stop a moving joint, use the event action Switch",
            )


def base_loads(system: System, x: State) -> Base | None:
    """Return what acts beside devices: tau, sites and wrenches of an operating point."""
    if not isinstance(x, OperatingPoint):
        return None
    if x.loads.in_time:
        raise InputError(
            "loads that change with time have no trim and no linear model",
            hint="say at which time: ist.Loads.of(system, ...).at(t)",
        )
    return x.loads.vector(system), *x.loads.rows(system)
