"""Rows of closures that hold, and what they answer with: J M⁻¹Jᵀ, and the part of it below which nothing moves."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from interstage.multibody.state import State

if TYPE_CHECKING:
    from interstage.multibody.api.dynamics import Dynamics


def kept(system: Dynamics) -> np.ndarray:
    """Return the numbers of the rows that are not left out."""
    return np.flatnonzero(system.settings.row_keep)


def in_use(system: Dynamics) -> np.ndarray:
    """Return a mask (m,) of the rows of closures that are not open."""
    closed = np.array([spec.name not in system.settings.opened for spec in system.model.closures], dtype=bool)
    return np.repeat(closed, np.diff(system.tree.closure_row))


def answers(system: Dynamics, x: State) -> tuple[np.ndarray, np.ndarray, int]:
    """Return J M⁻¹Jᵀ (m, m) of the rows in use, the answers (m,) below which rows cannot move, and the status."""
    view = system.with_settings()
    view.settings.row_keep[:] = in_use(system)
    with view.engine.borrow(np.dtype(np.float64)) as scratch:
        status = scratch.closure_response(x.q.real.copy(), np.zeros(system.nv))
        return scratch.work.closure_L.copy(), scratch.work.closure_rest.copy(), status


def least_answers(system: Dynamics, x: State) -> np.ndarray:
    """Return J M⁻¹Jᵀ (m,) below which a row cannot move (`stillness`); zero where M has no inverse."""
    _, rest, status = answers(system, x)
    return rest if status == 0 else np.zeros_like(rest)
