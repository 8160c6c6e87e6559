"""Derivatives: known errors of differences, extrapolation, complex steps."""

from __future__ import annotations

import numpy as np
import pytest

import interstage as ist
from interstage.linear.differences import Scheme, jacobian


def wave(x):
    return np.array([np.exp(x[0]) * np.sin(x[1]), x[0] ** 3 / (1.0 + x[1] ** 2)])


X = np.array([0.7, 0.4])
EXACT = np.array(
    [
        [np.exp(0.7) * np.sin(0.4), np.exp(0.7) * np.cos(0.4)],
        [3 * 0.49 / 1.16, -0.343 * 0.8 / 1.16**2],
    ]
)


def test_complex_steps_are_exact():
    J, error = jacobian(wave, X)
    assert np.abs(J - EXACT).max() < 1e-15 and np.isnan(error).all()


def test_errors_fall_with_the_order_of_the_method():
    """h² f'''/6 for two points, h⁴ f⁽⁵⁾/30 for four: of eˣ, all derivatives are eˣ."""
    for method, order, constant in (("central-2", 2, 1 / 6), ("central-4", 4, -1 / 30)):
        for h in (0.1, 0.05):
            J, _ = jacobian(np.exp, np.array([1.0]), method, step=h)
            assert J[0, 0] / np.e - 1.0 == pytest.approx(constant * h**order, rel=0.02)


@pytest.mark.parametrize("method", ["central-2", "central-4"])
def test_extrapolation_reaches_its_tolerance_and_knows_its_error(method):
    for rtol in (1e-4, 1e-8, 1e-12):
        J, error = jacobian(wave, X, method, richardson=True, rtol=rtol)
        assert np.abs(J - EXACT).max() <= max(error.max(), 1e-14)
        assert np.abs(J - EXACT).max() <= max(10 * rtol, 1e-13)


def test_scale_makes_steps_fit_the_variable():
    """A variable of the size 1e-6 needs a step of its own size."""

    def f(x):
        return np.sin(1e6 * x)

    good, _ = jacobian(f, np.array([3e-7]), "central-2", scale=1e-6)
    bad, _ = jacobian(f, np.array([3e-7]), "central-2")
    exact = 1e6 * np.cos(0.3)
    assert abs(good[0, 0] / exact - 1) < 1e-9 < 1e-3 < abs(bad[0, 0] / exact - 1)


def test_bad_schemes_are_refused():
    for bad, words in (
        ({"method": "forward"}, "complex-step, central-2"),
        ({"step": -1.0}, "positive"),
        ({"rtol": 2.0}, "between"),
        ({"richardson": True}, "nothing to extrapolate"),
    ):
        with pytest.raises(ist.InterstageError, match=words):
            Scheme(**bad)
