"""How a run goes through time: its method and steps, the clock of samples and rows, the size of errors.

What an error of a step is measured by: sizes and floors of the entries of y = [q; v], by their kind.

    quaternions, angles         size one: an angle does not become less certain by growing
    lengths, positions          size of the largest number of the kind in the joint
    angular, linear velocities  the same
    modes η of a body           size of its largest η;  floor atol √m, so that deflections are held to about atol
    rates η̇ of a body           size of its largest η̇;  floor atol √m max(1, ω) of the mode

Elsewhere the floor is atol, in the units of the number. What is prescribed has no error.

How a loop goes through time, and what of it goes to the log.

How a flight goes through time: its method and steps, and the clock that its samples and rows fall on.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

import numpy as np

from interstage.errors import InputError
from interstage.multibody import System
from interstage.multibody.joints.elementary_motions import ANGLE, LENGTH, MODAL
from interstage.simulation.plant.clock import (
    SAME_TIME,
    Clock,
    Period,
    on_ticks,
    period_of,
    step_of,
    time_of,
)
from interstage.simulation.plant.declarations import ZeroCrossing
from interstage.simulation.plant.device import Device
from interstage.simulation.plant.plan import ExecutionPlan
from interstage.simulation.run.integrators import (
    CompiledMethod,
    Library,
    Method,
    method_of,
)
from interstage.simulation.run.integrators import (
    integration_loop as flights,
)
from interstage.simulation.run.integrators import (
    step_control as stretch,
)
from interstage.simulation.run.integrators.explicit import RK4
from interstage.simulation.run.integrators.step_control import Tolerance


def tolerance_of(system: System, atol: float, known: np.ndarray) -> Tolerance:
    """Return groups and floors for a system; known : entries of y that are written, not integrated."""
    numbers: dict[tuple[str, str, str], int] = {}
    group: list[int] = []
    for letter, sized in (("q", (LENGTH, MODAL)), ("v", (ANGLE, LENGTH, MODAL))):
        for name, where in system.layout.items():
            for entry in where.coordinates() if letter == "q" else where.rates():
                key = (letter, name, entry.kind)
                group.append(numbers.setdefault(key, len(numbers)) if entry.kind in sized else -1)
    floor = np.full(len(group), atol)
    for name, where in system.layout.items():
        if where.n_modes:
            root = np.sqrt(system.settings.body_inertia[system.body(name), 0])
            floor[where.eta] *= root
            rate = slice(system.nq + where.etadot.start, system.nq + where.etadot.stop)
            floor[rate] *= root * np.maximum(1.0, np.sqrt(system.tree.v_stiffness[where.etadot]))
    floor[known] = np.inf
    return Tolerance(np.array(group, dtype=np.int64), floor, np.zeros(len(numbers)))


def first_step(system: System) -> float:
    """Return a step that a method may try first: a part of the fastest oscillation of modes and joint springs."""
    return min(1e-3, 0.1 / (float(np.sqrt(system.tree.v_stiffness.max(initial=0.0))) + 1e-30))


NONE = np.zeros(0, dtype=np.int64)


@dataclass
class Rows:
    """What goes to the log beside time, q and v: signals and states, what is discrete, groups of samples, buffers."""

    s: np.ndarray = field(default_factory=lambda: NONE)
    z: np.ndarray = field(default_factory=lambda: NONE)
    w: np.ndarray = field(default_factory=lambda: NONE)
    n: np.ndarray = field(default_factory=lambda: NONE)
    groups: Sequence[tuple[int, int, np.ndarray]] = ()  # period and first tick, signals
    rows: int = 0
    every: int = 0
    extra: Sequence[tuple[int, int]] = ()  # group and tick at which it has a row beside its own

    @property
    def width(self) -> int:
        """How many numbers a row has beside time, q and v."""
        return len(self.s) + len(self.z) + len(self.w) + len(self.n)


@dataclass(frozen=True)
class Steps:
    """How a loop goes through time: by a method, with equal steps of at most `step`, or (None) with steps of its own.

    first, longest : steps of its own;  rtol, atol : what errors of these are allowed
    room : how many steps of its own are taken at once;  slopes : whether those of each are kept
    """

    method: CompiledMethod = RK4
    step: Fraction | None = Fraction(1)
    longest: float = np.inf
    rtol: float = 1e-9
    atol: float = 1e-9
    room: int = 1
    slopes: bool = False

    def pace(self, system: System) -> np.ndarray:
        """Return where a run is at its beginning, as the kernels note it."""
        pace = np.zeros(flights.PACE)
        pace[stretch.STEP], pace[stretch.ERROR] = self.longest, 1.0
        pace[flights.LOGGED] = np.nan
        if self.step is None:
            pace[stretch.STEP] = min(first_step(system), self.longest)
        return pace

    def arrays(
        self, plan: ExecutionPlan, system: System, dtype: Any, known: np.ndarray
    ) -> dict[str, np.ndarray]:
        """Return what the kernels need of it: scratch of a step, where the run is, tolerances.

        known : numbers of y = [q; v] that are not integrated
        """
        states = len(plan.initial["z"])
        n = system.nq + system.nv + states
        power = 0.0 if self.method.embedded is None else 1.0 / (self.method.embedded + 1)
        group, floor = np.zeros(0, dtype=np.int64), np.zeros(0)
        if self.step is None:
            group, floor, _ = tolerance_of(system, self.atol, known)
            own = np.zeros(states, dtype=np.int64)
            fields = [slot for slot in plan.slots.values() if slot.kind == "z"]
            for k, slot in enumerate(fields):
                own[slot.where] = 1 + group.max(initial=-1) + k
            group, floor = np.append(group, own), np.append(floor, np.full(states, self.atol))
        vectors = {name: np.zeros(n, dtype) for name in ("y", "stage", "u", "at", "back")}
        return vectors | {
            "K": np.zeros((self.method.slopes, n), dtype),
            "force": np.zeros(system.nv, dtype),
            "shifted": np.zeros(1),
            "pace": self.pace(system),
            "limits": np.array([self.longest, self.rtol, power]),
            "group": group,
            "floor": floor,
            "size": np.zeros(1 + group.max(initial=-1)),
            "times": np.zeros(self.room),
            "ends": np.zeros((self.room, n), dtype),
            "slopes": np.zeros((self.room if self.slopes else 0, self.method.slopes, n), dtype),
            "near": np.zeros((2, len(system.tree.gimbals))),
        }


BY_RK4 = Steps()


DEFAULT = Fraction(1, 100)  # equal steps where none are asked for
ON_GRID = 1e-9  # a row this near to a step (in steps) is that step
MOST_STEPS = 10**12  # a year of computing and more


@dataclass(frozen=True)
class StepSchedule:
    """When and how a flight goes through time.

    step : of equal ones, or what counts as one;  every : time between rows of the log, None: at every step
    first : step that a solver of scipy tries first, None: its own choice
    asked : what was asked for, as a checkpoint keeps it
    """

    start: Fraction
    until: Fraction
    step: Fraction
    every: Fraction | None
    method: Method
    steps: Steps
    asked: dict[str, object]
    first: float | None = None

    @classmethod
    def of(
        cls,
        until: Period,
        step: Period | None,
        *,
        start: Period,
        log_step: Period | None,
        method: str | Method | None,
        max_step: Period | None,
        rtol: float,
        atol: float,
        alone: bool = False,
    ) -> StepSchedule:
        """Return the course that arguments of `simulate` mean, or say what is wrong with them.

        alone : nothing is sampled, so that steps and rows may be any time apart; steps are equal from row to row
        """
        read = step_of if alone else period_of
        begin, end = period_of(start, "start", zero=True), time_of(until, "until")
        if end <= begin:
            raise InputError("a run ends after its start", expected=f"until > {begin} s", got=f"{end} s")
        fixed = None if step is None else read(step, "step")
        every = None if log_step is None else read(log_step, "log_step")
        chosen = method_of("rk4" if method is None else method)
        if fixed is not None and (end - begin) / fixed > MOST_STEPS:
            raise InputError(
                "the run has too many steps",
                expected=f"at most {MOST_STEPS:.0e}",
                got=f"{float((end - begin) / fixed):.3g}",
                hint="check the units of until and step",
            )
        if alone and fixed is not None and every is not None and isinstance(chosen, CompiledMethod):
            fixed = every / max(1, math.ceil(float(every / fixed) - ON_GRID))
        longest = None if max_step is None else time_of(max_step, "max_step")
        steps = _steps(chosen, fixed, np.inf if longest is None else float(longest), rtol, atol)
        times = {"start": begin, "until": end, "step": fixed, "max_step": longest, "log_step": every}
        asked: dict[str, object] = {n: None if one is None else f"{one} s" for n, one in times.items()}
        asked |= {"method": chosen.name, "rtol": rtol, "atol": atol}
        first = float(fixed) if fixed is not None and isinstance(chosen, Library) else None
        return cls(begin, end, fixed or DEFAULT, every, chosen, steps, asked, first)


def _steps(chosen: Method, fixed: Fraction | None, longest: float, rtol: float, atol: float) -> Steps:
    """Return how a method steps in a flight."""
    if fixed is None and chosen.embedded is None:
        fixed = DEFAULT
    for name, value in (("rtol", rtol), ("atol", atol)):
        if not (isinstance(value, int | float) and np.isfinite(value) and value > 0.0):
            raise InputError(f"{name} must be a positive number", where=name, got=repr(value))
    if isinstance(chosen, CompiledMethod):
        return Steps(chosen, fixed, longest, rtol, atol)
    return Steps(step=fixed or Fraction(1), longest=longest, rtol=rtol, atol=atol)


def _no_edge_between(plan: ExecutionPlan, step: float) -> None:
    """Refuse equal steps that may go over two edges of a device that switches at them."""
    for part in plan.parts:
        what = part.what
        if not isinstance(what, Device) or not any(isinstance(f, ZeroCrossing) for f in what.fields.values()):
            continue
        limit = what.longest_step()
        if 0.0 < limit < step * (1.0 - SAME_TIME):
            raise InputError(
                f"equal steps may go over what '{part.path}' does between its samples",
                expected=f"at most {limit:g} s",
                got=f"{step:g} s",
            )


def short_enough(plan: ExecutionPlan, method: Method, by: Steps) -> Steps:
    """Return adaptive steps that cannot miss what devices do between samples; others as they are."""
    if isinstance(method, CompiledMethod) and by.step is not None:
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


def clock_of(plan: ExecutionPlan, start: Fraction, every: Fraction | None, step: Fraction) -> Clock:
    """Return a clock on whose ticks the start and rows of the log fall too, the steps where nothing else does.

    Entries of the plan follow.
    """
    old, times = plan.clock, [time for time in (start if on_ticks(start) else None, every) if time]
    if not plan.sampled:
        return Clock.of([step] if every is None else times)
    new = Clock.of([old.tick, *times])
    if new != old:
        k = int(old.tick / new.tick)
        plan.sampled = [replace(e, every=e.every * k, first=e.first * k) for e in plan.sampled]
    return new
