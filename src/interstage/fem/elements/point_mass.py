"""Concentrated masses at grids: CONM1 and CONM2."""

from __future__ import annotations

import numpy as np

from interstage.fem.elements.block import ElementBlock
from interstage.fem.elements.line_common import cross_matrix


class PointMassBlock(ElementBlock):
    """CONM2: rigid bodies fixed to grids.

    M = [[m 1, -m d×], [m d×, I - m d× d×]] about the grid, for the mass m at d from it.

    Attributes
    ----------
    point_mass : (n,) masses, in the units of the deck
    offset : (n, 3) centre of gravity from the grid, basic axes
    inertia : (n, 3, 3) inertia tensor about the centre of gravity, basic axes (off-diagonal terms -∫xy dm)
    """

    def __init__(self, eid, nodes, point_mass, offset, inertia):
        super().__init__("CONM2", eid, np.asarray(nodes).reshape(-1, 1))
        self.point_mass = np.asarray(point_mass, dtype=float)
        self.offset = np.asarray(offset, dtype=float)
        self.inertia = np.asarray(inertia, dtype=float)

    def mass(self, rows: slice, coupled: bool) -> np.ndarray:
        m = self.point_mass[rows][:, None, None]
        d = cross_matrix(self.offset[rows])
        out = np.zeros((len(d), 6, 6))
        out[:, :3, :3] = m * np.eye(3)
        out[:, :3, 3:] = -m * d
        out[:, 3:, :3] = m * d
        out[:, 3:, 3:] = self.inertia[rows] - m * (d @ d)
        return out


class GeneralMassBlock(ElementBlock):
    """CONM1: a symmetric 6 by 6 mass matrix at a grid, `matrix` (n, 6, 6) in basic axes."""

    def __init__(self, eid, nodes, matrix):
        super().__init__("CONM1", eid, np.asarray(nodes).reshape(-1, 1))
        self.matrix = np.asarray(matrix, dtype=float)

    def mass(self, rows: slice, coupled: bool) -> np.ndarray:
        return self.matrix[rows]
