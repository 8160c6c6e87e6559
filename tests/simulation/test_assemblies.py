"""Assemblies: wires by name and pattern, groups, the order of devices, and the sentences for what cannot be."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from device_library import (
    Accelerometer,
    Counter,
    Degrees,
    DiscretePID,
    Gain,
    IntegratingGyro,
    Lag,
    Motor,
    NoisyGyro,
    Servo,
    StateSpace,
    Thruster,
    assert_loop_through_the_vehicle,
    bus_and,
)

import interstage as ist
from interstage.errors import InputError
from interstage.simulation.plant.declarations import Field
from interstage.simulation.plant.plan import planned


def law(t, rate, bias=0.0):
    return {"gimbal": np.zeros(8)}


def pod():
    group = ist.Assembly("pod")
    group.add("servo", Servo()).add("lag", Lag())
    return group.expose(gimbal="servo.command", angle="servo.angle", drive="lag.u")


@pytest.fixture(scope="module")
def vehicle():
    return bus_and("wheel", 1.0, [0, 0, 0], [0.1, 0.1, 0.2])


def flight(vehicle=None):
    made = ist.Assembly("ascent", vehicle=vehicle)
    if vehicle is not None:
        made.add("imu", NoisyGyro(at="bus"), every="5 ms")
    for k in range(1, 5):
        made.add(f"pod{k}", pod())
    return made.add("fsw", law, every="20 ms", out={"gimbal": "rad[8]"})


def test_a_vector_is_split_over_what_matches():
    made = flight()
    made.wire({"fsw.gimbal": "pod*.gimbal"})
    slots = planned_with_rate(made).slots
    at = slots["fsw.gimbal"].start
    assert [slots[f"pod{k}.servo.command"].start - at for k in (1, 2, 3, 4)] == [0, 2, 4, 6]


def planned_with_rate(made):
    """Plan an assembly whose law gets its argument from somewhere."""
    return planned(made.add("somewhere", Counter(), every=1).wire({"somewhere.n": "fsw.rate"}))


def test_one_number_goes_to_all_that_match():
    made = flight()
    made.add("hundred", lambda t: 1.0, out={"y": "N"})
    made.wire({"hundred.y": "pod*.drive"})
    slots = planned_with_rate(made).slots
    assert {slots[f"pod{k}.lag.u"].start for k in (1, 2, 3, 4)} == {slots["hundred.y"].start}


def test_several_outputs_are_joined_and_pairs_are_paired():
    made = ist.Assembly("joined")
    for k in (1, 2):
        made.add(f"a{k}", Servo()).add(f"b{k}", Servo())
    made.add("all", StateSpace(A=np.eye(1), B=np.ones((1, 4)), C=np.ones((1, 1))))
    made.wire({"a*.angle": "b*.command"})
    slots = planned(made).slots
    assert slots["b2.command"].start == slots["a2.angle"].start
    with pytest.raises(InputError, match="the units do not fit"):
        made.wire({"a*.angle": "all.u"})
    made.add("four", lambda t, angles: angles.sum(), out={"y": "rad"})
    made.wire({"a*.angle": "four.angles"})
    plan = planned(made)
    assert plan.slots["four.angles"].shape == (4,)
    assert [plan.parts[e.part].path for e in plan.before][-1] == "four"


def test_units_of_one_kind_are_converted():
    made = ist.Assembly().add("servo", Servo()).add("table", Degrees(), every=1)
    made.wire({"servo.angle": "table.u"})
    plan = planned(made)
    (between,) = [part for part in plan.parts if ">" in part.path]
    assert between.what.factor == pytest.approx(180.0 / np.pi)
    assert [plan.parts[e.part].path for e in plan.before] == ["servo", between.path, "table"]


def test_a_group_is_used_twice_without_copies_of_code():
    one = pod()
    made = ist.Assembly("pair").add("left", one).add("right", one)
    plan = planned(made)
    assert plan.slots["left.servo.x"].start != plan.slots["right.servo.x"].start
    assert made.find("*.gimbal") == ["left.servo.command", "right.servo.command"]


def test_groups_nest():
    inner = ist.Assembly("inner").add("pod", pod()).expose(gimbal="pod.gimbal")
    outer = ist.Assembly("outer").add("left", inner).add("fsw", lambda t: np.zeros(2), out={"g": "rad[2]"})
    outer.wire({"fsw.g": "left.gimbal"})
    plan = planned(outer)
    assert plan.slots["left.pod.servo.command"].start == plan.slots["fsw.g"].start
    assert plan.open == ["left.pod.lag.u"]


def test_the_tree_prints_itself(vehicle):
    made = flight(vehicle).wire({"imu.rate": "fsw.rate", "fsw.gimbal": "pod*.gimbal"})
    text = str(made)
    assert text.splitlines()[0] == "ascent  (vehicle 'bus and wheel', 2 bodies, 7 velocities)"
    assert "├─ imu: NoisyGyro, every 1/200 s" in text and "omega[3] rad/s ← rate of bus, node axes" in text
    assert "│  ├─ servo: Servo" in text and "command[2] rad ← fsw.gimbal" in text
    assert "└─ fsw: law(rate, bias), every 1/50 s" in text and "u N ← (open)" in text
    assert repr(made) == "<Assembly 'ascent': 10 devices, 5 wires>"


# what is refused ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("wires", "said"),
    [
        ({"imu.rat": "fsw.rate"}, r"there is no port 'imu.rat' \(assembly 'ascent'\); did you mean imu.rate"),
        ({"imu.rate": "pod1.gimbal"}, "the sizes do not fit .*expected 2 numbers, got 3"),
        ({"imu.rate[0:2]": "pod1.gimbal"}, "the units do not fit .*expected rad .*got rad/s"),
        ({"imu.rate[5]": "fsw.rate"}, r"'imu.rate' has no \[5:6\]; expected within its 3 numbers"),
        ({"fsw.rate": "imu.rate"}, "'fsw.rate' is an input .*wires go from output to input"),
        ({"imu.rate": "fsw.gimbal"}, "'fsw.gimbal' is an output: its device writes it"),
        ({"fsw.gimbal": "imu.omega"}, "'imu.omega' is filled by the vehicle"),
        ({"pod1.angle": ["pod2.gimbal", "pod2.gimbal"]}, "'pod2.servo.command' has two writers"),
        ({"fsw.gimbal": "pod*.angle"}, "is an output"),
        ({"imu.rate": 3}, "a wire joins names"),
    ],
)
def test_wires_that_cannot_be_are_refused(vehicle, wires, said):
    targets = {k: v if isinstance(v, list) else [v] for k, v in wires.items()}
    with pytest.raises(InputError, match=said):
        flight(vehicle).wire(targets)


def test_numbers_of_an_argument_are_wired_one_by_one():
    """An argument of a law has no size of its own: it has as many numbers as are wired to it, without gaps."""

    def says(value):
        return lambda t: {"y": value}

    def law(t, parts):
        return {"u": parts[0] - 10.0 * parts[1]}

    def group(second):
        one = ist.Assembly("group").add("law", law, every=0.1, out={"u": ""})
        for name, value in (("a", 2.0), ("b", 3.0)):
            one.add(name, says(value), every=0.1, out={"y": ""})
        return one.wire({"a.y": "law.parts[0]", "b.y": f"law.parts[{second}]"})

    log = ist.simulate(group(1), None, until=0.2, step=0.1)
    np.testing.assert_array_equal(log["law.u"][1:], 2.0 - 30.0)
    with pytest.raises(InputError, match=r"'law.parts' has two writers; got a.y and b.y"):
        group(0)
    with pytest.raises(InputError, match=r"nothing is wired to 'law.parts\[1\]'"):
        ist.simulate(group(2), None, until=0.2, step=0.1)


def test_two_writers_on_two_levels_are_found():
    group = ist.Assembly("group").add("a", Gain()).add("b", Gain(u=0.0)).wire({"a.y": "b.u"}).expose(u="b.u")
    outer = ist.Assembly("outer").add("g", group).add("c", Gain()).wire({"c.y": "g.u"})
    with pytest.raises(InputError, match=r"'g.b.u' has two writers; got c.y and g.a.y"):
        planned(outer)


def test_inputs_that_nothing_is_wired_to_are_named():
    with pytest.raises(InputError, match=r"nothing is wired to 'a.u' and 1 more .*wire it, or hold it"):
        planned(ist.Assembly("x").add("a", Gain()).add("b", Gain())).check_closed()
    part = ist.Assembly("x").add("a", Lag()).add("b", lambda t: 0.0, out={"y": "rad"}).add("s", Servo())
    with pytest.raises(InputError, match=r"nothing is wired to 's.command\[1\]'; wire all of it"):
        planned(part.wire({"b.y": "s.command[0]"}))
    with pytest.raises(
        InputError, match=r"nothing is wired to 'l.rate'; wire it, hold it: .*or give it a default"
    ):
        planned(ist.Assembly("x").add("l", law, out={"gimbal": "rad[8]"}))


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda a: a.add("x", law, every=-1), "'x', every must be a positive time; got -1"),
        (lambda a: a.add("x", law, every="5 kg"), "is not a time"),
        (lambda a: a.add("pod1", law), "there is a member 'pod1' already"),
        (lambda a: a.add("a.b", law), "not a name of a member"),
        (lambda a: a.add("x", Servo), "'x' is a class; expected a device, as Servo"),
        (lambda a: a.add("x", 3.0), "'x' is no device; expected a Device, an Assembly, a function"),
        (lambda a: a.add("x", Counter()), "'x' samples, but has no period"),
        (lambda a: a.add("x", Servo(), every=1), "'x' has no function sample"),
        (lambda a: a.add("x", Servo(), out={"y": "m"}), "'x' declares its ports itself"),
        (lambda a: a.add("x", a), "cannot be a member of itself"),
        (lambda a: a.add("x", lambda rate: rate), "a law is called with the time"),
        (lambda a: a.add("x", law, out={"rate": "m"}), "has an argument and an output 'rate'"),
        (lambda a: a.add("x", law, inputs={"rat": "m"}), "has no argument 'rat'; did you mean rate"),
        (lambda a: a.add("x", law, out={"y": "radd[3]"}), "did you mean rad"),
        (lambda a: a.expose(x="pod1.nothing"), "there is no port 'pod1.nothing'"),
        (lambda a: ist.Assembly(vehicle=3), "the vehicle is not compiled"),
    ],
)
def test_members_that_cannot_be_are_refused(make, said):
    with pytest.raises(InputError, match=said):
        make(flight())


def test_a_place_needs_a_vehicle():
    with pytest.raises(InputError, match=r"'gyro.omega' belongs to a vehicle, and there is none"):
        planned(ist.Assembly().add("gyro", NoisyGyro(at="bus"), every=1))


# loops and order ------------------------------------------------------------------------------------


def test_an_algebraic_loop_is_named_port_by_port():
    made = ist.Assembly("loop").add("a", Gain()).add("b", Gain()).add("c", Gain())
    made.wire({"a.y": "b.u", "b.y": "c.u", "c.y": "a.u"})
    with pytest.raises(InputError, match="there is an algebraic loop; got ") as err:
        planned(made)
    for words in ("a.y → b.u", "b.y → c.u", "c.y → a.u"):
        assert words in str(err.value)


def test_a_state_cuts_a_loop():
    made = ist.Assembly("loop").add("a", Lag()).add("gain", lambda t, u: -u, out={"y": "N"})
    made.wire({"a.y": "gain.u", "gain.y": "a.u"})
    plan = planned(made)
    assert [plan.parts[e.part].path for e in plan.before] == ["a", "gain"]


def test_an_acceleration_that_becomes_a_force_is_a_loop_through_the_vehicle(vehicle):
    made = ist.Assembly("loop", vehicle=vehicle).add("feel", Accelerometer(at="bus"))
    made.add("law", lambda t, a: a[0], out={"u": "1"}).add("jet", Thruster(at="bus"))
    made.wire({"feel.felt": "law.a", "law.u": "jet.throttle"})
    legs = ("jet.push → the vehicle", "the vehicle → feel.total", "feel.felt → law.a", "law.u → jet.throttle")
    assert_loop_through_the_vehicle(made, *legs)


def test_what_feels_accelerations_runs_after(vehicle):
    made = ist.Assembly("x", vehicle=vehicle).add("show", lambda t, a: a, out={"y": "m/s^2[3]"})
    made.add("feel", Accelerometer(at="bus")).add("jet", Thruster(at="bus", throttle=1.0))
    made.wire({"feel.felt": "show.a"})
    plan = planned(made)
    names = [[plan.parts[e.part].path for e in tape] for tape in (plan.before, plan.after)]
    assert names == [["jet"], ["feel", "show"]]


def test_samples_run_sensors_first_then_as_signals_flow(vehicle):
    made = ist.Assembly("x", vehicle=vehicle)
    made.add("last", lambda t, u: u, every="20 ms", out={"y": "1"})
    made.add("first", lambda t, rate: rate[0], every="10 ms", out={"u": "1"})
    made.add("gyro", IntegratingGyro(at="bus"), every="5 ms")
    made.wire({"first.u": "last.u", "gyro.rate": "first.rate"})
    plan = planned(made)
    assert [plan.parts[e.part].path for e in plan.sampled] == ["gyro", "first", "last"]
    assert [e.every for e in plan.sampled] == [1, 2, 4] and plan.clock.tick == Fraction(1, 200)


def test_a_loop_of_samples_is_named_and_a_delay_cuts_it():
    def made(delay):
        both = ist.Assembly("loop").add("a", DiscretePID(), every=1).add("b", DiscretePID(), every=1)
        return both.wire({"a.u": "b.seen"}).wire({"b.u": "a.seen"}, delay=delay)

    with pytest.raises(InputError, match=r"there is a loop of samples at one tick.*declare a delay"):
        planned(made(None))
    names = [planned(made("1 s")).parts[e.part].path for e in planned(made("1 s")).sampled]
    assert names == ["b.u[0] > a.seen[0] after 1 s", "a", "b"]


def test_only_what_is_sampled_can_be_delayed():
    made = ist.Assembly().add("a", Gain(u=0.0)).add("b", Gain())
    with pytest.raises(InputError, match=r"'a.y' is continuous: only what is sampled can be delayed"):
        made.wire({"a.y": "b.u"}, delay="1 ms")


def test_new_wiring_takes_milliseconds(vehicle):
    import time

    made = flight(vehicle).wire({"imu.rate": "fsw.rate", "fsw.gimbal": "pod*.gimbal"})
    made.add("motor", Motor(joint="wheel"))
    planned(made)
    begin = time.process_time()
    for _ in range(5):
        planned(made)
    assert (time.process_time() - begin) / 5 < 10e-3


def test_declarations_show_themselves():
    assert repr(Servo.command) == "<In command: rad[2]>" and isinstance(Servo.command, Field)


@pytest.mark.parametrize(
    "wires, words",
    [
        ({"a.angle": None}, "a wire joins names"),
        ({"a.angle": [None]}, "a wire joins names"),
        (["a.angle"], "wires cannot be read"),
        ("a.angle", "wires cannot be read"),
    ],
)
def test_wires_are_a_table_of_names(wires, words):
    with pytest.raises(InputError, match=words):
        ist.Assembly("x").add("a", Servo()).wire(wires)


@pytest.mark.parametrize("given", [{"out": "u"}, {"out": {"u": "1"}, "inputs": ["u"]}])
def test_ports_of_a_law_are_a_table(given):
    with pytest.raises(InputError, match="cannot be read"):
        ist.Assembly("x").add("law", lambda t, v: v, **given)
