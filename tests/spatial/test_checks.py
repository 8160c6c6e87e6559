"""Whether all numbers of an array are finite, large ones and none too."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from interstage.spatial.checks import all_finite

BAD = (np.nan, np.inf, -np.inf)


@pytest.mark.parametrize("value", [0.0, 1e200, -1e308, 5e-324, 1e200j, *BAD, complex(0.0, np.inf)])
@pytest.mark.parametrize("shape", [(3,), (2, 3), (3, 2)])
def test_one_number_among_others(value, shape):
    a = np.ones(shape, complex if isinstance(value, complex) else float)
    a.flat[-1] = value
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert all_finite(a) == bool(np.isfinite(value))
        assert all_finite(a.T) == bool(np.isfinite(value))


def test_nothing_is_finite():
    assert all_finite(np.zeros(0)) and all_finite(np.zeros((0, 4)))
