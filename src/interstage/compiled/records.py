"""Records: rows of addresses that compiled code reads by names."""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Sequence

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.imputils import impl_ret_borrowed, lower_getattr_generic, lower_setattr_generic
from numba.core.typing.templates import AttributeTemplate, infer_getattr
from numba.extending import models, register_model
from numba.np.arrayobj import make_array

from interstage.compiled.emitted import Emitted, vector

SLOTS = 4  # of an array in a row: its address and up to three lengths

_fields_of: dict[str, dict[str, tuple[int, types.Type, int]]] = {}


class RecordType(types.Type):
    """Numba type of a reference to a row of slots; two are one type if they have the same name."""

    def __init__(self, name: str, scalar: types.Type):
        self.scalar = scalar
        super().__init__(name=name)

    @property
    def key(self) -> str:
        """Name with a print of the fields: old code on disk is not taken for new."""
        return self.name

    @property
    def fields(self) -> dict[str, tuple[int, types.Type, int]]:
        """Slot, type and constant length (-1: lengths lie in the row) by name."""
        return _fields_of[self.name]


class Record:
    """A row of slots (int64) that compiled code reads by names.

    fields : (name, letter, size) each; letter i int64, f float64, w the number type of the caller
    arrays : size is the number of axes, a field has four slots (address, lengths);
    otherwise a slot is the address of a number (size 0, also written: `d.angle = 0.1`) or a vector of that length
    """

    def __init__(
        self, name: str, fields: Sequence[tuple[str, str, int]], first: int = 0, arrays: bool = True
    ):
        self.name, self.listed, self.first, self.arrays = name, tuple(fields), first, arrays
        self.print = hashlib.sha256(repr((self.listed, first, arrays)).encode()).hexdigest()[:12]

    def type(self, scalar: types.Type) -> RecordType:
        """Return the numba type of a reference whose letter w is `scalar`."""
        name = f"Interstage{self.name}({scalar}, {self.print})"
        if name not in _fields_of:
            element = {"i": types.int64, "f": types.float64, "w": scalar}
            width, found = SLOTS if self.arrays else 1, {}
            for k, (field, letter, size) in enumerate(self.listed):
                dtype, axes = element[letter], size if self.arrays else min(size, 1)
                kind = types.Array(dtype, axes, "C") if axes > 0 else dtype
                found[field] = self.first + width * k, kind, -1 if self.arrays else size
            _fields_of[name] = found
        return RecordType(name, scalar)

    def reference(self, name: str, like: bool) -> Emitted:
        """Return f(place) or, with `like`, f(place, like): a reference to the row in an array or at an address.

        like : an array whose element type is that of letter w (float64 without it)
        """

        def define(typingctx, place, *arrays):
            row_type = self.type(arrays[0].dtype if like else types.float64)

            def codegen(context, builder, signature, args):
                reference = cgutils.create_struct_proxy(row_type)(context, builder)
                if isinstance(place, types.Array):
                    data = make_array(place)(context, builder, args[0]).data
                    reference.row = builder.bitcast(data, reference.row.type)
                else:
                    reference.row = builder.inttoptr(args[0], reference.row.type)
                return reference._getvalue()

            given = place if isinstance(place, types.Array) else types.int64
            return row_type(given, *arrays), codegen

        doc = f"Return a reference to a {self.name} (compiled code only)."
        return Emitted(define, 1 + like, name, doc, self.print)


def load_slot(context, builder, row_type: RecordType, value: ir.Value, slot: int) -> ir.Value:
    """Emit the load of a slot; rows do not change while compiled code looks at them."""
    row = cgutils.create_struct_proxy(row_type)(context, builder, value=value).row
    number = builder.load(builder.gep(row, [context.get_constant(types.intp, slot)]))
    number.set_metadata("invariant.load", builder.module.add_metadata([]))
    return number


def _get_field(context, builder, row_type, value, name):
    """Emit the array or the number of a field."""
    slot, kind, length = row_type.fields[name]
    address = load_slot(context, builder, row_type, value, slot)
    if not isinstance(kind, types.Array):
        place = builder.inttoptr(address, context.get_data_type(kind).as_pointer())
        return context.unpack_value(builder, kind, place)
    if length >= 0:
        shape = [context.get_constant(types.intp, length)]
    else:
        shape = [load_slot(context, builder, row_type, value, slot + 1 + axis) for axis in range(kind.ndim)]
    return impl_ret_borrowed(context, builder, kind, vector(context, builder, kind, address, shape))


def _set_field(context, builder, signature, args, name):
    """Emit the writing of a number."""
    row_type = signature.args[0]
    slot, kind, _ = row_type.fields[name]
    address = load_slot(context, builder, row_type, args[0], slot)
    number = context.cast(builder, args[1], signature.args[1], kind)
    context.pack_value(
        builder, kind, number, builder.inttoptr(address, context.get_data_type(kind).as_pointer())
    )


@functools.cache
def install() -> None:
    """Tell numba what a record is, once, before the first kernel is compiled or loaded."""

    class RecordModel(models.StructModel):
        """A reference is the address of the first slot."""

        def __init__(self, dmm, row_type):
            super().__init__(dmm, row_type, [("row", types.CPointer(types.int64))])

    class RecordAttribute(AttributeTemplate):
        """Types of the fields."""

        key = RecordType

        def generic_resolve(self, row_type, name):
            return row_type.fields[name][1] if name in row_type.fields else None

    register_model(RecordType)(RecordModel)
    infer_getattr(RecordAttribute)
    lower_getattr_generic(RecordType)(_get_field)
    lower_setattr_generic(RecordType)(_set_field)
