"""Algebra of 3-vectors, 3x3 matrices and 6x6 inertias as tuples of scalars.

A vector is (x, y, z); a matrix is nine numbers by rows; a symmetric matrix is (xx, yy, zz, xy, xz, yz).
A spatial inertia is the triple (A, B, C) of its blocks, angular first:

    [t; f] = [[A, B], [Bᵀ, C]] [α; a],   A and C symmetric, B full.

Tuples stay in registers once the compiler has inlined these functions: nothing is allocated, nothing can
overlap, and the same text compiles for float64 and complex128 (no conjugates, no library calls).

Cholesky factor of a modal mass, and solutions with it: four rows at a time, so that loops run on vectors.

U = Lᵀ is the upper triangle of a flat (n, n) array that begins at U[at]; what is below it is not looked at. Vectors may
be complex, U is real. Unsigned positions spare the check for negative ones.

Spatial vectors as pairs of 3-vectors, angular half first; motions and forces from frame to frame.

They stand in rows of arrays, six numbers from a column on. Rows of answers hold B by columns, then D (`slopes`).
"""

from __future__ import annotations

from functools import partial

import numpy as np

from interstage.jit import kernel as plain_kernel
from interstage.multibody.address_table import FAST

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


AXES = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))


@inlined
def six(a, i, k):
    """Return the halves of the spatial vector at a[i, k]."""
    return (a[i, k], a[i, k + 1], a[i, k + 2]), (a[i, k + 3], a[i, k + 4], a[i, k + 5])


@inlined
def put_six(a, i, k, x):
    """Write a spatial vector to a[i, k]."""
    w, v = x
    a[i, k] = w[0]
    a[i, k + 1] = w[1]
    a[i, k + 2] = w[2]
    a[i, k + 3] = v[0]
    a[i, k + 4] = v[1]
    a[i, k + 5] = v[2]


@inlined
def plus(x, y):
    """Return x + y of spatial vectors."""
    return add(x[0], y[0]), add(x[1], y[1])


@inlined
def times(s, x):
    """Return s x of a spatial vector."""
    return scale(s, x[0]), scale(s, x[1])


@inlined
def crossed(x, y):
    """Return x × y of motions."""
    return cross(x[0], y[0]), add(cross(x[0], y[1]), cross(x[1], y[0]))


@inlined
def crossed_force(x, f):
    """Return x ×* f of a motion and a force."""
    return add(cross(x[0], f[0]), cross(x[1], f[1])), cross(x[0], f[1])


@inlined
def dot6(x, y):
    """Return x·y of spatial vectors."""
    return dot(x[0], y[0]) + dot(x[1], y[1])


@inlined
def moved_out(R, p, x):
    """Return X x of a motion: from a frame to one at p, turned by R."""
    return turn_back(R, x[0]), turn_back(R, add(x[1], cross(x[0], p)))


@inlined
def moved_in(R, p, f):
    """Return Xᵀ f of a force."""
    t, h = turn(R, f[0]), turn(R, f[1])
    return add(t, cross(p, h)), h


@inlined
def at_origin(p, f):
    """Return a force at p about the origin."""
    return add(f[0], cross(p, f[1])), f[1]


@inlined
def against(J, r):
    """Return Nᵀr of N x = x × J."""
    return add(cross(J[0], r[0]), cross(J[1], r[1])), cross(J[0], r[1])


@inlined
def gathered(a, i, first, x):
    """Return Σ x_k a[i, first + 6 k ...] of three columns."""
    total = plus(times(x[0], six(a, i, first)), times(x[1], six(a, i, first + 6)))
    return plus(total, times(x[2], six(a, i, first + 12)))


@inlined
def felt_by(a, i, x):
    """Return (Bᵀx, Dᵀx) of row i of `bodies` or `sites`."""
    V = (
        (dot6(six(a, i, 0), x), dot6(six(a, i, 6), x), dot6(six(a, i, 12), x)),
        (dot6(six(a, i, 18), x), dot6(six(a, i, 24), x), dot6(six(a, i, 30), x)),
    )
    return V, (dot6(six(a, i, 36), x), dot6(six(a, i, 42), x), dot6(six(a, i, 48), x))


@inlined
def answered(P, a, i, V, A):
    """Return I δĀ + B δV."""
    f = inertia_times(P, A[0], A[1])
    f = plus(f, gathered(a, i, 0, V[0]))
    return plus(f, gathered(a, i, 18, V[1]))


@inlined
def unit_motion(k):
    """Return unit motion k."""
    if k < 3:
        return AXES[k], ZERO3
    return ZERO3, AXES[k - 3]
