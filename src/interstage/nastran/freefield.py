"""Cut the comma-separated lines of the bulk data into fields."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from interstage.nastran.numbers import INTEGER, REAL, parse_text
from interstage.nastran.physical import Lines, pack

_PLUS, _STAR = 43, 42


@dataclass
class FreeSpans:
    """Data fields of the free-field lines that are not blank.

    line, column : (m,) line and place in it, from 0
    at, length : (m,) text in the buffer, without the blanks around it
    long : (k,) lines with more data fields than a line has; their fields are not all here
    """

    line: np.ndarray
    column: np.ndarray
    at: np.ndarray
    length: np.ndarray
    long: np.ndarray


def free_spans(buffer: bytes, lines: Lines) -> FreeSpans:
    """Find the fields of the free-field lines and note their continuation fields in `lines.tail`.

    A line has eight data fields, four if it is large (`*`); the field behind them is the continuation field.
    A `+` or `+ID` at the end of a shorter line is a continuation field too, blank fields behind it or not.
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
    filled = np.flatnonzero(some)
    final = filled[np.append(np.diff(line[filled]) != 0, True)] if len(filled) else filled
    for f in final[plus[final] & (column[final] < limit[final])]:
        raw = buffer[int(at[f]) : int(at[f]) + int(length[f])]
        marks[f] = parse_text(raw.decode("latin-1"))[0] not in (INTEGER, REAL)
    long = np.unique(line[some & (column >= limit) & ~marks])
    for f in np.flatnonzero(marks & (length > 1)):
        lines.tail[line[f]] = pack(buffer[int(at[f]) : int(at[f]) + min(int(length[f]), 8)])
    keep = np.flatnonzero(some & ~marks)
    return FreeSpans(line[keep], column[keep], at[keep], length[keep], long)


def run_on(
    data: bytes, first_line: int, numbers: np.ndarray | None, start: np.ndarray
) -> tuple[bytes, np.ndarray]:
    """Return the text with long free-field lines continued, and the line of the buffer that each line came from.

    `SPC1,100,12456,1,2,3,4,5,6,7,8` goes on with 7 and 8 on a line of its own, as NASTRAN's automatic continuation
    does. `start` are the places of the long lines in `data`, whose lines come from `numbers` (or follow `first_line`).
    """
    given = data.split(b"\n")
    came = np.arange(first_line, first_line + len(given)) if numbers is None else numbers
    ends = np.flatnonzero(np.frombuffer(data, np.uint8) == 10)
    long = set(np.searchsorted(ends, start).tolist())
    lines: list[bytes] = []
    where: list[int] = []
    for k, line in enumerate(given):
        made = _pieces(line) if k in long else [line]
        lines += made
        where += [int(came[k])] * len(made)
    return b"\n".join(lines), np.array(where, dtype=np.int64)


def _pieces(line: bytes) -> list[bytes]:
    """Lines of eight fields (four where the first is large) that a long line stands for."""
    head, *fields = line.split(b"$", 1)[0].split(b",")
    mark, size = (b"*", 4) if b"*" in head else (b"", 8)
    if len(fields) > size and fields[size].strip()[:1] in (b"+", b"*"):
        del fields[size]  # the continuation field
    rows = [fields[at : at + size] for at in range(0, len(fields), size)]
    return [b",".join((head if k == 0 else mark, *row)) for k, row in enumerate(rows)]


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
