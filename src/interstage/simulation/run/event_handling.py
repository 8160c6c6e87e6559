"""Events of a run: conditions on ports, states of devices and the vehicle, found in time, and what they change.

A step in which a condition might cross zero is looked into by steps of the same method from its beginning; the
machinery that finds crossings and tells bounces from passages is that of vehicles alone (`event_location`).
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from interstage.errors import FidelityWarning, InputError, caller_level
from interstage.multibody import State, System
from interstage.multibody.loads import Loads
from interstage.multibody.operating_point import Changes
from interstage.simulation.log.layout import LogColumns
from interstage.simulation.log.phase_storage import Acted
from interstage.simulation.plant.assembly import Member
from interstage.simulation.plant.connections import split_slice
from interstage.simulation.plant.coupled_kernels import (
    GLIDES,
    HALT_AT,
    HELD,
    HOLDS,
    LEVEL,
    LOG_EVERY,
    ROWS,
    SIGN,
    SINGLE,
)
from interstage.simulation.plant.declarations import ZeroCrossing, numbers
from interstage.simulation.plant.prescribed_motion import PrescribedMotion
from interstage.simulation.plant.vehicle_interface import holds_of, obey, settle
from interstage.simulation.run.applied_loads import Acting, RunLoads, SampledLaw
from interstage.simulation.run.coupled_system import Whole
from interstage.simulation.run.dense_output import SingleSteps
from interstage.simulation.run.event_location import FACTS, Eye, Watch
from interstage.simulation.run.events import Event, note, perform
from interstage.simulation.run.integration import Integrator
from interstage.simulation.run.integrators.integration_loop import SLACK
from interstage.simulation.run.log_sink import LogSink
from interstage.simulation.run.time_edges import found_edges

CHUNK = 64  # steps between looks at conditions of vehicles without devices: what is done beyond an event is thrown away


@dataclass(frozen=True)
class Signal:
    """A number of a run that crosses a level.

    kind, place : its vector ("s", "z" or "w") and where in it;  level : what it crosses, or the place of a parameter
    """

    kind: str
    place: int
    level: float
    parameter: int | None = None

    def level_in(self, run: Integrator) -> float:
        """Return the level as it is now."""
        return self.level if self.parameter is None else float(run.loop.tapes.vectors["p"][self.parameter])


@dataclass(frozen=True)
class Switch:
    """The function `switch` of a device as an action where one of its crossings is."""

    run: Integrator
    part: Member
    crossing: str
    __name__ = "switch"

    def __call__(self, t: float, system: System, x: State) -> None:
        """Run it, and lock and free joints as it says."""
        run = self.run
        run.loop.tapes.switch(self.part, t, self.crossing)
        obey(run, self.part, t)
        for body in holds_of(self.part).values():
            system.set_joint_mode(body, run.system.joint_mode(body))
        run.changed()


class RunWatch(Watch):
    """The conditions of a run."""

    def __init__(self, events: Sequence[Event], run: Integrator):
        super().__init__(list(events), run.system, self._as_it_is)
        self.run = run
        self.signals = {
            id(eye): self._signal(eye.event) for eye in self.eyes if isinstance(eye.event.condition, str)
        }
        self._seen: tuple[float, Whole] | None = None

    def _signal(self, event: Event) -> Signal:
        """Return what a condition looks at that is a name."""
        plan, text = self.run.plan, str(event.condition)
        name, part = split_slice(text)
        found = plan.find(name, "szw")
        slot = plan.slots[found[0]]
        first, end = (0, slot.size) if part is None else part
        if len(found) > 1 or end - first != 1 or end > slot.size:
            raise InputError(
                f"the condition of event '{event.label}' is not one number",
                got=text,
                hint=f'as in "{name}[0]"',
            )
        level = float(numbers(event.level, slot.unit, f"event '{event.label}', level"))
        return Signal(slot.kind, slot.start + first, level, _parameter_of(self.run, event))

    def value(self, eye: Eye, t: float, x: State) -> float:
        """Return a condition at a time and state."""
        found = self.signals.get(id(eye))
        if found is None:
            return super().value(eye, t, x)
        self._bring(t, x)
        return float(self.run.loop.tapes.vectors[found.kind][found.place]) - found.level_in(self.run)

    def _bring(self, t: float, x: State) -> None:
        """Let all signals be those at a time and state."""
        assert isinstance(x, Whole)
        if self._seen is None or self._seen[0] != t or self._seen[1] is not x:
            self.run.bring(t, x)
            self._seen = t, x

    def _as_it_is(self, t: float, x: State) -> System:
        """Return the vehicle with the masses that it has at a time and state."""
        if self.run.plan.ahead:
            self._bring(t, x)
        return self.run.seen()

    def forget(self) -> None:
        """Look anew: something was changed."""
        self._seen = None

    def _drifted(self, x: State, s: float) -> State:
        assert isinstance(x, Whole)
        self.forget()
        qdot = self.run.system.rates(State(x.layout, x.q, x.v))
        zdot = self.run.loop.loop.zdot
        return Whole(x.layout, x.q + s * qdot, x.v, x.z + s * zdot)


def crossings_of(run: Integrator) -> list[Event]:
    """Return the events that devices declare: where a `ZeroCrossing` crosses zero, `switch` runs."""
    found = []
    for part in run.plan.parts:
        for name, declared in part.what.fields.items():
            if isinstance(declared, ZeroCrossing):
                full, switch = f"{part.path}.{name}", Switch(run, part, name)
                watched = f"{part.path}.{declared.state}" if declared.state else full
                found.append(Event(watched, action=switch, direction=declared.direction, name=full))
    return found


def _parameter_of(run: Integrator, event: Event) -> int | None:
    """Return the place of the parameter of a device that is the level of its crossing."""
    if not isinstance(event.action, Switch):
        return None
    part = event.action.part
    declared = part.what.fields[event.action.crossing]
    if not (isinstance(declared, ZeroCrossing) and declared.state):
        return None
    return run.plan.slots[f"{part.path}.{declared.level}"].start


Fire = Callable[["EventLocator", float, Whole, list[Event]], None]


class EventLocator:
    """Finds the events of a run in time.

    run : what is watched;  fire : lets events happen that were found, at a time and state where the run stands
    """

    def __init__(self, events: Sequence[Event], run: Integrator, fire: Fire):
        self.run, self.fire = run, fire
        self.timed = sorted((e for e in events if e.at is not None), key=_time)
        for event in self.timed:
            if _time(event) < run.start:
                raise InputError(
                    f"event '{event.label}' lies before the start of the run",
                    expected=f"at >= {float(run.start):g} s",
                    got=f"{event.at} s",
                )
        self.watch, self.events = RunWatch(events, run), list(events)
        self.before: tuple[float, Whole] | None = None
        self.stopped = False
        self._handed: list[int] = []  # eyes that compiled steps look through
        self._away = False  # whether these know more
        self.chunk = 0.0  # time over which steps are taken before their rows are looked at, 0: one by one

    def begin(self) -> bool:
        """Stand where a step begins, after events that are due at the start; tell if these end the run."""
        run = self.run
        self._take_back()
        if self.before is None:
            settle(run)
            self.watch.start(run.t, run.whole())
            self.due()
        if run.scipy is not None or self.before is None:  # compiled steps remember where they began
            self.before = run.t, run.whole()
        if not self.stopped:
            self._hand_over()
        return self.stopped

    def _hand_over(self) -> None:
        """Let compiled steps watch by themselves, where conditions are numbers that they have."""
        run, eyes, signals = self.run, self.watch.eyes, self.watch.signals
        alone = (
            run.scipy is None
            and not run.single
            and all(
                eye.fresh is None
                and eye.event.samples is None
                and id(eye) in signals
                and signals[id(eye)].kind in "sz"
                for eye in eyes
            )
        )
        loop = run.loop.loop
        self.chunk = 0.0 if alone or not self._by_rows() else (CHUNK - 0.5) * float(run.step)
        loop.option[SINGLE] = int(not alone and not self.chunk)
        if not alone or not eyes:
            if len(loop.watch):
                run.loop.watch(loop.watch_state[:0], loop.watch_at[:0], loop.watch[:0])
            return
        if len(loop.watch) != len(eyes) or self._handed != list(map(id, eyes)):
            run.loop.watch(*self.watched())
            self._handed = list(map(id, eyes))
        rows = run.loop.loop.watch
        for row, eye in zip(rows, eyes):
            row[LEVEL] = signals[id(eye)].level_in(run)
            row[SIGN:HELD] = eye.sign, eye.value, eye.rate, eye.size
        self._away = True

    def watched(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return what compiled steps watch: whether states (k,), places (k,), and rows (k, 6) without what is known."""
        found = [self.watch.signals[id(eye)] for eye in self.watch.eyes]
        state = np.array([int(one.kind == "z") for one in found], dtype=np.int64)
        at = np.array([one.place for one in found], dtype=np.int64)
        rows = np.zeros((len(found), 6))
        rows[:, HELD] = [self._way_of(one.kind, one.place) for one in found]
        return state, at, rows

    def _by_rows(self) -> bool:
        """Tell if rows of the log are all that there is of a step: states of a vehicle without devices at each."""
        run = self.run
        fixed = run.scipy is None and run.by.step is not None
        every_step = run.loop.loop.option[LOG_EVERY] == 0 and run.loop.without
        return fixed and every_step and not self.watch.signals and not len(run.loop.loop.z)

    def looked_at(self, begun: tuple[float, Whole], first: int, failed: bool = False) -> bool:
        """Look into the steps since a time and state, whose ends are rows of the buffer from `first` on, one by one.

        Goes back to the first event and lets it happen; what was done beyond it is thrown away. Tells if there was one.
        failed : the last step went wrong and has no end
        """
        run, (t, x) = self.run, begun
        loop, layout, nq = run.loop.loop, run.system.layout, run.system.nq
        t1, here, last = run.t, run.whole(), int(loop.now[ROWS])
        rows = loop.log[first:last, : 1 + nq + run.system.nv].copy()
        ends = [(float(r[0]), Whole(layout, r[1 : 1 + nq], r[1 + nq :], x.z)) for r in rows if r[0] > t]
        if failed:
            ends = [
                (end, after)
                for end, after in ends
                if np.isfinite(after.q).all() and np.isfinite(after.v).all()
            ]
        elif not ends or ends[-1][0] < t1:
            ends += [(t1, here)] if t1 > t else []
        for end, after in ends:
            inside = partial(run.stepped, t, x)
            self.watch.forget()
            found = self.watch.first_crossing(t, end - t, after, inside, inside)
            if found is not None:
                s, events = found
                loop.now[ROWS] = first + int(np.sum(rows[:, 0] <= t))
                self._at(t, s, after if s == end - t else inside(s), events)
                return True
            t, x = end, after
        run.put(here)
        run.resume_at(t1)
        return False

    def _at(self, t: float, s: float, here: Whole, events: list[Event]) -> None:
        """Stand at events that lie s after t, and let them happen."""
        self.run.put(here)
        self.run.go_on_from(t + s)
        self.fire(self, t + s, here, events)

    def _way_of(self, kind: str, k: int) -> float:
        """Return how a number that is watched changes: HOLDS until samples, GLIDES without jumps, or anyhow (0)."""
        if kind == "z":
            return GLIDES
        return HOLDS if k in self.run.held else 0.0

    def _take_back(self) -> None:
        """Know what compiled steps have seen."""
        if self._away:
            for row, eye in zip(self.run.loop.loop.watch, self.watch.eyes):
                eye.sign, eye.value, eye.rate, eye.size = map(float, row[SIGN:HELD])
        self._away = False

    def due(self) -> None:
        """Let events happen whose time has come, and have steps end at the next one."""
        self._take_back()
        t = self.run.t
        late = t + SLACK * (1.0 + abs(t))
        now = [event for event in self.timed if _time(event) <= late]
        self.timed = [event for event in self.timed if _time(event) > late]
        self.run.loop.loop.pause[HALT_AT] = self.ahead
        if now:
            self.fire(self, t, self.run.whole(), now)

    @property
    def ahead(self) -> float:
        """Time of the next event that has one."""
        return _time(self.timed[0]) if self.timed else np.inf

    def known(self) -> np.ndarray:
        """Return what is known of all events (n, 12): whether they are to come, and what is in their `Eye`."""
        self._take_back()
        rows = np.zeros((len(self.events), 1 + FACTS))
        for row, event in zip(rows, self.events):
            for eye in self.watch.eyes:
                if eye.event is event:
                    row[0], row[1:] = 1.0, eye.facts()
            row[0] = max(row[0], float(any(one is event for one in self.timed)))
        self.watch.forget()
        return rows

    def take_up(self, rows: np.ndarray) -> None:
        """Go on with what was known of events at a checkpoint."""
        if rows.shape != (len(self.events), 1 + FACTS):
            raise InputError(
                "the checkpoint is of a run with other events",
                expected=str(len(rows)),
                got=str(len(self.events)),
            )
        to_come = {id(event): row for event, row in zip(self.events, rows) if row[0] != 0.0}
        self.timed = [event for event in self.timed if id(event) in to_come]
        self.watch.eyes = [eye for eye in self.watch.eyes if id(eye.event) in to_come]
        for eye in self.watch.eyes:
            eye.recall(to_come[id(eye.event)][1:])
        self.before = self.run.t, self.run.whole()
        self.watch.system = self.run.system
        self.due()

    def passed(self, write: Callable[[float], None] | None = None) -> bool:
        """Look into the step that was taken; go back to the first event in it and let it happen, tell if there was one.

        write : writes the rows of the log that lie inside of the step, up to a time
        """
        self._take_back()
        begun: list[Whole] = []
        t = self.run.step_begun()

        def inside(s: float) -> Whole:
            if not begun:
                begun.append(self.run.beginning())
            return self.run.stepped(t, begun[0], s)

        return self.within(inside, write, begun=t)

    def within(
        self,
        inside: Callable[[float], Whole],
        write: Callable[[float], None] | None = None,
        begun: float | None = None,
    ) -> bool:
        """Look into the step that was taken, and let the first event in it happen; tell if there was one.

        inside : the whole state by the time since the beginning of the step;  begun : when that was
        write : writes the rows of the log that lie inside of the step, up to a time
        """
        assert self.before is not None
        run, t = self.run, self.before[0] if begun is None else begun
        t1, end = run.t, run.whole()
        self.watch.forget()
        run.strayed = write is not None or not run.loop.without
        found = self.watch.first_crossing(t, t1 - t, end, inside, inside)
        if found is None:
            if run.strayed:
                run.put(end)
                run.resume_at(t1)
            self.before = t1, end
            return False
        run.put(end)
        s, events = found
        if write is not None:
            write(t + s)
        self._at(t, s, end if s == t1 - t else inside(s), events)
        return True


class EventHandler:
    """Lets events happen: carries out their actions, and takes a run over to what they change.

    run, sink, loads, inside : parts of the run, which follow;  columns : what is logged;  changes : what events may
    change law : is asked again after a change, None: there is none
    """

    def __init__(
        self,
        run: Integrator,
        sink: LogSink,
        loads: RunLoads,
        inside: SingleSteps,
        columns: LogColumns,
        changes: Changes,
    ):
        self.run, self.sink, self.loads, self.inside = run, sink, loads, inside
        self.columns, self.changes = columns, changes
        self.law: SampledLaw | None = None

    def fire(self, locator: EventLocator, t: float, x: Whole, events: list[Event]) -> None:
        """Let events happen that a locator has found at a time and state."""
        run, watch = self.run, locator.watch
        crossed = watch.values(events, t, x)
        run.put(x)
        self.sink.write_row(t)
        run.describe_masses()
        changed = False
        for event in events:
            vehicle = run.state
            before, at_rest = (run.system, vehicle.copy()), watch.fires(event, t)
            out = perform(event, t, run.system, vehicle, at_rest)
            lost: list[str] = []
            new = out.system.change if out.changed and out.system.change is not run.system.change else None
            locator.stopped |= out.stop
            changed |= out.changed
            if out.changed:
                lost = self._go_over(out.system, out.x, out.motions)
                watch.system = run.system
            if out.values and run.loop.without:
                raise InputError(
                    f"event '{event.label}' sets {', '.join(out.values)}", hint="only an assembly has devices"
                )
            if out.values:
                self._set(run.plan.values(out.values))
            after = run.system, run.state
            self.sink.log.note(
                note(event, t, before, after, at_rest, lost, 0.0 if new is None else new.shift)
            )
            watch.forget()
            self.sink.write_row(t)
            if event.fires_once:
                watch.drop(event)
        watch.forget()
        now = run.whole()
        watch.restart(t, now, crossed)
        run.put(now)
        run.go_on_from(t)
        self._look_ahead()
        if changed and self.law is not None and not self.law.now:
            self.law.ask()

    def _look_ahead(self) -> None:
        """Let steps of a method's own end where devices and laws turn in time, as they are now."""
        run = self.run
        edges = np.union1d(run.plan.edges, found_edges(run, None, changed=True))
        if len(edges) > len(run.plan.edges):
            run.plan.edges = edges
            run.loop.end_steps_at(run.plan.corners)

    def _set(self, values: Mapping[str, np.ndarray]) -> None:
        """Hold values of devices from now on: rows that are logged have those before."""
        run, memories = self.run, self.sink.log.store.memories
        if memories is not None:
            memories.note()
        run.loop.hold(values)
        if memories is not None:
            memories.parameters = run.plan.parameters_set(run.loop.tapes.vectors["p"])
        run.changed()

    def _go_over(self, system: System, x: State, motions: Mapping[str, PrescribedMotion | None]) -> list[str]:
        """Go on with another state of the vehicle, or another vehicle: devices and loads follow names.

        Return the ports that have lost their places by that.
        motions : of joints that follow others from now on, None: nothing
        """
        run, old, t = self.run, self.run.system, self.run.t
        lost: list[str] = []
        self.sink.end_phase()
        if motions:
            run.loop.touching = run.loop.touching.with_motions(motions)
        if system is not old:
            new = system.with_settings()
            if self.loads.acting is not None:
                self.loads.acting.follow(old, new, t, self.changes.heirs)
            touching = run.loop.touching
            stand_on(run, self.loads, new)
            lost, odd = run.loop.touching.lost(old, touching, new)
            if odd:
                warnings.warn(
                    f"the vehicle has lost the place of {', '.join(odd)} at t = {t:.9g} s: forces there act on nothing "
                    "from now on, and what is seen there keeps its last value",
                    FidelityWarning,
                    stacklevel=caller_level(),
                )
        else:
            self.loads.begin(run.system, t)
        run.q, run.v = x.q.astype(float), x.v.astype(float)
        self.inside.begin_phase()
        self.sink.begin_phase(self.acted())
        run.changed()
        return lost

    def take_up(self, vehicles: Sequence[System], loads: Loads | None) -> None:
        """Go on with the last of the vehicles that the run has had, and what acts on it beside devices."""
        run, store = self.run, self.sink.log.store
        for system in vehicles[1:-1]:
            stand_on(run, self.loads, system)
            store.acted.append(self.acted() if loads is None else None)
        if loads is not None:
            self.loads.acting = Acting(loads, "world")
        if loads is not None or len(vehicles) > 1:
            stand_on(run, self.loads, vehicles[-1].with_settings() if len(vehicles) > 1 else run.system)
        if len(vehicles) > 1:
            store.acted.append(self.acted())
        run.q, run.v = np.zeros(run.system.nq), np.zeros(run.system.nv)

    def acted(self) -> Acted:
        """Return what is known of what acts from now on."""
        run, inputs = self.run, None if self.loads.acting is None else self.loads.inputs
        kept = self.sink.log.contents.points
        start = {} if kept is None else kept.start
        return Acted(run.plan, self.columns, run.loop.touching, inputs, self.inside.dense, start)


def stand_on(run: Integrator, loads: RunLoads, system: System) -> None:
    """Let devices and loads of a run act on another vehicle."""
    loads.begin(system, run.t)
    run.stand_on(system, loads.base)


def _time(event: Event) -> float:
    """Return the time of an event that has one."""
    assert event.at is not None
    return float(event.at)
