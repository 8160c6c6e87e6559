"""Turn Euler angles of any of the twelve sequences into matrices and back.

Angles are intrinsic: R = R_i(a) R_j(b) R_k(c), each turn about an axis of the frame turned so far.
A sequence is three axis numbers 0, 1, 2 with neighbours different; (0, 1, 2) is "xyz".
"""

from __future__ import annotations

import numpy as np

from interstage.jit import kernel
from interstage.spatial.rotvec import arctan2


@kernel
def _parity(i, j):
    """Return +1.0 where axis j follows axis i in the cycle x y z x, −1.0 otherwise."""
    return 1.0 if (j - i) % 3 == 1 else -1.0


@kernel
def _turn_columns(axis, angle, R):
    """Overwrite R with R R_axis(angle)."""
    p, q = (axis + 1) % 3, (axis + 2) % 3
    c, s = np.cos(angle), np.sin(angle)
    for row in range(3):
        x, y = R[row, p], R[row, q]
        R[row, p] = c * x + s * y
        R[row, q] = c * y - s * x


@kernel
def euler_to_matrix(i, j, k, angles, R):
    """Write R = R_i(a) R_j(b) R_k(c) (3, 3) of three angles (3,) in radians."""
    for row in range(3):
        for column in range(3):
            R[row, column] = 1.0 if row == column else 0.0
    _turn_columns(i, angles[0], R)
    _turn_columns(j, angles[1], R)
    _turn_columns(k, angles[2], R)


@kernel
def matrix_to_euler(i, j, k, R, angles):
    """Write the angles (3,) in radians of a rotation matrix.

    The middle angle is in [−π/2, π/2] for three different axes and in [0, π] otherwise. Where the first
    and third axis are in line (gimbal lock) only their sum or difference is known: the first is then 0.
    The third angle is taken from R_i(a)ᵀ R, whose row j is that of R_k(c): exact at every middle angle.
    """
    if i != k:
        e = _parity(i, j)
        y, x = -e * R[j, k], R[k, k]
        middle_y, middle_x2 = e * R[i, k], x * x + y * y
        middle = arctan2(middle_y, _root(middle_x2))
        lock = middle_x2.real
    else:
        l = 3 - i - j
        e = _parity(i, j)
        y, x = R[j, i], -e * R[l, i]
        middle_y2 = x * x + y * y
        middle = arctan2(_root(middle_y2), R[i, i])
        lock = middle_y2.real
    first = arctan2(y, x)
    if lock < 1e-28:
        first = 0.0 * first
    # Row j of R_i(first)ᵀ R, which is row j of R_k(c): cos c at j, ∓sin c at m.
    p, q = (i + 1) % 3, (i + 2) % 3
    c, s = np.cos(first), np.sin(first)
    m = 3 - j - k
    if j == p:
        cosine, sine = c * R[p, j] + s * R[q, j], c * R[p, m] + s * R[q, m]
    else:
        cosine, sine = c * R[q, j] - s * R[p, j], c * R[q, m] - s * R[p, m]
    angles[0] = first
    angles[1] = middle
    angles[2] = arctan2(-_parity(k, j) * sine, cosine)


@kernel
def _root(x):
    """Return √x, and 0 where rounding made x zero: the slope of a root at zero is infinite."""
    if x.real <= 0.0:
        return 0.0 * x
    return np.sqrt(x)


@kernel
def euler_rate_map(i, j, k, angles, E):
    """Write E (3, 3) with ω = E [ȧ, ḃ, ċ], ω in turned (body) axes.

    ω = R_k(c)ᵀ R_j(b)ᵀ e_i ȧ + R_k(c)ᵀ e_j ḃ + e_k ċ
    """
    for row in range(3):
        for column in range(3):
            E[row, column] = 0.0
    E[i, 0] = 1.0
    E[j, 1] = 1.0
    E[k, 2] = 1.0
    _turn_back(j, angles[1], E, 0)
    _turn_back(k, angles[2], E, 0)
    _turn_back(k, angles[2], E, 1)


@kernel
def _turn_back(axis, angle, E, column):
    """Overwrite one column x of E with R_axis(angle)ᵀ x."""
    p, q = (axis + 1) % 3, (axis + 2) % 3
    c, s = np.cos(angle), np.sin(angle)
    x, y = E[p, column], E[q, column]
    E[p, column] = c * x + s * y
    E[q, column] = c * y - s * x
