"""Cut a part out of a system deck: its cards, and the grids at which it meets the rest.

A part is chosen by properties, elements or a region. It takes along the masses and rigid elements that belong to it
alone, and whatever its cards refer to. The grids that it shares with cards outside are its interface.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from interstage.calls import named_arguments
from interstage.errors import InputError, ModelError, known_names, shown
from interstage.fem.from_deck.geometry import read_geometry
from interstage.fem.from_deck.references import CONNECTED
from interstage.nastran import CardTable, Deck, deck_from_text, expand_ids, read_deck
from interstage.nastran.card_text import Field, card
from interstage.nastran.cards import CARDS, ELEMENTS, MASSES, MATERIALS, RIGID, columns, of_family, of_kind
from interstage.output import write_text

Row = list[int | float | str | None]
Ids = Sequence[int] | Mapping[str, Sequence[int]]

_SCALAR = {name: tuple(columns(card.grids, 8)) for name, card in of_family("scalar").items()}
# whose connection is not read here: a part cannot be cut out of a deck with them
_UNREAD = (
    (ELEMENTS | RIGID)
    - CONNECTED.keys()
    - _SCALAR.keys()
    - {"RBE1", "RBE2", "RBE3", "RBAR", "RROD", "RJOINT"}
)
_ALWAYS = frozenset((*of_kind("property"), *MATERIALS, "GRDSET", "BAROR", "BEAMOR", "EIGRL", "EIGR"))
_ALWAYS |= {"SPCADD", "MPCADD", "CORD2R", "CORD2C", "CORD2S", "TABDMP1"}
_CHOSEN = ("GRID", "SPOINT", "SNORM", "SPC", "SPC1", "MPC", "CORD1R", "CORD1C", "CORD1S")


@named_arguments
@dataclass(frozen=True)
class ExtractedDeck:
    """A part of a deck, as a deck of its own.

    Attributes
    ----------
    text : the deck
    interface : grid -> components, of the grids that the part shares with the rest: `aset` of its component
    dependent : shared grids that follow others through rigid elements or MPC, and cannot be in an interface
    left_out : name -> element ids, as asked for; and every kind of card that was not taken, with its number
    notes : sentences about what the cut means
    """

    text: str
    interface: dict[int, int]
    dependent: tuple[int, ...] = ()
    left_out: dict[str, list[int] | int] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    @property
    def deck(self) -> Deck:
        """The deck, read."""
        return deck_from_text(self.text)

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the deck atomically; returns the path."""
        return write_text(path, self.text, what="deck")

    def __repr__(self) -> str:
        grids = ", ".join(str(grid) for grid in list(self.interface)[:8]) or "none"
        more = f" and {len(self.interface) - 8} more" if len(self.interface) > 8 else ""
        return "\n".join(
            [f"<ExtractedDeck: interface grids {grids}{more}>", *(f"- {note}" for note in self.notes)]
        )


@named_arguments
def extract(
    deck: Deck | str | os.PathLike[str],
    *,
    properties: Sequence[int] = (),
    elements: Sequence[int] = (),
    sets: Sequence[int] = (),
    box: ArrayLike | None = None,
    without: Ids = (),
) -> ExtractedDeck:
    """Extract a part of a system deck as a deck of its own, with the interface at which it meets the rest.

    An element is taken if it has one of the properties, is listed, is in one of the sets, or lies in the box.
    Concentrated masses and rigid elements follow where every grid that they touch is the part's own; the hub of an RBE2
    or RBE3 may be shared. Loads and boundary sets are left out; SPC and MPC are kept where they concern the part alone.

    Parameters
    ----------
    deck : path or Deck
    properties : ids of properties whose elements are taken
    elements : ids of elements
    sets : numbers of SETs of elements in case control (SET 5 = 101 THRU 200), or of SET1 cards
    box : (2, 3) lower and upper corner in basic axes; elements with all grids inside are taken
    without : ids of elements, masses and rigid elements that are left out, as those of engines and actuators; with
        names as in {"engine": [301, 302]}. Where they were attached is part of the interface

    Returns
    -------
    ExtractedDeck

    Examples
    --------
    >>> text = "GRID,1,,0.\\nGRID,2,,1.\\nGRID,3,,2.\\nMAT1,1,7.+10,,.3,2700.\\nPROD,1,1,1.-4\\nPROD,2,1,2.-4\\n"
    >>> part = extract(deck_from_text(text + "CROD,1,1,1,2\\nCROD,2,2,2,3\\n"), properties=[2])
    >>> part.interface
    {2: 123456}
    """
    whole = deck if isinstance(deck, Deck) else read_deck(Path(deck))
    _refuse_whole(whole)
    cut = _Cut(whole, without)
    return cut.made(properties, [*elements, *(one for number in sets for one in cut.of_set(number))], box)


class _Cut:
    """The cards of a deck by the grids that they connect, and which of them a part takes."""

    def __init__(self, deck: Deck, without: Ids):
        self.deck = deck
        self.named = (
            dict(without) if isinstance(without, Mapping) else ({"": list(without)} if without else {})
        )
        self.dropped = {int(i) for ids in self.named.values() for i in ids}
        names = (*sorted(CONNECTED), *sorted(_SCALAR), "RBE1", "RBE2", "RBE3", "RBAR", "RROD", "RJOINT")
        # (name, row) -> grids, of elements, masses and rigid elements
        self.cards: dict[tuple[str, int], frozenset[int]] = {}
        self.tables = {name: deck.cards(name) for name in names if len(deck.cards(name))}
        for name, table in self.tables.items():
            for i, row in enumerate(table.rows()):
                self.cards[name, i] = frozenset(connected(table, i, row))
        known = {self._id(key) for key in self.cards}
        missing = sorted(self.dropped - known)
        if missing:
            raise InputError(
                f"extract: without names element {missing[0]}, which is not in the deck", where=deck.name
            )

    def _id(self, key: tuple[str, int]) -> int:
        return int(self.tables[key[0]].row(key[1])[0])  # type: ignore[arg-type]

    def of_set(self, number: int) -> list[int]:
        """Ids of the elements that a SET of case control, or a SET1 card, names."""
        ids = {
            self._id(key) for key in self.cards if key[0] not in RIGID and key[0] not in MASSES
        } - self.dropped
        known = np.array(sorted(ids), dtype=np.int64)
        table, case = self.deck.cards("SET1"), self.deck.case
        rows = {row[0]: i for i, row in enumerate(table.rows()) if row}
        if number in case.sets:
            try:
                found = case.listed(number, known)
            except ValueError as error:
                raise InputError(f"extract: SET {number} is no list of elements", got=str(error)) from error
            found = known if found is None else found
        elif number in rows:
            i = rows[number]
            found = np.intersect1d(expand_ids(table.row(i)[1:], partial(table.error, i), within=known), known)
        else:
            have = known_names(sorted({*case.sets, *(one for one in rows if isinstance(one, int))}))
            raise InputError(f"extract: SET {number} is not in the deck", where=self.deck.name, hint=have)
        if not len(found):
            raise InputError(f"extract: SET {number} names no element of the deck", where=self.deck.name)
        return [int(one) for one in found]

    def made(
        self, properties: Sequence[int], elements: Sequence[int], box: ArrayLike | None
    ) -> ExtractedDeck:
        """Return the part."""
        taken = self._chosen(properties, elements, box)
        if not taken:
            raise InputError(
                "extract: no element of the deck is chosen",
                where=self.deck.name,
                expected="properties, elements, sets or a box with elements in it",
            )
        self._follow(taken)
        grids = set().union(*(self.cards[key] for key in taken))
        equations = list(_equations(self.deck))
        kept = [(i, row) for i, row, points in equations if points <= grids]
        outside = set().union(*(points for key, points in self.cards.items() if key not in taken))
        outside |= set().union(*(points for _, _, points in equations if not points <= grids))
        shared = sorted(grids & outside)
        follows = _dependents(self.tables, taken, kept)
        scalar = _scalar_points(self.deck)
        notes, left = self._words(taken, equations, grids)
        notes += self._at_the_cut(taken, shared)
        dependent = tuple(grid for grid in shared if grid in follows)
        notes += [
            f"grid {grid} is shared but follows other grids ({follows[grid]}): use it as a node, not as interface"
            for grid in dependent
        ]
        notes += [f"scalar point {one} is shared with what is left out" for one in shared if one in scalar]
        interface = {grid: 123456 for grid in shared if grid not in follows and grid not in scalar}
        return ExtractedDeck(
            self._text(taken, grids, kept, interface), interface, dependent, left, tuple(notes)
        )

    def _chosen(
        self, properties: Sequence[int], elements: Sequence[int], box: ArrayLike | None
    ) -> set[tuple[str, int]]:
        """Return the elements that are asked for."""
        wanted, listed = {int(i) for i in properties}, {int(i) for i in elements}
        inside = None if box is None else _inside(self.deck, box)
        found: set[tuple[str, int]] = set()
        used: set[int] = set()
        seen: set[int] = set()
        for (name, i), points in self.cards.items():
            if name in RIGID or name in MASSES:
                continue
            row = self.tables[name].row(i)
            pid = None
            if CARDS[name].properties:
                pid = row[0] if row[1] is None else row[1]
            by_property = pid in wanted
            used |= {int(pid)} if by_property else set()  # type: ignore[arg-type]
            seen |= {int(row[0])} & listed  # type: ignore[arg-type]
            if by_property or row[0] in listed or (inside is not None and points <= inside):
                found.add((name, i))
        for what, missing in (("properties", wanted - used), ("elements", listed - seen)):
            if missing:
                raise InputError(
                    f"extract: {what} names {min(missing)}, which no element of the deck has",
                    where=self.deck.name,
                    hint=known_names(sorted(self._properties())) if what == "properties" else None,
                )
        return {key for key in found if self._id(key) not in self.dropped}

    def _properties(self) -> set[int]:
        return {
            int(table.row(i)[1])  # type: ignore[arg-type]
            for name, table in self.tables.items()
            if name in ELEMENTS and CARDS[name].properties
            for i in range(len(table))
            if isinstance(table.row(i)[1], int)
        }

    def _follow(self, taken: set[tuple[str, int]]) -> None:
        """Add masses and rigid elements whose grids are all the part's, or nobody else's, until nothing changes.

        The one grid that an RBE2 or RBE3 ties to many may be shared: it goes with the many.
        """
        loose = {
            key
            for key in self.cards
            if (key[0] in RIGID or key[0] in MASSES) and self._id(key) not in self.dropped
        }
        others = set().union(
            *(points for key, points in self.cards.items() if key not in taken and key not in loose)
        )
        while True:
            own = set().union(*(self.cards[key] for key in taken))
            more = {
                key
                for key in loose - taken
                if self.cards[key] & own and not (self.cards[key] - own - self._hub(key)) & others
            }
            if not more:
                return
            taken |= more

    def _hub(self, key: tuple[str, int]) -> set[int]:
        """Return the one grid that an RBE2 or RBE3 ties to at least two others."""
        name, i = key
        if name not in ("RBE2", "RBE3") or len(self.cards[key]) < 3:
            return set()
        return {int(self.tables[name].row(i)[1 if name == "RBE2" else 2])}  # type: ignore[arg-type]

    def _words(
        self, taken: set[tuple[str, int]], equations: list, grids: set[int]
    ) -> tuple[list[str], dict[str, list[int] | int]]:
        """Return notes and what was left out."""
        notes: list[str] = []
        left: dict[str, list[int] | int] = {name or "without": list(ids) for name, ids in self.named.items()}
        for key, points in self.cards.items():
            if key not in taken and key[0] in RIGID and points & grids and self._id(key) not in self.dropped:
                notes.append(f"{key[0]} {self._id(key)} joins the part to the rest and is left out")
        cut = sum(1 for _, _, points in equations if points & grids and not points <= grids)
        if cut:
            notes.append(f"{cut} MPC between the part and the rest are left out")
        handled = _ALWAYS | set(_CHOSEN) | self.tables.keys() | {"PARAM"}
        other = {name: count for name, count in self.deck.counts.items() if name not in handled}
        if other:
            notes.append("not taken: " + ", ".join(f"{name} {count}" for name, count in other.items()))
        return notes, left | other

    def _at_the_cut(self, taken: set[tuple[str, int]], shared: Sequence[int]) -> list[str]:
        """Return notes about what a cut leaves to choose: masses that both sides could take, and shell normals."""
        rest = {key for key in self.cards if key not in taken and key[0] not in RIGID | MASSES}
        if not rest:
            return []
        self._follow(rest)
        both = sorted(f"{name} {self._id((name, i))}" for name, i in rest & taken if name in MASSES)
        notes = (
            [f"{', '.join(both)} at the cut goes with this part: leave it out of the other one"]
            if both
            else []
        )
        shells = {
            g for (name, _), points in self.cards.items() if CARDS[name].family == "shell" for g in points
        }
        if shells & set(shared) and self.deck.params.get("SNORM", 20.0):
            notes.append("shell normals at the cut are averaged over this part alone (PARAM SNORM)")
        return notes

    def _text(
        self, taken: set[tuple[str, int]], grids: set[int], kept: list, interface: Mapping[int, int]
    ) -> str:
        """Write the cards of the part."""
        out = [f"$ part of {Path(self.deck.name).name}"]
        if interface:
            out += _comment("interface grids: ", interface)
        for name, ids in self.named.items():
            out += _comment(f"left out{', ' + name if name else ''}: elements ", ids)
        out += ["SOL 103", "CEND", "TITLE = EXTRACTED PART"]
        for key in ("method", "spc", "mpc"):
            chosen = _first(self.deck, key)
            out += [f"{key.upper()} = {chosen}"] if chosen else []
        out.append("BEGIN BULK")
        for name, value in self.deck.params.items():
            out.append(card("PARAM", name, *(value if isinstance(value, tuple) else (value,))))
        for name in sorted(_ALWAYS):
            out += [_written(name, row) for row in self.deck.cards(name).rows()]
        needed = {int(v) for key in taken for v in self.tables[key[0]].row(key[1]) if isinstance(v, int)}
        for name in ("PSOLID", "GRDSET", "BAROR", "BEAMOR"):
            needed |= {int(v) for row in self.deck.cards(name).rows() for v in row if isinstance(v, int)}
        oriented = _orientation_grids(self.tables, taken)
        out += self._geometry(grids | oriented, needed)
        out += [_written(name, self.tables[name].row(i)) for name, i in sorted(taken)]
        out += [_written("MPC", row) for _, row in kept]
        out += list(_held(self.deck, grids))
        return "\n".join([*out, "ENDDATA", ""])

    def _geometry(self, grids: set[int], needed: set[int]) -> Iterator[str]:
        """Yield grids, the systems that are defined by grids, and those grids."""
        table = self.deck.cards("GRID")
        rows = {int(row[0]): row for row in table.rows()}  # type: ignore[arg-type]
        systems = {}
        for name in ("CORD1R", "CORD1C", "CORD1S"):
            for row in self.deck.cards(name).rows():
                for k in (0, 4):
                    if len(row) > k + 3 and row[k] is not None:
                        systems[int(row[k])] = (name, row[k : k + 4])  # type: ignore[arg-type]
        written: set[int] = set()
        todo = set(grids)
        while todo:
            for grid in sorted(todo & rows.keys()):
                yield _written("GRID", rows[grid])
            needed |= {v for g in todo & rows.keys() for v in rows[g][1:6:4] if isinstance(v, int)}
            written |= todo
            todo = set()
            for cid in sorted(needed & systems.keys()):
                name, row = systems.pop(cid)
                yield _written(name, row)
                todo |= {int(v) for v in row[1:]} - written  # type: ignore[arg-type]
        scalar = sorted(_scalar_points(self.deck) & grids)
        for k in range(0, len(scalar), 8):
            yield card("SPOINT", *scalar[k : k + 8])
        for row in self.deck.cards("SNORM").rows():
            if row[0] in grids:
                yield _written("SNORM", row)


def connected(table: CardTable, i: int, row: Row) -> Iterator[int]:
    """Yield the grids and scalar points that a card connects."""
    name = table.name
    if name in CONNECTED:
        first, last = CONNECTED[name]
        fields = row[first - 1 : last]
    elif name in _SCALAR:
        fields = [row[k - 1] for k in _SCALAR[name] if len(row) >= k]
    elif name in ("RBAR", "RROD", "RJOINT"):
        fields = row[1:3]
    elif name == "RBE2":
        fields = [row[1], *_listed(table, i, row[3:])]
    elif name == "RBE3":
        fields = [row[2], *_weighted_grids(table, i, row[4:])]
    else:  # RBE1: pairs of grid and components
        values = [v for v in row[1:] if v is not None and not isinstance(v, float) and v != "UM"]
        fields = values[::2]
    for value in fields:
        if isinstance(value, int) and value > 0:
            yield value


def _listed(table: CardTable, i: int, values: Iterable) -> list[int]:
    """Ids of a list that may hold THRU, without real numbers and words at its end."""
    plain = [v for v in values if v is not None and not isinstance(v, float)]
    while plain and isinstance(plain[-1], str):
        plain.pop()
    return [int(v) for v in expand_ids(plain, lambda *a, **k: table.error(i, *a, **k))]


def _weighted_grids(table: CardTable, i: int, values: Row) -> list[int]:
    """Grids of the lists of an RBE3: weight, components, grids; then UM and pairs."""
    plain = [v for v in values if v is not None]
    stop = min((k for k, v in enumerate(plain) if v in ("UM", "ALPHA", "TREF")), default=len(plain))
    starts = [k for k, v in enumerate(plain[:stop]) if isinstance(v, float)]
    out: list[int] = []
    for a, b in zip(starts, [*starts[1:], stop]):
        out += _listed(table, i, plain[a + 2 : b])
    if "UM" in plain:
        pairs = [v for v in plain[plain.index("UM") + 1 :] if isinstance(v, int)]
        out += pairs[::2]
    return out


def _equations(deck: Deck) -> Iterator[tuple[int, Row, set[int]]]:
    """Yield every MPC: its number, its fields, its grids."""
    for i, row in enumerate(deck.cards("MPC").rows()):
        at = [k for start in range(0, len(row), 8) for k in (start + 1, start + 4)]
        yield i, row, {int(row[k]) for k in at if k < len(row) and isinstance(row[k], int)}  # type: ignore[arg-type]


def _dependents(tables: Mapping[str, CardTable], taken: set[tuple[str, int]], kept: list) -> dict[int, str]:
    """Grids that follow others, with the card that says so."""
    out: dict[int, str] = {}
    for name, i in taken:
        row, table = tables[name].row(i), tables[name]
        if name == "RBE2":
            out |= dict.fromkeys(_listed(table, i, row[3:]), f"RBE2 {row[0]}")
        elif name == "RBE3" and "UM" not in row:
            out[int(row[2])] = f"RBE3 {row[0]}"  # type: ignore[arg-type]
        elif name in ("RBAR", "RJOINT", "RROD"):
            free_b = name == "RBAR" and len(row) > 4 and row[4] is not None
            out[int(row[1 if free_b else 2])] = f"{name} {row[0]}"  # type: ignore[arg-type]
        elif name == "RBE1":
            values = [v for v in row[1:] if v is not None and not isinstance(v, float)]
            after = values[values.index("UM") + 1 :] if "UM" in values else []
            out |= dict.fromkeys((int(v) for v in after[::2]), f"RBE1 {row[0]}")  # type: ignore[arg-type]
    for _, row in kept:
        out[int(row[1])] = f"MPC {row[0]}"
    return out


def _orientation_grids(tables: Mapping[str, CardTable], taken: set[tuple[str, int]]) -> set[int]:
    """Grids that orient bars and beams: they need not belong to the part."""
    found = (tables[name].row(i) for name, i in taken if CARDS[name].oriented)
    return {row[4] for row in found if len(row) > 4 and isinstance(row[4], int) and row[4] > 0}


def _held(deck: Deck, grids: set[int]) -> Iterator[str]:
    """Yield SPC and SPC1 of the grids."""
    for row in deck.cards("SPC").rows():
        for k in (1, 4):
            if len(row) > k + 1 and row[k] in grids:
                yield _written("SPC", [row[0], *row[k : k + 3]])
    table = deck.cards("SPC1")
    for i, row in enumerate(table.rows()):
        ids = [one for one in _listed(table, i, row[2:]) if one in grids]
        for k in range(0, len(ids), 6):
            yield _written("SPC1", [*row[:2], *ids[k : k + 6]])


def _inside(deck: Deck, box: ArrayLike) -> set[int]:
    """Grids in a box of basic axes."""
    try:
        low, high = np.asarray(box, dtype=float).reshape(2, 3)
    except (TypeError, ValueError, RuntimeWarning):
        raise InputError(
            "extract: box must be two points", expected="(2, 3) numbers", got=shown(box)
        ) from None
    _, grids = read_geometry(deck)
    inside = ((grids.xyz >= low) & (grids.xyz <= high)).all(axis=1)
    return {int(one) for one in grids.id[inside]}


def _scalar_points(deck: Deck) -> set[int]:
    table = deck.cards("SPOINT")
    return {one for i, row in enumerate(table.rows()) for one in _listed(table, i, row)}


def _first(deck: Deck, name: str) -> int | None:
    """The set that the first subcase which has one selects."""
    return next((found for case in deck.case.subcases if (found := getattr(case, name))), None)


def _refuse_whole(deck: Deck) -> None:
    """Refuse decks with what cannot be split between a part and the rest."""
    unread = sorted(name for name in _UNREAD if len(deck.cards(name)))
    cases = deck.case.subcases
    matrices = ("K2GG", "M2GG", "B2GG", "K42GG")
    added = [name for name in matrices if any(getattr(one, name.lower()) for one in cases)]
    spread = [
        name for name in ("NSM", "NSM1", "NSML", "NSML1") if len(deck.cards(name)) and _first(deck, "nsm")
    ]
    if deck.parts or unread or added or spread:
        what = ", ".join([*(["part superelements"] if deck.parts else []), *unread, *added, *spread])
        raise ModelError(
            f"a part cannot be cut out of a deck with {what}",
            where=deck.name,
            hint="remove these from the system deck, and add what belongs to the part by hand",
        )


def _comment(head: str, ids: Iterable[int]) -> list[str]:
    """Return ids in comments of at most 72 columns."""
    lines, line = [], f"$ {head}"
    for one in ids:
        if len(line) > 64:
            lines.append(line.rstrip())
            line = "$   "
        line += f"{one} "
    return [*lines, line.rstrip()]


def _written(name: str, row: Sequence[int | float | str | None]) -> str:
    values: list[Field] = list(row)
    return card(name, *values)
