"""Events: conditions found in time, and what happens then.

An event fires where its condition f(t, x) changes sign (`direction` +1: from negative to positive only, -1: the other
way), found to `tolerance` in time; the state handed to its action is just behind the crossing. Each step is also looked
into at `samples` inner points of a cubic interpolant: two crossings that fit between those cannot be seen, nor can a
condition that touches zero without crossing it. A condition that is zero at the start has to leave zero first.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from interstage.errors import InputError, InterstageError, SolverError
from interstage.multibody import State, System
from interstage.multibody.closing import open_by
from interstage.multibody.impulse import fit_closures, set_rates
from interstage.multibody.topology import copy_of
from interstage.system.histories import BoundMotion, Motion, needed_arguments

Condition = Callable[[float, State], float]


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float | np.integer | np.floating)


@dataclass(frozen=True)
class Event:
    """Something that happens at a time, or when a condition changes sign.

    condition : f(t, x) or f(t, x, system), a number, with the system as it is then (events may have changed it)
    at : a time, instead of a condition
    action : "stop", None (only noted), a ready-made change (`Detach`, `Attach`, `Switch` ...), a function
        action(t, system, x) that returns None, a new state, or (system, state), or a list of these; what it switches or
        sets in the system in place (`set_joint_mode`, `set_mass`, `open_closure`) holds from then on, and a moving
        joint that it locks stops as with `Switch`
    direction : 0 any crossing, +1 upwards, -1 downwards;  tolerance : of the time of crossing
    once : fire only the first time; default: True with Detach, Attach, Reattach and Remove, else False
    samples : inner points of each step at which the condition is looked at
    """

    condition: Condition | None = None
    action: Any = None
    direction: int = 0
    tolerance: float = 1e-9
    name: str = ""
    at: float | None = None
    once: bool | None = None
    samples: int = 3

    def __post_init__(self) -> None:
        if (self.condition is None) == (self.at is None):
            raise InputError("an event needs a condition or a time", expected="condition= or at=")
        if self.condition is not None and not callable(self.condition):
            raise InputError("the condition of an event is not a function", got=repr(self.condition))
        if self.at is not None and not (_is_number(self.at) and np.isfinite(self.at) and self.at >= 0.0):
            raise InputError("the time of an event must be finite and not negative", got=repr(self.at))
        if self.direction not in (-1, 0, 1):
            raise InputError("the direction of an event is -1, 0 or 1", got=repr(self.direction))
        if not (_is_number(self.tolerance) and self.tolerance > 0.0):
            raise InputError("the tolerance of an event must be positive", got=repr(self.tolerance))
        if not isinstance(self.samples, int | np.integer) or self.samples < 0:
            raise InputError("the samples of an event are a count, zero or more", got=repr(self.samples))
        for action in self.actions:
            if not (action is None or action == "stop" or isinstance(action, Action) or callable(action)):
                raise InputError(
                    "unknown action of an event",
                    expected='"stop", a function, or as in ist.Detach("booster")',
                    got=repr(action),
                )

    @property
    def actions(self) -> list[Any]:
        """The actions one by one."""
        return list(self.action) if isinstance(self.action, list | tuple) else [self.action]

    @cached_property
    def asks_system(self) -> bool:
        """Whether the condition takes the system as its third argument."""
        return self.condition is not None and needed_arguments(self.condition) > 2

    @property
    def fires_once(self) -> bool:
        """Whether the event is over after its first crossing."""
        if self.once is not None:
            return self.once
        return any(isinstance(a, Detach | Attach | Reattach | Remove) for a in self.actions)

    @property
    def label(self) -> str:
        """Name, or what it does."""
        words = [a if isinstance(a, str) else str(a) for a in self.actions if isinstance(a, str | Action)]
        return self.name or ", ".join(words) or "event"


class Action:
    """A ready-made change of a vehicle."""

    def apply(self, t: float, system: System, x: State) -> tuple[System, State]:
        """Return the changed system and its state."""
        raise NotImplementedError


@dataclass(frozen=True)
class Detach(Action):
    """Let a body leave with all that it carries."""

    body: str

    def apply(self, t: float, system: System, x: State) -> tuple[System, State]:
        """Detach the body."""
        return system.detach(self.body, x)

    def __str__(self) -> str:
        return f"detach '{self.body}'"


class _WithOptions(Action):
    """A change that takes the options of a method of `System`."""

    word = ""

    def __init__(self, body: str, *arguments: Any, **options: Any):
        self.body, self.arguments, self.options = body, arguments, options

    def apply(self, t: float, system: System, x: State) -> tuple[System, State]:
        """Call the method of the system."""
        return getattr(system, self.word)(self.body, *self.arguments, x, **self.options)

    def __str__(self) -> str:
        return f"{self.word.replace('_', ' ')} '{self.body}'"


class Attach(_WithOptions):
    """Dock a free body: `Attach(body, place, joint=..., rotation=..., port=..., snap=...)` as in `System.attach`."""

    word = "attach"


class Reattach(_WithOptions):
    """Detach a body and attach it elsewhere, options as in `Attach`."""

    word = "reattach"


class ReplaceJoint(_WithOptions):
    """Give a body another joint: `ReplaceJoint(body, joint)` as in `System.replace_joint`."""

    word = "replace_joint"


class ReplaceComponent(_WithOptions):
    """Give a flexible body other data: `ReplaceComponent(body, component)` as in `System.replace_component`."""

    word = "replace_component"


class Remove(_WithOptions):
    """Forget a free body and all that it carries."""

    word = "remove"


@dataclass(frozen=True)
class Switch(Action):
    """Make a joint "free", "locked" or "prescribed" (then by `motion`, or with no acceleration).

    A joint that is moving when it is locked stops by an impulse inside the vehicle: momentum is conserved, energy is
    lost. So does a joint whose rate is not that of its motion; its angle must be that of an angle history.
    """

    body: str
    mode: str
    motion: Motion | None = None

    def apply(self, t: float, system: System, x: State) -> tuple[System, State]:
        """Switch in a copy of the system."""
        new = copy_of(system)
        y = new.state(x.q, x.v)
        new.set_joint_mode(self.body, self.mode)
        if self.mode == "locked" and y[self.body].v.any():
            set_rates(new, y, self.body, np.zeros(len(y[self.body].v)))
        if self.motion is not None:
            if self.mode != "prescribed":
                raise InputError("only a prescribed joint follows a motion", got=f"mode {self.mode!r}")
            start_on(new, y, BoundMotion(self.motion, self.body, new.model.spec(self.body).joint), t)
        return new, y

    def __str__(self) -> str:
        return f"switch '{self.body}' to {self.mode}"


def start_on(system: System, x: State, motion: BoundMotion, t: float) -> None:
    """Bring a joint to the rate of its motion by an impulse; refuse an angle that is not there."""
    body = motion.body
    angle, rate, _ = motion.at(t)
    if angle is not None:
        gap = float(np.abs(angle - x[body].q).max())
        if gap > 1e-6:
            raise InputError(
                f"the joint of body '{body}' is not where its motion starts",
                where=f"t = {t:g}",
                expected=f"{angle}",
                got=f"{x[body].q}",
                hint="give a rate= or acceleration= history, which starts from where the joint is",
            )
    if rate is not None and np.abs(rate - x[body].v).max() > 0.0:
        set_rates(system, x, body, rate)


@dataclass(frozen=True)
class EventRecord:
    """What happened: time, name, what was done, momentum [h; p] (6,) and energy before and after."""

    t: float
    name: str
    what: str
    momentum_before: np.ndarray
    momentum_after: np.ndarray
    energy_before: float
    energy_after: float

    @property
    def energy_loss(self) -> float:
        """Energy that the event took."""
        return self.energy_before - self.energy_after

    def __str__(self) -> str:
        return f"t = {self.t:.9g}: {self.name} ({self.what})"


@dataclass
class Outcome:
    """What the actions of an event made of a run."""

    system: System
    x: State
    stop: bool = False
    changed: bool = False
    motions: dict[str, Motion | None] = field(default_factory=dict)


def perform(event: Event, t: float, system: System, x: State) -> Outcome:
    """Carry out the actions of an event, one after the other."""
    out = Outcome(system, x)
    for action in event.actions:
        if action is None:
            continue
        if action == "stop":
            out.stop = True
            continue
        try:
            if isinstance(action, Action):
                answer = action.apply(t, out.system, out.x)
            else:
                answer = _call(action, t, out)
        except Exception as err:
            text = str(err) if isinstance(err, InterstageError) else f"{type(err).__name__}: {err}"
            raise SolverError(f"the action of event '{event.label}' failed at t = {t:.9g}", got=text) from err
        if isinstance(action, Switch):
            out.motions[action.body] = action.motion
        _accept(event, t, out, answer)
    return out


def _call(action: Callable, t: float, out: Outcome) -> Any:
    """Call an action with a system of its own; what it switched or set there in place counts as its answer."""
    own = copy_of(out.system)
    answer = action(t, own, out.x.copy())
    if answer is not None and not isinstance(answer, State):
        return answer
    if all(np.array_equal(a, b) for a, b in zip(_settings(own), _settings(out.system))):
        return answer
    x = own.state(out.x.q, out.x.v) if answer is None else answer
    for body in own.bodies:
        locked = own.joint_mode(body) == "locked" != out.system.joint_mode(body)
        if locked and x[body].v.any():
            set_rates(own, x, body, np.zeros(len(x[body].v)))
    return own, x


def _settings(system: System) -> tuple[np.ndarray, ...]:
    """Return what can be changed in a system without making another."""
    tree = system.tree
    return tree.joint_mode, tree.row_keep, tree.closure_option, tree.body_inertia


def _accept(event: Event, t: float, out: Outcome, answer: Any) -> None:
    """Take over what an action returned."""
    if answer is None:
        return
    if isinstance(answer, State):
        answer = (out.system, answer)
    good = isinstance(answer, tuple) and len(answer) == 2
    good = good and isinstance(answer[0], System) and isinstance(answer[1], State)
    if not good or answer[1]._slices.keys() != answer[0]._slices.keys() or len(answer[1].v) != answer[0].nv:
        raise SolverError(
            f"the action of event '{event.label}' returned something unknown at t = {t:.9g}",
            expected="None, a State, or (System, State) that belong together",
            got=type(answer).__name__,
        )
    out.system, out.x = answer
    if not (np.isfinite(out.x.q).all() and np.isfinite(out.x.v).all()):
        raise SolverError(
            f"the action of event '{event.label}' returned a state that is not finite at t = {t:.9g}"
        )
    if out.system.model.closures and open_by(out.system, out.x) > 10.0:
        # a closure that was shut in motion, or velocities that closures do not allow: an impulse of the closures
        out.x = out.x.copy()
        fit_closures(out.system, out.x)
        out.system.check_closed(out.x)
    out.changed = True


def note(event: Event, t: float, before: tuple[System, State], after: tuple[System, State]) -> EventRecord:
    """Return the record of an event."""
    what = ", ".join(_words(a) for a in event.actions)
    sums = [(s.momentum(x), s.energy(x)) for s, x in (before, after)]
    return EventRecord(float(t), event.label, what, sums[0][0], sums[1][0], sums[0][1], sums[1][1])


def _words(action: Any) -> str:
    if action is None:
        return "noted"
    return str(action) if isinstance(action, str | Action) else getattr(action, "__name__", "action")


class Watch:
    """The conditions of a run: their signs so far, and crossings in a step."""

    def __init__(self, events: list[Event], system: System):
        self.events, self.system = [e for e in events if e.condition is not None], system
        self.signs = np.zeros(len(self.events))

    def __len__(self) -> int:
        return len(self.events)

    def value(self, k: int, t: float, x: State) -> float:
        """Return the condition of event k, checked."""
        event = self.events[k]
        try:
            given = (t, x, self.system) if event.asks_system else (t, x)
            g = float(event.condition(*given))
        except Exception as err:
            text = str(err) if isinstance(err, InterstageError) else f"{type(err).__name__}: {err}"
            what = f"the condition of event '{event.label}' failed at t = {t:.9g}"
            raise SolverError(what, got=text) from err
        if np.isnan(g):
            raise SolverError(f"the condition of event '{event.label}' is not a number at t = {t:.9g}")
        return g

    def start(self, t: float, x: State) -> None:
        """Note the signs at the beginning, or after an event."""
        self.signs = np.array([np.sign(self.value(k, t, x)) for k in range(len(self))])

    def first_crossing(
        self,
        t: float,
        h: float,
        end: State,
        inside: Callable[[float], State],
        exact: Callable[[float], State],
    ) -> tuple[float, list[Event]] | None:
        """Return how far into a step of length h the first events lie, and which they are; None: no event.

        end : state after the step;  inside(s) : cheap state at t + s to look for hidden crossings;  exact(s) : true one
        """
        found, signs = [], self.signs.copy()
        for k in range(len(self)):
            bracket, signs[k] = self._bracket(k, t, h, end, inside, exact)
            if bracket is not None:
                found.append((self._root(k, t, *bracket, exact), k))
        if not found:
            self.signs = signs
            return None
        earliest = min(s for s, _ in found)
        # events are together where none of them is late by more than its tolerance
        limit = earliest + min(self.events[k].tolerance for _, k in found)
        together = [(s, k) for s, k in found if s <= limit]
        return max(s for s, _ in together), [self.events[k] for _, k in sorted(together, key=lambda e: e[1])]

    def _bracket(self, k: int, t: float, h: float, end: State, inside: Callable, exact: Callable):
        """Return (a, b, sign at a, value at b) around the first crossing of event k in a step, or None; and its sign.

        What the interpolant shows must be true of the real motion.
        """
        sign, a, event = self.signs[k], 0.0, self.events[k]
        for j in range(1, event.samples + 2):
            last = j == event.samples + 1
            s = h if last else h * j / (event.samples + 1)
            g = self.value(k, t + s, end if last else inside(s))
            if not last and sign != 0.0 and np.sign(g) != sign:
                g = self.value(k, t + s, exact(s))
            new = np.sign(g)
            if sign != 0.0 and new != sign and event.direction in (0, -int(sign)):
                return (a, s, sign, g), sign
            sign, a = (new if new != 0.0 else sign), s
        return None, sign

    def _root(self, k: int, t: float, a: float, b: float, sign: float, gb: float, exact: Callable) -> float:
        """Return the crossing in (a, b] to the tolerance, from behind: false position, bisection where that is slow."""
        ga = self.value(k, t + a, exact(a))
        if np.sign(ga) != sign:  # rounding at the start of the bracket
            ga = sign * abs(gb)
        tolerance = max(self.events[k].tolerance, 4.0 * np.finfo(float).eps * max(abs(t), abs(t + b)))
        side, halve = 0, False
        while b - a > tolerance:
            s = (
                0.5 * (a + b)
                if halve or not np.isfinite(ga - gb) or ga == gb
                else (a * gb - b * ga) / (gb - ga)
            )
            s = min(max(s, a + 0.4 * tolerance), b - 0.4 * tolerance)
            g = self.value(k, t + s, exact(s))
            width = b - a
            if np.sign(g) == sign:
                a, ga = s, g
                gb = 0.5 * gb if side == 1 else gb
                side = 1
            else:
                b, gb = s, g
                ga = 0.5 * ga if side == -1 else ga
                side = -1
            halve = b - a > 0.5 * width
        return b
