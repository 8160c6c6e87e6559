"""Geometric stiffness of a free body in its modes, for unit loads that are balanced by its own inertia.

The loads that stress a body are those of its spin, p = -M[ω×(ω×l)] for the six products ω_iω_j, and forces and moments
at nodes where joints and loads act. Each is balanced by rigid accelerations,

    p̂ = p - M V Vᵀp,     V the rigid motions, VᵀMV = I,

and its static stresses make the geometric stiffness Kg of the elements:

    K_p = ΠᵀKgΠ (n, n),    KR_p = ΠᵀKgS (n, 3),    RR_p = SᵀKgS (3, 3),    S the rotations about the reference point

Accelerations of the frame and gravity are M times a rigid motion: balanced they are nothing, and need no entry. KR and
RR put the modes about another node. A direction in which the body has no inertia (the axis of a bar) cannot be
balanced; all loads are then held at one and the same place, and the loads of a real motion add up to none there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np
import scipy.sparse as sp

from interstage.component.integrals import rigid_motion
from interstage.component.record import GeometricStiffness
from interstage.component.residual import held_response
from interstage.component.rigid import orthonormal, rigid_motions
from interstage.errors import ModelError

if TYPE_CHECKING:
    from interstage.component.build import Assembled

# displacements (6N, k) in component axes -> geometric stiffness (6N, 6N) of each, and notes
Stiffener = Callable[[np.ndarray], tuple[Iterable[sp.spmatrix], list[str]]]

NEGLIGIBLE = 1e-9  # share of the largest change of stiffness of a load's kind below which it is dropped
SPIN = ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))  # products ω_iω_j in the order of LOAD


def unit_load_stiffness(
    model: Assembled, shapes: np.ndarray, frequencies_hz: np.ndarray, nodes: Sequence[int]
) -> tuple[GeometricStiffness, list[str]]:
    """Return the modal geometric stiffness of the spin and of unit loads at nodes, and sentences about it.

    A load is left out where every |K_rs|/(ω_r ω_s) is below 1e-9 of the largest of its kind (spin, force, moment).

    shapes : (nf, n) modes of the free coordinates
    """
    if model.geometric is None:
        raise ModelError(
            "the geometric stiffness of a component needs elements",
            where="geometric_stiffness",
            hint="make it from a deck, or give `geometric`, the geometric stiffness of displacements",
        )
    names = [(0, k + 1) for k in range(6)] + [(int(node), k + 1) for node in nodes for k in range(6)]
    load = np.array(names, dtype=np.int64).reshape(-1, 2)
    u = np.asarray(model.T_gf @ _static(model, _unit_loads(model, nodes)))
    Pi, S = np.asarray(model.T_gf @ shapes), rigid_motion(model.positions)[:, :3]
    both, n = np.hstack([Pi, S]), shapes.shape[1]
    found, notes = model.geometric(u)
    whole = np.array([both.T @ (Kg @ both) for Kg in found])
    whole = 0.5 * (whole + whole.transpose(0, 2, 1))
    omega = 2.0 * np.pi * frequencies_hz
    size = np.abs(whole[:, :n, :n] / np.outer(omega, omega)).max(axis=(1, 2), initial=0.0)
    kind = np.where(load[:, 0] == 0, 0, np.where(load[:, 1] <= 3, 1, 2))
    largest = np.array([size[kind == k].max(initial=0.0) for k in range(3)])
    keep = size > NEGLIGIBLE * largest[kind]
    if not keep.all():
        notes = [*notes, f"{np.count_nonzero(~keep)} of {len(keep)} unit loads change no stiffness: left out"]
    return GeometricStiffness(
        load[keep],
        np.array(sorted({int(node) for node in nodes}), dtype=np.int64),
        whole[keep, :n, :n],
        whole[keep, :n, n:],
        whole[keep, n:, n:],
    ), notes


def _unit_loads(model: Assembled, nodes: Sequence[int]) -> np.ndarray:
    """Return the loads (nf, 6 + 6k) of the products of ω and of unit forces and moments at k nodes."""
    l, columns = model.positions, []
    for i, j in SPIN:
        motion = np.zeros((len(l), 6))
        motion[:, i] -= l[:, j]
        if i == j:
            motion[:, :3] += l
        else:
            motion[:, j] -= l[:, i]
        columns.append(model.T_gf.T @ (model.M_gg @ motion.ravel()))
    for node in nodes:
        at = 6 * int(np.searchsorted(model.node_ids, node))
        columns += list(model.T_gf[at : at + 6].toarray())
    return np.array(columns).T


def _static(model: Assembled, P: np.ndarray) -> np.ndarray:
    """Return displacements (nf, k) of loads balanced by inertia, K u = p̂."""
    K, M = model.K_ff, model.M_ff
    rigid = np.zeros((K.shape[0], 0)) if model.rigid_f is None else model.rigid_f
    still = rigid_motions(K, sp.identity(K.shape[0], format="csr"), rigid)
    size = np.maximum(np.linalg.norm(rigid, axis=0), 1e-300)
    if still.shape[1] < np.linalg.matrix_rank(rigid / size, tol=1e-9) or not still.shape[1]:
        raise ModelError(
            "the geometric stiffness of a component needs a structure that is free to move",
            where="geometric_stiffness",
            got=f"{still.shape[1]} rigid motions",
            hint="take constraints and springs to ground out, and name the held grids in aset instead",
        )
    V = orthonormal(still, M)
    return held_response(K, P - M @ (V @ (V.T @ P)), still, model.name_of)
