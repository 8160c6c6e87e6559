"""Write the tables of docs/decks.md from the declarations of cards: python tests/decks_page.py.

The page has its own order, and says which cards share a row; what is honored and what is not is declared with the card
(`interstage.nastran.cards`). `test_docs_cards.py` compares.
"""

from __future__ import annotations

import re
from pathlib import Path

from interstage.nastran.cards import CARDS

PAGE = Path(__file__).resolve().parents[1] / "docs" / "decks.md"
HEAD = "| card | honored | not honored |"


def written(text: str) -> str:
    """The page with the rows of its tables of cards as they are declared."""
    inside, out = False, []
    for line in text.splitlines():
        inside = line == HEAD or (inside and line.startswith("|"))
        out.append(row(line) if inside and line.startswith("| `") else line)
    return "\n".join(out) + "\n"


def row(line: str) -> str:
    """One row anew, from the names in its first cell."""
    first = line.split("|")[1]
    texts = {(CARDS[name].honored, CARDS[name].limits) for name in re.findall(r"`([A-Z0-9]+)`", first)}
    if len(texts) != 1:
        raise ValueError(f"cards of one row are described in different words:{first}")
    honored, limits = texts.pop()
    return f"|{first}| {honored} | {limits} |" if limits else f"|{first}| {honored} | |"


if __name__ == "__main__":
    PAGE.write_text(written(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
