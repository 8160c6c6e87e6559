"""Solve small eigenproblems K x = λ M x completely, with K or M singular.

Low modes come from the inverse form L⁻¹ M L⁻ᵀ y = θ y, K - σM = L Lᵀ, λ = σ + 1/θ, high modes from the
mass-condensed form, each where it has more digits:  error of θ ≈ ε θ_max/θ,  error of λ ≈ ε λ_max/λ.
"""

from __future__ import annotations

import numpy as np
import scipy.linalg as la

from interstage.linalg.pencil import Pencil

RANK = 1e-12


def dense_modes(pencil: Pencil) -> tuple[np.ndarray, np.ndarray]:
    """All finite eigenvalues (ascending) and M-orthonormal vectors of a pencil."""
    K, M = pencil.K.toarray(), pencil.M.toarray()
    rank = _mass_rank(M)
    if rank == 0:
        return np.zeros(0), np.zeros((pencil.n, 0))
    sigma = -1e-9 * pencil.scale
    values, vectors = _inverse_form(K, M, rank, sigma)
    # A first pass shows where the flexible modes start; a shift of their size keeps all digits of θ.
    flexible = values[np.abs(values) > 100.0 * abs(sigma)]
    if len(flexible) and len(flexible) < len(values):
        sigma = -float(flexible[0])
        values, vectors = _inverse_form(K, M, rank, sigma)
    error_low = (values - sigma) / (values[0] - sigma)
    if error_low[-1] > 1e3:
        top_values, top_vectors = _condensed_form(K, M, rank)
        error_high = np.abs(values[-1]) / np.maximum(np.abs(values), 1e-30 * np.abs(values[-1]))
        high = error_high < error_low
        first = int(np.argmax(high)) if high.any() else len(values)
        values, vectors = values.copy(), vectors.copy()
        values[first:], vectors[:, first:] = top_values[first:], top_vectors[:, first:]
    return values, vectors


def _mass_rank(M: np.ndarray) -> int:
    d = np.sqrt(np.maximum(np.diag(M), 0.0))
    d[d == 0.0] = 1.0
    return int((la.eigvalsh(M / np.outer(d, d)) > RANK).sum())


def _inverse_form(K, M, rank: int, sigma: float):
    """Eigenpairs from the inverse form; moves σ down until K - σM is positive definite."""
    for _ in range(12):
        A = K - sigma * M
        s = 1.0 / np.sqrt(np.maximum(np.diag(A), np.finfo(float).tiny))
        try:
            L = la.cholesky(A * np.outer(s, s), lower=True)
            break
        except la.LinAlgError:
            sigma *= 30.0
    else:
        return _condensed_form(K, M, rank)
    B = la.solve_triangular(L, M * np.outer(s, s), lower=True)
    B = la.solve_triangular(L, B.T, lower=True)
    theta, Y = la.eigh(0.5 * (B + B.T))
    theta, Y = theta[::-1][:rank], Y[:, ::-1][:, :rank]
    theta = np.maximum(theta, np.finfo(float).tiny)
    X = s[:, None] * la.solve_triangular(L, Y, lower=True, trans="T")
    return sigma + 1.0 / theta, _normalized(X, M)


def _condensed_form(K, M, rank: int):
    """Eigenpairs after static condensation of the null space of M."""
    d = np.sqrt(np.maximum(np.diag(M), 0.0))
    d[d == 0.0] = 1.0
    k = np.sqrt(np.maximum(np.diag(K), np.finfo(float).tiny))
    d = np.where(np.diag(M) > 0.0, d, np.where(k > 1e-150, k, 1.0))
    mass, V = la.eigh(M / np.outer(d, d))
    V = V / d[:, None]
    V0, V1 = V[:, : len(mass) - rank], V[:, len(mass) - rank :] / np.sqrt(mass[len(mass) - rank :])
    if V0.shape[1]:
        K00, K01 = V0.T @ K @ V0, V0.T @ K @ V1
        V1 = V1 - V0 @ la.lstsq(K00, K01, cond=1e-13)[0]
    A = V1.T @ K @ V1
    values, Y = la.eigh(0.5 * (A + A.T))
    return values, _normalized(V1 @ Y, M)


def _normalized(X: np.ndarray, M: np.ndarray) -> np.ndarray:
    return X / np.sqrt(np.maximum(np.einsum("ij,ij->j", X, M @ X), np.finfo(float).tiny))
