"""Read op2 files: records, tables and matrices.

Decode tables of OUTPUT2 files: eigenvalues, displacements, element matrices, set cards.

Tables of results come in pairs of records: an identification of 146 words (approach and device, table code, -,
subcase, number of mode or load, eigenvalue, ..., format in word 9, words a point in word 10), and the data.
Source: the data block descriptions in the DMAP guides of MSC and NX Nastran.

Read the data blocks of OUTPUT2 files.

A file is a chain of Fortran records (length, bytes, length). A record of one word is a key. A data block is

    2, name, -1, 7, trailer (7 words)        and then records, each
    -k, 1, kind, n, n words, n, n words ...  k = 2, 3, ...; the next negative key begins the next record

and ends with a key 0 where n would stand. Record 2 is the header. Kind 0 is a record of a table, kind 1 a
column of a matrix in strings of (row, values), whose key counts the values only. A tape label (date,
"NASTRAN FORT TAPE ID CODE - ", version) may come first. MSC Nastran 2014 and later put a second record of six words
(version of the file, name again) behind the version and behind each name. A key 0 ends the file; runs that stopped, and
those that did not close it, leave none. Words are 4 or 8 bytes long, in either byte order.
Source: the OUTPUT2 module in the DMAP guides of MSC and NX Nastran, and files that they wrote.
"""

from __future__ import annotations

import os
import struct
from array import array
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice

import numpy as np

from interstage.calls import named_arguments
from interstage.errors import FileError, InputError, known_names
from interstage.nastran.cards import CARDS
from interstage.nastran.op4 import paired
from interstage.reading import LARGE, read_bytes

ELEMENT_NAMES = {card.results.number: card.name for card in CARDS.values() if card.results is not None}
# entries of GEOM4: pairs (id, components), or (components, 0, ids, -1) and (components, 1, first, last)
_SET_PAIRS = {(5561, 76, 215), (110, 1, 311), (310, 3, 313)}
_SET_LISTS = {(5571, 77, 216), (210, 2, 312), (410, 4, 314)}
MAX_IDS = 1_000_000  # points that sets of one block may name


@dataclass
class Eigenvalues:
    """Table LAMA, arrays (modes,)."""

    mode: np.ndarray
    eigenvalue: np.ndarray
    radians: np.ndarray
    hz: np.ndarray
    generalized_mass: np.ndarray
    generalized_stiffness: np.ndarray


@dataclass
class PointTable:
    """Displacements or an eigenvector at grids and scalar points.

    number : mode, or load set of statics; eigenvalue : of a mode, else nan
    grid_id, point_type : (n,), type 1 grid, 2 scalar point
    values : (n, 6), T1 T2 T3 R1 R2 R3 in each grid's CD system; (n, 6, modes) of eigenvectors
    """

    subcase: int
    number: int | np.ndarray
    eigenvalue: float | np.ndarray
    grid_id: np.ndarray
    point_type: np.ndarray
    values: np.ndarray


@dataclass
class ElementMatrix:
    """Matrix of one element from KELM or MELM.

    code, name : element type of NASTRAN; dofs : degrees of freedom of a point
    form : 3 in the output axes of the points, 4 in element axes
    sil : (points,) first degrees of freedom in the g-set, from 1
    matrix : (n, n), n = points times dofs
    """

    eid: int
    code: int
    name: str
    form: int
    dofs: int
    sil: np.ndarray
    matrix: np.ndarray


def lama(block: Block) -> Eigenvalues:
    """Decode a table of eigenvalues: an identification and 7 words a mode."""
    if block.is_matrix or len(block) < 2:
        raise block.damaged("a table of eigenvalues has two records")
    whole, real = block.integers(1), block.reals(1).astype(float)
    if len(whole) % 7:
        raise block.damaged("a table of eigenvalues has seven words a mode")
    columns = real.reshape(-1, 7).T
    return Eigenvalues(whole.reshape(-1, 7)[:, 0].copy(), *columns[2:])


def grid_tables(block: Block) -> list[PointTable]:
    """Decode displacements and eigenvectors, real, sorted by subcase or mode."""
    if block.is_matrix or len(block) % 2:
        raise block.damaged("identification and data do not come in pairs")
    out = []
    for k in range(0, len(block), 2):
        ident, real = block.integers(k), block.reals(k)
        if len(ident) < 10:
            raise block.damaged("an identification record is too short")
        approach, code, subcase, number = int(ident[0]) // 10, int(ident[1]), int(ident[3]), int(ident[4])
        form, width = int(ident[8]), int(ident[9])
        if code not in (1, 7) or form != 1 or width != 8:
            raise FileError(
                "only real displacements and eigenvectors in SORT1 are read",
                where=f"{block.where}, data block {block.name}",
                got=f"table code {code}, format {form}, {width} words a point",
            )
        whole, values = block.integers(k + 1), block.reals(k + 1)
        if len(whole) % 8:
            raise block.damaged("a table of displacements has eight words a point")
        whole, values = whole.reshape(-1, 8), values.reshape(-1, 8)
        eigenvalue = float(real[5]) if approach in (2, 8, 9) else float("nan")
        out.append(
            PointTable(
                subcase,
                number,
                eigenvalue,
                whole[:, 0] // 10,
                whole[:, 1].copy(),
                values[:, 2:].astype(float),
            )
        )
    if not out:
        raise block.damaged("it holds no table")
    return out


def stacked(block: Block, tables: list[PointTable]) -> PointTable:
    """Join the tables of the modes of one subcase."""
    first = tables[0]
    if any(not np.array_equal(t.grid_id, first.grid_id) or t.subcase != first.subcase for t in tables):
        raise FileError(
            "the tables are of different points or subcases",
            where=f"{block.where}, data block {block.name}",
            hint="take them one by one from displacements",
        )
    return PointTable(
        first.subcase,
        np.array([t.number for t in tables]),
        np.array([t.eigenvalue for t in tables]),
        first.grid_id,
        first.point_type,
        np.stack([t.values for t in tables], axis=-1),
    )


def element_matrices(block: Block, dictionary: Block) -> list[ElementMatrix]:
    """Decode element matrices: column j of the block is the upper triangle, by rows, of element j.

    A record of the dictionary is of one element type: code, words an element, points, dofs a point, form, and for
    each element id, points used, damping, -, address, first dofs of the points, and axes in form 4.
    """
    packed = block.matrix()
    out: list[ElementMatrix] = []
    for k in range(len(dictionary)):
        words = dictionary.integers(k)
        code, size, points, dofs, form = (int(v) for v in words[:5])
        if size < 5 + points or points < 1 or dofs not in (1, 3, 6) or (len(words) - 5) % size:
            raise dictionary.damaged(f"record {k + 1} does not fit its own sizes")
        for entry in words[5:].reshape(-1, size):
            used, column = int(entry[1]), len(out)
            n = used * dofs
            if not 0 < used <= points or column >= packed.shape[1] or n * (n + 1) // 2 > packed.shape[0]:
                raise dictionary.damaged(f"element {int(entry[0])} does not fit the matrix {block.name}")
            matrix = np.zeros((n, n), packed.dtype)
            i, j = np.triu_indices(n)
            matrix[i, j] = matrix[j, i] = packed[: len(i), column]
            name = ELEMENT_NAMES.get(code, f"type {code}")
            sil = entry[5 : 5 + used].copy()
            out.append(ElementMatrix(int(entry[0]), code, name, form, dofs, sil, matrix))
    if len(out) != packed.shape[1]:
        raise dictionary.damaged(f"it lists {len(out)} elements for {packed.shape[1]} matrices")
    return out


def set_entries(block: Block) -> list[tuple[int, int]]:
    """Return (id, components) of ASET, BSET, CSET and their lists; components 0 of scalar points."""
    out = list(islice(_set_entries(block), MAX_IDS + 1))
    if len(out) > MAX_IDS or any(grid < 1 or set(str(c)) - set("0123456") for grid, c in out):
        raise block.damaged("its sets of points cannot be")
    return out


def _set_entries(block: Block) -> Iterator[tuple[int, int]]:
    for k in range(len(block)):
        record = [int(v) for v in block.integers(k)]
        key, words = tuple(record[:3]), record[3:]
        if key in _SET_PAIRS:
            if len(words) % 2:
                raise block.damaged("a set of points and components has an odd number of words")
            yield from zip(words[::2], words[1::2])
        elif key in _SET_LISTS:
            yield from _lists(block, words)


def _lists(block: Block, words: list[int]) -> Iterator[tuple[int, int]]:
    at = 0
    while at < len(words):
        components, thru = words[at], words[at + 1]
        if thru:
            first, last = words[at + 2], words[at + 3]
            if not 0 < first <= last:
                raise block.damaged(f"a set runs from point {first} to {last}")
            yield from ((grid, components) for grid in range(first, last + 1))
            at += 4
        else:
            stop = words.index(-1, at + 2)
            yield from ((grid, components) for grid in words[at + 2 : stop])
            at = stop + 1


MAX_VALUES = 250_000_000
_COLUMN = 1


@dataclass
class Block:
    """One data block: its name, trailer and where its records lie in the file.

    trailer : 7 integers; of a matrix number, columns, rows, form, type, longest column, density
    records : number of records behind the header
    """

    name: str
    trailer: tuple[int, ...]
    where: str
    _file: _Words
    _kind: list[int] = field(default_factory=list)
    _parts: list[array] = field(default_factory=list)

    @property
    def header(self) -> bytes:
        """Header record as it is."""
        return self._bytes(0) if self._parts else b""

    @property
    def is_matrix(self) -> bool:
        return len(self._kind) > 1 and self._kind[1] == _COLUMN

    def __len__(self) -> int:
        return max(len(self._parts) - 1, 0)

    def __repr__(self) -> str:
        if self.is_matrix:
            return f"Block({self.name}: matrix {self.trailer[2]} by {self.trailer[1]})"
        return f"Block({self.name}: table, {len(self)} records)"

    def record(self, k: int) -> bytes:
        """Bytes of record k (from 0) behind the header."""
        if not 0 <= k < len(self):
            raise InputError(f"data block {self.name} has no record {k}", where=self.where)
        return self._bytes(k + 1)

    def integers(self, k: int) -> np.ndarray:
        """Record k as integers."""
        return self._view(k, self._file.integer)

    def reals(self, k: int) -> np.ndarray:
        """Record k as reals of one word."""
        return self._view(k, self._file.real)

    def text(self, k: int, first: int, count: int) -> str:
        """`count` words of record k as text."""
        body = self.record(k)[first * self._file.word : (first + count) * self._file.word]
        return self._file.text(body)

    def doubles(self, k: int, first: int, count: int) -> np.ndarray:
        """`count` 64-bit reals from word `first` of record k on."""
        return np.frombuffer(self.record(k), self._file.double, count, first * self._file.word).astype(float)

    @property
    def word(self) -> int:
        """Bytes of a word."""
        return self._file.word

    def damaged(self, what: str) -> FileError:
        return FileError(f"the op2 file is damaged: {what}", where=f"{self.where}, data block {self.name}")

    def matrix(self) -> np.ndarray:
        """Matrix as a dense array (rows, columns) of float64 or complex128."""
        if not self.is_matrix:
            raise InputError(f"data block {self.name} is a table, not a matrix", where=self.where)
        _, columns, rows, form, kind = self.trailer[:5]
        if kind not in (1, 2, 3, 4):
            raise self.damaged(f"matrix type {kind} is not one of 1 to 4")
        if form in (3, 7, 8):
            raise FileError(
                f"matrix {self.name} is stored in form {form}, which is not supported", where=self.where
            )
        if columns < 0 or rows < 0 or columns * rows > MAX_VALUES:
            raise self.damaged(f"a matrix of {rows} by {columns} is too large to be read as a dense array")
        found = [k for k in range(1, len(self._kind)) if self._kind[k] == _COLUMN]
        if len(found) != columns:
            raise self.damaged(f"it has {len(found)} columns and states {columns}")
        out = np.zeros((columns, rows), complex if kind > 2 else float)
        for column, k in enumerate(found):
            self._fill(out[column], k, kind)
        return out.T

    def _fill(self, out: np.ndarray, k: int, kind: int) -> None:
        """Put the strings of record k into a column."""
        file, parts = self._file, self._parts[k]
        real = file.real if kind in (1, 3) else file.double
        for start, stop in zip(parts[::2], parts[1::2]):
            row = int(np.frombuffer(file.data, file.integer, 1, start)[0]) - 1
            count, rest = divmod(stop - start - file.word, real.itemsize * (2 if kind > 2 else 1))
            if rest or row < 0 or row + count > len(out):
                raise self.damaged("a string reaches outside the matrix")
            values = np.frombuffer(file.data, real, count * (2 if kind > 2 else 1), start + file.word)
            with np.errstate(invalid="ignore"):  # single NaN to double
                out[row : row + count] = paired(values) if kind > 2 else values

    def _bytes(self, k: int) -> bytes:
        parts = self._parts[k]
        return b"".join(self._file.data[a:b] for a, b in zip(parts[::2], parts[1::2]))

    def _view(self, k: int, dtype: np.dtype) -> np.ndarray:
        return np.frombuffer(self.record(k), dtype).astype(dtype.newbyteorder("="))


@named_arguments
class Op2:
    """Data blocks of a file, in their order.

    label : version on the tape label such as "NX9.1"; empty without a label
    blocks : list of Block; `op2["KGG"]` is the first of that name
    notes : what the reader noticed, one sentence each
    """

    def __init__(self, path: str, label: str, blocks: list[Block], notes: list[str]):
        self.path, self.label, self.blocks, self.notes = path, label, blocks, notes

    @property
    def names(self) -> list[str]:
        return [block.name for block in self.blocks]

    def __contains__(self, name: str) -> bool:
        return name in self.names

    def __getitem__(self, name: str) -> Block:
        found = next((block for block in self.blocks if block.name == name), None)
        if found is None:
            raise InputError(
                f"the op2 file has no data block {name}", where=self.path, hint=known_names(self.names)
            )
        return found

    def __repr__(self) -> str:
        return f"Op2({self.path}: {', '.join(self.names)})"

    def matrix(self, name: str) -> np.ndarray:
        """Matrix data block as a dense array (rows, columns)."""
        return self[name].matrix()

    def matrices(self) -> dict[str, np.ndarray]:
        """All matrix data blocks; a name that occurs again gets a number: `KAA`, `KAA:2`."""
        out: dict[str, np.ndarray] = {}
        for block in self.blocks:
            if block.is_matrix:
                count = 1 + sum(key.split(":")[0] == block.name for key in out)
                out[block.name if count == 1 else f"{block.name}:{count}"] = block.matrix()
        return out

    def eigenvalues(self, name: str = "LAMA") -> Eigenvalues:
        """Table of eigenvalues."""
        return _decoded(lama, self[name])

    def displacements(self, name: str = "OUGV1") -> list[PointTable]:
        """Tables of displacements or eigenvectors, one for each subcase, mode or load: real, SORT1."""
        return _decoded(grid_tables, self[name])

    def eigenvectors(self, name: str = "OUGV1") -> PointTable:
        """Eigenvectors as one table: values (points, 6, modes), number and eigenvalue (modes,)."""
        return _decoded(lambda block: stacked(block, grid_tables(block)), self[name])

    def element_matrices(self, name: str = "KELM", dictionary: str = "KDICT") -> list[ElementMatrix]:
        """Element matrices with their dictionary."""
        return _decoded(lambda block: element_matrices(block, self[dictionary]), self[name])

    def interface(self) -> dict[int, int]:
        """Grids and components of ASET, BSET and CSET cards (blocks GEOM4, GEOM4S); scalar points left out."""
        out: dict[int, set[str]] = {}
        for block in self.blocks:
            if block.name in ("GEOM4", "GEOM4S", "GEOM4OLD"):
                for grid, components in _decoded(set_entries, block):
                    if components:
                        out.setdefault(grid, set()).update(str(components))
        return {grid: int("".join(sorted(found))) for grid, found in sorted(out.items())}


def _decoded(function, block: Block):
    """Apply a decoder; whatever does not fit is a damaged file."""
    try:
        return function(block)
    except (struct.error, ValueError, IndexError, OverflowError, MemoryError) as fault:
        raise block.damaged("its numbers do not fit the format") from fault


@named_arguments
def read_op2(path: str | os.PathLike) -> Op2:
    """Read the data blocks of an op2 file.

    Only their frame is decoded; memory is the size of the file and a list of its records. A file without its end mark
    is read and noted (`notes`); one that ends inside a data block is damaged.
    """
    data = read_bytes(path, "op2 file", LARGE)
    words = _Words(data, str(path))
    label, blocks, key = "", [], -1
    while words.at < len(data):
        key = words.key()
        if key == 3:
            label = _tape_label(words) or label
        elif key == 2:
            blocks.append(_block(words))
        elif key:
            raise words.damaged(f"a data block begins with the key {key}")
    if not blocks:
        raise words.damaged("it holds no data block")
    notes = []
    if key != 0:
        notes.append(
            "the op2 file has no end mark: the run that wrote it may have stopped, data blocks may be missing"
        )
    return Op2(str(path), label, blocks, notes)


class _Words:
    """Keys and records of a file."""

    def __init__(self, data: bytes, path: str):
        self.data, self.path, self.at = data, path, 0
        forms = [(o, w) for o in ("<", ">") for w in (4, 8) if data[:4] == struct.pack(o + "i", w)]
        if not forms:
            raise FileError("this is not an op2 file", where=path, hint="it must be a binary OUTPUT2 file")
        order, self.word = forms[0]
        self.mark = struct.Struct(order + "i")
        self.one = struct.Struct(order + ("i" if self.word == 4 else "q"))
        self.integer = np.dtype(f"{order}i{self.word}")
        self.real, self.double = np.dtype(f"{order}f{self.word}"), np.dtype(f"{order}f8")

    def damaged(self, what: str) -> FileError:
        return FileError(f"the op2 file is damaged: {what}", where=f"{self.path}, byte {self.at}")

    def record(self, words: int) -> int:
        """Step over a record of `words` words; returns where its bytes start."""
        start, length = self.at + 4, words * self.word
        head = self.data[self.at : start]
        if len(head) < 4 or start + length + 4 > len(self.data):
            raise self.damaged("it ends in the middle of a data block")
        if self.mark.unpack(head)[0] != length:
            raise self.damaged(f"a record of {length} bytes was expected")
        if self.data[start + length : start + length + 4] != head:
            raise self.damaged("the length marks of a record differ")
        self.at = start + length + 4
        return start

    def key(self) -> int:
        return self.one.unpack_from(self.data, self.record(1))[0]

    def expect(self, *values: int) -> None:
        for value in values:
            found = self.key()
            if found != value:
                raise self.damaged(f"the key {value} was expected, found {found}")

    def words(self, count: int) -> bytes:
        start = self.record(count)
        return self.data[start : start + count * self.word]

    def name(self) -> tuple[str, str]:
        """Name in two words, and the first word of a further record that newer versions add; the key -1 ends it.

        A word of 8 bytes holds 4 characters or all 8 of them.
        """
        name = self.words(2).decode("latin-1").replace("\0", "").replace(" ", "")
        more = ""
        while (count := self.key()) > 0:
            more = more or (self.text(self.words(count)).split() or [""])[0]
        if count != -1:
            raise self.damaged(f"the key -1 was expected, found {count}")
        return name, more

    def text(self, body: bytes) -> str:
        """Text of words that hold four characters each, whatever their length."""
        parts = (body[k : k + 4] for k in range(0, len(body), self.word))
        return b"".join(parts).decode("latin-1").replace("\0", " ").strip()


def _tape_label(words: _Words) -> str:
    """Date, identification and version in front of the data blocks; returns the version."""
    words.words(3)
    words.expect(7)
    words.words(7)
    words.expect(2)
    label, more = words.name()
    words.expect(0)
    return f"{label} {more}".strip()


def _block(words: _Words) -> Block:
    """Frame of a data block, its records as places in the file."""
    name, _ = words.name()
    words.expect(7)
    trailer = tuple(int(v) for v in np.frombuffer(words.words(7), words.integer))
    block = Block(name, trailer, words.path, words)
    words.expect(-2)
    number = 2
    while True:
        words.expect(1)
        kind = words.key()
        if kind not in (0, _COLUMN):
            raise words.damaged(f"a record of kind {kind} is neither of a table nor of a matrix")
        parts = array("q")
        while (count := words.key()) > 0:
            size = count + 1 if kind == _COLUMN else count
            start = words.record(size)
            parts.extend((start, start + size * words.word))
        if count == 0 and not parts:
            return block
        block._kind.append(kind)
        block._parts.append(parts)
        if count == 0:
            return block
        number += 1
        if count != -number:
            raise words.damaged(f"record {number} of {name} was expected, found the key {count}")
