"""Engines: transients in closed form, pressure against altitude, published thrusts, directions."""

from __future__ import annotations

import numpy as np
import pytest

import interstage as ist
from interstage import devices as dev


@pytest.fixture(scope="module")
def stand():
    mb = ist.Multibody("stand")
    mb.add_body("stand", mass=1.0, inertia=np.eye(3), joint=ist.Locked())
    return mb.compile()


def run(stand, engine, until=5, throttle=None, pressure=None):
    made = ist.Assembly("x", vehicle=stand).add("e", engine)
    if throttle is not None:
        made.add("law", throttle, every="10 ms", out={"y": "1"}).wire({"law.y": "e.throttle"})
    if pressure is not None:
        made.add("air", pressure, out={"y": "Pa"}).wire({"air.y": "e.pressure"})
    return ist.simulate(made, None, until=until, step="5 ms")


def test_throttle_lag_is_a_first_order_step(stand):
    engine = dev.Engine(body="stand", thrust="0.9 MN", flow="300 kg/s", lag="0.5 s", throttle=0.8)
    log = run(stand, engine)
    level = 0.8 * (1.0 - np.exp(-log.t / 0.5))
    assert log["e.net"] == pytest.approx(0.9e6 * level, rel=1e-8, abs=1e-3)
    assert log["e.mass_flow"] == pytest.approx(300.0 * level, rel=1e-8, abs=1e-6)
    assert log["e.push"][-1] == pytest.approx([log["e.net"][-1], 0, 0])


def test_ignition_and_shutdown_have_their_own_transients(stand):
    """Up to `idle` with `start`, then with `lag`; after the cut-off a tail of level × thrust × stop."""
    engine = dev.Engine(body="stand", thrust=1e3, lag=0.1, start=0.8, stop=0.3, idle=0.5)
    log = run(stand, engine, until=8, throttle=lambda t: 1.0 if t < 4.0 else 0.0)
    reached = 0.8 * np.log(2.0)  # 1 - e^(-t/0.8) = 0.5
    early, late = log.t < reached - 0.01, (log.t > reached + 0.01) & (log.t < 4.0)
    assert log["e.level"][early] == pytest.approx(1.0 - np.exp(-log.t[early] / 0.8), abs=1e-9)
    # one step of 5 ms crosses from one lag to the other: first order in it
    assert log["e.level"][late] == pytest.approx(1.0 - 0.5 * np.exp(-(log.t[late] - reached) / 0.1), abs=0.02)
    tail = log.t >= 4.0
    impulse = np.trapezoid(log["e.net"][tail], log.t[tail])
    assert impulse == pytest.approx(
        1e3 * 0.3, rel=1e-4
    )  # what is left after 4 s is e^-13; the trapezoid has 2e-5


def test_pressure_takes_thrust_as_altitude_says(stand):
    """F = F_vac - p(h) A_e on the way up through an isothermal atmosphere; nothing of it before the engine runs."""
    F, A = 2.279e6, 4.15
    engine = dev.Engine(body="stand", thrust=F, exit_area=A, lag=0.01, level=1.0)
    log = run(stand, engine, until=100, pressure=lambda t: 101325.0 * np.exp(-4.9 * t**2 / 7400.0))
    assert log["e.net"] == pytest.approx(F - A * 101325.0 * np.exp(-4.9 * log.t**2 / 7400.0), rel=1e-12)
    off = dev.Engine(body="stand", thrust=F, exit_area=A, throttle=0.0, pressure="1 atm")
    assert np.abs(run(stand, off, until=1)["e.net"]).max() == 0.0


def test_published_thrusts_at_sea_level_follow_from_those_in_vacuum(stand):
    """RS-25 at 109 %: 512,300 lbf in vacuum, 418,000 lbf at sea level, nozzle exit of 90.7 in (NASA fact sheets)."""
    area = np.pi / 4.0 * (90.7 * 0.0254) ** 2
    engine = dev.Engine(body="stand", thrust="512300 lbf", exit_area=area, level=1.0, pressure="1 atm")
    found = run(stand, engine, until=1)["e.net"][-1] / 4.4482216152605
    assert found == pytest.approx(418_000.0, rel=0.002)


def test_burn_profiles_and_throttle_curves_are_straight_between_points(stand):
    profile = (["0 s", "1 s", "3 s"], [1.0, 2.0, 0.0])
    engine = dev.Engine(body="stand", thrust=10.0, burn=profile, ignition="1 s", level=1.0)
    log = run(stand, engine, until=5)
    expected = np.interp(log.t - 1.0, [0, 1, 3], [10.0, 20.0, 0.0]) * (log.t >= 1.0)
    assert log["e.net"] == pytest.approx(expected, abs=1e-9)
    assert np.trapezoid(log["e.net"], log.t) == pytest.approx(15.0 + 20.0, rel=2e-3)
    deep = dev.Engine(body="stand", thrust=1.0, curve=([0, 0.5, 1], [0.0, 0.7, 1.1]), throttle=0.75, lag=0.01)
    assert run(stand, deep)["e.net"][-1] == pytest.approx(0.9)


def test_a_misaligned_engine_turns_its_vehicle(stand):
    how = {"axis": [0, 0, 2], "side": [1, 0, 0], "misalignment": ["2 deg", "1 deg"]}
    tilt = dev.Engine(body="stand", thrust=10.0, level=1.0, **how)
    push = run(stand, tilt, until=1)["e.push"][-1]
    exact = ist.Rotation.from_rotation_vector(np.radians([2.0, 1.0, 0.0])).matrix @ [0, 0, 10.0]
    assert push == pytest.approx(exact, abs=1e-12)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"thrust": -1}, "Engine.thrust must be above 0.0"),
        ({"thrust": 1, "lag": 0}, "Engine.lag must be above 0.0"),
        ({"thrust": 1, "exit_area": -1}, "Engine.exit_area must be at least 0.0"),
        ({"thrust": 1, "burn": ([0, 2, 1], [1, 1, 1])}, "Engine.times must be increasing"),
        ({"thrust": 1, "curve": ([0, 1], [1, 1, 1])}, "Engine.curve is no table"),
        ({"thrust": 1, "curve": 3}, "Engine.curve is no table"),
        ({"thrust": 1, "idle": 2}, "Engine.idle must be at most 1.0"),
        ({"thrust": 1, "axis": [0, 0, 0]}, "Engine.axis is no direction"),
    ],
)  # fmt: skip
def test_engines_that_cannot_be_are_refused(arguments, said):
    with pytest.raises(ist.InterstageError, match=said):
        dev.Engine(body="stand", **arguments)
