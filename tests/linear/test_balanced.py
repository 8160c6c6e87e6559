"""Balanced truncation against models whose Hankel singular values and errors are known in closed form."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.linalg

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


def flexible(seed: int, modes: int = 12) -> ist.LinearModel:
    """Return light modes from 0.1 to 100 Hz between two inputs and two outputs."""
    rng, w = np.random.default_rng(seed), 2.0 * np.pi * np.geomspace(0.1, 100.0, modes)
    A = np.block([[np.zeros((modes, modes)), np.eye(modes)], [-np.diag(w**2), -np.diag(0.01 * w)]])
    B = np.vstack([np.zeros((modes, 2)), rng.normal(size=(modes, 2))])
    return ist.LinearModel(
        A, B, np.hstack([rng.normal(size=(2, modes)), np.zeros((2, modes))]), np.zeros((2, 2))
    )


def largest_error(one: ist.LinearModel, two: ist.LinearModel, top_hz: float) -> float:
    """Return the largest singular value of the difference over a dense grid with all resonances of 0.1 to 100 Hz."""
    ring = np.geomspace(0.1, 100.0, 12)[:, None] * (1.0 + np.linspace(-0.02, 0.02, 41))
    f = np.unique(np.concatenate([np.geomspace(1e-3, top_hz, 1500), ring.ravel()]))
    f = f[f <= top_hz]
    gap = one.frequency_response(f) - two.frequency_response(f)
    return float(np.linalg.norm(gap, 2, axis=(1, 2)).max())


@pytest.mark.parametrize("span", [1.0, 1e3, 1e8])
def test_the_bound_holds_whatever_the_units_of_states(span):
    """States from 1/span to span in units of each other: the same Hankel values, the same number of states."""
    lin = flexible(1)
    rng = np.random.default_rng(3)
    unit = np.geomspace(1.0 / span, span, lin.n_states)[rng.permutation(lin.n_states)]
    other = ist.LinearModel(unit[:, None] * lin.A / unit, unit[:, None] * lin.B, lin.C / unit, lin.D)
    plain = lin.reduce(error=1e-2)
    for error in (1.0, 1e-2, 1e-4):
        small = other.reduce(error=error)
        found = small.extras["reduction"]
        true = largest_error(lin, small, 1e3)
        # responses are rounded to 1e-12 of the largest, about 500; what was measured is over other frequencies
        assert true <= found["bound"] + 1e-9 and found["bound"] <= error
        assert found["error"] == pytest.approx(true, rel=0.02, abs=1e-9)
        assert small.poles().stable
    again = other.reduce(error=1e-2)
    assert again.n_states == plain.n_states
    # scales are powers of two: Hankel values agree to the rounding of the largest
    hankel = plain.extras["reduction"]["hankel"]
    assert again.extras["reduction"]["hankel"] == pytest.approx(hankel, rel=1e-6, abs=1e-10 * hankel[0])


def test_a_pressure_in_pascals_beside_angles():
    """A first-order actuator whose state is 1e7 times the others drives the modes: the error asked for is kept."""
    lin = flexible(4)
    push = 1e-7 * lin.B[:, [0]]
    n = lin.n_states
    A = np.block([[lin.A, push], [np.zeros((1, n)), np.array([[-10.0]])]])
    B, C = np.vstack([np.zeros((n, 1)), [[1e8]]]), np.hstack([lin.C, np.zeros((2, 1))])
    whole = ist.LinearModel(A, B, C, np.zeros((2, 1)))
    for error in (1e-3, 1e-6):
        assert largest_error(whole, whole.reduce(error=error), 1e3) <= error


def test_hankel_values_from_sample_to_sample():
    """Gramians of scipy's Lyapunov solver, sqrt(eig(PQ)), of a small model; the bound over the whole circle."""
    dt = 2e-3
    z = flexible(2, modes=4).discretize(dt)
    P = scipy.linalg.solve_discrete_lyapunov(z.A, z.B @ z.B.T)
    Q = scipy.linalg.solve_discrete_lyapunov(z.A.T, z.C.T @ z.C)
    truth = np.sqrt(np.sort(np.linalg.eigvals(P @ Q).real)[::-1])
    f = np.concatenate([np.linspace(0.0, 0.5 / dt, 2000), 0.1 + np.linspace(-2e-3, 2e-3, 200)])
    for n in (2, 4, 6):
        small = z.reduce(n)
        found = small.extras["reduction"]
        assert small.dt == dt and small.n_states == n and small.poles().stable
        assert found["hankel"] == pytest.approx(truth, rel=1e-6)
        assert found["bound"] == pytest.approx(2.0 * truth[n:].sum(), rel=1e-6)
        gap = np.linalg.norm(z.frequency_response(f) - small.frequency_response(f), 2, axis=(1, 2)).max()
        assert gap <= found["bound"]
    one = ist.LinearModel([[0.8]], [[2.0]], [[3.0]], [[0.0]], dt=dt)
    # k/(z - a): the one Hankel singular value k/(1 - a²)
    assert one.reduce(1).extras["reduction"]["hankel"] == pytest.approx([6.0 / (1.0 - 0.64)])


def test_delays_and_rigid_motion_of_samples_are_kept_or_reduced_right():
    """Poles at one (a free body) are kept; so is a chain of delays, whose poles at zero have one vector alone."""
    dt = 0.01
    A = np.zeros((6, 6))
    A[:2, :2], A[2, 3] = [[1.0, dt], [0.0, 1.0]], 1.0
    A[4:, 4:] = np.exp(-0.02) * np.array([[np.cos(0.4), np.sin(0.4)], [-np.sin(0.4), np.cos(0.4)]])
    B = np.array([[0.5 * dt**2], [dt], [0.0], [1.0], [0.3], [0.1]])
    C = np.array([[1.0, 0.0, 0.7, 0.0, 1.0, 0.5]])
    z = ist.LinearModel(A, B, C, [[0.0]], dt=dt)
    small = z.reduce(error=1e-6)
    assert small.n_states == 6 and small.extras["reduction"]["not_stable"] == 2
    f = np.linspace(0.5, 50.0, 200)
    assert np.abs(small.frequency_response(f) - z.frequency_response(f)).max() < 1e-9


@pytest.mark.parametrize("unit", [1e-4, 1.0, 1e4])
def test_the_error_between_slow_poles_is_found(unit):
    """Lags whose error is largest between their poles, in any unit of time: as on a fine grid of frequencies."""
    rng = np.random.default_rng(3)
    p = np.geomspace(1e-3, 1.0, 6) * rng.uniform(0.7, 1.4, 6) * unit
    lin = ist.LinearModel(np.diag(-p), unit * rng.normal(size=(6, 1)), rng.normal(size=(1, 6)), [[0.0]])
    small, f = lin.reduce(2), unit * np.geomspace(1e-6, 10.0, 4000)
    truth = np.abs(lin.frequency_response(f) - small.frequency_response(f)).max()
    assert small.extras["reduction"]["error"] == pytest.approx(truth, rel=1e-3)


def test_states_that_nothing_sees_are_left_out():
    """Of five states two are reached and seen: n = 5 keeps these, and no integrator is made of the others."""
    A, B, C = np.diag([-1.0, -2.0, -3.0, -4.0, -5.0]), np.zeros((5, 1)), np.zeros((1, 5))
    B[:2], C[0, :2] = 1.0, 1.0
    small = ist.LinearModel(A, B, C, [[0.0]]).reduce(5)
    assert small.n_states == 2 and small.poles().stable


@pytest.mark.parametrize(
    "arguments", [{}, {"n": 2, "error": 1.0}, {"n": 9}, {"n": -1}, {"error": -1.0}, {"n": 1.5}]
)
def test_what_cannot_be_reduced_is_said(arguments):
    with pytest.raises(InputError):
        relaxation().reduce(**arguments)
