"""`interstage response`: frequency, transient or random response of a deck."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from interstage.cli import options
from interstage.errors import InputError, known_names
from interstage.output import json_text

if TYPE_CHECKING:
    from interstage.fem import FrequencyResponse, TransientResponse

COMPONENTS = ("t1", "t2", "t3", "r1", "r2", "r3")
QUANTITIES = ("displacement", "velocity", "acceleration", "spc_forces")
IN_TIME = (9, 12, 27, 31, 69, 72, 109, 112)


def response(
    deck: Path = options.DECK,
    point: list[int] | None = typer.Option(
        None,
        "--point",
        metavar="ID",
        help="Grid or scalar point to show; may be repeated. Without it the SETs of the deck's requests hold "
        "(ACCELERATION = 5), else the five points that move most.",
    ),
    quantity: list[str] | None = typer.Option(
        None,
        "--quantity",
        metavar="NAME",
        help="displacement, velocity, acceleration or spc_forces; may be repeated. Those that the deck asks for "
        "otherwise, or the displacement (all four under random loads).",
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
        None,
        "--csv",
        metavar="FILE",
        help="Write the quantities of the points as CSV: histories, amplitudes, or spectra under random loads.",
    ),
    srs: str | None = typer.Option(
        None,
        "--srs",
        metavar="LOW:HIGH",
        help="Shock response spectra of the points' accelerations between two frequencies in Hz, as 10:2000 or "
        "10:2000:50 for 50 of them; of responses in time.",
    ),
    q: float = typer.Option(10.0, "--q", metavar="Q", help="Quality factor of shock response spectra."),
    allow_outside: bool = options.ALLOW_OUTSIDE,
) -> None:
    """Response to loads that change with frequency (SOL 108, 111) or time (SOL 109, 112), and to random loads."""
    from interstage.cli import random_tables
    from interstage.cli.element_tables import Asked, chosen_rows
    from interstage.cli.inputs import read_model
    from interstage.cli.progress import progress
    from interstage.fem import frequency_response, random_response, transient_response

    oscillators = None if srs is None else _oscillators(srs)
    with progress(quiet=as_json) as report:
        cards, fe = read_model(deck, allow_outside, report)
        report("response")
        moving = fe.sol in IN_TIME if in_time is None else in_time
        if oscillators is not None and not moving:
            raise InputError("--srs needs a response in time", hint="add --time to a deck that has TSTEP")
        shaken = None
        if random or (random is None and not moving and random_tables.selected_here(fe, subcase)):
            looked_at = [one for one in quantity or [] if one in QUANTITIES]
            if looked_at and (forces or stresses):
                looked_at = [*QUANTITIES[:3:2], *(one for one in looked_at if one not in QUANTITIES[:3:2])]
            shaken = random_response(
                fe, subcase=subcase, modal=modal, n_modes=n_modes, quantities=looked_at or None
            )
            result = next((one for one in shaken.responses if one.subcase == subcase), shaken.responses[0])
        else:
            solve = transient_response if moving else frequency_response
            result = solve(fe, subcase=subcase, modal=modal, n_modes=n_modes)
        kinds = [name for name, asked in (("forces", forces), ("stresses", stresses)) if asked]
    otherwise = ["displacement"] if shaken is None else list(QUANTITIES)
    Asked(forces, stresses, False, True).carry_out(cards)
    chosen, said, by_size = _chosen(fe, result, point, quantity, otherwise)
    if shaken is None and subcase is None:
        said += _others(fe, result.subcase)
    points = list(dict.fromkeys(one for ids in chosen.values() for one in ids))
    shock = None if oscillators is None else _shock(result, points, oscillators, q)
    if csv is not None:
        _write(csv, result, chosen, shaken)
    if as_json:
        out = _machine(fe, result, points) | cards.case.texts(result.subcase)
        out["notes"] += said
        out |= {"ignored": dict(sorted(cards.ignored.items())), "ignored_requests": cards.ignored_requests}
        if shock is not None:
            out["shock_spectrum"] = {"frequency_hz": oscillators.tolist(), "q": q, "points": shock}
        for kind in kinds:
            out[kind] = {name: _table(table) for name, table in getattr(result, kind).items()}
        if shaken is not None:
            out["random"] = random_tables.machine(shaken, points, kinds)
        print(json_text(out, gaps=random_tables.not_numbers(result)))
        return
    notes = result.notes if shaken is None else shaken.notes
    _show(fe, result, chosen, [*notes, *said], cards, by_size)
    if shock is not None:
        _show_shock(oscillators, shock, q)
    named = partial(chosen_rows, fe.case, result.subcase)
    if shaken is not None:
        random_tables.show(shaken, chosen, kinds, named)
    elif kinds:
        random_tables.show_largest(result, kinds, named)


def _chosen(
    fe, result, point: list[int] | None, quantity: list[str] | None, otherwise: list[str]
) -> tuple[dict, list[str], dict[str, int]]:
    """Points to show by quantity: of the options, of case control, or those that move most; with notes.

    The last are the quantities whose points are those that move most, with the number of all points.
    """
    import numpy as np

    from interstage.cli.element_tables import chosen_rows, requested
    from interstage.fem.response import point_rows

    for one in quantity or []:
        if one not in QUANTITIES:
            raise InputError(f"--quantity {one} is unknown", hint=known_names(QUANTITIES))
    for one in point or []:
        point_rows(fe.grids, one)
    asked = [one for one in QUANTITIES if requested(fe.case, result.subcase, one) is not None]
    ids, said, out = np.concatenate([fe.grids.id, fe.grids.spoint]), [], {}
    by_size: dict[str, int] = {}
    for one in dict.fromkeys(quantity or asked or otherwise):
        rows, words = chosen_rows(fe.case, result.subcase, one, ids)
        if point:
            out[one] = list(point)
        elif rows is not None:
            out[one] = ids[rows].tolist()
            if not len(rows):
                said.append(f"{one}: the SET of the request names no point of the deck")
        else:
            out[one] = _largest(fe, getattr(result, one))
            by_size[one] = len(ids)
            said += [words.strip(" ()").replace("all are", "the points that move most are")] if words else []
    return out, said, by_size


def _largest(fe, values) -> list[int]:
    """Up to five points with the largest translations of a quantity (n_dof, k), or forces."""
    import numpy as np

    size = np.nan_to_num(np.abs(values)).max(axis=1)
    moves = size[fe.grids.dof[:, None] + np.arange(3)].max(axis=1) if len(fe.grids) else np.zeros(0)
    ids = np.concatenate([fe.grids.id, fe.grids.spoint])
    moves = np.concatenate([moves, size[fe.grids.spoint_dof]])
    return ids[np.argsort(-moves, kind="stable")[:5]].tolist()


def _rounding(fe, values) -> tuple[float, float]:
    """Values at translations and rotations below which there is nothing but rounding: 1e-12 of the largest."""
    import numpy as np

    size = np.nan_to_num(np.abs(values)).max(axis=1, initial=0.0)
    if not len(fe.grids):
        return 1e-12 * size.max(initial=0.0), 0.0
    turns = size[fe.grids.dof[:, None] + np.arange(3, 6)].max()
    least = 1e-12 * np.delete(size, (fe.grids.dof[:, None] + np.arange(3, 6)).ravel()).max()
    reach = np.ptp(fe.grids.xyz, axis=0).max()
    return least, max(1e-12 * turns, least / reach if reach > 0.0 else 0.0)


def _oscillators(text: str):
    """Frequencies (k,) of oscillators from LOW:HIGH or LOW:HIGH:COUNT, evenly spaced by ratio."""
    import numpy as np

    words = text.split(":")
    try:
        low, high = float(words[0]), float(words[1])
        count = int(words[2]) if len(words) > 2 else 20
        if len(words) > 3 or not 0.0 < low < high < 1e12 or not 2 <= count <= 10_000:
            raise ValueError
    except (ValueError, IndexError):
        raise InputError(
            f"--srs {text[:40]} must be two rising frequencies in Hz, and how many if wanted",
            expected="e.g. 10:2000 or 10:2000:50",
        ) from None
    return np.geomspace(low, high, count)


def _shock(result: TransientResponse, points: list[int], hz, q: float) -> dict[str, list[list[float]]]:
    """Shock response spectra of each component of the points, by id."""
    return {
        str(one): [result.shock_spectrum(one, c + 1, hz, q).tolist() for c in range(len(result.at(one)))]
        for one in points
    }


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
    for kind in QUANTITIES:
        whole = getattr(result, kind)
        out[kind] = {str(point): _parts(whole[point_rows(fe.grids, point)]) for point in points}
    out["points"] = out["displacement"]  # its name in earlier versions
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


def _values(fe_grids, values, points: list[int]) -> dict:
    """Components (6, k) or (1, k) of a quantity (n_dof, k) at points, by id."""
    from interstage.fem.response import point_rows

    return {one: values[point_rows(fe_grids, one)] for one in points}


def _write(path: Path, result, chosen: dict, shaken=None) -> None:
    """Write the quantities of points as CSV: histories, complex amplitudes, or spectra under random loads."""
    from interstage.output import write_text

    name, values = _axis(result)
    parts = ("",) if name == "time" else ("_real", "_imaginary") if shaken is None else ("_psd",)
    heads, columns = [], []
    for quantity, points in chosen.items():
        of = "" if quantity == "displacement" else f"{quantity}_"
        every = getattr(result, quantity) if shaken is None else getattr(shaken, quantity).psd
        for point, u in _values(result.grids, every, points).items():
            for k, row in enumerate(u):
                heads += [f"{point}_{of}{COMPONENTS[k]}{part}" for part in parts]
                columns += [row.real, row.imag] if len(parts) == 2 else [row]
    rows = [",".join([name, *heads])]
    rows += [",".join([repr(v), *(repr(float(c[k])) for c in columns)]) for k, v in enumerate(values)]
    write_text(path, "\n".join(rows) + "\n", "table")


def _others(fe, shown: int) -> list[str]:
    """A sentence about subcases with loads of their own that are not shown."""
    from interstage.fem.response_loads import selected

    others = [str(one.id) for one in fe.case.subcases if one.id != shown and selected(one, "DLOA")]
    if not others:
        return []
    return [f"subcase {shown} alone; --subcase shows the others that have a DLOAD ({', '.join(others)})"]


def _show(fe, result, chosen: dict, notes: list[str], cards, by_size: dict[str, int]) -> None:
    import numpy as np
    from rich.table import Table

    from interstage.cli.element_tables import show_titles
    from interstage.cli.modes import show_ignored
    from interstage.cli.tables import plain_console, readable, show_table

    console = plain_console()
    name, values = _axis(result)
    console.print(readable(fe.source), style="bold", end="  ")
    words = name.replace("_hz", ", Hz")
    console.print(f"{len(values)} values of {words}: {values[0]:g} to {values[-1]:g}")
    show_titles(console, cards, result.subcase)
    for quantity, points in chosen.items():
        every = getattr(result, quantity)
        title = f"largest {quantity.replace('_', ' ')} of points"
        if by_size.get(quantity, 0) > len(points):
            title += f", the {len(points)} largest of {by_size[quantity]}"
        table = Table(title=title, title_justify="left")
        for column in ("point", "component", "largest", f"at {name.split('_')[0]}", "last"):
            table.add_column(column, justify="right")
        least = _rounding(fe, every)
        for point, u in _values(fe.grids, every, points).items():
            for k, row in enumerate(np.abs(u)):
                at = int(np.argmax(np.nan_to_num(row)))
                if row[at] > least[k // 3]:
                    cells = (f"{row[at]:.6g}", f"{values[at]:.6g}", f"{row[-1]:.6g}")
                    table.add_row(str(point), COMPONENTS[k], *cells)
        show_table(console, table)
    show_ignored(console, cards, "'response'")
    for note in notes:
        console.print(readable(note))


def _show_shock(hz, shock: dict, q: float) -> None:
    from rich.table import Table

    from interstage.cli.tables import plain_console, show_table

    table = Table(title=f"shock response spectra of the accelerations, Q = {q:g}", title_justify="left")
    table.add_column("Hz", justify="right")
    least = 1e-9 * max((max(row) for rows in shock.values() for row in rows), default=0.0)
    shown = [(p, k, row) for p, rows in shock.items() for k, row in enumerate(rows) if max(row) > least]
    for point, k, _ in shown:
        table.add_column(f"{point} {COMPONENTS[k]}", justify="right")
    for i, f in enumerate(hz):
        table.add_row(f"{f:.5g}", *(f"{row[i]:.5g}" for _, _, row in shown))
    show_table(plain_console(), table)
