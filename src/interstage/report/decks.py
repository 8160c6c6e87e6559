"""Report of a deck: what it weighs, and how it moves: modes, buckling shapes, or displacements under its loads."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from interstage.fem import FEModel, buckling, normal_modes, static_subcases
from interstage.fem.requests import BUCKLING
from interstage.nastran import read_deck
from interstage.report.document import Report, versions
from interstage.report.scene import Part, Scene, Shape, parts_of_model

STATICS = (1, 24, 61, 101)
MOST_SHAPES = 30
Rows = list[tuple[str, np.ndarray]]


def deck_report(path: str | Path) -> Report:
    """Return the report of what a deck asks for; its shapes move in the page."""
    path = Path(path)
    fe = FEModel.from_deck(read_deck(path))
    solve = _statics if fe.sol in STATICS else (_buckling if fe.sol in BUCKLING else _modes)
    title, sentence, found, notes = solve(fe)
    report = Report(path.stem, f"The structure of {path.name} and how it moves.", "Structure")
    weight = fe.mass_properties()
    report.fact("Mass", f"{weight.mass:.6g}")
    report.fact("Grids", f"{len(fe.grids)}")
    report.fact("Elements", f"{sum(len(block) for block in fe.blocks)}")
    parts = parts_of_model(fe) or [Part("grids", dots=np.arange(len(fe.grids)))]
    shapes = [Shape(name, _basic(fe, u)) for name, u in found[:MOST_SHAPES]]
    section = report.section("shapes", title, sentence)
    section.figure(
        "Shapes",
        "Pick one: the structure moves as it would, greatly exaggerated, and colour shows how far each place moves.",
        Scene(np.asarray(fe.grids.xyz), parts, shapes).figure(),
    )
    rows = [(name, f"{np.abs(_basic(fe, u)).max():.5g}") for name, u in found]
    section.table(
        "All shapes", "With their largest displacements.", ("shape", "largest"), rows, text=(0,), tall=True
    )
    about = report.section("about", "About", "Where the numbers come from.")
    with about.pair():
        about.bullets("What was assumed", "Notes of the solution.", notes or ["There is nothing to say."])
        centre = ", ".join(f"{c:.6g}" for c in weight.shown_cg)
        about.pairs(
            "Model",
            "What was solved, and by what.",
            {"deck": path.name, "centre of mass": centre, **versions()},
        )
    return report


def _basic(fe: FEModel, u: np.ndarray) -> np.ndarray:
    """Translations (N, 3) of all grids in basic axes."""
    return np.einsum("nij,nj->ni", fe.grids.R_basic_cd, u[fe.grids.dof[:, None] + np.arange(3)])


Solved = tuple[str, str, Rows, list[str]]


def _modes(fe: FEModel) -> Solved:
    found = normal_modes(fe)
    rows = [(f"{f:.5g} Hz", u) for f, u in zip(found.frequencies_hz, found.shapes.T)]
    return "Modes", "The patterns in which the structure can vibrate on its own.", rows, found.notes


def _buckling(fe: FEModel) -> Solved:
    found = buckling(fe)
    rows = [(f"{f:.5g} times the load", u) for f, u in zip(found.load_factors, found.shapes.T)]
    return "Buckling", "The patterns in which the structure gives way.", rows, found.notes


def _statics(fe: FEModel) -> Solved:
    found = static_subcases(fe)
    rows = [(f"subcase {one.subcase}", one.displacement) for one in found]
    notes = list(dict.fromkeys(note for one in found for note in one.notes))
    return "Displacements", "How the structure moves under its loads.", rows, notes
