"""Leave out the counting of references where a kernel makes no arrays.

numba counts references to every array that a variable names: two calls for each, taken out again by a pass of their
own. A kernel whose arrays all come from its arguments and that returns none owns nothing: whoever calls it does.
"""

from __future__ import annotations

from numba import types
from numba.core import ir
from numba.core.compiler_machinery import AnalysisPass, register_pass
from numba.core.typed_passes import NopythonRewrites

from interstage.compiled.emitted import Emitted

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
