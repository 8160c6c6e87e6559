"""Rigid elements and RBE3 as constraint equations.

Rigid elements RBE1, RBE2, RBAR and RROD as constraint equations in the grids' CD systems.

Small rotations about a point p:  u(x) = u_p + θ × (x - p),  θ(x) = θ.

RBE3: the motion of a reference grid is the weighted mean motion of other grids.

    minimize Σ w (u - S q)²  →  q = (SᵀWS)⁻¹ SᵀW u

S is the rigid-body motion of the independent dofs about the reference grid, w their weights. Weights of
rotations are multiplied by L², L the mean distance of the independent grids from the reference grid, so
that the result does not depend on units. Nastran keeps the weights of the card in single precision; with
that its matrices are reproduced to rounding error (without it to 3e-8).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from interstage.errors import ModelError
from interstage.fem.constraints import Equations, equations, explicit
from interstage.fem.grids import Grids


@dataclass(frozen=True)
class RigidLink:
    """A rigid element as a connection of grids.

    kind : "rbar", "rbe1", "rbe2" or "rbe3"
    grid : that of an RBE2 or RBE3 which the others carry or are carried by, one end of an RBAR, or any of an RBE1, in
        which each is carried by all others
    others : (k,) ids of the other grids; components : digits of the components that it holds; weights : (k,) of an RBE3
    """

    kind: str
    grid: int
    others: np.ndarray
    components: str
    weights: np.ndarray | None = None


def rigid_modes(grids: Grids, rows: np.ndarray, point: np.ndarray) -> np.ndarray:
    """Motion (k, 6, 6) of grids in their CD systems for unit translations and rotations about a point.

    u_cd = [Rᵀ, -Rᵀ[r]×; 0, Rᵀ] [u_p; θ],  r = x - p,  R = `R_basic_cd`, motions in basic axes.
    """
    rows = np.asarray(rows, dtype=np.int64)
    r = grids.xyz[rows] - point
    cross = np.zeros((len(rows), 3, 3))
    cross[:, 0, 1], cross[:, 0, 2], cross[:, 1, 2] = -r[:, 2], r[:, 1], -r[:, 0]
    cross -= cross.transpose(0, 2, 1)
    Rt = grids.R_basic_cd[rows].transpose(0, 2, 1)
    S = np.zeros((len(rows), 6, 6))
    S[:, :3, :3] = Rt
    S[:, 3:, 3:] = Rt
    S[:, :3, 3:] = -Rt @ cross
    return S


def rbe2(grids: Grids, eid: int, independent: int, dependents, components) -> Equations:
    """RBE2: all `components` (0..5) of the `dependents` (grid rows) move rigidly with one grid (row).

    The element's alpha (thermal expansion) has no part in the constraint.
    """
    dependents = np.asarray(dependents, dtype=np.int64)
    components = np.asarray(components, dtype=np.int64)
    point = grids.xyz[independent]
    S0 = rigid_modes(grids, np.array([independent]), point)[0]
    # S0 is orthogonal: the rotation of both triples into basic axes
    T = (rigid_modes(grids, dependents, point) @ S0.T)[:, components, :].reshape(-1, 6)
    dof = (grids.dof[dependents][:, None] + components).ravel()
    return explicit(dof, grids.dof[independent] + np.arange(6), _clean(T), f"RBE2 {eid}")


def rigid_body(grids: Grids, name: str, independent, dependent) -> Equations:
    """RBE1 and RBAR: dofs of one rigid body, six of them independent.

    u_m = S_m S_n⁻¹ u_n,  S the rigid-body motion of all dofs about a point between the independent grids.

    Parameters
    ----------
    name : the element, for messages
    independent, dependent : lists of (grid row, component 0..5)
    """
    independent = np.asarray(independent, dtype=np.int64).reshape(-1, 2)
    dependent = np.asarray(dependent, dtype=np.int64).reshape(-1, 2)
    point = grids.xyz[independent[:, 0]].mean(axis=0)
    if len(independent) != 6:
        raise ModelError(
            "a rigid element needs six independent dofs",
            where=name,
            got=str(len(independent)),
            hint="give independent components that together fix all six rigid-body motions",
        )
    length = float(np.abs(grids.xyz[np.concatenate([independent[:, 0], dependent[:, 0]])] - point).max())
    scale = np.array([1.0, 1.0, 1.0] + [1.0 / length if length > 0.0 else 1.0] * 3)
    S_n, S_m = (
        rigid_modes(grids, part[:, 0], point)[np.arange(len(part)), part[:, 1]] * scale
        for part in (independent, dependent)
    )
    if np.linalg.svd(S_n, compute_uv=False)[-1] < 1e-10:
        raise ModelError(
            "the independent dofs of a rigid element do not fix its motion",
            where=name,
            hint="choose six components that can describe any rigid-body motion",
        )
    G = np.linalg.solve(S_n.T, S_m.T).T
    dof_n, dof_m = (grids.dof[part[:, 0]] + part[:, 1] for part in (independent, dependent))
    return explicit(dof_m, dof_n, _clean(G), name)


def rrod(grids: Grids, eid: int, a: int, b: int, dependent_row: int, component: int) -> Equations:
    """RROD: the distance of two grids stays; one translation (0..2) of one of them is dependent.

    n·(u_a - u_b) = 0 with n the unit vector from a to b.
    """
    d = grids.xyz[b] - grids.xyz[a]
    length = float(np.linalg.norm(d))
    if length == 0.0:
        raise ModelError("a rigid rod has no length", where=f"RROD {eid}", hint="its two grids coincide")
    n_a, n_b = (grids.R_basic_cd[row].T @ d / length for row in (a, b))
    value = np.concatenate([n_a, -n_b])
    dof = np.concatenate([grids.dof[a] + np.arange(3), grids.dof[b] + np.arange(3)])
    dependent = int(grids.dof[dependent_row]) + component
    if abs(float(value[dof == dependent][0])) < 1e-6:
        raise ModelError(
            "the dependent component of a rigid rod is perpendicular to it",
            where=f"RROD {eid}",
            hint="choose the component nearest to the rod's axis",
        )
    return equations(np.zeros(6, dtype=np.int64), dof, value, [dependent], f"RROD {eid}")


def _clean(G: np.ndarray) -> np.ndarray:
    """Remove rounding errors beside zeros, so that matrices stay sparse."""
    size = np.abs(G).max(initial=0.0)
    return np.where(np.abs(G) < 1e-15 * size, 0.0, G)


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
