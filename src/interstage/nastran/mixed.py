"""Lines that mix free and small field: blanks between numbers, a comma behind a number, a mark in a field.

    PSHEAR, 401     1       1.0     0.5, 1., 30.      blanks separate as commas do
    MAT1    1       3.+7,           .3                the comma ends nothing: field 3 is 3.+7
    MAT1,1,3.+7,,.3   +M1                             the last word is the continuation mark

Nastran takes them so. One blank between digits stays an error: it is more likely a slip.
"""

from __future__ import annotations

import re

from interstage.nastran.numbers import INTEGER, REAL, parse_text
from interstage.nastran.physical import FREE_COLUMNS

_FREE = re.compile(
    rb"^[^\n$,]{0,%d},[^\n$]*[^\s,](?: {2,}[^\s,$]|[ ]+[+*])" % (FREE_COLUMNS - 1), re.MULTILINE
)
_FIXED = re.compile(rb"^[A-Z+*][^\n$,]{%d,70}[0-9.],(?=[ \n]|$)" % (FREE_COLUMNS - 1), re.MULTILINE)
_TEXT = (b"DEQATN", b"DRESP", b"PARAM", b"DTI", b"ENDDATA")  # cards with words between blanks


def separated(data: bytes) -> bytes:
    """Bulk text with such lines written in one form; the number of lines stays."""
    if b"," not in data:
        return data
    if _FREE.search(data):
        data = _rewritten(data, _FREE, _free_line)
    if _FIXED.search(data):
        data = _rewritten(data, _FIXED, _fixed_line)
    return data


def _rewritten(data: bytes, pattern: re.Pattern[bytes], mend) -> bytes:
    """Mend each line in which the pattern begins."""
    out, done = [], 0
    for found in pattern.finditer(data):
        start = found.start()
        if start < done:
            continue
        stop = data.find(b"\n", start)
        stop = len(data) if stop < 0 else stop
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
