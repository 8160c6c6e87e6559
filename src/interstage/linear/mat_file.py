"""Read untrusted MATLAB files of version 5, and map trees of named arrays to them.

A file is a header of 128 bytes and then elements: a tag (type, number of bytes; both in one word where the data fit
into four bytes) and data, filled up to eight bytes. An array is an element of type 14 that holds elements in turn:
flags (class), dimensions, name, and its values, cells or fields. Type 15 is such an element, compressed by zlib.
Source: "MAT-File Format", The MathWorks, chapter 1. (scipy's reader crashes the process on damaged files.)

Of a tree of named arrays, groups are structs and lists of texts are cell arrays.

Field names of structs must be identifiers of MATLAB: others are changed there (`core.52` becomes `core_52`), and
`NAMES` keeps the true ones. Every array has two dimensions there: numbers alone and columns are read as numbers and as
arrays of one dimension, and `SHAPES` keeps the shape of those that are neither.
"""

from __future__ import annotations

import re
import struct
import zlib
from pathlib import Path
from typing import Any

import numpy as np
from scipy.io import savemat

from interstage.errors import FileError
from interstage.output import unpack_limit, whole_file
from interstage.reading import read_bytes

_NUMBERS = {1: "i1", 2: "u1", 3: "i2", 4: "u2", 5: "i4", 6: "u4", 7: "f4", 9: "f8", 12: "i8", 13: "u8"}
_TEXTS = {1: "latin-1", 2: "latin-1", 4: "utf-16", 16: "utf-8", 17: "utf-16", 18: "utf-32"}
_CELL, _STRUCT, _CHAR, _FIRST_NUMBER, _LAST_NUMBER = 1, 2, 4, 6, 15
_INTEGERS = {8: "i1", 9: "u1", 10: "i2", 11: "u2", 12: "i4", 13: "u4", 14: "i8", 15: "u8"}  # class: numbers
DEEPEST = 32


class _Damaged(Exception):
    """A fault in the file, said in one clause."""


def read_mat5(path: Path) -> dict[str, Any]:
    """Read all variables: structs as dictionaries, cells as lists, texts, numbers as arrays of two dimensions."""
    data = read_bytes(path, "MATLAB file")
    if data[124:128] not in (b"\0\x01IM", b"\x01\0MI"):
        newer = data[:10] == b"MATLAB 7.3"
        hint = "save it with -v7 in MATLAB" if newer else None
        raise FileError("this is no MATLAB file of version 5", where=str(path), hint=hint)
    reader = _Reader("<" if data[126:128] == b"IM" else ">", unpack_limit(path))
    try:
        return reader.variables(memoryview(data)[128:])
    except (_Damaged, struct.error, zlib.error, ValueError) as error:
        raise FileError("the MATLAB file is damaged", where=str(path), got=str(error)[:120]) from None


class _Reader:
    """Elements in one byte order; `left` is how many bytes may still be unpacked."""

    def __init__(self, order: str, left: int):
        self.order, self.left = order, left

    def variables(self, data: memoryview) -> dict[str, Any]:
        out: dict[str, Any] = {}
        while len(data):
            kind, body, data = self.element(data, padded=False)
            if kind == 15:
                kind, body, _ = self.element(self.unpacked(body))
            if kind == 14:
                name, value = self.array(body)
                out[name] = value
        return out

    def unpacked(self, body: memoryview) -> memoryview:
        stream = zlib.decompressobj()
        data = stream.decompress(body, self.left + 1)
        self.left -= len(data)
        if self.left < 0:
            raise _Damaged("it unpacks to more than is believed")
        if not stream.eof:  # its checksum comes last
            raise _Damaged("a packed element ends too early")
        return memoryview(data)

    def element(self, data: memoryview, padded: bool = True) -> tuple[int, memoryview, memoryview]:
        """Type, data of the next element and what follows it."""
        first, size = struct.unpack_from(self.order + "2I", data)
        if first >> 16:
            kind, size, start, stop = first & 0xFFFF, first >> 16, 4, 8
            if size > 4:
                raise _Damaged("an element of four bytes is longer")
        else:
            kind, start = first, 8
            stop = 8 + size + (-size % 8 if padded or kind != 15 else 0)
        if start + size > len(data):
            raise _Damaged("an element is longer than the file")
        return kind, data[start : start + size], data[stop:]

    def array(self, body: memoryview, depth: int = 0) -> tuple[str, Any]:
        """Name and value of an array."""
        if depth > DEEPEST:
            raise _Damaged("it is nested too deeply")
        if not len(body):
            return "", np.zeros((0, 0))
        _, flags, body = self.element(body)
        word = struct.unpack_from(self.order + "I", flags)[0]
        _, sizes, body = self.element(body)
        shape = tuple(int(n) for n in np.frombuffer(sizes, f"{self.order}i4"))
        _, name, body = self.element(body)
        count = 1
        for n in shape:
            count *= n
        if count < 0 or min(shape, default=0) < 0 or len(shape) < 2:
            raise _Damaged("the dimensions of an array are impossible")
        kind, label = word & 0xFF, bytes(name).decode("latin-1")
        if kind == _CELL:
            return label, self.cells(body, count, depth)
        if kind == _STRUCT:
            return label, self.fields(body, count, depth)
        if kind == _CHAR:
            return label, self.text(body, shape, count)
        if not _FIRST_NUMBER <= kind <= _LAST_NUMBER:
            raise _Damaged(f"an array of class {kind} is no numbers, text, cell or struct")
        value, body = self.numbers(body, count)
        value = value.astype(bool if word & 0x0200 else _INTEGERS.get(kind, "f8"))
        if word & 0x0800:
            value = value + 1j * self.numbers(body, count)[0]
        return label, value.reshape(shape, order="F")

    def numbers(self, body: memoryview, count: int) -> tuple[np.ndarray, memoryview]:
        kind, data, body = self.element(body)
        if kind not in _NUMBERS:
            raise _Damaged(f"numbers of type {kind} are not known")
        found = np.frombuffer(data, self.order + _NUMBERS[kind])
        if len(found) != count:
            raise _Damaged(f"an array of {count} numbers has {len(found)}")
        return found, body

    def cells(self, body: memoryview, count: int, depth: int) -> list[Any]:
        out = []
        for _ in range(count):
            _, part, body = self.element(body)
            out.append(self.array(part, depth + 1)[1])
        return out

    def fields(self, body: memoryview, count: int, depth: int) -> dict[str, Any]:
        """Fields of a struct; of an array of structs those of the first."""
        _, width, body = self.element(body)
        step = struct.unpack_from(self.order + "i", width)[0] if len(width) >= 4 else 0
        _, names, body = self.element(body)
        if len(names) and step < 1:
            raise _Damaged("the names of fields have no length")
        found = [bytes(names[k : k + step]) for k in range(0, len(names), max(step, 1))]
        labels = [label.split(b"\0")[0].decode("utf-8", errors="replace") for label in found]
        return dict(zip(labels, self.cells(body, len(labels), depth))) if count else {}

    def text(self, body: memoryview, shape: tuple[int, ...], count: int) -> str | list[str]:
        """One row as a text, several as a list of texts."""
        if count == 0:
            return ""
        kind, data, _ = self.element(body)
        if kind not in _TEXTS:
            raise _Damaged(f"text of type {kind} is not known")
        code = _TEXTS[kind]
        if code in ("utf-16", "utf-32"):
            code += "-le" if self.order == "<" else "-be"
        text = bytes(data).decode(code)
        if shape[0] == 1:
            return text
        if len(text) != count:
            raise _Damaged("a text does not fit its dimensions")
        return [text[k :: shape[0]].rstrip() for k in range(shape[0])]


BASE = 1  # MATLAB counts from one
_INDEX = ("state_index", "input_index", "output_index")


def write_mat(tree: dict[str, Any], path: Path) -> None:
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


def read_mat(path: Path) -> dict[str, Any]:
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
