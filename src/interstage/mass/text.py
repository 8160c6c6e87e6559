"""Hand the mass of a tree to other models.

Print a mass tree as a tree.
"""

from __future__ import annotations

from typing import TypedDict

import numpy as np

from interstage.calls import named_arguments
from interstage.mass.body import MassBody


class RigidProperties(TypedDict):
    """Keywords of a rigid body: mass, com (3,), inertia (3, 3) about it."""

    mass: float
    com: np.ndarray
    inertia: np.ndarray


@named_arguments
def rigid_properties(body: MassBody) -> RigidProperties:
    """Return mass, com (3,) and inertia (3, 3) about it of a body and all below it, in its structure axes.

    The structure frame becomes the body frame of `Multibody.add_body("bus", **rigid_properties(bus),
    joint=...)`; the same keywords go to `System.set_mass` after the tree has changed.
    """
    rigid = body.composite.rigid
    return {"mass": rigid.mass, "com": rigid.com, "inertia": rigid.inertia}


@named_arguments
def tree_text(body: MassBody, points: bool = False) -> str:
    """Return a table with one line for each part, indented below the part that carries it.

    Columns: core mass, composite mass, composite centre of mass (own structure axes), principal moments of
    the composite. With `points` the named points follow each part. Units are those of the numbers put in.
    """
    lines: list[tuple[str, ...]] = [("part", "mass", "composite", "centre of mass", "principal moments")]
    stack: list[tuple[MassBody, str, str]] = [(body, "", "")]
    while stack:
        node, head, indent = stack.pop()
        lines.append((head + node.name, *_columns(node)))
        if points:
            bar = "│  " if node.below else "   "
            lines += [
                (f"{indent}{bar}· {p.name}", "", "", _vector(p.position), "") for p in node.points.values()
            ]
        for k, child in reversed(list(enumerate(node.below))):
            last = k == len(node.below) - 1
            stack.append((child, indent + ("└─ " if last else "├─ "), indent + ("   " if last else "│  ")))
    widths = [max(len(line[k]) for line in lines) for k in range(5)]
    rows = [
        "  ".join([line[0].ljust(widths[0])] + [cell.rjust(w) for cell, w in zip(line[1:], widths[1:])])
        for line in lines
    ]
    return "\n".join(row.rstrip() for row in rows)


@named_arguments
def print_tree(body: MassBody, points: bool = False) -> None:
    """Print `tree_text`."""
    print(tree_text(body, points))


def _columns(body: MassBody) -> tuple[str, ...]:
    total = body.composite
    moments = np.linalg.eigvalsh(total.inertia)
    return f"{body.rows[0, 0]:.6g}", f"{total.mass:.6g}", _vector(total.position), _vector(moments)


def _vector(values: np.ndarray) -> str:
    dust = 1e-12 * np.abs(values).max()  # what rounding left of a zero
    return ", ".join(f"{x if abs(x) > dust else 0.0:.6g}" for x in values)
