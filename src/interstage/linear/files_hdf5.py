"""Trees of named arrays in HDF5 files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import h5py
import numpy as np

from interstage.errors import InputError

BASE = 0  # indices count from here


def write(tree: dict[str, Any], path: Path) -> None:
    """Write a tree; the formats of HDF5 1.10 are understood by every reader."""
    with h5py.File(path, "w", libver=("earliest", "v110")) as f:
        _fill(f, tree)
        for name in ("state_index", "input_index", "output_index"):
            if name in f:
                f[name].attrs["index_base"] = np.int64(BASE)


def _fill(group: h5py.Group, tree: dict[str, Any]) -> None:
    for name, value in tree.items():
        if "/" in str(name) or str(name) in ("", "."):
            raise InputError("a name in a linear-model file cannot hold '/'", got=repr(name))
        if isinstance(value, dict):
            _fill(group.create_group(str(name)), value)
        elif isinstance(value, str):
            data = value.encode("utf-8")
            group.create_dataset(name, data=np.array(data, dtype=f"S{max(len(data), 1)}"))
        elif isinstance(value, list) and all(isinstance(v, str) for v in value):
            texts = [v.encode("utf-8") for v in value]
            width = max([len(t) for t in texts], default=1)
            group.create_dataset(name, data=np.array(texts, dtype=f"S{max(width, 1)}"))
        else:
            data = np.asarray(value)
            # h5py's booleans are an enumeration that Octave does not read
            group[str(name)] = data.astype(np.int64) if data.dtype == bool else data


def read(path: Path) -> dict[str, Any]:
    """Read a tree."""
    with h5py.File(path, "r") as f:
        return _tree(f)


def _tree(group: h5py.Group) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, item in group.items():
        if isinstance(item, h5py.Group):
            found[name] = _tree(item)
            continue
        value = item[()]
        if isinstance(value, bytes | np.bytes_):
            found[name] = bytes(value).decode("utf-8")
        elif isinstance(value, str):
            found[name] = value
        elif value.dtype.kind in "SO":
            found[name] = [
                t.decode("utf-8") if isinstance(t, bytes) else str(t) for t in value.ravel().tolist()
            ]
        else:
            found[name] = value if value.ndim else value.item()
    return found
