"""Read matrices from OUTPUT4 files, binary or text.

A binary file holds Fortran records (length, bytes, length). A matrix starts with a header record

    columns, rows, form, type, name        rows < 0: "bigmat" strings

and has one record for each column that is not zero: column, first row, number of words, and the values. With
first row 0 the column is sparse, in strings (words + 1, row, values), the first two packed into one integer
row + 65536 (words + 1) unless the matrix is bigmat. Column n + 1 ends the matrix. Integers are 4 or 8 bytes
long, in either byte order. Types: 1 real single, 2 real double, 3 complex single, 4 complex double.
Source: the OUTPUT4 module in the DMAP guides of MSC and NX Nastran.
"""

from __future__ import annotations

import re
import struct
from pathlib import Path

import numpy as np

from interstage.errors import FileError

MAX_VALUES = 250_000_000


def read_op4(path: str | Path) -> dict[str, np.ndarray]:
    """Read all matrices of an op4 file as dense arrays (rows, columns) of float64 or complex128.

    A name that occurs again gets a number: `KAA`, `KAA:2`.
    """
    try:
        data = Path(path).read_bytes()
    except (OSError, ValueError) as fault:
        raise FileError("the op4 file cannot be read", where=str(path), got=str(fault)) from fault
    matrices: dict[str, np.ndarray] = {}
    reader = _Binary(data, str(path)) if _is_binary(data) else _Ascii(data, str(path))
    try:
        for name, matrix in reader.matrices():
            count = 1 + sum(key.split(":")[0] == name for key in matrices)
            matrices[name if count == 1 else f"{name}:{count}"] = matrix
    except (struct.error, ValueError, IndexError, OverflowError, MemoryError) as fault:
        raise reader.damaged("the numbers do not fit the format") from fault
    if not matrices:
        raise reader.damaged("it holds no matrix")
    return matrices


def _is_binary(data: bytes) -> bool:
    return len(data) >= 8 and any(int.from_bytes(data[:4], order) in (24, 48) for order in ("little", "big"))


class _Matrix:
    """A matrix while its columns are filled in."""

    def __init__(self, reader: _Binary | _Ascii, columns: int, rows: int, kind: int):
        self.reader, self.big = reader, rows < 0
        self.columns, self.rows = columns, abs(rows)
        if kind not in (1, 2, 3, 4):
            raise reader.damaged(f"matrix type {kind} is not one of 1 to 4")
        if columns < 0 or self.columns * self.rows > MAX_VALUES:
            raise reader.damaged(
                f"a matrix of {abs(rows)} by {columns} is too large to be read as a dense array"
            )
        self.single, self.complex = kind in (1, 3), kind > 2
        self.values = np.zeros((self.columns, self.rows), complex if self.complex else float)

    def put(self, column: int, row: int, values: np.ndarray) -> None:
        """Store reals (pairs if complex) from row `row` (from 1) of a column (from 1) on."""
        if self.complex:
            if len(values) % 2:
                raise self.reader.damaged("a complex column has an odd number of values")
            values = values[0::2] + 1j * values[1::2]
        if not (1 <= column <= self.columns and row >= 1 and row - 1 + len(values) <= self.rows):
            raise self.reader.damaged(f"column {column} reaches outside the matrix")
        self.values[column - 1, row - 1 : row - 1 + len(values)] = values

    def array(self) -> np.ndarray:
        return self.values.T


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

    def matrix(self) -> tuple[str, np.ndarray]:
        head = self.record()
        if len(head) != 6 * self.word:
            raise self.damaged("a matrix header has the wrong length")
        columns, rows, _, kind = (int(v) for v in np.frombuffer(head, self.integer, 4))
        name = head[4 * self.word :].decode("latin-1").replace("\0", " ").strip()
        matrix = _Matrix(self, columns, rows, kind)
        real = np.dtype(f"{self.order}f4" if matrix.single and self.word == 4 else f"{self.order}f8")
        while True:
            body = self.record()
            if len(body) < 3 * self.word:
                raise self.damaged("a column record is too short")
            column, row, words = (int(v) for v in np.frombuffer(body, self.integer, 3))
            if column > columns:
                return name, matrix.array()
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
        self.lines = data.decode("latin-1").splitlines()

    def damaged(self, what: str) -> FileError:
        return FileError(f"the op4 file is damaged: {what}", where=f"{self.path}, line {self.at}")

    def line(self) -> str:
        if self.at >= len(self.lines):
            raise self.damaged("it ends in the middle of a matrix")
        self.at += 1
        return self.lines[self.at - 1]

    def integers(self, count: int) -> list[int]:
        """`count` integers of eight columns, or separated by blanks where they are wider."""
        line = self.line()
        try:
            return [int(line[8 * k : 8 * k + 8]) for k in range(count)]
        except ValueError:
            words = line.split()
            if len(words) < count:
                raise self.damaged("a line of integers was expected") from None
            return [int(word) for word in words[:count]]

    def matrices(self):
        while self.at < len(self.lines):
            if self.lines[self.at].strip():
                yield self.matrix()
            else:
                self.at += 1

    def matrix(self) -> tuple[str, np.ndarray]:
        line = self.lines[self.at]
        match = re.match(r"(.{8})(.{8})(.{8})(.{8})(.{8})\s*\S*?([0-9]+)[ED]([0-9]+)\.[0-9]+", line)
        if match is None:
            self.at += 1
            raise self.damaged("a matrix header was expected")
        columns, rows, _, kind = self.integers(4)
        matrix = _Matrix(self, columns, rows, kind)
        layout = (int(match[6]), int(match[7]))
        if not (0 < layout[0] <= 100 and 0 < layout[1] <= 100):
            raise self.damaged("the number format of the header is impossible")
        per = 1 if matrix.single else 2
        while True:
            column, row, words = self.integers(3)
            if column > columns:
                self.reals(max(words // per, 1), layout)
                return match[5].strip(), matrix.array()
            if row > 0:
                matrix.put(column, row, self.reals(words // per, layout))
                continue
            while words > 0:
                length, row, used = self.string_head(matrix)
                matrix.put(column, row, self.reals(length // per, layout))
                words -= used + length

    def string_head(self, matrix: _Matrix) -> tuple[int, int, int]:
        """Words of values, first row and words of the head of the next string."""
        if matrix.big:
            length, row = self.integers(2)
            return length - 1, row, 2
        length, row = divmod(self.integers(1)[0], 65536)
        return length - 1, row, 1

    def reals(self, count: int, layout: tuple[int, int]) -> np.ndarray:
        """`count` reals from the next lines; layout: numbers a line, columns a number."""
        per, width = layout
        if count < 1 or count > per * (len(self.lines) - self.at):
            raise self.damaged("a column is longer than the rest of the file or empty")
        out: list[float] = []
        while len(out) < count:
            line = self.line()
            for k in range(min(per, count - len(out))):
                out.append(float(line[k * width : (k + 1) * width].replace("D", "E")))
        return np.array(out)
