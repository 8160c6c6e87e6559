"""From the op4 file of an external superelement (EXTSEOUT) and its deck to a component."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from interstage.component.from_nastran.external import punched_interface
from interstage.component.from_nastran.source import (
    Frame,
    as_deck,
    bare_model,
    check_points,
    deck_aset,
    deck_damping,
    lumped_inside,
    lumped_points,
    provenance,
    refuse_rings,
)
from interstage.component.interface import check_grids, coordinates_of
from interstage.component.options import ReductionOptions
from interstage.component.precision import with_precision
from interstage.component.record import Component
from interstage.component.superelement import Superelement, component_from_superelement
from interstage.errors import InputError
from interstage.fem.model import FEModel
from interstage.nastran import Deck
from interstage.nastran.external_files import MATRIX_NAMES, read_matrices


def component_from_op4(
    deck: Deck | str | os.PathLike[str],
    op4: str | os.PathLike[str],
    options: ReductionOptions,
    *,
    punch: str | os.PathLike[str] | None = None,
    nodes: Sequence[int] | None = None,
    allow_outside: bool = False,
    nastran_version: str = "unknown",
) -> Component:
    """Build a component from NASTRAN's own Craig-Bampton matrices; arguments as in `Component.from_op4`."""
    if punch is not None and options.aset is None:
        options = options.with_changes(aset=punched_interface(punch))
    said = {"op4": Path(op4).name, "nastran_version": nastran_version}
    matrices = read_matrices(Path(op4))
    return superelement_component(as_deck(deck, allow_outside), matrices, options, nodes, said, str(op4))


def superelement_component(
    deck: Deck,
    matrices: dict[str, Any],
    options: ReductionOptions,
    nodes: Sequence[int] | None,
    said: dict[str, str],
    where: str,
) -> Component:
    """Build a component from the matrices of EXTSEOUT, whatever file held them.

    matrices : K, M, B, K4 (nx, nx) and U (rows, nx) as `superelement_matrices` gives them
    said : files and nastran_version, for the record; where : file of the matrices, for messages
    """
    fe = FEModel.from_deck(deck)
    refuse_rings(fe)
    grids = fe.grids
    aset = _interface(fe, options)
    ids = grids.id if nodes is None else np.array(sorted(int(n) for n in nodes), dtype=np.int64)
    check_grids("nodes", dict.fromkeys(ids.tolist(), 123456), grids.id)
    rows = grids.find(ids)
    U = matrices["U"]
    _check_grid_rows(U, ids, where)
    uset = _coordinates(aset, len(matrices["K"]), where)
    _check_extra_rows(len(U) - 6 * len(ids), ids, grids.spoint, int(np.sum(uset[:, 0] == 0)), where)
    _check_interface_rows(U, ids, uset, where)
    frame = Frame.of(fe, options)
    R_node = frame.node_axes(grids.R_basic_cd[rows])
    T = np.einsum("nab,npbk->npak", R_node, U[: 6 * len(ids)].reshape(len(ids), 2, 3, -1))
    empty = [np.abs(matrices[key]).sum(axis=1) == 0 for key in ("K", "M")]
    used = ~((uset[:, 0] == 0) & empty[0] & empty[1])  # modal places that the run left empty
    part = np.ix_(used, used)
    K, B, K4 = (None if matrices[key] is None else matrices[key][part] for key in ("K", "B", "K4"))
    B, K4, notes = deck_damping(fe, K, B, K4)
    whole = options.modal_integrals and len(ids) == len(grids)
    reduced = Superelement(
        K=K,
        M=matrices["M"][part],
        B=B,
        K4=K4,
        notes=notes,
        uset=uset[used],
        node_ids=ids,
        positions=frame.positions(grids.xyz[rows]),
        T=T.reshape(6 * len(ids), -1)[:, used],
        R_node=R_node,
        points=lumped_points(fe, bare_model(fe), frame.R)[0] if whole else None,
    )
    options = options.with_changes(name=options.name or Path(deck.name).stem)
    version = {"solver": "external NASTRAN (EXTSEOUT)", "nastran_version": said.pop("nastran_version")}
    record = provenance(deck, said) | version
    more = {**frame.fields(), "lumped_inside": lumped_inside(fe, frame), "provenance": record}
    made = component_from_superelement(reduced, options).with_changes(**more)
    return with_precision(made, {MATRIX_NAMES[key][0]: matrix for key, matrix in matrices.items()})


def _interface(fe: FEModel, options: ReductionOptions) -> dict[int, int]:
    aset = dict(options.aset) if options.aset is not None else deck_aset(fe, fe.case.subcases[0])
    check_points(fe, "aset", aset)
    if not aset:
        raise InputError(
            "an external superelement has an interface", where="aset", hint="name its grids in aset"
        )
    return dict(sorted(aset.items()))


def _coordinates(aset: Mapping[int, int], size: int, where: str) -> np.ndarray:
    """Grid and component 1-6 of every row (nx, 2) of the matrices; modal ones have grid 0 and their number."""
    uset = [(grid, c + 1) for grid, c in coordinates_of(aset)]
    if len(uset) > size:
        raise InputError(
            "the interface has more components than the reduced matrices have rows",
            where=where,
            expected=f"at most {size}",
            got=f"{len(uset)}",
            hint="name the interface of the run in aset",
        )
    return np.array(uset + [(0, i + 1) for i in range(size - len(uset))], dtype=np.int64)


def _check_grid_rows(U: np.ndarray, ids: np.ndarray, where: str) -> None:
    if len(U) < 6 * len(ids):
        raise InputError(
            "the displacement recovery MUG1 does not have six rows for each grid",
            where=where,
            expected=f"{6 * len(ids)} rows for {len(ids)} grids",
            got=f"{len(U)}",
            hint="name the grids of its displacement set in nodes",
        )


def _check_extra_rows(extra: int, ids: np.ndarray, spoints: np.ndarray, n_modal: int, where: str) -> None:
    """Rows of MUG1 behind the grids must be of scalar points: those of the deck or the modal ones of the run."""
    between = extra > 0 and len(spoints) and spoints.min() < ids.max()
    if between or extra > max(len(spoints), n_modal):
        raise InputError(
            "the displacement recovery MUG1 has more rows than the grids and the scalar points behind them",
            where=where,
            expected=f"{6 * len(ids)} rows for {len(ids)} grids",
            got=f"{6 * len(ids) + extra}",
            hint="name the grids of its displacement set in nodes; scalar points need ids above those of the grids",
        )


def _check_interface_rows(U: np.ndarray, ids: np.ndarray, uset: np.ndarray, where: str) -> None:
    """MUG1 moves interface grids with their own coordinates: else its rows are not those of these grids."""
    interface = np.flatnonzero(uset[:, 0])
    at = np.searchsorted(ids, uset[interface, 0])
    if np.any(at >= len(ids)) or np.any(ids[np.minimum(at, len(ids) - 1)] != uset[interface, 0]):
        raise InputError(
            "nodes leave out an interface grid", where=where, hint="add the grids of aset to nodes"
        )
    rows = U[6 * at + uset[interface, 1] - 1]
    if np.abs(rows - np.eye(len(uset))[interface]).max(initial=0.0) > 1e-6:
        raise InputError(
            "the rows of the displacement recovery MUG1 do not fit the interface and the grids",
            where=where,
            expected="interface grids that move with their own coordinates",
            hint="name the interface in aset and the grids of the displacement set in nodes",
        )
