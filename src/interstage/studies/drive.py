"""Run a study: the table of runs, workers, and progress.

How far a study has come: a bar with rate and time left, for those that take over two seconds.

Drive a study: draw the table, do what is not done yet, gather the summary.

Whoever works, a run is the same function of the same row: one process or many, here or in a cluster. A worker that
dies takes nothing along but the runs in its hands, which are done again; a driver that dies leaves the files of all
runs that were done, and the same call goes on from there.
"""

from __future__ import annotations

import os
import pickle
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from interstage.calls import named_arguments
from interstage.errors import FileError, InputError, raised, shown
from interstage.output import is_file, make_folder, reason
from interstage.simulation import Assembly
from interstage.simulation.run.real_time import PATIENCE_S, console, started
from interstage.studies.design import Design, Dispersions, Row, draw
from interstage.studies.job import Job, Outcome, checked_units, fingerprint, run_path
from interstage.studies.outputs import Outputs, named
from interstage.studies.study import DESIGN, SUMMARY, Study
from interstage.studies.workers import hands_of

if TYPE_CHECKING:
    from rich.progress import Progress


class Bar:
    """The progress of `runs` runs of which some are done already."""

    def __init__(self, runs: int, done: int, shown: bool = True):
        self.runs, self.done, self.failed = runs, done, 0
        self.begun, self.first = time.perf_counter(), done
        self.console = console() if shown else None
        self.bar: Progress | None = None

    def step(self, failed: bool) -> None:
        """Count one run."""
        self.done += 1
        self.failed += failed
        seconds = time.perf_counter() - self.begun
        if self.console is None or seconds < PATIENCE_S:
            return
        if self.bar is None:
            self.bar = started(self.console, "runs", self.runs)
        rate = (self.done - self.first) / seconds
        failures = f", {self.failed} failed" if self.failed else ""
        self.bar.update(
            self.bar.task_ids[0],
            completed=self.done,
            description=f"{self.done} of {self.runs} runs{failures}",
            speed=f"{rate:.3g} runs/s",
        )

    def close(self) -> None:
        """Take the bar away."""
        if self.bar is not None:
            self.bar.stop()


LOCK = ".driver"


@named_arguments
def monte_carlo(
    build: Callable[[Row], object] | Assembly,
    dispersions: Dispersions,
    runs: int,
    seed: int = 0,
    outputs: Outputs = None,
    folder: str | os.PathLike[str] | None = None,
    *,
    sampling: str = "random",
    flight: Mapping[str, object] | None = None,
    logs: bool = False,
    workers: int | None = None,
    cluster: object = None,
    progress: bool = True,
) -> Study:
    """Run something many times with dispersed numbers; return the study: outputs, statistics, pictures, a report.

    The same call with the same folder goes on where an earlier one ended, however it ended; runs that are done are not
    repeated, and more `runs` of "random" or "sobol" points are added to those that are there.

    Parameters
    ----------
    build : function of a `Row` (numbers by name, `row.seed`, `row.number`) that returns a log, or {name: number or
        array}. Or an assembly, of which names of the table are "device.parameter", "device.state", with [k] for one
        number of a vector, and "q.arm.angle", "v.bus.wx" of the state at the start
    dispersions : {name: distribution}, frozen ones of `scipy.stats`; {(names): scipy.stats.multivariate_normal(mean,
        cov)}; {name: array (runs,)}; {name: function of the row} of what is derived from those before it
    runs, seed, sampling : how many, from what, by what: "random", "latin", "sobol", or "saltelli" for indices of
        sensitivity (`Study.sensitivity`)
    outputs : what is kept: names as "final core.q", "peak imu.rate", "imu.rate" (its history), or {name: function of
        what a run gave}; None keeps all of a mapping
    folder : where files go, one for each run; None: nowhere, and nothing can go on
    flight : arguments of `simulate` for an assembly, as {"x": x0, "until": 30, "step": "5 ms"}
    logs : keep the log of every run in folder/logs; those of runs that fail are kept anyway
    workers : processes, default one for each core; 0 runs here, where functions need not be found by name
    cluster : address of a dask scheduler, or a `distributed.Client`

    A run that raises is recorded with its error and does not stop the others.
    """
    job = _job(build, flight, outputs, logs)
    design = replace(draw(dispersions, runs, seed, sampling), build=fingerprint(job))
    job = replace(job, study=design.origin)
    units = checked_units(job, design.row(0))
    place = None if folder is None else make_folder(folder).resolve()
    with _alone(place):
        done = {} if place is None else _found(place, design, job)
        todo = [k for k in range(runs) if k not in done]
        bar = Bar(runs, runs - len(todo), shown=progress)
        kept: dict[int, Outcome] = {}
        try:
            with closing(hands_of(job, place, workers, cluster, len(todo))) as hands:
                for outcome in hands.work([design.row(k) for k in todo]):
                    bar.step(outcome.failed)
                    kept[outcome.number] = outcome
        except KeyboardInterrupt:
            left = (
                "the same call goes on from there"
                if place is not None
                else "nothing is kept without a folder"
            )
            raise KeyboardInterrupt(
                f"the study was stopped after {bar.done} of {runs} runs: {left}"
            ) from None
        finally:
            bar.close()
        if place is not None:
            kept |= done
        study = Study.of(design, [kept[k] for k in range(runs)], job, place, units)
        if place is not None:
            study.save(place / SUMMARY)
    return study


def _read(path: Path, row: Row, job: Job) -> Outcome:
    """Read the file of a run, and check that it is of that run of this study."""
    found = Outcome.load(path)
    if found.number != row.number:
        raise FileError(
            "the file is of another run",
            where=str(path),
            got=f"run {found.number}",
            hint="remove it: the run is done again",
        )
    if found.study != job.of_row(row):
        what = "was written by a release that did not record its study" if not found.study else ""
        raise FileError(
            f"the file of a run {what or 'belongs to another study'}",
            where=str(path),
            expected="the same table (seed, distributions) and the same build and outputs",
            hint="remove it: the run is done again",
        )
    return found


def _job(build: object, flight: Mapping[str, object] | None, outputs: Outputs, logs: bool) -> Job:
    wanted = named(outputs)
    if isinstance(build, Assembly):
        arguments = dict(flight or {})
        if "until" not in arguments:
            raise InputError(
                "it is not said how long the assembly flies",
                where="flight",
                hint='flight={"x": x0, "until": 30}',
            )
        if wanted is None:
            raise InputError(
                "it is not said what to keep of a run", where="outputs", hint='as "final imu.rate"'
            )
        for word in ("log", "checkpoint", "pace", "progress"):
            if word in arguments:
                raise InputError(f"a flight of a study takes no {word}=", where="flight")
        return Job(None, wanted, _packed(build, "the assembly"), arguments, logs)
    if not callable(build):
        raise InputError(
            "nothing to run", where="build", expected="a function or an assembly", got=shown(build)
        )
    if flight is not None:
        raise InputError("flight= is for assemblies", where="flight", hint="a function flies by itself")
    return Job(build, wanted, None, {}, logs)


def _packed(what: object, words: str) -> bytes:
    try:
        return pickle.dumps(what)
    except Exception as error:
        raise InputError(
            f"{words} cannot travel to other processes",
            got=raised(error),
            hint="laws must be functions or classes of a module: give a function that builds the assembly instead",
        ) from None


def _found(folder: Path, design: Design, job: Job) -> dict[int, Outcome]:
    """Return the runs that are done in a folder; refuse one that holds another study."""
    make_folder(folder / "runs")
    known = folder / DESIGN
    if is_file(known):
        old = Design.load(known)
        _check_same(folder, old, design)
    elif next((folder / "runs").glob("run_*.h5"), None) is not None:
        raise FileError(
            f"the folder has runs but no {DESIGN}: it cannot be told what they are runs of",
            where=str(folder),
            hint="give another folder, or remove this one",
        )
    if not is_file(known) or len(design) > len(old):
        design.save(known)
    for left in (folder / "runs").glob(".*.part"):
        with suppress(OSError):  # of another user, or open on a system that keeps such files
            left.unlink()
    there = [k for k in range(len(design)) if run_path(folder, k).exists()]
    return {k: _read(run_path(folder, k), design.row(k), job) for k in there}


def _check_same(folder: Path, old: Design, design: Design) -> None:
    """Refuse a table that is not the beginning of the one that a study draws now."""
    n = min(len(old), len(design))
    same = (
        old.names == design.names
        and (old.seed, old.sampling) == (design.seed, design.sampling)
        and (old.values[:n] == design.values[:n]).all()
    )
    if not same or len(design) < len(old):
        raise FileError(
            "the folder holds another study" if not same else "the folder holds more runs",
            where=str(folder),
            expected=f"seed {old.seed}, {len(old)} runs of {', '.join(old.names) or 'nothing'}, {old.sampling}",
            got=f"seed {design.seed}, {len(design)} runs of {', '.join(design.names)}, {design.sampling}",
            hint="give another folder, or remove this one",
        )
    if old.build and design.build and old.build != design.build:
        raise FileError(
            "the folder holds runs of something else: what is run or kept was changed since",
            where=str(folder),
            hint="give another folder, or remove this one",
        )


@contextmanager
def _alone(folder: Path | None) -> Iterator[None]:
    """Keep other drivers out of a folder while one works in it; a lock of a process that died is none."""
    try:
        import fcntl
    except ImportError:  # no such locks on this system
        folder = None
    if folder is None:
        yield
        return
    try:
        held = os.open(folder / LOCK, os.O_CREAT | os.O_RDWR, 0o666)
    except OSError as error:
        raise FileError("the folder cannot be written to", where=str(folder), got=reason(error)) from None
    try:
        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(held)
        raise FileError(
            "another study is at work in the folder", where=str(folder), hint="wait for it, or give another"
        ) from None
    try:
        yield
    finally:
        os.close(held)
