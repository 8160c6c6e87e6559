"""Reference trajectories: pitch programmes of a point mass, and the file that keeps them."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.interpolate import CubicSpline

from interstage.demo.ascent_reference import AxialForce, Leg, Reference, Target, pitch_program
from interstage.devices import Earth
from interstage.errors import InputError, SolverError

EARTH = Earth("J2", site=(28.6, -80.6), heading="90 deg")
PAD = np.array([17.0, 0.0, 0.0])
LEGS = [Leg(150.0, 4.6e6, 1450.0, exit_area=2.8, drop=15e3), Leg(3.0, 0.0), Leg(147.0, 0.35e6, 80.0)]
DRAG = AxialForce(10.75, (0.0, 0.8, 1.1, 2.0, 5.0), (0.3, 0.35, 0.6, 0.4, 0.25))


@pytest.fixture(scope="module")
def steady() -> Reference:
    return pitch_program(180e3, [Leg(300.0, 3.6e6)], EARTH, Target(230e3, 10.0), start=PAD, every=0.25)


@pytest.fixture(scope="module")
def burning() -> Reference:
    return pitch_program(300e3, LEGS, EARTH, Target(200e3, 4.0), start=PAD, drag=DRAG, q_alpha=3000.0)


def gravity(place: np.ndarray) -> np.ndarray:
    """The slope of the potential μ/r [1 - J2 (R/r)² (3 sin² - 1)/2], by differences."""

    def potential(p: np.ndarray) -> float:
        r = p - EARTH.center
        size = np.linalg.norm(r)
        sine = r @ EARTH.axes[:, 2] / size
        flat = float(EARTH.J2) * (float(EARTH.radius) / size) ** 2 * (1.5 * sine**2 - 0.5)
        return float(EARTH.mu) / size * (1.0 - flat)

    h = 100.0
    return np.array([(potential(place + d) - potential(place - d)) / (2 * h) for d in h * np.eye(3)])


def test_a_mass_that_stays_the_same_goes_where_scipy_takes_it(steady):
    pitch = CubicSpline(steady.t, steady["pitch"])

    def rate(t, y):
        nose = np.array([np.cos(pitch(t)), 0.0, -np.sin(pitch(t))])
        return np.concatenate([y[3:], 20.0 * nose + gravity(y[:3])])

    first = np.concatenate([PAD, EARTH.ground_velocity(PAD)])
    found = solve_ivp(rate, (0.0, 300.0), first, method="DOP853", rtol=1e-10, atol=1e-6, max_step=0.5).y[
        :, -1
    ]
    # a spline through rows rounds the begin of the turn: 0.02 m; gravity by differences is good to 1e-8 of itself
    assert np.abs(found[:3] - steady.position[-1]).max() < 0.05
    assert np.abs(found[3:] - steady.velocity[-1]).max() < 2e-3


def test_the_target_is_met_with_more_speed_than_programmes_beside_it(steady):
    assert steady["gdalt"][-1] == pytest.approx(230e3, abs=1.0)
    assert np.degrees(steady["gammai"][-1]) == pytest.approx(10.0, abs=1e-3)
    # a bound of speed: what thrust gives, less nothing; and most of it must be there
    gained = steady["veli"][-1] - steady["veli"][0]
    assert 0.7 * 6000.0 < gained < 6000.0
    coarser = pitch_program(180e3, [Leg(300.0, 3.6e6)], EARTH, Target(230e3, 10.0), start=PAD, knots=4)
    assert steady["veli"][-1] > coarser["veli"][-1]
    assert np.abs(np.diff(steady["pitch"])).max() < np.radians(0.5)  # 2 deg/s


def test_propellant_burns_a_stage_is_dropped_and_the_air_is_minded(burning):
    t, mass = burning.t, burning["mass"]
    assert mass[t == 149.0] == pytest.approx(300e3 - 149.0 * 1450.0)
    assert mass[t == 150.0] == pytest.approx(300e3 - 150.0 * 1450.0 - 15e3)
    assert mass[-1] == pytest.approx(mass[t == 153.0][0] - 147.0 * 80.0)
    assert (burning["dynp"] * burning["alpha"])[
        t > 11.0
    ].max() < 3000.0 * 1.01  # between samples of the search
    assert burning["gdalt"][-1] == pytest.approx(200e3, abs=20.0)
    assert burning["dynp"].max() > 2e4
    # no wind: on the pad the air is that of the ground
    assert burning["velr"][0] == pytest.approx(0.0, abs=1e-9)


def test_the_file_gives_the_trajectory_back_and_guides(burning, tmp_path):
    path = burning.save(tmp_path / "post.csv")
    assert path.read_text(encoding="utf-8").startswith("time (s),x (m),y (m),z (m),vx (m/s)")
    again = Reference.load(path)
    for name, column in burning.columns.items():
        np.testing.assert_allclose(again[name], column, rtol=1e-11, atol=1e-12)
    device = again.device()
    assert device.names[:3] == ("mass", "thrust", "gdalt")
    slope = CubicSpline(burning.t, burning["pitch"])(burning.t, 2)
    inside = (burning.t > 25.0) & (burning.t < 290.0)  # this spline rounds the ends of that one
    np.testing.assert_allclose(burning["pitchdd"][inside], slope[inside], atol=2e-5)


def test_what_cannot_be_is_refused():
    with pytest.raises(SolverError, match="no pitch programme reaches the target"):
        pitch_program(180e3, [Leg(60.0, 3.6e6)], EARTH, Target(500e3), start=PAD, knots=3)
    with pytest.raises(InputError, match="leave no mass"):
        pitch_program(100e3, LEGS, EARTH, Target(200e3))
    with pytest.raises(InputError, match="field of gravity"):
        pitch_program(180e3, [Leg(60.0, 3.6e6)], Earth("uniform"), Target(20e3))
