"""Build `libinterstage`: all functions that flights need, compiled once, with a C interface (`build_library`)."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

import numpy as np

import interstage
from interstage.calls import named_arguments
from interstage.errors import InputError, SolverError
from interstage.jit import COMPILED
from interstage.output import as_path, checked_target, write_bytes
from interstage.simulation.plant import coupled_kernels as kernels
from interstage.simulation.plant.compiled_schedule import compile_function
from interstage.simulation.plant.connection_blocks import Copy, Delay, HeldCopy
from interstage.simulation.plant.coupled_arrays import WAITING, WELL
from interstage.simulation.plant.device import Device
from interstage.simulation.run import event_location
from interstage.simulation.run.integrators import (
    METHODS,
    CompiledMethod,
    method_of,
    step_control,
)
from interstage.simulation.run.integrators import integration_loop as flights

if COMPILED:
    from interstage.compiled import (
        AddressedFunction,
        AddressedKernel,
        ObjectCode,
        functions_by_address,
        object_code,
        stages_of,
    )

ON_WIRES: tuple[type[Device], ...] = (Copy, HeldCopy, Delay)  # what connections are made of
FLAGS = ("-std=gnu11", "-O2", "-ffp-contract=off", "-fPIC", "-shared", "-fvisibility=hidden")


@dataclass(frozen=True)
class NativeLibrary:
    """A library that was built.

    functions : names of what it has, as flight files ask for them;  left_out : what it cannot have, and why
    """

    path: Path
    functions: list[str]
    left_out: dict[str, str]
    size: int


@named_arguments
def build_library(
    path: str | os.PathLike[str],
    *,
    devices: Sequence[type[Device]] | None = None,
    methods: Sequence[str] | None = None,
    cpu: str | None = None,
    compiler: str | None = None,
    target: str | None = None,
) -> NativeLibrary:
    """Compile everything that flights need into one shared library, which flies any flight file without Python.

    Takes a minute or two of processor time the first time; what was compiled before is taken from disk. The C header
    `interstage.h` is written beside it.

    Parameters
    ----------
    path : of the library, "libinterstage.so" say
    devices : classes of devices whose functions go in, beside vehicles and methods; default: all of `ist.devices` and
        the tanks of burning vehicles. Give your own with them: [*ist.native.shelf(), MyDevice]
    methods : names of methods, default: all that are compiled ("rk4", "dopri5", "ros2", "ros3")
    cpu : what the code is made for, as LLVM calls it: "x86-64-v3", say; default: this machine
    compiler : of C, for the loader; default: the environment's CC, or cc, gcc, clang
    target : another system, "aarch64-linux-gnu" say, with a C compiler for it ("aarch64-linux-gnu-gcc"). Flight files
        are the same for all; results there differ in the last digits, by its sines and fused products
    """
    where = checked_target(as_path(path, "library"), "library")[0]
    if not COMPILED:
        raise InputError(
            "a library needs compiled code", where="build_library", hint="unset INTERSTAGE_PLAIN"
        )
    if target is not None and not re.fullmatch(r"[\w.]+(-[\w.]+){1,3}", target):
        raise InputError(
            "not a system to build for",
            where="target",
            expected='as in "aarch64-linux-gnu"',
            got=repr(target),
        )
    other = None if target is None else f"{target}-gcc"
    cc = c_compiler(compiler or other, "build_library")
    if cc is None:
        raise InputError("there is no C compiler", where="build_library", expected="CC, cc, gcc or clang")
    wanted, entries, left_out = _functions(shelf() if devices is None else devices, _chosen(methods))
    code = _code_for(wanted, cpu, target)
    left_out |= {made.name.partition("|")[0]: why for made, why in code.left_out.items()}
    table = [(made.name, made in entries) for made in code.functions]
    write_bytes(where, _linked(code, table, cc), "library")
    write_bytes(where.with_name("interstage.h"), _source("interstage.h").encode(), "header")
    return NativeLibrary(where, [name for name, _ in table], left_out, where.stat().st_size)


def _code_for(wanted: Sequence[AddressedFunction], cpu: str | None, target: str | None) -> ObjectCode:
    """Return the object code of functions for a system, None: this one."""
    try:
        return object_code(wanted, cpu, target)
    except RuntimeError as error:  # of LLVM
        raise InputError(
            "the compiler knows no such system", where="target", got=f"{target}: {str(error)[:120]}"
        ) from None


def shelf() -> list[type[Device]]:
    """Return the classes of devices that come with Interstage: `interstage.devices`, and those of tanks that burn."""
    import interstage.devices as shelf_of
    from interstage.staged_vehicle import propellant_devices as tanks

    found = [getattr(module, name) for module in (shelf_of, tanks) for name in dir(module)]
    classes = [one for one in found if isinstance(one, type) and issubclass(one, Device) and one.functions]
    return list(dict.fromkeys(classes))


def _chosen(names: Sequence[str] | None) -> list[CompiledMethod]:
    """Return compiled methods by their names."""
    methods = METHODS.values() if names is None else [method_of(name) for name in names]
    if names is not None and (other := [one for one in methods if not isinstance(one, CompiledMethod)]):
        raise InputError(f"the method {other[0]} is not compiled", where="methods")
    return [one for one in methods if isinstance(one, CompiledMethod)]


def _functions(
    devices: Iterable[type[Device]], methods: Sequence[CompiledMethod]
) -> tuple[list[AddressedFunction], set[AddressedFunction], dict[str, str]]:
    """Compile entries, stages and functions of devices; return them, the entries, and what does not compile."""
    kinds = {(one.flights, own) for one in methods for own in (False, True) if not own or one.embedded}
    entries: set[int] = set()
    stages: dict[AddressedKernel, None] = {}
    for family, own in sorted(kinds, key=lambda kind: (kind[0] is flights.WMETHOD, kind[1])):
        for without in (True, False):
            entries.add(family.entry(without, own))
            stages |= dict.fromkeys(stages_of(family.door(without, own)))
    places = [*entries, *(stage.compile(np.dtype(float)) for stage in stages if stage.slot >= 0)]
    left_out = {}
    for cls in dict.fromkeys([*ON_WIRES, *devices]):
        for name in cls.functions:
            try:
                places.append(compile_function(cls, name, float))
            except Exception as error:  # whatever the compiler says of a class that is none of its own
                left_out[f"{cls.__module__}.{cls.__qualname__}.{name}"] = str(error).splitlines()[0][:200]
    known = functions_by_address()
    wanted = list(dict.fromkeys(known[at] for at in places))
    return wanted, {known[at] for at in entries}, left_out


def write_sources(folder: Path, code: ObjectCode, table: Sequence[tuple[str, bool]]) -> None:
    """Write the loader `interstage.c` and object code `kernels.o` of some functions into a folder, to be linked."""
    (folder / "kernels.o").write_bytes(code.data)
    (folder / "kernels.h").write_text(_header(table), encoding="utf-8")
    (folder / "stubs.h").write_text(_stubs(code), encoding="utf-8")
    for source in ("interstage.h", "interstage.c"):
        (folder / source).write_text(_source(source), encoding="utf-8")


def _linked(code: ObjectCode, table: Sequence[tuple[str, bool]], cc: str) -> bytes:
    """Return the shared library of some functions and the loader."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_sources(folder, code, table)
        made = folder / "made"
        strict = [] if sys.platform == "darwin" else ["-Wl,--no-undefined", "-Wl,-z,noexecstack", "-s"]
        order = [cc, *FLAGS, "interstage.c", "kernels.o", *strict, "-o", str(made), "-lm"]
        done = subprocess.run(
            order, cwd=folder, capture_output=True, encoding="utf-8", errors="replace", check=False
        )
        if done.returncode != 0:
            said = [line for line in done.stderr.splitlines() if "error" in line or "undefined" in line]
            raise SolverError(
                "the C compiler refuses the library",
                where=cc,
                got=(said or done.stderr.splitlines() or ["nothing"])[0][:300],
            )
        return made.read_bytes()


def _header(table: Sequence[tuple[str, bool]]) -> str:
    """Return `kernels.h`: what the loader knows of the kernels."""
    numbers = {
        "WELL": WELL, "HELD": WAITING, "K_WAITS": kernels.WAITS, "K_DONE": flights.DONE, "K_PAUSED": flights.PAUSED,
        "K_STEPPED": flights.STEPPED, "K_STRETCH": flights.STRETCH, "K_ONE_STEP": flights.ONE_STEP,
        "K_GO_ON": flights.GO_ON, "K_BACK": flights.BACK, "K_SINGLE": kernels.SINGLE,
        "W_LEVEL": kernels.LEVEL, "W_SIGN": kernels.SIGN, "WATCH_SIZE": kernels.HELD + 1,
        "LOOKS": event_location.LOOKS, "APART": event_location.APART, "DRIFT": event_location.DRIFT,
        "LATE": event_location.LATE, "REACH": kernels.REACH, "W_HOLDS": kernels.HOLDS,
        "K_TIMED": flights.TIMED, "K_SLACK": flights.SLACK, "K_HALT_AT": kernels.HALT_AT,
        "K_RIGHT_SIDE": flights.RIGHT_SIDE, "K_TIME": step_control.TIME, "K_KNOWN": step_control.KNOWN,
        "K_END": kernels.END, "K_BEFORE": kernels.BEFORE, "K_HALT": kernels.HALT, "PACE_SIZE": flights.PACE,
    }  # fmt: skip
    lines = [f'#define VERSION "{interstage.__version__}"']
    lines += [f"#define {name} {number}" for name, number in numbers.items()]
    lines += [f"extern void ist_f{k}(void);" for k in range(len(table))]
    lines.append("static const struct { const char *name; int entry; void (*code)(void); } TABLE[] = {")
    lines += [f'    {{"{name}", {int(entry)}, ist_f{k}}},' for k, (name, entry) in enumerate(table)]
    return "\n".join([*lines, "};", ""])


def _stubs(code: ObjectCode) -> str:
    """Return `stubs.h`: what stands for symbols of the interpreter, which only a kernel that failed comes to."""
    text = [f"HIDDEN void *{name}(void) {{ raised = 1; return NULL; }}" for name in sorted(code.calls)]
    return "\n".join([*text, *(f"HIDDEN void *{name}[64];" for name in sorted(code.variables)), ""])


def _source(name: str) -> str:
    return files("interstage.native").joinpath(name).read_text(encoding="utf-8")


def c_compiler(given: str | None, where: str) -> str | None:
    """Return the path of a C compiler, of the one that is given or of the first that is found; None: there is none."""
    if given is not None:
        found = shutil.which(given)
        if found is None:
            raise InputError("there is no such compiler", where=where, got=given)
        return found
    names = [os.environ.get("CC", ""), "cc", "gcc", "clang"]
    return next((found for n in names if n and (found := shutil.which(n))), None)
