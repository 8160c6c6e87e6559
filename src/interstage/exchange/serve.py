"""An assembly that another tool steps: `python -m interstage.exchange.serve FOLDER`, what units of assemblies start.

The folder has the assembly as the log of a flight has it (`flight.h5`) and what is wired outside (`ports.json`).
Co-simulation: at every beat the process writes the ports that are seen and waits for those that are set, doubles on its
pipes. Model exchange, where there is no beat: it answers questions (`core_python.c` says which) by `Rates`.
"""

from __future__ import annotations

import inspect
import json
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from interstage.errors import FileError, InputError, InterstageError
from interstage.exchange.description import Channel, Rates
from interstage.multibody import OperatingPoint, State, System
from interstage.multibody.loads import Loads
from interstage.multibody.settings import RuntimeSettings
from interstage.output import read_json, write_text
from interstage.simulation import Assembly, In, Out, Parameter, simulate
from interstage.simulation.log.hdf5 import FlightRecord, read_flight
from interstage.simulation.plant.assembly import Port
from interstage.simulation.plant.clock import Period, period_of
from interstage.simulation.plant.device import Device
from interstage.simulation.plant.serialization import NoName, Program

LONGEST = 10**6  # beats that a run may take
FIRST = 1e-3  # s, of the run that writes an assembly without beat down
FLIGHT, PORTS, PYTHON = "flight.h5", "ports.json", "python.txt"


class Outside:
    """The law that stands for the other tool: it shows what is wired to it, and returns what it is told."""

    def __init__(
        self, sent: Sequence[Port], seen: Sequence[Port], exchange: Callable[[np.ndarray], np.ndarray]
    ):
        self.exchange = exchange
        self.sizes = [port.shape for port in sent]
        self.out = {f"set{k}": _declaration(port) for k, port in enumerate(sent)}
        kind = inspect.Parameter.KEYWORD_ONLY
        arguments = [inspect.Parameter("t", inspect.Parameter.POSITIONAL_OR_KEYWORD)]
        arguments += [inspect.Parameter(f"see{k}", kind) for k in range(len(seen))]
        self.__signature__ = inspect.Signature(arguments)

    def __call__(self, t: float, **seen: object) -> dict[str, object]:
        shown = [np.ravel(np.asarray(value, dtype=float)) for value in seen.values()]
        told = self.exchange(np.concatenate([*shown, np.zeros(0)]))
        found: dict[str, object] = {}
        for name, shape in zip(self.out, self.sizes):
            size = int(np.prod(shape or ()))
            found[name], told = told[:size].reshape(shape or ()), told[size:]
        return found


def _declaration(port: Port) -> str:
    unit = port.field.unit or "1"
    return f"{unit}[{port.size}]" if port.shape else unit


def ports_of(assembly: Assembly, names: Sequence[str], kind: str) -> list[Port]:
    """Return the ports that names and patterns mean; inputs must be free, sizes known."""
    ports, found = assembly.ports(), []
    wired = {piece.target.partition("[")[0] for piece in assembly.pieces()}
    for name in [full for pattern in names for full in assembly.find(pattern)]:
        port = ports[name]
        if kind == "input" and (not isinstance(port.field, In) or name in wired):
            raise InputError(f"'{name}' is no input that is free", where=f"assembly '{assembly.name}'")
        if kind == "output" and not isinstance(port.field, Out):
            raise InputError(f"'{name}' is no output", where=f"assembly '{assembly.name}'")
        if port.shape is None or len(port.shape) > 1:
            raise InputError(f"'{name}' has no size of its own, or is a matrix", where="FMU")
        found.append(port)
    return found


def channels_of(
    assembly: Assembly, names: Sequence[str], kind: str, x0: State | None = None
) -> list[Channel]:
    """Return a variable for each number of ports;  x0 : point whose inputs they start from."""
    ports = ports_of(assembly, names, kind)
    held = held_at(assembly, x0, ports) if kind == "input" else {}
    starts = [np.ravel(held.get(port.name, np.zeros(port.size or 1))) for port in ports]
    return [
        Channel(f"{port.name}[{k}]" if port.shape else port.name, port.field.unit or "", float(start[k]))
        for port, start in zip(ports, starts)
        for k in range(port.size or 1)
    ]


def save_assembly(
    folder: Path,
    assembly: Assembly,
    x0: State | None,
    every: float | None,
    step: Period | None,
    inputs: Sequence[str],
    outputs: Sequence[str],
) -> Path:
    """Write an assembly with its start into a folder, as `serve` takes it up; return the folder."""
    inner = (every or FIRST) if step is None else float(period_of(step, "step"))
    start, sent = begun(assembly, x0), ports_of(assembly, inputs, "input")
    own = held_at(assembly, x0, sent)
    held = {**{port.name: np.zeros(port.shape or ()) for port in sent}, **own}
    first = max([inner, *(float(part.offset) for part in assembly.parts())])  # all that is sampled, once
    simulate(assembly, start, until=first, step=inner, set=held, log=folder / FLIGHT, progress=False)
    told = {name: value.tolist() for name, value in own.items()}
    said = {"every": every, "step": inner, "inputs": list(inputs), "outputs": list(outputs), "held": told}
    write_text(folder / PORTS, json.dumps(said))
    write_text(folder / PYTHON, sys.executable + "\n")
    return folder


def begun(assembly: Assembly, x0: State | None) -> State:
    """Return the state that an assembly starts from."""
    if assembly.vehicle is None:
        raise InputError("an assembly as FMU needs a vehicle", where=f"assembly '{assembly.name}'")
    start = assembly.vehicle.state() if x0 is None else x0
    if not isinstance(start, State):
        raise InputError(
            "an assembly as FMU starts from a state",
            where="x0",
            got=type(start).__name__,
            hint="loads of an operating point are devices of the assembly",
        )
    if isinstance(start, OperatingPoint):
        _refuse_what_goes_lost(assembly, start)
    return start


def held_at(assembly: Assembly, x0: State | None, sent: Sequence[Port]) -> dict[str, np.ndarray]:
    """Return what a point holds by full name: parameters that were set, and inputs that nothing is wired to.

    sent : inputs that the other tool sets: they start there
    """
    if not isinstance(x0, OperatingPoint):
        return {}
    wired = {piece.target.partition("[")[0] for piece in assembly.pieces()} - {port.name for port in sent}
    fields = {part.path: part.what.fields for part in assembly.parts()}
    found = {}
    for name, value in x0.values.items():
        path, _, own = name.rpartition(".")
        field = fields.get(path, {}).get(own)
        if isinstance(field, Parameter) or (isinstance(field, In) and name not in wired):
            found[name] = np.array(value, dtype=float)
    return found


def _refuse_what_goes_lost(assembly: Assembly, start: OperatingPoint) -> None:
    """Refuse an operating point that is more than a state of the vehicle: the unit starts from no more than that."""
    loads, run = start.loads, start.run
    lost = ["its loads"] if loads.forces or loads.tau.any() or loads.law is not None else []
    if run is not None and run.changed:
        lost.append("a vehicle that its run has changed")
    if run is not None and run.goes_on and start.t:
        lost.append(f"its time of {start.t:.9g} s (log.state(k) begins at zero)")
    parts = {part.path: part.what for part in assembly.parts() if isinstance(part.what, Device)}
    for name, value in start.values.items():
        path, _, field = name.rpartition(".")
        kept = path in parts and parts[path].fields[field].kind in "zw"
        if kept and not np.array_equal(value, parts[path].value_of(field)):
            lost.append(f"'{name}'")
    if lost or getattr(start, "memory", None):
        raise InputError(
            "an assembly as FMU starts from a state of the vehicle, and the operating point says more",
            where="x0",
            got=", ".join(lost[:4]) or "memory of laws",
            hint="give loads as devices, and states of devices as their initial values (device.set)",
        )


def states_of(
    assembly: Assembly, x0: State | None, inputs: Sequence[str], outputs: Sequence[str]
) -> list[Channel]:
    """Return a variable for each continuous state of an assembly, or say why another solver cannot integrate it."""
    ports = ports_of(assembly, inputs, "input"), ports_of(assembly, outputs, "output")
    return Rates(assembly, begun(assembly, x0), *ports, held_at(assembly, x0, ports[0])).states()


def check_runs(folder: Path) -> None:
    """Take an assembly up as another process does, and two beats of it, or its first event."""
    if _said(folder)["every"] is None:
        rates = _rates_of(folder)
        rates.event(0.0, rates.start, np.zeros(rates.n_inputs))
        return
    left = [2]

    def nothing(seen: np.ndarray) -> np.ndarray:
        left[0] -= 1
        if left[0] < 0:
            raise _Enough
        return np.zeros(sum(port.size or 1 for port in bridge.sent))

    bridge = Bridge(folder, nothing)
    bridge.run(2)


class _Enough(Exception):
    """The other tool has what it wanted."""


def _said(folder: Path) -> dict[str, Any]:
    """Return what is wired outside, and how."""
    return read_json(folder / PORTS, "list of ports")


def _rates_of(folder: Path) -> Rates:
    """Return the right-hand side of the assembly of a folder."""
    said, record = _said(folder), read_flight(folder / FLIGHT)
    assembly = restored(record, folder)
    ports = ports_of(assembly, said["inputs"], "input"), ports_of(assembly, said["outputs"], "output")
    return Rates(assembly, _start_of(record), *ports, _held(said))


def _held(said: Mapping[str, Any]) -> dict[str, np.ndarray]:
    """Return what the point held from which the unit was made."""
    return {name: np.array(value, dtype=float) for name, value in said.get("held", {}).items()}


class Bridge:
    """The assembly of a folder with the law that stands for the other tool."""

    def __init__(self, folder: Path, exchange: Callable[[np.ndarray], np.ndarray]):
        said = _said(folder)
        record = read_flight(folder / FLIGHT)
        self.every, self.step = float(said["every"]), float(said["step"])
        self.assembly, self.x0 = restored(record, folder), _start_of(record)
        self.sent = ports_of(self.assembly, said["inputs"], "input")
        self.seen = ports_of(self.assembly, said["outputs"], "output")
        sent = {port.name for port in self.sent}
        self.held = {name: value for name, value in _held(said).items() if name not in sent}
        law = Outside(self.sent, self.seen, exchange)
        self.assembly.add("outside", law, every=self.every, out=law.out)
        self.assembly.wire(
            {port.name: f"outside.see{k}" for k, port in enumerate(self.seen)}
            | {f"outside.set{k}": port.name for k, port in enumerate(self.sent)}
        )

    def run(self, beats: int) -> None:
        """Run so many beats, or until the other tool has ended."""
        until = beats * self.every
        try:
            simulate(
                self.assembly,
                self.x0,
                until=until,
                step=self.step,
                set=self.held,
                keep=(),
                log_step=until,
                progress=False,
            )
        except Exception as error:
            if not _ended(error):
                raise


def _ended(error: BaseException | None) -> bool:
    while error is not None:
        if isinstance(error, _Enough):
            return True
        error = error.__cause__ or error.__context__
    return False


def restored(record: FlightRecord, folder: Path) -> Assembly:
    """Return the assembly of a log; code that has no name which leads back to it is one sentence."""
    if record.restore is None:
        raise FileError("there is no assembly in the log", where=str(folder))
    try:
        return record.restore(Program(imports=True))  # a unit is a program
    except NoName as why:
        raise InputError(
            f"the assembly cannot be made again in another process: {why}",
            where="FMU",
            hint="put classes of devices and laws into a module that can be imported",
        ) from None


def _start_of(record: FlightRecord) -> OperatingPoint:
    """Return the state at the start, switched as it was there: joints that are locked, closures that are open."""
    system = record.system
    x, row = system.state(), record.tables[0][0]
    x.q[:], x.v[:] = row[1 : 1 + len(x.q)], row[1 + len(x.q) : 1 + len(x.q) + len(x.v)]
    return start_at(system, x, system.settings)


def start_at(system: System, x: State, settings: RuntimeSettings) -> OperatingPoint:
    """Return a state of a vehicle that is switched as settings say as the start of a run, and no more of a point."""
    point = OperatingPoint(x, Loads.of(system), np.zeros(system.nv), settings.copy())
    point.flown = True  # whoever exports it has chosen it
    return point


def serve(folder: Path, come: BinaryIO, go: BinaryIO) -> None:
    """Step the assembly of a folder as the other tool says, or answer it."""
    if _said(folder)["every"] is None:
        _answer_all(_rates_of(folder), come, go)
        return

    def exchange(seen: np.ndarray) -> np.ndarray:
        go.write(seen.astype("<f8").tobytes())
        go.flush()
        told = come.read(8 * count)
        if len(told) < 8 * count:
            raise _Enough
        return np.frombuffer(told, "<f8")

    bridge = Bridge(folder, exchange)
    # a unit without inputs sends one number that means nothing: go on
    count = max(1, sum(port.size or 1 for port in bridge.sent))
    bridge.run(LONGEST)


def _answer_all(rates: Rates, come: BinaryIO, go: BinaryIO) -> None:
    """Answer questions about slopes and events until nobody asks; see `core_python.c`."""
    n = len(rates.start)
    said, size = np.zeros(1), 8 * (2 + n + rates.n_inputs)
    while True:
        go.write(said.astype("<f8").tobytes())
        go.flush()
        asked = come.read(size)
        if len(asked) < size:
            return
        what, t, *_ = question = np.frombuffer(asked, "<f8")
        answer = rates.event if what else rates.look
        try:
            said = np.concatenate([[0.0], *answer(t, question[2 : 2 + n], question[2 + n :])])
        except InterstageError as error:  # of a trial step perhaps: the solver may try a shorter one
            print(error, file=sys.stderr, flush=True)
            said = np.ones(3 + rates.n_outputs + 2 * n)


def main() -> None:
    """Answer on the pipes that the process was given; what anything prints goes to the standard error."""
    go = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    serve(Path(sys.argv[1]), sys.stdin.buffer, go)


if __name__ == "__main__":
    main()
