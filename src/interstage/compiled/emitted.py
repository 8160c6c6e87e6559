"""Functions that compiled code alone can call: their instructions are emitted where they are called."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from types import FunctionType

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.typing.templates import make_intrinsic_template
from numba.np.arrayobj import make_array, populate_array


class Emitted:
    """A function for compiled code whose types and instructions `define(typing context, *types)` gives.

    key : what the emitted instructions depend on beside this package, for the cache on disk
    """

    function: FunctionType | None = None  # the kernel whose address it calls, if it is a stage

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


def vector(context, builder, array_type: types.Array, address: ir.Value, shape: list) -> ir.Value:
    """Emit a contiguous array at an address."""
    array = make_array(array_type)(context, builder)
    intp = context.get_value_type(types.intp)
    itemsize = context.get_constant(types.intp, array_type.dtype.bitwidth // 8)
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
        return vector(context, builder, signature.return_type, args[0], [args[1]])

    return types.Array(like.dtype, 1, "C")(types.int64, types.int64, like), codegen


@_emitted
def matrix_at(typingctx, address, rows, columns, like):
    """Return the matrix of a shape at an address, with the element type of the array `like`."""

    def codegen(context, builder, signature, args):
        return vector(context, builder, signature.return_type, args[0], [args[1], args[2]])

    return types.Array(like.dtype, 2, "C")(types.int64, types.int64, types.int64, like), codegen


def _word(context, builder, address: ir.Value, slot: ir.Value) -> ir.Value:
    return builder.gep(builder.inttoptr(address, context.get_value_type(types.int64).as_pointer()), [slot])


@_emitted
def word(typingctx, address, slot):
    """Return the word `slot` after an address."""

    def codegen(context, builder, signature, args):
        return builder.load(_word(context, builder, *args))

    return types.int64(types.int64, types.int64), codegen


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
        builder.store_atomic(zero, _word(context, builder, *args), "release", 8)
        return context.get_dummy_value()

    return types.none(types.int64, types.int64), codegen
