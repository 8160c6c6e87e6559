"""Every kernel of rotations has the slope by complex step that analysis gives, also at zero rotation.

The analytic slopes are written with matrix exponentials, the rules of quaternions and the product rule, and
share no code with the kernels. Tolerance and reason: `check_slope`.
"""

from __future__ import annotations

import mpmath
import numpy as np
import pytest
from spatial_helpers import (
    Cases,
    check_slope,
    elementary,
    exp_rotation,
    hamilton,
    hat,
    left_jacobian,
    left_jacobian_second_slope,
    left_jacobian_slope,
    public_kernels,
    writes,
)

from interstage.spatial import euler, quaternion, rotvec, vec3

pytestmark = pytest.mark.kernels

CASES = Cases()
case = CASES.add
AXES_USED = ((0, 1, 2), (2, 1, 0), (2, 0, 2), (1, 2, 1), (0, 2, 1))
ANGLES = [
    np.zeros(3),
    np.array([1e-9, -2e-9, 1e-9]),
    np.array([0.1, -0.05, 0.08]),
    np.array([0.6, 0.5, -0.62]),
]
ANGLES += [np.array([0.57735, 0.5774, 0.5773]), np.array([1.4, -0.3, 0.9]), np.array([-1.8, 1.7, 1.5])]


def add_vec3_cases():
    g = np.random.default_rng(20)
    a, b, A, B = g.normal(size=3), g.normal(size=3), g.normal(size=(3, 3)), g.normal(size=(3, 3))
    case("dot", lambda x, y: np.array(vec3.dot(x, y)), [a, b], lambda x, y, dx, dy: dx @ y + x @ dy)
    case("cross", writes(vec3.cross, 3), [a, b], lambda x, y, dx, dy: np.cross(dx, y) + np.cross(x, dy))
    case("skew", writes(vec3.skew, (3, 3)), [a], lambda x, dx: hat(dx))
    case("rotate", writes(vec3.rotate, 3), [A, b], lambda M, x, dM, dx: dM @ x + M @ dx)
    case("rotate_inverse", writes(vec3.rotate_inverse, 3), [A, b], lambda M, x, dM, dx: dM.T @ x + M.T @ dx)
    case("multiply", writes(vec3.multiply, (3, 3)), [A, B], lambda M, N, dM, dN: dM @ N + M @ dN)
    case(
        "multiply_inverse",
        writes(vec3.multiply_inverse, (3, 3)),
        [A, B],
        lambda M, N, dM, dN: dM.T @ N + M.T @ dN,
    )
    case(
        "congruence",
        writes(vec3.congruence, (3, 3)),
        [A, B],
        lambda M, N, dM, dN: dM @ N @ M.T + M @ dN @ M.T + M @ N @ dM.T,
    )


def inverse_slope(theta, d):
    J = np.linalg.inv(left_jacobian(theta))
    return -J @ left_jacobian_slope(theta, d) @ J


def bias_slope(theta, rate, d, drate):
    first = left_jacobian_slope(theta, drate) @ rate + left_jacobian_slope(theta, rate) @ drate
    return first + left_jacobian_second_slope(theta, rate, d) @ rate


def velocity_slope(theta, rate, d, drate):
    return left_jacobian_slope(theta, d) @ rate + left_jacobian(theta) @ drate


def axis_angle_slope(n, a, dn, da):
    S, dS = hat(n), hat(dn)
    dR = (np.cos(a) * S + np.sin(a) * S @ S) * da
    return dR + np.sin(a) * dS + (1 - np.cos(a)) * (dS @ S + S @ dS)


def add_rotvec_cases():
    rate = np.array([0.7, -1.1, 0.4])
    for n, t in enumerate(ANGLES):
        label = f"[{n}]"
        case(
            "rotvec_to_matrix",
            writes(rotvec.rotvec_to_matrix, (3, 3)),
            [t],
            lambda t, d: hat(left_jacobian(t) @ d) @ exp_rotation(t),
            label,
        )
        case("rotvec_jacobian", writes(rotvec.rotvec_jacobian, (3, 3)), [t], left_jacobian_slope, label)
        case(
            "rotvec_jacobian_inverse",
            writes(rotvec.rotvec_jacobian_inverse, (3, 3)),
            [t],
            inverse_slope,
            label,
        )
        case("rotvec_velocity", writes(rotvec.rotvec_velocity, 3), [t, rate], velocity_slope, label)
        case("rotvec_bias", writes(rotvec.rotvec_bias, 3), [t, rate], bias_slope, label)
    for angle in (0.0, 0.3, 3.0):
        case(
            "axis_angle_to_matrix",
            writes(rotvec.axis_angle_to_matrix, (3, 3)),
            [np.array([0.6, 0.0, -0.8]), angle],
            axis_angle_slope,
            f"[{angle}]",
        )
    for y, x in ((0.3, 1.0), (1.0, 0.0), (-0.4, -1.0), (0.0, -2.0), (0.0, 3.0)):
        case(
            "arctan2",
            lambda y, x: np.array(rotvec.arctan2(y[()], x[()])),
            [y, x],
            lambda y, x, dy, dx: (x * dy - y * dx) / (x * x + y * y),
            f"[{y},{x}]",
        )
    for x in (0.0, 1e-8, 0.3, 0.99, 1.01, 4.0, 9.0):
        case(
            "exp_coefficients",
            lambda x: np.array(rotvec.exp_coefficients(x[()])),
            [x],
            lambda x, dx: coefficient_slopes(x)[:2] * dx,
            f"[{x}]",
        )
        case(
            "jacobian_coefficients",
            lambda x: np.array(rotvec.jacobian_coefficients(x[()])),
            [x],
            lambda x, dx: coefficient_slopes(x)[1:] * dx,
            f"[{x}]",
        )


def coefficient_slopes(x):
    """Slopes of (a1, a2, a3, b2, b3) in x, summed from their series with thirty digits."""
    with mpmath.workdps(30):
        x = mpmath.mpf(float(x))

        def a(n, m):  # m-th derivative of Σ (−x)^k/(2k+n)!
            terms = (
                (-1) ** k * mpmath.ff(k, m) * x ** (k - m) / mpmath.factorial(2 * k + n) for k in range(m, 40)
            )
            return mpmath.fsum(terms)

        return np.array([float(v) for v in (a(1, 1), a(2, 1), a(3, 1), 2 * a(2, 2), 2 * a(3, 2))])


def body_rate(q, dq):
    """ω of the rotation q/|q| in body axes: the part of 2 q⁻¹ q̇ without scalar."""
    conjugate = q * [1, -1, -1, -1]
    return 2 * hamilton(conjugate, dq)[1:] / (q @ q)


def matrix_of(q):
    """R(q/|q|) column by column, q e q⁻¹."""
    conjugate = q * [1, -1, -1, -1] / (q @ q)
    return np.column_stack([hamilton(hamilton(q, np.r_[0, e]), conjugate)[1:] for e in np.eye(3)])


def pure(w):
    return np.r_[0.0, w]


def log_slope(q, dq):
    q_up = q if q[0] >= 0 else -q
    angle = 2 * np.arctan2(np.linalg.norm(q_up[1:]), q_up[0])
    length = np.linalg.norm(q_up[1:])
    theta = q_up[1:] * (angle / length if length > 1e-12 else 2.0)
    return np.linalg.solve(left_jacobian(theta), matrix_of(q) @ body_rate(q, dq))


def velocity_of_quaternion_slope(q, qdot, dq, dqdot):
    n = q @ q
    conjugate, dconjugate = q * [1, -1, -1, -1], dq * [1, -1, -1, -1]
    top = hamilton(conjugate, qdot)[1:]
    dtop = (hamilton(dconjugate, qdot) + hamilton(conjugate, dqdot))[1:]
    return 2 * dtop / n - 2 * top * 2 * (q @ dq) / n**2


def step_slope(q, t, dq, dt):
    half = exp_quaternion(t)
    return hamilton(dq, half) + hamilton(q, hamilton(0.5 * pure(left_jacobian(t) @ dt), half))


def exp_quaternion(t):
    angle = np.linalg.norm(t)
    return np.r_[np.cos(angle / 2), 0.5 * t * np.sinc(angle / 2 / np.pi)]


def add_quaternion_cases():
    g = np.random.default_rng(20)
    p, q = g.normal(size=4), np.array([0.5, -0.5, 0.7, 0.1])
    w, x = g.normal(size=3), g.normal(size=3)
    k = quaternion
    case(
        "quaternion_multiply",
        writes(k.quaternion_multiply, 4),
        [p, q],
        lambda p, q, dp, dq: hamilton(dp, q) + hamilton(p, dq),
    )
    case("quaternion_conjugate", writes(k.quaternion_conjugate, 4), [q], lambda q, dq: dq * [1, -1, -1, -1])
    case(
        "quaternion_normalize",
        writes(k.quaternion_normalize, 4),
        [q],
        lambda q, dq: (dq - q * (q @ dq) / (q @ q)) / np.sqrt(q @ q),
    )
    case(
        "quaternion_to_matrix",
        writes(k.quaternion_to_matrix, (3, 3)),
        [q],
        lambda q, dq: matrix_of(q) @ hat(body_rate(q, dq)),
    )
    case(
        "quaternion_rotate",
        writes(k.quaternion_rotate, 3),
        [q, x],
        lambda q, x, dq, dx: matrix_of(q) @ (np.cross(body_rate(q, dq), x) + dx),
    )
    case(
        "quaternion_rate",
        writes(k.quaternion_rate, 4),
        [q, w],
        lambda q, w, dq, dw: 0.5 * (hamilton(dq, pure(w)) + hamilton(q, pure(dw))),
    )
    case(
        "quaternion_rate_map",
        writes(k.quaternion_rate_map, (4, 3)),
        [q],
        lambda q, dq: np.column_stack([0.5 * hamilton(dq, pure(e)) for e in np.eye(3)]),
    )
    case("quaternion_velocity", writes(k.quaternion_velocity, 3), [q, p], velocity_of_quaternion_slope)
    for n, t in enumerate(ANGLES):
        case(
            "rotvec_to_quaternion",
            writes(k.rotvec_to_quaternion, 4),
            [t],
            lambda t, d: 0.5 * hamilton(pure(left_jacobian(t) @ d), exp_quaternion(t)),
            f"[{n}]",
        )
        case("quaternion_step", writes(k.quaternion_step, 4), [q, t], step_slope, f"[{n}]")
        for sign in (1, -1):
            case(
                "quaternion_to_rotvec",
                writes(k.quaternion_to_rotvec, 3),
                [sign * 1.3 * exp_quaternion(t)],
                log_slope,
                f"[{n},{sign}]",
            )


def add_tangent_cases():
    """Functions of a rotation matrix, along exp(s[ω]) R: off the rotations they may do as they like."""
    turns = [*ANGLES, *(3.1 * np.eye(3)), np.array([2.9, 0.9, 0.3]), np.array([-0.3, 1.1, 2.85])]
    for n, t in enumerate(turns):
        R = exp_rotation(t)
        q = exp_quaternion(t)

        def curve(w, R=R):
            return R + hat(w) @ R

        def quaternion_of(w, curve=curve):
            return writes(quaternion.matrix_to_quaternion, 4)(curve(w))

        def rotvec_of(w, curve=curve):
            return writes(quaternion.matrix_to_rotvec, 3)(curve(w))

        case(
            "matrix_to_quaternion",
            quaternion_of,
            [np.zeros(3)],
            lambda w, d, q=q: 0.5 * hamilton(pure(d), q) * np.sign(q[0]),
            f"[{n}]",
        )
        case(
            "matrix_to_rotvec",
            rotvec_of,
            [np.zeros(3)],
            lambda w, d, q=q: log_slope(q, 0.5 * hamilton(pure(d), q)),
            f"[{n}]",
        )


def euler_columns(axes, angles):
    """E column by column: axes of the three turns seen from the body."""
    i, j, k = axes
    Rj, Rk = elementary(j, angles[1]), elementary(k, angles[2])
    return np.column_stack([Rk.T @ Rj.T @ np.eye(3)[i], Rk.T @ np.eye(3)[j], np.eye(3)[k]])


def euler_matrix(axes, angles):
    return elementary(axes[0], angles[0]) @ elementary(axes[1], angles[1]) @ elementary(axes[2], angles[2])


def euler_map_slope(axes, angles, d):
    i, j, k = axes
    e = np.eye(3)
    Rj, Rk = elementary(j, angles[1]), elementary(k, angles[2])
    dRj, dRk = Rj @ hat(e[j]) * d[1], Rk @ hat(e[k]) * d[2]
    return np.column_stack([dRk.T @ Rj.T @ e[i] + Rk.T @ dRj.T @ e[i], dRk.T @ e[j], np.zeros(3)])


def add_euler_cases():
    angles = np.array([0.4, 0.9, -2.3])
    for axes in AXES_USED:
        i, j, k = axes

        def to_matrix(a, axes=axes):
            return writes(lambda a, R: euler.euler_to_matrix(*axes, a, R), (3, 3))(a)

        def rate_map(a, axes=axes):
            return writes(lambda a, E: euler.euler_rate_map(*axes, a, E), (3, 3))(a)

        def to_angles(w, axes=axes):
            R = euler_matrix(axes, angles)
            return writes(lambda R, out: euler.matrix_to_euler(*axes, R, out), 3)(R + R @ hat(w))

        for a in (angles, np.zeros(3)):
            label = f"[{i}{j}{k},{a[0]}]"
            case(
                "euler_to_matrix",
                to_matrix,
                [a],
                lambda a, d, x=axes: euler_matrix(x, a) @ hat(euler_columns(x, a) @ d),
                label,
            )
            case("euler_rate_map", rate_map, [a], lambda a, d, x=axes: euler_map_slope(x, a, d), label)
        case(
            "matrix_to_euler",
            to_angles,
            [np.zeros(3)],
            lambda w, d, x=axes: np.linalg.solve(euler_columns(x, angles), d),
            f"[{i}{j}{k}]",
        )


add_vec3_cases()
add_rotvec_cases()
add_quaternion_cases()
add_tangent_cases()
add_euler_cases()


@pytest.mark.parametrize("entry", CASES.entries, ids=CASES.names())
def test_complex_step_slope_is_the_analytic_one(entry):
    check_slope(entry)


def test_every_kernel_has_its_slope_checked():
    missing = public_kernels(vec3, rotvec, quaternion, euler) - CASES.covered()
    assert not missing, f"kernels without a case in this file: {sorted(missing)}"


def test_smallest_steps_pass_through_zero_rotation():
    """A step of 1e-200 squares to zero; slopes at zero rotation must not notice."""
    theta = 1j * 1e-200 * np.array([1.0, 2.0, -3.0])
    R, q, back = np.empty((3, 3), complex), np.empty(4, complex), np.empty(3, complex)
    rotvec.rotvec_to_matrix(theta, R)
    quaternion.rotvec_to_quaternion(theta, q)
    assert np.array_equal(R.imag / 1e-200, hat([1.0, 2.0, -3.0]))
    quaternion.matrix_to_rotvec(R, back)
    np.testing.assert_allclose(back.imag / 1e-200, [1, 2, -3], rtol=1e-15)
    quaternion.quaternion_to_rotvec(q, back)
    np.testing.assert_allclose(back.imag / 1e-200, [1, 2, -3], rtol=1e-15)
