"""A flight in 3-D: where every body was, how it was turned and bent, as the page's script replays it.

A point l of a body with displacement shapes γ is drawn at p(t) + R(t) (l + g γ η(t)), with p and R of the body's frame
and a gain g on what bends. Flexible bodies are drawn as the elements of a deck that has their grids, or else as grids
joined to their nearest; rigid ones as the box that has their mass and inertia.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from interstage.errors import InputError, known_names
from interstage.fem import FEModel
from interstage.multibody import State, System
from interstage.multibody.types import Node
from interstage.report.figures import pack
from interstage.report.meshes import SIDES, box_of
from interstage.report.scene import FULL, Part, packed_part, parts_of_model, triangles_and_edges
from interstage.spatial import Rotation

MOST_TIMES, MOST_POINTS, MOST_NUMBERS = 500, 600, 500_000
BEND = 0.05  # of the size of the vehicle: what the largest displacement is drawn as


@dataclass(frozen=True)
class Stretch:
    """A part of a log with one system: t (m,), q (m, nq), v (m, nv)."""

    system: System
    t: np.ndarray
    q: np.ndarray
    v: np.ndarray

    def states(self) -> list[State]:
        """Return the states of all rows."""
        return [self.system.state(q, v) for q, v in zip(self.q, self.v)]


@dataclass(frozen=True)
class Arrow:
    """A vector (m, 3) at times t (m,) that is drawn at a place of a body, in the axes of that place or of the world."""

    name: str
    body: str
    node: Node
    t: np.ndarray
    values: np.ndarray
    frame: str = "node"


@dataclass
class Drawn:
    """A body: points (N, 3) in its axes, parts on them; poses (T, 7) and displacements (T, N, 3) at the times."""

    name: str
    points: np.ndarray
    parts: list[Part]
    poses: np.ndarray
    bends: np.ndarray | None = None


@dataclass
class Replay:
    """Times (T,), bodies and arrows [place; vector] (T, 6) of a flight."""

    t: np.ndarray
    bodies: list[Drawn]
    arrows: dict[str, np.ndarray] = field(default_factory=dict)

    def size(self) -> float:
        """Return the radius of what is drawn about the first body, at the first time."""
        points = self.world(0)
        first = points[0].mean(axis=0)
        return max(float(np.linalg.norm(np.concatenate(points) - first, axis=1).max()), 1e-6)

    def world(self, k: int, gain: float = 1.0) -> list[np.ndarray]:
        """Return the points (N, 3) of every body that is there at the k-th time, in the world."""
        out = []
        for body in self.bodies:
            if np.isfinite(body.poses[k]).all():
                bent = body.points if body.bends is None else body.points + gain * body.bends[k]
                out.append(body.poses[k, :3] + bent @ Rotation.from_quaternion(body.poses[k, 3:]).matrix.T)
        return out

    def figure(self) -> dict[str, Any]:
        """Return the numbers for the page."""
        size = self.size()
        most = max((float(np.abs(b.bends).max()) for b in self.bodies if b.bends is not None), default=0.0)
        gain = BEND * size / most if most > 0.0 else 0.0
        return {
            "kind": "replay",
            "t": pack(self.t, "f8"),
            "size": size,
            "gain": max(1.0, float(f"{gain:.2g}")) if most > 0.0 else 0.0,
            "bodies": [_body(body, most) for body in self.bodies],
            "arrows": [{"name": name, "rows": pack(rows, "f8")} for name, rows in self.arrows.items()],
        }


def _body(body: Drawn, most: float) -> dict[str, Any]:
    out: dict[str, Any] = {
        "name": body.name,
        "points": pack(body.points, "f4"),
        "poses": pack(body.poses, "f8"),
        "parts": [packed_part(part) for part in body.parts],
    }
    if body.bends is not None and most > 0.0:
        out |= {"largest": most, "bends": pack(np.round(np.nan_to_num(body.bends) / most * FULL), "i2")}
    return out


def replay_of(
    stretches: Sequence[Stretch], models: Sequence[FEModel] = (), arrows: Sequence[Arrow] = ()
) -> Replay:
    """Return the replay of a flight: times are thinned, bodies that leave are gone.

    models : of decks, drawn for the flexible bodies that have their grids
    """
    rows = sum(len(one.t) for one in stretches)
    if rows < 2 or not any(one.system.bodies for one in stretches):
        raise InputError("there is nothing to replay", expected="a vehicle at two times or more")
    grids = max((_points_of(one.system, models) for one in stretches), default=1)
    times = min(MOST_TIMES, max(2, MOST_NUMBERS // max(grids, 1)))
    thin = [_thinned(one, max(2, round(times * len(one.t) / rows))) for one in stretches if len(one.t)]
    t = np.concatenate([one.t for one in thin])
    names = dict.fromkeys(name for one in thin for name in one.system.bodies)
    states = [one.states() for one in thin]
    bodies = [_drawn(name, thin, states, models) for name in names]
    return Replay(t, bodies, {one.name: _arrow_rows(one, thin, states) for one in arrows})


def _thinned(one: Stretch, most: int) -> Stretch:
    """Return a stretch with no more rows than that, first and last kept."""
    keep = np.unique(np.linspace(0, len(one.t) - 1, min(most, len(one.t))).round().astype(int))
    return Stretch(one.system, one.t[keep], one.q[keep], one.v[keep])


def _drawn(
    name: str, thin: Sequence[Stretch], states: Sequence[Sequence[State]], models: Sequence[FEModel]
) -> Drawn:
    """Return one body over all stretches; where its modes change it is drawn as in the first that has it."""
    first = next(one.system for one in thin if name in one.system.bodies)
    flex = first.flexible(name)
    points, parts, rows = _rigid(first, name) if flex is None else _flexible(first, name, models)
    poses, bends = [], []
    for one, xs in zip(thin, states):
        here = name in one.system.bodies
        for x in xs:
            poses.append(_pose(one.system, x, name) if here else np.full(7, np.nan))
        if flex is None:
            continue
        now = one.system.flexible(name) if here else None
        if now is not None and len(now.l) == len(flex.l):
            eta = np.array([x[name].eta for x in xs])
            bends.append(np.einsum("nik,tk->tni", now.gamma[rows], eta))
        else:
            bends.append(np.zeros((len(xs), len(points), 3)))
    return Drawn(name, points, parts, np.array(poses), np.concatenate(bends) if bends else None)


def _pose(system: System, x: State, name: str) -> np.ndarray:
    """Return position and quaternion (7,) of a body's frame."""
    turned = Rotation(system.rotation(x, name)).quaternion
    return np.concatenate([system.position(x, name), turned])


def _rigid(system: System, name: str) -> tuple[np.ndarray, list[Part], np.ndarray]:
    """Return the box with the mass and inertia of a rigid body, and a line to it from the body's origin."""
    inertia = system.model.spec(name).inertia
    box = None if inertia is None else box_of(inertia)
    if box is None:
        return np.zeros((1, 3)), [Part(name, dots=np.array([0]))], np.array([0])
    points = np.vstack([box.points, np.zeros(3), inertia.com])
    edges = triangles_and_edges(np.array(SIDES))[1]
    parts = [Part(name, box.triangles, edges, lines=np.array([[8, 9]]))]
    return points, parts, np.arange(len(points))


def _points_of(system: System, models: Sequence[FEModel]) -> int:
    """Return how many points of flexible bodies are drawn."""
    found = 0
    for name in system.bodies:
        flex = system.flexible(name)
        if flex is not None:
            found += (
                len(flex.l) if _model_of(system, name, models) is not None else min(len(flex.l), MOST_POINTS)
            )
    return found


def _model_of(system: System, name: str, models: Sequence[FEModel]) -> FEModel | None:
    """Return the model whose grids are those of a body's component."""
    nodes = system.model.spec(name).component.node_ids
    return next((fe for fe in models if np.isin(nodes, np.asarray(fe.grids.id)).all()), None)


def _flexible(
    system: System, name: str, models: Sequence[FEModel]
) -> tuple[np.ndarray, list[Part], np.ndarray]:
    """Return points, parts and rows of the grids that are drawn: elements of a deck, or grids joined to neighbours."""
    flex = system.flexible(name)
    fe = _model_of(system, name, models)
    if fe is not None:
        nodes = system.model.spec(name).component.node_ids
        table = {int(node): k for k, node in enumerate(nodes)}
        rows_of = np.array([table.get(int(grid), -1) for grid in fe.grids.id])
        parts = parts_of_model(fe, rows_of)
        if parts:
            return flex.l, parts, np.arange(len(flex.l))
    rows = np.unique(np.linspace(0, len(flex.l) - 1, min(len(flex.l), MOST_POINTS)).round().astype(int))
    points = flex.l[rows]
    return points, [Part(name, lines=neighbours(points), dots=np.arange(len(points)))], rows


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


def _arrow_rows(arrow: Arrow, thin: Sequence[Stretch], states: Sequence[Sequence[State]]) -> np.ndarray:
    """Return place and vector (T, 6) of an arrow in the world, NaN where its body is not there."""
    values = np.asarray(arrow.values, dtype=float)
    if values.ndim != 2 or values.shape[1] != 3:
        raise InputError(
            f"'{arrow.name}' is no vector", expected="three numbers a time", got=f"{values.shape}"
        )
    out = []
    bodies = {name for one in thin for name in one.system.bodies}
    if arrow.body not in bodies:
        raise InputError(
            f"there is no body '{arrow.body}'", where=f"arrow {arrow.name}", hint=known_names(bodies)
        )
    for one, xs in zip(thin, states):
        rows = np.clip(np.searchsorted(arrow.t, one.t * (1.0 + 1e-12), "right") - 1, 0, len(values) - 1)
        for x, row in zip(xs, rows):
            line = np.full(6, np.nan)
            if arrow.body in one.system.bodies:
                R = np.eye(3) if arrow.frame == "world" else one.system.rotation(x, arrow.body, arrow.node)
                line[:3], line[3:] = one.system.position(x, arrow.body, arrow.node), R @ values[row]
            out.append(line)
    return np.array(out)


def arrows_of(wanted: Mapping[str, tuple[str, Node, str]], log: Any) -> list[Arrow]:
    """Return arrows of ports of a log of a flight: {port: (body, node, frame)}."""
    out = []
    for name, (body, node, frame) in wanted.items():
        one = log.series(name)
        out.append(Arrow(name, body, node, one.t, one.values, frame))
    return out
