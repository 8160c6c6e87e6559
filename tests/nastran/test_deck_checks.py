"""What is used, ignored and refused; numbers used twice; lists of numbers."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest

from interstage.errors import DeckError
from interstage.nastran import deck_from_text, expand_ids, parameters
from refusals import refusals


def test_classes_of_parameters_do_not_overlap():
    params = [parameters.USED_PARAMS, parameters.HARMLESS_PARAMS, frozenset(parameters.REFUSED_PARAMS)]
    assert sum(map(len, params)) == len(frozenset.union(*params))


def test_ignored_entries_are_counted():
    deck = deck_from_text(
        "GRID,1\nTABLED1,1\nTABLED1,2\nEIGC,1\nPLOTEL,1,1,1\nPARAM,MYPARAM,3\nMDLPRM,HDF5,1\n"
    )
    assert deck.ignored == {"TABLED1": 2, "EIGC": 1, "PLOTEL": 1, "MDLPRM": 1, "PARAM MYPARAM": 1}
    assert len(deck.cards("TABLED1")) == 2
    shown = repr(deck)
    assert "GRID 1" in shown and "ignored: " in shown and "TABLED1 2" in shown


@pytest.mark.parametrize(
    "name",
    [
        "RBAR1",
        "CROD3",
        "RSPLINE",
        "CBUSH2D",
        "CSUPUP",
    ],
)
def test_entries_that_change_the_structure_are_refused(name):
    with pytest.raises(DeckError) as caught:
        deck_from_text(f"GRID,1\n{name},1,2\n")
    message = str(caught.value)
    assert message.startswith(
        f"{name} is not supported and may change the structure (text, line 2: '{name},1,2')"
    )
    assert len(deck_from_text(f"GRID,1\n{name},1,2\n", strict=False).cards(name)) == 1


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("CSEAM", "seams that are projected onto plates are not made .*CWELD or CFAST"),
        ("CTRIAX", "of axisymmetric elements CTRIAX6 alone is made"),
    ],
)
def test_some_entries_are_refused_in_words_that_say_what_to_do(name, words):
    with pytest.raises(DeckError, match=f"{name} is not supported: .*{words}"):
        deck_from_text(f"GRID,1\n{name},1,2\n")


def test_unknown_names_are_refused_with_a_guess():
    with pytest.raises(
        DeckError, match=r"'GRIDD' is not a known bulk data entry .text, line 1.*did you mean GRID\?"
    ):
        deck_from_text("GRIDD,1\n")
    with pytest.raises(DeckError, match="'GRID 1' is not a known bulk data entry"):
        deck_from_text("GRID 1  2\n")


@refusals(
    """
    PARAM,CM1,2.0 -> PARAM CM1 = 2.0 is not supported
    MDLPRM,SHEARP,GARNET -> MDLPRM SHEARP = GARNET is not supported and may change
    GRID,1,,1.2.3 -> GRID 1: field 4 is not a number .*got '1.2.3'
    GRID,A1 -> GRID: field 2 is not a number
    GRID,,,1.0 -> GRID: field 2 is missing
    GRID,0 -> GRID needs a positive identification number
    CBAR,-1,1,1,2 -> CBAR needs a positive identification number
    GRID           1              1.  2 3.      0. -> two numbers in one field: check that the columns line up
    GRID,1,,1.|GRID,1,,2. -> GRID 1 is defined twice and differently .*line 2.*the other one is in text, line 1
    CBAR,5,1,1,2|CQUAD4,5,1,1,2,3,4 -> element 5 is defined twice .*line 2.*other one is CBAR in text, line 1
    CONM2,5,1,,1.|CONM2,5,2,,1. -> mass element 5 is defined twice
    RBE2,5,1,123,2|RBAR,5,1,2,123456 -> rigid element 5 is defined twice
    PSHELL,1,1,.1|PCOMP,1 -> property 1 is defined twice
    PELAS,1,2.,,,1,3. -> property 1 is defined twice
    MAT1,1,7.+10,,.3|MAT8,1,1.,1.,.3 -> material 1 is defined twice
    EIGRL,1,,,5|EIGR,1,MGIV -> eigenvalue method 1 is defined twice
    CORD1R,1,1,2,3,1,4,5,6 -> coordinate system 1 is defined twice
    BAROR,,1|BAROR,,2 -> BAROR may be given only once .*line 2.*the other one is in text, line 1
    CORD2R,1|CORD1C,1,1,2,3 -> coordinate system 1 is defined twice
    """
)
def test_mistakes_are_named(text, words):
    with pytest.raises(DeckError, match=words):
        deck_from_text(text)


def test_allowed_repetitions():
    deck = deck_from_text(
        "GRID,1,,1.\nGRID,2\nGRID           1              1.\nCBAR,1,1,1,2\nCONM2,1,1,,2.\n"
        "PBAR,1,1,2.\nPSHELL,1,1,.1\n"
    )
    assert deck.cards("GRID").unique_ids().tolist() == [1, 2]


def test_unique_ids_of_a_table():
    table = deck_from_text("SPC1,1,123,1\nSPC1,1,456,1\n").cards("SPC1")
    with pytest.raises(
        DeckError, match=r"SPC1 1 is defined twice .text, line 2.*the other one is in text, line 1"
    ):
        table.unique_ids()


def test_inertia_relief_matters_only_in_statics():
    deck = deck_from_text("SOL 101\nCEND\nBEGIN BULK\nPARAM,INREL,-3\n")
    assert deck.params["INREL"] == -3
    assert "PARAM INREL = -3 is not supported" in str(deck.static_refusals[0])


def test_entries_selected_by_case_control_are_refused_only_then():
    bulk = "BEGIN BULK\nGRID,1\nMFLUID,3,0,0.,1000.,1\n"
    assert deck_from_text(f"SOL 103\nCEND\n{bulk}ELIST,1,7\n").ignored == {"ELIST": 1, "MFLUID": 1}
    assert deck_from_text(f"SOL 103\nCEND\nMFLUID = NONE\n{bulk}").ignored == {"MFLUID": 1}
    words = r"MFLUID is not supported and subcase 1 selects it: the virtual mass of a fluid .*text, line 6"
    with pytest.raises(DeckError, match=words):
        deck_from_text(f"SOL 103\nCEND\nMFLUID = 3\n{bulk}")


def test_fluids_are_refused_in_words_of_their_own():
    for card in ("ACMODL,DIFF", "CHACAB,1,1,1,2,3,4,5,6", "CFLUID3,1,1,2,3", "SLBDY,1.,2,1,2"):
        with pytest.raises(DeckError, match="is about a fluid: fluid elements, absorbers"):
            deck_from_text("GRID,1\n" + card)


def test_other_loads_are_refused_when_used():
    deck = deck_from_text("GRID,1\nACCEL,7,0,0.,0.,1.,X\n")
    assert deck.ignored == {"ACCEL": 1}
    deck.check_loads([1, 2])
    with pytest.raises(
        DeckError, match=r"the load ACCEL is not supported and load set 7 uses it .text, line 2"
    ):
        deck.check_loads([1, 7])


def ids(*values, **options):
    return expand_ids(values, partial(DeckError), **options).tolist()


def test_lists_of_numbers():
    assert ids() == []
    assert ids(3, None, 1) == [3, 1]
    assert ids(1, "THRU", 5, 9) == [1, 2, 3, 4, 5, 9]
    assert ids(1, "THRU", 10, "BY", 4) == [1, 5, 9, 10]
    assert ids(1, "THRU", 6, "EXCEPT", 2, 4, "THRU", 5, 8) == [1, 3, 6, 8]
    assert ids(1, "THRU", 10**9, 5, within=np.array([7, 3, 10**9 + 1])) == [3, 7, 5]
    assert ids(2, "THRU", 12, "BY", 5, within=np.arange(20)) == [2, 7, 12]


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ((1, "THRU"), "THRU has no number behind it"),
        ((1, "THRU", 5, "BY"), "BY has no number behind it"),
        ((1, "THRU", 5, "BY", 0), "BY needs a positive number"),
        ((5, "THRU", 1), "THRU runs backwards; got 5 THRU 1"),
        ((1, "THRU", 10**9), "the list of numbers is too long"),
        ((1.5,), "the list holds something that is not an integer; got 1.5"),
        (("THRU", 5), "the list holds something that is not an integer"),
    ],
)
def test_bad_lists(values, message):
    with pytest.raises(DeckError, match=message):
        ids(*values)


@pytest.mark.parametrize("parameter", ["ENFMOTN,REL", "RMSINT,LOGLOG"])
def test_parameters_that_change_printed_responses_are_listed(parameter):
    """Motion relative to what is enforced, rms values of straight lines in logarithms: other numbers than ours."""
    assert deck_from_text(f"PARAM,{parameter}\nGRID,1\n").ignored


def test_two_values_of_a_parameter_are_noted():
    found = deck_from_text("PARAM,WTMASS,2.\nPARAM,WTMASS,3.\nPARAM,G,.1\nPARAM,G,.1\nGRID,1\n")
    assert found.params["WTMASS"] == 3.0
    assert [note for note in found.notes if "twice" in note] == [
        "PARAM WTMASS is given twice: 3.0 holds, and not 2.0"
    ]
