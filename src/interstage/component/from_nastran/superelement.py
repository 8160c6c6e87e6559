"""From the op4 file of an external superelement (EXTSEOUT) and its deck to a component.

From the op2 file of an external superelement (EXTSEOUT) and its deck to a component.

NASTRAN leaves the bookkeeping of such a run in the op2 file: its version, the cards of the interface, the grids of the
displacement output. The matrices are in the op2 file where the run put them there as data blocks, else in its op4 file.

A component from a Craig-Bampton model that another code reduced (external superelement).

Coordinates x are interface dofs and modal coordinates; `u = T x` recovers node motion. The rigid motion of
the body is `[S_b; 0]` in x, so that mass, E and F0 follow from the reduced mass matrix alone, without the
full one.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from interstage.component.checks import with_precision
from interstage.component.component import Component, CraigBampton
from interstage.component.component_modes import (
    Reduction,
    added_inertia,
    inertia_effect,
    massless_rows,
    normalized_modes,
)
from interstage.component.damping import modal_damping, table_notes
from interstage.component.from_nastran.deck_common import (
    ReferenceFrame,
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
from interstage.component.from_nastran.external import punched_interface
from interstage.component.integrals import ModalIntegrals, PointMasses, point_integrals, rigid_motion
from interstage.component.interface import check_grids, coordinates_of
from interstage.component.options import ReductionOptions
from interstage.component.units import labelled_units
from interstage.errors import FileError, InputError, ModelError
from interstage.fem.model import FEModel
from interstage.nastran import Deck, Op2, read_op2
from interstage.nastran.external_files import (
    MATRIX_NAMES,
    op2_matrices,
    read_matrices,
    superelement_matrices,
)
from interstage.output import is_file


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
        options = options.with_changes(aset=punched_interface(Path(punch)))
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
    frame = ReferenceFrame.of(fe, options)
    R_node = frame.node_axes(grids.R_basic_cd[rows])
    T = np.einsum("nab,npbk->npak", R_node, U[: 6 * len(ids)].reshape(len(ids), 2, 3, -1))
    empty = [np.abs(matrices[key]).sum(axis=1) == 0 for key in ("K", "M")]
    used = ~((uset[:, 0] == 0) & empty[0] & empty[1])  # modal places that the run left empty
    part = np.ix_(used, used)
    K = matrices["K"][part]
    B, K4 = (None if matrices[key] is None else matrices[key][part] for key in ("B", "K4"))
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
        aset = punched_interface(Path(punch)) if punch is not None else read.interface() or None
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


@dataclass
class Superelement:
    """Reduced matrices and what their rows mean.

    K, M, B, K4 : (nx, nx), order [interface; modal]
    uset : (nx, 2) grid id and component 1-6; modal coordinates have id 0
    node_ids (N,) ascending, positions (N,3) from the reference point, in component axes
    T : (6N, nx) node motion in component axes from x
    R_node : (N,3,3) output axes of the nodes, x_component = R @ x_node (of interface dofs)
    points : point masses for first- and second-order integrals, or None
    """

    K: np.ndarray
    M: np.ndarray
    uset: np.ndarray
    node_ids: np.ndarray
    positions: np.ndarray
    T: np.ndarray
    R_node: np.ndarray
    B: np.ndarray | None = None
    K4: np.ndarray | None = None
    points: PointMasses | None = None
    notes: list[str] = field(default_factory=list)


def component_from_superelement(s: Superelement, options: ReductionOptions) -> Component:
    """Normalize the reduced system and describe it as a component."""
    modal = s.uset[:, 0] == 0
    nb = int(np.count_nonzero(~modal))
    nx = len(s.uset)
    if np.any(modal[:nb]) or s.K.shape != (nx, nx) or s.M.shape != (nx, nx) or s.T.shape[1] != nx:
        raise InputError(
            "the reduced matrices do not fit their list of coordinates",
            expected=f"({nx}, {nx}), interface first",
            got=f"K {s.K.shape}, M {s.M.shape}, recovery {s.T.shape}",
        )
    S_x = _rigid(s, nb)
    cb = _reduction(s, nb)
    pure, rows = s.M, massless_rows(cb)
    if len(rows):
        coordinates = [(int(grid), int(c) - 1) for grid, c in s.uset[:nb]]
        chosen, note = added_inertia(cb, rows, coordinates)
        more = [chosen.get((grid, c // 3 * 3), 0.0) for grid, c in coordinates] + [0.0] * (nx - nb)
        s = replace(s, M=s.M + np.diag(more), notes=[*s.notes, note])
        cb = _reduction(s, nb)
    basis = normalized_modes(cb, threshold_hz=options.rigid_threshold_hz, rigid_b=S_x[:nb])
    X = basis.shapes
    if len(rows):
        effect = inertia_effect(np.diag(s.M - pure)[:nb], X[:nb], basis.frequencies_hz)
        s.notes[-1] += effect
    Pi = s.T @ X
    M_rr, P = S_x.T @ s.M @ S_x, S_x.T @ s.M @ X
    shapes = Pi.reshape(len(s.node_ids), 6, -1)
    hz = basis.frequencies_hz
    fields, words = modal_damping(options.damping, hz, s.B, s.K4, s.K, S_x, X)
    aset: dict[int, str] = {}
    for grid, c in s.uset[:nb]:
        aset[int(grid)] = aset.get(int(grid), "") + str(c)
    points = None
    if options.modal_integrals and s.points is not None:
        points = point_integrals(s.points, s.positions, shapes[:, :3], shapes[:, 3:])
    own = ModalIntegrals.of(M_rr, P, X.T @ s.M @ X, points=points)
    if not own.mass > 0:
        raise ModelError("the reduced mass matrix has no mass in rigid motion of its interface")
    return Component(
        name=options.name or "component",
        units=labelled_units(options.units),
        node_ids=s.node_ids,
        node_positions=s.positions,
        gamma=shapes[:, :3],
        lam=shapes[:, 3:],
        frequencies_hz=hz,
        aset={grid: int(text) for grid, text in aset.items()},
        boundary="craig-bampton",
        n_rigid=len(basis.rigid_hz),
        rigid_frequencies_hz=basis.rigid_hz,
        craig_bampton=CraigBampton(cb.frequencies_hz, pure, s.K, s.uset, s.B, s.K4),
        notes=[*s.notes, *basis.notes, *words, *table_notes(options.damping, aset, hz)],
        **fields,
        **own.fields(),
    )


def _rigid(s: Superelement, nb: int) -> np.ndarray:
    """Rigid motion (nx, 6) of the coordinates about the reference point: of the interface; none of the
    modes.
    """
    rows = np.searchsorted(s.node_ids, s.uset[:nb, 0])
    rows = np.minimum(rows, len(s.node_ids) - 1)
    if np.any(s.node_ids[rows] != s.uset[:nb, 0]):
        raise InputError("an interface grid is not among the nodes of the component")
    S = rigid_motion(s.positions[rows]).reshape(nb, 2, 3, 6)
    S = np.einsum("nba,npbk->npak", s.R_node[rows], S).reshape(nb, 6, 6)
    out = np.zeros((len(s.uset), 6))
    out[:nb] = S[np.arange(nb), s.uset[:nb, 1] - 1]
    return out


def _reduction(s: Superelement, nb: int) -> Reduction:
    """The matrices as a Craig-Bampton reduction whose own coordinates are all there is."""
    nx = len(s.uset)
    diagonal = np.diag(s.K)[nb:]
    hz = np.sqrt(np.maximum(diagonal, 0.0)) / (2 * np.pi)
    o = np.arange(nb, nx)
    return Reduction(
        b=np.arange(nb),
        o=o,
        Psi_ob=np.zeros((nx - nb, nb)),
        Phi_oq=np.eye(nx - nb),
        frequencies_hz=hz,
        n_residual=0,
        mass=(s.M + s.M.T) / 2,
        stiffness=(s.K + s.K.T) / 2,
        viscous=s.B,
        structural=s.K4,
        size_bb=np.abs(s.K[:nb, :nb]) + np.max(np.abs(np.diag(s.K)[:nb]), initial=0.0) * np.eye(nb),
    )
