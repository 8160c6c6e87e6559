"""The one door to numba's internals: records by address, calls through addresses, callbacks, the cache on disk.

Kernels that need none of it use `jit.kernel`. Here is what public numba does not offer:

- `Record`: a row of addresses that compiled code reads by names (`tree.body_parent`), one light reference
  instead of eighty arrays;
- `address`, `caller`, `Stage`: functions compiled once and called through their address;
- `Callback`: a Python function that compiled code may call, its exceptions kept for the caller;
- `claim`, `release`, `vector_at`: a lock of one word, and a vector at an address;
- `keep_on_disk`: compiled code on disk that knows the sources of everything a kernel calls.

Nothing is registered with numba before the first kernel is compiled or loaded. The module is used by the versions
of numba in `jit.NUMBA_RANGE`; `INTERSTAGE_PLAIN=1` does without it (see `jit`).
"""

from __future__ import annotations

import ctypes
import functools
import gc
import hashlib
import inspect
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from types import CodeType, FunctionType, ModuleType

import numba
import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.caching import FunctionCache, NullCache
from numba.core.ccallback import CFunc
from numba.core.dispatcher import Dispatcher
from numba.core.imputils import impl_ret_borrowed, lower_getattr_generic, lower_setattr_generic
from numba.core.typing.templates import AttributeTemplate, infer_getattr, make_intrinsic_template
from numba.extending import models, register_model
from numba.np.arrayobj import make_array, populate_array

SLOTS = 4  # of an array in a row: its address and up to three lengths


# functions that compiled code alone can call ---------------------------------------------------------


class Emitted:
    """A function for compiled code whose types and instructions `define(typing context, *types)` gives.

    key : what the emitted instructions depend on beside this module, for the cache on disk
    """

    def __init__(self, define: Callable, arguments: int, name: str, doc: str | None, key: str = ""):
        self.define, self.key = define, f"{name} {arguments} {key}"
        self.__name__, self.__doc__ = name, doc
        places = [
            inspect.Parameter(f"a{k}", inspect.Parameter.POSITIONAL_OR_KEYWORD) for k in range(arguments + 1)
        ]
        define.__signature__ = inspect.Signature(places)

    @functools.cached_property
    def _numba_type_(self) -> types.Type:
        return types.Function(make_intrinsic_template(self, self.define, self.__name__))

    def __call__(self, *arguments: object) -> None:
        raise NotImplementedError(f"{self.__name__} is for compiled code")

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.__name__}>"


def _emitted(define: Callable) -> Emitted:
    """Return a function for compiled code, of as many arguments as `define` has beside the typing context."""
    return Emitted(define, len(inspect.signature(define).parameters) - 1, define.__name__, define.__doc__)


def _vector(context, builder, array_type: types.Array, address: ir.Value, shape: list) -> ir.Value:
    """Emit a contiguous array at an address."""
    array = make_array(array_type)(context, builder)
    intp = context.get_value_type(types.intp)
    itemsize = context.get_constant(
        types.intp, context.get_abi_sizeof(context.get_data_type(array_type.dtype))
    )
    strides = [itemsize]
    for length in reversed(shape[1:]):
        strides.insert(0, builder.mul(strides[0], length))
    populate_array(
        array,
        data=builder.inttoptr(address, array.data.type),
        shape=cgutils.pack_array(builder, shape, ty=intp),
        strides=cgutils.pack_array(builder, strides, ty=intp),
        itemsize=itemsize,
        meminfo=None,
    )
    return array._getvalue()


@_emitted
def vector_at(typingctx, address, length, like):
    """Return the vector of a length at an address, with the element type of the array `like`."""

    def codegen(context, builder, signature, args):
        return _vector(context, builder, signature.return_type, args[0], [args[1]])

    return types.Array(like.dtype, 1, "C")(types.int64, types.int64, like), codegen


def _word(context, builder, address: ir.Value, slot: ir.Value) -> ir.Value:
    return builder.gep(builder.inttoptr(address, context.get_value_type(types.int64).as_pointer()), [slot])


@_emitted
def claim(typingctx, address, slot):
    """Return True and set the word `slot` after an address to 1, unless it is: in one atomic operation."""

    def codegen(context, builder, signature, args):
        zero, one = (context.get_constant(types.int64, k) for k in (0, 1))
        found = builder.cmpxchg(_word(context, builder, *args), zero, one, "acq_rel", "acquire")
        return builder.extract_value(found, 1)

    return types.boolean(types.int64, types.int64), codegen


@_emitted
def release(typingctx, address, slot):
    """Set the word `slot` after an address to 0: what `claim` marked is free again."""

    def codegen(context, builder, signature, args):
        zero = context.get_constant(types.int64, 0)
        builder.atomic_rmw("xchg", _word(context, builder, *args), zero, "release")
        return context.get_dummy_value()

    return types.none(types.int64, types.int64), codegen


# records ---------------------------------------------------------------------------------------------

_fields_of: dict[str, dict[str, tuple[int, types.Type, int]]] = {}


class RecordType(types.Type):
    """Numba type of a reference to a row of slots; two are one type if they have the same name."""

    def __init__(self, name: str, scalar: types.Type):
        self.scalar = scalar
        super().__init__(name=name)

    @property
    def key(self) -> str:
        """Name with a print of the fields: old code on disk is not taken for new."""
        return self.name

    @property
    def fields(self) -> dict[str, tuple[int, types.Type, int]]:
        """Slot, type and constant length (-1: lengths lie in the row) by name."""
        return _fields_of[self.name]


class Record:
    """A row of slots (int64) that compiled code reads by names.

    fields : (name, letter, size) each; letter i int64, f float64, w the number type of the caller
    arrays : size is the number of axes, a field has four slots (address, lengths);
    otherwise a slot is the address of a number (size 0, also written: `d.angle = 0.1`) or a vector of that length
    """

    def __init__(
        self, name: str, fields: Sequence[tuple[str, str, int]], first: int = 0, arrays: bool = True
    ):
        self.name, self.listed, self.first, self.arrays = name, tuple(fields), first, arrays
        self.print = hashlib.sha256(repr((self.listed, first, arrays)).encode()).hexdigest()[:12]

    def type(self, scalar: types.Type) -> RecordType:
        """Return the numba type of a reference whose letter w is `scalar`."""
        name = f"Interstage{self.name}({scalar}, {self.print})"
        if name not in _fields_of:
            element = {"i": types.int64, "f": types.float64, "w": scalar}
            width, found = SLOTS if self.arrays else 1, {}
            for k, (field, letter, size) in enumerate(self.listed):
                dtype, axes = element[letter], size if self.arrays else min(size, 1)
                kind = types.Array(dtype, axes, "C") if axes > 0 else dtype
                found[field] = self.first + width * k, kind, -1 if self.arrays else size
            _fields_of[name] = found
        return RecordType(name, scalar)

    def reference(self, name: str, like: bool) -> Emitted:
        """Return f(place) or, with `like`, f(place, like): a reference to the row in an array or at an address.

        like : an array whose element type is that of letter w (float64 without it)
        """

        def define(typingctx, place, *arrays):
            row_type = self.type(arrays[0].dtype if like else types.float64)

            def codegen(context, builder, signature, args):
                reference = cgutils.create_struct_proxy(row_type)(context, builder)
                if isinstance(place, types.Array):
                    data = make_array(place)(context, builder, args[0]).data
                    reference.row = builder.bitcast(data, reference.row.type)
                else:
                    reference.row = builder.inttoptr(args[0], reference.row.type)
                return reference._getvalue()

            given = place if isinstance(place, types.Array) else types.int64
            return row_type(given, *arrays), codegen

        doc = f"Return a reference to a {self.name} (compiled code only)."
        return Emitted(define, 1 + like, name, doc, self.print)


def _slot(context, builder, row_type: RecordType, value: ir.Value, slot: int) -> ir.Value:
    """Emit the load of a slot; rows do not change while compiled code looks at them."""
    row = cgutils.create_struct_proxy(row_type)(context, builder, value=value).row
    number = builder.load(builder.gep(row, [context.get_constant(types.intp, slot)]))
    number.set_metadata("invariant.load", builder.module.add_metadata([]))
    return number


def _get_field(context, builder, row_type, value, name):
    """Emit the array or the number of a field."""
    slot, kind, length = row_type.fields[name]
    address = _slot(context, builder, row_type, value, slot)
    if not isinstance(kind, types.Array):
        place = builder.inttoptr(address, context.get_data_type(kind).as_pointer())
        return context.unpack_value(builder, kind, place)
    if length >= 0:
        shape = [context.get_constant(types.intp, length)]
    else:
        shape = [_slot(context, builder, row_type, value, slot + 1 + axis) for axis in range(kind.ndim)]
    return impl_ret_borrowed(context, builder, kind, _vector(context, builder, kind, address, shape))


def _set_field(context, builder, signature, args, name):
    """Emit the writing of a number."""
    row_type = signature.args[0]
    slot, kind, _ = row_type.fields[name]
    address = _slot(context, builder, row_type, args[0], slot)
    number = context.cast(builder, args[1], signature.args[1], kind)
    context.pack_value(
        builder, kind, number, builder.inttoptr(address, context.get_data_type(kind).as_pointer())
    )


@functools.cache
def _install() -> None:
    """Tell numba what a record is, once, before the first kernel is compiled or loaded."""

    class RecordModel(models.StructModel):
        """A reference is the address of the first slot."""

        def __init__(self, dmm, row_type):
            super().__init__(dmm, row_type, [("row", types.CPointer(types.int64))])

    class RecordAttribute(AttributeTemplate):
        """Types of the fields."""

        key = RecordType

        def generic_resolve(self, row_type, name):
            return row_type.fields[name][1] if name in row_type.fields else None

    register_model(RecordType)(RecordModel)
    infer_getattr(RecordAttribute)
    lower_getattr_generic(RecordType)(_get_field)
    lower_setattr_generic(RecordType)(_set_field)


# addresses -------------------------------------------------------------------------------------------

Arguments = Sequence["str | Record"]
_RESULTS = {"none": types.none, "int64": types.int64, "float64": types.float64}
_code: dict[tuple, CFunc] = {}  # compiled code stays where it is as long as the process lives
_pointers: list[object] = []


def _types_of(arguments: Arguments, scalar: types.Type) -> list[types.Type]:
    """Return the types of arguments: letters, or records."""
    known = {
        "x": types.Array(scalar, 1, "C"),
        "M": types.Array(scalar, 2, "C"),
        "s": scalar,
        "f": types.Array(types.float64, 1, "C"),
        "i": types.Array(types.int64, 1, "C"),
        "d": types.float64,
        "n": types.int64,
    }
    return [a.type(scalar) if isinstance(a, Record) else known[a] for a in arguments]


def _is_open(letter: str | Record) -> bool:
    return isinstance(letter, Record) or letter in "xMs"


def _scalar_of(arguments: Arguments, given: Sequence[types.Type]) -> types.Type:
    """Return the number type that a call's arguments have where their letters leave it open; float64 otherwise."""
    for letter, kind in zip(arguments, given):
        if _is_open(letter):
            return getattr(kind, "scalar", None) or getattr(kind, "dtype", kind)
    return types.float64


@contextmanager
def _no_collection() -> Iterator[None]:
    """Let the garbage collector rest: the compiler makes many objects that live long."""
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()


def address(
    function: Callable,
    arguments: Arguments,
    dtype: np.dtype,
    returns: str = "none",
    fast: frozenset = frozenset(),
) -> int:
    """Compile a function for a number type (or load it from disk) and return the address of its code.

    arguments : letters x vector, M matrix and s number of the type `dtype`, f vector and d number of float64,
    i vector and n number of int64; or a `Record`
    returns : "none", "int64" or "float64";  fast : what the compiler may do with sums and products

    What it raises inside is lost: let it return a status.
    """
    plain, scalar = getattr(function, "py_func", function), numba.from_dtype(np.dtype(dtype))
    signature = _RESULTS[returns](*_types_of(arguments, scalar))
    key = plain, signature, fast
    if key not in _code:
        options = {"nopython": True, "error_model": "numpy", "fastmath": set(fast)}
        made = CFunc(plain, (signature.args, signature.return_type), locals={}, options=options)
        made._cache = _SourceCache(plain)
        with _no_collection():
            made.compile()
        _code[key] = made
    return _code[key].address


def _call(context, builder, address_: ir.Value, signature, args: Sequence[ir.Value]) -> ir.Value:
    """Emit a call through an address."""
    values = [context.get_value_type(t) for t in signature.args]
    result = signature.return_type
    function = ir.FunctionType(context.get_value_type(result), values).as_pointer()
    outcome = builder.call(builder.inttoptr(address_, function), args)
    return context.get_dummy_value() if result is types.none else outcome


def caller(arguments: Arguments, returns: str = "none") -> Emitted:
    """Return f(address, *arguments) for kernels: call what lies at an address that `address` or `Callback` gave."""

    def define(typingctx, place, *given):
        kinds = _types_of(arguments, _scalar_of(arguments, given))
        signature = _RESULTS[returns](*kinds)

        def codegen(context, builder, full, args):
            return _call(context, builder, args[0], signature, args[1:])

        return signature.return_type(types.int64, *kinds), codegen

    key = f"{[getattr(a, 'print', a) for a in arguments]} {returns}"
    return Emitted(define, 1 + len(arguments), "call_through", "Call what lies at an address.", key)


class Stage(Emitted):
    """A kernel that others call through its address, which lies in a slot of their first argument, a record.

    The compiler then sees it once, instead of once more in everything that calls it.
    """

    def __init__(
        self, function: FunctionType, slot: int, arguments: Arguments, returns: str, fast: frozenset
    ):
        self.function, self.slot, self.arguments = function, slot, tuple(arguments)
        self.returns, self.fast = returns, fast

        def define(typingctx, *given):
            # the first record holds constants: what follows says which numbers are meant
            kinds = _types_of(self.arguments[1:], _scalar_of(self.arguments[1:], given[1:]))
            signature = _RESULTS[returns](given[0], *kinds)

            def codegen(context, builder, full, args):
                place = _slot(context, builder, given[0], args[0], slot)
                return _call(context, builder, place, signature, args)

            return signature, codegen

        super().__init__(
            define, len(self.arguments), function.__name__, function.__doc__, f"{slot} {returns}"
        )

    def compile(self, dtype: np.dtype) -> int:
        """Compile it for a number type, or load it from disk; return its address."""
        return address(self.function, self.arguments, dtype, self.returns, self.fast)


@functools.cache
def trap() -> int:
    """Return the address of code that says on stderr that a stage was called which this vehicle does not have.

    It stands in every slot that no stage is written to. It takes no arguments: callers clear what they passed.
    """

    def say() -> None:
        raise SystemError("compiled code called a stage that was not compiled for this vehicle")

    pointer = ctypes.CFUNCTYPE(None)(say)
    _pointers.append(pointer)
    return ctypes.cast(pointer, ctypes.c_void_p).value


class Callback:
    """A Python function of numbers that compiled code calls through `address`; it returns 0, or 1 if it raised.

    letters : n int64, d float64 for each argument.  What was raised is kept: `check` raises it in the caller's thread.
    Keep the object as long as the address is used.
    """

    def __init__(self, function: Callable[..., object], letters: str):
        self.error: BaseException | None = None
        kinds = {"n": ctypes.c_int64, "d": ctypes.c_double}

        def guarded(*arguments: float) -> int:
            if self.error is not None:  # whoever called goes on until he looks
                return 1
            try:
                function(*arguments)
            except BaseException as error:
                self.error = error
                return 1
            return 0

        self._pointer = ctypes.CFUNCTYPE(ctypes.c_int64, *(kinds[letter] for letter in letters))(guarded)
        self.address = ctypes.cast(self._pointer, ctypes.c_void_p).value
        self.call = caller(letters, "int64")

    def check(self) -> None:
        """Raise what the function raised since the last look."""
        error, self.error = self.error, None
        if error is not None:
            raise error


def compile_only_for(dispatcher: Dispatcher, arguments: Arguments, dtype: np.dtype) -> None:
    """Compile a kernel for one list of arguments; any other is a TypeError from now on, told in nanoseconds."""
    if not dispatcher.signatures:
        with _no_collection():
            dispatcher.compile(tuple(_types_of(arguments, numba.from_dtype(np.dtype(dtype)))))
        dispatcher.disable_compile()


# what a kernel calls ---------------------------------------------------------------------------------


def _names(code: CodeType) -> set[str]:
    inner = (_names(c) for c in code.co_consts if isinstance(c, CodeType))
    return set(code.co_names).union(*inner)


def _named_by(function: FunctionType) -> Iterator[tuple[str, object]]:
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


def _reach(root: Callable, through_stages: bool) -> tuple[list[FunctionType], list[Stage], set[str]]:
    """Return kernels that a kernel calls (itself first), stages, and a word for all else that its code depends on."""
    first = root.function if isinstance(root, Stage) else getattr(root, "py_func", root)
    functions, stages, words = {first: None}, {}, set()
    if isinstance(root, Stage):
        stages[root] = None
    todo = [first]
    while todo:
        for name, value in _named_by(todo.pop()):
            if isinstance(value, Stage):
                stages[value] = None
            words.add(f"{name} {_word_of(value)}")
            follow = value.function if isinstance(value, Stage) and through_stages else value
            follow = follow.py_func if isinstance(follow, Dispatcher) else follow
            called = isinstance(value, Dispatcher) or (isinstance(value, Stage) and through_stages)
            if called and follow not in functions:
                functions[follow] = None
                todo.append(follow)
    return list(functions), list(stages), words


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


@functools.cache
def stages_of(root: Callable) -> tuple[Stage, ...]:
    """Return every stage that a kernel or a stage calls, directly or through others."""
    return tuple(_reach(root, through_stages=True)[1])


# the cache on disk -----------------------------------------------------------------------------------


@functools.cache
def _print_of_file(path: str) -> bytes:
    try:
        with open(path, "rb") as file:
            return hashlib.sha256(file.read()).digest()
    except OSError:  # an interactive session, an archive
        return b""


def print_of_sources(function: FunctionType) -> str:
    """Return a print of the sources that a kernel's code comes from: its file, those of what it calls, constants."""
    functions, _, words = _reach(function, through_stages=False)
    files = {f.__code__.co_filename for f in functions} | {__file__}
    found = hashlib.sha256("\n".join(sorted(words)).encode())
    for path in sorted(files):
        found.update(_print_of_file(path))
    return found.hexdigest()


class _SourceCache:
    """Compiled code of one function on disk, looked up when it is first needed: nothing is written before.

    numba's own cache sees edits in the file of the function alone; this one in the files of all that it calls.
    """

    def __init__(self, function: FunctionType):
        self._function, self._found = function, None

    def _open(self) -> FunctionCache | NullCache:
        if self._found is None:
            _install()
            try:
                self._found = FunctionCache(self._function)
            except (RuntimeError, OSError):  # no file, or nowhere to write
                self._found = NullCache()
            else:
                # numba reads no further in the index of another version, whose types there may be no more
                file = self._found._cache_file
                file._version = f"{file._version}, sources {print_of_sources(self._function)}"
        return self._found

    @property
    def cache_path(self) -> str | None:
        return self._open().cache_path

    def load_overload(self, signature, target_context):
        found = self._open().load_overload(signature, target_context)
        if found is None and self._function.__module__.startswith("interstage"):
            _announce()
        return found

    def save_overload(self, signature, data) -> None:
        self._open().save_overload(signature, data)

    def enable(self) -> None:
        self._open().enable()

    def disable(self) -> None:
        self._open().disable()

    def flush(self) -> None:
        self._open().flush()


@functools.cache
def _announce() -> None:
    """Say once in a process that kernels are compiled."""
    print("interstage: compiling kernels (once) ...", file=sys.stderr, flush=True)


def keep_on_disk(dispatcher: Dispatcher) -> Dispatcher:
    """Let a kernel keep its compiled code on disk; it is compiled anew when the sources of what it calls change."""
    dispatcher._cache = _SourceCache(dispatcher.py_func)
    return dispatcher
