"""Run a system in time."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from interstage.calls import named_arguments
from interstage.errors import InputError
from interstage.multibody import State, System
from interstage.multibody.calling import given_system
from interstage.multibody.loads import Forces, Generalized, Loads, OperatingPoint, acting_at, at_point
from interstage.multibody.state import check_belongs
from interstage.multibody.topology import check_state
from interstage.multibody.types import Rates
from interstage.spatial import RigidInertia
from interstage.system.acting import Control
from interstage.system.adaptive import Adaptive
from interstage.system.assembly import Assembly
from interstage.system.events import Event
from interstage.system.fast_states import warn_of_fast_states
from interstage.system.faults import Fault
from interstage.system.fixed import Fixed
from interstage.system.flight import Flight
from interstage.system.flight_point import check_real
from interstage.system.histories import Motion
from interstage.system.library import ByLibrary
from interstage.system.log import Log
from interstage.system.methods import Compiled, Library, Method, method_of
from interstage.system.ports import Value
from interstage.system.run import Run
from interstage.system.stepper import Pace, Stepper
from interstage.system.ticks import Period, period_of


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
    motions: dict[str, Motion] | None = None,
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
    start: Period = 0,
    pace: float | None = None,
    faults: Sequence[Fault] = (),
    progress: bool = True,
) -> Log:
    """Integrate from state x at the start and return the log: of a vehicle, or of an assembly of devices around one.

    An assembly runs with steps of at most `step`, equal ones between its samples (RK4 of 10 ms unless said), or with
    steps of a method's own that end at every sample; what acts are its devices, and the loads of an operating point x.
    Equal steps lie on the grid of a run from zero: one leads to an event between two of its points, one back to it.
    It takes until, step, method, motions, mass, events, log_step, max_step, rtol, atol and the last seven arguments;
    its log also has every port by name (`FlightLog`).
    A vehicle with `log`, `checkpoint`, `start` or `pace` is flown so too, as an assembly of it alone: motions, masses,
    events, loads and laws act as ever; with checkpoints a law is a member of an assembly.

    Parameters
    ----------
    x : a state, or an operating point as from `trim`: its settings hold, and its forces, tau and accelerations act,
        each where that kind is not given here
    until : end time;  step : time step of methods with fixed steps; times are seconds, or texts as "5 ms"
    method : a name, or an object of `interstage.system.methods`. In compiled loops, with fixed steps where `step` is
        given: "rk4" (default there), "ros2" and "ros3" (stiff modes do not limit the step), "dopri5"; "dopri5" and
        "ros3" take steps of their own without one. Adaptive by scipy: "dop853" (default without `step`), "rk45", and
        implicit "radau", "bdf", "lsoda"; `step` is then the first one. States of devices are explicit in compiled
        ones: fixed steps beyond 2 ("ros2") to 2.8 ("rk4") of their time constants are warned of
    forces : wrenches {(body, node): [t; f]} in the axes of `frame`: "world", or "body" or "node", which they follow as
        thrust does; a key (body, node, frame) has axes of its own. Each is constant, a function of t, or a table
        (times, values (m, 6)); or `Force` objects, or `Loads`, which bring tau and accelerations too
    tau : generalized forces (nv,) or {body: of its joint}, constant, a function tau(t) or tau(t, system) of either, or
        a table (times, values (m, nv)); each of {body: ...} may be a function or a table of its own
    accelerations : {body: q̈} of prescribed joints, constant
    control : called as control(t, x) or control(t, x, system), with the system as it is then, every `control_step`
        (default: at every fixed step); returns {"tau": ..., "forces": ..., "accelerations": ...}, tau, or None. What it
        does not mention stays as last commanded, or before that as given. Held between; asked anew after an event
        that changed something
    motions : {body: Motion}, joints that follow a history from the start; `log.torque(body)` is what that needs
    mass : {body: f(t) or f(t, x)} of rigid bodies, returns a RigidInertia or (mass, com, inertia). What leaves (or
        comes) has the velocity of the body where it was: no velocity changes, and there is no thrust, and no
        damping by a flow inside the body, but what is applied. They are followed at every stage of every step
    events : see `Event`; the log then has phases
    log_step : time between logged states (default: every step; adaptive: where the method steps); the end has a row too
    dense : keep what `log.at` needs of an adaptive run, some kilobytes a step, in memory; default: of a vehicle alone
        where there is no `log_step` and no file
    max_step, rtol, atol : of adaptive steps; compiled methods measure errors by kind of coordinate as `tolerance` says.
        Steps end at every row of a table of loads; a function that acts for a moment only can lie between two steps,
        unless max_step is shorter
    set : {port or state of an assembly: value}, inputs that nothing is wired to and values to begin with
    keep : names and patterns of ports to log, default all;  log : file that the log goes to on the way (HDF5)
    checkpoint : simulated time between checkpoints beside the log, as in "1 min"; `resume` goes on from one
    start : time at which an assembly starts. Time is that of one clock: samples fall on the times at which those of a
        run from zero fall (offset + k period), the first at the start or at the next such time after it, with the same
        numbers and the same noise; rows of `log_step` fall on its multiples, and one on the start
    pace : simulated seconds a second of the wall, 1.0 for real time; default: as fast as it goes. `log.info["pacing"]`
        tells how well that went
    faults : ports that are overridden for a time, see `Fault`; they are among the events of the log
    progress : show on a terminal or in a notebook how far an assembly has come, in runs that take over two seconds

    The system is not changed: the run has settings of its own, and so has the log.
    """
    later = bool(period_of(start, "start", zero=True))
    kept = log is not None or checkpoint is not None
    if (kept or later or pace is not None) and not isinstance(system, Assembly):
        _refuse_of_one_vehicle({"set": set, "keep": keep, "faults": faults or None})
        x = _with_loads(system, x, forces, tau, accelerations, frame)
        method = "dop853" if method is None and step is None else method
        dense = log is None and log_step is None if dense is None else dense
        system, forces, tau, accelerations = Assembly(system.model.name, vehicle=system), None, None, None
    elif isinstance(system, Assembly):
        _refuse_beside_devices({"control": control})
    if isinstance(system, Assembly):
        _refuse_beside_devices({"forces": forces, "tau": tau, "accelerations": accelerations})
        watched, motions, mass = _checked(events, motions, mass, control)
        flight = Flight(
            system,
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
        flight.write_to(log, checkpoint)
        flight.shown = progress
        warn_of_fast_states(flight)
        flown = flight.run()
        if flight.system.watched:
            flight.system.warn_of_fidelity()
        return flown
    _refuse_of_one_vehicle({"set": set, "keep": keep, "faults": faults or None})
    run = _begun(
        system,
        x,
        _checked(events, motions, mass, control),
        (forces, tau, accelerations, frame),
        log_step is None if dense is None else dense,
    )
    times = _pace(until, step, max_step, rtol, atol, log_step)
    period = None if control_step is None else _seconds("control_step", control_step)
    law = None if control is None else given_system(control, 2)
    made = _drive(run, _stepper(run, method, times), law, period)
    if run.system.watched:
        run.system.warn_of_fidelity()
    return made


def _begun(
    system: System,
    x: State | None,
    checked: tuple[list[Event], dict, dict],
    loads: tuple[Forces | None, Generalized | None, Rates | None, str],
    dense: bool,
) -> Run:
    """Return a run in memory at its beginning."""
    check_belongs(system, x)
    check_real(x)
    events, motions, mass = checked
    for event in events:
        if isinstance(event.condition, str):
            raise InputError(
                f"event '{event.label}' watches a port, '{event.condition}'",
                hint="only an assembly has ports",
            )
    check_state(system, x)
    forces, tau, accelerations, frame = loads
    view = at_point(system, x).with_settings()
    run = Run(view, x, forces, tau, motions, mass, events, frame, accelerations, dense)
    run.system.check_closed(run.x)
    return run


def _pace(
    until: Period,
    step: Period | None,
    max_step: Period | None,
    rtol: float,
    atol: float,
    log_step: Period | None,
) -> Pace:
    """Return how a run in memory is to go."""
    end, fixed = _seconds("until", until), None if step is None else _seconds("step", step)
    longest = np.inf if max_step is None else _seconds("max_step", max_step)
    every = None if log_step is None else _seconds("log_step", log_step)
    _positive("rtol", rtol)
    _positive("atol", atol)
    return Pace(end, fixed, longest, rtol, atol, every)


def _refuse_beside_devices(given: Mapping[str, object]) -> None:
    """Refuse what an assembly has devices for."""
    for name, value in given.items():
        if value is not None:
            raise InputError(f"{name} is not for assemblies", hint="add a device or a law that does it")


def _refuse_of_one_vehicle(ports: Mapping[str, object]) -> None:
    """Refuse what needs ports."""
    for argument, value in ports.items():
        if value is not None:
            raise InputError(f"{argument} belongs to assemblies", hint="ist.Assembly('name', vehicle=system)")


def _with_loads(
    system: System,
    x: State | None,
    forces: Forces | None,
    tau: Generalized | None,
    accelerations: Rates | None,
    frame: str,
) -> State | None:
    """Return a state with the loads that act from there on; as it is where none are given."""
    if x is None or (forces is None and tau is None and accelerations is None):
        return x
    check_belongs(system, x)
    view = at_point(system, x)
    loads = Loads.of(view, *acting_at(x, forces, tau, accelerations), frame)
    return OperatingPoint(x, loads, np.zeros(view.nv), view.settings.copy())


def _stepper(run: Run, given: str | Method | None, pace: Pace) -> Stepper:
    """Return what takes the run through time by a method."""
    method = method_of(given or ("rk4" if pace.step is not None else "dop853"))
    if pace.step is None and method.embedded is None:
        raise InputError(f"method {method} needs a positive step", where="step", got="None")
    if isinstance(method, Library):
        return ByLibrary(run, method, pace)
    if not isinstance(method, Compiled):
        raise InputError("a method steps by no known way", where="method", got=repr(method))
    return Fixed(run, method, pace) if pace.step is not None else Adaptive(run, method, pace)


def _drive(run: Run, stepper: Stepper, law: Control | None, period: float | None) -> Log:
    """Go from one instant at which something is asked or done to the next: samples of the law, events, the end."""
    stepper.law, until = law, stepper.until
    sample, n = (stepper.tick(period), 0) if law is not None else (lambda n: np.inf, 0)
    run.watch.start(run.t, run.x)
    try:
        while True:
            now = sample(n) <= run.t + stepper.slack
            due = run.due(stepper.slack)
            if due:
                run.fire(due, None if now else law)
            if run.stopped or run.t >= until:
                break
            if now:
                run.command(law)
                n += 1
            stop, corner = min(until, sample(n), run.timed[0].at if run.timed else np.inf), stepper.corner()
            stepper.go(corner if corner < stop - stepper.slack else stop)
    finally:
        stepper.release()
    run.add_now()
    return run.log(stepper.info())


def _seconds(name: str, value: Any) -> float:
    """Return a positive time; texts as "5 ms" are read."""
    if isinstance(value, str | Fraction):
        return float(period_of(value, name))
    _positive(name, value)
    return value


def _positive(name: str, value: Any) -> None:
    """Refuse what is not a positive number."""
    number = isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool)
    if not number or not np.isfinite(value) or value <= 0.0:
        raise InputError(f"{name} must be a positive number", where=name, got=repr(value))


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
