"""GRID cards for small decks."""

from __future__ import annotations

from collections.abc import Iterable


def grid_cards(points: Iterable[tuple[float, float, float]]) -> str:
    """GRID cards 1, 2, ... at points in basic axes."""
    return "".join(f"GRID,{k},,{x},{y},{z}\n" for k, (x, y, z) in enumerate(points, start=1))


_SQUARE = ((0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0))
# in the order of the corners of a CHEXA
UNIT_CUBE = grid_cards((x, y, z) for z in (0.0, 1.0) for x, y in _SQUARE)
