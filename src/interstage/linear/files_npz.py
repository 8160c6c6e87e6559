"""Trees of named arrays in numpy's .npz files: groups are parts of names, `input_index/thruster`."""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import Any

import numpy as np

from interstage.hdf5 import link_name, plain_name
from interstage.output import check_unpacked, whole_file

BASE = 0


def write(tree: dict[str, Any], path: Path) -> None:
    """Write a tree."""
    flat: dict[str, np.ndarray] = {}
    _flatten(tree, "", flat)
    # numpy's own writer takes no array that is called `file`
    with whole_file(path, "linear-model file") as part, zipfile.ZipFile(part, "w", zipfile.ZIP_DEFLATED) as f:
        for name, value in flat.items():
            with f.open(f"{name}.npy", "w", force_zip64=True) as entry:
                np.lib.format.write_array(entry, value, allow_pickle=False)


def _flatten(tree: dict[str, Any], prefix: str, flat: dict[str, np.ndarray]) -> None:
    for name, value in tree.items():
        key = f"{prefix}{link_name(name)}"
        if isinstance(value, dict):
            flat[f"{key}/"] = np.zeros(0)
            _flatten(value, f"{key}/", flat)
        elif isinstance(value, list) and all(isinstance(text, str) for text in value):
            flat[key] = np.array(value, dtype=str) if value else np.zeros(0, dtype="U1")
        else:
            flat[key] = np.asarray(value)


def read(path: Path) -> dict[str, Any]:
    """Read a tree."""
    found: dict[str, Any] = {}
    # numpy leaves a file open that it cannot read
    with open(path, "rb") as file, np.load(file, allow_pickle=False) as f:
        check_unpacked(sum(part.file_size for part in f.zip.infolist()), path)
        for key in f.files:
            *groups, name = key.split("/")
            place = found
            for group in groups:
                place = place.setdefault(plain_name(group), {})
            if name:
                place[plain_name(name)] = _value(f[key])
    return found


def _value(value: np.ndarray) -> Any:
    if value.dtype.kind == "U":
        return str(value) if value.ndim == 0 else [str(t) for t in value]
    return value.item() if value.ndim == 0 else value
