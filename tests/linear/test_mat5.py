"""MATLAB files read without trust: against scipy's reader on good files, typed errors on all others."""

from __future__ import annotations

import random
import struct
import zlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.io import loadmat, savemat

import interstage as ist
from interstage.errors import FileError, InterstageError
from interstage.linear.mat_file import read_mat5
from interstage.linear.model import LinearModel


@given(
    seed=st.integers(0, 2**32),
    packed=st.booleans(),
    dtype=st.sampled_from(["f8", "f4", "i1", "u2", "i4", "i8", "c16", "?"]),
    shape=st.lists(st.integers(0, 5), min_size=2, max_size=4),
)
def test_numbers_are_those_that_scipy_reads(seed, packed, dtype, shape, tmp_path_factory):
    rng = np.random.default_rng(seed)
    value = (rng.normal(size=shape) * 50).astype(dtype)
    path = tmp_path_factory.getbasetemp() / "any.mat"
    savemat(path, {"A": value, "s": {"b": value, "t": "word"}}, do_compression=packed, oned_as="column")
    found, truth = read_mat5(path), loadmat(path)
    assert np.array_equal(found["A"], truth["A"]) and found["A"].shape == truth["A"].shape
    assert np.array_equal(found["s"]["b"], truth["s"]["b"][0, 0]) and found["s"]["t"] == "word"


def test_texts_cells_and_structs(tmp_path):
    cell = np.empty((3, 1), dtype=object)
    cell[:, 0] = ["a", "é²🚀", ""]
    deep = {"x": {"y": {"z": np.eye(2)}}, "long_name_of_a_field_that_is_over_31": 1.0}
    savemat(
        tmp_path / "a.mat",
        {"t": "é", "c": cell, "deep": deep, "rows": np.array(["ab", "c "])},
        long_field_names=True,
    )
    found = read_mat5(tmp_path / "a.mat")
    assert found["t"] == "é" and found["c"] == ["a", "é²🚀", ""] and found["rows"] == ["ab", "c"]
    assert np.array_equal(found["deep"]["x"]["y"]["z"], np.eye(2))
    assert found["deep"]["long_name_of_a_field_that_is_over_31"] == 1.0


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("linear")
    model = LinearModel(
        A=-np.eye(3),
        B=np.ones((3, 1)),
        C=np.ones((1, 3)),
        D=np.zeros((1, 1)),
        state_index={"q/1": np.arange(3)},
        extras={"a/b": {"x": np.ones(2)}, "t": ["q", "r"]},
    )
    out = []
    for kind in ("mat", "npz"):
        model.save(folder / f"m.{kind}")
        assert np.array_equal(ist.LinearModel.load(folder / f"m.{kind}").extras["a/b"]["x"], [1.0, 1.0])
        out.append((kind, (folder / f"m.{kind}").read_bytes()))
    savemat(folder / "p.mat", {letter: getattr(model, letter) for letter in "ABCD"}, do_compression=True)
    return [*out, ("mat", (folder / "p.mat").read_bytes())]


def test_mutated_files_give_typed_errors(files, tmp_path):
    rng, refused = random.Random(4), 0
    for _ in range(600):
        kind, data = rng.choice(files)
        data = bytearray(data)
        for _ in range(rng.choice((1, 2, 8))):
            at = rng.randrange(len(data))
            data[at : at + 4] = rng.choice((b"\xff" * 4, b"\0" * 4, rng.randbytes(1), rng.randbytes(4)))
        path = tmp_path / f"fuzz.{kind}"
        path.write_bytes(data[: rng.randrange(len(data))] if rng.random() < 0.1 else data)
        try:
            ist.LinearModel.load(path)
        except InterstageError as error:
            refused += 1
            assert "\n" not in str(error) and path.name in str(error)
    assert refused > 100


def test_what_is_no_such_file_is_said(tmp_path, monkeypatch):
    path = tmp_path / "a.mat"
    head = b"MATLAB 5.0".ljust(124) + struct.pack("<H", 0x0100) + b"IM"
    body = zlib.compress(bytes(5_000_000))
    monkeypatch.setattr("interstage.linear.mat_file.unpack_limit", lambda path: 1_000_000)
    for data, words in (
        (b"", "an empty file"),
        (b"MATLAB 7.3 MAT-file".ljust(200), "-v7"),
        (head + struct.pack("<2I", 15, len(body)) + body, "more than is believed"),
        (head + struct.pack("<2I", 14, 2**31), "longer than the file"),
        (head + b"\x0e", "damaged"),
    ):
        path.write_bytes(data)
        with pytest.raises(FileError, match=words):
            ist.LinearModel.load(path)
    monkeypatch.setattr("interstage.output.unpack_limit", lambda path, least=0: 1000)
    np.savez_compressed(tmp_path / "a.npz", **{letter: np.zeros((50, 50)) for letter in "ABCD"})
    with pytest.raises(FileError, match="more than is believed"):
        ist.LinearModel.load(tmp_path / "a.npz")
    path.write_bytes(b"")
    savemat(path, {letter: np.eye(2) * (1 + 1j) for letter in "ABCD"})
    with pytest.raises(FileError, match="complex"):
        ist.LinearModel.load(path)


@pytest.mark.parametrize("kind", ["h5", "mat", "npz"])
def test_bytes_that_changed_never_change_a_model(kind, tmp_path):
    """Each variable is under a checksum, and a name that was lost is missed."""
    model = ist.LinearModel(
        -np.eye(2), np.ones((2, 1)), np.ones((1, 2)), np.zeros((1, 1)), inputs=["u"], outputs=["y"], dt=0.1
    )
    path, rng = tmp_path / f"m.{kind}", np.random.default_rng(5)
    model.save(path)
    data, same = path.read_bytes(), 0
    for _ in range(150):
        changed = bytearray(data)
        at = rng.integers(len(data) - 16)
        changed[at : at + rng.integers(1, 9)] = rng.bytes(8)[: len(changed[at : at + 8])]
        path.write_bytes(changed[: len(data)])
        try:
            found = ist.LinearModel.load(path)
        except ist.InterstageError:
            continue
        same += 1
        assert all(np.array_equal(getattr(found, letter), getattr(model, letter)) for letter in "ABCD")
        assert (found.inputs, found.outputs, found.dt) == (model.inputs, model.outputs, model.dt)
    assert same < 75


def test_a_file_of_ours_without_its_sample_time_is_refused(tmp_path):
    path = tmp_path / "m.npz"
    ist.LinearModel([[-1.0]], [[1.0]], [[1.0]], [[0.0]], dt=0.1).save(path)
    with np.load(path, allow_pickle=False) as held:
        kept = {name: held[name] for name in held.files if name != "dt"}
    np.savez(path, **kept)
    with pytest.raises(ist.InterstageError, match=r"damaged .*got no dt"):
        ist.LinearModel.load(path)
