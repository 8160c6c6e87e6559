"""The pair (K, M) of an eigenproblem on one sparse pattern, its shifted factors and Sturm counts."""

from __future__ import annotations

import time

import numpy as np
import scipy.sparse as sp

from interstage.linalg.factor import Factor, NotPositiveDefinite, upper_triangle

# A pivot this small after mass has been added everywhere means motion without stiffness and without mass.
MASSLESS_PIVOT = 1e-9


class Pencil:
    """K and M of K x = λ M x, with dofs removed that have neither stiffness nor mass.

    Attributes
    ----------
    K, M : the matrices on the dofs in `kept`
    kept : dofs of the given problem that are solved for; the others stay zero in every mode
    scale : median of K_ii / M_ii over dofs with mass: the order of magnitude of the highest eigenvalues
    factor_seconds, n_factors : what factorizations have cost
    """

    def __init__(self, K, M):
        K, M = sp.csr_array(K), sp.csr_array(M)
        self.n_given = K.shape[0]
        used = _rows_in_use(K) | _rows_in_use(M)
        self.kept = np.flatnonzero(used)
        self.K, self.M = _symmetric_part(K, used), _symmetric_part(M, used)
        self._join()
        self.factor: Factor | None = None
        self.sigma = np.nan
        self.factor_seconds, self.n_factors = 0.0, 0
        k, m = self.K.diagonal(), self.M.diagonal()
        ratio = (k / np.where(m > 0, m, 1.0))[(m > 0) & (k > 0)]
        self.scale = float(np.median(ratio)) if len(ratio) else 1.0
        self.has_mass = bool((m > 0).any())

    def _join(self) -> None:
        self.n = self.K.shape[0]
        diagonal = self.M.diagonal()
        if self.M.nnz == np.count_nonzero(diagonal):
            U = upper_triangle(self.K)
            self._k, self._m = U.data, np.zeros(U.nnz)
            self._m[U.indptr[:-1]] = diagonal
        else:
            # One complex sum puts both matrices on the union of their patterns.
            U = upper_triangle(sp.csr_array(self.K + 1j * self.M))
            self._k, self._m = U.data.real.copy(), U.data.imag.copy()
        self._indices, self._indptr = U.indices, U.indptr

    def shifted(self, sigma: float) -> sp.csr_array:
        """Upper triangle of K - σ M."""
        data = self._k - sigma * self._m
        return sp.csr_array((data, self._indices, self._indptr), shape=(self.n, self.n))

    def factorize(self, sigma: float) -> Factor:
        """Factorize K - σ M; the ordering of the first call serves all others."""
        start = time.perf_counter()
        U = self.shifted(sigma)
        if self.factor is None:
            self.factor = Factor(U, upper=True)
        else:
            self.factor.refactor(U, upper=True)
        self.sigma = sigma
        self.n_factors += 1
        self.factor_seconds += time.perf_counter() - start
        return self.factor

    def factorize_near(self, sigma: float, nudge: float) -> Factor:
        """Factorize at σ, or a little beside it where σ is an eigenvalue to working precision.

        `n_perturbed` of the result tells whether none of the shifts tried was clear of eigenvalues.
        """
        for attempt in range(4):
            factor = self.factorize(sigma + attempt * nudge)
            if factor.n_perturbed == 0:
                break
        return factor

    def ground_massless_mechanisms(self) -> np.ndarray:
        """Fix one dof of each motion that has neither stiffness nor mass; returns those dofs.

        Such a motion is in the null space of both matrices, so that fixing one of its dofs changes no
        eigenvalue and only picks one of the equivalent shapes.
        """
        U = self.shifted(-0.01 * self.scale)
        diagonal = U.diagonal()
        U.data[self._indptr[:-1]] = diagonal * (1.0 + 1e-12)
        try:
            pivots = Factor(U, upper=True, definite=True).pivots()
        except NotPositiveDefinite:
            return np.zeros(0, dtype=np.int64)
        bad = np.flatnonzero(pivots < MASSLESS_PIVOT)
        if len(bad):
            keep = np.ones(self.n, dtype=bool)
            keep[bad] = False
            grounded, self.kept = self.kept[bad], self.kept[keep]
            self.K, self.M = self.K[keep][:, keep], self.M[keep][:, keep]
            self.factor = None
            self._join()
            return grounded
        return bad

    def expand(self, vectors: np.ndarray) -> np.ndarray:
        """Put vectors on the kept dofs back on all dofs of the given problem."""
        if len(self.kept) == self.n_given:
            return vectors
        full = np.zeros((self.n_given, vectors.shape[1]))
        full[self.kept] = vectors
        return full


def _rows_in_use(A) -> np.ndarray:
    """Rows with an entry that is not zero (n,)."""
    used = np.zeros(A.shape[0], dtype=bool)
    filled = np.flatnonzero(np.diff(A.indptr) > 0)
    if len(filled):
        used[filled] = np.logical_or.reduceat(A.data != 0.0, A.indptr[filled])
    return used


def _symmetric_part(A, used: np.ndarray) -> sp.csr_array:
    if not used.all():
        A = A[used][:, used]
    A = sp.csr_array(A, dtype=float, copy=True)
    A.eliminate_zeros()
    return A
