"""Memory that does not suffice: one sentence from every call, with what was asked for and what to do."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

from interstage.calls import named_arguments
from interstage.errors import InterstageError, OutOfMemoryError

STARVED = """
import os, resource
import numpy as np
from scipy import stats
import interstage as ist

many = ist.Multibody("m")
many.add_body("a", mass=1.0, inertia=[1, 1, 1], joint=ist.Free())
system = many.compile()
x, model = system.state(), ist.LinearModel(-np.eye(2), np.ones((2, 1)), np.ones((1, 2)), np.zeros((1, 1)))

def study(runs, size):
    ist.monte_carlo(lambda row: {"y": np.zeros(size)}, {"a": stats.norm()}, runs=runs, workers=0, progress=False)

def fly(until):
    ist.simulate(system, x, until=until, step="10 ms", progress=False)

def batch(samples):
    ist.simulate_batch(system, x, until=0.1, step=0.01, samples=samples)

fly(0.1), batch(2), study(2, 1)
f_hz = np.ones(4_000_000)
respond = lambda: model.frequency_response(f_hz)
for call in (lambda: fly(1e6), lambda: batch(10**6), lambda: study(1000, 10**5), respond):
    child = os.fork()
    if child:
        os.waitpid(child, 0)
        continue
    with open("/proc/self/statm") as f:
        room = int(f.read().split()[0]) * resource.getpagesize() + 60 * 2**20
    resource.setrlimit(resource.RLIMIT_AS, (room, room))
    try:
        call()
    except ist.InterstageError as error:
        print(isinstance(error, MemoryError), error, flush=True)
    os._exit(0)
"""
PIECE = r"got none for a piece of [\d.]+ [KMG]iB; "


@pytest.mark.skipif(sys.platform != "linux", reason="limits of memory are kept by Linux alone")
def test_calls_that_ask_for_more_memory_than_there_is_say_so():
    result = subprocess.run([sys.executable, "-c", STARVED], capture_output=True, text=True, timeout=300)
    said = result.stdout.splitlines()
    assert len(said) == 4, result.stderr
    for line, words in zip(
        said,
        (
            r"to go on at t = \d+.*; log less: log_step=, .*log= keeps what was flown",
            f"for simulate_batch; {PIECE}ask for less: fewer samples at once, .*log_step=",
            f"for monte_carlo; {PIECE}ask for less: fewer runs, fewer outputs",
            f"for LinearModel.frequency_response; {PIECE}ask for less: fewer frequencies",
        ),
        strict=True,
    ):
        assert re.match(f"True there is not enough memory {words}", line), line


def test_the_call_of_the_user_speaks_and_what_it_held_is_let_go():
    """Memory that the frames of the failed call hold is free again where the error is caught."""
    held = []

    class Large:
        def __del__(self):
            held.append("let go")

    @named_arguments
    def asks(n_modes: int):
        large = Large()
        raise MemoryError(f"Unable to allocate {n_modes} TiB for an array", large.__class__.__name__)

    with pytest.raises(
        OutOfMemoryError, match=r"^there is not enough memory for asks; .*fewer modes$"
    ) as caught:
        asks(3)
    assert held == ["let go"] and isinstance(caught.value, InterstageError) and caught.value.got is not None
