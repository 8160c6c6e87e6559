"""A component from the matrices of any finite-element code.

Lumped rigid bodies: taken out of the mass matrix, described on their own, put back.

A lumped body of mass m at offset o from its grid, with inertia I about its own centre of mass, adds to that
grid

    [ m I3        -m [o]x        ]   rows T1 T2 T3 R1 R2 R3
    [ m [o]x   I - m [o]x [o]x   ]
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike

from interstage.component.build import (
    Assembled,
    build_component,
    turned_child,
)
from interstage.component.checks import with_precision
from interstage.component.component import ChildBody, Component
from interstage.component.integrals import PointMasses, rigid_motion, skew
from interstage.component.interface import check_grids, checked_grids, components_of, merged
from interstage.component.options import ReductionOptions, checked_name
from interstage.component.unit_loads import Recoverer, Stiffener, projected
from interstage.errors import InputError, shown
from interstage.linalg.factor import backend_name
from interstage.spatial.checks import as_array

Matrix: TypeAlias = ArrayLike | sp.spmatrix | sp.sparray
Stiffness: TypeAlias = Callable[[np.ndarray], Matrix]


@dataclass(frozen=True)
class Structure:
    """A structure as matrices of any finite-element code.

    K, M, B, K4 : (6N, 6N) stiffness, mass, viscous and structural damping, sparse or dense; six dofs a node in the
        order T1 T2 T3 R1 R2 R3, nodes in the order of `nodes`, one set of axes for all
    nodes : id -> position in those axes
    spc : grid -> components that are held to ground
    reference : grid id or point that becomes the component's origin (default: the origin)
    axes : (3,3) R with `x_input = R @ x_component`
    points : point masses of the integrals (default: those of M)
    lumped : child bodies to take out of M (offsets and inertia in the input axes)
    geometric : geometric stiffness (6N, 6N) of the stresses of displacements (6N,)
    recover : name -> row (6N,) of a result of displacements, and its quantity
    """

    K: Matrix
    M: Matrix
    nodes: Mapping[int, ArrayLike]
    B: Matrix | None = None
    K4: Matrix | None = None
    spc: Mapping[int, int] | None = None
    reference: int | Sequence[float] | None = None
    axes: ArrayLike | None = None
    points: PointMasses | None = None
    lumped: Sequence[ChildBody] = ()
    geometric: Stiffness | None = None
    recover: Mapping[str, tuple[ArrayLike, str]] | None = None


def component_from_matrices(s: Structure, options: ReductionOptions) -> Component:
    """Build a component from matrices; in the reduction, a deck's default is that of a free body at the origin."""
    if options.n_modes is None:
        raise InputError("the number of modes is not known", where="n_modes", hint="give n_modes")
    nodes, lumped = s.nodes, s.lumped
    ids = np.array([_id(node) for node in nodes], dtype=np.int64)
    xyz = np.array([_position(node, p) for node, p in nodes.items()]).reshape(-1, 3)
    K, M, B, K4, ids, xyz = _ordered(s.K, s.M, s.B, s.K4, ids, xyz)
    spc = checked_grids("spc", s.spc or {})
    check_grids("spc", spc, ids)
    if lumped:
        M = remove_lumped(M, lumped, ids)
        if options.add_lumped_to_aset:
            options = options.with_changes(aset=merged(options.aset or {}, lumped_aset(lumped)))
    origin, R, grid = _frame(s.reference, s.axes, ids, xyz)
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
        R_node=None if s.axes is None else np.broadcast_to(R.T, (len(ids), 3, 3)),
        points=s.points,
        geometric=None if s.geometric is None else _stiffener(s.geometric, nodes, Q),
        recoverer=_recoverer(s.recover or {}, nodes, f),
        notes=notes,
    )
    component = build_component(model, options)
    component.reference_node, component.reference_position, component.axes = grid, origin, R
    component.child_bodies = [turned_child(body, origin, R) for body in lumped]
    component.bgpdt = np.hstack([ids[:, None].astype(float), np.zeros((len(ids), 2)), xyz])
    component.provenance = {"source": "matrices", "solver": backend_name(), **component.provenance}
    return with_precision(component, {"K": s.K, "M": s.M, "B": s.B, "K4": s.K4})


def _by_id(nodes: Iterable[int]) -> np.ndarray:
    """Return the places (6N,) of coordinates as they were given, nodes by ascending ids."""
    order = np.argsort([int(i) for i in nodes])
    return (6 * order[:, None] + np.arange(6)).ravel()


def _recoverer(
    wanted: Mapping[str, tuple[ArrayLike, str]], nodes: Mapping[int, ArrayLike], f: np.ndarray
) -> Recoverer | None:
    """Return given rows as functions of the free coordinates."""
    rows, quantities = [], []
    for name, given in wanted.items():
        if not isinstance(given, list | tuple) or len(given) != 2:
            raise InputError(
                f"the result '{name}' is not usable",
                where="recover",
                expected='(row, quantity), as in (row, "moment")',
                got=shown(given),
            )
        rows.append(as_array(given[0], (6 * len(nodes),), f"recover, '{checked_name(name)}'"))
        quantities.append(given[1])
    if not rows:
        return None
    S = np.array(rows)[:, _by_id(nodes)][:, f]
    return Recoverer(list(wanted), quantities, lambda u: S @ u)


def _id(node: Any) -> int:
    """Return the number of a node."""
    try:
        number = int(node)
        if not isinstance(node, str) and number != node:
            raise ValueError
    except (TypeError, ValueError, OverflowError):
        raise InputError("a node is named by a whole number", where="nodes", got=shown(node)) from None
    return number


def _position(node: object, given: ArrayLike) -> np.ndarray:
    """Return the position (3,) of a node."""
    try:
        found = np.asarray(given, dtype=float)
    except (TypeError, ValueError, RuntimeWarning):
        found = np.zeros(0)
    if found.shape != (3,) or not np.isfinite(found).all():
        raise InputError(
            "node positions must be three finite numbers each", where=f"nodes, {node}", got=shown(given)
        )
    return found


def _stiffener(geometric: Stiffness, nodes: Mapping[int, ArrayLike], Q: sp.csr_matrix) -> Stiffener:
    """Return the geometric stiffness of displacements in component axes, nodes by ascending ids."""
    dof = _by_id(nodes)

    def stiffness(u: np.ndarray, shapes: np.ndarray) -> tuple[np.ndarray, list[str]]:
        given, own = np.empty_like(u), np.empty_like(shapes)
        given[dof], own[dof] = Q.T @ u, Q.T @ shapes
        return projected(map(geometric, given.T), own), []

    return stiffness


def symmetric_matrix(A: Matrix, size: int, what: str, rows: str) -> sp.csr_matrix:
    """Return a matrix (size, size) as CSR, made exactly symmetric; refuse one that is not a symmetric matrix of that
    size.

    what : its name in messages; rows : what its rows are
    """
    try:
        if getattr(A, "dtype", np.dtype(float)).kind == "c":
            raise TypeError
        A = sp.csr_matrix(A, dtype=float)
    except (TypeError, ValueError):
        raise InputError(f"{what} is no matrix of real numbers", got=shown(A)) from None
    if A.shape != (size, size):
        raise InputError(
            f"{what} does not fit the nodes", expected=f"({size}, {size}), {rows}", got=f"{A.shape}"
        )
    if not np.all(np.isfinite(A.data)):
        raise InputError(f"{what} has entries that are not numbers")
    largest = abs(A).max() if A.nnz else 0.0
    skewness = abs(A - A.T)
    if skewness.nnz and skewness.max() > 1e-8 * largest:
        raise InputError(f"{what} is not symmetric", got=f"a difference of {skewness.max():g}")
    return ((A + A.T) / 2).tocsr()


def _ordered(K, M, B, K4, ids, xyz):
    """Sort nodes by id and the matrices with them; check sizes and symmetry."""
    n = len(ids)
    if n == 0 or len(np.unique(ids)) != n:
        raise InputError("the node ids are not unique" if n else "there are no nodes")
    order, dof = np.argsort(ids), _by_id(ids)
    out: list[Any] = []
    for label, A in (("K", K), ("M", M), ("B", B), ("K4", K4)):
        if A is None and label in ("B", "K4"):
            out.append(None)
            continue
        A = symmetric_matrix(A, 6 * n, f"the matrix {label}", "six dofs a node")
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


def mass_block(mass: float, offset: np.ndarray, inertia: np.ndarray) -> np.ndarray:
    """Return the 6x6 mass matrix of a lumped body at its grid, rows T1 T2 T3 R1 R2 R3."""
    o = skew(np.asarray(offset, dtype=float))
    out = np.zeros((6, 6))
    out[:3, :3] = mass * np.eye(3)
    out[:3, 3:] = -mass * o
    out[3:, :3] = mass * o
    out[3:, 3:] = np.asarray(inertia) - mass * o @ o
    return out


def lumped_matrix(bodies: Sequence[ChildBody], node_ids: np.ndarray) -> sp.csr_matrix:
    """Return the mass matrix (6N, 6N) of the lumped bodies, in the axes they are given in."""
    n = len(node_ids)
    rows, columns, values = [], [], []
    for body in bodies:
        at = int(np.searchsorted(node_ids, body.grid))
        if at == n or node_ids[at] != body.grid:
            raise InputError(
                "a lumped body sits on a grid that is not in the model",
                where=f"{body.name}, grid {body.grid}",
            )
        dof = 6 * at + np.arange(6)
        rows.append(np.repeat(dof, 6))
        columns.append(np.tile(dof, 6))
        values.append(mass_block(body.mass, body.com, body.inertia).ravel())
    if not rows:
        return sp.csr_matrix((6 * n, 6 * n))
    parts = (np.concatenate(values), (np.concatenate(rows), np.concatenate(columns)))
    return sp.coo_matrix(parts, shape=(6 * n, 6 * n)).tocsr()


def remove_lumped(M: Any, bodies: Sequence[ChildBody], node_ids: np.ndarray) -> sp.csr_matrix:
    """Subtract lumped bodies from a mass matrix (6N, 6N); what cancels to rounding is removed."""
    M = sp.csr_matrix(M)
    rest = (M - lumped_matrix(bodies, node_ids)).tocsr()
    size = abs(M).max() if M.nnz else 0.0
    pattern = abs(M).tocsr()
    rest.sum_duplicates()
    before = np.asarray(pattern[rest.nonzero()]).ravel()
    values = np.asarray(rest[rest.nonzero()]).ravel()
    gone = np.abs(values) <= 1e-13 * np.maximum(before, 1e-15 * size)
    i, j = rest.nonzero()
    out = sp.csr_matrix((values[~gone], (i[~gone], j[~gone])), shape=M.shape)
    negative = out.diagonal() < 0
    if negative.any():
        grid = node_ids[np.flatnonzero(negative)[0] // 6]
        raise InputError(
            "the lumped bodies weigh more than the mass matrix holds there",
            where=f"grid {grid}",
            hint="give mass, offset and inertia as they were put into the mass matrix",
        )
    return out


def lumped_aset(bodies: Sequence[ChildBody]) -> dict[int, int]:
    """Return the interface that the bodies need: the grids of the flexible body that carry them."""
    aset: dict[int, set[str]] = {}
    for body in bodies:
        carriers = body.parent_grids if len(body.parent_grids) else [body.grid]
        for grid in carriers:
            aset.setdefault(int(grid), set()).update(str(body.components))
    return {grid: int("".join(sorted(components))) for grid, components in sorted(aset.items())}
