"""Spherical harmonics against a sum of Legendre functions of scipy, their own J2, and files that cannot be read."""

from __future__ import annotations

from math import factorial
from pathlib import Path

import numpy as np
import pytest
from scipy.special import lpmv

import interstage as ist
from interstage import devices as dev
from interstage.devices.fields import oblate_gravity
from interstage.devices.harmonics import harmonic_gravity, read_gfc
from interstage.errors import InputError
from refusals import assert_file_is_refused, refusals

FIELD = Path(__file__).with_name("small_field.gfc")
MU, R = 3.986004418e14, 6378136.3


def potential(mu, radius, C, S, p):
    """Return U at p by longitude, latitude and associated Legendre functions, each normalized by its factorials."""
    r = np.linalg.norm(p)
    lon, sine = np.arctan2(p[1], p[0]), p[2] / r
    total = 0.0
    for n in range(len(C)):
        for m in range(n + 1):
            norm = np.sqrt((1 if m == 0 else 2) * (2 * n + 1) * factorial(n - m) / factorial(n + m))
            legendre = (-1) ** m * norm * lpmv(m, n, sine)  # scipy has the phase of Condon and Shortley
            total += (radius / r) ** n * legendre * (C[n, m] * np.cos(m * lon) + S[n, m] * np.sin(m * lon))
    return mu / r * total


def field(N=10, seed=3):
    rng = np.random.default_rng(seed)
    n = np.arange(N + 1)[:, None]
    C, S = (np.tril(rng.normal(size=(N + 1, N + 1))) * 1e-2 / np.maximum(n, 1) ** 2 for _ in range(2))
    C[:2], S[:2], S[:, 0] = 0.0, 0.0, 0.0
    C[0, 0] = 1.0
    return C, S


@pytest.mark.kernels
def test_harmonics_are_slopes_of_a_sum_of_legendre_functions():
    C, S = field()
    for p in (np.array([5e6, -4e6, 3e6]), np.array([1e6, 2e6, -6.8e6]), np.array([-7e6, 10.0, 20.0])):
        found = np.array(harmonic_gravity(MU, R, C, S, *p))
        h = 2e3  # fourth-order differences: (h/r)⁴ n⁴ and round-off 1e-16 r/h

        def slope(e, p=p, h=h):
            u = [potential(MU, R, C, S, p + k * h * e) for k in (-2, -1, 1, 2)]
            return (u[0] - 8 * u[1] + 8 * u[2] - u[3]) / (12 * h)

        assert found == pytest.approx([slope(e) for e in np.eye(3)], rel=1e-8, abs=1e-9)


@pytest.mark.kernels
def test_poles_are_places_like_others():
    C, S = field()
    at = np.array(harmonic_gravity(MU, R, C, S, 0.0, 0.0, 7e6))
    near = np.array(harmonic_gravity(MU, R, C, S, 1e-3, -1e-3, 7e6))
    assert np.isfinite(at).all() and near == pytest.approx(at, abs=1e-8)


@pytest.mark.kernels
def test_degree_two_is_the_oblate_earth():
    C = np.zeros((3, 3))
    C[0, 0], C[2, 0] = 1.0, -4.84165143790815e-4
    r = np.array([3e6, -5e6, 4.5e6])
    J2 = np.sqrt(5.0) * 4.84165143790815e-4
    want = oblate_gravity(MU, R, J2, np.array([0, 0, 1.0]), r)
    assert harmonic_gravity(MU, R, C, 0 * C, *r) == pytest.approx(want, rel=1e-14)


@pytest.mark.kernels
def test_the_field_has_no_sources_outside():
    """Laplace: the trace of the gradient vanishes, by complex steps."""
    C, S = field()
    p = np.array([5e6, -4e6, 3e6])
    slopes = np.array([np.imag(harmonic_gravity(MU, R, C, S, *(p + 1e-20j * e))) / 1e-20 for e in np.eye(3)])
    assert abs(np.trace(slopes)) < 1e-12 * np.abs(slopes).max()
    assert slopes == pytest.approx(slopes.T, rel=1e-10)


def test_a_turning_field_is_felt_in_its_own_axes():
    """A quarter turn of the Earth later the field at a place is that of the place a quarter turn back."""
    mb = ist.Multibody("stone")
    mb.add_body("stone", mass=1.0, inertia=[1, 1, 1], joint=ist.Locked())
    system = mb.compile()
    spin = np.pi / 2 / 10
    earth = dev.Earth(gravity=FIELD, spin=spin, center=[-30.0, 4.0, 5.0], radius=20.0)
    made = ist.Assembly("x", vehicle=system).add("earth", earth)
    log = ist.simulate(made, system.state(), until=10, step=1, log_step=1)
    mu, radius, C, S = read_gfc(FIELD)
    x, y, z = 30.0, -4.0, -5.0
    g = harmonic_gravity(mu, radius, C, S, y, -x, z)  # the place in axes turned by 90°
    assert log["earth.pull"].reshape(-1, 3)[-1] == pytest.approx([-g[1], g[0], g[2]], rel=1e-9)
    assert log["earth.pull"].reshape(-1, 3)[0] == pytest.approx(
        harmonic_gravity(mu, radius, C, S, x, y, z), rel=1e-12
    )


def test_files_are_read_to_a_degree():
    mu, radius, C, S = read_gfc(FIELD, 3)
    assert (mu, radius, C.shape) == (4000.0, 20.0, (4, 4))
    assert C[2, 0] == -0.012 and S[3, 3] == 3e-3 and C[0, 0] == 1.0  # Fortran's D is an exponent too


@refusals("""
    radius 20|end_of_head|gfc 0 0 1 0 -> no gravity field of the ICGEM
    earth_gravity_constant 1|radius 20|norm unnormalized|gfc 0 0 1 0 -> not fully normalized
    earth_gravity_constant 1|radius 20|gfc 0 0 one 0 -> no gravity field of the ICGEM
    earth_gravity_constant 1|radius 20 -> does not reach degree
""")
def test_fields_that_cannot_be_are_refused(text, words, tmp_path):
    assert_file_is_refused(tmp_path / "f.gfc", text, words, lambda path: dev.Earth(gravity=path))


def test_missing_fields_and_degrees_are_refused():
    with pytest.raises(InputError, match=r"'none.gfc' cannot be read"):
        dev.Earth(gravity="none.gfc")
    with pytest.raises(InputError, match="does not reach degree 9; expected 0 to 4"):
        dev.Earth(gravity=FIELD, degree=9)
