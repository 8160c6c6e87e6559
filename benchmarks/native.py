"""Measure flights without Python: size of library and files, times real time from C, and whether bits are `simulate`'s.

    python -m benchmarks native

`build_library` compiles the whole shelf and the ascent's own devices for all methods: processor time of the first
build, in an empty cache, and of one more, from disk. Then flights leave by `export_flight`, and a C program of forty
lines flies each: the time is its own, best of three, of one core, without reading the file. `simulate` flies the same,
with a row of the log at the end alone. Bits are those of coordinates, velocities and states of devices at the end. The
ascent is examples/heron_ascent.py from the pad, everything on, with its software as a device, up to its staging.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

import interstage as ist
import interstage.devices as dev
from interstage.multibody import State
from interstage.native import shelf
from interstage.native.library import c_compiler

FLY = r"""
#include "interstage.h"
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
int main(int count, char **words) {
    char why[256];
    IstPort said;
    double *x = malloc(1 << 20), best = 1e300;
    IstFlight *flight = ist_open(words[1], why, sizeof why);
    IstInstance *one = flight ? ist_new(flight) : NULL;
    if (count < 3 || !one) return puts(why), 1;
    for (int again = 0; again < 3; again++) {
        ist_reset(one);
        clock_t begun = clock();
        if (ist_advance(one, atof(words[2]), 0) != IST_OK) return puts(ist_message(one)), 1;
        double spent = (double)(clock() - begun) / CLOCKS_PER_SEC;
        if (spent < best) best = spent;
    }
    printf("%a\n", best);
    for (int k = 0; k < ist_ports(flight); k++) {
        ist_port(flight, k, &said);
        if (said.kind != IST_Q && said.kind != IST_V && said.kind != IST_STATE) continue;
        ist_get(one, k, x);
        for (int j = 0; j < said.size; j++) printf("%s %a\n", said.name, x[j]);
    }
    ist_free(one);
    ist_close(flight);
    return 0;
}
"""
COLD = """
import time
from benchmarks.native import library
library({folder!r})
print(time.process_time())
"""


def satellite() -> tuple[ist.Assembly, State, dict[str, object], float]:
    """Return a satellite with a panel, gyro, wheel and PID, its start, how it is flown, and for how long."""
    mb = ist.Multibody("satellite")
    mb.add_body("bus", mass=800.0, inertia=[400.0, 350.0, 300.0], joint=ist.Free())
    mb.add_body("panel", mass=20.0, inertia=[9, 1, 9], parent="bus", at=[1, 0, 0], joint=ist.Revolute("y"))
    vehicle = mb.compile()
    x = vehicle.state()
    x["bus"].velocity[:3] = [0.01, 0.02, -0.015]
    flight = ist.Assembly("satellite", vehicle=vehicle, seed=7)
    flight.add("gyro", dev.Gyro(at="bus", angle_random_walk=1e-5), every="20 ms")
    flight.add("pid", dev.PID(kp=50.0), every="20 ms")
    wheel = dev.ReactionWheel(at="bus", axis=[1, 0, 0], side=[0, 1, 0], inertia=0.05, max_torque=1.0)
    flight.add("wheel", wheel)
    flight.wire({"gyro.rate[0]": "pid.measured", "pid.u": "wheel.torque"})
    return flight, x, {"step": "5 ms", "set": {"pid.wanted": 0.0}}, 600.0


def ascent() -> tuple[ist.Assembly, State, dict[str, object], float]:
    """Return the ascent with everything on, to T + 100 s."""
    from interstage.demo import ascent_flight as ascents

    one = ascents.ascent(compiled=True)
    return one.assembly, one.start, {"step": ascents.STEP, "method": ascents.METHOD}, 100.0


def library(folder: str) -> object:
    """Build the library into a folder."""
    from interstage.demo.ascent_control import AscentComputer
    from interstage.demo.ascent_plant import EngineCluster

    return ist.build_library(
        Path(folder) / "libinterstage.so", devices=[*shelf(), AscentComputer, EngineCluster]
    )


def cold(folder: str) -> float:
    """Return processor seconds of a build in an empty cache, in a process of its own."""
    with tempfile.TemporaryDirectory() as cache:
        given = {**os.environ, "NUMBA_CACHE_DIR": cache}
        words = [sys.executable, "-c", COLD.format(folder=folder)]
        done = subprocess.run(words, env=given, capture_output=True, text=True, check=True)
    return float(done.stdout.split()[-1])


def flown(folder: Path, path: Path, until: float) -> tuple[float, dict[str, list[float]]]:
    """Return processor seconds of the C program, and states at the end by name."""
    words = [str(folder / "fly"), str(path), repr(until)]
    done = subprocess.run(words, env={}, capture_output=True, text=True, check=True)
    first, *others = done.stdout.splitlines()
    found: dict[str, list[float]] = {}
    for line in others:
        name, number = line.split()
        found.setdefault(name, []).append(float.fromhex(number))
    return float.fromhex(first), found


def main(argv: list[str] | None = None) -> None:
    """Print the figures."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        first = cold(name)
        begin = time.process_time()
        made = library(name)
        again = time.process_time() - begin
        print(f"library: {len(made.functions)} functions, {made.size / 1e6:.2f} MB", end="")
        print(f", {first:.0f} s of the processor the first time, {again:.0f} s from disk")
        (folder / "fly.c").write_text(FLY)
        cc = c_compiler(None, "native")
        assert cc is not None
        linked = ["fly.c", "-L.", "-linterstage", f"-Wl,-rpath,{folder}", "-o", "fly"]
        subprocess.run([cc, "-O2", *linked], cwd=folder, check=True)
        print("\nflight       seconds  file, kB   times real time: simulate        C   bits")
        for make in (satellite, ascent):
            flight, x, how, until = make()
            file = ist.export_flight(flight, x, folder / "one.flight", **how)
            spent, said = flown(folder, file.path, until)
            best = np.inf
            for _ in range(3):
                begin = time.process_time()
                log = ist.simulate(flight, x, until=until, log_step=until, progress=False, **how)
                best = min(best, time.process_time() - begin)
            end = {"q": log.state().q, "v": log.state().v}
            same = all(
                np.array_equal(x, end[n] if n in end else np.ravel(log[n][-1])) for n, x in said.items()
            )
            words = "the same" if same else "OTHERS"
            times = f"{until / best:26.1f} {until / spent:8.1f}   {words}"
            print(f"{make.__name__:12s} {until:6.0f} {file.size / 1e3:9.0f} {times}")


if __name__ == "__main__":
    main()
