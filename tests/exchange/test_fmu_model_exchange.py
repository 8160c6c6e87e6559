"""Nonlinear assemblies whose states another tool integrates: FMPy's solvers against the flight itself."""

from __future__ import annotations

import shutil
import subprocess
import sys
import zipfile

import numpy as np
import pytest

import interstage as ist
from interstage import devices as dev
from interstage.errors import InputError

fmpy = pytest.importorskip("fmpy", reason="FMPy is not installed")
from fmpy.validation import validate_fmu  # noqa: E402

VERSIONS = ("2.0", "3.0")
EXACT = {"step": None, "method": "dop853", "rtol": 1e-11, "atol": 1e-11}
needs_process = pytest.mark.skipif(
    shutil.which("cc") is None or sys.platform == "win32", reason="needs a C compiler and POSIX"
)


def craft():
    """A spinning bus, whose attitude is a quaternion, and an arm behind a motor with two states of its own."""
    mb = ist.Multibody("craft")
    mb.add_body("bus", mass=40.0, inertia=[3.0, 5.0, 6.0], joint=ist.Free())
    arm = {"mass": 4.0, "com": [0, 0, -0.5], "inertia": [0.4, 0.4, 0.05]}
    mb.add_body("arm", **arm, parent="bus", at=[0.3, 0, -0.2], joint=ist.Revolute("y"))
    system = mb.compile()
    flight = ist.Assembly("craft", vehicle=system)
    flight.add("motor", dev.Motor(joint="arm", inertia=0.01, stiffness=50.0, damping=0.5))
    x0 = system.state()
    x0["bus"].v[:3], x0["arm"].q[:] = [0.5, -0.2, 1.0], 0.4
    return flight, x0


def pendulum():
    mb = ist.Multibody("arm", gravity=[0, 0, -9.81])
    mb.add_body("arm", mass=2.0, com=[0, 0, -0.5], inertia=[0.1, 0.1, 0.01], joint=ist.Revolute("y"))
    system = mb.compile()
    flight = ist.Assembly("bench", vehicle=system)
    flight.add("motor", dev.Motor(joint="arm", inertia=0.01, stiffness=500.0, damping=1.0))
    return flight, system.state([2.0])


def held(made, value):
    """Return an input of FMPy that does not change."""
    table = np.zeros(2, dtype=[("time", "f8"), (made.inputs[0], "f8")])
    table["time"], table[made.inputs[0]] = [0.0, 10.0], value
    return table


@needs_process
@pytest.mark.parametrize("version", VERSIONS)
def test_a_continuous_assembly_is_integrated_by_another_tool(tmp_path, version):
    """CVODE at 1e-7 and 1e-10 comes to the flight by dop853 as its tolerance says; all states, the quaternion too."""
    flight, x0 = craft()
    ports = {"inputs": ["motor.command"], "outputs": ["motor.torque"], "x0": x0}
    made = ist.export_fmu(flight, tmp_path / "craft.fmu", version=version, **ports)
    assert made.kinds == ("model exchange",) and validate_fmu(str(made.path)) == []
    said = fmpy.read_model_description(str(made.path))
    assert said.modelExchange.needsExecutionTool and said.coSimulation is None
    states = [v for v in said.modelVariables if v.causality == "local" and v.derivative is None]
    names = [v.name for v in states]
    assert {v.name: v.unit for v in states if v.unit}.items() >= {
        ("bus.wx", "rad/s"),
        ("motor.turned", "rad"),
    }
    log = ist.simulate(flight, x0, until=1.0, **EXACT, log_step="20 ms", set={"motor.command": 0.7})
    ours = np.column_stack([log.q, log.v, log["motor.turned"], log["motor.speed"]])
    size = np.abs(ours).max(axis=0)
    for rtol in (1e-7, 1e-10):
        found = fmpy.simulate_fmu(
            str(made.path),
            stop_time=1.0,
            output_interval=0.02,
            relative_tolerance=rtol,
            input=held(made, 0.7),
            output=[*names, "motor.torque"],
        )
        theirs = np.column_stack([found[name] for name in names])
        assert np.abs(theirs - ours).max() < 1000.0 * rtol * size.max()
        torque = np.ravel(log["motor.torque"])
        assert np.abs(found["motor.torque"] - torque).max() < 1000.0 * rtol * np.abs(torque).max()
    assert size.max() > 1.0 and np.ptp(log.q[:, 0]) > 0.05


@needs_process
def test_euler_of_another_tool_is_eulers_formula(tmp_path):
    """A pendulum on a free hinge has a slope in closed form; Euler's steps of it are taken by hand here."""
    mb = ist.Multibody("arm", gravity=[0, 0, -9.81])
    mb.add_body("arm", mass=2.0, com=[0, 0, -0.5], inertia=[0.1, 0.1, 0.01], joint=ist.Revolute("y"))
    flight = ist.Assembly("bench", vehicle=mb.compile())
    flight.add("encoder", dev.Encoder(joint="arm", every="50 ms"))
    x0 = flight.vehicle.state([1.0])
    made = ist.export_fmu(flight, tmp_path / "a.fmu", outputs=["encoder.angle"], x0=x0)
    found = fmpy.simulate_fmu(
        str(made.path),
        stop_time=0.2,
        solver="Euler",
        step_size=0.01,
        output_interval=0.01,
        output=["arm.angle", "encoder.angle"],
        start_values={"arm.angle": 1.5},
        record_events=False,
    )
    angle, rate, angles = 1.5, 0.0, [1.5]
    for _ in range(20):
        slope = -2.0 * 9.81 * 0.5 * np.sin(angle) / (0.1 + 2.0 * 0.25)
        angle, rate = angle + 0.01 * rate, rate + 0.01 * slope
        angles.append(angle)
    np.testing.assert_allclose(found["arm.angle"], angles, atol=1e-12)
    seen = [angles[k // 5 * 5] for k in range(21)]
    np.testing.assert_allclose(found["encoder.angle"], seen, atol=1e-12)


@needs_process
@pytest.mark.parametrize("version", VERSIONS)
def test_samples_and_python_laws_are_events_of_time(tmp_path, version, monkeypatch):
    """An encoder, a law with memory in Python and a hold, at periods and an offset of their own, round a pendulum."""
    text = (
        "class Law:\n"
        "    def __init__(self):\n"
        "        self.sum, self.calls = 0.0, 0\n"
        "    def __call__(self, t, angle):\n"
        "        self.sum, self.calls = self.sum + 0.02 * angle, self.calls + 1\n"
        "        return {'u': -3.0 * angle - self.sum, 'calls': float(self.calls)}\n"
    )
    (tmp_path / "own_law_of_fmu.py").write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("PYTHONPATH", f"{tmp_path}:{':'.join(p for p in sys.path if p)}")
    from own_law_of_fmu import Law  # type: ignore[import-not-found]

    def bench():
        flight, x0 = pendulum()
        flight.add("encoder", dev.Encoder(joint="arm", every="10 ms"))
        flight.add("law", Law(), every="20 ms", offset="10 ms", out={"u": "N*m", "calls": "1"})
        flight.add("filter", dev.LowPass("5 Hz"), every="1/30 s")
        wires = {"encoder.angle": "law.angle", "law.u": "motor.command", "motor.torque": "filter.u"}
        return flight.wire(wires), x0

    flight, x0 = bench()
    outputs = ["law.u", "law.calls", "encoder.angle", "filter.y", "motor.torque"]
    made = ist.export_fmu(flight, tmp_path / "bench.fmu", version=version, outputs=outputs, x0=x0)
    assert made.kinds == ("model exchange",) and validate_fmu(str(made.path)) == []
    found = fmpy.simulate_fmu(
        str(made.path), stop_time=0.4, output_interval=0.01, relative_tolerance=1e-9, record_events=False
    )
    log = ist.simulate(*bench(), until=0.4, **EXACT, log_step="10 ms")
    for name in made.outputs:
        port = name.removesuffix("[0]")
        t, ours = log.times(port), np.ravel(log[port])
        last = (
            np.searchsorted(t, found["time"] + 1e-9, side="right") - 1
        )  # held since then; before it: nothing yet
        ours = np.where(last < 0, 0.0, ours[np.maximum(last, 0)])
        np.testing.assert_allclose(found[name], ours, atol=1e-6 * max(1.0, np.abs(ours).max()))
    assert found["law.calls"][-1] == 20.0 and np.ptp(found["encoder.angle"]) > 0.3


@needs_process
def test_closures_hold(tmp_path):
    """A four-bar linkage behind a motor, for a second: the states stay on it as far as the tolerance says."""
    mb = ist.Multibody("linkage", gravity=[0, -9.81, 0])
    bar = {"mass": 1.0, "inertia": [0.01, 0.1, 0.1], "joint": ist.Revolute("z")}
    mb.add_body("crank", com=[0.5, 0, 0], **bar)
    mb.add_body("coupler", com=[1.0, 0, 0], **bar, parent="crank", at=[1.0, 0, 0])
    mb.add_body("rocker", com=[0.5, 0, 0], **bar, at=[2.0, 0, 0])
    mb.close("pin", ("coupler", [2.0, 0, 0]), ("rocker", [1.0, 0, 0]), joint=ist.Ball())
    system = mb.compile()
    x0 = system.state([1.2, -1.2, 1.2])
    system.drop_redundant(x0)
    flight = ist.Assembly("linkage", vehicle=system)
    flight.add("motor", dev.Motor(joint="crank", inertia=0.05, stiffness=200.0, damping=2.0))
    ports = {"inputs": ["motor.command"], "outputs": ["motor.torque"]}
    made = ist.export_fmu(flight, tmp_path / "a.fmu", **ports, x0=x0)
    found = fmpy.simulate_fmu(
        str(made.path),
        stop_time=1.0,
        output_interval=0.05,
        relative_tolerance=1e-9,
        input=held(made, 2.0),
        output=["crank.angle", "coupler.angle", "rocker.angle", "motor.torque"],
    )
    log = ist.simulate(flight, x0, until=1.0, **EXACT, log_step="50 ms", set={"motor.command": 2.0})
    theirs = np.column_stack([found[f"{body}.angle"] for body in ("crank", "coupler", "rocker")])
    np.testing.assert_allclose(theirs, log.q, atol=1e-6)
    np.testing.assert_allclose(found["motor.torque"], np.ravel(log["motor.torque"]), atol=1e-4)
    assert np.ptp(log.q[:, 0]) > 0.5


def test_what_only_the_flight_finds_is_refused(tmp_path):
    """Stick and slip is an event of the state, and pulses may begin between samples: co-simulation is offered."""
    flight, x0 = pendulum()
    flight.add("friction", dev.StickSlip(joint="arm", coulomb=0.5))
    with pytest.raises(InputError, match=r"'friction.*' switches at events.*co-simulation"):
        ist.export_fmu(flight, tmp_path / "a.fmu", inputs=["motor.command"], outputs=["motor.torque"], x0=x0)
    flight, x0 = pendulum()
    flight.add("jet", dev.Thruster(at="arm", thrust=1.0, valve_delay="3 ms", min_on="5 ms"), every="20 ms")
    ports = {"inputs": ["jet.width", "motor.command"], "outputs": ["motor.torque"]}
    with pytest.raises(InputError, match=r"'jet' has pulses between its samples.*co-simulation"):
        ist.export_fmu(flight, tmp_path / "a.fmu", **ports, x0=x0)
    assert not (tmp_path / "a.fmu").exists()


@needs_process
@pytest.mark.parametrize("version", ["2", "3"])
def test_the_sources_compile_without_warnings(tmp_path, version):
    flight, x0 = pendulum()
    ports = {"inputs": ["motor.command"], "outputs": ["motor.torque"]}
    made = ist.export_fmu(flight, tmp_path / "a.fmu", **ports, x0=x0, compiler="")
    with zipfile.ZipFile(made.path) as packed:
        packed.extractall(tmp_path)
    order = ["cc", "-std=c99", "-D_POSIX_C_SOURCE=200809L", "-Wall", "-Wextra", "-Werror", "-fsyntax-only"]
    subprocess.run([*order, f"-DFMI_VERSION={version}", "fmu.c"], cwd=tmp_path / "sources", check=True)


@needs_process
@pytest.mark.parametrize("every", [None, "10 ms"], ids=["model exchange", "co-simulation"])
@pytest.mark.parametrize("inputs", [(), ("motor.command",)], ids=["held", "set from outside"])
def test_what_a_point_holds_is_in_the_unit(tmp_path, every, inputs):
    """A parameter that was set and an input that is held: the unit flies as the flight does, not as the devices say."""
    flight, x0 = pendulum()
    settings = {"motor.command": 8.0, "motor.stiffness": 60.0}
    log = ist.simulate(flight, x0, until=0.5, **EXACT, log_step="10 ms", set=settings)
    plain = ist.simulate(flight, x0, until=0.5, **EXACT, log_step="10 ms", set={"motor.command": 8.0})
    made = ist.export_fmu(
        flight, tmp_path / "p.fmu", inputs=inputs, outputs=["motor.torque"], x0=log.point(0), every=every,
        step=every and "1 ms",
    )  # fmt: skip
    start = {v.name: v.start for v in fmpy.read_model_description(str(made.path)).modelVariables}
    assert [float(start[name]) for name in inputs] == [8.0] * len(inputs)
    more = {"step_size": 0.01} if every else {"relative_tolerance": 1e-9}
    found = fmpy.simulate_fmu(
        str(made.path), stop_time=0.5, output_interval=0.01, output=["motor.torque"],
        fmi_type="CoSimulation" if every else "ModelExchange", **more,
    )  # fmt: skip
    size = np.abs(log["motor.torque"]).max()
    assert np.abs(found["motor.torque"] - log["motor.torque"]).max() < 1e-5 * size
    assert np.abs(plain["motor.torque"] - log["motor.torque"]).max() > 0.1 * size
