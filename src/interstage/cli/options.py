"""Arguments and options that several commands have."""

from __future__ import annotations

import typer

DECK = typer.Argument(..., metavar="DECK", help="NASTRAN deck; INCLUDEs are followed.")
AS_JSON = typer.Option(False, "--json", help="Print JSON for machines.")
ALLOW_OUTSIDE = typer.Option(False, "--allow-outside", help="Follow INCLUDEs that leave the deck's folder.")
SUBCASE = typer.Option(
    None,
    "--subcase",
    metavar="S",
    help="Subcase whose SPC, MPC and METHOD hold; the first for modes otherwise.",
)
FORCES = typer.Option(False, "--forces", help="Add element forces.")
STRESSES = typer.Option(False, "--stresses", help="Add element stresses.")
STRAINS = typer.Option(False, "--strains", help="Add elastic strains of bars, beams and shells.")
SPCFORCES = typer.Option(False, "--spcforces", help="Add forces of single-point constraints.")
CSV = typer.Option(
    None, "--csv", metavar="FOLDER", help="Write displacements and the tables asked for as CSV files."
)


OUT = typer.Option(
    None,
    "--out",
    metavar="FILE",
    help="Write results as op2, punch, universal file or listing: a name in .op2, .pch, .unv or .f06; may be repeated.",
)
LISTING = typer.Option(False, "--listing", help="Print a listing like an f06 file.")


def how_many(help: str, least: int = 1) -> int | None:
    """Return the option `--modes N`."""
    return typer.Option(None, "--modes", metavar="N", min=least, help=help)
