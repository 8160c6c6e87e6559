"""Gusts: spectra and intensities of Dryden against theory, the discrete gust in closed form, their way to the air."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import signal

import interstage as ist
from interstage import devices as dev
from interstage.devices.wind import FOOT, lengths_and_intensities
from interstage.errors import InputError


def turbulence(until=4000, **values):
    made = ist.Assembly("air", seed=5).add("gusts", dev.DrydenTurbulence(every="50 ms", **values))
    log = ist.simulate(
        made, None, until=until, step="50 ms", keep=["gusts.along", "gusts.right", "gusts.down", "gusts.gust"]
    )
    return {name: log[f"gusts.{name}"] for name in ("along", "right", "down", "gust")}


def test_spectra_are_those_of_dryden():
    """80,000 samples: 31 segments of 128 s; a bin has 25 % scatter, bands of eight bins 9 %: three times that."""
    V, L, s = 150.0, 1750 * FOOT, 2.0
    found = turbulence(sigma=s, altitude=5000.0, velocity=[V, 0.0, 0.0])
    for name, lateral in (("along", False), ("right", True), ("down", True)):
        f, power = signal.welch(found[name], fs=20.0, nperseg=2560)
        W = 2 * np.pi * f * L / V
        theory = 4 * s**2 * L / V / (1 + W**2)
        if lateral:
            theory = 2 * s**2 * L / V * (1 + 3 * W**2) / (1 + W**2) ** 2
        keep = (f > 0.02) & (f < 2.0)  # aliases begin above
        ratio = (power / theory)[keep][: 8 * (keep.sum() // 8)].reshape(-1, 8).mean(axis=1)
        assert ratio == pytest.approx(np.ones(len(ratio)), abs=0.3)
        assert ratio.mean() == pytest.approx(1.0, abs=0.03)
        assert found[name].std() == pytest.approx(s, rel=0.06)


def test_samples_do_not_depend_on_the_period():
    """Covariance over one second of long and of short samples: that of theory, exp(-x)(1 - x/2) across."""
    V, L = 100.0, 1750 * FOOT
    made = ist.Assembly("air", seed=2).add(
        "g", dev.DrydenTurbulence(every="1 s", sigma=1.0, altitude=5000.0, velocity=[V, 0, 0])
    )
    log = ist.simulate(made, None, until=60000, step="1 s", keep=["g.right", "g.along"])
    x = V / L
    for name, theory in (("along", np.exp(-x)), ("right", np.exp(-x) * (1 - 0.5 * x))):
        y = log[f"g.{name}"]
        assert np.mean(y[1:] * y[:-1]) / np.mean(y * y) == pytest.approx(theory, abs=0.015)


def test_lengths_and_intensities_are_those_of_the_specification():
    wind = 30.0
    L_u, L_w, s_u, s_w = lengths_and_intensities(200 * FOOT, wind, 1.5)
    assert (L_w / FOOT, s_w) == pytest.approx((200.0, 3.0))
    assert L_u / FOOT == pytest.approx(200 / (0.177 + 0.000823 * 200) ** 1.2)
    assert s_u == pytest.approx(3.0 / (0.177 + 0.000823 * 200) ** 0.4)
    assert lengths_and_intensities(1000 * FOOT, wind, 1.5)[0] / FOOT == pytest.approx(1000.0, rel=1e-9)
    assert lengths_and_intensities(3000 * FOOT, wind, 1.5) == pytest.approx((1750 * FOOT,) * 2 + (1.5,) * 2)
    assert lengths_and_intensities(1500 * FOOT, wind, 1.5)[3] == pytest.approx(0.5 * (3.0 + 1.5))


@pytest.mark.parametrize("ahead", [[0.6, 0, 0.8], [2 / 7, -3 / 7, 6 / 7]])
def test_gusts_blow_along_and_across_the_flight(ahead):
    up = np.array([1.0, 0.0, 0.0]) if ahead[1] == 0.0 else np.array([4.0, 8.0, 1.0]) / 9.0
    found = turbulence(until=20, velocity=50.0 * np.array(ahead), up=up, altitude=100.0)
    right = np.cross(ahead, up) / np.linalg.norm(np.cross(ahead, up))
    axes = np.array([ahead, right, np.cross(ahead, right)])
    across = np.column_stack([found["along"], found["right"], found["down"]])
    assert found["gust"] == pytest.approx(across @ axes, abs=1e-12)
    assert np.cross(ahead, right) @ up < 0.0  # down


@pytest.mark.parametrize("velocity", [[0.0, 0, 0], [0.0, 0, 0.5], [50.0, 0, 0], [-50.0, 0, 0]])
def test_gusts_blow_around_what_stands_and_what_climbs(velocity):
    found = turbulence(until=20, velocity=velocity, up=[1.0, 0, 0], altitude=0.0)
    size = np.sqrt(found["along"] ** 2 + found["right"] ** 2 + found["down"] ** 2)
    assert np.linalg.norm(found["gust"], axis=1) == pytest.approx(size, rel=1e-12) and size.max() > 0.1


def test_another_seed_is_another_draw():
    a, b, c = (turbulence(until=10, seed=k)["along"] for k in (1, 1, 2))
    assert (a == b).all() and np.abs(a - c).max() > 0.1


def test_gusts_reach_the_air_by_themselves():
    air = dev.Atmosphere(
        gusts=[
            dev.DrydenTurbulence(seed=1),
            dev.DiscreteGust(amplitude=[0, 3.0, 0], start=1.0, duration=2.0),
        ],
        altitude=500.0,
    )
    made = ist.Assembly("x").add("air", air)
    log = ist.simulate(made, None, until=4, step="20 ms", log_step="20 ms")
    turbulence = log["air.wind"] - log["air_gusts2.gust"]
    assert log["air_gusts2.gust"][:, 1].max() == pytest.approx(3.0, rel=1e-6)
    t = log.t
    inside = (t > 1) & (t < 3)
    assert log["air_gusts2.gust"][:, 1] == pytest.approx(
        np.where(inside, 1.5 * (1 - np.cos(np.pi * (t - 1))), 0.0), abs=1e-12
    )
    assert turbulence[:-1] == pytest.approx(log["air_gusts.gust"][: len(turbulence) - 1], abs=1e-12)
    assert np.abs(turbulence).max() > 0.5


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: dev.DrydenTurbulence(wind="-3 m/s"), "DrydenTurbulence.wind must be at least 0.0"),
        (lambda: dev.DrydenTurbulence(every=0), "must be a positive time"),
        (
            lambda: dev.DiscreteGust(amplitude=[1, 0, 0], duration=0.0),
            "DiscreteGust.duration must be above 0.0",
        ),
        (lambda: dev.DiscreteGust(amplitude=[1, 0], duration=1.0), "the size does not fit"),
    ],
)
def test_gusts_that_cannot_be_are_refused(make, words):
    with pytest.raises(InputError, match=words):
        make()


def test_turbulence_is_stationary_whenever_a_run_begins():
    """The first sample has the intensity of all: 40 draws say so to 1/√80, 11 %."""
    made = ist.Assembly("air", seed=5)
    for k in range(40):
        made.add(
            f"g{k}",
            dev.DrydenTurbulence(seed=k, every="20 ms", sigma=2.0, altitude=5000.0, velocity=[50.0, 0, 0]),
        )
    log = ist.simulate(made, None, start=10, until=10.02, step="20 ms")
    for name in ("along", "right", "down"):
        first = [float(np.ravel(log[f"g{k}.{name}"])[0]) for k in range(40)]
        assert np.std(first) == pytest.approx(2.0, rel=0.33)


@pytest.mark.parametrize(
    ("feet", "vertical", "along", "ratio"),
    # MIL-F-8785C, 3.7.3.4: L_w = h, L_u = h / (0.177 + 0.000823 h)^1.2, σ_u / σ_w = (0.177 + 0.000823 h)^-0.4
    [(200.0, 200.0, 200.0 / 0.3416**1.2, 0.3416**-0.4), (600.0, 600.0, 600.0 / 0.6708**1.2, 0.6708**-0.4)],
)
def test_below_1000_ft_lengths_follow_the_height(feet, vertical, along, ratio):
    L_u, L_w, s_u, s_w = lengths_and_intensities(feet * FOOT, 15.0, 3.0)
    assert L_w / FOOT == pytest.approx(vertical, rel=1e-12)
    assert L_u / FOOT == pytest.approx(along, rel=1e-12)
    assert (s_w, s_u / s_w) == pytest.approx((1.5, ratio), rel=1e-12)


class Travel(ist.Device):
    """Where the air goes."""

    wind, x = ist.In("m/s", 3), ist.ContinuousState("m")

    def rates(d, t):
        d.xdot = d.wind[0]


@pytest.mark.parametrize("method", ["dopri5", "dop853"])
def test_steps_of_a_methods_own_do_not_pass_over_a_short_gust(method):
    """50 ms of gust after 50 s of calm: the air goes ½ A duration."""
    gust = dev.DiscreteGust(amplitude=[8.0, 0.0, 0.0], start=50.0, duration=0.05)
    made = ist.Assembly("x").add("gust", gust).add("air", Travel()).wire({"gust.gust": "air.wind"})
    log = ist.simulate(made, None, until=100, method=method, log_step=10)
    # steps do not end where the gust begins: its curvature jumps inside of one
    assert log["air.x"][-1] == pytest.approx(0.5 * 8.0 * 0.05, rel=1e-6)
