"""Array operations that numpy and jax arrays share; `xp` is the array module.

Nothing here writes into an array, branches on a value or asks for a type that one of the modules lacks, so that
jit, vmap and grad of jax pass through.
"""

from __future__ import annotations

from types import ModuleType
from typing import TypeAlias

import numpy as np

Array: TypeAlias = np.ndarray
"""An array of numpy, or one of jax, which has the same operations."""

# LEVI @ a is the matrix of a×
LEVI = np.zeros((3, 3, 3))
for _i, _j, _k in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
    LEVI[_i, _k, _j], LEVI[_i, _j, _k] = 1.0, -1.0


def skew(xp: ModuleType, a: Array) -> Array:
    """Return [a]× (3, 3).

    >>> skew(np, np.array([1.0, 2.0, 3.0])) @ np.array([0.0, 0.0, 1.0])
    array([ 2., -1.,  0.])
    """
    return xp.asarray(LEVI) @ a


def cross(xp: ModuleType, a: Array, b: Array) -> Array:
    """Return a × b of vectors (3,), or of a vector with each column of b (3, k)."""
    return skew(xp, a) @ b


def cross_rows(xp: ModuleType, a: Array, b: Array) -> Array:
    """Return a × b along the last axis of stacks of vectors (..., 3)."""
    x, y, z = a[..., 0], a[..., 1], a[..., 2]
    r, s, t = b[..., 0], b[..., 1], b[..., 2]
    return xp.stack([y * t - z * s, z * r - x * t, x * s - y * r], axis=-1)


def skews(xp: ModuleType, a: Array) -> Array:
    """Return [a]× (k, 3, 3) of vectors (k, 3)."""
    return xp.tensordot(a, xp.asarray(LEVI), axes=([1], [2]))


def concat(xp: ModuleType, parts: list[Array], axis: int = 0) -> Array:
    """Join arrays along an axis, by the name that the module has for it."""
    join = getattr(xp, "concat", None) or xp.concatenate
    return join(parts, axis=axis)


def in_columns(xp: ModuleType, block: Array, first: int, width: int) -> Array:
    """Return a (rows, width) matrix of zeros with `block` from column `first` on."""
    rows, k = block.shape
    left = xp.zeros((rows, first), dtype=block.dtype)
    right = xp.zeros((rows, width - first - k), dtype=block.dtype)
    return concat(xp, [left, block, right], axis=1)


def solve_scaled(xp: ModuleType, M: Array, f: Array) -> Array:
    """Return M⁻¹ f of an M with positive diagonal, rows and columns scaled to make that one first.

    Joints, positions and stiff modes have units of very different size. A step of refinement would not help: what
    limits the answer is the rounding in M itself, times its condition.
    """
    d = 1.0 / xp.sqrt(xp.abs(xp.diagonal(M)))
    return d * xp.linalg.solve(M * d[:, None] * d[None, :], (f * d)[:, None])[:, 0]
