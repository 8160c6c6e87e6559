"""Measure batches of vehicles: RK4 steps a second on a GPU beside one thread of this machine's processor.

    python -m benchmarks batches [-- --samples 100000 --steps 1000 --vehicles chain beams launcher]

Three vehicles: a rigid chain of 20; four beams of ten modes, order 2; a free launch vehicle of 30 modes, order 2, with
four engines on gimbals. All velocities at the start are drawn; samples differ in stiffness, damping and one of them.
Steps a second by a GPU are those of the second call of `simulate_batch`, copies to and fro included; the first one
makes the program. The difference is that of all coordinates and velocities after the last step, of the first 32
samples, each beside its largest (or 1e-6).
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable

import numpy as np

import interstage as ist
from benchmarks.multibody import beam, flexible_chain, rigid_chain
from interstage.fem import lumped_beam

CHECKED = 32  # samples that are flown by the processor too
ENGINES = (1, 2, 3, 4)


def launcher() -> ist.System:
    """Return a free body of 30 modes with four engines on its first nodes."""
    lump = 4000.0 * np.array([1.0, 1.0, 1.0, 0.3, 0.2, 0.2])
    K, M, nodes = lumped_beam(30.0, 20, EA=7e9, GJ=4e8, EI=6e8, mass=np.tile(lump, (21, 1)))
    core = ist.Component.from_matrices(K, M, nodes, n_modes=36, aset={1: 123456})
    mb = ist.Multibody("launcher", gravity=[0.0, 0.0, -9.81])
    mb.add_body("core", component=core, joint=ist.Free(), damping=0.01, order=2, n_modes=30)
    gimbal = ist.Universal("yz", stiffness=[1e6, 1e6], damping=[1e3, 1e3])
    for k in ENGINES:
        engine = {"mass": 300.0, "com": [-0.5, 0.0, 0.0], "inertia": [50.0, 80.0, 80.0]}
        mb.add_body(f"engine{k}", **engine, parent="core", at=k + 1, joint=gimbal)
    return mb.compile()


VEHICLES: dict[str, tuple[Callable[[], ist.System], str, float]] = {
    "chain": (lambda: rigid_chain(20), "rigid chain of 20", 1e-3),
    "beams": (lambda: flexible_chain(*beam(10), 4, 2), "four beams of ten modes, order 2", 1e-5),
    "launcher": (launcher, "launch vehicle of 30 modes, order 2, four engines", 1e-4),
}


def given_to(system: ist.System, samples: int, steps: int, step: float) -> dict[str, object]:
    """Return the arguments of a batch."""
    rng = np.random.default_rng(5)
    disperse = {
        "mass" if not system.tree.v_stiffness.any() else "stiffness": rng.uniform(0.9, 1.1, samples),
        f"v.{system.layout.velocities()[0].name}": rng.normal(0.0, 0.1, samples),
    }
    if system.tree.v_damping.any():
        disperse["damping"] = rng.uniform(0.5, 1.5, samples)
    return {
        "until": steps * step,
        "step": step,
        "log_step": steps * step,
        "disperse": disperse,
        "samples": samples,
    }


def flown(system: ist.System, device: str, **given) -> tuple[float, ist.BatchLog]:
    """Return million steps a second, and the log."""
    start = system.state(v=np.random.default_rng(3).normal(0.0, 0.1, system.nv))
    log = ist.simulate_batch(system, start, device=device, threads=1, **given)
    return given["samples"] * round(given["until"] / given["step"]) / log.info["seconds"] / 1e6, log


def measure(name: str, samples: int, steps: int) -> None:
    """Print the row of a vehicle."""
    build, words, step = VEHICLES[name]
    system = build()
    few = given_to(system, samples, steps, step)
    few |= {"samples": CHECKED, "disperse": {k: v[:CHECKED] for k, v in few["disperse"].items()}}
    flown(system, "cpu", **few)  # compiles
    one, wanted = flown(system, "cpu", **few)
    row = f"{words:50s} {system.nv:4d} {one:10.3f}"
    try:
        begun = time.perf_counter()
        flown(system, "cuda", **few)
        made = time.perf_counter() - begun
        many, log = flown(system, "cuda", **given_to(system, samples, steps, step))
    except ist.InterstageError as error:
        print(f"{row}   {error}", flush=True)
        return
    worst = max(
        np.abs(log[n][:CHECKED] - wanted[n]).max() / max(np.abs(wanted[n]).max(), 1e-6) for n in log.names
    )
    print(f"{row} {many:10.2f} {many / one:8.0f} {worst:10.1e} {made:8.0f}", flush=True)


def main(arguments: list[str]) -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks batches --")
    parser.add_argument("--samples", type=int, default=100_000)
    parser.add_argument("--steps", type=int, default=1000)
    parser.add_argument("--vehicles", nargs="+", choices=list(VEHICLES), default=list(VEHICLES))
    options = parser.parse_args(arguments)
    print(f"{options.samples} samples, {options.steps} steps of RK4, float64; million steps a second")
    print(
        f"{'vehicle':50s} {'nv':>4s} {'one thread':>10s} {'GPU':>10s} {'times':>8s} {'difference':>10s} {'made, s':>8s}"
    )
    for name in options.vehicles:
        measure(name, options.samples, options.steps)
