"""Fixed steps in compiled loops, stopping only where something has to be asked or done."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from interstage.errors import InterstageError
from interstage.multibody import State
from interstage.system.between import Between
from interstage.system.methods import Compiled
from interstage.system.run import Run
from interstage.system.stepper import CompiledStepper, Pace, count
from interstage.system.steps import Steps

CHUNK = 64  # steps between looks at conditions: what is done beyond an event is thrown away
ON_GRID = 1e-9  # a time this near to a step (in steps) is that step


class Fixed(CompiledStepper):
    """Fixed steps on the grid k·step, partial steps to events and back to the grid."""

    def __init__(self, run: Run, method: Compiled, pace: Pace):
        super().__init__(run, method, pace)
        assert pace.step is not None
        self.step, self.every = pace.step, 1
        if pace.log_step is not None:  # equal steps from row to row
            self.every = max(1, math.ceil(pace.log_step / pace.step - ON_GRID))
            self.step = pace.log_step / self.every
        steps = pace.until / self.step
        self.slack, self.last = ON_GRID * self.step, round(steps)
        if abs(steps - self.last) > ON_GRID:
            self.last = -1  # the run ends off the grid
        self.rows = max(CHUNK, int(steps) // self.every) + 1
        self.k, self.on_grid = 0, True

    def time(self, k: int) -> float:
        """Return the time of a step of the grid."""
        return self.until if k == self.last else k * self.step

    def by(self) -> Steps:
        """Return how the loop goes through time: with equal steps."""
        return Steps(self.method)

    def tick(self, period: float | None) -> Callable[[int], float]:
        """Return the times of the samples of a law, by number: every step without a period."""
        chunk = 1 if period is None else count(period, self.step, "control_step")
        return lambda n: (n * chunk) * self.step

    def info(self) -> dict[str, Any]:
        """Return how the run was made."""
        return {"method": self.method.name, "step": self.step, "steps": self.k}

    def corner(self) -> float:
        """Return no time: steps keep to their grid."""
        return np.inf

    def go(self, stop: float) -> None:
        """Go on towards a time: a partial step off the grid, or whole steps."""
        run, step, k = self.run, self.step, self.k
        when = stop / step
        if not self.on_grid or when < k + 1 - ON_GRID:
            self.off_grid(stop if min(k + 1, when) < k + 1 - ON_GRID else self.time(k + 1))
            if run.t == self.time(k + 1):
                new = 1 if run.rows[-1][0][-1] != run.t else 0  # an event at a step has logged it already
                y = np.concatenate([run.x.q, run.x.v])[None]
                self.arrive(k + 1, np.array([k + 1])[:new], y[:new])
            else:
                self.on_grid = False
            return
        n = int(when + ON_GRID) - k
        if len(run.watch):
            self.watched(min(n, CHUNK))
        else:
            self.free(n)

    def free(self, n: int) -> None:
        """Take up to n whole steps in which nothing is looked for, to where a whole number of them is logged."""
        run, y = self.run, np.concatenate([self.run.x.q, self.run.x.v])
        ahead = self.every - self.k % self.every  # to the next logged step
        inner = self.every if ahead == self.every and n >= ahead else min(n, ahead)
        n = inner * (n // inner) if inner == self.every else inner
        log = self.march(y, self.k * self.step, self.step, n, inner)
        run.x = self.state(y)
        self.arrive(self.k + n, self.k + inner * np.arange(1, n // inner + 1), log)

    def watched(self, n: int) -> None:
        """Take up to n whole steps; stop at the first event."""
        run, step, t0 = self.run, self.step, self.k * self.step
        start = np.concatenate([run.x.q, run.x.v])
        try:
            log = self.march(start.copy(), t0, step, n, 1)
        except InterstageError:
            if n == 1:
                raise
            self.watched(n // 2)  # what failed may lie beyond an event
            return
        for j in range(n):
            y = start if j == 0 else log[j - 1]
            found = self.look(y, t0 + j * step, step, self.state(log[j]))
            if found is not None:
                self.arrive(self.k + j, self.k + np.arange(1, j + 1), log[:j].copy())
                self.on_grid = False
                self.jump(y, t0 + j * step, *found)
                return
        run.x = self.state(log[-1])
        self.arrive(self.k + n, self.k + np.arange(1, n + 1), log)

    def arrive(self, k: int, numbers: np.ndarray, y: np.ndarray) -> None:
        """Log whole steps and stand on step k."""
        if self.every > 1:
            keep = numbers % self.every == 0
            numbers, y = numbers[keep], y[keep]
        nq = self.run.system.nq
        times = self.step * numbers
        if len(numbers) and numbers[-1] == self.last:
            times[-1] = self.until
        self.run.add_rows(times, y[:, :nq], y[:, nq:])
        self.k, self.on_grid, self.run.t = k, True, self.time(k)

    def look(self, y: np.ndarray, t: float, h: float, end: State) -> tuple[float, list] | None:
        """Return the first event in a step from y, or None."""
        nq = self.run.system.nq
        inside = Between(self.run.system, y[:nq], y[nq:], end, h)
        return self.run.watch.first_crossing(t, h, end, inside, lambda s: self.partial(y, t, s))

    def jump(self, y: np.ndarray, t: float, s: float, events: list) -> None:
        """Go from y at t to events that lie s ahead, and let them happen."""
        self.hit(self.partial(y, t, s), t + s, events)

    def off_grid(self, t_end: float) -> None:
        """Take one step to t_end, or to an event before it."""
        run, t = self.run, self.run.t
        if t_end - t <= 1e-3 * ON_GRID * self.step:
            run.t = t_end
            return
        y = np.concatenate([run.x.q, run.x.v])
        end = self.partial(y, t, t_end - t)
        found = self.look(y, t, t_end - t, end) if len(run.watch) else None
        if found is not None:
            self.jump(y, t, *found)
            return
        run.x, run.t = end, t_end
