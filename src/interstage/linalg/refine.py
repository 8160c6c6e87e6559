"""Solve with held stiffness matrices to full accuracy, and small eigenproblems with all their digits."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.linalg as la
import scipy.sparse as sp

from interstage.errors import ModelError
from interstage.linalg.factor import Factor, NotPositiveDefinite
from interstage.linalg.mechanism import mechanism_error

SINGULAR = 1e-12  # pivot over diagonal entry below which a stiffness counts as singular

AT_INTERFACE = (
    "the body held at its interface",
    "the aset must hold all rigid motion and every mechanism: name its grids with all components, as in {1: 123456}, "
    "and leave a motion free by the joint in the multibody model: 123456 with a Revolute there is a hinge",
)
AT_RIGID_MOTION = (
    "the body without its rigid motions",
    "either the deck has a mechanism there, or a motion of the whole body has no inertia, as the roll of bars along a "
    "line: bars have none about their axis; give grids inertia (CONM2, I11), or keep a lumped body that has it "
    "instead of separating all",
)


class RefinedFactor:
    """A factor of a stiffness matrix whose solutions are refined by residuals in extended precision.

    Fine meshes of beams and shells lose six or more digits of 16 in a plain solution; two steps with the residual
    in extended precision give them back. Very large systems are left as they are.

    Parameters
    ----------
    K : (n, n) symmetric positive definite, sparse or dense; a mechanism is a ModelError that says what moves
    describe : names equation i in that error;  held : what it is a matrix of, and what to do about a mechanism
    """

    WORK = 2e8  # products of matrix entries and right-hand sides up to which refinement is worth its time

    def __init__(
        self,
        K: Any,
        describe: Callable[[int], str] = "equation {}".format,
        held: tuple[str, str] = AT_INTERFACE,
    ):
        self.K, self.long, self.held = sp.csr_array(K), None, held
        try:
            self.factor = Factor(self.K, definite=True)
        except NotPositiveDefinite:
            raise self._mechanism(describe) from None
        if self.K.shape[0] and self.factor.pivots().min() < SINGULAR:
            raise self._mechanism(describe)

    def _mechanism(self, describe: Callable[[int], str]) -> ModelError:
        what, remedy = self.held
        found = mechanism_error(self.K, describe, what)
        return ModelError(found.what, where=found.where, hint=remedy)

    def solve(self, B: np.ndarray) -> np.ndarray:
        """Return X with K X = B for B (n,) or (n, k)."""
        X = self.factor.solve(B)
        columns = 1 if B.ndim == 1 else B.shape[1]
        if not columns or self.K.nnz * columns > self.WORK:
            return X
        if self.long is None:
            self.long = self.K.astype(np.longdouble)
        for _ in range(2):
            X = X + self.factor.solve(np.asarray(B - self.long @ X.astype(np.longdouble), dtype=float))
        return X


def flexible_eigenvalues(Phi: np.ndarray, M: Any, solution: np.ndarray) -> np.ndarray:
    """Squared frequencies of modes by their flexibility, `phi'M phi / phi'M K^-1 M phi`.

    solution : K^-1 M Phi. The quotient with K itself loses digits on fine meshes, this one does not.
    """
    MPhi = M @ Phi
    return np.einsum("ij,ij->j", Phi, MPhi) / np.einsum("ij,ij->j", MPhi, solution)


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
