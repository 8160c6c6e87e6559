"""Flights by adaptive methods of scipy: Python between due ticks, the loop's right-hand side in compiled code."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from interstage.errors import SolverError
from interstage.system import loop_kernels as kernels
from interstage.system.closed_loop import ClosedLoop
from interstage.system.dense import Curve
from interstage.system.flight_events import Whole
from interstage.system.kernels import flights, stretch
from interstage.system.kernels.slope import just_after, just_before
from interstage.system.library import LoopSlope, Solver
from interstage.system.methods import Library
from interstage.system.rows_between import RowsBetween
from interstage.system.tolerance import first_step

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
