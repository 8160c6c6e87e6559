"""Rotations on numpy or jax arrays: about an axis, of a quaternion, of a rotation vector with its rate.

With x = θ·θ the functions a1 = sin θ/θ, a2 = (1 - cos θ)/θ², a3 = (θ - sin θ)/θ³ are entire in x, and so are the
slopes b2 = 2 a2'(x), b3 = 2 a3'(x). They are summed as power series up to x = 1 and in closed form beyond.
"""

from __future__ import annotations

from math import factorial
from types import ModuleType

import numpy as np

from interstage.kane.ops import Array, skew

_TERMS = 12  # the first one left out is below 1e-24 of the sum at x = 1


def _series() -> np.ndarray:
    """Return coefficients (terms, 5) of powers of -x in a1, a2, a3, b2, b3."""
    rows = []
    for k in range(_TERMS):
        a = [1.0 / factorial(2 * k + j) for j in (1, 2, 3)]
        b = [-2.0 * (k + 1) / factorial(2 * k + 2 + j) for j in (2, 3)]
        rows.append(a + b)
    return np.array(rows)


_COEFFICIENTS = _series()


def coefficients(xp: ModuleType, x: Array) -> Array:
    """Return a1, a2, a3, b2, b3 at x = θ·θ, (5,)."""
    near = x.real < 1.0
    # the branch that is not taken must stay finite, or its slope spoils the other one
    small, large = xp.where(near, x, 0.0), xp.where(near, 4.0, x)
    powers = xp.cumprod(xp.stack([-small] * (_TERMS - 1)))
    series = xp.asarray(_COEFFICIENTS[0]) + powers @ xp.asarray(_COEFFICIENTS[1:])
    angle = xp.sqrt(large)
    a1, a2 = xp.sin(angle) / angle, (1.0 - xp.cos(angle)) / large
    a3 = (1.0 - a1) / large
    closed = xp.stack([a1, a2, a3, (a1 - 2.0 * a2) / large, (a2 - 3.0 * a3) / large])
    return xp.where(near, series, closed)


def about_axis(xp: ModuleType, n: Array, angle: Array) -> Array:
    """Return the rotation (3, 3) by `angle` about the unit vector n (3,)."""
    N = skew(xp, n)
    return xp.asarray(np.eye(3)) + xp.sin(angle) * N + (1.0 - xp.cos(angle)) * (N @ N)


def of_quaternion(xp: ModuleType, q: Array) -> Array:
    """Return the rotation (3, 3) of a quaternion (4,), scalar first, of any length."""
    V = skew(xp, q[1:])
    return xp.asarray(np.eye(3)) + (2.0 / xp.sum(q * q)) * (q[0] * V + V @ V)


def of_vector(xp: ModuleType, theta: Array, rate: Array) -> tuple[Array, Array, Array]:
    """Return exp θ, the left Jacobian J_l (ω = J_l θ̇), and J̇_l θ̇, for θ and θ̇ (3,)."""
    eye = xp.asarray(np.eye(3))
    a1, a2, a3, b2, b3 = coefficients(xp, xp.sum(theta * theta))
    T, D = skew(xp, theta), skew(xp, rate)
    TT, along = T @ T, xp.sum(theta * rate)
    jacobian = eye + a2 * T + a3 * TT
    change = along * (b2 * T + b3 * TT) + a3 * (D @ T)
    return eye + a1 * T + a2 * TT, jacobian, change @ rate
