"""Find a steady state of an assembly: structure, springs and devices at rest.

The unknowns are modal coordinates and joints that springs hold (as in `trim` of a vehicle), joints whose motion devices
say, and the states of devices, less the propellant of tanks: masses are frozen. What is sampled says what it would at
the point, and is solved for together with all else (`balance`).

Of a vehicle at rest the discrete states of samples, and what laws remember, are unknowns too; the point is then flown
for one frame of the samples, and refused where something changes. Of one that moves or accelerates they change because
it does: they keep the values that they have, and the report says which of them drift.

A vehicle may be held down meanwhile: its free bodies then do not accelerate (v̇ = 0 in body axes, so that one that turns
with the Earth goes on turning with it), and let go in the point that is returned.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import cast

import numpy as np

from interstage.errors import InputError, SolverError
from interstage.linear.assembly_plant import AssemblyPlant
from interstage.linear.balance import Balance, Residuals, SampledMemory, held_signals, solved
from interstage.linear.chart import turns
from interstage.linear.frames import LONGEST, Frame
from interstage.linear.newton import Trim, TrimReport, accelerating
from interstage.multibody import System
from interstage.multibody.fidelity import notes_on_stiffening
from interstage.multibody.joint_modes import PRESCRIBED
from interstage.multibody.loads import Loads
from interstage.multibody.operating_point import OperatingPoint, frozen, history_of
from interstage.multibody.state import State
from interstage.simulation.plant.assembly import Assembly
from interstage.simulation.plant.declarations import Out, Value
from interstage.simulation.plant.device import Device
from interstage.simulation.run.operating_point import start_values

HOLD_DOWN = "hold-down"
STEADY = 1e-6  # accelerations after a frame, beside those that balance, of a point that is none


def standing(assembly: Assembly) -> State:
    """Return the vehicle as it is described, on a ground that moves as a device says (`ground_motion`)."""
    x = assembly.state()
    grounds = [part.what for part in assembly.parts() if isinstance(part.what, Device)]
    motion = next((g.ground_motion for g in grounds if hasattr(g, "ground_motion")), None)
    if motion is not None:
        system = assembly.vehicle
        assert system is not None
        for name in free_bodies(system):
            R = system.rotation(x, name)
            x[name].velocity[:] = (motion(x[name].position).reshape(2, 3) @ R).ravel()
    return x


def free_bodies(system: System) -> list[str]:
    """Return the bodies that nothing holds: free joints on the ground."""
    roots = [spec.name for spec in system.model.specs if spec.parent is None and spec.joint.nv == 6]
    if not roots:
        raise InputError("nothing to hold down: no body is free", where="trim")
    return roots


def trim_flight(
    assembly: Assembly,
    x: State | None,
    given: Mapping[str, Value] | None,
    what: Balance,
    held: bool = False,
) -> Trim:
    """Return a point near x at which what is asked for and all states of devices stand still.

    held : free bodies keep their velocities meanwhile
    """
    plant = AssemblyPlant(assembly, x, (), (), given)
    modes = plant.system.settings.joint_mode
    switched = modes.copy()
    try:
        for name in free_bodies(plant.system) if held else ():
            modes[plant.system.body(name)] = PRESCRIBED
        moved = _driven(plant) if what.driven else np.zeros(0, dtype=int)
        rows = np.flatnonzero(np.isin(plant.free, [*what.places, *moved]))
        plant.x0.v[plant.free[rows]] = 0.0
        steered = np.flatnonzero(np.isin(plant.free[rows], moved))
        residual = Residuals(plant, rows, what)
        found = _rest(residual, steered, held)
        modes[:] = switched
        point = _point(residual, x, found, given)
        report = _report(residual, point, found)
        gravity = plant.gravity()
    finally:
        plant.release()
    notes_on_stiffening(plant.system, point, point.vdot, point.loads, gravity)
    if found.at_rest and plant.plan.sampled:
        _fly(assembly, point, given, residual, found)
    kept = point.values, point.t, point.memory, point.run, point.devices
    return Trim(point, report, point.loads, point.vdot, point.settings, *kept)


@dataclass
class _Found:
    """What Newton's method found: unknowns, residuals before and after, steps, condition, drifts, rest or motion."""

    y: np.ndarray
    before: np.ndarray
    after: np.ndarray
    steps: int
    condition: float
    drifting: dict[str, float]
    at_rest: bool


def _rest(residual: Residuals, steered: np.ndarray, held: bool) -> _Found:
    """Bring everything to rest: first with samples as they are, then, of a vehicle at rest, with what they keep."""
    drifting = residual.leave_out_idle()
    y, first, failed = np.zeros(sum(residual.sizes())), None, None
    moves = held or bool(residual.plant.x0.v.any())
    try:
        y, first = solved(residual, y, steered)
        moves = moves or residual.moving(y)
    except SolverError as error:
        if moves or not residual.kept.remembers:
            raise
        failed = error
    if first is not None and (moves or not residual.kept.remembers):
        drifting |= residual.drifts(y) if moves else {}
        return _Found(y, first.before, first.after, first.iterations, first.condition, drifting, not moves)
    y, last = solved(residual, residual.take_samples(y), steered)
    if failed is not None and residual.moving(y):
        raise failed
    first = first or last
    steps = last.iterations + (0 if first is last else first.iterations)
    drifting |= residual.drifts(y)
    return _Found(y, first.before, last.after, steps, last.condition, drifting, True)


def _fly(
    assembly: Assembly,
    point: OperatingPoint,
    given: Mapping[str, Value] | None,
    residual: Residuals,
    found: _Found,
) -> None:
    """Fly a frame of the samples from a point at rest, and refuse the point where it does not stay."""
    plant = AssemblyPlant(assembly, point, (), (), given)
    try:
        frame = Frame(plant, LONGEST)
        vdot, zdot, kept = frame.after(SampledMemory(plant, residual.kept))
        period = float(frame.ticks * plant.plan.clock.tick)
    finally:
        plant.recall()
        plant.release()
    rates = np.concatenate([vdot[residual.asked], zdot[residual.z]])
    n = len(rates)
    size = max(1.0, *np.abs(np.concatenate([found.before[:n], found.after[:n], [0.0]])))
    worst = int(np.argmax(np.abs(rates))) if n else 0
    if n == 0 or np.abs(rates[worst]) <= STEADY * size:
        _refuse_late_drifts(residual, found)
        return
    change = (kept - (residual.kept_at(found.y) if residual.whole else residual.after)) / period
    names = residual.kept.names
    order = np.argsort(-np.abs(change), kind="stable")[:3]
    moved = ", ".join(f"{names[k]} by {change[k]:.3g} a second" for k in order if change[k] != 0.0)
    raise SolverError(
        "no steady state was found: flown for one frame, the point does not stay",
        where=residual.names()[worst],
        got=f"{rates[worst]:.3g} after {period:g} s" + (f"; drifting: {moved}" if moved else ""),
        hint="a law that keeps its memory outside of numbers in its attributes, or that follows time, has no steady "
        "state here: leave its wire out, and hold the input with set=",
    )


def _refuse_late_drifts(residual: Residuals, found: _Found) -> None:
    """Refuse a point whose samples go on changing what acts on the vehicle, if only later: behind a delay."""
    acting = {residual.kept.names[k] for k in residual.live} if residual.whole else set()
    late = [(name, rate) for name, rate in found.drifting.items() if name in acting]
    if late:
        name, rate = late[0]
        raise SolverError(
            "no steady state was found: what acts on the vehicle after a delay drifts",
            where=f"'{name}'",
            got=f"{rate:.3g} a second",
            hint="a law that keeps its memory outside of numbers in its attributes has no steady state here: leave its "
            "wire out, and hold the input with set=",
        )


def _report(residual: Residuals, point: OperatingPoint, found: _Found) -> TrimReport:
    """Return what was done; turns of ball and free joints and free positions as changes from where it began."""
    plant, rows = residual.plant, residual.rows
    names, z = plant.state_names(), plant.device_states()
    places = plant.system.tree.v_q[plant.free[rows]]
    moved = (
        turns(plant.system, plant.x0, point)[plant.free[rows]] if (places < 0).any() else np.zeros(len(rows))
    )
    values = np.where(places >= 0, point.q[places], moved) if len(rows) else np.zeros(0)
    kept = np.zeros(len(plant.vectors["z"]))
    for name, slot in plant.plan.slots.items():
        if slot.kind == "z":
            kept[slot.where] = np.ravel(point.values[name])
    own = residual.names() if residual.what.rows is None else residual.names() + residual.what.names
    n, sampled = len(residual.asked) + len(residual.z), residual.states()
    return TrimReport(
        [names[k] for k in rows] + [z[k] for k in residual.z] + [residual.kept.names[k] for k in sampled],
        np.concatenate([values, kept[plant.states[residual.z]], residual.kept_at(found.y)[sampled]]),
        own[:n],
        found.before[:n],
        found.after[:n],
        found.steps,
        found.condition,
        accelerating(plant.system, point.vdot, found.after[:n]),
        found.drifting,
    )


def _driven(plant: AssemblyPlant) -> np.ndarray:
    """Return the places in v of joints whose motion devices say."""
    bodies = {str(touch.place) for touch in plant.plan.pushes if touch.quantity == "motion"}
    found = [np.arange(plant.system.nv)[plant.system.layout[body].v] for body in sorted(bodies)]
    return np.concatenate([np.zeros(0, dtype=int), *found])


def _point(
    residual: Residuals, x: State | None, found: _Found, given: Mapping[str, Value] | None
) -> OperatingPoint:
    """Return the point at values of the unknowns."""
    plant = residual.plant
    loop, vdot, _ = residual.run(found.y)
    state = residual.x
    values = start_values(plant.plan, x, given, still=True)
    for name in plant.plan.open:
        values.setdefault(name, loop.tapes.array(name).copy())
    held = {k for k, _ in held_signals(plant)}
    live = residual.live[residual.live < len(residual.kept.w)]
    unknown = set(residual.kept.w[live].tolist()) if residual.whole else set()
    for name, slot in plant.plan.slots.items():
        numbers = set(range(slot.start, slot.start + slot.size))
        if (
            slot.kind == "z"
            or (slot.kind == "w" and numbers & unknown)
            or (slot.kind == "s" and numbers and numbers <= held and _is_output(plant, name))
        ):
            values[name] = loop.tapes.array(name).copy()
    loads = x.loads if isinstance(x, OperatingPoint) else Loads.of(plant.system)
    memory = (
        residual.kept.memory(residual.after, residual.live) if residual.whole else getattr(x, "memory", {})
    )
    run = history_of(x)
    if run is not None:  # a run from here samples anew
        before = cast(OperatingPoint, x)
        loads, run = frozen(loads, before, plant.system), replace(run, sampled=False)
        memory = before.memory | {
            path: {**before.memory.get(path, {}), **held} for path, held in memory.items()
        }
    settings, acting = plant.system.settings.copy(), plant.plan.acting
    return OperatingPoint(state, loads, vdot, settings, values, plant.t, memory, run, acting)


def _is_output(plant: AssemblyPlant, name: str) -> bool:
    """Return whether a full name is that of an output; inputs may share its numbers."""
    path, _, port = name.rpartition(".")
    return any(p.path == path and isinstance(p.what.fields.get(port), Out) for p in plant.plan.parts)
