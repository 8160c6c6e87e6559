"""Modal coordinates of a body and of its component's file: the same where nothing forces a change, else by a map."""

import numpy as np
import pytest
from multibody_models import beam

import interstage as ist
from interstage.errors import InputError

ROUND = beam(aset=None, n_modes=8)  # a square section: bending in pairs of equal frequency


def pair(component):
    hz = component.frequencies_hz
    return np.flatnonzero(np.abs(np.diff(hz)) < 1e-6 * hz[:-1])


def test_a_free_body_keeps_the_modes_of_its_file_one_by_one():
    assert len(pair(ROUND))
    mb = ist.Multibody()
    mb.add_body("boom", component=ROUND, joint=ist.Free())
    mb.add_body("few", component=ROUND, joint=ist.Free(), n_modes=5)
    system = mb.compile()
    np.testing.assert_array_equal(system.body_modes("boom"), np.eye(8))
    np.testing.assert_array_equal(system.body_modes("few"), np.eye(8)[:, :5])
    x = system.state()
    x["boom"].eta[:] = np.random.default_rng(0).normal(size=8) * 1e-3
    for node in ROUND.node_ids:
        row = ROUND.node_row(node)
        moved = system.position(x, "boom", int(node)) - ROUND.node_positions[row]
        np.testing.assert_allclose(moved, ROUND.gamma[row] @ x["boom"].eta, atol=1e-15)


def test_a_file_in_another_order_keeps_its_order():
    turn = np.array([3, 0, 2, 1, 4, 5, 6, 7])
    c = ROUND.keep_modes(turn)
    mb = ist.Multibody()
    mb.add_body("boom", component=c, joint=ist.Free())
    mb.add_body("few", component=c, joint=ist.Free(), n_modes=3)
    system = mb.compile()
    np.testing.assert_array_equal(system.body_modes("boom"), np.eye(8))
    # the three lowest, in the order of the file
    np.testing.assert_array_equal(system.body_modes("few"), np.eye(8)[:, [1, 2, 3]])


@pytest.mark.parametrize("node", [1, 4])
def test_logged_coordinates_of_a_held_body_go_back_to_the_file_s_shapes(node):
    """γ_file η_file is the deformation seen from the file's frame: a rigid motion from that seen from the node."""
    mb = ist.Multibody("pendulum", gravity=[0.0, 0.0, -9.81])
    mb.add_body("boom", component=ROUND, node=node, joint=ist.Revolute("y"))
    system = mb.compile()
    log = ist.simulate(system, system.state(), until=0.05, step=1e-3, method="ros2", log_step=0.01)
    eta = log.component_eta("boom")
    assert eta.shape == (len(log.t), ROUND.n_modes)
    np.testing.assert_allclose(eta, log["boom"].eta @ system.body_modes("boom").T, atol=0)
    flex, row = system.flexes[0], ROUND.node_row(node)
    for k in range(len(log.t)):
        turn = ROUND.lam[row] @ eta[k]
        shift = ROUND.gamma[row] @ eta[k]
        rigid = shift + np.cross(turn, ROUND.node_positions - ROUND.node_positions[row])
        seen = np.einsum("nir,r->ni", flex.gamma, log["boom"].eta[k])
        np.testing.assert_allclose(ROUND.gamma @ eta[k] - rigid, seen, atol=1e-12 * abs(seen).max() + 1e-18)


def test_a_rigid_body_has_no_modes():
    mb = ist.Multibody()
    mb.add_body("bus", mass=1.0, inertia=np.eye(3))
    with pytest.raises(InputError, match="rigid"):
        mb.compile().body_modes("bus")
