"""CONM2 cards as child bodies: what each weighs, where it is, and what holds it to the structure."""

from __future__ import annotations

import numpy as np

from interstage.component.record import ChildBody
from interstage.fem.elements.point_mass import PointMassBlock
from interstage.fem.model import FEModel

JOINTS = {
    "123456": "locked",
    "123": "ball",
    "12356": "revolute x",
    "12346": "revolute y",
    "12345": "revolute z",
}


def child_bodies(fe: FEModel) -> list[ChildBody]:
    """Describe every CONM2 of a deck, in basic axes; mass in consistent units (WTMASS applied).

    A CONM2 on a grid that elements hold is connected to that grid. Where the grid has no stiffness of its
    own, the rigid element that it belongs to is the connection: RBAR, RBE1, RBE2 or RBE3.
    """
    links = _links(fe)
    stiff = fe.K_gg.diagonal()
    out = []
    for block in fe.blocks:
        if not isinstance(block, PointMassBlock):
            continue
        for i, eid in enumerate(block.eid):
            row = int(block.nodes[i, 0])
            grid = int(fe.grids.id[row])
            own = bool(np.any(stiff[fe.grids.dof[row] + np.arange(6)] != 0))
            kind, parents, components, weights = ("grid", [grid], "123456", None)
            if not own and grid in links:
                kind, parents, components, weights = links[grid]
            out.append(
                ChildBody(
                    name=f"CONM2_{eid}",
                    mass=float(block.point_mass[i] * fe.wtmass),
                    com=block.offset[i].copy(),
                    inertia=block.inertia[i] * fe.wtmass,
                    grid=grid,
                    position=fe.grids.xyz[row].copy(),
                    connection=kind,
                    parent_grids=np.array(parents, dtype=np.int64),
                    components=int(components),
                    weights=weights,
                    joint=JOINTS.get(components, f"components {components}"),
                )
            )
    return out


def _links(fe: FEModel) -> dict[int, tuple[str, list[int], str, np.ndarray | None]]:
    """Grid -> (element, carrying grids, held components, weights) for every grid that a rigid element holds."""
    out: dict[int, tuple[str, list[int], str, np.ndarray | None]] = {}
    by_kind = {
        kind: [link for link in fe.links if link.kind == kind] for kind in ("rbar", "rbe1", "rbe2", "rbe3")
    }
    for link in by_kind["rbar"]:
        other = int(link.others[0])
        out[link.grid] = ("rbar", [other], link.components, None)
        out[other] = ("rbar", [link.grid], link.components, None)
    for link in by_kind["rbe2"]:
        out.setdefault(link.grid, ("rbe2", link.others.tolist(), link.components, None))
        for grid in link.others.tolist():
            out.setdefault(grid, ("rbe2", [link.grid], link.components, None))
    for link in by_kind["rbe1"]:
        body = [link.grid, *link.others.tolist()]
        for grid in body:
            out.setdefault(grid, ("rbe1", [one for one in body if one != grid], link.components, None))
    for link in by_kind["rbe3"]:
        out.setdefault(link.grid, ("rbe3", link.others.tolist(), link.components, link.weights))
    return out
