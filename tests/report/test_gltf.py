"""glTF files, read back by their bytes: bodies, bending and motion are where the run has them; meshes of files."""

from __future__ import annotations

import json
import struct

import numpy as np
import pytest

import interstage as ist
from conftest import ROOT
from interstage.errors import FileError, InputError
from interstage.report.meshes import box_of

TYPES = {5126: "<f4", 5125: "<u4"}
WIDTH = {"SCALAR": 1, "VEC3": 3, "VEC4": 4}
DECK = ROOT / "examples" / "decks" / "SimpleBeam.dat"
Z_UP = np.array([[1.0, 0, 0], [0, 0, 1], [0, -1, 0]])  # of the world in the axes of glTF


class Read:
    """A .glb file by its bytes: JSON, and the numbers of accessors, whose bounds are checked."""

    def __init__(self, path):
        data = path.read_bytes()
        magic, version, length = struct.unpack_from("<4sII", data)
        assert (magic, version, length) == (b"glTF", 2, len(data))
        size, kind = struct.unpack_from("<I4s", data, 12)
        assert kind == b"JSON" and size % 4 == 0
        self.json = json.loads(data[20 : 20 + size])
        many, kind = struct.unpack_from("<I4s", data, 20 + size)
        assert kind == b"BIN\0" and many == self.json["buffers"][0]["byteLength"]
        self.data = data[28 + size :]
        for k, accessor in enumerate(self.json["accessors"]):
            values = self.numbers(k)
            if "min" in accessor:
                np.testing.assert_array_equal(values.min(axis=0), np.float32(accessor["min"]))
                np.testing.assert_array_equal(values.max(axis=0), np.float32(accessor["max"]))

    def numbers(self, k):
        a = self.json["accessors"][k]
        view = self.json["bufferViews"][a["bufferView"]]
        assert view["byteOffset"] % 4 == 0
        width = WIDTH[a["type"]]
        found = np.frombuffer(self.data, TYPES[a["componentType"]], a["count"] * width, view["byteOffset"])
        return found.reshape(-1, width)

    def node(self, name):
        return next(k for k, node in enumerate(self.json["nodes"]) if node["name"] == name)

    def channel(self, name, word):
        """Times and values of what moves."""
        run = self.json["animations"][0]
        target = {"node": self.node(name), "path": word}
        sampler = run["samplers"][next(c["sampler"] for c in run["channels"] if c["target"] == target)]
        return self.numbers(sampler["input"])[:, 0], self.numbers(sampler["output"])

    def mesh(self, name):
        return self.json["meshes"][self.json["nodes"][self.node(name)]["mesh"]]


def rotated(q, points):
    x, y, z, w = q
    return points @ ist.Rotation.from_quaternion([w, x, y, z]).matrix.T


@pytest.fixture(scope="module")
def run():
    beam = ist.Component.from_deck(DECK, n_modes=6, aset={1: 123456})
    mb = ist.Multibody("boom on a bus")
    mb.add_body("bus", mass=4000.0, inertia=[3000.0, 3500.0, 4000.0], joint=ist.Free())
    mb.add_body("boom", component=beam, node=1, parent="bus", at=[1, 0, 0], joint=ist.Revolute("z"))
    mb.add_body("tip", mass=10.0, parent="boom", at=10)
    system = mb.compile()
    x = system.state()
    x["bus"].v[:3] = [0.3, 0.2, 0.8]
    x["boom"].eta[0] = 5.0
    return ist.simulate(system, x, until=2.0, step=5e-3)


def test_every_grid_is_where_the_run_has_it(run, tmp_path):
    """Base and morph targets, turned and moved by the channels: positions of the engine, to seven digits."""
    found = Read(ist.export_gltf(run, tmp_path / "run.glb", frames=50, decks={"boom": DECK}))
    t, p = found.channel("boom", "translation")
    q, weights = found.channel("boom", "rotation")[1], found.channel("boom, structure", "weights")[1]
    assert 40 <= len(t) <= 52 and np.all(np.diff(t) > 0.0) and t[-1] == 2.0
    assert np.all(np.sum(q[1:] * q[:-1], axis=1) > 0.0)
    drawn = found.mesh("boom, structure")["primitives"][0]
    base = found.numbers(drawn["attributes"]["POSITION"])
    shapes = np.array([found.numbers(target["POSITION"]) for target in drawn["targets"]])
    weights = weights.reshape(len(t), -1)
    assert drawn["mode"] == 1 and weights.shape[1] == len(shapes) == 6
    for k in (0, 17, len(t) - 1):
        x = run.state(round(float(t[k]) / 5e-3))
        wanted = run.system.positions(x, "boom")
        seen = p[k] + rotated(q[k], base + np.tensordot(weights[k], shapes, 1))
        np.testing.assert_allclose(seen, wanted, atol=3e-6 * np.abs(wanted).max())
    root = found.json["nodes"][found.json["scenes"][0]["nodes"][0]]
    np.testing.assert_allclose(rotated(root["rotation"], np.eye(3)).T, Z_UP, atol=1e-12)
    assert "mesh" not in found.json["nodes"][found.node("tip")]  # a point mass has no box


def test_a_vehicle_stands_still_and_bodies_that_leave_are_gone(run, tmp_path):
    still = Read(ist.export_gltf(run.system, tmp_path / "still.glb", x=run.state(0)))
    assert "animations" not in still.json
    mesh = still.mesh("boom, structure")
    assert mesh["primitives"][0]["mode"] == 0 and mesh["weights"] == [5.0]

    mb = ist.Multibody("stack")
    mb.add_body("core", mass=100.0, inertia=[10.0, 50.0, 50.0], joint=ist.Free())
    mb.add_body("pod", mass=10.0, inertia=[1.0, 1.0, 1.0], parent="core", at=[2, 0, 0])
    system = mb.compile()
    x = system.state()
    x["core"].v[:] = [0, 0, 1.0, 7e3, 0, 0]
    log = ist.simulate(
        system,
        x,
        until=1.0,
        step=0.1,
        events=[ist.Event(at=0.5, action=[ist.Detach("pod"), ist.RemoveBody("pod")])],
    )
    found = Read(ist.export_gltf(log, tmp_path / "left.glb", follow="core"))
    t, scale = found.channel("pod", "scale")
    np.testing.assert_array_equal(scale[:, 0], (t < 0.5 - 1e-6).astype(float))
    assert np.abs(found.channel("core", "translation")[1]).max() == 0.0


def test_what_hangs_on_a_structure_goes_with_its_bending(run, tmp_path):
    """The tip mass sits at the node that carries it, however large bending is drawn; a body on a rigid one stays."""
    found = Read(
        ist.export_gltf(run, tmp_path / "large.glb", frames=20, decks={"boom": DECK}, exaggerate=30.0)
    )
    (t, p), (_, q) = found.channel("boom", "translation"), found.channel("boom", "rotation")
    weights = found.channel("boom, structure", "weights")[1].reshape(len(t), -1)
    drawn = found.mesh("boom, structure")["primitives"][0]
    base = found.numbers(drawn["attributes"]["POSITION"])
    shapes = np.array([found.numbers(target["POSITION"]) for target in drawn["targets"]])
    row = run.system.model.spec("boom").component.node_row(10)
    tip = found.channel("tip", "translation")[1]
    for k in (0, 9, len(t) - 1):
        node = p[k] + rotated(q[k], base[row] + np.tensordot(weights[k], shapes[:, row], 1))
        np.testing.assert_allclose(tip[k], node, atol=1e-5 * np.abs(base).max())  # single numbers
        x = run.state(round(float(t[k]) / 5e-3))
        np.testing.assert_allclose(p[k], run.system.position(x, "boom"), atol=1e-5)
    x = run.state(0)
    moved = np.linalg.norm(tip[0] - run.system.position(x, "tip"))
    bent = run.system.flexible("boom").gamma[row] @ x["boom"].eta
    assert moved == pytest.approx(29.0 * np.linalg.norm(bent), rel=1e-4)


CUBE = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]])
FACES = [(0, 2, 1), (0, 1, 3), (1, 2, 3), (0, 3, 2)]


def write_meshes(folder):
    """A tetrahedron in the three forms."""
    text = ["solid cube"]
    for face in FACES:
        corners = [f"vertex {' '.join(map(str, CUBE[k]))}" for k in face]
        text += ["facet normal 0 0 0", "outer loop", *corners, "endloop", "endfacet"]
    (folder / "text.stl").write_text("\n".join([*text, "endsolid"]))
    rows = [struct.pack("<12fH", 0, 0, 0, *CUBE[list(face)].ravel(), 0) for face in FACES]
    head = b"solid in name alone".ljust(80, b"\0") + struct.pack("<I", len(rows))
    (folder / "binary.stl").write_bytes(head + b"".join(rows))
    points = [f"v {x} {y} {z}" for x, y, z in CUBE]
    faces = ["f 1//1 3//1 2//1", "f -4 -3 -1", "f 2 3 4 2", "f 1/1 4/2 3/3"]
    (folder / "a.obj").write_text("\n".join(["# a tetrahedron", *points, *faces]))
    return [folder / name for name in ("text.stl", "binary.stl", "a.obj")]


def volume(mesh):
    a, b, c = (mesh.points[mesh.triangles[:, k]] for k in range(3))
    return float(np.sum(np.cross(a, b) * c) / 6.0)


def test_meshes_of_files_are_pictures(tmp_path):
    paths = write_meshes(tmp_path)
    for path in paths:
        mesh = ist.read_mesh(path)
        assert mesh.points.shape == (4, 3) and abs(volume(mesh) - 1.0 / 6.0) < 1e-7
    mb = ist.Multibody("one")
    mb.add_body("bus", mass=1.0, inertia=[1.0, 1.0, 1.0])
    picture = ist.Visual(
        paths[0], at=[1, 2, 3], rotation=ist.Rotation.from_axis_angle([0, 0, 1], 0.3), scale=0.1
    )
    found = Read(ist.export_gltf(mb.compile(), tmp_path / "one.glb", pictures={"bus": picture}))
    node = found.json["nodes"][found.node("bus, picture")]
    assert node["translation"] == [1, 2, 3] and node["scale"] == [0.1, 0.1, 0.1]
    np.testing.assert_allclose(node["rotation"], [0, 0, np.sin(0.15), np.cos(0.15)], atol=1e-15)
    assert len(found.numbers(found.mesh("bus, picture")["primitives"][0]["indices"])) == 12


def test_a_box_has_the_inertia_of_its_body():
    """Tetrahedra from the centre of mass to each triangle: volume and second moments, closed form."""
    rng = np.random.default_rng(1)
    S = rng.normal(size=(3, 3))
    J = S @ S.T
    J = np.trace(J) * np.eye(3) - J
    mesh = box_of(ist.RigidInertia(3.0, [0.3, -0.2, 0.5], J))
    a, b, c = (mesh.points[mesh.triangles[:, k]] - [0.3, -0.2, 0.5] for k in range(3))
    det = np.sum(np.cross(a, b) * c, axis=1)
    assert np.all(det > 0.0)
    total = a + b + c
    second = sum(np.einsum("t,ti,tj", det, v, v) for v in (a, b, c, total)) / 120.0
    second *= 3.0 / (det.sum() / 6.0)
    np.testing.assert_allclose(np.trace(second) * np.eye(3) - second, J, atol=1e-12 * np.abs(J).max())


BAD = {
    "a.obj": ("v 1 2 3\nf 1 2 9\n", "line 2"),
    "b.obj": ("v 1 2\n", "line 1"),
    "c.obj": ("v 1 2 3\n", "no triangle"),
}
BAD |= {
    "d.stl": ("solid\nvertex a b c\n", "no three numbers"),
    "e.stl": ("solid\nvertex 1 2 3\n", "inside a triangle"),
    "f.stl": ("rubbish", "no STL"),
    "g.stl": ("x" * 80 + "\uffff" * 10, "no STL"),
    "h.stl": ("solid\n" + "vertex nan 2 3\n" * 3, "no numbers"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_meshes_are_said(tmp_path, name):
    (tmp_path / name).write_text(BAD[name][0], encoding="utf-8")
    with pytest.raises(FileError, match=BAD[name][1]):
        ist.read_mesh(tmp_path / name)


def test_what_cannot_be_drawn_is_said(run, tmp_path):
    for words, call in {
        "binary": lambda: ist.export_gltf(run, tmp_path / "a.gltf"),
        "no body 'wing'": lambda: ist.export_gltf(run, tmp_path / "a.glb", pictures={"wing": "a.stl"}),
        "cannot be drawn": lambda: ist.export_gltf("run", tmp_path / "a.glb"),
        "not a picture": lambda: ist.export_gltf(run, tmp_path / "a.glb", pictures={"bus": 3}),
    }.items():
        with pytest.raises(InputError, match=words):
            call()
    assert not list(tmp_path.iterdir())
