"""Run an assembly in time: stretches of compiled steps, rows of the log between."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from interstage.errors import InputError, SolverError
from interstage.multibody import State, System
from interstage.multibody.closing import open_by
from interstage.multibody.diagnosis import refuse
from interstage.multibody.inspection import rigid_of
from interstage.multibody.loads import Loads, OperatingPoint, at_point
from interstage.multibody.settings import Settings
from interstage.multibody.state import check_belongs
from interstage.system import loop_kernels as kernels
from interstage.system.acting import Acting
from interstage.system.ahead import MASS
from interstage.system.ahead_parts import MassFunction, given_ahead, switched_ahead
from interstage.system.assembly import Assembly
from interstage.system.checkpoint import write_checkpoint
from interstage.system.closed_loop import ClosedLoop, Steps, view_of
from interstage.system.device import Device
from interstage.system.events import Event, EventRecord, may_leave
from interstage.system.faults import Fault, faults_of
from interstage.system.flight_events import Happening, Whole, crossings_of
from interstage.system.flight_library import ByScipy
from interstage.system.flight_log import FlightLog
from interstage.system.histories import Motion
from interstage.system.kernels import flights, stretch
from interstage.system.locks import Locks
from interstage.system.log import SAME_TIME
from interstage.system.log_columns import columns_of, contents_of
from interstage.system.methods import Compiled, Library, Method, method_of
from interstage.system.pacing import Pacer
from interstage.system.plan import Plan, planned
from interstage.system.ports import Crossing, Out
from interstage.system.progress import Progress
from interstage.system.replay import Acted
from interstage.system.stable_steps import STABLE, fastest_of, too_fast
from interstage.system.ticks import Clock, Period, period_of
from interstage.system.touching import Touching

Base = tuple[np.ndarray, np.ndarray, np.ndarray]
BUFFER = 2**19  # numbers in the buffer of the log
OPEN = 10.0  # tolerances by which closures may be open before they are assembled


class FlightPoint(OperatingPoint):
    """Where a flight is: state of the vehicle, what acts beside devices, and values of devices by full name.

    values : states, discrete states, integers, sampled outputs and inputs that are held;  t : time
    """

    def __init__(
        self,
        x: State,
        loads: Loads,
        vdot: np.ndarray,
        settings: Settings,
        values: Mapping[str, np.ndarray],
        t: float = 0.0,
    ):
        super().__init__(x, loads, vdot, settings)
        self.values, self.t = dict(values), t

    def _arguments(self) -> tuple:
        return *super()._arguments(), {name: np.array(value) for name, value in self.values.items()}, self.t


class Flight:
    """A run of an assembly on its way.

    plan, system, loop : what runs;  q, v : state of the vehicle;  columns : what is logged
    base : what acts beside devices
    resumed : it goes on from a checkpoint: inputs that are held are those of then
    """

    def __init__(
        self,
        assembly: Assembly,
        x: State | None,
        until: Period,
        step: Period | None = "10 ms",
        *,
        method: str | Method | None = None,
        max_step: Period | None = None,
        rtol: float = 1e-9,
        atol: float = 1e-9,
        start: Period = 0,
        log_step: Period | None = None,
        given: Mapping[str, Any] | None = None,
        keep: Sequence[str] | None = None,
        resumed: bool = False,
        interpret: bool = False,
        ideal: bool = False,
        faults: Sequence[Fault | Mapping[str, Any]] = (),
        pace: float | None = None,
        events: Sequence[Event] = (),
        motions: Mapping[str, Motion] | None = None,
        mass: Mapping[str, MassFunction] | None = None,
    ):
        self.start = period_of(start, "start", zero=True)
        self.step = period_of("10 ms" if step is None else step, "step")
        self.faults, self.pacer = faults_of(faults), None if pace is None else Pacer(pace)
        beat = None if self.pacer is None else (self.pacer.wait, self.step)
        self.beside = given_ahead(assembly.vehicle, motions or {}, mass or {})
        self.beside += switched_ahead(assembly.vehicle, events)
        known, away = known_values(x, given), may_leave(assembly.vehicle, events)
        self.plan = plan = planned(assembly, (), self.faults, self.start, beat, known, self.beside, away)
        self.system = view_of(plan, x)
        if x is not None:
            self.system = at_point(self.system, x)
        self.until = period_of(until, "until")
        self.method, steps = _steps(method, step, max_step, rtol, atol)
        self.by = _short_enough(plan, self.method, steps)
        self.locks = Locks(self.method.turn if isinstance(self.method, Compiled) else np.inf)
        every = None if log_step is None else period_of(log_step, "log_step")
        if self.until <= self.start:
            raise InputError(
                "a run ends after its start", expected=f"until > {self.start} s", got=f"{self.until} s"
            )
        times = [time for time in (self.start, self.until, every) if time]
        plan.clock = clock = _finer(plan, times)
        values = start_values(plan, x, given)
        if not resumed:
            plan.check_closed(values)
        self.columns = columns_of(plan, self.system, keep)
        rows = self.columns.rows(max(16, min(4096, BUFFER // self.columns.width)))
        rows.every = 0 if every is None else clock.ticks(every)
        self.point = point = _point(self.system, x)
        self.base = base_loads(self.system, point)
        loads = point.loads if isinstance(point, OperatingPoint) else Loads.of(self.system)
        self.acting = Acting(loads, "world")
        self.loop = ClosedLoop(
            plan,
            self.system,
            by=self.by,
            rows=rows,
            base=self.base,
            interpret=interpret,
            ideal=ideal,
            touching=Touching(plan, bool(events), idle=plan.later),
        )
        self.scipy = ByScipy(self.loop, self.method) if isinstance(self.method, Library) else None
        self.loop.hold(values)
        self.q, self.v = point.q.astype(float), point.v.astype(float)
        if plan.ahead:
            self._start_as_known()
        self.loop.begin_at(clock.ticks(self.start))
        self.loop.loop.now[kernels.UNTIL] = clock.ticks(self.until, "until")
        self.log = FlightLog(contents_of(plan, self.system, self.columns), self.system, assembly)
        self.log.acted.append(self._acted())
        self.events = list(events)
        watched = [*events, *crossings_of(self)]
        self.happening = Happening(watched, self) if watched else None
        if self.happening is not None and self.scipy is not None:
            self.scipy.look = self.happening.within
        self.path: Path | None = None
        self.shown = True  # how far it is, where someone looks
        self.every: Fraction | None = None
        self.options: dict[str, Any] = {
            "start": f"{self.start} s",
            "until": f"{self.until} s",
            "step": None if step is None else f"{period_of(step, 'step')} s",
            "method": self.method.name,
            "max_step": None if max_step is None else f"{period_of(max_step, 'max_step')} s",
            "rtol": rtol,
            "atol": atol,
            "log_step": None if every is None else f"{every} s",
            "keep": None if keep is None else list(keep),
            "faults": [fault.described() for fault in self.faults],
            "pace": pace,
        }

    def _start_as_known(self) -> None:
        """Stand at the start on what is known ahead; the other joints of closures follow."""
        system, t = self.system, float(self.start)
        closed = bool(system.model.closures)
        if closed:
            system.check_closed(State(system.layout, self.q, self.v))
        self.loop.put_known(self.q, self.v, t)
        self.loop.tapes.check()
        x = State(system.layout, self.q, self.v)
        if closed and open_by(system, x) > OPEN:
            x = system.assemble(x)
            self.q[:], self.v[:] = x.q, x.v

    def write_to(self, path: str | Path | None, checkpoint: Period | None = None) -> None:
        """Let the log go to a file on the way, and checkpoints beside it."""
        self.path = None if path is None else Path(path)
        self.every = None if checkpoint is None else period_of(checkpoint, "checkpoint")
        if self.every is not None and self.beside:
            raise InputError(
                "motions and masses of a run do not go into checkpoints",
                where="checkpoint",
                hint="add them to the assembly: add('slew', ist.Motion(angle=f), body='panel')",
            )
        if self.every is not None and self.path is None:
            raise InputError(
                "a checkpoint lies beside the log", where="checkpoint", hint='give log="flight.h5" too'
            )

    def end_at(self, until: Period) -> None:
        """Give the run another end, later than where it stands."""
        end = period_of(until, "until")
        if float(end) <= self.t:
            raise InputError(
                "a run ends after where it stands", expected=f"until > {self.t:g} s", got=f"{end} s"
            )
        tick = self.plan.clock.tick
        if (end / tick).denominator != 1:
            raise InputError(
                "the end falls on no tick of the run",
                expected=f"a multiple of {tick} s",
                got=f"{end} s",
                hint="samples and rows of log_step fall on ticks: give the run a log_step that goes into both ends",
            )
        self.loop.loop.now[kernels.UNTIL] = self.plan.clock.ticks(end, "until")
        self.until = end
        self.options["until"] = f"{end} s"

    @property
    def t(self) -> float:
        """The time at which the flight stands."""
        return float(self.loop.loop.pace[stretch.TIME])

    def run(self) -> FlightLog:
        """Go to the end and return the log; what fails carries the log up to then as `log`."""
        progress = Progress(self.plan.assembly.name, float(self.start), float(self.until), self.shown)
        try:
            if self.path is not None:
                self.log.write_to(self.path)
            due = self._due()
            while True:
                # a solver of scipy would begin anew where it pauses
                self.loop.loop.pause[kernels.BEFORE] = due if self.scipy else min(due, progress.pause(self.t))
                if self.happening is not None and self.happening.begin():
                    break
                status = (self.scipy or self.loop).stretch(self.q, self.v)
                self.loop.tapes.check()
                if status != flights.STEPPED:  # rows of steps that are looked into stay in the buffer
                    self.flush()
                self._note_locks()
                self._check(status)
                if status == flights.STEPPED and self.happening is not None and self.scipy is None:
                    self.happening.passed()
                elif status == flights.TIMED and self.happening is not None:
                    self.happening.due()
                if status == flights.DONE or (self.happening is not None and self.happening.stopped):
                    break
                progress.show(self.t)
                if status == flights.PAUSED and self.t >= due * (1.0 - SAME_TIME):
                    self.loop.loop.pace[stretch.KNOWN] = 0.0  # as after a checkpoint
                    self.save()
                    due = self._due()
            self._last_row()
        except BaseException as error:
            self.flush()
            self._note()
            vars(error)["log"] = self.log.finished(None)
            raise
        finally:
            progress.close()
            self.loop.release()
        self._note()
        return self.log.finished(self.here())

    def _due(self) -> float:
        """Return the time of the next checkpoint."""
        if self.every is None:
            return np.inf
        return float((int(Fraction(self.t * (1.0 + SAME_TIME)) / self.every) + 1) * self.every)

    def _note(self) -> None:
        """Write into the log which faults there were, and how well the run kept time."""
        known = set(map(str, self.log.events))  # of a run that goes on
        for fault in self.faults:
            for record in fault.records(float(self.start), self.t):
                if str(record) not in known:
                    self.log.note(record)
        self.log.events.sort(key=lambda record: record.t)
        if self.pacer is not None:
            kept = self.log.info["pacing"] = self.pacer.result()
            self.log.note(EventRecord.unmeasured(self.t, "paced", str(kept)))

    def _note_locks(self) -> None:
        """Warn of gimbals that equal steps took too far near lock."""
        near = self.loop.loop.near
        if near.size and near.any():
            self.locks.note(self.system, float(self.step), near)
            near[:] = 0.0

    def save(self) -> Path:
        """Write a checkpoint beside the log: `resume` goes on from it, bit for bit."""
        assert self.path is not None
        return write_checkpoint(self.path.with_suffix(".ckpt.h5"), self)

    def flush(self) -> None:
        """Move full rows to the log."""
        loop = self.loop.loop
        self.log.take(loop)
        loop.now[kernels.ROWS] = 0
        loop.group_rows[:] = 0

    def _last_row(self) -> None:
        """Log the end: signals as they are there."""
        self.log_row(self.t)

    def log_row(self, t: float) -> None:
        """Log where the flight stands, unless it is in the log: signals as they are there."""
        pace = self.loop.loop.pace
        if pace[flights.LOGGED] == t:
            return
        self.flush()
        qdot, vdot = np.empty_like(self.q), np.empty_like(self.v)
        self._check(self.loop.right_side(self.q, self.v, t, qdot, vdot, row=True))
        self.flush()
        pace[flights.LOGGED] = t

    def changed(self) -> None:
        """Something has changed at this instant: it is logged anew."""
        self.loop.loop.pace[flights.LOGGED] = np.nan

    def describe_masses(self) -> None:
        """Let the vehicle be described with the masses of now, as changes of it need them."""
        system = self.system
        for touch in self.loop.touching.of(system)[2]:
            if touch.quantity == MASS:
                body = str(touch.place)
                now = rigid_of(self.loop.tapes.vectors["s"][touch.slot.where], system.model.spec(body).offset)
                system.set_mass(body, now.mass, now.com, now.inertia, check=False)

    def _stand_on(self, system: System) -> None:
        """Let devices and loads act on another vehicle."""
        self.system, t = system, self.t
        if self.base is not None:
            self.base = self.acting.vector(system, t), *self.acting.rows(system, t)
        self.loop = self.loop.on(system, self.base, t)
        if self.scipy is not None:
            self.scipy.loop = self.loop

    def _acted(self) -> Acted:
        """Return what is known of what acts from now on."""
        return Acted(self.plan, self.columns, self.loop.touching, self.base)

    def take_up(self, vehicles: Sequence[System], loads: Loads | None) -> None:
        """Go on with the last of the vehicles that the run has had, and what acts on it beside devices."""
        for system in vehicles[1:-1]:
            self._stand_on(system)
            self.log.acted.append(self._acted() if loads is None else None)
        if loads is not None:
            self.acting, self.base = Acting(loads, "world"), no_loads(self.system.nv)
        if loads is not None or len(vehicles) > 1:
            self._stand_on(vehicles[-1].with_settings() if len(vehicles) > 1 else self.system)
        if len(vehicles) > 1:
            self.log.acted.append(self._acted())
        self.q, self.v = np.zeros(self.system.nq), np.zeros(self.system.nv)

    def go_over(self, system: System, x: State, motions: Mapping[str, Motion | None]) -> None:
        """Go on with another state of the vehicle, or another vehicle: devices and loads follow names.

        motions : of joints that follow others from now on, None: nothing
        """
        old, t = self.system, self.t
        self.flush()
        if motions:
            self.loop.touching = self.loop.touching.with_motions(motions)
        if system is not old:
            new = system.with_settings()
            self.acting.follow(old, new, t)
            self._stand_on(new)
        self.q, self.v = x.q.astype(float), x.v.astype(float)
        self.log.begin_phase(self.system, self._acted())
        self.changed()

    def whole(self) -> Whole:
        """Return the state of the vehicle and of devices."""
        return Whole(self.system.layout, self.q, self.v, self.loop.tapes.vectors["z"])

    def step_begun(self) -> float:
        """Return when the last step began."""
        return float(self.loop.loop.pace[flights.BACK])

    def beginning(self) -> Whole:
        """Return where the last step began."""
        loop, nq, n = self.loop.loop, self.system.nq, self.system.nq + self.system.nv
        return Whole(self.system.layout, loop.back[:nq].copy(), loop.back[nq:n].copy(), loop.back[n:])

    @cached_property
    def held(self) -> set[int]:
        """Numbers of the signals that change at samples alone."""
        slots = [
            self.plan.slots[f"{part.path}.{name}"]
            for part in self.plan.parts
            for name, one in part.what.fields.items()
            if isinstance(one, Out) and part.samples(name)
        ]
        return {k for slot in slots for k in range(slot.start, slot.start + slot.size)}

    def put(self, x: Whole) -> None:
        """Stand at another state."""
        self.q[:], self.v[:] = x.q, x.v
        self.loop.tapes.vectors["z"][:] = x.z

    def bring(self, t: float, x: Whole) -> None:
        """Let all signals be those at a time and state."""
        self.loop.tapes.vectors["z"][:] = x.z
        q, v = x.q.copy(), x.v.copy()
        self._check(self.loop.right_side(q, v, t, np.empty_like(q), np.empty_like(v)))

    def stepped(self, t: float, x: Whole, h: float) -> Whole:
        """Return the state after one step of h from another."""
        q, v = x.q.copy(), x.v.copy()
        self.loop.tapes.vectors["z"][:] = x.z
        if h > 0.0:
            self._check(self.loop.step_from(q, v, t, h))
        return Whole(x.layout, q, v, self.loop.tapes.vectors["z"])

    def resume_at(self, t: float) -> None:
        """Stand at the end of a step again, after looks into it."""
        self.loop.loop.pace[stretch.TIME], self.loop.loop.pace[stretch.KNOWN] = t, 0.0

    def go_on_from(self, t: float) -> None:
        """Stand inside the present interval."""
        self.loop.go_on_from(t)

    def _check(self, status: int) -> None:
        """Refuse what forward dynamics refused, and numbers that are none."""
        self.loop.tapes.check()
        stopped = status not in (flights.DONE, flights.FULL, flights.PAUSED, flights.STEPPED, flights.TIMED)
        z = self.loop.tapes.vectors["z"]
        for name, array in (("q", self.q), ("v", self.v)):
            if not np.isfinite(array).all():
                raise self._infinite(name)
        if len(z) and not np.isfinite(z).all():
            states = {n: slot for n, slot in self.plan.slots.items() if slot.kind == "z"}
            raise self._infinite(
                next(f"'{n}'" for n, s in states.items() if not np.isfinite(z[s.where]).all())
            )
        if stopped:
            self._check_pushes()
            if self._too_long():
                raise self._infinite("v")
            if self.by.step is None and self._goes_on():
                raise SolverError(
                    f"the method {self.method} stopped at t = {self.t:.6g}",
                    got=f"steps of {self.loop.loop.pace[stretch.STEP]:.3g} s",
                    hint="what devices say may jump there: declare an event or sample it",
                )
            refuse(self.system, status, State(self.system.layout, self.q, self.v), self.loop.loop.tau)

    def _too_long(self) -> bool:
        """Tell if fixed steps are beyond what an explicit method takes of the fastest mode."""
        if self.by.step is None or isinstance(self.method, Library) or self.method.implicit:
            return False
        return fastest_of(self.system) * float(self.step) > STABLE

    def _infinite(self, where: str) -> SolverError:
        """Return what to say of a run that goes to infinity."""
        hint = too_fast(fastest_of(self.system)) if self._too_long() else "use a smaller step"
        if self.by.step is not None and isinstance(self.method, Compiled):
            hint = self.locks.hint(self.system, self.q, self.v, float(self.step)) or hint
        return SolverError(f"the simulation went to infinity at t = {self.t:.6g}", where=where, hint=hint)

    def _goes_on(self) -> bool:
        """Tell if there is a slope where the flight stands."""
        q, v = self.q.copy(), self.v.copy()
        return self.loop.right_side(q, v, self.t, np.empty_like(q), np.empty_like(v)) == 0

    def _check_pushes(self) -> None:
        """Refuse forces that are no numbers: forward dynamics cannot tell where they come from."""
        for touch in self.plan.pushes:
            value = self.loop.tapes.vectors["s"][touch.slot.where]
            if not np.isfinite(value).all():
                raise SolverError(f"'{touch.port}' is not finite at t = {self.t:.6g}", got=str(value))

    def here(self) -> FlightPoint:
        """Return where the flight is."""
        x = State(self.system.layout, self.q, self.v)
        loads = self.acting.loads
        settings = self.system.settings.copy()
        names = [
            f"{part.path}.{n}"
            for part in self.plan.parts
            for n, f in part.what.fields.items()
            if f.kind in "zwn" or (isinstance(f, Out) and part.samples(n))
        ]
        values = {name: self.loop.tapes.array(name).copy() for name in (*names, *self.plan.open)}
        return FlightPoint(x, loads, np.zeros(self.system.nv), settings, values, self.t)


def _steps(
    method: str | Method | None, step: Period | None, max_step: Period | None, rtol: float, atol: float
) -> tuple[Method, Steps]:
    """Return the method of a flight, and how it steps."""
    chosen = method_of("rk4" if method is None else method)
    fixed = None if step is None else period_of(step, "step")
    if fixed is None and chosen.embedded is None:
        fixed = period_of("10 ms")
    longest = np.inf if max_step is None else float(period_of(max_step, "max_step"))
    for name, value in (("rtol", rtol), ("atol", atol)):
        if not (isinstance(value, int | float) and np.isfinite(value) and value > 0.0):
            raise InputError(f"{name} must be a positive number", where=name, got=repr(value))
    if isinstance(chosen, Compiled):
        return chosen, Steps(chosen, fixed, longest, rtol, atol)
    return chosen, Steps(step=fixed or Fraction(1), longest=longest, rtol=rtol, atol=atol)


def _no_edge_between(plan: Plan, step: float) -> None:
    """Refuse equal steps that may go over two edges of a device that switches at them."""
    for part in plan.parts:
        what = part.what
        if not isinstance(what, Device) or not any(isinstance(f, Crossing) for f in what.fields.values()):
            continue
        limit = what.longest_step()
        if 0.0 < limit < step * (1.0 - SAME_TIME):
            raise InputError(
                f"equal steps may go over what '{part.path}' does between its samples",
                expected=f"at most {limit:g} s",
                got=f"{step:g} s",
            )


def _short_enough(plan: Plan, method: Method, by: Steps) -> Steps:
    """Return adaptive steps that cannot miss what devices do between samples; others as they are."""
    if isinstance(method, Compiled) and by.step is not None:
        _no_edge_between(plan, float(by.step))
        return by
    limits = {part.path: part.what.longest_step() for part in plan.parts if isinstance(part.what, Device)}
    unknown = [path for path, limit in limits.items() if limit <= 0.0]
    if unknown and by.longest == np.inf:
        raise InputError(
            f"steps of {method} may miss what '{unknown[0]}' does between its samples",
            expected="max_step, not longer than its pulses",
            hint="or a method of equal steps, rk4 say",
        )
    return replace(by, longest=min([by.longest, *(limit for limit in limits.values() if limit > 0.0)]))


def _finer(plan: Plan, times: list[Fraction]) -> Clock:
    """Return a clock on whose ticks other times fall too; entries of the plan follow."""
    old = plan.clock
    new = Clock.of([old.tick, *times]) if plan.sampled else Clock.of(times)
    if plan.sampled and new != old:
        k = int(old.tick / new.tick)
        plan.sampled = [replace(e, every=e.every * k, first=e.first * k) for e in plan.sampled]
    return new


def known_values(x: State | None, given: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return values of inputs and states by name or pattern: of a point of a flight, then what is given."""
    if given is not None and not isinstance(given, Mapping):
        raise InputError(
            "set cannot be read", where="set", expected="{port or state: value}", got=repr(given)[:60]
        )
    return {**(x.values if isinstance(x, FlightPoint) else {}), **(given or {})}


def start_values(plan: Plan, x: State | None, given: Mapping[str, Any] | None) -> dict[str, np.ndarray]:
    """Return values by full name that a run starts from: those of a point of a flight, then those that are given."""
    held: dict[str, np.ndarray] = {}
    if isinstance(x, FlightPoint):
        held |= {name: value for name, value in x.values.items() if name in plan.slots}
    return held | plan.values(given or {})


def _point(system: System, x: State | None) -> State:
    """Return the state that a run starts from."""
    if x is None:
        return system.state()
    check_belongs(system, x)
    if np.iscomplexobj(x.q):
        raise InputError("a run starts from a state of real numbers", where="x", got=f"{x.q.dtype}")
    return x


def no_loads(nv: int) -> Base:
    """Return that nothing acts beside devices."""
    return np.zeros(nv), np.zeros(0, dtype=np.int64), np.zeros((0, 10))


def base_loads(system: System, x: State) -> Base | None:
    """Return what acts beside devices: tau, sites and wrenches of an operating point."""
    if not isinstance(x, OperatingPoint):
        return None
    if x.loads.in_time:
        raise InputError(
            "loads of an operating point that change with time do not act on an assembly",
            hint="add a device that gives them",
        )
    return x.loads.vector(system), *x.loads.rows(system)
