"""Run a system in time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.integrate import solve_ivp

from interstage.errors import InputError, SolverError
from interstage.multibody import State, System
from interstage.multibody.handle import COMPILED
from interstage.system.integrators import GAMMA, advance, enter_advance
from interstage.system.log import Log

FIXED = ("rk4", "ros2")
ADAPTIVE = {"rk45": "RK45", "dop853": "DOP853", "radau": "Radau", "bdf": "BDF", "lsoda": "LSODA"}

Control = Callable[[float, State], Any]


def simulate(
    system: System,
    x: State,
    until: float,
    step: float | None = None,
    *,
    method: str | None = None,
    forces: dict | None = None,
    tau: ArrayLike | None = None,
    control: Control | None = None,
    control_step: float | None = None,
    log_step: float | None = None,
    rtol: float = 1e-9,
    atol: float = 1e-9,
) -> Log:
    """Integrate from state x at t = 0 and return the log.

    Parameters
    ----------
    until : end time;  step : time step of the fixed-step methods
    method : "rk4" (default where `step` is given) or "ros2" (stiff modes do not limit the step), in compiled
        loops; adaptive "dop853" (default without `step`), "rk45", and stiff "radau", "bdf", "lsoda"
    forces : constant wrenches {(body, node): [t; f]}, world axes;  tau : constant generalized forces (nv,)
    control : called as control(t, x) every `control_step`, returns {"tau": ..., "forces": ...} or tau, held between
    log_step : time between logged states (default: every step; adaptive: where the method steps)
    rtol, atol : tolerances of the adaptive methods
    """
    if not np.isfinite(until) or until <= 0.0:
        raise InputError("the end time must be positive", where="until", got=f"{until}")
    method = method or ("rk4" if step is not None else "dop853")
    if method not in FIXED and method not in ADAPTIVE:
        raise InputError("unknown method", expected=", ".join([*FIXED, *ADAPTIVE]), got=repr(method))
    if method in FIXED and (step is None or not np.isfinite(step) or step <= 0.0):
        raise InputError(f"method {method} needs a positive step", where="step", got=f"{step}")
    if not (np.isfinite(x.q).all() and np.isfinite(x.v).all()):
        system._refuse(-1, x)
    run = _Run(system, x, forces, tau)
    if method in ADAPTIVE:
        if control is not None:
            raise InputError(
                "a control law is sampled: use a fixed-step method", expected="rk4 or ros2", got=method
            )
        return _adaptive(run, until, ADAPTIVE[method], step, log_step, rtol, atol)
    return _fixed(run, until, step, method == "ros2", control, control_step, log_step)


class _Run:
    """The state on its way, and the loads on it."""

    def __init__(self, system: System, x: State, forces: dict | None, tau: Any):
        self.system = system
        self.forces = forces
        self.x = x.copy(np.float64)
        self.tau = np.zeros(system.nv)
        self.load(forces, tau)

    def load(self, forces: dict | None, tau: Any) -> None:
        """Set wrenches and generalized forces."""
        self.sites, self.wrenches = self.system._loads(forces, "world", self.x)
        if tau is not None:
            tau = np.asarray(tau, dtype=float)
            if tau.shape != (self.system.nv,):
                raise InputError(
                    "tau does not fit", expected=f"{self.system.nv} numbers", got=f"shape {tau.shape}"
                )
            self.tau = np.ascontiguousarray(tau)

    def command(self, law: Control, t: float) -> None:
        """Ask the control law for new loads."""
        answer = law(t, self.x.copy())
        if isinstance(answer, dict):
            unknown = set(answer) - {"tau", "forces"}
            if unknown:
                raise InputError(
                    "unknown result of the control law", expected="tau, forces", got=f"{sorted(unknown)}"
                )
            self.load(answer.get("forces", self.forces), answer.get("tau"))
        elif answer is not None:
            self.load(self.forces, answer)


def _count(total: float, part: float, what: str) -> int:
    """Return how many parts make the total, or say that they do not."""
    n = round(total / part)
    if n < 1 or abs(n * part - total) > 1e-6 * part:
        raise InputError(
            f"{what} is not a whole number of steps", expected=f"a multiple of {part:g}", got=f"{total:g}"
        )
    return n


def _fixed(run: _Run, until: float, step: float, implicit: bool, law, control_step, log_step) -> Log:
    """Take fixed steps in compiled loops, from one control sample to the next."""
    system = run.system
    steps = _count(until, step, "until")
    every = 1 if log_step is None else _count(log_step, step, "log_step")
    chunk = (
        steps if law is None else (1 if control_step is None else _count(control_step, step, "control_step"))
    )
    if chunk % every and chunk != steps and every % chunk:
        raise InputError("log_step and control_step do not fit", expected="one a multiple of the other")
    q, v = run.x.q, run.x.v
    log_t, log_q, log_v = [np.zeros(1)], [q[None].copy()], [v[None].copy()]
    engine = system.engine
    work = engine.work(np.float64)
    if implicit:
        stiff = np.where(system.tree.v_q >= 0, 1.0, 0.0)
        g = GAMMA * step
        work.shift[:] = stiff * (g * system.tree.v_damping + g * g * system.tree.v_stiffness)
        engine.prepare(np.float64)
    scratch = np.empty((8, max(system.nq, system.nv, 1)))
    try:
        done = 0
        while done < steps:
            if law is not None:
                run.command(law, done * step)
                if (
                    system.engine is not engine
                ):  # a load on a new node made new arrays: keep the implicit shift
                    system.engine.work(np.float64).shift[:] = work.shift
                    engine, work = system.engine, system.engine.work(np.float64)
                    engine.prepare(np.float64)
            n = min(chunk, steps - done)
            inner = every if n % every == 0 or law is None else n
            rows = n // inner
            part_q, part_v = np.empty((rows, system.nq)), np.empty((rows, system.nv))
            loads = (run.tau, run.sites, run.wrenches)
            rest = (step, n, inner, scratch, part_q, part_v)
            if COMPILED:
                status, taken = enter_advance(
                    engine.handle(np.float64, "forward"), implicit, q, v, *loads, *rest
                )
            else:
                status, taken = advance(engine.tree, work, implicit, q, v, *loads, *rest)
            if status != 0:
                _failed(run, status, (done + taken) * step, step, implicit)
            numbers = done + inner * np.arange(1, rows + 1)
            keep = numbers % every == 0
            log_t.append(step * numbers[keep])
            log_q.append(part_q[keep])
            log_v.append(part_v[keep])
            done += n
    finally:
        if implicit:
            work.shift[:] = 0.0
            engine.prepare(np.float64)
    info = {"method": "ros2" if implicit else "rk4", "step": step, "steps": steps}
    return Log(system, np.concatenate(log_t), np.concatenate(log_q), np.concatenate(log_v), info)


def _failed(run: _Run, status: int, t: float, step: float, implicit: bool) -> None:
    """Say why a run stopped."""
    fastest = float(np.sqrt(run.system.tree.v_stiffness.max(initial=0.0)))
    hint = "use a smaller step"
    if not implicit and fastest * step > 2.8:
        hz = fastest / (2.0 * np.pi)
        hint = f"the fastest mode ({hz:.3g} Hz) needs steps below {2.8 / fastest:.2g}: use method='ros2'"
    elif status > 0 and max(np.abs(run.x.q).max(initial=0.0), np.abs(run.x.v).max(initial=0.0)) < 1e6:
        run.system._refuse(status, run.x)
    raise SolverError(f"the simulation went to infinity at t = {t:.6g}", hint=hint)


def _adaptive(run: _Run, until: float, method: str, first, log_step, rtol: float, atol: float) -> Log:
    """Integrate by scipy, with dense output."""
    system, nq = run.system, run.system.nq
    engine, qdot, vdot = system.engine, np.empty(system.nq), np.empty(system.nv)
    refused: list[tuple[int, State]] = []

    def slope(_t, y):
        q, v = np.ascontiguousarray(y[:nq]), np.ascontiguousarray(y[nq:])
        engine.rates(q, v, qdot)
        status = engine.forward(q, v, run.tau, run.sites, run.wrenches, vdot)
        if status != 0:
            # a trial step went too far: an absurd slope makes the method try a smaller one
            refused[:] = [(status, system_state(system, q.copy(), v.copy()))]
            return np.full(len(y), 1e30)
        return np.concatenate([qdot, vdot])

    times = None if log_step is None else log_step * np.arange(_count(until, log_step, "until") + 1)
    y0 = np.concatenate([run.x.q, run.x.v])
    fastest = float(np.sqrt(system.tree.v_stiffness.max(initial=0.0)))
    options = {"first_step": min(until, first or min(1e-3, 0.1 / (fastest + 1e-30)))}
    result = solve_ivp(
        slope, (0.0, until), y0, method, times, dense_output=True, rtol=rtol, atol=atol, **options
    )
    if not result.success or not np.isfinite(result.y).all():
        if refused:
            system._refuse(*refused[0])
        raise SolverError(f"the method {method} stopped at t = {result.t[-1]:.6g}", hint=result.message)
    y = np.ascontiguousarray(result.y.T)
    info = {"method": method.lower(), "steps": len(result.sol.ts) - 1, "evaluations": int(result.nfev)}
    q = np.ascontiguousarray(y[:, :nq])
    for where in system._slices.values():
        if not where.joint.linear:
            part = q[:, where.q][:, :4]
            part /= np.linalg.norm(part, axis=1)[:, None]
    return Log(system, result.t, q, np.ascontiguousarray(y[:, nq:]), info, result.sol)


def system_state(system: System, q: np.ndarray, v: np.ndarray) -> State:
    """Return a state of arrays as they are, finite or not."""
    return State(system._slices, q, v)
