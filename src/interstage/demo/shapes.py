"""Heron in 3-D: its grids and elements, engines and payload drawn as rigid bodies, and names for its modes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from interstage.demo import heron
from interstage.report.scene import ElementPart, part_of_elements, rigid_displacement, triangles_and_edges

SLICES = 24
PAYLOAD_PROFILE = ((-1.1, 0.55), (-1.0, 0.95), (0.9, 0.95), (1.15, 0.7), (1.2, 0.0))


@dataclass
class Decoration:
    """A rigid body that follows a grid: its points (P, 3) and their rows in the point table."""

    grid: int
    points: np.ndarray
    start: int


@dataclass
class Geometry:
    """Points of the view: the grids of the finite-element model first, then those of the decorations."""

    points: np.ndarray
    n_grids: int
    ids: np.ndarray
    decorations: list[Decoration]
    parts: list[ElementPart]

    def displacement(self, motion: np.ndarray) -> np.ndarray:
        """Return displacements (N, 3) of all points from motions (n_grids, 6) = [translation, rotation]."""
        u = np.empty_like(self.points)
        u[: self.n_grids] = motion[:, :3]
        for d in self.decorations:
            row = int(np.searchsorted(self.ids, d.grid))
            turn = np.concatenate([motion[row, 3:], motion[row, :3]])
            u[d.start : d.start + len(d.points)] = rigid_displacement(self.points[row], turn, d.points)
        return u


def revolved(profile: Sequence[tuple[float, float]], center: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Turn a profile of (x, radius) about the x axis through `center`: points (P, 3) and quads (m, 4)."""
    angles = 2.0 * np.pi * np.arange(SLICES) / SLICES
    rings = [
        np.column_stack([np.full(SLICES, x), r * np.cos(angles), r * np.sin(angles)]) for x, r in profile
    ]
    around = np.arange(SLICES)
    after = (around + 1) % SLICES
    quads = [
        np.column_stack([k * SLICES + around, k * SLICES + after, (k + 1) * SLICES + after, (k + 1) * SLICES + around])
        for k in range(len(profile) - 1)
    ]  # fmt: skip
    return center + np.concatenate(rings), np.concatenate(quads)


def heron_geometry(fe: Any) -> Geometry:
    """Return the points and parts of the view of Heron."""
    points, decorations, surfaces = [np.asarray(fe.grids.xyz)], [], {"engines": [], "payload": []}
    count = len(fe.grids)
    nozzle = [(-x, r) for x, r in heron.ENGINE_NOZZLE]
    bodies = [
        ("engines", grid, nozzle, heron.engine_position(k)) for k, grid in enumerate(heron.GIMBAL_GRIDS)
    ]
    bodies.append(
        ("payload", heron.PAYLOAD_GRID, list(PAYLOAD_PROFILE), np.array([heron.PAYLOAD_X[1], 0.0, 0.0]))
    )
    for name, grid, profile, center in bodies:
        new, quads = revolved(profile, center)
        decorations.append(Decoration(grid, new, count))
        surfaces[name].append(quads + count)
        points.append(new)
        count += len(new)
    parts = _element_parts(fe)
    for name, quads in surfaces.items():
        triangles, edges = triangles_and_edges(np.concatenate(quads))
        at = next((p for p in parts if p.name.startswith(name)), None)
        if at is None:
            parts.append(ElementPart(name, triangles, edges))
        else:
            at.triangles = np.concatenate([at.triangles, triangles])
            at.edges = np.concatenate([at.edges, edges])
    return Geometry(np.concatenate(points), len(fe.grids), np.asarray(fe.grids.id), decorations, parts)


def _element_parts(fe: Any) -> list[ElementPart]:
    """Sort elements into parts by their numbers; the propellant column is not drawn."""
    out = []
    for name, (first, last) in heron.PARTS.items():
        groups = []
        for block in fe.blocks:
            inside = (block.eid >= first) & (block.eid <= last)
            if inside.any() and block.nodes.shape[1] >= 2:
                groups.append((block.name, block.nodes[inside]))
        part = part_of_elements(name, groups)
        if name == "frames and stringers":
            part.shown = False  # they would hide the colours of the walls
        out.append(part)
    return out


def fe_motions(fe: Any, modes: Any) -> np.ndarray:
    """Return motions (n_grids, 6, k) [translation, rotation] of finite-element modes, basic axes."""
    k = modes.shapes.shape[1]
    rows = fe.grids.dof[:, None] + np.arange(6)
    local = modes.shapes[rows]
    R = np.asarray(fe.grids.R_basic_cd)
    turned = np.einsum("nij,najk->naik", R, local.reshape(len(R), 2, 3, k))
    return turned.reshape(len(R), 6, k)


def vehicle_motions(system: Any, shapes: np.ndarray, body: str) -> np.ndarray:
    """Return motions (N, 6, k) of a free flexible body's nodes in system shapes (nv, k), world axes.

    The body is undeformed with its axes along the world's: u = v + ω × l + γ η, θ = ω + λ η.
    """
    flex = system.flexible(body)
    where = system.layout[body]
    turn, move, eta = shapes[where.v][:3], shapes[where.v][3:6], shapes[where.etadot]
    out = np.empty((len(flex.l), 6, shapes.shape[1]))
    swing = np.cross(turn.T[None, :, :], flex.l[:, None, :]).transpose(0, 2, 1)
    out[:, :3] = move + swing + flex.gamma @ eta
    out[:, 3:] = turn + flex.lam @ eta
    return out


def mode_names(geometry: Geometry, motions: np.ndarray, M_diagonal: np.ndarray) -> list[str]:
    """Describe elastic modes (n_grids, 6, k) in words by the kind of their kinetic energy.

    Motion of a ring splits into that of the ring as a whole (bending, stretching, torsion) and what is left (the wall
    breathes); rings are found by their numbers, the mass of a grid is that of its translations (n_grids,).
    """
    x = geometry.points[: geometry.n_grids]
    ids = geometry.ids
    wall = (ids < heron.CENTER_LINE) & (ids > 100)
    ring = np.where(wall, ids // 100, -1)
    names, seen = [], {}
    for k in range(motions.shape[2]):
        u = motions[:, :3, k]
        kind = _kind(x, ring, u, M_diagonal)
        seen[kind] = seen.get(kind, 0) + 1
        names.append(f"{_ordinal(seen[kind])} {kind}" if not kind.startswith("local") else kind)
    return names


def _kind(x: np.ndarray, ring: np.ndarray, u: np.ndarray, mass: np.ndarray) -> str:
    energy = mass * np.einsum("ni,ni->n", u, u)
    rest = energy.sum()
    parts = dict.fromkeys(("axial", "pitch bending", "yaw bending", "torsion"), 0.0)
    inside = ring < 0
    parts["axial"] += float((mass * u[:, 0] ** 2)[inside].sum())
    parts["yaw bending"] += float((mass * u[:, 1] ** 2)[inside].sum())
    parts["pitch bending"] += float((mass * u[:, 2] ** 2)[inside].sum())
    for k in np.unique(ring[ring > 0]):
        at = ring == k
        m, v, p = mass[at], u[at], x[at]
        mean = np.average(v, axis=0, weights=m)
        parts["axial"] += m.sum() * mean[0] ** 2
        parts["yaw bending"] += m.sum() * mean[1] ** 2
        parts["pitch bending"] += m.sum() * mean[2] ** 2
        moment = float((m * (p[:, 1] * v[:, 2] - p[:, 2] * v[:, 1])).sum())
        parts["torsion"] += moment**2 / float((m * (p[:, 1] ** 2 + p[:, 2] ** 2)).sum())
    name, most = max(parts.items(), key=lambda item: item[1])
    return name if most > 0.4 * rest else "local motion of the walls"


def _ordinal(n: int) -> str:
    words = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
    return words[n - 1] if n <= len(words) else f"{n}th"
