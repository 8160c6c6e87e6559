"""Lines that mix free and small field: blanks between numbers, a comma behind a number, a mark in a field.

    PSHEAR, 401     1       1.0     0.5, 1., 30.      blanks separate as commas do
    MAT1    1       3.+7,           .3                the comma ends nothing: field 3 is 3.+7
    MAT1,1,3.+7,,.3   +M1                             the last word is the continuation mark

Nastran takes them so. One blank between digits stays an error: it is more likely a slip.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

import numpy as np

from interstage.nastran.numbers import INTEGER, REAL, parse_text
from interstage.nastran.physical import FREE_COLUMNS

_COMMA, _NEWLINE, _BLANK, _PLUS, _STAR, _POINT = 44, 10, 32, 43, 42, 46
_TEXT = (b"DEQATN", b"DRESP", b"PARAM", b"DTI", b"ENDDATA")  # cards with words between blanks


def separated(data: bytes) -> bytes:
    """Bulk text with such lines written in one form; the number of lines stays."""
    if b"," not in data:
        return data
    text = np.frombuffer(data, np.uint8)
    commas, starts = np.flatnonzero(text == _COMMA), np.append(0, np.flatnonzero(text == _NEWLINE) + 1)
    line = np.searchsorted(starts, commas, side="right") - 1
    near = commas - starts[line] < FREE_COLUMNS
    free = np.zeros(len(starts), dtype=bool)
    free[line[near]] = True
    before = text[commas - 1]
    number = ((before >= 48) & (before <= 57)) | (before == _POINT)  # a digit or a point
    behind = number & ~near & ~free[line]
    mends = {int(k): _free_line for k in _gaps(data, text, starts, free)} | {
        int(k): _fixed_line for k in line[behind]
    }
    return _rewritten(data, starts, mends) if mends else data


def _gaps(data: bytes, text: np.ndarray, starts: np.ndarray, free: np.ndarray) -> np.ndarray:
    """Numbers of the free-field lines in which two blanks, or a blank and a mark, stand."""
    lines = np.flatnonzero(free)
    if 4 * len(lines) < len(free):  # one by one: small field is full of blanks
        ends = np.append(starts[1:], len(data))
        parts = (data[int(starts[k]) : int(ends[k])] for k in lines)
        return lines[
            np.fromiter(
                (any(gap in part for gap in (b"  ", b" +", b" *")) for part in parts), bool, len(lines)
            )
        ]
    blank = text == _BLANK
    gap = np.flatnonzero(blank[:-1] & (blank[1:] | (text[1:] == _PLUS) | (text[1:] == _STAR)))
    odd = np.zeros(len(starts), dtype=bool)
    odd[np.searchsorted(starts, gap, side="right") - 1] = True
    return np.flatnonzero(odd & free)


def _rewritten(data: bytes, starts: np.ndarray, mends: Mapping[int, Callable[[bytes], bytes]]) -> bytes:
    """Mend lines by number."""
    out, done = [], 0
    for k in sorted(mends):
        start = int(starts[k])
        stop = int(starts[k + 1]) - 1 if k + 1 < len(starts) else len(data)
        line = data[start:stop]
        if not line.lstrip().startswith(_TEXT):
            out += [data[done:start], mends[k](line)]
            done = stop
    return b"".join([*out, data[done:]])


def _is_number(raw: bytes) -> bool:
    return parse_text(raw.decode("latin-1").strip())[0] in (INTEGER, REAL)


def _free_line(line: bytes) -> bytes:
    content, dollar, comment = line.partition(b"$")
    head, *fields = content.split(b",")
    out = [head]
    for k, field in enumerate(fields):
        words = field.split()
        if (
            k == len(fields) - 1
            and len(words) > 1
            and words[-1][:1] in (b"+", b"*")
            and not _is_number(words[-1])
        ):
            mark = words.pop()
            field = field[: field.rindex(mark)]
            out += _parts(field) + [mark]
        else:
            out += _parts(field)
    return b",".join(out) + dollar + comment


def _parts(field: bytes) -> list[bytes]:
    """A field, or the numbers in it if two blanks or more are between them."""
    parts = re.split(rb" {2,}", field.strip())
    return parts if len(parts) > 1 and all(map(_is_number, parts)) else [field]


def _fixed_line(line: bytes) -> bytes:
    content, dollar, comment = line.partition(b"$")
    size = 16 if b"*" in content[:8] else 8
    fields = [content[:8], *(content[at : at + size] for at in range(8, len(content), size))]
    for k, field in enumerate(fields[1:], 1):
        plain = field.rstrip()
        if plain.endswith(b",") and _is_number(plain[:-1]):
            fields[k] = plain[:-1] + b" " * (len(field) - len(plain) + 1)
    return b"".join(fields) + dollar + comment
