"""Measure what many runs cost beside their simulations: files, processes, a cluster, the summary.

    python -m benchmarks ensembles [-- --runs 4]

A run is a flight of a satellite with a hinged panel and a sampled law. One process and two do the same study with a
file for every run; efficiency is the time of one over twice that of two, from the first run to the last. The cost of a
run is wall time less what its simulation took. Empty runs show what is left then: with a file, bundled, and by a dask
cluster of two processes on this machine. The scheduler of a cluster is one process: with t seconds for a task and
bundles of 0.2 s it keeps 0.2 / t workers busy.
"""

from __future__ import annotations

import argparse
import resource
import tempfile
import time

import numpy as np
from scipy import stats

import interstage as ist
from interstage.ensemble import Study
from interstage.ensemble.design import draw
from interstage.ensemble.job import Outcome

DISPERSIONS = {"inertia": stats.norm(90.0, 5.0), "hinge": stats.uniform(20.0, 30.0)}
RUNS = 160


class Turn(ist.Device):
    """Attitude law of one axis, 50 Hz."""

    joint = ist.Hinge()
    angle, rate, push = joint.coordinate(), joint.rate(), joint.force()
    torque = ist.Discrete("N m")

    def outputs(d, t):
        d.push = d.torque

    def sample(d, t):
        d.torque = -10.0 * (d.angle - 0.1) - 40.0 * d.rate


def fly(row) -> ist.Log:
    """Return the log of one run, about a tenth of a second."""
    mb = ist.Multibody("satellite")
    mb.add_body("bus", mass=100.0, com=[0, 0, 0], inertia=[80, 80, row["inertia"]], joint=ist.Revolute("z"))
    hinge = ist.Revolute("z", stiffness=row["hinge"], damping=0.2)
    mb.add_body(
        "panel", mass=8.0, com=[1.5, 0, 0], inertia=[0.1, 6, 6], parent="bus", at=[0.5, 0, 0], joint=hinge
    )
    system = mb.compile()
    flight = ist.Assembly("turn", vehicle=system).add("law", Turn(joint="bus"), every="20 ms")
    return ist.simulate(flight, system.state(), until=400, step="5 ms", log_step=1.0)


def nothing(row) -> dict[str, float]:
    """Return a number at once."""
    return {"y": row["hinge"]}


def timed(build, outputs, runs: int, **by) -> tuple[float, Study]:
    """Return seconds from the first run to the last, and the study."""
    with tempfile.TemporaryDirectory() as folder:
        begun = time.perf_counter()
        study = ist.monte_carlo(build, DISPERSIONS, runs, 1, outputs, folder, **by)
        return time.perf_counter() - begun, study


def main(arguments: list[str]) -> None:
    """Print the table."""
    runs, empty = sizes(arguments)
    keep = {"angle": last_angle}
    fly(draw(DISPERSIONS, 1).row(0))
    start = {n: timed(nothing, None, n, workers=n)[0] for n in (1, 2)}
    wall, studies = {}, {}
    for n in (1, 2):
        wall[n], studies[n] = timed(fly, keep, runs, workers=n)
        wall[n] -= start[n]
    assert studies[1].digest == studies[2].digest
    show("a flight, milliseconds", 1e3 * np.median(studies[1].seconds))
    show(
        "cost of a run beside it, milliseconds",
        1e3 * (wall[1] - studies[1].seconds.sum()) / runs,
        "at most 5",
    )
    show("efficiency of two processes", wall[1] / (2 * wall[2]), "at least 0.9")
    show("starting two processes, seconds", start[2])
    alone, _ = timed(nothing, None, empty, workers=1)
    show("an empty run with its file, milliseconds", 1e3 * (alone - start[1]) / empty)
    cluster(2 * empty)
    memory()


def sizes(arguments: list[str]) -> tuple[int, int]:
    """Return how many flights and how many empty runs there are."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks ensembles --")
    parser.add_argument("--runs", type=int, default=RUNS, help="flights; empty runs are 12.5 times as many")
    runs = max(2, parser.parse_args(arguments).runs)
    return runs, runs * 25 // 2


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
        show("an empty run by dask, bundled, milliseconds", 1e3 * (time.perf_counter() - begun) / runs)
        begun = time.perf_counter()
        client.gather(client.map(abs, range(runs), pure=False))
        show("an empty task of dask alone, milliseconds", 1e3 * (time.perf_counter() - begun) / runs)


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
    print(f"{what:52s} {value:10.3g}   {limit}", flush=True)
