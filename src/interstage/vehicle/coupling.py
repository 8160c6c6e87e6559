"""Substructure coupling: coordinates of all stages from those that remain, u = S q.

Constraint equations C u = 0 (coincident components, rigid links, any linear relation) are collected; rows are
normalized, and columns of rotations are divided by a length, so that all numbers are of one kind. QR with column
pivoting then picks the dependent coordinates, C P = Q [R11 R12], and u_d = -R11⁻¹ R12 u_i. Equations that say what
others say show as a lack of rank and are dropped. (R. R. Craig, Structural Dynamics, 1981, ch. 19, with the choice of
dependents left to the pivots.)
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.linalg as la
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components

RANK = 1e-10  # of the largest pivot: what is smaller is an equation said twice


@dataclass(frozen=True, eq=False)
class Coupling:
    """S (n, nq) of u = S q;  independent (nq,) and dependent (m,) coordinates.

    dropped : number of equations that said nothing new
    """

    S: sp.csr_matrix
    independent: np.ndarray
    dependent: np.ndarray
    dropped: int


def couple(C: sp.csr_matrix, rotation: np.ndarray, length: float) -> Coupling:
    """Solve constraint equations C u = 0 for dependent coordinates.

    C : (m, n) sparse; rotation : (n,) whether a coordinate is an angle; length : that angles are multiplied by
    """
    n = C.shape[1]
    unit = np.where(rotation, 1.0 / length, 1.0)  # u = unit * scaled
    C = sp.csr_matrix(C @ sp.diags(unit))
    size = np.sqrt(np.asarray(C.multiply(C).sum(axis=1)).ravel())
    C = sp.diags(1.0 / np.where(size > 0.0, size, 1.0)) @ C
    C = sp.csr_matrix(C)
    C.eliminate_zeros()
    rows, columns, values, dependent = [], [], [], []
    for equations, occurring in _blocks(C):
        dense = C[equations][:, occurring].toarray()
        R, pivots = la.qr(dense, mode="r", pivoting=True)
        diagonal = np.abs(np.diag(R))
        rank = int(np.count_nonzero(diagonal > RANK * diagonal[0]))
        d, i = occurring[pivots[:rank]], occurring[pivots[rank:]]
        G = -la.solve_triangular(R[:rank, :rank], R[:rank, rank:])
        G[np.abs(G) < 1e-14] = 0.0
        dependent.append(d)
        at = np.nonzero(G)
        rows.append(d[at[0]])
        columns.append(i[at[1]])
        values.append(G[at] * unit[d[at[0]]] / unit[i[at[1]]])
    m = np.sort(np.concatenate([np.zeros(0, dtype=np.int64), *dependent]))
    independent = np.setdiff1d(np.arange(n), m)
    G_all = sp.csr_matrix((np.concatenate(values), (np.concatenate(rows), np.concatenate(columns))), (n, n))
    own = sp.diags(np.isin(np.arange(n), independent).astype(float))
    S = sp.csr_matrix(own + G_all)[:, independent]
    return Coupling(S.tocsr(), independent, m, C.shape[0] - len(m))


def uncoupled(n: int) -> Coupling:
    """Return the coupling of coordinates without equations."""
    return Coupling(sp.identity(n, format="csr"), np.arange(n), np.zeros(0, dtype=np.int64), 0)


def _blocks(C: sp.csr_matrix) -> list[tuple[np.ndarray, np.ndarray]]:
    """Return equations and coordinates of each set that is connected by equations."""
    m = C.shape[0]
    graph = sp.block_array([[None, C], [C.T, None]])
    _, label = connected_components(graph, directed=False)
    out = []
    for one in np.unique(label[:m]):
        columns = np.flatnonzero(label[m:] == one)
        if len(columns):
            out.append((np.flatnonzero(label[:m] == one), columns))
    return out
