"""What runs and assemblies say: names of the right kind, phases and bodies that print, another end of a run."""

from __future__ import annotations

import numpy as np
import pytest

import interstage as ist
from interstage.errors import InputError


class Lag(ist.Device):
    """A first-order lag."""

    u, y = ist.In(""), ist.Out("")
    x = ist.ContinuousState("", initial=1.0)

    def outputs(d, t):
        d.y = d.x

    def rates(d, t):
        d.xdot = d.u - d.x


class Gain(ist.Device):
    """A gain."""

    u, y = ist.In("", default=1.0), ist.Out("")

    def outputs(d, t):
        d.y = 2.0 * d.u


def _loop():
    a = ist.Assembly("loop")
    a.add("lag", Lag())
    a.add("gain", Gain())
    return a.wire({"gain.y": "lag.u"})


def test_wires_put_forward_outputs_for_outputs_and_inputs_for_inputs():
    with pytest.raises(InputError, match=r"no port 'lag\.uu'.*did you mean lag\.y"):
        _loop().wire({"lag.uu": "gain.u"})
    with pytest.raises(InputError, match=r"no port 'gain\.yy'.*did you mean gain\.u"):
        _loop().wire({"lag.y": "gain.yy"})


def test_phases_and_bodies_print_after_a_separation():
    mb = ist.Multibody("pair")
    mb.add_body("bus", mass=10.0, inertia=[1, 2, 3.0], joint=ist.Free())
    mb.add_body("pod", mass=1.0, inertia=[0.1, 0.1, 0.1], parent="bus", at=[1, 0, 0], joint=ist.Revolute("z"))
    system = mb.compile()
    x = system.state()
    log = ist.simulate(system, x, until=2, step="0.1 s", events=[ist.Event(at=1.0, action=ist.Detach("pod"))])
    first, last = map(repr, log.phases)
    assert "from t = 0 to 1" in first
    assert "'pair' (bus, pod)" in first
    assert "from t = 1 to 2" in last
    said = str(log["pod"])
    assert said.startswith("body 'pod' at 22 times from t = 0 to 2, in 2 phases")
    assert len(said) < 400


def test_an_assembly_without_states_is_a_linear_model_of_none():
    a = ist.Assembly("gain")
    a.add("gain", Gain())
    model = ist.linearize(a, None)
    assert model.A.shape == (0, 0)
    assert model.B.shape == (0, 0)
    assert ist.linearize(a, None, outputs=["gain.y"]).C.shape == (1, 0)
    assert ist.linearize(a, None, inputs=["gain.u"], outputs=["gain.y"]).D.tolist() == [[2.0]]


def test_a_flight_goes_on_from_its_operating_point():
    log = ist.simulate(_loop(), None, until=1.0, step="0.1 s")
    point = log.operating_point()
    assert point.t == log.end.t and np.array_equal(point.values["lag.x"], log.end.values["lag.x"])
    again = ist.simulate(_loop(), point, until=2.0, start=1.0, step="0.1 s")
    assert np.isclose(again["lag.x"][-1], 2.0 - np.exp(-2.0), rtol=1e-6)  # of RK4 at a tenth of the lag
    middle = ist.simulate(_loop(), log.operating_point(3), until=2.0, start="0.3 s", step="0.1 s")
    assert np.isclose(middle["lag.x"][-1], again["lag.x"][-1], rtol=1e-12)


def test_a_run_is_resumed_to_another_end(tmp_path):
    path = tmp_path / "lag.h5"
    ist.simulate(_loop(), None, until=1.0, step="0.1 s", log=path, checkpoint="0.5 s")
    left = next(tmp_path.glob("*.ckpt*"))
    longer = ist.resume(left, _loop(), until=3.0)
    assert longer.t[-1] == 3.0
    whole = ist.simulate(_loop(), None, until=3.0, step="0.1 s")
    assert np.array_equal(longer["lag.x"], whole["lag.x"])
    with pytest.raises(InputError, match="after where it stands"):
        ist.resume(left, _loop(), until=0.1)
    assert ist.resume(left, _loop(), until=3.5).t[-1] == 3.5
    ist.simulate(_loop(), None, until=1.0, step="0.1 s", log=path, checkpoint="0.5 s", log_step="0.1 s")
    assert ist.resume(left, _loop(), until=1.7).t[-1] == 1.7
