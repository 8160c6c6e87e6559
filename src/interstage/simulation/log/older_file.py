"""Logs that earlier versions saved: states, masses and signals over time, without the vehicle.

FORMAT, SCHEMA_VERSION, VERSION, VEHICLE    what this is
PHASES/<k>/TIME (m,), Q (m, nq), V (m, nv)  states of the k-th stretch with one system, counted from 0
PHASES/<k>/VELOCITY_NAMES                   a name for each column of V, one a line
PHASES/<k>/BODIES/<name>/q, v, eta, etadot  where the columns of a body begin and end: [first, last)
PHASES/<k>/BODIES/<name>/joint, parent      words
PHASES/<k>/BODIES/<name>/coordinates        name and kind (angle, length, quaternion) of each column q, one a line
PHASES/<k>/BODIES/<name>/velocities         the same of each column v, the kind of what it is the rate of
PHASES/<k>/MASSES/<root>/mass (m,), com (m, 3), inertia (m, 3, 3)  of the vehicle on that root, see `phases`
SIGNALS/<name>/value (all m,), unit         quantities that the maker of the log added, over all phases
EVENTS                                      what happened, one a line: time, then its name
UNITS                                       of mass, length and time where they are known, JSON
INFO                                        how the run was made, JSON
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn, cast

import numpy as np

from interstage.errors import InputError
from interstage.files import LOG, check_version
from interstage.hdf5 import FileFault, Group, opened, plain_name
from interstage.multibody import System
from interstage.multibody.joints import Coordinate, Joint
from interstage.multibody.state import BodySlices, StateLayout
from interstage.output import parse_json
from interstage.simulation.log.hdf5 import event_of
from interstage.simulation.log.layout import Contents, LogChannel
from interstage.simulation.log.phases import SHAPES, Phase
from interstage.simulation.log.store import RowStore
from interstage.simulation.run.events import EventRecord

SCHEMA = 1
FORMAT = "interstage-log"


@dataclass
class StoredJoint:
    """A joint as the file names it: names and kinds of its coordinates."""

    coordinates: list[Coordinate]
    velocities: list[Coordinate]

    @property
    def nq(self) -> int:
        """Number of coordinates."""
        return len(self.coordinates)

    @property
    def nv(self) -> int:
        """Number of velocities."""
        return len(self.velocities)


@dataclass
class StoredBody:
    """A body as the file names it."""

    name: str
    parent: str | None
    joint: StoredJoint
    component: None = None


@dataclass
class StoredModel:
    """Name, units and bodies of a vehicle."""

    name: str
    units: dict[str, str]
    specs: list[StoredBody]

    @property
    def roots(self) -> list[str]:
        """Names of the bodies without parent."""
        return [one.name for one in self.specs if one.parent is None]

    def spec(self, name: str) -> StoredBody:
        """Return a body."""
        return next(one for one in self.specs if one.name == name)


class StoredVehicle:
    """Stands for the system of a phase whose file has no vehicle: names and sizes, and a refusal of the rest."""

    def __init__(self, model: StoredModel, layout: StateLayout, nq: int, nv: int, names: list[str]):
        self.model, self.layout, self.nq, self.nv = model, layout, nq, nv
        self.bodies, self.units, self._names = list(layout), model.units, names
        self.propellant: dict[str, object] = {}

    def velocity_names(self) -> list[str]:
        """Return a name for each column of v."""
        return self._names

    def __getattr__(self, name: str) -> NoReturn:
        if name.startswith("_"):
            raise AttributeError(name)
        raise InputError(
            "the log file does not hold its vehicle: an earlier version saved it",
            where=f"log of '{self.model.name}'",
            hint="run again and save the log, or use log.q, log.v and log['body'], which it has",
        )


class StoredPhase(Phase):
    """A phase whose file has no vehicle; masses are those of the file, by root."""

    stored: dict[str, dict[str, np.ndarray]]

    def whole(self, what: str, body: str) -> np.ndarray:
        """Return the mass, com or inertia (m, ...) of the vehicle that has a body."""
        if not self.stored:
            raise InputError("the log has no masses: a version wrote it that did not keep them", where=what)
        root, model = body, self.system.model
        while (parent := model.spec(root).parent) is not None:
            root = parent
        if body != root and what != "mass":
            raise InputError(
                f"the file has '{what}' from the root of a vehicle, not from '{body}'",
                hint=f'log["{what}.{root}"]',
            )
        return self.stored[root][what]


def is_older(path: str | Path) -> bool:
    """Return whether a log file is of the format of earlier versions."""
    with opened(path, LOG.words, growing=True) as f:
        return f.is_dataset("FORMAT") and f.text("FORMAT") == FORMAT


def read_older(path: str | Path) -> tuple[RowStore, list[EventRecord], dict[str, Any]]:
    """Read a log file of an earlier version: rows, events, and how the run was made."""
    with opened(path, LOG.words) as f:
        check_version(f.number("SCHEMA_VERSION"), SCHEMA, LOG, path)
        phases = _phases(f)
        events = [event_of(line) for line in f.text("EVENTS").split("\n") if line]
        return (
            _StoredRows(f.text("VEHICLE"), phases, _signals(f, phases)),
            events,
            _table(f, "INFO") | {"file": str(path)},
        )


class _StoredRows(RowStore):
    """Rows whose phases are those of the file."""

    def __init__(self, name: str, phases: list[StoredPhase], signals: dict[str, tuple[np.ndarray, str]]):
        channels = {n: LogChannel(0, (1 + k,), (), unit) for k, (n, (_, unit)) in enumerate(signals.items())}
        units = [unit for _, unit in signals.values()]
        table = ["time", *signals], ["s", *units]
        super().__init__(Contents(name, [table], channels, alone=True), phases[-1].system)
        steps = np.column_stack(
            [np.concatenate([p.t for p in phases]), *(values for values, _ in signals.values())]
        )
        self.tables[0], self.systems, self._stored = steps, [p.system for p in phases], phases

    def phases(self) -> list[Phase]:
        """Return the phases of the rows."""
        return list(self._stored)


def _phases(f: Group) -> list[StoredPhase]:
    groups, name = f.child("PHASES"), f.text("VEHICLE")
    units = {str(k): str(v) for k, v in (_table(f, "UNITS") if f.has("UNITS") else {}).items()}
    phases = [_phase(groups.child(str(k)), name, units) for k in range(len(groups.names()))]
    if not phases:
        raise FileFault("there are no phases in it")
    return phases


def _signals(f: Group, phases: list[StoredPhase]) -> dict[str, tuple[np.ndarray, str]]:
    m, found = sum(len(phase.t) for phase in phases), {}
    group = f.child("SIGNALS") if f.has("SIGNALS") else None
    for name in [] if group is None else group.names():
        one = f.child("SIGNALS").child(name)
        found[plain_name(name)] = one.array("value", (m,), finite=False), one.text("unit")
    return found


def _table(f: Group, name: str) -> dict[str, Any]:
    table = parse_json(f.text(name))
    if not isinstance(table, dict):
        raise FileFault(f"'{name}' is not a list of names and values")
    return table


def _phase(f: Group, name: str, units: dict[str, str]) -> StoredPhase:
    t = f.array("TIME", (None,))
    # a run that went astray is worth a look: its states may be anything
    q, v = (f.array(key, (len(t), None), finite=False) for key in ("Q", "V"))
    layout, specs = StateLayout(), []
    if f.has("BODIES"):
        group = f.child("BODIES")
        found = [(plain_name(link), group.child(link)) for link in group.names()]
        bodies = [(body, one, _slices(one, q.shape[1], v.shape[1])) for body, one in found]
        for body, one, where in sorted(bodies, key=lambda item: (item[2].q.start, item[2].v.start)):
            layout[body] = where
            joint = cast(StoredJoint, where.joint)
            specs.append(StoredBody(body, one.text("parent") or None, joint))
    names = f.text("VELOCITY_NAMES").split("\n")
    vehicle = StoredVehicle(StoredModel(name, units, specs), layout, q.shape[1], v.shape[1], names)
    phase = StoredPhase(cast(System, vehicle), t, q, v)
    phase.stored = {}
    if f.has("MASSES"):
        group = f.child("MASSES")
        for link in group.names():
            if plain_name(link) not in layout:
                raise FileFault(f"'{group.label}{link}' is of no body")
            one = group.child(link)
            phase.stored[plain_name(link)] = {
                word: one.array(word, (len(t), *shape), finite=False) for word, shape in SHAPES.items()
            }
    return phase


def _slices(f: Group, nq: int, nv: int) -> BodySlices:
    """Return where the columns of a body are."""
    part: dict[str, Any] = {}
    for key, most in (("q", nq), ("v", nv), ("eta", nq), ("etadot", nv)):
        first, last = (int(k) for k in f.array(key, (2,), "i"))
        if not 0 <= first <= last <= most:
            raise FileFault(f"the columns of '{f.label}{key}' are not in the log")
        part[key] = slice(first, last)
    coordinates = _coordinates(f, "coordinates", part["q"])
    velocities = _coordinates(f, "velocities", part["v"])
    joint = type(f.text("joint"), (StoredJoint,), {})(coordinates, velocities)
    free: dict[str, Any] = {}
    turning = [k for k, one in enumerate(coordinates) if one.kind == "quaternion"]
    moving = [k for k, one in enumerate(coordinates) if one.name.startswith("position")]
    if len(turning) == 4:
        at, v = part["q"].start + turning[0], part["v"].start
        free = {"quaternion": slice(at, at + 4), "spin": slice(v, v + 3)}
        if len(moving) == 3:
            at = part["q"].start + moving[0]
            free |= {"position": slice(at, at + 3), "drift": slice(v + 3, v + 6)}
    return BodySlices(cast(Joint, joint), **part, **free)


def _coordinates(f: Group, key: str, where: slice) -> list[Coordinate]:
    """Return names and kinds of columns, numbered where the file does not tell."""
    n = where.stop - where.start
    lines = [line.split() for line in f.text(key).split("\n") if line] if f.has(key) else []
    if lines and (len(lines) != n or any(len(line) != 2 for line in lines)):
        raise FileFault(f"'{f.label}{key}' does not name its {n} columns")
    return [Coordinate(*line) for line in lines] or [Coordinate(f"{key[0]}{k + 1}", "") for k in range(n)]
