"""RBE3: the motion of a reference grid is the weighted mean motion of other grids.

    minimize Σ w (u - S q)²  →  q = (SᵀWS)⁻¹ SᵀW u

S is the rigid-body motion of the independent dofs about the reference grid, w their weights. Weights of
rotations are multiplied by L², L the mean distance of the independent grids from the reference grid, so
that the result does not depend on units. Nastran keeps the weights of the card in single precision; with
that its matrices are reproduced to rounding error (without it to 3e-8).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from interstage.errors import ModelError
from interstage.fem.constraints import Equations, equations
from interstage.fem.grids import Grids
from interstage.fem.rigid_elements import rigid_modes


def rbe3(
    grids: Grids,
    eid: int,
    reference: int,
    reference_components,
    rows,
    components,
    weights,
    dependents: Sequence[tuple[int, int]] | None = None,
) -> Equations:
    """Equations of one RBE3 in CD axes.

    Parameters
    ----------
    reference : row of the reference grid
    reference_components : its components 0..5 (REFC)
    rows, components, weights : (k,) independent dofs: grid rows, components 0..5, weights
    dependents : (grid row, component) of the UM list; None: the reference components
    """
    name = f"RBE3 {eid}"
    rows, components = np.asarray(rows, dtype=np.int64), np.asarray(components, dtype=np.int64)
    weights = np.asarray(weights, dtype=np.float32).astype(float)
    refc = np.asarray(reference_components, dtype=np.int64)
    point = grids.xyz[reference]
    S = rigid_modes(grids, rows, point)[np.arange(len(rows)), components]
    length = float(np.linalg.norm(grids.xyz[np.unique(rows)] - point, axis=1).mean())
    length = length if length > 1e-12 * max(1.0, float(np.abs(point).max())) else 1.0
    W = np.where(components < 3, weights, weights * length**2)
    motion = rigid_modes(grids, np.array([reference]), point)[0][refc]
    G = _weighted_mean(S, W, motion, length, name)
    dofs = np.concatenate([grids.dof[reference] + refc, grids.dof[rows] + components])
    table = np.hstack([np.eye(len(refc)), -G])
    i, j = np.nonzero(table)
    dependent = grids.dof[reference] + refc
    if dependents is not None:
        dependent = np.array([grids.dof[row] + c for row, c in dependents], dtype=np.int64)
        _check_um(dependent, dofs, refc, name, grids)
    return equations(i, dofs[j], table[i, j], dependent, name)


def _weighted_mean(S, W, motion, length: float, name: str) -> np.ndarray:
    """G = motion (SᵀWS)⁻¹ SᵀW; a motion that the independent dofs do not see must not be asked for."""
    scale = np.array([1.0] * 3 + [1.0 / length] * 3)
    A = (S * scale).T @ (W[:, None] * (S * scale))
    value, V = np.linalg.eigh(A)
    blind = value < 1e-10 * value[-1]
    wanted = motion * scale
    unseen = np.abs(wanted @ V[:, blind]) > 1e-6 * np.linalg.norm(wanted, axis=1, keepdims=True)
    if value[-1] <= 0.0 or unseen.any():
        raise ModelError(
            "the independent grids of an RBE3 do not define the motion of its reference grid",
            where=name,
            hint="they lie on a line or have too few components: add grids or components, or reduce REFC",
        )
    inverse = (V[:, ~blind] / value[~blind]) @ V[:, ~blind].T
    if not blind.any():
        inverse = np.linalg.inv(A)
    return wanted @ inverse @ (S * scale).T * W


def _check_um(dependent, dofs, refc, name: str, grids: Grids) -> None:
    if len(dependent) != len(refc):
        raise ModelError(
            "the UM list of an RBE3 must have as many components as REFC",
            where=name,
            expected=str(len(refc)),
            got=str(len(dependent)),
        )
    strange = ~np.isin(dependent, dofs)
    if strange.any():
        raise ModelError(
            "the UM list of an RBE3 names a dof that is not in the element",
            where=name,
            got=grids.name_of(int(dependent[strange][0])),
        )
