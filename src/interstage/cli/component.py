"""`interstage component`: a deck to a component file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from interstage.cli import options

if TYPE_CHECKING:
    from interstage.nastran import Deck

# parameter of the component -> flag of this command, for messages
FLAGS = {
    "n_modes": "--modes",
    "aset": "--aset",
    "rvdof": "--rvdof",
    "damping": "--damping",
    "modal_integrals": "--modal-integrals",
    "rotary_integrals": "--rotary-integrals",
    "geometric_stiffness": "--geometric-stiffness",
    "recover": "--recover",
    "load_grids": "--load-grids",
    "separate_lumped": "--separate-lumped",
    "lumped": "--lumped",
    "add_lumped_to_aset": "--add-lumped-to-aset",
    "csid": "--csid",
    "grdpnt": "--grdpnt",
    "subcase": "--subcase",
    "rigid_threshold_hz": "--rigid-threshold",
    "units": "--units",
    "allow_outside": "--allow-outside",
}


def _flag(name: str, help: str, metavar: str | None = None, **more: float) -> typer.models.OptionInfo:
    return typer.Option(FLAGS[name], metavar=metavar, help=help, **more)


N_MODES = "Flexible modes of a free body, fixed-interface modes with --aset; the deck's EIGRL otherwise."
ASET = "Interface grids; the deck's ASET, BSET, SUPORT otherwise."
RECOVER = "Force or stress of an element that motions give: name, type, element, column, then grid or ply, then fibre."
LOAD_GRIDS = "Grids where joints and loads act, besides those of --aset and --rvdof."
UNITS = "Units of the deck, as in slinch,in,s or SI; not known otherwise."


def component(
    deck: Path = options.DECK,
    output: Path = typer.Option(..., "--output", "-o", metavar="FILE.h5", help="Component file to write."),
    n_modes: int | None = options.how_many(N_MODES, 0),
    aset: Annotated[str | None, _flag("aset", ASET, "1:123456,9:123")] = None,
    rvdof: Annotated[str | None, _flag("rvdof", "Grids with residual vectors.", "57:123")] = None,
    modal_integrals: Annotated[
        bool,
        typer.Option(
            "--modal-integrals/--no-modal-integrals",
            help="Integrals of first and second order; without them bodies move as if undeformed (order 0).",
        ),
    ] = True,
    rotary_integrals: Annotated[bool, _flag("rotary_integrals", "Integrals of rotary nodes too.")] = False,
    geometric_stiffness: Annotated[
        bool | None,
        typer.Option(
            "--geometric-stiffness/--no-geometric-stiffness",
            help="Change of stiffness with spin, and with loads at --aset, --rvdof and --load-grids; by default where "
            "it can be made.",
        ),
    ] = None,
    recover: Annotated[list[str] | None, _flag("recover", RECOVER, "NAME=CBAR,1,axial")] = None,
    load_grids: Annotated[str | None, _flag("load_grids", LOAD_GRIDS, "1,52")] = None,
    separate_lumped: Annotated[
        bool, _flag("separate_lumped", "Take every CONM2 out, into child bodies.")
    ] = False,
    lumped: Annotated[
        str | None, _flag("lumped", "Take only the CONM2 with these ids out, into child bodies.", "301,302")
    ] = None,
    add_lumped_to_aset: Annotated[
        bool, _flag("add_lumped_to_aset", "Put the grids that carry them into the interface.")
    ] = False,
    csid: Annotated[int, _flag("csid", "Coordinate system whose axes the component takes.", "C")] = 0,
    grdpnt: Annotated[
        int | None, _flag("grdpnt", "Grid of the reference point; PARAM GRDPNT otherwise.", "G")
    ] = None,
    damping: Annotated[float | None, _flag("damping", "Damping ratio of all modes.", "Z")] = None,
    subcase: int | None = options.SUBCASE,
    rigid_threshold: Annotated[
        float, _flag("rigid_threshold_hz", "Modes below this frequency count as rigid.", "HZ", min=0.0)
    ] = 1e-4,
    part: int | None = typer.Option(
        None,
        "--part",
        metavar="N",
        help="One part (BEGIN SUPER = N; 0 the residual), held where others join it.",
    ),
    units: Annotated[str | None, _flag("units", UNITS, "M,L,T")] = None,
    allow_outside: bool = options.ALLOW_OUTSIDE,
) -> None:
    """Modes, integrals and mass of a flexible body in one portable file."""
    from interstage.cli.info import summary
    from interstage.cli.inputs import check_deck, in_flags
    from interstage.cli.progress import progress
    from interstage.component import Component
    from interstage.output import checked_target

    checked_target(output, "component file", source=deck)
    grids = grid_list("--aset", aset)
    flags = FLAGS if separate_lumped or not lumped else {**FLAGS, "separate_lumped": FLAGS["lumped"]}
    with progress(quiet=False) as report, in_flags(flags):
        check_deck(deck)
        source: Path | Deck = deck
        if part is not None:
            source, grids = _part(deck, part, grids, allow_outside)
        report("making the component")
        made = Component.from_deck(
            source,
            n_modes,
            aset=grids,
            rvdof=grid_list("--rvdof", rvdof),
            modal_integrals=modal_integrals,
            rotary_integrals=rotary_integrals,
            geometric_stiffness=geometric_stiffness,
            recover=wanted_results(recover),
            load_grids=grid_ids("--load-grids", load_grids),
            separate_lumped=separate_lumped or grid_ids("--lumped", lumped),
            add_lumped_to_aset=add_lumped_to_aset,
            csid=csid,
            grdpnt=grdpnt,
            damping=damping,
            subcase=subcase,
            rigid_threshold_hz=rigid_threshold,
            units=units,
            allow_outside=allow_outside,
        )
        made.save(output)
    summary(made, str(output))


def _part(
    path: Path, number: int, aset: dict[int, int] | None, allow_outside: bool
) -> tuple[Deck, dict[int, int]]:
    """Deck of one part and its interface: that asked for, or the grids that other parts share."""
    from interstage.fem.from_deck.parts import read_parts
    from interstage.nastran import read_deck

    parts = read_parts(read_deck(path, allow_outside))
    return parts.deck(number), parts.boundary(number) if aset is None else aset


def grid_list(option: str, text: str | None) -> dict[int, int] | None:
    """Read `1:123456,9:123` into {1: 123456, 9: 123}; an empty text is an empty list, none is none.

    >>> grid_list("--aset", "1:123456, 9:123")
    {1: 123456, 9: 123}
    """
    from interstage.errors import InputError

    if text is None:
        return None
    out: dict[int, int] = {}
    for part in text.replace(" ", "").split(","):
        if not part:
            continue
        grid, _, value = part.partition(":")
        if not (grid.isdecimal() and value.isdecimal() and len(grid) < 12 and len(value) < 7):
            raise InputError(
                f"{option} cannot be read",
                expected="grid:components pairs such as 1:123456,9:123",
                got=repr(part),
            )
        if int(grid) in out:
            raise InputError(f"{option} names a grid twice", got=repr(part), hint="name each grid once")
        out[int(grid)] = int(value)
    return out


def grid_ids(option: str, text: str | None) -> list[int]:
    """Read `1,52` into [1, 52], and ranges such as `3-6`.

    >>> grid_ids("--load-grids", "1, 52, 3-6")
    [1, 52, 3, 4, 5, 6]
    """
    from interstage.errors import InputError

    out: list[int] = []
    for part in (text or "").replace(" ", "").split(","):
        if not part:
            continue
        ends = part.split("-")
        if len(ends) > 2 or not all(end.isdecimal() and len(end) < 12 for end in ends):
            raise InputError(f"{option} cannot be read", expected="ids such as 1,52 or 3-6", got=repr(part))
        first, last = int(ends[0]), int(ends[-1])
        if last < first or last - first + len(out) > 1_000_000:
            raise InputError(
                f"{option} has a range that cannot be",
                expected="a rising one of up to a million ids",
                got=repr(part),
            )
        out += range(first, last + 1)
    return out


def wanted_results(texts: list[str] | None) -> dict[str, tuple[str | int, ...]] | None:
    """Read `root moment=CBAR,1,bending_moment_a1` into {"root moment": ("CBAR", 1, "bending_moment_a1")}.

    >>> wanted_results(["tip=CQUAD4,7,oxx,0,2"])
    {'tip': ('CQUAD4', 7, 'oxx', 0, 2)}
    """
    from interstage.errors import InputError

    out: dict[str, tuple[str | int, ...]] = {}
    for text in texts or ():
        name, sign, rest = text.partition("=")
        if not sign or name in out:
            raise InputError(
                "--recover cannot be read" if not sign else "--recover names a result twice",
                expected="name=type,element,column as in root=CBAR,1,axial",
                got=repr(text),
            )
        parts = [part.strip() for part in rest.split(",")]
        out[name] = tuple(int(part) if part.isdecimal() and len(part) < 12 else part for part in parts)
    return out or None
