"""PCOMPS: bricks of plies against PSOLID, against themselves numbered otherwise, and against composite beams."""

from __future__ import annotations

import numpy as np
import pytest

from interstage import FEModel, static
from interstage.errors import InterstageError
from interstage.nastran import deck_from_text

BRICK = np.array(
    [[0, 0, 0], [1.0, 0, 0], [1.1, 1, 0], [0, 1, 0], [0, 0, 0.51], [1, 0.1, 0.51], [1, 1, 0.6], [0, 1, 0.51]]
)
ORTHO = "MAT9,2,1.4+11,4.+9,4.+9,,,,1.1+10\n,5.+9,,,,1.1+10,,,\n,5.+9,,,3.5+9,,5.+9,1600.\nMAT1,1,7.+10,,.3,2700.\n"
SYSTEM = "CORD2R,5,,0.,0.,0.,0.,0.,1.\n,1.,{},0.\n"


SKEW = BRICK.round() * [1.0, 1.0, 0.5] @ [[1.0, 0.1, 0.0], [0.2, 0.8, 0.1], [0.1, 0.0, 1.0]]


def brick(prop, order=range(8), more="", corners=BRICK):
    grids = "".join(f"GRID,{k + 1},,{x},{y},{z}\n" for k, (x, y, z) in enumerate(corners))
    n = [str(k + 1) for k in order]
    text = ORTHO + grids + f"CHEXA,1,1,{','.join(n[:6])}\n,{n[6]},{n[7]}\n" + prop + more
    return FEModel.from_deck(deck_from_text("SOL 103\nCEND\nBEGIN BULK\n" + text))


def same(a, b, rtol=1e-9):
    assert abs(a - b).max() < rtol * abs(b).max()


def test_plies_of_one_kind_are_a_solid():
    """Plies of one material at 30 degrees equal a PSOLID in axes turned by 30 degrees."""
    turned = SYSTEM.format(f"{np.tan(np.pi / 6):.12f}")
    for plies, corners in (
        ("9,2,.3,30.", BRICK),
        # points of thinner plies integrate what is not a polynomial otherwise, unless the brick is straight
        ("9,2,.1,30.\n,10,2,.2,30.\n,11,2,.05,30.", SKEW),
    ):
        solid = brick("PSOLID,1,2,5\n", more=turned, corners=corners)
        found = brick(f"PCOMPS,1,0\n,{plies}\n", corners=corners)
        same(found.K_gg, solid.K_gg)
        same(found.M_gg, solid.M_gg)
        same(brick("PCOMPS,1,5,13\n,9,2,.3\n", more=turned, corners=corners).K_gg, solid.K_gg)


# the same brick, its first face another one: stacked along each natural coordinate, with it and against it
ORDERS = [
    range(8),
    (4, 7, 6, 5, 0, 3, 2, 1),
    (0, 4, 5, 1, 3, 7, 6, 2),
    (3, 2, 6, 7, 0, 1, 5, 4),
    (0, 3, 7, 4, 1, 2, 6, 5),
]


@pytest.mark.parametrize("order", ORDERS)
def test_numbering_of_the_brick_does_not_matter(order):
    plies = "PCOMPS,1,0\n,9,1,.1\n,10,2,.2,45.\n,11,2,.1,-20.\n"
    same(brick(plies, order).K_gg, brick(plies).K_gg)
    below = "PCOMPS,1,0\n,11,2,.1,-20.\n,10,2,.2,45.\n,9,1,.1\n"
    assert abs(brick(below, order).K_gg - brick(plies).K_gg).max() > 1e-3 * abs(brick(plies).K_gg).max()


def test_composite_beam_one_brick_deep():
    """A moment at the end of ten bricks of three plies: tip M L²/2 ΣE I, exact for ν = 0."""
    h, width, t = 0.1, 0.2, np.array([0.02, 0.06, 0.02])
    E = np.array([2e11, 1e9, 2e11])
    top = np.cumsum(t) - h / 2
    EI = np.sum(E * width * (top**3 - (top - t) ** 3) / 3.0)
    grids = "".join(
        f"GRID,{10 * i + 2 * j + k + 1},,{0.1 * i:.1f},{width * j},{h * k}\n"
        for i in range(11)
        for j in (0, 1)
        for k in (0, 1)
    )
    bricks = ""
    for i in range(10):
        a, b = 10 * i, 10 * i + 10
        bricks += f"CHEXA,{i + 1},1,{a + 1},{b + 1},{b + 3},{a + 3},{a + 2},{b + 2}\n,{b + 4},{a + 4}\n"
    cards = "MAT1,1,2.+11,,0.,7800.\nMAT1,2,1.+9,,0.,100.\nPCOMPS,1,0\n,1,1,.02\n,2,2,.06\n,3,1,.02\n"
    cards += "SPC1,1,1,1,2,3,4\nSPC1,1,23,1\nSPC1,1,3,3\n"
    pull = "".join(f"FORCE,3,{g},,500.,{s}.,0.,0.\n" for g, s in ((101, 1), (103, 1), (102, -1), (104, -1)))
    text = "SOL 101\nCEND\nSPC = 1\nLOAD = 3\nBEGIN BULK\n" + grids + bricks + cards + pull
    fe = FEModel.from_deck(deck_from_text(text))
    u = static(fe)
    assert u[101][2] == pytest.approx(1000.0 * h * 1.0 / 2.0 / EI, rel=1e-8)
    assert fe.mass_properties().mass == pytest.approx(width * (0.04 * 7800.0 + 0.06 * 100.0), rel=1e-9)


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("coupled", [-1, 1])
def test_every_ply_has_its_mass_where_it_is(order, coupled):
    """A heavy ply below a light one: mass and centre of the two slabs."""
    more = f"MAT1,3,7.+10,,.3,8000.\nMAT1,4,7.+10,,.3,1000.\nPARAM,COUPMASS,{coupled}\n"
    fe = brick("PCOMPS,1,0\n,1,3,.1\n,2,4,.3\n", order, more, BRICK.round() * [1.0, 1.0, 0.5])
    x = np.array([fe.grids.xyz.min(axis=0), fe.grids.xyz.max(axis=0)])
    area, height = np.prod(np.diff(x, axis=0)[0, :2]), x[1, 2] - x[0, 2]
    mass = area * height * np.array([0.25 * 8000.0, 0.75 * 1000.0])
    weight = fe.mass_properties()
    assert weight.mass == pytest.approx(mass.sum(), rel=1e-9)
    middle = x[0, 2] + height * np.array([0.125, 0.625])
    assert weight.cg[2] == pytest.approx(mass @ middle / mass.sum(), rel=1e-9)


def test_mistakes_are_named():
    def said(prop):
        with pytest.raises(InterstageError) as err:
            brick(prop)
        return str(err.value)

    assert "refers to a material coordinate system" in said("PCOMPS,1,77\n,9,1,.1\n")
    assert "PSDIR of this PCOMPS is not possible" in said("PCOMPS,1,0,11\n,9,1,.1\n")
    assert "needs plies with a material and a thickness" in said("PCOMPS,1,0\n")
    assert "88" in said("PCOMPS,1,0\n,9,88,.1\n")
    assert "property 1 is defined twice" in said("PCOMPS,1,0\n,9,1,.1\nPSOLID,1,1\n")


def test_what_is_not_made():
    text = "SOL 103\nCEND\nBEGIN BULK\nGRID,1\nGRID,2,,1.,0.,0.\nGRID,3,,0.,1.,0.\nGRID,4,,0.,0.,1.\n"
    with pytest.raises(InterstageError, match="plies are supported in CHEXA of eight grids alone"):
        FEModel.from_deck(deck_from_text(text + ORTHO + "CTETRA,1,1,1,2,3,4\nPCOMPS,1\n,9,1,.1\n"))
    assert any("has no CORDM" in note for note in brick("PCOMPS,1\n,9,2,.1\n").notes)
