"""Read a deck given on the command line, after a look at what the file is."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from interstage.fem import FEModel
    from interstage.nastran import Deck

SIGNATURES = {
    b"\x89HDF": "an HDF5 file",
    b"\x89PNG": "a picture (PNG)",
    b"%PDF": "a PDF file",
    b"PK\x03\x04": "a zip archive",
    b"\x1f\x8b": "a gzip archive",
    b"<!doctype html": "a web page",
    b"<html": "a web page",
    b"<?xml": "an XML file",
    b"{": "a JSON file",
}


def check_deck(path: Path) -> None:
    """Refuse files that cannot be decks, by their first bytes; whatever else is wrong is left to the reader."""
    from interstage.errors import FileError

    if not path.is_file():
        return
    try:
        with open(path, "rb") as f:
            head = f.read(2048)
    except OSError:
        return
    start = head.lstrip().lower()
    kind = next((words for mark, words in SIGNATURES.items() if start.startswith(mark.lower())), None)
    if kind is None and b"\0" in head:
        kind = "a binary file"
    if kind is not None:
        hint = "'interstage info' and 'interstage report' read HDF5 files" if "HDF5" in kind else None
        raise FileError("this is not a NASTRAN deck", where=str(path), expected="text", got=kind, hint=hint)


def read_model(path: Path, allow_outside: bool, report: Callable[[str], None]) -> tuple[Deck, FEModel]:
    """Return the cards of a deck and its finite-element model, telling what is done."""
    from interstage.fem import FEModel
    from interstage.nastran import read_deck

    report("reading the deck")
    check_deck(path)
    cards = read_deck(path, allow_outside=allow_outside)
    report("assembling matrices")
    return cards, FEModel.from_deck(cards)
