"""Names of single results of elements: which element, which column of its table, where."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from interstage.errors import InputError, shown

TABLES = ("forces", "stresses")
FORM = '(type, element, column), as in ("CBAR", 1, "bending_moment_a1"); then grid or ply, then fibre'


class ElementResult(NamedTuple):
    """One number of the tables of forces and stresses.

    table : "forces" or "stresses"; "" is where the column is, forces first
    node : grid of a corner or end, ply of a laminate, 0 for the centre; None: the only place, or the centre
    fibre : 1 or 2 where a place has two rows
    """

    table: str
    kind: str
    element: int
    column: str
    node: int | None = None
    fibre: int | None = None

    @classmethod
    def of(cls, name: object, given: object) -> ElementResult:
        """Read (type, element, column[, node[, fibre]]), the name of its table in front where that is not clear.

        >>> ElementResult.of("", ("stresses", "CQUAD4", 7, "oxx", 0, 2))
        ElementResult(table='stresses', kind='CQUAD4', element=7, column='oxx', node=0, fibre=2)
        """
        if isinstance(given, cls):
            return given
        parts = list(given) if isinstance(given, list | tuple) else []
        table = parts.pop(0) if parts and parts[0] in TABLES else ""
        if 3 <= len(parts) <= 5:
            kind, element, column, *more = parts
            texts = isinstance(kind, str) and isinstance(column, str)
            numbers = [element, *(one for one in more if one is not None)]
            if texts and all(isinstance(k, int | np.integer) and not isinstance(k, bool) for k in numbers):
                return cls(table, kind, int(element), column, *(None if k is None else int(k) for k in more))
        raise InputError(
            f"the result '{name}' is not usable", where="recover", expected=FORM, got=shown(given)
        )


def checked_name(name: object) -> str:
    """Return a name that a row can have: text of one line."""
    if not isinstance(name, str) or not name.strip() or len(name.splitlines()) != 1:
        raise InputError("a recovered result needs a name of one line", where="recover", got=shown(name))
    return name
