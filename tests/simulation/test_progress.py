"""How far a run has come is shown where someone looks, and changes nothing."""

from __future__ import annotations

import io

import numpy as np
import pytest
from device_library import Counter, Lag
from rich.console import Console

import interstage as ist
from interstage.simulation.run import real_time as progress


@pytest.fixture
def terminal(monkeypatch):
    """A terminal that someone looks at, of whose patience nothing is left."""
    console = Console(file=io.StringIO(), force_terminal=True, width=120)
    monkeypatch.setattr(progress, "console", lambda: console)
    monkeypatch.setattr(progress, "PATIENCE_S", 0.0)
    monkeypatch.setattr(progress, "BLINK_S", 1e-4)
    return console.file


def made():
    flight = ist.Assembly("seen").add("lag", Lag()).add("c", Counter(), every="1/7 s")
    return flight.add("law", lambda t, n: 0.1 * n, every="0.3 s", out={"u": "N"}).wire(
        {"c.n": "law.n", "law.u": "lag.u"}
    )


def test_a_bar_shows_time_and_speed_and_changes_no_bit(terminal, tmp_path):
    log = ist.simulate(made(), None, until=20, step="10 ms", log=tmp_path / "a.h5", checkpoint="6 s")
    said = terminal.getvalue()
    assert "seen  t = " in said and "of 20 s" in said and "× real time" in said
    plain = ist.simulate(made(), None, until=20, step="10 ms", progress=False)
    assert np.array_equal(log["lag.y"], plain["lag.y"]) and np.array_equal(log.t, plain.t)
    assert ist.load(tmp_path / "a.ckpt.h5").t == pytest.approx(18.0)


def test_nothing_is_shown_when_it_is_not_wanted(terminal):
    ist.simulate(made(), None, until=20, step="10 ms", progress=False)
    assert terminal.getvalue() == ""


def test_nothing_is_shown_where_nobody_looks(capsys, monkeypatch):
    monkeypatch.setattr(progress, "PATIENCE_S", 0.0)
    shown = progress.Progress("x", 0.0, 10.0)
    assert shown.console is None and shown.pause(3.0) == np.inf
    ist.simulate(made(), None, until=20, step="10 ms")
    assert capsys.readouterr() == ("", "")


def test_a_run_that_fails_takes_its_bar_away(terminal):
    flight = ist.Assembly("x").add("law", lambda t: 1.0 if t < 15.0 else 1 / 0, every="0.1 s", out={"y": "1"})
    with pytest.raises(ist.InterstageError, match="'law' failed at t = 15"):
        ist.simulate(flight, None, until=20, step="10 ms")
    assert terminal.getvalue().endswith("\x1b[2K")  # the line is erased
