"""Invariant zeros of a state-space model: where [A - sI, B; C, D] loses rank.

Rows and columns that cannot lose rank are removed by orthogonal transformations until D has full rank, first from
the left, then from the right (Emami-Naeini and Van Dooren, Automatica 18, 1982); infinite zeros disappear with
them. What is left is a generalized eigenproblem of finite zeros.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg import eig, null_space, svd

from interstage.linear.eigenvectors import balanced

_EPS = float(np.finfo(float).eps)


def invariant_zeros(A: np.ndarray, B: np.ndarray, C: np.ndarray, D: np.ndarray) -> np.ndarray:
    """Return the finite invariant zeros (k,), complex, in order of size."""
    n, nu, ny = len(A), B.shape[1], len(C)
    if 0 in (n, nu, ny):
        return np.zeros(0, complex)
    A, B, C, D, rate = _scaled(A, B, C, D)
    tolerance = 10.0 * _EPS * max(n, nu, ny) * max(1.0, np.linalg.norm(A, 2))
    A, B, C, D = _reduced(A, B, C, D, tolerance)
    At, Ct, Bt, Dt = _reduced(A.T, C.T, B.T, D.T, tolerance)
    A, B, C, D = At.T, Bt.T, Ct.T, Dt.T
    if len(A) == 0:
        return np.zeros(0, complex)
    if D.size == 0:
        zeros = np.linalg.eigvals(A)
    else:
        N = null_space(np.hstack([C, D]), rcond=_EPS)
        zeros = eig(np.hstack([A, B]) @ N, N[: len(A)], right=False)
    zeros = zeros[np.isfinite(zeros)] * rate
    return zeros[np.lexsort((zeros.imag, np.round(np.abs(zeros), 9)))]


def _scaled(A, B, C, D) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, float]:
    """Return a balanced model with time in units of a middling pole and channels of about unit size."""
    A, scale = balanced(A)
    B, C = B / scale[:, None], C * scale
    size = np.abs(np.linalg.eigvals(A))
    size = size[size > 1e-6 * size.max(initial=0.0)]
    rate = float(np.exp(np.log(size).mean())) if len(size) else 1.0
    B = B / rate  # with A: C (sI - A)⁻¹ B beside D is the same at s/rate
    columns = np.linalg.norm(np.vstack([B, D]), axis=0)
    columns = np.where(columns > 0.0, columns, 1.0)
    B, D = B / columns, D / columns
    rows = np.linalg.norm(np.hstack([C, D]), axis=1)
    rows = np.where(rows > 0.0, rows, 1.0)
    return A / rate, B, C / rows[:, None], D / rows[:, None], rate


def _reduced(A, B, C, D, tolerance: float) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return a smaller model with the same zeros whose D has full row rank."""
    while len(D):
        U, s, _ = svd(D) if D.shape[1] else (np.eye(len(D)), np.zeros(0), None)
        rank = int(np.sum(s > tolerance))
        C, D = U.T @ C, U.T @ D
        bare, C, D = C[rank:], C[:rank], D[:rank]
        if len(bare) == 0 or len(A) == 0:
            break
        _, s, Vt = svd(bare)
        seen = int(np.sum(s > tolerance))
        if seen == 0:
            break
        # states that some output shows at once cannot move at a zero: their rates become outputs
        V = np.vstack([Vt[seen:], Vt[:seen]]).T
        k = len(A) - seen
        A, B, C = V.T @ A @ V, V.T @ B, C @ V
        C, D = np.vstack([C[:, :k], A[k:, :k]]), np.vstack([D, B[k:]])
        A, B = A[:k, :k], B[:k]
    return A, B, C, D
