"""How a field of a record is declared: its dataset, shape and unit, in one place, and what follows from them alone.

    E: np.ndarray = field(metadata=stored("ModalIntegral/P1", "3 n", "m L/eta"))

Reading and writing (`hdf5_read`, `hdf5_write`), conversion of units, checks of shapes and the choice of some modes or
nodes all go by this declaration; a new field needs nothing else but the code that computes it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cache
from typing import Any

import numpy as np
import scipy.sparse as sp

from interstage.errors import InputError

# axes whose entries are coordinates of several kinds, each with a unit of its own
MIXED = {"s", "s+n", "x", "card", "load", "row"}

# what a recovery row is, and its unit
QUANTITIES = {
    "force": "m L/T^2",
    "moment": "m L^2/T^2",
    "force per length": "m/T^2",
    "moment per length": "m L/T^2",
    "stress": "m/L T^2",
    "displacement": "L",
    "rotation": "1",
    "strain": "1",
}


@dataclass(frozen=True)
class FieldSchema:
    """Where a field lies in the component file, and what its numbers are.

    dataset : name with its groups; of a record or table, the group that holds it
    shape : length of each axis: a number, n modes, N nodes, "any", or a name that another field counts. Mixed axes are
        "s" (three rotations, three translations), "s+n" (these, then modes), "x" (rows of the record's own uset),
        "load" (products of ω, forces, moments, as the record's own load says) and "card" (grid id, CP, CD, X, Y, Z):
        the unit is then that of an entry times its coordinates; and "row" (results of the record's own quantities):
        the unit is then that of an entry over its result
    unit : product of powers of m, L, T and eta, the modal coordinate (m^1/2 L), as in "m L^2/T eta"
    kind : real, integer, flag, text, lines, texts, by grid, pairs, systems, sparse, table, record or records
    counts : name of the length that this array defines; such arrays are read first
    along : field without which this one is neither written nor read
    needed : that it is missing in a file is a fault, default or not, if its group is there
    record : class of a record, or of each of the records
    parts : declaration of each array of a table, or the names of texts that are known beforehand
    """

    dataset: str
    shape: tuple[str, ...] = ()
    unit: str = "1"
    kind: str = "real"
    counts: str = ""
    along: str = ""
    needed: bool = False
    record: type | None = None
    parts: Mapping[str, FieldSchema] = field(default_factory=dict)

    def lengths(self, sizes: Mapping[str, int]) -> tuple[int | None, ...]:
        """Return the shape in numbers, None where any length will do."""
        return tuple(int(axis) if axis.isdigit() else sizes.get(axis) for axis in self.shape)


def stored(dataset: str, shape: str = "", unit: str = "1", **more: Any) -> dict[str, FieldSchema]:
    """Declare a field of a record: metadata for `dataclasses.field`; arguments as in `FieldSchema`."""
    powers(unit)
    return {"stored": FieldSchema(dataset, tuple(shape.split()), unit, **more)}


def part(shape: str, unit: str) -> FieldSchema:
    """Declare one array of a table, whose name is its key."""
    return FieldSchema("", tuple(shape.split()), unit)


@cache
def declared(record: type) -> dict[str, FieldSchema]:
    """Return the declarations of a record class by field."""
    return {f.name: f.metadata["stored"] for f in fields(record) if "stored" in f.metadata}


def present(record: Any) -> Iterator[tuple[str, FieldSchema, Any]]:
    """Give field, declaration and value of all that a record has, without what goes along with what it has not."""
    for name, spot in declared(record.__class__).items():
        value = getattr(record, name)
        if value is not None and not (spot.along and getattr(record, spot.along) is None):
            yield name, spot, value


def sizes_of(record: Any, above: Mapping[str, int] | None = None) -> dict[str, int]:
    """Return the lengths that the arrays of a record define, beside those of the record above it."""
    counted = {spot.counts: len(value) for _, spot, value in present(record) if spot.counts}
    return with_mixed({**(above or {}), **counted})


def with_mixed(sizes: dict[str, int]) -> dict[str, int]:
    """Add the lengths of mixed axes."""
    return {**sizes, "s": 6, "card": 6, **({"s+n": 6 + sizes["n"]} if "n" in sizes else {})}


# checking -------------------------------------------------------------------------------------------------


def check_shapes(record: Any, where: str, above: Mapping[str, int] | None = None) -> None:
    """Refuse arrays that do not have the declared shape (InputError)."""
    sizes = sizes_of(record, above)
    for name, spot, value in present(record):
        if spot.record is not None:
            for one in value if isinstance(value, list) else [value]:
                check_shapes(one, where, sizes)
            continue
        arrays = (
            {name: (spot, value)} if spot.kind in ("real", "integer", "flag", "by grid", "sparse") else {}
        )
        if spot.kind == "table":
            arrays = {f"{name} {key}": (spot.parts[key], one) for key, one in value.items()}
        for label, (one, array) in arrays.items():
            wanted, got = one.lengths(sizes), np.shape(array)
            if len(wanted) != len(got) or any(w is not None and w != g for w, g in zip(wanted, got)):
                raise InputError(
                    f"the array '{label}' does not fit the component",
                    where=where,
                    expected=f"shape {tuple('any' if w is None else w for w in wanted)}",
                    got=f"{got}",
                )


# choosing -------------------------------------------------------------------------------------------------


def taken(record: Any, axis: str, index: np.ndarray) -> dict[str, Any]:
    """Return the fields of a record that have an axis, with the entries `index` of that axis alone."""
    out: dict[str, Any] = {}
    for name, spot, value in present(record):
        if spot.kind == "table":
            out[name] = {key: _taken(spot.parts[key], one, axis, index) for key, one in value.items()}
        elif spot.kind == "record" and taken(value, axis, index):
            out[name] = replace(value, **taken(value, axis, index))
        elif axis in spot.shape or f"s+{axis}" in spot.shape:
            out[name] = _taken(spot, value, axis, index)
    return out


def _taken(spot: FieldSchema, value: Any, axis: str, index: np.ndarray) -> Any:
    for k, one in enumerate(spot.shape):
        if one in (axis, f"s+{axis}"):
            chosen = index if one == axis else np.append(np.arange(6), 6 + index)
            value = value[(slice(None),) * k + (chosen,)]
    return value


# units ----------------------------------------------------------------------------------------------------


@cache
def powers(unit: str) -> tuple[float, float, float]:
    """Return the powers of mass, length and time of a unit; eta counts as m^1/2 L.

    >>> powers("m L/eta")
    (0.5, 0.0, 0.0)
    """
    basis = {"1": (0, 0, 0), "m": (1, 0, 0), "L": (0, 1, 0), "T": (0, 0, 1), "eta": (0.5, 1, 0)}
    total = np.zeros(3)
    for sign, side in zip((1, -1), unit.split("/")):
        for word in side.split():
            symbol, _, power = word.partition("^")
            total += sign * int(power or 1) * np.array(basis[symbol])
    return float(total[0]), float(total[1]), float(total[2])


@dataclass(frozen=True)
class Scale:
    """Factors from one system of units to another: masses times `mass`, and so on."""

    mass: float
    length: float
    time: float

    def factor(self, unit: str) -> float:
        """Return what numbers of a unit are multiplied by."""
        m, L, T = powers(unit)
        return self.mass**m * self.length**L * self.time**T

    def coordinates(self, axis: str, record: Any, length: int) -> np.ndarray:
        """Return what the coordinates along a mixed axis are multiplied by."""
        L, eta = self.length, self.factor("eta")
        if axis == "load":
            force, moment, spin = (self.factor(unit) for unit in ("m L/T^2", "m L^2/T^2", "1/T^2"))
            return np.where(record.load[:, 0] == 0, spin, np.where(record.load[:, 1] > 3, moment, force))
        if axis == "row":
            return np.array([1.0 / self.factor(QUANTITIES[one]) for one in record.quantities])
        if axis == "card":
            return np.array([L, L, L, 1.0, 1.0, 1.0])
        if axis == "x":
            return np.where(record.uset[:, 0] == 0, eta, np.where(record.uset[:, 1] > 3, 1.0, L))
        return np.concatenate([np.ones(3), np.full(3, L), np.full(length - 6, eta)])

    def record(self, record: Any) -> dict[str, Any]:
        """Return the fields of a record that have a unit, in other units."""
        out = {}
        for name, spot, value in present(record):
            change = _CHANGES.get(spot.kind)
            plain = spot.unit == "1" and not (MIXED & set(spot.shape) or spot.record or spot.parts)
            if change is not None and not plain:
                out[name] = change(self, spot, value, record)
        return out


def _array(scale: Scale, spot: FieldSchema, value: Any, record: Any) -> Any:
    factor: Any = scale.factor(spot.unit)
    for k, axis in enumerate(spot.shape):
        if axis in MIXED:
            along = scale.coordinates(axis, record, np.shape(value)[k])
            factor = factor / along.reshape([-1 if i == k else 1 for i in range(len(spot.shape))])
    return value * factor


def _sparse(scale: Scale, spot: FieldSchema, value: Any, record: Any) -> Any:
    D = sp.diags(1.0 / scale.coordinates("x", record, value.shape[0]))
    return (D @ value @ D).tocsr() * scale.factor(spot.unit)


def _table(scale: Scale, spot: FieldSchema, value: Any, record: Any) -> Any:
    return {key: _array(scale, spot.parts[key], one, record) for key, one in value.items()}


_CHANGES: dict[str, Callable[[Scale, FieldSchema, Any, Any], Any]] = {
    "real": _array,
    "by grid": _array,
    "sparse": _sparse,
    "table": _table,
    "record": lambda scale, spot, value, record: replace(value, **scale.record(value)),
    "records": lambda scale, spot, value, record: [replace(one, **scale.record(one)) for one in value],
    "systems": lambda scale, spot, value, record: {
        cid: (p * scale.factor(spot.unit), R) for cid, (p, R) in value.items()
    },
}
