"""Rods: CROD, CONROD, CTUBE (axial and torsional stiffness) and CVISC (viscous damping)."""

from __future__ import annotations

import numpy as np

from interstage.fem.elements.block import ElementBlock, Heat, OutputOptions, ResultRows, by_element
from interstage.fem.elements.line_common import string_stiffness


class RodBlock(ElementBlock):
    """Straight rods: k = EA/L along the axis, GJ/L about it.

    Lumped mass is half the mass on the three translations of each end. Coupled mass is, along the axis, 5/12 on the
    ends and 1/12 between them, the mean of lumped and consistent mass (Basic Dynamic Analysis guide); across it the
    mass stays lumped, as the published modes of a truss show.

    Parameters
    ----------
    axis : (n, 3) unit vectors from end 1 to end 2, basic axes
    length : (n,)
    EA, GJ : (n,) axial and torsional stiffness times length
    mass_per_length : (n,) density times area plus non-structural mass
    area : (n,) for axial stress
    torsion_arm : (n,) torsional stress of a unit torque, C/J
    """

    def __init__(
        self,
        name,
        eid,
        nodes,
        axis,
        length,
        EA,
        GJ,
        mass_per_length,
        ge=None,
        area=None,
        torsion_arm=None,
    ):
        super().__init__(name, eid, nodes, ge)
        n = len(self.eid)
        self.area = np.full(n, np.nan) if area is None else np.asarray(area, dtype=float)
        self.torsion_arm = np.full(n, np.nan) if torsion_arm is None else np.asarray(torsion_arm, dtype=float)
        self.axis = np.asarray(axis, dtype=float)
        self.length = np.asarray(length, dtype=float)
        self.EA, self.GJ = np.asarray(EA, dtype=float), np.asarray(GJ, dtype=float)
        self.total_mass = np.asarray(mass_per_length, dtype=float) * self.length

    def stiffness(self, rows: slice) -> np.ndarray:
        return _along(self.axis[rows], self.EA[rows] / self.length[rows], self.GJ[rows] / self.length[rows])

    def mass(self, rows: slice, coupled: bool) -> np.ndarray:
        m = self.total_mass[rows]
        out = np.zeros((len(m), 12, 12))
        for i in (0, 1, 2):
            out[:, i, i] = out[:, 6 + i, 6 + i] = 0.5 * m
        # along the axis a twelfth of the mass couples the ends: 1/2 - 1/12 = 5/12
        return out - _along(self.axis[rows], m / 12.0, 0.0 * m) if coupled else out

    def thermal_motion(self, heat: Heat) -> np.ndarray:
        out = np.zeros((len(self), 12))
        out[:, 6:9] = (self.expansion * heat.mean * self.length)[:, None] * self.axis
        return out

    def recovery(self, rows: slice) -> np.ndarray:
        """Axial force (tension positive) and torque, (n, 2, 12)."""
        axis, L = self.axis[rows], self.length[rows]
        out = np.zeros((len(L), 2, 12))
        for row, first, k in ((0, 0, self.EA[rows] / L), (1, 3, self.GJ[rows] / L)):
            along = k[:, None] * axis
            out[:, row, first : first + 3], out[:, row, first + 6 : first + 9] = -along, along
        return out

    def force_tables(self, results, options: OutputOptions) -> list[ResultRows]:
        return [ResultRows(self.name, ("axial", "torsion"), self.eid, by_element(results))]

    def stress_tables(self, results, options: OutputOptions) -> list[ResultRows]:
        with np.errstate(divide="ignore", invalid="ignore"):
            axial = np.where(self.area[:, None] > 0.0, results[:, 0] / self.area[:, None], 0.0)
        torsion = results[:, 1] * self.torsion_arm[:, None]
        margin = np.full_like(axial, np.nan)  # no allowable stresses are known
        columns = ("axial", "SMa", "torsion", "SMt")
        values = np.stack([axial, margin, torsion, margin], axis=1)
        return [ResultRows(self.name, columns, self.eid, by_element(values))]

    def geometric_stiffness(self, rows: slice, results: np.ndarray, full: bool) -> np.ndarray:
        """F/L between the translations across the axis; a rod has no other."""
        return string_stiffness(self.axis[rows], results[:, 0] / self.length[rows])


class ViscousRodBlock(ElementBlock):
    """CVISC: dampers along and about the line between two grids.

    Force = CE times the relative axial velocity, moment = CR times the relative rate of twist (n,).
    """

    def __init__(self, eid, nodes, axis, CE, CR):
        super().__init__("CVISC", eid, nodes)
        self.axis = np.asarray(axis, dtype=float)
        self.CE, self.CR = np.asarray(CE, dtype=float), np.asarray(CR, dtype=float)

    def damping(self, rows: slice) -> np.ndarray:
        return _along(self.axis[rows], self.CE[rows], self.CR[rows])


def _along(axis: np.ndarray, axial: np.ndarray, torsional: np.ndarray) -> np.ndarray:
    """(n, 12, 12) of `axial` between the translations and `torsional` between the rotations along an axis."""
    tt = axis[:, :, None] * axis[:, None, :]
    out = np.zeros((len(axis), 12, 12))
    for first, value in ((0, axial), (3, torsional)):
        block = value[:, None, None] * tt
        a, b = slice(first, first + 3), slice(first + 6, first + 9)
        out[:, a, a] = out[:, b, b] = block
        out[:, a, b] = out[:, b, a] = -block
    return out
