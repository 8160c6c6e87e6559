"""CQUADR and CTRIAR: flat shells with true drilling rotations.

Bending and transverse shear are those of CQUAD4 and CTRIA3. The membrane takes the drilling rotations
into its displacements (Allman, Comp. Struct. 19, 1-8, 1984), with the rotation of the field tied to them
by the term of Hughes and Brezzi, as in Ibrahimbegovic, Taylor and Wilson (Int. J. Num. Meth. Eng. 30,
445-457, 1990): side i-j bows by

    Δu = ⅛ b_ij (θ_j − θ_i) n_ij,   b_ij = 4 λ_i λ_j on a triangle, ½(1 − ξ²)(1 ± η)·2 on a quadrilateral

with n_ij the outward normal times the length of the side. This is not NASTRAN's own formulation of
these elements, which is not published. Single elements of a run of MSC Nastran show of it: constant transverse shear
has 3/4 (CQUADR) and 1/2 (CTRIAR) of the residual bending flexibility of CQUAD4 and CTRIA3, and a CTRIAR has constant
membrane shear beside linear normal forces. With those factors alone, meshes of these elements are worse than without
(MacNeal-Harder plates), so that they are not taken.

The kernels use d = θz − ω at the corners, ω = ½(v,x − u,y), in the place of θz: then the rows of P are
those of CQUAD4 and CTRIA3 (warp, offset and shell normals included).
"""

from __future__ import annotations

import numpy as np

from interstage.fem.elements.dense_kernels import block_times_rows, condense, congruence, follow
from interstage.fem.elements.quad4 import Quad4Block
from interstage.fem.elements.quad_common import (
    ETA,
    XI,
    add_shear,
    bilinear,
    bilinear_jacobian,
    edge_shears,
    place_quad,
    qm6_gradients,
    quad_shear_forces,
    quad_work,
    result_point,
    thickness_powers,
)
from interstage.fem.elements.shell_recovery import section_forces
from interstage.fem.elements.tria3 import Tria3Block, place_tria, section_block, tria_shear_forces, tria_work
from interstage.jit import kernel

POINT3 = (-np.sqrt(0.6), 0.0, np.sqrt(0.6))
WEIGHT3 = (5.0 / 9.0, 8.0 / 9.0, 5.0 / 9.0)


@kernel
def _side_function(k, xi, eta):
    """Value and ξ, η derivatives of the bubble of side k (corner k to k+1), 1 at mid-side."""
    if k == 0:
        return 0.5 * (1 - xi * xi) * (1 - eta), -xi * (1 - eta), -0.5 * (1 - xi * xi)
    if k == 1:
        return 0.5 * (1 - eta * eta) * (1 + xi), 0.5 * (1 - eta * eta), -eta * (1 + xi)
    if k == 2:
        return 0.5 * (1 - xi * xi) * (1 + eta), -xi * (1 + eta), 0.5 * (1 - xi * xi)
    return 0.5 * (1 - eta * eta) * (1 - xi), -0.5 * (1 - eta * eta), -eta * (1 - xi)


@kernel
def _quad_strains(xy, xi, eta, J0, J, g, Bm, Bb):
    """Strain matrices Bm (3,12; u, v of corners, then θ) and Bb (3,12; β of corners, internal); returns j."""
    j = qm6_gradients(xy, xi, eta, J0, J, g)
    Bm[:] = 0.0
    Bb[:] = 0.0
    for a in range(6):
        Bb[0, 2 * a] = Bb[2, 2 * a + 1] = g[a, 0]
        Bb[1, 2 * a + 1] = Bb[2, 2 * a] = g[a, 1]
    for a in range(4):
        Bm[0, 2 * a] = Bm[2, 2 * a + 1] = g[a, 0]
        Bm[1, 2 * a + 1] = Bm[2, 2 * a] = g[a, 1]
    for k in range(4):
        b = (k + 1) % 4
        # outward normal times length
        nx, ny = xy[b, 1] - xy[k, 1], -(xy[b, 0] - xy[k, 0])
        _, dx, de = _side_function(k, xi, eta)
        hx = (J[1, 1] * dx - J[0, 1] * de) / j / 8.0
        hy = (J[0, 0] * de - J[1, 0] * dx) / j / 8.0
        for node, sign in ((b, 1.0), (k, -1.0)):
            Bm[0, 8 + node] += sign * hx * nx
            Bm[1, 8 + node] += sign * hy * ny
            Bm[2, 8 + node] += sign * (hy * nx + hx * ny)
    return j


@kernel
def _quad_rotation(xy, J, r):
    """Row r (12,) of mean θ − ω at the centre, ω with the bows of the sides."""
    j = bilinear_jacobian(xy, 0.0, 0.0, J)
    r[:] = 0.0
    for a in range(4):
        gx = (J[1, 1] * 0.25 * XI[a] - J[0, 1] * 0.25 * ETA[a]) / j
        gy = (J[0, 0] * 0.25 * ETA[a] - J[1, 0] * 0.25 * XI[a]) / j
        r[2 * a] += 0.5 * gy
        r[2 * a + 1] -= 0.5 * gx
        r[8 + a] += 0.25
    for k in range(4):
        b = (k + 1) % 4
        nx, ny = xy[b, 1] - xy[k, 1], -(xy[b, 0] - xy[k, 0])
        _, dx, de = _side_function(k, 0.0, 0.0)
        hx = (J[1, 1] * dx - J[0, 1] * de) / j / 8.0
        hy = (J[0, 0] * de - J[1, 0] * dx) / j / 8.0
        w = 0.5 * (hx * ny - hy * nx)
        r[8 + b] -= w
        r[8 + k] += w


@kernel
def _quad_local(thick, w, Bm, Bb, S, r, K):
    """Integrate K (24,24; u, v, θ, β, internal β) and w.H (4,4) over 3×3 points; returns the area."""
    xy, A, B, D, H = w.xy, w.A, w.B, w.D, w.H
    bilinear_jacobian(xy, 0.0, 0.0, w.J0)
    K[:] = 0.0
    H[:] = 0.0
    area = 0.0
    for p in range(3):
        for q in range(3):
            xi, eta = POINT3[p], POINT3[q]
            j = _quad_strains(xy, xi, eta, w.J0, w.J, w.g, Bm, Bb) * WEIGHT3[p] * WEIGHT3[q]
            t = bilinear(xi, eta, thick)
            area += j
            for c in range(12):
                for i in range(3):
                    S[i, c] = S[i, 12 + c] = S[3 + i, 12 + c] = 0.0
                    for k in range(3):
                        S[i, c] += j * t * A[i, k] * Bm[k, c]
                        S[i, 12 + c] += j * t * t * B[i, k] * Bb[k, c]
                        S[3 + i, 12 + c] += j * t * t * t * D[i, k] * Bb[k, c]
            for a in range(12):
                for b in range(12):
                    for i in range(3):
                        K[a, b] += Bm[i, a] * S[i, b]
                        K[12 + b, a] += Bm[i, a] * S[i, 12 + b]
                        K[12 + a, 12 + b] += Bb[i, a] * S[3 + i, 12 + b]
            add_shear(xi, eta, j * t, w.shear, H)
    _quad_rotation(xy, w.J, r)
    for a in range(12):
        for b in range(12):
            K[a, b] += A[2, 2] * area * r[a] * r[b]
    return area


@kernel
def _theta_to_d(slope, K, T):
    """Change membrane dof θ_i to d_i = θ_i − ω_i in place: K ← Tᵀ K T over rows and columns of K (20,20).

    slope (4,4,2) are the gradients at the corners.
    """
    for i in range(4):
        for a in range(4):
            T[i, 2 * a] = -0.5 * slope[i, a, 1]
            T[i, 2 * a + 1] = 0.5 * slope[i, a, 0]
    for r in range(20):
        for c in range(8):
            for i in range(4):
                K[r, c] += K[r, 8 + i] * T[i, c]
    for c in range(20):
        for r in range(8):
            for i in range(4):
                K[r, c] += T[i, r] * K[8 + i, c]


@kernel
def quadr_range(first, last, xyz, nodes, section, axis, offset, taper, normals, sections, k6rot, out):
    """Stiffness of CQUADR first..last−1 in basic axes; arrays as in `ShellBlock`, out (n, 24, 24)."""
    w = quad_work()
    Bm, Bb, S, r, T = np.empty((3, 12)), np.empty((3, 12)), np.empty((6, 24)), np.empty(12), np.empty((4, 8))
    K, C24, CP = np.empty((24, 24)), np.empty((24, 24)), np.empty((24, 24))
    for e in range(first, last):
        place_quad(e, xyz, nodes, section, axis, offset, normals, sections, w)
        area = _quad_local(taper[e], w, Bm, Bb, S, r, K)
        condense(K, 20, 24)
        _theta_to_d(w.slope, K, T)
        # dofs of K: u, v (8), d (4), β (8); rows of P: u, v (8), β (8), edge shears (4), d (4)
        C24[:] = 0.0
        for i in range(20):
            ii = i if i < 8 else (i + 12 if i < 12 else i - 4)
            for j in range(20):
                jj = j if j < 8 else (j + 12 if j < 12 else j - 4)
                C24[ii, jj] = K[i, j]
        edge_shears(taper[e], sections.rigid_shear[section[e]], area, w)
        C24[16:20, 16:20] = w.C
        block_times_rows(C24, 24, w.P, 0, CP, 24)
        congruence(w.P, CP, 24, 24, out[e])


@kernel
def _quad_motions(slope, P, G, U):
    """U (24, 24): u, v of corners, θ, β, internal β as functions of the grid motions; G (4, 20) internal motions."""
    for c in range(24):
        for i in range(8):
            U[i, c] = P[i, c]
            U[12 + i, c] = P[8 + i, c]
        for i in range(4):
            theta = P[20 + i, c]
            for a in range(4):
                theta += 0.5 * (slope[i, a, 0] * P[2 * a + 1, c] - slope[i, a, 1] * P[2 * a, c])
            U[8 + i, c] = theta
        for p in range(4):
            U[20 + p, c] = 0.0
            for q in range(20):
                U[20 + p, c] += G[p, q] * U[q, c]


@kernel
def quadr_recovery_range(
    first, last, xyz, nodes, section, axis, offset, taper, normals, sections, k6rot, out
):
    """Forces per length of CQUADR first..last−1 for unit motions: out (n, 40, 24), center and corners.

    With out (n, 32, 24) those of the 2×2 points. Strains of the membrane with its bowed sides and of bending with its
    internal modes; transverse shear is that of the center at every place.
    """
    w = quad_work()
    Bm, Bb, S, r = np.empty((3, 12)), np.empty((3, 12)), np.empty((6, 24)), np.empty(12)
    K, G, U = np.empty((24, 24)), np.empty((4, 20)), np.empty((24, 24))
    strains, V = np.empty((6, 24)), np.empty((2, 24))
    for e in range(first, last):
        place_quad(e, xyz, nodes, section, axis, offset, normals, sections, w)
        thick = taper[e]
        area = _quad_local(thick, w, Bm, Bb, S, r, K)
        condense(K, 20, 24)
        follow(K, 20, G)
        _quad_motions(w.slope, w.P, G, U)
        edge_shears(thick, sections.rigid_shear[section[e]], area, w)
        quad_shear_forces(w.xy, w.C, area, w.P, V)
        for place in range(out.shape[1] // 8):
            xi, eta = result_point(place, out.shape[1] // 8)
            _quad_strains(w.xy, xi, eta, w.J0, w.J, w.g, Bm, Bb)
            strains[:] = 0.0
            for i in range(3):
                for k in range(12):
                    for c in range(24):
                        strains[i, c] += Bm[i, k] * U[k, c]
                        strains[3 + i, c] += Bb[i, k] * U[12 + k, c]
            t, t2, t3 = thickness_powers(xi, eta, thick)
            section_forces(strains, w.A, w.B, w.D, t, t2, t3, out[e, 8 * place : 8 * place + 6])
            out[e, 8 * place + 6 : 8 * place + 8] = V


@kernel
def _bow_strains(xy, g, L, Bd):
    """Bd (3, 3): strains of unit d at the corners of a triangle, from the bows of its sides, at a point L."""
    Bd[:] = 0.0
    for k in range(3):
        b = (k + 1) % 3
        nx, ny = xy[b, 1] - xy[k, 1], -(xy[b, 0] - xy[k, 0])
        hx = 4.0 * (g[k, 0] * L[b] + L[k] * g[b, 0]) / 8.0
        hy = 4.0 * (g[k, 1] * L[b] + L[k] * g[b, 1]) / 8.0
        for node, sign in ((b, 1.0), (k, -1.0)):
            Bd[0, node] += sign * hx * nx
            Bd[1, node] += sign * hy * ny
            Bd[2, node] += sign * (hy * nx + hx * ny)


@kernel
def _tria_drilling(xy, g, area, A, B, C12):
    """Add the strains of the side bows, linear in d_j − d_i, to C12 (rows ε 3, κ 3, edge shears 3, d 3)."""
    Bd = np.empty((3, 3))
    r = np.empty(3)
    for q in range(3):
        # mid-side points integrate the quadratic products exactly
        L = np.full(3, 0.5)
        L[q] = 0.0
        _bow_strains(xy, g, L, Bd)
        w = area / 3.0
        for a in range(3):
            for i in range(3):
                s = b2 = 0.0
                for k in range(3):
                    s += w * A[i, k] * Bd[k, a]
                    b2 += w * B[i, k] * Bd[k, a]
                C12[i, 9 + a] += s
                C12[9 + a, i] += s
                C12[3 + i, 9 + a] += b2
                C12[9 + a, 3 + i] += b2
                for b in range(3):
                    C12[9 + a, 9 + b] += s * Bd[i, b]
    # rotation of the field at the centroid against the mean of the corner rotations
    for a in range(3):
        r[a] = 1.0 / 3.0
    for k in range(3):
        b = (k + 1) % 3
        nx, ny = xy[b, 1] - xy[k, 1], -(xy[b, 0] - xy[k, 0])
        hx = 4.0 / 3.0 * (g[k, 0] + g[b, 0]) / 8.0
        hy = 4.0 / 3.0 * (g[k, 1] + g[b, 1]) / 8.0
        w = 0.5 * (hx * ny - hy * nx)
        r[b] -= w
        r[k] += w
    for a in range(3):
        for b in range(3):
            C12[9 + a, 9 + b] += A[2, 2] * area * r[a] * r[b]


@kernel
def triar_range(first, last, xyz, nodes, section, axis, offset, taper, normals, sections, k6rot, out):
    """Stiffness of CTRIAR first..last−1 in basic axes; arrays as in `ShellBlock`, out (n, 18, 18)."""
    w = tria_work()
    C12, CP = np.empty((12, 12)), np.empty((12, 18))
    for e in range(first, last):
        area = place_tria(e, xyz, nodes, section, axis, offset, taper, normals, sections, w)
        C12[:] = 0.0
        section_block(area, w.A, w.B, w.D, C12)
        C12[6:9, 6:9] = w.C
        _tria_drilling(w.xy, w.g, area, w.A, w.B, C12)
        block_times_rows(C12, 12, w.P, 0, CP, 18)
        congruence(w.P, CP, 12, 18, out[e])


@kernel
def triar_recovery_range(
    first, last, xyz, nodes, section, axis, offset, taper, normals, sections, k6rot, out
):
    """Forces per length of CTRIAR first..last−1 for unit motions: out (n, 8, 18), at the centroid."""
    w = tria_work()
    L, Bd, strains = np.full(3, 1.0 / 3.0), np.empty((3, 3)), np.empty((6, 18))
    for e in range(first, last):
        area = place_tria(e, xyz, nodes, section, axis, offset, taper, normals, sections, w)
        _bow_strains(w.xy, w.g, L, Bd)
        strains[:] = w.P[:6]
        for i in range(3):
            for k in range(3):
                for c in range(18):
                    strains[i, c] += Bd[i, k] * w.P[9 + k, c]
        section_forces(strains, w.A, w.B, w.D, 1.0, 1.0, 1.0, out[e, :6])
        tria_shear_forces(area, w, out[e, 6:8])


class QuadRBlock(Quad4Block):
    """CQUADR elements."""

    stiffness_kernel = quadr_range
    recovery_kernel = quadr_recovery_range


class TriaRBlock(Tria3Block):
    """CTRIAR elements; results at the centroid."""

    stiffness_kernel = triar_range
    recovery_kernel = triar_recovery_range
