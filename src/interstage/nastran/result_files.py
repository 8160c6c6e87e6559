"""Results as op2 and op4 files: what to write of a solution, and element tables.

Records of element forces, stresses and strains in op2 files, as OEF1X, OES1X1, OSTR1X and OES1C have them.

A shell has a row for its centre, and with corner output one for each corner; each holds eight forces, or eight stresses
at each of two fibers. A solid has its stress tensor, principal values, their directions and the mean pressure.

Write displacements, eigenvectors, constraint forces and results of elements in the formats that other programs read.

op2 (OUTPUT2 as PARAM,POST,-1 makes it), punch, universal files (datasets 2411 and 55), and a listing like an f06 file.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from interstage.nastran.cards import CARDS, of_family, topologies

_CODES = {card.name: card.results for card in CARDS.values() if card.results is not None}
_SOLIDS, _SHELLS = of_family("solid"), of_family("shell")
_CORNERS = {name: shape.corners for name, shape in topologies("shell", "solid").items()}

_CENTRE = int.from_bytes(b"CEN/", "little")
_GRID = int.from_bytes(b"GRID", "little")
_STATIONS = 11  # of a CBEAM, the ends first and last
_UNKNOWN = 1  # an integer where a margin of safety is not known
# columns of our tables of solids in the order of the records, from the first after the grid on
_TENSOR = {1: 0, 2: 3, 3: 6, 8: 9, 9: 1, 10: 4, 11: 7, 15: 2, 16: 5, 17: 8}
_COSINES = ((4, 5, 6), (12, 13, 14), (18, 19, 20))  # of x, y and z with the three principal directions


@dataclass(frozen=True)
class ElementResults:
    """Forces, stresses or strains of the elements of one type, of load cases or modes.

    kind : "forces", "stresses" or "strains"
    name : the card, of plies with _COMPOSITE after it
    columns : names of the columns
    subcase, number : (k,) subcase, and load set or number of the mode
    ids : (r,) element of each row; nodes : (r,) its grid, 0 at the centre, or its ply; None where it has no place
    values : (k, r, columns); those of a CBEAM from its place along the element on
    eigenvalues : (k,) of modes; None otherwise
    systems : (elements,) coordinate systems of stresses of solids
    """

    kind: str
    name: str
    columns: tuple[str, ...]
    subcase: np.ndarray
    number: np.ndarray
    ids: np.ndarray
    nodes: np.ndarray | None
    values: np.ndarray
    eigenvalues: np.ndarray | None = None
    systems: np.ndarray | None = None

    @property
    def table(self) -> str:
        """Name of the table that holds these results."""
        if self.kind == "stresses" and self._plies:
            return "OES1C"
        return {"forces": "OEF1X", "stresses": "OES1X1", "strains": "OSTR1X"}[self.kind]

    @property
    def _card(self) -> str:
        return self.name.removesuffix("_COMPOSITE")

    @property
    def _plies(self) -> bool:
        return self._card != self.name

    @property
    def _fibers(self) -> int:
        return 2 if self.kind != "forces" and self.name in _SHELLS else 1

    @property
    def _places(self) -> int:
        """Rows an element, its fibers taken together; those of a CBEAM differ."""
        if self.name == "CBEAM" or self._plies or not len(self.ids):
            return 1
        return int(np.sum(self.ids == self.ids[0])) // self._fibers

    @property
    def record(self) -> tuple[int, int] | None:
        """Type of NASTRAN and words an element, or None where these files have no place for the results."""
        codes, places = _CODES.get(self._card), self._places
        if codes is None:
            return None
        if self._plies:
            return (codes.ply, 11) if codes.ply and self.kind == "stresses" else None
        if self.name in _SOLIDS:
            whole = places == _CORNERS[self.name] + 1 and self.kind != "forces"
            return (codes.corner, 4 + 21 * places) if whole else None
        if codes.corner and places == _CORNERS[self.name] + 1:
            return codes.corner, 2 + places * (1 + 8 * self._fibers)
        words = codes.force_words if self.kind == "forces" else codes.stress_words
        return (codes.center or codes.number, words) if words and places == 1 else None

    @property
    def code(self) -> int:
        """NASTRAN's stress code: von Mises or maximum shear, stress or strain, at fibers or as curvature."""
        if self.kind == "forces":
            return 0
        out = int("von_mises" in self.columns)
        if self.kind == "strains":
            out += 10 if "fiber_curvature" in self.columns else 14
        return out

    def rows(self, k: int) -> bytes:
        """The record of case or mode k."""
        record = self.record
        assert record is not None
        value = self.values[k].astype(np.float32).view(np.int32)
        value = np.where(np.isnan(self.values[k]), _UNKNOWN, value)
        if self._plies:
            out = np.column_stack([10 * self.ids + 2, np.asarray(self.nodes), value])
        elif self.name == "CBEAM":
            out = self._stations(value, record[1])
        elif self.name in _SOLIDS:
            out = self._solid(k, value, record[1])
        elif self._places > 1:
            out = self._corners(value, record[1])
        else:
            eid = self.ids[:: self._fibers]
            out = np.column_stack([10 * eid + 2, value.reshape(len(eid), -1)])
        return out.astype(np.int32).tobytes()

    def _corners(self, value: np.ndarray, words: int) -> np.ndarray:
        """Shells: number, CEN/, and at each place its grid (at the centre the number of corners) and values."""
        each = self._places * self._fibers
        out = np.zeros((len(self.ids) // each, words), np.int32)
        out[:, 0], out[:, 1] = 10 * self.ids[::each] + 2, _CENTRE
        rows = out[:, 2:].reshape(len(out), self._places, -1)
        rows[:, :, 0] = np.asarray(self.nodes)[:: self._fibers].reshape(len(out), -1)
        rows[:, 0, 0] = self._places - 1
        rows[:, :, 1:] = value.reshape(len(out), self._places, -1)
        return out

    def _stations(self, value: np.ndarray, words: int) -> np.ndarray:
        """CBEAM: number, and eleven stations; between the ends as they come, the second end is the last."""
        ids, first, count = np.unique(self.ids, return_index=True, return_counts=True)
        out = np.zeros((len(ids), words), np.int32)
        out[:, 0] = 10 * ids + 2
        stations = out[:, 1:].reshape(len(ids), _STATIONS, -1)
        for e, (start, rows) in enumerate(zip(first, count)):
            at = np.append(np.arange(rows - 1), _STATIONS - 1)
            stations[e, at, 0] = np.asarray(self.nodes)[start : start + rows]
            stations[e, at, 1:] = value[start : start + rows]
        return out

    def _solid(self, k: int, value: np.ndarray, words: int) -> np.ndarray:
        """Solids: number, coordinate system, GRID, corners; for the centre and each corner its grid and 20 values."""
        places = self._places
        out = np.zeros((len(self.ids) // places, words), np.int32)
        out[:, 0], out[:, 2], out[:, 3] = 10 * self.ids[::places] + 2, _GRID, places - 1
        out[:, 1] = 0 if self.systems is None else self.systems
        rows = np.zeros((len(self.ids), 21), np.int32)
        rows[:, 0] = np.asarray(self.nodes)
        for word, column in _TENSOR.items():
            rows[:, word] = value[:, column]
        x, y, z, xy, yz, xz = self.values[k, :, :6].T
        tensor = np.stack([x, xy, xz, xy, y, yz, xz, yz, z], axis=1).reshape(-1, 3, 3)
        along = np.linalg.eigh(tensor)[1][:, :, ::-1]  # the largest first, as in the tables
        real = rows.view(np.float32)
        real[:, 7] = -(x + y + z) / 3.0
        for axis, where in enumerate(_COSINES):
            real[:, where] = along[:, axis]
        out[:, 4:] = rows.reshape(len(out), -1)
        return out


# table: name in op2, its code, title in text files
_TABLES = {
    "displacements": ("OUGV1", 1, "DISPLACEMENTS", "D I S P L A C E M E N T   V E C T O R"),
    "eigenvectors": ("OUGV1", 7, "EIGENVECTOR", "R E A L   E I G E N V E C T O R   N O ."),
    "spcforces": ("OQG1", 3, "SPCF", "F O R C E S   O F   S I N G L E - P O I N T   C O N S T R A I N T"),
}


@dataclass(frozen=True)
class PointResults:
    """Six components at points, of load cases or modes.

    kind : "displacements", "eigenvectors" or "spcforces"
    subcase, number : (k,) subcase, and load set or number of the mode
    ids, types : (n,) point ids and 1 for a grid, 2 for a scalar point
    values : (k, n, 6) in each grid's CD system
    eigenvalues, masses : (k,) of modes, generalized masses too; None otherwise
    """

    kind: str
    subcase: np.ndarray
    number: np.ndarray
    ids: np.ndarray
    types: np.ndarray
    values: np.ndarray
    eigenvalues: np.ndarray | None = None
    masses: np.ndarray | None = None


def op2_bytes(
    results: Sequence[PointResults], title: str = "", elements: Sequence[ElementResults] = ()
) -> bytes:
    """Return an op2 file of 32-bit words, little-endian, with a LAMA table where there are modes."""
    out = _keys(3) + _record(np.array([1, 1, 0], np.int32)) + _keys(7)
    out += _record(b"NASTRAN FORT TAPE ID CODE - ") + _keys(2) + _record(b"XXXXXXXX") + _keys(-1, 0)
    for one in results:
        if one.eigenvalues is not None:
            out += _table("LAMA", _lama(one, title))
        name, code, _, _ = _TABLES[one.kind]
        records = []
        for k in range(len(one.values)):
            records += [_ident(one, k, code, title), _points(one, k)]
        out += _table(name, records)
    for table in dict.fromkeys(one.table for one in elements):
        mine = [one for one in elements if one.table == table]
        records = []
        for k in range(len(mine[0].values)):
            for each in mine:
                records += [_element_ident(each, k, title), each.rows(k)]
        out += _table(table, records)
    return out + _keys(0)


def _record(body: bytes | np.ndarray) -> bytes:
    data = body if isinstance(body, bytes) else body.tobytes()
    mark = struct.pack("<i", len(data))
    return mark + data + mark


def _keys(*values: int) -> bytes:
    return b"".join(_record(struct.pack("<i", value)) for value in values)


def _table(name: str, records: list[bytes]) -> bytes:
    """A data block: name, trailer, and records, each with its number and length."""
    label = name.ljust(8).encode()
    out = _keys(2) + _record(label) + _keys(-1, 7) + _record(np.array([101, 0, 0, 0, 0, 0, 0], np.int32))
    out += _keys(-2, 1, 0, 2) + _record(label)
    for k, body in enumerate(records, 3):
        out += _keys(-k, 1, 0, len(body) // 4) + _record(body)
    return out + _keys(-len(records) - 3, 1, 0, 0)


def _text(text: str) -> bytes:
    return text.encode("ascii", "replace")[:128].ljust(128)


def _element_ident(one: ElementResults, k: int, title: str) -> bytes:
    assert one.record is not None
    kind, words = one.record
    return _ident(one, k, 4 if one.kind == "forces" else 5, title, words, kind, one.code)


def _ident(
    one: PointResults | ElementResults,
    k: int,
    code: int,
    title: str,
    words: int = 8,
    kind: int = 0,
    stress: int = 0,
) -> bytes:
    """Identification: approach, table, element, subcase, mode with eigenvalue, format, words, stress code, titles."""
    head = np.zeros(50, np.int32)
    modes = one.eigenvalues is not None
    head[0] = (2 if modes else 1) * 10 + 2
    head[1:5] = code, kind, one.subcase[k], one.number[k]
    if one.eigenvalues is not None:
        value = float(one.eigenvalues[k])
        pair = np.array([value, np.sqrt(abs(value)) / 2 / np.pi], np.float32)
        head[5:7] = pair.view(np.int32)
    head[8], head[9], head[10] = 1, words, stress
    return head.tobytes() + _text(title) + _text("") + _text(f"SUBCASE {one.subcase[k]}")


def _points(one: PointResults, k: int) -> bytes:
    out = np.empty((len(one.ids), 8), np.int32)
    out[:, 0], out[:, 1] = 10 * one.ids + 2, one.types
    out[:, 2:] = one.values[k].astype(np.float32).view(np.int32)
    return out.tobytes()


def _lama(one: PointResults, title: str) -> list[bytes]:
    head = np.zeros(50, np.int32)
    head[0], head[1], head[3], head[8], head[9] = 22, 6, one.subcase[0], 1, 7
    ident = head.tobytes() + _text(title) + _text("") + _text("")
    value = np.asarray(one.eigenvalues, dtype=float)
    mass = np.ones(len(value)) if one.masses is None else one.masses
    radians = np.sqrt(np.abs(value))
    columns = np.column_stack([value, radians, radians / 2 / np.pi, mass, mass * value]).astype(np.float32)
    rows = np.empty((len(value), 7), np.int32)
    rows[:, 0] = rows[:, 1] = one.number
    rows[:, 2:] = columns.view(np.int32)
    return [ident, rows.tobytes()]


def punch_text(results: Sequence[PointResults], title: str = "") -> str:
    """Return a punch file: headers that begin with a dollar sign, two lines a point."""
    lines: list[str] = []

    def head(text: str) -> None:
        lines.append(f"{text[:72]:<72}{len(lines) + 1:8d}")

    for one in results:
        for k, table in enumerate(one.values):
            head(f"$TITLE   = {title}")
            head("$SUBTITLE=")
            head("$LABEL   =")
            head(f"${_TABLES[one.kind][2]}")
            head("$REAL OUTPUT")
            head(f"$SUBCASE ID = {one.subcase[k]:11d}")
            if one.eigenvalues is not None:
                head(f"$EIGENVALUE = {one.eigenvalues[k]:14.7E}  MODE = {one.number[k]:5d}")
            for point, kind, row in zip(one.ids, one.types, table):
                letter = "G" if kind == 1 else "S"
                head(f"{point:10d}       {letter}" + "".join(f"{value:18.6E}" for value in row[:3]))
                head("-CONT-            " + "".join(f"{value:18.6E}" for value in row[3:]))
    return "\n".join(lines) + "\n"


def unv_text(results: Sequence[PointResults], xyz: np.ndarray, title: str = "") -> str:
    """Return a universal file: nodes (dataset 2411) at xyz (n, 3), basic axes, and motions (dataset 55).

    Motions are written as they are given, so that `values` should be in basic axes here.
    """
    lines = ["    -1", "  2411"]
    grids = results[0].types == 1
    for point, place in zip(results[0].ids[grids], xyz):
        lines.append(f"{point:10d}{1:10d}{1:10d}{11:10d}")
        lines.append("".join(f"{value:25.16E}".replace("E", "D") for value in place))
    lines.append("    -1")
    for one in results:
        for k, table in enumerate(one.values):
            modes = one.eigenvalues is not None
            lines += ["    -1", "    55", title[:80] or "NONE", "NONE", "NONE", "NONE", "NONE"]
            # structural; normal mode or static; three translations and rotations; displacement or reaction; real
            lines.append(
                "".join(
                    f"{v:10d}" for v in (1, 2 if modes else 1, 3, 9 if one.kind == "spcforces" else 8, 2, 6)
                )
            )
            if one.eigenvalues is not None:
                value = float(one.eigenvalues[k])
                mass = 1.0 if one.masses is None else float(one.masses[k])
                lines.append("".join(f"{v:10d}" for v in (2, 4, one.subcase[k], one.number[k])))
                lines.append("".join(f"{v:13.5E}" for v in (np.sqrt(abs(value)) / 2 / np.pi, mass, 0.0, 0.0)))
            else:
                lines.append("".join(f"{v:10d}" for v in (1, 1, one.subcase[k])))
                lines.append(f"{0.0:13.5E}")
            for point, row in zip(one.ids[grids], table[grids]):
                lines.append(f"{point:10d}")
                lines.append("".join(f"{value:13.5E}" for value in row))
            lines.append("    -1")
    return "\n".join(lines) + "\n"


def listing_text(
    results: Sequence[PointResults],
    title: str = "",
    notes: Sequence[str] = (),
    texts: Mapping[int, Sequence[str]] | None = None,
) -> str:
    """Return a listing in the manner of an f06 file: eigenvalues, then a table for each case or mode.

    texts : TITLE, SUBTITLE and LABEL by subcase
    """
    lines = [f"1    {title}", ""]
    for one in results:
        if one.eigenvalues is not None:
            lines += ["", " " * 46 + "R E A L   E I G E N V A L U E S"]
            lines.append(
                "   MODE       EIGENVALUE            RADIANS             CYCLES        GENERALIZED   GENERALIZED"
            )
            lines.append(
                "    NO.                                                                 MASS         STIFFNESS"
            )
            mass = np.ones(len(one.values)) if one.masses is None else one.masses
            for number, value, m in zip(one.number, one.eigenvalues, mass):
                w = np.sqrt(abs(value))
                lines.append(
                    f"{number:7d}{value:20.6E}{w:20.6E}{w / 2 / np.pi:20.6E}{m:16.6E}{m * value:14.6E}"
                )
        for k, table in enumerate(one.values):
            lines += ["", *(f"     {text}" for text in (texts or {}).get(int(one.subcase[k]), ()))]
            lines.append(f"0{' ' * 100}SUBCASE {one.subcase[k]}")
            heading = _TABLES[one.kind][3]
            if one.eigenvalues is not None:
                lines.append(f"      EIGENVALUE = {one.eigenvalues[k]:13.6E}")
                heading += f"{one.number[k]:11d}"
            lines += [" " * 30 + heading, ""]
            columns = "".join(f"{name:>15}" for name in ("T1", "T2", "T3", "R1", "R2", "R3"))
            lines.append(f"      POINT ID.   TYPE{columns}")
            for point, kind, row in zip(one.ids, one.types, table):
                if one.kind == "spcforces" and not row.any():
                    continue
                cells = "".join(f"{value:15.6E}" for value in row)
                lines.append(f"{point:14d}      {'G' if kind == 1 else 'S'} {cells}")
    return "\n".join([*lines, "", *(f"  note: {note}" for note in notes)]) + "\n"
