"""Phases of a flight: stretches between changes of the vehicle or its state, in memory and in the file that grows.

A file that grows takes no new datasets, so that phases are tables more, empty where nothing has changed:

STATES (n,)    q and v of the rows of phases whose sizes are not those of the first, one after the other; the columns
               of these rows in the table of steps are NaN
CHANGES (n,)   bytes: the vehicles of phases as small HDF5 files, one after the other
BOOKED (m, 15) of each event: time, momentum [h; p] before and after, energy before and after
PHASES (m, 2)  of each phase after the first: its first row in the table of steps, where the bytes of its vehicle end;
               no bytes: it is that of the phase before
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TypeAlias

import h5py
import numpy as np

from interstage.hdf5 import Fault, file_image, opened
from interstage.multibody import System
from interstage.multibody.model_file import put_system, system_in
from interstage.system.events import EventRecord
from interstage.system.phases import Phase
from interstage.system.replay import Acted, FlightPhase

# names, dtypes and shapes of a row
Tables: TypeAlias = tuple[tuple[str, str, tuple[int, ...]], ...]
TABLES: Tables = (
    ("STATES", "f8", ()),
    ("CHANGES", "u1", ()),
    ("BOOKED", "f8", (15,)),
    ("PHASES", "i8", (2,)),
)
STATES, CHANGES, BOOKED, PHASES = range(4)
WORDS = "vehicle of a phase"
CHUNK = 1 << 12


def no_rows(tables: Tables = TABLES) -> list[np.ndarray]:
    """Return the tables of a flight in which nothing changes."""
    return [np.zeros((0, *shape), dtype) for _, dtype, shape in tables]


def create(file: h5py.File, tables: Tables = TABLES) -> list[h5py.Dataset]:
    """Return the tables in a file, empty."""
    return [
        file.create_dataset(
            name, (0, *shape), maxshape=(None, *shape), chunks=(64 if shape else CHUNK, *shape), dtype=dtype
        )
        for name, dtype, shape in tables
    ]


def alike(a: System, b: System) -> bool:
    """Return whether states of two vehicles have the same sizes."""
    return (a.nq, a.nv) == (b.nq, b.nv)


def image_of(system: System, before: System) -> np.ndarray:
    """Return the bytes (n,) of a vehicle that comes after another: none where it is the same."""
    if system is before:
        return np.zeros(0, np.uint8)
    image = file_image(lambda f: put_system(f, system, system.model is not before.model), WORDS)
    return np.frombuffer(image, np.uint8)


def systems_of(tables: Sequence[np.ndarray], first: System, known: Sequence[System] = ()) -> list[System]:
    """Return the vehicles of all phases, that of the first given; known : those that were read before."""
    found, begin, data = [first], 0, tables[CHANGES].astype(np.uint8)
    for _, end in tables[PHASES].tolist():
        if not begin <= end <= len(data):
            raise Fault("'PHASES' has vehicles that are not there")
        found.append(known[len(found)] if len(found) < len(known) else _system(data[begin:end], found[-1]))
        begin = end
    return found


def _system(image: np.ndarray, before: System) -> System:
    if not len(image):
        return before
    with TemporaryDirectory() as folder:
        path = Path(folder) / "vehicle.h5"
        image.tofile(path)
        with opened(path, WORDS) as f:
            return system_in(f, path, before)


def phases_of(
    logged: Sequence[np.ndarray],
    tables: Sequence[np.ndarray],
    systems: Sequence[System],
    masses_at: tuple[Mapping[str, Sequence[int]], Mapping[str, int]],
    acted: Sequence[Acted | None],
) -> list[Phase]:
    """Return the phases of tables of steps and samples; a phase that has no rows yet is left out.

    masses_at : {body: columns of steps} with the mass properties of bodies whose mass changes, {tank: column}
    acted : what is known of what acted, of each phase; none of a log from a file
    """
    (steps, *samples), first, at = logged, systems[0], 0
    inertia, propellant = masses_at
    known = acted if len(acted) == len(systems) else [None] * len(systems)
    begins = [0, *tables[PHASES][:, 0].tolist()]
    models = tuple({id(one.model): one.model for one in systems}.values())
    found: list[Phase] = []
    for number, (system, begin, end, what) in enumerate(
        zip(systems, begins, [*begins[1:], len(steps)], known)
    ):
        rows = steps[begin : min(end, len(steps))]
        q, v = rows[:, 1 : 1 + first.nq], rows[:, 1 + first.nq : 1 + first.nq + first.nv]
        if not alike(system, first):
            width = system.nq + system.nv
            if at + len(rows) * width > len(tables[STATES]):
                raise Fault("'STATES' has not the states of all phases")
            states = tables[STATES][at : at + len(rows) * width].reshape(len(rows), width)
            at += states.size
            q, v = states[:, : system.nq], states[:, system.nq :]
        if len(rows) or not found:
            q, v = np.ascontiguousarray(q), np.ascontiguousarray(v)
            masses = {body: rows[:, columns] for body, columns in inertia.items() if body in system.layout}
            tanks = {
                tank: rows[:, column] for tank, column in propellant.items() if tank in system.propellant
            }
            t = rows[:, 0].copy()
            if what is None:
                found.append(Phase(system, t, q, v, inertia=masses, propellant=tanks))
            elif what.alone:
                inputs = what.inputs_at(system, rows, samples)
                found.append(Phase(system, t, q, v, what.dense or None, inputs, masses, tanks))
            else:
                found.append(FlightPhase(system, t, q, v, (masses, tanks), what, (rows, samples)))
            found[-1].vehicles = tuple(systems[: number + 1])
            found[-1].others = models
    return found


def split(rows: np.ndarray, system: System, first: System) -> tuple[np.ndarray, np.ndarray]:
    """Return rows of steps as the table of steps has them, and their states (n,) where sizes are others."""
    if alike(system, first):
        return rows, np.zeros(0)
    width = system.nq + system.nv
    gap = np.full((len(rows), first.nq + first.nv), np.nan)
    return np.hstack([rows[:, :1], gap, rows[:, 1 + width :]]), rows[:, 1 : 1 + width].ravel()


def booked(event: EventRecord) -> np.ndarray:
    """Return the row (1, 15) of an event."""
    sums = event.momentum_before, event.momentum_after
    return np.concatenate([[event.t], *sums, [event.energy_before, event.energy_after]])[None]


def with_books(events: Sequence[EventRecord], rows: np.ndarray) -> list[EventRecord]:
    """Return events, known by their texts, with what was booked of them; those without are as they are."""
    known = [
        EventRecord(float(row[0]), one.name, one.what, row[1:7], row[7:13], float(row[13]), float(row[14]))
        for one, row in zip(events, rows)
    ]
    return known + list(events[len(known) :])
