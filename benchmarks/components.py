"""Measure flexible-body components: modes, integrals of all orders, file and reading of growing shells.

    python -m benchmarks components
    python benchmarks/components.py [--sizes 10000x50 30000x100] [--full]

The body is a cylindrical panel of CQUAD4 whose lower edge hangs on one interface grid by an RBE2; the component is a
Craig-Bampton model at that grid, normalized, with all integrals. --full adds 100,000 grids with 200 modes. Each size
runs in a process of its own, whose peak memory is stated, and its file is read in another. numpy's own library gets one
thread unless OPENBLAS_NUM_THREADS says otherwise: beside other work its threads wait for each other; MKL keeps its own.
"""

from __future__ import annotations

import argparse
import functools
import json
import os
import resource
import sys
import tempfile
import time
from pathlib import Path

if __package__ in (None, ""):
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.structures import in_own_process, shell_deck

SIZES = ((10_000, 50), (30_000, 100))
FULL = (100_000, 200)
HEADER = (
    "    grids  modes  read s  eigen s  integrals s  integrals/eigen  total s  write s  file MB"
    "  write GB  peak GB  load s"
)


def panel_deck(grids: int) -> str:
    """Deck text of the panel of `benchmarks.structures` on an interface grid instead of a clamp."""
    lines = shell_deck(grids).splitlines()
    edge = int(next(line for line in lines if line.startswith("SPC1")).split(",")[-1])
    lines = [line for line in lines if not line.startswith(("SPC", "ENDDATA"))]
    top = sum(line.startswith("GRID,") for line in lines) + 1
    words = [str(k) for k in range(1, edge + 1)]
    lines += [f"GRID,{top},,0.,0.,0.", "RBE2,9000001," + ",".join([str(top), "123456", *words[:5]])]
    lines += ["," + ",".join(words[k : k + 8]) for k in range(5, len(words), 8)]
    return "\n".join([*lines, "ENDDATA", ""])


class Clock:
    """Seconds spent in functions by name, of outermost calls."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    def timed(self, name: str, function):
        @functools.wraps(function)
        def call(*args, **options):
            start = time.perf_counter()
            try:
                return function(*args, **options)
            finally:
                spent = time.perf_counter() - start
                self.seconds[name] = self.seconds.get(name, 0.0) + spent

        return call


def measure(grids: int, modes: int, path: str) -> dict:
    """Make the component of one panel in this process and write its file."""
    from interstage.component import Component, build, component_modes
    from interstage.component.from_nastran import deck as from_deck
    from interstage.fem.model import FEModel
    from interstage.nastran import deck_from_text

    Component.from_deck(deck_from_text(panel_deck(100)), 5)  # loads and compiles
    clock = Clock()
    for name in ("mass_products", "point_fields"):
        setattr(build, name, clock.timed("integrals", getattr(build, name)))
    from_deck.lumped_points = clock.timed("integrals", from_deck.lumped_points)
    component_modes.requested_modes = clock.timed("eigen", component_modes.requested_modes)
    FEModel.from_deck = clock.timed("model", FEModel.from_deck)
    start = time.perf_counter()
    deck = deck_from_text(panel_deck(grids))
    read = time.perf_counter() - start
    count = len(deck.cards("GRID"))
    start = time.perf_counter()
    component = Component.from_deck(deck, modes, aset={count: 123456})
    total = time.perf_counter() - start
    peak = _peak()
    start = time.perf_counter()
    component.save(path)
    write = time.perf_counter() - start
    return {
        "grids": component.n_nodes,
        "modes": component.n_modes,
        "read": read + clock.seconds["model"],
        "eigen": clock.seconds["eigen"],
        "integrals": clock.seconds["integrals"],
        "total": total,
        "write": write,
        "size": Path(path).stat().st_size,
        "peak": peak,
        "peak_write": _peak(),
        "highest_hz": float(component.frequencies_hz[-1]),
    }


def load(path: str) -> dict:
    """Read the file as a tree does: all but the shapes, and the shapes of the interface grid."""
    import h5py  # noqa: F401  not part of the reading

    import interstage.component.file  # noqa: F401
    from interstage.component.component import Component

    start = time.perf_counter()
    component = Component.load(path)
    row = component.n_nodes - 1
    component.gamma[row], component.lam[row]
    return {"load": time.perf_counter() - start, "load_peak": _peak()}


def _peak() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def measured(*words: str) -> dict:
    """Run one measurement in a new process, with one thread of OpenBLAS unless asked otherwise."""
    threads = os.environ.get("OPENBLAS_NUM_THREADS", "1")
    return in_own_process(__file__, *words, OPENBLAS_NUM_THREADS=threads)


def row(r: dict) -> str:
    """One line of the table."""
    return (
        f"{r['grids']:9d} {r['modes']:6d} {r['read']:7.2f} {r['eigen']:8.2f} {r['integrals']:12.2f} "
        f"{r['integrals'] / r['eigen']:16.3f} {r['total']:8.2f} {r['write']:8.2f} {r['size'] / 1e6:8.1f} "
        f"{r['peak_write'] / 1e9:9.2f} {r['peak'] / 1e9:8.2f} {r['load']:7.3f}"
    )


def main(argv: list[str] | None = None) -> list[dict]:
    """Print the table; returns its rows."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", nargs="+", default=[f"{g}x{m}" for g, m in SIZES], metavar="GRIDSxMODES")
    parser.add_argument("--full", action="store_true", help="100,000 grids with 200 modes too")
    parser.add_argument("--one", nargs=3, metavar=("GRIDS", "MODES", "FILE"), help=argparse.SUPPRESS)
    parser.add_argument("--load", metavar="FILE", help=argparse.SUPPRESS)
    options = parser.parse_args(argv)
    if options.one:
        print(json.dumps(measure(int(options.one[0]), int(options.one[1]), options.one[2])))
        return []
    if options.load:
        print(json.dumps(load(options.load)))
        return []
    sizes = [tuple(int(v) for v in size.split("x")) for size in options.sizes]
    print(HEADER)
    rows = []
    for grids, modes in sizes + ([FULL] if options.full else []):
        with tempfile.TemporaryDirectory() as folder:
            path = str(Path(folder) / "panel.h5")
            found = measured("--one", str(grids), str(modes), path)
            rows.append(found | measured("--load", path))
        print(row(rows[-1]), flush=True)
    print(
        "peak: of making the component; write: peak after the file was written; load: shapes stay in the file"
    )
    return rows


if __name__ == "__main__":
    main()
