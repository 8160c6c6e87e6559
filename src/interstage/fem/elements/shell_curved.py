"""The block of the curved shells with mid-side nodes, CQUAD8 and CTRIA6."""

from __future__ import annotations

import numpy as np

from interstage.fem.elements.curved_kernels import (
    QUAD_NODES,
    QUAD_POINTS,
    TRIA_NODES,
    TRIA_POINTS,
    curved_geometric_range,
    local_basis,
    output_direction,
    shape,
)
from interstage.fem.elements.shell_common import ShellBlock


class CurvedShellBlock(ShellBlock):
    """CQUAD8 or CTRIA6 elements; nodes (n, 2·corners) with −1 for mid-side nodes that are missing.

    Elements without any mid-side node are computed by the flat family `flat`.
    """

    flat: type
    full: np.ndarray
    always_corners = True
    geometric_kernel = curved_geometric_range

    def stiffness(self, rows: slice) -> np.ndarray:
        """Stiffness (n, 12·corners, 12·corners) in basic axes."""
        out = super().stiffness(rows)
        self._flat_part(rows, out, lambda block, bare: block.stiffness(slice(None)))
        return out

    def recovery(self, rows: slice) -> np.ndarray:
        """N, M, V at the centre and the corners, (n, 8 + 8·corners, 12·corners).

        Results of the points of integration (2×2, or three), spread linearly; axes as in `output_direction`.
        """
        out = super().recovery(rows)

        def flat(block, bare):
            found = block.recovery(slice(None))
            return found if found.shape[1] == out.shape[1] else np.tile(found, (1, self.places, 1))

        self._flat_part(rows, out, flat)
        return out

    def points_of_results(self, which: np.ndarray) -> np.ndarray:
        """N and M for unit motions at the points of integration, (n, q, 6, 12·corners)."""
        # results at the corners were spread from these points: back by the same functions
        found = self.recovery(which).reshape(len(which), self.corners + 1, 8, -1)[:, 1:, :6]
        return np.einsum("qa,naim->nqim", self.point_functions(), found)

    def point_forces(self, which: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        S = self.points_of_results(which)
        points = QUAD_POINTS if self.corners == 4 else TRIA_POINTS
        x, weights = self.positions(which), []
        for point in points:
            N = self._functions(self.nodes[which], point)
            sides = (np.einsum("nak,na->nk", x, N[:, :, i]) for i in (1, 2))
            weights.append(
                np.linalg.norm(np.cross(*sides), axis=1) * (1.0 if self.corners == 4 else 1.0 / 6.0)
            )
        return S, np.stack(weights, axis=1)

    def geometric_stiffness(self, rows: slice, results: np.ndarray, full: bool) -> np.ndarray:
        """Geometric stiffness (n, 12·corners, 12·corners) of the membrane forces."""
        out = super().geometric_stiffness(rows, results, full)

        def flat(block, bare):
            return block.geometric_stiffness(slice(None), results[bare, : 8 * block.places], full)

        self._flat_part(rows, out, flat)
        return out

    def arms(self, rows: slice) -> np.ndarray:
        """Offsets (n, 2·corners, 3) of the surface from its nodes, basic axes."""
        x, nodes = self.positions(rows), self.nodes[rows]
        naturals = QUAD_NODES if self.corners == 4 else TRIA_NODES
        out = np.empty_like(x)
        for a, point in enumerate(naturals):
            N = self._functions(nodes, point)
            normal = np.cross(*(np.einsum("nak,na->nk", x, N[:, :, i]) for i in (1, 2)))
            out[:, a] = normal / np.linalg.norm(normal, axis=1)[:, None]
        return out * self.offset[rows][:, None, None]

    def element_axes(self, rows) -> np.ndarray:
        """Axes of the results at the centre (n, 3, 3) as rows, basic."""
        rows = np.atleast_1d(np.arange(len(self))[rows])
        nodes, x = self.nodes[rows], self.positions(rows)
        out = np.empty((len(rows), 3, 3))
        for e in range(len(rows)):
            along, E = np.empty(3), np.empty((3, 3))
            N, g = np.empty((nodes.shape[1], 3)), np.empty((nodes.shape[1], 2))
            output_direction(x[e], nodes[e], self.corners, N, along)
            local_basis(x[e], N, along, E, g)
            out[e] = E
        return out

    def _flat_part(self, rows: slice, out: np.ndarray, matrix) -> None:
        """Overwrite elements without mid-side nodes by those of the flat family: `matrix(block, which)`."""
        bare = (self.nodes[rows][:, self.corners :] < 0).all(axis=1)
        if not bare.any():
            return
        block = self.flat(
            self.name,
            self.eid[rows][bare],
            self.nodes[rows][bare][:, : self.corners],
            self.xyz,
            self.sections,
            self.section[rows][bare],
            axis=self.axis[rows][bare],
            offset=self.offset[rows][bare],
            taper=self.taper[rows][bare],
            k6rot=self.k6rot,
        )
        size = 6 * self.corners
        out[bare] = 0.0
        values = matrix(block, bare)
        out[np.ix_(np.flatnonzero(bare), np.arange(values.shape[1]), np.arange(size))] = values

    def positions(self, rows: slice = slice(None)) -> np.ndarray:
        """Node positions (n, 2·corners, 3); missing mid-sides lie between their corners."""
        nodes, c = self.nodes[rows], self.corners
        x = self.xyz[np.maximum(nodes, 0)]
        middle = 0.5 * (x[:, :c] + np.roll(x[:, :c], -1, axis=1))
        x[:, c:] = np.where((nodes[:, c:] < 0)[:, :, None], middle, x[:, c:])
        return x

    def _functions(self, nodes: np.ndarray, point: np.ndarray) -> np.ndarray:
        """Shape functions and derivatives (n, 2·corners, 3) at a natural point, missing nodes folded."""
        c = self.corners
        N = np.empty((2 * c, 3))
        shape(point[0], point[1], c, np.zeros(2 * c, dtype=np.int64), N)
        out = np.broadcast_to(N, (len(nodes), 2 * c, 3)).copy()
        fold = np.where((nodes[:, c:] < 0)[:, :, None], out[:, c:], 0.0)
        out[:, c:] -= fold
        out[:, :c] += 0.5 * (fold + np.roll(fold, 1, axis=1))
        return out

    def area_vectors(self, rows: slice = slice(None)) -> np.ndarray:
        """Area vectors dA/dξdη (n, q, 3) at the points of the full rule: they must point to the same side."""
        x = self.positions(rows)
        vectors = []
        for point in self.full:
            N = self._functions(self.nodes[rows], point)
            a1, a2 = np.einsum("nak,na->nk", x, N[:, :, 1]), np.einsum("nak,na->nk", x, N[:, :, 2])
            vectors.append(np.cross(a1, a2))
        return np.stack(vectors, axis=1)

    def mass(self, rows: slice, coupled: bool) -> np.ndarray:
        """Mass (n, m, m), translations only: ∫ρt N_a N_b dA; lumped: its diagonal scaled to the mass."""
        nodes, taper, p = self.nodes[rows], self.taper[rows], self.section[rows]
        jacobian = np.linalg.norm(self.area_vectors(rows), axis=2)
        n = 2 * self.corners
        M = np.zeros((len(nodes), n, n))
        for q, (xi, eta, weight) in enumerate(self.full):
            N = self._functions(nodes, (xi, eta))[:, :, 0]
            if self.corners == 3:
                t = taper @ np.array([1 - xi - eta, xi, eta])
            else:
                t = taper @ (0.25 * (1 + QUAD_NODES[:4, 0] * xi) * (1 + QUAD_NODES[:4, 1] * eta))
            m = self.sections.mass[p] + (t - 1.0) * self.sections.mass_of_thickness[p]
            M += np.einsum("n,na,nb->nab", m * jacobian[:, q] * weight, N, N)
        if not coupled:
            diagonal = np.einsum("naa->na", M)
            total = diagonal.sum(axis=1)
            scale = M.sum(axis=(1, 2)) / np.where(
                total > 0.0, total, 1.0
            )  # without density there is nothing to scale
            M = np.einsum("na,ab->nab", diagonal * scale[:, None], np.eye(n))
        out = np.zeros((len(nodes), 6 * n, 6 * n))
        for k in range(3):
            out[:, k::6, k::6] = M
        self._flat_part(rows, out, lambda block, bare: block.mass(slice(None), coupled))
        return out
