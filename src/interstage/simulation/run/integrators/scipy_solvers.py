"""Adaptive methods of scipy: one step at a time, and a run by them.

Adaptive methods of scipy, one step at a time, with dense output between.

Flights by adaptive methods of scipy: Python between due ticks, the loop's right-hand side in compiled code.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING, NoReturn

import numpy as np
import scipy

from interstage.errors import SolverError
from interstage.multibody import State
from interstage.multibody.queries import refuse
from interstage.simulation.plant import coupled_kernels as kernels
from interstage.simulation.run.coupled_system import ClosedLoop, Whole
from interstage.simulation.run.dense_output import Curve, RowsBetween
from interstage.simulation.run.integrators import (
    Library,
)
from interstage.simulation.run.integrators import (
    integration_loop as flights,
)
from interstage.simulation.run.integrators import (
    step_control as stretch,
)
from interstage.simulation.run.integrators.step_kernels import just_after, just_before
from interstage.simulation.run.step_schedule import first_step

if TYPE_CHECKING:
    from scipy.integrate import OdeSolver


CRAWL = 1e-13  # steps shorter than this, beside the time to reach, hardly move
MOST_CRAWLED = 1000


class Refusing:
    """A right-hand side that may refuse a state of a trial step: it answers absurdly then, and remembers why."""

    refused: tuple[int, State] | None = None

    def __call__(self, t: float, y: np.ndarray) -> np.ndarray:
        raise NotImplementedError

    def absurd(self, status: int, x: State, n: int) -> np.ndarray:
        """Return a slope (n,) that makes a method try a smaller step: a trial step went too far."""
        self.refused = status, x
        return np.full(n, 1e30)

    def refuses(self, t: float, y: np.ndarray) -> bool:
        """Tell if there is none where a step ends, after one was refused: methods believe slopes that are alike."""
        if self.refused is None:
            return False
        before, self.refused = self.refused, None
        self(t, y)
        refused, self.refused = self.refused is not None, before
        return refused

    def failed(self, method: str, t: float, message: str | None) -> NoReturn:
        """Say why a method cannot go on."""
        raise NotImplementedError


class LoopSlope(Refusing):
    """The right-hand side of a closed loop: dy/dt of y = [q; v; z].

    inside : times between which it is asked: of what jumps at these it sees the side inside
    """

    inside = -np.inf, np.inf

    def __init__(self, loop: ClosedLoop):
        self.loop, self.system, self.closed = loop, loop.system, bool(loop.system.model.closures)
        self.slope = np.zeros(len(loop.loop.y))

    def __call__(self, t: float, y: np.ndarray) -> np.ndarray:
        loop, nq, n = self.loop, self.system.nq, self.system.nq + self.system.nv
        t = min(max(t, self.inside[0]), self.inside[1])
        q, v, status = y[:nq].copy(), y[nq:n].copy(), 0
        slope = self.slope = np.empty(len(y))
        if n < len(y):
            loop.loop.z[:] = y[n:]
        if self.closed:
            status = loop.arrive(q, v, t) if loop.plan.ahead else loop.scratch.project(q, v)
        status = status or loop.right_side(q, v, t, slope[:nq], slope[nq:n])
        if loop.plan.parts:
            loop.tapes.check()
        if status != 0:
            return self.absurd(status, State(self.system.layout, q, v), len(y))
        if n < len(y):
            slope[n:] = loop.loop.zdot
        return slope

    def failed(self, method: str, t: float, message: str | None) -> NoReturn:
        """Say why a method cannot go on: what forward dynamics refused, or which velocity runs away."""
        if self.refused:
            refuse(self.system, *self.refused, self.loop.loop.tau)
        names, nq = self.system.velocity_names(), self.system.nq
        vdot = np.abs(np.nan_to_num(self.slope[nq : nq + self.system.nv], nan=np.inf))
        k = int(np.argmax(vdot)) if len(vdot) else 0
        raise SolverError(
            f"the method {method} stopped at t = {t:.6g}",
            where=f"velocity '{names[k]}'" if names else None,
            got=f"an acceleration of {self.slope[nq + k]:.3g}" if names else None,
            hint=message,
        )


class Solver:
    """Steps of a solver of scipy, begun anew at every instant at which something is asked or done.

    steps, evaluations : so far
    """

    def __init__(self, method: Library, first: float, longest: float, rtol: float, atol: float):
        self.method, self.first, self.longest, self.rtol, self.atol = method, first, longest, rtol, atol
        self.steps = self.evaluations = 0
        self.last: float | None = None  # step that the solver would have tried next

    def steps_to(self, slope: Refusing, t: float, y: np.ndarray, stop: float) -> Iterator[OdeSolver]:
        """Yield the solver after every step from y at t to a time; whoever is satisfied earlier leaves."""
        begin = min(stop - t, self.last or self.first, self.longest)
        solver = getattr(scipy.integrate, self.method.solver)(
            slope, t, y, stop, first_step=begin, rtol=self.rtol, atol=self.atol, max_step=self.longest
        )
        self.last = None
        counted = crawled = 0  # steps in a row that hardly move
        longest = 0.0
        while solver.status == "running":
            if crawled == 0:
                slope.refused = None
            message = solver.step()
            self.evaluations, counted = self.evaluations + solver.nfev - counted, solver.nfev
            crawled = crawled + 1 if solver.t - solver.t_old < CRAWL * (1.0 + abs(stop)) else 0
            lost = not np.isfinite(solver.y).all() or slope.refuses(solver.t, solver.y)
            if solver.status == "failed" or crawled >= MOST_CRAWLED or lost:
                slope.failed(self.method.name, solver.t, message)
            self.steps += 1
            longest = max(longest, solver.t - solver.t_old)
            yield solver
        self.last = longest


Inside = Callable[[float], Whole]


class ByScipy:
    """Stretches of a flight as `ClosedLoop.stretch` makes them, by a solver of scipy.

    Steps end at samples and events. Where nothing is sampled rows of the log lie inside of them, by dense output.

    flush : empties the buffer of the log
    look : looks for events in a step, given the whole state by the time since its beginning, and what writes rows up to
        a time; tells if one happened
    keep : takes the curve of each step and when it begins, None: nobody wants them
    first : step that is tried first, None: its own choice
    """

    def __init__(
        self,
        loop: ClosedLoop,
        method: Library,
        flush: Callable[[], None],
        keep: Callable[[float, Curve], None] | None = None,
        first: float | None = None,
    ):
        self.keep, by = keep, loop.by
        self.rows = RowsBetween(loop, int(loop.loop.option[kernels.LOG_EVERY]), flush)
        self.look: Callable[[Inside, Callable[[float], None]], bool] | None = None
        begin = min(first or first_step(loop.system), by.longest)
        self.solver = Solver(method, begin, by.longest, by.rtol, by.atol)

    def stretch(self, q: np.ndarray, v: np.ndarray) -> int:
        """Go on from where `loop.now` is, q and v changed in place; return how it ended."""
        loop = self.loop.loop
        now, pace = loop.now, loop.pace
        while True:
            tick, over = int(now[kernels.TICK]), kernels.plain(flights.come_to)(loop, loop.pause[kernels.END])
            if now[kernels.NEXT] <= tick:
                if now[kernels.SAMPLED] == 0:
                    if kernels.plain(kernels.due)(loop, tick):
                        if kernels.plain(kernels.groups_full)(loop):
                            return flights.FULL
                        status = self.loop.sample(q, v, tick)
                        if status != 0:
                            return status
                    now[kernels.SAMPLED] = 1
                if over:
                    return flights.DONE
                kernels.plain(flights.plan_interval)(loop)
                if self.between:
                    now[kernels.NEXT] = tick + flights.FAR  # rows do not end steps
            status = self._interval(q, v)
            if status != 0:
                return status
            end = kernels.plain(flights.interval_end)(loop)
            if not kernels.plain(flights.come_to)(loop, end):
                return flights.DONE  # at an end between ticks
            now[kernels.TICK] = now[kernels.NEXT]
            now[kernels.SAMPLED] = 0
            pace[stretch.TIME] = end

    def _interval(self, q: np.ndarray, v: np.ndarray) -> int:
        """Go to the end of the interval, return 0 there; or to an event before, return how a stretch ends there."""
        loop, slope = self.loop.loop, LoopSlope(self.loop)
        end = kernels.plain(flights.target)(loop)
        t = float(loop.pace[stretch.TIME])
        status = self._ready(q, v, slope) if t < end else 0
        if status != 0:
            return status
        y = np.concatenate([q, v, loop.z])
        while t < end:
            stop = kernels.plain(flights.next_corner)(loop.corners, t, end)
            slope.inside = kernels.plain(just_after)(t), kernels.plain(just_before)(stop)
            for solver in self.solver.steps_to(slope, t, y, stop):
                rows = self.rows.times(solver.t_old, solver.t) if self.between else []
                looks = bool(rows) or self.look is not None
                curve = solver.dense_output() if looks or self.keep is not None else None  # more slopes
                inside = self._inside(solver.t_old, curve) if curve is not None and looks else None
                if curve is not None and self.keep is not None:
                    self.keep(solver.t_old, curve)
                self._arrive(solver.t, solver.y, q, v)
                if inside is not None:
                    write = partial(self.rows.write, rows, solver.t_old, inside)
                    if self.look is not None and self.look(inside, write):
                        return flights.STEPPED
                    write(solver.t)
                    self._arrive(solver.t, solver.y, q, v)
                status = self._ready(q, v, slope) if solver.t < end else 0
                if status != 0:
                    return status
            t, y = stop, np.concatenate([q, v, loop.z])
        halted = kernels.plain(flights.come_to)(loop, loop.pause[kernels.HALT_AT])
        return flights.TIMED if halted else 0

    @property
    def loop(self) -> ClosedLoop:
        """The loop of now."""
        return self.rows.loop

    @loop.setter
    def loop(self, loop: ClosedLoop) -> None:
        self.rows.loop = loop

    @property
    def between(self) -> bool:
        """Whether rows of the log lie between the ends of steps."""
        return not self.loop.plan.sampled and int(self.loop.loop.option[kernels.LOG_EVERY]) > 0

    def _inside(self, begin: float, curve: Curve) -> Inside:
        """Return the state inside a step by the time since its beginning."""
        system = self.loop.system

        def at(s: float) -> Whole:
            q, v = np.empty(system.nq), np.empty(system.nv)
            self._arrive(begin + s, curve(begin + s), q, v)
            return Whole(system.layout, q, v, self.loop.loop.z)

        return at

    def _arrive(self, t: float, y: np.ndarray, q: np.ndarray, v: np.ndarray) -> None:
        """Stand at a point of the solution: what is known, quaternions and closures as they belong."""
        system, loop = self.loop.system, self.loop.loop
        n = system.nq + system.nv
        q[:], v[:], loop.z[:] = y[: system.nq], y[system.nq : n], y[n:]
        if self.loop.arrive(q, v, t) != 0:
            raise SolverError(f"closures cannot be held at t = {t:.6g}")
        loop.pace[stretch.TIME] = t

    def _ready(self, q: np.ndarray, v: np.ndarray, slope: LoopSlope) -> int:
        """Log where a step begins, if that is due; return 0 or how a stretch ends there."""
        loop, t = self.loop.loop, float(self.loop.loop.pace[stretch.TIME])
        logged = bool(kernels.plain(flights.row_due)(loop))
        if logged and loop.now[kernels.ROWS] >= len(loop.log):
            return flights.FULL
        if t >= loop.pause[0]:
            return flights.PAUSED
        if not logged:
            return 0
        return self.loop.right_side(q, v, t, np.empty_like(q), np.empty_like(v), row=True)
