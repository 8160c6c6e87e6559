"""Hard spectra: identical appendages, massless motions, soft mounts, ranges that begin or end on a mode."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import numpy as np
import pytest
import scipy.linalg as la
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from interstage.errors import SolverError
from interstage.fem import FEModel, normal_modes
from interstage.linalg import eigenmodes, slicing
from interstage.nastran import deck_from_text

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "benchmarks"))
import _eigen_models as models


def chain(n: int, free: bool, massless: bool) -> tuple[sp.csr_array, sp.csr_array]:
    """Unit masses and unit springs; with `massless` each spring is two in a row with a massless point between."""
    points = 2 * n if massless else n
    k = 2.0 if massless else 1.0
    main = np.full(points, 2.0 * k)
    main[-1] = k
    if free:
        main[0] = k
        if massless:  # the point before the first mass hangs loose: ground it instead of the mass
            main[0] = 2.0 * k
    K = sp.diags_array([main, -k * np.ones(points - 1), -k * np.ones(points - 1)], offsets=[0, 1, -1])
    mass = np.ones(points)
    if massless:
        mass[::2] = 0.0
    K, keep = sp.csr_array(K), np.ones(points, dtype=bool)
    if free and massless:
        keep[0] = False
        K = K.tolil()
        K[1, 1] -= k
        K = K.tocsr()
    return sp.csr_array(K[keep][:, keep]), sp.csr_array(sp.diags_array(mass[keep]))


def chain_values(n: int, free: bool) -> np.ndarray:
    j = np.arange(n)
    angle = np.pi * j / (2 * n) if free else np.pi * (2 * j + 1) / (2 * (2 * n + 1))
    return 4.0 * np.sin(angle) ** 2


def verify(result, K, M, exact, floor=1e-13):
    """Values, residuals, orthogonality and the proof of what is returned."""
    assert len(result.eigenvalues) == len(exact)
    scale = K.diagonal().max()
    assert np.all(np.abs(result.eigenvalues - exact) <= 1e-9 * np.abs(exact) + floor * scale)
    X = result.vectors
    assert np.abs(X.T @ (M @ X) - np.eye(len(exact))).max(initial=0.0) < 1e-9
    R = K @ X - (M @ X) * result.eigenvalues
    assert np.all(np.linalg.norm(R, axis=0) < 1e-6 * np.linalg.norm(K.diagonal()[:, None] * X, axis=0))
    assert result.sturm_checked


END = st.sampled_from(["none", "gap", "on", "below", "above", "tiny"])


@settings(max_examples=50, deadline=None, derandomize=True)
@given(
    copies=st.integers(9, 30),
    free=st.booleans(),
    massless=st.booleans(),
    soft=st.sampled_from([0.0, 0.0, 1e-7]),
    stiff=st.booleans(),
    low=END,
    high=END,
    start=st.integers(0, 6),
    width=st.integers(1, 4),
    count=st.sampled_from([None, 1, 7, 30]),
)
def test_ranges_and_numbers_on_clusters(copies, free, massless, soft, stiff, low, high, start, width, count):
    n = 36
    k, m = chain(n, free, massless)
    k = k + soft * m
    blocks_k, blocks_m = [k] * copies, [m] * copies
    exact = np.repeat(chain_values(n, free) + soft, copies)
    if stiff:
        extra = np.array([1e7, 1e8, 1e8])
        blocks_k.append(sp.diags_array(extra))
        blocks_m.append(sp.eye_array(3))
        exact = np.append(exact, extra)
    K, M = sp.csr_array(sp.block_diag(blocks_k)), sp.csr_array(sp.block_diag(blocks_m))
    levels = np.unique(np.round(exact, 14))
    f = np.sqrt(np.maximum(levels, 0.0)) / (2 * np.pi)
    ends = {
        "none": lambda i: None,
        "gap": lambda i: 0.5 * (f[i] + f[i + 1]),
        "on": lambda i: f[i + 1],
        "below": lambda i: f[i + 1] * (1 - 3e-7),
        "above": lambda i: f[i + 1] * (1 + 3e-7),
        "tiny": lambda i: 1e-5,
    }
    f_min, f_max = ends[low](start), ends[high](start + width)
    if f_max is None and count is None:
        count = 7
    if f_min is not None and f_max is not None and f_min > f_max:
        f_min = None
    lower = -1.0 if f_min is None else (2 * np.pi * f_min) ** 2 * (1 - 1e-9)
    upper = np.inf if f_max is None else (2 * np.pi * f_max) ** 2 * (1 + 1e-9)
    # rounding at a level that lies on the end itself must not decide
    expected = np.sort(exact[(exact >= lower * (1 - 1e-12)) & (exact <= upper * (1 + 1e-12))])[:count]
    result = eigenmodes(K, M, n_modes=count, f_min=f_min, f_max=f_max)
    verify(result, K, M, expected)


def matrices(text: str):
    """K and M of a deck with its constraints applied."""
    from interstage.fem.requests import modes_case
    from interstage.fem.solutions import reduced_for_modes

    fe = FEModel.from_deck(deck_from_text(text))
    reduced, _ = reduced_for_modes(fe, modes_case(fe))
    return sp.csr_array(reduced.K_aa), sp.csr_array(reduced.M_aa)


def dense(K, M) -> np.ndarray:
    """Eigenvalues of the pencil with its massless dofs condensed, by LAPACK."""
    K, d = K.toarray(), M.diagonal()
    assert M.nnz == np.count_nonzero(d)
    a, o = np.flatnonzero(d > 0), np.flatnonzero(d == 0)
    K_oo, K_oa = K[np.ix_(o, o)], K[np.ix_(o, a)]
    Kc = K[np.ix_(a, a)] - K_oa.T @ la.lstsq(K_oo, K_oa, cond=1e-14)[0]
    return la.eigh(0.5 * (Kc + Kc.T), np.diag(d[a]), eigvals_only=True)


def hz(values) -> np.ndarray:
    return np.sqrt(np.maximum(values, 0.0)) / (2 * np.pi)


@pytest.fixture(scope="module")
def free_plate():
    K, M = matrices(models.plate(15, 13))
    return K, M, dense(K, M)


@pytest.mark.parametrize("f_min", [1e-4, 3e-4, 1e-3, 3e-2, 1.0])
def test_range_that_begins_just_above_rigid_modes(free_plate, f_min):
    K, M, exact = free_plate
    result = eigenmodes(K, M, n_modes=5, f_min=f_min)
    verify(result, K, M, exact[6:11])
    assert result.frequencies_hz[0] > 20.0


@pytest.mark.parametrize("above", [1.0 + 1e-7, 1.0 + 1e-6, 1.001, 1.5])
def test_range_that_begins_just_above_soft_mounts(above):
    K, M = matrices(models.plate(15, 13, mount=10.0))
    exact = dense(K, M)
    lowest = eigenmodes(K, M, n_modes=6).frequencies_hz
    verify(eigenmodes(K, M, n_modes=5, f_min=float(lowest[5]) * above), K, M, exact[6:11])
    verify(
        eigenmodes(K, M, f_min=float(lowest[5]) * above, f_max=float(hz(exact[10])) * 1.0001),
        K,
        M,
        exact[6:11],
    )


@pytest.mark.parametrize("near", [-1e-6, -2e-10, 2e-10, 1e-6])
def test_range_that_begins_and_ends_next_to_a_mode(near):
    n = 400
    K, M = chain(n, False, False)
    exact = chain_values(n, False)
    f = hz(exact)
    first = 7 if near <= 0 or near < 1e-8 else 8
    last = 20 if near >= 0 or near > -1e-8 else 19
    verify(eigenmodes(K, M, f_min=f[7] * (1 + near), f_max=f[20] * (1 + near)), K, M, exact[first : last + 1])
    verify(eigenmodes(K, M, n_modes=3, f_min=f[7] * (1 + near)), K, M, exact[first : first + 3])


@pytest.mark.parametrize(("count", "n_modes"), [(60, 20), (30, 50), (30, 130), (12, 60)])
def test_identical_cantilevers_with_lumped_mass(count, n_modes):
    K, M = matrices(models.cantilevers(count, elements=6))
    one = dense(*matrices(models.cantilevers(1, elements=6)))
    exact = np.sort(np.tile(one, count))[:n_modes]
    result = eigenmodes(K, M, n_modes=n_modes)
    verify(result, K, M, exact)
    X = result.vectors
    assert np.allclose(np.einsum("ij,ij->j", X, K @ X), exact, rtol=1e-6)
    assert result.n_shifts <= 8


def test_identical_cantilevers_on_a_free_hub():
    K, M = matrices(models.cantilevers(24, elements=4, hub=True))
    exact = dense(K, M)
    verify(eigenmodes(K, M, n_modes=40), K, M, exact[:40])
    top = float(hz(0.5 * (exact[53] + exact[54])))
    inside = exact[: int((exact <= (2 * np.pi * top) ** 2).sum())]
    verify(eigenmodes(K, M, f_max=top), K, M, inside)


@pytest.mark.parametrize("way", [(1.0, 0.0, 0.0), (1.0, 2.0, 3.0)])
@pytest.mark.parametrize("n_modes", [10, 40])
def test_massless_spin_of_a_long_free_stick(way, n_modes):
    K, M = matrices(models.stick(1000, 60, way=way))
    result = eigenmodes(K, M, n_modes=n_modes)
    # the same stick with a tiny rotary inertia about all axes has a spin mode and the same bending
    small = sp.csr_array(sp.diags_array(np.where(M.diagonal() > 0, M.diagonal(), 1e-7)))
    spun = eigenmodes(K, small, n_modes=n_modes + 1)
    assert np.abs(result.frequencies_hz[:5]).max() < 0.01 < 0.1 < result.frequencies_hz[5]
    assert np.abs(spun.frequencies_hz[:6]).max() < 0.05
    assert np.allclose(result.frequencies_hz[5:], spun.frequencies_hz[6:], rtol=1e-4)
    assert len(result.massless) == 1 and result.sturm_checked
    assert result.notes == ["1 motion without stiffness and mass left out"]
    assert result.residuals.max() < 1e-5  # 8e-7 to 1.5e-6 by the kernels of the processor


def test_all_modes_of_a_stick_with_few_masses():
    K, M = matrices(models.stick(300, 12))
    result = eigenmodes(K, M, n_modes=60)
    # five rigid motions; 36 translations carry mass, none of the rotations
    assert len(result.eigenvalues) == 36 and result.sturm_checked


def test_twelve_decades_of_eigenvalues():
    K, M = matrices(models.layered(12))
    exact = dense(K, M)
    result = eigenmodes(K, M, n_modes=60)
    assert np.allclose(result.eigenvalues[6:], exact[6:60], rtol=1e-7)
    assert result.residuals.max() < 1e-4 and result.sturm_checked


def test_modes_of_a_bad_solve_are_an_error_not_a_result(monkeypatch):
    K, M = chain(400, False, True)
    honest = slicing.BlockLanczos.vectors

    def blurred(self, ritz, which):
        X = honest(self, ritz, which)
        return X + 0.3 * np.random.default_rng(1).standard_normal(X.shape)

    monkeypatch.setattr(slicing.BlockLanczos, "vectors", blurred)
    monkeypatch.setattr(slicing, "purified", lambda pencil, locked, X: (np.ones(X.shape[1]), X))
    with pytest.raises(SolverError):
        eigenmodes(K, M, n_modes=5)


def test_vectors_with_massless_garbage_are_purified(monkeypatch):
    K, M = chain(400, False, True)
    honest = slicing.BlockLanczos.vectors
    massless = (M.diagonal() == 0.0)[:, None]

    def dirty(self, ritz, which):
        X = honest(self, ritz, which)
        return X + 1e6 * massless * np.random.default_rng(1).standard_normal(X.shape)

    monkeypatch.setattr(slicing.BlockLanczos, "vectors", dirty)
    verify(eigenmodes(K, M, n_modes=12), K, M, chain_values(400, False)[:12])


def test_missed_modes_are_an_error(monkeypatch):
    # a run that never accepts one particular mode must not end with a passed check
    K, M = chain(400, False, False)
    accept = slicing.Slicer.accept

    def deaf(self, run, view, which):
        which = np.array(
            [i for i in which if abs(view.values[i] - chain_values(400, False)[3]) > 1e-9], dtype=int
        )
        accept(self, run, view, which)

    monkeypatch.setattr(slicing.Slicer, "accept", deaf)
    with pytest.raises(SolverError, match="Sturm count") as found:
        eigenmodes(K, M, n_modes=10)
    said = re.search(r"expected (\d+) eigenvalues up to ([\d.e-]+) Hz", str(found.value))
    exact = hz(chain_values(400, False))
    assert exact[int(said[1]) - 1] < float(said[2]) < exact[int(said[1])]


@pytest.mark.parametrize("free", [False, True])
@pytest.mark.parametrize("inside", [20, 95, 190])
def test_factorizations_by_range_and_by_number(free, inside):
    n = 1500
    K, M = chain(n, free, False)
    exact = chain_values(n, free)
    top = float(np.mean(hz(exact[inside - 1 : inside + 1])))
    by_range, by_count = eigenmodes(K, M, f_max=top), eigenmodes(K, M, n_modes=inside)
    verify(by_range, K, M, exact[:inside])
    verify(by_count, K, M, exact[:inside])
    allowed = 3 if inside < slicing.MODES_PER_SHIFT else 5
    assert by_count.n_shifts <= allowed
    assert by_range.n_shifts <= by_count.n_shifts + 1


def test_deck_with_an_upper_limit_costs_few_factorizations():
    fe = FEModel.from_deck(deck_from_text(models.plate(31, 29, request=",800.")))
    by_range = normal_modes(fe)
    by_count = normal_modes(fe, n_modes=len(by_range.frequencies_hz))
    assert len(by_range.frequencies_hz) > 50 and by_range.sturm_checked
    assert np.allclose(by_range.frequencies_hz[6:], by_count.frequencies_hz[6:], rtol=1e-9)
    assert by_range.n_factorizations <= by_count.n_factorizations + 1 <= 4


def test_evidence_tells_rounding_from_a_wrong_mode():
    from interstage.linalg.pencil import Pencil, evidence, orthogonality

    K, M = chain(50, False, False)
    pencil, exact = Pencil(K, M), chain_values(50, False)
    X = la.eigh(K.toarray())[1][:, :4]
    good = evidence(pencil, exact[:4], X)
    assert good.good.all() and good.relative.max() < 1e-10
    bad = evidence(pencil, exact[:4] * [1, 1, 1.01, 1], X)
    assert (~bad.good).tolist() == [False, False, True, False]
    assert orthogonality(pencil, X) < 1e-12 < 0.5 < orthogonality(pencil, X[:, [0, 0]])


@pytest.mark.parametrize("f_min", [5e4, 2e5, 1e9, 1e12])
@pytest.mark.parametrize("coupled", [False, True])
def test_range_that_begins_above_all_modes_is_empty(f_min, coupled):
    text = models.plate(9, 8)
    K, M = matrices(text.replace("BEGIN BULK", "BEGIN BULK\nPARAM,COUPMASS,1") if coupled else text)
    result = eigenmodes(K, M, n_modes=3, f_min=f_min)
    assert len(result.eigenvalues) == 0 and result.sturm_checked and result.n_shifts <= 3
