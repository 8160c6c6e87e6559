"""Parts that are mirror images (SEBULK MIRROR, SEMPLN) against the same structure written out."""

from __future__ import annotations

import numpy as np
import pytest

from interstage import FEModel, buckling, normal_modes, static
from interstage.component.from_nastran.deck_common import bare_model
from interstage.component.from_nastran.lumped import child_bodies
from interstage.errors import InputError, InterstageError
from interstage.fem.from_deck.parts import read_parts
from interstage.fem.solutions import subcase_constraints
from interstage.nastran import deck_from_text

NORMAL = np.array([0.6, 0.64, 0.48])
Q = np.eye(3) - 2.0 * np.outer(NORMAL, NORMAL)
SAME = np.eye(3)
HEAD = "SOL {sol}\nCEND\nSPC = 1\nMETHOD = 1\nMPC = 5\n{case}\nBEGIN BULK\nEIGRL,1,,,14\n"
HOT = "LOAD = 3\nTEMPERATURE(LOAD) = 9"
GRIDS = {
    1: (1, 0, 0),
    2: (1.5, 0, 0.1),
    3: (1.5, 0.5, 0.3),
    4: (1, 0.5, 0),
    5: (2, 0.2, 0.4),
    6: (2.5, 0.2, 0.5),
}
GRIDS |= {7: (2.5, 0.4, 0.5)}
# plane through the origin: two vectors across the normal
ACROSS = np.linalg.svd(NORMAL[None])[2][1:]


def v(x, turn=SAME):
    return ",".join(f"{float(c):.12f}" for c in turn @ np.asarray(x, dtype=float))


def arm(turn, first=0, signs=(1.0,) * 6):
    """Cards of the arm, or of its image: plates, bars with offsets, a lump, an equation, a spring, loads."""
    system = turn @ np.array([[0.8, -0.6, 0.0], [0.6, 0.8, 0.0], [0.0, 0.0, 1.0]])
    system = system if turn is SAME else system @ np.diag([1.0, 1.0, -1.0])
    g, one, two = {k: first + k for k in GRIDS}, first + 1, first + 2
    twist = 2.0e-6 if turn is SAME else -2.0e-6  # I12 of the image is the other way round
    spin = turn @ np.array([[0.4, 0.1, 0.0], [0.1, 0.6, 0.05], [0.0, 0.05, 0.5]]) @ turn.T
    inertia = (spin[0, 0], -spin[0, 1], spin[1, 1], -spin[0, 2], -spin[1, 2], spin[2, 2])
    lines = [f"CORD2R,{first + 8},,0.,0.,0.,{v(system[:, 2])}", f",{v(system[:, 0])}"]
    lines += [f"GRID,{g[k]},,{v(x, turn)},{first + 8 if k == 5 else 0}" for k, x in GRIDS.items()]
    lines += [f"MAT1,{one},7.+10,,.3,2700.,2.-5,20.", f"PSHELL,{one},{one},.02,{one},,{one}"]
    lines += [f"PBAR,{two},{one},.002,4.-6,9.-6,6.-6", ",", f",,,{twist}"]
    lines += [f"CQUAD4,{one},{one},{g[1]},{g[2]},{g[3]},{g[4]}"]
    lines += [f"CBAR,{two},{two},{g[3]},{g[5]},{v((0.1, 0.2, 1), turn)}", f",,,{v((0, 0.1, 0), turn)}"]
    lines += [f"CBAR,{first + 3},{two},{g[5]},{g[6]},{v((0, 1, 0.1), turn)},BGG"]
    lines += [f"CONM2,{first + 4},{g[6]},,3.,{v((0.05, 0.1, 0), turn)}", "," + ",".join(map(str, inertia))]
    lines += [f"RBE2,{first + 5},{g[6]},123456,{g[7]}", f"CELAS2,{first + 6},2.+5,{g[5]},3"]
    lines += [f"MPC,5,{g[5]},4,{signs[3]},{g[5]},2,{-0.3 * signs[1]}", f"SPC1,1,1,{g[5]}"]
    lines += [f"FORCE,{sid},{g[7]},,100.,{v((1, 2, 3), turn)}" for sid in (3, 4)]
    lines += [
        f"GRAV,3,,9.81,{v((0.3, 0, -1), turn)}",
        "TEMPD,9,20.",
        f"TEMP,9,{g[1]},90.",
        f"TEMP,9,{g[3]},60.",
    ]
    return "\n".join(lines) + "\n"


def base():
    """Bars from a point that is held to the roots of both arms, alike in the plane."""
    lines = [
        "MAT1,1,7.+10,,.3,2700.",
        "PBAR,2,1,.002,4.-6,9.-6,6.-6",
        "GRID,150,,0.,0.,0.",
        "SPC1,1,123456,150",
    ]
    for first, turn in ((101, SAME), (201, Q)):
        for at, x in ((0, GRIDS[1]), (3, GRIDS[4])):
            lines.append(f"GRID,{first + at},,{v(x, turn)}")
            lines.append(f"CBAR,{first + at + 500},2,150,{first + at},{v((0.1, 0.2, 1), turn)},BGG")
    for k, x in ((161, np.zeros(3)), (162, ACROSS[0]), (163, ACROSS[1])):
        lines.append(f"GRID,{k},,{v(x)},,123456")
    return "\n".join([*lines, "TEMPD,9,20.", ""])


JOINS = "SEBULK,7,MIRROR,3\nSEMPLN,7,PLANE,161,162,163\n"


def mirrored(sol=103, joins=JOINS, case=""):
    text = HEAD.format(sol=sol, case=case) + base() + joins + "BEGIN SUPER=3\n" + arm(SAME)
    return deck_from_text(text + "ENDDATA\n")


def written(sol=103, case=""):
    image = arm(Q, 2000, (1.0, 1.0, -1.0, -1.0, -1.0, 1.0))
    lines = [line for line in (arm(SAME, 1000) + image).splitlines() if not line.startswith(("GRAV", "TEMP"))]
    pairs = ((101, 1001), (104, 1004), (201, 2001), (204, 2004))
    lines += [f"RBE2,{9000 + a},{a},123456,{b}" for a, b in pairs]
    return deck_from_text(HEAD.format(sol=sol, case=case) + base() + "\n".join(lines) + "\nENDDATA\n")


def test_modes_of_a_structure_and_its_image():
    found = normal_modes(FEModel.from_deck(mirrored())).frequencies_hz
    np.testing.assert_allclose(found, normal_modes(FEModel.from_deck(written())).frequencies_hz, rtol=1e-8)


def test_statics_and_forces_of_the_image():
    """Mirrored forces, gravity and heat: the image moves as the mirror image does, and carries the same forces."""
    fe = FEModel.from_deck(mirrored(101, case=HOT))
    u = static(fe, 1)
    image = {k: next(int(i) for i in fe.grids.id if i > 1000 and i % 1000 == k) for k in GRIDS}
    for k in GRIDS:
        rows = fe.grids.find([k, image[k]])
        own, other = ((R @ u[g][:3], R @ u[g][3:]) for R, g in zip(fe.grids.R_basic_cd[rows], (k, image[k])))
        np.testing.assert_allclose(other[0], Q @ own[0], rtol=1e-7, atol=1e-11)
        np.testing.assert_allclose(other[1], -Q @ own[1], rtol=1e-7, atol=1e-11)
        np.testing.assert_allclose(fe.grids.xyz[rows[1]], Q @ fe.grids.xyz[rows[0]], atol=1e-11)
    for table in (u.stresses["CQUAD4"], u.forces["CBAR"], u.forces["CELAS2"]):
        own = table.values[table.element_ids < 10]
        other = table.values[table.element_ids > 1000]
        np.testing.assert_allclose(other, own, rtol=1e-6, atol=1e-6 * np.nanmax(np.abs(own)))


def test_the_whole_under_forces_on_both_arms():
    """Mass, statics and buckling as of the deck that is written out."""
    fe, whole = (FEModel.from_deck(deck(105, case="LOAD = 4")) for deck in (mirrored, written))
    assert fe.mass_properties().mass == pytest.approx(whole.mass_properties().mass, rel=1e-10)
    np.testing.assert_allclose(fe.mass_properties().cg, whole.mass_properties().cg, atol=1e-10)
    found, wanted = (static(one, 1) for one in (fe, whole))
    for root in (101, 104, 201, 204):
        np.testing.assert_allclose(found[root], wanted[root], rtol=1e-7, atol=1e-12)
    factors = [buckling(one, subcase=1, preload=1, n_modes=2).load_factors for one in (fe, whole)]
    np.testing.assert_allclose(*factors, rtol=1e-6)


MISTAKES = {
    "SEBULK,7,MIRROR,3\n": "part 7 has no plane in which it is an image",
    "SEBULK,7,MIRROR,4\nSEMPLN,7,PLANE,161,162,163\n": "SEBULK 7 repeats part 4",
    "SEBULK,7,MIRROR,3\nSEMPLN,7,PLANE,161,162\n": "a grid of this SEMPLN is missing",
    "SEBULK,7,MIRROR,3\nSEMPLN,7,PLANE,161,162,999\n": "SEMPLN refers to grid 999",
    "SEBULK,7,MIRROR,3\nSEMPLN,7,PLANE,161,162,162\n": "three points of this SEMPLN lie on a line",
    "SEBULK,7,MIRROR,3\nSEMPLN,7,AXIS,161,162,163\n": "this SEMPLN is not one of a plane",
    JOINS + "SELOC,7,1,2,3,161,162,163\n": "is an image and has a SELOC",
}


@pytest.mark.parametrize("joins", MISTAKES)
def test_mistakes_are_named(joins):
    with pytest.raises(InterstageError, match=MISTAKES[joins]):
        FEModel.from_deck(mirrored(joins=joins))


def test_lumped_bodies_of_the_image_can_be_taken_out():
    fe = FEModel.from_deck(mirrored())
    found = child_bodies(fe, bare_model(fe), subcase_constraints(fe, None))
    own, image = sorted(found, key=lambda body: body.grid)
    assert (own.mass, own.grid) == (image.mass, image.grid % 1000)
    np.testing.assert_allclose(image.position + image.com, Q @ (own.position + own.com), atol=1e-11)
    np.testing.assert_allclose(image.inertia, Q @ own.inertia @ Q, atol=1e-11)


def test_an_image_is_no_component():
    with pytest.raises(InputError, match="part 7 is the image of another one"):
        read_parts(mirrored()).deck(7)
