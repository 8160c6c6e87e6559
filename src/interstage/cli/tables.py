"""How commands print: tables that are never squeezed, text that is never broken."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table


def plain_console() -> Console:
    """Return the console of a command: no colours by guess, and no line breaks but those of the text."""
    from rich.console import Console

    return Console(highlight=False, soft_wrap=True)


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
