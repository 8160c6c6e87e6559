"""Spatial transforms keep power and structure; matrices and allocation-free forms agree."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from spatial_helpers import vectors

from interstage.spatial import functions as f
from interstage.spatial import motion

pytestmark = pytest.mark.kernels

# entries of products of these inputs reach 100: 1e-12 relative to that
TOLERANCE = 1e-10


def written(kernel, *args):
    out = np.empty(6)
    kernel(*args, out)
    return out


@given(vectors(), vectors(), vectors(6), vectors(6))
def test_power_is_the_same_in_both_frames(theta, p, V, F):
    R = f.matrix_from_rotvec(theta)
    V_A, F_A = written(motion.transform_motion, R, p, V), written(motion.transform_force, R, p, F)
    assert abs(V_A @ F_A - V @ F) <= 1e-12 * max(1.0, np.linalg.norm(V_A) * np.linalg.norm(F_A))


@given(vectors(), vectors(), vectors(6))
def test_functions_matrices_and_inverses_agree(theta, p, V):
    R = f.matrix_from_rotvec(theta)
    X, Y = f.motion_transform(R, p), f.force_transform(R, p)
    np.testing.assert_allclose(written(motion.transform_motion, R, p, V), X @ V, atol=TOLERANCE)
    np.testing.assert_allclose(written(motion.transform_force, R, p, V), Y @ V, atol=TOLERANCE)
    np.testing.assert_allclose(X.T @ Y, np.eye(6), atol=TOLERANCE)
    np.testing.assert_allclose(written(motion.transform_motion_inverse, R, p, X @ V), V, atol=TOLERANCE)
    np.testing.assert_allclose(written(motion.transform_force_inverse, R, p, Y @ V), V, atol=TOLERANCE)


@given(vectors(), vectors(), vectors(), vectors())
def test_transforms_compose_like_frames(theta_AB, p_AB, theta_BC, p_BC):
    R_AB, R_BC = f.matrix_from_rotvec(theta_AB), f.matrix_from_rotvec(theta_BC)
    R_AC, p_AC = R_AB @ R_BC, p_AB + R_AB @ p_BC
    for transform in (f.motion_transform, f.force_transform):
        np.testing.assert_allclose(
            transform(R_AB, p_AB) @ transform(R_BC, p_BC), transform(R_AC, p_AC), atol=TOLERANCE
        )


@given(vectors(), vectors(), vectors())
def test_velocity_of_a_point_of_a_rigid_body(w, v, p):
    """At B's origin, p from A's: v_A = v_B − ω×p, by the definition of a rigid velocity field."""
    V_A = written(motion.transform_motion, np.eye(3), p, np.r_[w, v])
    np.testing.assert_allclose(V_A, np.r_[w, v - np.cross(w, p)], atol=TOLERANCE)


def test_a_force_at_an_offset_has_its_lever_arm():
    """10 N along y, 2 m out on x: 20 N m about z."""
    F = written(motion.transform_force, np.eye(3), np.array([2.0, 0, 0]), np.array([0, 0, 0, 0, 10.0, 0]))
    np.testing.assert_array_equal(F, [0, 0, 20, 0, 10, 0])


@given(vectors(6), vectors(6), vectors(6))
def test_cross_products(V, U, F):
    np.testing.assert_allclose(
        written(motion.cross_motion, V, U), f.cross_motion_matrix(V) @ U, atol=TOLERANCE
    )
    np.testing.assert_allclose(written(motion.cross_force, V, F), f.cross_force_matrix(V) @ F, atol=TOLERANCE)
    np.testing.assert_array_equal(f.cross_force_matrix(V), -f.cross_motion_matrix(V).T)
    # power of a pair that is carried along does not change: (V×U)·F + U·(V×*F) = 0
    power = written(motion.cross_motion, V, U) @ F + U @ written(motion.cross_force, V, F)
    assert abs(power) <= 1e-12 * max(1.0, np.linalg.norm(V) * np.linalg.norm(U) * np.linalg.norm(F))
    np.testing.assert_allclose(written(motion.cross_motion, V, V), 0.0, atol=TOLERANCE)


@given(vectors(), vectors(), vectors(6), vectors(6))
def test_transforms_carry_cross_products_along(theta, p, V, U):
    """X(V×U) = (XV)×(XU)."""
    X = f.motion_transform(f.matrix_from_rotvec(theta), p)
    left = X @ written(motion.cross_motion, V, U)
    right = written(motion.cross_motion, X @ V, X @ U)
    np.testing.assert_allclose(left, right, atol=1e-12 * 1e4)  # entries reach 1e3 to 1e4 here


def test_outputs_may_be_inputs():
    R, p = f.matrix_from_rotvec([0.3, 0.2, 0.1]), np.array([1.0, -2.0, 3.0])
    V = np.arange(1.0, 7.0)
    for kernel in (
        motion.transform_motion,
        motion.transform_motion_inverse,
        motion.transform_force,
        motion.transform_force_inverse,
    ):
        expected, own = written(kernel, R, p, V), V.copy()
        kernel(R, p, own, own)
        np.testing.assert_array_equal(own, expected)
    for kernel in (motion.cross_motion, motion.cross_force):
        expected, own = written(kernel, V[::-1].copy(), V), V.copy()
        kernel(V[::-1].copy(), own, own)
        np.testing.assert_array_equal(own, expected)
