"""External superelements, given by their matrices (DMIG, op2, op4), against the same structure written out."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.linalg as la

from conftest import reference_dir
from interstage import FEModel, normal_modes, static
from interstage.errors import DeckError
from interstage.fem.from_deck.dmig_text import dmig_text
from interstage.fem.grids import Grids
from interstage.nastran import deck_from_text, read_deck
from op2_writer import matrix_block, op2_file
from op4_writer import binary_op4, text_op4

HEAD = "SOL 103\nCEND\nSPC = 1\nMETHOD = 1\nLOAD = 3\nBEGIN BULK\nEIGRL,1,,,8\n"
BARS = "MAT1,1,7.+10,,.3,2700.\nPBAR,1,1,.002,4.-6,9.-6,6.-6\n,\n,.5,.5,2.-6\n"


def chain(first, last):
    """A crooked chain of bars with coupled planes; every grid and bar by its number."""
    places = ((0, 0, 0), (1, 0, 0.2), (2, 0.3, 0.2), (2.6, 1, 0.4), (3, 2, 0.4), (3.2, 3, 1))
    used = enumerate(places[first : last + 1], first + 1)
    out = "".join(f"GRID,{k},,{float(x)},{float(y)},{float(z)}\n" for k, (x, y, z) in used)
    return out + "".join(f"CBAR,{k + 1},1,{k + 1},{k + 2},.1,.2,1.,BGG\n" for k in range(first, last))


ROOT = BARS + chain(0, 2) + "SPC1,1,123456,1\nFORCE,3,3,,100.,1.,2.,3.\n"


@pytest.fixture(scope="module")
def whole():
    return FEModel.from_deck(deck_from_text(HEAD + ROOT + chain(2, 5).split("\n", 1)[1] + "ENDDATA\n"))


def craig_bampton(n_modes, points=range(3001, 3999)):
    """Grids 3 to 6 reduced to grid 3 and modal points: the points left, and K, M and K4 of their g-set."""
    fe = FEModel.from_deck(
        deck_from_text("SOL 103\nCEND\nBEGIN BULK\n" + BARS + chain(2, 5) + "CONM2,90,6,,.1\n")
    )
    K, M = fe.K_gg.toarray(), fe.M_gg.toarray()
    b, i = np.arange(6), np.arange(6, len(K))
    hang = -np.linalg.solve(K[np.ix_(i, i)], K[np.ix_(i, b)])
    # massless turns have no modes: of finite ones there are as many as dofs with mass
    values, modes = la.eigh(M[np.ix_(i, i)], K[np.ix_(i, i)])
    order = np.argsort(-values)[:n_modes]
    modes = modes[:, order] / np.sqrt(values[order])
    T = np.zeros((len(K), 6 + n_modes))
    T[b, b], T[np.ix_(i, b)], T[i, 6:] = 1.0, hang, modes
    grids = Grids([3], [fe.grids.xyz[0]], spoint=points[:n_modes])
    dofs = np.concatenate([grids.dof[0] + np.arange(6), grids.spoint_dof])
    out = {}
    for name, A in (("K", K), ("M", M), ("K4", 0.04 * K)):
        sorted_by_id = np.zeros((len(dofs), len(dofs)))
        sorted_by_id[np.ix_(dofs, dofs)] = T.T @ A @ T
        out[name] = 0.5 * (sorted_by_id + sorted_by_id.T)
    return grids, dofs, out


def section(grids):
    """Boundary grid, modal points and EXTRN, as EXTSEOUT(EXTBULK) punches them."""
    place = ",".join(str(float(c)) for c in grids.xyz[0])
    named = "".join(f"SPOINT,{k}\nQSET1,0,{k}\nEXTRN,{k},0\n" for k in grids.spoint)
    return f"GRID,3,,{place}\nEXTRN,3,123456\n{named}"


def reduced(n_modes):
    """The section with the matrices of grids 3 to 6, as EXTSEOUT(DMIGPCH) writes them."""
    grids, dofs, matrices = craig_bampton(n_modes)
    given = {f"{name}AAX": matrices[name][np.ix_(dofs, dofs)] for name in ("K", "M")}
    return section(grids) + dmig_text(grids, given, dofs)


MASS = "DMIG    MAAX           0       6       2       0\nDMIG,MAAX,3,1,,3,1,2.\n"


def joined(section, bulk="SEBULK,9,EXTERNAL\n"):
    return FEModel.from_deck(deck_from_text(HEAD + ROOT + bulk + "BEGIN SUPER=9\n" + section + "ENDDATA\n"))


def test_modes_and_statics_of_a_part_given_by_its_matrices(whole):
    """With every mode that has mass the reduction is exact; grid 3 moves as in one piece."""
    lumped = FEModel.from_deck(
        deck_from_text(HEAD + ROOT + chain(2, 5).split("\n", 1)[1] + "CONM2,90,6,,.1\nENDDATA\n")
    )
    fe = joined(reduced(9))
    wanted = normal_modes(lumped).frequencies_hz
    np.testing.assert_allclose(
        normal_modes(fe).frequencies_hz, wanted, rtol=1e-6
    )  # sixteen columns of digits
    np.testing.assert_allclose(static(fe, 1)[3], static(whole, 1)[3], rtol=1e-7)
    few = normal_modes(joined(reduced(3))).frequencies_hz
    assert few[0] == pytest.approx(wanted[0], rel=1e-3) and few[0] >= wanted[0] * (1 - 1e-7)


def test_what_an_external_part_needs():
    with pytest.raises(DeckError, match=r"part 9 is EXTERNAL and has no stiffness .*got MAAX"):
        joined(reduced(3).split("DMIG")[0] + MASS)
    with pytest.raises(DeckError, match="SEBULK names superelement 8, which has no section"):
        joined(reduced(3), "SEBULK,8,EXTERNAL\n")
    fe = joined(reduced(3) + "DMIG    PAX            0       9       2       0                       1\n")
    assert any("loads (DMIG PAX) of the external part 9 are not applied" in note for note in fe.notes)


def with_file(
    folder,
    kind,
    data,
    sections,
    bulk="SEBULK,9,EXTOP{0},,,,,77\n",
    assign="ASSIGN INPUTT{0}='wing.op{0}' UNIT=77\n",
):
    """The joined model of a deck whose part 9 has its matrices in a file."""
    (folder / f"wing.op{kind}").write_bytes(data)
    text = HEAD + ROOT + bulk.format(kind) + "BEGIN SUPER=9\n" + sections + "ENDDATA\n"
    (folder / "whole.bdf").write_text(assign.format(kind) + text)
    return FEModel.from_deck(read_deck(folder / "whole.bdf"))


def op4_of(matrices, names=("KXX", "MXX", "K4XX1")):
    nothing = {"BXX1": np.zeros((1, 1)), "PX": np.zeros((1, 1))}
    named = {name: matrices[key] for name, key in zip(names, ("K", "M", "K4"))}
    return b"".join(binary_op4(name, one) for name, one in (named | nothing).items())


@pytest.mark.parametrize("points", [range(3001, 3010), (1, 2, 4, 5, 6, 7, 8, 9, 10)])
def test_matrices_of_an_op4_file_are_those_of_the_punch_file(tmp_path, points):
    """Sixteen digits in both; rows follow the numbers of points, also where modal points surround the grid."""
    wanted = joined(reduced(9))
    grids, _, matrices = craig_bampton(9, points)
    fe = with_file(
        tmp_path, 4, op4_of(matrices), section(grids), "SEBULK,9,EXTOP4,,MANUAL,,,77\nSECONCT,9,0\n,3,3\n"
    )
    np.testing.assert_allclose(
        normal_modes(fe).frequencies_hz, normal_modes(wanted).frequencies_hz, rtol=1e-9
    )
    np.testing.assert_allclose(static(fe, 1)[3], static(wanted, 1)[3], rtol=1e-9)


def test_op2_text_and_old_names_and_units(tmp_path):
    grids, _, matrices = craig_bampton(5)
    wanted = normal_modes(with_file(tmp_path, 4, op4_of(matrices), section(grids))).frequencies_hz
    names = ("KAA", "MAA")
    text = "".join(text_op4(name, matrices[key]) for name, key in zip(names, "KM"))
    # a unit that is left out is the only one; ASSIGN goes on behind a comma
    assign = "assign inputt{0} = 'wing.op{0}', status=old,\n   unit=12, form=formatted\n"
    fe = with_file(tmp_path, 4, text.encode(), section(grids), "SEBULK,9,EXTOP{0}\n", assign)
    np.testing.assert_allclose(normal_modes(fe).frequencies_hz, wanted, rtol=1e-9)
    blocks = [matrix_block(f"{key}AAX", matrices[key]) for key in "KM"]
    fe = with_file(tmp_path, 2, op2_file(blocks), section(grids))
    np.testing.assert_allclose(normal_modes(fe).frequencies_hz, wanted, rtol=1e-9)


def test_structural_damping_of_an_external_part(tmp_path):
    """K4 of the part is 4 % of its stiffness in both forms, to the digits of DMIG."""
    grids, dofs, matrices = craig_bampton(5)
    filed = with_file(tmp_path, 4, op4_of(matrices), section(grids))
    given = {
        name: matrices[key][np.ix_(dofs, dofs)]
        for name, key in (("KAAX", "K"), ("MAAX", "M"), ("K4AAX", "K4"))
    }
    punched = joined(section(grids) + dmig_text(grids, given, dofs))
    for fe in (filed, punched):
        part = fe.grids.spoint_dof
        np.testing.assert_allclose(
            fe.K4_gg[part][:, part].diagonal(), 0.04 * fe.K_gg[part][:, part].diagonal(), rtol=1e-10
        )


def test_what_files_of_external_parts_need(tmp_path):
    grids, _, matrices = craig_bampton(3)
    data, text = op4_of(matrices), section(grids)
    with pytest.raises(
        DeckError, match=r"matrices of superelement 9 have no file .*SEBULK.*units of INPUTT4: 78"
    ):
        with_file(tmp_path, 4, data, text, assign="ASSIGN INPUTT4='wing.op4' UNIT=78\n")
    with pytest.raises(DeckError, match=r"units of INPUTT4: none"):
        with_file(tmp_path, 4, data, text, assign="ASSIGN OUTPUT4='wing.op4' UNIT=77\n")
    with pytest.raises(
        DeckError, match=r"expected ASSIGN INPUTT4 = 'file', UNIT = n.*units of INPUTT4: none"
    ):
        with_file(tmp_path, 4, data, text, assign="ASSIGN INPUTT4='wing.op4'\n")
    with pytest.raises(DeckError, match=r"the ASSIGN file was not found .*line 1.*'wind.op4'"):
        with_file(tmp_path, 4, data, text, assign="ASSIGN INPUTT4='wind.op4' UNIT=77\n")
    with pytest.raises(DeckError, match=r"the ASSIGN leaves the folder tree of the main deck"):
        with_file(tmp_path, 4, data, text, assign="ASSIGN INPUTT4='../wing.op4' UNIT=77\n")
    with pytest.raises(DeckError, match=r"do not fit its section .*expected 8 rows.*got 9 in wing.op4"):
        with_file(tmp_path, 4, data, text.replace("EXTRN,3001,0\n", ""))
    with pytest.raises(DeckError, match=r"superelement 9 does not say which degrees .*EXTRN"):
        with_file(tmp_path, 4, data, text.split("EXTRN")[0] + "SPOINT,3001\n")
    with pytest.raises(DeckError, match=r"EXTRN refers to point 8, which is not in the deck"):
        with_file(tmp_path, 4, data, text + "EXTRN,8,123\n")
    with pytest.raises(DeckError, match=r"superelement 9: the op4 file lacks the matrix KXX .*SEBULK"):
        with_file(tmp_path, 4, binary_op4("MXX", matrices["M"]), text)
    skew = matrices["K"].copy()
    skew[7, 6] += 0.1 * skew[6, 6]
    with pytest.raises(DeckError, match="matrix K of superelement 9 is not symmetric"):
        with_file(tmp_path, 4, op4_of(matrices | {"K": skew}), text)
    with pytest.raises(DeckError, match=r"has no section .BEGIN SUPER = 8.*INCLUDE the punch file"):
        joined(reduced(3), "SEBULK,8,EXTOP4,,,,,77\n")
    loaded = data + binary_op4("PX", np.ones((9, 2)))
    fe = with_file(tmp_path, 4, loaded.replace(binary_op4("PX", np.zeros((1, 1))), b""), text)
    assert any("loads (PX in wing.op4) of the external part 9 are not applied" in note for note in fe.notes)


def test_a_superelement_that_nastran_wrote(tmp_path):
    """An assembly run of files of NX Nastran: with its four grids held, the part has the modes that the run printed."""
    files = reference_dir("nastran-files")
    for name in ("inboard.op4", "inboard.pch"):
        (tmp_path / name).write_bytes((files / name).read_bytes())
    bulk = (
        "SEBULK       102  EXTOP4          MANUAL                     102\n"
        "CORD2R  10              0.      0.      0.      1.      0.      0.\n        0.      1.      0.\n"
        "SECONCT      102       0              NO\n"
        "               3       3      11      11      19      19      27      27\n"
        "         2995001    THRU 2995008 2995001    THRU 2995008\n"
        "GRID,3,,600.,0.,300.\nGRID,11,,600.,300.,300.,10\nGRID,19,,600.,300.,0.\nGRID,27,,600.,0.,0.\n"
        "SPOINT,2995001,THRU,2995008\n"
    )
    text = (
        "ASSIGN INPUTT4='inboard.op4',UNIT=102\nSOL 103\nCEND\nMETHOD = 1\n{spc}\nBEGIN BULK\nEIGRL,1,,,{n}\n"
        "SPC1,1,123456,3,11,19,27\n" + bulk + "INCLUDE 'inboard.pch'\nENDDATA\n"
    )
    (tmp_path / "held.bdf").write_text(text.format(spc="SPC = 1", n=3))
    printed = (6.129345, 6.130134, 23.63188)  # seven digits
    np.testing.assert_allclose(
        normal_modes(FEModel.from_deck(tmp_path / "held.bdf")).frequencies_hz, printed, rtol=3e-7
    )
    (tmp_path / "free.bdf").write_text(text.format(spc="", n=8))
    free = normal_modes(FEModel.from_deck(tmp_path / "free.bdf")).frequencies_hz
    assert free[:6].max() < 1e-3 and free[6] > 1.0
