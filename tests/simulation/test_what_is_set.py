"""Values that are set: of inputs that nothing is wired to, parameters and states, and of nothing else."""

from __future__ import annotations

import numpy as np
import pytest

import interstage as ist
from interstage.errors import InputError


class Source(ist.Device):
    y = ist.Out("N")

    def outputs(d, t):
        d.y = 5.0


class Integrator(ist.Device):
    u, y, x = ist.In("N"), ist.Out("N"), ist.ContinuousState("N*s")

    def outputs(d, t):
        d.y = d.x

    def rates(d, t):
        d.xdot = d.u - d.x


def seven(t):
    return 7.0


def made() -> ist.Assembly:
    flight = ist.Assembly("set").add("source", Source()).add("lag", Integrator()).add("free", Integrator())
    flight.add("law", seven, every="10 ms", out={"u": "N"}).add("other", Integrator())
    return flight.wire({"source.y": "lag.u", "law.u": "other.u"})


FREE = {"free.u": 2.0}
ASKED = {
    "simulate": lambda **k: ist.simulate(made(), None, until=0.1, step="10 ms", **k),
    "trim": lambda **k: ist.trim(made(), **k),
    "linearize": lambda **k: ist.linearize(made(), None, **k),
}


@pytest.mark.parametrize("ask", ASKED)
@pytest.mark.parametrize("port, words", [("lag.u", "wired"), ("other.u", "wired"), ("law.u", "an output")])
def test_what_something_writes_cannot_be_set(ask, port, words):
    with pytest.raises(InputError, match=rf"'{port}' cannot be set: it is {words}.*") as found:
        ASKED[ask](set={**FREE, port: 1.0})
    assert "ist.Fault" in str(found.value)


def test_an_input_whose_wire_is_left_out_for_a_linear_model_can_be_set():
    linear = ist.linearize(made(), None, inputs=["lag.u"], outputs=["lag.y"], set={**FREE, "lag.u": 1.0})
    np.testing.assert_allclose(linear.B[linear.states.index("lag.x")], [1.0], atol=1e-14)


def test_a_run_goes_on_from_the_values_of_another():
    first = ist.simulate(made(), None, until=0.1, step="10 ms", set=FREE)
    whole = ist.simulate(made(), None, until=0.2, step="10 ms", set=FREE)
    second = ist.simulate(made(), first.end, start=0.1, until=0.2, step="10 ms")
    # steps of equal length from the same numbers, at times that differ by their rounding
    np.testing.assert_allclose(second["free.x"][-1], whole["free.x"][-1], rtol=1e-13)


def test_what_is_set_is_a_table():
    with pytest.raises(InputError, match="set cannot be read"):
        ASKED["simulate"](set=[1])
