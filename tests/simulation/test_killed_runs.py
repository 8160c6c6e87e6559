"""Runs that are killed at random instants leave files that open, and what is resumed is the run: a few of the kills of
the study."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import interstage as ist

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are forked here")
def test_killed_runs_leave_files_that_open_and_go_on():
    """In a process of its own, which forks runs without compiling again; the study kills a hundred."""
    path = os.pathsep.join([str(Path(ist.__file__).parents[1]), str(ROOT)])
    done = subprocess.run(
        [sys.executable, "-m", "validation.killed_runs", "6", "3"],
        capture_output=True,
        text=True,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": path},
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["kills"] == 6 and found["resumed"] >= 1 and found["logs"] >= 1
    bad = ("unreadable_logs", "unreadable_checkpoints", "rows_lost", "rows_changed", "other_digests")
    assert {name: found[name] for name in bad} == dict.fromkeys(bad, 0)
