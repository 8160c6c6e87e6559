"""Measure the structures solver: factorization, normal modes, stresses and buckling of growing shells, and a solid.

The shell is a clamped cylindrical panel of CQUAD4, whose stresses (both fibres, principal and von Mises values, centre
of every element) are recovered from as many displacement fields as there are modes, and which buckles under a
compression of its free edge (statics, geometric stiffness and the lowest load factor, pivot counts included); the solid
is a clamped block of CHEXA, solved once with PARDISO and once with SuperLU. A row's peak memory is that of a process
of its own. The unit is one factorization in which PARDISO orders the equations one by one; a factor of this toolkit
orders the dofs of a grid as one, which is faster. Times are the smallest of `--repeats` in one process: a virtual
machine that hands out memory for the first time takes longer for it than the assembly does.

`--grids 170000` makes a shell of a million degrees of freedom.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import resource
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

TIMES = ("read", "assembly", "reduction", "factor", "unit", "modes", "stresses", "buckling")
HEADER = (
    "    grids      dofs  read s  assembly s  factor s  unit s  30 modes s  modes/unit  assembly/unit  stresses s"
    "  stresses/unit  buckling s  buckling/unit  peak GB"
)


def shell_deck(grids: int) -> str:
    """Deck text of a clamped cylindrical panel (radius 1, arc 90°, length 1.5) with about `grids` grids."""
    side = max(2, round(np.sqrt(grids)) - 1)
    lines = ["SOL 103", "CEND", "SPC = 1", "SUBCASE 1", "METHOD = 1", "SUBCASE 2", "LOAD = 1"]
    lines += ["BEGIN BULK", "EIGRL,1,,,30", "PARAM,GRDPNT,0"]
    lines += ["MAT1,1,7.+10,,.33,2700.", "PSHELL,1,1,.004,1,,1", "CORD2C,1,,0.,0.,0.,0.,0.,1.", ",1.,0.,0."]
    at = 1
    for z in np.linspace(0.0, 1.5, side + 1):
        for angle in np.linspace(0.0, 90.0, side + 1):
            lines.append(f"GRID,{at},1,1.,{angle:.6f},{z:.6f},0")
            at += 1
    for i in range(side):
        for j in range(side):
            a = i * (side + 1) + j + 1
            lines.append(f"CQUAD4,{i * side + j + 1},1,{a},{a + 1},{a + side + 2},{a + side + 1}")
    lines += [f"SPC1,1,123456,1,THRU,{side + 1}"]
    lines += [f"FORCE,1,{k},,{-1e4 / side:.4f},0.,0.,1." for k in range(at - side - 1, at)]
    lines += ["ENDDATA"]
    return "\n".join(lines) + "\n"


def solid_deck(dofs: int) -> str:
    """Deck text of a clamped cube of CHEXA with about `dofs` free translations."""
    side = max(2, round((dofs / 3.0) ** (1.0 / 3.0)) - 1)
    n = side + 1
    lines = [
        "SOL 103",
        "CEND",
        "SPC = 1",
        "METHOD = 1",
        "BEGIN BULK",
        "EIGRL,1,,,10",
        "MAT1,1,7.+10,,.33,2700.",
    ]
    lines += ["PSOLID,1,1"]
    x = np.linspace(0.0, 1.0, n)
    for k in range(n):
        for j in range(n):
            lines += [f"GRID,{(k * n + j) * n + i + 1},,{x[i]:.6f},{x[j]:.6f},{x[k]:.6f}" for i in range(n)]
    for k in range(side):
        for j in range(side):
            for i in range(side):
                a = (k * n + j) * n + i + 1
                b = a + n * n
                face = f"{a},{a + 1},{a + n + 1},{a + n},{b},{b + 1}"
                lines += [f"CHEXA,{(k * side + j) * side + i + 1},1,{face}", f",{b + n + 1},{b + n}"]
    lines += [f"SPC1,1,123,1,THRU,{n * n}", "ENDDATA"]
    return "\n".join(lines) + "\n"


def measure(text: str, n_modes: int) -> dict:
    """Time reading, assembly, one factorization and the modes of a deck, in this process."""
    from interstage.fem.constraints import join
    from interstage.fem.model import FEModel
    from interstage.fem.reduction import Constraints, reduce_model
    from interstage.linalg.eigen import eigenmodes
    from interstage.linalg.factor import Factor, backend_name
    from interstage.nastran import deck_from_text

    _warm_up()
    start = time.perf_counter()
    fe = FEModel.from_deck(deck_from_text(text))
    read = time.perf_counter() - start
    start = time.perf_counter()
    K, M = fe.K_gg, fe.M_gg
    assembly = time.perf_counter() - start
    case = fe.case.subcases[0]
    dofs, values = fe.constraints.spc(case.spc)
    equations = join([fe.rigid, fe.constraints.mpc(case.mpc)])
    start = time.perf_counter()
    model = reduce_model(K, M, fe.grids, Constraints(equations, dofs, values))
    reduction = time.perf_counter() - start
    K, M = model.K_ff, model.M_ff
    start = time.perf_counter()
    factor = Factor(K)
    factor_seconds = time.perf_counter() - start
    memory = factor.memory
    del factor
    start = time.perf_counter()
    Factor(K, by_groups=False)
    unit = time.perf_counter() - start
    start = time.perf_counter()
    # without modes a slow backend is measured by its factorization alone
    modes = eigenmodes(K, M, n_modes) if n_modes else None
    mode_seconds = time.perf_counter() - start
    found = (
        {}
        if modes is None
        else {
            "modes": mode_seconds,
            "stresses": stress_seconds(fe, n_modes),
            "buckling": buckling_seconds(fe),
            "factorizations": modes.n_shifts,
            "sturm": modes.sturm_checked,
            "residual": float(modes.residuals.max()),
            "first_hz": float(modes.frequencies_hz[0]),
            "last_hz": float(modes.frequencies_hz[-1]),
        }
    )
    return {
        "solver": backend_name(),
        "grids": len(fe.grids),
        "dofs": fe.grids.n_dof,
        "free": K.shape[0],
        "read": read,
        "assembly": assembly,
        "reduction": reduction,
        "factor": factor_seconds,
        "unit": unit,
        **found,
        "factor_memory": memory,
        "peak": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
    }


def smallest(found: list[dict]) -> dict:
    """Return the measurements of one deck with the smallest of its times and the largest of its memories."""
    times = [key for key in TIMES if key in found[0]]
    best = {key: min(one[key] for one in found) for key in times}
    return found[0] | best | {"peak": max(one["peak"] for one in found)}


def stress_seconds(fe, n: int) -> float:
    """Time the stresses of all shells in n fields of displacements."""
    from interstage.fem.recovery import Recovery

    u = np.random.default_rng(1).normal(size=(fe.grids.n_dof, n))
    start = time.perf_counter()
    found = Recovery(fe, u).stresses["CQUAD4"]
    assert found.values.shape[0] == n
    return time.perf_counter() - start


def buckling_seconds(fe) -> float:
    """Time the lowest load factor under the loads of the second subcase: all of SOL 105 behind the matrices."""
    from interstage.fem import buckling

    start = time.perf_counter()
    found = buckling(fe, subcase=1, preload=2, n_modes=1)
    assert found.sturm_checked
    return time.perf_counter() - start


def _warm_up() -> None:
    """Load and compile what every run needs once, so that it is not timed."""
    from interstage.fem.model import FEModel
    from interstage.linalg.eigen import eigenmodes
    from interstage.nastran import deck_from_text

    for text in (shell_deck(30), solid_deck(100)):
        fe = FEModel.from_deck(deck_from_text(text))
        eigenmodes(fe.K_gg, fe.M_gg, 5)
        if "CQUAD4" in text:
            stress_seconds(fe, 2)
            buckling_seconds(fe)


def in_own_process(
    script: str, *words: object, limit_s: float | None = None, show: bool = False, **environment: str
) -> dict | None:
    """Run one measurement of a script in a new process, whose peak memory is its own; None beyond the time limit.

    With `show` what it says on its error stream about its progress is seen as it comes.
    """
    command = [sys.executable, script, *map(str, words)]
    errors = None if show else subprocess.PIPE
    streams = {"stdout": subprocess.PIPE, "stderr": errors, "text": True, "env": os.environ | environment}
    try:
        done = subprocess.run(command, check=False, timeout=limit_s, **streams)
    except subprocess.TimeoutExpired:
        return None
    if done.returncode != 0:
        raise SystemExit(done.stderr or f"{Path(script).name} ended with status {done.returncode}")
    return json.loads(done.stdout.strip().splitlines()[-1])


def row(r: dict) -> str:
    """One line of the table."""
    return (
        f"{r['grids']:9d} {r['dofs']:9d} {r['read']:7.2f} {r['assembly']:11.2f} {r['factor']:9.2f} {r['unit']:7.2f} "
        f"{r['modes']:11.2f} {r['modes'] / r['unit']:11.2f} {r['assembly'] / r['unit']:14.3f} "
        f"{r['stresses']:11.2f} {r['stresses'] / r['unit']:14.3f} "
        f"{r['buckling']:11.2f} {r['buckling'] / r['unit']:14.2f} {r['peak'] / 1e9:8.2f}"
    )


def exponent(rows: list[dict], key: str) -> float:
    """Slope of log(time) over log(grids) between the smallest and the largest model."""
    first, last = rows[0], rows[-1]
    return float(np.log(last[key] / first[key]) / np.log(last["grids"] / first["grids"]))


def main(argv: list[str] | None = None) -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--grids", type=int, nargs="+", default=[10_000, 30_000, 100_000])
    parser.add_argument("--modes", type=int, default=30)
    parser.add_argument("--solid", type=int, nargs="*", default=[20_000, 80_000], help="dofs of the solids")
    parser.add_argument("--limit", type=float, default=120.0, help="seconds that a solid may take")
    parser.add_argument("--repeats", type=int, default=2)
    parser.add_argument("--one", nargs=3, metavar=("KIND", "SIZE", "MODES"), help=argparse.SUPPRESS)
    options = parser.parse_args(argv)
    if options.one:
        kind, size, n_modes = options.one[0], int(options.one[1]), int(options.one[2])
        text = (shell_deck if kind == "shell" else solid_deck)(size)
        print(json.dumps(smallest([measure(text, n_modes) for _ in range(options.repeats)])))
        return
    print(f"{platform.processor() or platform.machine()}, {os.cpu_count()} cores, numpy {np.__version__}")
    print(HEADER.replace("30 modes", f"{options.modes} modes"))
    rows = []
    for grids in options.grids:
        words = ("--repeats", options.repeats, "--one", "shell", grids, options.modes)
        rows.append(in_own_process(__file__, *words))
        print(row(rows[-1]), flush=True)
    if len(rows) > 1:
        growth = ", ".join(f"{k} {exponent(rows, k):.2f}" for k in ("assembly", "factor", "modes", "peak"))
        print(f"growth exponents over grids: {growth}")
    for size in options.solid:
        for solver in ("pardiso", "superlu"):
            words = (__file__, "--repeats", 1, "--one", "solid", size, 0)
            r = in_own_process(*words, limit_s=options.limit, INTERSTAGE_SOLVER=solver)
            if r is None:
                print(
                    f"solid of about {size} dofs, {solver}: not finished in {options.limit:.0f} s", flush=True
                )
                continue
            time_and_size = f"factor {r['factor']:.1f} s, peak {r['peak'] / 1e9:.1f} GB"
            print(f"solid of {r['free']} free dofs, {solver}: {time_and_size}", flush=True)


if __name__ == "__main__":
    main()
