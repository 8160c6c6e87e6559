"""What elements refer to and the deck does not have: grids and properties, all of them at once."""

from __future__ import annotations

import numpy as np

from interstage.errors import DeckError
from interstage.fem.from_deck.lookup import defaults_of, property_ids
from interstage.nastran.cards import CARDS, columns, of_kind
from interstage.nastran.deck import Deck
from interstage.nastran.table import CardTable

# data fields in which elements and point masses name their grids: the first, the last
CONNECTED = {
    name: (fields[0], fields[-1])
    for name in (*of_kind("element"), "CONM1", "CONM2")
    if CARDS[name].family != "scalar" and (fields := list(columns(CARDS[name].grids, 99)))
}


def missing_grids(deck: Deck) -> list[DeckError]:
    """Every element that stands on a grid that the deck does not have, each card once."""
    table = deck.cards("GRID")
    known = np.unique(np.append(table.select(table.is_integer(1)).integer(1), 0))
    out = []
    for name, (first, last) in CONNECTED.items():
        cards = deck.cards(name)
        for j in range(first, last + 1) if len(cards) else ():
            whole = np.flatnonzero(cards.is_integer(j))
            ids = cards.select(whole).integer(j)
            bad = ~np.isin(ids, known)
            out += [
                cards.error(
                    int(i),
                    f"{name} refers to grid {grid}, which is not in the deck",
                    hint="add the GRID card or correct the id",
                )
                for i, grid in zip(whole[bad].tolist(), ids[bad].tolist())
            ]
            cards = cards.select(np.setdiff1d(np.arange(len(cards)), whole[bad]))
    return out


def missing_properties(deck: Deck) -> list[DeckError]:
    """Every element whose property the deck does not have; those that are not supported are refused elsewhere."""
    out = []
    for name in of_kind("element"):
        card, cards = CARDS[name], deck.cards(name)
        cards = cards.select(np.flatnonzero(cards.is_integer(1) & (cards.is_integer(2) | cards.blank(2))))
        if not len(cards) or not card.properties:
            continue
        kinds = (*card.properties, *(one.name for one in CARDS.values() if name in one.users))
        known = np.concatenate([_ids(deck.cards(kind), j) for kind in kinds for j in CARDS[kind].ids])
        pid = property_ids(cards, defaults_of(deck, name))
        out += [
            cards.error(
                int(i),
                f"{name} refers to property {pid[i]}, which is not in the deck",
                hint=f"add a {' or '.join(card.properties)} with this id or correct the id",
            )
            for i in np.flatnonzero(~np.isin(pid, known))
        ]
    return out


def _ids(table: CardTable, j: int) -> np.ndarray:
    """Integers in a field of a table."""
    return table.select(np.flatnonzero(table.is_integer(j))).integer(j)
