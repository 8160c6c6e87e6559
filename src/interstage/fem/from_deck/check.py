"""Look a deck over: everything that is wrong with it at once, and what it holds."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

import numpy as np
import scipy.sparse as sp

from interstage.errors import DeckError, InterstageError
from interstage.fem.from_deck.build import NO_LOADS
from interstage.fem.from_deck.check_findings import (
    MODES,
    counted,
    density_notes,
    missing_constraints,
    part_notes,
    selection_errors,
    selection_notes,
    shell_edges,
    thickness_notes,
    units,
)
from interstage.fem.from_deck.context import Context
from interstage.fem.from_deck.dynamics import read_dynamics
from interstage.fem.from_deck.loads import read_loads
from interstage.fem.from_deck.references import missing_grids, missing_properties
from interstage.fem.gpwg import without_noise
from interstage.fem.loads import StaticLoadSets
from interstage.fem.model import FEModel
from interstage.fem.reduction import reduce_model
from interstage.fem.requests import STOPS, modes_case
from interstage.fem.response_problem import MODAL
from interstage.fem.sets import SetCards
from interstage.fem.solutions import static_cases, subcase_constraints
from interstage.fem.statics import solve_static
from interstage.fem.thermal import free_expansion
from interstage.nastran.cards import DYNAMIC, LOADS, OTHER_LOADS
from interstage.nastran.checks import check_ids, check_types, entry_errors, number_errors, param_errors
from interstage.nastran.deck import Deck, read_deck
from interstage.nastran.parameters import RESPONSES
from interstage.nastran.source import NO_END

MOST = 60  # times that a step is tried again without the card at which it stopped
ALIKE = 3  # sentences of one kind that are shown
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
        good = "can be solved" if not self.troubles else f"has {counted(len(self.troubles), 'trouble')}"
        if not self.troubles and any(STOPS in note for note in self.notes):
            good += " here, not by Nastran as it is"
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
    made: list[FEModel] = []
    found.until_clean(lambda: made.append(FEModel.from_deck(deck)))
    fe = made[0] if made else None
    if fe is not None and not deck.parts:
        fe = _cleaned(fe, deck, found, out)
    out.troubles += found.sentences()
    out.ignored, out.requests = deck.ignored, deck.ignored_requests
    if fe is not None:
        _look_at(fe, out, found)
    else:
        out.notes += deck.notes
    out.troubles = list(dict.fromkeys(out.troubles))
    out.loads, out.notes = together(out.loads), together(out.notes)
    return out


def _cleaned(fe: FEModel, deck: Deck, found: _Troubles, out: DeckCheck) -> FEModel:
    """List what is wrong with dynamic requests and static loads; returns the model with those that are left."""
    if fe.sol in RESPONSES and not deck.response_refusals:
        found.until_clean(partial(_dynamics_of, deck))
        fe = replace(fe, dynamics=read_dynamics(Context(deck)))
    if fe.loads.refused is not None and not deck.static_refusals:
        wrong = _Troubles(deck, found.dropped)
        read: list[StaticLoadSets] = []
        wrong.until_clean(lambda: read.append(read_loads(Context(deck), fe.blocks)))
        (out.troubles if fe.sol in STATICS else out.loads).extend(wrong.sentences())
        fe = replace(fe, loads=read[0]) if read else fe
        found.dropped.update(wrong.dropped)
    return fe


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
    ("GRID", "(?:grid|point)"),
    ("SPOINT", "point"),
    ("TAB", "table"),
    ("P", "property"),
    ("MAT", "material"),
    ("MAT", r"MAT\w* with id"),
    ("CORD", "coordinate system"),
    ("C", "element"),
)
# cards that are no part of the structure: without them its mass and supports are what they are
_LOOSE = DYNAMIC | OTHER_LOADS | LOADS | {"EIGRL", "EIGR", "EIGB", "PARAM", "DMIG"}


class _Troubles:
    """Errors so far; a card that is wrong is dropped from the deck.

    dropped : names and numbers of cards left out; what refers to them is not wrong by itself
    """

    def __init__(self, deck: Deck, dropped: Iterable[tuple[str, str]] = ()):
        self.deck = deck
        self.errors: list[InterstageError] = []
        self.more = False
        self.dropped: set[tuple[str, str]] = set(dropped)

    def gone(self, names: Iterable[str], number: int | None = None) -> bool:
        """Whether a card of one of these names, with this number (None: any) or an unreadable one, was left out."""
        return any(
            name in names and (number is None or not of.isdigit() or int(of) == number)
            for name, of in self.dropped
        )

    def incomplete(self) -> bool:
        """Whether a card of the structure was left out."""
        return any(name not in _LOOSE for name, _ in self.dropped)

    def _follows(self, error: InterstageError) -> bool:
        """Whether an error is only about a card that is named already."""
        return any(
            name.startswith(start)
            and re.search(rf"\b{words} {number if number.isdigit() else '[0-9]+'}\b", error.what)
            for name, number in self.dropped
            for start, words in _REFERRED
        )

    def take(self, errors: Iterable[InterstageError]) -> bool:
        """Note errors and drop their cards; False where nothing could be dropped."""
        done = True
        for error in errors:
            if not self._follows(error):
                self.errors.append(error)
            gone = None
            if isinstance(error, DeckError) and error.file is not None and error.line is not None:
                gone = self.deck.drop(error.file, error.line)
            if gone is None:
                done = False
            else:
                self.dropped.add(gone)
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


def _look_at(fe: FEModel, out: DeckCheck, found: _Troubles) -> None:
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
    if fe.loads.refused is not None and fe.sol not in STATICS:
        out.loads.append(str(fe.loads.refused))
    sets = [*fe.loads.sets.values(), *fe.loads.temperatures.values()]
    out.loads += [str(one.refused) for one in sets if one.refused is not None]
    if fe.sol in RESPONSES:
        refused = fe.dynamics.refused
        if refused is not None and not any(str(refused) == one for one in out.troubles):
            out.troubles.append(str(refused))
    out.troubles += selection_errors(fe, found.gone)
    out.notes += selection_notes(fe, found.gone)
    try:
        weight = fe.mass_properties()
        out.facts["mass"] = f"{weight.mass:.6g}, centre at " + ", ".join(f"{c:.5g}" for c in weight.shown_cg)
        fe.K_gg  # noqa: B018  every element matrix once
        massless = fe.sol in (*MODES, *MODAL) and not fe.M_gg.count_nonzero()
    except InterstageError as error:
        out.troubles.append(str(error))
        return
    if found.incomplete():
        out.facts["mass"] += ", without the cards listed below"
    elif massless:
        out.troubles.append("the model has no mass, so that it has no modes; give densities (RHO) or masses")
    guess, wave = units(fe)
    if guess:
        out.facts["units"] = guess
    elif wave is not None:
        out.notes.append(
            f"moduli of about {wave[0]:.3g} with a wave speed of {wave[1]:.3g} are those of metals in no usual "
            "system of units: look at E, RHO and PARAM WTMASS"
        )
    weighed = fe.sol not in STATICS or any(one.fields for one in fe.loads.sets.values())  # GRAV, RFORCE
    out.notes += [*(density_notes(fe) if weighed else ()), *thickness_notes(fe)]
    edges = shell_edges(fe)
    if edges is not None:
        out.facts["shell edges"] = edges
    if found.incomplete():
        out.notes.append("supports and loose parts are checked once the cards listed here are corrected")
    else:
        out.notes += part_notes(fe)
        _note_supports(fe, out, fe.M_gg if fe.sol in (*MODES, *MODAL) and not massless else None)
    if fe.sol in STATICS:
        _check_loads(fe, out, found)


def _note_supports(fe: FEModel, out: DeckCheck, M_gg: sp.csr_matrix | None) -> None:
    """Factor the stiffness with the supports of each subcase and say what can move without resistance.

    What stops the deck's own solution is a trouble: constraints that contradict each other, in statics a mechanism
    too, and in solutions by modes (M_gg) supports that hold all mass.
    """
    seen: set[tuple[int | None, ...]] = set()
    chosen = modes_case(fe) if fe.sol in MODES else None
    for case in fe.case.subcases:
        key = (case.spc, case.mpc, case.suport1)
        if key in seen or len(seen) >= 4 or any(missing_constraints(fe, case)):
            continue
        seen.add(key)
        needed = chosen is None or key == (chosen.spc, chosen.mpc, chosen.suport1)
        held = "the constraints of subcase" if (case.spc or case.mpc) else "no constraints in subcase"
        try:
            constraints = subcase_constraints(fe, case, SetCards())
            constraints.hold(fe.set_cards(case).r)
            reduced = reduce_model(fe.K_gg, M_gg if needed else None, fe.grids, constraints)
            if M_gg is not None and needed:
                reduced.require_mass()
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


def _check_loads(fe: FEModel, out: DeckCheck, found: _Troubles) -> None:
    """Loads of the subcases of statics; what is wrong with them stops it."""
    for case in static_cases(fe):
        try:
            fe.loads.check()
            if case.load:
                fe.loads.vector(case.load, fe.M_gg)
            free_expansion(fe, case)
        except InterstageError as error:
            out.loads = [one for one in out.loads if one != str(error)]
            if not found.gone(LOADS, case.load):
                out.troubles.append(str(error))
