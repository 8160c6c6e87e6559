"""`x.save(path)` and `ist.load(path)`: files are told apart by what they hold."""

from __future__ import annotations

import json
import pickle

import h5py
import numpy as np
import pytest
from typer.testing import CliRunner

import interstage as ist
from interstage.cli.main import app
from interstage.errors import FileError, InputError
from interstage.files import KINDS, file_kind


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """One object and one file of each kind."""
    folder = tmp_path_factory.mktemp("kinds")
    nodes = {k: (float(k), 0.0, 0.0) for k in (1, 2, 3)}
    K = np.diag(np.arange(1.0, 19.0))
    component = ist.Component.from_matrices(K, np.eye(18), nodes, n_modes=4, aset={1: 123456}, name="panel")
    linear = ist.LinearModel([[0, 1], [-4.0, -0.4]], [[0], [1]], [[1, 0]], [[0]], name="loop")
    mb = ist.Multibody("pendulum", gravity=[0, 0, -9.81])
    mb.add_body("arm", mass=2.0, com=[0, 0, -0.5], inertia=[0.1, 0.1, 0.01], joint=ist.Revolute("y"))
    system = mb.compile()
    log = ist.simulate(system, system.state([0.3]), 0.05, 0.01)
    bus = ist.MassBody("bus", mass=100.0, position=[0, 0, 1], inertia=[40, 40, 20])
    ist.MassBody("box", mass=5.0, inertia=[1, 1, 1]).attach_to(bus, offset=[0, 0, 2])
    models = ist.LinearModelSet([linear, linear.series(linear)], [2.0, 5.0], "run")
    objects = {"component": component, "multibody": mb, "linear": linear, "log": log, "mass tree": bus}
    objects["linear set"] = models
    for name, item in objects.items():
        item.save(folder / f"{name}.{'json' if name == 'mass tree' else 'h5'}")
    linear.save(folder / "linear.mat")
    linear.save(folder / "linear.npz")
    return folder, objects


FILES = {
    "component.h5": "component",
    "multibody.h5": "multibody",
    "linear.h5": "linear",
    "linear.mat": "linear",
    "linear.npz": "linear",
    "linear set.h5": "linear set",
    "log.h5": "log",
    "mass tree.json": "mass tree",
}


@pytest.mark.parametrize("name", FILES)
def test_one_door_reads_every_kind_whatever_its_name(made, tmp_path, name):
    folder, objects = made
    bare = tmp_path / "a file"
    bare.write_bytes((folder / name).read_bytes())
    for path in (folder / name, bare):
        assert file_kind(path).name == FILES[name]
        back, kind = ist.load(path), FILES[name]
        truth = objects[kind]
        if kind == "component":
            assert isinstance(back, ist.Component)
            np.testing.assert_array_equal(back.frequencies_hz, truth.frequencies_hz)
        elif kind == "multibody":
            assert isinstance(back, ist.Multibody) and str(back) == str(truth)
        elif kind == "linear":
            assert isinstance(back, ist.LinearModel) and back.name == "loop"
            np.testing.assert_array_equal(back.A, truth.A)
        elif kind == "linear set":
            assert (
                isinstance(back, ist.LinearModelSet) and back.over == "run" and back.values.tolist() == [2, 5]
            )
            np.testing.assert_array_equal(back[1].A, truth[1].A)
        elif kind == "log":
            np.testing.assert_array_equal(back.phases[0].q, truth.q)
            np.testing.assert_array_equal(back["arm"].v, truth["arm"].v)
        else:
            assert isinstance(back, ist.MassBody)
            np.testing.assert_array_equal(back.composite.inertia, truth.composite.inertia)


@pytest.mark.parametrize("name", FILES)
def test_every_class_refuses_files_of_the_other_kinds_by_their_name(made, name):
    folder, _ = made
    own = next(kind for kind in KINDS if kind.name == FILES[name])
    for kind in KINDS:
        if kind is own:
            kind.load(folder / name)
            continue
        with pytest.raises(FileError) as caught:
            kind.load(folder / name)
        text = str(caught.value)
        assert f"not a {kind.words}" in text and name in text and "\n" not in text
        if set(own.containers) & set(kind.containers) and name.endswith("h5"):
            assert f"this is a {own.words}" in text


DECK = "SOL 103\nCEND\nBEGIN BULK\nGRID,1,,0.,0.,0.\nENDDATA\n"
FOREIGN = {
    "a NASTRAN deck": DECK.encode(),
    "an empty file": b"",
    "a text file": b"time, angle\n0.0, 1.0\n",
    "a Python pickle": pickle.dumps({"A": 1}),
    "a PNG picture": b"\x89PNG\r\n\x1a\n" + bytes(20),
    "a zip archive of other": None,
    "a JSON file of another kind": b'{"mass": 3.0}',
    "an HDF5 file of another kind, with 'flux', 'x'": None,
    "a binary file": bytes(range(1, 9)) * 40,
    "a folder": None,
}


@pytest.mark.parametrize("words", FOREIGN)
def test_a_foreign_file_is_called_what_it_is(tmp_path, words):
    path = tmp_path / "thing"
    if words.startswith("an HDF5"):
        with h5py.File(path, "w") as f:
            f["x"], f["flux"] = 1.0, 2.0
    elif words.startswith("a zip"):
        with open(path, "wb") as f:
            np.savez(f, x=np.eye(2))
    elif words == "a folder":
        path.mkdir()
    else:
        path.write_bytes(FOREIGN[words])
    with pytest.raises(FileError) as caught:
        ist.load(path)
    text = str(caught.value)
    assert words in text and "thing" in text and "\n" not in text
    assert all(kind.words in text for kind in KINDS)
    for kind in KINDS:
        with pytest.raises(FileError, match="thing"):
            kind.load(path)
    done = CliRunner().invoke(app, ["info", str(path)])
    assert isinstance(done.exception, FileError)


@pytest.mark.parametrize("name", [n for n in FILES if n.endswith(("h5", "json"))])
def test_newer_and_unknown_versions_and_truncated_files_are_one_sentence(made, tmp_path, name):
    folder, _ = made
    path = tmp_path / name
    whole = (folder / name).read_bytes()
    for version, words in ((99, "99"), (-3, "")):
        path.write_bytes(whole)
        if name.endswith("json"):
            path.write_text(json.dumps(json.loads(whole) | {"version": version}))
        else:
            with h5py.File(path, "r+") as f:
                f["SCHEMA_VERSION"][...] = version
        if version < 0 and name == "component.h5":
            continue
        with pytest.raises(FileError, match="version") as caught:
            ist.load(path)
        assert words in str(caught.value) and name in str(caught.value) and "\n" not in str(caught.value)
    for part in (0.3, 0.9):
        path.write_bytes(whole[: int(part * len(whole))])
        with pytest.raises(FileError) as caught:
            ist.load(path)
        assert name in str(caught.value) and "\n" not in str(caught.value)
    path.unlink()
    with pytest.raises(FileError, match="no such file"):
        ist.load(path)


@pytest.mark.parametrize("name", FILES)
def test_info_shows_every_kind(made, name):
    folder, _ = made
    for options in ([], ["--json"]):
        done = CliRunner().invoke(app, ["info", str(folder / name), *options])
        assert done.exit_code == 0, done.output
        if options:
            assert json.loads(done.output)["kind"].split()[0] in FILES[name].split() + [
                "simulation",
                "linear",
            ]
    assert "box" in CliRunner().invoke(app, ["info", str(folder / "mass tree.json")]).output


def test_signals_of_a_log_have_its_length(made, tmp_path):
    log = made[1]["log"]
    with pytest.raises(ist.InterstageError, match="does not fit the log"):
        log.save(tmp_path / "x.h5", {"s": ([1.0], "m")})
    log.save(tmp_path / "x.h5", {"angle, deg": (np.rad2deg(log["arm"].q[:, 0]), "deg")})
    back = ist.load(tmp_path / "x.h5")
    np.testing.assert_array_equal(back["angle, deg"], np.rad2deg(log["arm"].q[:, 0]))
    with pytest.raises(ist.InterstageError, match=r"no port or state 'leg'.*arm"):
        back["leg"]


def test_a_name_that_no_file_can_have():
    with pytest.raises(FileError, match="the file cannot be read"):
        ist.load("x" * 5000)


@pytest.mark.parametrize("path", [None, 3, b"a.h5", ["a.h5"]])
@pytest.mark.parametrize(
    "door",
    [
        ist.load,
        ist.Component.load,
        ist.Multibody.load,
        ist.LinearModel.load,
        ist.Log.load,
        ist.MassBody.load,
        ist.resume,
    ],
)
def test_what_is_no_path_is_one_sentence(door, path):
    with pytest.raises(InputError, match="has no path; expected text or a Path, got"):
        door(path)


def test_nothing_is_written_to_what_is_no_path(made):
    for what in made[1].values():
        if hasattr(what, "save"):
            with pytest.raises(InputError, match="has no path"):
                what.save(None)


@pytest.mark.parametrize("command", ["info", "report", "view"])
@pytest.mark.parametrize("folder", [".", "/"])
def test_commands_for_files_say_that_a_folder_is_none(command, folder):
    """Also those that name their page after the file: these folders have no name."""
    result = CliRunner().invoke(app, [command, folder])
    assert isinstance(result.exception, FileError) and "this is a folder" in str(result.exception)
