"""Read matrices from OUTPUT4 files, binary or text.

A binary file holds Fortran records (length, bytes, length). A matrix starts with a header record

    columns, rows, form, type, name        rows < 0 or rows > 65535: "bigmat" strings

and has one record for each column that is not zero: column, first row, number of words, and the values. With
first row 0 the column is sparse, in strings (words + 1, row, values), the first two packed into one integer
row + 65536 (words + 1) unless the matrix is bigmat. Column n + 1 ends the matrix. Integers are 4 or 8 bytes
long, in either byte order. Types: 1 real single, 2 real double, 3 complex single, 4 complex double.

A text file has the same in lines: the header in columns of 8 (of 16, 16, 8, 8 where it ends with `|I16`) and the
format of its reals, 5E16.9 where none is given. The third integer of a dense column counts reals, that of a sparse
column counts words, of which a double has two.
Source: the OUTPUT4 module in the DMAP guides of MSC and NX Nastran, and files that they wrote.
"""

from __future__ import annotations

import re
import struct
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from interstage.calls import named_arguments
from interstage.errors import FileError
from interstage.reading import LARGE, read_bytes

MOST_DENSE = 250_000_000  # values of a matrix that is given as a dense array
MOST_ROWS = 65535  # of strings that are not bigmat
_FORMAT = re.compile(r"(?:\d*P,?)?\s*(\d+)[ED](\d+)(?:\.\d+)?", re.IGNORECASE)
_EXPONENT = re.compile(rb"(?<=[0-9.])([+-][0-9]{3})")


@dataclass
class SparseMatrix:
    """A matrix that is too large to be a dense array: values at (row, column), counted from 0; the rest is zero."""

    shape: tuple[int, int]
    row: np.ndarray
    column: np.ndarray
    value: np.ndarray


@named_arguments
def read_op4(path: str | Path) -> dict[str, np.ndarray | SparseMatrix]:
    """Read all matrices of an op4 file as dense arrays (rows, columns) of float64 or complex128.

    A name that occurs again gets a number: `KAA`, `KAA:2`. A matrix of more than 2.5e8 values is a SparseMatrix.
    """
    data = read_bytes(path, "op4 file", LARGE)
    matrices: dict[str, np.ndarray | SparseMatrix] = {}
    count: dict[str, int] = {}
    reader = _Binary(data, str(path)) if _is_binary(data) else _Ascii(data, str(path))
    try:
        for name, matrix in reader.matrices():
            count[name] = count.get(name, 0) + 1
            matrices[name if count[name] == 1 else f"{name}:{count[name]}"] = matrix
    except (struct.error, ValueError, IndexError, OverflowError, MemoryError) as fault:
        raise reader.damaged("the numbers do not fit the format") from fault
    if not matrices:
        raise reader.damaged("it holds no matrix")
    return matrices


def _is_binary(data: bytes) -> bool:
    return len(data) >= 8 and any(int.from_bytes(data[:4], order) in (24, 48) for order in ("little", "big"))


def paired(values: np.ndarray) -> np.ndarray:
    """Complex numbers of real and imaginary parts in turn, infinities and NaN as they are."""
    with np.errstate(invalid="ignore"):
        return values.astype(float).view(complex)


class _Matrix:
    """A matrix while its columns are filled in."""

    def __init__(self, reader: _Binary | _Ascii, columns: int, rows: int, kind: int):
        self.reader, self.big = reader, rows < 0 or rows > MOST_ROWS
        self.columns, self.rows = columns, abs(rows)
        if kind not in (1, 2, 3, 4):
            raise reader.damaged(f"matrix type {kind} is not one of 1 to 4")
        if columns < 0 or max(self.columns, self.rows) >= 2**31:
            raise reader.damaged(f"a matrix of {abs(rows)} by {columns} is impossible")
        self.single, self.complex = kind in (1, 3), kind > 2
        self.dtype = complex if self.complex else float
        # pages of zeros cost nothing until a column is put in
        dense = self.columns * self.rows <= MOST_DENSE
        self.values = np.zeros((self.columns, self.rows), self.dtype) if dense else None
        self.parts: list[tuple[int, int, np.ndarray]] = []

    def put(self, column: int, row: int, values: np.ndarray) -> None:
        """Store reals (pairs if complex) from row `row` (from 1) of a column (from 1) on."""
        if self.complex:
            if len(values) % 2:
                raise self.reader.damaged("a complex column has an odd number of values")
            values = paired(values)
        if not (1 <= column <= self.columns and row >= 1 and row - 1 + len(values) <= self.rows):
            raise self.reader.damaged(f"column {column} reaches outside the matrix")
        with np.errstate(invalid="ignore"):  # single NaN to double
            values = values.astype(self.dtype)
        if self.values is None:
            self.parts.append((column - 1, row - 1, values))
        else:
            self.values[column - 1, row - 1 : row - 1 + len(values)] = values

    def finished(self) -> np.ndarray | SparseMatrix:
        if self.values is not None:
            return self.values.T
        lengths = [len(values) for _, _, values in self.parts]
        column = np.repeat(np.array([c for c, _, _ in self.parts], dtype=np.int64), lengths)
        row = [np.arange(r, r + len(values), dtype=np.int64) for _, r, values in self.parts]
        value = [values for _, _, values in self.parts]
        empty = np.zeros(0, dtype=np.int64)
        return SparseMatrix(
            (self.rows, self.columns),
            np.concatenate(row) if row else empty,
            column,
            np.concatenate(value) if value else empty.astype(self.dtype),
        )


class _Binary:
    """Records of a binary file."""

    def __init__(self, data: bytes, path: str):
        self.data, self.path, self.at = data, path, 0
        self.order = "<" if int.from_bytes(data[:4], "little") in (24, 48) else ">"
        wide = int.from_bytes(data[:4], "little" if self.order == "<" else "big") == 48
        self.word = 8 if wide else 4
        self.integer = np.dtype(f"{self.order}i{self.word}")

    def damaged(self, what: str) -> FileError:
        return FileError(f"the op4 file is damaged: {what}", where=f"{self.path}, byte {self.at}")

    def record(self) -> bytes:
        """Next Fortran record."""
        head = self.data[self.at : self.at + 4]
        if len(head) < 4:
            raise self.damaged("it ends in the middle of a matrix")
        (length,) = struct.unpack(self.order + "i", head)
        stop = self.at + 4 + length
        if length < 0 or self.data[stop : stop + 4] != head:
            raise self.damaged("a record is cut short or its length marks differ")
        body = self.data[self.at + 4 : stop]
        self.at = stop + 4
        return body

    def matrices(self):
        while self.at < len(self.data):
            yield self.matrix()

    def matrix(self) -> tuple[str, np.ndarray | SparseMatrix]:
        head = self.record()
        if len(head) != 6 * self.word:
            raise self.damaged("a matrix header has the wrong length")
        columns, rows, _, kind = (int(v) for v in np.frombuffer(head, self.integer, 4))
        name = _name(head[4 * self.word :].decode("latin-1"))
        matrix = _Matrix(self, columns, rows, kind)
        real = np.dtype(f"{self.order}f4" if matrix.single and self.word == 4 else f"{self.order}f8")
        while True:
            body = self.record()
            if len(body) < 3 * self.word:
                raise self.damaged("a column record is too short")
            column, row, words = (int(v) for v in np.frombuffer(body, self.integer, 3))
            if column > columns:
                return name, matrix.finished()
            body = body[3 * self.word :]
            if words < 0 or words * self.word > len(body):
                raise self.damaged(f"column {column} has fewer words than it states")
            body = body[: words * self.word]
            if row > 0:
                matrix.put(column, row, np.frombuffer(body, real))
            else:
                self.strings(matrix, column, body, real)

    def strings(self, matrix: _Matrix, column: int, body: bytes, real: np.dtype) -> None:
        """Sparse column: strings of consecutive rows."""
        integers = np.frombuffer(body, self.integer)
        k = 0
        while k < len(integers):
            if matrix.big:
                length, row, k = int(integers[k]) - 1, int(integers[k + 1]), k + 2
            else:
                length, row = divmod(int(integers[k]), 65536)
                length, k = length - 1, k + 1
            if length < 1 or k + length > len(integers):
                raise self.damaged(f"a string of column {column} has an impossible length")
            matrix.put(
                column, row, np.frombuffer(body, real, length * self.word // real.itemsize, k * self.word)
            )
            k += length


class _Ascii:
    """Lines of a text file."""

    def __init__(self, data: bytes, path: str):
        self.path, self.at = path, 0
        self.lines = [line.rstrip() for line in data.decode("latin-1").split("\n")]

    def damaged(self, what: str) -> FileError:
        return FileError(f"the op4 file is damaged: {what}", where=f"{self.path}, line {self.at}")

    def line(self) -> str:
        if self.at >= len(self.lines):
            raise self.damaged("it ends in the middle of a matrix")
        self.at += 1
        return self.lines[self.at - 1]

    def integers(self, count: int) -> list[int]:
        """`count` integers, separated by blanks or, where they touch, in columns of eight."""
        line = self.line()
        words = line.split()
        if len(words) != count:
            words = [line[8 * k : 8 * k + 8] for k in range(count)]
        try:
            return [int(word) for word in words]
        except ValueError:
            raise self.damaged("a line of integers was expected") from None

    def matrices(self):
        while self.at < len(self.lines):
            if self.lines[self.at]:
                yield self.matrix()
            else:
                self.at += 1

    def matrix(self) -> tuple[str, np.ndarray | SparseMatrix]:
        name, (columns, rows, _, kind), layout = self.header()
        matrix = _Matrix(self, columns, rows, kind)
        per = 1 if matrix.single else 2
        while True:
            column, row, count = self.integers(3)
            if column > columns:
                self.line()
                return name, matrix.finished()
            if row > 0:
                # files of other programs count the words of a dense column too; the lines tell
                matrix.put(column, row, self.reals((count, count // per), layout))
                continue
            while count > 0:
                length, row, used = self.string_head(matrix)
                matrix.put(column, row, self.reals((length // per,), layout))
                count -= used + length

    def header(self) -> tuple[str, list[int], tuple[int, int]]:
        """Name, columns, rows, form and type of the next matrix, and its layout: reals a line, columns a real."""
        line = self.line()
        wide = line.upper().endswith("|I16")
        line = line[:-4] if wide else line
        ends = (16, 32, 40, 48) if wide else (8, 16, 24, 32)
        try:
            numbers = [int(line[a:b]) for a, b in zip((0, *ends), ends)]
        except ValueError:
            raise self.damaged("a matrix header was expected") from None
        name, form = _name(line[ends[-1] : ends[-1] + 8]), line[ends[-1] + 8 :].strip()
        found = _FORMAT.match(form) if form else None
        if form and found is None:
            raise self.damaged("a matrix header was expected")
        layout = (int(found[1]), int(found[2])) if found else (5, 16)
        if not (0 < layout[0] <= 100 and 0 < layout[1] <= 100):
            raise self.damaged("the number format of the header is impossible")
        return name, numbers, layout

    def string_head(self, matrix: _Matrix) -> tuple[int, int, int]:
        """Words of values, first row and words of the head of the next string."""
        if matrix.big:
            length, row = self.integers(2)
            return length - 1, row, 2
        try:
            length, row = divmod(int(self.line()), 65536)
        except ValueError:
            raise self.damaged("the head of a string was expected") from None
        return length - 1, row, 1

    def reals(self, counts: tuple[int, ...], layout: tuple[int, int]) -> np.ndarray:
        """Reals of the next lines, as many as one of `counts` says."""
        per, width = layout
        stop = min(len(self.lines), self.at + -(-max(counts) // per))
        last = self.at
        while last < stop and not _INTEGERS.match(self.lines[last]):
            last += 1
        text = "".join(line.ljust(per * width) for line in self.lines[self.at : last]).rstrip()
        found = -(-len(text) // width)
        if found < 1 or found not in counts:
            raise self.damaged(f"a column or string of {max(counts)} reals was expected, got {found}")
        self.at = last
        block = text.ljust(found * width).upper().replace("D", "E").encode("latin-1")
        values = np.frombuffer(block, f"S{width}")
        try:
            return values.astype(float)
        except ValueError:
            # an exponent of three digits leaves no room for its letter
            return np.array([float(_EXPONENT.sub(rb"E\1", value)) for value in values.tolist()])


_INTEGERS = re.compile(r"[-+0-9\s]*$")


def _name(text: str) -> str:
    """Name of a matrix: words of 8 bytes hold 4 characters or 8 of it."""
    return text.replace("\0", "").replace(" ", "")
