"""CONM1 and CONM2 cards."""

import numpy as np
import pytest
from dense import build

from interstage.errors import DeckError
from interstage.nastran import deck_from_text
from refusals import refusals

BASE = """
GRID,1,,1.,2.,3.
GRID,2,,2.,0.,0.
CORD2R,7,,0.,0.,0.,1.,0.,0.
,0.,1.,0.
CORD2C,8,,0.,0.,0.,0.,0.,1.
,1.,0.,0.
"""


def block(text):
    return build(deck_from_text(BASE + text)).blocks[0]


def test_offset_and_inertia_in_basic():
    one = block("CONM2,1,1,,5.,.1,.2,.3\n,1.,.4,2.,.5,.6,3.")
    np.testing.assert_allclose(one.offset[0], [0.1, 0.2, 0.3])
    np.testing.assert_allclose(one.inertia[0], [[1, -0.4, -0.5], [-0.4, 2, -0.6], [-0.5, -0.6, 3]])
    assert one.point_mass[0] == 5.0


def test_another_system():
    # system 7: x = basic y, y = basic z, z = basic x
    one = block("CONM2,1,1,7,5.,.1,.2,.3\n,1.,.4,2.,.5,.6,3.")
    np.testing.assert_allclose(one.offset[0], [0.3, 0.1, 0.2], atol=1e-15)
    np.testing.assert_allclose(
        one.inertia[0], [[3, -0.5, -0.6], [-0.5, 1, -0.4], [-0.6, -0.4, 2]], atol=1e-15
    )


def test_cylindrical_system_has_its_axes_at_the_grid():
    one = block("GRID,3,,0.,4.,0.\nCONM2,1,3,8,5.,.1")
    np.testing.assert_allclose(one.offset[0], [0.0, 0.1, 0.0], atol=1e-15)


def test_place_in_basic_coordinates():
    one = block("CONM2,1,1,-1,5.,1.5,2.,3.\n,1.,.4,2.")
    np.testing.assert_allclose(one.offset[0], [0.5, 0.0, 0.0])
    np.testing.assert_allclose(one.inertia[0], [[1, -0.4, 0], [-0.4, 2, 0], [0, 0, 0]])


def test_general_mass_matrix():
    values = np.arange(1.0, 22.0)
    fields = ",".join(f"{v}" for v in values[:5])
    rest = [",".join(f"{v}" for v in values[k : k + 8]) for k in (5, 13)]
    expected = np.zeros((6, 6))
    expected[np.tril_indices(6)] = values
    expected = expected + np.tril(expected, -1).T
    one = block(f"CONM1,1,1,,{fields}\n,{rest[0]}\n,{rest[1]}")
    np.testing.assert_array_equal(one.matrix[0], expected)
    turned = block(f"CONM1,1,1,7,{fields}\n,{rest[0]}\n,{rest[1]}")
    order = [2, 0, 1, 5, 3, 4]  # basic x, y, z are z, x, y of system 7
    np.testing.assert_allclose(turned.matrix[0], expected[np.ix_(order, order)], atol=1e-13)


@refusals(
    """
    CONM2,1,9,,5. -> grid 9
    CONM2,1,1,55,5. -> coordinate system 55
    CONM1,1,9,,5. -> grid 9
    """
)
def test_bad_cards_say_what_is_wrong(text, words):
    with pytest.raises(DeckError, match=words):
        block(text)
