"""Join component lists that are written with blanks: `1 2 3` in a field of components is 123."""

from __future__ import annotations

import numpy as np

from interstage.nastran.field_types import columns
from interstage.nastran.lines import Fields
from interstage.nastran.numbers import BAD, INTEGER

_PAIRS = "2/2"
COMPONENT_FIELDS = {
    **dict.fromkeys(("GRID", "GRDSET"), "7"),
    **dict.fromkeys(("SPC", "SPCD"), "3,6"),
    **dict.fromkeys(("SPC1", "USET1", "SPCD1"), "2"),
    "MPC": "3/8,6/8",
    **dict.fromkeys(("ASET", "BSET", "CSET", "QSET", "OMIT", "SUPORT", "BNDFIX", "BNDFREE", "EXTRN"), _PAIRS),
    **dict.fromkeys(("ASET1", "BSET1", "CSET1", "QSET1", "OMIT1", "BNDFIX1", "BNDFRE1"), "1"),
    **dict.fromkeys(("SUPORT1", "USET"), "3/2"),
    **dict.fromkeys(("RBE2", "RJOINT"), "3"),
    "RBE3": "4+",
    "RBE1": "3+",
    "RBAR": "4-7",
    **dict.fromkeys(("CBAR", "CBEAM"), "9-10"),
}


def join_components(fields: Fields) -> None:
    """Turn digits 1 to 6, each once, with blanks between them into an integer where a card has components."""
    bad = np.flatnonzero(fields.kind == BAD)
    if not len(bad):
        return
    card = np.searchsorted(fields.start, bad, side="right") - 1
    for at, c in zip(bad.tolist(), card.tolist()):
        listing = COMPONENT_FIELDS.get(fields.names[fields.code[c]])
        digits = fields.raw(at).replace(" ", "")
        if (
            listing is None
            or not digits
            or not set(digits) <= set("123456")
            or len(set(digits)) < len(digits)
        ):
            continue
        place = at - int(fields.start[c]) + 1
        if place in columns(listing, place):
            fields.kind[at], fields.number[at] = INTEGER, int(digits)
