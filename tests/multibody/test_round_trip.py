"""Algorithm against algorithm on random trees with every joint type and mixed fidelity."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from multibody_models import JOINTS, beam, random_state, random_tree

STRAIGHT, BENT = beam(), beam(n_elements=4, n_modes=5, aset=3, bend=0.4, name="bent")
LUMPED = beam(lumped=True, n_modes=6, tip_mass=1.0, name="lumped")


def _make(seed, heavy=1.0):
    rng = np.random.default_rng(seed)
    system = random_tree(
        rng, int(rng.integers(1, 9)), components=[STRAIGHT, BENT, LUMPED], heavy=heavy
    ).compile()
    return system, random_state(system, rng), rng.normal(size=system.nv)


@settings(max_examples=40)
@given(st.integers(0, 10**6))
def test_forward_and_inverse_dynamics_undo_each_other(seed):
    system, x, tau = _make(seed)
    back = system.inverse_dynamics(x, system.forward_dynamics(x, tau=tau))
    scale = abs(tau).max(initial=1.0) + abs(system.bias(x)).max(initial=0.0)
    assert abs(back - tau).max(initial=0.0) <= 1e-10 * scale


@settings(max_examples=20)
@given(st.integers(0, 10**6))
def test_heavy_children_cost_no_digits_in_the_energy_norm(seed):
    system, x, tau = _make(seed, heavy=1e4)
    vdot = system.forward_dynamics(x, tau=tau)
    M = system.mass_matrix(x)
    error = (
        np.linalg.lstsq(M, system.inverse_dynamics(x, vdot) - tau, rcond=None)[0]
        if system.nv
        else np.zeros(0)
    )
    # cond(M) reaches 1e11 here; the worst of 300 seeds has 4e-9
    assert np.sqrt(abs(error @ M @ error)) <= 1e-8 * np.sqrt(vdot @ M @ vdot) + 1e-12


@settings(max_examples=20)
@given(st.integers(0, 10**6))
def test_mass_matrix_is_the_slope_of_inverse_dynamics(seed):
    system, x, _ = _make(seed)
    M, b = system.mass_matrix(x), system.bias(x)
    columns = [system.inverse_dynamics(x, e) - b for e in np.eye(system.nv)]
    scale = abs(M).max(initial=0.0) + abs(b).max(initial=0.0)
    np.testing.assert_allclose(M, np.array(columns).reshape(M.shape).T, rtol=0, atol=1e-12 * scale + 1e-300)


@settings(max_examples=20)
@given(st.integers(0, 10**6))
def test_recursion_solves_the_dense_equations(seed):
    system, x, tau = _make(seed)
    M, b = system.mass_matrix(x), system.bias(x)
    vdot = system.forward_dynamics(x, tau=tau)
    error = vdot - np.linalg.solve(M, tau - b)
    # the dense solution itself is no better than cond(M) allows
    assert np.sqrt(abs(error @ M @ error)) <= 1e-10 * np.sqrt(vdot @ M @ vdot) + 1e-15


@pytest.mark.parametrize("joint", JOINTS, ids=lambda j: type(j).__name__)
def test_every_joint_on_a_deformed_node(joint):
    from interstage.multibody import Free, Multibody

    rng = np.random.default_rng(3)
    mb = Multibody("pair", gravity=[0, 0, -9.81])
    mb.add_body("root", component=BENT, node=3, joint=Free())
    mb.add_body("tip", component=STRAIGHT, node=1, parent="root", at=5, joint=joint)
    mb.add_body("side", mass=1.0, inertia=np.eye(3), parent="root", at=1, joint=joint)
    mb.add_body("top", mass=1.0, com=[0.1, 0, 0], inertia=np.eye(3), parent="root", at=5, joint=joint)
    system = mb.compile()
    x, tau = random_state(system, rng), rng.normal(size=system.nv)
    b = system.bias(x)
    vdot = system.forward_dynamics(x, tau=tau)
    assert abs(system.inverse_dynamics(x, vdot) - tau).max() < 1e-10 * abs(b).max()
    dense = np.linalg.solve(system.mass_matrix(x), tau - b)
    np.testing.assert_allclose(vdot, dense, rtol=0, atol=1e-9 * abs(dense).max())
