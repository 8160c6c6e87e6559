"""Normal modes of small structures whose eigenvalues are known in closed form."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.linalg as la
import scipy.sparse as sp

from interstage.errors import InputError, ModelError
from interstage.linalg import eigen
from interstage.linalg.eigen import eigenmodes


@pytest.fixture(params=["dense", "lanczos"])
def path(request, monkeypatch):
    """Run a test with the dense solver and with Lanczos."""
    monkeypatch.setattr(eigen, "DENSE_SIZE", 10_000 if request.param == "dense" else 0)
    return request.param


def spring_chain(n: int, free: bool) -> sp.csr_array:
    """Unit springs between n unit masses, the first one grounded unless free; λ is known in closed form."""
    main = np.full(n, 2.0)
    main[-1] = 1.0
    if free:
        main[0] = 1.0
    return sp.csr_array(sp.diags_array([main, -np.ones(n - 1), -np.ones(n - 1)], offsets=[0, 1, -1]))


def chain_values(n: int, free: bool) -> np.ndarray:
    j = np.arange(n)
    angle = np.pi * j / (2 * n) if free else np.pi * (2 * j + 1) / (2 * (2 * n + 1))
    return 4.0 * np.sin(angle) ** 2


def torus(n: int) -> tuple[sp.csr_array, np.ndarray]:
    """Springs on an n x n grid with periodic edges: eigenvalues have multiplicities up to eight."""
    ring = sp.diags_array([2.0, -1.0, -1.0, -1.0, -1.0], offsets=[0, 1, -1, n - 1, 1 - n], shape=(n, n))
    K = sp.kron(ring, sp.eye_array(n)) + sp.kron(sp.eye_array(n), ring)
    one = 2.0 - 2.0 * np.cos(2.0 * np.pi * np.arange(n) / n)
    return sp.csr_array(K), np.sort((one[:, None] + one[None, :]).ravel())


def check(result, K, M, exact, tolerance=1e-11):
    scale = np.abs(exact).max()
    assert len(result.eigenvalues) == len(exact)
    flexible = np.abs(exact) > 1e-9 * scale
    relative = np.abs(result.eigenvalues - exact)[flexible] / np.abs(exact)[flexible]
    assert relative.max(initial=0.0) < tolerance
    assert np.abs(result.eigenvalues[~flexible]).max(initial=0.0) < 1e-12 * K.diagonal().max()
    X = result.vectors
    assert np.abs(X.T @ (M @ X) - np.eye(len(exact))).max() < 1e-9
    assert result.residuals.max() < 1e-6
    assert result.sturm_checked
    assert (X.max(axis=0) > 0.99999 * np.abs(X).max(axis=0)).all()


@pytest.mark.parametrize("free", [False, True])
def test_chain_of_springs(path, free):
    n = 400
    K, M = spring_chain(n, free), sp.eye_array(n, format="csr")
    # cond(K) is 1e5: eigenvalues carry eps * 4 / λ of it
    check(eigenmodes(K, M, n_modes=25), K, M, chain_values(n, free)[:25], 1e-10)


def test_high_multiplicity_of_identical_oscillators(path):
    # twelve identical chains without connection: every eigenvalue twelve times
    n, copies = 60, 12
    K = sp.csr_array(sp.block_diag([spring_chain(n, False)] * copies))
    M = sp.eye_array(n * copies, format="csr")
    exact = np.repeat(chain_values(n, False), copies)[:30]
    check(eigenmodes(K, M, n_modes=30), K, M, exact)


def test_periodic_grid_has_all_its_repeated_modes(path):
    K, exact = torus(22)
    M = sp.eye_array(K.shape[0], format="csr")
    # one rigid mode, then fours and eights; 41 cuts none of them
    check(eigenmodes(K, M, n_modes=41), K, M, exact[:41], 1e-11)


def test_disconnected_free_structures_have_more_than_six_rigid_modes(path):
    n, copies = 50, 11
    K = sp.csr_array(sp.block_diag([spring_chain(n, True)] * copies))
    M = sp.eye_array(n * copies, format="csr")
    exact = np.sort(np.tile(chain_values(n, True), copies))[:33]
    result = eigenmodes(K, M, n_modes=33)
    check(result, K, M, exact)
    assert (np.abs(result.eigenvalues[:copies]) < 1e-13).all()


def beam(elements: int, lumped: bool) -> tuple[sp.csr_array, sp.csr_array]:
    """Free-free Euler beam (w, θ per node); lumped: rotations without mass."""
    h = 1.0 / elements
    k = (
        np.array(
            [[12, 6 * h, -12, 6 * h], [6 * h, 4 * h * h, -6 * h, 2 * h * h]]
            + [[-12, -6 * h, 12, -6 * h], [6 * h, 2 * h * h, -6 * h, 4 * h * h]]
        )
        / h**3
    )
    m = np.diag([h / 2, 0, h / 2, 0]) if lumped else None
    if m is None:
        m = (
            h
            / 420
            * np.array(
                [[156, 22 * h, 54, -13 * h], [22 * h, 4 * h * h, 13 * h, -3 * h * h]]
                + [[54, 13 * h, 156, -22 * h], [-13 * h, -3 * h * h, -22 * h, 4 * h * h]]
            )
        )
    n = 2 * (elements + 1)
    K, M = np.zeros((n, n)), np.zeros((n, n))
    for e in range(elements):
        s = slice(2 * e, 2 * e + 4)
        K[s, s] += k
        M[s, s] += m
    return sp.csr_array(K), sp.csr_array(M)


def test_free_beam_with_massless_rotations(path):
    K, M = beam(40, lumped=True)
    result = eigenmodes(K, M, n_modes=8)
    # free-free beam: (βL) = 4.7300407, 7.8532046, ...; lumping errs by O(h²)
    exact = np.array([4.730040744862704, 7.853204624095838, 10.995607838001671]) ** 4
    assert np.abs(result.eigenvalues[:2]).max() < 1e-6
    assert np.allclose(result.eigenvalues[2:5], exact, rtol=1e-2)
    # the condensed dense problem is an independent solution
    w, r = np.arange(0, 82, 2), np.arange(1, 82, 2)
    Kd = K.toarray()
    Kc = Kd[np.ix_(w, w)] - Kd[np.ix_(w, r)] @ la.solve(Kd[np.ix_(r, r)], Kd[np.ix_(r, w)])
    reference = la.eigh(Kc, M.toarray()[np.ix_(w, w)], eigvals_only=True)
    assert np.allclose(result.eigenvalues[2:], reference[2:8], rtol=1e-6)
    assert result.residuals.max() < 1e-5


def test_all_modes_of_a_stiff_small_system_keep_their_digits():
    # eigenvalues from 1 to 1e14 in one matrix: the spread a stiff joint makes
    exact = np.logspace(0, 14, 15)
    result = eigenmodes(np.diag(exact), np.eye(15), n_modes=15)
    assert np.allclose(result.eigenvalues, exact, rtol=1e-13)


def test_motion_without_stiffness_and_mass_is_left_out(path):
    # A massless pendulum link: dofs 3 and 4 move together freely, and dof 5 is not connected at all.
    n = 30
    K = sp.lil_array((n + 3, n + 3))
    K[:n, :n] = spring_chain(n, False)
    K[n, n] = K[n + 1, n + 1] = 7.0
    K[n, n + 1] = K[n + 1, n] = -7.0
    M = sp.diags_array(np.concatenate([np.ones(n), np.zeros(3)])).tocsr()
    result = eigenmodes(K.tocsr(), M, n_modes=5)
    assert np.allclose(result.eigenvalues, chain_values(n, False)[:5], rtol=1e-11)
    assert np.abs(result.vectors[n:]).max() < 1e-9
    assert len(result.massless) == 1


def test_frequency_range_and_count_follow_eigrl(path):
    n = 400
    K, M = spring_chain(n, False), sp.eye_array(n, format="csr")
    exact = chain_values(n, False)
    hz = np.sqrt(exact) / (2 * np.pi)
    middle = 0.5 * (hz[:-1] + hz[1:])
    inside = eigenmodes(K, M, f_min=middle[49], f_max=middle[69])
    assert np.allclose(inside.eigenvalues, exact[50:70], rtol=1e-9) and inside.sturm_checked
    assert np.allclose(eigenmodes(K, M, f_max=middle[19]).eigenvalues, exact[:20], rtol=1e-9)
    counted = eigenmodes(K, M, n_modes=3, f_min=middle[49], f_max=middle[69])
    assert np.allclose(counted.eigenvalues, exact[50:53], rtol=1e-9)
    assert np.allclose(eigenmodes(K, M, n_modes=2, f_min=middle[9]).eigenvalues, exact[10:12], rtol=1e-9)
    assert np.allclose(eigenmodes(K, M).eigenvalues, exact[:1], rtol=1e-9)
    assert len(eigenmodes(K, M, f_min=1.01 * hz[4], f_max=0.99 * hz[5]).eigenvalues) == 0
    # both ends belong to the range
    ends = eigenmodes(K, M, f_min=hz[7], f_max=hz[9])
    assert np.allclose(ends.eigenvalues, exact[7:10], rtol=1e-9)


def test_many_modes_take_several_shifts(monkeypatch):
    monkeypatch.setattr(eigen, "DENSE_SIZE", 0)
    K, exact = torus(30)
    M = sp.eye_array(K.shape[0], format="csr")
    result = eigenmodes(K, M, n_modes=333)
    check(result, K, M, exact[:333], 1e-10)
    assert result.n_shifts > 3


def test_result_is_repeatable_and_normalization_is_a_choice():
    K, M = beam(30, lumped=False)
    one, two = eigenmodes(K, M, n_modes=6), eigenmodes(K, M, n_modes=6)
    assert np.array_equal(one.vectors, two.vectors)
    largest = eigenmodes(K, M, n_modes=6, norm="max").vectors
    assert np.allclose(np.abs(largest).max(axis=0), 1.0)


def test_superlu_finds_the_same_modes(monkeypatch):
    monkeypatch.setattr(eigen, "DENSE_SIZE", 0)
    monkeypatch.setenv("INTERSTAGE_SOLVER", "superlu")
    K, exact = torus(22)
    M = sp.eye_array(K.shape[0], format="csr")
    check(eigenmodes(K, M, n_modes=41), K, M, exact[:41])


def test_bad_input_is_named():
    with pytest.raises(ModelError, match="no mass"):
        eigenmodes(np.eye(3), np.zeros((3, 3)), n_modes=1)
    with pytest.raises(InputError, match="range is empty"):
        eigenmodes(np.eye(3), np.eye(3), f_min=10.0, f_max=5.0)
    with pytest.raises(InputError, match="not finite"):
        eigenmodes(np.diag([1.0, np.nan]), np.eye(2), n_modes=1)
    with pytest.raises(InputError, match="one size"):
        eigenmodes(np.eye(3), np.eye(2), n_modes=1)
