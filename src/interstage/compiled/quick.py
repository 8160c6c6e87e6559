"""What makes compilation quick: no garbage collection meanwhile, and questions that numba asks thousands of times
answered at once.

What is kept on disk is lean, so that it is read quickly.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

from llvmlite.binding import parse_assembly
from numba import types
from numba.core import ir
from numba.core.base import BaseContext
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler
from numba.core.compiler_machinery import PassManager

_search, _find = types.BaseFunction.get_call_type, BaseContext.get_function
_PLAIN = (
    types.Integer,
    types.IntegerLiteral,
    types.Float,
    types.Complex,
    types.Boolean,
    types.Array,
    types.UniTuple,
    types.SliceType,
)
_found: dict[tuple, tuple] = {}


def _is_plain(kind: types.Type) -> bool:
    return type(kind) in _PLAIN or (type(kind) is types.Tuple and all(map(_is_plain, kind.types)))


def _recall(self: types.BaseFunction, context, args, kws):
    """Return the signature of a function for some arguments, found before or now.

    numba tries dozens of templates for each `a + b` it meets. What is found for plain types is the same the next
    time, if it is implemented under the function's own name: what is compiled for its caller is looked for anew.
    """
    if kws or not all(map(_is_plain, args)):
        return _search(self, context, args, kws)
    key = id(self), id(context), args
    if key in _found and self.get_impl_key(_found[key][2]) is self.typing_key:
        return _found[key][2]
    signature = _search(self, context, args, kws)
    if signature is not None and self.get_impl_key(signature) is self.typing_key:
        _found[key] = self, context, signature  # they live on, and no other gets their numbers
    return signature


def _implementation(self: BaseContext, fn, sig, _firstcall=True):
    """Return what implements a function.

    numba asks each array whether another stands behind it. None does, and no new ones have come since it asked last.
    """
    return _find(self, fn, sig, _firstcall and fn != "__array__")


def _variables(self: ir.Inst, value: object) -> list[ir.Var]:
    """Return the variables in a value: what numba's own function does, looking at numbers and words once."""
    if isinstance(value, dict):
        value = value.values()
    elif isinstance(value, ir.Inst):
        return value.list_vars()
    elif not isinstance(value, (list, tuple)):
        return [value] if isinstance(value, ir.Var) else []
    found = []
    for each in value:
        kind = type(each)
        if kind is ir.Var:
            found.append(each)
        elif kind is not str and kind is not ir.Loc and each is not None:
            found += _variables(self, each)
    return found


_ANSWERS = (
    (types.BaseFunction, "get_call_type", _recall),
    (BaseContext, "get_function", _implementation),
    (ir.Inst, "_rec_list_vars", _variables),
)


@contextmanager
def quickly() -> Iterator[None]:
    """Compile in a `with` block: the compiler makes many objects that live long, and asks the same again and again."""
    collecting, asked = gc.isenabled(), [getattr(owner, name) for owner, name, _ in _ANSWERS]
    gc.disable()
    try:
        for owner, name, answer in _ANSWERS:
            setattr(owner, name, answer)
        yield
    finally:
        for (owner, name, _), before in zip(_ANSWERS, asked):
            setattr(owner, name, before)
        if collecting:
            gc.enable()


class KernelLibrary(JITCodeLibrary):
    """Machine code of a kernel; on disk the names in it stand for the code that others would link: they link its part.

    numba reads that code whenever it loads a kernel, and takes no more from it than the names.
    """

    def serialize_using_object_code(self) -> tuple:
        name, kind, (code, _) = super().serialize_using_object_code()
        names = [
            f'define void @"{function.name}"() {{ ret void }}' for function in self.get_defined_functions()
        ]
        return name, kind, (code, parse_assembly("\n".join(names)).as_bitcode())


class KernelCompiler(Compiler):
    """numba's compiler, quicker."""

    library = KernelLibrary

    def define_pipelines(self) -> list[PassManager]:
        state = self.state
        state.library = self.library(state.targetctx.codegen(), state.func_id.func_qualname)
        state.library.enable_object_caching()
        # what tells numba something, not before it is needed
        from numba.core.typed_passes import NopythonTypeInference

        from interstage.compiled.record_writes import RecordWrites
        from interstage.compiled.uncounted import INSTEAD, Uncounted

        passes = super().define_pipelines()
        for manager in passes:
            manager.add_pass_after(RecordWrites, NopythonTypeInference)
            manager.add_pass_after(Uncounted, RecordWrites)
            manager.passes = [(INSTEAD.get(each, each), why) for each, why in manager.passes]
            manager.finalize()
        return passes

    def _compile_core(self):
        with quickly():
            return super()._compile_core()
