"""Write linear models and whole assemblies as functional mock-up units (FMI 2.0 and 3.0).

A unit is a zip file: `modelDescription.xml`, C sources with the tables inside, and where there is a C compiler the
binary of this machine. Source: FMI 2.0.4 and FMI 3.0.1, Modelica Association.
"""

from __future__ import annotations

import hashlib
import json
import os
import platform
import re
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from interstage.calls import named_arguments
from interstage.errors import InputError, SolverError
from interstage.exchange.description import Channel, Description
from interstage.jit import COMPILED
from interstage.linear import LinearModel
from interstage.multibody import OperatingPoint, State
from interstage.native.flight_file import flight_data
from interstage.native.library import c_compiler, write_sources
from interstage.output import as_path, checked_target, write_bytes, write_text
from interstage.simulation import Assembly
from interstage.simulation.plant.clock import Period, period_of
from interstage.simulation.plant.python_block import Law

if COMPILED:
    from interstage.compiled import object_code

if TYPE_CHECKING:
    from interstage.compiled import ObjectCode

VERSIONS = ("2.0", "3.0")
WARNINGS = ("-std=c99", "-D_POSIX_C_SOURCE=200809L", "-O2", "-fPIC", "-shared", "-fvisibility=hidden")
_PLATFORMS = {  # (system, machine): folder of FMI 2.0 and of FMI 3.0
    ("Linux", "x86_64"): ("linux64", "x86_64-linux"),
    ("Linux", "aarch64"): ("aarch64-linux", "aarch64-linux"),
    ("Darwin", "x86_64"): ("darwin64", "x86_64-darwin"),
    ("Darwin", "arm64"): ("darwin64", "aarch64-darwin"),
    ("Windows", "AMD64"): ("win64", "x86_64-windows"),
}


@dataclass(frozen=True)
class FMU:
    """A unit that was written.

    version : of FMI;  kinds : "model exchange", "co-simulation";  inputs, outputs : names of its variables
    platform : folder of its binary, "" where there was no compiler: tools must then compile its sources
    """

    path: Path
    version: str
    kinds: tuple[str, ...]
    inputs: list[str]
    outputs: list[str]
    platform: str = ""
    notes: list[str] = field(default_factory=list)


@named_arguments
def export_fmu(
    model: LinearModel | Assembly,
    path: str | os.PathLike[str],
    *,
    version: str = "3.0",
    inputs: Sequence[str] = (),
    outputs: Sequence[str] = (),
    x0: State | None = None,
    every: Period | None = None,
    step: Period | None = None,
    name: str | None = None,
    compiler: str | None = None,
) -> FMU:
    """Write a model as a functional mock-up unit, for Simulink, Dymola, OpenModelica, FMPy and others.

    A linear model is C with its tables inside and needs nothing else: model exchange, and co-simulation in which a step
    is exact for held inputs. A sampled one is co-simulation alone, in steps of its `dt`. With `every` an assembly is
    co-simulation, with its kernels in the binary and nothing else needed where it runs (`build_library` says how). What
    cannot leave Python, laws in Python above all, makes a unit whose binary starts the installed Interstage (Linux and
    macOS); `notes` of what is returned say so. Without `every` it is model exchange by the installed Interstage: the
    tool integrates its states, and samples are events of time. Devices that switch at events of their own, and pulses
    that begin between samples, are refused there.

    Parameters
    ----------
    version : of FMI, "2.0" or "3.0"
    inputs, outputs : of an assembly: ports that are set from outside, ports that are seen
    x0 : of an assembly: state of its vehicle at the start. An operating point brings the parameters and inputs that it
        holds; inputs that are set from outside start there
    every : of an assembly: the one step that the unit takes as co-simulation, None: model exchange
    step : of the integration inside a step of co-simulation
    compiler : of C; default: the environment's CC, or cc, gcc, clang
    """
    target = checked_target(as_path(path, "FMU"), "FMU")[0]
    if version not in VERSIONS:
        raise InputError(
            "not a version of FMI that is written", expected=" or ".join(VERSIONS), got=repr(version)
        )
    title = name or (model.name if isinstance(model, LinearModel) else target.stem)
    if isinstance(model, LinearModel):
        if inputs or outputs or x0 is not None or every is not None or step is not None:
            raise InputError(
                "a linear model has its inputs and outputs, and its steps",
                where="export_fmu",
                hint="choose channels by lin.select(inputs, outputs)",
            )
        said = _of_linear(model, title)
        return _packed(target, said, version, _linear_header(model, said), {}, compiler)
    if not isinstance(model, Assembly):
        raise InputError(
            "this cannot be an FMU", expected="a LinearModel or an Assembly", got=type(model).__name__
        )
    from interstage.exchange.serve import channels_of, check_runs, save_assembly, states_of

    if not outputs:
        raise InputError(
            "an assembly as FMU needs outputs=",
            where="export_fmu",
            expected='as in inputs=["motor.command"], outputs=["imu.rate"]',
        )
    if every is None and step is not None:
        raise InputError(
            "step= goes with every=, of co-simulation",
            where="export_fmu",
            hint='give every="10 ms" too, or leave step out: in model exchange the tool chooses the steps',
        )
    beat = None if every is None else float(period_of(every, "every"))
    said = Description(
        title,
        _identifier(title),
        channels_of(model, inputs, "input", x0),
        channels_of(model, outputs, "output"),
        states_of(model, x0, inputs, outputs) if beat is None else (),
        every=beat,
    )
    why = ""
    if beat is not None and compiler != "":
        unit = _native(model, x0, period_of(every, "every"), step, inputs, outputs)  # type: ignore[arg-type]
        if isinstance(unit, _Native):
            said.native = True
            return _packed(target, said, version, _native_header(said, unit), {}, compiler, unit)
        why = unit
    with tempfile.TemporaryDirectory() as folder:
        resources = save_assembly(Path(folder), model, x0, beat, step, inputs, outputs)
        check_runs(resources)
        extra = {f"resources/{p.name}": p.read_bytes() for p in resources.iterdir()}
    made = _packed(target, said, version, _python_header(said, beat), extra, compiler)
    made.notes.extend([f"it starts the installed Interstage: {why}"] if why else [])
    return made


class _Native(NamedTuple):
    """An assembly as the core of a unit without Python.

    flight : its file;  code, table : its kernels and their names;  sent, seen : ports of the law that is outside
    """

    flight: bytes
    code: ObjectCode
    table: list[tuple[str, bool]]
    sent: list[str]
    seen: list[str]
    every: Fraction


def _native(
    model: Assembly,
    x0: State | None,
    every: Fraction,
    step: Period | None,
    inputs: Sequence[str],
    outputs: Sequence[str],
) -> _Native | str:
    """Return an assembly as it leaves Python, or why it cannot."""
    from interstage.exchange.serve import LONGEST, Outside, begun, held_at, ports_of, start_at

    if not COMPILED:
        return "kernels are not compiled by address"
    if laws := [part.path for part in model.parts() if isinstance(part.what, Law)]:
        return f"'{laws[0]}' is a law in Python"
    sent, seen = ports_of(model, inputs, "input"), ports_of(model, outputs, "output")
    own, start = held_at(model, x0, sent), begun(model, x0)
    if isinstance(start, OperatingPoint):
        assert model.vehicle is not None
        start = start_at(model.vehicle, State(start.layout, start.q, start.v), start.settings)
    law = Outside(sent, seen, lambda shown: shown)
    whole = model.copy().add("outside", law, every=every, out=law.out)
    whole.wire(
        {port.name: f"outside.see{k}" for k, port in enumerate(seen)}
        | {f"outside.set{k}": port.name for k, port in enumerate(sent)}
    )
    held = {name: value for name, value in own.items() if name not in {port.name for port in sent}}
    try:
        found = flight_data(
            whole, start, every if step is None else step, given=held, start=0, until=LONGEST * every
        )
    except InputError as error:
        return str(error)
    code = object_code(found.functions)
    if code.left_out:
        return f"{code.functions[0].name.partition('|')[0]} needs Python"
    table = [(made.name, k == 0) for k, made in enumerate(code.functions)]
    names = [f"outside.set{k}" for k in range(len(sent))], [f"outside.see{k}" for k in range(len(seen))]
    return _Native(found.data, code, table, *names, every)


def _native_header(said: Description, unit: _Native) -> str:
    """Return `model.h` of an assembly without Python."""
    names = {"SENT_PORTS": unit.sent, "SEEN_PORTS": unit.seen}
    lines = [f"#define {key} {{{', '.join([*map(json.dumps, ports), '0'])}}}" for key, ports in names.items()]
    lines += [
        f"#define NU_PORTS {len(unit.sent)}",
        f"#define NY_PORTS {len(unit.seen)}",
        "#define CORE_NATIVE",
    ]
    lines += [f"#define EVERY_NUM {unit.every.numerator}.0", f"#define EVERY_DEN {unit.every.denominator}.0"]
    lines += [
        f"#define EVERY {float(unit.every).hex()}",
        f'#define FLIGHT "{hashlib.sha256(unit.flight).hexdigest()}"',
    ]
    lines += [
        f"#define START_U {{{_numbers(np.array([c.start for c in said.inputs]))}}}",
        "#define START {0}",
    ]
    return _header(said, lines, keeps_state=True, states=0)


def _of_linear(model: LinearModel, title: str) -> Description:
    def channels(names: list[str], units: list[str]) -> list[Channel]:
        return [Channel(n, u) for n, u in zip(names, units)]

    ends = channels(model.inputs, model.input_units), channels(model.outputs, model.output_units)
    if model.dt is not None:  # its states have no derivatives: they stay inside
        return Description(title, _identifier(title), *ends, uses={"D": model.D != 0.0}, every=model.dt)
    uses = {letter: getattr(model, letter) != 0.0 for letter in "ABCD"}
    states = channels(model.states, model.state_units)
    return Description(title, _identifier(title), *ends, states, uses=uses)


def _identifier(text: str) -> str:
    """Return a name that a C function may have.

    >>> _identifier("2nd stage, dry")
    'm_2nd_stage_dry'
    """
    plain = re.sub(r"\W+", "_", text, flags=re.ASCII).strip("_") or "model"
    return plain if plain[0].isalpha() else f"m_{plain}"


# C ------------------------------------------------------------------------------------------------------------


def _linear_header(model: LinearModel, said: Description) -> str:
    """Return `model.h` of a linear model; numbers in hexadecimal, which lose nothing."""
    tables = {f"TABLE_{letter}": getattr(model, letter).ravel() for letter in "ABCD"}
    tables |= {"START": np.zeros(model.n_states), "START_U": np.zeros(len(model.inputs))}
    lines = [f"#define {key} {{{_numbers(values)}}}" for key, values in tables.items()]
    lines += [] if model.dt is None else [f"#define EVERY {model.dt.hex()}"]
    return _header(said, lines, keeps_state=True, states=model.n_states)


def _python_header(said: Description, every: float | None) -> str:
    starts = {"START": said.states, "START_U": said.inputs}
    lines = [f"#define {key} {{{_numbers(np.array([c.start for c in of]))}}}" for key, of in starts.items()]
    lines.append("#define CORE_PYTHON")
    lines += [] if every is None else [f"#define EVERY {every.hex()}"]
    return _header(said, lines, keeps_state=False, states=len(said.states))


def _numbers(values: np.ndarray) -> str:
    rows = [
        ", ".join("0" if v == 0.0 else float(v).hex() for v in values[k : k + 8])
        for k in range(0, len(values), 8)
    ]
    return ", \\\n  ".join([*rows, "0"])


def _header(said: Description, lines: list[str], keeps_state: bool, states: int) -> str:
    sizes = {
        "NX": states,
        "NU": len(said.inputs),
        "NY": len(said.outputs),
        "KEEPS_STATE": int(keeps_state),
    }
    text = [f"#define {key} {value}" for key, value in sizes.items()] + lines
    token = hashlib.sha256("\n".join([*text, said.xml("3.0", "")]).encode()).hexdigest()
    return "\n".join([f'#define TOKEN "{_guid(token)}"', *text, ""])


def _guid(digest: str) -> str:
    """Return a name that tells this unit from others, the same for the same model."""
    return "{" + "-".join((digest[:8], digest[8:12], digest[12:16], digest[16:20], digest[20:32])) + "}"


def _sources(header: str) -> dict[str, str]:
    kinds = ("python", "native", "linear")
    core = next(f"core_{kind}.c" for kind in kinds if f"CORE_{kind.upper()}" in header or kind == "linear")
    found = {n: files("interstage.exchange").joinpath(n).read_text(encoding="utf-8") for n in ("fmu.c", core)}
    return {**found, "model.h": header}


def _compiled(folder: Path, major: str, identifier: str, compiler: str) -> bytes:
    """Return the shared library of the sources in a folder, with the object code of kernels if there is some."""
    made = folder / f"{identifier}.bin"
    code = [path.name for path in folder.glob("*.o")]
    flags = ["-std=gnu11", *WARNINGS[2:], "-s"] if code else WARNINGS
    order = [compiler, *flags, f"-DFMI_VERSION={major}", "fmu.c", *code, "-o", str(made), "-lm"]
    done = subprocess.run(
        order, cwd=folder, capture_output=True, encoding="utf-8", errors="replace", check=False
    )
    if done.returncode != 0:
        raise SolverError(
            "the C compiler refuses the sources of the FMU",
            where=compiler,
            got=(done.stderr.splitlines() or ["nothing"])[0][:200],
            hint='compiler="" leaves the binary out',
        )
    return made.read_bytes()


# the file -------------------------------------------------------------------------------------------------------


def _packed(
    target: Path,
    said: Description,
    version: str,
    header: str,
    extra: dict[str, bytes],
    compiler: str | None,
    unit: _Native | None = None,
) -> FMU:
    """Write the zip file, whole or not at all; a unit without Python is a binary with its flight, without sources."""
    token = re.search(r'TOKEN "(.*?)"', header)
    assert token is not None
    sources = _sources(header)
    entries = {"modelDescription.xml": said.xml(version, token[1]).encode(), **extra}
    if unit is not None:
        entries["resources/unit.flight"] = unit.flight
    else:
        entries |= {f"sources/{n}": text.encode() for n, text in sources.items()}
    if version == "3.0" and unit is None:
        entries["sources/buildDescription.xml"] = said.build_description().encode()
    notes, where = [], _PLATFORMS.get((platform.system(), platform.machine()), ("", ""))[version == "3.0"]
    found = None if compiler == "" else c_compiler(compiler, "export_fmu")
    if found is None or not where or sys.platform == "win32":
        where = ""
        notes.append("no binary: there is no C compiler here; the tool must compile the sources")
    else:
        with tempfile.TemporaryDirectory() as folder:
            for n, text in sources.items():
                write_text(Path(folder) / n, text)
            if unit is not None:
                write_sources(Path(folder), unit.code, unit.table)
            suffix = ".dylib" if sys.platform == "darwin" else ".so"
            binary = _compiled(Path(folder), version[0], said.identifier, found)
            entries[f"binaries/{where}/{said.identifier}{suffix}"] = binary
    write_bytes(target, _zipped(entries), "FMU")
    inputs, outputs = ([c.name for c in part] for part in (said.inputs, said.outputs))
    return FMU(target, version, said.kinds, inputs, outputs, where, notes)


def _zipped(entries: dict[str, bytes]) -> bytes:
    import io

    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, data in entries.items():
            packed.writestr(zipfile.ZipInfo(name), data, zipfile.ZIP_DEFLATED)
    return out.getvalue()
