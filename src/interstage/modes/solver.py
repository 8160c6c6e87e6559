"""The two things component modes need from linear algebra, and a default that is good for small models.

Any object with these two methods can stand in (a sparse direct solver for large models):

    factor(A) -> object with solve(B) -> X               A symmetric, nonsingular, sparse or dense
    eigen(K, M, n) -> (eigenvalues (n,), vectors (N, n)) lowest n, ascending, vectors' M vectors = I
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
import scipy.linalg as la
import scipy.sparse as sp
import scipy.sparse.linalg as spla

from interstage.errors import ModelError, SolverError

DENSE_LIMIT = 1500  # order up to which dense LAPACK is used
SINGULAR = 1e-13  # relative pivot below which a stiffness counts as singular


class Factor(Protocol):
    """A factored symmetric matrix."""

    def solve(self, B: np.ndarray) -> np.ndarray: ...


class Solver(Protocol):
    """Direct solver and eigensolver of symmetric problems."""

    def factor(self, A: Any) -> Factor: ...

    def eigen(self, K: Any, M: Any, n: int) -> tuple[np.ndarray, np.ndarray]: ...


def dense(A: Any) -> np.ndarray:
    """Return a dense array of a sparse or dense matrix."""
    return A.toarray() if sp.issparse(A) else np.asarray(A, dtype=float)


class _DenseFactor:
    def __init__(self, A: np.ndarray):
        diagonal = np.diag(A).copy()
        if np.any(diagonal <= 0):
            raise ModelError("the stiffness of the held body is singular", hint=_HELD)
        self.scale = 1 / np.sqrt(diagonal)
        try:
            self.c = la.cho_factor(A * self.scale[:, None] * self.scale[None, :])
        except la.LinAlgError:
            raise ModelError("the stiffness of the held body is singular", hint=_HELD) from None
        if np.min(np.abs(np.diag(self.c[0]))) ** 2 < SINGULAR:
            raise ModelError("the stiffness of the held body is singular", hint=_HELD)

    def solve(self, B: np.ndarray) -> np.ndarray:
        scale = self.scale if B.ndim == 1 else self.scale[:, None]
        return scale * la.cho_solve(self.c, scale * B)


_HELD = (
    "the interface (aset) and the constraints must hold all rigid motion and every mechanism; "
    "add components to the aset"
)


class _SparseFactor:
    def __init__(self, A: sp.spmatrix):
        try:
            self.lu = spla.splu(sp.csc_matrix(A), diag_pivot_thresh=0.0, options={"SymmetricMode": True})
        except RuntimeError:
            raise ModelError("the stiffness of the held body is singular", hint=_HELD) from None
        pivot = np.abs(self.lu.U.diagonal())
        if pivot.min() < SINGULAR * pivot.max() * 1e-3:
            raise ModelError("the stiffness of the held body is singular", hint=_HELD)

    def solve(self, B: np.ndarray) -> np.ndarray:
        return self.lu.solve(np.ascontiguousarray(B, dtype=float))


class RefinedFactor:
    """A factor whose solutions are refined by residuals in extended precision.

    Fine meshes of beams and shells lose six or more digits of 16 in a plain solution; two steps with the residual
    in extended precision give them back. Very large systems are left as they are.
    """

    WORK = 2e8  # products of matrix entries and right-hand sides up to which refinement is worth its time

    def __init__(self, factor: Factor, A: Any):
        self.factor, self.A, self.long = factor, A, None

    def solve(self, B: np.ndarray) -> np.ndarray:
        X = self.factor.solve(B)
        columns = 1 if B.ndim == 1 else B.shape[1]
        if not columns or self._size() * columns > self.WORK:
            return X
        if self.long is None:
            self.long = sp.csr_matrix(self.A).astype(np.longdouble)
        for _ in range(2):
            X = X + self.factor.solve(np.asarray(B - self.long @ X.astype(np.longdouble), dtype=float))
        return X

    def _size(self) -> int:
        return self.A.nnz if sp.issparse(self.A) else self.A.size


def flexible_eigenvalues(Phi: np.ndarray, M: Any, solution: np.ndarray) -> np.ndarray:
    """Squared frequencies of modes by their flexibility, `phi'M phi / phi'M K^-1 M phi`.

    solution : K^-1 M Phi. The quotient with K itself loses digits on fine meshes, this one does not.
    """
    MPhi = M @ Phi
    return np.einsum("ij,ij->j", Phi, MPhi) / np.einsum("ij,ij->j", MPhi, solution)


class ScipySolver:
    """LAPACK for small models, SuperLU and ARPACK above `DENSE_LIMIT`."""

    def factor(self, A: Any) -> Factor:
        """Factor a symmetric positive definite matrix."""
        if A.shape[0] <= DENSE_LIMIT or not sp.issparse(A):
            return _DenseFactor(dense(A))
        return _SparseFactor(A)

    def eigen(self, K: Any, M: Any, n: int) -> tuple[np.ndarray, np.ndarray]:
        """Return the lowest n modes of `K x = w2 M x`; fewer where M has a lower rank."""
        if K.shape[0] <= DENSE_LIMIT or not sp.issparse(K):
            return dense_eigen(dense(K), dense(M), n)
        return _sparse_eigen(sp.csc_matrix(K), sp.csc_matrix(M), n)


def dense_eigen(K: np.ndarray, M: np.ndarray, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Lowest modes of a dense pencil whose M may be singular and whose K may have rigid modes.

    The pencil is turned round: `M x = mu (K + s M) x`, mu = 1/(w2 + s), so that massless motions are the
    zeros of mu and drop out. One inverse iteration and a Rayleigh-Ritz step restore the digits the shift
    costs.
    """
    n = min(n, mass_rank(M))
    if n <= 0:
        return np.zeros(0), np.zeros((len(K), 0))
    shift, chol = _shifted_factor(K, M)
    _, V = la.eigh(M, K + shift * M if shift else K, subset_by_index=[len(K) - n, len(K) - 1])
    V = la.cho_solve(chol, M @ V[:, ::-1])
    if shift:
        return rayleigh_ritz(K, M, V)
    V = V / np.sqrt(np.einsum("ij,ij->j", V, M @ V))
    values, Y = factored_eigen(np.triu(chol[0]) @ V, V.T @ (M @ V))
    return values, V @ Y


def factored_eigen(F: np.ndarray, m: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Solve `F'F y = w2 m y` by singular values of F, which keeps twice the digits of low modes.

    An eigensolver on F'F has errors of the size eps w_max^2 everywhere; singular values have eps w_max.
    """
    scale = 1 / np.sqrt(np.diag(m))
    L = la.cholesky((m + m.T) / 2 * scale[:, None] * scale[None, :], lower=True)
    A = la.solve_triangular(L, (F * scale).T, lower=True).T
    _, sigma, Vt = la.svd(A, full_matrices=A.shape[0] < A.shape[1])
    sigma = np.append(sigma, np.zeros(len(m) - len(sigma)))[::-1]
    return sigma**2, scale[:, None] * la.solve_triangular(L, Vt[::-1].T, lower=True, trans="T")


def rayleigh_ritz(K: Any, M: Any, V: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Solve the pencil in the span of V; vectors are M-orthonormal, values ascend."""
    V = V / np.sqrt(np.einsum("ij,ij->j", V, M @ V))
    k, m = V.T @ (K @ V), V.T @ (M @ V)
    values, Y = la.eigh((k + k.T) / 2, (m + m.T) / 2)
    return values, V @ Y


def mass_rank(M: np.ndarray) -> int:
    """Count the independent motions that carry mass."""
    diagonal = np.diag(M)
    with_mass = diagonal > 1e-14 * max(diagonal.max(initial=0.0), np.finfo(float).tiny)
    if not with_mass.any():
        return 0
    m = M[np.ix_(with_mass, with_mass)]
    scale = 1 / np.sqrt(np.diag(m))
    values = la.eigvalsh(m * scale[:, None] * scale[None, :])
    return int(np.count_nonzero(values > 1e-12 * values[-1]))


def _shifted_factor(K: np.ndarray, M: np.ndarray) -> tuple[float, Any]:
    """Return a shift s and the Cholesky factor of K + s M; s = 0 where K is safely definite."""
    diagonal = np.diag(K)
    if np.all(diagonal > 0):
        scale = 1 / np.sqrt(diagonal)
        try:
            c = la.cho_factor(K * scale[:, None] * scale[None, :])
            if np.min(np.abs(np.diag(c[0]))) ** 2 > 1e-11:
                return 0.0, la.cho_factor(K)
        except la.LinAlgError:
            pass
    shift = 1e-7 * stiffness_scale(K, M)
    for _ in range(4):
        try:
            return shift, la.cho_factor(K + shift * M)
        except la.LinAlgError:
            shift *= 100
    raise SolverError(
        "the matrices have motions without stiffness and without mass",
        hint="constrain them or give them mass",
    )


def stiffness_scale(K: Any, M: Any) -> float:
    """Return a typical squared frequency of the pencil: the median of k_ii / m_ii over rows with mass."""
    k, m = K.diagonal(), M.diagonal()
    used = (m > 0) & (k > 0)
    return float(np.median(k[used] / m[used])) if used.any() else 1.0


def _sparse_eigen(K: sp.csc_matrix, M: sp.csc_matrix, n: int) -> tuple[np.ndarray, np.ndarray]:
    shift = 1e-6 * stiffness_scale(K, M)
    lu = spla.splu(K + shift * M, diag_pivot_thresh=0.0, options={"SymmetricMode": True})
    inverse = spla.LinearOperator(K.shape, matvec=lu.solve, dtype=float)
    start = np.random.default_rng(1).standard_normal(K.shape[0])
    try:
        _, V = spla.eigsh(K, n, M, sigma=-shift, which="LM", OPinv=inverse, v0=start)
    except (spla.ArpackError, RuntimeError) as error:
        raise SolverError("the eigensolver did not converge", got=str(error)) from None
    return rayleigh_ritz(K, M, lu.solve(M @ V))
