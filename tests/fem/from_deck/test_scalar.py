"""Scalar springs, dampers and masses from cards."""

import numpy as np
import pytest
from dense import build

from interstage.errors import DeckError
from interstage.nastran import deck_from_text
from refusals import refusals

GRIDS = "GRID,1,,0.,0.,0.\nGRID,2,,1.,0.,0.\nSPOINT,11,12\n"


def model(text):
    return build(deck_from_text(GRIDS + text))


def dofs(m, *points):
    return [m.grids.dof_of(*point) for point in points]


def test_springs_of_all_types():
    m = model(
        "PELAS,5,100.,.1,,6,200.\nCELAS1,1,5,1,2,2,3\nCELAS2,2,30.,1,1,,,.2\nCELAS3,3,6,11,12\nCELAS4,4,7.,12\n"
    )
    a, b = dofs(m, (1, 2), (2, 3))
    np.testing.assert_array_equal(m.K[np.ix_([a, b], [a, b])], 100.0 * np.array([[1, -1], [-1, 1]]))
    np.testing.assert_allclose(m.K4[np.ix_([a, b], [a, b])], 10.0 * np.array([[1, -1], [-1, 1]]))
    (c,) = dofs(m, (1, 1))
    assert m.K[c, c] == 30.0 and np.isclose(m.K4[c, c], 6.0)
    p, q = dofs(m, (11, 0), (12, 0))
    np.testing.assert_array_equal(m.K[np.ix_([p, q], [p, q])], [[200.0, -200.0], [-200.0, 207.0]])
    np.testing.assert_array_equal(m.K, m.K.T)


def test_masses_and_dampers():
    m = model(
        "PMASS,5,2.,6,3.\nCMASS1,1,5,1,1\nCMASS2,2,4.,1,1,2,1\nCMASS3,3,6,11\nCMASS4,4,1.,11,12\n"
        "PDAMP,5,.2,6,.3\nCDAMP1,11,5,1,1\nCDAMP2,12,.4,1,1,2,1\nCDAMP3,13,6,11\nCDAMP4,14,.1,11,12\n"
    )
    a, b, p, q = dofs(m, (1, 1), (2, 1), (11, 0), (12, 0))
    ix = np.ix_([a, b, p, q], [a, b, p, q])
    expected = np.array([[6.0, -4, 0, 0], [-4, 4, 0, 0], [0, 0, 4, -1], [0, 0, -1, 1]])
    np.testing.assert_allclose(m.M[ix], expected)
    np.testing.assert_allclose(m.B[ix], expected / 10.0)


def test_springs_act_in_the_displacement_system():
    text = "CORD2R,7,,0.,0.,0.,1.,0.,0.\n,0.,1.,0.\nGRID,3,,5.,0.,0.,7\nCELAS2,1,9.,3,3\n"
    m = model(text)
    (dof,) = dofs(m, (3, 3))
    assert m.K[dof, dof] == 9.0 and np.count_nonzero(m.K) == 1


@refusals(
    """
    CELAS1,1,5,1,1 -> property 5
    CELAS2,1,5.,99,1 -> point 99
    CELAS2,1,5.,1 -> component
    CELAS2,1,5.,1,7 -> component
    CELAS2,1,5.,11,2 -> component
    CELAS2,1,5. -> grounded at both ends
    CELAS2,1,5.,1,1,1,1 -> itself
    PELAS,5,1.,,,5,2.|CELAS1,1,5,1,1 -> defined twice
    CELAS2,1,5.,1,1|CELAS2,1,6.,1,2 -> defined twice
    """
)
def test_bad_cards_say_what_is_wrong(text, words):
    with pytest.raises(DeckError, match=words):
        model(text)
