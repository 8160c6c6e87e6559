"""Read bulk data lines into one flat array of fields, cards one after the other.

Every card gets slots of eight data fields, one slot a small-field line or a pair of large-field lines, in one
flat array for the whole deck. All steps work on all lines together.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from interstage.nastran.cards import TWO_A_CARD
from interstage.nastran.continuation import chain
from interstage.nastran.freefield import FreeSpans, free_spans, run_on
from interstage.nastran.mixed import separated
from interstage.nastran.numbers import BLANK, parse_bytes, parse_text
from interstage.nastran.physical import BLANK8, Lines, eight, find_lines
from interstage.nastran.replicate import write_out
from interstage.nastran.source import Text


@dataclass
class Fields:
    """All data fields of a deck, flat, and the cards they belong to.

    Field j (from 1) of card c is at start[c] + j - 1, below start[c + 1]; fields past width[c] are blank.

    kind, number : (m,) what the field is and its value (see `numbers`)
    offset, length : (m,) where its text lies in `buffer`
    start : (n + 1,) first field of each card;  width : (n,) data fields up to the last one that is not blank
    line : (n,) line of the buffer where the card starts;  code : (n,) its name, index into `names`
    """

    text: Text
    buffer: bytes
    kind: np.ndarray
    number: np.ndarray
    offset: np.ndarray
    length: np.ndarray
    start: np.ndarray
    width: np.ndarray
    line: np.ndarray
    code: np.ndarray
    names: list[str]

    def raw(self, at: int) -> str:
        """Text of the field at flat index `at`, upper case, without outer blanks."""
        begin = int(self.offset[at])
        return self.buffer[begin : begin + int(self.length[at])].decode("latin-1").strip()


def split_fields(text: Text, data: bytes, first_line: int) -> Fields:
    """Cut clean bulk text (upper case, no tabs) into fields.

    `data` starts at line `first_line` of `text`.
    """
    data, numbers = write_out(text, separated(data), first_line)
    buffer, words, lines, spans = _find(text, data, first_line, numbers)
    if spans is not None and len(spans.long):
        data, numbers = run_on(data, first_line, numbers, lines.start[spans.long])
        buffer, words, lines, spans = _find(text, data, first_line, numbers)
    order = chain(text, lines)
    return two_a_card(_fill(text, buffer, words, lines, _Layout(lines, order), spans))


def two_a_card(fields: Fields) -> Fields:
    """Make cards of their own of second elements, which some cards hold in their fields 5 to 8."""
    double = [k for k, name in enumerate(fields.names) if name in TWO_A_CARD]
    which = np.flatnonzero(np.isin(fields.code, double) & (fields.width > 4)) if double else np.zeros(0, int)
    if not len(which):
        return fields
    start, rest = fields.start[which] + 4, fields.width[which] - 4
    fields.width[which] = 4
    fields.start = np.insert(fields.start, which + 1, start)
    for name, values in (("width", rest), ("line", fields.line[which]), ("code", fields.code[which])):
        setattr(fields, name, np.insert(getattr(fields, name), which + 1, values))
    return fields


def _find(
    text: Text, data: bytes, first_line: int, numbers: np.ndarray | None
) -> tuple[bytes, np.ndarray, Lines, FreeSpans | None]:
    """The buffer with room behind it, its words of eight bytes, and the lines and free fields in it."""
    buffer = data + b" " * 32
    words = np.ndarray((len(buffer) - 8,), np.dtype("V8"), buffer, strides=(1,))
    lines = find_lines(text, np.frombuffer(buffer, np.uint8), words, first_line, numbers)
    return buffer, words, lines, free_spans(buffer, lines) if lines.free.any() else None


class _Layout:
    """Slots of eight fields for the lines, in card order."""

    def __init__(self, lines: Lines, order: np.ndarray):
        large, more = lines.large[order], lines.more[order]
        here = np.arange(len(order))
        joined = large.copy()  # large line behind a large line of the same card
        joined[1:] &= large[:-1] & more[1:]
        joined[:1] = False
        run_start = np.maximum.accumulate(np.where(joined, 0, here)) if len(here) else here
        second = joined & ((here - run_start) % 2 == 1)
        slot = np.cumsum(~second) - 1
        self.base = np.empty(len(order), np.int64)
        self.base[order] = 8 * slot + 4 * second
        heads = np.flatnonzero(~more)
        self.head = order[heads]
        self.slots = int(slot[-1]) + 1 if len(slot) else 0
        self.start = np.append(8 * slot[heads], 8 * self.slots)


def _fill(
    text: Text, buffer: bytes, words: np.ndarray, lines: Lines, cards: _Layout, spans: FreeSpans | None
) -> Fields:
    """Read the fields of all lines into the flat arrays."""
    total = 8 * cards.slots
    out = Fields(
        text=text,
        buffer=buffer,
        kind=np.zeros(total, np.uint8),
        number=np.zeros(total, np.int64),
        offset=np.zeros(total, np.int64),
        length=np.zeros(total, np.int64),
        start=cards.start,
        width=np.zeros(len(cards.head), np.int64),
        line=lines.number[cards.head],
        code=np.zeros(len(cards.head), np.int64),
        names=[],
    )
    extent = np.minimum(lines.end - lines.start, 72) - 8
    for wide, size in ((False, 8), (True, 16)):
        pick = np.flatnonzero(~lines.free & (lines.large == wide) & (extent > 0))
        count = (extent[pick] + size - 1) // size
        line = np.repeat(pick, count)
        k = np.arange(len(line)) - np.repeat(np.cumsum(count) - count, count)
        at = lines.start[line] + 8 + size * k
        length = np.minimum(extent[line] - size * k, size)
        _read(out, words, cards.base[line] + k, at, length, size)
    if spans is not None:
        _fill_free(out, words, cards.base[spans.line] + spans.column, spans)
    last = out.kind.reshape(-1, 8) != BLANK
    filled = np.where(last.any(axis=1), 8 - np.argmax(last[:, ::-1], axis=1) + 8 * np.arange(cards.slots), 0)
    if len(cards.head):
        top = np.maximum.reduceat(filled, cards.start[:-1] // 8)
        out.width = np.maximum(top - cards.start[:-1], 0)
    codes, out.code = np.unique(lines.head[cards.head], return_inverse=True)
    spelled = [int(code).to_bytes(8, "little").decode("latin-1").strip() for code in codes]
    plain = [name.replace("*", "").strip() for name in spelled]
    out.names = list(dict.fromkeys(plain))
    renumber = np.array([out.names.index(name) for name in plain], np.int64)
    out.code = renumber[out.code] if len(codes) else out.code
    return out


def _read(
    out: Fields, words: np.ndarray, target: np.ndarray, at: np.ndarray, length: np.ndarray, size: int
) -> None:
    """Parse fields of at most `size` (8 or 16) bytes at buffer positions `at` into flat places `target`."""
    low = eight(words, at, length)
    if size == 8:
        some = np.flatnonzero(low != BLANK8)
        table = low[some][:, None]
    else:
        high = eight(words, at + 8, length - 8)
        some = np.flatnonzero((low != BLANK8) | (high != BLANK8))
        table = np.stack((low[some], high[some]), axis=1)
    where = target[some]
    out.kind[where], out.number[where] = parse_bytes(table.view(np.uint8))
    out.offset[where] = at[some]
    out.length[where] = length[some]


def _fill_free(out: Fields, words: np.ndarray, target: np.ndarray, spans: FreeSpans) -> None:
    """Read the fields of the comma-separated lines."""
    at, length = spans.at, spans.length
    short = np.flatnonzero(length <= 8)
    _read(out, words, target[short], at[short], length[short], 8)
    middle = np.flatnonzero((length > 8) & (length <= 16))
    _read(out, words, target[middle], at[middle], length[middle], 16)
    for f in np.flatnonzero(length > 16):
        where = target[f]
        out.offset[where], out.length[where] = at[f], length[f]
        out.kind[where], value = parse_text(out.raw(where))
        out.number[where] = np.float64(value).view(np.int64) if isinstance(value, float) else value
