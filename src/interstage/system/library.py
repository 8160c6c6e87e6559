"""Adaptive methods of scipy, one step at a time, with dense output between."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NoReturn

import numpy as np
import scipy

from interstage.errors import SolverError
from interstage.multibody import State
from interstage.multibody.diagnosis import refuse
from interstage.system.closed_loop import ClosedLoop
from interstage.system.methods import Library

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
