"""Slopes along the motion by complex step: power, momentum, node kinematics; all at every fidelity."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from multibody_models import beam, random_rotation, random_state, random_tree

from interstage.multibody import Ball, Free, Multibody, Revolute

H = 1e-30
STRAIGHT, BENT = beam(), beam(n_elements=4, n_modes=5, aset=3, bend=0.4, name="bent")
LUMPED = beam(lumped=True, n_modes=6, tip_mass=1.0, name="lumped")


def _along(system, x, vdot):
    """Return the state a complex step further along the motion."""
    z = x.copy(complex)
    z.q += 1j * H * system.rates(x)
    z.v += 1j * H * vdot
    return z


@settings(max_examples=25)
@given(st.integers(0, 10**6))
def test_power_and_node_kinematics(seed):
    rng = np.random.default_rng(seed)
    mb = random_tree(rng, int(rng.integers(1, 7)), components=[STRAIGHT, BENT, LUMPED])
    system = mb.compile()
    x, tau = random_state(system, rng), rng.normal(size=system.nv)
    spec = mb.specs[rng.integers(len(mb.specs))]
    place = (spec.name, (0.1, 0.2, 0.3) if spec.component is None else int(spec.component.node_ids[-1]))
    wrench = rng.normal(size=6)
    vdot = system.forward_dynamics(x, tau=tau, forces={place: wrench})
    z = _along(system, x, vdot)
    V = system.velocity(x, *place)
    power = tau @ x.v - x.v @ system.damping_matrix() @ x.v + wrench @ V
    slope = complex(system.energy(z)).imag / H
    flow = abs(vdot) @ abs(system.mass_matrix(x)) @ abs(x.v)  # size of the terms that cancel
    assert abs(slope - power) <= 1e-11 * (flow + abs(power)) + 1e-12
    np.testing.assert_allclose(system.jacobian(x, *place) @ x.v, V, atol=1e-12 * (1 + abs(V).max()))
    np.testing.assert_allclose(system.position(z, *place).imag / H, V[3:], atol=1e-12 * (1 + abs(V).max()))
    R = system.rotation(z, *place)
    spin = (R.imag / H) @ R.real.T
    np.testing.assert_allclose([spin[2, 1], spin[0, 2], spin[1, 0]], V[:3], atol=1e-12 * (1 + abs(V).max()))
    A = system.acceleration(x, vdot, *place)
    np.testing.assert_allclose(system.velocity(z, *place).imag / H, A, atol=1e-11 * (1 + abs(A).max()))


@pytest.mark.parametrize("order", [0, 1, 2])
def test_momentum_of_a_free_flexible_tree_is_constant(order):
    rng = np.random.default_rng(order)
    mb = Multibody("free")
    mb.add_body("root", component=BENT, node=3, joint=Free(), order=order)
    mb.add_body(
        "arm",
        component=STRAIGHT,
        parent="root",
        at=1,
        joint=Revolute("y"),
        order=order,
        rotation=random_rotation(rng),
    )
    mb.add_body("tip", mass=2.0, inertia=0.1 * np.eye(3), com=[0.1, 0, 0.2], parent="arm", at=7, joint=Ball())
    system = mb.compile()
    x = random_state(system, rng)
    vdot = system.forward_dynamics(x)
    z = _along(system, x, vdot)
    scale = abs(vdot).max() * system.mass_properties(x).mass
    assert abs(system.momentum(z).imag / H).max() < 1e-13 * scale
    p = system.mass_properties(x).mass * system.center_of_mass(z).imag / H
    np.testing.assert_allclose(system.momentum(x)[3:], p, atol=1e-12 * abs(p).max())


def test_order_zero_of_gravity_is_still_a_potential():
    mb = Multibody("hanging", gravity=[0.0, -9.81, 0.0])
    mb.add_body("beam", component=STRAIGHT, joint=Revolute("z"), order=0)
    system = mb.compile()
    x = random_state(system, np.random.default_rng(0), speed=0.0)
    still = system.bias(x) - np.concatenate([[0.0], system.tree.v_stiffness[1:] * x["beam"].eta])
    z, slope = x.copy(complex), []
    for k in range(system.nv):
        z.q[:] = x.q
        z.q[k] += 1j * H
        slope.append(complex(system.energies(z).gravity).imag / H)
    np.testing.assert_allclose(still, slope, atol=1e-12 * abs(still).max())


@pytest.mark.parametrize("order", [0, 1, 2])
@pytest.mark.parametrize("node", [1, 4])
def test_a_steady_flight_is_not_felt(order, node):
    """Galileo: velocities of all bodies raised by 600 m/s along the axis leave every acceleration as it was."""
    rng = np.random.default_rng(3)
    mb = Multibody("flying")
    mb.add_body("core", component=STRAIGHT, node=node, joint=Free(), order=order)
    mb.add_body("arm", component=BENT, node=3, parent="core", at=7, joint=Revolute("y"), order=order)
    system = mb.compile()
    x = random_state(system, rng)
    moving = x.copy()
    R = system.rotation(x, "core")
    moving["core"].velocity[3:] += R.T @ [600.0, 50.0, -20.0]
    slow, fast = system.forward_dynamics(x), system.forward_dynamics(moving)
    # body axes: the acceleration of the origin has -ω×v besides
    fast[3:6] += np.cross(x["core"].velocity[:3], moving["core"].velocity[3:] - x["core"].velocity[3:])
    np.testing.assert_allclose(fast, slow, rtol=0, atol=1e-8 * abs(slow).max())


@pytest.mark.parametrize("order", [0, 1, 2])
def test_internal_motion_is_the_same_at_rest_and_in_flight(order):
    from interstage.simulation import simulate

    mb = Multibody("flying")
    mb.add_body("core", component=LUMPED, node=1, joint=Free(), order=order, n_modes=4)
    system = mb.compile()
    x = system.state()
    x["core"].eta[:] = [2e-3, -1e-3, 5e-4, 2e-4]
    x["core"].velocity[:3] = [0.1, 0.2, -0.3]
    eta = []
    for speed in (0.0, 600.0):
        x["core"].velocity[3:] = [speed, 0.0, 0.0]
        eta.append(np.array(simulate(system, x, 0.2, 2e-4, method="rk4", log_step=0.01)["core"].eta))
    np.testing.assert_allclose(eta[1], eta[0], rtol=0, atol=1e-8 * abs(eta[0]).max())


@pytest.mark.parametrize("component", [STRAIGHT, LUMPED])
def test_order_zero_keeps_its_mass_matrix_definite(component):
    """A thin beam bent by half of its length: the undeformed body about a shifted origin has always inertia."""
    mb = Multibody("bent")
    mb.add_body("beam", component=component, node=1, joint=Free(), order=0)
    system = mb.compile()
    x = system.state()
    least = np.linalg.eigvalsh(system.mass_matrix(x))[0]
    x["beam"].eta[:2] = 0.5 / abs(system.jacobian(x, "beam", 7)[3:, 6:8]).max(axis=0)
    assert abs(system.position(x, "beam", 7) - system.position(system.state(), "beam", 7)).max() > 0.4
    assert np.linalg.eigvalsh(system.mass_matrix(x))[0] > 0.1 * least


@pytest.mark.parametrize("order", [0, 1, 2])
def test_energy_of_a_falling_chain_is_kept_to_the_order_of_the_method(order):
    """RK4 shows that the equations conserve energy at every order; ROS2 errs with the square of the step."""
    from interstage.simulation import simulate

    mb = Multibody("chain", gravity=[0.0, -9.81, 0.0])
    for i in range(2):
        place = {"parent": "b0", "at": 7} if i else {}
        mb.add_body(f"b{i}", component=STRAIGHT, node=1, joint=Revolute("z"), order=order, n_modes=4, **place)
    system = mb.compile()
    x = system.state()
    start = system.energy(x)

    def error(method, step):
        log = simulate(system, x, 0.4, step, method=method, log_step=0.004)
        return max(abs(system.energy(log.state(k)) - start) for k in range(len(log.t)))

    assert error("rk4", 1e-4) < 1e-7
    fine = error("ros2", 1e-3)
    assert fine < 1.5e-5
    assert 10.0 < error("ros2", 4e-3) / fine < 20.0  # the square of four is sixteen
