"""Steps that explicit methods bear: h |λ|_max below 2.8 for RK4, λ of the vehicle's fastest mode.

A mode that a closure or a joint makes nearly massless may be damped beyond its critical damping by the structure's
dampers: then it is not its frequency but its rate of decay that counts.
"""

from __future__ import annotations

import numpy as np

from interstage.errors import InterstageError
from interstage.multibody import System

STABLE = 2.8  # h |λ| on the imaginary axis; 2.79 on the real one


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
