"""CONM2 cards as child bodies: what each weighs, where it is, and what holds it to the structure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TypeAlias

import numpy as np

from interstage.component.from_nastran.lumped_joints import Held, held_grids, warn_of_grounded
from interstage.component.record import ChildBody
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
