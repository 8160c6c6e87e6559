"""Compiled kernels on disk: parts that are lowered once and linked, checksums, and compile times.

Parts: what a kernel is for other kernels. It is lowered once and linked into each of them.

numba compiles every function that a kernel calls as if Python called it too: passes over its code alone, machine
code, a wrapper for Python, a file on disk, and all once more for each literal number among its arguments. A part has
none of it. Its code is optimized where it is linked, with what stands around it.

The cache on disk: compiled code that knows the sources of everything a kernel calls, under a checksum.

What is damaged, half written or of another time is not taken: the kernel is compiled anew and its files are replaced.

How long compiling takes.

What a kernel calls, and what else its compiled code depends on.
"""

from __future__ import annotations

import functools
import hashlib
import io
import itertools
import os
import pickle
import secrets
import struct
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any
from zlib import crc32

import numba
import numpy as np
from numba import types
from numba.core import config
from numba.core.caching import FunctionCache, IndexDataCacheFile, NullCache
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler_machinery import PassManager, register_pass
from numba.core.dispatcher import Dispatcher
from numba.core.event import install_timer
from numba.core.serialize import dumps
from numba.core.typed_passes import NativeLowering

from interstage.compiled.emitted import Emitted
from interstage.compiled.quick import KernelCompiler
from interstage.compiled.records import install


def _names(code: CodeType) -> set[str]:
    inner = (_names(c) for c in code.co_consts if isinstance(c, CodeType))
    return set(code.co_names).union(*inner)


@cache
def _named_by(function: FunctionType) -> tuple[tuple[str, object], ...]:
    """Return a word for everything that a function names outside of itself, with its value."""
    return tuple((f"{name} {_word_of(value)}", value) for name, value in _outside(function))


def _outside(function: FunctionType) -> Iterator[tuple[str, object]]:
    """Yield name and value of what a function names outside of itself."""
    names = _names(function.__code__)
    for name in sorted(names):
        value = function.__globals__.get(name)
        if isinstance(value, ModuleType):
            for inner in sorted(names & vars(value).keys()):
                yield f"{name}.{inner}", vars(value)[inner]
        elif value is not None:
            yield name, value
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or ()):
        yield name, cell.cell_contents


def reach(root: Callable, through_stages: bool) -> tuple[list[FunctionType], list[Emitted], set[str]]:
    """Return kernels that a kernel calls (itself first), stages, and a word for all else that its code depends on."""
    first = _behind(root) or getattr(root, "py_func", root)
    functions, stages, words = {first: None}, {}, set()
    if _behind(root):
        stages[root] = None
    todo = [first]
    while todo:
        for word, value in _named_by(todo.pop()):
            behind = _behind(value)
            if behind:
                stages[value] = None
            words.add(word)
            called = value.py_func if isinstance(value, Dispatcher) else behind if through_stages else None
            if called and called not in functions:
                functions[called] = None
                todo.append(called)
    return list(functions), list(stages), words


def _behind(value: object) -> FunctionType | None:
    """Return the kernel of a stage, None of anything else."""
    return value.function if isinstance(value, Emitted) else None


def _word_of(value: object) -> str:
    """Return what compiled code may depend on in a value that it names."""
    if isinstance(value, Emitted):
        return value.key
    if isinstance(value, np.ndarray):
        return f"{value.dtype} {value.shape} {hashlib.sha256(value.tobytes()).hexdigest()}"
    if isinstance(value, tuple):
        return f"({', '.join(map(_word_of, value))})"
    if isinstance(value, (bool, int, float, complex, str, bytes, np.generic)):
        return repr(value)
    return type(value).__name__


class PartLibrary(JITCodeLibrary):
    """Code that waits to be linked: passes over single functions shrink it, nothing else is done."""

    def _optimize_final_module(self) -> None:
        pass

    def _finalize_final_module(self) -> None:
        self._finalized = True


class PartLowering(NativeLowering):
    """Lower to code that can be linked, and let callers find it."""

    _name = "part_lowering"

    def run_pass(self, state) -> bool:
        state.flags.no_compile = True
        super().run_pass(state)
        lowered = state["cr"]
        key = [].append  # stands, like no other, for machine code: callers find the part under it, and nobody calls it
        state.targetctx.insert_user_function(key, lowered.fndesc, [state.library])
        state["cr"] = lowered._replace(cfunc=key)
        return True


@functools.cache
def _register() -> None:
    """Tell numba of the pass, once, before the first kernel is compiled."""
    register_pass(mutates_CFG=True, analysis_only=False)(PartLowering)


class PartCompiler(KernelCompiler):
    """The compiler of parts: numba's, up to the machine code."""

    library = PartLibrary

    def define_pipelines(self) -> list[PassManager]:
        _register()
        (whole,) = super().define_pipelines()
        passes = PassManager("part")
        for each, why in whole.passes:
            passes.add_pass(PartLowering if each is NativeLowering else each, why)
        passes.finalize()
        return [passes]


class CalledKernel:
    """A kernel as other kernels call it."""

    def __init__(self, dispatcher: Dispatcher):
        self._function, self._options = dispatcher.py_func, dispatcher.targetoptions

    @functools.cached_property
    def _linked(self) -> Dispatcher:
        options = {**self._options, "no_cpython_wrapper": True, "no_cfunc_wrapper": True}
        return numba.jit(**options, pipeline_class=PartCompiler)(self._function)

    def get_call_template(self, args, kws):
        """Return what numba asks of a function that a kernel calls: signatures and arguments, numbers without value."""
        named = {name: types.unliteral(kind) for name, kind in kws.items()}
        return self._linked.get_call_template(tuple(map(types.unliteral, args)), named)

    def get_overload(self, args) -> object:
        """Return what stands for the code for types of arguments."""
        return self._linked.get_overload(args)


def link_into_callers(dispatcher: Dispatcher) -> Dispatcher:
    """Let other kernels link a kernel as a part; for Python it stays as it is."""
    part = CalledKernel(dispatcher)
    dispatcher.get_call_template, dispatcher.get_overload = part.get_call_template, part.get_overload
    return dispatcher


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
    """Index and code of one function: each has its length and CRC-32 in front, and says what it was made from."""

    def begin(self, words: str) -> None:
        """Take what was made from the same sources, as `words` and numba's stamp say, and nothing else."""
        self.index = Path(self._index_path)
        self.made_from = f"{numba.__version__}, {self._source_stamp}, {words}"

    def flush(self) -> None:
        self._put(self.index, {})

    def save(self, key: object, data: object) -> None:
        names = self._names()
        free = (f"{self.index.stem}.{k}.nbc" for k in itertools.count(1))
        name = names.get(key) or next(one for one in free if one not in names.values())
        # code first: an index never leads to what is not there yet
        self._put(self.index.with_name(name), (name, data))
        self._put(self.index, {**names, key: name})

    def load(self, key: object) -> object:
        name = self._names().get(key)
        held = None if name is None else self._get(self.index.with_name(name))
        return held[1] if isinstance(held, tuple) and held[0] == name else None

    def _names(self) -> dict[object, str]:
        """Return the files of code for types of arguments."""
        found = self._get(self.index)
        return found if isinstance(found, dict) else {}

    def _put(self, path: Path, value: object) -> None:
        data = pickle.dumps(self.made_from) + dumps(value)
        part = path.with_name(f"{path.name}.tmp.{secrets.token_hex(8)}")
        try:
            part.write_bytes(_HEAD.pack(len(data), crc32(data)) + data)
            os.replace(part, path)
        finally:
            with suppress(OSError):
                part.unlink()

    def _get(self, path: Path) -> Any:
        """Return what a file holds; None where it is damaged or made from other sources."""
        try:
            held = path.read_bytes()
            size, expected = _HEAD.unpack_from(held)
            data = io.BytesIO(held[_HEAD.size :])
            if len(held) != _HEAD.size + size or crc32(held[_HEAD.size :]) != expected:
                return None
            # of other sources no more is read: what follows may be of types that are no more
            return pickle.load(data) if pickle.load(data) == self.made_from else None
        except Exception:  # whatever a file brings that is none of ours
            return None


class SourceCache:
    """Compiled code of one function on disk, looked up when it is first needed: nothing is written before.

    numba's own cache sees edits in the file of the function alone; this one in the files of all that it calls.
    """

    def __init__(self, function: FunctionType, options: str = "", anew: bool = False):
        self._function, self.options, self._found, self._anew = function, options, None, anew
        self._file: CheckedFile | None = None
        self._library: Any = None  # of the code, once there is some

    def _open(self) -> FunctionCache | NullCache:
        if self._found is None:
            install()
            try:
                self._found = FunctionCache(self._function)
            except (RuntimeError, OSError):  # no file, or nowhere to write
                self._found = NullCache()
            else:
                file = self._file = self._found._cache_file
                file.__class__ = CheckedFile
                sources = print_of_sources(self._function)
                name = f"{self._function.__module__}.{self._function.__qualname__}"
                file.begin(f"{name}, {sources}, options {self.options}, bounds {config.BOUNDSCHECK}")
        return self._found

    @property
    def cache_path(self) -> str | None:
        return self._open().cache_path

    def load_overload(self, signature, target_context):
        try:
            found = self._open().load_overload(signature, target_context)
        except OSError:
            found = None
        if self._anew:
            return None
        if found is None and self._function.__module__.startswith("interstage"):
            _say(self._function, "complex" if "complex" in str(signature) else "real")
        self._library = None if found is None else found.library
        return found

    def save_overload(self, signature, data) -> None:
        self._library = data.library
        with suppress(OSError):  # a disk that is full or protected: it is compiled again the next time
            self._open().save_overload(signature, data)
            bitcode = getattr(data.library, "bitcode", None)  # there is some after machine code was made
            if bitcode is not None and self._file is not None:
                self._file.save(self._bitcode_key(signature), bitcode)
        if sys.stderr.isatty():
            print("\r\033[K", end="", file=sys.stderr, flush=True)

    def _bitcode_key(self, signature) -> tuple:
        return "bitcode", str(signature), self._library.codegen.magic_tuple()

    def bitcode(self, signature) -> bytes | None:
        """Return the optimized instructions that the code was made of, None: they are no more on disk."""
        held = getattr(self._library, "bitcode", None)
        if held is None and self._file is not None:
            held = self._file.load(self._bitcode_key(signature))
        return held if isinstance(held, bytes) else None

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


@contextmanager
def compiling_timed(add: Callable[[float], None]) -> Iterator[None]:
    """Tell `add` the seconds of every compilation of a kernel that this process makes inside."""
    with install_timer("numba:compile", add):
        yield
