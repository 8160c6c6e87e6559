"""Thrusters: the impulse of a pulse, its delay and rise, the shortest one, mean force where derivatives are taken."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.linalg import expm

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


def told(widths, T):
    """Return a law that asks for one width after the other."""
    return lambda t: dict(enumerate(widths)).get(round(t / T), 0.0)


DELAYED = [
    (0.005, [0.01] * 5),
    (0.015, [0.01, 0.004, 0.008, 0.002]),
    (0.03, [0.01, 0.0, 0.01]),
    (0.05, [0.02] * 4),
    (0.005, [0.018, 0.02, 0.02, 0.001]),
    (0.28, [0.02, 0.0, 0.013]),
]


@pytest.mark.parametrize("kind", [dev.Thruster, dev.EventThruster])
@pytest.mark.parametrize("rise", [0.0, 0.004])
def test_pulses_that_outlast_their_period_behind_a_delay_keep_their_impulse(cart, kind, rise):
    """Six of them on one cart, with delays of a quarter of a period to fourteen: m Δv = thrust · Σ width of all."""
    T, made = 0.02, ist.Assembly("x", vehicle=cart)
    for k, (delay, widths) in enumerate(DELAYED):
        given = {"thrust": 1.0 + k, "valve_delay": delay, "rise": rise}
        made.add(f"jet{k}", kind(at="cart", **given), every=T)
        made.add(f"law{k}", told(widths, T), every=T, out={"w": "s"})
        made.wire({f"law{k}.w": f"jet{k}.width"})
    log = ist.simulate(made, None, until=0.6, step="1 ms")
    wanted = sum((1.0 + k) * sum(widths) for k, (_, widths) in enumerate(DELAYED))
    # edges lie on steps; those that are found are found to 1e-9 s
    assert 4.0 * log["cart"].v[-1, 0] == pytest.approx(wanted, rel=1e-9 if kind is dev.Thruster else 1e-6)
    for k, (delay, widths) in enumerate(DELAYED if rise == 0.0 else []):
        opens = [n * T + delay for n in range(len(widths))]
        for at, width in zip(opens, widths):
            inside = (log.t > at + 1e-6) & (log.t < at + width - 1e-6)
            after = (log.t > at + width + 1e-6) & (log.t < at + T - 1e-6)
            assert (log[f"jet{k}.level"][inside] == 1.0).all()
            assert (log[f"jet{k}.level"][after] == 0.0).all()


def test_a_delay_of_too_many_periods_is_refused(cart):
    made = ist.Assembly("x", vehicle=cart)
    made.add("jet", dev.Thruster(at="cart", thrust=8.0, valve_delay=0.61, width=0.0), every="20 ms")
    with pytest.raises(ist.InterstageError, match=r"valve_delay must not be longer than 30 periods.*0\.6 s"):
        ist.simulate(made, None, until=1)
    short = ist.Assembly("x", vehicle=cart)
    short.add("jet", dev.Thruster(at="cart", thrust=8.0, valve_delay=0.1, width=0.0), every="20 ms")
    with pytest.raises(ist.InterstageError, match=r"valve_delay must not be longer than 30 periods.*0\.6 s"):
        ist.simulate(short, None, until=1, set={"jet.valve_delay": 0.61})


@pytest.mark.parametrize("kind", [dev.Thruster, dev.EventThruster])
@pytest.mark.parametrize("delay", [0.0, 0.017, 0.05, 0.12])
@pytest.mark.parametrize("rise", [0.0, 0.3])
def test_its_linear_model_has_delay_and_rise(cart, kind, delay, rise):
    """A loop of place and rate over a mean force: the event-driven product of matrix exponentials."""
    T, k, kd = 0.05, 40.0, 12.0

    class Law(ist.Device):
        joint = ist.JointRef("m")
        q, v, w = joint.coordinate(), joint.rate(), ist.Out("s")

        def sample(d, t):
            d.w = -(40.0 * d.q + 12.0 * d.v) / 8.0 * 0.05

    made = ist.Assembly("x", vehicle=cart).add("law", Law(joint="cart"), every=T)
    made.add("jet", kind(at="cart", thrust=8.0, valve_delay=delay, rise=rise), every=T)
    found = ist.linearize(made.wire({"law.w": "jet.width"}), cart.state(), sampled=True)
    # [q, v, x] and forces on their way, the newest first
    n, whole = 6, int(delay / T + 1e-9)
    late = delay - whole * T

    def flow(h, acting):
        A = np.zeros((3 + n, 3 + n))
        A[0, 1] = 1.0
        if rise:
            A[1, 2], A[2, 2], A[2, 3 + acting] = 1.0 / 4.0, -1.0 / rise, 1.0 / rise
        else:
            A[1, 3 + acting] = 1.0 / 4.0
        return expm(h * A)

    shift = np.eye(3 + n)
    shift[3:] = np.eye(3 + n, k=-1)[3:]
    shift[3], shift[3, 0], shift[3, 1] = 0.0, -k, -kd
    wanted = np.linalg.eigvals(flow(T - late, whole) @ flow(late, whole + 1) @ shift)
    spurious = np.abs(wanted - (0.0 if rise else 1.0)) < (0.0 if rise else 1e-12)  # x without a rise
    wanted = np.sort_complex(wanted[~spurious & (np.abs(wanted) > 1e-3)])
    poles = found.poles()
    assert np.sort_complex(poles[np.abs(poles) > 1e-3]) == pytest.approx(wanted, abs=1e-9)


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
    made.add("jet", dev.EventThruster(**given), every="0.2 s")
    made.add("law", lambda t: widths.get(round(t / 0.2), 0.0), every="0.2 s", out={"w": "s"})
    log = ist.simulate(made.wire({"law.w": "jet.width"}), None, until=2, **steps)
    # edges are found to 1e-9 s
    assert 4.0 * log["cart"].v[-1, 0] == pytest.approx(8.0 * sum(widths.values()), rel=1e-7)


def test_steps_that_may_go_over_a_pulse_are_refused(cart):
    made = ist.Assembly("x", vehicle=cart)
    made.add("jet", dev.EventThruster(at="cart", thrust=8.0, min_on=0.002, width=0.004), every="0.1 s")
    with pytest.raises(
        ist.InterstageError, match=r"may go over what 'jet' does.*at most 0\.002 s, got 0\.02 s"
    ):
        ist.simulate(made, None, until=1, step="20 ms")
