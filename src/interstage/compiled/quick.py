"""What makes compilation quick: no garbage collection meanwhile, and a memory for the types of operators.

What is kept on disk is lean, so that it is read quickly.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

from llvmlite.binding import parse_assembly
from numba import types
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler
from numba.core.compiler_machinery import PassManager

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
    if key in _found and self.get_impl_key(_found[key][2]) is self.typing_key:
        return _found[key][2]
    signature = _search(self, context, args, kws)
    if signature is not None and self.get_impl_key(signature) is self.typing_key:
        _found[key] = self, context, signature  # they live on, and no other gets their numbers
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
        from numba.core.typed_passes import NopythonTypeInference

        from interstage.compiled.record_writes import RecordWrites  # tells numba: not before it is needed

        passes = super().define_pipelines()
        for manager in passes:
            manager.add_pass_after(RecordWrites, NopythonTypeInference)
            manager.finalize()
        return passes

    def _compile_core(self):
        with quickly():
            return super()._compile_core()
