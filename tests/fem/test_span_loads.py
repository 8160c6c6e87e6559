"""Loads between the ends of bars (PLOAD1) against closed forms and against bars cut into pieces."""

from __future__ import annotations

import numpy as np
import pytest

from interstage import FEModel, static
from interstage.errors import InterstageError
from interstage.nastran import deck_from_text

E, I1, I2, A, L = 2e11, 2e-6, 3e-6, 1e-3, 2.0
BAR = "PBAR,1,1,1.-3,2.-6,3.-6,4.-6"
BEAM = "PBEAM,1,1,1.-3,2.-6,3.-6,0.,4.-6"
HEAD = "SOL 101\nCEND\nSPC = 1\nLOAD = 5\nBEGIN BULK\nMAT1,1,2.+11,,.3\nGRID,1\nGRID,2,,2.,0.,0.\n"


def solve(loads, name="CBAR", pins="", spc="SPC1,1,123456,1"):
    prop = BAR if name == "CBAR" else BEAM + "\n,,,,,,,,\n,0.,0." if name == "CBEAM" else ""
    text = f"{HEAD}{name},1,1,1,2,0.,1.,0.\n{pins}\n{prop}\n{spc}\n{loads}\nENDDATA\n"
    return static(FEModel.from_deck(deck_from_text(text)))


def test_cantilevers():
    """Uniform q L⁴/8EI, triangular, at a point, moments; forces at the root."""
    u = solve("PLOAD1,5,1,FY,LE,0.,100.,2.,100.")
    np.testing.assert_allclose(u[2][[1, 5]], [100 * L**4 / 8 / E / I1, 100 * L**3 / 6 / E / I1], rtol=1e-12)
    assert u.spcforces[1][1] == pytest.approx(-200.0) and u.spcforces[1][5] == pytest.approx(-200.0)
    u = solve("PLOAD1,5,1,FZE,FR,0.,0.,1.,60.")
    assert u[2][2] == pytest.approx(11 * 60 * L**4 / 120 / E / I2, rel=1e-12)
    u = solve("PLOAD1,5,1,FY,FR,.25,80.")
    a = 0.5
    np.testing.assert_allclose(u[2][1], 80 * a**2 * (3 * L - a) / 6 / E / I1, rtol=1e-12)
    u = solve("PLOAD1,5,1,MZE,LE,.5,30.")
    np.testing.assert_allclose(u[2][[1, 5]], [30 * a * (L - a / 2) / E / I1, 30 * a / E / I1], rtol=1e-12)
    u = solve("PLOAD1,5,1,FX,LE,0.,10.,2.,10.")
    assert u[2][0] == pytest.approx(10 * L**2 / 2 / E / A, rel=1e-12)


def test_held_at_both_ends():
    u = solve("PLOAD1,5,1,FY,LE,0.,-120.,2.,-120.", spc="SPC1,1,123456,1,2")
    row = u.forces["CBAR"]
    # wL²/12 at both ends, no moment is applied at the grids
    np.testing.assert_allclose(np.abs(row.column("bending_moment_a1")), 120 * L**2 / 12, rtol=1e-12)
    np.testing.assert_allclose(np.abs(row.column("bending_moment_b1")), 120 * L**2 / 12, rtol=1e-12)
    np.testing.assert_allclose(u.spcforces[1][[1, 5]], [120.0, 120 * L**2 / 12], rtol=1e-12)


def test_pins_carry_no_moment():
    """Pinned at B: the propped cantilever, reaction 3qL/8 and moment qL²/8."""
    u = solve("PLOAD1,5,1,FY,LE,0.,-120.,2.,-120.", pins=",,56", spc="SPC1,1,123456,1,2")
    np.testing.assert_allclose(u.spcforces[2][[1, 5]], [3 * 120 * L / 8, 0.0], rtol=1e-12, atol=1e-9)
    np.testing.assert_allclose(u.spcforces[1][5], 120 * L**2 / 8, rtol=1e-12)
    assert np.abs(u.forces["CBAR"].column("bending_moment_b1")).max() < 1e-9


SHEAR = {"CBAR": BAR + "\n,\n,.5,.7", "CBEAM": BEAM + "\n,,,,,,,,\n,.5,.7"}


@pytest.mark.parametrize("name", ["CBAR", "CBEAM"])
def test_a_bar_with_shear_and_offsets_is_that_bar_in_pieces(name):
    """A partial load on one skew bar moves its end as that of the bar cut where it begins and ends."""
    ends = np.array([[0.1, 0.2, 0.3], [1.7, 1.1, -0.4]])
    at = [0.0, 0.3, 0.7, 1.0]
    points = [ends[0] + s * (ends[1] - ends[0]) for s in at]
    length = np.linalg.norm(ends[1] - ends[0])
    head = (
        "SOL 101\nCEND\nSPC = 1\nLOAD = 5\nBEGIN BULK\nMAT1,1,2.+11,,.3\nSPC1,1,123456,1\n"
        + SHEAR[name]
        + "\n"
    )
    grids = "".join(f"GRID,{k + 1},,{p[0]:.15f},{p[1]:.15f},{p[2]:.15f}\n" for k, p in enumerate(points))
    whole = f"{name},1,1,1,4,.3,1.,.2\nPLOAD1,5,1,FZ,FR,.3,50.,.7,90.\nPLOAD1,5,1,MXE,FR,.3,7.\n"
    parts = "".join(f"{name},{k},1,{k},{k + 1},.3,1.,.2\n" for k in (1, 2, 3))
    parts += f"PLOAD1,5,2,FZ,LE,0.,50.,{0.4 * length:.15f},90.\nPLOAD1,5,2,MXE,FR,0.,7.\n"
    bare = grids.replace("GRID,2", "$").replace("GRID,3", "$")
    one = static(FEModel.from_deck(deck_from_text(head + bare + whole)))
    cut = static(FEModel.from_deck(deck_from_text(head + grids + parts)))
    np.testing.assert_allclose(one[4], cut[4], rtol=1e-8, atol=1e-10 * np.abs(cut[4]).max())
    ours, theirs = one.forces[name].values, cut.forces[name].values
    if name == "CBAR":
        np.testing.assert_allclose(ours[0, :2], theirs[0, :2], rtol=1e-8)


def test_projected_loads():
    """Snow on a slope: the same force as by the length of the ground under it."""
    text = HEAD.replace("GRID,2,,2.,0.,0.", "GRID,2,,2.,1.,0.") + "CBAR,1,1,1,2,0.,0.,1.\n" + BAR
    text += "\nSPC1,1,123456,1\nPLOAD1,5,1,FY,FRPR,0.,-10.,1.,-10.\n"
    u = static(FEModel.from_deck(deck_from_text(text)))
    assert u.spcforces[1][1] == pytest.approx(20.0, rel=1e-12)
    # a force at a point has no length to project
    text = text.replace("FRPR,0.,-10.,1.,-10.", "FRPR,.5,-10.")
    u = static(FEModel.from_deck(deck_from_text(text)))
    np.testing.assert_allclose(u.spcforces[1][[1, 5]], [10.0, 10.0], rtol=1e-12)
    # element axes know no projection, not even along the bar, whose own projection is a point
    along = [text.replace("FY,FRPR,.5,-10.", f"FXE,{one},0.,-10.,1.,-10.") for one in ("FR", "FRPR")]
    pulls = [static(FEModel.from_deck(deck_from_text(one))).spcforces[1] for one in along]
    np.testing.assert_allclose(pulls[1][:2], [20.0, 10.0], rtol=1e-12)
    np.testing.assert_array_equal(*pulls)


def test_combined_and_named_mistakes():
    u = solve("LOAD,5,1.,2.,6,-1.,7\nPLOAD1,6,1,FY,LE,0.,100.,2.,100.\nPLOAD1,7,1,FY,LE,2.,10.")
    np.testing.assert_allclose(u[2][1], (200 * L**4 / 8 - 10 * L**3 / 3) / E / I1, rtol=1e-12)
    words = {
        "9,FY,LE,0.,1.": "element 9, which is no CBAR, CBEAM or CBEND",
        "1,FQ,LE,0.,1.": "TYPE of this PLOAD1",
        "1,FY,XX,0.,1.": "SCALE of this PLOAD1",
        "1,FY,LE,0.,1.,3.,1.": "not on the bar",
    }
    for fields in words:
        with pytest.raises(InterstageError, match=words[fields]):
            solve(f"PLOAD1,5,{fields}")
