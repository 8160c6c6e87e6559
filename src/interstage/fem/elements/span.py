"""Loads between the ends of bars: the loads at the ends that stand for them.

A bar that is held at A alone would move at B by

    u_B = ∫ [ε(x); κ(x)] moved from x to B dx,   [ε; κ] = c(x) S(x),

with S the resultant of the loads beyond x and c the compliance of the section. K_BB u_B at B, and at A what is left of
the resultant of the loads, move the grids as the loads do.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from interstage.fem.elements.bar import LineBlock
from interstage.fem.elements.line_common import pin_motion

_GAUSS = np.polynomial.legendre.leggauss(5)  # exact for linear loads on prismatic bars


@dataclass(frozen=True)
class SpanLoads:
    """Loads on n bars, from `start` to `stop` along the axis, linear from `first` to `last`.

    row : (n,) row of the bar in its block; start, stop : (n,) distances from end A
    first, last : (n, 6) force and moment by length, element axes; where start = stop `first` is a force and a moment
    """

    row: np.ndarray
    start: np.ndarray
    stop: np.ndarray
    first: np.ndarray
    last: np.ndarray

    def beyond(self, x: np.ndarray) -> np.ndarray:
        """Force and moment (n, p, 6) about x (n, p) of the loads beyond it."""
        start, stop = self.start[:, None], self.stop[:, None]
        length = stop - np.maximum(x, start)
        even = np.where(stop > start, stop - start, 1.0)
        share = ((np.maximum(x, start) - start) / even)[:, :, None]
        here = self.first[:, None] + share * (self.last - self.first)[:, None]
        last = self.last[:, None]
        there = (length > 0.0)[:, :, None]
        total = np.where(there, length[:, :, None] * (here + last) / 2.0, 0.0)
        arm = length[:, :, None] ** 2 * (here / 6.0 + last / 3.0)
        arm = np.where(there, arm + (np.maximum(x, start) - x)[:, :, None] * total, 0.0)
        point = (self.stop == self.start)[:, None, None] & (x < start)[:, :, None]
        total = np.where(point, self.first[:, None], total)
        arm = np.where(point, (start - x)[:, :, None] * self.first[:, None], arm)
        total[:, :, 4] -= arm[:, :, 2]
        total[:, :, 5] += arm[:, :, 1]
        return total


def end_loads(block: LineBlock, loads: SpanLoads) -> np.ndarray:
    """Loads (n, 12) at the ends of bars, element axes, pins released."""
    geometry = block.geometry[loads.row]
    L = geometry.length
    moved = np.zeros((len(L), 6))
    for low, high in ((0.0 * L, loads.start), (loads.start, loads.stop)):
        half = 0.5 * (high - low)[:, None]
        x = low[:, None] + half * (1.0 + _GAUSS[0])
        compliance = block.section_compliance(loads.row, x / L[:, None])
        strain = np.einsum("npij,npj->npi", compliance, loads.beyond(x))
        rest = L[:, None] - x
        strain[:, :, 1] += strain[:, :, 5] * rest
        strain[:, :, 2] -= strain[:, :, 4] * rest
        moved += np.einsum("np,npi->ni", half * _GAUSS[1], strain)
    stiffness = np.stack([block.unpinned(slice(r, r + 1))[0] for r in loads.row.tolist()])
    out = np.zeros((len(L), 12))
    out[:, 6:] = np.einsum("nij,nj->ni", stiffness[:, 6:, 6:], moved)
    out[:, :6] = loads.beyond(np.full((len(L), 1), -1e-300))[:, 0] - out[:, 6:]
    out[:, 4] += L * out[:, 8]
    out[:, 5] -= L * out[:, 7]
    if geometry.pins.any():
        out = np.einsum("nij,ni->nj", pin_motion(stiffness, geometry.pins), out)
    return out
