"""Cut the comma-separated lines of the bulk data into fields."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from interstage.nastran.numbers import INTEGER, REAL, parse_text
from interstage.nastran.physical import Lines, pack
from interstage.nastran.source import Text

_PLUS, _STAR = 43, 42


@dataclass
class FreeSpans:
    """Data fields of the free-field lines that are not blank.

    line, column : (m,) line and place in it, from 0
    at, length : (m,) text in the buffer, without the blanks around it
    """

    line: np.ndarray
    column: np.ndarray
    at: np.ndarray
    length: np.ndarray


def free_spans(text: Text, buffer: bytes, lines: Lines) -> FreeSpans:
    """Find the fields of the free-field lines and note their continuation fields in `lines.tail`.

    A line has eight data fields, four if it is large (`*`); the field behind them is the continuation field.
    A `+` or `+ID` at the end of a shorter line is a continuation field too.
    """
    pick = np.flatnonzero(lines.free)
    count = np.diff(lines.comma_start)[pick]
    line = np.repeat(pick, count)
    column = np.arange(len(line)) - np.repeat(np.cumsum(count) - count, count)
    at = lines.commas + 1
    last = np.cumsum(count) - 1
    stop = np.append(lines.commas[1:], 0)
    stop[last] = lines.end[pick]
    at, length = _strip(np.frombuffer(buffer, np.uint8), at, stop - at)
    limit = np.where(lines.large[line], 4, 8)
    some = length > 0
    lead = np.frombuffer(buffer, np.uint8)[at]
    plus = some & ((lead == _PLUS) | (lead == _STAR))
    marks = plus & (column == limit)
    for f in last[plus[last] & (column[last] < limit[last])]:
        raw = buffer[int(at[f]) : int(at[f]) + int(length[f])]
        marks[f] = parse_text(raw.decode("latin-1"))[0] not in (INTEGER, REAL)
    excess = np.flatnonzero(some & (column >= limit) & ~marks)
    if len(excess):
        f = excess[0]
        raise text.error(
            int(lines.number[line[f]]),
            f"a free-field line has more than {int(limit[f])} data fields",
            hint="continue the card on a new line that starts with a comma",
        )
    for f in np.flatnonzero(marks & (length > 1)):
        lines.tail[line[f]] = pack(buffer[int(at[f]) : int(at[f]) + min(int(length[f]), 8)])
    keep = np.flatnonzero(some & ~marks)
    return FreeSpans(line[keep], column[keep], at[keep], length[keep])


def _strip(bytes_: np.ndarray, at: np.ndarray, length: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Drop blanks before and behind the fields."""
    rough = np.flatnonzero((length > 0) & ((bytes_[at] == 32) | (bytes_[at + length - 1] == 32)))
    if not len(rough):
        return at, length
    start, stop = at[rough], at[rough] + length[rough]
    solid = np.append(np.flatnonzero(bytes_ != 32), len(bytes_))
    begin = np.minimum(solid[np.searchsorted(solid, start)], stop)
    final = solid[np.maximum(np.searchsorted(solid, stop) - 1, 0)]
    at, length = at.copy(), length.copy()
    at[rough], length[rough] = begin, np.where(begin < stop, final - begin + 1, 0)
    return at, length
