"""OUTPUT4 files of real runs and of our own making, whole and damaged."""

from __future__ import annotations

import random
import struct

import numpy as np
import pytest

from conftest import reference_dir
from interstage.errors import FileError, InterstageError
from interstage.nastran.op4 import read_op4


def test_reduced_matrices_of_a_real_run():
    """NX Nastran 9.1 wrote these; the same matrices were extracted independently into craig_bampton.npz."""
    read = read_op4(reference_dir("nastran-files", "inboard.op4"))
    known = np.load(reference_dir("nastran", "craig_bampton_inboard", "craig_bampton.npz"))
    assert np.array_equal(read["KXX"], known["kxx"])
    assert np.array_equal(read["MXX"], known["mxx"])


def test_byte_order_and_string_forms_agree():
    """The same random matrix, big-endian with bigmat strings and little-endian without."""
    big = read_op4(reference_dir("nastran-files", "double_bigmat_be.op4"))
    little = read_op4(reference_dir("nastran-files", "double_nonbigmat_le_i64.op4"))
    assert big.keys() == little.keys() and "RMAT" in big
    for name in big:
        assert np.array_equal(big[name], little[name])
    assert big["RMAT"].shape == (25, 31) and np.count_nonzero(big["RMAT"]) == 32


def write_op4(name, matrix, order="<", word=4, single=False, strings="dense"):
    """Write one matrix as Nastran does; strings: dense, small or big."""
    real = f"{order}f{4 if single and word == 4 else 8}"
    integer = f"{order}i{word}"
    kind = (1 if single else 2) + (2 if np.iscomplexobj(matrix) else 0)
    rows, columns = matrix.shape

    def record(body):
        mark = struct.pack(order + "i", len(body))
        return mark + body + mark

    def ints(*values):
        return np.array(values, integer).tobytes()

    def reals(values):
        parts = np.stack((values.real, values.imag), axis=-1).ravel() if np.iscomplexobj(values) else values
        return parts.astype(real).tobytes()

    header = ints(columns, -rows if strings == "big" else rows, 2, kind) + name.ljust(2 * word).encode()
    out = record(header)
    for j in range(columns):
        filled = np.flatnonzero(matrix[:, j])
        if not len(filled):
            continue
        if strings == "dense":
            body = reals(matrix[filled[0] : filled[-1] + 1, j])
            out += record(ints(j + 1, filled[0] + 1, len(body) // word) + body)
            continue
        body = b""
        for run in np.split(filled, np.flatnonzero(np.diff(filled) > 1) + 1):
            values = reals(matrix[run, j])
            length, row = len(values) // word + 1, int(run[0]) + 1
            body += (ints(length, row) if strings == "big" else ints(row + 65536 * length)) + values
        out += record(ints(j + 1, 0, len(body) // word) + body)
    return out + record(ints(columns + 1, 1, 2) + np.array([1.0], f"{order}f8").tobytes())


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
    path.write_bytes(write_op4("KAA", matrix, order, word, single, strings) * 2)
    read = read_op4(path)
    assert list(read) == ["KAA", "KAA:2"]
    assert np.array_equal(read["KAA"], matrix) and np.array_equal(read["KAA:2"], matrix)


DENSE = """       2       3       2       2KAA     1P,3E23.16
       1       1       6
 1.0000000000000000E+00 2.0000000000000000E+00-3.0000000000000000E+00
       2       2       4
 4.0000000000000000E+00 5.0000000000000000E-01
       3       1       2
 1.0000000000000000E+00
"""
SMALL = """       2       3       2       1KAA     1P,5E16.9
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
BIG = """       2      -3       2       2KAA     1P,3E23.16
       1       0       8
       7       1
 1.0000000000000000E+00 2.0000000000000000E+00-3.0000000000000000D+00
       2       0       6
       5       2
 4.0000000000000000E+00 5.0000000000000000E-01
       3       1       2
 1.0000000000000000E+00
"""


@pytest.mark.parametrize("text", [DENSE, SMALL, BIG, DENSE + "\n"])
def test_every_text_form(tmp_path, text):
    path = tmp_path / "a.op4"
    path.write_text(text)
    assert np.array_equal(read_op4(path)["KAA"], [[1.0, 0.0], [2.0, 4.0], [-3.0, 0.5]])


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "it holds no matrix"),
        (b"hello world\n", "a matrix header was expected"),
        (DENSE[:200].encode(), "damaged"),
        (write_op4("KAA", sample())[:300], "a record is cut short"),
        (write_op4("KAA", sample())[:32], "it ends in the middle of a matrix"),
        (struct.pack("<5i", 24, 10**9, 10**9, 2, 2) + b"KAA     \x18\0\0\0", "too large"),
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
    files = [write_op4("KAA", sample(), strings=s) for s in ("dense", "small", "big")]
    files += [text.encode() for text in (DENSE, SMALL, BIG)]
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
