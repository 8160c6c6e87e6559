"""Feedthrough output by output: rings that are none, rings that are, and what texts tell about it."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from device_library import Accelerometer, Gain, Thruster, assert_loop_through_the_vehicle, bus_and
from hypothesis import given, settings
from hypothesis import strategies as st

import interstage as ist
from interstage.errors import InputError
from interstage.simulation.plant.device import feeds
from interstage.simulation.plant.plan import planned


class TwoChannels(ist.Device):
    """x = a u and y = b v, which know nothing of each other."""

    a, b = ist.Parameter("", 2.0), ist.Parameter("", 3.0)
    u, v = ist.In(), ist.In()
    x, y = ist.Out(), ist.Out()

    def outputs(d, t):
        d.x = d.a * d.u + t
        d.y = d.b * d.v


def parts(plan, entries):
    return [plan.parts[e.part].path for e in entries]


def test_a_ring_through_two_channels_of_one_device_is_no_loop():
    made = ist.Assembly("ring").add("two", TwoChannels(u=1.0)).add("gain", Gain(k=0.5))
    made.wire({"two.x": "gain.u", "gain.y": "two.v"})
    plan = planned(made)
    assert parts(plan, plan.before) == ["two", "gain", "two"]
    log = ist.simulate(made, None, until=1, step="0.25 s")
    x = 2.0 * 1.0 + log.t
    # rows show what holds just after their time: the rounding of t
    np.testing.assert_allclose(log["two.x"], x, rtol=1e-14)
    np.testing.assert_allclose(log["two.y"], 3.0 * (0.5 * x), rtol=1e-14)


def test_two_devices_with_two_channels_each_in_one_ring():
    made = ist.Assembly("ring").add("p", TwoChannels(u=1.0)).add("q", TwoChannels(a=5.0, b=7.0))
    made.wire({"p.x": "q.u", "q.x": "p.v", "p.y": "q.v"})
    log = ist.simulate(made, None, until=1, step="0.5 s")
    x = 2.0 + log.t
    z = 5.0 * x + log.t
    np.testing.assert_allclose(log["q.x"], z, rtol=1e-14)
    np.testing.assert_allclose(log["q.y"], 7.0 * (3.0 * z), rtol=1e-14)


def test_a_device_runs_once_where_that_is_enough():
    made = ist.Assembly("line").add("two", TwoChannels(u=1.0, v=1.0)).add("a", Gain()).add("b", Gain())
    plan = planned(made.wire({"two.x": "a.u", "two.y": "b.u"}))
    assert parts(plan, plan.before) == ["two", "a", "b"]


def test_a_ring_through_one_channel_is_a_loop_and_named_port_by_port():
    made = ist.Assembly("ring").add("two", TwoChannels(v=0.0)).add("gain", Gain())
    made.wire({"two.x": "gain.u", "gain.y": "two.u"})
    with pytest.raises(InputError, match="there is an algebraic loop; got ") as err:
        planned(made)
    assert "two.x → gain.u" in str(err.value) and "gain.y → two.u" in str(err.value)
    assert "two.y" not in str(err.value) and "two.v" not in str(err.value)
    with pytest.raises(InputError, match=r"got two.y → two.v;"):
        planned(ist.Assembly("self").add("two", TwoChannels(u=0.0)).wire({"two.y": "two.v"}))


def test_copies_between_ports_are_not_named_in_a_loop():
    class Degrees(ist.Device):
        u, y = ist.In("deg"), ist.Out("rad")

        def outputs(d, t):
            d.y = d.u

    made = ist.Assembly("ring").add("a", Degrees()).add("b", Degrees()).wire({"a.y": "b.u", "b.y": "a.u"})
    with pytest.raises(InputError, match="algebraic loop") as err:
        planned(made)
    assert "a.y → b.u" in str(err.value) and "b.y → a.u" in str(err.value) and ">" not in str(err.value)


# through the vehicle --------------------------------------------------------------------------------


class Unit(ist.Device):
    """A thruster and an accelerometer in one box."""

    at = ist.Site()
    throttle = ist.In()
    total = at.acceleration("world")
    push = at.force("world")
    felt = ist.Out("m/s^2", 3)

    def outputs(d, t):
        d.push[0] = 10.0 * d.throttle
        d.push[1] = 0.0
        d.push[2] = 0.0
        for k in range(len(d.felt)):
            d.felt[k] = d.total[k]


@pytest.fixture(scope="module")
def vehicle():
    return bus_and("wheel", 1.0, [0, 0, 0], [0.1, 0.1, 0.2])


def test_a_box_that_pushes_and_feels_runs_before_and_after(vehicle):
    made = ist.Assembly("box", vehicle=vehicle).add("unit", Unit(at=("bus", [1 / 11, 0, 0]), throttle=1.1))
    made.add("show", lambda t, a: a[0], out={"y": "m/s^2"}).wire({"unit.felt": "show.a"})
    plan = planned(made)
    assert parts(plan, plan.before) == ["unit"] and parts(plan, plan.after) == ["unit", "show"]
    log = ist.simulate(made, None, until=0.1, step="50 ms")
    # 11 N at the centre of 11 kg (10 kg at 0.1 m and 1 kg at the origin)
    assert log["show.y"] == pytest.approx(np.ones(3), abs=1e-12)
    assert log["unit.felt"][:, 2] == pytest.approx(-9.80665 * np.ones(3), abs=1e-12)


def test_from_acceleration_to_force_is_a_loop_through_the_vehicle_in_one_box_too(vehicle):
    made = ist.Assembly("box", vehicle=vehicle).add("unit", Unit(at="bus"))
    made.add("law", lambda t, a: a[0], out={"u": "1"}).wire({"unit.felt": "law.a", "law.u": "unit.throttle"})
    seen = ("the vehicle → unit.total", "unit.felt → law.a", "law.u → unit.throttle")
    assert_loop_through_the_vehicle(made, "unit.push → the vehicle", *seen)


def test_a_sample_that_reads_what_is_felt_waits_for_it(vehicle):
    made = ist.Assembly("box", vehicle=vehicle).add("unit", Unit(at=("bus", [1 / 11, 0, 0]), throttle=1.1))
    made.add("see", lambda t, a: a[0], every="50 ms", out={"y": "m/s^2"}).wire({"unit.felt": "see.a"})
    assert planned(made).sample_feels
    assert ist.simulate(made, None, until=0.1, step="50 ms")["see.y"] == pytest.approx(np.ones(3), abs=1e-12)


def test_separate_boxes_as_before(vehicle):
    made = (
        ist.Assembly("x", vehicle=vehicle).add("feel", Accelerometer(at="bus")).add("jet", Thruster(at="bus"))
    )
    plan = planned(made.add("one", lambda t: 1.0, out={"y": "1"}).wire({"one.y": "jet.throttle"}))
    assert parts(plan, plan.before) == ["one", "jet"] and parts(plan, plan.after) == ["feel"]


# what texts tell ------------------------------------------------------------------------------------


def helper(a, out):
    out[0] = a


class Texts:
    """Functions of three inputs u, v, w (of two numbers) and two outputs x, y, with what x and y depend on."""

    def aliased(d, t):
        part = d.x
        part[0] = d.u[0]
        again = part
        again[1] = d.v[0]
        d.y[:] = d.w

    def by_condition(d, t):
        if d.u[0] > 0.0:
            d.x[:] = d.v
        else:
            d.x[:] = 1.0
        d.y[:] = d.w

    def by_return(d, t):
        d.x[:] = d.u
        if d.v[0] > 0.0:
            return
        d.y[:] = d.w

    def by_index(d, t):
        d.x[int(d.u[0] > 0.0)] = 1.0
        for k in range(len(d.x)):
            d.y[k] = d.v[k]

    def by_helper(d, t):
        helper(d.u[0], d.x)
        d.y[:] = d.v

    def by_local(d, t):
        a = 2.0 * d.u
        b, c = a + 1.0, d.v[0]
        d.x[:] = b
        d.y[0] = c
        d.y[0] += np.sin(d.w[0])

    def by_loop(d, t):
        k = 0
        while k < 2 and d.w[0] > k:
            d.x[k] = d.u[k]
            k += 1
        d.y[:] = d.x

    def by_reading_an_output(d, t):
        d.x[:] = d.u
        d.y[:] = d.x * d.v

    def by_comprehension(d, t):
        d.x[:] = [d.u[k] for k in range(2)]
        d.y[:] = np.array([2.0 * v for v in d.v])


KNOWN = {
    "aliased": ("uv", "w"),
    "by_condition": ("uv", "w"),
    "by_return": ("uv", "vw"),  # what comes after a return may not come at all: both wait for its condition
    "by_index": ("u", "v"),
    "by_helper": ("u", "v"),
    "by_local": ("u", "vw"),
    "by_loop": ("uw", "uw"),
    "by_reading_an_output": ("u", "uv"),
    "by_comprehension": ("u", "v"),
}


def device_of(function):
    fields = {n: ist.In("", 2) for n in "uvw"} | {n: ist.Out("", 2) for n in "xy"}
    return type("Made", (ist.Device,), {**fields, "outputs": function})


@pytest.mark.parametrize("name", KNOWN)
def test_texts_tell_what_outputs_depend_on(name):
    cls = device_of(getattr(Texts, name))
    found = ["".join(sorted(feeds(cls, out))) for out in "xy"]
    assert found == list(KNOWN[name])


def test_a_record_that_is_handed_on_depends_on_all():
    def outputs(d, t):
        everything(d)
        d.x[:] = d.u

    assert feeds(device_of(outputs), "x") == {"u", "v", "w"}


def everything(d):
    d.y[:] = d.v


@settings(max_examples=30, deadline=None)
@given(st.sampled_from(sorted(KNOWN)), st.lists(st.floats(-2, 2), min_size=6, max_size=6), st.data())
def test_outputs_do_not_change_with_inputs_they_do_not_depend_on(name, numbers, data):
    """The truth is the function itself: change an input that is said to be of no account, and nothing happens."""
    function = getattr(Texts, name)
    cls = device_of(function)

    class Record:
        pass

    def said(values):
        d = Record()
        d.u, d.v, d.w = np.array(values).reshape(3, 2)
        d.x, d.y = np.zeros(2), np.zeros(2)
        function(d, 0.0)
        return {"x": d.x, "y": d.y}

    for out, given_ in itertools.product("xy", "uvw"):
        if given_ not in feeds(cls, out):
            k = 2 * "uvw".index(given_)
            other = list(numbers)
            other[k : k + 2] = data.draw(st.lists(st.floats(-2, 2), min_size=2, max_size=2))
            assert np.array_equal(said(numbers)[out], said(other)[out])
