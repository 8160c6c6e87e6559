"""`interstage response`: frequency, transient or random response of a deck."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from interstage.cli import options
from interstage.output import json_text

if TYPE_CHECKING:
    from interstage.fem import FrequencyResponse, TransientResponse

COMPONENTS = ("t1", "t2", "t3", "r1", "r2", "r3")
IN_TIME = (9, 12, 27, 31, 69, 72, 109, 112)


def response(
    deck: Path = options.DECK,
    point: list[int] | None = typer.Option(
        None,
        "--point",
        metavar="ID",
        help="Grid or scalar point to show; may be repeated; the five that move most otherwise.",
    ),
    subcase: int | None = typer.Option(
        None, "--subcase", metavar="S", help="The first with a DLOAD otherwise."
    ),
    modal: bool | None = typer.Option(
        None, "--modal/--direct", help="By modes or directly; the deck's SOL otherwise."
    ),
    n_modes: int | None = options.how_many("Number of modes; the deck's EIGRL or EIGR decides otherwise."),
    in_time: bool | None = typer.Option(
        None, "--time/--frequency", help="Which of both; the deck's SOL otherwise."
    ),
    random: bool | None = typer.Option(
        None,
        "--random/--no-random",
        help="Spectra, rms values and crossing rates under RANDPS; where the deck's RANDOM selects them otherwise.",
    ),
    forces: bool = options.FORCES,
    stresses: bool = options.STRESSES,
    as_json: bool = options.AS_JSON,
    csv: Path | None = typer.Option(
        None, "--csv", metavar="FILE", help="Write the motion of the points as CSV."
    ),
    allow_outside: bool = options.ALLOW_OUTSIDE,
) -> None:
    """Response to loads that change with frequency (SOL 108, 111) or time (SOL 109, 112), and to random loads."""
    from interstage.cli import random_tables
    from interstage.cli.inputs import read_model
    from interstage.cli.progress import progress
    from interstage.fem import frequency_response, random_response, transient_response

    with progress(quiet=as_json) as report:
        _, fe = read_model(deck, allow_outside, report)
        report("response")
        moving = fe.sol in IN_TIME if in_time is None else in_time
        shaken = None
        if random or (random is None and not moving and random_tables.selected_here(fe, subcase)):
            shaken = random_response(fe, subcase=subcase, modal=modal, n_modes=n_modes)
            result = next((one for one in shaken.responses if one.subcase == subcase), shaken.responses[0])
        else:
            solve = transient_response if moving else frequency_response
            result = solve(fe, subcase=subcase, modal=modal, n_modes=n_modes)
        kinds = [name for name, asked in (("forces", forces), ("stresses", stresses)) if asked]
    points = {one: result.at(one) for one in point or _moving(fe, result)}
    if csv is not None:
        _write(csv, result, points)
    if as_json:
        out = _machine(fe, result, points)
        for kind in kinds:
            out[kind] = {name: _table(table) for name, table in getattr(result, kind).items()}
        if shaken is not None:
            out["random"] = random_tables.machine(shaken, list(points), kinds)
        print(json_text(out, gaps=random_tables.not_numbers(result)))
        return
    _show(fe, result, points)
    if shaken is not None:
        random_tables.show(shaken, list(points), kinds)
    elif kinds:
        random_tables.show_largest(result, kinds)


def _moving(fe, result) -> list[int]:
    """Up to five points that move most."""
    import numpy as np

    size = np.abs(result.displacement).max(axis=1)
    moves = size[fe.grids.dof[:, None] + np.arange(3)].max(axis=1) if len(fe.grids) else np.zeros(0)
    ids = np.concatenate([fe.grids.id, fe.grids.spoint])
    moves = np.concatenate([moves, size[fe.grids.spoint_dof]])
    return ids[np.argsort(-moves, kind="stable")[:5]].tolist()


def _rounding(fe, result) -> tuple[float, float]:
    """Motions and rotations below which there is nothing but rounding: 1e-12 of the largest motion."""
    import numpy as np

    size = np.abs(result.displacement).max(axis=1, initial=0.0)
    if not len(fe.grids):
        return 1e-12 * size.max(initial=0.0), 0.0
    turns = size[fe.grids.dof[:, None] + np.arange(3, 6)].max()
    least = 1e-12 * np.delete(size, (fe.grids.dof[:, None] + np.arange(3, 6)).ravel()).max()
    reach = np.ptp(fe.grids.xyz, axis=0).max()
    return least, max(1e-12 * turns, least / reach if reach > 0.0 else 0.0)


def _axis(result: FrequencyResponse | TransientResponse) -> tuple[str, list[float]]:
    if hasattr(result, "time"):
        return "time", result.time.tolist()
    return "frequency_hz", result.frequencies_hz.tolist()


def _machine(fe, result, points) -> dict:
    from interstage.fem.response import point_rows

    name, values = _axis(result)
    out: dict = {"deck": fe.source, "subcase": result.subcase, name: values}
    out |= {"modes_hz": result.modes_hz.tolist(), "notes": list(result.notes)}
    out["residual_vectors_hz"] = [hz for hz in result.residual_vectors_hz.tolist() if hz < float("inf")]
    out["points"] = {str(point): _parts(u) for point, u in points.items()}
    for kind in ("velocity", "acceleration", "spc_forces"):
        whole = getattr(result, kind)
        out[kind] = {str(point): _parts(whole[point_rows(fe.grids, point)]) for point in points}
    return out


def _parts(values) -> list | dict:
    """Real values as a list, complex ones as two."""
    if values.dtype.kind != "c":
        return values.tolist()
    return {"real": values.real.tolist(), "imaginary": values.imag.tolist()}


def _table(table) -> dict:
    return {
        "columns": list(table.columns),
        "element_ids": table.element_ids.tolist(),
        "node_ids": None if table.node_ids is None else table.node_ids.tolist(),
        "values": _parts(table.values),
    }


def _write(path: Path, result, points) -> None:
    from interstage.output import write_text

    name, values = _axis(result)
    parts = ("",) if name == "time" else ("_real", "_imaginary")
    heads = [f"{p}_{COMPONENTS[k]}{part}" for p, u in points.items() for k in range(len(u)) for part in parts]
    rows = [",".join([name, *heads])]
    for k, value in enumerate(values):
        cells = [repr(value)]
        for u in points.values():
            for c in u[:, k]:
                cells += [repr(float(c))] if name == "time" else [repr(float(c.real)), repr(float(c.imag))]
        rows.append(",".join(cells))
    write_text(path, "\n".join(rows) + "\n", "table")


def _show(fe, result, points) -> None:
    import numpy as np
    from rich.table import Table

    from interstage.cli.tables import plain_console, readable, show_table

    console = plain_console()
    name, values = _axis(result)
    console.print(readable(fe.source), style="bold", end="  ")
    words = name.replace("_hz", ", Hz")
    console.print(f"{len(values)} values of {words}: {values[0]:g} to {values[-1]:g}")
    table = Table(title="largest motion of points", title_justify="left")
    for column in ("point", "component", "largest", f"at {name.split('_')[0]}", "last"):
        table.add_column(column, justify="right")
    least = _rounding(fe, result)
    for point, u in points.items():
        for k, row in enumerate(np.abs(u)):
            if row.max() > least[k // 3]:
                at = int(row.argmax())
                table.add_row(
                    str(point), COMPONENTS[k], f"{row[at]:.6g}", f"{values[at]:.6g}", f"{row[-1]:.6g}"
                )
    show_table(console, table)
    for note in result.notes:
        console.print(readable(note))
