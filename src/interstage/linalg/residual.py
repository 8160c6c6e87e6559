"""Residual vectors: what a truncated basis lacks under static loads.

With modes Phi (Phi' M Phi = I, K Phi = M Phi w2) and loads P the missing static response is

    R = K^-1 (P - M Phi Phi' P),       R' K R G = R' M R G w_R^2,       residual vectors R G

as in "FModal: a flexible body dynamics modeling pipeline", App. A. A free body is loaded in balance first
(inertia relief): P - M Phi_r Phi_r' P with its rigid modes Phi_r, and the static solution is freed of rigid
motion.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.linalg as la

from interstage.linalg.refine import AT_RIGID_MOTION, RefinedFactor

NOTHING_NEW = 1e-13  # share of a load's strain energy below which its residual is rounding
BALANCED = 1e-7  # share of its own terms below which a load balanced by inertia is rounding
DEPENDENT = 1e-11  # share of a load's strain energy, for what the residuals before it leave


def residual_vectors(
    K: Any,
    M: Any,
    Phi: np.ndarray,
    P: np.ndarray,
    *,
    rigid: np.ndarray | None = None,
    factor: RefinedFactor | None = None,
    describe: Callable[[int], str] = "equation {}".format,
    massless: bool = False,
) -> tuple[np.ndarray, np.ndarray, list[str]]:
    """Return residual vectors (nf, p'), their frequencies in Hz, and sentences about dropped ones.

    Phi : (nf, n) modes, mass-normalized; P : (nf, p) load patterns
    rigid : (nf, k) mass-normalized zero-energy modes of a body that is not held (inertia relief)
    factor : a factor of K, where the body is held and one is at hand
    massless : keep those that move no mass, last, of unit stiffness and infinite frequency
    """
    notes: list[str] = []
    rigid = np.zeros((K.shape[0], 0)) if rigid is None else rigid
    strains = _strains(M, P, rigid)
    if not strains.all():
        notes.append(
            f"{np.count_nonzero(~strains)} residual loads dropped: they move the free body without straining it"
        )
        P = P[:, strains]
    basis = np.hstack([rigid, Phi])
    rest = P - M @ (basis @ (basis.T @ P))
    full, R = np.hsplit(static_response(K, M, np.hstack([P, rest]), rigid, factor, describe), 2)
    energy = np.einsum("ij,ij->j", full, P)
    for _ in range(2):
        R -= basis @ (basis.T @ (M @ R))
    new = np.einsum("ij,ij->j", R, rest) > NOTHING_NEW * np.where(energy > 0, energy, np.inf)
    if not new.all():
        notes.append(
            f"{np.count_nonzero(~new)} residual vectors dropped: the modes hold their static response already"
        )
    R, rest, energy = R[:, new], rest[:, new], energy[new]
    keep = _independent(R.T @ rest, energy)
    if len(keep) < R.shape[1]:
        notes.append(f"{R.shape[1] - len(keep)} residual vectors dropped: linearly dependent on the others")
    if not len(keep):
        return R[:, keep], np.zeros(0), notes
    return _orthonormal(M, R[:, keep], rest[:, keep], basis, notes, massless)


def _strains(M: Any, P: np.ndarray, rigid: np.ndarray) -> np.ndarray:
    """Tell which loads (nf, p) still load a free body when its inertia balances them, as M times a rigid motion does
    not.
    """
    if not rigid.shape[1]:
        return np.ones(P.shape[1], dtype=bool)
    along = rigid.T @ P
    size = np.abs(P) + abs(M) @ (np.abs(rigid) @ np.abs(along))
    return np.any(np.abs(P - M @ (rigid @ along)) > BALANCED * size, axis=0)


def _orthonormal(M, R, rest, basis, notes, keep_massless):
    """Diagonalize K and M over the residuals; those that move no mass have no frequency, and are dropped or kept.

    R'KR is taken as R' times the loads that made R: the product with K would cancel most of its digits on a
    fine mesh.
    """
    k = R.T @ rest
    scale = 1 / np.sqrt(np.diag(k))
    R = R * scale
    k, m = k * scale[:, None] * scale[None, :], R.T @ (M @ R)
    mu, G = la.eigh((m + m.T) / 2, (k + k.T) / 2)
    massless = mu < 1e-14 * max(mu[-1], np.finfo(float).tiny)
    still = R @ G[:, massless]
    if massless.any() and not keep_massless:
        notes.append(
            f"{np.count_nonzero(massless)} residual vectors dropped: they move no mass, hence no frequency "
            "(static response to those loads stays incomplete; a small inertia at the loaded grid mends it)"
        )
    mu, G = mu[~massless][::-1], G[:, ~massless][:, ::-1]
    V = R @ G / np.sqrt(mu)
    V -= basis @ (basis.T @ (M @ V))
    V /= np.sqrt(np.einsum("ij,ij->j", V, M @ V))
    hz = 1 / (2 * np.pi * np.sqrt(mu))
    if keep_massless and still.shape[1]:
        V, hz = np.hstack([V, still]), np.concatenate([hz, np.full(still.shape[1], np.inf)])
    return V, hz, notes


def static_response(
    K: Any,
    M: Any,
    P: np.ndarray,
    rigid: np.ndarray,
    factor: RefinedFactor | None,
    describe: Callable[[int], str] = "equation {}".format,
) -> np.ndarray:
    """Solve K u = P; with rigid modes present, under balanced loads and without rigid motion in u."""
    if not rigid.shape[1]:
        return (factor or RefinedFactor(K, describe)).solve(P)
    u = held_response(K, P - M @ (rigid @ (rigid.T @ P)), rigid, describe)
    return u - rigid @ (rigid.T @ (M @ u))


def held_response(
    K: Any, P: np.ndarray, rigid: np.ndarray, describe: Callable[[int], str] = "equation {}".format
) -> np.ndarray:
    """Solve K u = P for balanced loads, with as many coordinates held as there are rigid motions (nf, k)."""
    held = la.qr(rigid.T, mode="r", pivoting=True)[1][: rigid.shape[1]]
    free = np.setdiff1d(np.arange(K.shape[0]), held)
    u = np.zeros_like(P)
    u[free] = RefinedFactor(K[free][:, free], lambda i: describe(int(free[i])), AT_RIGID_MOTION).solve(
        P[free]
    )
    return u


def _independent(gram: np.ndarray, energy: np.ndarray) -> np.ndarray:
    """Choose independent columns by pivoted Cholesky of the strain-energy Gram matrix, scaled by full
    energies.
    """
    scale = 1 / np.sqrt(energy)
    A = gram * scale[:, None] * scale[None, :]
    chosen: list[int] = []
    floor = DEPENDENT * np.diag(A)
    for _ in range(len(A)):
        rest = np.diag(A).copy()
        rest[chosen] = -1.0
        best = int(np.argmax(rest))
        if rest[best] <= max(floor[best], NOTHING_NEW):
            break
        A = A - np.outer(A[:, best], A[best]) / A[best, best]
        chosen.append(best)
    return np.sort(np.array(chosen, dtype=np.int64))


def load_columns(n: int, dofs: np.ndarray) -> np.ndarray:
    """Unit loads (n, p) on single degrees of freedom."""
    P = np.zeros((n, len(dofs)))
    P[dofs, np.arange(len(dofs))] = 1.0
    return P
