"""Balls that bounce ever faster: times of a geometric series, and rest at its end; never through the floor."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import brentq

import interstage as ist
from interstage.errors import InputError, SolverError
from interstage.simulation import simulate

G, DROP = 10.0, 5.0
METHODS = [{"step": 1e-2}, {"step": 1e-2, "method": "ros2"}, {}]


def ball(joint=None):
    mb = ist.Multibody("ball", gravity=[0, 0, -G])
    mb.add_body("ball", mass=2.0, inertia=[1, 1, 1], joint=joint or ist.Prismatic("z"))
    system = mb.compile()
    x = system.state()
    if joint is None:
        x["ball"].q[:] = DROP
    else:
        x["ball"].position[:] = [1.0, 2.0, DROP]
    return system, x


def height(t, x):
    return x["ball"].q[-1]


def bounce(e):
    def action(t, system, x):
        x["ball"].v[-1] *= -e

    return action


def series(e, least):
    """Return times of impact (one second to the first one) down to flights shorter than `least`, and their end."""
    first, flight = np.sqrt(2 * DROP / G), 2 * e * np.sqrt(2 * DROP / G)
    times = [first]
    while flight > least:
        times.append(times[-1] + flight)
        flight *= e
    return np.array(times), first + 2 * e * first / (1 - e)


@pytest.mark.parametrize("options", METHODS)
@pytest.mark.parametrize("e", [0.8, 0.5, 0.1, 0.03, 1e-3, 1e-6, 0.0])
def test_a_ball_comes_to_rest_on_the_floor(e, options):
    """Impacts at 1 + 2e(1 + e + e² + ...): an infinite number of them before 1 + 2e/(1 - e), then rest at zero."""
    system, x = ball()
    event = ist.Event(height, bounce(e), direction=-1, name="floor", rest=ist.SetJointMode("ball", "locked"))
    log = simulate(system, x, 12.0, events=[event], **options)
    # a flight is seen where it is longer than the way up from just below the floor
    times, end = series(e, max(1e-6, 1e-8 / max(e, 1e-9)))
    found = np.array([r.t for r in log.events])
    # each flight is short by its way up, a tolerance of the way down at 1/e of the speed
    np.testing.assert_allclose(found[: len(times)], times, atol=3e-8 / (1 - e) + 1e-9 / max(e, 1e-9))
    assert found[-1] == pytest.approx(end, abs=3e-6)
    assert log.events[-1].what == "at rest: switch 'ball' to locked"
    assert sum("at rest" in r.what for r in log.events) == 1
    assert log.t[-1] == pytest.approx(12.0) and log.system.joint_mode("ball") == "locked"
    q = np.concatenate([p["ball"].q[:, 0] for p in log.phases])
    assert q.min() > -2e-8 and abs(q[-1]) < 2e-8
    assert log.phases[-1]["ball"].v.max() == 0.0


@pytest.mark.parametrize("options", METHODS)
@pytest.mark.parametrize("e", [0.8, 0.1, 0.03, 1e-3, 1e-6])
def test_without_a_rest_the_run_says_that_bounces_accumulate(e, options):
    system, x = ball()
    event = ist.Event(height, bounce(e), direction=-1, name="floor")
    with pytest.raises(SolverError, match=r"event 'floor' accumulates at t = .*rest="):
        simulate(system, x, 12.0, events=[event], **options)
    event = ist.Event(height, bounce(e), direction=-1, name="floor", rest="stop")
    log = simulate(system, x, 12.0, events=[event], **options)
    assert log.t[-1] == pytest.approx(1 + 2 * e / (1 - e), abs=3e-6)


@pytest.mark.parametrize("step", [1e-3, 0.03, 0.3])
def test_bounces_do_not_depend_on_the_step(step):
    system, x = ball(ist.Free())
    event = ist.Event(height, bounce(0.7), direction=-1, rest=ist.SetJointMode("ball", "locked"))
    log = simulate(system, x, 6.0, step, events=[event])
    times, end = series(0.7, 1e-6)
    np.testing.assert_allclose([r.t for r in log.events][: len(times)], times, atol=1e-7)
    assert log.phases[-1].t[0] == pytest.approx(end, abs=3e-6)
    np.testing.assert_allclose(log.state()["ball"].position, [1.0, 2.0, 0.0], atol=1e-8)


@pytest.mark.parametrize("options", [{"step": 1e-2}, {"rtol": 1e-11, "atol": 1e-12}])
def test_a_ball_on_a_shaking_table(options):
    """The table follows A sin wt; between impacts the ball flies a parabola: impacts by root finding on both."""
    e, A, w = 0.7, 0.05, 9.0
    mb = ist.Multibody("table", gravity=[0, 0, -G])
    mb.add_body("table", mass=5.0, joint=ist.Prismatic("z"))
    mb.add_body("ball", mass=1.0, joint=ist.Prismatic("z"))
    system = mb.compile()
    x = system.state()
    x["ball"].q[:] = 0.5

    def hit(t, system, x):
        x["ball"].v[:] = x["table"].v - e * (x["ball"].v - x["table"].v)

    gap = ist.Event(lambda t, x: x["ball"].q - x["table"].q, hit, direction=-1, rest="stop")
    motion = ist.PrescribedMotion(angle=lambda t: A * np.sin(w * t))
    log = simulate(system, x, 3.0, events=[gap], motions={"table": motion}, **options)
    t, z, v, truth = 0.0, 0.5, 0.0, []
    for _ in range(12):

        def above(s, t=t, z=z, v=v):
            return z + v * s - 0.5 * G * s * s - A * np.sin(w * (t + s))

        looks = np.linspace(1e-6, 1.0, 100_001)
        k = np.flatnonzero((above(looks[:-1]) > 0.0) & (above(looks[1:]) <= 0.0))[0]
        s = brentq(above, looks[k], looks[k + 1], xtol=1e-14)
        t, table = t + s, A * w * np.cos(w * (t + s))
        z, v = A * np.sin(w * t), table - e * (v - G * s - table)
        truth.append(t)
    np.testing.assert_allclose([r.t for r in log.events][:12], truth, atol=2e-8)
    assert "at rest" in log.events[-1].what and log.t[-1] < 3.0
    assert min((p["ball"].q - p["table"].q).min() for p in log.phases) > -1e-8


@pytest.mark.parametrize("options", METHODS)
def test_a_bounce_needs_no_direction(options):
    """The way back from just behind the floor is no crossing of its own."""
    system, x = ball()
    log = simulate(system, x, 5.5, events=[ist.Event(height, bounce(1.0))], **options)
    np.testing.assert_allclose([r.t for r in log.events], [1, 3, 5], atol=2e-8)


@pytest.mark.parametrize("options", METHODS)
def test_what_only_passes_is_not_at_rest(options):
    """Notes, a parachute that takes the speed, and a latch that holds: no rest without a reflection."""
    system, x = ball()
    slow = ist.Event(lambda t, x: height(t, x) - 3.0, bounce(0.0), direction=-1)
    noted = ist.Event(lambda t, x: height(t, x) - 2.0, None)
    latch = ist.Event(lambda t, x: height(t, x) - 1.0, ist.SetJointMode("ball", "locked"))
    log = simulate(system, x, 3.0, events=[slow, noted, latch], **options)
    first = np.sqrt(0.4)
    np.testing.assert_allclose(
        [r.t for r in log.events], first + np.array([0.0, np.sqrt(0.2), np.sqrt(0.4)]), atol=1e-7
    )
    assert log.state()["ball"].q[0] == pytest.approx(1.0, abs=1e-8)


@pytest.mark.parametrize("options", METHODS)
def test_a_condition_that_never_stops_crossing_is_told(options):
    """Crossings three nanoseconds apart: not an endless loop."""
    system, x = ball()
    event = ist.Event(lambda t, x: np.sin(1e9 * t + 1.0), None, name="buzz")
    with pytest.raises(SolverError, match="event 'buzz' accumulates"):
        simulate(system, x, 0.1, events=[event], **options)


def test_a_bad_rest_is_refused():
    with pytest.raises(InputError, match="unknown action"):
        ist.Event(height, bounce(1.0), rest="sleep")
    with pytest.raises(InputError, match="a time has no rest"):
        ist.Event(at=1.0, rest="stop")


def pendulum():
    mb = ist.Multibody("spring")
    mb.add_body("bob", mass=1.0, joint=ist.Prismatic("x", stiffness=1.0))
    system = mb.compile()
    x = system.state()
    x["bob"].q[:] = 1.0
    return system, x


@pytest.mark.parametrize("options", [{"step": 0.05}, {"max_step": 0.2}])
def test_rates_are_looked_at_inside_a_step(options):
    """The speed sin t is above 0.9999 for 0.028 s: within a step of 0.05 s that begins and ends below."""
    system, x = pendulum()
    x["bob"].q[:] = -1.0
    level = 0.9999
    events = [ist.Event(lambda t, x: x["bob"].v[0] - level, None, name="fast", samples=7)]
    log = simulate(system, x, 2.0, events=events, **options)
    exact = [np.arcsin(level), np.pi - np.arcsin(level)]
    assert len(log.events) == 2
    np.testing.assert_allclose([e.t for e in log.events], exact, atol=1e-4)
