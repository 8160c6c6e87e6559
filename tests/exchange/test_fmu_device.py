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
