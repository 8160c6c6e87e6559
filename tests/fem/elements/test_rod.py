"""Rods: axial and torsional stiffness, lumped and coupled mass, viscous rods."""

import numpy as np

from interstage.fem.elements.rod import RodBlock, ViscousRodBlock

AXIS = np.array([[1.0, 2.0, -2.0]]) / 3.0
ALL = slice(0, 1)


def rod():
    return RodBlock("CROD", [1], [[0, 1]], AXIS, [2.0], [6.0e3], [8.0e2], [0.7], [0.02])


def test_stiffness_acts_along_the_axis_only():
    k = rod().stiffness(ALL)[0]
    pull = np.zeros(12)
    pull[6:9] = AXIS[0]
    np.testing.assert_allclose((k @ pull)[6:9], 3.0e3 * AXIS[0], rtol=1e-15)
    twist = np.zeros(12)
    twist[9:] = AXIS[0]
    np.testing.assert_allclose((k @ twist)[9:], 4.0e2 * AXIS[0], rtol=1e-15)
    assert np.linalg.matrix_rank(k) == 2


def test_mass_of_both_kinds_is_whole():
    for coupled in (False, True):
        m = rod().mass(ALL, coupled)[0]
        shift = np.concatenate([np.eye(3), np.zeros((3, 3)), np.eye(3), np.zeros((3, 3))])
        np.testing.assert_allclose(shift.T @ m @ shift, 1.4 * np.eye(3), atol=1e-15)


def test_coupled_mass_couples_the_ends_along_the_axis_only():
    m = rod().mass(ALL, True)[0]
    along = AXIS[0]
    across = np.cross(along, [0.0, 0.0, 1.0])
    across /= np.linalg.norm(across)
    for direction, own, other in ((along, 5 / 12, 1 / 12), (across, 1 / 2, 0.0)):
        np.testing.assert_allclose(m[:3, :3] @ direction, own * 1.4 * direction, atol=1e-15)
        np.testing.assert_allclose(m[6:9, :3] @ direction, other * 1.4 * direction, atol=1e-15)


def test_viscous_rod():
    c = ViscousRodBlock([1], [[0, 1]], AXIS, [5.0], [7.0])
    assert c.stiffness(ALL) is None and c.mass(ALL, False) is None
    d = c.damping(ALL)[0]
    rate = np.zeros(12)
    rate[:3] = AXIS[0]
    np.testing.assert_allclose((d @ rate)[:3], 5.0 * AXIS[0], rtol=1e-15)
    np.testing.assert_allclose((d @ rate)[6:9], -5.0 * AXIS[0], rtol=1e-15)
