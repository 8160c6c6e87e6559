"""Parts: what a kernel is for other kernels. It is lowered once and linked into each of them.

numba compiles every function that a kernel calls as if Python called it too: passes over its code alone, machine
code, a wrapper for Python, a file on disk, and all once more for each literal number among its arguments. A part has
none of it. Its code is optimized where it is linked, with what stands around it.
"""

from __future__ import annotations

import functools

from numba import types
from numba.core import compiler, typing
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler_machinery import register_pass
from numba.core.dispatcher import Dispatcher, _FunctionCompiler
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
        state.library = PartLibrary(state.targetctx.codegen(), state.func_id.func_qualname)
        super().run_pass(state)
        lowered = state["cr"]
        key = object()  # callers ask for it where the address of machine code would stand
        state.targetctx.insert_user_function(key, lowered.fndesc, [state.library])
        state["cr"] = lowered._replace(cfunc=key)
        return True


@functools.cache
def _register() -> None:
    """Tell numba of the pass, once, before the first kernel is compiled."""
    register_pass(mutates_CFG=True, analysis_only=False)(PartLowering)


class PartCompiler(KernelCompiler):
    """The compiler of parts: numba's, up to the machine code."""

    def define_pipelines(self) -> list:
        _register()
        passes = compiler.DefaultPassBuilder.define_nopython_pipeline(self.state)
        passes.passes = [(PartLowering if p is NativeLowering else p, why) for p, why in passes.passes]
        passes._finalized = False
        passes.finalize()
        return [passes]


class _Translator(_FunctionCompiler):
    def _customize_flags(self, flags):
        flags.no_cpython_wrapper = flags.no_cfunc_wrapper = flags.no_compile = True
        return flags


class Part:
    """A kernel as other kernels call it, by types of arguments."""

    def __init__(self, dispatcher: Dispatcher):
        self._name = dispatcher.py_func.__name__
        self._translator = _Translator(
            dispatcher.py_func,
            dispatcher.targetdescr,
            dispatcher.targetoptions,
            dispatcher.locals,
            PartCompiler,
        )
        self._found: dict[tuple[types.Type, ...], compiler.CompileResult] = {}

    def get_call_template(self, args, kws):
        """Return what numba asks of a function that a kernel calls: its signatures, and the arguments in order."""
        signature, folded = self._translator.fold_argument_types(args, kws)
        folded = tuple(map(types.unliteral, folded))
        if folded not in self._found:
            self._found[folded] = self._translator.compile(folded, None)
        template = typing.make_concrete_template(
            f"Part({self._name})", key=self._name, signatures=[self._found[folded].signature]
        )
        return template, signature, folded, {}

    def get_overload(self, args) -> object:
        """Return the key of the code for types of arguments."""
        return self._found[tuple(args)].entry_point


def link_into_callers(dispatcher: Dispatcher) -> Dispatcher:
    """Let other kernels link a kernel as a part; for Python it stays as it is."""
    dispatcher._compiler.pipeline_class = KernelCompiler
    part = Part(dispatcher)
    dispatcher.get_call_template, dispatcher.get_overload = part.get_call_template, part.get_overload
    return dispatcher
