"""What takes a run through time: to the next instant at which something is asked or done, or to an event before it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from interstage.errors import InputError
from interstage.multibody import State
from interstage.system import loop_kernels as kernels
from interstage.system.acting import Control
from interstage.system.assembly import Assembly
from interstage.system.closed_loop import ClosedLoop
from interstage.system.dense import Curve
from interstage.system.flight_law import unsampled
from interstage.system.kernels import flights, stretch
from interstage.system.locks import Locks
from interstage.system.methods import Compiled, Method
from interstage.system.phases import tidied
from interstage.system.plan import planned, without_devices
from interstage.system.run import Run
from interstage.system.stable_steps import is_sane, too_long, went_to_infinity
from interstage.system.steps import Rows, Steps
from interstage.system.watch import At

SAME_ROW = 1e-9  # a row this near to the end, in times between rows, is the end
ROWS, NUMBERS = 4096, 2**19  # rows, and numbers in them, of the buffer between compiled steps and the log


@dataclass(frozen=True)
class Pace:
    """How a run is to go: end, step (fixed, or the first), longest step, tolerances, time between logged states."""

    until: float
    step: float | None = None
    max_step: float = np.inf
    rtol: float = 1e-9
    atol: float = 1e-9
    log_step: float | None = None


def count(total: float, part: float, what: str) -> int:
    """Return how many parts make the total, or say that they do not."""
    n = round(total / part)
    if n < 1 or abs(n * part - total) > 1e-6 * part:
        raise InputError(
            f"{what} is not a whole number of steps", expected=f"a multiple of {part:g}", got=f"{total:g}"
        )
    return n


class Logged:
    """Times at which states are logged in steps that do not keep to them; None: after every step."""

    def __init__(self, pace: Pace):
        every, end = pace.log_step, pace.until
        self.times: np.ndarray | None = None
        if every is not None:
            rows = every * np.arange(int(end / every) + 1)
            self.times = np.append(rows[end - rows > SAME_ROW * every], end)

    def within(self, t0: float, t1: float) -> np.ndarray:
        """Return the times after t0, up to t1."""
        if self.times is None:
            return np.zeros(0)
        return self.times[np.searchsorted(self.times, t0, "right") : np.searchsorted(self.times, t1, "right")]

    def next(self, t: float) -> float:
        """Return the first time after t."""
        later = np.zeros(0) if self.times is None else self.times[np.searchsorted(self.times, t, "right") :]
        return float(later[0]) if len(later) else np.inf


class Stepper:
    """Steps of a method on a run.

    until : end of the run;  slack : times nearer to each other than this are one;  law : asked after events
    rows : how many rows of the log compiled steps may write at once
    """

    rows = 1
    law: Control | None = None
    logged: Logged

    def __init__(self, run: Run, method: Method, pace: Pace):
        self.run, self.method, self.pace, self.until = run, method, pace, pace.until
        self.slack = 1e-12 * (1.0 + pace.until)
        self._closed: tuple[tuple, ClosedLoop] | None = None
        self._loaded: np.ndarray | None = None

    def by(self) -> Steps:
        """Return how the loop goes through time."""
        return Steps()

    def closed(self) -> ClosedLoop:
        """Return the loop of the vehicle as it is now, under the loads of now."""
        run = self.run
        key = id(run.system.engine), run.acting.in_time, *map(id, run.motions.values()), *run.mass
        if self._closed is None or self._closed[0] != key:
            before = None if self._closed is None else self._closed[1].loop.pace.copy()
            self.release()
            made = self._made()
            self._closed = key, made
            if before is not None:
                made.loop.pace[:] = before
        elif self._loaded is not run.tau:
            self._closed[1].set_base(*run.loads)
        self._loaded = run.tau
        return self._closed[1]

    def _made(self) -> ClosedLoop:
        """Return a new loop, or that of a run that is over where nothing is known ahead."""
        run, by, beside = self.run, self.by(), self.run.parts()
        rows = max(1, min(ROWS, NUMBERS // (1 + run.system.nq + run.system.nv), self.rows))
        idle = None if beside else run.system.engine.idle.pop((by, rows), None)
        if isinstance(idle, ClosedLoop):
            return idle.again(run.system, run.loads)
        plan = without_devices(Assembly("run", vehicle=run.system))
        if beside:
            plan = planned(plan.assembly, beside=beside)
        return ClosedLoop(plan, run.system, by=by, rows=Rows(rows=rows), base=run.loads)

    def tidied(self, t: float, y: np.ndarray) -> State:
        """Return the state of a point [q; v] of the solution at a time, prescribed joints as prescribed."""
        known = partial(self.closed().put_known, t=t) if self.run.motions else None
        return tidied(self.run.system, y, known)

    def tick(self, period: float | None) -> Callable[[int], float]:
        """Return the times of the samples of a law, by number."""
        if period is None:
            raise unsampled(self.method)
        return lambda n: n * period

    def corner(self) -> float:
        """Return the next time at which a table begins to bend, which steps of a method's own might pass unseen."""
        run, t = self.run, self.run.t + self.slack
        motions = (bound.curve.next_corner(t) for bound in run.motions.values())
        return min(run.acting.loads.next_corner(t), *motions, np.inf)

    def go(self, stop: float) -> None:
        """Go on towards a time: there, to an event before it, or a part of the way."""
        raise NotImplementedError

    def release(self) -> None:
        """Give back what was lent; one loop of the vehicle is kept for other runs."""
        if self._closed is not None:
            closed = self._closed[1]
            closed.release()
            if not closed.plan.parts:
                idle = closed.system.engine.idle
                idle.clear()
                idle[closed.by, len(closed.loop.log)] = closed
            self._closed = None

    def info(self) -> dict[str, Any]:
        """Return how the run was made."""
        raise NotImplementedError

    def hit(self, x: State, t: float, events: list) -> None:
        """Stand at an event and let it happen."""
        self.run.x, self.run.t = x, t
        self.run.fire(events, self.law)

    def passed(self, t0: float, t1: float, end: State, dense: Curve, exact: At | None = None) -> bool:
        """Look for events in a step from t0 to t1, log it, and stand at its end or at the first; tell if there was one.

        dense : y = [q; v] inside the step by time;  exact : the true state by the time since t0, if that is not it
        """
        run, found = self.run, None

        def inside(s: float) -> State:
            return self.tidied(t0 + s, dense(t0 + s))

        if len(run.watch):
            found = run.watch.first_crossing(t0, t1 - t0, end, inside, exact or inside)
        if found is not None:
            t1, end = t0 + found[0], (exact or inside)(found[0])
        if run.keeps_dense:
            run.dense.add(t0, dense)
        for t in self.logged.within(t0, t1):
            row = end if t == t1 else inside(t - t0)
            run.add_rows(np.array([t]), row.q[None].copy(), row.v[None].copy())
        if found is not None:
            self.hit(end, t1, found[1])
            return True
        run.x, run.t = end, t1
        if self.logged.times is None:
            run.add_now()
        return False


class CompiledStepper(Stepper):
    """Steps in compiled loops."""

    method: Compiled

    def __init__(self, run: Run, method: Compiled, pace: Pace):
        super().__init__(run, method, pace)
        self.locks = Locks(method.turn)

    def march(self, y: np.ndarray, t: float, h: float, n: int, every: int) -> np.ndarray:
        """Take n steps of h from y (changed in place) at t; return every `every`-th state (rows, nq + nv)."""
        closed, nq = self.closed(), self.run.system.nq
        out = np.empty((n // every, len(y)))
        if n == 1 and not (closed.plan.ahead or len(closed.loop.near[0])):
            status = closed.step_from(y[:nq], y[nq:], t, h)
            if status != 0:
                self.failed(status, t, y, h)
        else:
            self._interval(closed, y, t, h, n, every, out)
        if n % every == 0:
            out[-1] = y
        return out

    def _interval(
        self, closed: ClosedLoop, y: np.ndarray, t: float, h: float, n: int, every: int, out: np.ndarray
    ) -> None:
        """Take n steps as `march` does, by way of the rows of the loop; all but the last are written to `out`."""
        loop, nq, filled = closed.loop, self.run.system.nq, -1  # the start is no end of a step
        closed.begin_interval((t, h), 0, t, t + n * h, every if n > every else 0)
        status = flights.FULL
        while status == flights.FULL:
            status = closed.stretch(y[:nq], y[nq:])
            closed.tapes.check()
            rows = loop.log[max(0, -filled) : int(loop.now[kernels.ROWS]), 1:]
            filled = max(filled, 0)
            out[filled : filled + len(rows)] = rows
            filled += len(rows)
            loop.now[kernels.ROWS] = 0
        if loop.near.any():
            self.locks.note(self.run.system, h, loop.near)
        if status != flights.DONE:
            self.failed(status, float(loop.pace[stretch.TIME]), y, h)

    def partial(self, y: np.ndarray, t: float, h: float) -> State:
        """Return the state after one step of length h from y."""
        y = y.copy()
        if h > 0.0:
            self.march(y, t, h, 1, 1)
        return self.state(y)

    def state(self, y: np.ndarray) -> State:
        """Return y = [q; v] as a state of its own."""
        nq = self.run.system.nq
        return State(self.run.system.layout, y[:nq].copy(), y[nq:].copy())

    def failed(self, status: int, t: float, y: np.ndarray, step: float) -> None:
        """Say why a run stopped."""
        system = self.run.system
        q, v = y[: system.nq], y[system.nq :]
        found = went_to_infinity(system, t, q, v, self.method, step, self.locks)
        model = (status > 0 or status < -1) and is_sane(q, v)
        if model and not too_long(system, self.method, step) and not self.locks.hint(system, q, v, step):
            system.refuse(status, State(system.layout, q, v))
        raise found
