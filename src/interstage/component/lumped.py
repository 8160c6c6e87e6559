"""Lumped rigid bodies: taken out of the mass matrix, described on their own, put back.

A lumped body of mass m at offset o from its grid, with inertia I about its own centre of mass, adds to that
grid

    [ m I3        -m [o]x        ]   rows T1 T2 T3 R1 R2 R3
    [ m [o]x   I - m [o]x [o]x   ]
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp

from interstage.component.integrals import skew
from interstage.component.record import ChildBody
from interstage.errors import InputError


def mass_block(mass: float, offset: np.ndarray, inertia: np.ndarray) -> np.ndarray:
    """Return the 6x6 mass matrix of a lumped body at its grid, rows T1 T2 T3 R1 R2 R3."""
    o = skew(np.asarray(offset, dtype=float))
    out = np.zeros((6, 6))
    out[:3, :3] = mass * np.eye(3)
    out[:3, 3:] = -mass * o
    out[3:, :3] = mass * o
    out[3:, 3:] = np.asarray(inertia) - mass * o @ o
    return out


def lumped_matrix(bodies: Sequence[ChildBody], node_ids: np.ndarray) -> sp.csr_matrix:
    """Return the mass matrix (6N, 6N) of the lumped bodies, in the axes they are given in."""
    n = len(node_ids)
    rows, columns, values = [], [], []
    for body in bodies:
        at = int(np.searchsorted(node_ids, body.grid))
        if at == n or node_ids[at] != body.grid:
            raise InputError(
                "a lumped body sits on a grid that is not in the model",
                where=f"{body.name}, grid {body.grid}",
            )
        dof = 6 * at + np.arange(6)
        rows.append(np.repeat(dof, 6))
        columns.append(np.tile(dof, 6))
        values.append(mass_block(body.mass, body.com, body.inertia).ravel())
    if not rows:
        return sp.csr_matrix((6 * n, 6 * n))
    parts = (np.concatenate(values), (np.concatenate(rows), np.concatenate(columns)))
    return sp.coo_matrix(parts, shape=(6 * n, 6 * n)).tocsr()


def remove_lumped(M: Any, bodies: Sequence[ChildBody], node_ids: np.ndarray) -> sp.csr_matrix:
    """Subtract lumped bodies from a mass matrix (6N, 6N); what cancels to rounding is removed."""
    M = sp.csr_matrix(M)
    rest = (M - lumped_matrix(bodies, node_ids)).tocsr()
    size = abs(M).max() if M.nnz else 0.0
    pattern = abs(M).tocsr()
    rest.sum_duplicates()
    before = np.asarray(pattern[rest.nonzero()]).ravel()
    values = np.asarray(rest[rest.nonzero()]).ravel()
    gone = np.abs(values) <= 1e-13 * np.maximum(before, 1e-15 * size)
    i, j = rest.nonzero()
    out = sp.csr_matrix((values[~gone], (i[~gone], j[~gone])), shape=M.shape)
    negative = out.diagonal() < 0
    if negative.any():
        grid = node_ids[np.flatnonzero(negative)[0] // 6]
        raise InputError(
            "the lumped bodies weigh more than the mass matrix holds there",
            where=f"grid {grid}",
            hint="give mass, offset and inertia as they were put into the mass matrix",
        )
    return out


def lumped_aset(bodies: Sequence[ChildBody]) -> dict[int, int]:
    """Return the interface that the bodies need: the grids of the flexible body that carry them."""
    aset: dict[int, set[str]] = {}
    for body in bodies:
        carriers = body.parent_grids if len(body.parent_grids) else [body.grid]
        for grid in carriers:
            aset.setdefault(int(grid), set()).update(str(body.components))
    return {grid: int("".join(sorted(components))) for grid, components in sorted(aset.items())}
