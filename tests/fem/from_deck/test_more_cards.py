"""CGAP, GENEL, RJOINT, BNDFIX, non-structural mass and AUTOMSET, each against the same model in other cards."""

from __future__ import annotations

import re

import numpy as np
import pytest

from interstage import FEModel, normal_modes, static
from interstage.errors import DeckError, ModelError
from interstage.nastran import deck_from_text
from refusals import refusals

GRIDS = """GRID,1
GRID,2,,1.,2.,-2.
GRID,3,,1.,2.,-2.
GRID,4,,3.,-1.,.5
GRID,5,,4.,-1.,.7
MAT1,1,7.+10,,.3,2700.
PBAR,1,1,.01,2.-5,3.-5,4.-5
"""
BARS = "CBAR,11,1,1,2,0.,1.,0.\nCBAR,12,1,3,4,0.,1.,0.\n"


def model(bulk, case="SPC=1\nMETHOD=1", sol=103):
    head = f"SOL {sol}\nCEND\n{case}\nBEGIN BULK\nEIGRL,1,,,4\nSPC1,1,123456,1\n"
    return FEModel.from_deck(deck_from_text(head + GRIDS + bulk))


def same(first, second, rtol=1e-12):
    for name in ("K_gg", "M_gg"):
        a, b = (getattr(one, name).toarray() for one in (first, second))
        np.testing.assert_allclose(a, b, rtol=rtol, atol=rtol * np.abs(b).max())


@pytest.mark.parametrize(
    ("prop", "axial", "across"),
    [
        ("PGAP,3,0.,,1.+6,,2.+5", 1e6, 2e5),  # closed
        ("PGAP,3,0.,,1.+6,,,.3", 1e6, 3e5),  # friction gives KT
        ("PGAP,3,.1,,1.+6,5.,2.+5", 5.0, 0.0),  # open
        ("PGAP,3,.1,,1.+6", 1e-8, 0.0),
    ],
)
def test_gap_is_the_springs_of_its_first_state(prop, axial, across):
    fe = model(f"CGAP,9,3,1,4,0.,1.,0.\n{prop}")
    (block,) = [one for one in fe.blocks if one.name == "CGAP"]
    x = np.array([3.0, -1.0, 0.5])
    x /= np.linalg.norm(x)
    k = axial * np.outer(x, x) + across * (np.eye(3) - np.outer(x, x))
    K = block.stiffness(slice(None))[0]
    np.testing.assert_allclose(K[:3, :3], k, rtol=1e-12, atol=1e-12 * axial)
    np.testing.assert_allclose(K[:3, 6:9], -k, rtol=1e-12, atol=1e-12 * axial)
    assert not K[3:6].any()
    state = "0 closed, 1 open" if ".1" in prop else "1 closed, 0 open"
    assert fe.notes == [f"CGAP keep their first state: {state}"]


def test_general_element_from_stiffness_and_flexibility():
    """A bar between grids 1 and 4 as GENEL: K of its end with UD at grid 1, or the flexibility of that end."""
    bar = model("CBAR,9,1,1,4,0.,1.,0.\n")
    K = bar.K_gg.toarray()
    at = [int(bar.grids.dof[bar.grids.find(4)]) + k for k in range(6)]
    K44 = K[np.ix_(at, at)]
    points = "".join(f",4,{k}" for k in range(1, 7))
    held = "".join(f",1,{k}" for k in range(1, 7))
    for word, matrix in (("K", K44), ("Z", np.linalg.inv(K44))):
        terms = [f"{matrix[j, i]:.16E}" for i in range(6) for j in range(i, 6)]
        lines = [f",{word}," + ",".join(terms[:7])] + [
            "," + ",".join(terms[k : k + 8]) for k in range(7, len(terms), 8)
        ]
        text = f"GENEL,9,{points}\n,UD,{held}\n" + "\n".join(lines) + "\n"
        found = model(text).K_gg.toarray()
        np.testing.assert_allclose(found, K, rtol=1e-8, atol=1e-9 * np.abs(K).max())
    plain = model("GENEL,9,,4,1,5,1\n,K,2.+3,-1.+3,3.+3\n").K_gg.toarray()
    five = int(bar.grids.dof[bar.grids.find(5)])
    np.testing.assert_array_equal(plain[np.ix_([at[0], five], [at[0], five])], [[2e3, -1e3], [-1e3, 3e3]])
    given = model("GENEL,9,,4,1\n,UD,,1,1\n,K,2.+3\n,S,.5\n").K_gg.toarray()
    np.testing.assert_array_equal(given[np.ix_([0, at[0]], [0, at[0]])], [[500.0, -1e3], [-1e3, 2e3]])


@refusals(
    """
    GENEL,9,,4,1|,K,1.,2. -> K of this GENEL has the wrong number of terms .*expected 1 terms
    GENEL,9,,4,1 -> neither stiffness nor flexibility
    GENEL,9,,4,1|,UD,,1,1|,K,1. -> needs six dofs UD
    GENEL,9,,4,1|,Q,1. -> unknown or repeated key word
    GENEL,9,,4|,K,1. -> pairs of a point and a component
    RJOINT,9,1,4 -> the grids of this RJOINT are not at one place
    CGAP,9,3,1,4|PGAP,3,0.,,1.+6 -> CGAP 9 has no orientation
    CGAP,9,3,2,3|PGAP,3,0.,,1.+6 -> has no CID
    """
)
def test_mistakes_are_named(text, words):
    with pytest.raises(DeckError, match=words):
        model(text)


def test_rigid_joint_is_a_rigid_element_of_two_grids():
    found = normal_modes(model(BARS + "RJOINT,9,2,3"))
    wanted = normal_modes(model(BARS + "RBE2,9,2,123456,3"))
    np.testing.assert_allclose(found.frequencies_hz, wanted.frequencies_hz, rtol=1e-12)
    hinge = normal_modes(model(BARS + "RJOINT,9,2,3,12345\nCELAS2,8,1.+3,2,6,3,6"))
    wanted = normal_modes(model(BARS + "RBE2,9,2,12345,3\nCELAS2,8,1.+3,2,6,3,6"))
    np.testing.assert_allclose(hinge.frequencies_hz, wanted.frequencies_hz, rtol=1e-12)


def test_boundary_cards_have_two_names():
    first = model("BSET,2,1 2,4,3\nCSET1,456,2,4").set_cards()
    second = model("BNDFIX,2,12,4,3\nBNDFRE1,456,2,4").set_cards()
    third = model("BNDFIX1,12,2\nBNDFIX1,3,4\nBNDFREE,2,456,4,456").set_cards()
    for other in (second, third):
        np.testing.assert_array_equal(other.b, first.b)
        np.testing.assert_array_equal(other.c, first.c)


LINES = (
    "CROD,21,2,1,2\nCBEAM,22,3,2,4,0.,1.,0.\nCBAR,23,1,4,5,0.,1.,0.\nCTRIA3,24,4,1,2,4\nCONROD,25,2,5,1,.01\n"
)
PLAIN = "PROD,2,1,.01,,,{}\nPBEAM,3,1,.01,2.-5,3.-5,0.,4.-5,{}\nPSHELL,4,1,.01,1,,1,,{}\n"


def heavy(rod=0.0, beam=0.0, shell=0.0):
    return LINES + PLAIN.format(rod, beam, shell)


@pytest.mark.parametrize(
    ("cards", "wanted"),
    [
        ("NSM,5,PROD,2,3.,\nNSM,5,PSHELL,4,.5", heavy(3.0, 0.0, 0.5)),
        ("NSM1,5,PBEAM,2.,3\nNSM1,6,PSHELL,9.,4", heavy(0.0, 2.0)),
        ("NSMADD,5,7,8\nNSM1,7,PROD,1.5,ALL\nNSM,8,ELEMENT,24,.25", heavy(1.5, 0.0, 0.25)),
        ("NSM1,5,ELEMENT,1.5,21,THRU,22", heavy(1.5, 1.5)),
        ("NSM1,5,ELEMENT,1.5,21,THRU,24,BY,3", heavy(1.5, 0.0, 1.5)),
        ("NSM1,5,PROD,1.,2\nNSM1,5,PROD,2.,2", heavy(3.0)),
    ],
)
def test_non_structural_mass_is_that_of_the_property(cards, wanted):
    same(model(heavy() + cards, "SPC=1\nMETHOD=1\nNSM=5"), model(wanted))
    same(model(heavy() + cards), model(heavy()))  # nobody selects it


def test_lumped_non_structural_mass_is_spread_over_its_elements():
    fe = model(heavy() + "NSML1,5,ELEMENT,12.,21,22", "SPC=1\nMETHOD=1\nNSM=5")
    bare = model(heavy())
    added = fe.M_gg - bare.M_gg
    assert added.diagonal()[:3].sum() + added.diagonal().reshape(-1, 6)[1:, :3].sum() == pytest.approx(36.0)
    lengths = [3.0, np.linalg.norm([2.0, -3.0, 2.5])]
    half = 12.0 / sum(lengths) * np.array(lengths) / 2.0
    np.testing.assert_allclose(added.diagonal()[[0, 6, 18]], [half[0], half.sum(), half[1]], rtol=1e-12)


def test_one_mass_is_not_spread_over_lines_and_plates():
    with pytest.raises(DeckError, match="over plates and lines"):
        model(heavy() + "NSML1,5,ELEMENT,12.,21,24", "SPC=1\nMETHOD=1\nNSM=5")


@pytest.mark.parametrize(
    ("cards", "words"),
    [
        ("NSM1,5,PSHELL,3.,99", "NSM1 in .* names no element that takes its mass"),
        ("NSMADD,5,7,8\nNSM1,7,PROD,1.5,ALL", "NSM set 8 is selected and not in the deck"),
    ],
)
def test_non_structural_mass_of_nothing_is_told_of(cards, words):
    notes = model(heavy() + cards, "SPC=1\nMETHOD=1\nNSM=5").notes
    assert any(re.match(words, note) for note in notes), notes


def test_dependent_dofs_that_conflict_are_chosen_anew():
    """Grid 2 is dependent in two elements, and grid 1, which is held, in one."""
    bulk = BARS + "RBE2,31,3,123456,2\nRBE2,32,{},123456,{}\nCBAR,13,1,5,4,0.,1.,0.\n"
    with pytest.raises(ModelError, match="is made dependent twice"):
        normal_modes(model(bulk.format(5, 2)))
    found = normal_modes(model(bulk.format(5, 2) + "PARAM,AUTOMSET,YES"))
    wanted = normal_modes(model(BARS + "RBE2,31,3,123456,2,5\nCBAR,13,1,5,4,0.,1.,0."))
    np.testing.assert_allclose(found.frequencies_hz, wanted.frequencies_hz, rtol=1e-9)
    # and the m-set of a grid that SPC holds
    held = "CBAR,12,1,3,4,0.,1.,0.\nRBE2,33,{}\n"
    found = normal_modes(model(held.format("3,123456,1") + "PARAM,AUTOMSET,YES"))
    wanted = normal_modes(model(held.format("1,123456,3")))
    np.testing.assert_allclose(found.frequencies_hz, wanted.frequencies_hz, rtol=1e-9)


def test_gap_between_held_ends_carries_its_load():
    fe = model(
        "CGAP,9,3,1,4,0.,1.,0.\nPGAP,3,0.,,1.+6,,1.+5\nFORCE,2,4,,10.,3.,-1.,.5\nSPC1,1,456,4\nSPC1,1,123456,2,3,5",
        case="SPC=1\nLOAD=2",
        sol=101,
    )
    u = static(fe)
    length = np.linalg.norm([3.0, -1.0, 0.5])
    np.testing.assert_allclose(u[4][:3], 10.0 * np.array([3.0, -1.0, 0.5]) / 1e6, rtol=1e-9)
    assert u.forces["CGAP"].column("fx")[0] == pytest.approx(10.0 * length)
