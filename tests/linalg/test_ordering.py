"""Order by groups of rows: valid for rows of any kind, with the fill and the pivots of elimination in that order."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from interstage.linalg import factor as factorization
from interstage.linalg import pardiso
from interstage.linalg.factor import Factor, upper_triangle

needs_pardiso = pytest.mark.skipif(not pardiso.available(), reason="PARDISO is not installed")


def mesh(side: int, dofs: int, removed: float, seed: int = 0) -> sp.csr_array:
    """Positive definite matrix of a square mesh of full blocks, some of whose rows are removed."""
    random = np.random.default_rng(seed)
    one = sp.diags_array([2.0, -1.0, -1.0], offsets=[0, 1, -1], shape=(side, side))
    both = sp.kron(one, sp.eye_array(side)) + sp.kron(sp.eye_array(side), one)
    B = random.normal(size=(dofs, dofs))
    A = sp.csr_array(sp.kron(both, B @ B.T + np.eye(dofs)))
    kept = np.flatnonzero(random.uniform(size=A.shape[0]) >= removed)
    return sp.csr_array(A[kept][:, kept] + sp.diags_array(random.uniform(0.0, 3.0, len(kept))))


@pytest.fixture
def groups_of_any_size(monkeypatch):
    monkeypatch.setattr(factorization, "LARGE", 0)
    monkeypatch.setattr(factorization, "WORTH", 0.5)


@pytest.mark.parametrize("dofs", [4, 6])
def test_rows_of_a_grid_are_a_group(groups_of_any_size, dofs):
    U = upper_triangle(mesh(12, dofs, removed=0.0))
    first, graph = factorization.grouped(U)
    of_grids = np.arange(0, U.shape[0] + 1, dofs)
    inside = first < U.shape[0] - 2 * dofs  # the last grids have no other columns and may be one group
    np.testing.assert_array_equal(first[inside], of_grids[: inside.sum()])
    members = np.repeat(np.eye(len(first) - 1), np.diff(first), axis=1)
    np.testing.assert_array_equal(graph.toarray() != 0.0, members @ (U.toarray() != 0.0) @ members.T > 0.0)


def test_single_equations_stay_single(groups_of_any_size):
    assert factorization.grouped(upper_triangle(mesh(20, 1, removed=0.0))) is None


def test_rows_follow_their_groups():
    first = np.array([0, 2, 3, 6])
    np.testing.assert_array_equal(factorization.in_rows(first, np.array([2, 0, 1])), [3, 4, 5, 0, 1, 2])


@needs_pardiso
@pytest.mark.parametrize("removed", [0.0, 0.15])
def test_factor_of_grouped_rows(groups_of_any_size, removed):
    """Pivots are those of dense elimination in that order; there is little more fill than with single equations."""
    A = mesh(15, 4, removed)
    n, U = A.shape[0], upper_triangle(A)
    first, graph = factorization.grouped(U)
    order = factorization.in_rows(first, pardiso.Pardiso(graph, False).dissection())
    np.testing.assert_array_equal(np.sort(order), np.arange(n))
    dense = A.toarray()[np.ix_(order, order)]
    expected = np.empty(n)
    expected[order] = np.diag(np.linalg.cholesky(dense)) ** 2 / np.diag(dense)
    found = Factor(A, definite=True, backend="pardiso")
    np.testing.assert_allclose(found.pivots(), expected, rtol=1e-12)
    X = np.random.default_rng(1).normal(size=(n, 3))
    for factor in (found, Factor(A, backend="pardiso")):
        assert np.abs(factor.solve(A @ X) - X).max() < 1e-11
    handle = pardiso.Pardiso(U, False)
    handle.analyse()
    handle.factorize()
    assert found.nnz < (1.05 if removed == 0.0 else 1.25) * handle.nnz


@needs_pardiso
def test_groups_of_unequal_size_are_not_used():
    assert factorization.grouped(upper_triangle(mesh(70, 6, 0.0))) is not None
    assert factorization.grouped(upper_triangle(mesh(90, 4, 0.15))) is None


@needs_pardiso
def test_large_shells_are_ordered_by_groups():
    """Counts of eigenvalues below shifts; those of the matrix are products of those of a mesh and of its blocks."""
    lines, columns = 120, 40
    B = np.eye(5) + 0.2 * np.eye(5, k=1) + 0.2 * np.eye(5, k=-1) + 0.1
    one, other = (
        sp.diags_array([2.0, -1.0, -1.0], offsets=[0, 1, -1], shape=(m, m)) for m in (lines, columns)
    )
    A = sp.csr_array(sp.kron(sp.kron(one, sp.eye_array(columns)) + sp.kron(sp.eye_array(lines), other), B))
    assert factorization.grouped(upper_triangle(A)) is not None
    c, d = (2.0 - 2.0 * np.cos(np.pi * np.arange(1, m + 1) / (m + 1)) for m in (lines, columns))
    values = np.sort(np.multiply.outer((c[:, None] + d).ravel(), np.linalg.eigvalsh(B)).ravel())
    for below in np.flatnonzero(np.diff(values) > 1e-6)[[0, 40, 500]] + 1:
        shift = 0.5 * (values[below - 1] + values[below])
        assert Factor(A - shift * sp.eye_array(A.shape[0]), backend="pardiso").n_negative == below
