"""The log of a flight: states of the vehicle at every row, and every port by its name.

Continuous ports and states of devices have the rows of the vehicle (`log.t`). What is sampled has rows of its own: one
for each sample, `log.times(name)`. A row shows values as they hold from its time on: samples at that time are in it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from interstage.errors import InputError
from interstage.multibody import System
from interstage.multibody.state import BodyState
from interstage.multibody.types import Node
from interstage.system.flight_file import FlightWriter
from interstage.system.log import SAME_TIME, BodyHistory, Log, Phase
from interstage.system.loop_arrays import Loop
from interstage.system.loop_kernels import ROWS
from interstage.system.plan import Plan
from interstage.system.ports import Out
from interstage.system.wires import matching

if TYPE_CHECKING:
    from interstage.system.closed_loop import Rows
    from interstage.system.flight import FlightPoint


@dataclass
class Columns:
    """Which numbers go to which rows.

    s, z : signals and states in rows of steps;  groups : (period, first tick, signals) of what is sampled
    """

    s: np.ndarray
    z: np.ndarray
    groups: list[tuple[int, int, np.ndarray]]
    width: int

    def rows(self, most: int) -> Rows:
        """Return what the loop needs to know, with buffers of so many rows."""
        from interstage.system.closed_loop import Rows

        return Rows(self.s, self.z, self.groups, most)


def columns_of(plan: Plan, system: System, keep: Sequence[str] | None) -> Columns:
    """Return the columns of all ports and states, or of those that fit the names and patterns in `keep`."""
    kept = None if keep is None else {name for pattern in keep for name in _kept(plan, pattern)}
    in_group: dict[tuple[int, int], set[int]] = {}
    sampled: set[int] = set()
    for entry in plan.sampled:
        part = plan.parts[entry.part]
        for name in part.what.fields:
            full = f"{part.path}.{name}"
            if entry.function == "sample" and _is_out(plan, entry.part, name):
                where = range(plan.slots[full].start, plan.slots[full].start + plan.slots[full].size)
                in_group.setdefault((entry.every, entry.first), set()).update(where)
                sampled.update(where)
    wanted_s: set[int] = set()
    wanted_z: set[int] = set()
    for name, slot in plan.slots.items():
        if kept is None or name in kept:
            numbers = range(slot.start, slot.start + slot.size)
            if slot.kind == "s":
                wanted_s.update(numbers)
            elif slot.kind == "z":
                wanted_z.update(numbers)
    groups = [
        (every, first, np.array(sorted(numbers & wanted_s), dtype=np.int64))
        for (every, first), numbers in in_group.items()
    ]
    s = np.array(sorted(wanted_s - sampled), dtype=np.int64)
    z = np.array(sorted(wanted_z), dtype=np.int64)
    return Columns(s, z, [g for g in groups if len(g[2])], 1 + system.nq + system.nv + len(s) + len(z))


def tables_of(plan: Plan, system: System, columns: Columns) -> list[tuple[list[str], list[str]]]:
    """Return names and units of the columns of every table of a log: rows of steps, then groups of samples."""
    s, z = _labels(plan, "s"), _labels(plan, "z")
    first = [("time", "s"), *((f"vehicle.q[{k}]", "") for k in range(system.nq))]
    first += [(f"vehicle.v[{k}]", "") for k in range(system.nv)]
    first += [s[k] for k in columns.s.tolist()] + [z[k] for k in columns.z.tolist()]
    tables = [
        first,
        *([("time", "s"), *(s[k] for k in signals.tolist())] for _, _, signals in columns.groups),
    ]
    return [([name for name, _ in table], [unit for _, unit in table]) for table in tables]


def _labels(plan: Plan, kind: str) -> dict[int, tuple[str, str]]:
    """Return name and unit of each number of a vector; who writes it names it."""
    found: dict[int, tuple[str, str]] = {}
    for name, slot in plan.slots.items():
        if slot.kind == kind:
            for k in range(slot.size):
                one = f"{name}[{k}]" if slot.shape else name
                found.setdefault(slot.start + k, (one, slot.unit or "1"))
    return found


def _is_out(plan: Plan, k: int, name: str) -> bool:
    part = plan.parts[k]
    return isinstance(part.what.fields[name], Out) and part.samples(name)


def _kept(plan: Plan, pattern: str) -> list[str]:
    names = [name for name, slot in plan.slots.items() if slot.kind in "sz"]
    found = matching(pattern, [*names, *plan.aliases]) or matching(f"{pattern}.**", names)
    if not found:
        return plan.find(pattern, "sz")  # says what there is
    return [inner for name in found for inner in plan.aliases.get(name, [name])]


class FlightLog(Log):
    """Log of an assembly: `log["imu.rate"]` is a port (m, size), `log["core"]` a body; see the module.

    end : where the flight ended, for another run or a linear model
    """

    def __init__(self, system: System, plan: Plan, columns: Columns):
        super().__init__([Phase(system, np.zeros(0), np.zeros((0, system.nq)), np.zeros((0, system.nv)))])
        self.plan, self.columns = plan, columns
        self.end: FlightPoint | None = None
        self._rows: list[np.ndarray] = [np.zeros((0, columns.width))]
        self._groups: list[list[np.ndarray]] = [[np.zeros((0, 1 + len(g[2])))] for g in columns.groups]
        self._writer: FlightWriter | None = None
        self._table = self._rows[0]
        self._tables: list[np.ndarray] = [rows[0] for rows in self._groups]

    def save(self, path: str | Path, signals: Mapping[str, tuple[ArrayLike, str]] | None = None) -> None:
        """Write the log file (HDF5): states, `signals`, and every port as it holds at the times of the states.

        What is sampled is held from sample to sample; `simulate(log=path)` keeps each sample at its own time.
        """
        super().save(path, {**self._held(), **(signals or {})})

    def _held(self) -> dict[str, tuple[np.ndarray, str]]:
        """Return every port (m,) at the rows of `t` with its unit, NaN before the first sample."""
        held: dict[str, tuple[np.ndarray, str]] = {}
        labels = tables_of(self.plan, self.system, self.columns)
        for k, ((names, units), rows) in enumerate(zip(labels, [self._table, *self._tables])):
            at = np.searchsorted(rows[:, 0], self.t * (1.0 + SAME_TIME), "right") - 1
            for column in range(1 + self.system.nq + self.system.nv if k == 0 else 1, len(names)):
                values = np.where(at < 0, np.nan, rows[np.maximum(at, 0), column])
                held[names[column]] = values, units[column]
        return held

    def write_to(self, path: str | Path) -> None:
        """Write rows to a file from now on, those that are there first."""
        self._writer = FlightWriter(
            path, self.plan.assembly.name, tables_of(self.plan, self.system, self.columns)
        )
        for k, rows in enumerate([self._rows, *self._groups]):
            for some in rows:
                self._writer.add(k, some)

    def take_rows(self, tables: list[np.ndarray]) -> None:
        """Take rows that were logged before."""
        self._rows.append(tables[0])
        for group, rows in zip(self._groups, tables[1:]):
            group.append(rows)

    def counts(self) -> list[int]:
        """Return how many rows each table has."""
        return [sum(map(len, rows)) for rows in (self._rows, *self._groups)]

    def take(self, loop: Loop) -> None:
        """Take rows from the buffers of a loop."""
        n = int(loop.now[ROWS])
        if n:
            self._rows.append(loop.log[:n].copy())
            if self._writer is not None:
                self._writer.add(0, self._rows[-1])
        for g, group in enumerate(self._groups):
            count, width = int(loop.group_rows[g]), 1 + len(self.columns.groups[g][2])
            if count:
                at = int(loop.group_at[g])
                group.append(loop.samples[at : at + count * width].reshape(count, width).copy())
                if self._writer is not None:
                    self._writer.add(g + 1, group[-1])

    def finished(self, end: FlightPoint | None) -> FlightLog:
        """Return this log with all its rows in place; its file is closed."""
        if self._writer is not None:
            self._writer.close()
            self._writer = None
        table, system = np.concatenate(self._rows), self.system
        self._rows, self._table, self.end = [table], table, end
        self._tables = [np.concatenate(rows) for rows in self._groups]
        q = table[:, 1 : 1 + system.nq]
        v = table[:, 1 + system.nq : 1 + system.nq + system.nv]
        self.phases = [Phase(system, table[:, 0].copy(), np.ascontiguousarray(q), np.ascontiguousarray(v))]
        return self

    def __getitem__(self, name: str) -> BodyState | BodyHistory | np.ndarray:  # type: ignore[override]
        if name in self.system.layout and name not in self.plan.slots:
            return super().__getitem__(name)
        return self._column(name)[1]

    def times(self, name: str) -> np.ndarray:
        """Return the times (m,) of the rows of a port."""
        return self._column(name)[0]

    def names(self) -> list[str]:
        """Return the full names of all ports and states in the log."""
        return [name for name, slot in self.plan.slots.items() if slot.kind in "sz" and self._found(name)]

    def _found(self, name: str) -> bool:
        try:
            self._column(name)
        except InputError:
            return False
        return True

    def _column(self, name: str) -> tuple[np.ndarray, np.ndarray]:
        names = self.plan.find(name, "sz")
        parts = [self._one(inner) for inner in names]
        if any(not np.array_equal(t, parts[0][0]) for t, _ in parts):
            raise InputError(
                f"'{name}' means ports with different times", hint=f"ask for {names[0]} and others alone"
            )
        if len(parts) == 1:
            return parts[0]
        return parts[0][0], np.concatenate([rows.reshape(len(rows), -1) for _, rows in parts], axis=1)

    def _one(self, name: str) -> tuple[np.ndarray, np.ndarray]:
        slot = self.plan.slots[name]
        wanted = np.arange(slot.start, slot.start + slot.size)
        if slot.kind == "z":
            found = self._pick(self._table, self.columns.z, self.columns.width - len(self.columns.z), wanted)
            table = self._table
        else:
            first = self.columns.width - len(self.columns.z) - len(self.columns.s)
            found, table = self._pick(self._table, self.columns.s, first, wanted), self._table
            for (_, _, signals), rows in zip(self.columns.groups, self._tables):
                if found is None:
                    found, table = self._pick(rows, signals, 1, wanted), rows
        if found is None:
            raise InputError(f"'{name}' was not kept in the log", hint="give its name in keep=")
        return table[:, 0], found.reshape(len(found), *slot.shape)

    @staticmethod
    def _pick(table: np.ndarray, listed: np.ndarray, first: int, wanted: np.ndarray) -> np.ndarray | None:
        where = np.searchsorted(listed, wanted)
        if len(listed) == 0 or (where >= len(listed)).any() or (listed[where] != wanted).any():
            return None
        return table[:, first + where]

    def velocity(self, body: str, node: Node = None, frame: str = "world") -> np.ndarray:
        """Return [ω; v] (m, 6) of a place on a body."""
        return np.array([self.system.velocity(self.state(k), body, node, frame) for k in range(len(self))])
