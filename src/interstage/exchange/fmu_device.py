"""A functional mock-up unit of another tool as a device: co-simulation of FMI 2.0 and 3.0, run by FMPy.

A unit is code: whoever adds one runs what is in it. It is sampled: at a tick it first steps from the tick before with
the inputs that it had then, takes those of now, and shows its outputs, which are held until the next tick.
"""

from __future__ import annotations

import inspect
import os
import re
import tempfile
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from interstage.calls import named_arguments
from interstage.errors import FileError, InputError, did_you_mean
from interstage.output import as_path, check_unpacked, reason
from interstage.reading import check_plain
from interstage.units import unit

LEAST_UNPACKED = 64 << 20  # bytes: code and tables of a small unit; beyond, a hundred times its own size
REAL = ("Real", "Float64", "Float32")
_INDEXED = re.compile(r"(.+?)\[(\d+)\]")
_BASES = (
    ("kg", "kg"),
    ("m", "m"),
    ("s", "s"),
    ("A", "A"),
    ("K", "K"),
    ("mol", "mol"),
    ("cd", "cd"),
    ("rad", "rad"),
)


@dataclass
class _PortOf:
    """A port and the variables that it is: their names, references and how many numbers they have together."""

    name: str
    unit: str
    variables: list[str]
    references: list[int]
    size: int | None

    @property
    def declaration(self) -> str:
        """As devices declare ports, "rad/s[3]"."""
        return self.unit if self.size is None else f"{self.unit}[{self.size}]"


@named_arguments
class FMUDevice:
    """A unit of co-simulation as a device; its real inputs and outputs are the ports, with the units that it tells.

        flight.add("engine", ist.FMUDevice("engine.fmu", start={"tank.level": 0.8}), every="10 ms")

    Names of ports are those of variables with anything but letters and digits as "_"; x[0], x[1], ... are one port.
    What the unit remembers is its own: a run that begins starts it anew, and checkpoints refuse it. Trims and linear
    models do not run it: they hold what it says.

    path : the .fmu file, whose binary must be for this machine;  start : {variable: value} of parameters and states
    ports : {port: its variables};  notes : what is not connected
    """

    sampled = True  # never continuous
    outside = True  # only runs may call it: what it remembers cannot be put back

    def __init__(self, path: str | os.PathLike[str], *, start: Mapping[str, float] | None = None):
        self.path, self.start, self.notes = as_path(path, "FMU"), dict(start or {}), list[str]()
        fmpy = _fmpy()
        self._folder = tempfile.TemporaryDirectory(prefix="interstage-fmu-")
        self._told = _description(fmpy, self.path, self._folder.name)
        known = {v.name: v for v in self._told.modelVariables}
        for name in self.start:
            if name not in known:
                raise InputError(
                    f"the unit has no variable '{name}'",
                    where=f"{self.path}, start",
                    hint=did_you_mean(name, known),
                )
        taken: set[str] = {"t", "time"}
        self._in = _ports(self._told, "input", taken, self.notes)
        self._out = _ports(self._told, "output", taken, self.notes)
        self.inputs = {port.name: port.declaration for port in self._in}
        self.out = {port.name: port.declaration for port in self._out}
        self.ports = {port.name: list(port.variables) for port in (*self._in, *self._out)}
        self._set = [(known[name], float(value)) for name, value in self.start.items()]
        arguments = [inspect.Parameter("t", inspect.Parameter.POSITIONAL_OR_KEYWORD)]
        arguments += [inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY) for name in self.inputs]
        self.__signature__ = inspect.Signature(arguments)
        self._running: Any = None
        self._time = 0.0

    def __call__(self, t: float, **values: ArrayLike) -> dict[str, object]:
        """Step to a tick, take the inputs and return the outputs."""
        if self._running is None or t < self._time:
            self._begin(t)
        elif t > self._time:
            self._running.doStep(currentCommunicationPoint=self._time, communicationStepSize=t - self._time)
            self._time = t
        for port in self._in:
            self._put(port.references, np.ravel(np.asarray(values[port.name], dtype=float)))
        found: dict[str, object] = {}
        for port in self._out:
            numbers = self._get(port.references, port.size or 1)
            found[port.name] = float(numbers[0]) if port.size is None else numbers
        return found

    def begin(self) -> None:
        """Let a run begin: the unit starts anew at its first tick."""
        if self._running is not None:
            self._running.terminate()
            self._running.freeInstance()
            self._running = None

    def close(self) -> None:
        """End the unit and remove its unpacked files."""
        self.begin()
        self._folder.cleanup()

    def __repr__(self) -> str:
        return f"FMUDevice('{self.path.name}': {', '.join(self.inputs)} → {', '.join(self.out)})"

    def _begin(self, t: float) -> None:
        """Start the unit at a time, with the start values."""
        self.begin()
        made = import_module("fmpy.simulation").instantiate_fmu(self._folder.name, self._told, "CoSimulation")
        two = self._told.fmiVersion.startswith("2")
        if two:
            made.setupExperiment(startTime=t)
        self._running = made
        for variable, value in self._set:
            self._put([variable.valueReference], [value])
        made.enterInitializationMode() if two else made.enterInitializationMode(startTime=t)
        made.exitInitializationMode()
        self._time = t

    def _put(self, references: list[int], values: Sequence[float] | np.ndarray) -> None:
        two = self._told.fmiVersion.startswith("2")
        (self._running.setReal if two else self._running.setFloat64)(references, [float(v) for v in values])

    def _get(self, references: list[int], count: int) -> np.ndarray:
        if self._told.fmiVersion.startswith("2"):
            return np.array(self._running.getReal(references))
        return np.array(self._running.getFloat64(references, nValues=count))


def _fmpy() -> Any:
    try:
        return import_module("fmpy")
    except ImportError:
        raise InputError(
            "units are run by FMPy, which is not installed", where="FMUDevice", hint="pip install fmpy"
        ) from None


def _description(fmpy: Any, path: os.PathLike[str], folder: str) -> Any:
    """Unpack a unit and return what it says of itself."""
    try:
        check_plain(path, "FMU")
        with zipfile.ZipFile(path) as packed:
            check_unpacked(sum(entry.file_size for entry in packed.infolist()), path, LEAST_UNPACKED)
        fmpy.extract(str(path), unzipdir=folder)
        told = fmpy.read_model_description(folder, validate=False)
    except FileError:
        raise
    except Exception as error:  # FMPy raises whatever its parsers do
        raise FileError("this is no functional mock-up unit", where=str(path), got=reason(error)) from None
    if told.fmiVersion[:1] not in "23" or told.coSimulation is None:
        raise FileError(
            "the unit cannot be a device",
            where=str(path),
            expected="co-simulation of FMI 2.0 or 3.0",
            got=f"FMI {told.fmiVersion}, {'model exchange alone' if told.coSimulation is None else 'co-simulation'}",
        )
    return told


def _ports(told: Any, causality: str, taken: set[str], notes: list[str]) -> list[_PortOf]:
    """Return the ports of one direction; variables x[k], x[k+1], ... of one unit are one."""
    found: list[_PortOf] = []
    last: tuple[str, int, str] | None = None
    for variable in told.modelVariables:
        if variable.causality != causality:
            continue
        # references of Float32 need other calls
        if variable.type not in REAL[:2]:
            notes.append(
                f"{causality} '{variable.name}' is {variable.type}, not a real number: it is not connected"
            )
            continue
        words, many = _unit(told, variable, notes), _count(variable, notes)
        if many == 0:
            continue
        indexed = _INDEXED.fullmatch(variable.name) if many is None else None
        base, index = (indexed[1], int(indexed[2])) if indexed else (variable.name, -1)
        if indexed and last == (base, index - 1, words):
            found[-1].variables.append(variable.name)
            found[-1].references.append(variable.valueReference)
            found[-1].size = len(found[-1].references)
        else:
            size = 1 if indexed else many
            found.append(
                _PortOf(_fresh(base, taken), words, [variable.name], [variable.valueReference], size)
            )
        last = (base, index, words) if indexed else None
    return found


def _fresh(text: str, taken: set[str]) -> str:
    """Return a name for a port that no other has."""
    plain = re.sub(r"\W+", "_", text, flags=re.ASCII).strip("_") or "port"
    plain = f"v_{plain}" if plain[0].isdigit() else plain
    name, k = plain, 2
    while name in taken:
        name, k = f"{plain}_{k}", k + 1
    taken.add(name)
    return name


def _count(variable: Any, notes: list[str]) -> int | None:
    """Return how many numbers a variable has, None: one that is no array, 0: it is not known."""
    sides = getattr(variable, "dimensions", None) or []
    if not sides:
        return None
    if any(getattr(side, "start", None) is None for side in sides):
        notes.append(f"the size of '{variable.name}' is another variable's: it is not connected")
        return 0
    return int(np.prod([int(side.start) for side in sides]))


def _unit(told: Any, variable: Any, notes: list[str]) -> str:
    """Return the unit of a variable in our words, "1" where it tells none or one that is not known."""
    text = variable.unit or (getattr(variable.declaredType, "unit", None) if variable.declaredType else None)
    if not text:
        return "1"
    for words in (text, re.sub(r"(?<=[A-Za-z])(-?\d+)", r"^\1", text).replace(".", "*")):
        try:
            unit(words)
            return words
        except InputError:
            continue
    base = next((u.baseUnit for u in told.unitDefinitions if u.name == text), None)
    if base is not None and float(base.factor or 1.0) == 1.0 and float(base.offset or 0.0) == 0.0:
        parts = [
            f"{ours}^{int(getattr(base, theirs) or 0)}" for theirs, ours in _BASES if getattr(base, theirs, 0)
        ]
        if parts:
            return "*".join(parts)
    notes.append(f"the unit {text!r} of '{variable.name}' is not known: its port has none")
    return "1"
