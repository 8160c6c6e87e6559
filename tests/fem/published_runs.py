"""Decks of our own that restate models of published Nastran runs, and what those runs gave for elements and grids.

The runs are real ones of NX and MSC Nastran and of NASTRAN-95, published with pyNastran, pyyeti, NASA's NASTRAN-95 and
F. M. A. Mitrotta's notebooks on structural stability (CC BY 4.0). Figures stand in `published/<case>.json` with their
source: tables of elements as {columns, element, layer or node_id, cases: {case: rows}}, of grids as {case: {grid: six
numbers}}. Further models, of which the study `nastran_reference` shows displacements and modes, are
`validation.nastran_decks`.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

import numpy as np

from validation import nastran_decks
from validation.nastran_decks.cards import chain, deck, grids, quads

FOLDER = Path(__file__).parent / "published"


@cache
def figures(case: str) -> dict:
    return json.loads((FOLDER / f"{case}.json").read_text(encoding="utf-8"))


def cases_of(case: str, kind: str, name: str = "") -> list[int]:
    """Return the subcases, or modes, of a table."""
    found = figures(case)[kind]
    return [int(k) for k in (found[name]["cases"] if name else found)]


def of_elements(case: str, kind: str, name: str, subcase: int = 1) -> dict:
    """Return columns, elements, places and values (n, m) of a table."""
    found = figures(case)[kind][name]
    place = found.get("layer", found.get("node_id"))
    values = np.array(found["cases"][str(subcase)], dtype=float)  # blank in the print: not a number
    return {"columns": found["columns"], "element": found["element"], "place": place, "values": values}


def at_grids(case: str, kind: str, subcase: int = 1) -> tuple[list[int], np.ndarray]:
    """Return grids and their values (n, 6)."""
    found = figures(case)[kind][str(subcase)]
    return [int(g) for g in found], np.array(list(found.values()))


def nested_loads() -> str:
    """A square on two held corners under pressures; one LOAD card names another LOAD card."""
    case = ["SPC = 42", *(f"SUBCASE {k}\nLOAD = {k}" for k in range(1, 9))]
    pressures = {
        1: ["1."],
        2: ["1."],
        3: ["1.", "2."],
        4: ["1.,2."],
        5: ["1.,2.,3.14"],
        6: ["1.,2.,3.14,1.67"],
    }
    return deck(
        101,
        case,
        grids({21: (0, 0, 0), 22: (1, 0, 0), 23: (1, 1, 0), 24: (0, 1, 0)}),
        ["CQUAD4,9,10,21,22,23,24", "PSHELL,10,1,.1", "MAT1,1,3.+7,,.3", "SPC1,42,123456,21,22"],
        [f"PLOAD4,{k},9,{values}" for k, cards in pressures.items() for values in cards],
        ["LOAD,7,5.,7.,1", "LOAD,8,13.,11.,1,17.,5", ",1.1,7"],
    )


def loads_along_a_bar() -> str:
    """A slanted cantilever of one bar under forces and moments at its middle and over half its length."""
    kinds = ("FX", "FY", "FZ", "MX", "MY", "MZ")
    points = [f"PLOAD1,{100 * k},3,{kind},FR,.5,{10 if k < 4 else 3}." for k, kind in enumerate(kinds, 1)]
    spread = [f"PLOAD1,{100 * k},3,{kind},FR,.5,10.,1." for k, kind in enumerate(kinds[3:], 7)]
    return deck(
        101,
        ["SPC = 10", *(f"SUBCASE {k}\nLOAD = {100 * k}" for k in range(1, 10))],
        grids({1: (1, 0, 0), 2: (2, 1, 0)}),
        ["CBAR,3,3,1,2,1.,1.,1.", "PBAR,3,4,1.,2.,3.,4.,5.", "MAT1,4,3.+7,,.3", "SPC,10,1,123456"],
        points,
        spread,
    )


def _part(
    number: int, E: str, nu: str, pressure: str, points: dict, plates: list[str], *more: str
) -> list[str]:
    head = [f"BEGIN SUPER = {number}"] if number else []
    count = len(plates)
    cards = [f"CQUAD4,{k},100,{nodes}" for k, nodes in enumerate(plates, 1)]
    load = f"PLOAD2,1,{pressure}," + ",".join(map(str, range(1, count + 1)))
    stuff = [f"MAT1,1,{E},,{nu},.001,6.5-4", "PSHELL,100,1,.5,1"]
    return [*head, *stuff, load, *grids({g: (*xy, 0.0) for g, xy in points.items()}), *cards, *more]


def loop_of_superelements() -> str:
    """Six parts and a rest of plates that form a loop; part 1 is described elsewhere and moved into its place."""
    two = ["{0}1,{0}2,{0}3,{0}4", "{0}5,{0}1,{0}4,{0}6"]
    rest = {1: (0, -10), 2: (5, -10), 3: (5, -5), 4: (0, -5), 5: (-5, -10), 6: (-5, -5)}
    marks = {40: (-5, 15), 50: (5, 15), 60: (5, 10)}
    moved = {11: (-10.6699, 32.5), 12: (-6.33975, 35.0), 13: (-8.83975, 39.33013)}
    moved |= {14: (-13.1699, 36.83013), 15: (-15.0, 30.0), 16: (-17.5, 34.33013)}
    ring = {51: (-5, 10), 52: (-5, 15), 53: (-10, 15), 54: (-10, 10), 55: (-15, 15), 56: (-15, 10)}
    ring |= {57: (-15, -5), 58: (-15, -10), 59: (-10, -10), 510: (-10, -5), 511: (-5, -10), 512: (-5, -5)}
    ear = {61: (5, 10), 62: (5, 15), 63: (10, 15), 64: (10, 10), 65: (15, 15), 66: (15, 10)}
    ear |= {67: (15, 0), 68: (15, -5), 69: (10, 0), 610: (10, -5), 611: (5, -5), 612: (5, 0)}
    base = {41: (0, -5), 42: (5, -5), 43: (5, 0), 44: (0, 0), 45: (-5, -5), 46: (-5, 0)}
    left, right = (
        {21: (0, 0), 22: (0, 10), 23: (-5, 10), 24: (-5, 0)},
        {31: (0, 0), 32: (0, 10), 33: (5, 10), 34: (5, 0)},
    )
    return deck(
        101,
        ["SUPER = ALL", "SPC = 20", "LOAD = 1"],
        _part(0, "29.+6", ".3", "3000.", rest, ["1,2,3,4", "5,1,4,6"]),
        [*grids({g: (*xy, 0.0) for g, xy in marks.items()}), "SELOC,1,16,13,12,40,50,60"],
        _part(1, "29.+6", ".3", "1500.", moved, [one.format(1) for one in two]),
        _part(2, "31.+6", ".35", "3000.", left, ["24,23,22,21"]),
        _part(3, "31.+6", ".35", "3000.", right, ["34,33,32,31"]),
        _part(4, "29.+6", ".3", "2500.", base, [one.format(4) for one in two]),
        _part(5, "27.+6", ".28", "1500.", ring, ["51,52,53,54", "53,55,56,54", "510,54,56,57", "57,58,59,510",
              "59,511,512,510"], "SPC1,20,123456,55,56,57,58"),
        _part(6, "40.+6", ".4", "1500.", ear, ["61,62,63,64", "63,65,66,64", "67,69,64,66", "69,67,68,610",
              "69,610,611,612"]),
    )  # fmt: skip


def temperatures_of_corners() -> str:
    """A sandwich strip, held at one end, bent and heated from 20 degrees there to 200 at the other end."""
    x = [0.0, 0.020000003278255, 0.040000006556511, 0.060000006109476, 0.080000013113022, 0.100000001490116]
    y = [0.0, 0.012500000186265, 0.025000000372529]  # single precision of a preprocessor
    points = {1 + i + 6 * j: (x[i], y[j], 0.0) for j in range(3) for i in range(6)}
    hot = dict(enumerate((20, 70, 100, 120, 150, 200)))
    skin = [f"130,3.1-4,{angle},YES" for angle in ("0.", "45.", "0.")]
    plies = [*skin, *skin, "121,.01814,0.,YES", "121,.01814,0.,YES", *skin, *skin]
    return deck(
        101,
        ["TEMPERATURE(INITIAL) = 1", "SPC = 5", "SUBCASE 1\nLOAD = 5", "SUBCASE 2\nTEMPERATURE(LOAD) = 4",
         "SUBCASE 3\nLOAD = 5\nTEMPERATURE(LOAD) = 4"],
        ["PARAM,AUTOSPC,NO", "PARAM,K6ROT,100.", "PARAM,SNORM,0.", "PARAM,NOCOMPS,1"],
        grids(points),
        quads(5, 2, 2),
        ["PCOMP,2,-.02,5.95198,2.+7,TSAI,20.", *("," + ",".join(plies[k : k + 2]) for k in range(0, 14, 2))],
        ["MAT8,121,1000.,1000.,.25,1000.,4.826+8,1.931+8,72.", ",2.3-5,2.3-5,20."],
        ["MAT8,130,7.632+10,7.632+10,.03,1.71+9,4.6+9,4.6+9,1608.", ",6.-7,6.-7,20."],
        ["SPC1,5,123456,1,7,13", "TEMPD,1,20."],
        [f"TEMP,4,{g},{hot[(g - 1) % 6]}." for g in points],
        [f"FORCE,5,{g},0,100.,0.,0.,-1." for g in (6, 12, 18)],
    )  # fmt: skip


def hanging_cable() -> str:
    """A quarter circle of thin bars that hangs by its own weight: NASTRAN-95's demonstration D04-01, linear part."""
    return deck(
        101,
        ["SPC = 2", "LOAD = 32"],
        ["GRDSET,,10,,,,0,345", "CORD2C,10,0,0.,0.,0.,0.,0.,1.", ",1.,0.,0."],
        [f"GRID,{10 + k},,10.,{10.0 * k},0." for k in range(10)],
        chain("CBAR", 10, 10, list(range(10, 20)), "-1.2,1.,0."),
        [
            "PBAR,10,1,.1,1.-6,1.-6",
            "MAT1,1,5.5+5,,.3,.4",
            "GRAV,32,0,32.2,0.,1.,0.",
            "SPC,2,10,12,0.,19,1,0.",
        ],
    )


def compressed_beam() -> str:
    """A hinged beam of 100 bars under half its Euler load: NASTRAN-95's demonstration D13-01 as SOL 103."""
    case = ["SPC = 2", "FORCE = ALL", "SUBCASE 20\nLOAD = 100", "SUBCASE 80\nSTATSUB = 20\nMETHOD = 101"]
    return deck(
        103,
        case,
        ["EIGRL,101,,200.,3,,,,MAX", "GRDSET,,,,,,,345"],
        grids({1 + k: (float(k), 0.0, 0.0) for k in range(101)}),
        chain("CBAR", 1, 1, list(range(1, 102))),
        ["PBAR,1,22,2.,.666667,.666667", "MAT1,22,1.04+7,,.3,2.-4"],
        ["FORCE1,100,101,3423.17,101,1", "SPC,2,1,12,0.,101,2,0."],
    )


def one_of_each(requests: str = "STRESS(BILIN) = ALL\nFORCE(BILIN) = ALL") -> str:
    """The tower of `nastran_decks` with requests for results of elements, and points of the beam's stresses."""
    text = nastran_decks.deck_text("static_solid_shell_bar")
    corners, end = ",-.25,-.25,.25,-.25,.25,.25,-.25,.25", ",.0087949,0.,-.25,-.25,.25,-.25,.25,.25"
    text = text.replace(",.0087949\n,\n", f",.0087949\n{corners}\n").replace(",0.\n,\n", f",0.\n{end}\n")
    text = text.replace("PROD,3,1,.1,.0088021", "PROD,3,1,.1,.0088021,1.")
    return text.replace("LOAD = 1\n", f"LOAD = 1\n{requests}\n", 1)


def mixed_plate() -> str:
    """The plate of `nastran_decks` with stresses at corners."""
    return nastran_decks.deck_text("plate_mixed_pcomp").replace(
        "LOAD = 1\n", "LOAD = 1\nSTRESS(BILIN) = ALL\n", 1
    )


def _buckling(text: str, load: int) -> str:
    text = text.replace("SOL 101", "SOL 105").replace(
        f"LOAD = {load}\n", f"SUBCASE 1\nLOAD = {load}\nSUBCASE 2\nMETHOD = 7\n"
    )
    return text.replace("ENDDATA", "EIGRL,7,0.,,1\nENDDATA")


DECKS = {
    "bars_of_a_truss": lambda: nastran_decks.deck_text("craig_bampton_inboard"),
    "buckling_column": lambda: _buckling(nastran_decks.deck_text("buckling_column_statics"), 4),
    "buckling_plate": lambda: _buckling(nastran_decks.deck_text("buckling_plate_statics"), 5),
    "compressed_beam": compressed_beam,
    "hanging_cable": hanging_cable,
    "loads_along_a_bar": loads_along_a_bar,
    "loop_of_superelements": loop_of_superelements,
    "mixed_plate": mixed_plate,
    "nested_loads": nested_loads,
    "one_of_each": one_of_each,
    "shear_and_fibers": lambda: one_of_each("STRESS(FIBER,SHEAR) = ALL"),
    "temperatures_of_corners": temperatures_of_corners,
}
