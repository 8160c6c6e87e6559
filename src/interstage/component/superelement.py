"""A component from a Craig-Bampton model that another code reduced (external superelement).

Coordinates x are interface dofs and modal coordinates; `u = T x` recovers node motion. The rigid motion of
the body is `[S_b; 0]` in x, so that mass, E and F0 follow from the reduced mass matrix alone, without the
full one.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from interstage.component.component_modes import (
    Reduction,
    added_inertia,
    inertia_effect,
    massless_rows,
    normalized_modes,
)
from interstage.component.damping import modal_damping, table_notes
from interstage.component.integrals import ModalIntegrals, PointMasses, point_integrals, rigid_motion
from interstage.component.options import ReductionOptions
from interstage.component.record import Component, CraigBampton
from interstage.errors import InputError, ModelError


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
        units=options.units,
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
