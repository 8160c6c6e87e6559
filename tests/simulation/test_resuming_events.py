"""Runs with events go on from checkpoints bit for bit: signs and rests of conditions, phases, changed vehicles."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import flight_laws as laws
import numpy as np
import pytest
from breaking import broken_off

import interstage as ist
from interstage.errors import FileError, InputError
from interstage.simulation.run.runner import Runner
from interstage.simulation.run.spec import RunSpec

HERE = Path(__file__).parent
METHODS = [{"step": "10 ms"}, {"step": None, "method": "dopri5"}, {"step": None, "method": "dop853"}]


def same_bits(ours, theirs):
    assert len(ours.phases) == len(theirs.phases) == 4
    for a, b in zip(ours.phases, theirs.phases):
        assert a.system.bodies == b.system.bodies and a.system.settings == b.system.settings
        assert all(np.array_equal(getattr(a, name), getattr(b, name)) for name in ("t", "q", "v"))
    for name in theirs.names():
        assert np.array_equal(ours[name], theirs[name], equal_nan=True), name
    assert list(map(str, ours.events)) == list(map(str, theirs.events))
    for a, b in zip(ours.events, theirs.events):
        assert a.t == b.t and np.array_equal(a.momentum_after, b.momentum_after)
        assert (a.energy_before, a.energy_after) == (b.energy_before, b.energy_after)


@pytest.fixture(scope="module", params=METHODS, ids=str)
def unbroken(request, tmp_path_factory):
    made, x, events = laws.changing()
    # checkpoints change nothing; those of scipy are where its steps begin anew, so that all have the same
    path = tmp_path_factory.mktemp("whole") / "whole.h5"
    log = ist.simulate(made, x, until=2, events=events, log=path, checkpoint="0.13 s", **request.param)
    return request.param, log


# locked; after the arm has left, between bounces; at rest; after the arm was removed
@pytest.mark.parametrize("saves", [2, 4, 10, 14])
def test_a_run_with_events_goes_on_bit_for_bit(unbroken, saves, tmp_path):
    options, whole = unbroken
    assert [e.name for e in whole.events].count("hit") > 10
    assert whole.events[-2].what.startswith("at rest") and whole.events[-1].name == "gone"
    made, x, events = laws.changing()
    broken_off(Runner(RunSpec(made, x, 2, events=events, **options)), tmp_path / "x.h5", "0.13 s", saves)
    same_bits(ist.resume(tmp_path / "x.ckpt.h5"), whole)
    same_bits(ist.load(tmp_path / "x.h5"), whole)


def test_another_process_needs_the_checkpoint_and_the_code_alone(unbroken, tmp_path):
    options, whole = unbroken
    made, x, events = laws.changing()
    broken_off(Runner(RunSpec(made, x, 2, events=events, **options)), tmp_path / "x.h5", "0.13 s", 5)
    code = "import sys, flight_laws, interstage as ist; ist.resume(sys.argv[1])"
    path = os.pathsep.join([str(Path(ist.__file__).parents[1]), str(HERE)])
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "x.ckpt.h5")],
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    same_bits(ist.load(tmp_path / "x.h5"), whole)


def test_events_without_names_are_given(tmp_path):
    def build():
        made, x, events = laws.changing()
        return made, x, [*events, ist.Event(lambda t, x: t - 1.9, name="late")]

    made, x, events = build()
    whole = ist.simulate(made, x, until=2, events=events)
    made, x, events = build()
    broken_off(Runner(RunSpec(made, x, 2, events=events)), tmp_path / "x.h5", "0.5 s", 2)
    with pytest.raises(InputError, match=r"events cannot be made again.*lambda.*events=\[\.\.\.\]"):
        ist.resume(tmp_path / "x.ckpt.h5")
    with pytest.raises(FileError, match="a run with other events"):
        ist.resume(tmp_path / "x.ckpt.h5", events=events[:2])
    again = build()[2]
    again[2].action.count = events[2].action.count  # what actions remember is whoever gives them
    same_bits(ist.resume(tmp_path / "x.ckpt.h5", events=again), whole)
