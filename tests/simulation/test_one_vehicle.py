"""A vehicle alone is flown as an assembly of one: logs that grow, checkpoints, start times, pacing."""

from __future__ import annotations

import numpy as np
import pytest
from device_library import Counter, Lag

import interstage as ist
from interstage.errors import InputError, SolverError
from interstage.simulation.run.events import perform


def craft():
    mb = ist.Multibody("craft")
    mb.add_body("bus", mass=100.0, inertia=[50.0, 60.0, 70.0], joint=ist.Free())
    mb.add_body(
        "panel", mass=5.0, com=[1.0, 0.0, 0.0], inertia=[1.0, 2.0, 3.0], parent="bus", at=[0.5, 0.0, 0.0],
        joint=ist.Revolute("z", stiffness=20.0),
    )  # fmt: skip
    system = mb.compile()
    x = system.state()
    x["bus"].v[:3], x["panel"].v[:] = [0.1, -0.2, 0.3], 0.4
    return system, x


FORCE = {("bus", None): [0.0, 0.0, 1.0, 2.0, 0.0, 0.0]}


@pytest.mark.parametrize("options", [{"step": 0.01}, {"step": 0.01, "method": "ros2"}, {}], ids=str)
def test_the_numbers_are_those_of_a_run_in_memory(tmp_path, options):
    """Both go by the same steps: differences are rounding of times."""
    system, x = craft()
    alone = ist.simulate(system, x, 1.0, forces=FORCE, **options)
    flown = ist.simulate(system, x, 1.0, forces=FORCE, log=tmp_path / "run.h5", **options)
    assert np.abs(flown.q[-1] - alone.q[-1]).max() < 1e-12 and np.abs(flown.v[-1] - alone.v[-1]).max() < 1e-12
    assert np.abs(flown.energy[-1] - alone.energy[-1]) < 1e-11
    read = ist.load(tmp_path / "run.h5")
    assert np.array_equal(read.q, flown.q) and read["panel"].q.shape == flown["panel"].q.shape


def test_a_broken_run_goes_on_under_its_loads(tmp_path):
    system, x = craft()
    whole = ist.simulate(system, x, 1.0, 0.01, forces=FORCE, log=tmp_path / "a.h5", checkpoint="0.3 s")
    again = ist.resume(tmp_path / "a.ckpt.h5")
    assert np.array_equal(whole.q, again.q) and np.array_equal(whole.v, again.v)


def test_motions_follow_the_clock_of_a_later_start():
    system, x = craft()
    log = ist.simulate(system, x, 3.0, 0.01, motions={"panel": ist.PrescribedMotion(angle=np.sin)}, start=1)
    assert log.t[0] == 1.0 and log.t[-1] == 3.0
    assert np.abs(log["panel"].q[:, 0] - np.sin(log.t)).max() < 1e-14


def test_velocities_of_a_place_are_slopes_of_its_positions():
    system, x = craft()
    h = 1e-3
    log = ist.simulate(system, x, 0.05, h, forces=FORCE)
    place = [2.0, 0.3, 0.0]
    r, found = log.position("panel", place), log.velocity("panel", place)
    slope = (8.0 * (r[3:-1] - r[1:-3]) - (r[4:] - r[:-4])) / (12.0 * h)
    # the difference quotient has an error of h⁴ times a fifth derivative of the order of one
    assert found.shape == (len(log), 6) and np.abs(found[2:-2, 3:] - slope).max() < 1e-10
    assert (
        np.abs(log.velocity("panel", place, "body")[:, 2] - log["bus"].v[:, 2] - log["panel"].v[:, 0]).max()
        < 1e-14
    )


@pytest.mark.parametrize(
    "options", [{"step": 0.01}, {"step": 0.01, "method": "ros2"}, {"method": "dopri5"}, {}], ids=str
)
def test_a_law_flies_as_it_does_in_memory(tmp_path, options):
    """It moves its forces from body to body, and is asked anew after an event that changes the vehicle."""
    system, x = craft()
    asked = []

    def law(t, x, system):
        asked.append(t)
        place = "bus" if round(t / 0.1) % 2 else "panel"
        forces = {place: [0.0, 0.0, 0.3, 1.0 - x[place].v[0], 0.0, 0.0]}
        return (
            {"forces": forces, "tau": {"panel": -0.4 * x["panel"].v[0]}} if "panel" in system.bodies else None
        )

    def kick(t, system, x):
        x["panel"].v[:] += 0.3

    more = {"control": law, "control_step": 0.1, "events": [ist.Event(at=0.25, action=kick)], "forces": FORCE}
    more["frame"] = "body"
    alone = ist.simulate(system, x, 0.5, **more, **options)
    first, asked[:] = list(asked), []
    flown = ist.simulate(system, x, 0.5, log=tmp_path / "run.h5", **more, **options)
    assert asked == pytest.approx(first, abs=1e-12) and len(first) == 6
    # one ulp of the times, or the tolerance of a method's own steps
    limit = 1e-12 if "step" in options else 1e-8
    assert np.abs(flown.q[-1] - alone.q[-1]).max() < limit and np.abs(flown.v[-1] - alone.v[-1]).max() < limit
    if "step" in options:
        assert flown.t == pytest.approx(alone.t, abs=1e-12)
        assert np.abs(flown.accelerations - alone.accelerations).max() < 1e-9
    late = ist.simulate(system, x, 0.5, start="0.23 s", **more, **options)
    assert asked[len(first) :] == pytest.approx([0.25, 0.3, 0.4], abs=1e-12) and late.t[0] == 0.23


def test_what_needs_an_assembly_is_said(tmp_path):
    system, x = craft()
    path = tmp_path / "a.h5"
    for more, words in (
        ({"keep": ["x"]}, "keep belongs to assemblies"),
        ({"control": lambda t, x: None, "checkpoint": "0.1 s"}, "a member of an assembly"),
    ):
        with pytest.raises(InputError, match=words):
            ist.simulate(system, x, 1.0, 0.01, log=path, **more)


def test_a_locked_joint_that_moves_is_refused_as_in_memory():
    system, x = craft()
    held = system.with_settings()
    held.set_joint_mode("panel", "locked")
    for more in ({}, {"start": 1}):
        with pytest.raises(InputError, match="the joint of body 'panel' is locked, but it moves"):
            ist.simulate(held, x, 2.0, 0.01, **more)


def test_a_vehicle_in_other_units_flies_as_it_does_in_memory(tmp_path):
    """Nothing but devices speaks SI: a vehicle in millimetres has its log, and its slider is where it is in memory."""
    mb = ist.Multibody("slider", units={"mass": "t", "length": "mm", "time": "s"})
    mb.add_body("base", mass=0.1, inertia=[5e4, 6e4, 7e4], joint=ist.Free())
    mb.add_body("slider", mass=0.01, inertia=[10.0, 10.0, 10.0], parent="base", joint=ist.Prismatic("x"))
    system = mb.compile()
    x = system.state()
    x["base"].v[:3] = [0.1, -0.2, 0.3]
    options = {"step": 0.01, "motions": {"slider": ist.PrescribedMotion(angle=lambda t: 50.0 * t * t)}}
    alone = ist.simulate(system, x, 0.5, **options)
    flown = ist.simulate(system, x, 0.5, log=tmp_path / "run.h5", **options)
    assert np.array_equal(flown.q, alone.q) and np.array_equal(flown.v, alone.v)
    made = ist.Assembly("slider", vehicle=system).add("law", lambda t: 0.0, out={"u": "N"}, every="10 ms")
    with pytest.raises(InputError, match="devices speak SI"):
        ist.simulate(made, x, 0.5, 0.01)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"start": [1.0]}, r"start is not a time.*as in \"5 ms\".*1\.0"),
        ({"start": ""}, r"start is not a time.*as in \"5 ms\""),
        ({"start": 1e-9}, r"start is no short fraction of a second.*say \"1e-09 s\""),
        ({"start": -1.0}, "start must be a time that is not negative"),
        ({"until": 0}, "until must be a positive"),
    ],
    ids=str,
)
def test_odd_times_are_refused_in_words(options, words):
    system, x = craft()
    for made in (system, ist.Assembly("craft", vehicle=system)):
        with pytest.raises(InputError, match=words):
            ist.simulate(made, x, **{"until": 1.0, "step": 0.01, **options})


def test_a_flight_ends_anywhere():
    system, x = craft()
    for until in (1e-9, np.pi / 100):
        flown = ist.simulate(ist.Assembly("craft", vehicle=system), x, until, 0.01)
        alone = ist.simulate(system, x, until, 0.01)
        assert flown.t[-1] == alone.t[-1] == until and np.array_equal(flown.q, alone.q)


@pytest.mark.parametrize("options", [{}, {"log": "run.h5"}], ids=["in memory", "flown"])
def test_a_run_that_blew_up_says_when_and_where(tmp_path, options):
    """Steps of 5 s on a hinge of 2 rad/s leave nothing of the state, whatever an event makes of the vehicle."""
    system, x = craft()
    options = {name: tmp_path / value for name, value in options.items()}
    events = [ist.Event(at=60.0, action=ist.ReplaceJoint("panel", ist.Revolute("z")))]
    with pytest.raises(SolverError, match=r"went to infinity at t = \d+ \([qv] of '(bus|panel)\..*' is .*\)"):
        ist.simulate(system, x, 500.0, 5.0, method="dopri5", events=events, **options)


def test_an_event_at_a_state_that_is_none_says_so():
    system, x = craft()
    x["bus"].v[4] = np.nan
    event = ist.Event(at=1.0, action=ist.Detach("panel"))
    with pytest.raises(SolverError, match=r"no state for event .* at t = 1; .*v\[4\] \(bus\.vy\) is nan"):
        perform(event, 1.0, system, x)


@pytest.mark.parametrize("options", [{"step": 0.01}, {"method": "dop853", "log_step": 0.05}], ids=str)
def test_every_row_is_an_operating_point_as_in_memory(tmp_path, options):
    """Loads of a law, the acceleration of a motion, and what the vehicle did under them."""
    system, x = craft()

    def law(t, x):
        return {"forces": {"bus": [0.0, 0.0, 0.3, 1.0 - x["bus"].v[3], 0.0, 0.0]}}

    options |= {"motions": {"panel": ist.PrescribedMotion(angle=np.sin)}, "control": law, "control_step": 0.1}
    alone = ist.simulate(system, x, 1.0, **options)
    flown = ist.simulate(system, x, 1.0, log=tmp_path / "run.h5", **options)
    assert flown.info["method"] == alone.info["method"]
    for k in (0, 7, -3, -1):
        here, there = alone.operating_point(k), flown.operating_point(k)
        np.testing.assert_allclose(there.q, here.q, atol=1e-12)
        np.testing.assert_allclose(there.loads.forces[0].numbers, here.loads.forces[0].numbers, atol=1e-12)
    here, there = (log.operating_point(7) for log in (alone, flown))
    np.testing.assert_allclose(there.vdot, here.vdot, atol=1e-11)
    np.testing.assert_allclose(there.loads.accelerations["panel"], -np.sin(flown.t[7]), atol=1e-12)
    with pytest.raises(InputError, match="from a file"):
        ist.load(tmp_path / "run.h5").operating_point(7)


def test_rows_between_the_steps_of_a_solver_are_those_of_dense_output(tmp_path):
    """Rows do not end steps: as many as in memory, an event at its time between two rows."""
    system, x = craft()
    events = [ist.Event(lambda t, x: x["panel"].v[0], name="turn")]
    options = {"forces": FORCE, "events": events, "method": "dop853"}
    alone = ist.simulate(system, x, 2.0, log_step=0.01, **options)
    flown = ist.simulate(system, x, 2.0, log_step=0.01, log=tmp_path / "run.h5", **options)
    assert len(flown.events) == len(alone.events) > 0
    np.testing.assert_allclose(flown.t, alone.t, atol=1e-9)  # tolerance of events
    np.testing.assert_allclose(flown.q, alone.q, atol=1e-9)
    assert flown.info["steps"] == alone.info["steps"] < 100
    later = ist.simulate(system, x, 2.05, log_step=0.1, start=0.33, **options)
    rows = [0.33, *np.arange(4, 21) * 0.1, 2.05]
    times = later.t[[t not in [e.t for e in later.events] for t in later.t]]
    np.testing.assert_allclose(times, rows, atol=1e-12)


@pytest.mark.parametrize("method", ["dop853", "dopri5", "ros3"])
def test_states_between_the_rows_of_a_flight_are_those_in_memory(tmp_path, method):
    """With a joint that is locked on the way, and a device of its own state beside the vehicle."""
    system, x = craft()
    events = [ist.Event(lambda t, x: x["panel"].v[0], ist.SetJointMode("panel", "locked"), name="turn")]
    options = {"method": method, "forces": FORCE, "events": events, "rtol": 1e-6, "atol": 1e-6}
    alone = ist.simulate(system, x, 2.0, **options)
    flown = ist.simulate(system, x, 2.0, log=tmp_path / "run.h5", dense=True, **options)
    made = ist.Assembly("craft", vehicle=system).add("lag", Lag(u=1.0))
    beside = ist.simulate(made, x, 2.0, dense=True, **{k: v for k, v in options.items() if k != "forces"})
    free = ist.simulate(system, x, 2.0, **{k: v for k, v in options.items() if k != "forces"})
    assert len(alone.phases) == len(flown.phases) == len(beside.phases) == 2
    for t in np.linspace(0.0, 2.0, 41):
        # tolerance of events; compiled steps after one are others, to a tenth of what they are allowed
        assert np.abs(flown.at(t).q - alone.at(t).q).max() < (1e-9 if method == "dop853" else 1e-7)
        # a state more, with its own steps: what the method is allowed, a cubic between for the last method
        limit = 1e-3 if method == "ros3" else 1e-5
        assert np.abs(beside.at(t).q - free.at(t).q).max() < limit
    for k in (3, len(flown.t) - 2):
        np.testing.assert_allclose(flown.at(flown.t[k]).v, flown.v[k], atol=1e-12)
    with pytest.raises(InputError, match=r"not kept.*dense=True"):
        ist.simulate(system, x, 1.0, log=tmp_path / "run.h5", **options).at(0.5)


@pytest.mark.parametrize("more", [{}, {"log_step": 0.1 * np.pi}, {"control_step": 0.03 * np.e}], ids=str)
def test_steps_of_a_flight_may_be_any_time_apart(tmp_path, more):
    """No short fractions of a second: the rows and numbers are those of a run in memory."""
    system, x = craft()
    if "control_step" in more:
        more["control"] = lambda t, x: {"tau": {"panel": [-x["panel"].v[0]]}}
    step = 0.03 * np.e / 3.0 if "control_step" in more else 0.02 * 2**0.5
    alone = ist.simulate(system, x, 1.0, step, forces=FORCE, **more)
    flown = ist.simulate(system, x, 1.0, step, forces=FORCE, log=tmp_path / "run.h5", **more)
    np.testing.assert_allclose(flown.t, alone.t, rtol=1e-13)
    np.testing.assert_allclose(flown.q, alone.q, atol=1e-12)
    made = ist.Assembly("craft", vehicle=system).add("c", Counter(), every="10 ms")
    with pytest.raises(InputError, match="log_step is no short fraction of a second"):
        ist.simulate(made, x, 1.0, 0.01, log_step=0.1 * np.pi)


def test_the_first_step_of_a_solver_is_what_was_asked_for(tmp_path):
    system, x = craft()
    for step in (1e-4, 0.02):
        log = ist.simulate(system, x, 1.0, step, method="dop853", log=tmp_path / "run.h5")
        assert log.t[1] == pytest.approx(step, rel=1e-12)


@pytest.mark.parametrize("method", ["rk4", "ros2"])
def test_events_between_many_steps_are_those_in_memory(tmp_path, method):
    """A ball that bounces and comes to rest, a turn of the panel, a time, and one that stops: in hundreds of steps."""
    mb = ist.Multibody("ball", gravity=[0, 0, -9.81])
    mb.add_body("ball", mass=1.0, inertia=np.eye(3), joint=ist.Prismatic("z"))
    mb.add_body("arm", mass=1.0, inertia=np.eye(3), parent="ball", joint=ist.Revolute("z", stiffness=30.0))
    system = mb.compile()
    x = system.state()
    x["ball"].q[:], x["arm"].v[:] = 1.0, 0.5

    def bounce(t, system, x):
        x["ball"].v[:] *= -0.5

    events = [
        ist.Event(lambda t, x: x["ball"].q[0], bounce, direction=-1, rest=ist.SetJointMode("ball", "locked")),
        ist.Event(lambda t, x, system: x["arm"].v[0], name="turn"),
        ist.Event(at=0.777, name="time"),
        ist.Event(lambda t, x: t - 2.3456, "stop", name="stop"),
    ]
    options = {
        "step": 0.01,
        "method": method,
        "events": events,
        "mass": {"arm": lambda t: (1.0 + t, [0, 0, 0], np.eye(3))},
    }
    alone = ist.simulate(system, x, 3.0, **options)
    flown = ist.simulate(system, x, 3.0, log=tmp_path / "run.h5", **options)
    assert [e.name for e in flown.events] == [e.name for e in alone.events] and len(flown.events) > 10
    np.testing.assert_allclose(flown.t, alone.t, atol=2e-9)  # tolerance of events
    np.testing.assert_allclose(flown.q, alone.q, atol=2e-8)  # speeds below 5 m/s, twice that tolerance
    assert flown.t[-1] == pytest.approx(2.3456, abs=1e-9)
    read = ist.load(tmp_path / "run.h5")
    np.testing.assert_array_equal(read.t, flown.t)


def _is_known(t: float) -> list[float]:
    if t > 1.05:
        raise ValueError("nothing is known")
    return [0.0, 0.0, 0.0, 0.0, 0.0, 1.0]


@pytest.mark.parametrize("file", [False, True])
@pytest.mark.parametrize(
    "given",
    [
        {"forces": {"b": lambda t: [0, 0, 0, 0, 0, 0.0 if t < 1.05 else np.nan]}},
        {"forces": {"b": _is_known}},
        {"mass": {"b": lambda t: (2.0 - 1.9 * t, [0, 0, 0], np.eye(3))}},
        {"mass": {"b": lambda t, x: (2.0 - 1.9 * t, [0, 0, 0], np.eye(3))}},
    ],
    ids=["not a number", "raises", "mass", "mass by state"],
)
def test_what_fails_beyond_the_end_of_a_run_does_not_fail(tmp_path, given, file):
    """The run stops at 1.0301 s, a step before loads or masses cease to make sense; without the event it says so."""
    mb = ist.Multibody("b")
    mb.add_body("b", mass=2.0, inertia=[1, 1, 1], joint=ist.Free())
    system = mb.compile()
    options = given | ({"log": tmp_path / "run.h5"} if file else {})
    stop = ist.Event(lambda t, x: t - 1.0301, "stop")
    log = ist.simulate(system, system.state(), 4.0, 0.01, events=[stop], **options)
    assert log.t[-1] == pytest.approx(1.0301, abs=1e-9) and len(log.t) == 105
    never = ist.Event(lambda t, x: t - 3.0, "stop")
    with pytest.raises(InputError, match=r"t = 1\.0[56]"):
        ist.simulate(system, system.state(), 4.0, 0.01, events=[never], **options)


@pytest.mark.parametrize("file", [False, True])
def test_motions_that_diverge_beyond_the_end_of_a_run_do_not_matter(tmp_path, file):
    """A joint that falls out at e^{2000 t}: 0.1 rad in the first step, beyond all numbers after forty."""
    mb = ist.Multibody("b")
    mb.add_body("b", mass=1.0, inertia=[1, 1, 1], joint=ist.Revolute("x", stiffness=-4e6))
    system = mb.compile()
    x = system.state()
    x["b"].q[:] = 1e-6
    options = {"log": tmp_path / "run.h5"} if file else {}
    log = ist.simulate(
        system, x, 12.0, 0.1, events=[ist.Event(lambda t, x: abs(x["b"].q[0]) - 0.1, "stop")], **options
    )
    assert log.t[-1] < 0.1 and len(log.t) == 2
    assert log["b"].q[-1, 0] == pytest.approx(0.1, rel=1e-6)
