"""Cards of one name as columns: integers, reals and words by field number, with defaults and clear errors."""

from __future__ import annotations

import operator
from collections.abc import Iterator

import numpy as np

from interstage.calls import named_arguments
from interstage.errors import DeckError, InputError
from interstage.nastran.lines import Fields
from interstage.nastran.numbers import BAD, BLANK, INTEGER, REAL, WORD


class _Required:
    """Marks a field without a default."""

    def __repr__(self) -> str:
        return "REQUIRED"


REQUIRED = _Required()

_WANTED = {INTEGER: "an integer", REAL: "a real number", WORD: "a word"}


@named_arguments
class CardTable:
    """All cards of one name.

    Data fields are numbered from 1, the first field after the card's name; each small-field line has eight,
    so that the first continuation starts with field 9 (large and free field are numbered the same way).

    Attributes
    ----------
    name : card name, upper case, without `*`
    width : (n,) number of data fields up to the last one that is not blank
    """

    def __init__(self, fields: Fields, name: str, cards: np.ndarray):
        self._fields, self.name, self._cards = fields, name, cards

    def __len__(self) -> int:
        return len(self._cards)

    def __repr__(self) -> str:
        return f"<{self.name}: {len(self)} cards>"

    @property
    def width(self) -> np.ndarray:
        """Number of data fields of each card, trailing blanks not counted (n,)."""
        return self._fields.width[self._cards]

    @property
    def lines(self) -> np.ndarray:
        """Place of each card in reading order (n,), for comparing cards of different names."""
        return self._fields.line[self._cards]

    def _gather(self, j: int) -> tuple[np.ndarray, np.ndarray]:
        """Kind of field j of every card, and its index in the flat arrays (0 where the card is shorter)."""
        if not 1 <= operator.index(j) < 2**31:
            raise InputError("data fields are numbered from 1", where=self.name, got=str(j))
        have = self.width >= j
        at = np.where(have, self._fields.start[self._cards] + (j - 1), 0)
        if not len(self._fields.kind):
            return np.zeros(len(self), np.uint8), at
        return np.where(have, self._fields.kind[at], BLANK), at

    def _refuse(self, wrong: np.ndarray, kind: np.ndarray, j: int, wanted: int) -> None:
        """Raise the error about the first card of mask `wrong`."""
        bad = np.flatnonzero(wrong)
        if not len(bad):
            return
        i = int(bad[0])
        place = field_name(j)
        if kind[i] == BLANK:
            raise self.error(i, f"{self.label(i)}: {place} is missing", expected=_WANTED[wanted])
        raw = self._fields.raw(int(self._fields.start[self._cards[i]]) + j - 1)
        what = "is not a number" if kind[i] in (BAD, WORD) and wanted != WORD else "has the wrong type"
        raise self.error(i, f"{self.label(i)}: {place} {what}", expected=_WANTED[wanted], got=repr(raw))

    def _card(self, i: int) -> int:
        """Return where card i stands in the deck."""
        if not -len(self) <= operator.index(i) < len(self):
            raise InputError(f"there is no {self.name} card {i}", expected=f"0 to {len(self) - 1}")
        return int(self._cards[i])

    def label(self, i: int) -> str:
        """Name of the card with its id, if it has one."""
        card = self._card(i)
        at = int(self._fields.start[card])
        if self._fields.width[card] > 0 and self._fields.kind[at] == INTEGER:
            return f"{self.name} {int(self._fields.number[at])}"
        return self.name

    def integer(self, j: int, default: int | _Required = REQUIRED) -> np.ndarray:
        """Integers of field j (n,); blanks become `default`, or are an error without one."""
        kind, at = self._gather(j)
        blank = kind == BLANK
        wrong = kind != INTEGER
        if default is not REQUIRED:
            wrong &= ~blank
        self._refuse(wrong, kind, j, INTEGER)
        if not len(self):
            return np.zeros(0, np.int64)
        value = self._fields.number[at] if len(self._fields.number) else np.zeros(len(self), np.int64)
        return np.where(blank, 0 if isinstance(default, _Required) else default, value).astype(np.int64)

    def real(self, j: int, default: float | _Required = REQUIRED) -> np.ndarray:
        """Reals of field j (n,), integers accepted; blanks become `default`, or are an error without one."""
        kind, at = self._gather(j)
        blank = kind == BLANK
        wrong = (kind != REAL) & (kind != INTEGER)
        if default is not REQUIRED:
            wrong &= ~blank
        self._refuse(wrong, kind, j, REAL)
        if not len(self) or not len(self._fields.number):
            return np.full(len(self), 0.0 if default is REQUIRED else default, float)
        number = self._fields.number[at]
        value = np.where(kind == REAL, number.view(np.float64), number.astype(np.float64))
        return np.where(blank, 0.0 if isinstance(default, _Required) else default, value)

    def word(self, j: int, default: str | _Required | None = REQUIRED) -> np.ndarray:
        """Upper-case words of field j (n,) of dtype object; blanks become `default`, or are an error."""
        kind, at = self._gather(j)
        blank = kind == BLANK
        wrong = (kind == INTEGER) | (kind == REAL)
        if default is REQUIRED:
            wrong |= blank
        self._refuse(wrong, kind, j, WORD)
        out = np.empty(len(self), object)
        out[:] = None if default is REQUIRED else default
        for i in np.flatnonzero(~blank):
            out[i] = self._fields.raw(int(at[i]))
        return out

    def blank(self, j: int) -> np.ndarray:
        """Where field j is blank (n,)."""
        return self._gather(j)[0] == BLANK

    def is_integer(self, j: int) -> np.ndarray:
        """Where field j holds an integer (n,)."""
        return self._gather(j)[0] == INTEGER

    def is_real(self, j: int) -> np.ndarray:
        """Where field j holds a real number (n,)."""
        return self._gather(j)[0] == REAL

    def is_word(self, j: int) -> np.ndarray:
        """Where field j holds a word (n,)."""
        return self._gather(j)[0] == WORD

    def row(self, i: int) -> list[int | float | str | None]:
        """Values of card i as a list; index 0 is data field 1. A field that is no number is a string."""
        fields, card = self._fields, self._card(i)
        start = int(fields.start[card])
        out: list[int | float | str | None] = []
        for at in range(start, start + int(fields.width[card])):
            kind = fields.kind[at]
            if kind == BLANK:
                out.append(None)
            elif kind == INTEGER:
                out.append(int(fields.number[at]))
            elif kind == REAL:
                out.append(float(fields.number[at : at + 1].view(np.float64)[0]))
            else:
                out.append(fields.raw(at))
        return out

    def rows(self) -> Iterator[list[int | float | str | None]]:
        """Iterate over the cards as lists (see `row`)."""
        return (self.row(i) for i in range(len(self)))

    def select(self, which: np.ndarray) -> CardTable:
        """Subset of the cards by mask or by index."""
        which = np.asarray(which)
        if which.dtype != bool:
            which = which.astype(np.int64)
        try:
            return CardTable(self._fields, self.name, self._cards[which])
        except IndexError:
            wanted = f"a mask of {len(self)} flags, or numbers from 0 to {len(self) - 1}"
            raise InputError(f"not a choice of {self.name} cards", expected=wanted) from None

    def where(self, i: int) -> str:
        """Place of card i: "file, line N"."""
        file, line = self._fields.text.place(int(self._fields.line[self._card(i)]))
        return f"{file}, line {line}"

    def error(
        self, i: int, what: str, expected: str | None = None, got: str | None = None, hint: str | None = None
    ) -> DeckError:
        """Make (not raise) an error about card i with its file, line and image."""
        line = int(self._fields.line[self._card(i)])
        return self._fields.text.error(line, what, expected=expected, got=got, hint=hint)

    def unique_ids(self) -> np.ndarray:
        """Identification numbers in field 1 (n,); a duplicate is an error."""
        ids = self.integer(1)
        order = np.argsort(ids, kind="stable")
        twice = np.flatnonzero(ids[order][1:] == ids[order][:-1])
        if len(twice):
            first, second = order[twice[0]], order[twice[0] + 1]
            raise self.error(
                int(second),
                f"{self.name} {ids[second]} is defined twice",
                hint=f"the other one is in {self.where(int(first))}",
            )
        return ids


def field_name(j: int) -> str:
    """Name data field j as NASTRAN users do, where field 1 holds the card's name.

    >>> field_name(3), field_name(9)
    ('field 4', 'field 2 of continuation 1')
    """
    line, column = divmod(j - 1, 8)
    return f"field {column + 2}" + (f" of continuation {line}" if line else "")
