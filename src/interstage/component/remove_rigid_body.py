"""Take rigid parts out of a component that was made with them: they then hang on joints of their own.

A part of mass m, centre p and inertia I (about it) at a node moves with the modes by Π = [λ; γ + λ×o] there. Out of
the component's integrals go what it put in: m, m p and the inertia from the rigid block, Sᵀ M Π from [F0; E], and Πᵀ M
Π from the modal mass, which is then no longer diagonal. Stiffness and damping stay.

So a model with engines in its modes (EITM) becomes one without them, in the same modes: with the engines held on their
gimbals it has the frequencies it was made with, with the gimbals free those of a model without engines (NESC report
NASA/TM-2020-5008164, F.4), as far as the modes reach.

Unit loads (geometric stiffness, recovery) are balanced by the inertia of the body. With M = M' + M_p and the rigid
accelerations a' = (SᵀM'S)⁻¹Sᵀp of what is left,

    p - M'Sa' = p - MSa' + M_p S a'

and MSa', balanced by the whole body, is nothing: the load p balanced by M' alone has the stiffness and the results of p
and of the wrench M_pSa' at the node of the part, which the component has among its loads.
"""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from interstage.component.component import ChildBody, LumpedInside
from interstage.component.damping import matrix_ratios
from interstage.component.integrals import ModalIntegrals, PointMasses, point_integrals, skew
from interstage.component.unit_loads import SPIN
from interstage.errors import FidelityWarning, InputError, ModelError, caller_level, shown

if TYPE_CHECKING:
    from interstage.component.component import Component, GeometricStiffness, RecoveryRows


def without_rigid(
    component: Component, node: int, part: tuple[float, ArrayLike, ArrayLike], modes: bool = True
) -> Component:
    """Return the component without a rigid part (mass, inertia, offset) at a node; see `Component.without_rigid`."""
    c, row, (mass, inertia, offset) = component, component.node_row(node), part
    where = f"component '{c.name}', node {node}"
    I, o = np.asarray(inertia, dtype=float), np.asarray(offset, dtype=float)
    I = np.diag(I) if I.shape == (3,) else I
    if I.shape != (3, 3) or o.shape != (3,):
        raise InputError(
            "inertia or offset of the part does not fit", where=where, expected="3 or 3 x 3 numbers, and 3"
        )
    _check_balanced(c, node, modes, where)
    if not 0.0 <= mass < c.mass:
        raise InputError(
            "the part has no mass that could leave", where=where, expected=f"0 to {c.mass:g}", got=f"{mass:g}"
        )
    p = c.node_positions[row] + o
    M, S = np.zeros((6, 6)), np.eye(6)
    M[:3, :3], M[3:, 3:] = I, mass * np.eye(3)
    S[3:, :3] = -skew(p)
    Pi = np.vstack([c.lam[row], c.gamma[row] - skew(o) @ c.lam[row]])
    point = PointMasses(np.array([float(mass)]), np.array([row]), o[None])
    points = point_integrals(point, np.asarray(c.node_positions), np.asarray(c.gamma), np.asarray(c.lam))
    left = c.integrals - ModalIntegrals.of(S.T @ M @ S, S.T @ M @ Pi, Pi.T @ M @ Pi, points=points)
    changes: dict[str, object] = {"mass": left.mass, "com": left.com, "inertia": left.inertia}
    if modes:
        G = left.G
        if not np.linalg.eigvalsh(G)[:1].min(initial=1.0) > 0.0:
            raise ModelError(
                "the modes do not carry this part: without it their mass would be negative",
                where=where,
                hint="check mass, inertia and offset, and that the component was made with the part",
            )
        # stiffness (2πf)² G0 stays what it was, and so does the damping, whole, as of the modes with the part
        scale = np.sqrt(np.diag(c.G0) / np.diag(G))
        hz = c.frequencies_hz * scale
        changes |= {**left.fields(), "frequencies_hz": hz}
        if c.damping_ratio is not None:
            C = c.damping_matrix
            changes |= {"viscous": C, "structural": None, "damping_ratio": matrix_ratios(hz, C, None)}
    else:
        changes |= {"J1": None, "J2": None, "F1": None}
    changes |= _declared_out(c, node, float(mass), I, o)
    keeps = c.geometric_stiffness is not None and modes and node in c.geometric_stiffness.nodes
    lost = _lost(c, modes, keeps, node)
    new = c.with_changes(**changes, rotary=None, geometric_stiffness=None, notes=[*c.notes, *lost])
    for words in lost:
        warnings.warn(f"without_rigid, {where}: {words}", FidelityWarning, stacklevel=caller_level())
    if not keeps and c.recovery is None:
        return new
    left_out = _Part(new, node, M, S, o, Pi)
    if keeps and c.geometric_stiffness is not None:
        new = new.with_changes(geometric_stiffness=_stiffness_without(c.geometric_stiffness, left_out))
    if c.recovery is not None:
        new = new.with_changes(recovery=_rows_without(c.recovery, left_out))
    return new


def _lost(c: Component, modes: bool, keeps: bool, node: int) -> list[str]:
    """Say which integrals a component no longer has without a part, and whether it has lost its geometric stiffness."""
    said = []
    if c.geometric_stiffness is not None and not keeps:
        why = f"make it with load_grids=[{node}]" if modes else "it was found with the part in the modes"
        said = [f"geometric stiffness was dropped with the rigid part at node {node}: {why}"]
    lost = ["integrals of rotary nodes"] if c.rotary is not None else []
    if c.has_integrals and not modes:
        lost = ["integrals of first and second order", *lost]
    if not lost:
        return said
    order = ": a body of it has order 0, its inertia does not follow its deformation" if not modes else ""
    return [f"{' and '.join(lost)} were dropped with the rigid part{order}", *said]


def _declared_out(
    c: Component, node: int, mass: float, inertia: np.ndarray, offset: np.ndarray
) -> dict[str, object]:
    """Return the lumped bodies inside and outside of the component when a part has left it."""
    place = c.node_positions[c.node_row(node)]
    inside, name = c.lumped_inside, f"part_{node}"
    changes: dict[str, object] = {}
    if inside is not None:
        size = float(np.ptp(c.node_positions, axis=0).max(initial=0.0)) or 1.0
        far = np.abs(inside.position - place - offset).max(axis=1) > 1e-6 * size
        same = np.flatnonzero(~far & (np.abs(inside.mass - mass) <= 1e-6 * mass))
        if len(same):
            name = inside.names[same[0]]
            kept = np.delete(np.arange(len(inside.mass)), same[0])
            changes["lumped_inside"] = _some(inside, kept) if len(kept) else None
    taken = [body.name for body in c.child_bodies]
    if name in taken:
        name = next(f"{name}_{k}" for k in range(2, len(taken) + 3) if f"{name}_{k}" not in taken)
    part = ChildBody(
        name, mass, offset, inertia, node, place, "grid", np.array([node]), joint_position=place, node=node
    )
    return changes | {"child_bodies": [*c.child_bodies, part]}


def _some(inside: LumpedInside, kept: np.ndarray) -> LumpedInside:
    names = [inside.names[k] for k in kept]
    return LumpedInside(
        names, inside.grid[kept], inside.mass[kept], inside.position[kept], inside.inertia[kept]
    )


class _Part:
    """A part that left a component: what the loads of the rest exert at its node.

    M, S (6, 6) : its mass matrix at its centre, and the motion there of rotations and translations of the frame;
    Pi (6, n) : the motion there of the modes;  offset (3,) of the centre from the node
    """

    def __init__(
        self, left: Component, node: int, M: np.ndarray, S: np.ndarray, offset: np.ndarray, Pi: np.ndarray
    ):
        self.left, self.node, self.M, self.S, self.offset, self.Pi = left, node, M, S, offset, Pi
        own = left.integrals
        self.mp, self.rigid = own.first, own.rigid_mass

    def _at_node(self, wrenches: np.ndarray) -> np.ndarray:
        """Return wrenches [t; f] (6, k) about the centre as [f; t] (6, k) about the node."""
        t, f = wrenches[:3], wrenches[3:]
        return np.vstack([f, t + skew(self.offset) @ f])

    def _lifted(self, resultants: np.ndarray) -> np.ndarray:
        """Return the wrenches at the node of the part moved by a' of resultants [t; f] (6, k) about the origin."""
        return self._at_node(self.M @ self.S @ np.linalg.lstsq(self.rigid, resultants, rcond=1e-12)[0])

    def of_loads(self, load: np.ndarray) -> np.ndarray:
        """Return wrenches (6, k), T1 ... R3, at the node that unit loads (k, 2) come with."""
        r, own = np.zeros((6, len(load))), np.zeros((6, len(load)))
        for column, (grid, k) in enumerate(load):
            if grid:
                e = np.eye(3)[(k - 1) % 3]
                l = self.left.node_positions[self.left.node_row(int(grid))]
                r[:, column] = np.concatenate([np.cross(l, e), e]) if k <= 3 else np.concatenate([e, 0.0 * e])
                continue
            i, j = SPIN[k - 1]
            r[:3, column] = -_twice(self.left.inertia, i, j)
            r[3:, column] = _outward(self.mp, i, j)
            l = self.left.node_positions[self.left.node_row(self.node)]
            pull = self.M[3, 3] * _outward(l, i, j)
            own[:, column] = np.concatenate([pull, np.cross(self.offset, pull)])
        return self._lifted(r) - own

    def of_modes(self) -> np.ndarray:
        """Return wrenches (6, n), T1 ... R3, at the node that the inertia of the modes comes with."""
        return self._lifted(np.vstack([self.left.F0, self.left.E])) - self._at_node(self.M @ self.Pi)


def _outward(l: np.ndarray, i: int, j: int) -> np.ndarray:
    """Return -ω×(ω×l) (3,) of the product ω_iω_j."""
    e = np.eye(3)
    if i == j:
        return l - e[i] * l[i]
    return -(e[i] * l[j] + e[j] * l[i])


def _twice(J: np.ndarray, i: int, j: int) -> np.ndarray:
    """Return ω×Jω (3,) of the product ω_iω_j."""
    e = np.eye(3)
    one = np.cross(e[i], J @ e[j])
    return one if i == j else one + np.cross(e[j], J @ e[i])


def _all_loads(nodes: np.ndarray) -> np.ndarray:
    """Return the names (k, 2) of all unit loads: products of the spin, and six at each node."""
    return np.array([(int(grid), k) for grid in (0, *nodes) for k in range(1, 7)], dtype=np.int64)


def _columns_of(known: np.ndarray, load: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Return values (k, ...) of unit loads in the order of `load`, zero for those that are not known."""
    at = {(int(grid), int(k)): row for row, (grid, k) in enumerate(known)}
    rows = np.array([at.get((int(grid), int(k)), -1) for grid, k in load])
    out = values[rows]
    out[rows < 0] = 0.0
    return out


def _stiffness_without(own: GeometricStiffness, part: _Part) -> GeometricStiffness:
    """Return geometric stiffness of loads that the rest balances."""
    load = _all_loads(own.nodes)
    there, W = np.flatnonzero(load[:, 0] == part.node), part.of_loads(load)
    found = []
    for values in (own.K, own.KR, own.RR):
        old = _columns_of(own.load, load, values)
        found.append(old + np.einsum("kl,kij->lij", W, old[there]))
    keep = found[0].any(axis=(1, 2))
    return replace(own, load=load[keep], K=found[0][keep], KR=found[1][keep], RR=found[2][keep])


def _rows_without(own: RecoveryRows, part: _Part) -> RecoveryRows:
    """Return recovery rows of loads that the rest balances."""
    load = _all_loads(own.nodes)
    there, W = np.flatnonzero(load[:, 0] == part.node), part.of_loads(load)
    static, modal = (_columns_of(own.load, load, old.T).T for old in (own.static, own.modal))
    return replace(
        own,
        load=load,
        static=static + static[:, there] @ W,
        modal=modal + modal[:, there] @ W,
        inertia=own.inertia + static[:, there] @ part.of_modes(),
    )


def _check_balanced(component: Component, node: int, modes: bool, where: str) -> None:
    """Refuse to take away a part whose node is not among the loads of recovery, or one that stays in the modes."""
    held = component.recovery
    if held is not None and not (modes and node in held.nodes):
        raise InputError(
            "recovery rows were found with the part in the body, and cannot do without it",
            where=where,
            expected="the node among their loads, and the part out of the modes",
            got=f"loads at {shown(held.nodes.tolist())}" if modes else "modes=False",
            hint=f"name grid {node} in load_grids, or leave recover out",
        )
