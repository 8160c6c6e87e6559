"""Mode shapes that stay in the file until someone asks for a node."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from interstage.hdf5 import Fault, opened

LAZY_NODES = 2000  # nodes above which shapes are left in the file


def file_state(path: Path) -> tuple[int, ...]:
    """Return what changes when a file is written anew."""
    found = path.stat()
    return found.st_ino, found.st_size, found.st_mtime_ns


def _by_rows(key: Any) -> bool:
    """Tell whether a key names rows one after the other, as an integer, a slice or a list does."""
    if isinstance(key, slice):
        return True
    return key is not None and key is not Ellipsis and not isinstance(key, tuple) and np.ndim(key) < 2


class ByGrid:
    """An array (N, 3, n) read node by node from a group that has one dataset (3, n) a grid.

    `shapes[row]`, `shapes[rows]`, `shapes[a:b, :, :5]` read just those nodes; `np.asarray(shapes)` reads all.
    """

    ndim = 3
    dtype = np.dtype(float)

    def __init__(
        self,
        path: Path,
        group: str,
        ids: np.ndarray,
        n: int,
        factor: float = 1.0,
        state: tuple[int, ...] | None = None,
    ):
        self.path, self.group, self.ids, self.n, self.factor = Path(path).absolute(), group, ids, n, factor
        self.state = file_state(self.path) if state is None else state

    @property
    def shape(self) -> tuple[int, int, int]:
        return (len(self.ids), 3, self.n)

    def __len__(self) -> int:
        return len(self.ids)

    def __getitem__(self, key: Any) -> np.ndarray:
        first, rest = (key[0], key[1:]) if isinstance(key, tuple) and key else (key, ())
        if not _by_rows(first) or not all(isinstance(one, int | np.integer | slice) for one in rest):
            return np.asarray(self)[key]
        rows = np.arange(len(self.ids))[first]
        out = self._read(np.atleast_1d(rows).ravel())
        if np.ndim(rows) == 0:
            return out[0][rest] if rest else out[0]
        return out[(slice(None), *rest)] if rest else out

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        return self._read(np.arange(len(self.ids))).astype(dtype or float, copy=False)

    def __mul__(self, factor: float) -> ByGrid:
        return ByGrid(self.path, self.group, self.ids, self.n, self.factor * factor, self.state)

    def __repr__(self) -> str:
        return f"ByGrid({self.group} of {self.path.name}, shape {self.shape})"

    def _read(self, rows: np.ndarray) -> np.ndarray:
        with opened(self.path, "component file") as group:
            for name in self.group.split("/"):
                group = group.child(name)
            if file_state(self.path) != self.state:
                raise Fault("the component file was written anew after it was loaded: load it again")
            return self.factor * group.rows(self.ids[rows], (3, self.n))
