"""Events: found to their tolerance, in order, never stepped over; what they do to a vehicle; logs in phases."""

from __future__ import annotations

import numpy as np
import pytest
from multibody_models import beam

import interstage as ist
from interstage.errors import InputError, SolverError
from interstage.multibody import Free, Multibody, Prismatic, Revolute
from interstage.simulation import simulate

BEAM = beam(n_elements=5, n_modes=3, E=2e8)
METHODS = [{"step": 1e-2}, {"step": 1e-2, "method": "ros2"}, {}]


def stone(speed=0.0):
    mb = Multibody("stone", gravity=[0, 0, -10.0])
    mb.add_body("stone", mass=2.0, inertia=[1, 1, 1], joint=Free())
    system = mb.compile()
    x = system.state()
    x["stone"].position[:] = [0, 0, 5.0]
    x["stone"].velocity[5] = speed
    return system, x


def height(t, x):
    return x["stone"].position[2]


@pytest.mark.parametrize("options", METHODS)
def test_the_time_of_a_fall(options):
    """5 m at 10 m/s²: one second. All methods are exact on a parabola; the event is found to its tolerance."""
    system, x = stone()
    log = simulate(system, x, 3.0, events=[ist.Event(height, "stop", name="ground")], **options)
    (event,) = log.events
    assert event.t == pytest.approx(1.0, abs=2e-9)
    assert log.t[-1] == event.t
    assert -1e-7 < log["stone"].position[-1, 2] <= 0.0
    assert event.name == "ground" and "stop" in event.what
    assert "1 events" in repr(log)


@pytest.mark.parametrize("options", METHODS)
def test_a_bouncing_stone(options):
    """Each bounce reverses the speed: impacts at 1, 3, 5, ... seconds, found one after the other."""
    system, x = stone()

    def bounce(t, system, x):
        x["stone"].velocity[5] *= -1.0
        return x

    log = simulate(system, x, 8.0, events=[ist.Event(height, bounce, direction=-1)], **options)
    np.testing.assert_allclose([e.t for e in log.events], [1, 3, 5, 7], atol=2e-8)
    assert len(log.phases) == 5
    assert log["stone"].position.shape == (len(log), 3)
    assert abs(log.energy / log.energy[0] - 1.0).max() < 1e-7


def test_direction_and_simultaneous_events():
    system, x = stone(speed=20.0)
    seen = []

    def note(name):
        return lambda t, system, x: seen.append((name, t))

    top = [
        ist.Event(lambda t, x: height(t, x) - 20.0, note("up"), direction=1),
        ist.Event(lambda t, x: height(t, x) - 20.0, note("down"), direction=-1),
        ist.Event(lambda t, x: height(t, x) - 20.0, note("both")),
        ist.Event(at=1.0, action=note("timed")),
    ]
    log = simulate(system, x, 4.0, 1e-2, events=top)
    # 5 + 20 t - 5 t² = 20 at t = 1 and 3
    assert [name for name, _ in seen] == ["timed", "up", "both", "down", "both"] or [
        name for name, _ in seen
    ] == ["up", "both", "timed", "down", "both"]
    np.testing.assert_allclose([t for _, t in seen], [1, 1, 1, 3, 3], atol=2e-8)
    assert len(log.phases) == 1 and len(log.events) == 5


@pytest.mark.parametrize("options", [{"step": 0.1}, {"step": 0.1, "method": "ros2"}, {}])
def test_a_crossing_and_back_within_a_step_is_not_stepped_over(options):
    """A pendulum bob dips below a line for 0.04 s: looked for inside steps of 0.1 s."""
    mb = Multibody("spring")
    mb.add_body("bob", mass=1.0, joint=Prismatic("x", stiffness=1.0))
    system = mb.compile()
    x = system.state()
    x["bob"].q[:] = 1.0
    level = np.cos(np.pi - 0.02)
    event = ist.Event(lambda t, x: x["bob"].q[0] - level, "stop", samples=9)
    log = simulate(system, x, 6.0, events=[event], max_step=0.5, **options)
    assert log.events[0].t == pytest.approx(np.pi - 0.02, abs=3e-3 if options.get("method") else 1e-4)


@pytest.mark.parametrize(
    "condition", [lambda t, x: x["rod"].q[0] - 0.1, lambda t, x: abs(x["rod"].q[0]) - 0.1]
)
@pytest.mark.parametrize("direction", [0, 1])
def test_an_event_is_found_where_interpolants_of_a_step_show_it_late(condition, direction):
    """A rod that topples, q̈ = λ²q, in steps of 0.1 s, two hundred of its times 1/λ.

    One step of RK4 from rest gives q = q0 (1 + z²/2 + z⁴/24), z = λh, and the event is where a step as long as that
    brings q = 0.1; a cubic through the ends of the whole step is in front of it far longer.
    """
    rate, q0 = 2000.0, 1e-6
    mb = Multibody("rod")
    mb.add_body("rod", mass=1.0, inertia=[1, 1, 1], joint=Revolute("x", stiffness=-(rate**2)))
    system = mb.compile()
    x = system.state()
    x["rod"].q[:] = q0
    log = simulate(system, x, 1.0, 0.1, events=[ist.Event(condition, "stop", direction=direction)])
    w = 24.0 * (0.1 / q0 - 1.0)  # z⁴ + 12 z² = w
    expected = np.sqrt(np.sqrt(36.0 + w) - 6.0) / rate
    assert log.events[0].t == pytest.approx(expected, abs=2e-9)  # the tolerance of events is 1e-9 s
    assert log["rod"].q[-1, 0] == pytest.approx(0.1, rel=1e-5)


@pytest.mark.parametrize("options", [{"step": 0.1}, {"step": 0.1, "method": "ros2"}, {"max_step": 0.1}])
def test_switches_arrays_and_events_given_twice(options):
    """A condition may be a switch: both its edges count; an array of one number is a number."""
    system, x = stone(speed=0.0)
    window = ist.Event(lambda t, x: 1 if 0.52 < t < 0.56 else -1, None, name="window", samples=9)
    level = ist.Event(lambda t, x: x["stone"].q[6:] - 3.0, None, name="level")
    log = simulate(system, x, 0.9, events=[window, level, level], **options)
    assert [e.name for e in log.events] == ["window", "window", "level"]
    np.testing.assert_allclose([e.t for e in log.events], [0.52, 0.56, np.sqrt(0.4)], atol=1e-8)
    with pytest.raises(SolverError, match="condition of event 'q' failed"):
        simulate(system, x, 0.9, events=[ist.Event(lambda t, x: x.q, None, name="q")], **options)


def booster(n=0):
    """Return a core with two boosters and a flexible fairing on top, all turning."""
    mb = Multibody("rocket")
    mb.add_body("core", mass=50.0, inertia=[20, 30, 30], joint=Free())
    for name, y in (("left", 1.0), ("right", -1.0)):
        mb.add_body(name, mass=10.0, inertia=[2, 3, 3], parent="core", at=[0, y, 0])
    mb.add_body("mast", component=BEAM, parent="core", at=[1, 0, 0], joint=Revolute("z", stiffness=300.0))
    system = mb.compile()
    x = system.state()
    x["core"].velocity[:] = [0.4, -0.2, 0.3, 1.0, 2.0, 3.0]
    x["mast"].eta[:] = 0.002
    return system, x


def drift(log) -> float:
    """Change of the angular and linear momentum over three phases."""
    return float(np.abs(log.phases[2].sums[-1, 3:] - log.phases[0].sums[0, 3:]).max())


@pytest.mark.parametrize("options", [{"step": 1e-3}, {"step": 1e-3, "method": "ros2"}, {}])
def test_boosters_leave_one_after_the_other(options):
    system, x = booster()
    events = [
        ist.Event(at=0.2, action=ist.Detach("left")),
        ist.Event(at=0.40005, action=ist.Detach("right"), name="second"),
        ist.Event(at=0.5, action=[ist.RemoveBody("left"), ist.SetJointMode("mast", "locked")]),
    ]
    log = simulate(system, x, 0.6, events=events, log_step=0.1, **options)
    assert [round(e.t, 8) for e in log.events] == [0.2, 0.40005, 0.5]
    assert [len(p.system.bodies) for p in log.phases] == [4, 4, 4, 3]
    for event in log.events[:2]:
        size = np.abs(event.momentum_before).max()
        assert np.abs(event.momentum_after - event.momentum_before).max() < 1e-12 * size
        assert abs(event.energy_loss) < 1e-12 * event.energy_before
    assert log.events[1].name == "second" and log.events[0].what == "detach 'left'"
    # the run itself conserves momentum to the error of the method, which for ROS2 is a quarter in half the steps
    if "method" in options:
        half = simulate(system, x, 0.6, events=events, log_step=0.1, **{**options, "step": 0.5e-3})
        assert 3.0 < drift(log) / drift(half) < 5.0
    else:
        assert drift(log) < 2e-4
    assert len(log["left"].t) == sum(len(p) for p in log.phases[:3])
    assert log["mast"].eta.shape == (len(log), 3)
    assert log.position("core").shape == (len(log), 3)
    with pytest.raises(InputError, match="not the same quantity in all phases"):
        _ = log["left"].q
    with pytest.raises(InputError, match="another size in each phase"):
        _ = log.q
    assert system.bodies == ["core", "left", "right", "mast"]  # the user's system is as it was
    assert np.abs(log.state()["mast"].v).max() == 0.0


def test_docking_when_two_bodies_meet():
    mb = Multibody("dock")
    mb.add_body("station", mass=50.0, inertia=[20, 30, 30], joint=Free())
    mb.add_body("boom", component=BEAM, parent="station", at=[1, 0, 0])
    mb.add_body("lander", mass=10.0, inertia=[2, 3, 3], joint=Free())
    system = mb.compile()
    x = system.state()
    x["lander"].position[:] = [4.0, 0.0, 0.0]
    x["lander"].velocity[3] = -0.5
    tip = BEAM.node_ids[-1]

    def gap(t, x):
        return system.position(x, "lander")[0] - system.position(x, "boom", int(tip))[0] - 0.5

    docking = ist.Event(gap, ist.Attach("lander", ("boom", int(tip))), name="contact")
    for options in ({"step": 1e-3, "method": "ros2"}, {}):
        log = simulate(system, x, 5.0, events=[docking], **options)
        (event,) = log.events
        assert event.t == pytest.approx(3.0, abs=1e-8)
        assert event.energy_loss > 0.0
        size = np.abs(event.momentum_before).max()
        assert np.abs(event.momentum_after - event.momentum_before).max() < 1e-12 * size
        assert log.system.model.spec("lander").parent == "boom"
        # the docked lander stays half a metre from the tip
        apart = log.position("lander")[-1] - log.position("boom", int(tip))[-1]
        assert np.linalg.norm(apart) == pytest.approx(0.5, rel=1e-9)


def test_control_is_asked_anew_and_tau_follows_names():
    mb = Multibody("arms")
    mb.add_body("bus", mass=5.0, inertia=[1, 1, 1], joint=Free())
    mb.add_body("one", mass=1.0, inertia=[1, 1, 1], parent="bus", joint=Revolute("z"))
    mb.add_body("two", mass=1.0, inertia=[1, 1, 1], parent="bus", joint=Revolute("z"))
    system = mb.compile()
    tau = np.zeros(system.nv)
    tau[-1] = 0.5
    log = simulate(
        system, system.state(), 2.0, 0.1, tau=tau, events=[ist.Event(at=1.0, action=ist.Detach("one"))]
    )
    np.testing.assert_allclose(log.torque("two"), 0.5, rtol=1e-12)
    sizes = []

    def law(t, x):
        sizes.append((round(t, 6), len(x.v)))
        return np.zeros(len(x.v))

    events = [ist.Event(at=0.25, action=ist.Detach("one"))]
    simulate(system, system.state(), 0.6, 0.1, control=law, control_step=0.2, events=events)
    assert sizes == [(0.0, 8), (0.2, 8), (0.25, 13), (0.4, 13)]


def test_two_changes_at_one_time_and_loads_on_what_is_gone():
    system, x = booster()
    events = [
        ist.Event(at=0.1, action=ist.Detach("left")),
        ist.Event(at=0.1, action=ist.Detach("right")),
        ist.Event(at=0.2, action=ist.RemoveBody("right")),
    ]
    push = {"right": [0, 0, 0, 5.0, 0, 0], "core": [0, 0, 0, 7.0, 0, 0]}
    log = simulate(system, x, 0.3, 1e-3, method="ros2", forces=push, events=events, log_step=0.1)
    assert [len(phase) for phase in log.phases] == [2, 1, 2, 2]
    assert np.abs(log.torque("mast")).max() < 1e-9
    np.testing.assert_allclose(log.phases[0].accelerations.shape, (2, system.nv))


def test_log_rows_stay_on_the_grid_after_an_event():
    system, x = stone()
    log = simulate(system, x, 0.5, 0.01, log_step=0.1, events=[ist.Event(at=0.123, action=lambda t, s, x: x)])
    np.testing.assert_allclose(log.t, [0, 0.1, 0.123, 0.123, 0.2, 0.3, 0.4, 0.5], atol=1e-12)
    assert log.state(2).q.shape == (7,)
    with pytest.raises(InputError, match="no such row"):
        log.state(8)


def test_bad_events_are_refused_in_words():
    system, x = stone()

    def wrong(t, system, x):
        return 7

    def broken(t, system, x):
        raise KeyError("engine")

    for words, event in (
        ("body 'nose'", ist.Event(at=0.1, action=ist.Detach("nose"), name="sep")),
        (
            "event 'sep' failed at t = 0.1.*is a root",
            ist.Event(at=0.1, action=ist.Detach("stone"), name="sep"),
        ),
        ("KeyError", ist.Event(at=0.1, action=broken)),
        ("expected None, a State", ist.Event(at=0.1, action=wrong)),
        ("condition of event 'c' failed", ist.Event(lambda t, x: x["nix"], None, name="c", once=False)),
        ("not a number", ist.Event(lambda t, x: np.nan, None)),
    ):
        with pytest.raises((SolverError, InputError), match=words):
            simulate(system, x, 1.0, 0.1, events=[event])
    for words, make in (
        ("condition or a time", lambda: ist.Event()),
        ("not a function", lambda: ist.Event(3.0)),
        ("direction", lambda: ist.Event(height, direction=2)),
        ("tolerance", lambda: ist.Event(height, tolerance=0.0)),
        ("unknown action", lambda: ist.Event(height, "explode")),
        ("finite", lambda: ist.Event(at=np.inf)),
        ("not an event", lambda: simulate(system, x, 1.0, 0.1, events=[height])),
    ):
        with pytest.raises(InputError, match=words):
            make()
