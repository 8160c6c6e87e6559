"""What devices raise ends the run: with the device, the time and the message, compiled as interpreted."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.stats
from breaking import Asserting

import interstage as ist
from interstage.errors import InputError, SolverError
from interstage.jit import COMPILED, kernel
from interstage.simulation.run.runner import Runner
from interstage.simulation.run.spec import RunSpec

compiled = pytest.mark.skipif(not COMPILED, reason="functions are not called by address in this job")


class Sampled(ist.Device):
    """Raises in `sample`."""

    limit, y = ist.Parameter("s", 1.0), ist.Out()

    def sample(d, t):
        if t >= d.limit.real:
            raise ValueError("sensor failed")
        d.y = t


class Said(ist.Device):
    """Raises in `outputs`."""

    limit, y = ist.Parameter("s", 1.0), ist.Out()

    def outputs(d, t):
        if t >= d.limit.real:
            raise ValueError("outputs failed")
        d.y = t


class Changing(ist.Device):
    """Raises in `rates`."""

    limit, x, y = ist.Parameter("s", 1.0), ist.ContinuousState("1", initial=1.0), ist.Out()

    def outputs(d, t):
        d.y = d.x

    def rates(d, t):
        if t >= d.limit.real:
            raise ValueError("rates failed")
        d.xdot = -d.x


class Indexing(ist.Device):
    """Writes to the right of its output, and to the left of its first number."""

    sign, y = ist.Parameter("", 1.0), ist.Out("", 3)

    def outputs(d, t):
        k = int(d.sign.real * t * 10)
        d.y[k] = 1.0


@kernel
def third(x, k):
    """Read a number that may not be there."""
    return x[k]


class Helped(ist.Device):
    """Reads beyond an array in a helper."""

    u, y = ist.In("", 3, default=[1.0, 2.0, 3.0]), ist.Out()

    def outputs(d, t):
        d.y = third(d.u, int(t * 10))


class Dividing(ist.Device):
    """Divides whole numbers by zero."""

    y = ist.Out()

    def outputs(d, t):
        d.y = 1 // (1 - int(t))


class Infinite(ist.Device):
    """Divides real numbers by zero: that has a value."""

    u, y = ist.In("", default=0.0), ist.Out()

    def outputs(d, t):
        d.y = 1.0 if 1.0 / d.u.real > 1e300 else 0.0


def flown(device, every=None, **options):
    """Return the log of a device alone."""
    made = ist.Assembly("alone").add("it", device, **({} if every is None else {"every": every}))
    return Runner(RunSpec(made, None, 2, "10 ms", **options)).run()


FAILS = {
    "sample": (Sampled, "10 ms", r"Sampled\.sample, line \d+\); got ValueError: sensor failed$"),
    "outputs": (Said, None, r"Said\.outputs, line \d+\); got ValueError: outputs failed$"),
    "rates": (Changing, None, r"Changing\.rates, line \d+\); got ValueError: rates failed$"),
    "assert": (Asserting, None, r"Asserting\.rates, line \d+\); got AssertionError$"),
}


@pytest.mark.parametrize("interpret", [False, True])
@pytest.mark.parametrize("name", FAILS)
def test_what_a_device_raises_ends_the_run_with_its_name_and_time(name, interpret):
    cls, every, words = FAILS[name]
    with pytest.raises(SolverError, match=r"^device 'it' failed at t = 1 \(" + words) as caught:
        flown(cls(), every, interpret=interpret)
    log = caught.value.log
    # rows up to the failure, each what it is: nothing is held or made up
    assert log.t[-1] == pytest.approx(1.0, abs=0.0101)
    y = np.array(log["it.y"]).ravel()
    x = np.exp(-log.t) if name in ("rates", "assert") else log.series("it.y").t
    assert np.abs(y - x).max() < 1e-9  # rk4 in steps of 10 ms: 1e-4^2/120


@pytest.mark.parametrize("method", ["ros2", "dopri5", "rk45"])
def test_so_it_does_with_every_family_of_methods(method):
    options = {} if method == "ros2" else {"step": None, "max_step": "50 ms"}
    made = ist.Assembly("alone").add("it", Changing())
    with pytest.raises(SolverError, match=r"^device 'it' failed at t = 1\S* \(Changing\.rates"):
        ist.simulate(made, None, 2, progress=False, method=method, **{"step": "10 ms", **options})


def test_a_linear_model_of_a_device_that_raises_is_refused():
    made = ist.Assembly("alone").add("it", Changing(limit=0.0))
    with pytest.raises(SolverError, match=r"device 'it' failed at t = 0 .*ValueError: rates failed"):
        ist.linearize(made, None, inputs=[], outputs=["it.y"])


@compiled
@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_an_index_beyond_an_array_ends_the_run_and_writes_nothing(sign):
    at = "0.3" if sign > 0 else "0.4"  # y[-1] is the last number
    size = "index -?[34] is out of bounds for axis 0 with size 3"
    with pytest.raises(
        SolverError, match=rf"failed at t = {at} \(Indexing.outputs, line \d+\); got .*{size}"
    ):
        flown(Indexing(sign=sign))


@compiled
def test_so_it_does_in_helpers_and_whole_numbers_by_zero_are_errors():
    with pytest.raises(SolverError, match=r"failed at t = 0.3 \(Helped.outputs.*IndexError"):
        flown(Helped())
    with pytest.raises(SolverError, match=r"failed at t = 1 \(Dividing.outputs.*ZeroDivisionError: integer"):
        flown(Dividing())
    assert np.array(flown(Infinite())["it.y"]).ravel().tolist() == [1.0] * 201


class Refusing(ist.Device):
    """Says in words of its own what is wrong."""

    y = ist.Out()

    def outputs(d, t):
        if t > 0.5:
            raise InputError("the valve is stuck")
        d.y = t


def test_words_of_the_toolkit_stay_as_they_are():
    with pytest.raises(InputError, match=r"device 'it' failed at t = 0.5 .*; got the valve is stuck$"):
        flown(Refusing())


def test_a_study_records_the_failure():
    made = ist.Assembly("alone").add("it", Changing())
    study = ist.monte_carlo(
        made,
        {"it.limit": scipy.stats.uniform(0.2, 1.6)},
        4,
        outputs={"end": "final it.y"},
        flight={"until": 1, "step": "10 ms"},
        workers=0,
        progress=False,
    )
    failed = np.flatnonzero(study.design.values[:, 0] <= 1.0).tolist()
    assert 0 < len(failed) < 4 and sorted(study.errors) == failed
    assert all("device 'it' failed at t = " in study.errors[k] for k in failed)


class Switching(ist.Device):
    """Raises where it switches."""

    edge = ist.Parameter("", 0.5)
    x, y, up = ist.ContinuousState("1"), ist.Out(), ist.ZeroCrossing(state="x", level="edge")

    def outputs(d, t):
        d.y = d.x
        d.up = d.x - d.edge

    def rates(d, t):
        d.xdot = 1.0

    def switch(d, t):
        raise ValueError("stuck")


def test_a_switch_that_raises_is_named_too():
    with pytest.raises(
        SolverError, match=r"device 'it' failed at t = 0.5 \(Switching.switch, line \d+\); got"
    ):
        flown(Switching())
