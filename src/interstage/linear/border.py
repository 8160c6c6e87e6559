"""Which poles rounding may have moved away from the border of stability, or from what stays as it is.

An error E in A moves a simple pole λ by wᴴ E v/wᴴ v at most: by ‖E‖ κ, κ = |w||v|/|wᴴ v| (Wilkinson 1965, 2.9; the
matrix is balanced first, so that units of states do not matter). Slow poles beside fast ones are known as well as their
own κ says, however large ‖A‖ is beside them. Poles that rounding has split, those of rigid motion above all, have κ as
large as what they were split by is small; such a group can be where its middle is, and no farther away than it is wide.
"""

from __future__ import annotations

import numpy as np
import scipy.linalg

from interstage.linear.eigenvectors import EPS, balanced

EXACT = 100.0 * EPS  # part of ‖A‖ by which matrices are wrong whose derivatives are exact
DIFFERENCED = 1e-9  # and those that were differenced
WIDE = 2.0  # a group may lie this many of its widths away from where it seems to be


class Doubt:
    """How far poles may have moved: `slack` (n,), each on its own, and `error`, what all share.

    A : (n, n);  values : its eigenvalues (n,);  rounding : of A, beside its size
    """

    def __init__(self, A: np.ndarray, values: np.ndarray, rounding: float = EXACT):
        A_b = balanced(np.asarray(A, dtype=float))[0]
        self.error = rounding * float(np.linalg.norm(A_b))
        found, left, right = scipy.linalg.eig(A_b, left=True, right=True)
        along = np.abs(np.sum(left.conj() * right, axis=0))
        size = np.linalg.norm(left, axis=0) * np.linalg.norm(right, axis=0)
        condition = size / np.maximum(along, np.finfo(float).tiny * np.maximum(size, 1.0))
        same = np.abs(np.asarray(values)[:, None] - found[None, :]).argmin(axis=1)
        apart = np.abs(found[:, None] - found[None, :]) + np.diag(np.full(len(found), np.inf))
        near = apart.min(axis=1, initial=np.inf)
        self.slack = np.maximum(self.error, np.minimum(self.error * condition, WIDE * near))[same]

    def within(self, distance: np.ndarray) -> np.ndarray:
        """Return which poles (n,) may be where their distance (n,) would be none."""
        return np.abs(distance) <= self.slack
