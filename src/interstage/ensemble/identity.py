"""What a study runs, as a fingerprint: so that a folder does not mix runs of one thing with those of another.

Code counts by its source, numbers by their bits, vehicles by what their file would hold. Lambdas count by what they
were compiled to, functions inside functions with what they hold. Modules of the same folder that the module of a
function, or of a class of an assembly's devices, imports, and those that they import, count by their files. What cannot
be told (an open file) is believed.
"""

from __future__ import annotations

import ast
import hashlib
import json
import pickle
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from types import FunctionType, MethodType, ModuleType
from typing import Any

import h5py
import numpy as np

from interstage.ensemble.job import Job
from interstage.multibody import State, System
from interstage.multibody.model_file import put_model
from interstage.system.code_names import NoName, code_of
from interstage.system.code_names import fingerprint as code_fingerprint
from interstage.system.described import Describer


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
