"""CBUSH: springs at a point, rigid arms, ground, damping."""

import numpy as np

from interstage.fem.elements.bush import BushBlock
from interstage.fem.elements.line_common import rigid_arm

K = np.array([[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]])
ZERO = np.zeros((1, 6))
ALL = slice(0, 1)


def bush(w_a=(0, 0, 0), w_b=(0, 0, 0), R=None, b=ZERO, ge=ZERO, mass=0.0, nodes=((0, 1),)):
    R = np.eye(3) if R is None else R
    return BushBlock([1], nodes, R[None], [w_a], [w_b], K, b, ge, [mass])


def test_coincident_grids():
    k = bush().stiffness(ALL)[0]
    np.testing.assert_allclose(k, np.kron([[1, -1], [-1, 1]], np.diag(K[0])), atol=1e-15)
    assert bush().mass(ALL, False) is None and bush().damping(ALL) is None


def test_turned_axes():
    R = np.array([[0.0, 0, 1], [1, 0, 0], [0, 1, 0]])  # element x is basic y
    k = bush(R=R).stiffness(ALL)[0]
    np.testing.assert_allclose(np.diag(k)[:6], [3, 1, 2, 6, 4, 5], atol=1e-15)


def test_rigid_motion_of_a_long_bush_is_free_of_force():
    a, b = np.array([0.2, -0.1, 0.4]), np.array([-1.0, 0.3, 0.1])
    k = bush(w_a=a, w_b=b).stiffness(ALL)[0]
    # grids at -a and -b from the springs
    motion = np.concatenate([rigid_arm(-a[None])[0], rigid_arm(-b[None])[0]])
    assert np.abs(k @ motion).max() < 1e-13
    assert np.linalg.matrix_rank(k) == 6


def test_lever_of_a_spring_at_half_length():
    """A lateral spring at mid-length turns both grids: moment K2 (L/2)²."""
    k = bush(w_a=(0.5, 0, 0), w_b=(-0.5, 0, 0)).stiffness(ALL)[0]
    assert np.isclose(k[5, 5], 6.0 + 2.0 * 0.25)
    assert np.isclose(k[5, 11], -6.0 + 2.0 * 0.25)


def test_damping_and_mass():
    b = np.array([[1.0, 0, 0, 0, 0, 2.0]])
    one = bush(b=b, mass=3.0)
    np.testing.assert_allclose(np.diag(one.damping(ALL)[0]), [1, 0, 0, 0, 0, 2] * 2)
    np.testing.assert_allclose(np.diag(one.mass(ALL, False)[0]), [1.5, 1.5, 1.5, 0, 0, 0] * 2)


def test_structural_damping_even_and_uneven():
    even = bush(ge=np.full((1, 6), 0.05))
    np.testing.assert_allclose(even.structural_damping(ALL), 0.05 * even.stiffness(ALL))
    assert bush().structural_damping(ALL) is None
    uneven = bush(ge=np.array([[0.1, 0, 0, 0, 0, 0.2]]))
    np.testing.assert_allclose(
        np.diag(uneven.structural_damping(ALL)[0])[:6], [0.1, 0, 0, 0, 0, 1.2], atol=1e-15
    )
