"""Device classes: what may be declared, what their texts may do, and the sentences for what they may not."""

from __future__ import annotations

import device_library
import numpy as np
import pytest
from device_library import Gain, Lag, Servo, StateSpace

import interstage as ist
from interstage.errors import InputError
from interstage.jit import COMPILED, kernel
from interstage.simulation.plant.device import RecordView, read, record_fields, written
from interstage.simulation.plant.feedthrough import uses_of, uses_of_code
from interstage.simulation.plant.plan import planned
from interstage.simulation.plant.vehicle_interface import view_of
from interstage.simulation.run.coupled_system import ClosedLoop


def test_parameters_are_quantities_in_their_units():
    servo = Servo(bandwidth="360 deg/s", x=["3 deg", 0.0])
    assert servo.bandwidth == pytest.approx(2 * np.pi)
    assert servo.x == pytest.approx([np.pi / 60, 0.0])
    servo.damping = 0.5
    assert servo.damping == 0.5 and Servo().damping == 0.7


def test_sizes_by_name_follow_what_is_given():
    plant = StateSpace(A=np.diag([-1.0, -2.0]), B=np.ones((2, 3)), C=np.ones((1, 2)))
    assert [plant.shape_of(name) for name in "uyx"] == [(3,), (1,), (2,)]
    with pytest.raises(InputError, match=r"the size does not fit \(StateSpace.B\)"):
        StateSpace(A=np.eye(2), B=np.ones((3, 1)), C=np.ones((1, 2)))


class HandsOn(ist.Device):
    u = ist.In()
    v = ist.In()
    y = ist.Out()

    def outputs(d, t):
        _helper(d)


def _helper(d):
    d.y = d.u


def test_feedthrough_is_what_outputs_reads():
    assert read(Lag, "outputs") == frozenset() and read(Lag, "rates") == {"u"}
    assert read(Gain, "outputs") == {"u"}
    assert read(HandsOn, "outputs") == {"u", "v"} and written(HandsOn, "outputs") == {"y"}


def test_uses_see_parts_and_increments():
    def f(d, t):
        d.a[d.i] = d.b
        d.c[0] += 1.0
        d.e -= t
        x = d.g[1:]
        x[0] = 2.0

        d.h[1:] = d.k if t > d.l else d.m
        for k in range(len(d.n)):
            if d.o.real > 0 and d.p[k] < 1:
                d.q[k, 0] = np.sqrt(d.r * np.sin(d.s))

    for found in (uses_of(f), uses_of_code(f)):
        assert found.reads == set("ibcegklmnoprs") and found.writes == set("acehq") and not found.all


@pytest.mark.parametrize("cls", [c for c in vars(device_library).values() if isinstance(c, type)], ids=str)
def test_bytecode_tells_the_same_as_the_source(cls):
    for function in getattr(cls, "functions", {}).values():
        assert uses_of_code(function) == uses_of(function)


def test_devices_may_come_from_text_without_a_file():
    names = {"ist": ist}
    exec(
        "class Typed(ist.Device):\n"
        "    u, y, z = ist.In(), ist.Out(), ist.Out()\n"
        "    def outputs(d, t):\n        d.y = 2.0\n"
        "    def sample(d, t):\n        d.z = d.u\n",
        names,
    )
    assert read(names["Typed"], "outputs") == frozenset() and written(names["Typed"], "sample") == {"z"}


def test_a_record_has_all_fields_and_derivatives():
    names = [name for name, _, _ in record_fields(Servo)]
    assert {"command", "xdot", "ratedot", "tick", "seed", "stream", "ideal", "period"} < set(names)


def test_an_interpreted_record_reads_and_writes():
    arrays = {
        "u": np.array(2.0),
        "y": np.array(0.0),
        "k": np.array(3.0),
        "b": np.array(1.0),
        "w": np.array(0.0),
    }
    Gain.outputs(RecordView(arrays), 0.0)
    assert arrays["y"] == 7.0


class FirstOfThree(ist.Device):
    """Wrong: a number that is given a vector."""

    u, y = ist.In("", 3, default=[1.0, 2.0, 3.0]), ist.Out("rad")

    def outputs(d, t):
        d.y = 2.0 * d.u


@kernel
def overwritten(d):
    d.y = d.u


class HandedOn(ist.Device):
    """Wrong: a helper that writes a vector over itself."""

    u, y = ist.In("", 3, default=[1.0, 2.0, 3.0]), ist.Out("", 3)

    def outputs(d, t):
        overwritten(d)


@pytest.mark.kernels
@pytest.mark.parametrize(
    ("cls", "compiled", "interpreted"),
    [
        (
            FirstOfThree,
            r"d\.y is one number, and is given an array \(1-d\)",
            "expected one number, got shape .3,",
        ),
        (HandedOn, r"d\.y is an array: write d\.y\[:\]", r"expected 3 numbers by d\.y\[:\] = …"),
    ],
)
def test_what_does_not_fit_a_port_is_refused(cls, compiled, interpreted):
    """Without the look at types, compiled code takes the first number, or writes over its neighbours."""
    plan = planned(ist.Assembly("x").add("it", cls()))
    if cls is FirstOfThree or not COMPILED:  # compiled helpers take compiled records
        none, loop = np.zeros(0), ClosedLoop(plan, view_of(plan), interpret=True)
        loop.right_side(none, none, 0.0, none, none)
        with pytest.raises(InputError, match=interpreted):
            loop.tapes.check()
        loop.release()
    if COMPILED:
        with pytest.raises(InputError, match=compiled):
            ClosedLoop(plan, view_of(plan))


REFUSED = {
    "writes an input": (
        {"u": ist.In(), "outputs": lambda: _writes_input},
        r"'u' is an input: another device writes it \(Bad.outputs\)",
    ),
    "unknown field": ({"u": ist.In(), "outputs": lambda: _misspelt}, "'uu' is not declared .*did you mean u"),
    "prints": (
        {"u": ist.In(), "outputs": lambda: _prints},
        r"texts of devices are compiled and cannot print \(Bad.outputs\)",
    ),
    "vector as a whole": (
        {"y": ist.Out("", 3), "outputs": lambda: _writes_output},
        r"'y' has a size .* \(Bad.outputs\); expected 3 numbers, as in d.y\[:\] = …, got d.y = …",
    ),
    "nobody writes": ({"y": ist.Out()}, "no function of Bad writes its output 'y'"),
    "state without rates": ({"x": ist.ContinuousState()}, r"Bad has states, but no function rates\(d, t\)"),
    "rates write outputs": (
        {"y": ist.Out(), "x": ist.ContinuousState(), "rates": lambda: _writes_output},
        "rates cannot write 'y'",
    ),
    "two functions": (
        {"y": ist.Out(), "outputs": lambda: _writes_output, "sample": lambda: _writes_output},
        "written by outputs and by sample",
    ),
    "name of the class": ({"every": ist.In()}, "cannot be called 'every'"),
    "name of the record": ({"tick": ist.In()}, "cannot be called 'tick'"),
    "name of a derivative": ({"x": ist.ContinuousState(), "xdot": ist.In()}, "is the derivative of a state"),
    "foreign place": ({"w": ist.Site().rate()}, "belongs to no place of the class"),
}


def _writes_input(d, t):
    d.u = 1.0


def _misspelt(d, t):
    return d.uu


def _prints(d, t):
    print(d.u)


def _writes_output(d, t):
    d.y = 1.0


@pytest.mark.parametrize("case", REFUSED, ids=str)
def test_classes_that_cannot_be_are_refused(case):
    body, said = REFUSED[case]
    body = {n: v() if n in ("outputs", "rates", "sample") else v for n, v in body.items()}
    with pytest.raises((InputError, RuntimeError), match=said):
        type("Bad", (ist.Device,), body)


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: Servo(bandwidht=3.0), "Servo has no 'bandwidht'; did you mean bandwidth"),
        (lambda: Servo(bandwidth="6 Hz"), r"the units do not fit \(Servo.bandwidth\); expected rad/s"),
        (
            lambda: Servo(x=[1.0, 2.0, 3.0]),
            r"the size does not fit \(Servo.x\); expected 2 numbers, got shape \(3,\)",
        ),
        (lambda: Servo(damping=float("nan")), "not finite"),
        (lambda: Servo(damping="big"), "not a quantity"),
        (lambda: StateSpace(A=np.eye(2), C=np.ones((1, 2))), "size 'm' of StateSpace.B is not known"),
        (lambda: StateSpace(m=1, p=1, n=2), "StateSpace needs A="),
        (lambda: Servo(every=-1), "every must be a positive time; got -1"),
        (lambda: ist.In("rad", 0), "not a size"),
        (lambda: ist.In("radd"), "did you mean rad"),
        (lambda: ist.Site().rate("sky"), "unknown axes; expected world, body, node, got 'sky'"),
    ],
)
def test_values_that_do_not_fit_are_refused(make, said):
    with pytest.raises(InputError, match=said):
        make()


class Bounded(ist.Device):
    """y = k u where y is tabulated."""

    mass = ist.Parameter("kg", 1.0, above=0.0)
    share = ist.Parameter("", 0.5, least=0.0, most=1.0)
    table = ist.Parameter("s", [0.0, 1.0, 2.0], increasing=True)
    y = ist.Out()

    def outputs(d, t):
        d.y = d.mass


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"mass": 0.0}, "Bounded.mass must be above 0.0; expected in kg, got 0"),
        ({"mass": "-2 kg"}, "Bounded.mass must be above 0.0; expected in kg, got -2"),
        ({"share": -0.1}, "Bounded.share must be at least 0.0"),
        ({"share": 1.5}, "Bounded.share must be at most 1.0"),
        ({"table": [0, 2, 2]}, r"Bounded.table must be increasing; expected in s, got \[0. 2. 2.\]"),
        ({"delay": "1 ms"}, "Bounded is continuous: only what is sampled can be delayed"),
    ],
)
def test_parameters_out_of_bounds_are_refused(values, said):
    with pytest.raises(InputError, match=said):
        Bounded(**values)


def test_bounds_hold_for_what_a_run_sets_too():
    made = ist.Assembly("x").add("it", Bounded())
    with pytest.raises(InputError, match=r"'it.mass' must be above 0.0; expected in kg, got -1"):
        ist.simulate(made, None, until=1, step=1, set={"it.mass": -1.0})
    assert ist.simulate(made, None, until=1, step=1, set={"it.mass": "2 kg"})["it.y"][-1] == 2.0
