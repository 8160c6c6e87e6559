"""Geometric stiffness of a loaded model, assembled from the forces and stresses of a static solution."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import scipy.sparse as sp

from interstage.calls import named_arguments
from interstage.errors import InputError, known_names
from interstage.fem.assembly import assemble
from interstage.fem.elements.block import ElementBlock
from interstage.fem.model import FEModel
from interstage.fem.recovery import Recovery

FORMS = ("nastran", "full")


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
    (Kg,), notes = geometric_stiffnesses(
        fe, u if isinstance(u, Recovery) else np.asarray(u, dtype=float)[:, None], form
    )
    return Kg, notes


def geometric_stiffnesses(
    fe: FEModel, u: np.ndarray | Recovery, form: str = "nastran"
) -> tuple[Iterator[sp.csr_matrix], list[str]]:
    """Geometric stiffness of each of the preloads with displacements u (n_dof, k), one at a time, and notes."""
    if form not in FORMS:
        raise InputError("the form of geometric stiffness is not known", got=form, hint=known_names(FORMS))
    recovery = u if isinstance(u, Recovery) else Recovery(fe, u)
    results: dict[int, np.ndarray] = {}
    without = []
    for block in fe.blocks:
        if not len(block) or block.stiffness(slice(0, 1)) is None:
            continue
        found = None if block.recovery(slice(0, 1)) is None else recovery.results(block)
        if found is None or block.geometric_stiffness(slice(0, 1), found[:1, :, 0], form == "full") is None:
            without.append(block.name)
        else:
            results[id(block)] = found

    def assembled(k: int) -> sp.csr_matrix:
        def matrix(block: ElementBlock, rows: slice) -> np.ndarray | None:
            if id(block) not in results:
                return None
            return block.geometric_stiffness(rows, results[id(block)][rows, :, k], form == "full")

        return assemble(fe.grids, fe.blocks, matrix)

    notes = [
        f"{name} has no geometric stiffness here: its preload is left out" for name in sorted(set(without))
    ]
    return (assembled(k) for k in range(recovery.u.shape[1])), notes
