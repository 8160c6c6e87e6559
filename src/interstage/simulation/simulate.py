"""Run a system in time."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from interstage.calls import named_arguments
from interstage.errors import InputError
from interstage.multibody import State, System
from interstage.multibody.fidelity import notes_on_stiffening, unstiffened, warn_along_run, warn_of_spin
from interstage.multibody.loads import Forces, Generalized
from interstage.multibody.operating_point import OperatingPoint, tell_of_devices
from interstage.multibody.state import check_belongs
from interstage.multibody.types import Rates
from interstage.simulation.log.log import Log
from interstage.simulation.plant.assembly import Assembly
from interstage.simulation.plant.clock import Period, period_of
from interstage.simulation.plant.declarations import Value
from interstage.simulation.plant.faults import Fault
from interstage.simulation.plant.prescribed_motion import PrescribedMotion
from interstage.simulation.run.applied_loads import Control
from interstage.simulation.run.events import Event
from interstage.simulation.run.integrators import Method, method_of
from interstage.simulation.run.operating_point import (
    begin_time,
    check_frame_used,
    histories_of,
    tell_of_histories,
    tell_of_loads,
    vehicle_at,
    with_loads,
)
from interstage.simulation.run.runner import Runner
from interstage.simulation.run.spec import RunSpec
from interstage.simulation.run.step_stability import chosen_step, rows_to_look_at, warn_of_fast_states
from interstage.simulation.run.time_edges import found_edges
from interstage.spatial import RigidInertia


@named_arguments
def simulate(
    system: System | Assembly,
    x: State | None,
    until: Period,
    step: Period | None = None,
    *,
    method: str | Method | None = None,
    forces: Forces | None = None,
    frame: str = "world",
    tau: Generalized | None = None,
    accelerations: Rates | None = None,
    control: Control | None = None,
    control_step: Period | None = None,
    motions: dict[str, PrescribedMotion] | None = None,
    mass: Mapping[str, Callable[..., RigidInertia | tuple[object, ...]]] | None = None,
    events: list[Event] | None = None,
    log_step: Period | None = None,
    dense: bool | None = None,
    max_step: Period | None = None,
    rtol: float = 1e-9,
    atol: float = 1e-9,
    set: Mapping[str, Value] | None = None,
    keep: Sequence[str] | None = None,
    log: str | Path | None = None,
    checkpoint: Period | None = None,
    start: Period | None = None,
    pace: float | None = None,
    faults: Sequence[Fault] = (),
    progress: bool = True,
) -> Log:
    """Integrate from state x at the start and return the log: of a vehicle, or of an assembly of devices around one.

    An assembly runs with steps of at most `step`, equal ones between its samples (RK4 unless said, of 10 ms or as short
    as what swings and decays at the start asks for: it keeps its size to 1 % over the run), or with steps of a method's
    own that end at every sample; what acts are its devices, the loads of an operating point x, and forces, tau and
    accelerations given here.
    Equal steps lie on the grid of a run from zero: one leads to an event between two of its points, one back to it.
    It takes all arguments but control and control_step; its log also has every port by name.
    A vehicle flies as an assembly of it alone: motions, masses, events, loads and laws act as devices do; with
    checkpoints a law is a member of an assembly.

    Parameters
    ----------
    x : a state, or an operating point as from `trim`: its settings hold, and its forces, tau and accelerations act,
        each where that kind is not given here. So do those of `log.state()`, with a warning where none are given
    until : end time;  step : time step of methods with fixed steps; times are seconds, or texts as "5 ms"
    method : a name, or an object of `interstage.simulation.run.integrators`. In compiled loops, with fixed steps where
        `step` is given: "rk4" (default there), "ros2" and "ros3" (stiff modes do not limit the step), "dopri5";
        "dopri5" and "ros3" take adaptive steps without one. Adaptive by scipy: "dop853" (default without `step`),
        "rk45", and implicit "radau", "bdf", "lsoda"; `step` is then the first one. Devices are explicit in compiled
        ones: fixed steps beyond 2 ("ros2") to 2.8 ("rk4") of their time constants, and those that change by a tenth or
        more what their forces let swing or grow, or what is left of a state between two samples, are warned of: as it
        is at the start, and in rows of the log where devices push far more than before (stops and contacts that are
        hit)
    forces : wrenches {(body, node): [t; f]} in the axes of `frame`: "world", or "body" or "node", which they follow as
        thrust does; a key (body, node, frame) has axes of its own. Each is constant, a function of t, or a table
        (times, values (m, 6)); or `Wrench` objects, or `Loads`, which bring tau and accelerations too
    tau : generalized forces (nv,) or {body: of its joint}, constant, a function tau(t) or tau(t, system) of either, or
        a table (times, values (m, nv)); each of {body: ...} may be a function or a table of its own
    accelerations : {body: q̈} of prescribed joints, constant
    control : called as control(t, x) or control(t, x, system), with the system as it is then, every `control_step`
        (default: at every fixed step); returns {"tau": ..., "forces": ..., "accelerations": ...}, tau, or None. What it
        does not mention stays as last commanded, or before that as given. Held between; asked anew after an event
        that changed something
    motions : {body: PrescribedMotion}, joints that follow a history from the start; `log.torque(body)` is the torque
        that this needs
    mass : {body: f(t) or f(t, x)} of rigid bodies, returns a RigidInertia or (mass, com, inertia). What leaves (or
        comes) has the velocity of the body where it was: no velocity changes, and there is no thrust, and no
        damping by a flow inside the body, but what is applied. They are followed at every stage of every step
    events : see `Event`; the log then has phases
    log_step : time between logged states (default: every step; adaptive: where the method steps); the end has a row too
    dense : keep what `log.at` needs of an adaptive run, some kilobytes a step, in memory; default: of a vehicle alone
        where there is no `log_step` and no file
    max_step, rtol, atol : of adaptive steps; compiled methods measure errors by kind of coordinate as `step_schedule`
        says. Steps end at every row of a table of loads, and where functions of time (loads, motions, devices) compare
        t with a number; what acts for a moment otherwise can lie between two steps, unless max_step is shorter
    set : {port or state of an assembly: value}, inputs that nothing is wired to and values to begin with
    keep : names and patterns of ports to log, default all;  log : file that the log goes to on the way (HDF5)
    checkpoint : simulated time between checkpoints beside the log, as in "1 min"; `resume` goes on from one
    start : time at which the run starts, default zero, or the time of x where that is `log.point(...)`: from there the
        run goes on as that one did, and samples that are done are not repeated. Time is that of one clock: samples fall
        on the times at which those of a run from zero fall (offset + k period), the first at the start or at the next
        such time after it, with the same numbers and the same noise; rows of `log_step` fall on its multiples, and one
        on the start
    pace : simulated seconds a second of the wall, 1.0 for real time; default: as fast as it goes. `log.info["pacing"]`
        tells how well that went
    faults : ports that are overridden for a time, see `Fault`; they are among the events of the log
    progress : show on a terminal or in a notebook how far an assembly has come, in runs that take over two seconds

    The system is not changed: the run has settings of its own, and so has the log.
    """
    watched, motions, mass = _checked(events, motions, mass, control)
    driven, burning = histories_of(system) if isinstance(system, Assembly) else ((), ())
    tell_of_histories(x, {*motions, *driven}, {*mass, *burning}, accelerations)
    check_frame_used(frame, control if forces is None else forces)
    if control_step is not None and control is None:
        raise InputError("control_step is the period of control=, and none is given", where="control_step")
    alone = not isinstance(system, Assembly)
    if isinstance(system, Assembly):
        if control is not None:
            raise InputError("control is not for assemblies", hint="add a device or a law that does it")
        x = with_loads(vehicle_at(system, x), x, forces, tau, accelerations, frame)
        made = system
    else:
        _refuse_of_one_vehicle({"set": set, "keep": keep, "faults": faults or None}, watched)
        check_belongs(system, x)
        if forces is None and tau is None and accelerations is None and control is None:
            tell_of_loads(x)
            tell_of_devices(x, "simulate(flight, point)")
        x = with_loads(system, x, forces, tau, accelerations, frame)
        assert x is not None
        _look_at_loads(system, x, start)
        method = _method_of_one_vehicle(method, step)
        dense = log is None and log_step is None if dense is None else dense
        made = Assembly(system.model.name, vehicle=system)

    spec = RunSpec(
        made,
        x,
        until,
        step,
        method=method,
        max_step=max_step,
        rtol=rtol,
        atol=atol,
        log_step=log_step,
        given=set,
        keep=keep,
        start=start,
        pace=pace,
        faults=faults,
        events=watched,
        motions=motions,
        mass=mass,
        control=control,
        control_step=control_step,
        frame=frame,
        dense=bool(dense),
    )
    run, told = Runner(spec), False
    if step is not None:
        told = warn_of_fast_states(run.integrator)
    elif (shorter := chosen_step(run.integrator)) is not None:
        run.leave()
        run = Runner(replace(spec, step=shorter))
    acting = None if control is not None else run.loads.acting
    if len(edges := found_edges(run.integrator, acting)):
        run.leave()
        run = Runner(replace(spec, edges=edges))
    if not told:
        run.sink.looked = rows_to_look_at(run.integrator)
    run.write_to(log, checkpoint)
    run.shown = progress
    spun = made.vehicle is not None and warn_of_spin(run.system, run.integrator.whole())
    flown = run.run()
    if made.vehicle is not None and not spun:
        last = flown.phases[-1]
        warn_of_spin(last.system, last.bare(len(last.t) - 1))
    if run.system.watched:
        run.system.warn_of_fidelity()
    if not alone and made.vehicle is not None:
        warn_along_run((phase.system, phase.t, phase.bare, phase.gravity) for phase in flown.phases)
    return flown


def _refuse_of_one_vehicle(ports: Mapping[str, object], events: Sequence[Event]) -> None:
    """Refuse what needs ports."""
    for argument, value in ports.items():
        if value is not None:
            raise InputError(f"{argument} belongs to assemblies", hint="ist.Assembly('name', vehicle=system)")
    for event in events:
        if isinstance(event.condition, str):
            raise InputError(
                f"event '{event.label}' watches a port, '{event.condition}'",
                hint="only an assembly has ports",
            )


def _look_at_loads(system: System, x: State, start: Period | None) -> None:
    """Warn of flexible bodies whose loads at the start matter, and whose stiffness does not know them."""
    if isinstance(x, OperatingPoint) and x.loads.forces and unstiffened(system, x.loads):
        view = system.with_settings(x.settings)
        t = begin_time(x) if start is None else float(period_of(start, "start", zero=True))
        loads = x.loads.at(t, view)
        notes_on_stiffening(view, x, view.forward_dynamics(x, forces=loads), loads)


def _method_of_one_vehicle(given: str | Method | None, step: Period | None) -> Method:
    """Return the method of a vehicle alone, whose steps are its own where none are given."""
    method = method_of(given or ("rk4" if step is not None else "dop853"))
    if step is None and method.embedded is None:
        raise InputError(f"method {method} needs a positive step", where="step", got="None")
    return method


def _checked(events: Any, motions: Any, mass: Any, control: Any) -> tuple[list[Event], dict, dict]:
    """Return events as a list, motions and masses as dicts, or say what they should be."""
    events = [events] if isinstance(events, Event) else events
    for name, value, kinds in (
        ("events", events, list | tuple),
        ("motions", motions, dict),
        ("mass", mass, dict),
    ):
        if value is not None and not isinstance(value, kinds):
            words = "{body: history}" if kinds is dict else "[ist.Event(condition=f), ...]"
            raise InputError(f"{name} cannot be read", where=name, expected=words, got=repr(value))
    for event in events or []:
        if not isinstance(event, Event):
            raise InputError("not an event", expected="as in ist.Event(condition=f)", got=repr(event))
    if control is not None and not callable(control):
        raise InputError("the control law is not a function", expected="control(t, x)", got=repr(control))
    return list({id(e): e for e in events or []}.values()), motions or {}, mass or {}
