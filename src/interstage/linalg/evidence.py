"""Measure how good eigenpairs are: residuals, what rounding explains of them, M-orthogonality.

r = ‖K x - λ M x‖,   size = max(‖K x‖, 1e-6 ‖diag(K) x‖, 1e-15 scale ‖M x‖)
rounding = ‖|K| |x|‖ + |λ| ‖|M| |x|‖,   level ‖M x‖

level is the largest size among the shift that found x and the modes to which x is made orthogonal: their rounding
is all there is in a motion whose stiffness is zero without any.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from interstage.linalg.blas import inner, product
from interstage.linalg.lanczos import mass_operator
from interstage.linalg.pencil import Pencil

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
