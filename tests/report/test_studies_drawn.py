"""Pictures and the page of a study."""

from __future__ import annotations

import copy
import warnings

import numpy as np
import pytest
from scipy import stats

import interstage as ist


def waves(row):
    """Return a history, its peak, and a failure where the amplitude is too large."""
    if row["amplitude"] > 1.9:
        raise ValueError("<b>too large</b>")
    return {"peak": row["amplitude"], "wave": row["amplitude"] * np.sin(T), "time of wave": T}


T = np.linspace(0.0, 6.0, 61)


@pytest.fixture(scope="module")
def study():
    return ist.monte_carlo(waves, {"amplitude": stats.uniform(1.0, 1.0)}, 200, workers=0)


def test_envelopes_hold_the_runs(study):
    axes = study.envelope("wave").axes[0]
    median = next(line for line in axes.lines if line.get_label() == "median")
    middle = np.nanmedian(study["peak"])
    # the median of a · sin t is that of a, times sin t
    assert np.asarray(median.get_ydata()) == pytest.approx(middle * np.sin(T), abs=1e-12)
    top = axes.lines[-1].get_ydata()
    assert np.asarray(top)[:31] == pytest.approx(np.nanmax(study["peak"]) * np.sin(T[:31]), abs=1e-12)


def test_scatter_and_histogram_show_every_run(study):
    points = study.scatter("amplitude", "peak").axes[0].lines[0]
    assert len(points.get_xdata()) == 200 - len(study.errors)
    assert sum(patch.get_height() for patch in study.histogram("peak").axes[0].patches) == 200 - len(
        study.errors
    )


def test_the_page_has_tables_pictures_and_failures(study, tmp_path):
    text = study.report(tmp_path / "page.html").read_text(encoding="utf-8")
    for words in ("Levels", "peak over amplitude", "Failed runs", "wave", study.digest, "99.865 %"):
        assert words in text
    assert "<b>too large</b>" not in text and "&lt;b&gt;too large" in text
    assert text.count("<svg") >= 3


def test_runs_without_a_time_of_their_own_have_no_mean_time(study, tmp_path):
    """Samples of a batch are flown together; numpy's warning of an empty mean would fail the test."""
    together = copy.copy(study)
    together.seconds = np.full(200, np.nan)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        text = together.report(tmp_path / "page.html").read_text(encoding="utf-8")
    assert "Mean run" not in text
    assert "Mean run" in study.report(tmp_path / "timed.html").read_text(encoding="utf-8")


def test_what_cannot_be_drawn_is_refused(study):
    with pytest.raises(ist.InterstageError, match="'peak' is no history"):
        study.envelope("peak")
    with pytest.raises(ist.InterstageError, match="'wave' is not one number"):
        study.scatter("amplitude", "wave")


@pytest.mark.parametrize("value", [0.0, 3e-9, -2.0, 1e20])
def test_the_bar_of_a_constant_output_stands_at_its_value(value):
    """One bar of all runs around the value, a tenth of it wide; rounding makes no second one."""
    rounding = np.array([1.0, 1.0 + 2e-16, 1.0 - 1e-16])
    study = ist.monte_carlo(
        lambda row: {"y": value * rounding[row.number % 3]}, {"a": stats.norm()}, 9, workers=0
    )
    (bar,) = study.histogram("y").axes[0].patches
    assert bar.get_height() == 9
    assert bar.get_x() + 0.5 * bar.get_width() == pytest.approx(value, rel=1e-12)
    assert bar.get_width() == pytest.approx(0.1 * abs(value) or 1.0, rel=1e-9)


def test_one_far_run_does_not_make_bars_without_number():
    values = np.append(1.0 + 1e-9 * np.arange(99), 1e6)
    study = ist.monte_carlo(lambda row: {"y": values[row.number]}, {"a": stats.norm()}, 100, workers=0)
    bars = study.histogram("y").axes[0].patches
    assert len(bars) <= 200 and sum(bar.get_height() for bar in bars) == 100
