"""The Lanczos recurrence holds on dofs with mass, and Ritz vectors are whole on dofs without."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.linalg as la
import scipy.sparse as sp

from interstage.linalg import eigenmodes
from interstage.linalg.factor import Factor
from interstage.linalg.lanczos import BlockLanczos


def membrane(nx: int, ny: int) -> tuple[sp.csr_array, np.ndarray]:
    """Springs on a grid with fixed edges and their eigenvalues."""

    def line(n):
        return sp.diags_array([2.0, -1.0, -1.0], offsets=[0, 1, -1], shape=(n, n))

    def values(n):
        return 2.0 - 2.0 * np.cos(np.pi * np.arange(1, n + 1) / (n + 1))

    K = sp.kron(line(nx), sp.eye_array(ny)) + sp.kron(sp.eye_array(nx), line(ny))
    return sp.csr_array(K), np.sort((values(nx)[:, None] + values(ny)[None, :]).ravel())


def masses(n: int, kind: str) -> sp.csr_array:
    """Mass on all dofs, on two thirds of them, or on pairs of them that move as one in it."""
    m = np.random.default_rng(3).uniform(1.0, 2.0, n)
    if kind == "everywhere":
        return sp.csr_array(sp.diags_array(m))
    if kind == "some":
        return sp.csr_array(sp.diags_array(np.where(np.arange(n) % 3 == 1, 0.0, m)).tocoo().tocsr())
    pair = sp.csr_array(sp.kron(sp.eye_array(n // 3), np.array([[1.0, 1.0, 0.0]])))
    return sp.csr_array(pair.T @ sp.diags_array(m[: n // 3]) @ pair)


def condensed(K: sp.csr_array, M: sp.csr_array) -> tuple[np.ndarray, np.ndarray]:
    """All finite eigenvalues and their vectors by dense algebra: 1/λ of M seen in the inner product of K."""
    theta, X = la.eigh(M.toarray(), K.toarray())
    keep = np.flatnonzero(theta > 1e-10)[::-1]
    return 1.0 / theta[keep], X[:, keep] / np.sqrt(theta[keep])


@pytest.mark.parametrize("locked", [0, 3])
@pytest.mark.parametrize("kind", ["everywhere", "some", "pairs"])
def test_recurrence_and_vectors(kind, locked):
    K, _ = membrane(27, 20)
    M = masses(540, kind)
    M.eliminate_zeros()
    exact, shapes = condensed(K, M)
    known = np.asfortranarray(shapes[:, :locked])
    sigma = -0.001
    factor = Factor(K - sigma * M)
    run = BlockLanczos(factor.solve, M, known, 5, 60, 1)
    for step in range(20):
        run.step()
        if run.full():
            run.restart(run.ritz(), 25)
        if step in (3, 10, 19):
            m, heavy = run.m, run.heavy
            whole = np.zeros((540, m))
            whole[heavy] = run.Q[:, :m]
            applied = factor.solve(M @ whole)
            applied -= known @ (known.T @ (M @ applied))
            R = np.zeros((run.next.shape[1], m))
            R[:, m - run.last :] = run.R
            error = applied[heavy] - run.Q[:, :m] @ run.T[:m, :m] - run.next @ R
            assert np.abs(error).max() < 1e-10 * np.abs(applied).max()
            light = applied[run.light] - run.applied[:, :m]
            assert np.abs(light).max(initial=0.0) < 1e-10 * np.abs(applied).max()
            basis = np.hstack([known[heavy], run.Q[:, :m], run.next])
            gram = basis.T @ (M[heavy][:, heavy] @ basis)
            assert np.abs(gram - np.eye(basis.shape[1])).max() < 1e-9
    ritz = run.ritz()
    found = np.arange(10)
    assert ritz.converged[found].all()
    values, X = sigma + 1.0 / ritz.theta[found], run.vectors(ritz, found)
    np.testing.assert_allclose(values, exact[locked : locked + 10], rtol=1e-11)
    residual = K @ X - (M @ X) * values
    assert np.abs(residual).max() < 1e-6 * np.abs(K @ X).max()
    np.testing.assert_allclose(X.T @ (M @ X), np.eye(10), atol=1e-10)


def test_a_space_that_is_locked_whole_is_exhausted():
    K, _ = membrane(12, 10)
    M = masses(120, "some")
    M.eliminate_zeros()
    _, shapes = condensed(K, M)
    assert BlockLanczos(Factor(K).solve, M, np.asfortranarray(shapes), 4, 40, 1).exhausted


@pytest.mark.parametrize("kind", ["everywhere", "some", "pairs"])
def test_modes_of_a_membrane_take_two_factorizations(kind):
    K, values = membrane(30, 24)
    M = masses(720, kind)
    result = eigenmodes(K, M, 25)
    assert (result.n_shifts, result.sturm_checked) == (2, True)
    assert np.abs(result.eigenvalues / condensed(K, M)[0][:25] - 1.0).max() < 1e-10
    assert result.residuals.max() < 1e-6
    uniform = eigenmodes(K, sp.csr_array(2.0 * sp.eye_array(720)), 25)
    assert np.abs(2.0 * uniform.eigenvalues / values[:25] - 1.0).max() < 1e-11
