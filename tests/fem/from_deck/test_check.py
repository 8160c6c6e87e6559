"""`interstage check`: everything that is wrong with a deck at once, and what it holds; the survey of folders."""

from __future__ import annotations

import json

import pytest

from benchmarks import deck_survey
from interstage.cli.main import main
from interstage.fem.from_deck.check import check_deck

GOOD = """SOL 103
CEND
METHOD = 1
SPC = 1
STRESS = ALL
BEGIN BULK
EIGRL,1,,,2
GRID,1,,0.,0.,0.
GRID,2,,1.,0.,0.
GRID,4,,3.,0.,0.
GRID,9,,3.,1.,0.
GRID,10,,2.,1.,0.
CBAR,1,1,1,2,0.,1.,0.
CQUAD4,5,2,2,4,9,10
PSHELL,2,1,.01,1,,1
PBAR,1,1,.01,1.-4,1.-4,2.-4
MAT1,1,2.+11,,.3,7800.
SPC1,1,123456,1
TABLED1,7
"""
BAD = """GRID,3,,2.,0.,1.2.3
GRID,8,,3.,0.,0.,77
CBAR,2,1,2,99,0.,1.,0.
CBAR,3,7,2,4,0.,1.,0.
CBAR,4,1,4,3,0.,1.,0.
CSEAM,55,1,PROP,1,2
CHACAB,9,1,1,2
MAT1,2,200,,.3,7800.
CBAR,1,1,1,4,0.,1.,0.
FOO,1
"""


@pytest.fixture
def deck(tmp_path):
    def write(text, name="a.bdf"):
        path = tmp_path / name
        path.write_text(text)
        return path

    return write


def test_a_sound_deck(deck):
    found = check_deck(deck(GOOD))
    assert found.troubles == [] and found.loads == [] and found.sol == 103
    assert found.facts["grids"] == "5, 30 degrees of freedom"
    assert found.facts["elements"] == "1 CBAR, 1 CQUAD4"
    assert found.facts["mass"].startswith("195,")  # 78 of the bar, 117 of the plate
    assert found.facts["units"] == "probably metres, kilograms, newtons"
    assert found.facts["shell edges"] == "4 free, 0 shared by more than two elements, of 4"
    assert found.ignored == {"TABLED1": 1} and found.requests == {"STRESS": 1}


def test_a_deck_that_was_cut_off_is_told(deck):
    """Bulk data alone and INCLUDE files need no ENDDATA; a deck with sections does."""
    whole, cut = check_deck(deck(GOOD + "ENDDATA\n")), check_deck(deck(GOOD))
    assert repr(whole).split("\n")[0].endswith("can be solved")
    assert "can be solved as far as it goes: ENDDATA is missing" in repr(cut).split("\n")[0]
    assert any("has no ENDDATA" in note and "cut off" in note for note in cut.notes)


def test_all_mistakes_are_listed_with_their_lines(deck):
    found = check_deck(deck(GOOD + BAD))
    lines = {int(text.split("line ")[1].split(":")[0]): text for text in found.troubles}
    first = GOOD.count("\n") + 1
    wanted = {
        0: "GRID 3: field 6 is not a number",
        1: "CD refers to coordinate system 77",
        2: "refers to grid 99",
        3: "refers to property 7",
        5: "CSEAM is not supported",
        6: "CHACAB is about a fluid",
        7: "an integer where NASTRAN wants a real number",
        8: "element 1 is defined twice",
        9: "'FOO' is not a known bulk data entry",
    }
    # CBAR 4 refers to grid 3, which is left out: that follows from line 0 and is not said
    assert sorted(lines) == [first + k for k in wanted]
    for k, words in wanted.items():
        assert words in lines[first + k]
    assert found.facts["elements"] == "1 CBAR, 1 CQUAD4"


def test_one_card_with_two_mistakes(deck):
    """An element without its grid and without its property is told about both; one with BEAMOR has a property."""
    text = (
        GOOD
        + "BEAMOR,,4\nCBEAM,7,6,2,88,0.,1.,0.\nCBEAM,8,,2,4,0.,1.,0.\nPBEAM,4,1,.1,.1,.1,,.1\nCROD,9,,2,4\n"
    )
    grid, prop, rod = sorted(check_deck(deck(text)).troubles)
    assert "CBEAM refers to grid 88" in grid and "CBEAM refers to property 6" in prop
    assert "add a PBEAM or PBEAML or PBCOMP" in prop and "CROD refers to property 9" in rod


def test_loads_that_cannot_be_used_are_told_once(deck):
    found = check_deck(deck(GOOD + "FORCE,3,77,,1.,1.,0.,0.\n"))
    assert found.troubles == [] and len(found.loads) == 1 and "FORCE refers to grid 77" in found.loads[0]
    assert not any("FORCE" in note for note in found.notes)


def test_mistakes_that_are_alike_are_listed_together(deck):
    many = "".join(f"CBAR,{k},1,2,{k + 5000},0.,1.,0.\n" for k in range(100, 300))
    found = check_deck(deck(GOOD + "CSEAM,5100,1,PROP,1,2\n" + many))
    assert len(found.troubles) == 5
    assert "CSEAM" in found.troubles[0] and all("refers to grid 510" in text for text in found.troubles[1:4])
    assert found.troubles[4].startswith("197 more like the last, lines ")


def test_matrices_are_looked_over(deck):
    text = GOOD.replace("SPC = 1", "SPC = 1\nK2GG = KX\nM2GG = GONE")
    text += "DMIG,KX,0,6,1,0\nDMIG,KX,2,1,,2,1,500.\nDMIG,KX,77,1,,2,1,5.\nDMIG,KY,0,6,1,0\nDMIG,KY,2,1,,2,1,500.\n"
    found = check_deck(deck(text))
    assert found.troubles[0] == "M2GG names DMIG GONE, which is not in the deck"
    assert "point 77, component 1" in found.troubles[1] and len(found.troubles) == 2
    assert found.facts["DMIG KX"] == "in stiffness"
    assert found.facts["DMIG KY"] == "that case control does not name"
    assert found.facts["mass"].startswith("195,")


def test_a_file_that_is_not_there(tmp_path, capsys):
    with pytest.raises(SystemExit) as stop:
        main(["check", str(tmp_path / "nofile.bdf")])
    assert stop.value.code == 2
    assert "the deck was not found" in capsys.readouterr().err


def test_parts_and_mechanisms_are_noted(deck):
    text = GOOD + "GRID,20,,9.,9.,9.\nGRID,21,,9.,9.,10.\nCROD,9,3,20,21\nPROD,3,1,.1\nGRID,30\n"
    notes = "\n".join(check_deck(deck(text)).notes)
    assert "2 parts that no element or constraint joins, of 5, 2 grids" in notes
    assert "1 grid of no element with stiffness, grid 30 the first" in notes
    assert "can move without resistance (mechanism)" in notes


@pytest.mark.parametrize("sol", [101, 103])
def test_a_free_structure_is_well_for_modes(deck, sol):
    text = GOOD.replace("SOL 103", f"SOL {sol}").replace("SPC = 1\n", "")
    found = check_deck(deck(text))
    said = found.notes if sol == 103 else found.troubles
    (note,) = [note for note in said if note.startswith("no constraints in subcase")]
    assert ("a free structure has its modes" in note) == (sol == 103) and "can move without" in note


@pytest.mark.parametrize("sol", [101, 103])
def test_what_stops_the_solution_of_the_deck_is_a_trouble(deck, sol):
    """Constraints that contradict each other stop every solution, loads that cannot be used stop statics."""
    text = GOOD.replace("SOL 103", f"SOL {sol}")
    twice = check_deck(deck(text + "RBE2,70,2,123456,1\n"))
    assert len(twice.troubles) == 1 and "grid 1 component 1 is in two sets" in twice.troubles[0]
    load = check_deck(deck(text.replace("SPC = 1", "SPC = 1\nLOAD = 3") + "FORCE,3,77,,1.,1.,0.,0.\n"))
    assert len(load.troubles) == (sol == 101) and len(load.loads) == (sol == 103)
    assert "FORCE refers to grid 77" in (load.troubles + load.loads)[0]
    absent = check_deck(deck(text.replace("SPC = 1", "SPC = 1\nLOAD = 3")))
    assert len(absent.troubles) == (sol == 101)


@pytest.mark.parametrize(
    ("E", "rho", "wtmass", "words"),
    [
        ("7.+4", "2.7-9", "1.", "millimetres, tonnes"),
        ("1.+7", ".1", ".00259", "inches, slinches"),
        ("1.+7", "2.59-4", "1.", "inches, slinches"),
        ("1.4+9", "5.2", "1.", "feet, slugs"),
    ],
)
def test_units_are_guessed(deck, E, rho, wtmass, words):
    text = GOOD.replace("MAT1,1,2.+11,,.3,7800.", f"MAT1,1,{E},,.3,{rho}") + f"PARAM,WTMASS,{wtmass}\n"
    assert words in check_deck(deck(text)).facts["units"]


def test_command(deck, capsys):
    for text, status in ((GOOD, 0), (GOOD + BAD, 1), ("GRID,1\n+X,1\n,'\n" * 3, 1)):
        with pytest.raises(SystemExit) as stop:
            main(["check", str(deck(text))])
        assert stop.value.code == status
    capsys.readouterr()
    with pytest.raises(SystemExit):
        main(["check", str(deck(GOOD + BAD)), "--json"])
    assert len(json.loads(capsys.readouterr().out)["troubles"]) == 9


def test_survey_of_a_folder(deck, tmp_path, capsys):
    deck(GOOD, "good.bdf")
    deck(GOOD + "CSEAM,55,1,PROP,1,2\n", "refused.dat")
    deck(GOOD.replace("SPC = 1", "SPC = 5"), "unsolved.nas")
    deck("GRID,1\n", "part.bdf")
    rows = deck_survey.main([str(tmp_path), "--list"])
    assert [row.outcome for row in rows] == ["solved", "refused", "read"]
    out = capsys.readouterr().out
    assert "3 decks: 2 read (67%), 1 solved (33%), 1 refused" in out
    assert "| CSEAM is not supported: seams that are projected onto plates are not made | 1 |" in out
    assert "| SPC set # is selected but is not in the deck | 1 |" in out


def test_what_dynamics_needs_and_what_looks_odd_is_told(deck):
    """METHOD without EIGRL, every malformed table, no density, plates thicker than wide, moduli of no usual units."""
    text = """SOL 111
CEND
METHOD = 5
DLOAD = 1
FREQ = 1
BEGIN BULK
GRID,1,,0.,0.,0.
GRID,2,,1.,0.,0.
GRID,3,,1.,1.,0.
GRID,4,,0.,1.,0.
GRID,5,,0.,0.,9.
MAT1,1,2.1+11,,.3,7.8-9
MAT1,2,2.1+11,,.3
PSHELL,1,1,3.,1
CQUAD4,1,1,1,2,3,4
PBAR,2,2,1.,1.,1.,1.
CBAR,2,2,1,5,1.,0.,0.
FREQ1,1,1.,1.,10
RLOAD1,1,2,,,7
DAREA,2,5,1,1.
TABLED1,7
,1.,X,ENDT
TABLED1,8
,Y,2.,ENDT
TABLED1,9
,ENDT
ENDDATA
"""
    found = check_deck(deck(text))
    said = " | ".join(found.troubles)
    assert "METHOD = 5 selects an EIGRL or EIGR that is not in the deck" in said
    assert said.count("TABLED1 needs pairs of numbers") == 2 and "TABLED1 has no points" in said
    # what only follows from a table that is named already is not said
    assert "which is not among TABLED1" not in said
    notes = " | ".join(found.notes)
    assert "1 of 1 CBAR have no mass, 2 the first" in notes
    assert "CQUAD4 are thicker than their shortest side, 1 the first: 3 beside 1" in notes
    assert "in no usual system of units" in notes


@pytest.mark.parametrize(("mistakes", "stopped"), [(130, True), (5, False)])
def test_the_limit_that_stops_the_check_is_named(deck, mistakes, stopped):
    """Only where it stops the check; otherwise every mistake is listed or counted."""
    many = "".join(
        f"PBAR,{k},77,1.,1.,1.,1.\nCBAR,{k},{k},1,2,0.,0.,1.\n" for k in range(100, 100 + mistakes)
    )
    *found, last = check_deck(deck(GOOD + many)).troubles
    assert all("PBAR needs a MAT1 with id 77" in text for text in found[:3])
    assert ("the check stopped at its limit of 60 mistakes" in last) == stopped
    if not stopped:
        assert len(found) == 3 and last.startswith(f"{mistakes - 3} more like the last, lines ")


ROW = """MAT1,1,7.+10,,.3,2700.
PBAR,1,1,.002,4.-6,9.-6,6.-6
GRID,1,,0.,0.,0.
GRID,2,,1.,0.,0.
GRID,3,,2.,0.,0.
CBAR,1,1,1,2,0.,0.,1.
CBAR,2,1,2,3,0.,0.,1.
SPC1,1,123456,1
EIGRL,1,,,3
"""


@pytest.mark.parametrize(
    ("sol", "case", "bulk", "wanted"),
    [
        # sets that are selected and not there, beside a card that is wrong
        (
            103,
            "SPC = 7\nMETHOD = 3",
            "CBAR,50,99,1,2,0.,0.,1.",
            ("property 99", "SPC = 7 of subcase 1", "METHOD = 3"),
        ),
        (108, "SPC = 1\nFREQ = 9", "", ("no subcase selects a dynamic load", "FREQUENCY = 9 of subcase 1")),
        (
            109,
            "SPC = 1\nDLOAD = 5\nIC = 44",
            "TLOAD1,5,7,,,9\nTABLED1,9\n,0.,1.,9.,1.,ENDT\nTSTEP,2,9,.1",
            ("subcase 1 has no TSTEP", "IC = 44", "EXCITEID 7"),
        ),
        (
            111,
            "SPC = 1\nMETHOD = 1\nDLOAD = 6\nFREQ = 2\nSDAMP = 3\nRANDOM = 4",
            "FREQ,2,1.",
            ("dynamic load 6", "SDAMPING = 3", "RANDOM = 4"),
        ),
        (107, "SPC = 1\nCMETHOD = 4\nTFL = 3", "EIGC,5,HESS,,,,,6", ("CMETHOD = 4", "TFL = 3")),
        (
            105,
            "SPC = 1\nMETHOD = 8\nSUBCASE 2\nSTATSUB = 9",
            "",
            ("METHOD = 8", "STATSUB = 9", "nothing can buckle"),
        ),
        # all loads that are wrong, not the first alone
        (
            101,
            "SPC = 1\nLOAD = 2",
            "FORCE,2,77,,1.,0.,0.,1.\nPLOAD4,2,88,5.\nMOMENT,2,3,9,1.,0.,0.,1.",
            ("grid 77", "element 88", "coordinate system 9"),
        ),
        # what follows from a card that is named already is not said
        (
            101,
            "SPC = 1\nLOAD = 2",
            "GRID,4,,3.,0.,x\nCBAR,3,1,3,4,0.,0.,1.\nFORCE,2,4,,1.,0.,0.,1.\nSPC1,1,2,4",
            ("GRID 4",),
        ),
        (103, "SPC = 1\nMETHOD = 1", "MAT1,2,abc\nPBAR,2,2,.002\nCBAR,3,2,2,3,0.,0.,1.", ("MAT1 2",)),
        (103, "SPC = 1\nMETHOD = 2", "EIGRL,2,x", ("field of EIGRL is not a number",)),
        (103, "SPC = 1\nMETHOD = 2", "EIGRL,x,,,3", ("EIGRL: field 2",)),
        (
            103,
            "SPC = 1\nMETHOD = 1",
            "GRID,-4,,3.\nCBAR,3,1,3,4,0.,0.,1.\nCONM2,5,4,,1.",
            ("GRID needs a positive",),
        ),
        (
            108,
            "SPC = 1\nDLOAD = 5\nFREQ = 2",
            "RLOAD1,5,7,,,9\nTABLED1,9\n,0.,ENDT\nDAREA,7,3,3,1.\nFREQ1,2,-1.",
            ("TABLED1", "FREQ1"),
        ),
    ],
)
def test_everything_at_once_and_nothing_twice(deck, sol, case, bulk, wanted):
    found = check_deck(deck(f"SOL {sol}\nCEND\n{case}\nBEGIN BULK\n{ROW}{bulk}\nENDDATA\n"))
    assert len(found.troubles) == len(wanted), found.troubles
    for words in wanted:
        assert any(words in one for one in found.troubles), (words, found.troubles)


def test_supports_that_hold_all_mass_are_a_trouble_of_modes_alone(deck):
    """A mass of one free component, held by the SPC set: modes would be refused, statics not."""
    text = (
        "GRID,1,,,,,,12456\nGRID,2,,,,,,12456\nCELAS2,1,9.,1,3,2,3\nCONM2,2,2,,1.\nSPC1,1,3,2\nEIGRL,1,,,1\n"
    )
    for sol, wanted in (("103", ["no mass can move: all 3 dofs that have mass are held"]), ("101", [])):
        found = check_deck(deck(f"SOL {sol}\nCEND\nSPC = 1\nMETHOD = 1\nBEGIN BULK\n{text}ENDDATA\n"))
        assert len(found.troubles) == len(wanted), found.troubles
        assert all(words in one for words, one in zip(wanted, found.troubles))


def test_zero_density_is_noted_in_statics_under_gravity(deck):
    text = ROW.replace(",2700.", "")
    for load, noted in (("GRAV,5,,9.81,0.,0.,-1.", True), ("FORCE,5,2,,1.,0.,0.,1.", False)):
        found = check_deck(deck(f"SOL 101\nCEND\nSPC = 1\nLOAD = 5\nBEGIN BULK\n{text}{load}\nENDDATA\n"))
        assert any("their density is zero or blank" in one for one in found.notes) == noted, found.notes


def test_modes_need_mass_and_direct_responses_do_not(deck):
    text = ROW.replace(",2700.", "")
    found = check_deck(deck(f"SOL 103\nCEND\nSPC = 1\nMETHOD = 1\nBEGIN BULK\n{text}ENDDATA\n"))
    assert [one for one in found.troubles if "no mass" in one] == found.troubles != []
    more = "RLOAD1,5,7,,,9\nTABLED1,9\n,0.,1.,9.,1.,ENDT\nDAREA,7,3,3,1.\nFREQ,2,1.\n"
    found = check_deck(
        deck(f"SOL 108\nCEND\nSPC = 1\nDLOAD = 5\nFREQ = 2\nBEGIN BULK\n{text}{more}ENDDATA\n")
    )
    assert found.troubles == []
