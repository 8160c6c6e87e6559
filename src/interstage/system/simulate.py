"""Run a system in time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from interstage.errors import InputError
from interstage.multibody import State, System
from interstage.multibody.topology import copy_of
from interstage.system.adaptive import METHODS, run_adaptive
from interstage.system.events import Event
from interstage.system.fixed import run_fixed
from interstage.system.histories import Motion
from interstage.system.log import Log
from interstage.system.run import Control, Run

FIXED = ("rk4", "ros2")


def simulate(
    system: System,
    x: State,
    until: float,
    step: float | None = None,
    *,
    method: str | None = None,
    forces: dict | None = None,
    tau: ArrayLike | Callable[[float], ArrayLike] | None = None,
    control: Control | None = None,
    control_step: float | None = None,
    motions: dict[str, Motion] | None = None,
    mass: dict[str, Any] | None = None,
    events: list[Event] | None = None,
    log_step: float | None = None,
    max_step: float | None = None,
    rtol: float = 1e-9,
    atol: float = 1e-9,
) -> Log:
    """Integrate from state x at t = 0 and return the log.

    Parameters
    ----------
    until : end time;  step : time step of the fixed-step methods
    method : "rk4" (default where `step` is given) or "ros2" (stiff modes do not limit the step), in compiled
        loops; adaptive "dop853" (default without `step`), "rk45", and stiff "radau", "bdf", "lsoda"
    forces : constant wrenches {(body, node): [t; f]}, world axes
    tau : generalized forces (nv,), constant or a function of time
    control : called as control(t, x) every `control_step`, returns {"tau": ..., "forces": ..., "accelerations": ...}
        (the last {body: q̈} of prescribed joints) or tau, held between; asked anew after an event that changed something
    motions : {body: Motion}, joints that follow a history from the start; `log.torque(body)` is what that needs
    mass : {body: f(t) or f(t, x)} of rigid bodies, returns a RigidInertia or (mass, com, inertia). What leaves (or
        comes) has the velocity of the body where it was: no velocity changes, and there is no thrust, and no
        damping by a flow inside the body, but what is applied. Functions of time are followed at every stage, those of
        the state are sampled at the beginning of each fixed step
    events : see `Event`; the log then has phases
    log_step : time between logged states (default: every step; adaptive: where the method steps)
    max_step, rtol, atol : of the adaptive methods

    The system is not changed: where events, motions or masses would change it the run has a copy.
    """
    if not np.isfinite(until) or until <= 0.0:
        raise InputError("the end time must be positive", where="until", got=f"{until}")
    method = method or ("rk4" if step is not None else "dop853")
    if method not in FIXED and method not in METHODS:
        raise InputError("unknown method", expected=", ".join([*FIXED, *METHODS]), got=repr(method))
    if method in FIXED and (step is None or not np.isfinite(step) or step <= 0.0):
        raise InputError(f"method {method} needs a positive step", where="step", got=f"{step}")
    if not (np.isfinite(x.q).all() and np.isfinite(x.v).all()):
        system._refuse(-1, x)
    for event in events or []:
        if not isinstance(event, Event):
            raise InputError("not an event", expected="as in ist.Event(condition=f)", got=repr(event))
    if events or motions or mass:
        system = copy_of(system)
    run = Run(system, x, forces, tau, motions or {}, mass or {}, events or [])
    system.check_closed(run.x)
    if method in METHODS:
        if control is not None:
            raise InputError(
                "a control law is sampled: use a fixed-step method", expected="rk4 or ros2", got=method
            )
        log = run_adaptive(run, until, method, step, max_step, log_step, rtol, atol)
    else:
        log = run_fixed(run, until, step, method == "ros2", control, control_step, log_step)
    if run.system._watched:
        run.system.warn_of_fidelity()
    return log
