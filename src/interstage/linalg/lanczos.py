"""Block Lanczos iteration on (K - σM)⁻¹M in the M inner product.

    OP Q = Q T + Q⁺ R Eᵀ,   QᵀMQ = I,   OP = (K - σM)⁻¹ M,   λ = σ + 1/θ  for  T s = θ s

Every new block is made M-orthogonal to the whole basis and to vectors found before, so that T has no
ghost copies. A block that loses rank goes on with fewer columns: what is left of a lost direction is rounding,
and to scale it up would fill the basis with motions in the null space of M. When the basis is full the
iteration restarts from its best Ritz vectors (thick restart). Ritz vectors are returned after one
application of OP that costs nothing, x = (Q s θ + Q⁺ R s_last)/θ: it removes the components in the
null space of M that a semidefinite inner product cannot see (Nour-Omid, Parlett, Ericsson and Jensen,
Math. Comp. 48, 1987; Grimes, Lewis and Simon, SIAM J. Matrix Anal. 15, 1994).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from interstage.linalg.blas import add_product, inner, product, symmetric_eigen

# Relative size below which a new direction is rounding error of the ones already in the basis.
RANK_TOLERANCE = 1e-12
CONVERGED = 1e-8


class Ritz(NamedTuple):
    """Ritz values of one Rayleigh-Ritz step, largest |θ| first."""

    theta: np.ndarray
    shapes: np.ndarray
    error: np.ndarray
    converged: np.ndarray


def mass_operator(M) -> Callable:
    """Return the product V -> M V, without a sparse product where M is diagonal (lumped mass)."""
    diagonal = M.diagonal()
    if M.nnz == np.count_nonzero(diagonal):
        column = diagonal[:, None]
        return lambda V: column * V
    return lambda V: M @ V


def _remove(Q: np.ndarray, W: np.ndarray, MW: np.ndarray) -> np.ndarray:
    """W -= Q QᵀMW in place; returns the coefficients."""
    if not Q.shape[1] or not W.shape[1]:
        return np.zeros((Q.shape[1], W.shape[1]))
    C = inner(Q, MW)
    add_product(W, -1.0, Q, C)
    return C


class BlockLanczos:
    """State of one Lanczos run at one shift.

    Parameters
    ----------
    solve : function (B, overwrite) -> (K - σM)⁻¹ B, as that of a Factor
    M : (n, n) sparse mass matrix
    locked : (n, k) M-orthonormal vectors that the run must not find again
    block : vectors per step
    capacity : largest basis before a restart
    seed : of the random start
    start : (n, j) vectors to begin with; random ones fill the block
    """

    def __init__(
        self, solve: Callable, M, locked: np.ndarray, block: int, capacity: int, seed: int, start=None
    ):
        self.solve, self.locked = solve, locked
        self.mass = mass_operator(M)
        self.n = M.shape[0]
        diagonal = M.diagonal()
        self.weight = 1.0 / np.sqrt(np.where(diagonal > 0.0, diagonal, np.inf))
        self.block = min(block, self.n)
        self.capacity = max(capacity, 4 * self.block)
        self.random = np.random.default_rng(seed)
        self.Q = np.empty((self.n, self.capacity + 2 * self.block), order="F")
        self.T = np.zeros((self.Q.shape[1],) * 2)
        self.m = 0
        self.noise = 0.0
        self.size = 0.0
        self.n_solves = 0
        self.after_restart = False
        self.R = np.zeros((0, 0))
        self.last = 0
        first = self._fresh(self.block, start)
        self.next = first
        self.exhausted = first.shape[1] == 0

    def step(self) -> None:
        """Add one block to the basis."""
        p, m = self.next.shape[1], self.m
        old = slice(max(0, m - self.last), m)
        if self.after_restart:
            old = slice(0, m)
        new = slice(m, m + p)
        self.Q[:, new] = self.next
        self.m, self.last = m + p, p
        W = self._apply(self.next)
        C = self._project(W, slice(old.start, m + p))
        diagonal = C[-p:]
        self.noise = max(self.noise, float(np.abs(diagonal - diagonal.T).max(initial=0.0)))
        self.T[old.start : m + p, new] = C
        self.T[new, new] = 0.5 * (diagonal + diagonal.T)
        self.T[new, old] = self.T[old, new].T
        self.size = max(self.size, float(np.linalg.norm(C, axis=0).max()))
        self.next, self.R = self._orthonormal(W)
        self.after_restart = False
        self.exhausted = self.next.shape[1] == 0

    def ritz(self) -> Ritz:
        """Solve the projected problem and estimate ‖OP x - θ x‖ of each Ritz vector."""
        m = self.m
        theta, S = symmetric_eigen(self.T[:m, :m])
        order = np.argsort(-np.abs(theta), kind="stable")
        theta, S = theta[order], S[:, order]
        error = np.linalg.norm(self.R @ S[m - self.last : m], axis=0)
        limit = np.maximum(CONVERGED * np.abs(theta), min(3.0 * self.noise, 1e-4 * self.size))
        return Ritz(theta, S, error, error <= limit)

    def vectors(self, ritz: Ritz, which: np.ndarray) -> np.ndarray:
        """Ritz vectors after one more application of OP, M-normalized, (n, len(which))."""
        S, theta = ritz.shapes[:, which], ritz.theta[which]
        X = product(self.Q[:, : self.m], S)
        add_product(X, 1.0, self.next[:, : self.R.shape[0]], self.R @ S[self.m - self.last :] / theta)
        self._clear(X)
        return X / np.sqrt(np.einsum("ij,ij->j", X, self.mass(X)))

    def full(self) -> bool:
        """Say whether there is no room for another block."""
        return self.m + self.next.shape[1] > self.capacity

    def restart(self, ritz: Ritz, which: slice) -> None:
        """Compress the basis to some of its Ritz vectors; the next block stays."""
        S, theta = ritz.shapes[:, which], ritz.theta[which]
        keep = len(theta)
        coupling = self.R @ S[self.m - self.last : self.m]
        self.Q[:, :keep] = product(self.Q[:, : self.m], S)
        self.T[:] = 0.0
        self.T[np.arange(keep), np.arange(keep)] = theta
        self.m, self.last = keep, keep
        self.R = coupling
        self.after_restart = True

    def move(self, solve: Callable, step: float) -> None:
        """Go on at a shift that lies `step` higher, whose factor `solve` asks; the whole basis is kept.

        OP Q = [Q Q⁺] H at the old shift says  OP' [Q Q⁺] (I - step H) = [Q Q⁺] H  at the new one. With
        I - step H = Z U (Z orthogonal, U upper triangular) the columns of [Q Q⁺] Z are a basis of the same space
        for which  OP' Q' = [Q' Q'⁺] Zᵀ H U⁻¹, with a Q'⁺ that couples to all of Q' as it does after a restart
        (rational Lanczos; Ruhe, Linear Algebra Appl. 58, 1984; Meerbergen, SIAM J. Matrix Anal. 22, 2001).
        """
        m, p = self.m, self.next.shape[1]
        H = np.zeros((m + p, m))
        H[:m], H[m:, m - self.last :] = self.T[:m, :m], self.R
        Z, U = np.linalg.qr(np.eye(m + p, m) - step * H, mode="complete")
        H = np.linalg.solve(U[:m].T, H.T @ Z).T
        self.Q[:, m : m + p] = self.next
        Q = product(self.Q[:, : m + p], Z)
        self.Q[:, :m], self.next = Q[:, :m], np.asfortranarray(Q[:, m:])
        self.T[:] = 0.0
        self.T[:m, :m] = 0.5 * (H[:m] + H[:m].T)
        self.noise = float(np.abs(H[:m] - H[:m].T).max())
        self.size = float(np.linalg.norm(H[:m], axis=0).max())
        self.R, self.last = H[m:], m
        self.solve, self.after_restart = solve, True

    def _apply(self, V: np.ndarray) -> np.ndarray:
        self.n_solves += V.shape[1]
        return self.solve(self.mass(V), overwrite=True)

    def _clear(self, W: np.ndarray) -> None:
        """Remove the locked vectors from W in place."""
        if self.locked.shape[1]:
            _remove(self.locked, W, self.mass(W))

    def _project(self, W: np.ndarray, columns: slice) -> np.ndarray:
        """Remove locked vectors and basis columns from W in place; returns the coefficients of the latter."""
        self._clear(W)
        return _remove(self.Q[:, columns], W, self.mass(W))

    def _orthonormal(self, W: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """M-orthonormal basis V of W = V R, orthogonal to everything found; V may have fewer columns."""
        V, R = self._factor(W, max(RANK_TOLERANCE * self.size, 3.0 * self.noise) ** 2)
        if V.shape[1]:
            self._project(V, slice(0, self.m))
            V, R2 = self._factor(V, 1e-4)
            R = R2 @ R
        return V, R

    def _factor(self, W: np.ndarray, floor: float) -> tuple[np.ndarray, np.ndarray]:
        if not W.shape[1]:
            return W, np.zeros((0, 0))
        G = inner(W, self.mass(W))
        g, U = np.linalg.eigh(0.5 * (G + G.T))
        keep = g > max(floor, 1e-28 * g[-1], 0.0)
        root = np.sqrt(g[keep])
        return product(W, U[:, keep] / root), (U[:, keep] * root).T

    def _fresh(self, count: int, start) -> np.ndarray:
        """M-orthonormal vectors in the range of OP, orthogonal to the locked ones; none if M has no more to give.

        The locked part is taken out before OP is applied: a mode close to the shift would drown all others.
        """
        V = np.asfortranarray(self.random.standard_normal((count, self.n)).T * self.weight[:, None])
        if start is not None and start.shape[1]:
            V[:, : start.shape[1]] = start[:, :count]
        V /= np.sqrt(np.maximum(np.einsum("ij,ij->j", V, self.mass(V)), np.finfo(float).tiny))
        for floor in (1e-20, 1e-4):
            self._clear(V)
            V, _ = self._factor(V, floor)
        if not V.shape[1]:
            return V
        V = self._apply(V)
        V /= np.sqrt(max(np.einsum("ij,ij->j", V, self.mass(V)).max(), np.finfo(float).tiny))
        for floor in (1e-28, 1e-4, 1e-4):
            self._clear(V)
            V, _ = self._factor(V, floor)
        return V
