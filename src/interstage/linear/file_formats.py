"""Trees of named arrays as HDF5 files, numpy's .npz files, and MATLAB scripts.

In .npz files groups are parts of names, `input_index/thruster`. A script defines A, B, C, D, names and (with a control
toolbox) `sys`: for Simulink, a State-Space block with A, B, C, D, or an LTI System block with `sys`. Octave
runs it too.
"""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import Any

import h5py
import numpy as np

from interstage.hdf5 import link_name, opened, plain_name, put_array, put_text, put_texts, write_hdf5
from interstage.output import check_unpacked, whole_file, write_text


def write_hdf5_file(tree: dict[str, Any], path: Path) -> None:
    """Write a tree to an HDF5 file, atomically."""

    def fill(f: h5py.File) -> None:
        _fill_group(f, tree)
        for name in ("state_index", "input_index", "output_index"):
            if name in f:
                f[name].attrs["index_base"] = np.int64(0)

    write_hdf5(path, fill, what="linear-model file")


def _fill_group(group: h5py.Group, tree: dict[str, Any]) -> None:
    for key, value in tree.items():
        name = link_name(key)
        if isinstance(value, dict):
            _fill_group(group.create_group(name), value)
        elif isinstance(value, str):
            put_text(group, name, value)
        elif isinstance(value, list) and all(isinstance(v, str) for v in value):
            put_texts(group, name, value)
        else:
            data = np.asarray(value)
            # h5py's booleans are an enumeration that Octave does not read
            put_array(group, name, data.astype(np.int64) if data.dtype == bool else data)


def read_hdf5_file(path: Path) -> dict[str, Any]:
    """Read a tree from an HDF5 file."""
    with opened(path, "linear-model file") as group:
        return group.tree()


def write_npz(tree: dict[str, Any], path: Path) -> None:
    """Write a tree to an .npz file."""
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


def read_npz(path: Path) -> dict[str, Any]:
    """Read a tree from an .npz file."""
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
                place[plain_name(name)] = _npz_value(f[key])
    return found


def _npz_value(value: np.ndarray) -> Any:
    if value.dtype.kind == "U":
        return str(value) if value.ndim == 0 else [str(t) for t in value]
    return value.item() if value.ndim == 0 else value


def write_script(tree: dict[str, Any], path: Path) -> None:
    """Write a MATLAB script, with every digit."""
    rate = "x(k+1)" if tree["dt"] else "x'"
    lines = [
        f"% {_line(tree['NAME'])}: {rate} = A x + B u, y = C x + D u",
        f"% written by Interstage {tree['INTERSTAGE_VERSION']}",
    ]
    lines += [f"% {_line(note)}" for note in tree["notes"]]
    lines += [f"{letter} = {_matrix(np.asarray(tree[letter]))};" for letter in "ABCD"]
    lines.append(f"Ts = {tree['dt']!r}; % seconds from one sample to the next, 0: continuous time")
    for what in ("state", "input", "output"):
        for part in ("names", "units"):
            lines.append(f"{what}_{part} = {_cell(tree[f'{what}_{part}'])};")
    lines += [
        "if exist('ss', 'file') || exist('ss', 'builtin')",
        "  sys = ss(A, B, C, D, Ts, 'StateName', state_names, 'InputName', input_names, 'OutputName', output_names);",
        "end",
        "",
    ]
    write_text(path, "\n".join(lines), "linear-model file")


def _line(text: object) -> str:
    return " ".join(str(text).split())


def _matrix(M: np.ndarray) -> str:
    """Return a matrix row by row; one without rows or columns keeps its size."""
    if not M.size:
        return f"zeros({M.shape[0]}, {M.shape[1]})"
    rows = [" ".join(repr(float(v)) for v in row) for row in M]
    return "[\n  " + "\n  ".join(rows) + "\n]"


def _cell(texts: list[str]) -> str:
    return "{" + "; ".join("'" + _line(text).replace("'", "''") + "'" for text in texts) + "}"
