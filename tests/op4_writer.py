"""Write OUTPUT4 files as NASTRAN does: binary or text, dense or in strings, in every number type."""

from __future__ import annotations

import struct
from collections.abc import Iterator

import numpy as np


def _filled_columns(matrix: np.ndarray) -> Iterator[tuple[int, list[np.ndarray]]]:
    """Columns that are not zero, each with its runs of rows."""
    for j, column in enumerate(matrix.T):
        filled = np.flatnonzero(column)
        if len(filled):
            yield j, np.split(filled, np.flatnonzero(np.diff(filled) > 1) + 1)


def _pairs(values: np.ndarray) -> np.ndarray:
    """Reals of a column: real and imaginary parts in turn where it is complex."""
    return np.ascontiguousarray(values).view(float) if np.iscomplexobj(values) else values


def _kind(matrix: np.ndarray, single: bool) -> int:
    return (1 if single else 2) + (2 if np.iscomplexobj(matrix) else 0)


def binary_op4(name, matrix, order="<", word=4, single=False, strings="dense", interlaced=True) -> bytes:
    """One matrix; strings: dense, small or big; a word of 8 bytes holds 4 characters of the name if interlaced."""
    real = f"{order}f{4 if single and word == 4 else 8}"
    rows, columns = matrix.shape

    def record(body):
        mark = struct.pack(order + "i", len(body))
        return mark + body + mark

    def ints(*values):
        return np.array(values, f"{order}i{word}").tobytes()

    def reals(values):
        return _pairs(values).astype(real).tobytes()

    text = name.ljust(8)
    title = (text[:4].ljust(word) + text[4:].ljust(word)) if interlaced else text.ljust(2 * word)
    head = ints(columns, -rows if strings == "big" else rows, 2, _kind(matrix, single))
    out = record(head + title.encode())
    for j, runs in _filled_columns(matrix):
        if strings == "dense":
            first, last = runs[0][0], runs[-1][-1]
            body = reals(matrix[first : last + 1, j])
            out += record(ints(j + 1, first + 1, len(body) // word) + body)
            continue
        body = b""
        for run in runs:
            values = reals(matrix[run, j])
            length, row = len(values) // word + 1, int(run[0]) + 1
            body += (ints(length, row) if strings == "big" else ints(row + 65536 * length)) + values
        out += record(ints(j + 1, 0, len(body) // word) + body)
    return out + record(ints(columns + 1, 1, 2) + np.array([1.0], f"{order}f8").tobytes())


def text_op4(
    name, matrix, single=False, strings="dense", form="1P,3E23.16", wide=False, letter="E", words=False
) -> str:
    """One matrix; form "" leaves the format out (5E16.9); wide: header of 16 columns, marked |I16.

    words : count the words of dense columns, as other programs do, where NASTRAN counts reals
    """
    per, width, digits = {"1P,3E23.16": (3, 23, 16), "1P,2E24.16": (2, 24, 16), "": (5, 16, 9)}[form]
    rows, columns = matrix.shape
    size = 1 if single else 2

    def number(value):
        text = f"{value:.{digits}E}"
        mantissa, exponent = text.split("E")
        # Fortran drops the letter of an exponent with three digits
        mark = letter if len(exponent) < 4 else ""
        return f"{mantissa}{mark}{exponent}".rjust(width)

    def lines(values):
        shown = [number(v) for v in _pairs(values)]
        return ["".join(shown[k : k + per]) for k in range(0, len(shown), per)]

    top = -rows if strings == "big" else rows
    head = f"{columns:16d}{top:16d}" if wide else f"{columns:8d}{top:8d}"
    out = [f"{head}{2:8d}{_kind(matrix, single):8d}{name:8s}{form}{'|I16' if wide else ''}"]
    for j, runs in _filled_columns(matrix):
        if strings == "dense":
            first, last = runs[0][0], runs[-1][-1]
            values = matrix[first : last + 1, j]
            count = len(_pairs(values)) * (size if words else 1)
            out += [f"{j + 1:8d}{first + 1:8d}{count:8d}", *lines(values)]
            continue
        body, total = [], 0
        for run in runs:
            values = matrix[run, j]
            length, row = len(_pairs(values)) * size + 1, int(run[0]) + 1
            # the head of a small string fills eleven columns, more than the other integers
            body += [f"{length:8d}{row:8d}" if strings == "big" else f"{row + 65536 * length:11d}"]
            body += lines(values)
            total += length + (1 if strings == "big" else 0)
        out += [f"{j + 1:8d}{0:8d}{total:8d}", *body]
    return "\n".join([*out, f"{columns + 1:8d}{1:8d}{1:8d}", number(1.0)]) + "\n"
