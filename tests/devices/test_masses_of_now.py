"""Devices see the masses of now, whatever has changed them: torques of a gradient of gravity in closed form."""

import numpy as np
import pytest

import interstage as ist
from interstage import devices as dev
from interstage.fem import lumped_beam
from interstage.staged_vehicle import PropellantTank

MU, RADIUS = 3.986004418e14, 7e6
TILT = ist.Rotation.from_axis_angle([0, 0, 1], 30, degrees=True)


def turning(inertia):
    """Return ω̇ of a body that stands tilted at 7000 km on x, I ω̇ = 3μ/r³ n × I n."""
    n = TILT.matrix.T @ [1.0, 0.0, 0.0]
    return np.linalg.solve(inertia, 3 * MU / RADIUS**3 * np.cross(n, inertia @ n))


def stands(system, body):
    """Return the state in which a body stands tilted, its center of mass at 7000 km."""
    x = system.state()
    x[body].quaternion[:] = TILT.quaternion
    x[body].position[:] = [RADIUS, 0.0, 0.0]
    return x


def rigid(mass=100.0, inertia=(10.0, 50.0, 60.0), com=(0.0, 0.0, 0.0)):
    mb = ist.Multibody("m")
    mb.add_body("bus", mass=mass, com=com, inertia=inertia, joint=ist.Free())
    return mb.compile()


def flown(system, x, members=None, **given):
    flight = ist.Assembly("flight", vehicle=system)
    flight.add("earth", dev.Earth(gravity="central", gravity_gradient=True))
    for name, (what, more) in (members or {}).items():
        flight.add(name, what, **more)
    return ist.simulate(flight, x, until=1.0, step="0.1 s", **given)


def test_the_gradient_follows_a_mass_history():
    """Half the inertia, another center of mass: ω after 1 s, in which the body turns by 1e-7."""
    system = rigid()
    halves = ist.MassHistory(lambda t: (50.0, [0.2, 0.0, 0.0], [10.0, 25.0, 30.0]))
    log = flown(system, stands(system, "bus"), {"m": (halves, {"body": "bus"})})
    wanted = turning(np.diag([10.0, 25.0, 30.0]))
    # what is left: the field at a center of mass 0.2 m off the place, 0.6e-7 of it
    np.testing.assert_allclose(log["bus"].velocity[-1, :3], wanted, rtol=1e-6, atol=1e-12)
    np.testing.assert_allclose(log["earth.com"][-1], [[0.2, 0.0, 0.0]], atol=1e-12)
    assert log.units["earth.inertia"] == "kg*m^2"


def test_the_gradient_follows_an_event():
    """set_mass in the action of an event: from then on the torque is that of the new inertia."""
    system = rigid()

    def lighter(t, system, x):
        system.set_mass("bus", 50.0, [0.0, 0.0, 0.0], [10.0, 25.0, 30.0])

    log = flown(system, stands(system, "bus"), events=[ist.Event(at=0.5, action=lighter)])
    spins = log["bus"].velocity[:, :3]
    rows = np.searchsorted(log.t, [0.5 - 1e-9, 0.5 + 1e-9])
    np.testing.assert_allclose(
        spins[rows[0]], 0.5 * turning(np.diag([10.0, 50.0, 60.0])), rtol=1e-6, atol=1e-12
    )
    more = spins[-1] - spins[rows[1] - 1]
    np.testing.assert_allclose(more, 0.5 * turning(np.diag([10.0, 25.0, 30.0])), rtol=1e-6, atol=1e-12)


@pytest.mark.parametrize("fill", [0.0, 20.0, 90.0])
def test_the_gradient_is_that_of_the_propellant(fill):
    """A flexible vehicle whose tank is not as full as it was bound: torque of the inertia at its fill."""
    K, M, nodes = lumped_beam(6.0, 2, EA=3e9, GJ=1e9, EI=2e9, mass=[100.0, 100.0, 100.0, 20.0, 20.0, 20.0])
    full = np.diag(np.kron([60.0, 30.0, 0.0], [1.0, 1.0, 1.0, 0.0, 0.0, 0.0]))
    stage = ist.Stage("one", K=K, M=M, nodes=nodes)
    stage.add_tank("fuel", levels={0.0: 0.0 * full, 90.0: full})
    v = ist.StagedVehicle("v")
    v.add(stage)
    system = v.multibody(v.shapes(n_modes=2, error=1.0, levels=2), damping=0.5).compile()
    x = stands(system, "v")
    tank = PropellantTank(of="fuel", mass=fill, flow=0.0)
    log = flown(system, x, {"fuel": (tank, {})}, method="ros2")
    masses = 100.0 + fill / 90.0 * np.array([60.0, 30.0, 0.0])
    at = np.array([0.0, 3.0, 6.0])
    com = masses @ at / masses.sum()
    across = masses @ (at - com) ** 2 + 60.0
    inertia = np.diag([60.0, across, across])
    np.testing.assert_allclose(log["earth.inertia"][-1].reshape(3, 3), inertia, rtol=1e-9, atol=1e-6)
    # the frame is at the foot: the field at the center of mass, and modes that are held by damping and stiffness
    np.testing.assert_allclose(log["v"].velocity[-1, 2], turning(inertia)[2], rtol=1e-4)


def test_masses_follow_a_body_that_leaves_its_port():
    """A body whose mass is a history, hung by a point that is not its origin: detached, its center stays the same."""
    mb = ist.Multibody("m")
    mb.add_body("bus", mass=100.0, inertia=[10, 10, 10], joint=ist.Free())
    mb.add_body("pod", mass=20.0, com=[0.3, 0, 0], inertia=[2, 3, 4], joint=ist.Free())
    system = mb.compile()
    x = system.state()
    x["pod"].position[:] = [1.0, 0.0, 0.0]
    system, x = system.attach("pod", ("bus", [2.0, 0.0, 0.0]), x, port=[1.0, 0.0, 0.0])
    history = ist.MassHistory(lambda t: (20.0 - t, [0.3 + 0.1 * t, 0.0, 0.0], [2.0, 3.0, 4.0]))
    flight = ist.Assembly("flight", vehicle=system).add("m", history, body="pod")
    log = ist.simulate(
        flight, x, until=2.0, step="0.1 s", events=[ist.Event(at=1.0, action=ist.Detach("pod"))]
    )
    last = log.phases[-1]
    for k in (0, -1):
        m, *moment = last.inertia["pod"][k, :4]
        center = np.array(moment) / m + last.system.model.spec("pod").offset
        np.testing.assert_allclose(center, [0.3 + 0.1 * last.t[k], 0.0, 0.0], atol=1e-12)
