"""Sums over pairs of modes by few rows (`thin_rows`): against sums over mass points, and tables of pairs."""

from __future__ import annotations

import numpy as np
import pytest
from multibody_models import beam, random_state

import interstage as ist
from interstage.component import Component
from interstage.fem import lumped_beam
from interstage.multibody.flexible_body import thin_rows

STEP = 1e-40


def sums(points, modes, seed=0):
    """Return B (3, 3, n, n) = Σ m γ_r γ_sᵀ of random points, columns of unit modal mass."""
    gamma = np.random.default_rng(seed).normal(size=(points, 3, modes))
    gamma /= np.linalg.norm(gamma, axis=(0, 1))
    return np.einsum("pir,pjs->ijrs", gamma, gamma)


def test_as_many_rows_as_points():
    B = sums(10, 30)
    W = thin_rows(B)
    assert W.shape == (10, 3, 30)
    np.testing.assert_allclose(np.einsum("kir,kjs->ijrs", W, W), B, atol=1e-14, rtol=0.0)


def test_rounding_makes_no_rows():
    B, noise = sums(10, 30), np.random.default_rng(1).normal(size=(3, 3, 30, 30))
    W = thin_rows(B + 1e-13 * noise)
    assert len(W) == 10
    np.testing.assert_allclose(np.einsum("kir,kjs->ijrs", W, W), B, atol=3e-12, rtol=0.0)


def test_no_rows_where_they_cost_more():
    assert thin_rows(sums(10, 20)) is None
    assert thin_rows(sums(25, 30)) is None
    assert thin_rows(np.zeros((3, 3, 30, 30))) is not None  # modes that move nothing: no row at all


def test_no_rows_of_what_is_no_sum_of_squares():
    assert thin_rows(sums(10, 30) - 1e-8 * sums(1, 30, seed=5)) is None


def stick(n_modes=50, **options):
    """Return a component of 14 nodes on a line, point masses and little rotary inertia, held at the first."""
    mass = np.tile([1.0, 1.0, 1.0, 1e-3, 2e-3, 2e-3], (14, 1)) * np.linspace(0.5, 2.0, 14)[:, None]
    K, M, nodes = lumped_beam(1.3, 13, EA=4e5, GJ=30.0, EI=50.0, mass=mass)
    return Component.from_matrices(K, M, nodes, n_modes=n_modes, aset={1: 123456}, **options)


@pytest.fixture(scope="module", params=[1, 2])
def chain(request):
    """Return two sticks, a beam with pairs of its own between them, and the same without rows."""
    mb, one = ist.Multibody("chain", gravity=[0.0, -9.81, 0.3]), stick()
    mb.add_body("a", component=one, node=1, joint=ist.Free(), order=request.param)
    mb.add_body("b", component=beam(), node=1, joint=ist.Revolute("y"), parent="a", at=14, order=2)
    mb.add_body("c", component=one, node=1, joint=ist.Ball(), parent="b", at=3, order=request.param)
    system = mb.compile()
    tables = {"body_thin": np.full_like(system.tree.body_thin, -1)}
    return system, system.with_constants(tables, system.settings)


def test_rows_are_used_where_there_are_some(chain):
    system, _ = chain
    thin, rank = system.tree.body_thin, system.tree.body_rank
    assert thin[0] == thin[2] == 0 and thin[1] == -1
    assert rank.tolist() == [4, 0, 4]  # 13 nodes that move, by fours


def test_motion_is_that_of_tables(chain):
    system, tables = chain
    for seed in range(3):
        x = random_state(system, np.random.default_rng(seed), deflection=2e-3, speed=3.0)
        for ask in ("forward_dynamics", "mass_matrix", "bias", "momentum"):
            found, truth = (np.asarray(getattr(one, ask)(x)) for one in (system, tables))
            np.testing.assert_allclose(found, truth, atol=1e-11 * np.abs(truth).max(), rtol=0.0)
        assert system.energy(x) == pytest.approx(tables.energy(x), rel=1e-12)


def test_complex_steps_go_through(chain):
    system, tables = chain
    rng = np.random.default_rng(7)
    x = random_state(system, rng, deflection=2e-3)
    step = system.state(
        x.q + 1j * STEP * rng.normal(size=system.nq), x.v + 1j * STEP * rng.normal(size=system.nv)
    )
    found, truth = (one.forward_dynamics(step).imag / STEP for one in (system, tables))
    np.testing.assert_allclose(found, truth, atol=1e-10 * np.abs(truth).max(), rtol=0.0)


def test_slopes_are_those_of_the_same_motion(chain):
    system, tables = chain
    x = random_state(system, np.random.default_rng(3), deflection=2e-3)
    found, truth = (ist.linearize(one, x).A for one in (system, tables))
    np.testing.assert_allclose(found, truth, atol=1e-10 * np.abs(truth).max(), rtol=0.0)


def test_energy_stays(chain):
    system, _ = chain
    x = random_state(system, np.random.default_rng(4), deflection=2e-3, speed=0.5)
    vdot = system.forward_dynamics(x)
    moved = system.state(x.q + 1j * STEP * system.rates(x), x.v + 1j * STEP * vdot)
    power = complex(system.energy(moved)).imag / STEP
    assert abs(power) <= 1e-11 * (np.abs(system.mass_matrix(x) @ vdot) @ np.abs(x.v))


def test_pairs_of_order_one_are_fewer():
    mb, one = ist.Multibody("orders"), stick(30)
    for name, order in (("a", 1), ("b", 2)):
        mb.add_body(name, component=one, node=1, order=order)
    assert mb.compile().tree.body_thin.tolist() == [-1, 0]


def test_nodes_that_turn_have_tables():
    mb = ist.Multibody("turning")
    for name, turns in (("a", True), ("b", False)):
        mb.add_body(name, component=stick(rotary_integrals=True), node=1, order=2, rotary=turns)
    assert mb.compile().tree.body_thin.tolist() == [-1, 0]


@pytest.mark.filterwarnings(
    "error::pytest.PytestUnraisableExceptionWarning"
)  # a stage that is not there says so
def test_modes_that_move_no_mass_have_no_rows_to_read():
    """A shaft of 60 discs with inertia about its axis alone: B is zero, and the stage of rows is there all the same."""
    mass = np.zeros((61, 6))
    mass[:, 3], mass[0] = 1e-2, [0.5, 0.5, 0.5, 1e-2, 1.0, 1.0]
    K, M, nodes = lumped_beam(6.0, 60, EA=4e8, GJ=3e3, EI=1e7, mass=mass)
    shaft = Component.from_matrices(K, M, nodes, n_modes=28, aset={1: 123456})
    mb = ist.Multibody("shaft", gravity=[0.0, 0.0, -9.81])
    mb.add_body("shaft", component=shaft, node=1, joint=ist.Free(), order=2)
    system = mb.compile()
    tables = system.with_constants({"body_thin": np.full_like(system.tree.body_thin, -1)}, system.settings)
    assert system.tree.body_thin.tolist() == [0] and not len(system.tree.flex_thin)
    x = random_state(system, np.random.default_rng(5), deflection=2e-3)
    found, truth = system.forward_dynamics(x), tables.forward_dynamics(x)
    np.testing.assert_allclose(found, truth, atol=1e-11 * np.abs(truth).max(), rtol=0.0)
