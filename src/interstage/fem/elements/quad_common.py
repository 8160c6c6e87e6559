"""What the flat four-sided shells, CQUAD4 and CQUADR, share: frame, rows of motions, transverse shear.

Transverse shear is the four-parameter field of MacNeal (Comp. Struct. 8, 175-183, 1978) with residual bending
flexibility. Element x axis: unit(x3 − x1) − unit(x4 − x2); z axis: (x3 − x1) × (x4 − x2).
"""

from __future__ import annotations

from collections import namedtuple

import numpy as np

from interstage.fem.elements.dense_kernels import cross, invert_pivoted, invert_spd, normalize
from interstage.fem.elements.shell_common import section_in_element, tilt
from interstage.jit import kernel

XI = (-1.0, 1.0, 1.0, -1.0)
ETA = (-1.0, -1.0, 1.0, 1.0)
GAUSS = 1.0 / np.sqrt(3.0)
# residual shear flexibility of the linear field terms: 4 (1/ε − 1) with ε = 0.025
RESIDUAL = 156.0

QuadWork = namedtuple("QuadWork", "x normal E xy g J J0 A B D Dr shear flex F H M N C slope P")
QuadWork.__doc__ = """Room for one element while it is computed.

x, normal (4,3) corners and shell normals; E (3,3) axes as rows; xy (4,2) corners in the mean plane; A B D Dr (3,3),
shear and flex (2,2) the section in element axes; g (6,2), J, J0 (2,2), F (4,), H M N (4,4), slope (4,4,2) scratch;
C (4,4) stiffness of edge shears; P (24,24) rows of `quad_rows`.
"""


@kernel
def quad_work():
    """Allocate the room of a range of elements."""
    plane, four = (3, 3), (4, 4)
    return QuadWork(
        np.empty((4, 3)), np.empty((4, 3)), np.empty(plane), np.empty((4, 2)), np.empty((6, 2)),
        np.empty((2, 2)), np.empty((2, 2)),
        np.empty(plane), np.empty(plane), np.empty(plane), np.empty(plane), np.empty((2, 2)), np.empty((2, 2)),
        np.empty(4), np.empty(four), np.empty(four), np.empty(four), np.empty(four),
        np.empty((4, 4, 2)), np.empty((24, 24)),
    )  # fmt: skip


@kernel
def place_quad(e, xyz, nodes, section, axis, offset, normals, sections, w):
    """Fill frame, section and rows of element e; arrays as in `ShellBlock`."""
    for i in range(4):
        for k in range(3):
            w.x[i, k] = xyz[nodes[e, i], k]
            w.normal[i, k] = normals[nodes[e, i], k]
    height = quad_frame(w.x, w.E, w.xy)
    section_in_element(sections, section[e], axis[e], w.E, w.A, w.B, w.D, w.Dr, w.shear, w.flex)
    quad_rows(w.E, w.xy, height, offset[e], w.normal, w.P, w.slope, w.J)


@kernel
def edge_shears(thick, rigid, area, w):
    """C: stiffness of the edge shears, from ∫ fᵀ shear f in H; zero for a section that does not bend."""
    if w.D[0, 0] > 0.0 and w.D[1, 1] > 0.0:
        residual_flexibility(w.xy, thick, w.Dr, area, w.F)
        shear_block(w.xy, rigid, w.F, w.H, w.M, w.N, w.C)
    else:
        w.C[:] = 0.0


@kernel
def quad_frame(x, E, xy):
    """Find the axes of a quadrilateral and its corners in the mean plane.

    x (4,3) corners in basic axes; E (3,3) axes as rows and xy (4,2) corners relative to their mean are
    outputs. Returns the height of corners 1 and 3 above the mean plane (2 and 4 are as far below).
    """
    for k in range(3):
        E[0, k] = x[2, k] - x[0, k]
        E[1, k] = x[3, k] - x[1, k]
    cross(E[0], E[1], E[2])
    normalize(E[2])
    normalize(E[0])
    normalize(E[1])
    for k in range(3):
        E[0, k] -= E[1, k]
    normalize(E[0])
    cross(E[2], E[0], E[1])
    height = 0.0
    for i in range(4):
        px = py = pz = 0.0
        for k in range(3):
            d = x[i, k] - 0.25 * (x[0, k] + x[1, k] + x[2, k] + x[3, k])
            px += d * E[0, k]
            py += d * E[1, k]
            pz += d * E[2, k]
        xy[i, 0], xy[i, 1] = px, py
        height += 0.25 * pz * (1.0 if i % 2 == 0 else -1.0)
    return height


@kernel
def result_point(place, places):
    """ξ, η of a place of results: of five the center and the corners, of four the 2×2 points."""
    if places == 4:
        return GAUSS * XI[place], GAUSS * ETA[place]
    if place == 0:
        return 0.0, 0.0
    return XI[place - 1], ETA[place - 1]


@kernel
def bilinear_jacobian(xy, xi, eta, J):
    """J (2,2) = [[x,ξ y,ξ], [x,η y,η]] at (ξ, η); returns its determinant."""
    J[:] = 0.0
    for a in range(4):
        gx = 0.25 * XI[a] * (1.0 + ETA[a] * eta)
        ge = 0.25 * ETA[a] * (1.0 + XI[a] * xi)
        J[0, 0] += gx * xy[a, 0]
        J[0, 1] += gx * xy[a, 1]
        J[1, 0] += ge * xy[a, 0]
        J[1, 1] += ge * xy[a, 1]
    return J[0, 0] * J[1, 1] - J[0, 1] * J[1, 0]


@kernel
def corner_gradients(xy, xi, eta, J, g):
    """Gradients g (4.., 2) of the bilinear functions at (ξ, η); returns the determinant of J."""
    j = bilinear_jacobian(xy, xi, eta, J)
    for a in range(4):
        gx = 0.25 * XI[a] * (1.0 + ETA[a] * eta)
        ge = 0.25 * ETA[a] * (1.0 + XI[a] * xi)
        g[a, 0] = (J[1, 1] * gx - J[0, 1] * ge) / j
        g[a, 1] = (J[0, 0] * ge - J[1, 0] * gx) / j
    return j


@kernel
def bilinear(xi, eta, values):
    """Interpolate corner values (4,) at (ξ, η)."""
    total = 0.0
    for a in range(4):
        total += 0.25 * (1.0 + XI[a] * xi) * (1.0 + ETA[a] * eta) * values[a]
    return total


@kernel
def thickness_powers(xi, eta, thick):
    """t, t², t³ at (ξ, η) of corner ratios (4,); in the center the means of the 2×2 points, as NASTRAN has them."""
    t = bilinear(xi, eta, thick)
    if xi != 0.0 or eta != 0.0:
        return t, t * t, t * t * t
    t2 = t3 = 0.0
    for q in range(4):
        at = bilinear(GAUSS * XI[q], GAUSS * ETA[q], thick)
        t2 += 0.25 * at * at
        t3 += 0.25 * at * at * at
    return t, t2, t3


@kernel
def qm6_gradients(xy, xi, eta, J0, J, g):
    """Gradients g (6,2) of the bilinear functions and of 1−ξ², 1−η² (through J0, scaled j0/j); returns j."""
    j = corner_gradients(xy, xi, eta, J, g)
    # j0/j cancels the determinant in J0⁻¹
    g[4, 0] = -2.0 * xi * J0[1, 1] / j
    g[4, 1] = 2.0 * xi * J0[1, 0] / j
    g[5, 0] = 2.0 * eta * J0[0, 1] / j
    g[5, 1] = -2.0 * eta * J0[0, 0] / j
    return j


@kernel
def add_shear(xi, eta, weight, shear, H):
    """H (4,4) += weight·fᵀ shear f at (ξ, η) with the terms f of γx = g0 + g1 η, γy = g2 + g3 ξ."""
    f = (1.0, eta, 1.0, xi)
    for k in range(4):
        for l in range(4):
            H[k, l] += weight * shear[k // 2, l // 2] * f[k] * f[l]


@kernel
def residual_flexibility(xy, thick, D_reduced, area, F):
    """Diagonal F (4,) of the residual bending flexibility; thick (4,) are corner thickness ratios."""
    t = 0.25 * (thick[0] + thick[1] + thick[2] + thick[3])
    a = 0.5 * (xy[1, 0] + xy[2, 0] - xy[0, 0] - xy[3, 0])
    b = 0.5 * (xy[2, 1] + xy[3, 1] - xy[0, 1] - xy[1, 1])
    a2, b2 = a * a, b * b
    dx, dy = D_reduced[0, 0] * area * t**3, D_reduced[1, 1] * area * t**3
    F[0] = a2 / 12.0 / dx
    F[1] = a2 * b2 / (4.0 * b2 + RESIDUAL * a2) / dx
    F[2] = b2 / 12.0 / dy
    F[3] = a2 * b2 / (4.0 * a2 + RESIDUAL * b2) / dy


@kernel
def shear_block(xy, rigid, F, H, M, N, C):
    """C (4,4): stiffness of the four edge shears e_i l_i = w_j − w_i + d_i·mean(θy, −θx).

    The field γx = g0 + g1 η, γy = g2 + g3 ξ has d_i·γ(mid-edge i) = e_i l_i; its stiffness is
    (H⁻¹ + diag F)⁻¹. H, M and N are scratch (4,4); H holds ∫ fᵀ shear f on entry unless rigid.
    """
    if rigid:
        H[:] = 0.0
    else:
        invert_spd(H, 4)
    for i in range(4):
        H[i, i] += F[i]
    invert_spd(H, 4)
    for i in range(4):
        j = (i + 1) % 4
        dx, dy = xy[j, 0] - xy[i, 0], xy[j, 1] - xy[i, 1]
        M[i, 0], M[i, 2] = dx, dy
        M[i, 1] = dx * 0.5 * (ETA[i] + ETA[j])
        M[i, 3] = dy * 0.5 * (XI[i] + XI[j])
    invert_pivoted(M, N, 4)
    for i in range(4):
        for j in range(4):
            M[i, j] = H[i, 0] * N[0, j] + H[i, 1] * N[1, j] + H[i, 2] * N[2, j] + H[i, 3] * N[3, j]
    for i in range(4):
        for j in range(4):
            C[i, j] = N[0, i] * M[0, j] + N[1, i] * M[1, j] + N[2, i] * M[2, j] + N[3, i] * M[3, j]


@kernel
def quad_rows(E, xy, height, offset, normal, P, slope, J):
    """Fill the 24 rows of P: corner (u, v), corner (θy, −θx), edge shears, drilling strains.

    Warp: u_i + h_i w,x(i) and v_i + h_i w,y(i). Offset: u + z θy, v − z θx. Shell normals n at the
    corners (normal (4,3), zero if none): θ_xy → θ_xy − (n_xy/n_z)(θz − ω), drilling n·(θ − Ω)/n_z.
    `slope` (4,4,2) is scratch: dN_a/dx, dN_a/dy at corner i.
    """
    P[:] = 0.0
    for i in range(4):
        corner_gradients(xy, XI[i], ETA[i], J, slope[i])
    for i in range(4):
        h = height if i % 2 == 0 else -height
        for k in range(3):
            P[2 * i, 6 * i + k] = E[0, k]
            P[2 * i + 1, 6 * i + k] = E[1, k]
            P[2 * i, 6 * i + 3 + k] = offset * E[1, k]
            P[2 * i + 1, 6 * i + 3 + k] = -offset * E[0, k]
        if h != 0.0:
            for a in range(4):
                for k in range(3):
                    P[2 * i, 6 * a + k] += h * slope[i, a, 0] * E[2, k]
                    P[2 * i + 1, 6 * a + k] += h * slope[i, a, 1] * E[2, k]
    for i in range(4):
        drill = P[20 + i]
        # θz − ω with ω = ½ (v,x − u,y)
        for a in range(4):
            sx, sy = 0.5 * slope[i, a, 0], 0.5 * slope[i, a, 1]
            if sx != 0.0 or sy != 0.0:
                for c in range(24):
                    drill[c] += sy * P[2 * a, c] - sx * P[2 * a + 1, c]
        for k in range(3):
            drill[6 * i + 3 + k] += E[2, k]
            P[8 + 2 * i, 6 * i + 3 + k] = E[1, k]
            P[9 + 2 * i, 6 * i + 3 + k] = -E[0, k]
        nx, ny = tilt(normal[i], E)
        if nx == 0.0 and ny == 0.0:
            continue
        for c in range(24):
            P[8 + 2 * i, c] -= ny * drill[c]
            P[9 + 2 * i, c] += nx * drill[c]
        for k in range(3):
            drill[6 * i + 3 + k] += nx * E[0, k] + ny * E[1, k]
            for a in range(4):
                drill[6 * a + k] += (ny * slope[i, a, 0] - nx * slope[i, a, 1]) * E[2, k]
    for i in range(4):
        j = (i + 1) % 4
        dx, dy = 0.5 * (xy[j, 0] - xy[i, 0]), 0.5 * (xy[j, 1] - xy[i, 1])
        edge = P[16 + i]
        for c in range(24):
            edge[c] = dx * (P[8 + 2 * i, c] + P[8 + 2 * j, c]) + dy * (P[9 + 2 * i, c] + P[9 + 2 * j, c])
        for k in range(3):
            edge[6 * j + k] += E[2, k]
            edge[6 * i + k] -= E[2, k]


@kernel
def quad_shear_forces(xy, C, area, P, V):
    """V (2, 24): transverse shear of the center; C (4, 4) is the stiffness of the edge shears, R = C e.

        V = J₀ᵀ q / area,   q_ξ = 2 (R₁ - R₃) - √3 r_η 2 (R₁ + R₃),   q_η = 2 (R₂ - R₄) + √3 r_ξ 2 (R₂ + R₄)

    with j = j₀ (1 + r_ξ ξ + r_η η), along axes that halve the angles of the lines between mid-edges and of the element
    axes. On parallelograms V is the mean of the shear field. Found with runs of MSC Nastran: 35 elements of a curved
    panel (tapers to 5e-4) agree to 1.4e-5 of their largest shear, one of r_η = 0.27 to 1e-3.
    """
    J = np.empty((2, 2))
    j0 = bilinear_jacobian(xy, 0.0, 0.0, J)
    tx = ty = 0.0  # the terms ξη of x and y
    for a in range(4):
        tx += 0.25 * XI[a] * ETA[a] * xy[a, 0]
        ty += 0.25 * XI[a] * ETA[a] * xy[a, 1]
    r_xi, r_eta = (J[0, 0] * ty - J[0, 1] * tx) / j0, (J[1, 1] * tx - J[1, 0] * ty) / j0
    lx, le = np.sqrt(J[0, 0] ** 2 + J[0, 1] ** 2), np.sqrt(J[1, 0] ** 2 + J[1, 1] ** 2)
    c, s = J[0, 0] / lx + J[1, 1] / le, J[0, 1] / lx - J[1, 0] / le
    size = np.sqrt(c * c + s * s)
    c, s = c / size, s / size
    V[:] = 0.0
    root = np.sqrt(3.0)
    for i in range(4):
        qx = 2.0 * (C[0, i] - C[2, i] - root * r_eta * (C[0, i] + C[2, i])) / area
        qe = 2.0 * (C[1, i] - C[3, i] + root * r_xi * (C[1, i] + C[3, i])) / area
        vx, vy = J[0, 0] * qx + J[1, 0] * qe, J[0, 1] * qx + J[1, 1] * qe
        fx, fy = c * vx + s * vy, c * vy - s * vx
        for k in range(24):
            V[0, k] += fx * P[16 + i, k]
            V[1, k] += fy * P[16 + i, k]
