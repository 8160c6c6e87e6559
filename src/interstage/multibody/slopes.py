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
from interstage.multibody.kernels.linear_entry import enter_slopes, slopes
from interstage.multibody.kernels.mode_slopes import MODE
from interstage.multibody.kernels.slopes import ANSWER, CHANGE
from interstage.multibody.state import State

if TYPE_CHECKING:
    from interstage.multibody.api import System

Wrenches = tuple[np.ndarray, np.ndarray]


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
    tree = system.tree
    bodies, _, sites, _, nv, modes = tree.sizes.tolist()
    J, B, inverse = np.zeros((4 * nv, nv)), np.zeros((nv, len(inputs[0]))), np.zeros((nv, nv))
    widest = int(tree.body_modes.max(initial=0))
    room = (
        np.zeros((bodies + 1, ANSWER)),
        np.zeros((sites, ANSWER)),
        np.zeros((nv, CHANGE)),
        np.zeros((len(tree.site_lam) // 3, CHANGE)),
        np.zeros((modes, MODE)),
        np.zeros(20 * widest),
        np.zeros(nv),
    )
    with system.engine.borrow(np.float64) as scratch:
        loaded = len(loads[0]) + len(inputs[0]) > 0
        given = x.q, x.v, vdot, *map(_own, (loads, inputs)), room, J, B, inverse
        if COMPILED:
            status = enter_slopes(scratch.ready(enter_slopes, loaded), *given)
        else:
            status = slopes(scratch.tree, scratch.work, *given)
        stiff = len(scratch.work.mode_G) > 0
    if status != 0:
        system.refuse(status, x)
    q, v, lower, S = J.reshape(4, nv, nv)
    return ForceSlopes(q, v, lower, S if stiff else None, B, inverse)


def _own(wrenches: Wrenches) -> Wrenches:
    """Return copies that kernels take: of one type, whoever made them."""
    return np.array(wrenches[0], dtype=np.int64), np.array(wrenches[1], dtype=float)
