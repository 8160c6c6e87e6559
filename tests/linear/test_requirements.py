"""Requirements on loops against closed forms: margins, gain- and phase-stabilized modes, confidence of studies."""

from __future__ import annotations

import json

import numpy as np
import pytest
import scipy

import interstage as ist
from interstage.errors import InputError
from interstage.linear.requirements import least_proportion


def three_lags(k):
    """k/(s(s + 1)(s + 2)): gain margin 6/k at √2 rad/s."""
    return ist.LinearModel([[0, 1, 0], [0, 0, 1], [0, -2, -3]], [[0], [0], [1]], [[k, 0, 0]], [[0]])


def mode(gain, hz, damping, dt=None):
    """g s/(s² + 2ζω s + ω²) with a peak of `gain` at ω, where the phase is 0: far from -180°."""
    w = 2 * np.pi * hz
    made = ist.LinearModel(
        [[0, 1], [-(w**2), -2 * damping * w]], [[0], [1]], [[0, 2 * damping * w * gain]], [[0]]
    )
    return made if dt is None else made.discretize(dt)


def one(loop, goal):
    return ist.check_requirements(loop, goal).rows[0]


def test_margins_that_are_required_are_those_of_the_closed_form():
    loop = three_lags(3.0)
    row = one(loop, ist.GainMargin(6.0))
    assert row.value == pytest.approx(20 * np.log10(2)) and row.passed
    assert row.frequency_hz == pytest.approx(np.sqrt(2) / 2 / np.pi)
    assert row.missed == pytest.approx(1 - row.value / 6.0)
    assert not one(loop, ist.GainMargin(6.1)).passed
    assert one(loop, ist.GainMargin(6.1, band=(0.3, 1.0))).passed  # no crossing there
    m = loop.margins()
    for goal, value in (
        (ist.PhaseMargin(10.0), m.phase_deg),
        (ist.DelayMargin(0.1), m.delay_s),
        (ist.ModulusMargin(0.3), m.modulus),
        (ist.DiskMargin(0.3), m.disk),
    ):
        assert one(loop, goal).value == one(m, goal).value == value


@pytest.mark.parametrize("damping", [0.02, 1e-6])
def test_the_peak_of_a_mode_however_sharp_is_found(damping):
    loop = mode(0.49, 3.0, damping)
    row = one(loop, ist.GainStabilized(-6.0, band=(1.0, 10.0)))
    assert row.value == pytest.approx(20 * np.log10(0.49), abs=1e-6) and row.passed
    assert row.frequency_hz == pytest.approx(3.0, rel=1e-6)
    assert not one(loop, ist.GainStabilized(-6.3, band=(1.0, 10.0))).passed
    assert one(loop, ist.GainStabilized(-6.3, band=(4.0, 10.0))).passed  # aside of it
    sampled = mode(0.49, 3.0, damping, dt=0.02)
    z = np.exp(2j * np.pi * 3.0 * 0.02 * (1 + damping * np.linspace(-2, 2, 20001)))
    dense = [abs((sampled.C @ np.linalg.solve(x * np.eye(2) - sampled.A, sampled.B))[0, 0]) for x in z[::50]]
    found = one(sampled, ist.GainStabilized(-6.0, band=(1.0, 50.0))).value
    assert found >= 20 * np.log10(max(dense)) - 1e-9
    assert found == pytest.approx(20 * np.log10(max(dense)), abs=1e-3)


def test_a_mode_is_phase_stabilized_where_its_gain_is_above_a_level():
    """L = g s/(...): a circle through g on the right; its phase where |L| = c is acos(c/g) from 0°."""
    loop = mode(4.0, 3.0, 0.01)
    c = 10 ** (-6 / 20)
    row = one(loop, ist.PhaseStabilized(30.0, above_db=-6.0, band=(0.5, 30.0)))
    assert row.value == pytest.approx(180 - np.degrees(np.arccos(c / 4.0)), abs=1e-4) and row.passed
    turned = ist.LinearModel(loop.A, loop.B, -0.2 * loop.C, loop.D)  # now about -180°, peak 0.8
    assert not one(turned, ist.PhaseStabilized(30.0, band=(0.5, 30.0))).passed
    assert one(turned, ist.PhaseStabilized(30.0, band=(0.5, 30.0))).value == pytest.approx(0.0, abs=1e-4)
    assert one(turned, ist.PhaseStabilized(30.0, above_db=0.0, band=(0.5, 30.0))).value == np.inf


def test_crossover_is_bracketed():
    loop = three_lags(3.0)
    hz = loop.margins().rows[0].frequency_hz
    assert one(loop, ist.Crossover(0.9 * hz, 1.1 * hz)).passed
    assert not one(loop, ist.Crossover(1.01 * hz, 1.1 * hz)).passed
    assert not one(loop, ist.Crossover(0.5 * hz, 0.99 * hz)).passed


def test_each_channel_is_looked_at_with_the_others_closed():
    A = np.diag([-1.0, -2.0])
    both = ist.LinearModel(
        A, [[1, 0.5], [0.2, 1]], [[3, 0], [0, 4]], np.zeros((2, 2)), inputs=["p", "q"], outputs=["p", "q"]
    )
    band = (0.01, 5.0)
    for k, name in enumerate("pq"):
        f = np.geomspace(*band, 2000)
        S = np.linalg.inv(np.eye(2) + both.frequency_response(f))[:, k, k]
        peak = 20 * np.log10(np.abs(1 / S - 1).max())
        row = one(both, ist.GainStabilized(0.0, band=band, loop=name))
        assert row.value == pytest.approx(peak, abs=1e-6) and row.loop == name
    with pytest.raises(InputError, match="there is no loop 'r'"):
        ist.check_requirements(both, ist.GainMargin(6.0, loop="r"))


def test_a_study_states_its_confidence(tmp_path):
    """k of n by scipy's exact interval; an unstable run fails everything."""
    rng = np.random.default_rng(1)
    gains = np.append(rng.uniform(0.5, 4.0, 40), 7.0)
    models = ist.LinearModelSet([three_lags(k) for k in gains], np.arange(41.0), over="run")
    table = ist.check_requirements(models, [ist.GainMargin(6.0), ist.DiskMargin(0.1)], confidence=0.9)
    count = int((20 * np.log10(6 / gains) >= 6.0).sum())
    assert 0 < count < 40 and int(table.passes.sum()) == count
    exact = scipy.stats.binomtest(count, 41, alternative="greater").proportion_ci(0.9, "exact").low
    assert table.least_passing == pytest.approx(exact)
    assert table.rows[1].failed[-1] == 40 and np.isnan(table.rows[1].value) and table.rows[1].missed == np.inf
    assert f"{100 * exact:.4g} % of all vehicles" in str(table) and "unstable" in str(table)
    table.save(tmp_path / "t.json")
    told = json.loads((tmp_path / "t.json").read_text())
    assert told["rows"][0]["failed"] == list(table.rows[0].failed) and told["passed"] is False
    assert least_proportion(0, 10, 0.9) == 0.0 and least_proportion(10, 10, 0.9) == pytest.approx(0.1**0.1)


REFUSED = {
    "goals must be a list of requirements": lambda: ist.check_requirements(three_lags(1.0), [6.0]),
    "band must be two frequencies in Hz": lambda: ist.GainMargin(6.0, band=(3.0, 1.0)),
    "db must be a number above zero": lambda: ist.GainMargin(-6.0),
    "needs the loop itself": lambda: ist.check_requirements(
        three_lags(1.0).margins(), ist.GainStabilized(-6.0, band=(1.0, 2.0))
    ),
    "band is required": lambda: ist.GainStabilized(-6.0),
    "has no band": lambda: ist.DiskMargin(0.5, band=(1.0, 2.0)),
    "low_hz must be below high_hz": lambda: ist.Crossover(2.0, 1.0),
    "confidence must be between 0 and 1": lambda: ist.check_requirements(
        three_lags(1.0), ist.GainMargin(6.0), confidence=95
    ),
    "lies above half the sampling frequency": lambda: ist.check_requirements(
        mode(0.5, 3.0, 0.1, dt=0.05), ist.GainStabilized(-6.0, band=(20.0, 30.0))
    ),
}


@pytest.mark.parametrize("words", REFUSED)
def test_what_cannot_be_required_is_refused(words):
    with pytest.raises(InputError, match=words):
        REFUSED[words]()
