"""One load, declared once, acts alike through every door: engine, Kane, simulation, trim, linear model."""

from __future__ import annotations

import pickle
import warnings

import numpy as np
import pytest
from multibody_models import beam, random_state

import interstage as ist
from interstage.errors import InputError
from interstage.linear.interface import Interface
from interstage.linear.vehicle_plant import VehiclePlant
from interstage.simulation import simulate

METHODS = [{"step": 1e-3}, {"step": 1e-3, "method": "ros2"}, {"rtol": 1e-11, "atol": 1e-12}]
BEAM = beam(3, n_modes=4)
TIP = int(BEAM.node_ids[-1])


def vehicle():
    """Return a bus with a flexible boom, a driven wheel, and a random state."""
    mb = ist.Multibody("bus", gravity=[0.0, 0.0, -1.0])
    mb.add_body("bus", mass=40.0, com=[0.1, 0, 0.2], inertia=[9.0, 8.0, 7.0], joint=ist.Free())
    mb.add_body(
        "boom", component=BEAM, node=1, parent="bus", at=[1, 0, 0], joint=ist.Revolute("z", stiffness=50.0)
    )
    mb.add_body("wheel", mass=1.0, inertia=[0.1] * 3, parent="bus", joint=ist.Revolute("x", prescribed=True))
    system = mb.compile()
    return mb, system, random_state(system, np.random.default_rng(8), speed=0.3)


def declared(system):
    """Return the same loads in the short form and as objects."""
    rng = np.random.default_rng(3)
    w, tau = rng.normal(size=(3, 6)), rng.normal(size=system.nv)
    short = {
        "forces": {("boom", TIP, "node"): w[0], ("bus", (0.2, 0.1, 0.0)): w[1], ("bus", None, "body"): w[2]},
        "tau": tau,
        "accelerations": {"wheel": 0.7},
    }
    forces = [
        ist.Wrench("boom", w[0], TIP, "node"),
        ist.Wrench("bus", w[1], (0.2, 0.1, 0.0)),
        ist.Wrench("bus", w[2], frame="body"),
    ]
    return short, ist.Loads.of(system, forces, tau, {"wheel": 0.7})


def close(found, truth, tolerance=1e-9):
    assert np.abs(found - truth).max() <= tolerance * np.abs(truth).max()


def test_the_same_load_gives_the_same_acceleration_through_every_door():
    mb, system, x = vehicle()
    short, loads = declared(system)
    # by hand: M v̇ = τ + Jᵀ w - b in the free velocities, wrenches turned into the world
    free = np.ones(system.nv, dtype=bool)
    free[system.layout["wheel"].v] = False
    w = [force.wrench for force in loads.forces]
    R = {"node": system.rotation(x, "boom", TIP), "body": system.rotation(x, "bus"), "world": np.eye(3)}
    f = np.where(free, loads.tau, 0.0)
    for force, own in zip(loads.forces, w):
        turned = np.concatenate([R[force.frame] @ own[:3], R[force.frame] @ own[3:]])
        f = f + system.jacobian(x, *force.place).T @ turned
    M, b, truth = system.mass_matrix(x), system.bias(x), np.zeros(system.nv)
    truth[~free] = 0.7
    truth[free] = np.linalg.solve(M[np.ix_(free, free)], (f - b - M @ truth)[free])

    kane, plain = ist.Kane(mb, like=system), {k: short[k] for k in ("tau", "accelerations")}
    doors = {
        "engine, short": system.forward_dynamics(x, **short),
        "engine": system.forward_dynamics(x, forces=loads),
        "engine, objects": system.forward_dynamics(x, forces=list(loads.forces), **plain),
        "Kane": kane.accelerations(x.q, x.v, forces=loads),
        "Kane, short": kane.accelerations(x.q, x.v, **short),
        "linear offset": ist.linearize(system, x, forces=loads).operating_point["vdot"],
        "linear offset, short": ist.linearize(system, x, **short).operating_point["vdot"],
    }
    for options in METHODS:
        for name, given in (("objects", {"forces": loads}), ("short", short)):
            log = simulate(system, x, 2e-3, **options, **given)
            doors[f"simulate {options}, {name}"] = log.accelerations[0]
    for name, found in doors.items():
        assert np.abs(found - truth).max() < 1e-9 * np.abs(truth).max(), name
    # inverse dynamics gives back what was applied to the free joints
    for forces in (short["forces"], loads, loads.forces):
        close(system.inverse_dynamics(x, truth, forces=forces)[free], loads.tau[free])


def test_the_residual_of_a_trim_is_the_acceleration_of_the_engine():
    system = vehicle()[1]
    _, loads = declared(system)
    still = system.state()
    loads = ist.Loads.of(system).plus(loads, 0.01)
    names = [f"acceleration of {n}" for n in system.velocity_names()]
    x0 = ist.trim(system, still, forces=loads)
    before = system.forward_dynamics(still, forces=loads)
    rows = [names.index(name) for name in x0.report.residuals]
    close(x0.report.before, before[rows])
    close(x0.vdot, system.forward_dynamics(x0, forces=x0.loads))


def test_inputs_of_a_linear_model_are_units_of_the_same_load():
    _, system, x = vehicle()
    _, loads = declared(system)
    inputs = [
        ist.NodeForce("boom", TIP, "y"),
        ist.NodeTorque("bus", (0.2, 0.1, 0.0), frame="world"),
        ist.JointForce("boom"),
        ist.JointAcceleration("wheel"),
        ist.ModalForce("boom", 2),
    ]
    channels = [c for item in inputs for c in item.channels(system)]
    lin = ist.linearize(system, x, inputs, forces=loads)
    base = system.forward_dynamics(x, forces=loads)
    for k, channel in enumerate(channels):
        more = loads.plus(channel.load(system), 2.5)
        change = (system.forward_dynamics(x, forces=more) - base) / 2.5
        np.testing.assert_allclose(lin.B[-system.nv :, k], change, atol=1e-9 * np.abs(change).max())
    plant = VehiclePlant(system, x, loads, Interface(system, inputs, []), None)
    assert len(plant.loads_with(np.ones(len(channels))).forces) == len(loads.forces) + 4


@pytest.mark.parametrize("options", METHODS)
def test_forces_may_be_functions_or_tables_of_time(options):
    """m v̇ = F t along the axes of a body that spins: closed form; the force on the world's axes beside it."""
    mb = ist.Multibody("spinner")
    mb.add_body("bus", mass=10.0, inertia=[2.0, 3.0, 4.0])
    system = mb.compile()
    x, W = system.state(), 0.5
    x["bus"].velocity[2] = W
    ramp = ([0.0, 4.0], [[0.0] * 6, [0, 0, 0, 20.0, 0, 0]])
    sine = [lambda t: [0, 0, 0, 0, 0, 2.0 * np.cos(t)], lambda t: [0, 0, 0.0, 0, 0, 0]]
    forces = [ist.Wrench("bus", ramp, frame="body"), ist.Wrench("bus", sine[0]), ist.Wrench("bus", sine[1])]
    log = simulate(system, x, 2.0, forces=forces, **options)
    t = log.t
    # ∫ t (cos Wt, sin Wt) dt
    want = 0.5 * np.array(
        [t * np.sin(W * t) / W + (np.cos(W * t) - 1) / W**2, -t * np.cos(W * t) / W + np.sin(W * t) / W**2]
    )
    found = np.array([system.velocity(log.state(k), "bus")[3:] for k in range(len(log))])
    np.testing.assert_allclose(found[:, :2].T, want, atol=1e-6)
    np.testing.assert_allclose(found[:, 2], 0.2 * np.sin(t), atol=1e-6)
    # what acted is remembered, and travels
    for kept in (log, pickle.loads(pickle.dumps(log))):
        thrust = np.array([kept.operating_point(k).loads.forces[0].wrench[3] for k in (0, len(log) // 2, -1)])
        np.testing.assert_allclose(thrust, 5.0 * t[[0, len(log) // 2, -1]], atol=1e-12)
        np.testing.assert_allclose(kept.accelerations[-1, 3], 0.1 * 5.0 * t[-1] + W * log.v[-1, 4], rtol=1e-9)


@pytest.mark.parametrize("options", METHODS)
def test_generalized_forces_may_be_a_table(options):
    mb = ist.Multibody("car")
    mb.add_body("car", mass=2.0, joint=ist.Prismatic("x"))
    system = mb.compile()
    log = simulate(system, system.state(), 2.0, tau=([0.0, 1.0, 2.0], [[0.0], [6.0], [0.0]]), **options)
    assert log.state().v[0] == pytest.approx(3.0, abs=1e-6)
    assert log.state().q[0] == pytest.approx(3.0, abs=1e-5)


def test_loads_of_time_have_no_value_where_there_is_no_time():
    mb, system, x = vehicle()
    loads = ist.Loads.of(system, {"bus": lambda t: [0, 0, 0, t, 0, 0]}, lambda t: np.full(system.nv, t))
    for ask in (
        lambda given: system.forward_dynamics(x, forces=given.forces),
        lambda given: ist.Kane(mb).accelerations(x.q, x.v, forces=given.forces),
        lambda given: ist.trim(system, x, forces=given),
        lambda given: ist.linearize(system, x, forces=given),
    ):
        with pytest.raises(InputError, match=r"function of time.*at\(t\)"):
            ask(loads)
    now = loads.at(2.0)
    assert now.forces[0].wrench[3] == 2.0 and now.tau[0] == 2.0 and not now.in_time
    close(
        ist.linearize(system, x, forces=now).operating_point["vdot"], system.forward_dynamics(x, forces=now)
    )


def test_settings_of_an_operating_point_hold_wherever_it_goes():
    system = vehicle()[1]
    view = system.with_settings()
    view.set_joint_mode("boom", "locked")
    view.set_mass("bus", 55.0, [0.1, 0, 0.2], [9.0, 8.0, 7.0])
    x0 = ist.trim(view, view.state(), forces={("boom", TIP, "node"): [0, 0, 0, 0, 3.0, 0]})
    assert x0.settings == view.settings
    again = pickle.loads(pickle.dumps(x0))
    assert again.settings == view.settings and again.copy().settings == view.settings
    for point in (x0, again):
        with pytest.warns(UserWarning, match=r"joint of 'boom' is locked there.*mass of 'bus' is 55 there"):
            log = simulate(system, point, 0.05, 1e-3)
        close(log.accelerations[0], x0.vdot)
        assert log.system.settings == view.settings
        with pytest.warns(UserWarning, match="switched otherwise"):
            lin = ist.linearize(system, point)
        np.testing.assert_array_equal(lin.A, ist.linearize(view, point).A)
        with pytest.warns(UserWarning, match="switched otherwise"):
            np.testing.assert_array_equal(
                system.modes(point).frequencies_hz, view.modes(point).frequencies_hz
            )
    # other settings on purpose
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        close(
            simulate(system, x0.with_settings(system.settings), 0.01, 1e-3).accelerations[0],
            system.forward_dynamics(x0, forces=x0.loads),
        )


def test_a_sweep_goes_on_from_an_operating_point():
    system = vehicle()[1]
    x0 = ist.trim(system, system.state(), forces={"bus": [0, 0, 0, 0, 0, 41.0]})

    def heavier(own, state, mass):
        assert isinstance(state, ist.OperatingPoint)
        own.set_mass("bus", mass, [0.1, 0, 0.2], [9.0, 8.0, 7.0])

    found = ist.sweep_modes(system, x0, [40.0, 80.0], heavier, n_modes=12)
    view = system.with_settings()
    view.set_mass("bus", 80.0, [0.1, 0, 0.2], [9.0, 8.0, 7.0])
    truth = np.sort(view.modes(x0.with_settings(view.settings)).frequencies_hz)[-4:]
    np.testing.assert_allclose(np.sort(found.frequencies_hz[1])[-4:], truth, rtol=1e-9)
    assert np.abs(found.frequencies_hz[1] - found.frequencies_hz[0]).max() > 1e-3


def test_round_trip_from_trim_to_run_to_operating_point_to_linear_model():
    system = vehicle()[1]
    x0 = ist.trim(
        system,
        system.state(),
        forces={("boom", TIP, "node"): [0, 0, 0, 0, 3.0, 0]},
        accelerations={"wheel": 0.0},
    )
    log = simulate(system, x0, 0.1, 1e-3)
    for k in (0, -1):
        point = log.operating_point(k)
        close(point.vdot, log.accelerations[k])
        assert point.loads.forces[0].frame == "node" and point.settings == system.settings
        close(ist.linearize(system, point).operating_point["vdot"], point.vdot)
    start = log.operating_point(0)
    np.testing.assert_allclose(ist.linearize(system, start).A, ist.linearize(system, x0).A, atol=1e-12)
    # going on from the point is going on with the run
    whole, rest = simulate(system, x0, 0.2, 1e-3), simulate(system, log.operating_point(), 0.1, 1e-3)
    np.testing.assert_allclose(rest.q[-1], whole.q[-1], atol=1e-12)
    # motions become accelerations of that instant
    driven = simulate(
        system, system.state(), 0.1, 1e-3, motions={"wheel": ist.PrescribedMotion(angle=np.sin)}
    )
    point = driven.operating_point()
    assert point.loads.accelerations["wheel"][0] == pytest.approx(-np.sin(0.1))
    close(point.vdot, driven.accelerations[-1])


def test_loads_settings_and_points_print_as_tables():
    system = vehicle()[1]
    _, loads = declared(system)
    x0 = ist.trim(system, system.state(), forces=loads)
    for text in (str(loads), str(x0.loads)):
        assert text.startswith("Loads") and f"boom {TIP}" in text and "wheel" in text and "bus.vx" in text
        assert "array" not in text and max(map(len, text.splitlines())) < 120
    of_time = str(ist.Loads.of(system, {"bus": lambda t: np.zeros(6)}, lambda t: np.zeros(system.nv)))
    assert "of time" in of_time and "tau: a function of time" in of_time
    assert str(ist.Loads.of(system)) == "Loads: none"
    settings = str(system.settings)
    assert "array" not in settings and "prescribed" in settings and "40" in settings
    point = str(x0.with_settings(system.settings))
    assert (
        point.startswith("Operating point") and "boom" in point and "Settings" in point and "Loads" in point
    )
    assert "array" not in point and "array" not in str(x0)


PULSE = (
    [0.0, 5.0, 5.001, 5.011, 5.012],
    [0.0, 0.0, 100.0, 100.0, 0.0],
)  # N; 1.1 N s between steps that sleep


@pytest.mark.parametrize("method", ["dopri5", "ros3", "dop853", "lsoda"])
def test_steps_of_a_methods_own_do_not_pass_a_pulse_of_a_table(method):
    mb = ist.Multibody("car")
    mb.add_body("car", mass=2.0, joint=ist.Prismatic("x"))
    system = mb.compile()
    wrench = np.zeros((5, 6))
    wrench[:, 3] = PULSE[1]
    for given in (
        {"forces": {"car": (PULSE[0], wrench)}},
        {"tau": (PULSE[0], np.array(PULSE[1])[:, None])},
        {"control": lambda t, x: {"tau": (PULSE[0], np.array(PULSE[1])[:, None])}, "control_step": 2.5},
    ):
        log = simulate(system, system.state(), 10.0, method=method, **given)
        assert log.t[-1] == 10.0
        assert log.state().v[0] == pytest.approx(0.55, rel=1e-7)
        assert log.state().q[0] == pytest.approx(0.55 * (10.0 - 5.006), rel=1e-7)


def test_a_complex_force_is_refused_where_numbers_are_real():
    _, system, x = vehicle()
    force = {("boom", TIP): np.full(6, 1j)}
    for ask in (
        lambda: system.modes(x, forces=force),
        lambda: simulate(system, x, 0.01, 0.01, forces=force),
        lambda: simulate(system, x, 0.01, 0.01, control=lambda t, x: {"forces": force}),
    ):
        with pytest.raises(InputError, match="is complex"):
            ask()


def rising(t):
    """Return generalized forces of the vehicle that grow with time."""
    return np.full(2 + 6 + BEAM.n_modes, t)


def test_loads_of_time_travel_to_other_processes():
    _, system, _ = vehicle()
    for tau in (rising, ([0.0, 1.0], np.array([rising(0.0), rising(1.0)]))):
        loads = pickle.loads(pickle.dumps(ist.Loads.of(system, tau=tau)))
        np.testing.assert_array_equal(loads.at(0.5).tau, rising(0.5))
