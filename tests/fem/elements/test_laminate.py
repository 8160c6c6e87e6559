"""Laminate stiffness and NASTRAN's transverse shear of layered shells."""

import numpy as np
import pytest

from interstage.fem.elements.laminate import Layer, laminate_section

E, NU, G = 7e10, 0.3, 2.5e10
Q = E / (1 - NU**2) * np.array([[1, NU, 0], [NU, 1, 0], [0, 0, (1 - NU) / 2]])
PLY_Q = np.array([[1.4e11, 3e9, 0], [3e9, 1e10, 0], [0, 0, 5e9]])
PLY_G = np.diag([5e9, 3e9])


def test_layers_of_one_material_are_a_plate():
    """Any cut of an isotropic plate has A, D and 5/6 G t of the plate, and no coupling."""
    layers = [
        Layer(Q, np.eye(2) * G, 2700.0, t, angle) for t, angle in ((0.1, 0), (0.2, 90), (0.3, 0), (0.4, 90))
    ]
    section = laminate_section(layers)
    np.testing.assert_allclose(section.A, Q * 1.0, atol=1e-4)
    np.testing.assert_allclose(section.D, Q / 12.0, atol=1e-4)
    np.testing.assert_allclose(section.shear, 5 / 6 * G * np.eye(2), rtol=1e-12, atol=1e-3)
    assert not np.any(section.B) and section.isotropic
    assert section.mass == pytest.approx(2700.0)


def test_sandwich_shear_is_that_of_the_core():
    """Thin stiff faces on a soft core: V = G_core (c + t)²/c per unit shear angle (Allen, 1969)."""
    face = Layer(Q, np.eye(2) * G, 2700.0, 0.0005)
    core = Layer(Q * 1e-8, np.diag([3e8, 1.5e8]), 50.0, 0.02)
    section = laminate_section([face, core, face])
    d = 0.0205
    np.testing.assert_allclose(np.diag(section.shear), [3e8 * d**2 / 0.02, 1.5e8 * d**2 / 0.02], rtol=2e-3)
    D = Q * (d**2 / 2 * 0.0005 + 2 * 0.0005**3 / 12)
    np.testing.assert_allclose(section.D, D, rtol=1e-5, atol=1e-6)


def test_bottom_height_shifts_the_reference():
    """B = A z, D = D0 + A z² for a plate moved by z; transverse shear stays."""
    z = 0.3
    layer = Layer(Q, np.eye(2) * G, 1.0, 1.0)
    moved, middle = laminate_section([layer], z0=-0.5 + z), laminate_section([layer])
    np.testing.assert_allclose(moved.B, Q * z, atol=1e-4)
    np.testing.assert_allclose(moved.D, middle.D + Q * z**2, rtol=1e-12, atol=1e-4)
    np.testing.assert_allclose(moved.shear, middle.shear, rtol=1e-12)


def test_options():
    plies = [Layer(PLY_Q, PLY_G, 1600.0, 0.001, angle) for angle in (0.0, 45.0)]
    full = laminate_section(plies + plies[::-1])
    symmetric = laminate_section(plies, option="SYM")
    np.testing.assert_allclose(symmetric.D, full.D)
    assert not np.any(symmetric.B) and symmetric.mass == pytest.approx(4 * 1.6)
    unbalanced = laminate_section(plies)
    assert np.any(unbalanced.B)
    membrane, bending = laminate_section(plies, option="MEM"), laminate_section(plies, option="BEND")
    assert not np.any(membrane.D) and membrane.shear is None and not np.any(membrane.B)
    assert not np.any(bending.A) and np.any(bending.D)
    smear = laminate_section(plies, option="SMEAR")
    np.testing.assert_allclose(smear.D, smear.A * 0.002**2 / 12)
    assert smear.shear is None and not np.any(smear.B)
    core = Layer(Q * 1e-6, np.eye(2) * 1e8, 50.0, 0.02)
    sandwich = laminate_section([*plies, core], option="SMCORE")
    faces = laminate_section(
        [
            Layer(unbalanced.A / 0.002, PLY_G, 1600.0, 0.001),
            core,
            Layer(unbalanced.A / 0.002, PLY_G, 1600.0, 0.001),
        ]
    )
    np.testing.assert_allclose(sandwich.D, faces.D)
    assert sandwich.mass == pytest.approx(0.002 * 1600 + 0.02 * 50)


def test_missing_shear_moduli_mean_no_shear_flexibility():
    assert laminate_section([Layer(PLY_Q, None, 1.0, 0.001), Layer(PLY_Q, PLY_G, 1.0, 0.001)]).shear is None


def test_cross_ply_shear_by_quadrature():
    """0/90/0: the integral of (first moment)²/G over fine slices gives the same flexibility."""
    t = np.array([0.002, 0.003, 0.001])
    layers = [Layer(PLY_Q, PLY_G, 1.0, h, a) for h, a in zip(t, (0.0, 90.0, 0.0))]
    got = laminate_section(layers).shear
    E1, E2 = (PLY_Q[k, k] * (1 - PLY_Q[0, 1] ** 2 / PLY_Q[0, 0] / PLY_Q[1, 1]) for k in (0, 1))
    for direction, (moduli, shears) in enumerate(
        (((E1, E2, E1), (5e9, 3e9, 5e9)), ((E2, E1, E2), (3e9, 5e9, 3e9)))
    ):
        n = 20000
        modulus, shear = np.repeat(moduli, n), np.repeat(shears, n)
        h = np.repeat(t / n, n)
        z = np.cumsum(h) - h / 2
        z -= np.sum(modulus * h * z) / np.sum(modulus * h)
        moment = np.cumsum(-modulus * h * z)
        flexibility = np.sum(moment**2 / shear * h) / np.sum(modulus * h * z**2) ** 2
        assert got[direction, direction] == pytest.approx(1 / flexibility, rel=1e-4)
