"""Two processes share the jobs of compiling: each takes the next one whenever it has nothing else to do.

Kernels land in the cache on disk, where both find them. The second process does jobs alone; this one does its own work,
and instead of waiting for what it needs next it does jobs, too.
"""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from interstage.demo.jobs import Groups, groups
from interstage.jit import COMPILED


class Shared:
    """Jobs in groups, and a second process that does them in order."""

    def __init__(self, work: Groups, process: subprocess.Popen):
        self.process = process
        self._group = {name: group for group, jobs in work.items() for name in jobs}
        self._jobs = {name: job for jobs in work.values() for name, job in jobs.items()}
        self._left = list(self._jobs)
        self._undone = set(self._jobs)
        self._changed = threading.Condition()
        self._feeder = threading.Thread(target=self._feed, daemon=True)
        self._feeder.start()

    def finish(self, group: str) -> None:
        """Return when all jobs of a group are done; meanwhile do jobs here, of later groups if none is left in this."""
        wanted = {name for name, of in self._group.items() if of == group}
        while wanted & self._undone:
            name = self._take()
            if name is not None:
                self._jobs[name]()
                self._did(name)
                continue
            with self._changed:
                self._changed.wait_for(lambda: not wanted & self._undone)

    def _take(self) -> str | None:
        with self._changed:
            return self._left.pop(0) if self._left else None

    def _did(self, *names: str) -> None:
        with self._changed:
            self._undone.difference_update(names)
            self._changed.notify_all()

    def _feed(self) -> None:
        """Hand jobs to the second process, one after the other; what it leaves undone is compiled where it is used."""
        said, heard = self.process.stdin, self.process.stdout
        assert said is not None and heard is not None
        name = self._take()
        while name is not None:
            try:
                print(name, file=said, flush=True)
                answer = heard.readline().strip()
            except (OSError, ValueError):  # it has ended, or is being ended
                answer = ""
            self._did(name)
            if answer != name:
                return
            name = self._take()


@contextmanager
def sharing() -> Iterator[Shared | None]:
    """Compile in a second process meanwhile; nothing where there is one core only or no compiler is used."""
    if (os.cpu_count() or 1) < 2 or not COMPILED:
        yield None
        return
    process = subprocess.Popen(
        [sys.executable, "-m", "interstage.demo.shared"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        encoding="utf-8",
        errors="replace",
    )
    try:
        yield Shared(groups(), process)
    finally:
        if process.poll() is None:
            process.terminate()
        process.wait()


def do_as_told() -> None:
    """Do the jobs whose names come in, and say each that is done."""
    jobs = {name: job for group in groups().values() for name, job in group.items()}
    for line in sys.stdin:
        jobs[line.strip()]()
        print(line.strip(), flush=True)


if __name__ == "__main__":
    do_as_told()
