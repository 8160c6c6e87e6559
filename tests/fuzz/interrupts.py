"""Interrupt runs with a law at random instants: each is heard, or the run is the same to the last bit.

    python tests/fuzz/interrupts.py [INTERRUPTS] [SEED]

SIGINT must come out as KeyboardInterrupt with the log up to then; SIGTERM ends the process, its files closed. Rows of a
log are those of the whole run. Prints the counts as JSON; ends with 1 where something was lost.
"""

from __future__ import annotations

import collections
import json
import os
import random
import shutil
import signal
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

import interstage as ist
from interstage.growing import is_marked


class Lag(ist.Device):
    """A command that is followed with a delay."""

    tau = ist.Parameter("s", 2.0)
    u, y, x = ist.In("N"), ist.Out("N"), ist.ContinuousState("N", initial=1.0)

    def outputs(d, t):
        d.y = d.x

    def rates(d, t):
        d.xdot = (d.u - d.x) / d.tau


class Law:
    """A law with memory: a sample that is skipped changes all numbers after it."""

    def __init__(self):
        self.level = 0.0

    def __call__(self, t, y):
        self.level = 0.9 * self.level - 3.0 * y
        return self.level


BAD = ("wrong", "swallowed", "killed", "noise", "bad logs", "parts")
OPTIONS = {"until": 40, "step": "10 ms", "progress": False}


def build():
    """Return an assembly in which little but the law takes time."""
    flight = (
        ist.Assembly("lag")
        .add("lag", Lag())
        .add("law", Law(), every="20 ms", out={"u": "N"}, inputs={"y": "N"})
    )
    return flight.wire({"lag.y": "law.y", "law.u": "lag.u"})


def flown(write, log, whole):
    """Fly, and return how it ended."""
    result, inside = "late", False
    try:
        flight = build()
        os.write(write, b"GO\n")
        inside = True
        found = ist.simulate(flight, None, log=log, **OPTIONS)
        inside = False
        result = "same" if np.array_equal(found["lag.y"], whole) else "wrong"
    except KeyboardInterrupt as error:
        kept = getattr(error, "log", None)
        begun = kept is None or np.array_equal(kept["lag.y"], whole[: len(kept["lag.y"])])
        result = ("heard" if begun else "wrong") if inside else result
    return result


def child(write, log, whole):
    """Fly, and say how it ended; an interrupt that comes after the end of the run is late."""
    os.dup2(write, 2)
    result = "late"
    try:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        result = flown(write, log, whole)
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    except KeyboardInterrupt:  # no other is sent
        pass
    os.write(write, f"@{result}@".encode())
    os.kill(os.getpid(), signal.SIGKILL)  # at once: all that is of interest has been said


def interrupted(rng, folder, wall, whole):
    """Return how one run ended, and what it left."""
    number = rng.choice((signal.SIGINT, signal.SIGINT, signal.SIGTERM))
    log = folder / "l.h5" if number == signal.SIGTERM or rng.random() < 0.3 else None
    read, write = os.pipe()
    pid = os.fork()
    if pid == 0:
        child(write, log, whole)
    os.close(write)
    os.read(read, 3)
    time.sleep(rng.uniform(0.0, wall))
    os.kill(pid, number)
    _, status = os.waitpid(pid, 0)
    said = b""
    while more := os.read(read, 10_000):
        said += more
    os.close(read)
    found = collections.Counter(interrupts=1)
    ended = said.decode().split("@")
    if len(ended) > 1:
        found[ended[-2]] += 1
    elif os.WIFSIGNALED(status):
        found["heard" if os.WTERMSIG(status) == number == signal.SIGTERM else "killed"] += 1
    else:
        found["swallowed"] += 1
    found["noise"] += bool(ended[0].strip("GO\n"))
    if log is not None and log.exists():
        marked, rows = is_marked(log), ist.load(log)["lag.y"]
        found["bad logs"] += marked or not np.array_equal(rows, whole[: len(rows)])
        log.unlink()
    found["parts"] += len(list(folder.glob(".*.part")))
    if any(found[name] for name in BAD):
        print(number.name, dict(found), status, said.decode(), file=sys.stderr)
    return found


def main(interrupts=200, seed=1):
    """Interrupt so many runs; return the counts.

    An interrupt that comes too late says that runs are faster than the one before them was, one that is heard says
    little: so the time within which interrupts come follows the load of the machine, and most of them fall into runs.
    """
    rng, folder = random.Random(seed), Path(tempfile.mkdtemp())
    ist.simulate(build(), None, **OPTIONS)
    begun = time.perf_counter()
    whole = ist.simulate(build(), None, log=folder / "l.h5", **OPTIONS)["lag.y"]
    wall = time.perf_counter() - begun
    (folder / "l.h5").unlink()
    names = (
        "interrupts",
        "heard",
        "same",
        "late",
        "wrong",
        "swallowed",
        "killed",
        "noise",
        "bad logs",
        "parts",
    )
    found = collections.Counter(dict.fromkeys(names, 0))
    for _ in range(interrupts):
        one = interrupted(rng, folder, wall, whole)
        found.update(one)
        wall *= 1.1 if one["heard"] else 0.7
    shutil.rmtree(folder)
    return dict(found)


if __name__ == "__main__":
    counts = main(*map(int, sys.argv[1:]))
    print(json.dumps(counts))
    sys.exit(any(counts[name] for name in BAD))
