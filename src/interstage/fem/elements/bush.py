"""Bushes: CBUSH and CBUSH1D.

CBUSH: six springs and dampers between two grids, acting at one place.

CBUSH1D: a spring and a damper along one line between two grids.
"""

from __future__ import annotations

import numpy as np

from interstage.fem.elements.block import ElementBlock, Heat, OutputOptions, ResultRows, by_element
from interstage.fem.elements.line_common import arm_stiffness, rigid_arm, string_stiffness, transform, turn


class BushBlock(ElementBlock):
    """CBUSH elements.

    The springs stand at one point, to which both grids are joined by rigid arms w_a, w_b (zero for
    coincident grids). With T the motion of a grid at that point in element axes,
    K = [-T_a T_b]' diag(k) [-T_a T_b]; a grounded bush has no second grid (row -1).

    Attributes
    ----------
    R : (n, 3, 3) element axes as columns, basic
    w_a, w_b : (n, 3) from the grids to the springs, basic axes
    k, b, ge_components : (n, 6) stiffness, damping and structural damping coefficients in element axes
    bush_mass : (n,) half on the translations of each grid
    stress_factors : (n, 2) stress of a unit force and of a unit moment (PBUSH SA, ST)

    `expansion` (n,) is the lengthening along the element's x axis of unit temperature, α L.
    """

    def __init__(self, eid, nodes, R, w_a, w_b, k, b, ge_components, bush_mass, stress_factors=None):
        super().__init__("CBUSH", eid, nodes)
        self.R, self.w_a, self.w_b = (np.asarray(x, dtype=float) for x in (R, w_a, w_b))
        self.k, self.b, self.ge_components = (np.asarray(x, dtype=float) for x in (k, b, ge_components))
        self.bush_mass = np.asarray(bush_mass, dtype=float)
        ones = np.ones((len(self.eid), 2))
        self.stress_factors = ones if stress_factors is None else np.asarray(stress_factors, dtype=float)

    def stiffness(self, rows: slice) -> np.ndarray:
        return self._between(self.k[rows], rows)

    def damping(self, rows: slice) -> np.ndarray | None:
        return self._between(self.b[rows], rows) if self.b.any() else None

    def structural_damping(self, rows: slice) -> np.ndarray | None:
        """Springs times their own coefficients (len(rows), 12, 12), or None if all are zero."""
        return self._between((self.k * self.ge_components)[rows], rows) if self.ge_components.any() else None

    def mass(self, rows: slice, coupled: bool) -> np.ndarray | None:
        if not self.bush_mass.any():
            return None
        half = 0.5 * self.bush_mass[rows]
        out = np.zeros((len(half), 12, 12))
        for i in (0, 1, 2, 6, 7, 8):
            out[:, i, i] = half
        return out

    def _between(self, value: np.ndarray, rows: slice) -> np.ndarray:
        return transform(value[:, :, None] * np.eye(6), self.relative_motion(rows))

    def relative_motion(self, rows: slice) -> np.ndarray:
        """Motion of end B less that of end A at the springs, element axes, (n, 6, 12)."""
        local = turn(self.R[rows])
        return np.concatenate(
            [-(local @ rigid_arm(self.w_a[rows])), local @ rigid_arm(self.w_b[rows])], axis=2
        )

    def thermal_motion(self, heat: Heat) -> np.ndarray:
        """The second grid moves by α L ΔT along the x axis of the element (a grounded bush: the first one back)."""
        out = np.zeros((len(self), 12))
        along = (self.expansion * heat.mean)[:, None] * self.R[:, :, 0]
        ground = self.nodes[:, 1] < 0
        out[:, 6:9], out[ground, 0:3], out[ground, 6:9] = along, -along[ground], 0.0
        return out

    def recovery(self, rows: slice) -> np.ndarray:
        """Forces and moments of the springs in element axes, (n, 6, 12)."""
        return self.k[rows][:, :, None] * self.relative_motion(rows)

    def force_tables(self, results, options: OutputOptions) -> list[ResultRows]:
        columns = ("fx", "fy", "fz", "mx", "my", "mz")
        return [ResultRows(self.name, columns, self.eid, by_element(results))]

    def stress_tables(self, results, options: OutputOptions) -> list[ResultRows]:
        factor = np.repeat(self.stress_factors, 3, axis=1)
        columns = ("tx", "ty", "tz", "rx", "ry", "rz")
        return [ResultRows(self.name, columns, self.eid, by_element(factor[:, :, None] * results))]

    def geometric_stiffness(self, rows: slice, results: np.ndarray, full: bool) -> np.ndarray:
        """Forces on the rigid arms from the grids to the springs; springs without arms have none."""
        out = np.zeros((len(results), 12, 12))
        force = np.einsum("nij,nj->ni", self.R[rows], results[:, :3])
        out[:, 3:6, 3:6] = arm_stiffness(-force, self.w_a[rows])
        out[:, 9:, 9:] = arm_stiffness(force, self.w_b[rows])
        return out


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
