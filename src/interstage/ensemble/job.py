"""One run: what travels to the process that does it, and what comes back.

A study's build is a function of the row, or an assembly with the arguments of its flight. Assemblies travel as they
are and are made anew for every run, so that nothing that a law remembers goes from one run to another.
"""

from __future__ import annotations

import pickle
import time
import traceback
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from interstage.ensemble.design import Row
from interstage.ensemble.outputs import taken
from interstage.errors import FileError, InputError, InterstageError, did_you_mean
from interstage.hdf5 import link_name, opened, plain_name, put_array, put_text, write_hdf5
from interstage.multibody import State
from interstage.output import make_folder
from interstage.system import Assembly, Device, Log, Out, simulate

FORMAT = "interstage run"
VERSION = 1
DIED = "the process that ran it died"


@dataclass(frozen=True)
class Outcome:
    """What became of a run: its outputs, or the error that ended it; seconds that it took."""

    number: int
    outputs: Mapping[str, np.ndarray]
    error: str = ""
    seconds: float = 0.0

    @property
    def failed(self) -> bool:
        """Whether an error ended it."""
        return bool(self.error)

    def save(self, path: Path) -> None:
        """Write it (HDF5), whole or not at all."""

        def fill(f: Any) -> None:
            put_text(f, "FORMAT", FORMAT)
            put_array(f, "VERSION", VERSION)
            put_array(f, "NUMBER", self.number)
            put_text(f, "ERROR", self.error.replace("\0", ""))
            put_array(f, "SECONDS", self.seconds)
            group = f.create_group("OUTPUTS")
            for name, value in self.outputs.items():
                put_array(group, link_name(name), value)

        write_hdf5(path, fill, "file of a run")

    @classmethod
    def load(cls, path: Path) -> Outcome:
        """Read what `save` wrote."""
        with opened(path, "file of a run") as f:
            if f.text("FORMAT") != FORMAT or f.integer("VERSION") != VERSION:
                raise FileError("this is no file of a run that is known", where=str(path))
            group = f.child("OUTPUTS")
            outputs = {}
            for link in group.names():
                shape = tuple(None for _ in group.dataset(link).shape)
                outputs[plain_name(link)] = group.array(link, shape, finite=False)
            return cls(f.integer("NUMBER"), outputs, f.text("ERROR"), f.number("SECONDS"))


@dataclass(frozen=True)
class Job:
    """What every run of a study needs.

    build : function of the row;  or `assembly` (pickled) and the arguments of its flight
    wanted : outputs by name;  logs : whether logs of runs are kept, those that fail always are
    """

    build: Callable[[Row], object] | None
    wanted: Mapping[str, str | Callable[..., object]] | None
    assembly: bytes | None = None
    flight: Mapping[str, object] = field(default_factory=dict)
    logs: bool = False

    def log_of(self, row: Row) -> object:
        """Return what one run gives: a log, or what the user's function returned."""
        if self.build is not None:
            return self.build(row)
        assembly, numbers = self.dispersed(row)
        flight: dict[str, Any] = dict(numbers)
        return simulate(assembly, flight.pop("x", None), progress=False, **flight)

    def dispersed(self, row: Row) -> tuple[Assembly, dict[str, object]]:
        """Return an assembly made anew and the arguments of its flight, with the numbers of a row."""
        assert self.assembly is not None
        assembly, flight = pickle.loads(self.assembly), dict(self.flight)
        set_numbers(assembly, row, flight)
        return assembly, flight

    def run(self, row: Row) -> tuple[Outcome, Log | None]:
        """Do one run; an error in it is part of the outcome. The log comes along where it is to be kept."""
        begun = time.perf_counter()
        result: object = None
        try:
            result = self.log_of(row)
            outputs = taken(result, None if self.wanted is None else dict(self.wanted))
            made = Outcome(row.number, outputs, "", time.perf_counter() - begun)
        except (Exception, SystemExit) as error:
            if result is None:
                result = getattr(error, "log", None)
            made = Outcome(row.number, {}, words_of(error), time.perf_counter() - begun)
        kept = isinstance(result, Log) and (self.logs or made.failed)
        return made, result if kept and isinstance(result, Log) else None


def store(folder: Path, outcome: Outcome, log: Log | None) -> None:
    """Write the files of a run: its log first, so that a run that is there is there with it."""
    if log is not None:
        make_folder(folder / "logs")
        log.save(log_path(folder, outcome.number))
    outcome.save(run_path(folder, outcome.number))


def run_path(folder: Path, number: int) -> Path:
    """Return the file of a run."""
    return folder / "runs" / f"run_{number:06d}.h5"


def log_path(folder: Path, number: int) -> Path:
    """Return the file of a run's log."""
    return folder / "logs" / f"run_{number:06d}.h5"


def words_of(error: BaseException) -> str:
    """Say what ended a run: our errors are sentences, others are told with the line they come from."""
    if isinstance(error, InterstageError):
        return str(error)
    frames = traceback.extract_tb(error.__traceback__)
    where = f" ({Path(frames[-1].filename).name}, line {frames[-1].lineno})" if frames else ""
    return f"{type(error).__name__}: {error}{where}"


def set_numbers(assembly: Assembly, row: Row, flight: dict[str, Any]) -> None:
    """Give an assembly the numbers of a row.

    A name is "member.parameter" of a device (or a state or unwired input of it), with [k] for one number of a vector;
    or "q.arm.angle", "v.bus.wx": a coordinate or velocity of the vehicle at the start, by its name in the layout;
    attitudes are brought to unit length. The noise of devices has the seed of the run.
    """
    assembly.seed = row.seed
    devices = dict(own_devices(assembly))
    x = flight.get("x")
    places = _places(x) if isinstance(x, State) else {}
    if places:
        flight["x"] = x = x.copy()  # type: ignore[union-attr]
    for name, value in row.items():
        index = _index(name)[1]
        path, parameter = place_of(name)
        device = devices.get(path)
        if name in places:
            vector, k = places[name]
            getattr(x, vector)[k] = value
        elif device is not None and isinstance(device.fields.get(parameter), Out):
            raise InputError(
                f"'{name}' is an output: its device writes it",
                hint="disperse a parameter, or a state at the start",
            )
        elif device is not None and parameter in device.fields:
            _set_field(device, parameter, index, value, name)
        else:
            known = [*places, *(f"{p}.{n}" for p, d in devices.items() for n in d.fields)]
            raise InputError(f"there is nothing called '{name}' to disperse", hint=did_you_mean(name, known))
    if any(".quaternion" in name for name in row if name in places):
        assert isinstance(x, State)
        x.layout.normalize(x.q)


def own_devices(assembly: Assembly, prefix: str = "") -> Iterator[tuple[str, Device]]:
    """Yield the devices of an assembly and of those inside it, as they were given, by their full names."""
    for name, member in assembly.members().items():
        if isinstance(member, Assembly):
            yield from own_devices(member, f"{prefix}{name}.")
        elif isinstance(what := getattr(member, "what", None), Device):
            yield prefix + name, what


def place_of(name: str) -> tuple[str, str]:
    """Return the device and the field of it that a name means, without a number in brackets."""
    path, _, field_name = _index(name)[0].rpartition(".")
    return path, field_name


def _places(x: State) -> dict[str, tuple[str, int]]:
    """Return names of coordinates and velocities with where each lies."""
    listed = {"q": x.layout.coordinates(), "v": x.layout.velocities()}
    return {
        f"{vector}.{c.name}": (vector, k) for vector, names in listed.items() for k, c in enumerate(names)
    }


def _set_field(device: Device, field_name: str, index: int | None, value: float, name: str) -> None:
    new: Any = value
    if index is not None:
        new = np.array(device.value_of(field_name), dtype=float)
        if index >= new.size:
            raise InputError(f"'{name}' is dispersed, but there are fewer numbers", got=str(new.size))
        new.flat[index] = value
    device.set(**{field_name: new})


def _index(name: str) -> tuple[str, int | None]:
    """Return a name and the number in brackets behind it."""
    base, bracket, rest = name.partition("[")
    if not bracket:
        return name, None
    number = rest.removesuffix("]")
    if not rest.endswith("]") or not number.isdigit():
        raise InputError(f"'{name}' cannot be read", expected="name or name[k]")
    return base, int(number)
