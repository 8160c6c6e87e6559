"""Compile kernels without reference counting where that is safe, after a check of their writes to records.

A look at what kernels write to records, before code is made: `d.x = …` is for one number.

numba would take the first number of an array that is written to a number, and write an array over the neighbours of an
array.

Leave out the counting of references where a kernel makes no arrays.

numba counts references to every array that a variable names: two calls for each, taken out again by a pass of their
own. A kernel whose arrays all come from its arguments and that returns none owns nothing: whoever calls it does.

What makes compilation quick: no garbage collection meanwhile, and questions that numba asks thousands of times
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
from numba.core.compiler_machinery import AnalysisPass, PassManager, register_pass
from numba.core.errors import TypingError
from numba.core.ir import SetAttr
from numba.core.typed_passes import NopythonRewrites

from interstage.compiled.emitted import Emitted
from interstage.compiled.records import RecordType


@register_pass(mutates_CFG=False, analysis_only=True)
class RecordWrites(AnalysisPass):
    """Refuse writes to records whose sizes do not fit."""

    _name = "interstage_record_writes"

    def __init__(self) -> None:
        super().__init__()

    def run_pass(self, state) -> bool:
        """Look at every `d.x = …`; nothing is changed."""
        for block in state.func_ir.blocks.values():
            for write in block.find_insts(SetAttr):
                row_type, value = state.typemap[write.target.name], state.typemap[write.value.name]
                if isinstance(row_type, RecordType) and write.attr in row_type.fields:
                    _check(row_type, write, value)
        return False


def _check(row_type: RecordType, write: SetAttr, value: types.Type) -> None:
    """Refuse an array for a number, and anything for an array: that is written in place."""
    name, kind = f"{write.target.name}.{write.attr}", row_type.fields[write.attr][1]
    if isinstance(kind, types.Array):
        raise TypingError(f"{name} is an array: write {name}[:] = …", loc=write.loc)
    if isinstance(value, types.Array):
        raise TypingError(f"{name} is one number, and is given an array ({value.ndim}-d)", loc=write.loc)


WITHIN = "interstage.multibody.kernels."  # algorithms on records: their arrays are scratch that Python holds
_VIEWS = {"getattr", "static_getitem", "cast", "exhaust_iter", "build_tuple", "phi"}
_VIEWS |= {"getiter", "iternext", "pair_first", "pair_second"}
_METHODS = {"array.reshape"}  # of contiguous arrays: nothing is copied


@register_pass(mutates_CFG=False, analysis_only=True)
class Uncounted(AnalysisPass):
    """Lower a kernel without counts where it needs none."""

    _name = "interstage_uncounted"

    def __init__(self) -> None:
        super().__init__()

    def run_pass(self, state) -> bool:
        """Choose the context that the kernel is lowered in."""
        within = state.func_id.modname.startswith(WITHIN) and state.flags.no_cpython_wrapper
        if within and state.targetctx.enable_nrt and _owns_nothing(state):
            state.targetctx = state.targetctx.subtarget(enable_nrt=False)
        return False


@register_pass(mutates_CFG=True, analysis_only=False)
class Rewrites(NopythonRewrites):
    """Fuse what numba computes on whole arrays, where a kernel makes some."""

    _name = "interstage_rewrites"

    def run_pass(self, state) -> bool:
        """Do what numba does, unless there is nothing to find."""
        return state.targetctx.enable_nrt and super().run_pass(state)


INSTEAD = {NopythonRewrites: Rewrites}


def _owns_nothing(state) -> bool:
    """Return whether all that is counted in a kernel are arrays that belong to its callers."""
    if state.func_ir.is_generator or _is_counted(state, state.return_type):
        return False
    for block in state.func_ir.blocks.values():
        for line in block.find_insts((ir.SetItem, ir.StaticSetItem)):
            if isinstance(state.typemap[line.value.name], types.Array):
                return False  # a[:] = b copies b first where it lies in the same memory
        for line in block.find_insts(ir.Assign):
            kind = state.typemap[line.target.name]
            if _is_counted(state, kind) and not (_is_a_view(state, line.value) and _is_of_arrays(kind)):
                return False
    return True


def _is_counted(state, kind: types.Type) -> bool:
    return state.targetctx.data_model_manager[kind].contains_nrt_meminfo()


def _is_of_arrays(kind: types.Type) -> bool:
    """Return whether what is counted in a type are arrays alone."""
    if isinstance(kind, types.BaseTuple):
        return all(map(_is_of_arrays, kind))
    return isinstance(kind, (types.Array, types.ArrayIterator, types.Number, types.Boolean))


def _is_a_view(state, value: object) -> bool:
    """Return whether what an expression gives belongs to whom its parts belong to."""
    if not isinstance(value, ir.Expr):  # an argument, another variable, a constant
        return True
    if value.op == "getitem":
        return not _is_counted(state, state.typemap[value.index.name])
    if value.op != "call":
        return value.op in _VIEWS
    function = state.typemap[value.func.name]
    key = getattr(function, "typing_key", None)
    return isinstance(key, Emitted) or (isinstance(function, types.BoundFunction) and key in _METHODS)


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


class AddressedLibrary(KernelLibrary):
    """Code of a function with an address: it keeps its optimized instructions, for other machines and linkers.

    bitcode : LLVM's, before machine code is made of it, which changes it; None of what was loaded from disk
    """

    bitcode: bytes | None = None

    def _optimize_final_module(self) -> None:
        super()._optimize_final_module()
        self.bitcode = self._final_module.as_bitcode()


class KernelCompiler(Compiler):
    """numba's compiler, quicker."""

    library = KernelLibrary

    def define_pipelines(self) -> list[PassManager]:
        state = self.state
        state.library = self.library(state.targetctx.codegen(), state.func_id.func_qualname)
        state.library.enable_object_caching()
        # what tells numba something, not before it is needed
        from numba.core.typed_passes import NopythonTypeInference

        from interstage.compiled.quick import INSTEAD, RecordWrites, Uncounted

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


class AddressedCompiler(KernelCompiler):
    """The compiler of functions that are called by address."""

    library = AddressedLibrary
