"""Trees of named arrays in MATLAB files (version 5): groups are structs, lists of texts are cell arrays.

Field names of structs must be identifiers of MATLAB: others are changed there (`core.52` becomes `core_52`), and
`NAMES` keeps the true ones. Every array has two dimensions there: numbers alone and columns are read as numbers and as
arrays of one dimension, and `SHAPES` keeps the shape of those that are neither.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
from scipy.io import savemat

from interstage.linear.mat5 import read_mat5
from interstage.output import whole_file

BASE = 1  # MATLAB counts from one
_INDEX = ("state_index", "input_index", "output_index")


def write(tree: dict[str, Any], path: Path) -> None:
    """Write a tree."""
    changed: list[str] = []
    shapes: list[str] = []
    out = _fields(tree, changed, shapes)
    for name in _INDEX:
        out[name] = {k: np.asarray(v) + BASE for k, v in out[name].items()}
    out["INDEX_BASE"] = float(BASE)
    out["NAMES"], out["SHAPES"] = _cell(changed), _cell(shapes)
    with whole_file(path, "linear-model file") as part, open(part, "wb") as f:
        # packed, every variable is under a checksum
        savemat(f, out, long_field_names=True, oned_as="column", do_compression=True)


def _fields(tree: dict[str, Any], changed: list[str], shapes: list[str], prefix: str = "") -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in tree.items():
        field = _identifier(str(name), set(found))
        if field != name:
            changed.append(f"{prefix}{field}\t{name}")
        if isinstance(value, dict):
            found[field] = _fields(value, changed, shapes, f"{prefix}{field}/")
        elif isinstance(value, list) and all(isinstance(text, str) for text in value):
            found[field] = _cell(value)
        else:
            found[field] = value
            shape = np.shape(value)
            wide = shape if len(shape) > 1 else (0, 0) if shape == (0,) else (*shape, 1, 1)[:2]
            if not isinstance(value, str) and _plain(wide) != shape:
                shapes.append(f"{prefix}{field}\t{' '.join(map(str, shape))}")
    return found


def _plain(shape: tuple[int, ...]) -> tuple[int, ...]:
    """Return the shape that an array of two dimensions or more is given when it is read."""
    if shape == (1, 1):
        return ()
    return (shape[0] * shape[1],) if len(shape) == 2 and 1 in shape else shape


def _cell(texts: list[str]) -> np.ndarray:
    cell = np.empty((len(texts), 1), dtype=object)
    for k, text in enumerate(texts):
        cell[k, 0] = text
    return cell


def _identifier(name: str, taken: set[str]) -> str:
    """Return a name that MATLAB takes: letters, digits, underscores, at most 63, unlike those before."""
    field = re.sub(r"\W", "_", name, flags=re.ASCII)
    field = (field if field[:1].isalpha() else f"n{field}")[:58]
    unique, k = field, 2
    while unique in taken:
        unique, k = f"{field}_{k}", k + 1
    return unique


def read(path: Path) -> dict[str, Any]:
    """Read a tree."""
    raw = read_mat5(path)
    names, shapes = (_pairs(raw.pop(listed, [])) for listed in ("NAMES", "SHAPES"))
    raw.pop("INDEX_BASE", None)
    return {names.get(k, k): v if k in "ABCD" else _value(v, names, shapes, k) for k, v in raw.items()}


def _pairs(listed: Any) -> dict[str, str]:
    """Return {path: what is said of it} of a cell array."""
    pairs = (text.split("\t", 1) for text in _texts(listed))
    return {pair[0]: pair[1] for pair in pairs if len(pair) == 2}


def _texts(found: Any) -> list[str]:
    """Texts of a cell array; an empty one is an array without numbers."""
    return [part for part in found if isinstance(part, str)] if isinstance(found, list) else []


def _value(value: Any, names: dict[str, str], shapes: dict[str, str], path: str) -> Any:
    if isinstance(value, dict):
        return {
            names.get(f"{path}/{k}", k): _value(v, names, shapes, f"{path}/{k}") for k, v in value.items()
        }
    if isinstance(value, list):
        return [part if isinstance(part, str) else "" for part in value]
    if isinstance(value, str):
        return value
    if path in shapes:
        return value.reshape([int(n) for n in shapes[path].split()])
    found = value.reshape(_plain(value.shape))
    return found.item() if found.ndim == 0 else found
