"""Files of linear models: round trips to the last bit, the layout of the report, foreign and damaged files."""

from __future__ import annotations

import json
import shutil
import subprocess

import h5py
import numpy as np
import pytest
from multibody_models import beam
from scipy.io import loadmat
from typer.testing import CliRunner

import interstage as ist
from interstage.linear.files import WRITERS

MAPS = ("state_index", "input_index", "output_index", "grid_positions", "mass_properties", "operating_point")


@pytest.fixture(scope="module")
def lin():
    mb = ist.Multibody("observatory")
    mb.add_body("bus", component=beam(4, n_modes=5, aset=None), node=1, joint=ist.Free(), damping=0.0025)
    for k, axis in enumerate("xy", start=1):
        mb.add_body(f"rw{k}", mass=1.0, inertia=[0.2] * 3, parent="bus", at=2 + k, joint=ist.Revolute(axis))
    system = mb.compile()
    inputs = []
    for k in (1, 2):
        inputs += [
            ist.NodeForce("bus", 2 + k, name=f"rw{k}_dist_force"),
            ist.NodeTorque("bus", 2 + k, name=f"rw{k}_dist_torque"),
        ]
        inputs.append(ist.JointForce(f"rw{k}", name=f"rw{k}_motor_torque"))
    inputs.append(ist.NodeForce("bus", 5, [0.6, 0.8, 0.0], name="thruster_force"))
    outputs = [ist.JointRate("rw1", name="rw1_rate"), ist.NodeRate("bus", 2, name="imu_angRates")]
    model = ist.linearize(system, system.state(), inputs, outputs, reference=("bus", 1))
    model.extras = {"thruster_unit_vectors": {"1": np.array([0.6, 0.8, 0.0])}, "remark": "notional"}
    return model


@pytest.mark.parametrize("ending", sorted(set(WRITERS) - {".m"}))
def test_round_trip_is_exact(lin, tmp_path, ending):
    path = tmp_path / f"model{ending}"
    lin.save(path)
    back = ist.LinearModel.load(path)
    for letter in "ABCD":
        assert np.array_equal(getattr(back, letter), getattr(lin, letter))
    for name in ("states", "inputs", "outputs", "state_units", "input_units", "output_units", "name"):
        assert getattr(back, name) == getattr(lin, name), name
    for name in MAPS:
        ours, theirs = getattr(lin, name), getattr(back, name)
        assert sorted(ours) == sorted(theirs), name
        assert all(np.array_equal(ours[k], theirs[k]) for k in ours), name
    assert back.extras["remark"] == "notional"
    assert np.array_equal(back.extras["thruster_unit_vectors"]["1"], [0.6, 0.8, 0.0])
    assert back.method["method"] == "complex-step" and back.method["step"] == lin.method["step"]
    assert ist.LinearModel.load(path).states == lin.states


def test_layout_is_that_of_the_report(lin, tmp_path):
    """NESC App. G.4, name by name."""
    lin.save(tmp_path / "m.h5")
    with h5py.File(tmp_path / "m.h5") as f:
        n = lin.n_states
        assert (
            f["A"].shape == (n, n)
            and f["B"].shape == (n, 15)
            and f["C"].shape == (4, n)
            and f["D"].shape == (4, 15)
        )
        assert f["A"].dtype == np.float64
        assert f["input_index/rw1_dist_force"][()].tolist() == [0, 1, 2]
        assert f["input_index/rw1_motor_torque"][()].tolist() == [6]
        assert f["input_index/thruster_force"][()].tolist() == [14]
        assert f["output_index/imu_angRates"][()].tolist() == [1, 2, 3]
        for name in (
            "bus_modal_pos",
            "bus_modal_vel",
            "bus_rotational_pos",
            "bus_trans_vel",
            "rw1_angle",
            "rw2_rate",
        ):
            assert name in f["state_index"]
        names = [t.decode() for t in f["state_names"][()]]
        assert [names[k] for k in f["state_index/bus_trans_pos"][()]] == ["bus.x", "bus.y", "bus.z"]
        assert f["grid_positions/4"][()] == pytest.approx([0.75, 0, 0])
        assert sorted(f["rigid_body_mass_properties"]) == ["cmoffset", "inertia", "mass"]
        assert f["rigid_body_mass_properties/mass"][()] == pytest.approx(lin.mass_properties["mass"])
        assert f["thruster_unit_vectors/1"][()].tolist() == [0.6, 0.8, 0.0]


def test_matlab_counts_from_one(lin, tmp_path):
    lin.save_mat(tmp_path / "m.mat")
    raw = loadmat(tmp_path / "m.mat", squeeze_me=True, struct_as_record=False)
    assert raw["input_index"].rw1_dist_force.tolist() == [1, 2, 3]
    assert raw["state_names"][0] == "bus.rx" and raw["NAME"] == "observatory"
    assert raw["grid_positions"].n4 == pytest.approx([0.75, 0, 0])


def test_foreign_file_without_names(tmp_path):
    """Only the four matrices and index maps, with the dots that the report prints."""
    with h5py.File(tmp_path / "f.h5", "w") as f:
        f["A"], f["B"], f["C"], f["D"] = np.eye(2), np.ones((2, 3)), np.ones((1, 2)), np.zeros((1, 3))
        f["input_index/.force"], f["input_index/.torque"] = [0, 1], 2
    lin = ist.LinearModel.load(tmp_path / "f.h5")
    assert lin.inputs == ["force.1", "force.2", "torque"] and lin.outputs == ["o1"]


def test_damaged_and_wrong_files_are_told(lin, tmp_path):
    (tmp_path / "bad.h5").write_bytes(b"not a file of this kind")
    (tmp_path / "bad.npz").write_bytes(b"PK not really")
    np.savez(tmp_path / "other.npz", A=np.eye(2))
    for name, words in (
        ("bad.h5", "a text file, not a linear-model file"),
        ("bad.npz", "a text file, not a linear-model file"),
        ("other.npz", "no linear-model file"),
        ("none.h5", "no such file"),
    ):
        with pytest.raises(ist.InterstageError, match=words):
            ist.LinearModel.load(tmp_path / name)
    with pytest.raises(ist.InterstageError, match="unknown kind"):
        lin.save(tmp_path / "what.txt")
    with pytest.raises(ist.InterstageError, match="folder"):
        lin.save(tmp_path / "nowhere" / "m.h5")
    lin.save(tmp_path / "new.h5")
    with h5py.File(tmp_path / "new.h5", "r+") as f:
        f["SCHEMA_VERSION"][()] = 99
    with pytest.raises(ist.InterstageError, match="newer version"):
        ist.LinearModel.load(tmp_path / "new.h5")


def test_a_failed_save_leaves_the_old_file(lin, tmp_path):
    path = tmp_path / "m.h5"
    lin.save(path)
    before = path.read_bytes()
    broken = lin.select()
    broken.extras = {"a\0b": np.ones(2)}
    with pytest.raises(ist.InterstageError, match="cannot hold the character NUL"):
        broken.save(path)
    assert path.read_bytes() == before and [p.name for p in tmp_path.iterdir()] == ["m.h5"]


def test_info_shows_a_linear_model(lin, tmp_path):
    from interstage.cli.main import app

    lin.save(tmp_path / "m.h5")
    shown = CliRunner().invoke(app, ["info", str(tmp_path / "m.h5")])
    assert shown.exit_code == 0, shown.output
    for words in (
        "observatory",
        "26 states",
        "15 inputs",
        "rw1_dist_force",
        "imu_angRates",
        "complex-step",
        "Hz",
    ):
        assert words in shown.output, words
    data = json.loads(CliRunner().invoke(app, ["info", str(tmp_path / "m.h5"), "--json"]).output)
    assert data["kind"] == "linear model" and data["states"] == 26 and data["stable"] is False
    assert data["inputs"]["thruster_force"] == [14]


def test_matlab_scripts_have_every_digit(tmp_path):
    """Read back by hand: rows of numbers between brackets, names in quotes."""
    rng = np.random.default_rng(0)
    lin = ist.LinearModel(
        rng.normal(size=(2, 2)),
        rng.normal(size=(2, 1)),
        rng.normal(size=(3, 2)) * 1e-9,
        np.zeros((3, 1)),
        outputs=["it's", "b", "c"],
        name="two\nlines",
    )
    lin.save(tmp_path / "a.m")
    text = (tmp_path / "a.m").read_text()
    for letter in "ABCD":
        body = text.split(f"\n{letter} = [", 1)[1].split("];", 1)[0]
        rows = [[float(word) for word in row.split()] for row in body.strip().splitlines()]
        np.testing.assert_array_equal(rows, getattr(lin, letter))
    assert "output_names = {'it''s'; 'b'; 'c'};" in text and text.startswith("% two lines: ")


@pytest.mark.skipif(shutil.which("octave-cli") is None, reason="octave is not installed")
def test_octave_runs_the_script_and_loads_the_file(tmp_path):
    """Both leave the same four matrices, to the last bit, and the names."""
    rng = np.random.default_rng(1)
    lin = ist.LinearModel(
        rng.normal(size=(4, 4)),
        rng.normal(size=(4, 1)),
        rng.normal(size=(2, 4)) * 1e-9,
        [[0.0], [3.0]],
        outputs=["it's", "b"],
        name="two",
    )
    lin.save(tmp_path / "two.m")
    lin.save(tmp_path / "two.mat")
    code = """two; m = load('two.mat');
        for k = 'ABCD'
          eval(['mine = ' k ';']); printf('%d ', isequal(mine, m.(k))); printf('%.17g ', mine'); disp('');
        end
        printf('%s\\n', output_names{:});"""
    done = subprocess.run(
        ["octave-cli", "--norc", "--eval", code], capture_output=True, text=True, cwd=tmp_path
    )
    rows = done.stdout.splitlines()
    for letter, row in zip("ABCD", rows):
        same, *numbers = row.split()
        assert same == "1" and np.array_equal([float(n) for n in numbers], np.ravel(getattr(lin, letter)))
    assert rows[4:] == ["it's", "b"], done.stderr
