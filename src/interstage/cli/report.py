"""`interstage report`: one HTML page on a deck, a component, a linear model, a simulation, a flight, a study."""

from __future__ import annotations

from pathlib import Path

import typer


def report(
    file: Path = typer.Argument(
        ...,
        metavar="FILE",
        help="Component file, linear-model file, log of a simulation or flight, summary or folder of a study; or a "
        "NASTRAN deck, whose modes or displacements move.",
    ),
    output: Path | None = typer.Option(
        None, "--output", "-o", metavar="OUT.html", help="Page to write; FILE with .html otherwise."
    ),
    deck: Path | None = typer.Option(
        None, "--deck", metavar="DECK", help="NASTRAN deck of a component or flight, to draw its elements."
    ),
) -> None:
    """Write a page with tables, charts and animated mode shapes that opens offline."""
    from interstage.cli.progress import progress
    from interstage.output import checked_target
    from interstage.report.sources import report_file

    output = output or file.parent / f"{file.stem}.html"  # also of "."
    checked_target(output, "report", source=file)
    with progress(quiet=False) as say:
        say("reading the file")
        page = report_file(file, deck)
        say("writing the page")
        page.save(output)
    print(f"open {output} in a browser")
