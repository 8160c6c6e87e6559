"""Steps that explicit methods bear: h ω_max below 2.8 for RK4, ω_max of the fastest mode of the vehicle."""

from __future__ import annotations

import numpy as np

from interstage.errors import InterstageError
from interstage.multibody import System

STABLE = 2.8  # h ω on the imaginary axis


def too_fast(fastest: float) -> str:
    """Say what steps a circular frequency needs."""
    hz = fastest / (2.0 * np.pi)
    below = f"{STABLE / fastest:.2g}"
    return f"the fastest mode ({hz:.3g} Hz) needs steps below {below}: use method='ros3' or method='ros2'"


def fastest_of(system: System) -> float:
    """Return the highest circular frequency: that of the vehicle as it is joined, above those of its parts."""
    parts = float(np.sqrt(system.tree.v_stiffness.max(initial=0.0)))
    if system.nv > 600:
        return parts
    try:
        return max(parts, 2.0 * np.pi * float(system.modes().frequencies_hz.max(initial=0.0)))
    except InterstageError:
        return parts
