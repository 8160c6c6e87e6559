"""The cache on disk: compiled code that knows the sources of everything a kernel calls, under a checksum.

What is damaged, half written or of another time is not taken: the kernel is compiled anew and its files are replaced.
"""

from __future__ import annotations

import functools
import hashlib
import io
import os
import pickle
import struct
import sys
from contextlib import suppress
from pathlib import Path
from types import FunctionType
from zlib import crc32

from numba.core import config
from numba.core.caching import FunctionCache, IndexDataCacheFile, NullCache
from numba.core.dispatcher import Dispatcher

from interstage.compiled.parts import link_into_callers
from interstage.compiled.reach import reach
from interstage.compiled.records import install

_HEAD = struct.Struct("<QL")
NAME_KERNELS = "INTERSTAGE_NAME_KERNELS"  # variable of the environment that asks for a line for every kernel


@functools.cache
def _print_of_file(path: str) -> bytes:
    try:
        with open(path, "rb") as file:
            return hashlib.sha256(file.read()).digest()
    except OSError:  # an interactive session, an archive
        return b""


@functools.cache
def _door() -> frozenset[str]:
    """Return the files of this package: what they emit is in all compiled code."""
    return frozenset(map(str, Path(__file__).parent.glob("*.py")))


def print_of_sources(function: FunctionType) -> str:
    """Return a print of the sources that a kernel's code comes from: its file, those of what it calls, constants."""
    functions, _, words = reach(function, through_stages=False)
    files = {f.__code__.co_filename for f in functions} | _door()
    found = hashlib.sha256("\n".join(sorted(words)).encode())
    for path in sorted(files):
        found.update(_print_of_file(path))
    return found.hexdigest()


class CheckedFile(IndexDataCacheFile):
    """Index and code of one function, each with its length and CRC-32 in front and what it was made from inside."""

    def _save_index(self, overloads: dict) -> None:
        made = self._dump((self._source_stamp, overloads))
        self._write(self._index_path, pickle.dumps(self._version) + made)

    def _load_index(self) -> dict:
        try:
            held = io.BytesIO(self._read(self._index_path))
            if pickle.load(held) != self._version:  # what follows may be of types that are no more
                return {}
            stamp, overloads = pickle.load(held)
        except Exception:  # whatever a damaged file brings
            return {}
        return overloads if stamp == self._source_stamp else {}

    def _save_data(self, name: str, data: object) -> None:
        self._write(self._data_path(name), pickle.dumps((self._version, name)) + self._dump(data))

    def _load_data(self, name: str) -> object:
        try:
            held = io.BytesIO(self._read(self._data_path(name)))
            # its index may have come to the disk, and this one not
            return pickle.load(held) if pickle.load(held) == (self._version, name) else None
        except Exception:
            return None

    def _write(self, path: str, data: bytes) -> None:
        with self._open_for_write(path) as file:
            file.write(_HEAD.pack(len(data), crc32(data)) + data)

    def _read(self, path: str) -> bytes:
        held = Path(path).read_bytes()
        size, expected = _HEAD.unpack_from(held)
        data = held[_HEAD.size :]
        if len(data) != size or crc32(data) != expected:
            raise ValueError("damaged")
        return data


class SourceCache:
    """Compiled code of one function on disk, looked up when it is first needed: nothing is written before.

    numba's own cache sees edits in the file of the function alone; this one in the files of all that it calls.
    """

    def __init__(self, function: FunctionType, options: str = ""):
        self._function, self._options, self._found = function, options, None

    def _open(self) -> FunctionCache | NullCache:
        if self._found is None:
            install()
            try:
                self._found = FunctionCache(self._function)
            except (RuntimeError, OSError):  # no file, or nowhere to write
                self._found = NullCache()
            else:
                # numba reads no further in the index of another version, whose types there may be no more
                file = self._found._cache_file
                file.__class__ = CheckedFile
                words = f"sources {print_of_sources(self._function)}, options {self._options}"
                file._version = f"{file._version}, {words}, bounds {config.BOUNDSCHECK}"
        return self._found

    @property
    def cache_path(self) -> str | None:
        return self._open().cache_path

    def load_overload(self, signature, target_context):
        try:
            found = self._open().load_overload(signature, target_context)
        except OSError:
            found = None
        if found is None and self._function.__module__.startswith("interstage"):
            _say(self._function, "complex" if "complex" in str(signature) else "real")
        return found

    def save_overload(self, signature, data) -> None:
        with suppress(OSError):  # a disk that is full or protected: it is compiled again the next time
            self._open().save_overload(signature, data)
        if sys.stderr.isatty():
            print("\r\033[K", end="", file=sys.stderr, flush=True)

    def enable(self) -> None:
        self._open().enable()

    def disable(self) -> None:
        self._open().disable()

    def flush(self) -> None:
        self._open().flush()


@functools.cache
def _say_once(words: str) -> None:
    print(words, file=sys.stderr, flush=True)


def _say(function: FunctionType, numbers: str) -> None:
    """Say which kernel is compiled on one line of a terminal that is cleared again, or else once that some are.

    Where `NAME_KERNELS` asks for it every one has a line of its own.
    """
    room = function.__module__.split(".")[1]
    name = f"{room} {function.__name__.strip('_').replace('_', ' ')} ({numbers})"
    if os.environ.get(NAME_KERNELS):
        print(f"interstage:   {name}", file=sys.stderr, flush=True)
    elif sys.stderr.isatty():
        print(f"\r\033[Kinterstage: compiling kernels (once): {name}", end="", file=sys.stderr, flush=True)
    else:
        _say_once("interstage: compiling kernels (once) ...")


def keep_on_disk(dispatcher: Dispatcher) -> Dispatcher:
    """Let a kernel keep its compiled code on disk; it is compiled anew when the sources of what it calls change."""
    dispatcher._cache = SourceCache(dispatcher.py_func)
    return link_into_callers(dispatcher)
