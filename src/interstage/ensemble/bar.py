"""How far a study has come: a bar with rate and time left, for those that take over two seconds."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from interstage.system.progress import PATIENCE_S, console, started

if TYPE_CHECKING:
    from rich.progress import Progress


class Bar:
    """The progress of `runs` runs of which some are done already."""

    def __init__(self, runs: int, done: int, shown: bool = True):
        self.runs, self.done, self.failed = runs, done, 0
        self.begun, self.first = time.perf_counter(), done
        self.console = console() if shown else None
        self.bar: Progress | None = None

    def step(self, failed: bool) -> None:
        """Count one run."""
        self.done += 1
        self.failed += failed
        seconds = time.perf_counter() - self.begun
        if self.console is None or seconds < PATIENCE_S:
            return
        if self.bar is None:
            self.bar = started(self.console, "runs", self.runs)
        rate = (self.done - self.first) / seconds
        failures = f", {self.failed} failed" if self.failed else ""
        self.bar.update(
            self.bar.task_ids[0],
            completed=self.done,
            description=f"{self.done} of {self.runs} runs{failures}",
            speed=f"{rate:.3g} runs/s",
        )

    def close(self) -> None:
        """Take the bar away."""
        if self.bar is not None:
            self.bar.stop()
