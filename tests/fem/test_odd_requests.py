"""Decks as real runs have them: ranges without modes, odd lines, sets that are not there, rare elements and loads."""

from __future__ import annotations

import numpy as np
import pytest
from published_responses import DECKS, as_folder
from published_runs import figures
from reference_cases import grid_error, statics

import interstage as ist
from conftest import reference_dir
from interstage.errors import DeckError, ModelError
from interstage.nastran import deck_from_text

BAR = """GRID,1,,0.,0.,0.,,123456
GRID,2,,1.,0.,0.,,12346
MAT1,1,7.+10,,.3,2700.
PBAR,1,1,1.-4,1.-8,1.-8,1.-8
CBAR,1,1,1,2,0.,1.,0.
"""


def model(text: str) -> ist.FEModel:
    return ist.FEModel.from_deck(deck_from_text(text))


def test_a_range_without_load_factors_gives_those_beside_it_with_a_warning():
    """Column held against all but turning of its end about y: λ = P_cr / P, P = -1 along x makes it positive."""
    head = "SOL 105\nCEND\nSUBCASE 1\nLOAD=1\nSUBCASE 2\nMETHOD=7\nBEGIN BULK\n"
    bulk = BAR.replace("12346", "2346") + "FORCE,1,2,,1.,{0}.,0.,0.\n"
    wide = ist.buckling(model(head + bulk.format(-1) + "EIGB,7,SINV,0.,1.+9,,1"))
    none = ist.buckling(model(head + bulk.format(-1) + "EIGB,7,INV,0.,1.,,1"))
    assert none.load_factors == pytest.approx(wide.load_factors)
    assert any("no load factor lies in the range asked for (0 to 1)" in note for note in none.notes)
    assert not any("no load factor" in note for note in wide.notes)


def test_a_range_without_modes_is_said():
    found = ist.normal_modes(
        model("METHOD=3\nBEGIN BULK\n" + BAR + "CONM2,9,2,,1.,,,,,+\n+,1.,,1.,,,1.\nEIGRL,3,1.+6,2.+6")
    )
    assert not len(found.frequencies_hz)
    assert any("no mode lies in the range asked for, from 1e+06 to 2e+06 Hz" in note for note in found.notes)


@pytest.mark.parametrize(
    "line, fields",
    [
        ("PSHEAR, 401     1       1.0     0.5, 1., 30.$ F1", [401, 1, 1.0, 0.5, 1.0, 30.0]),
        ("PSHEAR  401     1       1.0,    0.5     1.      30.", [401, 1, 1.0, 0.5, 1.0, 30.0]),
        ("PSHEAR,401,1,1.0,.5,1.,30.,+A,,", [401, 1, 1.0, 0.5, 1.0, 30.0]),
        ("PSHEAR,401,1,1.0,.5,1.,30.  +A", [401, 1, 1.0, 0.5, 1.0, 30.0]),
        ("PSHEAR,401,1,1.0,.5,1.,30.", [401, 1, 1.0, 0.5, 1.0, 30.0]),
    ],
)
def test_lines_that_mix_free_and_small_field(line, fields):
    assert deck_from_text(line + "\nGRID,1\n").cards("PSHEAR").row(0) == fields


def test_one_blank_between_digits_stays_an_error_and_marks_join_their_lines():
    with pytest.raises(DeckError, match="two numbers in one field"):
        deck_from_text("PSHEAR,401 1,1,1.\n")
    row = deck_from_text("SPC1,1,123456,1,2,3,4,5,6,+X,,\n+X,7,8\n").cards("SPC1").row(0)
    assert row == [1, 123456, 1, 2, 3, 4, 5, 6, 7, 8]
    row = deck_from_text("PBAR,1,1,1.,1.,1.,1.,,  +B\n+B,,,,,,,,\n,.5\n").cards("PBAR").row(0)
    assert row[:6] == [1, 1, 1.0, 1.0, 1.0, 1.0]
    assert row[16] == 0.5


GRIDS = "GRID,1,,0.,0.,0.\nGRID,2,,2.,.3,0.\nGRID,3,,.5,1.4,.2\nGRID,4,,1.,1.,1.\n"


def dense(text: str) -> np.ndarray:
    fe = model(GRIDS + text)
    R = np.zeros((len(fe.rigid.dependent), fe.grids.n_dof))
    np.add.at(R, (fe.rigid.row, fe.rigid.dof), fe.rigid.value)
    order = np.argsort(fe.rigid.dependent)
    return R[order] / R[order, np.sort(fe.rigid.dependent)][:, None]


@pytest.mark.parametrize(
    "one, other",
    [
        ("CRIGD1,9,1,2,3,4", "RBE2,9,1,123456,2,3,4"),
        ("CRIGD1,9,1,2,THRU,4", "RBE2,9,1,123456,2,3,4"),
        ("CRIGD2,9,1,2,123,3,36", "RBE1,9,1,123456\n,UM,2,123,3,36"),
        ("RTRPLT,9,1,2,3,1236,3,2\n,45,12456,13456", "RBE1,9,1,1236,2,3,3,2\n,UM,1,45,2,12456,3,13456"),
        ("RTRPLT,9,1,2,3,1236,3,2", "RBE1,9,1,1236,2,3,3,2\n,UM,1,45,2,12456,3,13456"),
    ],
)
def test_rigid_elements_of_older_decks_are_those_of_newer_ones(one, other):
    ours, truth = dense(one), dense(other)
    assert ours.shape == truth.shape
    np.testing.assert_allclose(ours, truth, atol=1e-12)


def test_point_is_listed_and_changes_nothing():
    deck = deck_from_text(BAR + "POINT,77,,1.,2.,3.\n")
    assert deck.ignored["POINT"] == 1


def test_spcadd_and_load_leave_out_sets_that_are_not_there():
    text = (
        "SPC=9\nLOAD=8\nBEGIN BULK\n"
        + BAR
        + "SPC1,1,5,2\nSPCADD,9,1,2\nFORCE,3,2,,1.,1.,1.,1.\nLOAD,8,1.,1.,3,1.,4\n"
    )
    fe = model(text)
    notes = ist.static(fe).notes
    assert any("SPCADD 9 names SPC set 2, not in the deck: left out" in note for note in notes)
    assert any("LOAD 8 names load set 4, which is not in the deck" in note for note in notes)
    with pytest.raises(ModelError, match="SPC set 2 is selected but is not in the deck"):
        ist.static(model(text.replace("SPCADD,9,1,2", "SPCADD,9,2,3")))


def test_load_over_the_whole_of_a_cbend():
    """Quarter of a circle held at A under a line load p along z: its end B moves as Castigliano's theorem says."""
    R, p, EI, GJ = 2.0, 3.0, 7e10 * 1e-6, 7e10 / 2.6 * 2e-6
    text = f"""SPC=1
LOAD=1
BEGIN BULK
GRID,1,,{R},0.,0.
GRID,2,,0.,{R},0.
GRID,3,,0.,0.,0.
SPC1,1,123456,1
MAT1,1,7.+10,,.3
PBEND,1,1,1.-2,1.-6,1.-6,2.-6,{R}
CBEND,5,1,1,2,-1.,0.,0.,1
PLOAD1,1,5,FZ,FR,0.,{p},1.,{p}
"""
    found = ist.static(model(text))[2][2]
    a, da = np.linspace(0.0, np.pi / 2, 4001, retstep=True)
    # at angle a from the free end B: moment of the load between, and of a unit force at the end
    M, T = p * R**2 * (1 - np.cos(a)), p * R**2 * (a - np.sin(a))
    m, t = R * np.sin(a), R * (1 - np.cos(a))
    f = R * (M * m / EI + T * t / GJ)
    truth = da * (f.sum() - 0.5 * (f[0] + f[-1]))
    assert found == pytest.approx(truth, rel=1e-5)


def test_pressures_of_axisymmetric_sides_by_grids_or_by_element():
    places = ((1.0, 0.0), (2.0, 0.0), (3.0, 0.0), (2.5, 1.0), (2.0, 2.0), (1.5, 1.0))
    ring = "".join(f"GRID,{k + 1},,{x},0.,{z}\n" for k, (x, z) in enumerate(places))
    ring += "CTRIAX6,7,1,1,2,3,4,5,6\nMAT1,1,7.+10,,.3\n"
    one = model(ring + "PLOADX,1,2.,5.,3,4,5\n").loads.vector(1)
    other = model(ring + "PLOADX1,1,7,2.,5.,3,5\n").loads.vector(1)
    assert np.abs(one).max() > 1.0
    np.testing.assert_allclose(one, other, rtol=1e-13)


def test_factors_that_inverse_iteration_of_nastran_found_outside_its_range():
    stated = figures("loose_tower_buckles")
    ours = ist.buckling(model(DECKS["loose_tower_buckles"]())).load_factors
    for factor in stated["load_factors"]:
        assert np.abs(ours / factor - 1.0).min() <= stated["compare"][0]["tolerance"]


def test_a_run_of_msc_with_rods_holds_once_the_deck_names_it(tmp_path):
    """PBARL ROD: 6/7 in MSC Nastran; a deck that names no solver keeps 0.9, and a note says so."""
    deck = as_folder("loaded_rods", tmp_path) / "deck.bdf"
    ((asked, off), *rest) = statics(tmp_path)
    assert asked["quantity"] == "displacement" and asked["tolerance"] < off < 1.4e-4
    assert len(rest) == 3
    assert any("0.9" in note for note in ist.FEModel.from_deck(deck).notes)
    deck.write_text("$pyNastran: version=msc\n" + deck.read_text())
    for asked, error in statics(tmp_path):
        assert error <= asked["tolerance"], asked["quantity"]


OWN = ("CTRIA6", "CTRIAR", "CQUADR")  # formulations of the literature, not Nastran's
CURVED = 6413  # a CQUAD8 on a sphere


def test_a_run_of_every_kind_of_element():
    """Displacements of all grids but those of elements of our own formulation; forces of bars, beams and plates.

    Two grids of a plate that is warped, skew, tapered and soft in shear (CQUAD4 3313) are 0.4 % off, of which all but
    5e-6 is transverse shear; its forces hold.
    """
    folder = reference_dir("nastran", "rtrplt_many_elements")
    fe = ist.FEModel.from_deck(folder / "deck.bdf")
    stored = np.load(folder / "displacement.npz")
    u = ist.static(fe, subcase=int(stored["case"][0]))
    other = {
        int(g)
        for block in fe.blocks
        for eid, nodes in zip(block.eid, block.nodes)
        if block.name in OWN or eid == CURVED
        for g in fe.grids.id[nodes]
    }
    kept = [k for k, g in enumerate(stored["grid_id"].tolist()) if g not in other | {3315, 3316}]
    assert len(kept) > 95 and 6402 not in other
    for k in kept:  # each in its own scale: they are of many sizes
        theirs = stored["values"][0][k]
        found = np.resize(np.append(u[int(stored["grid_id"][k])], np.zeros(5)), 6)
        assert np.abs(found - theirs).max() <= 1e-6 * np.abs(theirs).max() + 1e-12, stored["grid_id"][k]
    plate = [k for k, g in enumerate(stored["grid_id"].tolist()) if g in (3315, 3316)]
    ours = np.array([u[int(stored["grid_id"][k])] for k in plate])
    assert grid_error(ours, stored["values"][0][plate]) <= 4e-3
    for asked, error in statics(folder):
        assert error <= asked["tolerance"] or asked["quantity"] == "displacement"
