"""Write products of 3-vectors and 3x3 matrices into given arrays, without allocation.

These are the bricks of all kernels. Each works for float64 and complex128 (also mixed: a real matrix
times a complex vector into a complex output) and uses no conjugate, so that complex steps pass through.
Outputs come last. A vector output may be one of the inputs; a matrix output may not.
"""

from __future__ import annotations

from interstage.jit import kernel


@kernel
def dot(a, b):
    """Return a·b of 3-vectors, without conjugation."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@kernel
def cross(a, b, out):
    """Write a×b."""
    x = a[1] * b[2] - a[2] * b[1]
    y = a[2] * b[0] - a[0] * b[2]
    z = a[0] * b[1] - a[1] * b[0]
    out[0] = x
    out[1] = y
    out[2] = z


@kernel
def skew(a, S):
    """Write the matrix [a]× with [a]× b = a×b."""
    S[0, 0] = 0.0
    S[0, 1] = -a[2]
    S[0, 2] = a[1]
    S[1, 0] = a[2]
    S[1, 1] = 0.0
    S[1, 2] = -a[0]
    S[2, 0] = -a[1]
    S[2, 1] = a[0]
    S[2, 2] = 0.0


@kernel
def rotate(R, x, out):
    """Write R x."""
    x0, x1, x2 = x[0], x[1], x[2]
    out[0] = R[0, 0] * x0 + R[0, 1] * x1 + R[0, 2] * x2
    out[1] = R[1, 0] * x0 + R[1, 1] * x1 + R[1, 2] * x2
    out[2] = R[2, 0] * x0 + R[2, 1] * x1 + R[2, 2] * x2


@kernel
def rotate_inverse(R, x, out):
    """Write Rᵀ x."""
    x0, x1, x2 = x[0], x[1], x[2]
    out[0] = R[0, 0] * x0 + R[1, 0] * x1 + R[2, 0] * x2
    out[1] = R[0, 1] * x0 + R[1, 1] * x1 + R[2, 1] * x2
    out[2] = R[0, 2] * x0 + R[1, 2] * x1 + R[2, 2] * x2


@kernel
def multiply(A, B, C):
    """Write C = A B of 3x3 matrices; C is neither A nor B."""
    for i in range(3):
        for j in range(3):
            C[i, j] = A[i, 0] * B[0, j] + A[i, 1] * B[1, j] + A[i, 2] * B[2, j]


@kernel
def multiply_inverse(A, B, C):
    """Write C = Aᵀ B of 3x3 matrices; C is neither A nor B."""
    for i in range(3):
        for j in range(3):
            C[i, j] = A[0, i] * B[0, j] + A[1, i] * B[1, j] + A[2, i] * B[2, j]


@kernel
def congruence(R, A, out):
    """Write R A Rᵀ of 3x3 matrices, the tensor A in turned axes; `out` is neither R nor A."""
    for i in range(3):
        x = R[i, 0] * A[0, 0] + R[i, 1] * A[1, 0] + R[i, 2] * A[2, 0]
        y = R[i, 0] * A[0, 1] + R[i, 1] * A[1, 1] + R[i, 2] * A[2, 1]
        z = R[i, 0] * A[0, 2] + R[i, 1] * A[1, 2] + R[i, 2] * A[2, 2]
        for j in range(3):
            out[i, j] = x * R[j, 0] + y * R[j, 1] + z * R[j, 2]
