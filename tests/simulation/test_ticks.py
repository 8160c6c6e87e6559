"""Periods as fractions and clocks of whole ticks."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from interstage.errors import InputError
from interstage.simulation.plant.clock import Clock, period_of


@pytest.mark.parametrize(
    ("given_", "seconds"),
    [
        ("5 ms", Fraction(1, 200)),
        ("2.5ms", Fraction(1, 400)),
        ("1/3 s", Fraction(1, 3)),
        ("50 Hz", Fraction(1, 50)),
        ("1 min", Fraction(60)),
        ("7", Fraction(7)),
        (0.1, Fraction(1, 10)),
        (1 / 3, Fraction(1, 3)),
        (3, Fraction(3)),
        (Fraction(2, 7), Fraction(2, 7)),
        ("1e-3 s", Fraction(1, 1000)),
    ],
)
def test_times_are_read_exactly(given_, seconds):
    assert period_of(given_) == seconds


@pytest.mark.parametrize(
    ("given_", "said"),
    [
        (-0.1, "imu, every must be a positive time; got -0.1"),
        ("0 s", "positive time"),
        ("-5 ms", "positive time"),
        ("5 m", "is not a time"),
        ("soon", "is not a time"),
        (float("nan"), "is not a time"),
        (None, "is not a time"),
        (2**0.5, "no short fraction of a second"),
    ],
)
def test_what_is_no_period_is_refused(given_, said):
    with pytest.raises(InputError, match=said):
        period_of(given_, "imu, every")


def test_an_offset_may_be_zero():
    assert period_of(0, zero=True) == 0


@given(st.lists(st.fractions(Fraction(1, 500), 10, max_denominator=500), min_size=1, max_size=5))
def test_every_time_falls_on_a_tick_and_no_coarser_clock_will_do(times):
    clock = Clock.of(times)
    counts = [clock.ticks(time) for time in times]
    assert [n * clock.tick for n in counts] == times
    assert math.gcd(*counts) == 1


def test_times_of_ticks_do_not_drift():
    clock = Clock.of([period_of("1/3 s"), period_of("1/7 s"), period_of("20 ms")])
    assert clock == Clock(1, 1050)
    assert clock.seconds(1050 * 10**9) == 1e9
    assert clock.seconds(350) == 1 / 3
    with pytest.raises(InputError, match="falls on no tick"):
        clock.ticks(Fraction(1, 1000))
