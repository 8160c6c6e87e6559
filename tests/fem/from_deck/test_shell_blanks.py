"""Fields of shell and bar cards that NASTRAN takes for blanks, and directions that do not matter."""

import numpy as np
import pytest

from interstage.errors import DeckError
from interstage.fem.from_deck import line, shells, solids
from interstage.fem.from_deck.context import Context
from interstage.nastran import deck_from_text

ALL = slice(None)
GRIDS = "GRID,1\nGRID,2,,0.,1.,0.\nGRID,3,,0.,1.,1.\nGRID,4,,0.,0.,1.\nMAT1,1,7.+10,,.3,2700.\n"
ORTHOTROPIC = "MAT8,8,1.4+11,1.+10,.3,5.+9\n"


def context(text):
    return Context(deck_from_text(GRIDS + text))


def stiffness(text):
    return shells.read(context(text))[0].stiffness(ALL)[0]


def test_a_material_or_thickness_of_zero_is_a_blank():
    blank = stiffness("PSHELL,1,1,.1,1\nCQUAD4,1,1,1,2,3,4\n")
    zero = stiffness("PSHELL,1,1,.1,1,,0,,,\n,,,0\nCQUAD4,1,1,1,2,3,4\n,,0,0.,0.,0.,0.\n")
    np.testing.assert_array_equal(zero, blank)
    corners = stiffness("PSHELL,1,1,0.,1\nCQUAD4,1,1,1,2,3,4\n,,0,.1,.1,.1,.1\n")
    np.testing.assert_allclose(corners, blank, rtol=1e-12, atol=1e-12 * np.abs(blank).max())
    with pytest.raises(DeckError, match="CQUAD4 1 has no thickness"):
        stiffness("PSHELL,1,1,0.,1\nCQUAD4,1,1,1,2,3,4\n")


@pytest.mark.parametrize("thickness", ["", ".03"])
def test_corner_thicknesses_of_a_bent_cquad8_stand_in_for_that_of_its_property(thickness):
    bent = "GRID,5,,.1,.5,0.\nGRID,7,,.1,.5,1.\nCQUAD8,1,1,1,2,3,4,5,,\n,7,{}\n"
    plain = stiffness("PSHELL,1,1,.1,1,,1\n" + bent.format(""))
    corners = stiffness(f"PSHELL,1,1,{thickness},1,,1\n" + bent.format(",.1,.1,.1,.1"))
    np.testing.assert_allclose(corners, plain, rtol=0.0, atol=1e-12 * np.abs(plain).max())


def test_a_material_system_normal_to_an_isotropic_shell_does_not_matter():
    """MCID 0 on an element in the plane x = 0, as preprocessors write it."""
    plain = stiffness("PSHELL,1,1,.1,1,,1\nCQUAD4,1,1,1,2,3,4\n")
    np.testing.assert_array_equal(stiffness("PSHELL,1,1,.1,1,,1\nCQUAD4,1,1,1,2,3,4,0\n"), plain)
    bare = ORTHOTROPIC + "PSHELL,1,8,.1,8\nCQUAD4,1,1,1,2,3,4"
    ctx = context(bare + ",0\n")
    turned = shells.read(ctx)[0].stiffness(ALL)[0]
    np.testing.assert_array_equal(turned, stiffness(bare + "\n"))
    assert ctx.notes == ["the x axis of MCID is normal to CQUAD4 1: its material lies along side 1-2"]


def test_the_old_flag_of_bar_orientation():
    """Field 9 held 1 for a vector and 2 for a grid before it held OFFT."""
    bars = "PBAR,1,1,.1,.2,.3,.4\nCBAR,1,1,1,2,0.,0.,1.{}\nCBAR,2,1,1,2,4{}\n"
    new = line.read(context(bars.format("", "")))[0].stiffness(ALL)
    old = line.read(context(bars.format(",1", ",,,2")))[0].stiffness(ALL)
    np.testing.assert_array_equal(old, new)
    with pytest.raises(DeckError, match="CBAR 1: field 9 has the wrong type"):
        line.read(context(bars.format(",3", "")))


def test_solid_properties_that_no_element_uses_are_not_looked_at():
    brick = "GRID,5,,1.\nPSOLID,1,1\nPSOLID,2,77\nPSOLID,3,1,,,,,PFLUID\nCTETRA,1,1,1,2,3,5\n"
    assert len(solids.read(context(brick))) == 1
    with pytest.raises(DeckError, match="only structural solids are supported"):
        solids.read(context(brick + "CTETRA,2,3,1,2,3,5\n"))


def test_integration_that_is_not_done_is_a_note():
    constant = context(
        "GRID,5,,1.\nPSOLID,1,1,,TWO\nCTETRA,1,1,1,2,3,5\n"
    )  # its strains are: every rule is exact
    solids.read(constant)
    assert not constant.notes
    ctx = context("GRID,5,,1.\nPSOLID,1,1,,TWO\nCPYRAM,1,1,1,2,3,4,5\n")
    solids.read(ctx)
    assert len(ctx.notes) == 1 and "PSOLID 1" in ctx.notes[0] and "default integration" in ctx.notes[0]
