"""Events of assemblies: on ports, states and the vehicle, found in time, never stepped over; what they change."""

from __future__ import annotations

import numpy as np
import pytest

import interstage as ist
from interstage.errors import InputError

G = 9.80665


class Ball(ist.Device):
    """A height by two states, and a port of it."""

    y, v = ist.ContinuousState("m", initial=1.0), ist.ContinuousState("m/s")
    mode, g = ist.IntegerState(), ist.Parameter("m/s^2", G)
    height, speed, both = ist.Out("m"), ist.Out("m/s"), ist.Out("", 2)

    def outputs(d, t):
        d.height = d.y
        d.speed = d.v
        d.both[0], d.both[1] = d.v, d.y

    def rates(d, t):
        d.ydot = d.v
        d.vdot = -d.g if d.mode == 0 else 0.0


def falling(**more):
    return ist.Assembly("ball").add("ball", Ball(**more))


@pytest.mark.parametrize(
    "options",
    [
        {"step": "0.1 s"},
        {"method": "dopri5"},
        {"method": "ros3", "step": "10 ms"},
        *({"method": name} for name in ("dop853", "rk45", "radau")),
    ],
    ids=str,
)
def test_a_port_that_crosses_a_level_ends_the_run(options):
    stop = ist.Event(condition="ball.height", level="25 cm", action="stop", name="low")
    part = ist.Event(condition="ball.both[1]", level=0.5, name="half")
    log = ist.simulate(falling(), None, until=2, events=[stop, part], **options)
    # y = 1 - g t²/2, to the tolerance of the event: every one of these methods is exact for a parabola
    assert log.t[-1] == pytest.approx(np.sqrt(1.5 / G), abs=2e-9) and log["ball.y"][-1] == pytest.approx(
        0.25, abs=1e-8
    )
    assert [e.name for e in log.events] == ["half", "low"] and log.events[1].t == log.t[-1]
    assert log.events[0].t == pytest.approx(np.sqrt(1.0 / G), abs=2e-9)


@pytest.mark.parametrize("method", ["bdf", "lsoda"])
def test_methods_of_several_steps_find_it_as_exactly_as_they_go(method):
    stop = ist.Event(condition="ball.height", level="25 cm", action="stop", name="low")
    log = ist.simulate(falling(), None, until=2, events=[stop], method=method)
    # they begin with order one and keep to tolerances of 1e-9: some of these add up
    assert log.t[-1] == pytest.approx(np.sqrt(1.5 / G), abs=2e-8)


@pytest.mark.parametrize("options", [{"step": "10 ms"}, {"method": "dopri5"}, {"method": "dop853"}], ids=str)
def test_bounces_are_found_and_come_to_rest(options):
    """Each bounce takes half of the speed: times in a geometric series, the ball lies still at its limit."""

    def bounce(t, system, x):
        return {"ball.v": speeds.pop(0)}

    first = np.sqrt(2.0 / G)
    speeds = [G * first * 0.5**k for k in range(1, 60)]
    hit = ist.Event(
        condition="ball.y", direction=-1, action=bounce, rest={"ball.mode": 1, "ball.v": 0.0}, name="hit"
    )
    log = ist.simulate(falling(), None, until=1.45, events=[hit], **options)
    times = [e.t for e in log.events]
    truth = first * (1.0 + 2.0 * np.cumsum(0.5 ** np.arange(1, 12)))
    assert times[1:9] == pytest.approx(truth[:8], abs=1e-8) and abs(log["ball.y"][-1]) < 1e-7
    assert log.events[-1].what.startswith("at rest") and times[-1] == pytest.approx(3.0 * first, abs=1e-6)


def test_a_sampled_port_and_the_vehicle():
    mb = ist.Multibody("cart")
    mb.add_body("cart", mass=1.0, inertia=np.eye(3), joint=ist.Prismatic("x"))
    system = mb.compile()
    made = ist.Assembly("cart", vehicle=system).add("count", lambda t: t, every="0.25 s", out={"t": "s"})
    seen = ist.Event(condition="count.t", level=0.6, name="sample", direction=1)
    lock = ist.Event(
        condition=lambda t, x: x["cart"].q[0] - 1.1, action=ist.SetJointMode("cart", "locked"), name="lock"
    )
    log = ist.simulate(made, system.state(v=[1.0]), until=2, step="0.1 s", events=[seen, lock])
    assert [e.name for e in log.events] == ["sample", "lock"]
    assert log.events[0].t == pytest.approx(0.75, abs=2e-9) and log.events[1].t == pytest.approx(
        1.1, abs=2e-9
    )
    assert log.q[-1, 0] == pytest.approx(1.1, abs=1e-8) and log.v[-1, 0] == 0.0
    assert system.joint_mode("cart") == "free"
    assert log.times("count.t").tolist() == [0.25 * k for k in range(9)]


@pytest.mark.parametrize(
    ("event", "options", "said"),
    [
        ({"condition": "ball.hight"}, {}, r"there is no port or state 'ball.hight'.*did you mean"),
        ({"condition": "ball.*"}, {}, "is not one number"),
        ({"condition": "ball.both"}, {}, "is not one number"),
        ({"condition": "ball.both[2]"}, {}, "is not one number"),
        ({"condition": "ball.height", "level": "3 s"}, {}, "the units do not fit"),
    ],
)
def test_what_cannot_be_watched_is_said(event, options, said):
    with pytest.raises(InputError, match=said):
        ist.simulate(falling(), None, until=1, events=[ist.Event(**event)], **options)


def test_ports_and_devices_belong_to_assemblies():
    mb = ist.Multibody("cart")
    mb.add_body("cart", mass=1.0, inertia=np.eye(3), joint=ist.Prismatic("x"))
    system = mb.compile()
    with pytest.raises(InputError, match=r"watches a port, 'a.b'; only an assembly has ports"):
        ist.simulate(system, system.state(), 1.0, 0.1, events=[ist.Event(condition="a.b")])
    event = ist.Event(condition=lambda t, x: t - 0.5, action={"a.b": 1.0}, name="set")
    with pytest.raises(InputError, match=r"event 'set' sets a.b; only an assembly has devices"):
        ist.simulate(system, system.state(), 1.0, 0.1, events=[event])


def test_a_device_switches_where_it_says():
    """A relay: full force towards zero, switched by its own crossings of ±0.1, on an integrator: a triangle."""

    class Relay(ist.Device):
        x = ist.ContinuousState("m")
        side = ist.IntegerState(initial=1)
        high, low = ist.ZeroCrossing("m", direction=1), ist.ZeroCrossing("m", direction=-1)

        def outputs(d, t):
            d.high = d.x - 0.1
            d.low = d.x + 0.1

        def rates(d, t):
            d.xdot = 1.0 * d.side

        def switch(d, t):
            d.side = -d.side

    made = ist.Assembly("relay").add("relay", Relay())
    log = ist.simulate(made, None, until=1, step="70 ms")
    assert [e.t for e in log.events] == pytest.approx([0.1, 0.3, 0.5, 0.7, 0.9], abs=2e-8)
    assert [e.name for e in log.events] == ["relay.high", "relay.low"] * 2 + ["relay.high"]
    triangle = np.interp(log.t, [0, 0.1, 0.3, 0.5, 0.7, 0.9, 1.1], [0, 0.1, -0.1, 0.1, -0.1, 0.1, -0.1])
    np.testing.assert_allclose(log["relay.x"], triangle, atol=2e-8)
    with pytest.raises(InputError, match=r"has crossings \(x\), but no function switch"):

        class Deaf(ist.Device):
            x = ist.ZeroCrossing("m")

            def outputs(d, t):
                d.x = t


@pytest.mark.parametrize("options", [{"step": "70 ms"}, {"method": "radau"}], ids=str)
def test_a_switch_is_told_which_crossing_it_is(options):
    class Band(ist.Device):
        x, side = ist.ContinuousState("m"), ist.IntegerState(initial=1)
        high, low = ist.ZeroCrossing("m", direction=1), ist.ZeroCrossing("m", direction=-1)

        def switch(d, t, crossing):
            d.side = -1 if crossing == "high" else 2

        def rates(d, t):
            d.xdot = 1.0 * d.side

        def outputs(d, t):
            d.high = d.x - 0.1
            d.low = d.x + 0.2

    log = ist.simulate(ist.Assembly("band").add("band", Band()), None, until=1, **options)
    # up with 1, down with 1, then up with 2
    assert [e.name for e in log.events] == ["band.high", "band.low"] * 2
    assert [e.t for e in log.events] == pytest.approx([0.1, 0.4, 0.55, 0.85], abs=2e-8)
    assert log["band.x"][-1] == pytest.approx(0.1, abs=1e-7)


class Swing(ist.Device):
    """A pendulum of small angles with a slow beat on it: it nears levels, turns back, and crosses others."""

    x, v = ist.ContinuousState("m", initial=1.0), ist.ContinuousState("m/s")
    out = ist.Out("m")

    def outputs(d, t):
        d.out = d.x * (1.0 + 0.3 * np.sin(0.7 * t))

    def rates(d, t):
        d.xdot = d.v
        d.vdot = -4.0 * d.x


@pytest.mark.parametrize(
    "options", [{"step": "50 ms"}, {"method": "dopri5"}, {"step": "20 ms", "method": "ros3"}], ids=str
)
def test_steps_that_watch_by_themselves_find_what_is_looked_into_everywhere(options):
    """With `samples` every step is looked into from Python; without, only where a crossing could be."""
    levels = [0.4, 1.05, 1.25, 1.29]  # the last two are passed near the largest swings alone

    def run(**more):
        events = [ist.Event("swing.out", level=level, name=str(level), **more) for level in levels]
        return ist.simulate(
            ist.Assembly("swing").add("swing", Swing()), None, until=12, events=events, **options
        )

    quick, thorough = run(), run(samples=3)
    assert len(quick.events) > 10 and [e.name for e in quick.events] == [e.name for e in thorough.events]
    assert [e.t for e in quick.events] == pytest.approx([e.t for e in thorough.events], abs=2e-9)
    # closed form: x = cos 2t
    fine = np.linspace(0.0, 12.0, 2_000_001)
    truth = np.cos(2.0 * fine) * (1.0 + 0.3 * np.sin(0.7 * fine))
    for level in levels:
        count = int(np.sum(np.diff(np.sign(truth - level)) != 0))
        assert sum(e.name == str(level) for e in quick.events) == count, level


@pytest.mark.parametrize("method", ["rk4", "dopri5", "ros3", "dop853", "radau"])
@pytest.mark.parametrize("how", ["time", "condition"])
@pytest.mark.parametrize("alone", [True, False], ids=["vehicle", "assembly"])
def test_a_stop_at_the_time_of_a_row_keeps_every_row(method, how, alone):
    """A slide at 1 m/s: x = t - 0.5 at 0, 0.05, ..., 0.5 s, where the run ends."""
    mb = ist.Multibody("slide")
    mb.add_body("a", mass=2.0, inertia=[1.0, 1.0, 1.0], joint=ist.Prismatic("x"))
    system = mb.compile()
    x = system.state()
    x.q[:], x.v[:] = -0.5, 1.0
    stop = (
        ist.Event(at=0.5, action="stop") if how == "time" else ist.Event(lambda t, x: x.q[0], action="stop")
    )
    of = system if alone else ist.Assembly("slide", vehicle=system)
    step = {"step": 0.01} if method == "rk4" else {}
    log = ist.simulate(of, x, until=1.0, method=method, log_step=0.05, events=[stop], **step)
    rows = np.unique(np.round(log.t, 8))
    assert np.allclose(rows, 0.05 * np.arange(11), atol=2e-8)  # as near as conditions are found
    assert np.allclose(log.q[:, 0], log.t - 0.5, atol=1e-8)
