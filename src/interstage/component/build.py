"""From matrices to a component: the sets, the basis, the integrals, in that order."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import scipy.sparse as sp

from interstage.component.component import ChildBody, Component, CraigBampton
from interstage.component.component_modes import (
    Basis,
    Reduction,
    added_inertia,
    craig_bampton,
    free_modes,
    inertia_effect,
    massless_error,
    massless_rows,
    normalized_modes,
)
from interstage.component.damping import modal_damping, table_notes
from interstage.component.integrals import (
    ModalIntegrals,
    PointMasses,
    mass_notes,
    mass_products,
    point_integrals,
    point_masses,
    rotary_integrals,
)
from interstage.component.interface import check_grids, coordinates_of
from interstage.component.options import ReductionOptions
from interstage.component.rigid_body_modes import rigid_motions
from interstage.component.unit_loads import (
    Recoverer,
    Stiffener,
    recovery_rows,
    unit_load_stiffness,
    unit_loads,
)
from interstage.component.units import labelled_units
from interstage.errors import ModelError
from interstage.linalg.eigen_request import EigenRequest
from interstage.linalg.refine import load_columns

MOST_NODES, MOST_MB = 24, 64.0  # up to which geometric stiffness is made where it was not asked for


@dataclass
class Assembled:
    """A structure as matrices: g-set motion in component axes follows from the free coordinates by `T_gf`.

    node_ids (N,) ascending; positions (N,3) from the reference point, component axes
    M_gg (6N,6N) component axes: mass for rigid and coupling integrals
    K_ff, M_ff, B_ff, K4_ff : matrices of the free coordinates
    T_gf (6N, nf) : node motion from free coordinates
    f_row (N,6) : row of each node component in the f-set, -1 where it is held or dependent
    rigid_f (nf,6) : rigid motion of the free coordinates, or None where the constraints forbid it
    loads_of : (6N) dof -> load pattern is T_gf[dof]; node components of loads are in the node's own output
        axes R_node (N,3,3) : output axes of each node, x_component = R @ x_node; None where they are the
        component's
    geometric : geometric stiffness ΦᵀKgΦ (k, m, m) of displacements (6N, k) in shapes Φ (6N, m), component axes
    recoverer : results of elements that are wanted, from free coordinates
    moving : interface, grid -> components, that moves in the fixed-interface modes (NASTRAN's c-set)
    """

    node_ids: np.ndarray
    positions: np.ndarray
    M_gg: sp.csr_matrix
    K_ff: Any
    M_ff: Any
    T_gf: sp.csr_matrix
    f_row: np.ndarray
    B_ff: Any = None
    K4_ff: Any = None
    rigid_f: np.ndarray | None = None
    R_node: np.ndarray | None = None
    points: PointMasses | None = None
    M_other: Any = None
    geometric: Stiffener | None = None
    recoverer: Recoverer | None = None
    moving: Mapping[int, int] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    def name_of(self, i: int) -> str:
        """Name free coordinate i: 'grid 12 component 3'."""
        found = np.argwhere(self.f_row == i)
        return (
            f"grid {self.node_ids[found[0, 0]]} component {found[0, 1] + 1}"
            if len(found)
            else f"equation {i}"
        )


def turned_child(body: ChildBody, origin: np.ndarray, R: np.ndarray) -> ChildBody:
    """Express a child body in component axes, its position from the reference point."""
    at, axes = body.joint_position, body.joint_axes
    axes = None if axes is None else np.asarray(axes, dtype=float).reshape(-1, 3) @ R
    return replace(
        body,
        mass=float(body.mass),
        com=np.asarray(body.com, dtype=float) @ R,
        inertia=R.T @ np.asarray(body.inertia, dtype=float) @ R,
        grid=int(body.grid),
        position=(np.asarray(body.position, dtype=float) - origin) @ R,
        parent_grids=np.asarray(body.parent_grids, dtype=np.int64),
        components=int(body.components),
        weights=None if body.weights is None else np.asarray(body.weights, dtype=float),
        joint_position=None if at is None else (np.asarray(at, dtype=float) - origin) @ R,
        joint_axes=axes,
        joint=body.joint if axes is None else " ".join([body.joint.split()[0], *map(_axis_words, axes)]),
    )


def _axis_words(axis: np.ndarray) -> str:
    """Name an axis: x, y, z, or its three numbers."""
    along = np.flatnonzero(np.abs(np.abs(axis) - 1.0) < 1e-9)
    return "xyz"[along[0]] if len(along) else "(" + ", ".join(f"{v:.4g}" for v in axis) + ")"


def _dof_rows(what: str, wanted: Mapping[int, int], model: Assembled) -> tuple[np.ndarray, list[str]]:
    """f rows and names of grid components; a component that is not free is an error."""
    rows, names = [], []
    for grid, c in coordinates_of(wanted):
        row = model.f_row[np.searchsorted(model.node_ids, grid), c]
        if row < 0:
            raise ModelError(
                f"{what} names a component that is not free: it is held, empty or dependent",
                where=f"grid {grid} component {c + 1}",
                hint="take it out, or free it in the model (a clamped deck: without SPC in the case control)",
            )
        rows.append(row)
        names.append(f"grid {grid} component {c + 1}")
    return np.array(rows, dtype=np.int64), names


def _loads(model: Assembled, options: ReductionOptions) -> np.ndarray:
    """Load patterns (nf, p): unit loads at `rvdof` (dependent grids included), patterns, unit
    accelerations.
    """
    columns = []
    for pattern in options.loads:
        check_grids("loads", dict.fromkeys(pattern, 123456), model.node_ids)
        g = np.zeros((len(model.node_ids), 6))
        for grid, values in pattern.items():
            g[np.searchsorted(model.node_ids, grid)] += values
        columns.append(model.T_gf.T @ g.ravel())
    for grid, c in coordinates_of(options.rvdof or {}):
        at = int(np.searchsorted(model.node_ids, grid))
        direction = np.eye(6)[c]
        if model.R_node is not None:
            direction = np.concatenate([model.R_node[at] @ direction[:3], model.R_node[at] @ direction[3:]])
        columns.append(model.T_gf[6 * at : 6 * at + 6].T @ direction)
    if options.inertia_relief and model.rigid_f is not None:
        columns.extend((model.M_ff @ model.rigid_f).T)
    idle = sum(not np.any(c) for c in columns)
    if idle:
        model.notes.append(f"{idle} residual loads act on held coordinates only: dropped")
    columns = [c for c in columns if np.any(c)]
    return np.array(columns).T if columns else load_columns(model.T_gf.shape[1], np.zeros(0, dtype=np.int64))


def build_component(
    model: Assembled, options: ReductionOptions, request: EigenRequest | None = None
) -> Component:
    """Compute basis, integrals and damping of an assembled structure; its interface is `options.aset`.

    request : range and number of the modes, rigid ones counted; takes the place of options.n_modes
    """
    name = options.name or "component"
    if not np.any(model.M_ff.diagonal() > 0):
        raise ModelError(
            "the model has no mass, so that it has no modes",
            where=f"component '{name}'",
            hint="give densities or mass elements",
        )
    aset = dict(options.aset or {})
    check_grids("aset", aset, model.node_ids)
    check_grids("rvdof", options.rvdof or {}, model.node_ids)
    model = replace(model, notes=list(model.notes))
    basis = _basis(model, options, request)
    Pi = np.asarray(model.T_gf @ basis.shapes)
    shapes = Pi.reshape(len(model.node_ids), 6, -1)
    gamma, lam = shapes[:, :3], shapes[:, 3:]
    M_rr, P, G = mass_products(model.M_gg, model.positions, Pi)
    notes = model.notes + basis.notes + mass_notes(M_rr)
    if model.M_other is not None:
        G = G + basis.shapes.T @ (model.M_other @ basis.shapes)
    hz = basis.frequencies_hz
    fields, words = modal_damping(
        options.damping, hz, model.B_ff, model.K4_ff, model.K_ff, model.rigid_f, basis.shapes
    )
    notes += [*words, *table_notes(options.damping, aset, hz)]
    points = None
    if options.modal_integrals:
        points, more, words = point_fields(model, gamma, lam, options.rotary_integrals)
        fields |= more
        notes += words
    fields |= ModalIntegrals.of(M_rr, P, G, points=points).fields()
    more, words = _load_fields(model, basis, options)
    fields |= more
    notes += words
    return Component(
        name=name,
        units=labelled_units(options.units),
        node_ids=model.node_ids,
        node_positions=model.positions,
        gamma=gamma,
        lam=lam,
        frequencies_hz=hz,
        aset=aset,
        boundary="craig-bampton" if aset else "free",
        residual_vector=basis.residual,
        n_rigid=len(basis.rigid_hz),
        rigid_frequencies_hz=basis.rigid_hz,
        craig_bampton=_record(basis, aset),
        notes=notes,
        provenance=dict(basis.evidence),
        **fields,
    )


def _basis(model: Assembled, options: ReductionOptions, request: EigenRequest | None) -> Basis:
    n_modes, aset, threshold_hz = options.n_modes or 0, options.aset or {}, options.rigid_threshold_hz
    loads = _loads(model, options)
    if not aset:
        n_rigid = 6 if model.rigid_f is None else model.rigid_f.shape[1]
        return free_modes(
            model.K_ff,
            model.M_ff,
            n_modes,
            threshold_hz=threshold_hz,
            request=request,
            n_rigid=n_rigid,
            rigid=model.rigid_f,
            loads=loads,
            describe=model.name_of,
        )
    b, names = _dof_rows("aset", aset, model)
    free = np.flatnonzero(np.isin(b, _dof_rows("CSET or BNDFREE", model.moving, model)[0]))
    if len(free):
        model.notes.append(
            f"{len(free)} interface coordinates move in the fixed-interface modes (CSET, BNDFREE)"
        )
    cb = craig_bampton(
        model.K_ff,
        model.M_ff,
        b,
        n_modes,
        B=model.B_ff,
        K4=model.K4_ff,
        loads=loads,
        request=request,
        free=free,
        describe=model.name_of,
    )
    weightless = massless_rows(cb)
    pure = cb
    if len(weightless):
        if options.massless == "error":
            raise massless_error(weightless, names)
        cb = _with_small_inertia(model, cb, weightless, aset)
    motions = rigid_motions(model.K_ff, model.M_ff, model.rigid_f)
    rigid_b = None if model.rigid_f is None else model.rigid_f[b]
    basis = normalized_modes(cb, threshold_hz=threshold_hz, rigid_b=rigid_b, motions=motions[b], names=names)
    if len(weightless):
        added = np.diag(cb.mass - pure.mass)[: len(b)]
        effect = inertia_effect(added, basis.shapes[b], basis.frequencies_hz)
        basis.notes = [note + effect if note == cb.notes[-1] else note for note in basis.notes]
    basis.reduction = pure
    return basis


def _with_small_inertia(
    model: Assembled, cb: Reduction, rows: np.ndarray, aset: Mapping[int, int]
) -> Reduction:
    """Give interface motions without mass a small inertia, in the model and in its reduction.

    The reduced matrices on record stay those of the model as it was.
    """
    coordinates = coordinates_of(aset)
    chosen, note = added_inertia(cb, rows, coordinates)
    more, mass = np.zeros(model.M_gg.shape[0]), cb.mass.copy()
    for (grid, part), value in chosen.items():
        at = 6 * int(np.searchsorted(model.node_ids, grid)) + part
        more[at : at + 3] += value
    for i, (grid, c) in enumerate(coordinates):
        mass[i, i] += chosen.get((grid, c // 3 * 3), 0.0)
    model.M_gg = (model.M_gg + sp.diags(more)).tocsr()
    return replace(cb, mass=mass, notes=[*cb.notes, note])


def _record(basis: Basis, aset: Mapping[int, int]) -> CraigBampton | None:
    cb = basis.reduction
    if cb is None:
        return None
    uset = [(grid, c + 1) for grid, c in coordinates_of(aset)]
    uset += [(0, i + 1) for i in range(len(cb.frequencies_hz))]
    return CraigBampton(
        frequencies_hz=cb.frequencies_hz,
        mass=cb.mass,
        stiffness=cb.stiffness,
        uset=np.array(uset, dtype=np.int64),
        viscous=cb.viscous,
        structural=cb.structural,
    )


def _load_fields(
    model: Assembled, basis: Basis, options: ReductionOptions
) -> tuple[dict[str, Any], list[str]]:
    """Return what is asked of the loads that the body carries, and what is to be said: stiffness, recovery."""
    stiffens, nodes = options.stiffens, options.load_nodes
    notes: list[str] = []
    if stiffens and model.geometric is None:
        raise ModelError(
            "the geometric stiffness of a component needs elements",
            where="geometric_stiffness",
            hint="make it from a deck, or give `geometric`, the geometric stiffness of displacements",
        )
    if options.geometric_stiffness is None and model.geometric is not None:
        stiffens, notes = _is_small(len(nodes), basis.shapes.shape[1])
    if not stiffens and model.recoverer is None:
        return {}, notes
    what = "geometric_stiffness" if stiffens else "recover"
    check_grids("geometric_stiffness or load_grids", dict.fromkeys(nodes, 0), model.node_ids)
    try:
        loads = unit_loads(model, nodes, what)
    except ModelError as error:
        if options.stiffens or model.recoverer is not None:
            raise
        return {}, [f"geometric stiffness was not made: {error}"]
    found: dict[str, Any] = {}
    if stiffens:
        stiff, notes = unit_load_stiffness(model, basis.shapes, basis.frequencies_hz, loads)
        if options.stiffens or len(stiff.load):
            found["geometric_stiffness"] = stiff
    if model.recoverer is not None:
        found["recovery"] = recovery_rows(model, basis.shapes, loads)
    return found, notes


def _is_small(nodes: int, modes: int) -> tuple[bool, list[str]]:
    """Return whether geometric stiffness is made where it was not asked for, and a note where it is not."""
    size = 8e-6 * 6 * (1 + nodes) * modes**2
    if nodes <= MOST_NODES and size <= MOST_MB:
        return True, []
    return False, [
        f"geometric stiffness was not made: loads at {nodes} grids in {modes} modes are {size:.3g} MB; ask for it by "
        "geometric_stiffness=True"
    ]


def point_fields(
    model: Assembled, gamma: np.ndarray, lam: np.ndarray, rotary: bool
) -> tuple[ModalIntegrals, dict[str, Any], list[str]]:
    """Return the integrals of the point masses, those of rotary nodes where asked, and what is to be said."""
    points, notes = model.points, list[str]()
    if points is None:
        points, notes = point_masses(model.M_gg, len(model.node_ids))
    fields: dict[str, Any] = {}
    if rotary:
        fields["rotary"] = rotary_integrals(model.M_gg, points, model.positions, gamma, lam)
    return point_integrals(points, model.positions, gamma, lam), fields, notes
