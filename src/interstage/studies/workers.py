"""Who does the runs: this process, processes of this machine, or the workers of a dask cluster.

All of them yield an outcome for every row, in whatever order. Short runs go out in bundles of about a fifth of a
second, longer ones for more than a hundred workers, so that whoever hands them out keeps up. Processes of this machine
write the files themselves; from a cluster outcomes travel back and the driver writes.
"""

from __future__ import annotations

import os
import pickle
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, wait
from contextlib import contextmanager, suppress
from multiprocessing import get_context
from multiprocessing.context import SpawnContext, SpawnProcess
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from interstage.errors import InputError, raised, shown
from interstage.interrupts import uninterrupted
from interstage.output import make_folder, write_bytes
from interstage.studies.design import Row
from interstage.studies.job import DIED, Job, Outcome, log_path, run_path, store

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

BUNDLE_S = 0.2  # seconds that a bundle of short runs shall take at least
TASK_S = 2e-3  # that a scheduler may take for a bundle: twice the millisecond that dask says of itself
MOST = 4096  # runs in a bundle
AHEAD = 2  # bundles that wait for each worker
CHANCES = 2  # how often a run may take its process down while it is alone there
STARTS = 3  # how often worker processes are started before it is given up
MOST_WORKERS = 1024  # processes of one machine
ALONE = 300.0  # s that a cluster may be without any worker
GLANCE, LOOK = 0.01, 1.0  # s between looks at what is done, and at which workers there are
LOSSES = 20  # times that a cluster may give up what it had, without a run done between
ONE_THREAD = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS")
MARK = "INTERSTAGE_WORKER"


class Hands(Protocol):
    """Something that does runs."""

    def work(self, rows: Sequence[Row]) -> Iterator[Outcome]:
        """Do runs and yield each outcome as it comes."""

    def close(self) -> None:
        """Give up the runs in hand, and let go of processes."""


def hands_of(job: Job, folder: Path | None, workers: object, cluster: object, runs: int) -> Hands:
    """Return who does the runs of a study."""
    if os.environ.get(MARK):
        raise InputError(
            "a worker process came upon the study that it works for",
            hint="put the call of monte_carlo under `if __name__ == '__main__':`",
        )
    if cluster is not None:
        if workers is not None:
            raise InputError("a cluster has workers of its own", where="workers")
        return Cluster(job, folder, cluster)
    if workers is None:
        workers = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if isinstance(workers, bool) or not isinstance(workers, int) or not 0 <= workers <= MOST_WORKERS:
        raise InputError(
            "workers is no number of processes", expected=f"0 to {MOST_WORKERS}", got=shown(workers)
        )
    if sys.platform == "win32":
        workers = min(workers, 61)  # more handles than these cannot be waited for there
    return Processes(job, folder, min(workers, max(runs, 1))) if workers and runs else Here(job, folder)


class Bundles:
    """Rows that are still to do, in bundles that take about as long as they should."""

    def __init__(self, rows: Sequence[Row], workers: int):
        self.rows, self.workers = list(reversed(rows)), workers
        self.length = max(BUNDLE_S, TASK_S * workers)
        self.seconds = 0.0
        self.done = 0

    def __bool__(self) -> bool:
        return bool(self.rows)

    def measured(self, outcomes: Sequence[Outcome]) -> None:
        """Take note of how long runs took."""
        self.seconds += sum(outcome.seconds for outcome in outcomes)
        self.done += len(outcomes)

    def next(self) -> list[Row]:
        """Return the next rows: fewer towards the end, so that nobody waits for one."""
        size = 1
        if self.done:
            size = int(self.length * self.done / max(self.seconds, 1e-9))
            size = max(1, min(size, MOST, len(self.rows) // (AHEAD * self.workers)))
        return [self.rows.pop() for _ in range(min(size, len(self.rows)))]


class Here:
    """Runs in this process, one after the other."""

    def __init__(self, job: Job, folder: Path | None):
        self.job, self.folder = job, folder

    def work(self, rows: Sequence[Row]) -> Iterator[Outcome]:
        for row in rows:
            outcome, log = self.job.run(row)
            if self.folder is not None:
                store(self.folder, outcome, log)
            yield outcome

    def close(self) -> None:
        pass


# processes of this machine --------------------------------------------------------------------------------

_JOB: dict[str, Any] = {}


def _begin(job: bytes, folder: Path | None, line: Connection) -> None:
    """Unpack, in a new process, what every run needs; what goes wrong is told by `_ready`."""
    threading.Thread(target=_end_with, args=(os.getppid(), line), daemon=True).start()
    try:
        _JOB.update(job=pickle.loads(job), folder=folder, fault="")
    except Exception as error:
        _JOB.update(fault=raised(error))


def _end_with(driver: int, line: Connection) -> None:
    """End this process when its driver hangs up, or is gone: one that was killed cannot say so."""
    with suppress(OSError, EOFError):  # Windows says so of a line that is closed
        while os.getppid() == driver and not line.poll(1.0):
            pass
    os.kill(os.getpid(), signal.SIGTERM)


def _ready() -> str:
    """Say what a worker lacks, "" for nothing."""
    return str(_JOB["fault"])


def _bundle(rows: list[Row]) -> list[Outcome]:
    """Do runs in a worker."""
    return list(Here(_JOB["job"], _JOB["folder"]).work(rows))


@contextmanager
def as_worker() -> Iterator[None]:
    """Let processes that start here be workers of one thread, which give the same bits wherever they run."""
    # Ctrl-C reaches all processes of a terminal: it is for the driver, which ends the others
    masks = hasattr(signal, "pthread_sigmask")
    with uninterrupted():
        before = {name: os.environ.get(name) for name in (*ONE_THREAD, MARK)}
        mask = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT]) if masks else set()
        try:
            os.environ.update(dict.fromkeys(before, "1"))
            yield
        finally:
            for name, value in before.items():
                if value is None:
                    os.environ.pop(name, None)
                else:
                    os.environ[name] = value
            if masks:
                signal.pthread_sigmask(signal.SIG_SETMASK, mask)


class Started(SpawnContext):
    """Starts processes that are no copies of this one, and knows them."""

    def __init__(self) -> None:
        super().__init__()
        self.processes: list[SpawnProcess] = []

    def Process(self, *args: Any, **kwargs: Any) -> SpawnProcess:  # type: ignore[override]
        """Return a process that is to be started."""
        self.processes.append(SpawnProcess(*args, **kwargs))
        return self.processes[-1]


def _end(pool: Executor, started: Started) -> None:
    """End the processes of a pool: those that work, wait or have not come as far, for which nobody waits."""
    with uninterrupted():
        for process in started.processes:
            if process.pid is not None:
                process.terminate()
        pool.shutdown(cancel_futures=True)


class Processes:
    """Runs in processes of this machine, each with one thread.

    A pool whose process died is made anew. The runs that were in hand then are suspects: each is done again with a
    process of its own, and one that kills that too is recorded as failed.
    """

    def __init__(self, job: Job, folder: Path | None, workers: int):
        try:
            self.packed = pickle.dumps(job)
        except Exception as error:
            raise InputError(
                "the study cannot travel to other processes",
                got=raised(error),
                hint="functions must stand in a module or script under their own names; workers=0 runs here",
            ) from None
        self.job, self.folder, self.workers = job, folder, workers
        # workers listen for the end of a driver that was killed; nothing is ever said. No lock, which a process
        # that is killed could keep
        self.line, self.end = get_context("spawn").Pipe(duplex=False)
        self.pool = self._started(workers)

    def _started(self, workers: int) -> Executor:
        """Return a pool that works; a process that is killed while it starts is started again."""
        for _ in range(STARTS - 1):
            try:
                return self.start_once(workers)
            except BrokenExecutor:
                continue
        try:
            return self.start_once(workers)
        except BrokenExecutor:
            raise InputError(
                "worker processes cannot start",
                got=f"they end at once, {STARTS} times: killed from outside (memory?), or by the script itself",
                hint="a script needs `if __name__ == '__main__':` around its calls, functions must stand in a module "
                "or script; fewer workers= need less memory, workers=0 runs here",
            ) from None

    def start_once(self, workers: int) -> Executor:
        """Return a pool whose first process has said that it is ready; BrokenExecutor where it died before."""
        from concurrent.futures import ProcessPoolExecutor  # which registers what is to be done at the end

        started = Started()
        pool = ProcessPoolExecutor(
            workers, mp_context=started, initializer=_begin, initargs=(self.packed, self.folder, self.line)
        )
        try:
            with as_worker():
                first = pool.submit(_ready)
            fault = first.result()
        except BaseException:
            _end(pool, started)
            raise
        if fault:
            _end(pool, started)
            raise InputError(
                "worker processes cannot start",
                got=fault,
                hint="a script needs `if __name__ == '__main__':` around its calls, functions must stand in a module "
                "or script; workers=0 runs here",
            )
        self.started = started
        return pool

    def _submit(self, rows: list[Row]) -> Future[list[Outcome]]:
        with as_worker():
            return self.pool.submit(_bundle, rows)

    def work(self, rows: Sequence[Row]) -> Iterator[Outcome]:
        bundles = Bundles(rows, self.workers)
        waiting: dict[Future[list[Outcome]], list[Row]] = {}
        while bundles or waiting:
            try:
                while bundles and len(waiting) < AHEAD * self.workers:
                    rows_next = bundles.next()
                    try:
                        waiting[self._submit(rows_next)] = rows_next
                    except BrokenExecutor:
                        bundles.rows += reversed(rows_next)
                        raise
                finished, _ = wait(waiting, return_when=FIRST_COMPLETED)
                for future in finished:
                    outcomes = future.result()
                    del waiting[future]
                    bundles.measured(outcomes)
                    yield from outcomes
            except BrokenExecutor:
                suspects = [row for bundle in waiting.values() for row in bundle]
                waiting = {}
                yield from self._alone(suspects)
                self.pool = self._started(self.workers)

    def _alone(self, suspects: list[Row]) -> Iterator[Outcome]:
        """Do runs one by one, each in a process that may die."""
        self.close()
        self.pool = self._started(1)
        for row in suspects:
            if self.folder is not None and run_path(self.folder, row.number).exists():
                yield Outcome.load(run_path(self.folder, row.number))
                continue
            for _ in range(CHANCES):
                try:
                    yield from self._submit([row]).result()
                    break
                except BrokenExecutor:
                    self.close()
                    self.pool = self._started(1)
            else:
                outcome = self.job.outcome(row, {}, DIED)
                if self.folder is not None:
                    store(self.folder, outcome, None)
                yield outcome
        self.close()

    def close(self) -> None:
        _end(self.pool, self.started)


# a cluster ------------------------------------------------------------------------------------------------


def _far(job: Job, rows: list[Row]) -> list[tuple[Outcome, bytes]]:
    """Do runs on a worker of a cluster; logs travel as the bytes of their files."""
    found = []
    for row in rows:
        outcome, log = job.run(row)
        data = b""
        if log is not None:
            with tempfile.TemporaryDirectory() as folder:
                log.save(Path(folder) / "log.h5")
                data = (Path(folder) / "log.h5").read_bytes()
        found.append((outcome, data))
    return found


class Cluster:
    """Runs on the workers of a dask cluster; dask repeats what a dead worker had in hand.

    What dask gives up is sent again; runs that are done stay done.
    """

    def __init__(self, job: Job, folder: Path | None, cluster: Any):
        try:
            from distributed import Client
        except ImportError:
            raise InputError(
                "clusters need dask.distributed", where="cluster", hint="pip install 'interstage[cluster]'"
            ) from None
        self.job, self.folder = job, folder
        self.own = not isinstance(cluster, Client)
        if self.own and not isinstance(cluster, str) and not hasattr(cluster, "scheduler_address"):
            raise InputError(
                "this is no cluster",
                where="cluster",
                expected="the address of a dask scheduler, or a distributed.Client",
                got=shown(cluster),
            )
        try:
            self.client = Client(cluster) if self.own else cluster
        except (OSError, TimeoutError, ValueError) as error:
            raise InputError("the cluster does not answer", where=shown(cluster), got=raised(error)) from None

    def work(self, rows: Sequence[Row]) -> Iterator[Outcome]:
        from importlib import import_module

        from distributed import as_completed

        self.sent: dict[Any, list[Row]] = {}
        self.queue, self.lost = as_completed([]), 0
        self.killed: dict[int, int] = {}
        # as dask itself: functions without a name travel too
        self.packed = import_module("cloudpickle").dumps(self.job)
        self._unpack()
        bundles = Bundles(rows, max(1, len(self.client.scheduler_info()["workers"])))
        while bundles and len(self.sent) < AHEAD * bundles.workers:
            self._send(bundles.next())
        for future in self._finished():
            some = self.sent.pop(future, None)
            if some is None:  # it was sent again
                continue
            outcomes = self._received(future, some)
            if bundles:
                self._send(bundles.next())
            bundles.measured(outcomes)
            yield from outcomes

    def _finished(self) -> Iterator[Any]:
        """Yield what is done, in its order; give up a cluster whose workers do not come back."""
        alive = looked = time.monotonic()
        while not self.queue.is_empty():
            if self.queue.has_ready():
                yield next(self.queue)
                alive = time.monotonic()
                continue
            time.sleep(GLANCE)
            now = time.monotonic()
            if now - looked < LOOK:
                continue
            looked = now
            if self.client.scheduler_info()["workers"]:
                alive = now
            if now - alive > ALONE:
                for future in self.sent:
                    future.cancel()
                raise InputError(
                    f"the cluster has had no worker for {ALONE:g} s",
                    hint="start workers again; with a folder, what is done stays done: call again",
                )

    def _unpack(self) -> None:
        """Let workers have what every run needs: as a task, which dask does again where all that had it died."""
        self.far_job = self.client.submit(pickle.loads, self.packed, pure=False)

    def _send(self, rows: list[Row]) -> None:
        if self.far_job.status not in ("pending", "finished"):
            self._unpack()
        future = self.client.submit(_far, self.far_job, rows, pure=False)
        self.sent[future] = rows
        self.queue.add(future)

    def _again(self, rows: list[Row]) -> None:
        """Send everything anew that dask gave up."""
        self.lost += 1
        if self.lost > LOSSES:
            raise InputError(
                f"the cluster gave up its work {LOSSES} times without a run done between",
                hint="look at the logs of its workers; with a folder, what is done stays done: call again",
            )
        waiting = [rows, *self.sent.values()]
        for future in self.sent:
            future.cancel()
        self.sent = {}
        self._unpack()
        for some in waiting:
            self._send(some)

    def _received(self, future: Any, rows: list[Row]) -> list[Outcome]:
        """Return outcomes, written where there is a folder; none where the runs were sent again."""
        from concurrent.futures import CancelledError

        from distributed.scheduler import KilledWorker

        try:
            found = future.result()
        except CancelledError:
            self._again(rows)
            return []
        except KilledWorker:
            if len(rows) > 1:  # one by one, to find the one that kills
                for row in rows:
                    self._send([row])
                return []
            number = rows[0].number
            self.killed[number] = self.killed.get(number, 0) + 1
            if self.killed[number] < CHANCES:  # its workers may have died of something else
                self._send(rows)
                return []
            found = [(self.job.outcome(rows[0], {}, DIED), b"")]
        self.lost = 0
        for outcome, log in found:
            if self.folder is not None:
                if log:
                    make_folder(self.folder / "logs")
                    write_bytes(log_path(self.folder, outcome.number), log, "log of a run")
                store(self.folder, outcome, None)
        return [outcome for outcome, _ in found]

    def close(self) -> None:
        if self.own:
            self.client.close()
