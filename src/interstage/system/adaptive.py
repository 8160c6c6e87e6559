"""Steps of a compiled method's own length, by the estimate of its error, with dense output between.

A stretch to the next instant at which something is asked or done is one compiled call that ends there exactly. Only
functions of time that Python has to be asked for at the times of the stages make it a call for each step.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from interstage.multibody import State
from interstage.system import loop_kernels as kernels
from interstage.system.between import Between
from interstage.system.dense import Cubic, Curve, Polynomial
from interstage.system.kernels.flights import DONE, STEPPED
from interstage.system.kernels.stretch import STEP, TIME, TRIED
from interstage.system.methods import Compiled
from interstage.system.run import Run
from interstage.system.stepper import CompiledStepper, Logged, Pace
from interstage.system.steps import Steps

CHUNK = 64  # steps of one call: what is done beyond an event is thrown away


class Adaptive(CompiledStepper):
    """Steps as long as the tolerances allow."""

    def __init__(self, run: Run, method: Compiled, pace: Pace):
        super().__init__(run, method, pace)
        self.dense = method.polynomial()
        self.logged = Logged(pace)
        self.steps = self.tried = 0

    def info(self) -> dict[str, Any]:
        """Return how the run was made."""
        return {
            "method": self.method.name,
            "steps": self.steps,
            "evaluations": self.tried * len(self.method.c),
        }

    def by(self) -> Steps:
        """Return how the loop goes through time: with steps of the method's own."""
        run, pace = self.run, self.pace
        keep = self.dense is not None and (len(run.watch) or run.keeps_dense or self.logged.times is not None)
        return Steps(self.method, None, pace.max_step, pace.rtol, pace.atol, CHUNK, bool(keep))

    def go(self, stop: float) -> None:
        """Go to a time, or to the first event before it."""
        run = self.run
        if self.dense is None:
            stop = min(stop, self.logged.next(run.t))
        y, t0 = np.concatenate([run.x.q, run.x.v]), run.t
        while t0 < stop:
            start = y.copy()
            times, log, slopes = self.reach(y, t0, stop)
            for j, t1 in enumerate(times):
                before, t = (start, t0) if j == 0 else (log[j - 1], times[j - 1])
                end = self.state(log[j])
                dense = self.inside(before, t, t1 - t, end, slopes[j] if len(slopes) else None)
                if self.passed(t, t1, end, dense, partial(self.partial, before, t)):
                    return
            t0 = float(times[-1])

    def reach(self, y: np.ndarray, t: float, stop: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Take some steps from y (changed in place) at t towards a time; return their ends and slopes."""
        closed, nq = self.closed(), self.run.system.nq
        closed.begin_interval((t, 0.0), 0, t, stop)
        loop = closed.loop
        loop.option[kernels.SINGLE] = 1
        status = closed.stretch(y[:nq], y[nq:])
        closed.tapes.check()
        if status not in (STEPPED, DONE):
            self.failed(status, float(loop.pace[TIME]), y, float(loop.pace[STEP]))
        taken, self.tried = int(loop.now[kernels.STEP]), int(loop.pace[TRIED])
        self.steps += taken
        return loop.times[:taken].copy(), loop.ends[:taken].copy(), loop.slopes[:taken].copy()

    def partial(self, y: np.ndarray, t: float, h: float) -> State:
        """Return the state after one step of length h from y."""
        y, nq = y.copy(), self.run.system.nq
        if h > 0.0:
            closed = self.closed()
            status = closed.step_from(y[:nq], y[nq:], t, h)
            closed.tapes.check()
            if status != 0:
                self.failed(status, t, y, h)
        return self.state(y)

    def inside(self, y: np.ndarray, t: float, h: float, end: State, slopes: np.ndarray | None) -> Curve:
        """Return the motion inside a step as a function of time."""
        if self.dense is not None and slopes is not None:
            return Polynomial(t, h, y.copy(), self.dense.T @ slopes)
        nq = self.run.system.nq
        return Cubic(t, Between(self.run.system, y[:nq].copy(), y[nq:].copy(), end, h))
