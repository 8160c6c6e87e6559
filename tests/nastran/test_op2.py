"""OUTPUT2 files of real runs and of our own making, whole and damaged."""

from __future__ import annotations

import random
import struct

import numpy as np
import pytest

from conftest import ROOT, reference_dir
from interstage.errors import FileError, InputError, InterstageError
from interstage.nastran import read_op2
from op2_writer import Form, matrix_block, modes_block, op2_file, table_block

FILES = ("inboard", "beam_modes_m2", "mode_solid_shell_bar", "static_solid_shell_bar_kelm")


def real(name):
    return reference_dir("nastran-files", f"{name}.op2")


@pytest.mark.parametrize(
    ("file", "case", "label"),
    [
        ("beam_modes_m2", "beam_modes", ""),
        ("mode_solid_shell_bar", "solid_shell_bar_modes", "XXXXXXXX"),
    ],
)
def test_eigenvectors_of_real_runs(file, case, label):
    """Simcenter and MSC Nastran wrote these; eigenvectors.npz was extracted independently: bit for bit."""
    op2 = read_op2(real(file))
    known = np.load(reference_dir("nastran", case, "eigenvectors.npz"))
    found = op2.eigenvectors()
    assert op2.label == label
    assert np.array_equal(found.values, known["modes"])
    assert np.array_equal(found.grid_id, known["grid_id"])
    assert np.array_equal(found.point_type, known["point_type"])
    assert np.array_equal(found.eigenvalue, known["eigenvalue"])
    assert found.number.tolist() == list(range(1, len(known["eigenvalue"]) + 1))


def test_eigenvalues_of_a_real_run():
    op2 = read_op2(real("beam_modes_m2"))
    table, modes = op2.eigenvalues(), op2.eigenvectors()
    assert np.array_equal(table.eigenvalue, modes.eigenvalue)
    assert np.allclose(table.hz, np.sqrt(table.eigenvalue) / (2 * np.pi), rtol=1e-6)
    assert np.allclose(table.generalized_stiffness, table.generalized_mass * table.eigenvalue, rtol=1e-6)
    assert table.mode.tolist() == list(range(1, 11))
    assert "LAMA" in op2
    assert len(op2["PVT0"]) == 1


def test_matrices_of_a_real_run():
    """KGG and all 21 element matrices that NX Nastran 2412 wrote, bit for bit."""
    op2 = read_op2(real("static_solid_shell_bar_kelm"))
    known = np.load(reference_dir("nastran", "kgg_solid_shell_bar", "matrices.npz"))
    assert op2.label == "NX2412"
    assert op2["KGG"].is_matrix
    assert np.array_equal(op2.matrix("KGG"), known["kgg"])
    elements = op2.element_matrices()
    assert len(elements) == 21
    for e in elements:
        assert np.array_equal(e.matrix, known[f"kelm_{e.name}_{e.eid}"])
    assert {e.form for e in elements if e.name in ("CBAR", "CBEAM")} == {3}
    assert next(e for e in elements if e.eid == 1).sil.tolist() == [7, 13, 19, 1, 43, 25, 31, 37]


def test_element_masses_add_up():
    op2 = read_op2(real("static_solid_shell_bar_kelm"))
    known = np.load(reference_dir("nastran", "kgg_solid_shell_bar", "matrices.npz"))
    total = np.zeros(150)
    for e in op2.element_matrices("MELM", "MDICT"):
        place = (e.sil[:, None] - 1 + np.arange(e.dofs)).ravel()
        total[place] += np.diag(e.matrix)
    translations = np.arange(150) % 6 < 3
    assert np.allclose(total[translations], known["mgg_lumped_diagonal"][translations], rtol=1e-12)


def test_bookkeeping_of_an_external_superelement():
    """BSET1 of the deck and the displacement set 4, 16; its matrices are in the op4 file, so none are here."""
    op2 = read_op2(real("inboard"))
    assert op2.label == "NX9.1"
    assert op2.interface() == {3: 123456, 11: 123456, 19: 123456, 27: 123456}
    assert op2.matrices() == {}
    modes = op2.eigenvectors()
    assert modes.grid_id.tolist() == [4, 16]
    assert np.allclose(modes.eigenvalue, [1483.16, 1483.542, 22047.34], rtol=1e-6)


def test_recovered_displacements_equal_the_recovery_matrix():
    """Eigenvectors in the op2 file are MUG1's columns of the fixed-interface modes in the op4 file (single
    precision in the op2 file)."""
    from interstage.nastran import read_op4

    modes = read_op2(real("inboard")).eigenvectors()
    mug1 = read_op4(reference_dir("nastran-files", "inboard.op4"))["MUG1"].reshape(6, 6, 32)
    rows = [1, 3]  # grids 3, 4, 11, 16, 19, 27
    columns = mug1[rows][:, :, 24:27]
    sign = np.sign(np.einsum("nck,nck->k", columns, modes.values))
    assert np.allclose(columns * sign, modes.values, atol=1e-6 * np.abs(columns).max())


def sample(complex_values=False):
    rng = np.random.default_rng(3)
    matrix = rng.normal(size=(9, 6)).astype(np.float32).astype(float) * (rng.random((9, 6)) < 0.6)
    matrix[:, 2] = 0.0
    return matrix + 2j * matrix if complex_values else matrix


@pytest.mark.parametrize("order", ["<", ">"])
@pytest.mark.parametrize("word", [4, 8])
@pytest.mark.parametrize("double", [False, True])
@pytest.mark.parametrize("complex_values", [False, True])
def test_every_form_of_a_matrix(tmp_path, order, word, double, complex_values):
    path, matrix = tmp_path / "a.op2", sample(complex_values)
    blocks = [matrix_block("KAA", matrix, double), matrix_block("KAA", 2 * matrix, double)]
    path.write_bytes(op2_file(blocks, Form(order, word, longest=2)))
    op2 = read_op2(path)
    found = op2.matrices()
    assert op2.label == "TEST"
    assert list(found) == ["KAA", "KAA:2"]
    assert np.array_equal(found["KAA"], matrix)
    assert np.array_equal(found["KAA:2"], 2 * matrix)


def sets_block():
    lists = [210, 2, 312, 123, 0, 7, 9, -1, 456, 1, 9, 11]
    pairs = [5561, 76, 215, 20, 135, 1001, 0]
    return table_block("GEOM4", [lambda form: form.ints(*lists), lambda form: form.ints(*pairs)])


@pytest.mark.parametrize("order", ["<", ">"])
@pytest.mark.parametrize("word", [4, 8])
def test_every_form_of_tables(tmp_path, order, word):
    path = tmp_path / "a.op2"
    path.write_bytes(op2_file([modes_block(), sets_block()], Form(order, word), label=None))
    op2 = read_op2(path)
    modes = op2.eigenvectors()
    assert op2.label == ""
    assert modes.grid_id.tolist() == list(range(1, 21))
    assert modes.eigenvalue.tolist() == [100.0, 200.0]
    assert modes.values[3, 2, 1] == 203.25
    assert op2.interface() == {7: 123, 9: 123456, 10: 456, 11: 456, 20: 135}


def test_complex_and_sort2_results_are_refused(tmp_path):
    path = tmp_path / "a.op2"
    for options in ({"code": 2001}, {"form_code": 2, "width": 14}):
        path.write_bytes(op2_file([modes_block(**options)]))
        with pytest.raises(FileError, match="only real displacements"):
            read_op2(path).eigenvectors()


def test_names_that_are_not_there(tmp_path):
    path = tmp_path / "a.op2"
    path.write_bytes(op2_file([matrix_block("KAA", sample()), modes_block()]))
    op2 = read_op2(path)
    with pytest.raises(InputError, match="no data block KGG"):
        op2.matrix("KGG")
    with pytest.raises(InputError, match="is a table"):
        op2.matrix("OUGV1")
    with pytest.raises(FileError, match="two records"):
        op2.eigenvalues("KAA")
    with pytest.raises(FileError, match="do not come in pairs"):
        op2.displacements("KAA")
    with pytest.raises(InputError, match="no record 99"):
        op2["KAA"].record(99)


def test_sets_without_bound_are_refused(tmp_path):
    path = tmp_path / "a.op2"
    for words in ([123, 1, 1, 2**31 - 1], [123, 1, 9, 7], [789, 0, 1, -1], [123, 0, -7, -1], [123, 0, 7]):
        record = [210, 2, 312, *words]
        path.write_bytes(op2_file([table_block("GEOM4", [lambda form, record=record: form.ints(*record)])]))
        with pytest.raises(FileError, match="damaged"):
            read_op2(path).interface()


def edited(data, at, value):
    return data[:at] + struct.pack("<i", value) + data[at + 4 :]


def test_damaged_files_are_named(tmp_path):
    good = op2_file([matrix_block("KAA", sample())], label=None)
    trailer = good.index(struct.pack("<3i", 28, 101, 6)) + 4
    cases = {
        b"": "not an op2 file",
        b"hello world, this is a deck": "not an op2 file",
        good[:100]: "ends in the middle",
        edited(good, 0, 8): "begins with the key",
        edited(good, 12, 2**31 - 1): "record of 8 bytes was expected",
        edited(good, trailer + 4, 2 * 10**9): "too large",
        edited(good, trailer + 4, 7): "6 columns and states 7",
        edited(good, trailer + 8, 3): "outside the matrix",
        edited(good, trailer + 16, 9): "matrix type 9",
        edited(good, trailer + 12, 3): "form 3, which is not supported",
    }
    path = tmp_path / "bad.op2"
    for data, message in cases.items():
        path.write_bytes(data)
        with pytest.raises(FileError, match=message):
            read_op2(path).matrices()
    with pytest.raises(FileError, match="cannot be read"):
        read_op2(tmp_path / "none.op2")


def test_a_file_without_its_end_mark_is_read_and_noted(tmp_path):
    good = op2_file([matrix_block("KAA", sample()), matrix_block("MAA", sample())], label=None)
    path = tmp_path / "a.op2"
    path.write_bytes(good)
    assert read_op2(path).notes == []
    path.write_bytes(good[:-12])
    op2 = read_op2(path)
    assert op2.names == ["KAA", "MAA"] and np.array_equal(op2.matrix("MAA"), sample())
    assert len(op2.notes) == 1 and "no end mark" in op2.notes[0]
    for cut in range(13, 60):
        path.write_bytes(good[:-cut])
        with pytest.raises(FileError, match="op2 file is damaged"):
            read_op2(path)


@pytest.mark.parametrize("order", ["<", ">"])
@pytest.mark.parametrize("word", [4, 8])
def test_files_of_msc_2014_and_later(tmp_path, order, word):
    """Six words more behind the label and every name; 64-bit names of eight characters in one word."""
    blocks = [matrix_block("KAA", sample()), modes_block(count=3), matrix_block("ABCDEFGH", sample())]
    path = tmp_path / "a.op2"
    path.write_bytes(op2_file(blocks, Form(order, word), "XXXXXXXX", msc="20140"))
    op2 = read_op2(path)
    assert op2.names == ["KAA", blocks[1].name, "ABCDEFGH"] and op2.label == "XXXXXXXX 20140"
    assert np.array_equal(op2.matrix("ABCDEFGH"), sample()) and op2.notes == []
    path.write_bytes(op2_file(blocks, Form(order, word), None, msc="20222"))
    assert read_op2(path).names == op2.names and read_op2(path).label == ""


def decode(path):
    """Everything that the reader can make of a file."""
    op2 = read_op2(path)
    op2.matrices(), op2.interface()
    for name, action in (
        ("LAMA", op2.eigenvalues),
        ("OUGV1", op2.eigenvectors),
        ("KELM", op2.element_matrices),
    ):
        if name in op2:
            action()
    return op2


def _ends(data):
    """Places in a file at which a data block ends: three keys that close it, then the name of the next."""
    close, name = struct.pack("<9i", 4, 1, 4, 4, 0, 4, 4, 0, 4), struct.pack("<4i", 4, 2, 4, 8)
    return {k + len(close) for k in range(len(data)) if data.startswith(close + name, k)}


def own_files():
    """Files of our own in every form: a matrix, modes and sets."""
    blocks = [matrix_block("KAA", sample()), modes_block(count=3), sets_block()]
    files = [op2_file(blocks, Form(o, w), label) for o in "<>" for w in (4, 8) for label in (None, "TEST")]
    return [*files, op2_file([matrix_block("KAA", sample())], msc="20140")]


@pytest.mark.parametrize("which", ["ours", "real ones"])
def test_truncated_files(tmp_path, which):
    """A file cut inside a block is an error of one sentence; at the end of one it is noted."""
    if which == "ours":
        check_truncated(op2_file([matrix_block("KAA", sample()), modes_block(), sets_block()]), tmp_path)
        return
    for name in FILES:
        check_truncated(real(name).read_bytes(), tmp_path)


def check_truncated(data, tmp_path):
    path = tmp_path / "cut.op2"
    rng, ends = random.Random(1), _ends(data)
    for cut in [
        *range(0, 400),
        *(rng.randrange(len(data)) for _ in range(150)),
        len(data) - 1,
    ]:
        path.write_bytes(data[:cut])
        try:
            noted = len(decode(path).notes)
        except FileError as fault:
            noted = 0
            assert "op2 file" in str(fault) and "\n" not in str(fault)
        assert noted == int(cut in ends)
    path.write_bytes(data[: len(data) - 12])
    assert len(read_op2(path).notes) == 1


def test_mutated_files_give_clean_errors(tmp_path):
    """Our own files, and real ones where they are beside the checkout."""
    rng, files = random.Random(2), own_files()
    folder = ROOT.parent.joinpath("shared", "reference", "nastran-files")
    files += [path.read_bytes() for path in sorted(folder.glob("*.op2"))]
    path = tmp_path / "fuzz.op2"
    for _ in range(800):
        data = bytearray(rng.choice(files))
        for _ in range(rng.choice((1, 2, 5, 50))):
            data[rng.randrange(len(data))] = rng.randrange(256)
        path.write_bytes(data)
        try:
            decode(path)
        except InterstageError as fault:
            assert "op2" in str(fault)
