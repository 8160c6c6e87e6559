"""The component file: round trip, layout, units, and files that lie."""

import re
from pathlib import Path

import h5py
import numpy as np
import pytest
import scipy.sparse as sp
from component_models import bent, lumped_block

from interstage.component import ChildBody, Component, MatrixSet
from interstage.component.component import LumpedInside
from interstage.component.file import DATASETS
from interstage.component.units import LENGTH, MASS
from interstage.errors import FileError, InputError, InterstageError, ModelError

DOC = Path(__file__).parents[2] / "docs" / "component_file.md"
GRID_GROUPS = r"^(GridPosition|ModalSolution/RotModeShape|ModalSolution/TransModeShape)/\d+$"


@pytest.fixture(scope="module")
def component():
    """A component with everything a file can hold."""
    K, M, nodes = bent(lumped=True)
    body = ChildBody("engine", 0.7, np.array([0.1, 0.2, 0.3]), np.diag([0.1, 0.2, 0.3]), 60, nodes[60],
    "rbe3",
                     np.array([50, 60]), 123456, np.array([0.5, 0.5]), "revolute y", nodes[60],
                     np.array([[0.0, 1.0, 0.0]]), 60, "")  # fmt: skip
    M[30:36, 30:36] += lumped_block(body.mass, body.com, body.inertia)
    to_ground = np.zeros_like(K)
    to_ground[1, 1] = 0.5
    c = Component.from_matrices(
        K, M, nodes, n_modes=5, aset={10: 123456}, rvdof={50: 13}, damping=0.01, B=1e-3 * K + to_ground, K4=0.02 * K,
        lumped=[body], rotary_integrals=True, reference=20, name="boom", spc=None, units="SI",
        geometric_stiffness=True, geometric=lambda u: u.max() * K,
        recover={"pull": (K[7], "force"), "turn": (K[9], "moment")},
    )  # fmt: skip
    uset = np.array([(node, k + 1) for node in nodes for k in range(6)])
    c.gset = MatrixSet(
        sp.csr_matrix(M), sp.csr_matrix(K), uset, sp.csr_matrix(1e-3 * K), sp.csr_matrix(0.02 * K)
    )
    c.fset = c.gset
    J = np.array([np.diag([0.1, 0.2, 0.3])])
    c.lumped_inside = LumpedInside(["wheel"], np.array([50]), np.array([0.2]), np.array([[1.0, 2.0, 3.0]]), J)
    c.coordinates = {7: (np.array([1.0, 2.0, 3.0]), np.eye(3)[[1, 2, 0]])}
    c.provenance |= {"deck": "boom.bdf", "deck_sha256": "0" * 64}
    return c


@pytest.fixture(scope="module")
def saved(component, tmp_path_factory):
    path = tmp_path_factory.mktemp("component") / "boom.h5"
    component.save(path, write_modal_matrix=True)
    return path


def same(a, b):
    if a is None or b is None:
        return a is b
    if sp.issparse(a):
        return abs(a - b).max() == 0
    if isinstance(a, (np.ndarray, float)):
        return np.array_equal(np.asarray(a), np.asarray(b))
    if isinstance(a, (list, tuple)):
        return len(a) == len(b) and all(same(x, y) for x, y in zip(a, b))
    if isinstance(a, dict):
        return set(a) == set(b) and all(same(a[k], b[k]) for k in a)
    if hasattr(a, "__dict__"):
        return all(same(value, getattr(b, key)) for key, value in a.__dict__.items())
    return a == b


@pytest.mark.parametrize("lazy", [False, True])
def test_round_trip_is_exact(component, saved, lazy):
    back = Component.load(saved, matrices=True, lazy=lazy)
    for key, value in component.__dict__.items():
        assert same(value, getattr(back, key)), key


def test_lazy_shapes_read_single_nodes(component, saved):
    back = Component.load(saved, lazy=True)
    assert not isinstance(back.gamma, np.ndarray)
    assert np.array_equal(back.gamma[3], component.gamma[3])
    assert np.array_equal(back.gamma[[1, 4]], component.gamma[[1, 4]])
    assert np.array_equal(back.gamma[2:5, 1, :3], component.gamma[2:5, 1, :3])
    assert np.array_equal(back.lam[-1, :, 0], component.lam[-1, :, 0])
    assert np.array_equal(back.gamma - np.ones(3)[:, None], component.gamma - 1)
    T = np.ones((component.n_modes, 2))
    assert np.array_equal(back.gamma @ T, component.gamma @ T)


@pytest.mark.parametrize(
    "key",
    [(..., 0), ([0, 1], slice(None), [2, 0]), np.array([[0, 1], [2, 3]]), None, ..., (slice(1, 3), None)],
)
def test_lazy_shapes_are_indexed_as_arrays_are(component, saved, key):
    found = Component.load(saved, lazy=True).gamma[key]
    assert np.array_equal(found, component.gamma[key])


def test_lazy_shapes_of_a_file_written_anew_are_refused(component, tmp_path):
    """Shapes of the new file do not belong to the masses and units of the old one."""
    path = tmp_path / "boom.h5"
    component.save(path)
    before, other = Component.load(path, lazy=True), Component.load(path, lazy=True, units="t-mm-s")
    in_mm = np.asarray(other.gamma)
    other.save(path)
    assert np.array_equal(other.gamma, in_mm)
    assert np.array_equal(Component.load(path).gamma, in_mm)
    with pytest.raises(FileError, match="written anew after it was loaded: load it again"):
        before.gamma[0]


def written_names(path):
    """Dataset names of a file in the form of the layout list."""
    names = set()

    def visit(name, item):
        if not isinstance(item, h5py.Dataset):
            return
        if re.match(GRID_GROUPS, name):
            name = name.rsplit("/", 1)[0] + "/<id>"
        elif name.startswith("Coordinate"):
            name = name.split("/")[0] + "/<cid>"
        elif name.startswith("PROVENANCE/"):
            name = "PROVENANCE/<name>"
        elif name.startswith("ChildBodies/"):
            name = "ChildBodies/<name>/" + name.split("/")[-1]
        elif name.startswith(("Gset/", "Fset/")):
            name = "/".join(name.split("/")[:2])
        names.add(name)

    with h5py.File(path) as f:
        f.visititems(visit)
    return names


def test_every_name_is_in_the_layout_and_documented(saved):
    """What is written is what the layout lists, and the documentation page defines each of them."""
    assert written_names(saved) == set(DATASETS)
    page = DOC.read_text(encoding="utf-8")
    missing = [name for name in DATASETS if f"`{name}`" not in page]
    assert not missing


def test_shapes_of_the_report(component, saved):
    """Shapes of NESC report C.3, double precision, readable without this package."""
    n = component.n_modes
    with h5py.File(saved) as f:
        shapes = {
            "P0": (n, 3, 3),
            "P1": (3, n),
            "P2": (n, 3, 3),
            "P3": (n, n, 3, 3),
            "P4": (3, n),
            "P5": (n, 3, n),
            "P6": (n, n),
        }
        for name, shape in shapes.items():
            assert f["ModalIntegral"][name].shape == shape
            assert f["ModalIntegral"][name].dtype == np.float64
        assert f["ModalSolution/TransModeShape/30"].shape == (3, n)
        assert f["ModalSolution/RotModeShape/30"].shape == (3, n)
        assert f["GridPosition/30"].shape == (3,)
        assert f["N_GRIDS"][()] == 7
        assert f["CraigBampton/USET"].shape == (6 + 7, 2)
        assert np.array_equal(f["ModalIntegral/P2"][()], component.J1 + component.J1.transpose(0, 2, 1))


def test_restricted_to_some_grids(component, tmp_path):
    component.save(tmp_path / "few.h5", uset=[30, 10])
    few = Component.load(tmp_path / "few.h5")
    assert list(few.node_ids) == [10, 30]
    assert np.array_equal(few.J2, component.J2)
    with pytest.raises(InputError, match="node 31"):
        component.save(tmp_path / "none.h5", uset=[31])


def test_units_on_load(component, saved):
    """A component in kg and m, read as slinch and inch, has the energies and frequencies it had."""
    there = Component.load(saved, units={"mass": "slinch", "length": "in"}, matrices=True)
    m, L = 1 / MASS["slinch"], 1 / LENGTH["in"]
    assert there.units == {"mass": "slinch", "length": "in", "time": "s"}
    assert there.mass == pytest.approx(component.mass * m, rel=1e-14)
    assert np.allclose(there.inertia, component.inertia * m * L**2, rtol=1e-13)
    assert np.allclose(there.frequencies_hz, component.frequencies_hz, rtol=1e-15)
    # unit modal mass in the new units: sum of m gamma^2 over all matrices
    shapes = np.concatenate([there.gamma, there.lam], axis=1).reshape(-1, there.n_modes)
    rest = there.gset.mass - sp.csr_matrix(np.kron(np.diag(np.eye(7)[5]), lumped_block(*_child(there))))
    assert np.allclose(shapes.T @ (rest @ shapes), np.eye(there.n_modes), atol=1e-9)
    cb = there.craig_bampton
    w2 = np.sort(np.linalg.eigvals(np.linalg.solve(cb.mass, cb.stiffness)).real)[6:]
    assert np.allclose(w2, (2 * np.pi * there.frequencies_hz) ** 2, rtol=1e-6)
    again = Component.load(saved, units={"mass": "slinch", "length": "in"}).with_changes()
    from interstage.component.units import converted

    home = converted(again, {"mass": "kg", "length": "m"})
    for key in ("gamma", "lam", "J1", "J2", "F1", "E", "F0", "pm_S2", "inertia"):
        assert np.allclose(getattr(home, key), getattr(component, key), rtol=1e-12, atol=1e-14), key
    for key, value in component.rotary.items():
        assert np.allclose(home.rotary[key], value, rtol=1e-12, atol=1e-14), key
    with pytest.raises(InputError, match="unit of mass"):
        Component.load(saved, units={"mass": "stone"})
    with pytest.raises(InputError, match="no quantity"):
        Component.load(saved, units={"temperature": "K"})


def _child(c):
    body = c.child_bodies[0]
    return body.mass, body.com, body.inertia


def test_rotary_integrals_scale_like_energy(component, saved):
    """T of the rotary form is the same energy in other units: the scaling of each array is right."""
    c, d = component, Component.load(saved, units={"mass": "g", "length": "mm", "time": "ms"})
    m, L, T = 1e3, 1e3, 1e3
    rng = np.random.default_rng(5)
    eta, rate, w, v = (
        rng.normal(size=c.n_modes),
        rng.normal(size=c.n_modes),
        rng.normal(size=3),
        rng.normal(size=3),
    )

    def energy(c, eta, rate, w, v):
        r = c.rotary
        G = c.G0 + np.einsum("rsl,l->rs", r["G1"] + r["G1"].transpose(1, 0, 2), eta)
        G = G + np.einsum("rslm,l,m->rs", r["G2"], eta, eta)
        F = c.F0 + np.einsum("ras,r->as", r["F1"], eta) + np.einsum("rlas,r,l->as", r["F2"], eta, eta)
        E = c.E + np.einsum("ras,r->as", r["E1"], eta)
        J = (
            c.inertia
            + 2 * np.einsum("rab,r->ab", r["J1"], eta)
            + np.einsum("rsab,r,s->ab", r["J2"], eta, eta)
        )
        mp = c.mass * c.com + c.E @ eta
        linear = 0.5 * c.mass * v @ v + v @ np.cross(w, mp) + v @ E @ rate
        return linear + 0.5 * w @ J @ w + w @ F @ rate + 0.5 * rate @ G @ rate

    scale = np.sqrt(m) * L
    there = energy(d, eta * scale, rate * scale / T, w / T, v * L / T)
    assert there == pytest.approx(energy(c, eta, rate, w, v) * m * L**2 / T**2, rel=1e-12)


def test_writing_is_whole_or_nothing(component, tmp_path, monkeypatch):
    """A failure half-way leaves the old file and no debris."""
    path = tmp_path / "boom.h5"
    component.save(path)
    before = path.read_bytes()

    def fail(*arguments):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", fail)
    with pytest.raises(FileError, match="the disk is full"):
        component.save(path)
    assert path.read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == ["boom.h5"]
    with pytest.raises(FileError, match="folder"):
        component.save(tmp_path / "nowhere" / "boom.h5")


def one_sentence(path):
    """Loading fails with one short sentence that names the file."""
    with pytest.raises(FileError) as caught:
        Component.load(path)
    text = str(caught.value)
    assert path.name in text
    assert "\n" not in text
    assert len(text) < 600
    return text


def test_truncated_anywhere(saved, tmp_path):
    """Cut at random offsets, at the header, and by the last byte: one sentence each time."""
    data = saved.read_bytes()
    cuts = {0, 1, 8, 100, 511, len(data) - 1} | set(
        np.random.default_rng(0).integers(0, len(data), 40).tolist()
    )
    path = tmp_path / "cut.h5"
    for cut in sorted(cuts):
        path.write_bytes(data[:cut])
        one_sentence(path)


def test_bytes_overwritten(saved, tmp_path):
    """Noise over the file either reads as numbers or fails with one sentence, never otherwise."""
    data = saved.read_bytes()
    rng = np.random.default_rng(1)
    path = tmp_path / "noise.h5"
    for _ in range(40):
        start = int(rng.integers(0, len(data) - 200))
        path.write_bytes(data[:start] + rng.bytes(200) + data[start + 200 :])
        try:
            Component.load(path)
        except InterstageError as error:
            assert "\n" not in str(error)


def changed(saved, tmp_path, change):
    path = tmp_path / "changed.h5"
    path.write_bytes(saved.read_bytes())
    with h5py.File(path, "r+") as f:
        f.attrs.pop("CONTENTS", None)  # as in files of 0.1.0: what is missing is not seen by that
        change(f)
    return path


def replace(name, value):
    def change(f):
        del f[name]
        f[name] = value

    return change


def huge(name, shape):
    def change(f):
        del f[name]
        f.create_dataset(name, shape=shape, chunks=tuple(min(s, 64) for s in shape), dtype="f8")

    return change


def external(f):
    del f["RigidBody/inertia"]
    f["RigidBody"].create_dataset("inertia", shape=(3, 3), dtype="f8", external=[("/etc/passwd", 0, 72)])


def put_in(name, place, value):
    """Change a part of a dataset."""

    def change(f):
        f[name][place] = value

    return change


def link(f):
    del f["RigidBody"]
    f["RigidBody"] = h5py.ExternalLink("other.h5", "/RigidBody")


@pytest.mark.parametrize(
    ("change", "word"),
    [
        (replace("SCHEMA_VERSION", 99), "update Interstage"),
        (replace("SCHEMA_VERSION", 0), "unknown schema version"),
        (replace("SCHEMA_VERSION", -1), "unknown schema version"),
        (replace("FORMAT", "other"), "another kind"),
        (replace("ModalSolution/FREQ", "text"), "FREQ"),
        (replace("ModalSolution", np.zeros(3)), "group belongs"),
        (replace("RigidBody/inertia", np.zeros((2, 2))), "inertia"),
        (replace("RigidBody/mass", np.nan), "finite"),
        (replace("ModalIntegral/P3", np.zeros((2, 2, 3, 3))), "P3"),
        (replace("ModalIntegral/P1", np.array([b"a"])), "P1"),
        (replace("ModalSolution/TransModeShape/30", np.zeros((3, 2))), "TransModeShape/30"),
        (lambda f: f["ModalSolution/TransModeShape"].__delitem__("40"), "missing"),
        (lambda f: f.__delitem__("RigidBody"), "RigidBody"),
        (replace("NODE_ID", np.array([3, 2, 1])), "ascending"),
        (replace("CraigBampton/USET", np.zeros((4, 2), dtype=int)), "MassMatrix"),
        (huge("NODE_ID", (10**12,)), "no|numbers"),
        (huge("ModalSolution/FREQ", (10**11,)), "no data"),
        (huge("ModalIntegral/P3", (10**5, 10**5, 3, 3)), "no data"),
        (huge("ChildBodies/engine/parent_grids", (10**11,)), "no"),
        (put_in("GeometricStiffness/LOAD", (-1,), [99, 1]), r"loads .* not usable.*got \[99, 1\]"),
        (put_in("GeometricStiffness/LOAD", (-1,), [0, 7]), "loads .* not usable"),
        (put_in("GeometricStiffness/LOAD", slice(None), [0, 1]), "a load twice"),
        (put_in("GeometricStiffness/K", (0, 0, 1), 1e9), "K is not symmetric"),
        (replace("ASET", np.array([[10, 7]])), "interface is not usable.*got 7"),
        (replace("CraigBampton/FREQ", np.ones(99)), "negative"),
        (replace("FORMAT", "x" * 10**5), r"another kind \('x{70,80} \.\.\.\)"),
        (external, "another file"),
        (link, "link"),
    ],
)
def test_hostile_files(saved, tmp_path, change, word):
    text = one_sentence(changed(saved, tmp_path, change))
    assert re.search(word, text)


def test_integrals_of_which_some_are_missing_are_not_used(saved, tmp_path):
    back = Component.load(changed(saved, tmp_path, lambda f: f["ModalIntegral"].__delitem__("P3")))
    assert not back.has_integrals
    assert any("some integrals of first and second order are missing" in note for note in back.notes)


def test_truncated_basis_in_a_file_is_refused(saved, tmp_path):
    """Modes dropped from a file after normalization: refused, with the reason."""

    def drop(f):
        n = f["ModalSolution/FREQ"].shape[0] - 1
        g = f["ModalSolution"]
        for name in ("FREQ", "DAMPING_RATIO", "RESIDUAL_VECTOR"):
            replace(f"ModalSolution/{name}", g[name][:n])(f)
        for name in ("ModalDampingMatrix", "ViscousDamping", "StructuralDamping"):
            replace(f"ModalSolution/{name}", g[name][:n, :n])(f)
        replace("ModalSolution/GroundDamping", g["GroundDamping"][:, : 6 + n])(f)
        for group in ("TransModeShape", "RotModeShape"):
            for node in list(g[group]):
                replace(f"ModalSolution/{group}/{node}", g[group][node][:, :n])(f)
        p = f["ModalIntegral"]
        for name in ("P1", "P4"):
            replace(f"ModalIntegral/{name}", p[name][:, :n])(f)
        replace("ModalIntegral/P6", p["P6"][:n, :n])(f)
        for name in ("P0", "P3", "P5"):
            del p[name]
        del f["GeometricStiffness"], f["Recovery"]

    text = one_sentence(changed(saved, tmp_path, drop))
    assert "truncated after normalization" in text

    def drop_and_count(f):
        drop(f)
        replace("ModalSolution/N_FLEX_MODES", len(f["ModalSolution/FREQ"]))(f)

    text = one_sentence(changed(saved, tmp_path, drop_and_count))
    assert "truncated after normalization" in text


def test_repr_is_short(component):
    assert repr(component).startswith("Component('boom': 7 nodes, 7 modes")
    assert str(component).splitlines() == [repr(component), *(f"- {note}" for note in component.notes)]
    assert len(repr(component)) < 150


def test_other_files(tmp_path):
    one_sentence(tmp_path / "absent.h5")
    (tmp_path / "text.h5").write_text("this is not HDF5")
    one_sentence(tmp_path / "text.h5")
    with h5py.File(tmp_path / "foreign.h5", "w") as f:
        f["x"] = 1
    assert "not a component file" in one_sentence(tmp_path / "foreign.h5")


def test_file_without_our_additions(component, saved, tmp_path):
    """A file with the names of the report alone can be used; what it lacks is said."""

    def strip(f):
        for name in list(f):
            named = ("BGPDT", "GRDPNT", "N_GRIDS", "FMODAL_VERSION", "NASTRAN_VERSION", "TIME_STAMP")
            if (name.isupper() and name not in named) or name in ("PointMass", "RotaryIntegral"):
                del f[name]

    def with_rigid(f):
        strip(f)
        replace("ModalSolution/FREQ", np.concatenate([np.zeros(6), component.frequencies_hz]))(f)

    listed = Component.load(changed(saved, tmp_path, with_rigid))
    assert np.array_equal(listed.frequencies_hz, component.frequencies_hz)
    back = Component.load(changed(saved, tmp_path, strip))
    assert np.array_equal(back.node_positions, component.node_positions)
    assert np.array_equal(back.J2, component.J2)
    assert any("point masses are not in the file" in note for note in back.notes)
    assert back.aset == component.aset
    assert any("taken from CraigBampton/USET" in note for note in back.notes)

    def scalar_points(f):
        strip(f)
        nb = component.craig_bampton.n_boundary
        f["CraigBampton/USET"][nb:] = [(1001 + k, 0) for k in range(len(component.craig_bampton.uset) - nb)]

    other = Component.load(changed(saved, tmp_path, scalar_points))
    assert other.aset == component.aset
    assert np.array_equal(other.craig_bampton.uset, component.craig_bampton.uset)

    def doubled(f):
        strip(f)
        f["CraigBampton/USET"][1] = f["CraigBampton/USET"][0]

    with pytest.raises(FileError, match="lists an interface coordinate twice"):
        Component.load(changed(saved, tmp_path, doubled))


@pytest.mark.parametrize(
    ("name", "change", "words"),
    [
        ("P5", lambda a: -a, "'ModalIntegral/P5' is off by .* 'ModalIntegral/P3'"),
        ("P3", lambda a: a.transpose(0, 1, 3, 2), "'ModalIntegral/P5' is off by .* 'ModalIntegral/P3'"),
        ("P2", lambda a: 2 * a, "'ModalIntegral/P2' is off by .* 'ModalIntegral/P0'"),
        ("P0", lambda a: -a, "'ModalIntegral/P2' is off by .* 'ModalIntegral/P0'"),
    ],
)
def test_integrals_that_contradict_each_other_are_refused(saved, tmp_path, name, change, words):
    """P5 is the axial vector of P3 less its transpose, P2 = P0 + P0ᵀ: a wrong sign or order of axes shows."""
    path = f"ModalIntegral/{name}"
    with pytest.raises(FileError, match=words):
        Component.load(changed(saved, tmp_path, lambda f: replace(path, change(f[path][()]))(f)))
    single = changed(saved, tmp_path, lambda f: replace(path, f[path][()].astype(np.float32))(f))
    Component.load(single)


@pytest.mark.parametrize(
    ("name", "change"), [("P0", lambda a: a.transpose(0, 2, 1)), ("P4", lambda a: -a), ("P0", None)]
)
def test_transposed_matrices_of_first_order_are_refused(tmp_path, name, change):
    """Modes of a body that is held, Σ m l×γ = P4 but for rotary inertia: of P0 that shows the order of its axes."""
    K, M, nodes = bent(lumped=True)
    K = sp.lil_matrix(K)
    for k in range(6):
        K[k, k] += 1e3 * abs(K).max()
    made = Component.from_matrices(K.tocsr(), M, nodes, n_modes=5, aset={})
    assert made.n_rigid == 0 and np.abs(made.F0).max() > 0.1 * np.abs(made.J1).max()
    made.save(tmp_path / "held.h5")
    path = f"ModalIntegral/{name}"
    if change is None:
        assert np.array_equal(Component.load(tmp_path / "held.h5").J1, made.J1)
        return
    with pytest.raises(FileError, match="sign of transposed matrices in 'ModalIntegral/P0'"):
        Component.load(
            changed(tmp_path / "held.h5", tmp_path, lambda f: replace(path, change(f[path][()]))(f))
        )


def test_damping_of_zero_is_written_and_read_as_none(tmp_path):
    """Readers of the report's names find every damping matrix; without damping it is zero, and the record has none."""
    K, M, nodes = bent(lumped=True)
    c = Component.from_matrices(K, M, nodes, n_modes=3, aset={10: 123456})
    uset = np.array([(node, k + 1) for node in nodes for k in range(6)])
    c.gset = c.fset = MatrixSet(sp.csr_matrix(M), sp.csr_matrix(K), uset)
    c.save(tmp_path / "still.h5")
    with h5py.File(tmp_path / "still.h5") as f:
        for kind in ("ViscousDamping", "StructuralDamping"):
            assert f[f"CraigBampton/{kind}"].shape == (9, 9) and not f[f"CraigBampton/{kind}"][()].any()
            for group in ("Gset", "Fset"):
                assert f[f"{group}/{kind}/value"].shape == (0,)
                assert f[f"{group}/{kind}/shape"][()].tolist() == list(K.shape)
        assert not f["ModalSolution/ModalDampingMatrix"][()].any()
    back = Component.load(tmp_path / "still.h5", matrices=True)
    assert back.craig_bampton.viscous is None and back.gset.structural is None
    assert np.array_equal(back.craig_bampton.mass, c.craig_bampton.mass)


def _negative_mass(f):
    f["RigidBody/mass"][()] = -1.0


def _negative_points(f):
    f["PointMass/mass"][()] = -1.0


def _unknown_boundary(f):
    del f["BOUNDARY"]
    f.pop("CraigBampton", None)
    f["BOUNDARY"] = np.bytes_("hinged")


def _negative_frequency(f):
    f["ModalSolution/FREQ"][0] = -2.0


def _lopsided(f):
    f["RigidBody/inertia"][0, 1] += 5.0


def _hollow(f):
    f["RigidBody/inertia"][...] = np.diag([1.0, 2.0, -3.0])


def _skewed(f):
    f["AXES"][0, 1] = 0.3


def _mirrored(f):
    f["AXES"][...] = np.diag([1.0, 1.0, -1.0])


def _scaled(f):
    f["ModalIntegral/P6"][...] = 2.0 * np.eye(len(f["ModalIntegral/P6"]))


def _coupled(f):
    f["ModalIntegral/P6"][0, 1] = 0.1


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (_negative_mass, "the mass is negative"),
        (_negative_points, "point masses is negative"),
        (_unknown_boundary, "boundary of the modes is not known"),
        (_negative_frequency, "a frequency is negative"),
        (_lopsided, "in rows 1 and 2"),
        (_hollow, "principal moment of inertia is negative"),
        (_skewed, "axes are no rotation"),
        (_mirrored, "axes are no rotation"),
        (_scaled, "modal mass P6 is not the unit matrix"),
        (_coupled, "modal mass P6 is not the unit matrix"),
    ],
)
def test_what_no_body_can_be_is_refused(saved, tmp_path, change, words):
    path = tmp_path / "odd.h5"
    path.write_bytes(saved.read_bytes())
    with h5py.File(path, "r+") as f:
        f.attrs.pop("CONTENTS", None)
        change(f)
    assert words in one_sentence(path)


def test_what_no_body_can_be_is_not_written(component, tmp_path):
    """What the reader refuses is refused before it is written, not when it is needed."""
    for changes in (
        {"mass": -1.0},
        {"axes": 2.0 * np.eye(3)},
        {"G0": 2.0 * np.eye(component.n_modes)},
        {"frequencies_hz": -component.frequencies_hz},
        {"mass": np.nan},
        {"J2": component.J2 * np.inf},
        {"gamma": np.full_like(component.gamma, np.nan)},
        {"rotary": {"G1": np.full((7, 7, 7), np.nan)}},
    ):
        with pytest.raises(ModelError):
            component.with_changes(**changes).save(tmp_path / "odd.h5")
    assert list(tmp_path.iterdir()) == []
