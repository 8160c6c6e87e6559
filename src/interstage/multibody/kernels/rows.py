"""Loops over arrays: rows of modes, and small dense systems. They compile for float64 and complex128."""

from __future__ import annotations

from interstage.multibody.kernels.small import inlined, kernel


@inlined
def _put_symmetric(S, out, at):
    out[at, at], out[at + 1, at + 1], out[at + 2, at + 2] = S[0], S[1], S[2]
    out[at, at + 1] = out[at + 1, at] = S[3]
    out[at, at + 2] = out[at + 2, at] = S[4]
    out[at + 1, at + 2] = out[at + 2, at + 1] = S[5]


@kernel
def dense6(P, out):
    """Write (A, B, C) as a full (6, 6) array."""
    A, B, C = P
    _put_symmetric(A, out, 0)
    _put_symmetric(C, out, 3)
    for i in range(3):
        for j in range(3):
            out[i, j + 3] = B[3 * i + j]
            out[j + 3, i] = B[3 * i + j]


@kernel
def factor_ldlt(a, n):
    """Factor the leading (n, n) of a symmetric array in place: unit L below, D on the diagonal.

    No roots and no conjugates, so that it serves complex steps. Returns False at a pivot that is not positive.
    """
    for j in range(n):
        d = a[j, j]
        for k in range(j):
            d -= a[j, k] * a[j, k] * a[k, k]
        a[j, j] = d
        if not d.real > 0.0:
            return False
        for i in range(j + 1, n):
            s = a[i, j]
            for k in range(j):
                s -= a[i, k] * a[j, k] * a[k, k]
            a[i, j] = s / d
    return True


@kernel
def solve_ldlt(a, n, x):
    """Solve L D Lᵀ x = x in place, with `a` from `factor_ldlt`."""
    for i in range(n):
        for k in range(i):
            x[i] -= a[i, k] * x[k]
    for i in range(n):
        x[i] /= a[i, i]
    for i in range(n - 1, -1, -1):
        for k in range(i + 1, n):
            x[i] -= a[k, i] * x[k]


@kernel
def solve_general(a, n, x):
    """Solve a x = x in place with the leading (n, n) of any array; return False if it is singular.

    a is used up; rows are exchanged by real size. No conjugates, so that it serves complex steps.
    """
    for j in range(n):
        p = j
        for i in range(j + 1, n):
            if abs(a[i, j].real) > abs(a[p, j].real):
                p = i
        if not abs(a[p, j].real) > 0.0:
            return False
        if p != j:
            x[j], x[p] = x[p], x[j]
            for k in range(j, n):
                a[j, k], a[p, k] = a[p, k], a[j, k]
        inverse = 1.0 / a[j, j]
        for i in range(j + 1, n):
            f = a[i, j] * inverse
            if f != 0.0:
                x[i] -= f * x[j]
                for k in range(j + 1, n):
                    a[i, k] -= f * a[j, k]
    for j in range(n - 1, -1, -1):
        for k in range(j + 1, n):
            x[j] -= a[j, k] * x[k]
        x[j] /= a[j, j]
    return True


@kernel
def weighted_dot(a, b, d):
    """Return Σ a_r b_r d_r."""
    total = 0.0 * d[0]
    for r in range(len(a)):
        total += a[r] * b[r] * d[r]
    return total


@kernel
def rows_times(rows, x):
    """Return the three sums of a flat (3, n) array times x (n,)."""
    n = len(x)
    a, b, c = rows[:n], rows[n : 2 * n], rows[2 * n : 3 * n]
    s = 0.0 * x[0]
    t, u = s, s
    for r in range(n):
        s += a[r] * x[r]
        t += b[r] * x[r]
        u += c[r] * x[r]
    return (s, t, u)


@kernel
def square_of_rows(rows, d):
    """Return Σ d_r |column r|² of a flat (3, n) array."""
    n = len(d)
    total = 0.0 * d[0]
    for r in range(n):
        total += (rows[r] * rows[r] + rows[n + r] * rows[n + r] + rows[2 * n + r] * rows[2 * n + r]) * d[r]
    return total


@kernel
def row_times(C, start, x):
    """Return the sum of C[start], C[start + 1] ... times x (n,)."""
    total = 0.0 * x[0]
    for k in range(len(x)):
        total += C[start + k] * x[k]
    return total


@kernel
def add_rows(out, rows, f):
    """Add f·rows of a flat (3, n) array to out (n,)."""
    n = len(out)
    a, b, c = rows[:n], rows[n : 2 * n], rows[2 * n : 3 * n]
    x, y, z = f
    for r in range(n):
        out[r] += x * a[r] + y * b[r] + z * c[r]


@kernel
def add_row(out, s, row):
    """Add s row to out."""
    for r in range(len(out)):
        out[r] += s * row[r]


@kernel
def clear(a):
    """Write zeros to a two-dimensional array."""
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            a[i, j] = 0.0


@kernel
def clear_vector(a):
    """Write zeros to a vector."""
    for i in range(len(a)):
        a[i] = 0.0
