"""Ports that are overridden for a time: of every kind of writer, against tables and closed forms."""

from __future__ import annotations

import numpy as np
import pytest
from breaking import broken_off
from device_library import Accelerometer, Counter, Drag, Gain, Lag, Motor, NoisyGyro, Thruster, bus_and

import interstage as ist
from interstage.errors import InputError
from interstage.simulation.run.runner import Runner
from interstage.simulation.run.spec import RunSpec


@pytest.fixture(scope="module")
def vehicle():
    return bus_and("wheel", 1.0, [0, 0, 0], [0.1, 0.1, 0.2])


def counted():
    made = ist.Assembly("x").add("count", Counter(), every=1)
    made.add("see", lambda t, u: u, every="1/2 s", out={"y": "1"}).add(
        "other", lambda t, u: u, every=1, out={"y": "1"}
    )
    return made.wire({"count.n": ["see.u", "other.u"]})


def runs(made, *faults, until=4, **options):
    return ist.simulate(made, None, until=until, step="0.1 s", faults=faults, **options)


def test_a_sampled_output_says_something_else_and_then_what_it_said_last():
    log = runs(counted(), ist.Fault("count.n", 9.0, start="3/4 s", stop="5/2 s"))
    #                           0  0.5 1  1.5 2  2.5 3  3.5 4
    assert log["see.y"].tolist() == [1, 1, 9, 9, 9, 3, 4, 4, 5]
    assert log["other.y"].tolist() == [1, 9, 9, 4, 5]
    assert log["count.n"].tolist() == [1, 9, 9, 9, 3, 4, 5]
    assert log.times("count.n").tolist() == [
        0,
        0.75,
        1,
        2,
        2.5,
        3,
        4,
    ]  # a row where it changes between samples
    assert [(e.t, e.name, e.what) for e in log.events] == [
        (0.75, "fault", "count.n is 9.0"),
        (2.5, "fault", "count.n is itself again"),
    ]


def test_a_fault_on_a_tick_comes_before_its_samples():
    log = runs(counted(), ist.Fault("count.n", 9.0, start=1, stop=3))
    assert log["see.y"].tolist() == [1, 1, 9, 9, 9, 9, 4, 4, 5]


def test_a_sampled_output_sticks():
    log = runs(counted(), ist.Fault("count.n", start="3/2 s"))
    assert log["see.y"].tolist() == [1, 1, 2, 2, 2, 2, 2, 2, 2]
    assert [e.what for e in log.events] == ["count.n sticks"]


def test_an_input_is_overridden_for_itself_alone():
    log = runs(counted(), ist.Fault("see.u", 9.0, start=1, stop=3))
    assert log["see.y"].tolist() == [1, 1, 9, 9, 9, 9, 4, 4, 5]
    assert log["other.y"].tolist() == [1, 2, 3, 4, 5] == log["count.n"].tolist()


def test_a_fault_that_is_there_from_the_start_and_one_that_is_over():
    faults = ist.Fault("count.n", 9.0, stop="1/2 s"), ist.Fault("other.u", 7.0, start=2)
    log = runs(counted(), *faults)
    assert log["see.y"].tolist() == [9, 1, 2, 2, 3, 3, 4, 4, 5] and log["other.y"].tolist() == [9, 2, 7, 7, 7]
    log = runs(counted(), *faults, start=3, until=5)
    assert log["see.y"].tolist() == [1, 1, 2, 2, 3] and log["other.y"].tolist() == [7, 7, 7]
    assert [e.t for e in log.events] == [3.0]


def test_a_continuous_output_follows_the_closed_form():
    """A lag under 1 N that is 5 N from 1 s to 2 s: steps end where the fault begins and ends, no method sees a jump."""
    made = ist.Assembly("x").add("one", Gain(k=0.0, b=1.0, w=0.0, u=0.0)).add("lag", Lag(tau=0.5))
    made.add("force", lambda t, u: u, out={"y": "N"}).wire({"one.y": "force.u", "force.y": "lag.u"})
    fixed, adaptive = {"step": "10 ms"}, {"method": "dop853"}
    for port, how in (
        ("one.y", fixed),
        ("force.u", fixed),
        ("force.y", fixed),
        ("lag.u", fixed),
        ("lag.u", adaptive),
    ):
        log = ist.simulate(made, None, until=3, faults=[ist.Fault(port, 5.0, "1.003 s", "2.001 s")], **how)

        def lagged(t, x0, u, t0):
            return u + (x0 - u) * np.exp(-(t - t0) / 0.5)

        a = lagged(1.003, 0.0, 1.0, 0.0)
        b = lagged(2.001, a, 5.0, 1.003)
        exact = np.select(
            [log.t <= 1.003, log.t <= 2.001],
            [lagged(log.t, 0.0, 1.0, 0.0), lagged(log.t, a, 5.0, 1.003)],
            lagged(log.t, b, 1.0, 2.001),
        )
        assert log["lag.x"] == pytest.approx(exact, abs=1e-8)  # RK4, h/tau = 0.02: (0.02)^4/120 a step
        wrong = (log.t >= 1.003) & (log.t < 2.001)
        assert (log[port][wrong] == 5.0).all() and (log[port][~wrong] == 1.0).all()


def test_a_continuous_output_sticks_and_part_of_one_is_enough():
    made = ist.Assembly("x").add("clock", lambda t: np.array([t, 2 * t, 3 * t]), out={"t": "s[3]"})
    log = runs(made, ist.Fault("clock.t[1]", start="0.5 s", stop="1.5 s"), until=2)
    wrong = (log.t >= 0.5 - 1e-9) & (log.t < 1.5 - 1e-9)
    assert log["clock.t"][:, 0] == pytest.approx(log.t) and log["clock.t"][:, 2] == pytest.approx(3 * log.t)
    assert log["clock.t"][:, 1] == pytest.approx(np.where(wrong, 1.0, 2 * log.t))


def test_a_force_on_the_vehicle_is_overridden(vehicle):
    made = ist.Assembly("x", vehicle=vehicle).add("jet", Thruster(at=("bus", [1 / 11, 0, 0]), throttle=0.0))
    log = ist.simulate(
        made, None, until=2, step="50 ms", faults=[ist.Fault("jet.push", ["11 N", "0 N", "0 N"], 1)]
    )
    x = log.position("bus", [1 / 11, 0, 0])[:, 0]
    assert x == pytest.approx(1 / 11 + 0.5 * np.maximum(0, log.t - 1) ** 2, abs=1e-12)


def test_what_one_device_sees_is_overridden_for_it_alone(vehicle):
    made = ist.Assembly("x", vehicle=vehicle)
    for name in ("a", "b"):
        made.add(name, NoisyGyro(at="bus", sigma=0.0, step=1e-9), every="0.1 s").add(
            f"feel_{name}", Accelerometer(at="bus")
        )
    made.add("drag", Drag(at="bus"))
    x = vehicle.state(v=[0, 0, 0.5, 0, 0, 0, 0])
    faults = [
        ist.Fault("a.omega", "90 deg/s", 0.25),
        ist.Fault("feel_a.total", 3.0, 0.25, 0.75),
        ist.Fault("b.omega[2]", 0.0, 0.5),
    ]
    log = ist.simulate(made, x, until=1, step="50 ms", faults=faults)
    plain = ist.simulate(made, x, until=1, step="50 ms")
    late = log.times("a.rate") > 0.25
    assert log["a.rate"][late] == pytest.approx(np.full((8, 3), np.pi / 2), abs=1e-9)
    assert np.array_equal(log["b.rate"][:5], plain["b.rate"][:5]) and not log["b.rate"][5:, 2].any()
    assert np.array_equal(log["feel_b.felt"], plain["feel_b.felt"])
    wrong = (log.t > 0.249) & (log.t < 0.749)
    assert (log["feel_a.felt"][wrong, :2] == 3.0).all()
    assert np.array_equal(log["feel_a.felt"][~wrong], plain["feel_a.felt"][~wrong])
    assert np.array_equal(log.q, plain.q)  # sensors alone


def test_what_is_felt_sticks(vehicle):
    made = ist.Assembly("x", vehicle=vehicle).add("feel", Accelerometer(at="bus"))
    made.add("jet", Thruster(at=("bus", [1 / 11, 0, 0]))).add("ramp", lambda t: t, out={"u": "1"})
    made.wire({"ramp.u": "jet.throttle"})
    log = ist.simulate(made, None, until=2, step="0.1 s", faults=[ist.Fault("feel.felt", start="1 s")])
    assert log["feel.felt"][:, 0] == pytest.approx(np.minimum(log.t, 1.0) * 10 / 11, abs=1e-12)


def test_an_input_that_is_held_is_overridden(vehicle):
    made = ist.Assembly("x", vehicle=vehicle).add("motor", Motor(joint="wheel"))
    log = ist.simulate(
        made, None, until=2, step="0.1 s", faults=[ist.Fault("motor.command", "0.5 N*m", 0.5, 1)]
    )
    assert log["motor.torque"] == pytest.approx(np.where((log.t > 0.49) & (log.t < 0.99), 0.5, 0.0))


def test_joined_inputs_of_two_rates_and_patterns():
    made = (
        ist.Assembly("x")
        .add("a1", Counter(), every=1)
        .add("a2", Gain(u=1.0))
        .add("a3", Counter(), every="1/2 s")
    )
    made.add("see", lambda t, u: u, every="1/2 s", out={"y": "1[3]"})
    made.add("join", Join(), every="1/2 s").wire(
        {"a1.n": "join.u[0]", "a2.y": "join.u[1]", "a3.n": "join.u[2]"}
    )
    made.wire({"join.y": "see.u"})
    log = runs(made, ist.Fault("join.u", [7.0, 8.0, 9.0], "3/4 s", "7/4 s"), until=2)
    assert log["see.y"].tolist() == [[1, 2, 1], [1, 2, 2], [7, 8, 9], [7, 8, 9], [3, 2, 5]]
    log = runs(made, ist.Fault("a[13].n", 4.0, "3/4 s", "7/4 s"), until=2)
    assert log["see.y"].tolist() == [[1, 2, 1], [1, 2, 2], [4, 2, 4], [4, 2, 4], [3, 2, 5]]


class Join(ist.Device):
    u, y = ist.In("", 3), ist.Out("", 3)

    def sample(d, t):
        d.y[:] = d.u


def test_faults_without_effect_change_nothing(vehicle):
    made = ist.Assembly("x", vehicle=vehicle).add("drag", Drag(at="bus")).add("c", Counter(), every="0.1 s")
    x = vehicle.state(v=[0.3, 0, 0.5, 0, 1, 0, 0])
    plain = ist.simulate(made, x, until=1, step="10 ms")
    log = ist.simulate(made, x, until=1, step="10 ms", faults=[ist.Fault("c.n", 3.0, 0.2, 0.5)])
    assert np.array_equal(log.q, plain.q) and np.array_equal(log.t, plain.t)


def test_a_resumed_run_has_its_faults(tmp_path):
    def built():
        made = counted().add("lag", Lag(u=1.0))
        return made

    faults = [
        ist.Fault("count.n", np.float64(9.0), 1, "5/2 s"),
        ist.Fault("lag.u", "3 N", "0.7 s"),
        ist.Fault("lag.y", start=3),
    ]
    whole = runs(built(), *faults)
    broken_off(Runner(RunSpec(built(), None, 4, "0.1 s", faults=faults)), tmp_path / "x.h5", "1 s", 2)
    again = ist.resume(tmp_path / "x.ckpt.h5", built())
    for name in ("see.y", "other.y", "count.n", "lag.x", "lag.y"):
        assert np.array_equal(again[name], whole[name])
    assert [str(e) for e in again.events] == [str(e) for e in whole.events] and len(whole.events) == 4


@pytest.mark.kernels
def test_faults_without_compilation_too():
    made = ist.Assembly("x").add("lag", Lag(u=0.0)).add("c", Counter(), every="0.1 s")
    log = runs(made, ist.Fault("c.n", 3.0, 0.2, 0.4), ist.Fault("lag.y", 2.0, 0.2, 0.4), until=0.5)
    assert log["c.n"].tolist() == [1, 2, 3, 3, 5, 6] and log["lag.y"].tolist() == [0, 0, 2, 2, 0, 0]


@pytest.mark.parametrize(
    ("faults", "said"),
    [
        ([ist.Fault("count.m", 1.0)], r"there is no port 'count.m' .*did you mean count.n"),
        ([ist.Fault("count.at", "3 m")], r"the units do not fit \(fault of 'count.at'\)"),
        (
            [ist.Fault("count.n", [1.0, 2.0])],
            r"the size does not fit \(fault of 'count.n'\); expected 1 numbers",
        ),
        ([ist.Fault("count.n[2]", 1.0)], r"'count.n' has no \[2:3\]"),
        (
            [ist.Fault("count.n", 1.0, start=2, stop=1)],
            "the fault of 'count.n' stops before it starts; got 2 s to 1 s",
        ),
        ([ist.Fault("count.n", 1.0, start=-1)], "start must be a time that is not negative"),
        ([ist.Fault("count.n", float("nan"))], "not finite"),
        ([ist.Fault("count.n", 1.0), ist.Fault("count.n", 2.0, 1)], "two faults of 'count.n' at one time"),
        ([{"port": "count.n", "start": "soon"}], "start is not a time"),
        (["count.n"], "not a fault; expected as in ist.Fault"),
        (ist.Fault("count.n"), "faults cannot be read"),
    ],
)
def test_faults_that_cannot_be_are_refused(faults, said):
    with pytest.raises(InputError, match=said):
        ist.simulate(counted(), None, until=4, step=1, faults=faults)


def test_faults_are_for_assemblies(vehicle):
    with pytest.raises(InputError, match="faults belongs to assemblies"):
        ist.simulate(vehicle, vehicle.state(), until=1, step=0.1, faults=[ist.Fault("x")])


class Accumulator(ist.Device):
    """It remembers in what it says."""

    n = ist.Out("")

    def sample(d, t):
        d.n = d.n + 1.0


@pytest.mark.parametrize("fault", [ist.Fault("count.n", 50.0, 1, 2), ist.Fault("count.n", None, 1, 2)])
@pytest.mark.parametrize("interpret", [False, True])
def test_a_device_goes_on_from_what_it_said_itself(fault, interpret):
    made = ist.Assembly("x").add("count", Accumulator(), every="1/4 s")
    log = Runner(RunSpec(made, None, 3, "1/4 s", faults=[fault], interpret=interpret)).run()
    wrong = 50.0 if fault.value else 4.0
    assert log["count.n"].tolist() == [1, 2, 3, 4, wrong, wrong, wrong, wrong, 9, 10, 11, 12, 13]


def test_part_of_a_fault_from_the_start_is_taken_back():
    class Pair(ist.Device):
        n = ist.Out("", 2)

        def sample(d, t):
            d.n[0] = d.n[0] + 1.0
            d.n[1] = d.n[1] + 2.0

    made = ist.Assembly("x").add("pair", Pair(), every=1)
    log = runs(made, ist.Fault("pair.n[1]", -1.0, stop=2), until=3)
    assert log["pair.n"].tolist() == [[1, -1], [2, -1], [3, 6], [4, 8]]


def test_a_fault_of_an_argument_is_in_the_unit_of_what_is_wired_to_it():
    made = ist.Assembly("x").add("gyro", lambda t: np.array([1.0, 2.0]), every=1, out={"rate": "rad/s[2]"})
    made.add("law", lambda t, rate: rate, every=1, out={"y": "rad/s[2]"}).wire({"gyro.rate": "law.rate"})
    log = runs(made, ist.Fault("law.rate[0]", "3 deg/s"), until=1)
    assert log["law.y"] == pytest.approx(np.tile([np.deg2rad(3.0), 2.0], (2, 1)), rel=1e-15)
    with pytest.raises(InputError, match="fault of 'law"):
        runs(made, ist.Fault("law.rate[0]", "3 m"), until=1)


def test_a_table_that_is_no_fault_is_refused():
    for wrong in ({"prt": "count.n"}, {"port": 3}, {}, 7):
        with pytest.raises(InputError, match="not a fault"):
            runs(counted(), wrong)


def test_a_fault_after_the_end_of_a_run_is_said():
    with pytest.warns(
        ist.FidelityWarning, match=r"fault of 'count.n' starts at 50 s, and the run ended at 4 s"
    ):
        log = runs(counted(), ist.Fault("count.n", 9.0, start=50))
    assert not log.events and 9.0 not in log["count.n"]


def test_accelerations_know_a_sampled_force_that_a_fault_changes_between_samples():
    """1 kg under 1 + 10 t N, sampled every 0.1 s; -2 N from 0.13 to 0.27 s."""

    class Sampled(ist.Device):
        joint = ist.JointRef("m")
        force = joint.force()

        def sample(d, t):
            d.force = 1.0 + 10.0 * t

    mb = ist.Multibody("one")
    mb.add_body("a", mass=1.0, inertia=np.eye(3), joint=ist.Prismatic("x"))
    made = ist.Assembly("x", vehicle=mb.compile()).add("push", Sampled(joint="a"), every="0.1 s")
    fault = ist.Fault("push.force", -2.0, start=0.13, stop=0.27)
    log = ist.simulate(made, None, until=0.4, step="10 ms", faults=[fault])
    k = np.rint(log.t * 100)
    true = np.where((k >= 13) & (k < 27), -2.0, 1.0 + k // 10)
    assert np.abs(log.accelerations[:, 0] - true).max() < 1e-12
    assert np.abs(log.torque("a")[:, 0] - true).max() < 1e-12
    assert np.abs(log.columns("push.force")[0].values - true).max() < 1e-12
    assert np.abs(np.diff(log["a"].v[:, 0]) - 0.01 * true[:-1]).max() < 1e-12
    few = ist.simulate(made, None, until=0.4, step="10 ms", log_step="7 ms", faults=[fault])
    assert (
        few.times("push.force").tolist()
        == log.times("push.force").tolist()
        == [0, 0.1, 0.13, 0.2, 0.27, 0.3, 0.4]
    )
