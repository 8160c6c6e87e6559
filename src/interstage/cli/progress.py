"""Show what is going on when it takes more than two seconds."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from interstage.cli.tables import plain_console

PATIENCE_S = 2.0


@contextmanager
def progress(quiet: bool = False) -> Iterator[Callable[[str], None]]:
    """Yield a function that takes a word on the current step; it shows a spinner on stderr once work gets long.

    Without a terminal one plain line is written, for the first step that starts after two seconds.
    """
    if quiet:
        yield lambda text: None
        return
    if not sys.stderr.isatty():
        start, say = time.perf_counter(), _one_line()
        yield lambda text: say(text) if time.perf_counter() - start > PATIENCE_S else None
        return
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (SpinnerColumn(), TextColumn("{task.description}", markup=False), TimeElapsedColumn())
    with Progress(*columns, console=plain_console(stderr=True), transient=True) as bar:
        task = bar.add_task("starting")
        yield lambda text: bar.update(task, description=text)


def _one_line() -> Callable[[str], None]:
    """Return a function that writes the first words it is given to stderr, and no others."""
    said: list[str] = []

    def line(text: str) -> None:
        if not said:
            said.append(text)
            print(f"interstage: {text} ...", file=sys.stderr, flush=True)

    return line


def _step_line(done: int, total: int, words: str) -> None:
    """Write to stderr which step begins."""
    if done < total:
        print(f"interstage: step {done + 1} of {total}: {words} ...", file=sys.stderr, flush=True)


@contextmanager
def steps(quiet: bool = False) -> Iterator[Callable[[int, int, str], None]]:
    """Yield a function (steps done, steps in all, words on the next): a bar on a terminal, a line a step elsewhere."""
    if quiet:
        yield lambda done, total, words: None
        return
    if not sys.stderr.isatty():
        yield _step_line
        return
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        SpinnerColumn,
        TextColumn,
        TimeElapsedColumn,
    )

    columns = (
        SpinnerColumn(),
        BarColumn(bar_width=24),
        MofNCompleteColumn(),
        TextColumn("{task.description}", markup=False),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=plain_console(stderr=True), transient=True) as bar:
        task = bar.add_task("starting", total=None)
        yield lambda done, total, words: bar.update(task, completed=done, total=total, description=words)
