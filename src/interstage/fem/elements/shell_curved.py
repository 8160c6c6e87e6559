"""What the curved shells with mid-side nodes, CQUAD8 and CTRIA6, share.

The surface and the director d (surface normals at the nodes) are interpolated from the nodes. With
U = u + z₀ θ×d (offset) and w = θ×d, strains in local axes e1, e2 tangent to the surface are

    ε_αβ = sym(e_α·U,β),  κ_αβ = sym(e_α·w,β + d,α·U,β),  γ_α = e_α·w + d·U,α

(the basic shell model; Chapelle and Bathe, The Finite Element Analysis of Shells, 2003, section 4.2).
The rotation about the normal is tied to the rotation of the surface at the nodes by PARAM K6ROT.
These are not NASTRAN's own formulations, which are not published.
"""

from __future__ import annotations

import numpy as np

from interstage.fem.elements.dense_kernels import condense, cross, normalize
from interstage.fem.elements.shell_common import ShellBlock
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
def place_nodes(xyz, nodes, corners, naturals, offset, N, x, director, E, g, reference):
    """Positions x and directors of the nodes (mid-sides that are missing lie between their corners)."""
    n = 2 * corners
    for a in range(n):
        for k in range(3):
            if nodes[a] >= 0:
                x[a, k] = xyz[nodes[a], k]
            else:
                b, c = a - corners, (a - corners + 1) % corners
                x[a, k] = 0.5 * (xyz[nodes[b], k] + xyz[nodes[c], k])
    for k in range(3):
        reference[k] = x[1, k] - x[0, k]
    for a in range(n):
        shape(naturals[a, 0], naturals[a, 1], corners, nodes, N)
        local_basis(x, N, reference, E, g)
        for k in range(3):
            director[a, k] = E[2, k]
    for a in range(n):
        for k in range(3):
            x[a, k] += offset * director[a, k]


@kernel
def add_drilling(x, director, nodes, corners, naturals, reference, offset, stiffness, N, E, g, row, K):
    """Add stiffness·(θ·d − ½ curl U·d)² at every node that exists."""
    n = 2 * corners
    turn, v = np.empty(3), np.empty(3)
    for i in range(n):
        if nodes[i] < 0:
            continue
        shape(naturals[i, 0], naturals[i, 1], corners, nodes, N)
        local_basis(x, N, reference, E, g)
        for a in range(n):
            for k in range(3):
                v[k] = 0.5 * (g[a, 1] * E[0, k] - g[a, 0] * E[1, k])
                row[6 * a + k] = v[k]
                v[k] *= offset
            cross(director[a], v, turn)
            for k in range(3):
                row[6 * a + 3 + k] = turn[k] + (E[2, k] if a == i else 0.0)
        for p in range(6 * n):
            for q in range(6 * n):
                K[p, q] += stiffness * row[p] * row[q]


@kernel
def finish(K, x, director, nodes, corners, naturals, reference, offset, drilling, N, E, g, row, out):
    """out (12c, 12c) = K with its internal dofs, the last, condensed, and the drilling springs."""
    n = len(out)
    condense(K, n, len(K))
    for i in range(n):
        for k in range(n):
            out[i, k] = K[i, k]
    add_drilling(x, director, nodes, corners, naturals, reference, offset, drilling, N, E, g, row, out)


class CurvedShellBlock(ShellBlock):
    """CQUAD8 or CTRIA6 elements; nodes (n, 2·corners) with −1 for mid-side nodes that are missing.

    Elements without any mid-side node are computed by the flat family `flat`.
    """

    flat: type
    full: np.ndarray

    def stiffness(self, rows: slice) -> np.ndarray:
        """Stiffness (n, 12·corners, 12·corners) in basic axes."""
        out = super().stiffness(rows)
        self._flat_part(rows, out, lambda block: block.stiffness(slice(None)))
        return out

    def _flat_part(self, rows: slice, out: np.ndarray, matrix) -> None:
        """Overwrite elements without mid-side nodes by those of the flat family."""
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
        out[np.ix_(np.flatnonzero(bare), np.arange(size), np.arange(size))] = matrix(block)

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
            scale = M.sum(axis=(1, 2)) / diagonal.sum(axis=1)
            M = np.einsum("na,ab->nab", diagonal * scale[:, None], np.eye(n))
        out = np.zeros((len(nodes), 6 * n, 6 * n))
        for k in range(3):
            out[:, k::6, k::6] = M
        self._flat_part(rows, out, lambda block: block.mass(slice(None), coupled))
        return out
