"""Words and rows about a compiled vehicle: its tree and its mass."""

from __future__ import annotations

from typing import Any

import numpy as np

from interstage.report.document import Node


def grouped(value: float, digits: int = 0) -> str:
    """Write a number with a thin space between thousands.

    >>> grouped(1234567.8).replace("\u202f", " ")
    '1 234 568'
    """
    return f"{value:,.{digits}f}".replace(",", "\u202f")


def vehicle_tree(system: Any) -> list[Node]:
    """Return the bodies of a system as a tree, the ground left out."""
    nodes: dict[str, Node] = {}
    roots: list[Node] = []
    for spec in system.model.specs:
        flex = system.flexible(spec.name)
        words = [
            f"{grouped(spec.inertia.mass if flex is None else flex.integrals.mass)} kg",
            spec.joint.words,
        ]
        if flex is not None:
            words.insert(0, f"flexible, {flex.n_modes} modes")
        if spec.parent is not None and isinstance(spec.at, int):
            words[-1] += f" at grid {spec.at}"
        node = Node(spec.name, " · ".join(words))
        nodes[spec.name] = node
        (nodes[spec.parent].children if spec.parent in nodes else roots).append(node)
    return roots


def inertia_rows(weight: Any, whole: Any) -> list[tuple[str, str, str]]:
    """Return rows of mass, centre of mass and inertia: of a deck (weight generator) and of a system, SI units."""
    rows = [("Mass, kg", grouped(weight.mass, 1), grouped(whole.mass, 1))]
    for k, axis in enumerate("xyz"):
        rows.append((f"Centre of mass {axis}, m", _clean(weight.cg[k]), _clean(whole.com[k])))
    J, K = np.asarray(weight.inertia_about_cg), np.asarray(whole.inertia)
    for k, name in enumerate(("xx", "yy", "zz")):
        rows.append((f"Inertia {name}, kg m²", grouped(J[k, k]), grouped(K[k, k])))
    return rows


def _clean(value: float) -> str:
    """Write a length; rounding dust is zero."""
    return f"{0.0 if abs(value) < 5e-7 else value:.4f}"
