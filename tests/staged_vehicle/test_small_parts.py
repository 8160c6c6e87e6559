"""Small parts of burning vehicles beside their definitions."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
import scipy.linalg as la

from interstage.staged_vehicle.basis_selection import Fill, ritz
from interstage.staged_vehicle.kernels import weigh


def test_integrals_between_levels_are_straight_lines_and_end_at_the_outer_levels():
    """Two tanks and one with a single level, below, at, between and above their levels: numpy's interpolation."""
    rng = np.random.default_rng(2)
    levels = [np.array([0.0, 3.0, 7.0]), np.array([5.0]), np.array([1.0, 2.0, 4.0, 8.0])]
    first = np.cumsum([0, *(len(one) for one in levels)])
    base, values = rng.normal(size=6), rng.normal(size=(first[-1], 6))
    for masses in (
        [-1.0, 5.0, 0.5],
        [0.0, 5.0, 1.0],
        [3.0, 9.0, 3.0],
        [5.5, 0.0, 4.0],
        [7.0, 5.0, 8.0],
        [7.5, 5.0, 9.0],
    ):
        wanted = base.copy()
        for k, mass in enumerate(masses):
            rows = values[first[k] : first[k + 1]]
            wanted += [np.interp(mass, levels[k], column) for column in rows.T]
        out = np.empty(6)
        weigh(base, first, np.concatenate(levels), values, np.array(masses), out)
        np.testing.assert_allclose(out, wanted, rtol=1e-13, atol=1e-13)


@pytest.mark.parametrize("stiffness", [1e-12, 1.0, 1e12, 1e20])
def test_trial_modes_do_not_depend_on_units(stiffness):
    """Frequencies of a chain of masses in any unit of stiffness: those of scipy, times its root."""
    rng = np.random.default_rng(5)
    A = rng.normal(size=(4, 4))
    G, K = A @ A.T + 4.0 * np.eye(4), np.diag([1.0, 2.0, 5.0, 9.0])
    hz = np.sqrt(stiffness * la.eigh(K, G, eigvals_only=True)) / (2.0 * np.pi)
    modes = SimpleNamespace(frequencies_hz=hz)
    found = ritz(Fill(1.0, {}, modes, 4, G, stiffness * K, np.zeros((6, 4)), np.eye(4)), slice(None))
    np.testing.assert_allclose(found.frequencies_hz, hz, rtol=1e-10)
