"""Entry points of kernels: their dependencies, staged compilation, and calls by address.

Stages: kernels that others call through an address in a slot of their record.

Doors: kernels of addresses as builtin functions that take and return arrays at the cost of a few checks.

A function that numba makes for Python looks up the types of its arguments, counts references to every array and hands
over the lock of the interpreter: a third of a microsecond. A door is a builtin function (`METH_FASTCALL`) whose code is
a kernel f(me, arguments, count) of addresses, compiled by `address`. It reads where numbers lie from the array objects
themselves, whose layout numpy publishes (`PyArrayObject_fields`), and answers with an object that it makes.

The first words of `me` are those of `make_door`; in the order of `WORDS` the addresses of what it needs follow.
"""

from __future__ import annotations

import ctypes
import functools
import sys
import sysconfig
from collections.abc import Callable, Sequence
from types import FunctionType

import numpy as np

from interstage.compiled.addresses import RESULTS, Arguments, address, call_at, scalar_of, types_of
from interstage.compiled.disk import reach
from interstage.compiled.emitted import Emitted
from interstage.compiled.records import load_slot

_pointers: list[object] = []  # they stay where they are as long as the process lives


class AddressedKernel(Emitted):
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
            kinds = types_of(self.arguments[1:], scalar_of(self.arguments[1:], given[1:]))
            signature = RESULTS[returns](given[0], *kinds)

            def codegen(context, builder, full, args):
                place = load_slot(context, builder, given[0], args[0], slot)
                return call_at(context, builder, place, signature, args)

            return signature, codegen

        super().__init__(
            define, len(self.arguments), function.__name__, function.__doc__, f"{slot} {returns}"
        )

    def compile(self, dtype: np.dtype) -> int:
        """Compile it for a number type, or load it from disk; return its address."""
        return address(self.function, self.arguments, dtype, self.returns, self.fast)


@functools.cache
def stages_of(root: Callable) -> tuple[AddressedKernel, ...]:
    """Return every stage that a kernel or a stage calls, directly or through others."""
    return tuple(reach(root, through_stages=True)[1])


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


WORDS = ("array_type", "float64", "new_array", "new_int", "drop", "let_go", "take_back")
# words of an array object, from its start; the lower half of those that are int
TYPE, DATA, AXES, LENGTHS, NUMBERS, FLAGS = 1, 2, 3, 4, 7, 8
HALF = 0xFFFFFFFF
IN_ORDER = 0x1 | 0x100  # flags of what is contiguous and aligned
_FASTCALL = 0x80
_ARRAY_NEW = 93  # of numpy's table of functions

_kept: list[object] = []  # definitions stay where they are as long as the process lives


class _Words(np.ndarray):
    """The words of a door, which keep alive what their addresses lead to."""

    keep: object


class _Definition(ctypes.Structure):
    """PyMethodDef."""

    _fields_ = (
        ("name", ctypes.c_char_p),
        ("code", ctypes.c_void_p),
        ("flags", ctypes.c_int),
        ("doc", ctypes.c_char_p),
    )


def _looks_as_expected(array: np.ndarray) -> bool:
    """Return whether the words of an array object are where they are read."""
    words = np.frombuffer((ctypes.c_int64 * (FLAGS + 1)).from_address(id(array)), dtype=np.int64)
    lengths = (ctypes.c_int64 * array.ndim).from_address(int(words[LENGTHS]))
    facts = {
        TYPE: id(type(array)),
        DATA: array.__array_interface__["data"][0],
        NUMBERS: id(array.dtype),
    }
    halves = {AXES: array.ndim, FLAGS: array.flags.num}
    return (
        all(words[k] == fact for k, fact in facts.items())
        and all(words[k] & HALF == fact for k, fact in halves.items())
        and tuple(lengths) == array.shape
    )


@functools.cache
def _needed() -> tuple[int, ...] | None:
    """Return the addresses of `WORDS`; None where objects are not laid out as doors read them."""
    plain = sys.implementation.name == "cpython" and not sysconfig.get_config_var("Py_GIL_DISABLED")
    if not plain or sys.byteorder != "little" or ctypes.sizeof(ctypes.c_void_p) != 8:
        return None
    if not (_looks_as_expected(np.zeros((2, 3))) and _looks_as_expected(np.zeros(7)[::2])):
        return None
    inner = sys.modules.get("numpy._core._multiarray_umath") or sys.modules["numpy.core._multiarray_umath"]
    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    table = (ctypes.c_void_p * (_ARRAY_NEW + 1)).from_address(pointer(inner._ARRAY_API, None))
    names = ("PyLong_FromLongLong", "Py_DecRef", "PyEval_SaveThread", "PyEval_RestoreThread")
    found = (ctypes.cast(getattr(ctypes.pythonapi, name), ctypes.c_void_p).value for name in names)
    return (
        id(np.ndarray),
        id(np.dtype(np.float64)),
        int(table[_ARRAY_NEW] or 0),
        *(int(k or 0) for k in found),
    )


@functools.cache
def _definition(kernel: Callable, fast: frozenset) -> _Definition:
    code = address(kernel, "nnn", np.dtype(np.float64), "int64", fast)
    name = kernel.__name__.encode()
    _kept.append(made := _Definition(name, code, _FASTCALL, (kernel.__doc__ or "").encode()))
    return made


def make_door(
    kernel: Callable, words: Sequence[int], fast: frozenset = frozenset(), keep: object = None
) -> Callable | None:
    """Return a kernel f(me, arguments, count) as a builtin function; None where there can be none.

    words : numbers that it finds first in the array `me`
    keep : lives as long as the door; what addresses among the words lead to must
    """
    needed = _needed()
    if needed is None:
        return None
    make = ctypes.pythonapi.PyCFunction_NewEx
    make.restype, make.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.py_object, ctypes.c_void_p]
    me = np.array([*words, *needed], dtype=np.int64).view(_Words)
    me.keep = keep
    return make(ctypes.addressof(_definition(kernel, fast)), me, None)
