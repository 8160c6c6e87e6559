"""Report of a deck: what it weighs, how it moves (modes, buckling shapes, displacements under its loads), stresses."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from interstage.errors import ModelError
from interstage.fem import Displacements, FEModel, buckling, normal_modes, static_subcases
from interstage.fem.from_deck.extremes import extremes
from interstage.fem.requests import BUCKLING
from interstage.nastran import Deck, read_deck
from interstage.report.document import Report, Section, versions
from interstage.report.scene import ElementPart, Scene, SceneMode, parts_of_model
from interstage.report.stresses import grid_stresses

STATICS = (1, 24, 61, 101)
MOST_SHAPES = 30
MOST_ROWS = 400  # of the table of stresses
NOISE = 1e-10  # of the largest stress of a subcase: what is below is rounding


@dataclass
class _Solved:
    """What a deck asks for: names of shapes, their motion (n_dof,) and stresses (N,) at the grids, or None.

    statics : results of the subcases, where these are what was solved
    """

    title: str
    sentence: str
    shapes: list[tuple[str, np.ndarray, np.ndarray | None]]
    notes: list[str]
    statics: list[Displacements] = field(default_factory=list)


def deck_report(path: str | Path) -> Report:
    """Return the report of what a deck asks for; its shapes move in the page."""
    path = Path(path)
    cards = read_deck(path)
    fe = FEModel.from_deck(cards)
    if not len(fe.grids):
        raise ModelError(
            "the deck has no grids: there is nothing to draw",
            where=fe.source,
            hint="'interstage modes', 'static' and 'response' print what its scalar points do",
        )
    solve = _statics if fe.sol in STATICS else (_buckling if fe.sol in BUCKLING else _modes)
    solved = solve(fe, cards)
    report = Report(path.stem, f"The structure of {path.name} and how it moves.", "Structure")
    weight = fe.mass_properties()
    report.fact("Mass", f"{weight.mass:.6g}")
    report.fact("Grids", f"{len(fe.grids)}")
    report.fact("Elements", f"{sum(len(block) for block in fe.blocks)}")
    parts = parts_of_model(fe) or [ElementPart("grids", dots=np.arange(len(fe.grids)))]
    shapes = [
        SceneMode(name, _basic(fe, u), stress=stress) for name, u, stress in solved.shapes[:MOST_SHAPES]
    ]
    section = report.section("shapes", solved.title, solved.sentence)
    stressed = any(one.stress is not None for one in shapes)
    section.figure(
        "Shapes",
        "Pick one: the structure moves as it would, greatly exaggerated, and colour shows how far each place moves"
        + (
            ", or the stress there: von Mises of shells and solids, the largest normal stress of bars, beams and rods, "
            "mean of the elements around a grid."
            if stressed
            else "."
        ),
        Scene(np.asarray(fe.grids.xyz), parts, shapes, stressed=bool(solved.statics)).figure(),
    )
    rows = [(name, f"{np.abs(_basic(fe, u)).max():.5g}") for name, u, _ in solved.shapes]
    section.table(
        "All shapes", "With their largest displacements.", ("shape", "largest"), rows, text=(0,), tall=True
    )
    if solved.statics:
        _stress_table(section, cards, solved.statics)
    about = report.section("about", "About", "Where the numbers come from.")
    with about.pair():
        about.bullets(
            "What was assumed", "Notes of the solution.", solved.notes or ["There is nothing to say."]
        )
        centre = ", ".join(f"{c:.6g}" for c in weight.shown_cg)
        about.pairs(
            "Model",
            "What was solved, and by what.",
            {"deck": path.name, **_titles(cards), "centre of mass": centre, **versions()},
        )
    return report


def _titles(cards: Deck) -> dict[str, str]:
    """TITLE of the deck, and SUBTITLE and LABEL of subcases, each once."""
    out: dict[str, str] = {}
    for name in ("title", "subtitle", "label"):
        found = dict.fromkeys(cards.case.texts(one.id).get(name, "") for one in cards.case.subcases)
        if any(found):
            out[name] = "; ".join(filter(None, found))
    return out


def _basic(fe: FEModel, u: np.ndarray) -> np.ndarray:
    """Translations (N, 3) of all grids in basic axes."""
    return np.einsum("nij,nj->ni", fe.grids.R_basic_cd, u[fe.grids.dof[:, None] + np.arange(3)])


def _stress_table(section: Section, cards: Deck, results: list[Displacements]) -> None:
    """Add the smallest and largest stresses of each subcase by element type and property, without rounding errors."""
    rows = []
    for one in results:
        found = extremes(cards, {"stresses": dict(one.stresses.items())})["stresses"]
        listed = [
            (name, group, column, at)
            for name, groups in found.items()
            for group, columns in groups.items()
            if group != "all" or len(groups) != 2  # its only property says the same
            for column, at in columns.items()
        ]
        size = [max(abs(at["min"]), abs(at["max"])) for *_, at in listed]
        for (name, group, column, at), largest in zip(listed, size):
            if largest > NOISE * max(size):
                low, high = f"{at['min']:.5g}", f"{at['max']:.5g}"
                rows.append((one.subcase, name, group, column, low, at["min_at"], high, at["max_at"]))
    if rows:
        more = f" The first {MOST_ROWS} of {len(rows)} rows." if len(rows) > MOST_ROWS else ""
        heads = ("subcase", "elements", "property", "stress", "min", "at element", "max", "at element")
        section.table(
            "Largest stresses",
            "Of each subcase, by type of element and by property." + more,
            heads,
            rows[:MOST_ROWS],
            text=(1, 2, 3),
            tall=True,
        )


def _modes(fe: FEModel, cards: Deck) -> _Solved:
    found = normal_modes(fe)
    stress = None if found.recovery is None else grid_stresses(fe, found.recovery)
    rows = [
        (f"{f:.5g} Hz", u, None if stress is None else stress[k])
        for k, (f, u) in enumerate(zip(found.frequencies_hz, found.shapes.T))
    ]
    return _Solved("Modes", "The patterns in which the structure can vibrate on its own.", rows, found.notes)


def _buckling(fe: FEModel, cards: Deck) -> _Solved:
    found = buckling(fe)
    rows = [(f"{f:.5g} times the load", u, None) for f, u in zip(found.load_factors, found.shapes.T)]
    return _Solved("Buckling", "The patterns in which the structure gives way.", rows, found.notes)


def _statics(fe: FEModel, cards: Deck) -> _Solved:
    found = static_subcases(fe)
    rows = []
    for one in found:
        stress = None if one.recovery is None else grid_stresses(fe, one.recovery)
        texts = cards.case.texts(one.subcase)
        name = texts.get("label") or texts.get("subtitle")
        rows.append(
            (
                f"subcase {one.subcase}" + (f", {name}" if name else ""),
                one.displacement,
                None if stress is None else stress[0],
            )
        )
    notes = list(dict.fromkeys(note for one in found for note in one.notes))
    return _Solved(
        "Displacements and stresses", "How the structure moves under its loads.", rows, notes, found
    )
