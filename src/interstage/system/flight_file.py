"""The log of a flight as a file that grows: HDF5 in SWMR mode, one table a rate group.

FORMAT, SCHEMA_VERSION, NAME                what this is
STEPS (m, 1 + nq + nv + …)                  time, then q, v, continuous ports and states of devices
SAMPLES_<k> (m, 1 + …)                      time, then ports that are sampled together
    attributes names, units                 of the columns, one a line

Rows are flushed as they come. Whatever ends the writer, what was flushed can be read, also while it is written.
"""

from __future__ import annotations

from pathlib import Path

import h5py
import numpy as np

from interstage.errors import FileError, InputError, did_you_mean
from interstage.files import FLIGHT, check_version, expect
from interstage.hdf5 import put_text
from interstage.output import reason

SCHEMA = 1
CHUNK = 1 << 15  # numbers in a chunk of a table


class FlightWriter:
    """Write tables on the way; `tables` gives names and units of the columns of each."""

    def __init__(self, path: str | Path, name: str, tables: list[tuple[list[str], list[str]]]):
        self.path = Path(path)
        try:
            self.file = h5py.File(self.path, "w", libver="latest")
        except OSError as err:
            raise FileError(f"the log cannot be written: {reason(err)}", where=str(path)) from err
        put_text(self.file, "FORMAT", FLIGHT.format)
        put_text(self.file, "NAME", name)
        self.file["SCHEMA_VERSION"] = SCHEMA
        self.tables = []
        for k, (names, units) in enumerate(tables):
            width = len(names)
            table = self.file.create_dataset(
                "STEPS" if k == 0 else f"SAMPLES_{k}",
                (0, width),
                maxshape=(None, width),
                chunks=(max(1, CHUNK // max(width, 1)), max(width, 1)),
                dtype="f8",
            )
            table.attrs["names"], table.attrs["units"] = "\n".join(names), "\n".join(units)
            self.tables.append(table)
        self.file.swmr_mode = True

    def add(self, k: int, rows: np.ndarray) -> None:
        """Append rows to a table."""
        if len(rows):
            table, n = self.tables[k], len(self.tables[k])
            table.resize(n + len(rows), axis=0)
            table[n:] = rows
            table.flush()

    def rows(self) -> list[int]:
        """Return how many rows each table has."""
        return [len(table) for table in self.tables]

    def close(self) -> None:
        """Finish the file."""
        self.file.close()


class FlightFile:
    """The log of a flight, read from its file: `log["imu.rate"]`, `log.times("imu.rate")`, `log.t`, `log.names`."""

    def __init__(self, name: str, tables: list[tuple[list[str], list[str], np.ndarray]]):
        self.name, self.tables = name, tables
        self._where: dict[str, list[tuple[int, int]]] = {}
        self.units: dict[str, str] = {}
        for k, (names, units, _) in enumerate(tables):
            for column, (one, unit) in enumerate(zip(names, units)):
                if column:
                    field = one.partition("[")[0]
                    self._where.setdefault(field, []).append((k, column))
                    self.units[field] = unit

    @classmethod
    def load(cls, path: str | Path) -> FlightFile:
        """Read a file, finished or not."""
        expect(path, FLIGHT)
        try:
            with h5py.File(path, "r", libver="latest", swmr=True) as file:
                check_version(float(file["SCHEMA_VERSION"][()]), SCHEMA, FLIGHT, path)
                names = [
                    "STEPS",
                    *sorted((n for n in file if n.startswith("SAMPLES_")), key=lambda n: (len(n), n)),
                ]
                return cls(_text(file, "NAME"), [_table(file, name, path) for name in names])
        except (OSError, KeyError, RuntimeError, ValueError) as err:
            raise FileError(f"the log cannot be read: {reason(err)}", where=str(path)) from err

    @property
    def names(self) -> list[str]:
        """Names of all columns, those of an array as one."""
        return list(self._where)

    @property
    def t(self) -> np.ndarray:
        """Times (m,) of the steps."""
        return self.tables[0][2][:, 0]

    def _columns(self, name: str) -> list[tuple[int, int]]:
        if name not in self._where:
            raise InputError(f"there is no '{name}' in the log", hint=did_you_mean(name, self._where))
        return self._where[name]

    def times(self, name: str) -> np.ndarray:
        """Return the times (m,) of the rows of a port."""
        return self.tables[self._columns(name)[0][0]][2][:, 0]

    def __getitem__(self, name: str) -> np.ndarray:
        where = self._columns(name)
        names, _, table = self.tables[where[0][0]]
        found = table[:, [column for _, column in where]]
        return found if "[" in names[where[0][1]] else found[:, 0]

    def __repr__(self) -> str:
        return f"<FlightFile '{self.name}': {len(self.t)} steps, {len(self._where)} ports and states>"


def _text(file: h5py.File, name: str) -> str:
    return bytes(file[name][()]).decode()


def _table(file: h5py.File, name: str, path: str | Path) -> tuple[list[str], list[str], np.ndarray]:
    """Return names and units of the columns of a table, and its numbers; nothing outside the file is followed."""
    table = file[name]
    inside = isinstance(file.get(name, getlink=True), h5py.HardLink) and isinstance(table, h5py.Dataset)
    if not inside or table.is_virtual or table.external or table.ndim != 2 or table.dtype != np.float64:
        raise FileError(f"'{name}' is no table of a log", where=str(path))
    names, units = (str(table.attrs[what]).split("\n") for what in ("names", "units"))
    if len(names) != table.shape[1] or len(units) != table.shape[1]:
        raise FileError(f"'{name}' has not as many names as columns", where=str(path))
    return names, units, table[()]
