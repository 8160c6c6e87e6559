"""`interstage warm` compiles once; what comes after it finds its kernels on disk."""

import json
import subprocess
import sys

import pytest

from interstage.jit import COMPILED


def warmed() -> dict:
    """Return what the command says: it flies, linearizes and solves in processes of its own."""
    command = [sys.executable, "-m", "interstage", "warm", "--json"]
    return json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


@pytest.mark.skipif(not COMPILED, reason="kernels are not kept on disk by their sources in this job")
def test_warm_leaves_nothing_to_compile():
    first = warmed()
    assert set(first) == {"compiled", "seconds"} and first["seconds"] > 0.0
    assert warmed()["compiled"] == 0
