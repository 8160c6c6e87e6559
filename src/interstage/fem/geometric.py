"""Geometric stiffness of a loaded model, assembled from the forces and stresses of a static solution."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from interstage.calls import named_arguments
from interstage.errors import InputError, known_names
from interstage.fem.assembly import CHUNK, assemble
from interstage.fem.elements.block import ElementBlock
from interstage.fem.model import FEModel
from interstage.fem.recovery import Recovery

FORMS = ("nastran", "full")
MOST_NUMBERS = 4_000_000  # of projected element matrices that are held at once


@named_arguments
def geometric_stiffness(
    fe: FEModel, u: np.ndarray | Recovery, form: str = "nastran"
) -> tuple[sp.csr_matrix, list[str]]:
    """Geometric stiffness (n_dof, n_dof) of the preload with displacements u (n_dof,), and notes.

    Parameters
    ----------
    u : static displacements on the g-set, or what follows from them (with thermal loads)
    form : "nastran", the element forms of SOL 105; or "full", complete displacement gradients with torque and
        semi-tangential moments in beams, in which a rigid turn of the loaded structure turns its forces
    """
    recovery = u if isinstance(u, Recovery) else Recovery(fe, np.asarray(u, dtype=float)[:, None])
    results, notes = _stressing(recovery, form)

    def matrix(block: ElementBlock, rows: slice) -> np.ndarray | None:
        found = results.get(id(block))
        return None if found is None else block.geometric_stiffness(rows, found[rows, :, 0], form == "full")

    return assemble(fe.grids, fe.blocks, matrix), notes


def projected_stiffness(
    fe: FEModel, u: np.ndarray, shapes: np.ndarray, form: str = "nastran"
) -> tuple[np.ndarray, list[str]]:
    """Geometric stiffness ΦᵀKgΦ (k, m, m) of each of the preloads with displacements u (n_dof, k), and notes.

    With B_e the motion of an element under Φ and s_er its results under a preload, which Kg is linear in,

        ΦᵀKgΦ = Σ_e B_eᵀ Kg_e(s_e) B_e = Σ_e Σ_r s_er B_eᵀ Kg_e(1_r) B_e

    so that many preloads need the matrices of no more than all unit results, and no matrix of the model.

    shapes : Φ (n_dof, m);  form : as in `geometric_stiffness`
    """
    results, notes = _stressing(Recovery(fe, u), form)
    motion, m = Recovery(fe, shapes), shapes.shape[1]
    out = np.zeros((u.shape[1], m, m))
    chunk = max(1, min(CHUNK, MOST_NUMBERS // max(m * m, 1)))
    for block in fe.blocks:
        found = results.get(id(block))
        if found is None:
            continue
        for first in range(0, len(block), chunk):
            rows = slice(first, min(first + chunk, len(block)))
            _add_projected(block, rows, found[rows], motion.motion(block, rows), form == "full", out)
    return out, notes


def _add_projected(
    block: ElementBlock, rows: slice, results: np.ndarray, B: np.ndarray, full: bool, out: np.ndarray
) -> None:
    """Add BᵀKgB of elements under results (n, r, k), motions B (n, d, m), to out (k, m, m)."""
    n, r, k = results.shape
    m = B.shape[2]
    if k <= r:
        for one in range(k):
            Kg = block.geometric_stiffness(rows, np.ascontiguousarray(results[:, :, one]), full)
            out[one] += B.reshape(-1, m).T @ (Kg @ B).reshape(-1, m)
        return
    for j in np.flatnonzero(results.any(axis=(0, 2))):
        unit = np.zeros((n, r))
        unit[:, j] = 1.0
        Kg = block.geometric_stiffness(rows, unit, full)
        if Kg is not None and Kg.any():
            each = B.transpose(0, 2, 1) @ (Kg @ B)
            out += (results[:, j].T @ each.reshape(n, -1)).reshape(k, m, m)


def _stressing(recovery: Recovery, form: str) -> tuple[dict[int, np.ndarray], list[str]]:
    """Return the results (n, r, k) of blocks that have a geometric stiffness, by id, and notes on those without."""
    if form not in FORMS:
        raise InputError("the form of geometric stiffness is not known", got=form, hint=known_names(FORMS))
    results: dict[int, np.ndarray] = {}
    without = []
    for block in recovery.fe.blocks:
        if not len(block) or block.stiffness(slice(0, 1)) is None:
            continue
        found = None if block.recovery(slice(0, 1)) is None else recovery.results(block)
        if found is None or block.geometric_stiffness(slice(0, 1), found[:1, :, 0], form == "full") is None:
            without.append(block.name)
        else:
            results[id(block)] = found
    return results, [
        f"{name} has no geometric stiffness here: its preload is left out" for name in sorted(set(without))
    ]
