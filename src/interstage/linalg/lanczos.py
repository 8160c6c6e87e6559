"""Block Lanczos iteration on (K - σM)⁻¹M in the M inner product.

    OP Q = Q T + Q⁺ R Eᵀ,   QᵀMQ = I,   OP = (K - σM)⁻¹ M,   λ = σ + 1/θ  for  T s = θ s

The basis lives on the dofs that have mass: M sees no others, and OP asks for no others. Every new block is made
M-orthogonal to the whole basis and to vectors found before, so that T has no ghost copies. A block that loses rank goes
on with fewer columns: what is left of a lost direction is rounding, and to scale it up would fill the basis with
motions in the null space of M. When the basis is full the iteration restarts from its best Ritz vectors (thick
restart). Ritz vectors are returned after one application of OP that costs nothing, x = OP Q s / θ: on dofs with mass
that is (Q s θ + Q⁺ R s_last)/θ, on the others what the solutions had there is kept for it. It removes the components in
the null space of M that a semidefinite inner product cannot see (Nour-Omid, Parlett, Ericsson and Jensen, Math. Comp.
48, 1987; Grimes, Lewis and Simon, SIAM J. Matrix Anal. 15, 1994).
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
        self.solve, self.n = solve, M.shape[0]
        self.heavy, self.light = _rows_with_and_without(M)
        if len(self.light):
            M = M[self.heavy][:, self.heavy]
        self.locked, self.locked_light = _taken(locked, self.heavy), _taken(locked, self.light)
        self.mass = mass_operator(M)
        diagonal = M.diagonal()
        self.definite = M.nnz == len(diagonal) and bool((diagonal > 0.0).all())
        self.weight = 1.0 / np.sqrt(np.where(diagonal > 0.0, diagonal, np.inf))
        self.block = min(block, len(self.heavy))
        self.capacity = max(capacity, 4 * self.block)
        self.random = np.random.default_rng(seed)
        columns = self.capacity + 2 * self.block
        self.Q = np.empty((len(self.heavy), columns), order="F")
        self.applied = np.empty((len(self.light), columns), order="F")  # OP Q on dofs without mass
        self._load = np.zeros((self.n if len(self.light) else 0, self.block), order="F")
        self.T = np.zeros((columns, columns))
        self.m = 0
        self.noise = 0.0
        self.size = 0.0
        self.n_solves = 0
        self.after_restart = False
        self.R = np.zeros((0, 0))
        self.last = 0
        first = self._fresh(self.block, None if start is None else _taken(start, self.heavy))
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
        W, light = self._apply(self.next)
        add_product(light, -1.0, self.locked_light, self._clear(W))
        self.applied[:, new] = light
        C = _remove(self.Q[:, old.start : m + p], W, self.mass(W))
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
        C = self._clear(X)
        size = np.sqrt(np.einsum("ij,ij->j", X, self.mass(X)))
        X /= size
        if not len(self.light):
            return X
        light = product(self.applied[:, : self.m], S / theta)
        add_product(light, -1.0, self.locked_light, C)
        light /= size
        whole = np.empty((self.n, len(theta)), order="F")
        whole.T[:, self.heavy], whole.T[:, self.light] = X.T, light.T
        return whole

    def full(self) -> bool:
        """Say whether there is no room for another block."""
        return self.m + self.next.shape[1] > self.capacity

    def restart(self, ritz: Ritz, keep: int) -> None:
        """Compress the basis to its first `keep` Ritz vectors; the next block stays."""
        S = ritz.shapes[:, :keep]
        coupling = self.R @ S[self.m - self.last : self.m]
        self.Q[:, :keep] = product(self.Q[:, : self.m], S)
        self.applied[:, :keep] = product(self.applied[:, : self.m], S)
        self.T[:] = 0.0
        self.T[np.arange(keep), np.arange(keep)] = ritz.theta[:keep]
        self.m, self.last = keep, keep
        self.R = coupling
        self.after_restart = True

    def _apply(self, V: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """OP V on the dofs with mass and on those without."""
        self.n_solves += V.shape[1]
        if not len(self.light):
            W = self.solve(self.mass(V), overwrite=True)
            return W, W[:0]
        B = self._load[:, : V.shape[1]]
        B.T[:, self.heavy] = self.mass(V).T
        W = self.solve(B, overwrite=True)
        return _taken(W, self.heavy), _taken(W, self.light)

    def _clear(self, W: np.ndarray) -> np.ndarray:
        """Remove the locked vectors from W in place; returns the coefficients."""
        if not self.locked.shape[1]:
            return np.zeros((0, W.shape[1]))
        return _remove(self.locked, W, self.mass(W))

    def _orthonormal(self, W: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """M-orthonormal basis V of W = V R, orthogonal to everything found; V may have fewer columns."""
        V, R = self._factor(W, max(RANK_TOLERANCE * self.size, 3.0 * self.noise) ** 2)
        if V.shape[1]:
            self._clear(V)
            _remove(self.Q[:, : self.m], V, self.mass(V))
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
        """M-orthonormal vectors orthogonal to the locked ones; none if M has no more to give.

        Where M may have a null space on dofs with mass, they are in the range of OP. The locked part is taken out
        before OP is applied: a mode close to the shift would drown all others.
        """
        V = np.asfortranarray(self.random.standard_normal((count, len(self.weight))).T * self.weight[:, None])
        if start is not None and start.shape[1]:
            V[:, : start.shape[1]] = start[:, :count]
        V /= np.sqrt(np.maximum(np.einsum("ij,ij->j", V, self.mass(V)), np.finfo(float).tiny))
        for floor in (1e-20, 1e-4):
            self._clear(V)
            V, _ = self._factor(V, floor)
        if not V.shape[1] or self.definite:
            return V
        V, _ = self._apply(V)
        V /= np.sqrt(max(np.einsum("ij,ij->j", V, self.mass(V)).max(), np.finfo(float).tiny))
        for floor in (1e-28, 1e-4, 1e-4):
            self._clear(V)
            V, _ = self._factor(V, floor)
        return V


def _rows_with_and_without(M) -> tuple[np.ndarray, np.ndarray]:
    """Dofs that have mass, and those that have none."""
    used = np.diff(M.indptr) > 0
    return np.flatnonzero(used), np.flatnonzero(~used)


def _taken(X: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Rows of X in Fortran order; X itself where they are all."""
    return X if len(rows) == len(X) else np.take(X.T, rows, axis=1).T
