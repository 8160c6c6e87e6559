"""Slopes of accelerations of closed loops: inverse dynamics of the open tree, and one solution for the multipliers.

With F = ID(q, v, v̇) under the wrenches W(q, λ) of closures on their ends, c the accelerations that closures forbid,
U = ∂ID/∂W and solved(r) = -(∂ID/∂v̇)⁻¹ r (`slopes`)

    δv̇ = solved(∂F/∂x δx + U ∂W/∂q δq + U ∂W/∂λ δλ),       J δv̇ + ∂c/∂x δx = 0

∂W/∂q and ∂c/∂x are complex steps of kinematics alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from interstage.jit import COMPILED
from interstage.multibody.closed_rows import kept
from interstage.multibody.closing import forces_of
from interstage.multibody.closing import jacobian as closure_jacobian
from interstage.multibody.kernels.closure_columns import closure_columns, enter_closure_columns
from interstage.multibody.loads import Loads
from interstage.multibody.state import State

if TYPE_CHECKING:
    from interstage.multibody.api import System


@dataclass(frozen=True)
class ClosedSlopes:
    """What closures do at an operating point, and how it changes with m complex steps of states.

    sites (k,), wrenches (k, 10) : that act on the ends of closures;  units : the same six times, of unit wrenches
    moved (6 k, m) : how the wrenches change at constant multipliers;  by_rows (6 k, rows) : with the multipliers
    J (rows, nv), c (rows, m) : of the rows that hold
    """

    sites: np.ndarray
    wrenches: np.ndarray
    moved: np.ndarray
    by_rows: np.ndarray
    J: np.ndarray
    c: np.ndarray

    @property
    def units(self) -> tuple[np.ndarray, np.ndarray]:
        """Sites and wrenches (6 k, 10) of unit wrenches, world axes."""
        rows = np.zeros((6 * len(self.sites), 10))
        rows[:, :6] = np.tile(np.eye(6), (len(self.sites), 1))
        return np.repeat(self.sites, 6), rows


def closed_slopes(
    system: System, x: State, vdot: np.ndarray, loads: Loads, Q: np.ndarray, V: np.ndarray, step: float
) -> ClosedSlopes:
    """Return what closures do at a real state with accelerations v̇ (nv,) under loads.

    Q (m, nq), V (m, nv) : states moved by 1j times the step
    """
    rows, ends = kept(system), system.tree.closure_site[:, ::-1].ravel()
    there = ends >= 0
    _, f = forces_of(system, x, (loads, None, None))
    by_rows = _unit_wrenches(system, x)[there]
    wrenches = np.zeros((len(by_rows), 10))
    wrenches[:, :6] = by_rows @ f
    W, _, c = _looked(system, Q, V, vdot, f)
    return ClosedSlopes(
        ends[there],
        wrenches,
        W.imag[:, there].reshape(len(Q), -1).T / step,
        by_rows.reshape(-1, len(f))[:, rows],
        closure_jacobian(system, x),
        c.imag.T[rows] / step,
    )


def _unit_wrenches(system: System, x: State) -> np.ndarray:
    """Return wrenches (2 closures, 6, rows) on the second and the first end of each closure for unit multipliers."""
    first = system.tree.closure_row
    owner, every = np.repeat(np.arange(len(first) - 1), np.diff(first)), np.arange(first[-1])
    with system.engine.borrow(np.float64) as scratch:
        work = scratch.closure_rows(x.q, x.v)
        n, u, r = work.closure_n.copy(), work.closure_u.copy(), work.closure_r[owner]
    out = np.zeros((2 * len(first) - 2, 6, len(owner)))
    out[2 * owner, :, every] = np.hstack([n, u])
    out[2 * owner + 1, :, every] = -np.hstack([n + np.cross(r, u), u])
    return out


def rate_slopes(system: System, Q: np.ndarray, V: np.ndarray, step: float) -> np.ndarray:
    """Return the slopes (rows, m) of Ċ of the rows that hold, at m states moved by 1j times the step."""
    still = np.zeros(system.nv), np.zeros(len(system.tree.row_kind))
    return _looked(system, Q, V, *still)[1].imag.T[kept(system)] / step


def _looked(
    system: System, Q: np.ndarray, V: np.ndarray, vdot: np.ndarray, f: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return wrenches (m, 2 closures, 6), rates and accelerations (m, rows) of closures at m states."""
    Q, V, vdot, f = (np.ascontiguousarray(a, dtype=complex) for a in (Q, V, vdot, f))
    W = np.zeros((len(Q), 2 * len(system.tree.closure_site), 6), complex)
    rate, c = np.zeros((2, len(Q), len(f)), complex)
    with system.engine.borrow(np.complex128) as scratch:
        given = Q, V, vdot, f, W, rate, c
        if COMPILED:
            enter_closure_columns(scratch.ready(enter_closure_columns), *given)
        else:
            closure_columns(scratch.tree, scratch.work, *given)
    return W, rate, c
