"""Sparse factors: solutions, inertia, pivots and messages, with both backends."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from interstage.errors import InputError, SolverError
from interstage.linalg import factor, pardiso
from interstage.linalg.factor import Factor, NotPositiveDefinite, upper_triangle

BACKENDS = ["superlu"] + (["pardiso"] if pardiso.available() else [])


def laplacian(n: int) -> sp.csr_array:
    """Five-point operator on an n x n grid; eigenvalues 4 - 2 cos(iπ/(n+1)) - 2 cos(jπ/(n+1))."""
    one = sp.diags_array([2.0, -1.0, -1.0], offsets=[0, 1, -1], shape=(n, n))
    return sp.csr_array(sp.kron(one, sp.eye_array(n)) + sp.kron(sp.eye_array(n), one))


def laplacian_values(n: int) -> np.ndarray:
    c = 2.0 * np.cos(np.pi * np.arange(1, n + 1) / (n + 1))
    return np.sort((4.0 - c[:, None] - c[None, :]).ravel())


@pytest.mark.parametrize("backend", BACKENDS)
def test_solves_many_right_hand_sides(backend):
    A = laplacian(30)
    X = np.random.default_rng(1).standard_normal((900, 5))
    for definite in (True, False):
        f = Factor(A, definite=definite, backend=backend)
        assert np.abs(f.solve(A @ X) - X).max() < 1e-11
        assert f.solve(A @ X[:, 0]).shape == (900,)
        assert f.n == 900 and f.nnz > A.nnz // 2 and f.memory > 0 and f.seconds > 0.0


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("below", [0, 1, 3, 17, 200, 899])
def test_inertia_counts_eigenvalues_below_a_shift(backend, below):
    values = laplacian_values(30)
    shift = values[0] - 0.1 if below == 0 else 0.5 * (values[below - 1] + values[below])
    if below and values[below] - values[below - 1] < 1e-9:
        shift = values[below - 1] + 1e-6
        below = int((values < shift).sum())
    f = Factor(laplacian(30) - shift * sp.eye_array(900), backend=backend)
    assert f.n_negative in (below, None if backend == "superlu" else below)
    if f.n_negative is not None:
        assert f.n_positive == 900 - below


@pytest.mark.parametrize("backend", BACKENDS)
def test_badly_scaled_matrix_keeps_its_digits(backend):
    # stiffness in N/m beside N m/rad: eleven orders of magnitude in one matrix
    d = np.where(np.arange(900) % 2 == 0, 1e6, 10.0**-5)
    A = sp.diags_array(d) @ laplacian(30) @ sp.diags_array(d)
    x = 1.0 / d
    f = Factor(A, backend=backend)
    assert np.abs(f.solve(A @ x) * d - 1.0).max() < 1e-10
    assert f.n_negative == 0


@pytest.mark.parametrize("backend", BACKENDS)
def test_factor_that_grows_gives_solutions_to_the_digits_of_its_matrix(backend):
    # diagonal 1e-5 beside -1: without exchange of rows the factor grows, and loses five digits more than the condition
    A = laplacian(20) - (4.0 - 1e-5) * sp.eye_array(400)
    condition = (
        np.abs(laplacian_values(20) - 4.0 + 1e-5).max() / np.abs(laplacian_values(20) - 4.0 + 1e-5).min()
    )
    X = np.random.default_rng(3).standard_normal((400, 3))
    f = Factor(A, backend=backend)
    assert np.abs(f.solve(A @ X) - X).max() < 10.0 * condition * np.finfo(float).eps
    f.refactor(laplacian(20))  # which does not grow
    assert np.abs(f.solve(laplacian(20) @ X) - X).max() < 1e-12


@pytest.mark.parametrize("backend", BACKENDS)
def test_new_values_on_the_same_pattern(backend):
    A = laplacian(20)
    f = Factor(A, backend=backend)
    f.refactor(A + 3.0 * sp.eye_array(400))
    b = np.ones(400)
    assert np.allclose((A + 3.0 * sp.eye_array(400)) @ f.solve(b), b, atol=1e-12)


@pytest.mark.parametrize("backend", BACKENDS)
def test_pivots_of_a_cholesky_factor(backend):
    A = laplacian(12)
    pivots = Factor(A, definite=True, backend=backend).pivots() * A.diagonal()
    _, logdet = np.linalg.slogdet(A.toarray())
    assert (pivots > 0).all() and np.isclose(np.log(pivots).sum(), logdet, rtol=1e-12)
    # a grounded chain with one spring a million times softer: its outer end shows in the pivots
    chain = np.diag([2.0, 1.0 + 1e-6, 1e-6]) - np.diag([1.0, 1e-6], 1) - np.diag([1.0, 1e-6], -1)
    assert Factor(sp.csr_array(chain), definite=True, backend=backend).pivots().min() < 1.0


@pytest.mark.parametrize("backend", BACKENDS)
def test_indefinite_matrix_is_refused_as_definite(backend):
    with pytest.raises(NotPositiveDefinite):
        Factor(laplacian(10) - 4.0001 * sp.eye_array(100), definite=True, backend=backend)


def test_missing_diagonal_entries_are_stored():
    A = sp.csr_array(np.array([[0.0, 2.0, 0.0], [2.0, 0.0, 0.0], [0.0, 0.0, 5.0]]))
    U = upper_triangle(A)
    assert U.nnz == 4 and np.array_equal(U.toarray(), np.triu(A.toarray()))
    for backend in BACKENDS:
        f = Factor(A, backend=backend)
        assert np.allclose(f.solve(np.array([2.0, 4.0, 5.0])), [2.0, 1.0, 1.0])
        assert f.n_negative in (1, None)


def test_solver_is_chosen_by_environment(monkeypatch):
    monkeypatch.setenv("INTERSTAGE_SOLVER", "superlu")
    assert factor.backend_name() == "superlu"
    monkeypatch.setenv("INTERSTAGE_SOLVER", "magic")
    with pytest.raises(InputError, match="known: pardiso, superlu"):
        factor.backend_name()
    monkeypatch.setenv("INTERSTAGE_SOLVER", "pardiso")
    monkeypatch.setattr(pardiso, "available", lambda: False)
    with pytest.raises(SolverError, match="install pypardiso"):
        factor.backend_name()
    monkeypatch.delenv("INTERSTAGE_SOLVER")
    assert factor.backend_name() == "superlu"


def test_mkl_is_found_where_its_wheel_leaves_it(tmp_path, monkeypatch):
    (tmp_path / "lib").mkdir()
    for name in ("libmkl_rt.so", "libmkl_rt.so.3"):
        (tmp_path / "lib" / name).touch()

    def load(path: str) -> str:
        if path.endswith(".so"):
            raise OSError("a stub for linking")
        return path

    monkeypatch.setattr(pardiso.ctypes, "CDLL", load)
    monkeypatch.setattr(pardiso.importlib.util, "find_spec", lambda name: name)
    monkeypatch.setattr(pardiso.sys, "prefix", str(tmp_path))
    monkeypatch.delenv("PYPARDISO_MKL_RT", raising=False)
    assert pardiso.beside_python() == str(tmp_path / "lib" / "libmkl_rt.so.3")
    monkeypatch.setenv("PYPARDISO_MKL_RT", "/opt/mkl_rt")
    assert pardiso.beside_python() == "/opt/mkl_rt"
    monkeypatch.setattr(pardiso.importlib.util, "find_spec", lambda name: None)
    assert pardiso.beside_python() is None


def test_too_large_a_factor_is_refused_before_it_is_made(monkeypatch):
    monkeypatch.setattr(factor, "available_memory", lambda: 1000)
    with pytest.raises(SolverError, match="of memory"):
        factor.check_memory(10**9, 500)
