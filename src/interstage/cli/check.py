"""`interstage check`: one page about a deck, with everything that is wrong with it at once."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import typer

from interstage.cli import options
from interstage.output import json_text


def check(
    deck: Path = options.DECK,
    as_json: bool = options.AS_JSON,
    allow_outside: bool = options.ALLOW_OUTSIDE,
) -> None:
    """Look a deck over: counts, mass, units, free edges, supports, and all mistakes with their lines.

    Exit status 1 if it cannot be solved as it is.
    """
    from interstage.cli.inputs import check_deck as check_file
    from interstage.cli.progress import progress
    from interstage.cli.tables import plain_console, readable
    from interstage.fem.from_deck.check import check_deck

    check_file(deck)
    with progress(quiet=as_json) as report:
        report("looking the deck over")
        found = check_deck(deck, allow_outside)
    if as_json:
        print(json_text(asdict(found)))
    else:
        console = plain_console()
        for line in repr(found).splitlines():
            console.print(readable(line))
        names = ", ".join(f"{name} {n}" for name, n in found.cards.items())
        console.print(readable(f"  cards: {names or 'none'}"))
    if found.troubles:
        raise typer.Exit(1)
