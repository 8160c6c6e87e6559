"""Tables of random responses, and of the largest element results of responses."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np

    from interstage.fem import FEModel, RandomResponse

    Named = Callable[[str, np.ndarray], tuple[np.ndarray | None, str]]

MOST = 40  # rows of a table


def selected_here(fe: FEModel, subcase: int | None) -> bool:
    """Say whether case control selects random loads (RANDOM)."""
    from interstage.fem.response_loads import selected

    cases = [case for case in fe.case.subcases if subcase in (None, case.id)]
    return any(selected(case, "RAND") for case in cases)


def not_numbers(result) -> bool:
    """Say whether a response has a frequency without steady motion."""
    import numpy as np

    return bool(np.isnan(result.displacement).any())


def machine(found: RandomResponse, points: list[int], kinds: list[str]) -> dict:
    """Results for JSON: spectra, rms values and crossing rates of points, and of elements if asked."""
    from interstage.cli.response import QUANTITIES
    from interstage.fem.response import point_rows

    out: dict = {
        "set": found.set_id,
        "subcases": [one.subcase for one in found.responses],
        "notes": found.notes,
    }
    out["frequency_hz"] = found.frequencies_hz.tolist()
    for name in QUANTITIES:
        one = getattr(found, name)
        rows = {str(point): point_rows(found.grids, point) for point in points}
        out[name] = {
            point: {part: getattr(one, part)[at].tolist() for part in ("psd", "rms", "crossings")}
            for point, at in rows.items()
        }
    for kind in kinds:
        out[kind] = {
            name: {
                "columns": list(table.columns),
                "element_ids": table.element_ids.tolist(),
                "node_ids": None if table.node_ids is None else table.node_ids.tolist(),
                **{part: getattr(table, part).tolist() for part in ("psd", "rms", "crossings")},
            }
            for name, table in getattr(found, kind).items()
        }
    if len(found.lags):
        out["lags"] = found.lags.tolist()
        out["autocorrelation"] = {
            str(point): [
                found.autocorrelation("displacement", point, c + 1)[1].tolist()
                for c in range(len(found.displacement.at(point)))
            ]
            for point in points
        }
    return out


def show(found: RandomResponse, chosen: dict[str, list[int]], kinds: list[str], named: Named) -> None:
    """Print rms values and crossing rates of points by quantity, and elements if asked; `named`: see `show_largest`."""
    from rich.table import Table

    from interstage.cli.response import COMPONENTS
    from interstage.cli.tables import plain_console, show_table
    from interstage.fem.response import point_rows

    console = plain_console()
    table = Table(title=f"random response, RANDPS {found.set_id}", title_justify="left")
    for column in ("point", "component", "quantity", "rms", "crossings, 1/s"):
        table.add_column(column, justify="right")
    for name, points in chosen.items():
        one = getattr(found, name)
        least = 1e-9 * one.rms.max(initial=0.0)
        for point in points:
            rows = point_rows(found.grids, point)
            for c, (rms, rate) in enumerate(zip(one.rms[rows], one.crossings[rows])):
                if rms > least:
                    table.add_row(str(point), COMPONENTS[c], name, f"{rms:.6g}", f"{rate:.6g}")
    show_table(console, table)
    for kind in kinds:
        for name, tables in getattr(found, kind).items():
            _show_rows(console, f"rms {kind} of {name}", tables, tables.rms, named(kind, tables.element_ids))


def show_largest(result, kinds: list[str], named: Named) -> None:
    """Print the largest size of each element result over all frequencies or times.

    named : gives the rows of element ids that the SET of a request names (None: all), and words for a title
    """
    import numpy as np

    from interstage.cli.tables import plain_console

    console = plain_console()
    for kind in kinds:
        for name, table in getattr(result, kind).items():
            largest = np.abs(table.values).max(axis=0)
            rows = named(kind, table.element_ids)
            _show_rows(console, f"largest {kind} of {name}", table, largest, rows)


def _show_rows(console, title: str, table, values, named) -> None:
    from rich.table import Table

    from interstage.cli.tables import show_table

    chosen, words = named
    rows = range(len(values)) if chosen is None else chosen
    shown = rows[:MOST] if chosen is None else rows
    out = Table(title=title + words, title_justify="left")
    out.add_column("element", justify="right")
    if table.node_ids is not None:
        out.add_column("place", justify="right")
    for column in table.columns:
        out.add_column(column, justify="right")
    for i in shown:
        place = [] if table.node_ids is None else [str(table.node_ids[i])]
        out.add_row(str(table.element_ids[i]), *place, *(f"{value:.5g}" for value in values[i]))
    show_table(console, out)
    if len(rows) > len(shown):
        console.print(f"{len(rows) - len(shown)} more rows (--json has all)")
