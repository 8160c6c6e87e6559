"""Algebra of 3-vectors, 3x3 matrices and 6x6 inertias as tuples of scalars.

A vector is (x, y, z); a matrix is nine numbers by rows; a symmetric matrix is (xx, yy, zz, xy, xz, yz).
A spatial inertia is the triple (A, B, C) of its blocks, angular first:

    [t; f] = [[A, B], [Bᵀ, C]] [α; a],   A and C symmetric, B full.

Tuples stay in registers once the compiler has inlined these functions: nothing is allocated, nothing can
overlap, and the same text compiles for float64 and complex128 (no conjugates, no library calls).
"""

from __future__ import annotations

from functools import partial

import numpy as np

from interstage.jit import kernel as plain_kernel
from interstage.multibody.handle import FAST

kernel = partial(plain_kernel, fastmath=set(FAST))
# the algebra below is always inlined: tuples then never pass through memory
inlined = partial(kernel, forceinline=True)

ZERO3 = (0.0, 0.0, 0.0)
IDENTITY = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)


@inlined
def is_finite(x):
    """Return whether all numbers of a vector are finite, and of a size whose sum is."""
    s = 0.0
    for k in range(len(x)):
        s += x[k]
    return s - s == 0.0


@inlined
def add(a, b):
    """Return a + b."""
    return (a[0] + b[0], a[1] + b[1], a[2] + b[2])


@inlined
def sub(a, b):
    """Return a - b."""
    return (a[0] - b[0], a[1] - b[1], a[2] - b[2])


@inlined
def scale(s, a):
    """Return s a."""
    return (s * a[0], s * a[1], s * a[2])


@inlined
def dot(a, b):
    """Return a·b."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@inlined
def cross(a, b):
    """Return a×b."""
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


@inlined
def turn(R, x):
    """Return R x."""
    return (
        R[0] * x[0] + R[1] * x[1] + R[2] * x[2],
        R[3] * x[0] + R[4] * x[1] + R[5] * x[2],
        R[6] * x[0] + R[7] * x[1] + R[8] * x[2],
    )


@inlined
def turn_back(R, x):
    """Return Rᵀ x."""
    return (
        R[0] * x[0] + R[3] * x[1] + R[6] * x[2],
        R[1] * x[0] + R[4] * x[1] + R[7] * x[2],
        R[2] * x[0] + R[5] * x[1] + R[8] * x[2],
    )


@inlined
def product(A, B):
    """Return A B."""
    return (
        A[0] * B[0] + A[1] * B[3] + A[2] * B[6],
        A[0] * B[1] + A[1] * B[4] + A[2] * B[7],
        A[0] * B[2] + A[1] * B[5] + A[2] * B[8],
        A[3] * B[0] + A[4] * B[3] + A[5] * B[6],
        A[3] * B[1] + A[4] * B[4] + A[5] * B[7],
        A[3] * B[2] + A[4] * B[5] + A[5] * B[8],
        A[6] * B[0] + A[7] * B[3] + A[8] * B[6],
        A[6] * B[1] + A[7] * B[4] + A[8] * B[7],
        A[6] * B[2] + A[7] * B[5] + A[8] * B[8],
    )


@inlined
def transpose(A):
    """Return Aᵀ."""
    return (A[0], A[3], A[6], A[1], A[4], A[7], A[2], A[5], A[8])


@inlined
def polynomial_of_skew(t, c1, c2):
    """Return I + c1 [t]× + c2 [t]×²."""
    x, y, z = t
    return (
        1.0 - c2 * (y * y + z * z),
        c2 * x * y - c1 * z,
        c2 * x * z + c1 * y,
        c2 * x * y + c1 * z,
        1.0 - c2 * (x * x + z * z),
        c2 * y * z - c1 * x,
        c2 * x * z - c1 * y,
        c2 * y * z + c1 * x,
        1.0 - c2 * (x * x + y * y),
    )


# π/2 in three parts of 33 bits (fdlibm): products with a quotient below 2^20 are exact
_HALF_PI_1, _HALF_PI_2, _HALF_PI_3 = (
    1.57079632673412561417e00,
    6.07710050630396597660e-11,
    2.02226624879595063154e-21,
)


@plain_kernel(fastmath={"contract"}, forceinline=True)
def sine_cosine(x):
    """Return sin x and cos x together, to one unit in the last place (minimax polynomials of fdlibm).

    Real arguments, or real ones with a small imaginary step. Twice as quick as two library calls.
    """
    if abs(x.real) > 1e5:
        return np.sin(x), np.cos(x)
    k = np.rint(x.real * 0.63661977236758134308)
    r = ((x - k * _HALF_PI_1) - k * _HALF_PI_2) - k * _HALF_PI_3
    z = r * r
    s = 1.58969099521155010221e-10 * z - 2.50507602534068634195e-08
    s = s * z + 2.75573137070700676789e-06
    s = s * z - 1.98412698298579493134e-04
    s = s * z + 8.33333333332248946124e-03
    s = s * z - 1.66666666666666324348e-01
    s = r + r * z * s
    c = -1.13596475577881948265e-11 * z + 2.08757232129817482790e-09
    c = c * z - 2.75573143513906633035e-07
    c = c * z + 2.48015872894767294178e-05
    c = c * z - 1.38888888888741095749e-03
    c = c * z + 4.16666666666666019037e-02
    c = 1.0 - (0.5 * z - z * z * c)
    quadrant = int(k) & 3
    if quadrant & 1:
        s, c = c, s
    if quadrant & 2:
        s = -s
    if (quadrant + 1) & 2:
        c = -c
    return s, c


@inlined
def about_axis(a, angle):
    """Return the rotation by `angle` about the unit vector a."""
    s, c = sine_cosine(angle)
    return polynomial_of_skew(a, s, 1.0 - c)


@inlined
def of_quaternion(w, x, y, z):
    """Return the rotation of the quaternion [w, x, y, z], divided by its length."""
    s = 2.0 / (w * w + x * x + y * y + z * z)
    return (
        1.0 - s * (y * y + z * z),
        s * (x * y - w * z),
        s * (x * z + w * y),
        s * (x * y + w * z),
        1.0 - s * (x * x + z * z),
        s * (y * z - w * x),
        s * (x * z - w * y),
        s * (y * z + w * x),
        1.0 - s * (x * x + y * y),
    )


@inlined
def turn_symmetric(R, S):
    """Return R S Rᵀ of a symmetric S."""
    a, b, c, d, e, f = S
    x0, x1, x2 = (
        R[0] * a + R[1] * d + R[2] * e,
        R[0] * d + R[1] * b + R[2] * f,
        R[0] * e + R[1] * f + R[2] * c,
    )
    y0, y1, y2 = (
        R[3] * a + R[4] * d + R[5] * e,
        R[3] * d + R[4] * b + R[5] * f,
        R[3] * e + R[4] * f + R[5] * c,
    )
    z0, z1, z2 = (
        R[6] * a + R[7] * d + R[8] * e,
        R[6] * d + R[7] * b + R[8] * f,
        R[6] * e + R[7] * f + R[8] * c,
    )
    return (
        x0 * R[0] + x1 * R[1] + x2 * R[2],
        y0 * R[3] + y1 * R[4] + y2 * R[5],
        z0 * R[6] + z1 * R[7] + z2 * R[8],
        x0 * R[3] + x1 * R[4] + x2 * R[5],
        x0 * R[6] + x1 * R[7] + x2 * R[8],
        y0 * R[6] + y1 * R[7] + y2 * R[8],
    )


@inlined
def symmetric_times(S, x):
    """Return S x of a symmetric S."""
    return (
        S[0] * x[0] + S[3] * x[1] + S[4] * x[2],
        S[3] * x[0] + S[1] * x[1] + S[5] * x[2],
        S[4] * x[0] + S[5] * x[1] + S[2] * x[2],
    )


@inlined
def inertia_times(P, a, b):
    """Return the halves of [[A, B], [Bᵀ, C]] [a; b] for P = (A, B, C)."""
    A, B, C = P
    return add(symmetric_times(A, a), turn(B, b)), add(turn_back(B, a), symmetric_times(C, b))


@inlined
def turn_inertia(P, R):
    """Return the spatial inertia P of child axes in parent axes, x_parent = R x_child."""
    A, B, C = P
    return turn_symmetric(R, A), product(product(R, B), transpose(R)), turn_symmetric(R, C)


@inlined
def shift_inertia(P, p):
    """Return P, taken at a point p, about the origin: φᵀPφ with φ = [[I, 0], [-[p]×, I]].

    B' = B + [p]C,  A' = A + [p]Bᵀ - B'[p].
    """
    A, B, C = P
    x, y, z = p
    cxx, cyy, czz, cxy, cxz, cyz = C
    b0 = B[0] + y * cxz - z * cxy
    b1 = B[1] + y * cyz - z * cyy
    b2 = B[2] + y * czz - z * cyz
    b3 = B[3] + z * cxx - x * cxz
    b4 = B[4] + z * cxy - x * cyz
    b5 = B[5] + z * cxz - x * czz
    b6 = B[6] + x * cxy - y * cxx
    b7 = B[7] + x * cyy - y * cxy
    b8 = B[8] + x * cyz - y * cxz
    shifted = (
        A[0] + (y * B[2] - z * B[1]) - (b1 * z - b2 * y),
        A[1] + (z * B[3] - x * B[5]) - (b5 * x - b3 * z),
        A[2] + (x * B[7] - y * B[6]) - (b6 * y - b7 * x),
        A[3] + (y * B[5] - z * B[4]) - (b2 * x - b0 * z),
        A[4] + (y * B[8] - z * B[7]) - (b0 * y - b1 * x),
        A[5] + (z * B[6] - x * B[8]) - (b3 * y - b4 * x),
    )
    return shifted, (b0, b1, b2, b3, b4, b5, b6, b7, b8), C
