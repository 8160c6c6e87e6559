"""Steps that explicit methods bear: h |λ|_max below 2.8 for RK4, λ of the vehicle's fastest mode.

A mode that a closure or a joint makes nearly massless may be damped beyond its critical damping by the structure's
dampers: then it is not its frequency but its rate of decay that counts.
"""

from __future__ import annotations

import numpy as np

from interstage.errors import InterstageError, SolverError
from interstage.multibody import System
from interstage.system.locks import Locks
from interstage.system.methods import Compiled, Method

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
    if step is not None and isinstance(method, Compiled):
        hint = locks.hint(system, q, v, step) or hint
    lost = where or _lost(system, q, v)
    return SolverError(f"the simulation went to infinity at t = {t:.6g}", where=lost, hint=hint)


def is_sane(q: np.ndarray, v: np.ndarray) -> bool:
    """Return whether a state is one of a run that goes on: what it is refused for is then a fault of the model."""
    return bool(np.isfinite(q).all() and np.abs(v).max(initial=0.0) < SANE)


def too_long(system: System, method: Method, step: float) -> bool:
    """Return whether equal steps are beyond what an explicit method takes of the fastest mode."""
    explicit = isinstance(method, Compiled) and not method.implicit
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
