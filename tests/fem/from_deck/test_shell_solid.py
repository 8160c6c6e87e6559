"""RSSCON: a cantilever of solids that goes on as a shell, against beam theory; rigid motion; turned axes; mistakes."""

from __future__ import annotations

import numpy as np
import pytest

from interstage import FEModel, normal_modes, static
from interstage.errors import DeckError
from interstage.nastran import deck_from_text

E, H, WIDTH = 7e10, 0.1, 0.2
CARDS = "MAT1,1,7.+10,,0.,2700.\nPSOLID,1,1\nPSHELL,2,1,.1,1,,1\nEIGRL,1,,,8\n"
ELEM = "RSSCON,900,ELEM,201,10\n"


def strip(joint=ELEM, cd="", held=""):
    """Ten bricks from x = 0 to 1 with grids 101 + 2 i and 131 + 2 i, ten plates to 2 with 501 + 2 i."""
    out = CARDS
    for i in range(11):
        for j in range(2):
            below, above, middle = (base + 2 * i + j for base in (101, 131, 501))
            y = j * WIDTH
            out += f"GRID,{below},,{i * 0.1:.1f},{y},0.,{cd}\nGRID,{above},,{i * 0.1:.1f},{y},{H},{cd}\n"
            out += f"GRID,{middle},,{1 + i * 0.1:.1f},{y},{H / 2},{cd}\n"
    for i in range(10):
        a, b = 101 + 2 * i, 131 + 2 * i
        out += f"CHEXA,{i + 1},1,{a},{a + 2},{a + 3},{a + 1},{b},{b + 2}\n,{b + 3},{b + 1}\n"
        c = 501 + 2 * i
        out += f"CQUAD4,{201 + i},2,{c},{c + 2},{c + 3},{c + 1}\n"
    return out + joint + held


HELD = "SPC1,1,123,101,102,131,132\n"
PUSH = "FORCE,3,521,,500.,0.,0.,1.\nFORCE,3,522,,500.,0.,0.,1.\n"
GRIDS = "RSSCON,900,GRID,501,151,121\nRSSCON,901,GRID,502,152,122\n"


def solve(sol, bulk):
    head = f"SOL {sol}\nCEND\nSPC = 1\nLOAD = 3\nMETHOD = 1\nBEGIN BULK\n"
    return FEModel.from_deck(deck_from_text(head + bulk))


@pytest.mark.parametrize("joint", [ELEM, GRIDS])
def test_cantilever_of_solids_and_shells(joint):
    """Tip of a cantilever, P L³/3EI + P L/(5/6 G A); 2e-3: the shear of bricks has no parabola across them."""
    u = static(solve(101, strip(joint, held=HELD) + PUSH))
    bending = 1000.0 * 2.0**3 / 3.0 / (E * WIDTH * H**3 / 12.0)
    shear = 1000.0 * 2.0 / (5.0 / 6.0 * E / 2.0 * WIDTH * H)
    assert 0.5 * (u[521][2] + u[522][2]) == pytest.approx(bending + shear, rel=2e-3)
    slope = u[501][4]
    across = (u[151][0] - u[121][0]) / H
    assert slope == pytest.approx(across, rel=1e-9)


def test_neighbours_join_the_grids_that_they_share_once():
    """A second brick and plate beside the others: one card for each pair, either way round, or one for each grid."""
    more = "".join(
        f"GRID,{g},,{x},{2 * WIDTH},{z}\n"
        for g, x, z in ((701, "0.9", "0."), (702, "1.", "0."), (703, "0.9", H), (704, "1.", H))
    )
    more += (
        f"GRID,705,,1.,{2 * WIDTH},{H / 2}\nGRID,706,,1.1,{2 * WIDTH},{H / 2}\nCQUAD4,250,2,502,504,706,705\n"
    )
    pushed = HELD + PUSH + "FORCE,3,706,,300.,0.,0.,1.\n"
    upright = "CHEXA,50,1,120,122,702,701,150,152\n,704,703\n"
    overturned = "CHEXA,50,1,150,703,704,152,120,701\n,702,122\n"
    grids = GRIDS + "RSSCON,902,GRID,705,704,702\n"
    wanted = static(solve(101, strip(grids) + more + upright + pushed))
    for brick in (upright, overturned):
        for cards in (ELEM + "RSSCON,901,ELEM,250,50\n", "RSSCON,901,ELEM,250,50,201,10\n"):
            found = static(solve(101, strip(cards) + more + brick + pushed))
            for grid in (521, 706, 704):
                np.testing.assert_allclose(found[grid], wanted[grid], rtol=1e-9, atol=1e-15)


def test_free_structure_has_six_rigid_modes():
    modes = normal_modes(solve(103, strip(held="SPC1,1,6,999\nGRID,999\n")), n_modes=8)
    assert np.abs(modes.frequencies_hz[:6]).max() < 1e-3 < modes.frequencies_hz[6]


def test_axes_of_the_grids_do_not_matter():
    turned = "CORD2R,7,,0.,0.,0.,1.,2.,3.\n,3.,-1.,.5\n"
    plain = static(solve(101, strip(held=HELD) + PUSH))
    other = static(solve(101, turned + strip(cd="7", held=HELD) + PUSH))
    fe = other.recovery.fe
    R = fe.grids.R_basic_cd[fe.grids.find(521)]
    np.testing.assert_allclose(R @ other[521][:3], plain[521][:3], rtol=1e-7, atol=1e-12)


def refused(fields, words):
    with pytest.raises(DeckError, match=words):
        solve(101, strip(f"RSSCON,900,{fields}\n", held=HELD))


def test_elements_that_do_not_meet_are_named():
    refused("ELEM,205,10", "fewer than two grids of shell 205 lie on edges of solid 10")
    refused("ELEM,999,10", "RSSCON refers to element 999, which is not in the deck")


def test_mistakes_are_named():
    refused("GRID,501,777,121", "RSSCON refers to grid 777")
    refused("FACE,501,151,121", "TYPE of this RSSCON is not known")
    refused("GRID,501,151,151", "at one place")
