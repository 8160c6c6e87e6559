"""How commands print: tables that are never squeezed, text that is never broken."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from interstage.output import utf8

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table


def plain_console(stderr: bool = False) -> Console:
    """Return the console of a command: no colours by guess, and no line breaks but those of the text.

    No text is taken for markup: `[bold]` and `:smile:` in a name stay what they are.
    """
    from rich.console import Console

    return Console(stderr=stderr, markup=False, emoji=False, highlight=False, soft_wrap=True)


def readable(text: str) -> str:
    """Return text with its control characters spelled out, so that no file can steer a terminal.

    >>> readable("a\\x1b[31mb")
    'a\\\\x1b[31mb'
    """
    data = utf8(text)
    text = text if data is None else data.decode("utf-8")
    return "".join(c if c.isprintable() or c == "\n" else c.encode("unicode_escape").decode() for c in text)


def tolerant_output() -> None:
    """Let every character be printed: those that the locale lacks are spelled out; a closed output takes nothing."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115
        elif hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")


def show_table(console: Console, table: Table) -> None:
    """Print a table in its full width; what stands in its cells is text, never markup.

    A table that is squeezed into the width of a terminal, or into the 80 columns that are assumed for a pipe, loses
    digits of its numbers; a terminal that is too narrow breaks the lines instead.
    """
    from rich.measure import Measurement

    for column in table.columns:
        column.no_wrap = True
    options = console.options.update(width=100_000, markup=False)
    before, natural = console.width, Measurement.get(console, options, table).maximum
    console.width = max(before, natural)
    try:
        console.print(table, markup=False)
    finally:
        console.width = before
