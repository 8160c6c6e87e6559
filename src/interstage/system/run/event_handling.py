"""Events of a flight: conditions on ports, states of devices and the vehicle, found in time, and what they change.

A step in which a condition might cross zero is looked into by steps of the same method from its beginning; the
machinery that finds crossings and tells bounces from passages is that of vehicles alone (`event_location`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from interstage.errors import InputError
from interstage.multibody import State, System
from interstage.multibody.state import StateLayout
from interstage.system.plant.assembly import Part
from interstage.system.plant.connections import split_slice
from interstage.system.plant.coupled_kernels import (
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
from interstage.system.plant.declarations import Crossing, numbers
from interstage.system.plant.vehicle_interface import holds_of, obey, settle
from interstage.system.run.event_location import FACTS, Eye, Watch
from interstage.system.run.events import Event, note, perform
from interstage.system.run.integrators.integration_loop import SLACK

if TYPE_CHECKING:
    from interstage.system.run.flight import Flight


CHUNK = 64  # steps between looks at conditions of vehicles without devices: what is done beyond an event is thrown away


class Whole(State):
    """State of a vehicle, with the states z of devices."""

    __slots__ = ("z",)

    def __init__(self, layout: StateLayout, q: np.ndarray, v: np.ndarray, z: np.ndarray):
        super().__init__(layout, q, v)
        self.z = z.copy()


class FlightWatch(Watch):
    """The conditions of a flight."""

    def __init__(self, events: Sequence[Event], flight: Flight):
        super().__init__(list(events), flight.system, self._as_it_is)
        self.flight = flight
        self.signals = {
            id(eye): self._signal(eye.event) for eye in self.eyes if isinstance(eye.event.condition, str)
        }
        self._seen: tuple[float, Whole] | None = None

    def _signal(self, event: Event) -> tuple[str, int, float]:
        """Return the vector, the number in it and the level of a condition that is a name."""
        plan, text = self.flight.plan, str(event.condition)
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
        return (
            slot.kind,
            slot.start + first,
            float(numbers(event.level, slot.unit, f"event '{event.label}', level")),
        )

    def value(self, eye: Eye, t: float, x: State) -> float:
        """Return a condition at a time and state."""
        found = self.signals.get(id(eye))
        if found is None:
            return super().value(eye, t, x)
        self._bring(t, x)
        kind, k, level = found
        return float(self.flight.loop.tapes.vectors[kind][k]) - level

    def _bring(self, t: float, x: State) -> None:
        """Let all signals be those at a time and state."""
        assert isinstance(x, Whole)
        if self._seen is None or self._seen[0] != t or self._seen[1] is not x:
            self.flight.bring(t, x)
            self._seen = t, x

    def _as_it_is(self, t: float, x: State) -> System:
        """Return the vehicle with the masses that it has at a time and state."""
        if self.flight.plan.ahead:
            self._bring(t, x)
        return self.flight.seen()

    def forget(self) -> None:
        """Look anew: something was changed."""
        self._seen = None

    def _drifted(self, x: State, s: float) -> State:
        assert isinstance(x, Whole)
        self.forget()
        qdot = self.flight.system.rates(State(x.layout, x.q, x.v))
        zdot = self.flight.loop.loop.zdot
        return Whole(x.layout, x.q + s * qdot, x.v, x.z + s * zdot)


def crossings_of(flight: Flight) -> list[Event]:
    """Return the events that devices declare: where a `Crossing` crosses zero, `switch` runs."""
    found = []
    for part in flight.plan.parts:
        for name, declared in part.what.fields.items():
            if isinstance(declared, Crossing):
                full, switch = f"{part.path}.{name}", _switch(flight, part, name)
                watched, level = full, 0.0
                if declared.state:
                    watched = f"{part.path}.{declared.state}"
                    level = float(flight.loop.tapes.array(f"{part.path}.{declared.level}"))
                event = Event(watched, action=switch, direction=declared.direction, level=level, name=full)
                found.append(event)
    return found


def _switch(flight: Flight, part: Part, crossing: str) -> Callable[[float, System, State], None]:
    """Return the function `switch` of a device as an action where a crossing is."""

    def switch(t: float, system: System, x: State) -> None:
        flight.loop.tapes.switch(part, t, crossing)
        obey(flight, part, t)
        for body in holds_of(part).values():
            system.set_joint_mode(body, flight.system.joint_mode(body))
        flight.changed()

    return switch


class Happening:
    """What watches a flight and lets events happen."""

    def __init__(self, events: Sequence[Event], flight: Flight):
        self.flight = flight
        self.timed = sorted((e for e in events if e.at is not None), key=_time)
        for event in self.timed:
            if _time(event) < flight.start:
                raise InputError(
                    f"event '{event.label}' lies before the start of the run",
                    expected=f"at >= {flight.start} s",
                    got=f"{event.at} s",
                )
        self.watch, self.events = FlightWatch(events, flight), list(events)
        self.before: tuple[float, Whole] | None = None
        self.stopped = False
        self._handed: list[int] = []  # eyes that compiled steps look through
        self._away = False  # whether these know more
        self.chunk = 0.0  # time over which steps are taken before their rows are looked at, 0: one by one

    def begin(self) -> bool:
        """Stand where a step begins, after events that are due at the start; tell if these end the run."""
        flight = self.flight
        self._take_back()
        if self.before is None:
            settle(flight)
            self.watch.start(flight.t, flight.whole())
            self.due()
        if flight.scipy is not None or self.before is None:  # compiled steps remember where they began
            self.before = flight.t, flight.whole()
        if not self.stopped:
            self._hand_over()
        return self.stopped

    def _hand_over(self) -> None:
        """Let compiled steps watch by themselves, where conditions are numbers that they have."""
        flight, eyes, signals = self.flight, self.watch.eyes, self.watch.signals
        alone = (
            flight.scipy is None
            and not flight.single
            and all(
                eye.fresh is None and eye.event.samples is None and signals.get(id(eye), ("w",))[0] in "sz"
                for eye in eyes
            )
        )
        loop = flight.loop.loop
        self.chunk = 0.0 if alone or not self._by_rows() else (CHUNK - 0.5) * float(flight.step)
        loop.option[SINGLE] = int(not alone and not self.chunk)
        if not alone or not eyes:
            if len(loop.watch):
                flight.loop.watch(loop.watch_state[:0], loop.watch_at[:0], loop.watch[:0])
            return
        if len(loop.watch) != len(eyes) or self._handed != list(map(id, eyes)):
            found = [signals[id(eye)] for eye in eyes]
            state = np.array([int(kind == "z") for kind, _, _ in found], dtype=np.int64)
            at = np.array([k for _, k, _ in found], dtype=np.int64)
            known = np.zeros((len(eyes), 6))
            known[:, LEVEL] = [level for _, _, level in found]
            known[:, HELD] = [self._way_of(kind, k) for kind, k, _ in found]
            flight.loop.watch(state, at, known)
            self._handed = list(map(id, eyes))
        rows = flight.loop.loop.watch
        for row, eye in zip(rows, eyes):
            row[SIGN:HELD] = eye.sign, eye.value, eye.rate, eye.size
        self._away = True

    def _by_rows(self) -> bool:
        """Tell if rows of the log are all that there is of a step: states of a vehicle without devices at each."""
        flight = self.flight
        fixed = flight.scipy is None and flight.by.step is not None
        every_step = flight.loop.loop.option[LOG_EVERY] == 0 and flight.loop.without
        return fixed and every_step and not self.watch.signals and not len(flight.loop.loop.z)

    def looked_at(self, begun: tuple[float, Whole], first: int, failed: bool = False) -> bool:
        """Look into the steps since a time and state, whose ends are rows of the buffer from `first` on, one by one.

        Goes back to the first event and lets it happen; what was done beyond it is thrown away. Tells if there was one.
        failed : the last step went wrong and has no end
        """
        flight, (t, x) = self.flight, begun
        loop, layout, nq = flight.loop.loop, flight.system.layout, flight.system.nq
        t1, here, last = flight.t, flight.whole(), int(loop.now[ROWS])
        rows = loop.log[first:last, : 1 + nq + flight.system.nv].copy()
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
            inside = partial(flight.stepped, t, x)
            self.watch.forget()
            found = self.watch.first_crossing(t, end - t, after, inside, inside)
            if found is not None:
                s, events = found
                loop.now[ROWS] = first + int(np.sum(rows[:, 0] <= t))
                self._at(t, s, after if s == end - t else inside(s), events)
                return True
            t, x = end, after
        flight.put(here)
        flight.resume_at(t1)
        return False

    def _at(self, t: float, s: float, here: Whole, events: list[Event]) -> None:
        """Stand at events that lie s after t, and let them happen."""
        self.flight.put(here)
        self.flight.go_on_from(t + s)
        self._fire(t + s, here, events)

    def _way_of(self, kind: str, k: int) -> float:
        """Return how a number that is watched changes: HOLDS until samples, GLIDES without jumps, or anyhow (0)."""
        if kind == "z":
            return GLIDES
        return HOLDS if k in self.flight.held else 0.0

    def _take_back(self) -> None:
        """Know what compiled steps have seen."""
        if self._away:
            for row, eye in zip(self.flight.loop.loop.watch, self.watch.eyes):
                eye.sign, eye.value, eye.rate, eye.size = map(float, row[SIGN:HELD])
        self._away = False

    def due(self) -> None:
        """Let events happen whose time has come, and have steps end at the next one."""
        self._take_back()
        t = self.flight.t
        late = t + SLACK * (1.0 + abs(t))
        now = [event for event in self.timed if _time(event) <= late]
        self.timed = [event for event in self.timed if _time(event) > late]
        self.flight.loop.loop.pause[HALT_AT] = self.ahead
        if now:
            self._fire(t, self.flight.whole(), now)

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
        self.before = self.flight.t, self.flight.whole()
        self.watch.system = self.flight.system
        self.due()

    def passed(self, write: Callable[[float], None] | None = None) -> bool:
        """Look into the step that was taken; go back to the first event in it and let it happen, tell if there was one.

        write : writes the rows of the log that lie inside of the step, up to a time
        """
        self._take_back()
        begun: list[Whole] = []
        t = self.flight.step_begun()

        def inside(s: float) -> Whole:
            if not begun:
                begun.append(self.flight.beginning())
            return self.flight.stepped(t, begun[0], s)

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
        flight, t = self.flight, self.before[0] if begun is None else begun
        t1, end = flight.t, flight.whole()
        self.watch.forget()
        flight.strayed = write is not None or not flight.loop.without
        found = self.watch.first_crossing(t, t1 - t, end, inside, inside)
        if found is None:
            if flight.strayed:
                flight.put(end)
                flight.resume_at(t1)
            self.before = t1, end
            return False
        flight.put(end)
        s, events = found
        if write is not None:
            write(t + s)
        self._at(t, s, end if s == t1 - t else inside(s), events)
        return True

    def _fire(self, t: float, x: Whole, events: list[Event]) -> None:
        flight = self.flight
        crossed = self.watch.values(events, t, x)
        flight.put(x)
        flight.log_row(t)
        flight.describe_masses()
        changed = False
        for event in events:
            vehicle = State(flight.system.layout, flight.q, flight.v)
            before, at_rest = (flight.system, vehicle.copy()), self.watch.fires(event, t)
            out = perform(event, t, flight.system, vehicle, at_rest)
            lost: list[str] = []
            new = out.system.change if out.changed and out.system.change is not flight.system.change else None
            self.stopped |= out.stop
            changed |= out.changed
            if out.changed:
                lost = flight.go_over(out.system, out.x, out.motions)
                self.watch.system = flight.system
            if out.values and flight.loop.without:
                raise InputError(
                    f"event '{event.label}' sets {', '.join(out.values)}", hint="only an assembly has devices"
                )
            if out.values:
                flight.loop.hold(flight.plan.values(out.values))
                flight.changed()
            after = flight.system, State(flight.system.layout, flight.q, flight.v)
            flight.log.note(note(event, t, before, after, at_rest, lost, 0.0 if new is None else new.shift))
            self.watch.forget()
            flight.log_row(t)
            if event.fires_once:
                self.watch.drop(event)
        self.watch.forget()
        now = flight.whole()
        self.watch.restart(t, now, crossed)
        flight.put(now)
        flight.go_on_from(t)
        if changed and flight.law is not None and not flight.law.now:
            flight.law.ask()


def _time(event: Event) -> float:
    """Return the time of an event that has one."""
    assert event.at is not None
    return float(event.at)
