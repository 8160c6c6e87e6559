"""Arguments and options that several commands have."""

from __future__ import annotations

from typing import Any

import typer


def _given(name: str, metavar: str, help: str, **more: int) -> Any:
    """Return an option that has a value or is left out."""
    return typer.Option(None, name, metavar=metavar, help=help, **more)


DECK = typer.Argument(..., metavar="DECK", help="NASTRAN deck; INCLUDEs are followed.")
AS_JSON = typer.Option(False, "--json", help="Print JSON for machines.")
ALLOW_OUTSIDE = typer.Option(False, "--allow-outside", help="Follow INCLUDEs that leave the deck's folder.")
SUBCASE = _given("--subcase", "S", "Subcase whose SPC, MPC and METHOD hold; the first for modes otherwise.")
FORCES = typer.Option(False, "--forces", help="Add element forces.")
STRESSES = typer.Option(False, "--stresses", help="Add element stresses.")
STRAINS = typer.Option(False, "--strains", help="Add elastic strains of bars, beams and shells.")
SPCFORCES = typer.Option(False, "--spcforces", help="Add forces of single-point constraints.")
CSV = _given("--csv", "FOLDER", "Write displacements and the tables asked for as CSV files.")
OUT = _given(
    "--out",
    "FILE",
    "Write results as op2, punch, universal file or listing: a name in .op2, .pch, .unv or .f06; may be repeated.",
)
LISTING = typer.Option(
    False, "--listing", help='Print a listing like an f06 file; with --json, put it under "listing".'
)


def how_many(help: str, least: int = 1) -> int | None:
    """Return the option `--modes N`."""
    return _given("--modes", "N", help, min=least)
