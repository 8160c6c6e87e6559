"""`interstage static`: displacements of a deck's subcases."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from interstage.cli.element_tables import CSV, FORCES, SPCFORCES, STRESSES, Asked, by_point
from interstage.output import json_text

if TYPE_CHECKING:
    from interstage.fem import Displacements


def static(
    deck: Path = typer.Argument(..., metavar="DECK", help="NASTRAN deck; INCLUDEs are followed."),
    as_json: bool = typer.Option(False, "--json", help="Print JSON for machines."),
    forces: bool = FORCES,
    stresses: bool = STRESSES,
    spcforces: bool = SPCFORCES,
    csv: Path | None = CSV,
    allow_outside: bool = typer.Option(
        False, "--allow-outside", help="Follow INCLUDEs that leave the deck's folder."
    ),
) -> None:
    """Static displacements, subcase by subcase, in each grid's output (CD) system; forces and stresses if asked."""
    from interstage.cli.inputs import check_deck
    from interstage.cli.progress import progress
    from interstage.fem import FEModel, static_subcases
    from interstage.nastran import read_deck

    with progress(quiet=as_json) as report:
        report("reading the deck")
        check_deck(deck)
        cards = read_deck(deck, allow_outside=allow_outside)
        report("assembling matrices")
        fe = FEModel.from_deck(cards)
        results = static_subcases(fe, progress=report)
    asked = Asked(forces, stresses, spcforces, csv)
    asked.carry_out(cards)
    tables = [asked.taken(result) for result in results]
    if csv is not None:
        _write(fe, results, tables, asked)
    if as_json:
        subcases = {str(r.subcase): _machine(fe, r, t, asked) for r, t in zip(results, tables)}
        notes = sorted({note for r in results for note in [*r.notes, *asked.notes(r)]})
        ignored = {"ignored": dict(sorted(cards.ignored.items())), "ignored_requests": cards.ignored_requests}
        print(json_text({"deck": fe.source, "subcases": subcases, "notes": notes, **ignored}))
    else:
        _show(fe, results, tables, asked, cards)


def _machine(fe, result: Displacements, tables: dict, asked: Asked) -> dict:
    from interstage.cli.element_tables import machine_tables

    out = {"displacements": by_point(fe, result.displacement), **machine_tables(tables)}
    if asked.spcforces:
        out["spcforces"] = by_point(fe, result.spc_forces)
    return out


def _write(fe, results, tables: list[dict], asked: Asked) -> None:
    from interstage.cli.element_tables import write_csv
    from interstage.fem.recovery import grid_table

    for result, taken in zip(results, tables):
        points = {"displacements": (fe.grids.id, grid_table(fe.grids, result.displacement).values)}
        if asked.spcforces:
            points["spcforces"] = (fe.grids.id, result.spcforces.values)
        write_csv(asked.csv, f"subcase_{result.subcase}", points, taken)


def _show(fe, results, tables, asked: Asked, cards, most: int = 40) -> None:
    from rich.table import Table

    from interstage.cli.element_tables import show_points, show_tables
    from interstage.cli.modes import show_ignored
    from interstage.cli.tables import plain_console, readable, show_table

    console = plain_console()
    console.print(readable(fe.source), style="bold", end="  ")
    console.print(f"{len(fe.grids)} grids, {fe.grids.n_dof} dofs")
    for result, taken in zip(results, tables):
        table = Table(title=f"subcase {result.subcase}", title_justify="left", box=None, padding=(0, 1, 0, 0))
        for name in ("grid", "T1", "T2", "T3", "R1", "R2", "R3"):
            table.add_column(name, justify="right")
        for gid, d in list(zip(fe.grids.id, fe.grids.dof))[:most]:
            table.add_row(str(gid), *(f"{value: .3e}" for value in result.displacement[d : d + 6]))
        show_table(console, table)
        if len(fe.grids) > most:
            console.print(f"... and {len(fe.grids) - most} more grids: --json prints them all")
        if asked.spcforces:
            show_points(console, "forces of single-point constraints", fe.grids.id, result.spcforces.values)
        show_tables(console, taken)
        console.print(f"residual of the solution: {result.residual:.1e}")
        for note in [*result.notes, *asked.notes(result)]:
            console.print(readable(note))
    show_ignored(console, cards)
