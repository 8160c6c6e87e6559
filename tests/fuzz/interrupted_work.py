"""Interrupt all that takes long at random instants: each interrupt is heard, or the result is the same.

    python tests/fuzz/interrupted_work.py [INTERRUPTS OF EACH] [SEED] [PROGRAM ...]

Programs: batches, compilation, linear analyses, runs that go on from checkpoints, studies.

Every program runs in a process of its own. SIGINT must come out as KeyboardInterrupt, SIGTERM ends the process; what
finishes all the same prints what an undisturbed program prints, and a study that was interrupted goes on to the same
digest. Prints the counts as JSON; ends with 1 where something was lost.
"""

from __future__ import annotations

import collections
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
BEGIN = """
import signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)
import hashlib
import numpy as np
import interstage as ist
from scipy import stats
"""
END = """
if __name__ == "__main__":
    print("GO", flush=True)
    try:
        found = work(sys.argv[1])
    except KeyboardInterrupt:
        print("heard", flush=True)
    else:
        print("same", found, flush=True)
"""
PROGRAMS = {
    "batch": """
mb = ist.Multibody("two")
mb.add_body("a", mass=1.0, inertia=[1, 2, 3], joint=ist.Free())
mb.add_body("b", mass=1.0, inertia=[0.1, 0.1, 0.1], parent="a", joint=ist.Revolute("z", stiffness=4.0))
system = mb.compile()
x = system.state()
x["a"].v[:3] = [0.1, 0.2, 0.3]
def work(folder):
    log = ist.simulate_batch(system, x, until=4.0, step=0.002, samples=400, log_step=0.1, threads=1)
    return hashlib.sha1(np.ascontiguousarray(log.sample(3)["a"].q).tobytes()).hexdigest()
""",
    "compile": """
from interstage.jit import kernel
def work(folder):
    @kernel
    def total(x, n):
        s = 0.0
        for k in range(n):
            s += np.sin(x * k) + np.linalg.norm(np.ones(3) * k)
        return s
    return f"{total(1.0, 10):.9f}"
""",
    "linear": """
import sys as s
s.path[:0] = PATHS
import every_call
def work(folder):
    found = hashlib.sha1()
    flight, x = every_call.controlled_cart()
    log = ist.simulate(flight, x, until=2.0, step="10 ms", progress=False)
    for point in (x, *ist.points(log, [0.5, 1.0, 1.5], balance=False)):
        trim = ist.trim(flight, point)
        model = ist.linearize(flight, trim, sampled=True)
        loop = ist.open_loop(flight, trim, at="rail.command")
        for array in (trim.q, model.A, loop.A, loop.frequency_response([0.1, 1.0])):
            found.update(np.ascontiguousarray(array).tobytes())
        found.update(repr(loop.margins().rows).encode())
    return found.hexdigest()
""",
    "resume": """
import sys as s
from pathlib import Path
s.path[:0] = PATHS
import hostile
def work(folder):
    place = Path(folder)
    place.mkdir(exist_ok=True)
    for name, data in hostile.flown().items():
        (place / name).write_bytes(data)
    log = ist.resume(place / "hostile.ckpt.h5", until=5.0)
    again = ist.load(place / "hostile.h5")
    found = hashlib.sha1(np.ascontiguousarray(log["hinge.angle"]).tobytes())
    found.update(np.ascontiguousarray(again["law.torque"]).tobytes())
    return found.hexdigest()
""",
    "study": """
import time
def build(row):
    time.sleep(0.02)
    return {"y": 2 * row["a"]}
def work(folder):
    return ist.monte_carlo(build, {"a": stats.norm()}, runs=30, seed=3, folder=folder, workers=2, progress=False).digest
""",
}
BAD = ("wrong", "swallowed", "noise", "hangs", "parts")


def run(program: Path, folder: Path) -> subprocess.Popen:
    """Start a program; one that compiles finds nothing on disk."""
    fresh = {"NUMBA_CACHE_DIR": str(folder / "cache")} if program.stem == "compile" else {}
    return subprocess.Popen(
        [sys.executable, str(program), str(folder)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, **fresh},
    )


def interrupted(
    rng: random.Random, program: Path, folder: Path, wall: float, whole: str
) -> collections.Counter:
    """Return how one program ended, and what it left."""
    number = rng.choice((signal.SIGINT, signal.SIGINT, signal.SIGTERM))
    started = run(program, folder)
    assert started.stdout is not None
    started.stdout.readline()
    time.sleep(rng.uniform(0.0, wall))
    started.send_signal(number)
    found = collections.Counter(interrupts=1)
    try:
        out, err = started.communicate(timeout=60)
    except subprocess.TimeoutExpired:
        started.kill()
        found["hangs"] += 1
        return found
    if out.strip() == "heard" or (number == signal.SIGTERM and started.returncode == -number and not out):
        found["heard"] += 1
    elif out.strip() == whole:
        found["same"] += 1
    else:
        found["wrong" if out else "swallowed"] += 1
    found["noise"] += number == signal.SIGINT and bool(err.strip()) and "__del__" not in err  # llvmlite's own
    if any(found[name] for name in BAD):
        print(program.stem, number.name, dict(found), started.returncode, out, err[-600:], file=sys.stderr)
    return found


def main(interrupts: int = 20, seed: int = 1, *names: str) -> dict[str, dict[str, int]]:
    """Interrupt each program so many times, or those that are named; return the counts."""
    rng, scratch, every = random.Random(seed), Path(tempfile.mkdtemp()), {}
    for name in names or PROGRAMS:
        text = PROGRAMS[name]
        program = scratch / f"{name}.py"
        paths = [str(HERE), str(HERE.parent), str(HERE.parent / "nastran")]
        program.write_text(BEGIN + text.replace("PATHS", repr(paths)) + END, encoding="utf-8")
        for k in range(2):  # the second time the kernels of the package are on disk
            undisturbed = run(program, scratch / f"whole{name}{k}")
            assert undisturbed.stdout is not None
            undisturbed.stdout.readline()
            begun = time.perf_counter()
            whole = undisturbed.communicate()[0].strip()
            wall = time.perf_counter() - begun
        found = collections.Counter(dict.fromkeys(("interrupts", "heard", "same", *BAD), 0))
        for _ in range(interrupts):
            folder = scratch / "one"
            shutil.rmtree(folder, ignore_errors=True)
            found.update(interrupted(rng, program, folder, wall, whole))
            if name == "study":
                again = run(program, folder).communicate()[0].split("GO")[-1].strip()
                found["wrong"] += again != whole
                found["parts"] += len(list(folder.rglob("*.part")))
        every[name] = dict(found)
    shutil.rmtree(scratch)
    return every


if __name__ == "__main__":
    counts = main(*map(int, sys.argv[1:3]), *sys.argv[3:])
    print(json.dumps(counts))
    sys.exit(any(one[name] for one in counts.values() for name in BAD))
