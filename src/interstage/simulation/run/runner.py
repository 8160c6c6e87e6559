"""Run an assembly in time: the driver of an integrator, an event locator and a log sink."""

from __future__ import annotations

from contextlib import nullcontext, suppress
from dataclasses import replace
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from interstage.copies import Copies
from interstage.errors import (
    InputError,
    InterstageError,
    OutOfMemoryError,
    out_of_memory,
)
from interstage.interrupts import dropped_interrupts_heard, terminations_heard
from interstage.multibody import System
from interstage.multibody.loads import Loads
from interstage.multibody.operating_point import OperatingPoint, RunHistory
from interstage.output import as_path
from interstage.simulation.log.hdf5 import COMMIT_S
from interstage.simulation.log.log import Log
from interstage.simulation.log.points import point_names
from interstage.simulation.plant import coupled_kernels as kernels
from interstage.simulation.plant.clock import SAME_TIME, Period, period_of, time_of
from interstage.simulation.plant.compiled_schedule import warn_beyond
from interstage.simulation.plant.plan import ExecutionPlan
from interstage.simulation.plant.python_block import (
    Called,
    Law,
    RunMemory,
    flown,
    laws_of,
    remember,
    remembered,
)
from interstage.simulation.run.applied_loads import InTime
from interstage.simulation.run.checkpoint import write_checkpoint
from interstage.simulation.run.events import EventRecord
from interstage.simulation.run.integrators import integration_loop, step_control
from interstage.simulation.run.operating_point import as_described
from interstage.simulation.run.real_time import Progress
from interstage.simulation.run.setup import RunParts
from interstage.simulation.run.spec import RunSpec
from interstage.simulation.run.step_schedule import ON_GRID


class Runner:
    """A run on its way.

    spec : what was said of it;  integrator : the plant, advanced in time;  locator : finds events, None: there are none
    sink : takes rows to the log;  loads : what acts beside devices;  law : changes them, None: nobody does
    inside : looks at single steps;  shown, noted : whether one is told how far it is, and what it leaves in laws
    path, every : of the file of the log, and between checkpoints
    """

    def __init__(self, spec: RunSpec):
        self.spec, self.parts = spec, RunParts(spec)
        self.integrator, self.locator, self.sink = self.parts.integrator, self.parts.locator, self.parts.sink
        self.loads, self.law, self.inside = self.parts.loads, self.parts.law, self.parts.inside
        self.pacer, self.shown, self.noted = self.parts.pacer, True, True
        self.path: Path | None = None
        self.every: Fraction | None = None
        if spec.control is None:
            self.log.fly = partial(_flown_on, spec, self.integrator.plan)
        self.options = spec.options()

    def write_to(self, path: str | Path | None, checkpoint: Period | None = None) -> None:
        """Let the log go to a file on the way, and checkpoints beside it."""
        self.path = None if path is None else as_path(path, "log")
        self.every = None if checkpoint is None else period_of(checkpoint, "checkpoint")
        if self.every is not None and any(not isinstance(part.what, InTime) for part in self.parts.beside):
            raise InputError(
                "motions and masses of a run do not go into checkpoints",
                where="checkpoint",
                hint="add them to the assembly: add('slew', ist.PrescribedMotion(angle=f), body='panel')",
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
        self.integrator.end_at(end)
        self.options["until"] = f"{end} s"

    def leave(self) -> None:
        """Give back what was lent to a run that is not made."""
        self.integrator.loop.release()

    # where it is ------------------------------------------------------------------------------------

    @property
    def t(self) -> float:
        """The time at which the run stands."""
        return self.integrator.t

    @property
    def system(self) -> System:
        """The vehicle of now."""
        return self.integrator.system

    @property
    def log(self) -> Log:
        """The log as it is by now."""
        return self.sink.log

    def here(self) -> OperatingPoint:
        """Return where the run is."""
        run, store = self.integrator, self.log.store
        loads = Loads.of(run.system) if self.loads.acting is None else self.loads.acting.loads
        settings = run.system.settings.copy()
        values = {name: run.loop.tapes.array(name).copy() for name in point_names(run.plan)}
        values |= run.plan.parameters_set(run.loop.tapes.vectors["p"])
        done = run.sampled_now()
        memory: dict[str, Any] = {}
        forgotten: tuple[str, ...] = ()
        try:
            memory = self.parts.memories.now()
        except Exception:  # whatever their own copying says
            forgotten = tuple(laws_of(run.plan))
        vehicles = (*store.before, *store.systems)
        trees = tuple({id(one.tree): one.tree for one in store.systems}.values())
        first = as_described(store.systems) if store.first is None else store.first
        kept = self.log.contents.points
        assert kept is not None
        of_run = RunHistory(
            vehicles,
            done,
            forgotten,
            changes=self.parts.changes,
            others=trees,
            first=first,
            motions=tuple(kept.motions),
            masses=tuple(kept.masses),
        )
        return OperatingPoint(
            run.state,
            loads,
            partial(_end_accelerations, self.log),
            settings,
            values,
            self.t,
            memory,
            of_run,
            run.plan.acting,
        )

    # running ----------------------------------------------------------------------------------------

    def run(self) -> Log:
        """Go to the end and return the log; what fails carries the log up to then as `log`.

        A process that is told to end (SIGTERM) while it writes files does so after they are closed.
        """
        heard = nullcontext() if self.path is None else terminations_heard()
        with dropped_interrupts_heard(), heard, flown(laws_of(self.integrator.plan)):
            try:
                return self._run()
            finally:
                self.log.store.close()

    def _remembered(self) -> RunMemory:
        """Return what laws remember as the run begins; warn of what earlier runs have left in them."""
        spec, x = self.spec, self.spec.x
        laws: dict[str, Called] = {**laws_of(self.integrator.plan)}
        point = x if isinstance(x, OperatingPoint) else None
        recalled = spec.resumed or (point is not None and point.run is not None and point.run.goes_on)
        known = [*laws] if recalled else []
        if spec.control is not None:
            laws["control"] = Called(spec.control)
        found = RunMemory(laws, float(self.integrator.start))
        found.tell([path for path in laws if path not in known], {} if point is None else point.memory)
        return found

    def _run(self) -> Log:
        run, commits = self.integrator, 0.0 if self.path is None else COMMIT_S
        name = self.spec.assembly.name
        progress = Progress(name, float(run.start), float(run.until), self.shown, commits)
        self._note_parameters()
        laws = self._remembered() if self.noted else None
        try:
            self._begin_outside()
            if self.path is not None:
                self.log.store.write_to(self.path, self.log.events)
            between = self.inside.between is not None or run.start % run.plan.clock.tick != 0
            if between and self.t == float(run.start):
                self.sink.write_row(self.t)
            self._drive(progress)
            self.sink.finish()
            run.describe_masses()  # the system of the log has the masses of the end
            warn_beyond(run.loop.tapes)
        except MemoryError as error:
            raise self._starved(error) from error
        except BaseException as error:
            vars(error)["log"] = self._so_far()
            raise
        finally:
            if laws is not None:
                laws.leave(self.t)
            progress.close()
            run.release()
        self._note()
        return self.log.finished(self.here())

    def _note_parameters(self) -> None:
        """Let points of rows have the parameters that are not those of their devices."""
        run, kept = self.integrator, self.log.contents.points
        given = run.plan.parameters_set(run.loop.tapes.vectors["p"])
        self.parts.memories.parameters = given
        if kept is not None and given:
            kept.sets = True

    def _drive(self, progress: Progress) -> None:
        """Advance to the end: events, samples of the law and checkpoints between."""
        run, locator, law, due = self.integrator, self.locator, self.law, self._due()
        while True:
            # a solver of scipy would begin anew where it pauses
            to = due if run.scipy else min(due, progress.pause(self.t))
            if locator is not None and locator.begin():
                break
            if law is not None:
                law.due()
                others = np.inf if locator is None else locator.ahead
                run.loop.loop.pause[kernels.HALT_AT] = min(law.ahead, others)
            status = self._advance(to)
            if status == integration_loop.DONE or (locator is not None and locator.stopped):
                break
            progress.show(self.t)
            if status == integration_loop.PAUSED and self.t >= due * (1.0 - SAME_TIME):
                run.begin_anew()  # as after a checkpoint
                self.save()
                due = self._due()

    def _advance(self, to: float) -> int:
        """Go on to where something is to be done, and let events happen; return why it ended there."""
        run, locator, begun = self.integrator, self.locator, None
        first = int(run.loop.loop.now[kernels.ROWS])
        if locator is not None and locator.chunk:
            to, begun = min(to, self.t + locator.chunk), (self.t, run.whole())
        status = run.advance(to)
        if locator is not None and begun is not None:
            try:
                run.check(status)
            except InterstageError:  # perhaps beyond an event
                if locator.looked_at(begun, first, failed=True):
                    return integration_loop.STEPPED
                raise
            if locator.looked_at(begun, first):
                return integration_loop.STEPPED
        if status != integration_loop.STEPPED and (status != integration_loop.TIMED or self.path is not None):
            self.sink.flush()  # else rows stay in the buffer until it is full
        if status == integration_loop.PAUSED:
            self.log.store.commit(due=begun is not None)
        run.check(status)
        if status == integration_loop.STEPPED and run.scipy is None:
            self.inside.look(None if locator is None else locator.passed)
        elif status == integration_loop.TIMED and locator is not None:
            locator.due()
        return status

    def _due(self) -> float:
        """Return the time of the next checkpoint."""
        if self.every is None:
            return np.inf
        return float((int(Fraction(self.t * (1.0 + SAME_TIME)) / self.every) + 1) * self.every)

    def save(self) -> Path:
        """Write a checkpoint beside the log: `resume` goes on from it, bit for bit."""
        assert self.path is not None
        if len(edges := self.integrator.plan.edges):
            self.options["edges"] = edges.tolist()
        self.log.store.commit()
        return write_checkpoint(self.path.with_suffix(".ckpt.h5"), self)

    def _begin_outside(self) -> None:
        """Tell laws that act outside of the model that a run begins; refuse one that is several members."""
        parts = self.integrator.plan.parts
        laws = [(p.path, p.what) for p in parts if isinstance(p.what, Law) and p.what.outside]
        for k, (path, law) in enumerate(laws):
            twice = [other for other, known in laws[:k] if known.owner is law.owner]
            if twice:
                raise InputError(
                    f"'{twice[0]}' and '{path}' are one {type(law.owner).__name__}, which has one state",
                    hint="make one for each member",
                )
        for _, law in laws:
            law.begin()

    # what is said of it -----------------------------------------------------------------------------

    def _so_far(self) -> Log:
        """Return the log up to here, of a run that fails."""
        self.sink.flush()
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

    def _note(self) -> None:
        """Write into the log which faults there were, and how well the run kept time."""
        known = set(map(str, self.log.events))  # of a run that goes on
        for fault in self.spec.overrides:
            for record in fault.records(float(self.integrator.start), self.t):
                if str(record) not in known:
                    self.log.note(record)
        self.log.events.sort(key=lambda record: record.t)
        self.log.info |= self._made()
        if self.pacer is not None:
            kept = self.log.info["pacing"] = self.pacer.result()
            self.log.note(EventRecord.unmeasured(self.t, "paced", str(kept)))

    def _made(self) -> dict[str, object]:
        """Return how the run was made."""
        run = self.integrator
        said: dict[str, object] = {"method": run.method.name}
        if run.scipy is not None:
            return said | {"steps": run.scipy.solver.steps, "evaluations": run.scipy.solver.evaluations}
        if run.by.step is not None:
            step = run.by.step
            return said | {"step": float(step), "steps": int(Fraction(self.t) / step + ON_GRID)}
        steps = {"steps": self.inside.taken} if run.single else {}
        tried = int(run.loop.loop.pace[step_control.TRIED])
        return said | steps | {"evaluations": tried * len(run.by.method.c)}


def _end_accelerations(log: Log) -> np.ndarray:
    """Return the accelerations (nv,) at the end of a log, NaN where they are not known."""
    return log.phases[-1].accelerations_at(-1)


def _flown_on(spec: RunSpec, plan: ExecutionPlan, point: OperatingPoint, t: float) -> OperatingPoint:
    """Fly from a point of a log to a time before its next row; laws remember afterwards what they did before.

    plan : of the run, with the times at which its steps ended
    """
    laws = laws_of(plan)
    before = Copies().of(remembered(laws))
    try:
        run = Runner(replace(spec.onward(point, t), edges=plan.edges))
        run.shown = run.noted = False
        end = run.run().end
    finally:
        remember(laws, before)
    assert end is not None
    return end
