"""Jitter budgets against closed forms, against quadrature by other means, and against long runs."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.integrate
import scipy.linalg
import scipy.signal

import interstage as ist
from interstage.errors import InputError
from interstage.linear import LinearModel

M, C, K, W = 2.0, 0.4, 50.0, 3e-4


def oscillator(m=M, c=C, k=K) -> LinearModel:
    """Force to position and velocity."""
    return LinearModel(
        [[0, 1], [-k / m, -c / m]], [[0], [1 / m]], np.eye(2), np.zeros((2, 1)),
        inputs=["force"], outputs=["position", "velocity"], output_units=["m", "m/s"], input_units=["N"],
    )  # fmt: skip


def structure(n=6, seed=3) -> LinearModel:
    """Lightly damped modes, two forces to three displacements."""
    rng = np.random.default_rng(seed)
    w, z = 2.0 * np.pi * rng.uniform(0.5, 40.0, n), rng.uniform(1e-3, 2e-2, n)
    phi, psi = rng.normal(size=(n, 2)), rng.normal(size=(3, n))
    A = np.block([[np.zeros((n, n)), np.eye(n)], [-np.diag(w**2), -np.diag(2 * z * w)]])
    B, Cy = np.vstack([np.zeros((n, 2)), phi]), np.hstack([psi, np.zeros((3, n))])
    return LinearModel(A, B, Cy, np.zeros((3, 2)), inputs=["f1", "f2"], outputs=["a", "b", "c"])


def test_white_force_on_an_oscillator():
    """σ_x² = W/(4kc) and σ_v² = W/(4mc), with W one-sided (Crandall and Mark 1963)."""
    for scale in (1.0, 1e-6, 1e5):  # other units of force
        budget = ist.jitter(oscillator(M * scale, C * scale, K * scale), {"force": W * scale**2})
        want = [W / (4 * K * C), W / (4 * M * C)]
        np.testing.assert_allclose(budget.mean_squares[0], want, rtol=1e-12)
        np.testing.assert_allclose(budget.rms, np.sqrt(want), rtol=1e-12)


def test_a_wide_band_is_all_frequencies_less_its_tails():
    """∫ of the tail of 1/(m(2πf)²)² from f₂ on is W/(3 (2π)⁴ m² f₂³), to the order of (f₀/f₂)²."""
    lin, high = oscillator(), 200.0
    whole = ist.jitter(lin, {"force": W}, "position").mean_squares[0, 0]
    banded = ist.jitter(lin, {"force": W}, "position", band=(0.0, high)).mean_squares[0, 0]
    tail = W / (3.0 * (2.0 * np.pi) ** 4 * M**2 * high**3)
    assert whole - banded == pytest.approx(tail, rel=1e-3, abs=1e-9 * whole)
    nearly = ist.jitter(lin, {"force": lambda f: W + 0.0 * f}, "position", band=(0.0, high)).mean_squares
    np.testing.assert_allclose(nearly[0, 0], banded, rtol=1e-12)


def test_sources_add_and_are_told_apart():
    """Each input by itself, and its sum, beside Lyapunov's equation of scipy."""
    lin = structure()
    budget = ist.jitter(lin, {"f1": 2.0, "f2": 0.5})
    want = []
    for k, S in enumerate((2.0, 0.5)):
        P = scipy.linalg.solve_continuous_lyapunov(lin.A, -0.5 * S * np.outer(lin.B[:, k], lin.B[:, k]))
        want.append(np.diag(lin.C @ P @ lin.C.T))
    np.testing.assert_allclose(budget.mean_squares, want, rtol=1e-8)
    np.testing.assert_allclose(budget.rms**2, np.sum(want, axis=0), rtol=1e-8)
    both = ist.jitter(lin, {"f*": 2.0}).mean_squares
    np.testing.assert_allclose(both, [want[0], 4.0 * np.array(want[1])], rtol=1e-8)


def test_a_table_is_straight_in_double_logarithmic_scales():
    """A slope of -2 between 1 and 10 Hz through a gain that is flat: ∫ f⁻² df; nothing outside."""
    flat = LinearModel([[-1e9]], [[1e9]], [[1.0]], [[0.0]], inputs=["u"])
    f = np.array([1.0, 10.0])
    budget = ist.jitter(flat, {"u": (f, 4.0 * f**-2)})
    assert budget.mean_squares[0, 0] == pytest.approx(4.0 * (1.0 - 0.1), rel=1e-9)
    part = ist.jitter(flat, {"u": (f, 4.0 * f**-2)}, band=(0.01, 2.0))
    assert part.mean_squares[0, 0] == pytest.approx(4.0 * 0.5, rel=1e-9)
    assert ist.jitter(flat, {"u": (f, 4.0 * f**-2)}, band=(20.0, 30.0)).mean_squares[0, 0] == 0.0


def test_narrow_resonances_are_not_missed():
    """Modes with 1e-5 of critical damping, integrated over a band, beside Lyapunov's equation over all."""
    n, rng = 4, np.random.default_rng(1)
    w = 2.0 * np.pi * np.array([1.0, 1.0001, 7.0, 23.0])
    A = np.block([[np.zeros((n, n)), np.eye(n)], [-np.diag(w**2), -np.diag(2e-5 * w)]])
    B = np.vstack([np.zeros((n, 1)), rng.normal(size=(n, 1))])
    lin = LinearModel(
        A, B, np.hstack([rng.normal(size=(2, n)), np.zeros((2, n))]), np.zeros((2, 1)), inputs=["f"]
    )
    whole = ist.jitter(lin, {"f": 1.0}).mean_squares
    np.testing.assert_allclose(ist.jitter(lin, {"f": 1.0}, band=(0.0, 500.0)).mean_squares, whole, rtol=1e-6)


def test_spectrum_and_cumulative_root_mean_square_agree():
    lin = structure()
    budget = ist.jitter(
        lin, {"f1": (np.array([0.1, 5.0, 60.0]), np.array([1.0, 3.0, 0.2])), "f2": 0.3}, band=(0.2, 50)
    )
    f = np.array([0.1, 3.0, 12.0, 50.0, 80.0])
    rms = budget.cumulative(f)
    np.testing.assert_allclose(rms[[3, 4]], [budget.rms] * 2, rtol=1e-8)
    assert (np.diff(rms, axis=0) >= 0.0).all() and (rms[0] == 0.0).all()
    with pytest.raises(InputError, match="must increase from zero or more"):
        budget.cumulative([0.1, np.nan, 12.0])

    def density(x):
        return budget.psd([x])[0, 1]

    knots = np.sort(np.abs(np.linalg.eigvals(lin.A).imag)) / (2 * np.pi)
    inside = sorted({k for k in knots if 3.0 < k < 12.0})
    want = scipy.integrate.quad(density, 3.0, 12.0, points=inside or None, limit=2000, epsrel=1e-9)[0]
    assert rms[2, 1] ** 2 - rms[1, 1] ** 2 == pytest.approx(want, rel=1e-6)


def test_sampled_noise_has_the_variance_of_its_samples():
    """x⁺ = a x + w of variance s²: σ² = s²/(1 - a²); y = x + w adds s². One-sided density 2 dt s²."""
    a, dt, s = 0.9, 0.05, 0.3
    lin = LinearModel([[a]], [[1.0]], [[1.0], [1.0]], [[0.0], [1.0]], inputs=["w"], dt=dt)
    found = ist.jitter(lin, {"w": 2.0 * dt * s**2}).mean_squares[0]
    np.testing.assert_allclose(found, [s**2 / (1 - a**2), s**2 / (1 - a**2) + s**2], rtol=1e-12)
    banded = ist.jitter(lin, {"w": 2.0 * dt * s**2}, band=(0.0, 0.5 / dt)).mean_squares[0]
    np.testing.assert_allclose(banded, found, rtol=1e-8)


def test_a_long_run_has_the_root_mean_square_of_the_budget():
    """A sampled loop under noise of numpy: 2e5 samples, of which the variance is known to about 1 %."""
    lin = structure(2, seed=8).discretize(0.004)
    rng, n = np.random.default_rng(2), 200_000
    u = rng.normal(size=(n, 2)) * [1.0, 0.5]
    y = lin.time_response(u)[5000:]
    budget = ist.jitter(lin, {"f1": 2 * lin.dt, "f2": 2 * lin.dt * 0.25})
    # correlated over Q/(πf) seconds: the variance of so many is known to a few percent
    np.testing.assert_allclose(y.std(axis=0), budget.rms, rtol=0.06)
    f, S = scipy.signal.welch(y[:, 0], 1.0 / lin.dt, nperseg=16384)
    some = (f > 1.0) & (f < 40.0)
    assert np.trapezoid(S[some], f[some]) == pytest.approx(
        np.trapezoid(budget.psd(f[some])[:, 0], f[some]), rel=0.1
    )


def test_an_imbalanced_wheel_is_a_rotating_force():
    """F = U Ω² (cos Ωt, sin Ωt) on a mass on two unlike springs: amplitudes of both in closed form."""
    m, kx, ky, U, speed = 3.0, 400.0, 900.0, 2e-5, 200.0
    A = np.zeros((4, 4))
    A[:2, 2:], A[2, 0], A[3, 1] = np.eye(2), -kx / m, -ky / m
    A[2, 2] = A[3, 3] = -0.5
    B = np.zeros((4, 2))
    B[2, 0] = B[3, 1] = 1 / m
    lin = LinearModel(
        A,
        B,
        np.vstack([np.eye(2, 4), [1, 1, 0, 0]]),
        np.zeros((3, 2)),
        inputs=["fx", "fy"],
        outputs=["x", "y", "sum"],
    )
    wheel = ist.WheelDisturbance([[1.0, 0.0, U, 0.0]], speed, radial=("fx", "fy"))
    budget = ist.jitter(lin, {"wheel": wheel})
    H = [1 / (k - m * speed**2 + 0.5j * m * speed) for k in (kx, ky)]
    F = U * speed**2
    want = [abs(H[0]) * F, abs(H[1]) * F, abs(H[0] - 1j * H[1]) * F]
    np.testing.assert_allclose(budget.rms, np.array(want) / np.sqrt(2.0), rtol=1e-10)
    np.testing.assert_allclose(
        ist.wheel_sweep(lin, wheel, [speed, 0.0]), [budget.rms, 0.0 * budget.rms], rtol=1e-12
    )
    # the time domain agrees, with the phase between both
    t = np.linspace(0.0, 60.0, 120_001)
    u = F * np.column_stack([np.cos(speed * t), np.sin(speed * t)])
    y = lin.time_response(t, u)[100_000:]
    np.testing.assert_allclose(np.sqrt((y**2).mean(axis=0)), budget.rms, rtol=2e-3)
    by_turns = ist.WheelDisturbance([[1.0, 0.0, U, 0.0]], f"{speed * 30 / np.pi!r} rpm", radial=("fx", "fy"))
    np.testing.assert_allclose(ist.jitter(lin, {"w": by_turns}).rms, budget.rms, rtol=1e-12)


def test_harmonics_outside_the_band_do_not_count():
    lin = structure()
    wheel = ist.WheelDisturbance([[1, 1e-6, 0, 0], [2.5, 1e-6, 0, 0]], 2 * np.pi * 10.0, axial="f1")
    whole = ist.jitter(lin, {"wheel": wheel, "f2": 1e-9}, band=(5.0, 30.0))
    part = ist.jitter(lin, {"wheel": wheel}, band=(5.0, 15.0))
    H = np.abs(lin.frequency_response([10.0, 25.0], ["f1"]))[:, :, 0] * 1e-6 * (2 * np.pi * 10.0) ** 2
    np.testing.assert_allclose(part.mean_squares[0], 0.5 * H[0] ** 2, rtol=1e-12)
    np.testing.assert_allclose(whole.mean_squares[0], 0.5 * (H**2).sum(axis=0), rtol=1e-12)
    rms = whole.cumulative([9.0, 11.0, 30.0])
    np.testing.assert_allclose(rms[2], whole.rms, rtol=1e-8)
    assert (rms[1] > rms[0]).all()


def test_a_flight_of_gyro_noise_in_closed_loop():
    """A rigid body held by a PD law on noisy rate: the loop of the linear model, beside a budget by hand."""
    J, kp, kd, S = 10.0, 2.0, 4.0, 1e-8
    A = [[0, 1], [-kp / J, -kd / J]]
    lin = LinearModel(A, [[0], [-kd / J]], [[1, 0]], [[0]], inputs=["gyro"], outputs=["angle"])
    want = S * (kd / J) ** 2 / (4.0 * (kd / J) * (kp / J))
    assert ist.jitter(lin, {"gyro": S}).mean_squares[0, 0] == pytest.approx(want, rel=1e-12)


def test_budgets_print_and_save(tmp_path):
    import json

    budget = ist.jitter(oscillator(), {"force": W})
    text = str(budget)
    assert "all sources" in text and "position, m" in text and "all frequencies" in text
    budget.save(tmp_path / "budget.json")
    kept = json.loads((tmp_path / "budget.json").read_text())
    np.testing.assert_allclose(kept["rms"], budget.rms)
    assert "force" in str(ist.jitter(oscillator(), {"force": W}, band=(0.1, 3.0)))


def test_what_has_no_root_mean_square_is_refused():
    free = LinearModel([[0, 1], [0, 0]], [[0], [1]], [[1, 0]], [[0]], inputs=["f"])
    with pytest.raises(InputError, match="does not decay"):
        ist.jitter(free, {"f": 1.0})
    with pytest.raises(InputError, match="does not decay"):
        ist.jitter(free, {"f": 1.0}, band=(0.0, 1.0))
    # above zero it is ∫ (2πf)⁻⁴
    found = ist.jitter(free, {"f": 1.0}, band=(0.1, 1.0)).mean_squares[0, 0]
    assert found == pytest.approx((0.1**-3 - 1.0) / (3 * (2 * np.pi) ** 4), rel=1e-9)
    growing = LinearModel([[0.1]], [[1]], [[1]], [[0]], inputs=["f"])
    for band in (None, (0.1, 1.0)):
        with pytest.raises(InputError, match="does not decay"):
            ist.jitter(growing, {"f": 1.0}, band=band)
    direct = LinearModel([[-1.0]], [[1]], [[1]], [[1]], inputs=["f"])
    with pytest.raises(InputError, match="directly"):
        ist.jitter(direct, {"f": 1.0})
    assert ist.jitter(direct, {"f": 0.0}).rms[0] == 0.0
    # what no output sees may drift
    hidden = LinearModel(np.diag([-1.0, 0.0]), np.ones((2, 1)), [[1, 0]], [[0]], inputs=["f"])
    assert ist.jitter(hidden, {"f": 1.0}).mean_squares[0, 0] == pytest.approx(0.25, rel=1e-12)


@pytest.mark.parametrize(
    ("sources", "more", "words"),
    [
        ({"force": -1.0}, {}, "must be a number that is not negative"),
        ({"force": ([1.0, 0.5], [1.0, 1.0])}, {}, "frequencies that increase"),
        ({"force": "white"}, {}, "must be a number"),
        ({"thrust": 1.0}, {}, "no input 'thrust'"),
        ({"force": 1.0, "f*": 1.0}, {}, "two spectral densities"),
        ({"force": lambda f: f}, {}, "needs band"),
        ({"force": lambda f: -f}, {"band": (0.1, 1.0)}, "not negative"),
        ({}, {}, "must map inputs"),
        ({"force": 1.0}, {"band": (1.0, 0.1)}, "the lower first"),
        ({"force": 1.0}, {"outputs": "angle"}, "no output 'angle'"),
        ({"w": ist.WheelDisturbance([[1, 0, 1, 0]], 1.0, radial=("force", "fy"))}, {}, "no input 'fy'"),
    ],
)
def test_wrong_arguments_are_refused(sources, more, words):
    with pytest.raises(InputError, match=words):
        ist.jitter(oscillator(), sources, **more)


@pytest.mark.parametrize(
    ("harmonics", "named", "words"),
    [
        ([[1, 0, 1]], {}, "four numbers"),
        ([[0, 0, 1, 0]], {}, "four numbers"),
        ([[1, 0, -1, 0]], {}, "must not be negative"),
        ([[1, 0, 1, 0]], {}, "radial names no input"),
        ([[1, 0, 1, 0]], {"radial": "fx"}, "two inputs"),
    ],
)
def test_wrong_wheels_are_refused(harmonics, named, words):
    with pytest.raises(InputError, match=words):
        ist.WheelDisturbance(harmonics, 1.0, **named)


def test_harmonics_beyond_half_the_sample_frequency_are_refused():
    lin = oscillator().discretize(0.1)
    wheel = ist.WheelDisturbance([[1, 1, 0, 0]], 2 * np.pi * 6.0, axial="force")
    with pytest.raises(InputError, match="half the sample frequency"):
        ist.jitter(lin, {"wheel": wheel})
    with pytest.raises(InputError, match="half the sample frequency"):
        ist.jitter(lin, {"force": 1.0}, band=(0.1, 6.0))
