"""Steps of a method's own, looked at one by one: their curves, rows of the log and events inside of them."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from interstage.errors import SolverError
from interstage.multibody import State
from interstage.system.between import Between
from interstage.system.dense import Cubic, Curve, Dense, Polynomial
from interstage.system.rows_between import RowsBetween

if TYPE_CHECKING:
    from interstage.system.flight import Flight


class SingleSteps:
    """Looks at every step that a flight has taken.

    weights : of slopes, by which a method gives the motion inside of a step, None: a cubic does
    dense : the motion between rows, where it is kept;  between : writes rows inside of steps, None: they end steps
    taken : how many there were
    """

    def __init__(self, flight: Flight, weights: np.ndarray | None, dense: bool):
        self.flight, self.weights, self.taken = flight, weights, 0
        self.dense = Dense() if dense else None
        self.between: RowsBetween | None = None

    def look(self) -> None:
        """Look at the step that compiled code has taken: keep its curve, write rows inside of it, let events happen."""
        self.taken += 1
        flight = self.flight
        t, t1, write = flight.step_begun(), flight.t, None
        times = [] if self.between is None else self.between.times(t, t1)
        if self.dense is not None or times:
            curve = self._curve()
            if self.dense is not None:
                self.keep(t, curve)
            if self.between is not None and times:
                write = partial(self.between.write, times, t, partial(self._inside, t, curve))
        if flight.happening is not None and flight.happening.passed(write):
            return
        if write is not None:
            write(t1)
            flight.resume_at(t1)

    def keep(self, t: float, curve: Curve) -> None:
        """Keep the curve of a step that begins at t."""
        assert self.dense is not None
        self.dense.add(t, curve)

    def begin_phase(self) -> None:
        """Keep curves apart from those of another vehicle."""
        self.dense = None if self.dense is None else Dense()

    def _inside(self, begin: float, curve: Curve, s: float) -> State:
        """Return the state s into the step that begins at a time, by its curve: all as it belongs there."""
        flight = self.flight
        y, nq = curve(begin + s), flight.system.nq
        q, v = y[:nq].copy(), y[nq:].copy()
        if flight.loop.arrive(q, v, begin + s) != 0:
            raise SolverError(f"closures cannot be held at t = {begin + s:.6g}")
        return State(flight.system.layout, q, v)

    def _curve(self) -> Curve:
        """Return the motion inside the last step of a compiled method as a function of time."""
        flight, system, loop = self.flight, self.flight.system, self.flight.loop.loop
        t, nq, n = flight.step_begun(), system.nq, system.nq + system.nv
        y = loop.back[:n].copy()
        if self.weights is None:
            end = State(system.layout, flight.q.copy(), flight.v.copy())
            return Cubic(t, Between(system, y[:nq], y[nq:], end, flight.t - t))
        return Polynomial(t, flight.t - t, y, self.weights.T @ loop.slopes[0][:, :n])
