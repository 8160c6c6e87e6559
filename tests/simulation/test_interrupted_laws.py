"""An interrupt at any instant of a run with a law is heard, or the run is the same to the last bit."""

from __future__ import annotations

import inspect
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import interstage as ist

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are forked here")
def test_interrupts_are_heard_or_the_run_is_the_same():
    """In a process of its own, which forks runs without compiling again; the night has more of them."""
    done = subprocess.run(
        [sys.executable, str(ROOT / "tests" / "fuzz" / "interrupts.py"), "30", "5"],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(Path(ist.__file__).parents[1])},
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout.splitlines()[-1])
    assert found["interrupts"] == 30 and found["heard"] > 10
    assert found["wrong"] == found["swallowed"] == found["noise"] == found["bad logs"] == found["parts"] == 0


IN_A_LAW = """
import signal
import interstage as ist
from interstage.errors import SolverError

class Stop(BaseException):
    pass

def stop(number, frame):
    raise Stop

def law(t, y):
    calls.append(t)
    if len(calls) == 5:
        signal.raise_signal(signal.SIGINT)
    return y

signal.signal(signal.SIGINT, stop)
calls = []
flight = ist.Assembly("x").add("law", law, every="10 ms", out={"u": "1"}, inputs={"y": "1"})
try:
    ist.simulate(flight, None, until=1, step="10 ms", set={"law.y": 1.0}, progress=False)
except Stop as error:
    print(len(calls), len(error.log.t) < 10)
"""


def test_what_a_handler_of_the_program_raises_comes_through():
    """Also where it is no KeyboardInterrupt; nothing is said on stderr."""
    done = subprocess.run(
        [sys.executable, "-c", IN_A_LAW],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(Path(ist.__file__).parents[1])},
    )
    said = done.stderr.replace("interstage: compiling kernels (once) ...\n", "")
    assert (done.returncode, done.stdout, said) == (0, "5 True\n", "")


def test_an_interrupt_while_the_log_is_closed_is_heard(tmp_path, monkeypatch):
    """The file is closed by then: closing it once more brings nothing else."""
    from interstage.simulation.log.hdf5 import FlightWriter

    commit = FlightWriter.commit

    def interrupted(self):
        commit(self)
        if inspect.stack()[1].function == "close":
            monkeypatch.setattr(FlightWriter, "commit", commit)  # once
            raise KeyboardInterrupt

    monkeypatch.setattr(FlightWriter, "commit", interrupted)
    mb = ist.Multibody("stone")
    mb.add_body("stone", mass=2.0, inertia=[1, 1, 1], joint=ist.Free())
    system = mb.compile()
    with pytest.raises(KeyboardInterrupt):
        ist.simulate(system, system.state(), until=0.1, step=0.01, log=tmp_path / "a.h5")
    assert len(ist.load(tmp_path / "a.h5").t) == 11
