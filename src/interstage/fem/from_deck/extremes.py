"""Largest and smallest element results of a load case, by type of element and by property."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from interstage.fem.from_deck.lookup import properties_of
from interstage.fem.recovery import Table
from interstage.nastran import Deck

# columns that say where or how a result is meant, and margins
_ABOUT = ("fiber_distance", "fiber_curvature", "angle", "sd")


def extremes(cards: Deck, taken: Mapping[str, Mapping[str, Table]]) -> dict:
    """Extremes by kind, type, "all" or property, and column: min and max with the elements where they are.

    Rows of curvatures are left out: they are no strains. Elements without a property are in "all" alone.
    """
    return {
        kind: {name: _of_table(cards, name, table) for name, table in tables.items()}
        for kind, tables in taken.items()
    }


def _of_table(cards: Deck, name: str, table: Table) -> dict[str, dict]:
    card = name.removesuffix("_COMPOSITE")
    named: dict[int, int] = {}
    for deck in (*cards.parts.values(), cards):
        named |= properties_of(deck, card)
    pid = np.array([named.get(eid, 0) for eid in table.element_ids.tolist()], np.int64)
    use = np.ones(len(table), dtype=bool)
    if "fiber_curvature" in table.columns:
        use = table.column("fiber_curvature") == 0.0
    out = {"all": _of_rows(table, use)}
    return out | {str(one): _of_rows(table, use & (pid == one)) for one in np.unique(pid[pid > 0]).tolist()}


def _of_rows(table: Table, rows: np.ndarray) -> dict[str, dict]:
    out = {}
    for column, name in enumerate(table.columns):
        at = np.flatnonzero(rows & np.isfinite(table.values[:, column]))
        if name in _ABOUT or name.startswith(("MS_", "SM")) or name == "margin" or not len(at):
            continue
        values = table.values[at, column]
        low, high = at[np.argmin(values)], at[np.argmax(values)]
        out[name] = {
            "min": float(values.min()),
            "min_at": int(table.element_ids[low]),
            "max": float(values.max()),
            "max_at": int(table.element_ids[high]),
        }
    return out
