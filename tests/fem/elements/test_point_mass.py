"""CONM1 and CONM2 blocks."""

import numpy as np

from interstage.fem.elements.line_common import rigid_arm
from interstage.fem.elements.point_mass import GeneralMassBlock, PointMassBlock

ALL = slice(0, 1)


def test_offset_mass_is_a_rigid_body():
    m, d = 3.0, np.array([0.4, -0.2, 0.7])
    inertia = np.array([[5.0, -0.1, 0.2], [-0.1, 4.0, 0.3], [0.2, 0.3, 6.0]])
    block = PointMassBlock([7], [0], [m], [d], [inertia])
    at_cg = np.zeros((6, 6))
    at_cg[:3, :3], at_cg[3:, 3:] = m * np.eye(3), inertia
    T = rigid_arm(d[None])[0]
    np.testing.assert_allclose(block.mass(ALL, False)[0], T.T @ at_cg @ T, atol=1e-14)
    assert block.nodes.shape == (1, 1) and block.stiffness(ALL) is None
    np.testing.assert_array_equal(block.offset[0], d)


def test_general_mass():
    matrix = np.diag([1.0, 2, 3, 4, 5, 6])[None]
    block = GeneralMassBlock([7], [2], matrix)
    np.testing.assert_array_equal(block.mass(ALL, True), matrix)
