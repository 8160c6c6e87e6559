"""`interstage warm` compiles once; what comes after it finds its kernels on disk."""

import json
import os
import subprocess
import sys

import pytest

from interstage.jit import COMPILED

FLIGHT = """
from interstage.demo.warm import compile_flight, compile_linear
compile_flight()
compile_linear()
"""


def python(*arguments: str) -> subprocess.CompletedProcess:
    return subprocess.run(
        [sys.executable, *arguments], capture_output=True, text=True, check=True, env=os.environ
    )


@pytest.mark.skipif(not COMPILED, reason="kernels are not kept on disk by their sources in this job")
def test_warm_leaves_nothing_to_compile():
    warm = ("-m", "interstage", "warm", "--json")
    first = json.loads(python(*warm).stdout)
    assert set(first) == {"compiled", "seconds"} and first["seconds"] > 0.0
    assert json.loads(python(*warm).stdout)["compiled"] == 0
    assert python("-c", FLIGHT).stderr == ""
