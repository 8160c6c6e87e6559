"""Measure what many runs cost beside their simulations: files, processes, a cluster, the summary.

    python -m benchmarks ensembles [-- --runs 4]

A run is a flight of a satellite with a hinged panel and a sampled law. Efficiency: one process and two do the same
study of long flights with a file for every run; files done in a second by two, beside twice those by one, after the
first few, in which processes load their kernels. Cost of a run: a study of short flights in this process, with its
files and its summary, beside the same flights without a study, one after the other, the least of three times each.
dask: a cluster of two processes on this machine does empty tasks, and empty runs in bundles. With t seconds for a task
and bundles of T seconds one scheduler keeps T / t workers busy.
"""

from __future__ import annotations

import argparse
import resource
import tempfile
import time
from pathlib import Path

import numpy as np
from scipy import stats

import interstage as ist
from interstage.studies import Row, Study
from interstage.studies.design import draw
from interstage.studies.job import Outcome
from interstage.studies.workers import BUNDLE_S, TASK_S

DISPERSIONS = {"inertia": stats.norm(90.0, 5.0), "hinge": stats.uniform(20.0, 30.0)}
RUNS = 160
LOADING = 6  # runs after which both processes have their kernels


class Turn(ist.Device):
    """Attitude law of one axis, 50 Hz."""

    joint = ist.JointRef()
    angle, rate, push = joint.coordinate(), joint.rate(), joint.force()
    torque = ist.DiscreteState("N m")

    def outputs(d, t):
        d.push = d.torque

    def sample(d, t):
        d.torque = -10.0 * (d.angle - 0.1) - 40.0 * d.rate


def fly(row, until: float = 400.0) -> ist.Log:
    """Return the log of one run, about a tenth of a second."""
    mb = ist.Multibody("satellite")
    mb.add_body("bus", mass=100.0, com=[0, 0, 0], inertia=[80, 80, row["inertia"]], joint=ist.Revolute("z"))
    hinge = ist.Revolute("z", stiffness=row["hinge"], damping=0.2)
    mb.add_body(
        "panel", mass=8.0, com=[1.5, 0, 0], inertia=[0.1, 6, 6], parent="bus", at=[0.5, 0, 0], joint=hinge
    )
    system = mb.compile()
    flight = ist.Assembly("turn", vehicle=system).add("law", Turn(joint="bus"), every="20 ms")
    return ist.simulate(flight, system.state(), until=until, step="5 ms", log_step=1.0)


def hop(row) -> ist.Log:
    """Return the log of a short run."""
    return fly(row, 20.0)


def nothing(row) -> dict[str, float]:
    """Return a number at once."""
    return {"y": row["hinge"]}


def main(arguments: list[str]) -> None:
    """Print the table."""
    runs = size(arguments)
    design = draw(DISPERSIONS, runs, 1)
    rows = [design.row(k) for k in range(runs)]
    hop(rows[0])
    efficiency(runs)
    cost(rows)
    cluster(25 * runs)
    memory()


def size(arguments: list[str]) -> int:
    """Return how many flights there are."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks ensembles --")
    parser.add_argument("--runs", type=int, default=RUNS, help="flights; short and empty ones go with them")
    return max(8, parser.parse_args(arguments).runs)


def efficiency(runs: int) -> None:
    """Show how quick two processes are beside one."""
    rate, digest = {}, {}
    for workers in (1, 2):
        with tempfile.TemporaryDirectory() as folder:
            begun = time.time()
            study = ist.monte_carlo(fly, DISPERSIONS, runs, 1, {"angle": last_angle}, folder, workers=workers)
            done = np.sort([path.stat().st_mtime for path in Path(folder, "runs").iterdir()])
        first = done[LOADING - 1]  # of the processes, and their kernels
        rate[workers], digest[workers] = (runs - LOADING) / (done[-1] - first), study.digest
        if workers == 1:
            show("a flight, milliseconds", 1e3 * np.median(study.seconds))
        else:
            show("from the call to the first files of two processes, seconds", done[0] - begun)
    assert digest[1] == digest[2]
    show("efficiency of two processes", rate[2] / (2 * rate[1]), "at least 0.9")


def cost(rows: list[Row]) -> None:
    """Show what a study adds to a run: wall time, and that of the processor."""

    def bare(folder: str) -> None:
        for row in rows:
            last_angle(hop(row))

    def study(folder: str) -> None:
        ist.monte_carlo(hop, DISPERSIONS, len(rows), 1, {"angle": last_angle}, folder, workers=0)

    least = {bare: np.full(2, np.inf), study: np.full(2, np.inf)}
    with tempfile.TemporaryDirectory() as folder:
        for k in range(3):
            for one in least:
                begun = np.array([time.perf_counter(), time.process_time()])
                one(f"{folder}/{k}")
                now = np.array([time.perf_counter(), time.process_time()]) - begun
                least[one] = np.minimum(least[one], now)
    wall, cpu = 1e3 * (least[study] - least[bare]) / len(rows)
    show("a short flight, milliseconds", 1e3 * least[bare][0] / len(rows))
    show("cost of a run beside it, milliseconds", wall, "at most 5")
    show("of that of the processor, milliseconds", cpu)


def last_angle(log: ist.Log) -> float:
    """Return the angle at the end."""
    return log["bus"].q[-1, 0]


def cluster(runs: int) -> None:
    """Show what dask adds to a run, in bundles and one by one."""
    try:
        from distributed import Client, LocalCluster
    except ImportError:
        print("dask.distributed is not installed")
        return
    options = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": None, "silence_logs": "CRITICAL"}
    with LocalCluster(**options) as workers, Client(workers) as client:
        ist.monte_carlo(nothing, DISPERSIONS, 4, cluster=client)
        begun = time.perf_counter()
        ist.monte_carlo(nothing, DISPERSIONS, runs, cluster=client)
        show("an empty run by dask, in bundles, milliseconds", 1e3 * (time.perf_counter() - begun) / runs)
        begun = time.perf_counter()
        client.gather(client.map(abs, range(runs), pure=False))
        each = (time.perf_counter() - begun) / runs
        show("an empty task of dask alone, milliseconds", 1e3 * each)
        show("workers that a scheduler keeps busy with bundles of 0.2 s", BUNDLE_S / each)
        show("and seconds of a bundle for 1,000 workers", 1000 * each, f"ours {1000 * TASK_S:g}")


def memory() -> None:
    """Show what the summary of 10,000 runs with 100 outputs takes."""
    design = draw(DISPERSIONS, 10_000)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    outcomes = [Outcome(k, {f"y{i}": np.array(float(i)) for i in range(100)}) for k in range(len(design))]
    study = Study.of(design, outcomes, None, None)
    with tempfile.TemporaryDirectory() as folder:
        size = study.save(f"{folder}/summary.h5").stat().st_size
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    show("summary of 10,000 runs of 100 outputs, MB in memory", peak / 1024)
    show("and on disk, MB", size / 1e6)


def show(what: str, value: float, limit: str = "") -> None:
    """Print a row."""
    print(f"{what:60s} {value:10.3g}   {limit}", flush=True)
