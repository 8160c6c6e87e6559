"""One run: what travels to the process that does it, and what comes back.

A study's build is a function of the row, or an assembly with the arguments of its flight. Assemblies travel as they
are and are made anew for every run, so that nothing that a law remembers goes from one run to another.
"""

from __future__ import annotations

import hashlib
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
from interstage.errors import FileError, InputError, InterstageError, did_you_mean, raised
from interstage.hdf5 import link_name, opened, plain_name, put_array, put_text, write_hdf5
from interstage.multibody import State
from interstage.output import make_folder
from interstage.system import Assembly, Device, Log, Out, simulate
from interstage.system.flight_point import FlightPoint
from interstage.system.noise import noise_of_run

FORMAT = "interstage run"
VERSION = 2  # 1 did not say of which study a run is
DIED = "the process that ran it died"


@dataclass(frozen=True)
class Outcome:
    """What became of a run: its outputs, or the error that ended it; seconds that it took.

    study : fingerprint of the table, the row and what was run (`Job.of_row`)
    """

    number: int
    outputs: Mapping[str, np.ndarray]
    error: str = ""
    seconds: float = 0.0
    study: str = ""

    @property
    def failed(self) -> bool:
        """Whether an error ended it."""
        return bool(self.error)

    @property
    def digest(self) -> str:
        """SHA-256 of the study, number, error and outputs: a file that was changed since does not have it."""
        found = hashlib.sha256(f"{self.study}\0{self.number}\0{self.error}".encode())
        for name, value in sorted(self.outputs.items()):
            array = np.ascontiguousarray(value, dtype=float)
            found.update(f"\0{name}\0{array.shape}".encode() + array.tobytes())
        return found.hexdigest()

    def save(self, path: Path) -> None:
        """Write it (HDF5), whole or not at all."""

        def fill(f: Any) -> None:
            put_text(f, "FORMAT", FORMAT)
            put_array(f, "VERSION", VERSION)
            put_array(f, "NUMBER", self.number)
            put_text(f, "ERROR", self.error)
            put_text(f, "STUDY", self.study)
            put_text(f, "DIGEST", self.digest)
            put_array(f, "SECONDS", self.seconds)
            group = f.create_group("OUTPUTS")
            for name, value in self.outputs.items():
                put_array(group, link_name(name), value)

        write_hdf5(path, fill, "file of a run")

    @classmethod
    def load(cls, path: Path) -> Outcome:
        """Read what `save` wrote."""
        with opened(path, "file of a run") as f:
            if f.text("FORMAT") != FORMAT or f.integer("VERSION") not in (1, VERSION):
                raise FileError("this is no file of a run that is known", where=str(path))
            known = f.integer("VERSION") == VERSION
            group = f.child("OUTPUTS")
            outputs = {}
            for link in group.names():
                shape = tuple(None for _ in group.dataset(link).shape)
                outputs[plain_name(link)] = group.array(link, shape, finite=False)
            study = f.text("STUDY") if known else ""
            made = cls(f.integer("NUMBER"), outputs, f.text("ERROR"), f.number("SECONDS"), study)
            if known and f.text("DIGEST") != made.digest:
                raise FileError(
                    "the file of a run was changed after it was written",
                    where=str(path),
                    hint="remove it: the run is done again",
                )
            return made


@dataclass(frozen=True)
class Job:
    """What every run of a study needs.

    build : function of the row;  or `assembly` (pickled) and the arguments of its flight
    wanted : outputs by name;  logs : whether logs of runs are kept, those that fail always are
    study : fingerprint of the table and of what is run
    """

    build: Callable[[Row], object] | None
    wanted: Mapping[str, str | Callable[..., object]] | None
    assembly: bytes | None = None
    flight: Mapping[str, object] = field(default_factory=dict)
    logs: bool = False
    study: str = ""

    def of_row(self, row: Row) -> str:
        """Return the fingerprint of one run: of the study, and of its own number, seed and values."""
        values = np.array(list(row.values()), dtype=float)
        return hashlib.sha256(
            f"{self.study} {row.number} {row.seed} ".encode() + values.tobytes()
        ).hexdigest()

    def outcome(
        self, row: Row, outputs: Mapping[str, np.ndarray], error: str = "", seconds: float = 0.0
    ) -> Outcome:
        """Return what became of a run of this study."""
        return Outcome(row.number, outputs, error.replace("\0", ""), seconds, self.of_row(row))

    def log_of(self, row: Row) -> object:
        """Return what one run gives: a log, or what the user's function returned."""
        with noise_of_run(row.seed):
            return self._log_of(row)

    def _log_of(self, row: Row) -> object:
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
            with noise_of_run(row.seed):
                result = self._log_of(row)
                outputs = taken(result, None if self.wanted is None else dict(self.wanted))
            made = self.outcome(row, outputs, "", time.perf_counter() - begun)
        except (Exception, SystemExit) as error:
            if result is None:
                result = getattr(error, "log", None)
            made = self.outcome(row, {}, words_of(error), time.perf_counter() - begun)
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
    return f"{raised(error)}{where}"


def set_numbers(assembly: Assembly, row: Row, flight: dict[str, Any]) -> None:
    """Give an assembly the numbers of a row.

    A name is "member.parameter" of a device (or a state or unwired input of it), with [k] for one number of a vector;
    or "q.arm.angle", "v.bus.wx": a coordinate or velocity of the vehicle at the start, by its name in the layout;
    attitudes are brought to unit length. The noise of devices has the seed of the run. At a point of a flight, which
    has values of devices of its own, a number of a device means what it means in `set=` of a run from there.
    """
    assembly.seed = row.seed
    devices = dict(own_devices(assembly))
    x, given = flight.get("x"), flight.get("set") or {}
    point = x.values if isinstance(x, FlightPoint) else None
    places = _places(x) if isinstance(x, State) else {}
    if places:
        flight["x"] = x = x.copy()  # type: ignore[union-attr]
    set_at: dict[str, Any] = {}
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
            full = f"{path}.{parameter}"
            if full in given:
                raise InputError(
                    f"'{name}' is dispersed, and given by set= too", hint="leave one of them out"
                )
            now = device.value_of(parameter) if point is None else point.get(full, device.value_of(parameter))
            new = _changed(set_at.get(full, now), index, value, name)
            if point is None:
                device.set(**{parameter: new})
            else:
                set_at[full] = new
        else:
            known = [*places, *(f"{p}.{n}" for p, d in devices.items() for n in d.fields)]
            raise InputError(f"there is nothing called '{name}' to disperse", hint=did_you_mean(name, known))
    if set_at:
        flight["set"] = {**given, **set_at}
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


def _changed(now: Any, index: int | None, value: float, name: str) -> Any:
    """Return the value of a field, or one of its numbers, dispersed."""
    if index is None:
        return value
    new = np.array(now, dtype=float)
    if index >= new.size:
        raise InputError(f"'{name}' is dispersed, but there are fewer numbers", got=str(new.size))
    new.flat[index] = value
    return new


def _index(name: str) -> tuple[str, int | None]:
    """Return a name and the number in brackets behind it."""
    base, bracket, rest = name.partition("[")
    if not bracket:
        return name, None
    number = rest.removesuffix("]")
    if not rest.endswith("]") or not number.isdigit():
        raise InputError(f"'{name}' cannot be read", expected="name or name[k]")
    return base, int(number)
