"""The papers' scripts, and runs of an external NASTRAN with a stand-in for it."""

import os
import stat
import sys

import h5py
import numpy as np
import pytest
from deck_models import SIMPLE_BEAM, boom

import interstage as ist
from interstage.component import Component
from interstage.component.component_modes import craig_bampton
from interstage.component.from_nastran.external import (
    dropped_statements,
    fatal_messages,
    matrix_run_deck,
    read_g_matrices,
    run_deck,
)
from interstage.errors import FidelityWarning, FileError, InputError, SolverError
from interstage.fem import FEModel
from interstage.fem.requests import modes_case
from interstage.fmodal import Nastran
from interstage.nastran import deck_from_text
from op4_writer import binary_op4


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("MSC_NASTRAN_2019_PATH", raising=False)
    (tmp_path / "SimpleBeam.dat").write_text(SIMPLE_BEAM)
    (tmp_path / "SimpleBeamFixed.dat").write_text(SIMPLE_BEAM)
    return tmp_path


def test_script_of_the_report(folder):
    """NESC report C.2, script.py, with the import line changed."""
    nast = Nastran()
    nast.read("SimpleBeam.dat")
    nast.executable_path = os.getenv("MSC_NASTRAN_2019_PATH")
    nast.run_103(n_modes=30)
    nast.load_op2(modal_integral_flag=True, rigid_body_mode_thresh=1e-4)
    nast.write_hdf5("sbeam.h5", write_gset=True, write_fset=True, uset=[])
    with h5py.File("sbeam.h5") as f:
        assert np.allclose(f["ModalSolution/FREQ"][:4], [0.764, 0.764, 2.054, 2.054], rtol=5e-4)
        assert f["ModalIntegral/P3"].shape == (30, 30, 3, 3)
        assert f["N_GRIDS"][()] == 11
        assert f["Gset/StiffnessMatrix/shape"][0] == 166
        assert f["GRDPNT"][()] == 11
        assert np.allclose(f["GridPosition/1"][()], [-4.5, 0, 0])
        assert np.abs(f["ModalIntegral/P1"][()]).max() < 1e-9


def test_script_of_the_second_paper(folder):
    """FModal paper, App. B, with the import line changed."""
    n_modes = 30
    nast = Nastran()
    nast.read("SimpleBeamFixed.dat")
    nast.executable_path = os.getenv("MSC_NASTRAN_2019_PATH")
    nast.run_103(n_modes=n_modes, aset={1: 123456})
    nast.load_op2(modal_integral_flag=True)
    nast.write_hdf5("SimpleBeamFixed.h5")
    component = Component.load("SimpleBeamFixed.h5")
    assert component.aset == {1: 123456}
    assert component.n_modes == n_modes
    with h5py.File("SimpleBeamFixed.h5") as f:
        assert "Gset" not in f
        assert f["CraigBampton/USET"].shape == (36, 2)


def test_options_and_order_of_calls(folder):
    nast = Nastran()
    with pytest.raises(InputError, match="read first"):
        nast.run_103()
    nast.read("SimpleBeam.dat")
    with pytest.raises(InputError, match="run_103 first"):
        nast.load_op2()
    nast.run_103(n_modes=5, rvdof={10: 2}, grdpnt=1)
    with pytest.raises(InputError, match="load_op2 first"):
        nast.write_hdf5("x.h5")
    nast.load_op2()
    assert not nast.component.has_integrals
    assert nast.component.reference_node == 1
    assert nast.component.residual_vector.sum() == 1
    nast.load_op2(grdpnt=11, modal_integral_flag=True)
    assert nast.component.has_integrals
    assert nast.component.reference_node == 11
    with pytest.raises(FileError, match="op2 file cannot be read"):
        nast.load_op2(fop2="FModal_SimpleBeam.op2")


def write_op4(path, matrices):
    """A text OUTPUT4 file of dense real matrices, 1P,3E23.16."""
    lines = []
    for name, A in matrices.items():
        rows, columns = A.shape
        lines.append(f"{columns:8d}{rows:8d}{6:8d}{2:8d}{name:<8s}1P,3E23.16")
        for j in range(columns):
            lines.append(f"{j + 1:8d}{1:8d}{2 * rows:8d}")
            for k in range(0, rows, 3):
                lines.append("".join(f"{value:23.16E}" for value in A[k : k + 3, j]))
        lines += [f"{columns + 1:8d}{1:8d}{2:8d}", f"{0.0:23.16E}"]
    path.write_text("\n".join(lines) + "\n")


def stand_in(folder, body):
    """An executable that takes a deck name as NASTRAN does and runs `body` in its working folder."""
    path = folder / "nastran_stand_in"
    path.write_text(
        f"#!{sys.executable}\nimport pathlib, shutil, sys, time\ndeck = pathlib.Path(sys.argv[1])\n{body}\n"
    )
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


def test_external_run(folder):
    """One run deck, matrices in NASTRAN's format from a stand-in: both paths give one result."""
    (folder / "boom.dat").write_text(boom([]))
    ours = Component.from_deck("boom.dat", 6, aset={1: 123456, 5: 123})
    # recovery of all grids from the Craig-Bampton coordinates, as MUG1 holds it
    full = Component.from_deck("boom.dat", 6, aset={1: 123456, 5: 123}, keep_matrices=True)
    K, M = full.gset.stiffness.toarray(), full.gset.mass.toarray()
    reduction = craig_bampton(K, M, np.r_[0:6, 24:27], 6)
    write_op4(
        folder / "matrices.op4",
        {"KXX": reduction.stiffness, "MXX": reduction.mass, "MUG1": reduction.expand(np.eye(15))},
    )
    body = (
        "assert deck.name == 'boom.dat' and 'EXTSEOUT' in deck.read_text()\n"
        f"shutil.copy({str(folder / 'matrices.op4')!r}, 'FModal_boom.op4')\n"
        "pathlib.Path('boom.f06').write_text('1 MSC NASTRAN 1/1/2020 stand-in\\n')"
    )
    nast = Nastran()
    nast.read("boom.dat")
    nast.executable_path = stand_in(folder, body)
    nast.run_103(n_modes=6, aset={1: 123456, 5: 123})
    nast.load_op2(modal_integral_flag=True)
    c = nast.component
    assert sorted(p.name for p in (folder / "analysis_boom").iterdir()) == [
        "FModal_boom.op4",
        "boom.dat",
        "boom.f06",
    ]
    assert np.allclose(c.frequencies_hz[:12], ours.frequencies_hz[:12], rtol=1e-6)
    assert np.allclose(c.inertia, ours.inertia, rtol=1e-6)
    sign = np.sign(np.einsum("nar,nar->r", c.gamma, ours.gamma))
    assert np.allclose((c.gamma * sign)[:, :, :6], ours.gamma[:, :, :6], atol=1e-4 * np.abs(ours.gamma).max())
    assert c.J2.shape == ours.J2.shape
    assert "MSC NASTRAN" in c.provenance["nastran_version"]
    nast.write_hdf5("external.h5")
    assert Component.load("external.h5").n_modes == c.n_modes


def test_external_faults(folder):
    """A fatal message, a run that does not end, a missing program: one sentence each."""
    (folder / "boom.dat").write_text(boom([]))
    nast = Nastran()
    nast.read("boom.dat")
    nast.executable_path = folder / "nowhere"
    with pytest.raises(FileError, match="not found"):
        nast.run_103(n_modes=3, aset={1: 123456})
    fatal = " *** USER FATAL MESSAGE 9050 (SEKRRS)\\n     RUN TERMINATED DUE TO EXCESSIVE PIVOT RATIOS\\n"
    nast.executable_path = stand_in(folder, f"pathlib.Path('boom.f06').write_text('{fatal}')")
    with pytest.raises(SolverError, match=r"9050.*PIVOT RATIOS"):
        nast.run_103(n_modes=3, aset={1: 123456})
    nast.executable_path = stand_in(folder, "time.sleep(30)")
    nast.timeout_s = 0.3
    with pytest.raises(SolverError, match="did not end"):
        nast.run_103(n_modes=3, aset={1: 123456})
    nast.timeout_s = 30.0
    nast.executable_path = stand_in(folder, "sys.exit(3)")
    with pytest.raises(SolverError, match="exit status 3"):
        nast.run_103(n_modes=3, aset={1: 123456})
    nast.executable_path = stand_in(folder, "pass")
    with pytest.raises(SolverError, match="no matrices"):
        nast.run_103(n_modes=3, aset={1: 123456})
    with pytest.raises(InputError, match=r"by the built-in solver only \(geometric_stiffness\)"):
        nast.run_103(n_modes=3, aset={1: 123456}, geometric_stiffness=[1])
    nast.alters = False
    with pytest.raises(InputError, match="EXTSEOUT has no free-free modes"):
        nast.run_103(n_modes=3)
    for what, value in (
        ("loads", [{1: [1.0]}]),
        ("inertia_relief", True),
        ("separateLumpedRigidBodies", True),
    ):
        with pytest.raises(InputError, match="EXTSEOUT has no"):
            nast.run_103(n_modes=3, aset={1: 123456}, **{what: value})
    nast.alters, nast.dialect = True, "cosmic"
    with pytest.raises(
        InputError, match="dialect of NASTRAN is not known; expected 'msc' or 'nx', got 'cosmic'"
    ):
        nast.run_103(n_modes=3)


ENGINE = [
    "CONM2,200,9,,20.,.1,.05,.02",
    ",3.,.1,4.,.2,.3,5.",
    "PARAM,WTMASS,.5",
    "SPOINT,77",
    "CELAS2,99,1.+3,77,,9,2",
]
OUT = {"KGG": "K_gg", "MGG": "M_gg", "BGG": "B_gg", "K4GG": "K4_gg"}


@pytest.mark.parametrize(
    ("dialect", "options"),
    [
        ("msc", {}),
        ("nx", {"separateLumpedRigidBodies": True}),
        ("msc", {"aset": {1: 123456}, "rvdof": {9: 123}}),
        ("nx", {"aset": {1: 123456}, "inertia_relief": True}),
    ],
)
def test_run_by_alters(folder, dialect, options):
    """Matrices of the g-set as a binary, sparse op4 file of a stand-in: all that a deck gives is made of them."""
    (folder / "boom.dat").write_text(boom(ENGINE))
    fe = FEModel.from_deck("boom.dat")
    made = b"".join(
        binary_op4(name, getattr(fe, attribute).toarray(), strings="big") for name, attribute in OUT.items()
    )
    (folder / "matrices.op4").write_bytes(made)
    body = (
        "text = deck.read_text()\n"
        f"assert {'COMPILE SEMODES' if dialect == 'msc' else 'MALTER'!r} in text and 'OUTPUT4 KGG' in text\n"
        f"shutil.copy({str(folder / 'matrices.op4')!r}, 'FModal_boom.op4')\n"
        "pathlib.Path('boom.f06').write_text('1 NX NASTRAN 2412 stand-in\\n')"
    )
    nast, ours = Nastran(), Nastran()
    nast.executable_path, nast.dialect, nast.alters = stand_in(folder, body), dialect, True
    for one in (nast, ours):
        one.read("boom.dat")
        one.run_103(n_modes=6, **options)
        one.load_op2(modal_integral_flag=True)
    a, b = nast.component, ours.component
    np.testing.assert_allclose(a.frequencies_hz, b.frequencies_hz, rtol=1e-9)
    np.testing.assert_allclose(a.mass, b.mass, rtol=1e-12)
    np.testing.assert_allclose(a.inertia, b.inertia, atol=1e-9 * np.abs(b.inertia).max())
    np.testing.assert_allclose(np.abs(a.gamma), np.abs(b.gamma), atol=1e-6 * np.abs(b.gamma).max())
    assert [body.mass for body in a.child_bodies] == [body.mass for body in b.child_bodies]
    assert a.provenance["solver"] == "external NASTRAN (DMAP alter)"
    nast.write_hdf5("external.h5", write_gset=True, write_fset=True)
    with h5py.File("external.h5") as f:
        assert "MassMatrix" in f["Gset"] and "StiffnessMatrix" in f["Fset"]


def test_matrices_of_another_deck(folder):
    (folder / "boom.dat").write_text(boom([]))
    for name, words in (("KGG", "lacks the matrix MGG"), ("MGG", "lacks the matrix KGG")):
        (folder / "some.op4").write_bytes(binary_op4(name, np.eye(54)))
        with pytest.raises(FileError, match=words):
            read_g_matrices(folder / "some.op4", 54)
    (folder / "some.op4").write_bytes(binary_op4("KGG", np.eye(5)))
    with pytest.raises(
        InputError, match=r"KGG of the op4 file does not fit the deck.*expected 54 rows.*got 5 by 5"
    ):
        read_g_matrices(folder / "some.op4", 54)


@pytest.mark.parametrize("dialect", ["msc", "nx"])
def test_alter_deck_is_a_deck(dialect):
    """The deck of the alter has the points of the structure, scalar ones included, so that matrices fit it."""
    again = deck_from_text(matrix_run_deck(deck_from_text(SIMPLE_BEAM), 12, "FModal_SimpleBeam.op4", dialect))
    assert again.sol == 103 and len(again.cards("CBEAM")) == 9
    fe, ours = FEModel.from_deck(again), FEModel.from_deck(deck_from_text(SIMPLE_BEAM))
    assert fe.grids.n_dof == ours.grids.n_dof and fe.eigen_requests[990001].count == 12


def test_threshold_of_the_run(folder):
    """What is asked of the run holds when its results are loaded, unless they are asked for otherwise."""
    (folder / "boom.dat").write_text(boom([]))
    nast = Nastran()
    nast.read("boom.dat")
    lowest = Component.from_deck("boom.dat", 3, aset={}).frequencies_hz[0]
    nast.run_103(n_modes=3, rigid_threshold_hz=1.01 * lowest)
    nast.load_op2()
    assert nast.component.frequencies_hz[0] > 1.01 * lowest
    nast.load_op2(rigid_body_mode_thresh=1e-4)
    assert nast.component.frequencies_hz[0] == pytest.approx(lowest, rel=1e-6)


def test_run_deck_is_a_deck(folder):
    """The run deck keeps the structure, replaces the requests, and reads as a deck of the same model."""
    deck = deck_from_text(SIMPLE_BEAM)
    text = run_deck(deck, 12, {1: 123456}, {10: 23}, 100001, "FModal_SimpleBeam.op4")
    again = deck_from_text(text)
    assert again.sol == 103
    assert len(again.cards("CBEAM")) == 9
    assert len(again.cards("PBEAM")) == 1
    assert again.cards("PBEAM").real(3)[0] == pytest.approx(1.5625e-2)
    assert len(again.cards("EIGRL")) == 1
    assert len(again.cards("QSET1")) == 1
    assert "1001,THRU,1100" not in text
    assert "BSET1,123456,1" in text
    assert "RVDOF1,23,10" in text
    assert "MATOP4" in text


@pytest.mark.parametrize("alters", [False, True])
def test_run_deck_keeps_what_changes_the_structure(alters):
    """Non-structural mass, parameters of case control and the subcase of the modes; sets are those of the run."""
    case = "NSM = 5\nPARAM,WTMASS,.5\nAUTOSPC = NO\nSUBCASE 1\n SPC = 1\n LOAD = 3\n"
    case += "SUBCASE 2\n SPC = 2\n SUPORT1 = 7\n METHOD = 1\n"
    text = SIMPLE_BEAM.replace("METHOD = 1\n", case).replace(
        "ENDDATA",
        "CSET1,456,1\nBNDFREE,10,12\nBNDFIX1,3,10\nSUPORT1,7,1,1\nOMIT1,1,5\n"
        "SPC1,2,123456,11\nNSM1,5,PBEAM,2.,50002\nENDDATA",
    )
    deck = deck_from_text(text)
    fe = FEModel.from_deck(deck)
    held = modes_case(fe)
    if alters:
        again = deck_from_text(matrix_run_deck(deck, 12, "FModal_beam.op4", "msc", held))
    else:
        run = run_deck(deck, 12, {1: 123456}, {}, 100001, "FModal_beam.op4", held, {1: 456})
        again = deck_from_text(run)
        names = {name for name in again.counts if "SET" in name or name.startswith(("BND", "SUP", "OMIT"))}
        assert names == {"BSET1", "CSET1", "QSET1"}
        assert "BSET1,123,1\nCSET1,456,1\n" in run
    one = again.case.subcases[0]
    assert (one.spc, one.nsm, one.suport1) == (2, 5, 7 if alters else None)
    made = FEModel.from_deck(again)
    assert made.params["WTMASS"] == 0.5 and made.params["AUTOSPC"] == "NO"
    assert made.mass_properties().mass == pytest.approx(fe.mass_properties().mass, rel=1e-14)
    np.testing.assert_allclose(made.M_gg.sum(), fe.M_gg.sum(), rtol=1e-12)


def test_fatal_messages(tmp_path):
    path = tmp_path / "a.f06"
    path.write_text(
        "0*** SYSTEM FATAL MESSAGE 1 (X)\n  first reason\n\n all well\n *** USER WARNING MESSAGE 2\n"
    )
    assert fatal_messages(path) == ["SYSTEM FATAL MESSAGE 1 (X) first reason"]
    assert fatal_messages(tmp_path / "none.f06") == []


SENT = {
    "a name behind blanks": ("QSET1,,1001,THRU,1010\n CONM2,900,9,0,200.0\n", ["CONM2"]),
    "a fixed name behind blanks": (
        "QSET1   0       1001    THRU    1010\n  CONM2 900     9       0       200.0\n",
        ["CONM2"],
    ),
    "an alphabetic continuation": (
        "ASET1   123456  1       2       3       4       5       6       7       +A\n+A      8       9\n",
        [],
    ),
    "a continuation elsewhere": (
        "+B      8       9\nASET1   123456  1       2       3       4       5       6       7       +B\n",
        [],
    ),
    "a continuation of a kept card behind a dropped one": (
        "CONM2   900     9       0       200.0   0.      0.      1.              +C\n"
        "QSET1,,1001,THRU,1010\n+C      5.              6.                      7.\n",
        ["CONM2"],
    ),
    "a blank continuation": ("ASET1,123456,1,2,3,4,5,6,7\n,8,9\nCONM2,900,9,0,200.0\n", ["CONM2"]),
    "a replicated card": ("OMIT1,123,2\n=,=,*(1)\nCONM2,900,9,0,200.0\n", ["CONM2"]),
}


@pytest.mark.parametrize("name", SENT)
def test_the_deck_that_is_sent_has_the_cards_of_the_deck(name):
    """Sets are replaced with all their lines; everything else has the mass and the stiffness of the deck."""
    cards, kept = SENT[name]
    text = boom([]).replace("ENDDATA", f"{cards}ENDDATA") if "ENDDATA" in boom([]) else boom([]) + cards
    deck = deck_from_text(text, strict=False)
    sent = run_deck(deck, 5, {1: 123456}, {}, 2001, "x.op4")
    again = deck_from_text(sent)
    assert not any(len(again.cards(one)) for one in ("ASET1", "OMIT1"))
    assert len(again.cards("QSET1")) == 1
    assert all(len(again.cards(one)) == 1 for one in kept)
    body = [line for line in sent.splitlines() if line[:2] in ("+A", "+B")]
    assert body == []
    bare = FEModel.from_deck(deck_from_text(boom([]))).mass_properties().mass
    more = 200.0 if "CONM2" in kept else 0.0
    assert FEModel.from_deck(again).mass_properties().mass == pytest.approx(bare + more, rel=1e-12)


def test_statements_that_matter_are_sent_and_others_are_named(folder):
    """SYSTEM cells, files, DIAG, temperatures and modal damping go along; what does not is said."""
    head = "NASTRAN SYSTEM(151)=1\nASSIGN INPUTT4='x.op4',\n UNIT=33\nASSIGN OUTPUT4='y.op4',UNIT=57\nDIAG 8\nTIME 5\n"
    control = "METHOD = 1\nECHO = NONE\nTEMP(INIT) = 5\nTEMP(LOAD) = 6\nSDAMPING = 7\nDEFORM = 4\n"
    text = head + boom([]).replace("METHOD = 1", control)
    for sent in (
        run_deck(deck_from_text(text), 5, {1: 123456}, {}, 2001, "x.op4"),
        matrix_run_deck(deck_from_text(text), 5, "x.op4", "nx"),
    ):
        lines = sent.splitlines()
        assert lines[:3] == ["NASTRAN SYSTEM(151)=1", "ASSIGN INPUTT4='x.op4',", " UNIT=33"]
        assert sum("UNIT=57" in line for line in lines) == 1
        assert lines.index("SOL 103") < lines.index("DIAG 8") < lines.index("CEND")
        for wanted in ("TEMP(INIT) = 5", "SDAMPING = 7"):
            assert lines.index("CEND") < lines.index(wanted) < lines.index("BEGIN BULK")
        assert not any("TEMP(LOAD)" in line for line in lines)
    assert dropped_statements(deck_from_text(text)) == ["TEMP(LOAD)", "DEFORM"]
    (folder / "boom.dat").write_text(text)
    nast = Nastran()
    nast.read("boom.dat")
    nast.executable_path = stand_in(folder, "sys.exit(3)")
    with pytest.warns(FidelityWarning, match=r"left out .* TEMP\(LOAD\), DEFORM"), pytest.raises(SolverError):
        nast.run_103(n_modes=6, aset={1: 123456})


def single_op4(path, matrices, digits):
    """A text OUTPUT4 file of real single precision, with so many digits."""
    width = digits + 7
    lines = []
    for name, A in matrices.items():
        rows, columns = A.shape
        lines.append(f"{columns:8d}{rows:8d}{6:8d}{1:8d}{name:<8s}1P,4E{width}.{digits - 1}")
        for j in range(columns):
            lines.append(f"{j + 1:8d}{1:8d}{rows:8d}")
            for k in range(0, rows, 4):
                lines.append("".join(f"{value:{width}.{digits - 1}E}" for value in A[k : k + 4, j]))
        lines += [f"{columns + 1:8d}{1:8d}{1:8d}", f"{0.0:{width}.{digits - 1}E}"]
    path.write_text("\n".join(lines) + "\n")


def test_the_precision_of_a_source_goes_along(folder):
    """Matrices of seven digits, and of single precision, are noted: component, file, vehicle, linear model."""
    (folder / "boom.dat").write_text(boom([]))
    full = Component.from_deck("boom.dat", 6, aset={1: 123456}, keep_matrices=True)
    reduction = craig_bampton(full.gset.stiffness.toarray(), full.gset.mass.toarray(), np.r_[0:6], 6)
    matrices = {"KXX": reduction.stiffness, "MXX": reduction.mass, "MUG1": reduction.expand(np.eye(12))}
    write_op4(folder / "double.op4", matrices)
    single_op4(folder / "seven.op4", matrices, 7)
    (folder / "single.op4").write_bytes(
        b"".join(binary_op4(name, A, single=True) for name, A in matrices.items())
    )
    assert not any(
        "precision" in note for note in Component.from_op4("boom.dat", "double.op4", aset={1: 123456}).notes
    )
    for name, words in (("seven", "7 decimal digits in KXX"), ("single", "single precision in KXX")):
        c = Component.from_op4("boom.dat", f"{name}.op4", aset={1: 123456})
        c.save(f"{name}.h5")
        c = Component.load(f"{name}.h5")
        assert words in c.provenance["precision"] and any(words in note for note in c.notes)
        mb = ist.Multibody("vehicle")
        mb.add_body("boom", component=c, joint=ist.Free())
        assert words in mb.notes[0] and words in str(mb)
        system = mb.compile()
        assert words in str(system)
        assert any(words in note for note in ist.linearize(system, system.state()).notes)


def test_direct_matrices_of_short_text_are_noted():
    """A DMIG of six digits, as punch files have them, limits what is made of it; full digits are not noted."""
    rng = np.random.default_rng(0)
    values = 1e3 * (2.0 + rng.random(18))

    def made(form):
        cards = "DMIG,KX,0,6,1\n"
        for k, value in enumerate(values[:18]):
            grid, c = 2 + k // 6, k % 6 + 1
            cards += f"DMIG*   KX{grid:22d}{c:16d}\n*{grid:23d}{c:16d}{form.format(value)}\n"
        text = boom([]).replace("METHOD = 1", "METHOD = 1\nK2GG = KX")
        text = text.replace("BEGIN BULK", "BEGIN BULK\n" + cards, 1)
        return Component.from_deck(deck_from_text(text), 4)

    short = made("{:16.5E}")
    assert "6 decimal digits in DMIG KX" in short.provenance["precision"]
    assert "precision" not in made("{:16.10f}").provenance


def test_an_executable_that_is_set_to_nothing_is_said(folder):
    """The built-in solver takes the place of a NASTRAN that the environment does not name: warning and note."""
    nast = Nastran()
    nast.read("SimpleBeam.dat")
    nast.run_103(n_modes=2)
    nast.load_op2()
    assert not any("executable_path" in note for note in nast.component.notes)
    nast.executable_path = os.getenv("MSC_NASTRAN_2019_PATH")
    with pytest.warns(FidelityWarning, match="built-in solver was used"):
        nast.run_103(n_modes=2)
    nast.load_op2()
    assert any("built-in solver was used" in note for note in nast.component.notes)
    nast.executable_path = folder / "no_such_program"
    with pytest.raises(FileError, match="executable was not found"):
        nast.run_103(n_modes=2, aset={1: 123456})
