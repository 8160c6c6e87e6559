"""CONM2 cards as child bodies: what each weighs, where it is, and what holds it to the structure.

How rigid elements and MPCs hold a lumped body: the joint, its position and its axes, from the constraint equations.

Take the lumped masses out of a deck, hold everything that has stiffness or mass of its own, and look which motions of
the grid of a lumped body are left. Nothing is left where the grid follows the structure (locked); the three rotations
of an RBAR that holds translations alone are a ball joint at its dependent end; one rotation is a revolute joint. A
motion of the grid at x is a rotation θ about the point p where u = θ × (x - p).

A grid without stiffness may carry another one: bodies whose motions go together hang on each other.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components

from interstage.component.component import ChildBody
from interstage.component.integrals import skew
from interstage.errors import FidelityWarning
from interstage.fem.elements.point_mass import PointMassBlock
from interstage.fem.model import FEModel
from interstage.fem.reduction import Constraints

Link: TypeAlias = tuple[
    str, list[int], str, np.ndarray | None
]  # element, carrying grids, components, weights


def child_bodies(
    fe: FEModel, bare: FEModel, constraints: Constraints, chosen: bool | Sequence[int] = True
) -> list[ChildBody]:
    """Describe CONM2 of a deck, in basic axes; mass in consistent units (WTMASS applied).

    A CONM2 on a grid that elements hold is connected to that grid. Where the grid has no stiffness of its
    own, the rigid element that it belongs to is the connection: RBAR, RBE1, RBE2 or RBE3, and the constraint
    equations say which motions it leaves: the joint.

    bare : the model without the CONM2;  constraints : those that hold;  chosen : ids of CONM2, True for all
    """
    stiff = fe.K_gg.diagonal()
    links = _links(fe, stiff)
    lumped = [
        (block, i)
        for block in fe.blocks
        if isinstance(block, PointMassBlock)
        for i in range(len(block.eid))
        if is_chosen(int(block.eid[i]), chosen)
    ]
    rows = [int(block.nodes[i, 0]) for block, i in lumped]
    loose = [row for row in rows if not np.any(stiff[fe.grids.dof[row] + np.arange(6)] != 0)]
    held = held_grids(fe, bare, constraints, loose) if loose else {}
    warn_of_grounded(fe, constraints, loose)
    names: dict[int, str] = {}
    out = []
    # those that carry others come first
    order = sorted(range(len(rows)), key=lambda k: _depth(held, rows[k]))
    for k in order:
        (block, i), row = lumped[k], rows[k]
        grid = int(fe.grids.id[row])
        kind, parents, components, weights = ("grid", [grid], "123456", None)
        if row in held and grid in links:
            kind, parents, components, weights = links[grid]
        body = ChildBody(
            name=f"CONM2_{block.eid[i]}",
            mass=float(block.point_mass[i] * fe.wtmass),
            com=block.offset[i].copy(),
            inertia=block.inertia[i] * fe.wtmass,
            grid=grid,
            position=fe.grids.xyz[row].copy(),
            connection=kind,
            parent_grids=np.array(parents, dtype=np.int64),
            components=int(components),
            weights=weights,
            joint_position=fe.grids.xyz[row].copy(),
            node=grid,
        )
        out.append(_joined(fe, body, held.get(row), names))
        names.setdefault(row, body.name)
    return out


def is_chosen(eid: int, chosen: bool | Sequence[int]) -> bool:
    """Whether a CONM2 is among those to be taken out."""
    return chosen if isinstance(chosen, bool) else eid in chosen


def _depth(held: Mapping[int, Held], row: int) -> int:
    """Return how many lumped bodies carry each other below the one at a grid."""
    depth = 0
    while row in held and held[row].carrier >= 0:
        row, depth = held[row].carrier, depth + 1
    return depth


def _joined(fe: FEModel, body: ChildBody, held: Held | None, names: Mapping[int, str]) -> ChildBody:
    """Return a child body with its joint; `names` are those of the grids (rows) that have one already."""
    if held is None:
        return body
    row = int(fe.grids.find(body.grid))
    if (
        held.joint != "locked" and row in names
    ):  # two on one grid that is held by a joint: the first has the joint
        return replace(body, carrier=names[row])
    point = not body.inertia.any() and not body.com.any() and held.node == body.grid
    if point and held.joint in ("ball", "revolute", "universal"):  # a point has nothing that could turn
        held = replace(held, joint="locked", axes=np.zeros((0, 3)))
    carrier = names.get(held.carrier, "")
    if held.joint == "locked" and not carrier and len(body.parent_grids) == 1 and body.components == 123456:
        at = int(fe.grids.find(body.parent_grids[0]))  # the grid that carries it moves as its own does
        if at >= 0:
            return replace(body, node=int(body.parent_grids[0]), joint_position=fe.grids.xyz[at].copy())
    words = held.joint or f"components {body.components}"
    return replace(
        body,
        joint=words,
        joint_position=held.position,
        joint_axes=held.axes if len(held.axes) else None,
        node=held.node,
        carrier=carrier,
    )


def _links(fe: FEModel, stiff: np.ndarray) -> dict[int, Link]:
    """Return the rigid element that holds each grid; of several, one to grids with stiffness (`stiff`, of dofs)."""
    found: dict[int, list[Link]] = {}
    for kind in ("rbar", "rbe2", "rbe1", "rbe3"):
        for link in [one for one in fe.links if one.kind == kind]:
            others = link.others.tolist()
            body = [link.grid, *others]
            found.setdefault(link.grid, []).append((kind, others, link.components, link.weights))
            for grid in others if kind != "rbe3" else ():
                rest = [one for one in body if one != grid] if kind == "rbe1" else [link.grid]
                found.setdefault(grid, []).append((kind, rest, link.components, None))

    def firm(link: Link) -> bool:
        rows = fe.grids.find(np.array(link[1], dtype=np.int64))
        return bool(stiff[fe.grids.dof[rows][:, None] + np.arange(6)].any(axis=1).all())

    return {grid: max(links, key=firm) for grid, links in found.items()}


RIGID = 1e-6  # of the size of an equation: what coordinates of eight digits leave of a rigid motion
NULL = 1e-9  # singular values of scaled constraint equations below this are zero


@dataclass
class Held:
    """How a grid is held: its joint, where and about which axes (basic), at which grid, or by which other grid.

    joint : "locked", "ball", "revolute", "universal", "prismatic", "free", or "" for another motion
    node : the grid itself, where it has the joint; 0 where it turns about another point
    carrier : grid (row) of another lumped body that carries it, or -1
    """

    joint: str
    node: int
    position: np.ndarray
    axes: np.ndarray = field(default_factory=lambda: np.zeros((0, 3)))
    carrier: int = -1


class GridMotions:
    """Motions that the constraint equations leave to grids without stiffness and mass, all else held."""

    def __init__(self, fe: FEModel, bare: FEModel, constraints: Constraints):
        grids, given = fe.grids, constraints.equations
        self.grids = grids
        R = sp.csr_array((given.value, (given.row, given.dof)), shape=(len(given), grids.n_dof))
        used = np.asarray(abs(fe.K_gg).sum(axis=1)).ravel() + np.asarray(abs(bare.M_gg).sum(axis=1)).ravel()
        self.idle = used == 0
        self.idle[constraints.spc] = False
        self.rotation = np.zeros(grids.n_dof, dtype=bool)
        self.rotation[(grids.dof[:, None] + np.arange(3, 6)).ravel()] = True
        idle = np.flatnonzero(self.idle)
        self.R = sp.csc_array(R)
        # dofs that an equation has in common belong together
        pattern = abs(R[:, idle])
        label = (
            connected_components(pattern.T @ pattern, directed=False)[1] if len(idle) else np.zeros(0, int)
        )
        self.label = np.full(grids.n_dof, -1, dtype=np.int64)
        self.label[idle] = label

    def left(self, row: int, others: Sequence[int] = (), held: Sequence[int] = ()) -> np.ndarray:
        """Return motions (6 + 6 len(others), k) that are left to a grid and others, with the grids `held` held as well.

        Rows are T1 T2 T3 R1 R2 R3 in basic axes, rotations times the unit of length `scale`.
        """
        wanted = [row, *others]
        dofs = (self.grids.dof[wanted][:, None] + np.arange(6)).ravel()
        free = dofs[self.label[dofs] >= 0]
        together = np.flatnonzero(np.isin(self.label, np.unique(self.label[free])) & (self.label >= 0))
        for one in held:
            together = np.setdiff1d(together, self.grids.dof[one] + np.arange(6))
        size = self.scale(row)
        A = self.R[:, together]
        A = A.tocsr()[np.unique(A.indices)].toarray() / np.where(self.rotation[together], size, 1.0)
        A /= np.maximum(np.abs(A).max(axis=1, keepdims=True, initial=0.0), 1e-300)
        N = _null_space(A) if len(A) else np.eye(len(together))
        motion = np.zeros((self.grids.n_dof, N.shape[1]))
        motion[together] = N
        basic = [np.kron(np.eye(2), R) for R in self.grids.R_basic_cd[wanted]]
        return np.vstack([R @ motion[self.grids.dof[one] + np.arange(6)] for R, one in zip(basic, wanted)])

    def scale(self, row: int) -> float:
        """Return a length of the model about a grid, to compare rotations with translations."""
        return float(np.abs(self.grids.xyz - self.grids.xyz[row]).max(initial=0.0)) or 1.0


def warn_of_grounded(fe: FEModel, constraints: Constraints, rows: Sequence[int]) -> None:
    """Warn of constraint equations on grids (rows) of lumped bodies that a rigid motion of the whole does not fulfil.

    An MPC without the lever arm between its grids holds the rotation of the structure: a joint cannot do that, and
    with the body attached again the modes are not those of the deck.
    """
    grids, given = fe.grids, constraints.equations
    R = sp.csr_array((given.value, (given.row, given.dof)), shape=(len(given), grids.n_dof))
    reach = float(np.ptp(grids.xyz, axis=0).max(initial=0.0)) or 1.0
    rigid = np.zeros((grids.n_dof, 6))
    for row, arm in enumerate((grids.xyz - grids.xyz.mean(axis=0)) / reach):
        at = grids.dof[row] + np.arange(6)
        turn = np.kron(np.eye(2), grids.R_basic_cd[row].T)
        rigid[at] = turn @ np.block([[np.eye(3), -skew(arm)], [np.zeros((3, 3)), np.eye(3) / reach]])
    size = abs(R) @ np.abs(rigid).max(axis=1)
    broken = np.abs(R @ rigid).max(axis=1) > RIGID * size
    for row in dict.fromkeys(rows):
        touched = abs(R[:, grids.dof[row] + np.arange(6)]).sum(axis=1) > 0
        if np.any(touched & broken):
            warnings.warn(
                f"an MPC or rigid element at grid {grids.id[row]} resists rigid motion of the structure, "
                "as one without a lever arm does: the lumped mass there, attached again by a joint, does not give "
                "the modes of the deck",
                FidelityWarning,
                stacklevel=2,
            )


def _null_space(A: np.ndarray) -> np.ndarray:
    _, s, Vt = np.linalg.svd(A)
    rank = int(np.sum(s > NULL * max(s.max(initial=0.0), 1e-300)))
    return Vt[rank:].T


def _range(A: np.ndarray) -> np.ndarray:
    """Return an orthonormal basis (rows of A, k) of what the columns of A span."""
    U, s, _ = np.linalg.svd(A, full_matrices=False)
    return U[:, s > NULL]


def held_grids(fe: FEModel, bare: FEModel, constraints: Constraints, rows: Sequence[int]) -> dict[int, Held]:
    """Return how each of some grids (rows) without stiffness of their own is held."""
    motions = GridMotions(fe, bare, constraints)
    chosen = list(dict.fromkeys(int(row) for row in rows))
    left = {row: _range(motions.left(row)) for row in chosen}
    found: dict[int, Held] = {}
    for row in sorted(chosen, key=lambda one: left[one].shape[1]):
        own, carrier = left[row], -1
        for other in [one for one in found if left[one].shape[1] and own.shape[1]]:
            both = _range(motions.left(row, others=[other]))
            if both.shape[1] < own.shape[1] + left[other].shape[1]:
                own, carrier = _range(motions.left(row, held=[other])), other
                break
        found[row] = _joint(motions, row, own, carrier)
    return found


def _joint(motions: GridMotions, row: int, N: np.ndarray, carrier: int) -> Held:
    """Return the joint that leaves the motions N (6, k) to a grid."""
    grids, size = motions.grids, motions.scale(row)
    here, own = grids.xyz[row].copy(), int(grids.id[row])
    u, theta = N[:3], N[3:] / size
    k = N.shape[1]
    if k == 0:
        return Held("locked", own, here, carrier=carrier)
    if k == 6:
        return Held("free", own, here, carrier=carrier)
    if k == 1 and np.abs(theta).max() < NULL:
        return Held("prismatic", own, here, _tidy(u.T), carrier)
    if k > 3 or np.linalg.matrix_rank(N[3:], tol=1e-6) < k:
        return Held("", 0, here, carrier=carrier)
    # u_i = θ_i × d, d = x - p
    d, *_ = np.linalg.lstsq(np.vstack([skew(one) for one in theta.T]), u.T.ravel(), rcond=1e-9)
    if np.abs(np.cross(theta.T, d) - u.T).max() > 1e-7:
        return Held("", 0, here, carrier=carrier)
    kind = {1: "revolute", 2: "universal", 3: "ball"}[k]
    axes = np.zeros((0, 3)) if k == 3 else _tidy(np.linalg.qr(theta)[0].T)
    if np.abs(d).max() < 1e-9 * size:
        return Held(kind, own, here, axes, carrier)
    return Held(kind, 0, here - d, axes, carrier)


def _tidy(axes: np.ndarray) -> np.ndarray:
    """Return unit axes (k, 3), along x, y or z where they span nothing else, each with its largest entry positive."""
    k = len(axes)
    P = axes.T @ np.linalg.pinv(axes.T)
    aligned = [e for e in np.eye(3) if np.abs(P @ e - e).max() < 1e-9]
    out = np.array(aligned) if len(aligned) == k else axes / np.linalg.norm(axes, axis=1, keepdims=True)
    out[np.abs(out) < 1e-12] = 0.0
    largest = np.abs(out).argmax(axis=1)
    return out * np.sign(out[np.arange(k), largest])[:, None]
