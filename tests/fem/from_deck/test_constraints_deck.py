"""SPC, MPC and set cards read from decks."""

from __future__ import annotations

import numpy as np
import pytest

from interstage.errors import DeckError, ModelError
from interstage.fem.constraints import eliminate
from interstage.fem.from_deck.constraints import read_constraints
from interstage.fem.from_deck.context import Context
from interstage.nastran import deck_from_text
from refusals import refusals

GRIDS = (
    "".join(f"GRID,{i},,{float(i)},0.,0.{',,345' if i == 5 else ''}\n" for i in (1, 2, 3, 5, 8))
    + "SPOINT,100\n"
)


def read(text: str):
    ctx = Context(deck_from_text(GRIDS + text))
    return ctx.grids, read_constraints(ctx)


def names(grids, dofs) -> list[str]:
    return [grids.name_of(int(d)).replace("grid ", "").replace(" component ", ".") for d in np.sort(dofs)]


def test_spc_spc1_spcadd_and_permanent_constraints():
    text = "SPC,1,1,12,0.5,2,3\nSPC,1,100,,0.25\nSPC1,2,6,1,THRU,4\nSPC1,2,1,8,5\nSPCADD,7,1,2\n"
    grids, cards = read(text)
    assert names(grids, cards.spc()[0]) == ["5.3", "5.4", "5.5"]
    dofs, values = cards.spc(1)
    found = dict(zip(names(grids, dofs), values[np.argsort(dofs)]))
    assert found["1.1"] == found["1.2"] == 0.5 and found["2.3"] == 0.0 and found["scalar point 100"] == 0.25
    # grid 4 does not exist: a THRU range may have gaps
    assert names(grids, cards.spc(2)[0]) == ["1.6", "2.6", "3.6", "5.1", "5.3", "5.4", "5.5", "8.1"]
    assert len(cards.spc(7)[0]) == 3 + 4 + 5
    with pytest.raises(ModelError, match="SPC set 9 is selected"):
        cards.spc(9)


def test_mpc_over_several_lines_and_mpcadd():
    text = "MPC,1,1,1,2.0,2,1,-1.0\n,,3,2,4.0,100,0,6.0\nMPC,2,8,3,1.0,1,1,-1.\nMPCADD,3,1,2\n"
    grids, cards = read(text)
    found = eliminate(cards.mpc(3), grids.n_dof)
    assert names(grids, found.m) == ["1.1", "8.3"]
    G = found.G_mn.toarray()
    column = {name: k for k, name in enumerate(names(grids, found.n))}
    expected = {"2.1": 0.5, "3.2": -2.0, "scalar point 100": -3.0}
    for row in G:
        assert {n: row[k] for n, k in column.items() if row[k] != 0.0} == expected
    assert len(cards.mpc(None)) == 0


def test_set_cards():
    text = """ASET,1,123,2,456
ASET1,1,5,8
BSET1,2,3
CSET,3,3
QSET1,0,100
OMIT1,6,8
SUPORT,1,4
SUPORT1,4,2,1,2,2
USET,U1,1,12
USET1,U2,3,1,THRU,3
"""
    grids, cards = read(text)
    sets = cards.cards
    assert names(grids, sets.a) == ["1.1", "1.2", "1.3", "2.4", "2.5", "2.6", "5.1", "8.1"]
    assert names(grids, sets.b) == ["3.2"] and names(grids, sets.c) == ["3.3"]
    assert names(grids, sets.q) == ["scalar point 100"] and names(grids, sets.o) == ["8.6"]
    assert names(grids, sets.r) == ["1.4"]
    assert names(grids, cards.set_cards(4).r) == ["1.4", "2.1", "2.2"]
    assert names(grids, sets.user["U1"]) == ["1.1", "1.2"] and len(sets.user["U2"]) == 3


@refusals(
    """
    SPC1,1,123456,77 -> point 77, which is not in the deck
    SPC1,1,1237,1 -> digits 1 to 6
    SPC,1,1,11 -> each once
    SPC1,1,,1 -> no component
    SPC1,1,12,20,THRU,30 -> no point that is in the deck
    SPC1,1,12,3,THRU,1 -> THRU runs backwards .*got 3 THRU 1
    MPC,1,1,1,0.0,2,1,1. -> first factor
    MPC,1,1,12,1.0,2,1,1. -> more than one component
    MPC,1,1,1,1.0,2,1 -> factor of this MPC is missing
    ASET,100,2 -> scalar point 100
    """
)
def test_mistakes_name_the_card(text, words):
    with pytest.raises(DeckError, match=words):
        read(text)
