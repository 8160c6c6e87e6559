"""RSSCON: a cantilever of solids that goes on as a shell, against beam theory; rigid motion; turned axes; mistakes."""

from __future__ import annotations

import numpy as np
import pytest

from conftest import reference_dir
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


def test_a_run_of_nastran_with_mid_edge_grids():
    """Every equation is satisfied by the displacements that MSC Nastran stored: corners and mid-edge grids.

    Then CHEXA and CQUAD8 are those of that run: displacements hold to 32 bits.
    """
    folder = reference_dir("nastran", "rsscon_elem")
    fe = FEModel.from_deck(folder / "deck.bdf")
    stored = np.load(folder / "displacement.npz")
    u = np.zeros(fe.grids.n_dof)
    for grid, values in zip(stored["grid_id"], stored["values"][0]):
        u[fe.grids.dof[fe.grids.find(grid)] + np.arange(6)] = values
    found = fe.rigid
    assert len(found.dependent) == 39
    for k in range(len(found.dependent)):
        terms = found.row == k
        parts = found.value[terms] * u[found.dof[terms]]
        assert abs(parts.sum()) <= 2e-6 * max(np.abs(parts).max(), 1e-4)
    ours = static(fe)
    away = np.array([ours[int(g)] for g in stored["grid_id"]]) - stored["values"][0]
    assert np.abs(away).max() < 1e-7 * np.abs(stored["values"][0]).max()


def test_mid_edge_grids_turn_with_the_face_of_the_solid():
    """A 20-node brick and an 8-node plate at its lower edge: a quadratic field gives the turns of the face exactly."""
    corners = [(x, y, z) for z in (0.0, 1.0) for x, y in ((0.0, 0.0), (2.0, 0.0), (2.0, 0.4), (0.0, 0.4))]
    order = [(0, 1), (1, 2), (2, 3), (3, 0), (0, 4), (1, 5), (2, 6), (3, 7), (4, 5), (5, 6), (6, 7), (7, 4)]
    points = corners + [tuple(0.5 * (np.array(corners[a]) + corners[b])) for a, b in order]
    text = "".join(f"GRID,{k + 1},,{x},{y},{z}\n" for k, (x, y, z) in enumerate(points))
    ids = list(range(1, 21))
    lines = [ids[6:14], ids[14:20]]
    text += (
        "CHEXA,1,1,"
        + ",".join(map(str, ids[:6]))
        + "\n"
        + "".join("," + ",".join(map(str, s)) + "\n" for s in lines)
    )
    # the plate goes on along z from edge 5-6 (y = 0, z = 1) of the brick
    plate = [(0.0, 0.0, 1.0), (2.0, 0.0, 1.0), (2.0, 0.0, 3.0), (0.0, 0.0, 3.0)]
    plate += [tuple(0.5 * (np.array(plate[k]) + plate[(k + 1) % 4])) for k in range(4)]
    text += "".join(f"GRID,{k + 101},,{x},{y},{z}\n" for k, (x, y, z) in enumerate(plate))
    text += "CQUAD8,2,2,101,102,103,104,105,106\n,107,108\nMAT1,1,7.+10,,.3\nPSOLID,1,1\nPSHELL,2,1,.4,1,,1\n"
    fe = FEModel.from_deck(deck_from_text(text + "RSSCON,9,ELEM,2,1\n"))
    x, y = fe.grids.xyz[:, 0], fe.grids.xyz[:, 1]
    u = np.zeros(fe.grids.n_dof)
    u[fe.grids.dof], u[fe.grids.dof + 1] = 0.3 * y - 0.2 * x * y, 0.1 * x**2
    u[fe.grids.dof + 2] = 0.5 * y + 0.7 * x * y + 0.4 * y**2 - 0.6 * x**2
    at = fe.grids.dof[fe.grids.find(105)]  # x = 1, y = 0
    u[at + 3 : at + 6] = [0.5 + 0.7, 1.2, 0.5 * (0.2 - (0.3 - 0.2))]  # w,y; -w,x; ½ (v,x - u,y)
    mine = [k for k, dof in enumerate(fe.rigid.dependent) if at <= dof < at + 6]
    assert len(mine) == 6
    for k in mine:
        terms = fe.rigid.row == k
        assert abs((fe.rigid.value[terms] * u[fe.rigid.dof[terms]]).sum()) < 1e-12
