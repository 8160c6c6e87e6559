"""The Rotation that users hold: made from anything, never changed, wrong input answered in a sentence."""

from __future__ import annotations

import copy

import numpy as np
import pytest
from hypothesis import given
from scipy.spatial.transform import Rotation as ScipyRotation
from spatial_helpers import quaternions, vectors

from interstage.errors import InputError
from interstage.spatial import Rotation

pytestmark = pytest.mark.kernels


@given(quaternions(), quaternions(), vectors())
def test_composition_inverse_and_application_agree_with_scipy(p, q, x):
    P, Q = Rotation.from_quaternion(p), Rotation.from_quaternion(q)
    p_scipy, q_scipy = (ScipyRotation.from_quat(r[[1, 2, 3, 0]]) for r in (p, q))
    np.testing.assert_allclose((P @ Q).matrix, (p_scipy * q_scipy).as_matrix(), atol=1e-12)
    np.testing.assert_allclose((P @ Q).apply(x), P.apply(Q.apply(x)), atol=1e-12)
    np.testing.assert_allclose(P.inverse.apply(P.apply(x)), x, atol=1e-12)
    assert (P @ P.inverse).is_close(Rotation.identity())


def test_all_ways_in_and_out_meet():
    R = Rotation.from_euler("zyx", [30, 20, 10], degrees=True)
    assert Rotation.from_matrix(R.matrix) == R
    assert Rotation.from_quaternion(-3 * R.quaternion).is_close(R)
    assert Rotation.from_rotation_vector(R.rotation_vector).is_close(R)
    assert Rotation.from_rotation_vector(np.rad2deg(R.rotation_vector), degrees=True).is_close(R)
    assert Rotation.from_axis_angle(5 * R.axis, R.angle).is_close(R)
    np.testing.assert_allclose(R.euler("ZYX", degrees=True), [30, 20, 10], atol=1e-12)
    assert repr(Rotation.identity()) == "Rotation.from_quaternion([1, 0, 0, 0])"


def test_arrays_of_vectors_and_plain_matrices_work():
    R = Rotation.from_axis_angle([1, 2, 3], 0.4)
    x = np.arange(12.0).reshape(4, 3)
    np.testing.assert_allclose(R.apply(x), (R.matrix @ x.T).T, rtol=1e-15)
    np.testing.assert_array_equal(R @ x.T, R.matrix @ x.T)
    np.testing.assert_array_equal(x @ R, x @ R.matrix)
    np.testing.assert_array_equal(np.asarray(R), R.matrix)
    assert Rotation.of(None) == Rotation.identity()
    assert Rotation.of(R) is R
    assert Rotation.of(R.matrix) == R


def test_a_rotation_never_changes():
    R = Rotation.identity()
    with pytest.raises(ValueError):
        R.matrix[0, 0] = 2.0
    with pytest.raises(AttributeError, match="cannot be changed"):
        R.matrix = np.eye(3)
    assert copy.deepcopy(R) == R and hash(copy.copy(R)) == hash(R)


def test_a_matrix_with_printed_digits_is_made_orthogonal():
    exact = Rotation.from_euler("xyz", [0.3, -0.8, 1.9]).matrix
    R = Rotation.from_matrix(exact.round(6)).matrix
    assert np.abs(R.T @ R - np.eye(3)).max() < 1e-14
    np.testing.assert_allclose(R, exact, atol=1e-6)


@pytest.mark.parametrize(
    "make, sentence",
    [
        (lambda: Rotation.from_matrix(np.eye(3) * 1.1), "columns are not orthogonal unit vectors"),
        (lambda: Rotation(2 * np.eye(3)), "columns are not orthogonal unit vectors"),
        (lambda: Rotation.from_matrix(np.diag([1, 1, -1])), "a reflection.*reverse one of them"),
        (lambda: Rotation.from_matrix(np.eye(2)), r"expected 3 x 3 finite numbers, got shape \(2, 2\)"),
        (lambda: Rotation.from_quaternion([0, 0, 0, 0]), "length zero is no rotation"),
        (lambda: Rotation.from_quaternion([1, 0, 0]), "expected 4 finite numbers"),
        (lambda: Rotation.from_quaternion([1, 0, 0, np.nan]), "not finite"),
        (lambda: Rotation.from_rotation_vector("east"), "not an array of numbers.*'east'"),
        (lambda: Rotation.from_rotation_vector([1j, 0, 0]), "not an array of numbers"),
        (lambda: Rotation.from_rotation_vector([[1], [2, 3]]), "not an array of numbers"),
        (lambda: Rotation.from_axis_angle([0, 0, 0], 1.0), "axis of length zero"),
        (lambda: Rotation.from_axis_angle([0, 0, 1], [1.0, 2.0]), "expected one finite number"),
        (lambda: Rotation.from_euler("xyw", [0, 0, 0]), "three of the letters x, y, z, got 'xyw'"),
        (lambda: Rotation.from_euler("xxy", [0, 0, 0]), "same axis twice"),
        (lambda: Rotation.from_euler(None, [0, 0, 0]), "three of the letters"),
        (lambda: Rotation.identity().apply([1, 2]), r"expected \(..., 3\), got shape \(2,\)"),
        (lambda: Rotation.of(3.0, where="body 'bus'"), "body 'bus'"),
    ],
)
def test_wrong_input_is_answered_in_a_sentence(make, sentence):
    with pytest.raises(InputError, match=sentence):
        make()
