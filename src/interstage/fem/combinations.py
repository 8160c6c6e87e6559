"""Combinations of static subcases (SUBCOM with SUBSEQ): sums of their results with factors."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from interstage.fem.model import FEModel
from interstage.fem.recovery import Recovery
from interstage.fem.thermal import free_expansion

if TYPE_CHECKING:
    from interstage.fem.solutions import Displacements


def combinations(fe: FEModel) -> list:
    """Combinations of subcases (SUBCOM with SUBSEQ) of the deck's statics."""
    return [one for one in getattr(fe.case, "combinations", []) if one.terms]


def combined(fe: FEModel, one, found: dict[int, Displacements]) -> Displacements:
    """Results of a SUBCOM: sums of those of subcases; temperatures are those that it selects itself."""
    parts = [(factor, found[sid]) for sid, factor in one.terms]
    u, load, thermal, forces = (
        sum(factor * np.asarray(getattr(part, name)) for factor, part in parts)
        for name in ("displacement", "load", "thermal_load", "spc_forces")
    )
    hot = free_expansion(fe, one.case)
    spans: dict[int, np.ndarray] = {}
    cases = {case.id: case for case in fe.case.subcases}
    for sid, factor in one.terms:
        number = cases[sid].load
        for block, value in (fe.loads.spans(number) if number else {}).items():
            spans[block] = spans.get(block, 0.0) + factor * value
    terms = " ".join(f"{factor:+g} x {sid}" for sid, factor in one.terms)
    notes = [f"combination of subcases: {terms}"]
    if hot is None and any(np.any(part.thermal_load) for _, part in parts):
        notes.append(
            "element results of this combination leave out temperatures: it selects none (TEMPERATURE(LOAD))"
        )
    return replace(
        parts[0][1],
        subcase=one.case.id,
        displacement=u,
        residual=max(abs(part.residual) for _, part in parts),
        load=load,
        thermal_load=thermal,
        notes=[*notes, *dict.fromkeys(note for _, part in parts for note in part.notes)],
        spc_forces=forces,
        recovery=Recovery(fe, u, spans=spans)
        if hot is None
        else Recovery(fe, u, free=hot.motion, spans=spans, heat=hot.heat),
    )
