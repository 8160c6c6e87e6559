"""Runs that start at another time than zero: one clock for all, whatever the start."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from breaking import broken_off
from device_library import Counter, Gain, Lag

import interstage as ist
from interstage.errors import InputError
from interstage.simulation.plant.noise import normal
from interstage.simulation.run.runner import Runner
from interstage.simulation.run.spec import RunSpec


class Dice(ist.Device):
    """A random number, its number and its time at every sample."""

    y, number, at = ist.Out(), ist.Out(), ist.Out("s")

    def sample(d, t):
        d.y = normal(d.seed, d.stream, d.tick, 0)
        d.number = d.tick
        d.at = t


PERIODS = {"third": Fraction(1, 3), "seventh": Fraction(1, 7), "fiftieth": Fraction(1, 50)}


def dice(offset=0):
    made = ist.Assembly("dice", seed=3)
    for name, every in PERIODS.items():
        made.add(name, Dice(), every=every, offset=offset)
    return made


@pytest.mark.parametrize("offset", [Fraction(0), Fraction(1, 10), Fraction(31, 3)])
@pytest.mark.parametrize("start", [Fraction(10), Fraction(101, 10), Fraction(1, 21)])
def test_samples_fall_where_those_of_a_run_from_zero_fall(start, offset):
    log = ist.simulate(dice(offset), None, start=start, until=12, step=1)
    for name, every in PERIODS.items():
        table = [(k, offset + k * every) for k in range(12 * 50 + 1)]
        exact = [(k, t) for k, t in table if start <= t <= 12]
        assert log[f"{name}.at"].tolist() == [float(t) for _, t in exact] == log.times(f"{name}.at").tolist()
        assert log[f"{name}.number"].tolist() == [k for k, _ in exact]
    assert log.t[0] == float(start) and log.t[-1] == 12.0


def test_noise_is_that_of_a_run_from_zero():
    whole = ist.simulate(dice(), None, until=4, step=1)
    late = ist.simulate(dice(), None, start="5/2 s", until=4, step=1)
    for name in PERIODS:
        tail = whole[f"{name}.y"][whole.times(f"{name}.y") >= 2.5]
        assert len(tail) > 3 and np.array_equal(late[f"{name}.y"], tail)


def test_devices_see_the_time():
    log = ist.simulate(ist.Assembly("x").add("g", Gain(u=0.0, b=1.0)), None, start=3, until=5, step="0.25 s")
    # rows at the beginning of a step show what is just after it, by 1e-15 of the time
    assert log["g.y"] == pytest.approx(np.cos(log.t), abs=1e-14) and log.t[0] == 3.0
    assert log.end.t == 5.0


def loop():
    made = ist.Assembly("loop").add("lag", Lag(tau=0.3)).add("count", Counter(), every="0.2 s")
    made.add("law", lambda t, y, n: 1.0 + 0.1 * n - y, every="0.3 s", out={"u": "N"})
    return made.wire({"lag.y": "law.y", "law.u": "lag.u"}).wire({"count.n": "law.n"}, delay="0.4 s")


def test_a_run_cut_in_two_is_the_run_in_one():
    """Cut where nothing is sampled: the second part begins with what the first one held."""
    whole = ist.simulate(loop(), None, until=3, step="0.1 s")
    cut = loop()
    first = ist.simulate(cut, None, until=1.1, step="0.1 s")
    second = ist.simulate(cut, first.end, start=first.end.t, until=3, step="0.1 s")
    assert second.t[0] == first.t[-1] == 1.1
    rest = whole.t >= 1.1 - 1e-9
    assert second.t == pytest.approx(whole.t[rest], abs=1e-12)
    # the same steps, whose lengths are rounded differently
    assert second["lag.y"] == pytest.approx(whole["lag.y"][rest], abs=1e-14)
    assert second["law.u"] == pytest.approx(whole["law.u"][whole.times("law.u") > 1.1], abs=1e-13)
    assert second["count.n"].tolist() == whole["count.n"][whole.times("count.n") > 1.1].tolist()


def test_rows_of_log_step_fall_on_its_multiples_and_on_the_start():
    log = ist.simulate(loop(), None, start="0.35 s", until=2, step="0.1 s", log_step="0.5 s")
    assert log.t.tolist() == [0.35, 0.5, 1.0, 1.5, 2.0]


def test_a_resumed_run_keeps_its_start(tmp_path):
    whole = ist.simulate(loop(), None, start="7/3 s", until=6, step="30 ms")
    times = broken_off(Runner(RunSpec(loop(), None, 6, "30 ms", start="7/3 s")), tmp_path / "x.h5", "1 s", 2)
    assert times == pytest.approx([3.0, 4.0], abs=0.031)
    again = ist.resume(tmp_path / "x.ckpt.h5", loop())
    assert np.array_equal(again.t, whole.t)
    for name in ("lag.y", "law.u", "count.n"):
        assert np.array_equal(again[name], whole[name])


@pytest.mark.parametrize(
    ("start", "said"),
    [
        (-1, "start must be a time that is not negative; got -1"),
        (5, "a run ends after its start; expected until > 5 s, got 5 s"),
        ("10 m", "start is not a time"),
    ],
)
def test_starts_that_cannot_be_are_refused(start, said):
    with pytest.raises(InputError, match=said):
        ist.simulate(loop(), None, start=start, until=5)
