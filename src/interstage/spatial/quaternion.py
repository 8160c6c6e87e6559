"""Work with unit quaternions, scalar first: q = [w, x, y, z] = [cos φ/2, n sin φ/2].

q_NB stands for the same rotation as R_NB, x_N = R_NB x_B, and products follow those of matrices:
q_NC = q_NB q_BC. Rotations of a quaternion whose length has drifted are those of q/|q|, so that R is
orthogonal for every q but zero, also along complex steps. Theory: docs/theory/spatial.md.
"""

from __future__ import annotations

import numpy as np

from interstage.jit import kernel
from interstage.spatial.rotvec import arctan2, exp_coefficients


@kernel
def quaternion_multiply(p, q, out):
    """Write the product p q (4,); `out` may be an input."""
    a, b, c, d = p[0], p[1], p[2], p[3]
    w, x, y, z = q[0], q[1], q[2], q[3]
    out[0] = a * w - b * x - c * y - d * z
    out[1] = a * x + b * w + c * z - d * y
    out[2] = a * y - b * z + c * w + d * x
    out[3] = a * z + b * y - c * x + d * w


@kernel
def quaternion_conjugate(q, out):
    """Write [w, −x, −y, −z], the inverse rotation; `out` may be q."""
    out[0] = q[0]
    out[1] = -q[1]
    out[2] = -q[2]
    out[3] = -q[3]


@kernel
def quaternion_normalize(q, out):
    """Write q/|q|; `out` may be q."""
    scale = 1.0 / np.sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3])
    for i in range(4):
        out[i] = scale * q[i]


@kernel
def quaternion_to_matrix(q, R):
    """Write R = I + (2/|q|²)(w [v] + [v]²) (3, 3), v = [x, y, z]."""
    w, x, y, z = q[0], q[1], q[2], q[3]
    s = 2.0 / (w * w + x * x + y * y + z * z)
    R[0, 0] = 1.0 - s * (y * y + z * z)
    R[1, 1] = 1.0 - s * (z * z + x * x)
    R[2, 2] = 1.0 - s * (x * x + y * y)
    R[0, 1] = s * (x * y - w * z)
    R[1, 0] = s * (x * y + w * z)
    R[0, 2] = s * (x * z + w * y)
    R[2, 0] = s * (x * z - w * y)
    R[1, 2] = s * (y * z - w * x)
    R[2, 1] = s * (y * z + w * x)


@kernel
def _four_products(R):
    """Return 4 q_m [w, x, y, z] of a rotation matrix with w >= 0, q_m the component that serves best.

    Four formulas are exact; the one whose divisor is largest is used (Shepperd, J. Guidance and
    Control 1, 1978, 223), so that no digits are lost at any angle.
    """
    a, b, c = R[0, 0], R[1, 1], R[2, 2]
    trace = a + b + c
    largest = max(trace.real, a.real, b.real, c.real)
    if largest == trace.real:
        w, x, y, z = 1.0 + trace, R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]
    elif largest == a.real:
        w, x, y, z = R[2, 1] - R[1, 2], 1.0 + a - b - c, R[0, 1] + R[1, 0], R[2, 0] + R[0, 2]
    elif largest == b.real:
        w, x, y, z = R[0, 2] - R[2, 0], R[0, 1] + R[1, 0], 1.0 + b - c - a, R[1, 2] + R[2, 1]
    else:
        w, x, y, z = R[1, 0] - R[0, 1], R[2, 0] + R[0, 2], R[1, 2] + R[2, 1], 1.0 + c - a - b
    if w.real < 0.0:
        return -w, -x, -y, -z
    return w, x, y, z


@kernel
def matrix_to_quaternion(R, q):
    """Write the unit quaternion (4,) of a rotation matrix, with w >= 0."""
    w, x, y, z = _four_products(R)
    scale = 1.0 / np.sqrt(w * w + x * x + y * y + z * z)
    q[0] = scale * w
    q[1] = scale * x
    q[2] = scale * y
    q[3] = scale * z


@kernel
def quaternion_rotate(q, x, out):
    """Write R(q) x (3,) without forming R; `out` may be x."""
    w, a, b, c = q[0], q[1], q[2], q[3]
    s = 2.0 / (w * w + a * a + b * b + c * c)
    x0, x1, x2 = x[0], x[1], x[2]
    t0 = w * x0 + b * x2 - c * x1
    t1 = w * x1 + c * x0 - a * x2
    t2 = w * x2 + a * x1 - b * x0
    out[0] = x0 + s * (b * t2 - c * t1)
    out[1] = x1 + s * (c * t0 - a * t2)
    out[2] = x2 + s * (a * t1 - b * t0)


@kernel
def quaternion_rate(q, w_B, qdot):
    """Write q̇ = ½ q [0; ω] (4,) of the angular velocity ω (3,) of B in N, in body axes B."""
    w, x, y, z = q[0], q[1], q[2], q[3]
    a, b, c = 0.5 * w_B[0], 0.5 * w_B[1], 0.5 * w_B[2]
    qdot[0] = -x * a - y * b - z * c
    qdot[1] = w * a + y * c - z * b
    qdot[2] = w * b + z * a - x * c
    qdot[3] = w * c + x * b - y * a


@kernel
def quaternion_rate_map(q, N):
    """Write the matrix N(q) (4, 3) with q̇ = N ω, ω in body axes."""
    w, x, y, z = 0.5 * q[0], 0.5 * q[1], 0.5 * q[2], 0.5 * q[3]
    N[0, 0] = -x
    N[0, 1] = -y
    N[0, 2] = -z
    N[1, 0] = w
    N[1, 1] = -z
    N[1, 2] = y
    N[2, 0] = z
    N[2, 1] = w
    N[2, 2] = -x
    N[3, 0] = -y
    N[3, 1] = x
    N[3, 2] = w


@kernel
def quaternion_velocity(q, qdot, w_B):
    """Write ω = 2 vec(q* q̇)/|q|² (3,) in body axes: the inverse of `quaternion_rate`."""
    w, x, y, z = q[0], q[1], q[2], q[3]
    s = 2.0 / (w * w + x * x + y * y + z * z)
    a, b, c, d = qdot[0], qdot[1], qdot[2], qdot[3]
    w_B[0] = s * (w * b - x * a - y * d + z * c)
    w_B[1] = s * (w * c - y * a - z * b + x * d)
    w_B[2] = s * (w * d - z * a - x * c + y * b)


@kernel
def rotvec_to_quaternion(theta, q):
    """Write q = [cos|θ|/2, θ sin(|θ|/2)/|θ|] (4,) of a rotation vector (3,), smooth through zero."""
    x = 0.25 * (theta[0] * theta[0] + theta[1] * theta[1] + theta[2] * theta[2])
    a1, a2 = exp_coefficients(x)
    q[0] = 1.0 - x * a2
    for i in range(3):
        q[i + 1] = 0.5 * a1 * theta[i]


@kernel
def _log_factor(w, s2):
    """Return f with θ = f v for a quaternion [w, v] of any length, w >= 0, s2 = v·v.

    f = (2/s) atan2(s, w), s = |v|; near zero the series (2/w)(1 − t/3 + t²/5 − …), t = s²/w².
    """
    if s2.real < 0.01 * (w * w).real:
        return 2.0 / w * _arctan_ratio(s2 / (w * w))
    s = np.sqrt(s2)
    return 2.0 / s * arctan2(s, w)


@kernel
def _arctan_ratio(t):
    """Return atan(√t)/√t for t < 0.01; the first term left out is below 1e-18."""
    s = 1.0 / 15.0 - t * (1.0 / 17.0)
    s = 1.0 / 13.0 - t * s
    s = 1.0 / 11.0 - t * s
    s = 1.0 / 9.0 - t * s
    s = 1.0 / 7.0 - t * s
    s = 1.0 / 5.0 - t * s
    s = 1.0 / 3.0 - t * s
    return 1.0 - t * s


@kernel
def quaternion_to_rotvec(q, theta):
    """Write the rotation vector (3,) of q/|q|, |θ| <= π, smooth through zero."""
    sign = 1.0
    if q[0].real < 0.0:
        sign = -1.0
    factor = sign * _log_factor(sign * q[0], q[1] * q[1] + q[2] * q[2] + q[3] * q[3])
    for i in range(3):
        theta[i] = factor * q[i + 1]


@kernel
def matrix_to_rotvec(R, theta):
    """Write θ = log R (3,), |θ| <= π, by way of the quaternion: accurate at zero, near π and at π."""
    w, x, y, z = _four_products(R)
    factor = _log_factor(w, x * x + y * y + z * z)
    theta[0] = factor * x
    theta[1] = factor * y
    theta[2] = factor * z


@kernel
def quaternion_step(q, dtheta_B, out):
    """Write q exp(δ) (4,): turn q by a rotation vector δ (3,) in body axes; `out` may be q."""
    square = 0.25 * (dtheta_B[0] * dtheta_B[0] + dtheta_B[1] * dtheta_B[1] + dtheta_B[2] * dtheta_B[2])
    a1, a2 = exp_coefficients(square)
    h = 1.0 - square * a2
    a, b, c = 0.5 * a1 * dtheta_B[0], 0.5 * a1 * dtheta_B[1], 0.5 * a1 * dtheta_B[2]
    w, x, y, z = q[0], q[1], q[2], q[3]
    out[0] = w * h - x * a - y * b - z * c
    out[1] = w * a + x * h + y * c - z * b
    out[2] = w * b - x * c + y * h + z * a
    out[3] = w * c + x * b - y * a + z * h
