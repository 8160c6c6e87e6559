"""What sensors and inputs are, on flexible and closed vehicles: against Jacobians, statics and differences."""

from __future__ import annotations

import numpy as np
import pytest
from multibody_models import beam

import interstage as ist
from interstage.linear.chart import Chart, with_unit_quaternions
from interstage.linear.interface import Interface
from interstage.linear.outputs import Observation
from interstage.linear.vehicle_plant import VehiclePlant
from interstage.multibody.loads import Loads


def vehicle(gravity=(0.0, 0.0, -2.0)):
    """Return a bus with a bent flexible boom that carries a tip body, and a moving, deformed state."""
    mb = ist.Multibody("vehicle", gravity=gravity)
    mb.add_body("bus", mass=20.0, com=[0.1, 0, 0], inertia=[3, 4, 5.0], joint=ist.Free())
    boom = beam(4, n_modes=6, bend=0.2, lumped=True)
    mb.add_body("boom", component=boom, parent="bus", at=[0.5, 0, 0], joint=ist.Revolute("y"), damping=0.01)
    mb.add_body("tip", mass=1.0, inertia=[0.1] * 3, parent="boom", at=5, joint=ist.Ball(stiffness=2.0))
    system = mb.compile()
    rng = np.random.default_rng(8)
    x = system.state()
    x.v[:] = 0.5 * rng.normal(size=system.nv)
    x["boom"].eta[:] = 0.004 * rng.normal(size=6)
    x["boom"].q[:] = 0.4
    q = rng.normal(size=4)
    x["bus"].quaternion[:] = q / np.linalg.norm(q)
    q = np.array([1.0, 0.1, 0.2, -0.1])
    x["tip"].quaternion[:] = q / np.linalg.norm(q)
    return system, x


@pytest.fixture(scope="module")
def moving():
    return vehicle()


NODE = ("boom", 4)
ALL = [
    ist.NodePosition(*NODE),
    ist.NodeAttitude(*NODE),
    ist.NodeRate(*NODE),
    ist.NodeVelocity(*NODE, frame="world"),
    ist.NodeAcceleration(*NODE, specific_force=True),
    ist.NodeAngularAcceleration(*NODE, frame="body"),
    ist.JointAngle("boom"),
    ist.JointAngle("tip", name="tip_turn"),
    ist.JointAngle("bus", "x", name="bus_x"),
    ist.JointRate("tip"),
    ist.JointReaction("boom"),
    ist.JointReaction("tip", "fx", frame="world"),
    ist.ModalCoordinate("boom", [1, 3]),
    ist.ModalCoordinate("boom", 2, rate=True),
    ist.CustomOutput("height", lambda s, x, vdot: s.position(x, "tip")[2] ** 2),
    ist.CustomOutput("load", lambda s, x, vdot: s.acceleration(x, vdot, "boom", 4)[3:]),
]
INPUTS = [
    ist.NodeForce(*NODE),
    ist.NodeTorque(*NODE, "y"),
    ist.JointForce("boom"),
    ist.JointForce("tip"),
    ist.ModalForce("boom", 2),
]


def test_every_output_and_input_against_extrapolated_differences(moving):
    """Richardson extrapolation of the real model knows nothing of complex steps; its own estimate bounds the gap."""
    system, x = moving
    exact = ist.linearize(system, x, INPUTS, ALL)
    rough = ist.linearize(system, x, INPUTS, ALL, method="central-4", richardson=True, step=0.02)
    assert exact.outputs == rough.outputs and len(exact.outputs) == len(set(exact.outputs))
    for name in "ABCD":
        a, b = getattr(exact, name), getattr(rough, name)
        assert np.abs(a - b).max() < 1e-8 * np.abs(a).max(), name  # ε|f|/h of the differences
    assert exact.inputs[:5] == [
        "boom.4.force.x",
        "boom.4.force.y",
        "boom.4.force.z",
        "boom.4.torque.y",
        "boom.joint_force",
    ]


def test_one_loop_for_all_columns_is_the_same_as_one_by_one(moving):
    """The compiled loop and single evaluations (taken when an output carries no complex numbers) give one model."""
    system, x = moving
    axes = (("bus", None, "body"), (*NODE, "node"), (*NODE, "world"), ("tip", None, "world"))
    loads = {place: [0.1, 0.2, -0.3, 3.0, -2.0, 1.0 + k] for k, place in enumerate(axes)}
    rough = ist.CustomOutput("rough", lambda s, x, vdot: float(x.v[0].real))
    quick = ist.linearize(system, x, INPUTS, ALL, forces=loads)
    slow = ist.linearize(system, x, INPUTS, [*ALL, rough], forces=loads)
    for name in "ABCD":
        a, b = getattr(quick, name), getattr(slow, name)
        b = b[:-1] if name in "CD" else b
        assert np.abs(a - b).max() <= 1e-14 * np.abs(a).max(), name


def test_sensor_axes_turn_with_the_deformed_node(moving):
    system, x = moving
    vdot = system.forward_dynamics(x)
    lin = ist.linearize(system, x, [], ALL)
    y = dict(zip(lin.outputs, lin.operating_point["y"]))
    R = system.rotation(x, *NODE)
    rate = R.T @ system.velocity(x, *NODE)[:3]
    felt = R.T @ (system.acceleration(x, vdot, *NODE)[3:] - [0, 0, -2.0])
    assert np.allclose([y[f"boom.4.rate.{c}"] for c in "xyz"], rate, atol=1e-14)
    assert np.allclose([y[f"boom.4.acceleration.{c}"] for c in "xyz"], felt, atol=1e-13)
    # a rotation of the whole leaves what the sensor feels of its own motion: rate rows have no attitude columns
    turn = [lin.states.index(f"bus.r{c}") for c in "xyz"]
    rows = [lin.outputs.index(f"boom.4.rate.{c}") for c in "xyz"]
    assert np.abs(lin.C[np.ix_(rows, turn)]).max() < 1e-13


def test_positions_and_attitudes_follow_the_jacobian(moving):
    system, x = moving
    lin = ist.linearize(system, x, [], ALL[:2], position_axes="body")
    J = system.jacobian(x, *NODE)
    nv = system.nv
    assert np.abs(lin.C[:3, :nv] - J[3:]).max() < 1e-13
    assert np.abs(lin.C[3:, :nv] - J[:3]).max() < 1e-13
    assert np.abs(lin.C[:, nv:]).max() < 1e-14


def test_positions_along_axes_that_turn(moving):
    """Position in body and node axes is Rᵀp with R of the moving body: the model of that expression."""
    system, x = moving

    def seen(s, x, vdot):
        return np.concatenate([s.rotation(x, *place).T @ s.position(x, *NODE) for place in (("boom",), NODE)])

    pair = [ist.NodePosition(*NODE, frame=frame, name=frame) for frame in ("body", "node")]
    x = x.copy()
    x["bus"].position[:] = [3.0, -4.0, 5.0]
    lin = ist.linearize(system, x, [], [*pair, ist.CustomOutput("truth", seen)])
    assert np.abs(lin.C[:6] - lin.C[6:]).max() < 1e-13 * np.abs(lin.C).max()
    assert np.allclose(lin.operating_point["y"][:6], lin.operating_point["y"][6:], atol=1e-14)


FRAMES = ("world", "body", "node")
PAIRS = [
    (ist.NodePosition, ist.NodeVelocity),
    (ist.NodeVelocity, ist.NodeAcceleration),
    (ist.NodeAttitude, ist.NodeRate),
    (ist.NodeRate, ist.NodeAngularAcceleration),
]


def test_derivatives_of_outputs_are_outputs(moving):
    """Along a run of the full model: d/dt y = y' - ω×y in axes that turn with ω, differences of order six."""
    system, x = moving
    h = 0.05 / (2.0 * np.pi * system.modes(x).frequencies_hz[-1])
    run = ist.simulate(system, x, 20.0 * h, method="dop853", rtol=1e-13, atol=1e-14, max_step=h)
    middle = 10.0 * h
    outputs = [
        kind(*NODE, frame=f, name=f"{kind.__name__} {f}") for pair in PAIRS for kind in pair for f in FRAMES
    ]
    outputs = list({o.name: o for o in outputs}.values())
    joints = ["bus", "boom", "tip"]
    outputs += [kind(b) for b in joints for kind in (ist.JointAngle, ist.JointRate)]
    outputs += [ist.ModalCoordinate("boom"), ist.ModalCoordinate("boom", rate=True)]
    for output in outputs:
        output.prepare(system)
    x0 = with_unit_quaternions(run.at(middle))
    plant = VehiclePlant(system, x0, Loads.of(system), Interface(system, [], outputs), Chart(system, x0))
    plant.settle()

    def see(t):
        x = with_unit_quaternions(run.at(t))
        seen = Observation(system, x, system.forward_dynamics(x), plant.loads, plant.sites, plant.origin)
        return {o.group: o.values(seen) for o in outputs}

    now, weights = see(middle), ((1, 0.75), (2, -0.15), (3, 1.0 / 60.0))
    around = {k: (see(middle + k * h), see(middle - k * h)) for k, _ in weights}
    slope = {g: sum(w * (around[k][0][g] - around[k][1][g]) for k, w in weights) / h for g in now}
    for of, rate in PAIRS:
        for frame in FRAMES:
            y, turning = now[f"{of.__name__} {frame}"], np.zeros(3)
            if frame != "world":
                turning = system.velocity(x0, "boom", NODE[1] if frame == "node" else None, frame=frame)[:3]
            expected = now[f"{rate.__name__} {frame}"] - np.cross(turning, y)
            found = slope[f"{of.__name__} {frame}"]
            assert np.abs(found - expected).max() < 1e-8 * (1.0 + np.abs(expected).max()), (of, frame)
    assert np.allclose(slope["boom.joint_angle"], now["boom.joint_rate"], atol=1e-9)
    assert np.allclose(slope["tip.joint_angle"], now["tip.joint_rate"], atol=1e-8)
    assert np.allclose(slope["boom.eta"], now["boom.eta_rate"], atol=1e-8)
    turn, shift = slope["bus.joint_angle"][:3], slope["bus.joint_angle"][3:]
    assert np.allclose(turn, now["bus.joint_rate"][:3], atol=1e-8)
    assert np.allclose(shift, system.rotation(x0, "bus") @ now["bus.joint_rate"][3:], atol=1e-8)


def test_forces_enter_as_their_jacobian_says(moving):
    """M δv̇ = Jᵀ f: node axes turn with the node, world axes do not."""
    system, x = moving
    M, J, R = system.mass_matrix(x), system.jacobian(x, *NODE), system.rotation(x, *NODE)
    nv = system.nv
    for frame, turn in (("node", R), ("world", np.eye(3)), ("body", system.rotation(x, "boom"))):
        lin = ist.linearize(
            system, x, [ist.NodeForce(*NODE, frame=frame), ist.NodeTorque(*NODE, frame=frame)]
        )
        exact = np.linalg.solve(M, np.hstack([J[3:].T @ turn, J[:3].T @ turn]))
        assert np.abs(lin.B[nv:] - exact).max() < 1e-11 * np.abs(exact).max()


def test_model_at_rest_has_the_frequencies_of_the_system():
    """A_vq = -M⁻¹K at rest without damping: poles are the modes of the symmetric eigenproblem to 1e-9."""
    system, _ = vehicle(gravity=(0, 0, 0))
    mb = system.model
    for spec in mb.specs:
        spec.damping = None if spec.component is None else np.array(0.0)
    system = mb.compile()
    x = system.state()
    modes = system.modes(x)
    lin = ist.linearize(system, x)
    found = lin.poles().frequency_hz[lin.poles().imag > 1.0]
    exact = modes.frequencies_hz[modes.frequencies_hz > 0.2]
    assert np.abs(np.sort(found) / exact - 1.0).max() < 1e-9
    undamped = lin.modes(damped=False)
    assert np.abs(undamped.frequencies_hz[-len(exact) :] / exact - 1.0).max() < 1e-9
    assert ist.mac(undamped.shapes[: system.nv, -1:], modes.shapes[:, -1:])[0, 0] > 1 - 1e-9


def test_expression_that_takes_no_complex_numbers_falls_back_to_differences(moving):
    system, x = moving
    smooth = ist.CustomOutput("smooth", lambda s, x, vdot: s.position(x, "tip")[0])
    hidden = ist.CustomOutput("hidden", lambda s, x, vdot: float(s.position(x, "tip")[0].real))
    silent = ist.CustomOutput(
        "silent", lambda s, x, vdot: np.abs(s.position(x, "tip")[0] + 100.0) + 0j * x.v[0]
    )
    with pytest.raises(ist.InterstageError, match="must return finite real numbers"):
        ist.linearize(system, x, [], [silent])
    silent = ist.CustomOutput(
        "silent", lambda s, x, vdot: np.abs(s.position(x, "tip")[0] + 100.0) + 0.0 * x.v[0]
    )
    lin = ist.linearize(system, x, [], [smooth, hidden, silent])
    scale = np.abs(lin.C[0]).max()
    assert np.abs(lin.C[1] - lin.C[0]).max() < 1e-9 * scale  # central-4: ε^(4/5)
    assert np.abs(lin.C[2] - lin.C[0]).max() < 1e-9 * scale


def test_a_function_may_use_its_state_as_scratch(moving):
    """Outputs and residuals of the user get copies: what they do to them touches nothing else."""
    system, x = moving

    def scribble(s, x, vdot):
        height = s.position(x, "tip")[2]
        x.q[:], x.v[:], vdot[:] = 1.0, 0.0, 0.0
        return height

    plain = ist.linearize(system, x, [], ALL[:6])
    seen = ist.linearize(system, x, [], [ist.CustomOutput("height", scribble), *ALL[:6]])
    assert np.array_equal(seen.C[1:], plain.C) and np.array_equal(seen.A, plain.A)
    assert np.array_equal(seen.operating_point["y"][1:], plain.operating_point["y"])
    low = system.state()
    wanted = {"unknowns": ["boom.angle"]}
    truth = ist.trim(system, low, residuals=[lambda s, x, vdot: s.position(x, "tip")[2] - 0.3], **wanted)
    found = ist.trim(system, low, residuals=[lambda s, x, vdot: scribble(s, x, vdot) - 0.3], **wanted)
    assert np.array_equal(found.q, truth.q) and np.array_equal(found.vdot, truth.vdot)


def test_flexible_loop_against_integration():
    """A closed, flexible model: its response to a small push is that of the full model, to second order."""
    mb = ist.Multibody("loop", gravity=[0, 0, -3.0])
    mb.add_body(
        "left",
        component=beam(3, n_modes=4),
        joint=ist.Revolute("y", stiffness=400.0, damping=2.0),
        damping=0.02,
    )
    mb.add_body(
        "right", mass=2.0, com=[0.5, 0, 0], inertia=[0.2] * 3, parent="left", at=4, joint=ist.Revolute("y")
    )
    mb.close("pin", ("right", [1.0, 0, 0]), (None, [1.2, 0, 0.9]), joint=ist.Ball())
    system = mb.compile()
    x = system.state()
    x["left"].q[:], x["right"].q[:] = -0.3, -0.6
    system.drop_redundant(system.assemble(x))
    x0 = ist.trim(system, system.assemble(x))
    assert not x0.report.accelerating
    lin = ist.linearize(
        system, x0, [ist.JointForce("left")], [ist.JointAngle("left"), ist.NodePosition("left", 4, "z")]
    )
    assert lin.n_states == 2 * (system.nv - system.n_closure)
    assert lin.poles().stable
    # static gain: solve again with a small torque
    pushed = []
    for torque in (0.05, -0.05):
        tau = np.zeros(system.nv)
        tau[0] = torque
        z = ist.trim(system, x0, tau=tau)
        pushed.append([z["left"].q[0], system.position(z, "left", 4)[2]])
    slope = (np.array(pushed[0]) - pushed[1]) / 0.1
    gain = lin.frequency_response([0.0])[0, :, 0].real
    assert gain == pytest.approx(slope, rel=1e-6)


def test_bad_names_are_told(moving):
    system, x = moving
    for bad, words in (
        (lambda: ist.linearize(system, x, [ist.NodeForce("boom", 99)]), "99"),
        (lambda: ist.linearize(system, x, [ist.JointForce("leg")]), "known: bus, boom, tip"),
        (lambda: ist.linearize(system, x, [ist.JointForce("boom", "travel")]), "known: angle"),
        (lambda: ist.linearize(system, x, [ist.JointAcceleration("boom")]), "not prescribed"),
        (lambda: ist.linearize(system, x, [], [ist.NodeRate]), "not an output"),
        (lambda: ist.linearize(system, x, [], [ist.NodeRate("boom", 4, frame="moon")]), "unknown frame"),
        (lambda: ist.linearize(system, x, [], [ist.ModalCoordinate("boom", 7)]), "1 to 6"),
        (lambda: ist.linearize(system, x, [], [ist.ModalCoordinate("bus")]), "rigid"),
        (lambda: ist.linearize(system, x, [], [ist.NodeRate("boom", 4)] * 2), "name="),
        (lambda: ist.linearize(system, x, method="newton"), "complex-step, central-2, central-4"),
        (lambda: ist.linearize(system, x, position_axes="moon"), "parent or body"),
        (lambda: ist.linearize(system, 3.0), "not a state"),
    ):
        with pytest.raises(ist.InterstageError, match=words):
            bad()


def test_the_centre_of_mass_moves_as_momentum_says():
    """Its rate is p/m: C times the rates of the states is the linear momentum over the mass, modes and all."""
    system, x = vehicle()
    lin = ist.linearize(system, x, outputs=[ist.CenterOfMass(), ist.CenterOfMass("y", name="sway")])
    assert lin.outputs == ["center_of_mass.x", "center_of_mass.y", "center_of_mass.z", "sway.y"]
    np.testing.assert_allclose(lin.operating_point["y"][:3], system.mass_properties(x).com, atol=1e-9)
    chart = Chart(system, x)
    rate = lin.C[:3, : system.nv] @ (chart.kinematics()[1] @ x.v)
    p = system.momentum(x)[3:] / system.mass_properties(x).mass
    np.testing.assert_allclose(rate, p, atol=1e-9 * np.abs(p).max())


def test_an_axis_in_the_place_of_a_node_is_told():
    with pytest.raises(ist.InterstageError, match="name an axis, as in axis='y'"):
        _ = ist.NodeRate("bus", "y").group
