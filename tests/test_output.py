"""Files are written whole, through links, never over what is no file; JSON has no NaN."""

from __future__ import annotations

import errno
import json
import os
import random
import stat
import subprocess
import sys
import time
import weakref
from pathlib import Path

import numpy as np
import pytest

import interstage as ist
from interstage.errors import FileError, InputError, SolverError
from interstage.hdf5 import write_hdf5
from interstage.linear.model import LinearModel
from interstage.mass import MassBody
from interstage.output import (
    check_finite,
    json_text,
    make_folder,
    parse_json,
    write_bytes,
    write_text,
    write_whole,
)
from interstage.report.document import Report
from interstage.report.gltf import export_gltf


def _component(path):
    K, M = np.diag([1.0, 4.0] * 6), np.eye(12)
    nodes = {1: (0.0, 0.0, 0.0), 2: (1.0, 0.0, 0.0)}
    ist.Component.from_matrices(K, M, nodes, n_modes=2, aset={1: 123456}, name="two").save(path)


def _linear(path):
    LinearModel(A=-np.eye(2), B=np.ones((2, 1)), C=np.ones((1, 2)), D=np.zeros((1, 1))).save(path)


def _report(path):
    report = Report("a page", "with one sentence")
    report.section("s", "Section").pairs("Pairs", "Names and values.", {"a": 1})
    report.save(path)


def _pendulum():
    mb = ist.Multibody("pendulum", gravity=[0, 0, -9.81])
    mb.add_body("arm", mass=2.0, com=[0, 0, -0.5], inertia=[0.1, 0.1, 0.01], joint=ist.Revolute("y"))
    system = mb.compile()
    return system, system.state(), 0.02, 0.01


def _log(path):
    ist.simulate(*_pendulum()).save(path)


def _growing_log(path):
    ist.simulate(*_pendulum(), log=path)


def _gltf(path):
    export_gltf(ist.simulate(*_pendulum()), path)


WRITERS = {
    "component.h5": _component,
    "linear.h5": _linear,
    "linear.mat": _linear,
    "linear.npz": _linear,
    "log.h5": _log,
    "flight.h5": _growing_log,
    "flight.glb": _gltf,
    "report.html": _report,
    "tree.json": lambda path: MassBody("bus", mass=2.0).save(path),
    "deck.bdf": lambda path: __import__("interstage.demo.heron_deck", fromlist=["x"]).write_heron_deck(path),
}


@pytest.mark.parametrize("name", WRITERS)
def test_every_writer_goes_through_links_and_refuses_what_is_no_file(name, tmp_path):
    write = WRITERS[name]
    (tmp_path / "store").mkdir()
    target, link = tmp_path / "store" / name, tmp_path / name
    link.symlink_to(target)
    write(link)  # the link leads nowhere yet
    assert link.is_symlink() and target.is_file() and target.stat().st_size > 100
    target.write_bytes(b"old")
    target.chmod(0o640)
    write(link)
    assert link.is_symlink() and target.stat().st_size > 100
    assert stat.S_IMODE(target.stat().st_mode) == 0o640
    assert [p.name for p in target.parent.iterdir()] == [name]

    os.mkfifo(tmp_path / f"pipe-{name}")
    (tmp_path / f"folder-{name}").mkdir()
    (tmp_path / f"loop-{name}").symlink_to(tmp_path / f"loop-{name}")
    (tmp_path / f"device-{name}").symlink_to("/dev/full")
    for kind, words in (
        ("pipe", "a pipe"),
        ("folder", "a folder"),
        ("loop", "itself"),
        ("device", "a device"),
    ):
        with pytest.raises(FileError, match=words):
            write(tmp_path / f"{kind}-{name}")
    assert (tmp_path / f"device-{name}").is_symlink() and Path("/dev/full").is_char_device()
    assert (tmp_path / f"pipe-{name}").is_fifo()


def test_links_of_others_are_not_followed(tmp_path, monkeypatch):
    """A link to a file of another user, and one that another user left where everybody writes, also on the way."""
    shared, home = tmp_path / "shared", tmp_path / "home"
    shared.mkdir(), home.mkdir()
    shared.chmod(0o1777)
    (home / "file").write_text("precious")
    (shared / "out").symlink_to(home / "file")
    (shared / "folder").symlink_to(home)
    (tmp_path / "by").symlink_to(shared / "out")
    write_text(tmp_path / "by", "precious")  # all of it is ours
    real, me = Path.lstat, os.getuid()
    with monkeypatch.context() as as_if:
        as_if.setattr(os, "getuid", lambda: me + 1)
        with pytest.raises(FileError, match=r"a link to .*file, a file of another user; give the name"):
            write_text(tmp_path / "by", "new")

    def planted(path):
        found = list(real(path))
        found[4] = me + 1 if path.parent == shared else found[4]
        return os.stat_result(found)

    monkeypatch.setattr(Path, "lstat", planted)
    for path in (shared / "out", shared / "folder" / "file", shared / "folder" / "new", tmp_path / "by"):
        with pytest.raises(FileError, match=r"the link .*shared/(out|folder), which another user made"):
            write_text(path, "new")
    assert [p.name for p in home.iterdir()] == ["file"] and (home / "file").read_text() == "precious"
    shared.chmod(0o755)
    assert write_text(shared / "out", "new").read_text() == "new"  # nobody else can have planted it


def test_a_new_file_has_the_permissions_of_the_umask(tmp_path):
    before = os.umask(0o027)
    try:
        write_text(tmp_path / "a", "text")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "a").stat().st_mode) == 0o640


AS_ROOT = pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can give files away"
)


@AS_ROOT
@pytest.mark.parametrize("mode", [0o600, 0o640, 0o664])
def test_root_leaves_the_files_of_others_theirs(tmp_path, mode):
    """A file that root writes over stays its owner's, and what its owner allowed; a new one is root's."""
    path = tmp_path / "a.json"
    path.write_text("old")
    os.chown(path, 65534, 65533)
    os.chmod(path, mode)
    write_text(path, "new")
    found = path.stat()
    assert (found.st_uid, found.st_gid, stat.S_IMODE(found.st_mode)) == (65534, 65533, mode)
    assert path.read_text() == "new"
    assert write_text(tmp_path / "b", "new").stat().st_uid == 0


@AS_ROOT
def test_a_group_that_cannot_be_given_gets_no_more_than_everybody(tmp_path, monkeypatch):
    """As for one who is not root and not of the group: what was for it alone is not for another group."""
    path = tmp_path / "a.json"
    path.write_text("old")
    os.chown(path, 0, 65533)
    os.chmod(path, 0o664)

    def refused(*given):
        raise PermissionError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(os, "fchown", refused)
    write_text(path, "new")
    found = path.stat()
    assert (found.st_gid, stat.S_IMODE(found.st_mode)) == (0, 0o644)


def test_names_of_part_files_cannot_be_foreseen(tmp_path):
    """Neither from the process, the time or the writer's own random numbers, nor from those before."""
    names = []
    for _ in range(40):
        random.seed(1)
        write_whole(tmp_path / "a", lambda part: names.append(Path(part).name.split(".")[-2]))
    # each of the places takes few of 16 digits by chance with a probability below 1e-20
    assert {len(name) for name in names} == {12}
    assert all(len(set(digits)) > 4 for digits in zip(*names))


@pytest.mark.parametrize("planted", ["link", "file"])
def test_what_stands_where_the_part_file_would_be_is_not_written_to(tmp_path, monkeypatch, planted):
    """As if another user had foreseen the name: the file is made by its writer alone."""
    victim = tmp_path / "victim"
    victim.write_text("precious")
    part = tmp_path / f".a.{'5' * 12}.part"
    part.symlink_to(victim) if planted == "link" else os.link(victim, part)
    monkeypatch.setattr("secrets.token_hex", lambda n: "5" * 2 * n)
    with pytest.raises(FileError, match=r"cannot be written.*exists"):
        write_text(tmp_path / "a", "new")
    assert victim.read_text() == "precious" and not (tmp_path / "a").exists()


def test_a_part_file_that_another_exchanged_is_not_taken(tmp_path):
    """One who may write in the folder could leave a link to a file that root would then give away."""
    victim = tmp_path / "victim"
    victim.write_text("precious")
    before = victim.stat()
    (tmp_path / "a").write_text("old")

    def fill(part):
        os.unlink(part)
        os.symlink(victim, part)

    with pytest.raises(FileError, match="exchanged while it was written"):
        write_whole(tmp_path / "a", fill)
    assert (tmp_path / "a").read_text() == "old"
    assert (victim.stat(), victim.read_text()) == (before, "precious")
    assert sorted(one.name for one in tmp_path.iterdir()) == ["a", "victim"]


def test_a_system_without_owners_keeps_permissions(tmp_path, monkeypatch):
    """As Windows is: no fchown and no fchmod."""
    path = tmp_path / "a.json"
    path.write_text("old")
    os.chmod(path, 0o640)
    monkeypatch.delattr(os, "fchown", raising=False)
    monkeypatch.delattr(os, "fchmod", raising=False)
    monkeypatch.delattr(os, "getuid", raising=False)
    write_text(path, "new")
    assert stat.S_IMODE(path.stat().st_mode) == 0o640 and path.read_text() == "new"


def test_long_names_odd_names_and_folders(tmp_path):
    for name in ("x" * 250, "sp ace %s {} é", os.fsdecode(b"latin-\xe9")):
        assert write_text(tmp_path / name, "é").read_text(encoding="utf-8") == "é"
    with pytest.raises(FileError, match="too long"):
        write_text(tmp_path / ("x" * 300), "")
    with pytest.raises(FileError, match="folder for the file does not exist"):
        write_text(tmp_path / "none" / "a", "")
    with pytest.raises(FileError, match="cannot be written"):
        write_text(str(tmp_path / "a\0b"), "")
    (tmp_path / "file").write_text("")
    with pytest.raises(FileError, match="cannot be made"):
        make_folder(tmp_path / "file" / "below")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anything")
def test_a_protected_file_is_left_alone(tmp_path):
    path = tmp_path / "kept"
    path.write_text("old")
    path.chmod(0o444)
    with pytest.raises(FileError, match="write-protected"):
        write_text(path, "new")


FULL = """
import resource, signal, sys
import numpy as np
import interstage as ist
from interstage.cli import main
n = 3000
K = np.zeros((12, 12)) + np.diag([1.0, 4.0] * 6)
c = ist.Component.from_matrices(K, np.eye(12), {1: (0., 0., 0.), 2: (1., 0., 0.)}, n_modes=2, aset={1: 123456})
many = c.with_changes(
    node_ids=np.arange(1, n + 1), node_positions=np.zeros((n, 3)), bgpdt=None,
    gamma=np.zeros((n, 3, c.n_modes)), lam=np.zeros((n, 3, c.n_modes)),
)
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))
try:
    many.save(sys.argv[1])
except ist.InterstageError as error:
    print(error)
"""


def test_a_disk_that_fills_up_under_many_small_datasets_is_said(tmp_path):
    """A limit on file sizes stands in for the full disk; the HDF5 library alone crashes the process here."""
    done = subprocess.run(
        [sys.executable, "-c", FULL, str(tmp_path / "big.h5")], capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr[-500:]
    assert (
        "component file cannot be written" in done.stdout and "larger than the system allows" in done.stdout
    )
    assert done.stderr == "" and list(tmp_path.iterdir()) == []


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are forked here")
def test_files_of_every_kind_are_whole_or_what_was_there_when_the_disk_is_full():
    """Each kind once; many at night."""
    script = Path(__file__).parent / "fuzz" / "full_writers.py"
    done = subprocess.run(
        [sys.executable, str(script), "16", "3"], capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["files"] == 16 and found["refused"] > 4


def test_the_reason_of_a_full_disk_is_said(tmp_path, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    for write in (lambda p: write_bytes(p, b"x"), _component, _linear):
        with pytest.raises(FileError, match="the disk is full"):
            write(tmp_path / "a.h5")
    assert list(tmp_path.iterdir()) == []


def test_json_has_no_nan(tmp_path):
    data = {"f": np.array([1.0, 2.5]), 7: np.int64(3), "b": np.bool_(True), "n": None, "deep": [(1, "é")]}
    assert json.loads(json_text(data)) == {
        "f": [1.0, 2.5],
        "7": 3,
        "b": True,
        "n": None,
        "deep": [[1, "é"]],
    }
    for bad in (np.nan, -np.inf, np.float32("nan"), np.array([[0.0, np.inf]])):
        with pytest.raises(SolverError, match=r"not finite \(result.a.b"):
            json_text({"a": {"b": bad}})
        assert "null" in json_text({"a": {"b": bad}}, gaps=True)
    with pytest.raises(InputError, match=r"result.x"):
        json_text({"x": 1j})
    with pytest.raises(SolverError, match=r"shapes\[2\]"):
        check_finite([0.0, 1.0, np.nan], "shapes")
    check_finite(np.ones((2, 2)), "shapes")


@pytest.mark.parametrize("text", ["NaN", "[Infinity]", '{"a": -Infinity}', "[1e999]", "[" * 100_000, "{", ""])
def test_json_that_is_none_is_refused(text, tmp_path):
    if len(text) < 100:
        with pytest.raises(ValueError, match=r".+"):
            parse_json(text)
    path = tmp_path / "tree.json"
    path.write_text(text)
    with pytest.raises(FileError, match=r"not a JSON file|not a mass tree"):
        MassBody.load(path)


def test_commands_refuse_a_bad_output_before_they_work(tmp_path):
    from typer.testing import CliRunner

    from interstage.cli.main import app

    deck = tmp_path / "a.bdf"
    deck.write_text("not even a deck")
    (tmp_path / "same.h5").symlink_to(deck)
    os.mkfifo(tmp_path / "pipe.h5")
    for command, output, words in (
        (["component", str(deck)], "same.h5", "would replace the file"),
        (["component", str(deck)], "pipe.h5", "a pipe"),
        (["component", str(deck)], "none/a.h5", "does not exist"),
        (["report", str(deck)], "same.h5", "would replace the file"),
        (["report", str(deck)], "a.bdf", "would replace the file"),
        (["report", str(deck)], "/dev/null", "a device"),
    ):
        done = CliRunner().invoke(app, [*command, "-o", str(tmp_path / output)])
        assert isinstance(done.exception, FileError) and words in str(done.exception)


def test_pipes_and_devices_are_not_read(tmp_path):
    """They may never end: refused at once by every reader."""
    from interstage.component.from_nastran.external import punched_interface
    from interstage.nastran import read_deck, read_op2, read_op4

    readers = {
        "a.op2": read_op2,
        "a.op4": read_op4,
        "a.bdf": read_deck,
        "a.pch": punched_interface,
        "a.json": MassBody.load,
        "a.h5": ist.Log.load,
        "b.h5": ist.Component.load,
        "a.mat": ist.LinearModel.load,
        "a.npz": ist.LinearModel.load,
    }
    for name, read in readers.items():
        os.mkfifo(tmp_path / name)
        (tmp_path / f"zero-{name}").symlink_to("/dev/zero")
        for path in (tmp_path / name, tmp_path / f"zero-{name}"):
            with pytest.raises(ist.InterstageError, match=name):
                read(path)


def test_part_files_that_killed_writers_left_are_removed_by_owner_and_age(tmp_path):
    old, new, other = (tmp_path / f".{name}.part" for name in ("a.json.11", "a.json.22", "b.json.33"))
    for left in (old, new, other):
        left.write_text("half")
        os.utime(left, (0, 0) if left is not new else None)
    link = tmp_path / ".a.json.44.part"
    victim = tmp_path / "victim"
    victim.write_text("precious")
    os.utime(victim, (0, 0))
    if hasattr(os, "symlink") and sys.platform != "win32":
        link.symlink_to(victim)
    write_text(tmp_path / "a.json", "{}")
    left = {p.name for p in tmp_path.iterdir()} - {link.name}
    assert left == {"a.json", new.name, other.name, "victim"} and victim.read_text() == "precious"


@pytest.mark.skipif(not hasattr(os, "getuid") or os.getuid() != 0, reason="needs files of another user")
def test_part_files_of_others_stay(tmp_path):
    theirs = tmp_path / ".a.json.11.part"
    theirs.write_text("half")
    os.utime(theirs, (0, 0))
    os.chown(theirs, 12345, 12345)
    write_text(tmp_path / "a.json", "{}")
    assert theirs.exists()


@pytest.mark.parametrize("by", [write_whole, write_hdf5])
def test_an_interrupt_that_falls_into_a_callback_of_a_library_is_heard(by, tmp_path):
    """As h5py has them: Python drops what is raised there."""

    class Thing:
        pass

    def interrupted(dead):
        raise KeyboardInterrupt

    def fill(file):
        thing = Thing()
        watched = weakref.ref(thing, interrupted)
        del thing
        assert watched() is None
        if by is write_whole:
            Path(file).write_bytes(b"whole")
        time.sleep(1.0)

    with pytest.raises(KeyboardInterrupt):
        by(tmp_path / "a", fill, "file")
    assert list(tmp_path.iterdir()) == []
