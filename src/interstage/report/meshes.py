"""Pictures of rigid bodies: meshes of STL and OBJ files, read with distrust, and boxes where there is no file.

What bodies look like in a replay: elements of a deck, boxes with the mass and inertia, or grids.

Grids along a line are drawn as a tube as wide as the roll inertia of the body says, r² = 2 J/m of a full cylinder;
others are joined to their nearest.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from interstage._renamed import former_names
from interstage.calls import named_arguments
from interstage.errors import FileError, InputError, shown
from interstage.fem import FEModel
from interstage.multibody import System
from interstage.multibody.flexible_body import FlexibleBodyData
from interstage.output import as_path, found_at
from interstage.reading import read_bytes
from interstage.report.scene import ElementPart, parts_of_model, triangles_and_edges
from interstage.spatial import RigidInertia, RotationLike

MOST_BYTES = 256 << 20
_VERTEX = re.compile(rb"^\s*vertex\s+(\S+)\s+(\S+)\s+(\S+)\s*$", re.MULTILINE)
_STL = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("extra", "<u2")])
BOX = ((-1, -1, -1), (1, -1, -1), (1, 1, -1), (-1, 1, -1), (-1, -1, 1), (1, -1, 1), (1, 1, 1), (-1, 1, 1))
SIDES = ((0, 3, 2, 1), (4, 5, 6, 7), (0, 1, 5, 4), (1, 2, 6, 5), (2, 3, 7, 6), (3, 0, 4, 7))


@named_arguments
@dataclass(frozen=True)
class Mesh:
    """Points (N, 3) and triangles (t, 3) on them, anticlockwise from outside."""

    points: np.ndarray
    triangles: np.ndarray


@named_arguments
@dataclass(frozen=True)
class Visual:
    """What a rigid body looks like.

    mesh : file (.stl or .obj), or a Mesh;  at (3,), rotation : of the mesh in the frame of the body
    scale : of the numbers in the file, 0.001 for millimetres;  color : red, green, blue, 0 to 1
    """

    mesh: Mesh | str | os.PathLike[str]
    at: ArrayLike = (0.0, 0.0, 0.0)
    rotation: RotationLike | None = None
    scale: float = 1.0
    color: tuple[float, float, float] | None = None


@named_arguments
def read_mesh(path: str | os.PathLike[str]) -> Mesh:
    """Read a mesh from an STL (text or binary) or OBJ file; a fault is one sentence with its line."""
    path = as_path(path, "mesh")
    if (found := found_at(path)) is not None and found.st_size > MOST_BYTES:
        raise FileError(
            "the mesh is larger than is believed", where=str(path), expected=f"up to {MOST_BYTES >> 20} MB"
        )
    data = read_bytes(path, "mesh")
    mesh = _obj(data, path) if path.suffix.lower() == ".obj" else _stl(data, path)
    if not len(mesh.triangles):
        raise FileError("the mesh has no triangle", where=str(path), expected="an STL or OBJ file")
    if not np.isfinite(mesh.points).all():
        raise FileError("the mesh has points that are no numbers", where=str(path))
    return mesh


def _stl(data: bytes, path: Path) -> Mesh:
    # a binary file may begin with "solid" too: its length tells
    count = int.from_bytes(data[80:84], "little")
    if len(data) >= 84 and len(data) == 84 + _STL.itemsize * count:
        with np.errstate(invalid="ignore"):  # what is no number is refused in the end
            corners = np.frombuffer(data, _STL, count, 84)["corners"].reshape(-1, 3).astype(float)
    elif data.lstrip().startswith(b"solid"):
        words = [word for row in _VERTEX.findall(data) for word in row]
        try:
            corners = np.array([float(word) for word in words]).reshape(-1, 3)
        except ValueError:
            raise FileError("a vertex of the mesh is no three numbers", where=str(path)) from None
        if len(corners) % 3:
            raise FileError("the mesh ends inside a triangle", where=str(path))
    else:
        raise FileError(
            "this is no STL file", where=str(path), got=f"{len(data)} bytes for {count} triangles"
        )
    points, rows = np.unique(corners, axis=0, return_inverse=True)
    return Mesh(points, np.reshape(rows, (-1, 3)))


def _obj(data: bytes, path: Path) -> Mesh:
    points: list[list[float]] = []
    triangles: list[tuple[int, int, int]] = []
    for number, line in enumerate(data.decode("utf-8", "replace").splitlines(), 1):
        words = line.split()
        try:
            if words[:1] == ["v"]:
                points.append([float(word) for word in words[1:4]])
                if len(points[-1]) != 3:
                    raise ValueError
            elif words[:1] == ["f"]:
                face = [_corner(word, len(points)) for word in words[1:]]
                triangles += [(face[0], face[k], face[k + 1]) for k in range(1, len(face) - 1)]
        except (ValueError, IndexError):
            raise FileError(
                "a line of the mesh cannot be read", where=f"{path}, line {number}", got=shown(line, 60)
            ) from None
    return Mesh(
        np.array(points, dtype=float).reshape(-1, 3), np.array(triangles, dtype=np.int64).reshape(-1, 3)
    )


def _corner(word: str, count: int) -> int:
    """Return the row of a corner as in "7", "7/1/3" or "-1", which counts from the last point."""
    k = int(word.split("/")[0])
    row = k - 1 if k > 0 else count + k
    if k == 0 or not 0 <= row < count:
        raise IndexError
    return row


def box_of(inertia: RigidInertia) -> Mesh | None:
    """Return the box of even density with the mass properties of a body, None where it has none.

    Sides of lengths (a, b, c) along principal axes: a² = 6 (J_b + J_c - J_a) / m.
    """
    if inertia.mass <= 0.0 or not np.any(inertia.inertia):
        return None
    J, axes = np.linalg.eigh(inertia.inertia)
    half = 0.5 * np.sqrt(np.maximum(6.0 * (J.sum() - 2.0 * J) / inertia.mass, 0.0))
    half = np.maximum(half, 0.01 * half.max())
    axes = axes * np.sign(np.linalg.det(axes))
    points = inertia.com + (np.array(BOX) * half) @ axes.T
    sides = np.array(SIDES)
    return Mesh(points, np.concatenate([sides[:, [0, 1, 2]], sides[:, [0, 2, 3]]]))


def mesh_of(picture: Visual) -> Mesh:
    """Return the mesh of a picture, from its file where it names one."""
    return picture.mesh if isinstance(picture.mesh, Mesh) else read_mesh(picture.mesh)


def as_picture(value: object, body: str) -> Visual:
    """Return a picture of what was given for a body: a Visual, a Mesh or a file."""
    if isinstance(value, Visual):
        return value
    if isinstance(value, Mesh | str | os.PathLike):
        return Visual(value)
    raise InputError(
        "not a picture of a body",
        where=f"pictures, '{body}'",
        expected="a file, a Mesh or a Visual",
        got=shown(value),
    )


MOST_POINTS = 600
AROUND = 16  # points on a ring of a tube
SLENDER = (0.005, 0.2)  # radius of a tube as part of its length


@dataclass
class BodyMesh:
    """Points (N, 3) in the axes of a body, parts on them, shapes (N, 3, n) that move them, and the deck."""

    points: np.ndarray
    parts: list[ElementPart]
    shapes: np.ndarray
    fe: FEModel | None = None


def look_of(system: System, name: str, models: Sequence[FEModel]) -> BodyMesh:
    """Return the look of a body; models : of decks, drawn for the flexible bodies that have their grids."""
    return _rigid(system, name) if system.flexible(name) is None else _flexible(system, name, models)


def _rigid(system: System, name: str) -> BodyMesh:
    """Return the box with the mass and inertia of a rigid body, and a line to it from the body's origin."""
    inertia = system.model.spec(name).inertia
    box = None if inertia is None else box_of(inertia)
    if inertia is None or box is None:
        return BodyMesh(np.zeros((1, 3)), [ElementPart(name, dots=np.array([0]))], np.zeros((1, 3, 0)))
    points = np.vstack([box.points, np.zeros(3), inertia.com])
    edges = triangles_and_edges(np.array(SIDES))[1]
    parts = [
        ElementPart(name, box.triangles, edges),
        ElementPart(f"{name}, arm", lines=np.array([[8, 9]]), thin=True),
    ]
    return BodyMesh(points, parts, np.zeros((len(points), 3, 0)))


def _model_of(system: System, name: str, models: Sequence[FEModel]) -> FEModel | None:
    """Return the model whose grids are those of a body's component."""
    component = system.model.spec(name).component
    nodes = [] if component is None else component.node_ids
    return next((fe for fe in models if np.isin(nodes, np.asarray(fe.grids.id)).all()), None)


def rows_of_grids(fe: FEModel, nodes: np.ndarray) -> np.ndarray:
    """Return for every grid of a model its row among nodes, -1 where it is not among them."""
    table = {int(node): k for k, node in enumerate(nodes)}
    return np.array([table.get(int(grid), -1) for grid in fe.grids.id])


def _flexible(system: System, name: str, models: Sequence[FEModel]) -> BodyMesh:
    """Return the elements of a deck, a tube, or grids joined to neighbours."""
    flex = system.flexible(name)
    assert flex is not None
    fe = _model_of(system, name, models)
    if fe is not None:
        parts = parts_of_model(fe, rows_of_grids(fe, flex.node_ids))
        if parts:
            return BodyMesh(flex.l, parts, flex.gamma, fe)
    tube = _tube(flex, name)
    if tube is not None:
        return tube
    rows = np.unique(np.linspace(0, len(flex.l) - 1, min(len(flex.l), MOST_POINTS)).round().astype(int))
    points = flex.l[rows]
    parts = [ElementPart(name, lines=neighbours(points), dots=np.arange(len(points)))]
    return BodyMesh(points, parts, flex.gamma[rows])


def _tube(flex: FlexibleBodyData, name: str) -> BodyMesh | None:
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
    parts = [ElementPart(name, triangles_and_edges(quads)[0], rings.reshape(-1, 2))]
    return BodyMesh(points.reshape(-1, 3), parts, shapes.reshape(n * AROUND, 3, -1))


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


__getattr__ = former_names(__name__)
