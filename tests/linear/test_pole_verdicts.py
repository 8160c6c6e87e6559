"""Whether something grows does not depend on how fast what stands beside it is, nor on units."""

from __future__ import annotations

import numpy as np
import pytest
from multibody_models import beam

import interstage as ist


def alone(A, dt=None) -> ist.LinearModel:
    n = len(A)
    return ist.LinearModel(A, np.zeros((n, 0)), np.zeros((0, n)), np.zeros((0, 0)), dt=dt)


def oscillator(w: float, zeta: float) -> np.ndarray:
    return np.array([[0.0, 1.0], [-(w**2), -2.0 * zeta * w]])


def beside(*blocks: np.ndarray, seed: int | None = None) -> np.ndarray:
    """Return blocks beside each other, turned into axes that hide them where a seed is given."""
    n = sum(len(block) for block in blocks)
    A, at = np.zeros((n, n)), 0
    for block in blocks:
        A[at : at + len(block), at : at + len(block)] = block
        at += len(block)
    if seed is None:
        return A
    Q = np.linalg.qr(np.random.default_rng(seed).normal(size=(n, n)))[0]
    return Q @ A @ Q.T


@pytest.mark.parametrize("fast", [1e2, 1e5, 1e8])
@pytest.mark.parametrize("slow", [0.05, 1.9e-3])
@pytest.mark.parametrize("dt", [None, 0.02])
def test_a_slow_pole_is_judged_by_itself(slow, fast, dt):
    for sign, word in ((1.0, "unstable"), (-1.0, "stable")):
        A = np.diag([sign * slow, -fast])
        model = alone(A) if dt is None else alone(np.diag(np.exp(np.diag(A) * dt)), dt)
        poles = model.poles()
        assert poles.verdict == word and poles.stable == (word == "stable")
        assert poles.growing == (word == "unstable")
        assert f"poles    {word}" in str(model) and [count for *_, count in poles.rows()] == [1, 1]


def test_a_slow_inverted_pendulum_beside_a_spring_of_20_khz_falls():
    """Growth: sqrt(m g l/J) of the pendulum, J about the hinge with the mass on the spring; they do not touch."""
    g, k = 4e-6, 1e-3 * (2.0 * np.pi * 20e3) ** 2
    mb = ist.Multibody("s", gravity=[0, 0, -g])
    mb.add_body("a", mass=10.0, com=[0, 0, 1.0], inertia=[1, 1, 1], joint=ist.Revolute("x"))
    mb.add_body(
        "b", mass=1e-3, inertia=[1e-6] * 3, parent="a", at=[0, 0, 1.0], joint=ist.Prismatic("x", stiffness=k)
    )
    system = mb.compile()
    poles = ist.linearize(system, system.state()).poles()
    growth = np.sqrt((10.0 + 1e-3) * g / (11.0 + 1e-3 + 1e-6))
    assert poles.verdict == "unstable" and poles.growing == 1
    assert np.asarray(poles).real.max() == pytest.approx(growth, rel=1e-9)


@pytest.mark.parametrize("seed", [None, 0, 1, 2])
def test_rigid_motion_is_marginal_in_any_axes(seed):
    """Chains of one to four integrators, whose poles rounding splits by its root or fourth root, beside fast modes."""
    integrators = [np.eye(m, k=1) for m in (1, 2, 4)]
    for m, chain in zip((1, 2, 4), integrators):
        A = beside(chain, oscillator(3.0e3, 0.01), oscillator(7.0, 0.02), seed=seed)
        poles = alone(A).poles()
        assert poles.verdict == "marginal" and poles.rows()[0] == (0j, 0.0, 0.0, m)
        grows = alone(beside(chain, oscillator(3.0e3, 0.01), oscillator(7.0, -1e-4), seed=seed)).poles()
        assert grows.verdict == "unstable" and grows.growing == 2 and grows.rows()[0][3] == m


def test_an_undamped_mode_is_marginal_and_a_defective_pair_that_grows_unstable():
    assert alone(beside(oscillator(40.0, 0.0), oscillator(3e4, 0.0), seed=4)).poles().verdict == "marginal"
    twice = np.array([[2.0, 1.0], [0.0, 2.0]])
    assert alone(twice).poles().verdict == "unstable" and alone(-twice).poles().verdict == "stable"
    assert alone(beside(-twice, np.diag([-1e6]), seed=3)).poles().verdict == "stable"


def test_units_of_states_do_not_matter():
    A = beside(oscillator(1e4, 0.01), oscillator(0.5, -1e-6), -0.1 * np.eye(1))
    scale = np.array([1e-9, 1e6, 1e3, 1e-5, 1e8])
    for model in (alone(A), alone(scale[:, None] * A / scale)):
        assert model.poles().verdict == "unstable" and model.poles().growing == 2


def test_a_free_vehicle_that_bends_is_marginal():
    mb = ist.Multibody("star")
    mb.add_body("bus", mass=10.0, inertia=[5.0, 6.0, 7.0], joint=ist.Free())
    for k, side in enumerate((1.0, -1.0)):
        mb.add_body(
            f"p{k}", component=beam(4, n_modes=4), parent="bus", at=[0.5 * side, 0.1, 0.05], damping=0.01
        )
    spring = ist.Revolute([0.6, 0.64, 0.48], stiffness=1e-2 * (2 * np.pi * 20e3) ** 2, damping=0.01)
    mb.add_body("f", mass=0.5, com=[0.02, 0.03, 0.01], inertia=[1e-2] * 3, parent="bus", joint=spring)
    system = mb.compile()
    lin = ist.linearize(system, system.state())
    for poles, still in ((lin.poles(), 0j), (lin.discretize("10 ms").poles(), 1 + 0j)):
        assert poles.verdict == "marginal" and (still, 0.0, 0.0, 12) in poles.rows()


def test_parts_of_poles_are_judged_as_the_whole_was():
    poles = alone(np.diag([1.9e-3, -1e5, -2.0])).poles()
    assert poles[1:].verdict == "stable" and poles[:1].verdict == "unstable" and poles[:0].verdict == "stable"
