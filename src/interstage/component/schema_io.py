"""Write and read each kind of field of a component file (`schema` declares the fields).

Mode shapes of large models stay in the file until a node is read.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import MISSING, dataclass, fields
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import scipy.sparse as sp

from interstage.component.schema import FieldSchema, declared, present, with_mixed
from interstage.errors import InputError
from interstage.hdf5 import FileFault, Group, creation_of, link_name, opened, plain_name, put_array, put_text
from interstage.reading import is_whole

BLOCK = 4096  # grids written at once


# writing --------------------------------------------------------------------------------------------------


def write_record(group: h5py.Group, record: Any, leave_out: tuple[str, ...] = ()) -> None:
    """Write every field that a record declares and has."""
    for field, spot, value in present(record):
        if field not in leave_out:
            *groups, name = spot.dataset.split("/")
            place = group.require_group("/".join(groups)) if groups else group
            _WRITERS[spot.kind](place, name, value, spot, record)


def by_grid(group: h5py.Group, ids: np.ndarray, values: Any) -> None:
    """Write one dataset a grid. The low-level calls are five times quicker than `group[name] = array`."""
    space = h5py.h5s.create_simple(values.shape[1:])
    kind, how = h5py.h5t.IEEE_F64LE, creation_of(np.empty(values.shape[1:]))
    for first in range(0, len(ids), BLOCK):
        block = np.ascontiguousarray(values[first : first + BLOCK], dtype="<f8")
        for node, value in zip(ids[first : first + BLOCK], block):
            h5py.h5d.create(group.id, b"%d" % node, kind, space, how).write(h5py.h5s.ALL, h5py.h5s.ALL, value)


def _write_as(dtype: type) -> Callable[..., None]:
    def write(group: h5py.Group, name: str, value: Any, spot: FieldSchema, record: Any) -> None:
        put_array(group, name, np.asarray(value, dtype=dtype))

    return write


def _write_texts(
    group: h5py.Group, name: str, value: Mapping[str, str], spot: FieldSchema, record: Any
) -> None:
    texts = group.create_group(name)
    for key, text in value.items():
        put_text(texts, link_name(key), str(text))


def _write_systems(group: h5py.Group, name: str, value: Any, spot: FieldSchema, record: Any) -> None:
    position, rotation = (group.create_group(part) for part in spot.parts)
    for cid, (origin, R) in sorted(value.items()):
        put_array(position, str(cid), np.asarray(origin, dtype=float))
        put_array(rotation, str(cid), np.asarray(R, dtype=float))


def _write_sparse(group: h5py.Group, name: str, value: Any, spot: FieldSchema, record: Any) -> None:
    A, part = sp.coo_matrix(value), group.create_group(name)
    whole = {"row": A.row, "col": A.col, "shape": A.shape}
    for key, numbers in whole.items():
        put_array(part, key, np.asarray(numbers, dtype=np.int64))
    put_array(part, "value", A.data)


def _write_table(group: h5py.Group, name: str, value: Any, spot: FieldSchema, record: Any) -> None:
    if value:
        table = group.create_group(name)
        for key, array in value.items():
            put_array(table, key, np.asarray(array, dtype=float))


def _write_records(group: h5py.Group, name: str, value: Any, spot: FieldSchema, record: Any) -> None:
    place = group.create_group(name)
    for one in value:
        if link_name(one.name) in place:
            raise InputError(
                "two child bodies have one name", where=f"component '{record.name}'", got=one.name
            )
        write_record(place.create_group(link_name(one.name)), one)


_WRITERS: dict[str, Callable[[h5py.Group, str, Any, FieldSchema, Any], None]] = {
    "real": _write_as(float),
    "integer": _write_as(np.int64),
    "flag": _write_as(np.uint8),
    "text": lambda group, name, value, spot, record: put_text(group, name, value),
    "lines": lambda group, name, value, spot, record: put_text(group, name, "\n".join(value)),
    "texts": _write_texts,
    "by grid": lambda group, name, value, spot, record: by_grid(
        group.create_group(name), record.node_ids, value
    ),
    "pairs": lambda group, name, value, spot, record: put_array(
        group, name, np.array(sorted(value.items()), dtype=np.int64).reshape(-1, 2)
    ),
    "systems": _write_systems,
    "sparse": _write_sparse,
    "table": _write_table,
    "record": lambda group, name, value, spot, record: write_record(group.create_group(name), value),
    "records": _write_records,
}


# reading --------------------------------------------------------------------------------------------------


@dataclass
class Reading:
    """What readers of fields need besides their group.

    lazy : leave what is stored by grid in the file, or None: where there are many grids
    sizes, values : lengths and fields read so far
    """

    path: Path
    lazy: bool | None
    sizes: dict[str, int]
    values: dict[str, Any]


def read_record(
    cls: type,
    group: Group,
    path: Path,
    lazy: bool | None = False,
    known: Mapping[str, Any] | None = None,
    leave_out: tuple[str, ...] = (),
) -> dict[str, Any]:
    """Read the fields that a record class declares, as far as the file has them; `known` ones are not read.

    A field without a default, or one that is needed, is missed where its group is there.
    """
    at = Reading(path, lazy, with_mixed({}), dict(known or {}))
    spots = declared(cls)
    required = {f.name for f in fields(cls) if f.default is MISSING and f.default_factory is MISSING}
    for field in sorted(spots, key=lambda name: not spots[name].counts):
        spot = spots[field]
        if field in leave_out or (spot.along and at.values.get(spot.along) is None):
            continue
        if field not in at.values:
            *groups, name = spot.dataset.split("/")
            place = _place(group, groups)
            if place is None or not (field in required or spot.needed or place.has(name)):
                continue
            at.values[field] = _READERS[spot.kind](place, name, spot, at)
        if spot.counts:
            at.sizes = with_mixed({**at.sizes, spot.counts: len(at.values[field])})
    return at.values


def _place(group: Group, names: list[str]) -> Group | None:
    for name in names:
        if not group.has(name):
            return None
        group = group.child(name)
    return group


def _read_real(group: Group, name: str, spot: FieldSchema, at: Reading) -> Any:
    return group.array(name, spot.lengths(at.sizes)) if spot.shape else group.number(name)


def _read_integer(group: Group, name: str, spot: FieldSchema, at: Reading) -> Any:
    return group.array(name, spot.lengths(at.sizes), "i") if spot.shape else group.integer(name)


def _read_texts(group: Group, name: str, spot: FieldSchema, at: Reading) -> dict[str, str]:
    texts = group.child(name)
    return {plain_name(entry): texts.text(entry) for entry in texts.names()}


def _read_by_grid(group: Group, name: str, spot: FieldSchema, at: Reading) -> Any:
    reader, ids = group.child(name), at.values["node_ids"]
    shape = tuple(size for size in spot.lengths(at.sizes)[1:] if size is not None)
    if len(ids) > LAZY_NODES if at.lazy is None else at.lazy:
        reader.rows(ids[[0, -1]] if len(ids) else (), shape)
        return ByGrid(at.path, spot.dataset, ids, at.sizes["n"])
    return reader.rows(ids, shape)


def _read_pairs(group: Group, name: str, spot: FieldSchema, at: Reading) -> dict[int, int]:
    return {int(key): int(value) for key, value in group.array(name, (None, 2), "i")}


def _read_systems(group: Group, name: str, spot: FieldSchema, at: Reading) -> Any:
    if not all(group.has(part) for part in spot.parts):
        return {}
    p, R = (group.child(part) for part in spot.parts)
    return {int(c): (p.array(c, (3,)), R.array(c, (3, 3))) for c in p.names() if is_whole(c)}


def _read_sparse(group: Group, name: str, spot: FieldSchema, at: Reading) -> sp.csr_matrix:
    part, wanted = group.child(name), spot.lengths(at.sizes)
    row = part.array("row", (None,), "i")
    col, value = part.array("col", (len(row),), "i"), part.array("value", (len(row),))
    shape = tuple(int(v) for v in part.array("shape", (2,), "i"))
    if shape != wanted:
        raise FileFault(f"'{group.label}{name}' has shape {shape} where its USET has {wanted[0]} rows")
    if len(row) and (min(row.min(), col.min()) < 0 or max(row.max(), col.max()) >= shape[0]):
        raise FileFault(f"'{group.label}{name}' has indices beyond its shape")
    return sp.coo_matrix((value, (row, col)), shape=shape).tocsr()


def _read_table(group: Group, name: str, spot: FieldSchema, at: Reading) -> dict[str, np.ndarray]:
    table = group.child(name)
    return {key: table.array(key, one.lengths(at.sizes)) for key, one in spot.parts.items()}


def _read_one(cls: type | None, group: Group, at: Reading, **known: Any) -> Any:
    assert cls is not None
    return cls(**read_record(cls, group, at.path, known=known))


_READERS: dict[str, Callable[[Group, str, FieldSchema, Reading], Any]] = {
    "real": _read_real,
    "integer": _read_integer,
    "flag": lambda group, name, spot, at: group.array(name, spot.lengths(at.sizes), "i") != 0,
    "text": lambda group, name, spot, at: group.text(name),
    "lines": lambda group, name, spot, at: [line for line in group.text(name).split("\n") if line],
    "texts": _read_texts,
    "by grid": _read_by_grid,
    "pairs": _read_pairs,
    "systems": _read_systems,
    "sparse": _read_sparse,
    "table": _read_table,
    "record": lambda group, name, spot, at: _read_one(spot.record, group.child(name), at),
    "records": lambda group, name, spot, at: [
        _read_one(spot.record, group.child(name).child(link), at, name=plain_name(link))
        for link in group.child(name).names()
    ],
}


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
                raise FileFault("the component file was written anew after it was loaded: load it again")
            return self.factor * group.rows(self.ids[rows], (3, self.n))
