"""Runs as a demanding user makes them: wrong arguments, events close together, actions that change things in place."""

from __future__ import annotations

import numpy as np
import pytest
from closure_models import four_bar, hub_arm_and_port, pinned
from scipy.integrate import simpson

from interstage.errors import InputError, InterstageError, SolverError
from interstage.multibody import Ball, Free, Locked, Multibody, Revolute
from interstage.simulation import Attach, Detach, Event, PrescribedMotion, SetJointMode, simulate


def vehicle():
    """Return a free bus with an arm on a hinge and a tank, turning; no gravity."""
    mb = Multibody("vehicle")
    mb.add_body("bus", mass=10.0, inertia=[1, 2, 3.0], joint=Free())
    arm = {"parent": "bus", "at": [1, 0, 0], "joint": Revolute("y")}
    mb.add_body("arm", mass=1.0, com=[0.5, 0, 0], inertia=[0.01, 0.1, 0.1], **arm)
    mb.add_body("tank", mass=5.0, inertia=[0.1, 0.1, 0.1], parent="bus", at=[0, 0, -1], joint=Locked())
    system = mb.compile()
    x = system.state()
    x["arm"].v[:] = 1.0
    x["bus"].velocity[:] = [0.1, 0.2, 0.3, 0, 0, 1.0]
    return system, x


@pytest.fixture(scope="module")
def made():
    return vehicle()


@pytest.fixture
def whole(made):
    return made[0]


@pytest.fixture
def start(made):
    return made[1]


GRID = {"until": 0.4, "step": 1e-2}


def nothing(t, x):
    return None


@pytest.mark.parametrize(
    "options",
    [
        {"until": None},
        {"until": "soon"},
        {"step": "a"},
        {"log_step": 0.0},
        {"log_step": np.nan},
        {"log_step": "a"},
        {"control": 3},
        {"control": nothing, "control_step": 0.0},
        {"control": lambda t, x: 1 / 0},
        {"control": lambda t, x: "no"},
        {"tau": "a"},
        {"tau": lambda t: 1 / 0},
        {"tau": lambda t: "a"},
        {"events": "stop"},
        {"motions": [1]},
        {"mass": [1]},
        {"forces": [1]},
        {"motions": {"arm": PrescribedMotion(angle=([0, 1, 2], [0, np.nan, 1]))}},
        {"motions": {"arm": PrescribedMotion(angle=([0, 1, 2], np.zeros((3, 1, 1))))}},
        {"step": None, "rtol": -1.0},
        {"step": None, "atol": 0.0},
        {"step": None, "max_step": 0.0},
        {"step": -1.0, "method": "dop853"},
        {"step": None, "log_step": 0.0},
    ],
)
def test_wrong_options_are_a_sentence(whole, start, options):
    with pytest.raises(InterstageError):
        simulate(whole, start, **{**GRID, **options})


@pytest.mark.parametrize(
    "options", [{"at": "noon"}, {"at": -1.0}, {"at": 1.0, "tolerance": "a"}, {"at": 1.0, "samples": -1}]
)
def test_wrong_events_are_a_sentence(options):
    with pytest.raises(InputError):
        Event(**options)


def test_a_state_of_another_vehicle_does_not_start(whole, start):
    apart, y = whole.detach("tank", start)
    for system, x in ((whole, y), (apart, start), (whole, None), (whole, start.q)):
        with pytest.raises(InputError, match="state"):
            simulate(system, x, **GRID)


@pytest.mark.parametrize("method", ["rk4", "dop853"])
def test_events_of_unlike_tolerances_are_none_late(whole, start, method):
    """An event found to 1e-9 is not put off to one found to 1e-3 that follows it."""
    events = [
        Event(condition=lambda t, x: t - 0.2012, name="fine"),
        Event(condition=lambda t, x: t - 0.20121, name="finer"),
        Event(condition=lambda t, x: t - 0.2017, name="coarse", tolerance=1e-3),
    ]
    log = simulate(whole, start, **GRID, method=method, events=events)
    assert [e.name for e in log.events] == ["fine", "finer", "coarse"]
    np.testing.assert_allclose([e.t for e in log.events][:2], [0.2012, 0.20121], atol=1e-9)
    assert all(type(e.t) is float for e in log.events)


def test_dense_output_where_phases_have_no_length(whole, start):
    events = [
        Event(at=0.0, action=Detach("tank")),
        Event(at=0.2, action=SetJointMode("arm", "locked")),
        Event(at=0.2, action=Detach("arm")),
        Event(at=0.4, action=lambda t, system, x: x),
    ]
    log = simulate(whole, start, until=0.4, events=events)
    assert len(log.phases) == 5
    for t in (0.0, 0.1, 0.2, 0.3, 0.4):
        x = log.at(t)
        assert len(x.q) == log.phases[-1].system.nq - (0 if t >= 0.2 else 6)
    np.testing.assert_allclose(log.at(0.4).q, log.state().q, atol=1e-12)


def test_an_event_on_a_step_is_logged_once_before_and_once_after(whole, start):
    event = Event(condition=lambda t, x: t - 0.4, action=Detach("tank"))
    log = simulate(whole, start, **GRID, events=[event])
    assert [len(phase) for phase in log.phases] == [41, 1]


def test_what_an_action_sets_in_place_holds_from_then_on(whole, start):
    """A joint locked in place stops as by SetJointMode, momentum kept; loads on it do not become accelerations."""
    tau = np.zeros(whole.nv)
    tau[6] = 2.0

    def lock(t, system, x):
        system.set_joint_mode("arm", "locked")

    def fill(t, system, x):
        system.set_mass("tank", 50.0, inertia=[1, 1, 1])

    log = simulate(whole, start, **GRID, tau=tau, events=[Event(at=0.2, action=lock)])
    same = simulate(
        whole, start, **GRID, tau=tau, events=[Event(at=0.2, action=SetJointMode("arm", "locked"))]
    )
    assert np.array_equal(log.state().q, same.state().q)
    assert not log.phases[1]["arm"].v.any()
    record = log.events[0]
    assert np.abs(record.momentum_after - record.momentum_before).max() < 1e-13
    assert record.energy_loss > 0.0
    log = simulate(whole, start, **GRID, events=[Event(at=0.2, action=fill)])
    masses = [phase.system.mass_properties(phase.state()).mass for phase in log.phases]
    np.testing.assert_allclose(masses, [16.0, 61.0], rtol=1e-14)
    assert whole.joint_mode("arm") == "free" and whole.model.spec("tank").inertia.mass == 5.0


def test_a_locked_joint_that_moves_does_not_start():
    system, x = vehicle()
    system.set_joint_mode("arm", "locked")
    with pytest.raises(InputError, match="locked, but it moves"):
        simulate(system, x, **GRID)


def test_a_condition_can_ask_the_system_that_flies(whole, start):
    """The system of the start does not know the states after a separation; the condition gets the present one."""
    events = [
        Event(at=0.1, action=Detach("tank")),
        Event(condition=lambda t, x, system: system.position(x, "tank")[2] + 0.8, name="clear"),
    ]
    log = simulate(whole, start, **GRID, events=events)
    assert [e.name for e in log.events] == ["detach 'tank'", "clear"]
    assert log.system.position(log.phases[1].state(), "tank")[2] > -0.8
    stale = Event(condition=lambda t, x: whole.position(x, "tank")[2] + 0.8)
    with pytest.raises(SolverError, match="belong"):
        simulate(whole, start, **GRID, events=[events[0], stale])


@pytest.mark.parametrize("method", ["rk4", "ros2", "dop853"])
def test_a_run_goes_on_from_the_masses_of_its_end(whole, start, method):
    burn = {"tank": lambda t: (5.0 - 10.0 * t, [0, 0, 0], [0.1] * 3)}
    log = simulate(whole, start, **GRID, method=method, mass=burn)
    assert log.system.mass_properties(log.state()).mass == pytest.approx(12.0, rel=1e-13)
    assert log.system.model.spec("tank").inertia.mass == pytest.approx(1.0, rel=1e-13)
    after = simulate(log.system, log.state(), until=0.1, step=1e-2, events=[Event(at=0.05)])
    assert after.system.mass_properties(after.state()).mass == pytest.approx(12.0, rel=1e-13)


def loop():
    """Return a four-bar under gravity without redundant rows, its crank turning."""
    system = four_bar(Ball())
    x = pinned(system, speed=0.5)
    system.drop_redundant(x)
    return system, x


def test_the_torque_of_a_drive_in_a_loop_does_all_the_work():
    """Forces of closures do no work: the drive's work is the gain of energy (Simpson, 1e-9), free joints have none."""
    system, x = loop()
    motion = PrescribedMotion(angle=lambda t: 1.0 + 0.5 * np.sin(t))
    log = simulate(system, x, until=0.4, step=2e-3, motions={"crank": motion})
    power = (log.torque("crank") * log["crank"].v)[:, 0]
    assert simpson(power, x=log.t) == pytest.approx(log.energy[-1] - log.energy[0], rel=1e-9)
    for name in ("coupler", "rocker"):
        assert np.abs(log.torque(name)).max() < 1e-11
    free = simulate(system, x, until=0.4, step=2e-3, tau=np.array([7.0, 0, 0]))
    np.testing.assert_allclose(free.torque("crank"), 7.0, rtol=1e-11)


def test_a_loop_follows_a_motion_that_starts_a_little_elsewhere():
    """Angle and rate of a table are not those of the state to the last digit: the other bodies follow."""
    system, x = loop()
    t = np.linspace(0.0, 0.4, 41)
    motion = PrescribedMotion(angle=(t, 1.001 + 0.51 * t))
    log = simulate(system, x, until=0.4, step=2e-3, motions={"crank": motion})
    for k in (0, -1):
        assert np.abs(log.system.closure_error(log.state(k), every=True)).max() < 1e-12
        assert np.abs(log.system.closure_rate(log.state(k))).max() < 1e-11
    wide = x.copy()
    wide["rocker"].q[:] += 0.1
    with pytest.raises(InputError, match="assemble"):
        simulate(system, wide, until=0.4, step=2e-3, motions={"crank": motion})


def test_a_closure_opened_in_place_lets_go():
    system, x = loop()

    def cut(t, system, x):
        system.open_closure("pin")

    log = simulate(system, x, until=0.4, step=2e-3, events=[Event(at=0.1, action=cut)])
    assert log.system.n_closure == 0 and system.n_closure == 2
    assert np.abs(log.system.closure_error(log.state(), every=True)).max() > 1e-2
    np.testing.assert_allclose(log.energy, log.energy[0], rtol=1e-8)


def test_a_motion_goes_on_when_its_joint_is_turned_round():
    """Docking by the driven arm makes the hub hang on it: the angle between them follows the history all the same."""
    system = hub_arm_and_port().compile()
    x = system.state()
    x["port"].position[:] = [2.5, 0, 0]
    dock = Event(at=0.2, action=Attach("arm", "port", joint=Locked()))
    log = simulate(system, x, **GRID, motions={"arm": PrescribedMotion(angle=np.sin)}, events=[dock])
    final, end = log.system, log.state()
    assert final.model.spec("hub").parent == "arm"
    relative = final.rotation(end, "hub").T @ final.rotation(end, "arm")
    assert np.arctan2(relative[1, 0], relative[0, 0]) == pytest.approx(np.sin(0.4), abs=1e-12)
    # nothing acts from outside; rk4 to fourth order in steps of 0.01
    assert np.ptp(log.momentum, axis=0).max() < 1e-8


@pytest.mark.parametrize("method", ["rk4", "dop853"])
def test_velocities_that_a_loop_does_not_allow_make_an_impact(method):
    """The rocker's rate is set to nothing: impulses of the pin make all rates fit, and energy does not rise."""
    system, x = loop()

    def stop_rocker(t, system, x):
        x["rocker"].v[:] = 0.0
        return x

    def break_pin(t, system, x):
        x["rocker"].q[:] += 0.1
        return x

    def lose(t, system, x):
        x.q[:] = np.nan
        return x

    grid = {"until": 0.2, "step": 2e-3, "method": method}
    log = simulate(system, x, **grid, events=[Event(at=0.1, action=stop_rocker)])
    after = log.phases[1].state(0)
    assert np.abs(log.system.closure_rate(after)).max() < 1e-13
    assert 0.0 < abs(after["rocker"].v[0]) < abs(log.phases[0].state()["rocker"].v[0])
    assert log.events[0].energy_loss > 0.0
    with pytest.raises(InputError, match="assemble"):
        simulate(system, x, **grid, events=[Event(at=0.1, action=break_pin)])
    with pytest.raises(SolverError, match="not finite"):
        simulate(system, x, **grid, events=[Event(at=0.1, action=lose)])
