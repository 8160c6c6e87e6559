"""Eigenvectors of real matrices, independent also where eigenvalues coincide.

LAPACK's vectors of equal eigenvalues may be parallel: they come one by one from a triangular factor whose entries
between equals are rounding. The space that belongs to equal eigenvalues is well defined, though: the leading Schur
vectors after those eigenvalues were brought to the front (LAPACK's trsen; Bai and Demmel 1993).
"""

from __future__ import annotations

import numpy as np
from scipy.linalg import schur
from scipy.linalg.lapack import dgebal, ztrsen
from scipy.sparse.csgraph import connected_components

EPS = float(np.finfo(float).eps)


def balanced(A: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return A scaled by powers of two, and the scales s (n,): A_b = A s/s'."""
    if len(A) == 0:
        return A, np.ones(0)
    # LAPACK's own routine: scipy's wrapper warns of scales beyond the range of integers
    A_b, _, _, scale, _ = dgebal(A, scale=1, permute=0)
    return A_b, scale


def eigenvectors(A: np.ndarray, real: bool = False) -> tuple[np.ndarray, np.ndarray]:
    """Return eigenvalues (n,) and vectors (n, n) of a balanced matrix; equals have an orthonormal basis of their space.

    real : eigenvalues are real but for rounding: so are the vectors of equals. A Jordan block is left as LAPACK has it.
    """
    values, V = np.linalg.eig(A)
    for places, basis in _repeated(A, values):
        if real:
            # conjugates to rounding come together: the space of a real cluster has a real basis
            basis = np.linalg.svd(np.hstack([basis.real, basis.imag]))[0][:, : len(places)]
        V = V.astype(np.result_type(V, basis))
        V[:, places] = basis
    return values, V


def _repeated(A: np.ndarray, values: np.ndarray) -> list[tuple[np.ndarray, np.ndarray]]:
    """Return (places, basis (n, m)) of eigenvalues that coincide to rounding and have m independent vectors.

    The basis is orthonormal: the leading Schur vectors after the cluster was brought to the front. A cluster in
    which A is not a multiple of unity (a Jordan block) is left out.
    """
    slack = 1e-9 * np.abs(values) + 1e2 * EPS * np.linalg.norm(A)
    found: list[tuple[np.ndarray, np.ndarray]] = []
    T = Z = None
    for places in _clusters(values, slack):
        if T is None:
            T, Z = schur(A, output="complex")
        mean, near = values[places].mean(), 2.0 * slack[places].max()
        chosen = np.abs(np.diag(T) - mean) <= near + np.abs(values[places] - mean).max()
        if chosen.sum() != len(places):
            continue
        _, Q, *_, info = ztrsen(chosen.astype(np.int32), T, Z, job="N")
        basis = Q[:, : len(places)]
        block = basis.conj().T @ A @ basis
        if info == 0 and np.linalg.norm(block - mean * np.eye(len(places))) <= 10.0 * near:
            found.append((places, basis))
    return found


def _clusters(values: np.ndarray, slack: np.ndarray) -> list[np.ndarray]:
    """Return places of values that lie together, two or more each: neighbours of neighbours belong to one."""
    if not len(values):
        return []
    near = np.abs(values[:, None] - values[None, :]) <= np.maximum(slack[:, None], slack[None, :])
    _, label = connected_components(near, directed=False)
    return [g for g in (np.flatnonzero(label == k) for k in np.unique(label)) if len(g) > 1]
