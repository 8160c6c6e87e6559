"""Logs of flights as files, also while they are written or after their writer was killed; checkpoints."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import h5py
import numpy as np
import pytest
from breaking import broken_off
from device_library import Counter, DiscretePID, Drag, Lag, NoisyGyro, Thruster
from typer.testing import CliRunner

import interstage as ist
from interstage.cli.main import app
from interstage.errors import FileError, InputError
from interstage.simulation.log import hdf5 as flight_file
from interstage.simulation.run.runner import Runner
from interstage.simulation.run.spec import RunSpec

HERE = Path(__file__).parent


class Pointing:
    """A law with memory of several kinds."""

    def __init__(self):
        self.bias, self.calls, self.mode, self.last = np.zeros(3), 0, "coarse", None

    def __call__(self, t, rate):
        self.bias = 0.9 * self.bias + 0.1 * rate
        self.calls += 1
        self.mode, self.last = "fine" if self.calls > 5 else "coarse", t
        return {"u": 0.5 - self.bias[2]}


def made():
    mb = ist.Multibody("bus")
    mb.add_body("bus", mass=10.0, com=[0.1, 0, 0], inertia=np.diag([1.0, 2.0, 2.5]), joint=ist.Free())
    flight = ist.Assembly("files", vehicle=mb.compile(), seed=5)
    flight.add("gyro", NoisyGyro(at="bus"), every="10 ms").add("jet", Thruster(at=("bus", [0, 0.3, 0])))
    flight.add("drag", Drag(at="bus")).add("fsw", Pointing(), every="20 ms", out={"u": "1"}).add(
        "lag", Lag(u=1.0)
    )
    flight.add("pid", DiscretePID(kp=2.0), every="1/30 s")
    flight.wire({"gyro.rate": "fsw.rate", "fsw.u": "jet.throttle"}).wire({"fsw.u": "pid.seen"}, delay="60 ms")
    return flight


def start(flight):
    return flight.vehicle.state(v=[0.1, 0.2, -0.3, 0, 0, 0])


def numbers(log):
    return np.concatenate(
        [np.ravel(log[name]) for name in sorted(log.names())] + [log.q.ravel(), log.v.ravel()]
    )


def test_a_file_has_all_rows_names_and_units(tmp_path):
    flight, path = made(), tmp_path / "flight.h5"
    log = ist.simulate(flight, start(flight), until=1, step="5 ms", log=path)
    found = ist.load(path)
    assert isinstance(found, ist.Log) and np.array_equal(found.t, log.t)
    for name in ("gyro.rate", "fsw.u", "lag.y", "lag.x", "jet.push", "pid.u"):
        assert np.array_equal(found[name], log[name]) and np.array_equal(found.times(name), log.times(name))
    assert (
        np.array_equal(found.q, log.q)
        and np.array_equal(found.v, log.v)
        and found.units["gyro.rate"] == "rad/s"
    )
    with pytest.raises(
        InputError, match=r"there is no port or state 'gyro.rat' in the log.*did you mean gyro.rate"
    ):
        found["gyro.rat"]


def test_how_often_rows_are_committed_changes_no_row(tmp_path, monkeypatch):
    """At every instant at which something happens, or only where the run looks up; each commit has its sums."""
    kept, sums = [], []
    for name, seconds in (("often", 0.0), ("once", 1e9)):
        monkeypatch.setattr(flight_file, "COMMIT_S", seconds)
        flight = ist.Assembly("small").add("lag", Lag(u=1.0)).add("c", Counter(), every="50 ms")
        path = tmp_path / f"{name}.h5"
        events = [ist.Event(at=0.1 * k, action=lambda t, system, x: None, name=f"e{k}") for k in range(1, 9)]
        ist.simulate(flight, None, until=1, step="10 ms", log=path, events=events)
        found = ist.Log.load(path)
        kept.append((found.t, found["lag.y"], found["c.n"], [str(e) for e in found.events]))
        with h5py.File(path, "r") as f:
            sums.append(len(f["SUMS"]))
    assert all(np.array_equal(a, b) for a, b in zip(*kept)) and len(kept[0][3]) == 8
    assert 4 <= sums[1] < sums[0]  # steps, samples, what was booked of events, and their texts


def test_a_file_can_be_read_after_every_write(tmp_path, monkeypatch):
    """Whenever its writer is killed: rows in new phases come after the vehicles and states that they need."""
    mb = ist.Multibody("stack")
    mb.add_body("core", mass=10.0, inertia=[1.0, 2.0, 2.5], joint=ist.Free())
    joint = ist.Revolute("z", stiffness=30.0)
    mb.add_body("boom", mass=1.0, com=[0.5, 0, 0], inertia=[0.1] * 3, parent="core", joint=joint)
    events = [
        ist.Event(at=0.02, action=ist.SetJointMode("boom", "locked"), name="lock"),
        ist.Event(at=0.05, action=ist.Detach("boom"), name="part"),
    ]
    path, write, copies = tmp_path / "log.h5", flight_file.write_rows, []

    def copied(*given):
        write(*given)
        if path.exists():
            copies.append(shutil.copy(path, tmp_path / f"{len(copies)}.h5"))

    monkeypatch.setattr(flight_file, "write_rows", copied)
    monkeypatch.setattr(flight_file, "COMMIT_S", 0.0)
    system = mb.compile()
    whole = ist.simulate(
        system,
        system.state(v=0.1 * np.ones(7)),
        until=0.08,
        step="2 ms",
        log_step="2 ms",
        events=events,
        log=path,
    )
    assert len(whole.phases) == 3 and len(copies) > 20
    for copy in copies:
        found = ist.load(copy)
        for phase, full in zip(found.phases, whole.phases):
            assert phase.t.tolist() == full.t[: len(phase.t)].tolist()
            assert np.array_equal(phase.v, full.v[: len(phase.t)])


def test_the_command_line_shows_a_log(tmp_path):
    path = tmp_path / "flight.h5"
    ist.simulate(ist.Assembly("small").add("lag", Lag(u=1.0)), None, until=1, step="0.1 s", log=path)
    done = CliRunner().invoke(app, ["info", str(path)])
    assert (
        done.exit_code == 0
        and "log of flight 'small': t = 0 to 1 s, 11 rows" in done.output
        and "lag.y" in done.output
    )
    told = CliRunner().invoke(app, ["info", str(path), "--json"])
    assert json.loads(told.output)["rows"]["lag.x"] == 11


def test_a_failed_run_leaves_its_rows_in_the_file(tmp_path):
    flight, path = ist.Assembly("x").add("c", Counter(), every="1/4 s"), tmp_path / "x.h5"
    flight.add("bad", lambda t, n: 1.0 / (n < 4), every="1/4 s", out={"y": "1"}).wire({"c.n": "bad.n"})
    with pytest.raises(ist.InterstageError, match=r"'bad' failed at t = 0.75"):
        ist.simulate(flight, None, until=2, step="0.05 s", log=path)
    assert ist.Log.load(path).t[-1] == pytest.approx(0.7)


def test_what_is_no_log_is_refused(tmp_path):
    path = tmp_path / "other.h5"
    with h5py.File(path, "w") as f:
        f["x"] = 1
    with pytest.raises(FileError):
        ist.Log.load(path)
    with pytest.raises(FileError, match="the folder for the log does not exist"):
        ist.simulate(
            ist.Assembly("x").add("c", Counter(), every=1), None, until=1, log=tmp_path / "no" / "x.h5"
        )


# checkpoints ----------------------------------------------------------------------------------------


def test_a_resumed_run_is_the_unbroken_one_bit_for_bit(tmp_path):
    flight = made()
    whole = ist.simulate(flight, start(flight), until=2, step="4 ms")
    path = tmp_path / "flight.h5"
    again = made()
    broken_off(Runner(RunSpec(again, start(again), 2, "4 ms")), path, "0.33 s", 3)
    fresh = made()
    log = ist.resume(tmp_path / "flight.ckpt.h5", fresh)
    assert np.array_equal(numbers(log), numbers(whole)) and np.array_equal(log.t, whole.t)
    law = next(part.what.function for part in fresh.parts() if part.path == "fsw")
    assert law.mode == "fine" and law.calls == 101 and law.last == 2.0
    assert np.array_equal(ist.Log.load(path)["gyro.rate"], whole["gyro.rate"])


def test_checkpoints_change_nothing(tmp_path):
    logs = []
    for k, checkpoint in enumerate((None, "0.1 s", "1/7 s")):
        flight = made()
        more = {} if checkpoint is None else {"checkpoint": checkpoint}
        logs.append(
            ist.simulate(flight, start(flight), until=1, step="4 ms", log=tmp_path / f"{k}.h5", **more)
        )
    assert np.array_equal(numbers(logs[0]), numbers(logs[1])) and np.array_equal(
        numbers(logs[0]), numbers(logs[2])
    )


SCRIPT = """
import sys
sys.path.insert(0, {here!r})
import interstage as ist
import test_flight_files as t
flight = t.made()
if sys.argv[1] == "run":
    print("begun", flush=True)
    ist.simulate(flight, t.start(flight), until={until}, step="4 ms", log={log!r}, checkpoint="0.5 s")
else:
    import hashlib
    log = ist.resume({checkpoint!r}, flight)
    print(hashlib.sha256(t.numbers(log).tobytes()).hexdigest())
"""


def test_a_killed_run_is_resumed_in_another_process(tmp_path):
    """SIGKILL on the way: the log can be read, nothing that was flushed is lost, and a new process goes on."""
    log, checkpoint = tmp_path / "flight.h5", tmp_path / "flight.ckpt.h5"
    script = tmp_path / "script.py"
    script.write_text(SCRIPT.format(here=str(HERE), until=600, log=str(log), checkpoint=str(checkpoint)))
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([str(Path(ist.__file__).parents[1]), str(HERE)]),
    }
    process = subprocess.Popen([sys.executable, str(script), "run"], env=environment, stdout=subprocess.PIPE)
    seen = 0
    try:
        deadline = time.time() + 120
        while time.time() < deadline and seen < 500:
            time.sleep(0.05)
            if checkpoint.exists() and log.exists():
                try:
                    seen = len(ist.Log.load(log).t)
                except FileError:
                    continue
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()
    assert seen >= 500
    left = ist.load(log)
    assert len(left.t) >= seen and left.t[0] == 0.0 and np.isfinite(left["gyro.rate"]).all()
    with h5py.File(checkpoint, "r") as f:
        assert f["NOW"][0] > 0 and f["ROWS"][0] <= len(left.t)


def test_a_new_process_gives_the_digest_of_the_unbroken_run(tmp_path):
    import hashlib

    flight = made()
    whole = ist.simulate(flight, start(flight), until=1, step="4 ms")
    again, log = made(), tmp_path / "flight.h5"
    ist.simulate(again, start(again), until=1, step="4 ms", log=log, checkpoint="0.4 s")
    script = tmp_path / "script.py"
    script.write_text(
        SCRIPT.format(here=str(HERE), until=1, log=str(log), checkpoint=str(tmp_path / "flight.ckpt.h5"))
    )
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([str(Path(ist.__file__).parents[1]), str(HERE)]),
    }
    done = subprocess.run(
        [sys.executable, str(script), "again"], env=environment, capture_output=True, text=True
    )
    assert done.stdout.split() == [hashlib.sha256(numbers(whole).tobytes()).hexdigest()], done.stderr


def test_checkpoints_that_cannot_be_are_refused(tmp_path):
    flight = made()
    with pytest.raises(InputError, match="a checkpoint lies beside the log"):
        ist.simulate(flight, start(flight), until=1, step="4 ms", checkpoint="1 s")
    ist.simulate(flight, start(flight), until=1, step="4 ms", log=tmp_path / "a.h5", checkpoint="0.4 s")
    other = ist.Assembly("other").add("lag", Lag(u=1.0))
    with pytest.raises(FileError, match="the checkpoint is of another assembly"):
        ist.resume(tmp_path / "a.ckpt.h5", other)
    with pytest.raises(FileError, match="this is a simulation log, not a checkpoint"):
        ist.resume(tmp_path / "a.h5")


def test_a_saved_log_has_every_port_as_it_holds_at_the_times_of_the_states(tmp_path):
    flight = made()
    log = ist.simulate(flight, start(flight), until=0.3, step="4 ms")
    log.save(tmp_path / "run.h5", {"own": (log.t**2, "s^2")})
    found = ist.load(tmp_path / "run.h5")
    np.testing.assert_array_equal(found["lag.y"], log["lag.y"])
    np.testing.assert_array_equal(found["own"], log.t**2)
    assert found.units["own"] == "s^2" and found.units["gyro.rate"] == "rad/s"
    held = {one.name: one.values for one in found.columns()}
    for name, column, rows in (
        ("gyro.rate", held["gyro.rate[2]"], log["gyro.rate"][:, 2]),
        ("pid.u", held["pid.u"], log["pid.u"]),
    ):
        times = log.times(name)
        np.testing.assert_array_equal(found.times(name), times)
        expected = [rows[[k for k in range(len(times)) if times[k] <= t + 1e-9][-1]] for t in log.t]
        np.testing.assert_array_equal(column, expected)


def test_every_row_of_a_flight_has_what_devices_keep_and_a_file_says_what_it_has_not(tmp_path):
    flight = made()
    log = ist.simulate(flight, start(flight), until=0.05, step="5 ms", log=tmp_path / "run.h5")
    np.testing.assert_array_equal(log.operating_point().qv, log.end.qv)
    saved = ist.load(tmp_path / "run.h5")
    for k in (3, -1):
        mine, its = log.operating_point(k), saved.operating_point(k)
        assert mine.values.keys() == its.values.keys() and mine.t == its.t == log.t[k]
        for name, value in mine.values.items():
            np.testing.assert_array_equal(value, its.values[name])
    for ask in (
        lambda log: log.accelerations,
        lambda log: log.torque("bus"),
    ):
        ask(log)
        with pytest.raises(InputError, match=r"from a file|does not have what acted"):
            ask(ist.load(tmp_path / "run.h5"))


def test_a_resumed_run_keeps_rows_after_its_checkpoint_until_it_writes_them_again(tmp_path):
    """Killed at once after it was resumed, its log is no shorter than before."""
    path = tmp_path / "flight.h5"
    whole = ist.simulate(made(), start(made()), until=2, step="4 ms")
    broken_off(Runner(RunSpec(made(), start(made()), 2, "4 ms")), path, "0.33 s", 3)
    checkpoint = (tmp_path / "flight.ckpt.h5").read_bytes()
    (tmp_path / "flight.ckpt.h5").unlink()
    log = ist.simulate(made(), start(made()), until=2, step="4 ms", log=path)
    (tmp_path / "flight.ckpt.h5").write_bytes(checkpoint)
    rows = []
    real = Runner.run

    def run(flight):
        flight.log.store.write_to(flight.path, flight.log.events)
        rows.append(len(ist.load(path).t))
        flight.log.finished(None)
        rows.append(len(ist.load(path).t))
        flight.integrator.loop.release()

    try:
        Runner.run = run
        ist.resume(tmp_path / "flight.ckpt.h5", made())
    finally:
        Runner.run = real
    assert len(log.t) == len(whole.t) == rows[0] and rows[1] < rows[0]  # the second: a run that ended there


def test_a_file_whose_sampled_group_never_ran_is_read(tmp_path):
    flight = ist.Assembly("late", vehicle=made().vehicle)
    flight.add("pid", DiscretePID(kp=2.0), every="1 s", offset="5 s")
    log = ist.simulate(
        flight, start(flight), until=0.1, step="5 ms", set={"pid.seen": 1.0}, log=tmp_path / "a.h5"
    )
    assert len(log["pid.u"]) == 0
    found = ist.load(tmp_path / "a.h5")
    assert found["pid.u"].shape == log["pid.u"].shape and np.array_equal(found.q, log.q)


@pytest.mark.parametrize("row", [1.5, "end", None])
def test_a_row_is_asked_for_by_a_whole_number(row):
    flight = made()
    log = ist.simulate(flight, start(flight), until=0.05, step="5 ms")
    for door in (log.state, log.operating_point):
        with pytest.raises(InputError, match=f"whole number, -{len(log)} to {len(log) - 1}"):
            door(row)
    assert np.array_equal(log.state(np.int32(3)).q, log.q[3])


def lagging(path, **more):
    flight = ist.Assembly("x").add("lag", Lag(u=1.0))
    return ist.simulate(flight, None, until=0.2, step="10 ms", log=path, progress=False, **more)


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such permissions")
def test_a_log_keeps_its_permissions_and_follows_no_planted_link(tmp_path):
    before = os.umask(0o022)
    try:
        path, victim = tmp_path / "l.h5", tmp_path / "victim.txt"
        victim.write_text("precious")
        for name in (f".l.h5.{os.getpid()}.part", f".l.h5.{os.getppid()}.part"):
            (tmp_path / name).symlink_to(victim)
        lagging(path, checkpoint="0.1 s")
        both = path, path.with_suffix(".ckpt.h5")
        assert victim.read_text() == "precious" and [p.stat().st_mode & 0o777 for p in both] == [0o644] * 2
        for p in both:
            p.chmod(0o600)
        lagging(path, checkpoint="0.1 s")
        assert [p.stat().st_mode & 0o777 for p in both] == [0o600] * 2
    finally:
        os.umask(before)


def test_no_open_file_is_renamed(tmp_path, monkeypatch):
    """Windows refuses that; and the library knows no file of the folder while the part takes its place."""
    replace, seen = os.replace, []

    def watched(source, target):
        files = h5py.h5f.get_obj_ids(h5py.h5f.OBJ_ALL, h5py.h5f.OBJ_FILE)
        seen.append([name for f in files if str(tmp_path).encode() in (name := f.name)])
        replace(source, target)

    monkeypatch.setattr(os, "replace", watched)
    lagging(tmp_path / "l.h5")
    lagging(tmp_path / "l.h5")
    assert seen == [[], []]


def _lag(law):
    flight = ist.Assembly("lag").add("lag", Lag())
    flight.add("law", law, every="20 ms", out={"u": "N"}, inputs={"y": "N"})
    return flight.wire({"lag.y": "law.y", "law.u": "lag.u"})


def _still(t, y):
    return 0.0


def test_two_runs_that_write_one_log_do_not_damage_it(tmp_path, monkeypatch):
    """The name leads to the log of another run when ours is put there: ours is refused, and the other left alone."""
    ist.simulate(_lag(_still), None, log=tmp_path / "other.h5", until=1.0, step="10 ms", progress=False)
    other = (tmp_path / "other.h5").read_bytes()
    real = os.replace

    def overtaken(part, target):
        real(part, target)
        if str(target).endswith("log.h5"):
            (tmp_path / "between").write_bytes(other)
            real(tmp_path / "between", target)

    monkeypatch.setattr(os, "replace", overtaken)
    with pytest.raises(ist.InterstageError, match="another run writes the same log"):
        ist.simulate(_lag(_still), None, log=tmp_path / "log.h5", until=1.0, step="10 ms", progress=False)
    assert (tmp_path / "log.h5").read_bytes() == other


def test_a_log_that_is_replaced_while_it_is_written_is_told_of(tmp_path):
    """What the run wrote is not in the file of that name: silence would leave its user with another's rows."""
    path = tmp_path / "log.h5"

    def law(t, y):
        if t > 0.5 and path.exists():
            path.rename(tmp_path / "moved.h5")
        return 0.0

    flight = _lag(law)
    with pytest.warns(UserWarning, match="no longer at .*log.h5"):
        log = ist.simulate(flight, None, log=path, until=1.0, step="10 ms", progress=False)
    assert len(log.t) == len(ist.load(tmp_path / "moved.h5").t) == 101
