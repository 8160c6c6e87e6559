"""Integrals of pairs of modes as products of few rows, where few points carry the mass.

B_rs = Σ m γ_r γ_sᵀ over points is the product WᵀW of rows W (k, 3n), one for each axis of a mode, as many as there are
points that move. A stick of forty nodes has forty rows, however many modes it has: sums over all pairs of modes then
cost 18 k n products instead of 12 n², and read 3 k n numbers instead of 4.5 n².

The rows are eigenvectors of B times the roots of their eigenvalues. Those of a sum of squares are not negative: the
most negative one tells how large rounding is in B, and what is not larger than that is left out.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg import eigh
from scipy.linalg.lapack import dpstrf

LEAST = 24  # modes from which on rows are looked for
WORTH = 0.6  # rows for each mode up to which they cost less than pairs
ROUGH = 1e-10  # negative eigenvalues beyond this part of the largest are no rounding: B is no sum of squares
CLEAR = 4.0  # times the size of rounding: eigenvalues that are kept
ROUNDING = 1e-14  # of the largest eigenvalue, at least


def thin_rows(B: np.ndarray) -> np.ndarray | None:
    """Return W (k, 3, n) with B_ij,rs = Σ_k W_k,ir W_k,js of B (3, 3, n, n); None where it would not be worth it."""
    n = B.shape[-1]
    if n < LEAST:
        return None
    H = B.transpose(0, 2, 1, 3).reshape(3 * n, 3 * n)
    H = 0.5 * (H + H.T)
    rank = dpstrf(H, tol=10.0 * ROUGH * H.diagonal().max())[2]  # a quick look: no fewer rows than this
    if rank > WORTH * n:
        return None
    values, vectors = eigh(H)
    noise = max(-values[0], 0.0)
    kept = values > max(CLEAR * noise, ROUNDING * values[-1])
    if noise > ROUGH * values[-1] or kept.sum() > WORTH * n:
        return None
    return (np.sqrt(values[kept]) * vectors[:, kept]).T.reshape(-1, 3, n)
