"""Margins against closed forms, python-control, and loops perturbed to the edge of stability."""

from __future__ import annotations

import warnings

import control
import numpy as np
import pytest
from scipy.linalg import block_diag, expm

import interstage as ist
from interstage.errors import InputError, SolverError


def model(system, dt=None):
    s = control.ss(system)
    return ist.LinearModel(s.A, s.B, s.C, s.D, dt=dt)


def closed_growth(loop, factor=1.0):
    """Largest real part (sampled: |z|) of the poles with the loop gain multiplied by a complex factor."""
    E = np.linalg.inv(np.eye(len(loop.C)) + factor * loop.D)
    poles = np.linalg.eigvals(loop.A - loop.B @ E @ (factor * loop.C))
    return poles.real.max() if loop.dt is None else np.abs(poles).max()


def oscillators(w, zeta, gains, integrator=0.5):
    """integrator/s + Σ gain s/(s² + 2ζws + w²), without a polynomial."""
    parts = [np.zeros((1, 1))] + [np.array([[0, 1], [-(wk**2), -2 * zeta * wk]]) for wk in w]
    A = block_diag(*parts)
    B = np.concatenate([[1.0], *([0.0, 1.0] for _ in w)])[:, None]
    C = np.concatenate([[integrator], *([0.0, g] for g in gains)])[None]
    return ist.LinearModel(A, B, C, [[0.0]])


def test_third_order_in_closed_form():
    """k/(s (s + 1) (s + 2)): gain margin 6/k at √2 rad/s; phase crossover from the cubic in ω²."""
    s = control.tf("s")
    m = model(2 / (s * (s + 1) * (s + 2))).margins()
    assert m.stable and m.gain_up_db == pytest.approx(20 * np.log10(3), abs=1e-9)
    assert m.gain_down_db == np.inf
    gain, phase = (next(row for row in m.rows if row.kind == kind) for kind in ("gain", "phase"))
    assert gain.frequency_hz * 2 * np.pi == pytest.approx(np.sqrt(2), abs=1e-9)
    w2 = max(np.roots([1, 5, 4, -4]).real)  # ω² (ω² + 1)(ω² + 4) = 4
    w = np.sqrt(w2)
    assert phase.frequency_hz * 2 * np.pi == pytest.approx(w, abs=1e-9)
    expected = np.pi / 2 - np.arctan(w) - np.arctan(w / 2)
    assert m.phase_deg == pytest.approx(np.degrees(expected), abs=1e-8)
    assert m.delay_s == pytest.approx(expected / w, abs=1e-8)


@pytest.mark.parametrize("seed", range(12))
def test_random_loops_agree_with_python_control(seed):
    rng = np.random.default_rng(seed)
    A = rng.normal(size=(5, 5)) - 3.0 * np.eye(5)
    system = control.ss(A, rng.normal(size=(5, 1)), 4 * rng.normal(size=(1, 5)), [[0.2 * rng.normal()]])
    loop = model(system)
    m = loop.margins()
    gm, _, sm, _, wc, _ = control.stability_margins(system, returnall=True)
    crossings = [row for row in m.rows if row.kind == "gain" and np.isfinite(row.frequency_hz)]  # as it has
    ours = sorted(10 ** (row.value / 20) for row in crossings)
    assert ours == pytest.approx(sorted(g for g in gm if 1e-6 < g < 1e6), rel=1e-6)
    ours = sorted(row.frequency_hz * 2 * np.pi for row in m.rows if row.kind == "phase")
    assert ours == pytest.approx(sorted(wc), rel=1e-6)
    if len(sm):
        poles, V = np.linalg.eig(A)
        residues = (system.C @ V)[0] * np.linalg.solve(V, system.B)[:, 0]
        s = 1j * np.geomspace(1e-3, 1e3, 100_001)[:, None]
        response = (residues / (s - poles)).sum(axis=1) + system.D[0, 0]
        least = min(np.abs(1 + response).min(), abs(1 + system.D[0, 0]))
        assert m.loops[0].modulus == pytest.approx(least, rel=1e-6)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("dt", [None, 0.05])
def test_each_gain_crossing_is_an_edge_of_stability(seed, dt):
    """The gain of a crossing puts a pole on the axis (circle); between two neighboring ones stability stays."""
    rng = np.random.default_rng(100 + seed)
    A = rng.normal(size=(6, 6)) - 2.5 * np.eye(6)
    A = A if dt is None else expm(0.3 * A)
    loop = ist.LinearModel(A, rng.normal(size=(6, 1)), rng.normal(size=(1, 6)), [[0.0]], dt=dt)
    m = loop.margins()
    edge = 0.0 if dt is None else 1.0
    for row in m.rows:
        if row.kind == "gain":
            poles = np.linalg.eigvals(A - loop.B @ loop.C * 10 ** (row.value / 20))
            distance = poles.real if dt is None else np.abs(poles) - 1.0
            assert np.abs(distance).min() < 1e-7
        else:
            factor = np.exp(-1j * np.radians(row.value))
            poles = np.linalg.eigvals(A - loop.B @ loop.C * factor)
            distance = poles.real if dt is None else np.abs(poles) - 1.0
            assert np.abs(distance).min() < 1e-7
    if m.stable:
        low = 10 ** (-min(m.gain_down_db, 60) / 20)
        high = 10 ** (min(m.gain_up_db, 60) / 20)
        for factor in np.geomspace(low * 1.001, high * 0.999, 7):
            assert closed_growth(loop, factor) < edge
        if np.isfinite(m.gain_up_db):
            assert closed_growth(loop, high * 1.001) > edge
        if np.isfinite(m.gain_down_db):
            assert closed_growth(loop, low * 0.999) > edge


def test_lightly_damped_pair_closer_than_any_grid():
    """Two modes 1e-4 apart with ζ = 1e-6: each crosses unity twice, within 1e-5 Hz."""
    w = 2 * np.pi * np.array([1.0, 1.0001, 7.3])
    loop = oscillators(w, 1e-6, 1e-5 * w)
    m = loop.margins()
    phases = [row for row in m.rows if row.kind == "phase"]
    assert len(phases) == 7
    for row in phases:
        assert abs(loop.frequency_response(row.frequency_hz)[0, 0, 0]) == pytest.approx(1.0, abs=1e-5)


def test_pole_and_peak_of_a_mode_that_a_grid_would_miss():
    """One mode: |L| at resonance is g/(2ζw); the bending peak of -1 dB is above, of 1 dB below the axis of 0 dB."""
    w, zeta = 2 * np.pi * 3.0, 1e-5
    for level, count in ((0.9, 1), (1.1, 3)):
        loop = oscillators([w], zeta, [level * 2 * zeta * w])
        assert sum(row.kind == "phase" for row in loop.margins().rows) == count


def test_conditionally_stable_loop_has_margins_up_and_down():
    s = control.tf("s")
    system = 20 * (s + 1) ** 2 / s**3 / (s / 50 + 1) ** 2
    m = model(system).margins()
    gm, _, _, _, _, _ = control.stability_margins(system, returnall=True)
    assert m.gain_down_db == pytest.approx(-20 * np.log10(gm[0]), abs=1e-6)
    assert m.gain_up_db == pytest.approx(20 * np.log10(gm[1]), abs=1e-6)
    assert m.gain_db == m.gain_up_db


def test_unstable_airframe_has_a_static_limit_of_its_gain():
    """L = k/(s² - a) (1 + T s): the gain may fall to a/k, where a pole passes through zero."""
    a, k, T = 2.0, 10.0, 0.8
    loop = ist.LinearModel([[0, 1], [a, 0]], [[0], [1]], [[k, k * T]], [[0]])
    m = loop.margins()
    assert m.gain_down_db == pytest.approx(20 * np.log10(k / a), abs=1e-9)
    assert any(row.frequency_hz == 0.0 and row.kind == "gain" for row in m.rows)


def test_delays_of_a_sampled_loop_in_closed_form():
    """L = k/((z - 1) z^m): with m = 0 stable below k = 2, with m = 1 below 1, with m = 2 below (√5 - 1)/2."""
    for m_delay, limit in ((0, 2.0), (1, 1.0), (2, 0.5 * (np.sqrt(5) - 1)), (5, 2 * np.sin(np.pi / 22))):
        n = 1 + m_delay
        A = np.zeros((n, n))
        A[0, 0] = 1.0
        for j in range(1, n):
            A[j, j - 1] = 1.0
        B = np.eye(n)[:, [0]]
        C = 0.3 * limit * np.eye(n)[[n - 1]]
        loop = ist.LinearModel(A, B, C, [[0.0]], dt=0.02)
        m = loop.margins()
        assert m.stable and m.gain_up_db == pytest.approx(-20 * np.log10(0.3), abs=1e-6)


def test_delay_margin_of_an_integrator():
    """ω/s with a delay τ is stable below π/(2ω)."""
    m = ist.LinearModel([[0.0]], [[1.0]], [[4.0]], [[0.0]]).margins()
    assert m.delay_s == pytest.approx(np.pi / 8, abs=1e-9)
    assert m.phase_deg == pytest.approx(90.0, abs=1e-9)


def test_disk_margin_agrees_with_python_control():
    s = control.tf("s")
    for system in (25 * s / (s**3 + 10 * s**2 + 10 * s + 10), 2 / (s * (s + 1) * (s + 2))):
        alpha, _, _ = control.disk_margins(system, np.geomspace(1e-2, 1e2, 40_001))
        assert model(system).margins().disk == pytest.approx(alpha, rel=1e-5)


def two_channels():
    """The spinning body of Doyle with a = 10: each loop alone has good margins, both together have little."""
    a = 10.0
    A = np.array([[0.0, a], [-a, 0.0]])
    return ist.LinearModel(A, np.eye(2), np.array([[1.0, a], [-a, 1.0]]), np.zeros((2, 2)))


def test_loop_at_a_time_of_the_spinning_body():
    """One loop opened and the other closed, L = 1/s: phase margin 90 deg at 1 rad/s, no gain margin."""
    m = two_channels().margins()
    assert m.stable and m.gain_db == np.inf
    assert m.phase_deg == pytest.approx(90.0, abs=1e-8)
    rows = [row for row in m.rows if row.kind == "phase"]
    assert [row.frequency_hz * 2 * np.pi for row in rows] == pytest.approx([1.0, 1.0], abs=1e-8)


def test_others_are_closed():
    """The margins of a channel are those of the one-channel loop that `feedback` makes."""
    from interstage.linear.joining import feedback

    rng = np.random.default_rng(3)
    A = rng.normal(size=(7, 7)) - 4 * np.eye(7)
    both = ist.LinearModel(A, rng.normal(size=(7, 2)), rng.normal(size=(2, 7)), 0.1 * rng.normal(size=(2, 2)))
    whole = both.margins()
    for k in range(2):
        one = feedback(both, np.eye(1), -1, inputs=[1 - k], outputs=[1 - k]).select([k], [k]).margins()
        for name in ("gain_up_db", "gain_down_db", "phase_deg", "delay_s", "modulus", "disk"):
            assert getattr(whole.loops[k], name) == pytest.approx(getattr(one.loops[0], name), rel=1e-6)


def test_unseen_rigid_motion_and_undamped_modes_do_not_matter():
    """A defective block of drift and an undamped mode that the loop neither drives nor sees."""
    s = control.tf("s")
    plain = model(2 / (s * (s + 1) * (s + 2)))
    drift = np.array([[0.0, 1.0], [0.0, 0.0]])
    mode = np.array([[0.0, 1.0], [-30.0, 0.0]])
    A = block_diag(plain.A, drift, mode)
    B = np.vstack([plain.B, [[0], [0], [0], [0]]])
    C = np.hstack([plain.C, [[1.0, 0.0, 0.0, 0.0]]])
    loop = ist.LinearModel(A, B, C, plain.D)
    assert loop.margins().gain_db == pytest.approx(plain.margins().gain_db, abs=1e-9)


@pytest.mark.parametrize("mimo", [False, True])
def test_feedthrough_limits_the_gain_at_infinite_frequency(mimo):
    """L = -0.2 - 0.4/(s + 1): 1 + kL has its zero at 0.6k/(1 - 0.2k) - 1 > 0 from 1/0.6 on; with -0.2 + 0.4/(s + 1)
    the only limit is 5, where it goes through infinity: no frequency response at any finite frequency shows it."""
    for c, limit, at in ((-0.4, 1.0 / 0.6, 0.0), (0.4, 5.0, np.inf)):
        A, B, C, D = [[-1.0]], [[1.0]], [[c]], [[-0.2]]
        if mimo:  # beside a loop of its own
            A, B, C, D = (
                block_diag(M, N) for M, N in ((A, [[-2.0]]), (B, [[1.0]]), (C, [[1.0]]), (D, [[0.0]]))
            )
        loop = ist.LinearModel(A, B, C, D)
        one = loop.margins().loops[0]
        assert one.gain_up_db == pytest.approx(20 * np.log10(limit), abs=1e-9)
        assert at in [row.frequency_hz for row in loop.margins().rows if row.kind == "gain"]
        if not mimo:
            assert closed_growth(loop, 0.999 * limit) < 0.0 < closed_growth(loop, 1.001 * limit)


def test_a_loop_with_more_feedthrough_than_one_bears_no_delay():
    """y = 1.5 u with u = -y(t - τ): every echo is 1.5 times the one before, however short τ; with 0.5 echoes decay."""
    for gain, delay in ((1.5, 0.0), (0.5, np.inf)):
        m = ist.LinearModel([[-1.0]], [[1.0]], [[0.01]], [[gain]]).margins()
        assert m.stable and m.delay_s == delay
    sampled = ist.LinearModel([[0.5]], [[1.0]], [[0.01]], [[1.5]], dt=0.1).margins()
    assert sampled.delay_s > 0.0  # half a sample there is a fraction of its phase


def test_growth_outside_of_the_loop_is_told():
    """An axis whose own loop is unstable, beside the axis whose margins are asked for; drift alone is none."""
    s = control.tf("s")
    plain = model(2 / (s * (s + 1) * (s + 2)))
    for other, told in ((np.array([[0.3]]), True), (np.array([[0.0, 1.0], [0.0, 0.0]]), False)):
        n = len(other)
        loop = ist.LinearModel(
            block_diag(plain.A, other), np.vstack([plain.B, np.zeros((n, 1))]), np.hstack([plain.C, np.zeros((1, n))]),
            plain.D,
        )  # fmt: skip
        with warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("always")
            m = loop.margins()
        assert m.gain_db == pytest.approx(plain.margins().gain_db, abs=1e-9)
        assert [w.category for w in seen] == [ist.FidelityWarning] * told
        if told:
            assert "unstable poles outside of its loops (largest real part 0.3" in str(seen[0].message)


def test_unstable_loops_say_so():
    m = ist.LinearModel([[1.0]], [[1.0]], [[0.5]], [[0.0]]).margins()
    assert not m.stable and np.isnan(m.gain_db) and "UNSTABLE" in str(m)
    assert m.growth == pytest.approx(0.5)


def test_bands_name_crossings(tmp_path):
    w = 2 * np.pi * np.array([3.0])
    m = oscillators(w, 1e-3, 5 * 2e-3 * w).margins({"rigid": (0, 1), "bending": (1, 20)})
    assert {row.region for row in m.rows if row.kind == "phase"} == {"rigid", "bending"}
    assert m.region("rigid").phase_deg == pytest.approx(90, abs=2)
    m.save(tmp_path / "margins.json")
    import json

    kept = json.loads((tmp_path / "margins.json").read_text())
    assert kept["stable"] is True and len(kept["rows"]) == len(m.rows)
    with pytest.raises(InputError, match="region"):
        m.region("slosh")


def test_what_is_not_a_loop_is_refused():
    with pytest.raises(InputError, match="as many outputs as inputs"):
        ist.LinearModel([[0.0]], [[1.0, 1.0]], [[1.0]], [[0.0, 0.0]]).margins()
    with pytest.raises(SolverError, match="infinite frequency"):
        ist.LinearModel([[-1.0]], [[1.0]], [[1.0]], [[-1.0]]).margins()
    with pytest.raises(InputError, match="bands in Hz"):
        ist.LinearModel([[-1.0]], [[1.0]], [[1.0]], [[0.0]]).margins({"rigid": (2, 1)})
