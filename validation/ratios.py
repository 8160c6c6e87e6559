"""Tables of displacements against theory, element by element: MacNeal and Harder's problems."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from typing import NamedTuple

import numpy as np

from validation.study import Row, Study


class Ratio(NamedTuple):
    """One displacement: number of the load, case and load, element, theory, ours, ours over theory, published ratio."""

    load: int
    case: str
    kind: str
    theory: float
    ours: float
    ratio: float
    published: float | None


ABOUT = (
    "Ratio to theory of displacements on the meshes of the paper; published: ratios that OptiStruct's manual gives for "
    "the same {same}. Coarse, slanted {slanted}."
)
# MacNeal and Harder's grades of an element in a problem: largest departure of the ratio from 1
GRADES = {"A": 0.02, "B": 0.1, "C": 0.2, "D": 0.5, "F": None}
GRADED = (
    "limits of 0.02, 0.1, 0.2 and 0.5 are the bounds of MacNeal and Harder's grades A to D: an element keeps the grade "
    "that it has; others are for elements that are fit for such a problem"
)
LOCKS = (
    "not judged: grade F of MacNeal and Harder, more than half of the displacement missing or too much; such an "
    "element locks on this mesh"
)
BEAM_LOADS = ("extension", "in-plane shear", "out-of-plane shear", "twist")


def beam_cases(
    straight: Callable[[str, str], dict], curved: Callable[[str], dict], twisted: Callable[[str], dict]
) -> dict[str, Callable[[str], dict]]:
    """The beams of the paper by name, straight ones in three meshes; each is a function of the kind of element."""
    meshes = ("regular", "trapezoid", "parallelogram")
    cases = {f"straight beam, {mesh}": partial(straight, form=mesh) for mesh in meshes}
    return {**cases, "curved beam": curved, "twisted beam": twisted}


def placed(
    index: Iterable[tuple[int, ...]], place: Callable, straight: bool, ends: Iterable[tuple[int, int, int]]
) -> tuple[np.ndarray, np.ndarray]:
    """Lattice positions (n, d) in steps of elements, of a lattice in half steps, and points (n, 3) there.

    straight : nodes lie halfway between two others, `ends` (node, one, other), else where `place` puts them
    """
    step = np.array(list(index)) / 2.0
    xyz = np.asarray(place(step), dtype=float)
    if straight:
        for node, a, b in ends:
            xyz[node] = (xyz[a] + xyz[b]) / 2.0
    return step, xyz


def study_of(
    what: str,
    about: tuple[str, str],
    cases: Mapping[str, Callable],
    kinds: Iterable[str],
    published: Mapping[str, Mapping[str, Mapping[str, float]]],
    limits: Mapping[str, Mapping[str, float | str]],
) -> Study:
    """The problems with one family of elements ("shells" or "solids") as a study.

    about : what the published ratios are of, and what slanted elements show
    cases : name -> function of the kind of element to {load: (theory, ours)}
    published, limits : {case: {kind: ...}}, ratios by load, and the largest departure of a ratio from 1, one for all
        loads or a grade for each ("AFBC")
    """
    title = f"MacNeal and Harder's problems with {what.removesuffix('s')} elements"
    result = Study(f"macneal_harder_{what}", title, ABOUT.format(same=about[0], slanted=about[1]))
    for k, case, kind, theory, ours, ratio, known in _ratios(cases, kinds, published):
        note = f"ratio {ratio:.3f}" + ("" if known is None else f", published {known:.3f}")
        allowed = limits[case.rsplit(", ", 1)[0]][kind]
        limit = GRADES[allowed[k]] if isinstance(allowed, str) else allowed
        why = LOCKS if limit is None else GRADED
        cells = f"{theory:.6g}", f"{ours:.6g}", abs(ratio - 1.0), limit, note, why, limit is not None
        result.rows.append(Row(case, kind, *cells))
    return result


def _ratios(cases, kinds, published) -> Iterator[Ratio]:
    for case, function in cases.items():
        for kind in kinds:
            known = published.get(case, {}).get(kind, {})
            for k, (load, (theory, ours)) in enumerate(function(kind).items()):
                ratio = float(ours / theory)
                yield Ratio(k, f"{case}, {load}", kind, theory, float(ours), ratio, known.get(load))
