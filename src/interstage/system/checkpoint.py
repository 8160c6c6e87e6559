"""Checkpoints: where a flight is, down to the last bit.

A checkpoint holds the flat vectors, q, v, the ticks, what laws remember, how many rows the log had, and how the run was
made. It is written under another name, brought to the disk and put in place, so that there is always a whole one.

What the numbers belong to is in the log beside it: the vehicle, members and wires, devices and laws by the names of
their code (`described`). `resume(path)` makes the assembly again from there; where its code has no name that leads back
to it, or is another now, the assembly is built as before and given: `resume(path, assembly)`.

FORMAT, SCHEMA_VERSION, TIME, LOG, EVERY       what this is, when, its log, time between checkpoints
OPTIONS                                        how the run was made (JSON)
VECTORS/..., Q, V, NOW, NEXT, ROWS             numbers of devices and vehicle, ticks, rows of each table of the log
STEP                                           that a solver of scipy tries next
BASE/tau, places, wrenches, SETTINGS/...       what acts beside devices, what is switched
LAWS/TEXT, ARRAYS/...                          what laws remember, by the names of their members
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from inspect import signature
from pathlib import Path
from types import FunctionType, MethodType
from typing import TYPE_CHECKING, Any

import h5py
import numpy as np

from interstage.errors import FileError, InputError
from interstage.files import CHECKPOINT, check_version, expect
from interstage.hdf5 import Fault, Group, opened, put_text, write_hdf5
from interstage.multibody import System
from interstage.multibody.places import located
from interstage.output import as_path
from interstage.system.assembly import Assembly
from interstage.system.code_names import NoName, refused
from interstage.system.described import Describer, Restorer, memory_of, put_attributes
from interstage.system.flight_file import FlightRecord, arrays_in, put_arrays, read_flight
from interstage.system.law import Law
from interstage.system.plan import Plan

if TYPE_CHECKING:
    from interstage.system.flight import Flight
    from interstage.system.flight_log import FlightLog

SCHEMA = 1


def _owner(law: Law) -> Any:
    return getattr(law.function, "__self__", law.function)


def _laws(plan: Plan) -> dict[str, Law]:
    """Return the laws by their full names."""
    return {part.path: part.what for part in plan.parts if isinstance(part.what, Law)}


def _function(law: Law) -> Any:
    """Return the function that a law calls: its own, or that of a class."""
    called = (
        law.function if isinstance(law.function, FunctionType | MethodType) else type(law.function).__call__
    )
    return getattr(called, "__func__", called)


def _defaults(law: Law) -> dict[str, Any]:
    """Return defaults of arguments that can change, by name: a law may remember in them."""
    found = {}
    function = _function(law)
    if isinstance(function, FunctionType):
        for name, one in signature(function).parameters.items():
            fixed = None | bool | int | float | complex | str | bytes | tuple | type | np.generic
            if (
                one.default is not one.empty
                and not isinstance(one.default, fixed)
                and not callable(one.default)
            ):
                found[name] = one.default
    return found


def _put_defaults(law: Law, held: dict[str, Any]) -> None:
    """Let arguments have these defaults."""
    function = _function(law)
    for name in held.keys() & (function.__kwdefaults__ or {}).keys():
        function.__kwdefaults__[name] = held[name]
    if function.__defaults__:
        code = function.__code__
        names = code.co_varnames[: code.co_argcount][-len(function.__defaults__) :]
        function.__defaults__ = tuple(held.get(n, v) for n, v in zip(names, function.__defaults__))


def _memory(plan: Plan) -> dict[str, dict[str, Any]]:
    """Return what laws remember by their full names: in attributes, and ("name()") in defaults of arguments."""
    laws = _laws(plan)
    found = {path: memory_of(_owner(law)) for path, law in laws.items()}
    found |= {f"{path}()": _defaults(law) for path, law in laws.items()}
    return {name: held for name, held in found.items() if held}


def _vectors(flight: Flight) -> dict[str, np.ndarray]:
    """Return the arrays of a flight that change, by their names in a checkpoint."""
    loop, inner = flight.loop, flight.loop.loop
    found = {f"VECTORS/{'zdot' if kind == 'Z' else kind}": v for kind, v in loop.tapes.vectors.items()}
    found |= {"Q": flight.q, "V": flight.v, "NOW": inner.now, "NEXT": inner.sample_next, "PACE": inner.pace}
    return found | {f"SETTINGS/{name}": a for name, a in flight.system.settings.arrays().items()}


def write_checkpoint(path: Path, flight: Flight) -> Path:
    """Write where a flight is; returns the path."""
    describer = Describer()
    try:
        text = describer.text(_memory(flight.plan))
    except NoName as why:
        raise InputError(
            "what a law remembers cannot be kept",
            got=str(why),
            hint="a checkpoint holds numbers, arrays, words and objects made of these",
        ) from None

    def fill(f: h5py.File) -> None:
        put_text(f, "FORMAT", CHECKPOINT.format)
        f["SCHEMA_VERSION"] = SCHEMA
        put_text(f, "OPTIONS", json.dumps(flight.options))
        put_text(f, "LOG", str(flight.path))
        f["TIME"] = flight.t
        put_text(f, "EVERY", "" if flight.every is None else f"{flight.every} s")
        for name, array in _vectors(flight).items():
            f[name] = array
        f["ROWS"] = np.array(flight.log.counts())
        f["STEP"] = 0.0 if flight.scipy is None else flight.scipy.solver.last or 0.0
        tau, sites, wrenches = flight.base or no_base(flight.system.nv)
        f["BASE/tau"], f["BASE/wrenches"] = tau, wrenches
        f["BASE/places"] = _places(flight.system, sites)
        put_text(f, "LAWS/TEXT", text)
        put_arrays(f.create_group("LAWS/ARRAYS"), describer.arrays)

    return write_hdf5(path, fill, CHECKPOINT.words)


def no_base(nv: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return that nothing acts beside devices."""
    return np.zeros(nv), np.zeros(0, dtype=np.int64), np.zeros((0, 10))


@dataclass
class Checkpoint:
    """What a checkpoint says of itself; `resume` goes on from it.

    t : time of the flight;  log : file of its rows;  every : time between checkpoints
    options : how the run was made;  rows : of each table of the log
    base : what acts beside devices: tau (nv,), places (m, 2), wrenches (m, 10)
    """

    path: Path
    t: float
    log: Path
    every: str | None
    options: dict[str, object]
    rows: list[int]
    base: tuple[np.ndarray, np.ndarray, np.ndarray] = field(repr=False)

    @classmethod
    def load(cls, path: str | Path) -> Checkpoint:
        """Read a checkpoint; its log is looked for beside it first."""
        path = as_path(path, "checkpoint")
        expect(path, CHECKPOINT)
        with opened(path, CHECKPOINT.words) as f:
            if not f.has("FORMAT") or f.text("FORMAT") != CHECKPOINT.format:
                raise FileError("this HDF5 file is not a checkpoint", where=str(path))
            check_version(f.number("SCHEMA_VERSION"), SCHEMA, CHECKPOINT, path)
            log, base = Path(f.text("LOG")), f.child("BASE")
            beside = path.with_name(log.name)
            return cls(
                path,
                f.number("TIME"),
                beside if beside.exists() or not log.exists() else log,
                f.text("EVERY") or None,
                json.loads(f.text("OPTIONS")),
                f.array("ROWS", (None,), "i").tolist(),
                (
                    base.array("tau", (None,)),
                    base.array("places", (None, 2), "i"),
                    base.array("wrenches", (None, 10)),
                ),
            )


def resume(path: str | Path, assembly: Assembly | None = None) -> FlightLog:
    """Go on from a checkpoint, bit for bit as if the run had not been broken, and return the whole log.

    assembly : as it was built before, where the checkpoint alone does not do. Without it the assembly is made again
        from the log beside the checkpoint: code that it names (classes of devices, laws) is found in modules that are
        loaded, in the script that runs, or imported, and must be what it was. Resume a file as you would run a script
    """
    from interstage.system.flight import Flight

    found = Checkpoint.load(path)
    old = read_flight(found.log)
    given = _made_again(old, found.path) if assembly is None else assembly
    tau, places, wrenches = found.base
    base = tau, _sites(given, places), wrenches
    flight = Flight(given, None, **found.options, base=base)  # type: ignore[arg-type]
    flight.write_to(found.log, found.every)
    with opened(found.path, CHECKPOINT.words) as f:
        _restore(f, flight, found.path)
    _take_rows(flight, old, found)
    return flight.run()


def _places(system: System, sites: np.ndarray) -> np.ndarray:
    """Return body and node (m, 2) of sites; of a rigid body, which has no site, its number in the engine and -1."""
    keys = {number: key for key, number in system.site_rows.items()}
    return np.array([keys[n] if n >= 0 else (n, -1) for n in sites.tolist()], dtype=np.int64).reshape(-1, 2)


def _sites(assembly: Assembly, places: np.ndarray) -> np.ndarray:
    """Return the sites of places on the vehicle of an assembly, which may number them otherwise."""
    vehicle = assembly.vehicle
    if vehicle is None or not len(places):
        return places[:, 0]
    names = vehicle.bodies
    if not all(-len(names) <= body < len(names) for body in places[:, 0]):
        raise Fault("what acts beside devices acts on bodies that are not there")
    flexible = [(names[body], int(node)) for body, node in places if body >= 0]
    found = iter(located(vehicle, flexible)[0].tolist())
    return np.array([body if body < 0 else next(found) for body, _ in places.tolist()], dtype=np.int64)


def _made_again(old: FlightRecord, path: Path) -> Assembly:
    if old.restore is None:
        raise refused("there is none in the log", str(path))
    try:
        return old.restore()
    except NoName as why:
        raise refused(str(why), str(path)) from None


def _take_rows(flight: Flight, old: FlightRecord, found: Checkpoint) -> None:
    """Give a flight the rows that its log had at the checkpoint."""
    fits = len(old.tables) == len(found.rows) and all(len(t) >= n for t, n in zip(old.tables, found.rows))
    if not fits or [names for names, _ in old.contents.tables] != [n for n, _ in flight.log.contents.tables]:
        raise FileError("the log does not belong to the checkpoint", where=str(found.log))
    flight.log.take_rows(old.tables, found.rows)
    flight.log.events = [event for event in old.events if event.t <= flight.t]


def _restore(file: Group, flight: Flight, path: Path) -> None:
    """Put a flight where the checkpoint says."""
    for name, array in _vectors(flight).items():
        *groups, last = name.split("/")
        group = file.child(groups[0]) if groups else file
        found = group.dataset(last)
        if found.shape != array.shape:
            raise FileError(
                "the checkpoint is of another assembly",
                where=str(path),
                expected=f"{name} of shape {array.shape}",
                got=f"{found.shape}",
            )
        array[...] = group.array(last, array.shape, "i" if array.dtype.kind == "i" else "f", finite=False)
    if flight.scipy is not None:
        flight.scipy.solver.last = file.number("STEP") or None
    group = file.child("LAWS")
    arrays = arrays_in(group.child("ARRAYS"))
    try:
        memory = Restorer(arrays.__getitem__, []).value(group.text("TEXT"))
    except NoName as why:
        raise refused(str(why), str(path)) from None
    laws = _laws(flight.plan)
    if not {name.removesuffix("()") for name in memory} <= laws.keys():
        raise Fault("the checkpoint is of another assembly: it has other laws")
    for name, held in memory.items():
        if name in laws:
            put_attributes(_owner(laws[name]), held)
        else:
            _put_defaults(laws[name.removesuffix("()")], held)
