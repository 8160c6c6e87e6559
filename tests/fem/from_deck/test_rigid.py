"""Rigid elements read from decks, against matrices of real Nastran runs."""

from __future__ import annotations

import numpy as np
import pytest

from interstage.errors import DeckError, ModelError
from interstage.fem.constraints import eliminate
from interstage.fem.from_deck.context import Context
from interstage.fem.from_deck.rigid import read_rigid
from interstage.fem.rigid_elements import rigid_modes
from interstage.nastran import deck_from_text
from refusals import refusals
from validation import nastran_decks

GRIDS = """
CORD2R,7,0,1.,2.,3.,1.,3.,3.
,2.,2.,4.
GRID,1,,0.,0.,0.
GRID,2,,1.,0.,0.,7
GRID,3,,1.,2.,0.
GRID,4,,0.,0.,3.,7
"""


def dependence(text: str):
    ctx = Context(deck_from_text(GRIDS + text))
    rigid, _ = read_rigid(ctx)
    return ctx.grids, eliminate(rigid, ctx.grids.n_dof, ctx.grids.name_of)


def rigid_motion(grids):
    """Motions (n_dof, 6) of the whole set of grids as one rigid body."""
    return rigid_modes(grids, np.arange(len(grids)), np.array([0.3, -0.2, 0.7])).reshape(-1, 6)


@pytest.mark.parametrize("case", ["rbe3_1", "rbe3_3", "rbe3_um_1", "rbe3_um_3"])
def test_rbe3_matrix_equals_nastran(case):
    ctx = Context(nastran_decks.read(case))
    found = eliminate(read_rigid(ctx)[0], ctx.grids.n_dof, ctx.grids.name_of)
    m = [ctx.grids.dof_of(g, c) for g, c in nastran_decks.figures(case)["m_set"]]
    n = [ctx.grids.dof_of(g, c) for g, c in nastran_decks.figures(case)["n_set"]]
    assert sorted(m) == found.m.tolist()
    G = np.zeros((ctx.grids.n_dof, ctx.grids.n_dof))
    G[np.ix_(found.m, found.n)] = found.G_mn.toarray()
    wanted = nastran_decks.matrix(case, "gm")
    # Nastran's matrix is double precision
    assert np.abs(G[np.ix_(m, n)] - wanted).max() < 1e-9 * np.abs(wanted).max()


@pytest.mark.parametrize(
    "cards",
    [
        "RBE2,10,1,123456,2,3,4",
        "RBE2,10,1,123,2,3,4,1.2-5",
        "RBAR,10,1,2,123456",
        "RBAR,10,1,2,123,234,456,156",
        "RBAR,10,1,2,1234,23,56",
        "RBE1,10,1,123456\n,UM,2,123,3,456,4,246",
        "RBE1,10,1,123,3,13,4,2\n,UM,2,123456,3,2,1,6",
        "RROD,10,1,4,3\nRROD,11,1,2,1",
        "RBE3,10,,1,123456,1.,123,2,3\n,4",
        "RBE3,10,,1,123456,1.,123,2,3\n,2.5,123456,4\n,UM,2,123,3,1,4,23",
        "RBE2,10,1,123456,2\nRBE2,11,2,123456,3\nRBAR,12,3,4,123456",
        "RBE2,12,3,123456,4\nRBE2,11,2,123456,3\nRBE3,10,,2,123456,1.,123456,1",
    ],
)
def test_rigid_elements_pass_rigid_motion(cards):
    grids, found = dependence(cards)
    S = rigid_motion(grids)
    assert len(found.m) > 0
    assert np.abs(S[found.m] - found.G_mn @ S[found.n]).max() < 1e-12
    assert np.abs(found.T_gn @ S[found.n] - S).max() < 1e-12


def test_rbe3_shares_a_force_like_a_bolt_group():
    # forces at the reference grid (centre of two equal points) split evenly, statically equivalent
    text = "GRID,1,,0.,0.,0.\nGRID,2,,-1.,0.,0.\nGRID,3,,1.,0.,0.\nRBE3,9,,1,123,1.,123,2,3"
    ctx = Context(deck_from_text(text))
    found = eliminate(read_rigid(ctx)[0], ctx.grids.n_dof)
    G = found.G_mn.toarray()
    at = {int(d): k for k, d in enumerate(found.n)}
    assert np.allclose(G[1, [at[ctx.grids.dof_of(2, 2)], at[ctx.grids.dof_of(3, 2)]]], 0.5)


@refusals(
    """
    RBE2,10,1,123456,99 -> grid 99, which is not in the deck
    RBAR,10,1,2,12345 -> six independent dofs
    RBAR,10,1,2,123,123,456,456 -> do not fix its motion
    RBE3,10,,1,123456,1.,123,2,3 -> do not define the motion
    RBE3,10,,1,123,1.,123,2,3|,4|,UM,2,12 -> as many components as REFC
    RROD,10,1,4,1 -> perpendicular
    RBE2,10,1,1237,2 -> digits 1 to 6
    RBE2,10,1,123456,2|RBE2,10,1,123456,3 -> defined twice
    """
)
def test_bad_cards_say_what_is_wrong(text, words):
    with pytest.raises(DeckError, match=words):
        dependence(text)


@refusals(
    """
    RBE2,10,1,123456,3|RBE2,11,2,123456,3 -> RBE2 10 and RBE2 11
    RBE2,10,1,123456,2|RBE2,11,2,123456,1 -> cannot be solved
    """
)
def test_dependences_that_clash_are_named(text, words):
    with pytest.raises(ModelError, match=words):
        dependence(text)
