"""Small dense algebra in kernels: vectors of three, condensation, inverses, congruence."""

from __future__ import annotations

import numpy as np

from interstage.jit import kernel


@kernel
def normalize(v):
    """Scale a 3-vector to unit length in place and return its length."""
    length = np.sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2])
    if length > 0.0:
        v[0] /= length
        v[1] /= length
        v[2] /= length
    return length


@kernel
def cross(a, b, out):
    """out = a × b."""
    out[0] = a[1] * b[2] - a[2] * b[1]
    out[1] = a[2] * b[0] - a[0] * b[2]
    out[2] = a[0] * b[1] - a[1] * b[0]


@kernel
def condense(K, keep, size):
    """Eliminate dofs keep..size−1 of a symmetric matrix in place (static condensation by Gauss steps).

    A zero pivot (no stiffness at all in an internal dof) leaves the matrix as it is.
    """
    for p in range(size - 1, keep - 1, -1):
        pivot = K[p, p]
        if pivot <= 0.0:
            continue
        for i in range(p):
            f = K[p, i] / pivot
            if f != 0.0:
                for j in range(i + 1):
                    K[i, j] -= f * K[p, j]
        # only the lower triangle is updated, so row p stays valid for the next pivots
    for i in range(keep):
        for j in range(i):
            K[j, i] = K[i, j]


@kernel
def follow(K, keep, G):
    """G (size − keep, keep): the eliminated dofs for unit kept ones, from a matrix that `condense` has worked on."""
    for p in range(len(G)):
        row = keep + p
        for c in range(keep):
            total = 0.0
            if K[row, row] > 0.0:
                total = K[row, c]
                for q in range(p):
                    total += K[row, keep + q] * G[q, c]
                total /= -K[row, row]
            G[p, c] = total


@kernel
def invert_spd(M, n):
    """Invert a small symmetric positive definite matrix in place (Gauss-Jordan, no pivoting)."""
    for p in range(n):
        d = 1.0 / M[p, p]
        for j in range(n):
            M[p, j] *= d
        M[p, p] = d
        for i in range(n):
            if i != p:
                f = M[i, p]
                M[i, p] = 0.0
                for j in range(n):
                    M[i, j] -= f * M[p, j]


@kernel
def invert_pivoted(M, inverse, n):
    """inverse = M⁻¹ by Gauss-Jordan with row pivoting; M is destroyed."""
    for i in range(n):
        for j in range(n):
            inverse[i, j] = 1.0 if i == j else 0.0
    for p in range(n):
        best = p
        for i in range(p + 1, n):
            if abs(M[i, p]) > abs(M[best, p]):
                best = i
        if best != p:
            for j in range(n):
                M[p, j], M[best, j] = M[best, j], M[p, j]
                inverse[p, j], inverse[best, j] = inverse[best, j], inverse[p, j]
        d = 1.0 / M[p, p]
        for j in range(n):
            M[p, j] *= d
            inverse[p, j] *= d
        for i in range(n):
            f = M[i, p]
            if i != p and f != 0.0:
                for j in range(n):
                    M[i, j] -= f * M[p, j]
                    inverse[i, j] -= f * inverse[p, j]


@kernel
def block_times_rows(C, m, P, first, CP, n):
    """CP[first:first+m] = C (m,m) @ P[first:first+m]; rows have n columns."""
    for i in range(m):
        row = CP[first + i]
        for j in range(n):
            row[j] = 0.0
        whole = m - m % 4
        for k in range(0, whole, 4):  # four rows at once: each column is loaded and stored a quarter as often
            a, b, c, d = C[i, k], C[i, k + 1], C[i, k + 2], C[i, k + 3]
            pa, pb, pc, pd = P[first + k], P[first + k + 1], P[first + k + 2], P[first + k + 3]
            for j in range(n):
                row[j] += a * pa[j] + b * pb[j] + c * pc[j] + d * pd[j]
        for k in range(whole, m):
            c = C[i, k]
            p = P[first + k]
            for j in range(n):
                row[j] += c * p[j]


@kernel
def congruence(P, CP, rows, n, K):
    """K = Pᵀ CP (n,n), symmetric: the upper triangle is summed and mirrored."""
    for i in range(n):
        for j in range(i, n):
            K[i, j] = 0.0
    for r in range(rows):
        for i in range(n):
            p = P[r, i]
            if p != 0.0:
                for j in range(i, n):
                    K[i, j] += p * CP[r, j]
    for i in range(n):
        for j in range(i):
            K[i, j] = K[j, i]
