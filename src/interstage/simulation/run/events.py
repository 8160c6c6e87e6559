"""Events: conditions found in time, and what happens then.

An event fires where its condition f(t, x) changes sign (`direction` +1: from negative to positive only, -1: the other
way), found to `tolerance` in time; the state handed to its action is just behind the crossing. Each step is also looked
into at `samples` inner points of an interpolant: two crossings that fit between those cannot be seen, nor can a
condition that touches zero without crossing it. A condition that is zero at the start has to leave zero first; one that
an action takes across zero at a stroke has not crossed it, nor has one that its own action throws back where it came
from (a bounce). An event that fires at ever shorter intervals comes to rest: its `rest` is carried out then
(`event_location`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, TypeAlias, Unpack, cast

import numpy as np

from interstage._renamed import former_names
from interstage.calls import named_arguments
from interstage.component import Component
from interstage.component.units import meters
from interstage.errors import InputError, InterstageError, SolverError, raised
from interstage.multibody import State, System
from interstage.multibody.closure_queries import open_by
from interstage.multibody.impulse import fit_closures, set_rates
from interstage.multibody.joints import Joint
from interstage.multibody.model import MountingOptions
from interstage.multibody.operating_point import Changes, Heirs
from interstage.multibody.queries import check_numbers
from interstage.multibody.topology import DockingOptions, copy_of
from interstage.multibody.types import Target, asks_system
from interstage.simulation.plant.declarations import Value
from interstage.simulation.plant.prescribed_motion import BoundMotion, PrescribedMotion
from interstage.spatial import RotationLike

AT_START = 1e-6  # rad or m: how far a joint may be from where its motion starts

Condition = Callable[[float, State], float] | str


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float | np.integer | np.floating)


@named_arguments
@dataclass(frozen=True)
class Event:
    """Something that happens at a time, or when a condition changes sign.

    condition : f(t, x) or f(t, x, system), a number, with the system as it is then (events may have changed it); x is
        a copy, what it does to that is its own affair. Of an assembly also the name of a port or state, as "tank.level"
        or "imu.rate[2]": it crosses `level`, in its unit or a quantity as "5 deg/s"
    at : a time, instead of a condition
    action : "stop", None (only noted), a ready-made change (`Detach`, `Attach`, `SetJointMode` ...), a function
        action(t, system, x) that returns None, a new state, or (system, state), or a list of these; of an assembly also
        values of devices, {"engine.mode": 2}, which a function may return too. What it changes in
        x in place, or switches or sets in the system in place (`set_joint_mode`, `set_mass`, `open_closure`), holds
        from then on, and a moving joint that it locks stops as with `SetJointMode`
    direction : 0 any crossing, +1 upwards, -1 downwards;  tolerance : of the time of crossing
    once : fire only the first time; default: True with Detach, Attach, Reattach and RemoveBody, else False
    samples : inner points of each step at which the condition is looked at; default: three, in steps in which it could
        reach zero (it is nearer than four times its change over this step and the last one, or does not change at all)
    rest : an action, as `action`, carried out in its place when the event accumulates: it fires again within a hundred
        tolerances, or its action throws the condition back by less than the tolerance lets be seen, as with a ball
        that lies still at last (`rest=SetJointMode("ball", "locked")`). Without one such a run fails and says so; an
        action that takes away all speed lets the condition pass, unless there is a rest
    """

    condition: Condition | None = None
    action: Do | Sequence[Do] = None
    direction: int = 0
    tolerance: float = 1e-9
    name: str = ""
    at: float | None = None
    once: bool | None = None
    samples: int | None = None
    rest: Do | Sequence[Do] = None
    level: Value = 0.0

    def __post_init__(self) -> None:
        if (self.condition is None) == (self.at is None):
            raise InputError("an event needs a condition or a time", expected="condition= or at=")
        if (
            self.condition is not None
            and not isinstance(self.condition, str)
            and not callable(self.condition)
        ):
            raise InputError("the condition of an event is not a function", got=repr(self.condition))
        if self.at is not None and not (_is_number(self.at) and np.isfinite(self.at) and self.at >= 0.0):
            raise InputError("the time of an event must be finite and not negative", got=repr(self.at))
        if self.direction not in (-1, 0, 1):
            raise InputError("the direction of an event is -1, 0 or 1", got=repr(self.direction))
        if not (_is_number(self.tolerance) and self.tolerance > 0.0):
            raise InputError("the tolerance of an event must be positive", got=repr(self.tolerance))
        if self.samples is not None and not (
            isinstance(self.samples, int | np.integer) and self.samples >= 0
        ):
            raise InputError("the samples of an event are a count, zero or more", got=repr(self.samples))
        if self.rest is not None and self.condition is None:
            raise InputError("an event at a time has no rest: it does not accumulate", got=repr(self.rest))
        for action in (*self.actions, *self.rests):
            known = action is None or action == "stop" or isinstance(action, Action | Mapping)
            if not (known or callable(action)):
                raise InputError(
                    "unknown action of an event",
                    expected='"stop", a function, or as in ist.Detach("booster")',
                    got=repr(action),
                )

    @property
    def actions(self) -> list[Do]:
        """The actions one by one."""
        return list(self.action) if isinstance(self.action, list | tuple) else [cast(Do, self.action)]

    @property
    def rests(self) -> list[Do]:
        """The actions of rest one by one."""
        return list(self.rest) if isinstance(self.rest, list | tuple) else [cast(Do, self.rest)]

    @cached_property
    def asks_system(self) -> bool:
        """Whether the condition takes the system as its third argument."""
        return callable(self.condition) and asks_system(self.condition, 2)

    @property
    def fires_once(self) -> bool:
        """Whether the event is over after its first crossing."""
        if self.once is not None:
            return self.once
        return any(isinstance(a, Detach | Attach | Reattach | RemoveBody) for a in self.actions)

    @property
    def may_set(self) -> bool:
        """Whether it may set values of devices."""
        return any(not (a is None or isinstance(a, str | Action)) for a in (*self.actions, *self.rests))

    @property
    def label(self) -> str:
        """Name, or what it does."""
        words = [a if isinstance(a, str) else str(a) for a in self.actions if isinstance(a, str | Action)]
        return self.name or ", ".join(words) or "event"


@named_arguments
class Action:
    """A ready-made change of a vehicle."""

    def made(self) -> Sequence[str]:
        """Return the names of bodies on nothing that come with the change."""
        return ()

    def heirs(self) -> Heirs:
        """Return places that go with other bodies after the change, {place: the place as it is called then}."""
        return {}

    def apply(self, t: float, system: System, x: State) -> tuple[System, State]:
        """Return the changed system and its state."""
        raise NotImplementedError


@named_arguments
@dataclass(frozen=True)
class Detach(Action):
    """Let a body leave with all that it carries."""

    body: str

    def apply(self, t: float, system: System, x: State) -> tuple[System, State]:
        """Detach the body."""
        return system.detach(self.body, x)

    def __str__(self) -> str:
        return f"detach '{self.body}'"


@named_arguments
class _WithOptions(Action):
    """A change that takes the options of a method of `System`."""

    word = ""

    def __init__(self, body: str, *arguments: object, **options: object):
        self.body, self.arguments, self.options = body, arguments, options

    def apply(self, t: float, system: System, x: State) -> tuple[System, State]:
        """Call the method of the system."""
        return getattr(system, self.word)(self.body, *self.arguments, x, **self.options)

    def __str__(self) -> str:
        return f"{self.word.replace('_', ' ')} '{self.body}'"


@named_arguments
class Attach(_WithOptions):
    """Dock a free body: `Attach(body, place, joint=..., rotation=..., port=..., snap=...)` as in `System.attach`."""

    word = "attach"

    def __init__(self, body: str, place: Target, **options: Unpack[DockingOptions]):
        super().__init__(body, place, **options)


@named_arguments
class Reattach(Attach):
    """Detach a body and attach it elsewhere, options as in `Attach`."""

    word = "reattach"


@named_arguments
class ReplaceJoint(_WithOptions):
    """Give a body another joint: `ReplaceJoint(body, joint)` as in `System.replace_joint`."""

    word = "replace_joint"

    def __init__(self, body: str, joint: Joint, *, rotation: RotationLike | None = None, snap: bool = False):
        super().__init__(body, joint, rotation=rotation, snap=snap)


@named_arguments
class ReplaceComponent(_WithOptions):
    """Give a flexible body other data: `ReplaceComponent(body, component)` as in `System.replace_component`."""

    word = "replace_component"

    def __init__(self, body: str, component: Component | str | Path, **options: Unpack[MountingOptions]):
        super().__init__(body, component, **options)


@named_arguments
class RemoveBody(_WithOptions):
    """Forget a free body and all that it carries."""

    word = "remove"

    def __init__(self, body: str):
        super().__init__(body)


Do: TypeAlias = Action | str | Mapping[str, Value] | Callable[[float, System, State], object] | None
"""What an event does: "stop", a ready-made change, values of devices, a function of the user, or nothing."""


@named_arguments
@dataclass(frozen=True)
class SetJointMode(Action):
    """Make a joint "free", "locked" or "prescribed" (then by `motion`, or with no acceleration).

    A joint that is moving when it is locked stops by an impulse inside the vehicle: momentum is conserved, energy is
    lost. So does a joint whose rate is not that of its motion; its angle must be that of an angle history.
    """

    body: str
    mode: str
    motion: PrescribedMotion | None = None

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


def may_leave(system: System | None, events: Sequence[Event]) -> list[str]:
    """Return the bodies that events may let hang on nothing; a function may do that with any."""
    named = [action for event in events for action in (*event.actions, *event.rests)]
    bodies = set() if system is None else set(system.bodies)
    if not any(callable(action) for action in named):
        bodies &= {action.body for action in named if isinstance(action, Detach | Reattach | ReplaceJoint)}
    specs = [] if system is None else system.model.specs
    return [spec.name for spec in specs if spec.name in bodies and spec.parent is not None]


def coming(system: System | None, events: Sequence[Event]) -> list[str]:
    """Return the bodies on nothing that a vehicle does not have, and that come with events."""
    named = [action for event in events for action in (*event.actions, *event.rests)]
    found = dict.fromkeys(name for act in named if isinstance(act, Action) for name in act.made())
    return [name for name in found if system is not None and name not in system.bodies]


def changes_of(system: System | None, events: Sequence[Event]) -> Changes:
    """Return what events may change of a vehicle."""
    acts = [act for event in events for act in (*event.actions, *event.rests) if isinstance(act, Action)]
    heirs = {key: place for act in acts for key, place in act.heirs().items()}
    named = {act.body for act in acts if isinstance(act, Detach | Reattach | ReplaceJoint)}
    leaving, later = may_leave(system, events), coming(system, events)
    known = [] if system is None else [*system.bodies, *later]
    for body, _ in heirs:
        if body not in known:
            raise InputError(
                f"an event cuts body '{body}', which the vehicle does not have",
                expected=f"one of {', '.join(known)}",
                hint='of a vehicle in a group say which: v.staging(..., member="a") cuts body a.v',
            )
    return Changes(leaving, later, frozenset(named & set(leaving)), heirs)


def start_on(system: System, x: State, motion: BoundMotion, t: float) -> None:
    """Bring a joint to the rate of its motion by an impulse; refuse an angle that is not there."""
    body = motion.body
    angle, rate, _ = motion.at(t)
    if angle is not None:
        lengths = ~system.model.spec(body).joint.angles()
        gap = np.abs(angle - x[body].q)
        gap[lengths] *= meters(system.units)
        if gap.max() > AT_START:
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

    @classmethod
    def unmeasured(cls, t: float, name: str, what: str) -> EventRecord:
        """Return a record of something at which momentum and energy were not measured: they are NaN."""
        return cls(t, name, what, np.full(6, np.nan), np.full(6, np.nan), np.nan, np.nan)

    @property
    def energy_loss(self) -> float:
        """Energy that the event took."""
        return self.energy_before - self.energy_after

    def __str__(self) -> str:
        return f"t = {self.t:.9g}: {self.name} ({self.what})"


@dataclass
class ActionOutcome:
    """What the actions of an event made of a run."""

    system: System
    x: State
    stop: bool = False
    changed: bool = False
    motions: dict[str, PrescribedMotion | None] = field(default_factory=dict)
    values: dict[str, Value] = field(default_factory=dict)


def perform(event: Event, t: float, system: System, x: State, at_rest: bool = False) -> ActionOutcome:
    """Carry out the actions of an event, or those of its rest, one after the other."""
    out = ActionOutcome(system, x)
    try:
        check_numbers(system, q=x.q, v=x.v)
    except InputError as err:
        raise SolverError(
            f"the run has no state for event '{event.label}' at t = {t:.9g}",
            got=str(err),
            hint="use a smaller step",
        ) from None
    if at_rest and event.rest is None:
        raise SolverError(
            f"event '{event.label}' accumulates at t = {t:.9g}: it fires at ever shorter intervals",
            hint="say what shall happen then, as in rest=ist.SetJointMode('ball', 'locked') or rest='stop'",
        )
    for action in event.rests if at_rest else event.actions:
        if action is None:
            continue
        if isinstance(action, Mapping):
            out.values |= action
            continue
        if action == "stop":
            out.stop = True
            continue
        try:
            if isinstance(action, Action):
                answer = action.apply(t, out.system, out.x)
            else:
                assert not isinstance(action, str)
                answer = _call(action, t, out)
        except Exception as err:
            text = str(err) if isinstance(err, InterstageError) else raised(err)
            raise SolverError(f"the action of event '{event.label}' failed at t = {t:.9g}", got=text) from err
        if isinstance(action, SetJointMode):
            out.motions[action.body] = action.motion
        _accept(event, t, out, answer)
    return out


def _call(action: Callable, t: float, out: ActionOutcome) -> Any:
    """Call an action with a system and a state of its own; what it changed there in place counts as its answer."""
    own, x = copy_of(out.system), out.x.copy()
    answer = action(t, own, x)
    if answer is None and not (np.array_equal(x.q, out.x.q) and np.array_equal(x.v, out.x.v)):
        answer = x
    if answer is not None and not isinstance(answer, State):
        return answer
    if own.settings == out.system.settings:
        return answer
    x = own.state(out.x.q, out.x.v) if answer is None else answer
    for body in own.bodies:
        locked = own.joint_mode(body) == "locked" != out.system.joint_mode(body)
        if locked and x[body].v.any():
            set_rates(own, x, body, np.zeros(len(x[body].v)))
    return own, x


def _accept(event: Event, t: float, out: ActionOutcome, answer: Any) -> None:
    """Take over what an action returned."""
    if answer is None:
        return
    if isinstance(answer, Mapping):
        out.values |= answer
        return
    if isinstance(answer, State):
        answer = (out.system, answer)
    good = isinstance(answer, tuple) and len(answer) == 2
    good = good and isinstance(answer[0], System) and isinstance(answer[1], State)
    if not good or answer[1].layout.keys() != answer[0].layout.keys() or len(answer[1].v) != answer[0].nv:
        raise SolverError(
            f"the action of event '{event.label}' returned something unknown at t = {t:.9g}",
            expected="None, a State, or (System, State) that belong together",
            got=type(answer).__name__,
        )
    out.system, out.x = answer
    try:
        check_numbers(out.system, q=out.x.q, v=out.x.v)
    except InputError as err:
        raise SolverError(
            f"the action of event '{event.label}' returned a state that is not finite at t = {t:.9g}",
            got=str(err),
        ) from None
    if out.system.model.closures and open_by(out.system, out.x) > 10.0:
        # a closure that was shut in motion, or velocities that closures do not allow: an impulse of the closures
        out.x = out.x.copy()
        fit_closures(out.system, out.x)
        out.system.check_closed(out.x)
    out.changed = True


def note(
    event: Event,
    t: float,
    before: tuple[System, State],
    after: tuple[System, State],
    at_rest: bool = False,
    lost: Sequence[str] = (),
    shift: float = 0.0,
) -> EventRecord:
    """Return the record of an event.

    lost : ports that have no place any more;  shift : how far nodes have jumped
    """
    done = event.rests if at_rest else event.actions
    what = ("at rest: " if at_rest else "") + ", ".join(_words(a) for a in done)
    what += f"; nodes jump by up to {shift:.3g}" if shift > 0.0 else ""
    what += f"; without a place: {', '.join(lost)}" if lost else ""
    sums = [(s.momentum(x), sum(s.energies(x))) for s, x in (before, after)]
    return EventRecord(float(t), event.label, what, sums[0][0], sums[1][0], sums[0][1], sums[1][1])


def _words(action: Any) -> str:
    if action is None:
        return "noted"
    if isinstance(action, Mapping):
        return ", ".join(f"{name} is {value}" for name, value in action.items())
    return str(action) if isinstance(action, str | Action) else getattr(action, "__name__", "action")


__getattr__ = former_names(__name__)
