"""Pictures and the page of a study."""

from __future__ import annotations

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


def test_what_cannot_be_drawn_is_refused(study):
    with pytest.raises(ist.InterstageError, match="'peak' is no history"):
        study.envelope("peak")
    with pytest.raises(ist.InterstageError, match="'wave' is not one number"):
        study.scatter("amplitude", "wave")
