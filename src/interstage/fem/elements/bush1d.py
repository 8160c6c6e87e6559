"""CBUSH1D: a spring and a damper along one line between two grids."""

from __future__ import annotations

import numpy as np

from interstage.fem.elements.block import ElementBlock, OutputOptions, ResultRows, by_element
from interstage.fem.elements.line_common import string_stiffness


class AxialBushBlock(ElementBlock):
    """CBUSH1D elements, linear.

    With t the unit axis in basic axes and e = t·(u_b - u_a) the elongation, force = k e + c de/dt, tension positive, on
    the translations alone. A grounded element has no second grid (row -1). Half the mass stands on the translations of
    each grid, lumped and coupled alike (MSC Nastran Quick Reference Guide, CBUSH1D and PBUSH1D).

    Attributes
    ----------
    axis : (n, 3) unit vectors, basic axes
    length : (n,) between the grids; zero where they are at one place or one is ground
    k, c, total_mass : (n,) stiffness, viscous damping, mass
    factors : (n, 2) stress of a unit force and strain of a unit elongation (SA, SE)
    """

    def __init__(self, eid, nodes, axis, length, k, c, total_mass, factors):
        super().__init__("CBUSH1D", eid, nodes)
        self.axis, self.length = np.asarray(axis, dtype=float), np.asarray(length, dtype=float)
        self.k, self.c = np.asarray(k, dtype=float), np.asarray(c, dtype=float)
        self.total_mass, self.factors = np.asarray(total_mass, dtype=float), np.asarray(factors, dtype=float)

    def stiffness(self, rows: slice) -> np.ndarray:
        return self._between(self.k[rows], rows)

    def damping(self, rows: slice) -> np.ndarray | None:
        return self._between(self.c[rows], rows) if self.c.any() else None

    def mass(self, rows: slice, coupled: bool) -> np.ndarray | None:
        if not self.total_mass.any():
            return None
        translations = np.tile([1.0, 1.0, 1.0, 0.0, 0.0, 0.0], 2)
        return 0.5 * self.total_mass[rows, None, None] * np.diag(translations)

    def _elongation(self, rows: slice) -> np.ndarray:
        """Elongation of unit motions of the grids, (n, 12)."""
        out = np.zeros((len(self.axis[rows]), 12))
        out[:, :3], out[:, 6:9] = -self.axis[rows], self.axis[rows]
        return out

    def _between(self, value: np.ndarray, rows: slice) -> np.ndarray:
        e = self._elongation(rows)
        return value[:, None, None] * e[:, :, None] * e[:, None, :]

    def recovery(self, rows: slice) -> np.ndarray:
        """Force of the spring (tension positive) and elongation, (n, 2, 12)."""
        e = self._elongation(rows)
        return np.stack([self.k[rows, None] * e, e], axis=1)

    def force_tables(self, results, options: OutputOptions) -> list[ResultRows]:
        return [ResultRows(self.name, ("axial",), self.eid, by_element(results[:, :1]))]

    def stress_tables(self, results, options: OutputOptions) -> list[ResultRows]:
        columns = ("axial_displacement", "axial_stress", "axial_strain")
        values = np.concatenate([results[:, 1:], self.factors[:, :, None] * results], axis=1)
        return [ResultRows(self.name, columns, self.eid, by_element(values))]

    def geometric_stiffness(self, rows: slice, results: np.ndarray, full: bool) -> np.ndarray:
        """F/L between the translations across the axis, as of a rod; grids at one place have none."""
        length = self.length[rows]
        tension = np.divide(results[:, 0], length, out=np.zeros(len(length)), where=length > 0.0)
        return string_stiffness(self.axis[rows], tension)
