"""Rows of a log as operating points: what is kept for that, with what Python blocks remembered.

What laws in Python remember at the rows of a log, in its file: as text and arrays, as checkpoints have it. Parameters
that were set are beside it, under the name "".

A file that grows takes no new datasets, so that these are two tables more, empty where no law remembers anything:

MEMORY (n,)          bytes: texts of `serialization`, and arrays, one after the other; what is alike is there once
REMEMBERED (m, 3)    the number of rows before which it holds (from the last such number on), where its text begins and
                     ends; no text: it could not be kept

What a log keeps so that each of its rows is a whole point of the flight, and how a row is made one again.

Rows of steps have q, v, masses, continuous ports and states of devices; tables of samples what was sampled. What is
discrete is logged beside them, in a table of its own that has a row only where something has changed:

KEPT (m, 1 + w + n)    row of steps from which it holds; discrete states; integers
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any

import numpy as np

from interstage.errors import FileError
from interstage.hdf5 import FileFault
from interstage.multibody.loads import Loads, Wrench
from interstage.multibody.operating_point import NO_CHANGES, Changes
from interstage.output import json_text, parse_json
from interstage.simulation.plant.declarations import Out
from interstage.simulation.plant.plan import ExecutionPlan
from interstage.simulation.plant.prescribed_inputs import AHEAD, Ahead, MassHistory
from interstage.simulation.plant.serialization import Describer, NoName, Program, Restorer
from interstage.simulation.plant.vehicle_interface import holds_of

# names, dtypes and shapes of a row
TABLES = (("MEMORY", "u1", ()), ("REMEMBERED", "i8", (3,)))
MOST = 1 << 26  # bytes of a file


class KeptMemories:
    """Turns what laws remembered into rows of the tables.

    at : bytes that are in the table already
    """

    def __init__(self, at: int):
        self.at = at
        self._known: dict[bytes, tuple[int, int]] = {}

    def rows(self, until: int, memory: Mapping[str, Any]) -> tuple[np.ndarray, np.ndarray]:
        """Return the next bytes (n,) and the row (1, 3) of what laws remember before a row."""
        describer = Describer()
        new: list[bytes] = []
        try:
            text = describer.text(memory)
        except NoName:
            return np.zeros(0, np.uint8), np.array([[until, 0, 0]])
        arrays = {
            name: [array.dtype.str, list(array.shape), *self._place(array.tobytes(), new)]
            for name, array in describer.arrays.items()
        }
        begin, end = self._place(json.dumps([text, arrays]).encode(), new)
        if self.at > MOST:
            return np.zeros(0, np.uint8), np.array([[until, 0, 0]])
        return np.frombuffer(b"".join(new), np.uint8), np.array([[until, begin, end]])

    def _place(self, data: bytes, new: list[bytes]) -> tuple[int, int]:
        """Return where bytes begin and end; those that are not there yet come next."""
        key = blake2b(data).digest()
        if key not in self._known:
            self._known[key] = self.at, self.at + len(data)
            self.at += len(data)
            new.append(data)
        return self._known[key]


def memory_at(data: np.ndarray, rows: np.ndarray, k: int) -> dict[str, Any] | None:
    """Return what laws remembered at row k of a log from a file; None where that was not kept.

    Code that it names is that of the program that asks.
    """
    j = int(np.searchsorted(rows[:, 0], k, "right"))
    if j >= len(rows) or not rows[j, 2]:
        return None
    try:
        text, arrays = json.loads(_part(data, *rows[j, 1:].tolist()))

        def array(name: str) -> np.ndarray:
            kind, shape, begin, end = arrays[name]
            if np.dtype(kind).kind not in "biufc":
                raise ValueError("not an array of numbers")
            return np.frombuffer(_part(data, begin, end), np.dtype(kind)).reshape(shape)

        found = Restorer(array, [], Program()).value(text)
    except NoName:
        return None
    except (ValueError, TypeError, KeyError, UnicodeDecodeError, RuntimeWarning) as err:
        raise FileError(f"what laws remembered does not hold together: {err}") from err
    if not isinstance(found, dict) or not all(isinstance(one, dict) for one in found.values()):
        raise FileFault("'MEMORY' has no memory of laws")
    return found


def _part(data: np.ndarray, begin: int, end: int) -> bytes:
    if not 0 <= begin <= end <= len(data):
        raise FileFault("'REMEMBERED' leads to bytes that are not there")
    return data[begin:end].tobytes()


NAME = "KEPT"
DISCRETE = -1  # number of the table of what is discrete
Spots = Mapping[tuple[str, int], tuple[int, int]]


@dataclass(frozen=True)
class Value:
    """Where a point finds the numbers of a field.

    table : of steps (0), of samples (1, 2, ...), or DISCRETE;  columns, shape : of its numbers
    whole : they are integers;  part : who samples it, "" for the others
    """

    table: int
    columns: tuple[int, ...]
    shape: tuple[int, ...]
    whole: bool = False
    part: str = ""


@dataclass(frozen=True)
class LoadsInFile:
    """Loads that are functions of time or tables, as a file describes them: code by its name."""

    text: str
    arrays: Mapping[str, tuple[str, Sequence[int], Sequence[float]]]

    def made(self) -> Loads | str:
        """Return the loads, of code of the program that asks, or why it does not have them."""
        try:
            found = Restorer(self._array, [], Program()).value(self.text)
        except NoName as why:
            return f"functions of time acted, and {why}"
        if not isinstance(found, Loads):
            raise FileFault("what acted is not described as loads")
        return found

    def _array(self, name: str) -> np.ndarray:
        kind, shape, values = self.arrays[name]
        if np.dtype(kind).kind not in "biuf":
            raise ValueError("not an array of numbers")
        return np.array(values, np.dtype(kind)).reshape(shape)


@dataclass
class KeptState:
    """What points of rows need, by full names.

    values : states, discrete states, integers, sampled outputs and inputs that are held
    ticks : {part: (column of the number of its last sample, period, offset)}
    holds : {integer of a device: body whose joint it holds}
    start : values of what is sampled as the run began, before a first sample
    width : columns of the table of what is discrete;  missing : names that were not kept
    laws : members in Python that remember something;  hidden : those that do so in enclosed or global variables
    driven : {body: columns of steps} with the accelerations of joints that follow motions of a vehicle alone
    changes : what events may change of the vehicle
    begun : the run began on a vehicle that had changed before
    sets : parameters are not those of their devices, or events may set some: they are kept beside what laws remember
    motions, masses : bodies whose joints or masses follow histories of the run, some of them perhaps from an event on
    devices : members that act on a vehicle
    loads : what acts beside devices from the start, None: nothing; as the file has it, or why it does not
    """

    values: dict[str, Value] = field(default_factory=dict)
    ticks: dict[str, tuple[int, float, float]] = field(default_factory=dict)
    holds: dict[str, str] = field(default_factory=dict)
    start: dict[str, np.ndarray] = field(default_factory=dict)
    width: int = 1
    missing: list[str] = field(default_factory=list)
    laws: list[str] = field(default_factory=list)
    loads: Loads | LoadsInFile | str | None = None
    changes: Changes = NO_CHANGES
    driven: dict[str, list[int]] = field(default_factory=dict)
    hidden: list[str] = field(default_factory=list)
    begun: bool = False
    sets: bool = False
    motions: list[str] = field(default_factory=list)
    masses: list[str] = field(default_factory=list)
    devices: list[str] = field(default_factory=list)

    def __getstate__(self) -> dict[str, object]:
        # functions of time do not travel but by their names
        return {**self.__dict__, "loads": loads_of_json(loads_as_json(self.loads))}

    def described(self) -> str:
        """Return it as JSON."""
        values = {n: [v.table, v.columns, v.shape, v.whole, v.part] for n, v in self.values.items()}
        start = {name: np.ravel(value).tolist() for name, value in self.start.items()}
        own: dict[str, Any] = {"ticks": self.ticks, "holds": self.holds, "driven": self.driven}
        own |= {"missing": self.missing, "laws": self.laws, "hidden": self.hidden, "begun": self.begun}
        own |= {"sets": self.sets, "motions": self.motions, "masses": self.masses}
        own["loads"], own["devices"] = loads_as_json(self.loads), self.devices
        one = self.changes
        heirs = [[*key, body, _node(place)] for key, (body, place) in one.heirs.items()]
        own["changes"] = [list(one.leaving), list(one.coming), sorted(one.parting), heirs]
        return json_text({"values": values, "start": start, "width": self.width, **own})

    @classmethod
    def of(cls, json: str, widths: Sequence[int]) -> KeptState:
        """Return what a text held, for tables of such widths."""
        text = parse_json(json)
        values = {n: Value(int(v[0]), tuple(v[1]), tuple(v[2]), *v[3:]) for n, v in text["values"].items()}
        width = int(text["width"])
        for name, one in values.items():
            wide = width if one.table == DISCRETE else widths[one.table] if one.table < len(widths) else 0
            if one.table < DISCRETE or not all(0 < column < wide for column in one.columns):
                raise FileFault(f"'{name}' lies where no columns are")
        start = {n: np.reshape(np.array(v, float), values[n].shape) for n, v in text["start"].items()}
        ticks = {part: (int(one[0]), float(one[1]), float(one[2])) for part, one in text["ticks"].items()}
        found = cls(values, ticks, text["holds"], start, width, text["missing"], text["laws"])
        found.driven, found.loads = text["driven"], loads_of_json(text["loads"])
        found.hidden, found.begun = text.get("hidden", []), bool(text.get("begun", False))
        found.sets = bool(text.get("sets", False))
        found.motions = [str(body) for body in text.get("motions", [])]
        found.masses = [str(body) for body in text.get("masses", [])]
        found.devices = [str(path) for path in text.get("devices", [])]
        leaving, coming, parting, heirs = text["changes"]
        places = {(body, at): (name, _place(place)) for body, at, name, place in heirs}
        found.changes = Changes(leaving, coming, frozenset(parting), places)
        if any(not 0 < column < widths[0] for columns in found.driven.values() for column in columns):
            raise FileFault("the motion of a joint lies where no columns are")
        return found


def _node(place: Any) -> Any:
    """Return a node, or a point of a rigid body, as JSON holds it."""
    return place if place is None or isinstance(place, str) else np.asarray(place).tolist()


def _place(told: Any) -> Any:
    """Return the node or point that `_node` wrote."""
    return tuple(told) if isinstance(told, list) else told


def loads_as_json(loads: Loads | LoadsInFile | str | None) -> object:
    """Return loads as JSON holds them: numbers, and functions by their names."""
    if loads is None or isinstance(loads, str):
        return loads
    if isinstance(loads, LoadsInFile):
        return {"described": loads.text, "arrays": loads.arrays}
    if loads.in_time:
        describer = Describer()
        try:
            text = describer.text(loads, "loads")
        except NoName as why:
            return f"functions of time acted, and {why}"
        arrays = {n: [a.dtype.str, a.shape, a.ravel().tolist()] for n, a in describer.arrays.items()}
        return {"described": text, "arrays": arrays}
    forces = [[f.body, _node(f.node), f.frame, f.numbers.tolist()] for f in loads.forces]
    driven = {body: np.asarray(rates).tolist() for body, rates in loads.accelerations.items()}
    return {"forces": forces, "tau": loads.tau.tolist(), "names": list(loads.names), "accelerations": driven}


def loads_of_json(told: Any) -> Loads | LoadsInFile | str | None:
    """Return the loads that `loads_as_json` wrote."""
    if told is None or isinstance(told, str):
        return told
    if "described" in told:
        return LoadsInFile(told["described"], told["arrays"])
    forces = [Wrench(body, np.array(wrench), _place(at), frame) for body, at, frame, wrench in told["forces"]]
    driven = {body: np.array(rates, float) for body, rates in told.get("accelerations", {}).items()}
    return Loads(tuple(forces), np.array(told["tau"], float), driven, tuple(told["names"]))


def point_names(plan: ExecutionPlan) -> dict[str, str]:
    """Return the full names of what a point of a flight has of devices, each with the part that samples it, or ""."""
    found = {}
    for part in plan.parts:
        for name, declared in part.what.fields.items():
            sampled = isinstance(declared, Out) and part.samples(name)
            if declared.kind in "zwn" or sampled:
                found[f"{part.path}.{name}"] = part.path if sampled else ""
    free = [name for name in plan.slots if name in plan.unwired]  # held, also those that have a default
    return found | dict.fromkeys([*plan.open, *free], "")


def _sampling(plan: ExecutionPlan) -> list[str]:
    """Return the paths of the parts that sample."""
    return list(dict.fromkeys(plan.parts[e.part].path for e in plan.sampled if e.function == "sample"))


def discrete_numbers(plan: ExecutionPlan) -> tuple[np.ndarray, np.ndarray]:
    """Return the numbers of discrete states and of integers that points need, rising."""
    found: dict[str, set[int]] = {"w": set(), "n": set()}
    for name in [*point_names(plan), *(f"{path}.tick" for path in _sampling(plan))]:
        slot = plan.slots[name]
        if slot.kind in found:
            found[slot.kind].update(range(slot.start, slot.start + slot.size))
    w, n = (np.array(sorted(found[kind]), dtype=np.int64) for kind in "wn")
    return w, n


def kept_by(plan: ExecutionPlan, spots: Spots, w: np.ndarray, n: np.ndarray) -> KeptState:
    """Return what points of rows find where.

    spots : table and column of each number that is logged;  w, n : numbers in the table of what is discrete
    """
    own = {("w", int(k)): (DISCRETE, 1 + j) for j, k in enumerate(w)}
    own |= {("n", int(k)): (DISCRETE, 1 + len(w) + j) for j, k in enumerate(n)}
    where, found = {**spots, **own}, KeptState(width=1 + len(own))
    for name, part in point_names(plan).items():
        slot = plan.slots[name]
        at = [where.get((slot.kind, k)) for k in range(slot.start, slot.start + slot.size)]
        tables = {-2 if spot is None else spot[0] for spot in at}
        if tables == {-2} or len(tables) > 1:
            found.missing.append(name)
            continue
        columns = tuple(spot[1] for spot in at if spot is not None)
        found.values[name] = Value(max(tables, default=0), columns, slot.shape, slot.kind == "n", part)
    clock = plan.clock
    for entry in plan.sampled:
        path = plan.parts[entry.part].path
        spot = where.get(("n", plan.slots[f"{path}.tick"].start))
        if entry.function == "sample" and spot is not None:
            found.ticks[path] = spot[1], float(entry.every * clock.tick), float(entry.first * clock.tick)
    for one in plan.parts:
        found.holds |= holds_of(one)
        if isinstance(one.what, Ahead):
            (found.masses if isinstance(one.what.given, MassHistory) else found.motions).append(one.what.body)
    found.devices = plan.acting
    if all(isinstance(one.what, Ahead) for one in plan.parts):
        for touch in plan.pushes:
            slot = touch.slot
            places = [where.get(("s", k), (1, 0)) for k in range(slot.start, slot.start + slot.size)]
            if touch.axes == "joint" and touch.quantity not in AHEAD and not any(t for t, _ in places):
                found.driven[str(touch.place)] = [column for _, column in places]
    return found


def changed_rows(rows: np.ndarray, first: int, before: np.ndarray | None) -> np.ndarray:
    """Return rows (m, w) of what is discrete where they are not those before, each with its number in front.

    first : number of the first row;  before : the row (1 + w,) before it
    """
    if not rows.shape[1] or not len(rows):
        return np.zeros((0, 1 + rows.shape[1]))
    both = np.concatenate([rows[:1] if before is None else before[None, 1:], rows[:-1]])
    same = ((rows == both) | (np.isnan(rows) & np.isnan(both))).all(axis=1)
    same[0] &= before is not None
    new = np.flatnonzero(~same)
    return np.hstack([first + new[:, None].astype(float), rows[new]])


class LogRow:
    """A row of a log as a point needs it: what devices kept there.

    kept : where things are;  tables : of steps and samples;  discrete : the table KEPT;  k : number of the row
    """

    def __init__(self, kept: KeptState, tables: Sequence[np.ndarray], discrete: np.ndarray, k: int):
        self.kept, self.tables, self.steps = kept, tables, tables[0][k]
        self.t = float(self.steps[0])
        at = int(np.searchsorted(discrete[:, 0], k, "right")) - 1 if len(discrete) else -1
        self.discrete = discrete[at] if at >= 0 else None

    @property
    def known(self) -> bool:
        """Whether all that devices kept is in the log."""
        return not self.kept.missing and (self.discrete is not None or self.kept.width == 1)

    @property
    def sampled(self) -> bool:
        """Whether the samples of this time are done: an event at the same time comes before them."""
        for column, period, offset in self.kept.ticks.values():
            due = round((self.t - offset) / period)
            near = abs(offset + due * period - self.t) <= 1e-9 * period + 1e-12 * abs(self.t)
            if near and due >= 0 and self._number(column) < due:
                return False
        return True

    def _number(self, column: int) -> float:
        assert self.discrete is not None
        return float(self.discrete[column])

    def driven(self, body: str) -> np.ndarray:
        """Return the acceleration of a joint that follows a motion."""
        return self.steps[self.kept.driven[body]].copy()

    def values(self) -> dict[str, np.ndarray]:
        """Return the values of devices by full name."""
        return {name: self._value(name, one) for name, one in self.kept.values.items()}

    def _done(self, one: Value) -> int:
        """Return how many samples of an output are done."""
        table = self.tables[one.table]
        last = int(np.searchsorted(table[:, 0], self.t, "right"))
        if one.part in self.kept.ticks:
            column, period, offset = self.kept.ticks[one.part]
            done = offset + (self._number(column) + 1.0 - 1e-6) * period  # faults have rows before it
            last = min(last, int(np.searchsorted(table[:, 0], done)))
        return last

    def _value(self, name: str, one: Value) -> np.ndarray:
        if one.table == DISCRETE:
            assert self.discrete is not None
            row = self.discrete
        elif one.table == 0:
            row = self.steps
        else:
            last = self._done(one)
            if last == 0:
                return np.array(self.kept.start.get(name, np.zeros(one.shape)))
            row = self.tables[one.table][last - 1]
        found = row[list(one.columns)].reshape(one.shape)
        return np.rint(found).astype(np.int64) if one.whole else found.copy()
