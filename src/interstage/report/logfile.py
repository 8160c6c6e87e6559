"""Simulation logs as files: HDF5 that any reader can use.

FORMAT, SCHEMA_VERSION, VERSION, VEHICLE    what this is
PHASES/<k>/TIME (m,), Q (m, nq), V (m, nv)  states of the k-th stretch with one system, counted from 0
PHASES/<k>/VELOCITY_NAMES                   a name for each column of V, one a line
PHASES/<k>/BODIES/<name>/q, v, eta, etadot  where the columns of a body begin and end: [first, last)
PHASES/<k>/BODIES/<name>/joint, parent      words
SIGNALS/<name>/value (all m,), unit         quantities that the maker of the log added, over all phases
EVENTS                                      what happened, one a line: time, then its name
INFO                                        how the run was made, JSON
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import h5py
import numpy as np
from numpy.typing import ArrayLike

from interstage import __version__
from interstage.errors import FileError, InputError
from interstage.report.files import write_whole

FORMAT, SCHEMA = "interstage-log", 1


@dataclass
class LoggedBody:
    """A body of a log: how it is joined, and its columns over time (m, k)."""

    joint: str
    parent: str
    q: np.ndarray
    v: np.ndarray
    eta: np.ndarray
    etadot: np.ndarray


@dataclass
class LoggedPhase:
    """A stretch of a log with one system: t (m,), q (m, nq), v (m, nv)."""

    t: np.ndarray
    q: np.ndarray
    v: np.ndarray
    velocity_names: list[str]
    bodies: dict[str, LoggedBody]


@dataclass
class LogFile:
    """What a log file holds."""

    vehicle: str
    phases: list[LoggedPhase]
    signals: dict[str, tuple[np.ndarray, str]] = field(default_factory=dict)
    events: list[str] = field(default_factory=list)
    info: dict[str, Any] = field(default_factory=dict)

    @property
    def t(self) -> np.ndarray:
        """Times of all phases."""
        return np.concatenate([phase.t for phase in self.phases])

    @property
    def bodies(self) -> dict[str, LoggedBody]:
        """Every body as it is in the last phase that has it."""
        return {name: body for phase in self.phases for name, body in phase.bodies.items()}


def save_log(log: Any, path: str | Path, signals: Mapping[str, tuple[ArrayLike, str]] | None = None) -> Path:
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

    def fill(part: str) -> None:
        with h5py.File(part, "w", libver=("earliest", "v110")) as f:
            _fill(f, log, checked)

    return write_whole(path, fill, what="log file")


def _fill(f: h5py.File, log: Any, signals: Mapping[str, tuple[np.ndarray, str]]) -> None:
    events = [" ".join(str(event).split()) for event in log.events]
    for name, text in (
        ("FORMAT", FORMAT),
        ("VERSION", f"interstage {__version__}"),
        ("VEHICLE", log.phases[0].system.model.name),
        ("EVENTS", "\n".join(events)),
        ("INFO", json.dumps(log.info, default=str)),
    ):
        _text(f, name, text)
    f["SCHEMA_VERSION"] = SCHEMA
    for k, phase in enumerate(log.phases):
        _phase(f.create_group(f"PHASES/{k}"), phase)
    for name, (values, unit) in signals.items():
        group = f.create_group(f"SIGNALS/{name.replace('/', '|')}")
        group["value"] = values
        _text(group, "unit", unit)


def _phase(f: h5py.Group, phase: Any) -> None:
    system = phase.system
    f["TIME"], f["Q"], f["V"] = phase.t, phase.q, phase.v
    _text(f, "VELOCITY_NAMES", "\n".join(system.velocity_names()))
    for spec in system.model.specs:
        where = system._slices[spec.name]
        group = f.create_group(f"BODIES/{spec.name.replace('/', '|')}")
        for key in ("q", "v", "eta", "etadot"):
            part = getattr(where, key)
            group[key] = np.array([part.start, part.stop])
        _text(group, "joint", type(spec.joint).__name__)
        _text(group, "parent", spec.parent or "")


def _text(group: h5py.Group, name: str, text: str) -> None:
    raw = text.encode("utf-8")
    group.create_dataset(name, data=np.bytes_(raw), dtype=h5py.string_dtype("utf-8", max(1, len(raw))))


def load_log(path: str | Path) -> LogFile:
    """Read a log file; a damaged, foreign or newer one is one sentence."""
    path = Path(path)
    try:
        with h5py.File(path, "r") as f:
            if "FORMAT" not in f or _read(f["FORMAT"]) != FORMAT:
                raise FileError("not a simulation log", where=str(path))
            if int(f["SCHEMA_VERSION"][()]) > SCHEMA:
                raise FileError(
                    "the log is from a newer version", where=str(path), expected=f"schema {SCHEMA} or lower"
                )
            return _loaded(f)
    except (OSError, KeyError, ValueError, TypeError) as error:
        reason = getattr(error, "strerror", None) or " ".join(str(error).split())[:120]
        raise FileError("the log cannot be read", where=str(path), got=reason) from None


def _loaded(f: h5py.File) -> LogFile:
    groups = f["PHASES"]
    phases = [_loaded_phase(groups[str(k)]) for k in range(len(groups))]
    if not phases:
        raise ValueError("there are no phases in it")
    m = sum(len(phase.t) for phase in phases)
    signals = {}
    for name, group in f.get("SIGNALS", {}).items():
        values = np.asarray(group["value"], dtype=float)
        if values.shape != (m,):
            raise ValueError(f"signal {name} does not fit the times")
        signals[name] = (values, _read(group["unit"]))
    return LogFile(
        vehicle=_read(f["VEHICLE"]),
        phases=phases,
        signals=signals,
        events=[line for line in _read(f["EVENTS"]).split("\n") if line],
        info=json.loads(_read(f["INFO"])),
    )


def _loaded_phase(f: h5py.Group) -> LoggedPhase:
    t, q, v = (np.asarray(f[name], dtype=float) for name in ("TIME", "Q", "V"))
    if t.ndim != 1 or q.ndim != 2 or v.ndim != 2 or not len(t) == len(q) == len(v):
        raise ValueError("times and states do not fit each other")
    bodies = {}
    for name, group in f.get("BODIES", {}).items():
        part = {}
        for key, of in (("q", q), ("v", v), ("eta", q), ("etadot", v)):
            first, last = (int(k) for k in group[key][()])
            if not 0 <= first <= last <= of.shape[1]:
                raise ValueError(f"columns of body {name} are not in the log")
            part[key] = of[:, first:last]
        bodies[name] = LoggedBody(joint=_read(group["joint"]), parent=_read(group["parent"]), **part)
    return LoggedPhase(t, q, v, _read(f["VELOCITY_NAMES"]).split("\n"), bodies)


def _read(dataset: h5py.Dataset) -> str:
    value = dataset[()]
    return value.decode("utf-8") if isinstance(value, bytes) else str(value)
