"""Log files: HDF5 in SWMR mode that grows as the run goes on, one table a rate group.

FORMAT, SCHEMA_VERSION, NAME                what this is
STEPS (m, 1 + nq + nv + …)                  time, then q, v, continuous ports and states of devices
SAMPLES_<k> (m, 1 + …)                      time, then ports that are sampled together, from 1
    attributes names, units                 of the columns, one a line
EVENTS (m,)                                 what happened, texts
SUMS (m, 3)                                 of rows that were written together: table, its rows after that, CRC-32 of
                                            the bytes; tables in the order of this list, -1 for EVENTS
STATES, CHANGES, BOOKED, PHASES             stretches of the run after changes of the vehicle (`phase_storage`)
KEPT, POINTS                                what whole points of rows need beside these (`points`), where (JSON)
MEMORY, REMEMBERED                          what laws remembered at rows (`points`)
PORTS                                       JSON: {port: [table, columns, shape, unit]}, inputs too
EXPOSED, LEFT_OUT                           JSON: names that assemblies gave to ports inside; ports that were not kept
VEHICLE/...                                 the vehicle as multibody files have it
ASSEMBLY/TEXT, ARRAYS/..., SYSTEMS/...      members and wires (`serialization`); or REFUSED, why they are not there
ALONE                                       1: a vehicle without devices
ACTED                                       of logs that were saved after the run (JSON): what acted on a vehicle alone
INFO (n,)                                   how the run was made, bytes of JSON, once it has ended
TREE, BLOCKS                                the assembly as text, and as blocks and wires (JSON, `assembly_text`)

Rows and events are committed twice a second, before a checkpoint and at the end, by one write a table, their sums after
them; of those for which a disk has no room, as many as fit. Whatever ends the writer, what was committed can be read,
also while it is written. The file comes into its place with all rows that a resumed run had before, those after its
checkpoint too, which are written anew: nothing is lost when that is killed too.
"""

from __future__ import annotations

import os
import re
import secrets
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING
from zlib import crc32

import h5py
import numpy as np

from interstage.errors import FileError, caller_level
from interstage.files import LOG, check_version
from interstage.growing import Room
from interstage.hdf5 import (
    FileFault,
    Group,
    link_name,
    opened,
    put_array,
    put_attribute,
    put_text,
    seal,
)
from interstage.interrupts import uninterrupted
from interstage.multibody import System
from interstage.multibody.model_file import put_system, system_in
from interstage.output import (
    as_path,
    checked_target,
    json_text,
    parse_json,
    reason,
    whole_file,
)
from interstage.simulation.log import (
    phase_storage as flight_phases,
)
from interstage.simulation.log import (
    points as log_memory,
)
from interstage.simulation.log.layout import Contents, LogChannel
from interstage.simulation.log.points import NAME as DISCRETE
from interstage.simulation.log.points import KeptState
from interstage.simulation.plant.assembly_text import blocks_of
from interstage.simulation.plant.serialization import Describer, NoName, Program, Restorer
from interstage.simulation.run.events import EventRecord

if TYPE_CHECKING:
    from interstage.simulation.plant.assembly import Assembly


SCHEMA = 3
CHUNK = 1 << 12  # numbers in a chunk of a table, which takes all its room with its first row
SPARE = 1 << 16  # bytes that are held for the end of the file and for indices of its first chunks
INDEX = 32  # bytes in indices for each chunk more, twice what they take at most
WORDS = 240  # bytes of the text of an event
TRIES = 10  # to read a file that grows meanwhile
EVENTS = -1  # number of the table of events among the sums
COMMIT_S = 0.5  # seconds on the wall between two commits: those who follow a run ask that often
_EVENT = re.compile(r"t = ([-+.\deE]+): (.*?)(?: \((.*)\))?", re.DOTALL)


class FlightWriter:
    """Write tables on the way: `put` rows, `note` events, `commit`, `place` the file under its name, `close` it.

    The file is made in memory and comes to the disk by `place`, whole. From then on room for what is committed is taken
    first: where there is none, that is one sentence, the file ends well, and nothing more is taken.
    """

    def __init__(
        self, path: str | Path, contents: Contents, system: System, assembly: Assembly | FlightRecord | None
    ):
        self.path, _ = checked_target(path, "log")
        memory = {"driver": "core", "backing_store": False, "block_size": 1 << 20}
        self.file = h5py.File(f"log {secrets.token_hex(8)}", "w", libver="latest", **memory)
        self.tables = _prepared(self.file, contents, system, assembly)
        self.tables += flight_phases.create(self.file)
        self.tables.append(_discrete(self.file, contents))
        self.tables += flight_phases.create(self.file, log_memory.TABLES)
        self.events = self.file.create_dataset(
            "EVENTS", (0,), maxshape=(None,), chunks=(64,), dtype=f"S{WORDS}"
        )
        self.sums = self.file.create_dataset("SUMS", (0, 3), maxshape=(None, 3), chunks=(64, 3), dtype="i8")
        self.file.create_dataset(
            "INFO", (0,), maxshape=(None,), chunks=(1 << 10,), dtype="u1", fletcher32=True
        )
        # of each table, that of events last: rows in the file, and those that wait for a commit
        self.rows = [0] * (len(self.tables) + 1)
        self.waiting: list[list[np.ndarray]] = [[] for _ in self.rows]
        self.summed, self.last = 0, time.perf_counter()
        self.room: Room | None = None  # on the disk
        self.placed: os.stat_result | None = None  # the file that this run has put there
        self.full = False

    def put(self, k: int, rows: np.ndarray) -> None:
        """Take the next rows of a table; they are not to change any more."""
        if len(rows) and not self.full:
            self.waiting[k].append(rows)

    def note(self, text: str) -> None:
        """Take the next event."""
        self.put(EVENTS, np.array([text.encode()[:WORDS]], dtype=f"S{WORDS}"))

    @property
    def due(self) -> bool:
        """Whether the last commit is some time ago."""
        return time.perf_counter() - self.last >= COMMIT_S

    def commit(self) -> None:
        """Write what waits, then its sums: a file whose writer was killed between has rows without sum.

        States and vehicles of phases, and what is discrete, come before the rows of steps that need them.
        """
        with uninterrupted():
            no_room = self._take_room()
            sums, own = [], self._own()
            tables = dict(enumerate([*self.tables, self.events]))
            for k in sorted(tables, key=lambda k: (k < own or k == len(self.tables), k)):
                table = tables[k]
                if self.waiting[k]:
                    rows = _joined(self.waiting[k], table)
                    write_rows(table, self.rows[k], rows)
                    self.rows[k] += len(rows)
                    sums.append((EVENTS if table is self.events else k, self.rows[k], crc32(rows.data)))
                    self.waiting[k] = []
            if sums:
                write_rows(self.sums, self.summed, np.array(sums))
                self.summed += len(sums)
        if no_room is not None:
            raise self._refused(no_room)
        self.last = time.perf_counter()

    def _own(self) -> int:
        """Return how many tables are of steps and samples, which come first."""
        return len(self.tables) - len(flight_phases.TABLES) - 1 - len(log_memory.TABLES)

    def _refused(self, no_room: OSError) -> FileError:
        return FileError(
            f"the log cannot be written any further: {reason(no_room)}",
            where=str(self.path),
            got=f"{self.rows[0]} rows of steps, which are in it",
        )

    def _take_room(self) -> OSError | None:
        """Take room on the disk for what waits, for chunks that it begins, and for the end of the file.

        Where there is none, nothing more is taken, as many rows wait as there is room for, and the reason is returned.
        """
        if self.room is None or self.full:
            return None
        try:
            self.room.hold(self._end_with(self.waiting))
        except OSError as err:
            self.full = True
            self.waiting = self._fitting()
            return err
        return None

    def _end_with(self, waiting: list[list[np.ndarray]]) -> int:
        """Return where the file ends at most with rows that wait: with whole chunks, and their indices."""
        end = self.file.id.get_filesize() + SPARE
        sums = sum(1 for parts in waiting if parts)
        for table, there, new in zip(
            [*self.tables, self.events, self.sums],
            [*self.rows, self.summed],
            [*(sum(map(len, parts)) for parts in waiting), sums],
        ):
            chunk = table.chunks[0]
            chunks, begun = -(-(there + new) // chunk), -(-there // chunk)
            size = int(np.prod(table.chunks)) * table.dtype.itemsize
            end += (chunks - begun) * size + (chunks * INDEX if new else 0)
        return end

    def _fitting(self) -> list[list[np.ndarray]]:
        """Return those of the rows that wait, up to a time, for which there is room, which is taken."""
        assert self.room is not None
        tables = [*self.tables, self.events]
        whole = [[_joined(parts, table)] if parts else [] for parts, table in zip(self.waiting, tables)]
        steps = whole[0][0] if whole[0] else np.zeros((0, 1))
        fits: list[list[np.ndarray]] = [[] for _ in whole]
        least, most = 0, len(steps)  # rows of steps: as many fit, not as many
        while most - least > 1:
            count = (least + most) // 2
            some = self._up_to(whole, count, float(steps[count - 1, 0]))
            try:
                self.room.hold(self._end_with(some), ahead=False)
                fits, least = some, count
            except OSError:
                most = count
        return fits

    def _up_to(self, whole: list[list[np.ndarray]], count: int, t: float) -> list[list[np.ndarray]]:
        """Return rows of steps, samples and events up to a time, and all of the other tables."""
        cut = []
        for k, parts in enumerate(whole):
            rows = parts[0] if parts else None
            if rows is not None and k == 0:
                rows = rows[:count]
            elif rows is not None and k < self._own():
                rows = rows[rows[:, 0] <= t]
            elif rows is not None and k == len(self.tables):
                times = [event_of(text.decode(errors="replace")).t for text in rows.tolist()]
                rows = rows[[not at > t * (1.0 + 1e-8) for at in times]]  # of nine digits
            cut.append([] if rows is None or not len(rows) else [rows])
        return cut

    def ahead(self, k: int, rows: np.ndarray) -> None:
        """Write rows of a table that the run has yet to write itself, after those that were committed."""
        if len(rows):
            write_rows(self.tables[k], self.rows[k], rows)

    def place(self) -> None:
        """Bring the file to the disk under its name, in place of an older one; it goes on growing there."""
        with uninterrupted():
            names = [table.name for table in (*self.tables, self.events, self.sums)]
            seal(self.file)
            self.file.flush()
            image = self.file.id.get_file_image()
            self.file.close()
            self.full = True  # until it is there
            with whole_file(self.path, "log") as part:
                part.write_bytes(image)
                self.placed = os.stat(part)
            self._check_own()
            try:
                self.file = h5py.File(self.path, "r+", libver="latest")
                # behind the library, which refuses the file of another writer: nothing of that may be cut
                self.room = Room(self.path)
                *self.tables, self.events, self.sums = (self.file[name] for name in names)
                self.file.swmr_mode = True
            except OSError as err:
                raise FileError(f"the log cannot be written: {reason(err)}", where=str(self.path)) from err
            self.full = False
            no_room = self._take_room()
        if no_room is not None:
            raise self._refused(no_room)

    def _check_own(self) -> None:
        """Refuse a log in whose place another writer has put its own."""
        if not self._is_own():
            raise FileError(
                "another run writes the same log", where=str(self.path), hint="give each run a log of its own"
            )

    def _is_own(self) -> bool:
        """Return whether the name still leads to the file that this run writes."""
        try:
            return self.placed is None or os.path.samestat(self.placed, os.stat(self.path))
        except OSError:
            return False

    def close(self, info: str = "") -> None:
        """Finish the file; rows that the run did not come to are not its own. info : how it was made (JSON)."""
        try:
            if self.file and not self.full:  # else an interrupt has closed it
                self.commit()
                write_rows(self.file["INFO"], 0, np.frombuffer(info.encode(), np.uint8))
        finally:
            with uninterrupted():
                if self.file:
                    for table, n in zip(self.tables, self.rows):
                        if len(table) > n:
                            table.resize(n, axis=0)
                    self.file.close()
                if self.room is not None:
                    self.room.give_back()
                    self.room = None
                    if not self._is_own():
                        warnings.warn(
                            f"the log of this run is no longer at {self.path}: it was removed or replaced by another "
                            "writer while the run wrote it",
                            stacklevel=caller_level(),
                        )


def _joined(parts: list[np.ndarray], table: h5py.Dataset) -> np.ndarray:
    """Return rows that were put one after the other, as a table has them."""
    return np.ascontiguousarray(parts[0] if len(parts) == 1 else np.concatenate(parts), table.dtype)


def write_rows(table: h5py.Dataset, first: int, rows: np.ndarray) -> None:
    """Write rows and flush them; the low-level calls take half the time of `table[first:end] = rows`."""
    made, end = table.id, first + len(rows)
    if end > made.shape[0]:
        made.set_extent((end, *rows.shape[1:]))
    space = made.get_space()
    space.select_hyperslab((first, *(0 for _ in rows.shape[1:])), rows.shape)
    made.write(h5py.h5s.create_simple(rows.shape), space, np.ascontiguousarray(rows))
    table.flush()


def _prepared(
    file: h5py.File, contents: Contents, system: System, assembly: Assembly | FlightRecord | None
) -> list[h5py.Dataset]:
    """Write what does not change, and return the tables, empty."""
    put_text(file, "FORMAT", LOG.format)
    put_text(file, "NAME", contents.name)
    put_array(file, "SCHEMA_VERSION", SCHEMA)
    ports = {n: [c.table, c.columns, c.shape, c.unit] for n, c in contents.channels.items()}
    put_text(file, "PORTS", json_text(ports))
    put_text(file, "EXPOSED", json_text(contents.exposed))
    put_text(file, "LEFT_OUT", json_text(contents.left_out))
    put_text(file, "INERTIA", json_text(contents.inertia))
    put_text(file, "PROPELLANT", json_text(contents.propellant))
    put_array(file, "ALONE", int(contents.alone))
    if contents.acted is not None:
        put_text(file, "ACTED", json_text(contents.acted))
    if contents.points is not None:
        put_text(file, "POINTS", contents.points.described())
    put_system(file.create_group("VEHICLE"), system)
    if isinstance(assembly, FlightRecord):
        put_text(file, "TREE", assembly.tree)
        put_text(file, "BLOCKS", json_text(assembly.blocks))
        put_text(file, "ASSEMBLY/REFUSED", "the log was saved again from a file")
    elif assembly is not None:
        put_text(file, "TREE", str(assembly))
        put_text(file, "BLOCKS", json_text(blocks_of(assembly)))
        _put_assembly(file.create_group("ASSEMBLY"), assembly, system)
    found = []
    for k, (names, units) in enumerate(contents.tables):
        width = len(names)
        table = file.create_dataset(
            _table_name(k),
            (0, width),
            maxshape=(None, width),
            chunks=(max(1, CHUNK // max(width, 1)), max(width, 1)),
            dtype="f8",
        )
        put_attribute(table, "names", "\n".join(names))
        put_attribute(table, "units", "\n".join(units))
        found.append(table)
    return found


def _discrete(file: h5py.File, contents: Contents) -> h5py.Dataset:
    """Return the table of what is discrete, empty."""
    width = 1 if contents.points is None else contents.points.width
    rows = max(1, CHUNK // width)
    return file.create_dataset(DISCRETE, (0, width), maxshape=(None, width), chunks=(rows, width), dtype="f8")


def _table_name(k: int) -> str:
    return "STEPS" if k == 0 else f"SAMPLES_{k}"


def _put_assembly(group: h5py.Group, assembly: Assembly, flown: System) -> None:
    """Write members and wires, or why they cannot be made again from a file."""
    describer = Describer()
    try:
        text = describer.text(assembly)
    except NoName as why:
        put_text(group, "REFUSED", str(why))
        return
    put_text(group, "TEXT", text)
    put_arrays(group.create_group("ARRAYS"), describer.arrays)
    for k, system in enumerate(describer.systems):
        put_system(group.create_group(f"SYSTEMS/{k}"), system, system.model is not flown.model)


def put_arrays(group: h5py.Group, arrays: dict[str, np.ndarray]) -> None:
    """Write arrays by their names."""
    for name, array in arrays.items():
        put_array(group, link_name(name), array)


# reading --------------------------------------------------------------------------------------------------


@dataclass
class FlightRecord:
    """What a file holds.

    tables : numbers (m, columns), then those of phases
    info : how the run was made;  tree, blocks : the assembly as text, and as blocks and wires
    restore : makes the assembly again of code of a program, or raises `NoName`
    """

    contents: Contents
    system: System
    tables: list[np.ndarray]
    events: list[EventRecord] = field(default_factory=list)
    info: dict[str, object] = field(default_factory=dict)
    tree: str = ""
    blocks: dict[str, object] = field(default_factory=dict)
    restore: Callable[[Program], Assembly] | None = None

    def __getstate__(self) -> dict[str, object]:
        # code does not travel; what its names lead to is asked of the file again
        return {**self.__dict__, "restore": None}


def read_flight(path: str | Path, known: FlightRecord | None = None) -> FlightRecord:
    """Read a file, finished, growing, or left behind by a writer that was killed.

    known : what was read of the same file before: its vehicle and its assembly are taken from there
    """
    path = as_path(path, "log")
    for _ in range(TRIES):
        before = _stamp(path)
        try:
            return _read(path, known)
        except FileError:
            if _stamp(path) == before:
                raise
    return _read(path, known)  # one that grows faster than it is read


def _stamp(path: Path) -> tuple[int, int] | None:
    """Return what changes when a file is written to."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size


def _read(path: Path, known: FlightRecord | None) -> FlightRecord:
    with opened(path, LOG.words, growing=True) as f:
        if not f.has("FORMAT") or f.text("FORMAT") != LOG.format:
            raise FileError(f"this HDF5 file is not a {LOG.words}", where=str(path))
        check_version(f.number("SCHEMA_VERSION"), SCHEMA, LOG, path)
        # sums first: of a file that grows, rows may have come since
        sums = f.array("SUMS", (None, 3), "i") if f.has("SUMS") else np.zeros((0, 3), np.int64)
        tables: list[np.ndarray] = []
        names: list[tuple[list[str], list[str]]] = []
        while f.has(_table_name(len(tables))):
            name = _table_name(len(tables))
            rows = f.array(name, (None, None), finite=False)
            both = [f.attribute(name, what).split("\n") for what in ("names", "units")]
            if any(len(words) != rows.shape[1] for words in both):
                raise FileFault(f"'{name}' has not as many names as columns")
            tables.append(rows)
            names.append((both[0], both[1]))
        contents = Contents(
            f.text("NAME"),
            names,
            _channels(f, names),
            parse_json(f.text("EXPOSED")),
            parse_json(f.text("LEFT_OUT")),
            _inertia(f, names),
            _propellant(f, names),
            _points(f, names),
            alone=f.has("ALONE") and f.number("ALONE") == 1,
            acted=parse_json(f.text("ACTED")) if f.has("ACTED") else None,
        )
        vehicle = system_in(f.child("VEHICLE"), path) if known is None else known.system
        later = flight_phases.no_rows()
        if f.has("PHASES"):
            later = [
                f.array(name, (None, *shape), "f" if dtype == "f8" else "i", finite=False)
                for name, dtype, shape in flight_phases.TABLES
            ]
        written = [a.astype(dtype) for a, (_, dtype, _) in zip(later, flight_phases.TABLES)]
        if f.has(DISCRETE):
            width = 1 if contents.points is None else contents.points.width
            later.append(f.array(DISCRETE, (None, width), finite=False))
            written.append(later[-1])
        for name, dtype, shape in log_memory.TABLES if f.has("REMEMBERED") else ():
            later.append(f.array(name, (None, *shape), "i").astype(dtype))
            written.append(later[-1])
        _check_sums(sums, [*tables, *written], f.fixed_texts("EVENTS", WORDS) if len(sums) else None)
        events = [event_of(text) for text in f.texts("EVENTS") if text]
        events = flight_phases.with_books(events, later[flight_phases.BOOKED])
        if not tables or tables[0].shape[1] < 1 + vehicle.nq + vehicle.nv:
            raise FileFault("there are no rows of steps in it")
        record = FlightRecord(contents, vehicle, [*tables, *later], events, _info(f))
        if known is not None:
            record.tree, record.blocks, record.restore = known.tree, known.blocks, known.restore
        elif f.has("ASSEMBLY"):
            record.tree, record.blocks = f.text("TREE"), parse_json(f.text("BLOCKS"))
            record.restore = _assembly_in(f.child("ASSEMBLY"), path, vehicle)
        return record


def _check_sums(sums: np.ndarray, tables: list[np.ndarray], events: np.ndarray | None) -> None:
    """Refuse rows that are not those that were written; rows after the last sum are taken as they are."""
    at: dict[int, int] = {}
    for k, end, expected in sums.tolist():
        table = events if k == EVENTS else tables[k] if 0 <= k < len(tables) else None
        first = at.get(k, 0)
        if table is None or not first < end:
            raise FileFault("its sums are of tables that are not there")
        if end > len(table):
            raise FileFault(f"it has {len(table)} rows of a table where {end} were written")
        if crc32(np.ascontiguousarray(table[first:end]).data) != expected:
            raise FileFault(
                f"rows {first + 1} to {end} of a table are not those that were written: it is damaged"
            )
        at[k] = end


def event_of(text: str) -> EventRecord:
    """Return an event from its text, as in "t = 1.5: separation (detach booster)"."""
    match = _EVENT.fullmatch(text)
    t, name, what = (float(match[1]), match[2], match[3] or "") if match else (np.nan, text, "")
    return EventRecord.unmeasured(t, name, what)


def _info(f: Group) -> dict[str, object]:
    """Return how the run was made, empty where it has not ended or the file does not have it."""
    text = f.array("INFO", (None,), "i").astype(np.uint8).tobytes().decode() if f.has("INFO") else ""
    found = parse_json(text) if text else {}
    if not isinstance(found, dict):
        raise FileFault("'INFO' is not a list of names and values")
    return found


def _inertia(f: Group, tables: list[tuple[list[str], list[str]]]) -> dict[str, list[int]]:
    """Return the columns of bodies whose mass changes; files of old have none."""
    found = parse_json(f.text("INERTIA")) if f.has("INERTIA") else {}
    for body, columns in found.items():
        if not tables or len(columns) != 10 or not all(0 < c < len(tables[0][0]) for c in columns):
            raise FileFault(f"the mass of body '{body}' lies where no columns are")
    return found


def _points(f: Group, tables: list[tuple[list[str], list[str]]]) -> KeptState | None:
    """Return what points of rows need; files of old do not have it."""
    if not f.has("POINTS"):
        return None
    return KeptState.of(f.text("POINTS"), [len(names) for names, _ in tables])


def _propellant(f: Group, tables: list[tuple[list[str], list[str]]]) -> dict[str, int]:
    """Return the columns of tanks; files of old have none."""
    found = parse_json(f.text("PROPELLANT")) if f.has("PROPELLANT") else {}
    for tank, column in found.items():
        if not tables or not isinstance(column, int) or not 0 < column < len(tables[0][0]):
            raise FileFault(f"the propellant of tank '{tank}' lies where no column is")
    return found


def _channels(f: Group, tables: list[tuple[list[str], list[str]]]) -> dict[str, LogChannel]:
    found = {}
    for name, (table, columns, shape, unit) in parse_json(f.text("PORTS")).items():
        size = int(np.prod(shape)) if shape else 1
        inside = 0 <= table < len(tables) and all(0 < c < len(tables[table][0]) for c in columns)
        if not inside or len(columns) != size:
            raise FileFault(f"'{name}' lies where no columns are")
        found[name] = LogChannel(int(table), tuple(columns), tuple(shape), str(unit))
    return found


def _assembly_in(group: Group, path: Path, flown: System) -> Callable[[Program], Assembly]:
    """Return what makes the assembly of a group again; all that is needed is read here."""
    if group.has("REFUSED"):
        why = group.text("REFUSED")

        def refuse(program: Program) -> Assembly:
            raise NoName(why)

        return refuse
    text, arrays = group.text("TEXT"), arrays_in(group.child("ARRAYS"))
    inside = group.child("SYSTEMS") if group.has("SYSTEMS") else None
    count = 0 if inside is None else len(inside.names())

    def restore(program: Program) -> Assembly:
        with opened(path, LOG.words, growing=True) as f:
            systems = [
                system_in(f.child("ASSEMBLY").child("SYSTEMS").child(str(k)), path, flown)
                for k in range(count)
            ]
        try:
            return Restorer(arrays.__getitem__, systems, program).value(text)
        except FileError as err:
            raise FileError(
                f"the assembly in the log does not hold together: {err.__cause__}", where=str(path)
            ) from err

    return restore


def arrays_in(group: Group) -> dict[str, np.ndarray]:
    """Return all arrays of a group by their names."""
    return {name: np.asarray(value) for name, value in group.tree().items()}
