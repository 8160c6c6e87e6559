"""Findings of a deck's check: notes on properties and units, and selected sets.

What looks odd about a model: units, densities, thicknesses, loose parts, edges of shells.

Sets that case control selects and the deck's solution needs: those that are not in the deck.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components

from interstage.errors import InterstageError, known_names
from interstage.fem.case import SubcaseSelections
from interstage.fem.complex_modes import cmethod_missing
from interstage.fem.dynamics import FrequencyLoad, TimeLoad
from interstage.fem.elements.bar import BarBlock
from interstage.fem.elements.shell_common import ShellBlock
from interstage.fem.elements.solid_common import SolidBlock
from interstage.fem.model import FEModel
from interstage.fem.requests import BUCKLING, deck_request, method_missing, modes_case
from interstage.fem.response_loads import DynamicLoads, selected
from interstage.fem.response_problem import MODAL
from interstage.nastran.parameters import COMPLEX, RESPONSES

# Young's modulus of steel and speed of sound in metals, in systems that decks are written in
_UNITS = {
    "metres, kilograms, newtons": (2.0e11, 5.1e3),
    "millimetres, tonnes, newtons": (2.0e5, 5.1e6),
    "millimetres, kilograms, kilonewtons (milliseconds)": (2.0e2, 5.1e0),
    "millimetres, kilograms, millinewtons": (2.0e8, 5.1e6),
    "inches, slinches (lbf s²/in), pounds-force": (2.9e7, 2.0e5),
    "feet, slugs, pounds-force": (4.2e9, 1.67e4),
    "centimetres, grams, dynes": (2.0e12, 5.1e5),
}


def counted(n: int, thing: str) -> str:
    """Say how many things there are."""
    return f"{n} {thing}" if n == 1 else f"{n} {thing}s"


def units(fe: FEModel) -> tuple[str | None, tuple[float, float] | None]:
    """The guess, and the modulus and wave speed that it is made from."""
    moduli, speeds = [], []
    for block in fe.blocks:
        E = rho = np.zeros(1)
        if isinstance(block, SolidBlock):
            E, rho = block.C[:, 0, 0], block.rho
        elif isinstance(block, ShellBlock):
            s = block.sections
            E, rho = s.A[:, 0, 0] / s.thickness, s.mass_of_thickness / s.thickness
        elif isinstance(block, BarBlock):
            E, rho = block.section.E, block.section.mass_per_length / np.maximum(block.section.A, 1e-300)
        if np.median(rho) > 0.0:
            moduli.append(np.median(E))
            speeds.append(np.sqrt(np.median(E) / np.median(rho) / fe.wtmass))
    if not moduli:
        return None, None
    stiff, c = float(np.median(moduli)), float(np.median(speeds))
    if not (stiff > 0.0 and c > 0.0 and np.isfinite(c)):
        return None, None
    far = {
        name: abs(np.log10(stiff / steel)) + 2.0 * abs(np.log10(c / sound))
        for name, (steel, sound) in _UNITS.items()
    }
    best = min(far, key=lambda name: far[name])
    return (f"probably {best}" if far[best] < 1.6 else None), (stiff, c)


def density_notes(fe: FEModel) -> Iterator[str]:
    """Name solids, shells and bars without mass in a deck for dynamics."""
    for block in fe.blocks:
        if isinstance(block, SolidBlock):
            mass = block.rho
        elif isinstance(block, ShellBlock):
            mass = block.sections.mass_of_thickness[block.section]
        elif isinstance(block, BarBlock):
            mass = block.section.mass_per_length
        else:
            continue
        none = np.flatnonzero(np.broadcast_to(mass, len(block)) == 0.0)
        if len(none):
            what = f"{len(none)} of {len(block)} {block.name} have no mass, {block.eid[none[0]]} the first"
            yield f"{what}: their density is zero or blank"


def thickness_notes(fe: FEModel) -> Iterator[str]:
    """Name shells that are thicker than their shortest side is long."""
    for block in fe.blocks:
        if not isinstance(block, ShellBlock):
            continue
        corners = fe.grids.xyz[block.nodes[:, : block.corners]]
        side = np.linalg.norm(corners - np.roll(corners, -1, axis=1), axis=2).min(axis=1)
        thick = block.sections.thickness[block.section]
        bad = np.flatnonzero(thick > side)
        if len(bad):
            i = bad[0]
            yield (
                f"{len(bad)} of {len(block)} {block.name} are thicker than their shortest side, {block.eid[i]} the "
                f"first: {thick[i]:.4g} beside {side[i]:.4g}; look at units of T and of the grids"
            )


def part_notes(fe: FEModel) -> Iterator[str]:
    """Say if the structure falls into parts that nothing joins."""
    n = len(fe.grids)
    owner = np.full(fe.grids.n_dof, -1)
    owner[fe.grids.dof[:, None] + np.arange(6)] = np.arange(n)[:, None]
    K = fe.K_gg.tocoo()
    pairs = [(owner[K.row], owner[K.col])]
    for case in [None, *fe.case.subcases][:2]:
        for given in (fe.rigid, fe.constraints.mpc(case.mpc if case else None)):
            if len(given):
                pairs.append((owner[given.dof], owner[given.dependent[given.row]]))
    rows, columns = (np.concatenate([pair[k] for pair in pairs]) for k in (0, 1))
    keep = (rows >= 0) & (columns >= 0)
    graph = sp.coo_matrix((np.ones(keep.sum()), (rows[keep], columns[keep])), shape=(n, n))
    _, label = connected_components(graph, directed=False)
    used = np.zeros(n, dtype=bool)
    used[rows[keep]] = True
    sizes = np.bincount(label[used])
    sizes = np.sort(sizes[sizes > 0])[::-1]
    if len(sizes) > 1:
        shown = ", ".join(str(s) for s in sizes[:6]) + (", ..." if len(sizes) > 6 else "")
        yield f"{len(sizes)} parts that no element or constraint joins, of {shown} grids"
    loose = int(np.count_nonzero(~used))
    if loose:
        what, first = counted(loose, "grid"), fe.grids.id[~used][0]
        yield f"{what} of no element with stiffness, grid {first} the first"


def shell_edges(fe: FEModel) -> str | None:
    """Count the edges of shells that one element has, and those that more than two share."""
    sides = []
    for block in fe.blocks:
        if isinstance(block, ShellBlock) and len(block):
            corners = block.nodes[:, : block.corners]
            sides.append(np.stack([corners, np.roll(corners, -1, axis=1)], axis=2).reshape(-1, 2))
    if not sides:
        return None
    _, count = np.unique(np.sort(np.concatenate(sides), axis=1), axis=0, return_counts=True)
    free, many = int(np.sum(count == 1)), int(np.sum(count > 2))
    return f"{free} free, {many} shared by more than two elements, of {len(count)}"


MODES = (3, 103)
IN_TIME = (9, 12, 27, 31, 69, 72, 109, 112)
LOADS = ("TLOAD1", "TLOAD2", "RLOAD1", "RLOAD2", "DLOAD", "DAREA", "LSEQ", "DELAY", "DPHASE", "SPCD")

Gone = Callable[[Iterable[str], int | None], bool]
"""Says whether a card of one of these names, with this number (None: any), was left out because it is wrong."""


def selection_errors(fe: FEModel, gone: Gone) -> Iterator[str]:
    """Sentences on sets that a solution needs and the deck lacks; what follows from cards left out is none."""
    for case in fe.case.subcases:
        yield from (words for words, cards, sid in missing_constraints(fe, case) if not gone(cards, sid))
    asking = modes_case(fe) if fe.sol in (*MODES, *MODAL) else None
    if asking is not None and not gone(("EIGRL", "EIGR"), asking.method):
        yield from _caught(lambda: deck_request(fe, asking))
    if fe.sol in RESPONSES and fe.dynamics.refused is None:
        yield from dict.fromkeys(_responses(fe, gone))
    if fe.sol in COMPLEX:
        yield from _complex(fe, gone)
    if fe.sol in BUCKLING:
        yield from _buckling(fe, gone)


def selection_notes(fe: FEModel, gone: Gone) -> Iterator[str]:
    """Sentences on METHOD and CMETHOD that the solution needs and no subcase has; what is taken instead."""
    cases = fe.case.subcases
    if not any(case.method for case in cases) and not gone(("EIGRL", "EIGR", "EIGB"), None):
        if fe.sol in BUCKLING:
            yield from method_missing(fe, cases[0], "the load factor nearest zero alone is computed")
        elif not (fe.sol in RESPONSES and fe.dynamics.refused is not None):
            yield from method_missing(fe, modes_case(fe))
    if fe.sol in COMPLEX and fe.direct.refused is None and not gone(("EIGC",), None):
        yield from cmethod_missing(fe, next((one for one in cases if selected(one, "CMET")), cases[0]))


def missing_constraints(fe: FEModel, case: SubcaseSelections) -> Iterator[tuple[str, tuple[str, ...], int]]:
    """Sentences on SPC and SUPORT1 sets of a subcase that are not in the deck, with their cards and numbers."""
    have = fe.constraints
    for command, sid, known, cards in (
        ("SPC", case.spc, {*have.spc_sets, *have.spc_add}, ("SPC", "SPC1", "SPCADD")),
        ("SUPORT1", case.suport1, set(have.suport1_sets), ("SUPORT1",)),
    ):
        if sid and sid not in known:
            yield (
                _absent(case, command, sid, f"{'an' if command == 'SPC' else 'a'} {command} set", known),
                cards,
                sid,
            )


def _caught(step: Callable[[], object]) -> Iterator[str]:
    try:
        step()
    except InterstageError as error:
        yield str(error)


def _absent(case: SubcaseSelections, command: str, sid: int, cards: str, known: Iterable[int]) -> str:
    return (
        f"{command} = {sid} of subcase {case.id} selects {cards} that the deck does not have; "
        f"{known_names(sorted(known))}"
    )


def _responses(fe: FEModel, gone: Gone) -> Iterator[str]:
    known, in_time = fe.dynamics, fe.sol in IN_TIME
    cases = [case for case in fe.case.subcases if not (case.analysis or "").startswith(("MODE", "STAT"))]
    moved = [case for case in cases if selected(case, "DLOA") or (in_time and selected(case, "IC"))]
    if not moved:
        yield "no subcase selects a dynamic load (DLOAD)" + (" or an initial motion (IC)" if in_time else "")
    axis = ("TSTEP", "TSTEP", known.steps) if in_time else ("FREQUENCY", "FREQ", known.frequencies)
    for case in moved or cases:
        command, letters, table = axis
        cards = ("TSTEP",) if in_time else ("FREQ", *(f"FREQ{k}" for k in range(1, 6)))
        if not selected(case, letters):
            yield f"subcase {case.id} has no {command}, which the solution needs; {known_names(sorted(table))}"
        asked = [(command, letters, table, cards)]
        asked += [("SDAMPING", "SDAM", known.damping, ("TABDMP1",))] if fe.sol in MODAL else []
        asked += [("IC", "IC", known.start, ("TIC",))] if in_time else []
        asked += [("RANDOM", "RAND", known.random, ("RANDPS",))] if not in_time else []
        for name, short, sets, cards in asked:
            sid = selected(case, short)
            if sid and sid not in sets and not gone(cards, sid):
                yield _absent(
                    case, name, sid, "FREQi cards" if name == "FREQUENCY" else f"a {cards[0]}", sets
                )
        if not gone(LOADS, None):
            kind = TimeLoad if in_time else FrequencyLoad
            yield from _caught(lambda case=case, kind=kind: DynamicLoads(fe, case, kind, []))  # type: ignore[misc]


def _complex(fe: FEModel, gone: Gone) -> Iterator[str]:
    if fe.direct.refused is not None:
        yield str(fe.direct.refused)
        return
    for case in fe.case.subcases:
        for command, short, known, card in (
            ("CMETHOD", "CMET", fe.direct.requests, "EIGC"),
            ("TFL", "TFL", fe.direct.transfer, "TF"),
        ):
            sid = selected(case, short)
            if sid and sid not in known and not gone((card,), sid):
                yield _absent(case, command, sid, f"{'an' if card[0] == 'E' else 'a'} {card}", known)


def _buckling(fe: FEModel, gone: Gone) -> Iterator[str]:
    known = {*fe.eigen_requests, *fe.buckling_requests}
    ids = [case.id for case in fe.case.subcases]
    for case in fe.case.subcases:
        if case.method is not None and case.method not in known and not gone(("EIGRL", "EIGB"), case.method):
            yield _absent(case, "METHOD", case.method, "an EIGRL or EIGB", known)
        other = selected(case, "STAT")
        if other and other not in ids:
            yield f"STATSUB = {other} of subcase {case.id} names a subcase that the deck does not have"
    if not any(case.load for case in fe.case.subcases):
        yield "no subcase has loads (LOAD), so that nothing can buckle"
