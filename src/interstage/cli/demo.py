"""`interstage demo`: the whole pipeline on a bundled vehicle."""

from __future__ import annotations

from pathlib import Path

import typer

from interstage.errors import percent
from interstage.output import json_text


def demo(
    out: Path = typer.Option(
        Path("demo"), "--out", "-o", metavar="DIR", help="Folder for the files; made if absent."
    ),
    as_json: bool = typer.Option(False, "--json", help="Print JSON for machines."),
) -> None:
    """From a NASTRAN deck of a launch vehicle to a report to look at, in a couple of minutes."""
    from interstage.cli.progress import steps
    from interstage.demo.pipeline import run_demo

    with steps(quiet=as_json) as report:
        made = run_demo(out, report)
    errors = made.frequency_errors(20)
    found = {
        "report": str(made.files["report"]),
        "files": {key: str(path) for key, path in made.files.items()},
        "first_elastic_hz": float(made.locked_modes.frequencies_hz[6]),
        "largest_frequency_error": float(abs(errors).max()),
        "states": int(made.lin.n_states),
        "seconds": {name: round(seconds, 3) for name, seconds in made.walls},
        "wall_seconds": round(made.wall_s, 3),
        "compile_seconds": round(made.compiled, 3),
    }
    if as_json:
        print(json_text(found))
        return
    _show(found)


def _show(found: dict) -> None:
    from rich.table import Table

    from interstage.cli.tables import plain_console, readable, show_table

    console = plain_console()
    table = Table(show_header=False, box=None)
    table.add_column(style="dim")
    table.add_column()
    for key, path in found["files"].items():
        if key != "report":
            table.add_row(key, readable(path))
    table.add_row("first bending", f"{found['first_elastic_hz']:.4f} Hz, engines locked")
    worst = percent(found["largest_frequency_error"])
    table.add_row("against finite elements", f"20 elastic frequencies within {worst}")
    table.add_row("linear model", f"{found['states']} states")
    compiled = f"{found['compile_seconds']:.0f} s of them for compiling kernels"
    table.add_row("wall time", f"{found['wall_seconds']:.0f} s, {compiled}")
    show_table(console, table)
    console.print(f"open {readable(found['report'])} in a browser")
