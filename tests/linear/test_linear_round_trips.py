"""Every kind of file gives back the model that was written, whatever its size and its names."""

from __future__ import annotations

from dataclasses import fields

import numpy as np
import pytest
import scipy.io

import interstage as ist
from interstage.errors import FileError

ODD = ["a/b", "µ°²", "core.52", "it's", "%41", "..", "1", "x y ", "tab\tbed", "file", "A", "allow_pickle"]


def model(n: int, nu: int, ny: int, **others) -> ist.LinearModel:
    rng = np.random.default_rng(10 * n + nu)
    return ist.LinearModel(
        *(rng.normal(size=shape) for shape in ((n, n), (n, nu), (ny, n), (ny, nu))), **others
    )


def siso() -> ist.LinearModel:
    """Return a model of one vehicle with one joint: vectors of one number in its operating point."""
    body = ist.Multibody("swing")
    body.add_body(
        "arm", mass=2.0, com=[0.5, 0, 0], inertia=[0.1, 0.2, 0.2], joint=ist.Revolute("z", stiffness=5.0)
    )
    system = body.compile()
    return ist.linearize(
        system, system.state(), inputs=[ist.JointForce("arm")], outputs=[ist.JointAngle("arm")]
    )


SHAPES = {
    "number": 2.5,
    "one": np.array([2.5]),
    "row": np.array([[1.0, 2.0]]),
    "column": np.array([[1.0], [2.0]]),
    "cell": np.array([[3.0]]),
    "cube": np.arange(8.0).reshape(2, 2, 2),
    "thin": np.arange(3.0).reshape(1, 3, 1),
    "none": np.zeros(0),
    "flat": np.zeros((0, 3)),
    "edge": np.zeros((0, 1)),
    "whole": np.array([1, 2**62 + 1]),
    "complex": np.array([1 + 2j]),
    "group": {"one": np.array([[1.5]]), "a.b": np.array([7.0])},
}
MODELS = {
    "siso": siso,
    "one state": lambda: model(1, 1, 1, dt=0.1),
    "no states": lambda: model(0, 1, 1),
    "no states, sampled": lambda: model(0, 2, 3, dt=0.5, notes=("gains",)),
    "no inputs": lambda: model(2, 0, 1, dt=0.25),
    "no outputs": lambda: model(2, 1, 0),
    "nothing": lambda: model(0, 0, 0),
    "odd names": lambda: model(
        len(ODD), len(ODD), len(ODD),
        states=ODD, inputs=ODD, outputs=ODD, input_units=["m/s"] * len(ODD), notes=tuple(ODD), name="it's µ/%",
        input_index={name: np.array([k]) for k, name in enumerate(ODD)},
        extras={name: np.array([1.0]) for name in ODD if name != "A"},
    ),
    "shapes": lambda: model(1, 1, 1, extras=SHAPES),
    "reduced": lambda: model(1, 1, 1).select().discretize(0.1),
}  # fmt: skip


def same(one: object, other: object, where: str) -> None:
    if isinstance(one, dict):
        assert isinstance(other, dict) and set(one) == set(other), where
        for key in one:
            same(one[key], other[key], f"{where}.{key}")
    elif isinstance(one, np.ndarray | float | int) and not isinstance(one, bool):
        assert np.shape(one) == np.shape(other), where
        assert np.array_equal(one, other, equal_nan=True), where
    else:
        assert one == other, where


@pytest.mark.parametrize("kind", ["h5", "mat", "npz"])
@pytest.mark.parametrize("which", MODELS)
def test_a_model_comes_back_as_it_was(tmp_path, kind, which):
    wrote = MODELS[which]()
    wrote.save(tmp_path / f"model.{kind}")
    back = ist.load(tmp_path / f"model.{kind}")
    for field in fields(ist.LinearModel):
        same(getattr(wrote, field.name), getattr(back, field.name), field.name)
    assert back.n_states == wrote.n_states and str(back) == str(wrote)


def test_a_siso_file_of_before_shapes_were_kept_has_vectors(tmp_path):
    point = {name: np.array([0.25]) for name in ("q", "v", "vdot", "y")}
    old = {letter: np.array([[0.5]]) for letter in "ABCD"}
    old |= {"FORMAT": "interstage linear model", "SCHEMA_VERSION": 1.0, "operating_point": point}
    scipy.io.savemat(tmp_path / "old.mat", old, oned_as="column")
    back = ist.load(tmp_path / "old.mat")
    assert back.dt is None and all(value.shape == (1,) for value in back.operating_point.values())


def test_files_of_other_tools_say_their_sample_time(tmp_path):
    matrices = {letter: np.array([[0.5]]) for letter in "ABCD"}
    for name, value, want in (("Ts", 0.02, 0.02), ("dt", 0.02, 0.02), ("Ts", 0.0, None)):
        scipy.io.savemat(tmp_path / "theirs.mat", {**matrices, name: value})
        assert ist.load(tmp_path / "theirs.mat").dt == want
    scipy.io.savemat(tmp_path / "theirs.mat", {**matrices, "Ts": -1.0})
    with pytest.raises(FileError, match="dt of a linear model must be a time above zero"):
        ist.load(tmp_path / "theirs.mat")


def test_extras_of_old_files_called_dt_are_no_sample_time(tmp_path):
    matrices = {letter: np.array([[0.5]]) for letter in "ABCD"}
    np.savez(tmp_path / "old.npz", FORMAT="interstage linear model", SCHEMA_VERSION=1, dt=0.1, **matrices)
    back = ist.load(tmp_path / "old.npz")
    assert back.dt is None and back.extras == {"dt": 0.1}
