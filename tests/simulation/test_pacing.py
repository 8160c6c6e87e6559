"""Runs in step with the clock on the wall."""

from __future__ import annotations

import time

import numpy as np
import pytest
from device_library import Counter, Lag

import interstage as ist
from interstage.errors import InputError
from interstage.simulation.run.real_time import Pacer


def lagging():
    made = ist.Assembly("x").add("lag", Lag(u=1.0)).add("count", Counter(), every="20 ms")
    return made.add("third", Counter(), every="1/3 s", offset="5 ms")


def test_a_paced_run_takes_its_time_and_says_how_well_it_kept_it():
    begin = time.perf_counter()
    log = ist.simulate(lagging(), None, until="0.4 s", step="5 ms", pace=2.0)
    took = time.perf_counter() - begin
    pacing = log.info["pacing"]
    assert took >= 0.2
    # ticks of both devices: 21 of one, 0.005 and 0.338 of the other
    assert (pacing.pace, pacing.ticks) == (2.0, 23) and 0 <= pacing.overruns <= 23
    assert 0.0 <= pacing.mean <= pacing.worst
    assert "23 ticks at 2 of real time" in str(pacing)
    assert [str(event) for event in log.events] == [f"t = 0.4: paced ({pacing})"]


def test_pacing_changes_no_number():
    plain = ist.simulate(lagging(), None, until="0.1 s", step="5 ms")
    paced = ist.simulate(lagging(), None, until="0.1 s", step="5 ms", pace=20)
    for name in plain.names():
        assert np.array_equal(plain[name], paced[name])
    assert np.array_equal(plain.t, paced.t) and "pacing" not in plain.info


def test_a_run_without_samples_is_paced_by_its_steps():
    made = ist.Assembly("x").add("lag", Lag(u=1.0))
    log = ist.simulate(made, None, until="0.1 s", step="10 ms", pace=5.0)
    assert log.info["pacing"].ticks == 11
    assert np.array_equal(log["lag.x"], ist.simulate(made, None, until="0.1 s", step="10 ms")["lag.x"])


def test_samples_come_when_they_are_due():
    """A law reads the clock on the wall: never before its time, whatever the load of this machine."""
    seen = []

    def law(t):
        seen.append((t, time.perf_counter()))

    made = ist.Assembly("x").add("law", law, every="20 ms")
    ist.simulate(made, None, until="0.02 s", step="5 ms")  # compiled and ready
    seen.clear()
    began = time.perf_counter()  # the first sample may be late itself, so that it is no zero
    ist.simulate(made, None, until="0.2 s", step="5 ms", pace=1.0)
    t, wall = np.array(seen).T
    assert len(t) == 11 and (wall - began >= t).all()


def test_a_slow_law_overruns_and_the_run_catches_up():
    def law(t):
        time.sleep(0.05 if abs(t - 0.04) < 1e-9 else 0.0)

    begin = time.perf_counter()
    log = ist.simulate(
        ist.Assembly("x").add("law", law, every="20 ms"), None, until="0.4 s", step="20 ms", pace=1.0
    )
    pacing = log.info["pacing"]
    # reached at 0.09 s of the wall: the ticks 0.06 and 0.08 are late
    assert pacing.overruns >= 2 and pacing.worst >= 0.03 - 1e-3
    assert time.perf_counter() - begin >= 0.4


def test_lateness_is_measured_from_when_a_tick_is_due(monkeypatch):
    """The same with a clock made by hand: ticks are due at 0, 0.1, 0.2 s; work takes 0.03 s, once 0.25 s."""
    now = [10.0]

    def sleep(seconds):
        now[0] += seconds + 50e-6

    def perf_counter():
        now[0] += 1e-6
        return now[0]

    monkeypatch.setattr(time, "sleep", sleep)
    monkeypatch.setattr(time, "perf_counter", perf_counter)
    pacer = Pacer(1.0)
    for k, work in enumerate((0.03, 0.25, 0.03, 0.03, 0.03)):
        pacer.wait(5.0 + 0.1 * k)
        now[0] += work
    found = pacer.result()
    # 0.35 instead of 0.2, 0.38 instead of 0.3, 0.41 instead of 0.4
    assert (found.ticks, found.overruns) == (5, 3)
    assert found.worst == pytest.approx(0.15, abs=1e-3) and found.mean == pytest.approx(0.24 / 5, abs=1e-3)


def test_a_paced_run_is_resumed_paced(tmp_path):
    log = ist.simulate(
        lagging(), None, until="0.2 s", step="5 ms", pace=10.0, log=tmp_path / "x.h5", checkpoint="0.09 s"
    )
    again = ist.resume(tmp_path / "x.ckpt.h5", lagging())
    assert np.array_equal(again["lag.x"], log["lag.x"])
    assert again.info["pacing"].ticks < log.info["pacing"].ticks
    assert [event.name for event in ist.load(tmp_path / "x.h5").events] == ["paced"]


@pytest.mark.parametrize("pace", [0, -1.0, np.nan, "fast", True])
def test_paces_that_are_none_are_refused(pace):
    with pytest.raises(InputError, match=r"pace must be a positive number; expected 1.0 for real time"):
        ist.simulate(lagging(), None, until=1, pace=pace)
