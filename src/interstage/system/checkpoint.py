"""Checkpoints: where a flight is, down to the last bit.

A checkpoint holds the flat vectors, q, v, the ticks, what laws remember, how many rows the log had, and how the run was
made. It is written under another name, flushed to the disk and put in place, so that there is always a whole one.

The assembly itself is code, and no file of ours holds code: it is built as before and given, `resume(path, assembly)`.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import h5py
import numpy as np

from interstage.errors import FileError, InputError
from interstage.output import reason
from interstage.system.assembly import Assembly
from interstage.system.law import Law
from interstage.system.plan import Plan

if TYPE_CHECKING:
    from interstage.system.flight import Flight
    from interstage.system.flight_log import FlightLog

FORMAT = "interstage checkpoint"
SCHEMA = 1


def _owner(law: Law) -> Any:
    return getattr(law.function, "__self__", law.function)


def _laws(plan: Plan) -> list[tuple[str, Any]]:
    """Return full names of laws and the objects that remember for them."""
    found = [(part.path, _owner(part.what)) for part in plan.parts if isinstance(part.what, Law)]
    return [(path, owner) for path, owner in found if getattr(owner, "__dict__", None)]


def write_checkpoint(path: Path, flight: Flight) -> Path:
    """Write where a flight is; returns the path."""
    loop, trial = flight.loop, path.with_name(path.name + ".part")
    try:
        with h5py.File(trial, "w") as f:
            f.attrs["FORMAT"], f.attrs["SCHEMA_VERSION"] = FORMAT, SCHEMA
            f.attrs["options"] = json.dumps(flight.options)
            f.attrs["log"], f.attrs["every"] = str(flight.path), f"{flight.every} s"
            for kind, vector in loop.tapes.vectors.items():
                f[f"vectors/{kind if kind != 'Z' else 'zdot'}"] = vector
            f["q"], f["v"], f["rows"] = flight.q, flight.v, np.array(flight.log.counts())
            f["now"], f["next"] = loop.loop.now, loop.loop.sample_next
            tau, sites, wrenches = flight.base or no_base(flight.system.nv)
            f["base/tau"], f["base/sites"], f["base/wrenches"] = tau, sites, wrenches
            for name, array in flight.system.settings.arrays().items():
                f[f"settings/{name}"] = array
            for law, owner in _laws(flight.plan):
                _keep(f, law, vars(owner))
        with open(trial, "rb") as f:
            os.fsync(f.fileno())
        os.replace(trial, path)
    except OSError as err:
        raise FileError(f"the checkpoint cannot be written: {reason(err)}", where=str(path)) from err
    return path


def no_base(nv: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return that nothing acts beside devices."""
    return np.zeros(nv), np.zeros(0, dtype=np.int64), np.zeros((0, 10))


def _keep(file: h5py.File, law: str, memory: dict[str, Any]) -> None:
    """Write what a law remembers: numbers, arrays, words."""
    for name, value in memory.items():
        where = f"laws/{law}/{name}"
        if isinstance(value, str | bool | int | float | complex | np.ndarray | np.generic):
            file[where] = value
        elif value is None:
            file[where] = h5py.Empty("f8")
        else:
            raise InputError(
                f"what '{law}' remembers in '{name}' cannot be kept",
                expected="numbers, arrays or words",
                got=type(value).__name__,
                hint="a checkpoint holds these alone",
            )


def resume(path: str | Path, assembly: Assembly | None = None) -> FlightLog:
    """Go on from a checkpoint, bit for bit as if the run had not been broken, and return the whole log.

    assembly : as it was built before; a checkpoint holds numbers and no code
    """
    from interstage.system.flight import Flight
    from interstage.system.flight_file import FlightFile

    try:
        with h5py.File(path, "r") as f:
            if f.attrs.get("FORMAT") != FORMAT:
                raise FileError("not a checkpoint", where=str(path), expected="simulate(…, checkpoint=…)")
            options = json.loads(f.attrs["options"])
            if assembly is None:
                raise InputError(
                    "a checkpoint holds numbers, not the assembly",
                    where=str(path),
                    hint="build it as before and give it: resume(path, assembly)",
                )
            base = f["base/tau"][()], f["base/sites"][()], f["base/wrenches"][()]
            flight = Flight(assembly, None, **options, base=base)
            flight.write_to(f.attrs["log"], f.attrs["every"])
            _restore(f, flight, path)
            counts = f["rows"][()].tolist()
    except (OSError, KeyError) as err:
        raise FileError(f"the checkpoint cannot be read: {reason(err)}", where=str(path)) from err
    if flight.path is not None and flight.path.exists():
        old = FlightFile.load(flight.path)
        flight.log.take_rows([rows[:n] for (_, _, rows), n in zip(old.tables, counts)])
    return flight.run()


def _restore(file: h5py.File, flight: Flight, path: str | Path) -> None:
    """Put a flight where the checkpoint says."""
    loop = flight.loop
    pairs = [
        (vector, f"vectors/{kind if kind != 'Z' else 'zdot'}") for kind, vector in loop.tapes.vectors.items()
    ]
    inner = loop.loop
    pairs += [(flight.q, "q"), (flight.v, "v"), (inner.now, "now"), (inner.sample_next, "next")]
    pairs += [(array, f"settings/{name}") for name, array in flight.system.settings.arrays().items()]
    for array, name in pairs:
        if file[name].shape != array.shape:
            raise FileError(
                "the checkpoint is of another assembly",
                where=str(path),
                expected=f"{name} of shape {array.shape}",
                got=f"{file[name].shape}",
            )
        array[...] = file[name][()]
    for law, owner in _laws(flight.plan):
        group = file.get(f"laws/{law}")
        for name in group or ():
            value = group[name]
            vars(owner)[name] = None if value.shape is None else _plain(value)


def _plain(value: h5py.Dataset) -> Any:
    """Return a value as it was kept."""
    found = value[()]
    if isinstance(found, bytes):
        return found.decode()
    return found if isinstance(found, np.ndarray) else found.item()
