"""Quaternion helpers of flight software against scipy's rotations and an integrator."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation

import interstage as ist
from interstage.errors import InputError

RNG = np.random.default_rng(5)


def quaternion_of(rotation):
    return np.roll(rotation.as_quat(), 1)


def test_steps_are_exact_at_constant_rate():
    q, rate = quaternion_of(Rotation.random(rng=1)), np.array([0.4, -1.1, 0.7])

    def slope(t, y):
        return 0.5 * ist.quaternion.product(y, [0.0, *rate])

    end = solve_ivp(slope, (0, 2.5), q, rtol=1e-12, atol=1e-13).y[:, -1]
    assert ist.quaternion.propagate(q, rate, 2.5) == pytest.approx(end, abs=1e-10)


def test_products_turns_and_vectors_agree_with_scipy():
    a, b = Rotation.random(rng=2), Rotation.random(rng=3)
    p, q, x = quaternion_of(a), quaternion_of(b), RNG.normal(size=3)
    both = ist.quaternion.product(p, q)
    assert both * np.sign(both[0]) == pytest.approx(quaternion_of(a * b) * np.sign(quaternion_of(a * b)[0]))
    assert ist.quaternion.rotate(p, x) == pytest.approx(a.apply(x))
    assert ist.quaternion.rotate(ist.quaternion.inverse(p), x) == pytest.approx(a.inv().apply(x))


def test_the_error_leads_back_to_the_command():
    for k in range(20):
        q, c = quaternion_of(Rotation.random(rng=k)), quaternion_of(Rotation.random(rng=k + 100))
        error = ist.attitude_error(q, c)
        back = ist.quaternion.rotate_by(q, -error)
        assert back * np.sign(back @ c) == pytest.approx(c, abs=1e-13)
        assert np.linalg.norm(error) <= np.pi + 1e-12
        # the sign of a quaternion means nothing
        assert ist.attitude_error(-q, c) == pytest.approx(error, abs=1e-12)


def test_small_errors_are_exact_and_complex():
    small = np.array([1e-9, -2e-9, 3e-9])
    c = quaternion_of(Rotation.random(rng=7))
    assert ist.attitude_error(ist.quaternion.rotate_by(c, small), c) == pytest.approx(small, rel=1e-6)
    found = ist.attitude_error(ist.quaternion.rotate_by(c, 1e-30j * np.array([1.0, 2.0, 3.0])), c)
    assert found.imag / 1e-30 == pytest.approx([1.0, 2.0, 3.0], rel=1e-12)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: ist.attitude_error([1, 0, 0], [1, 0, 0, 0]), "q has a wrong size; expected 4 numbers"),
        (lambda: ist.quaternion.rotate_by([1, 0, 0, 0], 0.1), "angle has a wrong size"),
        (lambda: ist.attitude_error([0, 0, 0, 0], [1, 0, 0, 0]), "q is zero"),
        (lambda: ist.quaternion.propagate("q", [0, 0, 0], 1.0), "q has a wrong size"),
    ],
)
def test_what_is_no_attitude_is_refused(call, words):
    with pytest.raises(InputError, match=words):
        call()
