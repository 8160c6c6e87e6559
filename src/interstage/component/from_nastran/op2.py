"""From the op2 file of an external superelement (EXTSEOUT) and its deck to a component.

NASTRAN leaves the bookkeeping of such a run in the op2 file: its version, the cards of the interface, the grids of the
displacement output. The matrices are in the op2 file where the run put them there as data blocks, else in its op4 file.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from interstage.component.from_nastran.external import punched_interface
from interstage.component.from_nastran.op4 import superelement_component
from interstage.component.from_nastran.source import as_deck
from interstage.component.options import ReductionOptions
from interstage.component.record import Component
from interstage.errors import FileError
from interstage.nastran import Deck, Op2, read_op2
from interstage.nastran.external_files import (
    MATRIX_NAMES,
    op2_matrices,
    read_matrices,
    superelement_matrices,
)
from interstage.output import is_file

_DISPLACEMENTS = ("OUGV1", "BOUGV1", "OUG1", "BOPHIG", "OPHIG")


def component_from_op2(
    deck: Deck | str | os.PathLike[str],
    op2: str | os.PathLike[str],
    options: ReductionOptions,
    *,
    op4: str | os.PathLike[str] | None = None,
    punch: str | os.PathLike[str] | None = None,
    nodes: Sequence[int] | None = None,
    allow_outside: bool = False,
) -> Component:
    """Build a component from Craig-Bampton matrices and the op2 file of a run; arguments as in `Component.from_op2`."""
    path = Path(op2)
    read = read_op2(path)
    matrices, source = _matrices(read, path, op4)
    if options.aset is None:
        aset = punched_interface(punch) if punch is not None else read.interface() or None
        options = options.with_changes(aset=aset)
    if nodes is None and options.aset:
        shown = _displaced(read)
        nodes = sorted(shown | set(options.aset)) if shown else None
    said = {"op2": path.name} | ({} if source == path else {"op4": source.name})
    said["nastran_version"] = read.label or "unknown"
    deck = as_deck(deck, allow_outside)
    component = superelement_component(deck, matrices, options, nodes, said, str(source))
    component.notes += read.notes
    return component


def _matrices(read: Op2, path: Path, op4: str | os.PathLike | None) -> tuple[dict[str, Any], Path]:
    """Matrices of the superelement and the file that holds them."""
    if op4 is None and any(block.is_matrix and block.name in MATRIX_NAMES["K"] for block in read.blocks):
        return superelement_matrices(op2_matrices(read), path), path
    beside = path.with_suffix(".op4") if op4 is None else Path(op4)
    if op4 is None and not is_file(beside):
        raise FileError(
            "the op2 file holds no superelement matrices",
            where=str(path),
            expected="data blocks KXX, MXX and MUG1, or an op4 file of the same name",
            hint="name the op4 file of EXTSEOUT(MATOP4=...) in op4",
        )
    return read_matrices(beside), beside


def _displaced(read: Op2) -> set[int]:
    """Grids whose displacements the run put out, of the first table that has some."""
    for block in read.blocks:
        if block.name in _DISPLACEMENTS:
            first = read.displacements(block.name)[0]
            return {int(grid) for grid in first.grid_id[first.point_type == 1]}
    return set()
