"""Copies of compiled systems: pickled, copied deeply, in another process."""

from __future__ import annotations

import copy
import multiprocessing
import pickle

import numpy as np
import pytest
from multibody_models import beam, random_state, random_tree

import interstage as ist


def vehicle():
    """Return a system with a flexible body, a closure, other settings than described, and a state."""
    mb = ist.Multibody("vehicle", gravity=[0.0, 0.0, -9.81])
    mb.add_body("bus", mass=10.0, inertia=[1.0, 2.0, 3.0])
    mb.add_body("boom", component=beam(), node=1, parent="bus", at=[1.0, 0.0, 0.0], joint=ist.Revolute("z"))
    mb.add_body("tip", mass=1.0, inertia=[0.1, 0.1, 0.1], parent="boom", at=4, joint=ist.Ball())
    mb.add_body("dish", mass=0.5, inertia=[0.1, 0.1, 0.1], parent="bus", joint=ist.Revolute("y"))
    mb.close("strut", ("bus", (0.0, 1.0, 0.0)), ("ground", (0.0, 1.0, 0.0)))
    system = mb.compile()
    system.set_mass("bus", 20.0, [0.1, 0.0, 0.0], [2.0, 3.0, 4.0])
    system.set_joint_mode("dish", "locked")
    system.open_closure("strut")
    system.stabilize("baumgarte", 7.0)
    return system, random_state(system, np.random.default_rng(1))


def answers(system, x):
    """Return what can be asked of a system."""
    load = {("boom", 3): [0.1, 0.2, 0.3, 1.0, 2.0, 3.0]}
    return (
        system.forward_dynamics(x),
        system.forward_dynamics(x, forces=load),
        system.mass_matrix(x),
        np.array(system.energies(x)),
        system.position(x, "boom", 5),
        system.velocity(x, "boom", 2),
        system.settings.closure_option,
    )


def check(system, other, x):
    for a, b in zip(answers(system, x), answers(other, x)):
        np.testing.assert_array_equal(a, b)
    assert other.joint_mode("dish") == "locked" and other.n_closure == 0


@pytest.mark.parametrize("make", [copy.copy, copy.deepcopy, lambda s: pickle.loads(pickle.dumps(s))])
def test_a_copy_answers_as_the_original_and_goes_its_own_way(make):
    system, x = vehicle()
    system.position(x, "boom", 6)
    system.forward_dynamics(x, forces={("boom", 6): np.ones(6)})
    before = [np.array(a) for a in answers(system, x)]
    other = make(system)
    check(system, other, x)
    other.set_mass("bus", 50.0, [0.1, 0.0, 0.0], [2.0, 3.0, 4.0])
    other.set_joint_mode("dish", "free")
    other.close_closure("strut")
    assert other.mass_properties(x).mass == pytest.approx(system.mass_properties(x).mass + 30.0)
    assert np.abs(other.forward_dynamics(x) - before[0]).max() > 1e-3
    for a, b in zip(answers(system, x), before):
        np.testing.assert_array_equal(a, b)


def test_a_copy_outlives_its_original():
    data = pickle.dumps(vehicle())
    other, x = pickle.loads(data)
    check(vehicle()[0], other, x)


def _in_process(system, x):
    return [np.array(a) for a in answers(system, x)]


def test_a_system_works_in_another_process():
    system, x = vehicle()
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        found = pool.apply(_in_process, (system, x))
    for a, b in zip(found, answers(system, x)):
        np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-11 * np.abs(b).max())


def test_states_of_a_copy_fit_the_original():
    system, x = vehicle()
    other, y = copy.deepcopy((system, x))
    np.testing.assert_array_equal(other.forward_dynamics(x), system.forward_dynamics(y))


def test_asking_changes_nothing():
    system, x = vehicle()
    y = x.copy(complex)
    tree, engine, settings = system.tree, system.engine, system.settings.copy()
    for k in range(300):
        point = (0.001 * k, 0.2, 0.3)
        system.position(x, "bus", point)
        system.velocity(x, "bus", point)
        system.jacobian(x, "dish", point)
        system.acceleration(y, y.v, "tip", point)
        system.forward_dynamics(x, forces={("bus", point): [0, 0, 0, 1.0, 0, 0]})
        system.forward_dynamics(x, forces={("tip", point): [0, 0, 0, 1.0, 0, 0]}, frame="node")
        system.position(x, "boom", 1 + k % 7)
        system.rotation(x, "boom", 1 + k % 7)
        system.jacobian(x, "boom", 1 + k % 7)
    assert system.tree is tree and system.engine is engine and system.settings == settings
    assert int(tree.sizes[2]) == len(tree.site_body) < 4


def test_points_of_rigid_bodies_move_and_push_as_the_frame_says():
    rng = np.random.default_rng(5)
    system = random_tree(rng, 6).compile()
    x = random_state(system, rng)
    vdot = rng.normal(size=system.nv)
    for body in system.bodies[1:]:
        point, w = rng.normal(size=3), rng.normal(size=6)
        R, p = system.rotation(x, body), system.position(x, body)
        np.testing.assert_allclose(system.position(x, body, point), p + R @ point, atol=1e-13)
        # along the motion: complex steps of the position
        z = x.copy(complex)
        z.q += 1e-30j * system.rates(x)
        v = system.position(z, body, point).imag / 1e-30
        np.testing.assert_allclose(system.velocity(x, body, point)[3:], v, rtol=1e-11, atol=1e-12)
        np.testing.assert_allclose(
            system.jacobian(x, body, point) @ x.v, system.velocity(x, body, point), atol=1e-11
        )
        z.v += 1e-30j * vdot
        a = system.velocity(z, body, point).imag / 1e-30
        found = system.acceleration(x, vdot, body, point)
        np.testing.assert_allclose(found, a, rtol=1e-10, atol=1e-10)
        # a wrench at a point is the same wrench at the origin with its moment, in any axes
        for frame in ("world", "body", "node"):
            arm = R @ point if frame == "world" else point
            moved = np.concatenate([w[:3] + np.cross(arm, w[3:]), w[3:]])
            one = system.inverse_dynamics(x, vdot, {(body, tuple(point)): w}, frame)
            two = system.inverse_dynamics(x, vdot, {body: moved}, frame)
            np.testing.assert_allclose(one, two, rtol=1e-11, atol=1e-11)


def test_systems_and_descriptions_can_be_read():
    system, _ = vehicle()
    text = str(system)
    lines = text.splitlines()
    assert lines[0].startswith("System 'vehicle': 4 bodies, nq ") and f"nv {system.nv}" in lines[0]
    row = next(line for line in lines if line.strip().startswith("dish"))
    assert "Revolute (locked)" in row and row.split()[-1] == "0.5"
    assert "boom" in text and "closure 'strut': Ball between bus" in text and "(open)" in text
    assert repr(system) == f"<System 'vehicle': 4 bodies, nq {system.nq}, nv {system.nv}>"
    assert "Revolute" in str(system.model) and "0x" not in text + repr(system.model)
