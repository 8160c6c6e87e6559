"""`interstage buckling`: load factors of a deck's static subcase."""

from __future__ import annotations

from pathlib import Path

import typer

from interstage.cli import options
from interstage.output import json_text


def buckling(
    deck: Path = options.DECK,
    n_modes: int | None = options.how_many(
        "Number of load factors; the deck's EIGRL or EIGB decides otherwise."
    ),
    subcase: int | None = typer.Option(None, "--subcase", metavar="ID", help="Buckling subcase."),
    full: bool = typer.Option(
        False, "--full", help="Complete displacement gradients in place of NASTRAN's element forms."
    ),
    as_json: bool = options.AS_JSON,
    allow_outside: bool = options.ALLOW_OUTSIDE,
) -> None:
    """Linear buckling: factors by which the loads of the static subcase make the structure unstable."""
    from interstage.cli.inputs import read_model
    from interstage.cli.progress import progress
    from interstage.fem import buckling as solve

    with progress(quiet=as_json) as report:
        cards, fe = read_model(deck, allow_outside, report)
        report("load factors")
        result = solve(fe, subcase, n_modes, form="full" if full else "nastran")
    if as_json:
        data = {
            "deck": fe.source,
            "load_factors": result.load_factors.tolist(),
            "residuals": result.residuals.tolist(),
            "checked": result.sturm_checked,
            "notes": result.notes,
            "ignored": dict(sorted(cards.ignored.items())),
            "ignored_requests": cards.ignored_requests,
        }
        print(json_text(data))
    else:
        _show(fe, result, cards)


def _show(fe, result, cards) -> None:
    from rich.table import Table

    from interstage.cli.modes import show_ignored
    from interstage.cli.tables import plain_console, show_table

    console = plain_console()
    console.print(fe.source, style="bold", end="  ", markup=False)
    console.print(f"{len(fe.grids)} grids, {fe.grids.n_dof} dofs")
    table = Table(title=f"{len(result.load_factors)} load factors", title_justify="left")
    for name in ("mode", "load factor", "residual"):
        table.add_column(name, justify="right")
    for i, (factor, rest) in enumerate(zip(result.load_factors, result.residuals)):
        table.add_row(str(i + 1), f"{factor:.7g}", f"{rest:.1e}")
    show_table(console, table)
    show_ignored(console, cards)
    for note in result.notes:
        console.print(note, markup=False)
