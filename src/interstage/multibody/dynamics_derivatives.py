"""Slopes of accelerations: what a small motion or a small force changes in v̇.

Inverse dynamics τ = ID(q, v, v̇) is differentiated where the vehicle is (`kernels.inverse_dynamics_derivatives`), and
solved for v̇ once,

    ∂v̇/∂x = -(∂ID/∂v̇)⁻¹ ∂ID/∂x,        ∂ID/∂v̇ = M + S

M⁻¹ comes from the articulated tree, which keeps its digits in long chains where a factor of M would lose them. S is
what geometric stiffness makes of forces across joints: (M + S)⁻¹ = (1 + M⁻¹S)⁻¹ M⁻¹.

Slopes of accelerations of closed loops: inverse dynamics of the open tree, and one solution for the multipliers.

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
from interstage.multibody.closure_queries import forces_of
from interstage.multibody.closure_queries import jacobian as closure_jacobian
from interstage.multibody.closures import kept
from interstage.multibody.kernel_interface import FLOAT
from interstage.multibody.kernels.derivative_entry import (
    closure_columns,
    enter_closure_columns,
    enter_slopes,
    room_for_slopes,
    slopes,
)
from interstage.multibody.loads import Loads
from interstage.multibody.state import State

if TYPE_CHECKING:
    from interstage.multibody.system import System


Wrenches = tuple[np.ndarray, np.ndarray]
NO_WRENCHES = np.zeros(0, dtype=np.int64), np.zeros((0, 10))


@dataclass(frozen=True)
class ForceSlopes:
    """Derivatives (nv, nv) of the forces of inverse dynamics, and M⁻¹ (zero where joints are not free).

    q : along the axes of the joints: attitudes and free positions as their velocities are;  v : with velocities
    lower, stiffening : M, right on and below its diagonal, and S;  inputs (nv, k) : with unit wrenches
    """

    q: np.ndarray
    v: np.ndarray
    lower: np.ndarray
    stiffening: np.ndarray | None
    inputs: np.ndarray
    inverse: np.ndarray

    @property
    def mass(self) -> np.ndarray:
        """M (nv, nv)."""
        return np.tril(self.lower) + np.tril(self.lower, -1).T

    def solved(self, right: np.ndarray) -> np.ndarray:
        """Return the change of v̇ (nv, k) that takes up changes (nv, k) of the forces of inverse dynamics."""
        found = -self.inverse @ right
        if self.stiffening is None:
            return found
        return np.linalg.solve(np.eye(len(found)) + self.inverse @ self.stiffening, found)


def force_slopes(
    system: System, x: State, vdot: np.ndarray, loads: Wrenches, inputs: Wrenches
) -> ForceSlopes:
    """Return the slopes at a real state with accelerations v̇ (nv,) under loads; all (sites, wrenches) of the kernels.

    Raises what forward dynamics would, where there is no inertia.
    """
    nv = system.nv
    J, B = np.zeros((5 * nv, nv)), np.zeros((nv, len(inputs[0])))
    scratch = system.engine.take(FLOAT)
    given = x.q, x.v, vdot, *_own(loads), *_own(inputs), scratch.room("slopes", room_for_slopes), J, B
    if COMPILED:
        loaded = len(loads[0]) + len(inputs[0]) > 0
        status = enter_slopes(scratch.ready(enter_slopes, loaded), *given)
    else:
        status = slopes(scratch.tree, scratch.work, *given)
    stiff = len(scratch.work.mode_G) > 0
    system.engine.give(scratch)
    if status != 0:
        system.refuse(status, x)
    q, v, lower, S, inverse = J.reshape(5, nv, nv)
    return ForceSlopes(q, v, lower, S if stiff else None, B, inverse)


def _own(wrenches: Wrenches) -> Wrenches:
    """Return copies that kernels take: of one type, whoever made them."""
    if not len(wrenches[0]):
        return NO_WRENCHES
    return np.array(wrenches[0], dtype=np.int64), np.array(wrenches[1], dtype=float)


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
