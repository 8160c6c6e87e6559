"""What every reader of cards needs at hand: the deck, its grids, systems, materials and parameters."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from interstage.fem.from_deck.geometry import read_geometry
from interstage.fem.from_deck.materials import Materials
from interstage.fem.grids import Grids
from interstage.nastran import CardTable, Deck


class Context:
    """A deck with its geometry and materials resolved.

    Attributes
    ----------
    deck : the cards
    params : PARAM values by name
    coordinates, grids, materials : resolved once
    notes : sentences about choices made while reading
    """

    def __init__(self, deck: Deck):
        self.deck = deck
        self.params = dict(deck.params)
        self.notes: list[str] = []
        self.coordinates, self.grids = read_geometry(deck)

    def move(self, R: np.ndarray, shift: np.ndarray) -> None:
        """Carry the whole geometry by x -> R x + shift, before anything else is read."""
        g = self.grids
        self.coordinates.move(R, shift)
        self.grids = Grids(g.id, g.xyz @ R.T + shift, R @ g.R_basic_cd, g.cd, g.ps, g.spoint, g.cp)

    @cached_property
    def materials(self) -> Materials:
        return Materials(self.deck)

    def rows(self, table: CardTable, j: int, optional: bool = False) -> np.ndarray:
        """Grid-table rows (n,) of the grid ids in data field j; -1 for blank or 0 where `optional`."""
        ids = table.integer(j, 0) if optional else table.integer(j)
        rows = self.grids.find(ids)
        bad = (rows < 0) & ~((ids == 0) & optional)
        if bad.any():
            i = int(np.argmax(bad))
            raise table.error(
                i,
                f"{table.name} refers to grid {ids[i]}, which is not in the deck",
                hint="add the GRID card or correct the id",
            )
        return rows

    def axes(self, table: CardTable, j: int, xyz_basic: np.ndarray) -> np.ndarray:
        """Axes (n, 3, 3) at points of the coordinate systems whose ids stand in data field j (blank: basic)."""
        cid = table.integer(j, 0)
        self.check_systems(table, cid)
        return self.coordinates.axes(cid, xyz_basic)

    def check_systems(self, table: CardTable, cid: np.ndarray) -> None:
        """Raise a DeckError at the first card whose coordinate system does not exist."""
        unknown = ~np.isin(cid, list(self.coordinates.systems))
        if unknown.any():
            i = int(np.argmax(unknown))
            raise table.error(
                i, f"{table.name} refers to coordinate system {cid[i]}, which is not in the deck"
            )
