"""CONM2 cards as child bodies: what each weighs, where it is, and what holds it to the structure."""

from __future__ import annotations

import numpy as np

from interstage.component.record import ChildBody
from interstage.errors import InputError
from interstage.fem.elements.point_mass import PointMassBlock
from interstage.fem.model import FEModel
from interstage.nastran import Deck, expand_ids

JOINTS = {
    "123456": "locked",
    "123": "ball",
    "12356": "revolute x",
    "12346": "revolute y",
    "12345": "revolute z",
}


def child_bodies(fe: FEModel, deck: Deck) -> list[ChildBody]:
    """Describe every CONM2 of a deck, in basic axes; mass in consistent units (WTMASS applied).

    A CONM2 on a grid that elements hold is connected to that grid. Where the grid has no stiffness of its
    own, the rigid element that it belongs to is the connection: RBAR, RBE2 or RBE3.
    """
    links = _links(deck)
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


def _links(deck: Deck) -> dict[int, tuple[str, list[int], str, np.ndarray | None]]:
    """Grid -> (element, carrying grids, held components, weights) for every grid of a rigid element."""
    out: dict[int, tuple] = {}
    for row in deck.cards("RBAR").rows():
        row = list(row) + [None] * 7
        a, b, cma, cmb = row[1], row[2], row[5], row[6]
        held = str(cmb or cma or 123456)
        out[a], out[b] = ("rbar", [b], held, None), ("rbar", [a], held, None)
    for row in deck.cards("RBE2").rows():
        members = [int(i) for i in expand_ids(_integers(row[3:]), InputError)]
        components = "".join(sorted(str(row[2])))
        out.setdefault(row[1], ("rbe2", members, components, None))
        for grid in members:
            out.setdefault(grid, ("rbe2", [row[1]], components, None))
    for row in deck.cards("RBE3").rows():
        values = [v for v in row[4:] if v is not None]
        stop = min(
            (k for k, v in enumerate(values) if isinstance(v, str) and v != "THRU"), default=len(values)
        )
        starts = [k for k, v in enumerate(values[:stop]) if isinstance(v, float)]
        grids, weights = [], []
        for first, last in zip(starts, [*starts[1:], stop]):
            members = [int(i) for i in expand_ids(values[first + 2 : last], InputError)]
            grids += members
            weights += [values[first]] * len(members)
        out.setdefault(row[2], ("rbe3", grids, "".join(sorted(str(row[3]))), np.array(weights, dtype=float)))
    return out


def _integers(values: list) -> list:
    """Ids and THRU of a list, without the thermal expansion coefficient that may end it."""
    return [v for v in values if v is not None and not isinstance(v, float)]
