"""Unit loads of a free body, balanced by its own inertia, and the static displacements under them.

The loads that stress a body are those of its spin, p = -M[ω×(ω×l)] for the six products ω_iω_j, and forces and moments
at nodes where joints and loads act. Each is balanced by rigid accelerations,

    p̂ = p - M V Vᵀp,     K u = p̂,     V the rigid motions, VᵀMV = I

Accelerations of the frame and gravity are M times a rigid motion: balanced they are nothing, and need no entry. A
direction in which the body has no inertia (the axis of a bar) cannot be balanced; all loads are then held at one and
the same place, and the loads of a real motion add up to none there.

Geometric stiffness of a free body in its modes, for unit loads that are balanced by its own inertia (`unit_loads`).

The static stresses of each load make the geometric stiffness Kg of the elements:

    K_p = ΠᵀKgΠ (n, n),    KR_p = ΠᵀKgS (n, 3),    RR_p = SᵀKgS (3, 3),    S the rotations about the reference point

KR and RR put the modes about another node.

Recovery rows of a free body: forces and stresses of elements from its modes and from the loads that it carries.

    y = C_η η + C_a η̈ + C_p c

    C_η = SΦ,      C_p = S K⁻¹p̂ - C_η Ω⁻² Q,      C_a = -(S K⁻¹MΦ - C_η Ω⁻²),      Q = Φᵀp̂

S takes displacements to results of elements, p̂ are unit loads balanced by inertia (`unit_loads`) and c their sizes:
products of ω, forces and moments at nodes. C_p and C_a are what the modes lack of the static answer to the loads and to
the inertia of the modes themselves: y is that of mode acceleration. C_a is nothing where Φ are modes of the free body.
S K⁻¹p̂, S K⁻¹MΦ and Q are kept, so that a choice of modes finds its own C_p and C_a.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import scipy.sparse as sp

from interstage.component.component import GeometricStiffness, RecoveryRows
from interstage.component.integrals import rigid_motion
from interstage.component.rigid_body_modes import orthonormal, rigid_motions
from interstage.component.schema import QUANTITIES
from interstage.errors import InputError, ModelError, known_names, shown
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


# displacements (6N, k) and shapes Φ (6N, m) in component axes -> ΦᵀKgΦ (k, m, m) of each, and notes
Stiffener = Callable[[np.ndarray, np.ndarray], tuple[np.ndarray, list[str]]]

NEGLIGIBLE = 1e-9  # share of the largest change of stiffness of a load's kind below which it is dropped


def unit_load_stiffness(
    model: Assembled, shapes: np.ndarray, frequencies_hz: np.ndarray, loads: UnitLoads
) -> tuple[GeometricStiffness, list[str]]:
    """Return the modal geometric stiffness of unit loads, and sentences about it.

    A load is left out where every |K_rs|/(ω_r ω_s) is below 1e-9 of the largest of its kind (spin, force, moment).

    shapes : (nf, n) modes of the free coordinates
    """
    assert model.geometric is not None
    load, u = loads.load, np.asarray(model.T_gf @ loads.u)
    Pi, S = np.asarray(model.T_gf @ shapes), rigid_motion(model.positions)[:, :3]
    both, n = np.hstack([Pi, S]), shapes.shape[1]
    whole, notes = model.geometric(u, both)
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
        loads.nodes,
        whole[keep, :n, :n],
        whole[keep, :n, n:],
        whole[keep, n:, n:],
    ), notes


def projected(found: Iterable[sp.spmatrix | np.ndarray], shapes: np.ndarray) -> np.ndarray:
    """Return ΦᵀKgΦ (k, m, m) of given geometric stiffnesses (6N, 6N), one at a time, Φ (6N, m)."""
    return np.array([shapes.T @ (sp.csr_matrix(Kg) @ shapes) for Kg in found])


COLUMNS = 8  # displacements looked at in one go: tables of all elements of a type are made of them
LINEAR = 1e-6  # of the sum of its terms: what a sum of displacements may differ from the sum of results


@dataclass(frozen=True)
class Recoverer:
    """Results of elements from displacements.

    names, quantities : of each row;  rows : displacements (nf, k) of the free coordinates -> results (r, k)
    """

    names: list[str]
    quantities: list[str]
    rows: Callable[[np.ndarray], np.ndarray]

    def __post_init__(self) -> None:
        for name, quantity in zip(self.names, self.quantities):
            if quantity not in QUANTITIES:
                raise InputError(
                    f"the quantity of '{name}' is not known",
                    where="recover",
                    got=shown(quantity),
                    hint=known_names(QUANTITIES),
                )


def recovery_rows(model: Assembled, shapes: np.ndarray, loads: UnitLoads) -> RecoveryRows:
    """Return the recovery rows of a structure.

    shapes : (nf, n) modes of the free coordinates
    """
    assert model.recoverer is not None
    found = model.recoverer
    inertia = model.M_ff @ shapes
    inertia = inertia - model.M_ff @ (loads.rigid @ (loads.rigid.T @ inertia))
    own = held_response(model.K_ff, inertia, loads.still, model.name_of)
    u = np.hstack([shapes, own, loads.u])
    y = linear_rows(found, u)
    n = shapes.shape[1]
    return RecoveryRows(
        found.names,
        found.quantities,
        loads.load,
        loads.nodes,
        C=y[:, :n],
        inertia=y[:, n : 2 * n],
        static=y[:, 2 * n :],
        modal=shapes.T @ loads.p,
    )


def linear_rows(found: Recoverer, u: np.ndarray) -> np.ndarray:
    """Return results (r, k) of displacements (nf, k), some columns at a time; refuse what is not linear in them."""
    parts = [found.rows(u[:, k : k + COLUMNS]) for k in range(0, u.shape[1], COLUMNS)]
    y = np.hstack([np.zeros((len(found.names), 0)), *parts])
    _check_linear(found, u, y)
    return y


def _check_linear(found: Recoverer, u: np.ndarray, y: np.ndarray) -> None:
    """Refuse rows that are not linear in the motion, by one sum of all displacements with made-up weights."""
    weights = np.cos(1.0 + np.arange(u.shape[1])) / np.maximum(np.abs(u).max(axis=0), 1e-300)
    size = np.abs(y) @ np.abs(weights)
    off = np.abs(found.rows((u @ weights)[:, None])[:, 0] - y @ weights)
    for name, gap, whole in zip(found.names, off, size):
        if not gap <= LINEAR * whole:
            raise InputError(
                f"the result '{name}' is not linear in the motion, so that it has no row",
                where="recover",
                hint="recover the components of stress, and make principal, extreme and von Mises values of them",
            )
