"""Adaptive methods of scipy, one step at a time, with dense output between."""

from __future__ import annotations

from typing import Any, NoReturn

import numpy as np
from scipy import integrate

from interstage.errors import SolverError
from interstage.multibody import State
from interstage.system.methods import Library
from interstage.system.run import Run
from interstage.system.stepper import Logged, Pace, Stepper

CRAWL = 1e-13  # steps shorter than this, beside the time to reach, hardly move
MOST_CRAWLED = 1000


class Slope:
    """The right-hand side of a run: dy/dt of y = [q; v]."""

    def __init__(self, run: Run):
        self.run, self.system = run, run.system
        self.qdot, self.vdot = np.empty(self.system.nq), np.empty(self.system.nv)
        self.refused: tuple[int, State] | None = None

    def __call__(self, t: float, y: np.ndarray) -> np.ndarray:
        run, system, nq = self.run, self.system, self.system.nq
        engine = system.engine
        q, v, tau = y[:nq].copy(), y[nq:].copy(), run.tau
        if run.needs_feed:
            tau = tau.copy()
            run.write(t, q, v, tau)
        # closures: the slope where they hold, nearest to here, so that errors of the method do not add up
        status = engine.project(q, v) if system.model.closures else 0
        engine.rates(q, v, self.qdot)
        status = status or engine.forward(q, v, tau, run.sites, run.wrenches, self.vdot)
        if status != 0:
            # a trial step went too far: an absurd slope makes the method try a smaller one
            self.refused = status, State(system.layout, q, v)
            return np.full(len(y), 1e30)
        return np.concatenate([self.qdot, self.vdot])

    def refuses(self, t: float, y: np.ndarray) -> bool:
        """Tell if there is none where a step ends, after one was refused: methods believe slopes that are alike."""
        if self.refused is None:
            return False
        before, self.refused = self.refused, None
        self(t, y)
        refused, self.refused = self.refused is not None, before
        return refused

    def failed(self, method: str, solver: integrate.OdeSolver, message: str | None) -> NoReturn:
        """Say why a method cannot go on: what forward dynamics refused, or which velocity runs away."""
        if self.refused:
            self.system.refuse(*self.refused)
        k = int(np.argmax(np.abs(np.nan_to_num(self.vdot, nan=np.inf)))) if self.system.nv else 0
        names = self.system.velocity_names()
        raise SolverError(
            f"the method {method} stopped at t = {solver.t:.6g}",
            where=f"velocity '{names[k]}'" if names else None,
            got=f"an acceleration of {self.vdot[k]:.3g}" if names else None,
            hint=message,
        )


class ByLibrary(Stepper):
    """Steps of a solver of scipy, begun anew at every instant at which something is asked or done."""

    method: Library

    def __init__(self, run: Run, method: Library, pace: Pace):
        super().__init__(run, method, pace)
        self.logged = Logged(pace)
        self.steps = self.evaluations = 0
        self.last: float | None = None  # step that the solver would have tried next

    def info(self) -> dict[str, Any]:
        """Return how the run was made."""
        return {"method": self.method.name, "steps": self.steps, "evaluations": self.evaluations}

    def go(self, stop: float) -> None:
        """Integrate to a time or to the first event before it."""
        run, pace = self.run, self.pace
        slope = Slope(run)
        fastest = float(np.sqrt(run.system.tree.v_stiffness.max(initial=0.0)))
        begin = self.last or pace.step or min(1e-3, 0.1 / (fastest + 1e-30))
        y = np.concatenate([run.x.q, run.x.v])
        solver = getattr(integrate, self.method.solver)(
            slope, run.t, y, stop, first_step=min(stop - run.t, begin, pace.max_step),
            rtol=pace.rtol, atol=pace.atol, max_step=pace.max_step,
        )  # fmt: skip
        self.last = None
        crawled, longest = 0, 0.0  # steps in a row that hardly move
        while solver.status == "running":
            if crawled == 0:
                slope.refused = None
            message = solver.step()
            crawled = crawled + 1 if solver.t - solver.t_old < CRAWL * (1.0 + abs(stop)) else 0
            lost = not np.isfinite(solver.y).all() or slope.refuses(solver.t, solver.y)
            if solver.status == "failed" or crawled >= MOST_CRAWLED or lost:
                slope.failed(self.method.name, solver, message)
            self.steps += 1
            longest = max(longest, solver.t - solver.t_old)
            if self.stepped(solver):
                self.evaluations += solver.nfev
                return
        self.evaluations += solver.nfev
        self.last = longest

    def stepped(self, solver: integrate.OdeSolver) -> bool:
        """Take note of a step; tell if an event happened in it."""
        run, t0, t1 = self.run, solver.t_old, solver.t
        for bound in run.motions.values():
            bound.table(np.linspace(t0, t1, 3))  # says where it jumps
        return self.passed(t0, t1, run.tidied(t1, solver.y), solver.dense_output())
