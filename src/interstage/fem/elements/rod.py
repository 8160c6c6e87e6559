"""Rods: CROD, CONROD, CTUBE (axial and torsional stiffness) and CVISC (viscous damping)."""

from __future__ import annotations

import numpy as np

from interstage.fem.elements.block import ElementBlock


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
    """

    def __init__(self, name, eid, nodes, axis, length, EA, GJ, mass_per_length, ge=None):
        super().__init__(name, eid, nodes, ge)
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
