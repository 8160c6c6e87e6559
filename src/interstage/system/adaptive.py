"""Steps of a compiled method's own length, by the estimate of its error, with dense output between.

A stretch to the next instant at which something is asked or done is one compiled call that ends there exactly. Only
functions of time that Python has to be asked for at the times of the stages make it a call for each step.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from interstage.errors import InputError
from interstage.multibody import State
from interstage.system.between import Between
from interstage.system.kernels.stretch import KNOWN, STEP, TIME, TRIED, Tolerance, next_step
from interstage.system.methods import Compiled
from interstage.system.run import Run
from interstage.system.stepper import CompiledStepper, Curve, Logged, Pace
from interstage.system.tolerance import first_step, tolerance_of

CHUNK = 64  # steps of one call: what is done beyond an event is thrown away


@dataclass
class Polynomial:
    """The motion inside a step of h from y at t: y + h Σ_i k_i Σ_j D[i, j] u^(j+1), u the part of the step."""

    t: float
    h: float
    y: np.ndarray
    coefficients: np.ndarray

    def __call__(self, t: float) -> np.ndarray:
        u = (t - self.t) / self.h
        return self.y + self.h * (u ** np.arange(1, len(self.coefficients) + 1) @ self.coefficients)


@dataclass
class Cubic:
    """The motion inside a step by `Between`."""

    t: float
    between: Between

    def __call__(self, t: float) -> np.ndarray:
        x = self.between(t - self.t)
        return np.concatenate([x.q, x.v])


class Adaptive(CompiledStepper):
    """Steps as long as the tolerances allow."""

    def __init__(self, run: Run, method: Compiled, pace: Pace):
        super().__init__(run, method, pace)
        if run.needs_state:
            raise InputError(
                f"a mass that depends on the state is not seen by the error estimate of method {method}",
                where="mass",
                hint="use a method with a fixed step, or one of scipy (dop853)",
            )
        self.estimated, self.dense = method.data(True), method.polynomial()
        self.logged = Logged(pace)
        first = min(first_step(run.system), pace.max_step)
        self.numbers = np.array([0.0, first, 1.0, 0.0, 0.0])
        self.steps = 0
        self.measured: tuple | None = None

    def info(self) -> dict[str, Any]:
        """Return how the run was made."""
        tried = int(self.numbers[TRIED])
        return {"method": self.method.name, "steps": self.steps, "evaluations": tried * len(self.method.c)}

    def go(self, stop: float) -> None:
        """Go to a time, or to the first event before it."""
        run = self.run
        if self.dense is None:
            stop = min(stop, self.logged.next(run.t))
        self.numbers[TIME], self.numbers[KNOWN] = run.t, 0.0
        y = np.concatenate([run.x.q, run.x.v])
        while self.numbers[TIME] < stop:
            start, t0 = y.copy(), self.numbers[TIME]
            times, log, slopes = self.reach(y, stop)
            for j, t1 in enumerate(times):
                before, t = (start, t0) if j == 0 else (log[j - 1], times[j - 1])
                end = self.state(log[j])
                dense = self.inside(before, t, t1 - t, end, slopes[j] if len(slopes) else None)
                if self.passed(t, t1, end, dense, partial(self.partial, before, t)):
                    return

    def reach(self, y: np.ndarray, stop: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Take some steps from y (changed in place) towards a time; return their ends and slopes."""
        run, pace = self.run, self.pace
        lent, scratch, empty = self.borrow()
        fed = run.needs_feed
        if len(run.watch):
            self.numbers[KNOWN] = 0.0  # looking for events took steps on the same scratch
        h = next_step(self.numbers[TIME], min(self.numbers[STEP], pace.max_step), stop)
        rows, most = (1, 1) if fed else (CHUNK, 1 << 40)
        acts = self.acts(self.numbers[TIME], h, 1, empty)
        keep = self.dense is not None and (len(run.watch) or run.keeps_dense or self.logged.times is not None)
        times, log = np.empty(rows), np.empty((rows, len(y)))
        slopes = np.empty((rows if keep else 0, *scratch.K.shape))
        status, taken = self.method.loops.reach(
            lent, self.estimated, acts, y, self.numbers, stop, pace.max_step, pace.rtol,
            1.0 / (self.method.embedded + 1), self.tolerance(), most, scratch, times, log, slopes,
        )  # fmt: skip
        if status != 0:
            self.failed(status, self.numbers[TIME], y, self.numbers[STEP])
        self.steps += taken
        return times[:taken], log[:taken], slopes[:taken]

    def tolerance(self) -> Tolerance:
        """Return sizes and floors of the vehicle as it is now."""
        run = self.run
        key = (run.system, tuple(run.motions))
        if self.measured is None or self.measured[0] != key:
            self.measured = key, tolerance_of(run.system, self.pace.atol, run.known_entries())
        return self.measured[1]

    def inside(self, y: np.ndarray, t: float, h: float, end: State, slopes: np.ndarray | None) -> Curve:
        """Return the motion inside a step as a function of time."""
        if self.dense is not None and slopes is not None:
            return Polynomial(t, h, y.copy(), self.dense.T @ slopes)
        nq = self.run.system.nq
        return Cubic(t, Between(self.run.system, y[:nq].copy(), y[nq:].copy(), end, h))
