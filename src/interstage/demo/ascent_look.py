"""What the two stages look like in a replay: walls as shells of revolution around the nodes of their sticks."""

from __future__ import annotations

import numpy as np

from interstage.demo import ascent_vehicle as av
from interstage.demo import heron
from interstage.demo.shapes import SLICES, revolved
from interstage.multibody import System
from interstage.report.looks import Look
from interstage.report.replay import Looks
from interstage.report.scene import Part, triangles_and_edges

CUT = av.UPPER[av.RING]  # m, where the stages part
RINGS = 1.0  # m between rings of points at most
SMALL = 1.2  # of the nozzle of the upper stage, beside those of the first


def profile(first: bool) -> list[tuple[float, float]]:
    """Return stations and radii of the wall of a stage, from the bottom up."""
    found: list[tuple[float, float]] = []
    for section in (*heron.CORE, *heron.FAIRING):
        if (section.x1 <= CUT) is first:
            count = max(1, int(np.ceil((section.x1 - section.x0) / RINGS)))
            x = np.linspace(section.x0, section.x1, count + 1)
            radius = section.r0 + (section.r1 - section.r0) * (x - section.x0) / (section.x1 - section.x0)
            found += zip(x.tolist(), radius.tolist())
    return found if first else [*found, (heron.NOSE_TIP, 0.0)]


def walls(first: bool) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return points (P, 3) of a stage in the axes of the vehicle, triangles, and edges where its sections meet."""
    stations = profile(first)
    points, quads = revolved(stations, np.zeros(3))
    ends = {x for part in (*heron.CORE, *heron.FAIRING) for x in (part.x0, part.x1)}
    around = np.arange(SLICES)
    edges = [
        np.column_stack([k * SLICES + around, k * SLICES + (around + 1) % SLICES])
        for k, (x, _) in enumerate(stations)
        if x in ends
    ]
    return points, triangles_and_edges(quads)[0], np.concatenate(edges)


def spent() -> Look:
    """Return the first stage once it has left; it does not bend."""
    points, triangles, edges = walls(True)
    return Look(points, [Part("first stage", triangles, edges)], np.zeros((len(points), 3, 0)))


def bent(system: System) -> Look:
    """Return the stages that a vehicle still has; points go with the place of the axis that they are around."""
    flex = system.flexible(av.NAME)
    assert flex is not None
    whole = 1 in flex.node_ids
    points, parts = np.zeros((0, 3)), []
    for name, first in [("first stage", True)] * whole + [("upper stage", False)]:
        more, triangles, edges = walls(first)
        parts.append(Part(name, triangles + len(points), edges + len(points)))
        points = np.concatenate([points, more])
    axis = (av.FIRST | {node: x for node, x in av.UPPER.items() if x > CUT}) if whole else av.UPPER
    rows, x = np.searchsorted(flex.node_ids, list(axis)), np.array(list(axis.values()))
    k = np.clip(np.searchsorted(x, points[:, 0], "right") - 1, 0, len(x) - 2)
    part = np.clip((points[:, 0] - x[k]) / (x[k + 1] - x[k]), 0.0, 1.0)[:, None, None]
    gamma, lam = (
        (1.0 - part) * shape[rows[k]] + part * shape[rows[k + 1]] for shape in (flex.gamma, flex.lam)
    )
    beside = points * [0.0, 1.0, 1.0]
    shapes = gamma + np.cross(lam, beside[:, :, None], axis=1)
    return Look(points + flex.l[rows[0]] - [x[0], 0.0, 0.0], parts, shapes)


def stage_looks() -> Looks:
    """Return what the bodies of an ascent look like: stages, the spent one, and nozzles."""
    found: Looks = {av.NAME: bent, "first": spent()}
    for k in range(1, 6):
        scale = SMALL if k == 5 else 1.0
        points, quads = revolved([(-scale * x, scale * r) for x, r in heron.ENGINE_NOZZLE], np.zeros(3))
        part = Part(f"engine {k}", *triangles_and_edges(quads))
        found[f"engine{k}"] = Look(points, [part], np.zeros((len(points), 3, 0)))
    return found
