"""From the op4 file of an external superelement (EXTSEOUT) and its deck to a component."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from interstage.component.build import check_grids, components_of
from interstage.component.from_nastran.deck import (
    bare_model,
    deck_aset,
    deck_axes,
    deck_damping,
    lumped_points,
    provenance,
    reference_point,
)
from interstage.component.from_nastran.external import punched_interface, read_matrices
from interstage.component.integrals import PointMasses
from interstage.component.record import Component
from interstage.component.rigid import RIGID_THRESHOLD_HZ
from interstage.component.superelement import Superelement, component_from_superelement
from interstage.errors import InputError
from interstage.fem.from_deck.geometry import read_geometry
from interstage.fem.model import FEModel
from interstage.nastran import Deck, read_deck


def component_from_op4(
    deck: Deck | str | os.PathLike,
    op4: str | os.PathLike,
    *,
    aset: Mapping[int, int] | None = None,
    punch: str | os.PathLike | None = None,
    nodes: Sequence[int] | None = None,
    modal_integrals: bool = True,
    csid: int = 0,
    grdpnt: int | None = None,
    damping: Any = None,
    rigid_threshold_hz: float = RIGID_THRESHOLD_HZ,
    name: str | None = None,
    units: Mapping[str, str] | str | None = None,
    allow_outside: bool = False,
    nastran_version: str = "unknown",
) -> Component:
    """Build a component from NASTRAN's own Craig-Bampton matrices: KXX, MXX, BXX1, K4XX1 and MUG1 of
    EXTSEOUT.

    Parameters
    ----------
    aset : interface of the superelement (default: that of `punch`, else the deck's ASET, BSET, SUPORT)
    punch : punch file of the same run (EXTBULK), whose EXTRN entry lists the interface
    nodes : grids of the displacement recovery MUG1 in its order, interface included; default: all grids of
        the deck
    modal_integrals : first- and second-order integrals from the point masses of the deck, where MUG1 has
        all grids
    """
    if punch is not None and aset is None:
        aset = punched_interface(punch)
    return superelement_component(
        deck if isinstance(deck, Deck) else read_deck(deck, allow_outside=allow_outside),
        read_matrices(Path(op4)),
        {"op4": Path(op4).name},
        str(op4),
        aset=aset,
        nodes=nodes,
        modal_integrals=modal_integrals,
        csid=csid,
        grdpnt=grdpnt,
        damping=damping,
        rigid_threshold_hz=rigid_threshold_hz,
        name=name,
        units=units,
        nastran_version=nastran_version,
    )


def superelement_component(
    deck: Deck,
    matrices: dict[str, Any],
    files: dict[str, str],
    where: str,
    *,
    aset: Mapping[int, int] | None,
    nodes: Sequence[int] | None,
    modal_integrals: bool,
    csid: int,
    grdpnt: int | None,
    damping: Any,
    rigid_threshold_hz: float,
    name: str | None,
    units: Mapping[str, str] | str | None,
    nastran_version: str,
) -> Component:
    """Build a component from the matrices of EXTSEOUT, whatever file held them; `files` go on record.

    matrices : K, M, B, K4 (nx, nx) and U (rows, nx) as `external.superelement_matrices` gives them
    """
    fe = FEModel.from_deck(deck)
    grids = fe.grids
    aset = check_grids("aset", aset if aset is not None else deck_aset(fe, fe.case.subcases[0]), grids.id)
    if not aset:
        raise InputError(
            "an external superelement has an interface", where="aset", hint="name its grids in aset"
        )
    ids = grids.id if nodes is None else np.array(sorted(int(n) for n in nodes), dtype=np.int64)
    check_grids("nodes", dict.fromkeys(ids.tolist(), 123456), grids.id)
    rows = grids.find(ids)
    U = matrices["U"]
    if len(U) < 6 * len(ids):
        raise InputError(
            "the displacement recovery MUG1 does not have six rows for each grid",
            where=where,
            expected=f"{6 * len(ids)} rows for {len(ids)} grids",
            got=f"{len(U)}",
            hint="name the grids of its displacement set in nodes",
        )
    uset = [(grid, c + 1) for grid, value in aset.items() for c in components_of(value)]
    if len(uset) > len(matrices["K"]):
        raise InputError(
            "the interface has more components than the reduced matrices have rows",
            where=where,
            expected=f"at most {len(matrices['K'])}",
            got=f"{len(uset)}",
            hint="name the interface of the run in aset",
        )
    uset += [(0, i + 1) for i in range(len(matrices["K"]) - len(uset))]
    _check_extra_rows(len(U) - 6 * len(ids), ids, grids.spoint, sum(grid == 0 for grid, _ in uset), where)
    uset = np.array(uset, dtype=np.int64)
    used = ~(
        (uset[:, 0] == 0)
        & (np.abs(matrices["K"]).sum(axis=1) == 0)
        & (np.abs(matrices["M"]).sum(axis=1) == 0)
    )
    _check_interface_rows(U, ids, uset, where)
    coordinates, _ = read_geometry(deck)
    R = deck_axes(coordinates, csid)
    reference, origin = reference_point(fe, grdpnt)
    R_node = np.einsum("ba,nbc->nac", R, grids.R_basic_cd[rows])
    T = np.einsum("nab,npbk->npak", R_node, U[: 6 * len(ids)].reshape(len(ids), 2, 3, -1)).reshape(
        6 * len(ids), -1
    )
    part = np.ix_(used, used)
    K, B, K4 = (None if matrices[key] is None else matrices[key][part] for key in ("K", "B", "K4"))
    B, K4, notes = deck_damping(fe, K, B, K4)
    component = component_from_superelement(
        Superelement(
            K=K,
            M=matrices["M"][part],
            B=B,
            K4=K4,
            notes=notes,
            uset=uset[used],
            node_ids=ids,
            positions=(grids.xyz[rows] - origin) @ R,
            T=T[:, used],
            R_node=R_node,
            points=_points(fe, R) if modal_integrals and len(ids) == len(grids) else None,
        ),
        damping=damping,
        rigid_threshold_hz=rigid_threshold_hz,
        name=name or Path(deck.name).stem,
        units=units,
    )
    component.reference_node, component.reference_position = reference, origin
    component.axes, component.csid = R, csid
    component.coordinates = {cid: (s.origin, s.R) for cid, s in coordinates.systems.items() if cid}
    component.provenance = provenance(deck, files) | {
        "solver": "external NASTRAN (EXTSEOUT)",
        "nastran_version": nastran_version,
    }
    return component


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


def _points(fe: FEModel, R: np.ndarray) -> PointMasses:
    """Point masses of the deck in component axes, each CONM2 at its own centre of gravity."""
    points, _ = lumped_points(fe, bare_model(fe), R)
    return points
