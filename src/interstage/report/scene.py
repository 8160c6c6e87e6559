"""What the 3-D view shows: grids, elements on them, and mode shapes, as 16-bit numbers.

Places on bodies that bend, and where bodies are drawn that hang on a structure whose bending is drawn larger.

A place l of a body with shapes Γ, Λ is drawn at l + g Γη, turned by g Λη. What hangs there keeps its pose beside the
place, X' = X'_place X_place⁻¹ X, on and on along the tree.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from interstage.errors import InputError
from interstage.multibody import State, System
from interstage.multibody.sites import shape_of
from interstage.multibody.types import Node
from interstage.nastran.cards import of_family, topologies
from interstage.report.figures import pack, pack_index
from interstage.spatial import Rotation

FULL = 32767
REACH = 0.085  # largest motion at amplitude one, as a part of the size of the structure

_SURFACES, _SOLIDS = topologies("shell", "panel", "ring"), topologies("solid")
_CONNECTORS = of_family("connector")  # what joins parts and is not a part itself


@dataclass
class ElementPart:
    """Elements that are shown and hidden together: triangles (t, 3), edges and lines (k, 2), dots (k,).

    thin : its lines are drawn as edges are, without the colours of motion
    """

    name: str
    triangles: np.ndarray | None = None
    edges: np.ndarray | None = None
    lines: np.ndarray | None = None
    dots: np.ndarray | None = None
    shown: bool = True
    thin: bool = False


@dataclass
class SceneMode:
    """A mode: displacements (N, 3) of all points, its frequency in words, and a few words more.

    stress : (N,) at the points, for colours, or None
    """

    frequency: str
    displacement: np.ndarray
    note: str = ""
    number: str | None = None
    stress: np.ndarray | None = None


@dataclass
class Scene:
    """Points (N, 3), parts on them, and shapes; `stressed`: colours show stresses until the reader chooses."""

    points: np.ndarray
    parts: list[ElementPart] = field(default_factory=list)
    shapes: list[SceneMode] = field(default_factory=list)
    first: int = 0
    stressed: bool = False

    def figure(self) -> dict[str, Any]:
        """Return the numbers for the page."""
        points = np.asarray(self.points, dtype=float)
        if points.ndim != 2 or points.shape[1] != 3 or not len(points) or not self.shapes:
            raise InputError("a 3-D view needs points and at least one shape")
        low, high = points.min(axis=0), points.max(axis=0)
        center = 0.5 * (low + high)
        size = float(np.linalg.norm(high - low)) or 1.0
        # the structure is drawn two units long, whatever its own units are
        unit = 2.0 / size
        scale = 1.0 / FULL
        return {
            "kind": "scene",
            "points": pack(np.round((points - center) * unit / scale), "i2"),
            "scale": scale,
            "box": {
                "low": ((low - center) * unit).tolist(),
                "high": ((high - center) * unit).tolist(),
            },
            "reach": 2.0 * REACH,
            "first": self.first,
            "coloured": "stress" if self.stressed else "displacement",
            "parts": [packed_part(p) for p in self.parts],
            "modes": [self._mode(s, len(points)) for s in self.shapes],
        }

    @staticmethod
    def _mode(shape: SceneMode, n: int) -> dict[str, Any]:
        u = np.asarray(shape.displacement, dtype=float)
        if u.shape != (n, 3):
            raise InputError("a shape does not fit the points", expected=f"({n}, 3)", got=f"{u.shape}")
        largest = float(np.linalg.norm(u, axis=1).max()) or 1.0
        out = {
            "frequency": shape.frequency,
            "note": shape.note,
            "shape": pack(np.round(u / largest * FULL), "i2"),
        }
        if shape.stress is not None and shape.stress.max(initial=0.0) > 0.0:
            most = float(shape.stress.max())
            rows = np.round(255.0 * np.clip(shape.stress / most, 0.0, 1.0))
            out["stress"] = {"rows": pack(rows, "u1"), "largest": most}
        return out | ({"number": shape.number} if shape.number is not None else {})


def packed_part(part: ElementPart) -> dict[str, Any]:
    """Return a part in the form that the page's script reads."""
    out: dict[str, Any] = {"name": part.name, "shown": part.shown}
    out |= {"thin": True} if part.thin else {}
    for key in ("triangles", "edges", "lines", "dots"):
        value = getattr(part, key)
        if value is not None and len(value):
            out[key] = pack_index(value)
    return out


def triangles_and_edges(nodes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Split faces (m, 3 or 4) into triangles (t, 3) and their edges (k, 2), each edge once."""
    nodes = np.asarray(nodes, dtype=np.int64)
    k = nodes.shape[1]
    triangles = nodes if k == 3 else np.concatenate([nodes[:, [0, 1, 2]], nodes[:, [0, 2, 3]]])
    edges = np.concatenate([nodes[:, [i, (i + 1) % k]] for i in range(k)])
    return triangles, np.unique(np.sort(edges, axis=1), axis=0)


def part_of_elements(name: str, groups: Sequence[tuple[str, np.ndarray]], shown: bool = True) -> ElementPart:
    """Make a part of element groups (card name, rows of the point table (m, k))."""
    triangles, edges, lines = [], [], []
    for card, nodes in groups:
        nodes = np.asarray(nodes)
        if card in _SURFACES:
            t, e = triangles_and_edges(nodes[:, : _SURFACES[card].corners])
            triangles.append(t)
            edges.append(e)
        elif card in _SOLIDS:
            for face in _skin(nodes, _SOLIDS[card].faces):
                t, e = triangles_and_edges(face)
                triangles.append(t)
                edges.append(e)
        elif nodes.shape[1] >= 2:
            last = nodes.shape[1] if card == "CBEAM3" else 2  # a chain of grids
            for k in range(last - 1):
                ends = nodes[:, k : k + 2]
                lines.append(ends[(ends >= 0).all(axis=1) & (ends[:, 0] != ends[:, 1])])
    join = lambda parts: np.concatenate(parts) if parts else None  # noqa: E731
    return ElementPart(name, join(triangles), join(edges), join(lines), shown=shown)


def _skin(nodes: np.ndarray, faces_of: Sequence[tuple[int, ...]]) -> list[np.ndarray]:
    """Return the faces (m, 3) and (m, 4) of solids that no neighbour shares."""
    out = []
    for size in (3, 4):
        faces = [nodes[:, list(f)] for f in faces_of if len(f) == size]
        if not faces:
            continue
        every = np.concatenate(faces)
        _, index, count = np.unique(np.sort(every, axis=1), axis=0, return_index=True, return_counts=True)
        out.append(every[index[count == 1]])
    return out


def parts_of_model(fe: Any, rows: np.ndarray | None = None) -> list[ElementPart]:
    """Return the elements of a finite-element model by card name, on the rows of its grid table.

    rows : number of each grid in the point table (-1: not in it), where the table is not that of the model
    """
    out = []
    for block in fe.blocks:
        nodes = np.asarray(block.nodes)
        if nodes.shape[1] < 2:
            continue
        if rows is not None:
            nodes = np.where(nodes >= 0, rows[nodes], -1)
        whole = (nodes >= 0).all(axis=1)
        part = part_of_elements(block.name, [(block.name, nodes[whole])])
        if any(v is not None and len(v) for v in (part.triangles, part.lines)):
            part.thin = block.name in _CONNECTORS
            out.append(part)
    for name, pairs in _links(fe).items():
        pairs = pairs if rows is None else rows[pairs]
        pairs = pairs[(pairs >= 0).all(axis=1)]
        if len(pairs):
            out.append(ElementPart(name, lines=pairs, thin=True))
    return out


def _links(fe: Any) -> dict[str, np.ndarray]:
    """Return pairs (k, 2) of rows of grids that rigid elements and scalar springs join, by their cards."""
    found: dict[str, list[np.ndarray]] = {}
    ids = np.asarray(fe.grids.id)
    for link in fe.links:
        others = np.searchsorted(ids, np.asarray(link.others))
        one = np.full(len(others), np.searchsorted(ids, link.grid))
        found.setdefault(link.kind.upper(), []).append(np.column_stack([one, others]))
    first = np.asarray(fe.grids.dof)
    for springs in fe.springs:
        ends = np.column_stack([springs.a, springs.b])
        both = np.searchsorted(first, ends, "right") - 1
        # neither ground nor a scalar point
        grids = ((ends >= 0) & (ends < first[both] + 6)).all(axis=1) & (both[:, 0] != both[:, 1])
        found.setdefault(springs.name, []).append(both[grids])
    return {name: np.concatenate(pairs) for name, pairs in found.items()}


def rigid_displacement(at: np.ndarray, motion: np.ndarray, points: np.ndarray) -> np.ndarray:
    """Move points (N, 3) rigidly with a place at `at`: u + θ × (p - at), motion = [θ; u] (6,)."""
    return motion[3:] + np.cross(motion[:3], points - at)


Pose = tuple[np.ndarray, np.ndarray]


@dataclass(frozen=True)
class Spot:
    """A place (3,) in the axes of a body, and how modes move and turn it, (3, n) each; n is 0 where none does."""

    place: np.ndarray
    move: np.ndarray
    turn: np.ndarray

    def pose(self, eta: np.ndarray, gain: float = 1.0) -> Pose:
        """Return R (3, 3) and position (3,) in the frame of the body, with its bending times a gain."""
        if not self.move.shape[1]:
            return np.eye(3), self.place
        R = Rotation.from_rotation_vector(gain * (self.turn @ eta)).matrix
        return R, self.place + gain * (self.move @ eta)

    def kept(self, modes: np.ndarray) -> Spot:
        """Return the spot with some of the modes."""
        if not self.move.shape[1]:
            none = np.zeros((3, len(modes)))
            return Spot(self.place, none, none)
        return Spot(self.place, self.move[:, modes], self.turn[:, modes])


def spot_of(system: System, body: str, place: Node) -> Spot:
    """Return a node of a flexible body, a point of a rigid one, or the frame of a body."""
    l, turn, move = shape_of(system, body, place)
    return Spot(l - shape_of(system, body, None)[0], move, turn)


def hung_on(system: System, body: str) -> tuple[str, Spot] | None:
    """Return what carries a body, and where; None of one on the ground, or on a place that is no node."""
    spec = system.model.spec(body)
    if spec.parent is None:
        return None
    place = spec.at
    node = int(place) if isinstance(place, int | np.integer) else place
    try:
        return spec.parent, spot_of(system, spec.parent, node)
    except InputError:
        return None


def drawn_pose(pose: Pose, spot: Spot, eta: np.ndarray, parent: Pose, drawn: Pose, gain: float) -> Pose:
    """Return where a body is drawn: pose it has; spot it hangs on; parent's pose as it is, and as it is drawn."""
    R1, p1 = _after(parent, spot.pose(eta))
    R2, p2 = _after(drawn, spot.pose(eta, gain))
    return R2 @ R1.T @ pose[0], p2 + R2 @ (R1.T @ (pose[1] - p1))


def _after(frame: Pose, inside: Pose) -> Pose:
    return frame[0] @ inside[0], frame[1] + frame[0] @ inside[1]


def drawn_poses(system: System, x: State, gain: float) -> dict[str, Pose]:
    """Return R (3, 3) and position (3,) of every body with the bending of structures times a gain."""
    true: dict[str, Pose] = {}
    drawn: dict[str, Pose] = {}
    for body in system.bodies:
        pose = system.rotation(x, body), system.position(x, body)
        found = None if gain == 1.0 else hung_on(system, body)
        true[body] = drawn[body] = pose
        if found is not None:
            parent, spot = found
            drawn[body] = drawn_pose(pose, spot, x[parent].eta, true[parent], drawn[parent], gain)
    return drawn
