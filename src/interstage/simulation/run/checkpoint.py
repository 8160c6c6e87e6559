"""Checkpoints: where a run is, down to the last bit.

A checkpoint holds the flat vectors, q, v, the ticks, what laws remember, how many rows the log had, and how the run was
made. It is written under another name, brought to the disk and put in place, so that there is always a whole one.

What the numbers belong to is in the log beside it: the vehicle, members and wires, devices and laws by the names of
their code (`serialization`). `resume(path)` makes the assembly again from there; where its code has no name that leads
back to it, or is another now, the assembly is built as before and given: `resume(path, assembly)`.

FORMAT, SCHEMA_VERSION, TIME, LOG, EVERY       what this is, when, its log, time between checkpoints
OPTIONS                                        how the run was made (JSON)
VECTORS/..., Q, V, NOW, NEXT, ROWS             numbers of devices and vehicle, ticks, rows of each table of the log
STEP                                           that a solver of scipy tries next
LOADS/TEXT, ARRAYS/..., SETTINGS/...           what acts beside devices, what is switched
EVENTS/TEXT, ARRAYS/..., or REFUSED            the events of the run, or why they cannot be made again
WATCHED, NOTED                                 what is known of their conditions; how many have happened
LAWS/TEXT, ARRAYS/...                          what laws remember, by the names of their members
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import h5py
import numpy as np

from interstage.calls import named_arguments
from interstage.errors import FileError, InputError
from interstage.files import CHECKPOINT, check_version, expect
from interstage.hdf5 import (
    FileFault,
    Group,
    opened,
    put_array,
    put_text,
    write_hdf5,
)
from interstage.multibody.loads import Loads
from interstage.multibody.operating_point import OperatingPoint
from interstage.output import as_path, parse_json
from interstage.simulation.log.hdf5 import FlightRecord, arrays_in, put_arrays, read_flight
from interstage.simulation.plant.assembly import Assembly
from interstage.simulation.plant.clock import Period
from interstage.simulation.plant.python_block import laws_of, remember, remembered
from interstage.simulation.plant.serialization import Describer, NoName, Program, Restorer, refused
from interstage.simulation.run.events import Event

if TYPE_CHECKING:
    from interstage.simulation.log.log import Log
    from interstage.simulation.run.runner import Runner


SCHEMA = 3


def _vectors(running: Runner) -> dict[str, np.ndarray]:
    """Return the arrays of a run that change, by their names in a checkpoint."""
    run = running.integrator
    loop, inner = run.loop, run.loop.loop
    found = {f"VECTORS/{'zdot' if kind == 'Z' else kind}": v for kind, v in loop.tapes.vectors.items()}
    found |= {"Q": run.q, "V": run.v, "NOW": inner.now, "NEXT": inner.sample_next, "PACE": inner.pace}
    return found | {f"SETTINGS/{name}": a for name, a in run.system.settings.arrays().items()}


def write_checkpoint(path: Path, run: Runner) -> Path:
    """Write where a run is; returns the path."""
    describer = Describer()
    try:
        text = describer.text(remembered(laws_of(run.integrator.plan)))
    except NoName as why:
        raise InputError(
            "what a law remembers cannot be kept",
            got=str(why),
            hint="a checkpoint holds numbers, arrays, words and objects made of these",
        ) from None

    def fill(f: h5py.File) -> None:
        put_text(f, "FORMAT", CHECKPOINT.format)
        put_array(f, "SCHEMA_VERSION", SCHEMA)
        put_text(f, "OPTIONS", json.dumps(run.options))
        put_text(f, "LOG", str(run.path))
        put_array(f, "TIME", run.t)
        put_text(f, "EVERY", "" if run.every is None else f"{run.every} s")
        for name, array in _vectors(run).items():
            put_array(f, name, array)
        put_array(f, "ROWS", np.array(run.log.store.counts()))
        put_array(f, "STEP", 0.0 if run.integrator.scipy is None else run.integrator.scipy.solver.last or 0.0)
        put_array(f, "NOTED", len(run.log.events))
        if run.loads.acting is not None:
            _put_described(f.create_group("LOADS"), run.loads.acting.loads)
        if run.spec.events:
            _put_described(f.create_group("EVENTS"), list(run.spec.events))
        if run.locator is not None:
            put_array(f, "WATCHED", run.locator.known())
        put_text(f, "LAWS/TEXT", text)
        put_arrays(f.create_group("LAWS/ARRAYS"), describer.arrays)

    return write_hdf5(path, fill, CHECKPOINT.words)


def _put_described(group: h5py.Group, value: object) -> None:
    """Write an object, or why it cannot be made again."""
    describer = Describer()
    try:
        put_text(group, "TEXT", describer.text(value))
    except NoName as why:
        put_text(group, "REFUSED", str(why))
        return
    put_arrays(group.create_group("ARRAYS"), describer.arrays)


@dataclass
class Checkpoint:
    """What a checkpoint says of itself; `resume` goes on from it.

    t : time of the flight;  log : file of its rows;  every : time between checkpoints
    options : how the run was made;  rows : of each table of the log
    acts : whether loads act beside devices;  events : names of those that the run watches for;  noted : events so far

    Nothing that the file names is looked up or made.
    """

    path: Path
    t: float
    log: Path
    every: str | None
    options: dict[str, object]
    rows: list[int]
    acts: bool
    noted: int
    events: list[str]

    @classmethod
    def load(cls, path: str | Path) -> Checkpoint:
        """Read a checkpoint; its log is looked for beside it first."""
        path = as_path(path, "checkpoint")
        expect(path, CHECKPOINT)
        with opened(path, CHECKPOINT.words) as f:
            if not f.has("FORMAT") or f.text("FORMAT") != CHECKPOINT.format:
                raise FileError("this HDF5 file is not a checkpoint", where=str(path))
            check_version(f.number("SCHEMA_VERSION"), SCHEMA, CHECKPOINT, path)
            log = Path(f.text("LOG"))
            beside = path.with_name(log.name)
            return cls(
                path,
                f.number("TIME"),
                beside if beside.exists() or not log.exists() else log,
                f.text("EVERY") or None,
                _options(f),
                f.array("ROWS", (None,), "i").tolist(),
                f.has("LOADS"),
                int(f.number("NOTED")),
                _event_names(f.child("EVENTS")) if f.has("EVENTS") else [],
            )


def _options(f: Group) -> dict[str, object]:
    """Return how the run was made, as `RunSpec.options` says it."""
    from interstage.simulation.run.spec import OPTIONS

    told = parse_json(f.text("OPTIONS"))
    if not isinstance(told, dict) or not {"until"} <= told.keys() <= set(OPTIONS):
        raise FileFault("'OPTIONS' is not how a run is made")
    return told


def _event_names(group: Group) -> list[str]:
    """Return the names of events that a group describes, as far as it does."""
    if not group.has("TEXT"):
        return []
    told = parse_json(group.text("TEXT"))
    objects = told.get("objects") if isinstance(told, dict) else None
    held = [one.get("attributes") for one in objects or [] if isinstance(one, dict)]
    names = [one.get("name") for one in held if isinstance(one, dict) and "action" in one]
    return [name for name in names if isinstance(name, str)]


def _found_in(f: Group, name: str, nothing: Any, program: Program) -> Any:
    """Return the object of a group, what stands for none, or why it cannot be made again."""
    if not f.has(name):
        return nothing
    group = f.child(name)
    if group.has("REFUSED"):
        return group.text("REFUSED")
    arrays = arrays_in(group.child("ARRAYS"))
    try:
        return Restorer(arrays.__getitem__, [], program).value(group.text("TEXT"))
    except NoName as why:
        return str(why)


def _given(path: Path, events: Sequence[Event] | None, program: Program) -> tuple[Any, Loads | None]:
    """Return the events of a run, those that are given or of the file, and what acts beside devices."""
    with opened(path, CHECKPOINT.words) as f:
        again = _found_in(f, "EVENTS", [], program) if events is None else events
        loads = _found_in(f, "LOADS", None, program)
    if isinstance(again, str):
        raise InputError(
            f"the events cannot be made again from their file: {again}",
            where=str(path),
            hint="give them as before: ist.resume(path, assembly, events=[...])",
        )
    if isinstance(loads, str):
        raise InputError(
            f"what acts cannot be made again from its file: {loads}",
            where=str(path),
            hint="a function of time that acts beside checkpoints has a name: def it in a module",
        )
    known = isinstance(again, Sequence) and all(isinstance(one, Event) for one in again)
    if not known or not isinstance(loads, Loads | None):
        raise FileError("what the checkpoint describes are no events and loads", where=str(path))
    return again, loads


@named_arguments
def resume(
    path: str | Path,
    assembly: Assembly | None = None,
    events: Sequence[Event] | None = None,
    until: Period | None = None,
    modules: Sequence[str] = (),
) -> Log:
    """Go on from a checkpoint, bit for bit as if the run had not been broken, and return the whole log.

    assembly : as it was built before, where the checkpoint alone does not do. Without it the assembly is made again
        from the log beside the checkpoint: classes of devices and laws that it names are found in the script that runs
        and in modules that the program has imported, and must be what they were
    events : those of the run, in the same order, where their functions have no names that lead back to them
    until : another end than that of the run, whatever falls there: no step before it depends on the end
    modules : names of more modules whose code the files may use; they are imported. Modules of Python's library and
        of installed packages are used only where they are named here
    """
    from interstage.simulation.run.runner import Runner
    from interstage.simulation.run.spec import RunSpec

    program, found = Program(modules), Checkpoint.load(path)
    old = read_flight(found.log)
    given = _made_again(old, found.path, program) if assembly is None else assembly
    again, loads = _given(found.path, events, program)
    how: Any = {**found.options, "events": again, "loads": loads, "resumed": True}
    run = Runner(RunSpec(given, _first_point(given, old, found, loads), **how))
    run.write_to(found.log, found.every)
    with opened(found.path, CHECKPOINT.words) as f:
        for name, array in _vectors(run).items():
            if name.startswith("VECTORS/"):  # the vehicle may have changed, devices have not
                _array(f, name, array, found.path)
        _take_rows(run, old, found)
        run.parts.handler.take_up(run.log.store.systems, loads)
        _restore(f, run, found.path, program)
    if until is not None:
        run.end_at(until)
    try:
        return run.run()
    except FileFault as fault:
        raise FileError(f"the log does not belong to the checkpoint: {fault}", where=str(found.log)) from None


def _made_again(old: FlightRecord, path: Path, program: Program) -> Assembly:
    if old.restore is None:
        raise refused("there is none in the log", str(path))
    try:
        made = old.restore(program)
    except NoName as why:
        raise refused(str(why), str(path)) from None
    if not isinstance(made, Assembly):
        raise FileError("what the log describes is no assembly", where=str(path))
    return made


def _first_point(
    assembly: Assembly, old: FlightRecord, found: Checkpoint, loads: Loads | None
) -> OperatingPoint | None:
    """Return where a run began that began on a changed vehicle, from a point of another run; None for the others."""
    from interstage.simulation.log.log import Log

    kept = old.contents.points
    if assembly.vehicle is None or kept is None or not kept.begun:
        return None
    point = Log.load(found.log).point(0).with_loads(Loads.of(old.system) if loads is None else loads)
    assert point.run is not None
    point.run = replace(point.run, lacking="", unloaded="", forgotten=())
    return point


def _take_rows(run: Runner, old: FlightRecord, found: Checkpoint) -> None:
    """Give a run the rows that its log had at the checkpoint."""
    fits = len(old.tables) == len(found.rows) and all(
        len(t) >= n >= 0 for t, n in zip(old.tables, found.rows)
    )
    if not fits or [names for names, _ in old.contents.tables] != [n for n, _ in run.log.contents.tables]:
        raise FileError("the log does not belong to the checkpoint", where=str(found.log))
    run.log.store.take_rows(old.tables, found.rows)
    kept, its = run.log.contents.points, old.contents.points
    if kept is not None and its is not None:  # what was sampled before the run holds until its first samples
        kept.start.update(its.start)
    run.log.events = old.events[: found.noted]


def _array(file: Group, name: str, like: np.ndarray, path: Path) -> np.ndarray:
    """Return an array of a checkpoint, which must have the shape of another."""
    *groups, last = name.split("/")
    group = file.child(groups[0]) if groups else file
    found = group.dataset(last)
    if found.shape != like.shape:
        raise FileError(
            "the checkpoint is of another assembly",
            where=str(path),
            expected=f"{name} of shape {like.shape}",
            got=f"{found.shape}",
        )
    return group.array(last, like.shape, "i" if like.dtype.kind == "i" else "f", finite=False)


def _restore(file: Group, run: Runner, path: Path, program: Program) -> None:
    """Put a run where the checkpoint says."""
    for name, array in _vectors(run).items():
        array[...] = _array(file, name, array, path)
    run.integrator.system.settings.check_values()
    run.integrator.loop.check_place(file.number("TIME"))
    if run.integrator.scipy is not None:
        run.integrator.scipy.solver.last = file.number("STEP") or None
    if run.locator is not None and file.has("WATCHED"):
        run.locator.take_up(file.array("WATCHED", (None, None), finite=False))
    group = file.child("LAWS")
    arrays = arrays_in(group.child("ARRAYS"))
    try:
        memory = Restorer(arrays.__getitem__, [], program).value(group.text("TEXT"))
    except NoName as why:
        raise refused(str(why), str(path)) from None
    laws = laws_of(run.integrator.plan)
    if not {name.removesuffix("()") for name in memory} <= laws.keys():
        raise FileFault("the checkpoint is of another assembly: it has other laws")
    remember(laws, memory)
