"""What elements refer to and the deck does not have: grids and properties, all of them at once."""

from __future__ import annotations

import numpy as np

from interstage.errors import DeckError
from interstage.fem.from_deck.lookup import property_ids
from interstage.nastran.deck import Deck
from interstage.nastran.registry import OTHER_PROPERTIES

# how many grids elements name, from their third data field on
_LINES = dict.fromkeys(("CROD", "CTUBE", "CVISC", "CBAR", "CBEAM", "CBUSH", "CBUSH1D", "CGAP", "CBEND"), 2)
_LINES |= {"CBEAM3": 3}
_SHELLS = {"CTRIA3": 3, "CTRIAR": 3, "CQUAD4": 4, "CQUADR": 4, "CSHEAR": 4, "CTRIA6": 6, "CQUAD8": 8}
_SOLIDS = {"CTRIAX6": 6, "CTETRA": 10, "CPYRAM": 13, "CPENTA": 15, "CHEXA": 20}
# data fields in which elements name their grids: the first, the last
CONNECTED = {name: (3, 2 + n) for name, n in (_LINES | _SHELLS | _SOLIDS).items()}
CONNECTED |= {"CONROD": (2, 3), "CONM1": (2, 2), "CONM2": (2, 2)}

# properties by the elements that name them
_OF_SHELL, _OF_SOLID = ("PSHELL", "PCOMP", "PCOMPG"), ("PSOLID", "PCOMPS")
PROPERTY_OF = {
    "CBAR": ("PBAR", "PBARL"),
    "CBEAM": ("PBEAM", "PBEAML", "PBCOMP"),
    "CBEAM3": ("PBEAM3", "PBEAML"),
    "CROD": ("PROD",),
    "CTUBE": ("PTUBE",),
    **{"C" + name: ("P" + name,) for name in ("BEND", "BUSH", "BUSH1D", "GAP", "SHEAR", "WELD", "FAST")},
    **dict.fromkeys((name for name in _SHELLS if name != "CSHEAR"), _OF_SHELL),
    **dict.fromkeys((name for name in _SOLIDS if name != "CTRIAX6"), _OF_SOLID),
}
_DEFAULTS = {"CBAR": "BAROR", "CBEAM": "BEAMOR"}


def missing_grids(deck: Deck) -> list[DeckError]:
    """Every element that stands on a grid that the deck does not have, each card once."""
    table = deck.cards("GRID")
    known = np.unique(np.append(table.select(table.is_integer(1)).integer(1), 0))
    out = []
    for name, (first, last) in CONNECTED.items():
        cards = deck.cards(name)
        for j in range(first, last + 1) if len(cards) else ():
            whole = np.flatnonzero(cards.is_integer(j))
            ids = cards.select(whole).integer(j)
            bad = ~np.isin(ids, known)
            out += [
                cards.error(
                    int(i),
                    f"{name} refers to grid {grid}, which is not in the deck",
                    hint="add the GRID card or correct the id",
                )
                for i, grid in zip(whole[bad].tolist(), ids[bad].tolist())
            ]
            cards = cards.select(np.setdiff1d(np.arange(len(cards)), whole[bad]))
    return out


def missing_properties(deck: Deck) -> list[DeckError]:
    """Every element whose property the deck does not have; those that are not supported are refused elsewhere."""
    out = []
    for name, kinds in PROPERTY_OF.items():
        cards = deck.cards(name)
        cards = cards.select(np.flatnonzero(cards.is_integer(1) & (cards.is_integer(2) | cards.blank(2))))
        if not len(cards):
            continue
        others = [kind for kind, elements in OTHER_PROPERTIES.items() if name in elements]
        tables = [deck.cards(kind) for kind in (*kinds, *others)]
        known = np.concatenate([one.select(np.flatnonzero(one.is_integer(1))).integer(1) for one in tables])
        pid = property_ids(cards, deck.cards(_DEFAULTS[name]) if name in _DEFAULTS else None)
        out += [
            cards.error(
                int(i),
                f"{name} refers to property {pid[i]}, which is not in the deck",
                hint=f"add a {' or '.join(kinds)} with this id or correct the id",
            )
            for i in np.flatnonzero(~np.isin(pid, known))
        ]
    return out
