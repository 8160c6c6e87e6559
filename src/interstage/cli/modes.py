"""`interstage modes`: natural frequencies and mass properties of a deck."""

from __future__ import annotations

from pathlib import Path

from interstage.cli import options
from interstage.cli.element_tables import REQUESTS, Asked, by_point
from interstage.output import json_text

ROUNDING = 1e-14  # of the mass of the whole, below which an effective mass is shown as zero


def modes(
    deck: Path = options.DECK,
    n_modes: int | None = options.how_many("Number of modes; the deck's EIGRL or EIGR decides otherwise."),
    subcase: int | None = options.SUBCASE,
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
    """Natural frequencies and mass properties of a structure; roots of complex modes for SOL 107 and 110."""
    from interstage.cli import complex_modes, result_files
    from interstage.cli.inputs import read_model
    from interstage.cli.progress import progress
    from interstage.fem import normal_modes
    from interstage.fem.requests import modes_case
    from interstage.nastran.parameters import COMPLEX

    result_files.check_names(out or [])
    with progress(quiet=as_json or listing) as report:
        cards, fe = read_model(deck, allow_outside, report)
    if fe.sol in COMPLEX:
        tables = {"forces": forces, "stresses": stresses, "strains": strains, "spcforces": spcforces}
        complex_modes.run(
            fe, cards, n_modes, subcase, as_json, {**tables, "csv": csv, "out": out, "listing": listing}
        )
        return
    with progress(quiet=as_json or listing) as report:
        result = normal_modes(fe, n_modes=n_modes, subcase=subcase, progress=report)
        grdpnt = cards.params.get("GRDPNT", 0)
        # as in NASTRAN, the origin stands in for a grid that is not there
        known = isinstance(grdpnt, int) and grdpnt > 0 and fe.grids.find(grdpnt) >= 0
        weight = fe.mass_properties(grdpnt if known else 0)
    asked = Asked(forces, stresses, strains, spcforces, csv)
    asked.carry_out(cards)
    tables = asked.taken(result)
    result.notes += asked.notes(result)
    if csv is not None:
        _write(fe, result, tables, asked)
    case = modes_case(fe, subcase)
    chosen = case.id if case else 1
    points = result_files.of_modes(fe, result, chosen)
    if out:
        of_elements, without = result_files.of_elements(
            cards, [tables], [result.forces], points[0].subcase, result.eigenvalues
        )
        result.notes += without if any(path.suffix.lower() == ".op2" for path in out) else []
        for path in out:
            more = asked.listing_notes() if path.suffix.lower() == ".f06" else []
            result_files.write_results(path, fe, points, [*result.notes, *more], of_elements, cards)
    texts, in_listing = result_files.texts_of(cards, points), [*result.notes, *asked.listing_notes()]
    text = result_files.listing_text(points, fe.source, in_listing, texts) if listing else ""
    if as_json:
        found = (
            _machine(fe, result, weight, cards)
            | cards.case.texts(chosen)
            | _by_mode(fe, result, tables, asked)
        )
        print(json_text(found | ({"listing": text} if listing else {})))
    elif listing:
        print(text, end="")
    else:
        _show(fe, result, weight, cards, chosen)
        if tables or spcforces:
            _show_tables(fe, result, tables, asked)


def _by_mode(fe, result, tables: dict, asked: Asked) -> dict:
    """Displacements and the tables asked for, by mode number; nothing if no table is asked for."""
    from interstage.cli.element_tables import machine_tables

    if not (tables or asked.spcforces):
        return {}
    out = {}
    for k in range(len(result.frequencies_hz)):
        out[str(k + 1)] = {"displacements": by_point(fe, result.shapes[:, k]), **machine_tables(tables, k)}
        if asked.spcforces:
            out[str(k + 1)]["spcforces"] = by_point(fe, result.spc_forces[:, k])
    return {"modes": out}


def _write(fe, result, tables: dict, asked: Asked) -> None:
    from interstage.cli.element_tables import all_points, write_csv

    for k in range(len(result.frequencies_hz)):
        points = {"displacements": all_points(fe, result.shapes[:, k])}
        if asked.spcforces:
            points["spcforces"] = all_points(fe, result.spc_forces[:, k])
        write_csv(asked.csv, f"mode_{k + 1}", points, tables, k)


def _show_tables(fe, result, tables: dict, asked: Asked) -> None:
    from interstage.cli.element_tables import all_points, show_points, show_tables
    from interstage.cli.tables import plain_console

    console = plain_console()
    for k, frequency in enumerate(result.frequencies_hz):
        console.print(f"mode {k + 1}, {frequency:.6g} Hz", style="bold")
        if asked.spcforces:
            forces = all_points(fe, result.spc_forces[:, k])
            show_points(console, "forces of single-point constraints", *forces)
        show_tables(console, tables, k)


def _about(fe, result) -> tuple[str, object]:
    """Where MEFFMASS has its reference: its GRID, or the basic origin."""
    import re

    for case in fe.case.subcases:
        found = re.search(r"GRID\s*=\s*(\d+)", case.options.get("MEFFMASS", ""))
        if found and int(found[1]) and fe.grids.find(int(found[1])) >= 0:
            return f"grid {found[1]}", fe.grids.xyz[fe.grids.find(int(found[1]))]
    return "the basic origin", None


def _effective(fe, result) -> dict:
    """Modal effective masses as MEFFMASS has them, in consistent units."""
    name, about = _about(fe, result)
    found = result.participation(about)
    return {
        "about": name,
        "participation": found.factors.tolist(),
        "effective_mass": found.effective_mass.tolist(),
        "fraction": found.fraction.tolist(),
        "total": found.effective_mass.sum(axis=0).tolist(),
        "rigid_body_mass": found.total.tolist(),
    }


def _show_effective(console, fe, result) -> None:
    """Print modal effective masses where case control asks for MEFFMASS."""
    import numpy as np
    from rich.table import Table

    from interstage.cli.tables import show_table

    asked = [case.requests.get("MEFFMASS") for case in fe.case.subcases]
    if not any(one is not None and not one.upper().startswith("NO") for one in asked):
        return
    name, about = _about(fe, result)
    found = result.participation(about)
    title = f"modal effective mass about {name} (consistent units)"
    table = Table(title=title, title_justify="left")
    for column in ("mode", "T1", "T2", "T3", "R1", "R2", "R3"):
        table.add_column(column, justify="right")
    # what lies below the rounding of the whole mass, or of the largest inertia, is none
    least = ROUNDING * np.repeat([found.total[:3].max(), found.total[3:].max()], 3)

    def cells(row: np.ndarray) -> list[str]:
        return [f"{value:.6g}" for value in np.where(np.abs(row) > least, row, 0.0)]

    for k, row in enumerate(found.effective_mass):
        table.add_row(str(k + 1), *cells(row))
    table.add_row("sum", *cells(found.effective_mass.sum(axis=0)))
    table.add_row("rigid", *cells(found.total))
    table.add_row("share", *(f"{value:.4f}" for value in found.fraction.sum(axis=0)))
    show_table(console, table)


def _machine(fe, result, weight, cards) -> dict:
    return {
        "deck": fe.source,
        "frequencies_hz": [float(f) for f in result.frequencies_hz],
        "eigenvalues": [float(value) for value in result.eigenvalues],
        "generalized_mass": [float(value) for value in result.generalized_mass],
        "residuals": [float(value) for value in result.residuals],
        "mass": float(weight.mass),
        "cg": [float(value) for value in weight.cg],
        "inertia": [[float(value) for value in row] for row in weight.inertia_about_cg],
        "effective_mass": _effective(fe, result),
        "grids": len(fe.grids),
        "dofs": int(fe.grids.n_dof),
        "notes": list(result.notes),
        "ignored": dict(sorted(cards.ignored.items())),
        "ignored_requests": cards.ignored_requests,
    }


def _show(fe, result, weight, cards, subcase: int) -> None:
    from rich.table import Table

    from interstage.cli.element_tables import show_titles
    from interstage.cli.tables import plain_console, readable, show_table

    console = plain_console()
    console.print(readable(fe.source), style="bold", end="  ")
    console.print(f"{len(fe.grids)} grids, {fe.grids.n_dof} dofs")
    show_titles(console, cards, subcase)
    table = Table(title=f"{len(result.frequencies_hz)} modes", title_justify="left")
    for name in ("mode", "frequency, Hz", "eigenvalue", "generalized mass", "residual"):
        table.add_column(name, justify="right")
    for i, frequency in enumerate(result.frequencies_hz):
        table.add_row(
            str(i + 1),
            f"{frequency:.6g}",
            f"{result.eigenvalues[i]:.6e}",
            f"{result.generalized_mass[i]:.6g}",
            f"{result.residuals[i]:.1e}",
        )
    show_table(console, table)
    _show_effective(console, fe, result)
    console.print(str(weight))
    show_ignored(console, cards)
    for note in result.notes:
        console.print(readable(note))


def show_ignored(console, cards, command: str = "'static' and 'modes'") -> None:
    """Print names and counts of cards and case control that the solution does not use, and options that would."""
    if cards.ignored:
        names = ", ".join(f"{name} ({n})" for name, n in sorted(cards.ignored.items()))
        console.print(f"Not used by this solution: {names}")
    if cards.ignored_requests:
        names = ", ".join(f"{name} ({n})" for name, n in cards.ignored_requests.items())
        ours = sorted({f"--{REQUESTS[n[:4]]}" for n in cards.ignored_requests if n[:4] in REQUESTS})
        hint = f" (options of {command}: {', '.join(ours)})" if ours else ""
        console.print(f"Case control that is not carried out: {names}{hint}")
