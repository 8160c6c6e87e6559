"""`interstage component`: a deck to a component file."""

from __future__ import annotations

from pathlib import Path

import typer

from interstage.cli import options


def component(
    deck: Path = options.DECK,
    output: Path = typer.Option(..., "--output", "-o", metavar="FILE.h5", help="Component file to write."),
    n_modes: int | None = options.how_many(
        "Flexible modes of a free body, fixed-interface modes with --aset; the deck's EIGRL otherwise.", 0
    ),
    aset: str | None = typer.Option(
        None,
        "--aset",
        metavar="1:123456,9:123",
        help="Interface grids; the deck's ASET, BSET, SUPORT otherwise.",
    ),
    rvdof: str | None = typer.Option(None, "--rvdof", metavar="57:123", help="Grids with residual vectors."),
    modal_integrals: bool = typer.Option(
        False, "--modal-integrals", help="Integrals of first and second order."
    ),
    rotary_integrals: bool = typer.Option(False, "--rotary-integrals", help="Integrals of rotary nodes too."),
    separate_lumped: bool = typer.Option(
        False, "--separate-lumped", help="Take every CONM2 out, into child bodies."
    ),
    add_lumped_to_aset: bool = typer.Option(
        False, "--add-lumped-to-aset", help="Put the grids that carry them into the interface."
    ),
    csid: int = typer.Option(
        0, "--csid", metavar="C", help="Coordinate system whose axes the component takes."
    ),
    grdpnt: int | None = typer.Option(
        None, "--grdpnt", metavar="G", help="Grid of the reference point; PARAM GRDPNT otherwise."
    ),
    damping: float | None = typer.Option(None, "--damping", metavar="Z", help="Damping ratio of all modes."),
    subcase: int | None = options.SUBCASE,
    rigid_threshold: float = typer.Option(
        1e-4, "--rigid-threshold", metavar="HZ", min=0.0, help="Modes below this frequency count as rigid."
    ),
    units: str | None = typer.Option(
        None,
        "--units",
        metavar="M,L,T",
        help="Units of the deck, as in slinch,in,s or SI; not known otherwise.",
    ),
    allow_outside: bool = options.ALLOW_OUTSIDE,
) -> None:
    """Modes, integrals and mass of a flexible body in one portable file."""
    from interstage.cli.info import summary
    from interstage.cli.inputs import check_deck
    from interstage.cli.progress import progress
    from interstage.component.from_nastran.deck import component_from_deck
    from interstage.output import checked_target

    checked_target(output, "component file", source=deck)
    with progress(quiet=False) as report:
        check_deck(deck)
        report("making the component")
        made = component_from_deck(
            deck,
            n_modes,
            aset=None if aset is None else grid_list("--aset", aset),
            rvdof=None if rvdof is None else grid_list("--rvdof", rvdof),
            modal_integrals=modal_integrals or rotary_integrals,
            rotary_integrals=rotary_integrals,
            separate_lumped=separate_lumped,
            add_lumped_to_aset=add_lumped_to_aset,
            csid=csid,
            grdpnt=grdpnt,
            damping=damping,
            subcase=subcase,
            rigid_threshold_hz=rigid_threshold,
            units=None if units is None else unit_list(units),
            allow_outside=allow_outside,
        )
        made.save(output)
    summary(made, str(output))


def grid_list(option: str, text: str) -> dict[int, int]:
    """Read `1:123456,9:123` into {1: 123456, 9: 123}; an empty text is an empty list.

    >>> grid_list("--aset", "1:123456, 9:123")
    {1: 123456, 9: 123}
    """
    from interstage.errors import InputError

    out: dict[int, int] = {}
    for part in text.replace(" ", "").split(","):
        if not part:
            continue
        grid, _, value = part.partition(":")
        if not (grid.isdigit() and value.isdigit() and len(grid) < 12 and len(value) < 7):
            raise InputError(
                f"{option} cannot be read",
                expected="grid:components pairs such as 1:123456,9:123",
                got=repr(part),
            )
        out[int(grid)] = int(value)
    return out


def unit_list(text: str) -> dict[str, str]:
    """Read `slinch,in,s` into units of mass, length and time.

    >>> unit_list("t,mm,s")
    {'mass': 't', 'length': 'mm', 'time': 's'}
    """
    from interstage.component.unit_names import labelled_units

    return labelled_units(text)
