"""Linear models of assemblies around vehicles with closures: against those of the vehicle alone, closed by hand."""

from __future__ import annotations

import numpy as np
import pytest
from device_library import Servomotor
from scipy.linalg import expm

import interstage as ist
from interstage.simulation.run.run_errors import fastest_of


@pytest.fixture(scope="module")
def four_bar():
    mb = ist.Multibody("four-bar", gravity=[0, 0, -9.81])
    rod = {"mass": 1.0, "com": [0.5, 0, 0], "inertia": 0.08 * np.eye(3), "joint": ist.Revolute("y")}
    mb.add_body("crank", **rod)
    mb.add_body("coupler", parent="crank", at=[1.0, 0, 0], **rod)
    mb.add_body("rocker", at=[2.0, 0, 0], **rod)
    mb.close("loop", ("coupler", [1.0, 0, 0]), ("rocker", [1.0, 0, 0]), joint=ist.Revolute("y"))
    system = mb.compile()
    system.drop_redundant(system.assemble(system.state(q=[-1.2, 0.9, -1.0])))
    return system


def assembly(system, gain=0.0, **options):
    made = ist.Assembly("servo", vehicle=system).add("motor", Servomotor(joint="crank"))
    made.add("law", lambda t, x, v: 4.0 - gain * (x + 0.3 * v), out={"u": "N*m"}, **options)
    return made.wire({"motor.seen": "law.x", "motor.speed": "law.v", "law.u": "motor.command"})


@pytest.fixture(scope="module")
def moving(four_bar):
    """A state on the closure, in motion."""
    x = four_bar.state(q=[-1.2, 0.9, -1.0], v=[0.7, 0.2, -0.4])
    return four_bar.project(four_bar.assemble(x))


def alone(system, x, torque):
    """Return the vehicle's own linear model, from the motor's torque to its angle and rate."""
    tau = np.zeros(system.nv)
    tau[system.layout["crank"].v] = torque
    outputs = [ist.JointAngle("crank"), ist.JointRate("crank")]
    return ist.linearize(system, x, inputs=ist.JointForce("crank"), outputs=outputs, tau=tau)


@pytest.mark.parametrize("gain", [0.0, 25.0])
def test_a_law_around_a_loop_of_bars_is_the_feedback_of_its_own_model(four_bar, moving, gain):
    """Continuous law u = 4 - k (x + 0.3 v): A + B K C of the bare vehicle, which has the same states."""
    K = -gain * np.array([[1.0, 0.3]])
    u0 = 4.0 + (K @ [moving["crank"].q[0], moving["crank"].v[0]])[0]
    bare = alone(four_bar, moving, u0)
    found = ist.linearize(assembly(four_bar, gain), moving, outputs=["motor.seen", "motor.speed"])
    assert found.states == bare.states and len(found.states) == 2
    exact = bare.A + bare.B @ K @ bare.C
    assert pytest.approx(exact, abs=1e-11 * np.abs(exact).max()) == found.A
    assert pytest.approx(bare.C, abs=1e-12) == found.C


def test_a_cut_loop_around_bars_has_the_input_and_outputs_of_its_own_model(four_bar, moving):
    found = ist.linearize(
        assembly(four_bar),
        moving,
        inputs="motor.command",
        outputs=["motor.seen", "motor.speed"],
        set={"motor.command": 4.0},
    )
    bare = alone(four_bar, moving, 4.0)
    for ours, theirs in zip((found.A, found.B, found.C, found.D), (bare.A, bare.B, bare.C, bare.D)):
        assert ours == pytest.approx(theirs, abs=1e-11 * max(1.0, np.abs(theirs).max()))


def test_a_sampled_law_around_a_loop_of_bars_is_its_zero_order_hold(four_bar):
    """At rest under the torque that holds it; RK4 at 1 ms inside frames of 20 ms is exact to 1e-10 here."""
    made = assembly(four_bar, 25.0, every="20 ms")
    start = four_bar.assemble(four_bar.state(q=[-1.2, 0.9, -1.0]))
    x0 = ist.trim(made, start)
    assert np.abs(four_bar.closure_error(x0)).max() < 1e-9
    found = ist.linearize(made, x0, sampled=True, step="1 ms")
    assert found.method["method"] == "complex-step"
    K = -25.0 * np.array([[1.0, 0.3]])
    bare = alone(four_bar, x0, 4.0 - 25.0 * x0["crank"].q[0])
    whole = expm(0.02 * np.block([[bare.A, bare.B], [np.zeros((1, 3))]]))
    exact = whole[:2, :2] + whole[:2, 2:] @ K @ bare.C
    poles = np.sort_complex(np.linalg.eigvals(exact))
    theirs = np.sort_complex(found.poles())
    assert theirs[np.abs(theirs) > 1e-12] == pytest.approx(poles, abs=1e-10)


def test_a_step_inside_a_frame_bears_a_mode_that_is_damped_beyond_the_critical():
    """Ten milligrams on a damper decay in microseconds, where their spring alone would let them swing at 160 Hz."""
    mb = ist.Multibody("rod and tip")
    rod = {"mass": 1.0, "com": [0.5, 0, 0], "inertia": 0.08 * np.eye(3)}
    mb.add_body("rod", joint=ist.Revolute("y", stiffness=1e4, damping=40.0), **rod)
    mb.add_body(
        "tip",
        parent="rod",
        at=[1.0, 0, 0],
        mass=1e-5,
        inertia=1e-7 * np.eye(3),
        joint=ist.Prismatic("x", stiffness=10.0, damping=2.0),
    )
    system = mb.compile()
    decay = 2.0 / 1e-5  # damper over mass: 2e5 /s, beside frequencies below 1100 rad/s
    made = ist.Assembly("seen", vehicle=system).add("motor", Servomotor(joint="rod"))
    made.add("law", lambda t, x: 0.0 * x, out={"u": "N*m"}, every="1 ms")
    made.wire({"motor.seen": "law.x", "law.u": "motor.command"})
    found = ist.linearize(made, system.state(), sampled=True)
    exact = expm(1e-3 * ist.linearize(system, system.state()).A)
    assert fastest_of(system) == pytest.approx(decay, rel=0.01)
    poles = found.poles()
    assert np.sort(np.abs(poles))[-2:] == pytest.approx(
        np.sort(np.abs(np.linalg.eigvals(exact)))[-2:], rel=1e-6
    )


@pytest.mark.parametrize("threshold", [0.1, 0.5, 0.9])
def test_a_trim_passes_a_kink_at_its_start(threshold):
    """An engine that pushes above a back pressure, from rest: the spring ends at (F − p) / k, however large p is."""

    class Pusher(ist.Device):
        body = ist.Site()
        push = body.force()
        level = ist.ContinuousState("")
        back = ist.Parameter("N")

        def outputs(d, t):
            net = d.level * 2e4 - d.back
            if net.real <= 0.0:
                net = 0.0 * net
            d.push[0] = net

        def rates(d, t):
            d.leveldot = (1.0 - d.level) / 0.05

    mb = ist.Multibody("pushed")
    mb.add_body("car", mass=3.0, joint=ist.Prismatic("x", stiffness=5e3, damping=10.0))
    flight = ist.Assembly("on a spring", vehicle=mb.compile())
    flight.add("engine", Pusher(body="car", back=2e4 * threshold))
    point = ist.trim(flight)
    assert point["car"].q[0] == pytest.approx(2e4 * (1.0 - threshold) / 5e3, rel=1e-12)
    assert point.values["engine.level"] == pytest.approx(1.0, rel=1e-12)
