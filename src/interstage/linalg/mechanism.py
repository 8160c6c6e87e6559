"""Say which part of a structure can move without resistance, and why that may be."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import scipy.sparse as sp

from interstage.errors import ModelError
from interstage.linalg.factor import Factor, NotPositiveDefinite

# Stiffness added to every diagonal (relative) to make a singular matrix factorizable.
REGULAR = 1e-12
WEAK = 1e-9


def mechanism_error(
    K, describe: Callable[[int], str], what: str = "the structure", point: np.ndarray | None = None
) -> ModelError:
    """Make the error for a stiffness matrix that is singular: names the weak dofs and the likely cause.

    Parameters
    ----------
    K : (n, n) sparse, positive semidefinite but for rounding errors
    describe : names equation i, e.g. "grid 12 component 3"
    what : the part of the model that is solved for
    point : (n,) number of the grid that each equation belongs to, to see how much of the structure moves
    """
    K = sp.csr_array(K)
    weak, shape = weak_motion(K)
    if not len(weak):
        return ModelError(
            f"{what} cannot be solved: the stiffness matrix is not positive definite",
            hint="look for negative stiffness in direct input matrices (DMIG), springs or materials",
        )
    names = [describe(int(i)) for i in weak]
    more = f" and {len(names) - 5} more" if len(names) > 5 else ""
    return ModelError(
        f"{what} can move without resistance (mechanism)",
        where=", ".join(names[:5]) + more,
        hint=likely_cause(K, weak, shape, describe, np.arange(len(shape)) // 6 if point is None else point),
    )


def weak_motion(K) -> tuple[np.ndarray, np.ndarray]:
    """Equations whose pivot vanishes, and the motion (n,) of the first of them, largest component 1."""
    diagonal = K.diagonal()
    floor = 1e-14 * np.abs(diagonal).max(initial=0.0)
    added = np.where(np.abs(diagonal) > floor, REGULAR * np.abs(diagonal), max(floor, 1e-300))
    for growth in (1.0, 1e2, 1e4):
        try:
            factor = Factor(sp.csr_array(K + sp.diags_array(growth * added)), definite=True)
            break
        except NotPositiveDefinite:
            continue
    else:
        return np.zeros(0, dtype=np.int64), np.zeros(0)
    pivots = factor.pivots()
    dead = np.abs(diagonal) <= floor
    weak = np.flatnonzero((pivots < WEAK * max(1.0, growth)) | dead)
    weak = weak[np.argsort(np.where(dead[weak], -1.0, pivots[weak]), kind="stable")]
    if not len(weak):
        weak = np.array([int(np.argmin(pivots))])
    load = np.zeros(K.shape[0])
    load[weak[0]] = max(float(np.abs(diagonal).max(initial=0.0)), 1.0)
    shape = factor.solve(load)
    return weak, shape / max(float(np.abs(shape).max()), 1e-300)


def likely_cause(K, weak: np.ndarray, shape: np.ndarray, describe, point: np.ndarray) -> str:
    """Guess why the structure is free to move from what moves."""
    moving = len(np.unique(point[np.abs(shape) > 1e-3]))
    rotation = describe(int(weak[0])).endswith(("component 4", "component 5", "component 6"))
    if np.abs(K.diagonal()[weak[0]]) <= 1e-14 * np.abs(K.diagonal()).max(initial=0.0):
        if rotation:
            return (
                "no element resists this rotation: shells have none about their normal with PARAM K6ROT 0, "
                "rods and solids none at all; constrain it or use PARAM AUTOSPC YES"
            )
        return "nothing is connected to it: connect it, constrain it or use PARAM AUTOSPC YES"
    if moving > max(1.0, 0.5 * len(np.unique(point))):
        return "most of the structure moves as a rigid body: supports (SPC) are missing or not selected"
    if rotation and moving <= 3:
        return "a rotation is hardly held: check pin flags, K6ROT and elements in one line"
    return "a part of the structure moves by itself: check its connections, pin flags and releases"
