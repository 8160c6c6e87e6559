"""Spatial vectors as pairs of 3-vectors, angular half first; motions and forces from frame to frame.

They stand in rows of arrays, six numbers from a column on. Rows of answers hold B by columns, then D (`slopes`).
"""

from __future__ import annotations

from interstage.multibody.kernels.small import (
    ZERO3,
    add,
    cross,
    dot,
    inertia_times,
    inlined,
    scale,
    turn,
    turn_back,
)

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
