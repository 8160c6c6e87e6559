"""Encoders: counts in closed form, the error of a quantizer, rates by difference."""

from __future__ import annotations

import numpy as np
import pytest

import interstage as ist
from interstage import devices as dev


@pytest.fixture(scope="module")
def spinning():
    mb = ist.Multibody("disk")
    mb.add_body("disk", mass=1.0, inertia=[1, 1, 1], joint=ist.Revolute("z"))
    return mb.compile()


def test_counts_are_those_of_the_angle(spinning):
    made = ist.Assembly("x", vehicle=spinning).add(
        "e", dev.Encoder(joint="disk", counts=1000, zero="0.1 deg"), every="1 ms"
    )
    log = ist.simulate(made, spinning.state(v=[1.234567]), until=4, step="1 ms", log_step="1 ms")
    q = 1.234567 * log.times("e.angle") + np.radians(0.1)
    lsb = 2 * np.pi / 1000
    assert log["e.angle"] == pytest.approx(lsb * np.rint(q / lsb), abs=1e-12)
    error = (log["e.angle"] - q) / lsb
    assert error.std() == pytest.approx(1 / np.sqrt(12), rel=0.01)  # uniform: 786 counts are passed
    assert log["e.rate"][1:] == pytest.approx(np.diff(log["e.angle"]) / 1e-3, abs=1e-9)


def test_an_ideal_encoder_is_exact_and_linear(spinning):
    made = ist.Assembly("x", vehicle=spinning).add("e", dev.Encoder(joint="disk", counts=8), every="10 ms")
    lin = ist.linearize(made, spinning.state(), outputs=["e.angle", "e.rate"], sampled=True)
    assert lin.states == ["disk.angle", "disk.angle_rate", "e.before"]
    np.testing.assert_allclose(lin.A, [[1.0, 0.01, 0.0], [0.0, 1.0, 0.0], [1.0, 0.0, 0.0]], atol=1e-12)
    np.testing.assert_allclose(lin.C, [[1.0, 0.0, 0.0], [100.0, 0.0, -100.0]], atol=1e-10)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"counts": 4096.5}, "Encoder.counts is a whole number; got 4096.5"),
        ({"counts": -1}, r"Encoder.counts must be at least 0.0; expected in numbers, got -1"),
        ({"noise": "-1 rad"}, "Encoder.noise must be at least 0.0"),
        ({"every": 0}, "Encoder, every must be a positive time"),
    ],
)
def test_encoders_that_cannot_be_are_refused(arguments, said):
    with pytest.raises(ist.InterstageError, match=said):
        dev.Encoder(joint="disk", **arguments)
