"""Frequency response from digital impulses in a nonlinear closed loop is that of the linear models."""

from __future__ import annotations

import numpy as np
import pytest

from validation import digital_impulse as impulse
from validation import launch_vehicle_fe as beam


@pytest.fixture(scope="module")
def found():
    """Six modes up to 5 Hz; RK4 at 1 ms: (ωh)⁴/120 = 1.3e-6 of the frequency of the servo."""
    return impulse.run(beam.component(impulse.DAMPING, n_modes=6), step="1 ms")


def test_most_of_the_response_is_above_its_floor(found):
    assert found.clear.mean() > 0.9


@pytest.mark.parametrize(("model", "limit"), [("model", impulse.TOLERANCE), ("frame", impulse.FRAME)])
def test_runs_show_the_response_of_the_model(found, model, limit):
    d = np.abs(impulse.difference_db(found.measured, getattr(found, model)))
    assert d[found.clear].max() < limit
