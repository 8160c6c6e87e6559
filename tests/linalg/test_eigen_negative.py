"""Modes below zero (stiffness beyond buckling): the lowest by sign, proved by counts, beside scipy.linalg.eigh."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.linalg as la
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from interstage.errors import SolverError
from interstage.linalg import eigenmodes


def chain(n: int) -> np.ndarray:
    return 2.0 * np.eye(n) - np.eye(n, k=1) - np.eye(n, k=-1)


def pencil(values: np.ndarray, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Banded K and M with these eigenvalues, dofs in random order."""
    random, n = np.random.default_rng(seed), len(values)
    X = np.eye(n) + np.diag(0.3 * random.normal(size=n - 1), 1) + np.diag(0.2 * random.normal(size=n - 3), 3)
    order = random.permutation(n)
    return tuple((0.5 * (A + A.T))[np.ix_(order, order)] for A in (X.T @ (values[:, None] * X), X.T @ X))


def check(K: np.ndarray, M: np.ndarray, n_modes: int):
    result = eigenmodes(sp.csr_array(K), sp.csr_array(M), n_modes)
    values = la.eigh(K, M, eigvals_only=True)
    assert result.sturm_checked
    level = np.abs(values[:n_modes]).max() + 1e-6 * np.abs(values).max()
    np.testing.assert_allclose(result.eigenvalues, values[:n_modes], rtol=0, atol=1e-8 * level)
    return result


@pytest.mark.parametrize("n_modes", [1, 2, 3, 6, 7, 20, 60])
@pytest.mark.parametrize("beyond", [8e-4, 0.05, 1.0, 4.0, 4.5])
def test_compressed_chain(beyond, n_modes):
    """Up to all 400 eigenvalues are negative."""
    check(chain(400) - beyond * np.eye(400), np.eye(400), n_modes)


@settings(max_examples=25, deadline=None, derandomize=True)
@given(
    negative=st.lists(st.floats(-8.0, 4.0), max_size=12),
    copies=st.integers(1, 3),
    zeros=st.integers(0, 8),
    decades=st.floats(0.5, 6.0),
    n_modes=st.integers(1, 45),
    seed=st.integers(0, 1000),
)
def test_negative_and_zero_eigenvalues(negative, copies, zeros, decades, n_modes, seed):
    """Negative ones at any height, alone and repeated, below a spectrum of up to six decades: right, or an error."""
    below = np.repeat(-(10.0 ** np.array(negative)), copies)
    values = np.concatenate([below, np.zeros(zeros), np.logspace(0.0, decades, 400)])
    try:
        check(*pencil(values, seed), n_modes)
    except SolverError as error:  # twelve decades below zero may be too many: then it is said
        assert len(below), error


@pytest.mark.parametrize("n_modes", [1, 4, 7, 20, 40])
def test_loose_masses_beside_negative_modes(n_modes):
    """Rows of K that are zero without rounding."""
    values = np.concatenate([np.linspace(1.0, 1e3, 400), [-3.0, -3.0, -1.0, 0.0, 0.0, 0.0]])
    check(np.diag(values), np.eye(406), n_modes)
    result = check(la.block_diag(chain(400), np.zeros((6, 6))), np.eye(406), n_modes)
    assert not result.notes


@pytest.mark.parametrize("n_modes", [1, 3, 12])
@pytest.mark.parametrize("beyond", [0.0, 0.05])
def test_negative_stiffness_without_mass_has_no_mode(beyond, n_modes):
    """Its pivot is negative at every shift, and counts for nothing."""
    n = 400
    K = la.block_diag(chain(n) - beyond * np.eye(n), -2.0 * np.eye(2))
    K[n : n + 2, 5] = K[5, n : n + 2] = 0.3
    result = eigenmodes(sp.csr_array(K), sp.diags_array(np.r_[np.ones(n), 0.0, 0.0]).tocsr(), n_modes)
    condensed = K[:n, :n] - K[:n, n:] @ np.linalg.solve(K[n:, n:], K[n:, :n])
    assert result.sturm_checked
    np.testing.assert_allclose(result.eigenvalues, la.eigvalsh(condensed)[:n_modes], atol=1e-10)


def test_eigenvalue_below_every_shift_is_an_error():
    K, M = sp.lil_array(chain(400)), sp.lil_array(np.eye(400))
    K[7, 7], M[7, 7] = -1e6, 1e-12
    with pytest.raises(SolverError, match="too far below zero"):
        eigenmodes(K.tocsr(), M.tocsr(), 3)


def test_semidefinite_stiffness_takes_two_factorizations():
    free = chain(400)
    free[0, 0] = free[-1, -1] = 1.0
    for K in (chain(400), free):
        assert check(K, np.eye(400), 10).n_shifts == 2
