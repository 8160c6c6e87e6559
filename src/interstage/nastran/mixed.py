"""Lines that mix free and small field: blanks between numbers, a comma behind a number, a mark in a field.

    PSHEAR, 401     1       1.0     0.5, 1., 30.      blanks separate as commas do
    MAT1    1       3.+7,           .3                the comma ends nothing: field 3 is 3.+7
    MAT1,1,3.+7,,.3   +M1                             the last word is the continuation mark

Nastran takes them so. One blank between digits stays an error: it is more likely a slip.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

import numpy as np

from interstage.nastran.numbers import INTEGER, REAL, parse_text
from interstage.nastran.physical import FREE_COLUMNS

FEW = 100  # lines that are looked at one by one
BLOCK = 1 << 16  # bytes that are looked over at once
_COMMA, _NEWLINE, _BLANK, _PLUS, _STAR = 44, 10, 32, 43, 42
_GAPS = (b"  ", b" +", b" *")
_BEHIND = re.compile(rb"[0-9.],")  # a comma behind a number
_TEXT = (b"DEQATN", b"DRESP", b"PARAM", b"DTI", b"ENDDATA")  # cards with words between blanks


def separated(data: bytes) -> bytes:
    """Bulk text with such lines written in one form; the number of lines stays."""
    first, start = _first_commas(data)
    near = first - start < FREE_COLUMNS
    if b" " not in data and near.all():
        return data
    stop = _ends(data, start)
    mends = [(int(a), int(b), _free_line) for a, b in _with_gaps(data, start[near], stop[near])]
    for a, b in zip(start[~near].tolist(), stop[~near].tolist()):
        if _BEHIND.search(data, a, b):
            mends.append((a, b, _fixed_line))
    return _rewritten(data, mends) if mends else data


def _first_commas(data: bytes) -> tuple[np.ndarray, np.ndarray]:
    """Places of the first comma of every line that has one, and of the start of these lines."""
    found: list[tuple[int, int]] = []
    at = data.find(b",")
    while at >= 0 and len(found) < FEW:
        found.append((at, data.rfind(b"\n", 0, at) + 1))
        end = data.find(b"\n", at)
        at = data.find(b",", end) if end >= 0 else -1
    if at < 0:
        few = np.array(found, dtype=np.int64).reshape(-1, 2)
        return few[:, 0], few[:, 1]
    text, blocks, behind, start = np.frombuffer(data, np.uint8), [], True, 0
    for offset in range(
        0, len(data), BLOCK
    ):  # small arrays are used again, large ones are new memory each time
        block = text[offset : offset + BLOCK]
        marks = np.flatnonzero((block == _COMMA) | (block == _NEWLINE))
        if not len(marks):
            continue
        newline = block[marks] == _NEWLINE
        head = np.flatnonzero(~newline & np.append(behind, newline[:-1]))
        starts = np.append(start, offset + 1 + marks[:-1])[head]
        blocks.append((offset + marks[head], starts))
        behind = bool(newline[-1])
        if behind:
            start = offset + 1 + int(marks[-1])
    first, starts = (np.concatenate(part) for part in zip(*blocks, strict=True))
    return first, starts


def _ends(data: bytes, start: np.ndarray) -> np.ndarray:
    """Ends of the lines that start at these places."""
    if len(start) <= FEW:
        found = np.array([data.find(b"\n", at) for at in start.tolist()], dtype=np.int64)
        return np.where(found < 0, len(data), found)
    ends = np.append(np.flatnonzero(np.frombuffer(data, np.uint8) == _NEWLINE), len(data))
    return ends[np.searchsorted(ends, start)]


def _with_gaps(data: bytes, start: np.ndarray, stop: np.ndarray) -> np.ndarray:
    """Starts and ends (n, 2) of those lines in which two blanks, or a blank and a mark, stand."""
    lines = np.stack([start, stop], axis=1)
    if not len(lines) or b" " not in data:
        return lines[:0]
    if len(lines) <= FEW:  # one by one: small field is full of blanks
        return lines[[any(gap in data[a:b] for gap in _GAPS) for a, b in lines.tolist()]]
    text = np.frombuffer(data, np.uint8)
    blank = np.flatnonzero(text[:-1] == _BLANK)
    behind = text[blank + 1]
    gap = blank[(behind == _BLANK) | (behind == _PLUS) | (behind == _STAR)]
    return lines[np.append(gap, len(data))[np.searchsorted(gap, start)] < stop]


def _rewritten(data: bytes, mends: Sequence[tuple[int, int, Callable[[bytes], bytes]]]) -> bytes:
    """Mend lines by their start and end."""
    out, done = [], 0
    for start, stop, mend in sorted(mends, key=lambda one: one[0]):
        line = data[start:stop]
        if not line.lstrip().startswith(_TEXT):
            out += [data[done:start], mend(line)]
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
