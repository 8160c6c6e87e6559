"""Files that would hang or fill the memory are refused before they are read: pipes, devices and bombs."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

import numpy as np
import pytest

import interstage as ist
from interstage import devices as dev
from interstage.errors import FileError
from interstage.fem.measured import read_measured
from interstage.nastran import deck_from_text
from interstage.nastran.op2 import read_op2
from interstage.nastran.op4 import read_op4
from interstage.nastran.source import MAX_REPEATED
from interstage.reading import read_bytes
from interstage.report.meshes import read_mesh

DOORS = {
    "deck": ("a.bdf", ist.read_deck),
    "table": ("a.csv", dev.ReferenceTrajectory),
    "air": ("a.csv", dev.Atmosphere),
    "wind": ("a.csv", lambda path: dev.Atmosphere(wind=path)),
    "gravity field": ("a.gfc", lambda path: dev.Earth(gravity=path)),
    "aero": ("a.h5", lambda path: dev.Aero(path, at=["m"])),
    "mesh": ("a.stl", read_mesh),
    "urdf": ("a.urdf", ist.from_urdf),
    "mjcf": ("a.xml", ist.from_mjcf),
    "op2": ("a.op2", read_op2),
    "op4": ("a.op4", read_op4),
    "measured": ("a.csv", read_measured),
    "component": ("a.h5", ist.Component.load),
    "any": ("a.h5", ist.load),
    "npz": ("a.npz", ist.LinearModel.load),
    "mat": ("a.mat", ist.LinearModel.load),
    "study": ("a.h5", ist.Study.load),
    "mass tree": ("a.json", ist.MassBody.load),
}


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes")
@pytest.mark.parametrize("kind", ["pipe", "device", "folder"])
@pytest.mark.parametrize("door", DOORS)
def test_what_is_no_plain_file_is_refused_without_waiting(tmp_path, door, kind):
    """Nobody writes into the pipe: a reader that opened it would wait for ever. /dev/zero never ends."""
    name, read = DOORS[door]
    path = tmp_path / name
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "device":
        path.symlink_to("/dev/zero")
    else:
        path.mkdir()
    with pytest.raises(ist.InterstageError):
        read(str(path))


LONG = "1" * 200_000
UFF = """    -1
{kind}
NONE
NONE
NONE
NONE
NONE
         1{analysis:>10}         2         8         2         3
         2         4         0         0
{head}{head}  1.00000e-02  0.00000e+00
{node:>10}
  1.00000e+00{value:>13}  0.50000e+00
    -1
"""
PLAIN = {"kind": "    55", "analysis": "2", "head": "  1.00000e+00", "node": "7", "value": "2.0"}


def _universal(path, **change):
    path.write_text(UFF.format(**(PLAIN | change)), encoding="utf-8")
    return read_measured(path)


def test_a_universal_file_is_read(tmp_path):
    """What the next test changes, one thing at a time."""
    assert _universal(tmp_path / "a.uff").shapes.ravel().tolist() == [1.0, 2.0, 0.5]


@pytest.mark.parametrize(
    "change",
    [
        {"kind": "²"},  # a digit to Python, and no number
        {"kind": "5" * 5000},
        {"node": "9" * 30},
        {"value": "nan"},
        {"analysis": "3", "head": " 1.70000e+308"},  # a pole whose size is beyond double precision
    ],
)
def test_universal_files_with_numbers_that_are_none_are_refused(tmp_path, change):
    with pytest.raises(FileError, match=r"cannot be read|no modes"):
        _universal(tmp_path / "a.uff", **change)


def test_cells_that_are_longer_than_the_library_takes_are_one_sentence(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text(f"time,x\n0,{LONG}\n1,2\n")
    with pytest.raises(ist.InterstageError, match="field larger than field limit"):
        dev.ReferenceTrajectory(path)
    path.write_text(f"grid,component,1.0\n1,1,{LONG}\n")
    with pytest.raises(ist.InterstageError, match="field larger than field limit"):
        read_measured(path)


@pytest.mark.parametrize("word", ["²", "9" * 5000])
def test_words_of_case_control_that_look_like_numbers_are_none(word):
    deck = deck_from_text(f"SOL 103\nCEND\nDISP = {word}\nBEGIN BULK\nGRID,1,,0.0,0.0,0.0\nENDDATA\n")
    assert deck.case.members(1, "DISP", np.arange(3)) is None
    assert deck.case.missing_set(1, "DISP") is None


@pytest.mark.parametrize("name", ["a" * 300, "a" * 5000, "a\0b"])
@pytest.mark.parametrize("door", DOORS)
def test_names_that_no_file_can_have_are_one_sentence(tmp_path, door, name):
    end, read = DOORS[door]
    with pytest.raises(ist.InterstageError) as caught:
        read(str(tmp_path / (name + end)))
    assert "\n" not in str(caught.value)


CLOSED = """
import os, sys
sys.path[:0] = [{tests!r}]
import interstage as ist
from test_reading import DOORS
for user in (0, 65534):  # first as root, so that all that is imported later has been
    os.setuid(user)
    for name, (end, read) in DOORS.items():
        try:
            read({folder!r} + "/a" + end)
        except ist.InterstageError:
            continue
        except Exception as error:
            print(name, type(error).__name__, error)
print("ended")
"""


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can be another user")
def test_files_in_folders_that_are_closed_to_us_are_one_sentence():
    """Of another user, who may not enter the folder; /tmp itself is open to all, folders of pytest are not."""
    folder = tempfile.mkdtemp()
    try:
        os.chmod(folder, 0o700)
        program = CLOSED.format(tests=str(Path(__file__).parent), folder=folder)
        ran = subprocess.run(
            [sys.executable, "-c", program],
            capture_output=True,
            encoding="utf-8",
        )
    finally:
        os.rmdir(folder)
    assert ran.stdout == "ended\n", ran.stdout + ran.stderr


def test_a_file_has_the_size_that_its_kind_can_have(tmp_path):
    path = tmp_path / "a.txt"
    path.write_bytes(b"x" * 1001)
    with pytest.raises(FileError, match=r"the table is too large .*expected at most"):
        read_bytes(path, "table", 1000)
    assert len(read_bytes(path, "table", 1001)) == 1001
    with open(tmp_path / "sparse.urdf", "wb") as f:
        f.truncate(1 << 33)  # takes no room on the disk, 8 GB in memory
    with pytest.raises(FileError, match="too large"):
        ist.from_urdf(tmp_path / "sparse.urdf")


def test_includes_do_not_multiply(tmp_path):
    """400 kB on disk that would be more than a GB of text: refused when 64 MiB are there again, not later."""
    (tmp_path / "big.bdf").write_text(("$" + "x" * 70 + "\n") * 4000)
    (tmp_path / "a.bdf").write_text(
        "SOL 103\nCEND\nBEGIN BULK\n" + "INCLUDE 'big.bdf'\n" * 5000 + "ENDDATA\n"
    )
    with pytest.raises(ist.InterstageError, match="repeat more than is believed"):
        ist.read_deck(tmp_path / "a.bdf")
    few = int(MAX_REPEATED / (72 * 4000)) // 4
    (tmp_path / "b.bdf").write_text("SOL 103\nCEND\nBEGIN BULK\n" + "INCLUDE 'big.bdf'\n" * few + "ENDDATA\n")
    ist.read_deck(tmp_path / "b.bdf")


def test_a_unit_that_unpacks_to_a_thousand_times_its_size_is_refused(tmp_path):
    pytest.importorskip("fmpy")
    deflated = zipfile.ZipFile(tmp_path / "a.fmu", "w", zipfile.ZIP_DEFLATED)
    with deflated as packed, packed.open("resources/zeros.bin", "w") as f:
        for _ in range(80):
            f.write(bytes(1 << 20))
    assert os.path.getsize(tmp_path / "a.fmu") < 1 << 20
    with pytest.raises(FileError, match=r"unpacks to more than is believed .*got 0.0839 GB"):
        ist.FMUDevice(tmp_path / "a.fmu")


def test_coefficients_that_unpack_to_more_than_they_are(tmp_path):
    """A dataset of zeros of 1.6 GB packed into some kB is refused by its size, before it is read."""
    import h5py

    with h5py.File(tmp_path / "a.h5", "w") as f:
        f.create_dataset("mach", shape=(20000, 10000), dtype=float, chunks=(1000, 1000), compression="gzip")
    with pytest.raises(FileError):
        dev.Aero(tmp_path / "a.h5", at=["m"])
