"""What a run says where it cannot go on, or where its steps are too long for gimbals or modes.

Gimbals that pass near lock in fixed steps too long for it: each is warned of once.

Steps that explicit methods bear: h |λ|_max below 2.8 for RK4, λ of the vehicle's fastest mode.

A mode that a closure or a joint makes nearly massless may be damped beyond its critical damping by the structure's
dampers: then it is not its frequency but its rate of decay that counts.

What a run says where it cannot go on.
"""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

import numpy as np

from interstage.errors import (
    GimbalLockWarning,
    InterstageError,
    SolverError,
    caller_level,
)
from interstage.multibody import State, System
from interstage.multibody.queries import near_lock, refuse
from interstage.simulation.run.integrators import (
    CompiledMethod,
    Method,
)
from interstage.simulation.run.integrators import (
    integration_loop as flights,
)
from interstage.simulation.run.integrators import (
    step_control as stretch,
)
from interstage.simulation.run.integrators.step_control import NEAR_LOCK

if TYPE_CHECKING:
    from interstage.simulation.run.integration import Integrator


class Locks:
    """Gimbals near lock of one run.

    most : how far one may turn in a step;  passed : {body: time} of those that passed near lock
    """

    def __init__(self, most: float):
        self.most, self.passed = most, dict[str, float]()

    def note(self, system: System, h: float, near: np.ndarray) -> None:
        """Warn of gimbals that went too far in a step of h.

        near : (2, gimbals) the farthest that each went in a step near lock, and when
        """
        for i, far, t in zip(system.tree.gimbals, *near):
            name = system.bodies[i]
            if far <= self.most or name in self.passed or system.joint_mode(name) != "free":
                continue
            self.passed[name] = float(t)
            shorter = f"steps below {self.most * h / far:.1g}" if far < 100.0 else "much smaller steps"
            warnings.warn(
                f"the Gimbal joint of body '{name}' passes near lock at t = {t:.6g}: it turns {far:.2g}"
                f" radians in a step of {h:g}, energy is not kept; use {shorter}, an adaptive method or a Ball joint",
                GimbalLockWarning,
                stacklevel=caller_level(),
            )

    def hint(self, system: System, q: np.ndarray, v: np.ndarray, h: float) -> str:
        """Return what to do where a run went to infinity by gimbals near lock, "" where none are."""
        spun = [system.bodies[i] for i in system.tree.gimbals]
        spun = [b for b in spun if not h * np.abs(v[system.layout[b].v]).max() < 1.0]
        locked = list(self.passed) or near_lock(system, q, NEAR_LOCK) or spun
        named = ", ".join(f"{body!r}" for body in locked)
        return f"gimbal lock of {named}: use a Ball joint, or a smaller step" if locked else ""


STABLE = 2.8  # h |λ| on the imaginary axis; 2.79 on the real one
SANE = 1e6  # velocities beyond this are those of a run that blows up


def went_to_infinity(
    system: System,
    t: float,
    q: np.ndarray,
    v: np.ndarray,
    method: Method,
    step: float | None,
    locks: Locks,
    where: str = "",
) -> SolverError:
    """Return what to say of a run that blew up at t: which number, and what steps it would take.

    step : of equal ones, None: the method has its own;  where : what it is that is lost, beside the vehicle
    """
    hint = "use a smaller step"
    if step is not None and too_long(system, method, step):
        hint = too_fast(fastest_of(system))
    if step is not None and isinstance(method, CompiledMethod):
        hint = locks.hint(system, q, v, step) or hint
    lost = where or _lost(system, q, v)
    return SolverError(f"the simulation went to infinity at t = {t:.6g}", where=lost, hint=hint)


def is_sane(q: np.ndarray, v: np.ndarray) -> bool:
    """Return whether a state is one of a run that goes on: what it is refused for is then a fault of the model."""
    return bool(np.isfinite(q).all() and np.abs(v).max(initial=0.0) < SANE)


def too_long(system: System, method: Method, step: float) -> bool:
    """Return whether equal steps are beyond what an explicit method takes of the fastest mode."""
    explicit = isinstance(method, CompiledMethod) and not method.implicit
    return explicit and fastest_of(system) * step > STABLE


def _lost(system: System, q: np.ndarray, v: np.ndarray) -> str:
    """Return the name of the first number that is none, or of the largest velocity."""
    for what, values, names in (("q", q, system.layout.coordinates()), ("v", v, system.layout.velocities())):
        bad = np.flatnonzero(~np.isfinite(values))
        if len(bad) == 0 and what == "v" and len(v):
            bad = np.array([np.argmax(np.abs(v))])
        if len(bad):
            return f"{what} of '{names[bad[0]].name}' is {values[bad[0]]:.3g}"
    return ""


def too_fast(fastest: float) -> str:
    """Say what steps a circular frequency needs."""
    hz = fastest / (2.0 * np.pi)
    below = f"{STABLE / fastest:.2g}"
    return f"the fastest mode ({hz:.3g} Hz) needs steps below {below}: use method='ros3' or method='ros2'"


def fastest_of(system: System) -> float:
    """Return the highest circular frequency or rate of decay (1/s): of the vehicle as it is joined, and of its parts.

    λ² + d λ + ω² = 0 has |λ| ≤ max(ω, d), d the largest eigenvalue of damping in modes of unit mass.
    """
    parts = float(np.sqrt(system.tree.v_stiffness.max(initial=0.0)))
    if system.nv > 600:
        return parts
    try:
        modes = system.modes()
    except InterstageError:
        return parts
    damping = modes.shapes.T @ system.damping_matrix() @ modes.shapes
    decay = float(np.linalg.eigvalsh(0.5 * (damping + damping.T)).max(initial=0.0))
    return max(parts, 2.0 * np.pi * float(modes.frequencies_hz.max(initial=0.0)), decay)


GOES_ON = (flights.DONE, flights.FULL, flights.PAUSED, flights.STEPPED, flights.TIMED)


def check(run: Integrator, status: int) -> None:
    """Refuse what forward dynamics refused, and numbers that are none."""
    run.loop.tapes.check()
    z = run.loop.tapes.vectors["z"]
    if not (np.isfinite(run.q).all() and np.isfinite(run.v).all()):
        raise _infinite(run)
    if len(z) and not np.isfinite(z).all():
        states = {n: slot for n, slot in run.plan.slots.items() if slot.kind == "z"}
        lost = next(n for n, slot in states.items() if not np.isfinite(z[slot.where]).all())
        raise _infinite(run, f"'{lost}'")
    if status in GOES_ON:
        return
    _check_pushes(run)
    fixed = None if run.by.step is None else float(run.step)
    if not is_sane(run.q, run.v) or (fixed and too_long(run.system, run.method, fixed)):
        raise _infinite(run)
    if run.by.step is None and _goes_on(run):
        raise SolverError(
            f"the method {run.method} stopped at t = {run.t:.6g}",
            got=f"steps of {run.loop.loop.pace[stretch.STEP]:.3g} s",
            hint="what devices say may jump there: declare an event or sample it",
        )
    refuse(run.system, status, State(run.system.layout, run.q, run.v), run.loop.loop.tau)


def _infinite(run: Integrator, where: str = "") -> SolverError:
    """Return what to say of a run that goes to infinity."""
    step = None if run.by.step is None else float(run.step)
    return went_to_infinity(run.system, run.t, run.q, run.v, run.method, step, run.locks, where)


def _goes_on(run: Integrator) -> bool:
    """Tell if there is a slope where the run stands."""
    q, v = run.q.copy(), run.v.copy()
    return run.loop.right_side(q, v, run.t, np.empty_like(q), np.empty_like(v)) == 0


def _check_pushes(run: Integrator) -> None:
    """Refuse forces that are no numbers: forward dynamics cannot tell where they come from."""
    for touch in run.plan.pushes:
        value = run.loop.tapes.vectors["s"][touch.slot.where]
        if not np.isfinite(value).all():
            raise SolverError(f"'{touch.port}' is not finite at t = {run.t:.6g}", got=str(value))
