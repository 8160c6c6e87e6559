"""Motions given as functions: rates and accelerations against closed forms, from slow to fast."""

from __future__ import annotations

import cmath
import math
import warnings

import numba
import numpy as np
import pytest
from scipy.interpolate import CubicSpline, make_interp_spline

import interstage as ist
from interstage.errors import InputError, MotionWarning
from interstage.multibody import Multibody, Prismatic, Revolute, Universal
from interstage.simulation import simulate
from interstage.simulation.plant.prescribed_motion import BoundMotion, MotionProfile
from interstage.simulation.plant.time_derivatives import Jet, rows_of

HERTZ = (0.1, 1.0, 20.0, 100.0, 300.0, 400.0)
TIMES = np.array([0.0, 0.1, 0.37, 0.5, 0.8125, 1.3])


@numba.njit
def _compiled(t, w):
    return 0.3 * np.sin(w * t) + 0.1


WAYS = {
    "numpy": (lambda w: lambda t: 0.3 * np.sin(w * t) + 0.1, "exact", 1e-13),
    "list": (lambda w: lambda t: [0.3 * np.sin(w * t) + 0.1], "exact", 1e-13),
    "branch": (lambda w: lambda t: 0.3 * np.sin(w * t) + 0.1 if t < 50 else 7.0 * t, "exact", 1e-13),
    "where": (lambda w: lambda t: np.where(t < 50, 0.3 * np.sin(w * t) + 0.1, 0.0), "exact", 1e-13),
    "cmath": (
        lambda w: (
            lambda t: 0.3 * cmath.sin(w * t) + 0.1 if isinstance(t, complex) else 0.3 * math.sin(w * t) + 0.1
        ),
        "complex step",
        1e-9,
    ),
    "compiled": (lambda w: lambda t: _compiled(t, w), "complex step", 1e-9),
    "math": (lambda w: lambda t: 0.3 * math.sin(w * t) + 0.1, "differences", 1e-8),
}


@pytest.mark.parametrize("hertz", HERTZ)
@pytest.mark.parametrize("way", WAYS)
def test_rates_and_accelerations_from_slow_to_fast(way, hertz):
    """0.3 sin ωt + 0.1 from 0.1 to 400 Hz: rate to 1e-9 of 0.3 ω, acceleration to 1e-8 of 0.3 ω²."""
    w = 2.0 * np.pi * hertz
    make, how, tolerance = WAYS[way]
    curve = MotionProfile(ist.PrescribedMotion(angle=make(w)))
    assert curve.levels[1][1] == how
    angle, rate, acceleration = curve.rows(TIMES)
    np.testing.assert_allclose(angle[:, 0], 0.3 * np.sin(w * TIMES) + 0.1, rtol=0, atol=1e-14)
    np.testing.assert_allclose(
        rate[:, 0] / w, 0.3 * np.cos(w * TIMES), rtol=0, atol=0.3 * min(tolerance, 1e-9)
    )
    np.testing.assert_allclose(
        acceleration[:, 0] / w**2, -0.3 * np.sin(w * TIMES), rtol=0, atol=0.3 * tolerance
    )


def test_a_chirp_is_slow_and_fast():
    """sin(a t²) sweeps 0 to 400 Hz in ten seconds; one step of differences cannot fit all of it."""
    a = 2.0 * np.pi * 20.0
    times = np.linspace(0.0, 10.0, 41)
    first, second = 2 * a * times, 2 * a
    exact_rate = first * np.cos(a * times**2)
    exact = second * np.cos(a * times**2) - first**2 * np.sin(a * times**2)
    for f, tolerance in ((lambda t: np.sin(a * t * t), 1e-11), (lambda t: math.sin(a * t * t), 1e-7)):
        _, rate, acceleration = MotionProfile(ist.PrescribedMotion(angle=f)).rows(times)
        np.testing.assert_allclose(rate[:, 0], exact_rate, rtol=0, atol=tolerance * first.max())
        np.testing.assert_allclose(acceleration[:, 0], exact, rtol=0, atol=tolerance * (first**2).max())


@pytest.mark.parametrize("hertz", (0.1, 10.0, 400.0))
def test_tables_and_splines(hertz):
    """400 points a period: quintic splines to 3e-11 in rate and 1e-8 in acceleration; cubic ones by their own."""
    w = 2.0 * np.pi * hertz
    t = np.linspace(-1.0, 3.0, 1601) / hertz
    times = np.linspace(0.0, 2.0, 17) / hertz
    table = 0.3 * np.sin(w * t)
    for given in ((t, table), make_interp_spline(t, table, k=5), (t, np.stack([table, 2 * table], axis=1))):
        _, rate, acceleration = MotionProfile(ist.PrescribedMotion(angle=given)).rows(times)
        np.testing.assert_allclose(rate[:, 0] / w, 0.3 * np.cos(w * times), rtol=0, atol=3e-11)
        np.testing.assert_allclose(acceleration[:, 0] / w**2, -0.3 * np.sin(w * times), rtol=0, atol=1e-8)
    cubic = CubicSpline(t, table)
    motion = ist.PrescribedMotion(angle=cubic)
    assert motion.derivatives == {"rate": "spline", "acceleration": "spline"}
    np.testing.assert_array_equal(MotionProfile(motion).rows(times)[2][:, 0], cubic(times, 2))


CASES = {
    "tan": lambda t: np.tan(0.3 * t) + 1 / (1 + t) - np.reciprocal(t + 2.0),
    "exp": lambda t: np.exp(-t) * np.cos(3 * t) + np.expm1(0.1 * t) + np.log1p(t) + 2.0**t,
    "roots": lambda t: (
        np.sqrt(1 + t) ** 3 + (1 + t) ** 2.5 + t**2 + t**1 + t**0 + (1 + t) ** t - np.log(1 + t)
    ),
    "hyperbolic": lambda t: (
        np.tanh(3 * (t - 0.5)) + np.sinh(0.2 * t) * np.cosh(t) + np.arcsinh(t) + np.arctan(2 * t)
    ),
    "inverse": lambda t: np.arcsin(0.4 * t) + np.arccos(0.3 * t) + np.arctan2(t, 1 + t) + np.hypot(t, 1.0),
    "steps": lambda t: (
        np.where(t > 0.4, t**3, 0.064 + 0 * t) + np.clip(t, 0.2, 0.9) ** 2 + np.maximum(t, 0.5 * t)
    ),
    "more": lambda t: abs(t - 0.77) ** 3 + np.fmod(t, 0.6) + (t % 0.7) * t + np.floor(2 * t) * t + np.sinc(t),
    "poly": lambda t: np.polyval([1.0, -2.0, 3.0], t) + np.deg2rad(t) + (t < 0.33) * t * t + np.zeros_like(t),
    "several": lambda t: np.array([1.0, 2.0, 3.0]) * np.sin(np.array([3.0, 2.0, 1.0]) * t),
    "mixed": lambda t: 0.1 * np.array([np.sin(t), 0.3, t]) + np.array([1.0, t, 2.0]),
    "sum": lambda t: sum(np.sin(k * t) / k for k in range(1, 5)),
    "turned": lambda t: np.array([[0.6, 0.8], [-0.8, 0.6]]) @ np.array([np.sin(t), np.cos(2 * t)]),
}


@pytest.mark.parametrize("name", CASES)
def test_functions_of_numpy_carry_their_derivatives(name):
    """Values, rates and accelerations of numpy's functions against differences, many times at once or one by one."""
    f = CASES[name]
    times = np.array([0.11, 0.29, 0.55, 0.83, 0.97])
    found = rows_of(f(Jet.of_times(times)), len(times))
    one = [rows_of(f(Jet.of_times(np.array([t]))), 1) for t in times]
    h = 2e-4
    for k, t in enumerate(times):
        v = [np.atleast_1d(np.array(f(t + j * h), dtype=float)) for j in range(-3, 4)]
        first = (45 * (v[4] - v[2]) - 9 * (v[5] - v[1]) + (v[6] - v[0])) / (60 * h)
        second = (270 * (v[4] + v[2]) - 27 * (v[5] + v[1]) + 2 * (v[6] + v[0]) - 490 * v[3]) / (180 * h * h)
        np.testing.assert_allclose(found[0][k], v[3], rtol=1e-14, atol=1e-14)
        np.testing.assert_allclose(found[1][k], first, rtol=1e-9, atol=1e-9)
        np.testing.assert_allclose(found[2][k], second, rtol=1e-6, atol=1e-6)
        for order in range(3):
            np.testing.assert_allclose(found[order][k], one[k][order][0], rtol=1e-13, atol=1e-14)


def test_what_is_not_analytic_is_not_taken_for_it():
    """Complex numbers pass through, but not as numbers: the second entry forgets its imaginary part."""

    def half(t):
        return [cmath.sin(t).real if not isinstance(t, complex) else cmath.sin(t), float(t.real) ** 2]

    curve = MotionProfile(ist.PrescribedMotion(angle=half))
    assert curve.levels[1][1] == "differences"
    np.testing.assert_allclose(curve.rows(np.array([0.7]))[1][0], [np.cos(0.7), 1.4], rtol=1e-10)

    def late(t):
        """Lose the imaginary part only after two seconds."""
        return cmath.sin(t) if t.real < 2.0 else cmath.sin(t.real) if isinstance(t, complex) else math.sin(t)

    bound = BoundMotion(
        ist.PrescribedMotion(angle=lambda t: late(t) if isinstance(t, complex) else math.sin(t)),
        "a",
        Revolute(),
    )
    assert bound.curve.levels[1][1] == "complex step"
    bound.table(np.linspace(0.0, 1.9, 20))
    with pytest.raises(InputError, match="not analytic"):
        for k in range(40):
            bound.table(np.linspace(2.0 + k, 2.9 + k, 20))


def cart(joint):
    mb = Multibody("cart")
    mb.add_body("cart", mass=3.0, inertia=[1, 1, 1], joint=joint)
    return mb.compile()


@pytest.mark.parametrize("hertz", (0.1, 30.0, 300.0, 400.0))
@pytest.mark.parametrize("options", ({"step": True}, {"step": True, "method": "ros2"}, {"rtol": 1e-9}))
def test_the_force_of_a_fast_drive(hertz, options):
    """A cart of 3 kg driven by A sin ωt needs -3 A ω² sin ωt, at any frequency, by any method."""
    w, A = 2.0 * np.pi * hertz, 0.01
    step = {"step": 0.02 / hertz} if "step" in options else {"log_step": 0.1 / hertz, "atol": 1e-9}
    system = cart(Prismatic("x", prescribed=True))
    log = simulate(
        system, system.state(), 1.0 / hertz,
        motions={"cart": ist.PrescribedMotion(angle=lambda t: A * np.sin(w * t))}, **{**options, **step},
    )  # fmt: skip
    np.testing.assert_allclose(log["cart"].q[:, 0], A * np.sin(w * log.t), rtol=0, atol=1e-14)
    np.testing.assert_allclose(log["cart"].v[:, 0], A * w * np.cos(w * log.t), rtol=0, atol=1e-8 * A * w)
    wanted = -3.0 * A * w * w * np.sin(w * log.t)
    np.testing.assert_allclose(log.torque("cart")[:, 0], wanted, rtol=0, atol=1e-8 * np.abs(wanted).max())


def test_one_call_makes_a_table():
    """A function of numpy is asked a few times for a table of steps, not a few times for each."""
    calls = []

    def angle(t):
        calls.append(t)
        return 0.1 * np.sin(50 * t)

    bound = BoundMotion(ist.PrescribedMotion(angle=angle), "cart", Revolute())
    bound.table(np.linspace(0, 0.1, 11))
    calls.clear()
    bound.table(np.linspace(0, 1, 1001))
    assert len(calls) < 10


def test_levels_that_contradict_each_other():
    """A rate in degrees beside an angle in radians is followed, with a warning that names body, time and numbers."""
    system = cart(Revolute("z", prescribed=True))
    wrong = ist.PrescribedMotion(angle=lambda t: np.sin(t), rate=lambda t: np.rad2deg(np.cos(t)))
    for options in ({"step": 1e-2}, {"log_step": 0.1}):
        with pytest.warns(
            MotionWarning, match="rate of the motion of body 'cart' is not the derivative of its angle"
        ):
            simulate(system, system.state(), 1.0, motions={"cart": wrong}, **options)
    wrong = ist.PrescribedMotion(
        rate=lambda t: np.sin(t), acceleration=(np.linspace(0, 1, 50), np.linspace(0, 1, 50))
    )
    with pytest.warns(MotionWarning, match="acceleration .* is not the derivative of its rate"):
        simulate(system, system.state(), 1.0, 1e-2, motions={"cart": wrong})
    # rates that belong to the angle, and kinks, are no contradiction
    right = ist.PrescribedMotion(
        angle=lambda t: abs(t - 0.5), rate=lambda t: np.sign(t - 0.5), acceleration=lambda t: 0.0
    )
    with warnings.catch_warnings():
        warnings.filterwarnings("error", "(?s).*is not the derivative")
        warnings.filterwarnings("ignore", "(?s).*jumps by")
        simulate(system, system.state(), 1.0, 1e-2, motions={"cart": right})


def test_given_rates_and_accelerations_are_taken_as_they_are():
    """What is given beside an angle is used, not differentiated again."""
    motion = ist.PrescribedMotion(angle=math.sin, rate=math.cos, acceleration=lambda t: -math.sin(t))
    assert motion.derivatives == {}
    times = np.linspace(0, 2, 9)
    np.testing.assert_allclose(
        MotionProfile(motion).rows(times)[2][:, 0], -np.sin(times), rtol=1e-15, atol=1e-16
    )


def test_a_motion_that_fails_says_when():
    system = cart(Universal("xy", prescribed=True))
    with pytest.raises(InputError, match=r"'cart' failed at t = 0.5.*ZeroDivisionError"):
        simulate(
            system, system.state(), 1.0, 0.25,
            motions={"cart": ist.PrescribedMotion(angle=lambda t: [t, 1 / 0 if 0.4 < t < 0.6 else 1.0])},
        )  # fmt: skip
    with pytest.raises(InputError, match=r"angle, t = 0.5.*2 finite numbers"):
        simulate(
            system, system.state(), 1.0, 0.25,
            motions={"cart": ist.PrescribedMotion(angle=lambda t: [t, np.nan if 0.4 < t < 0.6 else 1.0])},
        )  # fmt: skip


def test_functions_with_ends():
    """A function that fails outside of its interval is differentiated from inside at both ends.

    A run up to its end asks for many times at once as long as they lie inside, not for all that remain at every step.
    """
    asked = []
    for hertz in (0.5, 50.0):
        w = 2.0 * np.pi * hertz

        def angle(t, w=w):
            asked.append(t)
            if not 0.0 <= t <= 1.0:
                raise ValueError("outside")
            return 0.3 * math.sin(w * t + 0.4)

        times = np.array([0.0, 1e-5, 0.5, 1.0 - 1e-5, 1.0])
        _, rate, acceleration = MotionProfile(ist.PrescribedMotion(angle=angle)).rows(times)
        np.testing.assert_allclose(rate[:, 0] / w, 0.3 * np.cos(w * times + 0.4), rtol=0, atol=1e-8)
        np.testing.assert_allclose(
            acceleration[:, 0] / w**2, -0.3 * np.sin(w * times + 0.4), rtol=0, atol=1e-4
        )
    system = cart(Revolute("z", prescribed=True))
    asked.clear()
    log = simulate(system, system.state(), 1.0, 0.01, motions={"cart": ist.PrescribedMotion(angle=angle)})
    assert len(asked) < 100_000
    np.testing.assert_allclose(log["cart"].v[:, 0], 0.3 * w * np.cos(w * log.t + 0.4), rtol=0, atol=1e-7 * w)


def _floating():
    mb = Multibody()
    mb.add_body("base", mass=5.0, inertia=np.diag([1.0, 2.0, 3.0]), joint=ist.Free())
    arm = {"mass": 1.0, "com": [0.5, 0, 0], "inertia": 0.1 * np.eye(3)}
    mb.add_body("arm", **arm, parent="base", at=[1, 0, 0], joint=Revolute("z", prescribed=True))
    return mb.compile()


JUMPS = {
    "rate of a corner": (
        ist.PrescribedMotion(angle=lambda t: np.where(t < 0.503, 0.0, t - 0.503)),
        "rate",
        1.0,
    ),
    "rate of a black box": (
        ist.PrescribedMotion(angle=lambda t: max(0.0, 2.0 * (float(t) - 0.503))),
        "rate",
        2.0,
    ),
    "step of a rate": (ist.PrescribedMotion(rate=lambda t: 0.0 if t < 0.503 else 1.0), "rate", 1.0),
    "step of an angle": (ist.PrescribedMotion(angle=lambda t: 0.0 if t < 0.503 else 0.4), "angle", 0.4),
}


@pytest.mark.parametrize("options", [{"step": 0.01}, {"step": 0.01, "method": "ros2"}, {"max_step": 0.05}])
@pytest.mark.parametrize("name", JUMPS)
def test_a_jump_of_a_motion_is_told(name, options):
    """Momentum of a free vehicle is not kept where a joint jumps: that is said, with its time and size."""
    motion, level, size = JUMPS[name]
    system = _floating()
    # an adaptive method follows differences of a black box into the corner: it leaves a part of the jump
    part = (
        r"\S* at t = 0.50" if "black box" in name and "step" not in options else f"{size:g}\\S* at t = 0.503"
    )
    with pytest.warns(MotionWarning, match=f"the {level} of the motion of body 'arm' jumps by {part}"):
        simulate(system, system.state(), until=1.0, motions={"arm": motion}, **options)


@pytest.mark.parametrize("step", [0.001, 0.05])
def test_what_is_only_fast_or_bent_is_no_jump(step):
    """Three steps a period, and corners of the rate."""
    system = _floating()
    motions = (
        ist.PrescribedMotion(angle=lambda t: 0.1 * np.sin(20.0 * t) ** 2),
        ist.PrescribedMotion(angle=lambda t: np.abs(t - 0.503) ** 2 * np.sign(t - 0.503)),
        ist.PrescribedMotion(rate=lambda t: np.where(t < 0.503, 0.0, t - 0.503)),
        ist.PrescribedMotion(rate=([0.0, 0.3, 0.6, 1.0], [0.0, 0.2, 0.3, 0.1])),
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for motion in motions:
            simulate(system, system.state(), until=1.0, step=step, motions={"arm": motion})


def test_a_motion_begun_by_an_event_keeps_momentum():
    system = _floating()
    ramp = ist.PrescribedMotion(rate=lambda t: 1.0 + 0.0 * t)
    events = [ist.Event(at=0.503, action=ist.SetJointMode("arm", "prescribed", ramp))]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        log = simulate(system, system.state(), until=1.0, step=0.01, events=events)
    assert log["arm"].v[-1] == 1.0
    assert np.abs(log.momentum[-1]).max() < 1e-10
