"""Functional mock-up units, run by FMPy: the same time histories as ours, and nothing for its validator to say."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import zipfile
from importlib import import_module

import numpy as np
import pytest

import interstage as ist
from interstage import devices as dev
from interstage.errors import InputError

fmpy = pytest.importorskip("fmpy", reason="FMPy is not installed")
from fmpy.validation import validate_fmu  # noqa: E402

needs_compiler = pytest.mark.skipif(shutil.which("cc") is None, reason="there is no C compiler")
VERSIONS = ("2.0", "3.0")


def model():
    """Three coupled oscillators with two inputs, feedthrough, and names that XML must escape."""
    rng = np.random.default_rng(4)
    S = rng.normal(size=(3, 3))
    K = S @ S.T + 40.0 * np.eye(3)
    A = np.block([[np.zeros((3, 3)), np.eye(3)], [-K, -0.02 * K]])
    B = np.vstack([np.zeros((3, 2)), rng.normal(size=(3, 2))])
    C, D = rng.normal(size=(2, 6)), np.array([[0.0, 0.3], [0.0, 0.0]])
    return ist.LinearModel(
        A,
        B,
        C,
        D,
        states=[f"q<{k}>" for k in range(3)] + [f"v[{k}]" for k in range(3)],
        inputs=["torque & force", "push"],
        outputs=["tip rate", "q<0>"],
        input_units=["N*m", "N"],
        output_units=["rad/s", "m"],
        name="boom, left",
    )


def signals(t):
    u = np.column_stack([np.sin(3.0 * t), np.where(t > 0.4, 1.0, 0.0)])
    table = np.zeros(len(t), dtype=[("time", "f8"), ("torque & force", "f8"), ("push", "f8")])
    table["time"], table["torque & force"], table["push"] = t, u[:, 0], u[:, 1]
    return u, table


@needs_compiler
@pytest.mark.parametrize("version", VERSIONS)
def test_linear_models_run_as_units(tmp_path, version):
    """Co-simulation is exact for held inputs; CVODE of model exchange is held to 1e-10, it keeps 1e-7."""
    lin = model()
    made = ist.export_fmu(lin, tmp_path / "boom.fmu", version=version)
    assert made.platform and made.kinds == ("model exchange", "co-simulation") and not made.notes
    assert validate_fmu(str(made.path)) == []
    t = np.linspace(0.0, 1.0, 101)
    u, table = signals(t)
    run = {"filename": str(made.path), "stop_time": 1.0, "output_interval": 0.01, "validate": True}
    found = fmpy.simulate_fmu(**run, fmi_type="CoSimulation", input=table)
    y = lin.time_response(t, u, held=True)
    names = fmpy.read_model_description(str(made.path))
    outputs = [v.name for v in names.modelVariables if v.causality == "output"]
    assert outputs[0] == "tip rate" and [v.unit for v in names.modelVariables if v.causality == "input"] == [
        "N*m",
        "N",
    ]
    x = np.column_stack([found[name] for name in outputs])
    # FMPy writes outputs at the end of a step, before the inputs of the next are set
    before = np.vstack([u[:1], u[:-1]]) @ lin.D.T
    np.testing.assert_allclose(x - before, y - u @ lin.D.T, atol=1e-12 * np.abs(y).max())

    free = fmpy.simulate_fmu(
        **run,
        fmi_type="ModelExchange",
        relative_tolerance=1e-10,
        start_values={"q<0> (local)": 0.2, "v[1]": -1.0},
    )
    start = np.array([0.2, 0.0, 0.0, 0.0, -1.0, 0.0])
    y = lin.time_response(free["time"], np.zeros((len(free), 2)), start)
    x = np.column_stack([free[name] for name in outputs])
    np.testing.assert_allclose(x, y, atol=1e-7 * np.abs(y).max())


def test_units_are_the_same_for_the_same_model(tmp_path):
    first = ist.export_fmu(model(), tmp_path / "a.fmu", compiler="")
    second = ist.export_fmu(model(), tmp_path / "b.fmu", compiler="")
    assert first.path.read_bytes() == second.path.read_bytes()
    assert first.platform == "" and "no binary" in first.notes[0]
    with zipfile.ZipFile(first.path) as packed:
        assert {"sources/fmu.c", "sources/model.h", "modelDescription.xml"} <= set(packed.namelist())
    assert validate_fmu(str(first.path)) == []


def bench(motor=dev.Motor, **given):
    mb = ist.Multibody("arm", gravity=[0, 0, -9.81])
    mb.add_body("arm", mass=2.0, com=[0, 0, -0.5], inertia=[0.1, 0.1, 0.01], joint=ist.Revolute("y"))
    system = mb.compile()
    flight = ist.Assembly("bench", vehicle=system)
    flight.add("motor", motor(joint="arm", inertia=0.01, stiffness=500.0, damping=1.0, **given))
    flight.add("encoder", dev.Encoder(joint="arm", every="10 ms"))
    return system, flight


@needs_compiler
@pytest.mark.skipif(sys.platform == "win32", reason="the core of assemblies is POSIX")
@pytest.mark.parametrize("version", VERSIONS)
def test_assemblies_run_as_units(tmp_path, version):
    """A pendulum that swings widely under a motor: bit for bit the run in which a law of ours sends the same."""
    system, flight = bench()
    port = "motor.command"
    made = ist.export_fmu(
        flight,
        tmp_path / "bench.fmu",
        version=version,
        inputs=[port],
        outputs=["encoder.angle"],
        x0=system.state([2.0]),
        every="10 ms",
        step="5 ms",
    )
    assert made.kinds == ("co-simulation",) and validate_fmu(str(made.path)) == []
    t = 0.01 * np.arange(41)
    table = np.zeros(len(t), dtype=[("time", "f8"), (made.inputs[0], "f8")])
    table["time"], table[made.inputs[0]] = t, np.sin(20.0 * t)
    found = fmpy.simulate_fmu(
        str(made.path), stop_time=0.4, step_size=0.01, output_interval=0.01, input=table
    )

    def outside(t):
        return {"sent": np.sin(20.0 * t)}

    flight.add("outside", outside, every="10 ms", out={"sent": flight.ports()[port].field.unit or "1"})
    flight.wire({"outside.sent": port})
    log = ist.simulate(flight, system.state([2.0]), until=0.4, step="5 ms")
    angle = np.ravel(log["encoder.angle"])
    np.testing.assert_allclose(found["encoder.angle"][: len(angle)], angle, atol=1e-12)
    assert np.ptp(angle) > 0.3
    said = fmpy.read_model_description(str(made.path)).coSimulation
    assert not said.needsExecutionTool and not said.canHandleVariableCommunicationStepSize
    assert made.notes == [] and "serve" not in " ".join(zipfile.ZipFile(made.path).namelist())


@needs_compiler
@pytest.mark.skipif(sys.platform == "win32", reason="units are written where their binaries run")
@pytest.mark.parametrize("version", VERSIONS)
def test_a_law_of_the_other_tool_is_no_tick_late(tmp_path, version):
    """It sees the angle that is sampled at a beat, and its answer is sampled at the same: the bits of a law of ours.

    The motor sticks and slips, by events between the beats. Two units in one process: one of them is put back in the
    middle to where it was before, one is reset.
    """
    system, flight = bench(dev.StickSlipMotor, friction=(2.0, 0.0))
    closed = flight.copy().add("law", lambda t, angle: -30.0 * angle, every="10 ms", out={"torque": "N*m"})
    closed.wire({"encoder.angle": "law.angle", "law.torque": "motor.command"})
    log = ist.simulate(closed, system.state([0.5]), until=0.4, step="5 ms")
    assert len(log.events) > 3
    given = {"inputs": ["motor.command"], "outputs": ["encoder.angle"], "every": "10 ms", "step": "5 ms"}
    made = ist.export_fmu(flight, tmp_path / "b.fmu", version=version, x0=system.state([0.5]), **given)
    said, folder = fmpy.read_model_description(str(made.path)), fmpy.extract(str(made.path))
    number = {one.name: one.valueReference for one in said.modelVariables}
    kind = fmpy.fmi2.FMU2Slave if version == "2.0" else fmpy.fmi3.FMU3Slave
    assert said.coSimulation.canGetAndSetFMUstate

    def unit(name):
        one = kind(
            guid=said.guid,
            unzipDirectory=folder,
            modelIdentifier=said.coSimulation.modelIdentifier,
            instanceName=name,
        )
        one.instantiate()
        begin(one)
        return one

    def begin(one):
        if version == "2.0":
            one.setupExperiment(startTime=0.0)
        one.enterInitializationMode()
        one.exitInitializationMode()

    def fly(one, first, last):
        found = []
        read = one.getReal if version == "2.0" else one.getFloat64
        write = one.setReal if version == "2.0" else one.setFloat64
        for k in range(first, last):
            found += read([number["encoder.angle"]])
            write([number["motor.command"]], [-30.0 * found[-1]])
            one.doStep(0.01 * k, 0.01)
        return found

    angle, first, other = list(np.ravel(log["encoder.angle"])), unit("first"), unit("other")
    fly(other, 0, 7)
    start = fly(first, 0, 20)
    state = first.getFMUstate() if version == "2.0" else first.getFMUState()
    rest = fly(first, 20, 40)
    assert start + rest == angle[:40]
    first.setFMUstate(state) if version == "2.0" else first.setFMUState(state)
    assert fly(first, 20, 40) == rest
    other.reset()
    begin(other)
    assert fly(other, 0, 40) == angle[:40]
    for one in (first, other):
        one.terminate()
        one.freeInstance()


@needs_compiler
@pytest.mark.skipif(sys.platform == "win32", reason="the core of assemblies is POSIX")
def test_units_with_laws_in_python_say_that_they_start_one(tmp_path, monkeypatch):
    (tmp_path / "laws_elsewhere.py").write_text("def law(t):\n    return 0.1\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path), prepend=os.pathsep)
    flight = bench()[1].add("law", import_module("laws_elsewhere").law, every="10 ms", out={"torque": "N*m"})
    made = ist.export_fmu(
        flight, tmp_path / "p.fmu", outputs=["encoder.angle"], inputs=["motor.command"], every="10 ms"
    )
    assert made.notes == ["it starts the installed Interstage: 'law' is a law in Python"]
    assert fmpy.read_model_description(str(made.path)).coSimulation.needsExecutionTool


def pair():
    """Two arms on hinges, and a sensor without memory on the lower one."""
    mb = ist.Multibody("pair", gravity=[0, 0, -9.81])
    hung = {"mass": 2.0, "com": [0, 0, -0.5], "inertia": [0.1, 0.1, 0.01], "joint": ist.Revolute("y")}
    mb.add_body("upper", **hung)
    mb.add_body("lower", parent="upper", at=[0, 0, -1], **hung)
    flight = ist.Assembly("pair", vehicle=mb.compile())
    return flight.add("seen", dev.GPS(at=("lower", [0, 0, -1]), every="10 ms"))


@needs_compiler
@pytest.mark.skipif(sys.platform == "win32", reason="the core of assemblies is POSIX")
@pytest.mark.parametrize("every", ["10 ms", None], ids=["co-simulation", "model exchange"])
def test_a_unit_starts_as_its_state_is_switched(tmp_path, every):
    """A hinge that an event has locked is locked in the unit, too, which goes on as the log does.

    Compared are equal steps with themselves, and CVODE held to 1e-8 with RK4 at 1 ms; a free hinge is off by 1 cm.
    """
    x = pair().state()
    x["upper"].q[:], x["lower"].q[:] = 0.4, 0.7
    lock = ist.Event(at=0.1, action=ist.SetJointMode("lower", "locked"))
    log = ist.simulate(pair(), x, until=0.5, step="1 ms", log_step="10 ms", events=[lock])
    k = int(np.flatnonzero(np.isclose(log.t, 0.2))[0])
    path, step = tmp_path / "pair.fmu", None if every is None else "1 ms"
    made = ist.export_fmu(pair(), path, outputs=["seen.position"], x0=log.state(k), every=every, step=step)
    given = {"stop_time": 0.3, "step_size": 0.01, "output_interval": 0.01, "relative_tolerance": 1e-8}
    found = fmpy.simulate_fmu(str(made.path), **given)
    found = found[np.diff(found["time"], append=1.0) > 0.0]  # behind the sample of each time
    times, late = log.times("seen.position"), found["time"] > 0.011
    for i, name in enumerate(made.outputs):
        wanted = np.interp(found["time"] + 0.2, times, log["seen.position"][:, i])
        np.testing.assert_allclose(found[name][late], wanted[late], atol=1e-9 if every else 1e-6)


def test_a_unit_refuses_points_that_say_more(tmp_path):
    """Points that go on at their time, and those of a vehicle that has changed meanwhile."""
    other = ist.Event(at=0.1, action=ist.ReplaceJoint("lower", ist.Revolute("y", stiffness=50.0)))
    log = ist.simulate(pair(), None, until=0.2, step="10 ms", events=[other])
    for point, words in ((log.point(0.05), "its time of 0.05 s"), (log.state(-1), "its run has changed")):
        with pytest.raises(InputError, match=words):
            ist.export_fmu(pair(), tmp_path / "a.fmu", every="10 ms", outputs=["seen.position"], x0=point)


def test_what_cannot_be_a_unit_is_said(tmp_path):
    system, flight = bench()
    with pytest.raises(InputError, match="version"):
        ist.export_fmu(model(), tmp_path / "a.fmu", version="1.0")
    with pytest.raises(InputError, match="needs outputs"):
        ist.export_fmu(flight, tmp_path / "a.fmu", every="10 ms")
    with pytest.raises(InputError, match="goes with every"):
        ist.export_fmu(flight, tmp_path / "a.fmu", outputs=["encoder.angle"], step="5 ms")
    with pytest.raises(InputError, match="no output"):
        ist.export_fmu(flight, tmp_path / "a.fmu", every="10 ms", outputs=["motor.command"])
    with pytest.raises(InputError, match="LinearModel or an Assembly"):
        ist.export_fmu(system, tmp_path / "a.fmu")
    with pytest.raises(InputError, match="no such compiler"):
        ist.export_fmu(model(), tmp_path / "a.fmu", compiler="no-such-cc")

    def local(t, angle):
        return {"u": -angle}

    flight.add("law", local, every="10 ms", out={"u": "N*m"}).wire({"encoder.angle": "law.angle"})
    with pytest.raises(InputError, match="cannot be made again"):
        ist.export_fmu(flight, tmp_path / "a.fmu", every="10 ms", inputs=["motor.command"], outputs=["law.u"])
    assert not (tmp_path / "a.fmu").exists()


@needs_compiler
@pytest.mark.parametrize("version", ["2", "3"])
def test_the_sources_compile_without_warnings(tmp_path, version):
    made = ist.export_fmu(model(), tmp_path / "a.fmu", compiler="")
    with zipfile.ZipFile(made.path) as packed:
        packed.extractall(tmp_path)
    order = [
        "cc",
        "-std=c99",
        "-Wall",
        "-Wextra",
        "-Werror",
        "-fsyntax-only",
        f"-DFMI_VERSION={version}",
        "fmu.c",
    ]
    subprocess.run(order, cwd=tmp_path / "sources", check=True)


@needs_compiler
@pytest.mark.parametrize("version", VERSIONS)
def test_a_sampled_model_steps_by_its_sample_time(tmp_path, version):
    """x⁺ = A x + B u, as the model itself goes; a step that is no whole number of samples is refused."""
    dt = 0.05
    z = model().discretize(dt)
    made = ist.export_fmu(z, tmp_path / "z.fmu", version=version)
    assert made.kinds == ("co-simulation",) and validate_fmu(str(made.path)) == []
    t = np.linspace(0.0, 1.0, 21)
    u, table = signals(t)
    run = {"filename": str(made.path), "stop_time": 1.0, "fmi_type": "CoSimulation", "input": table}
    found = fmpy.simulate_fmu(**run, output_interval=dt, step_size=dt)
    y, before = z.time_response(u), np.vstack([u[:1], u[:-1]]) @ z.D.T
    for k, name in enumerate(("tip rate", "q<0>")):
        assert found[name] - before[:, k] == pytest.approx((y - u @ z.D.T)[:, k], abs=1e-12)
    with pytest.raises(Exception, match=r"(?i)doStep|failed|error"):
        fmpy.simulate_fmu(**run, output_interval=0.02, step_size=0.02)
