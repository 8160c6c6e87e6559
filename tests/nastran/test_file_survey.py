"""The survey of op2 and op4 files counts what is read, what is refused and why."""

from __future__ import annotations

import subprocess
import sys

import numpy as np

from benchmarks import nastran_files
from conftest import ROOT
from op2_writer import matrix_block, op2_file
from op4_writer import binary_op4, text_op4


def test_survey_of_a_folder(tmp_path, capsys):
    A = np.array([[1.0, 0.0], [2.0, 3.0]])
    (tmp_path / "a.op4").write_text(text_op4("A", A))
    (tmp_path / "b.op4").write_bytes(binary_op4("B", A)[:60])
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "c.op2").write_bytes(op2_file([matrix_block("KAA", A)])[:-12])
    rows = nastran_files.main([str(tmp_path)])
    out = capsys.readouterr().out
    assert [row.parts is not None for row in rows] == [True, False, True]
    assert "op2: 1 files, 1 read, 1 with notes" in out and "op4: 2 files, 1 read" in out
    assert "refused, the op4 file is damaged: a record is cut short" in out

    # a peer that found the same, something else, or nothing
    good = [("A", None, A)]
    assert nastran_files.compare(rows[0], good) == "agrees"
    assert nastran_files.compare(rows[0], [("A", None, A + 1e-15)]) == "A differs"
    sparse = ((2, 2), np.array([0, 1, 1]), np.array([0, 0, 1]), np.array([1.0, 2.0, 3.0]))
    assert nastran_files.compare(rows[0], [("A", None, sparse)]) == "agrees"
    assert nastran_files.compare(rows[0], "MemoryError: x").startswith("peer fails")
    assert nastran_files.compare(rows[1], good) == "peer reads it"


def test_survey_is_a_command(tmp_path):
    (tmp_path / "a.op4").write_text(text_op4("A", np.eye(2)))
    command = [sys.executable, "-m", "benchmarks", "nastran_files", "--", str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert "op4: 1 files, 1 read" in done.stdout
