"""The standard atmosphere to the digits of its table, a second opinion, winds, and air from files."""

from __future__ import annotations

import ambiance
import numpy as np
import pytest

import interstage as ist
from interstage import devices as dev
from interstage.devices.atmosphere import sound_and_viscosity, standard_air
from interstage.errors import InputError
from refusals import assert_file_is_refused, refusals

# U.S. Standard Atmosphere 1976, table I: geometric altitude (m), T (K), p (Pa), ρ (kg/m³), as printed (p in mb there)
TABLE = [
    (0, 288.150, 1.01325e5, 1.2250),
    (1000, 281.651, 8.9876e4, 1.1117),
    (5000, 255.676, 5.4048e4, 7.3643e-1),
    (10000, 223.252, 2.6499e4, 4.1351e-1),
    (15000, 216.650, 1.2111e4, 1.9476e-1),
    (20000, 216.650, 5.5293e3, 8.8910e-2),
    (30000, 226.509, 1.1970e3, 1.8410e-2),
    (40000, 250.350, 2.8714e2, 3.9957e-3),
    (50000, 270.650, 7.9779e1, 1.0269e-3),
    (60000, 247.021, 2.1958e1, 3.0968e-4),
    (70000, 219.585, 5.2209e0, 8.2829e-5),
    (80000, 198.639, 1.0524e0, 1.8458e-5),
]


@pytest.mark.kernels
def test_the_standard_atmosphere_has_the_digits_of_its_table():
    for h, *printed in TABLE:
        rho, p, T = standard_air(float(h))
        assert abs(T - printed[0]) <= 0.501e-3
        # five digits: densities are rounded, pressures partly cut
        assert abs(p - printed[1]) <= 10.0 ** (np.floor(np.log10(printed[1])) - 4)
        assert abs(rho - printed[2]) <= 0.501 * 10.0 ** (np.floor(np.log10(printed[2])) - 4)


def test_another_package_says_the_same():
    h = np.linspace(-1000.0, 80000.0, 163)
    other = ambiance.Atmosphere(h)
    found = np.array([standard_air(x) for x in h])
    # its pressures at the bases of layers are rounded to six digits
    assert found[:, 0] == pytest.approx(other.density, rel=2e-5)
    assert found[:, 1] == pytest.approx(other.pressure, rel=2e-5)
    assert found[:, 2] == pytest.approx(other.temperature, rel=1e-9)
    sound, viscosity = np.array([sound_and_viscosity(T) for T in found[:, 2]]).T
    assert sound == pytest.approx(other.speed_of_sound, rel=1e-6)
    assert viscosity == pytest.approx(other.dynamic_viscosity, rel=1e-6)


@pytest.mark.kernels
def test_air_rests_on_itself():
    """dp/dh = -ρ g(h), g = g0 (r0/(r0 + h))², by complex steps; no jump at the borders of layers."""
    for h in np.linspace(100.0, 85900.0, 40):
        rho, p, _ = standard_air(h + 1e-30j)
        assert p.imag / 1e-30 == pytest.approx(
            -rho.real * 9.80665 * (6356766.0 / (6356766.0 + h)) ** 2, rel=1e-12
        )
    for H in (11e3, 20e3, 32e3, 47e3, 51e3, 71e3, 84852.0):
        h = 6356766.0 * H / (6356766.0 - H)
        below, above = np.array(standard_air(h - 1e-6)), np.array(standard_air(h + 1e-6))
        assert above == pytest.approx(below, rel=1e-8)


def falling(air, **start):
    mb = ist.Multibody("stone")
    mb.add_body("stone", mass=1.0, inertia=[1, 1, 1], joint=ist.Free())
    system = mb.compile()
    made = (
        ist.Assembly("fall", vehicle=system)
        .add("earth", dev.Earth(site=(10.0, 20.0), heading="30 deg", **start))
        .add("air", air)
    )
    return made, system


def test_winds_blow_where_they_are_said_to(tmp_path):
    """Wind of a file over a rotating Earth: to the north-east, in world axes of a heading of 30 degrees."""
    file = tmp_path / "winds.csv"
    file.write_text(
        "# day of launch\naltitude (km),speed (m/s),direction (deg)\n-1,10,225\n1,10,225\n2,30,225\n",
        encoding="utf-8",
    )
    made, system = falling(dev.Atmosphere(wind=file))
    log = ist.simulate(made, system.state(), until=1, step=0.5)
    angle = np.radians(45 - 30)  # from the world's z axis to its right
    assert log["air.wind"][0] == pytest.approx([0, 10 * np.sin(angle), 10 * np.cos(angle)], abs=1e-9)
    assert log["air.velocity"][0] == pytest.approx(log["air.wind"][0] + log["earth.ground"][0], abs=1e-9)
    assert log["air.pressure"][0] == pytest.approx(101325.0, rel=1e-9)


def test_bare_directions_of_winds_are_degrees(tmp_path):
    """A wind of 10 m/s out of the west blows to the east."""
    file = tmp_path / "winds.csv"
    file.write_text("altitude,speed,direction\n0,10,270\n1000,10,270\n", encoding="utf-8")
    speeds = ["36 km/h", 10.0]
    for wind in (
        file,
        {"altitude": [0, 1000], "speed": [10, 10], "direction": [270, 270]},
        {"altitude": ["0 m", "1 km"], "speed": speeds, "direction": ["270 deg", f"{1.5 * np.pi} rad"]},
    ):
        air = dev.Atmosphere(wind=wind)
        assert air.winds == pytest.approx(np.array([[0, 10, 0], [0, 10, 0]]), abs=1e-12)
        assert list(air.wind_heights) == [0, 1000]


def test_air_from_a_file_is_its_rows(tmp_path):
    file = tmp_path / "air.csv"
    h = np.linspace(0, 80e3, 161)
    rows = [f"{x},{a},{b},{c}" for x, (a, b, c) in zip(h, (standard_air(x) for x in h))]
    file.write_text("altitude,density,pressure,temperature\n" + "\n".join(rows), encoding="utf-8")
    air = dev.Atmosphere(file, altitude="12.25 km")
    log = ist.simulate(ist.Assembly("x").add("air", air), None, until=1, step=1)
    assert [log[f"air.{name}"][0] for name in ("density", "pressure", "temperature")] == pytest.approx(
        standard_air(12250.0), rel=1e-4
    )


def test_the_upper_atmosphere_is_that_of_pymsis():
    pymsis = pytest.importorskip("pymsis")
    solar = {
        "date": "2020-03-01T12:00",
        "latitude": 30.0,
        "longitude": -70.0,
        "f107": 120.0,
        "f107a": 110.0,
        "ap": 8.0,
    }
    air = dev.Atmosphere("NRLMSIS", solar=solar, altitude="401 km")
    log = ist.simulate(ist.Assembly("x").add("air", air), None, until=1, step=1)
    direct = pymsis.calculate(
        np.datetime64("2020-03-01T12:00"), -70.0, 30.0, 401.0, 120.0, 110.0, [[8.0] * 7], version=2.1
    )
    # between rows of 2 km
    assert log["air.density"][0] == pytest.approx(float(direct.ravel()[0]), rel=1e-4)
    assert log["air.temperature"][0] == pytest.approx(float(direct.ravel()[10]), rel=1e-5)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: dev.Atmosphere("US77"), "unknown model of the air .*; expected US76, NRLMSIS or a CSV file"),
        (lambda: dev.Atmosphere(wind=5), "not a wind profile; expected a CSV file or columns"),
        (lambda: dev.Atmosphere(wind={"altitude": [0, 1], "speed": 5}), "not a column of a wind profile"),
        (
            lambda: dev.Atmosphere(wind={"altitude": [0, 1], "north": ["1 kg", 2], "east": [0, 0]}),
            r"the units do not fit \(wind, north\)",
        ),
        (lambda: dev.Atmosphere("mars.csv"), "the table 'mars.csv' cannot be read"),
        (lambda: dev.Atmosphere("NRLMSIS"), "needs solar="),
        (lambda: dev.Atmosphere(wind={"altitude": [0, 1], "north": [1, 2]}), "not a wind profile"),
        (
            lambda: dev.Atmosphere(wind={"altitude": [1, 0], "north": [1, 2], "east": [0, 0]}),
            "must be increasing",
        ),
        (lambda: dev.Atmosphere(wind={"height": [1, 0]}), "not a wind profile"),
    ],
)
def test_air_that_cannot_be_is_refused(make, words):
    with pytest.raises(InputError, match=words):
        make()


@refusals("""
    altitude,north,east|0,1,2 -> is too short
    altitude,north,east|0,1,2|5,1 -> is not a table of numbers
    altitude,north,east|0,1,2|5,one,2 -> is not a table of numbers
    altitude,north,east|5,1,2|0,1,2 -> 'altitude' of 'w.csv' does not increase
    height,north,east|5,1,2|6,1,2 -> has no column 'altitude'
    altitude,north,east,rain|5,1,2,3|6,1,2,3 -> has an unknown column 'rain'
    altitude (K2),north,east|5,1,2|6,1,2 -> there is no unit|cannot be read
""")
def test_tables_that_cannot_be_are_refused(text, words, tmp_path):
    assert_file_is_refused(tmp_path / "w.csv", text, words, lambda path: dev.Atmosphere(wind=path))


def test_an_atmosphere_needs_an_altitude():
    with pytest.raises(InputError, match=r"nothing is wired to 'air.altitude'"):
        ist.simulate(ist.Assembly("x").add("air", dev.Atmosphere()), None, until=1, step=1)
