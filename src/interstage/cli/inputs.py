"""Read a deck given on the command line, after a look at what the file is; say what is wrong in flags."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
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
    from interstage.output import is_file

    if not is_file(path):
        return
    try:
        with open(path, "rb") as f:
            head = f.read(2048)
    except OSError:
        return
    start = head.lstrip().lower()
    kind = next((words for mark, words in SIGNATURES.items() if start.startswith(mark.lower())), None)
    if kind is None and b"\0" in re.split(rb"\n\s*enddata", b"\n" + start, maxsplit=1)[0]:
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


@contextmanager
def in_flags(flags: Mapping[str, str]) -> Iterator[None]:
    """Let errors name the flags of a command where they name parameters of a function.

    flags : parameter -> flag. Messages write a parameter as a word that is none of English (n_modes, aset), as
    `name=value`, or as all that `where` says.
    """
    from interstage.errors import InputError, ModelError

    try:
        yield
    except (InputError, ModelError) as error:
        parts = {key: flagged(getattr(error, key), flags) for key in ("expected", "got", "hint")}
        where = flags.get(error.where or "", flagged(error.where, flags))
        kind = InputError if isinstance(error, InputError) else ModelError
        raise kind(flagged(error.what, flags) or "", where=where, **parts) from None


def flagged(text: str | None, flags: Mapping[str, str]) -> str | None:
    """Return a message with flags in the place of parameters.

    >>> flagged("damping is high; write damping=0.05, or set n_modes", {"damping": "--damping", "n_modes": "--modes"})
    'damping is high; write --damping 0.05, or set --modes'
    """
    if text is None:
        return None
    english = {"damping", "subcase", "units"}
    for name, flag in flags.items():
        text = re.sub(rf"\b{name}=(?=\S)", f"{flag} ", text)
        if name not in english:
            text = re.sub(rf"(?<![-\w]){name}\b", flag, text)
    return text
