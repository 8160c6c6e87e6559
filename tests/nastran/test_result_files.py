"""Result files: op2 read back by our reader and, where it is installed, by pyNastran; punch, universal, listing."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest

from interstage import FEModel, normal_modes
from interstage.cli.main import main
from interstage.cli.result_files import of_modes, of_statics
from interstage.fem import static_subcases
from interstage.nastran import read_deck, read_op2
from interstage.nastran.result_files import punch_text, unv_text

DECK = """SOL 101
CEND
METHOD = 1
SPC = 1
SUBCASE 3
 LOAD = 2
SUBCASE 7
 LOAD = 3
BEGIN BULK
EIGRL,1,,,3
GRID,1
GRID,2,,1.,0.,0.,,5
GRID,3,,2.,0.,0.
SPOINT,4
CELAS2,9,100.,4,0,3,2
CMASS2,10,2.,4
CORD2R,5,,0.,0.,0.,0.,0.,1.
,0.,1.,0.
CBAR,1,1,1,2,0.,1.,0.
CBAR,2,1,2,3,1.,1.,1.
PBAR,1,1,.01,1.-4,1.-4,2.-4
MAT1,1,2.+11,,.3,7800.
SPC1,1,123456,1
FORCE,2,3,,10.,0.,1.,0.
FORCE,3,3,,10.,0.,0.,1.
"""


@pytest.fixture
def deck(tmp_path):
    path = tmp_path / "a.bdf"
    path.write_text(DECK.replace("0.,0.,,5", "0.,0.,5"))
    return path


def run(*arguments) -> None:
    with pytest.raises(SystemExit) as stop:
        main([str(one) for one in arguments])
    assert stop.value.code == 0


def test_op2_of_modes_is_read_back(deck, tmp_path):
    run("modes", deck, "--modes", 3, "--out", tmp_path / "a.op2")
    wanted = normal_modes(FEModel.from_deck(read_deck(deck)), n_modes=3)
    op2 = read_op2(tmp_path / "a.op2")
    found, table = op2.eigenvectors(), op2.eigenvalues()
    assert found.grid_id.tolist() == [1, 2, 3, 4] and found.point_type.tolist() == [1, 1, 1, 2]
    shapes = wanted.shapes.reshape(-1, 3)
    np.testing.assert_array_equal(found.values[:3], shapes[:18].reshape(3, 6, 3).astype(np.float32))
    np.testing.assert_array_equal(found.values[3, 0], shapes[18].astype(np.float32))
    np.testing.assert_allclose(table.hz, wanted.frequencies_hz, rtol=1e-6)
    np.testing.assert_allclose(found.eigenvalue, wanted.eigenvalues, rtol=1e-6)


def test_op2_is_read_by_pynastran(deck, tmp_path):
    op2 = pytest.importorskip("pyNastran.op2.op2")
    run("static", deck, "--out", tmp_path / "a.op2")
    model = op2.OP2(debug=None)
    model.read_op2(str(tmp_path / "a.op2"), build_dataframe=False)
    for one in static_subcases(FEModel.from_deck(read_deck(deck))):
        for table, values in (
            (model.displacements, one.displacement),
            (model.spc_forces, one.spc_forces),
        ):
            np.testing.assert_array_equal(
                table[one.subcase].data[0, :3], values[:18].reshape(3, 6).astype("f4")
            )


FORCES = """GRID,5,,2.,1.,0.
GRID,6,,1.,1.,0.
CQUAD4,20,20,2,3,5,6
CTRIA3,21,20,2,3,5
PSHELL,20,1,.01,1,,1
CBEAM,22,22,3,5,1.,0.,0.
PBEAM,22,1,.01,1.-4,1.-4,0.,2.-4
CROD,23,23,1,5
PROD,23,1,.01,1.-5
CBUSH,24,24,5,6,,,,0
PBUSH,24,K,1.+6,1.+6,1.+6,1.+6,1.+6,1.+6
"""
TYPES = {"CELAS2": 12, "CBAR": 34, "CQUAD4": 33, "CTRIA3": 74, "CBEAM": 2, "CROD": 1, "CBUSH": 102}


@pytest.mark.parametrize("kind", ["static", "modes"])
def test_forces_of_elements_in_op2(deck, tmp_path, kind):
    """Records of OEF1X: type of element and words a row in the identification, numbers in the rows."""
    deck.write_text(deck.read_text() + FORCES)
    run(kind, deck, "--forces", "--out", tmp_path / "a.op2")
    block = read_op2(tmp_path / "a.op2")["OEF1X"]
    fe = FEModel.from_deck(read_deck(deck))
    found = static_subcases(fe) if kind == "static" else [normal_modes(fe, n_modes=3)]
    cases = [one.forces for one in found]
    n_cases = 2 if kind == "static" else 3
    assert len(block) == 2 * n_cases * len(TYPES)
    for k in range(0, len(block), 2):
        ident, rows = block.integers(k), block.integers(k + 1).reshape(-1, block.integers(k)[9])
        assert ident[1] == 4 and ident[0] == (12 if kind == "static" else 22)
        name = next(name for name, code in TYPES.items() if code == ident[2])
        number = [3, 7].index(ident[3]) if kind == "static" else ident[4] - 1
        table = cases[number][name] if kind == "static" else cases[0][name]
        wanted = (table.values if kind == "static" else table.values[number]).astype("f4")
        values = rows[:, 1:].copy().view("f4")
        np.testing.assert_array_equal(rows[:, 0] // 10, np.unique(table.element_ids))
        if name == "CBEAM":
            assert rows[0, [1, 91]].tolist() == table.node_ids.tolist() == [3, 5]
            values = values.reshape(11, 9)[[0, 10], 1:]
        np.testing.assert_array_equal(values, wanted)


SHELLS = """SOL 101
CEND
SPC = 1
LOAD = 2
FORCE(CORNER) = ALL
BEGIN BULK
GRID,1
GRID,2,,1.,0.,0.
GRID,3,,1.,1.,.1
GRID,4,,0.,1.,0.
GRID,5,,2.,0.,0.
GRID,6,,2.,1.,0.
GRID,7,,3.,0.,0.
CQUAD4,1,1,1,2,3,4
CQUADR,2,1,2,5,6,3
CQUAD8,3,1,1,2,3,4
CTRIAR,4,1,5,7,6
CTRIA6,5,1,1,2,4
PSHELL,1,1,.01,1,,1
MAT1,1,7.+10,,.3,2700.
SPC1,1,123456,1,4
FORCE,2,7,,1.,0.,1.,1.
"""
AT_CORNERS = {"CQUAD4": (144, 4), "CQUADR": (82, 4), "CQUAD8": (64, 4), "CTRIA6": (75, 3), "CTRIAR": (227, 0)}


def test_forces_of_shells_at_corners(deck, tmp_path):
    """Number, CEN/, corners and forces of the centre, then grid and forces of each corner."""
    deck.write_text(SHELLS)
    run("static", deck, "--forces", "--out", tmp_path / "a.op2")
    block = read_op2(tmp_path / "a.op2")["OEF1X"]
    forces = static_subcases(FEModel.from_deck(read_deck(deck)))[0].forces
    kinds = {int(block.integers(k)[2]): k for k in range(0, len(block), 2)}
    for name, (kind, corners) in AT_CORNERS.items():
        ident, row = block.integers(kinds[kind]), block.integers(kinds[kind] + 1)
        assert ident[9] == len(row) and row[0] == 10 * forces[name].element_ids[0] + 2
        values = row[1:]
        if corners:
            assert row[1:2].tobytes() == b"CEN/" and row[2] == corners
            rows = row[2:].reshape(corners + 1, 9)
            assert rows[1:, 0].tolist() == forces[name].node_ids[1:].tolist()
            values = rows[:, 1:].copy()
        np.testing.assert_array_equal(
            values.copy().view("f4").reshape(-1, 8), forces[name].values.astype("f4")
        )


def test_forces_at_corners_are_read_by_pynastran(deck, tmp_path):
    op2 = pytest.importorskip("pyNastran.op2.op2")
    deck.write_text(SHELLS)
    run("static", deck, "--forces", "--out", tmp_path / "a.op2")
    model = op2.OP2(debug=None)
    model.read_op2(str(tmp_path / "a.op2"), build_dataframe=False)
    forces = static_subcases(FEModel.from_deck(read_deck(deck)))[0].forces
    for name in AT_CORNERS:
        found = getattr(model.op2_results.force, f"{name.lower()}_force")[1]
        np.testing.assert_array_equal(found.data[0], forces[name].values.astype("f4"))


def test_forces_are_read_by_pynastran(deck, tmp_path):
    op2 = pytest.importorskip("pyNastran.op2.op2")
    deck.write_text(deck.read_text() + FORCES)
    run("static", deck, "--forces", "--out", tmp_path / "a.op2")
    model = op2.OP2(debug=None)
    model.read_op2(str(tmp_path / "a.op2"), build_dataframe=False)
    one = static_subcases(FEModel.from_deck(read_deck(deck)))[0]
    force = model.op2_results.force
    for name in ("CBAR", "CROD", "CQUAD4", "CTRIA3", "CBUSH", "CELAS2"):
        data = getattr(force, f"{name.lower()}_force")[one.subcase].data[0]
        np.testing.assert_array_equal(data, one.forces[name].values.astype("f4"))


def test_punch_and_universal_file(deck):
    fe = FEModel.from_deck(read_deck(deck))
    results = static_subcases(fe)
    text = punch_text(of_statics(fe, results), "a")
    lines = text.splitlines()
    assert [int(line[72:]) for line in lines] == list(range(1, len(lines) + 1))
    blocks = re.findall(r"SUBCASE ID = +(\d+)", text)
    assert blocks == ["3", "7", "3", "7"]
    numbers = [float(x) for line in lines for x in re.findall(r"-?\d\.\d{6}E[+-]\d\d", line)]
    wanted = [
        v for kind in ("displacement", "spc_forces") for r in results for v in [*getattr(r, kind), *[0.0] * 5]
    ]
    np.testing.assert_allclose(numbers, wanted, rtol=1e-6, atol=1e-99)
    unv = unv_text(of_modes(fe, normal_modes(fe, n_modes=2), 3), fe.grids.xyz)
    sets = [part.split("\n")[1].strip() for part in unv.split("    -1\n")[1::2] for part in ["\n" + part]]
    assert sets == ["2411", "55", "55"]
    places = re.findall(r"[-\d.]+D[+-]\d\d", unv)
    np.testing.assert_allclose([float(x.replace("D", "E")) for x in places], fe.grids.xyz.ravel())


def test_listing(deck, tmp_path, capsys):
    run("modes", deck, "--modes", 2, "--listing", "--out", tmp_path / "a.f06")
    out = capsys.readouterr().out
    assert out == (tmp_path / "a.f06").read_text()
    assert "R E A L   E I G E N V A L U E S" in out and "SUBCASE 3" in out
    hz = [
        float(line.split()[3]) for line in out.splitlines() if re.match(r" {6}[12]  ", line) and "E" in line
    ]
    wanted = normal_modes(FEModel.from_deck(read_deck(deck)), n_modes=2).frequencies_hz
    np.testing.assert_allclose(hz[:2], wanted, rtol=1e-5)
    run("modes", deck, "--modes", 2, "--listing", "--json")
    both = json.loads(capsys.readouterr().out)
    assert both["listing"] == out
    np.testing.assert_allclose(both["frequencies_hz"], wanted, rtol=1e-12)
    run("static", deck, "--listing", "--json")
    both = json.loads(capsys.readouterr().out)
    run("static", deck, "--listing")
    assert both["subcases"] and both["listing"] == capsys.readouterr().out


def test_other_names_are_refused(deck, capsys):
    with pytest.raises(SystemExit) as stop:
        main(["modes", str(deck), "--out", "a.xyz"])
    assert stop.value.code == 2
    assert (
        "the kind of a result file shows by its name; expected .op2, .pch, .unv, .f06"
        in capsys.readouterr().err
    )
