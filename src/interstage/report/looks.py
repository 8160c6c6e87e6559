"""What bodies look like in a replay: elements of a deck, boxes with the mass and inertia, or grids.

Grids along a line are drawn as a tube as wide as the roll inertia of the body says, r² = 2 J/m of a full cylinder;
others are joined to their nearest.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from interstage.fem import FEModel
from interstage.multibody import System
from interstage.multibody.flex.reference import FlexibleBody
from interstage.report.meshes import SIDES, box_of
from interstage.report.scene import Part, parts_of_model, triangles_and_edges

MOST_POINTS = 600
AROUND = 16  # points on a ring of a tube
SLENDER = (0.005, 0.2)  # radius of a tube as part of its length


@dataclass
class Look:
    """Points (N, 3) in the axes of a body, parts on them, shapes (N, 3, n) that move them, and the deck."""

    points: np.ndarray
    parts: list[Part]
    shapes: np.ndarray
    fe: FEModel | None = None


def look_of(system: System, name: str, models: Sequence[FEModel]) -> Look:
    """Return the look of a body; models : of decks, drawn for the flexible bodies that have their grids."""
    return _rigid(system, name) if system.flexible(name) is None else _flexible(system, name, models)


def _rigid(system: System, name: str) -> Look:
    """Return the box with the mass and inertia of a rigid body, and a line to it from the body's origin."""
    inertia = system.model.spec(name).inertia
    box = None if inertia is None else box_of(inertia)
    if inertia is None or box is None:
        return Look(np.zeros((1, 3)), [Part(name, dots=np.array([0]))], np.zeros((1, 3, 0)))
    points = np.vstack([box.points, np.zeros(3), inertia.com])
    edges = triangles_and_edges(np.array(SIDES))[1]
    parts = [Part(name, box.triangles, edges), Part(f"{name}, arm", lines=np.array([[8, 9]]), thin=True)]
    return Look(points, parts, np.zeros((len(points), 3, 0)))


def _model_of(system: System, name: str, models: Sequence[FEModel]) -> FEModel | None:
    """Return the model whose grids are those of a body's component."""
    component = system.model.spec(name).component
    nodes = [] if component is None else component.node_ids
    return next((fe for fe in models if np.isin(nodes, np.asarray(fe.grids.id)).all()), None)


def rows_of_grids(fe: FEModel, nodes: np.ndarray) -> np.ndarray:
    """Return for every grid of a model its row among nodes, -1 where it is not among them."""
    table = {int(node): k for k, node in enumerate(nodes)}
    return np.array([table.get(int(grid), -1) for grid in fe.grids.id])


def _flexible(system: System, name: str, models: Sequence[FEModel]) -> Look:
    """Return the elements of a deck, a tube, or grids joined to neighbours."""
    flex = system.flexible(name)
    assert flex is not None
    fe = _model_of(system, name, models)
    if fe is not None:
        parts = parts_of_model(fe, rows_of_grids(fe, flex.node_ids))
        if parts:
            return Look(flex.l, parts, flex.gamma, fe)
    tube = _tube(flex, name)
    if tube is not None:
        return tube
    rows = np.unique(np.linspace(0, len(flex.l) - 1, min(len(flex.l), MOST_POINTS)).round().astype(int))
    points = flex.l[rows]
    parts = [Part(name, lines=neighbours(points), dots=np.arange(len(points)))]
    return Look(points, parts, flex.gamma[rows])


def _tube(flex: FlexibleBody, name: str) -> Look | None:
    """Return rings around the nodes of a slender body, moved and turned by them; None of one that is not slender."""
    if len(flex.l) < 3 or flex.integrals.mass <= 0.0:
        return None
    center = flex.l.mean(axis=0)
    axes = np.linalg.svd(flex.l - center)[2]
    along = (flex.l - center) @ axes[0]
    side = np.linalg.norm(flex.l - center - np.outer(along, axes[0]), axis=1)
    own = flex.integrals.zero_order()
    J = own.about(own.com).inertia
    radius = np.sqrt(max(2.0 * float(axes[0] @ J @ axes[0]) / own.mass, 0.0))
    length = float(np.ptp(along))
    on_axis = np.flatnonzero(side < max(0.5 * radius, 1e-6 * length))
    stations = on_axis[np.unique(along[on_axis].round(9), return_index=True)[1]][:MOST_POINTS]
    if len(stations) < 3 or np.ptp(along[stations]) < 0.8 * length:
        return None
    if not SLENDER[0] * length < radius < SLENDER[1] * length:
        return None
    angle = 2.0 * np.pi * np.arange(AROUND) / AROUND
    ring = radius * (np.outer(np.cos(angle), axes[1]) + np.outer(np.sin(angle), axes[2]))
    points = flex.l[stations][:, None] + ring
    turning = np.cross(flex.lam[stations].transpose(0, 2, 1)[:, None], ring[None, :, None])
    shapes = flex.gamma[stations][:, None] + turning.transpose(0, 1, 3, 2)
    n = len(stations)
    first, after = np.arange(AROUND), (np.arange(AROUND) + 1) % AROUND
    level = AROUND * np.arange(n)[:, None]
    rings = np.stack([level + first, level + after], axis=2)
    quads = np.concatenate([rings[:-1], rings[1:, :, ::-1]], axis=2).reshape(-1, 4)
    parts = [Part(name, triangles_and_edges(quads)[0], rings.reshape(-1, 2))]
    return Look(points.reshape(-1, 3), parts, shapes.reshape(n * AROUND, 3, -1))


def neighbours(points: np.ndarray) -> np.ndarray:
    """Return the pairs (k, 2) of the tree of shortest lines that joins all points.

    >>> neighbours(np.array([[0.0, 0, 0], [3, 0, 0], [1, 0, 0]])).tolist()
    [[0, 2], [1, 2]]
    """
    n = len(points)
    near, parent = np.full(n, np.inf), np.zeros(n, dtype=np.int64)
    left, pairs, here = np.ones(n, dtype=bool), [], 0
    left[0] = False
    for _ in range(n - 1):
        far = np.linalg.norm(points - points[here], axis=1)
        closer = left & (far < near)
        near[closer], parent[closer] = far[closer], here
        here = int(np.argmin(np.where(left, near, np.inf)))
        left[here] = False
        pairs.append(sorted((int(parent[here]), here)))
    return np.array(sorted(pairs), dtype=np.int64).reshape(-1, 2)
