"""The rows of a log: tables in memory, and the file that they go to or came from.

Rows of steps and samples, phases (`phase_storage`) and what is discrete (`points`) are tables of numbers. A run puts
rows into them; a file has the same tables (`hdf5`).
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from interstage.multibody import System
from interstage.simulation.log import phase_storage, points
from interstage.simulation.log.hdf5 import FlightRecord, FlightWriter
from interstage.simulation.log.layout import Contents
from interstage.simulation.log.phase_storage import Acted
from interstage.simulation.log.phases import Phase
from interstage.simulation.plant.assembly import Assembly
from interstage.simulation.plant.coupled_arrays import Loop
from interstage.simulation.plant.coupled_kernels import ROWS
from interstage.simulation.plant.python_block import Memories
from interstage.simulation.run.events import EventRecord


class RowStore:
    """Rows of a run by table, in memory and in the file that they go to, with the vehicle of each phase.

    contents : what the tables hold;  assembly : what ran, None: not known
    tables : rows of steps (0), of samples (1, 2, ...), of phases, and what is discrete, once the run has ended
    systems : the vehicle of each phase;  acted : what is known of each, in the process that ran it
    before : vehicles of the run that this one goes on from;  first : of `RunHistory`, where vehicles before are known
    memories : what laws remembered at rows, in the process that ran them;  count : rows of steps
    """

    def __init__(self, contents: Contents, system: System, assembly: Assembly | None = None):
        self.contents, self.assembly = contents, assembly
        self.own = len(contents.tables)  # tables of steps and samples come first
        self.discrete = self.own + len(phase_storage.TABLES)
        own = [np.zeros((0, len(names))) for names, _ in contents.tables]
        discrete = np.zeros((0, 1 if contents.points is None else contents.points.width))
        remembered = phase_storage.no_rows(points.TABLES)
        self._parts: list[list[np.ndarray]] = [
            [rows] for rows in (*own, *phase_storage.no_rows(), discrete, *remembered)
        ]
        self.tables: list[np.ndarray] = [parts[0] for parts in self._parts]
        self.systems = [system]
        self.acted: list[Acted | None] = []
        self.before: tuple[System, ...] = ()
        begun = contents.points is not None and contents.points.begun
        self.first: int | None = 0 if begun else None
        self.memories: Memories | None = None
        self.count = self._taken = 0  # rows of steps; those of a run before, or of a file
        self._kept: points.KeptMemories | None = None  # what laws remembered, as far as the file has it
        self._ahead: list[np.ndarray] = []
        self.record: FlightRecord | None = None  # of a file that they were read from
        self._writer: FlightWriter | None = None

    @classmethod
    def of_file(cls, record: FlightRecord, known: Sequence[System] = ()) -> RowStore:
        """Return the rows of a file; known : vehicles of its first phases."""
        store = cls(record.contents, record.system)
        store.record = record
        store.take_rows(record.tables, known=known)
        store.finish("")
        return store

    def __getstate__(self) -> dict[str, object]:
        # devices and functions do not travel: phases have what they did at the rows
        return {**self.__dict__, "acted": [], "_parts": [[rows] for rows in self.tables]}

    def write_to(self, path: str | Path, events: Sequence[EventRecord]) -> None:
        """Write rows to a file from now on, those that are there first."""
        self._writer = FlightWriter(path, self.contents, self.systems[0], self.assembly or self.record)
        for k, parts in enumerate(self._parts):
            for rows in parts:
                self._writer.put(k, rows)
        for event in events:
            self._writer.note(str(event))
        self._writer.commit()
        for k, rows in enumerate(self._ahead):
            self._writer.ahead(k, rows)
        self._writer.place()

    def commit(self, due: bool = False) -> None:
        """Bring what was taken to the file, if there is one; due : where the last time is some time ago."""
        if self._writer is not None and (not due or self._writer.due):
            self._writer.commit()

    def take_rows(
        self,
        tables: list[np.ndarray],
        counts: Sequence[int] | None = None,
        known: Sequence[System] = (),
    ) -> None:
        """Take rows that were logged before, the first of each table where the run goes on from there.

        The others stay in its file until the run has written them again. known : vehicles of the first phases
        """
        many = [len(rows) for rows in tables] if counts is None else counts
        for parts, rows, n in zip(self._parts, tables, many):
            parts.append(rows[:n])
        self.count = self._taken = len(self._parts[0][-1])
        self._ahead = [rows[n:] for rows, n in zip(tables, many)]
        self.systems = phase_storage.systems_of(
            [parts[-1] for parts in self._parts[self.own : self.discrete]], self.systems[0], known
        )

    def note(self, event: EventRecord) -> None:
        """Take an event that happened."""
        self._put(self.own + phase_storage.BOOKED, phase_storage.booked(event))
        if self._writer is not None:
            self._writer.note(str(event))

    def begin_phase(self, system: System, acted: Acted) -> None:
        """Go on with another state of the vehicle, or with another vehicle."""
        self.acted.append(acted)
        image = (
            phase_storage.image_of(system, self.systems[-1])
            if self._writer is not None
            else np.zeros(0, "u1")
        )
        self._put(self.own + phase_storage.CHANGES, image)
        counts = self.counts()
        self.systems.append(system)
        row = np.array([[counts[0], counts[self.own + phase_storage.CHANGES]]])
        self._put(self.own + phase_storage.PHASES, row)

    def _put(self, k: int, rows: np.ndarray) -> None:
        """Take rows of a table."""
        if len(rows):
            self._parts[k].append(rows)
            if self._writer is not None:
                self._writer.put(k, rows)

    def counts(self) -> list[int]:
        """Return how many rows each table has."""
        return [sum(map(len, parts)) for parts in self._parts]

    def take(self, loop: Loop) -> None:
        """Take rows from the buffers of a loop."""
        rows, kept = loop.log[: int(loop.now[ROWS])].copy(), self._parts[self.discrete]
        own = rows.shape[1] - (kept[0].shape[1] - 1)
        last = next((some[-1] for some in reversed(kept) if len(some)), None)
        steps, states = phase_storage.split(rows[:, :own], self.systems[-1], self.systems[0])
        taken = [(self.discrete, points.changed_rows(rows[:, own:], self.count, last))]
        taken += [(self.own + phase_storage.STATES, states), (0, steps)]
        for g, parts in enumerate(self._parts[1 : self.own]):
            count, width, at = int(loop.group_rows[g]), parts[0].shape[1], int(loop.group_at[g])
            taken.append((g + 1, loop.samples[at : at + count * width].reshape(count, width).copy()))
        for k, some in taken:  # memory is there for all of them, or for none
            self._put(k, some)
        self.count += len(steps)
        self._put_memories()
        self.commit(due=True)

    def _put_memories(self) -> None:
        """Take what laws have remembered since the last time, where there is a file."""
        if self._writer is None or self.memories is None:
            return
        k = self.discrete + 1
        if self._kept is None:
            self._kept = points.KeptMemories(self.counts()[k])
        for until, memory in self.memories.new():
            data, row = self._kept.rows(until, memory)
            self._put(k, data)
            self._put(k + 1, row)

    def remembered_at(self, k: int) -> dict[str, dict[str, object]] | None:
        """Return what laws remembered at a row; None where that is not known."""
        if self.memories is not None and k >= self._taken:
            return self.memories.at(k)
        data, rows = self.tables[self.discrete + 1 :]
        return points.memory_at(data, rows, k)

    def remembered(self) -> list[np.ndarray]:
        """Return all that laws remembered at rows as tables, in which it is where it went to a file."""
        tables = self.tables[self.discrete + 1 :]
        if self.memories is None or self._kept is not None:
            return tables
        kept, (data, rows) = points.KeptMemories(len(tables[0])), tables
        found = [kept.rows(until, memory) for until, memory in self.memories.all()]
        return [
            np.concatenate([data, *(d for d, _ in found)]),
            np.concatenate([rows, *(r for _, r in found)]),
        ]

    def close(self, info: str = "") -> None:
        """Close the file, if there is one that is open; info : how the run was made (JSON)."""
        if self._writer is not None:
            self._writer.close(info)
            self._writer = None

    def finish(self, info: str) -> None:
        """Put all rows in place, and close the file."""
        self._put_memories()
        self.close(info)
        for k, parts in enumerate(self._parts):  # one by one: each needs the memory of two for a while
            self._parts[k] = [_together(parts)]
        self.tables = [parts[0] for parts in self._parts]

    def phases(self) -> list[Phase]:
        """Return the phases of the rows."""
        return phase_storage.phases_of(
            self.tables[: self.own],
            self.tables[self.own : self.discrete],
            self.systems,
            self.contents,
            self.acted,
        )


def _together(parts: list[np.ndarray]) -> np.ndarray:
    """Return the rows of some tables as one; a table that has all of them is not copied."""
    some = [rows for rows in parts if len(rows)]
    return some[0] if len(some) == 1 else np.concatenate(parts)
