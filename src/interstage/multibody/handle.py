"""Hand a `Tree` and a `Work` to compiled code as one array of addresses, and call stages through it.

Passing a namedtuple of eighty arrays to every kernel would make compilation slow and calls from Python slower
than a step of a small vehicle. A handle lists address and shape of every array. Inside compiled code
`tree_of(handle)` and `work_of(handle, like)` are light references: `tree.body_parent` loads just that array.
Kernels are written against attribute names only, so that the same text runs on the namedtuples themselves
without compilation. The owner of a handle must keep the arrays alive.

A `stage` is a kernel that others call through its address, which is also kept in the handle. The compiler then
sees each stage once, instead of once more in everything that calls it: compilation takes a third of the time.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable

import numba
import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.imputils import impl_ret_borrowed, lower_getattr_generic
from numba.core.typing.templates import AttributeTemplate
from numba.extending import infer_getattr, intrinsic, models, register_model
from numba.np.arrayobj import make_array, populate_array

from interstage.multibody.arrays import SETTING_FIELDS, TREE_FIELDS, WORK_FIELDS, Tree, Work

COMPILED = not numba.config.DISABLE_JIT
# Sums may be reordered and products fused (the same on every run of one machine); infinities and NaN stay.
FAST = frozenset({"contract", "reassoc", "nsz", "arcp"})
_SLOTS = 4  # address and up to three lengths for each array
_FIRST_SETTING = _SLOTS * len(TREE_FIELDS)
_FIRST_SCRATCH = _FIRST_SETTING + _SLOTS * len(SETTING_FIELDS)
_FIRST_STAGE = _SLOTS * (len(TREE_FIELDS) + len(WORK_FIELDS))

STAGE_NAMES = (
    "kinematics",
    "poses",
    "external_wrenches",
    "prepare",
    "flexible_terms",
    "body_terms",
    "eliminate_modes",
    "inward",
    "modal_accelerations",
    "outward",
    "accelerations",
    "modal_balance",
    "balance",
    "composite",
    "mass_columns",
    "jacobian",
    "energies",
    "momentum",
    "observe_sites",
    "closure_rows",
    "closure_inertia",
    "constrain",
    "closure_response",
    "project",
    "closure_jacobian",
)

# Compiled code on disk knows slots by number: its types carry a print of the layout, so that old code is not
# taken for new.
_LAYOUT = hashlib.sha256(repr((TREE_FIELDS, WORK_FIELDS, STAGE_NAMES)).encode()).hexdigest()[:12]
LAYOUT = int(_LAYOUT, 16)
_HANDLE_DTYPE = np.dtype([(f"layout_{_LAYOUT}", np.int64)])


def slots_of(arrays: Iterable[np.ndarray]) -> np.ndarray:
    """Return address and shape of each of some arrays, as handles hold them."""
    rows = []
    for a in arrays:
        if not a.flags.c_contiguous:
            raise ValueError("handles need contiguous arrays")
        rows.append([a.ctypes.data, *a.shape, *[0] * (_SLOTS - 1 - a.ndim)])
    return np.array(rows, dtype=np.int64).ravel()


def make_handle(tree: Tree, work: Work) -> np.ndarray:
    """Return the array of addresses and shapes of all arrays of a tree and its scratch, and of stages (none yet)."""
    stages = np.zeros(len(STAGE_NAMES) + 1, dtype=np.int64)
    return np.concatenate([slots_of((*tree, *work)), stages]).view(_HANDLE_DTYPE)


def point_to(handle: np.ndarray, slots: np.ndarray) -> None:
    """Let a handle lead to other settings, given by their `slots_of`."""
    handle.view(np.int64)[_FIRST_SETTING:_FIRST_SCRATCH] = slots


class ArraysType(types.Type):
    """Numba type of a reference to a Tree or a Work; `fields` maps names to (slot, array type)."""

    def __init__(self, kind: str, scalar: types.Type):
        self.kind, self.scalar = kind, scalar
        listed, first = (TREE_FIELDS, 0) if kind == "Tree" else (WORK_FIELDS, len(TREE_FIELDS))
        element = {"i": types.int64, "f": types.float64, "w": scalar}
        self.fields = {
            name: (_SLOTS * (first + k), types.Array(element[letter], ndim, "C"))
            for k, (name, letter, ndim) in enumerate(listed)
        }
        super().__init__(name=f"Interstage{kind}({scalar}, {_LAYOUT})")

    @property
    def key(self):
        """Two references are of one type if they have the same name."""
        return self.name


@register_model(ArraysType)
class ArraysModel(models.StructModel):
    """A reference is the address of the first slot."""

    def __init__(self, dmm, fe_type):
        super().__init__(dmm, fe_type, [("slots", types.CPointer(types.int64))])


@infer_getattr
class ArraysAttribute(AttributeTemplate):
    """Type of `tree.name` and `work.name`."""

    key = ArraysType

    def generic_resolve(self, reference, name):
        """Return the array type of a field."""
        if name in reference.fields:
            return reference.fields[name][1]
        return None


@lower_getattr_generic(ArraysType)
def _load_array(context, builder, reference, value, name):
    """Emit code that makes the array of a field from its slots."""
    first, array_type = reference.fields[name]
    slots = cgutils.create_struct_proxy(reference)(context, builder, value=value).slots
    constant = builder.module.add_metadata([])

    def load(k):
        number = builder.load(builder.gep(slots, [context.get_constant(types.intp, first + k)]))
        number.set_metadata("invariant.load", constant)
        return number

    array = make_array(array_type)(context, builder)
    itemsize = context.get_abi_sizeof(context.get_data_type(array_type.dtype))
    shape = [load(1 + axis) for axis in range(array_type.ndim)]
    stride = context.get_constant(types.intp, itemsize)
    strides = [stride]
    for length in reversed(shape[1:]):
        stride = builder.mul(stride, length)
        strides.insert(0, stride)
    intp = context.get_value_type(types.intp)
    populate_array(
        array,
        data=builder.inttoptr(load(0), array.data.type),
        shape=cgutils.pack_array(builder, shape, ty=intp),
        strides=cgutils.pack_array(builder, strides, ty=intp),
        itemsize=context.get_constant(types.intp, itemsize),
        meminfo=None,
    )
    return impl_ret_borrowed(context, builder, array_type, array._getvalue())


def _reference(context, builder, reference_type, handle_type, handle):
    reference = cgutils.create_struct_proxy(reference_type)(context, builder)
    slots = make_array(handle_type)(context, builder, handle).data
    reference.slots = builder.bitcast(slots, reference.slots.type)
    return reference._getvalue()


@intrinsic
def tree_of(typingctx, handle):
    """Return a reference to the Tree of a handle (compiled code only)."""

    def codegen(context, builder, signature, args):
        return _reference(context, builder, signature.return_type, signature.args[0], args[0])

    return ArraysType("Tree", types.float64)(handle), codegen


@intrinsic
def work_of(typingctx, handle, like):
    """Return a reference to the Work of a handle, whose scratch has the element type of the array `like`."""

    def codegen(context, builder, signature, args):
        return _reference(context, builder, signature.return_type, signature.args[0], args[0])

    return ArraysType("Work", like.dtype)(handle, like), codegen


def _reference_at(context, builder, reference_type, address):
    reference = cgutils.create_struct_proxy(reference_type)(context, builder)
    reference.slots = builder.inttoptr(address, reference.slots.type)
    return reference._getvalue()


@intrinsic
def tree_at(typingctx, address):
    """Return a reference to the Tree of the handle at an address."""

    def codegen(context, builder, signature, args):
        return _reference_at(context, builder, signature.return_type, args[0])

    return ArraysType("Tree", types.float64)(types.int64), codegen


@intrinsic
def work_at(typingctx, address, like):
    """Return a reference to the Work of the handle at an address, with the element type of `like`."""

    def codegen(context, builder, signature, args):
        return _reference_at(context, builder, signature.return_type, args[0])

    return ArraysType("Work", like.dtype)(types.int64, like), codegen


@intrinsic
def vector_at(typingctx, address, length, like):
    """Return the vector of a length at an address, with the element type of `like`."""

    def codegen(context, builder, signature, args):
        array = make_array(signature.return_type)(context, builder)
        itemsize = context.get_constant(types.intp, context.get_abi_sizeof(context.get_data_type(like.dtype)))
        intp = context.get_value_type(types.intp)
        populate_array(
            array,
            data=builder.inttoptr(args[0], array.data.type),
            shape=cgutils.pack_array(builder, [args[1]], ty=intp),
            strides=cgutils.pack_array(builder, [itemsize], ty=intp),
            itemsize=itemsize,
            meminfo=None,
        )
        return array._getvalue()

    return types.Array(like.dtype, 1, "C")(types.int64, types.int64, like), codegen


def _last_slot(context, builder, address):
    slots = builder.inttoptr(address, context.get_value_type(types.int64).as_pointer())
    return builder.gep(slots, [context.get_constant(types.intp, _FIRST_STAGE + len(STAGE_NAMES))])


@intrinsic
def claim(typingctx, address):
    """Return True and mark the handle at an address as in use, unless it is: in one atomic operation."""

    def codegen(context, builder, signature, args):
        zero, one = (context.get_constant(types.int64, k) for k in (0, 1))
        slot = _last_slot(context, builder, args[0])
        return builder.extract_value(builder.cmpxchg(slot, zero, one, "acq_rel", "acquire"), 1)

    return types.boolean(types.int64), codegen


@intrinsic
def release(typingctx, address):
    """Mark the handle at an address as not in use."""

    def codegen(context, builder, signature, args):
        slot = _last_slot(context, builder, args[0])
        builder.atomic_rmw("xchg", slot, context.get_constant(types.int64, 0), "release")
        return context.get_dummy_value()

    return types.none(types.int64), codegen


_stages: dict[str, tuple[Callable, str, types.Type]] = {}
_compiled: dict[tuple[str, types.Type], object] = {}


def _argument_types(letters: str, scalar: types.Type) -> list[types.Type]:
    known = {
        "x": types.Array(scalar, 1, "C"),
        "M": types.Array(scalar, 2, "C"),
        "f": types.Array(types.float64, 1, "C"),
        "i": types.Array(types.int64, 1, "C"),
        "n": types.int64,
    }
    return [known[letter] for letter in letters]


def _with_arity(resolve: Callable, n: int) -> Callable:
    """Return a typing function of exactly n arguments after tree and work: numba folds *args into a tuple."""
    return (
        lambda typingctx, tree, work: resolve(tree, work),
        lambda typingctx, tree, work, a: resolve(tree, work),
        lambda typingctx, tree, work, a, b: resolve(tree, work),
        lambda typingctx, tree, work, a, b, c: resolve(tree, work),
        lambda typingctx, tree, work, a, b, c, d: resolve(tree, work),
        lambda typingctx, tree, work, a, b, c, d, e: resolve(tree, work),
    )[n]


def stage(letters: str, returns: str = "none"):
    """Make a kernel f(tree, work, ...) a stage, called through its address in the handle.

    `letters` gives the arguments after tree and work: x vector and M matrix of the state's type, f real vector,
    i vector of integers, n integer. `returns` is "none" or "int64".
    """

    def decorate(function):
        if not COMPILED:
            return function
        slot = _FIRST_STAGE + STAGE_NAMES.index(function.__name__)
        result = types.none if returns == "none" else types.int64
        _stages[function.__name__] = function, letters, result

        def resolve(tree, work):
            def codegen(context, builder, signature, args):
                slots = cgutils.create_struct_proxy(signature.args[0])(context, builder, value=args[0]).slots
                address = builder.load(builder.gep(slots, [context.get_constant(types.intp, slot)]))
                values = [context.get_value_type(t) for t in signature.args]
                function_type = ir.FunctionType(context.get_value_type(result), values)
                outcome = builder.call(builder.inttoptr(address, function_type.as_pointer()), args)
                return context.get_dummy_value() if result is types.none else outcome

            return result(tree, work, *_argument_types(letters, work.scalar)), codegen

        call = _with_arity(resolve, len(letters))
        call.__name__ = function.__name__
        call.__doc__ = function.__doc__
        return intrinsic(call)

    return decorate


def compile_stage(name: str, dtype: np.dtype, handle: np.ndarray) -> None:
    """Compile a stage for a number type (or load it from disk) and write its address into a handle."""
    scalar = numba.from_dtype(dtype)
    if (name, scalar) not in _compiled:
        function, letters, result = _stages[name]
        arguments = [
            ArraysType("Tree", types.float64),
            ArraysType("Work", scalar),
            *_argument_types(letters, scalar),
        ]
        make = numba.cfunc(result(*arguments), cache=True, fastmath=set(FAST), error_model="numpy")
        _compiled[name, scalar] = make(function)
    handle.view(np.int64)[_FIRST_STAGE + STAGE_NAMES.index(name)] = _compiled[name, scalar].address
