"""Who does the runs does not matter: processes, kills, a cluster, a study that goes on."""

from __future__ import annotations

import errno
import gc
import json
import os
import signal
import subprocess
import sys
import time
from concurrent.futures.process import BrokenProcessPool
from functools import partial
from pathlib import Path

import numpy as np
import pytest
import studied
from scipy import stats

import interstage as ist
from interstage.cli.info import info
from interstage.cli.report import report
from interstage.studies import workers
from interstage.studies.job import Outcome
from interstage.studies.workers import Bundles

A = {"a": stats.norm(1.0, 0.2)}
HERE = Path(__file__).parent


@pytest.fixture(scope="module")
def unbroken():
    """A study that nobody disturbed."""
    return ist.monte_carlo(studied.slow, A, 60, seed=9, workers=0)


def test_processes_give_the_same_bits(unbroken, tmp_path):
    study = ist.monte_carlo(studied.slow, A, 60, seed=9, folder=tmp_path, workers=2)
    assert study.digest == unbroken.digest
    assert study.repeat(17)["y"] == study["y"][17]
    back = ist.Study.load(tmp_path)
    assert back.digest == study.digest and ist.load(tmp_path / "summary.h5").digest == study.digest
    assert not list((tmp_path / "runs").glob(".*"))


def test_killed_workers_lose_nothing(unbroken, tmp_path, monkeypatch):
    marks = tmp_path / "marks"
    marks.mkdir()
    monkeypatch.setenv("STUDY_MARKS", str(marks))
    killer = subprocess.Popen([sys.executable, "-c", KILLER, str(marks), str(os.getpid())])
    study = ist.monte_carlo(studied.slow, A, 60, seed=9, folder=tmp_path / "mc", workers=2)
    assert killer.wait(30) == 0
    assert study.digest == unbroken.digest and not study.errors


KILLER = """
import os, signal, sys, time
marks, driver = sys.argv[1:]
killed = set()
end = time.time() + 60
while len(killed) < 3 and time.time() < end:
    pids = {int(name.split(".")[1]) for name in os.listdir(marks)} - killed - {int(driver)}
    if len(os.listdir(marks)) > 8 * (1 + len(killed)) and pids:
        pid = max(pids)
        killed.add(pid)
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
    time.sleep(0.003)
sys.exit(0 if killed else 1)
"""

DRIVER = """
import sys
sys.path.insert(0, sys.argv[2])
import studied
import interstage as ist
from scipy import stats
if __name__ == "__main__":
    study = ist.monte_carlo(studied.slow, {"a": stats.norm(1.0, 0.2)}, 60, seed=9, folder=sys.argv[1], workers=2)
    print(study.digest)
"""


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
def test_a_stopped_driver_goes_on_where_it_was(unbroken, tmp_path, how):
    script, folder, marks = tmp_path / "driver.py", tmp_path / "mc", tmp_path / "marks"
    script.write_text(DRIVER)
    marks.mkdir()
    call = [sys.executable, str(script), str(folder), str(HERE)]
    told = {**os.environ, "STUDY_MARKS": str(marks)}
    first = subprocess.Popen(
        call,
        start_new_session=True,
        stderr=subprocess.PIPE,
        text=True,
        env=told,
    )
    end = time.time() + 60
    while len(list((folder / "runs").glob("run_*"))) < 10 and time.time() < end:
        time.sleep(0.01)
    os.killpg(first.pid, how)  # Ctrl-C in a terminal reaches the driver and all its workers, too
    _, words = first.communicate(timeout=30)
    kept = {path: path.stat().st_mtime_ns for path in (folder / "runs").glob("run_*")}
    assert 10 <= len(kept) < 60
    if how == signal.SIGINT:
        *_, last = words.strip().splitlines()
        assert words.count("Traceback") == 1 and first.returncode != 0
        assert last.startswith("KeyboardInterrupt: the study was stopped after")
        assert last.endswith("of 60 runs: the same call goes on from there")
        assert not any(alive(int(name.split(".")[1])) for name in os.listdir(marks))
    second = subprocess.run(call, capture_output=True, text=True, timeout=120)
    assert second.stdout.strip() == unbroken.digest, second.stderr
    assert all(path.stat().st_mtime_ns == when for path, when in kept.items())


def alive(pid):
    """Return whether there is a process."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def test_a_run_that_kills_its_process_is_recorded_and_the_others_go_on(tmp_path):
    study = ist.monte_carlo(studied.kills, A, 12, folder=tmp_path, workers=2)
    assert study.errors == {3: "the process that ran it died"}
    assert np.isfinite(np.delete(study["y"], 3)).all()


def test_a_failed_flight_leaves_its_log(tmp_path):
    asked = {"tau": stats.uniform(0.2, 0.1)}
    study = ist.monte_carlo(studied.flies_and_fails, asked, 2, 0, ["final lag.y"], tmp_path, workers=0)
    assert "too much" in study.errors[0] and "too much" in study.errors[1]
    log = study.log(1)
    # software raises at the first sample above 0.9; the log ends there or a sample before
    end = np.ceil(-study["tau"][1] * np.log(0.1) / 0.1) * 0.1
    assert end - 0.11 < log.t[-1] < end + 0.01
    assert log["lag.y"] == pytest.approx(
        1 - np.exp(-log.t / study["tau"][1]), abs=2e-3
    )  # steps of half of tau


def test_logs_are_kept_where_asked(tmp_path):
    flight = {"x": None, "until": 0.5, "step": 0.1}
    study = ist.monte_carlo(
        studied.lag(), {"lag.tau": stats.uniform(0.4, 0.3)}, 2, 0, ["lag.y"], tmp_path, flight=flight,
        logs=True, workers=0,
    )  # fmt: skip
    assert sorted(path.name for path in (tmp_path / "logs").iterdir()) == ["run_000000.h5", "run_000001.h5"]
    assert np.array_equal(study.log(1)["lag.y"], study["lag.y"][1])


def test_more_runs_are_added(tmp_path):
    few = ist.monte_carlo(studied.linear, {n: stats.norm() for n in "abc"}, 5, 1, None, tmp_path, workers=0)
    many = ist.monte_carlo(studied.linear, {n: stats.norm() for n in "abc"}, 8, 1, None, tmp_path, workers=0)
    assert np.array_equal(many["y1"][:5], few["y1"]) and np.array_equal(many.seconds[:5], few.seconds)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"seed": 2}, "the folder holds another study.*seed 1, 5 runs of a, random"),
        ({"runs": 4}, "the folder holds more runs"),
        ({"build": studied.slow}, "runs of something else"),
        ({"outputs": ["y"]}, "runs of something else"),
    ],
)
def test_folders_hold_one_study(tmp_path, change, words):
    asked = {"build": studied.sometimes_fails, "dispersions": A, "runs": 5, "seed": 1, "folder": tmp_path}
    ist.monte_carlo(**asked, workers=0)
    with pytest.raises(ist.InterstageError, match=words):
        ist.monte_carlo(**(asked | change), workers=0)


def test_the_command_shows_a_study(tmp_path, capsys):
    ist.monte_carlo(studied.slow, A, 3, folder=tmp_path, workers=0)
    info(tmp_path / "summary.h5", False)
    assert "3 runs, seed 0, random points" in capsys.readouterr().out
    info(tmp_path / "summary.h5", True)
    assert json.loads(capsys.readouterr().out)["runs"] == 3


def test_a_file_of_another_run_is_not_believed(tmp_path):
    asked = {"build": studied.slow, "dispersions": A, "runs": 3, "folder": tmp_path, "workers": 0}
    ist.monte_carlo(**asked)
    (tmp_path / "runs" / "run_000002.h5").write_bytes((tmp_path / "runs" / "run_000001.h5").read_bytes())
    with pytest.raises(ist.InterstageError, match="the file is of another run"):
        ist.monte_carlo(**asked)


def test_two_drivers_in_one_folder(tmp_path):
    fcntl = pytest.importorskip("fcntl")
    with open(tmp_path / ".driver", "w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        with pytest.raises(ist.InterstageError, match="another study is at work in the folder"):
            ist.monte_carlo(studied.linear, A, 2, folder=tmp_path, workers=0)


def test_a_full_disk_keeps_what_is_done(tmp_path, monkeypatch):
    calls, real = [], os.fsync

    def full(file):
        calls.append(file)
        if len(calls) > 4:
            raise OSError(errno.ENOSPC, "No space left on device")
        real(file)

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(ist.InterstageError, match=r"cannot be written.*the disk is full"):
        ist.monte_carlo(studied.slow, A, 10, folder=tmp_path, workers=0)
    monkeypatch.undo()
    done = sorted(path.name for path in (tmp_path / "runs").iterdir())
    assert done == ["run_000000.h5", "run_000001.h5", "run_000002.h5"]
    study = ist.monte_carlo(studied.slow, A, 10, folder=tmp_path, workers=0)
    assert study.digest == ist.monte_carlo(studied.slow, A, 10, workers=0).digest


@pytest.mark.parametrize(
    ("workers", "seconds", "size"),
    [(2, 0.01, 20), (100, 0.01, 20), (1000, 0.01, 200), (1000, 5.0, 1), (2, 1e-9, 4096)],
)
def test_short_runs_go_out_in_bundles_that_a_scheduler_can_hand_out(workers, seconds, size):
    """A fifth of a second, or 2 ms for each worker: a task of dask takes about one."""
    bundles = Bundles(list(range(10**6)), workers)
    assert len(bundles.next()) == 1
    bundles.measured([Outcome(0, {}, "", seconds)])
    assert len(bundles.next()) == size
    bundles.rows = bundles.rows[: 4 * workers]
    assert len(bundles.next()) <= 2  # towards the end fewer: nobody waits for one


def test_scripts_without_a_guard_are_told(tmp_path):
    script = tmp_path / "unguarded.py"
    script.write_text(DRIVER.replace('if __name__ == "__main__":\n    ', "").replace("    print", "print"))
    call = [sys.executable, str(script), str(tmp_path / "mc"), str(HERE)]
    found = subprocess.run(call, capture_output=True, text=True, timeout=120)
    assert "worker processes cannot start" in found.stderr and "__main__" in found.stderr


SLOW_TO_START = """
import os, signal, sys, threading, time
from pathlib import Path
if os.environ.get("INTERSTAGE_WORKER"):
    mark = Path(sys.argv[1])
    if mark.exists():  # all workers but the first of all
        time.sleep(300)
    mark.touch()
import interstage as ist
from scipy import stats

def build(row):
    return {"y": 2 * row["a"]}

def study():
    return ist.monte_carlo(build, {"a": stats.norm()}, 30, seed=3, workers=2, progress=False)

if __name__ == "__main__":
    before = dict(os.environ)
    print(study()["y"].sum())
    later = threading.Timer(2.0, os.kill, [os.getpid(), signal.SIGINT])
    later.start()
    try:
        study()
    except KeyboardInterrupt as why:
        print(why)
    print(dict(os.environ) == before)
"""


def test_nobody_waits_for_workers_that_are_not_needed(tmp_path):
    """A study that is done, and one that is stopped, end though their second and first worker still start."""
    script = tmp_path / "slow_to_start.py"
    script.write_text(SLOW_TO_START)
    call = [sys.executable, str(script), str(tmp_path / "mark")]
    found = subprocess.run(call, capture_output=True, text=True, timeout=120)
    here = ist.monte_carlo(studied.doubled, {"a": stats.norm()}, 30, seed=3, workers=0)
    total, why, same = found.stdout.splitlines()
    assert float(total) == here["y"].sum()
    assert why == "the study was stopped after 0 of 30 runs: nothing is kept without a folder"
    assert same == "True" and not found.stderr


def test_an_interrupt_while_a_worker_starts_is_heard_afterwards():
    """What the worker is told by the environment is taken back, else the next study took itself for a worker."""
    before, done = dict(os.environ), []
    with pytest.raises(KeyboardInterrupt), workers.as_worker():
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(0.01)
        done.append(os.environ[workers.MARK])
    assert done == ["1"] and dict(os.environ) == before


def test_a_cluster_that_loses_all_its_workers_goes_on(unbroken, tmp_path, monkeypatch):
    """Both workers die at once, twice: what they were given dies with them, and is given anew."""
    distributed = pytest.importorskip("distributed")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(HERE), *sys.path]))
    quiet = {"dashboard_address": None, "silence_logs": "CRITICAL", "threads_per_worker": 1}
    done: list[int] = []

    def kill_at(folder, outcome, log):
        done.append(outcome.number)
        if len(done) in (10, 25):
            for nanny in cluster.workers.values():  # one that is starting anew would be given up by dask
                if nanny.pid is not None and nanny.worker_address in cluster.scheduler.workers:
                    os.kill(nanny.pid, signal.SIGKILL)
        return stored(folder, outcome, log)

    stored = workers.store
    monkeypatch.setattr(workers, "store", kill_at)
    with distributed.LocalCluster(n_workers=2, processes=True, **quiet) as cluster:
        study = ist.monte_carlo(studied.slow, A, 60, seed=9, folder=tmp_path / "mc", cluster=cluster)
    gc.collect()
    assert study.digest == unbroken.digest and not study.errors
    assert sorted(done) == list(range(60))  # what is done is not done again


def test_a_cluster_whose_workers_do_not_come_back_is_given_up(tmp_path, monkeypatch):
    distributed = pytest.importorskip("distributed")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(HERE), *sys.path]))
    monkeypatch.setattr(workers, "ALONE", 1.5)
    quiet = {"dashboard_address": None, "silence_logs": "CRITICAL", "threads_per_worker": 1}

    def leave_at(folder, outcome, log):
        cluster.scale(0)
        return stored(folder, outcome, log)

    stored = workers.store
    monkeypatch.setattr(workers, "store", leave_at)
    given_up = pytest.raises(ist.InterstageError, match=r"no worker for 1\.5 s; .* what is done stays done")
    with distributed.LocalCluster(n_workers=1, processes=False, **quiet) as cluster, given_up:
        ist.monte_carlo(studied.slow, A, 60, seed=9, folder=tmp_path / "mc", cluster=cluster)
    assert 0 < len(list((tmp_path / "mc" / "runs").iterdir())) < 60


def test_a_worker_killed_while_it_starts_is_started_again(unbroken, tmp_path, monkeypatch):
    """The first pool dies before it says that it is ready: the study goes on with a second."""
    starts = []

    def start(self, count):
        pool = begun(self, count)
        starts.append(pool)
        if len(starts) == 1:
            pool.shutdown(cancel_futures=True)
            raise BrokenProcessPool("killed")
        return pool

    begun = workers.Processes.start_once
    monkeypatch.setattr(workers.Processes, "start_once", start)
    study = ist.monte_carlo(studied.slow, A, 60, seed=9, folder=tmp_path, workers=1)
    assert study.digest == unbroken.digest and len(starts) == 2


def test_a_cluster_gives_the_same_bits_though_a_worker_dies(unbroken, tmp_path, monkeypatch):
    distributed = pytest.importorskip("distributed")
    marks = tmp_path / "marks"
    marks.mkdir()
    monkeypatch.setenv("STUDY_MARKS", str(marks))
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(HERE), *sys.path]))
    quiet = {"dashboard_address": None, "silence_logs": "CRITICAL", "threads_per_worker": 1}
    with distributed.LocalCluster(n_workers=2, processes=True, **quiet) as cluster:
        killer = subprocess.Popen(
            [sys.executable, "-c", KILLER.replace("< 3 and", "< 1 and"), str(marks), str(os.getpid())]
        )
        study = ist.monte_carlo(
            studied.slow, A, 60, seed=9, folder=tmp_path / "mc", cluster=cluster.scheduler_address
        )
        assert killer.wait(30) == 0
    gc.collect()  # sockets that dask leaves to the collector would warn in the middle of another test
    assert study.digest == unbroken.digest and not study.errors


def times(k):
    """Return a function that holds a number, as people write them in notebooks."""
    return lambda row: {"y": k * row["a"]}


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (lambda row: {"y": row["a"]}, lambda row: {"y": 2 * row["a"]}),
        (lambda row: {"y": row.seed}, lambda row: {"y": row.number}),
        (times(1.0), times(2.0)),
        (partial(studied.scaled, 1.0), partial(studied.scaled, 2.0)),
    ],
)
def test_functions_without_a_name_are_told_apart(tmp_path, first, second):
    asked = {"dispersions": A, "runs": 2, "folder": tmp_path, "workers": 0}
    ist.monte_carlo(first, **asked)
    ist.monte_carlo(first, **asked)
    with pytest.raises(ist.InterstageError, match="runs of something else"):
        ist.monte_carlo(second, **asked)
    kept = asked | {"build": studied.linear, "dispersions": dict.fromkeys("abc", A["a"])}
    kept["folder"] = tmp_path / "kept"
    ist.monte_carlo(**kept, outputs={"y": lambda found: found["y1"]})
    with pytest.raises(ist.InterstageError, match="runs of something else"):
        ist.monte_carlo(**kept, outputs={"y": lambda found: found["y2"]})


PROJECT = {
    "build.py": "import masses\nfrom parts import springs\n\ndef build(row):\n"
    "    return {'y': springs.k * masses.total() * row['a']}\n",
    "masses.py": "from deep import M\n\ndef total():\n    return M\n",
    "deep.py": "M = [1.0][0]\n",
    "parts/__init__.py": "",
    "parts/springs.py": "k = [1.0][0]\n",
}


def test_changes_in_modules_beside_that_of_the_build_function_are_seen(tmp_path):
    """In processes of their own: what each says is the fingerprint of the study."""
    for name, text in PROJECT.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    said = [_fingerprint_in(tmp_path)]
    assert _fingerprint_in(tmp_path) == said[0]
    (tmp_path / "unrelated.py").write_text("M = 3\n")
    assert _fingerprint_in(tmp_path) == said[0]
    for name in ("deep.py", "parts/springs.py", "masses.py"):
        (tmp_path / name).write_text(PROJECT[name] + "# changed\n")
        said.append(_fingerprint_in(tmp_path))
    assert len(set(said)) == 4 and all(said)


def _fingerprint_in(folder):
    script = "import build\nfrom interstage.studies.job import fingerprint\n"
    script += "from interstage.studies.job import Job\nprint(fingerprint(Job(build.build, None)))"
    call = [sys.executable, "-c", script]
    path = os.pathsep.join([str(folder), *sys.path])
    done = subprocess.run(
        call, cwd=folder, env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_the_command_reports_a_study(tmp_path):
    ist.monte_carlo(studied.slow, A, 3, folder=tmp_path / "mc", workers=0)
    report(tmp_path / "mc", None, None)
    page = (tmp_path / "mc.html").read_text(encoding="utf-8")
    assert "Levels" in page and "noise" in page
    report(tmp_path / "mc" / "summary.h5", tmp_path / "other.html", None)
    assert ist.Study.load(tmp_path / "mc").digest in (tmp_path / "other.html").read_text(encoding="utf-8")
    (tmp_path / "empty").mkdir()
    with pytest.raises(ist.InterstageError, match="this is a folder"):
        report(tmp_path / "empty", None, None)
