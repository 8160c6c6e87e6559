"""Find what cards refer to: properties by id, with clear errors."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from interstage.nastran import CardTable, Deck
from interstage.nastran.cards import CARDS


def property_ids(table: CardTable, default: CardTable | None = None) -> np.ndarray:
    """Property ids in field 2 (n,); for a blank that of BAROR or BEAMOR, or else the element id."""
    pid = table.integer(2, 0)
    other = table.integer(1)
    if default is not None and len(default) and not default.blank(2)[0]:
        other = np.full(len(table), default.integer(2)[0])
    return np.where(pid == 0, other, pid)


def properties_of(deck: Deck, name: str) -> dict[int, int]:
    """Property of each element of one card name; empty for cards that name none."""
    if name in CARDS and not CARDS[name].properties:
        return {}
    cards = deck.cards(name)
    return dict(zip(cards.integer(1).tolist(), property_ids(cards, defaults_of(deck, name)).tolist()))


def defaults_of(deck: Deck, name: str) -> CardTable | None:
    """Return the card that has defaults for elements of a name (BAROR, BEAMOR), None where there is no such card."""
    default = CARDS[name].defaults if name in CARDS else ""
    return deck.cards(default) if default else None


def find_properties(
    table: CardTable, pid: np.ndarray, sources: Sequence[CardTable]
) -> tuple[np.ndarray, np.ndarray]:
    """Where the properties `pid` (n,) of the elements in `table` stand: number of the source, row in it.

    An id that is in none of the sources, or that is defined twice among them, is a DeckError.
    """
    ids = np.concatenate([source.integer(1) for source in sources])
    source_of = np.concatenate([np.full(len(source), k) for k, source in enumerate(sources)])
    row_of = np.concatenate([np.arange(len(source)) for source in sources])
    order = np.argsort(ids, kind="stable")
    ids, source_of, row_of = ids[order], source_of[order], row_of[order]
    twice = np.flatnonzero(ids[1:] == ids[:-1])
    if len(twice):
        source, row = sources[source_of[twice[0] + 1]], int(row_of[twice[0] + 1])
        raise source.error(row, f"property {ids[twice[0]]} is defined twice")
    at = np.minimum(np.searchsorted(ids, pid), max(len(ids) - 1, 0))
    missing = ids[at] != pid if len(ids) else np.ones(len(pid), dtype=bool)
    if missing.any():
        i = int(np.argmax(missing))
        names = " or ".join(source.name for source in sources)
        raise table.error(
            i,
            f"{table.name} refers to property {pid[i]}, which is not in the deck",
            hint=f"add a {names} with this id or correct the id",
        )
    return source_of[at], row_of[at]


def used_properties(table: CardTable, cards: CardTable) -> tuple[CardTable, np.ndarray]:
    """Property cards that the elements of a table name, and the row of each element's among them."""
    _, row = find_properties(table, property_ids(table), [cards])
    used, back = np.unique(row, return_inverse=True)
    return cards.select(used), back


def positive(table: CardTable, value: np.ndarray, name: str, strict: bool = True) -> None:
    """Raise a DeckError at the first card whose `value` (n,) is not positive (not negative)."""
    bad = ~(value > 0.0) if strict else ~(value >= 0.0)
    if bad.any():
        i = int(np.argmax(bad))
        wanted = "a positive value" if strict else "a value that is not negative"
        raise table.error(i, f"{name} of this {table.name} is not possible", wanted, f"{value[i]:g}")
