"""Parts of decks that tests of several rooms write."""

from __future__ import annotations

# a beam of two bars along x, grids 1 to 3, property 1
TWO_BARS = """GRID,1,,0.,0.,0.
GRID,2,,1.,0.,0.
GRID,3,,2.,0.,0.
CBAR,1,1,1,2,0.,1.,0.
CBAR,2,1,2,3,0.,1.,0."""
