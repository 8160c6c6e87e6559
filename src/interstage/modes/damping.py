"""Damping of modes: a ratio, one ratio a mode, a table against frequency, or matrices.

With mass-normalized modes the modal damping matrix is `C = diag(2 zeta w) + Pi' B Pi`; structural damping
K4 enters as the viscous damping that takes the same energy at each mode's own frequency, `zeta += (Pi' K4
Pi)_rr / (2 w^2)`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from interstage.errors import InputError


def damping_ratios(damping: Any, frequencies_hz: np.ndarray) -> np.ndarray:
    """Return one ratio a mode from a number, an array (n,), or a table (k,2) of frequency in Hz and ratio.

    A table is linear between its points and constant beyond them, as are lists of pairs.
    """
    n = len(frequencies_hz)
    if damping is None:
        return np.zeros(n)
    if isinstance(damping, dict):
        damping = sorted(damping.items())
    try:
        values = np.asarray(damping, dtype=float)
    except (TypeError, ValueError):
        values = np.full(1, np.nan)
    if values.ndim == 2 and values.shape[1] == 2 and len(values):
        table = values[np.argsort(values[:, 0], kind="stable")]
        values = np.interp(frequencies_hz, table[:, 0], table[:, 1])
    elif values.ndim == 0:
        values = np.full(n, float(values))
    if values.shape != (n,) or not np.all(np.isfinite(values)) or np.any(values < 0):
        raise InputError(
            "the damping is not usable",
            expected=f"a ratio >= 0, {n} ratios (one a mode), or a table of pairs (frequency in Hz, ratio)",
            got=f"{damping!r}"[:80],
        )
    return values


def damping_matrix(
    frequencies_hz: np.ndarray, ratios: np.ndarray, viscous: np.ndarray | None, structural: np.ndarray | None
) -> tuple[np.ndarray, np.ndarray]:
    """Return the modal damping matrix (n,n) and the ratio of its diagonal (n,).

    viscous, structural : (n,n) Pi' B Pi and Pi' K4 Pi, or None
    """
    w = 2 * np.pi * frequencies_hz
    C = np.diag(2 * ratios * w)
    if structural is not None:
        C += np.diag(np.diag(structural) / w)
    if viscous is not None:
        C += viscous
    return C, np.diag(C) / (2 * w)
