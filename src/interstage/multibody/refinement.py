"""One step of iterative refinement of forward dynamics.

Where a light body carries a heavy one, P⁺ = P - U D⁻¹Uᵀ leaves rounding of the size of the heavy inertia in the
direction in which the hinge gives way, and the light body sees it. The recursion is still a good approximate
inverse of M. With the residual r = τ - (M v̇ + b) of inverse dynamics, δ = M⁻¹r by the recursion at rest and
without gravity is small with small errors, and v̇ + δ is as good as inverse dynamics can tell.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from interstage.errors import InputError
from interstage.multibody.engine import NO_SITES, Scratch
from interstage.multibody.state import State

if TYPE_CHECKING:
    from interstage.multibody.api.compiled import Compiled


def refine(
    system: Compiled,
    scratch: Scratch,
    x: State,
    tau: np.ndarray,
    sites: np.ndarray,
    wrenches: np.ndarray,
    vdot: np.ndarray,
) -> np.ndarray:
    """Return better accelerations than vdot (nv,), found under tau (accelerations at joints that are not free)."""
    if system.model.closures:
        raise InputError("accelerations of a vehicle with closures cannot be refined", where="refine")
    dtype = vdot.dtype
    found, springs, delta = np.empty_like(vdot), np.empty_like(vdot), np.empty_like(vdot)
    still, none = np.zeros_like(vdot), np.zeros((0, 6), dtype)
    scratch.inverse(x.q, x.v, vdot, sites, wrenches, found)
    residual = tau - found
    ground = scratch.work.g[-1]
    gravity = ground.copy()
    ground[:] = 0.0
    try:
        # at rest and without gravity all that is left of the bias are springs, which cancel entry by entry
        scratch.inverse(x.q, still, still, NO_SITES, none, springs)
        right = residual + springs
        right[system.held] = 0.0
        status = scratch.forward(x.q, still, right, NO_SITES, none, delta)
    finally:
        ground[:] = gravity
    return vdot + delta if status == 0 else vdot
