"""Components of simple structures, for vehicles that have no deck yet: a beam, a plate, a cylinder.

Each one writes a deck (`interstage.nastran.builders`) and reduces it as any other, so that it can be looked at,
changed, and replaced by the real one.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from interstage.calls import named_arguments

if TYPE_CHECKING:
    from interstage.component.record import Component


@named_arguments
class Builders:
    """What makes a `Component` of a simple structure."""

    @classmethod
    def beam(
        cls,
        length: float,
        *,
        deck: str | os.PathLike[str] | None = None,
        n_modes: int = 10,
        **options: object,
    ) -> Component:
        """Build a straight beam along +x; grids 1 (root, at the origin) to elements + 1 (tip). SI units.

        Parameters
        ----------
        length : m
        deck : file to which the deck is written, to look at and change (default: none)
        n_modes : as in `from_deck`
        options : cross section and material, as in `interstage.nastran.builders.beam_deck` (`diameter` or `width` and
            `height`, with or without `wall`, m; or `EI`, N·m², `EA`, N, `GJ`, N·m², and `mass_per_length`, kg/m;
            `material="aluminum"`; `elements=20`); and what `from_deck` takes (`aset`, `rvdof`, `damping`, ...)

        Examples
        --------
        >>> from interstage import Component
        >>> boom = Component.beam(6.0, diameter=0.1, wall=0.002, n_modes=4, aset={1: 123456})
        >>> round(boom.mass, 3)
        10.382
        """
        from interstage.component.from_nastran.simple import built

        return built(cls, "beam", (length,), deck, n_modes, options)

    @classmethod
    def plate(
        cls,
        length: float,
        width: float,
        thickness: float,
        *,
        deck: str | os.PathLike[str] | None = None,
        n_modes: int = 10,
        **options: object,
    ) -> Component:
        """Build a flat plate in the x-y plane; grid 1 is the middle of its root edge, at the origin. SI units.

        Parameters
        ----------
        length, width, thickness : along x, along y, and of the plate, m
        deck, n_modes : as in `beam`
        options : as in `interstage.nastran.builders.plate_deck` (`material`, `elements=(12, 8)`, `root="edge"`,
            `extra_mass_per_area`, kg/m²); and what `from_deck` takes
        """
        from interstage.component.from_nastran.simple import built

        return built(cls, "plate", (length, width, thickness), deck, n_modes, options)

    @classmethod
    def cylinder(
        cls,
        length: float,
        radius: float,
        thickness: float,
        *,
        deck: str | os.PathLike[str] | None = None,
        n_modes: int = 10,
        **options: object,
    ) -> Component:
        """Build a thin cylinder along +x; grids 1 and 2 are the centers of its ends, x = 0 and x = length. SI units.

        Parameters
        ----------
        length, radius, thickness : of the cylinder, of the middle of its wall, and of the wall, m
        deck, n_modes : as in `beam`
        options : as in `interstage.nastran.builders.cylinder_deck` (`material`, `elements=(16, 24)`, `stations`,
            `axis`); and what `from_deck` takes
        """
        from interstage.component.from_nastran.simple import built

        return built(cls, "cylinder", (length, radius, thickness), deck, n_modes, options)
