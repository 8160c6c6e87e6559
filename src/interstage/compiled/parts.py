"""Parts: what a kernel is for other kernels. It is lowered once and linked into each of them.

numba compiles every function that a kernel calls as if Python called it too: passes over its code alone, machine
code, a wrapper for Python, a file on disk, and all once more for each literal number among its arguments. A part has
none of it. Its code is optimized where it is linked, with what stands around it.
"""

from __future__ import annotations

import functools

import numba
from numba import types
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler_machinery import PassManager, register_pass
from numba.core.dispatcher import Dispatcher
from numba.core.typed_passes import NativeLowering

from interstage.compiled.quick import KernelCompiler


class PartLibrary(JITCodeLibrary):
    """Code that waits to be linked: passes over single functions shrink it, nothing else is done."""

    def _optimize_final_module(self) -> None:
        pass

    def _finalize_final_module(self) -> None:
        self._finalized = True


class PartLowering(NativeLowering):
    """Lower to code that can be linked, and let callers find it."""

    _name = "part_lowering"

    def run_pass(self, state) -> bool:
        state.flags.no_compile = True
        super().run_pass(state)
        lowered = state["cr"]
        key = [].append  # stands, like no other, for machine code: callers find the part under it, and nobody calls it
        state.targetctx.insert_user_function(key, lowered.fndesc, [state.library])
        state["cr"] = lowered._replace(cfunc=key)
        return True


@functools.cache
def _register() -> None:
    """Tell numba of the pass, once, before the first kernel is compiled."""
    register_pass(mutates_CFG=True, analysis_only=False)(PartLowering)


class PartCompiler(KernelCompiler):
    """The compiler of parts: numba's, up to the machine code."""

    library = PartLibrary

    def define_pipelines(self) -> list[PassManager]:
        _register()
        (whole,) = super().define_pipelines()
        passes = PassManager("part")
        for each, why in whole.passes:
            passes.add_pass(PartLowering if each is NativeLowering else each, why)
        passes.finalize()
        return [passes]


class Part:
    """A kernel as other kernels call it."""

    def __init__(self, dispatcher: Dispatcher):
        self._function, self._options = dispatcher.py_func, dispatcher.targetoptions

    @functools.cached_property
    def _linked(self) -> Dispatcher:
        options = {**self._options, "no_cpython_wrapper": True, "no_cfunc_wrapper": True}
        return numba.jit(**options, pipeline_class=PartCompiler)(self._function)

    def get_call_template(self, args, kws):
        """Return what numba asks of a function that a kernel calls: signatures and arguments, numbers without value."""
        named = {name: types.unliteral(kind) for name, kind in kws.items()}
        return self._linked.get_call_template(tuple(map(types.unliteral, args)), named)

    def get_overload(self, args) -> object:
        """Return what stands for the code for types of arguments."""
        return self._linked.get_overload(args)


def link_into_callers(dispatcher: Dispatcher) -> Dispatcher:
    """Let other kernels link a kernel as a part; for Python it stays as it is."""
    part = Part(dispatcher)
    dispatcher.get_call_template, dispatcher.get_overload = part.get_call_template, part.get_overload
    return dispatcher
