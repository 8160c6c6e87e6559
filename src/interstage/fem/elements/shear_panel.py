"""CSHEAR: the shear panel of Garvey, with edge rods for extension (PSHEAR F1, F2).

The panel carries edge shear flows only. Its generalized force acts along the two diagonals of the mean
plane, so that the stiffness has rank one, K = a aᵀ / (2 Z). Four shapes are told apart as NASTRAN does
(parallelogram, two kinds of trapezium, no parallel sides). With p_i the distances of the corners from the line through
the points where opposite sides meet (all alike for a parallelogram) the shear stress s of side 1-2 goes with

    τ_i = s p1p2/p_i² at the corners,    flows q = s t [1, p1/p3, p1p2/(p3p4), p2/p4] on sides 12, 23, 34, 41

Under preload the forces along the diagonals, c t s times their length, hold the corners as two strings would.

NASTRAN shows the force of half a side at each of its ends, and the forces out of plane (kick) that hold the flows of a
warped panel in balance. The rods of F1 and F2 do not show.

Source: S. J. Garvey, The quadrilateral shear panel, Aircraft Engineering 23 (1951) 134-135; NASTRAN
Theoretical Manual, section 5.3.
"""

from __future__ import annotations

import numpy as np

from interstage.fem.elements.block import ElementBlock, OutputOptions, ResultRows, by_element
from interstage.fem.elements.line_common import string_stiffness

# sides whose directions differ less than this (tangent) count as parallel
PARALLEL = 0.1
# force41 is that of side 4-1 on corner 1, and so on; shear12 the flow on side 1-2
FORCES = (
    *(f"force{pair}" for pair in (41, 21, 12, 32, 23, 43, 34, 14)),
    *(name for k, pair in enumerate((12, 23, 34, 41)) for name in (f"kick_force{k + 1}", f"shear{pair}")),
)


def _mean_plane(x: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Axes (n,3,3, rows; x along side 1-2), corners (n,4,2) from corner 1 and areas (n,) of mean planes."""
    normal = np.cross(x[:, 2] - x[:, 0], x[:, 3] - x[:, 1])
    size = np.linalg.norm(normal, axis=1)
    normal = normal / size[:, None]
    side = x[:, 1] - x[:, 0]
    side = side - np.einsum("ij,ij->i", side, normal)[:, None] * normal
    side /= np.linalg.norm(side, axis=1, keepdims=True)
    axes = np.stack([side, np.cross(normal, side), normal], axis=1)
    xy = np.einsum("nij,nkj->nki", axes[:, :2], x - x[:, :1])
    return axes, xy, 0.5 * size


def panel_flexibility(
    xy: np.ndarray, area: np.ndarray, G: np.ndarray, nu: np.ndarray, t: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Z (n,) of Garvey's panels, the flexibility of the shear flow on side 1-2 in 2 Z / l12²-like units, and p (n, 4).

    xy : (n,4,2) corners in the mean plane, corner 1 at the origin and corner 2 on the x axis
    """
    x2, (x3, y3), (x4, y4) = xy[:, 1, 0], xy[:, 2].T, xy[:, 3].T
    parallel_12_34 = np.abs(y3 - y4) < np.abs(x3 - x4) * PARALLEL
    skew = y4 * (x3 - x2) - y3 * x4
    parallel_14_23 = np.abs(skew) < np.abs(x4 * (x3 - x2) + y4 * y3) * PARALLEL
    shapes = (
        (parallel_12_34 & parallel_14_23, _parallelogram),
        (parallel_12_34 & ~parallel_14_23, _trapezium_12_34),
        (~parallel_12_34 & parallel_14_23, _trapezium_14_23),
        (~parallel_12_34 & ~parallel_14_23, _no_parallel_sides),
    )
    Z, p = np.empty(len(xy)), np.ones((len(xy), 4))
    for mask, shape in shapes:
        if mask.any():
            Z[mask], distances = shape(
                x2[mask], x3[mask], y3[mask], x4[mask], y4[mask], area[mask], 1.0 / (1.0 + nu[mask])
            )
            p[mask] = np.stack(distances, axis=1)
    return Z / (2.0 * G * t), p


def _parallelogram(x2, x3, y3, x4, y4, area, c):
    cot = -0.5 * (x4 / y4 + (x3 - x2) / y3 + (y3 - y4) / (x3 - x4))
    return area * (1.0 + 2.0 * c * cot**2), [np.ones_like(area)] * 4


def _trapezium_12_34(x2, x3, y3, x4, y4, area, c):
    # (xp, yp): where sides 1-4 and 2-3 meet
    cut = y3 * x4 - y4 * (x3 - x2)
    xp, yp = x2 * y3 * x4 / cut, x2 * y3 * y4 / cut
    a, b = (x2 - xp) / yp, -xp / yp
    p3, p4 = yp - y3, yp - y4
    return yp**2 / (p3 * p4) * area * (1.0 + 2.0 / 3.0 * c * (a * a + a * b + b * b)), [yp, yp, p3, p4]


def _trapezium_14_23(x2, x3, y3, x4, y4, area, c):
    # xq: where sides 1-2 and 3-4 meet on the x axis
    d = -0.5 * (x4 / y4 + (x3 - x2) / y3)
    xq = x4 - y4 * (x3 - x4) / (y3 - y4)
    p1, p2, p3, p4 = xq, xq - x2, xq - x3 - d * y3, xq - x4 - d * y4
    b = ((xq - x4) * d + y4) / ((xq - x4) - y4 * d)
    p = [p1, p2, p3, p4]
    return p1 * p2 / (p3 * p4) * area * (1.0 + 2.0 / 3.0 * c * (b * b + b * d + d * d)), p


def _no_parallel_sides(x2, x3, y3, x4, y4, area, nu_c):
    xq = x4 - y4 * (x3 - x4) / (y3 - y4)
    cut = y3 * x4 - y4 * (x3 - x2)
    xp, yp = x2 * y3 * x4 / cut, x2 * y3 * y4 / cut
    length = np.hypot(xq - xp, yp)
    d = (xq - xp) / yp
    p = [yp / length * (xq - x - d * y) for x, y in ((0.0, 0.0), (x2, 0.0), (x3, y3), (x4, y4))]
    c = length / p[0] - d
    b = length / p[3] - c
    a = length / p[1] - d

    def term(u, v):
        power = u + v + 2.0 / 3.0 * (u**3 + v**3) + (u**5 + v**5) / 5.0
        return power * np.log(np.abs(u + v))

    f = term(a, b) + term(c, d) - term(b, c) - term(d, a)
    f += 0.1 * ((a**2 - c**2) * (b**3 - d**3) + (b**2 - d**2) * (a**3 - c**3))
    f -= 0.2 * ((a - c) * (b**4 - d**4) + (b - d) * (a**4 - c**4))
    f *= 0.5 * p[0] * p[1] * p[2] * p[3] / length**2
    return p[0] * p[1] / (p[2] * p[3]) * (area + 4.0 * nu_c * (f - 2.0 / 3.0 * area)), p


class ShearPanelBlock(ElementBlock):
    """CSHEAR elements.

    Parameters
    ----------
    eid, nodes, ge : as for `ElementBlock`
    xyz : (n_grids, 3) grid positions in basic axes
    E, G, nu, t : (n,) material and thickness
    f1, f2 : (n,) effectiveness in extension along sides 1-2 and 3-4, and 2-3 and 1-4: up to 1.01 the rods of
        a pair of sides have the area f t A/(l + l'), above it ½ f t² each
    mass : (n,) mass per area with non-structural mass
    """

    dofs_per_node = 3

    def __init__(self, eid, nodes, xyz, *, E, G, nu, t, f1, f2, mass, ge=None):
        super().__init__("CSHEAR", eid, nodes, ge)
        x = np.asarray(xyz)[self.nodes]
        self.axes, self.xy, self.area = _mean_plane(x)
        self.x = x
        self.E, self.G, self.nu, self.t = E, G, nu, t
        self.factors = (f1, f2)
        self.mass_per_area = mass

    def stiffness(self, rows: slice) -> np.ndarray:
        """Stiffness (n, 12, 12) in basic axes, translations only."""
        a, Z, _ = self._pull(rows)
        K = np.einsum("ni,nj->nij", a, a) / (2.0 * Z)[:, None, None]
        self._add_rods(K, rows)
        return K

    def _pull(self, rows: slice) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Nodal forces a (n, 12) that a unit flow on side 1-2 exerts, basic axes, Z (n,) and p (n, 4)."""
        xy, axes = self.xy[rows], self.axes[rows]
        Z, p = panel_flexibility(xy, self.area[rows], self.G[rows], self.nu[rows], self.t[rows])
        c13, c24 = self._diagonals(rows)
        along_13, along_24 = c13[:, None] * xy[:, 2], c24[:, None] * (xy[:, 3] - xy[:, 1])
        plane = np.stack([along_13, along_24, -along_13, -along_24], axis=1)
        return np.einsum("nki,nij->nkj", plane, axes[:, :2]).reshape(-1, 12), Z, p

    def _diagonals(self, rows: slice) -> tuple[np.ndarray, np.ndarray]:
        """Forces over length (n,) along the diagonals 1-3 and 2-4 in equilibrium with a unit flow on side 1-2."""
        xy = self.xy[rows]
        x2, (x3, y3), (x4, y4) = xy[:, 1, 0], xy[:, 2].T, xy[:, 3].T
        cut = x4 * y3 - x3 * y4
        return -0.5 * x2 * y4 / cut, 0.5 * x2 * y3 / (cut - x2 * (y3 - y4))

    def geometric_stiffness(self, rows: slice, results: np.ndarray, full: bool) -> np.ndarray:
        """F/L across each diagonal between its corners, (n, 12, 12); the rods of F1 and F2 carry no preload."""
        flow = self.t[rows] * results[:, 0]
        out = np.zeros((len(flow), 4, 3, 4, 3))
        for (i, j), c in zip(((0, 2), (1, 3)), self._diagonals(rows)):
            line = np.einsum("ni,nij->nj", self.xy[rows][:, j] - self.xy[rows][:, i], self.axes[rows][:, :2])
            axis = line / np.linalg.norm(line, axis=1, keepdims=True)
            string = string_stiffness(axis, flow * c).reshape(-1, 2, 6, 2, 6)[:, :, :3, :, :3]
            ends = np.array([i, j])
            out[:, ends[:, None], :, ends] += string.transpose(1, 3, 0, 2, 4)
        return out.reshape(-1, 12, 12)

    def recovery(self, rows: slice) -> np.ndarray:
        """Operator (n, 1, 12) to the shear stress of side 1-2."""
        a, Z, _ = self._pull(rows)
        return (-a / (2.0 * Z * self.t[rows])[:, None])[:, None]

    def force_tables(self, results: np.ndarray, options: OutputOptions) -> list[ResultRows]:
        """Forces of half sides at the corners, kick forces and flows, 16 columns."""
        sides = np.roll(self.xy, -1, axis=1) - self.xy
        half = 0.5 * np.linalg.norm(sides, axis=2)
        rise = 0.5 * np.einsum("ni,ni->n", self.x[:, 1] - self.x[:, 0], self.axes[:, 2])
        p1, p2, p3, p4 = self._pull(slice(None))[2].T
        ratio = np.stack([np.ones_like(p1), p1 / p3, p1 * p2 / (p3 * p4), p2 / p4], axis=1)
        slope = np.sqrt(1.0 + (rise[:, None] / half) ** 2)
        q = (self.t[:, None] * ratio / slope)[:, :, None] * results
        f12, f23, f34, f41 = np.moveaxis(half[:, :, None] * q, 1, 0)
        kick = rise[:, None, None] * (q + np.roll(q, 1, axis=1))
        parts = [f41, f12, -f12, -f23, f23, f34, -f34, -f41]
        for k in range(4):
            parts += [kick[:, k], q[:, k]]
        return [ResultRows(self.name, FORCES, self.eid, by_element(np.stack(parts, axis=1)))]

    def stress_tables(self, results: np.ndarray, options: OutputOptions) -> list[ResultRows]:
        """Largest and mean shear stress of the corners."""
        p = self._pull(slice(None))[2]
        tau = (p[:, :1] * p[:, 1:2] / p**2)[:, :, None] * results
        parts = [np.abs(tau).max(axis=1), tau.mean(axis=1), np.full_like(results[:, 0], np.nan)]
        columns = ("max_shear", "avg_shear", "margin")
        return [ResultRows(self.name, columns, self.eid, by_element(np.stack(parts, axis=1)))]

    def _add_rods(self, K: np.ndarray, rows: slice) -> None:
        x, t, E = self.x[rows], self.t[rows], self.E[rows]
        for factor, sides in zip(self.factors, (((0, 1), (2, 3)), ((1, 2), (3, 0)))):
            f = factor[rows]
            if not np.any(f > 0.0):
                continue
            length = [np.linalg.norm(x[:, j] - x[:, i], axis=1) for i, j in sides]
            section = np.where(f > 1.01, 0.5 * f * t**2, f * t * self.area[rows] / (length[0] + length[1]))
            for (i, j), l in zip(sides, length):
                d = (x[:, j] - x[:, i]) / l[:, None]
                k = np.einsum("n,ni,nj->nij", np.where(f > 0.0, E * section / l, 0.0), d, d)
                for p, q, sign in ((i, i, 1), (j, j, 1), (i, j, -1), (j, i, -1)):
                    K[:, 3 * p : 3 * p + 3, 3 * q : 3 * q + 3] += sign * k

    def mass(self, rows: slice, coupled: bool) -> np.ndarray:
        """Mass (n, 12, 12): a quarter of the panel at each corner, lumped also when others are coupled."""
        m = self.mass_per_area[rows] * self.area[rows] / 4.0
        return m[:, None, None] * np.eye(12)
