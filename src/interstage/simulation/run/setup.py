"""The parts of a run, made from what was said of it and standing at its start."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from interstage.errors import InputError
from interstage.multibody import State, System
from interstage.multibody.operating_point import OperatingPoint, at_point, history_of
from interstage.simulation.log.layout import columns_of, contents_of
from interstage.simulation.log.log import Log
from interstage.simulation.log.store import RowStore
from interstage.simulation.plant import coupled_kernels as kernels
from interstage.simulation.plant.clock import period_of, step_of
from interstage.simulation.plant.compiled_schedule import check_epochs
from interstage.simulation.plant.moved_sites import both
from interstage.simulation.plant.plan import ExecutionPlan, given_ahead, planned, switched_ahead
from interstage.simulation.plant.python_block import Memories, hides, laws_of, remembered
from interstage.simulation.plant.vehicle_interface import Touching, view_of
from interstage.simulation.run.applied_loads import Acting, RunLoads, SampledLaw, unsampled
from interstage.simulation.run.dense_output import RowsBetween, SingleSteps
from interstage.simulation.run.event_handling import EventHandler, EventLocator, crossings_of, stand_on
from interstage.simulation.run.events import changes_of
from interstage.simulation.run.integration import Integrator
from interstage.simulation.run.integrators import CompiledMethod, Library
from interstage.simulation.run.integrators.scipy_solvers import ByScipy
from interstage.simulation.run.log_sink import LogSink
from interstage.simulation.run.operating_point import (
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
from interstage.simulation.run.real_time import Pacer
from interstage.simulation.run.spec import RunSpec
from interstage.simulation.run.step_schedule import clock_of, short_enough


class RunParts:
    """The parts of a run at its start.

    integrator : the plant, advanced in time;  sink : takes rows to the log;  inside : looks at single steps
    locator, handler : find events, and let them happen;  loads, law : what acts beside devices, and who changes that
    pacer : keeps time with the clock on the wall;  memories : what laws remember at rows of the log
    beside : motions, masses and loads of the run as parts;  later : vehicles of a point after changes
    columns : what is logged;  changes : what events may change
    """

    def __init__(self, spec: RunSpec):
        check_whole(spec.x, spec.control is not None)
        self.spec, course, assembly = spec, spec.course, spec.assembly
        self.faults, self.pacer = spec.overrides, None if spec.pace is None else Pacer(spec.pace)
        self.beside = given_ahead(assembly.vehicle, spec.motions, spec.mass)
        self.beside += switched_ahead(assembly.vehicle, spec.events)
        loads = spec.loads_at_start()
        self.loads = RunLoads(lambda: self.integrator.describe_masses())
        self.loads.foresee(loads, spec.control is not None, self.beside)
        self.later = chain_of(assembly, spec.x)
        self.changes = both(changes_at(spec.x), changes_of(assembly.vehicle, spec.events))
        self.loads.acting = None if loads is None or spec.resumed or self.later else Acting(loads, spec.frame)
        plan = self._planned(known_values(spec.x, spec.given))
        check_epochs(plan.parts)
        system = self._vehicle(plan)
        by = short_enough(plan, course.method, course.steps)
        own = isinstance(course.method, Library) or by.step is None  # steps of its own
        if own and spec.control is not None and spec.control_step is None:
            raise unsampled(course.method)
        weights = course.method.polynomial() if isinstance(course.method, CompiledMethod) else None
        single = own and (spec.alone or spec.dense)  # steps are looked at one by one
        by = replace(by, slopes=single and weights is not None)
        plan.clock = clock_of(plan, course.start, course.every, course.step)
        self.columns = columns_of(plan, system, spec.keep)
        self.integrator = Integrator(plan, system, course, by, single)
        self.inside = SingleSteps(self.integrator, weights, spec.dense and own)
        self._begin()
        self._log()
        self._watch()

    def _planned(self, known: Mapping[str, Any]) -> ExecutionPlan:
        """Return all parts in the order in which they run."""
        spec, course = self.spec, self.spec.course
        beat = None if self.pacer is None else (self.pacer.wait, course.step)
        plan = planned(spec.assembly, (), self.faults, course.start, beat, known, self.beside, self.changes)
        plan.edges = np.asarray(spec.edges, dtype=float)
        return plan

    def _vehicle(self, plan: ExecutionPlan) -> System:
        """Return the vehicle as it begins."""
        x, vehicle = self.spec.x, self.spec.assembly.vehicle
        if self.later:  # of a vehicle that has changed since: it begins as described, and `_come_to` goes on
            return view_of(plan)
        system = view_of(plan, x)
        same = isinstance(x, OperatingPoint) and vehicle is not None and x.settings == vehicle.settings
        # else nobody but motions and devices has switched anything
        return system if x is None or same else at_point(system, x)

    def _begin(self) -> None:
        """Stand at the start: state of the vehicle, values of devices, the loop closed."""
        spec, run, x = self.spec, self.integrator, self.spec.x
        values = start_values(run.plan, x, spec.given)
        if not spec.resumed:
            run.plan.check_closed(values)
        point = begun_at(self.later[-1] if self.later else run.system, x)
        run.q, run.v = point.q.astype(float), point.v.astype(float)
        self._close()
        self._come_to(point)
        run.loop.hold(values)
        anew = isinstance(x, OperatingPoint) and x.run is not None and not x.run.goes_on
        if not (spec.resumed or anew):  # a new run from a state of a log has laws as they are given
            recall(run.plan, x)
        if run.plan.ahead and not spec.resumed:
            run.start_as_known()
        if run.system.model.closures and not spec.resumed:
            run.system.check_closed(run.state)
        if run.loop.without and not spec.resumed:
            check_locked(run.system, run.state)
        flown = x.run if isinstance(x, OperatingPoint) and float(run.start) == x.t else None
        run.loop.begin_at(run.start, flown is not None and flown.sampled)
        run.loop.end_at(float(run.until))

    def _close(self) -> None:
        """Close the loop of devices and vehicle under what acts."""
        spec, run = self.spec, self.integrator
        self.loads.begin(run.system, float(run.start))
        touching = Touching(
            run.plan,
            bool(spec.events),
            idle=run.plan.later,
            coming=frozenset(self.changes.coming),
            heirs=self.changes.heirs,
        )
        run.close(self.columns, self.loads.base, touching, spec.interpret, spec.ideal)
        if isinstance(run.method, Library):
            keep = None if self.inside.dense is None else self.inside.keep
            run.scipy = ByScipy(run.loop, run.method, self._flush, keep, spec.course.first)
        elif run.single and run.by.slopes and run.rows_every and not run.plan.sampled:
            self.inside.between = RowsBetween(run.loop, run.rows_every, self._flush)
            run.loop.loop.option[kernels.LOG_EVERY] = -1  # rows do not end steps

    def _flush(self) -> None:
        self.sink.flush()

    def _come_to(self, x: State) -> None:
        """Stand on the vehicle of a point, after its changes, under what acts there; laws remember what they did."""
        for system in self.later[:-1]:
            stand_on(self.integrator, self.loads, system)
        if self.later:
            assert isinstance(x, OperatingPoint)
            self.loads.acting = Acting(x.loads, "world")
            stand_on(self.integrator, self.loads, x.system)
        for path in unknown_laws(self.integrator.plan, x)[:1]:
            raise InputError(
                f"the point does not say what '{path}' remembered",
                where="x",
                hint="kept are numbers, arrays, words and objects of named classes in attributes of the law, not what "
                "it writes to enclosed or global variables",
            )

    def _log(self) -> None:
        """Make the log, with what points of its rows need."""
        run, x = self.integrator, self.spec.x
        contents = contents_of(run.plan, run.system, self.columns)
        store = RowStore(contents, run.system, self.spec.assembly)
        self.sink = LogSink(run, Log(store))
        self.handler = EventHandler(run, self.sink, self.loads, self.inside, self.columns, self.changes)
        kept = contents.points
        assert kept is not None
        kept.changes, kept.begun = self.changes, bool(self.later)
        kept.start = {n: run.loop.tapes.array(n).copy() for n, v in kept.values.items() if v.part}
        flown = history_of(x)
        if flown is not None and self.later:
            store.before, store.first = flown.vehicles[:-1], flown.first
        laws = laws_of(run.plan)
        kept.laws = [path for path in laws if path in {n.removesuffix("()") for n in remembered(laws)}]
        kept.hidden = [path for path, law in laws.items() if hides(law)]
        kept.loads = None if self.loads.acting is None else self.loads.acting.loads
        kept.sets = any(event.may_set for event in self.spec.events or ())
        self.memories = Memories(laws, lambda: store.count + int(run.loop.loop.now[kernels.ROWS]))
        if laws and not kept.missing:
            run.loop.tapes.noting = self.memories.note
        store.memories = self.memories
        store.acted.append(self.handler.acted())

    def _watch(self) -> None:
        """Look out for events of the run and of devices, and for samples of the law."""
        run = self.integrator
        events = [*self.spec.events, *crossings_of(run)]
        self.locator = EventLocator(events, run, self.handler.fire) if events else None
        if self.locator is not None and run.scipy is not None:
            run.scipy.look = self.locator.within
        self.law = self.handler.law = self._sampled_law()

    def _sampled_law(self) -> SampledLaw | None:
        """Return the law of a vehicle alone, None: it has none."""
        spec, run, contents = self.spec, self.integrator, self.sink.log.contents
        if spec.control is None:
            return None
        read = step_of if spec.alone else period_of
        period = run.step if spec.control_step is None else read(spec.control_step, "control_step")
        assert contents.points is not None
        contents.points.loads = "a law (control=) said what acts"
        return SampledLaw(spec.control, period, run, self.loads, self.load, bool(contents.inertia))

    def load(self) -> None:
        """Let what acts beside devices have changed, now."""
        run, loads = self.integrator, self.loads
        loads.note(run.t, run.last_row())
        assert loads.acting is not None and loads.base is not None
        if loads.acting.in_time and not loads.foreseen:  # from now on they are written ahead
            self.sink.flush()
            loads.foresee(loads.acting.loads, True, self.beside)
            run.use(self._planned({}), self.columns, loads.base)
        run.loop.set_base(*loads.base)
        run.begin_anew()
