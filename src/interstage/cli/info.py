"""`interstage info`: what is in a file: a component, vehicle, linear model, simulation log or mass tree."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from interstage.output import json_text

if TYPE_CHECKING:
    from interstage.component import Component
    from interstage.linear import LinearModel, LinearModelSet
    from interstage.mass import MassBody
    from interstage.multibody import Multibody
    from interstage.simulation.log.log import Log
    from interstage.simulation.run.checkpoint import Checkpoint
    from interstage.studies import Study


def info(
    file: Path = typer.Argument(
        ...,
        metavar="FILE",
        help="Component, multibody or linear-model file, simulation log, mass tree, or the folder of a study.",
    ),
    as_json: bool = typer.Option(False, "--json", help="Print JSON for machines."),
) -> None:
    """Show what a file holds."""
    from interstage.files import file_kind
    from interstage.output import is_file, is_folder

    kind = file_kind(file)
    if kind.name == "study" and is_folder(file) and not is_file(file / "summary.h5"):
        _unfinished_study(file, as_json)
        return
    doors = {
        "component": _component,
        "multibody": _multibody,
        "linear": _linear,
        "linear set": _linear_set,
        "log": _log,
        "checkpoint": _checkpoint,
        "mass tree": _mass_tree,
        "study": _study,
    }
    doors[kind.name](kind.load(file), file, as_json)


def _component(component: Component, file: Path, as_json: bool) -> None:
    """Print the figures of a component."""
    if as_json:
        print(json_text(facts(component)))
    else:
        summary(component, str(file))


def _multibody(model: Multibody, file: Path, as_json: bool) -> None:
    """Print the bodies of a vehicle."""
    if as_json:
        bodies = [
            {
                "name": spec.name,
                "parent": spec.parent,
                "joint": type(spec.joint).__name__,
                "modes": 0 if spec.component is None else spec.n_modes or spec.component.n_modes,
                "mass": (spec.inertia if spec.component is None else spec.component).mass,
            }
            for spec in model.specs
        ]
        closures = [closure.name for closure in model.closures]
        found = {"units": model.units, "gravity": model.gravity, "bodies": bodies, "closures": closures}
        print(json_text({"kind": "multibody", "name": model.name, **found}))
        return
    from interstage.cli.tables import readable

    print(readable(f"{file}\n{model}"))


def _mass_tree(body: MassBody, file: Path, as_json: bool) -> None:
    """Print the parts of a mass tree."""
    if as_json:
        total = body.composite
        found = {"mass": total.mass, "com": total.position, "inertia": total.inertia_struct}
        parts = [part.name for part in body.walk()]
        print(json_text({"kind": "mass tree", "name": body.name, "parts": parts, **found}))
        return
    from interstage.cli.tables import readable
    from interstage.mass import tree_text

    print(readable(f"{file}: mass tree of '{body.name}', kg and m\n{tree_text(body, points=True)}"))


def _log(log: Log, file: Path, as_json: bool) -> None:
    """Print what a log has: times, bodies and ports."""
    if as_json:
        span = [float(log.t[0]), float(log.t[-1])] if len(log.t) else [None, None]
        found: dict[str, Any] = {"name": log.name, "start": span[0], "end": span[1], "steps": len(log.t)}
        found["phases"], found["bodies"] = len(log.phases), list(log.system.bodies)
        found |= {"units": log.units, "rows": {one.name: len(one.t) for one in log.written()}}
        print(
            json_text(
                {"kind": "simulation log", **found, "events": list(map(str, log.events)), "info": log.info}
            )
        )
        return
    from interstage.cli.tables import readable

    print(readable(f"{file}\n{log}"))


def _study(study: Study, file: Path, as_json: bool) -> None:
    """Print the table of a study."""
    if as_json:
        import numpy as np

        numbers = [n for n in study.names if study[n].ndim == 1 and not np.isnan(study[n]).all()]
        levels = {name: study.scalars(name)[0].mean() for name in numbers}
        what = {"runs": len(study), "failed": len(study.errors), "seed": study.design.seed, "means": levels}
        what["not_numbers"] = {name: len(study.without(name)) for name in study.names}
        print(json_text({"kind": "study", **what}, gaps=True))
        return
    from interstage.cli.tables import readable

    print(readable(f"{file}\n{study}"))


def _unfinished_study(folder: Path, as_json: bool) -> None:
    """Print the table of a study that has not ended, and how far it is."""
    from interstage.studies import Design
    from interstage.studies.study import runs_done

    design, done = Design.load(folder / "design.h5"), runs_done(folder)
    if as_json:
        what = {"runs": len(design), "done": done, "seed": design.seed, "dispersed": list(design.names)}
        print(json_text({"kind": "unfinished study", **what}))
        return
    from interstage.cli.tables import readable

    lines = [f"{folder}: study that has not ended, {done} of {len(design)} runs done"]
    lines.append(f"seed {design.seed}, {design.sampling} points")
    lines += [f"{name}: {words}" for name, words in zip(design.names, design.words)]
    print(readable("\n".join([*lines, "the same call of monte_carlo with this folder goes on"])))


def _checkpoint(found: Checkpoint, file: Path, as_json: bool) -> None:
    """Print where a flight was."""
    if as_json:
        what = {"t": found.t, "log": str(found.log), "every": found.every, "options": found.options}
        what["events"] = found.events
        print(json_text({"kind": "checkpoint", **what}))
        return
    from interstage.cli.tables import readable

    until = found.options.get("until", "?")
    print(
        readable(
            f"{file}: checkpoint of a flight at t = {found.t:g} of {until}, log {found.log}\n"
            f"goes on by ist.resume({str(file)!r})"
        )
    )


def _linear(lin: LinearModel, file: Path, as_json: bool) -> None:
    """Print the figures of a linear model."""
    poles = lin.poles()
    if as_json:
        index = {"inputs": lin.input_index, "outputs": lin.output_index, "state_groups": lin.state_index}
        found = {name: {k: v.tolist() for k, v in groups.items()} for name, groups in index.items()}
        shapes = {letter: list(getattr(lin, letter).shape) for letter in "ABCD"}
        count = {"name": lin.name, "states": lin.n_states, "dt": lin.dt, "stable": poles.stable}
        count["notes"] = list(lin.notes)
        print(json_text({"kind": "linear model", **count, **shapes, **found}))
        return
    from rich.table import Table

    from interstage.cli.tables import plain_console, readable, show_table

    console = plain_console()
    console.print(readable(str(file)), style="bold", end="  ")
    size = f"{lin.n_states} states, {len(lin.inputs)} inputs, {len(lin.outputs)} outputs"
    console.print(readable(f"linear model '{lin.name}': {size}"))
    table = Table(show_header=False, box=None)
    table.add_column(style="dim")
    table.add_column()
    still = 0.0 if lin.dt is None else 1.0
    rigid = sum(count for z, _, _, count in poles.rows() if z == still)
    largest = max((p.real if lin.dt is None else abs(p) for p in poles.tolist()), default=0.0)
    hz = [f"{f:.6g}" for z, f, _, _ in poles.rows() if z.imag > 0.0]
    rows = {
        "inputs": ", ".join(lin.input_index or lin.inputs),
        "outputs": ", ".join(lin.output_index or lin.outputs),
        "states": ", ".join(lin.state_index or lin.states),
        "oscillations, Hz": ", ".join(hz[:6]) + (f" ... {hz[-1]}" if len(hz) > 6 else ""),
        "time": "continuous" if lin.dt is None else f"sampled every {lin.dt:g} s",
        "poles at zero" if lin.dt is None else "poles at one": f"{rigid}",
        "largest real part"
        if lin.dt is None
        else "largest size of poles": f"{largest:.{3 if lin.dt is None else 7}g}",
        "mass": f"{lin.mass_properties['mass']:.9g}" if "mass" in lin.mass_properties else "not said",
        "linearized by": str(lin.method.get("method", "not said")),
    }
    for key, value in [*rows.items(), *(("note", note) for note in lin.notes)]:
        table.add_row(key, readable(value))
    show_table(console, table)


def _linear_set(models: LinearModelSet, file: Path, as_json: bool) -> None:
    """Print the figures of a set of linear models."""
    poles = models.poles()
    if as_json:
        found = {"name": models.name, "over": models.over, "values": models.values.tolist(), "dt": models.dt}
        found |= {"inputs": models.inputs, "outputs": models.outputs, "poles": list(poles.verdicts)}
        print(json_text({"kind": "set of linear models", "models": len(models), **found}))
        return
    from interstage.cli.tables import plain_console, readable

    console = plain_console()
    console.print(readable(str(file)), style="bold")
    console.print(readable(str(models)))


def facts(c: Component) -> dict[str, Any]:
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
        "geometric_stiffness": c.geometric_stiffness is not None,
        "recovered": [] if c.recovery is None else c.recovery.names,
        "child_bodies": [body.name for body in c.child_bodies],
        "lumped_inside": [] if c.lumped_inside is None else c.lumped_inside.names,
        "provenance": c.provenance,
        "notes": c.notes,
    }


def summary(c: Component, file: str) -> None:
    """Print the figures of a component as a short table."""
    from rich.table import Table

    from interstage.cli.tables import plain_console, readable, show_table

    console = plain_console()
    console.print(readable(file), style="bold", end="  ")
    console.print(readable(f"component '{c.name}' ({', '.join(c.units.values()) or 'units not known'})"))
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
        **({"masses inside": _inside(c)} if c.lumped_inside is not None else {}),
        "made from": ", ".join(v for k, v in c.provenance.items() if k in ("deck", "solver")) or "not said",
    }
    for key, value in rows.items():
        table.add_row(key, readable(value))
    show_table(console, table)
    for note in c.notes:
        console.print(readable(f"- {note}"))


def _inside(c: Component) -> str:
    names = [] if c.lumped_inside is None else c.lumped_inside.names
    more = f" and {len(names) - 8} more" if len(names) > 8 else ""
    return ", ".join(names[:8]) + more


def _reference(c: Component) -> str:
    return f"grid {c.reference_node}" if c.reference_node else "the basic origin or a given point"
