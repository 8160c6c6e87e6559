"""Events of a flight: conditions on ports, states of devices and the vehicle, found in time, and what they change.

A step in which a condition might cross zero is looked into by steps of the same method from its beginning; the
machinery that finds crossings and tells bounces from passages is that of vehicles alone (`watch`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from interstage.errors import InputError
from interstage.multibody import State, System
from interstage.multibody.layout import Layout
from interstage.system.assembly import Part
from interstage.system.device import Device
from interstage.system.events import Event, note, perform
from interstage.system.holding import holds_of, obey, settle
from interstage.system.ports import Crossing, numbers
from interstage.system.watch import Eye, Watch
from interstage.system.wires import split_slice

if TYPE_CHECKING:
    from interstage.system.flight import Flight


class Whole(State):
    """State of a vehicle, with the states z of devices."""

    __slots__ = ("z",)

    def __init__(self, layout: Layout, q: np.ndarray, v: np.ndarray, z: np.ndarray):
        super().__init__(layout, q, v)
        self.z = z.copy()


class FlightWatch(Watch):
    """The conditions of a flight."""

    def __init__(self, events: Sequence[Event], flight: Flight):
        super().__init__(list(events), flight.system, lambda t, x: flight.system)
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
        assert isinstance(x, Whole)
        if self._seen is None or self._seen[0] != t or self._seen[1] is not x:
            self.flight.bring(t, x)
            self._seen = t, x
        kind, k, level = found
        return float(self.flight.loop.tapes.vectors[kind][k]) - level

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
                full, switch = f"{part.path}.{name}", _switch(flight, part)
                found.append(Event(condition=full, action=switch, direction=declared.direction, name=full))
    return found


def _switch(flight: Flight, part: Part) -> Callable[[float, System, State], None]:
    """Return the function `switch` of a device as an action."""

    def switch(t: float, system: System, x: State) -> None:
        assert isinstance(part.what, Device)
        part.what.functions["switch"](flight.loop.tapes.view(part), t)
        obey(flight, part, t)
        for body in holds_of(part).values():
            system.set_joint_mode(body, flight.system.joint_mode(body))

    return switch


class Happening:
    """What watches a flight and lets events happen."""

    def __init__(self, events: Sequence[Event], flight: Flight):
        self.flight = flight
        for event in events:
            if event.at is not None:
                raise InputError(
                    f"event '{event.label}' of an assembly has a time",
                    hint="sample a law then, or use a condition",
                )
        self.watch = FlightWatch(events, flight)
        self.before: tuple[float, Whole] | None = None
        self.stopped = False

    def begin(self) -> None:
        """Stand where a step begins."""
        here = self.flight.t, self.flight.whole()
        if self.before is None:
            settle(self.flight)
            here = self.flight.t, self.flight.whole()
            self.watch.start(*here)
        self.before = here

    def passed(self) -> None:
        """Look into the step that was taken; go back to the first event in it and let it happen."""
        assert self.before is not None
        flight, (t, x) = self.flight, self.before
        t1, end = flight.t, flight.whole()
        self.watch.forget()
        step = lambda s: flight.stepped(t, x, s)  # noqa: E731
        found = self.watch.first_crossing(t, t1 - t, end, step, step)
        flight.put(end)
        if found is None:
            flight.resume_at(t1)
            return
        s, events = found
        here = end if s == t1 - t else flight.stepped(t, x, s)
        flight.put(here)
        flight.go_on_from(t + s)
        self._fire(t + s, here, events)

    def _fire(self, t: float, x: Whole, events: list[Event]) -> None:
        flight = self.flight
        crossed = self.watch.values(events, t, x)
        flight.log_row(t)
        for event in events:
            vehicle = State(flight.system.layout, flight.q, flight.v)
            before, at_rest = (flight.system, vehicle.copy()), self.watch.fires(event, t)
            out = perform(event, t, flight.system, vehicle, at_rest)
            self.stopped |= out.stop
            if any(motion is not None for motion in out.motions.values()):
                raise InputError(
                    f"event '{event.label}' starts a motion", hint="a device with joint.motion() gives it"
                )
            if out.changed:
                self._take_over(event, out.system, out.x)
            flight.loop.hold(flight.plan.values(out.values))
            after = flight.system, State(flight.system.layout, flight.q, flight.v)
            flight.log.note(note(event, t, before, after, at_rest))
            if event.fires_once:
                self.watch.drop(event)
        self.watch.forget()
        flight.log_row(t)
        now = flight.whole()
        self.watch.restart(t, now, crossed)
        flight.put(now)
        flight.go_on_from(t)

    def _take_over(self, event: Event, system: System, x: State) -> None:
        """Go on with other settings or another state of the same vehicle."""
        flight = self.flight
        if system.model is not flight.system.model or system.layout.keys() != flight.system.layout.keys():
            raise InputError(
                f"event '{event.label}' changes how bodies are joined: a flight keeps its vehicle",
                hint="end the run there with 'stop' and go on with another assembly from log.end",
            )
        for name, array in system.settings.arrays().items():
            flight.system.settings.arrays()[name][...] = array
        flight.q[:], flight.v[:] = x.q, x.v
