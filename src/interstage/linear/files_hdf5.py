"""Trees of named arrays in HDF5 files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import h5py
import numpy as np

from interstage.hdf5 import link_name, opened, put_array, put_text, put_texts, write_hdf5

BASE = 0  # indices count from here


def write(tree: dict[str, Any], path: Path) -> None:
    """Write a tree, whole or not at all."""

    def fill(f: h5py.File) -> None:
        _fill(f, tree)
        for name in ("state_index", "input_index", "output_index"):
            if name in f:
                f[name].attrs["index_base"] = np.int64(BASE)

    write_hdf5(path, fill, what="linear-model file")


def _fill(group: h5py.Group, tree: dict[str, Any]) -> None:
    for key, value in tree.items():
        name = link_name(key)
        if isinstance(value, dict):
            _fill(group.create_group(name), value)
        elif isinstance(value, str):
            put_text(group, name, value)
        elif isinstance(value, list) and all(isinstance(v, str) for v in value):
            put_texts(group, name, value)
        else:
            data = np.asarray(value)
            # h5py's booleans are an enumeration that Octave does not read
            put_array(group, name, data.astype(np.int64) if data.dtype == bool else data)


def read(path: Path) -> dict[str, Any]:
    """Read a tree."""
    with opened(path, "linear-model file") as group:
        return group.tree()
