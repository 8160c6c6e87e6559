"""Loads that keep to the axes of a body or node while it turns."""

import numpy as np
import pytest

import interstage as ist
from interstage.errors import InputError


def spinner():
    mb = ist.Multibody("spinner")
    mb.add_body("bus", mass=10.0, inertia=[2.0, 3.0, 4.0])
    system = mb.compile()
    x = system.state()
    x["bus"].velocity[:] = [0.0, 0.0, 0.5, 0.0, 0.0, 0.0]
    return system, x


@pytest.mark.parametrize("method", ["rk4", "ros2", "dop853"])
def test_thrust_follows_a_spinning_body(method):
    """v = (F/m) ∫ (cos Ωt, sin Ωt) dt; 1e-5: ros2 is of order 2, h²Ω²/12 of it is 2e-8, and position sums errors."""
    system, x = spinner()
    step = None if method == "dop853" else 1e-3
    thrust = {"bus": [0, 0, 0, 5.0, 0, 0]}
    log = ist.simulate(system, x, until=4.0, step=step, method=method, forces=thrust, frame="body")
    end = system.state(log.q[-1], log.v[-1])
    rate = system.velocity(end, "bus")[3:]
    want = 0.5 / 0.5 * np.array([np.sin(2.0), 1.0 - np.cos(2.0), 0.0])
    np.testing.assert_allclose(rate, want, atol=1e-5)


def test_a_key_has_axes_of_its_own_and_others_the_worlds():
    system, x = spinner()
    forces = {("bus", None, "body"): [0, 0, 0, 5.0, 0, 0], "bus": [0, 0, 0, 0, 0, 1.0]}
    log = ist.simulate(system, x, until=4.0, step=1e-3, forces=forces)
    rate = system.velocity(system.state(log.q[-1], log.v[-1]), "bus")[3:]
    np.testing.assert_allclose(rate, [np.sin(2.0), 1.0 - np.cos(2.0), 0.4], atol=1e-10)


def test_a_node_frame_turns_with_the_deformation():
    """Accelerations under a load in node axes are those of the same load turned into the world by hand."""
    from multibody_models import beam, random_state

    mb = ist.Multibody("boom")
    mb.add_body("boom", component=beam(), joint=ist.Free())
    system = mb.compile()
    x = random_state(system, np.random.default_rng(3), speed=0.0)
    node = int(mb.spec("boom").component.node_ids[-1])
    wrench = np.array([0.1, 0.2, 0.3, 1.0, 2.0, 3.0])
    log = ist.simulate(system, x, until=1e-9, step=1e-9, forces={("boom", node): wrench}, frame="node")
    vdot = (log.v[-1] - log.v[0]) / 1e-9
    want = system.forward_dynamics(x, forces={("boom", node): wrench}, frame="node")
    np.testing.assert_allclose(vdot, want, rtol=1e-7, atol=1e-7 * np.abs(want).max())
    world = system.forward_dynamics(x, forces={("boom", node): wrench})
    assert np.abs(world - want).max() > 1e-4 * np.abs(want).max()


def test_unknown_axes_are_named():
    system, x = spinner()
    with pytest.raises(InputError, match="frame"):
        ist.simulate(system, x, until=1.0, step=0.1, forces={"bus": np.zeros(6)}, frame="bus")
