"""Factors of Gramians without Gramians: L with L Lᵀ = P of A P + P Aᵀ + B Bᵀ = 0, or of A P Aᵀ - P + B Bᵀ = 0.

In complex Schur form A = Z S Zᴴ the last row of S stands alone. With S = [S₁ s; 0 λ], U = [U₁ u; 0 τ], B = [B₁; b],

    τ = |b|/√(-2 Re λ),    (S₁ + λ̄) u = -(s τ + B₁ βᴴ),        B₁ ← B₁ - u β             β = b/τ
    τ = |b|/√(1 - |λ|²),   (1 - λ̄ S₁) u = λ̄ s τ + B₁ βᴴ,      B₁ ← [B₁, S₁u + sτ] W      W ⟂ [βᴴ; λ̄]

and so on upwards: P = Z U (Z U)ᴴ. Small singular values keep the digits that they would lose in P, the square of U.
Source: Hammarling, IMA J. Numer. Anal. 2 (1982), 303; in discrete time, Systems & Control Letters 17 (1991), 137.
"""

from __future__ import annotations

import numpy as np
import scipy.linalg as sl


def factor(A: np.ndarray, B: np.ndarray, sampled: bool) -> np.ndarray:
    """Return L (n, n), real, of a stable A (n, n) and B (n, m)."""
    n = len(A)
    if not n:
        return np.zeros((0, 0))
    S, Z = sl.schur(np.asarray(A, dtype=float), output="complex")
    rest = Z.conj().T @ B.astype(complex)
    U = np.zeros((n, n), complex)
    for k in range(n - 1, -1, -1):
        pole, b = S[k, k], rest[k]
        size = float(np.linalg.norm(b))
        decay = 1.0 - abs(pole) ** 2 if sampled else -2.0 * pole.real
        # no input reaches the last state: its row and column of P are zero
        if size > 0.0:
            U[k, k], beta = size / np.sqrt(decay), b * (np.sqrt(decay) / size)
            rest = _step(S[:k, :k], S[:k, k], pole, U[:k, k], U[k, k].real, rest[:k], beta, sampled)
        else:
            rest = rest[:k]
    F = Z @ U
    # P is real: so is the factor [Re F, Im F] of it, as wide as it is high after an orthogonal transformation
    return np.asarray(np.linalg.qr(np.hstack([F.real, F.imag]).T, mode="r")).T


def _step(
    S: np.ndarray,
    s: np.ndarray,
    pole: complex,
    u: np.ndarray,
    tau: float,
    rest: np.ndarray,
    beta: np.ndarray,
    sampled: bool,
) -> np.ndarray:
    """Write u (k,), the column of U above τ; return what is left of B (k, m)."""
    k = len(S)
    if not k:
        return rest
    seen = rest @ beta.conj()
    if not sampled:
        u[:] = -sl.solve_triangular(S + np.conj(pole) * np.eye(k), s * tau + seen)
        return rest - np.outer(u, beta)
    u[:] = sl.solve_triangular(np.eye(k) - np.conj(pole) * S, np.conj(pole) * s * tau + seen)
    along = np.concatenate([beta.conj(), [np.conj(pole)]])  # of length 1
    across = np.linalg.qr(along[:, None], mode="complete")[0][:, 1:]
    return np.column_stack([rest, S @ u + s * tau]) @ across
