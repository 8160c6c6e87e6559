"""Stages: kernels that others call through an address in a slot of their record."""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Callable
from types import FunctionType

import numpy as np

from interstage.compiled.addresses import RESULTS, Arguments, address, call_at, scalar_of, types_of
from interstage.compiled.emitted import Emitted
from interstage.compiled.reach import reach
from interstage.compiled.records import load_slot

_pointers: list[object] = []  # they stay where they are as long as the process lives


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
def stages_of(root: Callable) -> tuple[Stage, ...]:
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
