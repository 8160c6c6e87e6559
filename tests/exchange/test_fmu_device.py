"""Units of co-simulation as devices: our own ones come back, and fly as what they were made of."""

from __future__ import annotations

import shutil
import zipfile

import numpy as np
import pytest

import interstage as ist
from interstage.errors import FileError, InputError

fmpy = pytest.importorskip("fmpy", reason="FMPy is not installed")
needs_compiler = pytest.mark.skipif(shutil.which("cc") is None, reason="there is no C compiler")


def filter_model():
    """Two poles, three outputs of which one follows the input at once; units and names as tools write them."""
    A = np.array([[0.0, 1.0], [-40.0, -3.0]])
    return ist.LinearModel(
        A,
        np.array([[0.0], [40.0]]),
        np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 0.0]]),
        np.array([[0.0], [0.0], [0.5]]),
        states=["x", "v"],
        inputs=["command in"],
        outputs=["seen[0]", "seen[1]", "sum"],
        input_units=["rad"],
        output_units=["rad", "rad", "1/s"],
        name="lag",
    )


def flown(unit, every="20 ms"):
    """A pulse through a unit: its outputs at ticks."""

    def pulse(t):
        return np.where(t < 0.3, 1.0, -0.5)

    flight = ist.Assembly("bench")
    flight.add("pulse", pulse, every=every, out={"u": "rad"})
    flight.add("unit", unit, every=every)
    flight.wire({"pulse.u": "unit.command_in"})
    return ist.simulate(flight, None, until=1.0, step="20 ms")


@needs_compiler
@pytest.mark.parametrize("version", ["2.0", "3.0"])
def test_our_own_unit_flies_as_the_model_it_was(tmp_path, version):
    """Exact for held inputs: the time response of the linear model, to rounding."""
    lin = filter_model()
    made = ist.export_fmu(lin, tmp_path / "lag.fmu", version=version)
    unit = ist.FMUDevice(made.path, start={"x": 0.2})
    assert unit.inputs == {"command_in": "rad"} and unit.out == {"seen": "rad[2]", "sum": "1/s"}
    assert unit.ports["seen"] == ["seen[0]", "seen[1]"] and unit.notes == []
    log = flown(unit)
    t = log.times("unit.seen")
    u = np.where(t < 0.3, 1.0, -0.5)[:, None]
    y = lin.time_response(t, u, np.array([0.2, 0.0]), held=True)
    np.testing.assert_allclose(log["unit.seen"], y[:, :2], atol=1e-12)
    np.testing.assert_allclose(log["unit.sum"], y[:, 2], atol=1e-12)
    assert np.ptp(y[:, 0]) > 1.0
    # a second run starts it anew
    np.testing.assert_array_equal(flown(unit)["unit.seen"], log["unit.seen"])
    unit.close()


@needs_compiler
def test_what_a_unit_remembers_is_not_in_checkpoints(tmp_path):
    made = ist.export_fmu(filter_model(), tmp_path / "lag.fmu")
    flight = ist.Assembly("bench")
    flight.add("unit", ist.FMUDevice(made.path), every="20 ms")
    flight.add("source", lambda t: 1.0, every="20 ms", out={"u": "rad"})
    flight.wire({"source.u": "unit.command_in"})
    with pytest.raises(ist.InterstageError, match="remembers cannot be kept"):
        ist.simulate(flight, None, until=1.0, step="20 ms", log=tmp_path / "a.h5", checkpoint="0.5 s")


def test_what_cannot_be_a_device_is_said(tmp_path):
    (tmp_path / "rubbish.fmu").write_bytes(b"not a zip file")
    with pytest.raises(FileError, match="no functional mock-up unit"):
        ist.FMUDevice(tmp_path / "rubbish.fmu")
    made = ist.export_fmu(filter_model(), tmp_path / "lag.fmu", compiler="")
    with pytest.raises(InputError, match=r"no variable 'y'"):
        ist.FMUDevice(made.path, start={"y": 1.0})


DESCRIPTION = """<?xml version="1.0"?><fmiModelDescription fmiVersion="2.0" modelName="m" guid="g">
<{kind} modelIdentifier="m"/>
<UnitDefinitions><Unit name="odd"><BaseUnit kg="1" m="2" s="-3"/></Unit><Unit name="worse"/></UnitDefinitions>
<ModelVariables>
<ScalarVariable name="a.torque" valueReference="1" causality="input"><Real unit="N.m" start="0"/></ScalarVariable>
<ScalarVariable name="a.gate" valueReference="2" causality="input"><Boolean start="false"/></ScalarVariable>
<ScalarVariable name="1st" valueReference="3" causality="output"><Real unit="kg.m2"/></ScalarVariable>
<ScalarVariable name="a torque" valueReference="4" causality="output"><Real unit="odd"/></ScalarVariable>
<ScalarVariable name="last" valueReference="5" causality="output"><Real unit="worse"/></ScalarVariable>
</ModelVariables><ModelStructure/></fmiModelDescription>"""


def unit_of(tmp_path, kind):
    path = tmp_path / f"{kind}.fmu"
    with zipfile.ZipFile(path, "w") as packed:
        packed.writestr("modelDescription.xml", DESCRIPTION.format(kind=kind))
    return path


def test_ports_have_the_units_that_a_unit_tells(tmp_path):
    unit = ist.FMUDevice(unit_of(tmp_path, "CoSimulation"))
    assert unit.inputs == {"a_torque": "N*m"}
    assert unit.out == {"v_1st": "kg*m^2", "a_torque_2": "kg^1*m^2*s^-3", "last": "1"}
    assert any("a.gate" in note for note in unit.notes) and any("worse" in note for note in unit.notes)
    with pytest.raises(FileError, match="model exchange alone"):
        ist.FMUDevice(unit_of(tmp_path, "ModelExchange"))


def in_a_loop(unit):
    """A mass on a spring whose place goes through the unit and back as a force."""
    mb = ist.Multibody("slide")
    mb.add_body("m", mass=2.0, inertia=[1, 1, 1], joint=ist.Prismatic("x", stiffness=3.0, damping=0.1))
    made = ist.Assembly("loop", vehicle=mb.compile())
    made.add("push", Push(joint="m")).add("see", See(joint="m"), every="20 ms").add(
        "unit", unit, every="20 ms"
    )
    return made.wire({"see.place": "unit.command_in", "unit.sum": "push.command"})


class Push(ist.Device):
    """A force at a joint."""

    joint = ist.JointRef("m")
    command, force = ist.In("1/s"), joint.force()

    def outputs(d, t):
        d.force = -2.0 * d.command


class See(ist.Device):
    """Says where a joint is."""

    joint = ist.JointRef("m")
    x, place = joint.coordinate(), ist.Out("rad")

    def sample(d, t):
        d.place = d.x


@needs_compiler
def test_every_run_starts_a_unit_anew_and_nothing_else_touches_it(tmp_path):
    """A run is the same whatever came before it: runs that ended earlier, trims, linear models, one that failed."""
    made = ist.export_fmu(filter_model(), tmp_path / "lag.fmu")

    def fly(unit, start):
        flight = in_a_loop(unit)
        x = flight.vehicle.state()
        x["m"].q[:] = 0.1
        return flight, ist.simulate(flight, x, start=start, until=start + 1, step="2 ms", progress=False)

    alone = {start: fly(ist.FMUDevice(made.path), start)[1] for start in (0.0, 10.0)}
    assert np.ptp(alone[0.0].q) > 0.05
    unit = ist.FMUDevice(made.path)
    for start in (0.0, 0.0, 10.0, 0.0):  # later, earlier and at the same time as the one before ended
        flight, log = fly(unit, start)
        assert np.array_equal(log.q, alone[start].q)
    with pytest.warns(
        UserWarning, match=r"only runs call 'unit' \(FMUDevice\): unit.seen, unit.sum held at 0"
    ):
        ist.linearize(flight, flight.vehicle.state())
    with pytest.raises(
        InputError, match=r"'unit' \(FMUDevice\) acts outside of the model: only runs call it"
    ):
        ist.linearize(flight, flight.vehicle.state(), sampled=True)
    assert np.array_equal(fly(unit, 0.0)[1].q, alone[0.0].q)
    # a point of a run has what it says there
    point = log.state(-1)
    assert np.abs(np.linalg.eigvals(ist.linearize(flight, point).A)) == pytest.approx(np.sqrt(1.5))
    opened = ist.linearize(flight, point, inputs=["push.command"], outputs=["see.place"], sampled=True)
    assert opened.dt == pytest.approx(0.02)
    with pytest.warns(UserWarning, match="held at 0"):
        x0 = ist.trim(flight, flight.vehicle.state())
    assert abs(x0["m"].q[0]) < 1e-9  # nothing pushes
    held_at = ist.trim(flight, flight.vehicle.state(), set={"unit.sum": 0.3, "unit.seen": [0, 0]})
    assert held_at["m"].q[0] == pytest.approx(-2.0 * 0.3 / 3.0, rel=1e-9)
    assert np.array_equal(fly(unit, 0.0)[1].q, alone[0.0].q)
    unit.close()


@needs_compiler
def test_one_unit_is_one_member(tmp_path):
    made = ist.export_fmu(filter_model(), tmp_path / "lag.fmu")
    unit = ist.FMUDevice(made.path)
    flight = in_a_loop(unit)
    flight.add("again", unit, every="20 ms").wire({"see.place": "again.command_in"})
    with pytest.raises(InputError, match="'unit' and 'again' are one FMUDevice"):
        ist.simulate(flight, None, until=0.1, step="2 ms")
