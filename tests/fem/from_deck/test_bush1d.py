"""CBUSH1D and PBUSH1D cards: springs and dampers along a line, against closed forms and other elements."""

import numpy as np
import pytest
from dense import build

import interstage as ist
from interstage.errors import DeckError
from interstage.nastran import deck_from_text
from refusals import refusals

GRIDS = """
GRID,1,,0.,0.,0.
GRID,2,,1.,2.,-2.
GRID,3,,0.,0.,0.
GRID,4,,3.,-1.,.5
GRID,5,,-2.,1.,4.
CORD2R,7,,0.,0.,0.,1.,0.,0.
,0.,1.,0.
"""
ALL = slice(0, None)


def model(bulk, case="SPC=1\nLOAD=1\nMETHOD=1", sol=101):
    return ist.FEModel.from_deck(
        deck_from_text(f"SOL {sol}\nCEND\n{case}\nBEGIN BULK\n{GRIDS}{bulk}\nENDDATA\n")
    )


def block(text):
    return build(deck_from_text(GRIDS + text)).blocks[0]


def unit(a, b):
    d = np.subtract(b, a)
    return d / np.linalg.norm(d)


def test_three_springs_hold_a_point():
    """Forces follow from the 3x3 matrix Σ k t tᵀ of springs that meet at grid 1, stresses from SA, strains from SE."""
    springs = "CBUSH1D,1,1,1,2\nCBUSH1D,2,2,4,1\nCBUSH1D,3,2,1,5\nPBUSH1D,1,300.,,,,.5,.25\nPBUSH1D,2,700."
    u = ist.static(model(springs + "\nSPC1,1,123456,2,4,5\nSPC1,1,456,1\nFORCE,1,1,,1.,4.,-5.,6."), subcase=1)
    k = np.array([300.0, 700.0, 700.0])
    t = np.array([unit((0, 0, 0), p) for p in ((1, 2, -2), (3, -1, 0.5), (-2, 1, 4))])
    moved = np.linalg.solve(np.einsum("n,ni,nj->ij", k, t, t), [4.0, -5.0, 6.0])
    stretch = -t @ moved  # grid 1 moves, the other ends are held
    np.testing.assert_allclose(u.forces["CBUSH1D"].column("axial"), k * stretch, rtol=1e-10)
    stresses = u.stresses["CBUSH1D"]
    np.testing.assert_allclose(stresses.column("axial_displacement"), stretch, rtol=1e-10)
    np.testing.assert_allclose(stresses.column("axial_stress"), [0.5 * k[0] * stretch[0], 0, 0], rtol=1e-10)
    np.testing.assert_allclose(stresses.column("axial_strain"), [0.25 * stretch[0], 0, 0], rtol=1e-10)
    energy = u.strain_energy["CBUSH1D"].column("strain_energy")
    np.testing.assert_allclose(energy, 0.5 * k * stretch**2, rtol=1e-10)


def test_mass_on_a_spring():
    """f = sqrt(k/m)/2π along the line, with half the mass of the element on the moving end."""
    cards = (
        "CBUSH1D,1,1,3,1,7\nPBUSH1D,1,9000.,,.8\nCONM2,2,1,,2.1\nSPC1,1,123456,3\nSPC1,1,13456,1\nEIGRL,1,,,1"
    )
    modes = ist.normal_modes(model(cards, sol=103), n_modes=1)
    # x of system 7 is basic y
    assert modes.frequencies_hz[0] == pytest.approx(np.sqrt(9000.0 / 2.5) / (2.0 * np.pi), rel=1e-10)


def test_like_an_axial_bush_and_like_a_rod():
    """K, B and M of a CBUSH with K1, B1 and M; K of a rod of the same EA/L, also the geometric one."""
    one = block("CBUSH1D,1,1,1,2\nPBUSH1D,1,30.,4.,6.")
    bush = block("CBUSH,1,1,1,2,0.,0.,1.\nPBUSH,1,K,30.\n,,B,4.\n,,M,6.")
    np.testing.assert_allclose(one.stiffness(ALL), bush.stiffness(ALL), atol=1e-13)
    np.testing.assert_allclose(one.damping(ALL), bush.damping(ALL), atol=1e-14)
    for coupled in (False, True):
        np.testing.assert_array_equal(one.mass(ALL, coupled), bush.mass(ALL, coupled))
    rod = block("CROD,1,1,1,2\nPROD,1,1,1.\nMAT1,1,90.,,.3")  # length 3
    np.testing.assert_allclose(one.stiffness(ALL), rod.stiffness(ALL), atol=1e-13)
    load = np.array([[12.0, 0.0]])
    for full in (False, True):
        np.testing.assert_allclose(
            one.geometric_stiffness(ALL, load, full), rod.geometric_stiffness(ALL, load, full), atol=1e-14
        )


def test_rigid_motion_is_free_of_force():
    k = block("CBUSH1D,1,1,1,2\nPBUSH1D,1,30.").stiffness(ALL)[0]
    arm = np.array([1.0, 2.0, -2.0])
    turned = [np.concatenate([np.zeros(3), w, np.cross(w, arm), w]) for w in np.eye(3)]
    moved = [np.concatenate([d, np.zeros(3), d, np.zeros(3)]) for d in np.eye(3)]
    assert np.abs(k @ np.array(turned + moved).T).max() < 1e-13
    assert np.linalg.matrix_rank(k) == 1


def test_ground_and_grids_at_one_place():
    """Along x of CID, here basic y; grids without a distance have no geometric stiffness."""
    grounded = build(deck_from_text(GRIDS + "CBUSH1D,1,1,1,,7\nPBUSH1D,1,30.,4."))
    np.testing.assert_allclose(np.diag(grounded.K)[:6], [0, 30, 0, 0, 0, 0], atol=1e-14)
    np.testing.assert_allclose(np.diag(grounded.B)[:6], [0, 4, 0, 0, 0, 0], atol=1e-14)
    joined = block("CBUSH1D,1,1,1,3,7\nPBUSH1D,1,,4.")
    np.testing.assert_allclose(np.diag(joined.damping(ALL)[0]), [0, 4, 0, 0, 0, 0] * 2, atol=1e-14)
    assert not joined.geometric_stiffness(ALL, np.array([[5.0, 0.0]]), True).any()


def test_a_strut_falls_over():
    """A strut of length L with a spring k across its top: P = k L; the load factor of a unit load."""
    cards = """
GRID,11,,0.,0.,0.
GRID,12,,0.,0.,3.
CBUSH1D,1,1,11,12
PBUSH1D,1,1.+7
CELAS2,2,40.,12,1
SPC1,1,123456,11
SPC1,1,2456,12
FORCE,1,12,,1.,0.,0.,-1.
EIGRL,1,0.,,1
"""
    found = ist.buckling(model(cards, "SPC=1\nSUBCASE 1\nLOAD=1\nSUBCASE 2\nMETHOD=1", 105))
    assert found.load_factors == pytest.approx([120.0], rel=1e-9)


@refusals(
    """
    CBUSH1D,1,1,1,3|PBUSH1D,1,1. -> CBUSH1D 1 joins grids at one place
    CBUSH1D,1,1,1|PBUSH1D,1,1. -> has no CID
    CBUSH1D,1,1,1,2,7|PBUSH1D,1,1. -> not along the line of its grids
    CBUSH1D,1,1,1,2,55|PBUSH1D,1,1. -> coordinate system 55
    CBUSH1D,1,8,1,2|PBUSH1D,1,1. -> property 8
    CBUSH1D,1,1,1,99|PBUSH1D,1,1. -> grid 99
    CBUSH1D,1,1,1,2|PBUSH1D,1,,,2. -> neither stiffness nor damping
    CBUSH1D,1,1,1,2|PBUSH1D,1,1.|,SPRING,TABLE,4 -> nonlinear spring or damper
    CBUSH1D,1,1,1,2|PBUSH1D,1,1.|,SHOCKA,TABLE,1. -> SHOCKA
    CBUSH1D,1,1,1,2|PBUSH1D,1,1 -> PBUSH1D 1: field 3 is an integer
    """
)
def test_bad_cards_say_what_is_wrong(text, words):
    with pytest.raises(DeckError, match=words):
        block(text)
