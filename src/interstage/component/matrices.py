"""A component from the matrices of any finite-element code."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp

from interstage.component.build import (
    Assembled,
    build_component,
    check_grids,
    components_of,
    merged_aset,
    turned_child,
)
from interstage.component.integrals import PointMasses, rigid_motion
from interstage.component.lumped import lumped_aset, remove_lumped
from interstage.component.record import ChildBody, Component
from interstage.component.rigid import RIGID_THRESHOLD_HZ
from interstage.errors import InputError
from interstage.linalg.factor import backend_name


def from_matrices(
    K: Any,
    M: Any,
    nodes: Mapping[int, Sequence[float]],
    *,
    n_modes: int,
    aset: Mapping[int, int] | None = None,
    rvdof: Mapping[int, int] | None = None,
    loads: Sequence[Mapping[int, Any]] = (),
    spc: Mapping[int, int] | None = None,
    B: Any = None,
    K4: Any = None,
    damping: Any = None,
    modal_integrals: bool = True,
    rotary_integrals: bool = False,
    inertia_relief: bool = False,
    reference: int | Sequence[float] | None = None,
    axes: Any = None,
    points: PointMasses | None = None,
    lumped: Sequence[ChildBody] = (),
    add_lumped_to_aset: bool = False,
    rigid_threshold_hz: float = RIGID_THRESHOLD_HZ,
    massless: str = "add",
    name: str = "component",
    units: Mapping[str, str] | str | None = None,
) -> Component:
    """Build a component from the matrices of any finite-element code.

    Parameters
    ----------
    K, M, B, K4 : (6N, 6N) stiffness, mass, viscous and structural damping, sparse or dense; six dofs a node
        in the
        order T1 T2 T3 R1 R2 R3, nodes in the order of `nodes`, one set of axes for all
    nodes : id -> position in those axes
    n_modes : flexible modes of a free body; fixed-interface modes where `aset` is given (all modes of the
        Craig-Bampton system are then kept, rigid ones apart)
    aset : interface, grid -> components such as 123456: normalized component modes
    loads : load patterns that get residual vectors, each grid -> up to six forces and moments, component axes
    rvdof : residual vectors for unit loads there; inertia_relief adds those for unit rigid accelerations
    spc : grid -> components that are held to ground
    damping : ratio, ratios, or table of (Hz, ratio)
    reference : grid id or point that becomes the component's origin (default: the origin)
    axes : (3,3) R with `x_input = R @ x_component`
    lumped : child bodies to take out of M (offsets and inertia in the input axes)
    rigid_threshold_hz : modes below it count as rigid whatever geometry and strain energy say
    massless : "add" gives interface motions without mass a small inertia and notes it; "error" refuses them
    units : of the matrices, as in "SI" or "t-mm-s" (default: not known)
    """
    ids = np.array([int(i) for i in nodes], dtype=np.int64)
    xyz = np.array([np.asarray(p, dtype=float) for p in nodes.values()]).reshape(-1, 3)
    K, M, B, K4, ids, xyz = _ordered(K, M, B, K4, ids, xyz)
    spc = check_grids("spc", spc, ids)
    if lumped:
        M = remove_lumped(M, lumped, ids)
        if add_lumped_to_aset:
            aset = merged_aset(aset, lumped_aset(lumped))
    origin, R, grid = _frame(reference, axes, ids, xyz)
    f, f_row, notes = _free_rows(K, M, spc, ids)
    positions = (xyz - origin) @ R
    Q = sp.kron(sp.identity(2 * len(ids)), sp.csr_matrix(R.T), format="csr")
    model = Assembled(
        node_ids=ids,
        positions=positions,
        M_gg=(Q @ M @ Q.T).tocsr(),
        K_ff=K[f][:, f],
        M_ff=M[f][:, f],
        T_gf=Q[:, f].tocsr(),
        f_row=f_row,
        B_ff=None if B is None else B[f][:, f],
        K4_ff=None if K4 is None else K4[f][:, f],
        rigid_f=(Q.T @ rigid_motion(positions))[f],
        R_node=None if axes is None else np.broadcast_to(R.T, (len(ids), 3, 3)),
        points=points,
        notes=notes,
    )
    component = build_component(
        model,
        n_modes=n_modes,
        aset=aset,
        rvdof=rvdof,
        loads=loads,
        damping=damping,
        modal_integrals=modal_integrals,
        rotary=rotary_integrals,
        inertia_relief=inertia_relief,
        rigid_threshold_hz=rigid_threshold_hz,
        massless=massless,
        name=name,
        units=units,
    )
    component.reference_node, component.reference_position, component.axes = grid, origin, R
    component.child_bodies = [turned_child(body, origin, R) for body in lumped]
    component.bgpdt = np.hstack([ids[:, None].astype(float), np.zeros((len(ids), 2)), xyz])
    component.provenance = {"source": "matrices", "solver": backend_name(), **component.provenance}
    return component


def _ordered(K, M, B, K4, ids, xyz):
    """Sort nodes by id and the matrices with them; check sizes and symmetry."""
    n = len(ids)
    if n == 0 or len(np.unique(ids)) != n:
        raise InputError("the node ids are not unique" if n else "there are no nodes")
    if not np.all(np.isfinite(xyz)) or xyz.shape != (n, 3):
        raise InputError("node positions must be three finite numbers each", where="nodes")
    order = np.argsort(ids)
    dof = (6 * order[:, None] + np.arange(6)).ravel()
    out = []
    for label, A in (("K", K), ("M", M), ("B", B), ("K4", K4)):
        if A is None:
            out.append(None)
            continue
        A = sp.csr_matrix(A, dtype=float)
        if A.shape != (6 * n, 6 * n):
            raise InputError(
                f"the matrix {label} does not fit the nodes",
                expected=f"({6 * n}, {6 * n}), six dofs a node",
                got=f"{A.shape}",
            )
        if not np.all(np.isfinite(A.data)):
            raise InputError(f"the matrix {label} has entries that are not numbers")
        size = abs(A).max() if A.nnz else 0.0
        skewness = abs(A - A.T)
        if skewness.nnz and skewness.max() > 1e-8 * size:
            raise InputError(
                f"the matrix {label} is not symmetric", got=f"a difference of {skewness.max():g}"
            )
        A = ((A + A.T) / 2).tocsr()
        out.append(A if np.array_equal(order, np.arange(n)) else A[dof][:, dof])
    return *out, ids[order], xyz[order]


def _frame(reference, axes, ids, xyz):
    """Reference point, axes and reference grid id (0 for a point)."""
    R = np.eye(3) if axes is None else np.asarray(axes, dtype=float)
    if R.shape != (3, 3) or np.abs(R.T @ R - np.eye(3)).max() > 1e-9 or np.linalg.det(R) < 0:
        raise InputError("axes must be a rotation matrix (3, 3)", got=f"{axes!r}"[:80])
    if reference is None:
        return np.zeros(3), R, 0
    if np.ndim(reference) == 0:
        if int(reference) == 0:
            return np.zeros(3), R, 0
        check_grids("reference", {int(reference): 123}, ids)
        return xyz[np.searchsorted(ids, int(reference))].copy(), R, int(reference)
    point = np.asarray(reference, dtype=float)
    if point.shape != (3,):
        raise InputError(
            "the reference must be a grid id or a point of three numbers", got=f"{reference!r}"[:80]
        )
    return point, R, 0


def _free_rows(K, M, spc, ids):
    """Rows that are neither held nor empty, and the map node component -> f row."""
    n = len(ids)
    held = np.zeros(6 * n, dtype=bool)
    for grid, value in spc.items():
        held[6 * np.searchsorted(ids, grid) + np.array(components_of(value))] = True
    size = abs(K).max() if K.nnz else 0.0
    empty = np.asarray(abs(K).sum(axis=1)).ravel() <= 1e-14 * size
    empty &= np.asarray(abs(M).sum(axis=1)).ravel() == 0
    f = np.flatnonzero(~held & ~empty)
    f_row = np.full(6 * n, -1, dtype=np.int64)
    f_row[f] = np.arange(len(f))
    count = int(np.count_nonzero(empty & ~held))
    notes = [f"{count} degrees of freedom without stiffness and mass were held"] if count else []
    return f, f_row.reshape(n, 6), notes
