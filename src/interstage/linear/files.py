"""Linear-model files: HDF5 in the layout of NESC App. G.4, .mat and .npz; written whole or not at all.

All three hold one tree of named arrays (docs/linear_file.md):

    A B C D                                   the matrices
    state_index, input_index, output_index    {group: indices}, from 0 (from 1 in .mat, as MATLAB counts)
    grid_positions                            {node: position} from the reference place, in its axes
    rigid_body_mass_properties                mass, cmoffset, inertia about the reference place
    state_names ... output_units, operating_point, linearization, and what the user adds by name
    dt, notes                                 seconds from sample to sample (0: continuous time); sentences
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from interstage import __version__
from interstage.errors import FileError, InputError, InterstageError
from interstage.files import LINEAR, LINEAR_SET, FileKind, check_version, expect
from interstage.hdf5 import encoded
from interstage.linear.file_formats import read_hdf5_file, read_npz, write_hdf5_file, write_npz, write_script
from interstage.linear.mat_file import read_mat, write_mat
from interstage.linear.model import LinearModel
from interstage.linear.model_set import LinearModelSet
from interstage.output import as_path

SCHEMA_VERSION = 2  # 1 had neither dt nor notes
SET_VERSION = 1  # of files with several models
_MAPS = ("state_index", "input_index", "output_index")
_VECTORS = ("q", "v", "vdot", "y", "u")  # of the operating point; its t is a number
_LISTS = ("states", "inputs", "outputs")
_KNOWN = {
    *"ABCD",
    *_MAPS,
    "FORMAT",
    "SCHEMA_VERSION",
    "NAME",
    "INTERSTAGE_VERSION",
    "TIME_STAMP",
    "INDEX_BASE",
    "grid_positions",
    "rigid_body_mass_properties",
    "operating_point",
    "linearization",
    "dt",
    "notes",
    *(f"{what[:-1]}_{part}" for what in _LISTS for part in ("names", "units")),
}
WRITERS = {
    ".h5": write_hdf5_file,
    ".hdf5": write_hdf5_file,
    ".mat": write_mat,
    ".npz": write_npz,
    ".m": write_script,  # scripts are written, not read
}
_READERS = {
    "hdf5": (read_hdf5_file, 0),
    "mat": (read_mat, 1),
    "zip": (read_npz, 0),
}  # and where indices begin


def as_tree(model: LinearModel) -> dict[str, Any]:
    """Return the model as nested dictionaries of arrays, numbers, texts and lists of texts."""
    clash = _KNOWN & set(model.extras)
    if clash:
        raise InputError(f"'{min(clash)}' is a name of the layout, not free for extras")
    for name, value in model.extras.items():
        _check_extra(name, value)
    tree: dict[str, Any] = {
        "FORMAT": LINEAR.format,
        "SCHEMA_VERSION": SCHEMA_VERSION,
        "NAME": model.name,
        "INTERSTAGE_VERSION": __version__,
        "TIME_STAMP": datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
    }
    tree |= {letter: getattr(model, letter) for letter in "ABCD"}
    tree |= {name: dict(getattr(model, name)) for name in _MAPS}
    for what in _LISTS:
        tree[f"{what[:-1]}_names"] = list(getattr(model, what))
        tree[f"{what[:-1]}_units"] = list(getattr(model, f"{what[:-1]}_units"))
    tree["grid_positions"] = {str(k): np.asarray(p, dtype=float) for k, p in model.grid_positions.items()}
    tree["rigid_body_mass_properties"] = dict(model.mass_properties)
    tree["operating_point"] = dict(model.operating_point)
    tree["linearization"] = dict(model.method)
    tree["dt"] = 0.0 if model.dt is None else model.dt  # as MATLAB's Ts: 0 is continuous time
    tree["notes"] = list(model.notes)
    return tree | dict(model.extras)


def from_tree(tree: dict[str, Any], base: int = 0) -> LinearModel:
    """Return the model of a tree; names that a foreign file lacks are made from its index maps."""
    ours = tree.get("FORMAT") == LINEAR.format
    new = ("dt", "notes") if ours and float(tree.get("SCHEMA_VERSION", 1)) < 2 else ()  # were free for extras
    added = {k: v for k, v in tree.items() if (k not in _KNOWN or k in new) and (ours or k != "Ts")}
    tree = {k: v for k, v in tree.items() if k not in new}
    matrices = {letter: np.atleast_2d(np.asarray(tree[letter])) for letter in "ABCD"}
    n, nu, ny = len(matrices["A"]), matrices["B"].shape[1], len(matrices["C"])
    maps = {name: _index_map(tree.get(name, {}), base, ours) for name in _MAPS}
    fields: dict[str, Any] = dict(matrices) | maps
    for what, count in (("states", n), ("inputs", nu), ("outputs", ny)):
        one = what[:-1]
        fields[what] = _texts(tree.get(f"{one}_names")) or _names_from(maps[f"{one}_index"], count, one[0])
        fields[f"{one}_units"] = _texts(tree.get(f"{one}_units"))
    return LinearModel(
        **fields,
        grid_positions=tree.get("grid_positions", {}),
        mass_properties={
            k: (float(v) if np.ndim(v) == 0 else v)
            for k, v in tree.get("rigid_body_mass_properties", {}).items()
        },
        operating_point={
            k: np.atleast_1d(v)
            if k in _VECTORS
            else np.asarray(v).reshape(())
            if k == "t" and np.size(v) == 1
            else v
            for k, v in tree.get("operating_point", {}).items()
        },
        method=_method(tree.get("linearization", {})),
        extras=added,
        name=tree.get("NAME", "linear model"),
        dt=_sample_time(tree, ours),
        notes=tuple(_texts(tree.get("notes"))),
    )


def _sample_time(tree: dict[str, Any], ours: bool) -> float | None:
    """Return the sample time; of files of other tools `dt` or `Ts`; 0 is continuous time."""
    found = tree.get("dt", 0.0 if ours else tree.get("Ts", 0.0))
    return float(np.asarray(found).item()) or None


def _texts(found: Any) -> list[str]:
    """Return a list of texts, also of one text alone."""
    return [found] if isinstance(found, str) else list(found or [])


def _check_extra(name: str, value: Any) -> None:
    """Refuse what the files cannot hold."""
    if isinstance(value, dict):
        for inner, part in value.items():
            _check_extra(f"{name}.{inner}", part)
        return
    try:
        kind = np.asarray(value).dtype.kind
    except ValueError:
        kind = "O"
    if kind not in "biufcUS":
        raise InputError(
            f"the extra '{name}' cannot go into a linear-model file",
            expected="an array of numbers, a text, a list of texts, or a dictionary of these",
            got=repr(value)[:60],
        )


def _method(found: dict[str, Any]) -> dict[str, Any]:
    turn = {"step": float, "error": float, "richardson": bool}
    return {k: turn.get(k, lambda v: v)(v) for k, v in found.items()}


def _index_map(found: Any, base: int, ours: bool) -> dict[str, np.ndarray]:
    """Return indices by name; files of other tools may put a dot in front of the names."""
    places = {k: np.atleast_1d(np.asarray(v)).astype(np.int64).ravel() - base for k, v in found.items()}
    return places if ours else {k.lstrip("."): v for k, v in places.items()}


def _names_from(index: dict[str, np.ndarray], count: int, letter: str) -> list[str]:
    names = [f"{letter}{k + 1}" for k in range(count)]
    for group, places in index.items():
        for j, k in enumerate(places):
            if 0 <= k < count:
                names[k] = group if len(places) == 1 else f"{group}.{j + 1}"
    return names


def write_linear(model: LinearModel, path: str | Path, kind: str | None = None) -> None:
    """Write a model; an existing file is replaced only by a complete one."""
    path = as_path(path, "linear-model file")
    ending = kind or path.suffix.lower()
    if ending not in WRITERS:
        raise InputError(
            "unknown kind of linear-model file", expected=", ".join(WRITERS), got=repr(path.name)
        )
    tree = _worded(as_tree(model), "linear model")
    WRITERS[ending](tree, path)


def _worded(value: Any, where: str) -> Any:
    """Return a tree with all names and texts as Unicode; those that no file gives back as they were are refused."""
    if isinstance(value, str):
        return encoded(value, where).decode("utf-8")
    if isinstance(value, dict):
        return {_worded(str(name), where): _worded(part, f"{where}, {name}") for name, part in value.items()}
    if isinstance(value, list):
        return [_worded(part, where) for part in value]
    return value


def _check_whole(tree: dict[str, Any], path: Path) -> None:
    """Refuse a file of ours that lost something: without its sample time a sampled model would be a continuous one."""
    if tree.get("FORMAT") != LINEAR.format or float(tree.get("SCHEMA_VERSION", 1)) < 2:
        return
    needed = [*(f"{what[:-1]}_names" for what in _LISTS), "dt"]
    lost = [name for name in needed if name not in tree]
    if lost:
        raise FileError("the linear-model file is damaged", where=str(path), got=f"no {', '.join(lost)}")


def read_linear(path: str | Path) -> LinearModel:
    """Read a model from HDF5, .mat or .npz, as its content says."""
    path = as_path(path, "linear-model file")
    read_tree, index_base = _READERS[expect(path, LINEAR)]
    tree = _read(read_tree, path)
    missing = [letter for letter in "ABCD" if letter not in tree]
    if missing:
        raise FileError(
            "this is no linear-model file", where=str(path), expected="A, B, C, D", got=", ".join(tree)
        )
    with _laid_out(path, LINEAR):
        check_version(float(tree.get("SCHEMA_VERSION", SCHEMA_VERSION)), SCHEMA_VERSION, LINEAR, path)
        _check_whole(tree, path)
        return from_tree(tree, index_base)
    raise AssertionError  # not reached: the context passes on all errors


def write_linear_set(models: LinearModelSet, path: Path) -> None:
    """Write all models of a set into one HDF5 file, each laid out as in a file of its own."""
    tree: dict[str, Any] = {
        "FORMAT": LINEAR_SET.format,
        "SCHEMA_VERSION": SET_VERSION,
        "NAME": models.name,
        "INTERSTAGE_VERSION": __version__,
        "TIME_STAMP": datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "over": models.over,
        "values": models.values,
        "models": {f"{k:06d}": as_tree(model) for k, model in enumerate(models)},
    }
    write_hdf5_file(_worded(tree, "set of linear models"), path)


def read_linear_set(path: str | Path) -> LinearModelSet:
    """Read a set of models from HDF5."""
    path = as_path(path, LINEAR_SET.words)
    expect(path, LINEAR_SET)
    tree = _read(read_hdf5_file, path)
    with _laid_out(path, LINEAR_SET):
        check_version(float(tree["SCHEMA_VERSION"]), SET_VERSION, LINEAR_SET, path)
        parts, values = tree.get("models", {}), np.atleast_1d(np.asarray(tree["values"], dtype=float))
        names = sorted(parts)
        if len(names) != len(values):
            raise FileError(
                f"the {LINEAR_SET.words} is damaged",
                where=str(path),
                expected=f"{len(values)} models",
                got=f"{len(names)}",
            )
        for name in names:
            _check_whole(parts[name], path)
        return LinearModelSet(
            [from_tree(parts[name]) for name in names], values, str(tree["over"]), str(tree["NAME"])
        )
    raise AssertionError  # not reached: the context passes on all errors


@contextmanager
def _laid_out(path: Path, kind: FileKind) -> Iterator[None]:
    """Turn what a tree of another layout raises into one sentence."""
    try:
        yield
    except FileError:
        raise
    except InterstageError as error:
        raise FileError(error.what, where=str(path), expected=error.expected, got=error.got) from None
    except (
        TypeError,
        ValueError,
        AttributeError,
        LookupError,
        ArithmeticError,
        MemoryError,
        RuntimeError,
    ) as error:
        raise FileError(
            f"the {kind.words} is not laid out as one",
            where=str(path),
            got=str(error).splitlines()[0] if str(error) else type(error).__name__,
        ) from None


def _read(read: Callable[[Path], dict[str, Any]], path: Path) -> dict[str, Any]:
    try:
        return read(path)
    except FileError:
        raise
    except Exception as error:  # readers of three libraries fail in many ways on a damaged file
        words = str(error).splitlines()
        raise FileError(
            "the linear-model file cannot be read",
            where=str(path),
            got=words[0] if words else type(error).__name__,
        ) from None
