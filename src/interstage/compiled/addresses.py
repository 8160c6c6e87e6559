"""Addresses: functions compiled once and called through them."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from functools import cached_property

import numba
import numpy as np
from llvmlite import ir
from numba import types
from numba.core.ccallback import CFunc
from numba.core.typing.templates import Signature

from interstage.compiled.disk import SourceCache, print_of_sources
from interstage.compiled.emitted import Emitted
from interstage.compiled.quick import AddressedCompiler
from interstage.compiled.raised import StatusCompiler, whole_numbers
from interstage.compiled.records import Record
from interstage.interrupts import dropped_interrupts_heard

Arguments = Sequence["str | Record"]
RESULTS = {"none": types.none, "int64": types.int64, "float64": types.float64, "status": types.none}


class AddressedFunction:
    """A function with an address: compiled code that stays where it is as long as the process lives.

    function : as it is written;  address : of its code;  symbol : its name in `bitcode()`
    """

    def __init__(
        self, function: Callable, signature: Signature, returns: str, fast: frozenset, checked: bool
    ):
        self.function, self._signature = function, signature
        self._how = returns, fast, checked
        self._made, self._cache = self._compiled(SourceCache(function, f"{returns} {checked}"))
        self.address, self.symbol = self._made.address, self._made.native_name

    def _compiled(self, cache: SourceCache) -> tuple[CFunc, SourceCache]:
        returns, fast, checked = self._how
        model = whole_numbers() if checked else "numpy"
        options = {"nopython": True, "error_model": model, "fastmath": set(fast), "boundscheck": checked}
        made = CFunc(
            self.function,
            (self._signature.args, self._signature.return_type),
            locals={},
            options=options,
            pipeline_class=StatusCompiler if returns == "status" else AddressedCompiler,
        )
        made._cache = cache
        with dropped_interrupts_heard():
            made.compile()
        return made, cache

    @cached_property
    def name(self) -> str:
        """The same in every process, of no other function: where its text lies, a print of sources and layouts."""
        text = f"{self.function.__module__}.{self.function.__qualname__}"
        returns, fast, checked = self._how
        made = f"{print_of_sources(self.function)} {self._signature} {returns} {sorted(fast)} {checked}"
        return f"{text}|{hashlib.sha256(made.encode()).hexdigest()[:16]}"

    def bitcode(self) -> bytes:
        """Return its optimized instructions (LLVM bitcode), kept or compiled anew."""
        held = self._cache.bitcode(self._signature)
        if held is None:  # they are no more on disk
            held = self._compiled(SourceCache(self.function, self._cache.options, anew=True))[1].bitcode(
                self._signature
            )
        assert held is not None
        return held


_code: dict[tuple, AddressedFunction] = {}


def types_of(arguments: Arguments, scalar: types.Type) -> list[types.Type]:
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


def scalar_of(arguments: Arguments, given: Sequence[types.Type]) -> types.Type:
    """Return the number type that a call's arguments have where their letters leave it open; float64 otherwise."""
    for letter, kind in zip(arguments, given):
        if _is_open(letter):
            return getattr(kind, "scalar", None) or getattr(kind, "dtype", kind)
    return types.float64


def address(
    function: Callable,
    arguments: Arguments,
    dtype: np.dtype,
    returns: str = "none",
    fast: frozenset = frozenset(),
    checked: bool = False,
) -> int:
    """Compile a function for a number type (or load it from disk) and return the address of its code.

    arguments : letters x vector, M matrix and s number of the type `dtype`, f vector and d number of float64,
    i vector and n number of int64; or a `Record`
    returns : "none", "int64" or "float64"; "status" of one that returns nothing: `WELL`, or 0 after it raised, which
    `taken_error` has; what others raise is lost
    fast : what the compiler may do with sums and products
    checked : indices beyond an array and divisions of whole numbers by zero are errors
    """
    plain, scalar = getattr(function, "py_func", function), numba.from_dtype(np.dtype(dtype))
    signature = RESULTS[returns](*types_of(arguments, scalar))
    key = plain, signature, returns, fast, checked
    if key not in _code:
        _code[key] = AddressedFunction(plain, signature, returns, fast, checked)
    return _code[key].address


def functions_by_address() -> dict[int, AddressedFunction]:
    """Return what has an address in this process."""
    return {made.address: made for made in _code.values()}


def call_at(context, builder, address_: ir.Value, signature, args: Sequence[ir.Value]) -> ir.Value:
    """Emit a call through an address."""
    values = [context.get_value_type(t) for t in signature.args]
    result = signature.return_type
    function = ir.FunctionType(context.get_value_type(result), values).as_pointer()
    outcome = builder.call(builder.inttoptr(address_, function), args)
    return context.get_dummy_value() if result is types.none else outcome


def caller(arguments: Arguments, returns: str = "none") -> Emitted:
    """Return f(address, *arguments) for kernels: call what lies at an address that `address` gave."""

    def define(typingctx, place, *given):
        kinds = types_of(arguments, scalar_of(arguments, given))
        signature = RESULTS[returns](*kinds)

        def codegen(context, builder, full, args):
            return call_at(context, builder, args[0], signature, args[1:])

        return signature.return_type(types.int64, *kinds), codegen

    key = f"{[getattr(a, 'print', a) for a in arguments]} {returns}"
    return Emitted(define, 1 + len(arguments), "call_through", "Call what lies at an address.", key)
