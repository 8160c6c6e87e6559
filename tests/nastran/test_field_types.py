"""Integers in fields of real numbers, and numbers that no material or section can have, are refused as NASTRAN does."""

from __future__ import annotations

import pytest

from interstage import FEModel
from interstage.errors import DeckError
from interstage.nastran import CardTable, deck_from_text
from interstage.nastran.cards import CARDS, DYNAMIC, SUPPORTED, columns
from validation import nastran_decks

# one card of each kind as users write them wrongly: the card, the field that holds the integer (as NASTRAN counts)
INTEGERS = [
    ("GRID,7,,0.,1,0.", "GRID 7: field 5"),
    ("MAT1,3,206800,,.3", "MAT1 3: field 3"),
    ("MAT1,3,2.1+11,,.3,7850", "MAT1 3: field 6"),
    ("PSHELL,3,1,2,1", "PSHELL 3: field 4"),
    ("PBAR,3,1,1.,2,2.", "PBAR 3: field 5"),
    ("PBAR,3,1,1.,2.,2.\n,\n,1,1.", "PBAR 3: field 2 of continuation 2"),
    ("PBARL,3,1,,ROD\n,5", "PBARL 3: field 2 of continuation 1"),
    ("PBEAM,3,1,1.,1.,1.\n,\n,YES,1.,2", "PBEAM 3: field 4 of continuation 2"),
    ("PROD,3,1,1", "PROD 3: field 4"),
    ("PBUSH,3,K,1000,1000.", "PBUSH 3: field 4"),
    ("PCOMP,3\n,1,.1,45", "PCOMP 3: field 4 of continuation 1"),
    ("PCOMP,3\n,1,.1,45.,YES,1,2", "PCOMP 3: field 7 of continuation 1"),
    ("CELAS2,3,1000,7,1", "CELAS2 3: field 3"),
    ("CONM2,3,7,0,10", "CONM2 3: field 5"),
    ("CONM2,3,7,0,1.\n,1.,0.,1", "CONM2 3: field 4 of continuation 1"),
    ("CBAR,3,1,7,8,0.,1,0.", "CBAR 3: field 7"),
    ("CQUAD4,3,1,1,2,3,4,,1", "CQUAD4 3: field 9"),
    ("FORCE,3,7,0,1,0.,0.,1.", "FORCE 3: field 5"),
    ("FORCE,3,7,0,1.,0,0.,1.", "FORCE 3: field 6"),
    ("PLOAD4,3,9,5", "PLOAD4 3: field 4"),
    ("GRAV,3,0,9,0.,0.,1.", "GRAV 3: field 4"),
    ("LOAD,3,1,1.,2", "LOAD 3: field 3"),
    ("LOAD,3,1.,1,2", "LOAD 3: field 4"),
    ("SPC,3,7,1,0", "SPC 3: field 5"),
    ("MPC,3,7,1,1.,8,1,-1", "MPC 3: field 8"),
    ("EIGRL,3,0,,10", "EIGRL 3: field 3"),
    ("RBE3,3,,7,123456,1,123,8,9", "RBE3 3: field 6"),
    ("CORD2R,3,,0,0.,0.,0.,0.,1.\n,1.,0.,0.", "CORD2R 3: field 4"),
]
WITHOUT_REALS = """
    BNDFIX BNDFIX1 BNDFREE BNDFRE1 GENEL NSMADD RJOINT CWELD
    GRDSET SPOINT CORD1R CORD1C CORD1S CROD CTUBE CBUSH1D CELAS1 CELAS3 CDAMP1 CDAMP3 CMASS1 CMASS3 CVISC CSHEAR CHEXA
    CPENTA CTETRA CPYRAM PSOLID RBE1 RBE2 SPC1 SPCADD MPCADD ASET ASET1 BSET BSET1 CSET CSET1 QSET QSET1 OMIT OMIT1
    SUPORT SUPORT1 USET USET1 PARAM SEBNDRY SEEXCLD SELOC SEMPLN CSUPER RSSCON RTRPLT CRIGD1 CRIGD2 EXTRN
"""


@pytest.mark.parametrize("card, place", INTEGERS)
def test_an_integer_for_a_real_is_an_error_with_file_line_card_and_field(card, place):
    with pytest.raises(DeckError) as error:
        deck_from_text("GRID,100,,0.,0.,0.\n" + card)
    text = str(error.value)
    assert place in text and "real number" in text and "line 2" in text
    assert card.split("\n")[0] in text or card.split(",")[0] in text
    # nothing is said with the decimal point
    assert "integer" not in _error_of(card, place)


def _error_of(card, place):
    """What is said about the card once the integer has its decimal point."""
    lines = [line.split(",") for line in card.split("\n")]
    row = int(place.split("continuation ")[1]) if "continuation" in place else 0
    column = int(place.split("field ")[1].split()[0]) - 1
    lines[row][column] += "."
    try:
        deck_from_text("GRID,100,,0.,0.,0.\n" + "\n".join(",".join(line) for line in lines))
    except DeckError as error:
        return str(error)
    return ""


@pytest.mark.parametrize(
    "card, place",
    [
        ("MAT1,3,-2.1+11,,.3", "MAT1 3: field 3"),
        ("MAT1,3,2.1+11,-8.+10", "MAT1 3: field 4"),
        ("MAT8,3,1.+11,-1.+10,.3,5.+9", "MAT8 3: field 4"),
        ("MAT9,3,-1.+11", "MAT9 3: field 3"),
        ("MAT8,3,1.+11,1.+10,.3,-5.+9", "MAT8 3: field 6"),
    ],
)
def test_what_cannot_be_negative_is_refused(card, place):
    with pytest.raises(DeckError, match="negative") as error:
        deck_from_text(card)
    assert place in str(error.value)
    deck_from_text(card.replace(",-", ","))


SECTIONS = [
    "CROD,1,3,7,8|PROD,3,1,-1.",
    "CROD,1,3,7,8|PROD,3,1,1.,-1.",
    "CONROD,1,7,8,1,-1.",
    "CTUBE,1,3,7,8|PTUBE,3,1,-1.,.1",
    "CBAR,1,3,7,8,0.,1.,0.|PBAR,3,1,-1.,1.,1.",
    "CBAR,1,3,7,8,0.,1.,0.|PBAR,3,1,1.,-1.,1.",
    "CBAR,1,3,7,8,0.,1.,0.|PBAR,3,1,1.,1.,-1.",
    "CBAR,1,3,7,8,0.,1.,0.|PBAR,3,1,1.,1.,1.,-1.",
    "CBAR,1,3,7,8,0.,1.,0.|PBARL,3,1,,ROD|,-1.",
    "CBEAM,1,3,7,8,0.,1.,0.|PBEAM,3,1,1.,-1.,1.",
    "CQUAD4,1,3,7,8,9,10|PSHELL,3,1,-.1,1",
    "CQUAD4,1,3,7,8,9,10|PCOMP,3|,1,-.1,0.",
    "CSHEAR,1,3,7,8,9,10|PSHEAR,3,1,-.1",
]


@pytest.mark.parametrize("cards", SECTIONS)
def test_sections_that_no_bar_or_plate_can_have_are_refused(cards):
    grids = "GRID,7,,0.,0.,0.\nGRID,8,,1.,0.,0.\nGRID,9,,1.,1.,0.\nGRID,10,,0.,1.,0.\nMAT1,1,1.+7,,.3,.1\n"
    with pytest.raises(DeckError):
        FEModel.from_deck(deck_from_text(grids + cards.replace("|", "\n")))


def test_masses_springs_and_densities_may_be_negative():
    deck_from_text("CONM2,3,7,0,-10.\nCELAS2,4,-5.,7,1\nMAT1,1,2.+11,,.3,-1.")


def test_orientation_grid_and_material_system_are_integers():
    """Fields that hold either: G0 of bars and bushes, THETA or MCID of shells."""
    text = "CBAR,1,1,7,8,9\nCBUSH,2,2,7,8,9\nCQUAD4,3,3,1,2,3,4,5\nCTRIA3,4,3,1,2,3,5"
    assert deck_from_text(text).counts["CBAR"] == 1


@pytest.mark.parametrize(
    "cards, words",
    [
        ("PARAM,WTMASS,1", "PARAM WTMASS"),
        ("PARAM,K6ROT,100", "PARAM K6ROT"),
        ("PARAM,COUPMASS,1.", "PARAM COUPMASS"),
    ],
)
def test_params_have_the_type_that_nastran_gives_them(cards, words):
    with pytest.raises(DeckError, match=words) as error:
        deck_from_text("GRID,1\n" + cards)
    assert "line 2" in str(error.value)
    with pytest.raises(DeckError, match=words):
        deck_from_text(f"SOL 103\nCEND\n{cards.replace(',', ' ', 1)}\nBEGIN BULK\nGRID,1\n")


def test_every_supported_card_is_sorted():
    """A supported card has real fields, or is known to have none."""
    without = set(WITHOUT_REALS.split())
    # what responses use is looked at when a response is asked for
    reals = {name for name, card in CARDS.items() if card.reals}
    assert reals | without == SUPPORTED - DYNAMIC
    assert not without & reals
    for name, card in CARDS.items():
        assert set(columns(card.not_negative, 40)) <= set(columns(card.reals, 40)), name


def test_every_field_that_is_read_as_a_real_is_listed(monkeypatch):
    read = set()
    plain = CardTable.real

    def watched(self, j, *default):
        read.add((self.name, j))
        return plain(self, j, *default)

    monkeypatch.setattr(CardTable, "real", watched)
    for case in nastran_decks.DECKS:
        FEModel.from_deck(nastran_decks.read(case))
    orientation = {(name, 5) for name in ("CBAR", "CBEAM", "CBUSH", "BAROR", "BEAMOR")}
    angle = {("CQUAD4", 7), ("CTRIA3", 6)}
    missing = {(n, j) for n, j in read - orientation - angle if j not in set(columns(CARDS[n].reals, 60))}
    assert len(read) > 60 and not missing
