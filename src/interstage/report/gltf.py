"""Write a vehicle or a run as glTF, which browsers, Blender, game engines and slides show: bodies, and how they move.

A binary file (.glb): a node for each body, meshes on them, mode shapes as morph targets whose weights are the modal
coordinates, the run as an animation. Source: glTF 2.0, The Khronos Group.
"""

from __future__ import annotations

import json
import os
import struct
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from interstage import __version__
from interstage.calls import named_arguments
from interstage.errors import InputError, known_names
from interstage.multibody import State, System
from interstage.output import as_path, checked_target, write_bytes
from interstage.report.meshes import Mesh, Visual, as_picture, box_of, mesh_of
from interstage.report.scene import ElementPart, Pose, drawn_poses
from interstage.report.sources import component_parts
from interstage.simulation import Log
from interstage.spatial import Rotation
from interstage.spatial import functions as spatial

FLOAT, WHOLE = 5126, 5125
VERTICES, INDICES = 34962, 34963
POINTS, LINES, TRIANGLES = 0, 1, 4
MOST_SHAPES = 32  # morph targets of a body: the modes that move most
COLORS = ((0.12, 0.47, 0.71), (1.0, 0.5, 0.05), (0.17, 0.63, 0.17), (0.84, 0.15, 0.16), (0.58, 0.4, 0.74),
          (0.55, 0.34, 0.29), (0.89, 0.47, 0.76), (0.5, 0.5, 0.5))  # fmt: skip
UP = (-(0.5**0.5), 0.0, 0.0, 0.5**0.5)  # z of the world is y of glTF


@dataclass
class _Row:
    """A state of the run that is shown."""

    t: float
    system: System
    x: State


@dataclass
class _File:
    """The parts of a file while it is written: JSON, and numbers one behind the other."""

    json: dict[str, list] = field(default_factory=dict)
    data: bytearray = field(default_factory=bytearray)

    def add(self, kind: str, **entry: object) -> int:
        """Add an entry to a list of the file and return its number."""
        self.json.setdefault(kind, []).append({k: v for k, v in entry.items() if v is not None})
        return len(self.json[kind]) - 1

    def numbers(self, values: np.ndarray, shape: str, target: int | None = None) -> int:
        """Add numbers, rows of a shape as "VEC3", and return the number of their accessor."""
        whole = values.dtype.kind in "iu"
        values = np.ascontiguousarray(values, "<u4" if whole else "<f4")
        view = self.add(
            "bufferViews", buffer=0, byteOffset=len(self.data), byteLength=values.nbytes, target=target
        )
        self.data += values.tobytes()
        rows = values.reshape(len(values), -1)
        return self.add(
            "accessors",
            bufferView=view,
            componentType=WHOLE if whole else FLOAT,
            count=len(values),
            type=shape,
            min=rows.min(axis=0).tolist() if shape != "VEC4" else None,
            max=rows.max(axis=0).tolist() if shape != "VEC4" else None,
        )

    def packed(self) -> bytes:
        """Return the bytes of the .glb file."""
        head = {"asset": {"version": "2.0", "generator": f"Interstage {__version__}"}, "scene": 0}
        whole = {**head, **self.json, "buffers": [{"byteLength": len(self.data)}]}
        text = json.dumps(whole, separators=(",", ":"), allow_nan=False).encode()
        text += b" " * (-len(text) % 4)
        chunks = struct.pack("<I4s", len(text), b"JSON") + text
        chunks += struct.pack("<I4s", len(self.data), b"BIN\0") + bytes(self.data)
        return struct.pack("<4sII", b"glTF", 2, 12 + len(chunks)) + chunks


@named_arguments
def export_gltf(
    what: System | Log,
    path: str | os.PathLike[str],
    *,
    x: State | None = None,
    pictures: Mapping[str, Visual | Mesh | str | os.PathLike[str]] | None = None,
    decks: Mapping[str, str | os.PathLike[str]] | None = None,
    frames: int = 400,
    follow: str | None = None,
    exaggerate: float = 1.0,
) -> Path:
    """Write a vehicle at a state, or a run as an animation, as a glTF file (.glb).

    Rigid bodies without a picture are boxes of the same mass and inertia; flexible ones are the grids of their
    component, or the elements of their deck, and bend.

    Parameters
    ----------
    what : a compiled vehicle, or the log of a run with its vehicle
    x : state of a vehicle (default: nominal)
    pictures : {body: STL or OBJ file, or a Visual that says where it sits}
    decks : {flexible body: NASTRAN deck whose elements are drawn}
    frames : states of a log that are kept at the most
    follow : body that stays in its place, for flights far from the origin: glTF has seven digits
    exaggerate : factor of deformations; what hangs on a structure goes with the place where it hangs
    """
    target = checked_target(as_path(path, "glTF file"), "glTF file")[0]
    if target.suffix.lower() != ".glb":
        raise InputError(
            "the glTF file is binary", where="path", expected=f"'{target.stem}.glb'", got=target.name
        )
    rows = _rows(what, x, frames)
    bodies = list(dict.fromkeys(body for row in rows for body in row.system.bodies))
    for name, given in (("pictures", pictures), ("decks", decks), ("follow", follow and {follow: None})):
        for body in given or {}:
            if body not in bodies:
                raise InputError(f"there is no body '{body}'", where=name, hint=known_names(bodies))
    file = _File()
    run = _Animation(file, rows)
    poses = [drawn_poses(row.system, row.x, exaggerate) for row in rows]
    origin = _places(poses, follow)[0] if follow else np.zeros((len(rows), 3))
    nodes = []
    for k, body in enumerate(bodies):
        look, weights = _look(file, rows, body, k, (pictures or {}).get(body), (decks or {}).get(body))
        nodes.append(_body(file, run, body, poses, origin, look))
        if weights is not None:
            weights *= exaggerate
            file.json["meshes"][file.json["nodes"][look[0]]["mesh"]]["weights"] = weights[0].tolist()
            run.move(look[0], "weights", weights.reshape(-1), "SCALAR")
    root = file.add("nodes", name=rows[0].system.model.name, rotation=list(UP), children=nodes)
    file.add("scenes", nodes=[root])
    if run.channels:
        file.add("animations", name="run", channels=run.channels, samplers=run.samplers)
    write_bytes(target, file.packed(), "glTF file")
    return Path(path)


class _Animation:
    """What moves over the times of rows; nothing where there is one row."""

    def __init__(self, file: _File, rows: list[_Row]):
        self.file, self.rows = file, rows
        self.channels: list[dict] = []
        self.samplers: list[dict] = []
        times = np.array([row.t for row in rows])
        self.times = file.numbers(times, "SCALAR") if len(rows) > 1 else None

    def move(self, node: int, word: str, values: np.ndarray, shape: str, way: str = "LINEAR") -> None:
        """Let a word of a node ("translation", ...) have a value at each row."""
        if self.times is not None:
            output = self.file.numbers(values, shape)
            self.samplers.append({"input": self.times, "output": output, "interpolation": way})
            self.channels.append({"sampler": len(self.samplers) - 1, "target": {"node": node, "path": word}})


def _body(
    file: _File,
    run: _Animation,
    body: str,
    poses: list[dict[str, Pose]],
    origin: np.ndarray,
    look: list[int],
) -> int:
    """Add the node of a body and its motion."""
    p, R, there = _places(poses, body)
    p, q = p - origin, _quaternions(R)
    node = file.add(
        "nodes",
        name=body,
        translation=p[0].astype(np.float32).tolist(),
        rotation=q[0].astype(np.float32).tolist(),
        children=look or None,
    )
    run.move(node, "translation", p, "VEC3")
    run.move(node, "rotation", q, "VEC4")
    if not there.all():
        run.move(node, "scale", np.repeat(there[:, None].astype(float), 3, axis=1), "VEC3", "STEP")
    return node


def _rows(what: System | Log, x: State | None, frames: int) -> list[_Row]:
    """Return the states that are shown, times rising."""
    if isinstance(what, System):
        return [_Row(0.0, what, what.state() if x is None else x)]
    if not isinstance(what, Log) or x is not None:
        raise InputError(
            "this cannot be drawn",
            where="export_gltf",
            expected="a System, or a Log without x",
            got=type(what).__name__,
        )
    total = sum(len(phase.t) for phase in what.phases)
    step = max(1, -(-total // max(2, int(frames))))
    rows: list[_Row] = []
    for phase in what.phases:
        kept = sorted({*range(0, len(phase.t), step), len(phase.t) - 1} - {-1})
        for k in kept:
            t = float(np.float32(phase.t[k]))
            if rows and t <= rows[-1].t:  # a phase begins where the one before ended
                rows.pop()
            rows.append(_Row(t, phase.system, phase.bare(k)))
    if not rows or not rows[0].system.bodies:
        raise InputError("there is no vehicle to draw", where="export_gltf")
    return rows


def _places(poses: list[dict[str, Pose]], body: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return positions (m, 3) and R (m, 3, 3) of a body, and whether it is there; where not, as it was next to that."""
    there = np.array([body in row for row in poses])
    p, R = np.zeros((len(poses), 3)), np.tile(np.eye(3), (len(poses), 1, 1))
    known = np.flatnonzero(there)
    for k in known:
        R[k], p[k] = poses[k][body]
    nearest = known[np.argmin(np.abs(known[None, :] - np.arange(len(poses))[:, None]), axis=1)]
    return p[nearest], R[nearest], there


def _quaternions(R: np.ndarray) -> np.ndarray:
    """Return quaternions (m, 4), scalar last, that do not jump from sign to sign."""
    q = np.array([spatial.quaternion_from_matrix(one) for one in R])
    for k in range(1, len(q)):
        if q[k] @ q[k - 1] < 0.0:
            q[k] = -q[k]
    return np.roll(q, -1, axis=1)


def _look(
    file: _File,
    rows: list[_Row],
    body: str,
    number: int,
    given: object,
    deck: str | os.PathLike[str] | None,
) -> tuple[list[int], np.ndarray | None]:
    """Add what a body looks like; returns nodes for it, and weights (m, n) of the shapes of the first."""
    system = next(row.system for row in rows if body in row.system.layout)
    flex, spec = system.flexible(body), system.model.spec(body)
    color = COLORS[number % len(COLORS)]
    if given is not None:
        picture = as_picture(given, body)
        mesh = mesh_of(picture)
        q = np.roll(Rotation.of(picture.rotation, where=f"pictures, '{body}'").quaternion, -1)
        scale = float(picture.scale)
        node = file.add(
            "nodes",
            name=f"{body}, picture",
            mesh=_rigid(file, body, mesh, picture.color or color),
            translation=np.asarray(picture.at, dtype=float).tolist(),
            rotation=q.tolist(),
            scale=[scale, scale, scale],
        )
        return [node], None
    if flex is None:
        box = None if spec.inertia is None else box_of(spec.inertia)
        if box is None:
            return [], None
        return [file.add("nodes", name=f"{body}, box", mesh=_rigid(file, body, box, color))], None
    if deck is None:
        parts, kept = [ElementPart("grids", dots=np.arange(len(flex.l)))], np.arange(len(flex.l))
    else:
        parts, kept, _ = component_parts(spec.component, deck)
    eta = np.array(
        [row.x[body].eta if _same(row, body, flex.n_modes) else np.zeros(flex.n_modes) for row in rows]
    )
    reach = np.abs(eta).max(axis=0) * np.linalg.norm(flex.gamma, axis=1).max(axis=0, initial=0.0)
    modes = np.sort(np.argsort(-reach, kind="stable")[:MOST_SHAPES])
    modes = modes[reach[modes] > 0.0]
    shapes = [flex.gamma[kept][:, :, m] for m in modes]
    mesh_number = _bending(file, body, flex.l[kept], parts, shapes, color)
    node = file.add("nodes", name=f"{body}, structure", mesh=mesh_number)
    return [node], (eta[:, modes] if len(modes) else None)


def _same(row: _Row, body: str, n_modes: int) -> bool:
    return body in row.system.layout and len(row.x[body].eta) == n_modes


def _material(file: _File, color: tuple[float, float, float]) -> int:
    look = {"baseColorFactor": [*color, 1.0], "metallicFactor": 0.1, "roughnessFactor": 0.7}
    return file.add("materials", pbrMetallicRoughness=look, doubleSided=True)


def _rigid(file: _File, body: str, mesh: Mesh, color: tuple[float, float, float]) -> int:
    return _bending(file, body, mesh.points, [ElementPart(body, triangles=mesh.triangles)], [], color)


def _bending(
    file: _File,
    body: str,
    points: np.ndarray,
    parts: list[ElementPart],
    shapes: list[np.ndarray],
    color: tuple[float, float, float],
) -> int:
    """Add a mesh: points (N, 3), what is drawn on them, and shapes (N, 3) that move them."""
    base = file.numbers(points, "VEC3", VERTICES)
    targets = [{"POSITION": file.numbers(shape, "VEC3", VERTICES)} for shape in shapes]
    material = _material(file, color)
    drawn = []
    for part in parts:
        for kind, rows in ((TRIANGLES, part.triangles), (LINES, part.lines), (POINTS, part.dots)):
            if rows is not None and len(rows):
                index = file.numbers(np.asarray(rows, dtype=np.int64).reshape(-1), "SCALAR", INDICES)
                entry = {
                    "attributes": {"POSITION": base},
                    "indices": index,
                    "mode": kind,
                    "material": material,
                }
                drawn.append({**entry, **({"targets": targets} if targets else {})})
    return file.add("meshes", name=body, primitives=drawn)
