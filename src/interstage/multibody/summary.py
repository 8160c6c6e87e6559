"""A vehicle in a few lines of text."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from interstage.multibody.api import System
    from interstage.multibody.model import BodySpec, Multibody

MOST = 60  # bodies that are listed


def table(head: list[str], rows: list[list[str]]) -> list[str]:
    """Return lines of a table; the first column is aligned to the left, numbers to the right.

    >>> table(["body", "mass"], [["bus", "12"], ["panel", "3"]])
    ['body   mass', 'bus      12', 'panel     3']
    """
    width = [max(len(row[k]) for row in [head, *rows]) for k in range(len(head))]
    right = [k > 0 and all(_is_number(row[k]) for row in rows) for k in range(len(head))]
    return [
        "  ".join(cell.rjust(w) if r else cell.ljust(w) for cell, w, r in zip(row, width, right)).rstrip()
        for row in [head, *rows]
    ]


def _is_number(text: str) -> bool:
    return text[:1] in "0123456789-+." and text not in ("-", "")


def _row(spec: BodySpec, joint: str, n_modes: int, mass: float) -> list[str]:
    at = spec.at if isinstance(spec.at, int) else "(" + ", ".join(f"{a:g}" for a in np.asarray(spec.at)) + ")"
    parent = "ground" if spec.parent is None else spec.parent
    return [spec.name, f"{parent} {at}", joint, str(spec.joint.nv), str(n_modes), f"{mass:.6g}"]


HEAD = ["body", "on (at)", "joint", "nv", "modes", "mass"]


def _text(title: str, rows: list[list[str]], closures: list[str]) -> str:
    lines = [title, *("  " + line for line in table(HEAD, rows[:MOST]))]
    if len(rows) > MOST:
        lines.append(f"  ... and {len(rows) - MOST} more")
    return "\n".join(lines + [f"  {line}" for line in closures])


def _ends(spec) -> str:
    said = [
        f"{body or 'ground'} {place if isinstance(place, int) else np.asarray(place).tolist()}"
        for body, place in spec.ends
    ]
    return f"closure '{spec.name}': {type(spec.joint).__name__} between {said[0]} and {said[1]}"


def of_model(model: Multibody) -> str:
    """Return a description as text: bodies, joints, modes, masses, closures."""
    rows = []
    for spec in model.specs:
        modes = 0 if spec.component is None else spec.n_modes or spec.component.n_modes
        mass = spec.inertia.mass if spec.component is None else spec.component.mass
        rows.append(_row(spec, type(spec.joint).__name__, modes, mass))
    g = ", ".join(f"{a:g}" for a in np.asarray(model.gravity))
    title = f"Multibody '{model.name}': {len(rows)} bodies, gravity ({g})"
    return _text(title, rows, [_ends(spec) for spec in model.closures])


def of_system(system: System) -> str:
    """Return a system as text: sizes, bodies with joints as they are switched, modes, masses, closures."""
    rows, masses = [], system.settings.body_inertia[:, 0]
    for spec, mass, modes in zip(system.model.specs, masses, system.tree.body_modes):
        mode = system.joint_mode(spec.name)
        joint = type(spec.joint).__name__ + ("" if mode == "free" else f" ({mode})")
        rows.append(_row(spec, joint, int(modes), float(mass)))
    count = f"{len(rows)} {'body' if len(rows) == 1 else 'bodies'}"
    title = f"System '{system.model.name}': {count}, nq {system.nq}, nv {system.nv}, mass {masses.sum():.6g}"
    opened = system.settings.opened
    closures = [_ends(spec) + (" (open)" if spec.name in opened else "") for spec in system.model.closures]
    return _text(title, rows, closures)
