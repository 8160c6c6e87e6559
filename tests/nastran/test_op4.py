"""OUTPUT4 files of real runs and of our own making, whole and damaged."""

from __future__ import annotations

import random
import struct

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from conftest import reference_dir
from interstage.errors import FileError, InterstageError
from interstage.nastran.op4 import SparseMatrix, read_op4
from op4_writer import binary_op4, text_op4


def test_matrices_of_real_runs():
    """NX Nastran 9.1 wrote KXX and MXX; the same were extracted independently into craig_bampton.npz."""
    read = read_op4(reference_dir("nastran-files", "inboard.op4"))
    known = np.load(reference_dir("nastran", "craig_bampton_inboard", "craig_bampton.npz"))
    assert np.array_equal(read["KXX"], known["kxx"])
    assert np.array_equal(read["MXX"], known["mxx"])
    # the same random matrix, big-endian with bigmat strings and little-endian without
    big = read_op4(reference_dir("nastran-files", "double_bigmat_be.op4"))
    little = read_op4(reference_dir("nastran-files", "double_nonbigmat_le_i64.op4"))
    assert big.keys() == little.keys() and "RMAT" in big
    for name in big:
        assert np.array_equal(big[name], little[name])
    assert big["RMAT"].shape == (25, 31) and np.count_nonzero(big["RMAT"]) == 32


def sample(complex_values=False):
    rng = np.random.default_rng(3)
    matrix = rng.normal(size=(9, 6)).astype(np.float32).astype(float) * (rng.random((9, 6)) < 0.5)
    return matrix + 2j * matrix if complex_values else matrix


@pytest.mark.parametrize("order", ["<", ">"])
@pytest.mark.parametrize("word", [4, 8])
@pytest.mark.parametrize("single", [False, True])
@pytest.mark.parametrize("strings", ["dense", "small", "big"])
@pytest.mark.parametrize("complex_values", [False, True])
def test_every_binary_form(tmp_path, order, word, single, strings, complex_values):
    matrix = sample(complex_values)
    path = tmp_path / "a.op4"
    path.write_bytes(binary_op4("KAA", matrix, order, word, single, strings) * 2)
    read = read_op4(path)
    assert list(read) == ["KAA", "KAA:2"]
    assert np.array_equal(read["KAA"], matrix) and np.array_equal(read["KAA:2"], matrix)


DENSE = """       3       3       2       2KAA     1P,3E23.16
       1       1       3
 1.0000000000000000E+00 2.0000000000000000E+00-3.0000000000000000E+00
       2       2       2
 4.0000000000000000E+00 5.0000000000000000E-01
       3       1       3
 7.0000000000000000E+00 8.0000000000000000D+00 9.0000000000000000E-101
       4       1       1
 1.0000000000000000E+00
"""
SMALL = """       2       3       2       1KAA
       1       0       4
     262145
 1.000000000E+00 2.000000000E+00-3.000000000E+00
       2       0       4
  131074
 4.000000000E+00
  131075
 5.000000000E-01
       3       1       1
 1.000000000E+00
"""


def test_a_dense_text_column_is_counted_in_reals(tmp_path):
    """As NASTRAN writes a 3 by 3 matrix of doubles: all nine values, exponents with D and without a letter."""
    path = tmp_path / "a.op4"
    path.write_text(DENSE.replace(" 9.0000000000000000E-101", " 9.0000000000000000-101"))
    truth = [[1.0, 0.0, 7.0], [2.0, 4.0, 8.0], [-3.0, 0.5, 9e-101]]
    assert np.array_equal(read_op4(path)["KAA"], truth)
    path.write_text(SMALL + "\n")
    assert np.array_equal(read_op4(path)["KAA"], [[1.0, 0.0], [2.0, 4.0], [-3.0, 0.5]])
    path.write_text(SMALL.replace("\n", "\r\n"))
    assert np.array_equal(read_op4(path)["KAA"], [[1.0, 0.0], [2.0, 4.0], [-3.0, 0.5]])


@pytest.mark.parametrize("form", ["1P,3E23.16", "1P,2E24.16", ""])
@pytest.mark.parametrize("wide", [False, True])
@pytest.mark.parametrize("single", [False, True])
@pytest.mark.parametrize("strings", ["dense", "small", "big"])
@pytest.mark.parametrize("complex_values", [False, True])
def test_every_text_form(tmp_path, form, wide, single, strings, complex_values):
    matrix = sample(complex_values)
    if not form:
        matrix = np.round(matrix, 6)
    path = tmp_path / "a.op4"
    text = text_op4("KAA", matrix, single, strings, form, wide)
    other = text_op4("1MAT", matrix, single, strings, form, wide, letter="D", words=strings == "dense")
    path.write_text(text + other)
    read = read_op4(path)
    assert list(read) == ["KAA", "1MAT"]
    assert np.array_equal(read["KAA"], matrix) and np.array_equal(read["1MAT"], matrix)


@given(data=st.data())
def test_any_matrix_comes_back_from_any_form(data, tmp_path_factory):
    """Random sizes, patterns and numbers, zero and empty matrices among them."""
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32)))
    rows, columns = data.draw(st.integers(1, 40)), data.draw(st.integers(1, 12))
    scale = 10.0 ** rng.integers(-120, 120, (rows, columns))
    matrix = rng.normal(size=(rows, columns)) * scale * (rng.random((rows, columns)) < rng.random())
    if data.draw(st.booleans()):
        matrix = matrix * (1.0 + 2.0j)
    strings = data.draw(st.sampled_from(["dense", "small", "big"]))
    path = tmp_path_factory.getbasetemp() / "any.op4"
    if data.draw(st.booleans()):
        form = data.draw(st.sampled_from(["1P,3E23.16", "1P,2E24.16"]))
        path.write_text(text_op4("A", matrix, False, strings, form, data.draw(st.booleans())))
    else:
        order, word = data.draw(st.sampled_from("<>")), data.draw(st.sampled_from([4, 8]))
        path.write_bytes(binary_op4("A", matrix, order, word, False, strings))
    assert np.array_equal(read_op4(path)["A"], matrix)


@pytest.mark.parametrize("name", ["K4XX1", "ABCDEFGH", "KAA", "A"])
@pytest.mark.parametrize("interlaced", [False, True])
def test_names_of_64_bit_files(tmp_path, name, interlaced):
    path = tmp_path / "a.op4"
    for word in (4, 8):
        path.write_bytes(binary_op4(name, sample(), word=word, interlaced=interlaced))
        assert list(read_op4(path)) == [name]


def test_many_rows_are_bigmat_without_a_sign(tmp_path):
    """With 65536 rows or more the strings have two integers though the number of rows is positive."""
    matrix = np.zeros((70000, 2))
    matrix[[3, 4, 69999], [0, 0, 1]] = [1.5, 2.5, 3.5]
    path = tmp_path / "a.op4"
    text = text_op4("X", matrix, strings="big").replace("  -70000", "   70000")
    binary = binary_op4("X", matrix, strings="big").replace(
        struct.pack("<2i", 2, -70000), struct.pack("<2i", 2, 70000)
    )
    for data in (text.encode(), binary):
        path.write_bytes(data)
        assert np.array_equal(read_op4(path)["X"], matrix)


def test_a_matrix_too_large_for_an_array_is_sparse(tmp_path):
    path = tmp_path / "a.op4"
    text = text_op4("X", np.array([[0.0, 2.0], [3.0, 0.0], [4.0, 0.0]]), strings="big")
    text = text.replace("       2      -3", " 9000000-9000000", 1)
    path.write_text(text.replace("       3       1       1", " 9000001       1       1"))
    X = read_op4(path)["X"]
    assert isinstance(X, SparseMatrix) and X.shape == (9000000, 9000000)
    assert (
        X.row.tolist() == [1, 2, 0] and X.column.tolist() == [0, 0, 1] and X.value.tolist() == [3.0, 4.0, 2.0]
    )
    empty = struct.pack("<5i", 24, 10**8, 10**8, 2, 4) + b"KAA     \x18\0\0\0"
    end = struct.pack("<3i", 10**8 + 1, 1, 2) + struct.pack("<d", 1.0)
    mark = struct.pack("<i", len(end))
    path.write_bytes(empty + mark + end + mark)
    assert read_op4(path)["KAA"].value.dtype == complex and len(read_op4(path)["KAA"].value) == 0


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "it holds no matrix"),
        (b"hello world\n", "a matrix header was expected"),
        (DENSE[:200].encode(), "damaged"),
        (binary_op4("KAA", sample())[:300], "a record is cut short"),
        (binary_op4("KAA", sample())[:32], "it ends in the middle of a matrix"),
        (struct.pack("<5i", 24, -5, 10**9, 2, 2) + b"KAA     \x18\0\0\0", "impossible"),
        (DENSE.replace("       3\n", "       4\n", 1).encode(), "4 reals was expected, got 3"),
        (DENSE.replace("3E23.16", "3X23").encode(), "header was expected"),
        (struct.pack("<5i", 24, 3, 3, 2, 9) + b"KAA     \x18\0\0\0", "matrix type 9"),
    ],
)
def test_damaged_files_are_named(tmp_path, data, message):
    path = tmp_path / "bad.op4"
    path.write_bytes(data)
    with pytest.raises(FileError, match=message):
        read_op4(path)
    with pytest.raises(FileError, match="cannot be read"):
        read_op4(tmp_path / "none.op4")


def test_mutated_files_give_clean_errors(tmp_path):
    rng = random.Random(2)
    files = [binary_op4("KAA", sample(), strings=s) for s in ("dense", "small", "big")]
    files += [
        text.encode() for text in (DENSE, SMALL, text_op4("KAA", sample(True), strings="big", wide=True))
    ]
    path = tmp_path / "fuzz.op4"
    for _ in range(1500):
        data = bytearray(rng.choice(files))
        for _ in range(rng.choice((1, 2, 5))):
            data[rng.randrange(len(data))] = rng.randrange(256)
        path.write_bytes(data[: rng.choice((len(data), rng.randrange(len(data))))])
        try:
            read_op4(path)
        except InterstageError as fault:
            assert "op4" in str(fault)
