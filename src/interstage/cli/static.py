"""`interstage static`: displacements of a deck's subcases."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from interstage.cli import options
from interstage.cli.element_tables import Asked, by_point
from interstage.output import json_text

if TYPE_CHECKING:
    from interstage.fem import Displacements


def static(
    deck: Path = options.DECK,
    as_json: bool = options.AS_JSON,
    forces: bool = options.FORCES,
    stresses: bool = options.STRESSES,
    strains: bool = options.STRAINS,
    spcforces: bool = options.SPCFORCES,
    csv: Path | None = options.CSV,
    out: list[Path] | None = options.OUT,
    listing: bool = options.LISTING,
    allow_outside: bool = options.ALLOW_OUTSIDE,
) -> None:
    """Static displacements, subcase by subcase, in each grid's output (CD) system; forces and stresses if asked."""
    from interstage.cli import result_files
    from interstage.cli.inputs import read_model
    from interstage.cli.progress import progress
    from interstage.cli.tables import readable
    from interstage.fem import static_subcases

    result_files.check_names(out or [])
    with progress(quiet=as_json or listing) as report:
        cards, fe = read_model(deck, allow_outside, report)
        results = static_subcases(fe, progress=report)
    asked = Asked(forces, stresses, strains, spcforces, csv)
    asked.carry_out(cards)
    tables = [asked.taken(result) for result in results]
    if csv is not None:
        _write(fe, results, tables, asked)
    points, said = result_files.of_statics(fe, results), sorted({note for r in results for note in r.notes})
    n_said = len(said)
    if out:
        of_elements, without = result_files.of_elements(
            cards, tables, [r.forces for r in results], points[0].subcase
        )
        said += without if any(path.suffix.lower() == ".op2" for path in out) else []
        for path in out:
            more = asked.listing_notes() if path.suffix.lower() == ".f06" else []
            result_files.write_results(path, fe, points, [*said, *more], of_elements, cards)
    in_listing = [*said, *asked.listing_notes()]
    texts = result_files.texts_of(cards, points)
    text = result_files.listing_text(points, fe.source, in_listing, texts) if listing else ""
    if as_json:
        subcases = {str(r.subcase): _machine(fe, cards, r, t, asked) for r, t in zip(results, tables)}
        notes = sorted({*said, *(note for r in results for note in asked.notes(r))})
        ignored = {"ignored": dict(sorted(cards.ignored.items())), "ignored_requests": cards.ignored_requests}
        more = ignored | ({"listing": text} if listing else {})
        print(json_text({"deck": fe.source, "subcases": subcases, "notes": notes, **more}))
    elif listing:
        print(text, end="")
    else:
        _show(fe, results, tables, asked, cards)
        for note in said[n_said:]:
            print(readable(note))


def _machine(fe, cards, result: Displacements, tables: dict, asked: Asked) -> dict:
    from interstage.cli.element_tables import machine_tables
    from interstage.fem.from_deck.extremes import extremes

    out: dict = {**cards.case.texts(result.subcase), "displacements": by_point(fe, result.displacement)}
    out |= machine_tables(tables)
    if asked.spcforces:
        out["spcforces"] = by_point(fe, result.spc_forces)
    if tables:
        out["extremes"] = extremes(cards, tables)
    return out


def _write(fe, results, tables: list[dict], asked: Asked) -> None:
    from interstage.cli.element_tables import all_points, write_csv

    for result, taken in zip(results, tables):
        points = {"displacements": all_points(fe, result.displacement)}
        if asked.spcforces:
            points["spcforces"] = all_points(fe, result.spc_forces)
        write_csv(asked.csv, f"subcase_{result.subcase}", points, taken)


def _show(fe, results, tables, asked: Asked, cards) -> None:
    from interstage.cli.element_tables import (
        all_points,
        chosen_rows,
        show_element_extremes,
        show_extremes,
        show_points,
        show_tables,
        show_titles,
    )
    from interstage.cli.modes import show_ignored
    from interstage.cli.tables import plain_console, readable
    from interstage.fem.from_deck.extremes import extremes

    console = plain_console()
    console.print(readable(fe.source), style="bold", end="  ")
    console.print(f"{len(fe.grids)} grids, {fe.grids.n_dof} dofs")
    for result, taken in zip(results, tables):
        show_titles(console, cards, result.subcase, f"subcase {result.subcase}: ")
        for title, quantity, values, wanted in (
            (f"subcase {result.subcase}", "displacement", result.displacement, True),
            ("forces of single-point constraints", "spc_forces", result.spc_forces, asked.spcforces),
        ):
            if wanted:
                ids, rows = all_points(fe, values)
                at, words = chosen_rows(fe.case, result.subcase, quantity, ids)
                most = 40 if at is None else max(len(at), 1)
                at = slice(None) if at is None else at
                show_points(
                    console, title + words, ids[at], rows[at], zeros=quantity == "displacement", most=most
                )
                if quantity == "displacement":
                    show_extremes(console, fe, values)
        show_tables(console, taken, case=fe.case, subcase=result.subcase)
        show_element_extremes(console, extremes(cards, taken))
        console.print(f"residual of the solution: {result.residual:.1e}")
        for note in [*result.notes, *asked.notes(result)]:
            console.print(readable(note))
    show_ignored(console, cards)
