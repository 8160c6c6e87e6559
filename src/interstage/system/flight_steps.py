"""How a flight goes through time: its method and steps, and the clock that its samples and rows fall on."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from interstage.errors import InputError
from interstage.system.device import Device
from interstage.system.methods import Compiled, Library, Method, method_of
from interstage.system.phases import SAME_TIME
from interstage.system.plan import Plan
from interstage.system.ports import Crossing
from interstage.system.steps import Steps
from interstage.system.ticks import Clock, Period, on_ticks, period_of, step_of, time_of

DEFAULT = Fraction(1, 100)  # equal steps where none are asked for
ON_GRID = 1e-9  # a row this near to a step (in steps) is that step
MOST_STEPS = 10**12  # a year of computing and more


@dataclass(frozen=True)
class Course:
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
    ) -> Course:
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
        if alone and fixed is not None and every is not None and isinstance(chosen, Compiled):
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
    if isinstance(chosen, Compiled):
        return Steps(chosen, fixed, longest, rtol, atol)
    return Steps(step=fixed or Fraction(1), longest=longest, rtol=rtol, atol=atol)


def _no_edge_between(plan: Plan, step: float) -> None:
    """Refuse equal steps that may go over two edges of a device that switches at them."""
    for part in plan.parts:
        what = part.what
        if not isinstance(what, Device) or not any(isinstance(f, Crossing) for f in what.fields.values()):
            continue
        limit = what.longest_step()
        if 0.0 < limit < step * (1.0 - SAME_TIME):
            raise InputError(
                f"equal steps may go over what '{part.path}' does between its samples",
                expected=f"at most {limit:g} s",
                got=f"{step:g} s",
            )


def short_enough(plan: Plan, method: Method, by: Steps) -> Steps:
    """Return adaptive steps that cannot miss what devices do between samples; others as they are."""
    if isinstance(method, Compiled) and by.step is not None:
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


def clock_of(plan: Plan, start: Fraction, every: Fraction | None, step: Fraction) -> Clock:
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
