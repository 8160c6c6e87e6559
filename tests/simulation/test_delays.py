"""Delays on wires and members, and continuous signals that are sampled on the way, against tables made by hand."""

from __future__ import annotations

import numpy as np
import pytest
from device_library import Counter, Degrees, Gain, IntegratingGyro, Lag, bus_and

import interstage as ist
from interstage.errors import InputError

HALVES = np.arange(0, 9) / 2  # 0, 0.5, ... 4


def seen(made, **wiring):
    """Return what a law says every half second that shows what is wired to it, 0 to 4 s."""
    made.add("see", lambda t, u: u, every="1/2 s", out={"y": "1"})
    made.wire(wiring.pop("wires"), **wiring)
    return ist.simulate(made, None, until=4, step=1)["see.y"]


def clock():
    return ist.Assembly("x").add("clock", lambda t: 10.0 + t, out={"t": "1"})


def test_a_continuous_signal_is_sampled_and_held_on_the_way():
    assert seen(clock(), wires={"clock.t": "see.u"}, every=1).tolist() == (10 + np.floor(HALVES)).tolist()


@pytest.mark.parametrize(
    ("delay", "table"),
    [
        ("1 sample", [0, 0, 10, 10, 11, 11, 12, 12, 13]),
        (1, [0, 0, 10, 10, 11, 11, 12, 12, 13]),
        ("1/2 s", [0, 10, 10, 11, 11, 12, 12, 13, 13]),
        ("2 samples", [0, 0, 0, 0, 10, 10, 11, 11, 12]),
        ("3/2 s", [0, 0, 0, 10, 10, 11, 11, 12, 12]),
    ],
)
def test_a_continuous_signal_is_sampled_then_delayed(delay, table):
    assert seen(clock(), wires={"clock.t": "see.u"}, every=1, delay=delay).tolist() == table


def test_a_member_is_seen_later_by_all_and_wires_add_to_that():
    made = ist.Assembly("x").add("count", Counter(), every=1, delay="1/2 s")
    made.add("other", lambda t, u: u, every="1/2 s", out={"y": "1"}).wire({"count.n": "other.u"})
    late = seen(made, wires={"count.n": "see.u"}, delay="1 sample")
    assert late.tolist() == [0, 0, 0, 1, 1, 2, 2, 3, 3]
    log = ist.simulate(made, None, until=4, step=1)
    assert log["other.y"].tolist() == [0, 1, 1, 2, 2, 3, 3, 4, 4]
    assert log["count.n"].tolist() == [1, 2, 3, 4, 5]  # what it says itself is not late
    assert "count: Counter, every 1 s, seen 1/2 s later" in str(made) and "count.n after 1 s" in str(made)


def test_a_delayed_continuous_signal_cuts_a_loop():
    made = ist.Assembly("ring").add("a", Gain(k=0.5)).add("b", Gain(k=1.0, b=1.0, w=0.0))
    made.wire({"a.y": "b.u"}).wire({"b.y": "a.u"}, every="1 s")
    log = ist.simulate(made, None, until=4, step=1)
    # what b says at the first sample is 1, then 1 + half of what was sampled before
    assert log["a.u"][:-1].tolist() == [1.0, 1.5, 1.75, 1.875]


def test_parts_and_units_go_through_a_delay():
    made = ist.Assembly("x").add("turn", lambda t: np.array([0, t, 2 * t]), out={"angle": "rad[3]"})
    made.add("table", Degrees(), every=1).wire({"turn.angle[1:3]": "table.u"}, every=1, delay=1)
    log = ist.simulate(made, None, until=3, step=1)
    assert log["table.held"] == pytest.approx(np.degrees([[0, 0], [0, 0], [1, 2], [2, 4]]), abs=1e-13)


def test_sensors_then_software_in_wiring_order_then_the_step_with_delays():
    """Every value of one tick, by hand: sensor, a law before and one after it in the order of addition, a delay."""
    mb = ist.Multibody("bus")
    mb.add_body("bus", mass=1.0, inertia=np.eye(3), joint=ist.Revolute("z"))
    vehicle = mb.compile()
    made = ist.Assembly("order", vehicle=vehicle)
    calls = []

    def noted(name):
        def law(t, u, w=0.0):
            calls.append((name, t))
            return 10.0 * u[2] if np.ndim(u) else u + w

        return law

    made.add("late", noted("late"), every="1/2 s", out={"y": "rad/s"})
    made.add("direct", noted("direct"), every="1/2 s", out={"y": "rad/s"})
    made.add("gyro", IntegratingGyro(at="bus"), every="1/4 s")
    made.wire({"gyro.rate": "direct.u"}).wire({"direct.y": "late.u"}).wire(
        {"direct.y": "late.w"}, delay="1 sample"
    )
    log = ist.simulate(made, vehicle.state(v=[0.5]), until=1, step="1/4 s")
    # the gyro says 0 at t = 0 (no angle yet), then 0.5; `direct` ten times that at once; `late` adds what it was before
    assert log["gyro.rate"][:, 2] == pytest.approx([0, 0.5, 0.5, 0.5, 0.5], abs=1e-15)
    assert log["direct.y"] == pytest.approx([0, 5, 5], abs=1e-14)
    assert log["late.y"] == pytest.approx([0, 5, 10], abs=1e-14)
    assert calls == [(name, t) for t in (0.0, 0.5, 1.0) for name in ("direct", "late")]


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (
            lambda a: a.wire({"lag.y": "b.u"}, delay="1 ms"),
            r"'lag.y' is continuous: only what is sampled .*every=",
        ),
        (
            lambda a: a.wire({"count.n": "b.u"}, every=1),
            r"'count.n' is sampled already \(every\); got every 2 s",
        ),
        (lambda a: a.wire({"count.n": "b.u"}, delay=-1), "delay must be a time that is not negative"),
        (lambda a: a.wire({"count.n": "b.u"}, delay="2 smaples"), "there is no unit 'smaples'"),
        (lambda a: a.wire({"lag.y": "b.u"}, every=-1), "every must be a positive time; got -1"),
        (lambda a: a.add("x", Lag(), delay=1), "'x' samples no output: only what is sampled can be delayed"),
        (lambda a: a.add("x", lambda t: 1.0, delay=1), "'x' samples no output"),
        (lambda a: a.add("x", ist.Assembly(), delay=1), "'x' is an assembly"),
    ],
)
def test_delays_that_cannot_be_are_refused(make, said):
    made = ist.Assembly("x").add("lag", Lag(u=1.0)).add("count", Counter(), every=2).add("b", Gain())
    with pytest.raises(InputError, match=said):
        make(made)


def test_a_vehicle_is_not_needed_and_one_does_not_hurt():
    made = ist.Assembly("x", vehicle=bus_and("wheel", 1.0, [0, 0, 0], [0.1, 0.1, 0.2]))
    made.add("clock", lambda t: t, out={"t": "s"})
    made.add("late", lambda t, u: u, every="0.1 s", out={"y": "s"})
    made.wire({"clock.t": "late.u"}, every="0.1 s", delay="2 samples")
    log = ist.simulate(made, None, until=1, step="0.1 s")
    assert log["late.y"] == pytest.approx(np.maximum(0, log.times("late.y") - 0.2), abs=1e-15)


@pytest.mark.parametrize("wiring", [{}, {"delay": "1/2 s"}, {"delay": "2 samples"}])
@pytest.mark.parametrize("late", [None, "1/4 s"])
def test_one_number_reaches_a_law_as_one_number_whatever_its_delay(wiring, late):
    shapes = set()

    def law(t, n):
        shapes.add(np.shape(n))
        return n

    made = (
        ist.Assembly("x")
        .add("count", Counter(), every=1, delay=late)
        .add("see", law, every=1, out={"y": "1"})
    )
    ist.simulate(made.wire({"count.n": "see.n"}, **wiring), None, until=3, step=1)
    assert shapes == {()}


def test_a_continuous_number_that_is_sampled_on_the_way_is_one_number():
    shapes = set()
    made = clock().add("see", lambda t, u: shapes.add(np.shape(u)) or u, every=1, out={"y": "1"})
    ist.simulate(made.wire({"clock.t": "see.u"}, every=1, delay=1), None, until=3, step=1)
    assert shapes == {()}


class Remembers:
    def __init__(self):
        self.y = 0.0

    def __call__(self, t, u):
        self.y = 0.8 * self.y + 0.2 * u
        return self.y


def test_memory_behind_a_delay_is_in_the_sampled_model():
    """x⁺ = e x + (1 - e) y⁺, y⁺ = 0.8 y + 0.2 d, d⁺ = x: a law behind a delay that drives a lag."""
    made = ist.Assembly("loop").add("lag", Lag(tau=1.0)).add("law", Remembers(), every=1, out={"y": "N"})
    made.add("held", lambda t, x: x, every=1, out={"y": "N"})
    made.wire({"lag.y": "held.x", "law.y": "lag.u"}).wire({"held.y": "law.u"}, delay="1 sample")
    e = np.exp(-1.0)
    by_hand = np.array([[e, (1 - e) * 0.8, (1 - e) * 0.2], [0, 0.8, 0.2], [1, 0, 0]])
    found, wanted = np.linalg.eigvals(ist.linearize(made, None, sampled=True).A), np.linalg.eigvals(by_hand)
    moving = [
        np.sort_complex(z[abs(z) > 1e-9]) for z in (found, wanted)
    ]  # what a delay leaves behind is at zero
    assert np.allclose(*moving, atol=1e-12) and len(moving[0]) == 2
