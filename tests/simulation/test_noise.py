"""Counter-based random numbers: Random123's known answers, moments, independence of channels and streams."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from interstage.jit import kernel
from interstage.simulation.plant.noise import normal, philox, stream_of, uniform

# kat_vectors of Random123 1.14: philox4x32, ten rounds: counter, key, result
KNOWN = [
    ("00000000 00000000 00000000 00000000", "00000000 00000000", "6627e8d5 e169c58d bc57ac4c 9b00dbd8"),
    ("ffffffff ffffffff ffffffff ffffffff", "ffffffff ffffffff", "408f276d 41c83b0e a20bc7c6 6d5451fd"),
    ("243f6a88 85a308d3 13198a2e 03707344", "a4093822 299f31d0", "d16cfe09 94fdcceb 5001e420 24126ea1"),
]


def words(text):
    return [np.uint64(int(word, 16)) for word in text.split()]


@pytest.mark.kernels
@pytest.mark.parametrize(("counter", "key", "answer"), KNOWN)
def test_known_answers_of_random123(counter, key, answer):
    found = philox(*words(counter), *words(key))
    assert [int(word) for word in found] == [int(word) for word in words(answer)]


@kernel
def fill(f, seed, stream, channels, out):
    for k in range(len(out)):
        for c in range(channels):
            out[k, c] = f(seed, stream, k, c)


def drawn(f, seed, stream, n=20000, channels=3):
    out = np.empty((n, channels))
    fill(f, seed, stream, channels, out)
    return out


def test_normal_numbers_are_normal():
    found = drawn(normal, 1, 2)
    assert stats.kstest(found.ravel(), "norm").pvalue > 1e-3
    assert np.abs(np.corrcoef(found.T) - np.eye(3)).max() < 4.0 / np.sqrt(len(found))


def test_uniform_numbers_are_uniform():
    found = drawn(uniform, 2**40 + 1, 7)
    assert found.min() > 0.0 and found.max() < 1.0
    assert stats.kstest(found.ravel(), "uniform").pvalue > 1e-3


def test_seeds_streams_and_ticks_are_independent():
    one = drawn(normal, 1, 2)[:, 0]
    for other in (drawn(normal, 2, 2), drawn(normal, 1, 3), drawn(normal, 1 + 2**32, 2)):
        assert abs(np.corrcoef(one, other[:, 0])[0, 1]) < 4.0 / np.sqrt(len(one))
    assert abs(np.corrcoef(one[1:], one[:-1])[0, 1]) < 4.0 / np.sqrt(len(one))


@pytest.mark.kernels
def test_a_number_belongs_to_its_names_alone():
    assert normal(3, 4, 10**12, 5) == normal(3, 4, 10**12, 5)
    assert normal(3, 4, 10**12, 5) != normal(3, 4, 10**12 + 1, 5)
    assert stream_of("pod1.imu") != stream_of("pod2.imu")
