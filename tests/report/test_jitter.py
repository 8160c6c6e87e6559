"""Measures of pointing: known waves have known root mean squares, spectra and settling times."""

import numpy as np
import pytest

from interstage.errors import InputError
from interstage.report.plots import cumulative_spectrum, settling_time, windowed_rms

T = np.arange(2000) * 0.01


def test_rms_of_windows_of_a_wave_is_that_of_the_wave():
    y = np.column_stack([3.0 * np.sin(2 * np.pi * T), 4.0 * np.cos(2 * np.pi * T)])
    ends, rms = windowed_rms(T, y, 5.0)
    np.testing.assert_allclose(ends, [5.0, 10.0, 15.0, 20.0])
    np.testing.assert_allclose(rms, np.sqrt(12.5), rtol=1e-12)


@pytest.mark.parametrize("rows", [2000, 1999])
def test_a_cumulative_spectrum_ends_with_the_rms_of_all(rows):
    y = np.random.default_rng(1).standard_normal((rows, 2)) + [1.0, -2.0]
    _, rms = cumulative_spectrum(T[:rows], y)
    assert rms[-1] == pytest.approx(np.sqrt(((y - y.mean(axis=0)) ** 2).sum(axis=1).mean()), rel=1e-12)


def test_a_cumulative_spectrum_rises_at_each_line():
    y = 2.0 * np.sin(2 * np.pi * 3.0 * T) + 1.0 * np.sin(2 * np.pi * 8.0 * T) + 5.0
    f, rms = cumulative_spectrum(T, y)
    assert rms[f < 2.9].max() < 1e-12
    np.testing.assert_allclose(rms[(f > 3.1) & (f < 7.9)], np.sqrt(2.0), rtol=1e-12)
    np.testing.assert_allclose(rms[f > 8.1], np.sqrt(2.5), rtol=1e-12)


def test_settling_of_a_decay():
    """exp(-t/2) is within a limit from t = -2 ln(limit) on; a later kick counts."""
    y = np.exp(-T / 2.0)
    assert settling_time(T, y, within=0.1, lasting=5.0) == pytest.approx(-2.0 * np.log(0.1), abs=0.01)
    y[1000] = 1.0
    assert settling_time(T, y, within=0.1, lasting=8.0) == pytest.approx(10.01)
    assert settling_time(T, y, within=0.1, lasting=50.0) == np.inf


def test_histories_that_are_none_are_refused_in_words():
    with pytest.raises(InputError, match="equally far apart"):
        windowed_rms([0.0, 1.0, 3.0], [1.0, 1.0, 1.0], 1.0)
    with pytest.raises(InputError, match="a row of values"):
        cumulative_spectrum([0.0, 1.0], [1.0])
    with pytest.raises(InputError, match="not longer"):
        windowed_rms([0.0, 1.0], [1.0, 1.0], 5.0)
