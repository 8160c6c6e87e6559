"""What laws in Python remember at the rows of a log, in its file: as text and arrays, as checkpoints have it.

A file that grows takes no new datasets, so that these are two tables more, empty where no law remembers anything:

MEMORY (n,)          bytes: texts of `described`, and arrays, one after the other; what is alike is there once
REMEMBERED (m, 3)    the number of rows before which it holds (from the last such number on), where its text begins and
                     ends; no text: it could not be kept
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from hashlib import blake2b
from typing import Any

import numpy as np

from interstage.errors import FileError
from interstage.hdf5 import Fault
from interstage.system.code_names import NoName, Program
from interstage.system.described import Describer, Restorer

# names, dtypes and shapes of a row
TABLES = (("MEMORY", "u1", ()), ("REMEMBERED", "i8", (3,)))
MOST = 1 << 26  # bytes of a file


class Kept:
    """Turns what laws remembered into rows of the tables.

    at : bytes that are in the table already
    """

    def __init__(self, at: int):
        self.at = at
        self._known: dict[bytes, tuple[int, int]] = {}

    def rows(self, until: int, memory: Mapping[str, Any]) -> tuple[np.ndarray, np.ndarray]:
        """Return the next bytes (n,) and the row (1, 3) of what laws remember before a row."""
        describer = Describer()
        new: list[bytes] = []
        try:
            text = describer.text(memory)
        except NoName:
            return np.zeros(0, np.uint8), np.array([[until, 0, 0]])
        arrays = {
            name: [array.dtype.str, list(array.shape), *self._place(array.tobytes(), new)]
            for name, array in describer.arrays.items()
        }
        begin, end = self._place(json.dumps([text, arrays]).encode(), new)
        if self.at > MOST:
            return np.zeros(0, np.uint8), np.array([[until, 0, 0]])
        return np.frombuffer(b"".join(new), np.uint8), np.array([[until, begin, end]])

    def _place(self, data: bytes, new: list[bytes]) -> tuple[int, int]:
        """Return where bytes begin and end; those that are not there yet come next."""
        key = blake2b(data).digest()
        if key not in self._known:
            self._known[key] = self.at, self.at + len(data)
            self.at += len(data)
            new.append(data)
        return self._known[key]


def memory_at(data: np.ndarray, rows: np.ndarray, k: int) -> dict[str, Any] | None:
    """Return what laws remembered at row k of a log from a file; None where that was not kept.

    Code that it names is that of the program that asks.
    """
    j = int(np.searchsorted(rows[:, 0], k, "right"))
    if j >= len(rows) or not rows[j, 2]:
        return None
    try:
        text, arrays = json.loads(_part(data, *rows[j, 1:].tolist()))

        def array(name: str) -> np.ndarray:
            kind, shape, begin, end = arrays[name]
            if np.dtype(kind).kind not in "biufc":
                raise ValueError("not an array of numbers")
            return np.frombuffer(_part(data, begin, end), np.dtype(kind)).reshape(shape)

        found = Restorer(array, [], Program()).value(text)
    except NoName:
        return None
    except (ValueError, TypeError, KeyError, UnicodeDecodeError) as err:
        raise FileError(f"what laws remembered does not hold together: {err}") from err
    if not isinstance(found, dict) or not all(isinstance(one, dict) for one in found.values()):
        raise Fault("'MEMORY' has no memory of laws")
    return found


def _part(data: np.ndarray, begin: int, end: int) -> bytes:
    if not 0 <= begin <= end <= len(data):
        raise Fault("'REMEMBERED' leads to bytes that are not there")
    return data[begin:end].tobytes()
