"""Slosh parameters against finite elements, a published table and static balance; poles on the tree in closed form."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.linalg as la
from scipy.special import lpmv

import interstage as ist
from interstage import devices as dev
from interstage.devices.slosh import surface_waves
from interstage.errors import InputError

A = 12.0


@pytest.mark.parametrize("depth", [0.3, 0.5, 1.0, 2.0, 4.0])
def test_waves_of_a_cylinder_are_those_of_finite_elements(depth):
    tank = dev.CylinderSlosh(radius=1.0, depth=depth, mass=np.pi * depth, n=3)
    rates, masses = surface_waves(np.ones_like, depth, 3, cells=24)
    assert [1 / wave.length for wave in tank.waves] == pytest.approx(rates, rel=1e-3)
    assert [wave.mass for wave in tank.waves] == pytest.approx(masses, rel=2e-3)
    assert (1 / tank.waves[0].length, tank.waves[0].mass) == pytest.approx((rates[0], masses[0]), rel=3e-5)


# EN 1998-4, table A.2: H/R, T/√R (s/√m, g = 9.81), convective part of the mass
TABLE = [
    (0.3, 2.09, 0.824), (0.5, 1.74, 0.700), (0.7, 1.60, 0.586), (1.0, 1.52, 0.452), (1.5, 1.48, 0.314),
    (2.0, 1.48, 0.237), (2.5, 1.48, 0.190), (3.0, 1.48, 0.158),
]  # fmt: skip


def test_a_published_table_is_met_to_its_digits():
    for depth, period, part in TABLE:
        tank = dev.CylinderSlosh(radius=1.0, depth=depth, mass=1.0, n=60)
        assert 2 * np.pi / tank.waves[0].frequency(9.81) == pytest.approx(period, abs=5.1e-3)
        assert sum(wave.share for wave in tank.waves) == pytest.approx(
            part, abs=1.1e-3
        )  # all waves in one there


def test_a_capped_fluid_turns_as_finite_elements_say():
    """Parts of the rigid inertia; at depths ½, 1, 2, 3, 4 of the radius a study of the potential gave these."""
    found = []
    for depth in (0.5, 1.0, 2.0, 3.0, 4.0):
        tank = dev.CylinderSlosh(radius=1.0, depth=depth, mass=1.0)
        found.append(tank.capped_inertia / (depth**2 / 12 + 0.25))
    assert found == pytest.approx([0.744, 0.350, 0.164, 0.356, 0.538], abs=6e-4)


def test_inertia_and_springs_of_similar_tanks_scale_with_their_size():
    """Twice as large with the same mass: lengths are twice, inertias four times as large, masses of waves the same."""
    one, two = (dev.CylinderSlosh(radius=0.7 * s, depth=1.1 * s, mass=3.0) for s in (1.0, 2.0))
    for name, power in (("capped_inertia", 2), ("rigid_inertia", 2), ("rigid_height", 1), ("rigid_mass", 0)):
        assert getattr(two, name) == pytest.approx(2.0**power * getattr(one, name), rel=1e-12), name


def test_a_half_full_sphere_by_harmonic_polynomials():
    """λR of the hemisphere by Ritz with rⁿP_n¹(cos θ), which no mesh knows: 1.56016, 5.2755, 8.504."""
    x, w = np.polynomial.legendre.leggauss(80)
    n, c, w = np.arange(1, 25), 0.5 * (x - 1.0), 0.5 * w
    s = np.sqrt(1.0 - c**2)
    P = np.array([lpmv(1, k, c) for k in n])
    slope = np.array([(k * c * lpmv(1, k, c) - (k + 1) * lpmv(1, k - 1, c)) / s for k in n])
    around = (slope * w) @ slope.T + (P * w / s**2) @ P.T
    stiff = (np.outer(n, n) * ((P * w) @ P.T) + around) / (n[:, None] + n + 1.0)
    surface = np.outer(*[[lpmv(1, k, 0.0) for k in n]] * 2) / (n[:, None] + n + 2.0)
    d = 1.0 / np.sqrt(np.diag(stiff))
    found = np.sort(
        1.0 / la.eigvalsh(d[:, None] * surface * d, d[:, None] * stiff * d + 1e-13 * np.eye(len(n)))[-3:]
    )
    assert found == pytest.approx([1.56016, 5.2755, 8.504], rel=1e-4)
    waves = dev.SphereSlosh(radius=1.0, fill=0.5, mass=1.0, n=3).waves
    # meshes of the sphere: 1e-4 of the third wave
    assert [1.0 / wave.length for wave in waves] == pytest.approx(found, rel=2e-3)


def test_a_sphere_half_full_and_what_hangs_in_it():
    """λR = 1.5602 half full (published); waves carry the static moment: Σ m_n L_n = m (R - z of the centre of mass)."""
    half = dev.SphereSlosh(radius=2.0, fill=0.5, mass=500.0)
    assert 2.0 / half.waves[0].length == pytest.approx(1.5602, abs=5e-5)
    for fill in (0.1, 0.3, 0.5, 0.7, 0.9):
        tank = dev.SphereSlosh(radius=1.0, fill=fill, mass=1.0, n=6)
        d = 2 * fill
        depth_of_center = 1.0 - (2 * d**3 / 3 - d**4 / 4) / (d**2 * (1 - d / 3))
        # six waves of all
        assert sum(w.share * w.length for w in tank.waves) == pytest.approx(depth_of_center, rel=4e-3)
        assert 0.0 < tank.rigid_mass < 1.0


def tank_on_a_slide(tank, kind, joint, **more):
    mb = ist.Multibody("tank", gravity=[-A, 0, 0])
    mb.add_body("shell", mass=300.0, inertia=[100, 100, 100], joint=joint)
    names = dev.add_slosh(
        mb, "lox", tank, parent="shell", bottom=[0.5, 0, 0], kind=kind, acceleration=A, **more
    )
    assert names[-1] == "lox rigid"
    return mb.compile()


@pytest.mark.parametrize("kind", ["pendulum", "spring"])
@pytest.mark.parametrize(
    "tank",
    [dev.CylinderSlosh(1.5, 2.0, 4000.0), dev.SphereSlosh(1.5, 0.4, 4000.0)],
    ids=["cylinder", "sphere"],
)
def test_poles_on_the_tree_are_those_of_the_fluid(kind, tank):
    """A shell that stands: ω² = a/L, twice. One that slides freely: ω² (1 + m1/(M + m0))."""
    wave = tank.waves[0]
    still = tank_on_a_slide(tank, kind, ist.Locked())
    poles = np.abs(ist.linearize(still, still.state()).poles().imag)
    assert np.sum(np.abs(poles - wave.frequency(A)) < 1e-6 * wave.frequency(A)) == 4
    free = tank_on_a_slide(tank, kind, ist.Prismatic("y"))
    wanted = wave.frequency(A) * np.sqrt(1.0 + wave.mass / (300.0 + tank.rigid_mass))
    poles = np.abs(ist.linearize(free, free.state()).poles().imag)
    assert np.abs(poles - wanted).min() < 1e-6 * wanted


def test_waves_are_damped_as_asked():
    tank = dev.CylinderSlosh(1.5, 2.0, 4000.0)
    for kind in ("pendulum", "spring"):
        system = tank_on_a_slide(tank, kind, ist.Locked(), damping=0.02)
        poles = ist.linearize(system, system.state()).poles()
        near = np.abs(poles.frequency_hz * 2 * np.pi - tank.waves[0].frequency(A)) < 1e-3
        assert poles.damping[near] == pytest.approx(np.full(4, 0.02), rel=1e-6)


def test_mass_and_balance_are_those_of_the_fluid():
    tank = dev.CylinderSlosh(1.5, 2.0, 4000.0, n=3)
    assert tank.rigid_mass + sum(w.mass for w in tank.waves) == pytest.approx(4000.0)
    system = tank_on_a_slide(tank, "spring", ist.Free())
    found = system.mass_properties(system.state())
    assert found.mass == pytest.approx(4300.0) and found.com[0] == pytest.approx(4000.0 * 1.5 / 4300.0)


def added(**more):
    tank = dev.CylinderSlosh(1.0, 1.0, 1.0)
    return dev.add_slosh(ist.Multibody("x"), "lox", tank, parent="b", bottom=[0, 0, 0], **more)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: dev.CylinderSlosh(-1.0, 1.0, 1.0), "CylinderSlosh: radius must be positive"),
        (lambda: dev.CylinderSlosh(1.0, 0.0, 1.0), "CylinderSlosh: depth must be positive"),
        (lambda: dev.SphereSlosh(1.0, 1.2, 1.0), "fill must be between"),
        (lambda: added(kind="jelly"), "unknown kind"),
        (lambda: added(kind="spring"), "slosh 'lox' needs an acceleration"),
        (lambda: added(damping=-0.1), "damping is a ratio"),
    ],
)
def test_tanks_that_cannot_be_are_refused(make, words):
    with pytest.raises(InputError, match=words):
        make()
