"""Kernels of gravity and of places on an ellipsoid, for real and complex numbers.

Central body with oblateness, r from its centre, p̂ its pole, u = r·p̂/r (Vallado, Astrodynamics, 2013, 8.6):

    g = -μ/r³ r - (3/2) J2 μ R²/r⁵ [ (1 - 5u²) r + 2 (r·p̂) p̂ ]

and its gradient G = ∂g/∂r, which turns a body of inertia I about its centre of mass by τ = -Σ e_i ε_ijk (G I)_kj (for a
central field 3μ/r³ r̂ × I r̂, Hughes, Spacecraft Attitude Dynamics, 1986, 8.1).
"""

from __future__ import annotations

import numpy as np

from interstage.jit import kernel
from interstage.spatial.rotvec import arctan2


@kernel
def dot3(a, b):
    """Return a·b of tuples or arrays of three."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@kernel
def cross3(a, b):
    """Return a×b of tuples or arrays of three, a tuple."""
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


@kernel
def turned(q, x):
    """Return R(q) x, a tuple, of a unit quaternion, scalar first."""
    v = (q[1], q[2], q[3])
    c = cross3(v, x)
    e = cross3(v, c)
    return (
        x[0] + 2.0 * (q[0] * c[0] + e[0]),
        x[1] + 2.0 * (q[0] * c[1] + e[1]),
        x[2] + 2.0 * (q[0] * c[2] + e[2]),
    )


@kernel
def turned_back(q, x):
    """Return R(q)ᵀ x, a tuple."""
    return turned((q[0], -q[1], -q[2], -q[3]), x)


@kernel
def oblate_gravity(mu, radius, J2, pole, r):
    """Return g (3,) at r from the centre, m/s²; see the module."""
    square = dot3(r, r)
    size = np.sqrt(square)
    along = dot3(r, pole)
    k = -mu / (square * size)
    b = 1.5 * J2 * radius * radius / square
    a = 1.0 + b * (1.0 - 5.0 * along * along / square)
    c = 2.0 * b * along
    return k * (a * r[0] + c * pole[0]), k * (a * r[1] + c * pole[1]), k * (a * r[2] + c * pole[2])


@kernel
def oblate_gradient(mu, radius, J2, pole, r):
    """Return the coefficients (e, rr, rp, pp) of G = e 1 + rr r̂r̂ᵀ + rp (r̂p̂ᵀ + p̂r̂ᵀ) + pp p̂p̂ᵀ, 1/s².

    With n = μ/r³, b = (3/2) J2 R²/r², u = r̂·p̂:
    e = -n [1 + b(1 - 5u²)],  rr = n [3 + 5b(1 - 7u²)],  rp = 10 n b u,  pp = -2 n b
    """
    square = dot3(r, r)
    size = np.sqrt(square)
    n, b, u = mu / (square * size), 1.5 * J2 * radius * radius / square, dot3(r, pole) / size
    e = -n * (1.0 + b * (1.0 - 5.0 * u * u))
    return e, n * (3.0 + 5.0 * b * (1.0 - 7.0 * u * u)), 10.0 * n * b * u, -2.0 * n * b


@kernel
def gradient_torque(coefficients, a, p, I):
    """Return the torque (3,) of a field gradient on a body, all in body axes: a = r̂, p = p̂, inertia I (3, 3).

    ∫ x × G x dm = rr a×Ia + rp (a×Ip + p×Ia) + pp p×Ip: the part e 1 turns nothing, and I stands for -∫ x xᵀ dm.
    """
    _, rr, rp, pp = coefficients
    Ia = (dot3(I[0], a), dot3(I[1], a), dot3(I[2], a))
    Ip = (dot3(I[0], p), dot3(I[1], p), dot3(I[2], p))
    x, y, z, w = cross3(a, Ia), cross3(a, Ip), cross3(p, Ia), cross3(p, Ip)
    return (
        rr * x[0] + rp * (y[0] + z[0]) + pp * w[0],
        rr * x[1] + rp * (y[1] + z[1]) + pp * w[1],
        rr * x[2] + rp * (y[2] + z[2]) + pp * w[2],
    )


@kernel
def geodetic(radius, flattening, x, y, z):
    """Return sine and cosine of latitude, longitude (rad) and height (m) of a place in axes of the ellipsoid.

    Bowring's iteration (Survey Review 181, 1976) on the parametric latitude, sines and cosines alone; from the
    surface to 100 radii three rounds leave less than 1e-12 rad.
    """
    e2 = flattening * (2.0 - flattening)
    short = 1.0 - flattening
    rho = np.sqrt(x * x + y * y)
    s, c = z, short * rho  # of the parametric latitude, of any length
    for _ in range(3):
        size = np.sqrt(s * s + c * c)
        s, c = s / size, c / size
        up, out = z + e2 / short * radius * s * s * s, rho - e2 * radius * c * c * c
        s, c = short * up, out
    size = np.sqrt(up * up + out * out)
    sine, cosine = up / size, out / size
    height = rho * cosine + z * sine - radius * np.sqrt(1.0 - e2 * sine * sine)
    return sine, cosine, arctan2(y, x), height
