"""Balanced truncation against models whose Hankel singular values and errors are known in closed form."""

from __future__ import annotations

import numpy as np
import pytest

import interstage as ist
from interstage.errors import InputError

SIGMA = np.array([3.0, 1.0, 0.2, 0.05, 1e-3])


def relaxation(seed=2):
    """A_ij = -b_i b_j / (σ_i + σ_j), B = b, C = bᵀ is balanced: A Σ + Σ Aᵀ = -b bᵀ. In axes that hide it."""
    rng = np.random.default_rng(seed)
    b = rng.uniform(0.5, 2.0, len(SIGMA))
    A = -np.outer(b, b) / (SIGMA[:, None] + SIGMA)
    T = rng.normal(size=A.shape)
    return ist.LinearModel(T @ A @ np.linalg.inv(T), T @ b[:, None], b[None] @ np.linalg.inv(T), [[0.0]])


def test_hankel_singular_values_and_the_bound_that_is_reached():
    """Of these models the error is largest at f = 0, where it is the bound itself: 2 Σ of what is left out.

    Gramians lose half of the digits of the smallest values: 1e-8 of the largest.
    """
    lin = relaxation()
    f = np.geomspace(1e-3, 1e3, 200)
    for n in range(1, 5):
        small = lin.reduce(n)
        found = small.extras["reduction"]
        np.testing.assert_allclose(found["hankel"], SIGMA, atol=1e-8)
        bound = 2.0 * SIGMA[n:].sum()
        assert found["bound"] == pytest.approx(bound, abs=1e-7) and small.n_states == n
        at_zero = (lin.frequency_response([0.0]) - small.frequency_response([0.0])).real.item()
        assert abs(at_zero) == pytest.approx(bound, abs=1e-6)
        assert np.abs(lin.frequency_response(f) - small.frequency_response(f)).max() <= bound + 1e-6
        assert small.poles().real.max() < 0.0
    assert lin.reduce(error=0.6).n_states == 2 and lin.reduce(error=0.05).n_states == 4
    np.testing.assert_allclose(lin.reduce(5).frequency_response(f), lin.frequency_response(f), atol=1e-7)


def test_one_pole():
    """k / (s + a) has the one Hankel singular value k / 2a."""
    lin = ist.LinearModel([[-4.0]], [[2.0]], [[3.0]], [[0.5]])
    assert lin.reduce(1).extras["reduction"]["hankel"] == pytest.approx([6.0 / 8.0])
    np.testing.assert_allclose(lin.reduce(0).frequency_response([0.3]), [[[0.5]]])


def test_rigid_motion_and_instability_are_kept():
    """A double integrator and an unstable pole beside modes: their transfer functions stay, to rounding."""
    stable = relaxation()
    A = np.zeros((8, 8))
    A[:5, :5], A[5, 6], A[7, 7] = stable.A, 1.0, 0.7
    B = np.vstack([stable.B, [[0.0], [2.0], [1.0]]])
    C = np.hstack([stable.C, [[1.0, 0.0, 0.3]]])
    rng = np.random.default_rng(8)
    T = rng.normal(size=(8, 8))
    lin = ist.LinearModel(T @ A @ np.linalg.inv(T), T @ B, C @ np.linalg.inv(T), [[0.0]])
    small = lin.reduce(2)
    assert small.n_states == 5 and small.extras["reduction"]["not_stable"] == 3
    np.testing.assert_allclose(small.extras["reduction"]["hankel"], SIGMA, atol=1e-6)
    poles = np.asarray(small.poles())
    # a double pole is known to the root of rounding
    assert np.abs(poles - 0.7).min() < 1e-8 and np.sort(np.abs(poles))[1] < 1e-5
    f = np.geomspace(0.05, 10.0, 40)
    error = np.abs(lin.frequency_response(f) - small.frequency_response(f)).max()
    assert error <= small.extras["reduction"]["bound"] + 1e-5


@pytest.mark.parametrize(
    "arguments", [{}, {"n": 2, "error": 1.0}, {"n": 9}, {"n": -1}, {"error": -1.0}, {"n": 1.5}]
)
def test_what_cannot_be_reduced_is_said(arguments):
    with pytest.raises(InputError):
        relaxation().reduce(**arguments)
