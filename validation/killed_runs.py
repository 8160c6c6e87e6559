"""Runs that are killed (SIGKILL) at random instants: what they leave can be read, and what goes on from it is the run.

A process runs a flight with log and checkpoints; another kills it, looks at its files, and lets a third resume it,
which is killed too now and then. `python -m validation.killed_runs 20` prints the counts of twenty kills.
"""

from __future__ import annotations

import hashlib
import json
import os
import random
import signal
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from multiprocessing import get_context
from multiprocessing.process import BaseProcess
from pathlib import Path

import numpy as np

from validation.study import Row, Study

STEP, EVERY = "4 ms", "0.1 s"


@dataclass
class Counts:
    """What was found: kills, files that could not be opened, rows lost or changed, runs that ended otherwise."""

    kills: int = 0
    kills_of_resumed: int = 0
    logs: int = 0
    unreadable_logs: int = 0
    checkpoints: int = 0
    unreadable_checkpoints: int = 0
    rows_lost: int = 0
    rows_changed: int = 0
    resumed: int = 0
    other_digests: int = 0


def flight():
    """A spinning bus with a probe, a noisy gyro, a law with memory, a delay and a lag: all that a checkpoint holds."""
    import interstage as ist
    from interstage.simulation.plant.noise import normal

    class Gyro(ist.Device):
        at = ist.Site()
        omega = at.rate()
        rate = ist.Out("rad/s", 3)
        walk = ist.DiscreteState("rad/s", 3)

        def sample(d, t):
            for k in range(3):
                d.walk[k] += 1e-5 * normal(d.seed, d.stream, d.tick, k)
                d.rate[k] = d.omega[k] + d.walk[k]

    class Jet(ist.Device):
        at = ist.Site()
        command, lag = ist.In("N"), ist.ContinuousState("N")
        push = at.force()

        def outputs(d, t):
            d.push[0] = d.lag
            d.push[1] = 0.0
            d.push[2] = 0.0

        def rates(d, t):
            d.lagdot = 5.0 * (d.command - d.lag)

    class Law:
        def __init__(self):
            self.mean, self.calls = np.zeros(3), 0

        def __call__(self, t, rate):
            self.mean = 0.95 * self.mean + 0.05 * rate
            self.calls += 1
            return 2.0 * self.mean[2] + 0.01 * (self.calls % 7)

    mb = ist.Multibody("bus")
    mb.add_body("bus", mass=10.0, com=[0.1, 0, 0], inertia=[1.0, 2.0, 2.5], joint=ist.Free())
    mb.add_body(
        "probe", mass=1.0, inertia=[0.1, 0.1, 0.2], parent="bus", at=[0.5, 0, 0], joint=ist.Revolute("y")
    )
    made = ist.Assembly("killed", vehicle=mb.compile(), seed=11)
    made.add("gyro", Gyro(at="bus"), every="10 ms").add("jet", Jet(at=("bus", [0, 0.3, 0])))
    made.add("law", Law(), every="20 ms", out={"u": "N"}).wire({"gyro.rate": "law.rate"})
    return made.wire({"law.u": "jet.command"}, delay="2 samples")


def events(until: float) -> list:
    """The joint of the probe is locked, the probe leaves, and a state crosses a level: phases, conditions, times."""
    import interstage as ist

    return [
        ist.Event(at=round(0.2 * until, 3), action=ist.SetJointMode("probe", "locked"), name="lock"),
        ist.Event(at=round(0.5 * until, 3), action=ist.Detach("probe"), name="leave"),
        ist.Event("jet.lag", level=-0.2, name="level"),
    ]


def run(until: float, path: Path | None = None):
    """Return the log of the flight."""
    import interstage as ist

    made = flight()
    x = made.vehicle.state(v=[0.1, 0.2, -0.3, 0, 0, 0, 0.4])
    options = {} if path is None else {"log": path, "checkpoint": EVERY}
    return ist.simulate(made, x, until=until, step=STEP, events=events(until), **options)


def columns(log) -> list[np.ndarray]:
    """Return all that a log holds: times and states, and every port with its times."""
    ports = sorted(log.names())
    states = [np.concatenate([getattr(phase, name).ravel() for phase in log.phases]) for name in ("q", "v")]
    return [log.t, *states, *(log[name] for name in ports), *(log.times(name) for name in ports)]


def digest(log) -> str:
    """Return a digest of all numbers of a log."""
    return hashlib.sha256(b"".join(np.ascontiguousarray(a).tobytes() for a in columns(log))).hexdigest()


def child(work: Callable[[], object]) -> BaseProcess:
    """Return a process that does something and ends; what is compiled here is compiled there."""
    process = get_context("fork").Process(target=work)
    process.start()
    return process


def kill_after(seconds: float, process: BaseProcess, look: Callable[[], int]) -> tuple[bool, int]:
    """Kill a process after a time; return whether it still ran, and what was seen just before."""
    process.join(seconds)
    seen = look()
    process.kill()
    process.join()
    return process.exitcode == -signal.SIGKILL, seen


def rows_of(path: Path) -> list[np.ndarray]:
    """Return the columns of a log as far as they are written."""
    import interstage as ist

    return columns(ist.load(path))


def inspect(path: Path, seen: int, whole: list[np.ndarray], found: Counts) -> bool:
    """Look at what a killed run left; return whether there is a checkpoint."""
    import interstage as ist

    rows = 0
    if path.exists():
        found.logs += 1
        try:
            tables = rows_of(path)
            rows = len(tables[0])
            found.rows_changed += sum(not np.array_equal(t, w[: len(t)]) for t, w in zip(tables, whole))
        except ist.InterstageError:
            found.unreadable_logs += 1
    found.rows_lost += max(0, seen - rows)
    checkpoint = path.with_suffix(".ckpt.h5")
    if not checkpoint.exists():
        return False
    found.checkpoints += 1
    try:
        found.rows_lost += max(0, ist.load(checkpoint).rows[0] - rows)
    except ist.InterstageError:
        found.unreadable_checkpoints += 1
    return True


def resume(path: Path) -> None:
    """Go on from a checkpoint and write the digest of the whole beside it."""
    import interstage as ist

    log = ist.resume(path.with_suffix(".ckpt.h5"), flight())
    path.with_suffix(".digest").write_text(digest(log), encoding="ascii")


def kills(count: int, until: float = 10.0, seed: int = 1) -> Counts:
    """Kill runs so many times and return what was found."""
    chance, found = random.Random(seed), Counts()
    unbroken = run(until)
    wanted, whole = digest(unbroken), columns(unbroken)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "flight.h5")
        begin = time.perf_counter()
        run(until, path)
        length = time.perf_counter() - begin

        def look() -> int:
            try:
                return len(rows_of(path)[0])
            except Exception:  # a file that is being put in place
                return 0

        while found.kills < count:
            for old in Path(folder).iterdir():
                old.unlink()
            again = False  # whether the run goes on from a checkpoint
            while True:
                work = (lambda: resume(path)) if again else (lambda: run(until, path))
                killed, seen = kill_after(chance.uniform(0.0, 1.1 * length), child(work), look)
                found.kills += killed
                found.kills_of_resumed += killed and again
                if not inspect(path, seen, whole, found):
                    break
                again = True
                if killed and chance.random() < 0.5 and found.kills < count:
                    continue
                finish(path, wanted, found)
                break
    return found


def finish(path: Path, wanted: str, found: Counts) -> None:
    """Let a run go on to its end, and compare its digest."""
    child(lambda: resume(path)).join()
    found.resumed += 1
    said = path.with_suffix(".digest")
    found.other_digests += not said.exists() or said.read_text(encoding="ascii") != wanted


def study() -> Study:
    """A hundred kills."""
    made = Study(
        name="killed_runs",
        title="Runs that are killed",
        about="A flight with log, checkpoints (every 0.1 s of its 10 s) and events, at which a joint is locked and a "
        "body leaves, is killed by SIGKILL at random instants, "
        "also where it was resumed. Every file that is in its place can be opened, rows that a reader saw before "
        "the kill are there after it and are those of the run that nobody broke, and what is resumed ends with its "
        "digest.",
    )
    if not hasattr(os, "fork"):
        made.skipped = "processes are forked here"
        return made
    found = kills(100, 10.0)
    for case, total, bad in (
        ("logs that cannot be opened", found.logs, found.unreadable_logs),
        ("checkpoints that cannot be opened", found.checkpoints, found.unreadable_checkpoints),
        ("rows lost", found.logs, found.rows_lost),
        ("tables with other rows", found.logs, found.rows_changed),
        ("resumed runs with another digest", found.resumed, found.other_digests),
    ):
        note = f"here: of {total}; {found.kills_of_resumed} kills were of resumed runs"
        made.rows.append(Row(f"{found.kills} kills", case, "0", str(bad), float(bad), 0.0, note))
    return made


if __name__ == "__main__":
    print(json.dumps(asdict(kills(int(sys.argv[1]), float(sys.argv[2]) if len(sys.argv) > 2 else 10.0))))
