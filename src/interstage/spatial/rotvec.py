"""Turn rotation vectors into matrices and rates, exactly and smoothly through zero.

A rotation vector θ turns by |θ| about θ/|θ|: R = exp([θ]×), x_A = R x_B. With x = θ·θ

    a1 = sin|θ|/|θ|        a2 = (1 − cos|θ|)/x      a3 = (1 − a1)/x
    b2 = (a1 − 2 a2)/x     b3 = (a2 − 3 a3)/x       (b2 = 2 da2/dx, b3 = 2 da3/dx)

    R    = I + a1 [θ] + a2 [θ]²
    J_l  = I + a2 [θ] + a3 [θ]²           ω = J_l θ̇   in the axes of A
    J_l⁻¹ = I − ½ [θ] − b2/(2 a2) [θ]²

All of them are entire functions of x, so that nothing special happens at zero. Below x = 1 they are
summed as power series: the closed forms of b2 and b3 lose digits there like 1/x, and the series needs
neither a root nor a trigonometric function. Theory: docs/theory/spatial.md.
"""

from __future__ import annotations

import numpy as np

from interstage.jit import kernel


@kernel
def arctan2(y, x):
    """Return the angle of (x, y) in (−π, π], for real arguments and for complex steps.

    atan2(y, x) = atan2(y', x') + atan(u), u = (y x' − x y')/(x x' + y y') with the real parts x', y'.
    u is zero for real arguments and of the size of the step for complex ones.
    """
    xr, yr = x.real, y.real
    scale = x * xr + y * yr
    if scale.real == 0.0:
        return 0.0 * scale
    u = (y * xr - x * yr) / scale
    return np.arctan2(yr, xr) + u * (1.0 - u * u / 3.0)


@kernel
def exp_coefficients(x):
    """Return (a1, a2) for x = θ·θ."""
    if x.real < 1.0:
        a2 = _series_a2(x)
        a3 = _series_a3(x)
        return 1.0 - x * a3, a2
    angle = np.sqrt(x)
    return np.sin(angle) / angle, (1.0 - np.cos(angle)) / x


@kernel
def jacobian_coefficients(x):
    """Return (a2, a3, b2, b3) for x = θ·θ."""
    if x.real < 1.0:
        return _series_a2(x), _series_a3(x), _series_b2(x), _series_b3(x)
    angle = np.sqrt(x)
    a1 = np.sin(angle) / angle
    a2 = (1.0 - np.cos(angle)) / x
    a3 = (1.0 - a1) / x
    return a2, a3, (a1 - 2.0 * a2) / x, (a2 - 3.0 * a3) / x


# Power series in x for 0 <= x < 1: a2 = Σ (−x)^k/(2k+2)!, a3 = Σ (−x)^k/(2k+3)!, and b = 2 da/dx term by
# term. In nested form each factor is a ratio of neighbouring terms. The first term left out is below 1e-18.
@kernel(forceinline=True)
def _nested(x, c1, c2, c3, c4, c5, c6, c7, c8):
    """Return 1 − c1 x (1 − c2 x (1 − …)), the last factor 1 − c8 x."""
    s = 1.0 - x * c8
    s = 1.0 - x * c7 * s
    s = 1.0 - x * c6 * s
    s = 1.0 - x * c5 * s
    s = 1.0 - x * c4 * s
    s = 1.0 - x * c3 * s
    s = 1.0 - x * c2 * s
    return 1.0 - x * c1 * s


@kernel
def _series_a2(x):
    return 0.5 * _nested(x, 1 / 12, 1 / 30, 1 / 56, 1 / 90, 1 / 132, 1 / 182, 1 / 240, 1 / 306)


@kernel
def _series_a3(x):
    return _nested(x, 1 / 20, 1 / 42, 1 / 72, 1 / 110, 1 / 156, 1 / 210, 1 / 272, 1 / 342) / 6.0


@kernel
def _series_b2(x):
    c5, c6, c7, c8 = 6 / 5 / 182, 7 / 6 / 240, 8 / 7 / 306, 9 / 8 / 380
    return -_nested(x, 2 / 30, 3 / 2 / 56, 4 / 3 / 90, 5 / 4 / 132, c5, c6, c7, c8) / 12.0


@kernel
def _series_b3(x):
    c5, c6, c7, c8 = 6 / 5 / 210, 7 / 6 / 272, 8 / 7 / 342, 9 / 8 / 420
    return -_nested(x, 2 / 42, 3 / 2 / 72, 4 / 3 / 110, 5 / 4 / 156, c5, c6, c7, c8) / 60.0


@kernel
def _polynomial_of_skew(theta, c1, c2, out):
    """Write I + c1 [θ] + c2 [θ]², where [θ]² = θθᵀ − θ·θ I."""
    x, y, z = theta[0], theta[1], theta[2]
    out[0, 0] = 1.0 - c2 * (y * y + z * z)
    out[1, 1] = 1.0 - c2 * (z * z + x * x)
    out[2, 2] = 1.0 - c2 * (x * x + y * y)
    out[0, 1] = c2 * x * y - c1 * z
    out[1, 0] = c2 * x * y + c1 * z
    out[0, 2] = c2 * x * z + c1 * y
    out[2, 0] = c2 * x * z - c1 * y
    out[1, 2] = c2 * y * z - c1 * x
    out[2, 1] = c2 * y * z + c1 * x


@kernel
def rotvec_to_matrix(theta, R):
    """Write R = exp([θ]×) (3, 3) of a rotation vector (3,), radians."""
    a1, a2 = exp_coefficients(theta[0] * theta[0] + theta[1] * theta[1] + theta[2] * theta[2])
    _polynomial_of_skew(theta, a1, a2, R)


@kernel
def rotvec_jacobian(theta, J):
    """Write the left Jacobian J_l(θ) (3, 3): ω = J_l θ̇ in the axes that θ turns from.

    The right Jacobian, ω in turned axes, is its transpose: J_r = J_l(−θ) = J_lᵀ.
    """
    a2, a3, _, _ = jacobian_coefficients(theta[0] * theta[0] + theta[1] * theta[1] + theta[2] * theta[2])
    _polynomial_of_skew(theta, a2, a3, J)


@kernel
def rotvec_jacobian_inverse(theta, J):
    """Write J_l(θ)⁻¹ (3, 3): θ̇ = J_l⁻¹ ω. It exists for |θ| < 2π."""
    a2, _, b2, _ = jacobian_coefficients(theta[0] * theta[0] + theta[1] * theta[1] + theta[2] * theta[2])
    _polynomial_of_skew(theta, -0.5, -0.5 * b2 / a2, J)


@kernel
def rotvec_velocity(theta, thetadot, w):
    """Write ω = J_l(θ) θ̇ = θ̇ + a2 θ×θ̇ + a3 θ×(θ×θ̇), without forming J_l; `w` is neither input."""
    x, y, z = theta[0], theta[1], theta[2]
    a2, a3, _, _ = jacobian_coefficients(x * x + y * y + z * z)
    cx = y * thetadot[2] - z * thetadot[1]
    cy = z * thetadot[0] - x * thetadot[2]
    cz = x * thetadot[1] - y * thetadot[0]
    w[0] = thetadot[0] + a2 * cx + a3 * (y * cz - z * cy)
    w[1] = thetadot[1] + a2 * cy + a3 * (z * cx - x * cz)
    w[2] = thetadot[2] + a2 * cz + a3 * (x * cy - y * cx)


@kernel
def rotvec_bias(theta, thetadot, out):
    """Write J̇_l θ̇, so that ω̇ = J_l θ̈ + J̇_l θ̇ in the axes that θ turns from; `out` is neither input.

    J̇_l θ̇ = b2 (θ·θ̇) θ×θ̇ + b3 (θ·θ̇) θ×(θ×θ̇) + a3 θ̇×(θ×θ̇)
    """
    x, y, z = theta[0], theta[1], theta[2]
    u, v, w = thetadot[0], thetadot[1], thetadot[2]
    _, a3, b2, b3 = jacobian_coefficients(x * x + y * y + z * z)
    s = x * u + y * v + z * w
    cx = y * w - z * v
    cy = z * u - x * w
    cz = x * v - y * u
    c = s * b2
    d = s * b3
    out[0] = c * cx + d * (y * cz - z * cy) + a3 * (v * cz - w * cy)
    out[1] = c * cy + d * (z * cx - x * cz) + a3 * (w * cx - u * cz)
    out[2] = c * cz + d * (x * cy - y * cx) + a3 * (u * cy - v * cx)


@kernel
def axis_angle_to_matrix(axis, angle, R):
    """Write R = I + sin φ [n] + 2 sin²(φ/2) [n]² of a unit axis n (3,) and an angle φ in radians."""
    half = np.sin(0.5 * angle)
    _polynomial_of_skew(axis, np.sin(angle), 2.0 * half * half, R)
