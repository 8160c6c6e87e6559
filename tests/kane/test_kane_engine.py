"""Kane's dense equations and the recursive engine agree on random trees, states and fidelities."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from kane_models import BENT, COMPONENTS, JOINTS, LUMPED, STRAIGHT, beam, random_rotation, vehicle
from multibody_models import random_state
from scipy.linalg import eigh

from interstage.errors import ModelError
from interstage.kane import Kane
from interstage.multibody import Free, Locked, Multibody, Revolute

seeds = st.integers(0, 10**6)


def _energy_norm(e, M):
    return np.sqrt(abs(e @ (M @ e)))


def moving(seed):
    """Return a vehicle that can move as Kane's equations and as the engine have it, its state and its loads."""
    mb, system, x, tau, forces = vehicle(seed)
    assume(system.nv > 0)
    return Kane(mb, like=system), system, x, tau, forces


@settings(max_examples=30)
@given(seeds)
def test_accelerations_equal_the_engine(seed):
    k, system, x, tau, forces = moving(seed)
    try:
        want = system.forward_dynamics(x, forces=forces, tau=tau)
    except ModelError:  # order 1 lost its positive definiteness, and the engine says so
        assume(False)
    M, f = k.equations(x.q, x.v, tau, forces)
    got = k.accelerations(x.q, x.v, tau, forces)
    # relative to the whole, in the norm of kinetic energy; the worst of 500 seeds has 3e-11
    assert _energy_norm(got - want, M) <= 1e-10 * _energy_norm(want, M)
    # the engine's answer solves Kane's equations, whatever their condition
    assert abs(M @ want - f).max() <= 1e-11 * (abs(M) @ abs(want) + abs(f)).max()
    # each number, as far as the scaled condition of M (up to 3e7 here) lets a dense solution know it
    d = 1.0 / np.sqrt(np.diag(M))
    condition = np.linalg.cond(M * d * d[:, None])
    assert abs(got - want).max() <= max(1e-10, 1e-16 * condition) * abs(want).max()


@settings(max_examples=15)
@given(seeds)
def test_mass_matrix_and_bias_equal_the_engine(seed):
    k, system, x, _, forces = moving(seed)
    M, b = system.mass_matrix(x), system.bias(x, forces)
    np.testing.assert_allclose(k.mass_matrix(x.q), M, rtol=0, atol=1e-12 * abs(M).max())
    np.testing.assert_allclose(k.bias(x.q, x.v, forces), b, rtol=0, atol=1e-12 * abs(b).max())
    np.testing.assert_allclose(k.rates(x.q, x.v), system.rates(x), rtol=0, atol=1e-13 * abs(x.v).max())


@settings(max_examples=10)
@given(seeds)
def test_places_move_alike(seed):
    k, system, x, tau, _ = moving(seed)
    for spec in k.model.specs[:3]:
        node = int(spec.component.node_ids[-1]) if spec.component else (0.1, -0.2, 0.3)
        Omega, V = k.partial_velocities(x.q, spec.name, node)
        J = system.jacobian(x, spec.name, node)
        np.testing.assert_allclose(np.vstack([Omega, V]), J, rtol=0, atol=1e-12 * abs(J).max(initial=1.0))
        want = system.acceleration(x, tau, spec.name, node)
        alpha, a = k.remainder_accelerations(x.q, x.v, spec.name, node)
        got = np.concatenate([Omega @ tau + alpha, V @ tau + a])
        np.testing.assert_allclose(got, want, rtol=0, atol=1e-12 * abs(want).max(initial=1.0))


@settings(max_examples=10)
@given(seeds)
def test_energy_and_momentum_equal_the_engine(seed):
    mb, system, x, _, _ = vehicle(seed)
    k = Kane(mb, like=system)
    parts = system.energies(x)
    assert k.energy(x.q, x.v) == pytest.approx(sum(parts), abs=1e-11 * sum(map(abs, parts)))
    p = system.momentum(x)
    np.testing.assert_allclose(k.momentum(x.q, x.v), p, rtol=0, atol=1e-12 * abs(p).max(initial=1.0))


@pytest.mark.parametrize("order", [0, 1, 2])
@pytest.mark.parametrize("joint", JOINTS, ids=lambda j: type(j).__name__)
def test_every_joint_on_a_deformed_node_at_every_order(joint, order):
    rng = np.random.default_rng(7)
    mb = Multibody("pair", gravity=[0.2, -1.0, -9.81])
    mb.add_body("root", component=BENT, node=3, joint=Free(), order=order)
    mb.add_body("tip", component=STRAIGHT, node=1, parent="root", at=5, joint=joint, order=order)
    mb.add_body("top", mass=1.0, com=[0.1, 0, 0], inertia=np.eye(3), parent="root", at=1, joint=joint)
    system = mb.compile()
    x = random_state(system, rng, deflection=0.003)
    k = Kane(mb, like=system)
    want = system.forward_dynamics(x)
    got = k.accelerations(x.q, x.v)
    M = system.mass_matrix(x)
    assert _energy_norm(got - want, M) <= 1e-10 * _energy_norm(want, M)


def test_large_rotation_of_a_node_uses_the_closed_form():
    # a mode that turns the node by more than a radian: the series ends there
    mb = Multibody("bent far", gravity=[0, 0, -1.0])
    mb.add_body("root", component=LUMPED, node=1, joint=Free())
    mb.add_body(
        "tip", mass=1.0, com=[0.2, 0.1, 0], inertia=np.eye(3), parent="root", at=7, joint=Revolute("y")
    )
    system = mb.compile()
    k, x = Kane(mb, like=system), random_state(system, np.random.default_rng(2), deflection=0.3)
    theta = k.shapes[0].lam[-1] @ x["root"].eta
    assert np.linalg.norm(theta) > 1.0
    want = system.forward_dynamics(x)
    np.testing.assert_allclose(k.accelerations(x.q, x.v), want, rtol=0, atol=1e-10 * abs(want).max())


@pytest.mark.parametrize("component", COMPONENTS, ids=lambda c: c.name)
def test_own_reference_has_the_same_frequencies_and_integrals(component):
    mb = Multibody("one")
    mb.add_body("a", component=component, node=int(component.node_ids[1]), damping=0.01)
    system = mb.compile()
    k = Kane(mb)
    f = system.body_frequencies_hz("a")
    np.testing.assert_allclose(k.body_frequencies_hz("a"), f, rtol=1e-9)
    np.testing.assert_allclose(k.parameters.bodies[0].G, np.eye(len(f)), rtol=0, atol=1e-9)
    # what does not depend on the choice of modes
    ours, theirs = k.shapes[0], system.flexes[0].integrals
    np.testing.assert_allclose(ours.J0, theirs.inertia, rtol=0, atol=1e-13)
    np.testing.assert_allclose(ours.mp, theirs.first, rtol=0, atol=1e-13)
    np.testing.assert_allclose(ours.F0 @ ours.F0.T, theirs.F0 @ theirs.F0.T, rtol=0, atol=1e-9)


def test_own_modal_coordinates_give_the_same_physical_motion():
    """A square beam has pairs of equal frequencies: coordinates differ, accelerations of nodes must not."""
    rng = np.random.default_rng(11)
    mb = Multibody("two square beams", gravity=[0, 0, -9.81])
    mb.add_body("a", component=STRAIGHT, node=3, joint=Free())
    mb.add_body(
        "b", component=STRAIGHT, node=1, parent="a", at=7, joint=Revolute("z"), rotation=random_rotation(rng)
    )
    system = mb.compile()
    x = random_state(system, rng)
    k, same = Kane(mb), Kane(mb, like=system)
    # η of the own basis: modes are orthonormal in the modal mass, so that a projection gives them
    q, v = x.q.copy(), x.v.copy()
    for place, own, theirs in zip(k.layout.places, k.shapes, same.shapes):
        A, B = (np.vstack([s.gamma.reshape(-1, 8), s.lam.reshape(-1, 8)]) for s in (own, theirs))
        S = np.linalg.lstsq(A, B, rcond=None)[0]
        assert abs(S - np.diag(np.diag(S))).max() > 1e-6  # mixed by rounding alone
        np.testing.assert_allclose(S.T @ S, np.eye(8), rtol=0, atol=1e-8)
        q[slice(*place.eta)] = S @ q[slice(*place.eta)]
        v[slice(*place.etadot)] = S @ v[slice(*place.etadot)]
    vdot, want = k.accelerations(q, v), system.forward_dynamics(x)
    for name in "ab":
        for node in (1, 3, 7):
            Omega, V = k.partial_velocities(q, name, node)
            alpha, a = k.remainder_accelerations(q, v, name, node)
            got = np.concatenate([Omega @ vdot + alpha, V @ vdot + a])
            reference = system.acceleration(x, want, name, node)
            np.testing.assert_allclose(got, reference, rtol=0, atol=1e-8 * abs(reference).max())


def test_modes_without_a_node_keep_the_reference_point():
    free = beam(n_elements=4, n_modes=6, aset=None, bend=0.3, name="free")
    mb = Multibody("free")
    mb.add_body("a", component=free, joint=Free())
    mb.add_body("b", mass=1.0, inertia=np.eye(3), parent="a", at=5, joint=Locked())
    system = mb.compile()
    x = random_state(system, np.random.default_rng(1))
    want = system.forward_dynamics(x)
    np.testing.assert_allclose(Kane(mb).accelerations(x.q, x.v), want, rtol=0, atol=1e-10 * abs(want).max())


def test_fewer_modes_and_damping_of_the_file():
    mb = Multibody("few")
    mb.add_body("a", component=BENT, node=3, n_modes=3, joint=Revolute("y"))
    mb.add_body("b", component=BENT, node=1, n_modes=2, damping=[0.1, 0.2], parent="a", at=5)
    system = mb.compile()
    x = random_state(system, np.random.default_rng(1))
    want = system.forward_dynamics(x)
    got = Kane(mb, like=system).accelerations(x.q, x.v)
    np.testing.assert_allclose(got, want, rtol=0, atol=1e-10 * abs(want).max())


def test_prescribed_joints():
    rng = np.random.default_rng(4)
    mb = Multibody("driven", gravity=[0, 0, -3.0])
    mb.add_body("bus", mass=5.0, inertia=[1.0, 2.0, 2.5], joint=Free())
    mb.add_body(
        "wing", component=BENT, node=3, parent="bus", at=[0.5, 0, 0], joint=Revolute("x", prescribed=True)
    )
    mb.add_body(
        "tip", mass=0.3, com=[0, 0.1, 0], inertia=0.01 * np.eye(3), parent="wing", at=5, joint=Revolute("y")
    )
    system = mb.compile()
    x = random_state(system, rng)
    k = Kane(mb, like=system)
    want = system.forward_dynamics(x, accelerations={"wing": 1.7})
    got = k.accelerations(x.q, x.v, accelerations={"wing": 1.7})
    assert got[6] == 1.7
    np.testing.assert_allclose(got, want, rtol=0, atol=1e-10 * abs(want).max())


def test_forces_in_body_and_node_axes():
    mb, system, x, _, _ = vehicle(12, components=[BENT])
    places = [(s.name, int(s.component.node_ids[-1])) for s in mb.specs if s.component]
    assert places
    forces = {place: np.arange(1.0, 7.0) for place in places}
    k = Kane(mb, like=system)
    for frame in ("body", "node"):
        want = system.forward_dynamics(x, forces=forces, frame=frame)
        got = k.accelerations(x.q, x.v, forces=forces, frame=frame)
        np.testing.assert_allclose(got, want, rtol=0, atol=1e-9 * abs(want).max())


def test_slopes_at_hinges_make_two_beams_one():
    """First frequency of two beams locked in line: that of twice the length; without slopes it is 68 % too high."""
    part = beam(n_elements=2, n_modes=12)  # complete basis
    mb = Multibody("two")
    mb.add_body("a", component=part, node=1, joint=Locked())
    mb.add_body("b", component=part, node=1, parent="a", at=3, joint=Locked())
    k = Kane(mb)

    def first_hz(p):
        stiffness = np.concatenate([b.stiffness for b in p.bodies])
        M = k.mass_matrix(k.nominal()[0], parameters=p)
        return np.sqrt(eigh(np.diag(stiffness), M, eigvals_only=True)[0]) / (2 * np.pi)

    exact = 3.5160152685 / (2 * np.pi * 2.0**2) * np.sqrt(2e9 * 0.05**2 / (12 * 1000.0))
    a, b = k.parameters.bodies
    flat = k.parameters._replace(bodies=(a, b._replace(lam=0.0 * b.lam)))
    assert first_hz(k.parameters) == pytest.approx(exact, rel=1e-4)
    assert first_hz(flat) / exact == pytest.approx(1.68, abs=0.01)


def test_lumped_mass_that_sits_in_its_joint_with_another_point():
    mb = Multibody("lump", gravity=[0, 0, -2.0])
    mb.add_body("boom", component=BENT, node=3, joint=Free())
    lump = mb.add_body("lump", mass=2.0, com=[0.1, 0, 0], inertia=[0.1, 0.2, 0.2], parent="boom", at=5)
    lump.port = np.array([0.3, -0.1, 0.2])
    mb.add_body("arm", mass=0.5, com=[0.2, 0, 0], inertia=0.01 * np.eye(3), parent="lump", at=[0.5, 0, 0],
                joint=Revolute("y"))  # fmt: skip
    system = mb.compile()
    x = random_state(system, np.random.default_rng(5))
    k = Kane(mb, like=system)
    forces = {"lump": np.arange(6.0), ("lump", (0.1, 0.2, 0.3)): np.ones(6)}
    want = system.forward_dynamics(x, forces=forces)
    got = k.accelerations(x.q, x.v, forces=forces)
    np.testing.assert_allclose(got, want, rtol=0, atol=1e-10 * abs(want).max())
    np.testing.assert_allclose(k.motion(x.q, x.v, "lump").x, system.position(x, "lump"), rtol=0, atol=1e-13)
