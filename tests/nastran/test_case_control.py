"""Executive and case control: the solution, subcases and what they select."""

from __future__ import annotations

import pytest

from interstage.errors import DeckError
from interstage.nastran import deck_from_text
from refusals import refusals


def deck(executive: str = "SOL 103", case: str = "", bulk: str = "GRID,1\n"):
    return deck_from_text(f"{executive}\nCEND\n{case}\nBEGIN BULK\n{bulk}ENDDATA\n")


@pytest.mark.parametrize(
    ("statement", "sol"),
    [
        ("SOL 101", 101),
        ("sol sestatic $ comment", 101),
        ("ID A,B\nSOL 103\nDIAG 8", 103),
        ("SOL SEMODES", 103),
        ("SOL SEMFREQ", 111),
        ("SOL 24", 24),
        ("SOL 103,0", 103),
        ("TIME 10", None),
        ("SOL MYOWN", None),
    ],
)
def test_solution(statement, sol):
    assert deck(statement).sol == sol


def test_global_requests_make_subcase_one():
    case = deck(
        case="SPC=3\nMETHOD = 5 $ x\nLOAD=7\nMPC 9\nSUPORT1 = 2\nLABEL = Take Off, 1\nDISP(PLOT)=ALL"
    ).case
    (one,) = case.subcases
    assert (one.id, one.spc, one.method, one.load, one.mpc, one.suport1) == (1, 3, 5, 7, 9, 2)
    assert one.label == "Take Off, 1"
    assert one.requests == {"DISP": "ALL"}


def test_subcases_inherit_and_override():
    case = deck(
        case="TITLE = all\nSPC = 1\nMETHOD(STRUCTURE) = 2\nSUBCASE 10\n LABEL = a\n LOAD = 4\n"
        "subcase = 20\n SPC = 3\n LOAD = 5\nSUBCOM 30\n SUBSEQ = 1.,1.\n LOAD = 99\n"
    ).case
    first, second = case.subcases
    assert (first.id, first.spc, first.load, first.method, first.label) == (10, 1, 4, 2, "a")
    assert (second.id, second.spc, second.load, second.method, second.label) == (20, 3, 5, 2, None)
    (both,) = case.combinations
    assert both.case.id == 30
    assert [factor for _, factor in both.terms] == [1.0, 1.0]


def test_matrices_with_factors():
    (case,) = deck(case="K2GG = KAAX\nM2GG = 1.5*MA, (0.5)*MB, MC\nB2GG=BX").case.subcases
    assert case.k2gg == ["KAAX"] and case.m2gg == ["MA", "MB", "MC"] and case.b2gg == ["BX"]
    assert case.factors == {("M2GG", "MA"): 1.5, ("M2GG", "MB"): 0.5}
    (case,) = deck(case="K2PP = (2.,0.)*KA\nB2PP = KA").case.subcases
    assert case.factors == {("K2PP", "KA"): 2.0}
    with pytest.raises(DeckError, match="K2PP has a complex factor, which is not supported"):
        deck(case="K2PP = (2.,1.)*KA")


def test_sets_continue_after_a_comma():
    case = deck(case="SET 1 = 1, 2,\n   5 THRU 9,\n 20\nSET 2 = ALL\nSPC = 8").case
    assert case.sets == {1: "1, 2, 5 THRU 9, 20", 2: "ALL"}
    assert case.subcases[0].spc == 8


def test_plot_commands_do_not_select_anything():
    case = deck(case="SPC = 1\nOUTPUT(XYPLOT)\nXYPRINT DISP / 1(T2), 2(T2)\nSPC = 7\nSUBCASE 1\nLOAD=3").case
    assert case.subcases[0].spc == 1 and case.subcases[0].load == 3


def test_params_of_case_control_win_over_bulk_data():
    d = deck(
        case="PARAM,WTMASS,.00259\nPARAM POST -1\nAUTOSPC(NOPRINT) = NO",
        bulk="PARAM,WTMASS,2.\nPARAM,K6ROT,1.\n",
    )
    assert d.params == {"WTMASS": 0.00259, "K6ROT": 1.0, "POST": -1, "AUTOSPC": "NO"}


def test_last_param_wins_and_pairs_are_tuples():
    d = deck(bulk="PARAM,POST,1\nPARAM,POST,-1\nPARAM,W3,1.,0.\nparam,usetprt,yes\n")
    assert d.params == {"POST": -1, "W3": (1.0, 0.0), "USETPRT": "YES"}


def test_params_in_subcases_hold_unless_they_differ():
    assert deck(case="SUBCASE 1\nPARAM,COUPMASS,1\nSUBCASE 2\nPARAM,COUPMASS,1").params["COUPMASS"] == 1
    with pytest.raises(DeckError, match=r"PARAM COUPMASS differs between subcases .text, line 6"):
        deck(case="SUBCASE 1\nPARAM,COUPMASS,1\nSUBCASE 2\nPARAM,COUPMASS,0")


def test_bulk_only_and_missing_cend():
    assert deck_from_text("GRID,1\n").case.subcases[0].id == 1
    d = deck_from_text("SOL 101\nSPC = 5\nBEGIN BULK\nGRID,1\n")
    assert d.sol == 101 and d.case.subcases[0].spc == 5


@refusals(
    """
    SPC = ABC -> SPC needs the number of a set .*line 3: 'SPC = ABC'
    SUBCASE 1|SUBCASE 1 -> subcase 1 is defined twice .*line 4
    SUBCASE -> SUBCASE needs the number of a set
    PARAM,POST -> PARAM needs a name and a value
    K2GG =  -> K2GG needs the name of a matrix
    K2GG = X.Y*KA -> K2GG has a factor that is not a number
    K2GG = 1.0 -> K2GG needs names of matrices
    A2GG = AX -> A2GG in case control is not supported
    """
)
def test_mistakes_are_named(text, words):
    with pytest.raises(DeckError, match=words):
        deck(case=text)


def test_thermal_requests_are_kept():
    found = deck("SOL 101", "TEMPERATURE(INITIAL) = 3\nTEMP(LOAD) = 4")
    assert found.static_refusals == []
    assert found.case.subcases[0].requests == {"TEMPERATURE(INITIAL)": "3", "TEMP(LOAD)": "4"}
    (refusal,) = deck("SOL 101", "DEFORM = 3").static_refusals
    assert "DEFORM in case control is not supported (text, line 3" in str(refusal)


def test_preload_is_for_modes_and_buckling():
    assert deck("SOL 105", "STATSUB = 1").sol == 105
    assert deck("SOL 103", "STATSUB = 1").case.subcases[0].requests["STATSUB"] == "1"
    with pytest.raises(DeckError, match=r"STATSUB in case control is not supported .*line 3"):
        deck("SOL 111", "STATSUB = 1")


def test_options_in_brackets_are_kept():
    one = deck("SOL 101", "STRESS(PLOT,CORNER) = ALL\nFORCE=ALL").case.subcases[0]
    assert (one.requests["STRESS"], one.options["STRESS"], one.options["FORCE"]) == ("ALL", "PLOT,CORNER", "")


def test_skipped_commands_do_not_count():
    assert deck("SOL 103", "SPC = 1\nSKIPON\nSPC = 9\nSKIPOFF\nMPC = 2").case.subcases[0].spc == 1
    case = deck("SOL 103", "SKIP ON\nSPC = 9\nSKIP OFF\nMPC = 2").case.subcases[0]
    assert (case.spc, case.mpc) == (None, 2)


def test_set_zero_is_no_set():
    case = deck("SOL 103", "SPC = 0\nLOAD = 0").case.subcases[0]
    assert case.spc is None and case.load is None


def test_changes_of_the_solution_sequence_are_listed():
    assert deck("SOL 103\nCOMPILE SEMODES\nALTER 5").ignored == {"COMPILE": 1, "ALTER": 1}


@refusals(
    """
    SOL|CEND|BEGIN BULK -> SOL without a solution number .text, line 1
    SOL 103|CEND|GRID,1 -> the deck has SOL but no BEGIN BULK .text, line 1
    SOL 103|CEND|BEGIN SUPER=1|GRID,1 -> parts .BEGIN SUPER. but no main bulk data section
    SOL 103|CEND|BEGIN BULK|GRID,1|BEGIN BULK|GRID,2 -> a second BEGIN of the main bulk data.*line 5
    BEGIN BULK|PARAM,POST -> PARAM needs a name and a value .text, line 2
    """
)
def test_bad_sections_are_named(text, words):
    with pytest.raises(DeckError, match=words):
        deck_from_text(text)


def test_begin_super_zero_is_the_main_section():
    assert len(deck_from_text("SOL 103\nCEND\nBEGIN BULK SUPER=0\nGRID,1\n").cards("GRID")) == 1


def test_tables_of_responses_are_carried_out():
    """Motion and SPC forces are shown by `interstage response`; in statics there is no acceleration to show."""
    text = "SOL {}\nCEND\nACCELERATION = ALL\nVELO = 3\nSPCFORCES = ALL\nOLOAD = ALL\nBEGIN BULK\nGRID,1\nENDDATA\n"
    assert deck_from_text(text.format(108)).ignored_requests == {"OLOAD": 1}
    assert "ACCELERATION" in deck_from_text(text.format(101)).ignored_requests
