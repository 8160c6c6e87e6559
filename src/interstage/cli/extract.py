"""`interstage extract`: a part of a system deck as a deck of its own."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from interstage.cli import options


def extract(
    deck: Path = options.DECK,
    output: Path = typer.Option(..., "--output", "-o", metavar="PART.bdf", help="Deck to write."),
    properties: Annotated[
        str | None, typer.Option("--properties", metavar="1,2", help="Take the elements of these properties.")
    ] = None,
    elements: Annotated[
        str | None, typer.Option("--elements", metavar="101-120,140", help="Take these elements.")
    ] = None,
    sets: Annotated[
        str | None,
        typer.Option(
            "--sets", metavar="5", help="Take the elements of these SETs of case control, or SET1 cards."
        ),
    ] = None,
    box: Annotated[
        str | None,
        typer.Option("--box", metavar="X0,Y0,Z0,X1,Y1,Z1", help="Take the elements inside, basic axes."),
    ] = None,
    without: Annotated[
        str | None,
        typer.Option(
            "--without", metavar="301,302", help="Leave these elements, masses or rigid elements out."
        ),
    ] = None,
    allow_outside: bool = options.ALLOW_OUTSIDE,
) -> None:
    """Cut a part out of a system deck and name the grids at which it meets the rest.

    The interface that is printed is the --aset of `interstage component`.
    """
    from interstage.cli.component import grid_ids
    from interstage.cli.inputs import check_deck
    from interstage.cli.tables import plain_console, readable
    from interstage.fem import extract as cut
    from interstage.nastran import read_deck

    check_deck(deck)
    part = cut(
        read_deck(deck, allow_outside=allow_outside),
        properties=grid_ids("--properties", properties),
        elements=grid_ids("--elements", elements),
        sets=grid_ids("--sets", sets),
        box=box.split(",") if box else None,
        without=grid_ids("--without", without),
    )
    console = plain_console()
    console.print(
        readable(f"{part.save(output)}: {', '.join(f'{k} {v}' for k, v in part.deck.counts.items())}")
    )
    for note in part.notes:
        console.print(readable(f"- {note}"))
    aset = ",".join(f"{grid}:{components}" for grid, components in part.interface.items())
    console.print(readable(f"interface: {aset or 'none'}"))
