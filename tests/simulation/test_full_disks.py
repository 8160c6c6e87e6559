"""A disk that fills up under a run is one sentence; what was committed can be read, and nothing else is in the file."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import h5py
import numpy as np
import pytest

import interstage as ist
from interstage.errors import FileError, OutOfMemoryError
from interstage.simulation.log import hdf5 as flight_file

HERE = Path(__file__).parent
ENVIRONMENT = {**os.environ, "PYTHONPATH": os.pathsep.join([str(Path(ist.__file__).parents[1]), str(HERE)])}

RUN = """
import sys
import interstage as ist
from device_library import Lag
from interstage.errors import FileError
from interstage.simulation.log import hdf5 as flight_file

if sys.argv[2] != "0":
    import resource
    resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]), int(sys.argv[2])))
flight_file.COMMIT_S = 0.0  # a commit after every stretch
flight = ist.Assembly("x").add("lag", Lag(u=1.0))
try:
    ist.simulate(flight, None, until=200, step="1 ms", log=sys.argv[1], checkpoint="2 s", progress=False)
except FileError as error:
    print(type(error).__name__, "|", error, "|", len(error.log.t))
"""


def flown(path, limit=0):
    """Return what a run says that fills a disk; it must end well, which a crash of a library would not."""
    done = subprocess.run(
        [sys.executable, "-c", RUN, str(path), str(limit)], env=ENVIRONMENT, capture_output=True, text=True
    )
    assert (done.returncode, done.stderr.replace("interstage: compiling kernels (once) ...\n", "")) == (0, "")
    return done.stdout


def check_rows(path, least):
    """Refuse rows that are not those of the run: y' = (1 - y)/τ from 0."""
    log = ist.load(path)
    assert len(log.t) > least
    steps = np.arange(len(log.t)) * 1e-3
    assert np.abs(log.t - steps).max() < 1e-9
    y = log["lag.y"].ravel()
    tau = -1.0 / np.log1p(-y[1000])  # of the device; then all rows follow
    assert np.abs(y - (1.0 - np.exp(-steps / tau))).max() < 1e-9
    return log


@pytest.fixture
def small_disk(tmp_path):
    """Mount a disk of 4 MB, where that is allowed."""
    folder = tmp_path / "disk"
    folder.mkdir()
    done = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", str(folder)], capture_output=True, text=True
    ) if sys.platform == "linux" else None  # fmt: skip
    if done is None or done.returncode:
        pytest.skip(f"no disk can be mounted here: {'' if done is None else done.stderr.strip()}")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


def test_a_full_disk_is_one_sentence_and_committed_rows_stay(small_disk):
    said = flown(small_disk / "l.h5")
    assert said.startswith("FileError | the ") and "the disk is full" in said and said.count("\n") == 1
    log = check_rows(small_disk / "l.h5", 10_000)
    kept = ist.load(small_disk / "l.ckpt.h5")  # the last whole one
    assert 0 < kept.rows[0] <= len(log.t)
    assert not [p for p in small_disk.iterdir() if p.suffix == ".part"]


@pytest.mark.skipif(sys.platform == "win32", reason="there are no limits of file sizes")
def test_so_is_a_file_that_may_not_grow(tmp_path):
    said = flown(tmp_path / "l.h5", 2_000_000)
    words = "the log cannot be written any further: the file is larger than the system allows"
    assert said.startswith(f"FileError | {words} ({tmp_path / 'l.h5'}); got ")
    log = check_rows(tmp_path / "l.h5", 10_000)
    assert f"got {len(log.t)} rows of steps, which are in it" in said
    assert (tmp_path / "l.h5").stat().st_size <= 2_000_000


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are forked here")
def test_small_disks_keep_the_rows_that_fit():
    """A few disks of 0.1 to 3 MB, with commits as they are; many at night."""
    script = HERE.parent / "fuzz" / "full_disks.py"
    done = subprocess.run(
        [sys.executable, str(script), "10", "3"], env=ENVIRONMENT, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["full"] >= 5 and found["rows"] > 5_000 and found["resumed"] >= 5


def test_rows_that_fit_are_committed_when_all_do_not(tmp_path, monkeypatch):
    """The whole run waits for its first commit, for which the disk has no room."""
    from device_library import Lag

    hold = flight_file.Room.hold

    def little(self, end, ahead=True):
        if end > 250_000:
            raise OSError(28, "No space left on device")
        hold(self, end, ahead)

    monkeypatch.setattr(flight_file.Room, "hold", little)
    monkeypatch.setattr(flight_file, "COMMIT_S", 1e9)
    flight = ist.Assembly("x").add("lag", Lag(u=1.0))
    with pytest.raises(FileError, match=r"the disk is full .*got (\d+) rows of steps") as caught:
        ist.simulate(flight, None, until=20, step="1 ms", log=tmp_path / "l.h5")
    log = check_rows(tmp_path / "l.h5", 1001)
    assert f"got {len(log.t)} rows of steps" in str(caught.value)
    assert 100_000 < (tmp_path / "l.h5").stat().st_size <= 250_000


def test_room_ahead_is_not_asked_of_a_disk_that_has_only_what_is_needed(tmp_path, monkeypatch):
    path = tmp_path / "l"
    path.write_bytes(b"x" * 100)
    room, taken = flight_file.Room(path), []

    def take(end):
        taken.append(end)
        if end > 1000:
            raise OSError(28, "No space left on device")

    monkeypatch.setattr(room, "_take", take)
    room.hold(900)
    assert taken == [100 + room.STEP, 900]
    with pytest.raises(OSError):
        room.hold(1100)
    room.give_back()


def test_no_room_from_the_start_is_one_sentence(tmp_path, monkeypatch):
    from device_library import Lag

    def nothing(self, end, ahead=True):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(flight_file.Room, "hold", nothing)
    flight = ist.Assembly("x").add("lag", Lag(u=1.0))
    with pytest.raises(FileError, match=r"cannot be written any further: the disk is full .*got 0 rows"):
        ist.simulate(flight, None, until=1, step="10 ms", log=tmp_path / "l.h5")
    assert len(ist.load(tmp_path / "l.h5").t) == 0


def test_a_finished_log_has_no_bytes_to_spare(tmp_path):
    from device_library import Lag

    flight = ist.Assembly("x").add("lag", Lag(u=1.0))
    log = ist.simulate(flight, None, until=1, step="10 ms", log=tmp_path / "l.h5")
    with h5py.File(tmp_path / "l.h5") as f:
        assert f.id.get_filesize() == (tmp_path / "l.h5").stat().st_size
    assert np.array_equal(ist.load(tmp_path / "l.h5")["lag.y"], log["lag.y"])


def test_memory_that_does_not_suffice_is_one_sentence(tmp_path, monkeypatch):
    from device_library import Lag

    from interstage.simulation.log.store import RowStore

    flight, take = ist.Assembly("x").add("lag", Lag(u=1.0)), RowStore.take
    calls = []

    def starved(self, loop):
        calls.append(1)
        if len(calls) == 2:
            raise MemoryError
        take(self, loop)

    monkeypatch.setattr(RowStore, "take", starved)
    with pytest.raises(
        OutOfMemoryError, match=r"^there is not enough memory to go on at t = .*log_step="
    ) as caught:
        ist.simulate(flight, None, until=100, step="10 ms", log=tmp_path / "l.h5")
    assert len(caught.value.log.t) > 0 and len(ist.load(tmp_path / "l.h5").t) > 0
