"""Run with adaptive steps: scipy's methods, one step at a time, with dense output between."""

from __future__ import annotations

from typing import NoReturn

import numpy as np
from scipy.integrate import BDF, DOP853, LSODA, RK45, OdeSolver, Radau

from interstage.errors import SolverError
from interstage.multibody import State
from interstage.system.fixed import count
from interstage.system.log import Log
from interstage.system.run import Run

METHODS = {"rk45": RK45, "dop853": DOP853, "radau": Radau, "bdf": BDF, "lsoda": LSODA}
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

    def failed(self, method: str, solver: OdeSolver, message: str | None) -> NoReturn:
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

    def tidy(self, t: float, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return q and v of a point of the solution: quaternions of unit length, prescribed joints as prescribed."""
        q, v = y[: self.system.nq].copy(), y[self.system.nq :].copy()
        self.system.layout.normalize(q)
        for bound in self.run.motions.values():
            self.run._write_motion(bound, t, q, v)
        if self.system.model.closures:
            self.system.engine.project(q, v)
        return q, v


def run_adaptive(
    run: Run,
    until: float,
    method: str,
    first: float | None,
    max_step: float | None,
    log_step: float | None,
    rtol: float,
    atol: float,
) -> Log:
    """Integrate from event to event."""
    times = None if log_step is None else log_step * np.arange(count(until, log_step, "until") + 1)
    info = {"method": method, "steps": 0, "evaluations": 0}
    options = {"rtol": rtol, "atol": atol, "max_step": np.inf if max_step is None else max_step}
    run.watch.start(0.0, run.x)
    while not run.stopped:
        due = run.due(1e-12 * (1.0 + until))
        if due:
            run.fire(due)
            if run.stopped:
                break
        if run.t >= until:
            break
        stop = min(until, run.timed[0].at) if run.timed else until
        _stretch(run, stop, method, first, options, times, info)
    if times is None or run.stopped:
        run.add_now()
    return run.log(info)


def _stretch(run: Run, stop: float, method: str, first, options: dict, times, info: dict) -> None:
    """Integrate to a time or to the first event."""
    slope = Slope(run)
    fastest = float(np.sqrt(run.system.tree.v_stiffness.max(initial=0.0)))
    begin = min(stop - run.t, first or min(1e-3, 0.1 / (fastest + 1e-30)), options["max_step"])
    y0 = np.concatenate([run.x.q, run.x.v])
    solver = METHODS[method](slope, run.t, y0, stop, first_step=begin, **options)
    crawled = 0  # steps in a row that hardly move
    while solver.status == "running":
        if crawled == 0:
            slope.refused = None
        message = solver.step()
        crawled = crawled + 1 if solver.t - solver.t_old < CRAWL * (1.0 + abs(stop)) else 0
        if solver.status == "failed" or crawled >= MOST_CRAWLED or not np.isfinite(solver.y).all():
            slope.failed(method, solver, message)
        info["steps"] += 1
        dense = solver.dense_output()
        t0, h = solver.t_old, solver.t - solver.t_old
        hit = _look(run, slope, dense, t0, h) if len(run.watch) else None
        t1 = solver.t if hit is None else t0 + hit[0]
        for bound in run.motions.values():
            bound.table(np.linspace(t0, t1, 3))  # says where it jumps
        _record(run, slope, dense, t0, t1, times)
        q, v = slope.tidy(t1, dense(t1) if hit else solver.y)
        run.x, run.t = State(run.system.layout, q, v), t1
        if times is None and hit is None:
            run.add_now()
        if hit is not None:
            info["evaluations"] += solver.nfev
            run.fire(hit[1])
            return
    info["evaluations"] += solver.nfev


def _look(run: Run, slope: Slope, dense, t0: float, h: float):
    """Return the first event in a step: the dense output is the motion."""

    def state(s: float) -> State:
        return State(run.system.layout, *slope.tidy(t0 + s, dense(t0 + s)))

    return run.watch.first_crossing(t0, h, state(h), state, state)


def _record(run: Run, slope: Slope, dense, t0: float, t1: float, times) -> None:
    """Keep the dense output up to t1 where it is wanted, and log what falls due."""
    if run.keeps_dense:
        run.dense.append((t0, t1, dense))
    if times is None:
        return
    for t in times[(times > t0) & (times <= t1)]:
        q, v = slope.tidy(t, dense(t))
        run.add_rows(np.array([t]), q[None], v[None])
