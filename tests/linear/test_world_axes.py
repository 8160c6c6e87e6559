"""Velocities in axes of the world: models of a vehicle that accelerates, against closed forms and nonlinear runs."""

import numpy as np
import pytest
from scipy.linalg import expm

import interstage as ist
from interstage import devices as dev
from interstage.errors import InputError

MASS, THRUST, SPEED = 100.0, 2000.0, 300.0  # kg, N, m/s along x
PULL = THRUST / MASS


def stone(spin: float = 0.0):
    """A rigid body that flies along its x axis, turned as a whole, under a thrust along its own axis."""
    mb = ist.Multibody("stone")
    mb.add_body("b", mass=MASS, inertia=[50.0, 50.0, 50.0], joint=ist.Free())
    system = mb.compile()
    x = system.state()
    x["b"].q[:4] = ist.quaternion.rotate_by([1, 0, 0, 0], [0.3, -0.5, 0.8])
    x["b"].v[:] = [spin, 0, 0, SPEED, 0, 0]
    return system, x


def flown(system, x, t: float) -> np.ndarray:
    """The state after t seconds without a torque: it turns at its rate, and thrust goes along."""
    at = ist.simulate(
        system, x, t, 1e-3, method="rk4", forces={"b": [0, 0, 0, THRUST, 0, 0]}, frame="body"
    ).state()
    b = at["b"]
    return np.concatenate([b.q, b.v[:3], ist.quaternion.rotate(b.q[:4], b.v[3:])])


def test_a_turn_bends_the_path_by_the_thrust_alone():
    """δr = (F/m) θ×e t²/2 whatever the speed; with velocities in body axes the frozen model says otherwise."""
    system, x = stone()
    models = {
        axes: ist.linearize(
            system, x, [], [], forces={"b": [0, 0, 0, THRUST, 0, 0]}, frame="body", velocity_axes=axes
        )
        for axes in ("body", "world")
    }
    assert models["world"].states == models["body"].states
    theta, t = np.array([0.0, 1e-3, -2e-3]), 10.0
    R = system.rotation(x, "b")
    wanted = 0.5 * PULL * t**2 * R @ np.cross(theta, [1.0, 0.0, 0.0])
    start = np.zeros(12)
    start[:3] = theta
    end = expm(t * models["world"].A) @ start
    np.testing.assert_allclose(end[3:6], wanted, rtol=1e-9)
    np.testing.assert_allclose(end[9:], 2.0 * wanted / t, rtol=1e-9)
    # a turn with the velocity in body axes kept turns the way as well: that much more, and no thrust
    way = SPEED * t * R @ np.cross(theta, [1.0, 0.0, 0.0])
    start[9:] = 0.0
    other = expm(t * models["body"].A) @ start
    assert np.linalg.norm(other[3:6] - wanted - way) > 0.5 * np.linalg.norm(wanted)


@pytest.mark.parametrize("spin", [0.0, 0.2])
def test_the_model_is_the_slope_of_the_flow(spin):
    """Over 5 ms the map of small changes is that of differences of runs, about a body that spins."""
    system, x = stone(spin)
    lin = ist.linearize(
        system, x, [], [], forces={"b": [0, 0, 0, THRUST, 0, 0]}, frame="body", velocity_axes="world"
    )
    h, t = 1e-4, 0.005
    for change in ([0, 1.0, 0], [0.3, 0, -1.0]):
        other = x.copy()
        other["b"].q[:4] = ist.quaternion.rotate_by(x["b"].q[:4], h * np.array(change))
        R, turned = (system.rotation(each, "b") for each in (x, other))
        other["b"].v[3:] = turned.T @ R @ x["b"].v[3:]  # the same velocity in the world
        gone = (flown(system, other, t) - flown(system, x, t)) / h
        found = expm(t * lin.A) @ np.concatenate([change, np.zeros(9)])
        # h, and what the spin turns meanwhile, are of second order
        np.testing.assert_allclose(gone[-3:], found[9:], atol=2e-3 * PULL * t)
        np.testing.assert_allclose(gone[4:7], found[3:6], atol=2e-3 * PULL * t**2)


def test_assemblies_in_continuous_time_and_by_frames_say_the_same():
    system, x = stone()
    flight = ist.Assembly("stone", vehicle=system)
    flight.add("engine", dev.Engine(body="b", thrust=THRUST)).add("gps", dev.GPS(at="b"), every="50 ms")
    point = ist.trim(flight, x)
    slow = ist.linearize(flight, point, outputs=["gps.position"], velocity_axes="world")
    frame = ist.linearize(flight, point, outputs=["gps.position"], sampled=True, velocity_axes="world")
    start = np.zeros(slow.n_states)
    start[:3] = [0.0, 1e-3, -2e-3]
    t = 10.0
    wanted = 0.5 * PULL * t**2 * system.rotation(x, "b") @ np.cross(start[:3], [1.0, 0.0, 0.0])
    np.testing.assert_allclose((slow.C @ expm(t * slow.A) @ start), wanted, rtol=1e-8)
    begun = np.zeros(frame.n_states)
    begun[:3] = start[:3]
    there = np.linalg.matrix_power(frame.A, round(t / frame.dt)) @ begun
    np.testing.assert_allclose(frame.C @ there, wanted, rtol=1e-7)


def test_unknown_axes_are_refused():
    system, x = stone()
    with pytest.raises(InputError, match="body or world"):
        ist.linearize(system, x, velocity_axes="moon")
