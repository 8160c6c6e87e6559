"""Rows of arrays as tuples of scalars, read and written: vectors, matrices, motions and inertias of bodies.

Tuples are those of `small`.

Loops over arrays: rows of modes, and small dense systems. They compile for float64 and complex128.
"""

from __future__ import annotations

from interstage.multibody.kernels.algebra import inlined, kernel


@inlined
def get3(a, i):
    """Return row i of an (n, 3) array."""
    return (a[i, 0], a[i, 1], a[i, 2])


@inlined
def get9(a, i):
    """Return row i of an (n, 9) array."""
    return (a[i, 0], a[i, 1], a[i, 2], a[i, 3], a[i, 4], a[i, 5], a[i, 6], a[i, 7], a[i, 8])


@inlined
def put3(a, i, x):
    """Write row i of an (n, 3) array."""
    a[i, 0] = x[0]
    a[i, 1] = x[1]
    a[i, 2] = x[2]


@inlined
def put9(a, i, x):
    """Write row i of an (n, 9) array."""
    a[i, 0] = x[0]
    a[i, 1] = x[1]
    a[i, 2] = x[2]
    a[i, 3] = x[3]
    a[i, 4] = x[4]
    a[i, 5] = x[5]
    a[i, 6] = x[6]
    a[i, 7] = x[7]
    a[i, 8] = x[8]


@inlined
def low(a, i):
    """Return the first three of row i: the angular half of a spatial vector."""
    return (a[i, 0], a[i, 1], a[i, 2])


@inlined
def high(a, i):
    """Return the second three of row i: the linear half of a spatial vector."""
    return (a[i, 3], a[i, 4], a[i, 5])


@inlined
def put6(a, i, x, y):
    """Write a spatial vector, angular half x and linear half y, to row i."""
    a[i, 0] = x[0]
    a[i, 1] = x[1]
    a[i, 2] = x[2]
    a[i, 3] = y[0]
    a[i, 4] = y[1]
    a[i, 5] = y[2]


@inlined
def add6(a, i, x, y):
    """Add a spatial vector to row i."""
    a[i, 0] += x[0]
    a[i, 1] += x[1]
    a[i, 2] += x[2]
    a[i, 3] += y[0]
    a[i, 4] += y[1]
    a[i, 5] += y[2]


@inlined
def get_inertia(a, i):
    """Return the inertia kept in row i of an (n, 21) array: A, then B, then C."""
    return (
        (a[i, 0], a[i, 1], a[i, 2], a[i, 3], a[i, 4], a[i, 5]),
        (a[i, 6], a[i, 7], a[i, 8], a[i, 9], a[i, 10], a[i, 11], a[i, 12], a[i, 13], a[i, 14]),
        (a[i, 15], a[i, 16], a[i, 17], a[i, 18], a[i, 19], a[i, 20]),
    )


@inlined
def put_inertia(a, i, P):
    """Write an inertia to row i of an (n, 21) array."""
    A, B, C = P
    a[i, 0] = A[0]
    a[i, 1] = A[1]
    a[i, 2] = A[2]
    a[i, 3] = A[3]
    a[i, 4] = A[4]
    a[i, 5] = A[5]
    a[i, 6] = B[0]
    a[i, 7] = B[1]
    a[i, 8] = B[2]
    a[i, 9] = B[3]
    a[i, 10] = B[4]
    a[i, 11] = B[5]
    a[i, 12] = B[6]
    a[i, 13] = B[7]
    a[i, 14] = B[8]
    a[i, 15] = C[0]
    a[i, 16] = C[1]
    a[i, 17] = C[2]
    a[i, 18] = C[3]
    a[i, 19] = C[4]
    a[i, 20] = C[5]


@inlined
def add_inertia(a, i, P):
    """Add an inertia to row i of an (n, 21) array."""
    A, B, C = P
    a[i, 0] += A[0]
    a[i, 1] += A[1]
    a[i, 2] += A[2]
    a[i, 3] += A[3]
    a[i, 4] += A[4]
    a[i, 5] += A[5]
    a[i, 6] += B[0]
    a[i, 7] += B[1]
    a[i, 8] += B[2]
    a[i, 9] += B[3]
    a[i, 10] += B[4]
    a[i, 11] += B[5]
    a[i, 12] += B[6]
    a[i, 13] += B[7]
    a[i, 14] += B[8]
    a[i, 15] += C[0]
    a[i, 16] += C[1]
    a[i, 17] += C[2]
    a[i, 18] += C[3]
    a[i, 19] += C[4]
    a[i, 20] += C[5]


@inlined
def rigid_inertia(I, i):
    """Return (A, B, C) of row i of an (n, 10) array [m, m c (3), J (6) about the origin]."""
    m = I[i, 0]
    x, y, z = I[i, 1], I[i, 2], I[i, 3]
    o = 0.0 * m
    return (
        (I[i, 4], I[i, 5], I[i, 6], I[i, 7], I[i, 8], I[i, 9]),
        (o, -z, y, z, o, -x, -y, x, o),
        (m, m, m, o, o, o),
    )


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
