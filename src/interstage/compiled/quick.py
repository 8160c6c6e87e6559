"""What makes compilation quick: no garbage collection meanwhile, and a memory for the types of operators."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

from numba import types
from numba.core.compiler import Compiler

_search = types.BaseFunction.get_call_type
_PLAIN = (
    types.Integer,
    types.IntegerLiteral,
    types.Float,
    types.Complex,
    types.Boolean,
    types.Array,
    types.UniTuple,
)
_found: dict[tuple, tuple] = {}


def _recall(self: types.BaseFunction, context, args, kws):
    """Return the signature of a function for some arguments, found before or now.

    numba tries dozens of templates for each `a + b` it meets. What is found for plain types is the same the next
    time, if it is implemented under the function's own name: what is compiled for its caller is looked for anew.
    """
    if kws or not all(type(a) in _PLAIN for a in args):
        return _search(self, context, args, kws)
    key = id(self), id(context), args
    if key not in _found:
        signature = _search(self, context, args, kws)
        if signature is None or self._impl_keys[signature.args] is not self.typing_key:
            return signature
        _found[key] = self, context, signature  # they live on, and no other gets their numbers
    signature = _found[key][2]
    self._impl_keys[signature.args] = self.typing_key
    return signature


@contextmanager
def quickly() -> Iterator[None]:
    """Compile in a `with` block: the compiler makes many objects that live long, and asks the same again and again."""
    collecting, asking = gc.isenabled(), types.BaseFunction.get_call_type
    gc.disable()
    types.BaseFunction.get_call_type = _recall
    try:
        yield
    finally:
        types.BaseFunction.get_call_type = asking
        if collecting:
            gc.enable()


class KernelCompiler(Compiler):
    """numba's compiler, quicker."""

    def _compile_core(self):
        with quickly():
            return super()._compile_core()
