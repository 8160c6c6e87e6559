"""Trees of named arrays in MATLAB files (version 5): groups are structs, lists of texts are cell arrays.

Field names of structs must be identifiers of MATLAB: others are changed there (`core.52` becomes `core_52`), and
`NAMES` keeps the true ones.
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
    out = _fields(tree, changed)
    for name in _INDEX:
        out[name] = {k: np.asarray(v) + BASE for k, v in out[name].items()}
    out["INDEX_BASE"] = float(BASE)
    out["NAMES"] = _cell(changed)
    with whole_file(path, "linear-model file") as part, open(part, "wb") as f:
        savemat(f, out, long_field_names=True, oned_as="column", do_compression=False)


def _fields(tree: dict[str, Any], changed: list[str], prefix: str = "") -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in tree.items():
        field = _identifier(str(name), set(found))
        if field != name:
            changed.append(f"{prefix}{field}\t{name}")
        if isinstance(value, dict):
            found[field] = _fields(value, changed, f"{prefix}{field}/")
        elif isinstance(value, list) and all(isinstance(text, str) for text in value):
            found[field] = _cell(value)
        elif isinstance(value, bool):
            found[field] = float(value)
        else:
            found[field] = value
    return found


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
    pairs = (text.split("\t", 1) for text in _texts(raw.pop("NAMES", [])))
    names = {pair[0]: pair[1] for pair in pairs if len(pair) == 2}
    raw.pop("INDEX_BASE", None)
    return {names.get(k, k): _value(v, names, f"{k}/", k in "ABCD") for k, v in raw.items()}


def _texts(found: Any) -> list[str]:
    """Texts of a cell array; an empty one is an array without numbers."""
    return [part for part in found if isinstance(part, str)] if isinstance(found, list) else []


def _value(value: Any, names: dict[str, str], prefix: str, matrix: bool = False) -> Any:
    if isinstance(value, dict):
        return {names.get(f"{prefix}{k}", k): _value(v, names, f"{prefix}{k}/") for k, v in value.items()}
    if isinstance(value, list):
        return [part if isinstance(part, str) else "" for part in value]
    if isinstance(value, str) or matrix:
        return value
    if value.shape == (1, 1):
        return value.item()
    return value.ravel() if value.ndim == 2 and 1 in value.shape else value
