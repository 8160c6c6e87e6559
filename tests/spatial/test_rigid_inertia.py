"""Rigid inertia: round trips to 1e-12, kinetic energy the same in every frame, each broken rule named."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from spatial_helpers import bodies, hat, point_cloud, vectors

from interstage.errors import InertiaError, InputError
from interstage.spatial import RigidInertia, Rotation
from interstage.spatial import functions as f
from interstage.spatial import inertia_kernels as k

pytestmark = pytest.mark.kernels

# inputs are of order 1 to 10, spatial inertias of order 100
TOLERANCE = 1e-12


def assert_same(a: RigidInertia, b: RigidInertia):
    assert a.is_close(b, TOLERANCE)


@given(bodies(), vectors(), vectors())
def test_shift_and_rotate_round_trip(body, theta, p):
    B = RigidInertia(*body)
    R = Rotation.from_rotation_vector(theta)
    assert_same(B.shift(p).shift(-p), B)
    assert_same(B.rotate(R).rotate(R.inverse), B)
    A = B.transform(R, p)
    assert_same(A.transform(R.inverse, -R.inverse.apply(p)), B)
    np.testing.assert_allclose(A.com, p + R.apply(B.com), atol=1e-12)
    A.check()


@given(bodies(), bodies())
def test_add_then_remove_is_where_we_were(one, two):
    A, B = RigidInertia(*one), RigidInertia(*two)
    assert_same((A + B) - B, A)
    assert_same((A + B) - A, B)
    assert_same(A + B, B + A)
    np.testing.assert_allclose((A + B).matrix(), A.matrix() + B.matrix(), atol=1e-12 * 100)


def test_sum_is_that_of_all_points():
    """Two clouds of points together, against the definition over all points."""
    g = np.random.default_rng(3)
    m, x = g.uniform(0.1, 1, 12), g.normal(size=(12, 3))
    whole = RigidInertia(*point_cloud(m, x))
    parts = RigidInertia(*point_cloud(m[:5], x[:5])) + RigidInertia(*point_cloud(m[5:], x[5:]))
    assert_same(whole, parts)
    points = RigidInertia.point(m[0], x[0])
    for mi, xi in zip(m[1:], x[1:]):
        points = points + RigidInertia.point(mi, xi)
    assert_same(whole, points)


@given(bodies(), vectors(), vectors(), vectors(6))
def test_kinetic_energy_is_the_same_in_both_frames(body, theta, p, V_B):
    R = f.matrix_from_rotvec(theta)
    B = RigidInertia(*body)
    V_A = f.motion_transform(R, p) @ V_B
    T_B, T_A = V_B @ B.matrix() @ V_B, V_A @ B.transform(R, p).matrix() @ V_A
    scale = np.abs(V_A) @ np.abs(B.transform(R, p).matrix()) @ np.abs(V_A)
    assert abs(T_A - T_B) <= 1e-12 * max(1.0, scale)


@given(bodies(), vectors(6))
def test_energy_and_momentum_from_the_definition(body, V):
    """T = ½ m |v_cm|² + ½ ω·I ω; l = m v_cm; h = I ω + p×l."""
    m, com, I = body
    w, v = V[:3], V[3:]
    v_com = v + np.cross(w, com)
    out = np.empty(6)
    k.inertia_momentum(m, com, I, V, out)
    np.testing.assert_allclose(out, np.r_[I @ w + np.cross(com, m * v_com), m * v_com], atol=1e-11)
    np.testing.assert_allclose(RigidInertia(*body).matrix() @ V, out, atol=1e-11)
    assert abs(0.5 * V @ out - 0.5 * (m * v_com @ v_com + w @ I @ w)) <= 1e-12 * max(1.0, abs(V @ out) * 10)


@given(bodies(), vectors(), vectors())
def test_spatial_inertia_transforms_like_the_record(body, theta, p):
    R, B = f.matrix_from_rotvec(theta), RigidInertia(*body)
    out = np.empty((6, 6))
    k.transform_inertia(R, p, B.matrix(), out)
    np.testing.assert_allclose(out, B.transform(R, p).matrix(), atol=1e-12 * 100)
    X = f.force_transform(R, p)
    np.testing.assert_allclose(out, X @ B.matrix() @ X.T, atol=1e-12 * 100)
    assert_same(RigidInertia.from_matrix(out), B.transform(R, p))


def test_any_symmetric_inertia_transforms():
    """An articulated inertia has three blocks without structure."""
    g = np.random.default_rng(5)
    M = g.normal(size=(6, 6))
    M = M + M.T
    R, p, out = f.matrix_from_rotvec(g.normal(size=3)), g.normal(size=3), np.empty((6, 6))
    k.transform_inertia(R, p, M, out)
    X = f.force_transform(R, p)
    np.testing.assert_allclose(out, X @ M @ X.T, atol=1e-13)
    np.testing.assert_array_equal(out, out.T)


@given(bodies(), vectors())
def test_inertia_about_a_point_and_back(body, point):
    B = RigidInertia(*body)
    J = B.about(point)
    d = B.com - point
    np.testing.assert_allclose(J, B.inertia - B.mass * hat(d) @ hat(d), atol=1e-12 * 100)
    assert_same(RigidInertia.from_about_point(B.mass, B.com, J, point), B)


def test_published_cuboid_and_rod():
    """Textbook: cuboid m/12 (b²+c²); rod about its end mL²/3."""
    cuboid = RigidInertia(12.0, [0, 0, 0], np.diag([2**2 + 3**2, 3**2 + 1**2, 1**2 + 2**2]))
    halves = [RigidInertia(6.0, [s * 0.25, 0, 0], 0.5 * np.diag([13, 9 + 0.25, 0.25 + 4])) for s in (-1, 1)]
    assert_same(halves[0] + halves[1], cuboid)
    rod = RigidInertia(3.0, [1.0, 0, 0], np.diag([0, 1.0, 1.0]))
    np.testing.assert_allclose(rod.about([0, 0, 0]), np.diag([0, 4.0, 4.0]), atol=1e-15)


@given(bodies())
def test_principal_axes_diagonalize(body):
    B = RigidInertia(*body)
    moments, A = B.principal()
    np.testing.assert_allclose(A @ np.diag(moments) @ A.T, B.inertia, atol=1e-12)
    np.testing.assert_allclose(A.T @ A, np.eye(3), atol=1e-12)
    assert np.linalg.det(A) > 0 and np.all(np.diff(moments) >= 0)
    np.testing.assert_allclose(moments, np.linalg.eigvalsh(B.inertia), atol=1e-12)


@pytest.mark.parametrize(
    "I", [np.zeros((3, 3)), np.eye(3), np.ones((3, 3)), np.diag([2.0, 1, 1]), 1e-200 * np.eye(3)]
)
def test_principal_axes_of_repeated_moments(I):
    moments, A = RigidInertia(1.0, np.zeros(3), I).principal()
    np.testing.assert_allclose(A @ np.diag(moments) @ A.T, I, atol=1e-14)
    np.testing.assert_allclose(A.T @ A, np.eye(3), atol=1e-14)


def test_slopes_pass_through_the_record():
    """d/ds of a sum along s, by complex step and from m com = Σ m com."""
    h = 1e-40
    A, B = RigidInertia(2.0, [1.0, 0, 0], np.eye(3)), RigidInertia(3.0, [0, 1j * h, 0], np.eye(3))
    np.testing.assert_allclose((A + B).com.imag / h, [0, 3 / 5, 0], atol=1e-15)
    np.testing.assert_allclose((A + B - A).com.imag / h, [0, 1, 0], atol=1e-15)
    assert (A + B).check() is not None


GOOD = np.diag([1.0, 1.2, 1.5])


@pytest.mark.parametrize(
    "mass, com, inertia, sentence",
    [
        (0.0, [0, 0, 0], GOOD, r"mass is not positive \(body 'bus'\); expected mass > 0, got 0"),
        (-2.0, [0, 0, 0], GOOD, "mass is not positive.*got -2"),
        (1.0, [0, 0, 0], GOOD + 0.1 * np.eye(3, k=1), "not symmetric .*expected Ixy = Iyx, got 0.1 and 0"),
        (1.0, [0, 0, 0], np.diag([-1.0, 1.2, 1.5]), "not positive.*principal moments >= 0.*got -1, 1.2, 1.5"),
        (1.0, [0, 0, 0], np.diag([1.0, 1.2, 3.5]), "triangle inequality.*got 3.5 > 1 \\+ 1.2"),
    ],
)
def test_check_names_the_broken_rule_with_its_numbers(mass, com, inertia, sentence):
    with pytest.raises(InertiaError, match=sentence):
        RigidInertia(mass, com, inertia).check(where="body 'bus'")


def test_a_rule_broken_in_other_axes_is_found():
    R = Rotation.from_euler("xyz", [0.3, 0.5, 0.9])
    with pytest.raises(InertiaError, match="triangle"):
        RigidInertia(1.0, np.zeros(3), np.diag([1.0, 1.2, 3.5])).rotate(R).check()


def test_only_rotations_turn_a_body():
    with pytest.raises(InputError, match="not a rotation"):
        RigidInertia(1.0, np.zeros(3), GOOD).rotate(2 * np.eye(3))


def test_check_passes_bodies_at_the_edge():
    """A point, a rod, a flat plate, and a plate printed with seven digits."""
    RigidInertia.point(2.0).check()
    RigidInertia(1.0, np.zeros(3), np.diag([0.0, 1, 1])).check()
    RigidInertia(1.0, np.zeros(3), np.diag([1 / 3, 2 / 3, 1.0])).check()
    RigidInertia(1.0, np.zeros(3), np.diag([0.3333333, 0.6666667, 1.0000003])).check()
    with pytest.raises(InertiaError, match=r"not positive definite.*> 0"):
        RigidInertia.point(2.0).check(definite=True)


@pytest.mark.parametrize(
    "make, sentence",
    [
        (lambda: RigidInertia(np.nan, [0, 0, 0], GOOD), r"not finite \(mass\)"),
        (lambda: RigidInertia(1.0, [0, np.inf, 0], GOOD), r"not finite \(centre of mass\)"),
        (lambda: RigidInertia(1.0, [0, 0, 0], GOOD * np.nan), r"not finite \(inertia\)"),
        (lambda: RigidInertia(1.0, [0, 0], GOOD), r"wrong shape \(centre of mass\).*3 finite numbers"),
        (lambda: RigidInertia(1.0, [0, 0, 0], [1, 2, 3]), r"wrong shape \(inertia\); expected 3 x 3"),
        (lambda: RigidInertia("heavy", [0, 0, 0], GOOD), "not an array of numbers.*'heavy'"),
        (lambda: RigidInertia.point(1.0) - RigidInertia.point(2.0), "leave some mass.*lighter than 1, got 2"),
        (lambda: RigidInertia.point(0.0) + RigidInertia.point(0.0), "no common centre of mass"),
        (lambda: RigidInertia.from_matrix(np.diag([1.0, 1, 1, 1, 2, 3])), "not the spatial inertia"),
        (lambda: RigidInertia.from_matrix(np.zeros((6, 6))), "without mass"),
    ],
)
def test_wrong_input_is_answered_in_a_sentence(make, sentence):
    with pytest.raises(InertiaError, match=sentence):
        make()
    assert issubclass(InertiaError, InputError)


def test_a_printed_body_shows_its_numbers_line_by_line():
    lines = str(RigidInertia(2.0, [0.5, 0, 0], np.diag([1.0, 2.0, 3.0]))).splitlines()
    assert [float(line.split()[-1]) for line in lines] == [2.0, 0.0, 0.0, 0.0, 3.0]
    assert lines[1].split()[3:] == ["0.5", "0", "0"]
