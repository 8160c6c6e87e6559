"""Simulation logs as files: HDF5 that any reader can use.

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

from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import h5py
import numpy as np
from numpy.typing import ArrayLike

from interstage import __version__
from interstage.calls import named_arguments
from interstage.errors import FileError, InputError, known_names
from interstage.files import LOG, check_version, expect
from interstage.hdf5 import (
    Fault,
    Group,
    link_name,
    opened,
    plain_name,
    put_array,
    put_text,
    write_hdf5,
)
from interstage.multibody.joints import Coordinate
from interstage.multibody.model import vehicle_units
from interstage.output import json_text, parse_json
from interstage.system.log.phases import SHAPES, check_vehicle, is_mass, roots_of

if TYPE_CHECKING:
    from interstage.system.log.log import Log
    from interstage.system.log.phases import Phase


SCHEMA = 1


@dataclass
class LoggedBody:
    """A body of a log: how it is joined, and its columns over time (m, k)."""

    joint: str
    parent: str
    q: np.ndarray
    v: np.ndarray
    eta: np.ndarray
    etadot: np.ndarray
    coordinates: list[Coordinate] = field(default_factory=list)  # of q; none in files that do not tell
    velocities: list[Coordinate] = field(
        default_factory=list
    )  # of v, with the kind of what each is the rate of


@dataclass
class LoggedPhase:
    """A stretch of a log with one system: t (m,), q (m, nq), v (m, nv)."""

    t: np.ndarray
    q: np.ndarray
    v: np.ndarray
    velocity_names: list[str]
    bodies: dict[str, LoggedBody]
    masses: dict[str, dict[str, np.ndarray]] = field(
        default_factory=dict
    )  # of vehicles by root, then by word

    def root(self, body: str) -> str:
        """Return the root of the vehicle that has a body."""
        while self.bodies[body].parent:
            body = self.bodies[body].parent
        return body


@named_arguments
@dataclass
class LogFile:
    """What a log file holds: states, signals and the masses of vehicles over time, not the vehicle itself.

    `log["mass"]`, `log["com"]`, `log["inertia"]` are (m,), (m, 3), (m, 3, 3), with several vehicles `log["mass.bus"]`.
    """

    vehicle: str
    phases: list[LoggedPhase]
    signals: dict[str, tuple[np.ndarray, str]] = field(default_factory=dict)
    events: list[str] = field(default_factory=list)
    info: dict[str, object] = field(default_factory=dict)
    units: dict[str, str] = field(default_factory=dict)

    @property
    def t(self) -> np.ndarray:
        """Times of all phases."""
        return np.concatenate([phase.t for phase in self.phases])

    @property
    def bodies(self) -> dict[str, LoggedBody]:
        """Every body as it is in the last phase that has it."""
        return {name: body for phase in self.phases for name, body in phase.bodies.items()}

    def __getitem__(self, name: str) -> LoggedBody | np.ndarray:
        """Return a body as it is in the last phase that has it, the values (m,) of a signal, or masses (m, ...)."""
        if name in self.bodies:
            return self.bodies[name]
        if name in self.signals:
            return self.signals[name][0]
        if is_mass(name):
            return self._masses(name)
        raise InputError(
            f"the log has no body and no signal '{name}'", hint=known_names([*self.bodies, *self.signals])
        )

    def __getattr__(self, key: str) -> Any:
        if not key.startswith("_") and hasattr(import_module("interstage.system.log.log").Log, key):
            raise AttributeError(
                f"a log from Log.save has no '{key}': the file has states, masses and signals, not the vehicle; "
                'write the log by simulate(..., log="run.h5"), whose file has it'
            )
        raise AttributeError(f"'LogFile' object has no attribute '{key}'")

    def _masses(self, name: str) -> np.ndarray:
        """Return the values (m, ...) of a channel of masses."""
        what, _, body = name.partition(".")
        if not any(phase.masses for phase in self.phases):
            raise InputError(
                "the log has no masses: a version wrote it that did not keep them", where=f"'{name}'"
            )
        roots = [list(phase.masses) for phase in self.phases]
        check_vehicle(name, list(self.bodies), roots)
        return np.concatenate([_masses_of(phase, what, body) for phase in self.phases])

    def __repr__(self) -> str:
        many = f", {len(self.phases)} phases" if len(self.phases) > 1 else ""
        return f"<LogFile of '{self.vehicle}': {len(self.t)} states{many}, {len(self.signals)} signals>"


def _masses_of(phase: LoggedPhase, what: str, body: str) -> np.ndarray:
    """Return the rows (m, ...) of masses of one phase, of the vehicle that has a body, NaN while it is not there."""
    if body and body not in phase.bodies:
        return np.full((len(phase.t), *SHAPES[what]), np.nan)
    root = phase.root(body) if body else next(iter(phase.masses))
    if body not in ("", root) and what != "mass":
        raise InputError(
            f"the file has '{what}' from the root of a vehicle, not from '{body}'",
            hint=f'log["{what}.{root}"], or write the log by simulate(..., log="run.h5")',
        )
    return phase.masses[root][what]


def write_log(log: Log, path: str | Path, signals: Mapping[str, tuple[ArrayLike, str]] | None = None) -> Path:
    """Write a simulation log, whole or not at all.

    signals : {name: (values (m,), unit)} to keep beside the states
    """
    checked = {}
    for name, (values, unit) in (signals or {}).items():
        values = np.asarray(values, dtype=float)
        if values.shape != log.t.shape:
            raise InputError(
                f"the signal '{name}' does not fit the log",
                expected=f"{len(log.t)} values",
                got=f"{values.shape}",
            )
        checked[name] = (values, unit)

    return write_hdf5(path, lambda f: _fill(f, log, checked), what="log file")


def _fill(f: h5py.File, log: Log, signals: Mapping[str, tuple[np.ndarray, str]]) -> None:
    events = [" ".join(str(event).split()) for event in log.events]
    for name, text in (
        ("FORMAT", LOG.format),
        ("VERSION", f"interstage {__version__}"),
        ("VEHICLE", log.phases[0].system.model.name),
        ("EVENTS", "\n".join(events)),
        ("UNITS", json_text(vehicle_units(log.phases[0].system.model), gaps=True)),
        ("INFO", json_text(_worded(log.info), gaps=True)),
    ):
        put_text(f, name, text)
    put_array(f, "SCHEMA_VERSION", SCHEMA)
    for k, phase in enumerate(log.phases):
        _phase(f.create_group(f"PHASES/{k}"), phase)
    for name, (values, unit) in signals.items():
        group = f.create_group(f"SIGNALS/{link_name(name)}")
        put_array(group, "value", values)
        put_text(group, "unit", unit)


def _phase(f: h5py.Group, phase: Phase) -> None:
    system = phase.system
    for name, rows in (("TIME", phase.t), ("Q", phase.q), ("V", phase.v)):
        put_array(f, name, rows)
    names = system.velocity_names()
    if any("\n" in name for name in names):
        raise InputError(
            "a name in a log cannot hold a line break", got=repr(next(n for n in names if "\n" in n))
        )
    put_text(f, "VELOCITY_NAMES", "\n".join(names))
    for root in roots_of(system):
        group = f.create_group(f"MASSES/{link_name(root)}")
        for word, values in zip(SHAPES, phase.wholes(root)):
            put_array(group, word, values)
    for spec in system.model.specs:
        where = system.layout[spec.name]
        group = f.create_group(f"BODIES/{link_name(spec.name)}")
        for key in ("q", "v", "eta", "etadot"):
            part = getattr(where, key)
            put_array(group, key, np.array([part.start, part.stop]))
        put_text(group, "joint", type(spec.joint).__name__)
        for key, known in (("coordinates", where.joint.coordinates), ("velocities", where.joint.velocities)):
            put_text(group, key, "\n".join(f"{c.name} {c.kind}" for c in known))
        put_text(group, "parent", spec.parent or "")


def _worded(info: Any) -> Any:
    """Objects in the record of a run as words."""
    if isinstance(info, Mapping):
        return {str(key): _worded(value) for key, value in info.items()}
    if isinstance(info, list | tuple):
        return [_worded(value) for value in info]
    return info if info is None or isinstance(info, bool | int | float | str | np.ndarray) else str(info)


def read_log(path: str | Path) -> LogFile:
    """Read a log file; a damaged, foreign or newer one is one sentence."""
    expect(path, LOG)
    with opened(path, "simulation log") as f:
        if not f.has("FORMAT") or f.text("FORMAT") != LOG.format:
            raise FileError("this HDF5 file is not a simulation log", where=str(path))
        check_version(f.number("SCHEMA_VERSION"), SCHEMA, LOG, path)
        return _loaded(f)


def _loaded(f: Group) -> LogFile:
    groups = f.child("PHASES")
    phases = [_loaded_phase(groups.child(str(k))) for k in range(len(groups.names()))]
    if not phases:
        raise Fault("there are no phases in it")
    m = sum(len(phase.t) for phase in phases)
    signals = {}
    if f.has("SIGNALS"):
        group = f.child("SIGNALS")
        for name in group.names():
            one = group.child(name)
            signals[plain_name(name)] = (one.array("value", (m,), finite=False), one.text("unit"))
    info = _table(f, "INFO")
    units = _table(f, "UNITS") if f.has("UNITS") else {}
    return LogFile(
        vehicle=f.text("VEHICLE"),
        phases=phases,
        signals=signals,
        events=[line for line in f.text("EVENTS").split("\n") if line],
        info=info,
        units={str(key): str(value) for key, value in units.items()},
    )


def _table(f: Group, name: str) -> dict[str, Any]:
    table = parse_json(f.text(name))
    if not isinstance(table, dict):
        raise Fault(f"'{name}' is not a list of names and values")
    return table


def _loaded_phase(f: Group) -> LoggedPhase:
    t = f.array("TIME", (None,))
    # a run that went astray is worth a look: its states may be anything
    q, v = (f.array(name, (len(t), None), finite=False) for name in ("Q", "V"))
    bodies = {}
    if f.has("BODIES"):
        group = f.child("BODIES")
        for name in group.names():
            bodies[plain_name(name)] = _loaded_body(group.child(name), q, v)
    found = LoggedPhase(t, q, v, f.text("VELOCITY_NAMES").split("\n"), bodies)
    if f.has("MASSES"):
        group = f.child("MASSES")
        for name in group.names():
            if plain_name(name) not in bodies:
                raise Fault(f"'{group.label}{name}' is of no body")
            one = group.child(name)
            found.masses[plain_name(name)] = {
                word: one.array(word, (len(t), *shape), finite=False) for word, shape in SHAPES.items()
            }
    return found


def _loaded_body(f: Group, q: np.ndarray, v: np.ndarray) -> LoggedBody:
    part = {}
    for key, of in (("q", q), ("v", v), ("eta", q), ("etadot", v)):
        first, last = (int(k) for k in f.array(key, (2,), "i"))
        if not 0 <= first <= last <= of.shape[1]:
            raise Fault(f"the columns of '{f.label}{key}' are not in the log")
        part[key] = of[:, first:last]
    return LoggedBody(
        joint=f.text("joint"),
        parent=f.text("parent"),
        coordinates=_coordinates(f, "coordinates", part["q"].shape[1]),
        velocities=_coordinates(f, "velocities", part["v"].shape[1]),
        **part,
    )


def _coordinates(f: Group, key: str, n: int) -> list[Coordinate]:
    """Return names and kinds of n columns, none where the file does not tell."""
    lines = [line.split() for line in f.text(key).split("\n") if line] if f.has(key) else []
    if lines and (len(lines) != n or any(len(line) != 2 for line in lines)):
        raise Fault(f"'{f.label}{key}' does not name its {n} columns")
    return [Coordinate(*line) for line in lines]
