"""`interstage check`: one page about a deck, with everything that is wrong with it at once."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import typer

from interstage.cli import options
from interstage.output import json_text


def check(
    deck: Path = typer.Argument(..., metavar="DECK|FILE.h5", help="NASTRAN deck, or component file."),
    against: Path | None = typer.Option(
        None, "--deck", metavar="DECK", help="Deck of the component file, to compare its mass with."
    ),
    as_json: bool = options.AS_JSON,
    allow_outside: bool = options.ALLOW_OUTSIDE,
) -> None:
    """Look a deck over: counts, mass, units, free edges, supports, and all mistakes with their lines.

    Of a component file: grounding, interface, mass, lumped bodies in and out, precision. Exit status 1 if a deck cannot
    be solved as it is, or an item of a component fails.
    """
    if deck.suffix.lower() in (".h5", ".hdf5"):
        _component(deck, against, as_json)
        return
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


def _component(file: Path, deck: Path | None, as_json: bool) -> None:
    """Print the check of a component file."""
    from interstage.cli.tables import plain_console, readable
    from interstage.component import Component

    found = Component.load(file).check(deck)
    if as_json:
        print(json_text({**asdict(found), "passed": found.passed}))
    else:
        console = plain_console()
        for line in repr(found).splitlines():
            console.print(readable(line))
    if not found.passed:
        raise typer.Exit(1)
