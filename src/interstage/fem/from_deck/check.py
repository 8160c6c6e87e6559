"""Look a deck over: everything that is wrong with it at once, and what it holds."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components

from interstage.errors import DeckError, InterstageError
from interstage.fem.elements.bar import BarBlock
from interstage.fem.elements.shell_common import ShellBlock
from interstage.fem.elements.solid_common import SolidBlock
from interstage.fem.from_deck.build import NO_LOADS
from interstage.fem.from_deck.context import Context
from interstage.fem.from_deck.dynamics import read_dynamics
from interstage.fem.from_deck.references import missing_grids, missing_properties
from interstage.fem.gpwg import without_noise
from interstage.fem.model import FEModel
from interstage.fem.reduction import reduce_model
from interstage.fem.requests import deck_request, modes_case
from interstage.fem.sets import SetCards
from interstage.fem.solutions import static_cases, subcase_constraints
from interstage.fem.statics import solve_static
from interstage.fem.thermal import free_expansion
from interstage.nastran.checks import check_ids, entry_errors, number_errors, param_errors
from interstage.nastran.deck import Deck, read_deck
from interstage.nastran.field_types import check_types
from interstage.nastran.registry import RESPONSES
from interstage.nastran.source import NO_END

MOST = 60  # times that a step is tried again without the card at which it stopped
ALIKE = 3  # sentences of one kind that are shown
MODES = (3, 103)  # solutions that a free structure has
# DMIG that case control names, and what they are added to
MATRICES = {
    "k2gg": "stiffness",
    "m2gg": "mass",
    "b2gg": "damping",
    "k42gg": "structural damping",
    "p2g": "loads",
    "k2pp": "stiffness of responses",
    "m2pp": "mass of responses",
    "b2pp": "damping of responses",
}
STATICS = (1, 24, 61, 101)  # solutions that it does not have

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


@dataclass
class DeckCheck:
    """What `check_deck` found.

    Attributes
    ----------
    source, sol : the file and its solution
    cards : number of cards by name
    troubles : everything that keeps the deck from being solved, with file and line, in reading order
    loads : what is wrong with static loads, which modes do without
    ignored, requests : cards and case control that no solution uses, with their numbers
    notes : sentences about what is taken with a word, free edges, parts, supports
    facts : what the model is, by name: grids, elements, size, mass, units
    """

    source: str
    sol: int | None = None
    cards: dict[str, int] = field(default_factory=dict)
    troubles: list[str] = field(default_factory=list)
    loads: list[str] = field(default_factory=list)
    ignored: dict[str, int] = field(default_factory=dict)
    requests: dict[str, int] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    facts: dict[str, str] = field(default_factory=dict)

    def __repr__(self) -> str:
        good = "can be solved" if not self.troubles else f"has {_counted(len(self.troubles), 'trouble')}"
        if any(NO_END in note for note in self.notes):
            good += " as far as it goes: ENDDATA is missing"
        lines = [f"{self.source}: SOL {self.sol or 'not given'}, {sum(self.cards.values())} cards; {good}"]
        lines += [f"  {name}: {value}" for name, value in self.facts.items()]
        for title, sentences in (("trouble", self.troubles), ("loads", self.loads), ("note", self.notes)):
            lines += [f"  {title}: {sentence}" for sentence in sentences]
        for title, counts in (("not used", self.ignored), ("not carried out", self.requests)):
            if counts:
                lines.append(f"  {title}: " + ", ".join(f"{k} ({v})" for k, v in sorted(counts.items())))
        return "\n".join(lines)


def _counted(n: int, thing: str) -> str:
    return f"{n} {thing}" if n == 1 else f"{n} {thing}s"


def check_deck(path: str | Path, allow_outside: bool = False) -> DeckCheck:
    """Read a deck and list everything that is wrong with it, instead of the first mistake alone.

    A card that is wrong is left out and the reading goes on; what only follows from that is not listed, and mistakes
    that are alike are listed together. A file that is not there or cannot be opened is an error.
    """
    out = DeckCheck(str(path))
    try:
        deck = read_deck(path, allow_outside, strict=False)
    except DeckError as error:
        if error.line is None:
            raise
        out.troubles.append(str(error))
        return out
    out.sol, out.cards = deck.sol, dict(deck.counts)
    found = _Troubles(deck)
    for errors in (entry_errors(deck), param_errors(deck), number_errors(deck)):
        found.take(list(errors))
    for check in (check_types, check_ids):
        found.until_clean(partial(check, deck))
    found.take([*missing_properties(deck), *missing_grids(deck)])
    _check_matrices(deck, found, out)
    fe: list[FEModel] = []
    found.until_clean(lambda: fe.append(FEModel.from_deck(deck)))
    if fe and fe[0].sol in RESPONSES and not deck.response_refusals:
        found.until_clean(partial(_dynamics_of, deck))
    out.troubles = found.sentences()
    out.ignored, out.requests = deck.ignored, deck.ignored_requests
    if fe:
        _look_at(fe[0], out)
    else:
        out.notes += deck.notes
    out.loads, out.notes = together(out.loads), together(out.notes)
    return out


def _dynamics_of(deck: Deck) -> None:
    """Raise the first error of tables, loads and frequencies."""
    refused = read_dynamics(Context(deck)).refused
    if refused is not None:
        raise refused


def together(sentences: Iterable[str]) -> list[str]:
    """Sentences, each once; of those that differ in numbers alone the first few, then how many more there are.

    >>> together(f"CBAR {k} is bad (a.bdf, line {k + 10})" for k in range(9))[3]
    '6 more like the last, lines 13, 14, 15, 16, 17, 18'
    """
    alike: dict[str, list[str]] = {}
    for sentence in dict.fromkeys(sentences):
        alike.setdefault(re.sub(r"'[^']*'|[-+.\d]+", "#", sentence), []).append(sentence)
    out = []
    for group in alike.values():
        few = ALIKE if len(group) > ALIKE + 1 else len(group)
        out += group[:few]
        if len(group) > few:
            lines = [one for text in group[few:] for one in re.findall(r", line (\d+)", text)[:1]]
            shown = ", ".join(lines[:12]) + (", ..." if len(lines) > 12 else "")
            out.append(f"{len(group) - few} more like the last" + (f", lines {shown}" if lines else ""))
    return out


def _check_matrices(deck: Deck, found: _Troubles, out: DeckCheck) -> None:
    """Say which DMIG case control adds to what, which are not used, and which it names and are not there."""
    table = deck.cards("DMIG")
    there = {str(row[0]) for row in table.rows() if row}
    used: dict[str, list[str]] = {}
    for case in deck.case.subcases:
        for kind, what in MATRICES.items():
            for name in getattr(case, kind):
                if name not in there:
                    found.errors.append(
                        DeckError(f"{kind.upper()} names DMIG {name}, which is not in the deck")
                    )
                elif what not in used.setdefault(name, []):
                    used[name].append(what)
            setattr(case, kind, [name for name in getattr(case, kind) if name in there])
    for name in sorted(there):
        words = f"in {' and '.join(used[name])}" if name in used else "that case control does not name"
        out.facts[f"DMIG {name}"] = words


# what a message says that a card refers to, by the beginning of the name of the card that was left out
_REFERRED = (
    ("GRID", "grid"),
    ("TABLE", "table"),
    ("P", "property"),
    ("MAT", "material"),
    ("CORD", "coordinate system"),
)


class _Troubles:
    """Errors so far; a card that is wrong is dropped from the deck."""

    def __init__(self, deck: Deck):
        self.deck = deck
        self.errors: list[InterstageError] = []
        self.more = False
        self._dropped: set[str] = set()

    def take(self, errors: Iterable[InterstageError]) -> bool:
        """Note errors and drop their cards; False where nothing could be dropped."""
        done = True
        for error in errors:
            if not any(re.search(rf"\b{what}\b", error.what) for what in self._dropped):
                self.errors.append(error)
            gone = None
            if isinstance(error, DeckError) and error.file is not None and error.line is not None:
                gone = self.deck.drop(error.file, error.line)
            if gone is None:
                done = False
            else:
                name, number = gone
                self._dropped.update(
                    f"{word} {number}" for start, word in _REFERRED if name.startswith(start)
                )
        return done

    def until_clean(self, step: Callable[[], object]) -> None:
        """Repeat a step that raises at the first mistake until it finds none, or can go no further."""
        for _ in range(MOST):
            try:
                step()
                return
            except InterstageError as error:
                if not self.take([error]):
                    return
        self.more = True

    def sentences(self) -> list[str]:
        """The errors in reading order, each once."""
        order = sorted(
            self.errors, key=lambda e: (getattr(e, "file", None) or "", getattr(e, "line", None) or 0)
        )
        limit = f"the check stopped at its limit of {MOST} mistakes of one kind: mend these and run it again"
        more = [limit] if self.more else []
        return together(str(error) for error in order) + more


def _look_at(fe: FEModel, out: DeckCheck) -> None:
    """Note what the model is: size, mass, units, parts, free edges, supports."""
    counts: dict[str, int] = {}
    for block in fe.blocks:
        counts[block.name] = counts.get(block.name, 0) + len(block)
    for terms in fe.terms.K:
        counts[terms.name] = counts.get(terms.name, 0) + len(np.unique(terms.eid))
    out.facts["grids"] = f"{len(fe.grids)}, {fe.grids.n_dof} degrees of freedom"
    out.facts["elements"] = ", ".join(f"{n} {name}" for name, n in sorted(counts.items())) or "none"
    if len(fe.grids):
        size = without_noise(np.ptp(fe.grids.xyz, axis=0))
        out.facts["size"] = " x ".join(f"{s:.4g}" for s in size)
    out.notes += [note for note in fe.notes if not note.startswith(NO_LOADS)]
    if fe.loads.refused is not None:
        out.loads.append(str(fe.loads.refused))
    sets = [*fe.loads.sets.values(), *fe.loads.temperatures.values()]
    out.loads += [str(one.refused) for one in sets if one.refused is not None]
    if fe.sol in RESPONSES:
        refused = fe.dynamics.refused
        if refused is not None and not any(str(refused) == one for one in out.troubles):
            out.troubles.append(str(refused))
    _check_method(fe, out)
    try:
        weight = fe.mass_properties()
        out.facts["mass"] = f"{weight.mass:.6g}, centre at " + ", ".join(f"{c:.5g}" for c in weight.shown_cg)
        fe.K_gg  # noqa: B018  every element matrix once
    except InterstageError as error:
        out.troubles.append(str(error))
        return
    guess, wave = _units(fe)
    if guess:
        out.facts["units"] = guess
    elif wave is not None:
        out.notes.append(
            f"moduli of about {wave[0]:.3g} with a wave speed of {wave[1]:.3g} are those of metals in no usual "
            "system of units: look at E, RHO and PARAM WTMASS"
        )
    _note_density(fe, out)
    _note_thickness(fe, out)
    _note_parts(fe, out)
    _note_edges(fe, out)
    _note_supports(fe, out)
    if fe.sol in STATICS:
        _check_loads(fe, out)


def units_guess(fe: FEModel) -> str | None:
    """Say in which units the stiffness and the wave speed of solids, shells and bars are those of metals."""
    return _units(fe)[0]


def _units(fe: FEModel) -> tuple[str | None, tuple[float, float] | None]:
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


def _check_method(fe: FEModel, out: DeckCheck) -> None:
    """Say if METHOD selects a request that is not there, where the deck's solution needs one."""
    try:
        if fe.sol in MODES or fe.sol in (11, 12, 30, 31, 110, 111, 112):
            deck_request(fe, modes_case(fe))
    except InterstageError as error:
        out.troubles.append(str(error))


def _note_density(fe: FEModel, out: DeckCheck) -> None:
    """Name solids, shells and bars without mass in a deck for dynamics."""
    if fe.sol in STATICS:
        return
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
            out.notes.append(f"{what}: their density is zero or blank")


def _note_thickness(fe: FEModel, out: DeckCheck) -> None:
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
            out.notes.append(
                f"{len(bad)} of {len(block)} {block.name} are thicker than their shortest side, {block.eid[i]} the "
                f"first: {thick[i]:.4g} beside {side[i]:.4g}; look at units of T and of the grids"
            )


def _note_parts(fe: FEModel, out: DeckCheck) -> None:
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
        out.notes.append(f"{len(sizes)} parts that no element or constraint joins, of {shown} grids")
    loose = int(np.count_nonzero(~used))
    if loose:
        what, first = _counted(loose, "grid"), fe.grids.id[~used][0]
        out.notes.append(f"{what} of no element with stiffness, grid {first} the first")


def _note_edges(fe: FEModel, out: DeckCheck) -> None:
    """Count the edges of shells that one element has, and those that more than two share."""
    sides = []
    for block in fe.blocks:
        if isinstance(block, ShellBlock) and len(block):
            corners = block.nodes[:, : block.corners]
            sides.append(np.stack([corners, np.roll(corners, -1, axis=1)], axis=2).reshape(-1, 2))
    if not sides:
        return
    _, count = np.unique(np.sort(np.concatenate(sides), axis=1), axis=0, return_counts=True)
    free, many = int(np.sum(count == 1)), int(np.sum(count > 2))
    out.facts["shell edges"] = f"{free} free, {many} shared by more than two elements, of {len(count)}"


def _note_supports(fe: FEModel, out: DeckCheck) -> None:
    """Factor the stiffness with the supports of each subcase and say what can move without resistance.

    What stops the deck's own solution is a trouble: constraints that contradict each other, in statics a mechanism too.
    """
    seen: set[tuple[int | None, ...]] = set()
    chosen = modes_case(fe) if fe.sol in MODES else None
    for case in fe.case.subcases:
        key = (case.spc, case.mpc, case.suport1)
        if key in seen or len(seen) >= 4:
            continue
        seen.add(key)
        needed = chosen is None or key == (chosen.spc, chosen.mpc, chosen.suport1)
        held = "the constraints of subcase" if (case.spc or case.mpc) else "no constraints in subcase"
        try:
            constraints = subcase_constraints(fe, case, SetCards())
            constraints.hold(fe.set_cards(case).r)
            reduced = reduce_model(fe.K_gg, None, fe.grids, constraints)
        except InterstageError as error:
            (out.troubles if needed else out.notes).append(f"{held} {case.id}: {error}")
            continue
        try:
            notes = solve_static(reduced, np.zeros(fe.grids.n_dof)).notes
        except InterstageError as error:
            free = " (a free structure has its modes; statics do not go)" if fe.sol in MODES else ""
            (out.troubles if fe.sol in STATICS else out.notes).append(f"{held} {case.id}{free}: {error}")
            continue
        out.notes += [note for note in notes if note not in out.notes]


def _check_loads(fe: FEModel, out: DeckCheck) -> None:
    """Loads of the subcases of statics; what is wrong with them stops it."""
    for case in static_cases(fe):
        try:
            fe.loads.check()
            if case.load:
                fe.loads.vector(case.load, fe.M_gg)
            free_expansion(fe, case)
        except InterstageError as error:
            out.loads = [one for one in out.loads if one != str(error)]
            if str(error) not in out.troubles:
                out.troubles.append(str(error))
