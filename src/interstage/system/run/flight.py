"""Run an assembly in time: stretches of compiled steps, rows of the log between."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from contextlib import nullcontext, suppress
from dataclasses import replace
from fractions import Fraction
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import numpy as np

from interstage.errors import (
    FidelityWarning,
    InputError,
    InterstageError,
    OutOfMemoryError,
    caller_level,
    out_of_memory,
)
from interstage.interrupts import (
    dropped_interrupts_heard,
    terminations_heard,
    uninterrupted,
)
from interstage.multibody import State, System
from interstage.multibody.closure_queries import open_by
from interstage.multibody.loads import Loads, OperatingPoint, at_point
from interstage.multibody.queries import rigid_of
from interstage.output import as_path
from interstage.system.log.hdf5 import COMMIT_S
from interstage.system.log.layout import columns_of, contents_of
from interstage.system.log.phase_storage import Acted
from interstage.system.log.points import point_names
from interstage.system.log.simulation_log import FlightLog
from interstage.system.plant import coupled_kernels as kernels
from interstage.system.plant.assembly import Assembly
from interstage.system.plant.clock import (
    SAME_TIME,
    Period,
    instant_of,
    period_of,
    step_of,
    time_of,
)
from interstage.system.plant.compiled_schedule import check_epochs, warn_beyond
from interstage.system.plant.declarations import Out
from interstage.system.plant.faults import Fault, faults_of
from interstage.system.plant.moved_sites import both
from interstage.system.plant.plan import (
    MassFunction,
    Plan,
    given_ahead,
    planned,
    switched_ahead,
)
from interstage.system.plant.prescribed_inputs import MASS
from interstage.system.plant.prescribed_motion import Motion
from interstage.system.plant.python_block import (
    Copies,
    Law,
    Memories,
    flown,
    hides,
    laws_of,
    remember,
    remembered,
)
from interstage.system.plant.vehicle_interface import Touching, view_of
from interstage.system.run.applied_loads import (
    Acting,
    Beside,
    Commanding,
    Control,
    InTime,
    unsampled,
)
from interstage.system.run.checkpoint import write_checkpoint
from interstage.system.run.coupled_system import ClosedLoop
from interstage.system.run.dense_output import RowsBetween, SingleSteps
from interstage.system.run.event_handling import Happening, Whole, crossings_of
from interstage.system.run.events import Event, EventRecord, changes_of
from interstage.system.run.integrators import (
    Compiled,
    Library,
    Method,
)
from interstage.system.run.integrators import (
    integration_loop as flights,
)
from interstage.system.run.integrators import (
    step_control as stretch,
)
from interstage.system.run.integrators.scipy_solvers import ByScipy
from interstage.system.run.operating_point import (
    FlightPoint,
    Flown,
    as_described,
    begin_time,
    begun_at,
    chain_of,
    changes_at,
    check_locked,
    check_whole,
    known_values,
    recall,
    start_values,
    unknown_laws,
)
from interstage.system.run.real_time import Pacer, Progress
from interstage.system.run.run_errors import Locks, check
from interstage.system.run.step_schedule import ON_GRID, Course, clock_of, short_enough
from interstage.system.run.step_stability import RowsToLookAt

BUFFER = 2**19  # numbers in the buffer of the log
OPEN = 10.0  # tolerances by which closures may be open before they are assembled


class Flight:
    """A run of an assembly on its way.

    plan, system, loop : what runs;  q, v : state of the vehicle;  columns : what is logged
    loads : what acts beside devices, where x does not bring it; of a run that goes on, on its last vehicle
    control : of a vehicle alone, law(t, x) of these loads, asked every control_step;  frame : axes of its wrenches
    resumed : it goes on from a checkpoint: inputs that are held are those of then
    dense : whether the motion between rows of steps of a method's own is kept
    edges : times at which such steps end besides
    inside : looks at such steps one by one
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
        start: Period | None = None,
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
        loads: Loads | None = None,
        control: Control | None = None,
        control_step: Period | None = None,
        frame: str = "world",
        dense: bool = False,
        edges: np.ndarray | Sequence[float] | None = None,
    ):
        check_whole(x, control is not None)
        alone = not assembly.parts()
        course = Course.of(
            until,
            step,
            start=instant_of(begin_time(x)) if start is None else start,
            log_step=log_step,
            method=method,
            max_step=max_step,
            rtol=rtol,
            atol=atol,
            alone=alone,
        )
        self.start, self.until, self.step, self.method = (
            course.start,
            course.until,
            course.step,
            course.method,
        )
        self.faults, self.pacer = faults_of(faults), None if pace is None else Pacer(pace)
        self.events, self.shown = list(events), True
        self.edges = np.zeros(0) if edges is None else np.asarray(edges, dtype=float)
        self.looked: RowsToLookAt | None = None  # of a run with equal steps
        self._view: tuple[System, System] | None = None
        self._pool: tuple[object, ...] | None = None
        self.loop: ClosedLoop
        self.path: Path | None = None
        self.every: Fraction | None = None
        self.beside = given_ahead(assembly.vehicle, motions or {}, mass or {})
        self.beside += switched_ahead(assembly.vehicle, events)
        if isinstance(x, OperatingPoint):
            loads = x.loads
        if control is not None and loads is None and assembly.vehicle is not None:
            loads = Loads.of(assembly.vehicle)
        self.loads = Beside(self)
        self.loads.foresee(loads, control is not None)
        self.later, self.before = chain_of(assembly, x), changes_at(x)
        self.loads.acting = None if loads is None or resumed or self.later else Acting(loads, frame)
        self._plan(assembly, x, given)
        self.by = short_enough(self.plan, self.method, course.steps)
        own = isinstance(self.method, Library) or self.by.step is None  # steps of its own
        if own and control is not None and control_step is None:
            raise unsampled(self.method)
        weights = self.method.polynomial() if isinstance(self.method, Compiled) else None
        self.inside = SingleSteps(self, weights, dense and own)
        self.single = own and (alone or dense)  # steps are looked at one by one
        self.by = replace(self.by, slopes=self.single and weights is not None)
        self.locks = Locks(self.method.turn if isinstance(self.method, Compiled) else np.inf)
        self.plan.clock = clock_of(self.plan, self.start, course.every, self.step)
        self.columns = columns_of(self.plan, self.system, keep)
        self._begin(x, given, course, resumed, (interpret, ideal))
        self.log = FlightLog(contents_of(self.plan, self.system, self.columns), self.system, assembly)
        self._keep_points(x)
        self.log.acted.append(self._acted())
        self._watch()
        self.law: Commanding | None = None
        if control is not None:
            read = step_of if alone else period_of
            period = self.step if control_step is None else read(control_step, "control_step")
            self.law = Commanding(control, period, self)
            assert self.log.contents.points is not None
            self.log.contents.points.loads = "a law (control=) said what acts"
        if control is None:
            how: dict[str, Any] = {
                "step": step,
                "method": method,
                "max_step": max_step,
                "rtol": rtol,
                "atol": atol,
            }
            how |= {
                "faults": faults,
                "motions": motions,
                "mass": mass,
                "interpret": interpret,
                "ideal": ideal,
                "edges": self.edges,
            }
            self.log.fly = partial(_flown_on, assembly, laws_of(self.plan), how)
        said = [fault.described() for fault in self.faults]
        more: dict[str, Any] = {"keep": None if keep is None else list(keep), "faults": said, "pace": pace}
        more |= {"edges": self.edges.tolist()} if len(self.edges) else {}
        self.options: dict[str, Any] = course.asked | more

    def _begin(
        self,
        x: State | None,
        given: Mapping[str, Any] | None,
        course: Course,
        resumed: bool,
        modes: tuple[bool, bool],
    ) -> None:
        """Stand at the start: state of the vehicle, values of devices, the loop closed."""
        values = start_values(self.plan, x, given)
        if not resumed:
            self.plan.check_closed(values)
        point = begun_at(self.later[-1] if self.later else self.system, x)
        self.q, self.v = point.q.astype(float), point.v.astype(float)
        self._close(course, *modes)
        self._come_to(point)
        self.loop.hold(values)
        anew = isinstance(x, FlightPoint) and x.run is not None and not x.run.goes_on
        if not (resumed or anew):  # a new run from a state of a log has laws as they are given
            recall(self.plan, x)
        if self.plan.ahead and not resumed:
            self._start_as_known()
        if self.system.model.closures and not resumed:
            self.system.check_closed(State(self.system.layout, self.q, self.v))
        if self.loop.without and not resumed:
            check_locked(self.system, State(self.system.layout, self.q, self.v))
        run = x.run if isinstance(x, FlightPoint) and float(self.start) == x.t else None
        self.loop.begin_at(self.start, run is not None and run.sampled)
        self.loop.end_at(float(self.until))

    def _plan(self, assembly: Assembly, x: State | None, given: Mapping[str, Any] | None) -> None:
        """Put all parts on tapes, and have the vehicle as it begins."""
        self.plan = self._planned(assembly, known_values(x, given))
        check_epochs(self.plan.parts)
        if self.later:  # of a vehicle that has changed since: it begins as described, and `_come_to` goes on
            self.system = view_of(self.plan)
            return
        self.system, vehicle = view_of(self.plan, x), assembly.vehicle
        same = isinstance(x, OperatingPoint) and vehicle is not None and x.settings == vehicle.settings
        if x is not None and not same:  # else nobody but motions and devices has switched anything
            self.system = at_point(self.system, x)

    def _come_to(self, x: State) -> None:
        """Stand on the vehicle of a point, after its changes, under what acts there; laws remember what they did."""
        for system in self.later[:-1]:
            self._stand_on(system)
        if self.later:
            assert isinstance(x, FlightPoint)
            self.loads.acting = Acting(x.loads, "world")
            self._stand_on(x.system)
        for path in unknown_laws(self.plan, x)[:1]:
            raise InputError(
                f"the point does not say what '{path}' remembered",
                where="x",
                hint="kept are numbers, arrays, words and objects of named classes in attributes of the law, not what "
                "it writes to enclosed or global variables",
            )

    def _keep_points(self, x: State | None) -> None:
        """Let the log have what points of its rows need."""
        kept = self.log.contents.points
        assert kept is not None
        kept.changes, kept.begun = self.changes, bool(self.later)
        kept.start = {n: self.loop.tapes.array(n).copy() for n, v in kept.values.items() if v.part}
        run = x.run if isinstance(x, FlightPoint) else None
        if run is not None and self.later:
            self.log.before, self.log.first = run.vehicles[:-1], run.first
        laws = laws_of(self.plan)
        kept.laws = [path for path in laws if path in {n.removesuffix("()") for n in remembered(laws)}]
        kept.hidden = [path for path, law in laws.items() if hides(law)]
        kept.loads = None if self.loads.acting is None else self.loads.acting.loads
        self.memories = Memories(laws, lambda: self.log.rows + int(self.loop.loop.now[kernels.ROWS]))
        if laws and not kept.missing:
            self.loop.tapes.noting = self.memories.note
        self.log.memories = self.memories

    def _planned(self, assembly: Assembly, known: Mapping[str, Any]) -> Plan:
        """Return all parts on tapes."""
        beat = None if self.pacer is None else (self.pacer.wait, self.step)
        self.changes = both(self.before, changes_of(assembly.vehicle, self.events))
        plan = planned(assembly, (), self.faults, self.start, beat, known, self.beside, self.changes)
        plan.edges = self.edges
        return plan

    def _plan_loads(self) -> None:
        """Put loads that a law made functions of time on the tape of what is known ahead, where none were."""
        self.flush()
        assert self.loads.acting is not None
        self.loads.foresee(self.loads.acting.loads, True)
        old, clock = self.loop, self.plan.clock
        self.plan = self._planned(self.plan.assembly, {})
        self.plan.clock = clock
        rows = self.columns.rows(len(old.loop.log))
        touching = replace(old.touching, plan=self.plan)
        self.loop = ClosedLoop(
            self.plan, self.system, by=self.by, rows=rows, base=self.loads.base, touching=touching
        )
        self.loop.tapes.noting = old.tapes.noting
        for name in ("now", "pace", "pause"):
            getattr(self.loop.loop, name)[:] = getattr(old.loop, name)
        for k in (kernels.LOG_EVERY, kernels.SINGLE):
            self.loop.loop.option[k] = old.loop.option[k]
        self._pool = None
        old.release()
        self._have_loop()

    def _close(self, course: Course, interpret: bool, ideal: bool) -> None:
        """Close the loop of devices and vehicle under what acts."""
        rows = self.columns.rows(max(16, min(4096, BUFFER // self.columns.width)))
        rows.every = self.rows_every = 0 if course.every is None else self.plan.clock.ticks(course.every)
        self.loads.begin(float(self.start))
        touching = Touching(
            self.plan,
            bool(self.events),
            idle=self.plan.later,
            coming=frozenset(self.changes.coming),
            heirs=self.changes.heirs,
        )
        plain = not (self.plan.parts or interpret or ideal)
        self._pool = (self.by, rows.rows, rows.every, self.plan.clock) if plain else None
        self._idle = self.system.engine.idle
        idle = None if self._pool is None else self._idle.pop(self._pool, None)
        if isinstance(idle, ClosedLoop):
            self.loop = idle.again(self.plan, self.system, self.loads.base, touching)
        else:
            self.loop = ClosedLoop(
                self.plan,
                self.system,
                by=self.by,
                rows=rows,
                base=self.loads.base,
                interpret=interpret,
                ideal=ideal,
                touching=touching,
            )
        self.loop.loop.option[kernels.LOG_EVERY] = rows.every
        self.loop.loop.option[kernels.SINGLE] = int(self.single)
        self.scipy: ByScipy | None = None
        self.strayed = False  # whether the loop has been elsewhere since the last step
        if isinstance(self.method, Library):
            keep = None if self.inside.dense is None else self.inside.keep
            self.scipy = ByScipy(self.loop, self.method, self.flush, keep, course.first)
        elif self.single and self.by.slopes and rows.every and not self.plan.sampled:
            self.inside.between = RowsBetween(self.loop, rows.every, self.flush)
            self.loop.loop.option[kernels.LOG_EVERY] = -1  # rows do not end steps

    def _watch(self) -> None:
        """Look out for events of the run and of devices."""
        watched = [*self.events, *crossings_of(self)]
        self.happening = Happening(watched, self) if watched else None
        if self.happening is not None and self.scipy is not None:
            self.scipy.look = self.happening.within

    def load(self) -> None:
        """Let what acts beside devices have changed, now."""
        self.loads.change()
        assert self.loads.acting is not None and self.loads.base is not None
        if self.loads.acting.in_time and not self.loads.foreseen:
            self._plan_loads()
        self.loop.set_base(*self.loads.base)
        self.loop.loop.pace[stretch.KNOWN] = 0.0

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
        self.path = None if path is None else as_path(path, "log")
        self.every = None if checkpoint is None else period_of(checkpoint, "checkpoint")
        if self.every is not None and any(not isinstance(part.what, InTime) for part in self.beside):
            raise InputError(
                "motions and masses of a run do not go into checkpoints",
                where="checkpoint",
                hint="add them to the assembly: add('slew', ist.Motion(angle=f), body='panel')",
            )
        if self.every is not None and self.law is not None:
            raise InputError(
                "a law of a run with checkpoints is a member of an assembly",
                where="control",
                hint="ist.Assembly('name', vehicle=system).add('law', law, every='10 ms', out={...})",
            )
        if self.every is not None and self.path is None:
            raise InputError(
                "a checkpoint lies beside the log", where="checkpoint", hint='give log="flight.h5" too'
            )

    def end_at(self, until: Period) -> None:
        """Give the run another end, later than where it stands."""
        end = time_of(until, "until")
        if float(end) <= self.t:
            raise InputError(
                "a run ends after where it stands", expected=f"until > {self.t:g} s", got=f"{end} s"
            )
        self.loop.end_at(float(end))
        self.until = end
        self.options["until"] = f"{end} s"

    @property
    def t(self) -> float:
        """The time at which the flight stands."""
        return float(self.loop.loop.pace[stretch.TIME])

    def run(self) -> FlightLog:
        """Go to the end and return the log; what fails carries the log up to then as `log`.

        A process that is told to end (SIGTERM) while it writes files does so after they are closed.
        """
        heard = nullcontext() if self.path is None else terminations_heard()
        with dropped_interrupts_heard(), heard, flown(laws_of(self.plan)):
            try:
                return self._run()
            finally:
                self.log.close()

    def _run(self) -> FlightLog:
        commits = 0.0 if self.path is None else COMMIT_S
        progress = Progress(
            self.plan.assembly.name, float(self.start), float(self.until), self.shown, commits
        )
        try:
            self._begin_outside()
            if self.path is not None:
                self.log.write_to(self.path)
            due = self._due()
            between = self.inside.between is not None or self.start % self.plan.clock.tick != 0
            if between and self.t == float(self.start):
                self.log_row(self.t)
            while True:
                # a solver of scipy would begin anew where it pauses
                self.loop.loop.pause[kernels.BEFORE] = due if self.scipy else min(due, progress.pause(self.t))
                if self.happening is not None and self.happening.begin():
                    break
                if self.law is not None:
                    self.law.due()
                    others = np.inf if self.happening is None else self.happening.ahead
                    self.loop.loop.pause[kernels.HALT_AT] = min(self.law.ahead, others)
                status = self._stretch()
                if status == flights.DONE or (self.happening is not None and self.happening.stopped):
                    break
                progress.show(self.t)
                if status == flights.PAUSED and self.t >= due * (1.0 - SAME_TIME):
                    self.loop.loop.pace[stretch.KNOWN] = 0.0  # as after a checkpoint
                    self.save()
                    due = self._due()
            self.log_row(self.t)  # signals as they are at the end
            if self.looked is not None:
                self.looked.tell()
            self.describe_masses()  # the system of the log has the masses of the end
            warn_beyond(self.loop.tapes)
        except MemoryError as error:
            raise self._starved(error) from error
        except BaseException as error:
            vars(error)["log"] = self._so_far()
            raise
        finally:
            progress.close()
            self._release()
        self._note()
        return self.log.finished(self.here())

    def _so_far(self) -> FlightLog:
        """Return the log up to here, of a run that fails."""
        self.flush()
        self._note()
        return self.log.finished(None)

    def _starved(self, error: MemoryError) -> OutOfMemoryError:
        """Return what to say where memory does not suffice, with the log up to then if that much is left."""
        hint = "log less: log_step=, keep=[names of ports], or dense=False"
        hint += "" if self.path is not None else "; log= keeps what was flown in a file"
        said = out_of_memory(error, f"to go on at t = {self.t:.6g}", hint)
        with suppress(MemoryError):
            vars(said)["log"] = self._so_far()
        return said

    def _begin_outside(self) -> None:
        """Tell laws that act outside of the model that a run begins; refuse one that is several members."""
        laws = [
            (part.path, part.what)
            for part in self.plan.parts
            if isinstance(part.what, Law) and part.what.outside
        ]
        for k, (path, law) in enumerate(laws):
            twice = [other for other, known in laws[:k] if known.owner is law.owner]
            if twice:
                raise InputError(
                    f"'{twice[0]}' and '{path}' are one {type(law.owner).__name__}, which has one state",
                    hint="make one for each member",
                )
        for _, law in laws:
            law.begin()

    def leave(self) -> None:
        """Give back what was lent to a run that is not made."""
        self.loop.release()

    def _release(self) -> None:
        """Give back what was lent; one loop of a vehicle without devices is kept for other runs."""
        self.loop.release()
        if self._pool is not None and self.loop.system.engine.idle is self._idle:
            self._idle.clear()
            self._idle[self._pool] = self.loop

    def _stretch(self) -> int:
        """Go on to where something is to be done, and let events happen; return why it ended there."""
        pause, happening, begun = self.loop.loop.pause, self.happening, None
        first = int(self.loop.loop.now[kernels.ROWS])
        if happening is not None and happening.chunk:
            pause[kernels.BEFORE] = min(pause[kernels.BEFORE], self.t + happening.chunk)
            begun = self.t, self.whole()
        status = (self.scipy or self.loop).stretch(self.q, self.v)
        self._note_locks()
        if happening is not None and begun is not None:
            try:
                check(self, status)
            except InterstageError:  # perhaps beyond an event
                if happening.looked_at(begun, first, failed=True):
                    return flights.STEPPED
                raise
            if happening.looked_at(begun, first):
                return flights.STEPPED
        if status != flights.STEPPED and (status != flights.TIMED or self.path is not None):
            self.flush()  # else rows stay in the buffer until it is full
        if status == flights.PAUSED:
            self.log.commit(due=begun is not None)
        check(self, status)
        if status == flights.STEPPED and self.scipy is None:
            self.inside.look()
        elif status == flights.TIMED and happening is not None:
            happening.due()
        return status

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
        self.log.info |= self._made()
        if self.pacer is not None:
            kept = self.log.info["pacing"] = self.pacer.result()
            self.log.note(EventRecord.unmeasured(self.t, "paced", str(kept)))

    def _made(self) -> dict[str, object]:
        """Return how the run was made."""
        said: dict[str, object] = {"method": self.method.name}
        if self.scipy is not None:
            return said | {"steps": self.scipy.solver.steps, "evaluations": self.scipy.solver.evaluations}
        if self.by.step is not None:
            step = self.by.step
            return said | {"step": float(step), "steps": int(Fraction(self.t) / step + ON_GRID)}
        steps = {"steps": self.inside.taken} if self.single else {}
        return said | steps | {"evaluations": int(self.loop.loop.pace[stretch.TRIED]) * len(self.by.method.c)}

    def _note_locks(self) -> None:
        """Warn of gimbals that equal steps took too far near lock."""
        near = self.loop.loop.near
        if near.size and near.any():
            self.locks.note(self.system, float(self.step), near)
            near[:] = 0.0

    def save(self) -> Path:
        """Write a checkpoint beside the log: `resume` goes on from it, bit for bit."""
        assert self.path is not None
        self.log.commit()
        return write_checkpoint(self.path.with_suffix(".ckpt.h5"), self)

    def flush(self) -> None:
        """Move full rows to the log."""
        loop = self.loop.loop
        if self.looked is not None:
            self.looked.note()
        with uninterrupted():
            try:
                self.log.take(loop)
            finally:
                loop.now[kernels.ROWS] = 0
                loop.group_rows[:] = 0

    def log_row(self, t: float) -> None:
        """Log where the flight stands, unless it is in the log: signals as they are there."""
        pace = self.loop.loop.pace
        self.flush()  # a row that is there may be in the buffer still, which a change or an end would leave behind
        if pace[flights.LOGGED] == t:
            return
        qdot, vdot = np.empty_like(self.q), np.empty_like(self.v)
        check(self, self.loop.right_side(self.q, self.v, t, qdot, vdot, row=True))
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

    def seen(self) -> System:
        """Return the vehicle as laws and conditions see it: a view of its own, with the masses of now."""
        self.describe_masses()
        if self._view is None or self._view[0] is not self.system:
            self._view = self.system, self.system.with_settings()
        view, own = self._view[1], self.system.settings
        view.settings.body_inertia[:], view.settings.propellant[:] = own.body_inertia, own.propellant
        if not np.array_equal(view.settings.joint_mode, own.joint_mode):  # by a device that holds and frees
            view.settings.joint_mode[:] = own.joint_mode
            view.note_held()
        return view

    def _stand_on(self, system: System) -> None:
        """Let devices and loads act on another vehicle."""
        self.system, t = system, self.t
        self.loads.begin(t)
        self.loop = self.loop.on(system, self.loads.base, t)
        self._have_loop()

    def _have_loop(self) -> None:
        """Let others know the loop of now."""
        for rows in (self.scipy, self.inside.between):
            if rows is not None:
                rows.loop = self.loop

    def _acted(self) -> Acted:
        """Return what is known of what acts from now on."""
        inputs = None if self.loads.acting is None else self.loads.inputs
        kept = self.log.contents.points
        start = {} if kept is None else kept.start
        return Acted(self.plan, self.columns, self.loop.touching, inputs, self.inside.dense, start)

    def take_up(self, vehicles: Sequence[System], loads: Loads | None) -> None:
        """Go on with the last of the vehicles that the run has had, and what acts on it beside devices."""
        for system in vehicles[1:-1]:
            self._stand_on(system)
            self.log.acted.append(self._acted() if loads is None else None)
        if loads is not None:
            self.loads.acting = Acting(loads, "world")
        if loads is not None or len(vehicles) > 1:
            self._stand_on(vehicles[-1].with_settings() if len(vehicles) > 1 else self.system)
        if len(vehicles) > 1:
            self.log.acted.append(self._acted())
        self.q, self.v = np.zeros(self.system.nq), np.zeros(self.system.nv)

    def go_over(self, system: System, x: State, motions: Mapping[str, Motion | None]) -> list[str]:
        """Go on with another state of the vehicle, or another vehicle: devices and loads follow names.

        Return the ports that have lost their places by that.
        motions : of joints that follow others from now on, None: nothing
        """
        old, t = self.system, self.t
        lost: list[str] = []
        self.flush()
        if self.looked is not None:
            self.looked.tell()
        if motions:
            self.loop.touching = self.loop.touching.with_motions(motions)
        if system is not old:
            new = system.with_settings()
            if self.loads.acting is not None:
                self.loads.acting.follow(old, new, t, self.changes.heirs)
            touching = self.loop.touching
            self._stand_on(new)
            lost, odd = self.loop.touching.lost(old, touching, new)
            if odd:
                warnings.warn(
                    f"the vehicle has lost the place of {', '.join(odd)} at t = {t:.9g} s: forces there act on nothing "
                    "from now on, and what is seen there keeps its last value",
                    FidelityWarning,
                    stacklevel=caller_level(),
                )
        else:
            self.loads.begin(t)
        self.q, self.v = x.q.astype(float), x.v.astype(float)
        self.inside.begin_phase()
        self.log.begin_phase(self.system, self._acted())
        if self.looked is not None:
            self.looked.begin()
        self.changed()
        return lost

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
        self.strayed = True
        self.loop.tapes.vectors["z"][:] = x.z
        q, v = x.q.copy(), x.v.copy()
        check(self, self.loop.right_side(q, v, t, np.empty_like(q), np.empty_like(v)))

    def stepped(self, t: float, x: Whole, h: float) -> Whole:
        """Return the state after one step of h from another."""
        self.strayed = True
        q, v = x.q.copy(), x.v.copy()
        self.loop.tapes.vectors["z"][:] = x.z
        if h > 0.0:
            check(self, self.loop.step_from(q, v, t, h))
        return Whole(x.layout, q, v, self.loop.tapes.vectors["z"])

    def resume_at(self, t: float) -> None:
        """Stand at the end of a step again, after looks into it."""
        self.loop.loop.pace[stretch.TIME], self.loop.loop.pace[stretch.KNOWN] = t, 0.0

    def go_on_from(self, t: float) -> None:
        """Stand inside the present interval."""
        self.loop.go_on_from(t)

    def here(self) -> FlightPoint:
        """Return where the flight is."""
        x = State(self.system.layout, self.q, self.v)
        loads = Loads.of(self.system) if self.loads.acting is None else self.loads.acting.loads
        settings = self.system.settings.copy()
        values = {name: self.loop.tapes.array(name).copy() for name in point_names(self.plan)}
        ticks = self.loop.loop.sample_next
        done = not len(ticks) or self.plan.clock.seconds(int(ticks.min())) > self.t
        memory: dict[str, Any] = {}
        forgotten: tuple[str, ...] = ()
        try:
            memory = self.memories.now()
        except Exception:  # whatever their own copying says
            forgotten = tuple(laws_of(self.plan))
        vehicles = (*self.log.before, *self.log.vehicles)
        trees = tuple({id(one.tree): one.tree for one in self.log.vehicles}.values())
        first = as_described(self.log.vehicles) if self.log.first is None else self.log.first
        run = Flown(
            vehicles,
            done,
            forgotten,
            changes=self.changes,
            others=trees,
            first=first,
        )
        return FlightPoint(x, loads, self.log.end_accelerations, settings, values, self.t, memory, run)


def _flown_on(
    assembly: Assembly, laws: Mapping[str, Law], how: Mapping[str, Any], point: FlightPoint, t: float
) -> FlightPoint:
    """Fly from a point of a log to a time before its next row; laws remember afterwards what they did before."""
    before = Copies().of(remembered(laws))
    try:
        flight = Flight(assembly, point, t, **how)
        flight.shown = False
        end = flight.run().end
    finally:
        remember(laws, before)
    assert end is not None
    return end
