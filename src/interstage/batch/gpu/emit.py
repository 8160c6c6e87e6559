"""Code for a GPU by numba-cuda: references whose lengths are constants, and the kernel of a batch as PTX.

On a CPU a vehicle and its scratch are rows of addresses (`compiled.records`). Here a reference holds pointers alone,
`tree.body_parent` is the array there, and kernels see no difference. numba-cuda (extra `gpu`) is imported when it is
asked for.
"""

from __future__ import annotations

import functools
import math
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from types import ModuleType
from typing import Any

import numpy as np
from llvmlite import ir
from numba import float64, int64, types
from numba.core import cgutils

from interstage.batch.gpu.layout import Constant, Layout, Own, Place, VectorPart, lay_out
from interstage.batch.gpu.program import NAME, write
from interstage.batch.plan import BatchPlan

BLOCK = 64  # threads of a block
DATA = 4  # the field of numba's arrays that points to their numbers
CONSTANT_SPACE = 4  # of the memories of a GPU, as NVVM counts them


class RecordReference(types.Type):
    """The type of references whose fields lie at some places; each is a type of its own."""

    made = 0

    def __init__(self, name: str, places: Mapping[str, Place]):
        RecordReference.made += 1
        self.fields = {
            field: types.Array(int64 if place.whole else float64, len(place.shape), "C")
            for field, place in places.items()
        }
        self.shapes = {field: place.shape for field, place in places.items()}
        self.held = [field for field, shape in self.shapes.items() if 0 not in shape]
        super().__init__(name=f"{name}{RecordReference.made}")


def _array_at(context, builder, kind: types.Array, pointer: ir.Value, shape: tuple[int, ...]) -> ir.Value:
    """Emit an array of constant lengths at a pointer, by the fields of numba's arrays in their order."""

    def number(n: int) -> ir.Value:
        return context.get_constant(types.intp, n)

    size = context.get_abi_sizeof(context.get_data_type(kind.dtype))
    each, strides = size, list[ir.Value]()
    for n in reversed(shape):
        strides.insert(0, number(size))
        size *= n
    whole = context.get_value_type(types.intp)
    nothing = ir.Constant(ir.IntType(8).as_pointer(), None)
    fields = [
        nothing,
        nothing,
        number(int(np.prod(shape))),
        number(each),
        pointer,
        cgutils.pack_array(builder, [number(n) for n in shape], ty=whole),
        cgutils.pack_array(builder, strides, ty=whole),
    ]
    out = ir.Constant(context.get_value_type(kind), ir.Undefined)
    for k, field in enumerate(fields):
        out = builder.insert_value(out, field, k)
    return out


@functools.cache
def _install() -> None:
    """Tell numba-cuda what a reference is, once."""
    from numba.cuda.extending import infer_getattr, lower_getattr_generic, models, register_model
    from numba.cuda.typing.templates import AttributeTemplate

    @register_model(RecordReference)
    class ReferenceModel(models.StructModel):
        """A pointer for each array that is not empty."""

        def __init__(self, dmm, kind):
            members = [(field, types.CPointer(kind.fields[field].dtype)) for field in kind.held]
            super().__init__(dmm, kind, members)

    @infer_getattr
    class ReferenceAttribute(AttributeTemplate):
        """Types of the fields."""

        key = RecordReference

        def generic_resolve(self, kind, name):
            return kind.fields.get(name)

    @lower_getattr_generic(RecordReference)
    def array_of(context, builder, kind, value, name):
        array = kind.fields[name]
        if name in kind.held:
            pointer = builder.extract_value(value, kind.held.index(name))
        else:
            pointer = ir.Constant(context.get_data_type(array.dtype).as_pointer(), None)
        return _array_at(context, builder, array, pointer, kind.shapes[name])


@functools.cache
def _install_ranges() -> None:
    """Tell numba-cuda how to go through a range, once: its own way asks twice whether there is more.

    What comes after the last number is made and not used: so a compiler sees indices that grow by the step.
    """
    from numba.cuda.cpython import rangeobj

    kind = rangeobj.types.range_iter64_type
    place: Any = rangeobj.make_range_iterator(kind)

    @rangeobj.iterator_impl(rangeobj.types.range_state64_type, kind)
    class Straight(place):
        """The place in a range."""

        def iternext(self, context, builder, result):
            count, value = builder.load(self.count), builder.load(self.iter)
            result.set_valid(builder.icmp_signed(">", count, count.type(0)))
            result.yield_(value)
            builder.store(builder.sub(count, count.type(1)), self.count)
            builder.store(builder.add(value, self.step), self.iter)


def _constant(builder, array: np.ndarray, number: ir.Type) -> ir.Value:
    """Emit the pointer to an array in constant memory, which is there once."""
    kind, name = ir.ArrayType(number, array.size), f"constants_{id(array)}"
    held = builder.module.globals.get(name)
    if held is None:
        held = cgutils.add_global_variable(builder.module, kind, name, addrspace=CONSTANT_SPACE)
        held.linkage, held.global_constant, held.align = "internal", True, 16
        held.initializer = ir.Constant(kind, [ir.Constant(number, x) for x in array.ravel().tolist()])
    pointer = builder.addrspacecast(held, ir.PointerType(kind), "generic")
    return builder.bitcast(pointer, number.as_pointer())


def _own(builder, shape: tuple[int, ...], number: ir.Type) -> ir.Value:
    """Emit scratch of a thread, not filled: numba's own local arrays are filled with zeros at every launch."""
    with builder.goto_entry_block():
        room = builder.alloca(ir.ArrayType(number, int(np.prod(shape))))
        room.align = 16
    return builder.bitcast(room, number.as_pointer())


def reference(name: str, places: Mapping[str, Place]) -> Callable:
    """Return f(own, given, whole): a reference to arrays at some places."""
    from numba.cuda.extending import intrinsic

    _install()
    kind = RecordReference(name, places)

    def emit(context, builder, signature, args):
        vectors = dict(zip(("own", "given", "whole"), args))
        pointers: dict[str, ir.Value] = {}
        for field in kind.held:
            place, number = places[field], context.get_data_type(kind.fields[field].dtype)
            if isinstance(place, Constant):
                pointers[field] = _constant(builder, place.array, number)
            elif isinstance(place, Own):
                pointers[field] = _own(builder, place.shape, number)
            elif isinstance(place, VectorPart):
                data = builder.extract_value(vectors[place.vector], DATA)
                pointers[field] = builder.gep(data, [context.get_constant(types.intp, place.offset)])
            else:
                pointers[field] = pointers[place.field]
            if isinstance(place, Constant | Own) and place.ground:
                row = context.get_constant(types.intp, math.prod(place.shape[1:]))
                pointers[field] = builder.gep(pointers[field], [row])
        out = ir.Constant(context.get_value_type(kind), ir.Undefined)
        for k, field in enumerate(kind.held):
            out = builder.insert_value(out, pointers[field], k)
        return out

    @intrinsic
    def refer(typingctx, own, given, whole):
        return kind(own, given, whole), emit

    return refer


def scratch(length: int) -> Callable:
    """Return f(): a vector of a thread's own, with whatever is in it."""
    from numba.cuda.extending import intrinsic

    kind = types.Array(float64, 1, "C")

    def emit(context, builder, signature, args):
        room = _own(builder, (length,), context.get_data_type(float64))
        return _array_at(context, builder, kind, room, (length,))

    @intrinsic
    def local(typingctx):
        return kind(), emit

    return local


class _Mathematics(ModuleType):
    """numpy for device functions: what numba-cuda does not know is of `math`, or made here."""

    def __getattr__(self, name: str) -> object:
        return getattr(np, name)


def _rint(x):
    """Return the nearest whole number: by the last bits of a sum, exact below 2^51."""
    return (x + 6755399441055744.0) - 6755399441055744.0


def _mathematics() -> ModuleType:
    from numba import cuda

    made = _Mathematics("mathematics")
    functions = {"sqrt": math.sqrt, "isfinite": math.isfinite, "sin": math.sin, "cos": math.cos}
    for name, function in {**functions, "rint": cuda.jit(device=True)(_rint)}.items():
        setattr(made, name, function)
    return made


def kernel_of(plan: BatchPlan, layout: Layout | None = None) -> tuple[Callable[..., None], Layout]:
    """Return the kernel of a plan for numba-cuda, and its layout."""
    from numba import cuda

    _install_ranges()
    layout = layout or lay_out(plan)
    make = cuda.jit(device=True)
    return write(plan, layout, make, _mathematics(), cuda.grid, scratch, reference), layout


def signature() -> Any:
    """Return the types of a kernel's arguments."""
    vector, whole = types.Array(float64, 1, "C"), types.Array(int64, 1, "C")
    table, history = types.Array(float64, 2, "C"), types.Array(float64, 3, "C")
    return types.void(vector, whole, whole, table, history, table, vector, whole, whole, vector, float64)


def ptx_of(kernel: Callable[..., None], capability: tuple[int, int]) -> str:
    """Return the code of a kernel for a GPU of some capability, which need not be there."""
    from numba import cuda

    with _as_if_on(capability), as_written():
        text, _ = cuda.compile(
            kernel,
            signature(),
            device=False,
            abi="numba",
            cc=capability,
            output="ptx",
            launch_bounds=(BLOCK, 1),
        )
    entry = text.split(".entry", 1)[1].split("(", 1)[0].strip()
    return text.replace(entry, NAME)


@contextmanager
def as_written() -> Iterator[None]:
    """Let numba-cuda compile indices as they are: none wraps; slices have no step and end at their array's end.

    Python's rules cost two or three instructions an index, and hide from the compiler that neighbours are neighbours.
    Writes to constants, of subspaces of joints that a vehicle does not have, are not told of.
    """
    from numba.cuda.cpython import slicing
    from numba.cuda.cudadrv import nvvm

    kept = slicing.fix_index, slicing.fix_slice, slicing.get_slice_length
    slicing.fix_index, slicing.fix_slice, slicing.get_slice_length = _unchanged, _ended, _length
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", category=nvvm.NvvmWarning)
            yield
    finally:
        slicing.fix_index, slicing.fix_slice, slicing.get_slice_length = kept


def _unchanged(builder, index: ir.Value, size: ir.Value) -> ir.Value:
    """Return an index as it is."""
    return index


def _ended(builder, span, size: ir.Value) -> None:
    """End a slice at the end of its array: the end that Python means by none is beyond."""
    beyond = builder.icmp_signed(">", span.stop, size)
    span.stop = builder.select(beyond, size, span.stop)


def _length(builder, span) -> ir.Value:
    """Return the length of a slice, which begins at its end or before."""
    return builder.sub(span.stop, span.start)


class _Device:
    def __init__(self, capability: tuple[int, int]):
        self.compute_capability = capability


@contextmanager
def _as_if_on(capability: tuple[int, int]) -> Iterator[None]:
    """Let numba-cuda compile device functions for a GPU that need not be there."""
    from numba.cuda import dispatcher

    kept = dispatcher.get_current_device
    dispatcher.get_current_device = lambda: _Device(capability)
    try:
        yield
    finally:
        dispatcher.get_current_device = kept
