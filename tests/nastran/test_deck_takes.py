"""What NASTRAN takes with or without a word, and what it refuses: identifiers, lists, files of other sections."""

from __future__ import annotations

import numpy as np
import pytest

from interstage import FEModel, normal_modes
from interstage.cli.inputs import check_deck
from interstage.errors import DeckError
from interstage.nastran import deck_from_text, read_deck
from refusals import refusals

BAR = """SOL {sol}
CEND
METHOD = 1
{case}
BEGIN BULK
EIGRL,1,,,2
GRID,1,,0.,0.,0.,,123456
GRID,2,,1.,0.,0.
GRID,3,,2.,0.,0.
CBAR,1,1,1,2,0.,1.,0.
CBAR,2,1,2,3,0.,1.,0.
PBAR,1,1,.01,1.-4,1.-4,2.-4
MAT1,1,2.+11,,.3,7800.
{bulk}
ENDDATA
"""


def bar(bulk="", case="", sol=103):
    return deck_from_text(BAR.format(bulk=bulk, case=case, sol=sol))


@pytest.mark.parametrize(
    ("card", "field", "value"),
    [
        ("SPC1,1,1 2 3,3", 2, 123),
        ("SPC1    1       12 345  3", 2, 12345),
        ("GRID    7               0.      1.      0.              12 456", 7, 12456),
        ("RBE2,9,2,1 2 3,3", 3, 123),
        ("RBE3,9,,3,1 2 3,1.,123,1,2", 4, 123),
        ("RBE3,9,,3,123,1.,1 2 3,1,2", 6, 123),
        ("MPC,1,2,1 2,1.,3,1,-1.", 3, 12),
        ("ASET,2,1 2,3,4 5", 4, 45),
        ("CBAR,9,1,1,2,0.,1.,0.\n,4 5,5 6", 10, 56),
    ],
)
def test_component_lists_with_blanks(card, field, value):
    table = deck_from_text(card, strict=False).cards(card.replace(" ", ",").split(",")[0])
    assert table.integer(field).tolist() == [value]


@refusals(
    """
    SPC1,1,1 2 7,3 -> field 3 is not a number
    SPC1,1,1 2 1,3 -> field 3 is not a number
    FORCE,1 2,2,,1.,1. -> FORCE: field 2 is not a number
    GRID,1 2,,0. -> GRID: field 2 is not a number
    GRID,123456789,,0. -> GRID has an identification number of more than eight digits .*at most 99999999
    PBAR,123456789,1,1. -> PBAR has an identification number of more than eight digits
    """
)
def test_mistakes_are_named(text, words):
    with pytest.raises(DeckError, match=words):
        deck_from_text(text)


def test_lists_that_run_backwards():
    with pytest.raises(DeckError, match=r"THRU runs backwards .*SPC1,1,123456,3,THRU,2.*got 3 THRU 2"):
        FEModel.from_deck(bar("SPC1,1,123456,3,THRU,2"))


def test_orphan_continuation_is_noted():
    deck = bar("CONM2,7,2,,1.\n+ABC,1.")
    assert deck.notes == [
        "no card asks for this continuation: it is taken for one of the line before (text, line 15)"
    ]
    assert FEModel.from_deck(deck).notes == deck.notes
    assert FEModel.from_deck(deck).M_gg.diagonal()[9] == 1.0  # I11 of grid 2
    with pytest.raises(DeckError, match=r"FORCE 1: field 2 of continuation 1 is beyond its last.*line 14"):
        bar("FORCE,1,2,,1.,1.,0.,0.\n+ABC,1.")  # the rest of a card whose first line is gone


@pytest.mark.parametrize(
    ("card", "words"),
    [
        ("CELAS1,7,1,1,1,2,1,8", "CELAS1 7: field 8 is beyond its last .*at most 6 data fields, got 8"),
        ("CONM2,7,2,,1.\n,1.,,1.,,,1.,9.", "CONM2 7: field 8 of continuation 1 is beyond"),
        ("GRID,7,,0.,0.,0.,,,,\n,5", "GRID 7: field 2 of continuation 1 is beyond"),
        ("CBAR,7,1,1,2,0.,1.,0.\n,,,,,,,,,\n,1.", "CBAR 7: field 2 of continuation 2 is beyond"),
    ],
)
def test_fields_beyond_the_last_are_refused(card, words):
    with pytest.raises(DeckError, match=words):
        bar(card)


def test_values_behind_a_property_whose_length_varies_are_refused():
    """A line of stress points behind a station without them makes the offsets one line too many."""
    beam = (
        "CBEAM,7,7,1,2,0.,1.,0.\nPBEAM,7,1,1.,1.,1.,,1.\n,,,,,,,,\n,NO,1.,1.,1.,1.,,1.\n{},1.,1.\n,,,,,.1,,.1"
    )
    assert FEModel.from_deck(bar(beam.format("")))
    for more in (beam.format(",,,,,,,,\n"), "CBAR,7,7,1,2,0.,1.,0.\nPBARL,7,1,,ROD\n,.1,0.,5."):
        with pytest.raises(DeckError, match=r"PB.* 7 has values behind its last field"):
            FEModel.from_deck(bar(more))


def test_absent_mpc_set_is_noted():
    plain = normal_modes(FEModel.from_deck(bar()))
    found = normal_modes(FEModel.from_deck(bar(case="MPC = 77")))
    np.testing.assert_array_equal(found.frequencies_hz, plain.frequencies_hz)
    assert "MPC set 77 is selected and not in the deck: it holds no equations" in found.notes


def test_words_of_other_programs_are_listed():
    deck = bar("DEBUG   193     1\nDTPL,1,STACK\nDGLOBAL,1")
    assert deck.ignored == {"DEBUG": 1, "DTPL": 1, "DGLOBAL": 1}


DESIGN = "DESVAR,1,A,2.\nDESVAR,2,I,.5\n"


def test_design_variables_that_replace_properties_are_a_warning():
    relations = (
        "DVPREL1,1,PBAR,1,A,,,0.,,1,.01\nDVPREL1,2,PBAR,1,5,,,5.-5,,2,1.-4\nDVPREL1,3,PBAR,1,6,,,,,1,7."
    )
    (note,) = FEModel.from_deck(bar(DESIGN + relations, sol=200)).notes
    # A: 0.01 becomes 0.02; field 5, I1: 5e-5 + 0.5 * 1e-4 is that of the card; field 6, I2: 14
    assert "replace those of 2 of the 3 fields" in note and "PBAR 1 A: 0.01 becomes 0.02" in note
    same = "DVPREL1,2,PBAR,1,5,,,5.-5,,2,1.-4"
    assert FEModel.from_deck(bar(DESIGN + same, sol=200)).notes == []
    assert FEModel.from_deck(bar(DESIGN + relations)).notes == []  # only SOL 200 looks at them


def test_files_of_the_executive_section(tmp_path):
    text = BAR.format(bulk="", case="", sol=103)
    (tmp_path / "alter.dmap").write_text("COMPILE SEMODES\nALTER 5\nBEGIN $\nENDALTER\n")
    main = tmp_path / "main.bdf"
    main.write_text("INCLUDE 'SSSALTERDIR:gone.alter'\nINCLUDE 'alter.dmap'\n" + text)
    deck = read_deck(main)
    assert deck.sol == 103 and len(deck.cards("GRID")) == 3
    assert [note.split(" before CEND")[0] for note in deck.notes] == [
        "INCLUDE 'SSSALTERDIR:gone.alter'",
        "INCLUDE 'alter.dmap'",
    ]
    (tmp_path / "head.inc").write_text("SOL 101\n")
    main.write_text("INCLUDE 'head.inc'\n" + text.replace("SOL 103\n", ""))
    assert read_deck(main).sol == 101
    main.write_text(text.replace("GRID,1", "INCLUDE 'gone.bdf'\nGRID,1"))
    with pytest.raises(DeckError, match="the INCLUDE file was not found"):
        read_deck(main)


def test_zeros_behind_enddata_are_no_binary_file(tmp_path):
    path = tmp_path / "a.bdf"
    path.write_bytes(b"GRID,1\nENDDATA\n\0\0\0\0")
    check_deck(path)
    assert len(read_deck(path).cards("GRID")) == 1


def test_what_mid_edge_mass_is():
    text = """
    GRID,1,,0.,0.,0.
    GRID,2,,1.,0.,0.
    GRID,3,,0.,1.,0.
    GRID,4,,0.,0.,1.
    GRID,5,,.5,0.,0.
    CTETRA,1,1,1,2,3,4,5
    PSOLID,1,1
    MAT1,1,1.,,.3,1.
    """.replace("    ", "")
    (note,) = FEModel.from_deck(deck_from_text(text)).notes
    assert note.startswith("CTETRA with mid-edge nodes: lumped mass is the diagonal of the coupled mass")
    assert FEModel.from_deck(deck_from_text(text + "PARAM,COUPMASS,1")).notes == []


def test_a_field_of_components_that_is_blank_but_for_a_hard_space():
    """It is neither a list of components nor a fault of the reader."""
    with pytest.raises(DeckError, match="is not a number"):
        deck_from_text(b"GRID,1\nSPC1,1,\xa0,1\n".decode("utf-8", "surrogateescape"))
