"""Roots of (s² M + s B + K) u = 0 with matrices that need be neither symmetric nor real, and M may be singular."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import scipy.linalg as la
import scipy.sparse as sp
from scipy.sparse.linalg import ArpackError, LinearOperator, eigs, splu

from interstage.errors import SolverError

DENSE = 300  # unknowns up to which all roots are found at once
FAR = 1e7  # roots beyond this multiple of sqrt(|K|/|M|) are those of dofs without mass


def all_roots(K, B, M) -> tuple[np.ndarray, np.ndarray]:
    """Every finite root s (k,) and its vector (n, k), by dense matrices (QZ).

    Dofs without mass and damping follow the others and are solved for first, so that they add no root.
    """
    K, B, M = (np.asarray(A.toarray() if sp.issparse(A) else A, dtype=complex) for A in (K, B, M))
    n = len(K)
    idle = ~(np.any(M, axis=0) | np.any(M, axis=1) | np.any(B, axis=0) | np.any(B, axis=1))
    keep, idle = np.flatnonzero(~idle), np.flatnonzero(idle)
    T = np.zeros((n, len(keep)), dtype=complex)
    T[keep, np.arange(len(keep))] = 1.0
    if not len(keep):
        raise SolverError(
            "the model has neither mass nor damping, so it has no roots", hint="give densities or masses"
        )
    if len(idle):
        try:
            T[idle] = -la.solve(K[np.ix_(idle, idle)], K[np.ix_(idle, keep)])
        except la.LinAlgError as error:
            raise SolverError(
                "dofs without mass and damping have no stiffness", hint="hold them, or set AUTOSPC"
            ) from error
        K = K[np.ix_(keep, keep)] + K[np.ix_(keep, idle)] @ T[idle]
    else:
        K = K[np.ix_(keep, keep)]
    B, M = B[np.ix_(keep, keep)], M[np.ix_(keep, keep)]
    size = _size(K, B, M)
    m, one = len(keep), np.eye(len(keep))
    A = np.block([[np.zeros((m, m)), one], [-K / size**2, -B / size]])
    E = np.block([[one, np.zeros((m, m))], [np.zeros((m, m)), M]])
    # rows of like size: the second half carries the units of mass
    rows = np.abs(np.hstack([A, E])).max(axis=1)
    rows[rows == 0.0] = 1.0
    values, vectors = la.eig(A / rows[:, None], E / rows[:, None], homogeneous_eigvals=True)
    top, bottom = values
    finite = np.abs(bottom) * FAR > np.abs(top)
    s = top[finite] / bottom[finite] * size
    return s, T @ vectors[:m, finite]


def roots_near(K, B, M, shift: complex, count: int) -> tuple[np.ndarray, np.ndarray]:
    """The `count` roots nearest to `shift` and their vectors (n, count), by Arnoldi steps with one factor of it."""
    K, B, M = (sp.csc_array(A).astype(complex) for A in (K, B, M))
    n = K.shape[0]
    count = min(count, 2 * n - 3)
    try:
        factor = splu(sp.csc_matrix(shift**2 * M + shift * B + K))
    except RuntimeError as error:
        raise SolverError(
            "the matrices are singular at the point from which roots are looked for",
            got=f"{shift:.6g}",
            hint="move the shift of EIGC a little, or look for dofs without mass and stiffness",
        ) from error
    slope = sp.csc_array(B + shift * M)

    def step(y: np.ndarray) -> np.ndarray:
        first = -factor.solve(slope @ y[:n] + M @ y[n:])
        return np.concatenate([first, y[:n] + shift * first])

    A = LinearOperator((2 * n, 2 * n), matvec=step, dtype=complex)
    start = np.random.default_rng(0).standard_normal(2 * n).astype(complex)
    try:
        values, vectors = eigs(A, k=count, which="LM", v0=step(start), ncv=min(2 * n, max(2 * count + 1, 40)))
    except ArpackError as error:
        raise SolverError(
            "roots near the shift did not converge", got=f"{shift:.6g}", hint="ask for fewer roots"
        ) from error
    found = np.abs(values) > 0.0
    return shift + 1.0 / values[found], vectors[:n, found]


def residuals(K, B, M, s: np.ndarray, u: np.ndarray) -> np.ndarray:
    """‖(s² M + s B + K) u‖ of the sum of the sizes of its three terms, for each root."""
    parts = (K @ u, (B @ u) * s, (M @ u) * s**2)
    size = sum(np.linalg.norm(part, axis=0) for part in parts)
    return np.linalg.norm(sum(parts), axis=0) / np.maximum(size, 1e-300)


def _size(K: np.ndarray, B: np.ndarray, M: np.ndarray) -> float:
    """A root's typical size, which scales the problem."""
    norm: Callable[[np.ndarray], float] = lambda A: float(np.abs(A).max(initial=0.0))  # noqa: E731
    k, b, m = norm(K), norm(B), norm(M)
    if k > 0.0 and m > 0.0:
        return float(np.sqrt(k / m))
    if b > 0.0:
        return k / b if k > 0.0 else (b / m if m > 0.0 else 1.0)
    return 1.0
