"""The pair (K, M) of an eigenproblem on one sparse pattern, its shifted factors and Sturm counts.

Measure how good eigenpairs are: residuals, what rounding explains of them, M-orthogonality.

r = ‖K x - λ M x‖,   size = max(‖K x‖, 1e-6 ‖diag(K) x‖, 1e-15 scale ‖M x‖)
rounding = ‖|K| |x|‖ + |λ| ‖|M| |x|‖,   level ‖M x‖

level is the largest size among the shift that found x and the modes to which x is made orthogonal: their rounding
is all there is in a motion whose stiffness is zero without any.
"""

from __future__ import annotations

import time
from typing import NamedTuple

import numpy as np
import scipy.linalg as la
import scipy.sparse as sp

from interstage.errors import SolverError
from interstage.linalg.blas import inner, product
from interstage.linalg.factor import Factor, upper_triangle
from interstage.linalg.lanczos import mass_operator

# Energy of a motion, relative to the sum of the magnitudes in it, below which it is rounding: no stiffness, no mass.
NO_ENERGY = 1e-13
# Energy of a solution for a random load that no motion without energy has a share in.
MUCH_ENERGY = 1e-4
# Squared frequency, relative to `scale`, that weighs mass against stiffness in that energy.
WEIGHT = 0.01


class Pencil:
    """K and M of K x = λ M x, with dofs removed that have neither stiffness nor mass.

    Attributes
    ----------
    K, M : the matrices on the dofs in `kept`
    kept : dofs of the given problem that are solved for; the others stay zero in every mode
    k_diagonal, m_diagonal : (n,) their diagonals
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
        self._sizes = None
        k, m = self.k_diagonal, self.m_diagonal
        ratio = (k / np.where(m > 0, m, 1.0))[(m > 0) & (k > 0)]
        self.scale = float(np.median(ratio)) if len(ratio) else 1.0
        self.has_mass = bool((m > 0).any())

    def _join(self) -> None:
        self.n = self.K.shape[0]
        self.m_diagonal = self.M.diagonal()
        if self.M.nnz == np.count_nonzero(self.m_diagonal):
            U = upper_triangle(self.K)
            self._k, self._m, self._on = U.data, self.m_diagonal, U.indptr[:-1]
        else:
            # One complex sum puts both matrices on the union of their patterns.
            U = upper_triangle(sp.csr_array(self.K + 1j * self.M))
            self._k, self._m, self._on = U.data.real.copy(), U.data.imag.copy(), slice(None)
        self._indices, self._indptr = U.indices, U.indptr
        self.k_diagonal = self._k[U.indptr[:-1]]  # of an upper triangle the diagonal comes first

    def shifted(self, sigma: float) -> sp.csr_array:
        """Upper triangle of K - σ M."""
        data = self._k.copy()
        data[self._on] -= sigma * self._m
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

    def counted(self, factor: Factor) -> int | None:
        """Negative pivots of a factor, or None where they cannot be trusted."""
        return None if factor.n_perturbed else factor.n_negative

    def may_be_singular(self) -> bool:
        """Ask the present factor, at the price of one to three solves, for a motion without stiffness and mass.

        Such a motion takes all of the first solution: it is 1e5 times softer than what has mass (`FIRST_SHIFT` of
        the search). Where that solution has energy to show, the other two are not asked for.
        """
        if self.factor is None or self.mass_is_definite:
            return False
        y = np.random.default_rng(7).standard_normal(self.n)
        d = self._weights()
        for turn in range(3):
            y = d * self.factor.solve(d * y)
            y /= max(float(np.linalg.norm(y)), np.finfo(float).tiny)
            if not np.isfinite(y).all():
                return True
            if turn == 0 and self._energy((y / d)[:, None])[0] > MUCH_ENERGY:
                return False
        return bool(self._energy((y / d)[:, None])[0] < 1e3 * NO_ENERGY)

    def ground_massless_mechanisms(self) -> np.ndarray:
        """Fix one dof of each motion that has neither stiffness nor mass; returns those dofs.

        Such a motion is in the null space of both matrices, so that fixing one of its dofs changes no
        eigenvalue and only picks one of the equivalent shapes. They are found by inverse iteration with
        D⁻¹(K + cM)D⁻¹, D² = diag(K + cM), and told from soft ones by their energy.
        """
        if self.mass_is_definite:
            return np.zeros(0, dtype=np.int64)
        d = self._weights()
        U = self.shifted(-WEIGHT * self.scale)
        U.data[self._indptr[:-1]] += 1e-14 * d * d
        factor = Factor(U, upper=True)
        block = min(8, self.n)
        while True:
            Y = np.random.default_rng(7).standard_normal((self.n, block))
            for _ in range(4):
                Y, _ = np.linalg.qr(d[:, None] * factor.solve(d[:, None] * Y))
            X = Y / d[:, None]
            C = X.T @ (self.K @ X) + WEIGHT * self.scale * (X.T @ (self.M @ X))
            X = X @ np.linalg.eigh(0.5 * (C + C.T))[1]
            null = X[:, self._energy(X) < NO_ENERGY]
            if null.shape[1] < block or block == self.n:
                break
            block = min(2 * block, self.n)
        if not null.shape[1]:
            return np.zeros(0, dtype=np.int64)
        return self._ground(la.qr((d[:, None] * null).T, mode="r", pivoting=True)[1][: null.shape[1]])

    def _ground(self, dofs: np.ndarray) -> np.ndarray:
        keep = np.ones(self.n, dtype=bool)
        keep[dofs] = False
        grounded, self.kept = np.sort(self.kept[dofs]), self.kept[keep]
        self.K, self.M = self.K[keep][:, keep], self.M[keep][:, keep]
        self.factor, self._sizes = None, None
        self._join()
        return grounded

    def negative_without_mass(self) -> int:
        """Count the negative eigenvalues of K on the dofs without mass: so many pivots are negative at any shift."""
        massless = ~_rows_in_use(self.M)
        if not massless.any():
            return 0
        try:
            return Factor(self.K[massless][:, massless]).n_negative or 0
        except SolverError:
            return 0

    @property
    def mass_is_definite(self) -> bool:
        """Say whether every dof has mass and M is diagonal, so that no motion is without mass."""
        diagonal = self.M.diagonal()
        return self.M.nnz == len(diagonal) and bool((diagonal > 0.0).all())

    def _weights(self) -> np.ndarray:
        """Square roots of diag(K + cM), one where there is nothing."""
        size = np.abs(self.k_diagonal) + WEIGHT * self.scale * np.abs(self.m_diagonal)
        return np.sqrt(np.where(size > 0.0, size, 1.0))

    def _energy(self, X: np.ndarray) -> np.ndarray:
        """xᵀ(K + cM)x of each column over the sum of the magnitudes in it (k,)."""
        c, A = WEIGHT * self.scale, np.abs(X)
        K, M = self.sizes
        energy = np.einsum("ij,ij->j", X, self.K @ X + c * (self.M @ X))
        return np.abs(energy) / np.einsum("ij,ij->j", A, K @ A + c * (M @ A))

    @property
    def sizes(self) -> tuple:
        """|K| and |M|, the measure of rounding."""
        if self._sizes is None:
            self._sizes = tuple(
                sp.csr_array((np.abs(A.data), A.indices, A.indptr), shape=A.shape) for A in (self.K, self.M)
            )
        return self._sizes

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
    A = sp.csr_array(A, dtype=float)
    if not A.data.all():
        A = A.copy()
        A.eliminate_zeros()
    return A


GOOD = 1e-5  # residual of a mode that is accepted as it comes
DOUBTFUL = 1e-4  # residual above which few digits of a mode are right
ROUNDING = 1e-11  # residual over the magnitudes that were summed into it: no solver does much better
CARRIED = 1e-13  # the same of what comes from the shift and from other modes
ORTHOGONAL = 1e-8
AT_ONCE = 500_000  # numbers in the columns whose residuals are taken at once


class Evidence(NamedTuple):
    """relative : (k,) r / size; good : (k,) r is below the limit asked for, or no more than rounding."""

    relative: np.ndarray
    good: np.ndarray


def evidence(
    pencil: Pencil, values: np.ndarray, X: np.ndarray, limit: float = GOOD, level: float = 0.0
) -> Evidence:
    """Residuals of eigenpairs (k,), (n, k); `level` is the size of the shift and of the other modes."""
    r, size, mass = np.empty((3, X.shape[1]))
    product_with_mass, diagonal = mass_operator(pencil.M), pencil.k_diagonal[:, None]
    width = max(1, AT_ONCE // max(1, len(X)))  # few columns at a time stay in the cache
    for first in range(0, X.shape[1], width):
        part = slice(first, first + width)
        x = X[:, part]
        KX, MX = pencil.K @ x, product_with_mass(x)
        mass[part] = np.linalg.norm(MX, axis=0)
        r[part] = np.linalg.norm(KX - MX * values[part], axis=0)
        floor = np.maximum(1e-6 * np.linalg.norm(diagonal * x, axis=0), 1e-15 * pencil.scale * mass[part])
        size[part] = np.maximum(np.linalg.norm(KX, axis=0), floor)
    size = np.maximum(size, np.finfo(float).tiny)
    good = r <= np.maximum(limit * size, CARRIED * level * mass)
    poor = np.flatnonzero(~good)
    if len(poor):
        K, M = pencil.sizes
        A = np.abs(X[:, poor])
        rounding = np.linalg.norm(K @ A, axis=0) + np.abs(values[poor]) * np.linalg.norm(M @ A, axis=0)
        good[poor] = r[poor] <= ROUNDING * rounding
    return Evidence(r / size, good)


def accepted(relative: np.ndarray) -> Evidence:
    """Evidence of modes whose residuals (k,) were found good when the search took them."""
    return Evidence(relative, np.ones(len(relative), dtype=bool))


def orthogonality(pencil: Pencil, X: np.ndarray) -> float:
    """Largest entry of XᵀMX - 1."""
    G = inner(X, mass_operator(pencil.M)(X))
    return float(np.abs(G - np.eye(len(G))).max(initial=0.0))


def rounding_of_value(pencil: Pencil, X: np.ndarray) -> np.ndarray:
    """Size (k,) below which xᵀKx of an M-normalized vector is rounding."""
    A = np.abs(X)
    return 10 * np.finfo(float).eps * np.einsum("ij,ij->j", A, pencil.sizes[0] @ A)


def purified(pencil: Pencil, locked: np.ndarray, X: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Apply (K - σM)⁻¹M to near-eigenvectors and solve the projected problem; returns λ (k,) and vectors (n, k).

    What lies in the null space of M is gone after it, whatever its size; M sees none of it before.
    """
    mass = mass_operator(pencil.M)
    for _ in range(2):
        X = X - locked @ inner(locked, mass(X))
        X = _orthonormal(X, mass)
        Y = pencil.factor.solve(mass(X))
        H = inner(X, mass(Y))
        theta, S = np.linalg.eigh(0.5 * (H + H.T))
        theta = np.where(theta == 0.0, np.finfo(float).tiny, theta)
        X = product(Y, S / theta)
    X = X - locked @ inner(locked, mass(X))
    return pencil.sigma + 1.0 / theta, _orthonormal(X, mass)


def _orthonormal(X: np.ndarray, mass) -> np.ndarray:
    """X (XᵀMX)^-1/2, the M-orthonormal vectors closest to X."""
    X = X / np.sqrt(np.maximum(np.einsum("ij,ij->j", X, mass(X)), np.finfo(float).tiny))
    G = inner(X, mass(X))
    g, U = np.linalg.eigh(0.5 * (G + G.T))
    return product(X, (U / np.sqrt(np.maximum(g, 1e-8))) @ U.T)
