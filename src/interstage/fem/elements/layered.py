"""CHEXA with PCOMPS: bricks of plies, each integrated with its own moduli.

The brick is that of eight nodes with enhanced strains; points are 2x2 across and two in each ply along the stack.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from interstage.errors import ModelError
from interstage.fem.elements.block import Heat
from interstage.fem.elements.hexa import HEXA8, layered_stiffness
from interstage.fem.elements.solid_common import SolidBlock, derivatives, gauss
from interstage.fem.elements.solid_common_kernels import mass_integrals

CHUNK = 256  # elements whose strains are held at once


def ply_points(fractions: np.ndarray, axis: int, upward: bool) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Points (p, 3), weights (p,) and ply of each point (p,) of plies with thickness `fractions` (k,), sum 1.

    axis : natural coordinate 0, 1 or 2 along which they are stacked; upward : in the order in which it grows
    """
    x, w = gauss(2)
    order = np.arange(len(fractions)) if upward else np.arange(len(fractions))[::-1]
    top = -1.0 + 2.0 * np.cumsum(fractions[order])
    middle, half = top - fractions[order], fractions[order]
    points, weights, plies = [], [], []
    for m, h, ply in zip(middle, half, order):
        for along, w_along in zip(m + h * x, h * w):
            for a, w_a in zip(x, w):
                for b, w_b in zip(x, w):
                    points.append(np.insert([a, b], axis, along))
                    weights.append(w_along * w_a * w_b)
                    plies.append(ply)
    return np.array(points), np.array(weights), np.array(plies)


class LayeredBlock(SolidBlock):
    """Bricks of one PCOMPS.

    Attributes
    ----------
    fractions : (k,) thickness of plies, sum 1;  plies : (n, k, 6, 6) their moduli in basic axes
    densities : (k,) of the plies: each has its mass where it is
    axis, upward : (n,) natural coordinate along which each element is stacked, and whether with it or against it
    """

    def __init__(self, eid, nodes, xyz, densities, ge, fractions, plies, axis, upward):
        mean = np.einsum("k,nkij->nij", fractions, plies)
        super().__init__(HEXA8, eid, nodes, xyz, mean, np.full(len(eid), fractions @ densities), ge)
        self.densities = densities
        self.fractions, self.plies, self.axis, self.upward = fractions, plies, axis, upward

    def _stacks(self, rows: slice) -> Iterator[tuple[np.ndarray, np.ndarray, tuple]]:
        """Places in `rows`, elements and `ply_points` of a few elements at a time that are stacked alike."""
        which = np.arange(len(self))[rows]
        for axis in range(3):
            for upward in (False, True):
                here = np.flatnonzero((self.axis[which] == axis) & (self.upward[which] == upward))
                for first in range(0, len(here), CHUNK):
                    part = here[first : first + CHUNK]
                    yield part, which[part], ply_points(self.fractions, axis, upward)

    def stiffness(self, rows: slice) -> np.ndarray:
        out = np.empty((len(self.eid[rows]), 24, 24))
        for at, elements, (points, weights, ply) in self._stacks(rows):
            out[at] = layered_stiffness(self.xyz[elements], self.plies[elements][:, ply], points, weights)
        return out

    def nodal_mass(self, rows: slice) -> np.ndarray:
        out = np.empty((len(self.eid[rows]), 8, 8))
        for at, elements, (points, weights, ply) in self._stacks(rows):
            part = np.empty((len(at), 8, 8))
            N, dN = derivatives(HEXA8.functions, points)
            mass_integrals(self.xyz[elements], N, dN, weights * self.densities[ply], part)
            out[at] = part
        return out

    def recovery(self, rows: slice) -> None:
        """No stresses: they differ from ply to ply."""

    def thermal_motion(self, heat: Heat) -> np.ndarray:
        raise ModelError(
            "temperatures of solids with plies (PCOMPS) are not supported",
            where=f"CHEXA {self.eid[0]}",
            hint="leave TEMPERATURE out of case control, or model each ply with solids of its own",
        )
