"""The motion between the ends of steps: dense output, rows of the log there, and looks inside single steps.

States inside a step, cheap enough to look for hidden crossings.

Coordinates follow the cubic through both ends and their rates; velocities the parabola through both ends and the
velocity v_m that the cubic has in the middle, so that a velocity that rises and falls within a step is seen to:

    q(u) = (1+2u)(1-u)² q0 + u(1-u)² h q̇0 + u²(3-2u) q1 + u²(u-1) h q̇1
    v(u) = (1-u) v0 + u v1 + 4u(1-u) (v_m - (v0+v1)/2),      N(q_m) v_m = q̇_m = 3(q1-q0)/2h - (q̇0+q̇1)/4

The motion between the rows of an adaptive run: one curve a step.

Rows of the log that lie between the ends of steps, by dense output.

Steps of a method's own, looked at one by one: their curves, rows of the log and events inside of them.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from interstage.errors import SolverError
from interstage.multibody import State, System
from interstage.multibody.queries import refuse
from interstage.simulation.plant import coupled_kernels as kernels
from interstage.simulation.run.coupled_system import ClosedLoop
from interstage.simulation.run.integrators import integration_loop as flights
from interstage.spatial.functions import matrix_from_quaternion, quaternion_product

if TYPE_CHECKING:
    from interstage.simulation.run.integration import Integrator


class Between:
    """The motion inside a step of length h from q, v to another state."""

    def __init__(self, system: System, q: np.ndarray, v: np.ndarray, end: State, h: float):
        self.system, self.h, self.end = system, h, end
        self.q, self.v = np.ascontiguousarray(q), np.ascontiguousarray(v)
        self.rates: tuple[np.ndarray, np.ndarray] | None = None

    def __call__(self, s: float) -> State:
        """Return the state at s into the step."""
        if self.rates is None:
            self._prepare()
        u = s / self.h
        q = self._coordinates(u)
        v = (1.0 - u) * self.v + u * self.end.v + 4.0 * u * (1.0 - u) * self.bulge
        return State(self.system.layout, q, v)

    def _prepare(self) -> None:
        """Find rates at both ends, and how far velocities leave the straight line between them."""
        self.rates = np.empty(self.system.nq), np.empty(self.system.nq)
        self.system.engine.rates(self.q, self.v, self.rates[0])
        self.system.engine.rates(self.end.q, self.end.v, self.rates[1])
        middle = 1.5 * (self.end.q - self.q) / self.h - 0.25 * (self.rates[0] + self.rates[1])
        self.bulge = self._velocities(self._coordinates(0.5), middle) - 0.5 * (self.v + self.end.v)

    def _coordinates(self, u: float) -> np.ndarray:
        assert self.rates is not None
        a, b, c, d = (1 + 2 * u) * (1 - u) ** 2, u * (1 - u) ** 2, u * u * (3 - 2 * u), u * u * (u - 1)
        q = a * self.q + self.h * b * self.rates[0] + c * self.end.q + self.h * d * self.rates[1]
        self.system.layout.normalize(q)
        return q

    def _velocities(self, q: np.ndarray, qdot: np.ndarray) -> np.ndarray:
        """Return v (nv,) with q̇ = N(q) v."""
        v_q = self.system.tree.v_q
        v = np.where(v_q >= 0, qdot[np.maximum(v_q, 0)], 0.0) if len(v_q) else np.zeros(0)
        for _, where in self.system.layout.turning():
            turn = q[where.quaternion]
            v[where.spin] = 2.0 * quaternion_product(turn * [1, -1, -1, -1], qdot[where.quaternion])[1:]
            if where.position is not None:
                v[where.drift] = matrix_from_quaternion(turn).T @ qdot[where.position]
        return v


Curve = Callable[[float], np.ndarray]


@dataclass
class Dense:
    """Curves y(t) = [q; v; …] of the steps of a phase, each from the time at which it begins."""

    begins: list[float] = field(default_factory=list)
    curves: list[Curve] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.curves)

    def add(self, t: float, curve: Curve) -> None:
        """Take the curve of a step that begins at t; from there on it stands for what others said."""
        self.begins.append(t)
        self.curves.append(curve)

    def __call__(self, t: float) -> np.ndarray:
        return self.curves[max(0, bisect_right(self.begins, t) - 1)](t)


@dataclass
class PolynomialStep:
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


Inside = Callable[[float], State]
Passed = Callable[[Callable[[float], None] | None], bool]


class RowsBetween:
    """Writes rows of the log at whole numbers of ticks inside of steps.

    every : ticks between rows;  flush : empties the buffer of the log
    """

    def __init__(self, loop: ClosedLoop, every: int, flush: Callable[[], None]):
        self.loop, self.every, self.flush = loop, every, flush

    def times(self, t0: float, t1: float) -> list[float]:
        """Return the times of rows after t0, up to t1."""
        num, den = (int(k) for k in self.loop.loop.clock)
        every, slack = self.every * num, flights.SLACK * (1.0 + abs(t1))
        first, last = (int((t + slack) * den / every) for t in (t0, t1))
        return [min(t1, k * every / den) for k in range(first + 1, last + 1)]

    def write(self, times: list[float], begin: float, inside: Inside, end: float) -> None:
        """Write rows up to an end to the log.

        inside : the state by the time since the step began
        """
        for t in times:
            if t > end:
                return
            loop = self.loop.loop
            if loop.now[kernels.ROWS] >= len(loop.log):
                self.flush()
            x = inside(t - begin)
            status = self.loop.right_side(x.q, x.v, t, np.empty_like(x.q), np.empty_like(x.v), row=True)
            if status != 0:
                refuse(self.loop.system, status, x)
            loop.pace[flights.LOGGED] = t


class SingleSteps:
    """Looks at every step that a run has taken.

    weights : of slopes, by which a method gives the motion inside of a step, None: a cubic does
    dense : the motion between rows, where it is kept;  between : writes rows inside of steps, None: they end steps
    taken : how many there were
    """

    def __init__(self, run: Integrator, weights: np.ndarray | None, dense: bool):
        self.run, self.weights, self.taken = run, weights, 0
        self.dense = Dense() if dense else None
        self.between: RowsBetween | None = None

    def look(self, passed: Passed | None) -> None:
        """Look at the step that compiled code has taken: keep its curve, write rows inside of it, let events happen.

        passed : looks for events in it and lets them happen, given what writes its rows; tells if there was one
        """
        self.taken += 1
        run = self.run
        t, t1, write = run.step_begun(), run.t, None
        if self.between is not None:
            self.between.loop = run.loop
        times = [] if self.between is None else self.between.times(t, t1)
        if self.dense is not None or times:
            curve = self._curve()
            if self.dense is not None:
                self.keep(t, curve)
            if self.between is not None and times:
                write = partial(self.between.write, times, t, partial(self._inside, t, curve))
        if passed is not None and passed(write):
            return
        if write is not None:
            write(t1)
            run.resume_at(t1)

    def keep(self, t: float, curve: Curve) -> None:
        """Keep the curve of a step that begins at t."""
        assert self.dense is not None
        self.dense.add(t, curve)

    def begin_phase(self) -> None:
        """Keep curves apart from those of another vehicle."""
        self.dense = None if self.dense is None else Dense()

    def _inside(self, begin: float, curve: Curve, s: float) -> State:
        """Return the state s into the step that begins at a time, by its curve: all as it belongs there."""
        run = self.run
        y, nq = curve(begin + s), run.system.nq
        q, v = y[:nq].copy(), y[nq:].copy()
        if run.loop.arrive(q, v, begin + s) != 0:
            raise SolverError(f"closures cannot be held at t = {begin + s:.6g}")
        return State(run.system.layout, q, v)

    def _curve(self) -> Curve:
        """Return the motion inside the last step of a compiled method as a function of time."""
        run, system, loop = self.run, self.run.system, self.run.loop.loop
        t, nq, n = run.step_begun(), system.nq, system.nq + system.nv
        y = loop.back[:n].copy()
        if self.weights is None:
            end = State(system.layout, run.q.copy(), run.v.copy())
            return Cubic(t, Between(system, y[:nq], y[nq:], end, run.t - t))
        return PolynomialStep(t, run.t - t, y, self.weights.T @ loop.slopes[0][:, :n])
