"""The page of supported cards and the declarations of the deck reader name the same cards and parameters."""

from __future__ import annotations

import re
from pathlib import Path

from decks_page import written
from interstage.nastran.cards import CARDS, SUPPORTED
from interstage.nastran.parameters import REFUSED_PARAMS, USED_PARAMS

PAGE = Path(__file__).resolve().parents[1] / "docs" / "decks.md"


def section(title: str) -> str:
    """Text of a second-level section of the page."""
    text = PAGE.read_text(encoding="utf-8")
    return re.search(rf"^## {title}\n(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)[1]


def rows(text: str) -> list[list[str]]:
    """Cells of the table rows whose first cell holds names in backquotes."""
    lines = (line.strip().strip("|").split("|") for line in text.splitlines() if line.startswith("| `"))
    return [[cell.strip() for cell in cells] for cells in lines]


def names(text: str) -> list[str]:
    return [name for cells in rows(text) for name in re.findall(r"`([A-Z0-9]+)`", cells[0])]


def test_every_supported_card_is_on_the_page_once():
    found = names(section("Cards"))
    assert len(found) == len(set(found)), "a card has two rows"
    assert sorted(SUPPORTED - set(found)) == [], "supported cards that docs/decks.md does not explain"
    assert sorted(set(found) - SUPPORTED) == [], "docs/decks.md names cards that the reader does not support"


def test_rows_of_cards_are_those_of_their_declarations():
    """`python tests/decks_page.py` writes them."""
    text = PAGE.read_text(encoding="utf-8")
    assert written(text) == text
    assert all(CARDS[name].honored for name in SUPPORTED)


def test_every_parameter_in_use_is_on_the_page():
    text = section("Parameters")
    assert set(names(text)) == USED_PARAMS
    # CK1 to CK3 stand there as a range
    refused = set(REFUSED_PARAMS)
    assert not [name for name in refused if not re.search(rf"\b{name}\b", text)]
