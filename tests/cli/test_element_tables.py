"""Element tables and load factors on the command line."""

from __future__ import annotations

import csv
import json

import numpy as np
import pytest

from deck_parts import TWO_BARS
from interstage.cli.main import main
from interstage.fem import FEModel, static
from interstage.fem.elements.shear_panel import ShearPanelBlock
from interstage.nastran import deck_from_text
from interstage.report.decks import deck_report

DECK = f"""SOL 105
CEND
SPC = 1
SUBCASE 1
  LOAD = 1
SUBCASE 2
  METHOD = 1
BEGIN BULK
{TWO_BARS}
PBAR,1,1,1.-4,8.-10,9.-10,1.6-9
,.01,.01
CQUAD4,7,7,1,2,5,4
GRID,4,,0.,1.,0.
GRID,5,,1.,1.,0.
PSHELL,7,1,.001,1
MAT1,1,7.+10,,.33,2700.
SPC1,1,123456,1,4,5
SPC1,1,123456,2
FORCE,1,3,,10.,-1.,.5,0.
EIGRL,1,0.,,2
ENDDATA
"""


@pytest.fixture
def deck(tmp_path):
    path = tmp_path / "bar.bdf"
    path.write_text(DECK)
    return path


def run(capsys, *arguments) -> str:
    with pytest.raises(SystemExit) as stop:
        main([*map(str, arguments)])
    assert stop.value.code == 0
    return capsys.readouterr().out


def test_statics_in_json(deck, capsys):
    out = json.loads(run(capsys, "static", deck, "--json", "--forces", "--stresses", "--spcforces"))
    (one,) = out["subcases"].values()
    bars = one["forces"]["CBAR"]
    assert (
        bars["element_ids"] == [1, 2]
        and bars["node_ids"] is None
        and bars["columns"][0] == "bending_moment_a1"
    )
    np.testing.assert_allclose(bars["values"][1], [5, 0, 0, 0, 5, 0, -10, 0], atol=1e-9)
    assert one["stresses"]["CQUAD4"]["node_ids"] == [0, 0]
    assert one["stresses"]["CBAR"]["values"][0][7] is None  # a margin of safety that nobody knows
    np.testing.assert_allclose(one["spcforces"]["2"], [10, -5, 0, 0, 0, -5], atol=1e-9)
    assert one["displacements"]["2"] == [0.0] * 6
    plain = json.loads(run(capsys, "static", deck, "--json"))["subcases"]["1"]
    assert set(plain) == {"displacements"}


def test_elements_without_tables_are_named(deck, capsys, monkeypatch):
    monkeypatch.setattr(
        ShearPanelBlock, "recovery", lambda self, rows: None
    )  # as a family that has no results yet
    deck.write_text(
        DECK.replace("CQUAD4,7,7,1,2,5,4", "CQUAD4,7,7,1,2,5,4\nCSHEAR,8,8,1,2,5,4\nPSHEAR,8,1,.001")
    )
    for command in ("static", "modes"):
        out = json.loads(run(capsys, command, deck, "--json", "--stresses"))
        (note,) = [text for text in out["notes"] if "no table" in text]
        assert "CSHEAR (1)" in note
        assert "CSHEAR (1)" in " ".join(run(capsys, command, deck, "--forces").split())
        assert "no table" not in run(capsys, command, deck, "--json")


def test_modes_in_json(deck, capsys):
    out = json.loads(run(capsys, "modes", deck, "--json", "--forces", "--spcforces", "--modes", "2"))
    assert sorted(out["modes"]) == ["1", "2"]
    one = out["modes"]["2"]
    assert set(one) == {"displacements", "forces", "spcforces"}
    assert len(one["forces"]["CBAR"]["values"]) == 2
    assert "modes" not in json.loads(run(capsys, "modes", deck, "--json", "--modes", "2"))


def test_load_factors(deck, capsys):
    found = json.loads(run(capsys, "buckling", deck, "--json"))["load_factors"]
    # one element of length 1 from the clamped grid 2: 2.486 EI/L² where Euler's is 2.467
    assert found[0] == pytest.approx(2.4860 * 56 / 10, rel=1e-4) and len(found) == 2
    text = run(capsys, "buckling", deck)
    assert "2 load factors" in text and "13.9" in text


def test_tables_for_people_and_csv(deck, capsys, tmp_path):
    text = run(capsys, "static", deck, "--forces", "--stresses", "--spcforces", "--csv", tmp_path / "out")
    assert "forces of CBAR" in text and "stresses of CQUAD4" in text and "single-point constraints" in text
    names = sorted(path.name for path in (tmp_path / "out").iterdir())
    assert names == [
        "subcase_1_displacements.csv", "subcase_1_forces_CBAR.csv", "subcase_1_forces_CQUAD4.csv",
        "subcase_1_spcforces.csv", "subcase_1_stresses_CBAR.csv", "subcase_1_stresses_CQUAD4.csv",
    ]  # fmt: skip
    with open(tmp_path / "out" / "subcase_1_forces_CBAR.csv", newline="") as f:
        rows = list(csv.DictReader(f))
    assert float(rows[1]["axial"]) == pytest.approx(-10) and rows[1]["element"] == "2"
    text = run(capsys, "modes", deck, "--modes", "1", "--forces", "--spcforces", "--csv", tmp_path / "modes")
    assert (
        "\nmode 1, " in text and "[" not in text and (tmp_path / "modes" / "mode_1_forces_CBAR.csv").exists()
    )


def test_scalar_points_are_in_tables_and_csv(deck, capsys, tmp_path):
    bulk = "SPOINT,90,91\nCELAS2,90,100.,90,,91\nSLOAD,1,90,5.\nSPC1,1,0,91\nCMASS2,92,1.,90\n"
    deck.write_text(DECK.replace("EIGRL,1", bulk + "EIGRL,1"))
    text = run(capsys, "static", deck, "--spcforces", "--csv", tmp_path / "out")
    rows = [line.split() for line in text.splitlines()]
    assert ["90", "5.000e-02"] in rows and ["91", "-5.000e+00"] in rows
    written = (tmp_path / "out" / "subcase_1_displacements.csv").read_text().splitlines()
    assert "90,0.05,,,,," in written
    text = run(capsys, "modes", deck, "--modes", "1", "--spcforces", "--csv", tmp_path / "out")
    assert ["91", "-1.000e+02"] in [line.split() for line in text.splitlines()]


def test_points_of_the_set_that_disp_names_and_extremes(tmp_path):
    """All grids of the SET, however many, none else; the extremes of the whole model."""
    grids = "".join(f"GRID,{k},,{float(k)},0.,0.\n" for k in range(1, 101))
    rods = "".join(f"CROD,{k},1,{k},{k + 1}\n" for k in range(1, 100))
    text = "SOL 101\nCEND\nSET 7 = 20 THRU 80 EXCEPT 50,\n 99\nDISP = 7\nSPC=1\nLOAD=1\nBEGIN BULK\n"
    text += (
        grids
        + rods
        + "MAT1,1,7.+10,,.3\nPROD,1,1,1.-4\nSPC1,1,123456,1\nFORCE,1,100,,7.+6,1.,0.,0.\nENDDATA\n"
    )
    path = tmp_path / "a.bdf"
    path.write_text(text)
    from typer.testing import CliRunner

    from interstage.cli.main import app

    shown = CliRunner().invoke(app, ["static", str(path)]).output
    rows = [int(line.split()[0]) for line in shown.splitlines() if line.split() and line.split()[0].isdigit()]
    assert rows == [k for k in range(20, 81) if k != 50] + [99]
    assert "61 points of the SET of DISP" in shown
    assert "T1 0 at 1 to 99 at 100" in shown


SHAKEN = """SOL 112
CEND
SET 5 = 2
SET 6 = 1, FOO
DLOAD = 7
TSTEP = 8
METHOD = 1
RESVEC = NO
{}
BEGIN BULK
SPOINT,1,2,3
CELAS4,1,400.,1,0
=,*1,=,*1,=
=1
CMASS4,11,1.,1,0
=,*1,=,*1,=
=1
TLOAD2,7,9,,LOAD,0.,1.1,0.
DAREA,9,1,0,1.,2,0,3.
TSTEP,8,400,.0025
EIGRL,1,,,3
ENDDATA
"""


def shaken(tmp_path, requests: str):
    path = tmp_path / "shaken.bdf"
    path.write_text(SHAKEN.format(requests))
    return path


def test_responses_by_the_sets_of_case_control(tmp_path, capsys):
    """Unit masses on springs of 400 under steps of 1 and 3: u = P (1 - cos 20 t)/400, ü = P cos 20 t."""
    text = run(capsys, "response", shaken(tmp_path, "ACCELERATION(PLOT) = 5"))
    assert "largest acceleration of points" in text and "largest displacement" not in text
    (row,) = [line.split() for line in text.splitlines() if " t1 " in line]
    assert row[1] == "2" and float(row[5]) == pytest.approx(3.0, rel=1e-9)
    assert "of points, the" not in text
    csv_file = tmp_path / "out.csv"
    run(capsys, "response", shaken(tmp_path, "DISP = ALL\nVELO = 5"), "--csv", csv_file)
    with open(csv_file) as file:
        first, *rows = list(csv.reader(file))
    assert first == ["time", "2_t1", "1_t1", "3_t1", "2_velocity_t1"]
    values = np.array(rows, dtype=float)
    t = values[:, 0]
    np.testing.assert_allclose(values[:, 1], 3.0 / 400.0 * (1.0 - np.cos(20.0 * t)), atol=1e-12)
    np.testing.assert_allclose(values[:, 4], 3.0 / 20.0 * np.sin(20.0 * t), atol=1e-11)


def test_the_largest_points_of_many_are_called_so(tmp_path, capsys):
    """Points without a SET are the five that move most, of seven here, which the title says."""
    more = "\n".join(f"CELAS4,{k},400.,{k}\nCMASS4,{k + 20},1.,{k}\nDAREA,9,{k},0,.1" for k in range(4, 8))
    path = shaken(tmp_path, "DISP = ALL\nTITLE = springs\nLABEL = a step")
    path.write_text(path.read_text().replace("TSTEP,8", f"{more}\nTSTEP,8"))
    text = run(capsys, "response", path)
    assert "largest displacement of points, the 5 largest of 7" in " ".join(text.split())
    assert "springs; a step" in text
    assert json.loads(run(capsys, "response", path, "--json"))["label"] == "a step"


TITLED = """SOL 101
CEND
TITLE = a cantilever
SPC = 1
LOAD = 2
SUBCASE 3
SUBTITLE = landing
LABEL = pulled
SUBCASE 4
BEGIN BULK
GRID,1,,0.,0.,0.
GRID,2,,1.,0.,0.
CBAR,1,1,1,2,0.,1.,0.
PBAR,1,1,1.-3,1.-7,1.-7,2.-7
MAT1,1,7.+10,,{},2700.
SPC1,1,123456,1
FORCE,2,2,,7.+4,1.,0.,0.
ENDDATA
"""


def test_titles_of_subcases_are_shown(tmp_path, capsys):
    path = tmp_path / "bar.bdf"
    path.write_text(TITLED.format(".3"))
    text = run(capsys, "static", path)
    assert "subcase 3: a cantilever; landing; pulled\n" in text and "subcase 4: a cantilever\n" in text
    found = json.loads(run(capsys, "static", path, "--json"))["subcases"]
    assert [found["3"][name] for name in ("title", "subtitle", "label")] == [
        "a cantilever",
        "landing",
        "pulled",
    ]
    listing = run(capsys, "static", path, "--listing", "--stresses")
    assert listing.index("landing") < listing.index("SUBCASE 3") < listing.index("SUBCASE 4")
    assert "note: listings have no element stresses: --json, --csv and op2 files (--out) have them" in listing
    assert "listings have no" not in run(capsys, "static", path, "--listing")
    report = deck_report(path).save(tmp_path / "bar.html").read_text(encoding="utf-8")
    assert "subcase 3, pulled" in report and "landing" in report


@pytest.mark.parametrize("nu, told", [(".5", False), (".7", True), ("-.2", True)])
def test_implausible_ratios_of_poisson_are_told_of(tmp_path, nu, told):
    """Bars do not use NU: u = F L / E A all the same, 1 mm; Nastran warns outside 0 to 0.5."""
    u = static(FEModel.from_deck(deck_from_text(TITLED.format(nu))), 3)
    assert u[2][0] == pytest.approx(1e-3)
    assert any(f"MAT1 1 has NU = {float(nu):g}" in note for note in u.notes) == told


def test_tables_without_endt_are_told_of(tmp_path):
    text = SHAKEN.format("") + "TABLED1,5\n,0.,1.,1.,1.\nTABRND1,6\n,0.,1.,1.,1.,ENDT\n"
    notes = FEModel.from_deck(deck_from_text(text.replace("ENDDATA\n", ""))).notes
    assert [note for note in notes if "TABLED1 5 has no ENDT: " in note and "Nastran refuses" in note]
    assert not [note for note in notes if "TABRND1" in note]


def test_what_is_not_wanted_and_elements_of_a_set_in_responses(tmp_path, capsys):
    """DISP = NONE asks for nothing; FORCE = 5 shows the spring 2 alone: force 400 u, at most twice the step of 3."""
    text = run(capsys, "response", shaken(tmp_path, "DISP = NONE\nACCE = 5\nFORCE(PLOT) = 5"), "--forces")
    assert "largest acceleration of points" in text and "largest displacement" not in text
    assert "largest forces of CELAS4, 1 element of the SET of FORCE" in text
    below = text.split("SET of FORCE")[1].splitlines()
    (row,) = [line.split() for line in below if line.startswith("│")]
    assert row[1] == "2" and float(row[3]) == pytest.approx(6.0, rel=1e-3)


def test_responses_list_what_they_do_not_carry_out(tmp_path, capsys):
    """Modes are not chosen by MODESELECT, and one subcase is shown: both are said."""
    case = "MODESELECT(LMODENM=2) = 1\nFORCE = 5\nSTRESS = 5\nSUBCASE 3\nSUBCASE 4\nDLOAD = 7"
    path = shaken(tmp_path, case)
    text = " ".join(run(capsys, "response", path, "--forces").split())
    assert (
        "Case control that is not carried out: MODESELECT (1), STRESS (1) (options of 'response': --stresses)"
        in text
    )
    assert "subcase 3 alone; --subcase shows the others that have a DLOAD (4)" in text
    out = json.loads(run(capsys, "response", path, "--subcase", 4, "--json"))
    assert out["ignored_requests"] == {"FORCE": 1, "MODESELECT": 1, "STRESS": 1} and out["ignored"] == {}
    assert not any("alone" in note for note in out["notes"])


def test_sets_that_are_not_there_or_no_lists_are_told_of(tmp_path, capsys):
    text = run(capsys, "response", shaken(tmp_path, "DISP = 4\nVELO = 6"))
    assert "SET 4 of DISP is not in the deck: the points that move most are shown" in text
    assert "the SET of VELO cannot be read" in text
    path = shaken(tmp_path, "DISP = 6")
    assert "cannot be read: all are shown" in run(capsys, "static", path)


def test_shock_spectra_of_a_response(tmp_path, capsys):
    """A mass under a step shakes oscillators on it by P cos 20 t; one far above 20 rad/s follows it: |ü| = P."""
    path = shaken(tmp_path, "")
    out = json.loads(run(capsys, "response", path, "--srs", "100:400:3", "--q", "20", "--point", 1, "--json"))
    spectrum = out["shock_spectrum"]
    np.testing.assert_allclose(spectrum["frequency_hz"], [100.0, 200.0, 400.0])
    # the base jumps by P at t = 0: 1 + exp(-π ζ / sqrt(1 - ζ²)) as of a step, ζ = 1/40
    peak = 1.0 + np.exp(-np.pi / np.sqrt(40.0**2 - 1.0))
    assert spectrum["points"]["1"][0][0] == pytest.approx(peak, rel=0.03)
    assert "1 t1" in run(capsys, "response", path, "--srs", "1:400", "--point", 1)


def test_refused_quantities_and_spectra(tmp_path, capsys):
    path = shaken(tmp_path, "")
    for arguments, words in (
        (("--quantity", "jerk"), "--quantity jerk is unknown"),
        (("--srs", "5"), "two rising frequencies"),
        (("--srs", "5:1"), "two rising frequencies"),
        (("--srs", "5:10", "--frequency"), "needs a response in time"),
    ):
        with pytest.raises(SystemExit) as stop:
            main(["response", str(path), *arguments])
        assert stop.value.code == 2 and words in capsys.readouterr().err


def test_statics_by_the_sets_of_case_control(deck, capsys):
    deck.write_text(
        DECK.replace("SPC = 1", "SET 7 = 3\nSET 8 = 2\nDISP = 7\nSPCF = 8\nFORCE = 8\nSPC = 1", 1)
    )
    text = run(capsys, "static", deck, "--forces", "--spcforces")
    for title, name in (
        ("subcase 1, 1 point of", "3"),
        ("constraints, 1 point of", "2"),
        ("of CBAR, 1 element of", "2"),
    ):
        lines = text.splitlines()
        at = next(k for k, line in enumerate(lines) if title in line)
        assert lines[at + 2].split()[0] == name
        assert not lines[at + 3].split()[0].isdigit()
