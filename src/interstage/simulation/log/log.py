"""What a simulation leaves behind: states of the vehicle at every row, and every port by its name.

A phase is a stretch of the run with one system; an event that changes the vehicle ends a phase and begins another at
the same time. Continuous ports and states of devices have the rows of the vehicle (`log.t`). What is sampled has a row
for each sample, `log.times(name)`, and one where a fault of it begins or ends between two. A row shows values as they
hold from its time on: samples at that time are in it.

    log["core"], log.velocity("core", 9)     a body, and any place of the vehicle
    log["mass"], log["com"], log["inertia"]  of the vehicle (`phases`)
    log["imu.rate"]                          a port (m, size);  "pod*.tvc.angle" several, side by side
    log["imu.rate[2]"], log["imu.rate[0:2]"] some of its numbers, (m,) and (m, 2)
    log["earth.position - guidance.place"]   sums and differences, at the times of the first
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, cast

import numpy as np
from numpy.typing import ArrayLike

from interstage.calls import named_arguments
from interstage.errors import FileError, InputError, known_names
from interstage.files import LOG, expect
from interstage.hdf5 import FileFault
from interstage.multibody import State, System
from interstage.multibody.loads import Loads
from interstage.multibody.operating_point import OperatingPoint
from interstage.multibody.state import BodyState
from interstage.multibody.types import Node
from interstage.output import json_text, write_svg
from interstage.simulation.log.hdf5 import FlightRecord, read_flight
from interstage.simulation.log.older_file import is_older, read_older
from interstage.simulation.log.phases import Phase, is_mass, masses, tidied
from interstage.simulation.log.points import KeptState, LoadsInFile, LogRow
from interstage.simulation.log.saving import saved
from interstage.simulation.log.series import BodyHistory, Series
from interstage.simulation.log.store import RowStore
from interstage.simulation.plant.clock import SAME_TIME, time_of
from interstage.simulation.plant.connections import Slice, split_slice
from interstage.simulation.run.applied_loads import Acting
from interstage.simulation.run.events import EventRecord
from interstage.simulation.run.operating_point import check_whole
from interstage.units import check_unit

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from interstage.simulation.log.layout import Contents
    from interstage.simulation.plant.assembly import Assembly


Fly = Callable[[OperatingPoint, float], OperatingPoint]
_SIGNS = re.compile(r"\s+([-+])\s+")


@named_arguments
class Log:
    """States at times t (m,): q (m, nq), v (m, nv); `log["panel"].eta` is (m, n). Of a run, or from its file.

    `eta` belongs to the modes of a body as the engine has them, held at its node; `component_eta` to those of its file.
    phases : stretches with one system each;  events : what happened, in order
    info : how the run was made (method, step, steps, evaluations), and of a log from a file its name
    store : the rows, in memory and in the file
    """

    def __init__(
        self,
        store: RowStore,
        events: Sequence[EventRecord] = (),
        info: Mapping[str, object] | None = None,
    ):
        self.store, self.events, self.info = store, list(events), dict(info or {})
        self.phases: list[Phase] = store.phases()
        self.fly: Fly | None = None  # flies from a point to a time as the run did
        self._end: OperatingPoint | None = None

    def __getstate__(self) -> dict[str, object]:
        # what ran does not travel, nor do functions of time: what they said does
        end = self._end
        end = end.at_its_time() if end is not None and end.loads.in_time else end
        return {**self.__dict__, "fly": None, "_end": end}

    @classmethod
    def load(cls, path: str | Path) -> Log:
        """Read a log from its file: finished, growing, or left behind by a run that was killed."""
        expect(path, LOG)
        if is_older(path):
            return cls(*read_older(path))
        return cls._of(read_flight(path), path)

    @classmethod
    def _of(cls, record: FlightRecord, path: str | Path, known: Sequence[System] = ()) -> Log:
        """Return the log of what was read; known : vehicles of its first phases."""
        try:
            return cls(RowStore.of_file(record, known), record.events, {**record.info, "file": str(path)})
        except FileFault as fault:
            raise FileError(str(fault), where=str(path)) from None

    def again(self) -> Log:
        """Return what the file of this log holds by now, of a run that goes on; vehicles are not made again."""
        if self.store.record is None:
            raise InputError("this log was not read from a file", where=f"log '{self.name}'")
        path = str(self.info["file"])
        return self._of(read_flight(path, self.store.record), path, self.store.systems)

    def save(self, path: str | Path, signals: Mapping[str, tuple[ArrayLike, str]] | None = None) -> None:
        """Write the log file (HDF5), whole or not at all, as `simulate(..., log=path)` does on the way.

        signals : {name: (values (m,), unit)} to keep beside ports and states, at the rows of `t`
        """
        contents, tables = saved(self.store, self.phases, self.t, signals or {})
        store = RowStore(contents, self.store.systems[0], self.store.assembly)
        store.record = self.store.record
        store.take_rows(tables, known=self.store.systems)
        try:
            store.write_to(path, self.events)
        finally:
            store.close(self._said())

    def note(self, event: EventRecord) -> None:
        """Take an event that happened."""
        if not isinstance(event, EventRecord):
            raise InputError(
                "a log takes events that a run met", expected="an EventRecord", got=type(event).__name__
            )
        self.events.append(event)
        self.store.note(event)

    def finished(self, end: OperatingPoint | None) -> Log:
        """Return this log with all its rows in place; its file is closed. end : where the run ended"""
        if end is not None and not isinstance(end, OperatingPoint):
            raise InputError(
                "a run ends at a point", expected="an OperatingPoint or None", got=type(end).__name__
            )
        if self.store.memories is not None and end is not None:
            self.store.memories.note()
        self.store.finish(self._said())
        self._end = end
        self.phases = self.store.phases()
        return self

    def _said(self) -> str:
        """Return how the run was made, as JSON."""
        return json_text(_worded({key: one for key, one in self.info.items() if key != "file"}), gaps=True)

    # what ran -----------------------------------------------------------------------------------------

    @property
    def contents(self) -> Contents:
        """What the log holds by name."""
        return self.store.contents

    @property
    def assembly(self) -> Assembly | None:
        """The assembly that ran, None: a vehicle without devices, or a log from a file."""
        return None if self.contents.alone else self.store.assembly

    @property
    def system(self) -> System:
        """The system at the end."""
        return self.phases[-1].system

    @property
    def name(self) -> str:
        """Name of what ran."""
        return self.contents.name

    @property
    def title(self) -> str:
        """What it is of, in words."""
        return f"'{self.name}'" if self.contents.alone else f"flight '{self.name}'"

    @property
    def tree(self) -> str:
        """The assembly as text, "" where the file does not have it."""
        if self.store.assembly is not None:
            return str(self.store.assembly)
        return "" if self.store.record is None else self.store.record.tree

    @property
    def blocks(self) -> Mapping[str, object]:
        """The assembly as blocks and wires (`blocks_of`), empty where the file does not have it."""
        if self.store.assembly is not None:
            return import_module("interstage.simulation.plant.assembly_text").blocks_of(self.store.assembly)
        return {} if self.store.record is None else self.store.record.blocks

    def diagram(self, path: str | Path | None = None) -> str:
        """Return the block diagram of what ran as SVG (`Assembly.diagram`), and write it where a file is given."""
        if self.store.assembly is not None:
            return self.store.assembly.diagram(path)
        if not self.blocks:
            raise InputError("the file does not have the assembly", where=f"log '{self.name}'")
        picture = import_module("interstage.report.diagram").diagram_svg(self.blocks)
        if path is not None:
            write_svg(path, picture)
        return picture

    def __len__(self) -> int:
        return sum(len(phase) for phase in self.phases)

    def __repr__(self) -> str:
        t = self.t
        span = f" from t = {t[0]:g} to {t[-1]:g}" if len(t) else ""
        many = f", {len(self.phases)} phases" if len(self.phases) > 1 else ""
        ports = f", {len(self.names())} ports and states" if self.names() else ""
        return f"<Log of {self.title}: {len(t)} rows{span}{many}, {len(self.events)} events{ports}>"

    def __str__(self) -> str:
        return import_module("interstage.simulation.log.export").log_text(self)

    # channels -----------------------------------------------------------------------------------------

    @property
    def units(self) -> dict[str, str]:
        """Units by name of port or state."""
        return {name: channel.unit for name, channel in self.contents.channels.items()}

    def names(self) -> list[str]:
        """Return the full names of all ports and states in the log."""
        return list(self.contents.channels)

    def __getitem__(self, name: str) -> BodyState | BodyHistory | np.ndarray:
        if name in self.contents.channels:
            return self.series(name).values
        having = [phase for phase in self.phases if name in phase.system.layout]
        if having:
            return self.phases[0][name] if len(self.phases) == 1 else BodyHistory(name, having)
        return self.series(name).values

    def times(self, name: str) -> np.ndarray:
        """Return the times (m,) of the rows of a port."""
        return self.series(name).t

    def series(self, text: str) -> Series:
        """Return a channel with its times and unit: what a name, a pattern, or a sum or difference of names means.

        Terms of "a.x - b.x" are taken at the times of the first one; what is sampled is held. "mass", "com" and
        "inertia" are those of the vehicle, or as in "mass.upper" of the one that a body is part of at the time; the
        center of mass from the origin of the root body, or the one that is named, in its axes; the inertia about it.
        """
        first, *rest = [text] if text in self.contents.channels else _SIGNS.split(text.strip())
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
                where=f"log '{self.name}'",
                hint=f'log["{name}"].q, .v, .eta and others are its numbers, log.plot("{name}") draws them',
            )
        if not self.contents.channels and not self.contents.left_out:
            raise InputError(
                f"there is no body '{pattern}', and no channel: no devices ran",
                hint=known_names({n: None for p in self.phases for n in p.system.bodies}),
            )
        return self.contents.find(name, list(self.system.layout)), part

    def _named(self, pattern: str) -> Series:
        """Return the values of a name or pattern; several lie side by side."""
        if is_mass(split_slice(pattern)[0]) and not self.contents.has(pattern):
            return self._masses(pattern)
        names, part = self._meant(pattern)
        channels = [self.contents.channels[name] for name in names]
        if part is not None:
            channels = [channel.part(*part, name) for name, channel in zip(names, channels)]
        first = channels[0]
        if any(channel.table != first.table for channel in channels):
            raise InputError(
                f"'{pattern}' means ports with different times", hint=f"ask for {names[0]} and others alone"
            )
        table = self.store.tables[first.table]
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

    def _masses(self, text: str) -> Series:
        """Return the mass, center of mass or inertia of a vehicle."""
        name, part = split_slice(text)
        values, unit = masses(self.phases, name)
        labels = [name if values.ndim == 1 else f"{name}{list(k)}" for k in np.ndindex(*values.shape[1:])]
        if part is not None:
            if values.ndim != 2 or part[1] > values.shape[1]:
                raise InputError(f"'{name}' has no such part", got=text)
            values, labels = values[:, slice(*part)], labels[slice(*part)]
            values = values[:, 0] if len(labels) == 1 else values
        return Series(text, self.t, values, unit, labels)

    # rows ---------------------------------------------------------------------------------------------

    @property
    def end(self) -> OperatingPoint | None:
        """Where the run ended, for another run or a linear model: None where it failed; of a file the last row."""
        return (
            self.state() if self._end is None and self.store.record is not None and len(self) else self._end
        )

    def _joined(self, name: str) -> np.ndarray:
        parts = [getattr(phase, name) for phase in self.phases]
        if len({part.shape[1:] for part in parts}) > 1:
            raise InputError(
                f"'{name}' has another size in each phase of the log", hint=f"use log.phases[k].{name}"
            )
        return parts[0] if len(parts) == 1 else np.concatenate(parts)

    @property
    def t(self) -> np.ndarray:
        """Times (m,); the time of an event comes twice, with the states before and after."""
        return self._joined("t")

    @property
    def q(self) -> np.ndarray:
        """Coordinates (m, nq)."""
        return self._joined("q")

    @property
    def v(self) -> np.ndarray:
        """Velocities (m, nv)."""
        return self._joined("v")

    def _row(self, k: int) -> tuple[Phase, int]:
        """Return the phase of the k-th row, and its number there."""
        n = len(self)
        if not isinstance(k, (int, np.integer)):
            raise InputError(
                "a row of a log is asked for by its number",
                expected=f"a whole number, {-n} to {n - 1}",
                got=repr(k),
                hint="log.at(t) gives the state at a time",
            )
        if not -n <= k < n:
            raise InputError("the log has no such row", expected=f"{-n} to {n - 1}", got=f"{k}")
        k = k % n
        for phase in self.phases:
            if k < len(phase):
                return phase, k
            k -= len(phase)
        raise AssertionError

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
        point, kept = self._row_point(k), self.contents.points
        if kept is not None and point.run is not None:
            point.run = replace(point.run, motions=tuple(kept.motions), masses=tuple(kept.masses))
            point.devices = tuple(kept.devices)
        if whole:
            check_whole(point)
        return point

    def _row_point(self, k: int) -> OperatingPoint:
        """Return a row as a point, without the names of what followed histories."""
        phase, row = self._row(k)
        number = range(len(self))[k]
        if self._end is not None and number == len(self) - 1:
            end = cast(OperatingPoint, self._end.copy())
            if phase.inputs.known:
                driven = phase.inputs.named(end.t, row, phase.system_at(row)).accelerations
                end.loads = replace(end.loads, accelerations=driven)
            return end
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
        return point

    def _whole(self, phase: Phase, row: int, number: int, kept: KeptState) -> OperatingPoint:
        """Return a row of a log that has all that devices keep."""
        found = LogRow(
            kept, self.store.tables[: self.store.own], self.store.tables[self.store.discrete], number
        )
        if not found.known:
            why = "its row is of a part of the log that a version without whole points has written"
            return phase.point(row, lacking=why)
        memory = self.store.remembered_at(number) if kept.laws or kept.sets else {}
        if memory is None and kept.sets:
            return phase.point(row, lacking="its log does not have the parameters that were set until then")
        given = {} if memory is None else memory.get("", {})
        memory = None if memory is None else {path: held for path, held in memory.items() if path}
        values = found.values() | {name: np.array(value, dtype=float) for name, value in given.items()}
        loads, unloaded = (None, "") if phase.known else self._loads(phase, found)
        return phase.point(
            row,
            loads=loads,
            unloaded=unloaded,
            changes=kept.changes,
            values=values,
            holds={body: int(values[name]) for name, body in kept.holds.items()},
            before=self.store.before,
            first=self.store.first,
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

    def _at(self, at: int | float | str, row: Callable[[int], OperatingPoint]) -> OperatingPoint:
        """Return the point of a row by its number or its time, or fly to a time between two."""
        if isinstance(at, (int, np.integer)) and not isinstance(at, bool):
            return row(int(at))
        t, times = float(time_of(at, "time of a point")) if at != 0 else 0.0, self.t
        near = np.flatnonzero(np.abs(times - t) <= SAME_TIME * (1.0 + abs(t)))
        if len(near):
            return row(int(near[-1]))
        if not len(times) or not times[0] <= t <= times[-1]:
            span = f"{times[0]:.9g} to {times[-1]:.9g} s" if len(times) else "a log with rows"
            raise InputError("time outside the run", where="point", expected=span, got=f"{t:.9g} s")
        k = int(np.searchsorted(times, t))
        if self.fly is None:
            raise InputError(
                f"there is no row at t = {t:.9g} s",
                where="point",
                got=f"rows {k - 1} and {k} at {times[k - 1]:.9g} and {times[k]:.9g} s",
                hint=f"fly there from the row before: simulate(flight, log.point({k - 1}), until={t:.9g}).point()",
            )
        return self.fly(row(k - 1).going_on(), t)

    def at(self, t: float) -> State:
        """Return the state at any time of an adaptive run (its dense output); at an event, the state after it.

        Masses that change are interpolated between rows, and what devices keep is not in it, so that runs and linear
        models of an assembly refuse it: `point` flies to the time instead.
        """
        if all(phase.dense is None for phase in self.phases):
            adaptive = "evaluations" in self.info
            raise InputError(
                "the dense output of this run was not kept"
                if adaptive
                else "only adaptive methods have dense output",
                hint="use simulate(..., dense=True)" if adaptive else "use method='dop853', or log.state(k)",
            )
        t = float(t)
        if not self.t[0] <= t <= self.t[-1]:
            raise InputError("time outside the run", expected=f"{self.t[0]} to {self.t[-1]}", got=f"{t}")
        phase = [p for p in self.phases if p.t[0] <= t][-1]
        if phase.dense is None:  # an event at the very end, or no time between two
            return phase.state()
        return phase.between(t, tidied(phase.system, phase.dense(t)[: phase.system.nq + phase.system.nv]))

    def operating_point(self, k: int = -1) -> OperatingPoint:
        """Return the k-th row, the last by default, as a whole point under the loads of its time."""
        return self._whole_row(k).at_its_time()

    @cached_property
    def _sums(self) -> np.ndarray:
        return np.concatenate([phase.sums for phase in self.phases])

    @property
    def energy(self) -> np.ndarray:
        """Total energy (m,): kinetic, strain, gravity, and where the log knows what acted `geometric`.

        Gravity is that of the vehicle itself: what devices say (`Earth`) has no potential here.
        """
        return self._sums[:, :3].sum(axis=1) + np.concatenate(
            [p.geometric if p.inputs.known else np.zeros(len(p.t)) for p in self.phases]
        )

    @property
    def geometric(self) -> np.ndarray:
        """Energy (m,) of the loads on bodies with geometric stiffness, ½ηᵀ(Σ c K)η (`system.geometric_energy`)."""
        return self._joined("geometric")

    @property
    def kinetic(self) -> np.ndarray:
        """Kinetic energy (m,)."""
        return self._sums[:, 0]

    @property
    def strain(self) -> np.ndarray:
        """Strain energy of modes and springs (m,)."""
        return self._sums[:, 1]

    @property
    def momentum(self) -> np.ndarray:
        """[h; p] (m, 6), angular momentum about the world origin, world axes."""
        return self._sums[:, 3:]

    @property
    def accelerations(self) -> np.ndarray:
        """Accelerations v̇ (m, nv) under the loads of the run."""
        return self._joined("accelerations")

    def torque(self, body: str) -> np.ndarray:
        """Return the generalized force (m, nv) of a body's joint beside its springs and dampers.

        Of a free joint what was applied, of a prescribed or locked one what its drive needed.
        """
        parts = [phase.forces[:, phase.system.layout[body].v] for phase in self.having(body)]
        if len({part.shape[1] for part in parts}) > 1:
            raise InputError(
                f"the joint of body '{body}' is not the same in all phases of the log",
                hint="use log.phases[k].forces",
            )
        return np.concatenate(parts)

    def having(self, body: str) -> list[Phase]:
        """Return the phases that have a body."""
        having = [phase for phase in self.phases if body in phase.system.layout]
        if not having:
            raise InputError(f"there is no body '{body}'", hint=known_names(self.system.bodies))
        return having

    def recovered(self, body: str, name: str, residual: bool = True) -> np.ndarray:
        """Return a force or stress (m,) of an element that the component of a body recovers, by its name there.

        residual : False leaves out what loads do besides moving the modes (mode displacement)
        """
        return np.concatenate([phase.recovered(body, name, residual) for phase in self.having(body)])

    def position(self, body: str, node: Node = None) -> np.ndarray:
        """Return the positions (m, 3) of a place on a body in the world, over the phases that have the body."""
        return np.concatenate([phase.position(body, node) for phase in self.having(body)])

    def velocity(self, body: str, node: Node = None, frame: str = "world") -> np.ndarray:
        """Return [ω; v] (m, 6) of a place on a body, over the phases that have the body."""
        found = [
            phase.system.velocity(phase.bare(k), body, node, frame)
            for phase in self.having(body)
            for k in range(len(phase))
        ]
        return np.array(found).reshape(-1, 6)

    @property
    def propellant(self) -> dict[str, np.ndarray]:
        """Propellant (m,) of every tank that was a state of the run, NaN while its body was not there."""
        names = dict.fromkeys(tank for phase in self.phases for tank in phase.propellant)
        gone = [np.full(len(phase), np.nan) for phase in self.phases]
        return {
            tank: np.concatenate([p.propellant.get(tank, none) for p, none in zip(self.phases, gone)])
            for tank in names
        }

    def component_eta(self, body: str) -> np.ndarray:
        """Return modal coordinates (m, modes of the component) that go with the shapes in a body's component file.

        Over the phases that have the body; see `System.body_modes`.
        """
        parts = [phase for phase in self.phases if body in phase.system.layout] or self.phases[:1]
        found = [phase[body].eta @ phase.system.body_modes(body).T for phase in parts]
        if len({len(rows.T) for rows in found}) > 1:
            raise InputError(
                f"body '{body}' has components with different modes in the phases of the log",
                hint="use log.phases[k].system.body_modes(body)",
            )
        return np.concatenate(found)

    # other forms --------------------------------------------------------------------------------------

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
        import_module("interstage.simulation.log.export").write_csv(self, path, names)

    def to_xarray(self, *names: str) -> Mapping[str, ArrayLike]:
        """Return ports (default: all) as a Dataset of xarray, each with the times of its rate, and `q`, `v`.

        Where `q` and `v` change their sizes on the way, `log.phases` alone has them.
        """
        return import_module("interstage.simulation.log.export").dataset_of(self, names)

    def plot(self, *names: str, place: tuple[str, Node] | str | None = None, title: str = "") -> Figure:
        """Draw ports over time, a chart for each name, pattern or difference; default: all ports of the rates.

        place : (body, node) whose position and angular velocity are drawn too, world axes
        """
        return import_module("interstage.report.plots").flight_figure(self, names, place, title)


def _worded(info: object) -> object:
    """Return objects in the record of a run as words."""
    if isinstance(info, Mapping):
        return {str(key): _worded(value) for key, value in info.items()}
    if isinstance(info, list | tuple):
        return [_worded(value) for value in info]
    return info if info is None or isinstance(info, bool | int | float | str | np.ndarray) else str(info)
