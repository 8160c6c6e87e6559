"""Trees of named arrays in MATLAB files (version 5): groups are structs, lists of texts are cell arrays.

Field names of structs must be identifiers of MATLAB: others are changed there (`core.52` becomes `core_52`), and
`NAMES` keeps the true ones.
"""

from __future__ import annotations

import re
import struct
import zlib
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from scipy.io import loadmat, savemat

from interstage.output import check_unpacked, unpack_limit, whole_file

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
    with open(path, "rb") as f:
        check_unpacked(_unpacked(f, unpack_limit(path)), path)
        f.seek(0)
        raw = loadmat(f, squeeze_me=False, struct_as_record=True, chars_as_strings=True)
    names = dict(text.split("\t", 1) for text in _texts(raw.pop("NAMES", np.empty((0, 0), object))))
    raw = {k: v for k, v in raw.items() if not k.startswith("__")}
    raw.pop("INDEX_BASE", None)
    return {names.get(k, k): _value(v, names, f"{k}/", k in "ABCD") for k, v in raw.items()}


def _unpacked(f: BinaryIO, limit: int) -> int:
    """Bytes of all variables of a version-5 file once they are unpacked, counted up to a limit, not kept."""
    order = "<" if f.read(128)[126:128] == b"IM" else ">"
    total = 0
    while len(tag := f.read(8)) == 8:
        kind, count = struct.unpack(order + "2I", tag)
        if kind != 15:  # not compressed
            total += count
            f.seek(count, 1)
            continue
        packed, stream = f.read(count), zlib.decompressobj()
        while packed and not stream.eof and total <= limit:
            total += len(stream.decompress(packed, 1 << 24))
            packed = stream.unconsumed_tail
    return total


def _texts(cell: np.ndarray) -> list[str]:
    return ["".join(np.asarray(t).ravel().tolist()) for t in cell.ravel()]


def _value(value: np.ndarray, names: dict[str, str], prefix: str, matrix: bool = False) -> Any:
    if value.dtype.names is not None:
        if value.size == 0:
            return {}
        record = value.ravel()[0]
        return {
            names.get(f"{prefix}{k}", k): _value(record[k], names, f"{prefix}{k}/") for k in value.dtype.names
        }
    if value.dtype == object:
        # a struct without fields comes back as an object that is nothing
        return {} if value.size and all(item is None for item in value.ravel()) else _texts(value)
    if value.dtype.kind == "U":
        rows = value.ravel().tolist()
        return [row.rstrip() for row in rows] if len(rows) > 1 else "".join(rows)
    if matrix:
        return value
    if value.shape == (1, 1):
        return value.item()
    return value.ravel() if value.ndim == 2 and 1 in value.shape else value
