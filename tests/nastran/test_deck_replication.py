"""Replicated bulk data lines."""

import numpy as np
import pytest

from interstage.errors import DeckError
from interstage.nastran import deck_from_text
from refusals import refusals


def test_grids_and_bars_are_carried_on():
    deck = deck_from_text(
        "GRID,1,,0.,0.,300.   $ a row of grids\n=,*1,,*300.,==\n=6\n$ and its bars\n"
        "CBAR,1,100,1,2,150.,150.,300.\n=,*1,=,*1,*1,==\n=(5)\n"
    )
    grids = deck.cards("GRID")
    np.testing.assert_array_equal(grids.integer(1), np.arange(1, 9))
    np.testing.assert_array_equal(grids.real(3), 300.0 * np.arange(8))
    np.testing.assert_array_equal(grids.real(5), 300.0)
    bars = deck.cards("CBAR")
    np.testing.assert_array_equal(bars.integer(1), np.arange(1, 8))
    np.testing.assert_array_equal(bars.integer(2), 100)
    np.testing.assert_array_equal(bars.integer(4), np.arange(2, 9))
    np.testing.assert_array_equal(bars.real(7), 300.0)


def test_fields_of_the_card_before():
    deck = deck_from_text(
        "GRID,35,,150.,-30.,150.\n=,36,,=,330.,==\n=,*1,,=,*-300.,==\n"
        "PBAR,101,301,201.06,3217.0,3217.0,6434.0\nPBAR,102,302,==   $ the same section\nMAT1,301,6.9+7\n"
    )
    np.testing.assert_array_equal(deck.cards("GRID").integer(1), [35, 36, 37])
    np.testing.assert_array_equal(deck.cards("GRID").real(4), [-30.0, 330.0, 30.0])
    assert deck.cards("PBAR").row(1) == [102, 302, 201.06, 3217.0, 3217.0, 6434.0]


def test_small_field_and_steps_in_parentheses():
    deck = deck_from_text("GRID           1              .1      0.\n=           *(1)       =  *(.1)\n=(8)\n")
    np.testing.assert_array_equal(deck.cards("GRID").integer(1), np.arange(1, 11))
    # decimal steps do not drift
    np.testing.assert_array_equal(deck.cards("GRID").real(3), np.arange(1, 11) / 10)


def test_messages_name_the_line_that_replicates():
    with pytest.raises(DeckError, match=r"GRID 4: field 4 is not a number .text, line 3"):
        deck_from_text("GRID,1,,0.\n=,*1,,*1.,==\n=,4,,1.2.3\nGRID,9\n").cards("GRID").real(3)
    with pytest.raises(DeckError, match=r"FOO.*is not a known bulk data entry .text, line 4"):
        deck_from_text("GRID,1,,0.\n=,*1,==\n=5\nFOO,1\n")


@refusals(
    """
    =,*1,== -> repeats a card that it cannot .text, line 1
    GRID,1|=4 -> =4 has no replicated line before it .text, line 2
    MAT1,1,7.+10,,.3|,1.|=,*1,== -> repeats a card that it cannot .text, line 3
    GRID,1,,X|=,*1,,*1. -> a replicated field cannot be stepped .*got X
    GRID,1|=,*1,==|=99999999 -> replication gives too many cards
    """
)
def test_mistakes_are_named(text, words):
    with pytest.raises(DeckError, match=words):
        deck_from_text(text)


def test_steps_of_blank_fields_start_from_zero():
    deck = deck_from_text("GRID,10,,,1.\n=,*(1),*(2),*(1.5),==\n=(2)\n", strict=False)
    assert list(deck.cards("GRID").rows()) == [
        [10, None, None, 1.0],
        [11, 2, 1.5, 1.0],
        [12, 4, 3.0, 1.0],
        [13, 6, 4.5, 1.0],
    ]


def test_comments_with_equal_signs_are_no_replication():
    deck = deck_from_text("$ ==========\nGRID,1  $ == one ==\nGRID,2\n")
    np.testing.assert_array_equal(deck.cards("GRID").integer(1), [1, 2])
