"""Shock response spectra against closed forms."""

from __future__ import annotations

import numpy as np
import pytest
from test_response import MASS, PULSE, STEPS, model

import interstage as ist
from interstage.errors import InputError
from interstage.fem import shock_spectrum


def test_a_step_and_a_short_pulse():
    """A step of the base doubles itself on an undamped oscillator; a short pulse gives 2πf times its area."""
    f = np.array([5.0, 20.0])
    t = np.linspace(0.0, 1.0, 4001)
    damping = np.exp(-np.pi / np.sqrt(4 * 50.0**2 - 1))  # of half a period at Q = 50
    np.testing.assert_allclose(shock_spectrum(t, np.ones(4001), f, q=50.0), 1.0 + damping, rtol=2e-3)
    pulse = np.where(t <= 0.001, 1.0, 0.0)
    area = np.trapezoid(pulse, t)
    np.testing.assert_allclose(shock_spectrum(t, pulse, f, q=1e6), 2 * np.pi * f * area, rtol=5e-3)


def test_what_rings_after_the_history_counts():
    """A half sine of 11 ms, Q = 10, ends before an oscillator of 10 Hz peaks; one of 2000 Hz follows the base."""
    t = np.linspace(0.0, 0.011, 2201)
    a = 50.0 * np.sin(np.pi * t / 0.011)
    low, high = shock_spectrum(t, a, [10.0, 2000.0])
    longer = np.concatenate([t, 0.011 + np.arange(1, 20001) * 5e-6])
    assert low == pytest.approx(
        shock_spectrum(longer, np.interp(longer, t, a, right=0.0), [10.0])[0], rel=1e-4
    )
    assert high == pytest.approx(50.0, rel=0.01)


def test_of_a_time_response():
    found = ist.transient_response(model(MASS + PULSE + STEPS.format(400, 0.0025), 112, modes=1))
    ours = found.shock_spectrum(1, 1, [2.0, 8.0])
    np.testing.assert_allclose(ours, shock_spectrum(found.time, found.acceleration[0], [2.0, 8.0]))
    with pytest.raises(InputError, match="has no component 2"):
        found.shock_spectrum(1, 2, [2.0])
    for t, a, f, q in (
        ([0.0], [0.0], 1.0, 10.0),
        ([0.0, 1.0], [0.0, 1.0], 0.0, 10.0),
        ([0.0, 1.0], [0.0, 1.0], 1.0, 0.3),
    ):
        with pytest.raises(InputError):
            shock_spectrum(t, a, f, q=q)
