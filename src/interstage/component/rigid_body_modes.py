"""Tell rigid modes from flexible ones: by geometry, by strain energy, and by a threshold on the frequency.

A rigid mode of a computed basis is rounding noise whose frequency may lie above any fixed threshold and have
either sign. The geometry of the nodes gives the rigid motions R; those combinations z of them are free that
strain no row of the stiffness matrix beyond rounding, and their number is the rank of their mass:

    |K z|_i <= 1e-12 (|K| |R|)_i  for all i,      rank(z' M z)
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.linalg as la

from interstage.errors import InputError, ModelError

RIGID_THRESHOLD_HZ = 1e-4
NO_STRAIN = 1e-12
LIGHT = (
    1e-8  # of a mode that is a rigid motion with next to no mass: its shape is known less well than others
)
FAR_BELOW = 1e3  # ratio of the second to the first flexible frequency that makes the first one suspicious


def rigid_motions(
    K: Any, M: Any, rigid: np.ndarray | None, tolerance: float = NO_STRAIN, size: Any = None
) -> np.ndarray:
    """Return M-orthonormal rigid motions (n, c) that strain nothing and carry mass.

    rigid : (n, 6) motions known from geometry; None: there are none
    tolerance : of the forces in rows of K, relative to the sum of the magnitudes in them
    size : magnitudes summed into K where they are larger than those of its entries
    """
    none = np.zeros((K.shape[0], 0))
    if rigid is None or not np.any(rigid):
        return none
    U, spread, _ = la.svd(rigid / np.maximum(np.sqrt(np.sum(rigid**2, axis=0)), 1e-300), full_matrices=False)
    rank = int(np.count_nonzero(spread > 1e-10 * spread[0]))
    R = U[:, :rank]
    # a body far from its reference point has lost as many digits of its own rotation as it is far away
    tolerance = tolerance + 200 * np.finfo(float).eps * spread[0] / spread[rank - 1]
    forces = np.sum((abs(K) if size is None else size) @ np.abs(R), axis=1)
    A = (K @ R) / np.where(forces > 0.0, forces, 1.0)[:, None]
    directions = la.svd(A, full_matrices=False)[2]
    Z = R @ directions[np.abs(A @ directions.T).max(axis=0) < tolerance].T
    return orthonormal(Z, M) if Z.shape[1] else none


def orthonormal(Z: np.ndarray, M: Any) -> np.ndarray:
    """Return an M-orthonormal basis (n, c) of those combinations of Z (n, k) that carry mass."""
    # columns of one size in mass before their rank is asked: rotations and translations have different units
    m = Z.T @ (M @ Z)
    diagonal = np.diag(m)
    scale = 1.0 / np.sqrt(np.maximum(diagonal, 1e-12 * max(diagonal.max(), 1e-300)))
    weight, Y = la.eigh(m * np.outer(scale, scale))
    heavy = weight > 1e-12 * weight[-1]
    return Z @ (scale[:, None] * Y[:, heavy] / np.sqrt(weight[heavy]))


def split(
    hz: np.ndarray,
    X: np.ndarray,
    K: Any,
    M: Any,
    motions: np.ndarray,
    threshold_hz: float,
    size: Any = None,
    rigid: np.ndarray | None = None,
    massless: int = 0,
) -> tuple[np.ndarray, np.ndarray, np.ndarray, list[str]]:
    """Mark the rigid modes among M-orthonormal modes X (n, k); returns hz, X, mask (k,) and sentences.

    Rigid are modes below the threshold, those that `motions` (n, c) span, and those whose strain energy is
    rounding (mechanisms). Modes that mix rigid motion with a mode as soft as rounding are parted first.
    size : magnitudes summed into K where they are larger than those of its entries
    rigid : (n, 6) all motions known from geometry: a soft mode among them is no mechanism
    massless : motions without strain and mass that were removed before, counted with the others in sentences
    """
    if not threshold_hz >= 0:
        raise InputError("the rigid-mode threshold must be a number >= 0", got=f"{threshold_hz}")
    hz, X = hz.copy(), X.copy()
    share = np.sum((motions.T @ (M @ X)) ** 2, axis=0)
    part = np.flatnonzero(share > 0.01)
    if len(part) > motions.shape[1] or np.any(share[part] < 0.99):
        hz[part], X[:, part] = _parted(hz[part], X[:, part], K, M, motions)
        share = np.sum((motions.T @ (M @ X)) ** 2, axis=0)
    geometric = share > 0.5
    A = np.abs(X)
    rounding = np.finfo(float).eps * np.einsum("ij,ij->j", A, (abs(K) if size is None else size) @ A)
    energy = np.sign(hz) * (2 * np.pi * hz) ** 2
    # the eigensolver does better than the product x'Kx, but a negative value is rounding whatever made it
    nothing = (np.abs(energy) <= 0.25 * rounding) | ((energy < 0.0) & (-energy <= 10 * rounding))
    out = geometric | (np.abs(hz) < threshold_hz) | nothing
    whole = geometric
    if rigid is not None and np.any(rigid):
        light = _unstrained(X, K, rigid, size)
        out |= light
        whole = geometric | light | (np.sum((orthonormal(rigid, M).T @ (M @ X)) ** 2, axis=0) > 0.99)
    return hz, X, out, _sentences(hz, out, whole, threshold_hz, massless)


def _unstrained(X: np.ndarray, K: Any, rigid: np.ndarray, size: Any) -> np.ndarray:
    """Tell which modes (n, k) are rigid motions that strain no row of K: those that carry next to no mass, too."""
    U, spread, _ = la.svd(rigid / np.maximum(np.sqrt(np.sum(rigid**2, axis=0)), 1e-300), full_matrices=False)
    U = U[:, spread > 1e-10 * spread[0]]
    Z = U @ (U.T @ X)
    left = np.linalg.norm(X - Z, axis=0)
    forces, most = np.abs(K @ Z), (abs(K) if size is None else size) @ np.abs(Z)
    strained = (forces > LIGHT * most).any(axis=0)
    return (left <= LIGHT * np.linalg.norm(X, axis=0)) & ~strained


def _parted(hz, X, K, M, motions) -> tuple[np.ndarray, np.ndarray]:
    """Turn modes of one span so that the first are the rigid motions in it."""
    P = motions.T @ (M @ X)
    _, s, Wt = la.svd(P)
    c = int(np.count_nonzero(s > 0.5))
    rest = X @ Wt[c:].T
    k = rest.T @ (K @ rest)
    values, Y = la.eigh((k + k.T) / 2)
    rest_hz = np.sign(values) * np.sqrt(np.abs(values)) / (2 * np.pi)
    lowest = np.sort(np.abs(hz))[:c] if c else np.zeros(0)
    return np.concatenate([lowest, rest_hz]), np.hstack([X @ Wt[:c].T, rest @ Y])


def _sentences(hz, out, whole, threshold_hz: float, massless: int) -> list[str]:
    option = f"threshold {threshold_hz:g} Hz: rigid_threshold_hz, --rigid-threshold"
    notes = []
    count = int(np.count_nonzero(out)) + massless
    if count:
        noisy = out & (np.abs(hz) >= threshold_hz)
        how = " recognized by geometry and strain energy" if noisy.any() else ""
        highest = np.abs(hz[out]).max(initial=0.0)
        light = f", {massless} of them without mass" if massless else ""
        notes.append(
            f"{count} rigid modes removed{how}{light}, frequencies up to {highest:.3g} Hz ({option})"
        )
    others = int(np.count_nonzero(out & ~whole))
    if others and whole.any():
        kind = "is a mechanism or a very soft mode" if others == 1 else "are mechanisms or very soft modes"
        notes.append(f"{others} of them {kind}, no motion of the whole body")
    flexible = hz[~out]
    if len(flexible) and flexible[0] < 0.0:
        raise ModelError(
            "a mode of the component has negative stiffness",
            got=f"{flexible[0]:.3g} Hz ({option})",
            hint="where this is the rounding of a rigid mode, raise rigid_threshold_hz above it; "
            "otherwise look for negative stiffness in direct input matrices (DMIG), springs or materials",
        )
    if len(flexible) > 1 and flexible[1] > FAR_BELOW * flexible[0]:
        notes.append(
            f"the lowest flexible mode at {flexible[0]:.3g} Hz lies far below the next at {flexible[1]:.3g} Hz: "
            f"if it is a rigid mode, raise rigid_threshold_hz above it (now {threshold_hz:g} Hz)"
        )
    return notes
