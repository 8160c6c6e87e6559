"""Measure the first minute: seconds of the processor from the start of Python to a first result.

    python -m benchmarks start

Each figure is the time of a process of its own, imports included: with an empty cache, when all kernels that it needs
are compiled, and once more, when they come from disk. Python finds the byte code of all modules on disk, as an
installation leaves it.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile

MODEL = """
import warnings
warnings.simplefilter("ignore")
import interstage as ist
from benchmarks.multibody import rigid_chain
from benchmarks.topology import component
from interstage.devices import Encoder

def flexible():
    mb = ist.Multibody("chain", gravity=[0, 0, -9.81])
    for i in range(3):
        place = {"parent": f"b{i - 1}" if i else None, "at": 11 if i else [0, 0, 0], "joint": ist.Revolute("y")}
        mb.add_body(f"b{i}", component=component(), node=1, **place)
    return mb.compile()
"""
LINEAR = (
    "s = flexible(); s.forward_dynamics(s.state()); "
    'ist.linearize(s, s.state(), inputs=[ist.JointForce("b0")], outputs=[ist.JointAngle("b2")])'
)
ASSEMBLY = (
    'a = ist.Assembly("a", vehicle=rigid_chain(5)); a.add("encoder", Encoder(joint="b0"), every="1 ms"); '
    "ist.simulate(a, a.vehicle.state(), until=0.01, step=0.001)"
)
FIRSTS = {
    "forward dynamics, rigid": "s = rigid_chain(5); s.forward_dynamics(s.state())",
    "forward dynamics, flexible": "s = flexible(); s.forward_dynamics(s.state())",
    "linearization, flexible": LINEAR,
    "flight of 10 steps, rigid": "s = rigid_chain(5); ist.simulate(s, s.state(), 0.01, 0.001)",
    "flight of an assembly, rigid": ASSEMBLY,
}
WIDTH = max(map(len, FIRSTS)) + 2


def seconds(code: str, cache: str, byte_code: str) -> float:
    """Return the seconds of the processor of a fresh interpreter that runs some code."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    settings = {"NUMBA_CACHE_DIR": cache, "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
    settings |= {"PYTHONPYCACHEPREFIX": byte_code, "PYTHONDONTWRITEBYTECODE": ""}
    command = [sys.executable, "-c", MODEL + code]
    subprocess.run(command, env={**os.environ, **settings}, check=True, stderr=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def first(code: str, byte_code: str, repeats: int = 3) -> tuple[float, float]:
    """Return the seconds to a first result: with an empty cache, and the least of some with what that left."""
    with tempfile.TemporaryDirectory() as cache:
        empty = seconds(code, cache, byte_code)
        return empty, min(seconds(code, cache, byte_code) for _ in range(repeats))


def main(arguments: list[str]) -> None:
    """Print the table."""
    print(f"{'seconds of the processor to the first':{WIDTH + 6}s} {'empty cache':>12s} {'from disk':>12s}")
    with tempfile.TemporaryDirectory() as byte_code:
        with tempfile.TemporaryDirectory() as cache:  # every module, the compiler's too
            seconds("; ".join((LINEAR, ASSEMBLY)), cache, byte_code)
        for name, code in FIRSTS.items():
            empty, again = first(code, byte_code)
            print(f"{name:{WIDTH + 6}s} {empty:12.1f} {again:12.2f}", flush=True)
