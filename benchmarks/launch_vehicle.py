"""Measure a launch vehicle from deck to Bode: four engines taken out of a growing model and put back.

    python -m benchmarks launch_vehicle [-- --grids 5000 100000 --modes 80]

The vehicle is Heron of the demo, every plate of its walls cut into k x k and every bar on their edges into k, with
grids by interpolation in cylindrical coordinates, so that the model has about the grids asked for, or more. Its engines
are lumped bodies on RBE2. Stages: the deck is read and its matrices made; modes of the whole vehicle, engines locked;
the component of the core with engines and payload taken out; the multibody vehicle with them put back, locked, whose
elastic frequencies stand beside those of the whole model; the vehicle on gimbals, trim under thrust, linear model and
frequency response. Each size runs in a process of its own; memory is the peak of that process so far.
"""

from __future__ import annotations

import argparse
import json
import math
import resource
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path

import numpy as np

if __package__ in (None, ""):
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.structures import in_own_process

FIRST_NEW = 1_000_000  # numbers of grids and elements that refinement adds
CUT = ("CQUAD4", "CTRIA3", "CBAR")  # cards of one line each
COMPARED = 20  # elastic modes of both models


def refined_deck(text: str, k: int) -> str:
    """Cut every CQUAD4 of a deck into k x k, CTRIA3 into k, and CBAR on edges of plates into k.

    Grids of plates must be given in one cylindrical system; a CTRIA3 has its tip in its third corner.
    """
    from interstage.nastran import deck_from_text

    if k == 1:
        return text
    deck = deck_from_text(text)
    table = deck.cards("GRID")
    ids, xyz = table.integer(1), np.column_stack([table.real(j, 0.0) for j in (3, 4, 5)])
    place = dict(zip(ids.tolist(), xyz))
    lines = [line for line in text.splitlines() if not line.startswith((*CUT, "ENDDATA"))]
    new = _Points(place, k, lines)
    for row in deck.cards("CQUAD4").rows():
        _cut_quad(new, row)
    for row in deck.cards("CTRIA3").rows():
        a, b, tip = row[2:5]
        ring = new.edge(a, b)
        new.cards += [f"CTRIA3,{new.number()},{row[1]},{p},{q},{tip}" for p, q in pairwise(ring)]
    for row in deck.cards("CBAR").rows():
        chain = new.edge(row[2], row[3]) if new.has_edge(row[2], row[3]) else [row[2], row[3]]
        v = ",".join(str(value) for value in row[4:7])
        new.cards += [f"CBAR,{new.number()},{row[1]},{p},{q},{v}" for p, q in pairwise(chain)]
    return "\n".join([*lines, *new.cards, "ENDDATA", ""])


class _Points:
    """Grids on edges and inside plates, made once each."""

    def __init__(self, place: dict[int, np.ndarray], k: int, lines: list[str]):
        self.place, self.k, self.lines = place, k, lines
        self.cards: list[str] = []
        self._edges: dict[tuple[int, int], list[int]] = {}
        self._last, self._element = FIRST_NEW, FIRST_NEW

    def number(self) -> int:
        """A new element number."""
        self._element += 1
        return self._element

    def grid(self, x: np.ndarray) -> int:
        """A new grid at r, angle, height."""
        self._last += 1
        self.lines.append(f"GRID,{self._last},1,{x[0]:.9f},{x[1]:.9f},{x[2]:.9f},0")
        return self._last

    def has_edge(self, a: int, b: int) -> bool:
        """Whether a plate has this edge."""
        return (min(a, b), max(a, b)) in self._edges

    def edge(self, a: int, b: int) -> list[int]:
        """Grids from a to b, k + 1 of them."""
        key = (min(a, b), max(a, b))
        if key not in self._edges:
            x, y = self.place[key[0]], _near(self.place[key[1]], self.place[key[0]])
            inside = [self.grid(x + (y - x) * i / self.k) for i in range(1, self.k)]
            self._edges[key] = [key[0], *inside, key[1]]
        found = self._edges[key]
        return found if found[0] == a else found[::-1]


def _near(x: np.ndarray, other: np.ndarray) -> np.ndarray:
    """The same place with its angle within half a turn of another's."""
    return x - np.array([0.0, 360.0 * np.round((x[1] - other[1]) / 360.0), 0.0])


def _cut_quad(new: _Points, row: list) -> None:
    """k x k plates from one: sides by their edges, inside bilinear."""
    k, (a, b, c, d) = new.k, row[2:6]
    low, high, left, right = new.edge(a, b), new.edge(d, c), new.edge(a, d), new.edge(b, c)
    corners = [new.place[a], *(_near(new.place[one], new.place[a]) for one in (b, c, d))]
    mesh = [low, *([left[j], *[0] * (k - 1), right[j]] for j in range(1, k)), high]
    for j in range(1, k):
        for i in range(1, k):
            s, t = i / k, j / k
            weights = ((1 - s) * (1 - t), s * (1 - t), s * t, (1 - s) * t)
            mesh[j][i] = new.grid(sum(w * x for w, x in zip(weights, corners)))
    for j in range(k):
        for i in range(k):
            corner = (mesh[j][i], mesh[j][i + 1], mesh[j + 1][i + 1], mesh[j + 1][i])
            new.cards.append(f"CQUAD4,{new.number()},{row[1]}," + ",".join(map(str, corner)))


class Stages:
    """Wall time, processor time and peak memory of named stages, told as they end."""

    def __init__(self, told: bool = False) -> None:
        self.rows: list[tuple[str, float, float, float]] = []
        self.told = told

    @contextmanager
    def __call__(self, name: str) -> Iterator[None]:
        wall, cpu = time.perf_counter(), time.process_time()
        yield
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e9
        self.rows.append((name, time.perf_counter() - wall, time.process_time() - cpu, peak))
        if self.told:
            print(f"  {self.rows[-1][1]:.1f} s, {peak:.2f} GB: {name}", file=sys.stderr, flush=True)


def measure(grids: int, n_modes: int) -> dict:
    """Take one vehicle from deck to Bode in this process, after a small one for which kernels are compiled."""
    from interstage.demo.heron_deck import heron_deck

    text = heron_deck()
    stage = Stages(told=True)
    with stage("everything once with few modes, kernels compiled"):
        _to_bode(text, 12, Stages())
    first = text.count("\nGRID")
    k = max(1, math.ceil(np.sqrt(grids / first) - 0.01))
    with stage(f"deck, plates cut {k} x {k}"):
        text = refined_deck(text, k)
    return _to_bode(text, n_modes, stage)


def _to_bode(text: str, n_modes: int, stage: Stages) -> dict:
    from interstage.demo.flight import commanded, linear_model, trimmed
    from interstage.demo.vehicle import core_component, heron_vehicle
    from interstage.fem import FEModel, normal_modes
    from interstage.nastran import deck_from_text

    with stage("reading and matrices"):
        deck = deck_from_text(text)
        fe = FEModel.from_deck(deck)
        weight = fe.mass_properties(0).mass
        fe.K_gg  # noqa: B018
    with stage(f"{6 + COMPARED} modes of the whole, engines locked"):
        whole = normal_modes(fe, n_modes=6 + COMPARED).frequencies_hz
    with stage(f"component, {n_modes} modes, engines taken out"):
        component = core_component(deck, n_modes)
    with stage("vehicle, engines put back and locked"):
        again = heron_vehicle(component, locked=True).modes().frequencies_hz
    with stage("vehicle on gimbals, trim under thrust"):
        system = heron_vehicle(component)
        x0 = trimmed(system)
    with stage("linear model"):
        lin = linear_model(system, x0)
    with stage("Bode, 700 frequencies"):
        H = commanded(lin).frequency_response(np.geomspace(0.05, 40.0, 700))
    error = again[6 : 6 + COMPARED] / whole[6 : 6 + COMPARED] - 1.0
    return {
        "grids": len(fe.grids),
        "dofs": fe.grids.n_dof,
        "mass": float(weight),
        "rows": stage.rows,
        "first_hz": float(whole[6]),
        "error_first": float(np.abs(error[: COMPARED // 2]).max()),
        "error_all": float(np.abs(error).max()),
        "states": int(lin.n_states),
        "peak_db": float(20.0 * np.log10(np.abs(H).max())),
    }


def main(argv: list[str] | None = None) -> None:
    """Print a table for each size."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--grids", type=int, nargs="+", default=[3_300, 100_000])
    parser.add_argument("--modes", type=int, default=80, help="fixed-interface modes of the core")
    parser.add_argument("--one", nargs=2, metavar=("GRIDS", "MODES"), help=argparse.SUPPRESS)
    options = parser.parse_args(argv)
    if options.one:
        print(json.dumps(measure(*map(int, options.one))))
        return
    for grids in options.grids:
        found = in_own_process(__file__, "--one", grids, options.modes, show=True)
        assert found is not None
        print(f"{found['grids']} grids, {found['dofs']} dofs, {found['mass']:.0f} kg")
        print("    wall s     cpu s  peak GB  stage")
        for name, wall, cpu, peak in found["rows"]:
            print(f"{wall:10.2f} {cpu:9.2f} {peak:8.2f}  {name}")
        wall, cpu = (sum(row[i] for row in found["rows"]) for i in (1, 2))
        print(f"{wall:10.2f} {cpu:9.2f}           all")
        print(
            f"first bending {found['first_hz']:.4f} Hz; multibody against the whole model: first {COMPARED // 2} "
            f"elastic frequencies within {found['error_first']:.1e}, first {COMPARED} within {found['error_all']:.1e}; "
            f"{found['states']} states, largest gain {found['peak_db']:.2f} dB",
            flush=True,
        )


if __name__ == "__main__":
    main()
