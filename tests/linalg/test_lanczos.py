"""The Lanczos recurrence holds at the shift that a run began at and at the one it was moved to."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from interstage.linalg import eigenmodes
from interstage.linalg.factor import Factor
from interstage.linalg.lanczos import BlockLanczos
from interstage.linalg.pencil import Pencil


def membrane(nx: int, ny: int) -> tuple[sp.csr_array, sp.csr_array, np.ndarray]:
    """Springs between unit masses on a grid with fixed edges, its masses doubled; all eigenvalues in closed form."""

    def line(n):
        return sp.diags_array([2.0, -1.0, -1.0], offsets=[0, 1, -1], shape=(n, n))

    def values(n):
        return 2.0 - 2.0 * np.cos(np.pi * np.arange(1, n + 1) / (n + 1))

    K = sp.kron(line(nx), sp.eye_array(ny)) + sp.kron(sp.eye_array(nx), line(ny))
    exact = np.sort((values(nx)[:, None] + values(ny)[None, :]).ravel()) / 2.0
    return sp.csr_array(K), sp.csr_array(2.0 * sp.eye_array(nx * ny)), exact


def error_of_the_recurrence(run: BlockLanczos, factor: Factor, M) -> float:
    """Largest entry of OP Q - Q T - Q⁺ R over that of OP Q."""
    m = run.m
    Q, R = run.Q[:, :m], np.zeros((run.next.shape[1], m))
    R[:, m - run.last :] = run.R
    applied = factor.solve(M @ Q)
    return np.abs(applied - Q @ run.T[:m, :m] - run.next @ R).max() / np.abs(applied).max()


@pytest.mark.parametrize("locked", [0, 3])
def test_a_run_goes_on_at_another_shift_with_its_whole_basis(locked):
    K, M, exact = membrane(31, 24)
    low, high = -0.001, 0.5 * (exact[9] + exact[10])
    known = eigenmodes(K, M, 10).vectors[:, :locked]
    first = Factor(K - low * M)
    run = BlockLanczos(first.solve, M, known, 5, 100, 1)
    for _ in range(4):
        run.step()
    assert error_of_the_recurrence(run, first, M) < 1e-10
    second = Factor(K - high * M)
    run.move(second.solve, high - low)
    assert error_of_the_recurrence(run, second, M) < 1e-10
    for _ in range(8):
        run.step()
    assert error_of_the_recurrence(run, second, M) < 1e-10
    basis = np.hstack([known, run.Q[:, : run.m], run.next])
    assert np.abs(basis.T @ (M @ basis) - np.eye(basis.shape[1])).max() < 1e-9
    ritz = run.ritz()
    near = np.sort(high + 1.0 / ritz.theta[ritz.converged])
    assert len(near) >= 8
    assert np.abs(near[:, None] - exact).min(axis=1).max() < 1e-10


@pytest.fixture
def moves(monkeypatch) -> list[float]:
    """Steps by which runs were moved."""
    taken, move = [], BlockLanczos.move

    def watched(self, solve, step):
        taken.append(step)
        move(self, solve, step)

    monkeypatch.setattr(BlockLanczos, "move", watched)
    return taken


def test_the_count_made_during_the_run_is_the_proof(moves):
    K, M, exact = membrane(97, 64)
    result = eigenmodes(K, M, 25)
    assert len(moves) == 1
    assert exact[24] < moves[0] < exact[40]
    assert (result.n_shifts, result.sturm_checked) == (2, True)
    assert np.abs(result.eigenvalues / exact[:25] - 1.0).max() < 1e-11
    assert result.residuals.max() < 1e-6


def test_pivots_that_cannot_be_counted_send_the_run_back(moves, monkeypatch):
    K, M, exact = membrane(97, 64)
    counted, counts = Pencil.counted, []

    def second_fails(self, factor):
        counts.append(self.sigma)
        return None if len(counts) == 2 else counted(self, factor)

    monkeypatch.setattr(Pencil, "counted", second_fails)
    result = eigenmodes(K, M, 25)
    assert (moves, counts[0] == counts[2]) == ([], True)
    assert (result.n_shifts, result.sturm_checked) == (4, True)
    assert np.abs(result.eigenvalues / exact[:25] - 1.0).max() < 1e-11
