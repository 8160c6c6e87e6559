"""NASTRAN decks and files: text to cards, sets and parameters.

    deck = read_deck("model.bdf")
    grids = deck.cards("GRID")
    ids, x = grids.integer(1), grids.real(3, 0.0)

`deck.cards` gives a CardTable: the fields of all cards of one name as columns.
"""

from interstage.nastran.case import CaseControl, Subcase
from interstage.nastran.deck import Deck, deck_from_text, read_deck
from interstage.nastran.ids import expand_ids
from interstage.nastran.op2 import Op2, read_op2
from interstage.nastran.op4 import read_op4
from interstage.nastran.table import REQUIRED, CardTable

__all__ = [
    "REQUIRED",
    "CardTable",
    "CaseControl",
    "Deck",
    "Op2",
    "Subcase",
    "deck_from_text",
    "expand_ids",
    "read_deck",
    "read_op2",
    "read_op4",
]
