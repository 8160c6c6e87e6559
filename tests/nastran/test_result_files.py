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


STRESSES = """GRID,11,,2.,0.,1.
GRID,12,,2.,1.,1.
GRID,13,,3.,0.,0.
GRID,14,,3.,1.,0.
GRID,15,,3.,0.,1.
GRID,16,,3.,1.,1.
GRID,17,,4.,.5,.5
CHEXA,31,31,3,13,14,5,11,15
,16,12
CPENTA,32,31,13,15,17,14,16,18
GRID,18,,4.,1.5,.5
CTETRA,33,32,13,14,15,17
CPYRAM,34,31,13,14,16,15,17
PSOLID,31,1
PSOLID,32,1,5
CTRIA3,36,37,3,5,12
PCOMP,37
,1,.01,0.,YES,1,.01,90.,YES
"""
# type and words of an element, and columns of the table in the order of the words behind number, grid and the like
SIMPLE = {"CELAS2": (12, 2), "CBAR": (34, 16), "CROD": (1, 5), "CBUSH": (102, 7), "CTRIA3": (74, 17)}
OF_SOLIDS = {"CHEXA": (67, 193), "CPENTA": (68, 151), "CTETRA": (39, 109), "CPYRAM": (255, 130)}


def words(block) -> dict:
    """Records by subcase or mode and type of element: identification and rows."""
    out = {}
    for k in range(0, len(block), 2):
        ident = block.integers(k)
        out[int(ident[3 if ident[0] == 12 else 4]), int(ident[2])] = (
            ident,
            block.integers(k + 1).reshape(-1, ident[9]),
        )
    return out


def real(integers) -> np.ndarray:
    return np.ascontiguousarray(integers).view("f4")


@pytest.mark.parametrize("kind", ["static", "modes"])
def test_stresses_of_elements_in_op2(deck, tmp_path, kind):
    """Records of OES1X1 and OES1C; a margin that is not known is the integer 1, as in files of Nastran."""
    deck.write_text(
        deck.read_text().replace("SPC = 1", "SPC = 1\nSTRESS(CORNER) = ALL", 1) + FORCES + STRESSES
    )
    run(kind, deck, "--stresses", "--out", tmp_path / "a.op2")
    op2 = read_op2(tmp_path / "a.op2")
    fe = FEModel.from_deck(read_deck(deck))
    if kind == "static":
        one = static_subcases(fe)[1]
        number, values = 7, {name: table.values for name, table in one.stresses.items()}
    else:
        one = normal_modes(fe, n_modes=3)
        number, values = 2, {name: table.values[1] for name, table in one.stresses.items()}
    found = words(op2["OES1X1"])
    for name, (code, width) in SIMPLE.items():
        ident, rows = found[number, code]
        assert ident[[1, 9, 10]].tolist() == [5, width, int(name == "CTRIA3")]
        known = ~np.isnan(values[name]).reshape(len(rows), -1)
        assert np.all(rows[:, 1:][~known] == 1)
        np.testing.assert_array_equal(
            real(rows[:, 1:])[known], values[name].reshape(known.shape)[known].astype("f4")
        )
    ident, rows = found[number, 144]  # CQUAD4
    assert rows[0, :3].tolist() == [202, int.from_bytes(b"CEN/", "little"), 4] and ident[9] == 87
    rows = rows[0, 2:].reshape(5, 17)
    assert rows[1:, 0].tolist() == [2, 3, 5, 6]
    np.testing.assert_array_equal(real(rows[:, 1:]).reshape(10, 8), values["CQUAD4"].astype("f4"))
    ident, rows = found[number, 2]  # CBEAM: grid and place at eleven stations
    assert ident[9] == 111 and rows[0, [1, 101]].tolist() == [3, 5]
    stations = rows[0, 1:].reshape(11, 10)[[0, 10]]
    assert real(stations[:, 1]).tolist() == [0.0, 1.0] and np.all(stations[:, 8:] == 1)
    np.testing.assert_array_equal(real(stations[:, 2:8]), values["CBEAM"][:, :6].astype("f4"))
    (_, rows) = words(op2["OES1C"])[number, 97]
    assert rows[:, :2].tolist() == [[362, 1], [362, 2]]
    np.testing.assert_array_equal(real(rows[:, 2:]), values["CTRIA3_COMPOSITE"].astype("f4"))


def test_stresses_of_solids_in_op2(deck, tmp_path):
    """Tensor, pressure and von Mises of the table; the directions give the tensor back from the principal stresses."""
    deck.write_text(deck.read_text() + FORCES + STRESSES)
    run("static", deck, "--stresses", "--out", tmp_path / "a.op2")
    found = words(read_op2(tmp_path / "a.op2")["OES1X1"])
    stresses = static_subcases(FEModel.from_deck(read_deck(deck)))[0].stresses
    for name, (code, width) in OF_SOLIDS.items():
        ident, rows = found[3, code]
        assert ident[[9, 10]].tolist() == [width, 1]
        table = stresses[name]
        assert rows[0, 1] == (5 if name == "CTETRA" else 0)  # CORDM
        assert rows[0, 2:3].tobytes() == b"GRID" and rows[0, 3] == len(table) - 1
        places = rows[0, 4:].reshape(-1, 21)
        assert places[:, 0].tolist() == table.node_ids.tolist()
        v = real(places).astype(float)
        np.testing.assert_array_equal(v[:, [1, 9, 15, 2, 10, 16, 3, 11, 17, 8]], table.values.astype("f4"))
        scale = np.abs(table.values).max()
        np.testing.assert_allclose(v[:, 7], -table.values[:, :3].sum(axis=1) / 3, atol=1e-6 * scale)
        V = v[:, [4, 5, 6, 12, 13, 14, 18, 19, 20]].reshape(-1, 3, 3)  # of x, y, z with each direction
        tensor = np.einsum("nij,nj,nkj->nik", V, table.values[:, 6:9], V)
        given = table.values[:, [0, 3, 5, 3, 1, 4, 5, 4, 2]].reshape(-1, 3, 3)
        np.testing.assert_allclose(tensor, given, atol=1e-6 * scale)


@pytest.mark.parametrize(
    ("asked", "code"), [("STRAIN", 11), ("STRAIN(FIBER)", 15), ("STRAIN(SHEAR,FIBER)", 14)]
)
def test_strains_in_op2_say_what_they_are(deck, tmp_path, capsys, asked, code):
    """NASTRAN's code of strains: curvature or fibers, von Mises or shear; what has no place is told."""
    deck.write_text(deck.read_text().replace("SPC = 1", f"SPC = 1\n{asked} = ALL", 1) + FORCES + STRESSES)
    run("static", deck, "--strains", "--forces", "--out", tmp_path / "a.op2", "--json")
    notes = json.loads(capsys.readouterr().out)["notes"]
    assert any(note.startswith("strains of") and "CHEXA (1)" in note for note in notes)
    ident, rows = words(read_op2(tmp_path / "a.op2")["OSTR1X"])[3, 74]
    assert ident[[1, 10]].tolist() == [5, code]
    places = real(rows[:, [1, 9]])
    np.testing.assert_allclose(places, [[0.0, -1.0]] if code == 11 else [[-0.005, 0.005]], rtol=1e-6)


def test_what_op2_has_no_place_for_is_told(deck, tmp_path, capsys):
    deck.write_text(deck.read_text() + FORCES + "CSHEAR,40,40,2,3,5,6\nPSHEAR,40,1,.01\n")
    run("static", deck, "--forces", "--out", tmp_path / "a.op2")
    assert "op2 files have no place here for forces of CSHEAR" in " ".join(capsys.readouterr().out.split())


def test_stresses_are_read_by_pynastran(deck, tmp_path):
    op2 = pytest.importorskip("pyNastran.op2.op2")
    deck.write_text(
        deck.read_text().replace("SPC = 1", "SPC = 1\nSTRESS(CORNER) = ALL", 1) + FORCES + STRESSES
    )
    # pyNastran knows a CPYRAM (255) in files of NX alone
    deck.write_text(deck.read_text().replace("CPYRAM,34,31,13,14,16,15,17\n", ""))
    run("static", deck, "--stresses", "--strains", "--out", tmp_path / "a.op2")
    model = op2.OP2(debug=None)
    model.read_op2(str(tmp_path / "a.op2"), build_dataframe=False)
    one = static_subcases(FEModel.from_deck(read_deck(deck)))[1]
    stress, strain = model.op2_results.stress, model.op2_results.strain
    names = {name: name.lower() for name in (*SIMPLE, *OF_SOLIDS, "CQUAD4", "CBEAM")}
    for name, key in {**names, "CTRIA3_COMPOSITE": "ctria3_composite"}.items():
        if name == "CPYRAM":
            continue
        found = getattr(stress, f"{key}_stress")[one.subcase].data[0]
        wanted = one.stresses[name].values.astype("f4")
        known = ~np.isnan(wanted)
        np.testing.assert_array_equal(found[known], wanted[known])
    for name in ("CQUAD4", "CTRIA3", "CBAR"):
        found = getattr(strain, f"{name.lower()}_strain")[one.subcase].data[0]
        wanted = one.strains[name].values.astype("f4")
        np.testing.assert_array_equal(found[~np.isnan(wanted)], wanted[~np.isnan(wanted)])


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
