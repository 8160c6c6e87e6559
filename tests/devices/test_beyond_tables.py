"""Beyond the ends of tables: one warning of every device, in runs and linear models, and nothing within them."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import interstage as ist
from interstage import devices as dev
from interstage.devices.harmonics import read_gfc
from interstage.devices.tables import look_up, slopes_of
from interstage.errors import FidelityWarning, InputError

T = np.linspace(0.0, 10.0, 11)
AIR = "altitude (km),density,pressure,temperature\n0,1.2,101325,288\n10,.4,26500,223\n20,.09,5500,217\n"


def alone(device, until, **more):
    """Run a device by itself; returns the log and what was said beyond tables."""
    made = ist.Assembly("a").add("it", device)
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        log = ist.simulate(made, None, until=until, step=until / 10, progress=False, **more)
    return log, [str(one.message) for one in said if issubclass(one.category, FidelityWarning)]


def test_sun_and_moon_after_their_days():
    log, said = alone(dev.Ephemeris("2025-01-01", days=1.0), 2 * 86400.0)
    (words,) = said
    assert (
        "'it' (Ephemeris) was used beyond its table, by up to 8.64e+04 s: sun and moon stand still" in words
    )
    assert np.array_equal(log["it.sun"][-1], log["it.sun"][-2])
    assert alone(dev.Ephemeris("2025-01-01", days=3.0), 2 * 86400.0)[1] == []


@pytest.mark.parametrize(("until", "beyond"), [(10.0, 0.0), (12.0, 2.0)])
def test_a_trajectory_stands_still_after_its_end(until, beyond):
    log, said = alone(dev.ReferenceTrajectory({"time": T, "x": 100.0 * T, "pitch": 0.1 * T}), until)
    assert log["it.beyond"][-1] == pytest.approx(beyond, abs=1e-9)
    assert len(said) == (beyond > 0)
    assert log["it.velocity"][5, 0] == pytest.approx(100.0, rel=1e-9)
    if beyond:
        # what is held does not move: position, velocity, attitude and rate say the same
        assert log["it.position"][-1, 0] == 1000.0 and not log["it.velocity"][-1].any()
        assert not log["it.rate"][-1].any()


def test_a_velocity_alone_is_held():
    log, said = alone(
        dev.ReferenceTrajectory({"time": T, "vx": 3.0 + 0.0 * T, "vy": 0.0 * T, "vz": 0.0 * T}), 12.0
    )
    assert log["it.velocity"][-1, 0] == 3.0 and len(said) == 1


@pytest.mark.parametrize(
    ("height", "beyond"), [(5e3, 0.0), (20e3, 0.0), (30e3, 10e3), (-1e3, 1e3), (-1e-9, 0.0)]
)
def test_air_of_a_file(tmp_path, height, beyond):
    (tmp_path / "air.csv").write_text(AIR)
    log, said = alone(dev.Atmosphere(tmp_path / "air.csv"), 0.1, set={"it.altitude": height})
    assert log["it.beyond"][-1] == beyond and len(said) == (beyond > 0)
    made = ist.Assembly("a").add("it", dev.Atmosphere(tmp_path / "air.csv"))
    with warnings.catch_warnings(record=True) as noted:
        warnings.simplefilter("always")
        ist.linearize(made, None, set={"it.altitude": height}, outputs=["it.density"])
    assert sum("beyond its table" in str(one.message) for one in noted) == (beyond > 0)


@pytest.mark.parametrize(("last", "warned"), [(5.0, 1), (0.0, 0)])
def test_wind_that_does_not_end_is_told(last, warned):
    wind = {"altitude": [0, 1e3, 2e3], "north": [1.0, 10.0, last], "east": [0, 0, 0]}
    assert len(alone(dev.Atmosphere(wind=wind), 0.1, set={"it.altitude": 5e3})[1]) == warned
    assert not alone(dev.Atmosphere(), 0.1, set={"it.altitude": 80e3})[1]


class Climb(ist.Device):
    """An altitude that rises by 20 km/s."""

    start = ist.Parameter("m", 0.0)
    height = ist.Out("m")

    def outputs(d, t):
        d.height = d.start + 20e3 * t


@pytest.mark.parametrize(("start", "warned"), [(0.0, 0), (50e3, 0), (87e3, 1)])
def test_the_standard_air_of_a_run_that_stays_above_it_is_told(start, warned):
    """At 86 km there are 7e-6 kg/m³ left (table of the standard): below 1 % of what a climb from 50 km meets (1e-3)."""
    made = ist.Assembly("a").add("climb", Climb(start=start)).add("air", dev.Atmosphere())
    made.wire({"climb.height": "air.altitude"})
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        ist.simulate(made, None, until=10.0, step=0.1, progress=False)
    told = [str(one.message) for one in said if issubclass(one.category, FidelityWarning)]
    assert len(told) == warned
    assert all("US76 ends at 86 km" in words and "take NRLMSIS" in words for words in told)


def test_the_upper_air_goes_on_to_3000_km():
    pymsis = pytest.importorskip("pymsis")
    sun = {
        "date": "2022-06-01T12:00:00",
        "latitude": 10.0,
        "longitude": 20.0,
        "f107": 120,
        "f107a": 120,
        "ap": 7,
    }
    for height in (400e3, 1001e3, 2003e3, 2995e3):
        log, said = alone(dev.Atmosphere("NRLMSIS", solar=sun), 0.1, set={"it.altitude": height})
        truth = pymsis.calculate(
            np.datetime64(sun["date"]), 20.0, 10.0, height / 1e3, 120, 120, [[7.0] * 7], version=2.1
        ).ravel()[0]
        # cubics of ln ρ between rows 10 km apart, where its scale height is 100 km and more
        assert log["it.density"][0] == pytest.approx(truth, rel=1e-4) and not said
    assert len(alone(dev.Atmosphere("NRLMSIS", solar=sun), 0.1, set={"it.altitude": 3100e3})[1]) == 1


@pytest.mark.parametrize(("last", "warned"), [(0.2, 1), (0.0, 0)])
def test_a_burn_that_does_not_end_is_told(last, warned):
    mb = ist.Multibody("b")
    mb.add_body("m", mass=1.0, joint=ist.Prismatic("x"))
    system = mb.compile()
    engine = dev.Engine(body="m", thrust=10.0, burn=([0.0, 1.0, 2.0], [1.0, 1.0, last]), level=1.0)
    made = ist.Assembly("a", vehicle=system).add("e", engine)
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        ist.simulate(made, system.state(), until=4.0, step=0.01, progress=False)
    assert (
        sum("'e' (Engine) was used beyond its table, by up to 2 s" in str(w.message) for w in said) == warned
    )


@pytest.mark.parametrize(
    ("mach", "until", "warned"), [(2.0, 0.1, 0), (3.0, 0.1, 1), (0.0, 1.0, 0), (0.0, 0.3, 1)]
)
def test_coefficients_beyond_the_table_are_told_where_they_matter(mach, until, warned):
    """Outside at 3 % of the largest dynamic pressure counts, outside at 0.3 % does not.

    What starts across its axis at 10 m/s and falls along it by 1000 m/s² leaves the angles that the table lacks, above
    atan 0.2, at 51 m/s.
    """
    mb = ist.Multibody("b", gravity=[0.0 if mach else 1000.0, 0, 0])
    mb.add_body("m", mass=1.0, inertia=[1, 1, 1], joint=ist.Free())
    system = mb.compile()
    table = {
        "mach": [0.0, 2.5 if mach else 5.0],
        "angle": [0.0, np.arctan(0.2)],
        "axial": np.zeros((2, 2)),
        "normal": np.zeros((2, 2)),
        "area": 1.0,
    }
    aero = dev.Aero(table, at=["m"], density=1.0, sound=300.0)
    made = ist.Assembly("a", vehicle=system).add("aero", aero)
    x = system.state()
    x["m"].velocity[3:] = [300.0 * mach, 0.0 if mach else 10.0, 0]
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        ist.simulate(made, x, until=until, step=0.01, progress=False)
    assert sum("'aero' (Aero) was used beyond its table" in str(w.message) for w in said) == warned


def test_devices_have_one_date():
    mb = ist.Multibody("b")
    mb.add_body("bus", mass=1.0, inertia=[1, 1, 1], joint=ist.Free())
    system, epoch = mb.compile(), "2025-06-21T12:00:00"

    def fly(earth, sky):
        made = ist.Assembly("a", vehicle=system).add("earth", earth).add("sky", sky)
        return ist.simulate(made, system.state(), until=1.0, step=1.0, progress=False)

    site = {"gravity": "central", "site": (0.0, 0.0, 0.0)}
    log = fly(dev.Earth(**site, epoch=epoch), dev.Ephemeris("2025-06-21 12:00"))
    up, sun = log["earth.up"][0], log["sky.sun"][0]
    # noon at Greenwich on the day of the solstice: the sun is 23.4 deg north of the equator, within 0.5 deg of south
    assert np.degrees(np.arcsin(up @ sun / np.linalg.norm(sun))) == pytest.approx(66.56, abs=0.1)
    with pytest.raises(InputError, match=r"'earth' and 'sky' have different epochs; got .* 21600 s apart"):
        fly(dev.Earth(**site, epoch="2025-06-21T18:00:00"), dev.Ephemeris(epoch))
    with pytest.raises(InputError, match="'earth' stands at a site, but has no epoch"):
        fly(dev.Earth(**site), dev.Ephemeris(epoch))


HEAD = """product_type gravity_field
earth_gravity_constant 0.3986004415E+15
radius 0.63781363E+07
max_degree 3
norm fully_normalized
errors formal
end_of_head ==========
gfc 0 0 1.0 0.0 0 0
"""
C20, TREND = -4.84165143790815e-04, 1.1e-11


@pytest.mark.parametrize(
    ("rows", "epoch", "c20"),
    [
        (f"gfct 2 0 {C20} 0.0 0 0 20050101", None, C20),
        (
            f"gfct 2 0 {C20} 0.0 0 0 20050101\ntrnd 2 0 {TREND} 0 0 0",
            "2015-01-01",
            C20 + TREND * 3652 / 365.25,
        ),
        (f"gfct 2 0 {C20} 0 0 0 20050101\nacos 2 0 1e-10 0 0 0 1.0", "2005-07-02T15:00:00", C20 - 1e-10),
        (f"gfct 2 0 {C20} 0 0 0 20050101\nasin 2 0 1e-10 0 0 0 2.0", "2005-07-02", C20 + 1e-10),
        (
            f"gfct 2 0 {C20} 0 0 0 20050101 20100101\ngfct 2 0 {2 * C20} 0 0 0 20100101 20150101",
            "2012-01-01",
            2 * C20,
        ),
    ],
)
def test_gravity_that_changes_with_time(tmp_path, rows, epoch, c20):
    """c(t) = c₀ + trend (t - t₀) + a cos 2π(t - t₀)/P + b sin, of the format of the ICGEM; years of 365.25 days."""
    (tmp_path / "f.gfc").write_text(HEAD + rows + "\ngfc 2 2 2.4e-06 -1.4e-06 0 0\n")
    _, _, C, _ = read_gfc(tmp_path / "f.gfc", None, epoch)
    assert C[2, 0] == pytest.approx(c20, abs=2e-14)  # half a day of a wave of 1e-10
    earth = dev.Earth(gravity=tmp_path / "f.gfc", epoch=epoch)
    assert earth.value_of("J2") == pytest.approx(-np.sqrt(5.0) * c20, rel=1e-9)


@pytest.mark.parametrize(
    ("rows", "epoch", "words"),
    [
        (f"gfct 2 0 {C20} 0 0 0 20050101 20100101", None, "is another one from time to time"),
        (f"gfct 2 0 {C20} 0 0 0 20050101 20100101", "2012-01-01", "does not reach the epoch"),
        (f"gfcx 2 0 {C20} 0 0 0", None, "no gravity field of the ICGEM; got a row 'gfcx'"),
        ("trnd 2 0 1e-11 0 0 0", None, "without its gfct"),
    ],
)
def test_rows_that_cannot_be_used_are_refused(tmp_path, rows, epoch, words):
    (tmp_path / "f.gfc").write_text(HEAD + rows + "\n")
    with pytest.raises(InputError, match=words):
        read_gfc(tmp_path / "f.gfc", None, epoch)


def test_columns_of_a_dictionary_have_units_in_their_names():
    named = dev.ReferenceTrajectory({"time": T, "pitch (deg)": 9 * T, "x (km)": T})
    plain = dev.ReferenceTrajectory({"time": T, "pitch": np.radians(9 * T), "x": 1e3 * T})
    assert named.names == plain.names == ()
    log, exact = alone(named, 10.0)[0], alone(plain, 10.0)[0]
    assert np.allclose(log["it.attitude"], exact["it.attitude"], atol=1e-15)
    assert np.allclose(log["it.position"], exact["it.position"], atol=1e-9)
    half = Rotation.from_euler("y", 45.0, degrees=True).as_quat()[[3, 0, 1, 2]]
    assert np.abs(log["it.attitude"][5]) == pytest.approx(np.abs(half), abs=1e-9)


@pytest.mark.parametrize(
    ("columns", "words"),
    [
        ({"qw": 1 + 0 * T, "qx": 0 * T, "qy": 0 * T}, "all of qw, qx, qy, qz"),
        ({"qw": 1 + 0 * T, "qx": 0 * T, "qy": 0 * T, "qz": 0 * T, "yaw": T}, "one attitude"),
        ({"Pitch": T}, "has a column 'Pitch'; did you mean pitch"),
        ({"pitch (km)": T}, "unit of another kind"),
        ({"pitch (deg)": T, "pitch": T}, "the column 'pitch' twice"),
        ({"x": np.full_like(T, np.nan)}, "finite numbers"),
    ],
)
def test_columns_that_cannot_be_meant(tmp_path, columns, words):
    with pytest.raises(InputError, match=words):
        dev.ReferenceTrajectory({"time": T, **columns})
    rows = [",".join(map(str, row)) for row in np.column_stack([T, *columns.values()])]
    (tmp_path / "t.csv").write_text(",".join(["time", *columns]) + "\n" + "\n".join(rows) + "\n")
    with pytest.raises(InputError, match=f"{words}|finite"):
        dev.ReferenceTrajectory(tmp_path / "t.csv")


@pytest.mark.kernels
@pytest.mark.parametrize("beyond", [1e-9, 0.3, 0.999, 1.7, 40.0])
def test_a_table_is_constant_from_its_ends_on(beyond):
    """Just beyond the ends as far beyond them, with nothing left of the slopes that the table has there."""
    x = np.array([0.0, 1.0, 3.0, 4.0])
    y = np.array([2.0, 5.0, 1.0, 7.0])[:, None]
    s = slopes_of(x, y)
    assert (s[[0, -1]] != 0.0).all()
    for at, end in ((x[0] - beyond, y[0, 0]), (x[-1] + beyond, y[-1, 0])):
        found = look_up(x.astype(complex), y.astype(complex), s.astype(complex), 0, at + 1e-30j)
        assert found.real == pytest.approx(end, rel=1e-15)
        assert found.imag == 0.0
