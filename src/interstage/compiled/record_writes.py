"""A look at what kernels write to records, before code is made: `d.x = …` is for one number.

numba would take the first number of an array that is written to a number, and write an array over the neighbours of an
array.
"""

from __future__ import annotations

from numba import types
from numba.core.compiler_machinery import AnalysisPass, register_pass
from numba.core.errors import TypingError
from numba.core.ir import SetAttr

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
