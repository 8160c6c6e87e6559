"""Satellite navigation: the place of the antenna, white and slow errors as declared."""

from __future__ import annotations

import numpy as np
import pytest

import interstage as ist
from interstage import devices as dev


@pytest.fixture(scope="module")
def bus():
    mb = ist.Multibody("bus")
    mb.add_body("bus", mass=10.0, inertia=[2.0, 2.0, 2.0], joint=ist.Free())
    return mb.compile()


def test_an_antenna_moves_with_its_body(bus):
    made = ist.Assembly("x", vehicle=bus).add("gps", dev.GPS(at=("bus", [0, 2.0, 0])), every="0.5 s")
    x = bus.state()
    x["bus"].velocity[:] = [0, 0, 0.3, 5.0, 0, 1.0]
    log = ist.simulate(made, x, until=4, step="10 ms")
    t = log.times("gps.position")
    # the centre moves straight: 5 and 1 m/s in axes that turn at 0.3 rad/s at the start
    arm = 2.0 * np.stack([-np.sin(0.3 * t), np.cos(0.3 * t), 0 * t], axis=1)
    assert log["gps.position"] == pytest.approx(np.outer(t, [5.0, 0, 1.0]) + arm, abs=1e-8)
    spin = 0.3 * np.stack([-arm[:, 1], arm[:, 0], 0 * t], axis=1)
    assert log["gps.velocity"] == pytest.approx([5.0, 0, 1.0] + spin, abs=1e-8)


def test_errors_are_white_and_slow_as_declared(bus):
    gps = dev.GPS(at="bus", noise="2 m", drift="5 m", drift_time="30 s", velocity_noise="0.1 m/s")
    made = ist.Assembly("x", vehicle=bus, seed=4).add("gps", gps, every=1)
    log = ist.simulate(
        made, None, until=100_000, step=1, log_step=100_000, keep=["gps.position", "gps.velocity"]
    )
    error = log["gps.position"]
    # 10⁵ s are some 3,000 correlation times of three axes
    lag = {m: np.mean([(e[m:] * e[: len(e) - m]).mean() for e in error.T]) for m in (0, 1, 30, 60)}
    expected = {m: 25.0 * np.exp(-m / 30.0) + (4.0 if m == 0 else 0.0) for m in lag}
    assert list(lag.values()) == pytest.approx(list(expected.values()), abs=1.0)
    assert log["gps.velocity"].std(axis=0) == pytest.approx(0.1, rel=0.01)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"noise": "-1 m"}, "GPS.noise must be at least 0.0"),
        ({"drift_time": 0}, "GPS.drift_time must be above 0.0"),
        ({"velocity_noise": "1 m"}, "the units do not fit"),
    ],
)
def test_receivers_that_cannot_be_are_refused(arguments, said):
    with pytest.raises(ist.InterstageError, match=said):
        dev.GPS(at="bus", **arguments)
