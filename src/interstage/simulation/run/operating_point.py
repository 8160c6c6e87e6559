"""Where a flight is, or begins: state of the vehicle, what acts beside devices, and values of devices by name."""

from __future__ import annotations

import warnings
from collections import deque
from collections.abc import Container, Mapping, Sequence
from typing import Any

import numpy as np

from interstage.copies import Copies, attributes_of
from interstage.errors import FidelityWarning, InputError, caller_level
from interstage.multibody import State, System
from interstage.multibody.loads import Forces, Generalized, Loads, check_frame
from interstage.multibody.operating_point import (
    NO_CHANGES,
    Changes,
    OperatingPoint,
    acting_at,
    at_point,
    frozen,
    history_of,
)
from interstage.multibody.state import check_belongs
from interstage.multibody.topology import check_state
from interstage.multibody.types import Rates
from interstage.simulation.plant.assembly import Assembly
from interstage.simulation.plant.declarations import ContinuousState as Stored
from interstage.simulation.plant.declarations import Parameter
from interstage.simulation.plant.device import Device
from interstage.simulation.plant.plan import ExecutionPlan
from interstage.simulation.plant.prescribed_inputs import Ahead, MassHistory
from interstage.simulation.plant.python_block import laws_of, remember
from interstage.simulation.plant.serialization import plain_object
from interstage.simulation.plant.vehicle_interface import Touching

Base = tuple[np.ndarray, np.ndarray, np.ndarray]


def as_described(vehicles: Sequence[System]) -> int:
    """Return how many of the vehicles of a run are the first one, in other joint modes or of other mass."""
    others = (k for k, system in enumerate(vehicles) if system.tree is not vehicles[0].tree)
    return next(others, len(vehicles))


def check_whole(x: State | None, loaded: bool = False) -> None:
    """Refuse a state of a log that does not say all that a run or a linear model needs; loaded : loads are given."""
    run = history_of(x)
    if run is not None and (why := run.lacking or ("" if loaded else run.unloaded)):
        raise InputError("the state is not a whole point of its run", where="x", got=why)


def chain_of(assembly: Assembly, x: State | None) -> list[System]:
    """Return the vehicles that a run had until a point, after that of the assembly; none where it has not changed."""
    run = history_of(x)
    if run is None or assembly.vehicle is None:
        return []
    if not run.changed:  # of a file of old the vehicle may be another nonetheless
        return [] if alike(assembly.vehicle, run.vehicles[-1]) else list(run.vehicles)
    return list(run.vehicles[run.first :])


def alike(one: System, other: System) -> bool:
    """Tell if two vehicles have the same bodies on the same kinds of joints."""
    if one.model is other.model:
        return True
    mine, its = (
        [(spec.name, spec.parent, type(spec.joint)) for spec in system.model.specs] for system in (one, other)
    )
    return mine == its and (one.nq, one.nv) == (other.nq, other.nv)


def vehicle_at(assembly: Assembly, x: State | None) -> System | None:
    """Return the vehicle of an assembly as it is at a point: after a change of it, that of the point."""
    later = chain_of(assembly, x)
    return later[-1] if later else assembly.vehicle


def touching_at(plan: ExecutionPlan, x: State | None) -> Touching:
    """Return what devices touch of the vehicle at a point, after all changes of it before."""
    found, old = Touching(plan, heirs=changes_at(x).heirs), plan.assembly.vehicle
    for new in chain_of(plan.assembly, x):
        assert old is not None and isinstance(x, OperatingPoint)
        found, old = found.after(old, new, x.t), new
    return found


def changes_at(x: State | None) -> Changes:
    """Return what events may have changed of a vehicle until a point."""
    run = history_of(x)
    return NO_CHANGES if run is None else run.changes


def begin_time(x: State | None) -> float:
    """Return when a run from a state begins where nobody says: at the time of a point of a log, else at zero."""
    return x.t if isinstance(x, OperatingPoint) and x.run is not None and x.run.goes_on else 0.0


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
    if isinstance(x, OperatingPoint):
        return x.with_loads(loads)
    return OperatingPoint(x, loads, np.zeros(view.nv), view.settings.copy())


def tell_of_loads(x: State | None) -> None:
    """Warn of loads that a state of a log brings along, where nobody asked for them."""
    run = history_of(x)
    if not isinstance(x, OperatingPoint) or run is None or run.loaded or run.unloaded:
        return
    kinds = {
        "forces": bool(x.loads.forces),
        "tau": x.loads.law is not None or bool(np.any(x.loads.tau)),
        "accelerations": any(np.any(rates) for rates in x.loads.accelerations.values()),
    }
    found = [kind for kind, acts in kinds.items() if acts]
    if found:
        warnings.warn(
            f"the state of the log brings its loads along: {', '.join(found)} of its row act in this run too; "
            "give forces=ist.Loads.of(system) for none, log.operating_point(k) for these, log.point(k) to go on",
            FidelityWarning,
            stacklevel=caller_level(),
        )


def histories_of(assembly: Assembly) -> tuple[list[str], list[str]]:
    """Return bodies whose joints, and whose masses, follow histories that an assembly has itself."""
    motions: list[str] = []
    masses: list[str] = []
    for part in assembly.parts():
        if isinstance(part.what, Ahead):
            (masses if isinstance(part.what.given, MassHistory) else motions).append(part.what.body)
    return motions, masses


def tell_of_histories(
    x: State | None,
    motions: Container[str],
    mass: Container[str],
    accelerations: object,
    batch: bool = False,
) -> None:
    """Warn of joints and masses that followed histories at a point of a log, which this run is not given.

    batch : the run is one that takes no histories
    """
    run = history_of(x)
    if not isinstance(x, OperatingPoint) or run is None:
        return
    system = x.system
    joints = [
        body
        for body in run.motions
        if body not in motions and body in system.bodies and system.joint_mode(body) == "prescribed"
    ]
    if isinstance(accelerations, Mapping):
        joints = [body for body in joints if body not in accelerations]
    weights = [body for body in run.masses if body not in mass and body in system.bodies]
    parts = [f"motions= for {', '.join(joints)} (the acceleration of the point is held)"] if joints else []
    parts += [f"mass= for {', '.join(weights)} (the mass of the point is held)"] if weights else []
    if parts:
        give = "a batch takes none, ist.simulate does:" if batch else "give"
        warnings.warn(
            f"the run of this point followed histories, which a point does not hold; {give} {' and '.join(parts)}",
            FidelityWarning,
            stacklevel=caller_level(),
        )


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
    return {**(x.values if isinstance(x, OperatingPoint) else {}), **(given or {})}


def start_values(
    plan: ExecutionPlan, x: State | None, given: Mapping[str, Any] | None, still: bool = False
) -> dict[str, np.ndarray]:
    """Return values by full name that a run starts from: those of a point of a flight, then those that are given.

    still : of a trim or linear model, in which outputs of laws outside of the model are held and may be given
    """
    held: dict[str, np.ndarray] = {}
    if isinstance(x, OperatingPoint):
        held |= {name: value for name, value in x.values.items() if name in plan.slots}
    new = plan.values(given or {}, still)
    return held | new | _following(plan, held, new)


def _following(
    plan: ExecutionPlan, held: Mapping[str, np.ndarray], new: Mapping[str, np.ndarray]
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
            follows = part.what.following(given, now, float(part.every) if part.every else None)
            found |= {own[n]: np.asarray(value) for n, value in follows.items() if own.get(n) in plan.slots}
    return found


def recall(plan: ExecutionPlan, x: State | None, defaults: bool = True) -> None:
    """Let laws remember what a point says that they do; a point of a run knows all of it, a trim what it has found.

    defaults : what they remember in defaults of arguments, too
    """
    laws = laws_of(plan)
    if not isinstance(x, OperatingPoint) or not laws:
        return
    known = {name: held for name, held in x.memory.items() if name.removesuffix("()") in laws}
    known = Copies().of({name: held for name, held in known.items() if defaults or name in laws})
    if x.run is not None:
        remember(laws, known)
        return
    for path, held in known.items():
        owner = laws[path].owner
        for name, value in held.items():
            setattr(owner, name, _within(getattr(owner, name, None), value))


def _within(old: Any, new: Any) -> Any:
    """Return what is new inside of the lists, dictionaries, deques and objects of old: what is shared stays shared."""
    if type(old) is not type(new):
        return new
    if isinstance(old, list | deque) and len(old) == len(new):
        items = [_within(*pair) for pair in zip(old, new)]
        old.clear()
        old.extend(items)
    elif isinstance(old, dict):
        for name, value in new.items():
            old[name] = _within(old.get(name), value)
    elif plain_object(old):
        for name, value in attributes_of(new).items():
            object.__setattr__(old, name, _within(getattr(old, name, None), value))
    else:
        return new
    return old


def unknown_laws(plan: ExecutionPlan, x: State | None) -> list[str]:
    """Return the laws of a plan of which a point of a run does not say what they remembered."""
    run = history_of(x)
    return [] if run is None else [path for path in run.forgotten if path in laws_of(plan)]


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
    if np.iscomplexobj(x.q) or np.iscomplexobj(x.v):
        raise InputError("a run starts from a state of real numbers", where="x", got=f"{x.q.dtype}")


def check_locked(system: System, x: State) -> None:
    """Refuse a start at which locked joints move: they would go on for ever."""
    for body in system.bodies:
        if system.joint_mode(body) == "locked" and x[body].v.any():
            raise InputError(
                f"the joint of body '{body}' is locked, but it moves",
                got=f"rates {x[body].v}",
                hint=f"set x['{body}'].v to zero; to stop a moving joint, use the event action SetJointMode",
            )


def base_loads(system: System, x: State) -> Base | None:
    """Return what acts beside devices: tau, sites and wrenches of an operating point."""
    if not isinstance(x, OperatingPoint):
        return None
    loads = x.loads if not (x.loads.in_time and x.flown) else frozen(x.loads, x, system)
    if loads.in_time:
        raise InputError(
            "loads that change with time have no trim and no linear model",
            hint="say at which time: ist.Loads.of(system, ...).at(t)",
        )
    return loads.vector(system), *loads.rows(system)
