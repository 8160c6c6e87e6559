"""Tables of displacements against theory, element by element: MacNeal and Harder's problems."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from validation.study import Row, Study


class Ratio(NamedTuple):
    """One displacement: case and load, element, theory, ours, ours over theory, and the published ratio if known."""

    case: str
    kind: str
    theory: float
    ours: float
    ratio: float
    published: float | None


Published = Mapping[tuple[str, str], Mapping[str, float]]


def ratios(cases: Mapping[str, Callable], kinds: Iterable[str], published: Published) -> list[Ratio]:
    """Run every case, a function of the kind of element to {load: (theory, ours)}, with every kind of element."""
    return [
        Ratio(
            f"{case}, {load}",
            kind,
            theory,
            float(ours),
            float(ours / theory),
            published.get((case, kind), {}).get(load),
        )
        for case, function in cases.items()
        for kind in kinds
        for load, (theory, ours) in function(kind).items()
    ]


def add_rows(study: Study, rows: Iterable[Ratio], limits: Mapping[tuple[str, str], float]) -> Study:
    """Put ratios into a study; limits by (case, kind) are the largest departure of a ratio from 1."""
    for case, kind, theory, ours, ratio, published in rows:
        note = f"ratio {ratio:.3f}" + ("" if published is None else f", published {published:.3f}")
        limit = limits.get((case.rsplit(", ", 1)[0], kind))
        study.rows.append(Row(case, kind, f"{theory:.6g}", f"{ours:.6g}", abs(ratio - 1.0), limit, note))
    return study


def by_kind(table: Mapping[str, Mapping[str, object]]) -> dict[tuple[str, str], object]:
    """A table {case: {kind: value}} by (case, kind)."""
    return {(case, kind): value for case, row in table.items() for kind, value in row.items()}
