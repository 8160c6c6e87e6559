"""Types of fields: where NASTRAN wants a real number, and where a modulus may not be negative.

NASTRAN stops on an integer in a field of a real number (206800 for 206800.), because a decimal point is what tells
one from the other. Fields are data fields, the first after the card's name is 1. A list is written `3-5` (from, to),
`9+` (all from 9 on; words may stand between) or `4/8` (4, 12, 20 ...).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from interstage.nastran.table import CardTable, field_name

if TYPE_CHECKING:
    from interstage.nastran.deck import Deck

REAL_FIELDS = {
    "GRID": "3-5",
    **dict.fromkeys(("CORD2R", "CORD2C", "CORD2S"), "3-11"),
    "SNORM": "3-5",
    # the orientation is a vector, or a grid in its first field
    **dict.fromkeys(("BAROR", "BEAMOR"), "6-7"),
    **dict.fromkeys(("CBAR", "CBEAM"), "6-7,11-16"),
    "CBUSH": "6-7,9,11-13",
    "CBEND": "6-7",
    "CBEAM3": "7-20",
    "CONROD": "5-8",
    "CELAS2": "2,7-8",
    **dict.fromkeys(("CELAS4", "CDAMP2", "CDAMP4", "CMASS2", "CMASS4"), "2"),
    # THETA or MCID may be either
    **dict.fromkeys(("CQUAD4", "CQUADR"), "8,11-14"),
    **dict.fromkeys(("CTRIA3", "CTRIAR"), "7,11-13"),
    "CQUAD8": "11-14,16",
    "CTRIA6": "10-13",
    "CFAST": "9-11",
    "PFAST": "2,5-12",
    "PWELD": "3,9-10",
    "CTRIAX6": "9",
    "PLOADX": "2-3",
    "PLOADX1": "3-4,7",
    "MAT3": "2-8,11-16",
    "CONM1": "4-24",
    "CONM2": "4-7,9-14",
    "RBAR": "8",
    "RROD": "6",
    "RBE3": "5",
    "PSHELL": "3,5,7-10",
    "PCOMP": "2-4,6-7,10/4,11/4",
    "PCOMPS": "6-7,11/8,12/8",
    "PCOMPG": "2-4,6-7,11/8,12/8",
    "PBAR": "3-7,9-19",
    **dict.fromkeys(("PBARL", "PBEAML"), "9+"),
    "PBEAM": "3+",
    "PBEND": "4-22",
    "PBEAM3": "3+",
    "PBCOMP": "3-14,17/8,18/8,19/8",
    "PROD": "3-6",
    "PTUBE": "3-6",
    "PBUSH": "2+",
    "PBUSH1D": "2-7",
    "PELAS": "2-4,6-8",
    **dict.fromkeys(("PDAMP", "PMASS"), "2,4,6,8"),
    "PVISC": "2-3,6-7",
    "PSHEAR": "3-6",
    "MAT1": "2-11",
    "MAT2": "2-16",
    "MAT8": "2-19",
    "MAT9": "2-31",
    **dict.fromkeys(("SPC", "SPCD"), "4,7"),
    "MPC": "4/8,7/8",
    "DMIG": "7/4,8/4",
    "EIGRL": "2-3,7",
    **dict.fromkeys(("EIGR", "EIGB"), "3-4"),
    **dict.fromkeys(("FORCE", "MOMENT"), "4-7"),
    **dict.fromkeys(("FORCE1", "FORCE2", "MOMENT1", "MOMENT2"), "3"),
    "SLOAD": "3,5,7",
    **dict.fromkeys(("PLOAD", "PLOAD2"), "2"),
    "PLOAD4": "3-6,10-12",
    "GRAV": "3-6",
    "RFORCE": "4-7,9",
    "LOAD": "2,3/2",
    "TEMP": "3,5,7",
    "TEMPD": "2,4,6,8",
    "TEMPP1": "3-6",
    "TEMPRB": "3-16",
    "PLOAD1": "5-8",
    "SEBULK": "5",
    "SECONCT": "3",
    "PGAP": "2-11",
    "CGAP": "6-7",
    **dict.fromkeys(("NSM", "NSML"), "4/2"),
    **dict.fromkeys(("NSM1", "NSML1"), "3"),
}

# Moduli and sections of rods. Springs, masses and densities may be negative, and a MAT2 may be that of the coupling
# of a shell (MID4); other sections and thicknesses are looked at where they are used.
NOT_NEGATIVE = {
    "MAT1": "2-3",
    "MAT3": "2-4,11",
    "MAT8": "2-3,5-7",
    "MAT9": "2,8,13,17,20,22",
    "PROD": "3-4",
    "CONROD": "5-6",
}

REAL_PARAMS = ("EPZERO", "G", "K6ROT", "MAXRATIO", "SNORM", "W3", "W4", "WTMASS")
INTEGER_PARAMS = ("COUPMASS", "GRDPNT", "POST")


def columns(listing: str, width: int) -> Iterator[int]:
    """Data fields of a listing, up to a width.

    >>> list(columns("2-4,6,10/4", 20)), list(columns("9+", 11))
    ([2, 3, 4, 6, 10, 14, 18], [9, 10, 11])
    """
    for part in listing.split(","):
        if part.endswith("+"):
            yield from range(int(part[:-1]), width + 1)
        elif "/" in part:
            first, step = part.split("/")
            yield from range(int(first), width + 1, int(step))
        else:
            first, _, last = part.partition("-")
            yield from range(int(first), min(int(last or first), width) + 1)


def check_types(deck: Deck) -> None:
    """Refuse integers in fields of real numbers, negative moduli, and PARAMs of the wrong type."""
    for name, listing in REAL_FIELDS.items():
        table = _data_cards(deck, name)
        if not len(table):
            continue
        width = int(table.width.max())
        for j in columns(listing, width):
            _refuse_integers(table, j)
        for j in columns(NOT_NEGATIVE.get(name, ""), width) if name in NOT_NEGATIVE else ():
            _refuse_negative(table, j)
    _check_params(deck)


def _data_cards(deck: Deck, name: str) -> CardTable:
    """Cards of a name; the header of a DMIG (0 in field 2) has its own layout."""
    table = deck.cards(name)
    if name != "DMIG" or not len(table):
        return table
    head = np.array([row[1:2] == [0] for row in table.rows()])
    return table.select(~head)


def _refuse_integers(table: CardTable, j: int) -> None:
    wrong = table.is_integer(j)
    if wrong.any():
        i = int(np.argmax(wrong))
        value = table.row(i)[j - 1]
        raise table.error(
            i,
            f"{table.label(i)}: {field_name(j)} is an integer where NASTRAN wants a real number",
            expected=f"{value}. with a decimal point",
            got=str(value),
        )


def _refuse_negative(table: CardTable, j: int) -> None:
    real = table.is_real(j)
    if not real.any():
        return
    rows = np.flatnonzero(real)
    value = table.select(rows).real(j)
    if value.min() < 0.0:
        i = int(rows[np.argmax(value < 0.0)])
        raise table.error(
            i,
            f"{table.label(i)}: {field_name(j)} is negative",
            expected="zero or more",
            got=f"{value.min():g}",
        )


def _check_params(deck: Deck) -> None:
    """PARAMs that are used have the type that NASTRAN gives them."""
    for names, kind, words in ((REAL_PARAMS, float, "a real number"), (INTEGER_PARAMS, int, "an integer")):
        for name in names:
            value = deck.params.get(name)
            other = int if kind is float else float
            if isinstance(value, other):
                what = f"PARAM {name} has the wrong type"
                hint = (
                    "write it with a decimal point" if kind is float else "write it without a decimal point"
                )
                raise deck.param_error(name, what, expected=words, got=str(value), hint=hint)
