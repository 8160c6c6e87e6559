"""CTRIA3: the three-node shell of NASTRAN.

Constant membrane strain and constant curvature of (θy, −θx); transverse shear from the three edge
strains with residual bending flexibility; drilling as a penalty on θz − ½(v,x − u,y) at the corners.
Element x axis: along side 1-2; z axis: normal.
"""

from __future__ import annotations

from collections import namedtuple

import numpy as np

from interstage.fem.elements.block import Heat
from interstage.fem.elements.dense_kernels import (
    block_times_rows,
    congruence,
    cross,
    invert_pivoted,
    invert_spd,
    normalize,
)
from interstage.fem.elements.shell_common import ShellBlock, section_in_element, tilt
from interstage.fem.elements.shell_recovery import add_membrane_geometric, section_forces
from interstage.jit import kernel

TriaWork = namedtuple("TriaWork", "x normal E xy g A B D Dr shear flex F M N C P")
TriaWork.__doc__ = """Room for one element while it is computed.

x, normal (3,3) corners and shell normals; E (3,3) axes as rows; xy (3,2) corners; g (3,2) gradients; A B D Dr (3,3),
shear and flex (2,2) the section in element axes, of the mean thickness; F M N (3,3) scratch; C (3,3) stiffness of
edge shears; P (18,18) rows of `tria_rows`.
"""


@kernel
def tria_work():
    """Allocate the room of a range of elements."""
    three, two = (3, 3), (2, 2)
    return TriaWork(
        np.empty(three), np.empty(three), np.empty(three), np.empty((3, 2)), np.empty((3, 2)),
        np.empty(three), np.empty(three), np.empty(three), np.empty(three), np.empty(two), np.empty(two),
        np.empty(three), np.empty(three), np.empty(three), np.empty(three), np.empty((18, 18)),
    )  # fmt: skip


@kernel
def place_tria(e, xyz, nodes, section, axis, offset, taper, normals, sections, w):
    """Fill frame, section, stiffness of edge shears and rows of element e; returns the area."""
    for i in range(3):
        for k in range(3):
            w.x[i, k] = xyz[nodes[e, i], k]
            w.normal[i, k] = normals[nodes[e, i], k]
    area = tria_frame(w.x, w.E, w.xy)
    linear_gradients(w.xy, area, w.g)
    section_in_element(sections, section[e], axis[e], w.E, w.A, w.B, w.D, w.Dr, w.shear, w.flex)
    mean_thickness(taper[e], w.A, w.B, w.D, w.Dr, w.flex)
    if w.D[0, 0] > 0.0 and w.D[1, 1] > 0.0:
        tria_shear_block(w.xy, area, w.Dr, w.flex, w.F, w.M, w.N, w.C)
    else:
        w.C[:] = 0.0
        w.M[:] = 0.0
    tria_rows(w.E, w.xy, w.g, offset[e], w.normal, w.P)
    return area


@kernel
def section_block(area, A, B, D, C):
    """C[:6, :6] = area·[[A, B], [B, D]]."""
    for i in range(3):
        for j in range(3):
            C[i, j] = area * A[i, j]
            C[i, 3 + j] = C[3 + i, j] = area * B[i, j]
            C[3 + i, 3 + j] = area * D[i, j]


@kernel
def tria_frame(x, E, xy):
    """Axes E (3,3, rows; x along side 1-2) and corners xy (3,2) from corner 1; returns the area."""
    for k in range(3):
        E[0, k] = x[1, k] - x[0, k]
        E[1, k] = x[2, k] - x[0, k]
    cross(E[0], E[1], E[2])
    area = 0.5 * normalize(E[2])
    normalize(E[0])
    cross(E[2], E[0], E[1])
    for i in range(3):
        xy[i, 0] = xy[i, 1] = 0.0
        for k in range(3):
            xy[i, 0] += (x[i, k] - x[0, k]) * E[0, k]
            xy[i, 1] += (x[i, k] - x[0, k]) * E[1, k]
    return area


@kernel
def linear_gradients(xy, area, g):
    """Gradients g (3,2) of the area coordinates."""
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        g[i, 0] = (xy[j, 1] - xy[k, 1]) / (2.0 * area)
        g[i, 1] = (xy[k, 0] - xy[j, 0]) / (2.0 * area)


@kernel
def tria_shear_block(xy, area, D_reduced, flex, F, M, N, C):
    """C (3,3): stiffness of the three edge strains.

    e_i = t_i·γ + τ gives p = (γx, γy, τ); stiffness of p is A F⁻¹ with
    F = transverse shear flexibility + bending flexibility [(1/24) Σ d dᵀ, A/6].
    F, M, N are scratch (3,3). The rows of P are e_i l_i, so lengths enter M.
    """
    F[:] = 0.0
    dx, dy = D_reduced[0, 0], D_reduced[1, 1]
    dxy = np.sqrt(dx * dy)
    for i in range(3):
        j = (i + 1) % 3
        ax, ay = xy[j, 0] - xy[i, 0], xy[j, 1] - xy[i, 1]
        F[0, 0] += ax * ax / 24.0 / dx
        F[0, 1] += ax * ay / 24.0 / dxy
        F[1, 1] += ay * ay / 24.0 / dy
        M[i, 0], M[i, 1], M[i, 2] = ax, ay, np.sqrt(ax * ax + ay * ay)
    F[0, 0] += flex[0, 0]
    F[0, 1] += flex[0, 1]
    F[1, 0] = F[0, 1]
    F[1, 1] += flex[1, 1]
    F[2, 2] = 0.5 * (flex[0, 0] + flex[1, 1]) + area / 6.0 / dxy
    invert_spd(F, 3)
    invert_pivoted(M, N, 3)
    for i in range(3):
        for j in range(3):
            M[i, j] = area * (F[i, 0] * N[0, j] + F[i, 1] * N[1, j] + F[i, 2] * N[2, j])
    for i in range(3):
        for j in range(3):
            C[i, j] = N[0, i] * M[0, j] + N[1, i] * M[1, j] + N[2, i] * M[2, j]


@kernel
def mean_thickness(thick, A, B, D, D_reduced, flex):
    """Scale a section in place by the corner thickness ratios thick (3,): mean t, and mean t³ for bending."""
    t1, t2, t3 = thick[0], thick[1], thick[2]
    if t1 == 1.0 and t2 == 1.0 and t3 == 1.0:
        return
    mean = (t1 + t2 + t3) / 3.0
    cube = t1**3 + t2**3 + t3**3 + (t1 + t2) * (t2 + t3) * (t3 + t1) - t1 * t2 * t3
    cube /= 10.0
    for i in range(3):
        for j in range(3):
            A[i, j] *= mean
            B[i, j] *= mean * mean
            D[i, j] *= cube
            D_reduced[i, j] *= cube
    for i in range(2):
        for j in range(2):
            flex[i, j] /= mean


@kernel
def tria_rows(E, xy, g, offset, normal, P):
    """Fill the 12 rows of P: membrane strains, curvatures, edge shears, drilling strains (columns: 18 dofs).

    Offset and shell normals as in `quad_rows`. Rows 12..17 are scratch: (θy, −θx) at the corners.
    """
    P[:] = 0.0
    for a in range(3):
        gx, gy = g[a, 0], g[a, 1]
        for k in range(3):
            c, r = 6 * a + k, 6 * a + 3 + k
            ex, ey = E[0, k], E[1, k]
            P[0, c] = gx * ex
            P[1, c] = gy * ey
            P[2, c] = gy * ex + gx * ey
            P[0, r] = offset * gx * ey
            P[1, r] = -offset * gy * ex
            P[2, r] = offset * (gy * ey - gx * ex)
            for i in range(3):
                P[9 + i, c] = 0.5 * (gy * ex - gx * ey)
                P[9 + i, r] = 0.5 * offset * (gy * ey + gx * ex)
            P[12 + 2 * a, r] = ey
            P[13 + 2 * a, r] = -ex
    for i in range(3):
        for k in range(3):
            P[9 + i, 6 * i + 3 + k] += E[2, k]
        nx, ny = tilt(normal[i], E)
        if nx == 0.0 and ny == 0.0:
            continue
        for c in range(18):
            P[12 + 2 * i, c] -= ny * P[9 + i, c]
            P[13 + 2 * i, c] += nx * P[9 + i, c]
        for k in range(3):
            P[9 + i, 6 * i + 3 + k] += nx * E[0, k] + ny * E[1, k]
            for a in range(3):
                P[9 + i, 6 * a + k] += (ny * g[a, 0] - nx * g[a, 1]) * E[2, k]
    for a in range(3):
        for c in range(18):
            bx, by = P[12 + 2 * a, c], P[13 + 2 * a, c]
            P[3, c] += g[a, 0] * bx
            P[4, c] += g[a, 1] * by
            P[5, c] += g[a, 1] * bx + g[a, 0] * by
    for i in range(3):
        j = (i + 1) % 3
        dx, dy = 0.5 * (xy[j, 0] - xy[i, 0]), 0.5 * (xy[j, 1] - xy[i, 1])
        for c in range(18):
            P[6 + i, c] = dx * (P[12 + 2 * i, c] + P[12 + 2 * j, c]) + dy * (
                P[13 + 2 * i, c] + P[13 + 2 * j, c]
            )
        for k in range(3):
            P[6 + i, 6 * j + k] += E[2, k]
            P[6 + i, 6 * i + k] -= E[2, k]


@kernel
def tria3_range(first, last, xyz, nodes, section, axis, offset, taper, normals, sections, k6rot, out):
    """Stiffness of elements first..last−1 in basic axes; arrays as in `ShellBlock`, out (n, 18, 18).

    With corner thicknesses the mean thickness is used for membrane, shear and drilling, the mean of t³
    over the area for bending.
    """
    w = tria_work()
    C6, CP = np.empty((6, 6)), np.empty((12, 18))
    for e in range(first, last):
        area = place_tria(e, xyz, nodes, section, axis, offset, taper, normals, sections, w)
        section_block(area, w.A, w.B, w.D, C6)
        block_times_rows(C6, 6, w.P, 0, CP, 18)
        block_times_rows(w.C, 3, w.P, 6, CP, 18)
        stiff = 1e-6 * k6rot * w.A[2, 2] * 2.0 * area
        for i in range(3):
            for c in range(18):
                CP[9 + i, c] = stiff * w.P[9 + i, c]
        congruence(w.P, CP, 12, 18, out[e])


@kernel
def tria3_recovery_range(
    first, last, xyz, nodes, section, axis, offset, taper, normals, sections, k6rot, out
):
    """Forces per length of elements first..last−1 for unit motions: out (n, 8, 18), constant in an element."""
    w = tria_work()
    for e in range(first, last):
        area = place_tria(e, xyz, nodes, section, axis, offset, taper, normals, sections, w)
        section_forces(w.P[:6], w.A, w.B, w.D, 1.0, 1.0, 1.0, out[e, :6])
        tria_shear_forces(area, w, out[e, 6:8])


@kernel
def tria_shear_forces(area, w, V):
    """V (2, 18): transverse shear of an element."""
    V[:] = 0.0
    for i in range(2):
        for j in range(3):
            f = w.M[i, j] / area
            for c in range(18):
                V[i, c] += f * w.P[6 + j, c]


@kernel
def tria3_geometric_range(first, last, xyz, nodes, forces, offset, full, out):
    """Geometric stiffness of elements first..last−1 in basic axes, out (n, 18, 18); forces (n, 1, 3)."""
    x, E, xy, g = np.empty((3, 3)), np.empty((3, 3)), np.empty((3, 2)), np.empty((3, 2))
    for e in range(first, last):
        for i in range(3):
            for k in range(3):
                x[i, k] = xyz[nodes[e, i], k]
        area = tria_frame(x, E, xy)
        linear_gradients(xy, area, g)
        out[e] = 0.0
        add_membrane_geometric(E, g, forces[e, 0], area, full, out[e])


class Tria3Block(ShellBlock):
    """CTRIA3 elements."""

    corners = 3
    stiffness_kernel = tria3_range
    recovery_kernel = tria3_recovery_range
    geometric_kernel = tria3_geometric_range

    def uneven_motion(self, heat: Heat) -> np.ndarray:
        """None: strains are constant, so that the mean is all that acts."""
        return np.zeros((len(self), 18))

    def area(self, rows: slice = slice(None)) -> np.ndarray:
        """Areas (n,)."""
        x = self.xyz[self.nodes[rows]]
        return 0.5 * np.linalg.norm(np.cross(x[:, 1] - x[:, 0], x[:, 2] - x[:, 0]), axis=1)

    def mass(self, rows: slice, coupled: bool) -> np.ndarray:
        """Mass (n, 18, 18) in basic axes, translations only: thirds, or (1 + δ_ij)/12 if coupled."""
        taper, p = self.taper[rows], self.section[rows]
        per_area = self.sections.mass[p] + (taper.mean(axis=1) - 1.0) * self.sections.mass_of_thickness[p]
        m = per_area * self.area(rows)
        pattern = (np.ones((3, 3)) + np.eye(3)) / 12.0 if coupled else np.eye(3) / 3.0
        out = np.zeros((len(m), 18, 18))
        for k in range(3):
            out[:, k::6, k::6] = m[:, None, None] * pattern
        return out
