"""Identities of rotations hold to 1e-12 for random inputs; values agree with scipy and with thirty digits."""

from __future__ import annotations

import itertools

import mpmath
import numpy as np
import pytest
from hypothesis import given
from scipy.spatial.transform import Rotation as ScipyRotation
from spatial_helpers import hamilton, hat, left_jacobian_slope, numbers, quaternions, vectors
from spatial_helpers import left_jacobian as integral_jacobian

from interstage.spatial import euler, quaternion, rotvec, vec3
from interstage.spatial import functions as f

pytestmark = pytest.mark.kernels

TOLERANCE = 1e-12
SEQUENCES = ["".join(s) for s in itertools.product("xyz", repeat=3) if s[0] != s[1] and s[1] != s[2]]


def close(a, b, tolerance=TOLERANCE):
    return np.abs(np.asarray(a) - np.asarray(b)).max() <= tolerance


def scipy_quaternion(q):
    return ScipyRotation.from_quat(q[[1, 2, 3, 0]])


@given(vectors())
def test_exp_is_a_rotation_and_agrees_with_scipy(theta):
    R = f.matrix_from_rotvec(theta)
    assert close(R.T @ R, np.eye(3))
    assert abs(np.linalg.det(R) - 1) <= TOLERANCE
    assert close(R, ScipyRotation.from_rotvec(theta).as_matrix())


@given(vectors(low=-1.8, high=1.8))
def test_log_undoes_exp_within_half_a_turn(theta):
    """|θ| < π here (√3 · 1.8 = 3.118), so that the logarithm is the vector itself."""
    assert close(f.rotvec_from_matrix(f.matrix_from_rotvec(theta)), theta)
    assert close(f.rotvec_from_quaternion(f.quaternion_from_rotvec(theta)), theta)


@pytest.mark.parametrize("gap", [0.0, 1e-16, 1e-12, 1e-9, 1e-7, 1e-4, 1e-2])
@given(axis=vectors().filter(lambda n: n @ n > 1e-2))
def test_log_keeps_its_digits_near_half_a_turn(gap, axis):
    theta = axis / np.linalg.norm(axis) * (np.pi - gap)
    back = f.rotvec_from_matrix(f.matrix_from_rotvec(theta))
    # at half a turn θ and −θ are the same rotation
    assert close(back, theta) or (gap < 1e-14 and close(back, -theta))


@pytest.mark.parametrize("size", [0.0, 1e-300, 1e-160, 1e-20, 1e-9, 1e-5, 1e-3, 0.1])
def test_log_keeps_relative_digits_near_zero(size):
    theta = size * np.array([0.6, -0.48, 0.64])
    for back in (
        f.rotvec_from_matrix(f.matrix_from_rotvec(theta)),
        f.rotvec_from_quaternion(f.quaternion_from_rotvec(theta)),
    ):
        np.testing.assert_allclose(back, theta, rtol=1e-15, atol=0)


@pytest.mark.parametrize("x", [0.0, 1e-12, 1e-3, 0.04, 0.5, 0.999999, 1.0, 1.000001, 3.0, 9.8, 30.0])
def test_coefficients_have_all_their_digits(x):
    """Against thirty-digit sums of their series; 4e-16 absolute is two units in the last place of one."""
    a1, a2 = rotvec.exp_coefficients(x)
    jacobian = rotvec.jacobian_coefficients(x)
    with mpmath.workdps(40):

        def a(n, m=0):
            return mpmath.fsum(
                (-1) ** k * mpmath.ff(k, m) * mpmath.mpf(x) ** (k - m) / mpmath.factorial(2 * k + n)
                for k in range(m, 60)
            )

        exact = [float(v) for v in (a(1), a(2), a(2), a(3), 2 * a(2, 1), 2 * a(3, 1))]
    np.testing.assert_allclose([a1, a2, *jacobian], exact, rtol=0, atol=4e-16)


@given(vectors())
def test_left_jacobian_is_the_slope_of_exp(theta):
    """R(θ + s d) Rᵀ has spin J_l d (central difference of sixth order: its own error is below 1e-9)."""
    J = f.left_jacobian(theta)
    assert close(J, integral_jacobian(theta))
    assert close(J.T, f.left_jacobian(-theta))
    assert close(f.matrix_from_rotvec(theta), J @ np.linalg.inv(J.T), 1e-9) or abs(np.linalg.det(J)) < 1e-2
    d = np.array([0.3, -0.2, 0.5])
    h = 1e-2
    slope = sum(
        c * (f.matrix_from_rotvec(theta + n * h * d) - f.matrix_from_rotvec(theta - n * h * d))
        for n, c in ((1, 45), (2, -9), (3, 1))
    ) / (60 * h)
    assert close(slope @ f.matrix_from_rotvec(theta).T, hat(J @ d), 1e-9)


@given(vectors(), vectors())
def test_jacobian_inverse_velocity_and_bias(theta, rate):
    J = f.left_jacobian(theta)
    assert close(f.left_jacobian_inverse(theta) @ J, np.eye(3), 1e-12 / min(1.0, abs(np.linalg.det(J))))
    w = np.empty(3)
    rotvec.rotvec_velocity(theta, rate, w)
    assert close(w, J @ rate, 1e-12 * max(1, rate @ rate))
    bias = f.left_jacobian_bias(theta, rate)
    assert close(bias, left_jacobian_slope(theta, rate) @ rate, 1e-12 * max(1, rate @ rate))


def test_bias_at_zero_has_its_published_limits():
    """b2 → −1/12, b3 → −1/60, a3 → 1/6: J̇_l θ̇ = θ̇×(θ×θ̇)/6 to first order in θ."""
    a2, a3, b2, b3 = rotvec.jacobian_coefficients(0.0)
    assert (a2, a3, b2, b3) == (1 / 2, 1 / 6, -1 / 12, -1 / 60)


@given(quaternions(), quaternions(), vectors())
def test_quaternions_and_matrices_are_the_same_group(p, q, x):
    P, Q = f.matrix_from_quaternion(p), f.matrix_from_quaternion(q)
    assert close(Q, scipy_quaternion(q).as_matrix())
    assert close(f.quaternion_product(p, q), hamilton(p, q))
    assert close(f.matrix_from_quaternion(f.quaternion_product(p, q)), P @ Q)
    out = np.empty(3)
    quaternion.quaternion_rotate(q, x, out)
    assert close(out, Q @ x, 1e-12 * 10)
    inverse = np.empty(4)
    quaternion.quaternion_conjugate(q, inverse)
    assert close(f.matrix_from_quaternion(inverse), Q.T)
    back = f.quaternion_from_matrix(Q)
    assert close(back, q if q[0] >= 0 else -q) or (abs(q[0]) < 1e-12 and close(np.abs(back), np.abs(q)))
    assert close(f.matrix_from_quaternion(2.5 * q), Q)


@given(vectors())
def test_rotvec_quaternion_matrix_agree(theta):
    q = f.quaternion_from_rotvec(theta)
    assert abs(q @ q - 1) <= TOLERANCE
    assert close(f.matrix_from_quaternion(q), f.matrix_from_rotvec(theta))
    assert close(f.matrix_from_rotvec(f.rotvec_from_quaternion(q)), f.matrix_from_rotvec(theta))


@given(quaternions(), vectors())
def test_quaternion_rate_is_half_q_omega(q, w):
    qdot, back, N = np.empty(4), np.empty(3), np.empty((4, 3))
    quaternion.quaternion_rate(q, w, qdot)
    assert close(qdot, 0.5 * hamilton(q, np.r_[0, w]))
    quaternion.quaternion_rate_map(q, N)
    assert close(N @ w, qdot)
    assert abs(q @ qdot) <= TOLERANCE
    quaternion.quaternion_velocity(q, qdot, back)
    assert close(back, w)


@given(quaternions(), vectors())
def test_quaternion_step_turns_in_body_axes(q, delta):
    out = np.empty(4)
    quaternion.quaternion_step(q, delta, out)
    assert close(f.matrix_from_quaternion(out), f.matrix_from_quaternion(q) @ f.matrix_from_rotvec(delta))


def test_constant_spin_is_integrated_exactly_by_steps():
    """A thousand steps about a fixed body axis end where one turn by the whole angle ends."""
    q = np.array([1.0, 0.0, 0.0, 0.0])
    w = np.array([0.2, -0.7, 1.1])
    for _ in range(1000):
        quaternion.quaternion_step(q, 1e-2 * w, q)
    quaternion.quaternion_normalize(q, q)
    assert close(f.matrix_from_quaternion(q), f.matrix_from_rotvec(10 * w))


@given(vectors(low=-1.4, high=1.4))
def test_euler_angles_round_trip_in_all_twelve_sequences(angles):
    for sequence in SEQUENCES:
        a = angles.copy()
        if sequence[0] == sequence[2]:
            a[1] = abs(a[1])
        R = f.matrix_from_euler(sequence, a)
        assert close(R, ScipyRotation.from_euler(sequence.upper(), a).as_matrix())
        back = f.euler_from_matrix(sequence, R)
        assert close(f.matrix_from_euler(sequence, back), R)
        sine = np.sin(a[1]) if sequence[0] == sequence[2] else np.cos(a[1])
        if abs(sine) > 0.1:
            assert close(back, a, 1e-13 / sine**2)


@pytest.mark.parametrize("sequence", SEQUENCES)
@pytest.mark.parametrize("off", [0.0, 1e-15, 1e-12, 1e-8, 1e-5])
def test_euler_angles_at_gimbal_lock_still_give_the_rotation(sequence, off):
    middles = (off, np.pi - off) if sequence[0] == sequence[2] else (np.pi / 2 - off, off - np.pi / 2)
    for middle in middles:
        R = f.matrix_from_euler(sequence, [0.7, middle, -1.9])
        assert close(f.matrix_from_euler(sequence, f.euler_from_matrix(sequence, R)), R, 3e-14)


@given(vectors(), vectors())
def test_euler_rates_give_the_spin_of_the_body(angles, rates):
    """RᵀṘ = [E ȧ], Ṙ by complex step."""
    for sequence in ("xyz", "zyx", "zxz", "yzy"):
        E = np.empty((3, 3))
        euler.euler_rate_map(*f.euler_axes(sequence), angles, E)
        R = f.matrix_from_euler(sequence, angles + 1e-40j * rates)
        assert close(R.real.T @ R.imag / 1e-40, hat(E @ rates), 1e-12 * 10)


@given(vectors().filter(lambda n: n @ n > 1e-2), numbers())
def test_axis_and_angle(axis, angle):
    n = axis / np.linalg.norm(axis)
    assert close(f.matrix_from_axis_angle(n, angle), f.matrix_from_rotvec(angle * n))


@given(vectors(9), vectors(9), vectors(), vectors())
def test_small_products(A, B, a, b):
    A, B = A.reshape(3, 3), B.reshape(3, 3)
    for kernel, left, right, expected in (
        (vec3.cross, a, b, np.cross(a, b)),
        (vec3.rotate, A, b, A @ b),
        (vec3.rotate_inverse, A, b, A.T @ b),
        (vec3.multiply, A, B, A @ B),
        (vec3.multiply_inverse, A, B, A.T @ B),
        (vec3.congruence, A, B, A @ B @ A.T),
    ):
        out = np.empty_like(expected)
        kernel(left, right, out)
        assert close(out, expected, 1e-12 * 100)
    assert close(f.skew_matrix(a) @ b, np.cross(a, b), 1e-12 * 10)
    assert abs(vec3.dot(a, b) - a @ b) <= 1e-12 * 10


def test_vector_outputs_may_be_inputs():
    R, x = f.matrix_from_rotvec([0.3, 0.2, 0.1]), np.array([1.0, 2.0, 3.0])
    for kernel, expected in ((vec3.rotate, R @ x), (vec3.rotate_inverse, R.T @ x)):
        y = x.copy()
        kernel(R, y, y)
        assert close(y, expected)
