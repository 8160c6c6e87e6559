"""`interstage modes` on a deck for complex modes (SOL 107, 110): its roots instead of natural frequencies."""

from __future__ import annotations

from interstage.errors import InputError
from interstage.output import json_text


def run(
    fe, cards, n_modes: int | None, subcase: int | None, as_json: bool, others: dict[str, object]
) -> None:
    """Find the roots and print them; options that complex modes do not have are refused by name."""
    from interstage.fem import complex_modes

    asked = [f"--{name}" for name, value in others.items() if value]
    if asked:
        raise InputError(
            "complex modes are printed as roots alone",
            where=fe.source,
            got=", ".join(asked),
            hint="leave the option away; shapes are in complex_modes(fe).shapes in Python",
        )
    found = complex_modes(fe, n_modes=n_modes, subcase=subcase)
    if as_json:
        print(json_text(_machine(fe, found, cards)))
    else:
        _show(fe, found, cards)


def _machine(fe, found, cards) -> dict:
    return {
        "deck": fe.source,
        "complex_eigenvalues": [[float(s.real), float(s.imag)] for s in found.eigenvalues],
        "frequencies_hz": [float(f) for f in found.frequencies_hz],
        "damping": [float(g) for g in found.damping],
        "residuals": [float(r) for r in found.residuals],
        "grids": len(fe.grids),
        "dofs": int(fe.grids.n_dof),
        "extra_points": [int(e) for e in found.extra_points],
        "notes": list(found.notes),
        "ignored": dict(sorted(cards.ignored.items())),
        "ignored_requests": cards.ignored_requests,
    }


def _show(fe, found, cards) -> None:
    from rich.table import Table

    from interstage.cli.modes import show_ignored
    from interstage.cli.tables import plain_console, readable, show_table

    console = plain_console()
    console.print(readable(fe.source), style="bold", end="  ")
    console.print(f"{len(fe.grids)} grids, {fe.grids.n_dof} dofs, {len(found.extra_points)} extra points")
    table = Table(title=f"{len(found.eigenvalues)} complex modes", title_justify="left")
    for name in ("root", "real, rad/s", "imaginary, rad/s", "frequency, Hz", "damping g = 2ζ", "residual"):
        table.add_column(name, justify="right")
    for i, s in enumerate(found.eigenvalues):
        table.add_row(
            str(i + 1),
            f"{s.real:.6e}",
            f"{s.imag:.6e}",
            f"{found.frequencies_hz[i]:.6g}",
            f"{found.damping[i]:.6e}",
            f"{found.residuals[i]:.1e}",
        )
    show_table(console, table)
    show_ignored(console, cards)
    for note in found.notes:
        console.print(readable(note))
