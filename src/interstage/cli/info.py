"""`interstage info`: what is in a component or linear-model file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import typer


def info(
    file: Path = typer.Argument(..., metavar="FILE.h5", help="Component file or linear-model file."),
    as_json: bool = typer.Option(False, "--json", help="Print JSON for machines."),
) -> None:
    """Show what a file holds."""
    kind, text = _kind(file)
    if kind == "linear":
        _linear(file, text, as_json)
        return
    from interstage.modes.hdf5 import read_component

    component = read_component(file)
    if as_json:
        print(json.dumps(facts(component)))
    else:
        summary(component, str(file))


def _kind(file: Path) -> tuple[str, dict[str, Any]]:
    """Tell a linear-model file (datasets A, B, C, D) from a component; faults are left to the reader."""
    import h5py

    try:
        with h5py.File(file, "r") as f:
            if all(name in f and isinstance(f[name], h5py.Dataset) for name in "ABCD"):
                return "linear", {name: list(f[name].shape) for name in "ABCD"} | {"names": sorted(f)}
    except Exception:
        pass
    return "component", {}


def _linear(file: Path, found: dict[str, Any], as_json: bool) -> None:
    if as_json:
        print(json.dumps({"kind": "linear model", **found}))
        return
    print(f"{file}: linear model, {found['A'][0]} states, {found['B'][1]} inputs, {found['C'][0]} outputs")
    print("holds: " + ", ".join(found["names"]))


def facts(c: Any) -> dict[str, Any]:
    """The figures of a component, for machines."""
    return {
        "kind": "component",
        "name": c.name,
        "units": c.units,
        "nodes": c.n_nodes,
        "modes": c.n_modes,
        "rigid_modes_removed": c.n_rigid,
        "residual_vectors": int(c.residual_vector.sum()),
        "boundary": c.boundary,
        "aset": {str(grid): value for grid, value in c.aset.items()},
        "frequencies_hz": c.frequencies_hz.tolist(),
        "mass": c.mass,
        "com": c.com.tolist(),
        "inertia": c.inertia.tolist(),
        "reference_node": c.reference_node,
        "modal_integrals": c.has_integrals,
        "rotary_integrals": c.rotary is not None,
        "child_bodies": [body.name for body in c.child_bodies],
        "provenance": c.provenance,
        "notes": c.notes,
    }


def summary(c: Any, file: str) -> None:
    """Print the figures of a component as a short table."""
    from rich.console import Console
    from rich.table import Table

    console = Console(highlight=False)
    console.print(f"[bold]{file}[/bold]  component '{c.name}' ({', '.join(c.units.values())})")
    table = Table(show_header=False, box=None)
    table.add_column(style="dim")
    table.add_column()
    held = ", ".join(f"{grid}:{value}" for grid, value in list(c.aset.items())[:8]) or "none (free body)"
    more = f" and {len(c.aset) - 8} more" if len(c.aset) > 8 else ""
    residual = int(c.residual_vector.sum())
    first = ", ".join(f"{f:.6g}" for f in c.frequencies_hz[:6])
    rows = {
        "nodes": f"{c.n_nodes}",
        "modes": f"{c.n_modes} flexible ({residual} residual vectors), {c.n_rigid} rigid removed",
        "interface": held + more,
        "frequencies, Hz": first + (f" ... {c.frequencies_hz[-1]:.6g}" if c.n_modes > 6 else ""),
        "mass": f"{c.mass:.9g}",
        "centre of mass": ", ".join(f"{x:.6g}" for x in c.com) + f"  from {_reference(c)}",
        "integrals": "zero order"
        if not c.has_integrals
        else "all orders" + (", rotary nodes" if c.rotary else ""),
        "child bodies": ", ".join(body.name for body in c.child_bodies[:8]) or "none",
        "made from": ", ".join(v for k, v in c.provenance.items() if k in ("deck", "solver")) or "not said",
    }
    for key, value in rows.items():
        table.add_row(key, value)
    console.print(table)
    for note in c.notes:
        console.print(f"- {note}")


def _reference(c: Any) -> str:
    return f"grid {c.reference_node}" if c.reference_node else "the basic origin or a given point"
