"""Decode tables of OUTPUT2 files: eigenvalues, displacements, element matrices, set cards.

Tables of results come in pairs of records: an identification of 146 words (approach and device, table code, -,
subcase, number of mode or load, eigenvalue, ..., format in word 9, words a point in word 10), and the data.
Source: the data block descriptions in the DMAP guides of MSC and NX Nastran.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np

from interstage.errors import FileError

if TYPE_CHECKING:
    from interstage.nastran.op2 import Block

ELEMENT_NAMES = {
    1: "CROD", 2: "CBEAM", 3: "CTUBE", 4: "CSHEAR", 10: "CONROD", 33: "CQUAD4", 34: "CBAR", 39: "CTETRA",
    40: "CBUSH1D", 64: "CQUAD8", 67: "CHEXA", 68: "CPENTA", 70: "CTRIAR", 74: "CTRIA3", 75: "CTRIA6",
    82: "CQUADR", 102: "CBUSH",
}  # fmt: skip
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
