"""Modes of a test: read from a universal file (dataset 55) or a CSV file, and held against computed ones.

    MAC_ij = |a_iᴴ b_j|² / (a_iᴴ a_i  b_jᴴ b_j)  over the measured dofs

Source: the universal file format of SDRC I-DEAS, dataset 55, "data at nodes"; Allemang, "The modal assurance criterion:
twenty years of use and abuse", Sound and Vibration 37 (2003).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from interstage.calls import named_arguments
from interstage.errors import FileError, InputError
from interstage.fem.solutions import Modes
from interstage.output import as_path
from interstage.reading import csv_rows, is_whole, read_text

NORMAL_MODE, COMPLEX_MODE = 2, 3  # analysis types of dataset 55
REAL, COMPLEX = (2, 4), (5, 6)  # data types, single and double precision
WIDTH = 13  # of a number


@named_arguments
@dataclass(frozen=True)
class MeasuredModes:
    """Modes at the places of a test.

    grid_ids : (n,) grid of each measured dof
    components : (n,) 1 to 6, in the grid's CD system
    shapes : (n, m) real or complex
    frequencies_hz : (m,)
    damping : (m,) ratios, nan where the file has none
    """

    grid_ids: np.ndarray
    components: np.ndarray
    shapes: np.ndarray
    frequencies_hz: np.ndarray
    damping: np.ndarray

    def mac(self, modes: Modes) -> np.ndarray:
        """Return the modal assurance criterion (computed modes, measured modes)."""
        rows = [modes.grids.dof_of(int(g), int(c)) for g, c in zip(self.grid_ids, self.components)]
        if -1 in rows:
            at = rows.index(-1)
            place = f"grid {self.grid_ids[at]} component {self.components[at]}"
            raise InputError("a measured dof is not in the model", got=place)
        A, B = modes.shapes[rows], self.shapes
        size = np.outer(np.sum(A**2, axis=0), np.sum(np.abs(B) ** 2, axis=0))
        return np.abs(A.T @ B) ** 2 / np.where(size > 0.0, size, 1.0)


@named_arguments
def read_measured(path: str | Path) -> MeasuredModes:
    """Read measured modes from a universal file (.uff, .unv, .ufu) or a CSV file.

    A CSV file has the header `grid,component,f1,f2,...` with frequencies in Hz and a row for each measured dof.
    """
    path = as_path(path, "file of measured modes")
    text = read_text(path, "file of measured modes", errors="replace")
    return _from_csv(text, path) if path.suffix.lower() == ".csv" else _from_uff(text, path)


def _from_csv(text: str, path: Path) -> MeasuredModes:
    rows = [row for row in csv_rows(text.splitlines(), "file of measured modes", path) if row]
    try:
        hz = np.array([float(word) for word in rows[0][2:]])
        values = np.array([[float(word) for word in row] for row in rows[1:]]).reshape(-1, len(hz) + 2)
    except (IndexError, ValueError) as error:
        raise FileError(
            "measured modes cannot be read",
            where=str(path),
            expected="a header grid,component,frequency,... and as many numbers in each row",
            got=str(error),
        ) from None
    with np.errstate(invalid="ignore"):
        ids = values[:, :2].astype(np.int64)
    if not np.array_equal(ids, values[:, :2]) or not (np.isfinite(values).all() and np.isfinite(hz).all()):
        raise FileError(
            "measured modes cannot be read",
            where=str(path),
            expected="whole numbers of grid and component, and numbers",
            got=next(
                (",".join(row)[:80] for row, one, i in zip(rows[1:], values, ids) if not _usable(one, i)),
                ",".join(rows[0])[:80],
            ),
        )
    return MeasuredModes(ids[:, 0], ids[:, 1], values[:, 2:], hz, np.full(len(hz), np.nan))


def _usable(values: np.ndarray, ids: np.ndarray) -> bool:
    return bool(np.isfinite(values).all() and np.array_equal(ids, values[:2]))


def _from_uff(text: str, path: Path) -> MeasuredModes:
    found = [_dataset_55(body, path) for number, body in _datasets(text.splitlines()) if number == 55]
    modes = [mode for mode in found if mode is not None]
    if not modes:
        raise FileError(
            "there are no modes in this file", where=str(path), expected="dataset 55 of normal modes"
        )
    places = sorted(set.intersection(*(set(mode[2]) for mode in modes)))
    if not places:
        raise FileError("the modes of this file have no common dof", where=str(path))
    shapes = np.array([[mode[2][place] for mode in modes] for place in places])
    if not np.iscomplexobj(shapes) or not shapes.imag.any():
        shapes = shapes.real
    grid, component = np.array(places, dtype=np.int64).T
    hz, damping = np.array([mode[:2] for mode in modes]).T
    return MeasuredModes(grid, component, shapes, hz, damping)


def _datasets(lines: list[str]) -> Iterator[tuple[int, list[str]]]:
    """Number and lines of each dataset: what stands between lines of -1."""
    start = None
    for k, line in enumerate(lines):
        if line[:6].strip() != "-1" or line.strip() != "-1":
            continue
        if start is None:
            start = k + 1
            continue
        body = lines[start:k]
        if body and is_whole(body[0].strip()):
            yield int(body[0]), body[1:]
        start = None


def _numbers(lines: list[str], count: int) -> tuple[list[float], int]:
    """`count` numbers of width 13 from the start of lines, and how many lines they fill."""
    out: list[float] = []
    used = 0
    while len(out) < count:
        line = lines[used].rstrip()
        out += [float(line[k : k + WIDTH]) for k in range(0, len(line), WIDTH) if line[k : k + WIDTH].strip()]
        used += 1
    return out[:count], used


def _dataset_55(lines: list[str], path: Path) -> tuple[float, float, dict[tuple[int, int], complex]] | None:
    """Frequency, damping ratio and values by (grid, component) of one mode; None for data that are no mode."""
    try:
        kind = [int(word) for word in lines[5].split()]
        analysis, layout, data, per_node = kind[1], kind[2], kind[4], kind[5]
        if analysis not in (NORMAL_MODE, COMPLEX_MODE) or layout not in (2, 3):
            return None
        reals = int(lines[6].split()[1])
        head, used = _numbers(lines[7:], reals)
        hz, damping = _frequency(head, analysis)
        at, values = 7 + used, {}
        while at < len(lines):
            node = int(lines[at].split()[0])
            if not 0 < node < 2**63:
                raise ValueError(f"{node} is no node")
            found, used = _numbers(lines[at + 1 :], per_node * (2 if data in COMPLEX else 1))
            for c in range(per_node):
                one = complex(found[2 * c], found[2 * c + 1]) if data in COMPLEX else complex(found[c])
                values[node, c + 1] = one
            at += 1 + used
        if not np.isfinite([hz, *values.values()]).all():
            raise ValueError("numbers that are not finite")
    except (IndexError, ValueError, OverflowError) as error:
        raise FileError("dataset 55 cannot be read", where=str(path), got=str(error)) from None
    return hz, damping, values


def _frequency(head: list[float], analysis: int) -> tuple[float, float]:
    """Frequency (Hz) and damping ratio: given, or of an eigenvalue."""
    if analysis == NORMAL_MODE:
        return head[0], head[2] if len(head) > 2 else np.nan
    pole = complex(head[0], head[1])
    return abs(pole) / (2.0 * np.pi), -pole.real / abs(pole) if pole else np.nan
