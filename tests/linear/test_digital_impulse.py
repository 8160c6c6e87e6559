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


@pytest.mark.parametrize("model", ["model", "frame"])
def test_runs_show_the_response_of_the_model(found, model):
    d = np.abs(impulse.difference_db(found.measured, getattr(found, model)))
    assert d[found.clear].max() < impulse.TOLERANCE


def test_the_model_of_a_frame_is_the_continuous_one_with_held_inputs(found):
    """Two ways to the same response, by exponentials of different matrices; dB where it is not near a zero."""
    d = np.abs(impulse.difference_db(found.frame, found.model))
    assert d[found.clear].max() < 1e-5
