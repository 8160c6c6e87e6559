"""Eigenvectors of real matrices, independent also where eigenvalues coincide.

LAPACK's vectors of equal eigenvalues may be parallel, and real ones conjugate pairs: they come one by one from a
triangular factor whose entries between equals are rounding. The space that belongs to equal eigenvalues is well
defined, though: what their vectors span, or, where these fail, the leading Schur vectors after those eigenvalues were
brought to the front (LAPACK's trsen; Bai and Demmel 1993).
"""

from __future__ import annotations

import numpy as np
from scipy.linalg import schur
from scipy.linalg.lapack import dgebal, ztrsen
from scipy.sparse.csgraph import connected_components

EPS = float(np.finfo(float).eps)
INDEPENDENT = 1e-4  # vectors whose singular values fall below this part of the largest are not


def balanced(A: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return A scaled by powers of two, and the scales s (n,): A_b = A s/s'."""
    if len(A) == 0:
        return A, np.ones(0)
    # LAPACK's own routine: scipy's wrapper warns of scales beyond the range of integers
    A_b, _, _, scale, _ = dgebal(A, scale=1, permute=0)
    return A_b, scale


def eigenvectors(A: np.ndarray, real: bool = False) -> tuple[np.ndarray, np.ndarray]:
    """Return eigenvalues (n,) and vectors (n, n) of a balanced matrix; equals have an orthonormal basis of their space.

    real : eigenvalues are real but for rounding: so are the vectors of equals. A Jordan block is left as LAPACK has
    it, and so are poles at zero, which are such blocks in a free vehicle (but not where eigenvalues are real).
    """
    values, V = np.linalg.eig(A)
    zero = 1e2 * EPS * np.linalg.norm(A)
    slack = 1e-9 * np.abs(values) + zero
    factors: list[np.ndarray] = []
    for places in clusters(values, slack):
        mean, near = values[places].mean(), 20.0 * slack[places].max()
        if not real and abs(mean) <= 1e4 * zero:
            continue
        basis = _spanned(V[:, places], real)
        if basis is None:
            factors = factors or list(schur(A, output="complex"))
            basis = _leading(*factors, values[places], near)
            basis = _spanned(basis, real) if basis is not None else None
        if basis is None:
            continue
        block = basis.conj().T @ (A @ basis)
        if np.linalg.norm(block - mean * np.eye(len(places))) <= near:
            V = V.astype(np.result_type(V, basis))
            V[:, places] = basis
    return values, V


def _spanned(V: np.ndarray, real: bool) -> np.ndarray | None:
    """Return an orthonormal basis (n, m) of what m vectors span, or None where they are not independent.

    Conjugates to rounding come together in a real cluster: real and imaginary parts have m real vectors in them.
    """
    m = V.shape[1]
    U, s, _ = np.linalg.svd(np.hstack([V.real, V.imag]) if real else V, full_matrices=False)
    return U[:, :m] if s[m - 1] > INDEPENDENT * s[0] else None


def _leading(T: np.ndarray, Z: np.ndarray, values: np.ndarray, near: float) -> np.ndarray | None:
    """Return the Schur vectors (n, m) of m eigenvalues, brought to the front."""
    chosen = np.abs(np.diag(T) - values.mean()) <= near + np.abs(values - values.mean()).max()
    if chosen.sum() != len(values):
        return None
    _, Q, *_, info = ztrsen(chosen.astype(np.int32), T, Z, job="N")
    return Q[:, : len(values)] if info == 0 else None


def clusters(values: np.ndarray, slack: np.ndarray) -> list[np.ndarray]:
    """Return places of values that lie together, two or more each: neighbours of neighbours belong to one."""
    if not len(values):
        return []
    near = np.abs(values[:, None] - values[None, :]) <= np.maximum(slack[:, None], slack[None, :])
    _, label = connected_components(near, directed=False)
    return [g for g in (np.flatnonzero(label == k) for k in np.unique(label)) if len(g) > 1]
