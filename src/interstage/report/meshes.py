"""Pictures of rigid bodies: meshes of STL and OBJ files, read with distrust, and boxes where there is no file."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from interstage.calls import named_arguments
from interstage.errors import FileError, InputError, shown
from interstage.output import as_path, found_at
from interstage.reading import read_bytes
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
class Picture:
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


def mesh_of(picture: Picture) -> Mesh:
    """Return the mesh of a picture, from its file where it names one."""
    return picture.mesh if isinstance(picture.mesh, Mesh) else read_mesh(picture.mesh)


def as_picture(value: object, body: str) -> Picture:
    """Return a picture of what was given for a body: a Picture, a Mesh or a file."""
    if isinstance(value, Picture):
        return value
    if isinstance(value, Mesh | str | os.PathLike):
        return Picture(value)
    raise InputError(
        "not a picture of a body",
        where=f"pictures, '{body}'",
        expected="a file, a Mesh or a Picture",
        got=shown(value),
    )
