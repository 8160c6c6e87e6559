"""The log of a flight: states of the vehicle at every row, and every port by its name.

Continuous ports and states of devices have the rows of the vehicle (`log.t`). What is sampled has rows of its own: one
for each sample, `log.times(name)`. A row shows values as they hold from its time on: samples at that time are in it.

    log["imu.rate"]                          a port (m, size);  "pod*.tvc.angle" several, side by side
    log["imu.rate[2]"], log["imu.rate[0:2]"] some of its numbers, (m,) and (m, 2)
    log["earth.position - guidance.place"]   sums and differences, at the times of the first
    log["core"], log.velocity("core", 9)     a body, and any place of the vehicle
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, cast

import numpy as np
from numpy.typing import ArrayLike

from interstage.errors import FileError, InputError
from interstage.files import FLIGHT, expect
from interstage.hdf5 import Fault
from interstage.multibody import System
from interstage.multibody.loads import Loads
from interstage.multibody.operating_point import OperatingPoint
from interstage.multibody.state import BodyState
from interstage.multibody.types import Node
from interstage.output import write_svg
from interstage.system.log import (
    phase_storage as flight_phases,
)
from interstage.system.log import (
    points as log_memory,
)
from interstage.system.log.hdf5 import FlightRecord, FlightWriter, read_flight
from interstage.system.log.layout import Contents
from interstage.system.log.log import BodyHistory, Log, Series
from interstage.system.log.phase_storage import Acted
from interstage.system.log.phases import Phase, is_mass
from interstage.system.log.points import KeptState, LoadsInFile, LogRow, changed_rows
from interstage.system.plant.connections import Slice, split_slice
from interstage.system.plant.coupled_arrays import Loop
from interstage.system.plant.coupled_kernels import ROWS
from interstage.system.plant.python_block import Memories
from interstage.system.run.applied_loads import Acting
from interstage.system.run.events import EventRecord
from interstage.system.run.operating_point import check_whole
from interstage.units import check_unit

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from interstage.system.plant.assembly import Assembly


_SIGNS = re.compile(r"\s+([-+])\s+")


class FlightLog(Log):
    """Log of an assembly, of a run or from its file; see the module.

    contents : what it holds by name;  end : where the flight ended, for another run or a linear model
    assembly : what flew, None in a log from a file;  tree : it as text
    """

    def __init__(self, contents: Contents, system: System, assembly: Assembly | None = None):
        super().__init__([Phase(system, np.zeros(0), np.zeros((0, system.nq)), np.zeros((0, system.nv)))])
        self.contents, self.assembly = contents, assembly
        self._record: FlightRecord | None = None
        self.end: OperatingPoint | None = None
        # tables of steps and samples, those of phases (`phase_storage`), what is discrete; the vehicle of each phase
        self._own = len(contents.tables)
        self._discrete = self._own + len(flight_phases.TABLES)
        own = [np.zeros((0, len(names))) for names, _ in contents.tables]
        discrete = np.zeros((0, 1 if contents.points is None else contents.points.width))
        remembered = flight_phases.no_rows(log_memory.TABLES)
        self._parts: list[list[np.ndarray]] = [
            [rows] for rows in (*own, *flight_phases.no_rows(), discrete, *remembered)
        ]
        self._tables: list[np.ndarray] = [parts[0] for parts in self._parts]
        self._systems = [system]
        self.acted: list[Acted | None] = []  # what is known of each phase, in the process that flew it
        self.before: tuple[System, ...] = ()  # vehicles of the run that this one goes on from
        begun = contents.points is not None and contents.points.begun
        self.first: int | None = (
            0 if begun else None
        )  # of `RunHistory`, where vehicles before are known, or cannot be
        self.memories: Memories | None = None  # what laws remembered at rows, in the process that flew them
        self.rows = self._taken = 0  # rows; those of a run before, or of a file
        self._kept: log_memory.KeptMemories | None = None  # what laws remembered, as far as the file has it
        self._ahead: list[np.ndarray] = []
        self._writer: FlightWriter | None = None

    @classmethod
    def load(cls, path: str | Path) -> FlightLog:  # type: ignore[override]
        """Read the log of a flight from its file: finished, growing, or left behind by a run that was killed."""
        expect(path, FLIGHT)
        record = read_flight(path)
        return cls._of(record, path)

    @classmethod
    def _of(cls, record: FlightRecord, path: str | Path, known: Sequence[System] = ()) -> FlightLog:
        """Return the log of what was read; known : vehicles of its first phases."""
        log = cls(record.contents, record.system)
        log._record = record
        log.events = record.events
        log.info = {"file": str(path)}
        try:
            log.take_rows(record.tables, known=known)
            return log.finished(None)
        except Fault as fault:
            raise FileError(str(fault), where=str(path)) from None

    def again(self) -> FlightLog:
        """Return what the file of this log holds by now, of a run that goes on; vehicles are not made again."""
        if self._record is None:
            raise InputError("this log was not read from a file", where=f"flight '{self.name}'")
        path = str(self.info["file"])
        return self._of(read_flight(path, self._record), path, self._systems)

    # what a run does with it --------------------------------------------------------------------------

    def write_to(self, path: str | Path) -> None:
        """Write rows to a file from now on, those that are there first."""
        self._writer = FlightWriter(path, self.contents, self.system, self.assembly)
        for k, parts in enumerate(self._parts):
            for rows in parts:
                self._writer.put(k, rows)
        for event in self.events:
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
        self.rows = self._taken = len(self._parts[0][-1])
        self._ahead = [rows[n:] for rows, n in zip(tables, many)]
        self._systems = flight_phases.systems_of(
            [parts[-1] for parts in self._parts[self._own : self._discrete]], self._systems[0], known
        )

    def note(self, event: EventRecord) -> None:
        """Take an event that happened."""
        self.events.append(event)
        self._put(self._own + flight_phases.BOOKED, flight_phases.booked(event))
        if self._writer is not None:
            self._writer.note(str(event))

    def begin_phase(self, system: System, acted: Acted) -> None:
        """Go on with another state of the vehicle, or with another vehicle."""
        self.acted.append(acted)
        image = (
            flight_phases.image_of(system, self._systems[-1])
            if self._writer is not None
            else np.zeros(0, "u1")
        )
        self._put(self._own + flight_phases.CHANGES, image)
        counts = self.counts()
        self._systems.append(system)
        row = np.array([[counts[0], counts[self._own + flight_phases.CHANGES]]])
        self._put(self._own + flight_phases.PHASES, row)

    @property
    def vehicles(self) -> list[System]:
        """The vehicles of all phases."""
        return list(self._systems)

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
        rows, kept = loop.log[: int(loop.now[ROWS])].copy(), self._parts[self._discrete]
        own = rows.shape[1] - (kept[0].shape[1] - 1)
        last = next((some[-1] for some in reversed(kept) if len(some)), None)
        steps, states = flight_phases.split(rows[:, :own], self._systems[-1], self._systems[0])
        taken = [(self._discrete, changed_rows(rows[:, own:], self.rows, last))]
        taken += [(self._own + flight_phases.STATES, states), (0, steps)]
        for g, parts in enumerate(self._parts[1 : self._own]):
            count, width, at = int(loop.group_rows[g]), parts[0].shape[1], int(loop.group_at[g])
            taken.append((g + 1, loop.samples[at : at + count * width].reshape(count, width).copy()))
        for k, some in taken:  # memory is there for all of them, or for none
            self._put(k, some)
        self.rows += len(steps)
        self._put_memories()
        self.commit(due=True)

    def _put_memories(self) -> None:
        """Take what laws have remembered since the last time, where there is a file."""
        if self._writer is None or self.memories is None:
            return
        k = self._discrete + 1
        if self._kept is None:
            self._kept = log_memory.KeptMemories(self.counts()[k])
        for until, memory in self.memories.new():
            data, row = self._kept.rows(until, memory)
            self._put(k, data)
            self._put(k + 1, row)

    def remembered_at(self, k: int) -> dict[str, dict[str, object]] | None:
        """Return what laws remembered at a row; None where that is not known."""
        if self.memories is not None and k >= self._taken:
            return self.memories.at(k)
        data, rows = self._tables[self._discrete + 1 :]
        return log_memory.memory_at(data, rows, k)

    def close(self) -> None:
        """Close the file, if there is one that is open."""
        if self._writer is not None:
            self._writer.close()
            self._writer = None

    def finished(self, end: OperatingPoint | None) -> FlightLog:
        """Return this log with all its rows in place; its file is closed."""
        if self.memories is not None and end is not None:
            self.memories.note()
        self._put_memories()
        self.close()
        for k, parts in enumerate(self._parts):  # one by one: each needs the memory of two for a while
            self._parts[k] = [_together(parts)]
        self._tables = [parts[0] for parts in self._parts]
        self.end = end
        self.phases = flight_phases.phases_of(
            self._tables[: self._own],
            self._tables[self._own : self._discrete],
            self._systems,
            (self.contents.inertia, self.contents.propellant),
            self.acted,
        )
        return self

    def of_vehicle(self) -> Log:
        """Return the log of a vehicle alone: what there is beside devices."""
        found = Log(self.phases, self.events, self.info)
        found.fly = self.fly
        return found

    # asking -------------------------------------------------------------------------------------------

    @property
    def name(self) -> str:
        """Name of the flight."""
        return self.contents.name

    @property
    def title(self) -> str:
        """What it is of, in words."""
        return f"flight '{self.name}'"

    @property
    def tree(self) -> str:
        """The assembly as text, "" where the file does not have it."""
        if self.assembly is not None:
            return str(self.assembly)
        return "" if self._record is None else self._record.tree

    @property
    def blocks(self) -> Mapping[str, object]:
        """The assembly as blocks and wires (`blocks_of`), empty where the file does not have it."""
        if self.assembly is not None:
            return import_module("interstage.system.plant.assembly_text").blocks_of(self.assembly)
        return {} if self._record is None else self._record.blocks

    def diagram(self, path: str | Path | None = None) -> str:
        """Return the block diagram of what flew as SVG (`Assembly.diagram`), and write it where a file is given."""
        if self.assembly is not None:
            return self.assembly.diagram(path)
        if not self.blocks:
            raise InputError("the file does not have the assembly", where=f"flight '{self.name}'")
        picture = import_module("interstage.report.diagram").diagram_svg(self.blocks)
        if path is not None:
            write_svg(path, picture)
        return picture

    @property
    def units(self) -> dict[str, str]:
        """Units by name of port or state."""
        return {name: channel.unit for name, channel in self.contents.channels.items()}

    def names(self) -> list[str]:
        """Return the full names of all ports and states in the log."""
        return list(self.contents.channels)

    def __getitem__(self, name: str) -> BodyState | BodyHistory | np.ndarray:
        having = any(name in phase.system.layout for phase in self.phases)
        if having and name not in self.contents.channels:
            return super().__getitem__(name)
        return self.series(name).values

    def times(self, name: str) -> np.ndarray:
        """Return the times (m,) of the rows of a port."""
        return self.series(name).t

    def series(self, text: str) -> Series:
        """Return what a name, a pattern, or a sum or difference of names means, as in "a.x - b.x".

        Terms are taken at the times of the first one; what is sampled is held.
        """
        first, *rest = _SIGNS.split(text.strip())
        found = self._named(first)
        for sign, name in zip(rest[::2], rest[1::2]):
            other = self._named(name)
            if other.columns.shape[1] not in (1, found.columns.shape[1]):
                raise InputError(
                    f"'{text}' has terms of different sizes",
                    got=f"{found.columns.shape[1]} and {other.columns.shape[1]} numbers",
                )
            factor = check_unit(other.unit, found.unit, f"'{text}'") * (-1.0 if sign == "-" else 1.0)
            same = other.t is found.t or np.array_equal(other.t, found.t)
            values = other.values if same else other.at(found.t)
            short = values.ndim < found.values.ndim
            found.values = found.values + factor * (values[:, None] if short else values)
        if rest:
            found.name = text.strip()
            found.labels = [f"{found.name}[{k}]" for k in range(found.columns.shape[1])]
        return found

    def _meant(self, pattern: str) -> tuple[list[str], Slice]:
        """Return the names that a name or pattern means, and which of their numbers."""
        name, part = split_slice(pattern)
        if part is None or self.contents.has(pattern):
            name, part = pattern, None
        if name in self.system.layout and not self.contents.has(name):
            raise InputError(
                f"'{name}' is a body of the vehicle, not a port",
                where=f"flight '{self.name}'",
                hint=f'log["{name}"].q, .v, .eta and others are its numbers, log.plot("{name}") draws them',
            )
        return self.contents.find(name, list(self.system.layout)), part

    def _named(self, pattern: str) -> Series:
        """Return the values of a name or pattern; several lie side by side."""
        if is_mass(split_slice(pattern)[0]) and not self.contents.has(pattern):
            return super().series(pattern)
        names, part = self._meant(pattern)
        channels = [self.contents.channels[name] for name in names]
        if part is not None:
            channels = [channel.part(*part, name) for name, channel in zip(names, channels)]
        first = channels[0]
        if any(channel.table != first.table for channel in channels):
            raise InputError(
                f"'{pattern}' means ports with different times", hint=f"ask for {names[0]} and others alone"
            )
        table = self._tables[first.table]
        start = 0 if part is None else part[0]
        labels = [
            f"{name}[{start + k}]" if channel.shape or part is not None else name
            for name, channel in zip(names, channels)
            for k in range(len(channel.columns))
        ]
        values = table[:, [column for channel in channels for column in channel.columns]]
        shape = first.shape if len(channels) == 1 else (len(labels),)
        title = names[0] if len(names) == 1 and part is None else pattern
        values = values.reshape(len(values), *shape)
        return Series(title, table[:, 0], values, first.unit, labels, first.table > 0)

    def state(self, k: int = -1) -> OperatingPoint:
        """Return the k-th row, the last by default, as a whole point (`point`).

        Where the log does not have all of one it is the state of the vehicle with the masses of then, which runs and
        linear models of an assembly refuse.
        """
        return self._point(k, whole=False)

    def point(self, at: int | float | str = -1) -> OperatingPoint:
        """Return a row as a whole point: `simulate` goes on from its time, `linearize` and `trim` start there.

        at : number of a row, from the end where it is negative, or a time (a float, or a text as "73 s"). Of several
            rows at one time, around an event, it is the last; between two rows the flight goes once more from the first
            of them, with the same steps. A log from a file has its rows alone

        It has the state of the vehicle, masses and settings, what acts beside devices, all that devices keep, and what
        laws in Python remember in their objects and in defaults of arguments.
        """
        return self._at(at, self._whole_row).going_on()

    def _whole_row(self, k: int) -> OperatingPoint:
        return self._point(k, whole=True)

    def _point(self, k: int, whole: bool) -> OperatingPoint:
        phase, row = self._row(k)
        number = range(len(self))[k]
        if self.end is not None and number == len(self) - 1:
            return cast(OperatingPoint, self.end.copy())
        kept = self.contents.points
        if kept is None:
            lacking = "its log file is of a version that did not keep what is discrete of devices"
            kept = KeptState() if not self.contents.channels else None
        elif kept.missing:
            lacking = f"its log did not keep '{kept.missing[0]}': keep= named what was logged"
            kept = None
        if kept is None:
            point = phase.point(row, lacking=lacking)
        else:
            point = self._whole(phase, row, number, kept)
        if whole:
            check_whole(point)
        return point

    def _whole(self, phase: Phase, row: int, number: int, kept: KeptState) -> OperatingPoint:
        """Return a row of a log that has all that devices keep."""
        found = LogRow(kept, self._tables[: self._own], self._tables[self._discrete], number)
        if not found.known:
            why = "its row is of a part of the log that a version without whole points has written"
            return phase.point(row, lacking=why)
        memory = self.remembered_at(number) if kept.laws else {}
        values = found.values()
        loads, unloaded = (None, "") if phase.known else self._loads(phase, found)
        return phase.point(
            row,
            loads=loads,
            unloaded=unloaded,
            changes=kept.changes,
            values=values,
            holds={body: int(values[name]) for name, body in kept.holds.items()},
            before=self.before,
            first=self.first,
            sampled=found.sampled,
            memory=memory,
            forgotten=(*(kept.laws if memory is None else ()), *kept.hidden),
        )

    def _loads(self, phase: Phase, row: LogRow) -> tuple[Loads, str]:
        """Return what acted beside devices at a row, of a log from a file, or why that is not known."""
        loads, system = row.kept.loads, phase.system
        if isinstance(loads, LoadsInFile):
            loads = loads.made()
        if isinstance(loads, str):
            return Loads.of(system), f"a log from a file does not have what acted: {loads}"
        if loads is None:
            found = Loads.of(system)
        else:
            acting = Acting(loads, "world")
            for old, new in zip(phase.vehicles, phase.vehicles[1:]):
                if old is not new:
                    acting.follow(old, new, row.t, row.kept.changes.heirs)
            found = acting.loads
        driven = [body for body in row.kept.driven if system.joint_mode(body) == "prescribed"]
        return replace(found, accelerations={body: row.driven(body) for body in driven}), ""

    def operating_point(self, k: int = -1) -> OperatingPoint:
        """Return the k-th row, the last by default (`end`), as a whole point, with the loads of its time."""
        self._row(k)
        if self.end is not None and k in (-1, len(self) - 1):
            return self.end
        return self._whole_row(k).at_its_time()

    def end_accelerations(self) -> np.ndarray:
        """Return the accelerations (nv,) at the end, NaN where they are not known."""
        return self.phases[-1].accelerations_at(-1)

    # other forms --------------------------------------------------------------------------------------

    def save(self, path: str | Path, signals: Mapping[str, tuple[ArrayLike, str]] | None = None) -> None:
        """Write the log file (HDF5): states, `signals`, and every port as it holds at the times of the states.

        What is sampled is held from sample to sample; `simulate(log=path)` keeps each sample at its own time.
        """
        held = {one.name: (one.values, one.unit) for one in self.columns()}
        super().save(path, {**held, **(signals or {})})

    def columns(self, *names: str) -> list[Series]:
        """Return every number of ports (default: all that were written) as a series of its own at the rows of `t`.

        What is sampled is held, NaN before the first sample.
        """
        found: list[Series] = []
        for one in map(self.series, names) if names else self.written():
            values = one.values if np.array_equal(one.t, self.t) else one.at(self.t)
            for label, column in zip(one.labels, values.reshape(len(self.t), -1).T):
                found.append(Series(label, self.t, column, one.unit, [label], one.held))
        return found

    def written(self) -> list[Series]:
        """Return every port and state under the name of who writes it, in the order of the tables."""
        found: dict[tuple[int, tuple[int, ...]], str] = {}
        firsts = {label for names, _ in self.contents.tables for label in names}
        for name, channel in self.contents.channels.items():
            if (f"{name}[0]" if channel.shape else name) in firsts:
                found.setdefault((channel.table, channel.columns), name)
        return [self._named(name) for _, name in sorted(found.items())]

    def to_csv(self, path: str | Path, *names: str) -> None:
        """Write ports (default: all) as text with commas, a row for each of `t`; "time [s]" first.

        What is sampled is held; ports of one rate alone have rows at their own times.
        """
        import_module("interstage.system.log.export").write_csv(self, path, names)

    def to_xarray(self, *names: str) -> Mapping[str, ArrayLike]:
        """Return ports (default: all) as a Dataset of xarray, each with the times of its rate, and `q`, `v`.

        Where `q` and `v` change their sizes on the way, `log.phases` alone has them.
        """
        return import_module("interstage.system.log.export").dataset_of(self, names)

    def plot(self, *names: str, place: tuple[str, Node] | str | None = None, title: str = "") -> Figure:
        """Draw ports over time, a chart for each name, pattern or difference; default: all ports of the rates.

        place : (body, node) whose position and angular velocity are drawn too, world axes
        """
        return import_module("interstage.report.plots").flight_figure(self, names, place, title)

    def __repr__(self) -> str:
        return f"<FlightLog '{self.name}': {len(self.t)} rows{self._until()}, {len(self.names())} ports and states>"

    def _until(self) -> str:
        return f" to t = {self.t[-1]:g}" if len(self.t) else ""


def _together(parts: list[np.ndarray]) -> np.ndarray:
    """Return the rows of some tables as one; a table that has all of them is not copied."""
    some = [rows for rows in parts if len(rows)]
    return some[0] if len(some) == 1 else np.concatenate(parts)
