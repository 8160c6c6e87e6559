"""One run: what travels to the process that does it, and what comes back.

A study's build is a function of the row, or an assembly with the arguments of its flight. Assemblies travel as they
are and are made anew for every run, so that nothing that a law remembers goes from one run to another.

What a study runs, as a fingerprint: so that a folder does not mix runs of one thing with those of another.

Code counts by its source, numbers by their bits, vehicles by what their file would hold. Lambdas count by what they
were compiled to, functions inside functions with what they hold. Modules of the same folder that the module of a
function, or of a class of an assembly's devices, imports, and those that they import, count by their files. What cannot
be told (an open file) is believed.

What an assembly knows of a study before anything runs: whether its outputs are there, and units.
"""

from __future__ import annotations

import ast
import hashlib
import json
import pickle
import sys
import time
import traceback
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from types import FunctionType, MethodType, ModuleType
from typing import Any

import h5py
import numpy as np

from interstage.errors import FileError, InputError, InterstageError, did_you_mean, raised
from interstage.hdf5 import link_name, opened, plain_name, put_array, put_text, write_hdf5
from interstage.multibody import State, System
from interstage.multibody.model_file import put_model
from interstage.multibody.operating_point import OperatingPoint
from interstage.output import make_folder
from interstage.reading import is_whole
from interstage.simulation import Assembly, Device, Log, Out
from interstage.simulation.log.layout import columns_of, contents_of
from interstage.simulation.log.store import RowStore
from interstage.simulation.plant.noise import noise_of_run
from interstage.simulation.plant.plan import given_ahead, planned
from interstage.simulation.plant.serialization import Describer, NoName, code_of
from interstage.simulation.plant.serialization import fingerprint as code_fingerprint
from interstage.simulation.plant.vehicle_interface import view_of
from interstage.simulation.run.operating_point import known_values
from interstage.simulation.simulate import simulate
from interstage.studies.design import Row
from interstage.studies.outputs import sought, taken

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
    point = x.values if isinstance(x, OperatingPoint) and (x.flown or x.values) else None
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
    if not rest.endswith("]") or not is_whole(number):
        raise InputError(f"'{name}' cannot be read", expected="name or name[k]")
    return base, int(number)


def fingerprint(job: Job) -> str:
    """Return a digest of what a study runs and keeps; parts that cannot be told are left out."""
    build = job.build if job.assembly is None else pickle.loads(job.assembly)
    wanted, flight = dict(job.wanted or {}), dict(job.flight)
    flight = {k: v.qv if isinstance(v, State) else v for k, v in flight.items()}
    digest, code = hashlib.sha256(), list[object]()
    for name, value in [("build", build), *wanted.items(), *flight.items()]:
        digest.update(f"\0{name}\0".encode())
        code += [value, *_of_value(value, digest)]
    for path in sorted(set(_files(code))):
        digest.update(path.name.encode() + path.read_bytes())
    return digest.hexdigest()


def _of_value(value: object, digest: Any) -> list[object]:
    """Digest one thing, where it can be told what it is; return the functions and classes that it is made of."""
    describer = Describer()
    try:
        text = describer.text(_told(value))
    except NoName:
        return []
    digest.update(text.encode())
    for name, array in describer.arrays.items():
        digest.update(name.encode())
        digest.update(np.ascontiguousarray(array).tobytes())
    for system in describer.systems:
        _of_system(system, digest)
    return [code_of(name) for name in _code_names(json.loads(text))]


def _code_names(told: object) -> Iterator[str]:
    """Walk through the names of code outside this package in what a `Describer` told."""
    inner = told if isinstance(told, list) else []
    if isinstance(told, dict):
        for word in ("class", "function"):
            name = told.get(word)
            if isinstance(name, str) and "source" in told and not name.startswith("interstage."):
                yield name
        inner = list(told.values())
    for one in inner:
        yield from _code_names(one)


def _told(value: object) -> object:
    """Return a function without a name as what it is made of, anything else as it is."""
    if isinstance(value, partial):
        return ["partial", _told(value.func), list(map(_told, value.args)), value.keywords]
    if not isinstance(value, FunctionType) or not ("<" in value.__qualname__ or value.__closure__):
        return value
    held = [_told(_held(cell)) for cell in value.__closure__ or () if _held(cell) is not value]
    defaults = [*(value.__defaults__ or ()), *(value.__kwdefaults__ or {}).values()]
    return ["function", code_fingerprint(value), held, list(map(_told, defaults))]


def _held(cell: Any) -> object:
    try:
        return cell.cell_contents
    except ValueError:  # nothing yet
        return None


def _files(values: list[object]) -> Iterator[Path]:
    """Walk through the files of modules that modules of functions import from their own folder, theirs left out."""
    for value in values:
        while isinstance(value, partial | MethodType):
            value = value.func if isinstance(value, partial) else value.__func__
        module = sys.modules.get(getattr(value, "__module__", None) or "")
        path = None if module is None else _file(module)
        if module is not None and path is not None and isinstance(value, FunctionType | type):
            yield from _imported(module, path.parent, {path})


def _imported(module: ModuleType, folder: Path, seen: set[Path]) -> Iterator[Path]:
    for name in _names_imported(module):
        other = sys.modules.get(name)
        path = None if other is None else _file(other)
        if other is None or path is None or path in seen:
            continue
        # beside it, or in a package that lies there: an environment or another project may lie below too
        if path.parent == folder or folder / other.__name__.partition(".")[0] in path.parents:
            seen.add(path)
            yield path
            yield from _imported(other, folder, seen)


def _names_imported(module: ModuleType) -> Iterator[str]:
    """Walk through the full names that the source of a module imports: of modules, or of things inside them."""
    path = _file(module)
    for node in ast.walk(ast.parse(path.read_bytes())) if path is not None else ():
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = (module.__package__ or "").split(".")
            above = above[: len(above) - node.level + 1] if node.level else []
            base = ".".join([*above, *([node.module] if node.module else [])])
            yield from (base, *(f"{base}.{alias.name}" for alias in node.names))


def _file(module: ModuleType) -> Path | None:
    """Return the source file of a module, None where it has none."""
    name = getattr(module, "__file__", None)
    path = Path(name).resolve() if isinstance(name, str) and name.endswith(".py") else None
    return path if path is not None and path.is_file() else None


def _of_system(system: System, digest: Any) -> None:
    """Digest the numbers that describe a vehicle."""
    with h5py.File("vehicle", "w", driver="core", backing_store=False) as f:
        put_model(f.create_group("MODEL"), system.model)
        found: list[str] = []
        f.visit(found.append)
        for name in sorted(found):
            digest.update(name.encode())
            if isinstance(f[name], h5py.Dataset):
                digest.update(np.ascontiguousarray(f[name][()]).tobytes())
    for name, array in system.settings.arrays().items():
        digest.update(name.encode())
        digest.update(np.ascontiguousarray(array).tobytes())


KINDS = {("q", "angle"): "rad", ("q", "length"): "m", ("v", "angle"): "rad/s", ("v", "length"): "m/s"}


def checked_units(job: Job, row: Row) -> dict[str, str]:
    """Refuse names that an assembly does not have; return units of outputs and dispersed numbers that it knows."""
    if job.assembly is None:
        return {}
    assembly, flight = job.dispersed(row)
    units = dict(_of_numbers(assembly, row, flight.get("x")))
    log = _empty_log(assembly, flight)
    for name, what in ({} if log is None else job.wanted or {}).items():
        if isinstance(what, str) and log is not None:
            units[name] = sought(what, log.series, name)[1].unit
    return {name: unit for name, unit in units.items() if unit not in ("", "1")}


def _of_numbers(assembly: Assembly, row: Row, x: object) -> Mapping[str, str]:
    """Return units of dispersed numbers."""
    devices, found = dict(own_devices(assembly)), {}
    for name in row:
        path, parameter = place_of(name)
        if path in devices and parameter in devices[path].fields:
            found[name] = devices[path].fields[parameter].unit
    if isinstance(x, State):
        for vector, listed in (("q", x.layout.coordinates()), ("v", x.layout.velocities())):
            found |= {f"{vector}.{c.name}": KINDS.get((vector, c.kind), "") for c in listed}
    return {name: found[name] for name in row if name in found}


def _empty_log(assembly: Assembly, flight: Mapping[str, Any]) -> Log | None:
    """Return the log of a flight before its first row; None where this one cannot be planned: its run says why."""
    x = flight.get("x")
    try:
        beside = given_ahead(assembly.vehicle, flight.get("motions") or {}, flight.get("mass") or {})
        plan = planned(assembly, given=known_values(x, flight.get("set")), beside=beside)
        system = view_of(plan, x)
        contents = contents_of(plan, system, columns_of(plan, system, flight.get("keep")))
        return Log(RowStore(contents, system))
    except InterstageError:
        return None
