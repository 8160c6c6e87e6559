"""What functions raise that compiled code calls through their address: it is kept for the caller's thread.

Such a function returns `WELL`, or 0 after it raised: a value that nothing returns by accident. What it raised lies in
the dictionary that the interpreter keeps for the thread, where `taken_error` finds it. No instruction of Python runs
between a function that compiled code calls and the place where its exception is kept, so that an interrupt falls into
the function or comes after the stretch of compiled code: it is never lost.
"""

from __future__ import annotations

import ctypes
from functools import cache, partial

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.callconv import ErrorModel, error_models

from interstage.compiled.emitted import Emitted
from interstage.compiled.quick import AddressedCompiler

WELL = 0x5AFE  # status of a function that came to its end
WAITING = 0x5AFF  # of one that does not run here: whoever called it waits, and goes on after it
_KEY = "interstage: raised by a function that compiled code called"


def taken_error() -> BaseException | None:
    """Return what a function raised last in this thread, and forget it."""
    find = ctypes.pythonapi.PyThreadState_GetDict
    find.restype = ctypes.c_void_p  # it lends the dictionary
    place = find()
    return None if place is None else ctypes.cast(place, ctypes.py_object).value.pop(_KEY, None)


def _keep_error(builder: ir.IRBuilder, pyapi) -> None:
    """Emit what moves the exception that is set to the dictionary of the thread."""
    one, none = pyapi.pyobj, ir.VoidType()

    def call(name: str, result: ir.Type, *given: ir.Value) -> ir.Value:
        kind = ir.FunctionType(result, [value.type for value in given])
        return builder.call(cgutils.get_or_insert_function(builder.module, kind, name), given)

    kind, value, trace = (cgutils.alloca_once_value(builder, ir.Constant(one, None)) for _ in range(3))
    pyapi.err_fetch(kind, value, trace)
    call("PyErr_NormalizeException", none, kind, value, trace)
    with builder.if_then(cgutils.is_not_null(builder, builder.load(trace))):
        call("PyException_SetTraceback", ir.IntType(32), builder.load(value), builder.load(trace))
    found = call("PyThreadState_GetDict", one)
    with builder.if_then(cgutils.is_not_null(builder, found)):
        pyapi.dict_setitem_string(found, _KEY, builder.load(value))
    for held in (kind, value, trace):
        pyapi.decref(builder.load(held))


def _define_call(typingctx, place, t):
    """Return signature and instructions of a call of a Python object at an address with a number."""

    def codegen(context, builder, signature, args):
        status = cgutils.alloca_once_value(builder, context.get_constant(types.int64, WELL))
        pyapi = context.get_python_api(builder)
        lock = pyapi.gil_ensure()
        number = pyapi.float_from_double(args[1])
        answer = pyapi.call_function_objargs(builder.inttoptr(args[0], pyapi.pyobj), (number,))
        pyapi.decref(number)
        with builder.if_else(cgutils.is_null(builder, answer), likely=False) as (failed, well):
            with failed:
                _keep_error(builder, pyapi)
                builder.store(context.get_constant(types.int64, 0), status)
            with well:
                pyapi.decref(answer)
        pyapi.gil_release(lock)
        return builder.load(status)

    return types.int64(types.int64, types.float64), codegen


call_object = Emitted(_define_call, 2, "call_object", "Call a Python object with a number.", _KEY)


def called(place, t):
    """Call the Python object at an address with a number; return `WELL`, or 0 if it raised."""
    return call_object(place, t)


def _wrapped(context, library, fndesc, env, call_helper) -> None:
    """Emit what is called by address: it returns `WELL`, or 0 and keeps what the function raised."""
    module = context.create_module("cfunc_wrapper")
    kinds = [context.get_value_type(kind) for kind in fndesc.argtypes]
    inside = context.call_conv.get_function_type(fndesc.restype, fndesc.argtypes)
    function = ir.Function(module, inside, fndesc.llvm_func_name)
    outside = ir.FunctionType(ir.IntType(64), kinds)
    wrapper = ir.Function(module, outside, fndesc.llvm_cfunc_wrapper_name)
    builder = ir.IRBuilder(wrapper.append_basic_block("entry"))
    status, _ = context.call_conv.call_function(
        builder, function, fndesc.restype, fndesc.argtypes, wrapper.args, attrs=("noinline",)
    )
    with builder.if_then(status.is_error, likely=False):
        pyapi = context.get_python_api(builder)
        lock = pyapi.gil_ensure()
        context.call_conv.raise_error(builder, pyapi, status)
        _keep_error(builder, pyapi)
        pyapi.gil_release(lock)
        builder.ret(ir.IntType(64)(0))
    builder.ret(ir.IntType(64)(WELL))
    library.add_ir_module(module)


class StatusCompiler(AddressedCompiler):
    """The compiler of functions whose exceptions are kept; they return a status in place of nothing."""

    def define_pipelines(self):
        passes = super().define_pipelines()
        context = self.state.targetctx
        self.state.targetctx = context.subtarget(create_cfunc_wrapper=partial(_wrapped, context))
        return passes


class WholeNumbers(ErrorModel):
    """Division by zero is an error of whole numbers alone: real ones have infinities."""

    raise_on_fp_zero_division = False

    def fp_zero_division(self, builder, exc_args: tuple | None = None, loc: object = None) -> bool:
        if not exc_args or not str(exc_args[0]).startswith("integer"):
            return False
        self.call_conv.return_user_exc(builder, ZeroDivisionError, exc_args, loc)
        return True


@cache
def whole_numbers() -> str:
    """Return the name under which numba knows `WholeNumbers`."""
    name = "interstage whole numbers"
    error_models[name] = WholeNumbers
    return name
