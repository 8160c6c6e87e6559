"""Write displacements, eigenvectors, constraint forces and results of elements in the formats that other programs read.

op2 (OUTPUT2 as PARAM,POST,-1 makes it), punch, universal files (datasets 2411 and 55), and a listing like an f06 file.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from interstage.nastran.op2_elements import ElementResults

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


def listing_text(results: Sequence[PointResults], title: str = "", notes: Sequence[str] = ()) -> str:
    """Return a listing in the manner of an f06 file: eigenvalues, then a table for each case or mode."""
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
            lines += ["", f"0{' ' * 100}SUBCASE {one.subcase[k]}"]
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
