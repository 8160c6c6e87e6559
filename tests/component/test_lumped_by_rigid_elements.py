"""An engine that rigid elements hold at several grids: taken out, hung on again, modes of the whole."""

from __future__ import annotations

import numpy as np
import pytest

import interstage as ist
from interstage import Component, FEModel, normal_modes
from interstage.nastran import deck_from_text

HEAD = "SOL 103\nCEND\nMETHOD=1\nBEGIN BULK\nEIGRL,1,,,40\nMAT1,1,7.+10,,.3,2700.\nPSHELL,1,1,.02,1,,1\n"
ENGINE = "GRID,100,,.75,.6,.4\nCONM2,200,100,,50.,.1,.05,.02\n,3.,.1,4.,.2,.3,5.\n"
# name: (cards, connection, joint, grids that carry it)
LINKS = {
    "RBE2": ("RBE2,300,100,123456,11,12,21,22\n", "rbe2", "locked", [11, 12, 21, 22]),
    "RBE2 of translations": ("RBE2,300,100,123,11,12,21,22\n", "rbe2", "ball", [11, 12, 21, 22]),
    "RBE3": ("RBE3,300,,100,123456,1.,123,11,12,\n,21,22\n", "rbe3", "locked", [11, 12, 21, 22]),
    "RBE3 of two weights": (
        "RBE3,300,,100,123456,1.,123,11,12,\n,2.,123,21,22\n",
        "rbe3",
        "locked",
        [11, 12, 21, 22],
    ),
    "RBE1": ("RBE1,300,11,123,12,3,21,23\n,UM,100,123456\n", "rbe1", "locked", [11, 12, 21]),
}


def plate():
    """Three by two plates of half a metre."""
    out = "".join(f"GRID,{10 * i + j + 1},,{0.5 * i},{0.5 * j},0.\n" for i in range(4) for j in range(3))
    for k, (i, j) in enumerate((i, j) for i in range(3) for j in range(2)):
        a, b = 10 * i + j + 1, 10 * (i + 1) + j + 1
        out += f"CQUAD4,{k + 1},1,{a},{b},{b + 1},{a + 1}\n"
    return out


@pytest.mark.parametrize("in_interface", [False, True])
@pytest.mark.parametrize("name", LINKS)
def test_engine_hung_on_again_gives_the_modes_of_the_whole(name, in_interface):
    cards, connection, joint, carriers = LINKS[name]
    deck = deck_from_text(HEAD + plate() + ENGINE + cards)
    whole = normal_modes(FEModel.from_deck(deck), n_modes=24).frequencies_hz
    core = Component.from_deck(deck, 400, separate_lumped=True, add_lumped_to_aset=in_interface)
    (engine,) = core.child_bodies
    assert (engine.connection, engine.joint) == (connection, joint)
    assert sorted(engine.parent_grids.tolist()) == carriers
    if engine.weights is not None:
        np.testing.assert_allclose(engine.weights, [1.0, 1.0] + ([2.0] * 2 if "two" in name else [1.0] * 2))
    mb = ist.Multibody(name)
    mb.add_body("core", component=core, joint=ist.Free(), node=11)
    mb.add_body(
        "engine",
        mass=engine.mass,
        com=engine.com,
        inertia=engine.inertia,
        parent="core",
        at=int(engine.grid),
        joint=ist.Locked(),
    )
    ours = mb.compile().modes().frequencies_hz
    # all modes of the bare structure are kept, so that nothing is lost but rounding
    np.testing.assert_allclose(ours[6:24], whole[6:24], rtol=1e-8)
