"""Parts cut out of a system deck add up to it; put together as bodies they are the system again."""

from __future__ import annotations

import re

import numpy as np
import pytest
import scipy.sparse as sp
from typer.testing import CliRunner

import interstage as ist
from interstage.cli.main import app
from interstage.nastran import Deck, deck_from_text, read_deck
from interstage.nastran.builders import beam_deck, cylinder_deck
from interstage.nastran.card_text import card

# two rods of unlike material with everything that a cut has to look at: systems of grids, an orientation grid, masses
# on rigid elements, springs, a scalar point, equations and supports
RICH = """SOL 103
CEND
SPC = 5
MPC = 7
BEGIN BULK
PARAM,SNORM,0.
PARAM,COUPMASS,1
CORD1R,3,1,2,90
CORD2R,4,0,0.,0.,0.,0.,0.,1.,1.,.1
GRID,1,,0.,0.,0.
GRID,2,,1.,0.,0.,3
GRID,3,4,2.,.1,0.
GRID,4,,3.,0.,0.
GRID,5,,4.,0.,0.
GRID,6,,2.,1.,0.
GRID,7,,4.,0.,1.
GRID,8,,5.,0.,0.
GRID,90,,0.,1.,0.
GRID,91,,0.,0.,9.
SPOINT,500,THRU,501
MAT1,1,7.+10,,.3,2700.
MAT1,2,2.+11,,.3,7800.
PBAR,1,1,1.-3,1.-6,2.-6,3.-6
PBAR,2,2,2.-3,4.-6,2.-6,3.-6
CBAR,1,1,1,2,0.,1.,0.
CBAR,2,1,2,3,91
CBAR,3,2,3,4,91
CBAR,4,2,4,5,0.,1.,0.
RBE2,10,3,123456,6
CONM2,11,6,,5.,.1,0.,0.
RBE2,12,5,123456,7
CONM2,13,7,,3.
CONM2,14,4,,2.
CELAS2,15,1.+5,5,1,500
CMASS2,16,.5,500
CELAS2,17,2.+5,1,2,501
CMASS2,18,.25,501
RBAR,19,5,8,123456
CONM2,20,8,,1.,,,,,.1,,.1,,,.1
MPC,7,4,4,1.,5,4,-1.
SPC1,5,6,1,THRU,2
SPC,5,5,3,0.
"""


def matrices(whole: ist.FEModel, deck: Deck) -> tuple[sp.csr_matrix, sp.csr_matrix]:
    """K and M of a part on the dofs of the whole."""
    part = ist.FEModel.from_deck(deck)
    rows = np.empty(part.grids.n_dof, dtype=int)
    at = whole.grids.find(part.grids.id)
    assert (at >= 0).all()
    for own, theirs in zip(part.grids.dof, whole.grids.dof[at]):
        rows[own : own + 6] = theirs + np.arange(6)
    for point, dof in zip(part.grids.spoint, part.grids.spoint_dof):
        rows[dof] = whole.grids.spoint_dof[list(whole.grids.spoint).index(point)]
    S = sp.csr_matrix((np.ones(len(rows)), (rows, np.arange(len(rows)))), (whole.grids.n_dof, len(rows)))
    return S @ part.K_gg @ S.T, S @ part.M_gg @ S.T


def test_two_parts_add_up_to_the_whole():
    deck = deck_from_text(RICH)
    whole = ist.FEModel.from_deck(deck)
    left = ist.extract(deck, properties=[1], elements=[17])
    right = ist.extract(deck, properties=[2], elements=[15])
    assert left.interface == {3: 123456} == right.interface
    assert "CONM2 11 at the cut goes with this part: leave it out of the other one" in left.notes
    (K1, M1), (K2, M2) = matrices(whole, left.deck), matrices(whole, right.deck)
    once = matrices(
        whole, deck_from_text(card("GRID", 6, None, 2.0, 1.0, 0.0) + "\nCONM2,11,6,,5.,.1,0.,0.\n")
    )[1]
    assert abs(K1 + K2 - whole.K_gg).max() < 1e-12 * abs(whole.K_gg).max()
    # the mass that hangs on the shared grid goes with both: it belongs to whichever is told to leave it out
    assert abs(M1 + M2 - once - whole.M_gg).max() < 1e-12 * abs(whole.M_gg).max()


def test_what_hangs_on_a_shared_grid_is_left_out_by_name():
    deck = deck_from_text(RICH)
    whole = ist.FEModel.from_deck(deck)
    left = ist.extract(deck, properties=[1], elements=[17], without={"payload": [10, 11]})
    right = ist.extract(deck, properties=[2], elements=[15])
    M = sum(matrices(whole, part.deck)[1] for part in (left, right))
    assert abs(M - whole.M_gg).max() < 1e-12 * abs(whole.M_gg).max()
    assert left.left_out["payload"] == [10, 11]
    assert "left out, payload: elements 10 11" in left.text


def test_supports_and_equations_stay_with_the_grids_that_they_concern():
    deck = deck_from_text(RICH)
    right = ist.extract(deck, properties=[2], elements=[15]).deck
    assert [row[1] for row in right.cards("SPC").rows()] == [5]
    assert right.counts["MPC"] == 1
    assert "SPC1" not in right.counts
    left = ist.extract(deck, properties=[1]).deck
    assert sorted(one for row in left.cards("SPC1").rows() for one in row[2:]) == [1, 2]
    assert "MPC" not in left.counts


def test_an_engine_left_out_makes_its_grid_an_interface():
    part = ist.extract(deck_from_text(RICH), properties=[2], elements=[15], without={"engine": [12, 13]})
    assert part.interface == {3: 123456, 5: 123456}
    assert 7 not in part.deck.cards("GRID").integer(1)


def test_a_shared_grid_that_follows_others_is_no_interface():
    text = cylinder_deck(4.0, 1.0, 0.01, elements=(4, 8), axis=True).replace(
        "ENDDATA", "GRID,900,,2.,0.,3.\nCELAS2,9001,1.+6,13,3,900,3\nCONM2,9002,900,,7.\nENDDATA"
    )
    part = ist.extract(deck_from_text(text), properties=[1])
    assert part.dependent == (13,)
    assert 13 not in part.interface
    assert "follows other grids (RBE3" in "".join(part.notes)


def test_a_region_of_shells_adds_up_with_the_rest():
    text = cylinder_deck(6.0, 1.0, 0.01, elements=(6, 8), axis=True, frames=0.02)
    deck = deck_from_text(text.replace("BEGIN BULK", "BEGIN BULK\nPARAM,SNORM,0."))
    whole = ist.FEModel.from_deck(deck)
    low = ist.extract(deck, box=[[-1, -2, -2], [2.99, 2, 2]])
    own = set(low.deck.cards("CQUAD4").integer(1)) | set(low.deck.cards("CBAR").integer(1))
    rest = [int(i) for name in ("CQUAD4", "CBAR") for i in deck.cards(name).integer(1) if i not in own]
    high = ist.extract(deck, elements=rest)
    assert len(low.interface) == 8 == len(high.interface)
    (K1, M1), (K2, M2) = matrices(whole, low.deck), matrices(whole, high.deck)
    assert abs(K1 + K2 - whole.K_gg).max() < 1e-12 * abs(whole.K_gg).max()
    assert abs(M1 + M2 - whole.M_gg).max() < 1e-12 * abs(whole.M_gg).max()


def test_sets_of_elements(tmp_path):
    """A SET of case control and a SET1 card choose as a list of the same elements does, on the command line too."""
    text = RICH.replace("SPC = 5", "SET 8 = 3 THRU 9 EXCEPT 5,\n 15\nSET 9 = ALL\nSET 10 = 77\nSPC = 5", 1)
    deck = deck_from_text(text + "SET1,20,3,4,15\n")
    wanted = ist.extract(deck, elements=[3, 4, 15]).text
    assert ist.extract(deck, sets=[8]).text == wanted == ist.extract(deck, sets=[20]).text
    assert ist.extract(deck, sets=[8, 9]).interface == {}
    for number, says in (
        (7, "SET 7 is not in the deck .text.; known: 8, 9, 10, 20"),
        (10, "SET 10 names no element"),
    ):
        with pytest.raises(ist.InterstageError, match=says):
            ist.extract(deck, sets=[number])
    (tmp_path / "whole.bdf").write_text(text)
    asked = ["extract", str(tmp_path / "whole.bdf"), "-o", str(tmp_path / "part.bdf")]
    for option in (("--sets", "8"), ("--elements", "3-4,15")):
        done = CliRunner().invoke(app, [*asked, *option])
        assert done.exit_code == 0, done.output
        counts = ist.extract(deck, sets=[8]).deck.counts
        assert read_deck(tmp_path / "part.bdf").counts == counts
    for words, says in (
        ("4-3", "has a range that cannot be"),
        ("3-", "cannot be read"),
        ("1-9999999", "a million ids"),
    ):
        done = CliRunner().invoke(app, [*asked, "--elements", words])
        assert isinstance(done.exception, ist.InterstageError) and says in str(done.exception)


@pytest.mark.parametrize(
    ("asked", "says"),
    [
        ({"properties": [9]}, "properties names 9, which no element of the deck has"),
        ({"elements": [99]}, "elements names 99"),
        ({"box": [[9, 9, 9], [10, 10, 10]]}, "no element of the deck is chosen"),
        ({"box": [1, 2]}, "box must be two points"),
        ({"properties": [1], "without": [77]}, "without names element 77"),
        ({}, "no element of the deck is chosen"),
    ],
)
def test_what_is_not_in_the_deck_is_refused(asked, says):
    with pytest.raises(ist.InterstageError, match=says):
        ist.extract(deck_from_text(RICH), **asked)


@pytest.mark.parametrize(
    "change", [("SPC = 5", "SPC = 5\nK2GG = KX"), ("SPC1,5", "GENEL,77,,1,1,2,1\n,K,1.,0.,1.\nSPC1,5")]
)
def test_a_deck_that_cannot_be_cut_is_refused(change):
    text = RICH.replace(*change)
    if "K2GG" in text:
        text += "DMIG,KX,0,6,1,0\nDMIG,KX,1,1,,1,1,5.\n"
    with pytest.raises(ist.InterstageError, match="a part cannot be cut out of a deck with"):
        ist.extract(deck_from_text(text), properties=[1])


def joined(text: str, cut: int, angle: float = 0.0) -> ist.System:
    """Two components of a beam, cut at a grid, the outer one on a hinge there."""
    deck = deck_from_text(text)
    n = len(deck.cards("CBEAM"))
    inner = ist.extract(deck, elements=range(1, cut))
    outer = ist.extract(deck, elements=range(cut, n + 1))
    a = ist.Component.from_deck(inner.deck, n_modes=12, aset=inner.interface)
    b = ist.Component.from_deck(outer.deck, n_modes=12, aset=outer.interface)
    mb = ist.Multibody("beam")
    mb.add_body("inner", component=a, node=cut, joint=ist.Free())
    mb.add_body("outer", component=b, node=cut, parent="inner", at=cut, joint=ist.Revolute("y"))
    return mb.compile()


def test_bodies_cut_out_of_a_deck_compare_with_it():
    text = beam_deck(10.0, width=0.1, height=0.2, elements=20)
    system = joined(text, 9)
    found = ist.compare(system, deck_from_text(text), joints={"outer": 0.0}, n_modes=8)
    assert found.passed, found
    assert found.grids == 21
    assert found.error.max() < 1e-3  # 12 fixed-interface modes a side
    assert found.mac.min() > 0.9999
    assert found.mass_error < 1e-12
    assert system.joint_mode("outer") == "free"


def test_torsion_of_a_stick_is_compared_by_its_rotations():
    """No grid of a straight stick is displaced in torsion, here mode 11."""
    text = beam_deck(10.0, width=0.1, height=0.2, elements=20)
    system, whole = joined(text, 9), deck_from_text(text)
    found = ist.compare(system, whole, joints={"outer": 0.0}, n_modes=11)
    turning = ist.normal_modes(ist.FEModel.from_deck(whole), n_modes=17).shapes[:, 16].reshape(-1, 6)
    assert np.abs(turning[:, :3]).max() < 1e-9 * np.abs(turning[:, 3]).max()
    assert found.mac[10] > 0.999 and found.error[10] < 2e-3  # 12 fixed-interface modes a side
    assert found.passed, found


def test_grids_that_orient_bars_are_not_compared():
    """A grid far away, which belongs to no body, would outweigh all others in the shapes."""
    text = beam_deck(10.0, width=0.1, height=0.2, elements=10)
    far = re.sub(r"(CBEAM +\d+ +1 +\d+ +\d+ +)0\. +1\. +0\.", r"\g<1>99", text)
    far = far.replace("BEGIN BULK\n", "BEGIN BULK\nGRID,99,,5.,90.,0.,,123456\n")
    assert far.count("99") > 10
    found = ist.compare(joined(far, 5), deck_from_text(far), joints={"outer": 0.0}, n_modes=4)
    assert found.passed and found.grids == 11


def test_a_comparison_fails_where_the_vehicles_differ():
    text = beam_deck(10.0, width=0.1, height=0.2, elements=20)
    system = joined(text, 9)
    free = ist.compare(system, deck_from_text(text), n_modes=4)  # the hinge is not locked
    assert not free.passed
    assert "joints of outer are free" in free.failures[-1]
    many = ist.compare(system, deck_from_text(text), joints={"outer": 0.0}, n_modes=114)
    assert "of the deck: the system has no mode like it" in many.failures[-1] and "nan" not in repr(many)
    heavy = text.replace("ENDDATA", "CONM2,99,21,,200.\nENDDATA")
    other = ist.compare(system, deck_from_text(heavy), joints={"outer": 0.0}, n_modes=4)
    assert any("mass" in one for one in other.failures)
    assert other.error[0] > 0.01
    with pytest.raises(ist.InterstageError, match="do not lie where the deck has them"):
        ist.compare(system, deck_from_text(text), joints={"outer": 0.5})
    with pytest.raises(ist.InterstageError, match="joint of 'outer'"):
        ist.compare(system, deck_from_text(text), joints={"outer": [0.5, 1.0]})


def test_a_turned_joint_compares_with_the_deck_of_that_angle():
    text, angle = beam_deck(10.0, width=0.1, height=0.2, elements=20), 0.4
    system = joined(text, 9)
    deck = deck_from_text(text)
    bent = []
    for row in deck.cards("GRID").rows():
        grid, x = int(row[0]), float(row[2])
        over = max(x - 4.0, 0.0)
        bent.append(card("GRID", grid, None, x - over + over * np.cos(angle), 0.0, -over * np.sin(angle)))
    lines = [one for one in text.splitlines() if not one.startswith(("GRID", "*", "ENDDATA"))]
    whole = "\n".join([*lines, *bent, "ENDDATA", ""])
    found = ist.compare(system, deck_from_text(whole), joints={"outer": angle}, n_modes=6)
    assert found.passed, found
    assert found.error.max() < 1e-3


def test_the_command_writes_the_part_and_prints_its_interface(tmp_path):
    (tmp_path / "whole.bdf").write_text(RICH)
    asked = ["extract", str(tmp_path / "whole.bdf"), "-o", str(tmp_path / "part.bdf"), "--properties", "2"]
    done = CliRunner().invoke(app, [*asked, "--elements", "15", "--without", "12,13"])
    assert done.exit_code == 0, done.output
    assert "interface: 3:123456,5:123456" in done.output
    again = ist.extract(tmp_path / "whole.bdf", properties=[2], elements=[15], without=[12, 13])
    assert (tmp_path / "part.bdf").read_text() == again.text


def test_a_soft_hinge_is_no_rigid_motion():
    """A joint spring far below the highest frequency of static shapes is a mode of both, not left out as rigid."""
    text = beam_deck(10.0, width=0.1, height=0.2, elements=20)
    hinged = re.sub(r"(CBEAM +9 +1 +)9 ", r"\g<1>101 ", text)
    assert hinged != text
    more = "GRID,101,,4.,0.,0.\nRBE2,901,9,12346,101\nCELAS2,902,.3,9,5,101,5\nENDDATA"
    whole = deck_from_text(hinged.replace("ENDDATA", more))
    inner, outer = (
        ist.extract(whole, elements=range(1, 9), without=[901, 902]),
        ist.extract(whole, elements=range(9, 21), without=[901, 902]),
    )
    parts = [ist.Component.from_deck(one.deck, n_modes=12, aset=one.interface) for one in (inner, outer)]
    mb = ist.Multibody("beam")
    mb.add_body("inner", component=parts[0], node=9, joint=ist.Free())
    joint = ist.Revolute("y", stiffness=0.3)
    mb.add_body("outer", component=parts[1], node=101, parent="inner", at=9, joint=joint)
    system = mb.compile()
    found = ist.compare(system, whole, n_modes=4)
    assert found.frequencies_hz[0, 1] < 1e-5 * system.modes().frequencies_hz[-1]
    assert found.passed, found
