"""Fill disks under runs that log: one sentence, the rows that fit, and a run that goes on when there is room again.

    python tests/fuzz/full_disks.py [DISKS] [SEED]

Every run is a process of its own, on a disk of 100 kB to 3 MB where one may be mounted, else with files that may not
grow beyond that. It must end by itself with one FileError; its log must load with no rows but those of the run on a
large disk, and with most of those for which there is room; what is resumed on a large disk must be that run. Prints
the counts as JSON; ends with 1 where something was lost.
"""

from __future__ import annotations

import collections
import ctypes
import gc
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

import interstage as ist
from interstage.errors import FileError
from interstage.simulation.log import hdf5 as flight_file

BAD = ("crashed", "not_a_sentence", "unreadable", "wrong_rows", "few_rows", "parts", "other_resumed")
UNTIL = 60  # s
OVERHEAD = (
    500_000  # bytes of a disk without any rows: vehicle, chunks that are begun, two checkpoints, room ahead
)


class Gyro(ist.Device):
    """Sees the rate of a body."""

    at = ist.Site()
    omega, rate = at.rate("body"), ist.Out("rad/s", 3)

    def sample(d, t):
        """Hold the rate."""
        d.rate[:] = d.omega


class Wheel(ist.Device):
    """A torque that lags behind its command."""

    at = ist.Site()
    lag, command, h = ist.Parameter("s", 0.2), ist.In("N*m", 3), ist.ContinuousState("N*m", 3)
    torque = at.torque("body")

    def outputs(d, t):
        """Give the torque."""
        d.torque[:] = d.h

    def rates(d, t):
        """Follow the command."""
        d.hdot[:] = (d.command - d.h) / d.lag


class Law:
    """Remembers a level."""

    def __init__(self):
        self.level = np.zeros(3)

    def __call__(self, t, rate):
        """Return the command."""
        self.level = 0.9 * self.level - 3.0 * np.asarray(rate)
        return self.level


def fly(path: Path) -> ist.Log:
    """Fly a bus that loses its panel halfway, so that sizes of states change; log to a file."""
    mb = ist.Multibody("bus and panel")
    mb.add_body("bus", mass=100.0, inertia=[20.0, 30.0, 40.0], joint=ist.Free())
    mb.add_body(
        "panel", mass=5.0, com=[1, 0, 0], inertia=[0.1, 2, 2], parent="bus", at=[0.5, 0, 0],
        joint=ist.Revolute("z", stiffness=40.0, damping=0.5),
    )  # fmt: skip
    flight = ist.Assembly("quiet", vehicle=mb.compile())
    flight.add("gyro", Gyro(at="bus"), every="20 ms").add("wheel", Wheel(at="bus"))
    flight.add("law", Law(), every="100 ms", out={"torque": "N*m[3]"})
    flight.wire({"gyro.rate": "law.rate", "law.torque": "wheel.command"})
    x = flight.vehicle.state()
    x["bus"].v[:3] = [0.02, -0.01, 0.05]
    events = [ist.Event(at=float(t), name=f"note {t}") for t in range(5, UNTIL, 10)]
    events.append(ist.Event(at=UNTIL / 2, action=[ist.Detach("panel"), ist.RemoveBody("panel")], name="lost"))
    return ist.simulate(
        flight, x, until=UNTIL, step="10 ms", log=path, checkpoint="2 s", events=events, progress=False
    )


def tables(log: ist.Log) -> list[np.ndarray]:
    """Return what a log holds: times, channels, states of phases one after the other."""
    states = [np.column_stack([p.t, p.q, p.v]) for p in log.phases]
    return [np.asarray(log.t), *(np.asarray(log[k]) for k in ("wheel.h", "gyro.omega")), *states]


def begins(part: list[np.ndarray], whole: list[np.ndarray]) -> bool:
    """Return whether every table is the beginning of the whole one."""
    return len(part) <= len(whole) and all(np.array_equal(a, b[: len(a)]) for a, b in zip(part, whole))


def child(path: Path, limit: int, mounted: bool, commit_s: float) -> str:
    """Fly in a process of its own; return what it says, empty where it crashed."""
    read, write = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(read)
        if not mounted:
            import resource

            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
        flight_file.COMMIT_S = commit_s
        try:
            fly(path)
            said = "finished"
        except FileError as error:
            said = f"FileError {error}"
        except BaseException as error:
            said = f"{type(error).__name__}: {error}"
        os.write(write, said.encode()[:4000])
        gc.collect()
        ctypes.CDLL(None).exit(0)  # libraries end as ever, without what the parent does at its own end
    os.close(write)
    with os.fdopen(read) as pipe:
        said = pipe.read()
    return said if os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0 else ""


def filled(rng: random.Random, scratch: Path, whole: list[np.ndarray], size: int) -> collections.Counter:
    """Return what became of one run."""
    limit = int(10 ** rng.uniform(5.0, 6.5)) // 4096 * 4096
    folder = Path(tempfile.mkdtemp(dir=scratch))
    mount = ["mount", "-t", "tmpfs", "-o", f"size={limit}", "tmpfs", str(folder)]
    mounted = rng.random() < 0.7 and subprocess.run(mount, capture_output=True).returncode == 0
    path, commit_s = folder / "l.h5", rng.choice((0.5, 0.05, 0.0))
    found = collections.Counter(disks=1, mounted=mounted)
    try:
        said = child(path, limit, mounted, commit_s)
        found["crashed"] += not said
        found["full"] += "FileError" in said
        if said and said != "finished":
            found["not_a_sentence"] += not said.startswith("FileError the ") or "\n" in said
        found["parts"] += any(p.suffix == ".part" for p in folder.iterdir())
        rows = 0
        if path.exists():
            try:
                log = ist.load(path)
                rows = len(log.t)
                found["wrong_rows"] += not begins(tables(log) if rows else [], whole)
            except Exception as error:
                said += f" | {type(error).__name__}: {error}"
                found["unreadable"] += 1
        least = len(whole[0]) * (limit - OVERHEAD) / size
        found["few_rows"] += said != "finished" and rows < min(least, len(whole[0]) - 1)
        found["rows"] += rows
        kept = folder / "l.ckpt.h5"
        if kept.exists():
            room = Path(tempfile.mkdtemp(dir=scratch))
            for one in (path, kept):
                shutil.copy(one, room)
            found["resumed"] += 1
            try:
                again = tables(ist.resume(room / kept.name))
                found["other_resumed"] += not (begins(again, whole) and begins(whole, again))
            except Exception as error:
                said += f" | {type(error).__name__}: {error}"
                found["other_resumed"] += 1
    finally:
        if mounted:
            subprocess.run(["umount", str(folder)], check=True)
    if any(found[name] for name in BAD):
        print(limit, mounted, commit_s, rows, least, dict(found), said, file=sys.stderr)
    return found


def main(disks: int = 20, seed: int = 1) -> dict[str, int]:
    """Fill so many disks; return the counts."""
    rng, scratch = random.Random(seed), Path(tempfile.mkdtemp())
    found = collections.Counter(dict.fromkeys(("disks", "mounted", "full", "rows", "resumed", *BAD), 0))
    try:
        whole = tables(fly(scratch / "whole.h5"))
        size = (scratch / "whole.h5").stat().st_size
        for _ in range(disks):
            found.update(filled(rng, scratch, whole, size))
    finally:
        shutil.rmtree(scratch)
    return dict(found)


if __name__ == "__main__":
    counts = main(*map(int, sys.argv[1:]))
    print(json.dumps(counts))
    sys.exit(any(counts[name] for name in BAD))
