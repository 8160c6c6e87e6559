"""The magnetic field of the Earth, against another implementation, sums of scipy, and a dipole in closed form."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import factorial, lpmv

import interstage as ist
from interstage import devices as dev
from interstage.devices.magnetic import RADIUS, igrf
from interstage.errors import InputError

# longitude, latitude (deg), height (km), year; east, north, up (nT) by ppigrf 2.1.0: IGRF-14, WGS 84 ellipsoid
BY_PPIGRF = [
    (-80.6, 28.6, 0.0, 2025, -3142.7447896, 24397.7036798, -37456.9772664),
    (-80.6, 28.6, 400.0, 2025, -2401.2445155, 20139.2187013, -30816.5294799),
    (12.5, -63.0, 700.0, 2025, -6140.5498755, 10556.8375953, 23454.5877772),
    (140.0, 5.0, 20000.0, 2025, 28.7727917, 445.1393900, 51.8972342),
    (0.0, 89.0, 300.0, 2025, 166.6559182, 1753.6183964, -50080.3922616),
    (45.0, -30.0, 500.0, 2022, -6446.1315450, 12618.6648199, 24116.4056898),
    (200.0, 70.0, 500.0, 2028, 1285.4136240, 8339.2068565, -44839.8472240),
]


def at_rest(more: dict[str, ist.Device], site: tuple[float, float, float], **given: object) -> ist.Log:
    """Run devices for an instant on a body that stands at a site: x is up, y east, z north."""
    mb = ist.Multibody("pad")
    mb.add_body("pad", mass=1.0, inertia=[1, 1, 1], joint=ist.Locked())
    made = ist.Assembly("pad", vehicle=mb.compile())
    made.add("earth", dev.Earth(gravity="central", site=site)).add("field", dev.MagneticField(**given))
    for name, device in more.items():
        made.add(name, device)
    return ist.simulate(made, None, until=1.0, step="0.5 s")


@pytest.mark.parametrize(("lon", "lat", "km", "year", "east", "north", "up"), BY_PPIGRF)
def test_values_of_another_implementation(lon, lat, km, year, east, north, up):
    """Equal to the rounding of the coefficients; between years they count days there: 0.1 nT."""
    log = at_rest({}, (lat, lon, 1e3 * km), epoch=f"{year}-01-01")
    assert log["field.field"][0] * 1e9 == pytest.approx([up, east, north], abs=1e-3 if year == 2025 else 0.1)


def potential(x: np.ndarray, g: np.ndarray, h: np.ndarray) -> float:
    """Return V by scipy's Legendre functions, nT m."""
    r = np.linalg.norm(x)
    lam, total = np.arctan2(x[1], x[0]), 0.0
    for n in range(1, len(g)):
        for m in range(n + 1):
            schmidt = np.sqrt((2.0 if m else 1.0) * factorial(n - m) / factorial(n + m)) * (-1.0) ** m
            P = schmidt * lpmv(m, n, x[2] / r)
            total += (
                RADIUS * (RADIUS / r) ** (n + 1) * P * (g[n, m] * np.cos(m * lam) + h[n, m] * np.sin(m * lam))
            )
    return total


def by_device(x: np.ndarray, **given: object) -> np.ndarray:
    """Return B (nT) of the device at a place in axes of the Earth: longitude and latitude are those of a sphere."""
    r = np.linalg.norm(x)
    lat, lon = np.arcsin(x[2] / r), np.arctan2(x[1], x[0])
    east = np.array([-np.sin(lon), np.cos(lon), 0.0])
    up = x / r
    values = {
        "from_center": x,
        "latitude": lat,
        "longitude": lon,
        "up": up,
        "east": east,
        "north": np.cross(up, east),
    }
    log = ist.simulate(
        ist.Assembly("x").add("f", dev.MagneticField(**given, **values)), None, until=1, step=1
    )
    return log["f.field"][0] * 1e9


def test_the_field_is_the_slope_of_the_potential():
    g, h = igrf(2025.0)
    x = np.array([3.1e6, -5.2e6, 4.0e6])
    d = 100.0
    slope = [(potential(x + d * e, g, h) - potential(x - d * e, g, h)) / (2 * d) for e in np.eye(3)]
    # differences: h²/r² of the field, and rounding of V over h
    assert by_device(x) == pytest.approx(-np.array(slope), abs=2e-3)


def test_the_dipole():
    """Degree 1: 2 B₀(a/r)³ along its axis, B₀(a/r)³ across; the axis leaves near 80.8° N, 72.8° W in 2025."""
    g, h = igrf(2025.0, 1)
    m = np.array([g[1, 1], h[1, 1], g[1, 0]])
    B0, axis = np.linalg.norm(m), m / np.linalg.norm(m)
    across = np.cross(axis, [0.0, 0.0, 1.0])
    across /= np.linalg.norm(across)
    r = 7.0e6
    assert by_device(r * axis, degree=1) == pytest.approx(2 * m * (RADIUS / r) ** 3, rel=1e-9)
    assert by_device(r * across, degree=1) == pytest.approx(-m * (RADIUS / r) ** 3, rel=1e-9)
    pole = -axis
    assert np.degrees(np.arcsin(pole[2])) == pytest.approx(80.8, abs=0.1)
    assert np.degrees(np.arctan2(pole[1], pole[0])) == pytest.approx(-72.8, abs=0.1) and 29000 < B0 < 30000


def test_magnetometers_and_torquers_find_it():
    """Without a wire; a body of unit attitude reads the field itself, and a dipole turns by m × B."""
    more = {
        "meter": dev.Magnetometer(at="pad", every="0.5 s"),
        "rods": dev.MagneticTorquer(at="pad", dipole=[10.0, -20.0, 5.0]),
    }
    log = at_rest(more, (28.6, -80.6, 4e5))
    B = log["field.field"][0]
    assert log["meter.measured"][0] == pytest.approx(B, rel=1e-12)
    assert log["rods.torque"][0] == pytest.approx(np.cross([10.0, -20.0, 5.0], B), rel=1e-12)


def test_it_turns_with_the_earth():
    """A point that stands among the stars sees longitudes pass: after six hours it is 90° further west."""
    mb = ist.Multibody("point")
    mb.add_body("point", mass=1.0, inertia=[1, 1, 1], joint=ist.Locked(), at=[7.0e6, 0, 0])
    made = ist.Assembly("x", vehicle=mb.compile()).add("earth", dev.Earth(gravity="central"))
    made.add("field", dev.MagneticField())
    quarter = 0.5 * np.pi / 7.292115e-5
    log = ist.simulate(made, None, until=f"{round(quarter, 3)} s", step="100 s")
    begin, end = log["earth.longitude"][[0, -1]]
    assert (begin - end) % (2 * np.pi) == pytest.approx(0.5 * np.pi, abs=1e-6)
    seen = by_device(np.array([7.0e6 * np.cos(end), 7.0e6 * np.sin(end), 0.0]))
    # the point lies along x of the world, at the longitude `end` of the Earth
    c, s = np.cos(end), np.sin(end)
    turned = np.array([[c, s, 0.0], [-s, c, 0.0], [0.0, 0.0, 1.0]]) @ seen
    assert log["field.field"][-1] * 1e9 == pytest.approx(turned, rel=1e-8)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"epoch": "2035-01-01"}, "known from 2020 to 2030; got 2035"),
        ({"epoch": "yesterday"}, "not a date"),
        ({"degree": 14}, "unknown degree of the magnetic field; expected 1 to 13"),
    ],
)
def test_what_cannot_be_is_refused(given, said):
    with pytest.raises(InputError, match=said):
        dev.MagneticField(**given)
