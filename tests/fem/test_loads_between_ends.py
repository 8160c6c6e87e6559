"""Forces at both ends of bars and beams that are loaded between them, by statics of the free body."""

from __future__ import annotations

import numpy as np
import pytest

import interstage as ist
from interstage.nastran import deck_from_text

LENGTH, AT, FORCE, AXIAL = 2.0, 0.75, 10.0, 6.0


@pytest.mark.parametrize("card", ["CBAR", "CBEAM"])
def test_a_cantilever_with_a_force_on_its_way(card):
    """A force across and one along at 0.75 of 2 m: shear and axial force of their size at the wall, none at the tip."""
    element = {"CBAR": "PBAR,1,1,1.,2.,3.,4.", "CBEAM": "PBEAM,1,1,1.,2.,3.,,4."}[card]
    deck = f"""SOL 101
CEND
SPC = 1
LOAD = 2
FORCE = ALL
STRESS = ALL
SUBCASE 1
BEGIN BULK
GRID,1,,0.,0.,0.
GRID,2,,{LENGTH},0.,0.
{card},3,1,1,2,0.,1.,0.
{element}
MAT1,1,3.0e7,,0.3
SPC,1,1,123456
PLOAD1,2,3,FY,LE,{AT},{FORCE}
PLOAD1,2,3,FX,LE,{AT},{AXIAL}
ENDDATA
"""
    u = ist.static(ist.FEModel.from_deck(deck_from_text(deck)), subcase=1)
    table = u.forces[card]
    column = {name: table.values[:, k] for k, name in enumerate(table.columns)}
    if card == "CBAR":  # one row: shear and axial force at A
        found = [column[name][0] for name in ("bending_moment_a1", "bending_moment_b1", "shear1", "axial")]
        np.testing.assert_allclose(found, [FORCE * AT, 0.0, FORCE, AXIAL], atol=1e-9)
        stress = u.stresses[card]
        value = {name: stress.values[0, k] for k, name in enumerate(stress.columns)}
        np.testing.assert_allclose([value["axial"], value["smaxb"]], [AXIAL, 0.0], atol=1e-9)
    else:
        np.testing.assert_allclose(column["bending_moment1"], [FORCE * AT, 0.0], atol=1e-9)
        np.testing.assert_allclose(column["shear1"], [FORCE, 0.0], atol=1e-9)
        np.testing.assert_allclose(column["axial_force"], [AXIAL, 0.0], atol=1e-9)
