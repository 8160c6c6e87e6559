"""Damping of a burning vehicle by definition at the current mass.

    C = M_e Ψ diag(2 ζ ω) Ψ' M_e,   K Ψ = M_e Ψ ω²,  Ψ' M_e Ψ = 1,   M_e = G - M_ηr M_rr⁻¹ M_rη

so that every mode of the free vehicle has the ratio that is asked for, whatever the fill. A diagonal of shapes that are
not modes gives other ratios. ζ is a number or a function of the frequency: modes change their order over a burn.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np
import scipy.linalg as la

from interstage.component.damping import refuse_overcritical
from interstage.component.integrals import ModalIntegrals
from interstage.errors import InputError, shown

Ratio: TypeAlias = float | Callable[[float], float]


def damping_matrix(one: ModalIntegrals, ratio: Ratio) -> np.ndarray:
    """Return C (n, n) that gives every free mode at this fill its damping ratio."""
    M_e = one.effective_mass
    values, Psi = la.eigh(one.K, (M_e + M_e.T) / 2)
    omega = np.sqrt(np.maximum(values, 0.0))
    zeta = np.array([ratio_at(ratio, w / (2 * np.pi)) for w in omega])
    MPsi = M_e @ Psi
    return (MPsi * (2.0 * zeta * omega)) @ MPsi.T


def ratio_at(ratio: Ratio, hz: float) -> float:
    """Return a damping ratio at a frequency."""
    value = float(ratio(hz) if callable(ratio) else ratio)
    where = "damping" if not callable(ratio) else f"damping at {hz:.4g} Hz"
    if not value >= 0.0:
        raise InputError(
            "a damping ratio is not usable", where=where, expected="0 or more, as in 0.005", got=shown(value)
        )
    refuse_overcritical(value, where)
    return value
