"""Join component lists that are written with blanks: `1 2 3` in a field of components is 123.

Read a NASTRAN deck: sections, case control, parameters and bulk data cards as columns.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from copy import copy
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np

from interstage.calls import named_arguments
from interstage.errors import DeckError, InputError, shown
from interstage.nastran.assigned import AssignedFile, read_assigned
from interstage.nastran.cards import COMPONENTS, OTHER_LOADS, columns
from interstage.nastran.case import CaseControl, Subcase, Value, read_case, read_solution
from interstage.nastran.checks import (
    check_entries,
    check_ids,
    check_numbers,
    check_params,
    check_types,
    list_requests,
)
from interstage.nastran.lines import Fields, split_fields
from interstage.nastran.numbers import BAD, INTEGER
from interstage.nastran.parameters import USED_PARAMS
from interstage.nastran.source import Text, keyword_lines, text_from_file, text_from_string
from interstage.nastran.table import CardTable


def join_components(fields: Fields) -> None:
    """Turn digits 1 to 6, each once, with blanks between them into an integer where a card has components."""
    bad = np.flatnonzero(fields.kind == BAD)
    if not len(bad):
        return
    card = np.searchsorted(fields.start, bad, side="right") - 1
    for at, c in zip(bad.tolist(), card.tolist()):
        listing = COMPONENTS.get(fields.names[fields.code[c]])
        digits = fields.raw(at).replace(" ", "")
        if (
            listing is None
            or not digits
            or not set(digits) <= set("123456")
            or len(set(digits)) < len(digits)
        ):
            continue
        place = at - int(fields.start[c]) + 1
        if place in columns(listing, place):
            fields.kind[at], fields.number[at] = INTEGER, int(digits)


__all__ = ["CaseControl", "Deck", "Subcase", "deck_from_text", "read_deck"]


_WRITTEN_FOR = re.compile(rb"for Simcenter Nastran version (\d{4}(?:\.\d+)?)", re.IGNORECASE)
_FOR_MSC = re.compile(rb"^\$ *pyNastran *: *version *= *msc\b", re.IGNORECASE | re.MULTILINE)


class GivenMatrix(NamedTuple):
    """A symmetric matrix that a file gives for degrees of freedom of a deck.

    kind : K, M, B or K4; name : for messages; dofs : (n,) of the g-set, by rows; values : (n, n)
    """

    kind: str
    name: str
    dofs: np.ndarray
    values: np.ndarray


@named_arguments
class Deck:
    """A deck that was read.

    Attributes
    ----------
    sol : number of the solution, None if the deck does not say
    case : CaseControl with at least one subcase
    params : PARAM values by name (last one wins, case control over bulk data)
    ignored : names and counts of cards that do not concern the structure
    ignored_requests : case control that is not carried out (STRESS, FORCE, ...), with the number of lines
    notes : sentences about what was taken with a word
    parts : decks of part superelements (BEGIN SUPER) by number; this one is then the residual structure
    assigned : files of ASSIGN INPUTT2 and INPUTT4 by unit
    given : matrices of files, in place of cards, that are added to stiffness, mass and damping
    static_refusals : errors to raise if statics is asked for: requests that change its loads
    response_refusals : errors to raise if a response is asked for: requests that change its matrices
    """

    def __init__(
        self,
        fields: Fields,
        sol: int | None,
        case: CaseControl,
        name: str = "deck",
        sol_name: str | None = None,
    ):
        self._fields, self.sol, self.case, self.name, self.sol_name = fields, sol, case, name, sol_name
        self.ignored: dict[str, int] = {}
        self.ignored_requests: dict[str, int] = {}
        self.notes: list[str] = fields.text.notes
        self.parts: dict[int, Deck] = {}
        self.assigned: dict[int, AssignedFile] = {}
        self.given: list[GivenMatrix] = []
        self.static_refusals: list[DeckError] = []
        self.response_refusals: list[DeckError] = []
        order = np.argsort(fields.code, kind="stable")
        bounds = np.searchsorted(fields.code[order], np.arange(len(fields.names) + 1))
        self._index = {name: order[bounds[k] : bounds[k + 1]] for k, name in enumerate(fields.names)}
        self.params: dict[str, Value | tuple[Value, ...]] = self._read_params()
        self.params.update(case.params)
        self._merge_subcase_params()

    def cards(self, name: str) -> CardTable:
        """Table of all cards of one name, empty if there are none."""
        name = name if name in self._index else name.upper()
        return CardTable(self._fields, name, self._index.get(name, np.zeros(0, np.int64)))

    @property
    def counts(self) -> dict[str, int]:
        """Number of cards by name, alphabetical."""
        return {name: len(self._index[name]) for name in sorted(self._index)}

    @property
    def written_for(self) -> tuple[str, float] | None:
        """Solver and version that a preprocessor names in its opening comment, or None.

        >>> deck_from_text("$* for Simcenter Nastran version 2022.1\\nGRID,1").written_for
        ('Simcenter Nastran', 2022.1)
        """
        found = _WRITTEN_FOR.search(self._fields.text.data[:20_000])
        return None if found is None else ("Simcenter Nastran", float(found.group(1)))

    @property
    def for_msc(self) -> bool:
        """Whether a writer of decks says in its opening comment that this one is for MSC Nastran.

        >>> deck_from_text("$pyNastran: version=msc\\nGRID,1").for_msc
        True
        """
        return _FOR_MSC.search(self._fields.text.data[:20_000]) is not None

    @property
    def files(self) -> list[str]:
        """The main file and those it INCLUDEs, in reading order."""
        return list(self._fields.text.files)

    def text(self) -> str:
        """The whole deck as one text, INCLUDEs in place."""
        return self._fields.text.data.decode("utf-8", "replace")

    def keep(self, name: str, mask: np.ndarray) -> None:
        """Keep only the cards `name` where `mask`, one truth value for each of them, is true."""
        index = self._index.get(name, np.zeros(0, np.int64)) if isinstance(name, str) else None
        if index is None:
            raise InputError("the name of cards must be a text", got=shown(name))
        wanted = np.asarray(mask)
        if wanted.dtype != np.bool_ or wanted.shape != index.shape:
            raise InputError(
                "mask must have one truth value for each card",
                where=name,
                expected=f"{len(index)} of them",
                got=shown(mask),
            )
        if len(index):
            self._index[name] = index[wanted]

    def drop(self, file: str, line: int) -> tuple[str, str] | None:
        """Leave out the card that starts on a line of a file; returns its name and first field, or None."""
        at = np.flatnonzero(np.isin(self._fields.line, self._fields.text.buffer_lines(file, line)))
        for name, index in self._index.items():
            hit = np.isin(index, at)
            if hit.any():
                first = self.cards(name).select(hit).row(0)[:1]
                self.keep(name, ~hit)
                return name, str(first[0]) if first else ""
        return next((gone for part in self.parts.values() if (gone := part.drop(file, line))), None)

    def check_loads(self, sids: Iterable[int]) -> None:
        """Refuse static loads of the sets `sids` that are not supported (see `cards.OTHER_LOADS`)."""
        try:
            wanted = np.unique(np.fromiter(sids, np.int64))
        except (TypeError, ValueError, OverflowError):
            raise InputError("load sets are whole numbers", got=shown(sids)) from None
        for name in sorted(OTHER_LOADS & self._index.keys()):
            table = self.cards(name)
            for i in np.flatnonzero(table.is_integer(1) & np.isin(table.integer(1, -1), wanted)):
                raise table.error(
                    int(i), f"the load {name} is not supported and load set {table.row(int(i))[0]} uses it"
                )

    def param_error(self, name: str, what: str, **more: str | None) -> DeckError:
        """Make (not raise) an error about a PARAM, with file and line of its last card or command."""
        table = self.cards("PARAM")
        rows = [i for i in range(len(table)) if table.row(i)[:1] == [name]]
        if rows and name not in self.case.param_lines:
            return table.error(rows[-1], what, **more)
        return self._fields.text.error(self.case.param_lines.get(name, 0), what, **more)

    def _read_params(self) -> dict[str, Value | tuple[Value, ...]]:
        """PARAM cards of the bulk data: PARAM, name, value (and imaginary part)."""
        out: dict[str, Value | tuple[Value, ...]] = {}
        table = self.cards("PARAM")
        named = table.is_word(1)
        for i, row in enumerate(table.rows()):
            name = str(row[0]) if named[i] else ""
            if len(row) < 2 or not name or "," in name or row[1] is None:
                raise table.error(i, "PARAM needs a name and a value")
            value = row[1] if len(row) < 3 or row[2] is None else (row[1], row[2])
            if name in USED_PARAMS and out.get(name, value) != value:
                self.notes.append(f"PARAM {name} is given twice: {value} holds, and not {out[name]}")
            out[name] = value
        return out

    def _merge_subcase_params(self) -> None:
        """PARAMs inside subcases hold for the deck; those that matter may not differ between subcases."""
        seen: dict[str, Value | tuple[Value, ...]] = {}
        for subcase in self.case.subcases:
            for name, value in subcase.params.items():
                if name in USED_PARAMS and seen.setdefault(name, value) != value:
                    raise self._fields.text.error(
                        self.case.param_lines[name],
                        f"PARAM {name} differs between subcases",
                        hint="use one deck for each",
                    )
                self.params[name] = value

    def __repr__(self) -> str:
        cards = ", ".join(f"{name} {count}" for name, count in self.counts.items())
        lines = [
            f"Deck {self.name}: SOL {self.sol or self.sol_name or 'not given'}, "
            f"{len(self.case.subcases)} subcase(s), {len(self._fields.line)} cards",
            f"  cards: {cards or 'none'}",
        ]
        if self.ignored:
            lines.append("  ignored: " + ", ".join(f"{k} {v}" for k, v in self.ignored.items()))
        return "\n".join(lines)


@named_arguments
def read_deck(path: str | Path, allow_outside: bool = False, strict: bool = True) -> Deck:
    """Read the deck in the file `path` with its INCLUDEs.

    Parameters
    ----------
    allow_outside : let INCLUDE leave the folder tree of the main deck
    strict : refuse cards that may change the structure and are not supported
    """
    return _read(text_from_file(path, allow_outside), Path(path).name, strict)


@named_arguments
def deck_from_text(text: str, strict: bool = True) -> Deck:
    """Read a deck given as a string: bulk data only, or with executive and case control.

    >>> deck = deck_from_text("GRID,1,,0.,1.5,7.-4")
    >>> deck.cards("GRID").real(5)
    array([0.0007])
    """
    return _read(text_from_string(text), "text", strict)


def _read(text: Text, name: str, strict: bool) -> Deck:
    """Cut the sections and read each."""
    header, sections = _sections(text)
    executive, case_lines = _split_header(header)
    sol, sol_name = read_solution(text, executive)
    case = read_case(text, case_lines)
    parts: dict[int, Deck] = {}
    for number, bulk, first in sections:
        fields = split_fields(text, bulk, first)
        join_components(fields)
        own = case if len(sections) == 1 else case.of_superelement(number)
        parts[number] = Deck(fields, sol, own, f"{name}, part {number}" if number else name, sol_name)
    _select_own_sets(parts)
    deck = parts.pop(0)
    deck.parts, deck.assigned = parts, read_assigned(text, executive)
    deck.ignored.update(case.ignored)
    for word in (line.split()[0].upper() for _, line in executive if line.split()):
        if word in ("ALTER", "MALTER", "COMPILE", "DMAP"):  # changes of the solution sequence are not run
            deck.ignored[word] = deck.ignored.get(word, 0) + 1
    for one in (deck, *parts.values()):
        list_requests(one)
        if strict:
            check_entries(one)
            check_params(one)
            check_numbers(one)
            check_types(one)
            check_ids(one)
    for one in parts.values():
        for word, count in one.ignored.items():
            deck.ignored[word] = deck.ignored.get(word, 0) + count
    return deck


# sets that case control selects, and the cards that make them
_SET_CARDS = {
    "spc": ("SPC", "SPC1", "SPCADD"),
    "mpc": ("MPC", "MPCADD"),
    "suport1": ("SUPORT1",),
    "method": ("EIGRL", "EIGR"),
}


def _select_own_sets(parts: dict[int, Deck]) -> None:
    """A part that does not have a set which its case control selects, and another part has, selects none."""
    if len(parts) == 1:
        return
    for kind, names in _SET_CARDS.items():
        own = {}
        for number, deck in parts.items():
            tables = [deck.cards(name) for name in names]
            ids = [table.select(table.is_integer(1)).integer(1) for table in tables]
            own[number] = set(np.concatenate(ids).tolist())
        known = set().union(*own.values())
        for number, deck in parts.items():
            cases = [copy(one) for one in deck.case.subcases]
            for one in cases:
                if getattr(one, kind) in known - own[number]:
                    setattr(one, kind, None)
            deck.case = replace(deck.case, subcases=cases)


def _sections(text: Text) -> tuple[bytes, list[tuple[int, bytes, int]]]:
    """Header (as written), and (superelement, clean bulk data, buffer line where they start) of each section."""
    upper = text.clean
    begins = list(keyword_lines(upper, b"BEGIN"))
    if not begins:
        for start, _, word in keyword_lines(upper, b"SOL", b"CEND"):
            raise text.error(
                upper.count(b"\n", 0, start),
                f"the deck has {word.decode()} but no BEGIN BULK",
                hint="put BEGIN BULK before the bulk data",
            )
        return b"", [(0, upper, 0)]
    out: list[tuple[int, bytes, int]] = []
    for k, (start, stop, _) in enumerate(begins):
        line = upper.count(b"\n", 0, start)
        end = upper.find(b"\n", stop) + 1
        number = _superelement(text, line, upper[stop:end])
        last = begins[k + 1][0] if k + 1 < len(begins) else len(upper)
        if number in [one for one, _, _ in out]:
            what = f"part {number}" if number else "the main bulk data"
            raise text.error(line, f"a second BEGIN of {what}", hint="each part has one section")
        out.append((number, upper[end:last], line + 1))
    if not any(number == 0 for number, _, _ in out):
        raise text.error(
            out[0][2] - 1,
            "the deck has parts (BEGIN SUPER) but no main bulk data section",
            hint="put BEGIN BULK before the residual structure",
        )
    line = out[0][2] - 1
    return b"\n".join(text.data.split(b"\n", line)[:line]), out


def _superelement(text: Text, line: int, rest: bytes) -> int:
    """Number of the superelement of BEGIN BULK (0), BEGIN SUPER = n or BEGIN BULK SUPER = n."""
    words = rest.split(b"$", 1)[0].replace(b"=", b" ").replace(b",", b" ").split()
    if words[:1] == [b"BULK"]:
        words = words[1:]
    if not words:
        return 0
    if len(words) == 2 and words[0] == b"SUPER" and words[1].isdigit() and len(words[1]) < 9:
        return int(words[1])
    raise text.error(
        line,
        "only the main bulk data (BEGIN BULK) and parts (BEGIN SUPER = n) are supported",
        got=b" ".join(words).decode("latin-1"),
        hint="auxiliary models and other sections have to go",
    )


def _split_header(header: bytes) -> tuple[list[tuple[int, str]], list[tuple[int, str]]]:
    """Executive and case control lines, numbered, without comments; cut at CEND (both, if there is none)."""
    lines = [
        (k, line.split(b"$", 1)[0].decode("utf-8", "replace").expandtabs(8))
        for k, line in enumerate(header.split(b"\n"))
    ]
    for k, (_, line) in enumerate(lines):
        if line.strip().upper() == "CEND":
            return lines[:k], lines[k + 1 :]
    return lines, [(k, line) for k, line in lines if line.strip()[:4].upper() not in ("SOL ", "SOL")]
