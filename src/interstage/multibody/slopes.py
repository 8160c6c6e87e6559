"""Slopes of accelerations: what a small motion or a small force changes in v̇.

Inverse dynamics τ = ID(q, v, v̇) is differentiated where the vehicle is (`kernels.slopes`), and solved for v̇ once,

    ∂v̇/∂x = -(∂ID/∂v̇)⁻¹ ∂ID/∂x,        ∂ID/∂v̇ = M + S

M⁻¹ comes from the articulated tree, which keeps its digits in long chains where a factor of M would lose them. S is
what geometric stiffness makes of forces across joints: (M + S)⁻¹ = (1 + M⁻¹S)⁻¹ M⁻¹.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from interstage.jit import COMPILED
from interstage.multibody.engine import FLOAT
from interstage.multibody.kernels.linear_entry import enter_slopes, room_for_slopes, slopes
from interstage.multibody.state import State

if TYPE_CHECKING:
    from interstage.multibody.api import System

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
