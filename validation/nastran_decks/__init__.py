"""Decks of our own that restate the models of published Nastran runs, with the figures that those runs gave.

The runs are real ones of MSC, NX and Simcenter Nastran, published with pyNastran, pyyeti, NASTRAN CoFE and
F. M. A. Mitrotta's notebooks on structural stability (CC BY 4.0). Model facts (where grids lie, what sections and
loads are) are written anew by small functions; what the runs printed or stored
stands in `figures/<case>.json` with its source. So a clone of this project alone can be held against Nastran.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path

import numpy as np

from validation.nastran_decks import line_decks, shell_decks

FIGURES = Path(__file__).parent / "figures"

DECKS: dict[str, Callable[[], str]] = {
    "bar_beam_bush_plate": line_decks.bar_beam_bush_plate,
    "beam_frame_conm2_free": line_decks.beam_frame_conm2_free,
    "beam_modes": line_decks.beam_modes,
    "buckling_column_statics": line_decks.buckling_column_statics,
    "buckling_plate_statics": shell_decks.buckling_plate_statics,
    "cbush_bar_mass": line_decks.cbush_bar_mass,
    "craig_bampton_inboard": partial(line_decks.truss, "EIGRL,1,,50."),
    "craig_bampton_inboard_350hz": partial(line_decks.truss, "EIGRL,1,,350."),
    "glider_tapered_cbeam": line_decks.glider,
    "gpsc_spacecraft": shell_decks.gpsc_spacecraft,
    "kgg_solid_shell_bar": partial(shell_decks.one_of_each, "statics"),
    "plate_free_cquad4": shell_decks.plate_free_cquad4,
    "plate_mixed_pcomp": shell_decks.plate_mixed_pcomp,
    "rbe2_springs_plate": line_decks.rbe2_springs_plate,
    "rbe3_1": partial(line_decks.rbe3, "rbe3_1"),
    "rbe3_3": partial(line_decks.rbe3, "rbe3_3"),
    "rbe3_um_1": partial(line_decks.rbe3, "rbe3_um_1"),
    "rbe3_um_3": partial(line_decks.rbe3, "rbe3_um_3"),
    "rod_coupled_mass_ten_bar": line_decks.ten_bar,
    "solid_shell_bar_modes": partial(shell_decks.one_of_each, "modes"),
    "static_cbeam_offset": line_decks.static_cbeam_offset,
    "static_chexa_pload4": shell_decks.static_chexa_pload4,
    "static_rbe2_solid": shell_decks.static_rbe2_solid,
    "static_solid_shell_bar": partial(shell_decks.one_of_each, "statics"),
    "static_solid_shell_bar_cylindrical_cd": partial(shell_decks.one_of_each, "statics", 12),
}


def deck_text(case: str) -> str:
    """The deck of a case as text."""
    return DECKS[case]()


def read(case: str):
    """The deck of a case, read."""
    from interstage.nastran import deck_from_text

    return deck_from_text(deck_text(case))


@cache
def figures(case: str) -> dict:
    """What the published run gave: `source`, `solver`, and the figures (see `matrix` and `displacement`)."""
    return json.loads((FIGURES / f"{case}.json").read_text(encoding="utf-8"))


def matrix(case: str, name: str) -> np.ndarray:
    """A matrix of the figures: {"shape", "symmetric", "entries": [row, column, value, ...]}, numbered from 0."""
    stored = figures(case)[name]
    entries = np.array(stored["entries"]).reshape(-1, 3)
    out = np.zeros(stored["shape"])
    row, column = entries[:, 0].astype(int), entries[:, 1].astype(int)
    out[row, column] = entries[:, 2]
    if stored["symmetric"]:
        out[column, row] = entries[:, 2]
    return out


def displacement(case: str) -> dict[int, dict[int, np.ndarray]]:
    """Displacements {subcase: {grid: six components in the grid's CD axes}}."""
    return {
        int(subcase): {int(grid): np.array(u) for grid, u in table.items()}
        for subcase, table in figures(case)["displacement"].items()
    }
