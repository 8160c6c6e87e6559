"""Inputs that nothing is wired to, set by name and pattern: of devices in groups, and arguments of laws."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

import interstage as ist
from interstage.errors import InputError

sys.path.insert(0, str(Path(__file__).parents[1] / "system"))
from device_library import Lag


def test_inputs_of_groups_are_set_by_pattern():
    """Two lags in groups that expose their inputs: at rest they are where the inputs are."""

    def pod():
        return ist.Assembly("pod").add("engine", Lag()).expose(throttle="engine.u")

    made = ist.Assembly("x").add("pod1", pod()).add("pod2", pod())
    point = ist.trim(made, None, set={"pod*.throttle": 0.85})
    assert [point.values[f"pod{k}.engine.x"] for k in (1, 2)] == pytest.approx([0.85, 0.85], abs=1e-12)
    assert point.values["pod1.engine.u"] == point.values["pod2.engine.u"] == 0.85
    log = ist.simulate(made, point, until=1, step="0.1 s")
    assert log["pod2.engine.y"] == pytest.approx(np.full(11, 0.85), abs=1e-12)
    with pytest.raises(InputError, match=r"there is no port or state 'pod\*.throtle'.*did you mean"):
        ist.trim(made, None, set={"pod*.throtle": 1})
    with pytest.raises(InputError, match="the units do not fit"):
        ist.trim(made, None, set={"pod*.throttle": "1 m"})


def test_open_arguments_of_laws_are_set_by_name_and_pattern():
    made = ist.Assembly("x").add("lag", Lag())
    made.add("law1", lambda t, y, wanted, gain=2.0: gain * (wanted - y), every="0.1 s", out={"u": "N"})
    made.add("show", lambda t, v: float(np.sum(v)), every="0.1 s", out={"y": "1"})
    made.wire({"lag.y": "law1.y", "law1.u": "lag.u"})
    with pytest.raises(InputError, match=r"nothing is wired to 'law1.wanted'; wire it, hold it: set="):
        ist.simulate(made, None, until=1)
    with pytest.raises(InputError, match=r"nothing is wired to 'show.v'"):
        ist.simulate(made, None, until=1, set={"law*.wanted": 3.0})
    held = {"law*.wanted": 3.0, "show.v": [1.0, 2.0, 3.0]}
    log = ist.simulate(made, None, until=5, step="20 ms", set=held)
    assert log["lag.y"][-1] == pytest.approx(2.0, abs=1e-3) and log["show.y"][-1] == 6.0  # y = 2 (3 - y)
    log = ist.simulate(made, None, until=5, step="20 ms", set=held | {"law1.gain": 5.0})
    assert log["lag.y"][-1] == pytest.approx(2.5, abs=1e-3)
    again = ist.simulate(made, log.end, until=1, step="20 ms")  # the point holds what was held
    assert again["lag.y"][-1] == pytest.approx(log["lag.y"][-1], abs=1e-3)


def test_trim_and_linear_models_with_open_arguments_of_laws():
    made = (
        ist.Assembly("x")
        .add("lag", Lag(tau=0.5))
        .add("law", lambda t, y, wanted: 4.0 * (wanted - y), out={"u": "N"})
    )
    made.wire({"lag.y": "law.y", "law.u": "lag.u"})
    point = ist.trim(made, None, set={"law.wanted": 5.0})
    assert point.values["lag.x"] == pytest.approx(4.0, abs=1e-12)
    lin = ist.linearize(made, point, inputs=["law.wanted"], outputs=["lag.y"])
    assert pytest.approx(np.array([[-10.0]])) == lin.A and pytest.approx(np.array([[8.0]])) == lin.B


class _Pair(ist.Device):
    u = ist.In("N", 2)
    y = ist.Out("N", 2)
    x = ist.ContinuousState("N", 2)

    def outputs(d, t):
        d.y[:] = d.x

    def rates(d, t):
        d.xdot[:] = d.u - d.x


@pytest.mark.parametrize("pattern", ["pair.u[0]", "pair.u[0:1]"])
def test_one_element_of_a_port_is_no_input_of_a_linear_model(pattern):
    """The index used to be dropped without a word: the model had every element of the port, each cut from its wire."""
    made = ist.Assembly("x").add("pair", _Pair())
    with pytest.raises(InputError, match=r"an input of a linear model is a whole port.*lin\.select"):
        ist.linearize(made, None, inputs=[pattern], outputs=["pair.y"])
    whole = ist.linearize(made, None, inputs=["pair.u"], outputs=["pair.y"])
    one = whole.select(inputs=["pair.u[0]"])
    assert one.inputs == ["pair.u[0]"]
    assert one.B.tolist() == [[1.0], [0.0]]
