"""Small dense matrices in compiled code, without LAPACK: the same numbers on every machine, and nothing is allocated.

Matrices are contiguous and written in place. Sizes are those of the modes of a body: up to some hundred.
"""

from __future__ import annotations

import numpy as np

from interstage.multibody.kernels.algebra import kernel

TINY = 2.220446049250313e-16


@kernel
def cholesky_lower(A):
    """Write L of A = L Lᵀ (n, n) over A, with zeros above its diagonal; return whether A is positive definite."""
    n = len(A)
    for j in range(n):
        d = A[j, j]
        for k in range(j):
            d -= A[j, k] * A[j, k]
        if not d > 0.0:
            return False
        d = np.sqrt(d)
        A[j, j] = d
        for i in range(j + 1, n):
            s = A[i, j]
            for k in range(j):
                s -= A[i, k] * A[j, k]
            A[i, j] = s / d
            A[j, i] = 0.0
    return True


@kernel
def solve_lower(L, B):
    """Write L⁻¹ B over B (n, m)."""
    n, m = B.shape
    for i in range(n):
        for k in range(i):
            factor = L[i, k]
            for j in range(m):
                B[i, j] -= factor * B[k, j]
        for j in range(m):
            B[i, j] /= L[i, i]


@kernel
def solve_lower_transposed(L, B):
    """Write L⁻ᵀ B over B (n, m)."""
    n, m = B.shape
    for i in range(n - 1, -1, -1):
        for k in range(i + 1, n):
            factor = L[k, i]
            for j in range(m):
                B[i, j] -= factor * B[k, j]
        for j in range(m):
            B[i, j] /= L[i, i]


@kernel
def _tridiagonal(V, d, e):
    """Reduce symmetric V (n, n) to the diagonal d and e[1:] beside it by reflections; V becomes their product.

    J. H. Wilkinson and C. Reinsch, Handbook for Automatic Computation II, tred2.
    """
    n = len(d)
    for i in range(n - 1, 0, -1):
        scale, h = 0.0, 0.0
        for k in range(i):
            scale += abs(V[i, k])
        if i == 1 or scale == 0.0:
            e[i] = V[i, i - 1]
        else:
            for k in range(i):
                V[i, k] /= scale
                h += V[i, k] * V[i, k]
            f = V[i, i - 1]
            g = -np.sqrt(h) if f >= 0.0 else np.sqrt(h)
            e[i] = scale * g
            h -= f * g
            V[i, i - 1] = f - g
            f = 0.0
            for j in range(i):
                V[j, i] = V[i, j] / h
                g = 0.0
                for k in range(j + 1):
                    g += V[j, k] * V[i, k]
                for k in range(j + 1, i):
                    g += V[k, j] * V[i, k]
                e[j] = g / h
                f += e[j] * V[i, j]
            half = f / (h + h)
            for j in range(i):
                f = V[i, j]
                g = e[j] - half * f
                e[j] = g
                for k in range(j + 1):
                    V[j, k] -= f * e[k] + g * V[i, k]
        d[i] = h
    d[0], e[0] = 0.0, 0.0
    for i in range(n):
        if d[i] != 0.0:
            for j in range(i):
                g = 0.0
                for k in range(i):
                    g += V[i, k] * V[k, j]
                for k in range(i):
                    V[k, j] -= g * V[k, i]
        d[i] = V[i, i]
        V[i, i] = 1.0
        for j in range(i):
            V[i, j], V[j, i] = 0.0, 0.0


@kernel
def eigen_symmetric(V, d, e):
    """Write the eigenvalues of symmetric V (n, n) to d, rising, and its orthonormal eigenvectors over V, in columns.

    e : (n,) scratch. Return whether the iteration ended. Implicit QL after Householder's reflections (Wilkinson and
    Reinsch, tql2).
    """
    n = len(d)
    _tridiagonal(V, d, e)
    for i in range(1, n):
        e[i - 1] = e[i]
    e[n - 1] = 0.0
    for l in range(n):
        for turn in range(61):
            m = l
            while m < n - 1 and abs(e[m]) > TINY * (abs(d[m]) + abs(d[m + 1])):
                m += 1
            if m == l:
                break
            if turn == 60:
                return False
            g = (d[l + 1] - d[l]) / (2.0 * e[l])
            r = np.sqrt(g * g + 1.0)
            g = d[m] - d[l] + e[l] / (g + (r if g >= 0.0 else -r))
            s, c, p = 1.0, 1.0, 0.0
            i = m - 1
            while i >= l:
                f, b = s * e[i], c * e[i]
                r = np.sqrt(f * f + g * g)
                e[i + 1] = r
                if r == 0.0:
                    d[i + 1] -= p
                    e[m] = 0.0
                    break
                s, c = f / r, g / r
                g = d[i + 1] - p
                r = (d[i] - g) * s + 2.0 * c * b
                p = s * r
                d[i + 1] = g + p
                g = c * r - b
                for k in range(n):
                    f = V[k, i + 1]
                    V[k, i + 1] = s * V[k, i] + c * f
                    V[k, i] = c * V[k, i] - s * f
                i -= 1
            if i >= l:
                continue
            d[l] -= p
            e[l] = g
            e[m] = 0.0
    for i in range(n - 1):
        least = i
        for j in range(i + 1, n):
            if d[j] < d[least]:
                least = j
        if least != i:
            d[i], d[least] = d[least], d[i]
            for k in range(n):
                V[k, i], V[k, least] = V[k, least], V[k, i]
    return True
