"""Unit loads of a free body, balanced by its own inertia, and the static displacements under them.

The loads that stress a body are those of its spin, p = -M[ω×(ω×l)] for the six products ω_iω_j, and forces and moments
at nodes where joints and loads act. Each is balanced by rigid accelerations,

    p̂ = p - M V Vᵀp,     K u = p̂,     V the rigid motions, VᵀMV = I

Accelerations of the frame and gravity are M times a rigid motion: balanced they are nothing, and need no entry. A
direction in which the body has no inertia (the axis of a bar) cannot be balanced; all loads are then held at one and
the same place, and the loads of a real motion add up to none there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import scipy.sparse as sp

from interstage.component.rigid import orthonormal, rigid_motions
from interstage.errors import ModelError
from interstage.linalg.refine import held_response

if TYPE_CHECKING:
    from interstage.component.build import Assembled

SPIN = ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))  # products ω_iω_j in the order of LOAD


@dataclass(frozen=True)
class UnitLoads:
    """Balanced unit loads and their static displacements.

    load (k, 2) : (0, 1 to 6) for the products of ω, (grid, 1 to 6) for T1 T2 T3 R1 R2 R3 at a grid, component axes
    nodes : the grids
    p, u : (nf, k) loads p̂ and displacements of the free coordinates
    rigid : (nf, r) rigid motions V;  still : (nf, s) all that strain nothing, those without inertia among them
    """

    load: np.ndarray
    nodes: np.ndarray
    p: np.ndarray
    u: np.ndarray
    rigid: np.ndarray
    still: np.ndarray


def unit_loads(model: Assembled, nodes: Sequence[int], what: str) -> UnitLoads:
    """Return the balanced loads of the products of ω and of unit forces and moments at nodes.

    what : asked for, as in "geometric_stiffness", for messages
    """
    names = [(0, k + 1) for k in range(6)] + [(int(node), k + 1) for node in nodes for k in range(6)]
    P, V, still = _columns(model, nodes), *_rigid(model, what)
    P = P - model.M_ff @ (V @ (V.T @ P))
    u = held_response(model.K_ff, P, still, model.name_of)
    grids = np.array(sorted({int(node) for node in nodes}), dtype=np.int64)
    return UnitLoads(np.array(names, dtype=np.int64).reshape(-1, 2), grids, P, u, V, still)


def spin_motion(positions: np.ndarray) -> np.ndarray:
    """Return -ω×(ω×l) (6N, 6) of nodes at positions (N, 3), for the six products of ω."""
    out = []
    for i, j in SPIN:
        motion = np.zeros((len(positions), 6))
        motion[:, i] -= positions[:, j]
        if i == j:
            motion[:, :3] += positions
        else:
            motion[:, j] -= positions[:, i]
        out.append(motion.ravel())
    return np.array(out).T


def _columns(model: Assembled, nodes: Sequence[int]) -> np.ndarray:
    """Return the loads (nf, 6 + 6k) of the products of ω and of unit forces and moments at k nodes."""
    columns = [model.T_gf.T @ (model.M_gg @ motion) for motion in spin_motion(model.positions).T]
    for node in nodes:
        at = 6 * int(np.searchsorted(model.node_ids, node))
        columns += list(model.T_gf[at : at + 6].toarray())
    return np.array(columns).T


def _rigid(model: Assembled, what: str) -> tuple[np.ndarray, np.ndarray]:
    """Return the rigid motions (nf, k) that strain nothing, orthonormal in mass and as they are."""
    K = model.K_ff
    rigid = np.zeros((K.shape[0], 0)) if model.rigid_f is None else model.rigid_f
    still = rigid_motions(K, sp.identity(K.shape[0], format="csr"), rigid)
    size = np.maximum(np.linalg.norm(rigid, axis=0), 1e-300)
    if still.shape[1] < np.linalg.matrix_rank(rigid / size, tol=1e-9) or not still.shape[1]:
        words = what.replace("geometric_stiffness", "the geometric stiffness").replace("recover", "recovery")
        raise ModelError(
            f"{words} of a component needs a structure that is free to move",
            where=what,
            got=f"{still.shape[1]} rigid motions",
            hint="take constraints and springs to ground out, and name the held grids in aset instead",
        )
    return orthonormal(still, model.M_ff), still
