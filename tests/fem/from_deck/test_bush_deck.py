"""CBUSH and PBUSH cards."""

import numpy as np
import pytest
from dense import build

from interstage.errors import DeckError
from interstage.nastran import deck_from_text
from refusals import refusals

BASE = """
GRID,1,,0.,0.,0.
GRID,2,,0.,2.,0.
GRID,3,,0.,0.,0.
GRID,4,,1.,0.,0.
CORD2R,7,,0.,0.,0.,1.,0.,0.
,0.,1.,0.
PBUSH,1,K,1.,2.,3.,4.,5.,6.
PBUSH,2,K,1.,,,4.
"""


def block(text):
    return build(deck_from_text(BASE + text)).blocks[0]


def stiffness(text):
    return block(text).stiffness(slice(0, 1))[0]


def test_coincident_bush_in_a_system():
    # system 7: x = basic y, y = basic z, z = basic x
    k = stiffness("CBUSH,1,1,1,3,,,,7")
    np.testing.assert_allclose(np.diag(k), [3, 1, 2, 6, 4, 5] * 2, atol=1e-14)
    basic = stiffness("CBUSH,1,1,1,3,,,,0")
    np.testing.assert_allclose(np.diag(basic), [1, 2, 3, 4, 5, 6] * 2, atol=1e-14)


def test_long_bush_with_orientation():
    # x along basic y; v = basic z is y; z is then basic x
    by_vector = block("CBUSH,1,1,1,2,0.,0.,1.")
    np.testing.assert_allclose(by_vector.R[0], np.array([[0, 0, 1], [1, 0, 0], [0, 1, 0]]), atol=1e-15)
    np.testing.assert_allclose(by_vector.w_a[0], [0, 1, 0])
    np.testing.assert_allclose(by_vector.w_b[0], [0, -1, 0])
    by_grid = block("CBUSH,1,1,1,2,4")
    np.testing.assert_allclose(by_grid.R[0][:, 1], [1, 0, 0], atol=1e-15)
    fraction = block("CBUSH,1,1,1,2,4,,,\n,.25")
    np.testing.assert_allclose(fraction.w_a[0], [0, 0.5, 0])
    offset = block("CBUSH,1,1,1,2,4,,,\n,,7,.1,.2,.3")
    np.testing.assert_allclose(offset.w_a[0], [0.3, 0.1, 0.2], atol=1e-15)
    np.testing.assert_allclose(offset.w_b[0], [0.3, -1.9, 0.2], atol=1e-15)


def test_axial_bush_needs_no_orientation():
    k = stiffness("CBUSH,1,2,1,2")
    np.testing.assert_allclose(np.diag(k), [0, 1, 0, 0, 4, 0] * 2, atol=1e-14)


def test_grounded_bush():
    one = block("CBUSH,1,1,1,,,,,0")
    assert one.nodes.tolist() == [[0, -1]]
    model = build(deck_from_text(BASE + "CBUSH,1,1,1,,,,,0"))
    np.testing.assert_allclose(np.diag(model.K)[:6], [1, 2, 3, 4, 5, 6])


def test_property_lines():
    text = "PBUSH,5,K,10.,20.\n,,B,1.,2.\n,,GE,.1\n,,RCV,1.,1.\n,,M,3.\nCBUSH,1,5,1,3,,,,0"
    one = block(text)
    np.testing.assert_array_equal(one.k[0], [10, 20, 0, 0, 0, 0])
    np.testing.assert_array_equal(one.b[0], [1, 2, 0, 0, 0, 0])
    np.testing.assert_array_equal(one.ge_components[0], [0.1] * 6)
    assert one.bush_mass[0] == 3.0
    uneven = block(text.replace("GE,.1", "GE,.1,.2"))
    np.testing.assert_array_equal(uneven.ge_components[0], [0.1, 0.2, 0, 0, 0, 0])
    model = build(deck_from_text(BASE + text.replace("GE,.1", "GE,.1,.2")))
    np.testing.assert_allclose(np.diag(model.K4)[:3], [1.0, 4.0, 0.0])


@refusals(
    """
    CBUSH,1,1,1,3 -> has no CID
    CBUSH,1,1,1 -> has no CID
    CBUSH,1,1,1,2 -> no orientation
    CBUSH,1,1,1,2,0.,1.,0. -> parallel
    CBUSH,1,8,1,3,,,,0 -> property 8
    CBUSH,1,1,1,3,,,,55 -> coordinate system 55
    CBUSH,1,1,1,2,4,,,|,1.5 -> S of CBUSH
    PBUSH,5,Q,1.|CBUSH,1,5,1,3,,,,0 -> unknown keyword
    PBUSH,5,K,RIGID|CBUSH,1,5,1,3,,,,0 -> not a number
    """
)
def test_bad_cards_say_what_is_wrong(text, words):
    with pytest.raises(DeckError, match=words):
        block(text)
