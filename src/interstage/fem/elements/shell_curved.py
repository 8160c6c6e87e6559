"""Curved shells: kernels and what CQUAD8 and CTRIA6 share.

Kernels of the curved shells with mid-side nodes, CQUAD8 and CTRIA6.

The surface and the director d (surface normals at the nodes) are interpolated from the nodes. With
U = u + z₀ θ×d (offset) and w = θ×d, strains in local axes e1, e2 tangent to the surface are

    ε_αβ = sym(e_α·U,β),  κ_αβ = sym(e_α·w,β + d,α·U,β),  γ_α = e_α·w + d·U,α

(the basic shell model; Chapelle and Bathe, The Finite Element Analysis of Shells, 2003, section 4.2).
There is no stiffness against rotation about the normal, as in NASTRAN, whatever PARAM K6ROT says: runs of MSC and NX
Nastran leave it at zero on flat plates. How NASTRAN treats curved elements is not published.

The block of the curved shells with mid-side nodes, CQUAD8 and CTRIA6.
"""

from __future__ import annotations

from collections import namedtuple

import numpy as np

from interstage.fem.elements.dense_kernels import cross, normalize
from interstage.fem.elements.shell_common import ShellBlock, section_in_element
from interstage.fem.elements.shell_recovery import add_membrane_geometric, section_forces
from interstage.jit import kernel

# corners and mid-sides in natural coordinates, in the order of the cards
QUAD_NODES = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1], [0, -1], [1, 0], [0, 1], [-1, 0]], dtype=float)
TRIA_NODES = np.array([[0, 0], [1, 0], [0, 1], [0.5, 0], [0.5, 0.5], [0, 0.5]], dtype=float)
_G2, _G3 = 1.0 / np.sqrt(3.0), np.sqrt(0.6)
QUAD_POINTS = np.array([[-_G2, -_G2, 1], [_G2, -_G2, 1], [_G2, _G2, 1], [-_G2, _G2, 1]])
QUAD_FULL = np.array(
    [
        [x, y, u * v]
        for x, u in ((-_G3, 5 / 9), (0, 8 / 9), (_G3, 5 / 9))
        for y, v in ((-_G3, 5 / 9), (0, 8 / 9), (_G3, 5 / 9))
    ]
)
# three points whose linear interpolation integrates quadratic functions
TRIA_POINTS = np.array([[1 / 6, 1 / 6, 1 / 6], [2 / 3, 1 / 6, 1 / 6], [1 / 6, 2 / 3, 1 / 6]])
_A, _B = 0.445948490915965, 0.091576213509771
_WA, _WB = 0.111690794839005, 0.054975871827661
TRIA_FULL = np.array(
    [
        [_A, _A, _WA],
        [1 - 2 * _A, _A, _WA],
        [_A, 1 - 2 * _A, _WA],
        [_B, _B, _WB],
        [1 - 2 * _B, _B, _WB],
        [_B, 1 - 2 * _B, _WB],
    ]
)


CurvedWork = namedtuple("CurvedWork", "N x director g E reference A B D Dr G flex")
CurvedWork.__doc__ = """Room for one element of n nodes.

Shape functions N (n,3), positions x and directors (n,3), gradients g (n,2), axes E (3,3, rows) at a point, the
direction `reference` (3,) of their x axis, and the section in these axes.
"""


@kernel
def curved_work(n):
    """Allocate the room of an element of n nodes."""
    return CurvedWork(
        np.empty((n, 3)), np.empty((n, 3)), np.empty((n, 3)), np.empty((n, 2)), np.empty((3, 3)), np.empty(3),
        np.empty((3, 3)), np.empty((3, 3)), np.empty((3, 3)), np.empty((3, 3)), np.empty((2, 2)), np.empty((2, 2)),
    )  # fmt: skip


@kernel
def section_at(sections, p, axis, area, w):
    """Turn section p to the axes of a point; a section without shear flexibility gets a stiff spring."""
    section_in_element(sections, p, axis, w.E, w.A, w.B, w.D, w.Dr, w.G, w.flex)
    if sections.rigid_shear[p]:
        w.G[0, 0], w.G[1, 1] = 1e5 * w.Dr[0, 0] / area, 1e5 * w.Dr[1, 1] / area


@kernel
def output_direction(x, nodes, corners, N, along):
    """x axis of results, which is projected on the surface at each place; N is scratch.

    At the centre: the tangent of ξ in a triangle; in a quadrilateral the bisector of the tangents, less 45°.
    """
    a1, a2 = np.zeros(3), np.zeros(3)
    middle = 0.0 if corners == 4 else 1.0 / 3.0
    shape(middle, middle, corners, nodes, N)
    for a in range(N.shape[0]):
        for k in range(3):
            a1[k] += N[a, 1] * x[a, k]
            a2[k] += N[a, 2] * x[a, k]
    if corners == 3:
        along[:] = a1
        return
    normalize(a1)
    normalize(a2)
    plus, minus = a1 + a2, a1 - a2
    normalize(plus)
    normalize(minus)
    along[:] = plus + minus


@kernel
def point_forces(B, inside, t, w, S):
    """S (8, n) = N, −M, V for unit motions at a point: rows B (8, n + m), internal motions (m, n)."""
    n = S.shape[1]
    for r in range(8):
        for i in range(len(inside)):
            for c in range(n):
                B[r, c] += B[r, n + i] * inside[i, c]
    section_forces(B[:6, :n], w.A, w.B, w.D, t, t * t, t * t * t, S[:6])
    for i in range(2):
        for c in range(n):
            S[6 + i, c] = t * (w.G[i, 0] * B[6, c] + w.G[i, 1] * B[7, c])


@kernel
def spread(S, corners, out):
    """Results out (8·places, n) at the centre and the corners from S (q, 8, n) at 2×2 or three points."""
    for place in range(corners + 1):
        rows = out[8 * place : 8 * place + 8]
        rows[:] = 0.0
        for q in range(S.shape[0]):
            if corners == 4:
                xi = 0.0 if place == 0 else QUAD_NODES[place - 1, 0]
                eta = 0.0 if place == 0 else QUAD_NODES[place - 1, 1]
                weight = 0.25 * (1 + 3.0 * QUAD_POINTS[q, 0] * xi) * (1 + 3.0 * QUAD_POINTS[q, 1] * eta)
            else:
                weight = 1.0 / 3.0 if place == 0 else (5.0 / 3.0 if place == q + 1 else -1.0 / 3.0)
            for r in range(8):
                for c in range(S.shape[2]):
                    rows[r, c] += weight * S[q, r, c]


@kernel
def shape(xi, eta, corners, nodes, N):
    """Shape functions and natural derivatives N (2·corners, 3) at a point.

    A missing mid-side node (nodes < 0) leaves its side straight: its function goes to its corners in halves.
    """
    if corners == 4:
        for a in range(4):
            s, t = QUAD_NODES[a, 0], QUAD_NODES[a, 1]
            N[a, 0] = 0.25 * (1 + s * xi) * (1 + t * eta) * (s * xi + t * eta - 1)
            N[a, 1] = 0.25 * s * (1 + t * eta) * (2 * s * xi + t * eta)
            N[a, 2] = 0.25 * t * (1 + s * xi) * (2 * t * eta + s * xi)
        for a in range(4, 8):
            s, t = QUAD_NODES[a, 0], QUAD_NODES[a, 1]
            if s == 0.0:
                N[a, 0] = 0.5 * (1 - xi * xi) * (1 + t * eta)
                N[a, 1] = -xi * (1 + t * eta)
                N[a, 2] = 0.5 * t * (1 - xi * xi)
            else:
                N[a, 0] = 0.5 * (1 - eta * eta) * (1 + s * xi)
                N[a, 1] = 0.5 * s * (1 - eta * eta)
                N[a, 2] = -eta * (1 + s * xi)
    else:
        L = (1.0 - xi - eta, xi, eta)
        Lx, Le = (-1.0, 1.0, 0.0), (-1.0, 0.0, 1.0)
        for a in range(3):
            b = (a + 1) % 3
            N[a, 0] = L[a] * (2 * L[a] - 1)
            N[a, 1] = (4 * L[a] - 1) * Lx[a]
            N[a, 2] = (4 * L[a] - 1) * Le[a]
            N[3 + a, 0] = 4 * L[a] * L[b]
            N[3 + a, 1] = 4 * (Lx[a] * L[b] + L[a] * Lx[b])
            N[3 + a, 2] = 4 * (Le[a] * L[b] + L[a] * Le[b])
    for m in range(corners):
        if nodes[corners + m] < 0:
            for k in range(3):
                N[m, k] += 0.5 * N[corners + m, k]
                N[(m + 1) % corners, k] += 0.5 * N[corners + m, k]
                N[corners + m, k] = 0.0


@kernel
def local_basis(x, N, reference, E, g):
    """Local axes E (3,3, rows) with e1 along `reference`, gradients g (nodes, 2); returns dA/dξdη."""
    n = N.shape[0]
    a1, a2 = np.zeros(3), np.zeros(3)
    for a in range(n):
        for k in range(3):
            a1[k] += N[a, 1] * x[a, k]
            a2[k] += N[a, 2] * x[a, k]
    cross(a1, a2, E[2])
    j = normalize(E[2])
    along = reference[0] * E[2, 0] + reference[1] * E[2, 1] + reference[2] * E[2, 2]
    for k in range(3):
        E[0, k] = reference[k] - along * E[2, k]
    if normalize(E[0]) == 0.0:
        E[0, :] = a1
        normalize(E[0])
    cross(E[2], E[0], E[1])
    j11 = j12 = j21 = j22 = 0.0
    for k in range(3):
        j11 += a1[k] * E[0, k]
        j12 += a1[k] * E[1, k]
        j21 += a2[k] * E[0, k]
        j22 += a2[k] * E[1, k]
    for a in range(n):
        g[a, 0] = (j22 * N[a, 1] - j12 * N[a, 2]) / j
        g[a, 1] = (j11 * N[a, 2] - j21 * N[a, 1]) / j
    return j


@kernel
def strain_rows(N, g, E, director, offset, B):
    """B (8, 6n): ε (3), κ (3), γ (2) at a point, in the axes E."""
    n = N.shape[0]
    d, dx, dy = np.zeros(3), np.zeros(3), np.zeros(3)
    turn = np.empty(3)
    v = np.empty((8, 3))
    for a in range(n):
        for k in range(3):
            d[k] += N[a, 0] * director[a, k]
            dx[k] += g[a, 0] * director[a, k]
            dy[k] += g[a, 1] * director[a, k]
    for a in range(n):
        gx, gy = g[a, 0], g[a, 1]
        # translations: vectors v with strain = v·U_a
        for k in range(3):
            v[0, k] = gx * E[0, k]
            v[1, k] = gy * E[1, k]
            v[2, k] = gy * E[0, k] + gx * E[1, k]
            v[3, k] = gx * dx[k]
            v[4, k] = gy * dy[k]
            v[5, k] = gy * dx[k] + gx * dy[k]
            v[6, k] = gx * d[k]
            v[7, k] = gy * d[k]
        for r in range(8):
            for k in range(3):
                B[r, 6 * a + k] = v[r, k]
        # rotations: v·(θ × d_a) = (d_a × v)·θ, with w_a besides the offset z₀ w_a
        for r in range(8):
            for k in range(3):
                v[r, k] *= offset
        for k in range(3):
            v[3, k] += gx * E[0, k]
            v[4, k] += gy * E[1, k]
            v[5, k] += gy * E[0, k] + gx * E[1, k]
            v[6, k] += N[a, 0] * E[0, k]
            v[7, k] += N[a, 0] * E[1, k]
        for r in range(8):
            cross(director[a], v[r], turn)
            for k in range(3):
                B[r, 6 * a + 3 + k] = turn[k]


@kernel
def add_energy(A, Bc, D, G, wA, wB, wD, wG, B, CB, K, n):
    """K += Bᵀ diag-blocks(A, Bc, D, G) B with weights; CB (8, n) is scratch."""
    for i in range(3):
        for c in range(n):
            s = m = 0.0
            for k in range(3):
                s += wA * A[i, k] * B[k, c] + wB * Bc[i, k] * B[3 + k, c]
                m += wB * Bc[i, k] * B[k, c] + wD * D[i, k] * B[3 + k, c]
            CB[i, c] = s
            CB[3 + i, c] = m
    for i in range(2):
        for c in range(n):
            CB[6 + i, c] = wG * (G[i, 0] * B[6, c] + G[i, 1] * B[7, c])
    for r in range(8):
        for i in range(n):
            b = B[r, i]
            if b != 0.0:
                for c in range(n):
                    K[i, c] += b * CB[r, c]


@kernel
def corner_thickness(xi, eta, corners, thick):
    """Thickness ratio at a point from those of the corners."""
    if corners == 3:
        return (1.0 - xi - eta) * thick[0] + xi * thick[1] + eta * thick[2]
    t = 0.0
    for a in range(4):
        t += 0.25 * (1 + QUAD_NODES[a, 0] * xi) * (1 + QUAD_NODES[a, 1] * eta) * thick[a]
    return t


@kernel
def place_nodes(xyz, nodes, corners, naturals, offset, w):
    """Positions and directors of the nodes (mid-sides that are missing lie between their corners)."""
    n = 2 * corners
    x = w.x
    for a in range(n):
        for k in range(3):
            if nodes[a] >= 0:
                x[a, k] = xyz[nodes[a], k]
            else:
                b, c = a - corners, (a - corners + 1) % corners
                x[a, k] = 0.5 * (xyz[nodes[b], k] + xyz[nodes[c], k])
    for k in range(3):
        w.reference[k] = x[1, k] - x[0, k]
    for a in range(n):
        shape(naturals[a, 0], naturals[a, 1], corners, nodes, w.N)
        local_basis(x, w.N, w.reference, w.E, w.g)
        for k in range(3):
            w.director[a, k] = w.E[2, k]
    for a in range(n):
        for k in range(3):
            x[a, k] += offset * w.director[a, k]


@kernel
def curved_geometric_range(first, last, xyz, nodes, forces, offset, full, out):
    """Geometric stiffness of elements first..last−1 on the motions of their surface, out (n, 6k, 6k), basic axes.

    forces (n, 1 + corners, 3): N_x N_y N_xy at the centre and the corners, which are interpolated to the points.
    """
    corners = nodes.shape[1] // 2
    w, N = curved_work(2 * corners), np.empty(3)
    naturals = QUAD_NODES if corners == 4 else TRIA_NODES
    points = QUAD_POINTS if corners == 4 else TRIA_POINTS
    along = np.empty(3)
    for e in range(first, last):
        place_nodes(xyz, nodes[e], corners, naturals, offset[e], w)
        output_direction(w.x, nodes[e], corners, w.N, along)
        out[e] = 0.0
        for q in range(len(points)):
            xi, eta = points[q, 0], points[q, 1]
            shape(xi, eta, corners, nodes[e], w.N)
            j = local_basis(w.x, w.N, along, w.E, w.g)
            for k in range(3):
                N[k] = corner_thickness(xi, eta, corners, forces[e, 1:, k])
            add_membrane_geometric(w.E, w.g, N, j * points[q, 2], full, out[e])


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
