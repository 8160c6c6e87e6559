"""How stages are joined: coincident nodes, rigid links, linear relations, as equations of node components."""

from __future__ import annotations

import operator
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from interstage.component.integrals import skew
from interstage.component.interface import components_of
from interstage.errors import InputError, ModelError, shown

Side: TypeAlias = tuple[str, int | Sequence[int]]
Term: TypeAlias = tuple[str, int, int]
"""Stage, node and component 1 to 6."""
Relation: TypeAlias = Mapping[Term, float]

GAP = 1e-6  # of the size of the vehicle, or of the stage: nodes farther apart do not meet


@dataclass(frozen=True, eq=False)
class Join:
    """Equations between stages: each a sum of coefficients times (stage, node, component 0 to 5) that is zero.

    places : (stage, node) of both sides, pair by pair
    """

    name: str
    equations: list[dict[Term, float]]
    places: list[tuple[str, int]]
    lever: float = 0.0

    @property
    def stages(self) -> set[str]:
        """Names of the stages that are joined."""
        return {stage for equation in self.equations for stage, _, _ in equation}


def whole(node: object, where: str) -> int:
    """Return the id of a node, a whole number."""
    try:
        return operator.index(node)  # type: ignore[arg-type]
    except TypeError:
        raise InputError(
            "the id of a node is a whole number", where=where, expected="as in 50", got=shown(node)
        ) from None


def sides(name: str, a: object, b: object) -> list[tuple[tuple[str, int], tuple[str, int]]]:
    """Return pairs of places from two sides, each (stage, node) or (stage, [nodes])."""
    found = []
    for side in (a, b):
        if not isinstance(side, tuple) or len(side) != 2 or not isinstance(side[0], str):
            raise InputError(
                "a side of a join is not usable",
                where=f"join '{name}'",
                expected='(stage, node), as in ("first", 50)',
                got=shown(side),
            )
        nodes = [side[1]] if np.ndim(side[1]) == 0 else list(side[1])
        found.append([(side[0], whole(node, f"join '{name}'")) for node in nodes])
    if len(found[0]) != len(found[1]):
        raise InputError(
            "the two sides of a join have different numbers of nodes",
            where=f"join '{name}'",
            got=f"{len(found[0])} and {len(found[1])}",
        )
    return list(zip(*found))


def node_join(
    name: str,
    pairs: list[tuple[tuple[str, int], tuple[str, int]]],
    gaps: np.ndarray,
    components: int | str,
    rigid: bool,
    size: float,
) -> Join:
    """Join nodes in pairs: those that meet, or rigid links.

    u_b = u_a + θ_a x r,  θ_b = θ_a   with r = gaps, (n, 3) from a to b
    """
    wanted = components_of(components, f"join '{name}'")
    equations = []
    for (a, b), r in zip(pairs, gaps):
        gap = float(np.linalg.norm(r))
        if not rigid and gap > GAP * size:
            raise ModelError(
                "the nodes of a join do not meet",
                where=f"join '{name}', node {a[1]} of '{a[0]}' and node {b[1]} of '{b[0]}'",
                expected="the same position",
                got=f"a gap of {gap:g}",
                hint="move a stage (`at`), or join with rigid=True",
            )
        turn = -skew(r)
        for c in wanted:
            equation = {(*b, c): 1.0, (*a, c): -1.0}
            if c < 3:
                equation |= {(*a, 3 + k): -float(turn[c, k]) for k in range(3) if turn[c, k]}
            equations.append(equation)
    lever = float(np.abs(gaps).max(initial=0.0)) if rigid else 0.0
    return Join(name, equations, [place for pair in pairs for place in pair], lever)


def relation_join(name: str, given: object) -> Join:
    """Join by linear relations, each {(stage, node, component 1 to 6): coefficient}, whose sum is zero."""
    where = f"join '{name}'"
    equations: list[dict[Term, float]] = []
    for one in given if isinstance(given, Sequence) else [None]:
        if not isinstance(one, Mapping) or not one:
            raise InputError(
                "a relation of a join is not usable",
                where=where,
                expected='{(stage, node, component): coefficient}, as in {("first", 50, 1): 1, ("upper", 1, 1): -1}',
                got=shown(one),
            )
        try:
            equations.append(
                {
                    (str(s), whole(n, where), components_of(c, where)[0]): float(v)
                    for (s, n, c), v in one.items()
                }
            )
        except (TypeError, ValueError, RuntimeWarning):
            raise InputError("a relation of a join is not usable", where=where, got=shown(one)) from None
    places = list(dict.fromkeys((s, n) for equation in equations for s, n, _ in equation))
    return Join(name, equations, places)
