"""CQUAD8: the curved eight-node shell.

Strains of `curved_kernels` at 2×2 points, which avoids locking. An internal deflection (1−ξ²)(1−η²) along
the normal at the centre lets distorted elements bend to constant curvature, which eight nodes alone do
not. Modes without strain at 2×2 points get a little stiffness from the part of the strains at 3×3
points that is not bilinear; it vanishes for constant strains, so patch tests stay exact.
"""

from __future__ import annotations

import numpy as np

from interstage.fem.elements import curved_kernels as curved
from interstage.fem.elements.dense_kernels import follow, normalize
from interstage.fem.elements.quad4 import Quad4Block
from interstage.fem.elements.shell_curved import CurvedShellBlock
from interstage.jit import kernel

# share of the strain energy beyond bilinear strains; membrane and shear are reduced further by t²/area
STABILIZATION = 0.01
NODES = 8
DOFS = 48


@kernel
def bubble_rows(x, N, g, E, xi, eta, director, centre, B, column):
    """Column of B (8, ·) for the internal deflection (1−ξ²)(1−η²) along `centre`."""
    bx, be = -2.0 * xi * (1.0 - eta * eta), -2.0 * eta * (1.0 - xi * xi)
    j11 = j12 = j21 = j22 = 0.0
    d, dx, dy = np.zeros(3), np.zeros(3), np.zeros(3)
    for a in range(N.shape[0]):
        for k in range(3):
            j11 += N[a, 1] * x[a, k] * E[0, k]
            j12 += N[a, 1] * x[a, k] * E[1, k]
            j21 += N[a, 2] * x[a, k] * E[0, k]
            j22 += N[a, 2] * x[a, k] * E[1, k]
            d[k] += N[a, 0] * director[a, k]
            dx[k] += g[a, 0] * director[a, k]
            dy[k] += g[a, 1] * director[a, k]
    j = j11 * j22 - j12 * j21
    gx, gy = (j22 * bx - j12 * be) / j, (j11 * be - j21 * bx) / j
    for r in range(8):
        B[r, column] = 0.0
    for k in range(3):
        c = centre[k]
        B[0, column] += gx * E[0, k] * c
        B[1, column] += gy * E[1, k] * c
        B[2, column] += (gy * E[0, k] + gx * E[1, k]) * c
        B[3, column] += gx * dx[k] * c
        B[4, column] += gy * dy[k] * c
        B[5, column] += (gy * dx[k] + gx * dy[k]) * c
        B[6, column] += gx * d[k] * c
        B[7, column] += gy * d[k] * c


@kernel
def quad8_matrix(xyz, nodes, p, axis, offset, thick, sections, w, centre, B, CB, K):
    """Stiffness K (49, 49) of one element in basic axes; the internal deflection is dof 48. Returns the area."""
    N, x, g, E, director, reference = w.N, w.x, w.g, w.E, w.director, w.reference
    rest = np.empty((8, DOFS + 1))
    K[:] = 0.0
    curved.place_nodes(xyz, nodes, 4, curved.QUAD_NODES, offset, w)
    area = 0.0
    centre[:] = 0.0
    for q in range(4):
        curved.shape(curved.QUAD_POINTS[q, 0], curved.QUAD_POINTS[q, 1], 4, nodes, N)
        area += curved.local_basis(x, N, reference, E, g)
        for k in range(3):
            centre[k] += E[2, k]
    normalize(centre)
    for q in range(4):
        xi, eta = curved.QUAD_POINTS[q, 0], curved.QUAD_POINTS[q, 1]
        curved.shape(xi, eta, 4, nodes, N)
        j = curved.local_basis(x, N, reference, E, g)
        t = curved.corner_thickness(xi, eta, 4, thick)
        curved.section_at(sections, p, axis, area, w)
        curved.strain_rows(N, g, E, director, offset, B[q])
        bubble_rows(x, N, g, E, xi, eta, director, centre, B[q], DOFS)
        curved.add_energy(w.A, w.B, w.D, w.G, j * t, j * t * t, j * t * t * t, j * t, B[q], CB, K, DOFS + 1)
    thin = min(1.0, sections.thickness[p] ** 2 / area)
    for q in range(9):
        xi, eta = curved.QUAD_FULL[q, 0], curved.QUAD_FULL[q, 1]
        curved.shape(xi, eta, 4, nodes, N)
        j = STABILIZATION * curved.local_basis(x, N, reference, E, g) * curved.QUAD_FULL[q, 2]
        curved.section_at(sections, p, axis, 2e4 * area * thin, w)
        curved.strain_rows(N, g, E, director, offset, rest)
        bubble_rows(x, N, g, E, xi, eta, director, centre, rest, DOFS)
        for s in range(4):
            l = 0.25 * (1 + 3.0 * curved.QUAD_POINTS[s, 0] * xi) * (1 + 3.0 * curved.QUAD_POINTS[s, 1] * eta)
            for r in range(8):
                for c in range(DOFS + 1):
                    rest[r, c] -= l * B[s, r, c]
        curved.add_energy(w.A, w.B, w.Dr, w.G, j * thin, 0.0, j, j * thin, rest, CB, K, DOFS + 1)
    return area


@kernel
def quad8_range(first, last, xyz, nodes, section, axis, offset, taper, normals, sections, k6rot, out):
    """Stiffness of elements first..last−1 in basic axes; arrays as in `ShellBlock`, out (n, 48, 48)."""
    w, centre, K = curved.curved_work(NODES), np.empty(3), np.empty((DOFS + 1, DOFS + 1))
    B, CB = np.empty((4, 8, DOFS + 1)), np.empty((8, DOFS + 1))
    for e in range(first, last):
        area = quad8_matrix(
            xyz, nodes[e], section[e], axis[e], offset[e], taper[e], sections, w, centre, B, CB, K
        )
        drilling = 1e-6 * k6rot * w.A[2, 2] * area / NODES
        curved.finish(K, nodes[e], 4, curved.QUAD_NODES, offset[e], drilling, w, CB[0], out[e])


@kernel
def quad8_recovery_range(
    first, last, xyz, nodes, section, axis, offset, taper, normals, sections, k6rot, out
):
    """Forces per length of elements first..last−1 for unit motions: out (n, 40, 48), centre and corners."""
    w, centre, K = curved.curved_work(NODES), np.empty(3), np.empty((DOFS + 1, DOFS + 1))
    B, CB, S = np.empty((4, 8, DOFS + 1)), np.empty((8, DOFS + 1)), np.empty((4, 8, DOFS))
    inside, along = np.empty((1, DOFS)), np.empty(3)
    for e in range(first, last):
        area = quad8_matrix(
            xyz, nodes[e], section[e], axis[e], offset[e], taper[e], sections, w, centre, B, CB, K
        )
        follow(K, DOFS, inside)
        curved.output_direction(w.x, nodes[e], 4, w.N, along)
        for q in range(4):
            xi, eta = curved.QUAD_POINTS[q, 0], curved.QUAD_POINTS[q, 1]
            curved.shape(xi, eta, 4, nodes[e], w.N)
            curved.local_basis(w.x, w.N, along, w.E, w.g)
            curved.section_at(sections, section[e], axis[e], area, w)
            curved.strain_rows(w.N, w.g, w.E, w.director, offset[e], B[q])
            bubble_rows(w.x, w.N, w.g, w.E, xi, eta, w.director, centre, B[q], DOFS)
            curved.point_forces(B[q], inside, curved.corner_thickness(xi, eta, 4, taper[e]), w, S[q])
        curved.spread(S, 4, out[e])


class Quad8Block(CurvedShellBlock):
    """CQUAD8 elements."""

    corners = 4
    flat = Quad4Block
    full = curved.QUAD_FULL
    places = 5
    stiffness_kernel = quad8_range
    recovery_kernel = quad8_recovery_range
