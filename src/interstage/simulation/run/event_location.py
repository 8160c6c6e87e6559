"""Find in time where conditions change sign, and tell a bounce from a passage.

A crossing is found to the tolerance of its event, from behind: the state handed over is just past zero. What happens
next is looked at closely, at times 1, 2, 4, ... tolerances ahead:

    in front again   the action threw the condition back: that is no crossing of its own, and the next one counts
    further behind   it passes; but where the action had thrown it back, bounces have become shorter than the tolerance
                     lets be seen: the event is at rest

The action threw a condition back if its rate along q̇ points to the front afterwards. An event is at rest also when it
fires again within APART tolerances.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import astuple, dataclass
from math import inf, isfinite, nan
from sys import float_info
from typing import Any

import numpy as np

from interstage.errors import InterstageError, SolverError, raised
from interstage.multibody import State, System
from interstage.simulation.plant.coupled_kernels import REACH
from interstage.simulation.run.events import Event

APART = 100.0  # tolerances: firings nearer to each other than this accumulate
DRIFT = 1e5  # tolerances over which the rate of a condition is taken
LATE = 1e6  # tolerances after which a condition that fired and stays where it is is looked at closely no more
LOOKS = 3  # inner points of a step where a condition comes near to zero
EPS = float_info.epsilon
FACTS = 11  # numbers that say what is known of a condition
At = Callable[[float], State]


@dataclass(frozen=True)
class Fresh:
    """A condition that has just fired: its side of zero before (`front`), its value, and whether it was thrown back."""

    front: float
    value: float
    noise: float
    returns: bool


@dataclass
class Eye:
    """What is known of one condition: its sign and value at the last look, how fast it changed, when it fired."""

    event: Event
    takes_system: bool
    sign: float = 0.0
    value: float = nan
    rate: float = inf
    size: float = 0.0
    fresh: Fresh | None = None
    fired: float = -inf
    resting: bool = False

    def tolerance(self, t: float) -> float:
        """Return the tolerance in time, not below what numbers can tell apart."""
        return max(self.event.tolerance, 4.0 * EPS * abs(t))

    def near(self, value: float, h: float) -> bool:
        """Tell if the condition might reach zero and come back within a step of length h that ends with a value."""
        if self.event.samples is not None or self.sign == 0.0 or sign_of(value) != self.sign:
            return True
        change = abs(value - self.value)
        if change == 0.0 or not isfinite(self.rate):
            return True  # a switch, or nothing known yet
        return min(abs(value), abs(self.value)) <= REACH * (change + h * self.rate)

    def facts(self) -> np.ndarray:
        """Return all that is known as numbers (FACTS,), for a checkpoint."""
        fresh = [0.0] * 5 if self.fresh is None else [1.0, *astuple(self.fresh)]
        known = (self.sign, self.value, self.rate, self.size, self.fired, float(self.resting))
        return np.array([*known, *fresh], dtype=float)

    def recall(self, facts: np.ndarray) -> None:
        """Know again what `facts` said."""
        self.sign, self.value, self.rate, self.size, self.fired, resting = map(float, facts[:6])
        self.resting = bool(resting)
        front, value, noise = map(float, facts[7:10])
        self.fresh = Fresh(front, value, noise, bool(facts[10])) if facts[6] else None

    def fires(self, t: float) -> bool:
        """Note that the event fires, and tell if it is at rest."""
        self.resting = self.resting or t - self.fired < APART * self.tolerance(t)
        self.fired = t
        return self.resting


class Watch:
    """The conditions of a run: their signs so far, and crossings in a step."""

    def __init__(self, events: list[Event], system: System, view: Callable[[float, State], System]):
        self.eyes = [Eye(e, e.asks_system) for e in events if e.condition is not None]
        self.system, self.view = system, view  # and the system as it is at a time and state

    def __len__(self) -> int:
        return len(self.eyes)

    def drop(self, event: Event) -> None:
        """Watch an event no more."""
        self.eyes = [eye for eye in self.eyes if eye.event is not event]

    def fires(self, event: Event, t: float) -> bool:
        """Note that an event fires, and tell if it has come to rest."""
        return max((eye.fires(t) for eye in self.eyes if eye.event is event), default=False)

    def value(self, eye: Eye, t: float, x: State) -> float:
        """Return a condition, checked; it gets a state of its own."""
        event = eye.event
        assert callable(event.condition)
        try:
            given = (t, x.copy(), self.view(t, x)) if eye.takes_system else (t, x.copy())
            g = _number(event.condition(*given))
        except Exception as err:
            text = str(err) if isinstance(err, InterstageError) else raised(err)
            what = f"the condition of event '{event.label}' failed at t = {t:.9g}"
            raise SolverError(what, got=text) from err
        if g != g:
            raise SolverError(f"the condition of event '{event.label}' is not a number at t = {t:.9g}")
        return g

    def start(self, t: float, x: State) -> None:
        """Note the signs at the beginning."""
        for eye in self.eyes:
            self._note(eye, self.value(eye, t, x), inf)

    def restart(self, t: float, x: State, fired: dict[int, float]) -> None:
        """Note the signs after events; `fired` has the values of conditions that fired, before their actions."""
        for eye in self.eyes:
            g, front = self.value(eye, t, x), eye.sign
            before, noise = fired.get(id(eye)), 64.0 * EPS * eye.size
            if before is None:
                eye.fresh = eye.fresh if eye.fresh is not None and sign_of(g) != eye.fresh.front else None
            elif eye.resting or front in (0.0, sign_of(g)) or abs(g - before) > 1e-3 * abs(before) + noise:
                eye.fresh = None  # it is over, or the action moved the condition itself
            else:
                change = self.value(eye, t, self._drifted(x, DRIFT * eye.tolerance(t))) - g
                returns = change * front > noise
                near = Fresh(front, g, 1e-3 * abs(g) + noise, returns)
                eye.fresh = near if returns or eye.event.rest is not None else None
            eye.resting = False
            self._note(eye, g, inf)

    def values(self, events: list[Event], t: float, x: State) -> dict[int, float]:
        """Return the values of the conditions of some events, for `restart`."""
        return {
            id(eye): self.value(eye, t, x) for eye in self.eyes if any(eye.event is event for event in events)
        }

    def _drifted(self, x: State, s: float) -> State:
        """Return a state moved by s along its rates, velocities as they are."""
        return State(x.layout, x.q + s * self.system.rates(x), x.v)

    def _note(self, eye: Eye, g: float, rate: float) -> None:
        eye.sign, eye.value, eye.rate = sign_of(g), g, rate
        eye.size = max(eye.size, abs(g)) if isfinite(g) else eye.size

    def first_crossing(
        self, t: float, h: float, end: State, inside: At, exact: At
    ) -> tuple[float, list[Event]] | None:
        """Return how far into a step of length h the first events lie, and which they are; None: no event.

        end : state after the step;  inside(s) : cheap state at t + s to look for hidden crossings;  exact(s) : true one
        """
        cheap, true = _kept(inside, {h: end}), _kept(exact, {h: end})
        found, seen = [], []
        for eye in self.eyes:
            g = self.value(eye, t + h, end)
            if eye.fresh is None and not eye.near(g, h):
                seen.append((eye.sign, None, g))
                continue
            s, after = self._look(eye, t, h, g, cheap, true)
            seen.append(after)
            if s is not None:
                found.append((s, eye, after))
        if not found:
            for eye, (sign, fresh, g) in zip(self.eyes, seen):
                rate = abs(g - eye.value) / h
                self._note(eye, g, rate if isfinite(rate) else inf)
                late = t + h - eye.fired > LATE * eye.tolerance(t)
                eye.sign, eye.fresh = sign, None if late else fresh
            return None
        earliest = min(s for s, _, _ in found)
        # events are together where none of them is late by more than its tolerance
        limit = earliest + min(eye.event.tolerance for _, eye, _ in found)
        together = [(s, eye, after) for s, eye, after in found if s <= limit]
        for _, eye, after in together:
            eye.resting = after is None
            eye.sign = eye.sign if after is None else after[0]
        return max(s for s, _, _ in together), [eye.event for _, eye, _ in together]

    def _look(self, eye: Eye, t: float, h: float, last: float, cheap: At, true: At):
        """Return where an event happens in a step (or None), and (sign, fresh, value) at its end (None: at rest)."""
        sign, fresh, a, event = eye.sign, eye.fresh, 0.0, eye.event
        sure = 0.0  # the last look at the real motion
        for s in self._points(eye, t, h):
            real = s == h or fresh is not None
            g = last if s == h else self.value(eye, t + s, (true if real else cheap)(s))
            if not real and sign != 0.0 and sign_of(g) != sign:
                # what the interpolant shows must be true of the real motion
                real, g = True, self.value(eye, t + s, true(s))
            new = sign_of(g)
            if fresh is not None:
                back = fresh.returns
                fresh, at_rest = _follow(event, fresh, g)
                if at_rest:
                    return 0.0, None
                if back:  # its way to the front is no crossing
                    sign, a, sure = (new if new != 0.0 else sign), s, s
                    continue
            if sign != 0.0 and new != sign and event.direction in (0, -int(sign)):
                return self._root(eye, t, (sure, a, s), sign, g, true), (sign, None, last)
            sign, a, sure = (new if new != 0.0 else sign), s, s if real or sign == 0.0 else sure
        return None, (sign, fresh, last)

    def _points(self, eye: Eye, t: float, h: float) -> list[float]:
        """Return where to look at a condition in a step: inner points, and the end."""
        n = LOOKS if eye.event.samples is None else eye.event.samples
        points = {h * j / (n + 1) for j in range(1, n + 1)}
        if eye.fresh:
            s = eye.tolerance(t + h)
            while s < h:
                points.add(s)
                s *= 2.0
        return [*sorted(points), h]

    def _root(
        self, eye: Eye, t: float, looks: tuple[float, float, float], sign: float, gb: float, exact: At
    ) -> float:
        """Return the crossing to the tolerance, from behind: false position, bisection where that is slow.

        looks : where the real motion was in front, where an interpolant of it was last, and where it is behind (gb)
        """
        sure, a, b = looks
        ga = self.value(eye, t + a, exact(a))
        if sign_of(ga) != sign and sure < a:  # the interpolant was late
            b, gb, a = a, ga, sure
            ga = self.value(eye, t + a, exact(a))
        if sign_of(ga) != sign:  # rounding at the start of the bracket
            ga = sign * abs(gb)
        tolerance = max(eye.tolerance(t), eye.tolerance(t + b))
        side, halve = 0, False
        while b - a > tolerance:
            s = 0.5 * (a + b) if halve or not isfinite(ga - gb) or ga == gb else (a * gb - b * ga) / (gb - ga)
            s = min(max(s, a + 0.4 * tolerance), b - 0.4 * tolerance)
            g = self.value(eye, t + s, exact(s))
            width = b - a
            if sign_of(g) == sign:
                a, ga = s, g
                gb = 0.5 * gb if side == 1 else gb
                side = 1
            else:
                b, gb = s, g
                ga = 0.5 * ga if side == -1 else ga
                side = -1
            halve = b - a > 0.5 * width
        return b


def _number(value: Any) -> float:
    """Return a condition's answer as a number; an array of one is one."""
    if isinstance(value, np.ndarray) and value.size == 1:
        value = value.item()
    return float(value)


def sign_of(g: float) -> float:
    """Return -1, 0 or 1."""
    return 1.0 if g > 0.0 else (-1.0 if g < 0.0 else 0.0)


def _follow(event: Event, fresh: Fresh, g: float) -> tuple[Fresh | None, bool]:
    """Return what is known of a condition that has fired after one more look, and whether it is at rest."""
    ahead, start = g * fresh.front, fresh.value * fresh.front
    if ahead > 0.0:
        return None, False
    if ahead < start - fresh.noise:
        return None, fresh.returns or event.rest is not None
    return fresh, False


def _kept(f: At, known: dict[float, State]) -> At:
    """Return a function that is asked once for each time: conditions share the states that they look at."""

    def ask(s: float) -> State:
        if s not in known:
            known[s] = f(s)
        return known[s]

    return ask
