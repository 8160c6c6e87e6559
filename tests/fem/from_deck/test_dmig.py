"""Direct matrix input."""

import numpy as np
import pytest
from dense import build

from interstage.errors import DeckError
from interstage.nastran import deck_from_text
from refusals import refusals

SYMMETRIC = """
DMIG,KX,0,6,1,0
DMIG,KX,1,1,,1,1,10.,0.
,1,2,2.,0.,2,3,3.,0.
DMIG,KX,2,3,,2,3,20.
"""


def model(bulk, case="K2GG = KX"):
    points = "GRID,1,,0.,0.,0.\nGRID,2,,1.,0.,0.\nSPOINT,9"
    text = f"SOL 103\nCEND\n{case}\nBEGIN BULK\n{points}\n{bulk}\nENDDATA\n"
    return build(deck_from_text(text, strict=False))


def test_symmetric_matrix():
    m = model(SYMMETRIC)
    expected = np.zeros_like(m.K)
    a, b, c = (m.grids.dof_of(*p) for p in ((1, 1), (1, 2), (2, 3)))
    expected[a, a], expected[c, c] = 10.0, 20.0
    expected[a, b] = expected[b, a] = 2.0
    expected[a, c] = expected[c, a] = 3.0
    np.testing.assert_array_equal(m.K, expected)
    assert not m.M.any() and not m.B.any()


def test_square_matrix_and_scalar_point():
    text = "DMIG,BX,0,1,2,0\nDMIG,BX,9,0,,9,0,4.\n,1,1,5.\nDMIG,BX,1,1,,9,,5."
    m = model(text, "B2GG = BX")
    p, a = m.grids.dof_of(9, 0), m.grids.dof_of(1, 1)
    assert m.B[p, p] == 4.0 and m.B[p, a] == m.B[a, p] == 5.0 and m.B[a, a] == 0.0


def test_mass_is_not_scaled_by_wtmass():
    m = model("PARAM,WTMASS,.5\nPARAM,CM2,3.\n" + SYMMETRIC, "M2GG = KX")
    assert np.isclose(m.M[0, 0], 30.0)
    assert not m.K.any()


def test_parameters_scale_matrices_and_structural_damping_is_one():
    """PARAM CK2, CB2 and CK42 are factors of what case control adds, strictly read; K42GG goes into K4."""
    case = "K2GG = KX\nB2GG = KX\nK42GG = 2.*KX"
    text = f"SOL 103\nCEND\n{case}\nBEGIN BULK\nGRID,1\nGRID,2,,1.\nSPOINT,9\n"
    params = "PARAM,CK2,2.\nPARAM,CB2,3.,0.\nPARAM,CK42,.5\n"
    m = build(deck_from_text(text + params + SYMMETRIC + "ENDDATA\n"))
    assert (m.K[0, 0], m.B[0, 0], m.K4[0, 0]) == (20.0, 30.0, 10.0)
    with pytest.raises(DeckError, match="select different direct input matrices"):
        model(SYMMETRIC, "SUBCASE 1\nK42GG = KX\nSUBCASE 2\nK2GG = KX")


def test_a_matrix_that_is_not_named_is_not_used():
    assert not model(SYMMETRIC, "TITLE = NONE").K.any()


def test_factor_in_case_control():
    assert np.isclose(model(SYMMETRIC, "K2GG = 2.5*KX").K[0, 0], 25.0)


@refusals(
    """
    DMIG,KY,0,6,1,0 -> not in the deck
    DMIG,KX,1,1,,1,1,10. -> no header
    DMIG,KX,0,6,3,0|DMIG,KX,1,1,,1,1,10.,3. -> KX is complex
    DMIG,KX,0,5,1,0 -> IFO
    DMIG,KX,0,6,1,0|DMIG,KX,1,1,,7,1,10. -> point 7
    DMIG,KX,0,1,1,0|DMIG,KX,1,1,,1,2,10. -> not symmetric
    DMIG,KX,0,6,1,0|DMIG,KX,1,1,,1,2,10.|DMIG,KX,1,2,,1,1,10. -> twice
    DMIG,KX,0,6,1,0|DMIG,KX,1,1,,1,2,10.,3. -> imaginary
    """
)
def test_bad_cards_say_what_is_wrong(text, words):
    with pytest.raises(DeckError, match=words):
        model(text)
