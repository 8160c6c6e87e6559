"""Closures between bodies that fly fast: what happens inside a vehicle does not depend on its speed."""

import numpy as np
import pytest

import interstage as ist
from interstage.fem import lumped_beam

SPEED = np.array([3000.0, -6000.0, 2000.0])


@pytest.fixture(scope="module")
def joined():
    """A bus with a flexible boom, whose tip a ball joins to a body of its own, all turning."""
    K, M, nodes = lumped_beam(3.0, 3, EA=1e5, GJ=80.0, EI=200.0, mass=[0.5, 0.5, 0.5, 0.01, 0.01, 0.01])
    beam = ist.Component.from_matrices(K, M, nodes, n_modes=3, aset={1: 123456})
    mb = ist.Multibody("m")
    mb.add_body("bus", mass=50.0, inertia=[8, 9, 10], joint=ist.Free())
    mb.add_body("boom", component=beam, node=1, parent="bus", at=[0.5, 0, 0], joint=ist.Revolute("z"))
    mb.add_body("tip", mass=5.0, com=[0.2, 0.1, 0], inertia=[0.3, 0.4, 0.5], joint=ist.Free())
    mb.close("ball", ("boom", 4), ("tip", [0, 0, 0]), joint=ist.Ball())
    system = mb.compile()
    x = system.state()
    x["tip"].position[:] = [3.5, 0.0, 0.0]
    x["bus"].velocity[:3] = [0.1, -0.2, 0.3]
    x["tip"].velocity[:3] = [-0.4, 0.3, 0.5]
    x["boom"].v[:] = 0.2
    return system, system.assemble(x)


def flown(joined, speed, method, step):
    system, start = joined
    x = start.copy()
    for body in ("bus", "tip"):
        x[body].velocity[3:] += system.rotation(x, body).T @ speed
    log = ist.simulate(system, x, until=2.0, step=step, method=method, log_step=1.0)
    spins = [log[body].velocity[-1, :3] for body in ("bus", "tip")]
    return np.concatenate([log["boom"].q[-1], log["boom"].eta[-1], *spins])


@pytest.mark.parametrize("method", ["ros2", "ros3"])
def test_steps_are_those_at_rest(joined, method):
    """At 7 km/s and at rest alike: places of 14 km are rounded to 2e-12 m, which closures make 1e-8 of a rate."""
    rest = flown(joined, 0.0 * SPEED, method, "5 ms")
    np.testing.assert_allclose(flown(joined, SPEED, method, "5 ms"), rest, atol=1e-7)


@pytest.mark.parametrize("method, order", [("ros2", 2), ("ros3", 3)])
def test_the_order_is_that_of_the_method(joined, method, order):
    """Errors against RK4 at half a millisecond, at rest: half of a step gives the order to 15 %."""
    truth = flown(joined, 0.0 * SPEED, "rk4", "0.5 ms")
    errors = [np.abs(flown(joined, 0.0 * SPEED, method, step) - truth).max() for step in ("2 ms", "1 ms")]
    assert np.log2(errors[0] / errors[1]) == pytest.approx(order, rel=0.15)
