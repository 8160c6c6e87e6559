"""Rows of arrays as tuples of scalars, read and written: vectors, matrices, motions and inertias of bodies.

Tuples are those of `small`.
"""

from __future__ import annotations

from interstage.multibody.kernels.small import inlined


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
