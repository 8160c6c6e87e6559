"""Thrusters: the impulse of a pulse, its delay and rise, the shortest one, mean force where derivatives are taken."""

from __future__ import annotations

import numpy as np
import pytest

import interstage as ist
from interstage import devices as dev


@pytest.fixture(scope="module")
def cart():
    mb = ist.Multibody("cart")
    mb.add_body("cart", mass=4.0, inertia=np.eye(3), joint=ist.Prismatic("x"))
    return mb.compile()


def fired(cart, widths, until=2, step="1 ms", **arguments):
    """Run with a pulse of each width at 0, 0.2, 0.4 ... s."""
    made = ist.Assembly("x", vehicle=cart)
    made.add("jet", dev.Thruster(at="cart", thrust="8 N", **arguments), every="0.2 s")
    made.add("law", lambda t: widths.get(round(t / 0.2), 0.0), every="0.2 s", out={"w": "s"})
    return ist.simulate(made.wire({"law.w": "jet.width"}), None, until=until, step=step)


@pytest.mark.parametrize("rise", [0.0, 0.01, 0.03])
@pytest.mark.parametrize("width", [0.02, 0.055, 0.2])
@pytest.mark.parametrize("delay", [0.0, 0.007])
def test_a_pulse_has_the_impulse_of_its_width(cart, rise, width, delay):
    """Whatever the rise: m Δv = thrust · width; edges fall on steps of 1 ms."""
    log = fired(cart, {1: width}, rise=rise, valve_delay=delay)
    assert 4.0 * log["cart"].v[-1, 0] == pytest.approx(8.0 * width, rel=1e-9)
    before = log.t < 0.2 + delay - 1e-9
    assert np.abs(log["cart"].v[before]).max() == 0.0
    flow = np.trapezoid(log["jet.mass_flow"], log.t)
    full = 8.0 / (9.80665 * 220.0)
    assert flow == pytest.approx(full * width, abs=1.01e-3 * full)  # a row of 1 ms


def test_thrust_rises_and_decays_with_its_lag(cart):
    log = fired(cart, {1: 0.1}, rise="20 ms")
    t = log.t
    up, down = (t >= 0.2) & (t < 0.3), t >= 0.3
    top = 1.0 - np.exp(-0.1 / 0.02)
    # an edge inside the four stages of a step: h/6 of its slope
    assert log["jet.level"][up] == pytest.approx(1.0 - np.exp(-(t[up] - 0.2) / 0.02), abs=0.01)
    assert log["jet.level"][down] == pytest.approx(top * np.exp(-(t[down] - 0.3) / 0.02), abs=0.01)


@pytest.mark.parametrize("delay", [0.0, 0.01])
@pytest.mark.parametrize("last", [0.0, 0.05, 0.2])
def test_pulses_that_follow_each_other_are_one(cart, delay, last):
    """A width of a whole period keeps the valve open; the delay moves it all."""
    log = fired(cart, {1: 0.2, 2: 0.5, 3: last}, valve_delay=delay)
    assert 4.0 * log["cart"].v[-1, 0] == pytest.approx(8.0 * (0.4 + last), rel=1e-8)  # 3 ns of 0.4 s
    inside = (log.t > 0.201 + delay) & (log.t < 0.599 + delay + last)
    assert (log["jet.level"][inside] == 1.0).all()


def test_short_pulses_are_not_fired_and_widths_have_a_resolution(cart):
    log = fired(cart, {1: 0.019, 3: 0.021}, min_impulse="0.16 N*s")
    assert 4.0 * log["cart"].v[-1, 0] == pytest.approx(8.0 * 0.021, rel=1e-9)
    log = fired(cart, {1: 0.0231, 3: 0.0149}, resolution="10 ms")
    assert 4.0 * log["cart"].v[-1, 0] == pytest.approx(8.0 * 0.03, rel=1e-9)


def test_its_mean_force_is_linear(cart):
    made = ist.Assembly("x", vehicle=cart).add(
        "jet", dev.Thruster(at="cart", thrust=8.0, min_on=0.05), every="0.2 s"
    )
    lin = ist.linearize(made, cart.state(), inputs="jet.width", sampled=True, set={"jet.width": 0.0})
    rate = lin.states.index("cart.travel_rate")
    assert lin.B[rate, 0] == pytest.approx(8.0 / 4.0)  # Δv of a second of width


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"thrust": 0}, "Thruster.thrust must be above 0.0"),
        ({"thrust": 1, "rise": -1}, "Thruster.rise must be at least 0.0"),
        ({"thrust": 1, "min_impulse": 1, "min_on": 1}, "min_impulse= and min_on= of Thruster say the same"),
        ({"thrust": 1, "axis": [0, 0]}, "Thruster.axis is no direction"),
        ({"thrust": 1, "every": 0}, "Thruster, every must be a positive time"),
    ],
)
def test_thrusters_that_cannot_be_are_refused(arguments, said):
    with pytest.raises(ist.InterstageError, match=said):
        dev.Thruster(at="cart", **arguments)


@pytest.mark.parametrize("method", ["dopri5", "ros3", "radau"])
@pytest.mark.parametrize(
    ("known", "step"), [({"min_on": "10 ms"}, None), ({"resolution": "13 ms"}, None), ({}, "5 ms")]
)
def test_adaptive_steps_do_not_miss_pulses_behind_a_valve_delay(cart, method, known, step):
    """m Δv = thrust · width of every pulse; edges inside steps are found by the error control alone."""
    jet = dev.Thruster(at="cart", thrust="10 N", valve_delay="0.4 s", **known)
    made = ist.Assembly("x", vehicle=cart).add("jet", jet, every="1 s")
    log = ist.simulate(made, None, until=3, set={"jet.width": "13 ms"}, method=method, max_step=step)
    assert 4.0 * log["cart"].v[-1, 0] == pytest.approx(3 * 10.0 * 0.013, rel=1e-5)


@pytest.mark.parametrize("method", ["dopri5", "bdf"])
def test_adaptive_steps_that_might_miss_pulses_are_refused(cart, method):
    jet = dev.Thruster(at="cart", thrust="10 N", valve_delay="0.4 s")
    made = ist.Assembly("x", vehicle=cart).add("jet", jet, every="1 s")
    with pytest.raises(
        ist.InterstageError, match="may miss what 'jet' does between its samples; expected max_step"
    ):
        ist.simulate(made, None, until=3, set={"jet.width": "13 ms"}, method=method)


@pytest.mark.parametrize(
    "steps", [{"step": "7 ms"}, {"step": None, "method": "dopri5", "max_step": "3 ms"}], ids=["rk4", "dopri5"]
)
@pytest.mark.parametrize("rise", [0.0, 0.013])
@pytest.mark.parametrize("delay", [0.0, 0.0113])
def test_edges_between_steps_keep_the_impulse(cart, steps, rise, delay):
    """Pulses whose edges lie on no step, alone and one after the other: m Δv = thrust · Σ width."""
    widths = {1: 0.0217, 2: 0.0031, 4: 0.2, 5: 0.0777}
    made = ist.Assembly("x", vehicle=cart)
    given = {"at": "cart", "thrust": "8 N", "rise": rise, "valve_delay": delay}
    made.add("jet", dev.EdgeThruster(**given), every="0.2 s")
    made.add("law", lambda t: widths.get(round(t / 0.2), 0.0), every="0.2 s", out={"w": "s"})
    log = ist.simulate(made.wire({"law.w": "jet.width"}), None, until=2, **steps)
    # edges are found to 1e-9 s
    assert 4.0 * log["cart"].v[-1, 0] == pytest.approx(8.0 * sum(widths.values()), rel=1e-7)


def test_steps_that_may_go_over_a_pulse_are_refused(cart):
    made = ist.Assembly("x", vehicle=cart)
    made.add("jet", dev.EdgeThruster(at="cart", thrust=8.0, min_on=0.002, width=0.004), every="0.1 s")
    with pytest.raises(
        ist.InterstageError, match=r"may go over what 'jet' does.*at most 0\.002 s, got 0\.02 s"
    ):
        ist.simulate(made, None, until=1, step="20 ms")
