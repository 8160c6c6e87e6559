"""CQUAD8: the curved eight-node shell.

Strains of `curved_kernels` at 2×2 points, and a share of what they hold at 3×3 points beyond bilinear: λ² of its
energy, with λ = ½ for direct strains of the membrane and 0 for its shear, 1 for curvatures and 2 for twist. Transverse
shear is that of 2×2 points with residual bending flexibility. With it flat rectangles of two runs of MSC Nastran agree
in displacements, forces and stresses to 6e-8. Eight nodes alone cannot follow ξ²η² of the deflection, which distorted
elements need for constant curvature: the mean curvature gives it.
"""

from __future__ import annotations

import numpy as np

from interstage.fem.elements import shell_curved as curved
from interstage.fem.elements.dense_kernels import block_times_rows, invert_spd, normalize
from interstage.fem.elements.quad4 import Quad4Block
from interstage.fem.elements.shell_curved import CurvedShellBlock
from interstage.jit import kernel

NODES = 8
DOFS = 48
# λ of εx εy γxy, κx κy κxy: share of the strains beyond bilinear ones; a tenth of it shows in results
BEYOND = np.array([0.5, 0.5, 0.0, 1.0, 1.0, 2.0])
# bent elements lock unless the membrane's share falls as they become thin: t²/(t² + 100 bow²)
BOW = 100.0


@kernel
def bubble_rows(x, N, g, E, xi, eta, director, centre, column):
    """Column (8,) of strains for a deflection (1−ξ²)(1−η²) along `centre`."""
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
    column[:] = 0.0
    for k in range(3):
        c = centre[k]
        column[0] += gx * E[0, k] * c
        column[1] += gy * E[1, k] * c
        column[2] += (gy * E[0, k] + gx * E[1, k]) * c
        column[3] += gx * dx[k] * c
        column[4] += gy * dy[k] * c
        column[5] += (gy * dx[k] + gx * dy[k]) * c
        column[6] += gx * d[k] * c
        column[7] += gy * d[k] * c


@kernel
def tied_deflection(nodes, offset, w, row, B):
    """Row (48,) of the amplitude of ξ²η² for constant curvature, -½ κ_αβ p_α p_β with x = … + p ξη; B is scratch."""
    curved.shape(0.0, 0.0, 4, nodes, w.N)
    curved.local_basis(w.x, w.N, w.reference, w.E, w.g)
    curved.strain_rows(w.N, w.g, w.E, w.director, offset, B)
    p1 = p2 = 0.0
    for a in range(4):
        sign = 0.25 * curved.QUAD_NODES[a, 0] * curved.QUAD_NODES[a, 1]
        for k in range(3):
            p1 += sign * w.x[a, k] * w.E[0, k]
            p2 += sign * w.x[a, k] * w.E[1, k]
    for c in range(DOFS):
        row[c] = -0.5 * (p1 * p1 * B[3, c] + p2 * p2 * B[4, c] + p1 * p2 * B[5, c])


@kernel
def rows_at(xi, eta, nodes, offset, along, w, centre, tie, column, B):
    """Strains B (8, 48) at a point, with the tied deflection, in axes along `along`; returns dA/dξdη."""
    curved.shape(xi, eta, 4, nodes, w.N)
    j = curved.local_basis(w.x, w.N, along, w.E, w.g)
    curved.strain_rows(w.N, w.g, w.E, w.director, offset, B)
    bubble_rows(w.x, w.N, w.g, w.E, xi, eta, w.director, centre, column)
    for r in range(8):
        for c in range(DOFS):
            B[r, c] += column[r] * tie[c]
    return j


@kernel
def shear_terms(xi, eta, f):
    """Terms f (4,) of a shear field, 1, √3 ξ, √3 η, 3 ξη: of unit size at the 2×2 points."""
    f[0] = 1.0
    f[1] = np.sqrt(3.0) * xi
    f[2] = np.sqrt(3.0) * eta
    f[3] = 3.0 * xi * eta


@kernel
def residual_flexibility(own, across, out):
    """Flexibilities out (4,) of the terms of a shear, times D: sizes along the shear and across it, squared.

    Order: 1, own, across, ξη. Fitted to a square of MSC Nastran 2005 (1, own and ξη: 4861±25, 38.40, 530±4 for a size
    of 1) and to rectangles 2:1 of another run of MSC Nastran (across 1792.0 and 6448, ξη 672.0 and 1973, own 153.60).
    """
    out[0] = 1.0 / (48.0 / own + 4800.0 / across)
    out[1] = own / 38.4
    out[2] = 1.0 / (48.0 / own + 1600.0 / across)
    out[3] = 1.0 / (48.0 / own + 480.0 / across)


@kernel
def shear_matrix(nodes, thick, p, axis, sections, area, w, along, H, M):
    """H (8, 8): stiffness of the terms of both shears, in axes along `along`; M (8, 8): ∫ fᵀ f of their terms."""
    f, F = np.empty(4), np.empty(4)
    H[:] = 0.0
    M[:] = 0.0
    Dx = Dy = 0.0
    for q in range(4):
        xi, eta = curved.QUAD_POINTS[q, 0], curved.QUAD_POINTS[q, 1]
        curved.shape(xi, eta, 4, nodes, w.N)
        j = curved.local_basis(w.x, w.N, along, w.E, w.g)
        t = curved.corner_thickness(xi, eta, 4, thick)
        curved.section_at(sections, p, axis, area, w)
        Dx += 0.25 * w.Dr[0, 0] * t * t * t
        Dy += 0.25 * w.Dr[1, 1] * t * t * t
        shear_terms(xi, eta, f)
        for i in range(2):
            for k in range(4):
                for m in range(4):
                    M[4 * i + k, 4 * i + m] += j * f[k] * f[m]
                    for n in range(2):
                        H[4 * i + k, 4 * n + m] += j * t * w.G[i, n] * f[k] * f[m]
    if sections.rigid_shear[p]:
        H[:] = 0.0
    else:
        invert_spd(H, 8)
    a = b = 0.0
    for k in range(3):
        a += (0.5 * (w.x[1, k] + w.x[2, k] - w.x[0, k] - w.x[3, k])) ** 2
        b += (0.5 * (w.x[2, k] + w.x[3, k] - w.x[0, k] - w.x[1, k])) ** 2
    residual_flexibility(a, b, F)
    for k in range(4):
        H[k, k] += F[k] / (Dx * area)
    residual_flexibility(b, a, F)
    H[4, 4] += F[0] / (Dy * area)
    H[5, 5] += F[2] / (Dy * area)
    H[6, 6] += F[1] / (Dy * area)
    H[7, 7] += F[3] / (Dy * area)
    invert_spd(H, 8)


@kernel
def term_rows(B, out):
    """Rows out (8, 48) of the terms of both shears from the strains B (4, 8, 48) at the 2×2 points."""
    f = np.empty(4)
    out[:] = 0.0
    for q in range(4):
        shear_terms(curved.QUAD_POINTS[q, 0], curved.QUAD_POINTS[q, 1], f)
        for i in range(2):
            for k in range(4):
                for c in range(DOFS):
                    out[4 * i + k, c] += 0.25 * f[k] * B[q, 6 + i, c]


@kernel
def quad8_fields(xyz, nodes, offset, w, centre, tie, B):
    """Fill nodes, the mean normal and the tied deflection; returns the area."""
    curved.place_nodes(xyz, nodes, 4, curved.QUAD_NODES, offset, w)
    area = 0.0
    centre[:] = 0.0
    for q in range(4):
        curved.shape(curved.QUAD_POINTS[q, 0], curved.QUAD_POINTS[q, 1], 4, nodes, w.N)
        area += curved.local_basis(w.x, w.N, w.reference, w.E, w.g)
        for k in range(3):
            centre[k] += w.E[2, k]
    normalize(centre)
    tied_deflection(nodes, offset, w, tie, B)
    return area


@kernel
def subtract_spread(xi, eta, B, rest):
    """Take from strains rest (8, 48) at a point what those at the 2×2 points, B, give there by bilinear functions."""
    for s in range(4):
        l = 0.25 * (1 + 3.0 * curved.QUAD_POINTS[s, 0] * xi) * (1 + 3.0 * curved.QUAD_POINTS[s, 1] * eta)
        for r in range(6):
            for c in range(DOFS):
                rest[r, c] -= l * B[s, r, c]


@kernel
def bow_of(w, centre):
    """Largest distance of a node from the mean plane."""
    bow = 0.0
    for a in range(NODES):
        height = 0.0
        for k in range(3):
            mean = 0.0
            for m in range(NODES):
                mean += w.x[m, k] / NODES
            height += (w.x[a, k] - mean) * centre[k]
        bow = max(bow, abs(height))
    return bow


@kernel
def quad8_matrix(xyz, nodes, p, axis, offset, thick, sections, w, centre, tie, B, CB, K):
    """Stiffness K (48, 48) of one element in basic axes."""
    column, rest, terms = np.empty(8), np.empty((8, DOFS)), np.empty((8, DOFS))
    H, M = np.empty((8, 8)), np.empty((8, 8))
    K[:] = 0.0
    area = quad8_fields(xyz, nodes, offset, w, centre, tie, rest)
    for q in range(4):
        xi, eta = curved.QUAD_POINTS[q, 0], curved.QUAD_POINTS[q, 1]
        j = rows_at(xi, eta, nodes, offset, w.reference, w, centre, tie, column, B[q])
        t = curved.corner_thickness(xi, eta, 4, thick)
        curved.section_at(sections, p, axis, area, w)
        curved.add_energy(w.A, w.B, w.D, w.G, j * t, j * t * t, j * t * t * t, 0.0, B[q], CB, K, DOFS)
    bends = w.Dr[0, 0] > 0.0 and w.Dr[1, 1] > 0.0
    bow, t = bow_of(w, centre), sections.thickness[p] * curved.corner_thickness(0.0, 0.0, 4, thick)
    flat = t / np.sqrt(t * t + BOW * bow * bow)
    for q in range(9):
        xi, eta = curved.QUAD_FULL[q, 0], curved.QUAD_FULL[q, 1]
        j = (
            rows_at(xi, eta, nodes, offset, w.reference, w, centre, tie, column, rest)
            * curved.QUAD_FULL[q, 2]
        )
        t = curved.corner_thickness(xi, eta, 4, thick)
        curved.section_at(sections, p, axis, area, w)
        subtract_spread(xi, eta, B, rest)
        for r in range(6):
            share = BEYOND[r] * (flat if r < 3 else 1.0)
            for c in range(DOFS):
                rest[r, c] *= share
        curved.add_energy(w.A, w.B, w.D, w.G, j * t, j * t * t, j * t * t * t, 0.0, rest, CB, K, DOFS)
    if bends:
        shear_matrix(nodes, thick, p, axis, sections, area, w, w.reference, H, M)
        term_rows(B, terms)
        block_times_rows(H, 8, terms, 0, rest, DOFS)
        for i in range(8):
            for r in range(DOFS):
                for c in range(DOFS):
                    K[r, c] += terms[i, r] * rest[i, c]


@kernel
def quad8_range(first, last, xyz, nodes, section, axis, offset, taper, normals, sections, k6rot, out):
    """Stiffness of elements first..last−1 in basic axes; arrays as in `ShellBlock`, out (n, 48, 48)."""
    w, centre, tie = curved.curved_work(NODES), np.empty(3), np.empty(DOFS)
    B, CB = np.empty((4, 8, DOFS)), np.empty((8, DOFS))
    for e in range(first, last):
        quad8_matrix(
            xyz, nodes[e], section[e], axis[e], offset[e], taper[e], sections, w, centre, tie, B, CB, out[e]
        )


@kernel
def quad8_recovery_range(
    first, last, xyz, nodes, section, axis, offset, taper, normals, sections, k6rot, out
):
    """Forces per length of elements first..last−1 for unit motions: out (n, 40, 48), centre and corners.

    N and M are those of the 2×2 points, spread, and a tenth of the share `BEYOND` of what the strains of the place
    differ from that by; V of a corner is that of its field at a third of the way to it: as MSC Nastran prints them.
    The centre has the mean of the corners. With out (n, 32, 48) results are those of the 2×2 points.
    """
    w, centre, tie, along = curved.curved_work(NODES), np.empty(3), np.empty(DOFS), np.empty(3)
    B, inside = np.empty((4, 8, DOFS)), np.empty((0, DOFS))
    column, rest, terms, V, f = (
        np.empty(8), np.empty((8, DOFS)), np.empty((8, DOFS)), np.empty((8, DOFS)), np.empty(4)
    )  # fmt: skip
    H, M = np.empty((8, 8)), np.empty((8, 8))
    points = out.shape[1] == 32
    for e in range(first, last):
        p, z, thick = section[e], offset[e], taper[e]
        area = quad8_fields(xyz, nodes[e], z, w, centre, tie, rest)
        curved.output_direction(w.x, nodes[e], 4, w.N, along)
        for q in range(4):
            rows_at(
                curved.QUAD_POINTS[q, 0],
                curved.QUAD_POINTS[q, 1],
                nodes[e],
                z,
                along,
                w,
                centre,
                tie,
                column,
                B[q],
            )
        shear_matrix(nodes[e], thick, p, axis[e], sections, area, w, along, H, M)
        term_rows(B, rest)
        terms[:] = 0.0
        if w.Dr[0, 0] > 0.0 and w.Dr[1, 1] > 0.0:
            invert_spd(M, 8)
            block_times_rows(H, 8, rest, 0, V, DOFS)
            block_times_rows(M, 8, V, 0, terms, DOFS)
        out[e, :8] = 0.0
        for place in range(4):
            first_row = 8 * place if points else 8 * place + 8
            S = out[e, first_row : first_row + 8]
            xi, eta = curved.QUAD_NODES[place, 0], curved.QUAD_NODES[place, 1]
            if points:
                xi, eta = curved.QUAD_POINTS[place, 0], curved.QUAD_POINTS[place, 1]
            rows_at(xi, eta, nodes[e], z, along, w, centre, tie, column, rest)
            if not points:
                for r in range(6):
                    for c in range(DOFS):
                        V[r, c] = rest[r, c]
                subtract_spread(xi, eta, B, rest)
                for r in range(6):
                    for c in range(DOFS):
                        rest[r, c] = V[r, c] - (1.0 - 0.1 * BEYOND[r]) * rest[r, c]
            curved.section_at(sections, p, axis[e], area, w)
            curved.point_forces(rest, inside, curved.corner_thickness(xi, eta, 4, thick), w, S)
            third = 1.0 if points else 1.0 / 3.0
            shear_terms(third * xi, third * eta, f)
            for i in range(2):
                for c in range(DOFS):
                    S[6 + i, c] = 0.0
                    for k in range(4):
                        S[6 + i, c] += f[k] * terms[4 * i + k, c]
            if not points:
                for r in range(8):
                    for c in range(DOFS):
                        out[e, r, c] += 0.25 * S[r, c]


class Quad8Block(CurvedShellBlock):
    """CQUAD8 elements."""

    corners = 4
    flat = Quad4Block
    full = curved.QUAD_FULL
    places = 5
    stiffness_kernel = quad8_range
    recovery_kernel = quad8_recovery_range

    def points_of_results(self, which: np.ndarray) -> np.ndarray:
        out = self._run(quad8_recovery_range, which, 32).reshape(len(which), 4, 8, -1)[:, :, :6]
        out = out.reshape(len(which), 24, -1)
        self._flat_part(
            which,
            out,
            lambda block, bare: block.point_forces(np.arange(len(block)))[0].reshape(len(block), 24, -1),
        )
        return out.reshape(len(which), 4, 6, -1)
