"""How far a run has come: a bar on the terminal, or in a notebook, for runs that take more than two seconds.

Where nobody looks (no terminal) nothing is shown. Otherwise a run pauses some times a second, which changes nothing in
it, shows where it is and how fast beside the clock on the wall, and hears Ctrl-C. One that writes a file pauses too, as
often as rows are committed there, where others may follow them.
"""

from __future__ import annotations

import math
import sys
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress as Bar

PATIENCE_S = 2.0  # runs shorter than this show nothing
BLINK_S = 0.15  # seconds between two looks


def console() -> Console | None:
    """Return a console that someone looks at, None where there is none."""
    if not (sys.stderr is not None and sys.stderr.isatty()) and "ipykernel" not in sys.modules:
        return None
    from rich.console import Console

    return Console(stderr=True, markup=False, emoji=False, highlight=False)


class Progress:
    """The progress of a run from one time to another, until `close`.

    shown : False shows nothing;  commits : seconds between commits of rows to a file, 0: there is none
    """

    def __init__(self, name: str, start: float, until: float, shown: bool = True, commits: float = 0.0):
        self.name, self.start, self.until = name, start, until
        self.console = console() if shown else None
        self.every = max(commits, BLINK_S if self.console is not None else 0.0)  # seconds between two looks
        self.ahead = (until - start) / 2000.0
        self.begun = self.last = time.perf_counter()
        self.bar: Bar | None = None

    def close(self) -> None:
        """Take the bar away."""
        if self.bar is not None:
            self.bar.stop()

    def pause(self, t: float) -> float:
        """Return the time at which the run shall look up again."""
        return t + self.ahead if self.every else math.inf

    def show(self, t: float) -> None:
        """Show where the run is."""
        now = time.perf_counter()
        # as far ahead as takes about that long
        self.ahead *= min(4.0, max(0.1, self.every / max(now - self.last, 1e-6)))
        self.last = now
        if self.console is None or now - self.begun < PATIENCE_S:
            return
        if self.bar is None:
            self.bar = started(self.console, self.name, self.until - self.start)
        speed = (t - self.start) / (now - self.begun)
        self.bar.update(
            self.bar.task_ids[0],
            completed=t - self.start,
            description=f"{self.name}  t = {t:.{self._digits()}f} of {self.until:g} s",
            speed=f"{speed:.3g}× real time",
        )

    def _digits(self) -> int:
        """Return how many digits of the time are worth showing."""
        return max(0, 2 - math.floor(math.log10(max(self.until - self.start, 1e-9))))


def started(console: Console, name: str, total: float) -> Bar:
    """Return a bar that has begun: what it says, how far it is, its field `speed`, and the time left."""
    from rich.progress import BarColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(bar_width=28),
        TextColumn("{task.fields[speed]}", markup=False),
        TimeRemainingColumn(),
    )
    bar = Bar(*columns, console=console, transient=True)
    bar.add_task(name, total=total, speed="")
    bar.start()
    return bar
