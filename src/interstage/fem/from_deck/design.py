"""Design variables of an optimization deck whose start values differ from the cards that they belong to."""

from __future__ import annotations

from collections.abc import Iterator

from interstage.nastran import CardTable, Deck
from interstage.nastran.cards import CARDS

OPTIMIZATION = 200


def design_notes(deck: Deck) -> list[str]:
    """Return a warning where SOL 200 would start from other values than those of the cards, which hold here."""
    if deck.sol != OPTIMIZATION:
        return []
    start = dict(zip(*_columns(deck.cards("DESVAR"))))
    total, replaced, example = 0, 0, ""
    for label, value, held in _relations(deck, start):
        total += 1
        same = (
            value is not None and held is not None and abs(value - held) <= 1e-6 * max(abs(held), abs(value))
        )
        if same:
            continue
        replaced += 1
        known = value is not None and held is not None
        example = example or (f"{label}: {held:g} becomes {value:g}" if known else f"{label}: not compared")
    if not replaced:
        return []
    return [
        f"warning: SOL 200 starts from the values of DESVAR, which replace those of {replaced} of the {total} fields "
        f"that DVPREL1, DVMREL1 and DVCREL1 name ({example}); here the cards hold as they are written"
    ]


def _columns(table: CardTable) -> tuple[list[int], list[float]]:
    """Numbers and start values of DESVAR cards."""
    if not len(table):
        return [], []
    return table.integer(1).tolist(), table.real(3, 0.0).tolist()


def _relations(deck: Deck, start: dict[int, float]) -> Iterator[tuple[str, float | None, float | None]]:
    """What each relation sets, to what, and what the card has: value = C0 + Σ COEFi XINITi."""
    for name in ("DVPREL1", "DVMREL1", "DVCREL1"):
        for row in deck.cards(name).rows():
            row = row + [None] * (8 - len(row))
            card, number, field = str(row[1]), row[2], row[3]
            pairs = list(zip(row[8::2], row[9::2]))
            plain = all(
                isinstance(dv, int) and dv in start and isinstance(factor, float) for dv, factor in pairs
            )
            constant = row[6] if isinstance(row[6], float) else 0.0
            value = constant + sum(factor * start[dv] for dv, factor in pairs) if plain and pairs else None
            yield f"{card} {number} {field}", value, _held(deck.cards(card), number, field)
    for name in ("DVPREL2", "DVMREL2", "DVCREL2"):
        for row in deck.cards(name).rows():
            yield " ".join(str(one) for one in row[1:4]), None, None


def _held(table: CardTable, number: object, field: object) -> float | None:
    """Value of a field of the card with a number, None where it is not known."""
    if isinstance(field, int):
        # fields are counted from the card's name over all ten of a line
        place = field // 10 * 8 + field % 10 - 1 if field > 0 else 0
    else:
        place = CARDS[table.name].named.get(str(field), 0) if table.name in CARDS else 0
    for row in table.rows():
        if row[:1] == [number] and 0 < place <= len(row):
            value = row[place - 1]
            return float(value) if isinstance(value, (int, float)) else None
    return None
