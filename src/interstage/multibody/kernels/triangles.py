"""Cholesky factor of a modal mass, and solutions with it: four rows at a time, so that loops run on vectors.

U = Lᵀ is the upper triangle of a flat (n, n) array that begins at U[at]; what is below it is not looked at. Vectors may
be complex, U is real. Unsigned positions spare the check for negative ones.
"""

from __future__ import annotations

import numpy as np

from interstage.multibody.kernels.small import kernel


@kernel
def _take_four(U, a, length, width, y, j):
    """Take Σ U[a + i length + k] y_i of four rows i, k below `width`, from y[j + k]; y is the vector of U's numbers."""
    b, c, d = a + length, a + length + length, a + length + length + length
    p, q, r, s = y
    for k in range(width):
        U[j + k] -= p * U[a + k] + q * U[b + k] + r * U[c + k] + s * U[d + k]


@kernel
def factor_upper(U, at, n):
    """Factor a symmetric matrix in place, by its upper triangle: A = UᵀU; return whether it is positive."""
    length = np.uint64(n)
    for r in range(0, n, 4):
        m = min(4, n - r)
        for i in range(r, r + m):  # the four rows among themselves
            row = U[at + n * i + i : at + n * i + n]
            for k in range(r, i):
                above = U[at + n * k + i : at + n * k + n]
                a = above[0]
                for j in range(n - i):
                    row[j] -= a * above[j]
            if not row[0] > 0.0:
                return False
            a = 1.0 / np.sqrt(row[0])
            for j in range(n - i):
                row[j] *= a
        for i in range(r + 4, n):  # then all rows below
            a = at + n * r + i
            y = (U[a], U[a + n], U[a + 2 * n], U[a + 3 * n])
            _take_four(U, np.uint64(a), length, np.uint64(n - i), y, np.uint64(at + n * i + i))
    return True


@kernel
def _lower_four(U, a, n, x, j):
    """Solve with the four rows of U that begin at a for x[j] ... x[j + 3]; return them."""
    s = x[j] / U[a]
    t = (x[j + 1] - U[a + 1] * s) / U[a + n + 1]
    u = (x[j + 2] - U[a + 2] * s - U[a + n + 2] * t) / U[a + 2 * n + 2]
    v = x[j + 3] - U[a + 3] * s - U[a + n + 3] * t - U[a + 2 * n + 3] * u
    v = v / U[a + 3 * n + 3]
    x[j], x[j + 1], x[j + 2], x[j + 3] = s, t, u, v
    return s, t, u, v


@kernel
def _lower_rest(U, at, n, r, x, first):
    """Solve with the last rows of U from r on, fewer than four."""
    for i in range(r, n):
        row = at + n * i
        s = x[first + i] / U[row + i]
        x[first + i] = s
        for k in range(i + 1, n):
            x[first + k] -= U[row + k] * s


@kernel
def lower_solve(U, at, n, x, first):
    """Write L⁻¹ x over x[first ...] (n,)."""
    length, whole = np.uint64(n), n - n % 4
    for r in range(0, whole, 4):
        a = at + n * r + r
        p, q, s, t = _lower_four(U, a, n, x, first + r)
        i, j = np.uint64(a + 4), np.uint64(first + r + 4)
        for k in range(np.uint64(n - r - 4)):
            e = U[i + k] * p + U[i + length + k] * q
            x[j + k] -= e + U[i + length + length + k] * s + U[i + length + length + length + k] * t
    _lower_rest(U, at, n, whole, x, first)


@kernel
def lower_three(U, at, n, x, first):
    """Write L⁻¹ x over three vectors, one after the other from x[first] on: each number of L serves all of them."""
    length, whole = np.uint64(n), n - n % 4
    for r in range(0, whole, 4):
        a, j = at + n * r + r, first + r
        b = _lower_four(U, a, n, x, j)
        c = _lower_four(U, a, n, x, j + n)
        d = _lower_four(U, a, n, x, j + 2 * n)
        i, y = np.uint64(a + 4), np.uint64(j + 4)
        for k in range(np.uint64(n - r - 4)):
            e, f = U[i + k], U[i + length + k]
            g, h = U[i + length + length + k], U[i + length + length + length + k]
            x[y + k] -= e * b[0] + f * b[1] + g * b[2] + h * b[3]
            x[y + length + k] -= e * c[0] + f * c[1] + g * c[2] + h * c[3]
            x[y + length + length + k] -= e * d[0] + f * d[1] + g * d[2] + h * d[3]
    for k in range(3):
        _lower_rest(U, at, n, whole, x, first + k * n)


@kernel
def upper_solve(U, at, n, x, first):
    """Write L⁻ᵀ x over x[first ...] (n,)."""
    whole, length = n - n % 4, np.uint64(n)
    for i in range(n - 1, whole - 1, -1):
        s = x[first + i]
        for k in range(i + 1, n):
            s -= U[at + n * i + k] * x[first + k]
        x[first + i] = s / U[at + n * i + i]
    for r in range(whole - 4, -1, -4):
        a, j = at + n * r + r, first + r
        p, q, s, t = x[j], x[j + 1], x[j + 2], x[j + 3]
        i, y = np.uint64(a + 4), np.uint64(j + 4)
        for k in range(np.uint64(n - r - 4)):
            z = x[y + k]
            p -= U[i + k] * z
            q -= U[i + length + k] * z
            s -= U[i + length + length + k] * z
            t -= U[i + length + length + length + k] * z
        t = t / U[a + 3 * n + 3]
        s = (s - U[a + 2 * n + 3] * t) / U[a + 2 * n + 2]
        q = (q - U[a + n + 2] * s - U[a + n + 3] * t) / U[a + n + 1]
        p = (p - U[a + 1] * q - U[a + 2] * s - U[a + 3] * t) / U[a]
        x[j], x[j + 1], x[j + 2], x[j + 3] = p, q, s, t
