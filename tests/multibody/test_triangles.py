"""Factors of modal mass, four rows at a time: against dense solutions, for every remainder of four."""

import numpy as np
import pytest
import scipy.linalg as la

from interstage.multibody.kernels.algebra import factor_upper, lower_solve, lower_three, upper_solve


@pytest.mark.kernels
@pytest.mark.parametrize("kind", [float, complex])
@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 7, 8, 18])
def test_factor_and_solutions(n, kind):
    """Inside a longer array; vectors may be complex (derivatives by complex steps)."""
    rng = np.random.default_rng(n)
    A = rng.normal(size=(n, n))
    A = A @ A.T + n * np.eye(n)
    U = np.concatenate([np.full(2, np.nan), A.ravel(), np.full(2, np.nan)])
    assert factor_upper(U, 2, n)
    L = la.cholesky(A, lower=True)
    np.testing.assert_allclose(np.triu(U[2:-2].reshape(n, n)), L.T, atol=1e-13 * np.abs(L).max())
    x = rng.normal(size=(3, n)).astype(kind)
    if kind is complex:
        x += 1j * rng.normal(size=(3, n))
    wanted = la.solve_triangular(L, x.T, lower=True).T
    three, one, up = (np.concatenate([np.zeros(1), x.ravel()]).astype(kind) for _ in range(3))
    lower_three(U, 2, n, three, 1)
    lower_solve(U, 2, n, one, 1)
    upper_solve(U, 2, n, up, 1)
    np.testing.assert_allclose(three[1:].reshape(3, n), wanted, atol=1e-13)
    np.testing.assert_allclose(one[1 : n + 1], wanted[0], atol=1e-13)
    np.testing.assert_array_equal(one[n + 1 :], x.ravel()[n:])
    np.testing.assert_allclose(up[1 : n + 1], la.solve_triangular(L.T, x[0], lower=False), atol=1e-13)


@pytest.mark.kernels
def test_a_mass_that_is_not_positive_is_told():
    A = np.eye(6)
    A[4, 5] = A[5, 4] = 2.0
    assert not factor_upper(A.ravel().copy(), 0, 6)
