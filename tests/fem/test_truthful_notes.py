"""What is lost is said: loads and masses on dofs that AUTOSPC holds, requests that nobody carries out, true causes."""

from __future__ import annotations

import json

import numpy as np
import pytest

from interstage import Component, FEModel, frequency_response, normal_modes
from interstage.cli.main import main
from interstage.errors import ModelError, SolverError
from interstage.fem import complex_modes, static_subcases
from interstage.fem.from_deck.check import check_deck
from interstage.nastran import deck_from_text

ROD = """SOL 101
CEND
SPC = 1
{case}
BEGIN BULK
GRID,1,,0.,0.,0.
GRID,2,,1.,0.,0.
GRID,9,,5.,0.,0.
CROD,1,1,1,2
PROD,1,1,{area},{twist}
MAT1,1,{E},,.3,1000.
SPC1,1,123456,1
{bulk}
ENDDATA
"""


def rod(bulk="", case="LOAD = 2", area="1.-4", twist="1.-8", E="7.+10"):
    return deck_from_text(ROD.format(bulk=bulk, case=case, area=area, twist=twist, E=E))


def notes(deck, subcase=0):
    return " | ".join(static_subcases(FEModel.from_deck(deck))[subcase].notes)


def test_a_load_on_a_dof_without_stiffness_is_named():
    """A rod carries nothing across: its transverse load moves nothing, and says so with grid, component and load."""
    deck = rod("FORCE,2,2,0,5.,1.,0.,0.\nFORCE,2,2,0,7.,0.,1.,0.\nMOMENT,2,9,0,3.,0.,0.,1.")
    result = static_subcases(FEModel.from_deck(deck))[0]
    text = " | ".join(result.notes)
    assert "these loads move nothing: grid 2 component 2 (7), grid 9 component 6 (3)" in text
    assert result[2][0] == pytest.approx(5.0 / (7e10 * 1e-4))
    assert result[2][1] == 0.0


def test_loads_that_reach_stiffness_are_not_named():
    assert "move nothing" not in notes(rod("FORCE,2,2,0,5.,1.,0.,0."))
    # through a rigid element the load of grid 9 acts on grid 2
    assert "move nothing" not in notes(rod("RBE2,5,2,123456,9\nFORCE,2,9,0,5.,1.,0.,0."))
    assert "move nothing: grid 2 component 2 (4)" in notes(rod("RBE2,5,2,123456,9\nFORCE,2,9,0,4.,0.,1.,0."))


def test_each_subcase_names_its_own_loads():
    case = "SUBCASE 1\nLOAD = 2\nSUBCASE 2\nLOAD = 3"
    deck = rod("FORCE,2,2,0,5.,1.,0.,0.\nFORCE,3,2,0,7.,0.,0.,1.", case=case)
    assert "move nothing" not in notes(deck, 0)
    assert "grid 2 component 3 (7)" in notes(deck, 1)


def test_gravity_on_a_loose_mass_is_named():
    text = notes(rod("GRAV,2,,9.81,1.,0.,0.\nCONM2,4,9,0,2."))
    assert "grid 9 component 1 (19.62)" in text


def test_mass_that_does_not_move_is_named():
    deck = rod("CONM2,4,9,0,2.", case="")
    found = normal_modes(FEModel.from_deck(deck))
    assert any(
        "have mass and no stiffness" in note and "grid 9 component 1 (2)" in note for note in found.notes
    )


def written(folder, case, bulk):
    """Path of a file with the deck of the rod."""
    path = folder / "rod.bdf"
    path.write_text(ROD.format(case=case, bulk=bulk, area="1.-4", twist="1.-8", E="7.+10"))
    return path


def printed(capsys, *words):
    """What a command that succeeds prints."""
    with pytest.raises(SystemExit) as stop:
        main([*map(str, words)])
    assert stop.value.code == 0
    return capsys.readouterr().out


@pytest.mark.parametrize("command", ["static", "modes"])
def test_commands_print_notes_and_requests_that_are_not_carried_out(command, tmp_path, capsys):
    case = "LOAD = 2\nDISP = ALL\nSTRESS(PLOT) = ALL\nFORCE = ALL\nGPFORCE = NONE\nOUTPUT(XYPLOT)\nXYPRINT DISP / 1(T2)"
    path = written(tmp_path, case, "FORCE,2,2,0,7.,0.,1.,0.")
    outputs = [printed(capsys, command, path, *more) for more in ([], ["--json"])]
    assert "Case control that is not carried out: FORCE (1), OUTPUT(XYPLOT) (1), STRESS (1)" in outputs[0]
    assert json.loads(outputs[1])["ignored_requests"] == {"FORCE": 1, "OUTPUT(XYPLOT)": 1, "STRESS": 1}
    if command == "static":
        assert "grid 2 component 2 (7)" in outputs[0]
        assert any("grid 2 component 2 (7)" in note for note in json.loads(outputs[1])["notes"])


@pytest.mark.parametrize("command", ["static", "modes"])
def test_options_that_answer_a_request_take_it_off_the_list(command, tmp_path, capsys):
    case = "LOAD = 2\nSTRESS = ALL\nELFORCE = ALL\nSPCFORCES = ALL\nGPFORCE = ALL"
    path = written(tmp_path, case, "FORCE,2,2,0,7.,1.,0.,0.")
    left = []
    for options in ((), ("--stresses",), ("--forces", "--stresses", "--spcforces")):
        answer = json.loads(printed(capsys, command, path, "--json", *options))
        left.append(list(answer["ignored_requests"]))
    assert left == [
        ["ELFORCE", "GPFORCE", "SPCFORCES", "STRESS"],
        ["ELFORCE", "GPFORCE", "SPCFORCES"],
        ["GPFORCE"],
    ]


def modes_of(deck):
    return normal_modes(FEModel.from_deck(deck))


def component_of(deck):
    return Component.from_deck(deck, n_modes=1)


CAUSES = [
    ({"E": "0."}, "has mass but no stiffness", "E and G"),
    ({"area": "0.", "twist": "0."}, "has no mass", "densities"),
    ({"area": "0.", "twist": "0.", "bulk": "CONM2,4,2,0,2."}, "has mass but no stiffness", "A, I and J"),
    ({"bulk": "SPC1,1,123456,2\nCONM2,4,1,0,2."}, "are held", "SPC"),
    # twist alone is stiff: the mass is where nothing holds it
    (
        {"area": "0.", "bulk": "CONM2,4,2,0,2."},
        "AUTOSPC holds 3 dofs that have mass but no stiffness",
        "A, I and J",
    ),
]


@pytest.mark.parametrize("options, words, hint", CAUSES)
@pytest.mark.parametrize("solve", [modes_of, component_of])
def test_why_there_are_no_modes(options, words, hint, solve):
    deck = rod(case="", **options)
    with pytest.raises(ModelError) as error:
        solve(deck)
    assert words in str(error.value) and hint in str(error.value)
    if words != "has no mass":
        assert "no mass, so" not in str(error.value)


def test_results_that_are_not_finite_are_no_results(monkeypatch, tmp_path, capsys):
    """Whatever made them: the library raises, and the command ends with a status other than 0."""
    import interstage.fem.solutions as solutions

    plain = solutions.solve_static

    def broken(*arguments, **options):
        result = plain(*arguments, **options)
        result.u[7] = np.nan
        return result

    monkeypatch.setattr(solutions, "solve_static", broken)
    deck = rod("FORCE,2,2,0,5.,1.,0.,0.")
    with pytest.raises(SolverError, match="not finite"):
        static_subcases(FEModel.from_deck(deck))
    path = tmp_path / "rod.bdf"
    path.write_text(
        ROD.format(case="LOAD = 2", bulk="FORCE,2,2,0,5.,1.,0.,0.", area="1.", twist="1.", E="7.+10")
    )
    with pytest.raises(SystemExit) as stop:
        main(["static", str(path)])
    assert stop.value.code not in (0, None)
    assert "not finite" in capsys.readouterr().err


UNSELECTED = """SOL {sol}
CEND
SPC = 1
{case}
BEGIN BULK
EIGRL,7,,,1
EIGC,5,HESS,MAX,,,,2
GRID,1,,0.,0.,0.
GRID,2,,1.,0.,0.
GRID,3,,2.,0.,0.
CROD,1,1,1,2
CROD,2,1,2,3
PROD,1,1,1.-4,1.-8
MAT1,1,7.+10,,.3,1000.
SPC1,1,123456,1
SPC1,1,23,2,3
RLOAD1,2,4,,,5
DAREA,4,3,1,1.
TABLED1,5,
,0.,1.,1.+4,1.,ENDT
FREQ,3,100.,200.
ENDDATA
"""


@pytest.mark.parametrize(
    "sol, case, lacking",
    [
        (103, "", ["METHOD"]),
        (107, "", ["CMETHOD"]),
        (110, "", ["METHOD", "CMETHOD"]),
        (111, "DLOAD = 2\nFREQ = 3", ["METHOD"]),
        (103, "METHOD = 7", []),
        (110, "METHOD = 7\nCMETHOD = 5", []),
        (108, "DLOAD = 2\nFREQ = 3", []),
    ],
)
def test_a_selection_without_which_nastran_stops_is_named(tmp_path, sol, case, lacking):
    """The only EIGRL or EIGC of the deck is taken, which the result and the check say; nothing where all is there."""
    path = tmp_path / "rod.bdf"
    path.write_text(UNSELECTED.format(sol=sol, case=case))
    fe = FEModel.from_deck(path)
    solve = {103: normal_modes, 107: complex_modes, 110: complex_modes}.get(sol, frequency_response)
    found = check_deck(path)
    for notes in (solve(fe).notes, found.notes):
        said = [note for note in notes if "without which Nastran stops" in note]
        assert [note.split()[4].strip(",") for note in said] == lacking
        assert all("the only one of the deck, is taken" in note for note in said)
    assert ("not by Nastran as it is" in repr(found)) == bool(lacking)
    assert not found.troubles


def test_two_eigrl_without_method_give_ten_modes_and_say_so():
    text = UNSELECTED.format(sol=103, case="").replace("EIGRL,7,,,1", "EIGRL,7,,,1\nEIGRL,8,,,2")
    notes = normal_modes(FEModel.from_deck(deck_from_text(text))).notes
    assert any("has no METHOD" in note and "the 10 lowest modes are computed" in note for note in notes)
    assert not any(
        "METHOD" in note for note in normal_modes(FEModel.from_deck(deck_from_text(text)), 1).notes
    )
