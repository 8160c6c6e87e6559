"""Kernels of the engine, bound to what a GPU has: the same text with other globals.

Kernels and stages that a kernel names are bound in turn, `np` is the mathematics that is given, and stages that a
vehicle does not call are left out: a compiler need not see them. Nothing of the engine is changed.
"""

from __future__ import annotations

from collections.abc import Callable
from types import CodeType, FunctionType

import numpy as np

from interstage.jit import COMPILED
from interstage.multibody.handle import STAGES

if COMPILED:
    from interstage.compiled import Stage


def plain(kernel: object) -> FunctionType | None:
    """Return the Python function of a kernel or stage, None of anything else."""
    if COMPILED and isinstance(kernel, Stage):
        return getattr(kernel, "function", None)
    found: object = getattr(kernel, "py_func", kernel)
    if not isinstance(found, FunctionType):
        return None
    return found if (found.__module__ or "").startswith("interstage.") else None


def _absent(*arguments):
    """Stand for a stage that is not called: find a fault."""
    return -1


class Translator:
    """Binds kernels, each once.

    called : names of the stages that the vehicle calls;  make : what is made of each bound function;  mathematics :
    stands for numpy
    """

    def __init__(
        self, called: frozenset[str], make: Callable[[FunctionType], Callable], mathematics: object = np
    ):
        self.called, self.make, self.mathematics = called, make, mathematics
        self.made: dict[FunctionType, Callable] = {}

    def __call__(self, kernel: object) -> Callable:
        """Return a kernel, bound."""
        function = plain(kernel)
        if function is None:
            raise TypeError(f"{kernel!r} is no kernel")
        if function not in self.made:
            if function.__name__ in STAGES and function.__name__ not in self.called:
                bound = FunctionType(_absent.__code__, {}, function.__name__)
            else:
                names = self._globals(function)
                bound = FunctionType(function.__code__, names, function.__name__, function.__defaults__)
            bound.__module__, bound.__qualname__ = function.__module__, function.__qualname__
            self.made[function] = self.make(bound)
        return self.made[function]

    def _globals(self, function: FunctionType) -> dict[str, object]:
        found = dict(function.__globals__)
        for name in _names(function.__code__):
            value = found.get(name)
            if value is np:
                found[name] = self.mathematics
            elif value is not None and plain(value) is not None:
                found[name] = self(value)
        return found


def _names(code: CodeType) -> set[str]:
    """Return all names that code uses, those of inner functions too."""
    inner = (_names(part) for part in code.co_consts if isinstance(part, CodeType))
    return set(code.co_names).union(*inner)
